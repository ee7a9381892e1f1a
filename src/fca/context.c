/* A formal context: objects, attributes and the cross table as bit rows. */
#include "base/bit_set.h"
#include "fca/fca.h"

struct DtContext {
    GPtrArray *labels;         /* of objects */
    GPtrArray *names;          /* of attributes */
    GHashTable *attribute_ids; /* name (borrowed from `names`) -> id + 1 */
    guint64 *rows;
    gsize stride; /* words from one row to the next; unused bits are 0 */
    guint row_capacity;
};

DtContext *dt_context_new(void)
{
    DtContext *context = g_new0(DtContext, 1);
    context->labels = g_ptr_array_new_with_free_func(g_free);
    context->names = g_ptr_array_new_with_free_func(g_free);
    context->attribute_ids = g_hash_table_new(g_str_hash, g_str_equal);
    context->stride = 1;
    context->row_capacity = 16;
    context->rows = g_new0(guint64, context->row_capacity);
    return context;
}

void dt_context_free(DtContext *context)
{
    if (context) {
        g_hash_table_destroy(context->attribute_ids);
        g_ptr_array_unref(context->names);
        g_ptr_array_unref(context->labels);
        g_free(context->rows);
        g_free(context);
    }
}

/* Moves all rows to a table of another shape, at least as large. */
static void reshape(DtContext *context, guint row_capacity, gsize stride)
{
    guint64 *rows = g_new0(guint64, row_capacity * stride);
    for (guint i = 0; i < context->labels->len; i++) {
        memcpy(rows + i * stride, context->rows + i * context->stride, context->stride * sizeof *rows);
    }
    g_free(context->rows);
    context->rows = rows;
    context->row_capacity = row_capacity;
    context->stride = stride;
}

guint dt_context_add_object(DtContext *context, const char *label)
{
    if (context->labels->len == context->row_capacity) {
        reshape(context, 2 * context->row_capacity, context->stride);
    }
    g_ptr_array_add(context->labels, g_strdup(label));
    return context->labels->len - 1;
}

static guint attribute_id(DtContext *context, const char *name)
{
    guint id = GPOINTER_TO_UINT(g_hash_table_lookup(context->attribute_ids, name));
    if (id == 0) {
        char *copy = g_strdup(name);
        g_ptr_array_add(context->names, copy);
        id = context->names->len;
        g_hash_table_insert(context->attribute_ids, copy, GUINT_TO_POINTER(id));
        if (dt_bits_words(id) > context->stride) {
            reshape(context, context->row_capacity, 2 * context->stride);
        }
    }
    return id - 1;
}

void dt_context_add_attribute(DtContext *context, guint object, const char *attribute)
{
    g_return_if_fail(object < context->labels->len);
    guint id = attribute_id(context, attribute);
    dt_bits_add(context->rows + object * context->stride, id);
}

guint dt_context_add_alike(DtContext *context, const char *label, guint object)
{
    guint added = dt_context_add_object(context, label);
    g_return_val_if_fail(object < added, added);
    memcpy(context->rows + added * context->stride, context->rows + object * context->stride,
           context->stride * sizeof *context->rows);
    return added;
}

guint dt_context_objects(const DtContext *context)
{
    return context->labels->len;
}

guint dt_context_attributes(const DtContext *context)
{
    return context->names->len;
}

const char *dt_context_object_label(const DtContext *context, guint object)
{
    g_return_val_if_fail(object < context->labels->len, NULL);
    return g_ptr_array_index(context->labels, object);
}

const char *dt_context_attribute_name(const DtContext *context, guint attribute)
{
    g_return_val_if_fail(attribute < context->names->len, NULL);
    return g_ptr_array_index(context->names, attribute);
}

gboolean dt_context_has(const DtContext *context, guint object, guint attribute)
{
    g_return_val_if_fail(object < context->labels->len && attribute < context->names->len, FALSE);
    return dt_bits_has(dt_context_row(context, object), attribute);
}

const guint64 *dt_context_row(const DtContext *context, guint object)
{
    g_return_val_if_fail(object < context->labels->len, NULL);
    return context->rows + object * context->stride;
}

gsize dt_context_row_words(const DtContext *context)
{
    return dt_bits_words(context->names->len);
}
