/*
 * The verdict on runs of programs with known faults, played by the simulator.
 */
#include <string.h>

#include "played_case.h"
#include "programs.h"

static const Bug no_bug = {FAULT_NONE, 0, 0};

/* Scores descend and are in 0..1, levels follow them, everything is told in one line. */
static void check_form(const DtVerdict *verdict)
{
    double last = 1;
    DtLevel level = DT_LEVEL_SUSPECT;
    g_assert_nonnull(verdict->verdict);
    g_assert_null(strchr(verdict->verdict, '\n'));
    for (guint i = 0; i < verdict->suspects->len; i++) {
        const DtSuspect *suspect = g_ptr_array_index(verdict->suspects, i);
        g_assert_cmpfloat(suspect->score, >, 0);
        g_assert_cmpfloat(suspect->score, <=, last + 1e-9);
        g_assert_cmpint(suspect->level, !=, DT_LEVEL_NONE);
        g_assert_cmpint(suspect->level, <=, level);
        g_assert_nonnull(suspect->why);
        g_assert_null(strchr(suspect->why, '\n'));
        g_assert_cmpint(suspect->status == DT_STATUS_MISSING, ==, !suspect->trace);
        last = suspect->score;
        level = suspect->level;
    }
}

static void judge(Case *self, Simulator *faulty)
{
    case_judge(self, faulty);
    check_form(self->verdict);
    g_test_message("%s", self->verdict->verdict);
    for (guint i = 0; i < self->verdict->suspects->len; i++) {
        const DtSuspect *suspect = g_ptr_array_index(self->verdict->suspects, i);
        g_test_message("%-5s %.3f %-7s %-8s %s", suspect->label, suspect->score, dt_level_name(suspect->level),
                       dt_status_name(suspect->status), suspect->why);
    }
}

static const DtSuspect *find_suspect(const Case *self, const char *label)
{
    for (guint i = 0; i < self->verdict->suspects->len; i++) {
        if (g_str_equal(suspect_at(self, i)->label, label))
            return suspect_at(self, i);
    }
    return NULL;
}

#define assert_has(text, part) g_assert_nonnull(strstr(text, part))

/* The culprit is first, and alone there. */
static void check_first(const Case *self, const char *label, DtStatus status)
{
    const DtSuspect *first = suspect_at(self, 0);
    g_assert_cmpstr(first->label, ==, label);
    g_assert_cmpint(first->level, ==, DT_LEVEL_SUSPECT);
    g_assert_cmpint(first->status, ==, status);
    assert_has(self->verdict->verdict, label);
    if (self->verdict->suspects->len > 1)
        g_assert_cmpfloat(suspect_at(self, 1)->score, <, first->score - 1e-9);
}

/* ---- odd/even sort: the literature's two faults ------------------------------------------- */

static void check_deadlock(gboolean rendezvous)
{
    g_autoptr(Case) self = case_new();
    Simulator *normal = odd_even(16, no_bug), *faulty = odd_even(16, (Bug){FAULT_DEADLOCK, 5, 7});
    normal->rendezvous = faulty->rendezvous = rendezvous;
    case_add_normal(self, normal);
    judge(self, faulty);
    check_first(self, "5.0", DT_STATUS_STUCK);
    assert_has(suspect_at(self, 0)->why, "stuck in MPI_Recv after 7 of 16 iterations of L1");
    g_assert_cmpstr(suspect_at(self, 0)->first_difference, ==, "ends in MPI_Recv after 7 of 16 iterations of L1");
    const DtSuspect *partner = find_suspect(self, "4.0");
    g_assert_true(!partner || partner->status == DT_STATUS_STUCK);
}

static void test_deadlock_eager(void)
{
    check_deadlock(FALSE);
}

static void test_deadlock_rendezvous(void)
{
    check_deadlock(TRUE);
}

/* The place of the fault does not matter, unless nothing of it can be seen. */
static void test_deadlock_anywhere(void)
{
    for (guint culprit = 1; culprit < 15; culprit += 3) {
        for (guint iteration = 1; iteration < 15; iteration += 4) {
            g_autoptr(Case) self = case_new();
            g_autofree char *label = g_strdup_printf("%u.0", culprit);
            case_add_normal(self, odd_even(16, no_bug));
            judge(self, odd_even(16, (Bug){FAULT_DEADLOCK, culprit, iteration}));
            check_first(self, label, DT_STATUS_STUCK);
        }
    }
}

