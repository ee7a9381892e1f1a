/*
 * diffNLR: the edit script of two NLRs as blocks of whole elements, and how the
 * two traces end.
 */
#include "diffnlr/diffnlr.h"

#include <string.h>

/* Traces that are farther apart than this have no shortest difference that anybody would read. */
enum { EDIT_LIMIT = 2048 };

static DtElements slice(DtElements elements, gsize start, gsize length)
{
    return (DtElements){length > 0 ? elements.elements + start : NULL, length};
}

static void append_common(GArray *blocks, DtElements normal, DtElements faulty, const DtDiffRun *run)
{
    DtDiffBlock block = {TRUE, slice(normal, run->a, run->length), slice(faulty, run->b, run->length)};
    g_array_append_val(blocks, block);
}

/* Removed and added elements side by side make one change. */
static void append_change(GArray *blocks, DtElements normal, DtElements faulty, const DtDiffRun *run)
{
    DtDiffBlock *last = blocks->len > 0 ? &g_array_index(blocks, DtDiffBlock, blocks->len - 1) : NULL;
    if (!last || last->common) {
        DtDiffBlock change = {FALSE, {NULL, 0}, {NULL, 0}};
        g_array_append_val(blocks, change);
        last = &g_array_index(blocks, DtDiffBlock, blocks->len - 1);
    }
    if (run->kind == DT_DIFF_REMOVED)
        last->normal = slice(normal, run->a, run->length);
    else
        last->faulty = slice(faulty, run->b, run->length);
}

static GArray *blocks_of_runs(const GArray *runs, DtElements normal, DtElements faulty)
{
    GArray *blocks = g_array_new(FALSE, FALSE, sizeof(DtDiffBlock));
    for (guint i = 0; i < runs->len; i++) {
        const DtDiffRun *run = &g_array_index(runs, DtDiffRun, i);
        if (run->kind == DT_DIFF_COMMON)
            append_common(blocks, normal, faulty, run);
        else
            append_change(blocks, normal, faulty, run);
    }
    return blocks;
}

static guint32 innermost_open(const GArray *open)
{
    return open && open->len > 0 ? g_array_index(open, guint32, open->len - 1) : 0;
}

static gboolean same_open_calls(const GArray *a, const GArray *b)
{
    guint a_length = a ? a->len : 0, b_length = b ? b->len : 0;
    if (a_length != b_length)
        return FALSE;
    for (guint i = 0; i < a_length; i++) {
        if (g_array_index(a, guint32, i) != g_array_index(b, guint32, i))
            return FALSE;
    }
    return TRUE;
}

static void compare(DtDiffNlr *diff, DtElements a, DtElements b)
{
    g_autoptr(GArray) runs = dt_myers_bounded(a.elements, a.length, b.elements, b.length, EDIT_LIMIT, &diff->minimal);
    g_clear_pointer(&diff->blocks, g_array_unref);
    diff->blocks = blocks_of_runs(runs, a, b);
    diff->distance = dt_edit_distance(runs);
}

/* The only change, if it is one call on either side, of the same function. */
static gboolean only_call(const DtDiffNlr *diff, const DtCallTree *tree, const DtCallNode **normal,
                          const DtCallNode **faulty)
{
    const DtDiffBlock *change = NULL;
    for (guint i = 0; i < diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(diff->blocks, DtDiffBlock, i);
        if (!block->common && change)
            return FALSE;
        change = block->common ? change : block;
    }
    if (!change || change->normal.length != 1 || change->faulty.length != 1 ||
        dt_element_is_loop(change->normal.elements[0]) || dt_element_is_loop(change->faulty.elements[0]))
        return FALSE;
    *normal = dt_call_tree_find(tree, dt_element_symbol(change->normal.elements[0]));
    *faulty = dt_call_tree_find(tree, dt_element_symbol(change->faulty.elements[0]));
    return *normal && *faulty && (*normal)->function == (*faulty)->function;
}

DtDiffNlr *dt_diffnlr_new_in(const DtFoldedTrace *normal, const DtFoldedTrace *faulty, const DtCallTree *tree)
{
    DtDiffNlr *diff = g_new0(DtDiffNlr, 1);
    const DtCallNode *left, *right;
    diff->path = g_array_new(FALSE, FALSE, sizeof(guint32));
    compare(diff, dt_nlr_elements(normal->nlr), dt_nlr_elements(faulty->nlr));
    while (tree && only_call(diff, tree, &left, &right)) {
        g_array_append_val(diff->path, left->function);
        compare(diff, left->children, right->children);
    }
    diff->normal = normal->nlr;
    diff->faulty = faulty->nlr;
    guint32 body;
    diff->same = diff->distance == 0 && diff->path->len == 0 && same_open_calls(normal->open, faulty->open) &&
                 !dt_diffnlr_recounted(diff, &body);
    diff->normal_open = innermost_open(normal->open);
    diff->faulty_open = innermost_open(faulty->open);
    return diff;
}

DtDiffNlr *dt_diffnlr_new(const DtFoldedTrace *normal, const DtFoldedTrace *faulty)
{
    return dt_diffnlr_new_in(normal, faulty, NULL);
}

/* Those of a body, by ascending bodies from `*index` on; of length 0 if it has none. */
static DtElements counts_of(const DtNlr *nlr, guint32 body, guint *index)
{
    for (; *index < dt_nlr_counts_length(nlr); ++*index) {
        guint32 at;
        DtElements counts = dt_nlr_counts(nlr, *index, &at);
        if (at >= body)
            return at == body ? counts : (DtElements){NULL, 0};
    }
    return (DtElements){NULL, 0};
}

gboolean dt_diffnlr_recounted(const DtDiffNlr *diff, guint32 *body)
{
    guint other = 0;
    for (guint i = 0; i < dt_nlr_counts_length(diff->normal); i++) {
        DtElements normal = dt_nlr_counts(diff->normal, i, body), faulty = counts_of(diff->faulty, *body, &other);
        gboolean some = normal.elements && faulty.elements;
        if (normal.length != faulty.length ||
            (some && memcmp(normal.elements, faulty.elements, normal.length * sizeof *normal.elements) != 0))
            return TRUE;
    }
    return FALSE;
}

void dt_diffnlr_free(DtDiffNlr *diff)
{
    if (!diff)
        return;
    g_array_unref(diff->blocks);
    g_array_unref(diff->path);
    g_free(diff);
}
