/*
 * Folded rows answer as plain ones do; batches that come many times are followed as if they were written out.
 */
#include <string.h>

#include "format/arguments.h"
#include "verdict/observed/observer.h"

enum { SYMBOLS = 6, ROWS = 24, LONGEST = 4000 };

/* ---- folded and plain -------------------------------------------------------------------------- */

static GArray *row_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(guint32));
}

/* Loops in loops, and what is irregular. */
static void append_random(GArray *row, GRand *random, guint depth)
{
    guint parts = (guint)g_rand_int_range(random, 1, 5);
    for (guint i = 0; i < parts && row->len < LONGEST; i++) {
        guint start = row->len;
        guint32 symbol = (guint32)g_rand_int_range(random, 0, SYMBOLS);
        if (depth > 0 && g_rand_int_range(random, 0, 3) > 0)
            append_random(row, random, depth - 1);
        else
            g_array_append_val(row, symbol);
        guint length = row->len - start;
        for (gint times = g_rand_int_range(random, 0, 9); times > 0 && row->len < LONGEST; --times) {
            g_array_set_size(row, row->len + length);
            memcpy(row->data + (row->len - length) * sizeof symbol, row->data + start * sizeof symbol,
                   length * sizeof symbol);
        }
    }
}

/* Half of them are others cut off, changed at a place, or both. */
static GArray *random_row(GRand *random, GPtrArray *others)
{
    GArray *row = row_new();
    if (others->len == 0 || g_rand_boolean(random)) {
        append_random(row, random, 3);
        return row;
    }
    const GArray *other = g_ptr_array_index(others, (guint)g_rand_int_range(random, 0, (gint)others->len));
    g_array_append_vals(row, other->data, other->len);
    if (row->len > 0 && g_rand_boolean(random))
        g_array_index(row, guint32, (guint)g_rand_int_range(random, 0, (gint)row->len)) = 0;
    if (row->len > 0 && g_rand_boolean(random))
        g_array_set_size(row, (guint)g_rand_int_range(random, 0, (gint)row->len));
    return row;
}

static guint32 at(const GArray *row, guint position)
{
    return g_array_index(row, guint32, position);
}

static guint is_library(guint32 symbol)
{
    return symbol % 3 == 0 ? 1 : 0;
}

static DtAlphabet *alphabet_of_test(void)
{
    DtAlphabet *alphabet = dt_alphabet_new();
    for (guint32 i = 0; i < SYMBOLS; i++) {
        DtCallSymbol symbol = {0, i + 1, is_library(i) ? DT_KIND_LIBRARY : 0};
        g_array_append_val(alphabet->symbols, symbol);
    }
    return alphabet;
}

static guint library_calls(const GArray *row, guint end)
{
    guint calls = 0;
    for (guint i = 0; i < end; i++)
        calls += is_library(at(row, i));
    return calls;
}

static void check_bytes(GArray *a, GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    g_assert_true(a->len == 0 || memcmp(a->data, b->data, a->len * g_array_get_element_size(a)) == 0);
}

static void check_places(const GArray *row, const DtSequence *sequence)
{
    g_assert_cmpuint(dt_sequence_length(sequence), ==, row->len);
    guint step = 1 + row->len / 64;
    for (guint i = 0; i < row->len; i += step) {
        g_assert_cmpuint(dt_sequence_at(sequence, i), ==, at(row, i));
        g_assert_cmpuint(dt_sequence_library_calls(sequence, i), ==, library_calls(row, i));
    }
    g_assert_cmpuint(dt_sequence_library_calls(sequence, row->len), ==, library_calls(row, row->len));
}

static void count_plainly(DtGramMap *grams, guint64 key, guint position, guint step)
{
    DtGram *gram = dt_gram_map_get(grams, key);
    if (gram->count++ == 0) {
        gram->position = position;
        gram->step = step;
    }
}

static void check_grams(const GArray *row, const DtSequence *sequence)
{
    g_autoptr(DtGramMap) plain = dt_gram_map_new();
    g_autoptr(DtGramMap) folded = dt_sequence_grams(sequence);
    guint step = 0;
    for (guint i = 0; i < row->len; i++) {
        count_plainly(plain, dt_gram_single(at(row, i)), i, step);
        if (i > 0)
            count_plainly(plain, dt_gram_pair(at(row, i - 1), at(row, i)), i, step);
        step += is_library(at(row, i));
    }
    check_bytes(plain->grams, folded->grams);
}

