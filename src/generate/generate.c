/* The program: nodes as statements, with ifs, loops and functions around them, and what stands around these. */
#include "generate/generate.h"

#include <string.h>

#include "format/arguments.h"
#include "generate/generating.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_generate_error, dt_generate_error)

/* Where statements are written. */
typedef struct {
    GString *text;
    guint depth, loops;
    const DtRankSet *within; /* the ranks that come here */
    const char *frame;       /* the function of the source that this is of; NULL: not known */
    DtAround around;
    gboolean in_loop;
    gboolean comes_again; /* it may, in a loop here or where the function is called */
} Place;

static void write_nodes(DtGenerating *generating, Place *place, const GPtrArray *nodes);

static void indent(const Place *place)
{
    for (guint i = 0; i < place->depth; i++)
        g_string_append(place->text, "    ");
}

static void write_line(const Place *place, const char *text)
{
    indent(place);
    g_string_append_printf(place->text, "%s\n", text);
}

static const char *function_of(const DtGenerating *generating, const DtSkeletonNode *node)
{
    return generating->skeleton->functions->pdata[node->function];
}

/* ---- places in the source ----------------------------------------------------------------------- */

/* "exchange" of "heat.c:60 in exchange"; NULL: it says none. */
static const char *frame_of_call(const DtSkeletonNode *node)
{
    const char *in = node->comment ? strstr(node->comment, " in ") : NULL;
    return in ? in + 4 : NULL;
}

/* Of all calls of a loop; NULL: they are not of one. */
static const char *frame_of(const DtSkeletonNode *node)
{
    if (!dt_skeleton_node_is_loop(node))
        return frame_of_call(node);
    const char *frame = node->children->len > 0 ? frame_of(node->children->pdata[0]) : NULL;
    for (guint i = 1; i < node->children->len && frame; i++)
        if (g_strcmp0(frame, frame_of(node->children->pdata[i])) != 0)
            return NULL;
    return frame;
}

/* The place as a comment at the end of a line. */
static void append_source(const DtGenerating *generating, const Place *place, const DtSkeletonNode *node)
{
    const char *frame = frame_of_call(node);
    if (!node->comment || generating->options->anonymous)
        return;
    g_autofree char *comment = g_strdup(node->comment);
    if (frame && g_strcmp0(frame, place->frame) == 0)
        comment[frame - node->comment - 4] = '\0';
    for (char *at = comment; *at; at++)
        if (*at == '\\' || *at == '*' || !g_ascii_isprint(*at))
            *at = '.';
    g_string_append_printf(place->text, "  // %s", comment);
}

/* ---- calls --------------------------------------------------------------------------------------- */

static void write_lines(const Place *place, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++)
        if (*lines[i])
            write_line(place, lines[i]);
}

static void write_compute(DtGenerating *generating, const Place *place, const DtSkeletonNode *node)
{
    g_autofree char *line = dt_compute_text(generating, node);
    if (line)
        write_line(place, line);
}

/* Behind a call that did not return on some ranks. */
static void write_end(DtGenerating *generating, const Place *place, const DtSkeletonNode *node)
{
    const DtField *open = dt_field_find(node, DT_FIELD_OPEN, 0);
    if (!open)
        return;
    const DtRankSet *on = dt_field_ranks(generating->skeleton, open);
    g_autofree char *condition = on == node->on ? NULL : dt_condition(generating, on, node->on);
    g_autofree char *line = g_strdup_printf(condition ? "if (%s)" : "%s", condition ? condition : "");
    g_autofree char *call =
        g_strdup_printf("%s%snow_returned(\"%s\");", line, condition ? " " : "", function_of(generating, node));
    write_line(place, call);
}

static void leave_out(DtGenerating *generating, const Place *place, const char *name)
{
    g_autofree char *line = g_strdup_printf("/* %s is not generated */", name);
    write_line(place, line);
    g_hash_table_add(generating->left_out, g_strdup(name));
}

