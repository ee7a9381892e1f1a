/* Going along a match, many tokens at a time: what the vectors do is what one does token by token. */
#include "codec/lz_history.h"
#include "format/wide_vectors.h"
#include "support/assert_same.h"
#include "support/random.h"

enum { MOST = 400, FARTHEST = 200, ROOM = 64 };

typedef struct {
    LzAlong *along;
    gsize at_once; /* no match is nearer */
    gsize step;    /* counts are multiples of it */
} Way;

static gsize go_slowly(uint16_t *to, const uint16_t *from, const uint16_t *tokens, gsize count, uint64_t *marks)
{
    gsize done = 0;
    for (; done < count && (from[done] & ~LZ_MARK) == tokens[done]; done++) {
        to[done] = from[done];
        *marks += (from[done] & LZ_MARK) != 0;
    }
    return done;
}

/* The tokens are those of the match, up to some place where they may be others. */
static void draw(GRand *random, uint16_t *ring, gsize distance, uint16_t *tokens, gsize count)
{
    for (gsize i = 0; i < FARTHEST + MOST + ROOM; i++)
        ring[i] = (uint16_t)(g_rand_int(random) & (g_rand_int_range(random, 0, 3) ? 0xbfff : 0xffff));
    for (gsize i = 0; i < count; i++)
        tokens[i] = (uint16_t)((i < distance ? ring[FARTHEST + i - distance] : tokens[i - distance]) & ~(guint)LZ_MARK);
    if (g_rand_int_range(random, 0, 4))
        tokens[g_rand_int_range(random, 0, (gint32)count)] ^= (uint16_t)(1 << g_rand_int_range(random, 0, 14));
}

static void test_along(gconstpointer data)
{
    const Way *way = data;
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < 20000; round++) {
        uint16_t ring[FARTHEST + MOST + ROOM], expected[FARTHEST + MOST + ROOM], tokens[MOST];
        gsize distance = (gsize)g_rand_int_range(random, (gint32)way->at_once, FARTHEST + 1);
        gsize count = (gsize)g_rand_int_range(random, 1, (gint32)(MOST / way->step) + 1) * way->step;
        draw(random, ring, distance, tokens, count);
        memcpy(expected, ring, sizeof ring);
        uint64_t marks = round, expected_marks = round;
        gsize should = go_slowly(expected + FARTHEST, expected + FARTHEST - distance, tokens, count, &expected_marks);
        gsize done = way->along(ring + FARTHEST, ring + FARTHEST - distance, tokens, count, &marks);
        g_assert_cmpuint(done, ==, should);
        g_assert_cmpuint(marks, ==, expected_marks);
        dt_assert_same(ring, sizeof ring, expected, sizeof expected);
    }
}

int main(int argc, char **argv)
{
    static const Way narrow = {dt_lz_along, 16, 16}, wide = {dt_lz_along_wide, 64, 1};
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/codec/along/narrow", &narrow, test_along);
    if (dt_has_wide_vectors())
        g_test_add_data_func("/codec/along/wide", &wide, test_along);
    return g_test_run();
}
