/* Messages by sender and receiver, of runs whose times are given. */
#include "times/links.h"

#include "timed_run.h"

static void test_links(void)
{
    g_autoptr(TimedRun) run = timed_run_new(3, NULL);
    g_autoptr(GError) error = NULL;
    guint requests[2];
    /* Under way for 20, 30 and 50: from when both were there. */
    timed_send(run, 0, "MPI_Send", 1, 1, 100, 100, 110);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 50, 120);
    timed_send(run, 0, "MPI_Send", 1, 1, 200, 200, 210);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 300, 330);
    timed_send(run, 0, "MPI_Send", 1, 2, 300, 400, 410);
    timed_receive(run, 1, "MPI_Recv", 0, 2, 350, 450);
    /* Two that one call waits for: when the first of them came nobody knows. */
    timed_receive(run, 2, "MPI_Irecv", 0, 3, 100, 110);
    requests[0] = timed_request(run, 2, FALSE);
    timed_receive(run, 2, "MPI_Irecv", 1, 3, 120, 140);
    requests[1] = timed_request(run, 2, FALSE);
    timed_requests(run, 2, "MPI_Waitall", requests, 2, 540, 1060);
    timed_send(run, 0, "MPI_Send", 2, 3, 8, 600, 610);
    timed_send(run, 1, "MPI_Send", 2, 3, 8, 1000, 1010);
    g_autoptr(DtMessages) messages = dt_messages_read(timed_run_open(run), &error);
    g_assert_no_error(error);
    g_autoptr(DtLinks) links = dt_links_new(messages);
    g_assert_cmpuint(links->links->len, ==, 3);
    g_assert_cmpuint(links->violations, ==, 0);
    const DtLink *link = dt_links_find(links, 0, 1);
    g_assert_cmpuint(link->messages, ==, 3);
    g_assert_cmpuint(link->bytes, ==, 600);
    g_assert_cmpuint(link->transfers.count, ==, 3);
    g_assert_cmpuint(link->transfers.sum, ==, 20 + 30 + 50);
    g_assert_cmpuint(link->transfers.smallest, ==, 20);
    g_assert_cmpuint(link->transfers.largest, ==, 50);
    g_assert_cmpuint(link->requests, ==, 0);
    link = dt_links_find(links, 0, 2);
    g_assert_cmpuint(link->transfers.count, ==, 0);
    g_assert_cmpuint(link->requests, ==, 1);
    g_assert_cmpuint(link->apart_ns, ==, 540 - 110);
    link = dt_links_find(links, 1, 2);
    g_assert_cmpuint(link->transfers.sum, ==, 60);
    g_assert_cmpuint(link->apart_ns, ==, 540 - 140);
    g_assert_null(dt_links_find(links, 2, 0));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/links/known", test_links);
    return g_test_run();
}
