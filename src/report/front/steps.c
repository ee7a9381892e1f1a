/* What to type next: commands for the runs at hand. */
#include <string.h>

#include "report/front/cards.h"
#include "report/front/markup.h"

static char *quoted(const char *word)
{
    gboolean plain = *word != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                   "._-+=:,@%/") == strlen(word);
    return plain ? g_strdup(word) : g_shell_quote(word);
}

static void add_step(GString *out, const char *command, const char *what)
{
    dt_markup_add(out, "<li><code class=\"command\">%s</code> <span>%s</span></li>", command, what);
}

static void add_of_difference(GString *out, const char *trace)
{
    g_autofree char *differs = g_strdup_printf("difftrace diffnlr %s", trace);
    add_step(out, differs, "all of its difference, loops folded");
}

static void add_of_lead(GString *out, const DtFrontFacts *facts, const char *faulty)
{
    const char *trace = facts->lead->trace;
    g_autofree char *stack = g_strdup_printf("difftrace stack %s -t %s --lines --args", faulty, trace);
    g_autofree char *dump = g_strdup_printf("difftrace dump %s --trace %s --args --lines", faulty, trace);
    if (facts->difference)
        add_of_difference(out, trace);
    if (facts->frames->len > 0)
        add_step(out, stack, "where it is, with arguments");
    if (facts->trace)
        add_step(out, dump, "each call that it made");
}

/* One normal run does not tell luck from a fault. */
static void add_of_noise(GString *out, const DtFrontFacts *facts, const char *faulty)
{
    const DtComparison *comparison = facts->page->comparison;
    if (!comparison->normal) {
        g_autofree char *compare = g_strdup_printf("difftrace compare NORMAL %s", faulty);
        add_step(out, compare, "with a run that went well");
    } else if (!comparison->baselines || !comparison->baselines[0]) {
        g_autofree char *normal = quoted(comparison->normal);
        g_autofree char *again = g_strdup_printf("difftrace compare %s %s -b NORMAL2 -b NORMAL3", normal, faulty);
        add_step(out, again, "further normal runs tell noise from the fault");
    }
}

void dt_front_add_steps(GString *out, const DtFrontFacts *facts)
{
    g_autofree char *faulty = quoted(facts->page->comparison->faulty);
    g_autofree char *waits = g_strdup_printf("difftrace waits %s", faulty);
    g_autofree char *times = g_strdup_printf("difftrace times %s --by=function", faulty);
    g_autofree char *balance = g_strdup_printf("difftrace times %s --by=balance", faulty);
    g_autofree char *check = g_strdup_printf("difftrace check %s", faulty);
    const gboolean is_alone = !facts->page->comparison->normal;
    g_string_append(out, "<ul class=\"steps\">");
    if (facts->lead)
        add_of_lead(out, facts, faulty);
    else if (facts->difference)
        add_of_difference(out, facts->difference->trace);
    if (facts->page->waits && facts->page->waits->summary && facts->frames->len > 0)
        add_step(out, waits, "who waits for whom, all of them");
    if (facts->page->comparison->times)
        add_step(out, times, "where the time went");
    else if (is_alone && dt_run_has_times(facts->page->runs[1]->run))
        add_step(out, balance, "where some ranks wait for others, by function");
    add_step(out, check, "what one run proves to be wrong");
    add_of_noise(out, facts, faulty);
    g_string_append(out, "</ul>");
}
