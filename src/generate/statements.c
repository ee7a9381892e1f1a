/* A call as a statement: its arguments in MPI's order, each by a word. */
#include <string.h>

#include "format/arguments.h"
#include "generate/generating.h"
#include "skeleton/fields.h"

/* A word of a template, and what writes it. */
typedef char *(*WriteArgument)(DtStatement *statement);

/* ---- data --------------------------------------------------------------------------------------- */

static const DtField *data_field(const DtStatement *statement, guint place, gboolean size)
{
    static const guint kinds[] = {DT_FIELD_COUNT, DT_FIELD_COUNT, DT_FIELD_OTHER_COUNT};
    const DtField *field = dt_field_find(statement->node, kinds[place] + (size ? 1 : 0), place == 1 ? 1 : 0);
    return field || place == 0 ? field : data_field(statement, 0, size);
}

static char *count_text(DtStatement *statement, guint place)
{
    const DtField *field = data_field(statement, place, FALSE);
    const DtField *own = place > 0 && field == data_field(statement, 0, FALSE) ? field : NULL;
    if (own)
        place = 0;
    if (statement->count[place])
        return g_strdup(statement->count[place]);
    char *number = dt_number_text(statement, field, "0");
    if (!number || (field && dt_field_largest(field) > G_MAXINT))
        statement->is_possible = FALSE;
    if (number && !g_str_equal(number, "0")) {
        char *scaled = number[0] == '(' ? g_strdup_printf("scaled%s", number) : g_strdup_printf("scaled(%s)", number);
        g_free(number);
        number = scaled;
    }
    statement->count[place] = dt_once(statement, "const int ", place == 2 ? "other_count" : "count", number);
    return g_strdup(statement->count[place]);
}

static char *operation_word(const DtStatement *statement)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    const DtField *field = dt_field_find(statement->node, DT_ARGUMENT_OPERATION, 0);
    if (!field)
        return NULL;
    const DtRow *row = g_array_index(field->pieces, DtPiece, 0).row;
    if (field->pieces->len != 1 || row->length != 1 || row->part[0].inner || !dt_value_is_atom(row->part[0].first))
        return g_strdup("unknown");
    return g_strdup(dt_atoms_text(skeleton->atoms, row->part[0].first));
}

/* A datatype of that size which the operation takes; NULL: there is none. */
static const char *operand(gint64 bytes, const char *operation)
{
    if (g_str_has_suffix(operation, "loc"))
        return bytes == 8    ? "MPI_2INT"
               : bytes == 12 ? "MPI_DOUBLE_INT"
               : bytes == 6  ? "MPI_SHORT_INT"
               : bytes == 16 ? "MPI_2DOUBLE_PRECISION"
               : bytes == 20 ? "MPI_LONG_DOUBLE_INT"
                             : NULL;
    gboolean logical = g_str_has_prefix(operation, "l") || g_str_has_prefix(operation, "b");
    return bytes == 1              ? "MPI_SIGNED_CHAR"
           : bytes == 2            ? "MPI_SHORT"
           : bytes == 4            ? "MPI_INT"
           : bytes == 8 && logical ? "MPI_LONG_LONG"
           : bytes == 8            ? "MPI_DOUBLE"
           : bytes == 16           ? "MPI_LONG_DOUBLE"
                                   : NULL;
}

static gboolean is_predefined(const char *operation)
{
    return operation && !g_str_has_prefix(operation, "own_operation") && !g_str_has_prefix(operation, "operation") &&
           dt_word_is_operation(operation);
}

static char *type_of_bytes(const DtStatement *statement, gint64 bytes)
{
    g_autofree char *operation = operation_word(statement);
    if (is_predefined(operation) && operand(bytes, operation))
        return g_strdup(operand(bytes, operation));
    return bytes == 1   ? g_strdup("MPI_BYTE")
           : bytes == 4 ? g_strdup("MPI_INT")
           : bytes == 8 ? g_strdup("MPI_DOUBLE")
                        : g_strdup_printf("bytes(%" G_GINT64_FORMAT ")", bytes);
}

/* The one size of all data; where they are in place they have none. FALSE: there are several. */
static gboolean single_size(const DtSkeleton *skeleton, const DtField *count, const DtField *size, gint64 *bytes)
{
    const DtRankSet *in_place = dt_field_ranks_of_word(skeleton, count, "in_place");
    gboolean is_known = FALSE;
    *bytes = 1;
    for (guint i = 0; i < size->pieces->len; i++) {
        const DtPiece *piece = &g_array_index(size->pieces, DtPiece, i);
        DtValue value = piece->row->part[0].first;
        if (dt_rank_set_is_within(piece->on, in_place))
            continue;
        if (piece->row->length != 1 || piece->row->part[0].inner || dt_value_is_atom(value) ||
            (is_known && value != *bytes))
            return FALSE;
        *bytes = value;
        is_known = TRUE;
    }
    return TRUE;
}

