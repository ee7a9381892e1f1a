/*
 * From recorded words to folded traces where the codec knows of repetitions: for every codec and filter the NLR is that
 * of the symbols that the filter's definition gives, folded one by one; and statistics count what was written.
 */
#include <string.h>

#include "nlr/nlr.h"
#include "nlr_text.h"
#include "support/random.h"
#include "support/test_run.h"

enum { FUNCTIONS = 9, UNKNOWN = 300, LENGTH = 60000, ROUNDS = 6 };

/* ---- programs ---------------------------------------------------------------------------- */

static guint pick(GRand *random, guint least, guint most)
{
    return (guint)g_rand_int_range(random, (gint32)least, (gint32)most + 1);
}

static void put(GArray *events, guint32 event)
{
    g_array_append_val(events, event);
}

/* `unknown`: functions without a record may be among them. */
static void append_call(GArray *events, GRand *random, guint depth, gboolean unknown)
{
    put(events, unknown && pick(random, 0, 20) == 0 ? UNKNOWN : pick(random, 1, FUNCTIONS - 1));
    for (guint parts = depth > 0 ? pick(random, 0, 4) : 0; parts > 0; parts--) {
        g_autoptr(GArray) part = g_array_new(FALSE, FALSE, sizeof(guint32));
        append_call(part, random, depth - 1, unknown);
        for (guint times = pick(random, 1, 9); times > 0; times--)
            g_array_append_vals(events, part->data, part->len);
    }
    put(events, DT_EVENT_RETURN);
}

/* Ends inside calls. */
static GArray *program_events(GRand *random, gboolean unknown)
{
    GArray *events = g_array_new(FALSE, FALSE, sizeof(guint32));
    put(events, FUNCTIONS);
    while (events->len < LENGTH) {
        g_autoptr(GArray) nest = g_array_new(FALSE, FALSE, sizeof(guint32));
        append_call(nest, random, pick(random, 0, 3), unknown);
        for (gsize end = events->len + pick(random, 0, LENGTH / 2); events->len < end;)
            g_array_append_vals(events, nest->data, nest->len);
        if (pick(random, 0, 1))
            put(events, pick(random, 0, 2) ? pick(random, 1, FUNCTIONS - 1) : DT_EVENT_RETURN);
    }
    return events;
}

/* ---- a filter by its definition -------------------------------------------------------------- */

typedef struct {
    const char *notation;
    guint first, last; /* functions kept */
    gboolean returns;
    guint caller, under; /* 0: any */
} Filter;

static const Filter filters[] = {
    {"11.all", 1, FUNCTIONS, FALSE, 0, 0},
    {"01.all", 1, FUNCTIONS, TRUE, 0, 0},
    {"cust:^f[1-2]$", 1, 2, FALSE, 0, 0},
    {"01.cust:^f[2-5]$", 2, 5, TRUE, 0, 0},
    {"caller:^f3$", 1, FUNCTIONS, FALSE, 3, 0},
    {"01.cust:^f[1-6]$.under:^f4$", 1, 6, TRUE, 0, 4},
    {"cust:^nothing$", FUNCTIONS + 1, 0, FALSE, 0, 0},
};

static gboolean keeps(const Filter *filter, const GArray *stack, guint depth, guint32 function)
{
    gboolean under = FALSE;
    guint caller = 0;
    for (guint i = 0; i < depth; i++) {
        guint32 open = g_array_index(stack, guint32, i);
        under |= open == filter->under;
        caller = open == UNKNOWN ? caller : open;
    }
    if (function < filter->first || function > filter->last)
        return FALSE;
    return (filter->caller == 0 || caller == filter->caller) && (filter->under == 0 || under);
}

static GArray *filter_events(const Filter *filter, const GArray *events, const guint32 *symbols)
{
    GArray *kept = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < events->len; i++) {
        guint32 event = g_array_index(events, guint32, i);
        gboolean leaves = event == DT_EVENT_RETURN;
        if (leaves && stack->len == 0)
            continue;
        guint32 function = leaves ? g_array_index(stack, guint32, stack->len - 1) : event;
        if (leaves)
            g_array_set_size(stack, stack->len - 1);
        if (keeps(filter, stack, stack->len, function) && (!leaves || filter->returns))
            put(kept, symbols[function] | (leaves ? DT_SYMBOL_RETURN : 0));
        if (!leaves)
            put(stack, event);
    }
    return kept;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void assert_folds(const DtRun *run, const Filter *filter, const GArray *events, const guint32 *symbols)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFilter) parsed = dt_filter_parse(filter->notation, &error);
    g_assert_no_error(error);
    g_autoptr(DtFilterSet) set = dt_filter_compile(parsed, dt_run_functions(run), &error);
    g_assert_no_error(error);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(GPtrArray) folded = dt_nlr_fold_run(run, set, 50, 2, 1, table, &error);
    g_assert_no_error(error);
    g_autoptr(DtLoopTable) expected_table = dt_loop_table_new();
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(50, 2);
    g_autoptr(GArray) kept = filter_events(filter, events, symbols);
    dt_nlr_folder_push(folder, (const guint32 *)(void *)kept->data, kept->len);
    g_autoptr(DtNlr) expected = dt_nlr_folder_finish(folder, expected_table);
    g_autofree char *expected_text = nlr_text(expected, expected_table);
    g_autofree char *text = nlr_text(((const DtFoldedTrace *)folded->pdata[0])->nlr, table);
    g_assert_cmpstr(text, ==, expected_text);
}

