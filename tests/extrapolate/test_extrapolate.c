/* Programs of many sizes, written down call by call: what is predicted from small ones is, byte for byte, the skeleton
 * of the program at a size that had no part in it. */
#include "extrapolate/extrapolate.h"
#include "format/arguments.h"
#include "skeleton/recorded_calls.h"
#include "skeleton/skeleton.h"
#include <string.h>

/* A program that runs on a mesh. */
typedef struct {
    DtSkeleton *skeleton;
    DtRecordedCalls *calls;
    GArray *sequence;
    gint64 rank, ranks;
    gint64 size[3], at[3]; /* the last axis' neighbours are neighbouring ranks */
} Program;

enum { SEND, RECEIVE, ALLREDUCE, BROADCAST };
static const char *const names[] = {"MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Bcast"};

static gint64 distance(const Program *program, gint64 rank)
{
    gint64 steps = ((rank - program->rank) % program->ranks + program->ranks) % program->ranks;
    return 2 * steps > program->ranks ? steps - program->ranks : steps;
}

static void add(Program *program, const DtRecordedCall *made)
{
    guint32 number = dt_recorded_calls_intern(program->calls, made);
    g_array_append_val(program->sequence, number);
}

static DtValue world(Program *program)
{
    return dt_atoms_intern(program->skeleton->atoms, "world");
}

static void message(Program *program, guint function, gint64 peer, gint64 tag, gint64 count)
{
    DtRecordedCall made = {.function = function, .count = 5};
    made.fields[0] = (DtCallField){DT_ARGUMENT_COMMUNICATOR, world(program)};
    made.fields[1] = (DtCallField){function == SEND ? DT_ARGUMENT_TO : DT_ARGUMENT_FROM, distance(program, peer)};
    made.fields[2] = (DtCallField){DT_ARGUMENT_TAG, tag};
    made.fields[3] = (DtCallField){DT_FIELD_COUNT, count};
    made.fields[4] = (DtCallField){DT_FIELD_SIZE, 8};
    add(program, &made);
}

static void all(Program *program, guint function)
{
    DtRecordedCall made = {.function = function, .count = 3};
    made.fields[0] = (DtCallField){DT_ARGUMENT_COMMUNICATOR, world(program)};
    made.fields[1] = (DtCallField){DT_FIELD_COUNT, 1};
    made.fields[2] = (DtCallField){DT_FIELD_SIZE, 8};
    add(program, &made);
}

static gint64 rank_at(const Program *program, const gint64 *at)
{
    return (at[0] * program->size[1] + at[1]) * program->size[2] + at[2];
}

