/* Butterflies, hypercubes and trees written by hand, some of them by chance: what is predicted from small sizes is,
 * byte for byte and line for line, the skeleton of the program at a size that had no part in it. */
#include "extrapolate/extrapolate.h"
#include "format/arguments.h"
#include "skeleton/recorded_calls.h"
#include "skeleton/skeleton.h"
#include <string.h>

typedef struct {
    DtSkeleton *skeleton;
    DtRecordedCalls *calls;
    DtCallSequence *sequence;
    gint64 rank, ranks;
} Program;

enum { SEND, RECEIVE, ALLREDUCE, MOST_LINES = 64 };
static const char *const names[] = {"MPI_Send", "MPI_Recv", "MPI_Allreduce"};

static void add(Program *program, const DtRecordedCall *made, guint32 line)
{
    const guint32 number = dt_recorded_calls_intern(program->calls, made);
    g_array_append_val(program->sequence->calls, number);
    g_array_append_val(program->sequence->places, line);
}

static gint64 distance(const Program *program, gint64 rank)
{
    const gint64 steps = ((rank - program->rank) % program->ranks + program->ranks) % program->ranks;
    return 2 * steps > program->ranks ? steps - program->ranks : steps;
}

static void message(Program *program, guint function, gint64 peer, gint64 tag, gint64 count, guint32 line)
{
    DtRecordedCall made = {.function = function, .count = 5};
    made.fields[0] = (DtCallField){DT_ARGUMENT_COMMUNICATOR, dt_atoms_intern(program->skeleton->atoms, "world")};
    made.fields[1] = (DtCallField){function == SEND ? DT_ARGUMENT_TO : DT_ARGUMENT_FROM, distance(program, peer)};
    made.fields[2] = (DtCallField){DT_ARGUMENT_TAG, tag};
    made.fields[3] = (DtCallField){DT_FIELD_COUNT, count};
    made.fields[4] = (DtCallField){DT_FIELD_SIZE, 8};
    add(program, &made, line);
}

static void all(Program *program, guint32 line)
{
    DtRecordedCall made = {.function = ALLREDUCE, .count = 3};
    made.fields[0] = (DtCallField){DT_ARGUMENT_COMMUNICATOR, dt_atoms_intern(program->skeleton->atoms, "world")};
    made.fields[1] = (DtCallField){DT_FIELD_COUNT, 1};
    made.fields[2] = (DtCallField){DT_FIELD_SIZE, 8};
    add(program, &made, line);
}

/* ---- parts of programs ----------------------------------------------------------------------- */

typedef enum {
    EXCHANGE,      /* with the rank that differs in the bit: who has it receives first */
    EXCHANGE_BACK, /* from the highest bit on */
    SWAP,          /* all send first */
    REDUCE,        /* the children differ in a bit below the rank's lowest one */
    BROADCAST,
    REDUCE_TOP, /* below its highest one, with it */
    BROADCAST_TOP,
    DISSEMINATE, /* to 2^s on, from 2^s back */
    SORTS
} Sort;
static const char *const sorts[] = {"exchange",  "exchange-back", "swap",          "reduce",
                                    "broadcast", "reduce-top",    "broadcast-top", "disseminate"};

typedef enum { ALIKE, DOUBLED, HALVED, SHARED, COUNTS } Counts;

typedef struct {
    Sort sort;
    Counts counts;
    gboolean counted_tags, own_lines, barrier;
    guint32 line;
} Part;

static gint64 count_of(const Part *part, const Program *program, gint64 bit)
{
    const gint64 counts[] = {12, 3 * bit, 4 * program->ranks / bit, 128 / program->ranks * bit};
    return counts[part->counts];
}

/* The first call of the other branch has a line of its own, or the same. */
static void send_to(Program *program, const Part *part, gint64 peer, gint64 bit, guint32 line)
{
    const gint64 tag = part->counted_tags ? 20 + g_bit_nth_msf((gulong)bit, -1) : 7;
    message(program, SEND, peer, tag, count_of(part, program, bit), part->line + (part->own_lines ? line : 0));
}

static void receive_from(Program *program, const Part *part, gint64 peer, gint64 bit, guint32 line)
{
    const gint64 tag = part->counted_tags ? 20 + g_bit_nth_msf((gulong)bit, -1) : 7;
    message(program, RECEIVE, peer, tag, count_of(part, program, bit), part->line + 1 + (part->own_lines ? line : 0));
}

static void exchange(Program *program, const Part *part, gint64 bit)
{
    const gint64 peer = program->rank ^ bit;
    const gboolean first = part->sort == SWAP || !(program->rank & bit);
    if (first)
        send_to(program, part, peer, bit, 0);
    receive_from(program, part, peer, bit, first ? 0 : 2);
    if (!first)
        send_to(program, part, peer, bit, 2);
}

