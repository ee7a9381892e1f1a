/* Files: modes and what is done with them, split collective calls, and accesses of several ranks to the same bytes. */
#include "checks/checking.h"
#include "format/arguments.h"

#include <string.h>

/* Of MPI_File_open, the same in all MPIs. */
enum { CREATES = 1, READS = 2, WRITES = 4, READS_AND_WRITES = 8, MUST_BE_NEW = 64, APPENDS = 128, IN_SEQUENCE = 256 };
enum { NOT_KNOWN = -1 };

/* A file of the process. */
typedef struct {
    guint64 key; /* over processes; 0: not known */
    const DtTrace *trace;
    gint64 mode;        /* NOT_KNOWN */
    gint64 position;    /* of its own pointer, in bytes of the view; NOT_KNOWN */
    gint64 start, unit; /* of the view, in bytes: where it begins, and what offsets count in */
    guint64 syncs;      /* how often it was synchronised */
    gboolean has_begun; /* a split collective call */
    DtKeptCall begin;   /* that one */
    gboolean is_unsure; /* several threads use it */
    gboolean
        is_strange; /* it has a view with holes, or is atomic: places of accesses are not known, or do not matter */
} File;

/* Bytes that a rank reads or writes between two synchronisations. */
typedef struct {
    guint64 key, syncs;
    gint64 start, end;
    gboolean writes;
    DtKeptCall call;
} Access;

typedef struct {
    DtChecking *checking;
    GArray *files;       /* File, by number in the process that is being read */
    GArray *accesses;    /* Access, of all processes */
    guint of_process;    /* how many of these are of the process */
    GHashTable *strange; /* keys of files whose accesses cannot be compared */
} Files;

static gpointer start(DtChecking *checking)
{
    Files *own = g_new0(Files, 1);
    own->checking = checking;
    own->files = g_array_new(FALSE, FALSE, sizeof(File));
    own->accesses = g_array_new(FALSE, FALSE, sizeof(Access));
    own->strange = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return own;
}

static void stop(gpointer family)
{
    Files *own = family;
    g_array_unref(own->files);
    g_array_unref(own->accesses);
    g_hash_table_unref(own->strange);
    g_free(own);
}

static void tell(Files *own, const DtKeptCall *call, DtCheckRule rule, const char *expected, const char *evidence)
{
    DtCheckFinding *finding;
    if (!dt_check_report_kept(own->checking, rule, DT_CHECK_ERROR, call, NULL, &finding))
        return;
    dt_check_expect(finding, "%s", expected);
    dt_check_add_evidence(finding, "%s", evidence);
}

/* ---- modes ----------------------------------------------------------------------------------- */

static gint64 number_of(const DtCheckedCall *call, guint kind)
{
    const DtArgument *argument = dt_check_argument(call->signature, kind);
    return argument && argument->special == DT_SPECIAL_NONE ? argument->value : NOT_KNOWN;
}

static const char *wrong_in(gint64 mode)
{
    const gint64 access = mode & (READS | WRITES | READS_AND_WRITES);
    if (access != READS && access != WRITES && access != READS_AND_WRITES)
        return "the mode has none, or several, of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR";
    if (access == READS && mode & (CREATES | MUST_BE_NEW))
        return "the file is opened for reading alone, and is to be created";
    if (access == READS_AND_WRITES && mode & IN_SEQUENCE)
        return "the file is opened for reading and writing in sequence at once";
    return NULL;
}

static void look_at_mode(Files *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const gint64 mode = number_of(call, DT_ARGUMENT_ACCESS_MODE);
    const char *wrong = mode == NOT_KNOWN ? NULL : wrong_in(mode);
    const DtKeptCall kept = dt_check_keep(trace, call);
    if (wrong)
        tell(own, &kept, DT_CHECK_IO_MODE, "one mode of access, and others that go with it", wrong);
}

static gboolean reads(const struct dt_call *row)
{
    return strstr(row->name, "read") && dt_call_has(row, DT_PARAMETER_DATATYPE);
}

