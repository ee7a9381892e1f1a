/* Fuzzes the reader of skeletons: what it takes is written and read again as the same. */
#include "fuzz_target.h"
#include "skeleton/skeleton.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(text, "input", &error);
    if (!skeleton) {
        if (!error)
            g_error("no skeleton, and no reason");
        return 0;
    }
    g_autofree char *written = dt_skeleton_text(skeleton);
    g_autoptr(DtSkeleton) again = dt_skeleton_parse(written, "written", &error);
    if (!again)
        g_error("%s\n%s", error->message, written);
    g_autofree char *rewritten = dt_skeleton_text(again);
    if (!g_str_equal(written, rewritten))
        g_error("written in two ways:\n%s\n%s", written, rewritten);
    return 0;
}
