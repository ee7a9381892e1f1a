#include "report/skeletons/skeleton_report.h"

#include <string.h>

#include "report/common.h"
#include "report/json.h"
#include "skeleton/fields.h"
#include "skeleton/node_times.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

typedef struct {
    JsonBuilder *builder;
    const DtSkeleton *skeleton;
    DtSkeletonTextFlags without;
} Writing;

static void add_set(const Writing *writing, const DtRankSet *set)
{
    g_autofree char *text = dt_rank_set_text(writing->skeleton->sets, set);
    dt_json_string(writing->builder, "on", text);
}

static void add_pieces(const Writing *writing, const DtField *field)
{
    for (guint i = 0; i < field->pieces->len; i++) {
        const DtPiece *piece = &g_array_index(field->pieces, DtPiece, i);
        g_autofree char *row = dt_skeleton_row_text(writing->skeleton, field->kind, piece->row);
        dt_json_begin_object(writing->builder, NULL);
        add_set(writing, piece->on);
        dt_json_string(writing->builder, "values", row);
        json_builder_end_object(writing->builder);
    }
    json_builder_end_array(writing->builder);
}

static void add_fields(const Writing *writing, const DtSkeletonNode *node)
{
    dt_json_begin_array(writing->builder, "fields");
    for (guint i = 0; i < node->fields->len; i++) {
        const DtField *field = &g_array_index(node->fields, DtField, i);
        dt_json_begin_object(writing->builder, NULL);
        dt_json_string(writing->builder, "field", dt_field_name(field->kind));
        dt_json_begin_array(writing->builder, "pieces");
        add_pieces(writing, field);
        json_builder_end_object(writing->builder);
    }
    json_builder_end_array(writing->builder);
}

/* What passed before the call, by the call before: "after" is its distance, null where there is none. */
static void add_times(const Writing *writing, const DtSkeletonNode *node)
{
    if (!node->times || writing->without & DT_TEXT_NO_TIMES)
        return;
    dt_json_begin_array(writing->builder, "before");
    for (guint i = 0; i < node->times->len; i++) {
        const DtNodeTime *time = &g_array_index(node->times, DtNodeTime, i);
        g_autoptr(GString) row = g_string_new(NULL);
        dt_time_row_append(row, time->row);
        dt_json_begin_object(writing->builder, NULL);
        add_set(writing, time->on);
        if (time->after == DT_AFTER_START)
            dt_json_string(writing->builder, "after", NULL);
        else
            dt_json_integer(writing->builder, "after", time->after);
        dt_json_integer(writing->builder, "count", (gint64)time->count);
        dt_json_integer(writing->builder, "min_ns", time->least);
        dt_json_integer(writing->builder, "mean_ns", time->mean);
        dt_json_integer(writing->builder, "max_ns", time->most);
        dt_json_string(writing->builder, "values", row->str);
        json_builder_end_object(writing->builder);
    }
    json_builder_end_array(writing->builder);
}

static void add_nodes(const Writing *writing, const GPtrArray *nodes)
{
    dt_json_begin_array(writing->builder, "nodes");
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        dt_json_begin_object(writing->builder, NULL);
        add_set(writing, node->on);
        if (dt_skeleton_node_is_loop(node)) {
            dt_json_begin_array(writing->builder, "times");
            add_pieces(writing, &g_array_index(node->fields, DtField, 0));
            add_nodes(writing, node->children);
        } else {
            dt_json_string(writing->builder, "call", writing->skeleton->functions->pdata[node->function]);
            add_fields(writing, node);
            dt_json_string(writing->builder, "place", writing->without & DT_TEXT_NO_LINES ? NULL : node->comment);
            add_times(writing, node);
        }
        json_builder_end_object(writing->builder);
    }
    json_builder_end_array(writing->builder);
}

