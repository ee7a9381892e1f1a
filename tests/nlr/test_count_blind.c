/* The count-blind NLR against its definition, written out level by level, and back. */
#include <string.h>

#include "nlr/fold.h"
#include "sequences.h"
#include "support/assert_same.h"
#include "support/random.h"

/* ---- the definition ------------------------------------------------------------------------ */

enum { FIRST_RUN = 1000000 };

/* Bodies as texts, numbered; their symbols and the counts of their runs. */
typedef struct {
    GPtrArray *bodies; /* (element-type GArray of guint32) */
    GPtrArray *counts; /* (element-type GArray of guint64) */
    guint level_start; /* the first body of the level */
} Definition;

typedef struct {
    gboolean run;
    guint32 symbol; /* or body of a run */
    guint64 count;
} Item;

static gboolean has_loop(DtElements elements)
{
    for (gsize i = 0; i < elements.length; i++)
        if (dt_element_is_loop(elements.elements[i]))
            return TRUE;
    return FALSE;
}

static guint32 number_of(Definition *definition, DtElements body)
{
    g_autoptr(GArray) symbols = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (gsize i = 0; i < body.length; i++) {
        guint32 symbol = dt_element_symbol(body.elements[i]);
        g_array_append_val(symbols, symbol);
    }
    for (guint i = definition->level_start; i < definition->bodies->len; i++) {
        const GArray *known = definition->bodies->pdata[i];
        if (known->len == symbols->len && memcmp(known->data, symbols->data, symbols->len * sizeof(guint32)) == 0)
            return i;
    }
    g_ptr_array_add(definition->bodies, g_steal_pointer(&symbols));
    g_ptr_array_add(definition->counts, g_array_new(FALSE, FALSE, sizeof(guint64)));
    return definition->bodies->len - 1;
}

/* All loops but the innermost ones written out. */
static void write_out(Definition *definition, const DtLoopTable *table, DtElements elements, GArray *items)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        Item item = {FALSE, dt_element_symbol(element), 1};
        if (!dt_element_is_loop(element)) {
            g_array_append_val(items, item);
            continue;
        }
        DtElements body = dt_loop_table_body(table, dt_element_body(element));
        if (!has_loop(body)) {
            item = (Item){TRUE, number_of(definition, body), dt_element_count(element)};
            g_array_append_val(items, item);
            continue;
        }
        for (guint32 left = dt_element_count(element); left > 0; left--)
            write_out(definition, table, body, items);
    }
}

static gboolean body_follows(const Definition *definition, const GArray *items, guint at, guint32 body)
{
    const GArray *symbols = definition->bodies->pdata[body];
    for (guint i = 0; i < symbols->len; i++) {
        if (at + i >= items->len)
            return FALSE;
        const Item *item = &g_array_index(items, Item, at + i);
        if (item->run || item->symbol != g_array_index(symbols, guint32, i))
            return FALSE;
    }
    return TRUE;
}

/* A run takes in whatever goes on with it. */
static GArray *join(Definition *definition, const GArray *items)
{
    GArray *sequence = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < items->len;) {
        Item item = g_array_index(items, Item, i++);
        guint32 symbol = item.run ? FIRST_RUN + item.symbol : item.symbol;
        while (item.run && i < items->len) {
            const Item *next = &g_array_index(items, Item, i);
            if (next->run && next->symbol == item.symbol) {
                item.count += next->count;
                i++;
            } else if (body_follows(definition, items, i, item.symbol)) {
                item.count++;
                i += ((const GArray *)definition->bodies->pdata[item.symbol])->len;
            } else {
                break;
            }
        }
        if (item.run)
            g_array_append_val(definition->counts->pdata[item.symbol], item.count);
        g_array_append_val(sequence, symbol);
    }
    return sequence;
}

/* A level; NULL if there is no loop any more. */
static GArray *next_level(Definition *definition, const GArray *sequence, guint k, guint min_repeat)
{
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(k, min_repeat);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    dt_nlr_folder_push(folder, (const guint32 *)(void *)sequence->data, sequence->len);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    if (!has_loop(dt_nlr_elements(nlr)))
        return NULL;
    g_autoptr(GArray) items = g_array_new(FALSE, FALSE, sizeof(Item));
    definition->level_start = definition->bodies->len;
    write_out(definition, table, dt_nlr_elements(nlr), items);
    return join(definition, items);
}