static char *type_text(DtStatement *statement, guint place)
{
    const DtField *size = data_field(statement, place, TRUE), *count = data_field(statement, place, FALSE);
    gint64 bytes = 1;
    if (place > 0 && size == data_field(statement, 0, TRUE))
        place = 0;
    if (statement->type[place])
        return g_strdup(statement->type[place]);
    if (!size || single_size(statement->generating->skeleton, count, size, &bytes)) {
        statement->type[place] = type_of_bytes(statement, bytes);
    } else {
        g_autofree char *number = dt_number_text(statement, size, "1");
        statement->type[place] = dt_once(statement, "MPI_Datatype ", place == 2 ? "other_type" : "type",
                                         g_strdup_printf("bytes(%s)", number ? number : "1"));
    }
    return g_strdup(statement->type[place]);
}

static char *write_count(DtStatement *statement)
{
    return count_text(statement, 0);
}

static char *write_second_count(DtStatement *statement)
{
    return count_text(statement, 1);
}

static char *write_other_count(DtStatement *statement)
{
    return count_text(statement, 2);
}

static char *write_type(DtStatement *statement)
{
    return type_text(statement, 0);
}

static char *write_second_type(DtStatement *statement)
{
    return type_text(statement, 1);
}

static char *write_other_type(DtStatement *statement)
{
    return type_text(statement, 2);
}

static char *write_out(DtStatement *statement)
{
    (void)statement;
    return g_strdup("out");
}

static char *write_in(DtStatement *statement)
{
    (void)statement;
    return g_strdup("in");
}

/* MPI_IN_PLACE where the field says so. */
static char *or_in_place(DtStatement *statement, const DtField *field, const char *memory)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    const DtRankSet *in_place = dt_field_ranks_of_word(skeleton, field, "in_place");
    if (dt_rank_set_count(in_place) == 0)
        return g_strdup(memory);
    if (in_place == statement->node->on)
        return g_strdup("MPI_IN_PLACE");
    g_autofree char *condition = dt_condition(statement->generating, in_place, statement->node->on);
    return g_strdup_printf("%s ? MPI_IN_PLACE : %s", condition, memory);
}

static char *write_out_of_other(DtStatement *statement)
{
    return or_in_place(statement, dt_field_find(statement->node, DT_FIELD_OTHER_COUNT, 0), "out");
}

static char *write_out_of_data(DtStatement *statement)
{
    return or_in_place(statement, dt_field_find(statement->node, DT_FIELD_COUNT, 0), "out");
}

static char *write_in_of_data(DtStatement *statement)
{
    return or_in_place(statement, dt_field_find(statement->node, DT_FIELD_COUNT, 0), "in");
}

static char *write_out_of_counts(DtStatement *statement)
{
    return or_in_place(statement, dt_field_find(statement->node, DT_ARGUMENT_COUNTS, 0), "out");
}

/* ---- counts of members --------------------------------------------------------------------------- */

static const char *list_text(DtStatement *statement, guint which)
{
    if (!statement->list[which])
        statement->list[which] =
            dt_once(statement, "const char *", which == 0 ? "list" : "other_list",
                    dt_string_text(statement, dt_field_find(statement->node, DT_ARGUMENT_COUNTS, which)));
    return statement->list[which];
}

static char *element_type(DtStatement *statement, guint which)
{
    gint64 bytes = 1;
    const DtField *field = dt_field_find(statement->node, DT_ARGUMENT_ELEMENT, which);
    if (!field || dt_field_number(field, &bytes))
        return type_of_bytes(statement, bytes);
    g_autofree char *number = dt_number_text(statement, field, "1");
    return g_strdup_printf("bytes(%s)", number ? number : "1");
}

static char *write_counts(DtStatement *statement)
{
    return g_strdup_printf("counts(%s)", list_text(statement, 0));
}

static char *write_places(DtStatement *statement)
{
    return g_strdup_printf("places(%s)", list_text(statement, 0));
}

static char *write_element(DtStatement *statement)
{
    return element_type(statement, 0);
}

static char *write_second_counts(DtStatement *statement)
{
    return g_strdup_printf("counts(%s)", list_text(statement, 1));
}

static char *write_second_places(DtStatement *statement)
{
    return g_strdup_printf("places(%s)", list_text(statement, 1));
}

static char *write_second_element(DtStatement *statement)
{
    return element_type(statement, 1);
}

/* ---- peers, tags, communicators ------------------------------------------------------------------- */

