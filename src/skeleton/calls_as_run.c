#include "skeleton/calls_as_run.h"

#include <string.h>

#include "calls/calls.h"
#include "decoder/status.h"
#include "format/arguments.h"
#include "format/trace_file.h"
#include "skeleton/fields.h"
#include "writer/writer.h"

/* ---- what is not told ------------------------------------------------------------------------ */

struct DtUntoldFields {
    GHashTable *keys; /* "FUNCTION KIND" */
};

DtUntoldFields *dt_untold_fields_new(void)
{
    DtUntoldFields *untold = g_new0(DtUntoldFields, 1);
    untold->keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return untold;
}

void dt_untold_fields_free(DtUntoldFields *untold)
{
    if (!untold)
        return;
    g_hash_table_unref(untold->keys);
    g_free(untold);
}

static guint of_data(guint kind)
{
    return kind == DT_FIELD_SIZE ? DT_FIELD_COUNT : kind == DT_FIELD_OTHER_SIZE ? DT_FIELD_OTHER_COUNT : kind;
}

void dt_untold_fields_add(DtUntoldFields *untold, const char *function, guint kind)
{
    g_hash_table_add(untold->keys, g_strdup_printf("%s %u", function, of_data(kind)));
}

static gboolean is_untold(const DtUntoldFields *untold, const char *function, guint kind)
{
    if (!untold || g_hash_table_size(untold->keys) == 0)
        return FALSE;
    g_autofree char *key = g_strdup_printf("%s %u", function, of_data(kind));
    return g_hash_table_contains(untold->keys, key);
}

/* ---- one rank -------------------------------------------------------------------------------- */

typedef struct {
    const DtRecordedCalls *calls;
    const DtSkeleton *skeleton;
    const DtCallsRun *what;
    DtRunWriter *run;
    const gboolean *moved; /* by trace of what->like; NULL without one */
} Writing;

typedef struct {
    const Writing *all;
    DtProcessWriter *process;
    DtImageWriter *library;
    guint rank;
    guint32 *functions;  /* by function of the skeleton: id in the process; 0: not there yet */
    guint32 *signatures; /* by number of the call: the same */
} Rank;

/* Behind the predefined ones. */
static guint32 number_of_communicator(const Rank *rank, const char *name)
{
    const GPtrArray *communicators = rank->all->skeleton->communicators;
    if (g_str_equal(name, "world"))
        return DT_COMMUNICATOR_WORLD;
    if (g_str_equal(name, "self"))
        return DT_COMMUNICATOR_SELF;
    for (guint i = 0; i < communicators->len; i++)
        if (g_str_equal(((const DtSkeletonCommunicator *)communicators->pdata[i])->name, name))
            return DT_COMMUNICATOR_SELF + 1 + i;
    return DT_COMMUNICATOR_NONE;
}

static void write_communicator(const Rank *rank, const char *name, const gint32 *members, guint count, gint32 own)
{
    struct dt_communicator communicator = {.number = number_of_communicator(rank, name),
                                           .parent = DT_COMMUNICATOR_NONE,
                                           .key = (guint64)g_str_hash(name) << 32 | (guint64)(members[0] + 1),
                                           .rank = own,
                                           .size = (gint32)count,
                                           .remote_size = -1};
    const char *slash = strrchr(name, '/');
    if (slash) {
        g_autofree char *parent = g_strndup(name, (gsize)(slash - name));
        communicator.parent = number_of_communicator(rank, parent);
        communicator.creation = (guint32)g_ascii_strtoull(slash + 1, NULL, 10);
    }
    dt_process_writer_communicator(rank->process, &communicator, members);
}

static void write_predefined(const Rank *rank)
{
    const guint ranks = rank->all->skeleton->ranks;
    g_autofree gint32 *members = g_new0(gint32, (gsize)ranks + 1);
    const gint32 own = (gint32)rank->rank;
    for (guint i = 0; i < ranks; i++)
        members[i] = (gint32)i;
    write_communicator(rank, "world", members, ranks, own);
    write_communicator(rank, "self", &own, 1, 0);
}

static void write_groups(const Rank *rank, const DtSkeletonCommunicator *communicator)
{
    for (guint g = 0; g < communicator->groups->len; g++) {
        const GArray *group = communicator->groups->pdata[g];
        for (guint i = 0; i < group->len; i++)
            if (g_array_index(group, gint, i) == (gint)rank->rank) {
                write_communicator(rank, communicator->name, (const gint32 *)(gconstpointer)group->data, group->len,
                                   (gint32)i);
                return;
            }
    }
}

