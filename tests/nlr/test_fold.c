/* Folding against its plain definition, and back. */
#include <string.h>

#include "nlr/fold.h"
#include "nlr_text.h"
#include "oracle.h"
#include "sequences.h"
#include "support/assert_same.h"

static const guint SEED = 20240611;

/* ---- what all of them look at ------------------------------------------------------- */

static void append_symbols(const guint32 *symbols, gsize count, gpointer array)
{
    g_assert_cmpuint(count, >, 0);
    g_array_append_vals(array, symbols, (guint)count);
}

static void assert_expands_to(const DtNlr *nlr, const DtLoopTable *table, const guint32 *symbols, gsize count)
{
    g_autoptr(GArray) expanded = g_array_new(FALSE, FALSE, sizeof(guint32));
    dt_nlr_expand(table, dt_nlr_elements(nlr), append_symbols, expanded);
    dt_assert_same(expanded->data, expanded->len * sizeof(guint32), symbols, count * sizeof(guint32));
    g_assert_cmpuint(dt_nlr_symbols(nlr), ==, count);
    g_assert_cmpuint(dt_nlr_expanded_length(table, dt_nlr_elements(nlr)), ==, count);
}

/* Ids of bodies at first sight, post-order, must be `next`, next + 1, ...; returns the next one. */
static guint32 assert_numbered(const DtLoopTable *table, DtElements elements, guint32 next)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (!dt_element_is_loop(element) || dt_element_body(element) < next)
            continue;
        next = assert_numbered(table, dt_loop_table_body(table, dt_element_body(element)), next);
        g_assert_cmpuint(dt_element_body(element), ==, next);
        next++;
    }
    return next;
}

/* Folds in pieces of random length when `random` is there. */
static void push_all(DtNlrFolder *folder, GRand *random, const guint32 *symbols, gsize count)
{
    while (count > 0) {
        gsize piece = !random ? count : (gsize)g_rand_int_range(random, 1, 100);
        piece = MIN(piece, count);
        dt_nlr_folder_push(folder, symbols, piece);
        symbols += piece;
        count -= piece;
    }
}

typedef struct {
    Oracle *oracle;
    DtNlrFolder *folder;
    guint k, min_repeat;
} Checker;

static void check(Checker *checker, GRand *random, const guint32 *symbols, gsize count)
{
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    push_all(checker->folder, random, symbols, count);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(checker->folder, table);
    guint applicable = 0;
    g_autofree char *expected =
        oracle_fold(checker->oracle, symbols, count, checker->k, checker->min_repeat, &applicable);
    g_autofree char *actual = nlr_text(nlr, table);
    g_assert_cmpstr(actual, ==, expected);
    g_assert_cmpuint(applicable, <=, 1);
    assert_expands_to(nlr, table, symbols, count);
    g_assert_cmpuint(assert_numbered(table, dt_nlr_elements(nlr), 0), ==, dt_loop_table_count(table));
}

static void checker_init(Checker *checker, guint k, guint min_repeat)
{
    *checker = (Checker){oracle_new(), dt_nlr_folder_new(k, min_repeat), k, min_repeat};
}

static void checker_clear(Checker *checker)
{
    oracle_free(checker->oracle);
    dt_nlr_folder_free(checker->folder);
}

static char *fold_text(const guint32 *symbols, gsize count, guint k, guint min_repeat)
{
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(k, min_repeat);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    dt_nlr_folder_push(folder, symbols, count);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    assert_expands_to(nlr, table, symbols, count);
    return nlr_text(nlr, table);
}

/* ---- against the oracle --------------------------------------------------------------- */

static const guint KS[] = {1, 2, 3, 5, 10, 50, 1000};

static void check_random(guint rounds, guint most_symbols)
{
    g_test_message("seed %u", SEED);
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    for (guint i = 0; i < G_N_ELEMENTS(KS) * 2; i++) {
        Checker checker;
        checker_init(&checker, KS[i / 2], 2 + i % 2);
        for (guint j = 0; j < rounds; j++) {
            guint length = (guint)g_rand_int_range(random, 0, (gint32)most_symbols);
            g_autoptr(GArray) sequence = SEQUENCE_MAKERS[j % SEQUENCE_MAKER_COUNT](random, length);
            check(&checker, random, (const guint32 *)(gpointer)sequence->data, sequence->len);
        }
        checker_clear(&checker);
    }
}

