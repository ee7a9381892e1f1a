/* Arguments of calls, as they are read and shown. */
#include "store/store.h"

static const DtNumbers *array_of(const GPtrArray *arrays, gint64 number)
{
    return arrays && number < arrays->len ? arrays->pdata[number] : NULL;
}

DtArgument dt_argument_read(gint64 raw, const GPtrArray *arrays)
{
    DtArgument argument = {.kind = dt_argument_kind(raw), .special = dt_argument_special_of(raw)};
    gint64 value = dt_argument_value(raw);
    if (argument.special != DT_SPECIAL_NONE)
        return argument;
    if (argument.kind == DT_ARGUMENT_LIVE && value >= DT_ARGUMENT_FIRST_LIST) {
        argument.numbers = array_of(arrays, value - DT_ARGUMENT_FIRST_LIST);
        argument.special = argument.numbers ? DT_SPECIAL_NONE : DT_SPECIAL_UNKNOWN;
        return argument;
    }
    argument.value = argument.kind == DT_ARGUMENT_DATA ? value & G_MAXUINT32 : value;
    argument.size = argument.kind == DT_ARGUMENT_DATA ? value >> 32 : 0;
    return argument;
}

static const char *special_name(guint special)
{
    static const char *const names[DT_SPECIALS] = {
        [DT_SPECIAL_VARIES] = "varies",     [DT_SPECIAL_UNKNOWN] = "unknown", [DT_SPECIAL_ANY] = "any",
        [DT_SPECIAL_PROC_NULL] = "null",    [DT_SPECIAL_ROOT] = "MPI_ROOT",   [DT_SPECIAL_UNDEFINED] = "undefined",
        [DT_SPECIAL_IN_PLACE] = "in place", [DT_SPECIAL_ALL] = "all",         [DT_SPECIAL_NO_HANDLE] = "none",
    };
    return special < DT_SPECIALS ? names[special] : "unknown";
}

static const char *kind_name(guint kind)
{
    static const char *const names[] = {
        [DT_ARGUMENT_COMMUNICATOR] = "communicator",
        [DT_ARGUMENT_TO] = "to",
        [DT_ARGUMENT_FROM] = "from",
        [DT_ARGUMENT_TAG] = "tag",
        [DT_ARGUMENT_DATA] = "data",
        [DT_ARGUMENT_ROOT] = "root",
        [DT_ARGUMENT_OPERATION] = "operation",
        [DT_ARGUMENT_COLOR] = "color",
        [DT_ARGUMENT_REQUESTS] = "requests",
        [DT_ARGUMENT_WINDOW] = "window",
        [DT_ARGUMENT_TARGET] = "at",
        [DT_ARGUMENT_LOCK] = "lock",
        [DT_ARGUMENT_CONDITION] = "condition",
        [DT_ARGUMENT_BARRIER] = "barrier",
        [DT_ARGUMENT_LIVE] = "live",
    };
    return kind < G_N_ELEMENTS(names) && names[kind] ? names[kind] : "argument";
}

static char *operation_text(gint64 operation)
{
    static const char *const names[] = {"max", "min",  "sum",  "prod",   "land",   "band",    "lor",
                                        "bor", "lxor", "bxor", "minloc", "maxloc", "replace", "no_op"};
    if (operation >= DT_OPERATION_MAX && operation <= DT_OPERATION_NO_OP)
        return g_strdup(names[operation - DT_OPERATION_MAX]);
    return g_strdup_printf("own operation %" G_GINT64_FORMAT, operation - DT_OPERATION_OWN);
}

char *dt_argument_text(const DtArgument *argument, const char *communicator)
{
    const char *kind = kind_name(argument->kind);
    if (argument->special != DT_SPECIAL_NONE)
        return g_strdup_printf("%s %s", kind, special_name(argument->special));
    if (argument->numbers)
        return g_strdup_printf("%s %s", kind, argument->numbers->text);
    switch (argument->kind) {
    case DT_ARGUMENT_COMMUNICATOR:
        return g_strdup(communicator ? communicator : kind);
    case DT_ARGUMENT_TO:
    case DT_ARGUMENT_FROM:
    case DT_ARGUMENT_TARGET:
        return g_strdup_printf("%s %+" G_GINT64_FORMAT, kind, argument->value);
    case DT_ARGUMENT_DATA:
        return g_strdup_printf("%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " B", argument->value, argument->size);
    case DT_ARGUMENT_OPERATION:
        return operation_text(argument->value);
    case DT_ARGUMENT_REQUESTS:
        return g_strdup_printf("%" G_GINT64_FORMAT " %s", argument->value, kind);
    default:
        return g_strdup_printf("%s %" G_GINT64_FORMAT, kind, argument->value);
    }
}

char *dt_signature_text(const DtSignature *signature)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < signature->argument_count; i++) {
        g_autofree char *argument = dt_argument_text(&signature->arguments[i], signature->communicator);
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", argument);
    }
    return g_string_free(text, FALSE);
}
