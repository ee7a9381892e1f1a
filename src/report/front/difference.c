/* The calls around the first difference and at the end, side by side. src/report/html/departure.js makes the same. */
#include "report/common.h"
#include "report/front/cards.h"
#include "report/front/markup.h"

/* A box of a side begins with its sign, and for readers of screens its name. */
static void begin_box(GString *out, const char *side, const char *extra)
{
    static const struct {
        const char *side, *sign, *name;
    } sides[] = {
        {"common", "=", "both runs"}, {"normal", "\u2212", "normal run only"}, {"faulty", "+", "faulty run only"}};
    guint at = 0;
    while (at + 1 < G_N_ELEMENTS(sides) && !g_str_equal(sides[at].side, side))
        at++;
    dt_markup_add(
        out,
        "<div class=\"box %s %s\"><span class=\"sign\" aria-hidden=\"true\">%s</span><span class=\"unseen\">%s: "
        "</span>",
        side, extra, sides[at].sign, sides[at].name);
}

static void add_cell(GString *out, const DtFrontFacts *facts, const char *side, guint32 call)
{
    begin_box(out, side, "");
    dt_markup_add(out, "<span>%n</span></div>", dt_function_name(facts->difference->functions, call));
}

static void add_left_out(GString *out, guint64 calls, const char *what)
{
    g_autofree char *count = dt_grouped(calls);
    dt_markup_add(out, "<em class=\"left\">\u2026 %s %s%s</em>", count, calls == 1 ? "call" : "calls", what);
}

static void add_common(GString *out, const DtFrontFacts *facts)
{
    const DtParting *departure = &facts->departure;
    guint64 left = departure->done - MIN(departure->done, departure->before_count);
    if (left > 0) {
        g_string_append(out, "<tr><td colspan=\"2\">");
        add_left_out(out, left, departure->first ? " alike" : " before");
        g_string_append(out, "</td></tr>");
    }
    for (guint i = 0; i < departure->before_count; i++) {
        g_string_append(out, "<tr><td colspan=\"2\">");
        add_cell(out, facts, "common", departure->before[i]);
        g_string_append(out, "</td></tr>");
    }
}

/* The lines of a side: its calls, how many are left out, the last ones, the end. */
static guint lines_of(const DtPartingSide *side)
{
    return side->count + (side->left_out > 0 ? 1 : 0) + side->last_count + 1;
}

static void add_end(GString *out, const DtFrontFacts *facts, const char *side, guint32 open)
{
    begin_box(out, side, "end");
    if (open == 0)
        g_string_append(out, "<em>end of the trace</em></div>");
    else
        dt_markup_add(out, "<strong>\u25a0 %n never returned</strong></div>",
                      dt_function_name(facts->difference->functions, open));
}

static void add_line(GString *out, const DtFrontFacts *facts, const char *name, const DtPartingSide *side, guint32 open,
                     guint line)
{
    guint gap = side->left_out > 0 ? 1 : 0;
    g_string_append(out, "<td>");
    if (line < side->count)
        add_cell(out, facts, name, side->after[line]);
    else if (line < side->count + gap)
        add_left_out(out, side->left_out, "");
    else if (line < side->count + gap + side->last_count)
        add_cell(out, facts, name, side->last[line - side->count - gap]);
    else if (line + 1 == lines_of(side))
        add_end(out, facts, name, open);
    g_string_append(out, "</td>");
}

static void add_table(GString *out, const DtFrontFacts *facts)
{
    const DtDiffNlrReport *what = facts->difference;
    const DtParting *departure = &facts->departure;
    dt_markup_add(out,
                  "<table class=\"diff departure\"><caption class=\"unseen\">Where trace %s departs, and how it "
                  "ends</caption><thead><tr><th scope=\"col\">normal: <code>%s</code></th>"
                  "<th scope=\"col\">faulty: <code>%s</code></th></tr></thead><tbody>",
                  what->trace, what->normal, what->faulty);
    add_common(out, facts);
    for (guint i = 0; i < MAX(lines_of(&departure->normal), lines_of(&departure->faulty)); i++) {
        g_string_append(out, "<tr>");
        add_line(out, facts, "normal", &departure->normal, what->diff->normal_open, i);
        add_line(out, facts, "faulty", &departure->faulty, what->diff->faulty_open, i);
        g_string_append(out, "</tr>");
    }
    g_string_append(out, "</tbody></table>");
}

void dt_front_add_difference(GString *out, const DtFrontFacts *facts)
{
    const DtDiffNlrReport *what = facts->difference;
    if (!what) {
        g_string_append(out, !facts->page->runs[0] ? "<p>There was no normal run to compare with.</p>"
                                                   : "<p>Both runs make the same calls.</p>");
        return;
    }
    dt_markup_add(out, "<h3>How trace %s differs</h3>", what->trace);
    if (facts->departs)
        add_table(out, facts);
    else
        g_string_append(out, "<p>The same calls in the same order.</p>");
}
