/* The words of a trace as events: file ids into functions of the run, calls of functions without a record left out. */
#include "decoder/reader_private.h"

/* Whether the event goes out: not if it belongs to a call that is left out. */
static gboolean passes(DtReader *reader, guint32 event)
{
    GArray *left_out = reader->left_out;
    if (left_out->len == 0)
        return TRUE;
    guint64 *above = &g_array_index(left_out, guint64, left_out->len - 1);
    if (event != DT_EVENT_RETURN) {
        ++*above;
    } else if (*above > 0) {
        --*above;
    } else {
        g_array_set_size(left_out, left_out->len - 1);
        return FALSE;
    }
    return TRUE;
}

/* The event of a file id; FALSE if there is none to give. */
static gboolean resolve(DtReader *reader, guint32 id, guint32 *event)
{
    *event = id < reader->function_count ? reader->functions[id] : 0;
    if (id != DT_WORD_RETURN && *event == 0) {
        guint64 none = 0;
        reader->unknown_calls++;
        g_array_append_val(reader->left_out, none);
        return FALSE;
    }
    return passes(reader, *event);
}

/* One word, with everything that is rare. FALSE if no event ends with it. */
static gboolean take_word(DtReader *reader, guint16 word, guint32 *event)
{
    reader->position++;
    if (word == DT_WORD_UNWRITTEN) {
        reader->impossible_words++;
        return FALSE;
    }
    switch (reader->at) {
    case AT_LOW:
        reader->low = word;
        reader->at = AT_HIGH;
        return FALSE;
    case AT_HIGH:
        reader->at = AT_EVENT;
        return resolve(reader, reader->low | (guint32)word << 15, event);
    case AT_EVENT:
    default:
        if (word == DT_WORD_ESCAPE) {
            reader->at = AT_LOW;
            return FALSE;
        }
        return resolve(reader, word, event);
    }
}

/* The usual words: returns and known ids, as many as follow each other. */
static gsize take_plain_words(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity)
{
    gsize most = MIN(capacity, reader->word_count - reader->next_word), count = 0;
    most = (gsize)MIN(most, reader->limit - reader->position);
    const guint16 *words = reader->words + reader->next_word;
    guint32 limit = MIN(reader->function_count, DT_WORD_LAST_ID + 1);
    if (reader->at != AT_EVENT || reader->left_out->len > 0)
        return 0;
    while (count < most) {
        guint16 word = words[count];
        if (word >= limit || (word != DT_WORD_RETURN && reader->functions[word] == 0))
            break;
        events[count++] = reader->functions[word];
    }
    for (gsize i = 0; positions && i < count; i++)
        positions[i] = reader->position + i + 1;
    reader->next_word += count;
    reader->position += count;
    return count;
}

gsize dt_reader_take_bridge(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity)
{
    gsize count = MIN(capacity, reader->bridge->len - reader->next_bridge);
    for (gsize i = 0; i < count; i++)
        events[i] = g_array_index(reader->bridge, guint32, reader->next_bridge + i);
    for (gsize i = 0; positions && i < count; i++)
        positions[i] = reader->position;
    reader->next_bridge += (guint)count;
    if (reader->next_bridge == reader->bridge->len) {
        g_array_set_size(reader->bridge, 0);
        reader->next_bridge = 0;
    }
    return count;
}

static gboolean has_words(const DtReader *reader)
{
    return reader->next_word < reader->word_count && reader->position < reader->limit;
}

/* Events of the words and of the bridge that are there. */
static gsize take_events(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity)
{
    gsize count = 0;
    if (reader->bridge->len > 0)
        count = dt_reader_take_bridge(reader, events, positions, capacity);
    while (count < capacity && has_words(reader)) {
        count += take_plain_words(reader, events + count, positions ? positions + count : NULL, capacity - count);
        if (count < capacity && has_words(reader) &&
            take_word(reader, reader->words[reader->next_word++], &events[count])) {
            if (positions)
                positions[count] = reader->position;
            count++;
        }
    }
    for (gsize i = 0; reader->keeps_stack && i < count; i++)
        dt_call_stack_apply(reader->stack, events[i]);
    return count;
}

/* Sees to it that there are words or a bridge. */
static gboolean make_ready(DtReader *reader)
{
    if (reader->position >= reader->limit) {
        if (reader->limit == reader->end)
            dt_reader_sum_up_problems(reader);
        return FALSE;
    }
    if (reader->next_word < reader->word_count || reader->bridge->len > 0 || dt_reader_read_words(reader))
        return TRUE;
    dt_reader_sum_up_problems(reader);
    return FALSE;
}

gsize dt_reader_next(DtReader *reader, guint32 *events, gsize capacity)
{
    return dt_reader_next_at(reader, events, NULL, capacity);
}

gsize dt_reader_next_at(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity)
{
    gsize count = 0;
    while (count < capacity && make_ready(reader))
        count += take_events(reader, events + count, positions ? positions + count : NULL, capacity - count);
    return count;
}

/* Whether the words, which are all of a row, are events one by one. */
static gboolean is_plain_row(const DtReader *reader)
{
    guint32 limit = MIN(reader->function_count, DT_WORD_LAST_ID + 1);
    gboolean plain = reader->at == AT_EVENT && reader->left_out->len == 0;
    for (gsize i = 0; plain && i < reader->word_count; i++) {
        guint16 word = reader->words[i];
        plain = word < limit && (word == DT_WORD_RETURN || reader->functions[word] != 0);
    }
    return plain;
}

/* How often the events of the words that are there come. */
static guint64 take_times(DtReader *reader)
{
    guint64 more = reader->rows_to_come, fit = (reader->limit - reader->position) / MAX(reader->row_words, 1);
    more = MIN(more, MAX(fit, 1) - 1);
    if (more == 0 || reader->next_word > 0 || reader->word_count != reader->row_words || reader->bridge->len > 0 ||
        !is_plain_row(reader))
        return 1;
    reader->position += more * reader->row_words;
    reader->rows_to_come -= more;
    return 1 + more;
}

gboolean dt_reader_next_batch(DtReader *reader, DtEventBatch *batch)
{
    if (!reader->events)
        reader->events = g_new(guint32, DT_READER_BATCH_EVENTS);
    *batch = (DtEventBatch){reader->events, 0, 1};
    while (batch->count == 0 && make_ready(reader)) {
        batch->times = take_times(reader);
        batch->count = take_events(reader, reader->events, NULL, DT_READER_BATCH_EVENTS);
    }
    return batch->count > 0;
}
