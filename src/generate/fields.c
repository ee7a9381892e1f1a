/* Values of fields as expressions in C: constants, what follows from the rank, else a row that is gone through. */
#include <string.h>

#include "format/arguments.h"
#include "generate/generating.h"
#include "skeleton/fields.h"

enum { MOST_CHOICES = 4 };

/* ---- what a field has -------------------------------------------------------------------------- */

const DtField *dt_field_find(const DtSkeletonNode *node, guint kind, guint which)
{
    for (guint i = 0; i < node->fields->len; i++) {
        const DtField *field = &g_array_index(node->fields, DtField, i);
        if (field->kind == kind && which-- == 0)
            return field;
    }
    return NULL;
}

static const DtPiece *piece_at(const DtField *field, guint index)
{
    return &g_array_index(field->pieces, DtPiece, index);
}

static DtValue first_value(const DtRow *row)
{
    while (row->part[0].inner)
        row = row->part[0].inner;
    return row->part[0].first;
}

static gboolean is_single(const DtField *field)
{
    for (guint i = 0; i < field->pieces->len; i++)
        if (piece_at(field, i)->row->length > 1)
            return FALSE;
    return TRUE;
}

static gboolean has_atoms(const DtRow *row)
{
    for (guint i = 0; i < row->parts; i++)
        if (row->part[i].inner ? has_atoms(row->part[i].inner) : dt_value_is_atom(row->part[i].first))
            return TRUE;
    return FALSE;
}

static gint64 largest_of_row(const DtRow *row)
{
    gint64 largest = 0;
    for (guint i = 0; i < row->parts; i++) {
        const DtRowPart *part = &row->part[i];
        gint64 last = part->first + part->step * (gint64)(part->count - 1);
        if (part->inner)
            largest = MAX(largest, largest_of_row(part->inner));
        else if (!dt_value_is_atom(part->first))
            largest = MAX(largest, MAX(part->first, last));
    }
    return largest;
}

gint64 dt_field_largest(const DtField *field)
{
    gint64 largest = 0;
    for (guint i = 0; i < field->pieces->len; i++)
        largest = MAX(largest, largest_of_row(piece_at(field, i)->row));
    return largest;
}

gboolean dt_field_number(const DtField *field, gint64 *number)
{
    if (!field || field->pieces->len != 1 || !is_single(field))
        return FALSE;
    *number = first_value(piece_at(field, 0)->row);
    return !dt_value_is_atom(*number);
}

const DtRankSet *dt_field_ranks(const DtSkeleton *skeleton, const DtField *field)
{
    const DtRankSet *on = piece_at(field, 0)->on;
    for (guint i = 1; i < field->pieces->len; i++)
        on = dt_rank_set_union(skeleton->sets, on, piece_at(field, i)->on);
    return on;
}

static gboolean is_word(const DtSkeleton *skeleton, DtValue value, const char *word)
{
    return dt_value_is_atom(value) && g_str_equal(dt_atoms_text(skeleton->atoms, value), word);
}

const DtRankSet *dt_field_ranks_of_word(const DtSkeleton *skeleton, const DtField *field, const char *word)
{
    const DtRankSet *on = dt_rank_set_of(skeleton->sets, NULL, 0);
    for (guint i = 0; field && i < field->pieces->len; i++)
        if (is_word(skeleton, first_value(piece_at(field, i)->row), word))
            on = dt_rank_set_union(skeleton->sets, on, piece_at(field, i)->on);
    return on;
}

gboolean dt_field_is_word(const DtSkeleton *skeleton, const DtField *field, const char *word)
{
    return field && is_single(field) &&
           dt_field_ranks_of_word(skeleton, field, word) == dt_field_ranks(skeleton, field);
}

/* ---- names ------------------------------------------------------------------------------------- */

char *dt_new_name(DtGenerating *generating, const char *word)
{
    g_autofree char *base = g_strdup(*word ? word : "value");
    g_strdelimit(base, "-", '_');
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(generating->numbers, base)) + 1;
    g_hash_table_insert(generating->numbers, g_strdup(base), GUINT_TO_POINTER(number));
    return g_strdup_printf("%s_%u", base, number);
}

char *dt_once(DtStatement *statement, const char *type, const char *word, char *text)
{
    if (!text || !strstr(text, "next"))
        return text;
    char *name = g_strdup(word);
    for (guint i = 2; dt_text_uses(statement->before->str, name); i++) {
        g_free(name);
        name = g_strdup_printf("%s%u", word, i);
    }
    g_string_append_printf(statement->before, "%s%s = %s;\n", type, name, text);
    g_free(text);
    return name;
}

/* ---- rows -------------------------------------------------------------------------------------- */

