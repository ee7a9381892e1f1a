/* Random programs of many ranks: their skeleton gives each rank's calls back, and so does the text of it; regular
 * programs have one of constant size. The calls are written down as they are made, by the test itself. */
#include <string.h>

#include "format/arguments.h"
#include "skeleton/recorded_calls.h"
#include "support/random.h"

enum { ROUNDS = 40, MOST_RANKS = 12, MOST_DEPTH = 4 };

/* A program that runs. */
typedef struct {
    DtSkeleton *skeleton;
    DtRecordedCalls *calls;
    guint rank, ranks;
    GArray *sequence;
    GString *log;
} Program;

static void call(Program *program, guint function, DtValue to, DtValue tag, gint64 count)
{
    static const char *const names[] = {"MPI_Send", "MPI_Recv", "MPI_Bcast", "MPI_Isend"};
    DtRecordedCall made = {.function = function, .count = 5};
    DtValue world = dt_atoms_intern(program->skeleton->atoms, "world");
    made.fields[0] = (DtCallField){DT_ARGUMENT_COMMUNICATOR, world};
    made.fields[1] = (DtCallField){DT_ARGUMENT_TO, to};
    made.fields[2] = (DtCallField){DT_ARGUMENT_TAG, tag};
    made.fields[3] = (DtCallField){DT_FIELD_COUNT, count};
    made.fields[4] = (DtCallField){DT_FIELD_SIZE, 8};
    guint32 number = dt_recorded_calls_intern(program->calls, &made);
    g_array_append_val(program->sequence, number);
    g_string_append_printf(
        program->log, "%s(world, to %+" G_GINT64_FORMAT ", tag %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " x 8 B)\n",
        names[function], to, tag, count);
}

static Program begin(guint ranks)
{
    static const char *const names[] = {"MPI_Send", "MPI_Recv", "MPI_Bcast", "MPI_Isend"};
    Program program = {.skeleton = dt_skeleton_new(), .calls = dt_recorded_calls_new(), .ranks = ranks};
    program.skeleton->ranks = ranks;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        g_ptr_array_add(program.skeleton->functions, g_strdup(names[i]));
    return program;
}

static void begin_rank(Program *program, guint rank)
{
    DtCallSequence *sequence = g_new0(DtCallSequence, 1);
    sequence->rank = rank;
    sequence->calls = program->sequence = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_ptr_array_add(program->calls->sequences, sequence);
    program->rank = rank;
    program->log = g_string_new(NULL);
}

/* ---- random programs ------------------------------------------------------------------------- */

static void run_block(Program *program, guint32 seed, guint depth, gint64 iteration);

static void run_statement(Program *program, guint32 seed, guint depth, gint64 iteration)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    gint what = g_rand_int_range(random, 0, depth < MOST_DEPTH ? 10 : 6), modulus = g_rand_int_range(random, 2, 5);
    gint64 own = g_rand_int_range(random, 0, 4);
    guint32 inner = g_rand_int(random);
    gboolean mine = (gint)program->rank % modulus == 0;
    if (what < 3)
        call(program, (guint)what, g_rand_int_range(random, -2, 3), own, 10);
    else if (what == 3)
        call(program, 3, 1, iteration, mine ? 5 : 7);
    else if (what == 4 && mine)
        call(program, 0, g_rand_boolean(random) ? 1 : (gint64)program->rank, own, 3);
    else if (what == 5)
        call(program, 2, 0, 0, iteration % 3);
    else if (what < 8)
        for (gint64 i = 0, times = own + (g_rand_boolean(random) ? (gint64)program->rank % 3 : 1); i < times; i++)
            run_block(program, inner, depth + 1, i);
    else if (mine || what == 9)
        run_block(program, inner, depth + 1, iteration);
}

static void run_block(Program *program, guint32 seed, guint depth, gint64 iteration)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    gint statements = g_rand_int_range(random, 1, 5);
    for (gint i = 0; i < statements; i++)
        run_statement(program, g_rand_int(random), depth, iteration);
}

static void check(const DtSkeleton *skeleton, GString *const *logs, guint ranks)
{
    for (guint rank = 0; rank < ranks; rank++) {
        g_autofree char *expanded = dt_skeleton_expand(skeleton, 0, rank, NULL);
        g_assert_cmpstr(expanded, ==, logs[rank]->str);
    }
}

static void finish(Program *program, GString **logs)
{
    const DtSkeletonOptions options = {0};
    dt_skeleton_merge(program->skeleton, program->calls, &options);
    check(program->skeleton, logs, program->ranks);
    g_autofree char *text = dt_skeleton_text(program->skeleton);
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) read = dt_skeleton_parse(text, "text", &error);
    g_assert_no_error(error);
    check(read, logs, program->ranks);
    g_autofree char *again = dt_skeleton_text(read);
    g_assert_cmpstr(again, ==, text);
}

static void end(Program *program, GString **logs)
{
    for (guint rank = 0; rank < program->ranks; rank++)
        g_string_free(logs[rank], TRUE);
    dt_recorded_calls_free(program->calls);
    dt_skeleton_free(program->skeleton);
}

static void test_random_programs(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < ROUNDS; round++) {
        guint32 seed = g_rand_int(random);
        Program program = begin((guint)g_rand_int_range(random, 1, MOST_RANKS));
        GString *logs[MOST_RANKS];
        for (guint rank = 0; rank < program.ranks; rank++) {
            begin_rank(&program, rank);
            call(&program, 2, 0, 0, 1);
            run_block(&program, seed, 0, 0);
            logs[rank] = program.log;
        }
        finish(&program, logs);
        end(&program, logs);
    }
}

/* ---- regular programs ------------------------------------------------------------------------ */

/* Of a ring in which each step has its own tag. */
static guint size_of_ring(guint ranks, guint steps)
{
    Program program = begin(ranks);
    g_autofree GString **logs = g_new0(GString *, ranks);
    for (guint rank = 0; rank < ranks; rank++) {
        begin_rank(&program, rank);
        for (guint step = 0; step < steps; step++) {
            if (rank > 0)
                call(&program, 1, -1, step, 10);
            if (rank + 1 < ranks)
                call(&program, 0, 1, step, 10);
        }
        logs[rank] = program.log;
    }
    finish(&program, logs);
    g_autofree char *text = dt_skeleton_text(program.skeleton);
    guint lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    end(&program, logs);
    return lines;
}

static void test_constant_size(void)
{
    guint lines = size_of_ring(4, 20);
    g_assert_cmpuint(lines, ==, 5); /* the head, the loop and its two calls */
    g_assert_cmpuint(size_of_ring(40, 20), ==, lines);
    g_assert_cmpuint(size_of_ring(4, 2000), ==, lines);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/skeleton/merge/random-programs", test_random_programs);
    g_test_add_func("/skeleton/merge/constant-size", test_constant_size);
    return g_test_run();
}
