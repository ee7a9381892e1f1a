#include "simulate/collective_steps.h"

#include <string.h>

/* In the order of DtCollectiveKind; the first algorithm is taken if nothing is said. */
static const struct {
    const char *name;
    const char *algorithms[3];
} kinds[DT_COLLECTIVES] = {
    {"barrier", {"dissemination"}},
    {"bcast", {"binomial", "linear"}},
    {"reduce", {"binomial", "linear"}},
    {"gather", {"binomial", "linear"}},
    {"scatter", {"binomial", "linear"}},
    {"allreduce", {"doubling", "ring"}},
    {"allgather", {"bruck", "ring"}},
    {"alltoall", {"bruck", "pairwise"}},
    {"reduce_scatter", {"halving", "pairwise"}},
    {"scan", {"doubling", "linear"}},
};

DtCollectiveKind dt_collective_kind(const char *function)
{
    static const struct {
        const char *name;
        DtCollectiveKind kind;
    } names[] = {{"reduce_scatter", DT_COLLECTIVE_REDUCE_SCATTER},
                 {"allreduce", DT_COLLECTIVE_ALLREDUCE},
                 {"allgather", DT_COLLECTIVE_ALLGATHER},
                 {"alltoall", DT_COLLECTIVE_ALLTOALL},
                 {"bcast", DT_COLLECTIVE_BCAST},
                 {"reduce", DT_COLLECTIVE_REDUCE},
                 {"gather", DT_COLLECTIVE_GATHER},
                 {"scatter", DT_COLLECTIVE_SCATTER},
                 {"scan", DT_COLLECTIVE_SCAN},
                 {"exscan", DT_COLLECTIVE_SCAN}};
    if (!g_str_has_prefix(function, "MPI_"))
        return DT_COLLECTIVE_BARRIER;
    const char *name = function + (g_str_has_prefix(function, "MPI_I") ? 5 : 4);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_ascii_strncasecmp(name, names[i].name, strlen(names[i].name)) == 0)
            return names[i].kind;
    return DT_COLLECTIVE_BARRIER;
}

/* ---- choices --------------------------------------------------------------------------------- */

static char *all_choices(void)
{
    GString *text = g_string_new(NULL);
    for (guint kind = 0; kind < DT_COLLECTIVES; kind++)
        for (guint i = 0; i < G_N_ELEMENTS(kinds[kind].algorithms) && kinds[kind].algorithms[i]; i++)
            g_string_append_printf(text, "%s%s=%s", text->len > 0 ? ", " : "", kinds[kind].name,
                                   kinds[kind].algorithms[i]);
    return g_string_free(text, FALSE);
}

static gboolean choose(const char *kind, const char *algorithm, DtCollectiveChoice *choice)
{
    for (guint i = 0; i < DT_COLLECTIVES; i++)
        for (guint k = 0; g_str_equal(kind, kinds[i].name) && k < G_N_ELEMENTS(kinds[i].algorithms); k++)
            if (g_strcmp0(algorithm, kinds[i].algorithms[k]) == 0) {
                choice->of[i] = k;
                return TRUE;
            }
    return FALSE;
}