typedef void (*AppendValue)(const DtStatement *statement, GString *text, guint kind, DtValue value, gboolean bare);

static void append_value(const DtStatement *statement, GString *text, guint kind, DtValue value, gboolean bare)
{
    if (dt_value_is_atom(value))
        g_string_append(text, dt_atoms_text(statement->generating->skeleton->atoms, value));
    else if (dt_field_is_peer(kind))
        dt_peer_append(text, value, bare);
    else
        g_string_append_printf(text, "%" G_GINT64_FORMAT, value);
}

static void append_communicator(const DtStatement *statement, GString *text, guint kind, DtValue value, gboolean bare)
{
    (void)kind;
    (void)bare;
    const char *name =
        dt_value_is_atom(value) ? dt_atoms_text(statement->generating->skeleton->atoms, value) : "unknown";
    g_string_append_printf(text, "%u", dt_communicator_number(statement->generating, name));
}

static void append_row(const DtStatement *statement, GString *text, guint kind, const DtRow *row, AppendValue append)
{
    for (guint i = 0; i < row->parts; i++) {
        const DtRowPart *part = &row->part[i];
        g_string_append(text, i > 0 ? " " : "");
        if (part->inner) {
            g_string_append_c(text, '(');
            append_row(statement, text, kind, part->inner, append);
            g_string_append_printf(text, ")^%" G_GUINT64_FORMAT, part->count);
            continue;
        }
        append(statement, text, kind, part->first, FALSE);
        if (part->count > 1 && part->step == 0)
            g_string_append_printf(text, "^%" G_GUINT64_FORMAT, part->count);
        if (part->count == 1 || part->step == 0)
            continue;
        g_string_append(text, "..");
        append(statement, text, kind, part->first + part->step * (gint64)(part->count - 1), TRUE);
        if (part->step != 1)
            g_string_append_printf(text, "/%" G_GINT64_FORMAT, part->step);
    }
}

/* A string literal, on lines of some hundred characters. */
static void append_literal(GString *data, const char *text)
{
    enum { WIDTH = 100 };
    g_string_append_c(data, '"');
    for (gsize since = 0; *text; text++, since++) {
        g_string_append_c(data, *text);
        if (*text == ' ' && since > WIDTH && text[1]) {
            g_string_append(data, "\"\n                                \"");
            since = 0;
        }
    }
    g_string_append_c(data, '"');
}

/* Declares the row with that text; gives its name. */
static char *declare_row(DtStatement *statement, guint kind, const char *text)
{
    DtGenerating *generating = statement->generating;
    const char *word = kind == DT_FIELD_TIMES ? "times" : dt_field_name(kind);
    char *name = dt_new_name(generating, word ? word : "value");
    g_string_append_printf(generating->data, "static struct row %s = {.text = ", name);
    append_literal(generating->data, text);
    g_string_append(generating->data, "};\n");
    return name;
}

static void append_piece(const DtStatement *statement, GString *text, const DtPiece *piece, guint kind,
                         AppendValue append, gboolean is_only)
{
    if (!is_only) {
        g_autofree char *ranks = dt_ranks_text(statement->generating->skeleton, piece->on);
        g_string_append_printf(text, "%s%s: ", text->len > 0 ? "; " : "", ranks);
    }
    append_row(statement, text, kind, piece->row, append);
}

static char *row_name(DtStatement *statement, const DtField *field, AppendValue append)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean is_only = field->pieces->len == 1 && piece_at(field, 0)->on == statement->node->on;
    for (guint i = 0; i < field->pieces->len; i++)
        append_piece(statement, text, piece_at(field, i), field->kind, append, is_only);
    return declare_row(statement, field->kind, text->str);
}

/* ---- choices ------------------------------------------------------------------------------------ */

typedef struct {
    const DtRankSet *on;
    char *text;
} Choice;

static void clear_choice(gpointer choice)
{
    g_free(((Choice *)choice)->text);
}

static GArray *choices_new(void)
{
    GArray *choices = g_array_new(FALSE, FALSE, sizeof(Choice));
    g_array_set_clear_func(choices, clear_choice);
    return choices;
}

/* Takes over the text; those of one text are one. */
static void add_choice(const DtSkeleton *skeleton, GArray *choices, const DtRankSet *on, char *text)
{
    for (guint i = 0; i < choices->len; i++) {
        Choice *choice = &g_array_index(choices, Choice, i);
        if (!g_str_equal(choice->text, text))
            continue;
        choice->on = dt_rank_set_union(skeleton->sets, choice->on, on);
        g_free(text);
        return;
    }
    Choice choice = {on, text};
    g_array_append_val(choices, choice);
}

