/* What agents of other hosts tell: found by host, process and thread, for as long as it is fresh. */
#include "live/remote.h"

static void take(DtRemote *remote, const char *host, const guint32 *pids, guint count, gint64 now_us)
{
    g_autoptr(GArray) processes = dt_node_processes_new();
    for (guint p = 0; p < count; p++) {
        DtNodeProcess process = {pids[p], 7, p == 1, g_array_new(FALSE, TRUE, sizeof(DtNodeThread))};
        for (guint32 t = 0; t < 4; t++) {
            const DtNodeThread thread = {t / 2, t % 2 == 1, 0, pids[p] * 10 + t, {TRUE, TRUE, 'S', 0, 0, 0}};
            g_array_append_val(process.threads, thread);
        }
        g_array_append_val(processes, process);
    }
    dt_remote_take(remote, host, processes, now_us);
}

static void test_found(void)
{
    g_autoptr(DtRemote) remote = dt_remote_new();
    const guint32 pids[] = {300, 100, 200};
    gint64 heard_us = 0;
    take(remote, "n2", pids, 3, 1000);
    for (guint p = 0; p < 3; p++)
        for (guint32 t = 0; t < 4; t++) {
            const DtNodeThread *thread = dt_remote_thread(remote, "n2", pids[p], 7, t % 2 == 1, t / 2, 1000, &heard_us);
            g_assert_cmpuint(thread->words, ==, pids[p] * 10 + t);
            g_assert_cmpint(heard_us, ==, 1000);
        }
    g_assert_true(dt_remote_process(remote, "n2", 100, 7, 1000)->is_gone);
    g_assert_false(dt_remote_process(remote, "n2", 200, 7, 1000)->is_gone);
    g_assert_null(dt_remote_process(remote, "n2", 100, 8, 1000)); /* another one of that number */
    g_assert_null(dt_remote_process(remote, "n2", 101, 7, 1000));
    g_assert_null(dt_remote_process(remote, "n3", 100, 7, 1000));
    g_assert_null(dt_remote_thread(remote, "n2", 100, 7, FALSE, 2, 1000, NULL));
}

static void test_old(void)
{
    g_autoptr(DtRemote) remote = dt_remote_new();
    const guint32 pids[] = {300, 100};
    const gint64 last = DT_REMOTE_OLD_SECONDS * G_USEC_PER_SEC;
    take(remote, "n2", pids, 2, 0);
    g_assert_nonnull(dt_remote_process(remote, "n2", 300, 7, last));
    g_assert_null(dt_remote_process(remote, "n2", 300, 7, last + 1));
    g_assert_null(dt_remote_thread(remote, "n2", 300, 7, FALSE, 0, last + 1, NULL));
    take(remote, "n2", pids + 1, 1, last);
    g_assert_nonnull(dt_remote_process(remote, "n2", 100, 7, last + 1));
    g_assert_null(dt_remote_process(remote, "n2", 300, 7, last + 1)); /* it was not told of again */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/live/remote/found", test_found);
    g_test_add_func("/live/remote/old", test_old);
    return g_test_run();
}
