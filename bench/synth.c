/*
 * Writes a run of any shape in the real format: every trace goes through the loop
 * nest of its class. See bench/synth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test_run.h"

typedef struct {
    gint ranks, threads, classes, seed, fault;
    gint64 events;
    gdouble noise; /* probability that an iteration has a call more */
    char *output;
} Options;

/* The functions of all programs, in the order of their ids from 1 on. */
enum {
    MAIN = 1,
    INIT,
    COMM_RANK,
    FINALIZE,
    FIRST_MPI,
    LAST_MPI = FIRST_MPI + 9,
    DISTURB,
    IDLE,
    FIRST_KERNEL,
    KERNELS = 48,
    FUNCTIONS = FIRST_KERNEL + KERNELS
};
static const char *const names[FIRST_KERNEL] = {
    [MAIN] = "main",
    [INIT] = "MPI_Init",
    [COMM_RANK] = "MPI_Comm_rank",
    [FINALIZE] = "MPI_Finalize",
    [FIRST_MPI] = "MPI_Send",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Irecv",
    "MPI_Wait",
    "MPI_Allreduce",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Alltoall",
    [LAST_MPI] = "MPI_Barrier",
    [DISTURB] = "disturb",
    [IDLE] = "idle",
};

static void name_functions(DtTestProcess *process)
{
    for (guint id = 1; id < FUNCTIONS; id++) {
        g_autofree char *kernel = g_strdup_printf("kernel_%02u", id - FIRST_KERNEL);
        guint32 given = dt_test_process_id(process, id < FIRST_KERNEL ? names[id] : kernel);
        g_assert(given == id);
    }
}

/* ---- loop nests -------------------------------------------------------------------- */

static guint pick(GRand *random, guint least, guint most)
{
    return (guint)g_rand_int_range(random, (gint32)least, (gint32)most + 1);
}

static void append_word(GArray *words, guint id)
{
    guint16 word = (guint16)id;
    g_array_append_val(words, word);
}

static void append_call(GArray *words, guint id)
{
    append_word(words, id);
    append_word(words, DT_WORD_RETURN);
}

static guint pick_function(GRand *random)
{
    return pick(random, 0, 3) == 0 ? pick(random, FIRST_MPI, LAST_MPI) : pick(random, FIRST_KERNEL, FUNCTIONS - 1);
}

/* A function with a loop in it. */
static void append_loop(GArray *words, GRand *random, guint depth)
{
    g_autoptr(GArray) body = g_array_new(FALSE, FALSE, sizeof(guint16));
    guint parts = pick(random, 1, 4);
    for (guint i = 0; i < parts; i++) {
        if (depth > 0 && pick(random, 0, 2) == 0)
            append_loop(body, random, depth - 1);
        else
            append_call(body, pick_function(random));
    }
    append_word(words, pick(random, FIRST_KERNEL, FUNCTIONS - 1));
    for (guint times = pick(random, 1, 12); times > 0; times--)
        g_array_append_vals(words, body->data, body->len);
    append_word(words, DT_WORD_RETURN);
}

/* One iteration of a class's outermost loop (element-type guint16). */
static GArray *iteration_of(guint seed, guint class_number)
{
    const guint32 seeds[] = {seed, class_number};
    GRand *random = g_rand_new_with_seed_array(seeds, G_N_ELEMENTS(seeds));
    GArray *words = g_array_new(FALSE, FALSE, sizeof(guint16));
    guint parts = pick(random, 3, 8);
    for (guint i = 0; i < parts; i++)
        append_loop(words, random, 1);
    append_call(words, pick(random, FIRST_MPI, LAST_MPI));
    append_call(words, pick(random, FIRST_MPI, LAST_MPI));
    g_rand_free(random);
    return words;
}

/* ---- traces ------------------------------------------------------------------------------- */

static void append_iteration(GArray *words, const GArray *iteration, gdouble noise, GRand *random)
{
    if (!random || g_rand_double(random) >= noise) {
        g_array_append_vals(words, iteration->data, iteration->len);
        return;
    }
    guint before = pick(random, 0, iteration->len);
    g_array_append_vals(words, iteration->data, before);
    append_call(words, DISTURB);
    g_array_append_vals(words, &g_array_index(iteration, guint16, before), iteration->len - before);
}

/* Iterations as long as they fit below `end` words. */
static void append_iterations(GArray *words, const GArray *iteration, gsize end, gdouble noise, GRand *random)
{
    while (words->len + iteration->len + 2 <= end)
        append_iteration(words, iteration, noise, random);
}

/* `leave` not NULL: the second half is iterations of that. */
static void append_trace(GArray *words, gboolean mpi, const GArray *iteration, const GArray *leave,
                         const Options *options, GRand *random)
{
    gsize end = (gsize)options->events - (mpi ? 3 : 1);
    append_word(words, MAIN);
    if (mpi) {
        append_call(words, INIT);
        append_call(words, COMM_RANK);
    }
    append_iterations(words, iteration, leave ? end / 2 : end, options->noise, random);
    if (leave)
        append_iterations(words, leave, end, options->noise, random);
    while (words->len + 2 <= end)
        append_call(words, IDLE);
    if (mpi)
        append_call(words, FINALIZE);
    append_word(words, DT_WORD_RETURN);
}

/* ---- runs --------------------------------------------------------------------------------------- */

