/*
 * Myers' shortest edit script against two independent oracles: the table of
 * longest common subsequences, and GNU diff --minimal.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "diffnlr/diffnlr.h"

enum { SEED = 20210317, TABLE_ROUNDS = 4000, GNU_DIFF_ROUNDS = 300 };

typedef struct {
    guint64 *elements;
    gsize length;
} Sequence;

static void sequence_clear(Sequence *sequence)
{
    g_free(sequence->elements);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sequence, sequence_clear)

static GRand *seeded(void)
{
    g_test_message("seed %d", SEED);
    return g_rand_new_with_seed(SEED);
}

static guint64 random_element(GRand *random, guint letters)
{
    /* Far apart, as symbols and loops are. */
    return (guint64)g_rand_int_range(random, 0, (gint32)letters) << (g_rand_boolean(random) ? 0 : 33);
}

static Sequence random_sequence(GRand *random, gsize length, guint letters)
{
    Sequence sequence = {g_new(guint64, length + 1), length};
    for (gsize i = 0; i < length; i++)
        sequence.elements[i] = random_element(random, letters);
    return sequence;
}

/* The sequence with elements dropped, changed and put in, each with the given probability. */
static Sequence edited(GRand *random, Sequence of, double probability, guint letters)
{
    Sequence sequence = {g_new(guint64, 2 * of.length + 2), 0};
    for (gsize i = 0; i < of.length; i++) {
        double what = g_rand_double(random) / probability;
        if (what < 1)
            continue;
        if (what < 2)
            sequence.elements[sequence.length++] = random_element(random, letters);
        sequence.elements[sequence.length++] = what >= 2 && what < 3 ? random_element(random, letters) : of.elements[i];
    }
    return sequence;
}

/* Rows of runs: they tile both sequences in order, are maximal, and turn a into b. */
static void check_script(const GArray *runs, Sequence a, Sequence b)
{
    gsize in_a = 0, in_b = 0;
    for (guint i = 0; i < runs->len; i++) {
        const DtDiffRun *run = &g_array_index(runs, DtDiffRun, i);
        g_assert_cmpuint(run->length, >, 0);
        g_assert_cmpuint(run->a, ==, in_a);
        g_assert_cmpuint(run->b, ==, in_b);
        if (i > 0) {
            DtDiffKind before = g_array_index(runs, DtDiffRun, i - 1).kind;
            g_assert_cmpint(before, !=, run->kind);
            g_assert_false(before == DT_DIFF_ADDED && run->kind == DT_DIFF_REMOVED);
        }
        in_a += run->kind == DT_DIFF_ADDED ? 0 : run->length;
        in_b += run->kind == DT_DIFF_REMOVED ? 0 : run->length;
        g_assert_cmpuint(in_a, <=, a.length);
        g_assert_cmpuint(in_b, <=, b.length);
        if (run->kind == DT_DIFF_COMMON)
            g_assert_true(memcmp(a.elements + run->a, b.elements + run->b, run->length * sizeof(guint64)) == 0);
    }
    g_assert_cmpuint(in_a, ==, a.length);
    g_assert_cmpuint(in_b, ==, b.length);
}

static gsize distance_by_table(Sequence a, Sequence b)
{
    g_autofree gsize *common = g_new0(gsize, b.length + 1);
    for (gsize i = 0; i < a.length; i++) {
        gsize diagonal = 0;
        for (gsize j = 1; j <= b.length; j++) {
            gsize above = common[j];
            common[j] = a.elements[i] == b.elements[j - 1] ? diagonal + 1 : MAX(common[j], common[j - 1]);
            diagonal = above;
        }
    }
    return a.length + b.length - 2 * common[b.length];
}

static void test_table(void)
{
    g_autoptr(GRand) random = seeded();
    for (guint round = 0; round < TABLE_ROUNDS; round++) {
        guint letters = (guint)g_rand_int_range(random, 1, round % 3 == 0 ? 60 : 6);
        g_auto(Sequence) a = random_sequence(random, (gsize)g_rand_int_range(random, 0, 90), letters);
        g_auto(Sequence) b = round % 2 == 0 ? edited(random, a, g_rand_double_range(random, 0.01, 0.3), letters)
                                            : random_sequence(random, (gsize)g_rand_int_range(random, 0, 90), letters);
        g_autoptr(GArray) runs = dt_myers(a.elements, a.length, b.elements, b.length);
        check_script(runs, a, b);
        g_assert_cmpuint(dt_edit_distance(runs), ==, distance_by_table(a, b));
    }
}

