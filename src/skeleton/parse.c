/* A skeleton from its text, which may come from strangers: nothing in it is believed, and what it may claim is bounded.
 */
#include <errno.h>
#include <string.h>

#include "format/arguments.h"
#include "skeleton/fields.h"
#include "skeleton/merge.h"
#include "skeleton/node_times.h"
#include "text/text.h"

enum {
    MOST_RANKS = 1 << 22,
    MOST_DEPTH = 64,
    MOST_NODES = 1 << 20,
    MOST_VALUES = 1 << 22, /* that are written down, of all rows */
    MOST_TIMES = 1 << 12   /* of a call */
};

/* The node whose children a line may be. */
typedef struct {
    GPtrArray *nodes;
    const DtRankSet *on;
} Level;

typedef struct {
    const char *name; /* of the file */
    const char *line; /* where the line begins that is read */
    guint number;     /* of it */
    const char *at;
    DtSkeleton *skeleton;
    GHashTable *functions; /* name, of the skeleton's -> index + 1 */
    guint nodes, values;
    gboolean is_peer; /* the values that are read are peers */
    Level levels[MOST_DEPTH + 2];
    guint depth; /* of the levels that are open */
    /* Of the thread that is read: */
    DtSkeletonNode *call; /* in the line before, with its times; NULL: that is none */
    guint64 calls;        /* read so far */
    guint64 needed;       /* calls that times name */
    guint needed_by;      /* number of the line that does */
    const char *needed_line, *needed_at;
    char *problem; /* what is wrong, at `at` */
} Parsing;