static gint compare_choices(gconstpointer first, gconstpointer second)
{
    const Choice *a = first, *b = second;
    guint one = dt_rank_set_count(a->on), other = dt_rank_set_count(b->on);
    if (one != other)
        return one < other ? -1 : 1;
    return dt_rank_set_next(a->on, 0) < dt_rank_set_next(b->on, 0) ? -1 : 1;
}

static const DtRankSet *without(const DtSkeleton *skeleton, const DtRankSet *set, const DtRankSet *gone)
{
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint rank = dt_rank_set_next(set, 0); rank != G_MAXUINT; rank = dt_rank_set_next(set, rank + 1))
        if (!dt_rank_set_has(gone, rank))
            g_array_append_val(ranks, rank);
    return dt_rank_set_of(skeleton->sets, (const guint *)(gconstpointer)ranks->data, ranks->len);
}

/* "(rank == 0 ? 5 : 6)"; NULL: there are too many, or one of unreadable ranks. */
static char *choose(DtStatement *statement, GArray *choices, const DtRankSet *within)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    gboolean is_or;
    if (choices->len == 0 || choices->len > MOST_CHOICES)
        return NULL;
    g_array_sort(choices, compare_choices);
    g_autoptr(GString) text = g_string_new(choices->len > 1 ? "(" : "");
    for (guint i = 0; i < choices->len; i++) {
        const Choice *choice = &g_array_index(choices, Choice, i);
        if (i + 1 == choices->len) {
            g_string_append_printf(text, choices->len > 1 ? "%s)" : "%s", choice->text);
            break;
        }
        g_autofree char *condition = dt_condition_of_set(skeleton, choice->on, within, &is_or);
        if (!condition)
            return NULL;
        g_string_append_printf(text, "%s ? %s : ", condition, choice->text);
        within = without(skeleton, within, choice->on);
    }
    return g_strdup(text->str);
}

/* What the field says nothing of. */
static void add_others(DtStatement *statement, GArray *choices, const DtField *field, const char *otherwise)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    const DtRankSet *others = without(skeleton, statement->node->on, dt_field_ranks(skeleton, field));
    if (dt_rank_set_count(others) > 0)
        add_choice(skeleton, choices, others, g_strdup(otherwise));
}

static gboolean covers(const DtStatement *statement, const DtField *field)
{
    return dt_field_ranks(statement->generating->skeleton, field) == statement->node->on;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static const char *number_of_word(const char *word)
{
    static const char *const known[][2] = {{"any", "MPI_ANY_TAG"},
                                           {"null", "MPI_PROC_NULL"},
                                           {"undefined", "MPI_UNDEFINED"},
                                           {"in_place", "0"},
                                           {"MPI_ROOT", "MPI_ROOT"}};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_str_equal(word, known[i][0]))
            return known[i][1];
    return NULL;
}

static char *single_number_text(const DtStatement *statement, DtValue value)
{
    if (!dt_value_is_atom(value))
        return g_strdup_printf("%" G_GINT64_FORMAT, value);
    return g_strdup(number_of_word(dt_atoms_text(statement->generating->skeleton->atoms, value)));
}

/* Values by rank; ranks that are not in the set have none. */
typedef struct {
    const DtSkeleton *skeleton;
    const DtRankSet *on;
    const gint64 *value;
} ByRank;

typedef gint64 (*OfRank)(const DtSkeleton *skeleton, guint rank, gint64 a, gint64 b);

static gint64 linear(const DtSkeleton *skeleton, guint rank, gint64 a, gint64 b)
{
    (void)skeleton;
    return a + b * rank;
}

static gint64 quotient(const DtSkeleton *skeleton, guint rank, gint64 a, gint64 b)
{
    (void)skeleton;
    (void)b;
    return rank / a;
}

static gint64 rest(const DtSkeleton *skeleton, guint rank, gint64 a, gint64 b)
{
    (void)skeleton;
    (void)b;
    return rank % a;
}

static gint64 coordinate(const DtSkeleton *skeleton, guint rank, gint64 a, gint64 b)
{
    (void)b;
    return dt_mesh_coordinate(&skeleton->mesh, rank, (guint)a);
}

static gboolean is_all(const ByRank *values, OfRank of, gint64 a, gint64 b)
{
    for (guint rank = dt_rank_set_next(values->on, 0); rank != G_MAXUINT; rank = dt_rank_set_next(values->on, rank + 1))
        if (values->value[rank] != of(values->skeleton, rank, a, b))
            return FALSE;
    return TRUE;
}

static char *linear_text(gint64 a, gint64 b)
{
    if (b == 0)
        return g_strdup_printf("%" G_GINT64_FORMAT, a);
    g_autofree char *ranks = b == 1 ? g_strdup("rank") : g_strdup_printf("%" G_GINT64_FORMAT " * rank", b);
    return a == 0 ? g_strdup(ranks) : g_strdup_printf("%s %c %" G_GINT64_FORMAT, ranks, a < 0 ? '-' : '+', ABS(a));
}