static void low_tree(Program *program, const Part *part, gint64 bit)
{
    if (program->rank % (2 * bit) == bit)
        (part->sort == REDUCE ? send_to : receive_from)(program, part, program->rank - bit, bit, 0);
    else if (program->rank % bit == 0 && program->rank + bit < program->ranks)
        (part->sort == REDUCE ? receive_from : send_to)(program, part, program->rank + bit, bit, 0);
}

static void top_tree(Program *program, const Part *part, gint64 bit)
{
    if (program->rank < bit && program->rank + bit < program->ranks)
        (part->sort == REDUCE_TOP ? receive_from : send_to)(program, part, program->rank + bit, bit, 0);
    else if (program->rank >= bit && program->rank < 2 * bit)
        (part->sort == REDUCE_TOP ? send_to : receive_from)(program, part, program->rank - bit, bit, 0);
}

static void do_stage(Program *program, const Part *part, gint64 bit)
{
    const gint64 rank = program->rank, ranks = program->ranks;
    switch (part->sort) {
    case EXCHANGE:
    case EXCHANGE_BACK:
    case SWAP:
        exchange(program, part, bit);
        break;
    case REDUCE:
    case BROADCAST:
        low_tree(program, part, bit);
        break;
    case REDUCE_TOP:
    case BROADCAST_TOP:
        top_tree(program, part, bit);
        break;
    default:
        send_to(program, part, (rank + bit) % ranks, bit, 0);
        receive_from(program, part, (rank + ranks - bit) % ranks, bit, 0);
    }
}

static gboolean goes_up(Sort sort)
{
    return sort != EXCHANGE_BACK && sort != BROADCAST && sort != REDUCE_TOP;
}

static void do_part(Program *program, const Part *part)
{
    gint64 highest = 1;
    while (2 * highest < program->ranks)
        highest *= 2;
    for (gint64 bit = 1, back = highest; bit < program->ranks; bit *= 2, back /= 2)
        do_stage(program, part, goes_up(part->sort) ? bit : back);
    if (part->barrier)
        all(program, part->line + 8);
}

/* ---- programs -------------------------------------------------------------------------------- */

enum { MOST_PARTS = 3 };
typedef struct {
    guint parts, rounds;
    Part part[MOST_PARTS];
} Plan;

static DtSkeleton *run(const Plan *plan, gint64 ranks)
{
    Program program = {.skeleton = dt_skeleton_new(), .calls = dt_recorded_calls_new(), .ranks = ranks};
    program.skeleton->ranks = (guint)ranks;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        g_ptr_array_add(program.skeleton->functions, g_strdup(names[i]));
    for (guint line = 1; line < MOST_LINES; line++)
        g_ptr_array_add(program.calls->places, g_strdup_printf("stages.c:%u in work", line));
    for (program.rank = 0; program.rank < ranks; program.rank++) {
        program.sequence = g_new0(DtCallSequence, 1);
        program.sequence->rank = (guint)program.rank;
        program.sequence->calls = g_array_new(FALSE, FALSE, sizeof(guint32));
        program.sequence->places = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_ptr_array_add(program.calls->sequences, program.sequence);
        all(&program, 1);
        for (guint round = 0; round < plan->rounds; round++)
            for (guint i = 0; i < plan->parts; i++)
                do_part(&program, &plan->part[i]);
        all(&program, 2);
    }
    dt_skeleton_merge(program.skeleton, program.calls, &(DtSkeletonOptions){0});
    dt_recorded_calls_free(program.calls);
    return program.skeleton;
}

static void check_ranks(const DtSkeleton *direct, const DtSkeleton *expected)
{
    for (guint rank = 0; rank < expected->ranks; rank++) {
        g_autofree char *calls = dt_skeleton_expand(expected, 0, rank, NULL),
                        *own_calls = dt_skeleton_expand(direct, 0, rank, NULL);
        g_assert_cmpstr(own_calls, ==, calls);
    }
}

enum { SIZES = 3 };