/* ---- call trees ---------------------------------------------------------------------------------- */

/* What a call's text stands for as a symbol; `texts` has them by number. */
static guint32 number_of(GHashTable *numbers, GPtrArray *texts, char *text)
{
    gpointer known = g_hash_table_lookup(numbers, text);
    if (!known) {
        g_ptr_array_add(texts, text);
        g_hash_table_insert(numbers, text, GUINT_TO_POINTER(texts->len));
        return texts->len - 1;
    }
    g_free(text);
    return GPOINTER_TO_UINT(known) - 1;
}

static void append_named(GString *text, const DtLoopTable *table, DtElements elements, const GPtrArray *texts)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (!dt_element_is_loop(element)) {
            g_string_append_printf(text, " %s", (const char *)texts->pdata[dt_element_symbol(element)]);
            continue;
        }
        g_string_append(text, " (");
        append_named(text, table, dt_loop_table_body(table, dt_element_body(element)), texts);
        g_string_append_printf(text, ")^%u", dt_element_count(element));
    }
}

/* By the definition: the children of every call, the roots last, folded on their own. */
static char *define_tree(const GArray *symbols, gsize *at, DtNlrFolder *folder, GHashTable *numbers, GPtrArray *texts)
{
    g_autoptr(GArray) children = g_array_new(FALSE, FALSE, sizeof(guint32));
    while (*at < symbols->len && (g_array_index(symbols, guint32, *at) & DT_SYMBOL_RETURN) == 0) {
        guint32 function = g_array_index(symbols, guint32, (*at)++);
        g_autofree char *inside = define_tree(symbols, at, folder, numbers, texts);
        gboolean open = (*at)++ >= symbols->len;
        char *text = inside[0] == '\0' && !open ? g_strdup_printf("%u", function)
                                                : g_strdup_printf("%u[%s]%s", function, inside, open ? "..." : "");
        guint32 number = number_of(numbers, texts, text);
        g_array_append_val(children, number);
    }
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    dt_nlr_folder_push(folder, (const guint32 *)(void *)children->data, children->len);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    GString *text = g_string_new(NULL);
    append_named(text, table, dt_nlr_elements(nlr), texts);
    return g_string_free(text, FALSE);
}

static void append_tree(GString *text, const DtCallTree *tree, const DtLoopTable *table, DtElements elements)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (dt_element_is_loop(element)) {
            g_string_append(text, " (");
            append_tree(text, tree, table, dt_loop_table_body(table, dt_element_body(element)));
            g_string_append_printf(text, ")^%u", dt_element_count(element));
            continue;
        }
        const DtCallNode *node = dt_call_tree_find(tree, dt_element_symbol(element));
        g_string_append_printf(text, " %u", node ? node->function : dt_element_symbol(element));
        if (!node)
            continue;
        g_string_append_c(text, '[');
        append_tree(text, tree, table, node->children);
        g_string_append(text, node->open ? "]..." : "]");
    }
}

static void append_symbols(const guint32 *symbols, gsize count, gpointer array)
{
    g_array_append_vals(array, symbols, (guint)count);
}