/* FALSE, for those who call it to return. */
static gboolean fail(Parsing *parsing, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean fail(Parsing *parsing, const char *format, ...)
{
    va_list arguments;
    if (parsing->problem)
        return FALSE;
    va_start(arguments, format);
    parsing->problem = dt_text_vprintf(format, arguments);
    va_end(arguments);
    return FALSE;
}

static gboolean is_at(const Parsing *parsing, const char *text)
{
    return g_str_has_prefix(parsing->at, text);
}

static gboolean take(Parsing *parsing, const char *text)
{
    gboolean is_there = is_at(parsing, text);
    parsing->at += is_there ? strlen(text) : 0;
    return is_there;
}

static gboolean expect(Parsing *parsing, const char *text)
{
    return take(parsing, text) || fail(parsing, "'%s' is missing here", text);
}

static gboolean is_word(char c)
{
    return g_ascii_isalnum(c) || (c && strchr("_/#-", c));
}

/* ---- values ---------------------------------------------------------------------------------- */

static gboolean read_integer(Parsing *parsing, gint64 *value)
{
    char *end;
    const char *digits = parsing->at + (*parsing->at == '+' || *parsing->at == '-');
    if (!g_ascii_isdigit(*digits))
        return fail(parsing, "a number is missing here");
    errno = 0;
    *value = g_ascii_strtoll(parsing->at, &end, 10);
    if (errno == ERANGE || *value >= DT_FIRST_ATOM || *value <= -DT_FIRST_ATOM)
        return fail(parsing, "this number is too large");
    parsing->at = end;
    return TRUE;
}

static gboolean read_count(Parsing *parsing, guint64 *count)
{
    gint64 value = 0;
    if (!read_integer(parsing, &value))
        return FALSE;
    if (value < 1)
        return fail(parsing, "this count is less than 1");
    *count = (guint64)value;
    return TRUE;
}

/* "<0 2-4>", "world/1", "any". */
static gboolean read_atom(Parsing *parsing, DtValue *value)
{
    const char *end = parsing->at;
    if (*end == '<') {
        while (*end && *end != '>' && *end != '\n')
            end++;
        if (*end != '>')
            return fail(parsing, "this row of numbers does not end");
        end++;
    } else {
        while (is_word(*end))
            end++;
    }
    if (end == parsing->at)
        return fail(parsing, "a value is missing here");
    g_autofree char *text = g_strndup(parsing->at, (gsize)(end - parsing->at));
    *value = dt_atoms_intern(parsing->skeleton->atoms, text);
    parsing->at = end;
    return TRUE;
}

/* "=5", "^1", "x+1y-1", "last"; FALSE without a problem: none of these. */
static gboolean read_peer(Parsing *parsing, DtValue *value)
{
    const char *problem, *start = parsing->at;
    const DtMesh *mesh = &parsing->skeleton->mesh;
    gboolean is_peer = dt_peer_parse(&parsing->at, value, &problem);
    if (problem)
        return fail(parsing, "%s", problem);
    if (!is_peer)
        return FALSE;
    gint64 number = *value >= DT_PEER_BITS ? (*value - DT_PEER_BITS) >> g_bit_storage(parsing->skeleton->ranks - 1)
                                           : (*value - DT_PEER_RANK) / parsing->skeleton->ranks;
    if (*value < DT_PEER_STEPS && number > 0) {
        parsing->at = start + 1;
        return fail(parsing, "there are not so many ranks");
    }
    if (dt_peer_axes(*value) > mesh->axes) {
        parsing->at = start;
        return mesh->axes > 0 ? fail(parsing, "the mesh has only %u axes", mesh->axes)
                              : fail(parsing, "steps need a line 'mesh XxY' behind that of the ranks");
    }
    return TRUE;
}

static gboolean read_value(Parsing *parsing, DtValue *value)
{
    const char *digits = parsing->at + (*parsing->at == '+' || *parsing->at == '-');
    if (++parsing->values > MOST_VALUES)
        return fail(parsing, "there are more than %d values", MOST_VALUES);
    if (parsing->is_peer && !g_ascii_isdigit(*digits) && (read_peer(parsing, value) || parsing->problem))
        return !parsing->problem;
    if (!g_ascii_isdigit(*digits))
        return read_atom(parsing, value);
    if (!read_integer(parsing, value))
        return FALSE;
    return !parsing->is_peer || (*value<DT_PEER_NUMBERS && * value> - DT_PEER_NUMBERS) ||
           fail(parsing, "there are not so many ranks");
}

/* ---- rows ------------------------------------------------------------------------------------ */

static DtRow *read_parts(Parsing *parsing, char end, guint depth);

/* Whether a progression from there may end with that number. */
static gboolean is_in_form(DtValue first, gint64 last)
{
    return last < DT_PEER_NUMBERS && last > (first >= DT_PEER_RANK ? -1 : -DT_PEER_NUMBERS);
}

static gboolean read_progression(Parsing *parsing, DtRowPart *part)
{
    gint64 last = 0, step = 1, span;
    if (!read_integer(parsing, &last))
        return FALSE;
    if (parsing->is_peer && !is_in_form(part->first, last))
        return fail(parsing, "there are not so many ranks");
    if (parsing->is_peer)
        last += part->first >= DT_PEER_BITS ? DT_PEER_BITS : part->first >= DT_PEER_RANK ? DT_PEER_RANK : 0;
    if (take(parsing, "/") && !read_integer(parsing, &step))
        return FALSE;
    span = last - part->first;
    if (step == 0 || span % step != 0 || span / step < 1)
        return fail(parsing, "these steps do not lead there");
    part->step = step;
    part->count = (guint64)(span / step) + 1;
    return TRUE;
}

static gboolean read_part(Parsing *parsing, DtRowPart *part, guint depth)
{
    *part = (DtRowPart){.count = 1};
    if (take(parsing, "(")) {
        part->inner = read_parts(parsing, ')', depth + 1);
        return part->inner && expect(parsing, "^") && read_count(parsing, &part->count);
    }
    if (!read_value(parsing, &part->first))
        return FALSE;
    if (take(parsing, "^"))
        return read_count(parsing, &part->count);
    if (!is_at(parsing, ".."))
        return TRUE;
    parsing->at += 2;
    return part->first >= DT_FIRST_NAME ? fail(parsing, "only numbers go up in steps")
                                        : read_progression(parsing, part);
}

static void clear_part(gpointer part)
{
    dt_row_free(((DtRowPart *)part)->inner);
}

/* NULL: it is wrong. */
static DtRow *read_parts(Parsing *parsing, char end, guint depth)
{
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(DtRowPart));
    if (depth + 1 >= DT_ROW_DEPTH) {
        fail(parsing, "there are more than %d rows within each other", DT_ROW_DEPTH);
        return NULL;
    }
    g_array_set_clear_func(parts, clear_part);
    do {
        DtRowPart part;
        gboolean good = read_part(parsing, &part, depth);
        g_array_append_val(parts, part);
        if (!good)
            return NULL;
    } while (take(parsing, " "));
    const char close[] = {end, 0};
    if (!expect(parsing, close))
        return NULL;
    DtRow *row = dt_row_of_parts(parts);
    if (!row) {
        fail(parsing, "this row is too long");
        return NULL;
    }
    g_array_set_clear_func(parts, NULL);
    return row;
}

