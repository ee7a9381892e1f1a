/*
 * A farm whose tasks go to whoever comes first, with arguments: who got how many is luck, also where three normal runs
 * happened to share alike.
 */
#include <string.h>

#include "format/arguments.h"
#include "support/test_run.h"
#include "verdict/verdict.h"
#include "writer/writer.h"

enum { WORKERS = 3, RANKS = WORKERS + 1, TASK = 11, RESULT = 20, OTHER = 21 };

typedef struct {
    DtProcessWriter *process;
    DtThreadWriter *thread;
    guint32 send, receive; /* functions */
} Rank;

static guint32 function_of(DtProcessWriter *process, DtImageWriter *image, const char *name)
{
    guint32 symbol = dt_image_writer_symbol(image, name, 0, 8, DT_FUNCTION_API);
    return dt_process_writer_function(process, image, symbol, DT_FUNCTION_API);
}

static Rank rank_new(DtRunWriter *writer, gint number)
{
    static const gint32 members[RANKS] = {0, 1, 2, 3};
    Rank rank = {.process = dt_run_writer_process(writer)};
    struct dt_file_header *header = dt_process_writer_header(rank.process);
    header->rank = number;
    header->world_size = RANKS;
    header->pid = 100 + (guint32)number;
    header->flags |= DT_FILE_MPI_INITIALISED | DT_FILE_MPI_FINALIZED;
    const struct dt_communicator world = {
        .parent = DT_COMMUNICATOR_NONE, .key = 5, .rank = number, .size = RANKS, .remote_size = -1};
    dt_process_writer_communicator(rank.process, &world, members);
    DtImageWriter *image = dt_process_writer_image(rank.process, "/usr/lib/libmpi.so.40", DT_IMAGE_API_ONLY);
    rank.send = function_of(rank.process, image, "MPI_Send");
    rank.receive = function_of(rank.process, image, "MPI_Recv");
    rank.thread = dt_process_writer_thread(rank.process, DT_THREAD_APP, 0);
    return rank;
}

static void call(const Rank *rank, guint32 function, gint64 partner, gint tag)
{
    const gint64 arguments[] = {dt_argument(DT_ARGUMENT_COMMUNICATOR, 0), partner, dt_argument(DT_ARGUMENT_TAG, tag),
                                dt_argument_data(DT_ARGUMENT_DATA, 1, 8)};
    dt_thread_writer_event(rank->thread, dt_process_writer_signature(rank->process, function, arguments, 4));
    dt_thread_writer_event(rank->thread, DT_WORD_RETURN);
}

/* `shares`: tasks of each worker; `results`: the tag of its answers. */
static DtRun *play(const char *folder, guint32 seed, DtFunctions *functions, const gint *shares, const gint *results)
{
    g_autofree char *path = g_strdup_printf("%s/%u", folder, seed);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    static const char *const command[] = {"farm", NULL};
    DtRunWriter *writer = dt_run_writer_new(path);
    Rank ranks[RANKS];
    gint left[RANKS] = {0, shares[0], shares[1], shares[2]};
    for (gint rank = 0; rank < RANKS; rank++)
        ranks[rank] = rank_new(writer, rank);
    for (gint all = shares[0] + shares[1] + shares[2]; all > 0; all--) {
        gint worker = g_rand_int_range(random, 1, RANKS);
        while (left[worker] == 0)
            worker = 1 + worker % WORKERS;
        left[worker]--;
        call(&ranks[0], ranks[0].send, dt_argument(DT_ARGUMENT_TO, worker), TASK);
        call(&ranks[0], ranks[0].receive, dt_argument_special(DT_ARGUMENT_FROM, DT_SPECIAL_ANY), results[worker - 1]);
        call(&ranks[worker], ranks[worker].receive, dt_argument(DT_ARGUMENT_FROM, -worker), TASK);
        call(&ranks[worker], ranks[worker].send, dt_argument(DT_ARGUMENT_TO, -worker), results[worker - 1]);
    }
    g_assert_true(dt_run_writer_end(writer, "test", command, NULL));
    dt_run_writer_free(writer);
    DtRun *run = dt_run_open(path, functions, NULL);
    g_assert_nonnull(run);
    return run;
}

static const gint alike[][WORKERS] = {{20, 20, 20}, {20, 20, 20}, {20, 20, 20}};

static DtVerdict *judge(const gint (*normally)[WORKERS], const gint *shares, const gint *results)
{
    static const gint usual[WORKERS] = {RESULT, RESULT, RESULT};
    char *folder = dt_temporary_directory();
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GPtrArray) normals = g_ptr_array_new_with_free_func((GDestroyNotify)dt_run_free);
    for (guint32 seed = 1; seed <= 3; seed++)
        g_ptr_array_add(normals, play(folder, seed, functions, normally[seed - 1], usual));
    g_autoptr(DtRun) faulty = play(folder, 4, functions, shares, results);
    g_autoptr(GError) error = NULL;
    DtVerdict *verdict = dt_verdict_new(&(DtVerdictRuns){normals, faulty, FALSE, FALSE}, 1, &error);
    g_assert_no_error(error);
    g_test_message("%s", verdict->verdict);
    dt_remove_tree(folder);
    g_free(folder);
    return verdict;
}

static void test_other_shares(void)
{
    static const gint one_alike[][WORKERS] = {{20, 22, 18}, {20, 18, 22}, {20, 19, 21}};
    const gint results[WORKERS] = {RESULT, RESULT, RESULT};
    for (guint i = 0; i < 2; i++) {
        g_autoptr(DtVerdict) verdict = judge(i == 0 ? alike : one_alike, (const gint[]){6, 27, 27}, results);
        g_assert_null(strstr(verdict->verdict, "whole program changed"));
        for (guint k = 0; k < verdict->suspects->len; k++)
            g_assert_cmpint(((const DtSuspect *)verdict->suspects->pdata[k])->level, !=, DT_LEVEL_SUSPECT);
    }
}

static void test_other_tag(void)
{
    const gint results[WORKERS] = {RESULT, OTHER, RESULT};
    g_autoptr(DtVerdict) verdict = judge(alike, (const gint[]){19, 21, 20}, results);
    g_assert_nonnull(strstr(verdict->verdict, "tag 21"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/verdict/luck/other-shares", test_other_shares);
    g_test_add_func("/verdict/luck/other-tag", test_other_tag);
    return g_test_run();
}
