/* Fuzzes the reader of unrecorded.log. */
#include "fuzz_target.h"
#include "store/unrecorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free), told = dt_unrecorded_list_new();
    dt_unrecorded_parse((const char *)data, size, told, problems);
    for (guint i = 0; i < told->len; i++) {
        const DtUnrecorded *process = told->pdata[i];
        if (process->pid == 0 || !g_utf8_validate(process->host, -1, NULL) ||
            (process->executable && !g_utf8_validate(process->executable, -1, NULL)))
            g_error("a process that cannot be");
    }
    g_auto(GStrv) lines = dt_unrecorded_lines(told);
    if (told->len > 0 && g_strv_length(lines) == 0)
        g_error("no line for it");
    return 0;
}
