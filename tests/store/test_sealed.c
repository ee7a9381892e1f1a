/* The sealed form: it reads as the file that it was made of, byte for byte, and no moment of making it loses that. */
#define _GNU_SOURCE /* renameat2, O_DIRECTORY */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/checks.h"
#include "format/sealed.h"
#include "store/file.h"
#include "store/sealed/sealed_writer.h"
#include "store/store.h"
#include "support/random.h"
#include "support/test_run.h"

enum { NO_PROCESS = 0x7ffffff0 /* more than any kernel gives out */ };

typedef struct {
    char *path, *folder;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->path = dt_temporary_directory();
    fixture->folder = g_build_filename(fixture->path, "processes", NULL);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->path);
    g_free(fixture->path);
    g_free(fixture->folder);
}

/* ---- files ------------------------------------------------------------------------------------ */

typedef struct {
    char *data;
    gsize bytes;
} Bytes;

static void bytes_clear(Bytes *bytes)
{
    g_free(bytes->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bytes, bytes_clear)

static Bytes read_raw(const char *path)
{
    Bytes bytes;
    g_assert_true(g_file_get_contents(path, &bytes.data, &bytes.bytes, NULL));
    return bytes;
}

/* As all readers see it. */
static Bytes read_image(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFile) file = dt_file_open_trace(path, &error);
    g_assert_no_error(error);
    Bytes bytes = {g_malloc(file->bytes), file->bytes};
    g_assert_cmpuint(dt_file_read(file, 0, bytes.data, bytes.bytes), ==, bytes.bytes);
    return bytes;
}

static gboolean is_sealed(const char *path)
{
    g_auto(Bytes) bytes = read_raw(path);
    const struct dt_file_header *header = (const void *)bytes.data;
    return header->major == DT_SEALED_MAJOR;
}

static void assert_same(const Bytes *one, const Bytes *two)
{
    g_assert_cmpuint(one->bytes, ==, two->bytes);
    g_assert_cmpint(memcmp(one->data, two->data, one->bytes), ==, 0);
}

static char *only_file(const Fixture *fixture)
{
    g_autoptr(GDir) folder = g_dir_open(fixture->folder, 0, NULL);
    const char *name = g_dir_read_name(folder);
    char *path = g_build_filename(fixture->folder, name, NULL);
    g_assert_null(g_dir_read_name(folder));
    return path;
}

static guint count_files(const Fixture *fixture)
{
    g_autoptr(GDir) folder = g_dir_open(fixture->folder, 0, NULL);
    guint count = 0;
    while (g_dir_read_name(folder))
        count++;
    return count;
}

/* ---- runs -------------------------------------------------------------------------------------- */

static const char events[] = "main MPI_Init < solve step MPI_Send < MPI_Recv < < step puts@plt < < step MPI_Send < < <";

static DtTestProcess *add_process(DtTestRun *writer, guint32 codec)
{
    DtTestProcess *process = dt_test_run_process(writer, -1);
    process->codec = codec;
    process->host = g_get_host_name();
    process->pid = NO_PROCESS + process->pid % 8;
    for (guint i = 0; i < 3; i++) {
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, i);
        thread->segment_words = 9;
        thread->finish = i == 0;
        thread->tail_words = i == 2 ? 0 : 4;
        thread->two_tails = i == 1;
        thread->packed = i == 2;
        for (guint times = 0; times < 100; times++)
            dt_test_thread_events(thread, events);
        const gint64 values[] = {1, -2, (gint64)i};
        dt_test_thread_note(thread, 2, values, G_N_ELEMENTS(values), "here");
    }
    return process;
}

static void write_run(const Fixture *fixture, guint32 codec)
{
    DtTestRun *writer = dt_test_run_new(fixture->path);
    add_process(writer, codec);
    dt_test_run_finish(writer);
}

