/*
 * Runs that a time limit ended while they still got on: they are compared as far as both came, and a fault before that
 * is found. Played by the simulator.
 */
#include <string.h>

#include "played_case.h"
#include "programs.h"

enum { RANKS = 8, STEPS = 40, CULPRIT = 3, EARLY = 5, HALF = 160, LESS = 120 };

static const Bug no_bug = {FAULT_NONE, 0, 0};

/* A run that is cut off after so many operations; 0: never. */
static Simulator *run_of(guint operations, Bug bug)
{
    Simulator *simulator = stencil(RANKS, STEPS, bug);
    if (operations > 0)
        simulator_cut(simulator, operations, 1);
    return simulator;
}

/* Judges a run by normal ones; where each of them is cut off. */
static Case *compare(const guint *normals, guint count, guint faulty, Bug bug)
{
    Case *self = case_new();
    for (guint i = 0; i < count; i++)
        case_add_normal(self, run_of(normals[i], no_bug));
    case_judge(self, run_of(faulty, bug));
    g_test_message("%s", self->verdict->verdict);
    return self;
}

static const struct {
    const char *name, *says; /* before everything else */
    guint normals[3], count, faulty;
} cuts[] = {
    {"faulty", "a time limit ended the faulty run while it was still making progress", {0}, 1, HALF},
    {"normal", "a time limit ended 1 of 1 normal runs while it was still making progress", {HALF}, 1, 0},
    {"both", "a time limit ended 1 of 1 normal runs", {HALF}, 1, LESS},
    {"both-normal-shorter", "a time limit ended 1 of 1 normal runs", {LESS}, 1, HALF},
    {"faulty-of-three", "a time limit ended the faulty run", {0, 0, 0}, 3, HALF},
    {"one-normal-of-three", "a time limit ended 1 of 3 normal runs", {0, HALF, 0}, 3, 0},
    {"all-normals", "a time limit ended 3 of 3 normal runs", {HALF, LESS, HALF}, 3, 0},
    {"all", "a time limit ended 3 of 3 normal runs", {HALF, LESS, HALF}, 3, LESS},
};

/* What one has beyond the end of the other is no difference. */
static void test_good_runs(gconstpointer data)
{
    const guint i = GPOINTER_TO_UINT(data);
    g_autoptr(Case) self = compare(cuts[i].normals, cuts[i].count, cuts[i].faulty, no_bug);
    g_assert_true(g_str_has_prefix(self->verdict->verdict, cuts[i].says));
    g_assert_nonnull(strstr(self->verdict->verdict,
                            cuts[i].faulty || cuts[i].count == 1 ? "no difference up to there" : "no difference"));
    g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
    g_assert_cmpint(self->verdict->scope, ==, DT_SCOPE_NONE);
    g_assert_false(self->verdict->failed);
}

static void test_fault_before_it(gconstpointer data)
{
    const guint i = GPOINTER_TO_UINT(data);
    const Bug bug = {FAULT_EXTRA_CALLS, CULPRIT, EARLY};
    g_autoptr(Case) self = compare(cuts[i].normals, cuts[i].count, cuts[i].faulty, bug);
    g_assert_true(g_str_has_prefix(self->verdict->verdict, cuts[i].says));
    g_assert_cmpstr(suspect_at(self, 0)->label, ==, "3.0");
    g_assert_cmpint(suspect_at(self, 0)->level, ==, DT_LEVEL_SUSPECT);
    g_assert_cmpint(suspect_at(self, 0)->status, ==, cuts[i].faulty ? DT_STATUS_RUNNING : DT_STATUS_FINISHED);
    for (guint other = 1; other < self->verdict->suspects->len; other++)
        g_assert_cmpint(suspect_at(self, other)->level, !=, DT_LEVEL_SUSPECT);
}

/* What a run that is whole proves is not lost with one that is not. */
static void test_fault_behind_it(void)
{
    const Bug late = {FAULT_EXTRA_CALLS, CULPRIT, STEPS - 5};
    g_autoptr(Case) one = compare((const guint[]){HALF}, 1, 0, late);
    g_assert_cmpuint(one->verdict->suspects->len, ==, 0);
    g_autoptr(Case) three = compare((const guint[]){HALF, 0, 0}, 3, 0, late);
    g_assert_cmpstr(suspect_at(three, 0)->label, ==, "3.0");
    g_assert_cmpint(suspect_at(three, 0)->level, ==, DT_LEVEL_SUSPECT);
}