static char *number_or_fail(DtStatement *statement, guint kind, guint which, const char *otherwise)
{
    char *text = dt_number_text(statement, dt_field_find(statement->node, kind, which), otherwise);
    if (!text)
        statement->is_possible = FALSE;
    return text ? text : g_strdup("0");
}

static char *write_to(DtStatement *statement)
{
    return dt_peer_text(statement, dt_field_find(statement->node, DT_ARGUMENT_TO, 0));
}

/* What a receive from anybody got; NULL: it is none, or it asks for anybody here, too. */
static const DtField *got_field(const DtStatement *statement, guint kind)
{
    const DtField *got = dt_field_find(statement->node, kind, 0);
    return statement->generating->options->any_source ? NULL : got;
}

static char *write_from(DtStatement *statement)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    const DtField *from = dt_field_find(statement->node, DT_ARGUMENT_FROM, 0);
    const DtField *got = got_field(statement, DT_FIELD_SOURCE);
    if (!got)
        return dt_peer_text(statement, from);
    char *source = dt_peer_text(statement, got);
    const DtRankSet *known = dt_field_ranks(skeleton, got);
    if (known != statement->node->on) {
        g_autofree char *condition = dt_condition(statement->generating, known, statement->node->on);
        g_autofree char *asked = dt_peer_text(statement, from);
        char *both = g_strdup_printf("(%s ? %s : %s)", condition, source, asked);
        g_free(source);
        source = both;
    }
    if (!statement->generating->uses_last)
        return source;
    char *kept = g_strdup_printf("last = %s", source);
    g_free(source);
    return kept;
}

static char *write_looked_for(DtStatement *statement)
{
    const DtField *got = got_field(statement, DT_FIELD_SOURCE);
    const char *name = statement->generating->skeleton->functions->pdata[statement->node->function];
    if (got && statement->generating->uses_last && g_str_equal(name, "MPI_Probe")) {
        g_autofree char *source = dt_peer_text(statement, got);
        g_string_append_printf(statement->after, "last = %s;\n", source);
    }
    return dt_peer_text(statement, dt_field_find(statement->node, DT_ARGUMENT_FROM, 0));
}

static char *write_tag(DtStatement *statement)
{
    return number_or_fail(statement, DT_ARGUMENT_TAG, 0, "MPI_ANY_TAG");
}

static char *received_tag(DtStatement *statement, guint which)
{
    const DtField *got = got_field(statement, DT_FIELD_GOT_TAG);
    g_autofree char *asked = number_or_fail(statement, DT_ARGUMENT_TAG, which, "MPI_ANY_TAG");
    char *text = got ? dt_number_text(statement, got, asked) : NULL;
    return text ? text : g_strdup(asked);
}

static char *write_received_tag(DtStatement *statement)
{
    return received_tag(statement, 0);
}

static char *write_second_tag(DtStatement *statement)
{
    return received_tag(statement, 1);
}

static char *write_communicator(DtStatement *statement)
{
    return g_strdup(dt_communicator_text(statement));
}

static char *write_communicator_freed(DtStatement *statement)
{
    const char *text = dt_communicator_text(statement);
    if (!g_str_has_prefix(text, "comm["))
        statement->is_possible = FALSE;
    return g_strdup_printf("&%s", text);
}

static char *write_child(DtStatement *statement)
{
    return dt_child_text(statement);
}

static char *write_root(DtStatement *statement)
{
    return number_or_fail(statement, DT_ARGUMENT_ROOT, 0, "MPI_PROC_NULL");
}

static char *write_operation(DtStatement *statement)
{
    g_autofree char *word = operation_word(statement);
    gint64 bytes = 1;
    const DtField *size = data_field(statement, 0, TRUE);
    if (!size)
        size = dt_field_find(statement->node, DT_ARGUMENT_ELEMENT, 0);
    if (!word || g_str_equal(word, "unknown"))
        statement->is_possible = FALSE;
    if (is_predefined(word) && (!size || dt_field_number(size, &bytes)) && operand(bytes, word)) {
        g_autofree char *upper = g_ascii_strup(word, -1);
        return g_strdup_printf("MPI_%s", upper);
    }
    return g_strdup_printf("own_operation(\"%s\")", word ? word : "");
}

static char *write_color(DtStatement *statement)
{
    return number_or_fail(statement, DT_ARGUMENT_COLOR, 0, "MPI_UNDEFINED");
}

/* Its number is another one in each MPI; there is one kind. */
static char *write_kind_of_split(DtStatement *statement)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    const DtField *color = dt_field_find(statement->node, DT_ARGUMENT_COLOR, 0);
    const DtRankSet *none = dt_field_ranks_of_word(skeleton, color, "undefined");
    if (!color || dt_rank_set_count(none) == 0)
        return g_strdup("MPI_COMM_TYPE_SHARED");
    g_autofree char *condition =
        none == statement->node->on ? g_strdup("true") : dt_condition(statement->generating, none, statement->node->on);
    return g_strdup_printf("%s ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED", condition);
}