/* A file of `megabytes` MB of code that nothing packs, in chunks of two threads by turns, and pages of nothing. */
static char *write_large(const Fixture *fixture, guint megabytes)
{
    enum { CHUNK = 1 << 16 };
    write_run(fixture, DT_CODEC_LZR);
    char *path = only_file(fixture);
    g_auto(Bytes) bytes = read_raw(path);
    g_autoptr(GByteArray) file = g_byte_array_new_take((guint8 *)g_steal_pointer(&bytes.data), bytes.bytes);
    g_autoptr(GRand) random = dt_test_random();
    for (guint i = 0; i < megabytes * 16; i++) {
        struct dt_chunk_header chunk = {DT_CHUNK_MAGIC, DT_CHUNK_DATA, CHUNK, 7 + i % 2, i / 2, 0, 0, 0, {0}};
        guint start = file->len;
        chunk.check = dt_chunk_check(&chunk);
        g_byte_array_set_size(file, start + CHUNK + (i % 16 == 0 ? DT_CHUNK_ALIGN : 0));
        memset(file->data + start, 0, file->len - start);
        memcpy(file->data + start, &chunk, sizeof(chunk));
        for (guint at = sizeof(chunk); at + 4 <= CHUNK - i % 64; at += 4) {
            guint32 word = g_rand_int(random);
            memcpy(file->data + start + at, &word, 4);
        }
    }
    struct dt_file_header *header = (void *)file->data;
    header->file_bytes = file->len;
    header->seal = dt_file_header_seal(header);
    dt_write_bytes(path, file->data, file->len);
    return path;
}

/* ---- the same bytes ------------------------------------------------------------------------------ */

static void test_round_trip(Fixture *fixture, gconstpointer data)
{
    write_run(fixture, GPOINTER_TO_UINT(data));
    g_autofree char *path = only_file(fixture);
    g_auto(Bytes) before = read_image(path);
    dt_run_shrink(fixture->path);
    g_assert_true(is_sealed(path));
    g_auto(Bytes) after = read_image(path), raw = read_raw(path);
    assert_same(&before, &after);
    g_assert_cmpuint(raw.bytes, <, 8192);
    g_assert_cmpuint(count_files(fixture), ==, 1);
    dt_run_seal(fixture->path); /* nothing is left to do */
    dt_run_shrink(fixture->path);
    g_auto(Bytes) again = read_raw(path);
    assert_same(&raw, &again);
}

/* Two blocks of content and more; in the first form the table is written before the blocks are known. */
static void test_large(Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = write_large(fixture, GPOINTER_TO_UINT(data));
    g_auto(Bytes) before = read_raw(path);
    dt_run_shrink(fixture->path);
    g_assert_true(is_sealed(path));
    g_auto(Bytes) after = read_image(path), raw = read_raw(path);
    assert_same(&before, &after);
    g_assert_cmpuint(raw.bytes, <, before.bytes);
}

/* Of pieces as readers ask for them, and by many threads at once. */
static gpointer read_pieces(gpointer data)
{
    const DtFile *file = ((gpointer *)data)[0];
    const Bytes *whole = ((gpointer *)data)[1];
    g_autoptr(GRand) random = g_rand_new_with_seed(GPOINTER_TO_UINT(((gpointer *)data)[2]));
    g_autofree char *piece = g_malloc(1 << 20);
    for (guint i = 0; i < 2000; i++) {
        gsize at = g_rand_int(random) % (whole->bytes + 5000), bytes = g_rand_int(random) % (1u << (i % 21));
        gsize there = at < whole->bytes ? MIN(bytes, whole->bytes - at) : 0;
        g_assert_cmpuint(dt_file_read(file, at, piece, bytes), ==, there);
        g_assert_true(there == 0 || memcmp(piece, whole->data + at, there) == 0);
        for (gsize j = there; j < bytes; j++)
            g_assert_cmpint(piece[j], ==, 0);
    }
    return NULL;
}

static void test_pieces(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *path = write_large(fixture, 2);
    g_auto(Bytes) whole = read_raw(path);
    dt_run_shrink(fixture->path);
    g_autoptr(DtFile) file = dt_file_open_trace(path, NULL);
    gpointer arguments[4][3];
    GThread *threads[G_N_ELEMENTS(arguments)];
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
        arguments[i][0] = file;
        arguments[i][1] = &whole;
        arguments[i][2] = GUINT_TO_POINTER(i + 1);
        threads[i] = g_thread_new("reader", read_pieces, arguments[i]);
    }
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
}

