/*
 * What is written is what is read: by the store and the decoder, and by tests/format/read_run.py, which was made from
 * docs/trace-format.md alone. What cannot be written leaves nothing and says so in one line.
 */
#include "writer/writer.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "codec/codec.h"
#include "decoder/decoder.h"
#include "format/note.h"
#include "support/random.h"
#include "support/test_run.h"

enum { BATCH = 1000 };
static const char *const COMMAND[] = {"./app", "-n", "4", NULL};

/* ---- reading ----------------------------------------------------------------------------------- */

static DtRun *open_run(const char *path, DtFunctions *functions)
{
    g_autoptr(GError) error = NULL;
    DtRun *run = dt_run_open(path, functions, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < dt_run_problems(run)->len; i++)
        g_error("%s", (const char *)g_ptr_array_index(dt_run_problems(run), i));
    return run;
}

static void append_event(GString *text, GPtrArray *stack, const char *label, const char *name)
{
    const char *top = stack->len > 0 ? g_ptr_array_index(stack, stack->len - 1) : "";
    g_string_append_printf(text, "%s\t%s\t%s\n", label, name ? ">" : "<", name ? name : top);
    if (name)
        g_ptr_array_add(stack, (gpointer)name);
    else if (stack->len > 0)
        g_ptr_array_set_size(stack, (gint)stack->len - 1);
}

/* All events, as "dump --flat" prints them but with the linker's names. */
static char *decoded(const char *path)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = open_run(path, functions);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        guint32 events[BATCH];
        g_autoptr(GPtrArray) stack = g_ptr_array_new();
        const DtTrace *trace = dt_run_trace(run, i);
        g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, NULL);
        for (gsize count; (count = dt_reader_next(reader, events, BATCH)) > 0;)
            for (gsize k = 0; k < count; k++)
                append_event(text, stack, trace->label,
                             events[k] ? dt_functions_get(functions, events[k])->symbol : NULL);
        g_assert_null(dt_reader_problem(reader));
    }
    return g_string_free(text, FALSE);
}

static char *read_independently(const char *path)
{
    g_autofree char *script = g_test_build_filename(G_TEST_DIST, "..", "format", "read_run.py", NULL);
    g_autofree char *codecs = g_test_build_filename(G_TEST_DIST, "..", "..", "src", "codec", NULL);
    const char *arguments[] = {"python3", "-B", script, codecs, path, NULL};
    g_autoptr(GError) error = NULL;
    char *out = NULL;
    gint status = 0;
    g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL, &status, &error);
    g_assert_no_error(error);
    g_assert_cmpint(status, ==, 0);
    return out;
}

static void assert_holds(const char *path, const char *expected)
{
    g_autofree char *by_decoder = decoded(path), *by_script = read_independently(path);
    g_assert_cmpstr(by_decoder, ==, expected);
    g_assert_cmpstr(by_script, ==, expected);
}

/* ---- random runs ------------------------------------------------------------------------------- */

typedef struct {
    DtThreadWriter *writer;
    char *label;
    GPtrArray *stack;
    GString *text;
} Trace;

typedef struct {
    GRand *random;
    guint32 codec;
    guint functions, threads, events;
} Shape;

static guint draw(GRand *random, guint below)
{
    return (guint)g_rand_int_range(random, 0, (gint32)below);
}

static void clear_trace(gpointer data)
{
    Trace *trace = data;
    g_free(trace->label);
    g_ptr_array_unref(trace->stack);
    g_string_free(trace->text, TRUE);
}

/* The functions are the same in all processes; every third one is of the image that the run has but once. */
static void add_functions(DtRunWriter *run, DtProcessWriter *process, const GPtrArray *names, gboolean first)
{
    DtImageWriter *own = dt_process_writer_image(process, "/home/user/app", DT_IMAGE_MAIN);
    DtImageWriter *shared = dt_run_writer_image(run, "/usr/lib/libx.so", 0);
    for (guint i = 0; i < names->len; i++) {
        DtImageWriter *image = i % 3 == 2 ? shared : own;
        guint32 symbol = i / 3;
        if (first || image == own)
            symbol = dt_image_writer_symbol(image, g_ptr_array_index(names, i), 16 * i, 16, 0);
        g_assert_cmpuint(dt_process_writer_function(process, image, symbol, 0), ==, i + 1);
    }
    g_assert_cmpuint(dt_process_writer_functions(process), ==, names->len);
}

