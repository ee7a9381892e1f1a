/* Functions and ranks as the page has them: what took how long, and who sent to and waited for whom. */
#include "report/times/page_times.h"

#include "report/times/messages_report.h"

/* ---- functions -------------------------------------------------------------------------------- */

enum { FUNCTIONS_SHOWN = 500 };

typedef struct {
    guint32 function;
    guint64 ns; /* in the run that has more */
} Weight;

static gint heaviest_first(gconstpointer a, gconstpointer b)
{
    const Weight *first = a, *second = b;
    if (first->ns != second->ns)
        return first->ns > second->ns ? -1 : 1;
    return first->function < second->function ? -1 : first->function > second->function;
}

static const DtPageFunction *function_in(const DtPageRunTimes *of, guint32 function)
{
    static const DtPageFunction none = {0};
    return of->functions ? &g_array_index(of->functions, DtPageFunction, function) : &none;
}

static GArray *weigh(const DtPageTimes *times)
{
    GArray *weights = g_array_new(FALSE, FALSE, sizeof(Weight));
    const DtPageRunTimes *some = &times->runs[times->runs[1].run != NULL];
    for (guint32 id = 1; id < some->functions->len; id++) {
        const DtPageFunction *normal = function_in(&times->runs[0], id), *faulty = function_in(&times->runs[1], id);
        const Weight weight = {id, MAX(normal->exclusive_ns, faulty->exclusive_ns)};
        if (normal->calls + faulty->calls > 0)
            g_array_append_val(weights, weight);
    }
    g_array_sort(weights, heaviest_first);
    return weights;
}

static void add_side(JsonBuilder *builder, const DtPageTimes *times, DtSide side, guint32 id)
{
    const DtPageFunction *function = function_in(&times->runs[side], id);
    if (function->calls == 0) {
        dt_json_null(builder, dt_side_name(side));
        return;
    }
    dt_json_begin_object(builder, dt_side_name(side));
    dt_json_integer(builder, "calls", (gint64)function->calls);
    dt_json_integer(builder, "ns", (gint64)function->exclusive_ns);
    dt_json_integer(builder, "told", (gint64)function->told_ns);
    dt_json_integer(builder, "most", function->most);
    dt_json_integer(builder, "most_ns", (gint64)function->most_ns);
    json_builder_end_object(builder);
}