static char *write_lines(const char *folder, const char *name, Sequence sequence)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (gsize i = 0; i < sequence.length; i++)
        g_string_append_printf(text, "%" G_GUINT64_FORMAT "\n", sequence.elements[i]);
    char *path = g_build_filename(folder, name, NULL);
    g_assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
    return path;
}

static gsize distance_by_gnu_diff(const char *a_path, const char *b_path)
{
    const char *arguments[] = {"diff", "--minimal", a_path, b_path, NULL};
    g_autofree char *output = NULL;
    g_autoptr(GError) error = NULL;
    g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, NULL, &error);
    g_assert_no_error(error);
    g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
    gsize changed = 0;
    for (char **line = lines; *line; line++)
        changed += (*line)[0] == '<' || (*line)[0] == '>';
    return changed;
}

static void test_gnu_diff(void)
{
    g_autofree char *diff = g_find_program_in_path("diff");
    if (!diff) {
        g_test_skip("no diff on the PATH");
        return;
    }
    g_autoptr(GRand) random = seeded();
    g_autofree char *folder = g_dir_make_tmp("test-myers-XXXXXX", NULL);
    for (guint round = 0; round < GNU_DIFF_ROUNDS; round++) {
        guint letters = (guint)g_rand_int_range(random, 2, 40);
        g_auto(Sequence) a = random_sequence(random, (gsize)g_rand_int_range(random, 0, 500), letters);
        g_auto(Sequence) b = edited(random, a, g_rand_double_range(random, 0.005, 0.2), letters);
        g_autoptr(GArray) runs = dt_myers(a.elements, a.length, b.elements, b.length);
        check_script(runs, a, b);
        g_autofree char *a_path = write_lines(folder, "a", a);
        g_autofree char *b_path = write_lines(folder, "b", b);
        g_assert_cmpuint(dt_edit_distance(runs), ==, distance_by_gnu_diff(a_path, b_path));
        g_unlink(a_path);
        g_unlink(b_path);
    }
    g_rmdir(folder);
}

static void test_edges(void)
{
    const guint64 letters[] = {1, 2, 3, 4};
    g_autoptr(GArray) nothing = dt_myers(NULL, 0, NULL, 0);
    g_assert_cmpuint(nothing->len, ==, 0);
    g_autoptr(GArray) added = dt_myers(NULL, 0, letters, 4);
    g_assert_cmpuint(added->len, ==, 1);
    g_assert_cmpint(g_array_index(added, DtDiffRun, 0).kind, ==, DT_DIFF_ADDED);
    g_assert_cmpuint(dt_edit_distance(added), ==, 4);
    g_autoptr(GArray) removed = dt_myers(letters, 4, NULL, 0);
    g_assert_cmpuint(removed->len, ==, 1);
    g_assert_cmpint(g_array_index(removed, DtDiffRun, 0).kind, ==, DT_DIFF_REMOVED);
    g_autoptr(GArray) same = dt_myers(letters, 4, letters, 4);
    g_assert_cmpuint(same->len, ==, 1);
    g_assert_cmpuint(dt_edit_distance(same), ==, 0);
    g_autoptr(GArray) disjoint = dt_myers(letters, 2, letters + 2, 2);
    g_assert_cmpuint(dt_edit_distance(disjoint), ==, 4);
    g_assert_cmpint(g_array_index(disjoint, DtDiffRun, 0).kind, ==, DT_DIFF_REMOVED);
}

/* A table of these lengths would need 8 TB; a recursion per element would leave the stack. */
static void test_large(void)
{
    enum { LENGTH = 1000000, EDITS = 600 };
    g_autoptr(GRand) random = seeded();
    g_auto(Sequence) a = random_sequence(random, LENGTH, 50);
    g_auto(Sequence) b = edited(random, a, (double)EDITS / 3 / LENGTH, 50);
    g_autoptr(GArray) runs = dt_myers(a.elements, a.length, b.elements, b.length);
    check_script(runs, a, b);
    g_assert_cmpuint(dt_edit_distance(runs), >, 0);
    g_assert_cmpuint(dt_edit_distance(runs), <=, 2 * EDITS);
}

