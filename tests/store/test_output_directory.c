/* Output directories: ours are replaced, others never touched. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"
#include "support/test_run.h"

typedef struct {
    char *base, *path, *old;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->base = dt_temporary_directory();
    fixture->path = g_build_filename(fixture->base, "out", NULL);
    fixture->old = g_build_filename(fixture->base, "out.old", NULL);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->base);
    g_free(fixture->base);
    g_free(fixture->path);
    g_free(fixture->old);
}

static void put(const char *directory, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static char *get(const char *directory, const char *name)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    char *text = NULL;
    g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

static void make(const char *path, const char *kind)
{
    g_autoptr(GError) error = NULL;
    gboolean made = dt_output_directory(path, kind, &error);
    g_assert_no_error(error);
    g_assert_true(made);
    g_assert_true(dt_is_our_directory(path, kind));
}

static void refuse(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(dt_output_directory(path, "run", &error));
    g_assert_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EXISTS);
    g_assert_null(strchr(error->message, '\n'));
}

static void assert_text(const char *directory, const char *name, const char *expected)
{
    g_autofree char *text = get(directory, name);
    g_assert_cmpstr(text, ==, expected);
}

static void test_new(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *deep = g_build_filename(fixture->path, "a", "b/", NULL);
    make(deep, "result");
    g_assert_false(dt_is_our_directory(deep, "run"));
    g_assert_false(dt_is_our_directory(fixture->path, "run"));
    g_assert_false(dt_is_our_directory("/nowhere/at/all", "run"));
}

static void test_replace(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *with_slash = g_strconcat(fixture->path, "/", NULL);
    make(fixture->path, "run");
    put(fixture->path, "data", "first");
    make(with_slash, "result");
    put(fixture->path, "data", "second");
    assert_text(fixture->old, "data", "first");
    make(fixture->path, "run");
    assert_text(fixture->path, "data", NULL);
    assert_text(fixture->old, "data", "second");
    g_assert_true(dt_is_our_directory(fixture->old, "result"));
}

static void test_empty_directory(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_assert_cmpint(g_mkdir(fixture->path, 0777), ==, 0);
    make(fixture->path, "run");
    g_assert_false(g_file_test(fixture->old, G_FILE_TEST_EXISTS));
}

static void test_not_ours(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_assert_cmpint(g_mkdir(fixture->path, 0777), ==, 0);
    put(fixture->path, "thesis.tex", "ten years");
    refuse(fixture->path);
    put(fixture->path, ".difftrace", "something else");
    refuse(fixture->path);
    assert_text(fixture->path, "thesis.tex", "ten years");

    g_autofree char *file = g_build_filename(fixture->path, "thesis.tex", NULL);
    refuse(file);
    assert_text(fixture->path, "thesis.tex", "ten years");
}

static void test_old_not_ours(Fixture *fixture, gconstpointer data)
{
    (void)data;
    make(fixture->path, "run");
    put(fixture->path, "data", "first");
    g_assert_cmpint(g_mkdir(fixture->old, 0777), ==, 0);
    put(fixture->old, "thesis.tex", "ten years");
    refuse(fixture->path);
    assert_text(fixture->path, "data", "first");
    assert_text(fixture->old, "thesis.tex", "ten years");
}

/* What is linked to from an old run stays where it is. */
static void test_links(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *other = g_build_filename(fixture->base, "other", NULL);
    g_assert_cmpint(g_mkdir(other, 0777), ==, 0);
    put(other, "thesis.tex", "ten years");
    for (guint i = 0; i < 3; i++) {
        g_autofree char *link = g_build_filename(fixture->path, "link", NULL);
        make(fixture->path, "run");
        g_assert_cmpint(symlink(other, link), ==, 0);
    }
    assert_text(other, "thesis.tex", "ten years");
}

static void test_impossible(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(GError) error = NULL;
    put(fixture->base, "file", "x");
    g_autofree char *below = g_build_filename(fixture->base, "file", "out", NULL);
    g_assert_false(dt_output_directory(below, "run", &error));
    g_assert_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/store/output-directory/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("new", test_new);
    ADD("replace", test_replace);
    ADD("empty-directory", test_empty_directory);
    ADD("not-ours", test_not_ours);
    ADD("old-not-ours", test_old_not_ours);
    ADD("links", test_links);
    ADD("impossible", test_impossible);
    return g_test_run();
}