static void add_event(const Shape *shape, Trace *trace, const GPtrArray *names)
{
    gboolean enters = trace->stack->len == 0 ? draw(shape->random, 50) > 0 : draw(shape->random, 2) == 0;
    guint id = enters ? 1 + draw(shape->random, MIN(shape->functions, 9)) : 0;
    if (enters && draw(shape->random, 20) == 0)
        id = shape->functions - draw(shape->random, MIN(shape->functions, 3));
    guint32 top = dt_thread_writer_top(trace->writer);
    g_assert_cmpint(top == 0, ==, trace->stack->len == 0);
    dt_thread_writer_event(trace->writer, id);
    append_event(trace->text, trace->stack, trace->label, id ? g_ptr_array_index(names, id - 1) : NULL);
}

static void check_random_run(const Shape *shape)
{
    g_autofree char *path = dt_temporary_directory(), *none = g_build_filename(path, "processes", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) traces = g_array_new(FALSE, FALSE, sizeof(Trace));
    g_autoptr(DtRunWriter) run = dt_run_writer_new(path);
    for (guint i = 0; i < shape->functions; i++)
        g_ptr_array_add(names, g_strdup_printf("f%u", i));
    g_array_set_clear_func(traces, clear_trace);
    for (guint rank = 0; rank < 2; rank++) {
        DtProcessWriter *process = dt_run_writer_process(run);
        struct dt_file_header *header = dt_process_writer_header(process);
        header->codec = shape->codec;
        header->rank = (gint32)rank;
        add_functions(run, process, names, rank == 0);
        for (guint i = 0; i < shape->threads; i++) {
            Trace trace = {dt_process_writer_thread(process, DT_THREAD_APP, i), g_strdup_printf("%u.%u", rank, i),
                           g_ptr_array_new(), g_string_new(NULL)};
            g_array_append_val(traces, trace);
        }
    }
    for (guint i = 0; i < shape->events; i++)
        add_event(shape, &g_array_index(traces, Trace, draw(shape->random, traces->len)), names);
    g_assert_false(g_file_test(none, G_FILE_TEST_EXISTS));
    g_assert_true(dt_run_writer_end(run, "test", COMMAND, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(dt_run_writer_written(run)->events, ==, shape->events);

    g_autoptr(GString) expected = g_string_new(NULL);
    for (guint i = 0; i < traces->len; i++)
        g_string_append(expected, g_array_index(traces, Trace, i).text->str);
    assert_holds(path, expected->str);
    dt_remove_tree(path);
}

static void test_random(gconstpointer data)
{
    const DtCodec *codec = data;
    GRand *random = dt_test_random();
    for (guint round = 0; round < 4; round++) {
        Shape shape = {random, codec->id, 1 + draw(random, 40), 1 + draw(random, 3), draw(random, 6000)};
        check_random_run(&shape);
    }
    g_rand_free(random);
}

/* More threads side by side than encoders are kept. */
static void test_many_threads(void)
{
    GRand *random = dt_test_random();
    check_random_run(&(Shape){random, DT_CODEC_RAW, 20, 40, 3000});
    g_rand_free(random);
}

/* More functions than a word can tell apart, and more than a chunk of them holds. */
static void test_escapes(void)
{
    GRand *random = dt_test_random();
    check_random_run(&(Shape){random, DT_CODEC_RAW, 70000, 1, 2000});
    g_rand_free(random);
}

/* ---- what else there is ------------------------------------------------------------------------ */

enum { NOTES = 3000 };

static void write_details(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRunWriter) run = dt_run_writer_new(path);
    DtProcessWriter *process = dt_run_writer_process(run);
    DtImageWriter *image = dt_process_writer_image(process, "/usr/lib/libmpi.so", DT_IMAGE_API_ONLY);
    guint32 symbol = dt_image_writer_symbol(image, "MPI_Send", 0, 0, DT_FUNCTION_API);
    guint32 send = dt_process_writer_function(process, image, symbol, DT_FUNCTION_API);
    guint32 empty = dt_process_writer_array(process, NULL, 0);
    guint32 counts = dt_process_writer_array(process, (const gint64[]){4, 4, G_MININT64, -1, G_MAXINT64}, 5);
    g_assert_cmpuint(empty, ==, 0);
    const gint64 arguments[] = {dt_argument(DT_ARGUMENT_COMMUNICATOR, 2), dt_argument(DT_ARGUMENT_TO, 1),
                                dt_argument(DT_ARGUMENT_COUNTS, dt_argument_first_array(DT_ARGUMENT_COUNTS) + counts)};
    guint32 right = dt_process_writer_signature(process, send, arguments, G_N_ELEMENTS(arguments));
    const struct dt_communicator half = {.number = 2, .parent = 0, .creation = 1, .size = 3, .remote_size = -1};
    const struct dt_communicator world = {.number = 0, .parent = DT_COMMUNICATOR_NONE, .size = 4, .remote_size = -1};
    dt_process_writer_communicator(process, &world, (const gint32[]){0, 1, 2, 3});
    dt_process_writer_communicator(process, &half, (const gint32[]){3, 1, 0});

    struct dt_file_header *header = dt_process_writer_header(process);
    header->rank = 3;
    header->pid = 77;
    header->end_state = DT_PROCESS_SIGNAL;
    header->end_status = SIGSEGV;
    header->end_monotonic_ns = 99;
    g_strlcpy(header->host, "node9", sizeof(header->host));
    g_strlcpy(header->arguments, "app -n 4", sizeof(header->arguments));
    DtThreadWriter *thread = dt_process_writer_thread(process, DT_THREAD_LIBRARY, 1);
    struct dt_thread *record = dt_thread_writer_record(thread);
    record->last_signal = (struct dt_last_signal){.number = SIGSEGV, .code = 1, .function = send};
    g_strlcpy(record->name, "worker", sizeof(record->name));
    for (gint64 i = 0; i < NOTES; i++) {
        const gint64 values[] = {i, -i * i * i};
        dt_thread_writer_event(thread, i % 2 ? 0 : right);
        dt_thread_writer_note(thread, i % 3 ? DT_NOTE_CLOCK : DT_NOTE_MARKER, values, i % 3 ? 2 : 0,
                              i % 3 ? NULL : "x");
    }
    gint64 too_many[DT_NOTE_VALUES] = {0};
    memset(too_many, 0x55, sizeof(too_many));
    dt_thread_writer_note(thread, DT_NOTE_REQUEST, too_many, G_N_ELEMENTS(too_many), NULL);
    dt_run_writer_warn(run, "%s: %d", "a warning", 5);
    g_assert_true(dt_run_writer_end(run, "by hand", COMMAND, &error));
}

static char *first_process_file(const char *path)
{
    g_autofree char *folder = g_build_filename(path, "processes", NULL);
    g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
    return g_build_filename(folder, g_dir_read_name(directory), NULL);
}

static void check_notes(const DtRun *run)
{
    g_autoptr(DtNotes) notes = dt_notes_open(run, dt_run_trace(run, 0), NULL);
    g_assert_null(dt_notes_problem(notes));
    g_assert_cmpuint(dt_notes_count(notes), ==, NOTES);
    for (guint i = 0; i < NOTES; i++) {
        const DtNote *note = dt_notes_get(notes, i);
        gint64 value = i;
        g_assert_cmpuint(note->position, ==, i + 1);
        g_assert_cmpuint(note->kind, ==, i % 3 ? DT_NOTE_CLOCK : DT_NOTE_MARKER);
        g_assert_cmpstr(note->text, ==, i % 3 ? "" : "x");
        g_assert_cmpint(i % 3 ? dt_notes_values(notes, note)[1] : 0, ==, i % 3 ? -value * value * value : 0);
    }
}

static void test_details(void)
{
    g_autofree char *path = dt_temporary_directory();
    write_details(path);
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, NULL);
    const DtProcess *process = dt_run_process(run, 0);
    const DtTrace *trace = dt_run_trace(run, 0);
    const DtManifest *manifest = dt_run_manifest(run);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_cmpstr(process->host, ==, "node9");
    g_assert_cmpstr(process->arguments, ==, "app -n 4");
    g_assert_cmpuint(process->end, ==, DT_END_SIGNAL);
    g_assert_cmpint(process->status, ==, SIGSEGV);
    g_assert_cmpuint(process->end_ns, ==, 99);
    g_assert_cmpstr(trace->label, ==, "3.b");
    g_assert_cmpstr(trace->name, ==, "worker");
    g_assert_cmpint(trace->fatal_signal, ==, SIGSEGV);
    g_assert_cmpuint(trace->dropped_notes, ==, 1);
    g_assert_true(manifest->finished);
    g_assert_cmpstr(manifest->engine, ==, "by hand");
    g_assert_cmpstr(manifest->command[2], ==, "4");
    g_assert_cmpstr(manifest->warnings[0], ==, "a warning: 5");
    const DtCommunicator *half = dt_run_find_communicator(run, process, "world/1");
    g_assert_cmpint(half->members[1], ==, 1);
    g_assert_cmpint(half->members[2], ==, 0);
    guint32 event = 0;
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_WITH_ARGUMENTS, NULL);
    g_assert_cmpuint(dt_reader_next(reader, &event, 1), ==, 1);
    g_assert_cmpstr(dt_functions_get(functions, event)->name, ==,
                    "MPI_Send(world/1, to +1, counts [4^2 -9223372036854775808 -1 9223372036854775807])");
    g_assert_false(((const DtImage *)dt_run_images(run, process)->pdata[0])->main_image);
    check_notes(run);
    g_free(read_independently(path));
    dt_remove_tree(path);
}

