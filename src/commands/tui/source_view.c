/* Where in the source a trace was, and departs from normal; and the lines there, if the file is here. */
#include <string.h>

#include "cli/cli.h"
#include "commands/tui/subject.h"
#include "decoder/open_calls.h"
#include "store/file.h"
#include "text/text.h"

enum { MOST_FILE_BYTES = 1 << 26, DETAIL_LINES = 13 };

/* A row of the list. */
typedef struct {
    char *file; /* as it is: any bytes */
    guint line; /* 0: unknown */
    GString *what;
} Place;

static void free_place(gpointer data)
{
    Place *place = data;
    g_free(place->file);
    g_string_free(place->what, TRUE);
    g_free(place);
}

/* ---- places ------------------------------------------------------------------------------------- */

typedef struct {
    DtTuiSubject *subject;
    const DtRun *run;
    const DtTrace *trace;
    DtTuiPage *page;
} Listing;

/* The same line is one row, for whatever it is told. */
static Place *find_place(const Listing *listing, const char *file, guint line)
{
    g_autofree char *base = g_path_get_basename(file);
    for (guint i = 0; i < listing->page->meant->len; i++) {
        Place *place = listing->page->meant->pdata[i];
        g_autofree char *other = g_path_get_basename(place->file);
        if (place->line == line && g_str_equal(other, base))
            return place;
    }
    return NULL;
}

static void add_place(const Listing *listing, const char *file, guint line, const char *what)
{
    Place *place = find_place(listing, file, line);
    if (!place) {
        place = g_new0(Place, 1);
        place->file = g_strdup(file);
        place->line = line;
        place->what = g_string_new(what);
        g_ptr_array_add(listing->page->meant, place);
        return;
    }
    g_string_append_printf(place->what, "; %s", what);
    if (!g_path_is_absolute(place->file) && g_path_is_absolute(file)) {
        g_free(place->file);
        place->file = g_strdup(file);
    }
}

static void add_rows(const Listing *listing)
{
    for (guint i = 0; i < listing->page->meant->len; i++) {
        const Place *place = listing->page->meant->pdata[i];
        g_autofree char *base = g_path_get_basename(place->file), *safe = dt_text_line(base);
        g_autofree char *where = g_strdup_printf("%s:%u", safe, place->line);
        g_autofree char *row = g_strdup_printf("%-20s  %s", where, place->what->str);
        dt_tui_page_add(listing->page, row, DT_STYLE_PLAIN);
    }
}

/* The innermost frame that is in a file; NULL: none. */
static const DtSourceFrame *frame_of(const Listing *listing, const DtPlace *place)
{
    const GArray *frames = dt_source_lines_at(listing->subject->lines, listing->run, listing->trace->process, place);
    return frames->len > 0 ? &g_array_index(frames, DtSourceFrame, 0) : NULL;
}

static const char *shown(const Listing *listing, guint32 function)
{
    const DtFunctions *functions = dt_run_functions(listing->run);
    return function != 0 && function <= dt_functions_count(functions) ? dt_functions_get(functions, function)->shown
                                                                      : "?";
}

static void add_innermost(const Listing *listing, const GArray *open)
{
    DtPlace place;
    const DtSourceFrame *frame =
        dt_open_calls_innermost(listing->run, listing->trace, open, &place) ? frame_of(listing, &place) : NULL;
    g_autofree char *what = listing->trace->fatal_signal != 0
                                ? g_strdup_printf("signal %d (%s) hit it here", listing->trace->fatal_signal,
                                                  g_strsignal(listing->trace->fatal_signal))
                                : g_strdup("was here at its end");
    if (frame)
        add_place(listing, frame->file, frame->line, what);
}

/* Innermost first; where a call was made, else where its function starts. */
static void add_open_calls(const Listing *listing, const GArray *open)
{
    for (guint i = open->len; i > 0; i--) {
        const DtOpenCall *call = &g_array_index(open, DtOpenCall, i - 1);
        const gboolean is_own = call->known && dt_run_place_is_own(listing->run, listing->trace->process, &call->place);
        const DtSourceFrame *frame = is_own ? frame_of(listing, &call->place) : NULL;
        g_autofree char *what = g_strdup_printf("calls %s, which has not returned", shown(listing, call->signature));
        DtPlace start;
        if (frame) {
            add_place(listing, frame->file, frame->line, what);
        } else if (dt_run_function_place(listing->run, listing->trace->process, call->function, &start) &&
                   dt_run_place_is_own(listing->run, listing->trace->process, &start) &&
                   (frame = frame_of(listing, &start))) {
            g_autofree char *starts =
                g_strdup_printf("%s starts, which has not returned", shown(listing, call->function));
            add_place(listing, frame->file, frame->line, starts);
        }
    }
}