static DtRow *read_row(Parsing *parsing)
{
    if (take(parsing, "["))
        return read_parts(parsing, ']', 0);
    DtValue value;
    return read_value(parsing, &value) ? dt_row_fold(&value, 1) : NULL;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static gboolean add_piece(Parsing *parsing, DtField *field, const DtRankSet *on, DtRow *row)
{
    if (!row)
        return FALSE;
    DtPiece piece = {on, row};
    for (guint i = 0; i < field->pieces->len; i++) {
        DtPiece *known = &g_array_index(field->pieces, DtPiece, i);
        if (dt_rank_sets_meet(known->on, on)) {
            dt_row_free(row);
            return fail(parsing, "a rank has two values here");
        }
    }
    g_array_append_val(field->pieces, piece);
    return TRUE;
}

static const DtRankSet *read_set(Parsing *parsing)
{
    const char *problem = NULL;
    const DtRankSet *set = dt_rank_set_parse(parsing->skeleton->sets, &parsing->at, &problem);
    if (!set)
        fail(parsing, "%s", problem);
    return set;
}

static gboolean read_pieces(Parsing *parsing, DtField *field, const DtRankSet *on)
{
    do {
        const DtRankSet *set = read_set(parsing);
        if (!set || !expect(parsing, ": "))
            return FALSE;
        if (!dt_rank_set_is_within(set, on))
            return fail(parsing, "these ranks are not all among those of the line");
        if (!add_piece(parsing, field, set, read_row(parsing)))
            return FALSE;
    } while (take(parsing, "; "));
    return expect(parsing, "}");
}

static gboolean read_values(Parsing *parsing, DtField *field, const DtRankSet *on)
{
    if (take(parsing, "{"))
        return read_pieces(parsing, field, on);
    return add_piece(parsing, field, on, read_row(parsing));
}

static void clear_pieces(gpointer field)
{
    g_array_unref(((DtField *)field)->pieces);
}

static void clear_piece(gpointer piece)
{
    dt_row_free(((DtPiece *)piece)->row);
}

static gboolean read_field(Parsing *parsing, DtSkeletonNode *node, guint kind)
{
    DtField field = {kind, g_array_new(FALSE, FALSE, sizeof(DtPiece))};
    g_array_set_clear_func(field.pieces, clear_piece);
    g_array_append_val(node->fields, field);
    parsing->is_peer = dt_field_is_peer(kind);
    return read_values(parsing, &field, node->on);
}

/* The word before the value; 0: there is none. */
static guint read_word(Parsing *parsing)
{
    const char *end = parsing->at;
    while (is_word(*end))
        end++;
    guint kind = *end == ' ' ? dt_field_of_word(parsing->at, (gsize)(end - parsing->at)) : 0;
    if (kind)
        parsing->at = end + 1;
    return kind;
}

/* "world", "sum", "60 x 8 B". */
static gboolean read_bare_field(Parsing *parsing, DtSkeletonNode *node)
{
    if (!read_field(parsing, node, DT_FIELD_COUNT))
        return FALSE;
    DtField *field = &g_array_index(node->fields, DtField, node->fields->len - 1);
    if (take(parsing, " x "))
        return read_field(parsing, node, DT_FIELD_SIZE) && expect(parsing, " B");
    const DtPiece *first = &g_array_index(field->pieces, DtPiece, 0);
    const DtRowPart *part = &first->row->part[0];
    while (part->inner)
        part = &part->inner->part[0];
    if (!dt_value_is_atom(part->first))
        return fail(parsing, "what this number is is not said");
    field->kind = dt_word_is_operation(dt_atoms_text(parsing->skeleton->atoms, part->first)) ? DT_ARGUMENT_OPERATION
                                                                                             : DT_ARGUMENT_COMMUNICATOR;
    return TRUE;
}

static gboolean read_argument(Parsing *parsing, DtSkeletonNode *node)
{
    guint kind = read_word(parsing);
    if (!kind)
        return read_bare_field(parsing, node);
    if (dt_field_is_outcome(kind))
        return fail(parsing, "this is no argument");
    if (!read_field(parsing, node, kind))
        return FALSE;
    return kind != DT_FIELD_OTHER_COUNT ||
           (expect(parsing, " x ") && read_field(parsing, node, DT_FIELD_OTHER_SIZE) && expect(parsing, " B"));
}

static gboolean read_outcome(Parsing *parsing, DtSkeletonNode *node)
{
    guint kind = read_word(parsing);
    return dt_field_is_outcome(kind) ? read_field(parsing, node, kind)
                                     : fail(parsing, "here stands what a call found out");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static guint function_index(Parsing *parsing, const char *name, gsize length)
{
    g_autofree char *copy = g_strndup(name, length);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(parsing->functions, copy));
    if (known)
        return known - 1;
    g_hash_table_insert(parsing->functions, copy, GUINT_TO_POINTER(parsing->skeleton->functions->len + 1));
    g_ptr_array_add(parsing->skeleton->functions, g_steal_pointer(&copy));
    known = parsing->skeleton->functions->len;
    return known - 1;
}

static gboolean read_call(Parsing *parsing, DtSkeletonNode *node)
{
    const char *end = parsing->at;
    while (g_ascii_isalnum(*end) || *end == '_')
        end++;
    node->function = function_index(parsing, parsing->at, (gsize)(end - parsing->at));
    parsing->at = end;
    if (take(parsing, "(")) {
        do {
            if (!read_argument(parsing, node))
                return FALSE;
        } while (take(parsing, ", "));
        if (!expect(parsing, ")"))
            return FALSE;
    }
    while (take(parsing, "; "))
        if (!read_outcome(parsing, node))
            return FALSE;
    return TRUE;
}

static gboolean read_loop(Parsing *parsing, DtSkeletonNode *node)
{
    node->function = G_MAXUINT;
    node->children = g_ptr_array_new_with_free_func(dt_skeleton_node_free);
    return read_field(parsing, node, DT_FIELD_TIMES) && expect(parsing, " times");
}

/* What stands behind a call tells where it comes from. */
static char *read_comment(Parsing *parsing)
{
    const char *mark = parsing->at, *end;
    while (*mark == ' ')
        mark++;
    if (*mark != '#')
        return NULL;
    end = mark + strcspn(mark, "\n");
    g_autofree char *bytes = g_strndup(mark + 1, (gsize)(end - mark - 1));
    g_autofree char *text = dt_text_line(g_strstrip(bytes));
    parsing->at = end;
    return *text ? g_steal_pointer(&text) : NULL;
}

/* ---- times ----------------------------------------------------------------------------------- */

static gboolean read_time_value(Parsing *parsing, gint64 *ns)
{
    if (++parsing->values > MOST_VALUES)
        return fail(parsing, "there are more than %d values", MOST_VALUES);
    const char *problem = dt_time_parse(&parsing->at, ns);
    return !problem || fail(parsing, "%s", problem);
}

/* "[1.1ms^50 1.4ms^50]", behind the bracket. */
static DtRow *read_time_row(Parsing *parsing)
{
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(DtRowPart));
    do {
        DtRowPart part = {.count = 1};
        if (!read_time_value(parsing, &part.first) || (take(parsing, "^") && !read_count(parsing, &part.count)))
            return NULL;
        g_array_append_val(parts, part);
    } while (take(parsing, " "));
    if (!expect(parsing, "]"))
        return NULL;
    g_autoptr(DtRow) row = dt_row_of_parts(parts);
    if (row && row->length > 1)
        return g_steal_pointer(&row);
    fail(parsing, row ? "a row has two times or more" : "this row is too long");
    return NULL;
}