static void test_swap(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, odd_even(16, no_bug));
    judge(self, odd_even(16, (Bug){FAULT_SWAP, 5, 7}));
    check_first(self, "5.0", DT_STATUS_FINISHED);
    g_assert_cmpuint(self->verdict->suspects->len, ==, 1);
    g_assert_cmpstr(suspect_at(self, 0)->first_difference, ==, "after 7 of 16 iterations of L1: L0^9 instead");
}

/* With rendezvous the swapped order deadlocks: both partners send. */
static void test_swap_rendezvous(void)
{
    g_autoptr(Case) self = case_new();
    Simulator *normal = odd_even(16, no_bug), *faulty = odd_even(16, (Bug){FAULT_SWAP, 5, 7});
    normal->rendezvous = faulty->rendezvous = TRUE;
    case_add_normal(self, normal);
    judge(self, faulty);
    check_first(self, "5.0", DT_STATUS_STUCK);
    assert_has(suspect_at(self, 0)->why, "stuck in MPI_Send after 7 of 16 iterations of L1");
}

static void test_deadlock_alone(void)
{
    g_autoptr(Case) self = case_new();
    judge(self, odd_even(16, (Bug){FAULT_DEADLOCK, 5, 7}));
    const DtSuspect *culprit = find_suspect(self, "5.0");
    g_assert_nonnull(culprit);
    g_assert_cmpint(culprit->status, ==, DT_STATUS_STUCK);
    g_assert_null(culprit->first_difference);
    g_assert_nonnull(strstr(culprit->why, "after L"));
    g_assert_nonnull(strstr(self->verdict->verdict, "alone"));
}

/* ---- nothing to find ------------------------------------------------------------------------- */

static void test_identical(void)
{
    for (guint normals = 1; normals <= 3; normals++) {
        g_autoptr(Case) self = case_new();
        for (guint i = 0; i < normals; i++)
            case_add_normal(self, stencil(6, 20, no_bug));
        judge(self, stencil(6, 20, no_bug));
        g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
        g_assert_cmpstr(self->verdict->verdict, ==, "the runs are equal: no difference in functions and their order");
    }
}

/* Even the deadlocked run has nothing to reproach to itself. */
static void test_identical_deadlocks(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, odd_even(16, (Bug){FAULT_DEADLOCK, 5, 7}));
    judge(self, odd_even(16, (Bug){FAULT_DEADLOCK, 5, 7}));
    g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
}

static void test_alone_and_well(void)
{
    g_autoptr(Case) self = case_new();
    judge(self, odd_even(16, no_bug));
    for (guint i = 0; i < self->verdict->suspects->len; i++)
        g_assert_cmpint(suspect_at(self, i)->level, ==, DT_LEVEL_WEAK);
}

/*
 * Who gets which task is luck: five runs show how much of it there is, and a sixth
 * is seldom a suspect. The study had alarms in 4 of 42 runs of such programs;
 * allowed here: one in ten.
 */
static void test_noise(void)
{
    enum { RUNS = 60 };
    guint alarms = 0;
    for (guint32 seed = 100; seed < 100 + RUNS; seed++) {
        g_autoptr(Case) self = case_new();
        for (guint32 i = 0; i < 5; i++)
            case_add_normal(self, farm(7, 120, seed * 10 + i, no_bug));
        judge(self, farm(7, 120, seed * 10 + 5, no_bug));
        alarms += self->verdict->suspects->len > 0 && suspect_at(self, 0)->level == DT_LEVEL_SUSPECT;
    }
    g_test_message("%u false alarms of %u", alarms, RUNS);
    g_assert_cmpuint(alarms, <=, RUNS / 10);
}

static void test_one_noisy_normal(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, farm(7, 120, 1, no_bug));
    judge(self, farm(7, 120, 2, no_bug));
    g_assert_nonnull(strstr(self->verdict->verdict, "3 to 5"));
}

/* Few traces, of which few differ: who took which task is luck with one normal run, too. */
static void test_small_noisy_runs(void)
{
    for (guint32 seed = 1; seed < 120; seed += 2) {
        g_autoptr(Case) self = case_new();
        case_add_normal(self, farm(3, 12, seed, no_bug));
        judge(self, farm(3, 12, seed + 1, no_bug));
        for (guint i = 0; i < self->verdict->suspects->len; i++)
            g_assert_cmpint(suspect_at(self, i)->level, !=, DT_LEVEL_SUSPECT);
    }
}

