/* One sentence: who, what, where. */
#include <string.h>

#include "decoder/status.h"
#include "report/front/facts.h"
#include "text/text.h"

/* A part of the verdict that is shorter says too little alone. */
enum { SHORTEST = 50 };

char *dt_front_first_reason(const DtFrontFacts *facts)
{
    const char *why = facts->prime->why;
    g_autofree char *status = g_strconcat(facts->prime->status, "; ", NULL);
    if (g_str_has_prefix(why, status))
        why += strlen(status);
    const char *end = strstr(why, "; ");
    return end ? g_strndup(why, (gsize)(end - why)) : g_strdup(why);
}

/* Without its arguments, in brackets. */
static char *name_of(const char *call)
{
    g_autofree char *brief = dt_text_brief(call, 60);
    char *bracket = strchr(brief, '(');
    if (bracket && bracket > brief && dt_is_library_call(call))
        *bracket = '\0';
    return g_strdup(brief);
}

/* How the prime suspect ended, for one and for many; NULL: it departs and that is all. */
static const char *verb(const char *status, gboolean many)
{
    static const struct {
        DtStatus status;
        const char *one, *many;
    } verbs[] = {{DT_STATUS_STUCK, "hangs", "hang"},
                 {DT_STATUS_CRASHED, "crashes", "crash"},
                 {DT_STATUS_ABORTED, "aborts", "abort"},
                 {DT_STATUS_EXITED, "ends early", "end early"},
                 {DT_STATUS_KILLED, "is killed", "are killed"},
                 {DT_STATUS_RUNNING, "does not end", "do not end"},
                 {DT_STATUS_MISSING, "is missing", "are missing"}};
    for (guint i = 0; i < G_N_ELEMENTS(verbs); i++) {
        if (g_strcmp0(dt_status_name(verbs[i].status), status) == 0)
            return many ? verbs[i].many : verbs[i].one;
    }
    return NULL;
}

static char *of_end(const DtFrontFacts *facts, const char *does)
{
    const DtFrontFrame *frame = dt_front_telling_frame(facts);
    GString *out = g_string_new(facts->who);
    g_string_append_printf(out, " %s", does);
    if (facts->trace && facts->trace->fatal_signal != 0)
        g_string_append_printf(out, " (%s)", g_strsignal(facts->trace->fatal_signal));
    if (frame) {
        g_autofree char *name = name_of(frame->call);
        g_string_append_printf(out, " in %s", name);
    }
    if (facts->at)
        g_string_append_printf(out, ", %s", facts->at);
    return g_string_free(out, FALSE);
}

static char *of_prime(const DtFrontFacts *facts)
{
    const char *does = verb(facts->prime->status, facts->many);
    if (does)
        return of_end(facts, does);
    g_autofree char *reason = dt_front_first_reason(facts);
    g_autofree char *brief = dt_text_brief(reason, 0);
    char *share = strstr(brief, "): ");
    if (!g_str_has_prefix(brief, "spends "))
        return g_strdup_printf("%s: %s", facts->who, brief);
    if (share)
        share[1] = '\0';
    return g_strdup_printf("%s %s", facts->who, brief);
}

static char *of_times(const DtTimeVerdict *times)
{
    const char *text = times->text, *end = strstr(text, "; ");
    char *line = end ? g_strndup(text, (gsize)(end - text)) : g_strdup(text);
    if (*line != '\0')
        *line = g_ascii_toupper(*line);
    return line;
}

/* Of the verdict its first part; how the runs were started is no finding. */
static char *of_verdict(const char *verdict)
{
    if (!verdict)
        return g_strdup("No verdict");
    if (g_str_has_prefix(verdict, "other command lines (") && strstr(verdict, "); "))
        verdict = strstr(verdict, "); ") + strlen("); ");
    const char *end = strstr(verdict, "; ");
    if (end && end - verdict < SHORTEST)
        end = strstr(end + 1, "; ");
    g_autofree char *first = end ? g_strndup(verdict, (gsize)(end - verdict)) : g_strdup(verdict);
    char *brief = dt_text_brief(first, 0);
    *brief = g_ascii_toupper(*brief);
    return brief;
}

/* "Traces 5-6: processes or threads wait for each other, in MPI_Recv, sort.c:71" */
static char *of_proof(const DtCheckRow *row)
{
    g_autofree char *traces = dt_front_traces(row), *meaning = dt_front_meaning(row);
    g_autofree char *name = row->call ? name_of(row->call) : NULL;
    GString *out = g_string_new(NULL);
    if (*traces != '\0') {
        g_string_append_printf(out, "Trace%s %s: ", row->traces[1] ? "s" : "", traces);
        *meaning = g_ascii_tolower(*meaning);
    }
    g_string_append(out, meaning);
    if (name)
        g_string_append_printf(out, ", in %s", name);
    if (row->source)
        g_string_append_printf(out, ", %s", row->source);
    return g_string_free(out, FALSE);
}

/* Of a run alone what it proves says more than what looks odd. */
static gboolean is_proof_first(const DtFrontFacts *facts)
{
    return !facts->prime && !facts->page->comparison->normal && facts->proved;
}

char *dt_front_headline(const DtFrontFacts *facts)
{
    const DtComparison *comparison = facts->page->comparison;
    if (facts->prime)
        return of_prime(facts);
    if (is_proof_first(facts))
        return of_proof(facts->proved);
    if (comparison->times && comparison->times->differences->len > 0 && comparison->times->text)
        return of_times(comparison->times);
    return of_verdict(comparison->verdict);
}

/* TRUE: the part of the verdict stands elsewhere on the first screen. */
static gboolean is_told(const DtFrontFacts *facts, const char *part, const char *headline)
{
    if (is_proof_first(facts) && g_str_has_prefix(part, "the run proves an error"))
        return TRUE;
    if (!facts->prime) {
        g_autofree char *brief = dt_text_brief(part, 0);
        return strstr(headline, brief + 1) != NULL;
    }
    if (g_str_has_prefix(part, "others wait for it in ") || g_str_has_prefix(part, "the runs are equal: "))
        return TRUE;
    return strstr(facts->prime->why, part) || strstr(part, " is the prime suspect: ") ||
           g_str_has_prefix(part, facts->prime->trace);
}

/* Where the prime suspect departs, if it ends elsewhere, of which the headline is; else NULL. */
static char *departure_before(const DtFrontFacts *facts)
{
    if (!facts->prime || !facts->at || !verb(facts->prime->status, facts->many))
        return NULL;
    g_autofree char *reason = dt_front_first_reason(facts);
    gboolean departs = strstr(reason, " calls ") || strstr(reason, " leaves out ");
    g_autofree char *place = g_strdup_printf("(%s)", facts->at);
    return departs && !strstr(reason, place) ? dt_text_brief(reason, 0) : NULL;
}

char *dt_front_besides(const DtFrontFacts *facts)
{
    g_autofree char *headline = dt_front_headline(facts);
    g_auto(GStrv) parts =
        g_strsplit(facts->page->comparison->verdict ? facts->page->comparison->verdict : "", "; ", -1);
    g_autofree char *departure = departure_before(facts);
    GString *out = g_string_new(departure);
    for (guint i = 0; parts[i]; i++) {
        if (!is_told(facts, parts[i], headline))
            g_string_append_printf(out, "%s%s", out->len > 0 ? "; " : "", parts[i]);
    }
    if (out->len > 0 && !departure) /* which begins with the name of a function */
        out->str[0] = g_ascii_toupper(out->str[0]);
    return g_string_free(out, FALSE);
}
