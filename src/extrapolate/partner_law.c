#include "extrapolate/partner_law.h"

enum { MOST_STEP = 2, MOST_BITS = 64 };

/* ---- along an axis --------------------------------------------------------------------------- */

/* A negative one: there is none. */
static gint64 place_along(DtAlong along, guint axis, const DtSpot *spot)
{
    const gint64 own = spot->at[axis], size = spot->size[axis], other = spot->at[along.other],
                 other_size = spot->size[along.other], k = along.k;
    switch (along.kind) {
    case DT_ALONG_STEP:
        return ((own + k) % size + size) % size;
    case DT_ALONG_BITS:
        return (own ^ k) < size ? own ^ k : -1;
    case DT_ALONG_MIRROR:
        return size - 1 - own;
    case DT_ALONG_FIXED:
        return k < size ? k : -1;
    case DT_ALONG_FROM_END:
        return size - 1 - k;
    case DT_ALONG_HALF:
        return (own + size / 2) % size;
    case DT_ALONG_COARSE:
        return other_size % size == 0 ? other / (other_size / size) : -1;
    default:
        return size % other_size == 0 ? other * (size / other_size) + own % (size / other_size) : -1;
    }
}

static gboolean fits_along(DtAlong along, guint axis, const GArray *samples)
{
    for (guint i = 0; i < samples->len; i++) {
        const DtPartnerSample *sample = &g_array_index(samples, DtPartnerSample, i);
        const DtSpot *spot = &sample->spot;
        gint64 peer = sample->peer;
        for (guint behind = spot->axes; --behind > axis;)
            peer /= spot->size[behind];
        if (place_along(along, axis, spot) != peer % spot->size[axis])
            return FALSE;
    }
    return TRUE;
}

static gboolean try_along(DtAlong try, guint axis, const GArray *samples, DtAlong *found)
{
    if (!fits_along(try, axis, samples))
        return FALSE;
    *found = try;
    return TRUE;
}

static gboolean find_along(guint axis, guint axes, const GArray *samples, DtAlong *along)
{
    static const gint8 steps[] = {0, 1, -1, 2, -2};
    for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
        if (try_along((DtAlong){DT_ALONG_STEP, (guint8)axis, steps[i]}, axis, samples, along))
            return TRUE;
    for (guint other = 0; other < axes; other++)
        if (other != axis && (try_along((DtAlong){DT_ALONG_COARSE, (guint8)other, 0}, axis, samples, along) ||
                              try_along((DtAlong){DT_ALONG_FINE, (guint8)other, 0}, axis, samples, along)))
            return TRUE;
    static const guint8 plain[] = {DT_ALONG_HALF, DT_ALONG_MIRROR};
    for (guint i = 0; i < G_N_ELEMENTS(plain); i++)
        if (try_along((DtAlong){plain[i], (guint8)axis, 0}, axis, samples, along))
            return TRUE;
    for (gint32 k = 0; k <= MOST_STEP; k++)
        if (try_along((DtAlong){DT_ALONG_FIXED, (guint8)axis, k}, axis, samples, along) ||
            try_along((DtAlong){DT_ALONG_FROM_END, (guint8)axis, k}, axis, samples, along))
            return TRUE;
    for (gint32 k = 1; k <= MOST_BITS; k *= 2)
        if (try_along((DtAlong){DT_ALONG_BITS, (guint8)axis, k}, axis, samples, along))
            return TRUE;
    return FALSE;
}

static guint count_sizes(const GArray *samples)
{
    guint sizes = 0;
    for (guint i = 0; i < samples->len; i++) {
        const DtSpot *spot = &g_array_index(samples, DtPartnerSample, i).spot;
        gboolean is_new = TRUE;
        if (i > 0 && dt_spots_are_of_one_size(spot, &g_array_index(samples, DtPartnerSample, i - 1).spot))
            continue;
        for (guint k = 0; is_new && k < i; k++)
            is_new = !dt_spots_are_of_one_size(spot, &g_array_index(samples, DtPartnerSample, k).spot);
        sizes += is_new ? 1 : 0;
    }
    return sizes;
}

