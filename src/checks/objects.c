#include "checks/objects.h"

#include "format/arguments.h"

struct DtCheckedObjects {
    GPtrArray *windows, *files; /* DtCheckedObject by number in the process */
    GHashTable *made;           /* key of a communicator and kind -> how many were made on it */
};

DtCheckedObjects *dt_checked_objects_new(void)
{
    DtCheckedObjects *objects = g_new0(DtCheckedObjects, 1);
    objects->windows = g_ptr_array_new_with_free_func(g_free);
    objects->files = g_ptr_array_new_with_free_func(g_free);
    objects->made = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return objects;
}

void dt_checked_objects_free(DtCheckedObjects *objects)
{
    if (!objects)
        return;
    g_ptr_array_unref(objects->windows);
    g_ptr_array_unref(objects->files);
    g_hash_table_unref(objects->made);
    g_free(objects);
}

void dt_checked_objects_clear(DtCheckedObjects *objects)
{
    g_ptr_array_set_size(objects->windows, 0);
    g_ptr_array_set_size(objects->files, 0);
    g_hash_table_remove_all(objects->made);
}

gboolean dt_checked_objects_made_by(const struct dt_call *row)
{
    return dt_call_has(row, DT_PARAMETER_FILE_MADE) || dt_call_has(row, DT_PARAMETER_WINDOW_MADE);
}

void dt_checked_objects_add(DtCheckedObjects *objects, const struct dt_call *row, const DtCommunicator *communicator)
{
    DtCheckedObject *object = g_new0(DtCheckedObject, 1);
    object->is_file = dt_call_has(row, DT_PARAMETER_FILE_MADE);
    object->communicator = communicator;
    if (communicator) {
        const guint64 of = communicator->key * 2 + (object->is_file ? 1 : 0);
        const gsize number = GPOINTER_TO_SIZE(g_hash_table_lookup(objects->made, &of)) + 1;
        g_hash_table_insert(objects->made, g_memdup2(&of, sizeof of), GSIZE_TO_POINTER(number));
        object->number = (guint)number;
        if (communicator->is_sure)
            object->key =
                (of ^ number * G_GUINT64_CONSTANT(0xff51afd7ed558ccd)) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    }
    g_ptr_array_add(object->is_file ? objects->files : objects->windows, object);
}

const DtCheckedObject *dt_checked_objects_of(const DtCheckedObjects *objects, const DtSignature *signature)
{
    for (guint i = 0; signature && i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if (argument->kind != DT_ARGUMENT_WINDOW && argument->kind != DT_ARGUMENT_FILE)
            continue;
        const GPtrArray *all = argument->kind == DT_ARGUMENT_FILE ? objects->files : objects->windows;
        const gboolean known =
            argument->special == DT_SPECIAL_NONE && argument->value >= 0 && argument->value < all->len;
        return known ? all->pdata[argument->value] : NULL;
    }
    return NULL;
}

const DtCheckedObject *dt_checked_objects_last(const DtCheckedObjects *objects, gboolean file)
{
    const GPtrArray *all = file ? objects->files : objects->windows;
    return all->len > 0 ? all->pdata[all->len - 1] : NULL;
}

char *dt_checked_object_text(const DtCheckedObject *object)
{
    return g_strdup_printf("%s %u of %s", object->is_file ? "file" : "window", object->number,
                           object->communicator ? object->communicator->name : "an unknown communicator");
}
