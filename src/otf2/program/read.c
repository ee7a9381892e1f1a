/* An archive becomes records: its definitions, then the events of one location after the other, by processes. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "otf2/program/program.h"

enum { MOST_SECONDS = 5 }; /* of the processor, to open an anchor */

typedef struct {
    guint64 ref;
    OTF2_StringRef name, canonical, description, file;
    OTF2_Paradigm paradigm;
    guint64 parent; /* node of a process, process of a thread */
    guint64 events;
} Definition;

typedef struct {
    OTF2_GroupType type;
    guint count;
    guint64 *members;
} Group;

typedef struct {
    guint64 ref, group, other, parent;
    OTF2_StringRef name;
    gboolean between;
} Communicator;

typedef struct {
    DtOtf2Scope scope;
    guint64 of;
    OTF2_StringRef name, value;
} Property;

/* What a receive that was begun has got. */
typedef struct {
    guint32 sender, communicator, tag, known;
    guint64 bytes;
} Received;

typedef struct {
    DtOtf2Stream *stream;
    OTF2_Reader *reader;
    gboolean is_ours;
    GHashTable *strings;   /* number -> text */
    GHashTable *groups;    /* number -> Group */
    GHashTable *locations; /* the same of groups of locations, which EZTrace gives the numbers of others */
    GArray *nodes, *processes, *threads, *regions; /* Definition */
    GArray *communicators;                         /* Communicator */
    GArray *properties;                            /* Property */
    gint64 clock[4];
    FILE *received;    /* Received, by the order in which they were begun */
    GHashTable *begun; /* request -> 1 + place in it */
    guint64 begun_count, told_count;
} Reading;

static const char *string(const Reading *reading, OTF2_StringRef ref)
{
    const char *text = g_hash_table_lookup(reading->strings, GUINT_TO_POINTER(ref));
    return text ? text : "";
}

static gint64 reference(guint64 ref)
{
    return ref == OTF2_UNDEFINED_UINT64 || ref == OTF2_UNDEFINED_UINT32 ? -1 : (gint64)ref;
}

/* ---- definitions ------------------------------------------------------------------------------ */

