/* Fuzzes the manifest's reader. */
#include "fuzz_target.h"
#include "store/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    /* Files are read with a NUL behind them. */
    g_autofree char *text = g_malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)data[i];
    text[size] = 0;
    DtManifestFile *manifest = dt_manifest_parse(text, size, problems);
    if (!manifest->present && problems->len == 0)
        g_error("no manifest, and no report of it");
    dt_manifest_file_free(manifest);
    return 0;
}
