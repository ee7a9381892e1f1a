/* What was called and what comes normally; where that is. */
#include "report/front/cards.h"

#include <string.h>

#include "report/common.h"
#include "report/front/markup.h"
#include "text/text.h"

/* Frames of a stack: innermost ones, and of those left over the outermost. */
enum { FRAMES_INNERMOST = 6, FRAMES_OUTERMOST = 2 };

/* ---- what --------------------------------------------------------------------------- */

static void add_call(GString *out, const DtFrontFacts *facts, const char *side, const char *label,
                     const DtPartingSide *of, guint32 open)
{
    dt_markup_add(out, "<div class=\"call %s\"><dt>%s</dt><dd>", side, label);
    if (of->count > 0)
        dt_markup_add(out, "%n", dt_function_name(facts->difference->functions, of->after[0]));
    else if (open != 0)
        dt_markup_add(out, "%n, which never returned", dt_function_name(facts->difference->functions, open));
    else
        g_string_append(out, "<em>the end of the trace</em>");
    dt_markup_add(out, "</dd></div>");
}

static void add_calls(GString *out, const DtFrontFacts *facts)
{
    const DtDiffNlr *diff = facts->difference->diff;
    g_string_append(out, "<dl class=\"calls\">");
    add_call(out, facts, "faulty", "Called", &facts->departure.faulty, diff->faulty_open);
    add_call(out, facts, "normal", "Normally", &facts->departure.normal, diff->normal_open);
    g_string_append(out, "</dl>");
}

static void add_position(GString *out, const DtFrontFacts *facts)
{
    g_autofree char *done = dt_grouped(facts->departure.done);
    dt_markup_add(out, "<p>After %s %s%s", done, facts->departure.done == 1 ? "call" : "calls",
                  facts->departure.first ? " that are alike in both runs" : "");
    if (facts->lead && facts->lead->source)
        dt_markup_add(out, ", in <code>%s</code>", facts->lead->source);
    else if (!facts->prime)
        dt_markup_add(out, ", in trace %s", facts->difference->trace);
    g_string_append(out, ".</p>");
}

/* The filter of the difference leaves out the calls that the verdict tells of. */
static gboolean add_told_calls(GString *out, const DtFrontFacts *facts)
{
    g_autofree char *reason = facts->prime ? dt_front_first_reason(facts) : NULL;
    g_autofree char *called = NULL, *normally = NULL;
    dt_parting_told_calls(reason, &called, &normally);
    if (facts->departure.told || !called || !normally)
        return FALSE;
    dt_markup_add(
        out,
        "<dl class=\"calls\"><div class=\"call faulty\"><dt>Called</dt><dd>%n</dd></div><div class=\"call "
        "normal\"><dt>Normally</dt><dd>%n</dd></div></dl><p>The difference below has the calls kept by filter "
        "<code>%s</code>.</p>",
        called, normally, facts->difference->filter);
    return TRUE;
}

/* How much a function takes longer. */
static void add_slower(GString *out, const DtTimeDifference *slower)
{
    static const struct {
        const char *kind, *text;
    } kinds[] = {{"always", "in every call"}, {"since", "in every call since some time"}, {"once", "in single calls"}};
    const char *when = "";
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_strcmp0(kinds[i].kind, slower->kind) == 0)
            when = kinds[i].text;
    }
    g_autofree char *much = slower->seconds < 1 ? g_strdup_printf("%.0f ms", 1000 * slower->seconds)
                                                : g_strdup_printf("%.1f s", slower->seconds);
    dt_markup_add(out, "<p>%n takes %s more in all, %s. The calls themselves are the same in both runs.</p>",
                  slower->function ? slower->function : "A function", much, when);
}

static void add_common(GString *out, const DtCommon *common)
{
    dt_markup_add(out, "<dl class=\"calls\"><div class=\"call faulty\"><dt>Now</dt><dd>%n: %s</dd></div>", common->call,
                  common->faulty);
    dt_markup_add(out, "<div class=\"call normal\"><dt>Normally</dt><dd>%n: %s</dd></div></dl>", common->call,
                  common->normal);
}

/* What the run proves by itself. */
static void add_proved(GString *out, const DtCheckRow *row)
{
    g_autofree char *traces = dt_front_traces(row), *meaning = dt_front_meaning(row);
    g_string_append(out, "<dl class=\"calls\">");
    if (row->call)
        dt_markup_add(out, "<div class=\"call faulty\"><dt>Called%s%s</dt><dd>%n</dd></div>",
                      *traces != '\0' ? " by " : "", traces, row->call);
    if (row->expected)
        dt_markup_add(out, "<div class=\"call normal\"><dt>Right</dt><dd>%s</dd></div>", row->expected);
    dt_markup_add(out, "</dl><p>%s: the run proves it, <a href=\"#checks\">by these calls</a>.</p>", meaning);
}

