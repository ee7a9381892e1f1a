#include "extrapolate/number_law.h"

enum { MOST_VISITS = 62, OF_ALL_RANKS = DT_MESH_AXES };

/* ---- terms ----------------------------------------------------------------------------------- */

static gboolean logarithm(gint64 of, DtRational *value)
{
    *value = dt_rational_of((gint64)g_bit_storage((gulong)of) - 1);
    return of > 0 && (of & (of - 1)) == 0;
}

static gboolean power(gint64 exponent, DtRational *value)
{
    *value = dt_rational_of((gint64)1 << (exponent & 63));
    return exponent >= 0 && exponent < MOST_VISITS;
}

static gboolean basis_at(DtBasis basis, const DtSpot *spot, DtRational *value)
{
    const gint64 size = spot->size[basis.a], at = spot->at[basis.a];
    switch (basis.kind) {
    case DT_BASIS_ONE:
        return dt_rational_make(1, 1, value);
    case DT_BASIS_INVERSE:
        return dt_rational_make(1, size, value);
    case DT_BASIS_SIZE:
        return dt_rational_make(size, 1, value);
    case DT_BASIS_INVERSE_RANKS:
        return dt_rational_make(1, spot->ranks, value);
    case DT_BASIS_RANKS:
        return dt_rational_make(spot->ranks, 1, value);
    case DT_BASIS_LOG:
        return logarithm(size, value);
    case DT_BASIS_LOG_RANKS:
        return logarithm(spot->ranks, value);
    case DT_BASIS_PRODUCT:
        return dt_rational_make(size * spot->size[basis.b], 1, value);
    case DT_BASIS_RATIO:
        return dt_rational_make(size, spot->size[basis.b], value);
    case DT_BASIS_SUM:
        return dt_rational_make(size + spot->size[basis.b], 1, value);
    case DT_BASIS_AT:
        return dt_rational_make(at, 1, value);
    case DT_BASIS_RANK:
        return dt_rational_make(spot->rank, 1, value);
    case DT_BASIS_HALF_RANK:
        return dt_rational_make(spot->rank / 2, 1, value);
    case DT_BASIS_PARENT:
        return dt_rational_make(spot->rank > 0 ? (spot->rank - 1) / 2 : 0, 1, value);
    case DT_BASIS_DIVIDED:
        return dt_rational_make(spot->rank / basis.b, 1, value);
    case DT_BASIS_REST:
        return dt_rational_make(spot->rank % basis.b, 1, value);
    case DT_BASIS_LOW_BIT:
        return dt_rational_make(spot->rank & -spot->rank, 1, value);
    case DT_BASIS_LOG_LOW_BIT:
        return spot->rank > 0 && logarithm(spot->rank & -spot->rank, value);
    case DT_BASIS_AREA:
        return dt_rational_make(at, size, value);
    case DT_BASIS_FIRST:
        return dt_rational_make(at == 0, 1, value);
    case DT_BASIS_LAST:
        return dt_rational_make(at == size - 1, 1, value);
    case DT_BASIS_VISIT:
        return dt_rational_make(spot->visit, 1, value);
    case DT_BASIS_VISIT_BACK:
        return dt_rational_make(spot->visits - 1 - spot->visit, 1, value);
    case DT_BASIS_POWER:
        return power(spot->visit, value);
    case DT_BASIS_FRACTION:
        return spot->visit < MOST_VISITS && dt_rational_make(1, (gint64)1 << spot->visit, value);
    case DT_BASIS_SHARE:
        return spot->visit < MOST_VISITS && dt_rational_make((gint64)1 << spot->visit, spot->ranks, value);
    case DT_BASIS_LOG_UP:
        return dt_rational_make((gint64)g_bit_storage((gulong)(spot->ranks - 1)), 1, value);
    default:
        return power(spot->visits - 1 - spot->visit, value);
    }
}

