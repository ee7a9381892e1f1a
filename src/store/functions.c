/* The functions of all runs of an analysis, by dense id. */
#include <string.h>

#include "store/arguments/datatypes.h"
#include "store/store.h"
#include "store/symbols/names.h"
#include "text/text.h"

struct DtFunctions {
    gatomicrefcount references;
    GPtrArray *functions;   /* Entry; id - 1 is the index */
    GHashTable *ids;        /* Entry as its own key -> id; not of signatures */
    GHashTable *signatures; /* DtSignature -> id */
    GHashTable *numbers;    /* DtNumbers as its own key */
};

/* The public part first. */
typedef struct {
    DtFunction function;
    DtSignature *signature;
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
    if (entry->function.shown != entry->function.name)
        g_free((char *)entry->function.shown);
    g_free((char *)entry->function.name);
    g_free((char *)entry->function.symbol);
    g_free((char *)entry->function.image);
    if (entry->signature)
        g_free((char *)entry->signature->communicator);
    g_free(entry->signature);
    g_free(entry);
}

static guint hash_numbers(gconstpointer data)
{
    const DtNumbers *numbers = data;
    guint64 hash = numbers->count;
    for (guint i = 0; i < numbers->count; i++)
        hash = (hash ^ (guint64)numbers->values[i]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

static gboolean equal_numbers(gconstpointer first, gconstpointer second)
{
    const DtNumbers *one = first, *two = second;
    return one->count == two->count &&
           (one->count == 0 || memcmp(one->values, two->values, one->count * sizeof(*one->values)) == 0);
}

static void free_numbers(gpointer data)
{
    DtNumbers *numbers = data;
    g_free((gint64 *)numbers->values);
    g_free((char *)numbers->text);
    g_free(numbers);
}

static guint hash_signature(gconstpointer data)
{
    const DtSignature *signature = data;
    guint64 hash = signature->function;
    for (guint i = 0; i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        hash = hash * 31 + argument->kind * 8 + argument->special;
        hash = (hash * 31 + (guint64)argument->value) * 31 + (guint64)argument->size;
        hash = hash * 31 + (argument->numbers ? hash_numbers(argument->numbers) : 0);
    }
    return (guint)(hash ^ hash >> 32) ^ (signature->communicator ? g_str_hash(signature->communicator) : 0);
}

static gboolean equal_signatures(gconstpointer first, gconstpointer second)
{
    const DtSignature *one = first, *two = second;
    gboolean equal = one->function == two->function && one->argument_count == two->argument_count &&
                     g_strcmp0(one->communicator, two->communicator) == 0;
    for (guint i = 0; equal && i < one->argument_count; i++) {
        const DtArgument *a = &one->arguments[i], *b = &two->arguments[i];
        equal = a->kind == b->kind && a->special == b->special && a->value == b->value && a->size == b->size &&
                a->numbers == b->numbers;
    }
    return equal;
}

DtFunctions *dt_functions_new(void)
{
    DtFunctions *functions = g_new(DtFunctions, 1);
    g_atomic_ref_count_init(&functions->references);
    functions->functions = g_ptr_array_new_with_free_func(free_entry);
    functions->ids = g_hash_table_new(hash_entry, equal_entries);
    functions->signatures = g_hash_table_new(hash_signature, equal_signatures);
    functions->numbers = g_hash_table_new_full(hash_numbers, equal_numbers, free_numbers, NULL);
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
    g_hash_table_unref(functions->signatures);
    g_ptr_array_unref(functions->functions);
    g_hash_table_unref(functions->numbers);
    g_free(functions);
}

/* Takes `name`. */
static void set_name(Entry *entry, char *name)
{
    gboolean is_short = strlen(name) <= DT_TEXT_NAME_SHOWN;
    entry->function.name = name;
    entry->function.shown = is_short ? name : dt_text_shortened(name, DT_TEXT_NAME_SHOWN);
}

guint32 dt_functions_intern(DtFunctions *functions, const char *image, gboolean main_image, const char *symbol,
                            guint ordinal, guint flags)
{
    Entry key = {{.symbol = symbol, .image = image, .flags = flags}, .main_image = main_image, .ordinal = ordinal};
    gpointer found = g_hash_table_lookup(functions->ids, &key);
    if (found)
        return GPOINTER_TO_UINT(found);

    Entry *entry = g_new0(Entry, 1);
    *entry = key;
    entry->main_image = main_image != FALSE;
    set_name(entry, dt_canonical_name(symbol, flags));
    entry->function.symbol = g_strdup(symbol);
    entry->function.image = g_strdup(image);
    g_ptr_array_add(functions->functions, entry);
    g_hash_table_insert(functions->ids, entry, GUINT_TO_POINTER(functions->functions->len));
    return functions->functions->len;
}

guint32 dt_functions_intern_signature(DtFunctions *functions, const DtSignature *signature)
{
    gpointer found = g_hash_table_lookup(functions->signatures, signature);
    if (found)
        return GPOINTER_TO_UINT(found);

    const DtFunction *base = dt_functions_get(functions, signature->function);
    g_autofree char *arguments = dt_signature_text(signature);
    Entry *entry = g_new0(Entry, 1);
    entry->signature = g_memdup2(signature, sizeof(*signature));
    entry->signature->communicator = g_strdup(signature->communicator);
    entry->function = *base;
    set_name(entry, g_strdup_printf("%s(%s)", base->name, arguments));
    entry->function.symbol = g_strdup(base->symbol);
    entry->function.image = g_strdup(base->image);
    entry->function.signature = entry->signature;
    g_ptr_array_add(functions->functions, entry);
    g_hash_table_insert(functions->signatures, entry->signature, GUINT_TO_POINTER(functions->functions->len));
    return functions->functions->len;
}

static const DtNumbers *find_numbers(DtFunctions *functions, const gint64 *values, guint count)
{
    const DtNumbers key = {.count = count, .values = values};
    return g_hash_table_lookup(functions->numbers, &key);
}

static const DtNumbers *add_numbers(DtFunctions *functions, const gint64 *values, guint count, char *text)
{
    DtNumbers *numbers = g_new0(DtNumbers, 1);
    numbers->count = count;
    numbers->values = g_memdup2(values, count * sizeof(*values));
    numbers->text = text;
    g_hash_table_add(functions->numbers, numbers);
    return numbers;
}

const DtNumbers *dt_functions_intern_numbers(DtFunctions *functions, const gint64 *values, guint count)
{
    const DtNumbers *known = find_numbers(functions, values, count);
    return known ? known : add_numbers(functions, values, count, dt_text_numbers(values, count));
}

const DtNumbers *dt_functions_intern_datatype(DtFunctions *functions, const gint64 *values, guint count,
                                              const char *text)
{
    const DtNumbers *known = find_numbers(functions, values, count);
    return known ? known : add_numbers(functions, values, count, g_strdup(text));
}

gboolean dt_functions_have_signatures(const DtFunctions *functions)
{
    for (guint32 id = dt_functions_count(functions); id > 0; id--) {
        if (dt_functions_base(functions, id) != id)
            return TRUE;
    }
    return FALSE;
}

guint32 dt_functions_base(const DtFunctions *functions, guint32 id)
{
    const DtSignature *signature = dt_functions_get(functions, id)->signature;
    return signature ? signature->function : id;
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
