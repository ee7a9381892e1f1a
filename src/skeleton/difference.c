#include "skeleton/difference.h"

#include <string.h>

#include "calls/calls.h"
#include "skeleton/alignment.h"

/* What alike lines weigh, as in merging. */
enum { SAME = 8, ALIKE = 1, EQUAL_VALUE = 1, COLLECTIVE = 16, MOST_CELLS = 1 << 26 };

/* A line of a skeleton, with those within. */
typedef struct {
    char *on;            /* "on 0-3: " less its words; "": all */
    char *name;          /* of a call or of a line of the head; of loops "times" */
    char *values;        /* all behind the name */
    GPtrArray *fields;   /* char * */
    GPtrArray *outcomes; /* char *: "got +1" */
    GPtrArray *children; /* Line; NULL: none */
    gboolean is_thread;  /* whose lines stand no further to the right */
    guint size;
} Line;

static void free_line(gpointer data)
{
    Line *line = data;
    g_free(line->on);
    g_free(line->name);
    g_free(line->values);
    g_ptr_array_unref(line->fields);
    g_ptr_array_unref(line->outcomes);
    g_clear_pointer(&line->children, g_ptr_array_unref);
    g_free(line);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Splits where no bracket is open. */
static void split(GPtrArray *parts, const char *text, gsize length, const char *separator)
{
    const gsize width = strlen(separator);
    int open = 0;
    gsize start = 0;
    for (gsize i = 0; i < length; i++) {
        open += strchr("([{<", text[i]) ? 1 : strchr(")]}", text[i]) ? -1 : 0;
        open -= text[i] == '>' ? 1 : 0;
        if (open != 0 || length - i < width || memcmp(text + i, separator, width) != 0)
            continue;
        g_ptr_array_add(parts, g_strndup(text + start, i - start));
        start = i + width;
    }
    if (length > start)
        g_ptr_array_add(parts, g_strndup(text + start, length - start));
}

static Line *line_new(void)
{
    Line *line = g_new0(Line, 1);
    line->fields = g_ptr_array_new_with_free_func(g_free);
    line->outcomes = g_ptr_array_new_with_free_func(g_free);
    return line;
}

/* "MPI_Send(world, to +1); got 2" */
static void read_call(Line *line, const char *text)
{
    gsize name = strcspn(text, "(;");
    line->name = g_strndup(text, name);
    const char *at = text + name;
    if (*at == '(') {
        int open = 1;
        const char *end = at + 1;
        for (; *end && open > 0; end++)
            open += *end == '(' ? 1 : *end == ')' ? -1 : 0;
        split(line->fields, at + 1, (gsize)(end - at - 1) - (open == 0 ? 1 : 0), ", ");
        at = end;
    }
    while (*at == ';' || *at == ' ')
        at++;
    split(line->outcomes, at, strlen(at), "; ");
}

static gboolean is_loop(const char *text)
{
    return g_str_has_suffix(text, " times");
}

/* Without indentation and comment. */
static Line *read_line(char *text)
{
    Line *line = line_new();
    char *comment = strstr(text, "  # ");
    if (comment)
        *comment = '\0';
    const char *colon = g_str_has_prefix(text, "on ") ? strstr(text, ": ") : NULL;
    line->on = colon ? g_strndup(text + 3, (gsize)(colon - text - 3)) : g_strdup("");
    const char *rest = colon ? colon + 2 : text;
    if (is_loop(rest)) {
        line->name = g_strdup("times");
        g_ptr_array_add(line->fields, g_strndup(rest, strlen(rest) - strlen(" times")));
        line->children = g_ptr_array_new_with_free_func(free_line);
    } else if (g_str_has_prefix(rest, "comm ")) {
        gsize name = strlen("comm ") + strcspn(rest + strlen("comm "), " ");
        line->name = g_strndup(rest, name);
        g_ptr_array_add(line->fields, g_strdup(rest[name] ? rest + name + 1 : ""));
    } else if (g_str_has_prefix(rest, "ranks ") || g_str_has_prefix(rest, "mesh ")) {
        line->name = g_strndup(rest, strcspn(rest, " "));
        g_ptr_array_add(line->fields, g_strdup(strchr(rest, ' ') + 1));
    } else if (g_str_has_prefix(rest, "thread ")) {
        line->name = g_strdup(rest);
        line->is_thread = TRUE;
        line->children = g_ptr_array_new_with_free_func(free_line);
    } else {
        read_call(line, rest);
    }
    line->values = g_strdup(rest);
    return line;
}

static guint count_lines(GPtrArray *lines)
{
    guint size = 0;
    for (guint i = 0; i < lines->len; i++) {
        Line *line = lines->pdata[i];
        line->size = 1 + (line->children ? count_lines(line->children) : 0);
        size += line->size;
    }
    return size;
}

static GPtrArray *read_lines(const char *text)
{
    enum { MOST_DEPTH = 80 };
    GPtrArray *top = g_ptr_array_new_with_free_func(free_line), *within[MOST_DEPTH + 1] = {top};
    g_auto(GStrv) rows = g_strsplit(text, "\n", -1);
    for (guint i = 0; rows[i]; i++) {
        gsize blanks = strspn(rows[i], " ");
        gsize depth = MIN(blanks / 2, MOST_DEPTH - 1);
        if (!rows[i][blanks] || rows[i][blanks] == '#' || g_str_has_prefix(rows[i], "difftrace skeleton"))
            continue;
        Line *line = read_line(rows[i] + blanks);
        g_ptr_array_add(line->is_thread || !within[depth] ? top : within[depth], line);
        if (line->is_thread)
            within[0] = line->children;
        else if (line->children)
            within[depth + 1] = line->children;
    }
    (void)count_lines(top);
    return top;
}

/* ---- aligning -------------------------------------------------------------------------------- */

/* "tag" of "tag 5"; what stands by itself has none. */
static gsize word_length(const char *field)
{
    gsize length = strspn(field, "abcdefghijklmnopqrstuvwxyz-");
    return field[length] == ' ' ? length : 0;
}

static gboolean has_same_fields(const Line *a, const Line *b)
{
    if (a->fields->len != b->fields->len || !g_str_equal(a->name, b->name))
        return FALSE;
    for (guint i = 0; i < a->fields->len; i++) {
        const char *one = a->fields->pdata[i], *other = b->fields->pdata[i];
        gsize word = word_length(one);
        if (word != word_length(other) || strncmp(one, other, word) != 0)
            return FALSE;
    }
    return TRUE;
}

static guint weight_of(const Line *line)
{
    const struct dt_call *call = dt_call_find(line->name);
    return call && call->properties & DT_CALL_COLLECTIVE ? COLLECTIVE : 1;
}

static guint score_calls(const Line *a, const Line *b)
{
    if (!has_same_fields(a, b))
        return 0;
    if (g_str_equal(a->values, b->values))
        return SAME * weight_of(a) + (g_str_equal(a->on, b->on) ? 1 : 0);
    guint score = ALIKE * weight_of(a);
    for (guint i = 0; i < a->fields->len; i++)
        score += g_str_equal(a->fields->pdata[i], b->fields->pdata[i]) ? EQUAL_VALUE : 0;
    return score;
}

static guint align(GHashTable *scores, const GPtrArray *a, const GPtrArray *b, GArray *pairs);

static guint score(GHashTable *scores, const Line *a, const Line *b)
{
    if (!a->children || !b->children)
        return a->children || b->children ? 0 : score_calls(a, b);
    if (a->is_thread || b->is_thread)
        return g_str_equal(a->name, b->name) ? G_MAXUINT16 : 0;
    g_autofree char *key = g_strdup_printf("%p %p", (const void *)a, (const void *)b);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(scores, key));
    if (known)
        return known - 1;
    /* Half of what the smaller one could have is needed. */
    guint found = align(scores, a->children, b->children, NULL);
    found = found >= SAME / 2 * (MIN(a->size, b->size) - 1) ? found + 1 : 0;
    g_hash_table_insert(scores, g_steal_pointer(&key), GUINT_TO_POINTER(found + 1));
    return found;
}

