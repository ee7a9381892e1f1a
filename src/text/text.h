/**
 * Text that is safe where it is shown. Names come from binaries, command lines, files and file names, so they may hold
 * anything: control characters that a terminal obeys, line feeds that forge lines, characters that reorder or hide
 * others, bytes that are no UTF-8, what has a meaning in DOT, HTML, CSV. One function for each kind of output makes
 * them harmless; nothing else in difftrace escapes.
 *
 * Characters that do not show are written as escapes: \xNN is a byte of ASCII or one that is not UTF-8, \u{N} any other
 * character by its code point. These are the control characters of ASCII and ISO 8859-1 (C0, DEL, C1), whatever
 * reorders text or is invisible (format characters, fillers, variation selectors, blanks other than the ASCII one),
 * line and paragraph separators, private and unassigned characters.
 *
 * All functions take any bytes that end with 0 and give valid UTF-8, to be freed with g_free(). They are O(length) but
 * for nothing else, keep no state and may be called from any thread.
 */
#ifndef DT_TEXT_TEXT_H
#define DT_TEXT_TEXT_H

#include <glib.h>

G_BEGIN_DECLS

/* ---- names --------------------------------------------------------------------------------- */

/**
 * The one spelling of a name, which all outputs show and all filters are matched with: without any character that does
 * not show, on one line. Different names have different spellings: a backslash is doubled, and blanks at either end or
 * after another blank are \x20.
 */
char *dt_text_spell(const char *name);
/** The same of `length` bytes, in which there may be zeros. */
char *dt_text_spell_bytes(const char *name, gsize length);
/** What was spelled so; a zero ends it. Backslashes that begin no escape stay. Not UTF-8. */
char *dt_text_unspell(const char *spelled);

/* ---- plain text, terminals -------------------------------------------------------------------- */

/** Text on one line: escapes for what does not show. Backslashes stay, so what was spelled or cleaned stays as it is.
 */
char *dt_text_line(const char *text);
/** The same of text that is made of lines: line feeds stay. */
char *dt_text_lines(const char *text);

/** A name is shown to people in at most so many characters. */
enum { DT_TEXT_NAME_SHOWN = 240 };
/**
 * Text on one line, cut in its middle to `width` characters at most. From 24 characters on, hexadecimal digits stand
 * for what was cut out, so that names that differ there do not look alike.
 */
char *dt_text_shortened(const char *text, glong width);
/**
 * A name, or a text with names in it, without the types that make names of C++ long: arguments of templates are <...>,
 * parameters of functions that have a scope (...), with one character for the dots; and in at most `width` characters
 * (0: any), cut in its middle. For where the full name is shown on demand: different names may look alike.
 * src/report/html/names.js does the same.
 */
char *dt_text_brief(const char *text, glong width);

/* ---- documents ---------------------------------------------------------------------------------- */

/**
 * A cell of tab separated values. One that a spreadsheet would take for a formula, because it begins with = + - or @
 * and is no number, begins with an apostrophe, as does one that begins with an apostrophe: it counts for nothing.
 */
char *dt_text_tsv(const char *text);
/** The same as a field of comma separated values, quoted where that is needed (RFC 4180). */
char *dt_text_csv(const char *text);

/** Character data or an attribute's value in XML, SVG and HTML. */
char *dt_text_markup(const char *text);

/** Graphviz' escString, as it is before DOT's own quotes: a label, a tooltip. Line feeds are centred lines. */
char *dt_text_dot(const char *text);
/** Text in Graphviz' HTML-like labels. */
char *dt_text_dot_markup(const char *text);

/** A string to give to a JSON writer: bytes that are not UTF-8 become \xNN, all else stays. */
char *dt_text_json_value(const char *text);
/** A JSON document as a writer made it: what does not show is written as \uNNNN; it means the same. */
char *dt_text_json(const char *document);
/** A JSON string with its quotes. */
char *dt_text_json_quoted(const char *text);
/** A JSON document inside an HTML script element: nothing in it looks like markup; it means the same. */
char *dt_text_json_in_script(const char *document);

/** A frame of a stack of a flame graph, in which ; separates. */
char *dt_text_frame(const char *text);

/* ---- numbers ---------------------------------------------------------------------------------------- */

/** "[0-3 7 9^4]": three and more that go up by one, and equal ones, are written as one. g_free(). O(count). */
char *dt_text_numbers(const gint64 *values, guint count);

/* ---- messages --------------------------------------------------------------------------------------- */

/** g_strdup_printf() whose string arguments are made one line each (dt_text_line()); `format` may have several. */
char *dt_text_printf(const char *format, ...) G_GNUC_PRINTF(1, 2);
/** g_string_append_printf() in the same way. */
void dt_text_append(GString *out, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** The same. Conversions: d i u x c s f g p and %, with flags, width, precision, h, l, ll, z. */
char *dt_text_vprintf(const char *format, va_list arguments) G_GNUC_PRINTF(1, 0);
/** g_set_error() by dt_text_printf(). */
void dt_set_error(GError **error, GQuark domain, gint code, const char *format, ...) G_GNUC_PRINTF(4, 5);

G_END_DECLS

#endif