static OTF2_CallbackCode take_string(void *data, OTF2_StringRef self, const char *text)
{
    Reading *reading = data;
    g_hash_table_insert(reading->strings, GUINT_TO_POINTER(self), g_strdup(text));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                    uint64_t realtime)
{
    Reading *reading = data;
    const gint64 clock[] = {(gint64)resolution, (gint64)offset, (gint64)length, reference(realtime)};
    memcpy(reading->clock, clock, sizeof(clock));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                   OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    Reading *reading = data;
    const Definition node = {.ref = self, .name = name};
    (void)class_name;
    (void)parent;
    g_array_append_val(reading->nodes, node);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_process(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                      OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                      OTF2_LocationGroupRef creator)
{
    Reading *reading = data;
    const Definition process = {.ref = self, .name = name, .parent = parent};
    (void)type;
    (void)creator;
    g_array_append_val(reading->processes, process);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_thread(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
    Reading *reading = data;
    const Definition thread = {.ref = self, .name = name, .parent = group, .events = events};
    if (type == OTF2_LOCATION_TYPE_CPU_THREAD)
        g_array_append_val(reading->threads, thread);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_region(void *data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                     OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                     OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin, uint32_t end)
{
    Reading *reading = data;
    const Definition region = {.ref = self,
                               .name = name,
                               .canonical = canonical,
                               .description = description,
                               .file = file,
                               .paradigm = paradigm};
    (void)role;
    (void)flags;
    (void)begin;
    (void)end;
    g_array_append_val(reading->regions, region);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                    OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                    const uint64_t *members)
{
    Reading *reading = data;
    (void)name;
    (void)flags;
    if (paradigm != OTF2_PARADIGM_MPI)
        return OTF2_CALLBACK_SUCCESS;
    Group *group = g_new0(Group, 1);
    group->type = type;
    group->count = count;
    group->members = g_memdup2(members, count * sizeof(*members));
    const gboolean has_locations = type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
    g_hash_table_insert(has_locations ? reading->locations : reading->groups, GUINT_TO_POINTER(self), group);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_communicator(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                           OTF2_CommRef parent, OTF2_CommFlag flags)
{
    Reading *reading = data;
    const Communicator communicator = {.ref = self, .group = group, .parent = parent, .name = name};
    (void)flags;
    g_array_append_val(reading->communicators, communicator);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_intercommunicator(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef first,
                                                OTF2_GroupRef second, OTF2_CommRef common, OTF2_CommFlag flags)
{
    Reading *reading = data;
    const Communicator communicator = {self, first, second, common, name, TRUE};
    (void)flags;
    g_array_append_val(reading->communicators, communicator);
    return OTF2_CALLBACK_SUCCESS;
}

static void take_property(Reading *reading, DtOtf2Scope scope, guint64 of, OTF2_StringRef name, OTF2_Type type,
                          OTF2_AttributeValue value)
{
    const Property property = {scope, of, name, value.stringRef};
    if (type == OTF2_TYPE_STRING)
        g_array_append_val(reading->properties, property);
}

static OTF2_CallbackCode take_process_property(void *data, OTF2_LocationGroupRef group, OTF2_StringRef name,
                                               OTF2_Type type, OTF2_AttributeValue value)
{
    take_property(data, DT_OTF2_OF_PROCESS, group, name, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_thread_property(void *data, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value)
{
    take_property(data, DT_OTF2_OF_THREAD, location, name, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static gboolean read_definitions(Reading *reading)
{
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(reading->reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t count = 0;
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, take_string);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, take_clock);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, take_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, take_process);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, take_thread);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, take_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, take_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, take_communicator);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, take_intercommunicator);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks, take_process_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, take_thread_property);
    gboolean done =
        reader && OTF2_Reader_RegisterGlobalDefCallbacks(reading->reader, reader, callbacks, reading) == OTF2_SUCCESS &&
        OTF2_Reader_ReadAllGlobalDefinitions(reading->reader, reader, &count) == OTF2_SUCCESS;
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    return done;
}

/* ---- telling them ----------------------------------------------------------------------------- */

static void tell_definition(Reading *reading, DtOtf2Kind kind, const Definition *definition)
{
    const gint64 values[] = {(gint64)definition->ref, reference(definition->parent), (gint64)definition->events};
    const char *const texts[] = {string(reading, definition->name)};
    dt_otf2_put(reading->stream, kind, values, G_N_ELEMENTS(values), texts, 1);
}

static gint64 interface_of(OTF2_Paradigm paradigm)
{
    switch (paradigm) {
    case OTF2_PARADIGM_MPI:
        return DT_OTF2_BY_MPI;
    case OTF2_PARADIGM_OPENMP:
        return DT_OTF2_BY_OPENMP;
    case OTF2_PARADIGM_PTHREAD:
        return DT_OTF2_BY_PTHREADS;
    default:
        return DT_OTF2_BY_USER;
    }
}

static void tell_region(Reading *reading, const Definition *region)
{
    const gint64 values[] = {(gint64)region->ref, interface_of(region->paradigm)};
    const char *const texts[] = {string(reading, region->name), string(reading, region->canonical),
                                 string(reading, region->description), string(reading, region->file)};
    dt_otf2_put(reading->stream, DT_OTF2_REGION, values, G_N_ELEMENTS(values), texts, G_N_ELEMENTS(texts));
}

static void append_members(GArray *values, const Group *group)
{
    for (guint i = 0; group && i < group->count; i++) {
        const gint64 member = reference(group->members[i]);
        g_array_append_val(values, member);
    }
}

static void tell_communicator(Reading *reading, const Communicator *communicator)
{
    const Group *group = g_hash_table_lookup(reading->groups, GUINT_TO_POINTER((guint)communicator->group));
    const Group *other = communicator->between
                             ? g_hash_table_lookup(reading->groups, GUINT_TO_POINTER((guint)communicator->other))
                             : NULL;
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (!group)
        return;
    const gboolean is_self = group->type == OTF2_GROUP_TYPE_COMM_SELF;
    const gint64 head[] = {(gint64)communicator->ref, reference(communicator->parent),
                           is_self ? DT_OTF2_SELF
                           : other ? DT_OTF2_TWO_GROUPS
                                   : DT_OTF2_GROUP,
                           is_self ? 0 : (gint64)group->count};
    g_array_append_vals(values, head, G_N_ELEMENTS(head));
    if (!is_self)
        append_members(values, group);
    append_members(values, other);
    const char *const texts[] = {string(reading, communicator->name)};
    dt_otf2_put(reading->stream, DT_OTF2_COMMUNICATOR, (const gint64 *)(gconstpointer)values->data, values->len, texts,
                1);
}

static void tell_ranks(Reading *reading)
{
    GHashTableIter each;
    gpointer value;
    g_hash_table_iter_init(&each, reading->locations);
    while (g_hash_table_iter_next(&each, NULL, &value)) {
        g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(gint64));
        append_members(values, value);
        dt_otf2_put(reading->stream, DT_OTF2_RANKS, (const gint64 *)(gconstpointer)values->data, values->len, NULL, 0);
    }
}

static void tell_archive(Reading *reading)
{
    char *creator = NULL, **names = NULL;
    uint32_t count = 0;
    if (OTF2_Reader_GetCreator(reading->reader, &creator) == OTF2_SUCCESS && creator) {
        const char *const texts[] = {creator};
        reading->is_ours = strcmp(creator, DT_OTF2_CREATOR_NAME) == 0;
        dt_otf2_put(reading->stream, DT_OTF2_CREATOR, NULL, 0, texts, 1);
    }
    if (OTF2_Reader_GetPropertyNames(reading->reader, &count, &names) != OTF2_SUCCESS)
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
        char *value = NULL;
        if (OTF2_Reader_GetProperty(reading->reader, names[i], &value) != OTF2_SUCCESS)
            continue;
        const char *const texts[] = {names[i], value};
        const gint64 values[] = {DT_OTF2_OF_ARCHIVE, 0};
        dt_otf2_put(reading->stream, DT_OTF2_PROPERTY, values, 2, texts, 2);
        free(value);
    }
    free(names);
    free(creator);
}

static void tell_definitions(Reading *reading)
{
    dt_otf2_put(reading->stream, DT_OTF2_CLOCK, reading->clock, G_N_ELEMENTS(reading->clock), NULL, 0);
    for (guint i = 0; i < reading->nodes->len; i++)
        tell_definition(reading, DT_OTF2_NODE, &g_array_index(reading->nodes, Definition, i));
    for (guint i = 0; i < reading->processes->len; i++)
        tell_definition(reading, DT_OTF2_PROCESS, &g_array_index(reading->processes, Definition, i));
    for (guint i = 0; i < reading->threads->len; i++)
        tell_definition(reading, DT_OTF2_THREAD, &g_array_index(reading->threads, Definition, i));
    tell_ranks(reading);
    for (guint i = 0; i < reading->communicators->len; i++)
        tell_communicator(reading, &g_array_index(reading->communicators, Communicator, i));
    for (guint i = 0; i < reading->regions->len; i++)
        tell_region(reading, &g_array_index(reading->regions, Definition, i));
    for (guint i = 0; i < reading->properties->len; i++) {
        const Property *property = &g_array_index(reading->properties, Property, i);
        const gint64 values[] = {property->scope, (gint64)property->of};
        const char *const texts[] = {string(reading, property->name), string(reading, property->value)};
        dt_otf2_put(reading->stream, DT_OTF2_PROPERTY, values, 2, texts, 2);
    }
}

/* ---- receives that were begun ----------------------------------------------------------------- */

#define EVENT_HEAD                                                                                                     \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, OTF2_AttributeList *attributes

static OTF2_CallbackCode note_request(EVENT_HEAD, uint64_t request)
{
    Reading *reading = data;
    (void)location, (void)time, (void)position, (void)attributes;
    const Received nothing = {0};
    if (fwrite(&nothing, sizeof(nothing), 1, reading->received) != 1)
        return OTF2_CALLBACK_INTERRUPT;
    g_hash_table_insert(reading->begun, g_memdup2(&request, sizeof(request)),
                        GSIZE_TO_POINTER((gsize)++reading->begun_count));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode note_received(EVENT_HEAD, uint32_t sender, OTF2_CommRef communicator, uint32_t tag,
                                       uint64_t bytes, uint64_t request)
{
    Reading *reading = data;
    (void)location, (void)time, (void)position, (void)attributes;
    gsize place = GPOINTER_TO_SIZE(g_hash_table_lookup(reading->begun, &request));
    const Received received = {sender, communicator, tag, 1, bytes};
    if (place == 0)
        return OTF2_CALLBACK_SUCCESS;
    g_hash_table_remove(reading->begun, &request);
    gboolean written = fseek(reading->received, (long)((place - 1) * sizeof(received)), SEEK_SET) == 0 &&
                       fwrite(&received, sizeof(received), 1, reading->received) == 1 &&
                       fseek(reading->received, 0, SEEK_END) == 0;
    return written ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

/* ---- events ----------------------------------------------------------------------------------- */

/* Interrupts the library once nobody listens. */
static OTF2_CallbackCode tell(Reading *reading, DtOtf2Kind kind, const gint64 *values, guint count)
{
    return dt_otf2_put(reading->stream, kind, values, count, NULL, 0) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}
#define TELL(kind, ...)                                                                                                \
    tell(data, kind, (const gint64[]){(gint64)time, __VA_ARGS__}, sizeof((gint64[]){0, __VA_ARGS__}) / sizeof(gint64))

static gint64 estimated_of(const Reading *reading, const OTF2_AttributeList *attributes)
{
    uint8_t estimated = 0;
    if (reading->is_ours && OTF2_AttributeList_GetNumberOfElements(attributes) > 0 &&
        OTF2_AttributeList_TestAttributeByID(attributes, DT_OTF2_ATTRIBUTE_ESTIMATED))
        OTF2_AttributeList_GetUint8(attributes, DT_OTF2_ATTRIBUTE_ESTIMATED, &estimated);
    return estimated;
}

static OTF2_CallbackCode tell_enter(EVENT_HEAD, OTF2_RegionRef region)
{
    const Reading *reading = data;
    uint32_t call = 0;
    (void)location, (void)position;
    gboolean has_call = reading->is_ours && OTF2_AttributeList_GetNumberOfElements(attributes) > 0 &&
                        OTF2_AttributeList_TestAttributeByID(attributes, DT_OTF2_ATTRIBUTE_CALL) &&
                        OTF2_AttributeList_GetUint32(attributes, DT_OTF2_ATTRIBUTE_CALL, &call) == OTF2_SUCCESS;
    return TELL(DT_OTF2_ENTER, region, has_call ? (gint64)call : -1, -1, estimated_of(reading, attributes));
}

static OTF2_CallbackCode tell_leave(EVENT_HEAD, OTF2_RegionRef region)
{
    (void)location, (void)position;
    return TELL(DT_OTF2_LEAVE, region, estimated_of(data, attributes));
}

static OTF2_CallbackCode tell_note(EVENT_HEAD, OTF2_ParameterRef parameter, int64_t value)
{
    Reading *reading = data;
    gint64 values[3 + DT_OTF2_NOTE_VALUES] = {(gint64)time, value, -1};
    guint count = 3;
    OTF2_StringRef text = 0;
    (void)location, (void)position;
    if (!reading->is_ours || parameter != DT_OTF2_PARAMETER_NOTE)
        return OTF2_CALLBACK_SUCCESS;
    for (guint i = 0; i < DT_OTF2_NOTE_VALUES; i++, count++) {
        int64_t of_note;
        if (!OTF2_AttributeList_TestAttributeByID(attributes, DT_OTF2_ATTRIBUTE_VALUES + i) ||
            OTF2_AttributeList_GetInt64(attributes, DT_OTF2_ATTRIBUTE_VALUES + i, &of_note) != OTF2_SUCCESS)
            break;
        values[count] = of_note;
    }
    gboolean has_text = OTF2_AttributeList_TestAttributeByID(attributes, DT_OTF2_ATTRIBUTE_TEXT) &&
                        OTF2_AttributeList_GetStringRef(attributes, DT_OTF2_ATTRIBUTE_TEXT, &text) == OTF2_SUCCESS;
    const char *const texts[] = {string(reading, text)};
    return dt_otf2_put(reading->stream, DT_OTF2_NOTE, values, count, texts, has_text ? 1 : 0) ? OTF2_CALLBACK_SUCCESS
                                                                                              : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode tell_send(EVENT_HEAD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_SEND, peer, communicator, (gint32)tag, (gint64)bytes);
}

static OTF2_CallbackCode tell_isend(EVENT_HEAD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
                                    uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_ISEND, peer, communicator, (gint32)tag, (gint64)bytes, (gint64)request);
}

static OTF2_CallbackCode tell_isend_complete(EVENT_HEAD, uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_ISEND_COMPLETE, (gint64)request);
}

static OTF2_CallbackCode tell_irecv_request(EVENT_HEAD, uint64_t request)
{
    Reading *reading = data;
    Received got = {0};
    (void)location, (void)position, (void)attributes;
    if (reading->told_count++ >= reading->begun_count || fread(&got, sizeof(got), 1, reading->received) != 1 ||
        !got.known)
        return TELL(DT_OTF2_IRECV_REQUEST, (gint64)request);
    return TELL(DT_OTF2_IRECV_REQUEST, (gint64)request, got.sender, got.communicator, (gint32)got.tag,
                (gint64)got.bytes);
}

static OTF2_CallbackCode tell_recv(EVENT_HEAD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_RECV, peer, communicator, (gint32)tag, (gint64)bytes);
}

