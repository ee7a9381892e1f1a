/* Processes that were not recorded: told in files and logs, proved wrong by later files, damaged. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "format/unrecorded.h"
#include "store/store.h"
#include "support/random.h"
#include "support/test_run.h"

typedef struct {
    char *path, *file, *log;
    guint pid, other_pid; /* of the two processes there are */
    guint64 other_start;
    char *host;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->path = dt_temporary_directory();
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, -1), *other = dt_test_run_process(writer, -1);
    process->end_state = DT_PROCESS_EXEC;
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "main");
    dt_test_thread_events(dt_test_process_thread(other, DT_THREAD_APP, 0), "main");
    g_autofree char *name = dt_test_process_file(process);
    fixture->file = g_build_filename(fixture->path, name, NULL);
    fixture->log = g_build_filename(fixture->path, "unrecorded.log", NULL);
    fixture->pid = process->pid;
    fixture->other_pid = other->pid;
    fixture->other_start = other->start_ns;
    fixture->host = g_strdup(process->host);
    dt_test_run_finish(writer);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->path);
    g_free(fixture->path);
    g_free(fixture->file);
    g_free(fixture->log);
    g_free(fixture->host);
}

static void put(const Fixture *fixture, guint place, guint pid, guint32 reason, guint64 time_ns, const char *executable)
{
    struct dt_unrecorded record = {.pid = pid, .reason = reason, .monotonic_ns = time_ns};
    memcpy(record.executable, executable, MIN(strlen(executable), sizeof(record.executable)));
    record.check = dt_unrecorded_check(&record);
    int file = open(fixture->file, O_WRONLY | O_CLOEXEC);
    off_t at = (off_t)(DT_UNRECORDED_OFFSET + place * sizeof(record));
    g_assert_cmpint(pwrite(file, &record, sizeof(record), at), ==, sizeof(record));
    close(file);
}

/* "pid reason executable", one a line. */
static char *told(const Fixture *fixture, guint problems)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(fixture->path, functions, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, problems);
    GString *text = g_string_new(NULL);
    const GPtrArray *unrecorded = dt_run_unrecorded(run);
    for (guint i = 0; i < unrecorded->len; i++) {
        const DtUnrecorded *process = unrecorded->pdata[i];
        g_string_append_printf(text, "%u %s %s\n", process->pid, process->reason,
                               process->executable ? process->executable : "-");
    }
    return g_string_free(text, FALSE);
}

static void assert_told(const Fixture *fixture, const char *expected)
{
    g_autofree char *text = told(fixture, 0);
    g_assert_cmpstr(text, ==, expected);
}

static void test_nothing(Fixture *fixture, gconstpointer data)
{
    (void)data;
    assert_told(fixture, "");
}

static void test_in_file(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *longest = g_strnfill(sizeof(((struct dt_unrecorded *)NULL)->executable), 'x');
    g_autofree char *expected = g_strdup_printf("77 static /bin/busybox\n78 environment cleared %s\n", longest);
    put(fixture, 1, 77, DT_UNRECORDED_STATIC, 5, "/bin/busybox");
    put(fixture, DT_UNRECORDED_RECORDS - 1, 78, DT_UNRECORDED_ENVIRONMENT, 6, longest);
    put(fixture, 2, 79, DT_UNRECORDED_ON_PURPOSE, 7, "/bin/other");
    assert_told(fixture, expected);
}

/* What the process executed itself; without a reason too. */
static void test_executed(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *expected = g_strdup_printf("%u unknown /bin/next\n", fixture->pid);
    put(fixture, 0, fixture->pid, DT_UNRECORDED_UNKNOWN, G_MAXUINT64, "/bin/next");
    assert_told(fixture, expected);
}

