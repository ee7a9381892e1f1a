/* RUN/ends.log: how processes ended, told by those that waited for them. */
#include "store/ends.h"

#include "store/file.h"
#include "store/problems.h"

enum { FIELDS = 5, MOST_BYTES = 1 << 28 };

static gboolean read_number(const char *text, guint64 most, guint64 *number)
{
    return g_ascii_string_to_unsigned(text, 10, 0, most, number, NULL);
}

/* "host pid exited|signal|left status monotonic_ns" */
static gboolean parse_line(const char *line, DtSeenEnd *seen)
{
    g_auto(GStrv) fields = g_strsplit(line, " ", FIELDS + 1);
    guint64 pid, status;
    if (g_strv_length(fields) != FIELDS || !read_number(fields[1], G_MAXINT, &pid) || pid == 0 ||
        !read_number(fields[3], 255, &status) || !read_number(fields[4], G_MAXUINT64, &seen->time_ns))
        return FALSE;
    gboolean by_signal = g_str_equal(fields[2], "signal");
    seen->leaves = g_str_equal(fields[2], "left");
    if (!by_signal && !seen->leaves && !g_str_equal(fields[2], "exited"))
        return FALSE;
    seen->pid = (guint)pid;
    seen->status = (gint)status;
    seen->end = by_signal ? DT_END_SIGNAL : DT_END_EXITED;
    seen->host = g_strdup(fields[0]);
    return TRUE;
}

void dt_ends_load(const char *folder, GArray *ends, GPtrArray *problems)
{
    g_autofree char *path = g_build_filename(folder, "ends.log", NULL);
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    guint bad = 0;
    text = dt_file_contents(path, MOST_BYTES, NULL, &error);
    if (!text) {
        if (!g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT)) /* then nobody waited */
            dt_problem(problems, "ends.log", "%s: how some processes ended may be wrong", error->message);
        return;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i] && lines[i + 1]; i++) {
        DtSeenEnd seen = {0};
        if (parse_line(lines[i], &seen))
            g_array_append_val(ends, seen);
        else
            bad++;
    }
    if (bad > 0)
        dt_problem(problems, "ends.log", "%u lines are damaged: how some processes ended may be wrong", bad);
}
