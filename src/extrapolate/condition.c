#include "extrapolate/condition.h"

enum { MOST_TERMS = 4, MOST_PROVED = 3, MOST_OFFSET = 3, MOST_STAGES = 60 };

typedef enum {
    IS,       /* the k-th place */
    IS_LAST,  /* the k-th place from the end */
    PARITY,   /* of the place */
    AT_LEAST, /* so many places before it */
    AT_MOST,  /* so many places behind it */
    SAME,     /* places along two axes are the same */
    BEFORE,
    BEHIND,
    EVEN_SUM, /* of all places */
    ODD_SUM,
    LOW_HALF,
    HIGH_HALF,
    CHILD,    /* 2 rank + k is a rank */
    NO_CHILD, /* and is none */
    LOW_BITS, /* the lowest k bits of the rank are 0 */
    /* Of ranks at a stage: its bit m is the s-th, or that from the end; twice it, with TWICE. */
    STAGE_BIT, /* the rank has it */
    STAGE_NO_BIT,
    STAGE_CLEAR, /* all lower bits are 0 */
    STAGE_FULL,  /* all lower bits are 1 */
    STAGE_BELOW, /* rank < m */
    STAGE_FROM,
    STAGE_ROOM, /* rank + m is a rank */
    STAGE_NO_ROOM,
    STAGE_PARTNER, /* the rank that differs in the bit is one */
    STAGE_NO_PARTNER,
    STAGE_FIRST,
    STAGE_LATER,
    STAGE_LAST,
    STAGE_EARLIER,
    SIZE_ABOVE, /* the axis is longer */
    SIZE_UP_TO
} TestKind;

enum { FROM_END = 1, TWICE = 2 }; /* of a stage's bit */

/* Along an axis, or, with axis `axes`, of ranks. */
typedef struct {
    TestKind kind;
    guint axis, other;
    gint64 k;
    gboolean splits;
} Test;

struct DtTests {
    const GArray *spots;
    GArray *list;   /* Test, the simple ones first */
    guint8 *passes; /* test by test, spot by spot */
};

typedef struct {
    GArray *tests; /* Test */
} Term;

struct DtCondition {
    guint axes;
    gboolean is_not;
    GPtrArray *terms; /* Term; none: everywhere */
    guint spare;
};

/* ---- tests ----------------------------------------------------------------------------------- */

static gint64 sum_of_places(const DtSpot *spot)
{
    gint64 sum = 0;
    for (guint axis = 0; axis < spot->axes; axis++)
        sum += spot->at[axis];
    return sum;
}

static gint64 bit_of_stage(const DtSpot *spot, gint64 k)
{
    const gint64 stage = k & FROM_END ? spot->visits - 1 - spot->visit : spot->visit;
    return (gint64)1 << (MIN(MAX(stage, 0), MOST_STAGES) + (k & TWICE ? 1 : 0));
}

static gboolean passes_at_stage(const Test *test, const DtSpot *spot)
{
    const gint64 bit = bit_of_stage(spot, test->k), rank = spot->rank;
    switch (test->kind) {
    case STAGE_BIT:
        return (rank & bit) != 0;
    case STAGE_NO_BIT:
        return (rank & bit) == 0;
    case STAGE_CLEAR:
        return rank % bit == 0;
    case STAGE_FULL:
        return rank % bit == bit - 1;
    case STAGE_BELOW:
        return rank < bit;
    case STAGE_FROM:
        return rank >= bit;
    case STAGE_ROOM:
        return rank + bit < spot->ranks;
    case STAGE_NO_ROOM:
        return rank + bit >= spot->ranks;
    case STAGE_PARTNER:
        return (rank ^ bit) < spot->ranks;
    case STAGE_NO_PARTNER:
        return (rank ^ bit) >= spot->ranks;
    case STAGE_FIRST:
        return spot->visit == 0;
    case STAGE_LATER:
        return spot->visit > 0;
    case STAGE_LAST:
        return spot->visit == spot->visits - 1;
    default:
        return spot->visit < spot->visits - 1;
    }
}

static gboolean is_of_stage(const Test *test)
{
    return test->kind >= STAGE_BIT && test->kind <= STAGE_EARLIER;
}