static OTF2_CallbackCode tell_irecv(EVENT_HEAD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
                                    uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_IRECV, peer, communicator, (gint32)tag, (gint64)bytes, (gint64)request);
}

static OTF2_CallbackCode tell_test(EVENT_HEAD, uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_REQUEST_TEST, (gint64)request);
}

static OTF2_CallbackCode tell_cancelled(EVENT_HEAD, uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_REQUEST_CANCELLED, (gint64)request);
}

static OTF2_CallbackCode tell_collective_begin(EVENT_HEAD)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_COLLECTIVE_BEGIN, 0);
}

static OTF2_CallbackCode tell_collective_end(EVENT_HEAD, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                             uint32_t root, uint64_t sent, uint64_t received)
{
    (void)location, (void)position, (void)attributes;
    return TELL(DT_OTF2_COLLECTIVE_END, operation, communicator, reference(root), (gint64)sent, (gint64)received);
}

/* ---- locations -------------------------------------------------------------------------------- */

static OTF2_EvtReaderCallbacks *callbacks_for_receives(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, note_request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, note_received);
    return callbacks;
}

static OTF2_EvtReaderCallbacks *callbacks_for_all(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, tell_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, tell_leave);
    OTF2_EvtReaderCallbacks_SetParameterIntCallback(callbacks, tell_note);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, tell_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, tell_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, tell_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, tell_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, tell_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, tell_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(callbacks, tell_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, tell_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, tell_collective_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, tell_collective_end);
    return callbacks;
}