gboolean dt_collective_choice_parse(const char *text, DtCollectiveChoice *choice, char **why)
{
    *choice = (DtCollectiveChoice){{0}};
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    for (guint i = 0; words[i]; i++) {
        g_auto(GStrv) sides = g_strsplit(words[i], "=", 2);
        if (sides[0] && sides[1] && choose(sides[0], sides[1], choice))
            continue;
        g_autofree char *all = all_choices();
        *why = g_strdup_printf("\"%s\" is none of %s", words[i], all);
        return FALSE;
    }
    return TRUE;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static guint modulo(gint64 number, guint members)
{
    gint64 rest = number % members;
    return (guint)(rest < 0 ? rest + members : rest);
}

/* How many steps of doubling reach all: the least k with 2^k >= members. */
static guint doublings(guint members)
{
    guint steps = 0;
    while ((G_GUINT64_CONSTANT(1) << steps) < members)
        steps++;
    return steps;
}

/* Each gives to the one `distance` behind it, and gets from the one before it. */
static void shift(const DtCollectivePart *part, guint number, guint distance, gint64 bytes, DtCollectiveStep *step)
{
    *step = (DtCollectiveStep){.to = (gint)modulo((gint64)part->index + distance, part->members),
                               .from = (gint)modulo((gint64)part->index - distance, part->members),
                               .to_tag = number,
                               .from_tag = number,
                               .bytes = bytes};
}

/* How many of the numbers below `members` have the bit. */
static gint64 with_bit(guint members, guint bit)
{
    gint64 whole = (gint64)members >> (bit + 1) << bit, rest = (gint64)members & ((G_GINT64_CONSTANT(2) << bit) - 1);
    return whole + MAX(rest - (G_GINT64_CONSTANT(1) << bit), 0);
}

/* All steps are shifts by powers of two (Bruck and others 1997; Hensgen, Finkel, Manber 1988). */
static gboolean shift_doubling(const DtCollectivePart *part, guint number, DtCollectiveStep *step)
{
    if (number >= doublings(part->members))
        return FALSE;
    const guint distance = 1u << number;
    gint64 blocks = 0; /* of what a member gives */
    if (part->kind == DT_COLLECTIVE_ALLGATHER)
        blocks = MIN(distance, part->members - distance);
    else if (part->kind == DT_COLLECTIVE_ALLTOALL)
        blocks = with_bit(part->members, number);
    gint64 bytes = part->kind == DT_COLLECTIVE_REDUCE_SCATTER ? part->bytes >> (number + 1) : blocks * part->bytes;
    shift(part, number, distance, bytes, step);
    return TRUE;
}

static gboolean shift_around(const DtCollectivePart *part, guint number, DtCollectiveStep *step)
{
    const guint rounds = part->kind == DT_COLLECTIVE_ALLREDUCE ? 2 * (part->members - 1) : part->members - 1;
    gboolean direct = part->kind == DT_COLLECTIVE_ALLTOALL || part->kind == DT_COLLECTIVE_REDUCE_SCATTER;
    gboolean divided = part->kind == DT_COLLECTIVE_ALLREDUCE || part->kind == DT_COLLECTIVE_REDUCE_SCATTER;
    if (number >= rounds)
        return FALSE;
    shift(part, number, direct ? number + 1 : 1, divided ? part->bytes / part->members : part->bytes, step);
    return TRUE;
}

/* Recursive doubling; where members are no power of two, some give what they have to a neighbour, and get the result.
 */
static gboolean double_recursively(const DtCollectivePart *part, guint number, DtCollectiveStep *step)
{
    guint power = 1u << doublings(part->members);
    power = power > part->members ? power >> 1 : power;
    const guint rest = part->members - power, exchanges = doublings(power), last = exchanges + 1;
    const gboolean is_odd = part->index % 2 == 1, folded = part->index < 2 * rest;
    const gint neighbour = (gint)(part->index ^ 1);
    *step = (DtCollectiveStep){.to = -1, .from = -1, .to_tag = number, .from_tag = number, .bytes = part->bytes};
    if (number > last)
        return FALSE;
    if (folded && number == 0)
        *(is_odd ? &step->from : &step->to) = neighbour;
    else if (folded && number == last)
        *(is_odd ? &step->to : &step->from) = neighbour;
    if ((folded && !is_odd) || number == 0 || number == last)
        return TRUE;
    const guint own = folded ? part->index / 2 : part->index - rest;
    const guint other = own ^ 1u << (number - 1);
    step->to = step->from = (gint)(other < rest ? 2 * other + 1 : other + rest);
    return TRUE;
}

static gboolean scan(const DtCollectivePart *part, guint number, DtCollectiveStep *step)
{
    const gboolean linear = part->algorithm == 1;
    /* Along a line a member gets before it gives. */
    const guint steps = linear ? 2 : doublings(part->members);
    const guint distance = linear ? 1 : 1u << number;
    if (number >= steps)
        return FALSE;
    shift(part, linear ? 0 : number, distance, part->bytes, step);
    step->to = part->index + distance < part->members && (!linear || number == 1) ? step->to : -1;
    step->from = part->index >= distance && (!linear || number == 0) ? step->from : -1;
    return TRUE;
}

/* ---- trees ----------------------------------------------------------------------------------- */

static guint lowest_bit(guint number, guint members)
{
    return number == 0 ? 1u << doublings(members) : number & (~number + 1);
}

/* From root to leaves: first what its parent has, then to its children, the farthest first; or the other way round.
 * Tags are the children. */
static gboolean tree(const DtCollectivePart *part, guint number, gboolean down, gboolean grows, DtCollectiveStep *step)
{
    const guint own = modulo((gint64)part->index - part->root, part->members);
    const guint bit = lowest_bit(own, part->members), children = doublings(bit);
    const guint parents_step = down ? 0 : children;
    guint child = own;
    gboolean is_parent = number == parents_step;
    if (number > children)
        return FALSE;
    if (!is_parent)
        child = own + (down ? bit >> number : 1u << number);
    const guint other = is_parent ? own - bit : child;
    gint64 blocks = grows && child < part->members ? MIN(lowest_bit(child, part->members), part->members - child) : 1;
    *step = (DtCollectiveStep){.to = -1, .from = -1, .to_tag = child, .from_tag = child, .bytes = blocks * part->bytes};
    if (is_parent ? own == 0 : child >= part->members)
        return TRUE;
    *(is_parent == down ? &step->from : &step->to) = (gint)modulo((gint64)other + part->root, part->members);
    return TRUE;
}

static gboolean star(const DtCollectivePart *part, guint number, gboolean down, DtCollectiveStep *step)
{
    const gboolean is_root = part->index == part->root;
    if (number >= (is_root ? part->members - 1 : 1))
        return FALSE;
    const guint other = is_root ? modulo((gint64)part->root + 1 + number, part->members) : part->root;
    const guint tag = is_root ? other : part->index;
    *step = (DtCollectiveStep){.to = -1, .from = -1, .to_tag = tag, .from_tag = tag, .bytes = part->bytes};
    *(is_root == down ? &step->to : &step->from) = (gint)other;
    return TRUE;
}

gboolean dt_collective_step(const DtCollectivePart *part, guint number, DtCollectiveStep *step)
{
    const gboolean second = part->algorithm == 1;
    if (part->members <= 1)
        return FALSE;
    switch (part->kind) {
    case DT_COLLECTIVE_BCAST:
    case DT_COLLECTIVE_SCATTER:
        return second ? star(part, number, TRUE, step)
                      : tree(part, number, TRUE, part->kind == DT_COLLECTIVE_SCATTER, step);
    case DT_COLLECTIVE_REDUCE:
    case DT_COLLECTIVE_GATHER:
        return second ? star(part, number, FALSE, step)
                      : tree(part, number, FALSE, part->kind == DT_COLLECTIVE_GATHER, step);
    case DT_COLLECTIVE_ALLREDUCE:
        return second ? shift_around(part, number, step) : double_recursively(part, number, step);
    case DT_COLLECTIVE_SCAN:
        return scan(part, number, step);
    case DT_COLLECTIVE_ALLGATHER:
    case DT_COLLECTIVE_ALLTOALL:
    case DT_COLLECTIVE_REDUCE_SCATTER:
        return second ? shift_around(part, number, step) : shift_doubling(part, number, step);
    default:
        return shift_doubling(part, number, step);
    }
}
