/* Attributes mined from NLRs: fixed examples of every setting, and random ones against counting by name. */
#include "fca/fca.h"

enum { SEED = 83 };

static DtFunctions *functions_of(const char *const *names)
{
    DtFunctions *functions = dt_functions_new();
    for (guint i = 0; names[i]; i++) {
        g_assert_cmpuint(dt_functions_intern(functions, "app", TRUE, names[i], 0, 0), ==, i + 1);
    }
    return functions;
}

static const char *const odd_even[] = {"MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize", "MPI_Send", NULL};

static void assert_attributes(DtElements elements, const DtFunctions *functions, const char *setting,
                              const char *expected)
{
    g_autoptr(DtContext) context = dt_context_new();
    DtAttributeSetting parsed;
    g_assert_true(dt_attribute_setting_parse(setting, &parsed, NULL));
    guint object = dt_context_add_trace(context, "5.0", elements, functions, parsed);
    g_assert_cmpuint(object, ==, 0);
    g_assert_cmpstr(dt_context_object_label(context, 0), ==, "5.0");

    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < dt_context_attributes(context); i++) {
        g_assert_true(dt_context_has(context, 0, i));
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", dt_context_attribute_name(context, i));
    }
    g_assert_cmpstr(text->str, ==, expected);
}

/* Init Rank Size L0^16 Send L0^4 Send L0^4 Finalize */
static void test_settings(void)
{
    g_autoptr(DtFunctions) functions = functions_of(odd_even);
    const DtElement elements[] = {1, 2, 3, dt_element_loop(0, 16), 5, dt_element_loop(0, 4), 5, dt_element_loop(0, 4),
                                  4};
    DtElements nlr = {elements, G_N_ELEMENTS(elements)};
    assert_attributes(nlr, functions, "sing.noFreq", "MPI_Init MPI_Comm_rank MPI_Comm_size L0 MPI_Send MPI_Finalize");
    assert_attributes(nlr, functions, "sing.actual",
                      "MPI_Init:1 MPI_Comm_rank:1 MPI_Comm_size:1 L0:24 MPI_Send:2 MPI_Finalize:1");
    assert_attributes(nlr, functions, "sing.log10",
                      "MPI_Init:10^0 MPI_Comm_rank:10^0 MPI_Comm_size:10^0 L0:10^1 MPI_Send:10^0 MPI_Finalize:10^0");
    assert_attributes(nlr, functions, "doub.noFreq",
                      "MPI_Init>MPI_Comm_rank MPI_Comm_rank>MPI_Comm_size MPI_Comm_size>L0 L0>MPI_Send MPI_Send>L0 "
                      "L0>MPI_Finalize");
    assert_attributes(nlr, functions, "doub.actual",
                      "MPI_Init>MPI_Comm_rank:1 MPI_Comm_rank>MPI_Comm_size:1 MPI_Comm_size>L0:1 L0>MPI_Send:2 "
                      "MPI_Send>L0:2 L0>MPI_Finalize:1");
    assert_attributes(nlr, functions, "doub.log10",
                      "MPI_Init>MPI_Comm_rank:10^0 MPI_Comm_rank>MPI_Comm_size:10^0 MPI_Comm_size>L0:10^0 "
                      "L0>MPI_Send:10^0 MPI_Send>L0:10^0 L0>MPI_Finalize:10^0");
}

static void test_orders_of_magnitude(void)
{
    g_autoptr(DtFunctions) functions = functions_of(odd_even);
    static const struct {
        guint32 count;
        const char *attribute;
    } cases[] = {{1, "L7:10^0"},          {9, "L7:10^0"},          {10, "L7:10^1"},   {99, "L7:10^1"},
                 {100, "L7:10^2"},        {999, "L7:10^2"},        {1000, "L7:10^3"}, {999999999, "L7:10^8"},
                 {1000000000, "L7:10^9"}, {G_MAXUINT32, "L7:10^9"}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        const DtElement element = dt_element_loop(7, cases[i].count);
        assert_attributes((DtElements){&element, 1}, functions, "sing.log10", cases[i].attribute);
    }
    const DtElement many[] = {dt_element_loop(7, G_MAXUINT32), 1, dt_element_loop(7, G_MAXUINT32)};
    assert_attributes((DtElements){many, 3}, functions, "sing.actual", "L7:8589934590 MPI_Init:1");
}