/* Where the call before stands. Of one further down it turns out at the end whether it is there. */
static gboolean read_after(Parsing *parsing, gint64 *after)
{
    const char *start = parsing->at;
    *after = DT_AFTER_START;
    if (take(parsing, "start"))
        return TRUE;
    if (!read_integer(parsing, after))
        return FALSE;
    if (*after <= -(gint64)parsing->calls) {
        parsing->at = start;
        return fail(parsing, "there are not so many calls above");
    }
    const guint64 needed = parsing->calls + (guint64)MAX(*after, 0);
    if (needed > parsing->needed) {
        parsing->needed = needed;
        parsing->needed_by = parsing->number;
        parsing->needed_line = parsing->line;
        parsing->needed_at = start;
    }
    return TRUE;
}

static gboolean are_all_there(Parsing *parsing)
{
    if (parsing->needed <= parsing->calls)
        return TRUE;
    parsing->number = parsing->needed_by;
    parsing->line = parsing->needed_line;
    parsing->at = parsing->needed_at;
    return fail(parsing, "there are not so many calls below");
}

static gboolean add_time(Parsing *parsing, const DtNodeTime *time)
{
    const GArray *times = parsing->call->times;
    for (guint i = 0; times && i < times->len; i++) {
        const DtNodeTime *known = &g_array_index(times, DtNodeTime, i);
        if (known->after == time->after && dt_rank_sets_meet(known->on, time->on))
            return fail(parsing, "a rank has two times here");
    }
    if (times && times->len >= MOST_TIMES)
        return fail(parsing, "a call has more than %d times", MOST_TIMES);
    dt_node_add_time(parsing->call, time);
    return TRUE;
}