static char *write_key(DtStatement *statement)
{
    char *text = dt_key_text(statement, dt_field_find(statement->node, DT_ARGUMENT_KEY, 0));
    if (!text)
        statement->is_possible = FALSE;
    return text ? text : g_strdup("0");
}

static char *write_info(DtStatement *statement)
{
    (void)statement;
    return g_strdup("MPI_INFO_NULL");
}

static char *write_zero(DtStatement *statement)
{
    (void)statement;
    return g_strdup("0");
}

static char *write_group(DtStatement *statement)
{
    g_autofree char *list = dt_string_text(statement, dt_field_find(statement->node, DT_ARGUMENT_GROUP, 0));
    return g_strdup_printf("group_of(%s)", list);
}

/* A list that is the same to all, as an array: "(const int[]){4, 4}". `numbers` counts them. */
static char *array_text(DtStatement *statement, guint kind, guint *numbers)
{
    const DtField *field = dt_field_find(statement->node, kind, 0);
    const DtRow *row = field ? g_array_index(field->pieces, DtPiece, 0).row : NULL;
    g_autoptr(GString) text = g_string_new("(const int[]){");
    *numbers = 0;
    if (!field || field->pieces->len != 1 || row->length != 1 || row->part[0].inner) {
        statement->is_possible = FALSE;
        return g_strdup("NULL");
    }
    DtValue value = row->part[0].first;
    g_autofree char *list = dt_value_is_atom(value)
                                ? g_strdup(dt_atoms_text(statement->generating->skeleton->atoms, value))
                                : g_strdup_printf("<%" G_GINT64_FORMAT ">", value);
    for (char *at = list + 1; g_ascii_isdigit(*at) || *at == '-';) {
        char *end;
        gint64 first = g_ascii_strtoll(at, &end, 10), last = first, times = 1;
        if (*end == '-')
            last = g_ascii_strtoll(end + 1, &end, 10);
        if (*end == '^')
            times = g_ascii_strtoll(end + 1, &end, 10);
        for (gint64 time = 0; time < MIN(times, 1024); time++)
            for (gint64 number = first; number <= last && *numbers < 65536; number++)
                g_string_append_printf(text, "%s%" G_GINT64_FORMAT, (*numbers)++ > 0 ? ", " : "", number);
        at = end + (*end == ' ');
    }
    if (*list != '<' || *numbers == 0)
        statement->is_possible = FALSE;
    return g_strdup_printf("%s}", text->str);
}

static char *array_of(DtStatement *statement, guint kind)
{
    guint numbers;
    return array_text(statement, kind, &numbers);
}

/* Lists by rank of neighbours, less the own rank. */
static char *write_graph(DtStatement *statement, gboolean adjacent)
{
    const DtSkeletonNode *node = statement->node;
    g_autofree char *one = dt_string_text(statement, dt_field_find(node, DT_ARGUMENT_NEIGHBOURS, 0));
    g_autofree char *other = dt_string_text(statement, dt_field_find(node, DT_ARGUMENT_NEIGHBOURS, 1));
    g_autofree char *degrees = dt_string_text(statement, dt_field_find(node, DT_ARGUMENT_DEGREES, 0));
    g_autofree char *child = dt_child_text(statement);
    const char *comm = dt_communicator_text(statement);
    return adjacent ? g_strdup_printf("create_adjacent_graph(%s, %s, %s, %s)", comm, one, other, child)
                    : g_strdup_printf("create_graph(%s, %s, %s, %s, %s)", comm, one, degrees, other, child);
}

static char *write_axes(DtStatement *statement)
{
    guint numbers;
    g_free(array_text(statement, DT_ARGUMENT_DIMENSIONS, &numbers));
    return g_strdup_printf("%u", numbers);
}

static char *write_dimensions(DtStatement *statement)
{
    return array_of(statement, DT_ARGUMENT_DIMENSIONS);
}

static char *write_periods(DtStatement *statement)
{
    return array_of(statement, DT_ARGUMENT_PERIODS);
}

static char *write_kept(DtStatement *statement)
{
    return array_of(statement, DT_ARGUMENT_KEPT);
}

static char *write_nodes(DtStatement *statement)
{
    guint numbers;
    g_free(array_text(statement, DT_ARGUMENT_GRAPH_INDEX, &numbers));
    return g_strdup_printf("%u", numbers);
}

static char *write_index(DtStatement *statement)
{
    return array_of(statement, DT_ARGUMENT_GRAPH_INDEX);
}

static char *write_edges(DtStatement *statement)
{
    return array_of(statement, DT_ARGUMENT_GRAPH_EDGES);
}

