/* Threads of a process by hand: how they are numbered. */
#include "attach/job.h"

static void add_thread(DtAttachedProcess *process, pid_t tid, gboolean library)
{
    DtAttachedThread *thread = dt_job_add_thread(process);
    thread->tid = tid;
    thread->trace.library = library;
}

static void free_thread(gpointer data)
{
    DtAttachedThread *thread = data;
    g_free((char *)thread->trace.label);
    g_array_unref(thread->frames);
    g_free(thread);
}

/* The kernel's numbers begin anew at the greatest: later threads may have smaller ones than the first. */
static void test_the_first_thread_is_number_0(void)
{
    char label[] = "7";
    DtAttachedProcess process = {.process = {.pid = 32760, .label = label},
                                 .threads = g_ptr_array_new_with_free_func(free_thread)};
    add_thread(&process, 301, FALSE);
    add_thread(&process, 302, TRUE);
    add_thread(&process, 32760, FALSE);
    add_thread(&process, 32761, TRUE);
    add_thread(&process, 300, FALSE);
    dt_job_label_threads(&process);
    const struct {
        pid_t tid;
        const char *label;
    } expected[] = {{32760, "7.0"}, {300, "7.1"}, {301, "7.2"}, {302, "7.a"}, {32761, "7.b"}};
    g_assert_cmpuint(process.threads->len, ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < process.threads->len; i++) {
        const DtAttachedThread *thread = process.threads->pdata[i];
        g_assert_cmpint(thread->tid, ==, expected[i].tid);
        g_assert_cmpstr(thread->trace.label, ==, expected[i].label);
    }
    g_ptr_array_unref(process.threads);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/attach/job/first", test_the_first_thread_is_number_0);
    return g_test_run();
}
