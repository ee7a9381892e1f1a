/*
 * Decoding throughput and how it grows with the length of a trace: writes runs of one trace with 10^6, 10^7, ...
 * events, decodes each, and prints events per second, memory and bytes; then, of the longest, what it costs to go to a
 * random position and how counting by several threads pays; then what segments cost. See bench/results/decode.md.
 *
 *     bench-decode FOLDER [MOST]        MOST: 1e9 by default
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "codec/codec.h"
#include "decoder/decoder.h"
#include "writer/writer.h"

enum { BATCH = 4096, STREAM_WORDS = 1 << 24, POSITIONS = 25, MOST_THREADS = 4 };

static gdouble seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (gdouble)now.tv_sec + 1e-9 * (gdouble)now.tv_nsec;
}

static gdouble cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- events: a time-stepping code whose inner loop depends on its data ------------------------------- */

typedef void (*Emit)(gpointer data, guint32 id);

typedef struct {
    guint32 random;
    guint64 left; /* events to go */
    Emit emit;
    gpointer data;
} Program;

static void emit(Program *program, guint32 id)
{
    if (program->left > 0) {
        program->left--;
        program->emit(program->data, id);
    }
}

static void call(Program *program, guint32 id)
{
    emit(program, id);
    emit(program, 0);
}

static guint32 draw(Program *program, guint32 below)
{
    program->random = program->random * 1664525u + 1013904223u;
    return (program->random >> 8) % below;
}

static void run_program(Program *program)
{
    emit(program, 1);
    while (program->left > 0) {
        emit(program, 2);
        for (guint cell = 0; cell < 64 && program->left > 0; cell++) {
            emit(program, 3);
            call(program, 4);
            if (draw(program, 40) == 0)
                call(program, 5 + draw(program, 20));
            call(program, 4);
            emit(program, 0);
        }
        call(program, 30);
        call(program, 31);
        emit(program, 0);
    }
}

static void emit_to_thread(gpointer thread, guint32 id)
{
    dt_thread_writer_event(thread, id);
}

/* ---- one length ------------------------------------------------------------------------------------------- */

static void write_run(const char *path, guint64 events)
{
    g_autoptr(GError) error = NULL;
    const char *const command[] = {"bench", NULL};
    if (!dt_output_directory(path, "run", &error))
        g_error("%s", error->message);
    g_autoptr(DtRunWriter) run = dt_run_writer_new(path);
    DtProcessWriter *process = dt_run_writer_process(run);
    DtImageWriter *image = dt_process_writer_image(process, "/bench", DT_IMAGE_MAIN);
    for (guint i = 1; i < 32; i++) {
        g_autofree char *name = g_strdup_printf("f%u", i);
        dt_process_writer_function(process, image, dt_image_writer_symbol(image, name, 0, 0, 0), 0);
    }
    Program program = {1, events, emit_to_thread, dt_process_writer_thread(process, DT_THREAD_APP, 0)};
    run_program(&program);
    if (!dt_run_writer_end(run, "bench", command, &error))
        g_error("%s", error->message);
}

static void decode_run(const char *path, guint64 expected)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    gdouble start = cpu_seconds();
    g_autoptr(DtRun) run = dt_run_open(path, functions, &error);
    g_autoptr(DtReader) reader = run ? dt_reader_open(run, dt_run_trace(run, 0), DT_NAMES_ALONE, &error) : NULL;
    guint32 events[BATCH];
    guint64 total = 0;
    gdouble opened = cpu_seconds();
    for (gsize count = BATCH; reader && count > 0; total += count)
        count = dt_reader_next(reader, events, BATCH);
    gdouble seconds = cpu_seconds() - opened;
    if (!reader || total != expected || dt_reader_problem(reader))
        g_error("%s: %s", path, error ? error->message : "not the events that were written");
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("| %.0e | %" G_GUINT64_FORMAT " | %.1f | %.2f | %.1f | %.1f | %.1f |\n", (gdouble)total,
           dt_run_trace(run, 0)->bytes, 1e3 * (opened - start), seconds, 1e-6 * (gdouble)total / seconds,
           1e9 * seconds / (gdouble)total, (gdouble)usage.ru_maxrss / 1024);
    fflush(stdout);
}

/* Decoding is done in a child, so that its largest memory is its own. */
static void decode_apart(const char *program, const char *path, guint64 events)
{
    g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, events);
    const char *arguments[] = {program, "--decode", path, number, NULL};
    g_autoptr(GError) error = NULL;
    gint status = 0;
    if (!g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL, NULL, &status,
                      &error) ||
        status != 0)
        g_error("%s", error ? error->message : "decoding failed");
}

