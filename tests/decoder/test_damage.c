/*
 * Damaged trace files: never a crash, and never wrong events without a report,
 * wherever the file holds something to tell them by. (Raw tails and the tables'
 * records have no checksums: a live tracer could not keep them.)
 */
#include <string.h>

#include "event_text.h"
#include "support/random.h"
#include "support/test_run.h"

static const char *const events[] = {
    "main MPI_Init < solve step MPI_Send < MPI_Recv < < step MPI_Send < MPI_Recv < < step MPI_Send < MPI_Recv < < <",
    "work lock a < b < c < unlock < lock a < b < c < unlock < lock",
};

/* Besides the codec in a test's data: the last segment is not finished. */
enum { OPEN_SEGMENT = 0x100 };

typedef struct {
    char *run, *file;
    char *bytes; /* of the good file */
    gsize size;
} Fixture;

static void write_run(Fixture *fixture, guint32 codec, gboolean open_segment)
{
    DtTestRun *writer = dt_test_run_new(fixture->run);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->codec = codec;
    for (guint i = 0; i < G_N_ELEMENTS(events); i++) {
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, i);
        thread->segment_words = 9;
        thread->finish = !open_segment;
        dt_test_thread_events(thread, events[i]);
    }
    g_autofree char *name = dt_test_process_file(process);
    fixture->file = g_build_filename(fixture->run, name, NULL);
    dt_test_run_finish(writer);
    g_assert_true(g_file_get_contents(fixture->file, &fixture->bytes, &fixture->size, NULL));
}

static void set_up(Fixture *fixture, gconstpointer data)
{
    fixture->run = dt_temporary_directory();
    write_run(fixture, GPOINTER_TO_UINT(data) & 0xff, (GPOINTER_TO_UINT(data) & OPEN_SEGMENT) != 0);
}

static void set_up_empty(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->run = dt_temporary_directory();
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->run);
    g_free(fixture->run);
    g_free(fixture->file);
    g_free(fixture->bytes);
}

typedef struct {
    gboolean opened;
    guint problems; /* of the run and its traces; an error counts */
    gboolean identical;
} Outcome;

static Outcome read_all(const Fixture *fixture)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(fixture->run, functions, &error);
    if (!run)
        return (Outcome){FALSE, error != NULL, FALSE};
    Outcome outcome = {TRUE, dt_run_problems(run)->len, dt_run_trace_count(run) == G_N_ELEMENTS(events)};
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        g_autofree char *problem = NULL;
        g_autofree char *text = dt_event_text(run, dt_run_trace(run, i), 1000, &problem);
        outcome.problems += problem || !text;
        if (i >= G_N_ELEMENTS(events) || g_strcmp0(text, events[i]) != 0)
            outcome.identical = FALSE;
        if (problem)
            g_assert_null(strchr(problem, '\n'));
    }
    return outcome;
}

static Outcome read_damaged(const Fixture *fixture, const char *bytes, gsize size)
{
    dt_write_bytes(fixture->file, bytes, size);
    return read_all(fixture);
}

static gsize find_bytes(const Fixture *fixture, gsize from, const void *what, gsize length)
{
    for (gsize at = from; at + length <= fixture->size; at++) {
        if (memcmp(fixture->bytes + at, what, length) == 0)
            return at;
    }
    g_error("not in the file");
    return 0;
}

/* ---- cut files -------------------------------------------------------------------- */

static void test_cut(Fixture *fixture, gconstpointer data)
{
    (void)data;
    Outcome whole = read_damaged(fixture, fixture->bytes, fixture->size);
    g_assert_true(whole.opened && whole.identical);
    g_assert_cmpuint(whole.problems, ==, 0);
    for (gsize size = 0; size < fixture->size; size += size < 4096 ? 1 : 37) {
        Outcome cut = read_damaged(fixture, fixture->bytes, size);
        g_assert_cmpuint(cut.problems, >, 0);
    }
}