/* ---- faults in noise ---------------------------------------------------------------------------- */

static void check_farm(Fault fault, DtStatus status)
{
    for (guint culprit = 1; culprit <= 7; culprit += 2) {
        g_autoptr(Case) self = case_new();
        g_autofree char *label = g_strdup_printf("%u.0", culprit);
        for (guint32 i = 0; i < 5; i++)
            case_add_normal(self, farm(7, 120, 40 + i, no_bug));
        judge(self, farm(7, 120, 60 + culprit, (Bug){fault, culprit, 6}));
        check_first(self, label, status);
    }
}

static void test_farm_spin(void)
{
    check_farm(FAULT_SPIN, DT_STATUS_STUCK);
}

static void test_farm_crash(void)
{
    check_farm(FAULT_CRASH, DT_STATUS_CRASHED);
}

/* ---- other ends ------------------------------------------------------------------------------------ */

static void check_stencil(Fault fault, guint normals, DtStatus status, const char *in_why)
{
    for (guint culprit = 0; culprit < 8; culprit += 3) {
        g_autoptr(Case) self = case_new();
        g_autofree char *label = g_strdup_printf("%u.0", culprit);
        for (guint i = 0; i < normals; i++)
            case_add_normal(self, stencil(8, 30, no_bug));
        judge(self, stencil(8, 30, (Bug){fault, culprit, 11}));
        check_first(self, label, status);
        g_assert_nonnull(strstr(suspect_at(self, 0)->why, in_why));
    }
}

static void test_crash(void)
{
    check_stencil(FAULT_CRASH, 1, DT_STATUS_CRASHED, "died of signal 11 (Segmentation fault) in relax");
    check_stencil(FAULT_CRASH, 3, DT_STATUS_CRASHED, "died of signal 11");
    check_stencil(FAULT_CRASH, 0, DT_STATUS_CRASHED, "died of signal 11");
}

static void test_abort(void)
{
    check_stencil(FAULT_ABORT, 1, DT_STATUS_ABORTED, "called MPI_Abort after ");
    check_stencil(FAULT_ABORT, 0, DT_STATUS_ABORTED, "called MPI_Abort after ");
}

static void test_spin(void)
{
    check_stencil(FAULT_SPIN, 1, DT_STATUS_STUCK, "stuck in relax");
    check_stencil(FAULT_SPIN, 3, DT_STATUS_STUCK, "outside any waiting call");
    check_stencil(FAULT_SPIN, 0, DT_STATUS_STUCK, "outside any waiting call");
}

static void test_extra_calls(void)
{
    check_stencil(FAULT_EXTRA_CALLS, 1, DT_STATUS_FINISHED, " calls ");
    check_stencil(FAULT_EXTRA_CALLS, 3, DT_STATUS_FINISHED, " calls ");
}

/* Victims of a crash wait: that is what their status says, whoever is to blame. */
static void test_victims(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, stencil(8, 30, no_bug));
    judge(self, stencil(8, 30, (Bug){FAULT_CRASH, 3, 11}));
    for (guint i = 1; i < self->verdict->suspects->len; i++) {
        g_assert_cmpint(suspect_at(self, i)->status, ==, DT_STATUS_STUCK);
        assert_has(suspect_at(self, i)->why, "stuck in MPI_");
    }
}

/* A rank that leaves out an iteration slips one collective ahead. */
static void test_skipped_iteration(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, stencil(8, 30, no_bug));
    judge(self, stencil(8, 30, (Bug){FAULT_SKIP, 7, 11}));
    g_assert_cmpstr(suspect_at(self, 0)->label, ==, "7.0");
}

/* ---- threads ------------------------------------------------------------------------------------------ */

static void test_thread_spins(void)
{
    for (guint normals = 0; normals <= 3; normals++) {
        g_autoptr(Case) self = case_new();
        for (guint i = 0; i < normals; i++)
            case_add_normal(self, bank(5, 20, no_bug));
        judge(self, bank(5, 20, (Bug){FAULT_SPIN, 3, 9}));
        check_first(self, "0.3", DT_STATUS_STUCK);
        const DtSuspect *leader = find_suspect(self, "0.0");
        g_assert_true(!leader || leader->status == DT_STATUS_STUCK);
    }
}

static void test_lock_kept(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, bank(5, 20, no_bug));
    judge(self, bank(5, 20, (Bug){FAULT_NO_UNLOCK, 2, 9}));
    check_first(self, "0.2", DT_STATUS_STUCK);
    assert_has(suspect_at(self, 0)->why, "stuck in pthread_mutex_lock after ");
}