void dt_page_add_profile(JsonBuilder *builder, const DtPageTimes *times)
{
    g_autoptr(GArray) weights = weigh(times);
    const DtPageRunTimes *some = &times->runs[times->runs[1].run != NULL];
    const DtFunctions *functions = dt_run_functions(some->run);
    dt_json_integer(builder, "functions_of_all", weights->len);
    dt_json_begin_array(builder, "functions");
    for (guint i = 0; i < MIN(weights->len, (guint)FUNCTIONS_SHOWN); i++) {
        const guint32 id = g_array_index(weights, Weight, i).function;
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "function", dt_functions_get(functions, id)->name);
        add_side(builder, times, DT_SIDE_NORMAL, id);
        add_side(builder, times, DT_SIDE_FAULTY, id);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

/* ---- links ------------------------------------------------------------------------------------ */

/* Ranks in blocks of neighbours, as many as can be told apart in a picture. */
enum { BLOCKS = 64 };

typedef struct {
    guint64 messages, bytes;
    gint64 wait_ns; /* that the block of the row waited for that of the column */
} Cell;

static void add_waits(Cell *cells, guint n, guint each, const DtWaitStates *states)
{
    GHashTableIter iter;
    gpointer pair;
    g_hash_table_iter_init(&iter, states->by_ranks);
    while (g_hash_table_iter_next(&iter, &pair, NULL)) {
        const guint waiting = (guint)(*(const guint64 *)pair >> 32), late = (guint) * (const guint64 *)pair;
        cells[(gsize)(waiting / each) * n + late / each].wait_ns += dt_wait_between(states, waiting, late);
    }
}

/* [row, column, messages, bytes, wait] one behind the other, of those that are not empty. */
static void add_links_of(JsonBuilder *builder, const DtPageRunTimes *of, DtSide side, guint n, guint each)
{
    if (!of->run)
        return;
    g_autofree Cell *cells = g_new0(Cell, (gsize)n * n);
    for (guint i = 0; i < of->links->links->len; i++) {
        const DtLink *link = &g_array_index(of->links->links, DtLink, i);
        Cell *cell = &cells[(gsize)(link->from / each) * n + link->to / each];
        cell->messages += link->messages;
        cell->bytes += link->bytes;
    }
    add_waits(cells, n, each, of->states);
    dt_json_begin_array(builder, dt_side_name(side));
    for (guint i = 0; i < n * n; i++) {
        if (cells[i].messages == 0 && cells[i].wait_ns == 0)
            continue;
        dt_json_integer(builder, NULL, i / n);
        dt_json_integer(builder, NULL, i % n);
        dt_json_integer(builder, NULL, (gint64)cells[i].messages);
        dt_json_integer(builder, NULL, (gint64)cells[i].bytes);
        dt_json_integer(builder, NULL, cells[i].wait_ns);
    }
    json_builder_end_array(builder);
}

static guint ranks_of(const DtPageRunTimes *of)
{
    return of->run ? of->messages->ranks->len : 0;
}

static void add_blocks(JsonBuilder *builder, const DtPageTimes *times, guint n, guint each)
{
    const DtPageRunTimes *larger = &times->runs[ranks_of(&times->runs[1]) >= ranks_of(&times->runs[0])];
    const guint ranks = ranks_of(larger);
    dt_json_begin_array(builder, "blocks");
    for (guint i = 0; i < n; i++) {
        const char *first = dt_rank_label(larger->messages, i * each),
                   *last = dt_rank_label(larger->messages, MIN((i + 1) * each, ranks) - 1);
        g_autofree char *label = each > 1 ? g_strdup_printf("%s-%s", first, last) : g_strdup(first);
        dt_json_string(builder, NULL, label);
    }
    json_builder_end_array(builder);
}

static void add_links(JsonBuilder *builder, const DtPageTimes *times)
{
    const guint ranks = MAX(ranks_of(&times->runs[0]), ranks_of(&times->runs[1]));
    const guint each = MAX((ranks + BLOCKS - 1) / BLOCKS, 1), n = (ranks + each - 1) / each;
    dt_json_begin_object(builder, "links");
    dt_json_integer(builder, "ranks", ranks);
    add_blocks(builder, times, n, each);
    for (DtSide side = DT_SIDE_NORMAL; side <= DT_SIDE_FAULTY; side++)
        add_links_of(builder, &times->runs[side], side, n, each);
    json_builder_end_object(builder);
}

/* ---- for whom each rank waited most ------------------------------------------------------------ */

enum { WAITERS_SHOWN = 500 };

static gint longest_wait_first(gconstpointer a, gconstpointer b, gpointer states)
{
    const gint64 *of_ranks = ((const DtWaitStates *)states)->of_ranks;
    const guint first = *(const guint *)a, second = *(const guint *)b;
    if (of_ranks[first] != of_ranks[second])
        return of_ranks[first] > of_ranks[second] ? -1 : 1;
    return first < second ? -1 : first > second;
}

static GArray *waiters(const DtWaitStates *states)
{
    GArray *ranks = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint rank = 0; rank < states->most_waited->len; rank++)
        if (g_array_index(states->most_waited, guint, rank) != DT_NO_CALL)
            g_array_append_val(ranks, rank);
    g_array_sort_with_data(ranks, longest_wait_first, (gpointer)states);
    return ranks;
}

static void add_waiters(JsonBuilder *builder, const DtPageRunTimes *of, DtSide side)
{
    if (!of->run)
        return;
    g_autoptr(GArray) ranks = waiters(of->states);
    dt_json_begin_array(builder, dt_side_name(side));
    for (guint i = 0; i < MIN(ranks->len, (guint)WAITERS_SHOWN); i++) {
        const guint rank = g_array_index(ranks, guint, i), most = g_array_index(of->states->most_waited, guint, rank);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "rank", dt_rank_label(of->messages, rank));
        dt_json_integer(builder, "ns", of->states->of_ranks[rank]);
        dt_json_string(builder, "most", dt_rank_label(of->messages, most));
        dt_json_integer(builder, "most_ns", dt_wait_between(of->states, rank, most));
        dt_json_integer(builder, "ring", g_array_index(of->states->cycles, guint, rank));
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

/* Of few ranks a graph can still be read. */
static void add_graph(JsonBuilder *builder, const DtPageRunTimes *of, DtSide side)
{
    enum { RANKS_DRAWN = 40 };
    if (!of->run || of->states->all_ns == 0 || ranks_of(of) > RANKS_DRAWN)
        return;
    const DtTimesShown shown = {.run = of->run};
    const DtMessagesShown what = {&shown, of->messages, of->clocks};
    g_autofree char *svg = dt_report_wait_states(&what, of->states, DT_FORMAT_SVG, NULL);
    if (svg)
        dt_json_string(builder, dt_side_name(side), svg);
}

void dt_page_add_ranks(JsonBuilder *builder, const DtPageTimes *times)
{
    add_links(builder, times);
    dt_json_begin_object(builder, "most_waited");
    for (DtSide side = DT_SIDE_NORMAL; side <= DT_SIDE_FAULTY; side++)
        add_waiters(builder, &times->runs[side], side);
    json_builder_end_object(builder);
    dt_json_begin_object(builder, "most_waited_graphs");
    for (DtSide side = DT_SIDE_NORMAL; side <= DT_SIDE_FAULTY; side++)
        add_graph(builder, &times->runs[side], side);
    json_builder_end_object(builder);
}
