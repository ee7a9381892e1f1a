#include "skeleton/row.h"

#include <string.h>

#include "nlr/nlr.h"

/* ---- atoms ----------------------------------------------------------------------------------- */

struct DtAtoms {
    GPtrArray *texts;
    GHashTable *numbers; /* text -> index + 1 */
};

DtAtoms *dt_atoms_new(void)
{
    DtAtoms *atoms = g_new0(DtAtoms, 1);
    atoms->texts = g_ptr_array_new_with_free_func(g_free);
    atoms->numbers = g_hash_table_new(g_str_hash, g_str_equal);
    return atoms;
}

void dt_atoms_free(DtAtoms *atoms)
{
    if (!atoms)
        return;
    g_hash_table_unref(atoms->numbers);
    g_ptr_array_unref(atoms->texts);
    g_free(atoms);
}

DtValue dt_atoms_intern(DtAtoms *atoms, const char *text)
{
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(atoms->numbers, text));
    if (!known) {
        char *copy = g_strdup(text);
        g_ptr_array_add(atoms->texts, copy);
        known = atoms->texts->len;
        g_hash_table_insert(atoms->numbers, copy, GUINT_TO_POINTER(known));
    }
    return DT_FIRST_ATOM + known - 1;
}

const char *dt_atoms_text(const DtAtoms *atoms, DtValue value)
{
    return atoms->texts->pdata[value - DT_FIRST_ATOM];
}

/* ---- rows ------------------------------------------------------------------------------------ */

static guint64 part_length(const DtRowPart *part)
{
    guint64 once = part->inner ? part->inner->length : 1;
    return once > G_MAXINT64 / MAX(part->count, 1) ? G_MAXUINT64 : once * part->count;
}

DtRow *dt_row_of_parts(const GArray *parts)
{
    DtRow *row = g_malloc(sizeof(DtRow) + parts->len * sizeof(DtRowPart));
    row->parts = parts->len;
    row->length = 0;
    if (parts->len > 0)
        memcpy(row->part, parts->data, parts->len * sizeof(DtRowPart));
    for (guint i = 0; i < parts->len; i++) {
        guint64 length = part_length(&row->part[i]);
        if (length > G_MAXINT64 - row->length) {
            dt_row_free(row);
            return NULL;
        }
        row->length += length;
    }
    return row;
}

DtRow *dt_row_copy(const DtRow *row)
{
    DtRow *copy = g_memdup2(row, sizeof(DtRow) + row->parts * sizeof(DtRowPart));
    for (guint i = 0; i < copy->parts; i++)
        if (copy->part[i].inner)
            copy->part[i].inner = dt_row_copy(copy->part[i].inner);
    return copy;
}

void dt_row_free(DtRow *row)
{
    if (!row)
        return;
    for (guint i = 0; i < row->parts; i++)
        dt_row_free(row->part[i].inner);
    g_free(row);
}

gboolean dt_row_equal(const DtRow *a, const DtRow *b)
{
    if (a->length != b->length || a->parts != b->parts)
        return FALSE;
    for (guint i = 0; i < a->parts; i++) {
        const DtRowPart *one = &a->part[i], *other = &b->part[i];
        if (one->count != other->count || !one->inner != !other->inner)
            return FALSE;
        if (one->inner ? !dt_row_equal(one->inner, other->inner)
                       : one->first != other->first || one->step != other->step)
            return FALSE;
    }
    return TRUE;
}

guint dt_row_hash(const DtRow *row)
{
    guint64 hash = row->length;
    for (guint i = 0; i < row->parts; i++) {
        const DtRowPart *part = &row->part[i];
        hash = (hash ^ part->count) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        hash ^= part->inner ? dt_row_hash(part->inner) : (guint64)part->first * 31 + (guint64)part->step;
        hash *= G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    }
    return (guint)(hash >> 32);
}

guint dt_row_size(const DtRow *row)
{
    guint size = 0;
    for (guint i = 0; i < row->parts; i++)
        size += 1 + (row->part[i].inner ? dt_row_size(row->part[i].inner) : 0);
    return size;
}

/* ---- folding --------------------------------------------------------------------------------- */

typedef struct {
    GArray *parts;       /* DtRowPart: progressions, by symbol - 1 */
    GHashTable *symbols; /* of these, by text of their numbers */
    DtLoopTable *table;
} Folding;

static gboolean fits(DtValue a, DtValue b, gint64 *step)
{
    if (a == b)
        *step = 0;
    return a == b || (a < DT_FIRST_NAME && b < DT_FIRST_NAME && !__builtin_sub_overflow(b, a, step));
}

