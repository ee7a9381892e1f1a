#include "simulate/modelled.h"
#include "format/arguments.h"

#include <string.h>

static void note(DtSimulating *simulating, const char *what)
{
    if (!simulating->not_simulated)
        simulating->not_simulated = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_hash_table_add(simulating->not_simulated, g_strdup(what));
}

void dt_modelled_note(DtSimulating *simulating, const char *what)
{
    note(simulating, what);
    simulating->may_lack = TRUE;
}

static gboolean is_about_others(const struct dt_call *row)
{
    return row && row->properties & (DT_CALL_POINT_TO_POINT | DT_CALL_COLLECTIVE);
}

static gboolean communicates(const DtSkeleton *skeleton, const GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        if (node->children ? communicates(skeleton, node->children)
                           : is_about_others(dt_call_find(skeleton->functions->pdata[node->function])))
            return TRUE;
    }
    return FALSE;
}

void dt_modelled_begin(DtSimulating *simulating)
{
    const DtSkeleton *skeleton = simulating->skeleton;
    for (guint i = 0; i < skeleton->threads->len; i++) {
        const DtSkeletonThread *thread = skeleton->threads->pdata[i];
        if (thread->number > 0 && communicates(skeleton, thread->nodes))
            dt_modelled_note(simulating, "what other threads than the first send and receive");
    }
}

/* ---- communicators --------------------------------------------------------------------------- */

static const char *communicator_of(const DtSimulating *simulating, guint rank)
{
    DtValue name;
    return dt_walk_value(simulating->ranks[rank].walk, DT_ARGUMENT_COMMUNICATOR, 0, &name) && dt_value_is_atom(name)
               ? dt_atoms_text(simulating->skeleton->atoms, name)
               : NULL;
}

/* All that is made of a communicator from which others of two groups come may lie between groups. */
static gboolean is_between_groups(const DtSimulating *simulating, const char *name)
{
    GHashTableIter iter;
    gpointer parent;
    if (!simulating->between)
        return FALSE;
    g_hash_table_iter_init(&iter, simulating->between);
    while (g_hash_table_iter_next(&iter, &parent, NULL))
        if (g_str_has_prefix(name, parent) && name[strlen(parent)] == '/')
            return TRUE;
    return FALSE;
}

static void note_between(DtSimulating *simulating, const char *parent)
{
    if (!simulating->between)
        simulating->between = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_hash_table_add(simulating->between, g_strdup(parent));
}

/* Whose members are known; a call without a communicator is about a window or a file. */
static gboolean has_known_members(DtSimulating *simulating, guint rank)
{
    DtValue number;
    const DtWalk *walk = simulating->ranks[rank].walk;
    const char *name = communicator_of(simulating, rank);
    if (name)
        return dt_groups_knows(simulating->groups, name, rank) && !is_between_groups(simulating, name);
    if (dt_walk_value(walk, DT_ARGUMENT_WINDOW, 0, &number))
        return !dt_value_is_atom(number) && dt_groups_knows_object(simulating->groups, rank, DT_OBJECT_WINDOW, number);
    return dt_walk_value(walk, DT_ARGUMENT_FILE, 0, &number) && !dt_value_is_atom(number) &&
           dt_groups_knows_object(simulating->groups, rank, DT_OBJECT_FILE, number);
}

/* ---- peers ----------------------------------------------------------------------------------- */

static gboolean is_word(const DtSimulating *simulating, DtValue value, const char *word)
{
    return g_str_equal(dt_atoms_text(simulating->skeleton->atoms, value), word);
}

static gboolean is_known_peer(const DtSimulating *simulating, guint rank, guint kind)
{
    DtValue peer;
    if (!dt_walk_value(simulating->ranks[rank].walk, kind, 0, &peer) || !dt_value_is_atom(peer))
        return TRUE;
    return is_word(simulating, peer, "null") || (kind == DT_ARGUMENT_FROM && is_word(simulating, peer, "any"));
}

static gboolean has_peers(const DtSimulating *simulating, guint rank)
{
    DtValue peer;
    const DtWalk *walk = simulating->ranks[rank].walk;
    return (dt_walk_value(walk, DT_ARGUMENT_TO, 0, &peer) || dt_walk_value(walk, DT_ARGUMENT_FROM, 0, &peer)) &&
           is_known_peer(simulating, rank, DT_ARGUMENT_TO) && is_known_peer(simulating, rank, DT_ARGUMENT_FROM);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static gboolean is_followed(DtSimulating *simulating, guint rank, const struct dt_call *row)
{
    DtValue peer;
    const DtWalk *walk = simulating->ranks[rank].walk;
    const gboolean sends_and_receives =
        dt_walk_value(walk, DT_ARGUMENT_TO, 0, &peer) && dt_walk_value(walk, DT_ARGUMENT_FROM, 0, &peer);
    if (row->properties & DT_CALL_BETWEEN_GROUPS) {
        const char *parent = communicator_of(simulating, rank);
        note_between(simulating, parent ? parent : "world");
        return FALSE;
    }
    if (row->properties & DT_CALL_POINT_TO_POINT && dt_call_has(row, DT_PARAMETER_MESSAGE_AT))
        return TRUE; /* of a message that a probe has taken */
    if (row->properties & DT_CALL_POINT_TO_POINT)
        return has_peers(simulating, rank) && has_known_members(simulating, rank) &&
               !(sends_and_receives && dt_call_has(row, DT_PARAMETER_REQUEST_MADE));
    return !(row->properties & DT_CALL_COLLECTIVE) || !dt_is_met(row) || g_str_has_prefix(row->name, "Finalize") ||
           has_known_members(simulating, rank);
}

gboolean dt_is_modelled(DtSimulating *simulating, guint rank, const struct dt_call *row)
{
    const char *function = simulating->skeleton->functions->pdata[simulating->ranks[rank].call->function];
    if (!is_about_others(row))
        return TRUE;
    /* Whoever comes to it goes on: nobody could get further than that, so a stand is a proof all the same. */
    if (row->properties & (DT_CALL_OF_GROUP | DT_CALL_NEIGHBOURHOOD) && has_known_members(simulating, rank)) {
        note(simulating, function);
        return TRUE;
    }
    if (is_followed(simulating, rank, row))
        return TRUE;
    dt_modelled_note(simulating, function);
    return FALSE;
}
