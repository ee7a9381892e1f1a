/* Derived datatypes in JSON: a list, as trees that share parts would be very large. */
#include "report/calls/datatypes.h"

#include "format/arguments.h"
#include "format/datatypes.h"
#include "store/arguments/datatypes.h"

struct DtDatatypeList {
    GPtrArray *datatypes; /* DtNumbers */
    GHashTable *numbers;  /* DtNumbers -> its index + 1 */
};

DtDatatypeList *dt_datatype_list_new(void)
{
    DtDatatypeList *list = g_new(DtDatatypeList, 1);
    list->datatypes = g_ptr_array_new();
    list->numbers = g_hash_table_new(NULL, NULL);
    return list;
}

void dt_datatype_list_free(DtDatatypeList *list)
{
    if (!list)
        return;
    g_ptr_array_unref(list->datatypes);
    g_hash_table_unref(list->numbers);
    g_free(list);
}

static guint number_of(DtDatatypeList *list, const DtNumbers *datatype)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(list->numbers, datatype));
    if (number == 0) {
        g_ptr_array_add(list->datatypes, (gpointer)datatype);
        number = list->datatypes->len;
        g_hash_table_insert(list->numbers, (gpointer)datatype, GUINT_TO_POINTER(number));
    }
    return number - 1;
}

/* `name`: NULL in an array. `derived`: NULL: it is the predefined one of that number. */
static void add_datatype(DtDatatypeList *list, JsonBuilder *builder, const char *name, const DtNumbers *derived,
                         gint64 number)
{
    g_autofree char *predefined = !derived ? dt_datatype_name(number) : NULL;
    if (name)
        json_builder_set_member_name(builder, name);
    if (derived)
        json_builder_add_int_value(builder, number_of(list, derived));
    else
        json_builder_add_string_value(builder, predefined);
}

void dt_datatype_list_add_call(DtDatatypeList *list, JsonBuilder *builder, const DtSignature *signature)
{
    dt_json_begin_array(builder, "datatypes");
    for (guint i = 0; signature && i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        gboolean is_data = argument->kind == DT_ARGUMENT_DATA || argument->kind == DT_ARGUMENT_OTHER_DATA;
        gboolean is_known =
            is_data ? argument->numbers || argument->datatype != 0 : argument->kind == DT_ARGUMENT_DATATYPE;
        if (argument->special != DT_SPECIAL_NONE || !is_known)
            continue;
        dt_json_begin_object(builder, NULL);
        dt_json_integer(builder, "argument", i + 1);
        add_datatype(list, builder, "datatype", argument->numbers, is_data ? argument->datatype : argument->value);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void add_values(JsonBuilder *builder, const DtDatatypeParameter *parameter)
{
    if (!parameter->is_row) {
        dt_json_integer(builder, parameter->name, *parameter->values);
        return;
    }
    dt_json_begin_array(builder, parameter->name);
    for (guint i = 0; i < parameter->count; i++)
        json_builder_add_int_value(builder, parameter->values[i]);
    json_builder_end_array(builder);
}

static void add_parts(DtDatatypeList *list, JsonBuilder *builder, const DtDatatypeParameter *parameter,
                      const GPtrArray *parts)
{
    dt_json_begin_array(builder, parameter->name);
    for (guint i = 0; i < parameter->count; i++)
        add_datatype(list, builder, NULL, i < parts->len ? parts->pdata[i] : NULL, parameter->values[i]);
    json_builder_end_array(builder);
}

/* Both not known of one whose parts are not. */
static void add_signature(JsonBuilder *builder, const DtNumbers *datatype)
{
    gint64 length = datatype->values[DT_DATATYPE_LENGTH];
    g_autofree char *hash = g_strdup_printf("%016" G_GINT64_MODIFIER "x", (guint64)datatype->values[DT_DATATYPE_HASH]);
    dt_json_string(builder, "hash", length == 0 ? NULL : hash);
    if (length == 0)
        dt_json_null(builder, "length");
    else
        dt_json_integer(builder, "length", length);
}

void dt_datatype_list_write(DtDatatypeList *list, JsonBuilder *builder)
{
    dt_json_begin_array(builder, "datatypes");
    for (guint i = 0; i < list->datatypes->len; i++) { /* grows meanwhile */
        const DtNumbers *datatype = list->datatypes->pdata[i];
        g_autoptr(GArray) parameters = dt_datatype_parameters(datatype);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "text", datatype->text);
        dt_json_string(builder, "constructor", dt_datatype_constructor(datatype));
        add_signature(builder, datatype);
        for (guint k = 0; k < parameters->len; k++) {
            const DtDatatypeParameter *parameter = &g_array_index(parameters, DtDatatypeParameter, k);
            if (parameter->is_datatype)
                add_parts(list, builder, parameter, datatype->parts);
            else
                add_values(builder, parameter);
        }
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}
