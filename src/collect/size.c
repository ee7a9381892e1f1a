/* Sizes as users write them. */
#include "collect/size.h"

#include <string.h>

gboolean dt_size_parse(const char *text, guint64 *bytes)
{
    static const char units[] = "kMGT";
    char *end = NULL;
    gdouble number = g_ascii_strtod(text, &end);
    if (end == text || !(number >= 0) || !g_ascii_isdigit(text[0]))
        return FALSE;
    const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    for (const char *at = units; unit && at <= unit; at++)
        number *= 1024;
    if (unit)
        end++;
    if (*end == 'B')
        end++;
    if (*end || number > 1e18)
        return FALSE;
    *bytes = (guint64)number;
    return TRUE;
}
