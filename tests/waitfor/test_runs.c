/* Two ranks that hang or die, as the writer writes them: what is said of them. */
#include <signal.h>
#include <string.h>

#include "support/test_run.h"
#include "waitfor/waitfor.h"
#include "writer/writer.h"

enum { FIRST_END = 1000, SECOND_END = 2000 };

typedef struct {
    char *path;
    DtRunWriter *writer;
    DtProcessWriter *process[2];
    DtImageWriter *image[2];
    DtThreadWriter *thread[2];
    guint32 symbols[2];
    DtFunctions *functions;
    DtRun *run;
    DtWaitFor *waits;
} Pair;

static Pair *pair_new(void)
{
    static const gint32 members[] = {0, 1};
    Pair *pair = g_new0(Pair, 1);
    pair->path = dt_temporary_directory();
    pair->writer = dt_run_writer_new(pair->path);
    for (gint r = 0; r < 2; r++) {
        pair->process[r] = dt_run_writer_process(pair->writer);
        struct dt_file_header *header = dt_process_writer_header(pair->process[r]);
        header->rank = r;
        header->world_size = 2;
        header->pid = 100 + (guint32)r;
        header->flags |= DT_FILE_MPI_INITIALISED;
        header->end_state = DT_PROCESS_RUNNING;
        const struct dt_communicator world = {
            .parent = DT_COMMUNICATOR_NONE, .key = 5, .rank = r, .size = 2, .remote_size = -1};
        dt_process_writer_communicator(pair->process[r], &world, members);
        pair->image[r] = dt_process_writer_image(pair->process[r], "/usr/lib/libmpi.so.40", DT_IMAGE_API_ONLY);
        pair->thread[r] = dt_process_writer_thread(pair->process[r], DT_THREAD_APP, 0);
    }
    return pair;
}

static void pair_free(Pair *pair)
{
    dt_wait_for_free(pair->waits);
    g_clear_pointer(&pair->run, dt_run_free);
    g_clear_pointer(&pair->functions, dt_functions_unref);
    dt_run_writer_free(pair->writer);
    dt_remove_tree(pair->path);
    g_free(pair->path);
    g_free(pair);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pair, pair_free)

/* Enters a call with its arguments; of the kind 0: there is none. */
static void enter(Pair *pair, guint rank, const char *name, gint64 first, gint64 second, gint64 third)
{
    const gint64 arguments[] = {dt_argument(DT_ARGUMENT_COMMUNICATOR, 0), first, second, third};
    guint count = 1;
    while (count < G_N_ELEMENTS(arguments) && arguments[count] != 0)
        count++;
    guint32 symbol =
        dt_image_writer_symbol(pair->image[rank], name, 0x1000u + 16 * pair->symbols[rank]++, 8, DT_FUNCTION_API);
    guint32 function = dt_process_writer_function(pair->process[rank], pair->image[rank], symbol, DT_FUNCTION_API);
    if (!g_str_equal(name, "MPI_Finalize"))
        function = dt_process_writer_signature(pair->process[rank], function, arguments, count);
    dt_thread_writer_event(pair->thread[rank], function);
}

static void leave(Pair *pair, guint rank)
{
    dt_thread_writer_event(pair->thread[rank], DT_WORD_RETURN);
}

static gint64 to_other(void)
{
    return dt_argument(DT_ARGUMENT_TO, 1);
}

static gint64 from_other(void)
{
    return dt_argument(DT_ARGUMENT_FROM, 1);
}

static gint64 tag(gint64 value)
{
    return dt_argument(DT_ARGUMENT_TAG, value);
}

static gint64 ints(gint64 count)
{
    return dt_argument_data(DT_ARGUMENT_DATA, count, 4);
}

static void judge(Pair *pair)
{
    g_autoptr(GError) error = NULL;
    static const char *const command[] = {"program", NULL};
    g_assert_true(dt_run_writer_end(pair->writer, "test", command, &error));
    pair->functions = dt_functions_new();
    pair->run = dt_run_open(pair->path, pair->functions, &error);
    g_assert_no_error(error);
    pair->waits = dt_wait_for_new(pair->run, 1, &error);
    g_assert_no_error(error);
    g_test_message("%s", pair->waits->summary);
}

