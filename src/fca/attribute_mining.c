/* Mining the attributes of a trace from its NLR (docs/algorithms/fca.md). */
#include "fca/fca.h"

/* An entry, or a pair of consecutive ones, without counts; `second` is unused for single entries. */
typedef struct {
    DtElement first, second;
    guint64 occurrences;
} Mined;

static guint mined_hash(gconstpointer data)
{
    const Mined *mined = data;
    guint64 hash = (mined->first * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)) ^ mined->second;
    hash *= G_GUINT64_CONSTANT(0xd6e8feb86659fd93);
    return (guint)(hash >> 32);
}

static gboolean mined_equal(gconstpointer a, gconstpointer b)
{
    const Mined *left = a;
    const Mined *right = b;
    return left->first == right->first && left->second == right->second;
}

static DtElement without_count(DtElement element)
{
    return dt_element_is_loop(element) ? dt_element_loop(dt_element_body(element), 0) : element;
}

static void count_occurrences(GHashTable *index, GPtrArray *found, Mined key)
{
    Mined *mined = g_hash_table_lookup(index, &key);
    if (!mined) {
        mined = g_new(Mined, 1);
        *mined = (Mined){key.first, key.second, 0};
        g_hash_table_add(index, mined);
        g_ptr_array_add(found, mined);
    }
    mined->occurrences += key.occurrences;
}

/* Distinct entries or pairs with their occurrences, by first occurrence (element-type Mined). */
static GPtrArray *mine(DtElements elements, DtAttributeUnit unit)
{
    g_autoptr(GHashTable) index = g_hash_table_new(mined_hash, mined_equal);
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);

    if (unit == DT_ATTRIBUTE_SINGLE) {
        for (gsize i = 0; i < elements.length; i++) {
            DtElement element = elements.elements[i];
            guint64 count = dt_element_is_loop(element) ? dt_element_count(element) : 1;
            count_occurrences(index, found, (Mined){without_count(element), 0, count});
        }
    } else {
        for (gsize i = 1; i < elements.length; i++) {
            DtElement first = without_count(elements.elements[i - 1]);
            DtElement second = without_count(elements.elements[i]);
            count_occurrences(index, found, (Mined){first, second, 1});
        }
    }
    return found;
}

static char *mined_name(const Mined *mined, const DtFunctions *functions, DtAttributeUnit unit)
{
    char *first = dt_element_name(mined->first, functions);
    if (unit == DT_ATTRIBUTE_SINGLE) {
        return first;
    }
    g_autofree char *head = first;
    g_autofree char *second = dt_element_name(mined->second, functions);
    return g_strconcat(head, ">", second, NULL);
}

static guint floor_log10(guint64 number)
{
    guint exponent = 0;
    while (number >= 10) {
        number /= 10;
        exponent++;
    }
    return exponent;
}

static char *attribute_text(const char *name, guint64 occurrences, DtAttributeFrequency frequency)
{
    switch (frequency) {
    case DT_FREQUENCY_ACTUAL:
        return g_strdup_printf("%s:%" G_GUINT64_FORMAT, name, occurrences);
    case DT_FREQUENCY_LOG10:
        return g_strdup_printf("%s:10^%u", name, floor_log10(occurrences));
    case DT_FREQUENCY_NONE:
        break;
    }
    return g_strdup(name);
}

guint dt_context_add_trace(DtContext *context, const char *label, DtElements elements, const DtFunctions *functions,
                           DtAttributeSetting setting)
{
    guint object = dt_context_add_object(context, label);
    g_autoptr(GPtrArray) found = mine(elements, setting.unit);
    /* An attribute is a name: functions of different images that share one are counted together. */
    g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < found->len; i++) {
        Mined *mined = g_ptr_array_index(found, i);
        g_autofree char *name = mined_name(mined, functions, setting.unit);
        Mined *namesake = g_hash_table_lookup(by_name, name);
        if (namesake) {
            namesake->occurrences += mined->occurrences;
            continue;
        }
        g_hash_table_insert(by_name, name, mined);
        g_ptr_array_add(names, g_steal_pointer(&name));
    }
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        const Mined *mined = g_hash_table_lookup(by_name, name);
        g_autofree char *text = attribute_text(name, mined->occurrences, setting.frequency);
        dt_context_add_attribute(context, object, text);
    }
    return object;
}
