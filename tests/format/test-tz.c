/*
 * TZ: what test-codecs.c cannot know of it. Streams with call stacks, escapes
 * and long repetitions; words chosen so that each costs as much as it can;
 * truncated and damaged code; and golden files, because what the model foretells
 * is the format.
 */
#include <glib.h>
#include <string.h>

#include "format/codec.h"
#include "support/assert_same.h"
#include "support/random.h"

/* ---- streams ------------------------------------------------------------------ */

typedef struct {
    GArray *words;
    GRand *random;
} Program;

static void put(Program *program, guint16 word)
{
    g_array_append_val(program->words, word);
}

static void call(Program *program, guint32 id)
{
    if (id <= DT_WORD_LAST_ID) {
        put(program, (guint16)id);
    } else {
        put(program, DT_WORD_ESCAPE);
        put(program, id & 0x7fff);
        put(program, (guint16)(id >> 15));
    }
}

static void give_back(Program *program)
{
    put(program, DT_WORD_RETURN);
}

static void leaf(Program *program, guint32 id)
{
    call(program, id);
    give_back(program);
}

/* Loops in loops whose trip counts vary now and then. */
static void loops(Program *program)
{
    for (guint i = 0; i < 400; i++) {
        call(program, 2);
        for (guint j = 0; j < 20 + i % 3; j++) {
            call(program, 3);
            for (guint k = 0; k < 4 + (i + j) % 5; k++)
                leaf(program, 4 + k % 2);
            give_back(program);
        }
        if (g_rand_int_range(program->random, 0, 30) == 0)
            leaf(program, (guint32)g_rand_int_range(program->random, 6, 60));
        give_back(program);
    }
}

/* One sequence of 50 words, for ever: the match is trusted and stays so. */
static void periodic(Program *program)
{
    for (guint i = 0; i < 200000; i++)
        put(program, (guint16)(i % 50 * 37));
}

static void recurse(Program *program, guint depth)
{
    call(program, 1 + depth % 7);
    if (depth > 0)
        recurse(program, depth - 1);
    if (depth > 0 && g_rand_int_range(program->random, 0, 40) == 0)
        leaf(program, 9);
    give_back(program);
}

/* Far deeper than the frames that the model keeps. */
static void deep_recursion(Program *program)
{
    for (guint i = 0; i < 5; i++)
        recurse(program, 5000 + 17 * i);
}

static void tree(Program *program, guint depth)
{
    call(program, 1);
    for (guint i = 0; depth > 0 && i < 2; i++)
        if (g_rand_int_range(program->random, 0, 10) < 8)
            tree(program, depth - 1);
    leaf(program, 2 + (guint32)g_rand_int_range(program->random, 0, 2));
    give_back(program);
}

static void data_dependent(Program *program)
{
    for (guint i = 0; i < 60; i++)
        tree(program, 9);
}

/* Ids of one word and of three, some of whose payload looks like returns and escapes. */
static void escapes(Program *program)
{
    static const guint32 ids[] = {5, 65534, 65535, 65536, 98304, 131072, 1u << 29, (1u << 30) - 1, 65533, 70000};
    for (guint i = 0; i < 3000; i++) {
        call(program, ids[i % G_N_ELEMENTS(ids)]);
        leaf(program, ids[i * 7 % G_N_ELEMENTS(ids)]);
        if (g_rand_int_range(program->random, 0, 20) == 0)
            leaf(program, 65534 + (guint32)g_rand_int_range(program->random, 0, 5000));
        give_back(program);
    }
}

static void more_returns_than_calls(Program *program)
{
    for (guint i = 0; i < 6000; i++)
        if (g_rand_int_range(program->random, 0, 3) == 0)
            call(program, (guint32)g_rand_int_range(program->random, 1, 5));
        else
            give_back(program);
}

static void any_words(Program *program)
{
    for (guint i = 0; i < 20000; i++)
        put(program, (guint16)g_rand_int(program->random));
}