static void write_call(DtGenerating *generating, Place *place, const DtSkeletonNode *node)
{
    DtStatement statement = {.generating = generating,
                             .node = node,
                             .around = place->in_loop ? &place->around : NULL,
                             .before = g_string_new(NULL),
                             .after = g_string_new(NULL)};
    const char *name = function_of(generating, node);
    g_autofree char *text = dt_statement_text(&statement);
    gboolean is_init = g_str_has_prefix(name, "MPI_Init"), is_block = statement.before->len > 0 && !is_init;
    if (!is_init)
        write_compute(generating, place, node);
    if (!text) {
        leave_out(generating, place, name);
    } else {
        if (is_block)
            write_line(place, "{");
        place->depth += is_block ? 1 : 0;
        write_lines(place, statement.before->str);
        indent(place);
        g_string_append_printf(place->text, "%s;", text);
        append_source(generating, place, node);
        g_string_append_c(place->text, '\n');
        write_lines(place, statement.after->str);
        place->depth -= is_block ? 1 : 0;
        if (is_block)
            write_line(place, "}");
        if (is_init) { /* the command line is not known before */
            write_line(place, "begin(argc, argv);");
            write_compute(generating, place, node);
        }
        write_end(generating, place, node);
    }
    dt_statement_clear(&statement);
}

/* ---- loops --------------------------------------------------------------------------------------- */

static gboolean row_is_flags(const DtRow *row)
{
    for (guint i = 0; i < row->parts; i++) {
        const DtRowPart *part = &row->part[i];
        if (part->inner
                ? !row_is_flags(part->inner)
                : part->first < 0 || part->first > 1 ||
                      (part->step != 0 && part->first + part->step * (gint64)(part->count - 1) > 1) || part->step < 0)
            return FALSE;
    }
    return TRUE;
}

/* It goes round once, or not at all. */
static gboolean is_condition(const DtField *times)
{
    for (guint i = 0; i < times->pieces->len; i++)
        if (!row_is_flags(g_array_index(times->pieces, DtPiece, i).row))
            return FALSE;
    return TRUE;
}

static const char *loop_variable(guint loops)
{
    static const char *const names[] = {"i", "j", "k", "l", "m", "n"};
    return loops < G_N_ELEMENTS(names) ? names[loops] : NULL;
}

static void write_head(const DtGenerating *generating, const Place *place, const DtSkeletonNode *node,
                       const char *variable, const char *times)
{
    const DtField *field = &g_array_index(node->fields, DtField, 0);
    g_autofree char *line = NULL;
    if (node == generating->main_loop)
        line = g_strdup_printf("for (long %s = 0; %s < steps; %s++) {", variable, variable, variable);
    else if (is_condition(field))
        line = g_strdup_printf("if (%s) {", times);
    else if (strstr(times, "next"))
        line = g_strdup_printf("for (long %s = 0, %s_end = %s; %s < %s_end; %s++) {", variable, variable, times,
                               variable, variable, variable);
    else
        line = g_strdup_printf("for (int %s = 0; %s < %s; %s++) {", variable, variable, times, variable);
    write_line(place, line);
}

static void write_loop(DtGenerating *generating, Place *place, const DtSkeletonNode *node)
{
    const DtField *field = &g_array_index(node->fields, DtField, 0);
    DtStatement statement = {
        .generating = generating, .node = node, .before = g_string_new(NULL), .after = g_string_new(NULL)};
    g_autofree char *times = dt_number_text(&statement, field, "0");
    const char *known = loop_variable(place->loops);
    g_autofree char *variable = known ? g_strdup(known) : g_strdup_printf("i%u", place->loops);
    gint64 number = 0;
    (void)dt_field_number(field, &number);
    write_head(generating, place, node, variable, times ? times : "0");
    Place inner = {.text = place->text,
                   .depth = place->depth + 1,
                   .loops = place->loops + 1,
                   .within = node->on,
                   .frame = place->frame,
                   .around = {variable, MAX(number, 0), node == generating->main_loop, place->comes_again},
                   .in_loop = TRUE,
                   .comes_again = TRUE};
    write_nodes(generating, &inner, node->children);
    write_line(place, "}");
    dt_statement_clear(&statement);
}

/* ---- functions ----------------------------------------------------------------------------------- */

/* Nodes that stand behind each other, and are one statement: a node, or those of one function of the source. */
typedef struct {
    const DtRankSet *on;
    guint first, count;
    char *call; /* of the function; NULL: a node */
} Item;