/* A file cut inside the stream still gives the words before the cut. */
static void test_prefix(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->run);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    g_autoptr(GString) expected = g_string_new("main");
    g_autoptr(GRand) random = dt_test_random();
    process->codec = GPOINTER_TO_UINT(data);
    for (guint i = 0; i < 6000; i++)
        g_string_append_printf(expected, " f%u <", (guint)g_rand_int_range(random, 0, 50));
    dt_test_thread_events(thread, expected->str);
    g_autofree char *name = dt_test_process_file(process);
    fixture->file = g_build_filename(fixture->run, name, NULL);
    /* The tables first, as the tracer writes those of functions that are called early. */
    process->tables_first = TRUE;
    dt_test_run_finish(writer);
    g_assert_true(g_file_get_contents(fixture->file, &fixture->bytes, &fixture->size, NULL));

    const guint32 magic = DT_SEGMENT_MAGIC;
    gsize longest = 0, start = find_bytes(fixture, 0, &magic, sizeof(magic));
    for (gsize size = fixture->size; size > start; size -= 101) {
        dt_write_bytes(fixture->file, fixture->bytes, size);
        g_autoptr(DtFunctions) functions = dt_functions_new();
        g_autoptr(DtRun) run = dt_run_open(fixture->run, functions, NULL);
        g_assert_nonnull(run);
        g_autofree char *problem = NULL;
        g_autofree char *text = dt_event_text(run, dt_run_trace(run, 0), 1000, &problem);
        g_assert_true(g_str_has_prefix(expected->str, text));
        g_assert_true(problem || g_str_equal(text, expected->str));
        longest = MAX(longest, problem ? strlen(text) : 0);
    }
    g_assert_cmpuint(longest, >, expected->len / 10);
}

/* ---- changed bytes --------------------------------------------------------------------- */

/* What a byte of the file belongs to, by the layout that the run writer makes. */
typedef enum {
    CHECKED,  /* a change is found out or means nothing */
    UNCHECKED /* identity, tables, raw tails, pending words */
} Kind;

static gboolean within(gsize at, gsize start, gsize bytes)
{
    return at >= start && at < start + bytes;
}

static Kind kind_of_thread_byte(const struct dt_thread *thread, gsize at)
{
    gsize commit = G_STRUCT_OFFSET(struct dt_thread, commit) + (thread->selector & 1) * sizeof(struct dt_commit);
    if (within(at, commit + G_STRUCT_OFFSET(struct dt_commit, words), 4 * sizeof(guint64) + sizeof(guint32)))
        return CHECKED;
    return UNCHECKED;
}

static Kind kind_of_byte(const Fixture *fixture, gsize at)
{
    if (at < sizeof(struct dt_file_header))
        return within(at, 0, 16) ? CHECKED : UNCHECKED;
    for (gsize offset = DT_CHUNK_ALIGN; offset < fixture->size;) {
        struct dt_chunk_header chunk;
        memcpy(&chunk, fixture->bytes + offset, sizeof(chunk));
        if (at < offset + chunk.bytes) {
            if (at < offset + sizeof(chunk))
                return CHECKED;
            if (chunk.type == DT_CHUNK_DATA)
                return CHECKED;
            if (chunk.type == DT_CHUNK_THREAD) {
                struct dt_thread thread;
                memcpy(&thread, fixture->bytes + offset + sizeof(chunk), sizeof(thread));
                return kind_of_thread_byte(&thread, at - offset - sizeof(chunk));
            }
            return UNCHECKED;
        }
        offset += chunk.bytes;
    }
    return UNCHECKED;
}