static void append_symbols(GString *text, const Definition *definition, const GArray *symbols, gboolean top)
{
    for (guint i = 0; i < symbols->len; i++) {
        guint32 symbol = g_array_index(symbols, guint32, i);
        if (symbol < FIRST_RUN) {
            g_string_append_printf(text, " %u", symbol);
            continue;
        }
        g_string_append(text, " (");
        append_symbols(text, definition, definition->bodies->pdata[symbol - FIRST_RUN], FALSE);
        g_string_append(text, top ? ")^n" : ")^*");
    }
}

static gint compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The elements, then for each body its counts, in the order of the bodies' texts. */
static char *joined(GString *elements, GPtrArray *lines)
{
    g_ptr_array_sort(lines, compare_texts);
    for (guint i = 0; i < lines->len; i++)
        g_string_append_printf(elements, "\n%s", (char *)lines->pdata[i]);
    return g_string_free(elements, FALSE);
}

static char *define(const GArray *sequence, guint k, guint min_repeat)
{
    Definition definition = {.bodies = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref),
                             .counts = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref)};
    GArray *level = g_array_copy((GArray *)sequence), *next;
    while ((next = next_level(&definition, level, k, min_repeat))) {
        g_array_unref(level);
        level = next;
    }
    GString *text = g_string_new(NULL);
    append_symbols(text, &definition, level, TRUE);
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < definition.bodies->len; i++) {
        GString *line = g_string_new(NULL);
        append_symbols(line, &definition, definition.bodies->pdata[i], FALSE);
        g_string_append_c(line, ':');
        const GArray *counts = definition.counts->pdata[i];
        for (guint j = 0; j < counts->len; j++)
            g_string_append_printf(line, " %" G_GUINT64_FORMAT, g_array_index(counts, guint64, j));
        g_ptr_array_add(lines, g_string_free(line, FALSE));
    }
    char *all = joined(text, lines);
    g_array_unref(level);
    g_ptr_array_unref(definition.bodies);
    g_ptr_array_unref(definition.counts);
    return all;
}

/* ---- what is made --------------------------------------------------------------------------- */

static void append_elements(GString *text, const DtLoopTable *table, DtElements elements, gboolean top)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (!dt_element_is_loop(element)) {
            g_string_append_printf(text, " %u", dt_element_symbol(element));
            continue;
        }
        g_assert_true((dt_element_count(element) > 0) == top);
        g_string_append(text, " (");
        append_elements(text, table, dt_loop_table_body(table, dt_element_body(element)), FALSE);
        g_string_append(text, top ? ")^n" : ")^*");
    }
}

static void append_count(const guint32 *counts, gsize count, gpointer line)
{
    for (gsize i = 0; i < count; i++)
        g_string_append_printf(line, " %u", counts[i]);
}

static char *made_text(const DtNlr *nlr, DtLoopTable *table)
{
    GString *text = g_string_new(NULL);
    append_elements(text, table, dt_nlr_elements(nlr), TRUE);
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < dt_nlr_counts_length(nlr); i++) {
        guint32 body;
        DtElements counts = dt_nlr_counts(nlr, i, &body);
        GString *line = g_string_new(NULL);
        append_elements(line, table, dt_loop_table_body(table, body), FALSE);
        g_string_append_c(line, ':');
        dt_nlr_expand(dt_loop_table_counts(table), counts, append_count, line);
        g_ptr_array_add(lines, g_string_free(line, FALSE));
    }
    return joined(text, lines);
}

static void append_symbol(const guint32 *symbols, gsize count, gpointer array)
{
    g_array_append_vals(array, symbols, (guint)count);
}

/* Symbols in order, with the counts that top elements tell. */
static guint64 length_by_tops(const DtNlr *nlr)
{
    guint64 length = 0;
    DtElements elements = dt_nlr_elements(nlr);
    for (gsize i = 0; i < elements.length; i++)
        length += dt_element_is_loop(elements.elements[i]) ? dt_element_count(elements.elements[i]) : 0;
    return length;
}