static void clear_item(gpointer item)
{
    g_free(((Item *)item)->call);
}

static guint count_calls(const DtSkeletonNode *node)
{
    guint calls = dt_skeleton_node_is_loop(node) ? 0 : 1;
    for (guint i = 0; calls == 0 && i < node->children->len; i++)
        calls += count_calls(node->children->pdata[i]);
    return calls;
}

/* How many nodes from `first` on are of one function of the source that is not the one around; 0: none. */
static guint length_of_stretch(const Place *place, const GPtrArray *nodes, guint first)
{
    const char *frame = frame_of(nodes->pdata[first]);
    guint count = 0, calls = 0;
    if (!frame || g_strcmp0(frame, place->frame) == 0)
        return 0;
    for (; first + count < nodes->len && g_strcmp0(frame, frame_of(nodes->pdata[first + count])) == 0; count++)
        calls +=
            count_calls(nodes->pdata[first + count]) + (dt_skeleton_node_is_loop(nodes->pdata[first + count]) ? 1 : 0);
    return calls > 1 ? count : 0;
}

static const DtRankSet *common_set(const Place *place, const GPtrArray *nodes, guint first, guint count)
{
    const DtRankSet *on = ((const DtSkeletonNode *)nodes->pdata[first])->on;
    for (guint i = 1; i < count; i++)
        if (((const DtSkeletonNode *)nodes->pdata[first + i])->on != on)
            return place->within;
    return on;
}

/* "do_exchange", or "part" where names are to stay away. */
static char *function_name(DtGenerating *generating, const char *frame)
{
    GString *name = g_string_new(generating->options->anonymous ? "part" : "do_");
    for (const char *at = frame; *at && *at != '(' && !generating->options->anonymous; at++)
        if (g_ascii_isalnum(*at))
            g_string_append_c(name, *at);
        else if (name->str[name->len - 1] != '_')
            g_string_append_c(name, '_');
    while (name->len > 3 && name->str[name->len - 1] == '_')
        g_string_truncate(name, name->len - 1);
    g_autofree char *base = g_string_free(name, FALSE);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(generating->numbers, base)) + 1;
    g_hash_table_insert(generating->numbers, g_strdup(base), GUINT_TO_POINTER(number));
    return number == 1 && !generating->options->anonymous ? g_strdup(base) : g_strdup_printf("%s_%u", base, number);
}

/* Writes the function, unless there is one with that body; gives its call. */
static char *write_function(DtGenerating *generating, const GPtrArray *nodes, guint first, guint count,
                            const DtRankSet *within, gboolean comes_again)
{
    const char *frame = frame_of(nodes->pdata[first]);
    g_autoptr(GPtrArray) own = g_ptr_array_new();
    Place place = {
        .text = g_string_new(NULL), .depth = 1, .within = within, .frame = frame, .comes_again = comes_again};
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(own, nodes->pdata[first + i]);
    write_nodes(generating, &place, own);
    g_autofree char *body = g_string_free(place.text, FALSE);
    const char *known = g_hash_table_lookup(generating->bodies, body);
    if (known)
        return g_strdup_printf("%s();", known);
    char *name = function_name(generating, frame);
    g_string_append_printf(generating->functions, "static void %s(void)\n{\n%s}\n\n", name, body);
    g_hash_table_insert(generating->bodies, g_steal_pointer(&body), name);
    return g_strdup_printf("%s();", name);
}

static gboolean has_init(const DtGenerating *generating, const GPtrArray *nodes, guint first, guint count)
{
    for (guint i = first; i < first + count; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        if (dt_skeleton_node_is_loop(node) ? has_init(generating, node->children, 0, node->children->len)
                                           : g_str_has_prefix(function_of(generating, node), "MPI_Init"))
            return TRUE;
    }
    return FALSE;
}

/* Compilers take long for very long functions: of so many nodes these are several. */
enum { MOST_NODES = 256 };

