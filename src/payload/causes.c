#include "payload/causes.h"

/* What is known of a message, or of what is given to a collective call: by one rank, or by all together. */
typedef struct {
    guint channel;
    gint of; /* rank; EVERYBODY */
    guint64 number;
    guint expected, done; /* events that give to it */
    gboolean caused;      /* one of them differs, or has a cause that does */
    gboolean unknown;     /* what one of them holds is not known */
    gboolean changed;     /* it was changed under way */
} Message;
enum { EVERYBODY = -1 };

static guint hash_message(gconstpointer data)
{
    const Message *message = data;
    guint64 hash = ((guint64)message->channel << 32 ^ (guint32)message->of) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)((hash ^ message->number * G_GUINT64_CONSTANT(0xc2b2ae3d27d4eb4f)) >> 32);
}

static gboolean equal_messages(gconstpointer first, gconstpointer second)
{
    const Message *a = first, *b = second;
    return a->channel == b->channel && a->of == b->of && a->number == b->number;
}

typedef struct {
    const GPtrArray *ranks, *differs;
    GHashTable *messages;
    guint *next;      /* event of each rank */
    gboolean *caused; /* each rank has an event that differs behind it, or a cause that does */
    GArray *firsts;
} Order;

static Message *find(const Order *order, const DtDataEvent *event, gint of)
{
    const Message key = {.channel = event->channel, .of = of, .number = event->number};
    return g_hash_table_lookup(order->messages, &key);
}

static Message *get(const Order *order, const DtDataEvent *event, gint of)
{
    Message *message = find(order, event, of);
    if (message)
        return message;
    message = g_new0(Message, 1);
    message->channel = event->channel;
    message->of = of;
    message->number = event->number;
    g_hash_table_add(order->messages, message);
    return message;
}

static gboolean gives(const DtDataEvent *event)
{
    return event->kind == DT_DATA_EVENT_SENT || event->kind == DT_DATA_EVENT_GIVEN;
}

static gboolean event_differs(const Order *order, guint rank, guint event)
{
    return ((const GByteArray *)order->differs->pdata[rank])->data[event] != 0;
}

static const DtDataEvent *event_of(const Order *order, guint rank, guint event)
{
    return &g_array_index(((const DtDataOfRank *)order->ranks->pdata[rank])->events, DtDataEvent, event);
}

static void expect(const Order *order, guint rank, guint number)
{
    const DtDataEvent *event = event_of(order, rank, number);
    if (event->kind == DT_DATA_EVENT_CHANGED && event_differs(order, rank, number))
        get(order, event, EVERYBODY)->changed = TRUE;
    if (!gives(event))
        return;
    get(order, event, EVERYBODY)->expected++;
    if (event->kind == DT_DATA_EVENT_GIVEN)
        get(order, event, ((const DtDataOfRank *)order->ranks->pdata[rank])->rank)->expected++;
}

/* What an event waits for; NULL: nothing that is known. */
static Message *cause_of(const Order *order, const DtDataEvent *event)
{
    if (event->kind == DT_DATA_EVENT_RECEIVED || (event->kind == DT_DATA_EVENT_GOT && event->waits_for_all))
        return find(order, event, EVERYBODY);
    return event->kind == DT_DATA_EVENT_GOT && event->peer >= 0 ? find(order, event, event->peer) : NULL;
}

static void give(const Order *order, guint rank, const DtDataEvent *event)
{
    const gint givers[] = {EVERYBODY, ((const DtDataOfRank *)order->ranks->pdata[rank])->rank};
    for (guint i = 0; i < (event->kind == DT_DATA_EVENT_GIVEN ? 2 : 1); i++) {
        Message *message = get(order, event, givers[i]);
        message->done++;
        message->caused |= order->caused[rank];
        message->unknown |= !event->known;
    }
}

static void take(Order *order, guint rank)
{
    const guint number = order->next[rank]++;
    const DtDataEvent *event = event_of(order, rank, number);
    const Message *cause = cause_of(order, event);
    order->caused[rank] |= cause && (cause->caused || cause->changed);
    if (event_differs(order, rank, number)) {
        const DtFirstDifference first = {rank, number, cause && cause->done > 0 && !cause->unknown};
        if (!order->caused[rank])
            g_array_append_val(order->firsts, first);
        order->caused[rank] = TRUE;
    }
    if (gives(event))
        give(order, rank, event);
}

static guint events_of(const Order *order, guint rank)
{
    return ((const DtDataOfRank *)order->ranks->pdata[rank])->events->len;
}

static gboolean may_go_on(const Order *order, guint rank)
{
    const Message *cause = cause_of(order, event_of(order, rank, order->next[rank]));
    return !cause || cause->done >= cause->expected;
}

/* All that can be taken now; FALSE: nothing. */
static gboolean take_all(Order *order)
{
    gboolean any = FALSE;
    for (guint rank = 0; rank < order->ranks->len; rank++)
        while (order->next[rank] < events_of(order, rank) && may_go_on(order, rank)) {
            take(order, rank);
            any = TRUE;
        }
    return any;
}

/* Where notes are lost, what belongs together may not be found: then the first that waits goes on. */
static gboolean take_one(Order *order)
{
    for (guint rank = 0; rank < order->ranks->len; rank++)
        if (order->next[rank] < events_of(order, rank)) {
            take(order, rank);
            return TRUE;
        }
    return FALSE;
}

static gint compare_firsts(gconstpointer first, gconstpointer second)
{
    const DtFirstDifference *a = first, *b = second;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

GArray *dt_first_differences(const GPtrArray *ranks, const GPtrArray *differs)
{
    g_autoptr(GHashTable) messages = g_hash_table_new_full(hash_message, equal_messages, g_free, NULL);
    g_autofree guint *next = g_new0(guint, ranks->len + 1);
    g_autofree gboolean *caused = g_new0(gboolean, ranks->len + 1);
    Order order = {.ranks = ranks,
                   .differs = differs,
                   .messages = messages,
                   .next = next,
                   .caused = caused,
                   .firsts = g_array_new(FALSE, FALSE, sizeof(DtFirstDifference))};
    for (guint rank = 0; rank < ranks->len; rank++)
        for (guint event = 0; event < events_of(&order, rank); event++)
            expect(&order, rank, event);
    while (take_all(&order) || take_one(&order))
        ;
    g_array_sort(order.firsts, compare_firsts);
    return order.firsts;
}
