/* Random programs of many ranks: their skeleton gives each rank's calls back, and so does the text of it; regular
 * programs have one of constant size. The calls are written down as they are made, by the test itself. */
#include <string.h>

#include "format/arguments.h"
#include "skeleton/recorded_calls.h"
#include "support/random.h"

#ifdef SANITIZED
enum { ROUNDS = 10 };
#else
enum { ROUNDS = 40 };
#endif
enum { MOST_RANKS = 12, MOST_DEPTH = 4, MOST_CALLS = 500 };

/* A program that runs. */
typedef struct {
    DtSkeleton *skeleton;
    DtRecordedCalls *calls;
    guint rank, ranks;
    GArray *sequence;
    GString *log;
} Program;

static const char *const names[] = {"MPI_Send", "MPI_Recv", "MPI_Bcast", "MPI_Isend"};
enum { SEND, RECEIVE, BROADCAST, SEND_LATER };

static void add(Program *program, const DtRecordedCall *made)
{
    guint32 number = dt_recorded_calls_intern(program->calls, made);
    g_array_append_val(program->sequence, number);
}

static void call_of(Program *program, guint function, DtValue to, DtValue tag, gint64 count, gint64 bytes)
{
    DtRecordedCall made = {.function = function, .count = 5};
    DtValue world = dt_atoms_intern(program->skeleton->atoms, "world");
    made.fields[0] = (DtCallField){DT_ARGUMENT_COMMUNICATOR, world};
    made.fields[1] = (DtCallField){DT_ARGUMENT_TO, to};
    made.fields[2] = (DtCallField){DT_ARGUMENT_TAG, tag};
    made.fields[3] = (DtCallField){DT_FIELD_COUNT, count};
    made.fields[4] = (DtCallField){DT_FIELD_SIZE, bytes};
    add(program, &made);
    g_string_append_printf(program->log,
                           "%s(world, to %+" G_GINT64_FORMAT ", tag %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                           " x %" G_GINT64_FORMAT " B)\n",
                           names[function], to, tag, count, bytes);
}

static void call(Program *program, guint function, DtValue to, DtValue tag, gint64 count)
{
    call_of(program, function, to, tag, count, 8);
}

/* The shorter way, as it is recorded. */
static gint64 distance(const Program *program, gint64 rank)
{
    const gint64 ranks = program->ranks;
    gint64 steps = ((rank - program->rank) % ranks + ranks) % ranks;
    return 2 * steps > ranks ? steps - ranks : steps;
}

static void receive_from_anybody(Program *program, gint64 source)
{
    DtAtoms *atoms = program->skeleton->atoms;
    DtRecordedCall made = {.function = RECEIVE, .count = 4};
    made.fields[0] = (DtCallField){DT_ARGUMENT_COMMUNICATOR, dt_atoms_intern(atoms, "world")};
    made.fields[1] = (DtCallField){DT_ARGUMENT_FROM, dt_atoms_intern(atoms, "any")};
    made.fields[2] = (DtCallField){DT_ARGUMENT_TAG, 9};
    made.fields[3] = (DtCallField){DT_FIELD_SOURCE, distance(program, source)};
    add(program, &made);
    g_string_append_printf(program->log, "MPI_Recv(world, from any, tag 9); got %+" G_GINT64_FORMAT "\n",
                           distance(program, source));
}

/* In a mesh with so many columns, its borders joined. */
static gint64 neighbour(const Program *program, gint64 columns, gint64 down, gint64 right)
{
    gint64 rows = program->ranks / columns, row = program->rank / columns, column = program->rank % columns;
    return distance(program, (row + down + rows) % rows * columns + (column + right + columns) % columns);
}

