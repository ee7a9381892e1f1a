/** Intel's Pin: the kit, and our tool for it. */
#ifndef DT_COLLECT_PIN_H
#define DT_COLLECT_PIN_H

#include <glib.h>

/**
 * What goes before a program that Pin is to run: PIN -follow_execv 1 -t TOOL --,
 * NULL-terminated, g_strfreev(). The kit is that of PIN_ROOT in the environment,
 * or the one whose `pin` is on PATH; the tool lies beside the runtime. NULL and
 * `error` that says what is missing and what to set.
 */
char **dt_collect_find_pin(GError **error);

#endif
