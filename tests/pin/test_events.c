/* Streams of calls, returns and threads as a tool would tell them, and what the run says afterwards. Each runs in a
 * process of its own, as the engine serves one; stack pointers are made up. */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "decoder/event_text.h"
#include "engine.h"
#include "record/thread.h"
#include "support/test_run.h"

/* ---- the tool -------------------------------------------------------------------------------- */

static struct dt_own *running;

struct dt_own *dt_own(void)
{
    return running;
}

/* Functions to be called; never run. */
#define FUNCTION(name)                                                                                                 \
    void name(void);                                                                                                   \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        __asm__ volatile("# " #name ::: "memory");                                                                     \
    }
FUNCTION(alpha)
FUNCTION(beta)
FUNCTION(gamma_)
FUNCTION(MPI_Send)
FUNCTION(MPI_Isend)
FUNCTION(MPI_Init)
FUNCTION(handler)

#define TOP 0x7ffd00100000u /* of a stack that nothing is at */

static uint64_t function_of(void (*function)(void))
{
    uint64_t index = dt_engine_function_at((uint64_t)function);
    g_assert_cmpuint(index, !=, DT_ENGINE_NONE);
    return index;
}

/* Depth in bytes below the top of the stack. */
static void call(void (*function)(void), uint64_t depth)
{
    dt_engine_call(function_of(function), TOP - depth, 0);
}

static void ret(uint64_t depth)
{
    dt_engine_return(TOP - depth);
}

static struct dt_own *start_thread(uint64_t sp)
{
    running = dt_engine_own_new();
    dt_engine_thread_starts(sp);
    return running;
}

/* ---- scenarios ------------------------------------------------------------------------------- */

static void plain(void)
{
    call(alpha, 16);
    call(beta, 64);
    ret(64);
    call(gamma_, 64);
    ret(64);
    ret(16);
}

static void lost_return(void)
{
    call(alpha, 16);
    call(beta, 64);
    call(gamma_, 128);
    ret(16);
    call(beta, 16);
}

/* From gamma back into alpha, which calls again above where beta was. */
static void longjmp_away(void)
{
    call(alpha, 16);
    call(beta, 64);
    call(gamma_, 128);
    call(beta, 48);
    ret(48);
    ret(16);
}

static void tail_calls(void)
{
    call(alpha, 16);
    for (int i = 0; i < 3; i++) {
        call(beta, 64);
        call(gamma_, 64);
    }
    ret(64);
    ret(16);
}

/* A function that is not recorded returns between: nobody's return. */
static void foreign_returns(void)
{
    call(alpha, 16);
    ret(48);
    ret(64);
    call(beta, 32);
    ret(80);
    ret(32);
    ret(16);
    ret(8);
}

static void signal_on_own_stack(void)
{
    call(alpha, 16);
    call(handler, 1024);
    call(beta, 1100);
    ret(1100);
    ret(1024);
    ret(16);
}

/* The handler's stack lies above the thread's; beta is called there, and siglongjmp leaves both. */
static void signal_on_other_stack(void)
{
    call(alpha, 16);
    dt_engine_call(function_of(handler), TOP + 0x100000, 0);
    dt_engine_call(function_of(beta), TOP + 0x0ff000, 0);
    dt_engine_return(TOP + 0x0ff000);
    dt_engine_return(TOP + 0x100000);
    call(gamma_, 64);
    ret(64);
    dt_engine_call(function_of(handler), TOP + 0x100000, 0);
    dt_engine_call(function_of(beta), TOP + 0x0ff000, 0);
    call(gamma_, 64);
    ret(64);
    ret(16);
}

/* Of nested calls of MPI the outermost is recorded. */
static void nested_api_calls(void)
{
    call(MPI_Init, 16);
    ret(16);
    call(MPI_Send, 16);
    call(MPI_Isend, 64);
    ret(64);
    ret(16);
    call(MPI_Isend, 16);
}