static gboolean writes(const struct dt_call *row)
{
    return strstr(row->name, "write") && dt_call_has(row, DT_PARAMETER_DATATYPE);
}

static void look_at_use(Files *own, const DtCheckedTrace *trace, const DtCheckedCall *call, const File *file)
{
    const char *wrong = NULL;
    if (file->mode == NOT_KNOWN)
        return;
    if (file->mode & READS && writes(call->row))
        wrong = "the file was opened with MPI_MODE_RDONLY";
    else if (file->mode & WRITES && reads(call->row))
        wrong = "the file was opened with MPI_MODE_WRONLY";
    else if (file->mode & IN_SEQUENCE && (reads(call->row) || writes(call->row)) &&
             !strstr(call->row->name, "_shared") && !strstr(call->row->name, "_ordered"))
        wrong = "the file was opened with MPI_MODE_SEQUENTIAL, which allows the shared pointer alone";
    const DtKeptCall kept = dt_check_keep(trace, call);
    if (wrong)
        tell(own, &kept, DT_CHECK_IO_MODE, "a file that is opened for what is done with it", wrong);
}

/* ---- split collective calls ------------------------------------------------------------------ */

static gboolean is_collective_access(const struct dt_call *row)
{
    return strstr(row->name, "_all") || strstr(row->name, "_ordered");
}

/* MPI_File_write_all_begin and MPI_File_write_all_end. */
static gboolean belong_together(Files *own, const File *file, const struct dt_call *end)
{
    const struct dt_call *begin = dt_call_find(dt_check_function_name(own->checking, file->begin.function));
    const gsize length = strlen(end->name) - strlen("_end");
    return begin && strncmp(begin->name, end->name, length) == 0 && g_str_equal(begin->name + length, "_begin");
}

static void tell_split(Files *own, const DtKeptCall *call, const DtKeptCall *begin, const char *evidence)
{
    DtCheckFinding *finding;
    if (!dt_check_report_kept(own->checking, DT_CHECK_IO_SPLIT, DT_CHECK_ERROR, call, NULL, &finding))
        return;
    g_autofree char *text = begin ? dt_kept_call_text(own->checking, begin) : NULL;
    dt_check_expect(finding, "one split collective call of a file at a time, which begins and ends");
    dt_check_add_evidence(finding, "%s%s%s", evidence, text ? ": " : "", text ? text : "");
}

