/*
 * Plain text, one event a line, as "difftrace dump --flat" prints it: the trace P.T, ">" for an entry or "<" for a
 * return, the function; separated by tabs or blanks. Lines that are empty or start with "#" are skipped. Traces may
 * take turns. The function of a return may be missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"
#include "store/file.h"
#include "text/text.h"

enum { LONGEST_LINE = 1 << 16, LINES_TO_LOOK_AT = 20 };
static const char IMAGE[] = "imported";

typedef struct {
    DtProcessWriter *process;
    GHashTable *functions; /* name -> id */
    char *label;           /* P */
} Process;

typedef struct {
    Process *process;
    DtThreadWriter *thread;
} Trace;

typedef struct {
    DtRunWriter *run;
    GPtrArray *processes;  /* Process, in order */
    GHashTable *by_label;  /* of processes */
    GHashTable *traces;    /* P.T -> Trace */
    guint64 line, skipped; /* lines that are no events */
    guint64 first_skipped, other_returns;
} Import;

/* A line taken apart, in place. */
typedef struct {
    char *label, *function;
    gboolean entry;
} Line;

/* ---- lines ------------------------------------------------------------------------------- */

static char *next_field(char **rest)
{
    char *field = *rest + strspn(*rest, " \t");
    char *end = field + strcspn(field, " \t");
    *rest = *end ? end + 1 : end;
    *end = 0;
    return field;
}

static gboolean parse_line(char *text, Line *line)
{
    char *rest = text;
    line->label = next_field(&rest);
    const char *direction = next_field(&rest);
    line->function = g_strstrip(rest); /* names of C++ have blanks */
    line->entry = g_str_equal(direction, ">");
    return *line->label && (line->entry ? *line->function != 0 : g_str_equal(direction, "<"));
}

static gboolean is_dull(const char *text)
{
    return *text == 0 || *text == '#';
}

/* The next line without its end, in a buffer of LONGEST_LINE; what is longer is cut. FALSE at the end. */
static gboolean read_line(FILE *file, char *text)
{
    if (!fgets(text, LONGEST_LINE, file))
        return FALSE;
    gsize length = strlen(text);
    gboolean whole = length > 0 && text[length - 1] == '\n';
    for (int c = 0; !whole && c != EOF && c != '\n';)
        c = fgetc(file);
    g_strchomp(text);
    return TRUE;
}

gboolean dt_is_text(const char *path)
{
    FILE *file = dt_file_stream(path, NULL);
    g_autofree char *text = g_malloc(LONGEST_LINE);
    guint events = 0, others = 0;
    for (guint i = 0; file && i < LINES_TO_LOOK_AT && read_line(file, text); i++) {
        Line line;
        if (is_dull(text))
            continue;
        gboolean event = parse_line(text, &line) && strchr(line.label, '.');
        events += event ? 1 : 0;
        others += event ? 0 : 1;
    }
    if (file)
        fclose(file);
    return events > others;
}

/* ---- labels ------------------------------------------------------------------------------- */

/* Digits only, and no number in two ways: its value, else -1. */
static gint64 number_of(const char *text)
{
    if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 8 || (*text == '0' && text[1]))
        return -1;
    return g_ascii_strtoll(text, NULL, 10);
}

/* a = 0, z = 25, aa = 26; -1: no letters. */
static gint64 letters_of(const char *text)
{
    gint64 number = 0;
    if (!*text || strspn(text, "abcdefghijklmnopqrstuvwxyz") != strlen(text) || strlen(text) > 4)
        return -1;
    for (; *text; text++)
        number = number * 26 + (*text - 'a') + 1;
    return number - 1;
}

static void free_process(gpointer data)
{
    Process *process = data;
    g_hash_table_unref(process->functions);
    g_free(process->label);
    g_free(process);
}

/* P is a rank, or a rank and what was beside it: "5+1". */
static Process *find_process(Import *import, const char *label)
{
    Process *process = g_hash_table_lookup(import->by_label, label);
    if (process)
        return process;
    g_auto(GStrv) parts = g_strsplit(label, "+", 2);
    gint beside = parts[1] ? (gint)number_of(parts[1]) : 0;
    DtProcessIdentity identity = {(gint)number_of(parts[0]), (guint)beside, import->processes->len + 1, "imported",
                                  IMAGE};
    process = g_new0(Process, 1);
    process->label = g_strdup(label);
    process->functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    process->process = dt_import_process(import->run, &identity);
    dt_process_writer_image(process->process, IMAGE, DT_IMAGE_MAIN);
    g_ptr_array_add(import->processes, process);
    g_hash_table_insert(import->by_label, process->label, process);
    return process;
}

