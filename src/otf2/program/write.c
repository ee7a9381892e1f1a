/* Records become an archive. */
#include <otf2/otf2.h>

#include "otf2/program/program.h"

enum { EVENT_CHUNK = 1 << 20, DEFINITION_CHUNK = 4 << 20 };
static const OTF2_StringRef FIRST_OWN_STRING = G_GUINT64_CONSTANT(1) << 31;
enum { LOCATIONS_GROUP, SELF_GROUP, FIRST_GROUP };

typedef struct {
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *definitions;
    OTF2_EvtWriter *events; /* of the location; NULL: none is open */
    OTF2_AttributeList *attributes;
    GHashTable *strings; /* text -> number */
    GArray *locations;   /* guint64 */
    guint32 groups;
    OTF2_ErrorCode code;
} Writing;

static gboolean is_fine(Writing *writing, OTF2_ErrorCode code)
{
    if (writing->code == OTF2_SUCCESS)
        writing->code = code;
    return writing->code == OTF2_SUCCESS;
}

static OTF2_FlushType before_flush(void *user_data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool final)
{
    (void)user_data;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

/* Without an end to its memory the library keeps what a location has told until that is 128 MB. */
static void *allocate(void *user_data, OTF2_FileType type, OTF2_LocationRef location, void **of_buffer,
                      uint64_t chunk_bytes)
{
    enum { MOST_CHUNKS = 4 };
    (void)user_data;
    (void)type;
    (void)location;
    if (!*of_buffer)
        *of_buffer = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *chunks = *of_buffer;
    if (chunks->len == MOST_CHUNKS)
        return NULL;
    g_ptr_array_add(chunks, g_malloc(chunk_bytes));
    return chunks->pdata[chunks->len - 1];
}

static void free_all(void *user_data, OTF2_FileType type, OTF2_LocationRef location, void **of_buffer, bool final)
{
    (void)user_data;
    (void)type;
    (void)location;
    if (*of_buffer)
        g_ptr_array_set_size(*of_buffer, 0);
    if (final)
        g_clear_pointer(of_buffer, g_ptr_array_unref);
}

static gint64 value(const DtOtf2Record *record, guint index)
{
    return index < record->count ? record->values[index] : -1;
}

static const char *text(const DtOtf2Record *record, guint index)
{
    return index < record->texts ? record->text[index] : "";
}

static OTF2_StringRef string(Writing *writing, const char *content)
{
    gpointer known = g_hash_table_lookup(writing->strings, content);
    if (known)
        return GPOINTER_TO_UINT(known);
    OTF2_StringRef number = FIRST_OWN_STRING + g_hash_table_size(writing->strings);
    g_hash_table_insert(writing->strings, g_strdup(content), GUINT_TO_POINTER(number));
    is_fine(writing, OTF2_GlobalDefWriter_WriteString(writing->definitions, number, content));
    return number;
}

/* ---- definitions ------------------------------------------------------------------------------ */

static void write_attributes(Writing *writing)
{
    static const struct {
        const char *name, *description;
        guint number;
        OTF2_Type type;
    } rows[] = {
        {"difftrace::arguments", "Arguments of the call", DT_OTF2_ATTRIBUTE_ARGUMENTS, OTF2_TYPE_STRING},
        {"difftrace::call", "Number of the call signature in its process", DT_OTF2_ATTRIBUTE_CALL, OTF2_TYPE_UINT32},
        {"difftrace::estimated", "The time was not recorded", DT_OTF2_ATTRIBUTE_ESTIMATED, OTF2_TYPE_UINT8},
        {"difftrace::text", "Text of a note", DT_OTF2_ATTRIBUTE_TEXT, OTF2_TYPE_STRING}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        is_fine(writing,
                OTF2_GlobalDefWriter_WriteAttribute(writing->definitions, rows[i].number, string(writing, rows[i].name),
                                                    string(writing, rows[i].description), rows[i].type));
    for (guint i = 0; i < DT_OTF2_NOTE_VALUES; i++) {
        g_autofree char *name = g_strdup_printf("difftrace::value %u", i);
        is_fine(writing, OTF2_GlobalDefWriter_WriteAttribute(writing->definitions, DT_OTF2_ATTRIBUTE_VALUES + i,
                                                             string(writing, name), string(writing, "Value of a note"),
                                                             OTF2_TYPE_INT64));
    }
    is_fine(writing,
            OTF2_GlobalDefWriter_WriteParameter(writing->definitions, DT_OTF2_PARAMETER_NOTE,
                                                string(writing, "difftrace::note"), OTF2_PARAMETER_TYPE_INT64));
}

static void write_property(Writing *writing, const DtOtf2Record *record)
{
    const char *name = text(record, 0);
    if (value(record, 0) == DT_OTF2_OF_ARCHIVE) {
        is_fine(writing, OTF2_Archive_SetProperty(writing->archive, name, text(record, 1), true));
        return;
    }
    OTF2_AttributeValue content = {.stringRef = string(writing, text(record, 1))};
    OTF2_StringRef named = string(writing, name);
    if (value(record, 0) == DT_OTF2_OF_PROCESS)
        is_fine(writing, OTF2_GlobalDefWriter_WriteLocationGroupProperty(writing->definitions,
                                                                         (OTF2_LocationGroupRef)value(record, 1), named,
                                                                         OTF2_TYPE_STRING, content));
    else
        is_fine(writing,
                OTF2_GlobalDefWriter_WriteLocationProperty(writing->definitions, (OTF2_LocationRef)value(record, 1),
                                                           named, OTF2_TYPE_STRING, content));
}

static void write_region(Writing *writing, const DtOtf2Record *record)
{
    static const OTF2_Paradigm paradigms[] = {[DT_OTF2_BY_USER] = OTF2_PARADIGM_COMPILER,
                                              [DT_OTF2_BY_MPI] = OTF2_PARADIGM_MPI,
                                              [DT_OTF2_BY_OPENMP] = OTF2_PARADIGM_OPENMP,
                                              [DT_OTF2_BY_PTHREADS] = OTF2_PARADIGM_PTHREAD};
    const gint64 by = CLAMP(value(record, 1), DT_OTF2_BY_USER, DT_OTF2_BY_PTHREADS);
    is_fine(writing, OTF2_GlobalDefWriter_WriteRegion(
                         writing->definitions, (OTF2_RegionRef)value(record, 0), string(writing, text(record, 0)),
                         string(writing, text(record, 1)), string(writing, text(record, 2)), OTF2_REGION_ROLE_FUNCTION,
                         paradigms[by], OTF2_REGION_FLAG_NONE, string(writing, text(record, 3)), 0, 0));
}

static void write_group(Writing *writing, guint32 number, const char *name, OTF2_GroupType type, const gint64 *members,
                        guint count)
{
    g_autofree guint64 *refs = g_new0(guint64, (gsize)count + 1);
    for (guint i = 0; i < count; i++)
        refs[i] = members[i] >= 0 ? (guint64)members[i] : OTF2_UNDEFINED_UINT64;
    is_fine(writing, OTF2_GlobalDefWriter_WriteGroup(writing->definitions, number, string(writing, name), type,
                                                     OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, refs));
}

static void write_communicator(Writing *writing, const DtOtf2Record *record)
{
    const OTF2_CommRef number = (OTF2_CommRef)value(record, 0);
    const OTF2_CommRef parent = value(record, 1) >= 0 ? (OTF2_CommRef)value(record, 1) : OTF2_UNDEFINED_COMM;
    const OTF2_StringRef name = string(writing, text(record, 0));
    const gint64 *members = record->values + 4;
    if (record->count < 4 || value(record, 3) < 0 || value(record, 3) > record->count - 4)
        return;
    const guint first = (guint)value(record, 3);
    if (value(record, 2) == DT_OTF2_SELF) {
        is_fine(writing, OTF2_GlobalDefWriter_WriteComm(writing->definitions, number, name, SELF_GROUP, parent,
                                                        OTF2_COMM_FLAG_NONE));
        return;
    }
    guint32 group = FIRST_GROUP + writing->groups++;
    write_group(writing, group, text(record, 0), OTF2_GROUP_TYPE_COMM_GROUP, members, first);
    if (value(record, 2) == DT_OTF2_GROUP) {
        is_fine(writing,
                OTF2_GlobalDefWriter_WriteComm(writing->definitions, number, name, group, parent, OTF2_COMM_FLAG_NONE));
        return;
    }
    guint32 other = FIRST_GROUP + writing->groups++;
    write_group(writing, other, text(record, 0), OTF2_GROUP_TYPE_COMM_GROUP, members + first,
                record->count - 4 - first);
    is_fine(writing, OTF2_GlobalDefWriter_WriteInterComm(writing->definitions, number, name, group, other, parent,
                                                         OTF2_COMM_FLAG_NONE));
}

static void write_ranks(Writing *writing, const DtOtf2Record *record)
{
    write_group(writing, LOCATIONS_GROUP, "MPI", OTF2_GROUP_TYPE_COMM_LOCATIONS, record->values, record->count);
    write_group(writing, SELF_GROUP, "", OTF2_GROUP_TYPE_COMM_SELF, NULL, 0);
    is_fine(writing, OTF2_GlobalDefWriter_WriteParadigm(writing->definitions, OTF2_PARADIGM_MPI, string(writing, "MPI"),
                                                        OTF2_PARADIGM_CLASS_PROCESS));
}

static void write_definition(Writing *writing, const DtOtf2Record *record)
{
    OTF2_GlobalDefWriter *definitions = writing->definitions;
    switch (record->kind) {
    case DT_OTF2_PROPERTY:
        write_property(writing, record);
        break;
    case DT_OTF2_CLOCK:
        is_fine(writing, OTF2_GlobalDefWriter_WriteClockProperties(definitions, (guint64)value(record, 0),
                                                                   (guint64)value(record, 1), (guint64)value(record, 2),
                                                                   (guint64)value(record, 3)));
        break;
    case DT_OTF2_NODE:
        is_fine(writing, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                             definitions, (OTF2_SystemTreeNodeRef)value(record, 0), string(writing, text(record, 0)),
                             string(writing, "node"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        break;
    case DT_OTF2_PROCESS:
        is_fine(writing, OTF2_GlobalDefWriter_WriteLocationGroup(
                             definitions, (OTF2_LocationGroupRef)value(record, 0), string(writing, text(record, 0)),
                             OTF2_LOCATION_GROUP_TYPE_PROCESS, (OTF2_SystemTreeNodeRef)value(record, 1),
                             OTF2_UNDEFINED_LOCATION_GROUP));
        break;
    case DT_OTF2_THREAD:
        is_fine(writing,
                OTF2_GlobalDefWriter_WriteLocation(definitions, (OTF2_LocationRef)value(record, 0),
                                                   string(writing, text(record, 0)), OTF2_LOCATION_TYPE_CPU_THREAD,
                                                   (guint64)value(record, 2), (OTF2_LocationGroupRef)value(record, 1)));
        break;
    case DT_OTF2_STRING:
        is_fine(writing,
                OTF2_GlobalDefWriter_WriteString(definitions, (OTF2_StringRef)value(record, 0), text(record, 0)));
        break;
    case DT_OTF2_REGION:
        write_region(writing, record);
        break;
    case DT_OTF2_RANKS:
        write_ranks(writing, record);
        break;
    case DT_OTF2_COMMUNICATOR:
        write_communicator(writing, record);
        break;
    default:
        break;
    }
}

/* ---- events ----------------------------------------------------------------------------------- */

static void close_location(Writing *writing)
{
    if (writing->events)
        is_fine(writing, OTF2_Archive_CloseEvtWriter(writing->archive, writing->events));
    writing->events = NULL;
}

static void open_location(Writing *writing, guint64 location)
{
    close_location(writing);
    writing->events = OTF2_Archive_GetEvtWriter(writing->archive, location);
    g_array_append_val(writing->locations, location);
    if (!writing->events)
        is_fine(writing, OTF2_ERROR_INVALID);
}

static void add_estimated(Writing *writing, gint64 estimated)
{
    if (estimated > 0)
        OTF2_AttributeList_AddUint8(writing->attributes, DT_OTF2_ATTRIBUTE_ESTIMATED, 1);
}

static void write_enter(Writing *writing, const DtOtf2Record *record)
{
    if (value(record, 2) >= 0)
        OTF2_AttributeList_AddUint32(writing->attributes, DT_OTF2_ATTRIBUTE_CALL, (guint32)value(record, 2));
    if (value(record, 3) >= 0)
        OTF2_AttributeList_AddStringRef(writing->attributes, DT_OTF2_ATTRIBUTE_ARGUMENTS,
                                        (OTF2_StringRef)value(record, 3));
    add_estimated(writing, value(record, 4));
    is_fine(writing, OTF2_EvtWriter_Enter(writing->events, writing->attributes, (guint64)value(record, 0),
                                          (OTF2_RegionRef)value(record, 1)));
}

static void write_note(Writing *writing, const DtOtf2Record *record)
{
    enum { FIRST = 3 };
    if (value(record, 2) >= 0)
        OTF2_AttributeList_AddStringRef(writing->attributes, DT_OTF2_ATTRIBUTE_TEXT, (OTF2_StringRef)value(record, 2));
    for (guint i = FIRST; i < record->count && i < FIRST + DT_OTF2_NOTE_VALUES; i++)
        OTF2_AttributeList_AddInt64(writing->attributes, DT_OTF2_ATTRIBUTE_VALUES + i - FIRST, record->values[i]);
    is_fine(writing, OTF2_EvtWriter_ParameterInt(writing->events, writing->attributes, (guint64)value(record, 0),
                                                 DT_OTF2_PARAMETER_NOTE, value(record, 1)));
}

static void write_message(Writing *writing, const DtOtf2Record *record)
{
    OTF2_EvtWriter *events = writing->events;
    const guint64 time = (guint64)value(record, 0), bytes = (guint64)value(record, 4);
    const guint64 request = (guint64)value(record, 5);
    const guint32 peer = (guint32)value(record, 1), communicator = (guint32)value(record, 2);
    const guint32 tag = (guint32)value(record, 3);
    if (record->kind == DT_OTF2_SEND)
        is_fine(writing, OTF2_EvtWriter_MpiSend(events, NULL, time, peer, communicator, tag, bytes));
    else if (record->kind == DT_OTF2_ISEND)
        is_fine(writing, OTF2_EvtWriter_MpiIsend(events, NULL, time, peer, communicator, tag, bytes, request));
    else if (record->kind == DT_OTF2_RECV)
        is_fine(writing, OTF2_EvtWriter_MpiRecv(events, NULL, time, peer, communicator, tag, bytes));
    else
        is_fine(writing, OTF2_EvtWriter_MpiIrecv(events, NULL, time, peer, communicator, tag, bytes, request));
}

static void write_event(Writing *writing, const DtOtf2Record *record)
{
    OTF2_EvtWriter *events = writing->events;
    const guint64 time = (guint64)value(record, 0), request = (guint64)value(record, 1);
    switch (record->kind) {
    case DT_OTF2_ENTER:
        write_enter(writing, record);
        break;
    case DT_OTF2_LEAVE:
        add_estimated(writing, value(record, 2));
        is_fine(writing, OTF2_EvtWriter_Leave(events, writing->attributes, time, (OTF2_RegionRef)value(record, 1)));
        break;
    case DT_OTF2_NOTE:
        write_note(writing, record);
        break;
    case DT_OTF2_ISEND_COMPLETE:
        is_fine(writing, OTF2_EvtWriter_MpiIsendComplete(events, NULL, time, request));
        break;
    case DT_OTF2_IRECV_REQUEST:
        is_fine(writing, OTF2_EvtWriter_MpiIrecvRequest(events, NULL, time, request));
        break;
    case DT_OTF2_REQUEST_TEST:
        is_fine(writing, OTF2_EvtWriter_MpiRequestTest(events, NULL, time, request));
        break;
    case DT_OTF2_REQUEST_CANCELLED:
        is_fine(writing, OTF2_EvtWriter_MpiRequestCancelled(events, NULL, time, request));
        break;
    case DT_OTF2_COLLECTIVE_BEGIN:
        is_fine(writing, OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, time));
        break;
    case DT_OTF2_COLLECTIVE_END:
        is_fine(writing, OTF2_EvtWriter_MpiCollectiveEnd(
                             events, NULL, time, (OTF2_CollectiveOp)value(record, 1), (OTF2_CommRef)value(record, 2),
                             value(record, 3) >= 0 ? (guint32)value(record, 3) : OTF2_UNDEFINED_UINT32,
                             (guint64)value(record, 4), (guint64)value(record, 5)));
        break;
    default:
        write_message(writing, record);
    }
}

/* ---- all of it -------------------------------------------------------------------------------- */

static gboolean begin(Writing *writing, const char *folder)
{
    static const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = before_flush, .otf2_post_flush = NULL};
    static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate, .otf2_free_all = free_all};
    writing->archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                                         OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!writing->archive)
        return FALSE;
    is_fine(writing, OTF2_Archive_SetFlushCallbacks(writing->archive, &flushing, NULL));
    is_fine(writing, OTF2_Archive_SetMemoryCallbacks(writing->archive, &memory, NULL));
    is_fine(writing, OTF2_Archive_SetSerialCollectiveCallbacks(writing->archive));
    is_fine(writing, OTF2_Archive_SetCreator(writing->archive, DT_OTF2_CREATOR_NAME));
    is_fine(writing, OTF2_Archive_OpenEvtFiles(writing->archive));
    writing->definitions = OTF2_Archive_GetGlobalDefWriter(writing->archive);
    if (!writing->definitions)
        return FALSE;
    is_fine(writing, OTF2_GlobalDefWriter_WriteString(writing->definitions, 0, ""));
    write_attributes(writing);
    return writing->code == OTF2_SUCCESS;
}

