#include "skeleton/fields.h"

#include <string.h>

#include "format/arguments.h"
#include "text/text.h"

static const char *const words[] = {
    [DT_ARGUMENT_COMMUNICATOR] = "",
    [DT_ARGUMENT_TO] = "to",
    [DT_ARGUMENT_FROM] = "from",
    [DT_ARGUMENT_TAG] = "tag",
    [DT_ARGUMENT_ROOT] = "root",
    [DT_ARGUMENT_OPERATION] = "",
    [DT_ARGUMENT_COLOR] = "color",
    [DT_ARGUMENT_REQUESTS] = "requests",
    [DT_ARGUMENT_WINDOW] = "window",
    [DT_ARGUMENT_TARGET] = "at",
    [DT_ARGUMENT_LOCK] = "lock",
    [DT_ARGUMENT_CONDITION] = "condition",
    [DT_ARGUMENT_BARRIER] = "barrier",
    [DT_ARGUMENT_LIVE] = "live",
    [DT_ARGUMENT_COUNTS] = "counts",
    [DT_ARGUMENT_ELEMENT] = "element",
    [DT_ARGUMENT_ELEMENTS] = "elements",
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
    [DT_ARGUMENT_WHENCE] = "whence",
    [DT_ARGUMENT_ACCESS_MODE] = "mode",
    [DT_ARGUMENT_CODE] = "code",
    [DT_ARGUMENT_THREAD_LEVEL] = "level",
    [DT_ARGUMENT_RANK] = "rank",
    [DT_ARGUMENT_NUMBER] = "number",
    [DT_ARGUMENT_COORDINATES] = "coordinates",
    [DT_ARGUMENT_PARTITIONS] = "partitions",
    [DT_ARGUMENT_PARTITION] = "partition",
    [DT_ARGUMENT_PARTITION_LIST] = "partition-list",
    [DT_ARGUMENT_RANGES] = "ranges",
    [DT_FIELD_COUNT] = "",
    [DT_FIELD_SIZE] = "x",
    [DT_FIELD_OTHER_COUNT] = "other",
    [DT_FIELD_OTHER_SIZE] = "x",
    [DT_FIELD_SOURCE] = "got",
    [DT_FIELD_GOT_TAG] = "got-tag",
    [DT_FIELD_COMPLETED] = "completed",
    [DT_FIELD_FAILED] = "failed",
    [DT_FIELD_NOT_MADE] = "not-made",
    [DT_FIELD_PROVIDED] = "provided",
    [DT_FIELD_OPEN] = "open",
};

const char *dt_field_word(guint kind)
{
    return kind < G_N_ELEMENTS(words) ? words[kind] : NULL;
}

const char *dt_field_name(guint kind)
{
    switch (kind) {
    case DT_ARGUMENT_COMMUNICATOR:
        return "communicator";
    case DT_ARGUMENT_OPERATION:
        return "operation";
    case DT_FIELD_COUNT:
        return "count";
    case DT_FIELD_SIZE:
        return "bytes";
    case DT_FIELD_OTHER_COUNT:
        return "other-count";
    case DT_FIELD_OTHER_SIZE:
        return "other-bytes";
    default:
        return dt_field_word(kind);
    }
}

guint dt_field_of_word(const char *word, gsize length)
{
    for (guint kind = 1; kind < G_N_ELEMENTS(words); kind++)
        if (words[kind] && *words[kind] && strlen(words[kind]) == length && memcmp(words[kind], word, length) == 0)
            return kind;
    return 0;
}

gboolean dt_field_is_distance(guint kind)
{
    return kind == DT_ARGUMENT_TO || kind == DT_ARGUMENT_FROM || kind == DT_ARGUMENT_TARGET ||
           kind == DT_ARGUMENT_KEY || kind == DT_FIELD_SOURCE;
}

gboolean dt_field_is_peer(guint kind)
{
    return kind == DT_ARGUMENT_TO || kind == DT_ARGUMENT_FROM || kind == DT_FIELD_SOURCE;
}

gboolean dt_field_is_outcome(guint kind)
{
    return kind >= DT_FIELD_SOURCE && kind <= DT_FIELD_OPEN;
}

const char *dt_special_word(guint special)
{
    static const char *const names[DT_SPECIALS] = {
        [DT_SPECIAL_VARIES] = "varies",     [DT_SPECIAL_UNKNOWN] = "unknown", [DT_SPECIAL_ANY] = "any",
        [DT_SPECIAL_PROC_NULL] = "null",    [DT_SPECIAL_ROOT] = "MPI_ROOT",   [DT_SPECIAL_UNDEFINED] = "undefined",
        [DT_SPECIAL_IN_PLACE] = "in_place", [DT_SPECIAL_ALL] = "all",         [DT_SPECIAL_NO_HANDLE] = "none",
    };
    return special > 0 && special < DT_SPECIALS ? names[special] : "unknown";
}

gboolean dt_word_is_operation(const char *word)
{
    static const char *const operations[] = {"max", "min",  "sum",  "prod",   "land",   "band",    "lor",
                                             "bor", "lxor", "bxor", "minloc", "maxloc", "replace", "no_op"};
    for (guint i = 0; i < G_N_ELEMENTS(operations); i++)
        if (g_str_equal(word, operations[i]))
            return TRUE;
    return g_str_has_prefix(word, "own_operation") || g_str_has_prefix(word, "operation");
}

DtValue dt_numbers_atom(DtAtoms *atoms, const gint64 *values, guint count)
{
    g_autofree char *text = dt_text_numbers(values, count);
    text[0] = '<';
    text[strlen(text) - 1] = '>';
    return dt_atoms_intern(atoms, text);
}

GArray *dt_numbers_of_atom(const char *text)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    char *at = (char *)text + 1;
    while (*at != '\0' && *at != '>') {
        const char *start = at;
        const gint64 first = g_ascii_strtoll(at, &at, 10);
        const gboolean is_repeated = *at == '^', is_run = *at == '-';
        const gint64 other = is_repeated || is_run ? g_ascii_strtoll(at + 1, &at, 10) : first;
        const gint64 count = is_repeated ? other : other - first + 1;
        for (gint64 i = 0; i < count && numbers->len <= DT_SKELETON_MOST_CALLS; i++) {
            const gint64 value = is_repeated ? first : first + i;
            g_array_append_val(numbers, value);
        }
        at += *at == ' ';
        if (at == start)
            break;
    }
    return numbers;
}
