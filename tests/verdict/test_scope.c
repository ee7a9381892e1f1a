/*
 * How much of a program changed: one trace, several, or all, with differences beside the point and noise of all kinds;
 * and whether the sentence names what was changed.
 */
#include <signal.h>
#include <string.h>

#include "played_case.h"
#include "verdict/departure.h"

enum { RANKS = 8, STEPS = 12 };

typedef struct {
    guint steps;    /* 0: STEPS */
    guint barriers; /* more in each step, of all ranks */
    guint options;  /* comparisons of text at the start, of all ranks */
    guint prints;   /* lines that rank 0 prints in each step */
    guint32 seed;   /* of the order in which messages are handled; 0: always the same */
    guint culprits; /* the first of them; every second rank from there on if `several` */
    gboolean several;
    const char *left_out; /* by the culprits, once, in step 7: "store" or "exchange" */
    const char *added;    /* likewise: a call that nobody makes else */
    gboolean crashes;     /* a culprit dies there of a signal of its own */
    guint crashed;        /* ranks that die likewise, from rank 0 on */
} Variant;

static gboolean is_culprit(const Variant *variant, guint rank)
{
    if (!variant->left_out && !variant->added)
        return FALSE;
    return variant->several ? rank % 2 == variant->culprits % 2 : rank == variant->culprits;
}

static void call(Actor *actor, const char *function)
{
    actor_do(actor, OP_CALL, function, 0);
}

static void enter(Actor *actor, const char *function)
{
    actor_do(actor, OP_ENTER, function, 0);
}

static void leave(Actor *actor)
{
    actor_do(actor, OP_LEAVE, NULL, 0);
}

/* Messages come in any order, and each is handled in its own way. */
static void handle(Actor *actor, GRand *random)
{
    guint left[] = {2, 2};
    enter(actor, "handle");
    while (left[0] + left[1] > 0) {
        guint kind = random ? (guint)g_rand_int_range(random, 0, 2) : left[0] == 0;
        kind = left[kind] > 0 ? kind : 1 - kind;
        left[kind]--;
        call(actor, "MPI_Waitany");
        call(actor, kind == 0 ? "unpackEdge" : "unpackCorner");
    }
    leave(actor);
}

static void advance(Actor *actor, const Variant *variant, guint rank, guint step, GRand *random)
{
    const gboolean here = step == 7 && is_culprit(variant, rank);
    enter(actor, "advance");
    if (!here || g_strcmp0(variant->left_out, "exchange") != 0)
        handle(actor, random);
    call(actor, "relax");
    if ((step == 7 && variant->crashes && rank == variant->culprits) || (step == 7 && rank < variant->crashed))
        actor_do(actor, OP_CRASH, NULL, SIGSEGV);
    if (!here || g_strcmp0(variant->left_out, "store") != 0)
        call(actor, "store");
    if (here && variant->added)
        call(actor, variant->added);
    for (guint i = 0; i < variant->barriers; i++)
        actor_do(actor, OP_GATHER, "MPI_Barrier", 0);
    actor_do(actor, OP_GATHER, "MPI_Allreduce", 0);
    leave(actor);
    for (guint i = 0; rank == 0 && i < variant->prints; i++)
        call(actor, "printf");
}

static Simulator *program(Variant variant)
{
    Simulator *simulator = simulator_new(TRUE);
    g_autoptr(GRand) random = variant.seed ? g_rand_new_with_seed(variant.seed) : NULL;
    for (guint rank = 0; rank < RANKS; rank++) {
        Actor *actor = simulator_actor(simulator, rank, 0);
        enter(actor, "main");
        actor_do(actor, OP_GATHER, "MPI_Init", 0);
        enter(actor, "readOptions");
        for (guint i = 0; i <= variant.options; i++)
            call(actor, "strcmp");
        leave(actor);
        for (guint step = 0; step < (variant.steps ? variant.steps : STEPS); step++)
            advance(actor, &variant, rank, step, random);
        actor_do(actor, OP_GATHER, "MPI_Finalize", 0);
        leave(actor);
    }
    return simulator;
}