static void test_changed_bytes(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const guint8 changes[] = {0x01, 0x80, 0xff};
    g_autofree char *bytes = g_memdup2(fixture->bytes, fixture->size);
    guint found = 0;
    for (gsize at = 0; at < fixture->size; at++) {
        Kind kind = kind_of_byte(fixture, at);
        /* Padding and tails are long and dull. */
        if ((kind == UNCHECKED || fixture->bytes[at] == 0) && at % DT_CHUNK_ALIGN > 512 && at % 61 != 0)
            continue;
        for (guint i = kind == CHECKED ? 0 : 2; i < G_N_ELEMENTS(changes); i++) {
            bytes[at] = (char)(fixture->bytes[at] ^ changes[i]);
            Outcome outcome = read_damaged(fixture, bytes, fixture->size);
            if (kind == CHECKED && !outcome.identical && outcome.problems == 0)
                g_error("byte %" G_GSIZE_FORMAT " changed by 0x%02x: other events and no report", at, changes[i]);
            found += outcome.problems > 0;
        }
        bytes[at] = fixture->bytes[at];
    }
    g_assert_cmpuint(found, >, 100);
}

static void test_random_damage(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < 600; round++) {
        g_autofree char *bytes = g_memdup2(fixture->bytes, fixture->size);
        for (gint flips = g_rand_int_range(random, 1, 30); flips > 0; flips--) {
            /* Mostly where something is written. */
            gsize at = (gsize)g_rand_int_range(random, 0, (gint32)fixture->size);
            for (guint tries = 0; tries < 50 && fixture->bytes[at] == 0; tries++)
                at = (gsize)g_rand_int_range(random, 0, (gint32)fixture->size);
            bytes[at] = (char)g_rand_int(random);
        }
        read_damaged(fixture, bytes, fixture->size);
    }
}

/* ---- what stays readable ------------------------------------------------------------------ */

/* In the second segment: header or code. Segments of nine words. */
static void read_with_second_segment_damaged(Fixture *fixture, gssize where)
{
    const guint32 magic = DT_SEGMENT_MAGIC;
    gsize first = find_bytes(fixture, 0, &magic, sizeof(magic));
    gsize second = find_bytes(fixture, first + 1, &magic, sizeof(magic));
    struct dt_segment_header header;
    memcpy(&header, fixture->bytes + second, sizeof(header));
    gsize at = where < 0 ? second + sizeof(header) + header.depth * sizeof(guint32) : second + (gsize)where;
    fixture->bytes[at] = (char)(fixture->bytes[at] ^ 0x55);
    dt_write_bytes(fixture->file, fixture->bytes, fixture->size);
}

static void test_lost_segment(Fixture *fixture, gconstpointer data)
{
    (void)data;
    /* Nine words end in step. The next nine are lost, a return from step and
       another call of it among them; MPI_Send is open at their end. */
    static const gssize places[] = {-1, G_STRUCT_OFFSET(struct dt_segment_header, magic),
                                    G_STRUCT_OFFSET(struct dt_segment_header, bytes),
                                    G_STRUCT_OFFSET(struct dt_segment_header, depth)};
    for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *good = g_memdup2(fixture->bytes, fixture->size);
        read_with_second_segment_damaged(fixture, places[i]);
        g_autoptr(DtFunctions) functions = dt_functions_new();
        g_autoptr(DtRun) run = dt_run_open(fixture->run, functions, NULL);
        g_autofree char *problem = NULL;
        g_autofree char *text = dt_event_text(run, dt_run_trace(run, 0), 5, &problem);
        g_assert_cmpstr(text, ==, "main MPI_Init < solve step MPI_Send < MPI_Recv < MPI_Send < MPI_Recv < < <");
        g_assert_nonnull(strstr(problem, "processes/"));
        g_assert_nonnull(strstr(problem, "offset"));

        /* Calls are still balanced: main alone is open at the end. */
        g_autoptr(DtReader) reader = dt_reader_open(run, dt_run_trace(run, 0), DT_NAMES_ALONE, NULL);
        g_autoptr(DtCallStack) stack = dt_call_stack_new();
        guint32 event;
        while (dt_reader_next(reader, &event, 1) > 0)
            dt_call_stack_apply(stack, event);
        g_assert_cmpuint(dt_call_stack_depth(stack), ==, 1);
        g_assert_cmpuint(dt_call_stack_unmatched_returns(stack), ==, 0);

        /* The other trace has no part in it. */
        g_autofree char *other_problem = NULL;
        g_autofree char *other = dt_event_text(run, dt_run_trace(run, 1), 5, &other_problem);
        g_assert_cmpstr(other, ==, events[1]);
        g_assert_cmpstr(other_problem, ==, NULL);
        memcpy(fixture->bytes, good, fixture->size);
    }
}

