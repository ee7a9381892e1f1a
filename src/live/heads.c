/* Headers and threads' records of a run's files, read again and again. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "format/checks.h"
#include "format/remote_file_systems.h"
#include "live/live.h"
#include "store/file_header.h"
#include "store/run_private.h"
#include "store/thread_record.h"
#include "text/text.h"
#include "waitfor/thread_key.h"

/* A thread's chunk, which goes to another thread when this one has ended. */
typedef struct {
    guint64 offset;
    guint32 owner;
    DtLiveThread thread;
    gboolean is_there; /* a thread has it */
    guint8 *seen;      /* the bytes of a RawSlot at the last refresh: of a thread that stands still they are the same */
} Slot;

/* The chunk as it is in the file. */
typedef struct {
    struct dt_chunk_header chunk;
    struct dt_thread record; /* in older versions it is shorter */
} RawSlot;

typedef struct {
    DtLiveProcess process;
    DtProcessKey key;
    char *name;
    DtFile *file;
    DtHeader header;
    guint64 next_chunk;
    gboolean is_remote;   /* on a file system of a network */
    guint64 looked_words; /* of all its threads, at the last look of dt_live_show() */
    guint shown;          /* how often that was sent */
    GArray *slots;        /* (element-type Slot) */
} LiveFile;

struct DtLive {
    char *path;
    DtFunctions *functions;
    DtRun *run;           /* NULL: not opened yet */
    GPtrArray *files;     /* (element-type LiveFile) */
    GHashTable *by_name;  /* the same */
    GHashTable *by_key;   /* the same by DtProcessKey, with the host as it is in the header */
    GPtrArray *threads;   /* DtLiveThread of slots */
    GArray *keys;         /* (element-type DtThreadKey), of the threads */
    GHashTable *by_trace; /* the same -> DtLiveThread; made when somebody asks for one */
    gint64 refreshed_us, before_us;
    char *kept_prefix; /* of the names of files that are read; NULL: all are */
    DtRemote *remote;
};

static void clear_slot(gpointer data)
{
    g_clear_pointer(&((Slot *)data)->seen, g_free);
}

static void live_file_free(gpointer data)
{
    LiveFile *file = data;
    g_free(file->name);
    g_free((char *)file->process.host);
    dt_file_close(file->file);
    g_array_unref(file->slots);
    g_free(file);
}

DtLive *dt_live_open(const char *path, GError **error)
{
    if (!dt_is_our_directory(path, "run")) {
        gboolean is_there = g_file_test(path, G_FILE_TEST_EXISTS);
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND, "%s: %s", path,
                     is_there ? "not a run; a run is the directory that \"difftrace collect\" makes"
                              : "no such directory");
        return NULL;
    }
    DtLive *live = g_new0(DtLive, 1);
    live->path = g_strdup(path);
    live->functions = dt_functions_new();
    live->files = g_ptr_array_new_with_free_func(live_file_free);
    live->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    live->by_key = g_hash_table_new(dt_process_key_hash, dt_process_key_equal);
    live->threads = g_ptr_array_new();
    live->keys = g_array_new(FALSE, FALSE, sizeof(DtThreadKey));
    live->by_trace = g_hash_table_new(dt_thread_key_hash, dt_thread_key_equal);
    live->remote = dt_remote_new();
    return live;
}

void dt_live_free(DtLive *live)
{
    if (!live)
        return;
    dt_run_free(live->run);
    dt_functions_unref(live->functions);
    g_hash_table_unref(live->by_name);
    g_hash_table_unref(live->by_key);
    g_hash_table_unref(live->by_trace);
    g_array_unref(live->keys);
    g_ptr_array_unref(live->threads);
    g_ptr_array_unref(live->files);
    dt_remote_free(live->remote);
    g_free(live->kept_prefix);
    g_free(live->path);
    g_free(live);
}

void dt_live_keep_host(DtLive *live)
{
    g_free(live->kept_prefix);
    live->kept_prefix = g_strconcat(g_get_host_name(), ".", NULL);
}

const char *dt_live_path(const DtLive *live)
{
    return live->path;
}

/* ---- files ------------------------------------------------------------------------------------ */