/* The longest progression at the start: equal values, or three that go on in the same way. */
static DtRowPart find_progression(const DtValue *values, gsize count)
{
    enum { LEAST = 3 };
    DtRowPart part = {.first = values[0], .count = 1};
    gint64 step = 0, next;
    if (count > 1 && fits(values[0], values[1], &step)) {
        gsize length = 2;
        while (length < count && fits(values[length - 1], values[length], &next) && next == step)
            length++;
        if (step == 0 || length >= LEAST)
            part = (DtRowPart){.first = values[0], .step = step, .count = length};
    }
    return part;
}

static guint32 symbol_of(Folding *folding, const DtRowPart *part)
{
    g_autofree char *key = g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT, part->first,
                                           part->step, part->count);
    guint symbol = GPOINTER_TO_UINT(g_hash_table_lookup(folding->symbols, key));
    if (!symbol) {
        g_array_append_val(folding->parts, *part);
        symbol = folding->parts->len;
        g_hash_table_insert(folding->symbols, g_steal_pointer(&key), GUINT_TO_POINTER(symbol));
    }
    return symbol;
}

static DtRow *row_of_elements(const Folding *folding, DtElements elements, guint depth)
{
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(DtRowPart));
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        DtRowPart part;
        if (dt_element_is_loop(element)) {
            DtElements body = dt_loop_table_body(folding->table, dt_element_body(element));
            part = (DtRowPart){.count = dt_element_count(element), .inner = row_of_elements(folding, body, depth + 1)};
        } else {
            part = g_array_index(folding->parts, DtRowPart, dt_element_symbol(element) - 1);
        }
        g_array_append_val(parts, part);
    }
    return dt_row_of_parts(parts);
}

static guint depth_of(const DtRow *row)
{
    guint depth = 0;
    for (guint i = 0; i < row->parts; i++)
        if (row->part[i].inner)
            depth = MAX(depth, depth_of(row->part[i].inner));
    return depth + 1;
}

static DtRow *flat_row(const GArray *parts, const GArray *symbols)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(DtRowPart));
    for (guint i = 0; i < symbols->len; i++)
        g_array_append_val(all, g_array_index(parts, DtRowPart, g_array_index(symbols, guint32, i) - 1));
    return dt_row_of_parts(all);
}

DtRow *dt_row_fold(const DtValue *values, gsize count)
{
    enum { LONGEST_PERIOD = 1000 };
    g_autoptr(GArray) symbols = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(DtRowPart));
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    Folding folding = {.parts = parts, .symbols = known, .table = table};
    for (gsize i = 0; i < count;) {
        DtRowPart part = find_progression(values + i, count - i);
        guint32 symbol = symbol_of(&folding, &part);
        g_array_append_val(symbols, symbol);
        i += part.count;
    }
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(LONGEST_PERIOD, 2);
    dt_nlr_folder_push(folder, (const guint32 *)(gconstpointer)symbols->data, symbols->len);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    DtRow *row = row_of_elements(&folding, dt_nlr_elements(nlr), 0);
    if (depth_of(row) < DT_ROW_DEPTH)
        return row;
    dt_row_free(row);
    return flat_row(parts, symbols);
}

/* ---- going through --------------------------------------------------------------------------- */

static void enter(DtRowCursor *cursor, const DtRow *row)
{
    cursor->level[cursor->depth].row = row;
    cursor->level[cursor->depth].part = 0;
    cursor->level[cursor->depth].done = 0;
    cursor->depth++;
}

void dt_row_cursor_begin(DtRowCursor *cursor, const DtRow *row)
{
    cursor->depth = 0;
    enter(cursor, row);
}

static DtValue last_value(const DtRow *row)
{
    const DtRowPart *part = &row->part[row->parts - 1];
    return part->inner ? last_value(part->inner) : part->first + part->step * (gint64)(part->count - 1);
}

DtValue dt_row_cursor_next(DtRowCursor *cursor)
{
    const DtRow *whole = cursor->level[0].row;
    if (whole->length == 1)
        return last_value(whole);
    while (cursor->depth > 0) {
        guint top = cursor->depth - 1;
        const DtRow *row = cursor->level[top].row;
        if (cursor->level[top].part == row->parts) {
            cursor->depth--;
            continue;
        }
        const DtRowPart *part = &row->part[cursor->level[top].part];
        guint64 done = cursor->level[top].done++;
        if (done == part->count) {
            cursor->level[top].part++;
            cursor->level[top].done = 0;
        } else if (part->inner) {
            enter(cursor, part->inner);
        } else {
            return part->first + part->step * (gint64)done;
        }
    }
    cursor->level[0].row = whole;
    return last_value(whole);
}
