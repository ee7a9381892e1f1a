#include "extrapolate/site_laws.h"

#include <math.h>

#include "format/arguments.h"
#include "skeleton/fields.h"
#include "skeleton/walk.h"

enum { CALLS, BYTES, QUANTITIES };

/* ---- counting -------------------------------------------------------------------------------- */

typedef struct {
    GHashTable *numbers; /* of sites, by text */
    GPtrArray *texts;
} Sites;

/* Of a run. */
typedef struct {
    guint ranks;
    GArray **of_rank; /* gdouble: QUANTITIES of each site */
} Totals;

static guint site_of(Sites *sites, const DtSkeleton *skeleton, const DtSkeletonNode *node)
{
    g_autofree char *text = g_strdup_printf("%s%s%s", (const char *)skeleton->functions->pdata[node->function],
                                            node->comment ? " at " : "", node->comment ? node->comment : "");
    gpointer known = g_hash_table_lookup(sites->numbers, text);
    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    g_ptr_array_add(sites->texts, g_steal_pointer(&text));
    g_hash_table_insert(sites->numbers, sites->texts->pdata[sites->texts->len - 1],
                        GUINT_TO_POINTER(sites->texts->len));
    return sites->texts->len - 1;
}

static gdouble sum_of(const DtSkeleton *skeleton, DtValue value)
{
    const char *text = dt_value_is_atom(value) ? dt_atoms_text(skeleton->atoms, value) : "";
    gdouble sum = 0;
    if (*text != '<')
        return dt_value_is_atom(value) ? 0 : (gdouble)value;
    g_autoptr(GArray) numbers = dt_numbers_of_atom(text);
    for (guint i = 0; i < numbers->len; i++)
        sum += (gdouble)g_array_index(numbers, gint64, i);
    return sum;
}

/* Of the first data that the call names. */
static gdouble bytes_of(const DtSkeleton *skeleton, const DtWalk *walk)
{
    DtValue count, size;
    if (dt_walk_value(walk, DT_FIELD_COUNT, 0, &count) && dt_walk_value(walk, DT_FIELD_SIZE, 0, &size))
        return sum_of(skeleton, count) * sum_of(skeleton, size);
    if (dt_walk_value(walk, DT_ARGUMENT_COUNTS, 0, &count) && dt_walk_value(walk, DT_ARGUMENT_ELEMENT, 0, &size))
        return sum_of(skeleton, count) * sum_of(skeleton, size);
    return 0;
}

static void add_rank(Sites *sites, const DtSkeleton *skeleton, guint thread, guint rank, GArray *totals)
{
    g_autoptr(DtWalk) walk = dt_walk_new(skeleton, thread, rank);
    for (const DtSkeletonNode *node = dt_walk_next(walk); node; node = dt_walk_next(walk)) {
        const guint at = QUANTITIES * site_of(sites, skeleton, node);
        if (at + QUANTITIES > totals->len)
            g_array_set_size(totals, at + QUANTITIES);
        g_array_index(totals, gdouble, at + CALLS)++;
        g_array_index(totals, gdouble, at + BYTES) += bytes_of(skeleton, walk);
    }
}

static Totals *count(Sites *sites, const DtSkeleton *skeleton)
{
    Totals *totals = g_new0(Totals, 1);
    totals->ranks = skeleton->ranks;
    totals->of_rank = g_new0(GArray *, (gsize)skeleton->ranks + 1);
    for (guint rank = 0; rank < skeleton->ranks; rank++) {
        totals->of_rank[rank] = g_array_new(FALSE, TRUE, sizeof(gdouble));
        for (guint t = 0; t < skeleton->threads->len; t++)
            add_rank(sites, skeleton, ((const DtSkeletonThread *)skeleton->threads->pdata[t])->number, rank,
                     totals->of_rank[rank]);
    }
    return totals;
}

static void free_totals(gpointer data)
{
    Totals *totals = data;
    for (guint rank = 0; rank < totals->ranks; rank++)
        g_array_unref(totals->of_rank[rank]);
    g_free(totals->of_rank);
    g_free(totals);
}

static gdouble value_at(const Totals *totals, guint rank, guint at)
{
    return at < totals->of_rank[rank]->len ? g_array_index(totals->of_rank[rank], gdouble, at) : 0;
}

/* ---- laws ------------------------------------------------------------------------------------ */

typedef enum { FORM_CONSTANT, FORM_LINEAR, FORM_LOGARITHM, FORM_INVERSE, FORM_ROOT, FORM_SQUARE, FORMS } Form;
/* Ranks of one role have one law. */
typedef enum { ALL_ALIKE, FIRST_APART, ENDS_APART, BY_PARITY, PARTITIONS } Partition;
enum { MOST_ROLES = 3 };

