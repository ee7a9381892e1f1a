/* Notes of a trace: all of them, in order, and what is there of a file that is cut anywhere. */
#include <string.h>

#include "store/store.h"
#include "support/test_run.h"

enum { NOTES = 9 };

typedef struct {
    char *path;
    DtFunctions *functions;
    char *file; /* of the only process */
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->path = dt_temporary_directory();
    fixture->functions = dt_functions_new();
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->tables_first = TRUE;
    DtTestThread *other = dt_test_process_thread(process, DT_THREAD_APP, 1);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    dt_test_thread_events(other, "work <");
    dt_test_thread_note(other, DT_NOTE_MARKER, NULL, 0, "of another thread");
    dt_test_thread_note(thread, DT_NOTE_MARKER, NULL, 0, "start");
    for (gint64 i = 1; i < NOTES; i++) {
        const gint64 values[] = {i * 1000000007, -i};
        dt_test_thread_events(thread, "solve MPI_Recv < <");
        dt_test_thread_note(thread, i == 5 ? 999999 : DT_NOTE_WILDCARD, values, 2, NULL);
    }
    thread->dropped_notes = 3;
    fixture->file = dt_test_process_file(process);
    dt_test_run_finish(writer);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->path);
    g_free(fixture->path);
    g_free(fixture->file);
    dt_functions_unref(fixture->functions);
}

static void assert_notes(const DtNotes *notes)
{
    for (guint i = 0; i < dt_notes_count(notes); i++) {
        const DtNote *note = dt_notes_get(notes, i);
        g_assert_cmpuint(note->position, ==, 4 * i);
        g_assert_cmpuint(note->kind, ==, i == 0 ? DT_NOTE_MARKER : i == 5 ? 999999 : DT_NOTE_WILDCARD);
        g_assert_cmpstr(note->text, ==, i == 0 ? "start" : "");
        g_assert_cmpuint(note->count, ==, i == 0 ? 0 : 2);
        if (i > 0) {
            g_assert_cmpint(dt_notes_values(notes, note)[0], ==, (gint64)i * 1000000007);
            g_assert_cmpint(dt_notes_values(notes, note)[1], ==, -(gint64)i);
        }
    }
}

static void test_contents(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(DtRun) run = dt_run_open(fixture->path, fixture->functions, NULL);
    const DtTrace *trace = dt_run_find_trace(run, "0");
    g_autoptr(DtNotes) notes = dt_notes_open(run, trace, NULL);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_cmpuint(dt_notes_count(notes), ==, NOTES);
    g_assert_null(dt_notes_problem(notes));
    g_assert_cmpuint(trace->dropped_notes, ==, 3);
    assert_notes(notes);
}

static void rewrite(const Fixture *fixture, const guint8 *bytes, gsize count)
{
    g_autofree char *path = g_build_filename(fixture->path, fixture->file, NULL);
    dt_write_bytes(path, bytes, count);
}

static guint8 *read_file(const Fixture *fixture, gsize *bytes)
{
    g_autofree char *path = g_build_filename(fixture->path, fixture->file, NULL);
    char *contents = NULL;
    g_assert_true(g_file_get_contents(path, &contents, bytes, NULL));
    return (guint8 *)contents;
}

/* Where the notes of thread 1 of the file, the trace 0.0, begin: their chunk is the last. */
static gsize find_notes(const guint8 *bytes, gsize count)
{
    for (gsize at = count - DT_CHUNK_ALIGN;; at -= DT_CHUNK_ALIGN) {
        struct dt_chunk_header chunk;
        memcpy(&chunk, bytes + at, sizeof(chunk));
        if (chunk.magic == DT_CHUNK_MAGIC && chunk.type == DT_CHUNK_NOTES && chunk.owner == 1)
            return at + sizeof(chunk) + sizeof(struct dt_notes);
    }
}

/* Notes that are whole in the first `count` bytes behind `at`, by the document's rule. */
static guint whole_notes(const guint8 *at, gsize count)
{
    guint notes = 0;
    for (gsize next = 0; next < count && at[next] > 0; notes++) {
        next += 1u + at[next];
        if (next > count)
            break;
    }
    return notes;
}