typedef struct {
    GHashTable *scores;
    const GPtrArray *a, *b;
} Aligning;

static guint score_pair(gpointer data, guint a, guint b)
{
    const Aligning *aligning = data;
    return score(aligning->scores, aligning->a->pdata[a], aligning->b->pdata[b]);
}

/* `pairs` may be NULL. */
static guint align(GHashTable *scores, const GPtrArray *a, const GPtrArray *b, GArray *pairs)
{
    Aligning aligning = {scores, a, b};
    if (((gsize)a->len + 1) * ((gsize)b->len + 1) > MOST_CELLS)
        return 0;
    return dt_alignment(a->len, b->len, score_pair, &aligning, pairs);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void add_line(DtSkeletonDifference *difference, DtLineKind kind, guint depth, char *text)
{
    DtDifferenceLine *line = g_new0(DtDifferenceLine, 1);
    line->kind = kind;
    line->text = g_strdup_printf("%*s%s", (int)(2 * depth), "", text);
    g_ptr_array_add(difference->lines, line);
    difference->count[kind]++;
    g_free(text);
}

static char *line_text(const Line *line)
{
    return *line->on ? g_strdup_printf("on %s: %s", line->on, line->values) : g_strdup(line->values);
}

static void add_only(DtSkeletonDifference *difference, DtLineKind kind, guint depth, const Line *line)
{
    add_line(difference, kind, depth, line_text(line));
    for (guint i = 0; line->children && i < line->children->len; i++)
        add_only(difference, kind, depth + (line->is_thread ? 0 : 1), line->children->pdata[i]);
}

static void append_change(GString *text, const char *old, const char *new)
{
    gsize word = word_length(old);
    if (g_str_equal(old, new))
        g_string_append(text, old);
    else if (word > 0 && word == word_length(new) && strncmp(old, new, word) == 0)
        g_string_append_printf(text, "%s => %s", old, new + word + 1);
    else
        g_string_append_printf(text, "%s => %s", old, new);
}

static const char *outcome_with(const Line *line, const char *like)
{
    gsize word = word_length(like);
    for (guint i = 0; i < line->outcomes->len; i++) {
        const char *own = line->outcomes->pdata[i];
        if (word_length(own) == word && strncmp(own, like, word) == 0)
            return own;
    }
    return NULL;
}

static void append_outcomes(GString *text, const Line *a, const Line *b)
{
    for (guint i = 0; i < a->outcomes->len; i++) {
        const char *old = a->outcomes->pdata[i], *new = outcome_with(b, old);
        g_string_append(text, "; ");
        append_change(text, old, new ? new : "nothing");
    }
    for (guint i = 0; i < b->outcomes->len; i++) {
        const char *new = b->outcomes->pdata[i];
        if (!outcome_with(a, new))
            g_string_append_printf(text, "; nothing => %s", new);
    }
}

static char *change_text(const Line *a, const Line *b)
{
    GString *text = g_string_new(NULL);
    gboolean of_head = !g_str_has_prefix(a->name, "MPI_") && !a->children;
    if (*a->on || *b->on) {
        g_string_append(text, "on ");
        append_change(text, *a->on ? a->on : "all", *b->on ? b->on : "all");
        g_string_append(text, ": ");
    }
    if (!a->children)
        g_string_append_printf(text, "%s%s", a->name, a->fields->len == 0 ? "" : of_head ? " " : "(");
    for (guint i = 0; i < a->fields->len; i++) {
        g_string_append(text, i > 0 ? ", " : "");
        append_change(text, a->fields->pdata[i], b->fields->pdata[i]);
    }
    if (a->children)
        g_string_append(text, " times");
    else if (a->fields->len > 0 && !of_head)
        g_string_append_c(text, ')');
    append_outcomes(text, a, b);
    return g_string_free(text, FALSE);
}

static void add_lines(DtSkeletonDifference *difference, GHashTable *scores, guint depth, const GPtrArray *a,
                      const GPtrArray *b);

static void add_pair(DtSkeletonDifference *difference, GHashTable *scores, guint depth, const Line *a, const Line *b)
{
    gboolean same = g_str_equal(a->values, b->values) && g_str_equal(a->on, b->on);
    add_line(difference, same ? DT_LINE_SAME : DT_LINE_CHANGED, depth, same ? line_text(a) : change_text(a, b));
    if (a->children && b->children)
        add_lines(difference, scores, depth + (a->is_thread ? 0 : 1), a->children, b->children);
}

static void add_lines(DtSkeletonDifference *difference, GHashTable *scores, guint depth, const GPtrArray *a,
                      const GPtrArray *b)
{
    g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(DtAlignedPair));
    (void)align(scores, a, b, pairs);
    DtAlignedPair end = {a->len, b->len};
    g_array_append_val(pairs, end);
    guint i = 0, k = 0;
    for (guint p = 0; p < pairs->len; p++) {
        DtAlignedPair pair = g_array_index(pairs, DtAlignedPair, p);
        for (; i < pair.a; i++)
            add_only(difference, DT_LINE_ONLY_FIRST, depth, a->pdata[i]);
        for (; k < pair.b; k++)
            add_only(difference, DT_LINE_ONLY_SECOND, depth, b->pdata[k]);
        if (i < a->len && k < b->len)
            add_pair(difference, scores, depth, a->pdata[i++], b->pdata[k++]);
    }
}

static void free_difference_line(gpointer data)
{
    g_free(((DtDifferenceLine *)data)->text);
    g_free(data);
}

DtSkeletonDifference *dt_skeleton_difference_new(const char *first, const char *second)
{
    g_autoptr(GPtrArray) a = read_lines(first), b = read_lines(second);
    g_autoptr(GHashTable) scores = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    DtSkeletonDifference *difference = g_new0(DtSkeletonDifference, 1);
    difference->lines = g_ptr_array_new_with_free_func(free_difference_line);
    add_lines(difference, scores, 0, a, b);
    return difference;
}

void dt_skeleton_difference_free(DtSkeletonDifference *difference)
{
    if (!difference)
        return;
    g_ptr_array_unref(difference->lines);
    g_free(difference);
}

gboolean dt_skeletons_are_equal(const DtSkeletonDifference *difference)
{
    return difference->count[DT_LINE_SAME] == difference->lines->len;
}
