/* The runtime's notes, read back by the store: many of them, and under a storm of signals whose handlers note, too. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "record/debug.h"
#include "record/functions.h"
#include "record/notes.h"
#include "record/process.h"
#include "record/recorder.h"
#include "record/switch.h"
#include "record/tail_words.h"
#include "record/thread.h"
#include "record/timed_functions.h"
#include "record/trace_writer.h"
#include "store/store.h"
#include "support/random.h"
#include "support/test_run.h"
#include "system/system.h"

/* ---- the rest of the runtime ----------------------------------------------------------- */

static uint32_t mark = 1;
struct dt_process dt_process = {.mark = &mark};
__thread struct dt_hot dt_hot __attribute__((tls_model("initial-exec")));
__thread struct dt_thread_state *dt_self __attribute__((tls_model("initial-exec")));

uint32_t dt_function_id(uint64_t index)
{
    return (uint32_t)index;
}

bool dt_switch_sees(uint64_t index)
{
    (void)index;
    return false;
}

void dt_switch_after_call(struct dt_thread_state *thread, uint64_t index)
{
    (void)thread;
    (void)index;
}

void dt_thread_rename(struct dt_thread_state *thread)
{
    (void)thread;
}

void dt_process_began_unseen(struct dt_thread_state *thread)
{
    (void)thread;
}

uint8_t *dt_timed_functions;

void dt_timed_functions_suspect(const uint16_t *from, const uint16_t *end, uint64_t now)
{
    (void)from, (void)end, (void)now;
}

uint32_t dt_debug_topics;

void dt_debug_write(enum dt_debug_topic topic, const char *what, uint64_t number, const char *name)
{
    (void)topic, (void)what, (void)number, (void)name;
}

static struct dt_frame frames[2];

static void begin(const char *path)
{
    static struct dt_file_header header;
    header = (struct dt_file_header){
        .magic = "DiffTrc", .major = DT_FORMAT_MAJOR, .minor = DT_FORMAT_MINOR, .endian = DT_ENDIAN_MARK};
    header.magic[7] = '\n';
    header.header_bytes = sizeof(header);
    header.codec = dt_process.options.codec = DT_CODEC_LZR;
    header.rank = -1;
    g_strlcpy(header.host, "node1", sizeof(header.host));
    g_strlcpy(dt_process.options.run, path, sizeof(dt_process.options.run));
    dt_process.header = &header;
    g_assert_true(dt_writer_create());

    uint64_t offset;
    size_t bytes = sizeof(struct dt_chunk_header) + sizeof(struct dt_thread);
    struct dt_chunk_header *chunk = dt_writer_chunk(DT_CHUNK_THREAD, 0, 0, bytes, &offset);
    g_assert_nonnull(chunk);
    dt_self = dt_sys_allocate(sizeof(*dt_self));
    dt_self->frames = frames;
    dt_self->shared = (struct dt_thread *)(chunk + 1);
    dt_self->scratch = g_aligned_alloc(1, 2 * (DT_TAIL_WORDS + DT_TAIL_SLACK), 2 * (DT_TAIL_WORDS + DT_TAIL_SLACK));
    dt_recorder_begin(dt_self);
    dt_writer_publish(chunk);
}

static void end(void)
{
    dt_recorder_release(dt_self);
    g_aligned_free(dt_self->scratch);
    dt_process.header->end_state = DT_PROCESS_EXITED;
}

/* ---- tests ------------------------------------------------------------------------------- */

typedef struct {
    char *path;
    DtFunctions *functions;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->path = dt_temporary_directory();
    fixture->functions = dt_functions_new();
    dt_test_run_single(fixture->path, "main");
    g_autofree char *file = g_build_filename(fixture->path, "processes", "node1.1000.trace", NULL);
    g_assert_cmpint(g_remove(file), ==, 0);
    begin(fixture->path);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->path);
    g_free(fixture->path);
    dt_functions_unref(fixture->functions);
}

static DtNotes *read_notes(const Fixture *fixture, DtRun **run)
{
    g_autoptr(GError) error = NULL;
    *run = dt_run_open(fixture->path, fixture->functions, &error);
    g_assert_no_error(error);
    DtNotes *notes = dt_notes_open(*run, dt_run_trace(*run, 0), &error);
    g_assert_no_error(error);
    g_assert_null(dt_notes_problem(notes));
    return notes;
}

