/** A thread's record: which commit counts, and the words of the raw tails. */
#ifndef DT_STORE_THREAD_RECORD_H
#define DT_STORE_THREAD_RECORD_H

#include <glib.h>

#include "format/trace_file.h"
#include "store/file.h"

G_BEGIN_DECLS

/** A thread's record, of which `bytes` bytes are there; FALSE if that is not all of it. `tail_capacity`: words of each
 * raw tail in the file's version, at most those of a struct dt_thread. */
gboolean dt_thread_read(const guint8 *data, gsize bytes, gsize tail_capacity, struct dt_thread *thread);

/** The same from a file, whose thread may be running: record and tails are of one moment, but for words that came
 * behind the last. */
gboolean dt_thread_read_from(const DtFile *file, guint64 offset, gsize tail_capacity, struct dt_thread *thread);

/** The same from the packed record of a thread that has ended: the words are in its active tail. FALSE, too, if it is
 * damaged. */
gboolean dt_thread_unpack(const guint8 *data, gsize bytes, struct dt_thread *thread);

/** What of a record is to be believed. */
typedef struct {
    const struct dt_commit *commit; /* borrowed from the record; NULL: both are damaged */
    gboolean has_tails;             /* FALSE: words behind the commit are lost */
    const char *problem;            /* NULL, or what is damaged */
} DtCommitChoice;

/** `checked`: the file's version has checksums. */
DtCommitChoice dt_thread_choose_commit(const struct dt_thread *thread, gboolean checked);

/** Words that those in the raw tails stand for, in their order, at most all of both; returns how many. `words` has room
 * for one more than DT_TAIL_ALL_WORDS. `childless`: the file's version has words for two (format/tail.h). */
gsize dt_thread_tail_words(const struct dt_thread *thread, const DtCommitChoice *choice, gboolean childless,
                           guint16 *words);
enum { DT_TAIL_ALL_WORDS = 2 * 2 * (DT_TAIL_WORDS + DT_TAIL_SLACK) };

G_END_DECLS

#endif
