/* Small programs by hand, and who stands still in them: what MPI's rules say of them. */
#include "simulate/simulate.h"

#define RANKS_2 "difftrace skeleton 1\nranks 2\n"
#define RANKS_4 "difftrace skeleton 1\nranks 4\n"

/* "rank>awaited,awaited ..." of those that stand still; "" if all come to their ends. */
static const struct {
    const char *name, *text, *buffered, *unbuffered;
} cases[] = {
    {"message",
     RANKS_2 "on 0: MPI_Send(world, to +1, tag 1, 1 x 4 B)\non 1: MPI_Recv(world, from +1, tag 1, 1 x 4 B)\n", "", ""},
    {"receives first", RANKS_2 "MPI_Recv(world, from +1, tag 1, 1 x 4 B)\nMPI_Send(world, to +1, tag 1, 1 x 4 B)\n",
     "0>1 1>0", "0>1 1>0"},
    {"sends first", RANKS_2 "MPI_Send(world, to +1, tag 1, 1 x 4 B)\nMPI_Recv(world, from +1, tag 1, 1 x 4 B)\n", "",
     "0>1 1>0"},
    {"synchronous sends first",
     RANKS_2 "MPI_Ssend(world, to +1, tag 1, 1 x 4 B)\nMPI_Recv(world, from +1, tag 1, 1 x 4 B)\n", "0>1 1>0",
     "0>1 1>0"},
    {"sends of their own buffers first",
     RANKS_2 "MPI_Bsend(world, to +1, tag 1, 1 x 4 B)\nMPI_Recv(world, from +1, tag 1, 1 x 4 B)\n", "", ""},
    {"ring", RANKS_4 "1000 times\n  MPI_Sendrecv(world, to +1, tag 1, 1 x 4 B, from -1, tag 1, 1 x 4 B)\n", "", ""},
    {"another tag",
     RANKS_2 "on 0: MPI_Send(world, to +1, tag 1, 1 x 4 B)\non 1: MPI_Recv(world, from +1, tag 2, 1 x 4 B)\n", "1>0",
     "0>1 1>0"},
    {"order of messages",
     RANKS_2 "on 0: MPI_Send(world, to +1, tag 1, 1 x 4 B)\non 0: MPI_Send(world, to +1, tag 2, 1 x 4 B)\n"
             "on 1: MPI_Recv(world, from +1, tag 2, 1 x 4 B)\non 1: MPI_Recv(world, from +1, tag 1, 1 x 4 B)\n",
     "", "0>1 1>0"},
    {"requests",
     RANKS_2
     "MPI_Irecv(world, from +1, tag 1, 1 x 4 B)\nMPI_Isend(world, to +1, tag 1, 1 x 4 B)\nMPI_Waitall(live all)\n",
     "", ""},
    {"the request that is not met",
     RANKS_2 "MPI_Irecv(world, from +1, tag 1, 1 x 4 B)\nMPI_Irecv(world, from +1, tag 2, 1 x 4 B)\n"
             "MPI_Isend(world, to +1, tag 2, 1 x 4 B)\nMPI_Wait(live 1)\nMPI_Wait(live 1)\nMPI_Wait(live 0)\n",
     "0>1 1>0", "0>1 1>0"},
    {"one of several",
     RANKS_2 "MPI_Irecv(world, from +1, tag 1, 1 x 4 B)\nMPI_Irecv(world, from +1, tag 2, 1 x 4 B)\n"
             "MPI_Send(world, to +1, tag 2, 1 x 4 B)\nMPI_Waitany(live all); completed 1\n",
     "", ""},
    {"persistent requests",
     RANKS_2 "MPI_Recv_init(world, from +1, tag 1, 1 x 4 B)\nMPI_Send_init(world, to +1, tag 1, 1 x 4 B)\n"
             "5 times\n  MPI_Startall(live all)\n  MPI_Waitall(live all)\n2 times\n  MPI_Request_free(live 0)\n",
     "", ""},
    {"a torus",
     "difftrace skeleton 1\nranks 6\nmesh 3x2\n3 times\n  MPI_Sendrecv(world, to x+1, tag 1, 1 x 4 B, from x-1, tag 1, "
     "1 x 4 B)\n"
     "  MPI_Sendrecv(world, to y+1, tag 2, 1 x 4 B, from y-1, tag 2, 1 x 4 B)\n",
     "", ""},
    {"a wrong neighbour",
     RANKS_4
     "mesh 2x2\non 0: MPI_Recv(world, from x+1, tag 1, 1 x 4 B)\non 2: MPI_Ssend(world, to y+1, tag 1, 1 x 4 B)\n",
     "0>2 2>3", "0>2 2>3"},
    {"a farm",
     RANKS_4 "on 0: [6 0] times\n  MPI_Recv(world, from any, tag 2, 1 x 4 B); got [=1..3 =3..1/-1]\n"
             "  MPI_Send(world, to last, tag 1, 1 x 4 B)\n"
             "on !0: 2 times\n  MPI_Send(world, to =0, tag 2, 1 x 4 B)\n  MPI_Recv(world, from =0, tag 1, 1 x 4 B)\n",
     "", ""},
    {"a member that is missing", RANKS_4 "on !3: MPI_Barrier(world)\n", "0>3 1>3 2>3", "0>3 1>3 2>3"},
    {"other collectives", RANKS_2 "on 0: MPI_Barrier(world)\non 1: MPI_Allreduce(world, sum, 1 x 4 B)\n", "0> 1>",
     "0> 1>"},
    {"a root that goes on",
     RANKS_2 "on 0: MPI_Bcast(world, root 0, 1 x 4 B)\non 0: MPI_Send(world, to +1, tag 1, 1 x 4 B)\n"
             "on 1: MPI_Recv(world, from +1, tag 1, 1 x 4 B)\non 1: MPI_Bcast(world, root 0, 1 x 4 B)\n",
     "", "0>1 1>0"},
    {"halves",
     "difftrace skeleton 1\nranks 4\ncomm world/1 0-1 2-3\nMPI_Comm_split(world, color {0-1: 0; 2-3: 1}, key +0)\n"
     "MPI_Barrier(world/1)\non 0-1: MPI_Barrier(world/1)\n",
     "", ""},
    {"half of a half",
     "difftrace skeleton 1\nranks 4\ncomm world/1 0-1 2-3\nMPI_Barrier(world/1)\non 2: MPI_Barrier(world/1)\n", "2>3",
     "2>3"},
    {"from anybody",
     RANKS_4 "on !0: MPI_Send(world, to =0, tag 1, 1 x 4 B)\non 0: 3 times\n"
             "  MPI_Recv(world, from any, tag any, 1 x 4 B); got [+2 -1 +1]; got-tag 1\n",
     "", ""},
    {"nobody sends", RANKS_4 "on 0: MPI_Recv(world, from any, tag any, 1 x 4 B); open 1\n", "0>1,2,3", "0>1,2,3"},
    {"probe",
     RANKS_2 "on 0: MPI_Probe(world, from +1, tag 3)\non 0: MPI_Recv(world, from +1, tag 3, 1 x 4 B)\n"
             "on 1: MPI_Send(world, to +1, tag 3, 1 x 4 B)\n",
     "", ""},
    {"no peer", RANKS_2 "MPI_Send(world, to null, tag 1, 1 x 4 B)\nMPI_Recv(world, from null, tag 1, 1 x 4 B)\n", "",
     ""},
    {"windows",
     RANKS_4 "MPI_Win_create(world, size 8, unit 8)\nMPI_Win_fence(window 0, assertion 0)\n"
             "on !2: MPI_Win_fence(window 0, assertion 0)\nMPI_Barrier(world)\n",
     "0>2 1>2 2>0,1,3 3>2", "0>2 1>2 2>0,1,3 3>2"},
};

