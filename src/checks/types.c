#include "checks/types.h"

#include <string.h>

#include "format/arguments.h"
#include "format/datatypes.h"
#include "store/arguments/datatypes.h"

DtCheckedData dt_checked_data(const DtArgument *argument)
{
    if (!argument || argument->special != DT_SPECIAL_NONE || argument->size < 0 || argument->value < 0)
        return (DtCheckedData){.count = -1};
    return (DtCheckedData){argument->value, argument->size, argument->datatype, argument->numbers};
}

/* ---- what predefined datatypes hold ---------------------------------------------------------- */

typedef enum {
    HOLDS_OTHER,
    HOLDS_BYTES,
    HOLDS_PACKED,
    HOLDS_INTEGERS,
    HOLDS_UNSIGNED,
    HOLDS_FLOATS,
    HOLDS_COMPLEX
} Holds;

static gboolean is_pair(const char *name)
{
    return name[0] == '2' || (g_str_has_suffix(name, "_INT") && !g_str_equal(name, "LONG_LONG_INT"));
}

static guint number_of(const char *name)
{
    guint number = dt_datatype_name_count - 1;
    while (number > 0 && !g_str_equal(dt_datatype_names[number], name))
        number--;
    return number;
}

/* Of a pair (MPI 3.1, 5.9.4): 2REAL is two of REAL, FLOAT_INT is one of FLOAT and one of INT. */
static void parts_of_pair(const char *name, guint parts[2])
{
    g_autofree char *first = name[0] == '2' ? g_strdup(name + 1) : g_strndup(name, strlen(name) - strlen("_INT"));
    parts[0] = number_of(first);
    parts[1] = name[0] == '2' ? parts[0] : number_of("INT");
}

static Holds holds_of(const char *name)
{
    if (*name == '\0' || is_pair(name) || g_str_equal(name, "LB") || g_str_equal(name, "UB"))
        return HOLDS_OTHER;
    if (g_str_equal(name, "BYTE"))
        return HOLDS_BYTES;
    if (g_str_equal(name, "PACKED"))
        return HOLDS_PACKED;
    if (strstr(name, "COMPLEX"))
        return HOLDS_COMPLEX;
    if (strstr(name, "FLOAT") || strstr(name, "DOUBLE") || g_str_has_prefix(name, "REAL"))
        return HOLDS_FLOATS;
    if (g_str_has_prefix(name, "UNSIGNED") || g_str_has_prefix(name, "UINT"))
        return HOLDS_UNSIGNED;
    return HOLDS_INTEGERS;
}

static const char *name_of(guint datatype)
{
    return datatype < dt_datatype_name_count ? dt_datatype_names[datatype] : "";
}

/* ---- type signatures ------------------------------------------------------------------------- */

/* Of one element; in numbers of predefined datatypes, or of what they hold. */
typedef struct {
    guint64 hash, length;
    gboolean known;
} Signature;

static Signature join(Signature first, Signature second)
{
    return (Signature){dt_datatype_hash_join(first.hash, second.hash, second.length), first.length + second.length,
                       first.known && second.known};
}

static Signature repeat(Signature one, gint64 times)
{
    if (times < 0)
        return (Signature){.known = FALSE};
    return (Signature){dt_datatype_hash_repeat(one.hash, one.length, (guint64)times), one.length * (guint64)times,
                       one.known};
}

/* How a datatype is taken apart, and what was seen in it. */
typedef struct {
    gboolean exactly; /* into predefined datatypes, else into what they hold */
    gboolean bytes, packed, pairs;
} Walk;

static Signature held_by(guint number, Walk *walk)
{
    const char *name = name_of(number);
    if (is_pair(name)) {
        guint parts[2];
        parts_of_pair(name, parts);
        walk->pairs = TRUE;
        return join(held_by(parts[0], walk), held_by(parts[1], walk));
    }
    Holds holds = holds_of(name);
    walk->bytes |= holds == HOLDS_BYTES;
    walk->packed |= holds == HOLDS_PACKED;
    if (walk->exactly)
        return (Signature){dt_datatype_hash(number), 1, number != 0};
    return (Signature){dt_datatype_hash((guint32)(holds == HOLDS_UNSIGNED ? HOLDS_INTEGERS : holds)), 1,
                       holds != HOLDS_OTHER};
}

static gint64 product_of(const DtDatatypeParameter *parameter)
{
    gint64 product = 1;
    for (guint i = 0; i < parameter->count; i++)
        product = product > 0 && parameter->values[i] < G_MAXINT32 ? product * parameter->values[i] : -1;
    return product;
}

