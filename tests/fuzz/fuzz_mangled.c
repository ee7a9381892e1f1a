/* Fuzzes the sizes of mangled names: what the demangler makes of a name is never longer than was said, and a name that
 * may be demangled is so in time (the test's own limit). */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "store/symbols/mangled_size.h"
#include "store/symbols/names.h"

enum { MOST = 1 << 22, LONGEST = 1000 };

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LONGEST)
        return 0;
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autofree char *name = g_strconcat("_Z", text, NULL);
    guint64 bound = dt_mangled_size(name);
    if (bound <= MOST) {
        char *plain = __cxa_demangle(name, NULL, NULL, NULL);
        if (plain && strlen(plain) > bound)
            g_error("%s: %" G_GSIZE_FORMAT " characters, %" G_GUINT64_FORMAT " said", name, strlen(plain), bound);
        free(plain);
    }
    g_autofree char *shown = dt_canonical_name(name, 0);
    if (!g_utf8_validate(shown, -1, NULL))
        g_error("a name that is not UTF-8");
    return 0;
}
