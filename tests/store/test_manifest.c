/* The manifest, whole and damaged: nothing in it can keep a run from being read. */
#include <glib/gstdio.h>
#include <string.h>

#include "store/store.h"
#include "support/random.h"
#include "support/test_run.h"

typedef struct {
    char *path, *manifest;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->path = dt_temporary_directory();
    fixture->manifest = g_build_filename(fixture->path, "manifest.json", NULL);
    dt_test_run_single(fixture->path, "main");
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->path);
    g_free(fixture->path);
    g_free(fixture->manifest);
}

static DtRun *open_with(Fixture *fixture, const char *manifest, gssize bytes)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    if (manifest)
        dt_write_bytes(fixture->manifest, manifest, bytes < 0 ? strlen(manifest) : (gsize)bytes);
    DtRun *run = dt_run_open(fixture->path, functions, &error);
    g_assert_no_error(error);
    return run;
}

static void test_members(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(DtRun) run = open_with(fixture,
                                     "{\"version\":1,\"difftrace\":\"0.9\",\"command\":[\"mpirun\",\"-np\",\"4\"],"
                                     "\"images\":\"main\",\"codec\":\"raw\",\"engine\":\"native\",\"launcher\":true,"
                                     "\"seconds\":2,\"finished\":true,\"timed_out\":true,\"exit_status\":124,"
                                     "\"warnings\":[\"careful\"],\"processes\":[],\"of a later version\":{}}",
                                     -1);
    const DtManifest *manifest = dt_run_manifest(run);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_cmpstr(manifest->version, ==, "0.9");
    g_assert_cmpstr(manifest->images, ==, "main");
    g_assert_cmpstr(manifest->codec, ==, "raw");
    g_assert_cmpstr(manifest->engine, ==, "native");
    g_autofree char *command = g_strjoinv(" ", manifest->command);
    g_assert_cmpstr(command, ==, "mpirun -np 4");
    g_assert_cmpstr(manifest->warnings[0], ==, "careful");
    g_assert_null(manifest->warnings[1]);
    g_assert_true(manifest->launcher && manifest->finished && manifest->timed_out);
    g_assert_cmpint(manifest->exit_status, ==, 124);
    g_assert_cmpfloat(manifest->seconds, ==, 2.0);
}

static void test_missing(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_assert_cmpint(g_remove(fixture->manifest), ==, 0);
    g_autoptr(DtRun) run = open_with(fixture, NULL, 0);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 1);
    g_assert_null(dt_run_manifest(run)->command);
    g_assert_false(dt_run_manifest(run)->finished);
}

static void test_damaged(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *deep = g_strnfill(1000000, '[');
    const char *const texts[] = {
        "", "{", "[]", "null", "{\"version\":2}", "{}", "not json\nat all", "\xff\xfe", deep, "{\"version\":\"1\"}"};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(DtRun) run = open_with(fixture, texts[i], -1);
        g_test_message("manifest %u", i);
        g_assert_cmpuint(dt_run_problems(run)->len, ==, 1);
        const char *problem = g_ptr_array_index(dt_run_problems(run), 0);
        g_assert_true(g_str_has_prefix(problem, "manifest.json: "));
        g_assert_null(strchr(problem, '\n'));
    }
    g_autoptr(DtRun) run = open_with(fixture, "{\"version\":1}\0{}", 16);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 1);
}

/* Members of other types than expected count as missing. */
static void test_wrong_types(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(DtRun) run = open_with(fixture,
                                     "{\"version\":1,\"command\":\"app\",\"images\":[],\"seconds\":\"long\","
                                     "\"finished\":1,\"exit_status\":9e99,\"warnings\":[1,{},\"two\",null],"
                                     "\"processes\":[1,{\"pid\":\"x\"},{\"pid\":-1,\"end\":\"exited\"},"
                                     "{\"pid\":1000,\"end\":7},[]]}",
                                     -1);
    const DtManifest *manifest = dt_run_manifest(run);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_null(manifest->command);
    g_assert_null(manifest->images);
    g_assert_false(manifest->finished);
    g_assert_cmpint(manifest->exit_status, ==, 0);
    g_assert_cmpstr(manifest->warnings[0], ==, "two");
    g_assert_cmpint(dt_run_process(run, 0)->end, ==, DT_END_EXITED);
}

static void test_random_damage(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(GRand) random = dt_test_random();
    g_autofree char *good = NULL;
    gsize bytes;
    g_assert_true(g_file_get_contents(fixture->manifest, &good, &bytes, NULL));
    for (guint round = 0; round < 500; round++) {
        g_autofree char *bad = g_memdup2(good, bytes);
        for (gint flips = g_rand_int_range(random, 1, 4); flips > 0; flips--)
            bad[g_rand_int_range(random, 0, (gint32)bytes)] = (char)g_rand_int(random);
        g_autoptr(DtRun) run = open_with(fixture, bad, (gssize)bytes - g_rand_int_range(random, 0, 3));
        g_assert_cmpuint(dt_run_trace_count(run), ==, 1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/store/manifest/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("members", test_members);
    ADD("missing", test_missing);
    ADD("damaged", test_damaged);
    ADD("wrong-types", test_wrong_types);
    ADD("random-damage", test_random_damage);
    return g_test_run();
}