static gint64 part_at(gint64 things, guint8 axis, const DtSpot *spot)
{
    const gint64 size = axis == OF_ALL_RANKS ? spot->ranks : spot->size[axis],
                 at = axis == OF_ALL_RANKS ? spot->rank : spot->at[axis];
    return things / size + (at < things % size);
}

gboolean dt_number_law_at(const DtNumberLaw *law, const DtSpot *spot, gint64 *value)
{
    DtRational sum = dt_rational_of(0);
    for (guint i = 0; i < law->terms; i++) {
        DtRational term;
        if (!basis_at(law->basis[i], spot, &term) || !dt_rational_times(term, law->factor[i], &term) ||
            !dt_rational_add(sum, term, &sum))
            return FALSE;
    }
    gint64 parts = law->parts ? part_at(law->parts, law->axis, spot) : 0;
    *value = sum.above;
    return sum.below == 1 && !__builtin_mul_overflow(parts, law->times, &parts) &&
           !__builtin_add_overflow(*value, parts, value);
}

DtNumberLaw dt_number_law_constant(gint64 value, guint spare)
{
    return (DtNumberLaw){.terms = 1, .basis = {{DT_BASIS_ONE, 0, 0}}, .factor = {{value, 1}}, .spare = spare};
}

/* ---- finding --------------------------------------------------------------------------------- */

typedef struct {
    const GArray *samples;
    guint axes;
    guint sizes;         /* that differ */
    gboolean is_of_size; /* all samples of one size have the same value */
    DtNumberLaw proved, unproved;
    gboolean is_proved, is_unproved;
} Finding;

/* Equations that say the same are one: those of two ranks at places that the formula does not tell apart. */
static gboolean is_seen(GHashTable *seen, const DtRational *factors, guint count, gint64 value)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_byte_array_append(bytes, (const guint8 *)factors, (guint)(count * sizeof *factors));
    g_byte_array_append(bytes, (const guint8 *)&value, sizeof value);
    return !g_hash_table_add(seen, g_byte_array_free_to_bytes(g_steal_pointer(&bytes)));
}

/* Columns of nothing but zeros have no factor. */
static guint drop_unused(const Finding *finding, DtBasis *basis, guint count)
{
    guint used = 0;
    for (guint i = 0; i < count; i++) {
        gboolean is_used = basis[i].kind != DT_BASIS_FIRST && basis[i].kind != DT_BASIS_LAST;
        for (guint s = 0; !is_used && s < finding->samples->len; s++) {
            DtRational value;
            is_used = !basis_at(basis[i], &g_array_index(finding->samples, DtNumberSample, s).spot, &value) ||
                      value.above != 0;
        }
        if (is_used)
            basis[used++] = basis[i];
    }
    return used;
}

/* With `seen` equations that say the same are one. FALSE: they contradict each other. */
static gboolean add_all(const Finding *finding, const DtBasis *basis, guint count, GHashTable *seen,
                        DtEquations *equations)
{
    dt_equations_begin(equations, count);
    for (guint s = 0; s < finding->samples->len; s++) {
        const DtNumberSample *sample = &g_array_index(finding->samples, DtNumberSample, s);
        DtRational factors[DT_UNKNOWNS];
        for (guint i = 0; i < count; i++)
            if (!basis_at(basis[i], &sample->spot, &factors[i]))
                return FALSE;
        if (!(seen && is_seen(seen, factors, count, sample->value)) &&
            !dt_equations_add(equations, factors, sample->value))
            return FALSE;
    }
    return TRUE;
}

/* Sizes beyond those that it takes to choose the terms that are the same to all places: further places prove nothing of
 * these. */