/* Readers want a file of definitions for each location. */
static gboolean end(Writing *writing)
{
    close_location(writing);
    is_fine(writing, OTF2_Archive_CloseEvtFiles(writing->archive));
    is_fine(writing, OTF2_Archive_OpenDefFiles(writing->archive));
    for (guint i = 0; i < writing->locations->len; i++) {
        OTF2_DefWriter *writer =
            OTF2_Archive_GetDefWriter(writing->archive, g_array_index(writing->locations, guint64, i));
        if (!writer || !is_fine(writing, OTF2_Archive_CloseDefWriter(writing->archive, writer)))
            return FALSE;
    }
    is_fine(writing, OTF2_Archive_CloseDefFiles(writing->archive));
    is_fine(writing, OTF2_Archive_CloseGlobalDefWriter(writing->archive, writing->definitions));
    is_fine(writing, OTF2_Archive_Close(writing->archive));
    return writing->code == OTF2_SUCCESS;
}

static gboolean take(Writing *writing, const DtOtf2Record *record)
{
    if (record->kind == DT_OTF2_LOCATION)
        open_location(writing, (guint64)value(record, 0));
    else if (record->kind < DT_OTF2_LOCATION)
        write_definition(writing, record);
    else if (writing->events)
        write_event(writing, record);
    return writing->code == OTF2_SUCCESS;
}

gboolean dt_otf2_write_archive(const char *folder, DtOtf2Stream *stream, char **problem)
{
    g_autoptr(GHashTable) strings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GArray) locations = g_array_new(FALSE, FALSE, sizeof(guint64));
    Writing writing = {.strings = strings, .locations = locations};
    writing.attributes = OTF2_AttributeList_New();
    const DtOtf2Record *record = NULL;
    gboolean fine = begin(&writing, folder);
    while (fine && (record = dt_otf2_next(stream)) && record->kind != DT_OTF2_DONE)
        fine = take(&writing, record);
    fine = fine && record && end(&writing);
    OTF2_AttributeList_Delete(writing.attributes);
    if (!fine)
        *problem = g_strdup("cannot be written");
    return fine;
}