/* Many batches, segments and chunks. */
static void many(void)
{
    call(alpha, 16);
    for (int i = 0; i < 30000; i++) {
        call(i % 3 ? beta : gamma_, 64);
        if (i % 7)
            ret(64);
    }
}

static void threads(void)
{
    struct dt_own *main_thread = running;
    call(alpha, 16);
    dt_engine_thread_creating();
    dt_engine_thread_creating();
    dt_engine_thread_creating();
    dt_engine_thread_not_created();
    struct dt_own *first = start_thread(TOP - 0x100000);
    struct dt_own *second = start_thread(TOP - 0x200000);
    running = first;
    call(beta, 0x100010);
    running = second;
    call(gamma_, 0x200010);
    running = first;
    ret(0x100010);
    dt_engine_thread_ends();
    g_assert_null(first->state);
    call(beta, 0x100010);                   /* its last destructors: not recorded */
    running = start_thread(TOP - 0x300000); /* nobody saw it made */
    call(handler, 0x300010);
    running = main_thread;
    ret(16);
}

static void forks(void)
{
    call(alpha, 16);
    call(beta, 64);
    pid_t child = fork();
    if (child == 0) {
        dt_engine_forked();
        ret(64);
        call(gamma_, 64);
        dt_engine_exits(3);
        _exit(0);
    }
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    ret(64);
    ret(16);
}

static void dies(void)
{
    call(alpha, 16);
    dt_engine_killed(11);
    dt_engine_exits(0);
}

/* ---- running them ---------------------------------------------------------------------------- */

static int add_image(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
    gboolean *main_image = data;
    dt_engine_image_loaded(*main_image ? path : info->dlpi_name, info->dlpi_addr, *main_image);
    *main_image = FALSE;
    return 0;
}

static void record(const char *path, void (*scenario)(void))
{
    g_setenv("DIFFTRACE_RUN", path, TRUE);
    g_setenv("DIFFTRACE_IMAGES", "main", TRUE);
    running = dt_engine_own_new();
    if (!dt_engine_start())
        _exit(1);
    gboolean main_image = TRUE;
    dl_iterate_phdr(add_image, &main_image);
    start_thread(TOP);
    scenario();
    dt_engine_exits(0);
    _exit(0);
}

typedef struct {
    char *path;
    DtFunctions *functions;
    DtRun *run;
} Recorded;

static void recorded_clear(Recorded *recorded)
{
    dt_run_free(recorded->run);
    dt_functions_unref(recorded->functions);
    dt_remove_tree(recorded->path);
    g_free(recorded->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Recorded, recorded_clear)

static Recorded run_scenario(void (*scenario)(void))
{
    Recorded recorded = {.path = dt_temporary_directory(), .functions = dt_functions_new()};
    static const char *const folders[] = {"processes", "images"};
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *folder = g_build_filename(recorded.path, folders[i], NULL);
        g_assert_cmpint(g_mkdir(folder, 0777), ==, 0);
    }
    g_autofree char *marker = g_build_filename(recorded.path, ".difftrace", NULL);
    g_assert_true(g_file_set_contents(marker, "", 0, NULL));
    pid_t child = fork();
    if (child == 0)
        record(recorded.path, scenario);
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
    g_autoptr(GError) error = NULL;
    recorded.run = dt_run_open(recorded.path, recorded.functions, &error);
    g_assert_no_error(error);
    /* There is no collector to write one. */
    const GPtrArray *problems = dt_run_problems(recorded.run);
    g_assert_cmpuint(problems->len, ==, 1);
    g_assert_nonnull(strstr(g_ptr_array_index(problems, 0), "manifest"));
    return recorded;
}

static void assert_trace(const Recorded *recorded, const char *label, const char *expected)
{
    g_autofree char *problem = NULL;
    const DtTrace *trace = dt_run_find_trace(recorded->run, label);
    g_assert_nonnull(trace);
    g_autofree char *text = dt_event_text(recorded->run, trace, 100, &problem);
    g_assert_null(problem);
    g_assert_cmpstr(text, ==, expected);
}

