#include "report/front/front.h"

#include "report/front/cards.h"
#include "report/front/markup.h"
#include "text/text.h"

static char *title_of(const DtFrontFacts *facts, const char *headline)
{
    const DtComparison *comparison = facts->page->comparison;
    return !comparison->normal ? dt_text_printf("%s: %s", headline, comparison->faulty)
                               : dt_text_printf("%s: %s and %s", headline, comparison->normal, comparison->faulty);
}

static char *besides_of(const DtFrontFacts *facts)
{
    GString *out = g_string_new(NULL);
    g_autofree char *besides = dt_front_besides(facts);
    g_autofree char *brief = dt_text_brief(besides, 0);
    if (*brief != '\0')
        dt_markup_add(out, "<p class=\"verdict-rest\" title=\"%s\">%s.</p>", besides, brief);
    return g_string_free(out, FALSE);
}

static char *sections_of(const DtFrontFacts *facts)
{
    GString *out = g_string_new("<div id=\"answer\" class=\"answer\">");
    dt_front_add_what(out, facts);
    dt_front_add_where(out, facts);
    dt_front_add_waits(out, facts);
    g_string_append(out,
                    "</div><div class=\"beside\"><section id=\"difference\" aria-labelledby=\"difference-heading\">"
                    "<h2 id=\"difference-heading\">Difference</h2><div id=\"detail\">");
    dt_front_add_difference(out, facts);
    g_string_append(out,
                    "</div></section><section id=\"next\" aria-labelledby=\"next-heading\"><h2 id=\"next-heading\">"
                    "Next steps</h2>");
    dt_front_add_steps(out, facts);
    g_string_append(out, "</section></div><section id=\"suspects\" aria-labelledby=\"suspects-heading\">"
                         "<h2 id=\"suspects-heading\">Suspects</h2><div id=\"suspects-table\">");
    dt_front_add_suspects(out, facts);
    g_string_append(out, "</div></section>");
    dt_front_add_checks(out, facts);
    return g_string_free(out, FALSE);
}

DtFront dt_front_new(const DtPage *page)
{
    g_autoptr(DtFrontFacts) facts = dt_front_facts_new(page);
    DtFront front = {.headline = dt_front_headline(facts)};
    front.title = title_of(facts, front.headline);
    front.besides = besides_of(facts);
    front.sections = sections_of(facts);
    return front;
}

void dt_front_clear(DtFront *front)
{
    g_free(front->title);
    g_free(front->headline);
    g_free(front->besides);
    g_free(front->sections);
}