/* "after -1: 400 x 1.25ms (1.1ms to 2.3ms) [1.1ms^50 1.4ms^50]" */
static gboolean read_time(Parsing *parsing)
{
    DtNodeTime time = {.on = parsing->call->on};
    if (take(parsing, "on ")) {
        time.on = read_set(parsing);
        if (!time.on || !expect(parsing, ": "))
            return FALSE;
        if (!dt_rank_set_is_within(time.on, parsing->call->on))
            return fail(parsing, "these ranks are not all among those of the call");
    }
    if (!expect(parsing, "after ") || !read_after(parsing, &time.after) || !expect(parsing, ": ") ||
        !read_count(parsing, &time.count) || !expect(parsing, " x ") || !read_time_value(parsing, &time.mean))
        return FALSE;
    time.least = time.most = time.mean;
    if (take(parsing, " (") && (!read_time_value(parsing, &time.least) || !expect(parsing, " to ") ||
                                !read_time_value(parsing, &time.most) || !expect(parsing, ")")))
        return FALSE;
    if (time.least > time.mean || time.most < time.mean)
        return fail(parsing, "the mean is not between these");
    time.row = take(parsing, " [") ? read_time_row(parsing) : dt_row_fold(&time.mean, 1);
    if (time.row && add_time(parsing, &time))
        return TRUE;
    dt_row_free(time.row);
    return FALSE;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static gboolean read_node(Parsing *parsing, guint depth)
{
    Level *level = &parsing->levels[depth];
    DtSkeletonNode *node = g_new0(DtSkeletonNode, 1);
    node->on = level->on;
    node->fields = g_array_new(FALSE, FALSE, sizeof(DtField));
    g_array_set_clear_func(node->fields, clear_pieces);
    g_ptr_array_add(level->nodes, node);
    parsing->depth = depth;
    parsing->call = NULL;
    if (++parsing->nodes > MOST_NODES)
        return fail(parsing, "there are more than %d lines of calls", MOST_NODES);
    if (take(parsing, "on ")) {
        node->on = read_set(parsing);
        if (!node->on || !expect(parsing, ": "))
            return FALSE;
        if (!dt_rank_set_is_within(node->on, level->on))
            return fail(parsing, "these ranks are not all among those of the loop around");
    }
    if (g_ascii_isalpha(*parsing->at)) {
        gboolean good = read_call(parsing, node);
        parsing->call = node;
        parsing->calls++;
        node->comment = good ? read_comment(parsing) : NULL;
        return good;
    }
    if (!read_loop(parsing, node))
        return FALSE;
    parsing->depth = depth + 1;
    parsing->levels[depth + 1] = (Level){node->children, node->on};
    return TRUE;
}

static gboolean read_members(Parsing *parsing, GArray *group)
{
    do {
        gint64 first = 0, last;
        if (!read_integer(parsing, &first))
            return FALSE;
        last = first;
        if (*parsing->at == '-' && parsing->at++ && !read_integer(parsing, &last))
            return FALSE;
        if (first < -1 || last < first || last >= parsing->skeleton->ranks)
            return fail(parsing, "there are not so many ranks");
        for (gint64 rank = first; rank <= last; rank++) {
            gint member = (gint)rank;
            g_array_append_val(group, member);
        }
        if (group->len > parsing->skeleton->ranks)
            return fail(parsing, "a group has each rank once");
    } while (take(parsing, ","));
    return TRUE;
}

static gboolean read_communicator(Parsing *parsing)
{
    const char *end = parsing->at;
    while (is_word(*end))
        end++;
    DtSkeletonCommunicator *communicator = g_new0(DtSkeletonCommunicator, 1);
    communicator->name = g_strndup(parsing->at, (gsize)(end - parsing->at));
    communicator->groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_ptr_array_add(parsing->skeleton->communicators, communicator);
    parsing->at = end;
    while (take(parsing, " ")) {
        GArray *group = g_array_new(FALSE, FALSE, sizeof(gint));
        g_ptr_array_add(communicator->groups, group);
        if (!read_members(parsing, group))
            return FALSE;
    }
    return TRUE;
}

static gboolean begin_thread(Parsing *parsing, guint number)
{
    if (!are_all_there(parsing))
        return FALSE;
    DtSkeletonThread *thread = g_new0(DtSkeletonThread, 1);
    thread->number = number;
    thread->nodes = g_ptr_array_new_with_free_func(dt_skeleton_node_free);
    g_ptr_array_add(parsing->skeleton->threads, thread);
    parsing->call = NULL;
    parsing->calls = parsing->needed = 0;
    parsing->depth = 0;
    parsing->levels[0] = (Level){thread->nodes, dt_rank_set_all(parsing->skeleton->sets)};
    return TRUE;
}

static gboolean read_thread(Parsing *parsing)
{
    gint64 number = 0;
    if (!read_integer(parsing, &number))
        return FALSE;
    if (number < 0 || number > G_MAXINT)
        return fail(parsing, "there is no such thread");
    return begin_thread(parsing, (guint)number);
}

static gboolean read_ranks(Parsing *parsing)
{
    gint64 ranks = 0;
    if (!expect(parsing, "ranks ") || !read_integer(parsing, &ranks))
        return FALSE;
    if (ranks < 1 || ranks > MOST_RANKS)
        return fail(parsing, "there are 1 to %d ranks", MOST_RANKS);
    parsing->skeleton->ranks = (guint)ranks;
    parsing->skeleton->sets = dt_rank_sets_new((guint)ranks);
    return TRUE;
}

static gboolean read_mesh(Parsing *parsing)
{
    const char *start = parsing->at;
    DtMesh *mesh = &parsing->skeleton->mesh;
    if (dt_mesh_parse(&parsing->at, mesh) && dt_mesh_places(mesh) <= parsing->skeleton->ranks)
        return TRUE;
    *mesh = (DtMesh){0};
    parsing->at = start;
    return fail(parsing, "a mesh is told as 4x4, of 1 to %d axes and at most as many places as there are ranks",
                DT_MESH_AXES);
}

static gboolean read_body_line(Parsing *parsing, gboolean is_first)
{
    guint blanks = 0;
    if (is_first && take(parsing, "mesh "))
        return read_mesh(parsing);
    if (take(parsing, "comm "))
        return read_communicator(parsing);
    if (take(parsing, "thread "))
        return read_thread(parsing);
    while (parsing->at[blanks] == ' ')
        blanks++;
    parsing->at += blanks;
    if (parsing->skeleton->threads->len == 0)
        begin_thread(parsing, 0);
    if (parsing->call && blanks == 2 * (parsing->depth + 1) && (is_at(parsing, "after ") || is_at(parsing, "on ")))
        return read_time(parsing);
    if (blanks % 2 != 0 || blanks / 2 > parsing->depth)
        return fail(parsing, "this line is too far to the right: two blanks for each loop that it is in");
    if (blanks / 2 >= MOST_DEPTH)
        return fail(parsing, "there are more than %d loops within each other", MOST_DEPTH);
    return read_node(parsing, blanks / 2);
}

/* Nothing, or a comment. */
static gboolean is_empty(const char *at)
{
    while (*at == ' ')
        at++;
    return *at == '\n' || *at == '#' || *at == '\0';
}

static gboolean read_head(Parsing *parsing)
{
    static const char head[] = "difftrace skeleton 1";
    return take(parsing, head) || fail(parsing, "this is neither a run nor a skeleton, which begins with '%s'", head);
}

static gboolean read_line(Parsing *parsing, guint *known)
{
    if (is_empty(parsing->at))
        return TRUE;
    gboolean good = *known == 0   ? read_head(parsing)
                    : *known == 1 ? read_ranks(parsing)
                                  : read_body_line(parsing, *known == 2);
    ++*known;
    return good && (is_empty(parsing->at) || fail(parsing, "this is more than belongs here"));
}

DtSkeleton *dt_skeleton_parse(const char *text, const char *name, GError **error)
{
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_new();
    g_autoptr(GHashTable) functions = g_hash_table_new(g_str_hash, g_str_equal);
    g_autofree Parsing *parsing = g_new0(Parsing, 1);
    guint known = 0;
    parsing->name = name;
    parsing->skeleton = skeleton;
    parsing->functions = functions;
    for (parsing->line = text; *parsing->line && !parsing->problem;) {
        parsing->at = parsing->line;
        parsing->number++;
        if (!read_line(parsing, &known))
            break;
        const char *end = strchr(parsing->line, '\n');
        parsing->line = end ? end + 1 : parsing->line + strlen(parsing->line);
    }
    if (!parsing->problem && known < (skeleton->mesh.axes > 0 ? 4 : 3)) {
        parsing->at = parsing->line;
        fail(parsing, "the file ends before the first call");
    }
    if (!parsing->problem)
        are_all_there(parsing);
    if (!parsing->problem)
        return g_steal_pointer(&skeleton);
    dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_SYNTAX, "%s:%u:%u: %s", name, MAX(parsing->number, 1),
                 (guint)(parsing->at ? parsing->at - parsing->line : 0) + 1, parsing->problem);
    g_free(parsing->problem);
    return NULL;
}
