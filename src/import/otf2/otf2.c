/*
 * OTF2's archives, of Score-P and others. Definitions come first, then the events of each thread, thread by thread of
 * one process after the other (otf2/program/read.c).
 */
#include "import/otf2/otf2.h"

#include <stdio.h>
#include <string.h>

#include "store/file.h"
#include "text/text.h"

static const gint64 NS_A_SECOND = 1000000000;

/* ---- definitions ------------------------------------------------------------------------------ */

static void free_region(gpointer data)
{
    DtOtf2Region *region = data;
    g_free(region->name);
    g_free(region->symbol);
    g_free(region->description);
    g_free(region->file);
    g_free(region);
}

static void free_place(gpointer data)
{
    DtOtf2Place *place = data;
    g_clear_pointer(&place->properties, g_hash_table_unref);
    g_free(place->name);
    g_free(place);
}

static void free_communicator(gpointer data)
{
    DtOtf2Communicator *communicator = data;
    g_free(communicator->members);
    g_free(communicator);
}

static gint64 value(const DtOtf2Record *record, guint index)
{
    return index < record->count ? record->values[index] : -1;
}

static const char *text(const DtOtf2Record *record, guint index)
{
    return index < record->texts ? record->text[index] : "";
}

static void add(GHashTable *table, gint64 number, gpointer it)
{
    g_hash_table_replace(table, g_memdup2(&number, sizeof(number)), it);
}

static void take_place(GHashTable *table, const DtOtf2Record *record)
{
    DtOtf2Place *place = g_new0(DtOtf2Place, 1);
    place->parent = value(record, 1);
    place->name = g_strdup(text(record, 0));
    add(table, value(record, 0), place);
}

static void take_region(DtOtf2Import *import, const DtOtf2Record *record)
{
    DtOtf2Region *region = g_new0(DtOtf2Region, 1);
    region->name = g_strdup(*text(record, 0) ? text(record, 0) : "(no name)");
    region->symbol = g_strdup(text(record, 1));
    region->description = g_strdup(text(record, 2));
    region->file = g_strdup(text(record, 3));
    region->interface = value(record, 1);
    region->row = dt_call_class(region->name) == DT_CALL_MPI ? dt_call_find(region->name) : NULL;
    add(import->regions, value(record, 0), region);
}

static void take_communicator(DtOtf2Import *import, const DtOtf2Record *record)
{
    enum { HEAD = 4 };
    const gint64 first = value(record, 3);
    if (record->count < HEAD || first < 0 || first > record->count - HEAD)
        return;
    DtOtf2Communicator *communicator = g_new0(DtOtf2Communicator, 1);
    communicator->number = value(record, 0);
    communicator->parent = value(record, 1);
    communicator->kind = (gint)value(record, 2);
    communicator->first = (guint)first;
    communicator->count = record->count - HEAD;
    communicator->members = g_new0(gint32, (gsize)communicator->count + 1);
    for (guint i = 0; i < communicator->count; i++)
        communicator->members[i] = (gint32)CLAMP(record->values[HEAD + i], -1, G_MAXINT32);
    g_ptr_array_add(import->communicators, communicator);
}

static void take_archive_property(DtOtf2Import *import, const char *name, const char *content)
{
    if (g_str_equal(name, "DIFFTRACE::TIMES"))
        import->is_timed = g_str_has_prefix(content, "nanoseconds");
    else if (g_str_equal(name, "DIFFTRACE::START"))
        import->start_ns = g_ascii_strtoll(content, NULL, 10);
    else if (g_str_equal(name, "DIFFTRACE::HUNG"))
        import->hung = g_str_equal(content, "true");
}

static void take_property(DtOtf2Import *import, const DtOtf2Record *record)
{
    const gint64 of = value(record, 1);
    if (value(record, 0) == DT_OTF2_OF_ARCHIVE) {
        take_archive_property(import, text(record, 0), text(record, 1));
        return;
    }
    DtOtf2Place *place =
        g_hash_table_lookup(value(record, 0) == DT_OTF2_OF_PROCESS ? import->processes : import->threads, &of);
    if (!place)
        return;
    if (!place->properties)
        place->properties = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_replace(place->properties, g_strdup(text(record, 0)), g_strdup(text(record, 1)));
}

