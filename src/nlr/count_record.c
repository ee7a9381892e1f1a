/* Rows of counts, recorded, folded and summed. */
#include "nlr/count_record.h"

DtCountRecord *dt_count_record_new(void)
{
    DtCountRecord *record = g_new0(DtCountRecord, 1);
    record->steps = g_array_new(FALSE, FALSE, sizeof(DtCountStep));
    return record;
}

void dt_count_record_free(DtCountRecord *record)
{
    if (!record)
        return;
    g_array_unref(record->steps);
    g_free(record);
}

void dt_count_record_add(DtCountRecord *record, guint32 count)
{
    DtCountStep step = {count, 0};
    g_array_append_val(record->steps, step);
    record->length++;
}

void dt_count_record_repeat(DtCountRecord *record, guint64 length, guint64 times)
{
    DtCountStep step = {length, times};
    if (length == 0 || times == 0)
        return;
    g_array_append_val(record->steps, step);
    record->length += length * times;
}

DtNlr *dt_count_record_fold(const DtCountRecord *record, DtNlrFolder *folder, DtLoopTable *table)
{
    for (guint i = 0; i < record->steps->len; i++) {
        const DtCountStep *step = &g_array_index(record->steps, DtCountStep, i);
        guint32 count = (guint32)step->value;
        if (step->times == 0)
            dt_nlr_folder_push(folder, &count, 1);
        else
            dt_nlr_folder_repeat(folder, (gsize)step->value, step->times);
    }
    return dt_nlr_folder_finish(folder, table);
}

/* ---- cursor ------------------------------------------------------------------------ */

struct DtCountCursor {
    const DtLoopTable *table;
    DtElements elements;
    GHashTable *sums; /* of one iteration, by body */
    gsize next;       /* element that is not gone by */
    guint64 offset;   /* counts of it that are */
};

DtCountCursor *dt_count_cursor_new(const DtLoopTable *table, DtElements elements)
{
    DtCountCursor *cursor = g_new0(DtCountCursor, 1);
    cursor->table = table;
    cursor->elements = elements;
    cursor->sums = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return cursor;
}

void dt_count_cursor_free(DtCountCursor *cursor)
{
    if (!cursor)
        return;
    g_hash_table_unref(cursor->sums);
    g_free(cursor);
}

static guint64 sum_first(DtCountCursor *cursor, DtElements elements, guint64 number);

static guint64 sum_of_body(DtCountCursor *cursor, guint32 body)
{
    guint64 *known = g_hash_table_lookup(cursor->sums, GUINT_TO_POINTER(body));
    if (known)
        return *known;
    guint64 *sum = g_new(guint64, 1);
    *sum = sum_first(cursor, dt_loop_table_body(cursor->table, body), G_MAXUINT64);
    g_hash_table_insert(cursor->sums, GUINT_TO_POINTER(body), sum);
    return *sum;
}

/* Of the first `number` counts that the elements stand for. Loops nest at most log2 of the counts deep. */
static guint64 sum_first(DtCountCursor *cursor, DtElements elements, guint64 number)
{
    guint64 sum = 0;
    for (gsize i = 0; i < elements.length && number > 0; i++) {
        DtElement element = elements.elements[i];
        if (!dt_element_is_loop(element)) {
            sum += dt_element_symbol(element);
            number--;
            continue;
        }
        guint32 body = dt_element_body(element);
        guint64 counts = dt_loop_table_body_symbols(cursor->table, body);
        guint64 iterations = MIN(number / counts, dt_element_count(element));
        sum += iterations * sum_of_body(cursor, body);
        number -= iterations * counts;
        if (iterations < dt_element_count(element) && number > 0) {
            sum += sum_first(cursor, dt_loop_table_body(cursor->table, body), number);
            number = 0;
        }
    }
    return sum;
}

guint64 dt_count_cursor_advance(DtCountCursor *cursor, guint64 number)
{
    guint64 sum = 0;
    while (number > 0 && cursor->next < cursor->elements.length) {
        DtElements element = {cursor->elements.elements + cursor->next, 1};
        guint64 taken = MIN(number, dt_nlr_expanded_length(cursor->table, element) - cursor->offset);
        sum += sum_first(cursor, element, cursor->offset + taken) - sum_first(cursor, element, cursor->offset);
        number -= taken;
        cursor->offset += taken;
        if (cursor->offset == dt_nlr_expanded_length(cursor->table, element)) {
            cursor->next++;
            cursor->offset = 0;
        }
    }
    return sum;
}
