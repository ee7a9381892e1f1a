/* Pictures of all sizes are well-formed XML, bounded, and say what they must. */
#include "report/pictures/drawing.h"
#include "report/pictures/graph.h"
#include "report/pictures/tiles.h"
#include "report/report.h"

/* ---- XML --------------------------------------------------------------------- */

/* GMarkup reads no DOCTYPE: what Graphviz writes before <svg is cut off. */
static void assert_svg(const char *svg)
{
    g_assert_nonnull(svg);
    const char *start = strstr(svg, "<svg");
    g_assert_nonnull(start);
    static const GMarkupParser nothing = {0};
    g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&nothing, 0, NULL, NULL);
    g_autoptr(GError) error = NULL;
    g_markup_parse_context_parse(context, start, -1, &error);
    g_assert_no_error(error);
    g_markup_parse_context_end_parse(context, &error);
    g_assert_no_error(error);
}

/* ---- matrices and dendrograms ------------------------------------------------------ */

typedef struct {
    DtMatrix *matrix;
    GStrv labels;
} Sample;

static Sample sample_new(guint n)
{
    Sample sample = {dt_matrix_new(n), g_new0(char *, (gsize)n + 1)};
    for (guint i = 0; i < n; i++) {
        sample.labels[i] = g_strdup_printf("%u.0", i);
        for (guint j = 0; j < n; j++)
            sample.matrix->values[(gsize)i * n + j] = i == j ? 0 : (double)((i * 31 + j * 31) % 97 + 1) / 98;
    }
    return sample;
}

static void sample_clear(Sample *sample)
{
    dt_matrix_free(sample->matrix);
    g_strfreev(sample->labels);
}

static void test_matrices_and_dendrograms(void)
{
    static const guint sizes[] = {1, 2, 3, 20, 21, 100, 101, 500, 1001};
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
        Sample sample = sample_new(sizes[i]);
        const char *const *labels = (const char *const *)sample.labels;
        g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_new(sample.matrix, DT_LINKAGE_WARD);
        const DtDendrogram *clusterings[] = {NULL, dendrogram};
        for (gsize j = 0; j < G_N_ELEMENTS(clusterings); j++) {
            DtMatrixReport matrix = {DT_SIDE_DIFFERENCE, "11.cust:<&>\".0K10", "sing.noFreq", labels,
                                     sample.matrix,      clusterings[j]};
            g_autofree char *map = dt_report_matrix(&matrix, DT_FORMAT_SVG, NULL);
            assert_svg(map);
            g_assert_cmpuint(strlen(map), <, 6000000);
        }
        DtDendrogramReport tree = {DT_SIDE_NORMAL, "11.all.0K10", "sing.noFreq", "ward", labels, dendrogram};
        g_autofree char *picture = dt_report_dendrogram(&tree, DT_FORMAT_SVG, NULL);
        assert_svg(picture);
        g_autofree char *text = dt_report_dendrogram(&tree, DT_FORMAT_TEXT, NULL);
        g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
        g_assert_cmpuint(g_strv_length(lines), ==, 2 + 2 * sizes[i] - 1 + 1);
        sample_clear(&sample);
    }
}