static DtFile *open_file(const DtLive *live, const char *name, DtHeader *header)
{
    g_autofree char *path = g_build_filename(live->path, name, NULL);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtFile) file = dt_file_open_trace(path, NULL);
    g_auto(DtWindow) window = {.file = file};
    return file && dt_header_read(name, &window, header, problems, NULL) ? g_steal_pointer(&file) : NULL;
}

static gboolean is_remote(const DtFile *file)
{
    struct statfs status;
    return fstatfs(file->descriptor, &status) == 0 && dt_is_remote_file_system((guint32)status.f_type);
}

/* What cannot be read yet is tried again at the next refresh. */
static void add_file(DtLive *live, const char *name)
{
    DtHeader header = {0};
    DtFile *file = open_file(live, name, &header);
    if (!file)
        return;
    LiveFile *added = g_new0(LiveFile, 1);
    added->name = g_strdup(name);
    added->file = file;
    added->header = header;
    added->next_chunk = header.first_chunk;
    added->is_remote = is_remote(file);
    added->slots = g_array_new(FALSE, TRUE, sizeof(Slot));
    g_array_set_clear_func(added->slots, clear_slot);
    added->process.file = added->name;
    added->process.host = dt_text_spell(header.header.host);
    added->process.pid = header.header.pid;
    added->process.start_ns = header.header.start_monotonic_ns;
    added->process.is_here = strcmp(header.header.host, g_get_host_name()) == 0;
    added->process.is_seen = added->process.is_here;
    added->process.came_us = live->refreshed_us;
    added->key = (DtProcessKey){added->header.header.host, added->process.start_ns, added->process.pid};
    g_ptr_array_add(live->files, added);
    g_hash_table_insert(live->by_key, &added->key, added);
    g_hash_table_insert(live->by_name, added->name, added);
}

static gboolean is_kept(const DtLive *live, const char *name)
{
    const char *slash = strrchr(name, '/');
    return !live->kept_prefix || g_str_has_prefix(slash ? slash + 1 : name, live->kept_prefix);
}

static void find_files(DtLive *live)
{
    g_autoptr(GPtrArray) names = dt_list_process_files(live->path);
    for (guint i = 0; names && i < names->len; i++)
        if (!g_hash_table_contains(live->by_name, names->pdata[i]) && is_kept(live, names->pdata[i]))
            add_file(live, names->pdata[i]);
}

static gboolean is_gone(const LiveFile *file)
{
    return file->process.is_here && kill((pid_t)file->process.pid, 0) != 0 && errno == ESRCH;
}

/* TRUE: its agent says that it has ended. */
static gboolean look_at_remote(const DtLive *live, LiveFile *file)
{
    const struct dt_file_header *header = &file->header.header;
    if (file->process.is_here)
        return FALSE;
    const DtNodeProcess *told =
        dt_remote_process(live->remote, header->host, header->pid, file->process.start_ns, live->refreshed_us);
    file->process.is_seen = told != NULL;
    file->process.was_seen = file->process.was_seen || told;
    return told && told->is_gone;
}

static void read_header(const DtLive *live, LiveFile *file)
{
    struct stat status;
    struct dt_file_header *header = &file->header.header;
    const gboolean is_over = is_gone(file) || look_at_remote(live, file); /* before it is read: then it tells all */
    if (!file->file->sealed && fstat(file->file->descriptor, &status) == 0)
        file->file->bytes = (guint64)status.st_size;
    dt_file_read(file->file, 0, header, G_STRUCT_OFFSET(struct dt_file_header, host));
    file->process.rank = header->rank;
    file->process.world_size = header->world_size;
    file->process.ended = file->process.ended || header->end_state != DT_PROCESS_RUNNING || is_over;
    file->process.told_end = header->end_state != DT_PROCESS_RUNNING;
    if (file->process.ended && file->process.ended_us == 0)
        file->process.ended_us = g_get_monotonic_time();
}