static void test_random_short(void)
{
    check_random(420, 120);
}

static void test_random_long(void)
{
    check_random(28, 3000);
}

/* A sequence that says itself where it repeats: pushed as repeats, it folds as pushed symbol by symbol. */
static void test_repeats(void)
{
    g_test_message("seed %u", SEED);
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    for (guint round = 0; round < 2000; round++) {
        guint k = KS[round % G_N_ELEMENTS(KS)], min_repeat = 2 + round % 2;
        g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(k, min_repeat);
        g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(guint32));
        for (guint part = 0; part < 12; part++) {
            guint length = (guint)g_rand_int_range(random, 0, 60);
            g_autoptr(GArray) sequence = SEQUENCE_MAKERS[(round + part) % SEQUENCE_MAKER_COUNT](random, length);
            g_array_append_vals(all, sequence->data, sequence->len);
            push_all(folder, random, (const guint32 *)(gpointer)sequence->data, sequence->len);
            if (all->len == 0)
                continue;
            guint period = (guint)g_rand_int_range(random, 1, (gint32)MIN(all->len, 30) + 1);
            guint times = (guint)g_rand_int_range(random, 0, 20);
            dt_nlr_folder_repeat(folder, period, times);
            for (guint i = 0; i < period * times; i++) {
                guint32 symbol = g_array_index(all, guint32, all->len - period);
                g_array_append_val(all, symbol);
            }
        }
        const guint32 *symbols = (const guint32 *)(gpointer)all->data;
        g_autoptr(DtLoopTable) table = dt_loop_table_new();
        g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
        g_autofree char *actual = nlr_text(nlr, table);
        g_autofree char *expected = fold_text(symbols, all->len, k, min_repeat);
        g_assert_cmpstr(actual, ==, expected);
        assert_expands_to(nlr, table, symbols, all->len);
        if (round % 10 == 0 && all->len < 1500) {
            g_autoptr(Oracle) oracle = oracle_new();
            guint applicable;
            g_autofree char *plain = oracle_fold(oracle, symbols, all->len, k, min_repeat, &applicable);
            g_assert_cmpstr(actual, ==, plain);
        }
    }
}

/* A hundred billion symbols, of which few are looked at. */
static void test_endless_repeats(void)
{
    const guint32 symbols[] = {9, 1, 2, 2, 2, 1, 2, 2, 2};
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(10, 2);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    dt_nlr_folder_push(folder, symbols, G_N_ELEMENTS(symbols));
    dt_nlr_folder_repeat(folder, 4, G_GUINT64_CONSTANT(4000000000));
    dt_nlr_folder_repeat(folder, 8, G_GUINT64_CONSTANT(1000));
    dt_nlr_folder_push(folder, symbols, 3);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    g_autofree char *text = nlr_text(nlr, table);
    g_assert_cmpstr(text, ==, "9 (1 (2)^3)^4000002002 9 1 2");
    g_assert_cmpuint(dt_nlr_symbols(nlr), ==, G_GUINT64_CONSTANT(16000008012));
}

/* All words over `letters` letters of up to `longest`. */
static void check_words(guint letters, guint longest, guint k, guint min_repeat)
{
    Checker checker;
    checker_init(&checker, k, min_repeat);
    guint32 word[16];
    for (guint length = 0; length <= longest; length++) {
        guint64 words = 1;
        for (guint i = 0; i < length; i++)
            words *= letters;
        /* The first letter may be fixed: names of letters do not matter. */
        for (guint64 number = 0; number < MAX(words / letters, 1); number++) {
            guint64 rest = number;
            for (guint i = length; i-- > 0; rest /= letters)
                word[i] = (guint32)(rest % letters);
            check(&checker, NULL, word, length);
        }
    }
    checker_clear(&checker);
}

