/* A place tells the last part of a file's path only: the whole one is that of a call which the process made there. */
#include "report/front/excerpt.h"

#include <glib/gstdio.h>
#include <string.h>

#include "decoder/open_calls.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

/* Places that are looked up, of a file's size what is read, characters of a line, columns of a tab. */
enum { PLACES_TRIED = 4000, MOST_BYTES = 1 << 24, LINE_SHOWN = 160, TAB = 4 };

static char *path_of(const DtProcess *process, const char *file)
{
    if (g_path_is_absolute(file) || !process->executable)
        return g_strdup(file);
    g_autofree char *folder = g_path_get_dirname(process->executable);
    return g_build_filename(folder, file, NULL);
}

/* The path of a file of that name in which the place stands, or something that was inlined there; NULL. */
static char *path_of_place(DtSourceLines *lines, const DtRun *run, const DtProcess *process, const DtPlace *place,
                           const char *name)
{
    const GArray *frames = dt_source_lines_at(lines, run, process, place);
    for (guint i = 0; i < frames->len; i++) {
        const char *file = g_array_index(frames, DtSourceFrame, i).file;
        g_autofree char *last = g_path_get_basename(file);
        if (g_str_equal(last, name))
            return path_of(process, file);
    }
    return NULL;
}

static char *find_path(const DtRun *run, const DtTrace *trace, const char *name)
{
    g_autoptr(DtSourceLines) lines = dt_source_lines_new();
    g_autoptr(GArray) open = dt_open_calls_at_end(run, trace, NULL);
    char *path = NULL;
    DtPlace hit;
    if (open && dt_open_calls_innermost(run, trace, open, &hit))
        path = path_of_place(lines, run, trace->process, &hit, name);
    for (guint i = open ? open->len : 0; !path && i-- > 0;) {
        const DtOpenCall *call = &g_array_index(open, DtOpenCall, i);
        if (call->known)
            path = path_of_place(lines, run, trace->process, &call->place, name);
    }
    const GArray *sites = dt_run_call_sites(run, trace->process);
    for (guint i = 0; !path && i < MIN(sites->len, (guint)PLACES_TRIED); i++)
        path = path_of_place(lines, run, trace->process, &g_array_index(sites, DtCallSite, i).place, name);
    return path;
}

/* Tabs as blanks; cut where it gets long. */
static char *shown_line(const char *line)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (; *line != '\0' && *line != '\r'; line++) {
        if (*line != '\t')
            g_string_append_c(out, *line);
        for (gsize blanks = TAB - out->len % TAB; *line == '\t' && blanks > 0; blanks--)
            g_string_append_c(out, ' ');
    }
    g_autofree char *safe = dt_text_line(out->str);
    return dt_text_shortened(safe, LINE_SHOWN);
}

static gsize blanks_before(const char *line)
{
    return *line == '\0' ? G_MAXSIZE : strspn(line, " ");
}

/* The blanks that all lines begin with are left out. */
static void move_left(GPtrArray *lines)
{
    gsize common = G_MAXSIZE;
    for (guint i = 0; i < lines->len; i++)
        common = MIN(common, blanks_before(lines->pdata[i]));
    for (guint i = 0; i < lines->len; i++) {
        char *line = lines->pdata[i];
        if (*line != '\0')
            memmove(line, line + common, strlen(line + common) + 1);
    }
}

static void take_lines(DtFrontExcerpt *excerpt, const char *content, guint64 line)
{
    g_auto(GStrv) all = g_strsplit(content, "\n", -1);
    guint64 count = g_strv_length(all);
    if (line == 0 || line > count)
        return;
    excerpt->marked = (guint)line;
    excerpt->first = (guint)(line > 1 ? line - 1 : line);
    excerpt->lines = g_ptr_array_new_with_free_func(g_free);
    for (guint64 i = excerpt->first; i <= MIN(line + 1, count); i++)
        g_ptr_array_add(excerpt->lines, shown_line(all[i - 1]));
    move_left(excerpt->lines);
}

static gboolean is_newer(const GStatBuf *file, const DtProcess *process)
{
    return process->last_realtime_ns > 0 && (guint64)file->st_mtime > process->last_realtime_ns / G_USEC_PER_SEC / 1000;
}

DtFrontExcerpt dt_front_excerpt(const DtRun *run, const DtTrace *trace, const char *place)
{
    DtFrontExcerpt excerpt = {0};
    const char *colon = place ? strrchr(place, ':') : NULL;
    GStatBuf status;
    if (!colon)
        return excerpt;
    g_autofree char *name = g_strndup(place, (gsize)(colon - place));
    g_autofree char *path = find_path(run, trace, name);
    g_autofree char *content = NULL;
    if (!path || g_stat(path, &status) != 0 || status.st_size > MOST_BYTES ||
        !g_file_get_contents(path, &content, NULL, NULL))
        return excerpt;
    take_lines(&excerpt, content, g_ascii_strtoull(colon + 1, NULL, 10));
    excerpt.file = g_strdup(name);
    excerpt.newer = is_newer(&status, trace->process);
    return excerpt;
}

void dt_front_excerpt_clear(DtFrontExcerpt *excerpt)
{
    g_free(excerpt->file);
    g_clear_pointer(&excerpt->lines, g_ptr_array_unref);
}