/* A return, or a call, maybe of a function that returns at once or has a large id; how many words that are. */
static int64_t record(uint32_t id, bool odd)
{
    if (odd && id % 4 == 1) {
        dt_record_id(DT_TAIL_LAST_ID + id);
        return 3;
    }
    bool childless = odd && id != DT_WORD_RETURN;
    dt_record_word((uint16_t)(childless ? DT_TAIL_CHILDLESS | id : id));
    return childless ? 2 : 1;
}

/* More than one chunk of each size; each note says where it should be. */
static void test_many(Fixture *fixture, gconstpointer data)
{
    (void)data;
    enum { COUNT = 100000 };
    int64_t words = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        const int64_t values[] = {words, i};
        g_assert_true(dt_note(dt_self, DT_NOTE_LOCK, values, 2));
        for (int64_t word = 0; word < i % 7; word++)
            words += record(word % 2 ? DT_WORD_RETURN : (uint32_t)(1 + i % 50), i % 3 == 0);
    }
    end();

    g_autoptr(DtRun) run = NULL;
    g_autoptr(DtNotes) notes = read_notes(fixture, &run);
    g_assert_cmpuint(dt_run_trace(run, 0)->words, ==, (guint64)words);
    g_assert_cmpuint(dt_notes_count(notes), ==, COUNT);
    for (guint i = 0; i < COUNT; i++) {
        const DtNote *note = dt_notes_get(notes, i);
        g_assert_cmpint((gint64)note->position, ==, dt_notes_values(notes, note)[0]);
        g_assert_cmpint(dt_notes_values(notes, note)[1], ==, i);
    }
}

/* What the vectors count is what one finds word by word. */
static void test_tail_sum(void)
{
    enum { MOST = 300 };
    g_autoptr(GRand) random = dt_test_random();
    _Alignas(64) uint16_t tail[MOST];
    for (guint round = 0; round < 20000; round++) {
        size_t count = (size_t)g_rand_int_range(random, 0, MOST + 1), childless = 0;
        bool others = false;
        gboolean plain = g_rand_boolean(random);
        for (size_t i = 0; i < count; i++) {
            tail[i] = (uint16_t)(g_rand_int(random) & (plain && g_rand_int_range(random, 0, 40) ? 0xbfff : 0xffff));
            childless += tail[i] / 16384 == 2;
            others |= tail[i] / 16384 % 2 == 1;
        }
        struct dt_tail_sums sums = dt_tail_sum(tail, count);
        g_assert_cmpuint(sums.childless, ==, childless);
        g_assert_true(sums.has_others == others);
    }
}

/* Up to a whole vector, and not a word more. */
static void test_tail_clear(void)
{
    enum { MOST = 300 };
    _Alignas(64) uint16_t tail[MOST + DT_VECTOR_WORDS];
    for (size_t count = 1; count <= MOST; count++) {
        memset(tail, 0, sizeof tail);
        dt_tail_clear(tail, count);
        size_t cleared = (count + DT_VECTOR_WORDS - 1) / DT_VECTOR_WORDS * DT_VECTOR_WORDS;
        for (size_t i = 0; i < G_N_ELEMENTS(tail); i++)
            g_assert_cmphex(tail[i], ==, i < cleared ? DT_WORD_UNWRITTEN : 0);
    }
}

static void test_text(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *text = g_strnfill(500, 'y');
    int64_t values[40];
    for (guint i = 0; i < G_N_ELEMENTS(values); i++)
        values[i] = INT64_MIN;
    g_assert_true(dt_note_text(dt_self, DT_NOTE_MARKER, NULL, 0, text));
    g_assert_false(dt_note(dt_self, DT_NOTE_LOCK, values, G_N_ELEMENTS(values)));
    end();

    g_autoptr(DtRun) run = NULL;
    g_autoptr(DtNotes) notes = read_notes(fixture, &run);
    g_assert_cmpuint(dt_notes_count(notes), ==, 1);
    gsize kept = strlen(dt_notes_get(notes, 0)->text);
    g_assert_cmpuint(kept, >, 100);
    g_assert_cmpuint(strspn(dt_notes_get(notes, 0)->text, "y"), ==, kept);
    g_assert_cmpuint(dt_run_trace(run, 0)->dropped_notes, ==, 1);
}

