#include "times/links.h"

static void clear_link(gpointer data)
{
    dt_durations_clear(&((DtLink *)data)->transfers);
}

static const DtTimedCall *timed_call(const DtMessages *messages, guint call)
{
    if (call == DT_NO_CALL)
        return NULL;
    const DtTimedCall *found = dt_messages_call(messages, call);
    return found->begin == DT_NO_TIME || found->end == DT_NO_TIME ? NULL : found;
}

static void add_request(const DtMessages *messages, DtLink *link, const DtPart *part)
{
    const DtTimedCall *begun = timed_call(messages, part->call);
    const DtTimedCall *asked = part->asked == part->call ? NULL : timed_call(messages, part->asked);
    if (!begun || !asked || asked->begin < begun->end)
        return;
    link->requests++;
    link->apart_ns += (guint64)(asked->begin - begun->end);
}

/* When both sides had come to it; DT_NO_TIME: not known. */
static gint64 both_came(const DtMessages *messages, const DtMessage *message)
{
    const DtTimedCall *send = timed_call(messages, message->sent.call);
    const DtTimedCall *receive = timed_call(messages, message->received.done);
    return send && receive ? MAX(send->begin, receive->begin) : DT_NO_TIME;
}

/* By call, 1 + the last message that it has completed: when the others came, nobody knows. */
static guint *find_last(const DtMessages *messages)
{
    guint *last = g_new0(guint, (gsize)messages->calls->len + 1);
    for (guint i = 0; i < messages->messages->len; i++) {
        const DtMessage *message = &g_array_index(messages->messages, DtMessage, i);
        gint64 came = both_came(messages, message);
        guint *known = came == DT_NO_TIME ? NULL : &last[message->received.done];
        if (known &&
            (*known == 0 || came > both_came(messages, &g_array_index(messages->messages, DtMessage, *known - 1))))
            *known = i + 1;
    }
    return last;
}

static void add_message(DtLinks *links, const DtMessages *messages, DtLink *link, const DtMessage *message,
                        gboolean is_last)
{
    gint64 both = both_came(messages, message);
    link->messages++;
    link->bytes += message->bytes;
    add_request(messages, link, &message->sent);
    add_request(messages, link, &message->received);
    if (!is_last)
        return;
    gint64 end = dt_messages_call(messages, message->received.done)->end;
    links->violations += end < both ? 1 : 0;
    dt_durations_add(&link->transfers, (guint64)MAX(end - both, 0));
}

static gint compare_links(gconstpointer a, gconstpointer b)
{
    const DtLink *one = a, *other = b;
    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    return one->to < other->to ? -1 : one->to > other->to;
}

DtLinks *dt_links_new(const DtMessages *messages)
{
    DtLinks *links = g_new0(DtLinks, 1);
    links->links = g_array_new(FALSE, TRUE, sizeof(DtLink));
    g_autoptr(GHashTable) places = g_hash_table_new_full(dt_hash_pair, g_int64_equal, g_free, NULL);
    g_autofree guint *last = find_last(messages);
    for (guint i = 0; i < messages->messages->len; i++) {
        const DtMessage *message = &g_array_index(messages->messages, DtMessage, i);
        gboolean is_last = message->received.done != DT_NO_CALL && last[message->received.done] == i + 1;
        guint from = dt_messages_rank(messages, message->sent.call);
        guint to = dt_messages_rank(messages, message->received.call);
        guint64 key = (guint64)from << 32 | to;
        gpointer place = g_hash_table_lookup(places, &key);
        if (!place) {
            DtLink link = {.from = from, .to = to};
            g_array_append_val(links->links, link);
            place = GUINT_TO_POINTER(links->links->len);
            g_hash_table_insert(places, g_memdup2(&key, sizeof key), place);
        }
        add_message(links, messages, &g_array_index(links->links, DtLink, GPOINTER_TO_UINT(place) - 1), message,
                    is_last);
    }
    g_array_sort(links->links, compare_links);
    g_array_set_clear_func(links->links, clear_link);
    return links;
}

void dt_links_free(DtLinks *links)
{
    if (!links)
        return;
    g_array_unref(links->links);
    g_free(links);
}

const DtLink *dt_links_find(const DtLinks *links, guint from, guint to)
{
    const DtLink wanted = {.from = from, .to = to};
    guint low = 0, high = links->links->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        const DtLink *link = &g_array_index(links->links, DtLink, middle);
        gint order = compare_links(link, &wanted);
        if (order == 0)
            return link;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