static void write_long_run(Fixture *fixture, guint32 codec)
{
    DtTestRun *writer = dt_test_run_new(fixture->run);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    process->codec = codec;
    thread->segment_words = 300;
    thread->finish = TRUE;
    dt_test_thread_events(thread, "main");
    for (guint i = 0; i < 8000; i++) {
        g_autofree char *name = g_strdup_printf("f%u", i);
        dt_test_thread_call(thread, name);
        dt_test_thread_return(thread);
    }
    g_autofree char *name = dt_test_process_file(process);
    fixture->file = g_build_filename(fixture->run, name, NULL);
    dt_test_run_finish(writer);
    g_assert_true(g_file_get_contents(fixture->file, &fixture->bytes, &fixture->size, NULL));
}

/* All calls are there but those of one gap. */
static void check_one_gap(const Fixture *fixture)
{
    dt_write_bytes(fixture->file, fixture->bytes, fixture->size);
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(fixture->run, functions, NULL);
    g_autofree char *problem = NULL;
    g_autofree char *text = dt_event_text(run, dt_run_trace(run, 0), 1000, &problem);
    g_assert_nonnull(problem);
    g_auto(GStrv) tokens = g_strsplit(text, " ", -1);
    guint last = 0, jumps = 0, calls = 0;
    for (guint i = 1; tokens[i]; i++) {
        if (*tokens[i] != 'f')
            continue;
        guint number = (guint)g_ascii_strtoull(tokens[i] + 1, NULL, 10);
        jumps += number != last + (calls > 0);
        last = number;
        calls++;
    }
    g_assert_cmpuint(last, ==, 7999);
    g_assert_cmpuint(jumps, ==, 1);
    g_assert_cmpuint(calls, <, 8000);
    g_assert_cmpuint(calls, >, 4000);
}

static gsize remove_fourth_chunk(Fixture *fixture)
{
    struct dt_chunk_header wanted = {.magic = DT_CHUNK_MAGIC, .type = DT_CHUNK_DATA, .bytes = 4096, .sequence = 3};
    gsize at = find_bytes(fixture, 0, &wanted, G_STRUCT_OFFSET(struct dt_chunk_header, records));
    memset(fixture->bytes + at, 0, 4096);
    return at;
}

/* A lost chunk costs what was in it. */
static void test_lost_chunk(Fixture *fixture, gconstpointer data)
{
    write_long_run(fixture, GPOINTER_TO_UINT(data));
    remove_fourth_chunk(fixture);
    check_one_gap(fixture);
}

/* The segment that goes on in the lost chunk says in its header, which nothing confirms, that it holds what the
 * segments behind it hold, too. */
static void test_lying_segment(Fixture *fixture, gconstpointer data)
{
    const guint32 magic = DT_SEGMENT_MAGIC;
    static const guint64 lies[] = {1000, 5000, G_MAXUINT64 / 2};
    write_long_run(fixture, GPOINTER_TO_UINT(data));
    gsize chunk = remove_fourth_chunk(fixture), at = chunk;
    while (memcmp(fixture->bytes + --at, &magic, sizeof(magic)) != 0)
        continue;
    struct dt_segment_header header;
    memcpy(&header, fixture->bytes + at, sizeof(header));
    for (guint i = 0; i < G_N_ELEMENTS(lies); i++) {
        struct dt_segment_header lying = header;
        lying.events += lies[i];
        memcpy(fixture->bytes + at, &lying, sizeof(lying));
        check_one_gap(fixture);
        lying.first_event += lies[i];
        lying.events = header.events;
        memcpy(fixture->bytes + at, &lying, sizeof(lying));
        check_one_gap(fixture);
    }
}

