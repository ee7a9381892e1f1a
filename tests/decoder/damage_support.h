/** What a user sees of a run that may be damaged. */
#ifndef DT_TESTS_DECODER_DAMAGE_SUPPORT_H
#define DT_TESTS_DECODER_DAMAGE_SUPPORT_H

#include <glib.h>

/** Rounds asked for by DIFFTRACE_DAMAGE, or `usual`. */
guint dt_damage_rounds(guint usual);

/** All that a user sees of a run, g_free(); and, in `reports`, one line for each thing that is said to be damaged. */
char *dt_describe_run(const char *path, GString *reports);

/** The same up to the first report. */
char *dt_describe_run_until_report(const char *path, GString *reports);

/** A whole file, g_free(). */
char *dt_read_file(const char *path, gsize *size);

/** A new directory, in memory if there is a place for it; g_free() after dt_remove_tree(). */
char *dt_directory_in_memory(void);

/** Lines of debugging, which GLib's tests print, took half of the time of thousands of readings. Once, behind
 * g_test_init(). */
void dt_without_debug_lines(void);

/** Memory that comes and goes with each round is not given back to the system: page faults took half of the time. */
void dt_keep_freed_memory(void);

#endif