/* Along an axis; -1: there is none. */
static gint64 neighbour(const Program *program, guint axis, gint64 steps, gboolean joined)
{
    gint64 at[3] = {program->at[0], program->at[1], program->at[2]}, size = program->size[axis];
    at[axis] += steps;
    if (!joined && (at[axis] < 0 || at[axis] >= size))
        return -1;
    at[axis] = (at[axis] + size) % size;
    return rank_at(program, at);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void exchange(Program *program, guint axis, gboolean joined, gint64 count)
{
    const gint64 before = neighbour(program, axis, -1, joined), behind = neighbour(program, axis, 1, joined);
    if (before >= 0)
        message(program, SEND, before, 2 * axis, count);
    if (behind >= 0)
        message(program, RECEIVE, behind, 2 * axis, count);
    if (behind >= 0)
        message(program, SEND, behind, 2 * axis + 1, count);
    if (before >= 0)
        message(program, RECEIVE, before, 2 * axis + 1, count);
}

static void stencil_1d(Program *program)
{
    for (guint step = 0; step < 5; step++) {
        exchange(program, 2, FALSE, 7);
        all(program, ALLREDUCE);
    }
}

static void ring(Program *program)
{
    for (guint step = 0; step < 6; step++)
        exchange(program, 2, TRUE, 720 / program->ranks);
}

/* Strong scaling: faces get smaller with the axes across. */
static void stencil_2d(Program *program)
{
    for (guint step = 0; step < 5; step++) {
        exchange(program, 1, FALSE, 240 / program->size[2]);
        exchange(program, 2, FALSE, 240 / program->size[1]);
    }
    all(program, BROADCAST);
}

/* Blocks that do not come out even. */
static void stencil_blocks(Program *program)
{
    const gint64 own = 101 / program->size[2] + (program->at[2] < 101 % program->size[2]);
    for (guint step = 0; step < 5; step++)
        exchange(program, 1, FALSE, own);
    all(program, ALLREDUCE);
}

static void torus_2d(Program *program)
{
    for (guint step = 0; step < 4; step++) {
        exchange(program, 1, TRUE, 9);
        exchange(program, 2, TRUE, 8);
    }
}

/* Each to his neighbour, in rounds as many as half of the ranks. */
static void odd_even(Program *program)
{
    for (gint64 round = 0; round < program->ranks / 2; round++)
        for (gint64 phase = 0; phase < 2; phase++) {
            const gint64 peer = program->rank % 2 == phase ? program->rank + 1 : program->rank - 1;
            if (peer < 0 || peer >= program->ranks)
                continue;
            message(program, program->rank % 2 == phase ? SEND : RECEIVE, peer, 3, 5);
            message(program, program->rank % 2 == phase ? RECEIVE : SEND, peer, 3, 5);
        }
}

static void hypercube(Program *program)
{
    for (guint step = 0; step < 3; step++) {
        gint64 tag = 0;
        for (gint64 bit = 1; bit < program->ranks; bit *= 2, tag++) {
            message(program, SEND, program->rank ^ bit, tag, 2 * bit);
            message(program, RECEIVE, program->rank ^ bit, tag, 2 * bit);
        }
        all(program, ALLREDUCE);
    }
}

/* Rounds by chance. */
static void random_rounds(Program *program)
{
    const guint32 mixed = (guint32)program->rank * 2654435761u + (guint32)program->ranks * 40503u * 65537u;
    for (guint32 round = 0; round < 3 + ((mixed ^ mixed >> 15) * 2246822519u >> 13) % 7; round++)
        message(program, SEND, (program->rank + 1) % program->ranks, 1, 1);
}

/* One round more than ranks. */
static void many_rounds(Program *program)
{
    for (gint64 round = 0; round < program->ranks + 1; round++)
        message(program, SEND, (program->rank + 1) % program->ranks, 1, 1);
}

/* ---- running them ---------------------------------------------------------------------------- */

typedef void (*Run)(Program *program);

static DtSkeleton *run(Run body, const gint64 *size)
{
    Program program = {.skeleton = dt_skeleton_new(), .calls = dt_recorded_calls_new()};
    program.ranks = size[0] * size[1] * size[2];
    program.skeleton->ranks = (guint)program.ranks;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        g_ptr_array_add(program.skeleton->functions, g_strdup(names[i]));
    for (guint axis = 0; axis < 3; axis++)
        program.size[axis] = size[axis];
    for (program.rank = 0; program.rank < program.ranks; program.rank++) {
        DtCallSequence *sequence = g_new0(DtCallSequence, 1);
        sequence->rank = (guint)program.rank;
        sequence->calls = program.sequence = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_ptr_array_add(program.calls->sequences, sequence);
        program.at[0] = program.rank / (size[1] * size[2]);
        program.at[1] = program.rank / size[2] % size[1];
        program.at[2] = program.rank % size[2];
        body(&program);
    }
    dt_skeleton_merge(program.skeleton, program.calls, &(DtSkeletonOptions){0});
    dt_recorded_calls_free(program.calls);
    return program.skeleton;
}

enum { SIZES = 3 };
typedef struct {
    const char *name;
    Run body;
    gint64 base[SIZES][3], target[2][3];
} Case;

static const Case cases[] = {
    {"stencil-1d", stencil_1d, {{1, 1, 4}, {1, 1, 6}, {1, 1, 9}}, {{1, 1, 13}, {1, 1, 40}}},
    {"ring", ring, {{1, 1, 4}, {1, 1, 6}, {1, 1, 8}}, {{1, 1, 12}, {1, 1, 40}}},
    {"stencil-2d", stencil_2d, {{1, 3, 3}, {1, 4, 3}, {1, 5, 5}}, {{1, 6, 5}, {1, 8, 8}}},
    {"blocks", stencil_blocks, {{1, 3, 3}, {1, 4, 3}, {1, 5, 5}}, {{1, 6, 6}, {1, 8, 7}}},
    {"torus-2d", torus_2d, {{1, 3, 3}, {1, 4, 3}, {1, 5, 5}}, {{1, 6, 5}, {1, 8, 8}}},
    {"odd-even", odd_even, {{1, 1, 6}, {1, 1, 8}, {1, 1, 12}}, {{1, 1, 16}, {1, 1, 32}}},
    {"hypercube", hypercube, {{1, 1, 4}, {1, 1, 8}, {1, 1, 16}}, {{1, 1, 32}, {1, 1, 64}}},
};

static DtLaws *find(Run body, const gint64 base[SIZES][3], DtSkeleton **skeletons, DtSize *sizes, GError **error)
{
    static const char *const labels[] = {"a", "b", "c"};
    for (guint i = 0; i < SIZES; i++) {
        skeletons[i] = run(body, base[i]);
        sizes[i] = (DtSize){.skeleton = skeletons[i], .name = labels[i]};
    }
    return dt_laws_find(sizes, SIZES, &(DtMesh){0}, error);
}

static void test_case(gconstpointer data)
{
    const Case *own = data;
    DtSkeleton *skeletons[SIZES];
    DtSize sizes[SIZES];
    g_autoptr(GError) error = NULL;
    g_autoptr(DtLaws) laws = find(own->body, own->base, skeletons, sizes, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < G_N_ELEMENTS(own->target); i++) {
        g_autoptr(DtSkeleton) expected = run(own->body, own->target[i]);
        g_autofree char *text = dt_skeleton_text(expected);
        g_autoptr(DtSkeleton) predicted = dt_laws_predict(laws, expected->ranks, &(DtMesh){0}, TRUE, &error);
        g_assert_no_error(error);
        g_autofree char *predicted_text = dt_skeleton_text(predicted);
        g_assert_cmpstr(predicted_text, ==, text);
        /* The tree of the formulas has the same calls, in whatever lines. */
        g_autoptr(DtSkeleton) direct = dt_laws_predict(laws, expected->ranks, &(DtMesh){0}, FALSE, &error);
        g_assert_no_error(error);
        for (guint rank = 0; rank < expected->ranks; rank++) {
            g_autofree char *calls = dt_skeleton_expand(expected, 0, rank, NULL),
                            *own_calls = dt_skeleton_expand(direct, 0, rank, NULL);
            g_assert_cmpstr(own_calls, ==, calls);
        }
    }
    g_assert_cmpuint(dt_laws_count(laws).without, ==, 0);
    for (guint i = 0; i < SIZES; i++)
        dt_skeleton_free(skeletons[i]);
}

/* What follows no formula is not told as proved. */
static void test_none(void)
{
    static const gint64 base[SIZES][3] = {{1, 1, 4}, {1, 1, 6}, {1, 1, 9}};
    DtSkeleton *skeletons[SIZES];
    DtSize sizes[SIZES];
    g_autoptr(GError) error = NULL;
    g_autoptr(DtLaws) laws = find(random_rounds, base, skeletons, sizes, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_laws_count(laws).without + dt_laws_count(laws).unproved, >, 0);
    g_assert_null(dt_laws_find(sizes, 1, &(DtMesh){0}, &error));
    g_assert_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_SIZES);
    for (guint i = 0; i < SIZES; i++)
        dt_skeleton_free(skeletons[i]);
}

