/* Folded sequences in canonical form: the bodies that lasted, numbered post-order by first sight. */
#include "nlr/call_tree.h"
#include "nlr/fold.h"
#include "nlr/loop_table.h"
#include "nlr/sequence.h"

struct DtLooseNlr {
    DtLoopTable *bodies;
    DtNlr *nlr;
    DtCallTree *nodes; /* NULL: no call tree */
};

#define UNNUMBERED G_MAXUINT32

/* Bodies of one table become bodies of another. */
typedef struct {
    const DtLoopTable *from;
    DtLoopTable *to;
    guint32 *numbers;       /* by id in `from`: id in `to`, UNNUMBERED before first sight */
    const guint32 *symbols; /* by index of a trace's node; NULL: there are none */
} Renumbering;

static guint32 renumber_body(Renumbering *renumbering, guint32 body);

static void renumber(Renumbering *renumbering, DtElements elements, DtElement *renumbered)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (dt_element_is_loop(element))
            element = dt_element_loop(renumber_body(renumbering, dt_element_body(element)), dt_element_count(element));
        else if (renumbering->symbols && (dt_element_symbol(element) & DT_CALL_NODE) != 0)
            element = renumbering->symbols[dt_element_symbol(element) & ~DT_CALL_NODE];
        renumbered[i] = element;
    }
}

/* Every loop repeats at least twice, so nesting is at most log2 of the symbols deep. */
static guint32 renumber_body(Renumbering *renumbering, guint32 body)
{
    if (renumbering->numbers[body] != UNNUMBERED)
        return renumbering->numbers[body];
    DtElements elements = dt_loop_table_body(renumbering->from, body);
    g_autofree DtElement *renumbered = g_new(DtElement, elements.length);
    renumber(renumbering, elements, renumbered);
    guint64 hash = dt_sequence_hash(renumbered, elements.length);
    guint32 copy = dt_loop_table_get(renumbering->from, body)->copy;
    guint32 number = dt_loop_table_intern_copy(renumbering->to, renumbered, elements.length, hash, copy);
    renumbering->numbers[body] = number;
    return number;
}

/* `elements` over `from`, rewritten to `renumbered` (the same length) over `to`; `numbers` has room for all of `from`.
 */
static void renumber_all(const DtLoopTable *from, DtLoopTable *to, DtElements elements, DtElement *renumbered,
                         guint32 *numbers)
{
    for (guint32 i = 0; i < dt_loop_table_count(from); i++)
        numbers[i] = UNNUMBERED;
    Renumbering renumbering = {from, to, numbers, NULL};
    renumber(&renumbering, elements, renumbered);
}

static DtLooseNlr *loose_new(const DtLoopTable *table, DtElements elements, guint64 symbols, guint32 *numbers)
{
    DtNlr *nlr = g_new0(DtNlr, 1);
    nlr->references = 1;
    nlr->elements = g_new(DtElement, elements.length);
    nlr->length = elements.length;
    nlr->symbols = symbols;
    DtLooseNlr *loose = g_new0(DtLooseNlr, 1);
    loose->bodies = dt_loop_table_new();
    loose->nlr = nlr;
    renumber_all(table, loose->bodies, elements, nlr->elements, numbers);
    return loose;
}

DtLooseNlr *dt_loose_nlr_new(const DtLoopTable *table, DtElements elements)
{
    g_autofree guint32 *numbers = g_new(guint32, dt_loop_table_count(table) + 1);
    return loose_new(table, elements, dt_nlr_expanded_length(table, elements), numbers);
}

void dt_loose_nlr_free(DtLooseNlr *loose)
{
    if (!loose)
        return;
    dt_loop_table_free(loose->bodies);
    dt_nlr_free(loose->nlr);
    dt_call_tree_free(loose->nodes);
    g_free(loose);
}

const DtLoopTable *dt_loose_nlr_bodies(const DtLooseNlr *loose)
{
    return loose->bodies;
}

DtElements dt_loose_nlr_elements(const DtLooseNlr *loose)
{
    return dt_nlr_elements(loose->nlr);
}

guint64 dt_loose_nlr_symbols(const DtLooseNlr *loose)
{
    return dt_nlr_symbols(loose->nlr);
}

const DtCallTree *dt_loose_nlr_nodes(const DtLooseNlr *loose)
{
    return loose->nodes;
}

/* ---- counts kept aside --------------------------------------------------------------- */

static void clear_counts(gpointer counts)
{
    g_free(((DtFoldCounts *)counts)->elements);
}

static gint by_body(gconstpointer a, gconstpointer b)
{
    guint32 left = ((const DtFoldCounts *)a)->body, right = ((const DtFoldCounts *)b)->body;
    return left < right ? -1 : left > right;
}

static void append_counts(GArray *all, guint32 body, const DtLoopTable *from, DtLoopTable *to, DtElements elements)
{
    g_autofree guint32 *numbers = g_new(guint32, dt_loop_table_count(from) + 1);
    DtFoldCounts counts = {body, g_new(DtElement, elements.length), elements.length};
    renumber_all(from, to, elements, counts.elements, numbers);
    g_array_append_val(all, counts);
}

static GArray *counts_new(void)
{
    GArray *counts = g_array_new(FALSE, FALSE, sizeof(DtFoldCounts));
    g_array_set_clear_func(counts, clear_counts);
    return counts;
}