static void write_parts(DtGenerating *generating, const Place *place, const GPtrArray *nodes)
{
    for (guint first = 0; first < nodes->len; first += MOST_NODES) {
        guint count = MIN(MOST_NODES, nodes->len - first);
        g_autoptr(GPtrArray) own = g_ptr_array_new();
        Place part = {.text = g_string_new(NULL),
                      .depth = 1,
                      .within = place->within,
                      .frame = place->frame,
                      .comes_again = place->comes_again};
        for (guint i = 0; i < count; i++)
            g_ptr_array_add(own, nodes->pdata[first + i]);
        write_nodes(generating, &part, own);
        g_autofree char *body = g_string_free(part.text, FALSE), *name = dt_new_name(generating, "part");
        g_autofree char *call = g_strdup_printf("%s();", name);
        g_string_append_printf(generating->functions, "static void %s(void)\n{\n%s}\n\n", name, body);
        write_line(place, call);
    }
}

/* ---- lists of nodes ------------------------------------------------------------------------------- */

static GArray *items_of(DtGenerating *generating, const Place *place, const GPtrArray *nodes)
{
    GArray *items = g_array_new(FALSE, FALSE, sizeof(Item));
    g_array_set_clear_func(items, clear_item);
    for (guint i = 0; i < nodes->len;) {
        guint count = length_of_stretch(place, nodes, i);
        Item item = {((const DtSkeletonNode *)nodes->pdata[i])->on, i, MAX(count, 1), NULL};
        if (count > 0 && !has_init(generating, nodes, i, count)) {
            item.on = common_set(place, nodes, i, count);
            item.call = write_function(generating, nodes, i, count, item.on, place->comes_again);
        } else {
            item.count = 1;
        }
        i += item.count;
        g_array_append_val(items, item);
    }
    return items;
}

static void write_item(DtGenerating *generating, Place *place, const GPtrArray *nodes, const Item *item)
{
    const DtSkeletonNode *node = nodes->pdata[item->first];
    if (item->call)
        write_line(place, item->call);
    else if (dt_skeleton_node_is_loop(node))
        write_loop(generating, place, node);
    else
        write_call(generating, place, node);
}

/* The items of one set of ranks in an if; `is_else`: of those that the if before is not of. */
static void write_group(DtGenerating *generating, const Place *place, const GPtrArray *nodes, const GArray *items,
                        guint first, guint end, gboolean is_else)
{
    const DtRankSet *on = g_array_index(items, Item, first).on;
    Place inner = *place;
    inner.depth++;
    inner.within = on;
    if (is_else) {
        write_line(place, "} else {");
    } else {
        g_autofree char *condition = dt_condition(generating, on, place->within);
        g_autofree char *line = g_strdup_printf("if (%s) {", condition);
        write_line(place, line);
    }
    for (guint i = first; i < end; i++)
        write_item(generating, &inner, nodes, &g_array_index(items, Item, i));
}

static guint end_of_group(const GArray *items, guint first)
{
    guint end = first + 1;
    while (end < items->len && g_array_index(items, Item, end).on == g_array_index(items, Item, first).on)
        end++;
    return end;
}

/* The ranks of both are apart, and together all that come here. */
static gboolean is_other_part(const DtGenerating *generating, const Place *place, const DtRankSet *a,
                              const DtRankSet *b)
{
    return a != b && !dt_rank_sets_meet(a, b) && dt_rank_set_union(generating->skeleton->sets, a, b) == place->within;
}

static void write_nodes(DtGenerating *generating, Place *place, const GPtrArray *nodes)
{
    if (nodes->len > MOST_NODES && !has_init(generating, nodes, 0, nodes->len)) {
        write_parts(generating, place, nodes);
        return;
    }
    g_autoptr(GArray) items = items_of(generating, place, nodes);
    for (guint i = 0; i < items->len;) {
        const DtRankSet *on = g_array_index(items, Item, i).on;
        guint end = end_of_group(items, i);
        if (on == place->within) {
            for (; i < end; i++)
                write_item(generating, place, nodes, &g_array_index(items, Item, i));
            continue;
        }
        write_group(generating, place, nodes, items, i, end, FALSE);
        if (end < items->len && is_other_part(generating, place, on, g_array_index(items, Item, end).on)) {
            guint other = end_of_group(items, end);
            write_group(generating, place, nodes, items, end, other, TRUE);
            end = other;
        }
        write_line(place, "}");
        i = end;
    }
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static guint64 weight_of(const DtSkeletonNode *node)
{
    guint64 weight = 0;
    if (!dt_skeleton_node_is_loop(node))
        return 1;
    for (guint i = 0; i < node->children->len; i++)
        weight += weight_of(node->children->pdata[i]);
    return weight * (guint64)MAX(dt_field_largest(&g_array_index(node->fields, DtField, 0)), 1);
}

/* The outermost loop with most calls, if all ranks go round it equally often. */
static const DtSkeletonNode *find_main_loop(const DtGenerating *generating, const GPtrArray *nodes)
{
    const DtSkeletonNode *heaviest = NULL;
    gint64 times;
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        if (dt_skeleton_node_is_loop(node) && (!heaviest || weight_of(node) > weight_of(heaviest)))
            heaviest = node;
    }
    if (!heaviest || heaviest->on != dt_rank_set_all(generating->skeleton->sets) ||
        !dt_field_number(&g_array_index(heaviest->fields, DtField, 0), &times) || times < 2)
        return NULL;
    return heaviest;
}

