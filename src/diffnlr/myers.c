/*
 * Shortest edit script of two sequences: Myers 1986, the linear-space variant
 * that divides at the middle of an optimal path.
 */
#include "diffnlr/diffnlr.h"

#include <string.h>

/*
 * One side of the search: the elements that the other side has as well, by
 * dense name, and where they stood. Elements without a counterpart are in no
 * common subsequence, so leaving them out changes no distance, but saves the
 * time that is quadratic in the distance.
 */
typedef struct {
    guint32 *names;
    gsize *places;
    gssize length;
    gboolean *changed; /* per element of the whole sequence */
} Side;

typedef struct {
    Side a, b;
    /* Farthest x per diagonal x - y; both point to diagonal 0. */
    gssize *forward, *backward;
    gsize limit;      /* edits from either end after which a search is cut short */
    gboolean minimal; /* none was */
} Search;

typedef struct {
    gssize x, y;
} Point;

typedef struct {
    gssize a_start, a_end, b_start, b_end;
} Box;

/* The frontier of one direction: diagonals lowest..highest have been reached. */
typedef struct {
    gssize *x;
    gssize lowest, highest;
} Frontier;

static void widen(Frontier *frontier, gssize first, gssize last, gssize unreached)
{
    if (frontier->lowest > first)
        frontier->x[--frontier->lowest - 1] = unreached;
    else
        ++frontier->lowest;
    if (frontier->highest < last)
        frontier->x[++frontier->highest + 1] = unreached;
    else
        --frontier->highest;
}

static gssize step_forward(const Search *search, Box box, Frontier *frontier, gssize diagonal)
{
    gssize below = frontier->x[diagonal - 1];
    gssize above = frontier->x[diagonal + 1];
    gssize x = below < above ? above : below + 1;
    gssize y = x - diagonal;
    while (x < box.a_end && y < box.b_end && search->a.names[x] == search->b.names[y])
        ++x, ++y;
    return frontier->x[diagonal] = x;
}

static gssize step_backward(const Search *search, Box box, Frontier *frontier, gssize diagonal)
{
    gssize below = frontier->x[diagonal - 1];
    gssize above = frontier->x[diagonal + 1];
    gssize x = below < above ? below : above - 1;
    gssize y = x - diagonal;
    while (box.a_start < x && box.b_start < y && search->a.names[x - 1] == search->b.names[y - 1])
        --x, --y;
    return frontier->x[diagonal] = x;
}

/* The point farthest from the start that the forward search has reached. */
static Point farthest_forward(Box box, const Frontier *frontier)
{
    Point best = {box.a_start, box.b_start};
    for (gssize d = frontier->highest; d >= frontier->lowest; d -= 2) {
        gssize x = MIN(MIN(frontier->x[d], box.a_end), box.b_end + d);
        if (x + (x - d) > best.x + best.y)
            best = (Point){x, x - d};
    }
    return best;
}

static Point farthest_backward(Box box, const Frontier *frontier)
{
    Point best = {box.a_end, box.b_end};
    for (gssize d = frontier->highest; d >= frontier->lowest; d -= 2) {
        gssize x = MAX(MAX(frontier->x[d], box.a_start), box.b_start + d);
        if (x + (x - d) < best.x + best.y)
            best = (Point){x, x - d};
    }
    return best;
}

/* Where to divide if the middle is too far: the end of the longer of two paths that were found. */
static Point cut_short(Box box, const Frontier *forward, const Frontier *backward)
{
    Point ahead = farthest_forward(box, forward), back = farthest_backward(box, backward);
    gssize gone = ahead.x + ahead.y - box.a_start - box.b_start;
    gssize come = box.a_end + box.b_end - back.x - back.y;
    return gone > come ? ahead : back;
}

/* A point on an optimal path where half of its edits are made, or, past the limit, on a good one. */
static Point find_middle(Search *search, Box box)
{
    const gssize first = box.a_start - box.b_end, last = box.a_end - box.b_start;
    const gssize start = box.a_start - box.b_start, end = box.a_end - box.b_end;
    const gboolean odd = ((start - end) & 1) != 0;
    Frontier forward = {search->forward, start, start}, backward = {search->backward, end, end};
    forward.x[start] = box.a_start;
    backward.x[end] = box.a_end;
    for (gsize edits = 1;; edits++) {
        widen(&forward, first, last, -1);
        for (gssize d = forward.highest; d >= forward.lowest; d -= 2) {
            gssize x = step_forward(search, box, &forward, d);
            if (odd && backward.lowest <= d && d <= backward.highest && backward.x[d] <= x)
                return (Point){x, x - d};
        }
        widen(&backward, first, last, G_MAXSSIZE);
        for (gssize d = backward.highest; d >= backward.lowest; d -= 2) {
            gssize x = step_backward(search, box, &backward, d);
            if (!odd && forward.lowest <= d && d <= forward.highest && x <= forward.x[d])
                return (Point){x, x - d};
        }
        if (edits >= search->limit) {
            search->minimal = FALSE;
            return cut_short(box, &forward, &backward);
        }
    }
}

/*
 * Marks what a path through the box changes. Edits halve at each level, so depth
 * is log2 of the distance, plus the length over the limit where searches are cut
 * short.
 */
static void mark_changes(Search *search, Box box)
{
    const guint32 *a = search->a.names, *b = search->b.names;
    for (;;) {
        while (box.a_start < box.a_end && box.b_start < box.b_end && a[box.a_start] == b[box.b_start])
            ++box.a_start, ++box.b_start;
        while (box.a_start < box.a_end && box.b_start < box.b_end && a[box.a_end - 1] == b[box.b_end - 1])
            --box.a_end, --box.b_end;
        if (box.a_start == box.a_end || box.b_start == box.b_end)
            break;
        Point middle = find_middle(search, box);
        mark_changes(search, (Box){box.a_start, middle.x, box.b_start, middle.y});
        box.a_start = middle.x;
        box.b_start = middle.y;
    }
    for (gssize i = box.a_start; i < box.a_end; i++)
        search->a.changed[search->a.places[i]] = TRUE;
    for (gssize i = box.b_start; i < box.b_end; i++)
        search->b.changed[search->b.places[i]] = TRUE;
}

