/* RUN/agents: the key, who is an agent, who listens. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/agents_folder.h"
#include "support/assert_same.h"
#include "support/test_run.h"

static char *run;

static void test_key(void)
{
    guint8 key[DT_AGENTS_KEY_BYTES] = {0}, again[DT_AGENTS_KEY_BYTES] = {0}, zeros[DT_AGENTS_KEY_BYTES] = {0};
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(run, "agents", "key", NULL);
    struct stat status;
    g_assert_false(dt_agents_folder_is_there(run));
    g_assert_false(dt_agents_folder_key(run, key, &error));
    g_assert_error(error, DT_AGENTS_ERROR, DT_AGENTS_ERROR_NOT_THERE);
    g_clear_error(&error);
    g_assert_true(dt_agents_folder_make(run, &error));
    g_assert_true(dt_agents_folder_is_there(run));
    g_assert_cmpint(stat(path, &status), ==, 0);
    g_assert_cmphex(status.st_mode & 07777, ==, 0600);
    g_assert_true(dt_agents_folder_key(run, key, &error) && dt_agents_folder_key(run, again, &error));
    dt_assert_same(key, sizeof(key), again, sizeof(again));
    g_assert_cmpint(memcmp(key, zeros, sizeof(key)), !=, 0);
    g_assert_false(dt_agents_folder_make(run, NULL)); /* a key that is there stays */
    g_assert_true(dt_agents_folder_key(run, again, &error));
    dt_assert_same(key, sizeof(key), again, sizeof(again));
}

static void assert_no_key(const char *why)
{
    guint8 key[DT_AGENTS_KEY_BYTES];
    g_autoptr(GError) error = NULL;
    g_assert_false(dt_agents_folder_key(run, key, &error));
    g_assert_error(error, DT_AGENTS_ERROR, DT_AGENTS_ERROR_KEY);
    g_assert_nonnull(strstr(error->message, why));
}

static void test_key_of_others(void)
{
    g_autofree char *path = g_build_filename(run, "agents", "key", NULL);
    g_assert_cmpint(chmod(path, 0640), ==, 0);
    assert_no_key("others could read this key");
    g_assert_cmpint(chmod(path, 0604), ==, 0);
    assert_no_key("others could read this key");
    g_assert_cmpint(chmod(path, 0600), ==, 0);
    g_assert_cmpint(truncate(path, 40), ==, 0);
    assert_no_key("not a key");
    dt_write_bytes(path, "zz", 2);
    assert_no_key("not a key");
    g_assert_cmpint(unlink(path), ==, 0);
    g_assert_cmpint(symlink("/dev/zero", path), ==, 0);
    assert_no_key("");
}

static void test_one_agent(void)
{
    g_autoptr(GError) error = NULL;
    const gint first = dt_agents_folder_enter(run, &error);
    g_assert_cmpint(first, >=, 0);
    g_assert_cmpint(dt_agents_folder_enter(run, &error), ==, -1);
    g_assert_nonnull(strstr(error->message, "this node has an agent already"));
    g_autoptr(GPtrArray) hosts = dt_agents_folder_hosts(run);
    g_assert_cmpuint(hosts->len, ==, 1);
    g_assert_cmpstr(hosts->pdata[0], ==, g_get_host_name());
    dt_agents_folder_leave(run, first);
    g_autoptr(GPtrArray) nobody = dt_agents_folder_hosts(run);
    g_assert_cmpuint(nobody->len, ==, 0);
}

static void test_places(void)
{
    char *addresses[] = {(char *)"n1", (char *)"10.0.0.1", NULL};
    guint64 position = 0;
    g_autoptr(GPtrArray) none = dt_agents_folder_places(run, &position);
    g_assert_cmpuint(none->len, ==, 0);
    for (guint16 port = 1; port <= 2; port++)
        g_assert_true(dt_agents_folder_announce(run, &(DtCollectorPlace){(char *)"n1-17-4", port, addresses}, NULL));
    g_autoptr(GPtrArray) both = dt_agents_folder_places(run, &position);
    g_assert_cmpuint(both->len, ==, 2);
    const DtCollectorPlace *second = both->pdata[1];
    g_assert_cmpuint(second->port, ==, 2);
    g_assert_cmpstr(second->addresses[1], ==, "10.0.0.1");
    g_autoptr(GPtrArray) nothing_new = dt_agents_folder_places(run, &position);
    g_assert_cmpuint(nothing_new->len, ==, 0);
    g_autofree char *path = g_build_filename(run, "agents", "collectors", NULL);
    g_autofree char *text =
        g_strdup_printf("%*s%s", (int)position, "", "no place\nid 80 a/b\nid 0 a\nid 99999 a\nid 7 a\nid 8 ha");
    dt_write_bytes(path, text, strlen(text));
    g_autoptr(GPtrArray) good = dt_agents_folder_places(run, &position);
    g_assert_cmpuint(good->len, ==, 1); /* the last line has no end yet */
    g_assert_cmpuint(((const DtCollectorPlace *)good->pdata[0])->port, ==, 7);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    run = dt_temporary_directory();
    g_test_add_func("/agent/folder/key", test_key);
    g_test_add_func("/agent/folder/places", test_places);
    g_test_add_func("/agent/folder/one-agent", test_one_agent);
    g_test_add_func("/agent/folder/key-of-others", test_key_of_others);
    const int status = g_test_run();
    dt_remove_tree(run);
    g_free(run);
    return status;
}