DtLooseNlr *dt_loose_nlr_new_with_counts(const DtLoopTable *table, DtElements elements, guint64 symbols,
                                         const DtLoopTable *count_table, DtNlr *const *counts)
{
    g_autofree guint32 *numbers = g_new(guint32, dt_loop_table_count(table) + 1);
    DtLooseNlr *loose = loose_new(table, elements, symbols, numbers);
    loose->nlr->counts = counts_new();
    for (guint32 body = 0; body < dt_loop_table_count(table); body++)
        if (numbers[body] != UNNUMBERED)
            append_counts(loose->nlr->counts, numbers[body], count_table, dt_loop_table_counts(loose->bodies),
                          dt_nlr_elements(counts[body]));
    g_array_sort(loose->nlr->counts, by_body);
    return loose;
}

/* In the order of their new numbers, so that equal ones are equal in all. */
static GArray *intern_counts(const GArray *loose, DtLoopTable *from, DtLoopTable *to, const guint32 *numbers)
{
    GArray *counts = counts_new();
    for (guint i = 0; i < loose->len; i++) {
        const DtFoldCounts *each = &g_array_index(loose, DtFoldCounts, i);
        append_counts(counts, numbers[each->body], dt_loop_table_counts(from), dt_loop_table_counts(to),
                      (DtElements){each->elements, each->length});
    }
    g_array_sort(counts, by_body);
    return counts;
}

/* ---- call trees ----------------------------------------------------------------------- */

DtLooseNlr *dt_loose_nlr_new_tree(DtLoopTable *bodies, DtElements roots, guint64 symbols, DtCallTree *nodes)
{
    DtLooseNlr *loose = g_new0(DtLooseNlr, 1);
    loose->bodies = bodies;
    loose->nlr = g_new0(DtNlr, 1);
    loose->nlr->references = 1;
    loose->nlr->elements = g_memdup2(roots.elements, roots.length * sizeof *roots.elements);
    loose->nlr->length = roots.length;
    loose->nlr->symbols = symbols;
    loose->nodes = nodes;
    return loose;
}

static void intern_nodes(const DtCallTree *nodes, DtCallTree *tree, Renumbering *renumbering, guint32 *symbols)
{
    for (guint i = 0; i < dt_call_tree_count(nodes); i++) {
        const DtCallNode *node = dt_call_tree_node(nodes, i);
        g_autofree DtElement *children = g_new(DtElement, node->children.length);
        renumber(renumbering, node->children, children);
        symbols[i] =
            dt_call_tree_intern(tree, node->function, node->open, (DtElements){children, node->children.length});
    }
}

/* ---- the end -------------------------------------------------------------------------- */

DtNlr *dt_loose_nlr_intern(DtLooseNlr *loose, DtLoopTable *table, DtCallTree *tree)
{
    DtNlr *nlr = g_steal_pointer(&loose->nlr);
    guint32 count = dt_loop_table_count(loose->bodies);
    g_autofree guint32 *numbers = g_new(guint32, count + 1);
    g_autofree guint32 *symbols = loose->nodes ? g_new(guint32, dt_call_tree_count(loose->nodes) + 1) : NULL;
    for (guint32 i = 0; i < count; i++)
        numbers[i] = UNNUMBERED;
    Renumbering renumbering = {loose->bodies, table, numbers, symbols};
    if (loose->nodes)
        intern_nodes(loose->nodes, tree, &renumbering, symbols);
    renumber(&renumbering, dt_nlr_elements(nlr), nlr->elements);
    if (nlr->counts) {
        GArray *counts = intern_counts(nlr->counts, loose->bodies, table, numbers);
        g_array_unref(nlr->counts);
        nlr->counts = counts;
    }
    dt_loose_nlr_free(loose);
    return nlr;
}

DtNlr *dt_nlr_ref(DtNlr *nlr)
{
    nlr->references++;
    return nlr;
}

void dt_nlr_free(DtNlr *nlr)
{
    if (!nlr || --nlr->references > 0)
        return;
    g_clear_pointer(&nlr->counts, g_array_unref);
    g_free(nlr->elements);
    g_free(nlr);
}

DtElements dt_nlr_elements(const DtNlr *nlr)
{
    return (DtElements){nlr->elements, nlr->length};
}

guint64 dt_nlr_symbols(const DtNlr *nlr)
{
    return nlr->symbols;
}

gboolean dt_nlr_is_count_blind(const DtNlr *nlr)
{
    return nlr->counts != NULL;
}

guint dt_nlr_counts_length(const DtNlr *nlr)
{
    return nlr->counts ? nlr->counts->len : 0;
}

DtElements dt_nlr_counts(const DtNlr *nlr, guint index, guint32 *body)
{
    const DtFoldCounts *counts = &g_array_index(nlr->counts, DtFoldCounts, index);
    *body = counts->body;
    return (DtElements){counts->elements, counts->length};
}

static gboolean elements_equal(DtElements a, DtElements b)
{
    return a.length == b.length && dt_elements_equal(a.elements, b.elements, a.length);
}

gboolean dt_nlr_equal(const DtNlr *a, const DtNlr *b)
{
    guint count = dt_nlr_counts_length(a);
    if (!elements_equal(dt_nlr_elements(a), dt_nlr_elements(b)) || dt_nlr_counts_length(b) != count)
        return FALSE;
    for (guint i = 0; i < count; i++) {
        guint32 left, right;
        if (!elements_equal(dt_nlr_counts(a, i, &left), dt_nlr_counts(b, i, &right)) || left != right)
            return FALSE;
    }
    return TRUE;
}
