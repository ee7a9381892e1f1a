/* Conditions of sets of ranks, and programs of small skeletons, by hand. */
#include <string.h>

#include "generate/generate.h"
#include "generate/generating.h"

/* ---- conditions ---------------------------------------------------------------------------------- */

static const struct {
    guint ranks;
    const char *mesh, *set, *within, *condition;
} conditions[] = {
    {8, NULL, "0", NULL, "rank == 0"},
    {8, NULL, "!0", NULL, "rank > 0"},
    {8, NULL, "7", NULL, "rank == size - 1"},
    {8, NULL, "0-6", NULL, "rank < size - 1"},
    {8, NULL, "0-5", NULL, "rank < 6"},
    {8, NULL, "0-6", "0-6", NULL},
    {8, NULL, "2-7", NULL, "rank >= 2"},
    {8, NULL, "2-5", NULL, "rank >= 2 && rank <= 5"},
    {8, NULL, "0-1,6-7", NULL, "rank < 2 || rank > 5"},
    {8, NULL, "0-6/2", NULL, "rank % 2 == 0"},
    {8, NULL, "1-7/2", NULL, "rank % 2 == 1"},
    {8, NULL, "1-5/2", "1-7/2", "rank < 6"},
    {16, NULL, "0-2*4/4", NULL, "rank % 4 < 3"},
    {16, NULL, "2-14/2", NULL, "rank >= 2 && rank % 2 == 0"},
    {16, "4x4", "1-3*4/4", NULL, "y > 0"},
    {16, "4x4", "4-15", NULL, "rank >= 4"},
    {16, "4x4", "5-6*2/4", NULL, "x >= 1 && x <= 2 && y >= 1 && y <= 2"},
    {16, "4x4", "!5-6*2/4", NULL, "!(x >= 1 && x <= 2 && y >= 1 && y <= 2)"},
    {16, NULL, "2,7,11", NULL, "rank == 2 || rank == 7 || rank == 11"},
    {16, NULL, "!2,7,11", NULL, "rank != 2 && rank != 7 && rank != 11"},
    {16, NULL, "0,1,3,7,12,15", NULL, NULL},
};

static void test_conditions(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(conditions); i++) {
        g_autofree char *text = g_strdup_printf(
            "difftrace skeleton 1\nranks %u\n%s%s%sMPI_Init\n", conditions[i].ranks, conditions[i].mesh ? "mesh " : "",
            conditions[i].mesh ? conditions[i].mesh : "", conditions[i].mesh ? "\n" : "");
        g_autoptr(GError) error = NULL;
        g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(text, "text", &error);
        g_assert_no_error(error);
        const char *at = conditions[i].set, *problem = NULL, *around = conditions[i].within;
        const DtRankSet *set = dt_rank_set_parse(skeleton->sets, &at, &problem);
        const DtRankSet *within =
            around ? dt_rank_set_parse(skeleton->sets, &around, &problem) : dt_rank_set_all(skeleton->sets);
        gboolean is_or;
        if (set == within) /* nobody asks */
            continue;
        g_autofree char *condition = dt_condition_of_set(skeleton, set, within, &is_or);
        g_assert_cmpstr(condition, ==, conditions[i].condition);
        g_assert_cmpint(condition && is_or, ==, condition && strstr(condition, "||"));
    }
}

static void test_ranks(void)
{
    static const char *const texts[][2] = {
        {"0-3", "0-3"},     {"0-14/2", "0-14/2"},        {"5", "5"}, {"1,3", "1,3"}, {"0-1*3/5", "0-1,5-6,10-11"},
        {"!0-13", "14-15"}, {"0-3,9-15/2", "0-3,9-15/2"}};
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse("difftrace skeleton 1\nranks 16\nMPI_Init\n", "text", &error);
    g_assert_no_error(error);
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *at = texts[i][0], *problem = NULL;
        g_autofree char *text = dt_ranks_text(skeleton, dt_rank_set_parse(skeleton->sets, &at, &problem));
        g_assert_cmpstr(text, ==, texts[i][1]);
    }
}