static void test_all_words(void)
{
    static const guint ks[] = {1, 2, 3, 5, 10};
    for (guint i = 0; i < G_N_ELEMENTS(ks); i++)
        for (guint min_repeat = 2; min_repeat <= 3; min_repeat++) {
            check_words(2, 14, ks[i], min_repeat);
            check_words(3, 9, ks[i], min_repeat);
        }
}

/* Bodies longer than the rungs of the search: equal stretches far apart, at K and one above it. */
static void test_long_bodies(void)
{
    static const guint periods[] = {8, 9, 63, 64, 65, 66, 100, 500, 999, 1000, 1001};
    g_test_message("seed %u", SEED);
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    for (guint i = 0; i < G_N_ELEMENTS(periods) * 2; i++) {
        guint period = periods[i / 2];
        g_autoptr(GArray) sequence = g_array_new(FALSE, FALSE, sizeof(guint32));
        for (guint j = 0; j < 5 * period + 3; j++) {
            guint32 symbol = j < period ? 1 + j : g_array_index(sequence, guint32, j - period);
            g_array_append_val(sequence, symbol);
        }
        g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(1000, 2 + i % 2);
        g_autoptr(DtLoopTable) table = dt_loop_table_new();
        push_all(folder, random, (const guint32 *)(gpointer)sequence->data, sequence->len);
        g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
        DtElements elements = dt_nlr_elements(nlr);
        assert_expands_to(nlr, table, (const guint32 *)(gpointer)sequence->data, sequence->len);
        if (period > 1000) {
            g_assert_cmpuint(elements.length, ==, sequence->len);
            continue;
        }
        g_assert_cmpuint(elements.length, ==, 4);
        g_assert_cmpuint(dt_element_count(elements.elements[0]), ==, 5);
        g_assert_cmpuint(dt_loop_table_body(table, 0).length, ==, period);
        g_assert_cmpuint(dt_loop_table_body_symbols(table, 0), ==, period);
    }
}

/* K far above the default uses all rungs. */
static void test_very_long_bodies(void)
{
    static const guint periods[] = {4096, 4097, 32768, 32769, 100000};
    for (guint i = 0; i < G_N_ELEMENTS(periods); i++) {
        guint period = periods[i];
        g_autofree guint32 *symbols = g_new(guint32, period * 3);
        for (guint j = 0; j < period * 3; j++)
            symbols[j] = j % period;
        g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(DT_NLR_MAX_K, 3);
        g_autoptr(DtLoopTable) table = dt_loop_table_new();
        dt_nlr_folder_push(folder, symbols, period * 3);
        g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
        g_assert_cmpuint(dt_nlr_elements(nlr).length, ==, 1);
        assert_expands_to(nlr, table, symbols, period * 3);
    }
}

/* ---- single cases --------------------------------------------------------------------- */

/* The published prototype, whose loops were equal whatever their counts, expanded (a b^3 c)^6 to something else. */
static void test_counts_matter(void)
{
    guint32 symbols[30];
    for (guint i = 0; i < 30; i++)
        symbols[i] = i % 5 == 0 ? 1 : i % 5 == 4 ? 3 : 2;
    g_autofree char *text = fold_text(symbols, 30, 10, 2);
    g_assert_cmpstr(text, ==, "(1 (2)^3 3)^6");
    g_autofree char *strict = fold_text(symbols, 30, 10, 3);
    g_assert_cmpstr(strict, ==, "(1 (2)^3 3)^6");
    const guint32 different[] = {1, 2, 2, 3, 1, 2, 2, 2, 3};
    g_autofree char *apart = fold_text(different, G_N_ELEMENTS(different), 10, 2);
    g_assert_cmpstr(apart, ==, "1 (2)^2 3 1 (2)^3 3");
}