/* Of what is too much the beginning stays and the end, each note whole, and the rest is counted. */
static void test_bound(Fixture *fixture, gconstpointer data)
{
    (void)data;
    enum { COUNT = 1000000 };
    g_autofree char *text = g_strnfill(60, 'z');
    for (int64_t i = 0; i < COUNT; i++)
        g_assert_true(dt_note_text(dt_self, DT_NOTE_MARKER, &i, 1, text));
    g_assert_cmpuint(dt_process.header->flags & DT_FILE_STOPPED, ==, 0);
    g_assert_cmpuint(dt_process.header->file_bytes, <=, (16u << 20) + 64 * 1024);
    end();

    g_autoptr(DtRun) run = NULL;
    g_autoptr(DtNotes) notes = read_notes(fixture, &run);
    guint count = dt_notes_count(notes);
    g_assert_cmpuint(count + dt_run_trace(run, 0)->dropped_notes, ==, COUNT);
    g_assert_cmpuint(dt_run_trace(run, 0)->dropped_notes, >, COUNT / 2);
    gint64 gap = 0;
    for (guint i = 0; i < count; i++) {
        const DtNote *note = dt_notes_get(notes, i);
        gint64 number = dt_notes_values(notes, note)[0];
        g_assert_cmpstr(note->text, ==, text);
        if (number != i + gap) {
            g_assert_cmpint(gap, ==, 0);
            gap = number - i;
        }
    }
    g_assert_cmpint(gap, ==, (gint64)dt_run_trace(run, 0)->dropped_notes);
    g_assert_cmpuint(count, >, 16u << 20 >> 7);
}

static volatile sig_atomic_t from_handler;

static void note_in_handler(int signal_number)
{
    (void)signal_number;
    for (int i = 0; i < 3; i++) {
        const int64_t values[] = {1, from_handler};
        if (!dt_note(dt_self, DT_NOTE_REQUEST, values, 2))
            g_error("a handler's note found no room");
        dt_record_word(2);
        from_handler = from_handler + 1;
    }
}

static void set_timer(long microseconds)
{
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    g_assert_cmpint(setitimer(ITIMER_REAL, &timer, NULL), ==, 0);
}

/* Each writer's notes come back complete and in its order. */
static void test_signals(Fixture *fixture, gconstpointer data)
{
    (void)data;
    /* Of more notes than so many the middle would go: a slow timer leaves the time for them. */
    enum { HANDLED = 6000, MOST = 1000000 };
    struct sigaction action = {.sa_handler = note_in_handler}, old;
    sigaction(SIGALRM, &action, &old);
    from_handler = 0;
    gint64 own = 0;
    set_timer(60);
    while (from_handler < HANDLED) {
        if (own == MOST)
            continue;
        const int64_t values[] = {0, own++};
        g_assert_true(dt_note(dt_self, DT_NOTE_REQUEST, values, 2));
        dt_record_word(1);
    }
    set_timer(0);
    sigaction(SIGALRM, &old, NULL);
    end();

    g_autoptr(DtRun) run = NULL;
    g_autoptr(DtNotes) notes = read_notes(fixture, &run);
    gint64 next[2] = {0, 0};
    for (guint i = 0; i < dt_notes_count(notes); i++) {
        const gint64 *values = dt_notes_values(notes, dt_notes_get(notes, i));
        g_assert_cmpint(values[1], ==, next[values[0]]++);
    }
    g_assert_cmpint(next[0], ==, own);
    g_assert_cmpint(next[1], ==, from_handler);
    g_assert_cmpuint(dt_run_trace(run, 0)->words, ==, (guint64)(own + from_handler));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/runtime/notes/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("many", test_many);
    g_test_add_func("/runtime/notes/tail-sum", test_tail_sum);
    g_test_add_func("/runtime/notes/tail-clear", test_tail_clear);
    ADD("text", test_text);
    ADD("bound", test_bound);
    ADD("signals", test_signals);
#undef ADD
    return g_test_run();
}