/* Reads the events of a location, its definitions, which map what they name, before them. */
static gboolean read_events(Reading *reading, guint64 location, OTF2_EvtReaderCallbacks *callbacks)
{
    uint64_t count = 0;
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reading->reader, location);
    gboolean done = events &&
                    OTF2_Reader_RegisterEvtCallbacks(reading->reader, events, callbacks, reading) == OTF2_SUCCESS &&
                    OTF2_Reader_ReadAllLocalEvents(reading->reader, events, &count) == OTF2_SUCCESS;
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    if (events)
        done &= OTF2_Reader_CloseEvtReader(reading->reader, events) == OTF2_SUCCESS;
    return done;
}

static void read_local_definitions(Reading *reading)
{
    if (OTF2_Reader_OpenDefFiles(reading->reader) != OTF2_SUCCESS)
        return;
    for (guint i = 0; i < reading->threads->len; i++) {
        uint64_t count = 0;
        const guint64 location = g_array_index(reading->threads, Definition, i).ref;
        OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reading->reader, location);
        if (!definitions)
            continue;
        OTF2_Reader_ReadAllLocalDefinitions(reading->reader, definitions, &count);
        OTF2_Reader_CloseDefReader(reading->reader, definitions);
    }
    OTF2_Reader_CloseDefFiles(reading->reader);
}

