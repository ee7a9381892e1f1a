/*
 * The records of a task, 16 bytes each: time in nanoseconds; from the lowest bit on type (2 bits), whether data follows
 * (1), 5 (3), depth (10), address (48). Data are arguments and results, of a length that only their functions'
 * specifications tell: the next record is looked for instead, at every eighth byte.
 */
#include <string.h>

#include "import/uftrace.h"
#include "store/file.h"

enum { ENTRY, EXIT, LOST, EVENT };
enum { RECORD_BYTES = 16, MARK = 5, ALIGNMENT = 8, MOST_DATA = 4096 };
static const guint64 LONGEST_PAUSE = G_GUINT64_CONSTANT(30) * 24 * 3600 * 1000000000; /* ns */

typedef struct {
    guint64 time, address;
    guint type, depth;
    gboolean data_follows, good;
} Record;

typedef struct {
    guint depth;
    guint64 address;
} Frame;

typedef struct {
    DtWindow *window;
    guint64 bytes, at; /* of the file */
    guint64 time;      /* of the last record */
    GArray *open;      /* Frame */
    DtUftraceProcess *process;
    DtThreadWriter *thread;
    guint64 lost, unnamed;
} Task;

static Record record_at(const Task *task, guint64 at)
{
    Record record = {0};
    guint64 words[2];
    if (task->bytes - at < RECORD_BYTES)
        return record;
    memcpy(words, dt_window_view(task->window, at, sizeof(words)), sizeof(words));
    record.time = GUINT64_FROM_LE(words[0]);
    guint64 rest = GUINT64_FROM_LE(words[1]);
    record.type = rest & 3;
    record.data_follows = (rest >> 2 & 1) != 0;
    record.good = (rest >> 3 & 7) == MARK;
    record.depth = rest >> 6 & 0x3ff;
    record.address = rest >> 16;
    return record;
}

/* ---- functions ------------------------------------------------------------------------------- */

static const DtUftraceSpace *space_at(const DtUftraceProcess *process, guint64 time)
{
    const DtUftraceSpace *space = NULL;
    for (guint i = 0; i < process->sessions->len; i++) {
        const DtUftraceSession *session = &g_array_index(process->sessions, DtUftraceSession, i);
        if (i == 0 || session->time <= time)
            space = session->space;
    }
    return space;
}

static guint32 find_function(Task *task, const Record *record)
{
    DtUftraceProcess *process = task->process;
    DtUftracePlace place = dt_uftrace_space_find(space_at(process, record->time), record->address);
    const char *image = place.image ? place.image : "unknown";
    if (place.symbol) {
        guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(process->by_symbol, place.symbol));
        if (id == 0) {
            id = dt_import_function(process->writer, image, place.symbol->name);
            g_hash_table_insert(process->by_symbol, (gpointer)place.symbol, GUINT_TO_POINTER(id));
        }
        return id;
    }
    g_autofree char *base = g_path_get_basename(image);
    g_autofree char *name = g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", base, place.offset);
    guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(process->by_name, name));
    task->unnamed++;
    if (id == 0) {
        id = dt_import_function(process->writer, image, name);
        g_hash_table_insert(process->by_name, g_steal_pointer(&name), GUINT_TO_POINTER(id));
    }
    return id;
}

/* ---- calls ------------------------------------------------------------------------------------ */

static const Frame *innermost(const Task *task)
{
    return task->open->len > 0 ? &g_array_index(task->open, Frame, task->open->len - 1) : NULL;
}

/* Calls that were left without a record: by exceptions, by jumps. */
static void leave_down_to(Task *task, guint depth)
{
    for (const Frame *frame; (frame = innermost(task)) && frame->depth >= depth;) {
        g_array_set_size(task->open, task->open->len - 1);
        dt_thread_writer_event(task->thread, DT_WORD_RETURN);
    }
}

static void take(Task *task, const Record *record)
{
    if (record->type == ENTRY) {
        Frame frame = {record->depth, record->address};
        leave_down_to(task, record->depth);
        dt_thread_writer_event(task->thread, find_function(task, record));
        g_array_append_val(task->open, frame);
    } else if (record->type == EXIT) {
        leave_down_to(task, record->depth);
    } else if (record->type == LOST) {
        task->lost += record->address;
    }
}

/* ---- the next record ---------------------------------------------------------------------------- */

/* Whether what stands behind data is a record and not data: it goes on where the calls and the clock are. */
static gboolean goes_on(const Task *task, const Record *record)
{
    const Frame *top = innermost(task);
    if (!record->good || record->time < task->time || record->time - task->time > LONGEST_PAUSE)
        return FALSE;
    if (record->type == LOST || record->type == EVENT)
        return record->address < 1 << 24;
    if (record->type == EXIT && top && record->depth <= top->depth) {
        for (guint i = task->open->len; i-- > 0;) {
            const Frame *frame = &g_array_index(task->open, Frame, i);
            if (frame->depth == record->depth)
                return frame->address == record->address;
        }
    }
    return (!top || record->depth <= top->depth + 1) &&
           dt_uftrace_space_find(space_at(task->process, record->time), record->address).image;
}

/* Past the data at the current position, which the file may end with. FALSE: no end of them is to be seen. */
static gboolean skip_data(Task *task)
{
    for (gsize bytes = 0; bytes <= MOST_DATA; bytes += ALIGNMENT) {
        if (task->at + bytes >= task->bytes) {
            task->at = task->bytes;
            return TRUE;
        }
        Record record = record_at(task, task->at + bytes);
        if (goes_on(task, &record)) {
            task->at += bytes;
            return TRUE;
        }
    }
    return FALSE;
}

/* FALSE: what follows are no records. */
static gboolean take_all(Task *task)
{
    while (task->at < task->bytes) {
        Record record = record_at(task, task->at);
        if (!record.good)
            return FALSE;
        take(task, &record);
        task->time = record.time;
        task->at += RECORD_BYTES;
        if (record.data_follows && !skip_data(task))
            return FALSE;
    }
    return TRUE;
}

void dt_uftrace_records_read(const char *path, DtUftraceProcess *process, DtThreadWriter *thread, DtRunWriter *run)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFile) file = dt_file_open(path, &error);
    if (!file) {
        dt_run_writer_warn(run, "%s: %s", path, error->message);
        dt_import_cut(process->writer);
        return;
    }
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(Frame));
    g_auto(DtWindow) window = {.file = file};
    Task task = {.window = &window, .bytes = file->bytes, .open = open, .process = process, .thread = thread};
    if (!take_all(&task)) {
        dt_import_cut(process->writer);
        dt_run_writer_warn(run, "%s: no record at offset %" G_GUINT64_FORMAT ": what follows is left out", path,
                           task.at);
    }
    if (task.lost > 0)
        dt_run_writer_warn(run, "%s: uftrace lost %" G_GUINT64_FORMAT " records", path, task.lost);
    if (task.unnamed > 0)
        dt_run_writer_warn(run, "%s: %" G_GUINT64_FORMAT " calls of functions that no symbol file names", path,
                           task.unnamed);
}