static void check(const GArray *sequence, guint k, guint min_repeat)
{
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(k, min_repeat);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    dt_nlr_folder_push(folder, (const guint32 *)(void *)sequence->data, sequence->len);
    DtLooseNlr *loose = dt_loose_nlr_count_blind(dt_nlr_folder_finish_loose(folder), k, min_repeat);
    g_autoptr(DtNlr) nlr = dt_loose_nlr_intern(loose, table, NULL);
    g_autofree char *expected = define(sequence, k, min_repeat);
    g_autofree char *made = made_text(nlr, table);
    g_assert_true(dt_nlr_is_count_blind(nlr));
    g_assert_cmpstr(made, ==, expected);
    g_autoptr(GArray) expanded = g_array_new(FALSE, FALSE, sizeof(guint32));
    dt_nlr_expand_all(table, nlr, append_symbol, expanded);
    dt_assert_same(expanded->data, expanded->len * sizeof(guint32), sequence->data, sequence->len * sizeof(guint32));
    g_assert_cmpuint(dt_nlr_symbols(nlr), ==, sequence->len);
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void test_definition(gconstpointer data)
{
    const SequenceMaker *maker = data;
    static const guint ks[] = {1, 3, 10, 1000};
    g_autoptr(GRand) random = dt_test_random();
    for (guint i = 0; i < 300; i++) {
        g_autoptr(GArray) sequence = (*maker)(random, (guint)g_rand_int_range(random, 1, i % 10 == 0 ? 4000 : 300));
        check(sequence, ks[i % G_N_ELEMENTS(ks)], 2 + i / 4 % 2);
    }
}

static GArray *sequence_of(const char *letters)
{
    GArray *sequence = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (; *letters != '\0'; letters++) {
        guint32 symbol = (guint32)*letters;
        g_array_append_val(sequence, symbol);
    }
    return sequence;
}

static void test_varying_counts(void)
{
    static const struct {
        const char *sequence;
        gsize length;
        guint32 top;
    } cases[] = {
        {"abbbcabbcabbbbbcabbc", 1, 4}, /* a b^* c, four times */
        {"abbabbbabbbb", 1, 3},         /* the loop that ends the body goes on where the body was seen to end */
        {"xaabaaabxaabaaaabaab", 1, 2}, /* x (a^* b)^*, twice */
        {"abcabcabcd", 2, 3},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) sequence = sequence_of(cases[i].sequence);
        check(sequence, 1000, 2);
    }
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) sequence = sequence_of(cases[i].sequence);
        g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(1000, 2);
        g_autoptr(DtLoopTable) table = dt_loop_table_new();
        dt_nlr_folder_push(folder, (const guint32 *)(void *)sequence->data, sequence->len);
        g_autoptr(DtNlr) nlr =
            dt_loose_nlr_intern(dt_loose_nlr_count_blind(dt_nlr_folder_finish_loose(folder), 1000, 2), table, NULL);
        g_assert_cmpuint(dt_nlr_elements(nlr).length, ==, cases[i].length);
        g_assert_cmpuint(length_by_tops(nlr), >=, cases[i].top);
    }
}

/* Random trip counts two levels deep: a single loop, however often all of it is repeated. */
static void test_shrinks(void)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(1000, 2);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(GArray) sequence = g_array_new(FALSE, FALSE, sizeof(guint32));
    static const guint32 a = 1, b = 2, c = 3, d = 4;
    for (guint i = 0; i < 50; i++) {
        g_array_append_val(sequence, a);
        for (gint j = g_rand_int_range(random, 2, 9); j > 0; j--) {
            g_array_append_val(sequence, b);
            for (gint k = g_rand_int_range(random, 2, 9); k > 0; k--)
                g_array_append_val(sequence, c);
        }
        g_array_append_val(sequence, d);
    }
    dt_nlr_folder_push(folder, (const guint32 *)(void *)sequence->data, sequence->len);
    dt_nlr_folder_repeat(folder, sequence->len, G_GUINT64_CONSTANT(1000000));
    DtLooseNlr *loose = dt_loose_nlr_count_blind(dt_nlr_folder_finish_loose(folder), 1000, 2);
    g_autoptr(DtNlr) nlr = dt_loose_nlr_intern(loose, table, NULL);
    g_assert_cmpuint(dt_nlr_symbols(nlr), ==, sequence->len * G_GUINT64_CONSTANT(1000001));
    g_assert_cmpuint(dt_loop_table_count(table), ==, 3);
    check(sequence, 1000, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < SEQUENCE_MAKER_COUNT; i++) {
        g_autofree char *path = g_strdup_printf("/nlr/count-blind/definition/%u", i);
        g_test_add_data_func(path, &SEQUENCE_MAKERS[i], test_definition);
    }
    g_test_add_func("/nlr/count-blind/varying-counts", test_varying_counts);
    g_test_add_func("/nlr/count-blind/shrinks", test_shrinks);
    return g_test_run();
}
