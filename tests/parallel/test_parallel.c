/* Teams of every size up to 17. */
#include <string.h>

#include "support/thread_members.h"

enum { MOST = 17 };

/* ---- what each member does --------------------------------------------------------------- */

static GBytes *text_bytes(const char *text)
{
    return g_bytes_new(text, strlen(text));
}

static char *bytes_text(GBytes *bytes)
{
    gsize size;
    const char *data = g_bytes_get_data(bytes, &size);
    return g_strndup(data, size);
}

static char *expected_sum(guint size)
{
    GString *sum = g_string_new(NULL);
    for (guint rank = 0; rank < size; rank++)
        g_string_append_printf(sum, "[%u]", rank);
    return g_string_free(sum, FALSE);
}

static void check_sums(const DtParallel *parallel)
{
    g_autofree char *own = g_strdup_printf("[%u]", parallel->rank);
    g_autofree char *expected = expected_sum(parallel->size);
    GBytes *sum = dt_parallel_reduce(parallel, text_bytes(own), dt_parallel_concatenate);
    g_assert_true((sum != NULL) == dt_parallel_is_root(parallel));
    g_autoptr(GBytes) all = dt_parallel_broadcast(parallel, sum);
    g_autofree char *text = bytes_text(all);
    g_assert_cmpstr(text, ==, expected);
}

/* Rank `bad` has a problem, or does something else. */
static void check_agreement(const DtParallel *parallel, guint bad)
{
    g_autoptr(GError) error = NULL, problem = NULL;
    g_assert_true(dt_parallel_agree(parallel, "task", NULL, &error));
    g_assert_no_error(error);
    if (parallel->rank == bad || parallel->rank == parallel->size - 1)
        problem = g_error_new(DT_PARALLEL_ERROR, DT_PARALLEL_ERROR_MEMBER, "no paper");
    g_assert_false(dt_parallel_agree(parallel, "task", problem, &error));
    g_autofree char *expected = bad > 0 ? g_strdup_printf("no paper (on rank %u)", bad) : g_strdup("no paper");
    g_assert_error(error, DT_PARALLEL_ERROR, DT_PARALLEL_ERROR_MEMBER);
    g_assert_cmpstr(error->message, ==, expected);
    g_clear_error(&error);
    gboolean agreed = dt_parallel_agree(parallel, parallel->rank == bad ? "other" : "task", NULL, &error);
    g_assert_cmpint(agreed, ==, parallel->size == 1);
    g_assert_cmpint(!error, ==, parallel->size == 1);
}

static void be_member(const DtParallel *parallel, gpointer data)
{
    (void)data;
    check_sums(parallel);
    for (guint bad = 0; bad < parallel->size; bad++)
        check_agreement(parallel, bad);
    check_sums(parallel);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void test_all_sizes(void)
{
    for (guint size = 1; size <= MOST; size++)
        dt_thread_members_run(size, be_member, NULL);
}

static void test_shares(void)
{
    for (guint size = 1; size <= MOST; size++) {
        for (guint count = 0; count < 40; count++) {
            guint next = 0;
            for (guint rank = 0; rank < size; rank++) {
                const DtParallel parallel = {.rank = rank, .size = size};
                guint first, end;
                dt_parallel_share(&parallel, count, &first, &end);
                g_assert_cmpuint(first, ==, next);
                g_assert_cmpuint(end - first, <=, count / size + 1);
                next = end;
            }
            g_assert_cmpuint(next, ==, count);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/parallel/sums-and-agreement", test_all_sizes);
    g_test_add_func("/parallel/shares", test_shares);
    return g_test_run();
}
