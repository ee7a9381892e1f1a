/* Regular expressions over function names, by PCRE2. */
#include "filters/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "filters/filters.h"
#include "text/text.h"

struct DtRegex {
    char *pattern;
    pcre2_code *code;
};

struct DtRegexMatcher {
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
};

/* Templates make names of many kilobytes. */
enum { LEAST_JIT_STACK = 32 * 1024, LARGEST_JIT_STACK = 1024 * 1024, MESSAGE_SIZE = 256 };

static char *reason_of(int code)
{
    char message[MESSAGE_SIZE] = "";
    pcre2_get_error_message(code, (PCRE2_UCHAR *)message, sizeof message);
    return g_strdup(message);
}

static void set_pattern_error(GError **error, const char *pattern, int code, gsize offset)
{
    g_autofree char *reason = reason_of(code);
    g_autofree char *before = g_strndup(pattern, MIN(offset, strlen(pattern)));
    g_autofree char *shown = dt_text_line(before); /* the caret stays under its place */
    dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_REGEX,
                 "bad regular expression: %s at offset %" G_GSIZE_FORMAT "\n  %s\n  %*s^", reason, offset, pattern,
                 (int)g_utf8_strlen(shown, -1), "");
}

DtRegex *dt_regex_new(const char *pattern, GError **error)
{
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code *compiled =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                      PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &offset, NULL);
    if (!compiled) {
        set_pattern_error(error, pattern, code, offset);
        return NULL;
    }
    /* Where the system forbids just-in-time code, PCRE2 interprets. */
    (void)pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
    DtRegex *regex = g_new(DtRegex, 1);
    regex->pattern = g_strdup(pattern);
    regex->code = compiled;
    return regex;
}

void dt_regex_free(DtRegex *regex)
{
    if (!regex)
        return;
    pcre2_code_free(regex->code);
    g_free(regex->pattern);
    g_free(regex);
}

const char *dt_regex_pattern(const DtRegex *regex)
{
    return regex->pattern;
}

DtRegexMatcher *dt_regex_matcher_new(void)
{
    DtRegexMatcher *matcher = g_new(DtRegexMatcher, 1);
    matcher->data = pcre2_match_data_create(1, NULL);
    matcher->context = pcre2_match_context_create(NULL);
    matcher->stack = pcre2_jit_stack_create(LEAST_JIT_STACK, LARGEST_JIT_STACK, NULL);
    pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
    return matcher;
}

void dt_regex_matcher_free(DtRegexMatcher *matcher)
{
    if (!matcher)
        return;
    pcre2_jit_stack_free(matcher->stack);
    pcre2_match_context_free(matcher->context);
    pcre2_match_data_free(matcher->data);
    g_free(matcher);
}

gboolean dt_regex_match(const DtRegex *regex, DtRegexMatcher *matcher, const char *text, gboolean *matches,
                        GError **error)
{
    int result = pcre2_match(regex->code, (PCRE2_SPTR)text, strlen(text), 0, 0, matcher->data, matcher->context);
    *matches = result >= 0;
    if (result >= 0 || result == PCRE2_ERROR_NOMATCH)
        return TRUE;
    g_autofree char *reason = reason_of(result);
    dt_set_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_REGEX,
                 "regular expression '%s' gave up on function '%s': %s: write it with less backtracking",
                 regex->pattern, text, reason);
    return FALSE;
}