static gboolean find_all_along(const GArray *samples, DtPartnerLaw *law)
{
    const guint axes = g_array_index(samples, DtPartnerSample, 0).spot.axes;
    for (guint axis = 0; axis < axes; axis++)
        if (!find_along(axis, axes, samples, &law->along[axis]))
            return FALSE;
    law->kind = DT_PARTNER_ALONG;
    law->spare = count_sizes(samples) - 1;
    return TRUE;
}

/* ---- by a number ----------------------------------------------------------------------------- */

static gint64 shorter_way(gint64 distance, gint64 ranks)
{
    distance = (distance % ranks + ranks) % ranks;
    return 2 * distance > ranks ? distance - ranks : distance;
}

static gint64 number_of(DtPartnerKind kind, const DtPartnerSample *sample)
{
    switch (kind) {
    case DT_PARTNER_RANK:
        return sample->peer;
    case DT_PARTNER_BITS:
        return sample->peer ^ sample->spot.rank;
    case DT_PARTNER_ON:
        return (sample->peer - sample->spot.rank + sample->spot.ranks) % sample->spot.ranks;
    case DT_PARTNER_BACK:
        return -((sample->spot.rank - sample->peer + sample->spot.ranks) % sample->spot.ranks);
    default:
        return shorter_way(sample->peer - sample->spot.rank, sample->spot.ranks);
    }
}

static gboolean find_number(DtPartnerKind kind, const GArray *samples, DtTrials trials, DtPartnerLaw *law)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(DtNumberSample));
    for (guint i = 0; i < samples->len; i++) {
        const DtPartnerSample *sample = &g_array_index(samples, DtPartnerSample, i);
        const DtNumberSample number = {sample->spot, number_of(kind, sample)};
        g_array_append_val(numbers, number);
    }
    if (!dt_number_law_find(numbers, trials, &law->number))
        return FALSE;
    law->kind = kind;
    law->spare = law->number.spare;
    return TRUE;
}

static gboolean find_partner(const GArray *samples, DtTrials trials, DtPartnerLaw *law)
{
    static const DtPartnerKind kinds[] = {DT_PARTNER_RANK, DT_PARTNER_DISTANCE, DT_PARTNER_BITS, DT_PARTNER_ON,
                                          DT_PARTNER_BACK};
    /* Half of the ranks away has no sign, and the longer way is the shorter one with few ranks. */
    const guint count = trials == DT_TRY_VISITS ? G_N_ELEMENTS(kinds) : 3;
    DtPartnerLaw unproved = {0};
    gboolean is_unproved = FALSE;
    if (trials != DT_TRY_VISITS && find_all_along(samples, law)) {
        if (law->spare > 0)
            return TRUE;
        unproved = *law;
        is_unproved = TRUE;
    }
    for (guint i = 0; i < count; i++) {
        if (!find_number(kinds[i], samples, trials, law))
            continue;
        if (law->spare > 0)
            return TRUE;
        unproved = is_unproved ? unproved : *law;
        is_unproved = TRUE;
    }
    if (trials == DT_TRY_VISITS && find_all_along(samples, law))
        return TRUE;
    *law = unproved;
    return is_unproved;
}

gboolean dt_partner_law_find(const GArray *samples, DtTrials trials, DtPartnerLaw *law)
{
    *law = (DtPartnerLaw){0};
    if (samples->len == 0)
        return FALSE;
    const guint axes = g_array_index(samples, DtPartnerSample, 0).spot.axes;
    for (guint i = 0; i < samples->len; i++)
        if (g_array_index(samples, DtPartnerSample, i).spot.axes != axes)
            return FALSE;
    const gboolean found = find_partner(samples, trials, law);
    law->axes = axes;
    return found;
}

