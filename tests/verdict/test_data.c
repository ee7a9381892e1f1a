/*
 * Runs that make the same calls, with other data: who is said to depart first, and that the verdict accuses it. The
 * ring is played here: each rank sends to the right what came from the left, all sum up.
 */
#include <string.h>

#include "format/arguments.h"
#include "payload/differing_data.h"
#include "support/test_run.h"
#include "verdict/verdict.h"
#include "writer/writer.h"

enum { RANKS = 5, STEPS = 6 };

/* What a run has of its own. */
typedef struct {
    gint culprit, step;   /* from there on the culprit sends other data */
    gint on_the_way;      /* what this rank receives at `step` is not what was sent; -1: of none */
    guint32 chance;       /* of data that are other in each run */
    gboolean with_chance; /* and of the sums, too */
    gboolean no_hashes, no_chance;
} Played;
static const Played normal = {.culprit = -1, .on_the_way = -1};

typedef struct {
    DtProcessWriter *process;
    DtThreadWriter *thread;
    guint32 send, receive, chance, sum;
} Rank;

static guint32 signature_of(DtProcessWriter *process, DtImageWriter *image, const char *name, const gint64 *arguments,
                            guint count)
{
    guint32 symbol = dt_image_writer_symbol(image, name, 0, 8, DT_FUNCTION_API);
    guint32 function = dt_process_writer_function(process, image, symbol, DT_FUNCTION_API);
    return dt_process_writer_signature(process, function, arguments, count);
}

static Rank rank_new(DtRunWriter *writer, gint number, gboolean no_hashes)
{
    static const gint32 members[RANKS] = {0, 1, 2, 3, 4};
    Rank rank = {.process = dt_run_writer_process(writer)};
    struct dt_file_header *header = dt_process_writer_header(rank.process);
    header->rank = number;
    header->world_size = RANKS;
    header->pid = 100 + (guint32)number;
    header->flags |= DT_FILE_MPI_INITIALISED | DT_FILE_MPI_FINALIZED | (no_hashes ? 0u : (guint32)DT_FILE_PAYLOAD);
    const struct dt_communicator world = {
        .parent = DT_COMMUNICATOR_NONE, .key = 5, .rank = number, .size = RANKS, .remote_size = -1};
    dt_process_writer_communicator(rank.process, &world, members);
    DtImageWriter *image = dt_process_writer_image(rank.process, "/usr/lib/libmpi.so.40", DT_IMAGE_API_ONLY);
    rank.thread = dt_process_writer_thread(rank.process, DT_THREAD_APP, 0);
    const gint64 own = dt_argument(DT_ARGUMENT_COMMUNICATOR, 0), data = dt_argument_data(DT_ARGUMENT_DATA, 1, 8);
    const gint64 to[] = {own, dt_argument(DT_ARGUMENT_TO, 1), dt_argument(DT_ARGUMENT_TAG, 1), data};
    const gint64 chance[] = {own, dt_argument(DT_ARGUMENT_TO, 1), dt_argument(DT_ARGUMENT_TAG, 2), data};
    const gint64 from[] = {own, dt_argument(DT_ARGUMENT_FROM, -1), dt_argument(DT_ARGUMENT_TAG, 1), data};
    const gint64 sum[] = {own, dt_argument(DT_ARGUMENT_OPERATION, DT_OPERATION_SUM), data};
    rank.send = signature_of(rank.process, image, "MPI_Send", to, G_N_ELEMENTS(to));
    rank.chance = signature_of(rank.process, image, "MPI_Ssend", chance, G_N_ELEMENTS(chance));
    rank.receive = signature_of(rank.process, image, "MPI_Recv", from, G_N_ELEMENTS(from));
    rank.sum = signature_of(rank.process, image, "MPI_Allreduce", sum, G_N_ELEMENTS(sum));
    return rank;
}

