/** Collecting one-line reports of damage. */
#ifndef DT_STORE_PROBLEMS_H
#define DT_STORE_PROBLEMS_H

#include <glib.h>

#include "text/text.h"

G_BEGIN_DECLS

/** Appends "what: ..." to `problems` (element-type utf8, owned by it). */
static inline void G_GNUC_PRINTF(3, 4) dt_problem(GPtrArray *problems, const char *what, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = dt_text_vprintf(format, arguments);
    va_end(arguments);
    g_ptr_array_add(problems, dt_text_printf("%s: %s", what, text));
}

G_END_DECLS

#endif
