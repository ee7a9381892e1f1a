/* A skeleton as text. */
#include <string.h>

#include "format/arguments.h"
#include "skeleton/fields.h"
#include "skeleton/node_times.h"
#include "skeleton/walk.h"
#include "text/text.h"

typedef struct {
    const DtSkeleton *skeleton;
    GString *text;
    DtSkeletonTextFlags without;
} Writing;

/* ---- values ---------------------------------------------------------------------------------- */

static void append_value(Writing *writing, guint kind, DtValue value)
{
    if (dt_value_is_atom(value))
        g_string_append(writing->text, dt_atoms_text(writing->skeleton->atoms, value));
    else if (dt_field_is_peer(kind))
        dt_peer_append(writing->text, value, FALSE);
    else
        g_string_append_printf(writing->text, dt_field_is_distance(kind) ? "%+" G_GINT64_FORMAT : "%" G_GINT64_FORMAT,
                               value);
}

static void append_parts(Writing *writing, guint kind, const DtRow *row);

static void append_part(Writing *writing, guint kind, const DtRowPart *part)
{
    if (part->inner) {
        g_string_append_c(writing->text, '(');
        append_parts(writing, kind, part->inner);
        g_string_append_printf(writing->text, ")^%" G_GUINT64_FORMAT, part->count);
        return;
    }
    append_value(writing, kind, part->first);
    if (part->count > 1 && part->step == 0)
        g_string_append_printf(writing->text, "^%" G_GUINT64_FORMAT, part->count);
    if (part->count == 1 || part->step == 0)
        return;
    DtValue last = part->first + part->step * (gint64)(part->count - 1);
    g_string_append(writing->text, "..");
    if (dt_field_is_peer(kind))
        dt_peer_append(writing->text, last, TRUE);
    else
        append_value(writing, kind, last);
    if (part->step != 1)
        g_string_append_printf(writing->text, "/%" G_GINT64_FORMAT, part->step);
}

static void append_parts(Writing *writing, guint kind, const DtRow *row)
{
    for (guint i = 0; i < row->parts; i++) {
        if (i > 0)
            g_string_append_c(writing->text, ' ');
        append_part(writing, kind, &row->part[i]);
    }
}

static void append_row(Writing *writing, guint kind, const DtRow *row)
{
    if (row->length == 1) {
        append_value(writing, kind, row->part[0].inner ? row->part[0].inner->part[0].first : row->part[0].first);
        return;
    }
    g_string_append_c(writing->text, '[');
    append_parts(writing, kind, row);
    g_string_append_c(writing->text, ']');
}

char *dt_skeleton_row_text(const DtSkeleton *skeleton, guint kind, const DtRow *row)
{
    Writing writing = {skeleton, g_string_new(NULL), DT_TEXT_NO_LINES};
    append_row(&writing, kind, row);
    return g_string_free(writing.text, FALSE);
}

/* ---- peers ----------------------------------------------------------------------------------- */

/* One peer of the rank at all visits; FALSE: it is none, or has several. */
static gboolean find_peer(const Writing *writing, const DtRow *row, guint rank, DtPeerForm form, DtValue *peer)
{
    const DtPeerView view = {rank, writing->skeleton->ranks, &writing->skeleton->mesh, DT_PEER_LAST};
    if (row->length != 1 || row->part[0].inner || row->part[0].first >= DT_PEER_LAST)
        return FALSE;
    return dt_peer_in_form(dt_peer_distance(row->part[0].first, &view), form, &view, peer);
}

/* TRUE if each rank has one peer, and that is the same to all in that form. */
static gboolean find_common_peer(const Writing *writing, const DtField *field, DtPeerForm form, DtValue *common)
{
    DtValue peer;
    gboolean first = TRUE;
    for (guint i = 0; i < field->pieces->len; i++) {
        const DtPiece *piece = &g_array_index(field->pieces, DtPiece, i);
        for (guint rank = dt_rank_set_next(piece->on, 0); rank != G_MAXUINT;
             rank = dt_rank_set_next(piece->on, rank + 1)) {
            if (!find_peer(writing, piece->row, rank, form, &peer) || (!first && peer != *common))
                return FALSE;
            *common = peer;
            first = FALSE;
        }
    }
    return !first;
}

/* Ranks are those of the world. */
static gboolean is_of_world(const Writing *writing, const DtSkeletonNode *node)
{
    for (guint i = 0; i < node->fields->len; i++) {
        const DtField *field = &g_array_index(node->fields, DtField, i);
        if (field->kind == DT_ARGUMENT_COMMUNICATOR) {
            const DtPiece *piece = &g_array_index(field->pieces, DtPiece, 0);
            return field->pieces->len == 1 && piece->row->length == 1 &&
                   g_str_equal(dt_atoms_text(writing->skeleton->atoms, piece->row->part[0].first), "world");
        }
    }
    return FALSE;
}