static void test_k_is_longest_body(void)
{
    const guint32 symbols[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    g_autofree char *folded = fold_text(symbols, G_N_ELEMENTS(symbols), 3, 2);
    g_assert_cmpstr(folded, ==, "(1 2 3)^3");
    g_autofree char *flat = fold_text(symbols, G_N_ELEMENTS(symbols), 2, 2);
    g_assert_cmpstr(flat, ==, "1 2 3 1 2 3 1 2 3");
}

static void test_min_repeat(void)
{
    const guint32 symbols[] = {7, 7, 8, 8, 8, 9, 9, 9, 9};
    g_autofree char *two = fold_text(symbols, G_N_ELEMENTS(symbols), 10, 2);
    g_assert_cmpstr(two, ==, "(7)^2 (8)^3 (9)^4");
    g_autofree char *three = fold_text(symbols, G_N_ELEMENTS(symbols), 10, 3);
    g_assert_cmpstr(three, ==, "7 7 (8)^3 (9)^4");
    g_autofree char *four = fold_text(symbols, G_N_ELEMENTS(symbols), 10, 4);
    g_assert_cmpstr(four, ==, "7 7 8 8 8 (9)^4");
}

static void test_out_of_range(void)
{
    const guint32 symbols[] = {7, 7, 7};
    g_autofree char *least = fold_text(symbols, G_N_ELEMENTS(symbols), 0, 0);
    g_assert_cmpstr(least, ==, "(7)^3");
    g_autofree char *most = fold_text(symbols, G_N_ELEMENTS(symbols), G_MAXUINT, 2);
    g_assert_cmpstr(most, ==, "(7)^3");
}

static void test_nothing(void)
{
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(10, 2);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    assert_expands_to(nlr, table, NULL, 0);
    g_assert_cmpuint(dt_nlr_elements(nlr).length, ==, 0);
    g_assert_cmpuint(dt_loop_table_count(table), ==, 0);
}

/* Returns are symbols with the top bit: the whole 32-bit range folds. */
static void test_large_symbols(void)
{
    const guint32 symbols[] = {5, 0x80000005u, 5, 0x80000005u, G_MAXUINT32, G_MAXUINT32};
    g_autofree char *text = fold_text(symbols, G_N_ELEMENTS(symbols), 10, 2);
    g_assert_cmpstr(text, ==, "(5 2147483653)^2 (4294967295)^2");
}

/* A count at its limit starts a new element; the real limit is out of reach of a test. */
static void test_count_limit(void)
{
    g_test_message("seed %u", SEED);
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    guint limited = 0;
    for (guint round = 0; round < 500; round++) {
        guint length = (guint)g_rand_int_range(random, 0, 400);
        g_autoptr(GArray) sequence = SEQUENCE_MAKERS[round % SEQUENCE_MAKER_COUNT](random, length);
        const guint32 *symbols = (const guint32 *)(gpointer)sequence->data;
        g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new_limited(10, 2, 3);
        g_autoptr(DtLoopTable) table = dt_loop_table_new();
        dt_nlr_folder_push(folder, symbols, sequence->len);
        g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
        assert_expands_to(nlr, table, symbols, sequence->len);
        DtElements elements = dt_nlr_elements(nlr);
        for (gsize i = 0; i < elements.length; i++)
            if (dt_element_is_loop(elements.elements[i])) {
                g_assert_cmpuint(dt_element_count(elements.elements[i]), <=, 3);
                limited += dt_element_count(elements.elements[i]) == 3;
            }
    }
    g_assert_cmpuint(limited, >, 0);
    const guint32 constant[] = {1, 1, 1, 1, 1, 1, 1};
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new_limited(1, 2, 3);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    dt_nlr_folder_push(folder, constant, G_N_ELEMENTS(constant));
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    g_autofree char *text = nlr_text(nlr, table);
    g_assert_cmpstr(text, ==, "((1)^3)^2 1");
}

/* ---- several traces, one table ---------------------------------------------------------- */

/* What a trace folds to depends on no other trace; equal bodies have one id. */
static void test_shared_table(void)
{
    g_test_message("seed %u", SEED);
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_autoptr(DtLoopTable) shared = dt_loop_table_new();
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(20, 2);
    g_autoptr(GHashTable) bodies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint round = 0; round < 700; round++) {
        g_autoptr(GArray) sequence = SEQUENCE_MAKERS[round % SEQUENCE_MAKER_COUNT](random, 200);
        const guint32 *symbols = (const guint32 *)(gpointer)sequence->data;
        dt_nlr_folder_push(folder, symbols, sequence->len);
        guint32 known = dt_loop_table_count(shared);
        g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, shared);
        g_autofree char *alone = fold_text(symbols, sequence->len, 20, 2);
        g_autofree char *together = nlr_text(nlr, shared);
        g_assert_cmpstr(together, ==, alone);
        g_assert_cmpuint(assert_numbered(shared, dt_nlr_elements(nlr), known), ==, dt_loop_table_count(shared));
    }
    for (guint32 id = 0; id < dt_loop_table_count(shared); id++) {
        GString *text = g_string_new(NULL);
        nlr_append_elements(text, shared, dt_loop_table_body(shared, id));
        g_assert_true(g_hash_table_add(bodies, g_string_free(text, FALSE)));
    }
    g_assert_cmpuint(g_hash_table_size(bodies), >, 500);
}