enum { IN_A = 1, IN_B = 2, IN_BOTH = 3 };

static void note_elements(GHashTable *names, GArray *where, const guint64 *elements, gsize start, gsize length,
                          guint8 side)
{
    for (gsize i = start; i < start + length; i++) {
        gpointer known = g_hash_table_lookup(names, &elements[i]);
        if (!known) {
            const guint8 nowhere = 0;
            g_array_append_val(where, nowhere);
            known = GUINT_TO_POINTER(where->len);
            g_hash_table_insert(names, (gpointer)&elements[i], known);
        }
        g_array_index(where, guint8, GPOINTER_TO_UINT(known) - 1) |= side;
    }
}

static void side_init(Side *side, GHashTable *names, const GArray *where, const guint64 *elements, gsize start,
                      gsize length, gboolean *changed)
{
    side->names = g_new(guint32, length + 1);
    side->places = g_new(gsize, length + 1);
    side->length = 0;
    side->changed = changed;
    for (gsize i = start; i < start + length; i++) {
        guint name = GPOINTER_TO_UINT(g_hash_table_lookup(names, &elements[i]));
        if (g_array_index(where, guint8, name - 1) == IN_BOTH) {
            side->names[side->length] = name;
            side->places[side->length++] = i;
        } else {
            changed[i] = TRUE;
        }
    }
}

static void side_clear(Side *side)
{
    g_free(side->names);
    g_free(side->places);
}

/*
 * Between a common prefix of `start` elements and the common suffix; the lengths
 * are those of the middle. TRUE if the script is the shortest.
 */
static gboolean search_middle(const guint64 *a, gsize a_length, const guint64 *b, gsize b_length, gsize start,
                              gsize limit, gboolean *a_changed, gboolean *b_changed)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_autoptr(GArray) where = g_array_new(FALSE, FALSE, 1);
    note_elements(names, where, a, start, a_length, IN_A);
    note_elements(names, where, b, start, b_length, IN_B);
    Search search = {.limit = limit, .minimal = TRUE};
    side_init(&search.a, names, where, a, start, a_length, a_changed);
    side_init(&search.b, names, where, b, start, b_length, b_changed);
    gsize diagonals = (gsize)(search.a.length + search.b.length) + 3;
    g_autofree gssize *reached = g_new(gssize, 2 * diagonals);
    search.forward = reached + search.b.length + 1;
    search.backward = search.forward + diagonals;
    mark_changes(&search, (Box){0, search.a.length, 0, search.b.length});
    side_clear(&search.a);
    side_clear(&search.b);
    return search.minimal;
}

static gsize count_while(const gboolean *changed, gsize start, gsize end, gboolean value)
{
    gsize i = start;
    while (i < end && changed[i] == value)
        ++i;
    return i - start;
}

static GArray *runs_of_changes(const gboolean *a_changed, gsize a_length, const gboolean *b_changed, gsize b_length)
{
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(DtDiffRun));
    gsize a = 0, b = 0;
    while (a < a_length || b < b_length) {
        DtDiffRun common = {DT_DIFF_COMMON, a, b, 0};
        while (a < a_length && b < b_length && !a_changed[a] && !b_changed[b])
            ++a, ++b, ++common.length;
        if (common.length > 0)
            g_array_append_val(runs, common);
        DtDiffRun removed = {DT_DIFF_REMOVED, a, b, count_while(a_changed, a, a_length, TRUE)};
        a += removed.length;
        if (removed.length > 0)
            g_array_append_val(runs, removed);
        DtDiffRun added = {DT_DIFF_ADDED, a, b, count_while(b_changed, b, b_length, TRUE)};
        b += added.length;
        if (added.length > 0)
            g_array_append_val(runs, added);
    }
    return runs;
}

GArray *dt_myers_bounded(const guint64 *a, gsize a_length, const guint64 *b, gsize b_length, gsize limit,
                         gboolean *minimal)
{
    gsize shorter = MIN(a_length, b_length), prefix = 0, suffix = 0;
    while (prefix < shorter && a[prefix] == b[prefix])
        ++prefix;
    while (suffix < shorter - prefix && a[a_length - 1 - suffix] == b[b_length - 1 - suffix])
        ++suffix;
    g_autofree gboolean *a_changed = g_new0(gboolean, a_length + 1);
    g_autofree gboolean *b_changed = g_new0(gboolean, b_length + 1);
    gsize a_middle = a_length - prefix - suffix, b_middle = b_length - prefix - suffix;
    *minimal = TRUE;
    if (a_middle > 0 || b_middle > 0)
        *minimal = search_middle(a, a_middle, b, b_middle, prefix, MAX(limit, 1), a_changed, b_changed);
    return runs_of_changes(a_changed, a_length, b_changed, b_length);
}

GArray *dt_myers(const guint64 *a, gsize a_length, const guint64 *b, gsize b_length)
{
    gboolean minimal;
    return dt_myers_bounded(a, a_length, b, b_length, G_MAXSIZE, &minimal);
}

gsize dt_edit_distance(const GArray *runs)
{
    gsize distance = 0;
    for (guint i = 0; i < runs->len; i++) {
        const DtDiffRun *run = &g_array_index(runs, DtDiffRun, i);
        if (run->kind != DT_DIFF_COMMON)
            distance += run->length;
    }
    return distance;
}