/* It needs no run to compare with. */
static void test_crash_behind_it(void)
{
    g_autoptr(Case) self = compare((const guint[]){HALF}, 1, 0, (Bug){FAULT_CRASH, CULPRIT, STEPS - 5});
    g_assert_cmpstr(suspect_at(self, 0)->label, ==, "3.0");
    g_assert_cmpint(suspect_at(self, 0)->level, ==, DT_LEVEL_SUSPECT);
    g_assert_cmpint(suspect_at(self, 0)->status, ==, DT_STATUS_CRASHED);
    g_assert_true(self->verdict->failed);
}

/* One that goes on for ever holds up the others: that run was not cut off. */
static void test_one_that_goes_on(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, run_of(0, no_bug));
    Simulator *faulty = stencil(RANKS, STEPS, (Bug){FAULT_SPIN, CULPRIT, EARLY});
    faulty->moves = TRUE;
    case_judge(self, faulty);
    g_assert_null(strstr(self->verdict->verdict, "making progress"));
    g_assert_cmpstr(suspect_at(self, 0)->label, ==, "3.0");
    g_assert_cmpint(suspect_at(self, 0)->level, ==, DT_LEVEL_SUSPECT);
}

/* Threads that had not come yet when the normal run ended are no difference. */
static void test_threads_that_come_later(void)
{
    g_autoptr(Case) self = case_new();
    Simulator *normal = hybrid(RANKS, 0);
    simulator_cut(normal, 2, 0);
    case_add_normal(self, normal);
    case_judge(self, hybrid(RANKS, 2));
    g_test_message("%s", self->verdict->verdict);
    g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
}

/* What is taken off as auxiliary shifts the end of one of them. */
static void test_other_options(void)
{
    static const Op reads_option = {OP_CALL, "getenv", 0};
    for (guint cut_normal = 0; cut_normal < 2; cut_normal++) {
        g_autoptr(Case) self = case_new();
        case_add_normal(self, run_of(cut_normal ? HALF : 0, no_bug));
        Simulator *faulty = run_of(cut_normal ? 0 : HALF, no_bug);
        for (guint i = 0; i < faulty->actors->len; i++)
            g_array_insert_val(((Actor *)faulty->actors->pdata[i])->ops, 2, reads_option);
        case_judge(self, faulty);
        g_test_message("%s", self->verdict->verdict);
        g_assert_null(strstr(self->verdict->verdict, "step"));
        for (guint i = 0; i < self->verdict->suspects->len; i++)
            g_assert_cmpint(suspect_at(self, i)->level, !=, DT_LEVEL_SUSPECT);
    }
}

/* One process, whose first thread hands out work and sleeps in between. */
static Simulator *queue(guint operations)
{
    enum { TASKS = 60 };
    Simulator *simulator = simulator_new(FALSE);
    for (guint thread = 0; thread < 3; thread++) {
        Actor *actor = simulator_actor(simulator, 0, thread);
        actor_do(actor, OP_ENTER, thread == 0 ? "main" : "run", 0);
        for (guint task = 0; task < TASKS; task++) {
            actor_do(actor, OP_CALL, thread == 0 ? "pthread_cond_signal" : "work", 0);
            actor_do(actor, OP_CALL, thread == 0 ? "usleep" : "store", 0);
        }
        actor_do(actor, OP_LEAVE, NULL, 0);
    }
    if (operations > 0)
        simulator_cut(simulator, operations, 0);
    return simulator;
}

/* Who wakes others is not one who only asks for ever. */
static void test_threads_that_wake(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, queue(0));
    case_judge(self, queue(LESS / 2));
    g_test_message("%s", self->verdict->verdict);
    g_assert_true(g_str_has_prefix(self->verdict->verdict, "a time limit ended the faulty run"));
    g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(cuts); i++) {
        g_autofree char *good = g_strconcat("/verdict/cut-off/good/", cuts[i].name, NULL);
        g_autofree char *fault = g_strconcat("/verdict/cut-off/fault-before/", cuts[i].name, NULL);
        g_test_add_data_func(good, GUINT_TO_POINTER(i), test_good_runs);
        g_test_add_data_func(fault, GUINT_TO_POINTER(i), test_fault_before_it);
    }
    g_test_add_func("/verdict/cut-off/fault-behind", test_fault_behind_it);
    g_test_add_func("/verdict/cut-off/crash-behind", test_crash_behind_it);
    g_test_add_func("/verdict/cut-off/goes-on", test_one_that_goes_on);
    g_test_add_func("/verdict/cut-off/threads", test_threads_that_come_later);
    g_test_add_func("/verdict/cut-off/other-options", test_other_options);
    g_test_add_func("/verdict/cut-off/threads-that-wake", test_threads_that_wake);
    return g_test_run();
}