static void write_communicators(const Rank *rank)
{
    const GPtrArray *communicators = rank->all->skeleton->communicators;
    write_predefined(rank);
    for (guint i = 0; i < communicators->len; i++)
        write_groups(rank, communicators->pdata[i]);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static enum dt_argument_special special_of(const char *word)
{
    for (guint special = DT_SPECIAL_NONE + 1; special < DT_SPECIALS; special++)
        if (g_strcmp0(dt_special_word(special), word) == 0)
            return (enum dt_argument_special)special;
    return DT_SPECIAL_UNKNOWN;
}

static gint64 array_argument(const Rank *rank, enum dt_argument_kind kind, const gint64 *values, guint count)
{
    const gint64 number = dt_process_writer_array(rank->process, values, count);
    return dt_argument(kind, dt_argument_first_array(kind) + number);
}

static gint64 operation_of(const char *word)
{
    for (gint64 operation = DT_OPERATION_MAX; operation <= DT_OPERATION_NO_OP; operation++) {
        const DtArgument argument = {.kind = DT_ARGUMENT_OPERATION, .value = operation};
        g_autofree char *text = dt_argument_text(&argument, NULL);
        if (g_str_equal(text, word))
            return operation;
    }
    return DT_OPERATION_OWN + g_ascii_strtoll(word + strcspn(word, "-0123456789"), NULL, 10);
}

/* An argument that is no number. */
static gint64 word_argument(const Rank *rank, enum dt_argument_kind kind, const char *word)
{
    const enum dt_argument_special special = special_of(word);
    if (*word == '<') {
        g_autoptr(GArray) numbers = dt_numbers_of_atom(word);
        return array_argument(rank, kind, (const gint64 *)(gconstpointer)numbers->data, numbers->len);
    }
    if (special != DT_SPECIAL_UNKNOWN)
        return dt_argument_special(kind, special);
    if (kind == DT_ARGUMENT_COMMUNICATOR && number_of_communicator(rank, word) != DT_COMMUNICATOR_NONE)
        return dt_argument(kind, number_of_communicator(rank, word));
    if (kind == DT_ARGUMENT_OPERATION && dt_word_is_operation(word))
        return dt_argument(kind, operation_of(word));
    return dt_argument_special(kind, DT_SPECIAL_UNKNOWN);
}

static gint64 data_argument(const Rank *rank, enum dt_argument_kind kind, DtValue count, DtValue size)
{
    if (dt_value_is_atom(count) || dt_value_is_atom(size))
        return dt_argument_special(kind, dt_value_is_atom(count)
                                             ? special_of(dt_atoms_text(rank->all->skeleton->atoms, count))
                                             : DT_SPECIAL_UNKNOWN);
    if (dt_argument_data_fits(count, size))
        return dt_argument_data(kind, count, size);
    const gint64 both[] = {count, size};
    return array_argument(rank, kind, both, G_N_ELEMENTS(both));
}

static gint64 argument_of(const Rank *rank, const DtRecordedCall *call, guint at)
{
    const DtCallField *field = &call->fields[at];
    const gboolean is_other = field->kind == DT_FIELD_OTHER_COUNT, is_data = field->kind == DT_FIELD_COUNT || is_other;
    const enum dt_argument_kind kind = is_other  ? DT_ARGUMENT_OTHER_DATA
                                       : is_data ? DT_ARGUMENT_DATA
                                                 : (enum dt_argument_kind)field->kind;
    const char *function = rank->all->skeleton->functions->pdata[call->function];
    if (is_untold(rank->all->what->untold, function, field->kind))
        return dt_argument_special(kind, DT_SPECIAL_UNKNOWN);
    if (is_data)
        return data_argument(rank, kind, field->value, at + 1 < call->count ? call->fields[at + 1].value : 0);
    return dt_value_is_atom(field->value)
               ? word_argument(rank, kind, dt_atoms_text(rank->all->skeleton->atoms, field->value))
               : dt_argument(kind, field->value);
}

static guint32 function_id(const Rank *rank, guint function)
{
    guint32 *id = &rank->functions[function];
    if (*id == 0) {
        const guint32 symbol = dt_image_writer_symbol(rank->library, rank->all->skeleton->functions->pdata[function], 0,
                                                      0, DT_FUNCTION_API);
        *id = dt_process_writer_function(rank->process, rank->library, symbol, DT_FUNCTION_API);
    }
    return *id;
}

static guint32 signature_id(const Rank *rank, guint32 number)
{
    const DtRecordedCall *call = dt_recorded_call(rank->all->calls, number);
    gint64 arguments[DT_CALL_FIELDS];
    guint count = 0;
    guint32 *id = &rank->signatures[number];
    if (*id != 0)
        return *id;
    for (guint i = 0; i < call->count; i++)
        if (!dt_field_is_outcome(call->fields[i].kind) && call->fields[i].kind != DT_FIELD_SIZE &&
            call->fields[i].kind != DT_FIELD_OTHER_SIZE)
            arguments[count++] = argument_of(rank, call, i);
    *id = function_id(rank, call->function);
    if (count > 0)
        *id = dt_process_writer_signature(rank->process, *id, arguments, count);
    return *id;
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static const DtCallField *find_told(const Rank *rank, const DtRecordedCall *call, guint kind)
{
    const char *function = rank->all->skeleton->functions->pdata[call->function];
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == kind)
            return is_untold(rank->all->what->untold, function, kind) ? NULL : &call->fields[i];
    return NULL;
}

/* Of the call itself; what a request got is told by the call that completes it. */
static void note_source(const Rank *rank, DtThreadWriter *thread, const DtRecordedCall *call)
{
    const DtCallField *source = find_told(rank, call, DT_FIELD_SOURCE), *tag = find_told(rank, call, DT_FIELD_GOT_TAG),
                      *communicator = find_told(rank, call, DT_ARGUMENT_COMMUNICATOR);
    const struct dt_call *row = dt_call_find(rank->all->skeleton->functions->pdata[call->function]);
    const DtSkeleton *skeleton = rank->all->skeleton;
    guint index, size;
    if (!source || !tag || !communicator || !dt_value_is_atom(communicator->value) || dt_value_is_atom(source->value) ||
        dt_value_is_atom(tag->value) || !row || dt_call_has(row, DT_PARAMETER_REQUEST_MADE))
        return;
    const char *name = dt_atoms_text(skeleton->atoms, communicator->value);
    dt_skeleton_find_member(skeleton, name, rank->rank, &index, &size);
    const gint64 ranks = MAX(size, 1u), values[] = {((index + source->value) % ranks + ranks) % ranks, tag->value};
    dt_thread_writer_note(thread, DT_NOTE_WILDCARD, values, G_N_ELEMENTS(values), NULL);
}

static void note_completed(const Rank *rank, DtThreadWriter *thread, DtValue value)
{
    enum { MOST = 48 }; /* positions of a note */
    const char *word = dt_value_is_atom(value) ? dt_atoms_text(rank->all->skeleton->atoms, value) : NULL;
    g_autoptr(GArray) positions =
        word && *word == '<' ? dt_numbers_of_atom(word) : g_array_new(FALSE, FALSE, sizeof(gint64));
    gint64 values[MOST + 1] = {DT_LIVE_COMPLETED};
    if (!word)
        g_array_append_val(positions, value);
    for (guint done = 0, count = 0; done == 0 || done < positions->len; done += MAX(count, 1u)) {
        count = MIN(positions->len - done, (guint)MOST);
        for (guint i = 0; i < count; i++)
            values[1 + i] = g_array_index(positions, gint64, done + i);
        dt_thread_writer_note(thread, DT_NOTE_LIVE, values, 1 + count, NULL);
    }
}

static void note_outcomes(const Rank *rank, DtThreadWriter *thread, const DtRecordedCall *call)
{
    const gint64 not_made = DT_LIVE_NOT_MADE;
    const DtCallField *completed = find_told(rank, call, DT_FIELD_COMPLETED);
    const DtCallField *failed = find_told(rank, call, DT_FIELD_FAILED);
    const DtCallField *provided = find_told(rank, call, DT_FIELD_PROVIDED);
    note_source(rank, thread, call);
    if (completed)
        note_completed(rank, thread, completed->value);
    if (failed && !dt_value_is_atom(failed->value))
        dt_thread_writer_note(thread, DT_NOTE_FAILED, &failed->value, 1, NULL);
    if (provided && !dt_value_is_atom(provided->value))
        dt_thread_writer_note(thread, DT_NOTE_THREAD_LEVEL, &provided->value, 1, NULL);
    if (find_told(rank, call, DT_FIELD_NOT_MADE))
        dt_thread_writer_note(thread, DT_NOTE_LIVE, &not_made, 1, NULL);
}

/* ---- threads and processes ------------------------------------------------------------------- */

static void write_thread(const Rank *rank, const DtCallSequence *sequence)
{
    DtThreadWriter *thread = dt_process_writer_thread(rank->process, DT_THREAD_APP, sequence->thread);
    if (sequence->thread > 0)
        dt_thread_writer_record(thread)->end_state = DT_THREAD_RETURNED;
    for (guint i = 0; i < sequence->calls->len; i++) {
        const guint32 number = g_array_index(sequence->calls, guint32, i);
        const DtRecordedCall *call = dt_recorded_call(rank->all->calls, number);
        gboolean is_open = FALSE;
        for (guint k = 0; k < call->count; k++)
            is_open = is_open || call->fields[k].kind == DT_FIELD_OPEN;
        dt_thread_writer_event(thread, signature_id(rank, number));
        note_outcomes(rank, thread, call);
        if (!is_open)
            dt_thread_writer_event(thread, DT_WORD_RETURN);
    }
    dt_thread_writer_end(thread);
}

static const DtProcess *process_like(const DtRun *like, guint rank)
{
    for (guint t = 0; like && t < dt_run_trace_count(like); t++) {
        const DtTrace *trace = dt_run_trace(like, t);
        if (dt_trace_is_of_rank(trace) && trace->process->rank == (gint)rank)
            return trace->process;
    }
    return NULL;
}

static void end_like(struct dt_file_header *header, const DtProcess *process)
{
    static const guint32 ends[] = {[DT_END_RUNNING] = DT_PROCESS_RUNNING,
                                   [DT_END_EXITED] = DT_PROCESS_EXITED,
                                   [DT_END_SIGNAL] = DT_PROCESS_SIGNAL,
                                   [DT_END_KILLED] = DT_PROCESS_RUNNING};
    if (!process->called_mpi_finalize)
        header->flags &= ~(guint32)DT_FILE_MPI_FINALIZED;
    header->end_state = ends[process->end];
    header->end_status = process->end == DT_END_EXITED || process->end == DT_END_SIGNAL ? process->status : 0;
    header->start_monotonic_ns = process->start_ns;
    header->end_monotonic_ns = process->end_ns;
    g_strlcpy(header->executable, process->executable, sizeof header->executable);
    g_strlcpy(header->arguments, process->arguments, sizeof header->arguments);
}

/* Who still got on there still gets on here. */
static void move_like(const Writing *writing, const struct dt_file_header *header, const DtCallSequence *sequence)
{
    g_autofree char *label = g_strdup_printf("%u.%u", sequence->rank, sequence->thread);
    const DtTrace *trace = writing->what->like ? dt_run_find_trace(writing->what->like, label) : NULL;
    if (trace && writing->moved[trace->index])
        dt_run_writer_moved(writing->run, header->host, header->pid, sequence->thread);
}

static void write_rank(const Writing *writing, guint rank)
{
    const DtSkeleton *skeleton = writing->skeleton;
    const DtProcess *like = process_like(writing->what->like, rank);
    g_autofree guint32 *functions = g_new0(guint32, (gsize)skeleton->functions->len + 1);
    g_autofree guint32 *signatures = g_new0(guint32, (gsize)writing->calls->calls->len + 1);
    Rank own = {writing, dt_run_writer_process(writing->run), NULL, rank, functions, signatures};
    struct dt_file_header *header = dt_process_writer_header(own.process);
    header->rank = (gint32)rank;
    header->world_size = (gint32)skeleton->ranks;
    header->pid = 1 + rank;
    header->flags |= DT_FILE_MPI_INITIALISED | DT_FILE_MPI_FINALIZED;
    g_strlcpy(header->host, "calls", sizeof header->host);
    if (like)
        end_like(header, like);
    own.library = dt_process_writer_image(own.process, "libmpi.so", DT_IMAGE_API_ONLY);
    write_communicators(&own);
    for (guint i = 0; i < writing->calls->sequences->len; i++) {
        const DtCallSequence *sequence = writing->calls->sequences->pdata[i];
        if (sequence->rank != rank)
            continue;
        write_thread(&own, sequence);
        move_like(writing, header, sequence);
    }
    dt_process_writer_end(own.process);
}

gboolean dt_calls_write_run(const DtRecordedCalls *calls, const DtSkeleton *skeleton, const DtCallsRun *what,
                            GError **error)
{
    g_autoptr(DtRunWriter) run = dt_run_writer_new(what->path);
    g_autofree gboolean *moved = what->like ? dt_moved_traces(what->like) : NULL;
    const Writing writing = {calls, skeleton, what, run, moved};
    const DtManifest *manifest = what->like ? dt_run_manifest(what->like) : NULL;
    static const char *const command[] = {"calls", NULL};
    if (manifest && (manifest->timed_out || manifest->stuck))
        dt_run_writer_hung(run);
    for (guint rank = 0; rank < skeleton->ranks; rank++)
        write_rank(&writing, rank);
    return dt_run_writer_end(run, what->engine, command, error);
}