/* ---- programs ------------------------------------------------------------------------------------ */

#define RANKS_4 "difftrace skeleton 1\nranks 4\n"

/* A skeleton, and a part of its program. */
static const struct {
    const char *text, *part;
} programs[] = {
    {RANKS_4 "MPI_Init\nMPI_Barrier(world)\nMPI_Finalize\n",
     "    MPI_Init(&argc, &argv);\n    begin(argc, argv);\n    MPI_Barrier(MPI_COMM_WORLD);\n    MPI_Finalize();\n"},
    {RANKS_4 "10 times\n  MPI_Bcast(world, root 2, 3 x 8 B)\n",
     "    for (long i = 0; i < steps; i++) {\n        MPI_Bcast(out, scaled(3), MPI_DOUBLE, 2, MPI_COMM_WORLD);\n"
     "    }\n    MPI_Finalize();\n"},
    {RANKS_4 "{0: 1; !0: 2} times\n  MPI_Bcast(world, root 2, 3 x 8 B)\n",
     "    for (int i = 0; i < (rank == 0 ? 1 : 2); i++) {\n"},
    {RANKS_4 "2 times\n  3 times\n    MPI_Send(world, to =0, tag [(5..7)^2], 1 x 12 B)\n", "bytes(12), 0, j + 5, MPI"},
    {RANKS_4 "on 0: 8 times\n  MPI_Send(world, to +1, tag [3..10], 1 x 12 B)\n",
     "        for (int i = 0; i < 8; i++) {\n"
     "            MPI_Send(out, scaled(1), bytes(12), rank + 1, i + 3, MPI_COMM_WORLD);\n"},
    {RANKS_4 "on !3: MPI_Send(world, to +1, tag 1, 1 x 4 B)\n",
     "    if (rank < size - 1) {\n        MPI_Send(out, scaled(1), MPI_INT, rank + 1, 1, MPI_COMM_WORLD);\n    }\n"},
    {RANKS_4 "MPI_Send(world, to +1, tag 1, 1 x 4 B)\n",
     "    MPI_Send(out, scaled(1), MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);\n"},
    {RANKS_4 "MPI_Send(world, to -1, tag 1, 1 x 4 B)\n", "(rank + size - 1) % size, 1,"},
    {RANKS_4 "MPI_Send(world, to ^1, tag 1, 1 x 4 B)\n", "rank ^ 1, 1,"},
    {RANKS_4 "mesh 2x2\nMPI_Send(world, to x+1, tag 1, 1 x 4 B)\n", "at(x + 1, y), 1,"},
    {RANKS_4 "on 0-2/2: MPI_Send(world, to +1, tag 1, 1 x 4 B)\non 1-3/2: MPI_Recv(world, from -1, tag 1, 1 x 4 B)\n",
     "    if (rank % 2 == 0) {\n        MPI_Send(out, scaled(1), MPI_INT, rank + 1, 1, MPI_COMM_WORLD);\n"
     "    } else {\n        MPI_Recv(in, scaled(1), MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n    "
     "}\n"},
    {RANKS_4 "on 0: MPI_Recv(world, from any, tag any, 1 x 4 B); got +2; got-tag 7\n",
     "MPI_Recv(in, scaled(1), MPI_INT, rank + 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"},
    {RANKS_4 "MPI_Send(world, to =0, tag {0: 4; 1: 6; 2: 8; 3: 10}, 1 x 4 B)\n", "0, 2 * rank + 4, MPI"},
    {RANKS_4 "comm world/1 0-1 2-3\nMPI_Comm_split(world, color {0-1: 0; 2-3: 1}, key +0)\nMPI_Barrier(world/1)\n",
     "    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &comm[2]);\n    MPI_Barrier(comm[2]);\n"},
    {RANKS_4 "MPI_Allgather(world, 2 x 4 B)\n", "MPI_Allgather(out, scaled(2), MPI_INT, in, scaled(2), MPI_INT, "},
    {RANKS_4 "MPI_Allgatherv(world, {0: in_place; !0: 2} x {0: 0; !0: 8} B, counts <2 3^3>, element 8)\n",
     "MPI_Allgatherv(rank == 0 ? MPI_IN_PLACE : out, scaled(rank == 0 ? 0 : 2), MPI_DOUBLE, in, counts(\"<2 "
     "3^3>\"), "},
    {RANKS_4 "MPI_Allreduce(world, minloc, 1 x 16 B)\n", "MPI_2DOUBLE_PRECISION, MPI_MINLOC, "},
    {RANKS_4 "MPI_Win_fence(window 0, assertion 0)\n", "/* MPI_Win_fence is not generated */"},
    {RANKS_4 "MPI_Barrier(world/7)\n", "/* MPI_Barrier is not generated */"},
    {RANKS_4 "MPI_Isend(world, to =0, tag 1, 1 x 4 B)\nMPI_Isend(world, to =0, tag 1, 1 x 4 B)\nMPI_Wait(live 1)\n"
             "MPI_Waitall(requests 2, live all)\n",
     "    wait_one(\"1\");\n    wait_all(\"all\", 2);\n"},
    {RANKS_4 "MPI_Send(world, to =0, tag 1, 1 x 4 B)  # heat.c:7 in exchange\n"
             "MPI_Send(world, to =0, tag 2, 1 x 4 B)  # heat.c:8 in exchange\n",
     "static void do_exchange(void)\n{\n"
     "    MPI_Send(out, scaled(1), MPI_INT, 0, 1, MPI_COMM_WORLD);  // heat.c:7\n"},
    {RANKS_4
     "2 times\n  MPI_Barrier(world)  # a.c:1 in f\n  MPI_Barrier(self)  # a.c:2 in f\n  MPI_Barrier(world)  # a.c:5 "
     "in g\nMPI_Barrier(world)  # a.c:1 in f\nMPI_Barrier(self)  # a.c:2 in f\n",
     "        do_f();\n        MPI_Barrier(MPI_COMM_WORLD);  // a.c:5 in g\n    }\n    do_f();\n"},
};