static gboolean passes(const Test *test, const DtSpot *spot)
{
    if (is_of_stage(test))
        return passes_at_stage(test, spot);
    const gboolean of_ranks = test->axis >= spot->axes;
    const gint64 at = of_ranks ? spot->rank : spot->at[test->axis], k = test->k,
                 size = of_ranks ? spot->ranks : spot->size[test->axis];
    switch (test->kind) {
    case IS:
        return at == k;
    case IS_LAST:
        return at == size - 1 - k;
    case PARITY:
        return at % 2 == k;
    case AT_LEAST:
        return at >= k;
    case AT_MOST:
        return at <= size - 1 - k;
    case SAME:
        return at == spot->at[test->other];
    case BEFORE:
        return at < spot->at[test->other];
    case BEHIND:
        return at > spot->at[test->other];
    case EVEN_SUM:
        return sum_of_places(spot) % 2 == 0;
    case ODD_SUM:
        return sum_of_places(spot) % 2 == 1;
    case LOW_HALF:
        return 2 * at < size;
    case HIGH_HALF:
        return 2 * at >= size;
    case CHILD:
        return 2 * at + k < size;
    case NO_CHILD:
        return 2 * at + k >= size;
    case LOW_BITS:
        return at % ((gint64)1 << k) == 0;
    case SIZE_ABOVE:
        return size > k;
    default:
        return size <= k;
    }
}

static void add(DtTests *tests, TestKind kind, guint axis, guint other, gint64 k, gboolean splits)
{
    const Test test = {kind, axis, other, k, splits};
    g_array_append_val(tests->list, test);
}

static void add_along(DtTests *tests, guint axis, gboolean is_axis)
{
    for (gint64 k = 0; k < MOST_OFFSET; k++) {
        add(tests, IS, axis, 0, k, is_axis && k == 0);
        add(tests, IS_LAST, axis, 0, k, is_axis && k == 0);
    }
    add(tests, PARITY, axis, 0, 0, TRUE);
    add(tests, PARITY, axis, 0, 1, FALSE);
    for (gint64 k = 1; k <= MOST_OFFSET; k++) {
        add(tests, AT_LEAST, axis, 0, k, FALSE);
        add(tests, AT_MOST, axis, 0, k, FALSE);
    }
    add(tests, LOW_HALF, axis, 0, 0, is_axis);
    add(tests, HIGH_HALF, axis, 0, 0, FALSE);
}

static void add_rare(DtTests *tests, guint axes)
{
    for (guint a = 0; a < axes; a++)
        for (guint b = a + 1; b < axes; b++) {
            add(tests, SAME, a, b, 0, TRUE);
            add(tests, BEFORE, a, b, 0, TRUE);
            add(tests, BEHIND, a, b, 0, FALSE);
        }
    if (axes > 1) {
        add(tests, EVEN_SUM, 0, 0, 0, TRUE);
        add(tests, ODD_SUM, 0, 0, 0, FALSE);
    }
    for (gint64 k = 1; k <= 2; k++) {
        add(tests, CHILD, axes, 0, k, TRUE);
        add(tests, NO_CHILD, axes, 0, k, FALSE);
    }
    for (gint64 k = 2; k <= 4; k++)
        add(tests, LOW_BITS, axes, 0, k, FALSE);
    for (guint axis = 0; axis <= (axes > 1 ? axes : 0); axis++)
        for (gint64 k = 1; k <= 8; k *= 2) {
            add(tests, SIZE_ABOVE, axis, 0, k, FALSE);
            add(tests, SIZE_UP_TO, axis, 0, k, FALSE);
        }
}

/* What the loops of such programs say comes first. */
static void add_stages(DtTests *tests, guint axes)
{
    static const TestKind of_bit[] = {STAGE_BIT,  STAGE_NO_BIT,  STAGE_CLEAR,   STAGE_BELOW,      STAGE_FROM,
                                      STAGE_ROOM, STAGE_NO_ROOM, STAGE_PARTNER, STAGE_NO_PARTNER, STAGE_FULL};
    static const TestKind ends[] = {STAGE_FIRST, STAGE_LATER, STAGE_LAST, STAGE_EARLIER};
    for (guint i = 0; i < G_N_ELEMENTS(of_bit); i++)
        for (gint64 end = 0; end <= FROM_END; end++) {
            add(tests, of_bit[i], axes, 0, end, of_bit[i] == STAGE_BIT);
            if (of_bit[i] == STAGE_BELOW || of_bit[i] == STAGE_FROM)
                add(tests, of_bit[i], axes, 0, end | TWICE, FALSE);
        }
    for (guint i = 0; i < G_N_ELEMENTS(ends); i++)
        add(tests, ends[i], axes, 0, 0, ends[i] == STAGE_FIRST || ends[i] == STAGE_LAST);
}