/* Checksums are those that would have been written into the file itself. */
static void test_checksums(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    add_process(writer, DT_CODEC_LZR)->sealed = FALSE;
    dt_test_run_finish(writer);
    g_autofree char *path = only_file(fixture);
    g_auto(Bytes) unsealed = read_raw(path);
    dt_run_shrink(fixture->path);
    g_auto(Bytes) made = read_image(path);
    dt_write_bytes(path, unsealed.data, unsealed.bytes);
    dt_run_seal(fixture->path);
    g_auto(Bytes) written = read_raw(path);
    assert_same(&written, &made);
    g_assert_cmpint(memcmp(unsealed.data, made.data, made.bytes), !=, 0);
}

static struct dt_chunk_header *find_chunk(const Bytes *file, guint32 type)
{
    for (gsize at = DT_CHUNK_ALIGN; at < file->bytes;) {
        struct dt_chunk_header *chunk = (void *)(file->data + at);
        if (chunk->type == type)
            return chunk;
        at += chunk->bytes;
    }
    g_assert_not_reached();
}

/* What is in free chunks is dropped, and that is all. A type that nobody knows is kept. */
static void test_free_chunk(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_run(fixture, DT_CODEC_LZR);
    g_autofree char *path = only_file(fixture);
    g_auto(Bytes) before = read_raw(path);
    struct dt_chunk_header *freed = find_chunk(&before, DT_CHUNK_NOTES),
                           *unknown = find_chunk(&before, DT_CHUNK_FUNCTIONS);
    freed->type = DT_CHUNK_FREE;
    unknown->type = 4711;
    freed->check = dt_chunk_check(freed);
    unknown->check = dt_chunk_check(unknown);
    unknown->seal = dt_chunk_seal(unknown);
    dt_write_bytes(path, before.data, before.bytes);
    dt_run_shrink(fixture->path);
    g_auto(Bytes) after = read_image(path);
    memset(freed + 1, 0, freed->bytes - sizeof(*freed));
    freed->seal = 0;
    assert_same(&before, &after);
}

/* A run that is not whole: cut anywhere, it is sealed as it is. */
static void test_cut(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_run(fixture, DT_CODEC_LZR);
    g_autofree char *path = only_file(fixture);
    g_auto(Bytes) whole = read_raw(path);
    for (gsize bytes = 2296; bytes < whole.bytes; bytes += 1021) {
        dt_write_bytes(path, whole.data, bytes);
        dt_run_shrink(fixture->path);
        g_assert_true(is_sealed(path));
        g_auto(Bytes) after = read_image(path);
        g_assert_cmpuint(bytes, ==, after.bytes);
        g_assert_cmpint(memcmp(whole.data, after.data, bytes), ==, 0);
    }
}

/* Whoever opened the run before reads on: the bytes of a trace lie where they lay. */
static void test_replaced_while_open(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_run(fixture, DT_CODEC_LZR);
    g_autofree char *path = only_file(fixture);
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(fixture->path, functions, NULL);
    guint segments[3];
    for (guint i = 0; i < 3; i++) {
        g_autoptr(DtStream) stream = dt_stream_open(run, dt_run_trace(run, i), NULL);
        segments[i] = dt_stream_segment_count(stream);
    }
    dt_run_shrink(fixture->path);
    g_assert_true(is_sealed(path));
    for (guint i = 0; i < 3; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DtStream) stream = dt_stream_open(run, dt_run_trace(run, i), &error);
        g_autoptr(DtNotes) notes = dt_notes_open(run, dt_run_trace(run, i), &error);
        g_assert_no_error(error);
        g_assert_cmpstr(dt_stream_problem(stream), ==, NULL);
        g_assert_cmpuint(dt_stream_segment_count(stream), ==, segments[i]);
        g_assert_cmpuint(dt_notes_count(notes), ==, 1);
    }
}

/* ---- which files ----------------------------------------------------------------------------------- */

