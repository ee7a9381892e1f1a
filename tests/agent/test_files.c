/* What an agent sends of files that change becomes the same files, whoever writes them, and no others. */
#include <glib/gstdio.h>
#include <string.h>

#include "agent/gathering.h"
#include "agent/sending.h"
#include "base/agents_folder.h"
#include "store/writers.h"
#include "support/assert_same.h"

enum { BYTES = 300000 };
static const char TRACE[] = "processes/n2.7.1.trace", IMAGE[] = "images/ab12.sym", LOG[] = "ends.log";

/* Directories of one run on two nodes, with the folder of agents between them. */
typedef struct {
    char *base, *here, *there, *folder;
    gint writers;
} Nodes;

static char *make_run(const char *base, const char *name)
{
    char *run = g_build_filename(base, name, NULL);
    static const char *const folders[] = {"processes", "images"};
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(run, folders[i], NULL);
        g_assert_cmpint(g_mkdir_with_parents(path, 0700), ==, 0);
    }
    return run;
}

static Nodes nodes_new(void)
{
    Nodes nodes = {.base = g_dir_make_tmp("difftrace-files-XXXXXX", NULL)};
    nodes.here = make_run(nodes.base, "here");
    nodes.there = make_run(nodes.base, "there");
    nodes.folder = dt_agents_folder_make_apart(nodes.here, nodes.base, NULL);
    g_assert_nonnull(nodes.folder);
    nodes.writers = dt_writers_join(nodes.here);
    return nodes;
}

