#include "attach/meaning.h"

#include <string.h>

#include "store/symbols/names.h"

enum { MPICH_WORLD = 0x44000000, MPICH_SELF = 0x44000001, MPICH_OPERATION = 0x58000000, MPICH_DATATYPE = 0x4c };

/* ---- predefined objects --------------------------------------------------------------------------------- */

typedef struct {
    const char *symbol; /* of Open MPI's, without "ompi_mpi_" */
    const char *name;
    gint64 size;
    guint32 mpich;
    gint32 fortran; /* Open MPI's number of it there; 0: none */
} Datatype;

static const Datatype datatypes[] = {
    {"char", "MPI_CHAR", 1, 0x4c000101, 0},
    {"signed_char", "MPI_SIGNED_CHAR", 1, 0x4c000118, 0},
    {"unsigned_char", "MPI_UNSIGNED_CHAR", 1, 0x4c000102, 0},
    {"byte", "MPI_BYTE", 1, 0x4c00010d, 1},
    {"packed", "MPI_PACKED", 1, 0x4c00010f, 2},
    {"wchar", "MPI_WCHAR", 4, 0x4c00040e, 0},
    {"short", "MPI_SHORT", 2, 0x4c000203, 0},
    {"unsigned_short", "MPI_UNSIGNED_SHORT", 2, 0x4c000204, 0},
    {"int", "MPI_INT", 4, 0x4c000405, 0},
    {"unsigned", "MPI_UNSIGNED", 4, 0x4c000406, 0},
    {"long", "MPI_LONG", 8, 0x4c000807, 0},
    {"unsigned_long", "MPI_UNSIGNED_LONG", 8, 0x4c000808, 0},
    {"long_long_int", "MPI_LONG_LONG_INT", 8, 0x4c000809, 0},
    {"unsigned_long_long", "MPI_UNSIGNED_LONG_LONG", 8, 0x4c000819, 0},
    {"float", "MPI_FLOAT", 4, 0x4c00040a, 0},
    {"double", "MPI_DOUBLE", 8, 0x4c00080b, 0},
    {"long_double", "MPI_LONG_DOUBLE", 16, 0x4c00100c, 0},
    {"int8_t", "MPI_INT8_T", 1, 0x4c000137, 0},
    {"int16_t", "MPI_INT16_T", 2, 0x4c000238, 0},
    {"int32_t", "MPI_INT32_T", 4, 0x4c000439, 0},
    {"int64_t", "MPI_INT64_T", 8, 0x4c00083a, 0},
    {"uint8_t", "MPI_UINT8_T", 1, 0x4c00013b, 0},
    {"uint16_t", "MPI_UINT16_T", 2, 0x4c00023c, 0},
    {"uint32_t", "MPI_UINT32_T", 4, 0x4c00043d, 0},
    {"uint64_t", "MPI_UINT64_T", 8, 0x4c00083e, 0},
    {"c_bool", "MPI_C_BOOL", 1, 0x4c00013f, 0},
    {"2int", "MPI_2INT", 8, 0x4c000816, 0},
    {"character", "MPI_CHARACTER", 1, 0x4c00011a, 5},
    {"logical", "MPI_LOGICAL", 4, 0x4c00041d, 6},
    {"integer", "MPI_INTEGER", 4, 0x4c00041b, 7},
    {"integer4", "MPI_INTEGER4", 4, 0x4c000430, 10},
    {"integer8", "MPI_INTEGER8", 8, 0x4c000831, 11},
    {"real", "MPI_REAL", 4, 0x4c00041c, 13},
    {"real8", "MPI_REAL8", 8, 0x4c000829, 15},
    {"dblprec", "MPI_DOUBLE_PRECISION", 8, 0x4c00081f, 17},
};

/* By their DT_ARGUMENT_OPERATION, which is also what MPICH numbers them by. */
static const char *const operations[] = {NULL,  "max",  "min",  "sum",    "prod",   "land",    "band", "lor",
                                         "bor", "lxor", "bxor", "minloc", "maxloc", "replace", "no_op"};