static char *standing_text(const DtSimulation *simulation)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < simulation->standing->len; i++) {
        const DtStandingRank *standing = simulation->standing->pdata[i];
        g_string_append_printf(text, "%s%u>", i > 0 ? " " : "", standing->rank);
        for (guint k = 0; k < standing->waits_for->len; k++)
            g_string_append_printf(text, "%s%u", k > 0 ? "," : "", g_array_index(standing->waits_for, guint, k));
    }
    return g_string_free(text, FALSE);
}

static void check(const char *name, const DtSkeleton *skeleton, DtSends sends, const char *expected)
{
    g_autoptr(DtSimulation) simulation = dt_simulate(skeleton, sends);
    g_autofree char *text = standing_text(simulation);
    g_test_message("%s, %s", name, sends == DT_SENDS_BUFFERED ? "buffered" : "unbuffered");
    g_assert_cmpstr(text, ==, expected);
    g_assert_cmpint(simulation->ends, ==, *expected == '\0');
}

static void test_cases(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(cases[i].text, cases[i].name, &error);
        g_assert_no_error(error);
        check(cases[i].name, skeleton, DT_SENDS_BUFFERED, cases[i].buffered);
        check(cases[i].name, skeleton, DT_SENDS_UNBUFFERED, cases[i].unbuffered);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/simulate/cases", test_cases);
    return g_test_run();
}