static void nodes_free(Nodes *nodes)
{
    const char *const command[] = {"rm", "-r", nodes->base, NULL};
    dt_writers_leave(nodes->writers);
    g_assert_true(g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
    g_free(nodes->base);
    g_free(nodes->here);
    g_free(nodes->there);
    g_free(nodes->folder);
}

static void write_at(const char *run, const char *name, guint64 offset, const void *bytes, gsize count)
{
    g_autofree char *path = g_build_filename(run, name, NULL);
    FILE *file = g_fopen(path, "r+");
    if (!file)
        file = g_fopen(path, "w");
    g_assert_nonnull(file);
    g_assert_cmpint(fseek(file, (long)offset, SEEK_SET), ==, 0);
    g_assert_cmpuint(fwrite(bytes, 1, count, file), ==, count);
    g_assert_cmpint(fclose(file), ==, 0);
}

static char *contents(const char *run, const char *name, gsize *bytes)
{
    g_autofree char *path = g_build_filename(run, name, NULL);
    char *text = NULL;
    return g_file_get_contents(path, &text, bytes, NULL) ? text : NULL;
}

static void assert_same_file(const Nodes *nodes, const char *name)
{
    gsize here_bytes = 0, there_bytes = 0;
    g_autofree char *here = contents(nodes->here, name, &here_bytes),
                    *there = contents(nodes->there, name, &there_bytes);
    g_assert_nonnull(here);
    dt_assert_same(here, here_bytes, there, there_bytes);
}

/* All that has changed; how many bytes that were. */
static gsize send_all(DtSending *sending, DtGathering *gathering)
{
    gsize bytes = 0;
    for (gboolean has_more = TRUE; has_more;) {
        g_autoptr(GPtrArray) pieces = dt_sending_next(sending, &has_more);
        for (guint i = 0; i < pieces->len; i++) {
            const DtAgentMessage *piece = pieces->pdata[i];
            bytes += piece->piece->len;
            g_assert_true(dt_gathering_take(gathering, piece, NULL));
        }
    }
    return bytes;
}

static void fill(guint8 *bytes, gsize count)
{
    for (gsize i = 0; i < count; i++)
        bytes[i] = i / 4096 % 3 == 0 ? 0 : (guint8)g_test_rand_int(); /* with holes */
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Nodes, nodes_free)

static void test_files_that_change(void)
{
    g_auto(Nodes) nodes = nodes_new();
    g_autofree guint8 *bytes = g_malloc(BYTES);
    fill(bytes, BYTES);
    g_autoptr(DtSending) sending = dt_sending_new(nodes.there, "n2");
    g_autoptr(DtGathering) gathering = dt_gathering_new(nodes.here, "n2");
    g_assert_nonnull(gathering);
    g_assert_null(dt_gathering_new(nodes.here, "n2")); /* one at a time */
    write_at(nodes.there, TRACE, 0, bytes, BYTES - 5);
    write_at(nodes.there, IMAGE, 0, bytes, 5000);
    write_at(nodes.there, "processes/n3.7.1.trace", 0, bytes, 5000);
    write_at(nodes.there, LOG, 0, "n2 7 exit 0 1\nn2 8", 18);
    g_assert_cmpuint(send_all(sending, gathering), >, 5000);
    assert_same_file(&nodes, TRACE);
    assert_same_file(&nodes, IMAGE);
    g_assert_cmpuint(send_all(sending, gathering), ==, 0);
    write_at(nodes.there, TRACE, 70000, "changed", 7);
    write_at(nodes.there, TRACE, BYTES, bytes, 9);
    write_at(nodes.there, LOG, 18, " exit 0 2\nn1 9 exit 0 3\n", 25);
    const gsize sent = send_all(sending, gathering);
    g_assert_true(sent > 0 && sent < 5 * 4096);
    assert_same_file(&nodes, TRACE);
    gsize log_bytes = 0;
    g_autofree char *log = contents(nodes.here, LOG, &log_bytes),
                    *other = contents(nodes.here, "processes/n3.7.1.trace", NULL);
    g_assert_cmpstr(log, ==, "n2 7 exit 0 1\nn2 8 exit 0 2\n"); /* n1 tells of its own */
    g_assert_null(other);
}

/* What says how much there is comes behind what it speaks of. */
static void test_order(void)
{
    g_auto(Nodes) nodes = nodes_new();
    g_autofree guint8 *bytes = g_malloc(BYTES);
    memset(bytes, 1, BYTES);
    g_autoptr(DtSending) sending = dt_sending_new(nodes.there, "n2");
    g_autoptr(DtGathering) gathering = dt_gathering_new(nodes.here, "n2");
    write_at(nodes.there, TRACE, 0, bytes, 100000);
    send_all(sending, gathering);
    write_at(nodes.there, TRACE, 0, "head", 4);
    write_at(nodes.there, TRACE, 50000, "data", 4);
    write_at(nodes.there, TRACE, 100000, bytes, 50000);
    gboolean has_more = FALSE;
    g_autoptr(GPtrArray) pieces = dt_sending_next(sending, &has_more);
    const DtAgentMessage *last = pieces->pdata[pieces->len - 1];
    g_assert_cmpuint(last->offset, ==, 0);
    g_assert_cmpuint(((const DtAgentMessage *)pieces->pdata[0])->offset, >, 90000);
}

/* Another collector goes on; files that have come by themselves, and those of a complete run, are let alone. */
static void test_who_writes(void)
{
    g_auto(Nodes) nodes = nodes_new();
    g_autoptr(DtSending) first = dt_sending_new(nodes.there, "n2"), second = dt_sending_new(nodes.there, "n2");
    write_at(nodes.there, TRACE, 0, "there", 5);
    write_at(nodes.there, IMAGE, 0, "there", 5);
    write_at(nodes.here, IMAGE, 0, "here", 4);
    DtGathering *gathering = dt_gathering_new(nodes.here, "n2");
    send_all(first, gathering);
    dt_gathering_free(gathering);
    write_at(nodes.there, TRACE, 0, "again", 5);
    g_autoptr(DtGathering) next = dt_gathering_new(nodes.here, "n2");
    send_all(second, next);
    assert_same_file(&nodes, TRACE);
    gsize bytes = 0;
    g_autofree char *image = contents(nodes.here, IMAGE, &bytes);
    dt_assert_same(image, bytes, "here", 4);
    dt_writers_leave(nodes.writers);
    nodes.writers = -1;
    g_assert_null(dt_gathering_new(nodes.here, "n3"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/files/that-change", test_files_that_change);
    g_test_add_func("/agent/files/order", test_order);
    g_test_add_func("/agent/files/who-writes", test_who_writes);
    return g_test_run();
}