/* What follows from the rank: a line, a quotient or rest, a place in the mesh; NULL: nothing of that. */
static char *law_text(const ByRank *values)
{
    guint first = dt_rank_set_next(values->on, 0), second = dt_rank_set_next(values->on, first + 1);
    gint64 a = values->value[first], b = 0;
    if (second != G_MAXUINT && dt_rank_set_next(values->on, second + 1) != G_MAXUINT &&
        (values->value[second] - a) % (second - first) == 0)
        b = (values->value[second] - a) / (second - first);
    if (is_all(values, linear, a - b * first, b))
        return linear_text(a - b * first, b);
    if (dt_rank_set_count(values->on) < 4)
        return NULL;
    for (guint axis = 0; axis < values->skeleton->mesh.axes && dt_has_mesh(values->skeleton); axis++)
        if (is_all(values, coordinate, axis, 0))
            return g_strdup_printf("%c", "xyzt"[axis]);
    for (guint n = 2; n < values->skeleton->ranks; n++)
        if (is_all(values, quotient, n, 0) || is_all(values, rest, n, 0))
            return g_strdup_printf("rank %c %u", is_all(values, rest, n, 0) ? '%' : '/', n);
    return NULL;
}

/* All pieces are single numbers. */
static char *number_by_rank_text(const DtStatement *statement, const DtField *field)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    g_autofree gint64 *value = g_new0(gint64, skeleton->ranks);
    for (guint i = 0; i < field->pieces->len; i++) {
        const DtPiece *piece = piece_at(field, i);
        if (has_atoms(piece->row))
            return NULL;
        for (guint rank = dt_rank_set_next(piece->on, 0); rank != G_MAXUINT;
             rank = dt_rank_set_next(piece->on, rank + 1))
            value[rank] = first_value(piece->row);
    }
    const ByRank values = {skeleton, statement->node->on, value};
    return law_text(&values);
}

static char *single_numbers_text(DtStatement *statement, const DtField *field, const char *otherwise)
{
    g_autoptr(GArray) choices = choices_new();
    if (covers(statement, field)) {
        char *text = number_by_rank_text(statement, field);
        if (text)
            return text;
    }
    for (guint i = 0; i < field->pieces->len; i++) {
        char *text = single_number_text(statement, first_value(piece_at(field, i)->row));
        if (!text)
            return NULL;
        add_choice(statement->generating->skeleton, choices, piece_at(field, i)->on, text);
    }
    add_others(statement, choices, field, otherwise);
    return choose(statement, choices, statement->node->on);
}

/* What a row goes up by in each round of the loop around; NULL: it does not. Where the loop comes again the row has to
 * begin again, too: behind its end it stays as it was. */
static const DtRowPart *part_of_rounds(const DtStatement *statement, const DtRow *row)
{
    const DtAround *around = statement->around;
    gboolean begins_again = row->parts == 1 && row->part[0].inner;
    while (row->parts == 1 && row->part[0].inner)
        row = row->part[0].inner;
    const DtRowPart *part = &row->part[0];
    return around && (begins_again || !around->comes_again) && row->parts == 1 && !part->inner && part->step != 0 &&
                   (gint64)part->count == around->times
               ? part
               : NULL;
}

/* "i + 5". */
static char *rounds_text(const char *i, gint64 first, gint64 step)
{
    if (step == -1)
        return g_strdup_printf("%" G_GINT64_FORMAT " - %s", first, i);
    g_autofree char *rounds = step == 1 ? g_strdup(i) : g_strdup_printf("%" G_GINT64_FORMAT " * %s", step, i);
    return first == 0 ? g_strdup(rounds)
                      : g_strdup_printf("%s %c %" G_GINT64_FORMAT, rounds, first < 0 ? '-' : '+', ABS(first));
}

/* A row of numbers by the round; NULL: it is none. */
static char *round_text(const DtStatement *statement, const DtRow *row)
{
    const DtRowPart *part = part_of_rounds(statement, row);
    return part && ABS(part->first) <= G_MAXINT ? rounds_text(statement->around->variable, part->first, part->step)
                                                : NULL;
}

static char *number_row_text(DtStatement *statement, const DtField *field, const char *otherwise)
{
    for (guint i = 0; i < field->pieces->len; i++)
        if (has_atoms(piece_at(field, i)->row))
            return NULL;
    if (field->pieces->len == 1) {
        char *text = round_text(statement, piece_at(field, 0)->row);
        if (text)
            return text;
    }
    g_autofree char *name = row_name(statement, field, append_value);
    char *text = g_strdup_printf("next(&%s)", name);
    if (covers(statement, field) || g_str_equal(otherwise, "0"))
        return text;
    g_autofree char *condition = dt_condition(
        statement->generating, dt_field_ranks(statement->generating->skeleton, field), statement->node->on);
    char *both = g_strdup_printf("(%s ? %s : %s)", condition, text, otherwise);
    g_free(text);
    return both;
}

