#include "coding.h"

#include <string.h>

#include "format/crc32.h"
#include "support/assert_same.h"

GByteArray *dt_encode_all(guint32 codec, const GArray *words, gsize count, gsize batch)
{
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(codec));
    g_autofree guint8 *out = g_malloc(dt_codec_bound(codec, batch));
    GByteArray *code = g_byte_array_new();
    dt_codec_encoder_init(codec, state);
    for (gsize done = 0; done < count; done += batch) {
        gsize part = MIN(batch, count - done);
        gsize bytes = dt_codec_encode(codec, state, &g_array_index(words, guint16, done), part, out);
        g_byte_array_append(code, out, (guint)bytes);
    }
    g_byte_array_append(code, out, (guint)dt_codec_finish(codec, state, out));
    return code;
}

gsize dt_decode_all(guint32 codec, const guint8 *code, gsize bytes, const guint8 *pending, guint16 *words, gsize count,
                    gsize part, gboolean *at_end)
{
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(codec));
    g_autofree guint8 *exact = g_memdup2(code, bytes);
    gsize done = 0, got = 1;
    dt_codec_decoder_init(codec, state, exact, bytes, count, pending);
    while (done < count && got > 0) {
        got = dt_codec_decode(codec, state, words + done, MIN(part, count - done));
        done += got;
    }
    *at_end = dt_codec_at_end(codec, state);
    return done;
}

void dt_assert_decodes(guint32 codec, const GByteArray *code, const guint8 *pending, const GArray *words, gsize count,
                       gsize part)
{
    g_autofree guint16 *decoded = g_new(guint16, count + 1);
    gboolean at_end;
    g_assert_cmpuint(dt_decode_all(codec, code->data, code->len, pending, decoded, count, part, &at_end), ==, count);
    g_assert_true(at_end);
    dt_assert_same(decoded, 2 * count, words->data, 2 * count);
}

/* ---- golden files --------------------------------------------------------------- */

static void assert_file(guint32 codec, guint number, const char *extension, const void *bytes, gsize count)
{
    g_autofree char *name = g_strdup_printf("%s-golden-%u.%s", dt_codec_name(codec), number, extension);
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, "..", "data", name, NULL);
    g_autofree char *golden = NULL;
    gsize golden_count;
    if (g_getenv("DT_TEST_WRITE_GOLDEN"))
        g_file_set_contents(path, bytes, (gssize)count, NULL);
    g_assert_true(g_file_get_contents(path, &golden, &golden_count, NULL));
    dt_assert_same(bytes, count, golden, golden_count);
}

static void assert_files(guint32 codec, guint number, const void *code, gsize bytes, const void *words, gsize count)
{
    g_autofree char *text =
        g_strdup_printf("%" G_GSIZE_FORMAT " words, CRC-32 %08x\n", count, dt_crc32(0, words, 2 * count));
    assert_file(codec, number, dt_codec_name(codec), code, bytes);
    assert_file(codec, number, "txt", text, strlen(text));
}

void dt_assert_golden(guint32 codec, guint number, const GArray *words)
{
    g_autoptr(GByteArray) code = dt_encode_all(codec, words, words->len, 512);
    assert_files(codec, number, code->data, code->len, words->data, words->len);
    dt_assert_decodes(codec, code, NULL, words, words->len, 4096);
}

void dt_assert_golden_bytes(guint32 codec, guint number)
{
    enum { WORDS = 3000 };
    guint8 code[1200];
    guint16 words[WORDS];
    gboolean at_end;
    guint32 state = 7;
    for (gsize i = 0; i < sizeof(code); i++) {
        state = state * 1664525u + 1013904223u;
        code[i] = (guint8)(state >> 24);
    }
    gsize got = dt_decode_all(codec, code, sizeof(code), NULL, words, WORDS, 100, &at_end);
    assert_files(codec, number, code, sizeof(code), words, got);
}