static const DtWaiter *waiter(const Pair *pair, guint rank)
{
    return g_ptr_array_index(pair->waits->waiters, rank);
}

static void check_says(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        g_error("'%s' does not say '%s'", text, part);
}

static void check_waits_for(const Pair *pair, guint rank, guint other)
{
    g_assert_cmpuint(waiter(pair, rank)->waits_for->len, ==, 1);
    g_assert_cmpuint(g_array_index(waiter(pair, rank)->waits_for, guint, 0), ==, other);
}

/* Rank 0 sent with another tag and is in MPI_Finalize. */
static void test_finalize(void)
{
    g_autoptr(Pair) pair = pair_new();
    enter(pair, 0, "MPI_Send", to_other(), tag(1), ints(1));
    leave(pair, 0);
    enter(pair, 0, "MPI_Finalize", 0, 0, 0);
    enter(pair, 1, "MPI_Recv", from_other(), tag(2), ints(1));
    judge(pair);
    check_waits_for(pair, 0, 1);
    check_waits_for(pair, 1, 0);
    check_says(waiter(pair, 0)->reason, "sends messages with tag 1 to rank 1, which waits for tag 2");
}

static void test_dead(void)
{
    g_autoptr(Pair) pair = pair_new();
    for (guint r = 0; r < 2; r++) {
        struct dt_file_header *header = dt_process_writer_header(pair->process[r]);
        header->end_state = DT_PROCESS_SIGNAL;
        header->end_status = r == 1 ? SIGSEGV : SIGTERM;
        header->end_monotonic_ns = header->start_monotonic_ns + (r == 1 ? FIRST_END : SECOND_END);
        enter(pair, r, "MPI_Recv", from_other(), tag(1), ints(1));
    }
    judge(pair);
    g_assert_cmpuint(pair->waits->cycles->len, ==, 0);
    g_assert_cmpfloat(waiter(pair, 1)->blame, ==, 1);
    g_assert_cmpint(waiter(pair, 1)->status, ==, DT_STATUS_CRASHED);
    g_assert_cmpint(waiter(pair, 0)->status, ==, DT_STATUS_KILLED);
    check_says(pair->waits->summary, "1 waits; to blame is 1.0: 1 waits for it, but it died of signal 11");
}

static void test_aborted(void)
{
    g_autoptr(Pair) pair = pair_new();
    dt_process_writer_header(pair->process[1])->end_state = DT_PROCESS_EXITED;
    dt_process_writer_header(pair->process[1])->end_status = 6;
    enter(pair, 0, "MPI_Recv", from_other(), tag(1), ints(1));
    enter(pair, 1, "MPI_Send", dt_argument_special(DT_ARGUMENT_TO, DT_SPECIAL_UNKNOWN), tag(1), ints(1));
    judge(pair);
    g_assert_cmpint(waiter(pair, 1)->status, ==, DT_STATUS_ABORTED);
    check_says(waiter(pair, 1)->end, "aborted in MPI_Send with status 6 (MPI_ERR_RANK)");
    g_assert_cmpfloat(waiter(pair, 1)->blame, ==, 1);
}

/* A library of MPI that cannot start exits with 1, which is the class MPI_ERR_BUFFER as well. */
static void test_aborted_for_another_reason(void)
{
    g_autoptr(Pair) pair = pair_new();
    dt_process_writer_header(pair->process[1])->end_state = DT_PROCESS_EXITED;
    dt_process_writer_header(pair->process[1])->end_status = 1;
    enter(pair, 1, "MPI_Barrier", 0, 0, 0);
    judge(pair);
    g_assert_cmpstr(waiter(pair, 1)->end, ==, "aborted in MPI_Barrier with status 1");
}