static gboolean is_sealed_then(const Fixture *fixture, guint pid, const char *host, guint32 end_state, gboolean sealed)
{
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = add_process(writer, DT_CODEC_LZR);
    process->pid = pid;
    process->host = host;
    process->end_state = end_state;
    process->sealed = sealed;
    dt_test_run_finish(writer);
    g_autofree char *path = only_file(fixture);
    dt_run_shrink(fixture->path);
    gboolean found = is_sealed(path);
    dt_remove_tree(fixture->path);
    return found;
}

static void test_which(Fixture *fixture, gconstpointer data)
{
    (void)data;
    const char *here = g_get_host_name();
    g_assert_true(is_sealed_then(fixture, NO_PROCESS, here, DT_PROCESS_EXITED, TRUE));
    g_assert_true(is_sealed_then(fixture, NO_PROCESS, here, DT_PROCESS_RUNNING, FALSE));
    g_assert_false(is_sealed_then(fixture, (guint)getpid(), here, DT_PROCESS_RUNNING, FALSE));
    g_assert_false(is_sealed_then(fixture, (guint)getpid(), here, DT_PROCESS_EXITED, TRUE));
    g_assert_true(is_sealed_then(fixture, (guint)getpid(), here, DT_PROCESS_EXEC, TRUE));
    g_assert_true(is_sealed_then(fixture, 5, "elsewhere", DT_PROCESS_EXITED, TRUE));
    g_assert_false(is_sealed_then(fixture, 5, "elsewhere", DT_PROCESS_EXITED, FALSE)); /* it may change yet */
    g_assert_false(is_sealed_then(fixture, 5, "elsewhere", DT_PROCESS_RUNNING, TRUE));
}

/* No link is followed, none is replaced, nothing but a trace file is touched. */
static void test_links(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_run(fixture, DT_CODEC_LZR);
    g_autofree char *path = only_file(fixture);
    g_autofree char *moved = g_build_filename(fixture->path, "moved", NULL);
    g_autofree char *other = g_build_filename(fixture->folder, "other.trace", NULL);
    g_autofree char *text = g_build_filename(fixture->folder, "text.trace", NULL);
    g_assert_cmpint(g_rename(path, moved), ==, 0);
    g_assert_cmpint(symlink(moved, path), ==, 0);
    dt_write_bytes(text, "no trace", 8);
    dt_run_shrink(fixture->path);
    g_assert_false(is_sealed(moved));
    g_assert_true(g_file_test(path, G_FILE_TEST_IS_SYMLINK));
    g_assert_cmpint(unlink(path), ==, 0);
    g_assert_cmpint(link(moved, path), ==, 0);
    dt_run_shrink(fixture->path);
    g_assert_false(is_sealed(moved));
    g_assert_cmpint(unlink(moved), ==, 0);
    g_assert_cmpint(mkfifo(other, 0600), ==, 0);
    dt_run_shrink(fixture->path);
    g_assert_true(is_sealed(path));
    g_auto(Bytes) bytes = read_raw(text);
    g_assert_cmpstr(bytes.data, ==, "no trace");
}

/* Mode and time stay; and the owner, where that can be asked. */
static void test_owner(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_run(fixture, DT_CODEC_LZR);
    g_autofree char *path = only_file(fixture);
    struct stat before, after;
    g_assert_cmpint(chmod(path, 0640), ==, 0);
    if (getuid() == 0)
        g_assert_cmpint(chown(path, 1234, 4321), ==, 0);
    g_assert_cmpint(stat(path, &before), ==, 0);
    dt_run_shrink(fixture->path);
    g_assert_true(is_sealed(path));
    g_assert_cmpint(stat(path, &after), ==, 0);
    g_assert_cmpuint(before.st_mode, ==, after.st_mode);
    g_assert_cmpuint(before.st_uid, ==, after.st_uid);
    g_assert_cmpuint(before.st_gid, ==, after.st_gid);
    g_assert_cmpint(before.st_mtim.tv_sec, ==, after.st_mtim.tv_sec);
    g_assert_cmpint(before.st_mtim.tv_nsec, ==, after.st_mtim.tv_nsec);
}

