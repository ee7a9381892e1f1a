/* A thread's record: which commit counts, and the words of the raw tails. */
#include "store/thread_record.h"

#include <string.h>

#include "format/checks.h"
#include "format/tail.h"

static void clear_tails(struct dt_thread *thread)
{
    for (gsize i = 0; i < G_N_ELEMENTS(thread->tail[0]); i++)
        thread->tail[0][i] = thread->tail[1][i] = DT_WORD_UNWRITTEN;
}

gboolean dt_thread_read(const guint8 *data, gsize bytes, gsize tail_capacity, struct dt_thread *thread)
{
    const gsize tails = G_STRUCT_OFFSET(struct dt_thread, tail), tail_bytes = tail_capacity * sizeof(guint16);
    if (bytes < tails + 2 * tail_bytes)
        return FALSE;
    memcpy(thread, data, tails);
    if (tail_bytes < sizeof(thread->tail[0]))
        clear_tails(thread);
    for (gsize i = 0; i < 2; i++)
        memcpy(thread->tail[i], data + tails + i * tail_bytes, tail_bytes);
    return TRUE;
}

/* TRUE if the thread has made no batch between the two, so that what one says of the tails holds for the other. */
static gboolean is_same_batch(const struct dt_thread *one, const struct dt_thread *two)
{
    return one->selector == two->selector &&
           memcmp(one->tail_serial, two->tail_serial, sizeof(one->tail_serial)) == 0 &&
           memcmp(one->commit, two->commit, sizeof(one->commit)) == 0;
}

gboolean dt_thread_read_from(const DtFile *file, guint64 offset, gsize tail_capacity, struct dt_thread *thread)
{
    enum { MOST_TIMES = 100 }; /* of a damaged file, or of a thread that is quicker than we are */
    g_autofree guint8 *data = g_malloc(sizeof(*thread));
    g_autofree struct dt_thread *again = g_new0(struct dt_thread, 1);
    for (guint times = 0; times < MOST_TIMES; times++) {
        gsize bytes = dt_file_read(file, offset, data, sizeof(*thread));
        if (!dt_thread_read(data, bytes, tail_capacity, thread))
            return FALSE;
        dt_file_read(file, offset, again, DT_THREAD_HEAD_BYTES);
        if (is_same_batch(thread, again))
            break;
    }
    return TRUE;
}

gboolean dt_thread_unpack(const guint8 *data, gsize bytes, struct dt_thread *thread)
{
    struct dt_ended_thread record;
    if (bytes < sizeof(record))
        return FALSE;
    memcpy(&record, data, sizeof(record));
    gsize there = bytes - sizeof(record), needed = record.words * sizeof(guint16);
    if (record.words > G_N_ELEMENTS(thread->tail[0]) || needed > there)
        return FALSE;
    if (dt_ended_thread_check((const struct dt_ended_thread *)(const void *)data) != record.check)
        return FALSE;
    memset(thread, 0, sizeof(*thread));
    memcpy(thread, record.head, sizeof(record.head));
    clear_tails(thread);
    memcpy(thread->tail[thread->commit[thread->selector & 1].active_tail & 1], data + sizeof(record), needed);
    return TRUE;
}

static gboolean is_newer(const struct dt_commit *one, const struct dt_commit *two)
{
    return (gint32)(one->tail_serial - two->tail_serial) > 0;
}

/* The record that is not selected may be half written, or, if its writer died just before it selected it, the newer. */
DtCommitChoice dt_thread_choose_commit(const struct dt_thread *thread, gboolean checked)
{
    const struct dt_commit *selected = &thread->commit[thread->selector & 1];
    const struct dt_commit *other = &thread->commit[~thread->selector & 1];
    if (!checked)
        return (DtCommitChoice){selected, TRUE, NULL};
    gboolean selected_is_good = dt_commit_check(selected) == selected->check;
    gboolean other_is_good = dt_commit_check(other) == other->check;
    if (selected_is_good)
        return (DtCommitChoice){other_is_good && is_newer(other, selected) ? other : selected, TRUE, NULL};
    if (other_is_good)
        return (DtCommitChoice){other, FALSE, "its commit record is damaged: words behind the commit before are lost"};
    return (DtCommitChoice){NULL, FALSE, "both commit records are damaged: only complete segments are read"};
}

/* Of a version before 1.4: each word is one. */
static gsize gather(guint16 *words, const guint16 *tail, gsize capacity)
{
    gsize count = 0;
    for (gsize i = 0; i < capacity; i++) {
        words[count] = tail[i];
        count += tail[i] != DT_WORD_UNWRITTEN;
    }
    return count;
}

gsize dt_thread_tail_words(const struct dt_thread *thread, const DtCommitChoice *choice, gboolean childless,
                           guint16 *words)
{
    const struct dt_commit *commit = choice->commit;
    gsize count = 0;
    for (guint32 tail = 0; choice->has_tails && tail < 2; tail++) {
        guint32 which = (commit->active_tail & 1) ^ tail;
        if (tail == 1 && thread->tail_serial[which] != commit->tail_serial + 1)
            break;
        count += (childless ? dt_tail_expand : gather)(words + count, thread->tail[which],
                                                       G_N_ELEMENTS(thread->tail[which]));
    }
    return count;
}