typedef struct {
    const char *name;
    void (*scenario)(void);
    const char *expected;
} Case;

static const Case cases[] = {
    {"plain", plain, "alpha beta < gamma_ < <"},
    {"lost-return", lost_return, "alpha beta gamma_ < < < beta"},
    {"longjmp", longjmp_away, "alpha beta gamma_ < < beta < <"},
    {"tail-calls", tail_calls, "alpha beta < gamma_ < beta < gamma_ < beta < gamma_ < <"},
    {"foreign-returns", foreign_returns, "alpha beta < <"},
    {"signal-own-stack", signal_on_own_stack, "alpha handler beta < < <"},
    {"signal-other-stack", signal_on_other_stack, "alpha handler beta < < gamma_ < handler beta < < gamma_ < <"},
    {"nested-api-calls", nested_api_calls, "MPI_Init < MPI_Send < MPI_Isend"},
};

static void test_case(gconstpointer data)
{
    const Case *this = data;
    g_auto(Recorded) recorded = run_scenario(this->scenario);
    g_assert_cmpuint(dt_run_trace_count(recorded.run), ==, 1);
    assert_trace(&recorded, "0.0", this->expected);
    const DtProcess *process = dt_run_process(recorded.run, 0);
    g_assert_cmpint(process->end, ==, DT_END_EXITED);
    g_assert_cmpint(process->called_mpi_init, ==, this->scenario == nested_api_calls);
}

static void test_many(void)
{
    g_auto(Recorded) recorded = run_scenario(many);
    g_autoptr(GString) expected = g_string_new("alpha");
    for (int i = 0; i < 30000; i++) {
        if (i > 0)
            g_string_append(expected, " <");
        g_string_append(expected, i % 3 ? " beta" : " gamma_");
    }
    g_string_append(expected, 29999 % 7 ? " <" : "");
    assert_trace(&recorded, "0.0", expected->str);
}

static void test_threads(void)
{
    g_auto(Recorded) recorded = run_scenario(threads);
    g_assert_cmpuint(dt_run_trace_count(recorded.run), ==, 4);
    assert_trace(&recorded, "0.0", "alpha <");
    assert_trace(&recorded, "0.1", "beta <");
    assert_trace(&recorded, "0.2", "gamma_");
    assert_trace(&recorded, "0.a", "handler");
    g_assert_true(dt_run_find_trace(recorded.run, "0.1")->returned);
    g_assert_false(dt_run_find_trace(recorded.run, "0.2")->returned);
}

static void test_forks(void)
{
    g_auto(Recorded) recorded = run_scenario(forks);
    g_assert_cmpuint(dt_run_process_count(recorded.run), ==, 2);
    guint parent = dt_run_process(recorded.run, 0)->status == 0 ? 0 : 1, child = 1 - parent;
    g_assert_cmpint(dt_run_process(recorded.run, child)->status, ==, 3);
    assert_trace(&recorded, dt_run_trace(recorded.run, parent)->label, "alpha beta < <");
    assert_trace(&recorded, dt_run_trace(recorded.run, child)->label, "alpha beta < gamma_");
}

static void test_dies(void)
{
    g_auto(Recorded) recorded = run_scenario(dies);
    g_assert_cmpint(dt_run_process(recorded.run, 0)->end, ==, DT_END_SIGNAL);
    g_assert_cmpint(dt_run_process(recorded.run, 0)->status, ==, 11);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *name = g_strconcat("/pin/events/", cases[i].name, NULL);
        g_test_add_data_func(name, &cases[i], test_case);
    }
    g_test_add_func("/pin/events/many", test_many);
    g_test_add_func("/pin/events/threads", test_threads);
    g_test_add_func("/pin/events/forks", test_forks);
    g_test_add_func("/pin/events/dies", test_dies);
    return g_test_run();
}