/* Some fields are of some ranks only. */
static gboolean covers(const Writing *writing, const DtSkeletonNode *node, const DtField *field)
{
    const DtRankSet *on = g_array_index(field->pieces, DtPiece, 0).on;
    for (guint i = 1; i < field->pieces->len; i++)
        on = dt_rank_set_union(writing->skeleton->sets, on, g_array_index(field->pieces, DtPiece, i).on);
    return on == node->on;
}

/* Two ranks that meet always have bits in common. */
static gboolean is_chance(const DtSkeletonNode *node, DtValue peer)
{
    DtValue bits = peer - DT_PEER_BITS;
    return peer >= DT_PEER_BITS && peer < DT_PEER_STEPS && (bits & (bits - 1)) != 0 && dt_rank_set_count(node->on) < 4;
}

static gboolean append_common_peer(Writing *writing, const DtSkeletonNode *node, const DtField *field)
{
    static const DtPeerForm forms[] = {DT_BY_RANK, DT_BY_STEPS, DT_BY_DISTANCE, DT_BY_BITS};
    DtValue common = 0;
    if (!dt_field_is_peer(field->kind) || field->pieces->len < 2 || !is_of_world(writing, node) ||
        !covers(writing, node, field))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(forms); i++)
        if (find_common_peer(writing, field, forms[i], &common) && !is_chance(node, common)) {
            dt_peer_append(writing->text, common, FALSE);
            return TRUE;
        }
    return FALSE;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static gint compare_pieces(gconstpointer first, gconstpointer second)
{
    const DtPiece *a = *(const DtPiece *const *)first, *b = *(const DtPiece *const *)second;
    guint one = dt_rank_set_next(a->on, 0), other = dt_rank_set_next(b->on, 0);
    return one < other ? -1 : one > other;
}

/* By their smallest ranks. */
static void append_pieces(Writing *writing, const DtField *field)
{
    g_autoptr(GPtrArray) pieces = g_ptr_array_new();
    for (guint i = 0; i < field->pieces->len; i++)
        g_ptr_array_add(pieces, &g_array_index(field->pieces, DtPiece, i));
    g_ptr_array_sort(pieces, compare_pieces);
    g_string_append_c(writing->text, '{');
    for (guint i = 0; i < pieces->len; i++) {
        const DtPiece *piece = pieces->pdata[i];
        g_autofree char *on = dt_rank_set_text(writing->skeleton->sets, piece->on);
        g_string_append_printf(writing->text, "%s%s: ", i > 0 ? "; " : "", on);
        append_row(writing, field->kind, piece->row);
    }
    g_string_append_c(writing->text, '}');
}

static void append_values(Writing *writing, const DtSkeletonNode *node, const DtField *field)
{
    const DtPiece *first = &g_array_index(field->pieces, DtPiece, 0);
    if (field->pieces->len == 1 && first->on == node->on)
        append_row(writing, field->kind, first->row);
    else if (!append_common_peer(writing, node, field))
        append_pieces(writing, field);
}

/* "tag 5", "60 x 8 B" with the next field; gives how many fields that was. */
static guint append_field(Writing *writing, const DtSkeletonNode *node, guint index)
{
    const DtField *field = &g_array_index(node->fields, DtField, index);
    const char *word = dt_field_word(field->kind);
    gboolean is_data = field->kind == DT_FIELD_COUNT || field->kind == DT_FIELD_OTHER_COUNT;
    if (*word)
        g_string_append_printf(writing->text, "%s ", word);
    append_values(writing, node, field);
    if (!is_data || index + 1 >= node->fields->len)
        return 1;
    g_string_append(writing->text, " x ");
    append_values(writing, node, field + 1);
    g_string_append(writing->text, " B");
    return 2;
}

/* What "world" and the rest stand for. */
static void append_call(Writing *writing, const DtSkeletonNode *node)
{
    guint written = 0, i = 0;
    g_string_append(writing->text, writing->skeleton->functions->pdata[node->function]);
    while (i < node->fields->len && !dt_field_is_outcome(g_array_index(node->fields, DtField, i).kind)) {
        g_string_append(writing->text, written++ ? ", " : "(");
        i += append_field(writing, node, i);
    }
    if (written)
        g_string_append_c(writing->text, ')');
    while (i < node->fields->len) {
        g_string_append(writing->text, "; ");
        i += append_field(writing, node, i);
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* The blanks, and who it is that does what the line says. */
static void begin_line(Writing *writing, const DtRankSet *on, const DtRankSet *within, guint depth)
{
    for (guint blank = 0; blank < depth; blank++)
        g_string_append(writing->text, "  ");
    if (on == within)
        return;
    g_autofree char *ranks = dt_rank_set_text(writing->skeleton->sets, on);
    g_string_append_printf(writing->text, "on %s: ", ranks);
}

static void append_times(Writing *writing, const DtSkeletonNode *node, guint depth)
{
    for (guint i = 0; node->times && !(writing->without & DT_TEXT_NO_TIMES) && i < node->times->len; i++) {
        const DtNodeTime *time = &g_array_index(node->times, DtNodeTime, i);
        begin_line(writing, time->on, node->on, depth);
        if (time->after == DT_AFTER_START)
            g_string_append(writing->text, "after start: ");
        else
            g_string_append_printf(writing->text, "after %+" G_GINT64_FORMAT ": ", time->after);
        dt_node_time_append(writing->text, time);
        g_string_append_c(writing->text, '\n');
    }
}

static void append_nodes(Writing *writing, const GPtrArray *nodes, const DtRankSet *within, guint depth)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        begin_line(writing, node->on, within, depth);
        if (!dt_skeleton_node_is_loop(node)) {
            append_call(writing, node);
            if (node->comment && !(writing->without & DT_TEXT_NO_LINES))
                g_string_append_printf(writing->text, "  # %s", node->comment);
            g_string_append_c(writing->text, '\n');
            append_times(writing, node, depth + 1);
            continue;
        }
        append_values(writing, node, &g_array_index(node->fields, DtField, 0));
        g_string_append(writing->text, " times\n");
        append_nodes(writing, node->children, node->on, depth + 1);
    }
}