static gboolean asks_last(const GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        if (dt_skeleton_node_is_loop(node) && asks_last(node->children))
            return TRUE;
        for (guint k = 0; k < node->fields->len; k++) {
            const DtField *field = &g_array_index(node->fields, DtField, k);
            if ((field->kind == DT_ARGUMENT_TO || field->kind == DT_ARGUMENT_FROM) &&
                dt_field_largest(field) >= DT_PEER_LAST)
                return TRUE;
        }
    }
    return FALSE;
}

/* Ranks that come to MPI_Finalize or to a call that did not return. */
static const DtRankSet *ended_ranks(const DtGenerating *generating, const GPtrArray *nodes)
{
    const DtSkeleton *skeleton = generating->skeleton;
    const DtRankSet *on = dt_rank_set_of(skeleton->sets, NULL, 0);
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        if (dt_skeleton_node_is_loop(node)) {
            on = dt_rank_set_union(skeleton->sets, on, ended_ranks(generating, node->children));
            continue;
        }
        const char *name = function_of(generating, node);
        const DtField *open = dt_field_find(node, DT_FIELD_OPEN, 0);
        if (g_str_equal(name, "MPI_Finalize") || g_str_equal(name, "MPI_Abort"))
            on = dt_rank_set_union(skeleton->sets, on, node->on);
        else if (open)
            on = dt_rank_set_union(skeleton->sets, on, dt_field_ranks(skeleton, open));
    }
    return on;
}

static gboolean check_start(const DtGenerating *generating, const GPtrArray *nodes, gboolean *has_start, GError **error)
{
    *has_start = FALSE;
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        gboolean is_loop = dt_skeleton_node_is_loop(node);
        if (!has_init(generating, nodes, i, 1))
            continue;
        if (is_loop || *has_start || node->on != dt_rank_set_all(generating->skeleton->sets)) {
            dt_set_error(error, DT_GENERATE_ERROR, DT_GENERATE_ERROR_START,
                         "MPI_Init is not called once by all ranks alike: no program can be generated");
            return FALSE;
        }
        *has_start = TRUE;
    }
    return TRUE;
}

static char *left_out_text(const DtGenerating *generating)
{
    g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(generating->left_out), (GCompareFunc)g_strcmp0);
    GString *text = g_string_new(NULL);
    for (const GList *at = names; at; at = at->next)
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", (const char *)at->data);
    return g_string_free(text, FALSE);
}

static void append_head(const DtGenerating *generating, GString *text, const char *name, gboolean computes)
{
    const DtSkeleton *skeleton = generating->skeleton;
    g_autofree char *left_out = left_out_text(generating);
    g_string_append_printf(text,
                           "/* How %s communicates on %u ranks, generated by difftrace from a recording of it.\n *\n",
                           name && !generating->options->anonymous ? name : "a program", skeleton->ranks);
    g_string_append_printf(
        text, " *     mpicc -O2 -o bench THIS.c\n *     mpirun -n %u ./bench [--size PERCENT]%s%s\n *\n",
        skeleton->ranks, generating->main_loop ? " [--steps N]" : "", computes ? " [--compute PERCENT]" : "");
    g_string_append(text, " * What is in the messages means nothing. --size: of the data");
    if (generating->main_loop)
        g_string_append(text, "; --steps: how often the main loop goes round");
    g_string_append(text, computes ? "; --compute: of the recorded time between calls.\n" : ".\n");
    if (*left_out)
        g_string_append_printf(text, " *\n * Not generated, though the program called them: %s\n", left_out);
    g_string_append(text, " */\n");
}