/* Each byte of the arrays changed: what is read of them is right, or it is said that something is wrong. */
static void test_damaged_arrays(void)
{
    g_autofree char *path = dt_temporary_directory(), *bytes = NULL;
    gsize size, at = 0;
    write_details(path);
    g_autofree char *file = first_process_file(path);
    g_assert_true(g_file_get_contents(file, &bytes, &size, NULL));
    const struct dt_chunk_header *chunk = NULL;
    for (at = DT_CHUNK_ALIGN; at < size; at += chunk->bytes) {
        chunk = (const struct dt_chunk_header *)(gconstpointer)(bytes + at);
        if (chunk->type == DT_CHUNK_ARRAYS)
            break;
    }
    g_assert_cmpuint(at, <, size);
    for (gsize i = at + sizeof(*chunk); i < at + sizeof(*chunk) + 64; i++) {
        bytes[i] = (char)(bytes[i] ^ 0x55);
        g_assert_true(g_file_set_contents(file, bytes, (gssize)size, NULL));
        bytes[i] = (char)(bytes[i] ^ 0x55);
        g_autoptr(DtFunctions) functions = dt_functions_new();
        g_autoptr(DtRun) run = dt_run_open(path, functions, NULL);
        guint32 event = 0;
        g_autoptr(DtReader) reader = dt_reader_open(run, dt_run_trace(run, 0), DT_NAMES_WITH_ARGUMENTS, NULL);
        dt_reader_next(reader, &event, 1);
        const char *name = dt_functions_get(functions, event)->name;
        g_assert_true(
            dt_run_problems(run)->len > 0 ||
            g_str_equal(name, "MPI_Send(world/1, to +1, counts [4^2 -9223372036854775808 -1 9223372036854775807])"));
    }
    dt_remove_tree(path);
}