static guint spare_sizes(const Finding *finding, const DtBasis *basis, guint count)
{
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    DtBasis sizes[DT_UNKNOWNS] = {{0, 0, 0}};
    guint terms = 0;
    for (guint i = 0; i < count; i++)
        if (basis[i].kind < DT_BASIS_AT)
            sizes[terms++] = basis[i];
    if (terms == 0 || (terms == 1 && sizes[0].kind == DT_BASIS_ONE))
        return finding->sizes - 1;
    for (guint s = 0; s < finding->samples->len; s++) {
        DtRational factors[DT_UNKNOWNS];
        for (guint i = 0; i < terms; i++)
            basis_at(sizes[i], &g_array_index(finding->samples, DtNumberSample, s).spot, &factors[i]);
        is_seen(seen, factors, terms, 0);
    }
    return g_hash_table_size(seen) > terms ? g_hash_table_size(seen) - terms : 0;
}

/* X + 1 is likelier than 11 - 24/X. */
static gboolean is_plain(const DtNumberLaw *law)
{
    gboolean is_plain = TRUE;
    for (guint i = 0; i < law->terms; i++)
        is_plain = is_plain && law->factor[i].below == 1 && ABS(law->factor[i].above) <= 2;
    return is_plain;
}

/* TRUE: no other is to be tried. */
static gboolean try(Finding *finding, const DtBasis *terms, guint count)
{
    DtBasis basis[DT_UNKNOWNS] = {{0, 0, 0}};
    for (guint i = 0; i < count; i++)
        basis[i] = terms[i];
    count = drop_unused(finding, basis, count);
    DtEquations equations;
    if (!add_all(finding, basis, count, NULL, &equations))
        return FALSE;
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    add_all(finding, basis, count, seen, &equations);
    /* What is the same to all places is proved by sizes, and nothing by places of one size. */
    const gboolean is_constant = count == 1 && basis[0].kind == DT_BASIS_ONE;
    DtNumberLaw law = {.terms = count};
    law.spare = is_constant ? finding->sizes - 1 : MIN(equations.spare, spare_sizes(finding, basis, count));
    if (!dt_equations_solve(&equations, law.factor))
        return FALSE;
    for (guint i = 0; i < count; i++)
        law.basis[i] = basis[i];
    /* As many constants as sizes go through any numbers: that is no law. Of X - 1 nothing was chosen. */
    if (finding->is_of_size && finding->sizes > 1 && count >= finding->sizes && !is_plain(&law))
        return FALSE;
    if (law.spare > 0) {
        finding->proved = law;
        return finding->is_proved = TRUE;
    }
    if (!finding->is_unproved || (is_plain(&law) && !is_plain(&finding->unproved)))
        finding->unproved = law;
    finding->is_unproved = TRUE;
    return FALSE;
}

static const DtBasis one = {DT_BASIS_ONE, 0, 0};

static void add(GArray *list, DtBasisKind kind, guint a, guint b)
{
    const DtBasis basis = {(guint8)kind, (guint8)a, (guint8)b};
    g_array_append_val(list, basis);
}

/* Strong scaling is the likelier story, so parts stand before sizes. */
static GArray *list_sizes(guint axes)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(DtBasis));
    for (guint axis = 0; axis < axes; axis++)
        add(list, DT_BASIS_INVERSE, axis, 0);
    for (guint axis = 0; axis < axes; axis++)
        add(list, DT_BASIS_SIZE, axis, 0);
    for (guint axis = 0; axis < axes; axis++)
        add(list, DT_BASIS_LOG, axis, 0);
    if (axes == 1)
        return list;
    add(list, DT_BASIS_RANKS, 0, 0);
    add(list, DT_BASIS_INVERSE_RANKS, 0, 0);
    add(list, DT_BASIS_LOG_RANKS, 0, 0);
    for (guint a = 0; a < axes; a++)
        for (guint b = 0; b < axes; b++) {
            if (a < b && axes > 2)
                add(list, DT_BASIS_PRODUCT, a, b);
            if (a != b)
                add(list, DT_BASIS_RATIO, a, b);
            if (a < b)
                add(list, DT_BASIS_SUM, a, b);
        }
    return list;
}

static GArray *list_plain_places(guint axes)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(DtBasis));
    for (guint axis = 0; axis < axes; axis++)
        add(list, DT_BASIS_AT, axis, 0);
    if (axes > 1)
        add(list, DT_BASIS_RANK, 0, 0);
    return list;
}