/* The others are wherever they happen to be when one of them dies. */
static void test_crash_of_a_thread(void)
{
    for (guint normals = 0; normals <= 3; normals += 3) {
        g_autoptr(Case) self = case_new();
        for (guint i = 0; i < normals; i++)
            case_add_normal(self, bank(5, 20, no_bug));
        Simulator *faulty = bank(5, 20, (Bug){FAULT_CRASH, 4, 9});
        faulty->tells_dead = TRUE;
        judge(self, faulty);
        check_first(self, "0.4", DT_STATUS_CRASHED);
        assert_has(suspect_at(self, 0)->why, "died of signal 11 (Segmentation fault) in teller");
        for (guint i = 1; i < self->verdict->suspects->len; i++)
            g_assert_cmpint(suspect_at(self, i)->status, ==, DT_STATUS_KILLED);
    }
}

/* ---- traces of one run only ------------------------------------------------------------------------ */

static void test_missing(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, stencil(6, 20, no_bug));
    Simulator *faulty = stencil(6, 20, no_bug);
    g_hash_table_add(faulty->absent, GUINT_TO_POINTER(3));
    judge(self, faulty);
    const DtSuspect *first = suspect_at(self, 0);
    g_assert_cmpstr(first->label, ==, "3.0");
    g_assert_cmpint(first->status, ==, DT_STATUS_MISSING);
    g_assert_cmpint(first->level, ==, DT_LEVEL_SUSPECT);
    g_assert_cmpfloat(first->score, ==, 1);
    g_assert_cmpstr(first->why, ==, "in the normal run only");
    assert_has(self->verdict->verdict, "3.0 missing in the faulty run; ");
}

static void test_additional(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, hybrid(3, 2));
    judge(self, hybrid(3, 3));
    const char *labels[] = {"0.3", "1.3", "2.3"};
    for (guint i = 0; i < G_N_ELEMENTS(labels); i++) {
        g_assert_cmpstr(suspect_at(self, i)->label, ==, labels[i]);
        assert_has(suspect_at(self, i)->why, "in the faulty run only");
    }
}

static void test_other_number_of_ranks(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, stencil(6, 20, no_bug));
    judge(self, stencil(9, 20, no_bug));
    g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
    g_assert_nonnull(strstr(self->verdict->verdict, "9 ranks against 6 normally"));
    g_assert_nonnull(strstr(self->verdict->verdict, "compare --predict predicts a run of 9"));
}

static void test_fault_at_another_number_of_ranks(void)
{
    g_autoptr(Case) self = case_new();
    case_add_normal(self, stencil(6, 20, no_bug));
    judge(self, stencil(9, 20, (Bug){FAULT_SPIN, 7, 11}));
    check_first(self, "7.0", DT_STATUS_STUCK);
}

static const guint team_sizes[][2] = {{2, 4}, {4, 2}, {3, 8}, {2, 5}};

static void test_other_number_of_threads(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(team_sizes); i++) {
        for (guint normals = 1; normals <= 3; normals += 2) {
            g_autoptr(Case) self = case_new();
            for (guint run = 0; run < normals; run++)
                case_add_normal(self, team(team_sizes[i][0], 12, no_bug));
            judge(self, team(team_sizes[i][1], 12, no_bug));
            for (guint s = 0; s < self->verdict->suspects->len; s++) {
                g_assert_cmpint(suspect_at(self, s)->level, ==, DT_LEVEL_WEAK);
                g_assert_cmpfloat(suspect_at(self, s)->score, <, 0.5);
            }
            g_assert_nonnull(strstr(self->verdict->verdict, "threads in a process against"));
        }
    }
}

static void test_fault_at_another_number_of_threads(void)
{
    for (guint normals = 1; normals <= 3; normals += 2) {
        for (guint kind = 0; kind < 2; kind++) {
            g_autoptr(Case) self = case_new();
            for (guint run = 0; run < normals; run++)
                case_add_normal(self, team(2, 12, no_bug));
            judge(self, team(4, 12, (Bug){kind == 0 ? FAULT_SPIN : FAULT_SKIP, 2, 5}));
            check_first(self, "0.2", kind == 0 ? DT_STATUS_STUCK : DT_STATUS_FINISHED);
        }
    }
}

