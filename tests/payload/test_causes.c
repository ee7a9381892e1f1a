/*
 * Which of the data that differ come first: rows of events written by hand.
 */
#include <glib.h>

#include "payload/causes.h"

typedef struct {
    GPtrArray *ranks, *differs;
} Case;

static void free_rank(gpointer data)
{
    g_array_unref(((DtDataOfRank *)data)->events);
    g_free(data);
}

static Case case_new(guint ranks)
{
    Case self = {g_ptr_array_new_with_free_func(free_rank),
                 g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref)};
    for (guint i = 0; i < ranks; i++) {
        DtDataOfRank *rank = g_new0(DtDataOfRank, 1);
        rank->rank = (gint)i;
        rank->events = g_array_new(FALSE, FALSE, sizeof(DtDataEvent));
        g_ptr_array_add(self.ranks, rank);
        g_ptr_array_add(self.differs, g_byte_array_new());
    }
    return self;
}

static DtDataEvent *add(Case *self, guint rank, DtDataEventKind kind, guint channel, guint64 number, gboolean differs)
{
    const DtDataEvent event = {.kind = kind,
                               .known = TRUE,
                               .channel = channel,
                               .number = number,
                               .peer = -1,
                               .waits_for_all = kind == DT_DATA_EVENT_GOT};
    GArray *events = ((DtDataOfRank *)self->ranks->pdata[rank])->events;
    const guint8 flag = differs ? 1 : 0;
    g_array_append_val(events, event);
    g_byte_array_append(self->differs->pdata[rank], &flag, 1);
    return &g_array_index(events, DtDataEvent, events->len - 1);
}

/* "2:0" for the first event of rank 2, "2:0*" if what was sent is as usual. */
static void check(Case *self, const char *expected)
{
    g_autoptr(GArray) firsts = dt_first_differences(self->ranks, self->differs);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < firsts->len; i++) {
        const DtFirstDifference *first = &g_array_index(firsts, DtFirstDifference, i);
        g_string_append_printf(text, "%s%u:%u%s", i > 0 ? " " : "", first->rank, first->event,
                               first->under_way ? "*" : "");
    }
    g_assert_cmpstr(text->str, ==, expected);
    g_ptr_array_unref(self->ranks);
    g_ptr_array_unref(self->differs);
}

static void test_chain(void)
{
    Case self = case_new(3);
    /* Rank 0 is told last, and rank 2 read first: the order of rows is not that of causes. */
    add(&self, 0, DT_DATA_EVENT_RECEIVED, 2, 1, TRUE);
    add(&self, 1, DT_DATA_EVENT_RECEIVED, 1, 1, TRUE);
    add(&self, 1, DT_DATA_EVENT_SENT, 2, 1, TRUE);
    add(&self, 2, DT_DATA_EVENT_SENT, 1, 1, TRUE);
    check(&self, "2:0");
}

/* A message that is as usual may have a cause that is not: rank 1 is told something by rank 0. */
static void test_silent_message(void)
{
    Case self = case_new(2);
    add(&self, 0, DT_DATA_EVENT_SENT, 9, 1, TRUE);
    add(&self, 0, DT_DATA_EVENT_SENT, 1, 1, FALSE);
    add(&self, 1, DT_DATA_EVENT_RECEIVED, 1, 1, FALSE);
    add(&self, 1, DT_DATA_EVENT_SENT, 3, 1, TRUE);
    check(&self, "0:0");
}

static void test_apart(void)
{
    Case self = case_new(3);
    add(&self, 0, DT_DATA_EVENT_SENT, 1, 1, TRUE);
    add(&self, 1, DT_DATA_EVENT_SENT, 2, 1, FALSE);
    add(&self, 1, DT_DATA_EVENT_SENT, 2, 2, TRUE);
    add(&self, 1, DT_DATA_EVENT_SENT, 2, 3, TRUE);
    check(&self, "0:0 1:1");
}

static void test_collective(void)
{
    Case self = case_new(3);
    for (guint rank = 0; rank < 3; rank++) {
        add(&self, rank, DT_DATA_EVENT_GIVEN, 1, 1, rank == 1);
        add(&self, rank, DT_DATA_EVENT_GOT, 1, 1, TRUE);
        add(&self, rank, DT_DATA_EVENT_SENT, 2 + rank, 1, TRUE);
    }
    check(&self, "1:0");
}

/* From a root: what others pass says nothing. */
static void test_from_root(void)
{
    Case self = case_new(2);
    add(&self, 0, DT_DATA_EVENT_GIVEN, 1, 1, FALSE);
    add(&self, 1, DT_DATA_EVENT_SENT, 5, 1, TRUE);
    add(&self, 1, DT_DATA_EVENT_GIVEN, 1, 1, FALSE)->known = FALSE;
    DtDataEvent *got = add(&self, 0, DT_DATA_EVENT_GOT, 1, 1, TRUE);
    got->waits_for_all = FALSE;
    got->peer = 0;
    check(&self, "0:1* 1:0");
}

static void test_under_way(void)
{
    Case self = case_new(2);
    add(&self, 0, DT_DATA_EVENT_SENT, 1, 1, FALSE);
    add(&self, 1, DT_DATA_EVENT_RECEIVED, 1, 1, TRUE);
    check(&self, "1:0*");
}

/* Who sent it changed it before it had gone. */
static void test_changed(void)
{
    Case self = case_new(2);
    add(&self, 0, DT_DATA_EVENT_SENT, 1, 1, FALSE);
    add(&self, 0, DT_DATA_EVENT_CHANGED, 1, 1, TRUE);
    add(&self, 1, DT_DATA_EVENT_RECEIVED, 1, 1, TRUE);
    check(&self, "0:1");
}

/* Messages that wait for each other, as where notes are lost, end all the same. */
static void test_circle(void)
{
    Case self = case_new(2);
    add(&self, 0, DT_DATA_EVENT_RECEIVED, 1, 1, FALSE);
    add(&self, 0, DT_DATA_EVENT_SENT, 2, 1, TRUE);
    add(&self, 1, DT_DATA_EVENT_RECEIVED, 2, 1, TRUE);
    add(&self, 1, DT_DATA_EVENT_SENT, 1, 1, TRUE);
    check(&self, "0:1");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/payload/causes/chain", test_chain);
    g_test_add_func("/payload/causes/silent-message", test_silent_message);
    g_test_add_func("/payload/causes/apart", test_apart);
    g_test_add_func("/payload/causes/collective", test_collective);
    g_test_add_func("/payload/causes/from-root", test_from_root);
    g_test_add_func("/payload/causes/under-way", test_under_way);
    g_test_add_func("/payload/causes/changed", test_changed);
    g_test_add_func("/payload/causes/circle", test_circle);
    return g_test_run();
}