char *dt_number_text(DtStatement *statement, const DtField *field, const char *otherwise)
{
    if (!field)
        return g_strdup(otherwise);
    char *text = is_single(field) ? single_numbers_text(statement, field, otherwise) : NULL;
    return text ? text : number_row_text(statement, field, otherwise);
}

/* ---- strings ------------------------------------------------------------------------------------ */

char *dt_string_text(DtStatement *statement, const DtField *field)
{
    g_autoptr(GArray) choices = choices_new();
    if (!field)
        return g_strdup("\"\"");
    for (guint i = 0; is_single(field) && i < field->pieces->len; i++) {
        GString *text = g_string_new("\"");
        append_value(statement, text, field->kind, first_value(piece_at(field, i)->row), FALSE);
        g_string_append_c(text, '"');
        add_choice(statement->generating->skeleton, choices, piece_at(field, i)->on, g_string_free(text, FALSE));
    }
    if (choices->len > 0)
        add_others(statement, choices, field, "\"\"");
    char *text = choose(statement, choices, statement->node->on);
    if (text)
        return text;
    g_autofree char *name = row_name(statement, field, append_value);
    return g_strdup_printf("next_text(&%s)", name);
}

/* ---- communicators ------------------------------------------------------------------------------ */

static char *communicator_by_number(guint number)
{
    return number == 0   ? g_strdup("MPI_COMM_WORLD")
           : number == 1 ? g_strdup("MPI_COMM_SELF")
                         : g_strdup_printf("comm[%u]", number);
}

/* The one communicator of all ranks at all visits; G_MAXUINT: there are several. */
static guint single_communicator(const DtStatement *statement, const DtField *field)
{
    const DtGenerating *generating = statement->generating;
    if (!field || field->pieces->len != 1 || !is_single(field) || !covers(statement, field))
        return G_MAXUINT;
    DtValue value = first_value(piece_at(field, 0)->row);
    return dt_value_is_atom(value)
               ? dt_communicator_number(generating, dt_atoms_text(generating->skeleton->atoms, value))
               : G_MAXUINT;
}

/* TRUE: all that it names are made. */
static gboolean are_known(const DtStatement *statement, const DtRow *row)
{
    const DtGenerating *generating = statement->generating;
    for (guint i = 0; i < row->parts; i++) {
        const DtRowPart *part = &row->part[i];
        if (part->inner ? !are_known(statement, part->inner)
                        : !dt_value_is_atom(part->first) ||
                              dt_communicator_number(
                                  generating, dt_atoms_text(generating->skeleton->atoms, part->first)) == G_MAXUINT)
            return FALSE;
    }
    return TRUE;
}

const char *dt_communicator_text(DtStatement *statement)
{
    const DtField *field = dt_field_find(statement->node, DT_ARGUMENT_COMMUNICATOR, 0);
    if (statement->communicator)
        return statement->communicator;
    for (guint i = 0; field && i < field->pieces->len; i++)
        if (!are_known(statement, piece_at(field, i)->row))
            statement->is_possible = FALSE;
    if (!field || !covers(statement, field))
        statement->is_possible = FALSE;
    if (!statement->is_possible)
        return statement->communicator = g_strdup("MPI_COMM_NULL");
    guint number = single_communicator(statement, field);
    if (number != G_MAXUINT)
        return statement->communicator = communicator_by_number(number);
    g_autoptr(GArray) choices = choices_new();
    for (guint i = 0; is_single(field) && i < field->pieces->len; i++) {
        const char *name = dt_atoms_text(statement->generating->skeleton->atoms, first_value(piece_at(field, i)->row));
        add_choice(statement->generating->skeleton, choices, piece_at(field, i)->on,
                   communicator_by_number(dt_communicator_number(statement->generating, name)));
    }
    statement->communicator = choose(statement, choices, statement->node->on);
    if (!statement->communicator) {
        g_autofree char *name = row_name(statement, field, append_communicator);
        statement->communicator = dt_once(statement, "MPI_Comm ", "own_comm", g_strdup_printf("comm[next(&%s)]", name));
    }
    return statement->communicator;
}

static gboolean is_same_row(const GArray *a, const GArray *b)
{
    return a && b && a->len == b->len && memcmp(a->data, b->data, a->len * sizeof(DtValue)) == 0;
}