/* Of more leaves than rows the topmost clusters: side by side, every leaf in one of them, none parted at distance 0. */
static void test_tiles(void)
{
    enum { LEAVES = 300, ROWS = 40 };
    Sample sample = sample_new(LEAVES);
    const char *const *labels = (const char *const *)sample.labels;
    g_autoptr(DtDendrogram) tree = dt_dendrogram_new(sample.matrix, DT_LINKAGE_COMPLETE);
    g_auto(DtTiles) all = dt_tiles_new(tree, labels, LEAVES, ROWS);
    g_assert_cmpuint(all.count, ==, LEAVES);
    g_assert_cmpuint(dt_tiles_hidden(&all), ==, 0);
    g_auto(DtTiles) tiles = dt_tiles_new(tree, labels, LEAVES - 1, ROWS);
    g_assert_cmpuint(tiles.count, ==, ROWS);
    g_assert_cmpuint(dt_tiles_hidden(&tiles), ==, LEAVES - ROWS);
    g_autofree guint *clusters = dt_clusters_by_merges(tree, ROWS);
    guint members = 0;
    for (guint i = 0; i < LEAVES; i++) {
        g_assert_true(g_ptr_array_find(tiles.labels->pdata[tiles.of_leaf[i]], labels[i], NULL));
        for (guint j = 0; j < i; j++)
            g_assert_cmpint(clusters[i] == clusters[j], ==, tiles.of_leaf[i] == tiles.of_leaf[j]);
    }
    for (guint i = 0; i < tiles.count; i++)
        members += ((GPtrArray *)tiles.labels->pdata[i])->len;
    g_assert_cmpuint(members, ==, LEAVES);
    g_autofree DtMerge *merges = dt_tiles_merges(&tiles, tree);
    g_assert_cmpuint(merges[ROWS - 2].size, ==, LEAVES);
    for (guint i = 0; i + 1 < ROWS; i++) {
        g_assert_cmpuint(MAX(merges[i].a, merges[i].b), <, ROWS + i);
        g_assert_cmpfloat(merges[i].distance, ==, tree->merges[LEAVES - ROWS + i].distance);
    }
    sample_clear(&sample);
}

static void test_tiles_of_alike(void)
{
    enum { LEAVES = 30 };
    Sample sample = sample_new(LEAVES);
    for (guint i = 0; i < LEAVES * LEAVES; i++)
        sample.matrix->values[i] = i / LEAVES % 3 == i % LEAVES % 3 ? 0 : 0.5;
    g_autoptr(DtDendrogram) tree = dt_dendrogram_new(sample.matrix, DT_LINKAGE_WARD);
    g_auto(DtTiles) tiles = dt_tiles_new(tree, (const char *const *)sample.labels, 10, 20);
    g_assert_cmpuint(tiles.count, ==, 3);
    sample_clear(&sample);
}

/* Brighter all the way: the scale is readable without its colours. */
static void test_scale_is_monotonous(void)
{
    double before = -1;
    for (guint i = 0; i <= 100; i++) {
        double rgb[3];
        dt_scale_colour(i / 100.0, rgb);
        double luminance = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
        g_assert_cmpfloat(luminance, >, before);
        before = luminance;
    }
}

/* ---- lattices -------------------------------------------------------------------------- */

/* Objects i and attributes j, related unless i = j: all subsets are concepts. */
static DtContext *contranominal(guint n)
{
    DtContext *context = dt_context_new();
    for (guint i = 0; i < n; i++) {
        g_autofree char *label = g_strdup_printf("%u.0", i);
        guint object = dt_context_add_object(context, label);
        for (guint j = 0; j < n; j++) {
            g_autofree char *attribute = g_strdup_printf("<a&%u>", j);
            if (i != j)
                dt_context_add_attribute(context, object, attribute);
        }
    }
    return context;
}

static void test_lattice(void)
{
    g_autoptr(DtContext) context = contranominal(4);
    g_autoptr(DtLattice) lattice = dt_lattice_new(context, 0, NULL);
    DtLatticeReport what = {"run \\N", "11.all.0K10", "sing.noFreq", context, lattice};
    g_autofree char *svg = dt_report_lattice(&what, DT_FORMAT_SVG, NULL);
    assert_svg(svg);
    g_assert_nonnull(strstr(svg, "&lt;a&amp;3&gt;"));
    g_assert_nonnull(strstr(svg, "run \\N,"));
}

static void test_too_large_a_lattice_is_an_error(void)
{
    g_autoptr(DtContext) context = contranominal(9);
    g_autoptr(DtLattice) lattice = dt_lattice_new(context, 0, NULL);
    DtLatticeReport what = {"run", "11.all.0K10", "sing.noFreq", context, lattice};
    g_autoptr(GError) error = NULL;
    g_assert_null(dt_report_lattice(&what, DT_FORMAT_SVG, &error));
    g_assert_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_TOO_LARGE);
    g_assert_nonnull(strstr(error->message, "512 concepts"));
}