static Program begin(guint ranks)
{
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
    gint what = g_rand_int_range(random, 0, depth < MOST_DEPTH ? 15 : 10), modulus = g_rand_int_range(random, 2, 5);
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
    else if (what == 6)
        call(program, 0, distance(program, own % program->ranks), 6, 1);
    else if (what == 7)
        call(program, 0, neighbour(program, program->ranks % 2 == 0 ? 2 : 1, own - 1, modulus % 3 - 1), 7, 1);
    else if (what == 8 && (program->rank ^ (guint)own) < program->ranks)
        call(program, 0, distance(program, program->rank ^ own), 8, 1);
    else if (what == 9 && program->rank == 0) {
        gint64 source = (iteration * 7 + own) % program->ranks;
        receive_from_anybody(program, source);
        call(program, 0, distance(program, iteration % 5 == 4 ? own % program->ranks : source), 9, 1);
    } else if (what == 10)
        for (gint64 i = 0; i <= own; i++) {
            run_block(program, inner, depth + 1, i);
            if (i < own) /* a part that the last round has not */
                run_block(program, inner + 1, depth + 1, i);
        }
    else if (what == 11)
        for (gint64 i = 0; i <= own; i++) {
            if (i > 0)
                run_block(program, inner, depth + 1, i);
            run_block(program, inner + 1, depth + 1, i);
        }
    else if (what == 14)
        for (gint64 i = 0; i < 2 * own + modulus; i++) {
            run_block(program, inner, depth + 1, i);
            if ((inner >> (i + (mine ? 1 : 0))) % (guint32)modulus == 0) /* in some rounds only */
                run_block(program, inner + 1, depth + 1, i);
            run_block(program, inner + 2, depth + 1, i);
        }
    else if (what < 13)
        for (gint64 i = 0, times = own + (g_rand_boolean(random) ? (gint64)program->rank % 3 : 1); i < times; i++)
            run_block(program, inner, depth + 1, i);
    else if (mine || what == 13)
        run_block(program, inner, depth + 1, iteration);
}

static void run_block(Program *program, guint32 seed, guint depth, gint64 iteration)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    gint statements = program->sequence->len < MOST_CALLS ? g_rand_int_range(random, 1, 5) : 0;
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

static void finish(Program *program, GString **logs, const DtSkeletonOptions *options)
{
    dt_skeleton_merge(program->skeleton, program->calls, options);
    check(program->skeleton, logs, program->ranks);
    g_autofree char *text = dt_skeleton_text(program->skeleton);
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) read = dt_skeleton_parse(text, "text", &error);
    g_assert_no_error(error);
    check(read, logs, program->ranks);
    g_autofree char *again = dt_skeleton_text(read);
    g_assert_cmpstr(again, ==, text);
    g_autoptr(DtSkeleton) merged_again = dt_skeleton_communicating(read, options, &error);
    g_assert_no_error(error);
    g_autofree char *text_again = dt_skeleton_text(merged_again);
    g_assert_cmpstr(text_again, ==, text);
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
        const DtSkeletonOptions options = {
            .no_mesh = round % 3 == 1,
            .mesh = {round % 3 == 2 && program.ranks % 2 == 0 ? 2 : 0, {program.ranks / 2, 2}}};
        finish(&program, logs, &options);
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
    const DtSkeletonOptions options = {0};
    finish(&program, logs, &options);
    g_autofree char *text = dt_skeleton_text(program.skeleton);
    guint lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    end(&program, logs);
    return lines;
}

/* Each round sends on and, in some rounds only, tells everybody something before it goes on; few rounds come one behind
 * the other that do the same. */
static guint size_of_output(guint rounds)
{
    Program program = begin(2);
    g_autofree GString **logs = g_new0(GString *, program.ranks);
    for (guint rank = 0; rank < program.ranks; rank++) {
        begin_rank(&program, rank);
        for (guint round = 0, next = 2; round < rounds; round++) {
            for (gint64 tag = 0; tag < 4; tag++)
                call(&program, SEND, 1, tag, 10);
            if (round == next) {
                call(&program, BROADCAST, 0, 0, 1);
                next += 1 + round * round % 5;
            }
            for (gint64 tag = 4; tag < 8; tag++)
                call(&program, SEND, 1, tag, 10);
        }
        logs[rank] = program.log;
    }
    const DtSkeletonOptions options = {0};
    finish(&program, logs, &options);
    guint size = dt_skeleton_size(program.skeleton);
    end(&program, logs);
    return size;
}

static void test_in_some_rounds(void)
{
    /* The rounds; the sends before, in a loop; in a loop, too, what comes in some rounds; the sends behind it. */
    g_assert_cmpuint(size_of_output(30), <=, 7);
    g_assert_cmpuint(size_of_output(100), <=, 7);
}

static void test_constant_size(void)
{
    guint lines = size_of_ring(4, 20);
    g_assert_cmpuint(lines, ==, 5); /* the head, the loop and its two calls */
    g_assert_cmpuint(size_of_ring(40, 20), ==, lines);
    g_assert_cmpuint(size_of_ring(4, 2000), ==, lines);
}