static DtTests *tests_new(const GArray *spots, gboolean of_stages)
{
    DtTests *tests = g_new0(DtTests, 1);
    const guint axes = spots->len > 0 ? g_array_index(spots, DtSpot, 0).axes : 1;
    tests->spots = spots;
    tests->list = g_array_new(FALSE, FALSE, sizeof(Test));
    if (of_stages)
        add_stages(tests, axes);
    for (guint axis = 0; axis < axes; axis++)
        add_along(tests, axis, TRUE);
    if (axes > 1)
        add_along(tests, axes, FALSE);
    add_rare(tests, axes);
    tests->passes = g_malloc0((gsize)tests->list->len * spots->len + 1);
    for (guint t = 0; t < tests->list->len; t++)
        for (guint s = 0; s < spots->len; s++)
            tests->passes[(gsize)t * spots->len + s] =
                (guint8)passes(&g_array_index(tests->list, Test, t), &g_array_index(spots, DtSpot, s));
    return tests;
}

DtTests *dt_tests_new(const GArray *spots)
{
    return tests_new(spots, FALSE);
}

DtTests *dt_tests_new_of_stages(const GArray *spots)
{
    return tests_new(spots, TRUE);
}

void dt_tests_free(DtTests *tests)
{
    if (!tests)
        return;
    g_array_unref(tests->list);
    g_free(tests->passes);
    g_free(tests);
}

gboolean dt_test_passes(const DtTests *tests, guint test, guint spot)
{
    return tests->passes[(gsize)test * tests->spots->len + spot];
}

GArray *dt_tests_of_splits(const DtTests *tests)
{
    GArray *splits = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint t = 0; t < tests->list->len; t++)
        if (g_array_index(tests->list, Test, t).splits)
            g_array_append_val(splits, t);
    return splits;
}

/* ---- finding --------------------------------------------------------------------------------- */

typedef struct {
    const DtTests *tests;
    const GArray *among;
    const gboolean *inside;
    gboolean negated; /* members are those outside */
    gboolean by_size;
} Finding;

static gboolean is_member(const Finding *finding, guint i)
{
    return !finding->inside[i] != !finding->negated;
}

static gboolean test_holds(const Finding *finding, guint test, guint i)
{
    return dt_test_passes(finding->tests, test, g_array_index(finding->among, guint, i));
}

/* TRUE: one that is no member passes all tests that are kept. */
static gboolean lets_others_in(const Finding *finding, const gboolean *kept)
{
    const guint count = finding->tests->list->len;
    for (guint i = 0; i < finding->among->len; i++) {
        guint t = 0;
        if (is_member(finding, i))
            continue;
        while (t < count && (!kept[t] || test_holds(finding, t, i)))
            t++;
        if (t == count)
            return TRUE;
    }
    return FALSE;
}

static Term *term_of(const Finding *finding, gboolean *kept)
{
    const guint count = finding->tests->list->len;
    if (lets_others_in(finding, kept))
        return NULL;
    for (guint t = count; t-- > 0;) {
        if (!kept[t])
            continue;
        kept[t] = FALSE;
        kept[t] = lets_others_in(finding, kept);
    }
    Term *term = g_new0(Term, 1);
    term->tests = g_array_new(FALSE, FALSE, sizeof(Test));
    for (guint t = 0; t < count; t++)
        if (kept[t])
            g_array_append_val(term->tests, g_array_index(finding->tests->list, Test, t));
    return term;
}

/* What all members that are `still` to be found pass, or what the one of them does. */
static Term *find_term(const Finding *finding, guint only)
{
    const guint count = finding->tests->list->len;
    g_autofree gboolean *kept = g_new0(gboolean, count + 1);
    for (guint t = 0; t < count; t++) {
        kept[t] = finding->by_size || g_array_index(finding->tests->list, Test, t).kind < SIZE_ABOVE;
        for (guint i = 0; kept[t] && i < finding->among->len; i++)
            if (is_member(finding, i) && (only == G_MAXUINT || only == i))
                kept[t] = test_holds(finding, t, i);
    }
    return term_of(finding, kept);
}

static void free_term(gpointer data)
{
    g_array_unref(((Term *)data)->tests);
    g_free(data);
}

static gboolean term_holds(const Term *term, const DtSpot *spot)
{
    for (guint i = 0; i < term->tests->len; i++)
        if (!passes(&g_array_index(term->tests, Test, i), spot))
            return FALSE;
    return TRUE;
}