static void test_nothing_in_common(void)
{
    g_autoptr(Case) self = case_new();
    g_autoptr(GError) error = NULL;
    Simulator *normal = stencil(6, 5, no_bug), *faulty = stencil(6, 5, no_bug);
    for (guint i = 0; i < 6; i++)
        g_hash_table_add(i < 3 ? faulty->absent : normal->absent, GUINT_TO_POINTER(i));
    case_add_normal(self, normal);
    self->faulty = case_play(self, faulty);
    self->verdict = dt_verdict_new(&(DtVerdictRuns){self->normals, self->faulty, FALSE, FALSE}, 1, &error);
    g_assert_null(self->verdict);
    g_assert_error(error, DT_VERDICT_ERROR, DT_VERDICT_ERROR_NO_COMMON_TRACES);
    g_assert_null(strchr(error->message, '\n'));
}

/* ---- the same whatever the number of threads ------------------------------------------------------ */

static void test_jobs(void)
{
    g_autoptr(Case) self = case_new();
    for (guint32 i = 0; i < 4; i++)
        case_add_normal(self, farm(7, 80, 20 + i, no_bug));
    judge(self, farm(7, 80, 30, (Bug){FAULT_SPIN, 4, 5}));
    for (guint jobs = 1; jobs <= 4; jobs++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DtVerdict) again =
            dt_verdict_new(&(DtVerdictRuns){self->normals, self->faulty, FALSE, FALSE}, jobs, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(again->verdict, ==, self->verdict->verdict);
        g_assert_cmpuint(again->suspects->len, ==, self->verdict->suspects->len);
        for (guint i = 0; i < again->suspects->len; i++) {
            const DtSuspect *one = g_ptr_array_index(again->suspects, i), *two = suspect_at(self, i);
            g_assert_cmpstr(one->label, ==, two->label);
            g_assert_cmpfloat(one->score, ==, two->score);
            g_assert_cmpstr(one->why, ==, two->why);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rank/oddeven/deadlock-eager", test_deadlock_eager);
    g_test_add_func("/rank/oddeven/deadlock-rendezvous", test_deadlock_rendezvous);
    g_test_add_func("/rank/oddeven/deadlock-anywhere", test_deadlock_anywhere);
    g_test_add_func("/rank/oddeven/deadlock-alone", test_deadlock_alone);
    g_test_add_func("/rank/oddeven/swap", test_swap);
    g_test_add_func("/rank/oddeven/swap-rendezvous", test_swap_rendezvous);
    g_test_add_func("/rank/normal/identical", test_identical);
    g_test_add_func("/rank/normal/identical-deadlocks", test_identical_deadlocks);
    g_test_add_func("/rank/normal/alone-and-well", test_alone_and_well);
    g_test_add_func("/rank/normal/noise", test_noise);
    g_test_add_func("/rank/normal/one-noisy-normal", test_one_noisy_normal);
    g_test_add_func("/rank/well/small-noisy-runs", test_small_noisy_runs);
    g_test_add_func("/rank/farm/spin", test_farm_spin);
    g_test_add_func("/rank/farm/crash", test_farm_crash);
    g_test_add_func("/rank/stencil/crash", test_crash);
    g_test_add_func("/rank/stencil/abort", test_abort);
    g_test_add_func("/rank/stencil/spin", test_spin);
    g_test_add_func("/rank/stencil/extra-calls", test_extra_calls);
    g_test_add_func("/rank/stencil/victims", test_victims);
    g_test_add_func("/rank/stencil/skipped-iteration", test_skipped_iteration);
    g_test_add_func("/rank/threads/spin", test_thread_spins);
    g_test_add_func("/rank/threads/lock-kept", test_lock_kept);
    g_test_add_func("/rank/threads/crash", test_crash_of_a_thread);
    g_test_add_func("/rank/traces/missing", test_missing);
    g_test_add_func("/rank/traces/additional", test_additional);
    g_test_add_func("/rank/traces/nothing-in-common", test_nothing_in_common);
    g_test_add_func("/rank/traces/other-number-of-ranks", test_other_number_of_ranks);
    g_test_add_func("/rank/traces/fault-at-another-number-of-ranks", test_fault_at_another_number_of_ranks);
    g_test_add_func("/rank/traces/other-number-of-threads", test_other_number_of_threads);
    g_test_add_func("/rank/traces/fault-at-another-number-of-threads", test_fault_at_another_number_of_threads);
    g_test_add_func("/rank/jobs", test_jobs);
    return g_test_run();
}