/* Calls that say nothing to others are left out of what was read as of what was recorded. */
static void test_communicating(void)
{
    const char *const expected = "difftrace skeleton 1\nranks 2\n8 times\n  MPI_Bcast(world, to +0, tag 0, 1 x 8 B)\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) all = dt_skeleton_parse("difftrace skeleton 1\nranks 2\nMPI_Comm_rank(world)\n"
                                                  "MPI_Bcast(world, to +0, tag 0, 1 x 8 B)\nMPI_Wtime\n"
                                                  "7 times\n  MPI_Bcast(world, to +0, tag 0, 1 x 8 B)\n  MPI_Wtime\n",
                                                  "text", &error);
    g_assert_no_error(error);
    DtSkeletonOptions options = {0};
    g_autoptr(DtSkeleton) some = dt_skeleton_communicating(all, &options, &error);
    g_assert_no_error(error);
    g_autofree char *text = dt_skeleton_text(some);
    g_assert_cmpstr(text, ==, expected);
    options.mesh = (DtMesh){2, {2, 2}};
    g_assert_null(dt_skeleton_communicating(all, &options, &error));
    g_assert_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_MESH);
    g_clear_error(&error);
    g_autoptr(DtSkeleton) endless =
        dt_skeleton_parse("difftrace skeleton 1\nranks 2\n20000000 times\n  MPI_Wtime\n", "text", &error);
    options.mesh = (DtMesh){0};
    g_assert_null(dt_skeleton_communicating(endless, &options, &error));
    g_assert_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE);
}

/* ---- programs without structure ---------------------------------------------------------------- */

/* Rank 1 does what rank 0 does, but for some calls: more pairs than are looked at all together. */
static void test_without_structure(void)
{
    enum { CALLS = 2500, LEFT_OUT = 20, MOST_BYTES = 1 << 20 };
    g_autoptr(GRand) random = dt_test_random();
    Program program = begin(2);
    GString *logs[2];
    g_autofree gint64 *bytes = g_new(gint64, CALLS);
    for (guint i = 0; i < CALLS; i++)
        bytes[i] = g_rand_int_range(random, 1, MOST_BYTES);
    for (guint rank = 0; rank < program.ranks; rank++) {
        begin_rank(&program, rank);
        for (guint i = 0; i < CALLS; i++)
            if (rank == 0 || i % LEFT_OUT != 0)
                call_of(&program, SEND, 1, 5, 1, bytes[i]);
        logs[rank] = program.log;
    }
    const DtSkeletonOptions options = {.no_mesh = TRUE};
    finish(&program, logs, &options);
    g_assert_cmpuint(dt_skeleton_size(program.skeleton), <, CALLS + CALLS / LEFT_OUT);
    end(&program, logs);
}

/* ---- texts ------------------------------------------------------------------------------------- */

typedef void (*Body)(Program *program);

static void check_text(guint ranks, Body body, const char *expected)
{
    Program program = begin(ranks);
    const DtSkeletonOptions options = {0};
    g_autofree GString **logs = g_new0(GString *, ranks);
    for (guint rank = 0; rank < ranks; rank++) {
        begin_rank(&program, rank);
        body(&program);
        logs[rank] = program.log;
    }
    finish(&program, logs, &options);
    g_autofree char *text = dt_skeleton_text(program.skeleton);
    const char *lines = strchr(strchr(text, '\n') + 1, '\n') + 1; /* behind the number of ranks */
    g_assert_cmpstr(lines, ==, expected);
    end(&program, logs);
}

static void run_torus(Program *program)
{
    const gint64 columns = program->ranks == 16 ? 4 : 5;
    for (guint i = 0; i < 10; i++) {
        call(program, SEND_LATER, neighbour(program, columns, 1, 0), 1, 6);
        call(program, SEND_LATER, neighbour(program, columns, -1, 0), 2, 6);
        call(program, SEND_LATER, neighbour(program, columns, 0, 1), 3, 6);
        call(program, SEND_LATER, neighbour(program, columns, 0, -1), 4, 6);
    }
}

#define TORUS                                                                                                          \
    "10 times\n"                                                                                                       \
    "  MPI_Isend(world, to x+1, tag 1, 6 x 8 B)\n"                                                                     \
    "  MPI_Isend(world, to x-1, tag 2, 6 x 8 B)\n"                                                                     \
    "  MPI_Isend(world, to y+1, tag 3, 6 x 8 B)\n"                                                                     \
    "  MPI_Isend(world, to y-1, tag 4, 6 x 8 B)\n"