/* `helpers` do not ask for the rank's place. */
static void append_declarations(const DtGenerating *generating, GString *text, const char *own, const char *helpers,
                                gboolean computes)
{
    g_autofree char *program = g_strconcat(own, helpers, NULL);
    const DtSkeleton *skeleton = generating->skeleton;
    gint64 steps = 0;
    gboolean is_mesh = FALSE;
    g_string_append(text, "#include <mpi.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include "
                          "<string.h>\n");
    g_string_append_printf(text, "%s\nstatic int rank, size;\n", computes ? "#include <time.h>\n" : "");
    for (guint axis = 0; axis < skeleton->mesh.axes && dt_has_mesh(skeleton); axis++) {
        g_autofree char *name = g_strdup_printf("%c", "xyzt"[axis]), *extent = g_strdup_printf("%c", "XYZT"[axis]);
        if (dt_text_uses(own, name))
            g_string_append_printf(text, "static int %s; /* the rank's place in the mesh */\n", name);
        is_mesh = is_mesh || dt_text_uses(own, name) || dt_text_uses(program, extent);
    }
    for (guint axis = 0; axis < skeleton->mesh.axes && is_mesh; axis++)
        g_string_append_printf(text, "%s%c = %u%s", axis > 0 ? ", " : "enum { ", "XYZT"[axis],
                               skeleton -> mesh.size[axis], axis + 1 == skeleton->mesh.axes ? " };\n" : "");
    g_string_append(text, "static long size_percent = 100");
    if (computes)
        g_string_append(text, ", compute_percent = 100");
    if (generating->main_loop && dt_field_number(&g_array_index(generating->main_loop->fields, DtField, 0), &steps))
        g_string_append_printf(text, ", steps = %" G_GINT64_FORMAT, steps);
    g_string_append(text, ";\nstatic char *out, *in; /* data */\n");
    if (generating->uses_last)
        g_string_append(text, "static int last; /* who the latest message from anybody came from */\n");
    if (generating->options->any_source && generating->uses_last)
        g_string_append(text, "static MPI_Status status;\n");
    if (dt_text_uses(program, "no_request"))
        g_string_append(text, "static MPI_Request no_request;\n");
    if (strstr(program, "comm["))
        g_string_append_printf(text, "static MPI_Comm comm[%u];\n", generating->communicators->len);
}

static void append_rows(const DtGenerating *generating, GString *text)
{
    if (strstr(generating->data->str, "struct row"))
        g_string_append(
            text, "\n/* Values one after the other: \"5 7^3 0..9\" is 5 7 7 7 0 1 2 3 4 5 6 7 8 9, (1 2)^2 is 1 2 "
                  "1 2; \"0-3: 1; 4: 2\" are\n * those of ranks 0 to 3, and of 4. Behind the last one comes that "
                  "one again. */\nstruct row {\n    const char *text, *at, *value, *from[12];\n    long number, step, "
                  "left, rounds[12];\n    int depth;\n    char shown[24];\n};\n");
    g_string_append(text, generating->data->str);
}

static void append_options(const DtGenerating *generating, GString *text, gboolean computes)
{
    g_string_append(
        text, "static void read_options(int argc, char **argv)\n{\n    const struct {\n        const char *name;\n"
              "        long *value;\n    } options[] = {{\"--size\", &size_percent}");
    if (generating->main_loop)
        g_string_append(text, ", {\"--steps\", &steps}");
    if (computes)
        g_string_append(text, ", {\"--compute\", &compute_percent}");
    g_string_append_printf(
        text,
        "};\n    const int count = (int)(sizeof options / sizeof *options);\n"
        "    for (int i = 1; i < argc; i += 2) {\n        int k = 0;\n        char *end = argv[i];\n"
        "        while (k < count && strcmp(argv[i], options[k].name) != 0)\n            k++;\n"
        "        if (k < count && i + 1 < argc)\n            *options[k].value = strtol(argv[i + 1], &end, 10);\n"
        "        end += end != argv[i] && *end == '%%';\n"
        "        if (end == argv[i] || *end || *options[k].value < 0 || *options[k].value > 1000000000) {\n"
        "            if (rank == 0)\n"
        "                fprintf(stderr, \"%%s: what is possible: --size PERCENT%s%s\\n\", argv[i]);\n"
        "            MPI_Finalize();\n            exit(2);\n        }\n    }\n}\n\n",
        generating->main_loop ? ", --steps N" : "", computes ? ", --compute PERCENT" : "");
}