static gboolean read_location(Reading *reading, guint64 location)
{
    const gint64 number = (gint64)location;
    reading->begun_count = reading->told_count = 0;
    g_hash_table_remove_all(reading->begun);
    rewind(reading->received);
    if (!reading->is_ours && !read_events(reading, location, callbacks_for_receives()))
        return FALSE;
    rewind(reading->received);
    dt_otf2_put(reading->stream, DT_OTF2_LOCATION, &number, 1, NULL, 0);
    return read_events(reading, location, callbacks_for_all());
}

static gint by_process(gconstpointer a, gconstpointer b)
{
    const Definition *first = a, *second = b;
    if (first->parent != second->parent)
        return first->parent < second->parent ? -1 : 1;
    return (first->ref > second->ref) - (first->ref < second->ref);
}

static gboolean read_archive(Reading *reading, char **problem)
{
    if (OTF2_Reader_SetSerialCollectiveCallbacks(reading->reader) != OTF2_SUCCESS || !read_definitions(reading)) {
        *problem = g_strdup("its definitions cannot be read");
        return FALSE;
    }
    g_array_sort(reading->threads, by_process);
    tell_archive(reading);
    tell_definitions(reading);
    for (guint i = 0; i < reading->threads->len; i++)
        OTF2_Reader_SelectLocation(reading->reader, g_array_index(reading->threads, Definition, i).ref);
    read_local_definitions(reading);
    gboolean done = OTF2_Reader_OpenEvtFiles(reading->reader) == OTF2_SUCCESS;
    for (guint i = 0; done && i < reading->threads->len; i++) {
        guint64 location = g_array_index(reading->threads, Definition, i).ref;
        done = read_location(reading, location);
        if (!done)
            *problem = g_strdup_printf("the events of location %" G_GUINT64_FORMAT " cannot be read", location);
    }
    if (!done && !*problem)
        *problem = g_strdup("its events cannot be read");
    return done;
}

