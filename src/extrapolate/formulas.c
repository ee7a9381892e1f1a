/* The formulas as text. */
#include "extrapolate/node_time_laws.h"
#include "skeleton/fields.h"

typedef struct {
    const DtLaws *laws;
    const DtNodeTimeLaws *times; /* NULL: they are not told */
    GString *text;
    guint spare;         /* of the line */
    const char *missing; /* the first part of the line that has no formula */
} Writing;

static void append_field(Writing *writing, const DtFieldLaw *field)
{
    writing->spare = MIN(writing->spare, field->spare);
    if (!field->on || field->pieces->len == 0) {
        writing->missing = writing->missing                ? writing->missing
                           : field->kind == DT_FIELD_TIMES ? "rounds"
                                                           : dt_field_name(field->kind);
        g_string_append_c(writing->text, '?');
        return;
    }
    const DtPieceLaw *first = field->pieces->pdata[0];
    if (!dt_condition_is_empty(field->on)) {
        g_string_append(writing->text, "on ");
        dt_condition_append(field->on, writing->text);
        g_string_append(writing->text, ": ");
    }
    if (field->pieces->len == 1 && dt_condition_is_empty(first->on)) {
        dt_series_append(first->series, writing->laws->sizes, writing->text);
        return;
    }
    g_string_append_c(writing->text, '{');
    for (guint i = 0; i < field->pieces->len; i++) {
        const DtPieceLaw *piece = field->pieces->pdata[i];
        g_string_append(writing->text, i > 0 ? "; " : "");
        dt_condition_append(piece->on, writing->text);
        g_string_append(writing->text, ": ");
        dt_series_append(piece->series, writing->laws->sizes, writing->text);
    }
    g_string_append_c(writing->text, '}');
}

/* As a call stands in the skeleton. */
static void append_call(Writing *writing, const DtNodeLaw *law)
{
    guint written = 0;
    gboolean open = FALSE;
    g_string_append(writing->text, writing->laws->sizes->merged->functions->pdata[law->node->function]);
    for (guint i = 0; i < law->fields->len; i++) {
        const DtFieldLaw *field = law->fields->pdata[i];
        const gboolean size = field->kind == DT_FIELD_SIZE || field->kind == DT_FIELD_OTHER_SIZE;
        if (dt_field_is_outcome(field->kind)) {
            g_string_append(writing->text, open ? "); " : "; ");
            open = FALSE;
        } else if (!size) {
            g_string_append(writing->text, written++ > 0 ? ", " : "(");
            open = TRUE;
        }
        if (*dt_field_word(field->kind))
            g_string_append_printf(writing->text, "%s%s ", size ? " " : "", dt_field_word(field->kind));
        append_field(writing, field);
        g_string_append(writing->text, size ? " B" : "");
    }
    if (open)
        g_string_append_c(writing->text, ')');
}

static void append_verdict(Writing *writing)
{
    if (writing->missing)
        g_string_append_printf(writing->text, "  (no formula: %s)", writing->missing);
    else if (writing->spare == 0)
        g_string_append(writing->text, "  (unproved)");
    else
        g_string_append_printf(writing->text, "  [%u]", writing->spare);
    g_string_append_c(writing->text, '\n');
}

/* What some ranks do at some stages. */
static void append_word(Writing *writing, const DtNodeLaw *law, guint depth)
{
    for (guint blank = 0; blank < depth; blank++)
        g_string_append(writing->text, "  ");
    g_string_append(writing->text, "if ");
    if (law->at)
        dt_condition_append(law->at, writing->text);
    if (law->at && dt_condition_is_empty(law->at))
        g_string_append(writing->text, "any");
    writing->missing = writing->missing ? writing->missing : law->at ? NULL : "stages";
    writing->spare = law->at ? MIN(writing->spare, dt_condition_spare(law->at)) : 0;
    append_verdict(writing);
}

static void append_nodes(Writing *writing, const GPtrArray *nodes, guint depth)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtNodeLaw *law = nodes->pdata[i];
        writing->missing = law->on ? NULL : "ranks";
        writing->spare = law->on ? dt_condition_spare(law->on) : 0;
        if (law->is_word) {
            append_word(writing, law, depth);
            append_nodes(writing, law->children, depth + 1);
            continue;
        }
        for (guint blank = 0; blank < depth; blank++)
            g_string_append(writing->text, "  ");
        if (!law->on || !dt_condition_is_empty(law->on)) {
            g_string_append(writing->text, "on ");
            if (law->on)
                dt_condition_append(law->on, writing->text);
            g_string_append(writing->text, law->on ? ": " : "?: ");
        }
        if (!law->children) {
            append_call(writing, law);
            append_verdict(writing);
            if (writing->times)
                dt_node_time_laws_append(writing->times, law->node, depth + 1, writing->text);
            continue;
        }
        append_field(writing, law->fields->pdata[0]);
        g_string_append(writing->text, law->communicator ? " stages s" : " times");
        append_verdict(writing);
        append_nodes(writing, law->children, depth + 1);
    }
}