static gdouble scale_of(Form form, guint ranks)
{
    switch (form) {
    case FORM_LINEAR:
        return ranks;
    case FORM_LOGARITHM:
        return log2(ranks);
    case FORM_INVERSE:
        return 1.0 / ranks;
    case FORM_ROOT:
        return sqrt(ranks);
    case FORM_SQUARE:
        return (gdouble)ranks * ranks;
    default:
        return 0;
    }
}

static guint role_of(Partition partition, guint rank, guint ranks)
{
    switch (partition) {
    case FIRST_APART:
        return rank > 0;
    case ENDS_APART:
        return rank == 0 ? 0 : rank + 1 < ranks ? 1 : 2;
    case BY_PARITY:
        return rank % 2;
    default:
        return 0;
    }
}

/* a + b * scale, of each role. */
typedef struct {
    Partition partition;
    Form form;
    gdouble a[MOST_ROLES], b[MOST_ROLES], error;
} Law;

static gdouble law_at(const Law *law, guint rank, guint ranks)
{
    const guint role = role_of(law->partition, rank, ranks);
    return law->a[role] + law->b[role] * scale_of(law->form, ranks);
}

/* Least squares over the means of a role, without the size `left_out`. */
static void fit_role(Law *law, guint role, const GPtrArray *totals, guint at, guint left_out)
{
    gdouble n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (guint s = 0; s < totals->len; s++) {
        const Totals *own = totals->pdata[s];
        gdouble sum = 0, members = 0;
        for (guint rank = 0; s != left_out && rank < own->ranks; rank++)
            if (role_of(law->partition, rank, own->ranks) == role) {
                sum += value_at(own, rank, at);
                members++;
            }
        if (members == 0)
            continue;
        const gdouble scale = scale_of(law->form, own->ranks), mean = sum / members;
        n++;
        x += scale;
        y += mean;
        xx += scale * scale;
        xy += scale * mean;
    }
    const gdouble spread = n * xx - x * x;
    law->b[role] = n > 1 && spread > 1e-12 ? (n * xy - x * y) / spread : 0;
    law->a[role] = n > 0 ? (y - law->b[role] * x) / n : 0;
}

static void fit(Law *law, const GPtrArray *totals, guint at, guint left_out)
{
    for (guint role = 0; role < MOST_ROLES; role++)
        fit_role(law, role, totals, at, left_out);
}

/* The greatest error at a size of the law that was fitted without it. */
static gdouble error_of(Partition partition, Form form, const GPtrArray *totals, guint at)
{
    gdouble error = 0;
    for (guint s = 0; s < totals->len; s++) {
        Law law = {.partition = partition, .form = form};
        const Totals *own = totals->pdata[s];
        fit(&law, totals, at, s);
        for (guint rank = 0; rank < own->ranks; rank++)
            error = MAX(error, fabs(value_at(own, rank, at) - law_at(&law, rank, own->ranks)));
    }
    return error;
}

/* Of equal ones the simplest. */
static Law find_law(const GPtrArray *totals, guint at)
{
    static const gdouble rounding = 1e-6;
    Law best = {.error = INFINITY};
    for (Partition partition = 0; partition < PARTITIONS; partition++)
        for (Form form = 0; form < FORMS; form++) {
            const gdouble error = error_of(partition, form, totals, at);
            if (error < best.error - rounding)
                best = (Law){.partition = partition, .form = form, .error = error};
        }
    best.error = best.error < rounding ? 0 : best.error;
    fit(&best, totals, at, G_MAXUINT);
    return best;
}

static char *law_text(const Law *law, guint rank, guint ranks)
{
    static const char *const scales[FORMS] = {"", " P", " log2 P", "/P", " sqrt P", " P^2"};
    static const char *const roles[PARTITIONS][MOST_ROLES] = {
        {""},
        {", of rank 0", ", of all but rank 0"},
        {", of rank 0", ", of ranks between", ", of the last rank"},
        {", of even ranks", ", of odd ranks"}};
    const guint role = role_of(law->partition, rank, ranks);
    const char *who = roles[law->partition][role];
    if (fabs(law->b[role]) < 1e-9)
        return g_strdup_printf("constant%s", who);
    return g_strdup_printf("%.6g %c %.6g%s%s", law->a[role], law->b[role] < 0 ? '-' : '+', fabs(law->b[role]),
                           scales[law->form], who);
}

/* ---- departures ------------------------------------------------------------------------------ */

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
    const gdouble first = *(const gdouble *)a, second = *(const gdouble *)b;
    return first < second ? -1 : first > second;
}

