/*
 * Damage, byte by byte: every byte of every file of a small run, sealed as the collector leaves runs, is changed, and
 * what is read is the same or there is a report that names the file and an offset. One run has all that is recorded of
 * calls of MPI; of its zeros, which are all alike, a share is drawn.
 *
 * With DIFFTRACE_DAMAGE=10000 and more the bytes get all 255 other values instead of one. With sanitizers, which make
 * it six times as slow, a share of the bytes is drawn for each codec.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "codec/codec.h"
#include "damage_support.h"
#include "store/sealed/sealed_writer.h"
#include "store/store.h"
#include "support/random.h"
#include "support/test_calls.h"
#include "writer/manifest.h"

enum {
    MANY_ROUNDS = 10000,
    WHOLE = 16, /* with one value in so many, what comes behind a report is read, too */
    LONG_GAP = 64
};

#ifdef SANITIZED
enum { ONE_IN = 8 };
#else
enum { ONE_IN = 1 };
#endif
enum { ONE_IN_OF_GAPS = 10 * ONE_IN };

typedef struct {
    const char *name;
    guint32 codec;
    gboolean with_calls;
} Kind;

/* ---- a small run ------------------------------------------------------------------------------ */

static const char *const events[] = {
    "main MPI_Init < solve step MPI_Send < MPI_Recv < < step puts@plt < < step MPI_Send < MPI_Recv < < <",
    "work lock a < b < c < unlock < lock a < b < c < unlock < lock",
};

/* With its checksum, which the run writer does not make. */
static void sign_manifest(const char *run)
{
    gsize size;
    g_autofree char *path = g_build_filename(run, "manifest.json", NULL), *text = dt_read_file(path, &size);
    g_autofree char *signed_text = g_strconcat("{\"checksum\":\"00000000\",", text + 1, NULL);
    dt_manifest_sign(signed_text);
    dt_write_bytes(path, signed_text, strlen(signed_text));
}

static void write_small_run(const char *path, const Kind *kind)
{
    DtTestRun *writer = dt_test_run_new(path);
    writer->manifest_processes =
        "[{\"pid\":1000,\"host\":\"node1\",\"end\":\"signal\",\"status\":11,\"time_ns\":7000000}]";
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->codec = kind->codec;
    for (guint i = 0; i < G_N_ELEMENTS(events); i++) {
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, i);
        thread->segment_words = 9;
        thread->finish = i == 0;
        thread->tail_words = 4;
        thread->two_tails = i == 1;
        dt_test_thread_events(thread, events[i]);
    }
    if (kind->with_calls)
        dt_test_thread_calls(process->threads->pdata[0]);
    dt_test_run_finish(writer);
    sign_manifest(path);
}

static void write_byte(int descriptor, gsize at, char byte)
{
    g_assert_cmpint(pwrite(descriptor, &byte, 1, (off_t)at), ==, 1);
}

static guint values_of_a_byte(void)
{
    return dt_damage_rounds(0) >= MANY_ROUNDS ? 255 : 1;
}

static gboolean is_in_gap(const char *bytes, gsize size, gsize at)
{
    static const char zeros[LONG_GAP];
    return at >= LONG_GAP / 2 && size - at >= LONG_GAP / 2 && memcmp(bytes + at - LONG_GAP / 2, zeros, LONG_GAP) == 0;
}

static gboolean is_taken(gboolean in_gap, GRand *random)
{
    return values_of_a_byte() > 1 || g_rand_int_range(random, 0, in_gap ? ONE_IN_OF_GAPS : ONE_IN) == 0;
}