static guint sizes_along(const DtLaws *laws, guint axis)
{
    guint sizes = 0;
    for (guint s = 0; s < laws->sizes->count; s++) {
        gboolean is_new = TRUE;
        for (guint k = 0; is_new && k < s; k++)
            is_new = laws->meshes[k].size[axis] != laws->meshes[s].size[axis];
        sizes += is_new ? 1 : 0;
    }
    return sizes;
}

enum { ENOUGH_SIZES = 3 };

/* What would decide where nothing proves a formula. */
static void append_advice(Writing *writing)
{
    const DtLaws *laws = writing->laws;
    if (laws->counts.unproved + laws->counts.without == 0)
        return;
    for (guint axis = 0; axis < laws->meshes[0].axes; axis++) {
        const guint sizes = sizes_along(laws, axis);
        if (sizes < ENOUGH_SIZES)
            g_string_append_printf(writing->text,
                                   "# %u size%s along %c: a run with another size there would decide more\n", sizes,
                                   sizes == 1 ? "" : "s", dt_axis_name(axis));
    }
}

/* With that many places along the axis, and along the others as many as the largest run has. */
static char *run_along(const DtLaws *laws, guint axis)
{
    guint largest = 0, longest = 0;
    for (guint s = 0; s < laws->sizes->count; s++) {
        longest = MAX(longest, laws->meshes[s].size[axis]);
        if (dt_mesh_places(&laws->meshes[s]) > dt_mesh_places(&laws->meshes[largest]))
            largest = s;
    }
    DtMesh mesh = laws->meshes[largest];
    mesh.size[axis] = 2 * longest;
    g_autofree char *text = dt_mesh_text(&mesh);
    const guint sizes = sizes_along(laws, axis);
    return mesh.axes > 1
               ? g_strdup_printf("A run on a mesh of %s (%u size%s along %c so far)", text, sizes,
                                 sizes == 1 ? "" : "s", dt_axis_name(axis))
               : g_strdup_printf("A run on %u ranks (%u size%s so far)", mesh.size[0], sizes, sizes == 1 ? "" : "s");
}

char *dt_laws_further_run(const DtLaws *laws)
{
    guint scarce = 0;
    for (guint axis = 1; axis < laws->meshes[0].axes; axis++)
        if (sizes_along(laws, axis) < sizes_along(laws, scarce))
            scarce = axis;
    return run_along(laws, scarce);
}

char *dt_laws_text(const DtLaws *laws)
{
    g_autoptr(DtNodeTimeLaws) times = laws->has_times ? dt_node_time_laws_find(laws, 0) : NULL;
    Writing writing = {.laws = laws, .times = times, .text = g_string_new("difftrace formulas 1\n")};
    for (guint s = 0; s < laws->sizes->count; s++) {
        g_autofree char *mesh = dt_mesh_text(&laws->meshes[s]);
        g_string_append_printf(writing.text, "# %s: %u ranks, mesh %s\n", laws->sizes->sizes[s].name,
                               laws->sizes->sizes[s].skeleton->ranks, mesh);
    }
    g_string_append_printf(writing.text, "# lines and communicators: %u proved, %u unproved, %u without a formula\n",
                           laws->counts.proved, laws->counts.unproved, laws->counts.without);
    append_advice(&writing);
    for (guint i = 0; i < laws->groups->len; i++) {
        const DtGroupsLaw *law = laws->groups->pdata[i];
        g_string_append_printf(writing.text, "comm %s: ", law->name);
        if (law->is_known)
            dt_groups_append(law, laws->meshes[0].axes, writing.text);
        writing.missing = law->is_known ? NULL : "members";
        writing.spare = law->spare;
        append_verdict(&writing);
    }
    for (guint t = 0; t < laws->threads->len; t++) {
        const DtSkeletonThread *thread = laws->sizes->merged->threads->pdata[t];
        if (thread->number > 0)
            g_string_append_printf(writing.text, "thread %u\n", thread->number);
        append_nodes(&writing, laws->threads->pdata[t], 0);
    }
    return g_string_free(writing.text, FALSE);
}