static void test_short_traces(void)
{
    g_autoptr(DtFunctions) functions = functions_of(odd_even);
    const DtElement one = dt_element_loop(3, 5);
    for (guint i = 0; i < DT_ATTRIBUTE_SETTINGS; i++) {
        const char *setting = dt_attribute_setting_name(dt_attribute_settings()[i]);
        assert_attributes((DtElements){NULL, 0}, functions, setting, "");
    }
    assert_attributes((DtElements){&one, 1}, functions, "sing.actual", "L3:5");
    assert_attributes((DtElements){&one, 1}, functions, "doub.actual", "");
}

/* Functions of two images with one name are one attribute. */
static void test_namesakes(void)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    guint32 ours = dt_functions_intern(functions, "app", TRUE, "init", 0, 0);
    guint32 theirs = dt_functions_intern(functions, "libother.so", FALSE, "init", 0, 0);
    guint32 run = dt_functions_intern(functions, "app", TRUE, "run", 0, 0);
    const DtElement elements[] = {ours, run, theirs, run};
    assert_attributes((DtElements){elements, 4}, functions, "sing.actual", "init:2 run:2");
    assert_attributes((DtElements){elements, 4}, functions, "doub.actual", "init>run:2 run>init:1");
}

/* Random elements, against counting formatted names with a linear search. */
static void check_random(GRand *random, const DtFunctions *functions, DtAttributeSetting setting)
{
    DtElement elements[200];
    gsize length = (gsize)g_rand_int_range(random, 0, 200);
    for (gsize i = 0; i < length; i++) {
        elements[i] = g_rand_boolean(random) ? (DtElement)g_rand_int_range(random, 1, 6)
                                             : dt_element_loop((guint32)g_rand_int_range(random, 0, 4),
                                                               (guint32)g_rand_int_range(random, 2, 30));
    }
    g_autoptr(DtContext) context = dt_context_new();
    dt_context_add_trace(context, "0.0", (DtElements){elements, length}, functions, setting);

    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    guint64 counts[200] = {0};
    gsize first = setting.unit == DT_ATTRIBUTE_DOUBLE ? 1 : 0;
    for (gsize i = first; i < length; i++) {
        g_autofree char *last = dt_element_name(elements[i], functions);
        g_autofree char *before = i > 0 ? dt_element_name(elements[i - 1], functions) : NULL;
        char *name = first == 1 ? g_strconcat(before, ">", last, NULL) : g_strdup(last);
        guint64 times = first == 0 && dt_element_is_loop(elements[i]) ? dt_element_count(elements[i]) : 1;
        guint place = 0;
        if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, &place)) {
            place = names->len;
            g_ptr_array_add(names, name);
        } else {
            g_free(name);
        }
        counts[place] += times;
    }
    g_assert_cmpuint(dt_context_attributes(context), ==, names->len);
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        g_autofree char *digits = g_strdup_printf("%" G_GUINT64_FORMAT, counts[i]);
        g_autofree char *expected = setting.frequency == DT_FREQUENCY_ACTUAL ? g_strconcat(name, ":", digits, NULL)
                                    : setting.frequency == DT_FREQUENCY_LOG10
                                        ? g_strdup_printf("%s:10^%u", name, (guint)strlen(digits) - 1)
                                        : g_strdup(name);
        g_assert_cmpstr(dt_context_attribute_name(context, i), ==, expected);
    }
}

static void test_random(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_test_message("seed %d", SEED);
    g_autoptr(DtFunctions) functions = functions_of(odd_even);
    for (guint round = 0; round < 300; round++) {
        check_random(random, functions, dt_attribute_settings()[round % DT_ATTRIBUTE_SETTINGS]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fca/mining/settings", test_settings);
    g_test_add_func("/fca/mining/orders-of-magnitude", test_orders_of_magnitude);
    g_test_add_func("/fca/mining/short-traces", test_short_traces);
    g_test_add_func("/fca/mining/namesakes", test_namesakes);
    g_test_add_func("/fca/mining/random", test_random);
    return g_test_run();
}