/* By ranks with the same row: "0-3: 2 3; 4-7: 2". */
static char *child_row_name(DtStatement *statement, const GPtrArray *rows)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    g_autoptr(GString) text = g_string_new(NULL);
    const DtRankSet *done = dt_rank_set_of(skeleton->sets, NULL, 0);
    for (guint rank = 0; rank < rows->len; rank++) {
        const GArray *row = rows->pdata[rank];
        if (!row || dt_rank_set_has(done, rank))
            continue;
        const DtRankSet *on = dt_rank_set_of(skeleton->sets, &rank, 1);
        for (guint other = rank + 1; other < rows->len; other++)
            if (is_same_row(row, rows->pdata[other]))
                on = dt_rank_set_union(skeleton->sets, on, dt_rank_set_of(skeleton->sets, &other, 1));
        const DtPiece piece = {on, dt_row_fold((const DtValue *)(gconstpointer)row->data, row->len)};
        append_piece(statement, text, &piece, DT_FIELD_TIMES, append_value, FALSE);
        dt_row_free(piece.row);
        done = dt_rank_set_union(skeleton->sets, done, on);
    }
    return declare_row(statement, DT_ARGUMENT_COMMUNICATOR, text->str);
}

char *dt_child_text(DtStatement *statement)
{
    const GPtrArray *rows = g_hash_table_lookup(statement->generating->children, statement->node);
    gboolean is_one = TRUE;
    DtValue number = 0;
    for (guint rank = 0; rows && rank < rows->len; rank++) {
        const GArray *row = rows->pdata[rank];
        for (guint i = 0; row && i < row->len; i++) {
            is_one = is_one && (number == 0 || number == g_array_index(row, DtValue, i));
            number = g_array_index(row, DtValue, i);
        }
    }
    if (number == 0) { /* the walk was cut short */
        statement->is_possible = FALSE;
        return g_strdup("NULL");
    }
    if (is_one)
        return g_strdup_printf("&comm[%" G_GINT64_FORMAT "]", number);
    g_autofree char *name = child_row_name(statement, rows);
    return g_strdup_printf("&comm[next(&%s)]", name);
}

/* ---- peers -------------------------------------------------------------------------------------- */

/* Where ranks stand in the statement's communicator. */
typedef struct {
    gboolean is_known, is_world;
    DtPeerView *of_rank;
    char *own, *members; /* as expressions */
} View;

static View view_of(DtStatement *statement)
{
    const DtGenerating *generating = statement->generating;
    const DtSkeleton *skeleton = generating->skeleton;
    guint number = single_communicator(statement, dt_field_find(statement->node, DT_ARGUMENT_COMMUNICATOR, 0));
    const char *text = dt_communicator_text(statement);
    View view = {.is_known = number != G_MAXUINT, .is_world = number != G_MAXUINT};
    view.of_rank = g_new0(DtPeerView, skeleton->ranks);
    for (guint rank = dt_rank_set_next(statement->node->on, 0); view.is_known && rank != G_MAXUINT;
         rank = dt_rank_set_next(statement->node->on, rank + 1)) {
        DtPeerView *own = &view.of_rank[rank];
        own->mesh = &skeleton->mesh;
        own->last = skeleton->nobody;
        dt_skeleton_find_member(skeleton, generating->communicators->pdata[number], rank, &own->index, &own->size);
        view.is_world = view.is_world && own->index == rank && own->size == skeleton->ranks;
    }
    view.own = view.is_world ? g_strdup("rank") : g_strdup_printf("rank_in(%s)", text);
    view.members = view.is_world ? g_strdup("size") : g_strdup_printf("size_of(%s)", text);
    return view;
}

