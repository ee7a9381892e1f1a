/** Traces of Go's made by hand: main starts a goroutine that sends it a message, and one that nobody takes. */
#ifndef DT_TESTS_SUPPORT_GO_TRACES_H
#define DT_TESTS_SUPPORT_GO_TRACES_H

#include <glib.h>

/** In the format of Go 1.19; g_byte_array_unref(). */
GByteArray *dt_test_go_trace_first(void);
/** The same, but the goroutine that sends sleeps before: made late by difftrace go, or because it says so. */
GByteArray *dt_test_go_trace_asleep(gboolean stays);
/** Of goroutine 1, which starts 9 and then 5 at one line; 9 starts 3. */
GByteArray *dt_test_go_trace_ids(void);
/** In that of Go 1.22; the same events. */
GByteArray *dt_test_go_trace_second(void);
/** So many bytes of it are its first generation, a whole trace by itself. */
guint dt_test_go_trace_generation(void);

#endif