static DtGenerated *generate(const char *text, const DtGenerateOptions *options)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(text, "text", &error);
    g_assert_no_error(error);
    DtGenerated *generated = dt_generate(skeleton, "heat", options, &error);
    g_assert_no_error(error);
    return generated;
}

static void test_programs(void)
{
    const DtGenerateOptions options = {0};
    for (guint i = 0; i < G_N_ELEMENTS(programs); i++) {
        g_autoptr(DtGenerated) generated = generate(programs[i].text, &options);
        if (!strstr(generated->text, programs[i].part)) {
            g_test_message("%s\nhas no\n%s\nbut\n%s", programs[i].text, programs[i].part,
                           strstr(generated->text, "*/"));
            g_test_fail();
        }
    }
}

static void test_left_out(void)
{
    const DtGenerateOptions options = {0};
    g_autoptr(DtGenerated) generated = generate(
        RANKS_4 "MPI_Win_fence(window 0, assertion 0)\nMPI_File_close(file 0)\nMPI_Win_fence(window 0, assertion 0)\n",
        &options);
    g_assert_cmpuint(generated->left_out->len, ==, 2);
    g_assert_cmpstr(generated->left_out->pdata[0], ==, "MPI_File_close");
    g_assert_nonnull(
        strstr(generated->text, " * Not generated, though the program called them: MPI_File_close, MPI_Win_fence\n"));
}

