/**
 * The manual: a page per command, docs/man/difftrace-*.md inside the program. `--help`, `difftrace help` and the man
 * pages are made of it, and the parser takes from it what options and arguments are called, so that nothing is written
 * twice.
 *
 * A page is Markdown: `# NAME: SUMMARY`, sections, paragraphs, indented examples, and definition lists:
 *
 *     -o, --output=FILE
 *     :   First sentence, which --help shows. More.
 *
 * `code`, *words for the reader to replace*, options and references such as nm(1) are marked in print. A section
 * and an option without text have that of common.md, the option also its letter and argument if it names none; a line
 * of only a reference to another page has that page's summary.
 */
#ifndef DT_CLI_MANUAL_H
#define DT_CLI_MANUAL_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
    DT_MANUAL_SECTION,
    DT_MANUAL_PARAGRAPH,
    DT_MANUAL_VERBATIM,
    DT_MANUAL_TERM,
    DT_MANUAL_ITEM /* a paragraph about the term before it */
} DtManualKind;

typedef struct {
    DtManualKind kind;
    char *text; /* with its marks; lines end anywhere but in DT_MANUAL_VERBATIM */
} DtManualBlock;

typedef struct {
    char *name, *summary; /* "difftrace-rank" */
    GPtrArray *blocks;    /* (element-type DtManualBlock) */
} DtManualPage;

/** The page of a command, or of difftrace itself if it is NULL. There must be one. */
DtManualPage *dt_manual_page_new(const char *command);
void dt_manual_page_free(DtManualPage *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtManualPage, dt_manual_page_free)

/** "difftrace rank [OPTIONS] [OUT]". Borrowed. */
const char *dt_manual_synopsis(const DtManualPage *page);
/** The term of the option --NAME, "-o, --output=FILE"; NULL if the page has none. *about, if not NULL: its first
 * paragraph. */
const char *dt_manual_option(const DtManualPage *page, const char *name, const char **about);

/** What --help shows: synopsis, purpose, the options of these names (NULL terminated), examples. */
char *dt_manual_help(const DtManualPage *page, const char *const *options, guint width);
/** All of the page, for a terminal of that width. */
char *dt_manual_text(const DtManualPage *page, guint width);
/** All of it as man(7), dated SOURCE_DATE_EPOCH or today. */
char *dt_manual_roff(const DtManualPage *page);

/** Appends words with single blanks between them in lines of at most `width`, indented; `column` is where we are. */
void dt_manual_fill(GString *out, const char *text, guint column, guint indent, guint width);

G_END_DECLS

#endif