static void check_pair(const GArray *a, const DtSequence *first, const GArray *b, const DtSequence *second)
{
    guint common = 0;
    while (common < MIN(a->len, b->len) && at(a, common) == at(b, common))
        ++common;
    g_assert_cmpuint(dt_sequence_common_prefix(first, second), ==, common);
    g_assert_cmpint(dt_sequence_equal(first, second), ==, common == a->len && common == b->len);
}

static void test_folded(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed((guint32)g_test_rand_int());
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autoptr(DtAlphabet) alphabet = alphabet_of_test();
    DtNlrFolder *folder = dt_nlr_folder_new(50, 2);
    DtSequence sequences[ROWS];
    for (guint i = 0; i < ROWS; i++) {
        GArray *row = random_row(random, rows);
        g_ptr_array_add(rows, row);
        dt_nlr_folder_push(folder, (const guint32 *)(const void *)row->data, row->len);
        sequences[i] = (DtSequence){alphabet, dt_nlr_folder_finish(folder, alphabet->bodies)};
    }
    dt_alphabet_complete(alphabet);
    for (guint i = 0; i < ROWS; i++) {
        check_places(rows->pdata[i], &sequences[i]);
        check_grams(rows->pdata[i], &sequences[i]);
        for (guint j = 0; j < ROWS; j++)
            check_pair(rows->pdata[i], &sequences[i], rows->pdata[j], &sequences[j]);
    }
    for (guint i = 0; i < ROWS; i++)
        dt_nlr_free(sequences[i].nlr);
    dt_nlr_folder_free(folder);
}

/* A billion calls, no two loops folded alike at the end. */
static void test_long(void)
{
    g_autoptr(DtAlphabet) alphabet = alphabet_of_test();
    DtNlrFolder *folder = dt_nlr_folder_new(50, 2);
    const guint32 body[] = {0, 1, 2, 1};
    const guint64 times = G_GUINT64_CONSTANT(250000000);
    DtSequence sequences[2];
    for (guint i = 0; i < 2; i++) {
        dt_nlr_folder_push(folder, body, 4);
        dt_nlr_folder_repeat(folder, 4, times - 1 - i);
        dt_nlr_folder_push(folder, i == 0 ? body : body + 1, 3);
        sequences[i] = (DtSequence){alphabet, dt_nlr_folder_finish(folder, alphabet->bodies)};
    }
    dt_alphabet_complete(alphabet);
    g_assert_cmpuint(dt_sequence_common_prefix(&sequences[0], &sequences[1]), ==, 4 * (times - 1));
    g_assert_cmpuint(dt_sequence_at(&sequences[1], 4 * (times - 1)), ==, 1);
    g_assert_cmpuint(dt_sequence_library_calls(&sequences[0], 4 * times), ==, times);
    g_autoptr(DtGramMap) grams = dt_sequence_grams(&sequences[0]);
    g_assert_cmpuint(dt_gram_map_find(grams, dt_gram_single(1))->count, ==, 2 * times + 1);
    g_assert_cmpuint(dt_gram_map_find(grams, dt_gram_pair(1, 0))->count, ==, times);
    g_assert_cmpuint(dt_gram_map_find(grams, dt_gram_pair(1, 0))->position, ==, 4);
    for (guint i = 0; i < 2; i++)
        dt_nlr_free(sequences[i].nlr);
    dt_nlr_folder_free(folder);
}

/* ---- batches --------------------------------------------------------------------------------------- */

static const guint16 kinds[] = {0,
                                0,
                                0,
                                0,
                                DT_KIND_MPI | DT_KIND_LIBRARY,
                                DT_KIND_LIBRARY,
                                DT_KIND_POLLING,
                                DT_KIND_POLLING | DT_KIND_MPI,
                                DT_KIND_ENDING,
                                DT_KIND_MEMORY | DT_KIND_AUXILIARY};
enum { FUNCTIONS = G_N_ELEMENTS(kinds) - 1 };

/* Whole calls, one in the other; polls are frequent. */
static void append_calls(GArray *events, GRand *random, guint depth)
{
    const guint32 leave = DT_EVENT_RETURN;
    for (gint calls = g_rand_int_range(random, 1, 4); calls > 0; --calls) {
        guint32 function = (guint32)g_rand_int_range(random, 1, FUNCTIONS + 1);
        g_array_append_val(events, function);
        if (depth > 0 && g_rand_boolean(random))
            append_calls(events, random, depth - 1);
        g_array_append_val(events, leave);
    }
}

static DtEventBatch batch_of(const GArray *events, guint64 times)
{
    return (DtEventBatch){(const guint32 *)(const void *)events->data, events->len, times};
}