typedef struct {
    const Options *options;
    DtTestRun *run, *models; /* models: a thread per class, for the traces that are all alike; it is never finished */
    DtTestProcess *models_process;
    DtTestThread **main_models, **worker_models; /* per class */
} Writer;

static DtTestThread *new_thread(DtTestProcess *process, guint number)
{
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, number);
    thread->batch_words = 65536;
    thread->name = "synth";
    return thread;
}

static DtTestThread *model_of(Writer *writer, guint class_number, gboolean mpi)
{
    DtTestThread **model = &(mpi ? writer->main_models : writer->worker_models)[class_number];
    if (!*model) {
        g_autoptr(GArray) iteration = iteration_of((guint)writer->options->seed, class_number);
        *model = new_thread(writer->models_process, 0);
        append_trace((*model)->words, mpi, iteration, NULL, writer->options, NULL);
    }
    return *model;
}

static void add_thread(Writer *writer, DtTestProcess *process, guint rank, guint number)
{
    const Options *options = writer->options;
    guint index = rank * (guint)options->threads + number;
    guint class_number = index % (guint)options->classes;
    gboolean faulty = options->fault == (gint)rank && number == 0;
    DtTestThread *thread = new_thread(process, number);
    if (!faulty && options->noise <= 0) {
        thread->like = model_of(writer, class_number, number == 0);
        return;
    }
    const guint32 seeds[] = {(guint)options->seed, index, 7};
    GRand *random = g_rand_new_with_seed_array(seeds, G_N_ELEMENTS(seeds));
    g_autoptr(GArray) iteration = iteration_of((guint)options->seed, class_number);
    g_autoptr(GArray) other = iteration_of((guint)options->seed, (guint)(options->classes + options->fault));
    append_trace(thread->words, number == 0, iteration, faulty ? other : NULL, options, random);
    g_rand_free(random);
}

static DtTestProcess *add_process(DtTestRun *run, gint rank)
{
    DtTestProcess *process = dt_test_run_process(run, rank);
    process->codec = DT_CODEC_LZR;
    process->executable = "/home/user/synth";
    process->arguments = "synth";
    process->flags |= DT_FILE_MPI_INITIALISED | DT_FILE_MPI_FINALIZED;
    name_functions(process);
    return process;
}

static void write_run(const Options *options)
{
    g_autofree char *models = g_strconcat(options->output, ".models", NULL);
    Writer writer = {.options = options};
    writer.run = dt_test_run_new(options->output);
    writer.run->world_size = options->ranks;
    writer.models = dt_test_run_new(models);
    writer.models_process = add_process(writer.models, 0);
    writer.main_models = g_new0(DtTestThread *, options->classes);
    writer.worker_models = g_new0(DtTestThread *, options->classes);
    for (gint rank = 0; rank < options->ranks; rank++) {
        DtTestProcess *process = add_process(writer.run, rank);
        for (gint thread = 0; thread < options->threads; thread++)
            add_thread(&writer, process, (guint)rank, (guint)thread);
        dt_test_run_flush(writer.run);
    }
    dt_test_run_finish(writer.run);
    dt_test_run_free(writer.models);
    g_free(writer.main_models);
    g_free(writer.worker_models);
}

/* ---- command line ---------------------------------------------------------------------------------- */

static const char *problem_of(const Options *options)
{
    if (!options->output)
        return "-o RUN: missing";
    if (options->ranks < 1 || options->threads < 1 || options->classes < 1)
        return "--ranks, --threads, --classes: at least 1";
    if (options->events < 16 || options->events > G_MAXINT32 || options->events % 2 != 0)
        return "--events: an even number of at least 16, events come in pairs";
    if (options->noise < 0 || options->noise > 1)
        return "--noise: a probability, 0 to 1";
    if (options->fault >= options->ranks)
        return "--fault: no such rank";
    if (g_file_test(options->output, G_FILE_TEST_EXISTS))
        return "-o: is there already";
    return NULL;
}

int main(int argc, char **argv)
{
    Options options = {.ranks = 16, .threads = 1, .classes = 2, .seed = 1, .fault = -1, .events = 10000};
    const GOptionEntry entries[] = {
        {"ranks", 0, 0, G_OPTION_ARG_INT, &options.ranks, "processes (16)", "N"},
        {"threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "traces of each (1)", "T"},
        {"classes", 0, 0, G_OPTION_ARG_INT, &options.classes, "different loop nests (2), given out in turn", "C"},
        {"events", 0, 0, G_OPTION_ARG_INT64, &options.events, "entries and returns of each trace (10000)", "E"},
        {"noise", 0, 0, G_OPTION_ARG_DOUBLE, &options.noise, "share of iterations with a call more (0)", "P"},
        {"fault", 0, 0, G_OPTION_ARG_INT, &options.fault, "this rank leaves its loop nest halfway", "RANK"},
        {"seed", 0, 0, G_OPTION_ARG_INT, &options.seed, "other loop nests for another seed (1)", "S"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "directory to make", "RUN"},
        G_OPTION_ENTRY_NULL};
    g_autoptr(GOptionContext) context = g_option_context_new("- writes a synthetic run");
    g_autoptr(GError) error = NULL;
    g_option_context_add_main_entries(context, entries, NULL);
    const char *problem = g_option_context_parse(context, &argc, &argv, &error) ? problem_of(&options) : error->message;
    if (problem) {
        fprintf(stderr, "synth: %s\n", problem);
        return 2;
    }
    write_run(&options);
    g_free(options.output);
    return 0;
}
