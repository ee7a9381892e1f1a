/* The tables of a process file: functions, images, communicators. */
#include "store/process_tables.h"

#include <string.h>

#include "format/arguments.h"
#include "format/checks.h"
#include "format/varint.h"
#include "store/problems.h"
#include "text/text.h"

void dt_report_record(const DtProcessFile *file, GPtrArray *problems, guint64 offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *what = dt_text_vprintf(format, arguments);
    va_end(arguments);
    dt_problem(problems, file->name, "%s at offset %" G_GUINT64_FORMAT ": wrong checksum: left out", what, offset);
}

static void read_functions(DtProcessFile *file, DtPayload payload, GPtrArray *problems)
{
    struct dt_function function;
    for (; payload.bytes >= sizeof(function); payload = dt_payload_behind(payload, sizeof(function))) {
        memcpy(&function, payload.data, sizeof(function));
        if (function.id == 0)
            continue;
        if (file->checked && function.check != dt_function_check(&function))
            dt_report_record(file, problems, payload.offset, "function %u", function.id);
        else
            g_array_append_val(file->functions, function);
    }
}

static void read_images(DtProcessFile *file, GArray *images, DtPayload payload, GPtrArray *problems)
{
    struct dt_image image;
    for (; payload.bytes >= sizeof(image); payload = dt_payload_behind(payload, sizeof(image))) {
        memcpy(&image, payload.data, sizeof(image));
        if (image.index == 0)
            continue;
        if (file->checked && image.check != dt_image_check(&image)) {
            dt_report_record(file, problems, payload.offset, "image %u", image.index);
            continue;
        }
        image.key[sizeof(image.key) - 1] = 0;
        image.path[sizeof(image.path) - 1] = 0;
        g_array_append_val(images, image);
    }
}

static void read_sites(DtProcessFile *file, DtPayload payload, GPtrArray *problems)
{
    struct dt_call_site site;
    for (; payload.bytes >= sizeof(site); payload = dt_payload_behind(payload, sizeof(site))) {
        memcpy(&site, payload.data, sizeof(site));
        if (site.id == 0)
            continue;
        if (site.check != dt_call_site_check(&site))
            dt_report_record(file, problems, payload.offset, "the call site of function %u", site.id);
        else
            g_array_append_val(file->sites, site);
    }
}

/* No process has so many; a damaged file may say so. */
enum { MOST_COMMUNICATORS = 65536 };

void dt_communicator_free(gpointer data)
{
    DtCommunicator *communicator = data;
    if (!communicator)
        return;
    g_free((char *)communicator->name);
    g_free((gint *)communicator->members);
    g_free(communicator);
}

static void add_communicator(DtProcessFile *file, const struct dt_communicator *record, const guint8 *members)
{
    guint count = (guint)record->size + (record->remote_size > 0 ? (guint)record->remote_size : 0);
    DtCommunicator *communicator = g_new0(DtCommunicator, 1);
    DtOrigin origin = {record->parent, record->creation};
    communicator->number = record->number;
    communicator->key = record->key;
    communicator->rank = record->rank;
    communicator->size = record->size;
    communicator->remote_size = record->remote_size;
    communicator->members = g_memdup2(members, count * sizeof(gint));
    if (record->number >= file->communicators->len) {
        g_ptr_array_set_size(file->communicators, (gint)record->number + 1);
        g_array_set_size(file->origins, record->number + 1);
    }
    dt_communicator_free(file->communicators->pdata[record->number]);
    file->communicators->pdata[record->number] = communicator;
    g_array_index(file->origins, DtOrigin, record->number) = origin;
}

static gboolean communicator_is_good(const struct dt_communicator *record, const guint8 *place)
{
    gint64 members = (gint64)record->size + MAX(record->remote_size, 0);
    struct dt_communicator *copy = g_memdup2(place, record->bytes);
    gboolean good = dt_communicator_check(copy) == record->check && record->size > 0 &&
                    record->number < MOST_COMMUNICATORS &&
                    sizeof(*record) + (guint64)members * sizeof(gint32) <= record->bytes;
    g_free(copy);
    return good;
}

static void read_communicators(DtProcessFile *file, DtPayload payload, GPtrArray *problems)
{
    struct dt_communicator record;
    for (; payload.bytes >= sizeof(record); payload = dt_payload_behind(payload, record.bytes)) {
        memcpy(&record, payload.data, sizeof(record));
        if (record.bytes == 0)
            return;
        if (record.bytes % 8 != 0 || record.bytes < sizeof(record) || record.bytes > payload.bytes) {
            dt_report_record(file, problems, payload.offset, "a communicator");
            return;
        }
        if (communicator_is_good(&record, payload.data))
            add_communicator(file, &record, payload.data + sizeof(record));
        else
            dt_report_record(file, problems, payload.offset, "communicator %u", record.number);
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* A process has memory for fewer; a damaged file may say more. */
enum { MOST_ARRAYS = 1 << 24 };

/* NULL: the record is damaged. `bytes`: of the elements. */
static DtArray *decode_array(const struct dt_array *record, const guint8 *elements, gsize bytes)
{
    const guint8 *end = elements + bytes;
    if (record->count > bytes)
        return NULL;
    DtArray *array = g_malloc0(sizeof(DtArray) + record->count * sizeof(gint64));
    array->count = record->count;
    for (guint i = 0; i < record->count; i++) {
        guint64 value;
        if (!dt_varint_get(&elements, end, &value)) {
            g_free(array);
            return NULL;
        }
        array->values[i] = dt_zigzag_back(value);
    }
    return array;
}

static gboolean add_array(DtProcessFile *file, const struct dt_array *record, const guint8 *place)
{
    g_autofree struct dt_array *copy = g_memdup2(place, record->bytes);
    if (dt_array_check(copy) != record->check || record->number >= MOST_ARRAYS)
        return FALSE;
    DtArray *array = decode_array(record, place + sizeof(*record), record->bytes - sizeof(*record));
    if (!array)
        return FALSE;
    if (record->number >= file->arrays->len)
        g_ptr_array_set_size(file->arrays, (gint)record->number + 1);
    g_free(file->arrays->pdata[record->number]);
    file->arrays->pdata[record->number] = array;
    return TRUE;
}

static void read_arrays(DtProcessFile *file, DtPayload payload, GPtrArray *problems)
{
    struct dt_array record;
    for (; payload.bytes >= sizeof(record); payload = dt_payload_behind(payload, record.bytes)) {
        memcpy(&record, payload.data, sizeof(record));
        if (record.bytes == 0)
            return;
        if (record.bytes % 8 != 0 || record.bytes < sizeof(record) || record.bytes > payload.bytes) {
            dt_report_record(file, problems, payload.offset, "an array");
            return;
        }
        if (!add_array(file, &record, payload.data))
            dt_report_record(file, problems, payload.offset, "array %u", record.number);
    }
}

void dt_read_table(DtProcessFile *file, guint32 type, DtPayload payload, GPtrArray *problems)
{
    if (type == DT_CHUNK_FUNCTIONS)
        read_functions(file, payload, problems);
    else if (type == DT_CHUNK_IMAGES)
        read_images(file, file->images, payload, problems);
    else if (type == DT_CHUNK_SITES)
        read_sites(file, payload, problems);
    else if (type == DT_CHUNK_SITE_IMAGES)
        read_images(file, file->site_images, payload, problems);
    else if (type == DT_CHUNK_COMMUNICATORS)
        read_communicators(file, payload, problems);
    else if (type == DT_CHUNK_ARRAYS)
        read_arrays(file, payload, problems);
}
