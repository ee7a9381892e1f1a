/* Where callers are on the stack: what .eh_frame of this program says of its own functions, against the frames that the
 * compiler tells of. */
#include <link.h>

#include <glib.h>

#include "images/frame_rules.h"

typedef struct {
    guint64 slot, rbp, address;
} Place;

static const guint8 *frame_table;

static int find_table(struct dl_phdr_info *info, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            frame_table = (const guint8 *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return 1; /* the program comes first */
}

/* As the tracer goes on from a call's return address to the one above. */
static gboolean go_up(Place *place)
{
    struct dt_frame_rule rule = dt_frame_rule_find(frame_table, place->address);
    if (rule.frame == 0)
        return FALSE;
    guint64 end = (rule.by_frame_pointer ? place->rbp : place->slot + 8) + rule.frame;
    place->rbp = rule.saved ? *(const guint64 *)(end - rule.saved) : place->rbp;
    place->slot = end - 8;
    place->address = *(const guint64 *)place->slot;
    return TRUE;
}

/* Its own frame begins below the slot, whether the compiler keeps a frame pointer or not; rbp is that of the caller. */
#ifdef __clang__
#define NOT_INLINED __attribute__((noinline))
#else
#define NOT_INLINED __attribute__((noinline, noclone))
#endif
static NOT_INLINED Place where_called(void)
{
    const guint64 *frame = __builtin_frame_address(0);
    return (Place){(guint64)(frame + 1), frame[0], (guint64)__builtin_return_address(0)};
}

static volatile guint calls;

/* Return addresses from here up, as each function says its own. */
static NOT_INLINED void look_up(const guint64 *expected, guint count)
{
    Place place = where_called();
    for (guint i = 0; i < count; i++) {
        g_assert_true(go_up(&place));
        if (i > 0)
            g_assert_cmphex(place.address, ==, expected[i - 1]);
    }
    calls++;
}

enum { DEPTH = 6 };

static NOT_INLINED void variable(guint64 *expected, guint depth);

/* The size of its frame is known. Expected are those of deeper functions first. */
static NOT_INLINED void fixed(guint64 *expected, guint depth)
{
    volatile guint8 room[200];
    room[0] = (guint8)depth;
    expected[depth] = (guint64)__builtin_return_address(0);
    if (depth == 0)
        look_up(expected, DEPTH + 1);
    else
        variable(expected, depth - 1);
    calls += room[0];
}

/* That of its frame is not: a frame pointer is needed. */
static NOT_INLINED void variable(guint64 *expected, guint depth)
{
    volatile guint8 room[16 * (depth + 1)];
    room[0] = (guint8)depth;
    expected[depth] = (guint64)__builtin_return_address(0);
    if (depth == 0)
        look_up(expected, DEPTH + 1);
    else
        fixed(expected, depth - 1);
    calls += room[0];
}

static void test_up_to_the_caller(void)
{
    guint64 expected[DEPTH] = {0};
    guint before = calls;
    fixed(expected, DEPTH - 1);
    g_assert_cmpuint(calls, >, before);
    before = calls;
    variable(expected, DEPTH - 1);
    g_assert_cmpuint(calls, >, before);
}

static void test_not_known(void)
{
    static const guint8 other_version[16] = {2, 0x1b, 3, 0x3b};
    guint64 here = (guint64)&test_not_known;
    g_assert_cmpuint(dt_frame_rule_find(NULL, here).frame, ==, 0);
    g_assert_cmpuint(dt_frame_rule_find(other_version, here).frame, ==, 0);
    g_assert_cmpuint(dt_frame_rule_find(frame_table, 4096).frame, ==, 0);
    g_assert_cmpuint(dt_frame_rule_find(frame_table, G_MAXUINT64 / 2).frame, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    dl_iterate_phdr(find_table, NULL);
    g_assert_nonnull(frame_table);
    g_test_add_func("/frame-rules/up-to-the-caller", test_up_to_the_caller);
    g_test_add_func("/frame-rules/not-known", test_not_known);
    return g_test_run();
}
