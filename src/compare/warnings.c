/* What is to be told of a run that has been opened: damage, once a file and once a kind, and traces that begin late. */
#include <string.h>

#include "compare/runs.h"
#include "text/text.h"

enum { MOST_WARNINGS = 20 };

/* Problems of one file after its first, or of files with the same one, are counted. */
typedef struct {
    const char *file, *text; /* of the first problem, which is "FILE: TEXT"; the file ends at the colon */
    guint more_files, more_here;
} Damage;

static const char *text_of(const char *problem)
{
    const char *colon = strstr(problem, ": ");
    return colon ? colon + 2 : problem;
}

static void add_problem(GArray *damages, GHashTable *by_file, GHashTable *by_text, const char *problem)
{
    const char *text = text_of(problem);
    char *file = g_strndup(problem, (gsize)(text - problem));
    guint of_file = GPOINTER_TO_UINT(g_hash_table_lookup(by_file, file));
    guint of_text = GPOINTER_TO_UINT(g_hash_table_lookup(by_text, text));
    if (of_file > 0) {
        g_array_index(damages, Damage, of_file - 1).more_here++;
        g_free(file);
        return;
    }
    if (of_text > 0) {
        g_array_index(damages, Damage, of_text - 1).more_files++;
    } else {
        Damage damage = {problem, text, 0, 0};
        g_array_append_val(damages, damage);
        of_text = damages->len;
        g_hash_table_insert(by_text, (gpointer)text, GUINT_TO_POINTER(of_text));
    }
    g_hash_table_insert(by_file, file, GUINT_TO_POINTER(of_text));
}

/* (element-type Damage) in the order of their first problems, which they borrow. */
static GArray *find_damages(const GPtrArray *problems)
{
    GArray *damages = g_array_new(FALSE, FALSE, sizeof(Damage));
    g_autoptr(GHashTable) by_file = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) by_text = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < problems->len; i++)
        add_problem(damages, by_file, by_text, problems->pdata[i]);
    return damages;
}

static char *damage_text(const Damage *damage)
{
    g_autofree char *file = g_strndup(damage->file, (gsize)(MAX(damage->text - damage->file, 2) - 2));
    g_autoptr(GString) text = g_string_new(file);
    if (damage->more_files > 0)
        g_string_append_printf(text, " and %u more", damage->more_files);
    g_string_append_printf(text, "%s%s", text->len > 0 ? ": " : "", damage->text);
    if (damage->more_here > 0)
        g_string_append_printf(text, "; and %u more problems", damage->more_here);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void warn_of_damage(const DtRun *run, GPtrArray *warnings)
{
    const GPtrArray *problems = dt_run_problems(run);
    g_autoptr(GArray) damages = find_damages(problems);
    guint told = damages->len > MOST_WARNINGS ? MOST_WARNINGS - 1 : damages->len;
    for (guint i = 0; i < told; i++) {
        g_autofree char *text = damage_text(&g_array_index(damages, Damage, i));
        g_ptr_array_add(warnings, dt_text_printf("warning: %s: %s", dt_run_path(run), text));
    }
    if (told < problems->len)
        g_ptr_array_add(warnings, dt_text_printf("warning: %s: \"difftrace info\" lists all %u problems",
                                                 dt_run_path(run), problems->len));
}

/* What begins late compares badly. */
static void warn_of_dropped(const DtRun *run, GPtrArray *warnings)
{
    guint64 words = 0;
    guint traces = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        words += dt_run_trace(run, i)->dropped_words;
        traces += dt_run_trace(run, i)->dropped_words > 0;
    }
    if (traces > 0)
        g_ptr_array_add(warnings, dt_text_printf("warning: %s: %u traces begin late: %" G_GUINT64_FORMAT
                                                 " events before were dropped to keep --max-size",
                                                 dt_run_path(run), traces, words));
}

static void warn_of_missing_ranks(const DtRun *run, GPtrArray *warnings)
{
    g_autofree char *line = !dt_run_manifest(run)->only ? dt_run_missing_ranks_line(run) : NULL;
    if (line)
        g_ptr_array_add(warnings, dt_text_printf("warning: %s: %s", dt_run_path(run), line));
}

GPtrArray *dt_run_warnings(const DtRun *run)
{
    GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);
    warn_of_damage(run, warnings);
    warn_of_missing_ranks(run, warnings);
    warn_of_dropped(run, warnings);
    return warnings;
}