/* In a user's folder files of that user are sealed, others are not. */
static void test_user(Fixture *fixture, gconstpointer data)
{
    (void)data;
    if (getuid() != 0) {
        g_test_skip("only root may look into folders of others");
        return;
    }
    write_run(fixture, DT_CODEC_LZR);
    g_autofree char *path = only_file(fixture), *base = g_path_get_basename(path);
    g_autofree char *users = g_build_filename(fixture->path, "users", "1234", "processes", NULL);
    g_autofree char *theirs = g_build_filename(users, base, NULL);
    g_assert_cmpint(g_mkdir_with_parents(users, 0755), ==, 0);
    g_assert_cmpint(chown(users, 1234, 1234), ==, 0);
    g_assert_cmpint(g_rename(path, theirs), ==, 0);
    dt_run_shrink(fixture->path);
    g_assert_false(is_sealed(theirs)); /* it is root's */
    g_assert_cmpint(chown(theirs, 1234, 1234), ==, 0);
    dt_run_shrink(fixture->path);
    struct stat after;
    g_assert_true(is_sealed(theirs));
    g_assert_cmpint(stat(theirs, &after), ==, 0);
    g_assert_cmpuint(after.st_uid, ==, 1234);
}

/* ---- ended in between -------------------------------------------------------------------------------- */

typedef struct {
    guint left;
    GString *steps;
} Stop;

static gboolean goes_on(const char *step, gpointer data)
{
    Stop *stop = data;
    g_string_append_printf(stop->steps, "%s ", step);
    return stop->left-- > 0;
}

static gboolean wants(const struct dt_file_header *header, gboolean has_checksums, gpointer data)
{
    (void)header, (void)has_checksums, (void)data;
    return TRUE;
}