static void take_definition(DtOtf2Import *import, const DtOtf2Record *record)
{
    switch (record->kind) {
    case DT_OTF2_CREATOR:
        import->is_ours = g_str_equal(text(record, 0), "difftrace");
        break;
    case DT_OTF2_PROPERTY:
        take_property(import, record);
        break;
    case DT_OTF2_CLOCK:
        import->resolution = MAX(value(record, 0), 1);
        import->first_tick = value(record, 1);
        import->realtime = value(record, 3);
        break;
    case DT_OTF2_NODE:
        take_place(import->nodes, record);
        break;
    case DT_OTF2_PROCESS:
        take_place(import->processes, record);
        break;
    case DT_OTF2_THREAD:
        take_place(import->threads, record);
        break;
    case DT_OTF2_REGION:
        take_region(import, record);
        break;
    case DT_OTF2_RANKS:
        g_array_set_size(import->ranks, 0);
        g_array_append_vals(import->ranks, record->values, record->count);
        break;
    case DT_OTF2_COMMUNICATOR:
        take_communicator(import, record);
        break;
    case DT_OTF2_WARNING:
        dt_run_writer_warn(import->run, "%s: %s", import->path, text(record, 0));
        break;
    default:
        break;
    }
}

/* ---- functions -------------------------------------------------------------------------------- */

static guint32 own_function(DtOtf2Import *import, const DtOtf2Region *region)
{
    DtProcessWriter *writer = import->process.writer;
    const char *executable = dt_process_writer_header(writer)->executable;
    guint32 flags = 0;
    if (g_str_has_prefix(region->description, "flags "))
        flags = (guint32)g_ascii_strtoull(region->description + strlen("flags "), NULL, 10) &
                (DT_FUNCTION_IMPORT | DT_FUNCTION_API);
    gboolean is_program = g_str_has_suffix(region->description, " program");
    const guint32 of_image = is_program                ? (guint32)DT_IMAGE_MAIN
                             : flags & DT_FUNCTION_API ? (guint32)DT_IMAGE_API_ONLY
                                                       : 0u;
    DtImageWriter *image =
        dt_process_writer_image(writer, is_program && *executable ? executable : region->file, of_image);
    g_autofree char *symbol = dt_text_unspell(region->symbol);
    return dt_process_writer_function(writer, image, dt_image_writer_symbol(image, symbol, 0, 0, flags), flags);
}

guint32 dt_otf2_function(DtOtf2Import *import, gint64 number)
{
    guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(import->process.functions, &number));
    const DtOtf2Region *region = id == 0 ? g_hash_table_lookup(import->regions, &number) : NULL;
    if (!region)
        return id;
    id = import->is_ours
             ? own_function(import, region)
             : dt_import_function(import->process.writer, dt_process_writer_header(import->process.writer)->executable,
                                  region->name);
    g_hash_table_insert(import->process.functions, g_memdup2(&number, sizeof(number)), GUINT_TO_POINTER(id));
    return id;
}

/* ---- processes -------------------------------------------------------------------------------- */

static gint rank_of(const DtOtf2Import *import, gint64 process)
{
    for (guint i = 0; i < import->ranks->len; i++) {
        gint64 number = g_array_index(import->ranks, gint64, i);
        const DtOtf2Place *thread = g_hash_table_lookup(import->threads, &number);
        if (thread && thread->parent == process)
            return (gint)i;
    }
    return -1;
}

/* Where an archive says so, processes have an address of their own: all are of one clock, which is moved so that no
 * time is 0. */
static void begin_foreign_process(DtOtf2Import *import, const DtOtf2Place *place, const char *host)
{
    const gint rank = rank_of(import, import->process.id);
    const guint before = dt_run_writer_written(import->run)->processes;
    DtProcessIdentity identity = {rank, rank < 0 ? before : 0, before + 1, host, "program"};
    (void)place;
    import->process.writer = dt_import_process(import->run, &identity);
    import->process.rank = rank;
    import->process.moved = NS_A_SECOND;
    if (rank >= 0)
        dt_process_writer_header(import->process.writer)->world_size = (gint32)import->ranks->len;
}

static void begin_process(DtOtf2Import *import, gint64 id)
{
    const DtOtf2Place *place = g_hash_table_lookup(import->processes, &id);
    const DtOtf2Place *node = place ? g_hash_table_lookup(import->nodes, &place->parent) : NULL;
    const char *host = node ? node->name : "imported";
    DtOtf2Process *process = &import->process;
    process->id = id;
    process->functions = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    process->calls = g_hash_table_new(NULL, NULL);
    process->signatures = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    process->communicators = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    process->arrays = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    process->next_communicator = DT_COMMUNICATOR_SELF + 1;
    process->latest = 0;
    if (!import->is_ours || !place) {
        begin_foreign_process(import, place, host);
        return;
    }
    process->writer = dt_run_writer_process(import->run);
    g_strlcpy(dt_process_writer_header(process->writer)->host, host,
              sizeof(dt_process_writer_header(process->writer)->host));
    dt_otf2_own_process(import, place);
}