/* NULL if the label is none. */
static Trace *find_trace(Import *import, const char *label)
{
    Trace *trace = g_hash_table_lookup(import->traces, label);
    const char *dot = strrchr(label, '.');
    if (trace || !dot)
        return trace;
    g_autofree char *process_label = g_strndup(label, (gsize)(dot - label));
    gint64 number = number_of(dot + 1), letters = letters_of(dot + 1);
    g_auto(GStrv) parts = g_strsplit(process_label, "+", 2);
    gboolean good = parts[0] && number_of(parts[0]) >= 0 && (!parts[1] || number_of(parts[1]) > 0);
    if (!good || (number < 0 && letters < 0))
        return NULL;
    trace = g_new0(Trace, 1);
    trace->process = find_process(import, process_label);
    trace->thread = dt_process_writer_thread(trace->process->process, number >= 0 ? DT_THREAD_APP : DT_THREAD_LIBRARY,
                                             (guint32)MAX(number, letters));
    g_hash_table_insert(import->traces, g_strdup(label), trace);
    return trace;
}

/* ---- events -------------------------------------------------------------------------------- */

static guint32 find_function(Process *process, const char *name)
{
    guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(process->functions, name));
    if (id == 0) {
        g_autofree char *symbol = dt_text_unspell(name);
        id = dt_import_function(process->process, IMAGE, symbol);
        g_hash_table_insert(process->functions, g_strdup(name), GUINT_TO_POINTER(id));
    }
    return id;
}

static void skip(Import *import)
{
    if (import->skipped++ == 0)
        import->first_skipped = import->line;
}

static void take_line(Import *import, char *text)
{
    Line line;
    if (is_dull(text))
        return;
    Trace *trace = parse_line(text, &line) ? find_trace(import, line.label) : NULL;
    if (!trace) {
        skip(import);
        return;
    }
    if (line.entry) {
        dt_thread_writer_event(trace->thread, find_function(trace->process, line.function));
        return;
    }
    guint32 top = dt_thread_writer_top(trace->thread);
    if (*line.function && top != 0 && top != find_function(trace->process, line.function))
        import->other_returns++;
    dt_thread_writer_event(trace->thread, 0);
}

static void read_lines(Import *import, FILE *file)
{
    g_autofree char *text = g_malloc(LONGEST_LINE);
    while (read_line(file, text)) {
        import->line++;
        take_line(import, text);
    }
}

static void report(const Import *import, const char *path)
{
    if (import->skipped > 0)
        dt_run_writer_warn(import->run,
                           "%s: %" G_GUINT64_FORMAT " lines are no events, the first is line %" G_GUINT64_FORMAT, path,
                           import->skipped, import->first_skipped);
    if (import->other_returns > 0)
        dt_run_writer_warn(import->run,
                           "%s: %" G_GUINT64_FORMAT " returns are of another function than the innermost call", path,
                           import->other_returns);
}

gboolean dt_import_text(const char *path, DtRunWriter *run, GError **error)
{
    g_autoptr(GError) cause = NULL;
    FILE *file = dt_file_stream(path, &cause);
    if (!file) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "%s: %s", path, cause->message);
        return FALSE;
    }
    Import import = {.run = run, .processes = g_ptr_array_new_with_free_func(free_process)};
    import.by_label = g_hash_table_new(g_str_hash, g_str_equal);
    import.traces = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    read_lines(&import, file);
    fclose(file);
    report(&import, path);
    gboolean found = g_hash_table_size(import.traces) > 0;
    if (!found)
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT,
                     "%s: no line of it is an event (P.T, > or <, function; as \"difftrace dump --flat\" prints them)",
                     path);
    g_hash_table_unref(import.traces);
    g_hash_table_unref(import.by_label);
    g_ptr_array_unref(import.processes);
    return found;
}