/* Bodies stay where they are while the table grows. */
static void test_bodies_stay(void)
{
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(10, 2);
    const DtElement *first = NULL;
    for (guint32 i = 0; i < 5000; i++) {
        const guint32 symbols[] = {i, i + 1, i, i + 1};
        dt_nlr_folder_push(folder, symbols, G_N_ELEMENTS(symbols));
        dt_nlr_free(dt_nlr_folder_finish(folder, table));
        g_assert_cmpuint(dt_loop_table_count(table), ==, i + 1);
        if (i == 0)
            first = dt_loop_table_body(table, 0).elements;
    }
    g_assert_true(dt_loop_table_body(table, 0).elements == first);
    g_assert_cmpuint(first[0], ==, 0);
    g_assert_cmpuint(first[1], ==, 1);
}

/* A million symbols through one folder twice: nothing of the first remains. */
static void test_folder_again(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_autoptr(GArray) sequence = sequence_jittered(random, 1000000);
    const guint32 *symbols = (const guint32 *)(gpointer)sequence->data;
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(1000, 2);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    dt_nlr_folder_push(folder, symbols, sequence->len);
    g_autoptr(DtNlr) first = dt_nlr_folder_finish(folder, table);
    guint32 bodies = dt_loop_table_count(table);
    dt_nlr_folder_push(folder, symbols, sequence->len);
    g_autoptr(DtNlr) second = dt_nlr_folder_finish(folder, table);
    g_assert_cmpuint(dt_loop_table_count(table), ==, bodies);
    DtElements a = dt_nlr_elements(first), b = dt_nlr_elements(second);
    dt_assert_same(a.elements, a.length * sizeof(DtElement), b.elements, b.length * sizeof(DtElement));
    assert_expands_to(second, table, symbols, sequence->len);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nlr/fold/random-short", test_random_short);
    g_test_add_func("/nlr/fold/random-long", test_random_long);
    g_test_add_func("/nlr/fold/repeats", test_repeats);
    g_test_add_func("/nlr/fold/endless-repeats", test_endless_repeats);
    g_test_add_func("/nlr/fold/all-words", test_all_words);
    g_test_add_func("/nlr/fold/long-bodies", test_long_bodies);
    g_test_add_func("/nlr/fold/very-long-bodies", test_very_long_bodies);
    g_test_add_func("/nlr/fold/counts-matter", test_counts_matter);
    g_test_add_func("/nlr/fold/k-is-longest-body", test_k_is_longest_body);
    g_test_add_func("/nlr/fold/min-repeat", test_min_repeat);
    g_test_add_func("/nlr/fold/out-of-range", test_out_of_range);
    g_test_add_func("/nlr/fold/nothing", test_nothing);
    g_test_add_func("/nlr/fold/large-symbols", test_large_symbols);
    g_test_add_func("/nlr/fold/count-limit", test_count_limit);
    g_test_add_func("/nlr/table/shared", test_shared_table);
    g_test_add_func("/nlr/table/bodies-stay", test_bodies_stay);
    g_test_add_func("/nlr/folder/again", test_folder_again);
    return g_test_run();
}
