/* Who waits for whom, of many the few that matter: the suspects, those in a deadlock, and all others by their call. */
#include <string.h>

#include "report/front/cards.h"
#include "report/front/markup.h"
#include "report/pictures/graph.h"
#include "text/text.h"

enum { KEYS = 4, GROUPS = 3, LABEL_SHOWN = 24, CALL_SHOWN = 28, NOBODY = G_MAXUINT };

/* Nodes of the picture. */
typedef struct {
    const DtWaitFor *waits;
    GPtrArray *labels; /* of each node (element-type GPtrArray of utf8, borrowed) */
    GPtrArray *calls;  /* of each node, borrowed, NULL: none */
    GArray *modes;     /* DtWaitMode */
    guint *node_of;    /* by waiter */
    guint keys;
} Picture;

static gboolean waits_now(const DtWaiter *waiter)
{
    return waiter->mode == DT_WAIT_FOR_ALL || waiter->mode == DT_WAIT_FOR_ANY;
}

static const DtWaiter *waiter_at(const DtWaitFor *waits, guint index)
{
    return waits->waiters->pdata[index];
}

static guint add_node(Picture *picture, guint index)
{
    const DtWaiter *waiter = waiter_at(picture->waits, index);
    g_ptr_array_add(picture->labels, g_ptr_array_new());
    g_ptr_array_add(picture->calls, (gpointer)waiter->call);
    g_array_append_val(picture->modes, waiter->mode);
    return picture->labels->len - 1;
}

static void put(Picture *picture, guint index, guint node)
{
    picture->node_of[index] = node;
    g_ptr_array_add(picture->labels->pdata[node], (gpointer)waiter_at(picture->waits, index)->trace->label);
}

static void add_key(Picture *picture, guint index)
{
    if (picture->node_of[index] != NOBODY || picture->keys == KEYS)
        return;
    put(picture, index, add_node(picture, index));
    picture->keys++;
}

/* The suspect, whom it waits for, a deadlock's members, those to blame. */
static void find_keys(Picture *picture, const char *prime)
{
    const DtWaitFor *waits = picture->waits;
    for (guint i = 0; i < waits->waiters->len; i++) {
        const DtWaiter *waiter = waiter_at(waits, i);
        if (!prime || !g_str_equal(waiter->trace->label, prime))
            continue;
        add_key(picture, i);
        for (guint k = 0; waiter->waits_for->len <= 2 && k < waiter->waits_for->len; k++)
            add_key(picture, g_array_index(waiter->waits_for, guint, k));
    }
    for (guint i = 0; i < MIN(waits->cycles->len, 1); i++) {
        const GArray *cycle = waits->cycles->pdata[i];
        for (guint k = 0; k < cycle->len; k++)
            add_key(picture, g_array_index(cycle, guint, k));
    }
    for (guint i = 0; i < waits->waiters->len; i++) {
        if (waiter_at(waits, i)->reason)
            add_key(picture, i);
    }
}

static gboolean belongs(const Picture *picture, guint node, const DtWaiter *waiter)
{
    return g_array_index(picture->modes, DtWaitMode, node) == waiter->mode &&
           g_strcmp0(picture->calls->pdata[node], waiter->call) == 0;
}

static void group_others(Picture *picture)
{
    for (guint i = 0; i < picture->waits->waiters->len; i++) {
        const DtWaiter *waiter = waiter_at(picture->waits, i);
        guint node = picture->keys;
        if (picture->node_of[i] != NOBODY)
            continue;
        while (node < picture->labels->len && !belongs(picture, node, waiter))
            node++;
        if (node == picture->labels->len && node < picture->keys + GROUPS)
            add_node(picture, i);
        if (node < picture->labels->len)
            put(picture, i, node);
    }
}

static Picture picture_new(const DtWaitFor *waits, const char *prime)
{
    Picture picture = {waits,
                       g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref),
                       g_ptr_array_new(),
                       g_array_new(FALSE, FALSE, sizeof(DtWaitMode)),
                       g_new(guint, (gsize)waits->waiters->len + 1),
                       0};
    for (guint i = 0; i < waits->waiters->len; i++)
        picture.node_of[i] = NOBODY;
    find_keys(&picture, prime);
    group_others(&picture);
    return picture;
}

static void picture_clear(Picture *picture)
{
    g_ptr_array_unref(picture->labels);
    g_ptr_array_unref(picture->calls);
    g_array_unref(picture->modes);
    g_free(picture->node_of);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Picture, picture_clear)

static const char *state_of(DtWaitMode mode, const char *call)
{
    return call ? call : mode == DT_WAIT_ENDED ? "ended" : "in no call";
}

static Agnode_t *node_of(Agraph_t *graph, guint number)
{
    g_autofree char *id = g_strdup_printf("w%u", number);
    return dt_graph_node(graph, id);
}

static void draw_node(Agraph_t *graph, const Picture *picture, guint number, const char *prime)
{
    const GPtrArray *labels = picture->labels->pdata[number];
    g_autofree char *list = dt_trace_list_text(labels), *short_list = dt_text_shortened(list, LABEL_SHOWN);
    g_autofree char *state = dt_text_brief(
        state_of(g_array_index(picture->modes, DtWaitMode, number), picture->calls->pdata[number]), CALL_SHOWN);
    Agnode_t *node = node_of(graph, number);
    gboolean accused = prime && labels->len == 1 && g_str_equal(labels->pdata[0], prime);
    dt_graph_set_label_format(node, "%s\n%s", short_list, state);
    dt_graph_set(node, "shape", "box");
    dt_graph_set(node, "style", "filled,rounded");
    dt_graph_set(node, "color", accused ? DT_COLOUR_FAULTY : DT_COLOUR_QUIET);
    dt_graph_set(node, "fillcolor", accused ? DT_COLOUR_FAULTY_PALE : "white");
}