/* What each of the members passes, one after the other; FALSE: that is too much. */
static gboolean find_terms(const Finding *finding, GPtrArray *terms)
{
    for (guint i = 0; i < finding->among->len; i++) {
        const DtSpot *spot = &g_array_index(finding->tests->spots, DtSpot, g_array_index(finding->among, guint, i));
        gboolean is_found = !is_member(finding, i);
        for (guint t = 0; !is_found && t < terms->len; t++)
            is_found = term_holds(terms->pdata[t], spot);
        if (is_found)
            continue;
        Term *term = terms->len < MOST_TERMS ? find_term(finding, i) : NULL;
        if (!term)
            return FALSE;
        g_ptr_array_add(terms, term);
    }
    return TRUE;
}

/* The sizes that tests speak of: axes as bits, that of ranks behind them. */
static guint sizes_of_terms(const GPtrArray *terms, guint axes)
{
    guint mask = 0;
    for (guint i = 0; i < terms->len; i++) {
        const Term *term = terms->pdata[i];
        for (guint t = 0; t < term->tests->len; t++) {
            const Test *test = &g_array_index(term->tests, Test, t);
            mask |= 1u << MIN(test->axis, axes);
            if (test->kind == SAME || test->kind == BEFORE || test->kind == BEHIND)
                mask |= 1u << test->other;
            if (test->kind == EVEN_SUM || test->kind == ODD_SUM)
                mask |= (1u << axes) - 1;
        }
    }
    return mask ? mask : 1u << axes;
}

static guint count_tests(const GPtrArray *terms)
{
    guint count = 0;
    for (guint i = 0; i < terms->len; i++)
        count += 1 + ((const Term *)terms->pdata[i])->tests->len;
    return count;
}

static gboolean has_test_of_size(const GPtrArray *terms)
{
    for (guint i = 0; i < terms->len; i++) {
        const Term *term = terms->pdata[i];
        for (guint t = 0; t < term->tests->len; t++)
            if (g_array_index(term->tests, Test, t).kind >= SIZE_ABOVE)
                return TRUE;
    }
    return FALSE;
}

/* One term, or none. */
static GPtrArray *single_term(const Finding *finding)
{
    g_autoptr(GPtrArray) terms = g_ptr_array_new_with_free_func(free_term);
    Term *term = find_term(finding, G_MAXUINT);
    if (!term)
        return NULL;
    g_ptr_array_add(terms, term);
    return g_steal_pointer(&terms);
}

static DtCondition *condition_of(const Finding *finding, GPtrArray *terms)
{
    DtCondition *condition = g_new0(DtCondition, 1);
    const guint axes = g_array_index(finding->tests->spots, DtSpot, 0).axes;
    condition->axes = axes;
    condition->is_not = finding->negated;
    condition->terms = terms;
    dt_condition_set_spare(condition, 1);
    return condition;
}

static DtCondition *everywhere(const Finding *finding)
{
    return condition_of(finding, g_ptr_array_new_with_free_func(free_term));
}

DtCondition *dt_condition_find(const DtTests *tests, const GArray *among, const gboolean *inside, gboolean by_size)
{
    Finding finding = {tests, among, inside, FALSE, by_size}, outside = {tests, among, inside, TRUE, by_size};
    guint members = 0;
    for (guint i = 0; i < among->len; i++)
        members += inside[i] ? 1 : 0;
    if (among->len == 0)
        return NULL;
    if (members == among->len)
        return everywhere(&finding);
    g_autoptr(GPtrArray) own = single_term(&finding), others = single_term(&outside);
    if (own && (!others || count_tests(own) <= count_tests(others)))
        return condition_of(&finding, g_steal_pointer(&own));
    if (others)
        return condition_of(&outside, g_steal_pointer(&others));
    g_autoptr(GPtrArray) terms = g_ptr_array_new_with_free_func(free_term);
    return find_terms(&finding, terms) ? condition_of(&finding, g_steal_pointer(&terms)) : NULL;
}

void dt_condition_free(DtCondition *condition)
{
    if (!condition)
        return;
    g_ptr_array_unref(condition->terms);
    g_free(condition);
}

gboolean dt_condition_is_empty(const DtCondition *condition)
{
    return condition->terms->len == 0;
}

gboolean dt_condition_holds(const DtCondition *condition, const DtSpot *spot)
{
    gboolean holds = condition->terms->len == 0;
    for (guint i = 0; !holds && i < condition->terms->len; i++)
        holds = term_holds(condition->terms->pdata[i], spot);
    return condition->terms->len == 0 || holds != condition->is_not;
}

