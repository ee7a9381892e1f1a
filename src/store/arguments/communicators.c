/*
 * Which communicators of different processes are the same. The tracer gives each a key that all members come to by
 * themselves, or none where it is not sure. What the processes of a run say is compared here: a key that does not
 * hold is taken back on all of them, and with it those of all communicators that were made from it.
 */
#include <string.h>

#include "store/run_private.h"

/* Before, an intercommunicator had another key on each side. */
enum { FIRST_MINOR_WITH_SURE_KEYS = 11 };

typedef struct {
    DtProcessEntry *entry;
    DtCommunicator *communicator;
} Known;

typedef struct {
    GArray *all;             /* Known */
    GHashTable *doubted;     /* keys (guint64 *) that do not hold */
    GHashTable *unsure_of;   /* hashes of members (guint64 *) of communicators without a sure key, */
    GHashTable *unsure_here; /* the same, of each process */
} Settling;

static guint64 mix(guint64 hash, guint64 value)
{
    hash = (hash ^ value) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static guint64 hash_group(const gint *members, gint count)
{
    guint64 hash = mix(G_GUINT64_CONSTANT(0x6a09e667f3bcc908), (guint64)count);
    for (gint i = 0; i < count; i++)
        hash = mix(hash, (guint32)members[i]);
    return hash;
}

/* The same from both sides of an intercommunicator. */
static guint64 hash_members(const DtCommunicator *communicator)
{
    const guint64 own = hash_group(communicator->members, communicator->size);
    if (communicator->remote_size < 0)
        return own;
    const guint64 other = hash_group(communicator->members + communicator->size, communicator->remote_size);
    return mix(MIN(own, other), MAX(own, other));
}

static GHashTable *new_set(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

static void add(GHashTable *set, guint64 value)
{
    if (!g_hash_table_contains(set, &value))
        g_hash_table_add(set, g_memdup2(&value, sizeof value));
}

static guint64 of_process(const DtProcessEntry *entry, guint64 value)
{
    return mix(value, entry->process.index + 1);
}

/* ---- what a process says by itself ----------------------------------------------------------- */

static gboolean is_sure_alone(const DtProcessEntry *entry, const DtCommunicator *communicator)
{
    const gboolean is_old = entry->file->header.minor < FIRST_MINOR_WITH_SURE_KEYS;
    const DtOrigin *origin = &g_array_index(entry->file->origins, DtOrigin, communicator->number);
    const gboolean has_no_origin =
        communicator->number > DT_COMMUNICATOR_SELF && origin->parent == DT_COMMUNICATOR_NONE;
    return communicator->key != 0 && !(is_old && (communicator->remote_size >= 0 || has_no_origin));
}

static const DtCommunicator *parent_of(const Known *known)
{
    const GPtrArray *communicators = known->entry->file->communicators;
    const DtOrigin *origin = &g_array_index(known->entry->file->origins, DtOrigin, known->communicator->number);
    return origin->parent < known->communicator->number ? communicators->pdata[origin->parent] : NULL;
}

static void list_communicators(Settling *own, const GPtrArray *processes)
{
    for (guint p = 0; p < processes->len; p++) {
        DtProcessEntry *entry = processes->pdata[p];
        for (guint i = 0; i < entry->communicators->len; i++) {
            const Known known = {entry, entry->communicators->pdata[i]};
            known.communicator->is_sure = is_sure_alone(entry, known.communicator);
            g_array_append_val(own->all, known);
        }
    }
}

static const Known *known_at(const Settling *own, guint index)
{
    return &g_array_index(own->all, Known, index);
}

/* ---- what several say ------------------------------------------------------------------------ */

/* Of two members one is another rank, and all name the same members. */
static void doubt_contradictions(Settling *own)
{
    g_autoptr(GHashTable) members = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autoptr(GHashTable) ranks = new_set();
    for (guint i = 0; i < own->all->len; i++) {
        const Known *known = known_at(own, i);
        const DtCommunicator *communicator = known->communicator;
        if (!communicator->is_sure || known->entry->forked)
            continue;
        const guint64 hash = hash_members(communicator);
        const guint64 *told = g_hash_table_lookup(members, &communicator->key);
        const guint64 group = hash_group(communicator->members, communicator->size);
        const guint64 rank = mix(mix(communicator->key, group), (guint64)communicator->rank);
        if ((told && *told != hash) || g_hash_table_contains(ranks, &rank))
            add(own->doubted, communicator->key);
        if (!told)
            g_hash_table_insert(members, g_memdup2(&communicator->key, sizeof communicator->key),
                                g_memdup2(&hash, sizeof hash));
        add(ranks, rank);
    }
}

/* Its world is not known to be that of the others: nobody else means its communicators. */
static gboolean is_of_another_world(const DtProcessEntry *entry)
{
    const DtCommunicator *world = entry->communicators->len > 0 ? entry->communicators->pdata[0] : NULL;
    return world && world->number == DT_COMMUNICATOR_WORLD && !world->is_sure;
}

/* A process that has an unsure one of the same members may mean this one by it, if it has no other; of two bridges
 * between the same groups either may be meant. */
static gboolean may_mean(const Settling *own, const GHashTable *had, const DtCommunicator *communicator, guint64 hash)
{
    for (guint i = 0; i < own->all->len; i++) {
        const DtProcessEntry *other = known_at(own, i)->entry;
        const guint64 here = of_process(other, hash), key = of_process(other, communicator->key);
        if (g_hash_table_contains(own->unsure_here, &here) && !g_hash_table_contains((GHashTable *)had, &key))
            return TRUE;
    }
    return FALSE;
}

static void doubt_what_others_may_mean(Settling *own)
{
    g_autoptr(GHashTable) had = new_set(), met = new_set();
    for (guint i = 0; i < own->all->len; i++) {
        const Known *known = known_at(own, i);
        const guint64 hash = hash_members(known->communicator);
        if (known->communicator->is_sure) {
            add(had, of_process(known->entry, known->communicator->key));
        } else if (!is_of_another_world(known->entry)) {
            add(own->unsure_of, hash);
            add(own->unsure_here, of_process(known->entry, hash));
        }
    }
    for (guint i = 0; g_hash_table_size(own->unsure_of) > 0 && i < own->all->len; i++) {
        const DtCommunicator *communicator = known_at(own, i)->communicator;
        const guint64 hash = hash_members(communicator);
        if (!communicator->is_sure || !g_hash_table_contains(own->unsure_of, &hash) ||
            !g_hash_table_add(met, g_memdup2(&communicator->key, sizeof communicator->key)))
            continue;
        if (communicator->remote_size >= 0 || may_mean(own, had, communicator, hash))
            add(own->doubted, communicator->key);
    }
}

/* TRUE if something became unsure. */
static gboolean spread(Settling *own)
{
    gboolean changed = FALSE;
    for (guint i = 0; i < own->all->len; i++) {
        const Known *known = known_at(own, i);
        const DtCommunicator *parent = parent_of(known);
        if (!known->communicator->is_sure)
            continue;
        /* Its key is made of the parent's, but between two groups. */
        if (!g_hash_table_contains(own->doubted, &known->communicator->key) &&
            (!parent || parent->is_sure || known->communicator->remote_size >= 0))
            continue;
        add(own->doubted, known->communicator->key);
        known->communicator->is_sure = FALSE;
        changed = TRUE;
    }
    return changed;
}

/* Nobody else has it. */
static guint64 own_key(const Known *known)
{
    const guint64 key = mix(mix(G_MAXUINT64, known->entry->process.index + 1), known->communicator->number + 1);
    return key | 1;
}

void dt_settle_communicators(GPtrArray *processes)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Known));
    g_autoptr(GHashTable) doubted = new_set();
    g_autoptr(GHashTable) unsure_of = new_set();
    g_autoptr(GHashTable) unsure_here = new_set();
    Settling own = {all, doubted, unsure_of, unsure_here};
    list_communicators(&own, processes);
    doubt_contradictions(&own);
    do
        doubt_what_others_may_mean(&own);
    while (spread(&own));
    for (guint i = 0; i < all->len; i++)
        if (!known_at(&own, i)->communicator->is_sure)
            known_at(&own, i)->communicator->key = own_key(known_at(&own, i));
}
