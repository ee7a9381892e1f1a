/* The call stack, against a plain list of open calls. */
#include "decoder/decoder.h"
#include "support/random.h"

static void test_against_list(void)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(DtCallStack) stack = dt_call_stack_new();
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint64 unmatched = 0;
    for (guint i = 0; i < 20000; i++) {
        /* Long climbs and long descents. */
        guint32 event = g_rand_int_range(random, 0, 10) < (i / 1000 % 2 ? 3 : 7) ? i + 1 : DT_EVENT_RETURN;
        guint32 expected = event;
        if (event != DT_EVENT_RETURN) {
            g_array_append_val(list, event);
        } else if (list->len > 0) {
            expected = g_array_index(list, guint32, list->len - 1);
            g_array_set_size(list, list->len - 1);
        } else {
            unmatched++;
        }
        g_assert_cmpuint(dt_call_stack_apply(stack, event), ==, expected);
        g_assert_cmpuint(dt_call_stack_depth(stack), ==, list->len);
    }
    for (guint i = 0; i < list->len; i++)
        g_assert_cmpuint(dt_call_stack_frames(stack)[i], ==, g_array_index(list, guint32, i));
    g_assert_cmpuint(dt_call_stack_unmatched_returns(stack), ==, unmatched);
    g_assert_cmpuint(unmatched, >, 0);
}

static void test_reset(void)
{
    g_autoptr(DtCallStack) stack = dt_call_stack_new();
    dt_call_stack_apply(stack, DT_EVENT_RETURN);
    dt_call_stack_apply(stack, 7);
    dt_call_stack_reset(stack);
    g_assert_cmpuint(dt_call_stack_depth(stack), ==, 0);
    g_assert_cmpuint(dt_call_stack_unmatched_returns(stack), ==, 0);
    g_assert_cmpuint(dt_call_stack_apply(stack, DT_EVENT_RETURN), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/decoder/call-stack/against-list", test_against_list);
    g_test_add_func("/decoder/call-stack/reset", test_reset);
    return g_test_run();
}