/* The whole path of the file in which a function starts, if that is its base name; NULL: not known. Borrowed. */
static const char *path_of_function(const Listing *listing, const char *name, const char *base)
{
    const DtFunctions *functions = dt_run_functions(listing->run);
    for (guint32 id = 1; name && id <= dt_functions_count(functions); id++) {
        DtPlace start;
        const DtSourceFrame *frame = NULL;
        if (g_str_equal(dt_functions_get(functions, id)->name, name) &&
            dt_run_function_place(listing->run, listing->trace->process, id, &start))
            frame = frame_of(listing, &start);
        g_autofree char *its_base = frame ? g_path_get_basename(frame->file) : NULL;
        if (frame && g_strcmp0(its_base, base) == 0)
            return frame->file;
    }
    return NULL;
}

/* The first "name.c:120" in a text; `function`: whose file that may be, or NULL. */
static void add_place_in_text(const Listing *listing, const char *text, const char *function, const char *what)
{
    g_autoptr(GRegex) regex = g_regex_new("([^\\s():]+):(\\d+)", G_REGEX_OPTIMIZE, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    if (!text || !g_regex_match(regex, text, 0, &match))
        return;
    g_autofree char *spelled = g_match_info_fetch(match, 1), *line = g_match_info_fetch(match, 2);
    g_autofree char *file = dt_text_unspell(spelled);
    const char *path = path_of_function(listing, function, file);
    add_place(listing, path ? path : file, (guint)g_ascii_strtoull(line, NULL, 10), what);
}

/* "exchange (sort.c:57)" */
static void add_departures(const Listing *listing)
{
    const DtSuspectRow *suspect = dt_tui_suspect(listing->subject, listing->trace->label);
    if (!suspect || !suspect->source)
        return;
    const char *end = g_strrstr(suspect->source, " (");
    g_autofree char *function = end ? g_strndup(suspect->source, (gsize)(end - suspect->source)) : NULL;
    g_autofree char *what = g_strdup_printf("departs from normal in %s", function ? function : "it");
    add_place_in_text(listing, end ? end : suspect->source, function, what);
}

static void add_data(const Listing *listing)
{
    const DtDataVerdict *data = listing->subject->comparison ? listing->subject->comparison->data : NULL;
    for (guint i = 0; data && i < data->first->len; i++) {
        const DtDataDifference *difference = data->first->pdata[i];
        if (g_strcmp0(difference->trace, listing->trace->label) == 0)
            add_place_in_text(listing, difference->source, NULL, difference->text ? difference->text : "data differ");
    }
}

static void add_times(const Listing *listing)
{
    const DtTimeVerdict *times = listing->subject->comparison ? listing->subject->comparison->times : NULL;
    for (guint i = 0; times && i < times->differences->len; i++) {
        const DtTimeDifference *difference = times->differences->pdata[i];
        if (!difference->traces || !g_strv_contains((const char *const *)difference->traces, listing->trace->label))
            continue;
        g_autofree char *what = g_strdup_printf("%s starts, which takes %.3g s %s", difference->function,
                                                ABS(difference->seconds), difference->seconds < 0 ? "less" : "more");
        add_place_in_text(listing, difference->source, difference->function, what);
    }
}

gboolean dt_tui_source_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                            GError **error)
{
    (void)width;
    const DtRun *run = dt_tui_run(subject, selection, error);
    const DtTrace *trace = run ? dt_tui_trace(subject, run, selection, error) : NULL;
    g_autoptr(GArray) open = trace ? dt_open_calls_at_end(run, trace, error) : NULL;
    if (!open)
        return FALSE;
    page->meant = g_ptr_array_new_with_free_func(free_place);
    page->detail = DETAIL_LINES;
    page->is_list = TRUE;
    const Listing listing = {subject, run, trace, page};
    if (!selection->of_normal)
        add_departures(&listing);
    add_innermost(&listing, open);
    add_open_calls(&listing, open);
    if (!selection->of_normal) {
        add_data(&listing);
        add_times(&listing);
    }
    add_rows(&listing);
    if (page->lines->len == 0) {
        page->is_list = FALSE;
        page->detail = 0;
        dt_tui_page_add_wrapped(
            page,
            "No line is known of this trace: it ended outside of all calls, or the program has no debug "
            "information (compile it with -g), or is another one by now.",
            width, DT_STYLE_PLAIN);
    }
    return TRUE;
}