static GArray *list_places(guint axes)
{
    GArray *list = list_plain_places(axes);
    add(list, DT_BASIS_HALF_RANK, 0, 0);
    add(list, DT_BASIS_PARENT, 0, 0);
    for (guint k = 2; k <= 16; k++) {
        add(list, DT_BASIS_DIVIDED, 0, k);
        add(list, DT_BASIS_REST, 0, k);
    }
    add(list, DT_BASIS_LOW_BIT, 0, 0);
    add(list, DT_BASIS_LOG_LOW_BIT, 0, 0);
    for (guint axis = 0; axis < axes; axis++)
        add(list, DT_BASIS_AREA, axis, 0);
    return list;
}

static GArray *list_visits(void)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(DtBasis));
    add(list, DT_BASIS_VISIT, 0, 0);
    add(list, DT_BASIS_VISIT_BACK, 0, 0);
    add(list, DT_BASIS_POWER, 0, 0);
    add(list, DT_BASIS_POWER_BACK, 0, 0);
    add(list, DT_BASIS_FRACTION, 0, 0);
    add(list, DT_BASIS_SHARE, 0, 0);
    return list;
}

/* Each alone, then each with a constant. */
static gboolean try_each(Finding *finding, const GArray *list, gboolean alone)
{
    for (guint with = alone ? 0 : 1; with < 2; with++)
        for (guint i = 0; i < list->len; i++) {
            const DtBasis terms[] = {g_array_index(list, DtBasis, i), one};
            if (try(finding, terms, 1 + with))
                return TRUE;
        }
    return FALSE;
}

static gboolean try_pairs(Finding *finding, const GArray *list, const GArray *others)
{
    for (guint with = 0; with < 2; with++)
        for (guint i = 0; i < list->len; i++)
            for (guint k = list == others ? i + 1 : 0; k < others->len; k++) {
                const DtBasis terms[] = {g_array_index(list, DtBasis, i), g_array_index(others, DtBasis, k), one};
                if (try(finding, terms, 2 + with))
                    return TRUE;
            }
    return FALSE;
}

/* One of the sizes, less what is missing at the ends of axes. */
static gboolean try_ends(Finding *finding, const GArray *sizes)
{
    for (guint with = 0; with < 2; with++)
        for (guint axes = 1; axes < 1u << finding->axes; axes++)
            for (guint i = 0; i <= sizes->len; i++) {
                DtBasis terms[DT_UNKNOWNS];
                guint count = 0;
                if (i < sizes->len)
                    terms[count++] = g_array_index(sizes, DtBasis, i);
                for (guint axis = 0; axis < finding->axes; axis++)
                    if (axes >> axis & 1) {
                        terms[count++] = (DtBasis){DT_BASIS_FIRST, (guint8)axis, 0};
                        terms[count++] = (DtBasis){DT_BASIS_LAST, (guint8)axis, 0};
                    }
                if (with)
                    terms[count++] = one;
                if (try(finding, terms, count))
                    return TRUE;
            }
    return FALSE;
}

static gboolean has_parts(const Finding *finding, const DtNumberLaw *law)
{
    for (guint s = 0; s < finding->samples->len; s++) {
        const DtNumberSample *sample = &g_array_index(finding->samples, DtNumberSample, s);
        gint64 value;
        if (!dt_number_law_at(law, &sample->spot, &value) || value != sample->value)
            return FALSE;
    }
    return TRUE;
}

/* The smallest value of one size along the axis, and what the larger ones there have more. FALSE: there are no two. */
static gboolean find_levels(const Finding *finding, guint8 axis, gint64 size, gint64 *least, gint64 *more)
{
    gboolean any = FALSE;
    *least = G_MAXINT64;
    *more = 0;
    for (guint s = 0; s < finding->samples->len; s++) {
        const DtNumberSample *sample = &g_array_index(finding->samples, DtNumberSample, s);
        if ((axis == OF_ALL_RANKS ? sample->spot.ranks : sample->spot.size[axis]) != size)
            continue;
        any |= *least != G_MAXINT64 && sample->value != *least;
        if (*least != G_MAXINT64 && sample->value != *least)
            *more = ABS(sample->value - *least);
        *least = MIN(*least, sample->value);
    }
    return any && *more > 0;
}