static void clear_process(DtOtf2Import *import)
{
    DtOtf2Process *process = &import->process;
    g_clear_pointer(&process->functions, g_hash_table_unref);
    g_clear_pointer(&process->calls, g_hash_table_unref);
    g_clear_pointer(&process->signatures, g_hash_table_unref);
    g_clear_pointer(&process->communicators, g_hash_table_unref);
    g_clear_pointer(&process->arrays, g_hash_table_unref);
    process->writer = NULL;
}

static void end_process(DtOtf2Import *import)
{
    if (!import->process.writer)
        return;
    struct dt_file_header *header = dt_process_writer_header(import->process.writer);
    if (!import->is_ours && import->process.latest > 0)
        header->end_monotonic_ns = import->process.latest;
    dt_process_writer_end(import->process.writer);
    clear_process(import);
}

/* ---- threads ---------------------------------------------------------------------------------- */

static void begin_own_thread(DtOtf2Import *import, const DtOtf2Place *place)
{
    const char *numbers = place->properties ? g_hash_table_lookup(place->properties, "difftrace::thread") : NULL;
    const char *name = place->properties ? g_hash_table_lookup(place->properties, "difftrace::name") : NULL;
    guint64 told[3] = {0}; /* kind, number, whether it returned */
    char *rest = (char *)numbers;
    for (guint i = 0; numbers && i < G_N_ELEMENTS(told); i++)
        told[i] = g_ascii_strtoull(rest, &rest, 10);
    import->thread = dt_process_writer_thread(
        import->process.writer, told[0] == DT_THREAD_LIBRARY ? DT_THREAD_LIBRARY : DT_THREAD_APP, (guint32)told[1]);
    struct dt_thread *record = dt_thread_writer_record(import->thread);
    record->end_state = told[2] ? DT_THREAD_RETURNED : DT_THREAD_RUNNING;
    g_strlcpy(record->name, name ? name : "", sizeof(record->name));
}

static void begin_foreign_thread(DtOtf2Import *import, DtOtf2Place *place, guint number)
{
    import->thread = dt_process_writer_thread(import->process.writer, DT_THREAD_APP, number);
    g_strlcpy(dt_thread_writer_record(import->thread)->name, place->name,
              sizeof(dt_thread_writer_record(import->thread)->name));
}

static void end_thread(DtOtf2Import *import)
{
    if (!import->thread)
        return;
    dt_otf2_thread_end(import);
    dt_thread_writer_end(import->thread);
    g_clear_pointer(&import->mpi, dt_otf2_thread_free);
    import->thread = NULL;
}

static void begin_thread(DtOtf2Import *import, gint64 id, guint *number)
{
    DtOtf2Place *place = g_hash_table_lookup(import->threads, &id);
    end_thread(import);
    if (!place)
        return;
    if (!import->process.writer || import->process.id != place->parent) {
        end_process(import);
        begin_process(import, place->parent);
        *number = 0;
    }
    import->open = 0;
    import->mpi = dt_otf2_thread_new();
    if (import->is_ours)
        begin_own_thread(import, place);
    else
        begin_foreign_thread(import, place, *number);
    (*number)++;
}

/* ---- events ----------------------------------------------------------------------------------- */

void dt_otf2_time(DtOtf2Import *import, gint64 tick)
{
    if (!import->is_timed)
        return;
    const gint64 ticks = MAX(tick - import->first_tick, 0);
    const gint64 seconds = ticks / import->resolution, rest = ticks % import->resolution;
    gint64 ns = (gint64)((gdouble)rest / (gdouble)import->resolution * (gdouble)NS_A_SECOND + 0.5);
    if (import->resolution == NS_A_SECOND)
        ns = rest;
    if (seconds > G_MAXINT64 / NS_A_SECOND / 2)
        return;
    const gint64 at = seconds * NS_A_SECOND + ns + import->process.moved;
    if (at <= 0)
        return;
    import->process.latest = MAX(import->process.latest, (guint64)at);
    dt_thread_writer_time(import->thread, (guint64)at);
}