/* ---- statuses and requests ------------------------------------------------------------------------ */

static char *write_status(DtStatement *statement)
{
    const DtGenerating *generating = statement->generating;
    const DtField *from = dt_field_find(statement->node, DT_ARGUMENT_FROM, 0);
    if (!generating->options->any_source || !generating->uses_last ||
        dt_rank_set_count(dt_field_ranks_of_word(generating->skeleton, from, "any")) == 0)
        return g_strdup("MPI_STATUS_IGNORE");
    g_string_append(statement->after, "last = status.MPI_SOURCE;\n");
    return g_strdup("&status");
}

/* Where ranks that the outcome speaks of make none. */
static char *unless(DtStatement *statement, guint kind, const char *text)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    const DtField *field = dt_field_find(statement->node, kind, 0);
    if (!field)
        return g_strdup(text);
    const DtRankSet *none = dt_field_ranks(skeleton, field);
    if (none == statement->node->on)
        return g_strdup("&no_request");
    g_autofree char *condition = dt_condition(statement->generating, none, statement->node->on);
    return g_strdup_printf("%s ? &no_request : %s", condition, text);
}

static char *request_text(DtStatement *statement, const char *text)
{
    guint kind = dt_field_find(statement->node, DT_FIELD_NOT_MADE, 0) ? DT_FIELD_NOT_MADE : DT_FIELD_FAILED;
    return unless(statement, kind, text);
}

static char *write_request(DtStatement *statement)
{
    return request_text(statement, "new_request()");
}

static char *write_persistent_request(DtStatement *statement)
{
    return request_text(statement, "new_persistent_request()");
}

static char *live_text(DtStatement *statement)
{
    return dt_string_text(statement, dt_field_find(statement->node, DT_ARGUMENT_LIVE, 0));
}

/* `how`: of the helper, NULL: a function of its own. */
static char *completion_text(DtStatement *statement, const char *function, gboolean has_total, const char *how)
{
    g_autofree char *live = live_text(statement);
    g_autofree char *total = number_or_fail(statement, DT_ARGUMENT_REQUESTS, 0, "0");
    g_autofree char *done =
        how ? dt_string_text(statement, dt_field_find(statement->node, DT_FIELD_COMPLETED, 0)) : NULL;
    if (how)
        return g_strdup_printf("%s(%s, %s, %s, %s)", function, how, live, has_total ? total : "1", done);
    return has_total ? g_strdup_printf("%s(%s, %s)", function, live, total) : g_strdup_printf("%s(%s)", function, live);
}

/* All values of the field are that word, or without one 0. */
static gboolean is_always(const DtSkeleton *skeleton, const DtField *field, const char *word)
{
    for (guint i = 0; field && i < field->pieces->len; i++) {
        const DtRow *row = g_array_index(field->pieces, DtPiece, i).row;
        if (row->length != 1 || row->part[0].inner || (!word && row->part[0].first != 0))
            return FALSE;
    }
    return field && (!word || dt_field_is_word(skeleton, field, word));
}

static gboolean are_few(const DtSkeleton *skeleton, const GPtrArray *nodes)
{
    static const char *const others[] = {"MPI_Waitany", "MPI_Waitsome", "MPI_Test",  "MPI_Testall",
                                         "MPI_Testany", "MPI_Testsome", "MPI_Start", "MPI_Request_free",
                                         "MPI_Cancel",  "MPI_Startall"};
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        if (dt_skeleton_node_is_loop(node)) {
            if (!are_few(skeleton, node->children))
                return FALSE;
            continue;
        }
        const char *name = skeleton->functions->pdata[node->function];
        const DtField *live = dt_field_find(node, DT_ARGUMENT_LIVE, 0);
        for (guint k = 0; k < G_N_ELEMENTS(others); k++)
            if (g_str_equal(name, others[k]))
                return FALSE;
        if ((g_str_equal(name, "MPI_Wait") && !is_always(skeleton, live, NULL)) ||
            (g_str_equal(name, "MPI_Waitall") &&
             (!is_always(skeleton, live, "all") || dt_field_find(node, DT_ARGUMENT_REQUESTS, 0))))
            return FALSE;
    }
    return TRUE;
}

gboolean dt_uses_few_requests(const DtSkeleton *skeleton)
{
    for (guint i = 0; i < skeleton->threads->len; i++)
        if (!are_few(skeleton, ((const DtSkeletonThread *)skeleton->threads->pdata[i])->nodes))
            return FALSE;
    return TRUE;
}