/* `silent`: changes without a report, and without effect. */
static guint change_bytes(const char *run, const char *name, GRand *random, guint *silent)
{
    g_autofree char *file = g_build_filename(run, name, NULL);
    g_autoptr(GString) reports = g_string_new(NULL);
    gsize size;
    g_autofree char *bytes = dt_read_file(file, &size), *good = dt_describe_run(run, reports);
    g_assert_cmpstr(reports->str, ==, "");
    int descriptor = open(file, O_WRONLY | O_CLOEXEC);
    guint values = values_of_a_byte(), found = 0, changes = 0;
    for (gsize at = 0; at < size; at++) {
        if (!is_taken(is_in_gap(bytes, size, at), random))
            continue;
        char old = bytes[at];
        for (guint i = 0; i < values; i++) {
            bytes[at] = (char)(old ^ (values == 255 ? (gint)i + 1 : g_rand_int_range(random, 1, 256)));
            write_byte(descriptor, at, bytes[at]);
            g_autofree char *text =
                i % WHOLE == 0 ? dt_describe_run(run, reports) : dt_describe_run_until_report(run, reports);
            gboolean reported = reports->len > 0;
            if (!reported && !g_str_equal(text, good))
                g_error("%s: byte %" G_GSIZE_FORMAT ": 0x%02x for 0x%02x: other events and no report\n%s", name, at,
                        (guint8)bytes[at], (guint8)old, text);
            if (reported && !strstr(reports->str, name))
                g_error("%s: byte %" G_GSIZE_FORMAT ": a report that does not name the file: %s", name, at,
                        reports->str);
            if (reported && g_str_has_suffix(name, ".trace") && !strstr(reports->str, "offset") &&
                !strstr(reports->str, "version"))
                g_error("%s: byte %" G_GSIZE_FORMAT ": a report without an offset: %s", name, at, reports->str);
            found += reported ? 1 : 0;
            changes++;
        }
        if (values == 255 && at % 1024 == 1023)
            g_test_message("%s: the first %" G_GSIZE_FORMAT " bytes: %u changes, %u reported", name, at + 1, changes,
                           found);
        bytes[at] = old;
        write_byte(descriptor, at, old);
    }
    close(descriptor);
    *silent = changes - found;
    g_test_message("%s: %u changes of single bytes, %u reported, the others without effect", name, changes, found);
    return found;
}

/* In the sealed form no byte is without effect, but for the checksum that the open segment does not have yet. */
static void test_every_sealed_byte(gconstpointer data)
{
    g_autofree char *run = dt_directory_in_memory();
    g_autoptr(GRand) random = dt_test_random();
    write_small_run(run, data);
    dt_run_shrink(run);
    gsize size;
    guint silent;
    g_autofree char *file = g_build_filename(run, "processes/node1.1000.trace", NULL);
    g_autofree char *bytes = dt_read_file(file, &size);
    g_assert_nonnull(bytes);
    g_assert_cmpuint(size, <, 8192);
    guint dense = 0;
    for (gsize at = 0; at < size; at++)
        dense += !is_in_gap(bytes, size, at);
    g_assert_cmpuint(change_bytes(run, "processes/node1.1000.trace", random, &silent), >, dense / (2 * ONE_IN));
    g_assert_cmpuint(silent, <=, sizeof(guint32));
    dt_remove_tree(run);
}

static void test_every_byte(gconstpointer data)
{
    g_autofree char *run = dt_directory_in_memory();
    g_autoptr(GRand) random = dt_test_random();
    write_small_run(run, data);
    g_autofree char *images = g_build_filename(run, "images", NULL);
    g_autoptr(GDir) folder = g_dir_open(images, 0, NULL);
    const char *name;
    guint silent;
    g_assert_cmpuint(change_bytes(run, "manifest.json", random, &silent), >, 250 / (2 * ONE_IN));
    g_assert_cmpuint(change_bytes(run, "processes/node1.1000.trace", random, &silent), >, 4000 / (2 * ONE_IN));
    while ((name = g_dir_read_name(folder))) {
        g_autofree char *path = g_build_filename("images", name, NULL);
        g_assert_cmpuint(change_bytes(run, path, random, &silent), >, 50 / (2 * ONE_IN));
    }
    dt_remove_tree(run);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    dt_keep_freed_memory();
    dt_without_debug_lines();
    static const Kind kinds[] = {{"parlot", DT_CODEC_PARLOT, FALSE},
                                 {"tz", DT_CODEC_TZ, FALSE},
                                 {"raw", DT_CODEC_RAW, FALSE},
                                 {"lzr", DT_CODEC_LZR, FALSE},
                                 {"calls", DT_CODEC_LZR, TRUE}};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *path = g_strconcat("/decoder/damage-bytes/", kinds[i].name, NULL);
        g_autofree char *sealed = g_strconcat("/decoder/damage-bytes/sealed/", kinds[i].name, NULL);
        g_test_add_data_func(path, &kinds[i], test_every_byte);
        g_test_add_data_func(sealed, &kinds[i], test_every_sealed_byte);
    }
    return g_test_run();
}