/* Two sizes choose P + 1, and a third one proves it. */
static void test_proof(void)
{
    static const gint64 base[SIZES][3] = {{1, 1, 4}, {1, 1, 6}, {1, 1, 9}};
    DtSkeleton *skeletons[SIZES];
    DtSize sizes[SIZES];
    g_autoptr(GError) error = NULL;
    g_autoptr(DtLaws) laws = find(many_rounds, base, skeletons, sizes, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_laws_count(laws).unproved + dt_laws_count(laws).without, ==, 0);
    g_autoptr(DtLaws) of_two = dt_laws_find(sizes, 2, &(DtMesh){0}, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_laws_count(of_two).without, ==, 0);
    g_assert_cmpuint(dt_laws_count(of_two).unproved, >, 0);
    for (guint i = 0; i < SIZES; i++)
        dt_skeleton_free(skeletons[i]);
}

/* 240 is no multiple of 7. */
static void test_not_whole(void)
{
    static const gint64 base[SIZES][3] = {{1, 3, 3}, {1, 4, 3}, {1, 5, 5}};
    DtSkeleton *skeletons[SIZES];
    DtSize sizes[SIZES];
    g_autoptr(GError) error = NULL;
    g_autoptr(DtLaws) laws = find(stencil_2d, base, skeletons, sizes, &error);
    g_assert_no_error(error);
    g_assert_null(dt_laws_predict(laws, 49, &(DtMesh){0}, TRUE, &error));
    g_assert_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_NOT_WHOLE);
    for (guint i = 0; i < SIZES; i++)
        dt_skeleton_free(skeletons[i]);
}

static void test_many_ranks(void)
{
    static const gint64 base[SIZES][3] = {{1, 1, 4}, {1, 1, 6}, {1, 1, 9}};
    enum { MANY = 100000 };
    DtSkeleton *skeletons[SIZES];
    DtSize sizes[SIZES];
    g_autoptr(GError) error = NULL;
    g_autoptr(DtLaws) laws = find(stencil_1d, base, skeletons, sizes, &error);
    g_assert_no_error(error);
    g_autoptr(DtSkeleton) many = dt_laws_predict(laws, MANY, &(DtMesh){0}, FALSE, &error);
    g_assert_no_error(error);
    g_autofree char *calls = dt_skeleton_expand(many, 0, MANY - 1, NULL);
    g_assert_true(g_str_has_prefix(calls, "MPI_Send(world, to -1, tag 4, 7 x 8 B)\nMPI_Recv(world, from -1, tag 5"));
    g_assert_null(dt_laws_predict(laws, DT_MOST_PREDICTED + 1, &(DtMesh){0}, FALSE, &error));
    g_assert_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_SIZES);
    for (guint i = 0; i < SIZES; i++)
        dt_skeleton_free(skeletons[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strconcat("/extrapolate/", cases[i].name, NULL);
        g_test_add_data_func(path, &cases[i], test_case);
    }
    g_test_add_func("/extrapolate/none", test_none);
    g_test_add_func("/extrapolate/proof", test_proof);
    g_test_add_func("/extrapolate/not-whole", test_not_whole);
    g_test_add_func("/extrapolate/many-ranks", test_many_ranks);
    return g_test_run();
}