static void assert_tree(const DtRun *run, DtFunctions *functions, const Filter *filter, const GArray *events,
                        const guint32 *symbols)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFilter) parsed = dt_filter_parse(filter->notation, &error);
    g_autoptr(DtFilterSet) set = dt_filter_compile(parsed, dt_run_functions(run), &error);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(DtCallTree) tree = dt_call_tree_new(functions);
    const DtFoldPlan plan = {set, 50, 2, table, DT_NLR_CALL_TREE, tree, DT_NAMES_ALONE};
    g_autoptr(GPtrArray) folded = dt_nlr_fold_runs(&run, 1, &plan, 1, 1, NULL, NULL, &error);
    g_assert_no_error(error);
    const DtNlr *nlr = ((const DtFoldedTrace *)((GPtrArray *)folded->pdata[0])->pdata[0])->nlr;
    Filter with_returns = *filter;
    with_returns.returns = TRUE;
    g_autoptr(GArray) kept = filter_events(&with_returns, events, symbols);
    g_autoptr(GArray) expanded = g_array_new(FALSE, FALSE, sizeof(guint32));
    dt_call_tree_expand(tree, table, dt_nlr_elements(nlr), append_symbols, expanded);
    g_assert_cmpuint(expanded->len, ==, kept->len);
    g_assert_cmpuint(dt_nlr_symbols(nlr), ==, kept->len);
    g_assert_true(kept->len == 0 || memcmp(expanded->data, kept->data, kept->len * sizeof(guint32)) == 0);

    g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(50, 2);
    gsize at = 0;
    g_autofree char *expected = define_tree(kept, &at, folder, numbers, texts);
    g_autoptr(GString) text = g_string_new(NULL);
    append_tree(text, tree, table, dt_nlr_elements(nlr));
    g_assert_cmpstr(text->str, ==, expected);
}

static void assert_counts(const DtRun *run, const GArray *events, const guint32 *symbols, gboolean unknown)
{
    g_autoptr(DtStatistics) statistics = dt_statistics_new();
    guint64 count, calls[FUNCTIONS + 1] = {0};
    g_assert_true(dt_statistics_add(statistics, run, dt_run_trace(run, 0), 1, &count, NULL));
    for (guint i = 0; i < events->len; i++)
        if (g_array_index(events, guint32, i) <= FUNCTIONS)
            calls[g_array_index(events, guint32, i)]++;
    for (guint id = 1; id <= FUNCTIONS; id++)
        g_assert_cmpuint(dt_statistics_calls(statistics, symbols[id]), ==, calls[id]);
    if (!unknown)
        g_assert_cmpuint(count, ==, events->len);
}

static guint32 find_function(const DtFunctions *functions, const char *name)
{
    for (guint32 id = 1; id <= dt_functions_count(functions); id++)
        if (g_str_equal(dt_functions_get(functions, id)->name, name))
            return id;
    g_assert_not_reached();
}

static void write_run(const char *path, guint32 codec, const GArray *events, gsize segment_words)
{
    DtTestRun *writer = dt_test_run_new(path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->codec = codec;
    for (guint id = 1; id <= FUNCTIONS; id++) {
        g_autofree char *name = g_strdup_printf("f%u", id);
        g_assert_cmpuint(dt_test_process_id(process, name), ==, id);
    }
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    thread->segment_words = segment_words;
    for (guint i = 0; i < events->len; i++)
        dt_test_thread_event(thread, g_array_index(events, guint32, i));
    dt_test_run_finish(writer);
}

static void check(guint32 codec, GRand *random, gboolean unknown)
{
    g_autofree char *directory = dt_temporary_directory();
    g_autofree char *path = g_build_filename(directory, "run", NULL);
    g_autoptr(GArray) events = program_events(random, unknown);
    write_run(path, codec, events, pick(random, 0, 1) ? 0 : pick(random, 5000, 30000));
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, &error);
    g_assert_no_error(error);
    guint32 symbols[FUNCTIONS + 1] = {0};
    for (guint id = 1; id <= FUNCTIONS; id++) {
        g_autofree char *name = g_strdup_printf("f%u", id);
        symbols[id] = find_function(functions, name);
    }
    for (guint i = 0; i < G_N_ELEMENTS(filters); i++)
        assert_folds(run, &filters[i], events, symbols);
    for (guint i = 0; i < G_N_ELEMENTS(filters); i++)
        assert_tree(run, functions, &filters[i], events, symbols);
    assert_counts(run, events, symbols, unknown);
    dt_remove_tree(directory);
}

static void test_codec(gconstpointer codec)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < ROUNDS; round++)
        check(GPOINTER_TO_UINT(codec), random, round % 3 == 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/nlr/rows/raw", GUINT_TO_POINTER(DT_CODEC_RAW), test_codec);
    g_test_add_data_func("/nlr/rows/parlot", GUINT_TO_POINTER(DT_CODEC_PARLOT), test_codec);
    g_test_add_data_func("/nlr/rows/tz", GUINT_TO_POINTER(DT_CODEC_TZ), test_codec);
    g_test_add_data_func("/nlr/rows/lzr", GUINT_TO_POINTER(DT_CODEC_LZR), test_codec);
    return g_test_run();
}
