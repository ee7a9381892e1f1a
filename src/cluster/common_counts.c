/* Counting common attributes: by bits where they are many, by lists where they are few. */
#include "cluster/common_counts.h"

#include "base/bit_set.h"

/* ---- frequent and rare attributes --------------------------------------------------- */

/*
 * A list of c owners costs c^2 / 2 additions, a column of bits n^2 / 128 words. An addition, to a place
 * that may be anywhere, takes about the time of four words.
 */
static gboolean is_rare(guint owners, guint n)
{
    return (guint64)owners * owners * 256 < (guint64)n * n;
}

/* Where an attribute is kept. */
typedef struct {
    gboolean rare;
    guint number; /* of the bit, or of the list */
    gsize next;   /* place in the list that is not filled yet */
} Place;

static GArray *attributes_of(const DtContext *context, guint object)
{
    return dt_bits_members(dt_context_row(context, object), dt_context_row_words(context));
}

static guint *count_owners(DtCommonCounts *counts, const DtContext *context, const guint *objects)
{
    guint *owners = g_new0(guint, dt_context_attributes(context));
    for (guint i = 0; i < counts->n; i++) {
        g_autoptr(GArray) attributes = attributes_of(context, objects[i]);
        counts->sizes[i] = attributes->len;
        for (guint k = 0; k < attributes->len; k++)
            owners[g_array_index(attributes, guint, k)]++;
    }
    return owners;
}

static Place *give_places(DtCommonCounts *counts, const guint *owners, guint attributes)
{
    Place *places = g_new0(Place, attributes);
    guint frequent = 0, rare = 0;
    gsize listed = 0;
    counts->first_owner = g_new0(gsize, (gsize)attributes + 1);
    for (guint a = 0; a < attributes; a++) {
        if (!is_rare(owners[a], counts->n)) {
            places[a] = (Place){FALSE, frequent++, 0};
            continue;
        }
        places[a] = (Place){TRUE, rare++, listed};
        listed += owners[a];
        counts->first_owner[rare] = listed;
    }
    counts->words = dt_bits_words(frequent);
    counts->bits = g_new0(guint64, counts->n * counts->words);
    counts->rare = g_new(guint, listed);
    counts->owners = g_new(guint, listed);
    return places;
}

static void fill(DtCommonCounts *counts, const DtContext *context, const guint *objects, Place *places)
{
    gsize listed = 0;
    for (guint i = 0; i < counts->n; i++) {
        g_autoptr(GArray) attributes = attributes_of(context, objects[i]);
        for (guint k = 0; k < attributes->len; k++) {
            Place *place = &places[g_array_index(attributes, guint, k)];
            if (!place->rare) {
                dt_bits_add(counts->bits + i * counts->words, place->number);
                continue;
            }
            counts->owners[place->next++] = i;
            counts->rare[listed++] = place->number;
        }
        counts->first_rare[i + 1] = listed;
    }
}

DtCommonCounts *dt_common_counts_new(const DtContext *context, const guint *objects, guint n)
{
    DtCommonCounts *counts = g_new0(DtCommonCounts, 1);
    counts->n = n;
    counts->sizes = g_new0(guint, n);
    counts->first_rare = g_new0(gsize, (gsize)n + 1);
    g_autofree guint *owners = count_owners(counts, context, objects);
    g_autofree Place *places = give_places(counts, owners, dt_context_attributes(context));
    fill(counts, context, objects, places);
    return counts;
}

void dt_common_counts_free(DtCommonCounts *counts)
{
    if (!counts)
        return;
    g_free(counts->sizes);
    g_free(counts->bits);
    g_free(counts->first_rare);
    g_free(counts->rare);
    g_free(counts->first_owner);
    g_free(counts->owners);
    g_free(counts);
}

/* ---- counting ------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void count_bits_with(const DtCommonCounts *counts, guint first,
                                                                  guint *common)
{
    gsize words = counts->words;
    const guint64 *own = counts->bits + first * words;
    for (guint j = first; j < counts->n; j++) {
        const guint64 *other = counts->bits + j * words;
        guint end = MIN(DT_COMMON_BLOCK, j - first + 1);
        for (guint k = 0; k < end; k++) {
            guint count = 0;
            for (gsize word = 0; word < words; word++)
                count += (guint)__builtin_popcountll(own[k * words + word] & other[word]);
            common[(gsize)j * DT_COMMON_BLOCK + k] = count;
        }
    }
}

static void count_bits(const DtCommonCounts *counts, guint first, guint *common)
{
    count_bits_with(counts, first, common);
}

#ifdef __x86_64__
/* The same with the processor's own instruction, which baseline x86-64 lacks. */
__attribute__((target("popcnt"))) static void count_bits_popcnt(const DtCommonCounts *counts, guint first,
                                                                guint *common)
{
    count_bits_with(counts, first, common);
}
#endif

/* Owners are in ascending order: those before `object` were counted with it, or are in its block. */
static void add_listed(const DtCommonCounts *counts, guint object, guint place, guint *common)
{
    for (gsize i = counts->first_rare[object]; i < counts->first_rare[object + 1]; i++) {
        gsize least = counts->first_owner[counts->rare[i]];
        for (gsize o = counts->first_owner[counts->rare[i] + 1]; o > least && counts->owners[o - 1] >= object; o--)
            common[(gsize)counts->owners[o - 1] * DT_COMMON_BLOCK + place]++;
    }
}

void dt_common_counts_block(const DtCommonCounts *counts, guint first, guint *common)
{
    void (*count)(const DtCommonCounts *, guint, guint *) = count_bits;
#ifdef __x86_64__
    if (__builtin_cpu_supports("popcnt"))
        count = count_bits_popcnt;
#endif
    count(counts, first, common);
    for (guint k = 0; k < DT_COMMON_BLOCK && first + k < counts->n; k++)
        add_listed(counts, first + k, k, common);
}