/* Batches between calls that open, and some that return, as they come: once as batches, once written out. */
static void follow_randomly(DtObserver *observer, GRand *random, gboolean written_out)
{
    const guint32 leave = DT_EVENT_RETURN;
    for (guint step = 0; step < 12; step++) {
        g_autoptr(GArray) single = row_new(), events = row_new();
        guint32 function = (guint32)g_rand_int_range(random, 1, FUNCTIONS + 1);
        g_array_append_vals(single, g_rand_int_range(random, 0, 3) > 0 ? &function : &leave, 1);
        DtEventBatch opening = batch_of(single, 1);
        dt_observer_follow(observer, &opening);
        append_calls(events, random, 2);
        guint64 times = (guint64)g_rand_int_range(random, 1, 60);
        DtEventBatch batch = batch_of(events, written_out ? 1 : times);
        for (guint64 i = 0; i < (written_out ? times : 1); i++)
            dt_observer_follow(observer, &batch);
    }
}

static void check_same(const DtObservation *a, const DtObservation *b)
{
    g_assert_true(dt_sequence_equal(&a->entries, &b->entries));
    g_assert_true(dt_sequence_equal(&a->library, &b->library));
    check_bytes(a->bodies->grams, b->bodies->grams);
    check_bytes(a->open, b->open);
    g_assert_cmpuint(a->last_entry, ==, b->last_entry);
}

static void test_batches(void)
{
    g_autoptr(DtAlphabet) alphabet = dt_alphabet_new();
    g_autoptr(DtGramMap) known = dt_gram_map_new();
    DtSymbolTable table = {kinds, NULL, alphabet, known};
    DtObserver *observer = dt_observer_new(&table);
    for (guint32 seed = 0; seed < 300; seed++) {
        DtObservation *observations[2];
        for (guint written_out = 0; written_out < 2; written_out++) {
            g_autoptr(GRand) random = g_rand_new_with_seed(seed);
            follow_randomly(observer, random, written_out == 1);
            observations[written_out] = dt_observer_finish(observer);
        }
        check_same(observations[0], observations[1]);
        dt_observation_free(observations[0]);
        dt_observation_free(observations[1]);
    }
    dt_observer_free(observer);
}

/* Polls, and calls that did nothing but poll, leave no symbol; what is open stays. */
static void test_polls(void)
{
    g_autoptr(DtAlphabet) alphabet = dt_alphabet_new();
    g_autoptr(DtGramMap) known = dt_gram_map_new();
    DtSymbolTable table = {kinds, NULL, alphabet, known};
    DtObserver *observer = dt_observer_new(&table);
    enum { MAIN = 1, WORK = 2, ASK = 3, SEND = 4, POLL = 6, OUT = DT_EVENT_RETURN };
    const guint32 events[] = {MAIN, ASK, POLL, OUT,  OUT, ASK, POLL, OUT, WORK,
                              OUT,  OUT, SEND, WORK, OUT, OUT, ASK,  POLL};
    const guint32 kept[] = {MAIN, ASK, WORK, SEND};
    dt_observer_follow(observer, &(DtEventBatch){events, G_N_ELEMENTS(events), 1});
    DtObservation *observation = dt_observer_finish(observer);
    g_assert_cmpuint(dt_sequence_length(&observation->entries), ==, G_N_ELEMENTS(kept));
    for (guint i = 0; i < G_N_ELEMENTS(kept); i++)
        g_assert_cmpuint(dt_alphabet_symbol(alphabet, dt_sequence_at(&observation->entries, i))->callee, ==, kept[i]);
    g_assert_cmpuint(dt_sequence_length(&observation->library), ==, 1);
    g_assert_cmpuint(observation->open->len, ==, 3);
    g_assert_cmpuint(observation->last_entry, ==, POLL);
    dt_observation_free(observation);
    dt_observer_free(observer);
}

/* What malloc does for itself leaves none either. */
static void test_memory(void)
{
    g_autoptr(DtAlphabet) alphabet = dt_alphabet_new();
    g_autoptr(DtGramMap) known = dt_gram_map_new();
    DtSymbolTable table = {kinds, NULL, alphabet, known};
    DtObserver *observer = dt_observer_new(&table);
    enum { MAIN = 1, INNER = 2, INNERMOST = 3, ALLOCATE = 9, OUT = DT_EVENT_RETURN };
    const guint32 events[] = {MAIN, ALLOCATE, INNER, INNERMOST, OUT, OUT, OUT, INNER, OUT, OUT};
    const guint32 kept[] = {MAIN, ALLOCATE, INNER};
    dt_observer_follow(observer, &(DtEventBatch){events, G_N_ELEMENTS(events), 1});
    DtObservation *observation = dt_observer_finish(observer);
    g_assert_cmpuint(dt_sequence_length(&observation->entries), ==, G_N_ELEMENTS(kept));
    for (guint i = 0; i < G_N_ELEMENTS(kept); i++)
        g_assert_cmpuint(dt_alphabet_symbol(alphabet, dt_sequence_at(&observation->entries, i))->callee, ==, kept[i]);
    dt_observation_free(observation);
    dt_observer_free(observer);
}