/* ---- random access, threads ------------------------------------------------------------------------------------- */

static gint compare_seconds(gconstpointer first, gconstpointer second)
{
    const gdouble *one = first, *two = second;
    return (*one > *two) - (*one < *two);
}

static void print_positions(const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    gdouble seconds[POSITIONS];
    guint32 event;
    for (guint i = 0; i < POSITIONS; i++) {
        gdouble start = cpu_seconds();
        dt_reader_seek(reader, (guint64)(g_rand_double(random) * (gdouble)trace->words));
        dt_reader_next(reader, &event, 1);
        seconds[i] = cpu_seconds() - start;
    }
    qsort(seconds, POSITIONS, sizeof(*seconds), compare_seconds);
    printf("\n%u random positions of %.0e: %.0f ms (median), %.0f ms (most)\n", POSITIONS, (gdouble)trace->words,
           1e3 * seconds[POSITIONS / 2], 1e3 * seconds[POSITIONS - 1]);
}

static void print_threads(const DtRun *run, const DtTrace *trace)
{
    printf("\n| threads that count | s | CPU s |\n|---|---|---|\n");
    for (guint threads = 1; threads <= MOST_THREADS; threads *= 2) {
        g_autoptr(DtStatistics) statistics = dt_statistics_new();
        guint64 events = 0;
        gdouble cpu = cpu_seconds(), wall = seconds_of(CLOCK_MONOTONIC);
        if (!dt_statistics_add(statistics, run, trace, threads, &events, NULL) || events != trace->words)
            g_error("not the events that were written");
        printf("| %u | %.2f | %.2f |\n", threads, seconds_of(CLOCK_MONOTONIC) - wall, cpu_seconds() - cpu);
    }
}

static void print_access(const char *path)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, NULL);
    if (!run)
        g_error("%s: not a run", path);
    print_positions(run, dt_run_trace(run, 0));
    print_threads(run, dt_run_trace(run, 0));
}

/* ---- segments --------------------------------------------------------------------------------------------------- */

typedef struct {
    guint16 *words;
    gsize count;
} Words;

static void emit_to_words(gpointer data, guint32 id)
{
    Words *words = data;
    words->words[words->count++] = (guint16)id;
}

/* Bytes of the words in segments of `length` words, headers included. */
static gsize coded_bytes(const Words *words, gsize length)
{
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(DT_CODEC_LZR));
    g_autofree guint8 *out = g_malloc(dt_codec_bound(DT_CODEC_LZR, BATCH) + dt_codec_bound(DT_CODEC_LZR, 0));
    gsize bytes = 0;
    for (gsize start = 0; start < words->count; start += length) {
        gsize end = MIN(start + length, words->count);
        dt_codec_encoder_init(DT_CODEC_LZR, state);
        for (gsize at = start; at < end; at += BATCH)
            bytes += dt_codec_encode(DT_CODEC_LZR, state, words->words + at, MIN(BATCH, end - at), out);
        bytes += dt_codec_finish(DT_CODEC_LZR, state, out) + sizeof(struct dt_segment_header) + 3 * sizeof(guint32);
    }
    return bytes;
}

static void print_segments(void)
{
    Words words = {g_new(guint16, STREAM_WORDS), 0};
    Program program = {1, STREAM_WORDS, emit_to_words, &words};
    run_program(&program);
    gsize whole = coded_bytes(&words, words.count);
    printf("\n| words a segment | bytes | more than one segment |\n|---|---|---|\n");
    for (guint shift = 24; shift >= 12; shift -= 2) {
        gsize bytes = coded_bytes(&words, (gsize)1 << shift);
        printf("| 2^%u | %" G_GSIZE_FORMAT " | %.1f %% |\n", shift, bytes,
               100.0 * ((gdouble)bytes / (gdouble)whole - 1));
    }
    g_free(words.words);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--decode") == 0) {
        decode_run(argv[2], g_ascii_strtoull(argv[3], NULL, 10));
        return 0;
    }
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER [MOST]\n", argv[0]);
        return 2;
    }
    guint64 most = (guint64)(argc > 2 ? g_ascii_strtod(argv[2], NULL) : 1e9);
    g_autofree char *run = g_build_filename(argv[1], "run", NULL);
    g_mkdir_with_parents(run, 0777);
    printf("| events | bytes | open, ms | decode, s | million events/s | ns an event | largest memory, MB |\n"
           "|---|---|---|---|---|---|---|\n");
    fflush(stdout);
    for (guint64 events = 1000000; events <= most; events *= 10) {
        write_run(run, events);
        decode_apart(argv[0], run, events);
    }
    print_access(run);
    print_segments();
    return 0;
}
