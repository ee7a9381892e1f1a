/* The functions of all runs of an analysis, by dense id. */
#include "store/names.h"
#include "store/store.h"

struct DtFunctions {
    gatomicrefcount references;
    GPtrArray *functions; /* Entry; id - 1 is the index */
    GHashTable *ids;      /* Entry as its own key -> id */
};

/* The public part first. */
typedef struct {
    DtFunction function;
    gboolean main_image;
    guint ordinal;
} Entry;

static guint hash_entry(gconstpointer data)
{
    const Entry *entry = data;
    guint hash = g_str_hash(entry->function.symbol) * 31 + entry->ordinal;
    if (!entry->main_image)
        hash = hash * 31 + g_str_hash(entry->function.image);
    return hash * 2 + (entry->function.flags & DT_FUNCTION_IMPORT);
}

static gboolean equal_entries(gconstpointer first, gconstpointer second)
{
    const Entry *one = first, *two = second;
    return one->ordinal == two->ordinal && one->main_image == two->main_image &&
           (one->function.flags & DT_FUNCTION_IMPORT) == (two->function.flags & DT_FUNCTION_IMPORT) &&
           g_str_equal(one->function.symbol, two->function.symbol) &&
           (one->main_image || g_str_equal(one->function.image, two->function.image));
}

static void free_entry(gpointer data)
{
    Entry *entry = data;
    g_free((char *)entry->function.name);
    g_free((char *)entry->function.symbol);
    g_free((char *)entry->function.image);
    g_free(entry);
}

DtFunctions *dt_functions_new(void)
{
    DtFunctions *functions = g_new(DtFunctions, 1);
    g_atomic_ref_count_init(&functions->references);
    functions->functions = g_ptr_array_new_with_free_func(free_entry);
    functions->ids = g_hash_table_new(hash_entry, equal_entries);
    return functions;
}

DtFunctions *dt_functions_ref(DtFunctions *functions)
{
    g_atomic_ref_count_inc(&functions->references);
    return functions;
}

void dt_functions_unref(DtFunctions *functions)
{
    if (!functions || !g_atomic_ref_count_dec(&functions->references))
        return;
    g_hash_table_unref(functions->ids);
    g_ptr_array_unref(functions->functions);
    g_free(functions);
}

guint32 dt_functions_intern(DtFunctions *functions, const char *image, gboolean main_image, const char *symbol,
                            guint ordinal, guint flags)
{
    Entry key = {{.symbol = symbol, .image = image, .flags = flags}, .main_image = main_image, .ordinal = ordinal};
    gpointer found = g_hash_table_lookup(functions->ids, &key);
    if (found)
        return GPOINTER_TO_UINT(found);

    Entry *entry = g_new(Entry, 1);
    *entry = key;
    entry->main_image = main_image != FALSE;
    entry->function.name = dt_canonical_name(symbol, flags);
    entry->function.symbol = g_strdup(symbol);
    entry->function.image = g_strdup(image);
    g_ptr_array_add(functions->functions, entry);
    g_hash_table_insert(functions->ids, entry, GUINT_TO_POINTER(functions->functions->len));
    return functions->functions->len;
}

guint32 dt_functions_count(const DtFunctions *functions)
{
    return functions->functions->len;
}

const DtFunction *dt_functions_get(const DtFunctions *functions, guint32 id)
{
    g_return_val_if_fail(id >= 1 && id <= functions->functions->len, NULL);
    const Entry *entry = g_ptr_array_index(functions->functions, id - 1);
    return &entry->function;
}