static void free_group(gpointer data)
{
    Group *group = data;
    g_free(group->members);
    g_free(group);
}

/* The library believes how many properties an anchor says that it has: SIGPROF ends this program where it would go on
 * for minutes. */
static OTF2_Reader *open_reader(const char *anchor)
{
    const struct itimerval limit = {.it_value = {.tv_sec = MOST_SECONDS}}, none = {0};
    setitimer(ITIMER_PROF, &limit, NULL);
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    setitimer(ITIMER_PROF, &none, NULL);
    return reader;
}

gboolean dt_otf2_read_archive(const char *anchor, DtOtf2Stream *stream, char **problem)
{
    g_autoptr(GHashTable) strings = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GHashTable) groups = g_hash_table_new_full(NULL, NULL, NULL, free_group);
    g_autoptr(GHashTable) locations = g_hash_table_new_full(NULL, NULL, NULL, free_group);
    g_autoptr(GHashTable) begun = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(Definition));
    g_autoptr(GArray) processes = g_array_new(FALSE, FALSE, sizeof(Definition));
    g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(Definition));
    g_autoptr(GArray) regions = g_array_new(FALSE, FALSE, sizeof(Definition));
    g_autoptr(GArray) communicators = g_array_new(FALSE, FALSE, sizeof(Communicator));
    g_autoptr(GArray) properties = g_array_new(FALSE, FALSE, sizeof(Property));
    Reading reading = {.stream = stream,
                       .strings = strings,
                       .groups = groups,
                       .locations = locations,
                       .nodes = nodes,
                       .processes = processes,
                       .threads = threads,
                       .regions = regions,
                       .communicators = communicators,
                       .properties = properties,
                       .begun = begun};
    reading.reader = open_reader(anchor);
    reading.received = tmpfile();
    gboolean done = reading.reader && reading.received;
    if (!done)
        *problem = g_strdup(!reading.reader ? "not an archive of OTF2's" : "no temporary file can be made");
    done = done && read_archive(&reading, problem);
    OTF2_Reader_Close(reading.reader);
    if (reading.received)
        fclose(reading.received);
    return done;
}