static const char *const operation_names[] = {NULL,       "MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD",
                                              "MPI_LAND", "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR",
                                              "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};

/* Of Open MPI's object at an address, without "ompi_mpi_"; NULL: there is none. */
static const char *open_mpi_object(const DtCallerFrame *frame, guint64 address)
{
    const DtMappedImage *mapped = dt_mapped_at(frame->mapped, address);
    const char *symbol = mapped ? dt_images_symbol_at(mapped->image, address - mapped->bias) : NULL;
    return symbol && g_str_has_prefix(symbol, "ompi_mpi_") ? symbol + strlen("ompi_mpi_") : NULL;
}

/* ---- which MPI it is -------------------------------------------------------------------------------------- */

static gboolean has_function(DtAttachedImage *image, const char *name)
{
    guint64 address;
    DtImageLines *lines = dt_images_lines(image);
    return lines && dt_image_lines_function(lines, name, &address);
}

static DtMpi mpi_of(const DtCallerFrame *frame)
{
    for (guint i = 0; i < frame->mapped->len; i++) {
        DtAttachedImage *image = ((const DtMappedImage *)frame->mapped->pdata[i])->image;
        if (!image->is_main && !g_str_has_prefix(image->name, "libmpi"))
            continue;
        if (has_function(image, "ompi_mpi_init"))
            return DT_OPEN_MPI;
        if (has_function(image, "MPII_Comm_get_attr") || has_function(image, "MPIR_Err_create_code"))
            return DT_MPICH;
    }
    return DT_OTHER_MPI;
}

/* ---- reading the parameters ---------------------------------------------------------------------------------- */

typedef struct {
    const DtCallerFrame *frame;
    DtMpi mpi;
    gboolean is_large;
    DtPassed *passed;
    DtArgumentWord words[DT_CALL_MOST_PARAMETERS];     /* values, after what they refer to was read */
    DtArgumentWord addresses[DT_CALL_MOST_PARAMETERS]; /* as they were passed */
} Reading;

static guint8 kind_at(const Reading *reading, guint number)
{
    return reading->passed->call->parameters[number];
}

/* A number of 32 bits, or with large counts of 64. */
static gboolean is_number(guint8 kind)
{
    return kind == DT_PARAMETER_COUNT || kind == DT_PARAMETER_OTHER_COUNT || kind == DT_PARAMETER_DESTINATION ||
           kind == DT_PARAMETER_SOURCE || kind == DT_PARAMETER_TAG || kind == DT_PARAMETER_ROOT ||
           kind == DT_PARAMETER_TARGET || kind == DT_PARAMETER_REQUEST_COUNT || kind == DT_PARAMETER_COLOR;
}

static gboolean is_handle(guint8 kind)
{
    return kind == DT_PARAMETER_COMM || kind == DT_PARAMETER_DATATYPE || kind == DT_PARAMETER_OTHER_DATATYPE ||
           kind == DT_PARAMETER_OPERATION;
}

static gboolean is_of_threads(guint8 kind)
{
    return kind == DT_PARAMETER_LOCK || kind == DT_PARAMETER_THREAD || kind == DT_PARAMETER_CONDITION ||
           kind == DT_PARAMETER_BARRIER;
}

/* What the call writes to. */
static gboolean is_written(guint8 kind)
{
    switch (kind) {
    case DT_PARAMETER_RECEIVED:
    case DT_PARAMETER_RECEIVED_OR_IN_PLACE:
    case DT_PARAMETER_BUFFER:
    case DT_PARAMETER_STATUS:
    case DT_PARAMETER_STATUSES:
    case DT_PARAMETER_FLAG:
    case DT_PARAMETER_INDEX:
    case DT_PARAMETER_INDICES:
    case DT_PARAMETER_REQUEST_AT:
    case DT_PARAMETER_REQUESTS:
    case DT_PARAMETER_COMM_MADE:
    case DT_PARAMETER_REQUEST_MADE:
        return TRUE;
    default:
        return FALSE;
    }
}

static gint64 number_in(const Reading *reading, guint8 kind, guint64 word)
{
    gboolean wide = reading->is_large && (kind == DT_PARAMETER_COUNT || kind == DT_PARAMETER_OTHER_COUNT);
    return wide ? (gint64)word : (gint64)(gint32)word;
}

static void read_words(Reading *reading)
{
    for (guint i = 0; i < DT_CALL_MOST_PARAMETERS && kind_at(reading, i) != DT_PARAMETER_NONE; i++) {
        guint8 kind = kind_at(reading, i);
        if (!is_number(kind) && !is_handle(kind) && !is_of_threads(kind) && !is_written(kind))
            continue;
        reading->addresses[i] = dt_passed_word(reading->frame, i);
        reading->words[i] = reading->addresses[i];
        if (reading->passed->by_reference && (is_number(kind) || is_handle(kind)) && reading->addresses[i].known)
            reading->words[i] = dt_passed_memory(reading->frame, reading->addresses[i].value, 4);
    }
}

static void name_datatype(Reading *reading, guint number, guint64 word)
{
    const char *object =
        reading->mpi == DT_OPEN_MPI && !reading->passed->by_reference ? open_mpi_object(reading->frame, word) : NULL;
    for (guint i = 0; i < G_N_ELEMENTS(datatypes); i++) {
        const Datatype *type = &datatypes[i];
        gboolean same = reading->mpi == DT_MPICH        ? type->mpich == (guint32)word
                        : reading->passed->by_reference ? type->fortran != 0 && type->fortran == (gint32)word
                                                        : object && strcmp(type->symbol, object) == 0;
        if (same && reading->mpi != DT_OTHER_MPI) {
            reading->passed->names[number] = type->name;
            reading->passed->sizes[number] = type->size;
        }
    }
    if (reading->mpi == DT_MPICH && reading->passed->sizes[number] == 0 && (guint32)word >> 24 == MPICH_DATATYPE)
        reading->passed->sizes[number] = (guint32)word >> 8 & 0xff;
}

static void name_communicator(Reading *reading, guint number, guint64 word)
{
    gboolean is_world = FALSE, is_self = FALSE;
    if (reading->mpi == DT_MPICH) {
        is_world = (guint32)word == MPICH_WORLD;
        is_self = (guint32)word == MPICH_SELF;
    } else if (reading->mpi == DT_OPEN_MPI && reading->passed->by_reference) {
        is_world = (guint32)word == 0;
        is_self = (guint32)word == 1;
    } else if (reading->mpi == DT_OPEN_MPI) {
        const char *object = open_mpi_object(reading->frame, word);
        is_world = g_strcmp0(object, "comm_world") == 0;
        is_self = g_strcmp0(object, "comm_self") == 0;
    }
    reading->passed->names[number] = is_world ? "MPI_COMM_WORLD" : is_self ? "MPI_COMM_SELF" : NULL;
}

static void name_operation(Reading *reading, guint number, guint64 word)
{
    const char *object =
        reading->mpi == DT_OPEN_MPI && !reading->passed->by_reference ? open_mpi_object(reading->frame, word) : NULL;
    for (guint i = 1; i < G_N_ELEMENTS(operations); i++) {
        gboolean same = reading->mpi == DT_MPICH
                            ? (guint32)word == MPICH_OPERATION + i
                            : object && g_str_has_prefix(object, "op_") && strcmp(object + 3, operations[i]) == 0;
        if (same)
            reading->passed->names[number] = operation_names[i];
    }
}

/* Bytes that the call may write from an address on. */
static guint64 written_bytes(const Reading *reading, guint number)
{
    enum { OF_STATUS = 64, OF_UNKNOWN = 4096, OF_ELEMENT = 16 };
    guint8 kind = kind_at(reading, number);
    if (kind != DT_PARAMETER_RECEIVED && kind != DT_PARAMETER_RECEIVED_OR_IN_PLACE && kind != DT_PARAMETER_BUFFER)
        return OF_STATUS;
    for (guint i = number + 1; i < DT_CALL_MOST_PARAMETERS && kind_at(reading, i) != DT_PARAMETER_NONE; i++) {
        if (kind_at(reading, i) != DT_PARAMETER_COUNT && kind_at(reading, i) != DT_PARAMETER_OTHER_COUNT)
            continue;
        gint64 count = number_in(reading, kind_at(reading, i), reading->words[i].value);
        gint64 size = i + 1 < DT_CALL_MOST_PARAMETERS ? reading->passed->sizes[i + 1] : 0;
        return reading->words[i].known && count >= 0 ? (guint64)count * (guint64)(size > 0 ? size : OF_ELEMENT)
                                                     : OF_UNKNOWN;
    }
    return OF_UNKNOWN;
}

/* What was read where the call itself writes, or may: it may have been something else when the call was made. */
static gboolean may_be_overwritten(const Reading *reading, const DtArgumentWord *word)
{
    for (guint i = 0; i < DT_CALL_MOST_PARAMETERS && kind_at(reading, i) != DT_PARAMETER_NONE; i++) {
        if (!is_written(kind_at(reading, i)))
            continue;
        const DtArgumentWord *to = &reading->addresses[i];
        for (guint r = 0; to->known && r < G_N_ELEMENTS(word->read); r++)
            if (word->read[r] != 0 && word->read[r] + 8 > to->value &&
                word->read[r] < to->value + written_bytes(reading, i))
                return TRUE;
    }
    return FALSE;
}

static void name_objects(Reading *reading)
{
    for (guint i = 0; i < DT_CALL_MOST_PARAMETERS && kind_at(reading, i) != DT_PARAMETER_NONE; i++) {
        guint8 kind = kind_at(reading, i);
        if (!reading->words[i].known)
            continue;
        if (kind == DT_PARAMETER_COMM)
            name_communicator(reading, i, reading->words[i].value);
        else if (kind == DT_PARAMETER_DATATYPE || kind == DT_PARAMETER_OTHER_DATATYPE)
            name_datatype(reading, i, reading->words[i].value);
        else if (kind == DT_PARAMETER_OPERATION)
            name_operation(reading, i, reading->words[i].value);
    }
}

static gboolean take_values(Reading *reading)
{
    gboolean any = FALSE;
    for (guint i = 0; i < DT_CALL_MOST_PARAMETERS && kind_at(reading, i) != DT_PARAMETER_NONE; i++) {
        guint8 kind = kind_at(reading, i);
        gboolean wanted = is_number(kind) || is_handle(kind) || is_of_threads(kind);
        if (!wanted || !reading->words[i].known || may_be_overwritten(reading, &reading->words[i])) {
            reading->passed->names[i] = NULL;
            continue;
        }
        reading->passed->known[i] = any = TRUE;
        reading->passed->values[i] = is_number(kind) || reading->passed->by_reference
                                         ? number_in(reading, kind, reading->words[i].value)
                                         : (gint64)reading->words[i].value;
    }
    return any;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

/* glibc, x86_64: pthread_mutex_t.__data.__owner; struct pthread's header.self and tid (nptl/descr.h). What is there now
 * counts: that it is a thread of the process the caller checks. */
static void find_owner(Reading *reading)
{
    enum { OWNER = 8, SELF = 0x10, TID = 0x2d0 };
    DtPassed *passed = reading->passed;
    gint32 tid = 0;
    guint64 self = 0, first = (guint64)passed->values[0];
    if (!passed->known[0])
        return;
    if (g_str_has_prefix(passed->call->name, "pthread_mutex_") && kind_at(reading, 0) == DT_PARAMETER_LOCK &&
        dt_process_read(reading->frame->pid, first + OWNER, &tid, sizeof tid))
        passed->owner = tid;
    if (kind_at(reading, 0) == DT_PARAMETER_THREAD && passed->call->properties & DT_CALL_JOINING &&
        dt_process_read(reading->frame->pid, first + SELF, &self, sizeof self) && self == first &&
        dt_process_read(reading->frame->pid, first + TID, &tid, sizeof tid))
        passed->owner = tid;
}

/* ---- all ------------------------------------------------------------------------------------------------------------
 */

/* mpi_recv_, MPI_RECV, mpi_recv_f08_, ompi_recv_f: not MPI_Recv, PMPI_Recv. */
static gboolean is_of_fortran(const char *symbol)
{
    const char *name = symbol[0] == 'P' || symbol[0] == 'p' ? symbol + 1 : symbol;
    return g_str_has_prefix(name, "mpi_") || g_str_has_prefix(name, "ompi_") || strstr(name, "_f08") ||
           (g_str_has_prefix(name, "MPI_") && !g_ascii_islower(name[5]));
}

DtPassed *dt_meaning_of(const DtCallerFrame *frame, const char *symbol)
{
    g_autofree char *name = dt_canonical_name(symbol, 0);
    const struct dt_call *call = dt_call_find(name);
    if (!call)
        return NULL;
    gboolean is_mpi = dt_call_class(name) == DT_CALL_MPI;
    g_autofree DtPassed *passed = g_new0(DtPassed, 1);
    Reading reading = {.frame = frame,
                       .mpi = is_mpi ? mpi_of(frame) : DT_OTHER_MPI,
                       .is_large = dt_call_is_large(call, name),
                       .passed = passed};
    passed->call = call;
    passed->by_reference = is_mpi && is_of_fortran(symbol);
    passed->flavour = reading.mpi;
    read_words(&reading);
    name_objects(&reading);
    if (!take_values(&reading))
        return NULL;
    if (!is_mpi)
        find_owner(&reading);
    return g_steal_pointer(&passed);
}

/* ---- signatures
 * --------------------------------------------------------------------------------------------------------- */

typedef struct {
    DtSignature signature;
    DtArgument data;
    gboolean has_data;
} Building;

static void add(Building *building, guint kind, guint special, gint64 value, gint64 size)
{
    if (building->signature.argument_count < DT_FUNCTION_ARGUMENTS)
        building->signature.arguments[building->signature.argument_count++] =
            (DtArgument){.kind = kind, .special = special, .value = value, .size = size};
}

static void flush_data(Building *building)
{
    if (building->has_data)
        add(building, building->data.kind, building->data.special, building->data.value, building->data.size);
    building->has_data = FALSE;
}

/* Ranks are told relative to the own one, so that those who do the same look alike; where that cannot be, not at all.
 */
static void add_peer(Building *building, const DtPassed *passed, guint number, guint kind, gint rank, gint ranks)
{
    gboolean of_world = g_strcmp0(building->signature.communicator, "world") == 0;
    switch (dt_passed_peer(passed, number)) {
    case DT_PEER_IS_ANY:
        add(building, kind, DT_SPECIAL_ANY, 0, 0);
        break;
    case DT_PEER_IS_NONE:
        add(building, kind, DT_SPECIAL_PROC_NULL, 0, 0);
        break;
    case DT_PEER_IS_RANK:
        if (of_world && rank >= 0 && ranks > 0) {
            gint64 distance = (passed->values[number] - rank) % ranks;
            distance += distance < 0 ? ranks : 0;
            add(building, kind, DT_SPECIAL_NONE, distance > ranks / 2 ? distance - ranks : distance, 0);
        }
        break;
    case DT_PEER_IS_UNKNOWN:
        break;
    }
}

static void add_known(Building *building, const DtPassed *passed, guint number, gint rank, gint ranks)
{
    gint64 value = passed->values[number];
    switch (passed->call->parameters[number]) {
    case DT_PARAMETER_COUNT:
        flush_data(building);
        building->has_data = passed->known[number] && passed->sizes[number + 1] > 0 && passed->known[number + 1];
        building->data = (DtArgument){.kind = DT_ARGUMENT_DATA, .value = value, .size = passed->sizes[number + 1]};
        break;
    case DT_PARAMETER_DESTINATION:
        add_peer(building, passed, number, DT_ARGUMENT_TO, rank, ranks);
        break;
    case DT_PARAMETER_SOURCE:
        add_peer(building, passed, number, DT_ARGUMENT_FROM, rank, ranks);
        break;
    case DT_PARAMETER_TAG:
        if (value >= 0 || passed->flavour != DT_OTHER_MPI)
            add(building, DT_ARGUMENT_TAG, value == -1 ? DT_SPECIAL_ANY : DT_SPECIAL_NONE, value == -1 ? 0 : value, 0);
        break;
    case DT_PARAMETER_ROOT:
        if (value >= 0)
            add(building, DT_ARGUMENT_ROOT, DT_SPECIAL_NONE, value, 0);
        break;
    case DT_PARAMETER_OPERATION:
        if (dt_passed_operation(passed->names[number]) > 0)
            add(building, DT_ARGUMENT_OPERATION, DT_SPECIAL_NONE, dt_passed_operation(passed->names[number]), 0);
        break;
    case DT_PARAMETER_REQUEST_COUNT:
        add(building, DT_ARGUMENT_REQUESTS, DT_SPECIAL_NONE, value, 0);
        break;
    default:
        break;
    }
}

static const char *communicator_of(const DtPassed *passed)
{
    for (guint i = 0; passed->call->parameters[i] != DT_PARAMETER_NONE; i++)
        if (passed->call->parameters[i] == DT_PARAMETER_COMM && passed->names[i])
            return strcmp(passed->names[i], "MPI_COMM_WORLD") == 0 ? "world" : "self";
    return NULL;
}

guint32 dt_meaning_signature(DtFunctions *functions, guint32 function, const DtPassed *passed, gint rank, gint ranks)
{
    Building building = {.signature = {.function = function, .communicator = communicator_of(passed)}};
    if (building.signature.communicator)
        add(&building, DT_ARGUMENT_COMMUNICATOR, DT_SPECIAL_NONE, 0, 0);
    for (guint i = 0; i < DT_CALL_MOST_PARAMETERS && passed->call->parameters[i] != DT_PARAMETER_NONE; i++)
        if (passed->known[i])
            add_known(&building, passed, i, rank, ranks);
    flush_data(&building);
    return building.signature.argument_count > 0 ? dt_functions_intern_signature(functions, &building.signature)
                                                 : function;
}