/* ---- failures ---------------------------------------------------------------------------------- */

static void write_events(DtRunWriter *run, guint events)
{
    GRand *random = dt_test_random();
    DtProcessWriter *process = dt_run_writer_process(run);
    dt_process_writer_header(process)->codec = DT_CODEC_RAW;
    DtImageWriter *image = dt_process_writer_image(process, "/app", 0);
    for (guint i = 0; i < 9; i++)
        dt_process_writer_function(process, image, dt_image_writer_symbol(image, "f", 0, 0, 0), 0);
    DtThreadWriter *thread = dt_process_writer_thread(process, DT_THREAD_APP, 0);
    for (guint i = 0; i < events; i++)
        dt_thread_writer_event(thread, draw(random, 10));
    g_rand_free(random);
}

/* One line, with `why` and `what` to do. */
static void assert_fails(DtRunWriter *run, DtWriterError code, const char *why, const char *what)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(dt_run_writer_end(run, "test", COMMAND, &error));
    g_assert_error(error, DT_WRITER_ERROR, (gint)code);
    g_assert_null(strchr(error->message, '\n'));
    g_assert_nonnull(strstr(error->message, why));
    g_assert_nonnull(strstr(error->message, what));
    dt_run_writer_free(run);
}

static void test_file_too_large(void)
{
    g_autofree char *folder = dt_temporary_directory(), *path = g_build_filename(folder, "run", NULL);
    struct rlimit before, small;
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    small = before;
    small.rlim_cur = 100000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    DtRunWriter *run = dt_run_writer_new(path);
    write_events(run, 1000000);
    assert_fails(run, DT_WRITER_ERROR_IO, g_strerror(EFBIG), "ulimit -f");
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    dt_remove_tree(folder);
}