/* Without its header a file is still known by its chunks. */
static void test_zeroed_header(Fixture *fixture, gconstpointer data)
{
    (void)data;
    memset(fixture->bytes, 0, sizeof(struct dt_file_header));
    Outcome outcome = read_damaged(fixture, fixture->bytes, fixture->size);
    g_assert_true(outcome.opened && outcome.identical);
    g_assert_cmpuint(outcome.problems, >, 0);

    /* Nor without the first of them, which here has the images. */
    memset(fixture->bytes, 0, DT_CHUNK_ALIGN + sizeof(struct dt_chunk_header));
    dt_write_bytes(fixture->file, fixture->bytes, fixture->size);
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(fixture->run, functions, NULL);
    g_assert_nonnull(run);
    for (guint i = 0; i < G_N_ELEMENTS(events); i++) {
        g_autofree char *problem = NULL;
        g_autofree char *text = dt_event_text(run, dt_run_trace(run, i), 1000, &problem);
        g_auto(GStrv) tokens = g_strsplit(text, " ", -1), wanted = g_strsplit(events[i], " ", -1);
        g_assert_cmpuint(g_strv_length(tokens), ==, g_strv_length(wanted));
    }
}

/* A header that claims to be longer than the file, of a file that does not begin like one of ours. */
static void test_long_header(Fixture *fixture, gconstpointer data)
{
    (void)data;
    struct dt_file_header header;
    memcpy(&header, fixture->bytes, sizeof(header));
    for (header.header_bytes = 4096; header.header_bytes < 1u << 30; header.header_bytes *= 4) {
        header.magic[0] = 'd';
        memcpy(fixture->bytes, &header, sizeof(header));
        Outcome outcome = read_damaged(fixture, fixture->bytes, fixture->size);
        g_assert_true(outcome.opened && outcome.identical);
        g_assert_cmpuint(outcome.problems, >, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, data, function)                                                                                      \
    g_test_add("/decoder/damage/" name, Fixture, GUINT_TO_POINTER(data), set_up, function, tear_down)
    ADD("cut/parlot", DT_CODEC_PARLOT, test_cut);
    ADD("cut/parlot-open", DT_CODEC_PARLOT | OPEN_SEGMENT, test_cut);
    ADD("changed-bytes/parlot", DT_CODEC_PARLOT, test_changed_bytes);
    ADD("changed-bytes/parlot-open", DT_CODEC_PARLOT | OPEN_SEGMENT, test_changed_bytes);
    ADD("changed-bytes/raw-open", DT_CODEC_RAW | OPEN_SEGMENT, test_changed_bytes);
    ADD("random-damage/parlot", DT_CODEC_PARLOT, test_random_damage);
    ADD("lost-segment/parlot", DT_CODEC_PARLOT, test_lost_segment);
    ADD("zeroed-header/tz", DT_CODEC_TZ, test_zeroed_header);
    ADD("zeroed-header/lzr", DT_CODEC_LZR, test_zeroed_header);
    ADD("long-header/raw", DT_CODEC_RAW, test_long_header);
    ADD("lost-segment/parlot-open", DT_CODEC_PARLOT | OPEN_SEGMENT, test_lost_segment);
#define ADD_EMPTY(name, data, function)                                                                                \
    g_test_add("/decoder/damage/" name, Fixture, GUINT_TO_POINTER(data), set_up_empty, function, tear_down)
    ADD_EMPTY("prefix/raw", DT_CODEC_RAW, test_prefix);
    ADD_EMPTY("prefix/parlot", DT_CODEC_PARLOT, test_prefix);
    ADD_EMPTY("lost-chunk/raw", DT_CODEC_RAW, test_lost_chunk);
    ADD_EMPTY("lost-chunk/parlot", DT_CODEC_PARLOT, test_lost_chunk);
    ADD_EMPTY("lying-segment/raw", DT_CODEC_RAW, test_lying_segment);
    ADD_EMPTY("lying-segment/parlot", DT_CODEC_PARLOT, test_lying_segment);
    return g_test_run();
}
