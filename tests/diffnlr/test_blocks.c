/*
 * Blocks of a diffNLR, open calls, and the first difference in words.
 */
#include <string.h>

#include "diffnlr/diffnlr.h"

enum { SEED = 19860101, ROUNDS = 1500, LETTERS = 6 };

/* Two traces over the same functions and bodies. */
typedef struct {
    DtFunctions *functions;
    DtLoopTable *table;
    DtFoldedTrace normal, faulty;
    DtDiffNlr *diff;
} Pair;

static guint32 function_id(Pair *pair, const char *name)
{
    return dt_functions_intern(pair->functions, "app", TRUE, name, 0, 0);
}

/*
 * "A B (C D)*3 E!": calls, rows of calls so many times, and a call that never
 * returned.
 */
static void push_word(Pair *pair, DtNlrFolder *folder, GArray *open, const char *word)
{
    g_autofree char *name = g_strdup(word);
    gsize length = strlen(name);
    gboolean stays = length > 0 && name[length - 1] == '!';
    if (stays)
        name[length - 1] = '\0';
    guint32 id = function_id(pair, name);
    dt_nlr_folder_push(folder, &id, 1);
    if (stays)
        g_array_append_val(open, id);
}

static void push_row(Pair *pair, DtNlrFolder *folder, GArray *open, const char *row, guint64 times)
{
    g_auto(GStrv) words = g_strsplit(row, " ", -1);
    for (guint64 i = 0; i < times; i++) {
        for (char **word = words; *word; word++) {
            if (**word)
                push_word(pair, folder, open, *word);
        }
    }
}

static void fold_text(Pair *pair, DtFoldedTrace *folded, const char *text)
{
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(DT_NLR_DEFAULT_K, DT_NLR_DEFAULT_MIN_REPEAT);
    folded->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    while (*text) {
        const char *bracket = strchr(text, '(');
        g_autofree char *before = bracket ? g_strndup(text, (gsize)(bracket - text)) : g_strdup(text);
        push_row(pair, folder, folded->open, before, 1);
        if (!bracket)
            break;
        const char *end = strchr(bracket, ')');
        g_autofree char *row = g_strndup(bracket + 1, (gsize)(end - bracket - 1));
        char *rest = NULL;
        guint64 times = g_ascii_strtoull(end + 2, &rest, 10);
        push_row(pair, folder, folded->open, row, times);
        text = rest;
    }
    folded->nlr = dt_nlr_folder_finish(folder, pair->table);
}

static Pair pair_new(void)
{
    Pair pair = {0};
    pair.functions = dt_functions_new();
    pair.table = dt_loop_table_new();
    return pair;
}

static Pair pair_of(const char *normal, const char *faulty)
{
    Pair pair = pair_new();
    fold_text(&pair, &pair.normal, normal);
    fold_text(&pair, &pair.faulty, faulty);
    pair.diff = dt_diffnlr_new(&pair.normal, &pair.faulty);
    return pair;
}

static void pair_clear(Pair *pair)
{
    dt_diffnlr_free(pair->diff);
    dt_nlr_free(pair->normal.nlr);
    dt_nlr_free(pair->faulty.nlr);
    g_array_unref(pair->normal.open);
    g_array_unref(pair->faulty.open);
    dt_loop_table_free(pair->table);
    dt_functions_unref(pair->functions);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pair, pair_clear)

static gboolean same_elements(DtElements a, DtElements b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.elements, b.elements, a.length * sizeof(DtElement)) == 0);
}

/* Blocks lie end to end over both sequences, common and changed in turn. */
static void check_blocks(const Pair *pair)
{
    DtElements normal = dt_nlr_elements(pair->normal.nlr), faulty = dt_nlr_elements(pair->faulty.nlr);
    gsize in_normal = 0, in_faulty = 0, distance = 0;
    for (guint i = 0; i < pair->diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(pair->diff->blocks, DtDiffBlock, i);
        g_assert_true(i == 0 || block->common != g_array_index(pair->diff->blocks, DtDiffBlock, i - 1).common);
        g_assert_true(block->normal.length == 0 || block->normal.elements == normal.elements + in_normal);
        g_assert_true(block->faulty.length == 0 || block->faulty.elements == faulty.elements + in_faulty);
        g_assert_cmpuint(block->normal.length + block->faulty.length, >, 0);
        if (block->common)
            g_assert_true(same_elements(block->normal, block->faulty));
        else
            distance += block->normal.length + block->faulty.length;
        in_normal += block->normal.length;
        in_faulty += block->faulty.length;
    }
    g_assert_cmpuint(in_normal, ==, normal.length);
    g_assert_cmpuint(in_faulty, ==, faulty.length);
    g_assert_cmpuint(pair->diff->distance, ==, distance);
}

static char *random_text(GRand *random)
{
    GString *text = g_string_new(NULL);
    gint pieces = g_rand_int_range(random, 0, 12);
    for (gint i = 0; i < pieces; i++) {
        gint letter = g_rand_int_range(random, 0, LETTERS);
        if (g_rand_int_range(random, 0, 3) == 0)
            g_string_append_printf(text, "(%c %c)*%d ", 'a' + letter, 'a' + (letter + 1) % LETTERS,
                                   g_rand_int_range(random, 1, 9));
        else
            g_string_append_printf(text, "%c ", 'a' + letter);
    }
    return g_string_free(text, FALSE);
}