/* ---- a comparison -------------------------------------------------------------------------------------- */

/* `normals` runs of a variant that differ in their seeds, if it has one, against another variant. */
static Case *judge(Variant normal, guint normals, Variant faulty)
{
    Case *self = case_new();
    for (guint i = 0; i < normals; i++) {
        Variant own = normal;
        own.seed = normal.seed ? normal.seed + i : 0;
        case_add_normal(self, program(own));
    }
    case_judge(self, program(faulty));
    g_test_message("%s: %s", dt_scope_name(self->verdict->scope), self->verdict->verdict);
    return self;
}

static void assert_nobody_accused(const Case *self)
{
    for (guint i = 0; i < self->verdict->suspects->len; i++) {
        g_assert_cmpint(suspect_at(self, i)->level, ==, DT_LEVEL_WEAK);
        g_assert_cmpfloat(suspect_at(self, i)->score, <, 0.5);
    }
}

static void assert_accused(const Case *self, const char *label, const char *words)
{
    g_assert_cmpint(self->verdict->scope, ==, DT_SCOPE_ONE);
    g_assert_cmpstr(suspect_at(self, 0)->label, ==, label);
    g_assert_cmpint(suspect_at(self, 0)->level, ==, DT_LEVEL_SUSPECT);
    g_assert_true(g_str_has_prefix(suspect_at(self, 0)->why, words));
    for (guint i = 1; i < self->verdict->suspects->len; i++)
        g_assert_cmpfloat(suspect_at(self, i)->score, <, 0.5);
}

/* ---- a queue of tasks ------------------------------------------------------------------------------------- */

typedef enum { TASKS_AS_NORMALLY, TASK_LEFT_OUT, TASK_IN_THREE_PARTS, TASK_BEFORE_ITS_TIME } TaskFault;

enum { WORKERS = 5, TASKS = 60 };

/* Who takes how many tasks is luck of `seed`, and so is whether a part is quick; what is done with a task is not. */
static Simulator *queue(guint32 seed, guint culprit, TaskFault fault)
{
    Simulator *simulator = simulator_new(FALSE);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    guint left = TASKS;
    for (guint thread = 1; thread <= WORKERS; thread++) {
        Actor *actor = simulator_actor(simulator, 0, thread);
        guint tasks = thread == WORKERS ? left : (guint)g_rand_int_range(random, 8, 13);
        left -= tasks;
        enter(actor, "runWorker");
        for (guint task = 0; task < tasks; task++) {
            const gboolean here = thread == culprit && task == 4;
            call(actor, "takeTask");
            if (here && fault == TASK_BEFORE_ITS_TIME)
                call(actor, "finishTask");
            enter(actor, "doTask");
            for (guint part = 0; part < (here && fault == TASK_IN_THREE_PARTS ? 3 : 2); part++)
                call(actor, "doPart");
            leave(actor);
            if (!here || fault != TASK_LEFT_OUT)
                call(actor, "writeResult");
            call(actor, g_rand_boolean(random) ? "noteFast" : "noteSlow");
            call(actor, "finishTask");
        }
        leave(actor);
    }
    return simulator;
}

static DtRun *play_queue(Case *self, guint32 seed, guint culprit, TaskFault fault)
{
    g_autofree char *path = g_strdup_printf("%s/run%u", self->folder, self->runs++);
    g_autoptr(Simulator) simulator = queue(seed, culprit, fault);
    g_autoptr(GError) error = NULL;
    simulator_play(simulator, path);
    DtRun *run = dt_run_open(path, self->functions, &error);
    g_assert_no_error(error);
    return run;
}