/* Escapes cut short by further escapes. */
static void only_escapes(Program *program)
{
    for (guint i = 0; i < 5000; i++)
        put(program, g_rand_int_range(program->random, 0, 9) ? DT_WORD_ESCAPE : 0);
}

/* All ids in order, then again: new ids, full tables. */
static void all_ids(Program *program)
{
    for (guint i = 0; i < 2; i++)
        for (guint32 id = 1; id < 65536; id++)
            leaf(program, id);
}

static const struct {
    const char *name;
    void (*run)(Program *);
} programs[] = {{"loops", loops},
                {"periodic", periodic},
                {"deep-recursion", deep_recursion},
                {"data-dependent", data_dependent},
                {"escapes", escapes},
                {"more-returns", more_returns_than_calls},
                {"any-words", any_words},
                {"only-escapes", only_escapes},
                {"all-ids", all_ids}};

static GArray *run_program(gsize number, GRand *random)
{
    Program program = {g_array_new(FALSE, FALSE, sizeof(guint16)), random};
    programs[number].run(&program);
    return program.words;
}

/* ---- helpers ------------------------------------------------------------------ */

/* A GByteArray with the finished code of the words; encoded in batches of at most `batch`. */
static GByteArray *encode_all(const guint16 *words, gsize count, gsize batch)
{
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(DT_CODEC_TZ));
    g_autofree guint8 *out = g_malloc(dt_codec_bound(DT_CODEC_TZ, batch));
    GByteArray *code = g_byte_array_new();
    dt_codec_encoder_init(DT_CODEC_TZ, state);
    for (gsize done = 0; done < count; done += batch) {
        gsize part = MIN(batch, count - done);
        g_byte_array_append(code, out, (guint)dt_codec_encode(DT_CODEC_TZ, state, words + done, part, out));
    }
    g_byte_array_append(code, out, (guint)dt_codec_finish(DT_CODEC_TZ, state, out));
    return code;
}

/* Decodes into words, in parts of at most `part`; returns how many came out. */
static gsize decode_all(const guint8 *code, gsize bytes, const guint8 *pending, guint16 *words, gsize count, gsize part,
                        gboolean *at_end)
{
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(DT_CODEC_TZ));
    g_autofree guint8 *exact = g_memdup2(code, bytes);
    gsize done = 0, got = 1;
    dt_codec_decoder_init(DT_CODEC_TZ, state, exact, bytes, count, pending);
    while (done < count && got > 0) {
        got = dt_codec_decode(DT_CODEC_TZ, state, words + done, MIN(part, count - done));
        done += got;
    }
    *at_end = dt_codec_at_end(DT_CODEC_TZ, state);
    return done;
}

static void assert_decodes(const guint8 *code, gsize bytes, const guint8 *pending, const GArray *words, gsize count,
                           gsize part)
{
    g_autofree guint16 *decoded = g_new(guint16, count + 1);
    gboolean at_end;
    g_assert_cmpuint(decode_all(code, bytes, pending, decoded, count, part, &at_end), ==, count);
    g_assert_true(at_end);
    dt_assert_same(decoded, 2 * count, words->data, 2 * count);
}

/* ---- round trips --------------------------------------------------------------- */

static void test_round_trip(gconstpointer data)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = run_program(GPOINTER_TO_SIZE(data), random);
    g_autoptr(GByteArray) code = encode_all((const guint16 *)(void *)words->data, words->len, 512);
    assert_decodes(code->data, code->len, NULL, words, words->len, 4096);
    assert_decodes(code->data, code->len, NULL, words, words->len, 7);

    /* The code does not depend on how the words are cut into batches. */
    for (guint i = 0; i < 3; i++) {
        gsize batch = (gsize)g_rand_int_range(random, 1, 5000);
        g_autoptr(GByteArray) other = encode_all((const guint16 *)(void *)words->data, words->len, batch);
        dt_assert_same(code->data, code->len, other->data, other->len);
    }
}

