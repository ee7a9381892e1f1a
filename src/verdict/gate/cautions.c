#include "verdict/gate/cautions.h"

#include <string.h>

#include "store/manifest.h"
#include "text/text.h"

/* Of the scores, where a comparison is not what it was measured for. Of other programs nobody is accused. */
static const double DAMAGED = 0.6, OTHER_PROGRAM = 0.3, OTHER_SIZE = 0.6, OTHER_COMMAND = 0.95;
static const double OF_NO_END = 0.3, CUT_OFF = 0.6;
enum { LONGEST_WORDS = 60 }; /* of a command line, in bytes */

static void add_caution(GString *text, double *weight, double factor, const char *format, ...) G_GNUC_PRINTF(4, 5);

static void add_caution(GString *text, double *weight, double factor, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_string_append_vprintf(text, format, arguments);
    va_end(arguments);
    g_string_append(text, "; ");
    *weight *= factor;
}

/* ---- damage --------------------------------------------------------------------------------------- */

static gboolean is_damaged(const DtObservedTrace *observed)
{
    return observed->calls->problem || observed->trace->process->stopped || observed->trace->dropped_words > 0;
}

static guint count_damaged(const DtCorpus *corpus, guint run)
{
    guint damaged = 0;
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, run, trace);
        damaged += observed && is_damaged(observed) ? 1 : 0;
    }
    return damaged;
}

static void find_damage(const DtCorpus *corpus, GString *text, double *weight)
{
    guint faulty = count_damaged(corpus, corpus->normals), normal = 0;
    for (guint run = 0; run < corpus->normals; run++)
        normal += count_damaged(corpus, run);
    /* A trace may not be there at all. */
    const guint problems = dt_run_problems(corpus->faulty_run)->len;
    if (faulty == 0 && problems > 0)
        add_caution(text, weight, DAMAGED, "files of the faulty run are damaged");
    if (faulty > 0)
        add_caution(text, weight, DAMAGED, "%u trace%s of the faulty run %s not whole", faulty, faulty == 1 ? "" : "s",
                    faulty == 1 ? "is" : "are");
    if (normal > 0)
        add_caution(text, weight, DAMAGED, "%u trace%s of normal runs %s not whole", normal, normal == 1 ? "" : "s",
                    normal == 1 ? "is" : "are");
}

/* ---- runs that did not come to their ends ---------------------------------------------------------- */

/* Nobody knows what they would have done. */
static void find_hung(const DtReach *reach, const GPtrArray *normals, GString *text, double *weight)
{
    guint hung = 0;
    for (guint i = 0; i < normals->len; i++) {
        const DtManifest *manifest = dt_run_manifest(g_ptr_array_index(normals, i));
        hung += manifest->timed_out || manifest->stuck ? 1 : 0;
    }
    /* Runs that were cut off are either all that there are, or are not among these. */
    if (hung > 0 && reach->cut_off < reach->given)
        add_caution(text, weight, OF_NO_END, "%u of %u normal runs did not come to the end: it was ended from outside",
                    hung, reach->given);
}

/* "2 of 2 normal runs and the faulty run"; g_free(). */
static char *tell_cut_off(const DtReach *reach, gboolean by_normals)
{
    if (!by_normals)
        return g_strdup("the faulty run while it was");
    return g_strdup_printf("%u of %u normal runs%s while %s", reach->cut_off, reach->given,
                           reach->faulty ? " and the faulty run" : "",
                           reach->cut_off == 1 && !reach->faulty ? "it was" : "they were");
}

/* How far a run came that was cut off tells nothing of who would have come further. */
static void find_cut_off(const DtReach *reach, GString *text, double *weight)
{
    const gboolean by_normals = reach->cut_off > 0 && reach->cut_off == reach->given;
    if (reach->cut_off > 0 && !by_normals)
        add_caution(text, weight, 1, "a time limit ended %u of %u normal runs while still making progress: left out",
                    reach->cut_off, reach->given);
    if (!by_normals && !reach->faulty)
        return;
    g_autofree char *who = tell_cut_off(reach, by_normals);
    g_autofree char *how_far = reach->limited ? g_strdup_printf(": compared as far as both came, %" G_GUINT64_FORMAT
                                                                " of %" G_GUINT64_FORMAT " calls",
                                                                reach->compared, reach->most)
                                              : g_strdup("");
    add_caution(text, weight, reach->limited || !by_normals ? CUT_OFF : OF_NO_END,
                "a time limit ended %s still making progress%s", who, how_far);
}

/* ---- programs and command lines ------------------------------------------------------------------------- */

/* The file name of its main image; NULL: not known. */
static const char *program_of(const DtRun *run, const DtProcess *process)
{
    const GPtrArray *images = dt_run_images(run, process);
    for (guint i = 0; i < images->len; i++) {
        const DtImage *image = g_ptr_array_index(images, i);
        const char *slash = image->path ? strrchr(image->path, '/') : NULL;
        if (image->main_image && image->path)
            return slash ? slash + 1 : image->path;
    }
    return NULL;
}