gboolean dt_partner_law_at(const DtPartnerLaw *law, const DtSpot *spot, gint64 *peer)
{
    gint64 place[DT_MESH_AXES], number;
    if (law->kind == DT_PARTNER_ALONG) {
        for (guint axis = 0; axis < spot->axes; axis++)
            if ((place[axis] = place_along(law->along[axis], axis, spot)) < 0 || place[axis] >= spot->size[axis])
                return FALSE;
        *peer = dt_spot_rank_at(spot, place);
        return TRUE;
    }
    if (!dt_number_law_at(&law->number, spot, &number) || number > G_MAXINT32 || number < -G_MAXINT32)
        return FALSE;
    if (law->kind == DT_PARTNER_RANK)
        *peer = number;
    else if (law->kind == DT_PARTNER_BITS)
        *peer = spot->rank ^ number;
    else
        *peer = ((spot->rank + number) % spot->ranks + spot->ranks) % spot->ranks;
    return *peer >= 0 && *peer < spot->ranks;
}

guint dt_partner_law_sizes(const DtPartnerLaw *law, guint axes)
{
    guint mask = 0;
    if (law->axes != axes)
        return 1u << axes;
    if (law->kind != DT_PARTNER_ALONG)
        return dt_number_law_sizes(&law->number, axes) | 1u << axes;
    for (guint axis = 0; axis < axes; axis++) {
        const DtAlong *along = &law->along[axis];
        if (along->kind != DT_ALONG_STEP || along->k != 0)
            mask |= 1u << axis;
        if (along->kind == DT_ALONG_COARSE || along->kind == DT_ALONG_FINE)
            mask |= 1u << along->other;
    }
    return mask;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void append_along(DtAlong along, guint axis, GString *text)
{
    const char a = dt_axis_name(axis), A = g_ascii_toupper(a), o = dt_axis_name(along.other), O = g_ascii_toupper(o);
    switch (along.kind) {
    case DT_ALONG_STEP:
        g_string_append_c(text, a);
        if (along.k != 0)
            g_string_append_printf(text, "%+d", along.k);
        break;
    case DT_ALONG_BITS:
        g_string_append_printf(text, "%c^%d", a, along.k);
        break;
    case DT_ALONG_MIRROR:
        g_string_append_printf(text, "%c-1-%c", A, a);
        break;
    case DT_ALONG_FIXED:
        g_string_append_printf(text, "%d", along.k);
        break;
    case DT_ALONG_FROM_END:
        g_string_append_printf(text, "%c-%d", A, along.k + 1);
        break;
    case DT_ALONG_HALF:
        g_string_append_printf(text, "%c+%c/2", a, A);
        break;
    case DT_ALONG_COARSE:
        g_string_append_printf(text, "%c div (%c/%c)", o, O, A);
        break;
    default:
        g_string_append_printf(text, "%c*%c/%c + %c mod (%c/%c)", o, A, O, a, A, O);
        break;
    }
}

/* Steps along single axes as the skeleton has them. */
static gboolean append_steps(const DtPartnerLaw *law, guint axes, GString *text)
{
    const gsize start = text->len;
    for (guint axis = 0; axis < axes; axis++)
        if (law->along[axis].kind != DT_ALONG_STEP)
            return FALSE;
    for (guint axis = 0; axis < axes; axis++)
        if (law->along[axis].k != 0)
            g_string_append_printf(text, "%c%+d", dt_axis_name(axis), law->along[axis].k);
    if (text->len == start)
        g_string_append(text, "itself");
    return TRUE;
}

void dt_partner_law_append(const DtPartnerLaw *law, GString *text)
{
    const guint axes = law->axes;
    if (law->kind == DT_PARTNER_ALONG) {
        if (append_steps(law, axes, text))
            return;
        g_string_append_c(text, '(');
        for (guint axis = 0; axis < axes; axis++) {
            g_string_append(text, axis > 0 ? ", " : "");
            append_along(law->along[axis], axis, text);
        }
        g_string_append_c(text, ')');
        return;
    }
    g_string_append(text, law->kind == DT_PARTNER_RANK ? "=" : law->kind == DT_PARTNER_BITS ? "^" : "rank+");
    g_string_append(text, "(");
    dt_number_law_append(&law->number, text);
    g_string_append(text, ")");
}