static gint64 sum_of(const DtDatatypeParameter *parameter)
{
    gint64 sum = 0;
    for (guint i = 0; i < parameter->count; i++)
        sum += parameter->values[i];
    return sum;
}

static Signature held_by_derived(const DtNumbers *datatype, Walk *walk, guint depth);

static Signature held_by_part(const DtNumbers *datatype, guint part, gint64 number, Walk *walk, guint depth)
{
    const DtNumbers *derived = datatype->parts && part < datatype->parts->len ? datatype->parts->pdata[part] : NULL;
    return derived ? held_by_derived(derived, walk, depth + 1)
                   : held_by(number > 0 && number < DT_FIRST_DERIVED ? (guint)number : 0, walk);
}

static Signature held_by_struct(const DtNumbers *datatype, const GArray *parameters, Walk *walk, guint depth)
{
    const DtDatatypeParameter *lengths = &g_array_index(parameters, DtDatatypeParameter, 1);
    const DtDatatypeParameter *parts = &g_array_index(parameters, DtDatatypeParameter, 3);
    Signature all = {.known = parts->count <= lengths->count};
    for (guint i = 0; all.known && i < parts->count; i++)
        all = join(all, repeat(held_by_part(datatype, i, parts->values[i], walk, depth), lengths->values[i]));
    return all;
}

/* How many of its one part a datatype has; -1: not known. */
static gint64 times_of(gint64 constructor, const GArray *parameters)
{
    const DtDatatypeParameter *of = &g_array_index(parameters, DtDatatypeParameter, 0);
    switch (constructor) {
    case DT_CONSTRUCTOR_CONTIGUOUS:
        return of[0].values[0];
    case DT_CONSTRUCTOR_VECTOR:
    case DT_CONSTRUCTOR_HVECTOR:
    case DT_CONSTRUCTOR_INDEXED_BLOCK:
    case DT_CONSTRUCTOR_HINDEXED_BLOCK:
        return of[0].values[0] * of[1].values[0];
    case DT_CONSTRUCTOR_INDEXED:
    case DT_CONSTRUCTOR_HINDEXED:
        return sum_of(&of[1]);
    case DT_CONSTRUCTOR_SUBARRAY:
        return product_of(&of[2]);
    case DT_CONSTRUCTOR_RESIZED:
        return 1;
    default:
        return -1;
    }
}

static gboolean is_whole(const GArray *parameters, guint count)
{
    gboolean whole = parameters->len == count;
    for (guint i = 0; whole && i < count; i++) {
        const DtDatatypeParameter *parameter = &g_array_index(parameters, DtDatatypeParameter, i);
        whole = parameter->count > 0 || parameter->is_row;
    }
    return whole;
}

static Signature held_by_derived(const DtNumbers *datatype, Walk *walk, guint depth)
{
    static const guint counts[DT_CONSTRUCTORS] = {0, 2, 4, 4, 4, 4, 4, 4, 4, 6, 0, 3};
    enum { DEEPEST = 16 };
    const gint64 constructor = DT_DATATYPE_MARK - datatype->values[0];
    if (depth > DEEPEST || constructor <= 0 || constructor >= DT_CONSTRUCTORS || !counts[constructor])
        return (Signature){.known = FALSE};
    g_autoptr(GArray) parameters = dt_datatype_parameters(datatype);
    if (!is_whole(parameters, counts[constructor]))
        return (Signature){.known = FALSE};
    if (constructor == DT_CONSTRUCTOR_STRUCT)
        return held_by_struct(datatype, parameters, walk, depth);
    for (guint i = 0; i < parameters->len; i++) {
        const DtDatatypeParameter *parameter = &g_array_index(parameters, DtDatatypeParameter, i);
        if (parameter->is_datatype)
            return repeat(held_by_part(datatype, 0, parameter->values[0], walk, depth),
                          times_of(constructor, parameters));
    }
    return (Signature){.known = FALSE};
}

/* In numbers of predefined datatypes. */
static Signature signature_of(const DtCheckedData *data)
{
    if (data->derived)
        return (Signature){(guint64)data->derived->values[DT_DATATYPE_HASH],
                           (guint64)data->derived->values[DT_DATATYPE_LENGTH],
                           data->derived->values[DT_DATATYPE_LENGTH] > 0};
    return (Signature){dt_datatype_hash(data->datatype), 1, data->datatype != 0};
}

static Signature holds(const DtCheckedData *data, Walk *walk)
{
    return data->derived ? held_by_derived(data->derived, walk, 0) : held_by(data->datatype, walk);
}