static Case *judge_queue(guint32 seed, guint normals, guint culprit, TaskFault fault)
{
    Case *self = g_new0(Case, 1);
    g_autoptr(GError) error = NULL;
    self->folder = dt_temporary_directory();
    self->functions = dt_functions_new();
    self->normals = g_ptr_array_new_with_free_func((GDestroyNotify)dt_run_free);
    for (guint32 i = 1; i <= normals; i++)
        g_ptr_array_add(self->normals, play_queue(self, seed + i, 0, TASKS_AS_NORMALLY));
    self->faulty = play_queue(self, seed, culprit, fault);
    self->verdict = dt_verdict_new(&(DtVerdictRuns){self->normals, self->faulty, FALSE, FALSE}, 2, &error);
    g_assert_no_error(error);
    g_test_message("%s: %s", dt_scope_name(self->verdict->scope), self->verdict->verdict);
    return self;
}

/* What a function never does normally tells in any noise; but one normal run does not tell what is noise. */
static void test_steady_functions(void)
{
    static const struct {
        TaskFault fault;
        const char *words;
    } faults[] = {{TASK_LEFT_OUT, "runWorker leaves out writeResult"},
                  {TASK_IN_THREE_PARTS, "doTask calls doPart"},
                  {TASK_BEFORE_ITS_TIME, "runWorker calls finishTask"}};
    for (guint i = 0; i < G_N_ELEMENTS(faults); i++) {
        for (guint normals = 1; normals <= 3; normals += 2) {
            g_autoptr(Case) self = judge_queue(100 + 10 * i, normals, 3, faults[i].fault);
            if (normals == 3)
                assert_accused(self, "0.3", faults[i].words);
            else
                assert_nobody_accused(self);
        }
    }
    for (guint32 seed = 200; seed < 320; seed += 10) {
        g_autoptr(Case) self = judge_queue(seed, 3, 0, TASKS_AS_NORMALLY);
        assert_nobody_accused(self);
    }
}

/* ---- tests ----------------------------------------------------------------------------------------------- */

/* Rank 0 prints in every step, so that it has a class of its own, and prints more when there are more steps. */
static void test_all(void)
{
    for (guint normals = 1; normals <= 3; normals += 2) {
        g_autoptr(Case) longer = judge((Variant){.prints = 2}, normals, (Variant){.prints = 2, .steps = STEPS + 5});
        g_assert_cmpint(longer->verdict->scope, ==, DT_SCOPE_ALL);
        assert_nobody_accused(longer);
        g_assert_cmpstr(longer->verdict->common.function, ==, "main");
        g_assert_cmpstr(longer->verdict->common.call, ==, "advance");
        g_assert_cmpstr(longer->verdict->common.faulty, ==, "17 calls");
        g_assert_cmpstr(longer->verdict->common.normal, ==, "12 calls");
        g_assert_cmpuint(longer->verdict->common.traces, ==, RANKS);
        g_autoptr(Case) barriers = judge((Variant){.prints = 2}, normals, (Variant){.prints = 2, .barriers = 1});
        g_assert_cmpint(barriers->verdict->scope, ==, DT_SCOPE_ALL);
        assert_nobody_accused(barriers);
        g_assert_cmpstr(barriers->verdict->common.function, ==, "advance");
        g_assert_cmpstr(barriers->verdict->common.call, ==, "MPI_Barrier");
    }
}

/* Other options and more to print neither accuse nor hide. */
static void test_beside_the_point(void)
{
    g_autoptr(Case) alone = judge((Variant){0}, 3, (Variant){.options = 5, .prints = 1});
    assert_nobody_accused(alone);
    const Variant fault = {.culprits = 3, .left_out = "store"};
    g_autoptr(Case) without = judge((Variant){0}, 3, fault);
    assert_accused(without, "3.0", "advance leaves out store");
    Variant more = fault;
    more.options = 5;
    more.prints = 1;
    g_autoptr(Case) with = judge((Variant){0}, 3, more);
    assert_accused(with, "3.0", "advance leaves out store");
}