static void test_no_directory(void)
{
    DtRunWriter *run = dt_run_writer_new("/proc/none/run");
    write_events(run, 10);
    assert_fails(run, DT_WRITER_ERROR_IO, "/proc/none/run", "choose");
}

static void test_no_codec(void)
{
    g_autofree char *folder = dt_temporary_directory(), *path = g_build_filename(folder, "run", NULL);
    DtRunWriter *run = dt_run_writer_new(path);
    DtProcessWriter *process = dt_run_writer_process(run);
    dt_process_writer_header(process)->codec = 3;
    dt_thread_writer_event(dt_process_writer_thread(process, DT_THREAD_APP, 0), 1);
    assert_fails(run, DT_WRITER_ERROR_CODEC, "no codec 3", "choose");
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    dt_remove_tree(folder);
}

/* A run that is there stays as it is; one that was begun and given up is gone. */
static void test_exists(void)
{
    g_autofree char *path = dt_temporary_directory();
    dt_test_run_single(path, "main solve <");
    g_autofree char *before = decoded(path);
    DtRunWriter *run = dt_run_writer_new(path);
    write_events(run, 100000);
    assert_fails(run, DT_WRITER_ERROR_EXISTS, path, "choose");
    g_autofree char *after = decoded(path);
    g_assert_cmpstr(before, ==, after);
    dt_remove_tree(path);

    run = dt_run_writer_new(path);
    write_events(run, 100000);
    dt_process_writer_end(dt_run_writer_process(run));
    dt_run_writer_free(run);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < DT_CODECS; i++) {
        g_autofree char *name = g_strdup_printf("/writer/random/%s", dt_codecs[i].name);
        g_test_add_data_func(name, &dt_codecs[i], test_random);
    }
    g_test_add_func("/writer/many-threads", test_many_threads);
    g_test_add_func("/writer/escapes", test_escapes);
    g_test_add_func("/writer/details", test_details);
    g_test_add_func("/writer/damaged-arrays", test_damaged_arrays);
    g_test_add_func("/writer/file-too-large", test_file_too_large);
    g_test_add_func("/writer/no-directory", test_no_directory);
    g_test_add_func("/writer/no-codec", test_no_codec);
    g_test_add_func("/writer/exists", test_exists);
    return g_test_run();
}