static void test_anonymous(void)
{
    const DtGenerateOptions options = {.anonymous = TRUE};
    g_autoptr(DtGenerated) generated = generate(
        RANKS_4 "MPI_Barrier(world)  # secret.c:7 in secret\nMPI_Barrier(self)  # secret.c:8 in secret\n", &options);
    g_assert_null(strstr(generated->text, "secret"));
    g_assert_null(strstr(generated->text, "heat"));
    g_assert_nonnull(strstr(generated->text, "static void part_1(void)\n"));
}

static void test_any_source(void)
{
    const DtGenerateOptions options = {.any_source = TRUE};
    g_autoptr(DtGenerated) generated =
        generate(RANKS_4 "on 0: 3 times\n  MPI_Recv(world, from any, tag 1, 1 x 4 B); got [+1 +2 +3]\n"
                         "  MPI_Send(world, to last, tag 1, 1 x 4 B)\n",
                 &options);
    g_assert_nonnull(strstr(generated->text,
                            "MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);\n            last = status.MPI_SOURCE;\n"
                            "            MPI_Send(out, scaled(1), MPI_INT, last, 1, "));
}

static void test_compute(void)
{
    const DtGenerateOptions options = {0};
    g_autoptr(DtGenerated) generated = generate(
        RANKS_4 "MPI_Init\n  after start: 4 x 1s\nMPI_Barrier(world)\n  after -1: 4 x 250ms\n"
                "3 times\n  MPI_Barrier(world)\n    on 0-1: after -1: 2 x 2s\n    on 2-3: after -1: 2 x 8s\n"
                "    on 0-1: after 0: 4 x 5s\n    on 2-3: after 0: 4 x 2s\nMPI_Barrier(self)\n  after -1: 4 x 5us\n",
        &options);
    g_assert_nonnull(strstr(generated->text, "    begin(argc, argv);\n    compute(1);\n    compute(0.25);\n    MPI_B"));
    /* (2 + 2 * 5) / 3 and (8 + 2 * 2) / 3: the same, though by visits they differ */
    g_assert_nonnull(strstr(generated->text, "        compute(4);\n        MPI_Barrier(MPI_COMM_WORLD);\n"));
    g_assert_nonnull(strstr(generated->text, "    }\n    MPI_Barrier(MPI_COMM_SELF);\n"));
    g_assert_nonnull(strstr(generated->text, "{\"--compute\", &compute_percent}"));
}

static void test_compute_by_ranks(void)
{
    const DtGenerateOptions options = {0};
    g_autoptr(DtGenerated) generated = generate(
        RANKS_4 "MPI_Barrier(world)\n  on 0: after start: 1 x 1ms\n  on 1,3: after start: 2 x 20ms\n", &options);
    g_assert_nonnull(strstr(generated->text, "    compute(rank == 0 ? 0.001 : rank % 2 == 1 ? 0.02 : 0);\n"));
}

static void test_errors(void)
{
    const DtGenerateOptions options = {0};
    const char *const texts[] = {RANKS_4 "MPI_Init\nthread 1\nMPI_Barrier(world)\n", RANKS_4 "2 times\n  MPI_Init\n",
                                 RANKS_4 "on 0: MPI_Init\n"};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(texts[i], "text", &error);
        g_assert_no_error(error);
        g_assert_null(dt_generate(skeleton, NULL, &options, &error));
        const gint code = i == 0 ? DT_GENERATE_ERROR_THREADS : DT_GENERATE_ERROR_START;
        g_assert_error(error, DT_GENERATE_ERROR, code);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/generate/conditions", test_conditions);
    g_test_add_func("/generate/ranks", test_ranks);
    g_test_add_func("/generate/programs", test_programs);
    g_test_add_func("/generate/left-out", test_left_out);
    g_test_add_func("/generate/anonymous", test_anonymous);
    g_test_add_func("/generate/any-source", test_any_source);
    g_test_add_func("/generate/compute", test_compute);
    g_test_add_func("/generate/compute-by-ranks", test_compute_by_ranks);
    g_test_add_func("/generate/errors", test_errors);
    return g_test_run();
}
