/* Skeletons by hand: what is read, and where what is wrong is said to be. */
#include <string.h>

#include "skeleton/node_times.h"
#include "support/random.h"

#define HEAD "difftrace skeleton 1\nranks 4\n"

static void test_by_hand(void)
{
    static const char text[] = HEAD "comm world/1 0-1 2,3\n"
                                    "# a comment\n"
                                    "MPI_Init\n"
                                    "{0: 2; !0: 3} times   # of a loop\n"
                                    "  on 1-3: MPI_Send(world, to =0, tag [0..2], {1: 5; 2-3: 6} x 8 B)\n"
                                    "  on 0: MPI_Recv(world, from any, tag any, 9 x 8 B); got [1 2]; got-tag 0\n"
                                    "MPI_Waitall(live <0 2-4>); open 1\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(text, "hand", &error);
    g_assert_no_error(error);
    g_autofree char *first = dt_skeleton_expand(skeleton, 0, 0, NULL);
    g_assert_cmpstr(first, ==,
                    "MPI_Init\n"
                    "MPI_Recv(world, from any, tag any, 9 x 8 B); got +1; got-tag 0\n"
                    "MPI_Recv(world, from any, tag any, 9 x 8 B); got +2; got-tag 0\n"
                    "MPI_Waitall(live <0 2-4>); open 1\n");
    g_autofree char *last = dt_skeleton_expand(skeleton, 0, 3, NULL);
    g_assert_cmpstr(last, ==,
                    "MPI_Init\n"
                    "MPI_Send(world, to +1, tag 0, 6 x 8 B)\n"
                    "MPI_Send(world, to +1, tag 1, 6 x 8 B)\n"
                    "MPI_Send(world, to +1, tag 2, 6 x 8 B)\n"
                    "MPI_Waitall(live <0 2-4>); open 1\n");
}

static void check_expanded(const DtSkeleton *skeleton, guint rank, const char *expected)
{
    g_autofree char *calls = dt_skeleton_expand(skeleton, 0, rank, NULL);
    g_assert_cmpstr(calls, ==, expected);
}

static void test_peers(void)
{
    static const char text[] = "difftrace skeleton 1\nranks 6\nmesh 2x3\n"
                               "comm world/1 0-1,4-5 2-3\n"
                               "on 5: MPI_Send(world, to last, 1 x 1 B)\n"
                               "on 5: MPI_Recv(world, from any); got =3\n"
                               "MPI_Send(world, to x+1, 1 x 1 B)  # heat.c:60 in exchange\n"
                               "MPI_Send(world, to x-1y+1, 1 x 1 B)\n"
                               "on 5: MPI_Sendrecv(world, to last, 1 x 1 B, from any); got =0\n"
                               "3 times\n"
                               "  MPI_Send(world, to [=0..2], 1 x 1 B)\n"
                               "on 4-5: MPI_Send(world/1, to ^1, 1 x 1 B)\n"
                               "MPI_Send(world, to ^4, 1 x 1 B)\n"
                               "on 5: MPI_Send(world, to last, 1 x 1 B)\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(text, "hand", &error);
    g_assert_no_error(error);
    check_expanded(skeleton, 5,
                   "MPI_Send(world, to null, 1 x 1 B)\n" /* nothing came yet */
                   "MPI_Recv(world, from any); got -2\n"
                   "MPI_Send(world, to +3, 1 x 1 B)\n" /* 2 */
                   "MPI_Send(world, to +1, 1 x 1 B)\n" /* 0 */
                   "MPI_Sendrecv(world, to -2, 1 x 1 B, from any); got +1\n"
                   "MPI_Send(world, to +1, 1 x 1 B)\n"
                   "MPI_Send(world, to +2, 1 x 1 B)\n"
                   "MPI_Send(world, to +3, 1 x 1 B)\n"
                   "MPI_Send(world/1, to -1, 1 x 1 B)\n" /* the last of 4 to the third one */
                   "MPI_Send(world, to +2, 1 x 1 B)\n"   /* 1 */
                   "MPI_Send(world, to +1, 1 x 1 B)\n");
    g_autofree char *again = dt_skeleton_text(skeleton);
    g_assert_cmpstr(again, ==, text);
    g_autofree char *without = dt_skeleton_text_with(skeleton, DT_TEXT_NO_LINES);
    g_assert_null(strchr(without, '#'));
    dt_skeleton_anonymise(skeleton);
    g_autofree char *anonymous = dt_skeleton_text(skeleton);
    g_assert_nonnull(strstr(anonymous, "  # place 1\n"));
    g_assert_null(strstr(anonymous, "heat"));
}