static void append_begin(const DtGenerating *generating, GString *text, const char *program)
{
    const DtSkeleton *skeleton = generating->skeleton;
    g_string_append_printf(
        text,
        "static void begin(int argc, char **argv)\n{\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "    MPI_Comm_size(MPI_COMM_WORLD, &size);\n    if (size != %u) {\n        if (rank == 0)\n"
        "            fprintf(stderr, \"this program is of %u ranks, and %%d were started\\n\", size);\n"
        "        MPI_Finalize();\n        exit(2);\n    }\n    read_options(argc, argv);\n",
        skeleton->ranks, skeleton->ranks);
    g_autofree char *rest = g_strdup("rank");
    for (guint axis = skeleton->mesh.axes; axis-- > 0 && dt_has_mesh(skeleton);) {
        g_autofree char *name = g_strdup_printf("%c", "xyzt"[axis]);
        char extent = "XYZT"[axis];
        if (dt_text_uses(program, name))
            g_string_append_printf(text, axis > 0 ? "    %s = %s %% %c;\n" : "    %s = %s;\n", name, rest, extent);
        char *more = g_strdup_printf("%s / %c", rest, extent);
        g_free(rest);
        rest = more;
    }
    g_string_append_printf(
        text,
        "    size_t room = (size_t)%" G_GUINT64_FORMAT " * (size_t)(size_percent > 100 ? size_percent : "
        "100) / 100 + 64;\n    out = calloc(room, 1);\n    in = calloc(room, 1);\n    if (!out || !in) {\n"
        "        fprintf(stderr, \"rank %%d: no memory for 2 x %%zu bytes\\n\", rank, room);\n"
        "        MPI_Abort(MPI_COMM_WORLD, 2);\n    }\n",
        generating->bytes);
    if (strstr(program, "comm["))
        g_string_append(text, "    comm[0] = MPI_COMM_WORLD;\n    comm[1] = MPI_COMM_SELF;\n");
    if (strstr(program, "send(") && (strstr(program, "MPI_Bsend") || strstr(program, "MPI_Ibsend")))
        g_string_append(text, "    attach_buffer();\n");
    g_string_append_printf(text, "%s}\n\n", generating->set_up->str);
}

/* main() has argc and argv, which MPI_Init wants. */
static void write_after_start(DtGenerating *generating, Place *place, const GPtrArray *nodes)
{
    guint start = 0;
    while (start < nodes->len && !has_init(generating, nodes, start, 1))
        start++;
    g_autoptr(GPtrArray) first = g_ptr_array_new(), rest = g_ptr_array_new();
    for (guint i = 0; i < nodes->len; i++)
        g_ptr_array_add(start < nodes->len && i <= start ? first : rest, nodes->pdata[i]);
    write_nodes(generating, place, first);
    write_nodes(generating, place, rest);
}

/* The statements of main(). */
static char *main_text(DtGenerating *generating, const GPtrArray *nodes, gboolean has_start)
{
    const DtSkeleton *skeleton = generating->skeleton;
    const DtRankSet *all = dt_rank_set_all(skeleton->sets);
    Place place = {.text = g_string_new(NULL), .depth = 1, .within = all};
    for (guint i = 0; i < nodes->len && !place.frame; i++)
        if (has_init(generating, nodes, i, 1))
            place.frame = frame_of_call(nodes->pdata[i]);
    const DtRankSet *ended = ended_ranks(generating, nodes);
    if (!has_start)
        g_string_append(place.text, "    MPI_Init(&argc, &argv);\n    begin(argc, argv);\n");
    write_after_start(generating, &place, nodes);
    if (!has_start && dt_rank_set_count(ended) == 0) {
        write_line(&place, "MPI_Finalize();");
    } else if (ended != all) {
        g_autofree char *condition =
            dt_rank_set_count(ended) > 0 ? dt_condition(generating, ended, all) : g_strdup("false");
        g_string_append_printf(place.text, "    if (!(%s))\n        stay(); // no call of MPI came behind that\n",
                               condition);
    }
    return g_string_free(place.text, FALSE);
}

static char *program_text(DtGenerating *generating, const char *name, const GPtrArray *nodes, gboolean has_start)
{
    g_autofree char *statements = main_text(generating, nodes, has_start);
    g_autofree char *program = g_strconcat(generating->functions->str, statements, NULL);
    gboolean computes = strstr(program, "compute(") != NULL;
    g_autoptr(GString) begin = g_string_new(NULL);
    append_begin(generating, begin, program);
    g_autofree char *all = g_strconcat(begin->str, program, NULL);
    g_autofree char *helpers = dt_helpers_text(generating, all);
    GString *text = g_string_new(NULL);
    append_head(generating, text, name, computes);
    append_declarations(generating, text, program, helpers, computes);
    append_rows(generating, text);
    g_string_append_printf(text, "\n%s", helpers);
    append_options(generating, text, computes);
    g_string_append_printf(text, "%s%sint main(int argc, char **argv)\n{\n%s    return 0;\n}\n", begin->str,
                           generating->functions->str, statements);
    return g_string_free(text, FALSE);
}

static void begin_generating(DtGenerating *generating, const GPtrArray *nodes)
{
    generating->data = g_string_new(NULL);
    generating->set_up = g_string_new(NULL);
    generating->functions = g_string_new(NULL);
    generating->sets = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    generating->bodies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    generating->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    generating->left_out = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    generating->communicators = g_ptr_array_new_with_free_func(g_free);
    generating->few_requests = dt_uses_few_requests(generating->skeleton);
    generating->main_loop = find_main_loop(generating, nodes);
    generating->uses_last = asks_last(nodes);
    generating->compute_seconds = dt_compute_seconds(nodes);
    dt_find_children(generating);
}

static void end_generating(DtGenerating *generating)
{
    g_string_free(generating->data, TRUE);
    g_string_free(generating->set_up, TRUE);
    g_string_free(generating->functions, TRUE);
    g_hash_table_unref(generating->sets);
    g_hash_table_unref(generating->bodies);
    g_hash_table_unref(generating->numbers);
    g_hash_table_unref(generating->left_out);
    g_hash_table_unref(generating->children);
    g_ptr_array_unref(generating->communicators);
}

static GPtrArray *sorted_names(const DtGenerating *generating)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GList) sorted = g_list_sort(g_hash_table_get_keys(generating->left_out), (GCompareFunc)g_strcmp0);
    for (const GList *at = sorted; at; at = at->next)
        g_ptr_array_add(names, g_strdup(at->data));
    return names;
}

DtGenerated *dt_generate(const DtSkeleton *skeleton, const char *name, const DtGenerateOptions *options, GError **error)
{
    DtGenerating generating = {.skeleton = skeleton, .options = options};
    gboolean has_start;
    for (guint i = 0; i < skeleton->threads->len; i++) {
        const DtSkeletonThread *thread = skeleton->threads->pdata[i];
        if (thread->number == 0)
            continue;
        dt_set_error(error, DT_GENERATE_ERROR, DT_GENERATE_ERROR_THREADS,
                     "thread %u communicates: programs with one thread a rank can be generated", thread->number);
        return NULL;
    }
    const GPtrArray *nodes = ((const DtSkeletonThread *)skeleton->threads->pdata[0])->nodes;
    if (!check_start(&generating, nodes, &has_start, error))
        return NULL;
    begin_generating(&generating, nodes);
    DtGenerated *generated = g_new0(DtGenerated, 1);
    generated->text = program_text(&generating, name, nodes, has_start);
    generated->left_out = sorted_names(&generating);
    end_generating(&generating);
    return generated;
}

void dt_generated_free(DtGenerated *generated)
{
    if (!generated)
        return;
    g_free(generated->text);
    g_ptr_array_unref(generated->left_out);
    g_free(generated);
}