static void draw_arrows(Agraph_t *graph, const Picture *picture)
{
    g_autoptr(GHashTable) drawn = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < picture->waits->waiters->len; i++) {
        const DtWaiter *waiter = waiter_at(picture->waits, i);
        guint from = picture->node_of[i];
        for (guint k = 0; from != NOBODY && waits_now(waiter) && k < waiter->waits_for->len; k++) {
            guint to = picture->node_of[g_array_index(waiter->waits_for, guint, k)];
            if (to == NOBODY || (to == from && from >= picture->keys) ||
                !g_hash_table_add(drawn, g_strdup_printf("%u %u", from, to)))
                continue;
            dt_graph_edge(graph, node_of(graph, from), node_of(graph, to));
        }
    }
}

/* The element alone, without what stands before it in a file of its own. */
static void add_svg(GString *out, char *svg)
{
    const char *begin = svg ? strstr(svg, "<svg") : NULL;
    if (!begin)
        return;
    g_string_append(out, "<div class=\"waits-picture\" role=\"img\" aria-label=\"Who waits for whom\">");
    g_string_append(out, begin);
    g_string_append(out, "</div>");
}

static void add_picture(GString *out, const DtWaitFor *waits, const char *prime)
{
    g_auto(Picture) picture = picture_new(waits, prime);
    Agraph_t *graph = dt_graph_new("waits", NULL);
    if (!graph || picture.labels->len < 2) {
        dt_graph_free(graph);
        return;
    }
    dt_graph_set(graph, "rankdir", "LR");
    dt_graph_set(graph, "bgcolor", "transparent");
    dt_graph_set(graph, "ranksep", "0.35");
    dt_graph_set(graph, "nodesep", "0.15");
    for (guint i = 0; i < picture.labels->len; i++)
        draw_node(graph, &picture, i, prime);
    draw_arrows(graph, &picture);
    g_autofree char *svg = dt_graph_draw(graph, DT_FORMAT_SVG, NULL);
    add_svg(out, svg);
}

static guint count_waiting(const DtWaitFor *waits)
{
    guint count = 0;
    for (guint i = 0; i < waits->waiters->len; i++)
        count += waits_now(waiter_at(waits, i)) ? 1 : 0;
    return count;
}

/* What the suspect itself waits for. */
static void add_sentence(GString *out, const DtWaitFor *waits, const char *prime)
{
    for (guint i = 0; prime && i < waits->waiters->len; i++) {
        const DtWaiter *waiter = waiter_at(waits, i);
        if (!g_str_equal(waiter->trace->label, prime))
            continue;
        if (waits_now(waiter) && waiter->what)
            dt_markup_add(out, "<p>%s waits for %s.</p>", prime, waiter->what);
        else if (waiter->end)
            dt_markup_add(out, "<p>%s %s.</p>", prime, waiter->end);
        return;
    }
    dt_markup_add(out, "<p>%s.</p>", waits->summary);
}

static const DtTimeDifference *slower_with_waiting(const DtComparison *comparison)
{
    const DtTimeVerdict *times = comparison->times;
    for (guint i = 0; times && i < times->differences->len; i++) {
        const DtTimeDifference *each = times->differences->pdata[i];
        if (each->waits_in && each->waiting)
            return each;
    }
    return NULL;
}

static void add_slower(GString *out, const DtTimeDifference *slower)
{
    g_autofree char *list = g_strjoinv(", ", slower->waiting);
    g_autofree char *brief = dt_text_shortened(list, 60);
    dt_markup_add(out, "<p>%s in %n, meanwhile, for %s.</p>", brief, slower->waits_in,
                  slower->trace ? slower->trace : "the slowest");
}

static gboolean all_exited(const DtRun *run)
{
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        if (dt_run_process(run, i)->end != DT_END_EXITED)
            return FALSE;
    }
    return TRUE;
}

/* Why nobody is shown. */
static void add_nobody(GString *out, const DtWaitFor *waits, gboolean exited)
{
    const char *text = "<p>Not looked at in a run of this size: <code>difftrace waits</code> tells.</p>";
    if (!exited && waits && waits->lacks_arguments)
        text =
            "<p>Not known: no arguments of calls were recorded. <code>difftrace collect --mpi-args=on</code> records "
            "them.</p>";
    else if (exited || waits)
        text = "<p>Nobody: no call that waits is open at the end.</p>";
    g_string_append(out, text);
}

void dt_front_add_waits(GString *out, const DtFrontFacts *facts)
{
    const DtWaitFor *waits = facts->page->waits;
    const DtTimeDifference *slower = slower_with_waiting(facts->page->comparison);
    const char *prime = facts->lead ? facts->lead->trace : NULL;
    g_string_append(out, "<article class=\"answer-card waits\"><h2>Who waits</h2>");
    if (waits && count_waiting(waits) > 0) {
        add_picture(out, waits, prime);
        add_sentence(out, waits, prime);
    } else if (slower) {
        add_slower(out, slower);
    } else {
        add_nobody(out, waits, all_exited(facts->page->runs[1]->run));
    }
    g_string_append(out, "</article>");
}