static void clear_view(View *view)
{
    g_free(view->of_rank);
    g_free(view->own);
    g_free(view->members);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(View, clear_view)

char *dt_own_rank_text(DtStatement *statement)
{
    g_auto(View) view = view_of(statement);
    return g_strdup(view.own);
}

/* Peers of ranks that have one each, as ranks of the communicator. */
typedef struct {
    const DtRankSet *on;
    gint64 *peer;
} Peers;

static gint64 least_wrapped(gint64 distance, guint size)
{
    const gint64 around = MAX(size, 1);
    return ((distance % around) + around) % around;
}

static gint64 shorter_way(gint64 distance, guint size)
{
    distance = least_wrapped(distance, size);
    return 2 * distance > size ? distance - size : distance;
}

/* The same distance for all, without leaving the communicator, or around its end. */
static char *distance_text(const View *view, const Peers *peers)
{
    guint first = dt_rank_set_next(peers->on, 0);
    gboolean goes_round = FALSE;
    gint64 distance = peers->peer[first] - view->of_rank[first].index;
    for (guint rank = first; rank != G_MAXUINT && !goes_round; rank = dt_rank_set_next(peers->on, rank + 1))
        goes_round = peers->peer[rank] - view->of_rank[rank].index != distance;
    for (guint rank = first; rank != G_MAXUINT && goes_round; rank = dt_rank_set_next(peers->on, rank + 1)) {
        const DtPeerView *own = &view->of_rank[rank];
        if (own->size != view->of_rank[first].size ||
            least_wrapped(peers->peer[rank] - own->index, own->size) != least_wrapped(distance, own->size))
            return NULL;
    }
    if (!goes_round)
        return distance == 0
                   ? g_strdup(view->own)
                   : g_strdup_printf("%s %c %" G_GINT64_FORMAT, view->own, distance < 0 ? '-' : '+', ABS(distance));
    guint size = view->of_rank[first].size;
    distance = least_wrapped(distance, size);
    return 2 * distance > size
               ? g_strdup_printf("(%s + %s - %" G_GINT64_FORMAT ") %% %s", view->own, view->members, size - distance,
                                 view->members)
               : g_strdup_printf("(%s + %" G_GINT64_FORMAT ") %% %s", view->own, distance, view->members);
}

static char *constant_text(const Peers *peers)
{
    guint first = dt_rank_set_next(peers->on, 0);
    for (guint rank = first; rank != G_MAXUINT; rank = dt_rank_set_next(peers->on, rank + 1))
        if (peers->peer[rank] != peers->peer[first])
            return NULL;
    return g_strdup_printf("%" G_GINT64_FORMAT, peers->peer[first]);
}

static char *bits_text(const View *view, const Peers *peers)
{
    guint first = dt_rank_set_next(peers->on, 0);
    gint64 bits = peers->peer[first] ^ view->of_rank[first].index;
    for (guint rank = first; rank != G_MAXUINT; rank = dt_rank_set_next(peers->on, rank + 1))
        if ((peers->peer[rank] ^ view->of_rank[rank].index) != bits)
            return NULL;
    return g_strdup_printf("%s ^ %" G_GINT64_FORMAT, view->own, bits);
}

/* "at(x + 1, y)". */
static char *place_text(const DtSkeleton *skeleton, DtValue value)
{
    g_autoptr(GString) steps = g_string_new(NULL), text = g_string_new("at(");
    dt_peer_append(steps, value, FALSE);
    for (guint axis = 0; axis < skeleton->mesh.axes; axis++) {
        char name = "xyzt"[axis];
        const char *own = strchr(steps->str, name);
        g_string_append_printf(text, "%s%c", axis > 0 ? ", " : "", name);
        if (own)
            g_string_append_printf(text, " %c %" G_GINT64_FORMAT, own[1], g_ascii_strtoll(own + 2, NULL, 10));
    }
    return g_strdup_printf("%s)", text->str);
}

static char *steps_text(const DtSkeleton *skeleton, const View *view, const Peers *peers)
{
    DtValue common = 0, steps;
    guint first = dt_rank_set_next(peers->on, 0);
    if (!view->is_world || !dt_has_mesh(skeleton))
        return NULL;
    for (guint rank = first; rank != G_MAXUINT; rank = dt_rank_set_next(peers->on, rank + 1)) {
        if (!dt_peer_in_form(shorter_way(peers->peer[rank] - rank, skeleton->ranks), DT_BY_STEPS, &view->of_rank[rank],
                             &steps) ||
            (rank != first && steps != common))
            return NULL;
        common = steps;
    }
    return place_text(skeleton, common);
}

/* In the form that the skeleton has first. */
static char *common_peer_text(const DtSkeleton *skeleton, const View *view, const Peers *peers, DtValue form)
{
    char *text = NULL;
    if (form >= DT_PEER_STEPS)
        text = steps_text(skeleton, view, peers);
    else if (form >= DT_PEER_BITS)
        text = bits_text(view, peers);
    else if (form < DT_PEER_NUMBERS)
        text = distance_text(view, peers);
    text = text ? text : constant_text(peers);
    text = text ? text : distance_text(view, peers);
    text = text ? text : steps_text(skeleton, view, peers);
    return text ? text : bits_text(view, peers);
}

/* Of a piece whose value is a word: "null", "any", "last". FALSE: it is none. */
static gboolean peer_of_word(const DtStatement *statement, DtValue value, char **text)
{
    *text = NULL;
    if (dt_value_is_atom(value)) {
        const char *word = dt_atoms_text(statement->generating->skeleton->atoms, value);
        *text = g_strdup(g_str_equal(word, "any")    ? "MPI_ANY_SOURCE"
                         : g_str_equal(word, "null") ? "MPI_PROC_NULL"
                                                     : "size"); /* a rank that there is not, as it was */
        return TRUE;
    }
    if (value == DT_PEER_LAST)
        *text = g_strdup("last");
    return value == DT_PEER_LAST;
}

static void find_peers(const View *view, const DtPiece *piece, gint64 *peer)
{
    for (guint rank = dt_rank_set_next(piece->on, 0); rank != G_MAXUINT; rank = dt_rank_set_next(piece->on, rank + 1)) {
        const DtPeerView *own = &view->of_rank[rank];
        peer[rank] = least_wrapped(own->index + dt_peer_distance(first_value(piece->row), own), own->size);
    }
}

/* One for all ranks; else one for each piece. */
static char *single_peers_text(DtStatement *statement, const DtField *field, const View *view)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    g_autofree gint64 *peer = g_new0(gint64, skeleton->ranks);
    g_autoptr(GArray) choices = choices_new();
    const DtRankSet *numbers = dt_rank_set_of(skeleton->sets, NULL, 0);
    for (guint i = 0; i < field->pieces->len; i++) {
        const DtPiece *piece = piece_at(field, i);
        char *text;
        if (peer_of_word(statement, first_value(piece->row), &text)) {
            add_choice(skeleton, choices, piece->on, text);
            continue;
        }
        if (!view->is_known)
            return NULL;
        find_peers(view, piece, peer);
        numbers = dt_rank_set_union(skeleton->sets, numbers, piece->on);
    }
    const Peers all = {numbers, peer};
    DtValue form = first_value(piece_at(field, 0)->row);
    char *text = dt_rank_set_count(numbers) > 0 ? common_peer_text(skeleton, view, &all, form) : NULL;
    if (text)
        add_choice(skeleton, choices, numbers, text);
    for (guint i = 0; !text && i < field->pieces->len; i++) {
        const DtPiece *piece = piece_at(field, i);
        const Peers own = {piece->on, peer};
        char *word;
        if (peer_of_word(statement, first_value(piece->row), &word)) {
            g_free(word);
            continue;
        }
        word = common_peer_text(skeleton, view, &own, first_value(piece->row));
        if (!word)
            return NULL;
        add_choice(skeleton, choices, piece->on, word);
    }
    add_others(statement, choices, field, "MPI_PROC_NULL");
    return choose(statement, choices, statement->node->on);
}