/* After MPI_Waitany the places of requests are luck, until none is live. */
static void test_request_places(void)
{
    enum { MAIN = 1, WAIT = 2, WAIT_FIRST = 3, WAIT_SECOND = 4, WAITANY = 5, WAITALL = 6, OUT = DT_EVENT_RETURN };
    const guint16 no_kinds[7] = {0};
    const DtRequestPlaces places[7] = {
        [MAIN] = {MAIN, DT_PLACES_STAY},           [WAIT] = {WAIT, DT_PLACES_STAY},
        [WAIT_FIRST] = {WAIT, DT_PLACES_STAY},     [WAIT_SECOND] = {WAIT, DT_PLACES_STAY},
        [WAITANY] = {WAITANY, DT_PLACES_ARE_LUCK}, [WAITALL] = {WAITALL, DT_PLACES_ARE_NEW}};
    g_autoptr(DtAlphabet) alphabet = dt_alphabet_new();
    g_autoptr(DtGramMap) known = dt_gram_map_new();
    DtSymbolTable table = {no_kinds, places, alphabet, known};
    DtObserver *observer = dt_observer_new(&table);
    const guint32 events[] = {MAIN, WAIT_FIRST, OUT, WAITANY,    OUT, WAIT_SECOND,
                              OUT,  WAITALL,    OUT, WAIT_FIRST, OUT, OUT};
    const guint32 expected[] = {MAIN, WAIT_FIRST, WAITANY, WAIT, WAITALL, WAIT_FIRST};
    dt_observer_follow(observer, &(DtEventBatch){events, G_N_ELEMENTS(events), 1});
    DtObservation *observation = dt_observer_finish(observer);
    g_assert_cmpuint(dt_sequence_length(&observation->entries), ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
        g_assert_cmpuint(dt_alphabet_symbol(alphabet, dt_sequence_at(&observation->entries, i))->callee, ==,
                         expected[i]);
    dt_observation_free(observation);
    dt_observer_free(observer);
}

static guint32 call_naming(DtFunctions *functions, const char *name, DtArgument live)
{
    DtSignature signature = {.argument_count = 1, .arguments = {live}};
    signature.function = dt_functions_intern(functions, "libmpi.so", FALSE, name, 0, 0);
    return dt_functions_intern_signature(functions, &signature);
}

static void test_calls_that_tell_places(void)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    const DtArgument second = {.kind = DT_ARGUMENT_LIVE, .value = 1};
    const DtArgument all = {.kind = DT_ARGUMENT_LIVE, .special = DT_SPECIAL_ALL};
    const guint32 wait = call_naming(functions, "MPI_Wait", second), any = call_naming(functions, "MPI_Waitany", all);
    const guint32 some = call_naming(functions, "MPI_Waitall", second);
    const guint32 every = call_naming(functions, "MPI_Waitall", all);
    g_autofree DtRequestPlaces *places = dt_request_places(functions);
    g_assert_cmpuint(places[wait].placeless, ==, dt_functions_base(functions, wait));
    g_assert_cmpuint(places[any].placeless, ==, any);
    g_assert_cmpuint(places[every].placeless, ==, every);
    g_assert_cmpint(places[wait].after, ==, DT_PLACES_STAY);
    g_assert_cmpint(places[any].after, ==, DT_PLACES_ARE_LUCK);
    g_assert_cmpint(places[some].after, ==, DT_PLACES_STAY);
    g_assert_cmpint(places[every].after, ==, DT_PLACES_ARE_NEW);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rank/sequence/folded", test_folded);
    g_test_add_func("/rank/sequence/long", test_long);
    g_test_add_func("/rank/observer/batches", test_batches);
    g_test_add_func("/rank/observer/polls", test_polls);
    g_test_add_func("/rank/observer/memory", test_memory);
    g_test_add_func("/sequence/request-places", test_request_places);
    g_test_add_func("/sequence/calls-that-tell-places", test_calls_that_tell_places);
    return g_test_run();
}
