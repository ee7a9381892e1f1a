/**
 * Regular expressions over function names: PCRE2, compiled with its JIT.
 */
#ifndef DT_FILTERS_REGEX_H
#define DT_FILTERS_REGEX_H

#include <glib.h>

/** A compiled expression; immutable, usable from many threads. */
typedef struct DtRegex DtRegex;
/** DT_FILTER_ERROR_REGEX: reason, pattern and a caret at the offset, on three lines. */
DtRegex *dt_regex_new(const char *pattern, GError **error);
void dt_regex_free(DtRegex *regex);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRegex, dt_regex_free)
const char *dt_regex_pattern(const DtRegex *regex);

/** What matching needs to write on; one per thread. */
typedef struct DtRegexMatcher DtRegexMatcher;
DtRegexMatcher *dt_regex_matcher_new(void);
void dt_regex_matcher_free(DtRegexMatcher *matcher);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRegexMatcher, dt_regex_matcher_free)

/** Sets `matches` to whether `regex` matches somewhere in `text`; FALSE with `error` if PCRE2 gives up. */
gboolean dt_regex_match(const DtRegex *regex, DtRegexMatcher *matcher, const char *text, gboolean *matches,
                        GError **error);

#endif
