/* The notation of filters, `11.mpiall.cust:^foo.0K10` or `mpicol,mem`: reading and writing it. */
#include <string.h>

#include "filters/categories.h"
#include "filters/filter.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_filter_error, dt_filter_error)

static const char CUSTOM[] = "cust";

/* What stands before an expression, by DtPartKind. */
static const char *const expression_prefixes[] = {
    [DT_PART_FUNCTION] = "cust:", [DT_PART_CALLER] = "caller:", [DT_PART_UNDER] = "under:"};

/* The kind of the expression that begins here, or -1. */
static int expression_kind(const char *text)
{
    for (guint kind = 0; kind < G_N_ELEMENTS(expression_prefixes); kind++) {
        if (g_str_has_prefix(text, expression_prefixes[kind]))
            return (int)kind;
    }
    return -1;
}

static gboolean is_separator(char character)
{
    return character == '.' || character == ',';
}

static gsize word_length(const char *text)
{
    return strcspn(text, ".,");
}

/* ---- the end: K and the NLR constant ------------------------------------------------ */

/* Length of `text` without a last ".0K<digits>" (or ",0K<digits>"); `digits` gets where they start, else NULL. */
static gsize length_without_k(const char *text, const char **digits)
{
    gsize length = strlen(text);
    gsize start = length;
    *digits = NULL;
    while (start > 0 && g_ascii_isdigit(text[start - 1]))
        start--;
    if (start == length || start < 2 || text[start - 1] != 'K' || text[start - 2] != '0')
        return length;
    if (start > 2 && !is_separator(text[start - 3]))
        return length;
    *digits = text + start;
    return start > 2 ? start - 3 : 0;
}

static gboolean parse_k(const char *digits, guint *k, GError **error)
{
    guint64 value = 0;
    if (!g_ascii_string_to_unsigned(digits, 10, 1, DT_FILTER_MAX_K, &value, NULL)) {
        dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_SYNTAX, "K must be a number from 1 to %u, not %s",
                     DT_FILTER_MAX_K, digits);
        return FALSE;
    }
    *k = (guint)value;
    return TRUE;
}

/* ---- the beginning: the two digits ---------------------------------------------------- */

/* Reads the leading digits if `word` starts with any; returns its length with the separator, 0 without or on error. */
static gsize parse_digits(DtFilter *filter, const char *word, GError **error)
{
    gsize length = word_length(word);
    if (length == 0 || strspn(word, "0123456789") < length)
        return 0;
    if (length != 2 || strspn(word, "01") < 2) {
        dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_SYNTAX,
                     "'%.*s' must be two digits 0 or 1, the first 1 to drop returns, the second 1 to drop .plt",
                     (int)length, word);
        return 0;
    }
    filter->drop_returns = word[0] == '1';
    filter->drop_anonymous_plt = word[1] == '1';
    return word[length] == '\0' ? length : length + 1;
}

/* ---- the categories --------------------------------------------------------------------- */

static gboolean same_part(const DtFilterPart *a, const DtFilterPart *b)
{
    if (a->category != b->category || a->kind != b->kind)
        return FALSE;
    return a->category != DT_CATEGORY_NONE || strcmp(dt_regex_pattern(a->regex), dt_regex_pattern(b->regex)) == 0;
}

/* Takes the part. */
static void add_part(DtFilter *filter, DtFilterPart part)
{
    for (guint i = 0; i < filter->parts->len; i++)
        if (same_part(&g_array_index(filter->parts, DtFilterPart, i), &part)) {
            dt_regex_free(part.regex);
            return;
        }
    g_array_append_val(filter->parts, part);
}

static gboolean is_category(const char *text)
{
    gsize length = word_length(text);
    return dt_category_find(text, length) != DT_CATEGORY_NONE ||
           (length == strlen(CUSTOM) && strncmp(text, CUSTOM, length) == 0);
}

/*
 * An expression ends before the next ".cust:", ".caller:" or ".under:". A category after it could as well be
 * a part of it, so nobody guesses: that is an error (length 0).
 */
static gsize regex_length(const char *text, const char *prefix, GError **error)
{
    gsize length = 0;
    while (text[length] != '\0') {
        const char *next = text + length + 1;
        if (text[length] == '\\' && *next != '\0') {
            length += 2;
            continue;
        }
        if (is_separator(text[length]) && expression_kind(next) >= 0)
            break;
        if (is_separator(text[length]) && is_category(next)) {
            int word = (int)word_length(next);
            dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_SYNTAX,
                         "'%.*s' follows a %s expression: write categories before %s, or, if it belongs to the "
                         "expression, \\%c%.*s for the character itself and (?:.)%.*s for any",
                         word, next, prefix, prefix, text[length], word, next, word, next);
            return 0;
        }
        length++;
    }
    if (length == 0)
        dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_SYNTAX,
                     "'%s' needs a regular expression right after the colon, e.g. %s^CPU_", prefix, prefix);
    return length;
}

