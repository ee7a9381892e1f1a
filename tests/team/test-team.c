/* Teams of every size up to 17. */
#include <string.h>

#include "support/thread_team.h"

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

static void check_sums(const DtTeam *team)
{
    g_autofree char *own = g_strdup_printf("[%u]", team->rank);
    g_autofree char *expected = expected_sum(team->size);
    GBytes *sum = dt_team_reduce(team, text_bytes(own), dt_team_concatenate);
    g_assert_true((sum != NULL) == dt_team_is_root(team));
    g_autoptr(GBytes) all = dt_team_broadcast(team, sum);
    g_autofree char *text = bytes_text(all);
    g_assert_cmpstr(text, ==, expected);
}

/* Rank `bad` has a problem, or does something else. */
static void check_agreement(const DtTeam *team, guint bad)
{
    g_autoptr(GError) error = NULL, problem = NULL;
    g_assert_true(dt_team_agree(team, "task", NULL, &error));
    g_assert_no_error(error);
    if (team->rank == bad || team->rank == team->size - 1)
        problem = g_error_new(DT_TEAM_ERROR, DT_TEAM_ERROR_MEMBER, "no paper");
    g_assert_false(dt_team_agree(team, "task", problem, &error));
    g_autofree char *expected = bad > 0 ? g_strdup_printf("no paper (on rank %u)", bad) : g_strdup("no paper");
    g_assert_error(error, DT_TEAM_ERROR, DT_TEAM_ERROR_MEMBER);
    g_assert_cmpstr(error->message, ==, expected);
    g_clear_error(&error);
    gboolean agreed = dt_team_agree(team, team->rank == bad ? "other" : "task", NULL, &error);
    g_assert_cmpint(agreed, ==, team->size == 1);
    g_assert_cmpint(error == NULL, ==, team->size == 1);
}

static void be_member(const DtTeam *team, gpointer data)
{
    (void)data;
    check_sums(team);
    for (guint bad = 0; bad < team->size; bad++)
        check_agreement(team, bad);
    check_sums(team);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void test_all_sizes(void)
{
    for (guint size = 1; size <= MOST; size++)
        dt_thread_team_run(size, be_member, NULL);
}

static void test_shares(void)
{
    for (guint size = 1; size <= MOST; size++) {
        for (guint count = 0; count < 40; count++) {
            guint next = 0;
            for (guint rank = 0; rank < size; rank++) {
                const DtTeam team = {.rank = rank, .size = size};
                guint first, end;
                dt_team_share(&team, count, &first, &end);
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
    g_test_add_func("/team/sums-and-agreement", test_all_sizes);
    g_test_add_func("/team/shares", test_shares);
    return g_test_run();
}