/* No process of one run is of a program of the other; a single one may be the fault. */
static gboolean are_other_programs(const DtRun *normal, const DtRun *faulty, const char **usual, const char **own)
{
    g_autoptr(GHashTable) programs = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < dt_run_process_count(normal); i++) {
        const char *program = program_of(normal, dt_run_process(normal, i));
        if (!program)
            return FALSE;
        *usual = program;
        g_hash_table_add(programs, (gpointer)program);
    }
    for (guint i = 0; i < dt_run_process_count(faulty); i++) {
        *own = program_of(faulty, dt_run_process(faulty, i));
        if (!*own || g_hash_table_contains(programs, *own))
            return FALSE;
    }
    return g_hash_table_size(programs) > 0;
}

static guint words_in(char *const *words)
{
    return words ? g_strv_length((char **)words) : 0;
}

/* `words` without some at both ends, spelled and shortened. */
static char *middle_text(char *const *words, guint first, guint behind)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = first; i + behind < words_in(words); i++)
        g_string_append_printf(text, "%s%s", i > first ? " " : "", words[i]);
    g_autofree char *spelled = dt_text_spell(text->len > 0 ? text->str : "nothing");
    if (strlen(spelled) <= LONGEST_WORDS)
        return g_steal_pointer(&spelled);
    const char *end = g_utf8_find_prev_char(spelled, spelled + LONGEST_WORDS);
    return g_strdup_printf("%.*s...", (int)(end ? end - spelled : 0), spelled);
}

/* How a run was imported says nothing of how its program was started. */
static gboolean is_of_program(char *const *command)
{
    return words_in(command) < 2 || !g_str_equal(command[0], "difftrace") || !g_str_equal(command[1], "import");
}

static void compare_commands(const DtRun *normal, const DtRun *faulty, GString *text, double *weight)
{
    char *const *usual = dt_run_manifest(normal)->command, *const *own = dt_run_manifest(faulty)->command;
    const guint usual_words = words_in(usual), own_words = words_in(own), shorter = MIN(usual_words, own_words);
    guint before = 0, behind = 0;
    if (shorter == 0 || !is_of_program(usual) || !is_of_program(own))
        return;
    while (before < shorter && g_str_equal(usual[before], own[before]))
        ++before;
    while (behind < shorter - before && g_str_equal(usual[usual_words - 1 - behind], own[own_words - 1 - behind]))
        ++behind;
    if (before == usual_words && before == own_words)
        return;
    g_autofree char *normally = middle_text(usual, before, behind);
    g_autofree char *now = middle_text(own, before, behind);
    add_caution(text, weight, OTHER_COMMAND, "other command lines (%s, normally %s)", now, normally);
}

static gboolean are_other_names(const DtRun *normal, const DtRun *faulty)
{
    return g_strcmp0(dt_run_pseudonyms(normal), dt_run_pseudonyms(faulty)) != 0;
}

static void find_other_programs(const DtCorpus *corpus, const DtRun *normal, GString *text, double *weight)
{
    const char *usual = NULL, *own = NULL;
    if (are_other_names(normal, corpus->faulty_run))
        add_caution(text, weight, OTHER_PROGRAM,
                    "names that are pseudonyms by different keys: pack all runs with the same --key");
    else if (are_other_programs(normal, corpus->faulty_run, &usual, &own))
        add_caution(text, weight, OTHER_PROGRAM, "other programs (%s, normally %s): compare runs of the same one", own,
                    usual);
    else
        compare_commands(normal, corpus->faulty_run, text, weight);
}

/* ---- sizes ------------------------------------------------------------------------------------------------ */

static void find_other_sizes(const DtCorpus *corpus, GString *text, double *weight)
{
    if (corpus->teams_differ)
        add_caution(text, weight, OTHER_SIZE,
                    "up to %u threads in a process against %u normally: each but the first was compared with those "
                    "that start with the same function",
                    corpus->team_sizes[1], corpus->team_sizes[0]);
    else if (dt_corpus_sizes_differ(corpus))
        add_caution(text, weight, OTHER_SIZE,
                    "%u ranks against %u normally: each was compared with those that call the same functions, while "
                    "compare --predict predicts a run of %u from runs of several sizes",
                    corpus->world_sizes[1], corpus->world_sizes[0], corpus->world_sizes[1]);
}

/* ---- all together ------------------------------------------------------------------------------------------- */

DtCautions dt_cautions_find(const DtCorpus *corpus, const GPtrArray *normals)
{
    GString *text = g_string_new(NULL);
    double weight = 1;
    find_hung(corpus->reach, normals, text, &weight);
    find_cut_off(corpus->reach, text, &weight);
    find_damage(corpus, text, &weight);
    if (normals->len > 0) {
        find_other_programs(corpus, g_ptr_array_index(normals, 0), text, &weight);
        find_other_sizes(corpus, text, &weight);
    }
    return (DtCautions){g_string_free(text, FALSE), weight};
}

void dt_cautions_clear(DtCautions *cautions)
{
    g_clear_pointer(&cautions->text, g_free);
}

/* What is equal was observed once. */
static gboolean has_equal(const DtCorpus *corpus, guint trace)
{
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    for (guint run = 0; run < corpus->normals; run++) {
        const DtObservedTrace *normal = dt_corpus_at(corpus, run, trace);
        if (observed && normal && observed->calls == normal->calls)
            return TRUE;
    }
    return FALSE;
}

gboolean dt_runs_are_equal(const DtCorpus *corpus)
{
    for (guint trace = 0; trace < corpus->traces; trace++) {
        if (!has_equal(corpus, trace))
            return FALSE;
    }
    return corpus->normals > 0 && corpus->traces > 0;
}
