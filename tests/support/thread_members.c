#include "support/thread_members.h"

typedef struct {
    DtParallel parallel;
    GAsyncQueue **queues; /* from member f to member t at [t * size + f] */
    DtThreadMember be;
    gpointer user_data;
} Member;

static void send_bytes(gpointer link, guint to, GBytes *bytes)
{
    const Member *member = link;
    g_async_queue_push(member->queues[to * member->parallel.size + member->parallel.rank], g_bytes_ref(bytes));
}

static GBytes *receive_bytes(gpointer link, guint from)
{
    const Member *member = link;
    return g_async_queue_pop(member->queues[member->parallel.rank * member->parallel.size + from]);
}

static gpointer be_member(gpointer data)
{
    const Member *member = data;
    member->be(&member->parallel, member->user_data);
    return NULL;
}

void dt_thread_members_run(guint size, DtThreadMember be, gpointer user_data)
{
    g_autofree GAsyncQueue **queues = g_new(GAsyncQueue *, size * size);
    g_autofree Member *members = g_new(Member, size);
    g_autofree GThread **threads = g_new(GThread *, size);
    for (guint i = 0; i < size * size; i++)
        queues[i] = g_async_queue_new();
    for (guint rank = 0; rank < size; rank++) {
        members[rank] = (Member){{rank, size, &members[rank], send_bytes, receive_bytes}, queues, be, user_data};
        threads[rank] = g_thread_new("member", be_member, &members[rank]);
    }
    for (guint rank = 0; rank < size; rank++)
        g_thread_join(threads[rank]);
    for (guint i = 0; i < size * size; i++) {
        g_assert_cmpint(g_async_queue_length(queues[i]), ==, 0);
        g_async_queue_unref(queues[i]);
    }
}