/* Reads `cust:REGEX` and its like; returns its length, 0 on error. */
static gsize parse_expression(DtFilter *filter, DtPartKind kind, const char *text, GError **error)
{
    const char *prefix = expression_prefixes[kind];
    gsize start = strlen(prefix);
    gsize length = regex_length(text + start, prefix, error);
    if (length == 0)
        return 0;
    g_autofree char *pattern = g_strndup(text + start, length);
    DtFilterPart part = {DT_CATEGORY_NONE, dt_regex_new(pattern, error), kind};
    if (!part.regex)
        return 0;
    add_part(filter, part);
    return start + length;
}

static void set_unknown_error(GError **error, const char *word)
{
    const char *closest = dt_category_closest(word);
    g_autofree char *function = strchr(word, '_') ? g_strconcat("cust:", word, NULL) : NULL;
    GString *text = g_string_new(NULL);
    if (function && closest)
        g_string_append_printf(text, "did you mean '%s' or '%s'? ", closest, function);
    else if (function || closest)
        g_string_append_printf(text, "did you mean '%s'? ", closest ? closest : function);
    g_string_append(text, "(categories:");
    for (const DtFilterCategory *category = dt_filter_categories(); category->name; category++)
        g_string_append_printf(text, " %s", category->name);
    dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_UNKNOWN, "unknown category '%s': %s)", word, text->str);
    g_string_free(text, TRUE);
}

/* Reads one category or expression; returns its length, 0 on error. */
static gsize parse_part(DtFilter *filter, const char *text, GError **error)
{
    int kind = expression_kind(text);
    if (kind >= 0)
        return parse_expression(filter, (DtPartKind)kind, text, error);
    gsize length = word_length(text);
    g_autofree char *word = g_strndup(text, length);
    DtFilterPart part = {dt_category_find(word, length), NULL, DT_PART_FUNCTION};
    if (part.category != DT_CATEGORY_NONE) {
        add_part(filter, part);
        return length;
    }
    if (length == 0)
        dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_SYNTAX,
                     "a category is missing before or after a separator");
    else if (strcmp(word, CUSTOM) == 0)
        dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_SYNTAX,
                     "'cust' must say what to keep: write cust:REGEX, e.g. 11.mem.cust:^CPU_Exec");
    else
        set_unknown_error(error, word);
    return 0;
}

static gboolean parse_parts(DtFilter *filter, const char *text, GError **error)
{
    if (*text == '\0') {
        dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_SYNTAX,
                     "it names no category: add one, e.g. mpiall, or all to keep everything");
        return FALSE;
    }
    for (;;) {
        gsize length = parse_part(filter, text, error);
        if (length == 0)
            return FALSE;
        text += length;
        if (*text == '\0')
            return TRUE;
        text++;
    }
}

/* ---- filters ---------------------------------------------------------------------------------- */

static void clear_part(gpointer part)
{
    dt_regex_free(((DtFilterPart *)part)->regex);
}

static DtFilter *filter_new(void)
{
    DtFilter *filter = g_atomic_rc_box_new0(DtFilter);
    filter->drop_returns = TRUE;
    filter->drop_anonymous_plt = TRUE;
    filter->parts = g_array_new(FALSE, FALSE, sizeof(DtFilterPart));
    g_array_set_clear_func(filter->parts, clear_part);
    return filter;
}

static gboolean parse_filter(DtFilter *filter, const char *text, GError **error)
{
    const char *digits = NULL;
    g_autofree char *body = g_strndup(text, length_without_k(text, &digits));
    if (digits && !parse_k(digits, &filter->k, error))
        return FALSE;
    GError *failure = NULL;
    gsize start = parse_digits(filter, body, &failure);
    if (failure) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    return parse_parts(filter, body + start, error);
}

DtFilter *dt_filter_parse(const char *text, GError **error)
{
    g_autoptr(DtFilter) filter = filter_new();
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    if (!parse_filter(filter, trimmed, error)) {
        g_autofree char *line = dt_text_line(trimmed);
        g_prefix_error(error, "filter '%s': ", line);
        return NULL;
    }
    return g_steal_pointer(&filter);
}

DtFilter *dt_filter_ref(DtFilter *filter)
{
    return g_atomic_rc_box_acquire(filter);
}

static void filter_clear(gpointer filter)
{
    g_array_unref(((DtFilter *)filter)->parts);
}

void dt_filter_unref(DtFilter *filter)
{
    if (filter)
        g_atomic_rc_box_release_full(filter, filter_clear);
}

char *dt_filter_notation(const DtFilter *filter, guint k)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%d%d", filter->drop_returns, filter->drop_anonymous_plt);
    for (guint i = 0; i < filter->parts->len; i++) {
        const DtFilterPart *part = &g_array_index(filter->parts, DtFilterPart, i);
        if (part->category != DT_CATEGORY_NONE)
            g_string_append_printf(text, ".%s", dt_category_name(part->category));
        else
            g_string_append_printf(text, ".%s%s", expression_prefixes[part->kind], dt_regex_pattern(part->regex));
    }
    g_string_append_printf(text, ".0K%u", dt_filter_k(filter, k));
    return g_string_free(text, FALSE);
}

guint dt_filter_k(const DtFilter *filter, guint otherwise)
{
    return filter->k != 0 ? filter->k : otherwise;
}

gboolean dt_filter_drops_returns(const DtFilter *filter)
{
    return filter->drop_returns;
}