static char *requests_statement(DtStatement *statement, const char *name)
{
    static const struct {
        const char *name, *function;
        gboolean has_total;
        const char *how;
    } known[] = {{"Wait", "wait_one", FALSE, NULL},        {"Waitall", "wait_all", TRUE, NULL},
                 {"Waitany", "complete", TRUE, "WAITANY"}, {"Waitsome", "complete", TRUE, "WAITSOME"},
                 {"Test", "complete", FALSE, "TEST"},      {"Testall", "complete", TRUE, "TESTALL"},
                 {"Testany", "complete", TRUE, "TESTANY"}, {"Testsome", "complete", TRUE, "TESTSOME"},
                 {"Start", "start_one", FALSE, NULL},      {"Startall", "start_all", TRUE, NULL},
                 {"Cancel", "cancel", FALSE, NULL},        {"Request_free", "free_request", FALSE, NULL}};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_str_equal(name, known[i].name)) {
            if (statement->generating->few_requests)
                return g_strdup(known[i].has_total ? "wait_all()" : "wait_oldest()");
            return completion_text(statement, known[i].function, known[i].has_total, known[i].how);
        }
    return NULL;
}

/* ---- the calls ------------------------------------------------------------------------------------ */

static const struct {
    const char *word;
    WriteArgument write;
} words[] = {{"out", write_out},
             {"in", write_in},
             {"out/other", write_out_of_other},
             {"out/data", write_out_of_data},
             {"in/data", write_in_of_data},
             {"out/counts", write_out_of_counts},
             {"count", write_count},
             {"type", write_type},
             {"count2", write_second_count},
             {"type2", write_second_type},
             {"other-count", write_other_count},
             {"other-type", write_other_type},
             {"counts", write_counts},
             {"places", write_places},
             {"element", write_element},
             {"counts2", write_second_counts},
             {"places2", write_second_places},
             {"element2", write_second_element},
             {"to", write_to},
             {"from", write_from},
             {"looked-for", write_looked_for},
             {"tag", write_tag},
             {"received-tag", write_received_tag},
             {"tag2", write_second_tag},
             {"comm", write_communicator},
             {"&comm", write_communicator_freed},
             {"child", write_child},
             {"root", write_root},
             {"op", write_operation},
             {"color", write_color},
             {"split", write_kind_of_split},
             {"key", write_key},
             {"info", write_info},
             {"0", write_zero},
             {"group", write_group},
             {"axes", write_axes},
             {"dimensions", write_dimensions},
             {"periods", write_periods},
             {"kept", write_kept},
             {"nodes", write_nodes},
             {"index", write_index},
             {"edges", write_edges},
             {"status", write_status},
             {"request", write_request},
             {"persistent-request", write_persistent_request}};

#define MESSAGE      "out count type to tag comm"
#define RECEIVED     "in count type from received-tag comm"
#define OTHER_TO_OWN "out/other other-count other-type in count type comm"

/* `alone`: it has no form with a request. */
static const struct {
    const char *name, *arguments;
    gboolean alone;
} calls[] = {{"Send", MESSAGE, FALSE},
             {"Ssend", MESSAGE, FALSE},
             {"Rsend", MESSAGE, FALSE},
             {"Bsend", MESSAGE, FALSE},
             {"Send_init", MESSAGE " persistent-request", TRUE},
             {"Ssend_init", MESSAGE " persistent-request", TRUE},
             {"Rsend_init", MESSAGE " persistent-request", TRUE},
             {"Bsend_init", MESSAGE " persistent-request", TRUE},
             {"Recv", RECEIVED " status", TRUE},
             {"Irecv", RECEIVED " request", TRUE},
             {"Recv_init", RECEIVED " persistent-request", TRUE},
             {"Sendrecv", "out count type to tag in count2 type2 from tag2 comm status", TRUE},
             {"Sendrecv_replace", "out count type to tag from tag2 comm status", TRUE},
             {"Probe", "looked-for tag comm status", TRUE},
             {"Barrier", "comm", FALSE},
             {"Bcast", "out count type root comm", FALSE},
             {"Reduce", "out in count type op root comm", FALSE},
             {"Allreduce", "out in count type op comm", FALSE},
             {"Scan", "out in count type op comm", FALSE},
             {"Exscan", "out in count type op comm", FALSE},
             {"Reduce_scatter_block", "out in count type op comm", FALSE},
             {"Reduce_scatter", "out in counts element op comm", FALSE},
             {"Allgather", OTHER_TO_OWN, FALSE},
             {"Alltoall", OTHER_TO_OWN, FALSE},
             {"Neighbor_allgather", OTHER_TO_OWN, FALSE},
             {"Neighbor_alltoall", OTHER_TO_OWN, FALSE},
             {"Gather", "out/data count type in other-count other-type root comm", FALSE},
             {"Scatter", "out other-count other-type in/data count type root comm", FALSE},
             {"Gatherv", "out/data count type in counts places element root comm", FALSE},
             {"Scatterv", "out counts places element in/data count type root comm", FALSE},
             {"Allgatherv", "out/data count type in counts places element comm", FALSE},
             {"Neighbor_allgatherv", "out count type in counts places element comm", FALSE},
             {"Alltoallv", "out/counts counts places element in counts2 places2 element2 comm", FALSE},
             {"Neighbor_alltoallv", "out counts places element in counts2 places2 element2 comm", FALSE},
             {"Comm_dup", "comm child", TRUE},
             {"Comm_dup_with_info", "comm info child", TRUE},
             {"Comm_idup", "comm child request", TRUE},
             {"Comm_split", "comm color key child", TRUE},
             {"Comm_split_type", "comm split key info child", TRUE},
             {"Comm_create", "comm group child", TRUE},
             {"Comm_create_group", "comm group tag child", TRUE},
             {"Comm_free", "&comm", TRUE},
             {"Comm_disconnect", "&comm", TRUE},
             {"Cart_create", "comm axes dimensions periods 0 child", TRUE},
             {"Cart_sub", "comm kept child", TRUE},
             {"Graph_create", "comm nodes index edges 0 child", TRUE}};

