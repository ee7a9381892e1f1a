/** Runs that do not tell whose they are: pseudonyms in the place of names. docs/trace-format.md, section 15. */
#ifndef DT_PACK_ANONYMOUS_H
#define DT_PACK_ANONYMOUS_H

#include <glib.h>

G_BEGIN_DECLS

/** What a name becomes, the same each time: `letter` and ten digits; g_free(). "" stays "". */
char *dt_pseudonym(char letter, const char *name);

/** Whether a function is of MPI, OpenMP, pthreads or the system, or `main`: it keeps its name. */
gboolean dt_function_is_public(const char *name);

/**
 * The name under which a file of a run is packed, relative to the run; g_free(). NULL: it is left out. `numbers` is for
 * folders and trace files, whose names become numbers in the order in which they are asked for: (utf8 -> utf8).
 */
char *dt_anonymous_file_name(const char *name, GHashTable *numbers);

/** The contents of a file that is no trace file, of that name; g_free(). `bytes` is changed. NULL: it is damaged. */
char *dt_anonymous_file(const char *name, const char *data, gsize *bytes);

/** The first page of a trace file. */
void dt_anonymous_page(GByteArray *page);

/** A whole chunk of a trace file that is not of event code, checks included, but not its seal. */
void dt_anonymous_chunk(GByteArray *chunk);

G_END_DECLS

#endif