static guint count_sizes(const Finding *finding, guint8 axis)
{
    g_autoptr(GHashTable) sizes = g_hash_table_new(NULL, NULL);
    for (guint s = 0; s < finding->samples->len; s++) {
        const DtSpot *spot = &g_array_index(finding->samples, DtNumberSample, s).spot;
        g_hash_table_add(sizes, GSIZE_TO_POINTER((gsize)(axis == OF_ALL_RANKS ? spot->ranks : spot->size[axis])));
    }
    return g_hash_table_size(sizes);
}

/* Blocks: of a size where it does not come out even the number of things follows within bounds. */
static gboolean try_parts(Finding *finding, guint8 axis)
{
    for (guint s = 0; s < finding->samples->len; s++) {
        const DtSpot *spot = &g_array_index(finding->samples, DtNumberSample, s).spot;
        const gint64 size = axis == OF_ALL_RANKS ? spot->ranks : spot->size[axis];
        gint64 least, times;
        if (!find_levels(finding, axis, size, &least, &times))
            continue;
        if (least < 0 || least > G_MAXINT32 || least % times != 0 || size > G_MAXINT16)
            return FALSE;
        for (gint64 things = least / times * size + 1; things < (least / times + 1) * size; things++) {
            DtNumberLaw law = {.parts = things, .times = times, .axis = axis};
            law.spare = count_sizes(finding, axis);
            if (has_parts(finding, &law)) {
                law.spare -= 1;
                *(law.spare > 0 ? &finding->proved : &finding->unproved) = law;
                *(law.spare > 0 ? &finding->is_proved : &finding->is_unproved) = TRUE;
                return law.spare > 0;
            }
        }
        return FALSE;
    }
    return FALSE;
}

static gboolean try_blocks(Finding *finding)
{
    for (guint axis = 0; axis < finding->axes; axis++)
        if (try_parts(finding, (guint8)axis))
            return TRUE;
    return finding->axes > 1 && try_parts(finding, OF_ALL_RANKS);
}

static gboolean try_visits(Finding *finding, const GArray *sizes, const GArray *places)
{
    g_autoptr(GArray) visits = list_visits();
    return try_each(finding, visits, TRUE) || try_pairs(finding, visits, sizes) || try_pairs(finding, visits, places);
}

/* What is as large as an axis is that, though it may have been the same in all runs. */
static gboolean try_sizes(Finding *finding)
{
    for (guint axis = 0; axis < finding->axes; axis++) {
        const DtBasis size = {DT_BASIS_SIZE, (guint8)axis, 0};
        if (try(finding, &size, 1) || (finding->is_unproved && finding->unproved.factor[0].above == 1 &&
                                       finding->unproved.factor[0].below == 1)) {
            finding->proved = finding->is_proved ? finding->proved : finding->unproved;
            if (finding->proved.factor[0].above == 1 && finding->proved.factor[0].below == 1)
                return TRUE;
        }
        finding->is_proved = finding->is_unproved = FALSE;
    }
    return FALSE;
}

static gboolean find(Finding *finding, DtTrials trials)
{
    g_autoptr(GArray) sizes = list_sizes(finding->axes), places = list_places(finding->axes),
                      plain = list_plain_places(finding->axes);
    if ((trials == DT_TRY_SIZES && try_sizes(finding)) || try(finding, &one, 1) || try_each(finding, sizes, TRUE))
        return TRUE;
    if (trials == DT_TRY_VISITS && try_visits(finding, sizes, plain))
        return TRUE;
    if (try_each(finding, places, TRUE) || try_blocks(finding))
        return TRUE;
    if (trials == DT_TRY_FEW)
        return FALSE;
    return try_ends(finding, sizes) || try_pairs(finding, sizes, plain) || try_pairs(finding, sizes, sizes);
}