static void look_at_split(Files *own, const DtCheckedTrace *trace, const DtCheckedCall *call, File *file)
{
    const char *name = call->row->name;
    const DtKeptCall kept = dt_check_keep(trace, call);
    if (g_str_has_suffix(name, "_end")) {
        if (!file->has_begun)
            tell_split(own, &kept, NULL, "no such call has begun");
        else if (!belong_together(own, file, call->row))
            tell_split(own, &kept, &file->begin, "another one has begun");
        file->has_begun = FALSE;
    } else if (file->has_begun && is_collective_access(call->row)) {
        tell_split(own, &kept, &file->begin, "one has begun and has not ended");
    } else if (file->has_begun && dt_check_is(call, "File_close")) {
        tell_split(own, &file->begin, &kept, "it has not ended when the file is closed");
        file->has_begun = FALSE;
    } else if (g_str_has_suffix(name, "_begin")) {
        file->has_begun = TRUE;
        file->begin = kept;
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void set_strange(Files *own, File *file)
{
    file->is_strange = TRUE;
    if (file->key)
        g_hash_table_add(own->strange, g_memdup2(&file->key, sizeof file->key));
}

static void add_access(Files *own, const File *file, gint64 place, gint64 bytes, const DtCheckedTrace *trace,
                       const DtCheckedCall *call)
{
    enum { MOST = 1 << 14 };
    Access access = {file->key, file->syncs, place, place + bytes, writes(call->row), dt_check_keep(trace, call)};
    Access *last = own->of_process > 0 ? &g_array_index(own->accesses, Access, own->accesses->len - 1) : NULL;
    if (last && last->key == access.key && last->syncs == access.syncs && last->end == access.start &&
        last->writes == access.writes && last->call.site == access.call.site) {
        last->end = access.end; /* a loop that goes on where it was */
        return;
    }
    if (own->of_process >= MOST)
        return;
    g_array_append_val(own->accesses, access);
    own->of_process++;
}

static void pass_access(Files *own, const DtCheckedTrace *trace, const DtCheckedCall *call, File *file)
{
    const DtArgument *data = dt_check_argument(call->signature, DT_ARGUMENT_DATA);
    const gboolean at_place = dt_call_has(call->row, DT_PARAMETER_OFFSET);
    const gint64 bytes = data && data->special == DT_SPECIAL_NONE && data->value >= 0 && data->size >= 0
                             ? data->value * data->size
                             : NOT_KNOWN;
    if (strstr(call->row->name, "_shared") || strstr(call->row->name, "_ordered"))
        return;
    const gint64 offset = at_place ? number_of(call, DT_ARGUMENT_OFFSET) : NOT_KNOWN;
    const gint64 place = !at_place ? file->position : offset >= 0 ? offset * file->unit : NOT_KNOWN;
    if (place >= 0 && bytes > 0 && file->key && !file->is_strange)
        add_access(own, file, file->start + place, bytes, trace, call);
    if (at_place)
        return;
    /* A read may have come to the end of the file. */
    file->position = file->position >= 0 && bytes >= 0 && writes(call->row) ? file->position + bytes : NOT_KNOWN;
}

static void pass_seek(const DtCheckedCall *call, File *file)
{
    enum { FROM_START, FROM_POSITION };
    const gint64 offset = number_of(call, DT_ARGUMENT_OFFSET), whence = number_of(call, DT_ARGUMENT_WHENCE);
    if (whence == FROM_START && offset >= 0)
        file->position = offset * file->unit;
    else if (whence == FROM_POSITION && file->position >= 0 && offset >= 0)
        file->position += offset * file->unit;
    else
        file->position = NOT_KNOWN;
}

/* A filetype that is not as large as its elements is a derived one, also where its form was too long to be recorded. */
static gboolean has_holes(const DtCheckedCall *call, gint64 unit)
{
    gboolean found = dt_check_argument(call->signature, DT_ARGUMENT_DATATYPE) != NULL;
    for (guint i = 0; i < call->signature->argument_count; i++) {
        const DtArgument *argument = &call->signature->arguments[i];
        found |=
            argument->kind == DT_ARGUMENT_ELEMENT && (argument->special != DT_SPECIAL_NONE || argument->value != unit);
    }
    return found;
}

/* A view of predefined datatypes has no holes: it only begins elsewhere. */
static void pass_view(Files *own, const DtCheckedCall *call, File *file)
{
    const gint64 start = number_of(call, DT_ARGUMENT_OFFSET), unit = number_of(call, DT_ARGUMENT_ELEMENT);
    if (has_holes(call, unit) || start < 0 || unit <= 0)
        set_strange(own, file);
    file->start = start;
    file->unit = unit;
    file->position = 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static File *file_of(Files *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    if (call->of != DT_CALL_MPI || !dt_check_has(call, DT_CALL_IO) || !call->signature)
        return NULL;
    const gint64 number = number_of(call, DT_ARGUMENT_FILE);
    if (number < 0 || number >= own->files->len)
        return NULL;
    File *file = &g_array_index(own->files, File, number);
    file->is_unsure |= (file->trace && file->trace != trace->trace) || !trace->is_complete;
    file->trace = trace->trace;
    return file->is_unsure || own->checking->processes[trace->process->index].is_shared ? NULL : file;
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Files *own = family;
    if (call->of == DT_CALL_MPI && call->row && dt_call_has(call->row, DT_PARAMETER_FILE_MADE))
        look_at_mode(own, trace, call);
    File *file = file_of(own, trace, call);
    if (!file)
        return;
    look_at_use(own, trace, call, file);
    look_at_split(own, trace, call, file);
}

static void add_file(Files *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const DtCheckedObject *object = dt_checked_objects_last(trace->objects, TRUE);
    const gint64 mode = number_of(call, DT_ARGUMENT_ACCESS_MODE);
    File file = {.key = object ? object->key : 0,
                 .trace = trace->trace,
                 .mode = mode,
                 .unit = 1,
                 .position = mode == NOT_KNOWN || mode & APPENDS ? NOT_KNOWN : 0};
    g_array_append_val(own->files, file);
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Files *own = family;
    if (call->of != DT_CALL_MPI || !call->row || call->failed)
        return;
    if (dt_call_has(call->row, DT_PARAMETER_FILE_MADE)) {
        add_file(own, trace, call);
        return;
    }
    File *file = file_of(own, trace, call);
    if (!file)
        return;
    if (dt_check_is(call, "File_set_view"))
        pass_view(own, call, file);
    else if (dt_check_is(call, "File_set_atomicity"))
        set_strange(own, file);
    else if (dt_check_is(call, "File_sync"))
        file->syncs++;
    else if (dt_check_is(call, "File_seek"))
        pass_seek(call, file);
    else if (reads(call->row) || writes(call->row))
        pass_access(own, trace, call, file);
}

static void end_process(gpointer family, const DtProcess *process, gboolean is_complete)
{
    Files *own = family;
    for (guint i = 0; i < own->files->len; i++) {
        const File *file = &g_array_index(own->files, File, i);
        if (file->has_begun && !file->is_unsure && is_complete && own->checking->processes[process->index].finalized)
            tell_split(own, &file->begin, NULL, "it has not ended when the process comes to MPI_Finalize");
    }
    g_array_set_size(own->files, 0);
    own->of_process = 0;
}

/* ---- the same bytes -------------------------------------------------------------------------- */

static gint compare_accesses(gconstpointer a, gconstpointer b)
{
    const Access *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    if (one->syncs != other->syncs)
        return one->syncs < other->syncs ? -1 : 1;
    return one->start < other->start ? -1 : one->start > other->start;
}

static void tell_conflict(Files *own, const Access *one, const Access *other)
{
    DtCheckFinding *finding;
    const DtKeptCall *call = one->writes ? &one->call : &other->call,
                     *against = one->writes ? &other->call : &one->call;
    if (dt_check_report_kept(own->checking, DT_CHECK_IO_CONFLICT, DT_CHECK_ERROR, call, NULL, &finding)) {
        g_autofree char *text = dt_kept_call_text(own->checking, against);
        dt_check_expect(finding, "MPI_File_sync, a barrier and MPI_File_sync between them, or atomic mode");
        dt_check_add_evidence(finding,
                              "rank %d and rank %d access bytes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                              " of the file, and nothing synchronises it between",
                              call->trace->process->rank, against->trace->process->rank, MAX(one->start, other->start),
                              MIN(one->end, other->end) - 1);
        dt_check_add_evidence(finding, "rank %d: %s", against->trace->process->rank, text);
    }
    if (finding)
        dt_check_add_trace(own->checking, finding, against->trace);
}

static void finish(gpointer family)
{
    enum { MOST_NEIGHBOURS = 64 };
    Files *own = family;
    const Access *all = (const Access *)(gpointer)own->accesses->data;
    g_array_sort(own->accesses, compare_accesses);
    for (guint i = 0; i < own->accesses->len; i++) {
        const Access *one = &all[i];
        if (g_hash_table_contains(own->strange, &one->key))
            continue;
        for (guint k = i + 1; k < MIN(own->accesses->len, i + MOST_NEIGHBOURS); k++) {
            const Access *other = &all[k];
            if (other->key != one->key || other->syncs != one->syncs || other->start >= one->end)
                break;
            if (other->call.trace->process != one->call.trace->process && (one->writes || other->writes))
                tell_conflict(own, one, other);
        }
    }
}

const DtCheckFamily dt_check_files = {
    .start = start, .enter = enter, .leave = leave, .end_process = end_process, .finish = finish, .stop = stop};