/* Drawn are the first concepts: 1 of 9 traces, 9 of 8, 36 of 7. */
static void test_upper_lattice(void)
{
    g_autoptr(DtContext) context = contranominal(9);
    DtLatticeReport what = {"run", "11.all.0K10", "sing.noFreq", context, NULL};
    guint most = 60;
    g_autofree char *svg = dt_report_lattice_upper(&what, &most, DT_FORMAT_SVG, NULL);
    assert_svg(svg);
    g_assert_cmpuint(most, ==, 60);
    g_assert_nonnull(strstr(svg, "concepts of fewer than 7 traces are left out"));
    guint boxes = 0;
    for (const char *box = svg; (box = strstr(box, "class=\"node\"")); box++)
        boxes++;
    g_assert_cmpuint(boxes, ==, 46);
}

/* ---- diffNLR ----------------------------------------------------------------------------- */

static DtNlr *fold(DtLoopTable *table, const guint32 *symbols, gsize count)
{
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(10, 2);
    dt_nlr_folder_push(folder, symbols, count);
    return dt_nlr_folder_finish(folder, table);
}

static char *picture_of(const guint32 *normal, gsize normal_count, const guint32 *faulty, gsize faulty_count,
                        guint32 open)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    static const char *const names[] = {"init", "operator<<\"&\\N",
                                        "very_long_name_that_goes_on_and_on_and_on_and_on_and_on", "d"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        g_assert_cmpuint(dt_functions_intern(functions, "app", TRUE, names[i], 0, 0), ==, i + 1);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(DtNlr) normal_nlr = fold(table, normal, normal_count);
    g_autoptr(DtNlr) faulty_nlr = fold(table, faulty, faulty_count);
    g_autoptr(GArray) stuck = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (open != 0)
        g_array_append_val(stuck, open);
    const DtFoldedTrace a = {NULL, normal_nlr, NULL, NULL}, b = {NULL, faulty_nlr, stuck, NULL};
    g_autoptr(DtDiffNlr) diff = dt_diffnlr_new(&a, &b);
    DtDiffNlrReport what = {"5.0", "11.cust:<.0K10", "normal & co", "faulty", functions, table, NULL, diff, 0};
    g_autoptr(GError) error = NULL;
    char *svg = dt_report_diffnlr(&what, DT_FORMAT_SVG, &error);
    g_assert_no_error(error);
    assert_svg(svg);
    return svg;
}

#define PICTURE(normal, faulty, open) picture_of(normal, G_N_ELEMENTS(normal), faulty, G_N_ELEMENTS(faulty), open)

static void test_diffnlr(void)
{
    static const guint32 normal[] = {1, 2, 3, 2, 3, 2, 3, 4}, shorter[] = {1, 2, 3, 2, 3, 2};
    g_autofree char *svg = PICTURE(normal, shorter, 2);
    g_assert_nonnull(strstr(svg, "never returned: the last operator&lt;&lt;&quot;&amp;\\\\N"));
    g_assert_nonnull(strstr(svg, "normal only"));
    g_autofree char *same = PICTURE(normal, normal, 0);
    g_assert_null(strstr(same, "never returned"));
    g_autofree char *same_but_stuck = PICTURE(normal, normal, 4);
    g_assert_nonnull(strstr(same_but_stuck, "never returned: d"));
    g_autofree char *inside = PICTURE(normal, shorter, 1);
    g_assert_nonnull(strstr(inside, "never returned: init"));
    g_autofree char *empty = picture_of(NULL, 0, NULL, 0, 0);
    g_assert_nonnull(strstr(empty, "end of the trace"));
    g_autofree char *one_side = picture_of(NULL, 0, normal, G_N_ELEMENTS(normal), 0);
    g_assert_nonnull(strstr(one_side, "nothing here"));
}

static double attribute(const char *element, const char *name)
{
    const char *value = strstr(element, name);
    g_assert_nonnull(value);
    return g_ascii_strtod(value + strlen(name), NULL);
}