/* Up to the first chunk whose writer is not done with it. */
static void find_slots(LiveFile *file)
{
    struct dt_chunk_header chunk;
    const guint64 end = MIN(file->header.header.file_bytes, file->file->bytes);
    while (file->next_chunk + sizeof(chunk) <= end) {
        dt_file_read(file->file, file->next_chunk, &chunk, sizeof(chunk));
        if (chunk.magic != DT_CHUNK_MAGIC || chunk.bytes == 0 || chunk.check != dt_chunk_check(&chunk))
            return;
        Slot slot = {.offset = file->next_chunk, .owner = G_MAXUINT32};
        if (chunk.type == DT_CHUNK_THREAD)
            g_array_append_val(file->slots, slot);
        file->next_chunk += chunk.bytes;
    }
}

/* ---- threads ---------------------------------------------------------------------------------- */

/* The innermost calls that are among these words. A word of two functions more has none that is told from here. */
static void find_calls(const guint16 *words, gsize count, guint32 functions, guint32 calls[2])
{
    guint16 stack[DT_TAIL_ALL_WORDS];
    gsize depth = 0;
    calls[0] = calls[1] = 0;
    for (gsize i = 0; i < count && functions <= DT_WORD_LAST_ID; i++) {
        if (words[i] != DT_WORD_RETURN)
            stack[depth++] = words[i];
        else
            depth -= depth > 0 ? 1 : 0;
    }
    for (gsize i = 0; i < 2 && i < depth; i++)
        calls[i] = stack[depth - 1 - i];
}

static void note_words(DtLive *live, DtLiveThread *thread, guint64 words)
{
    const gdouble seconds = (gdouble)(live->refreshed_us - live->before_us) / G_USEC_PER_SEC;
    const gboolean is_new = thread->moved_us == 0;
    thread->words_a_second = is_new || seconds <= 0 ? 0 : (gdouble)(words - MIN(words, thread->words)) / seconds;
    if (is_new || words != thread->words)
        thread->moved_us = live->refreshed_us;
    thread->words = words;
}

static void read_thread(DtLive *live, LiveFile *file, Slot *slot, const struct dt_chunk_header *chunk)
{
    struct dt_thread record;
    guint16 words[DT_TAIL_ALL_WORDS + 1];
    slot->is_there = chunk->type == DT_CHUNK_THREAD && dt_thread_read_from(file->file, slot->offset + sizeof(*chunk),
                                                                           file->header.tail_capacity, &record);
    if (!slot->is_there)
        return;
    DtCommitChoice choice = dt_thread_choose_commit(&record, file->header.checked);
    gsize in_tails = dt_thread_tail_words(&record, &choice, file->header.childless, words);
    if (chunk->owner != slot->owner)
        slot->thread = (DtLiveThread){.process = &file->process};
    slot->owner = chunk->owner;
    slot->thread.number = record.number;
    slot->thread.library = record.kind != DT_THREAD_APP;
    slot->thread.tid = record.tid;
    note_words(live, &slot->thread, (choice.commit ? choice.commit->words : 0) + in_tails);
    find_calls(words, in_tails, file->header.header.functions, slot->thread.calls);
    slot->is_there = record.end_state == DT_THREAD_RUNNING;
}

/* Most threads of a job that is looked at stand still: then one reading tells all. */
static void read_slot(DtLive *live, LiveFile *file, Slot *slot)
{
    RawSlot now;
    dt_file_read(file->file, slot->offset, &now, sizeof(now));
    if (slot->seen && memcmp(slot->seen, &now, sizeof(now)) == 0) {
        if (slot->is_there)
            note_words(live, &slot->thread, slot->thread.words);
        return;
    }
    g_free(slot->seen);
    slot->seen = g_memdup2(&now, sizeof(now));
    read_thread(live, file, slot, &now.chunk);
}

static void read_file(DtLive *live, LiveFile *file)
{
    if (file->process.ended)
        return;
    read_header(live, file);
    find_slots(file);
    for (guint i = 0; i < file->slots->len; i++) {
        Slot *slot = &g_array_index(file->slots, Slot, i);
        read_slot(live, file, slot);
        if (slot->is_there && !file->process.ended)
            g_ptr_array_add(live->threads, &slot->thread);
    }
}