static void take_own_event(DtOtf2Import *import, const DtOtf2Record *record)
{
    if (record->kind == DT_OTF2_ENTER) {
        const gint64 call = value(record, 2);
        guint32 id = call >= 0 ? dt_otf2_own_call(import, call) : dt_otf2_function(import, value(record, 1));
        if (id == 0) {
            import->unknown++;
            return;
        }
        if (value(record, 4) <= 0)
            dt_otf2_time(import, value(record, 0));
        dt_thread_writer_event(import->thread, id);
        import->open++;
    } else if (record->kind == DT_OTF2_LEAVE && import->open > 0) {
        if (value(record, 2) <= 0)
            dt_otf2_time(import, value(record, 0));
        dt_thread_writer_event(import->thread, DT_WORD_RETURN);
        import->open--;
    } else if (record->kind == DT_OTF2_NOTE && record->count >= 3) {
        dt_thread_writer_note(import->thread, (guint32)value(record, 1), record->count > 3 ? record->values + 3 : NULL,
                              record->count - 3, record->texts > 0 ? text(record, 0) : NULL);
    }
}

static void take_event(DtOtf2Import *import, const DtOtf2Record *record)
{
    if (!import->thread)
        return;
    if (import->is_ours)
        take_own_event(import, record);
    else if (record->kind == DT_OTF2_ENTER)
        dt_otf2_thread_enter(import, value(record, 0), value(record, 1));
    else if (record->kind == DT_OTF2_LEAVE)
        dt_otf2_thread_leave(import, value(record, 0));
    else
        dt_otf2_thread_event(import, record);
}

/* ---- the archive ------------------------------------------------------------------------------ */

/* TRUE once the archive is at its end. */
static gboolean take_all(DtOtf2Import *import, DtOtf2Archive *archive, GError **error)
{
    const DtOtf2Record *record;
    guint number = 0;
    while ((record = dt_otf2_next(archive->stream)) && record->kind != DT_OTF2_DONE) {
        if (record->kind == DT_OTF2_ERROR) {
            dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "%s: %s", import->path, text(record, 0));
            return FALSE;
        }
        if (record->kind == DT_OTF2_LOCATION)
            begin_thread(import, value(record, 0), &number);
        else if (record->kind < DT_OTF2_LOCATION)
            take_definition(import, record);
        else
            take_event(import, record);
    }
    if (!record)
        dt_otf2_fail(archive, error);
    return record != NULL;
}

/* What came before the damage stays. */
static gboolean finish(DtOtf2Import *import, GError *problem, GError **error)
{
    const gboolean any = dt_run_writer_written(import->run)->threads > 0 || import->thread;
    if (problem && import->process.writer)
        dt_import_cut(import->process.writer);
    end_thread(import);
    end_process(import);
    if (import->unknown > 0)
        dt_run_writer_warn(import->run, "%s: %" G_GUINT64_FORMAT " calls of regions that are not defined are left out",
                           import->path, import->unknown);
    if (any && problem)
        dt_run_writer_warn(import->run, "%s: what follows is left out", problem->message);
    if (any) {
        g_clear_error(&problem);
        return TRUE;
    }
    if (problem)
        g_propagate_error(error, problem);
    else
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "%s: no thread in it", import->path);
    return FALSE;
}

gboolean dt_is_otf2(const char *path)
{
    FILE *file = g_str_has_suffix(path, ".otf2") ? dt_file_stream(path, NULL) : NULL;
    gboolean is_one = file != NULL;
    if (file)
        fclose(file);
    return is_one;
}

gboolean dt_import_otf2(const char *path, DtRunWriter *run, GError **error)
{
    g_autoptr(DtOtf2Archive) archive = dt_otf2_read(path, error);
    if (!archive)
        return FALSE;
    g_autoptr(GHashTable) regions = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_region);
    g_autoptr(GHashTable) processes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_place);
    g_autoptr(GHashTable) threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_place);
    g_autoptr(GHashTable) nodes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_place);
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GPtrArray) communicators = g_ptr_array_new_with_free_func(free_communicator);
    DtOtf2Import import = {.path = path,
                           .run = run,
                           .is_timed = TRUE,
                           .resolution = 1,
                           .regions = regions,
                           .processes = processes,
                           .threads = threads,
                           .nodes = nodes,
                           .ranks = ranks,
                           .communicators = communicators};
    GError *problem = NULL;
    take_all(&import, archive, &problem);
    if (import.hung)
        dt_run_writer_hung(run);
    return finish(&import, problem, error);
}