/* ---- lines of a file ---------------------------------------------------------------------------- */

static gboolean is_there(const char *path)
{
    return g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* A file of that name in one of the folders of other places: debug information often has names alone. */
static char *find_beside(const GPtrArray *places, const char *base)
{
    for (guint i = 0; i < places->len; i++) {
        const Place *other = places->pdata[i];
        g_autofree char *folder = other->file ? g_path_get_dirname(other->file) : NULL;
        g_autofree char *path = folder ? g_build_filename(folder, base, NULL) : NULL;
        if (path && is_there(path))
            return g_steal_pointer(&path);
    }
    return NULL;
}

/* As the compiler was given it, seen from here; in the folders of other places; here. NULL: nowhere. */
static char *find_file(const GPtrArray *places, const char *file)
{
    if (is_there(file))
        return g_strdup(file);
    g_autofree char *base = g_path_get_basename(file);
    char *path = find_beside(places, base);
    return path ? path : is_there(base) ? g_steal_pointer(&base) : NULL;
}

static void add_file_lines(DtTuiPage *page, char **text, guint line, guint lines)
{
    const guint count = g_strv_length(text);
    const guint before = lines / 2;
    guint first = line > before ? line - before : 1;
    if (first + lines > count + 1)
        first = count + 1 > lines ? count + 1 - lines : 1;
    for (guint number = first; number < first + lines && number <= count; number++) {
        g_autofree char *safe = dt_text_line(text[number - 1]);
        g_autofree char *shown_line = g_strdup_printf("%s%6u  %s", number == line ? ">" : " ", number, safe);
        dt_tui_page_add(page, shown_line, number == line ? DT_STYLE_HEAD : DT_STYLE_PLAIN);
    }
}

static void expand_tabs(char **lines)
{
    for (; *lines; lines++) {
        g_auto(GStrv) parts = g_strsplit(*lines, "\t", -1);
        g_free(*lines);
        *lines = g_strjoinv("    ", parts);
    }
}

static void add_heading(DtTuiPage *page, const char *title, guint width)
{
    g_autofree char *safe = dt_text_line(title);
    const guint used = (guint)g_utf8_strlen(safe, -1) + 6;
    g_autofree char *rule = g_strnfill(width > used ? width - used : 0, '-');
    g_autofree char *heading = g_strdup_printf("---- %s %s", safe, rule);
    dt_tui_page_add(page, heading, DT_STYLE_QUIET);
}

/* As seen from here, if it is below. Borrowed. */
static const char *from_here(const char *path)
{
    g_autofree char *here = g_get_current_dir();
    const gsize length = strlen(here);
    return g_str_has_prefix(path, here) && path[length] == '/' ? path + length + 1 : path;
}

DtTuiPage *dt_tui_source_detail(const DtTuiPage *places, guint row, guint width, guint lines)
{
    DtTuiPage *page = dt_tui_page_new();
    const Place *place = places->meant && row < places->meant->len ? places->meant->pdata[row] : NULL;
    if (!place || !place->file)
        return page;
    g_autofree char *path = find_file(places->meant, place->file);
    g_autoptr(GError) problem = NULL;
    g_autofree char *text = path ? dt_file_contents(path, MOST_FILE_BYTES, NULL, &problem) : NULL;
    add_heading(page, from_here(path ? path : place->file), width);
    if (!text) {
        g_autofree char *line = g_strdup_printf("%s is not here%s%s; start difftrace tui in the folder that it is in",
                                                place->file, problem ? ": " : "", problem ? problem->message : "");
        dt_tui_page_add_wrapped(page, line, width, DT_STYLE_WARNING);
        return page;
    }
    g_auto(GStrv) all = g_strsplit(text, "\n", -1);
    expand_tabs(all);
    add_file_lines(page, all, place->line, lines > 1 ? lines - 1 : 0);
    return page;
}