/* As the tracer does it: some batches, each with a suspend after which all so far decodes; then a new segment. */
static void test_segments(gconstpointer data)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = run_program(GPOINTER_TO_SIZE(data), random);
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(DT_CODEC_TZ));
    g_autoptr(GByteArray) code = g_byte_array_new();
    gsize start = 0, done = 0, checks = 0;
    while (done < words->len) {
        gboolean ends = g_rand_int_range(random, 0, 40) == 0;
        if (start == done) {
            dt_codec_encoder_init(DT_CODEC_TZ, state);
            g_byte_array_set_size(code, 0);
        }
        gsize part = MIN((gsize)g_rand_int_range(random, 1, 1200), words->len - done);
        g_autofree guint8 *out = g_malloc(dt_codec_bound(DT_CODEC_TZ, part));
        gsize bytes = dt_codec_encode(DT_CODEC_TZ, state, &g_array_index(words, guint16, done), part, out);
        g_byte_array_append(code, out, (guint)bytes);
        done += part;
        GArray rest = {words->data + 2 * start, (guint)(words->len - start)};
        guint8 pending[DT_CODEC_PENDING_BYTES];
        dt_codec_suspend(DT_CODEC_TZ, state, pending);
        if (++checks % 8 == 1)
            assert_decodes(code->data, code->len, pending, &rest, done - start, 997);
        if (ends || done == words->len) {
            g_autofree guint8 *end = g_malloc(dt_codec_bound(DT_CODEC_TZ, 0));
            bytes = dt_codec_finish(DT_CODEC_TZ, state, end);
            g_byte_array_append(code, end, (guint)bytes);
            assert_decodes(code->data, code->len, NULL, &rest, done - start, 4096);
            start = done;
        }
    }
}

/* ---- bounds --------------------------------------------------------------------- */

/* Of a few words that one which gives most code, at each step. */
static void test_most_expensive_words(void)
{
    g_autoptr(GRand) random = dt_test_random();
    gsize size = dt_codec_encoder_bytes(DT_CODEC_TZ);
    g_autofree guint8 *state = g_malloc0(size), *best_state = g_malloc0(size), *trial = g_malloc0(size);
    g_autofree guint8 *out = g_malloc(dt_codec_bound(DT_CODEC_TZ, 1));
    gsize total = 0, most = 0;
    enum { WORDS = 300, CANDIDATES = 6 };
    dt_codec_encoder_init(DT_CODEC_TZ, state);
    for (guint i = 0; i < WORDS; i++) {
        gsize worst = 0;
        for (guint j = 0; j < CANDIDATES; j++) {
            guint16 word = (guint16)(j == 0 ? 0 : j < 3 ? (guint)g_rand_int_range(random, 1, 6) : g_rand_int(random));
            memcpy(trial, state, size);
            gsize bytes = dt_codec_encode(DT_CODEC_TZ, trial, &word, 1, out);
            g_assert_cmpuint(bytes, <=, dt_codec_bound(DT_CODEC_TZ, 1));
            if (j == 0 || bytes > worst) {
                worst = bytes;
                memcpy(best_state, trial, size);
            }
        }
        memcpy(state, best_state, size);
        total += worst;
        most = MAX(most, worst);
    }
    g_test_message("%" G_GSIZE_FORMAT " bytes, at most %" G_GSIZE_FORMAT " a word", total, most);
    g_assert_cmpuint(total, <=, dt_codec_bound(DT_CODEC_TZ, WORDS));
    g_assert_cmpuint(total, >, WORDS); /* or this test does not look for what is expensive */
}