static char *argument_text(DtStatement *statement, const char *word)
{
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (g_str_equal(word, words[i].word))
            return words[i].write(statement);
    g_assert_not_reached();
}

/* The template of a call; `with_request`: it is the form with one. */
static const char *find_arguments(const char *name, gboolean *with_request)
{
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
        *with_request = FALSE;
        if (g_str_equal(name, calls[i].name))
            return calls[i].arguments;
        *with_request = !calls[i].alone && name[0] == 'I' && g_ascii_tolower(calls[i].name[0]) == name[1] &&
                        g_str_equal(name + 2, calls[i].name + 1);
        if (*with_request)
            return calls[i].arguments;
    }
    return NULL;
}

/* Bytes that the call may send or receive. */
static void note_bytes(DtStatement *statement)
{
    guint64 most = 0, members = statement->generating->skeleton->ranks;
    for (guint place = 0; place < 3; place++) {
        const DtField *count = data_field(statement, place, FALSE), *size = data_field(statement, place, TRUE);
        if (count && size)
            most = MAX(most, (guint64)dt_field_largest(count) * (guint64)dt_field_largest(size));
    }
    const char *name = (const char *)statement->generating->skeleton->functions->pdata[statement->node->function] + 4;
    static const char *const of_members[] = {"all", "ather", "catter", "eighbor"};
    for (guint i = 0; i < G_N_ELEMENTS(of_members); i++)
        if (strstr(name, of_members[i])) {
            most *= members + 8; /* neighbours may be more */
            break;
        }
    statement->generating->bytes = MAX(statement->generating->bytes, most);
}

/* The largest sum of a row of counts, which its atom tells. */
static guint64 sum_of_list(const char *text)
{
    guint64 sum = 0;
    for (text += *text == '<'; g_ascii_isdigit(*text);) {
        char *end;
        guint64 first = g_ascii_strtoull(text, &end, 10), last = first, times = 1;
        if (*end == '-')
            last = g_ascii_strtoull(end + 1, &end, 10);
        if (*end == '^')
            times = g_ascii_strtoull(end + 1, &end, 10);
        sum += (first + last) * (last >= first ? last - first + 1 : 1) / 2 * times;
        text = end + (*end == ' ');
    }
    return sum;
}

static guint64 largest_sum(const DtSkeleton *skeleton, const DtRow *row)
{
    guint64 largest = 0;
    for (guint i = 0; i < row->parts; i++) {
        const DtRowPart *part = &row->part[i];
        guint64 own = part->inner                     ? largest_sum(skeleton, part->inner)
                      : dt_value_is_atom(part->first) ? sum_of_list(dt_atoms_text(skeleton->atoms, part->first))
                                                      : (guint64)MAX(part->first, 0) * skeleton->ranks;
        largest = MAX(largest, own);
    }
    return largest;
}

static void note_bytes_of_counts(DtStatement *statement)
{
    DtGenerating *generating = statement->generating;
    for (guint which = 0; which < 2; which++) {
        const DtField *counts = dt_field_find(statement->node, DT_ARGUMENT_COUNTS, which);
        const DtField *element = dt_field_find(statement->node, DT_ARGUMENT_ELEMENT, which);
        guint64 bytes = element ? (guint64)dt_field_largest(element) : 1;
        for (guint i = 0; counts && i < counts->pieces->len; i++)
            generating->bytes =
                MAX(generating->bytes,
                    bytes * largest_sum(generating->skeleton, g_array_index(counts->pieces, DtPiece, i).row));
    }
}

