/* Notes: the document's examples, and random ones there and back. */
#include <glib.h>
#include <string.h>

#include "format/note.h"
#include "support/assert_same.h"
#include "support/random.h"

static void assert_coded(const struct dt_note *note, const guint8 *expected, gsize expected_bytes)
{
    guint8 body[DT_NOTE_BODY];
    gsize bytes = dt_note_encode(note, body);
    g_assert_cmpuint(expected[0], ==, bytes);
    dt_assert_same(body, bytes, expected + 1, expected_bytes - 1);
}

static void test_document(void)
{
    static const guint8 clock[] = {0x03, 0x00, 0x11, 0x0a};
    static const guint8 wildcard[] = {0x06, 0xac, 0x02, 0x42, 0x01, 0x80, 0x01};
    static const guint8 marker[] = {0x04, 0x01, 0x20, 0x68, 0x69};
    assert_coded(&(struct dt_note){.kind = DT_NOTE_CLOCK, .count = 1, .values = {5}}, clock, sizeof(clock));
    assert_coded(&(struct dt_note){.offset = 300, .kind = DT_NOTE_WILDCARD, .count = 2, .values = {-1, 64}}, wildcard,
                 sizeof(wildcard));
    assert_coded(&(struct dt_note){.offset = 1, .kind = DT_NOTE_MARKER, .text = (const guint8 *)"hi", .text_bytes = 2},
                 marker, sizeof(marker));
}

/* Of any size, so that varints of all lengths come up. */
static guint64 random_number(GRand *random)
{
    guint64 number = (guint64)g_rand_int(random) << 32 | g_rand_int(random);
    return number >> g_rand_int_range(random, 0, 64);
}

static struct dt_note random_note(GRand *random, const char *text)
{
    struct dt_note note = {.offset = random_number(random), .kind = (guint32)random_number(random) >> 4};
    note.count = (guint32)g_rand_int_range(random, 0, g_rand_boolean(random) ? 4 : 30);
    for (guint i = 0; i < note.count; i++)
        note.values[i] = (gint64)(random_number(random) * (g_rand_boolean(random) ? 1u : G_MAXUINT64));
    note.text = (const guint8 *)text;
    note.text_bytes = (gsize)g_rand_int_range(random, 0, (gint)strlen(text));
    return note;
}

static void assert_decodes(const struct dt_note *note, const guint8 *body, gsize bytes)
{
    struct dt_note read;
    g_assert_true(dt_note_decode(body, bytes, &read));
    g_assert_cmpuint(read.offset, ==, note->offset);
    g_assert_cmpuint(read.kind, ==, note->kind);
    dt_assert_same(read.values, read.count * sizeof(gint64), note->values, note->count * sizeof(gint64));
    g_assert_cmpuint(read.text_bytes, <=, note->text_bytes);
    dt_assert_same(read.text, read.text_bytes, note->text, read.text_bytes);
    if (bytes < DT_NOTE_BODY)
        g_assert_cmpuint(read.text_bytes, ==, note->text_bytes);
}

/* Every prefix that ends inside a number is refused; none is read beyond its end. */
static void assert_prefixes(const struct dt_note *note, const guint8 *body, gsize bytes)
{
    for (gsize cut = 0; cut < bytes; cut++) {
        g_autofree guint8 *part = g_memdup2(body, MAX(cut, 1)); /* of its own, so that sanitizers see its end */
        struct dt_note read;
        if (dt_note_decode(part, cut, &read)) {
            g_assert_cmpuint(read.count, ==, note->count);
            g_assert_cmpuint(read.text_bytes, <, note->text_bytes);
        }
    }
}

static void test_random(void)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autofree char *text = g_strnfill(200, 'x');
    guint too_long = 0, coded = 0;
    for (guint i = 0; i < 20000; i++) {
        struct dt_note note = random_note(random, text);
        guint8 body[DT_NOTE_BODY];
        gsize bytes = dt_note_encode(&note, body);
        if (bytes == 0) {
            too_long++;
            continue;
        }
        coded++;
        assert_decodes(&note, body, bytes);
        assert_prefixes(&note, body, bytes);
    }
    g_assert_cmpuint(too_long, >, 0);
    g_assert_cmpuint(coded, >, too_long);
}

static void test_any_bytes(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint i = 0; i < 200000; i++) {
        guint8 body[DT_NOTE_BODY];
        gsize bytes = (gsize)g_rand_int_range(random, 0, DT_NOTE_BODY + 1);
        for (gsize at = 0; at < bytes; at++)
            body[at] = (guint8)g_rand_int(random);
        struct dt_note read;
        if (dt_note_decode(body, bytes, &read)) {
            g_assert_cmpuint(read.count, <=, DT_NOTE_VALUES);
            g_assert_true(read.text + read.text_bytes == body + bytes);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/note/document", test_document);
    g_test_add_func("/format/note/random", test_random);
    g_test_add_func("/format/note/any-bytes", test_any_bytes);
    return g_test_run();
}