/* A sure prediction refuted after as many hits as fit in memory: the longest position there is in one word. */
static void test_miss_after_long_streak(void)
{
    enum { HITS = 1 << 21 };
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(DT_CODEC_TZ));
    g_autofree guint16 *words = g_new0(guint16, HITS);
    g_autofree guint8 *out = g_malloc(dt_codec_bound(DT_CODEC_TZ, HITS));
    dt_codec_encoder_init(DT_CODEC_TZ, state);
    gsize bytes = dt_codec_encode(DT_CODEC_TZ, state, words, HITS, out);
    g_assert_cmpuint(bytes, <, 64);
    guint16 other = 54321;
    bytes = dt_codec_encode(DT_CODEC_TZ, state, &other, 1, out);
    g_assert_cmpuint(bytes, <=, dt_codec_bound(DT_CODEC_TZ, 1));
    g_assert_cmpuint(bytes, >, 0);
}

/* ---- damage --------------------------------------------------------------------- */

/* Whatever the code is cut down to, what comes out is how the words begin. */
static void test_truncated(gconstpointer data)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = run_program(GPOINTER_TO_SIZE(data), random);
    gsize count = MIN(words->len, 20000), before = 0;
    g_autoptr(GByteArray) code = encode_all((const guint16 *)(void *)words->data, count, 512);
    g_autofree guint16 *decoded = g_new(guint16, count);
    guint8 nothing[DT_CODEC_PENDING_BYTES] = {0};
    gsize step = 1 + code->len / 150;
    for (gsize bytes = 0; bytes < code->len; bytes += step) {
        gboolean at_end;
        gsize got = decode_all(code->data, bytes, bytes % 2 ? nothing : NULL, decoded, count, 4096, &at_end);
        g_assert_false(at_end);
        g_assert_cmpuint(got, >=, before);
        dt_assert_same(decoded, 2 * got, words->data, 2 * got);
        before = got;
    }
    /* All but a few bytes give all but what these hold. */
    g_assert_cmpuint(code->len < 100 || before > count / 2, ==, TRUE);
}

/* A flipped bit changes what comes out, or at_end tells: never the same words and a good end. */
static void test_flipped_bits(gconstpointer data)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = run_program(GPOINTER_TO_SIZE(data), random);
    gsize count = MIN(words->len, 3000);
    g_autoptr(GByteArray) code = encode_all((const guint16 *)(void *)words->data, count, 512);
    g_autofree guint16 *decoded = g_new(guint16, count);
    for (guint i = 0; i < 200 && code->len > 0; i++) {
        guint at = (guint)g_rand_int_range(random, 0, (gint)code->len);
        guint8 bit = (guint8)(1u << g_rand_int_range(random, 0, 8));
        gboolean at_end;
        code->data[at] ^= bit;
        gsize got = decode_all(code->data, code->len, NULL, decoded, count, 4096, &at_end);
        code->data[at] ^= bit;
        g_assert_cmpuint(got, <=, count);
        g_assert_false(at_end && got == count && memcmp(decoded, words->data, 2 * count) == 0);
    }
    /* Bytes more than there should be are damage as well. */
    g_autoptr(GByteArray) longer = g_byte_array_new();
    guint8 zero = 0;
    gboolean at_end;
    g_byte_array_append(longer, code->data, code->len);
    g_byte_array_append(longer, &zero, 1);
    decode_all(longer->data, longer->len, NULL, decoded, count, 4096, &at_end);
    g_assert_false(at_end);
}

static void test_garbage(void)
{
    g_autoptr(GRand) random = dt_test_random();
    enum { WORDS = 200000 };
    g_autofree guint16 *decoded = g_new(guint16, WORDS);
    for (guint round = 0; round < 150; round++) {
        gsize bytes = (gsize)g_rand_int_range(random, 0, 3000);
        g_autofree guint8 *code = g_malloc(bytes + 1);
        guint8 pending[DT_CODEC_PENDING_BYTES];
        gboolean at_end;
        for (gsize i = 0; i < bytes; i++)
            code[i] = round % 3 == 0 ? 255 : round % 3 == 1 ? 0 : (guint8)g_rand_int(random);
        for (gsize i = 0; i < sizeof(pending); i++)
            pending[i] = (guint8)g_rand_int(random);
        g_assert_cmpuint(decode_all(code, bytes, pending, decoded, WORDS, 4096, &at_end), <=, WORDS);
    }
}