/* Whom a call that looks for a message found; MPI_PROC_NULL: nobody. */
static char *found_text(DtStatement *statement, const DtField *got)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    g_autofree char *peer = dt_peer_text(statement, got);
    g_autofree char *source = statement->generating->uses_last ? g_strdup_printf("last = %s", peer) : g_strdup(peer);
    if (dt_field_ranks(skeleton, got) == statement->node->on)
        return g_strdup(source);
    g_autofree char *condition =
        dt_condition(statement->generating, dt_field_ranks(skeleton, got), statement->node->on);
    return g_strdup_printf("%s ? (%s) : MPI_PROC_NULL", condition, source);
}

static char *look_statement(DtStatement *statement)
{
    g_autofree char *from = write_looked_for(statement), *tag = write_tag(statement);
    const DtGenerating *generating = statement->generating;
    const DtField *got = dt_field_find(statement->node, DT_FIELD_SOURCE, 0);
    gboolean any = generating->options->any_source;
    g_autofree char *found =
        got && !any ? found_text(statement, got) : g_strdup(got ? "MPI_ANY_SOURCE" : "MPI_PROC_NULL");
    return g_strdup_printf("%slook(%s, %s, %s, %s)", got && any && generating->uses_last ? "last = " : "", from, tag,
                           dt_communicator_text(statement), found);
}

static char *level_text(const DtStatement *statement)
{
    static const char *const levels[] = {"SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"};
    gint64 level = 0;
    if (!dt_field_number(dt_field_find(statement->node, DT_ARGUMENT_THREAD_LEVEL, 0), &level) || level < 0 || level > 3)
        level = 0;
    return g_strdup_printf("MPI_Init_thread(&argc, &argv, MPI_THREAD_%s, &provided)", levels[level]);
}

static char *special_statement(DtStatement *statement, const char *name)
{
    if (g_str_equal(name, "Init"))
        return g_strdup("MPI_Init(&argc, &argv)");
    if (g_str_equal(name, "Init_thread")) {
        g_string_append(statement->before, "int provided;\n");
        return level_text(statement);
    }
    if (g_str_equal(name, "Finalize"))
        return g_strdup("MPI_Finalize()");
    if (g_str_equal(name, "Iprobe"))
        return look_statement(statement);
    if (g_str_has_prefix(name, "Dist_graph_create"))
        return write_graph(statement, g_str_equal(name, "Dist_graph_create_adjacent"));
    if (g_str_equal(name, "Abort")) {
        g_autofree char *code = number_or_fail(statement, DT_ARGUMENT_CODE, 0, "1");
        return g_strdup_printf("MPI_Abort(%s, %s)", dt_communicator_text(statement), code);
    }
    return requests_statement(statement, name);
}

static char *function_name(const DtStatement *statement)
{
    const char *name = statement->generating->skeleton->functions->pdata[statement->node->function];
    char *own = g_strdup(g_str_has_prefix(name, "MPI_") ? name + 4 : "");
    if (g_str_has_suffix(own, "_c")) /* with counts of 64 bits */
        own[strlen(own) - 2] = '\0';
    return own;
}

char *dt_statement_text(DtStatement *statement)
{
    g_autofree char *name = function_name(statement);
    gboolean with_request;
    statement->is_possible = TRUE;
    char *special = special_statement(statement, name);
    if (special && statement->is_possible)
        return special;
    g_free(special);
    const char *arguments = find_arguments(name, &with_request);
    if (!arguments || !statement->is_possible)
        return NULL;
    g_auto(GStrv) given = g_strsplit(arguments, " ", -1);
    g_autoptr(GString) text = g_string_new(NULL);
    if (strstr(arguments, "comm")) /* it comes first where it is a variable */
        (void)dt_communicator_text(statement);
    g_string_append_printf(text, "MPI_%s(", name);
    for (guint i = 0; given[i] && statement->is_possible; i++) {
        g_autofree char *argument = argument_text(statement, given[i]);
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", argument);
    }
    if (with_request && statement->is_possible) {
        g_autofree char *request = write_request(statement);
        g_string_append_printf(text, ", %s", request);
    }
    note_bytes(statement);
    note_bytes_of_counts(statement);
    return statement->is_possible ? g_strdup_printf("%s)", text->str) : NULL;
}

void dt_statement_clear(DtStatement *statement)
{
    for (guint i = 0; i < G_N_ELEMENTS(statement->count); i++) {
        g_clear_pointer(&statement->count[i], g_free);
        g_clear_pointer(&statement->type[i], g_free);
    }
    for (guint i = 0; i < G_N_ELEMENTS(statement->list); i++)
        g_clear_pointer(&statement->list[i], g_free);
    g_clear_pointer(&statement->communicator, g_free);
    if (statement->before)
        g_string_free(statement->before, TRUE);
    if (statement->after)
        g_string_free(statement->after, TRUE);
    statement->before = statement->after = NULL;
}