static void run_butterfly(Program *program)
{
    for (guint bit = 1; bit < program->ranks; bit *= 2)
        call(program, SEND, distance(program, program->rank ^ bit), 5, 1);
}

/* Rank 0 hands out 40 tasks; whoever brings a result gets the next one. */
static void run_farm(Program *program)
{
    static const gint64 sources[] = {1, 3, 2, 4, 2, 2, 1, 3};
    if (program->rank > 0) {
        for (guint i = 0; i < 10; i++)
            call(program, SEND, distance(program, 0), 9, 1);
        return;
    }
    for (guint i = 0; i < 40; i++) {
        receive_from_anybody(program, sources[(i * i + i / 3) % G_N_ELEMENTS(sources)]);
        call(program, SEND, distance(program, sources[(i * i + i / 3) % G_N_ELEMENTS(sources)]), 1, 4);
    }
}

/* Outer rounds whose inner ones are f(i) (ScalaTrace's PRSDs): 4 lines whatever f is. */
static void run_triangle(Program *program)
{
    for (gint64 i = 0; i < 30; i++) {
        for (gint64 k = 0; k < i + 2; k++)
            call(program, SEND, 1, 1, 8);
        call(program, BROADCAST, 0, 0, 1);
    }
}

/* Every fourth iteration but the last one ends with a collective. */
static void run_parts(Program *program)
{
    for (guint i = 0; i < 50; i++) {
        call(program, SEND, 1, 1, 8);
        call(program, RECEIVE, -1, 1, 8);
        call(program, SEND, -1, 2, 8);
        call(program, RECEIVE, 1, 2, 8);
        if (i % 4 == 3)
            call(program, BROADCAST, 0, 0, 1);
    }
}

static void test_texts(void)
{
    check_text(16, run_torus, "mesh 4x4\n" TORUS);
    check_text(35, run_torus, "mesh 7x5\n" TORUS);
    check_text(16, run_butterfly,
               "MPI_Send(world, to ^1, tag 5, 1 x 8 B)\n"
               "MPI_Send(world, to ^2, tag 5, 1 x 8 B)\n"
               "MPI_Send(world, to ^4, tag 5, 1 x 8 B)\n"
               "MPI_Send(world, to ^8, tag 5, 1 x 8 B)\n");
    check_text(5, run_farm,
               "on 0: 40 times\n"
               "  MPI_Recv(world, from any, tag 9); got [=1 =3 =2^2 =3..1/-1 =4 =2^2 =3 =2^3 =1^2 =2 =1..3 =1^2 =4 "
               "=1^2 =3 =2^2 =3..1/-1 =4 =2^2 =3 =2^3 =1^2]\n"
               "  MPI_Send(world, to last, tag 1, 4 x 8 B)\n"
               "on !0: 10 times\n"
               "  MPI_Send(world, to =0, tag 9, 1 x 8 B)\n");
    check_text(4, run_triangle,
               "30 times\n"
               "  [2..31] times\n"
               "    MPI_Send(world, to +1, tag 1, 8 x 8 B)\n"
               "  MPI_Bcast(world, to +0, tag 0, 1 x 8 B)\n");
    check_text(8, run_parts,
               "13 times\n"
               "  [4^12 2] times\n"
               "    MPI_Send(world, to +1, tag 1, 8 x 8 B)\n"
               "    MPI_Recv(world, to -1, tag 1, 8 x 8 B)\n"
               "    MPI_Send(world, to -1, tag 2, 8 x 8 B)\n"
               "    MPI_Recv(world, to +1, tag 2, 8 x 8 B)\n"
               "  [1^12 0] times\n"
               "    MPI_Bcast(world, to +0, tag 0, 1 x 8 B)\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/skeleton/merge/random-programs", test_random_programs);
    g_test_add_func("/skeleton/merge/in-some-rounds", test_in_some_rounds);
    g_test_add_func("/skeleton/merge/constant-size", test_constant_size);
    g_test_add_func("/skeleton/merge/communicating", test_communicating);
    g_test_add_func("/skeleton/merge/without-structure", test_without_structure);
    g_test_add_func("/skeleton/merge/texts", test_texts);
    return g_test_run();
}