/* x of the text, which is there once. */
static double place_of(const char *svg, const char *text)
{
    const char *at = strstr(svg, text);
    g_assert_nonnull(at);
    const char *start = g_strrstr_len(svg, at - svg, "<text");
    return attribute(start, " x=\"");
}

/* The sides stand left and right of the stem, as often as the runs part; the stem stays where it is. */
static void test_diffnlr_is_aligned(void)
{
    static const guint32 normal[] = {4, 1, 1, 1, 3, 2, 4, 3}, faulty[] = {4, 3, 1, 4, 3, 3, 2};
    g_autofree char *svg = PICTURE(normal, faulty, 0);
    g_autoptr(GArray) stem = g_array_new(FALSE, FALSE, sizeof(double));
    double left = place_of(strstr(svg, "start of"), ">normal only<"),
           right = place_of(strstr(svg, "start of"), ">faulty only<");
    for (const char *at = strstr(svg, "start of"); (at = strstr(at, ">both runs<")); at++) {
        double x = attribute(g_strrstr_len(svg, at - svg, "<text"), " x=\"");
        g_array_append_val(stem, x);
    }
    g_assert_cmpuint(stem->len, >=, 2);
    for (guint i = 0; i < stem->len; i++) {
        g_assert_cmpfloat(g_array_index(stem, double, i), >, left);
        g_assert_cmpfloat(g_array_index(stem, double, i), <, right);
        g_assert_cmpfloat_with_epsilon(g_array_index(stem, double, i), g_array_index(stem, double, 0), 1);
    }
}

/* Thousands of changes: what is drawn is bounded, and says how much is not. */
static void test_long_diffnlr(void)
{
    enum { CHANGES = 2000 };
    g_autofree guint32 *normal = g_new(guint32, CHANGES * 3), *faulty = g_new(guint32, CHANGES * 2);
    for (guint i = 0; i < CHANGES; i++) {
        normal[3 * i] = faulty[2 * i] = 1 + i % 3;
        normal[3 * i + 1] = faulty[2 * i + 1] = 1 + i / 3 % 3;
        normal[3 * i + 2] = 4;
    }
    g_autofree char *svg = picture_of(normal, CHANGES * 3, faulty, CHANGES * 2, 0);
    g_assert_nonnull(strstr(svg, "more stretches are not drawn"));
    g_assert_cmpuint(strlen(svg), <, 400000);
}

static void test_graph_that_takes_minutes(void)
{
    enum { NODES = 60 };
    g_autoptr(GError) error = NULL;
    g_autoptr(Agraph_t) graph = dt_graph_new("dense", &error);
    for (guint i = 0; i < NODES * NODES; i++) {
        g_autofree char *tail = g_strdup_printf("n%u", i / NODES), *head = g_strdup_printf("n%u", i % NODES);
        dt_graph_edge(graph, dt_graph_node(graph, tail), dt_graph_node(graph, head));
    }
    g_assert_null(dt_graph_to_svg(graph, &error));
    g_assert_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_TOO_LARGE);
    g_autofree char *dot = dt_graph_to_dot(graph, NULL);
    g_assert_nonnull(dot);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/pictures/matrices", test_matrices_and_dendrograms);
    g_test_add_func("/report/pictures/tiles", test_tiles);
    g_test_add_func("/report/pictures/tiles-of-alike", test_tiles_of_alike);
    g_test_add_func("/report/pictures/scale", test_scale_is_monotonous);
    g_test_add_func("/report/pictures/lattice", test_lattice);
    g_test_add_func("/report/pictures/upper-lattice", test_upper_lattice);
    g_test_add_func("/report/pictures/large-lattice", test_too_large_a_lattice_is_an_error);
    g_test_add_func("/report/pictures/diffnlr", test_diffnlr);
    g_test_add_func("/report/pictures/diffnlr/aligned", test_diffnlr_is_aligned);
    g_test_add_func("/report/pictures/diffnlr/long", test_long_diffnlr);
    g_test_add_func("/report/pictures/large-graph", test_graph_that_takes_minutes);
    return g_test_run();
}