static void test_times(void)
{
    static const char text[] = HEAD "MPI_Init\n"
                                    "  after start: 4 x 12.5ms (12ms to 13ms)\n"
                                    "20 times\n"
                                    "  on !3: MPI_Barrier(world)  # heat.c:60 in exchange\n"
                                    "    on 0: after -1: 1 x 0ns\n"
                                    "    on 1-2: after -1: 2 x 999ns\n"
                                    "    on 1: after +0: 19 x 1.25ms (1us to 2.001s) [1ms^5 1.5ms 1.25ms^13]\n"
                                    "    after +1: 3 x 1234s\n"
                                    "  MPI_Allreduce(world)\n"
                                    "thread 1\n"
                                    "MPI_Allreduce(world)\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(text, "hand", &error);
    g_assert_no_error(error);
    g_autofree char *again = dt_skeleton_text(skeleton);
    g_assert_cmpstr(again, ==, text);
    g_autoptr(GPtrArray) calls = dt_skeleton_calls(skeleton->threads->pdata[0]);
    g_assert_cmpuint(calls->len, ==, 3);
    const DtNodeTime *time = dt_node_find_time(calls->pdata[1], 0, 1);
    g_assert_nonnull(time);
    g_assert_cmpuint(time->count, ==, 19);
    g_assert_cmpint(time->mean, ==, 1250000);
    g_assert_cmpint(time->least, ==, 1000);
    g_assert_cmpint(time->most, ==, 2001000000);
    g_assert_cmpuint(time->row->length, ==, 19);
    g_assert_null(dt_node_find_time(calls->pdata[1], 0, 0));
    time = dt_node_find_time(calls->pdata[0], DT_AFTER_START, 3);
    g_assert_nonnull(time);
    g_assert_cmpint(time->mean, ==, 12500000);
    g_autofree char *without = dt_skeleton_text_with(skeleton, DT_TEXT_NO_TIMES | DT_TEXT_NO_LINES);
    g_assert_cmpstr(without, ==,
                    HEAD "MPI_Init\n20 times\n  on !3: MPI_Barrier(world)\n  MPI_Allreduce(world)\n"
                         "thread 1\nMPI_Allreduce(world)\n");
}

/* What is written is read again as it was, to four digits. */
static void test_random_times(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < 20000; round++) {
        const gint64 ns = (gint64)(g_rand_double(random) * (gdouble)(G_GINT64_CONSTANT(1) << (round % 53)));
        const gint64 rounded = dt_time_rounded((gdouble)ns);
        gint64 read = -1;
        g_autoptr(GString) text = g_string_new(NULL);
        g_assert_cmpint(ABS(rounded - ns) * 2000, <=, ns);
        dt_time_append(text, rounded);
        const char *at = text->str;
        g_assert_null(dt_time_parse(&at, &read));
        g_assert_cmpstr(at, ==, "");
        g_assert_cmpint(read, ==, rounded);
    }
}

