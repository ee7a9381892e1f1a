/* Arguments of calls, as they are read and shown. */
#include "format/datatypes.h"
#include "store/arguments/datatypes.h"
#include "store/store.h"

static const DtNumbers *array_of(const GPtrArray *arrays, gint64 number)
{
    return arrays && number < arrays->len ? arrays->pdata[number] : NULL;
}

static gboolean is_data(guint kind)
{
    return kind == DT_ARGUMENT_DATA || kind == DT_ARGUMENT_OTHER_DATA;
}

static const DtNumbers *derived_datatype(const GPtrArray *arrays, gint64 number)
{
    const DtNumbers *datatype = number >= DT_FIRST_DERIVED ? array_of(arrays, number - DT_FIRST_DERIVED) : NULL;
    return datatype && dt_array_is_datatype(datatype->values, datatype->count) ? datatype : NULL;
}

/* Data that do not fit into a value are an array of count, size and, if it is known, the datatype. */
static DtArgument argument_of_array(DtArgument argument, const GPtrArray *arrays)
{
    const DtNumbers *numbers = argument.numbers;
    if (!numbers || (is_data(argument.kind) && numbers->count != 2 && numbers->count != 3))
        return (DtArgument){.kind = argument.kind, .special = DT_SPECIAL_UNKNOWN};
    const gint64 datatype = numbers->count == 3 ? numbers->values[2] : 0;
    if (is_data(argument.kind))
        return (DtArgument){.kind = argument.kind,
                            .value = numbers->values[0],
                            .size = numbers->values[1],
                            .datatype = datatype > 0 && datatype < DT_FIRST_DERIVED ? (guint)datatype : 0,
                            .numbers = derived_datatype(arrays, datatype)};
    return argument;
}

/* Data of a predefined datatype, and datatypes by themselves. */
static DtArgument read_typed(DtArgument argument, gint64 value, const GPtrArray *arrays)
{
    enum { SIZE_BITS = 8, NUMBER_BITS = 8 };
    if (argument.kind == DT_ARGUMENT_TYPED_DATA) {
        argument.kind = DT_ARGUMENT_DATA;
        argument.recorded_kind = DT_ARGUMENT_TYPED_DATA;
        if (argument.special != DT_SPECIAL_NONE)
            return argument;
        argument.value = value & G_MAXUINT32;
        argument.size = value >> 32 & ((1 << SIZE_BITS) - 1);
        argument.datatype = (guint)(value >> (32 + SIZE_BITS)) & ((1 << NUMBER_BITS) - 1);
        return argument;
    }
    if (argument.special == DT_SPECIAL_NONE) {
        argument.numbers = derived_datatype(arrays, value);
        argument.value = argument.numbers ? 0 : value;
    }
    return argument;
}