static gdouble median_of(const gdouble *values, guint count)
{
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(gdouble));
    g_array_append_vals(sorted, values, count);
    g_array_sort(sorted, compare_numbers);
    return g_array_index(sorted, gdouble, count / 2);
}

/* A law that has an error is the less sure the larger its value is. */
static gdouble tolerance_of(const Law *law, gdouble expected, const Totals *largest)
{
    gdouble most = 1;
    for (guint rank = 0; rank < largest->ranks; rank++)
        most = MAX(most, fabs(law_at(law, rank, largest->ranks)));
    return 2 * law->error * MAX(1, fabs(expected) / most);
}

static void free_departure(gpointer data)
{
    DtSiteDeparture *departure = data;
    g_free(departure->site);
    g_free(departure->law);
    g_free(departure);
}

typedef struct {
    GPtrArray *totals;
    const Totals *largest; /* of these */
    const Totals *faulty;
    DtSiteDeparture **worst; /* by rank */
} Judging;

/* How many times what the law leaves room for the value is outside of it, above or below. */
static gdouble excess_of(gdouble found, gdouble expected, gdouble tolerance)
{
    const gdouble unit = MAX(MAX(tolerance, 1), fabs(expected) / 50), out = found - expected;
    return fabs(out) <= tolerance + 1e-6 ? 0 : (out - (out > 0 ? tolerance : -tolerance)) / unit;
}

static void judge_site(const Judging *judging, const char *site, guint at)
{
    const Totals *faulty = judging->faulty;
    const Law law = find_law(judging->totals, at);
    g_autofree gdouble *excess = g_new0(gdouble, (gsize)faulty->ranks + 1);
    for (guint rank = 0; rank < faulty->ranks; rank++) {
        const gdouble expected = law_at(&law, rank, faulty->ranks);
        excess[rank] = excess_of(value_at(faulty, rank, at), expected, tolerance_of(&law, expected, judging->largest));
    }
    const gdouble common = median_of(excess, faulty->ranks);
    for (guint rank = 0; rank < faulty->ranks; rank++) {
        const gdouble own = fabs(excess[rank] - common), score = own / (1 + own);
        DtSiteDeparture *worst = judging->worst[rank];
        /* More calls have more bytes. */
        const gboolean is_told = worst && g_str_equal(worst->site, site);
        if (own <= 0 || is_told || (worst && worst->score >= score))
            continue;
        if (worst)
            free_departure(worst);
        judging->worst[rank] = worst = g_new0(DtSiteDeparture, 1);
        worst->expected = law_at(&law, rank, faulty->ranks);
        worst->rank = rank;
        worst->site = g_strdup(site);
        worst->law = law_text(&law, rank, faulty->ranks);
        worst->is_bytes = at % QUANTITIES == BYTES;
        worst->found = value_at(faulty, rank, at);
        worst->tolerance = tolerance_of(&law, worst->expected, judging->largest);
        worst->score = score;
    }
}

static gint compare_departures(gconstpointer first, gconstpointer second)
{
    const DtSiteDeparture *a = *(const DtSiteDeparture *const *)first, *b = *(const DtSiteDeparture *const *)second;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static const Totals *largest_of(const GPtrArray *totals)
{
    const Totals *largest = totals->pdata[0];
    for (guint s = 1; s < totals->len; s++) {
        const Totals *own = totals->pdata[s];
        largest = own->ranks > largest->ranks ? own : largest;
    }
    return largest;
}

GPtrArray *dt_site_departures(const DtSize *sizes, guint size_count, const DtSkeleton *faulty)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) totals = g_ptr_array_new_with_free_func(free_totals);
    Sites sites = {numbers, texts};
    for (guint s = 0; s < size_count; s++)
        g_ptr_array_add(totals, count(&sites, sizes[s].skeleton));
    Totals *own = count(&sites, faulty);
    g_autofree DtSiteDeparture **worst = g_new0(DtSiteDeparture *, (gsize)faulty->ranks + 1);
    const Judging judging = {totals, largest_of(totals), own, worst};
    for (guint at = 0; at < QUANTITIES * texts->len; at++)
        judge_site(&judging, texts->pdata[at / QUANTITIES], at);
    GPtrArray *departures = g_ptr_array_new_with_free_func(free_departure);
    for (guint rank = 0; rank < faulty->ranks; rank++)
        if (worst[rank])
            g_ptr_array_add(departures, worst[rank]);
    g_ptr_array_sort(departures, compare_departures);
    free_totals(own);
    return departures;
}