guint dt_condition_sizes(const DtCondition *condition)
{
    return sizes_of_terms(condition->terms, condition->axes);
}

void dt_condition_set_spare(DtCondition *condition, guint spare)
{
    const gboolean is_weak = condition->terms->len > MOST_PROVED || has_test_of_size(condition->terms);
    condition->spare = is_weak ? 0 : spare;
}

guint dt_condition_spare(const DtCondition *condition)
{
    return condition->spare;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void append_place(GString *text, const char *upper, gint64 from_end)
{
    g_string_append_printf(text, "%s-%" G_GINT64_FORMAT, upper, from_end);
}

static void append_stage(const Test *test, GString *text)
{
    static const char *const bits[] = {"2^s", "2^(n-1-s)", "2^(s+1)", "2^(n-s)"};
    static const char *const forms[] = {"rank has %s", "rank lacks %s", "rank in steps of %s", "rank+1 in steps of %s",
                                        "rank<%s",     "rank>=%s",      "rank+%s<P",           "rank+%s>=P",
                                        "rank^%s<P",   "rank^%s>=P"};
    static const char *const ends[] = {"s=0", "s>0", "s=n-1", "s<n-1"};
    if (test->kind >= STAGE_FIRST) {
        g_string_append(text, ends[test->kind - STAGE_FIRST]);
        return;
    }
    g_auto(GStrv) parts = g_strsplit(forms[test->kind - STAGE_BIT], "%s", 2);
    g_string_append_printf(text, "%s%s%s", parts[0], bits[test->k], parts[1]);
}

/* Of an axis its letters; of ranks "rank" and "P". */
static void append_test(const Test *test, guint axes, GString *text)
{
    if (is_of_stage(test)) {
        append_stage(test, text);
        return;
    }
    const gboolean of_ranks = test->axis >= axes;
    const char own[] = {of_ranks ? 0 : dt_axis_name(test->axis), 0}, big[] = {(char)g_ascii_toupper(own[0]), 0};
    const char *at = of_ranks ? "rank" : own, *size = of_ranks ? "P" : big;
    switch (test->kind) {
    case IS:
        g_string_append_printf(text, "%s=%" G_GINT64_FORMAT, at, test->k);
        break;
    case IS_LAST:
        g_string_append_printf(text, "%s=", at);
        append_place(text, size, test->k + 1);
        break;
    case PARITY:
        g_string_append_printf(text, "%s %s", at, test->k ? "odd" : "even");
        break;
    case AT_LEAST:
        g_string_append_printf(text, "%s>=%" G_GINT64_FORMAT, at, test->k);
        break;
    case AT_MOST:
        g_string_append_printf(text, "%s<=", at);
        append_place(text, size, test->k + 1);
        break;
    case SAME:
    case BEFORE:
    case BEHIND:
        g_string_append_printf(text, "%s%c%c", at,
                               test->kind == SAME     ? '='
                               : test->kind == BEFORE ? '<'
                                                      : '>',
                               dt_axis_name(test->other));
        break;
    case EVEN_SUM:
    case ODD_SUM:
        for (guint axis = 0; axis < axes; axis++)
            g_string_append_printf(text, "%s%c", axis > 0 ? "+" : "", dt_axis_name(axis));
        g_string_append(text, test->kind == EVEN_SUM ? " even" : " odd");
        break;
    case LOW_HALF:
    case HIGH_HALF:
        g_string_append_printf(text, "%s%s%s/2", at, test->kind == LOW_HALF ? "<" : ">=", size);
        break;
    case CHILD:
    case NO_CHILD:
        g_string_append_printf(text, "2%s+%" G_GINT64_FORMAT "%s%s", at, test->k,
                               test->kind == CHILD ? "<" : ">=", size);
        break;
    case LOW_BITS:
        g_string_append_printf(text, "%s in steps of %d", at, 1 << test->k);
        break;
    default:
        g_string_append_printf(text, "%s%s%" G_GINT64_FORMAT, size, test->kind == SIZE_ABOVE ? ">" : "<=", test->k);
        break;
    }
}

void dt_condition_append(const DtCondition *condition, GString *text)
{
    if (condition->is_not)
        g_string_append(text, "not ");
    for (guint i = 0; i < condition->terms->len; i++) {
        const Term *term = condition->terms->pdata[i];
        g_string_append(text, i > 0 ? " or " : "");
        for (guint t = 0; t < term->tests->len; t++) {
            g_string_append(text, t > 0 ? " " : "");
            append_test(&g_array_index(term->tests, Test, t), condition->axes, text);
        }
    }
}