static void add_communicators(const Writing *writing)
{
    dt_json_begin_array(writing->builder, "communicators");
    for (guint i = 0; i < writing->skeleton->communicators->len; i++) {
        const DtSkeletonCommunicator *communicator = writing->skeleton->communicators->pdata[i];
        dt_json_begin_object(writing->builder, NULL);
        dt_json_string(writing->builder, "name", communicator->name);
        dt_json_begin_array(writing->builder, "groups");
        for (guint g = 0; g < communicator->groups->len; g++) {
            const GArray *group = communicator->groups->pdata[g];
            dt_json_begin_array(writing->builder, NULL);
            for (guint member = 0; member < group->len; member++)
                dt_json_integer(writing->builder, NULL, g_array_index(group, gint, member));
            json_builder_end_array(writing->builder);
        }
        json_builder_end_array(writing->builder);
        json_builder_end_object(writing->builder);
    }
    json_builder_end_array(writing->builder);
}

static char *json_text(const DtSkeleton *skeleton, DtSkeletonTextFlags without)
{
    const Writing writing = {dt_json_document(), skeleton, without};
    dt_json_integer(writing.builder, "ranks", skeleton->ranks);
    dt_json_begin_array(writing.builder, "mesh");
    for (guint axis = 0; axis < skeleton->mesh.axes; axis++)
        dt_json_integer(writing.builder, NULL, skeleton->mesh.size[axis]);
    json_builder_end_array(writing.builder);
    add_communicators(&writing);
    dt_json_begin_array(writing.builder, "threads");
    for (guint i = 0; i < skeleton->threads->len; i++) {
        const DtSkeletonThread *thread = skeleton->threads->pdata[i];
        dt_json_begin_object(writing.builder, NULL);
        dt_json_integer(writing.builder, "thread", thread->number);
        add_nodes(&writing, thread->nodes);
        json_builder_end_object(writing.builder);
    }
    json_builder_end_array(writing.builder);
    return dt_json_finish(writing.builder);
}

/* ---- in a terminal --------------------------------------------------------------------------- */

static void append_part(GString *out, const char *colour, const char *from, gsize length)
{
    g_string_append(out, colour);
    g_string_append_len(out, from, (gssize)length);
    g_string_append(out, length > 0 && *colour ? "\033[0m" : "");
}

/* Who does it in blue, loops in green, where it comes from and what passed before grey. */
static void append_line(GString *out, const char *line, gsize length)
{
    gsize at = 0;
    while (at < length && line[at] == ' ')
        at++;
    append_part(out, "", line, at);
    if (g_str_has_prefix(line + at, "on ")) {
        const char *end = strstr(line + at, ": ");
        gsize own = end && end < line + length ? (gsize)(end + 2 - line) - at : 0;
        append_part(out, own ? "\033[34m" : "", line + at, own);
        at += own;
    }
    if (g_str_has_prefix(line + at, "after ")) {
        append_part(out, "\033[90m", line + at, length - at);
        return;
    }
    const char *mark = g_strstr_len(line + at, (gssize)(length - at), "  # ");
    gsize call = mark ? (gsize)(mark - line) - at : length - at;
    gboolean is_loop =
        g_str_has_suffix(line + at, " times") || (call >= 6 && !memcmp(line + at + call - 6, " times", 6));
    append_part(out, is_loop ? "\033[32m" : "", line + at, call);
    if (mark)
        append_part(out, "\033[90m", mark, length - at - call);
}

static char *coloured(const char *text)
{
    GString *out = g_string_new(NULL);
    while (*text) {
        gsize length = strcspn(text, "\n");
        append_line(out, text, length);
        g_string_append_c(out, '\n');
        text += length + (text[length] != '\0');
    }
    return g_string_free(out, FALSE);
}

char *dt_report_skeleton(const DtSkeleton *skeleton, DtSkeletonTextFlags without, DtReportFormat format, GError **error)
{
    if (format == DT_FORMAT_JSON)
        return json_text(skeleton, without);
    if (format != DT_FORMAT_TEXT && format != DT_FORMAT_TERMINAL)
        return dt_report_no_format("a skeleton", format, "text and json", error);
    char *text = dt_skeleton_text_with(skeleton, without);
    if (format == DT_FORMAT_TEXT)
        return text;
    char *shown = coloured(text);
    g_free(text);
    return shown;
}
