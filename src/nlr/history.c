/* The latest symbols of a sequence. */
#include "nlr/history.h"

#include <string.h>

void dt_history_init(DtHistory *history)
{
    history->symbols = g_new(guint32, 2 * DT_HISTORY_SYMBOLS);
    history->length = 0;
}

void dt_history_clear(DtHistory *history)
{
    g_free(history->symbols);
}

static gsize make_room(DtHistory *history)
{
    if (history->length == 2 * DT_HISTORY_SYMBOLS) {
        memcpy(history->symbols, history->symbols + DT_HISTORY_SYMBOLS, DT_HISTORY_SYMBOLS * sizeof(guint32));
        history->length = DT_HISTORY_SYMBOLS;
    }
    return 2 * DT_HISTORY_SYMBOLS - history->length;
}

gsize dt_history_append(DtHistory *history, const guint32 *symbols, gsize count)
{
    gsize room = make_room(history);
    gsize length = MIN(count, room);
    memcpy(history->symbols + history->length, symbols, length * sizeof(guint32));
    history->length += length;
    return length;
}

gsize dt_history_repeat(DtHistory *history, gsize period, guint64 count)
{
    gsize room = make_room(history);
    gsize length = (gsize)MIN(count, room);
    guint32 *end = history->symbols + history->length;
    /* Doubling what is known to repeat copies in large pieces. */
    for (gsize done = 0; done < length;) {
        gsize piece = MIN(done + period, length - done);
        memcpy(end + done, end - period, piece * sizeof(guint32));
        done += piece;
    }
    history->length += length;
    return length;
}

void dt_history_skip(DtHistory *history, gsize period, guint64 count)
{
    /* Whole periods more than there is room for change nothing. */
    guint64 most = DT_HISTORY_SYMBOLS + period;
    if (count > most)
        count = most - period + (count - (most - period)) % period;
    while (count > 0)
        count -= dt_history_repeat(history, period, count);
}

gsize dt_history_match(const DtHistory *history, gsize from, gsize period, gsize count)
{
    enum { BLOCK = 16 };
    const guint32 *now = history->symbols + from;
    const guint32 *before = now - period;
    gsize length = 0;
    for (; length + BLOCK <= count; length += BLOCK) {
        guint32 different = 0;
        for (gsize i = 0; i < BLOCK; i++)
            different |= now[length + i] ^ before[length + i];
        if (different != 0)
            break;
    }
    while (length < count && now[length] == before[length])
        length++;
    return length;
}