/* A change in one rank beside one in all. */
static void test_one_beside_all(void)
{
    g_autoptr(Case) self = judge((Variant){0}, 3, (Variant){.barriers = 1, .culprits = 5, .left_out = "store"});
    assert_accused(self, "5.0", "advance leaves out store");
    g_assert_cmpstr(self->verdict->common.call, ==, "MPI_Barrier");
    g_assert_nonnull(strstr(self->verdict->verdict, "in 8 traces advance calls MPI_Barrier"));
}

static void test_several(void)
{
    g_autoptr(Case) self = judge((Variant){0}, 3, (Variant){.culprits = 1, .several = TRUE, .added = "flip"});
    g_assert_cmpint(self->verdict->scope, ==, DT_SCOPE_SEVERAL);
    for (guint i = 0; i < RANKS / 2; i++) {
        g_assert_cmpint(suspect_at(self, i)->level, ==, DT_LEVEL_SUSPECT);
        g_assert_cmpint((suspect_at(self, i)->label[0] - '0') % 2, ==, 1);
        g_assert_true(g_str_has_prefix(suspect_at(self, i)->why, "advance calls flip, 1 time, normally 0"));
    }
}

/* What all ranks do otherwise never outranks a crash of one, with however many normal runs. */
static void test_crash_beside_all(void)
{
    for (guint normals = 1; normals <= 3; normals += 2) {
        g_autoptr(Case) self = judge((Variant){0}, normals, (Variant){.barriers = 1, .culprits = 5, .crashes = TRUE});
        assert_accused(self, "5.0", "died of signal 11");
        g_assert_true(self->verdict->failed);
        g_assert_nonnull(strstr(self->verdict->verdict, "in 8 traces advance calls MPI_Barrier"));
    }
}

/* Where most ranks die, nobody stands out; but the run has failed. */
static void test_all_crash(void)
{
    g_autoptr(Case) self = judge((Variant){0}, 3, (Variant){.barriers = 1, .crashed = RANKS});
    assert_nobody_accused(self);
    g_assert_true(self->verdict->failed);
    g_autoptr(Case) well = judge((Variant){0}, 3, (Variant){.barriers = 1});
    g_assert_false(well->verdict->failed);
}

/* The order of messages is noise; what does not depend on it is certain nevertheless. */
static void test_noise(void)
{
    for (guint32 seed = 1; seed < 200; seed += 20) {
        const Variant normal = {.seed = seed};
        Variant faulty = {.seed = seed + 10, .culprits = 2, .left_out = "store"};
        g_autoptr(Case) self = judge(normal, 3, faulty);
        assert_accused(self, "2.0", "advance leaves out store");
        faulty.left_out = NULL;
        g_autoptr(Case) none = judge(normal, 3, faulty);
        assert_nobody_accused(none);
        g_autoptr(Case) one_normal = judge(normal, 1, faulty);
        assert_nobody_accused(one_normal);
    }
}

static void test_names(void)
{
    static const char *const names[][2] = {
        {"relax", "relax"},
        {"(anonymous namespace)::Advance((anonymous namespace)::Ocean&, double)", "Advance"},
        {"void Solver<double, 3>::step<int>(std::vector<int> const&) const", "Solver::step"},
        {"Drive(Ocean&)._omp_fn.0", "Drive._omp_fn.0"},
        {"operator<<(std::ostream&, Row const&)", "operator<<(std::ostream&, Row const&)"},
        {"broken<name", "broken"},
        {"", ""},
    };
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *name = dt_short_name(names[i][0]);
        g_assert_cmpstr(name, ==, names[i][1]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scope/steady-functions", test_steady_functions);
    g_test_add_func("/scope/all", test_all);
    g_test_add_func("/scope/beside-the-point", test_beside_the_point);
    g_test_add_func("/scope/one-beside-all", test_one_beside_all);
    g_test_add_func("/scope/crash-beside-all", test_crash_beside_all);
    g_test_add_func("/scope/all-crash", test_all_crash);
    g_test_add_func("/scope/several", test_several);
    g_test_add_func("/scope/noise", test_noise);
    g_test_add_func("/scope/names", test_names);
    return g_test_run();
}