static void call(const Rank *rank, guint32 id, gint64 sent, gint64 got)
{
    const gint64 values[] = {DT_DATA_SENT, sent, DT_DATA_RECEIVED, got};
    dt_thread_writer_event(rank->thread, id);
    if (sent >= 0)
        dt_thread_writer_note(rank->thread, DT_NOTE_DATA, values, 2, NULL);
    if (got >= 0)
        dt_thread_writer_note(rank->thread, DT_NOTE_DATA, values + 2, 2, NULL);
    dt_thread_writer_event(rank->thread, DT_WORD_RETURN);
}

/* A step of all; `value` is what each has. */
static void play_step(const Rank *ranks, gint step, const Played *played, guint32 *value)
{
    guint32 received[RANKS], sum = 0;
    for (gint r = 0; r < RANKS; r++)
        value[r] = value[r] * 17 + (guint32)(r + step) + (r == played->culprit && step >= played->step ? 1 : 0);
    for (gint r = 0; r < RANKS; r++)
        received[r] = value[(r + RANKS - 1) % RANKS] + (r == played->on_the_way && step == played->step ? 1000 : 0);
    for (gint r = 0; r < RANKS; r++)
        sum += received[r] + (played->with_chance ? played->chance : 0);
    for (gint r = 0; r < RANKS; r++) {
        call(&ranks[r], ranks[r].send, value[r], -1);
        call(&ranks[r], ranks[r].chance, (gint64)(played->chance * 31 + (guint32)step), -1);
        call(&ranks[r], ranks[r].receive, -1, received[r]);
        call(&ranks[r], ranks[r].sum, received[r], sum);
        value[r] = received[r] ^ sum;
    }
}

static DtRun *play(const char *folder, guint number, const Played *played, DtFunctions *functions)
{
    g_autofree char *path = g_strdup_printf("%s/run%u", folder, number);
    const char *const command[] = {"ring", NULL};
    Rank ranks[RANKS];
    guint32 value[RANKS] = {0};
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRunWriter) writer = dt_run_writer_new(path);
    Played own = *played;
    own.chance += number;
    if (own.no_chance)
        own.chance = 0;
    for (gint r = 0; r < RANKS; r++)
        ranks[r] = rank_new(writer, r, own.no_hashes);
    for (gint step = 0; step < STEPS; step++)
        play_step(ranks, step, &own, value);
    g_assert_true(dt_run_writer_end(writer, "test", command, &error));
    g_assert_no_error(error);
    DtRun *run = dt_run_open(path, functions, &error);
    g_assert_no_error(error);
    return run;
}

typedef struct {
    char *folder;
    DtFunctions *functions;
    GPtrArray *normals;
    DtRun *faulty;
    DtDifferingData *data;
    DtVerdict *verdict;
} Case;

static Case *case_new(guint normals, const Played *usual, const Played *faulty)
{
    Case *self = g_new0(Case, 1);
    g_autoptr(GError) error = NULL;
    self->folder = dt_temporary_directory();
    self->functions = dt_functions_new();
    self->normals = g_ptr_array_new_with_free_func((GDestroyNotify)dt_run_free);
    for (guint i = 0; i < normals; i++)
        g_ptr_array_add(self->normals, play(self->folder, i, usual, self->functions));
    self->faulty = play(self->folder, normals, faulty, self->functions);
    self->data = dt_differing_data_find(self->normals, self->faulty, &error);
    g_assert_no_error(error);
    self->verdict = dt_verdict_new(&(DtVerdictRuns){self->normals, self->faulty, FALSE, FALSE}, 1, &error);
    g_assert_no_error(error);
    g_test_message("%s", self->verdict->verdict);
    return self;
}

static void case_free(Case *self)
{
    dt_verdict_free(self->verdict);
    dt_differing_data_free(self->data);
    dt_run_free(self->faulty);
    g_ptr_array_unref(self->normals);
    dt_functions_unref(self->functions);
    dt_remove_tree(self->folder);
    g_free(self->folder);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Case, case_free)

static const DtDataDeparture *only(const Case *self)
{
    g_assert_nonnull(self->data);
    g_assert_cmpuint(self->data->firsts->len, ==, 1);
    return g_ptr_array_index(self->data->firsts, 0);
}