static guint count_notes(const Fixture *fixture, gboolean *damaged)
{
    g_autoptr(DtRun) run = dt_run_open(fixture->path, fixture->functions, NULL);
    g_autoptr(DtNotes) notes = dt_notes_open(run, dt_run_find_trace(run, "0"), NULL);
    g_assert_nonnull(notes);
    assert_notes(notes);
    *damaged = dt_notes_problem(notes) != NULL;
    return dt_notes_count(notes);
}

static void test_truncations(Fixture *fixture, gconstpointer data)
{
    (void)data;
    gsize count;
    gboolean damaged;
    g_autofree guint8 *bytes = read_file(fixture, &count);
    gsize first = find_notes(bytes, count), end = first;
    while (bytes[end])
        end += 1u + bytes[end];
    for (gsize cut = first; cut <= end; cut++) {
        rewrite(fixture, bytes, cut);
        g_assert_cmpuint(count_notes(fixture, &damaged), ==, whole_notes(bytes + first, cut - first));
        g_assert_true(damaged);
    }
}

/* What a writer leaves that dies at any of its stores: a length marked as unfinished, parts of a body, nothing. */
static void test_unfinished(Fixture *fixture, gconstpointer data)
{
    (void)data;
    gsize count;
    gboolean damaged;
    g_autofree guint8 *bytes = read_file(fixture, &count);
    gsize last = find_notes(bytes, count), next = last;
    while (bytes[next]) {
        last = next;
        next += 1u + bytes[next];
    }
    gsize length = bytes[last];
    for (gsize written = 0; written <= length; written++) {
        g_autofree guint8 *dying = g_memdup2(bytes, count);
        dying[last] = (guint8)(0x80 | length);
        memset(dying + last + 1 + written, 0, length - written);
        rewrite(fixture, dying, count);
        g_assert_cmpuint(count_notes(fixture, &damaged), ==, NOTES - 1);
        g_assert_false(damaged);
    }
    memset(bytes + last, 0, length + 1);
    rewrite(fixture, bytes, count);
    g_assert_cmpuint(count_notes(fixture, &damaged), ==, NOTES - 1);
    g_assert_false(damaged);
}

static void test_hole(Fixture *fixture, gconstpointer data)
{
    (void)data;
    gsize count;
    g_autofree guint8 *bytes = read_file(fixture, &count);
    gsize first = find_notes(bytes, count);
    memset(bytes + first, 0, 1u + bytes[first]); /* taken, never begun */
    rewrite(fixture, bytes, count);
    g_autoptr(DtRun) run = dt_run_open(fixture->path, fixture->functions, NULL);
    g_autoptr(DtNotes) notes = dt_notes_open(run, dt_run_find_trace(run, "0"), NULL);
    g_assert_cmpuint(dt_notes_count(notes), ==, NOTES - 1);
    g_assert_cmpuint(dt_notes_get(notes, 0)->position, ==, 4);
    g_assert_null(dt_notes_problem(notes));
}

static void test_damage(Fixture *fixture, gconstpointer data)
{
    (void)data;
    gsize count;
    g_autofree guint8 *bytes = read_file(fixture, &count);
    gsize first = find_notes(bytes, count);
    memset(bytes + first + 1, 0xff, bytes[first]); /* a number without an end */
    rewrite(fixture, bytes, count);
    g_autoptr(DtRun) run = dt_run_open(fixture->path, fixture->functions, NULL);
    g_autoptr(DtNotes) notes = dt_notes_open(run, dt_run_find_trace(run, "0"), NULL);
    g_assert_cmpuint(dt_notes_count(notes), ==, NOTES - 1);
    g_assert_nonnull(strstr(dt_notes_problem(notes), "trace 0.0"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/store/notes/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("contents", test_contents);
    ADD("truncations", test_truncations);
    ADD("unfinished", test_unfinished);
    ADD("hole", test_hole);
    ADD("damage", test_damage);
#undef ADD
    return g_test_run();
}
