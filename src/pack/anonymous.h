/** Runs that do not tell whose they are: pseudonyms in the place of names. docs/trace-format.md, section 15. */
#ifndef DT_PACK_ANONYMOUS_H
#define DT_PACK_ANONYMOUS_H

#include <glib.h>

G_BEGIN_DECLS

/** The key by which names become pseudonyms: without it nobody can find out whether a name is there by trying. */
typedef struct DtPseudonyms DtPseudonyms;
/** From the content of a file, 16 bytes at least; NULL: random, so that no other pack has the same. NULL with an error.
 */
DtPseudonyms *dt_pseudonyms_new(const char *key_file, GError **error);
void dt_pseudonyms_free(DtPseudonyms *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPseudonyms, dt_pseudonyms_free)
/** What tells packs by this key from others, and nothing of the key; borrowed. */
const char *dt_pseudonyms_id(const DtPseudonyms *names);

/** What a name becomes, the same each time: `letter` and ten digits (HMAC-SHA256); g_free(). "" stays "". */
char *dt_pseudonym(const DtPseudonyms *names, char letter, const char *name);
/** 64 digits that stand for the bytes of a text; g_free(). */
char *dt_pseudonym_digits(const DtPseudonyms *names, const void *data, gsize bytes);

/** Whether a function is of MPI, OpenMP, pthreads or the system, or `main`: it keeps its name. */
gboolean dt_function_is_public(const char *name);

/**
 * The name under which a file of a run is packed, relative to the run; g_free(). NULL: it is left out. `numbers` is for
 * folders and trace files, whose names become numbers in the order in which they are asked for: (utf8 -> utf8).
 */
char *dt_anonymous_file_name(const DtPseudonyms *names, const char *name, GHashTable *numbers);

/** The contents of a file that is no trace file, of that name; g_free(). `bytes` is changed. NULL: it is damaged. */
char *dt_anonymous_file(const DtPseudonyms *names, const char *name, const char *data, gsize *bytes);

/** The first page of a trace file. */
void dt_anonymous_page(const DtPseudonyms *names, GByteArray *page);

/** A whole chunk of a trace file that is not of event code, checks included, but not its seal. */
void dt_anonymous_chunk(const DtPseudonyms *names, GByteArray *chunk);

G_END_DECLS

#endif