static void append_members(GString *text, const GArray *group)
{
    for (guint i = 0; i < group->len;) {
        gint first = g_array_index(group, gint, i);
        guint run = 1;
        while (i + run < group->len && g_array_index(group, gint, i + run) == first + (gint)run)
            run++;
        g_string_append_printf(text, "%s%d", i > 0 ? "," : "", first);
        if (run > 1)
            g_string_append_printf(text, "-%d", first + (gint)run - 1);
        i += run;
    }
}

static void append_communicators(Writing *writing)
{
    const GPtrArray *communicators = writing->skeleton->communicators;
    for (guint i = 0; i < communicators->len; i++) {
        const DtSkeletonCommunicator *communicator = communicators->pdata[i];
        g_string_append_printf(writing->text, "comm %s", communicator->name);
        for (guint k = 0; k < communicator->groups->len; k++) {
            g_string_append_c(writing->text, ' ');
            append_members(writing->text, communicator->groups->pdata[k]);
        }
        g_string_append_c(writing->text, '\n');
    }
}

char *dt_skeleton_text(const DtSkeleton *skeleton)
{
    return dt_skeleton_text_with(skeleton, 0);
}

char *dt_skeleton_text_with(const DtSkeleton *skeleton, DtSkeletonTextFlags without)
{
    Writing writing = {skeleton, g_string_new("difftrace skeleton 1\n"), without};
    g_string_append_printf(writing.text, "ranks %u\n", skeleton->ranks);
    if (skeleton->mesh.axes > 0) {
        g_autofree char *mesh = dt_mesh_text(&skeleton->mesh);
        g_string_append_printf(writing.text, "mesh %s\n", mesh);
    }
    append_communicators(&writing);
    for (guint i = 0; i < skeleton->threads->len; i++) {
        const DtSkeletonThread *thread = skeleton->threads->pdata[i];
        if (thread->number > 0)
            g_string_append_printf(writing.text, "thread %u\n", thread->number);
        append_nodes(&writing, thread->nodes, dt_rank_set_all(skeleton->sets), 0);
    }
    return g_string_free(writing.text, FALSE);
}

/* ---- one rank -------------------------------------------------------------------------------- */

void dt_append_single_field(const DtSkeleton *skeleton, GString *text, guint kind, DtValue value, guint *written,
                            gboolean *open)
{
    Writing writing = {skeleton, text, DT_TEXT_NO_LINES};
    gboolean size = kind == DT_FIELD_SIZE || kind == DT_FIELD_OTHER_SIZE;
    if (dt_field_is_outcome(kind)) {
        g_string_append(text, *open ? "); " : "; ");
        *open = FALSE;
    } else if (!size) {
        g_string_append(text, (*written)++ ? ", " : "(");
        *open = TRUE;
    }
    if (*dt_field_word(kind))
        g_string_append_printf(text, "%s%s ", size ? " " : "", dt_field_word(kind));
    append_value(&writing, kind, value);
    g_string_append(text, size ? " B" : "");
}

char *dt_skeleton_expand(const DtSkeleton *skeleton, guint thread, guint rank, GError **error)
{
    g_autoptr(DtWalk) walk = dt_walk_new(skeleton, thread, rank);
    GString *text = g_string_new(NULL);
    while (dt_walk_next(walk)) {
        g_autofree char *call = dt_walk_text(walk);
        g_string_append_printf(text, "%s\n", call);
    }
    if (dt_walk_steps(walk) <= DT_SKELETON_MOST_CALLS)
        return g_string_free(text, FALSE);
    g_string_free(text, TRUE);
    dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE, "rank %u has more than %u calls", rank,
                 DT_SKELETON_MOST_CALLS);
    return NULL;
}