static guint count_all_sizes(const GArray *samples)
{
    guint count = 0;
    for (guint s = 0; s < samples->len; s++) {
        gboolean is_new = TRUE;
        const DtSpot *own = &g_array_index(samples, DtNumberSample, s).spot;
        if (s > 0 && dt_spots_are_of_one_size(own, &g_array_index(samples, DtNumberSample, s - 1).spot))
            continue;
        for (guint k = 0; is_new && k < s; k++)
            is_new = !dt_spots_are_of_one_size(own, &g_array_index(samples, DtNumberSample, k).spot);
        count += is_new ? 1 : 0;
    }
    return count;
}

static gboolean are_of_size(const GArray *samples)
{
    g_autoptr(GHashTable) values = g_hash_table_new(NULL, NULL);
    for (guint s = 0; s < samples->len; s++) {
        const DtNumberSample *sample = &g_array_index(samples, DtNumberSample, s);
        gpointer known, key = GSIZE_TO_POINTER((gsize)sample->spot.ranks);
        if (!g_hash_table_lookup_extended(values, key, NULL, &known))
            g_hash_table_insert(values, key, GSIZE_TO_POINTER((gsize)sample->value));
        else if (known != GSIZE_TO_POINTER((gsize)sample->value))
            return FALSE;
    }
    return TRUE;
}

gboolean dt_number_law_find(const GArray *samples, DtTrials trials, DtNumberLaw *law)
{
    if (samples->len == 0)
        return FALSE;
    Finding finding = {.samples = samples, .axes = g_array_index(samples, DtNumberSample, 0).spot.axes};
    finding.sizes = count_all_sizes(samples);
    finding.is_of_size = are_of_size(samples);
    if (find(&finding, trials))
        *law = finding.proved;
    else if (finding.is_unproved)
        *law = finding.unproved;
    else
        return FALSE;
    return TRUE;
}

guint dt_number_law_sizes(const DtNumberLaw *law, guint axes)
{
    guint mask = law->parts ? 1u << (law->axis == OF_ALL_RANKS ? axes : law->axis) : 0;
    for (guint i = 0; i < law->terms; i++) {
        const DtBasis *basis = &law->basis[i];
        switch (law->factor[i].above == 0 ? DT_BASIS_ONE : basis->kind) {
        case DT_BASIS_ONE:
        case DT_BASIS_VISIT:
        case DT_BASIS_VISIT_BACK:
        case DT_BASIS_POWER:
        case DT_BASIS_POWER_BACK:
        case DT_BASIS_FRACTION:
            break;
        case DT_BASIS_INVERSE:
        case DT_BASIS_SIZE:
        case DT_BASIS_LOG:
        case DT_BASIS_AT:
        case DT_BASIS_AREA:
        case DT_BASIS_FIRST:
        case DT_BASIS_LAST:
            mask |= 1u << basis->a;
            break;
        case DT_BASIS_PRODUCT:
        case DT_BASIS_RATIO:
        case DT_BASIS_SUM:
            mask |= 1u << basis->a | 1u << basis->b;
            break;
        default:
            mask |= 1u << axes;
        }
    }
    return mask;
}

/* ---- as text --------------------------------------------------------------------------------- */

static char upper(guint axis)
{
    return g_ascii_toupper(dt_axis_name(axis));
}