/* Nothing in common, and one long shift: both far from each other by count. */
static void test_large_apart(void)
{
    enum { LENGTH = 1000000 };
    g_auto(Sequence) a = {g_new(guint64, LENGTH), LENGTH};
    g_auto(Sequence) b = {g_new(guint64, LENGTH), LENGTH};
    for (gsize i = 0; i < LENGTH; i++) {
        a.elements[i] = i;
        b.elements[i] = i + LENGTH;
    }
    g_autoptr(GArray) disjoint = dt_myers(a.elements, a.length, b.elements, b.length);
    check_script(disjoint, a, b);
    g_assert_cmpuint(dt_edit_distance(disjoint), ==, 2 * LENGTH);
    for (gsize i = 0; i < LENGTH; i++)
        b.elements[i] = i + LENGTH / 2;
    g_autoptr(GArray) shifted = dt_myers(a.elements, a.length, b.elements, b.length);
    check_script(shifted, a, b);
    g_assert_cmpuint(dt_edit_distance(shifted), ==, LENGTH);
}

/* Long enough for many levels of dividing, with a distance in the thousands. */
static void test_deep(void)
{
    g_autoptr(GRand) random = seeded();
    g_auto(Sequence) a = random_sequence(random, 6000, 3);
    g_auto(Sequence) b = random_sequence(random, 5000, 3);
    g_autoptr(GArray) runs = dt_myers(a.elements, a.length, b.elements, b.length);
    check_script(runs, a, b);
    g_assert_cmpuint(dt_edit_distance(runs), ==, distance_by_table(a, b));
}

/* Cut short, a script is still one, and says so if it is not the shortest. */
static void test_bounded(void)
{
    g_autoptr(GRand) random = seeded();
    guint not_minimal = 0;
    for (guint round = 0; round < TABLE_ROUNDS; round++) {
        guint letters = (guint)g_rand_int_range(random, 1, 12);
        g_auto(Sequence) a = random_sequence(random, (gsize)g_rand_int_range(random, 0, 90), letters);
        g_auto(Sequence) b = random_sequence(random, (gsize)g_rand_int_range(random, 0, 90), letters);
        gboolean minimal = FALSE;
        g_autoptr(GArray) runs = dt_myers_bounded(a.elements, a.length, b.elements, b.length,
                                                  (gsize)g_rand_int_range(random, 0, 40), &minimal);
        check_script(runs, a, b);
        gsize shortest = distance_by_table(a, b);
        g_assert_cmpuint(dt_edit_distance(runs), >=, shortest);
        g_assert_true(!minimal || dt_edit_distance(runs) == shortest);
        not_minimal += !minimal;
    }
    g_assert_cmpuint(not_minimal, >, TABLE_ROUNDS / 10);
    g_assert_cmpuint(not_minimal, <, TABLE_ROUNDS);
}

/* Random ones of this length are some 100,000 edits apart: the shortest script would take 10^10 steps. */
static void test_bounded_large(void)
{
    g_autoptr(GRand) random = seeded();
    g_auto(Sequence) a = random_sequence(random, 100000, 20);
    g_auto(Sequence) b = random_sequence(random, 100000, 20);
    gboolean minimal = TRUE;
    g_autoptr(GArray) runs = dt_myers_bounded(a.elements, a.length, b.elements, b.length, 500, &minimal);
    check_script(runs, a, b);
    g_assert_false(minimal);
    g_assert_cmpuint(dt_edit_distance(runs), <, 160000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diffnlr/myers/edges", test_edges);
    g_test_add_func("/diffnlr/myers/table", test_table);
    g_test_add_func("/diffnlr/myers/gnu-diff", test_gnu_diff);
    g_test_add_func("/diffnlr/myers/bounded", test_bounded);
    g_test_add_func("/diffnlr/myers/bounded-large", test_bounded_large);
    g_test_add_func("/diffnlr/myers/deep", test_deep);
    g_test_add_func("/diffnlr/myers/large", test_large);
    g_test_add_func("/diffnlr/myers/large-apart", test_large_apart);
    return g_test_run();
}