static void check(const Plan *plan, const gint64 *base, gint64 target)
{
    static const char *const labels[] = {"a", "b", "c"};
    DtSize sizes[SIZES];
    DtSkeleton *skeletons[SIZES];
    g_autoptr(GError) error = NULL;
    for (guint i = 0; i < SIZES; i++) {
        skeletons[i] = run(plan, base[i]);
        sizes[i] = (DtSize){.skeleton = skeletons[i], .name = labels[i]};
    }
    g_autoptr(DtLaws) laws = dt_laws_find(sizes, SIZES, &(DtMesh){0}, &error);
    g_assert_no_error(error);
    g_autoptr(DtSkeleton) expected = run(plan, target);
    g_autofree char *formulas = dt_laws_text(laws);
    if (g_getenv("DIFFTRACE_TEST_SEED"))
        g_test_message("%s", formulas);
    g_autoptr(DtSkeleton) direct = dt_laws_predict(laws, expected->ranks, &(DtMesh){0}, FALSE, &error);
    g_assert_no_error(error);
    check_ranks(direct, expected);
    g_autoptr(DtSkeleton) predicted = dt_laws_predict(laws, expected->ranks, &(DtMesh){0}, TRUE, &error);
    g_assert_no_error(error);
    g_autofree char *text = dt_skeleton_text(expected), *predicted_text = dt_skeleton_text(predicted);
    g_assert_cmpstr(predicted_text, ==, text);
    for (guint i = 0; i < SIZES; i++)
        dt_skeleton_free(skeletons[i]);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const gint64 powers[SIZES] = {4, 8, 16}, others[SIZES] = {5, 7, 12};

/* Of each sort one, in rounds, with a line of its own for each branch. */
static void test_sort(gconstpointer data)
{
    const Plan plan = {1, 3, {{.sort = (Sort)GPOINTER_TO_UINT(data), .own_lines = TRUE, .barrier = TRUE, .line = 10}}};
    check(&plan, powers, 64);
}

/* No collective stands between the rounds. */
static void test_sort_without_barriers(gconstpointer data)
{
    const Plan plan = {1, 3, {{.sort = (Sort)GPOINTER_TO_UINT(data), .counts = DOUBLED, .line = 10}}};
    check(&plan, powers, 64);
}

static void test_any_size(gconstpointer data)
{
    const Plan plan = {1, 2, {{.sort = (Sort)GPOINTER_TO_UINT(data), .barrier = TRUE, .line = 10}}};
    check(&plan, others, 44);
}

/* Up the tree and down again, as an allreduce by hand does, with nothing between. */
static void test_up_and_down(void)
{
    const Plan plan = {2, 3, {{.sort = REDUCE, .line = 10}, {.sort = BROADCAST, .line = 20}}};
    check(&plan, powers, 64);
}

static Plan plan_by_chance(GRand *random)
{
    Plan plan = {.parts = (guint)g_rand_int_range(random, 1, MOST_PARTS + 1),
                 .rounds = (guint)g_rand_int_range(random, 1, 5)};
    for (guint i = 0; i < plan.parts; i++) {
        Part *part = &plan.part[i];
        part->sort = (Sort)g_rand_int_range(random, 0, SORTS);
        part->counts = (Counts)g_rand_int_range(random, 0, COUNTS);
        part->counted_tags = g_rand_boolean(random);
        part->own_lines = g_rand_boolean(random);
        /* Else lines of two parts may be one line of a skeleton, which is then of no part. */
        part->barrier = plan.parts > 1 || g_rand_boolean(random);
        part->line = 10 * (i + 1);
    }
    return plan;
}

static void tell(guint32 seed, const Plan *plan)
{
    for (guint i = 0; i < plan->parts; i++)
        g_test_message("seed %u, %u rounds: %s counts %u tags %d lines %d barrier %d", seed, plan->rounds,
                       sorts[plan->part[i].sort], plan->part[i].counts, plan->part[i].counted_tags,
                       plan->part[i].own_lines, plan->part[i].barrier);
}

static void test_by_chance(void)
{
#ifdef __SANITIZE_ADDRESS__
    enum { PROGRAMS = 5 }; /* each takes seconds with sanitizers */
#else
    enum { PROGRAMS = 19 };
#endif
    enum { FIRST = 6 };
    const char *first = g_getenv("DIFFTRACE_TEST_SEED");
    const guint32 start = first ? (guint32)g_ascii_strtoull(first, NULL, 10) : FIRST;
    for (guint32 seed = start; seed < start + (first ? 1 : PROGRAMS); seed++) {
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        const Plan plan = plan_by_chance(random);
        tell(seed, &plan);
        check(&plan, powers, 64);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint sort = 0; sort < SORTS; sort++) {
        g_autofree char *path = g_strconcat("/stages/", sorts[sort], NULL),
                        *joined = g_strconcat("/stages/without-barriers/", sorts[sort], NULL);
        g_test_add_data_func(path, GUINT_TO_POINTER(sort), test_sort);
        g_test_add_data_func(joined, GUINT_TO_POINTER(sort), test_sort_without_barriers);
    }
    static const Sort any[] = {REDUCE, BROADCAST, REDUCE_TOP, BROADCAST_TOP, DISSEMINATE};
    for (guint i = 0; i < G_N_ELEMENTS(any); i++) {
        g_autofree char *path = g_strconcat("/stages/any-size/", sorts[any[i]], NULL);
        g_test_add_data_func(path, GUINT_TO_POINTER(any[i]), test_any_size);
    }
    g_test_add_func("/stages/up-and-down", test_up_and_down);
    g_test_add_func("/stages/by-chance", test_by_chance);
    return g_test_run();
}