void dt_live_refresh(DtLive *live)
{
    live->before_us = live->refreshed_us;
    live->refreshed_us = g_get_monotonic_time();
    g_ptr_array_set_size(live->threads, 0);
    g_hash_table_remove_all(live->by_trace);
    find_files(live);
    for (guint i = 0; i < live->files->len; i++)
        read_file(live, live->files->pdata[i]);
}

void dt_live_show(DtLive *live)
{
    enum { TIMES_SHOWN = 3 }; /* pages that are still under way are left out */
    for (guint i = 0; i < live->files->len; i++) {
        LiveFile *file = live->files->pdata[i];
        guint64 words = 0;
        if (!file->is_remote || !file->process.is_here || file->process.ended)
            continue;
        for (guint s = 0; s < file->slots->len; s++)
            words += g_array_index(file->slots, Slot, s).thread.words;
        file->shown = words == file->looked_words ? file->shown + 1 : 0;
        file->looked_words = words;
        if (file->shown > 0 && file->shown <= TIMES_SHOWN)
            (void)sync_file_range(file->file->descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); /* it begins */
    }
}

guint dt_live_thread_count(const DtLive *live)
{
    return live->threads->len;
}

const DtLiveThread *dt_live_thread(const DtLive *live, guint index)
{
    return live->threads->pdata[index];
}

guint dt_live_process_count(const DtLive *live, guint *ended)
{
    *ended = 0;
    for (guint i = 0; i < live->files->len; i++)
        *ended += ((const LiveFile *)live->files->pdata[i])->process.ended ? 1 : 0;
    return live->files->len;
}

const DtLiveProcess *dt_live_process(const DtLive *live, guint index)
{
    return &((const LiveFile *)live->files->pdata[index])->process;
}

/* All at once: no key may move when another one comes. */
static void find_keys(DtLive *live)
{
    g_array_set_size(live->keys, live->threads->len);
    for (guint i = 0; i < live->threads->len; i++) {
        DtLiveThread *thread = live->threads->pdata[i];
        const DtLiveProcess *process = thread->process;
        DtThreadKey *key = &g_array_index(live->keys, DtThreadKey, i);
        *key = (DtThreadKey){{process->host, process->start_ns, process->pid}, thread->number, thread->library};
        g_hash_table_insert(live->by_trace, key, thread);
    }
}

const DtLiveThread *dt_live_find(DtLive *live, const DtTrace *trace)
{
    const DtThreadKey key = dt_thread_key_of(trace);
    if (g_hash_table_size(live->by_trace) == 0)
        find_keys(live);
    return g_hash_table_lookup(live->by_trace, &key);
}

/* ---- other hosts ------------------------------------------------------------------------------ */

void dt_live_hear(DtLive *live, const char *host, GArray *processes)
{
    dt_remote_take(live->remote, host, processes, g_get_monotonic_time());
}

gboolean dt_live_lacks(const DtLive *live, const char *host, const GArray *processes)
{
    for (guint i = 0; i < processes->len; i++) {
        const DtNodeProcess *process = &g_array_index(processes, DtNodeProcess, i);
        const DtProcessKey key = {host, process->start_ns, process->pid};
        if (!g_hash_table_contains(live->by_key, &key))
            return TRUE;
    }
    return FALSE;
}

DtThreadState dt_live_state(const DtLive *live, const DtLiveThread *thread)
{
    const DtLiveProcess *process = thread->process;
    DtThreadState state = {.words = thread->words};
    if (process->is_here) {
        state.kernel = dt_kernel_thread(process->pid, thread->tid);
        return state;
    }
    g_autofree char *host = dt_text_unspell(process->host);
    const DtNodeThread *told = dt_remote_thread(live->remote, host, process->pid, process->start_ns, thread->library,
                                                thread->number, live->refreshed_us, &state.told_us);
    if (told) {
        state.kernel = told->kernel;
        state.words = told->words;
    }
    return state;
}

/* ---- the run ---------------------------------------------------------------------------------- */

DtRun *dt_live_run(DtLive *live, GError **error)
{
    g_clear_pointer(&live->run, dt_run_free);
    live->run = dt_run_open(live->path, live->functions, error);
    return live->run;
}

DtFunctions *dt_live_functions(const DtLive *live)
{
    return live->functions;
}
