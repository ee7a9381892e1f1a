/* Archives that difftrace has written: properties of processes have what the run had (export/otf2.c). */
#include <string.h>

#include "import/otf2/otf2.h"

static const char *property(const DtOtf2Place *place, const char *name)
{
    const char *text = place->properties ? g_hash_table_lookup(place->properties, name) : NULL;
    return text ? text : "";
}

/* The numbers of a text; (element-type gint64). */
static GArray *numbers_of(const char *text)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (char *end; *text; text = end) {
        gint64 number = *text == '-' ? g_ascii_strtoll(text, &end, 10) : (gint64)g_ascii_strtoull(text, &end, 10);
        if (end == text)
            break;
        g_array_append_val(numbers, number);
        while (*end == ' ')
            end++;
    }
    return numbers;
}

static gint64 at(const GArray *numbers, guint index)
{
    return index < numbers->len ? g_array_index(numbers, gint64, index) : 0;
}

static void take_arrays(DtOtf2Import *import, const DtOtf2Place *place)
{
    for (guint i = 0;; i++) {
        g_autofree char *name = g_strdup_printf("difftrace::array %u", i);
        if (!place->properties || !g_hash_table_contains(place->properties, name))
            return;
        g_autoptr(GArray) values = numbers_of(property(place, name));
        dt_process_writer_array(import->process.writer, (const gint64 *)(gconstpointer)values->data, values->len);
    }
}

static void take_communicator(DtOtf2Import *import, guint number, const GArray *numbers)
{
    enum { HEAD = 6 };
    struct dt_communicator communicator = {.number = number,
                                           .parent = (guint32)at(numbers, 0),
                                           .creation = (guint32)at(numbers, 1),
                                           .key = (guint64)at(numbers, 2),
                                           .rank = (gint32)at(numbers, 3),
                                           .size = (gint32)at(numbers, 4),
                                           .remote_size = (gint32)at(numbers, 5)};
    const guint members = numbers->len > HEAD ? numbers->len - HEAD : 0;
    if (at(numbers, 4) < 0 || at(numbers, 5) < -1 || at(numbers, 4) + MAX(at(numbers, 5), 0) != members)
        return;
    g_autofree gint32 *ranks = g_new0(gint32, (gsize)members + 1);
    for (guint i = 0; i < members; i++)
        ranks[i] = (gint32)at(numbers, HEAD + i);
    dt_process_writer_communicator(import->process.writer, &communicator, ranks);
}

static void take_communicators(DtOtf2Import *import, const DtOtf2Place *place)
{
    static const char PREFIX[] = "difftrace::communicator ";
    GHashTableIter each;
    gpointer name, text;
    if (!place->properties)
        return;
    g_hash_table_iter_init(&each, place->properties);
    while (g_hash_table_iter_next(&each, &name, &text)) {
        if (!g_str_has_prefix(name, PREFIX))
            continue;
        g_autoptr(GArray) numbers = numbers_of(text);
        take_communicator(import, (guint)g_ascii_strtoull((const char *)name + strlen(PREFIX), NULL, 10), numbers);
    }
}

void dt_otf2_own_process(DtOtf2Import *import, const DtOtf2Place *place)
{
    struct dt_file_header *header = dt_process_writer_header(import->process.writer);
    g_autoptr(GArray) numbers = numbers_of(property(place, "difftrace::process"));
    header->rank = (gint32)at(numbers, 0);
    header->world_size = (gint32)at(numbers, 1);
    header->pid = (guint32)at(numbers, 2);
    header->ppid = (guint32)at(numbers, 3);
    header->flags =
        (guint32)at(numbers, 4) & (DT_FILE_FORKED | DT_FILE_MPI_INITIALISED | DT_FILE_MPI_FINALIZED | DT_FILE_PAYLOAD);
    header->start_realtime_ns = (guint64)at(numbers, 5);
    header->start_monotonic_ns = (guint64)at(numbers, 6);
    header->end_monotonic_ns = (guint64)at(numbers, 7);
    header->end_state = (guint32)at(numbers, 8);
    header->end_status = (gint32)at(numbers, 9);
    import->process.moved = import->start_ns - at(numbers, 10);
    g_strlcpy(header->executable, property(place, "difftrace::executable"), sizeof(header->executable));
    g_strlcpy(header->arguments, property(place, "difftrace::arguments"), sizeof(header->arguments));
    take_arrays(import, place);
    take_communicators(import, place);
}

guint32 dt_otf2_own_call(DtOtf2Import *import, gint64 number)
{
    const gpointer key = GSIZE_TO_POINTER((gsize)number + 1);
    const DtOtf2Place *place = g_hash_table_lookup(import->processes, &import->process.id);
    guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(import->process.calls, key));
    if (id > 0 || !place)
        return id;
    g_autofree char *name = g_strdup_printf("difftrace::call %" G_GINT64_FORMAT, number);
    g_autoptr(GArray) numbers = numbers_of(property(place, name));
    guint32 function = numbers->len > 0 ? dt_otf2_function(import, at(numbers, 0)) : 0;
    if (function == 0)
        return 0;
    id = dt_process_writer_signature(import->process.writer, function, (const gint64 *)(gconstpointer)numbers->data + 1,
                                     numbers->len - 1);
    g_hash_table_insert(import->process.calls, key, GUINT_TO_POINTER(id));
    return id;
}