static const struct {
    const char *text, *error;
} wrong[] = {
    {HEAD "MPI_Init\n  after -1: 1 x 1ms\n", "f:4:9: there are not so many calls above"},
    {HEAD "MPI_Init\n  after +1: 1 x 1ms\nthread 1\nMPI_Init\n", "f:4:9: there are not so many calls below"},
    {HEAD "MPI_Init\n  after 0: 1 x 1\n", "f:4:16: a time is told in s, ms, us or ns"},
    {HEAD "MPI_Init\n  after 0: 0 x 1s\n", "f:4:13: this count is less than 1"},
    {HEAD "MPI_Init\n  after 0: 1 x 99999999s\n", "f:4:16: this time is too long"},
    {HEAD "MPI_Init\n  after 0: 2 x 3s (4s to 5s)\n", "f:4:29: the mean is not between these"},
    {HEAD "MPI_Init\n  after 0: 2 x 3s [4s]\n", "f:4:23: a row has two times or more"},
    {HEAD "MPI_Init\n  after 0: 2 x 3s\n  on 3: after 0: 2 x 3s\n", "f:5:24: a rank has two times here"},
    {HEAD "on 1: MPI_Init\n  on 2: after 0: 2 x 3s\n", "f:4:9: these ranks are not all among those of the call"},
    {HEAD "5 times\n  after 0: 2 x 3s\n", "f:4:8: this is more than belongs here"},
    {HEAD "MPI_Init\n    after 0: 2 x 3s\n",
     "f:4:5: this line is too far to the right: two blanks for each loop that it is in"},
    {HEAD "mesh 3x2\nMPI_Init\n",
     "f:3:6: a mesh is told as 4x4, of 1 to 4 axes and at most as many places as there are ranks"},
    {HEAD "mesh 2x2\n", "f:3:1: the file ends before the first call"},
    {HEAD "MPI_Send(to x+1)\n", "f:3:13: steps need a line 'mesh XxY' behind that of the ranks"},
    {HEAD "mesh 2x2\nMPI_Send(to y+1z+1)\n", "f:4:13: the mesh has only 2 axes"},
    {HEAD "mesh 2x2\nMPI_Send(to y+1x+1)\n", "f:4:16: ')' is missing here"},
    {HEAD "mesh 2x2\nMPI_Send(to x+0)\n", "f:4:16: steps are told as x+1 or x-1"},
    {HEAD "MPI_Send(to =4)\n", "f:3:14: there are not so many ranks"},
    {HEAD "MPI_Send(to [=3..-1/-1])\n", "f:3:20: there are not so many ranks"},
    {HEAD "MPI_Send(tag =3)\n", "f:3:14: a value is missing here"},

    {"", "f:1:1: the file ends before the first call"},
    {"difftrace program 1\n", "f:1:1: this is neither a run nor a skeleton, which begins with 'difftrace skeleton 1'"},
    {"difftrace skeleton 1\nranks 0\n", "f:2:8: there are 1 to 4194304 ranks"},
    {"difftrace skeleton 1\nranks 99999999999999999999\n", "f:2:7: this number is too large"},
    {HEAD "    MPI_Init\n", "f:3:5: this line is too far to the right: two blanks for each loop that it is in"},
    {HEAD "on 4: MPI_Init\n", "f:3:5: there are not so many ranks"},
    {HEAD "MPI_Send(tag )\n", "f:3:14: a value is missing here"},
    {HEAD "MPI_Send(tag 5\n", "f:3:15: ')' is missing here"},
    {HEAD "MPI_Send(5)\n", "f:3:11: what this number is is not said"},
    {HEAD "MPI_Send(tag {0-1: 5; 1: 6})\n", "f:3:27: a rank has two values here"},
    {HEAD "on 0: MPI_Send(tag {1: 5})\n", "f:3:24: these ranks are not all among those of the line"},
    {HEAD "MPI_Send(tag [1..8/2])\n", "f:3:21: these steps do not lead there"},
    {HEAD "MPI_Send(to ^7)\n", "f:3:14: there are not so many ranks"},
    {HEAD "5 times\n  on 0: 2 times\n    on 1: MPI_Init\n",
     "f:5:11: these ranks are not all among those of the loop around"},
    {HEAD "MPI_Send(tag [9223372036854775807^2])\n", "f:3:15: this number is too large"},
    {HEAD "MPI_Init MPI_Init\n", "f:3:9: this is more than belongs here"},
};

static void test_errors(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(wrong[i].text, "f", &error);
        g_assert_null(skeleton);
        g_assert_cmpstr(error->message, ==, wrong[i].error);
    }
}

/* What a stranger's file claims is not done. */
static void test_claims(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(
        HEAD "4000000000000000000 times\n  on 1: 4000000000000000000 times\n    MPI_Init\n", "f", &error);
    g_assert_no_error(error);
    g_assert_null(dt_skeleton_expand(skeleton, 0, 0, &error));
    g_assert_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/skeleton/parse/by-hand", test_by_hand);
    g_test_add_func("/skeleton/parse/peers", test_peers);
    g_test_add_func("/skeleton/parse/times", test_times);
    g_test_add_func("/skeleton/parse/random-times", test_random_times);
    g_test_add_func("/skeleton/parse/errors", test_errors);
    g_test_add_func("/skeleton/parse/claims", test_claims);
    return g_test_run();
}