void dt_front_add_what(GString *out, const DtFrontFacts *facts)
{
    const DtComparison *comparison = facts->page->comparison;
    const DtCommon *common = &comparison->common;
    g_string_append(out, "<article class=\"answer-card what\"><h2>What</h2>");
    if (!facts->lead && common->call && g_strcmp0(common->normal, common->faulty) != 0) {
        add_common(out, common);
    } else if (facts->departs) {
        if (!add_told_calls(out, facts)) {
            add_calls(out, facts);
            add_position(out, facts);
        }
    } else if (comparison->times && comparison->times->differences->len > 0) {
        add_slower(out, comparison->times->differences->pdata[0]);
    } else if (facts->prime) {
        g_autofree char *reason = dt_front_first_reason(facts);
        g_autofree char *brief = dt_text_brief(reason, 0);
        dt_markup_add(out, "<p title=\"%s\">%s.</p>", reason, brief);
    } else if (facts->proved) {
        add_proved(out, facts->proved);
    } else if (facts->lead) {
        dt_markup_add(out, "<p>Trace %s is least like the others.</p>", facts->lead->trace);
    } else {
        g_string_append(out, "<p>Nothing that could be told from noise.</p>");
    }
    g_string_append(out, "</article>");
}

/* ---- where -------------------------------------------------------------------------- */

static void add_frame(GString *out, const DtFrontFrame *frame)
{
    dt_markup_add(out, "<li>%n", frame->call);
    if (frame->source)
        dt_markup_add(out, " <span class=\"source\">%s</span>", frame->source);
    if (frame->inlined)
        g_string_append(out, " <span class=\"source\">inlined into</span>");
    g_string_append(out, "</li>");
}

static void add_stack(GString *out, const DtFrontFacts *facts)
{
    guint count = facts->frames->len, left = 0;
    if (count > FRAMES_INNERMOST + FRAMES_OUTERMOST + 1)
        left = count - FRAMES_INNERMOST - FRAMES_OUTERMOST;
    g_string_append(out, "<ol class=\"stack\">");
    for (guint i = 0; i < count; i++) {
        if (left > 0 && i == FRAMES_INNERMOST) {
            dt_markup_add(out, "<li class=\"left\">%u more</li>", left);
            i += left;
        }
        add_frame(out, facts->frames->pdata[i]);
    }
    g_string_append(out, "</ol>");
}

/* Its caption has the line, too, where no stack has. */
static void add_excerpt(GString *out, const DtFrontExcerpt *excerpt, gboolean with_line)
{
    if (!excerpt->lines)
        return;
    g_autofree char *line = g_strdup_printf(":%u", excerpt->marked);
    dt_markup_add(out, "<figure class=\"excerpt\"><figcaption>%s%s%s</figcaption><pre>", excerpt->file,
                  with_line ? line : "", excerpt->newer ? ", which has changed since the run" : "");
    for (guint i = 0; i < excerpt->lines->len; i++) {
        const char *tag = excerpt->first + i == excerpt->marked ? "mark" : "span";
        dt_markup_add(out, "<%s><b>%u</b>  %s</%s>\n", tag, excerpt->first + i, (const char *)excerpt->lines->pdata[i],
                      tag);
    }
    g_string_append(out, "</pre></figure>");
}

void dt_front_add_where(GString *out, const DtFrontFacts *facts)
{
    g_string_append(out, "<article class=\"answer-card where\"><h2>Where</h2>");
    if (facts->frames->len > 0)
        add_stack(out, facts);
    else if (facts->at && !facts->excerpt.lines)
        dt_markup_add(out, "<p><span class=\"source\">%s</span></p>", facts->at);
    else if (!facts->at)
        g_string_append(out, !facts->lead && !facts->difference
                                 ? "<p>No place: no difference of calls has one.</p>"
                                 : "<p>The line is not known: the program has no debug information (<code>-g</code>), "
                                   "or no single place is to blame.</p>");
    add_excerpt(out, &facts->excerpt, facts->frames->len == 0);
    if (facts->address)
        dt_markup_add(out, "<p>It tried to access address %s.</p>", facts->address);
    g_string_append(out, "</article>");
}