static void test_tile(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_test_message("seed %d", SEED);
    for (guint round = 0; round < ROUNDS; round++) {
        g_autofree char *normal = random_text(random), *other = random_text(random);
        g_autofree char *faulty = round % 2 == 0 ? g_strconcat(normal, other, NULL) : g_strdup(other);
        g_auto(Pair) pair = pair_of(normal, faulty);
        check_blocks(&pair);
        gboolean same = same_elements(dt_nlr_elements(pair.normal.nlr), dt_nlr_elements(pair.faulty.nlr));
        g_assert_cmpint(pair.diff->same, ==, same);
        g_autofree char *difference = dt_diffnlr_first_difference(pair.diff, pair.functions);
        g_assert_cmpint(!difference, ==, same);
        g_assert_true(!difference || !strchr(difference, '\n'));
        g_autofree char *position = dt_diffnlr_end_position(pair.diff, pair.functions);
        g_assert_cmpint(!position, ==, dt_nlr_elements(pair.faulty.nlr).length == 0);
    }
}

/* The literature's swapped send and receive: a loop is one element, with its count. */
static void test_loops_stay_whole(void)
{
    g_auto(Pair) pair = pair_of("Init (Send Recv)*3 (Recv Send)*16 Finalize",
                                "Init (Send Recv)*3 (Recv Send)*7 (Send Recv)*9 Finalize");
    check_blocks(&pair);
    g_assert_cmpuint(pair.diff->blocks->len, ==, 3);
    const DtDiffBlock *change = &g_array_index(pair.diff->blocks, DtDiffBlock, 1);
    g_autofree char *normal = dt_elements_text(change->normal, pair.functions);
    g_autofree char *faulty = dt_elements_text(change->faulty, pair.functions);
    g_assert_cmpstr(normal, ==, "L1^16");
    g_assert_cmpstr(faulty, ==, "L1^7 L0^9");
    g_assert_cmpuint(pair.diff->distance, ==, 3);
    g_assert_cmpuint(pair.diff->faulty_open, ==, 0);
}

static void test_open_calls(void)
{
    g_auto(Pair) stuck = pair_of("A B C", "A B!");
    g_assert_cmpuint(stuck.diff->normal_open, ==, 0);
    g_assert_cmpuint(stuck.diff->faulty_open, ==, function_id(&stuck, "B"));
    g_assert_false(stuck.diff->same);
    g_auto(Pair) ends = pair_of("A B", "A B!");
    g_assert_cmpuint(ends.diff->distance, ==, 0);
    g_assert_false(ends.diff->same);
    g_auto(Pair) both = pair_of("A B!", "A B!");
    g_assert_true(both.diff->same);
    /* The innermost is the same, but what called it is not. */
    g_auto(Pair) nested = pair_of("A B!", "A! B!");
    g_assert_false(nested.diff->same);
}

typedef struct {
    const char *normal, *faulty, *difference, *position;
} Wording;

static const Wording wordings[] = {
    {"A B C", "A B C", NULL, "after C"},
    {"", "", NULL, NULL},
    {"X (A B)*3 (B A)*16 F", "X (A B)*3 (B A)*7 (A B)*9 F", "after 7 of 16 iterations of L1: L0^9 instead", "after F"},
    {"X (A B)*16 F", "X (A B)*7 F", "only 7 of 16 iterations of L0", "after F"},
    {"X (A B)*16 F", "X (A B)*18 F", "18 iterations of L0 instead of 16", "after F"},
    {"X (A B)*16 F", "X (A B)*7", "ends after 7 of 16 iterations of L0", "after 7 of 16 iterations of L0"},
    {"X (A B)*16 F", "X (A B)*7 A!", "ends in A after 7 of 16 iterations of L0", "after 7 of 16 iterations of L0"},
    {"X (A B)*16 F", "X (A B)*7 A A!", "ends in A after 7 of 16 iterations of L0", "after 7 of 16 iterations of L0"},
    {"X (A B)*16 F", "X (A B)*7 C A!", "ends in A after 7 of 16 iterations of L0 and C",
     "after 7 of 16 iterations of L0 and C"},
    {"A B C", "A D C", "after A: D instead of B", "after C"},
    {"A B C", "A C", "after A: B missing", "after C"},
    {"A C", "A B C", "after A: B in addition", "after C"},
    {"A B C D", "A B", "ends after B: C D missing", "after B"},
    {"A B C D", "A B!", "ends in B after A", "after A"},
    {"A B C D", "A!", "ends in A", NULL},
    {"A B", "A B!", "ends in B, which never returned after A", "after A"},
    {"A B!", "A B", "returns from B, which never returned in the normal run", "after B"},
    {"A B!", "A! B!", "ends in B, called from elsewhere", "after A"},
    {"A B", "C B", "at the start: C instead of A", "after B"},
    {"A B C", "A", "ends after A: B C missing", "after A"},
    {"A B", "", "ends at the start: A B missing", NULL},
    {"A Z", "A B C D E G H Z", "after A: B C D E ... (6 elements) in addition", "after Z"},
};

static void test_wording(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(wordings); i++) {
        g_auto(Pair) pair = pair_of(wordings[i].normal, wordings[i].faulty);
        g_autofree char *difference = dt_diffnlr_first_difference(pair.diff, pair.functions);
        g_autofree char *position = dt_diffnlr_end_position(pair.diff, pair.functions);
        g_assert_cmpstr(difference, ==, wordings[i].difference);
        g_assert_cmpstr(position, ==, wordings[i].position);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diffnlr/blocks/tile", test_tile);
    g_test_add_func("/diffnlr/blocks/loops-stay-whole", test_loops_stay_whole);
    g_test_add_func("/diffnlr/blocks/open-calls", test_open_calls);
    g_test_add_func("/diffnlr/blocks/wording", test_wording);
    return g_test_run();
}