static void check_says(const Case *self, const char *words)
{
    if (!strstr(self->verdict->verdict, words))
        g_error("'%s' is not in: %s", words, self->verdict->verdict);
}

static void test_sender(void)
{
    const Played faulty = {.culprit = 3, .step = 2, .on_the_way = -1};
    g_autoptr(Case) self = case_new(3, &normal, &faulty);
    const DtDataDeparture *departure = only(self);
    g_assert_cmpstr(departure->label, ==, "3.0");
    g_assert_cmpint(departure->kind, ==, DT_DATA_EVENT_SENT);
    g_assert_cmpstr(departure->call, ==, "MPI_Send");
    g_assert_cmpuint(departure->nth, ==, 3);
    g_assert_cmpint(departure->peer, ==, 4);
    const DtSuspect *first = g_ptr_array_index(self->verdict->suspects, 0);
    g_assert_cmpstr(first->label, ==, "3.0");
    g_assert_cmpint(first->level, ==, DT_LEVEL_SUSPECT);
    check_says(self, "its MPI_Send, the 3rd, sends other data to rank 4 than in the normal runs; first of all ranks");
    check_says(self, "vary by themselves, such as those of MPI_Ssend");
}

static void test_on_the_way(void)
{
    const Played faulty = {.culprit = -1, .step = 4, .on_the_way = 1};
    g_autoptr(Case) self = case_new(3, &normal, &faulty);
    g_assert_cmpstr(only(self)->label, ==, "1.0");
    g_assert_true(only(self)->under_way);
    check_says(self, "gets other data from rank 0 than in the normal runs, though what was sent is as usual");
}

/* What varies is no evidence, and what comes of it varies, too. */
static void test_chance(void)
{
    const Played usual = {.culprit = -1, .on_the_way = -1, .with_chance = TRUE};
    g_autoptr(Case) self = case_new(3, &usual, &usual);
    g_assert_cmpuint(self->data->firsts->len, ==, 0);
    g_assert_cmpuint(self->data->varying, >, 0);
    g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
    check_says(self, "vary by themselves");
}

static void test_normal(void)
{
    g_autoptr(Case) self = case_new(3, &normal, &normal);
    g_assert_cmpuint(self->data->differing, ==, 0);
    g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
    check_says(self, "the runs are equal");
    check_says(self, "nor in what is sent and received");
}

static void test_one_normal(void)
{
    g_autoptr(Case) self = case_new(1, &normal, &normal);
    check_says(self, "with one normal run it is not known which data vary by themselves");
}

/* What differs from it may be chance: nobody is accused. */
static void test_one_normal_and_a_fault(void)
{
    Played usual = normal, faulty = {.culprit = 3, .step = 2, .on_the_way = -1};
    usual.no_chance = faulty.no_chance = TRUE;
    g_autoptr(Case) self = case_new(1, &usual, &faulty);
    g_assert_cmpstr(only(self)->label, ==, "3.0");
    const DtSuspect *first = g_ptr_array_index(self->verdict->suspects, 0);
    g_assert_cmpstr(first->label, ==, "3.0");
    g_assert_cmpint(first->level, ==, DT_LEVEL_WEAK);
}

static void test_without_hashes(void)
{
    Played without = normal;
    without.no_hashes = TRUE;
    g_autoptr(Case) self = case_new(2, &without, &normal);
    g_assert_null(self->data);
    g_assert_null(self->verdict->data);
    g_assert_cmpuint(self->verdict->suspects->len, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/verdict/data/sender", test_sender);
    g_test_add_func("/verdict/data/on-the-way", test_on_the_way);
    g_test_add_func("/verdict/data/chance", test_chance);
    g_test_add_func("/verdict/data/normal", test_normal);
    g_test_add_func("/verdict/data/one-normal", test_one_normal);
    g_test_add_func("/verdict/data/one-normal-and-a-fault", test_one_normal_and_a_fault);
    g_test_add_func("/verdict/data/without-hashes", test_without_hashes);
    return g_test_run();
}