/* Peers that go up by the round, told as ranks, or from one rank's place; not in a loop that may go round more often.
 */
static char *peer_round_text(const DtStatement *statement, const DtField *field, const View *view)
{
    const DtRowPart *part =
        field->pieces->len == 1 && view->is_world ? part_of_rounds(statement, piece_at(field, 0)->row) : NULL;
    if (!part || statement->around->is_main || !covers(statement, field))
        return NULL;
    gint64 first = part->first - DT_PEER_RANK;
    if (ABS(part->first) < DT_PEER_NUMBERS && dt_rank_set_count(statement->node->on) == 1)
        first = part->first + dt_rank_set_next(statement->node->on, 0);
    gint64 last = first + part->step * (gint64)(part->count - 1), size = statement->generating->skeleton->ranks;
    return MIN(first, last) >= 0 && MAX(first, last) < size
               ? rounds_text(statement->around->variable, first, part->step)
               : NULL;
}

char *dt_peer_text(DtStatement *statement, const DtField *field)
{
    if (!field)
        return g_strdup("MPI_PROC_NULL");
    g_auto(View) view = view_of(statement);
    char *text =
        is_single(field) ? single_peers_text(statement, field, &view) : peer_round_text(statement, field, &view);
    if (text)
        return text;
    g_autofree char *name = row_name(statement, field, append_value);
    return g_strdup_printf("next_peer(&%s, %s, %s)", name, view.own, view.members);
}

char *dt_key_text(DtStatement *statement, const DtField *field)
{
    const DtSkeleton *skeleton = statement->generating->skeleton;
    g_auto(View) view = view_of(statement);
    if (!field)
        return g_strdup("0");
    if (view.is_known && is_single(field) && covers(statement, field)) {
        g_autofree gint64 *key = g_new0(gint64, skeleton->ranks);
        const ByRank keys = {skeleton, statement->node->on, key};
        gboolean has_words = FALSE;
        for (guint i = 0; i < field->pieces->len; i++) {
            const DtPiece *piece = piece_at(field, i);
            has_words = has_words || has_atoms(piece->row);
            for (guint rank = dt_rank_set_next(piece->on, 0); rank != G_MAXUINT;
                 rank = dt_rank_set_next(piece->on, rank + 1))
                key[rank] = first_value(piece->row) + view.of_rank[rank].index;
        }
        char *text = has_words ? NULL : law_text(&keys);
        if (text)
            return text;
    }
    g_autofree char *less = dt_number_text(statement, field, "0");
    return less ? g_strdup_printf("%s + %s", view.own, less) : NULL;
}