/* The note of the last call tells the tag; it was another one before. */
static void test_varying_tag(void)
{
    g_autoptr(Pair) pair = pair_new();
    const gint64 varies = dt_argument_special(DT_ARGUMENT_TAG, DT_SPECIAL_VARIES);
    for (gint64 t = 40; t < 43; t++) {
        const gint64 noted[] = {2, t};
        enter(pair, 0, "MPI_Recv", from_other(), varies, ints(1));
        dt_thread_writer_note(pair->thread[0], DT_NOTE_PARAMETER, noted, G_N_ELEMENTS(noted), NULL);
        if (t < 42)
            leave(pair, 0);
    }
    enter(pair, 1, "MPI_Barrier", 0, 0, 0);
    judge(pair);
    g_assert_cmpstr(waiter(pair, 0)->what, ==, "a message from rank 1 with tag 42");
}

static void test_roots(void)
{
    g_autoptr(Pair) pair = pair_new();
    for (guint r = 0; r < 2; r++)
        enter(pair, r, "MPI_Bcast", dt_argument(DT_ARGUMENT_ROOT, (gint64)r), ints(1), 0);
    judge(pair);
    check_says(waiter(pair, 0)->reason, "is MPI_Bcast with root 0, that of rank 1 is MPI_Bcast with root 1");
    check_says(waiter(pair, 1)->reason, "is MPI_Bcast with root 1, that of rank 0 is MPI_Bcast with root 0");
}

/* Both left the broadcast, which did not move the same. */
static void test_bytes(void)
{
    g_autoptr(Pair) pair = pair_new();
    for (guint r = 0; r < 2; r++) {
        enter(pair, r, "MPI_Bcast", dt_argument(DT_ARGUMENT_ROOT, 0), ints(10 + (gint64)r), 0);
        leave(pair, r);
        enter(pair, r, "MPI_Recv", from_other(), tag(1), ints(1));
    }
    judge(pair);
    check_says(waiter(pair, 0)->reason, "MPI_Bcast of 40 bytes, that of rank 1 is MPI_Bcast of 44 bytes");
}

/* What rank 0 sends has been asked for: only rank 1 waits. */
static void test_posted(void)
{
    g_autoptr(Pair) pair = pair_new();
    enter(pair, 0, "MPI_Send", to_other(), tag(1), ints(1));
    enter(pair, 1, "MPI_Irecv", from_other(), tag(1), ints(1));
    leave(pair, 1);
    enter(pair, 1, "MPI_Recv", from_other(), tag(2), ints(1));
    judge(pair);
    g_assert_cmpint(waiter(pair, 0)->mode, ==, DT_WAIT_RUNS);
    g_assert_cmpuint(waiter(pair, 0)->waits_for->len, ==, 0);
    check_waits_for(pair, 1, 0);
    g_assert_cmpuint(pair->waits->cycles->len, ==, 0);
}

/* While a question is open, what was asked before may still come. */
static void test_open_question(void)
{
    g_autoptr(Pair) pair = pair_new();
    enter(pair, 0, "MPI_Iprobe", from_other(), tag(1), 0);
    leave(pair, 0);
    enter(pair, 0, "MPI_Iprobe", from_other(), tag(2), 0);
    enter(pair, 1, "MPI_Barrier", 0, 0, 0);
    judge(pair);
    g_assert_cmpstr(waiter(pair, 0)->what, ==, "a message from rank 1");
}

/* A call without arguments is not missing any. */
static void test_no_arguments(void)
{
    g_autoptr(Pair) pair = pair_new();
    enter(pair, 0, "MPI_Finalize", 0, 0, 0);
    judge(pair);
    g_assert_false(pair->waits->lacks_arguments);
    check_waits_for(pair, 0, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/waits/runs/finalize", test_finalize);
    g_test_add_func("/waits/runs/dead", test_dead);
    g_test_add_func("/waits/runs/aborted", test_aborted);
    g_test_add_func("/waits/runs/aborted-otherwise", test_aborted_for_another_reason);
    g_test_add_func("/waits/runs/varying-tag", test_varying_tag);
    g_test_add_func("/waits/runs/roots", test_roots);
    g_test_add_func("/waits/runs/bytes", test_bytes);
    g_test_add_func("/waits/runs/posted", test_posted);
    g_test_add_func("/waits/runs/open-question", test_open_question);
    g_test_add_func("/waits/runs/no-arguments", test_no_arguments);
    return g_test_run();
}