DtArgument dt_argument_read(gint64 raw, const GPtrArray *arrays)
{
    DtArgument argument = {.kind = dt_argument_kind(raw), .special = dt_argument_special_of(raw)};
    gint64 value = dt_argument_value(raw);
    if (argument.kind == DT_ARGUMENT_TYPED_DATA || argument.kind == DT_ARGUMENT_DATATYPE)
        return read_typed(argument, value, arrays);
    if (argument.special != DT_SPECIAL_NONE)
        return argument;
    gint64 first_array = dt_argument_first_array(argument.kind);
    if (first_array && value >= first_array) {
        argument.numbers = array_of(arrays, value - first_array);
        return argument_of_array(argument, arrays);
    }
    argument.value = is_data(argument.kind) ? value & G_MAXUINT32 : value;
    argument.size = is_data(argument.kind) ? value >> 32 : 0;
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
        [DT_ARGUMENT_OTHER_DATA] = "other data",
        [DT_ARGUMENT_COUNTS] = "counts",
        [DT_ARGUMENT_ELEMENT] = "elements of",
        [DT_ARGUMENT_ELEMENTS] = "elements of",
        [DT_ARGUMENT_DIMENSIONS] = "dimensions",
        [DT_ARGUMENT_PERIODS] = "periods",
        [DT_ARGUMENT_KEPT] = "kept",
        [DT_ARGUMENT_NEIGHBOURS] = "neighbours",
        [DT_ARGUMENT_DEGREES] = "degrees",
        [DT_ARGUMENT_GRAPH_INDEX] = "index",
        [DT_ARGUMENT_GRAPH_EDGES] = "edges",
        [DT_ARGUMENT_GROUP] = "group",
        [DT_ARGUMENT_RANKS] = "ranks",
        [DT_ARGUMENT_KEY] = "key",
        [DT_ARGUMENT_DISPLACEMENT] = "displacement",
        [DT_ARGUMENT_UNIT] = "unit",
        [DT_ARGUMENT_SIZE] = "size",
        [DT_ARGUMENT_LOCK_TYPE] = "type",
        [DT_ARGUMENT_ASSERTION] = "assertion",
        [DT_ARGUMENT_FILE] = "file",
        [DT_ARGUMENT_OFFSET] = "offset",
        [DT_ARGUMENT_WHENCE] = "from",
        [DT_ARGUMENT_ACCESS_MODE] = "mode",
        [DT_ARGUMENT_CODE] = "code",
        [DT_ARGUMENT_THREAD_LEVEL] = "level",
        [DT_ARGUMENT_RANK] = "rank",
        [DT_ARGUMENT_NUMBER] = "number",
        [DT_ARGUMENT_COORDINATES] = "coordinates",
        [DT_ARGUMENT_PARTITIONS] = "partitions",
        [DT_ARGUMENT_PARTITION] = "partition",
        [DT_ARGUMENT_PARTITION_LIST] = "partitions",
        [DT_ARGUMENT_RANGES] = "ranges",
        [DT_ARGUMENT_DATATYPE] = "datatype",
        [DT_ARGUMENT_CHANNEL] = "channel",
        [DT_ARGUMENT_WAIT_GROUP] = "group",
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

static const char *word_of(const char *const *words, gint64 count, gint64 value)
{
    return value >= 0 && value < count ? words[value] : NULL;
}

/* Values that have names; NULL: this one has not. */
static const char *value_name(const DtArgument *argument)
{
    static const char *const locks[] = {NULL, "exclusive", "shared"};
    static const char *const places[] = {"the start", "here", "the end"};
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
    switch (argument->kind) {
    case DT_ARGUMENT_LOCK_TYPE:
        return word_of(locks, G_N_ELEMENTS(locks), argument->value);
    case DT_ARGUMENT_WHENCE:
        return word_of(places, G_N_ELEMENTS(places), argument->value);
    case DT_ARGUMENT_THREAD_LEVEL:
        return word_of(levels, G_N_ELEMENTS(levels), argument->value);
    default:
        return NULL;
    }
}

static char *data_text(const DtArgument *argument)
{
    const char *before = argument->kind == DT_ARGUMENT_OTHER_DATA ? "other " : "";
    if (argument->size < 0)
        return g_strdup_printf("%s%" G_GINT64_FORMAT " x unknown", before, argument->value);
    if (argument->numbers)
        return g_strdup_printf("%s%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " B of %s", before, argument->value,
                               argument->size, argument->numbers->text);
    return g_strdup_printf("%s%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " B", before, argument->value, argument->size);
}

char *dt_argument_text(const DtArgument *argument, const char *communicator)
{
    const char *kind = kind_name(argument->kind);
    if (argument->special != DT_SPECIAL_NONE)
        return g_strdup_printf("%s %s", kind, special_name(argument->special));
    if (argument->kind == DT_ARGUMENT_DATATYPE)
        return argument->numbers ? g_strdup(argument->numbers->text) : dt_datatype_name(argument->value);
    if (argument->numbers && !is_data(argument->kind))
        return g_strdup_printf("%s %s", kind, argument->numbers->text);
    if (value_name(argument))
        return g_strdup_printf("%s %s", kind, value_name(argument));
    switch (argument->kind) {
    case DT_ARGUMENT_COMMUNICATOR:
        return g_strdup(communicator ? communicator : kind);
    case DT_ARGUMENT_TO:
    case DT_ARGUMENT_FROM:
    case DT_ARGUMENT_TARGET:
    case DT_ARGUMENT_KEY:
        return g_strdup_printf("%s %+" G_GINT64_FORMAT, kind, argument->value);
    case DT_ARGUMENT_DATA:
    case DT_ARGUMENT_OTHER_DATA:
        return data_text(argument);
    case DT_ARGUMENT_ELEMENT:
    case DT_ARGUMENT_UNIT:
    case DT_ARGUMENT_SIZE:
        return g_strdup_printf("%s %" G_GINT64_FORMAT " B", kind, argument->value);
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