static void test_steps(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_run(fixture, DT_CODEC_LZR);
    g_autofree char *path = only_file(fixture), *name = g_path_get_basename(path);
    g_auto(Bytes) before = read_raw(path);
    gint folder = open(fixture->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_autoptr(GString) steps = g_string_new(NULL);
    gboolean done = FALSE;
    for (guint i = 0; !done; i++) {
        Stop stop = {i, steps};
        g_string_truncate(steps, 0);
        const DtSealing sealing = {.folder = folder, .name = name, .wants = wants, .goes_on = goes_on, .data = &stop};
        done = dt_sealing_run(&sealing);
        g_auto(Bytes) after = read_image(path);
        assert_same(&before, &after);
        g_assert_cmpint(done, ==, is_sealed(path));
    }
    g_assert_cmpstr(steps->str, ==, "make write owner sync rename ");
    g_assert_cmpuint(count_files(fixture), ==, 1); /* what was left by those before is gone */
    close(folder);
}

/* A child that seals is killed at any moment. */
static void test_kills(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *path = write_large(fixture, 4);
    g_auto(Bytes) before = read_raw(path);
    g_autoptr(GRand) random = dt_test_random();
    guint rounds = g_getenv("DIFFTRACE_KILLS") ? (guint)g_ascii_strtoull(g_getenv("DIFFTRACE_KILLS"), NULL, 10) : 50;
    guint finished = 0;
    gulong whole_us = 0;
    for (guint i = 0; i <= rounds; i++) {
        gint64 start = g_get_monotonic_time();
        gint status;
        pid_t child = fork();
        if (child == 0) {
            dt_run_shrink(fixture->path);
            _exit(0);
        }
        if (i > 0) { /* the first tells how long it takes */
            g_usleep((gulong)g_rand_double_range(random, 0, 1.1 * (gdouble)whole_us));
            kill(child, SIGKILL);
        }
        g_assert_cmpint(waitpid(child, &status, 0), ==, child);
        whole_us = i == 0 ? (gulong)(g_get_monotonic_time() - start) : whole_us;
        g_auto(Bytes) after = read_image(path);
        assert_same(&before, &after);
        if (is_sealed(path)) {
            finished++;
            dt_write_bytes(path, before.data, before.bytes);
        }
    }
    g_test_message("%u of %u were killed before the end; all takes %lu us", rounds + 1 - finished, rounds, whole_us);
    g_assert_cmpuint(finished, >, 0);
    g_assert_cmpuint(finished, <, rounds + 1);
    dt_run_shrink(fixture->path);
    g_assert_cmpuint(count_files(fixture), ==, 1);
}

/* Two collectors of a job end at the same time. */
static void test_two_collectors(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *path = write_large(fixture, 2);
    g_auto(Bytes) before = read_raw(path);
    for (guint i = 0; i < 10; i++) {
        pid_t children[3];
        for (guint c = 0; c < G_N_ELEMENTS(children); c++) {
            children[c] = fork();
            if (children[c] == 0) {
                dt_run_shrink(fixture->path);
                _exit(0);
            }
        }
        for (guint c = 0; c < G_N_ELEMENTS(children); c++)
            waitpid(children[c], NULL, 0);
        g_auto(Bytes) after = read_image(path);
        assert_same(&before, &after);
        g_assert_true(is_sealed(path));
        g_assert_cmpuint(count_files(fixture), ==, 1);
        dt_write_bytes(path, before.data, before.bytes);
    }
}

/* ---- forged files ------------------------------------------------------------------------------------- */

/* A sealed file with a table as given, not packed, before the blocks as they are. */
static void forge(const char *path, const struct dt_sealed *told, const struct dt_sealed_piece *pieces,
                  const struct dt_sealed_block *blocks)
{
    g_auto(Bytes) bytes = read_raw(path);
    g_autoptr(GByteArray) file = g_byte_array_new();
    struct dt_sealed head = *told;
    gsize piece_bytes = head.pieces * sizeof(*pieces), block_bytes = head.blocks * sizeof(*blocks);
    g_byte_array_append(file, (guint8 *)bytes.data, DT_SEALED_OFFSET);
    g_byte_array_append(file, (const guint8 *)&head, sizeof(head));
    g_byte_array_append(file, (const guint8 *)pieces, (guint)piece_bytes);
    g_byte_array_append(file, (const guint8 *)blocks, (guint)block_bytes);
    head.table_bytes = (guint32)(piece_bytes + block_bytes);
    head.table_crc32 = dt_crc32(0, file->data + DT_SEALED_OFFSET + sizeof(head), head.table_bytes);
    memcpy(head.magic, DT_SEALED_MAGIC, sizeof(head.magic));
    head.check = dt_crc32(0, &head, G_STRUCT_OFFSET(struct dt_sealed, check));
    memcpy(file->data + DT_SEALED_OFFSET, &head, sizeof(head));
    g_byte_array_set_size(file, file->len + 4096);
    dt_write_bytes(path, file->data, file->len);
}

static void test_forged(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const struct {
        struct dt_sealed head;
        struct dt_sealed_piece pieces[2];
        struct dt_sealed_block block;
        gboolean is_good;
    } cases[] = {
        {{.image_bytes = 8192, .pieces = 2, .blocks = 1}, {{0, 100}, {4096, 100}}, {200, 200, 0, 0}, TRUE},
        {{.image_bytes = 8192, .pieces = 2, .blocks = 1}, {{4096, 100}, {0, 100}}, {200, 50, 0, 0}, TRUE},
        {{.image_bytes = 8192, .pieces = 0, .blocks = 0}, {{0, 0}}, {0, 0, 0, 0}, TRUE},
        {{.image_bytes = 8192, .pieces = 2, .blocks = 1}, {{0, 100}, {99, 100}}, {200, 200, 0, 0}, FALSE},
        {{.image_bytes = 8192, .pieces = 2, .blocks = 1}, {{0, 100}, {8100, 100}}, {200, 200, 0, 0}, FALSE},
        {{.image_bytes = 8192, .pieces = 2, .blocks = 1}, {{0, 100}, {G_MAXUINT64, 100}}, {200, 200, 0, 0}, FALSE},
        {{.image_bytes = 8192, .pieces = 2, .blocks = 1}, {{0, 100}, {100, G_MAXUINT64}}, {200, 200, 0, 0}, FALSE},
        {{.image_bytes = 8192, .pieces = 2, .blocks = 1}, {{0, 100}, {4096, 100}}, {201, 201, 0, 0}, FALSE},
        {{.image_bytes = 8192, .pieces = 1, .blocks = 1}, {{0, 200}}, {200, 201, 0, 0}, FALSE},
        {{.image_bytes = 8192, .pieces = 1, .blocks = 1}, {{0, 200}}, {200, 0, 0, 0}, FALSE},
        {{.image_bytes = 1 << 20, .pieces = 1, .blocks = 1}, {{0, 1 << 19}}, {1 << 19, 100, 0, 0}, FALSE},
        {{.image_bytes = 8192, .pieces = 1, .blocks = 1}, {{0, 200}}, {200, 300, 0, 400}, TRUE},
        {{.image_bytes = 8192, .pieces = 1, .blocks = 1}, {{0, 200}}, {200, 300, 0, 299}, FALSE},
        {{.image_bytes = 8192, .pieces = 1, .blocks = 1}, {{0, 200}}, {200, 300, 0, 1 << 20}, FALSE},
        {{.image_bytes = 1ull << 40, .pieces = 1, .blocks = 1}, {{0, 200}}, {200, 200, 0, 0}, FALSE},
        {{.image_bytes = G_MAXUINT64, .pieces = 1, .blocks = 1}, {{0, 200}}, {200, 200, 0, 0}, FALSE},
    };
    write_run(fixture, DT_CODEC_LZR);
    g_autofree char *path = only_file(fixture);
    dt_run_shrink(fixture->path);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        forge(path, &cases[i].head, cases[i].pieces, &cases[i].block);
        g_autoptr(DtFile) file = dt_file_open_trace(path, &error);
        g_assert_cmpint(file != NULL, ==, cases[i].is_good);
        if (cases[i].is_good) {
            g_auto(Bytes) image = read_image(path);
            g_assert_cmpuint(image.bytes, ==, cases[i].head.image_bytes);
        } else {
            g_assert_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    static const guint32 codecs[] = {DT_CODEC_PARLOT, DT_CODEC_TZ, DT_CODEC_RAW, DT_CODEC_LZR};
    for (guint i = 0; i < G_N_ELEMENTS(codecs); i++) {
        g_autofree char *path = g_strconcat("/store/sealed/round-trip/", dt_codec_name(codecs[i]), NULL);
        g_test_add(path, Fixture, GUINT_TO_POINTER(codecs[i]), set_up, test_round_trip, tear_down);
    }
    g_test_add("/store/sealed/large", Fixture, GUINT_TO_POINTER(3), set_up, test_large, tear_down);
    g_test_add("/store/sealed/very-large", Fixture, GUINT_TO_POINTER(12), set_up, test_large, tear_down);
    g_test_add("/store/sealed/pieces", Fixture, NULL, set_up, test_pieces, tear_down);
    g_test_add("/store/sealed/checksums", Fixture, NULL, set_up, test_checksums, tear_down);
    g_test_add("/store/sealed/free-chunk", Fixture, NULL, set_up, test_free_chunk, tear_down);
    g_test_add("/store/sealed/cut", Fixture, NULL, set_up, test_cut, tear_down);
    g_test_add("/store/sealed/replaced-while-open", Fixture, NULL, set_up, test_replaced_while_open, tear_down);
    g_test_add("/store/sealed/which", Fixture, NULL, set_up, test_which, tear_down);
    g_test_add("/store/sealed/links", Fixture, NULL, set_up, test_links, tear_down);
    g_test_add("/store/sealed/owner", Fixture, NULL, set_up, test_owner, tear_down);
    g_test_add("/store/sealed/user", Fixture, NULL, set_up, test_user, tear_down);
    g_test_add("/store/sealed/steps", Fixture, NULL, set_up, test_steps, tear_down);
    g_test_add("/store/sealed/kills", Fixture, NULL, set_up, test_kills, tear_down);
    g_test_add("/store/sealed/two-collectors", Fixture, NULL, set_up, test_two_collectors, tear_down);
    g_test_add("/store/sealed/forged", Fixture, NULL, set_up, test_forged, tear_down);
    return g_test_run();
}