static void append_basis(GString *text, DtBasis basis)
{
    const char a = dt_axis_name(basis.a), A = upper(basis.a), B = upper(basis.b);
    switch (basis.kind) {
    case DT_BASIS_INVERSE:
    case DT_BASIS_SIZE:
        g_string_append_c(text, A);
        break;
    case DT_BASIS_INVERSE_RANKS:
    case DT_BASIS_RANKS:
        g_string_append_c(text, 'P');
        break;
    case DT_BASIS_LOG:
        g_string_append_printf(text, "log2(%c)", A);
        break;
    case DT_BASIS_LOG_RANKS:
        g_string_append(text, "log2(P)");
        break;
    case DT_BASIS_PRODUCT:
        g_string_append_printf(text, "%c%c", A, B);
        break;
    case DT_BASIS_RATIO:
        g_string_append_printf(text, "(%c/%c)", A, B);
        break;
    case DT_BASIS_SUM:
        g_string_append_printf(text, "(%c+%c)", A, B);
        break;
    case DT_BASIS_AT:
        g_string_append_c(text, a);
        break;
    case DT_BASIS_RANK:
        g_string_append(text, "rank");
        break;
    case DT_BASIS_HALF_RANK:
        g_string_append(text, "(rank div 2)");
        break;
    case DT_BASIS_PARENT:
        g_string_append(text, "((rank-1) div 2)");
        break;
    case DT_BASIS_DIVIDED:
        g_string_append_printf(text, "(rank div %u)", basis.b);
        break;
    case DT_BASIS_REST:
        g_string_append_printf(text, "(rank mod %u)", basis.b);
        break;
    case DT_BASIS_LOW_BIT:
        g_string_append(text, "lowbit(rank)");
        break;
    case DT_BASIS_LOG_LOW_BIT:
        g_string_append(text, "log2(lowbit(rank))");
        break;
    case DT_BASIS_AREA:
        g_string_append_printf(text, "(%c/%c)", a, A);
        break;
    case DT_BASIS_FIRST:
        g_string_append_printf(text, "[%c=0]", a);
        break;
    case DT_BASIS_LAST:
        g_string_append_printf(text, "[%c=%c-1]", a, A);
        break;
    case DT_BASIS_VISIT:
        g_string_append(text, "s");
        break;
    case DT_BASIS_VISIT_BACK:
        g_string_append(text, "(n-1-s)");
        break;
    case DT_BASIS_POWER:
        g_string_append(text, "2^s");
        break;
    case DT_BASIS_FRACTION:
        g_string_append(text, "(1/2^s)");
        break;
    case DT_BASIS_SHARE:
        g_string_append(text, "(2^s/P)");
        break;
    case DT_BASIS_LOG_UP:
        g_string_append(text, "up(log2(P))");
        break;
    default:
        g_string_append(text, "2^(n-1-s)");
        break;
    }
}

static void append_term(GString *text, DtBasis basis, DtRational factor)
{
    const gboolean inverse = basis.kind == DT_BASIS_INVERSE || basis.kind == DT_BASIS_INVERSE_RANKS;
    if (basis.kind == DT_BASIS_ONE || inverse)
        dt_rational_append(text, factor);
    else if (factor.above == -1 && factor.below == 1)
        g_string_append_c(text, '-');
    else if (factor.above != 1 || factor.below != 1) {
        dt_rational_append(text, factor);
        g_string_append_c(text, '*');
    }
    if (basis.kind == DT_BASIS_ONE)
        return;
    g_string_append(text, inverse ? "/" : "");
    append_basis(text, basis);
}

void dt_number_law_append(const DtNumberLaw *law, GString *text)
{
    const gsize start = text->len;
    if (law->parts) {
        if (law->times != 1)
            g_string_append_printf(text, "%" G_GINT64_FORMAT "*", law->times);
        g_string_append_printf(text, "part(%" G_GINT64_FORMAT ",", law->parts);
        if (law->axis == OF_ALL_RANKS)
            g_string_append(text, "rank)");
        else
            g_string_append_printf(text, "%c)", dt_axis_name(law->axis));
    }
    for (guint i = 0; i < law->terms; i++) {
        if (law->factor[i].above == 0)
            continue;
        if (text->len > start && law->factor[i].above > 0)
            g_string_append_c(text, '+');
        append_term(text, law->basis[i], law->factor[i]);
    }
    if (text->len == start)
        g_string_append_c(text, '0');
}