/* ---- golden files --------------------------------------------------------------- */

/* The same words on every machine, for golden files: no GRand. */
static void golden_program(Program *program)
{
    guint32 state = 1;
    for (guint i = 0; i < 6000; i++) {
        state = state * 1664525u + 1013904223u;
        guint32 draw = state >> 16;
        call(program, 1 + i / 1500);
        for (guint j = 0; j < 2 + i % 4; j++)
            leaf(program, 10 + j);
        if (draw % 11 == 0)
            leaf(program, 20 + draw % 50);
        if (draw % 97 == 0)
            leaf(program, 65534 + draw % 7 * 9000);
        if (draw % 211 == 0)
            call(program, 30);
        else
            give_back(program);
        if (draw % 301 == 0)
            give_back(program);
    }
}

static char *golden_path(const char *name)
{
    return g_test_build_filename(G_TEST_DIST, "..", "data", name, NULL);
}

/* The file has exactly these bytes. DT_TEST_WRITE_GOLDEN makes it have them, for a new format. */
static void assert_golden(const char *name, const void *bytes, gsize count)
{
    g_autofree char *path = golden_path(name);
    g_autofree char *golden = NULL;
    gsize golden_count;
    if (g_getenv("DT_TEST_WRITE_GOLDEN"))
        g_file_set_contents(path, bytes, (gssize)count, NULL);
    g_assert_true(g_file_get_contents(path, &golden, &golden_count, NULL));
    dt_assert_same(bytes, count, golden, golden_count);
}

static void assert_golden_words(const char *name, const void *words, gsize count)
{
    g_autofree char *text =
        g_strdup_printf("%" G_GSIZE_FORMAT " words, CRC-32 %08x\n", count, dt_crc32(0, words, 2 * count));
    assert_golden(name, text, strlen(text));
}

/* decode-tz.py decodes the same file. */
static void test_golden(void)
{
    Program program = {g_array_new(FALSE, FALSE, sizeof(guint16)), NULL};
    golden_program(&program);
    g_autoptr(GArray) words = program.words;
    g_autoptr(GByteArray) code = encode_all((const guint16 *)(void *)words->data, words->len, 512);
    assert_golden("tz-golden-1.tz", code->data, code->len);
    assert_golden_words("tz-golden-1.txt", words->data, words->len);
    assert_decodes(code->data, code->len, NULL, words, words->len, 4096);
}

/* Bytes that no encoder wrote mean words, too: what the decoder makes of them is fixed by the format. */
static void test_golden_decoding(void)
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
    gsize got = decode_all(code, sizeof(code), NULL, words, WORDS, 100, &at_end);
    assert_golden("tz-golden-2.tz", code, sizeof(code));
    assert_golden_words("tz-golden-2.txt", words, got);
}

static void test_state_size(void)
{
    g_assert_cmpuint(dt_codec_encoder_bytes(DT_CODEC_TZ), <=, 300 * 1024);
    g_assert_cmpstr(dt_codec_name(DT_CODEC_TZ), ==, "tz");
}

static void add_for_programs(const char *what, GTestDataFunc function)
{
    for (gsize i = 0; i < G_N_ELEMENTS(programs); i++) {
        g_autofree char *path = g_strdup_printf("/format/tz/%s/%s", what, programs[i].name);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), function);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_for_programs("round-trip", test_round_trip);
    add_for_programs("segments", test_segments);
    add_for_programs("truncated", test_truncated);
    add_for_programs("flipped-bits", test_flipped_bits);
    g_test_add_func("/format/tz/most-expensive-words", test_most_expensive_words);
    g_test_add_func("/format/tz/miss-after-long-streak", test_miss_after_long_streak);
    g_test_add_func("/format/tz/garbage", test_garbage);
    g_test_add_func("/format/tz/golden", test_golden);
    g_test_add_func("/format/tz/golden-decoding", test_golden_decoding);
    g_test_add_func("/format/tz/state-size", test_state_size);
    return g_test_run();
}