static void test_proved_wrong(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *expected = g_strdup_printf("%u static a\n", fixture->other_pid);
    put(fixture, 1, fixture->other_pid, DT_UNRECORDED_STATIC, fixture->other_start, "a");
    assert_told(fixture, "");
    put(fixture, 1, fixture->other_pid, DT_UNRECORDED_STATIC, fixture->other_start + 1, "a");
    assert_told(fixture, expected);
}

static void test_in_log(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const char lines[] = "node7\t5\trun directory not writable\t12\t/bin/a b\tc\n"
                                "node7\t6\tunknown\t13\t\n"
                                "node7\t7\tstatic\t14\tunfini";
    dt_write_bytes(fixture->log, lines, strlen(lines));
    assert_told(fixture, "6 unknown -\n5 run directory not writable /bin/a b\tc\n");
}

static void test_damaged_log(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const char lines[] =
        "\nx\n\t\t\t\t\nnode\t0\tstatic\t1\ta\nnode\t1\tno reason\t1\ta\nnode\t1\tstatic\t-1\ta\n"
        "node\t8\tstatic\t1\t\xff\n";
    dt_write_bytes(fixture->log, lines, strlen(lines));
    g_autofree char *text = told(fixture, 1);
    g_assert_cmpstr(text, ==, "8 static \357\277\275\n");
}

/* Of one process once: the last reason that is known. */
static void test_told_twice(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *lines =
        g_strdup_printf("%s\t77\tunknown\t9\tx\n%s\t77\tstatic\t3\tearlier\n", fixture->host, fixture->host);
    put(fixture, 1, 77, DT_UNRECORDED_PRELOAD, 5, "later");
    dt_write_bytes(fixture->log, lines, strlen(lines));
    assert_told(fixture, "77 preload replaced later\n");
}

static void test_damaged_record(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(GRand) random = dt_test_random();
    put(fixture, 1, 77, DT_UNRECORDED_STATIC, 5, "/bin/busybox");
    for (guint round = 0; round < 200; round++) {
        guint8 byte, changed;
        off_t at = (off_t)(DT_UNRECORDED_OFFSET + sizeof(struct dt_unrecorded) +
                           (gsize)g_rand_int_range(random, 0, sizeof(struct dt_unrecorded)));
        int file = open(fixture->file, O_RDWR | O_CLOEXEC);
        g_assert_cmpint(pread(file, &byte, 1, at), ==, 1);
        changed = (guint8)(byte ^ g_rand_int_range(random, 1, 256));
        g_assert_cmpint(pwrite(file, &changed, 1, at), ==, 1);
        assert_told(fixture, "");
        g_assert_cmpint(pwrite(file, &byte, 1, at), ==, 1);
        close(file);
    }
    assert_told(fixture, "77 static /bin/busybox\n");
}

static void test_lines(void)
{
    DtUnrecorded processes[9];
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    static const char *const names[] = {"/a/one", "/b/one", "two", NULL, "3", "4", "5", "6", "7"};
    for (guint i = 0; i < G_N_ELEMENTS(processes); i++) {
        processes[i] = (DtUnrecorded){.pid = i + 1, .host = "node", .executable = names[i], .reason = "static"};
        g_ptr_array_add(list, &processes[i]);
    }
    processes[2].reason = "unknown";
    g_auto(GStrv) lines = dt_unrecorded_lines(list);
    g_assert_cmpuint(g_strv_length(lines), ==, 2);
    g_assert_cmpstr(lines[0], ==, "8 processes were not recorded: static (one, 3, 4, 5, 6, ...)");
    g_assert_cmpstr(lines[1], ==, "1 process was not recorded: unknown (two)");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/store/unrecorded/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("nothing", test_nothing);
    ADD("in-file", test_in_file);
    ADD("executed", test_executed);
    ADD("proved-wrong", test_proved_wrong);
    ADD("in-log", test_in_log);
    ADD("damaged-log", test_damaged_log);
    ADD("told-twice", test_told_twice);
    ADD("damaged-record", test_damaged_record);
    g_test_add_func("/store/unrecorded/lines", test_lines);
    return g_test_run();
}