/* ---- matching -------------------------------------------------------------------------------- */

typedef enum { SAME, OTHER, UNSURE } Comparison;

/* Of `sent` whole with as much of `got`. */
static Comparison compare(Signature sent, gint64 sent_count, Signature got)
{
    if (!sent.known || !got.known || got.length == 0 || sent_count < 0)
        return UNSURE;
    guint64 all = sent.length * (guint64)sent_count;
    if (all % got.length != 0)
        return got.length == 1 ? OTHER : UNSURE;
    guint64 one = dt_datatype_hash_repeat(sent.hash, sent.length, (guint64)sent_count);
    return one == dt_datatype_hash_repeat(got.hash, got.length, all / got.length) ? SAME : OTHER;
}

static DtTypeMatch match_predefined(const DtCheckedData *sent, const DtCheckedData *got)
{
    Holds one = holds_of(name_of(sent->datatype)), other = holds_of(name_of(got->datatype));
    if (one == HOLDS_BYTES || other == HOLDS_BYTES || one == HOLDS_OTHER || other == HOLDS_OTHER)
        return DT_TYPES_DIFFER;
    if (sent->size != got->size)
        return DT_TYPES_CLASH;
    if (one == other)
        return DT_TYPES_AGREE; /* MPI_INT and MPI_INTEGER, MPI_LONG and MPI_INT64_T */
    gboolean integers =
        (one == HOLDS_INTEGERS || one == HOLDS_UNSIGNED) && (other == HOLDS_INTEGERS || other == HOLDS_UNSIGNED);
    return integers ? DT_TYPES_DIFFER : DT_TYPES_CLASH;
}

DtTypeMatch dt_checked_types_match(const DtCheckedData *sent, const DtCheckedData *got)
{
    if (sent->count <= 0 || got->count <= 0 || (sent->derived == got->derived && sent->datatype == got->datatype))
        return DT_TYPES_AGREE;
    if (compare(signature_of(sent), sent->count, signature_of(got)) != OTHER)
        return DT_TYPES_AGREE;
    Walk exact = {.exactly = TRUE}, walk = {0};
    const Comparison parts = compare(holds(sent, &exact), sent->count, holds(got, &exact));
    if (exact.packed || (exact.pairs && parts != OTHER))
        return DT_TYPES_AGREE;
    if (sent->datatype && got->datatype && !exact.pairs)
        return match_predefined(sent, got);
    Signature one = holds(sent, &walk), other = holds(got, &walk);
    return walk.bytes || compare(one, sent->count, other) != OTHER ? DT_TYPES_DIFFER : DT_TYPES_CLASH;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* MPI_LOGICAL and the booleans of C and C++. */
static gboolean holds_truth(const char *name)
{
    return strstr(name, "BOOL") || strstr(name, "LOGICAL");
}

gboolean dt_checked_may_combine(const DtCheckedData *data, gint64 operation)
{
    const char *name = name_of(data->datatype);
    const Holds held = holds_of(name);
    const gboolean is_integer = (held == HOLDS_INTEGERS || held == HOLDS_UNSIGNED);
    if (*name == '\0')
        return !data->derived || operation >= DT_OPERATION_REPLACE;
    switch (operation) {
    case DT_OPERATION_MAX:
    case DT_OPERATION_MIN:
        return (is_integer && !holds_truth(name)) || held == HOLDS_FLOATS;
    case DT_OPERATION_SUM:
    case DT_OPERATION_PROD:
        return (is_integer && !holds_truth(name)) || held == HOLDS_FLOATS || held == HOLDS_COMPLEX;
    case DT_OPERATION_LAND:
    case DT_OPERATION_LOR:
    case DT_OPERATION_LXOR:
        return is_integer;
    case DT_OPERATION_BAND:
    case DT_OPERATION_BOR:
    case DT_OPERATION_BXOR:
        return (is_integer && !holds_truth(name)) || held == HOLDS_BYTES;
    case DT_OPERATION_MINLOC:
    case DT_OPERATION_MAXLOC:
        return is_pair(name);
    default:
        return TRUE;
    }
}

char *dt_checked_data_text(const DtCheckedData *data)
{
    if (data->count < 0)
        return g_strdup("an unknown amount");
    if (data->derived)
        return g_strdup_printf("%" G_GINT64_FORMAT " x %s", data->count, data->derived->text);
    if (data->datatype && *name_of(data->datatype))
        return g_strdup_printf("%" G_GINT64_FORMAT " x MPI_%s", data->count, name_of(data->datatype));
    return g_strdup_printf("%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " B", data->count, data->size);
}
