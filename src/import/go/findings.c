/* Leaked goroutines: source GOAT, whose rule for partial and global deadlocks this is. */
#include "import/go/findings.h"

#include <string.h>

#include "text/text.h"

static DtGoOperation last_operation(const DtGoroutines *goroutines, const DtGoroutine *goroutine)
{
    const DtGoEvent event = {.type = goroutine->last_type, .stack = goroutine->last_stack};
    return dt_go_operation(goroutines, &event);
}

gboolean dt_go_has_finished(const DtGoroutines *goroutines, const DtGoroutine *goroutine)
{
    DtGoStack stack = dt_go_stack(goroutines->trace, goroutine->last_stack);
    for (guint i = 0; i < stack.count; i++)
        if (g_str_has_suffix(stack.frames[i].function, ".difftraceLeave"))
            return TRUE;
    for (guint i = 0; i < stack.count; i++)
        if (g_str_equal(stack.frames[i].function, "runtime.StopTrace") ||
            g_str_equal(stack.frames[i].function, "runtime/trace.Stop"))
            return TRUE;
    return FALSE;
}

/* The innermost frame of the program's own; NULL: none. */
static const DtGoFrame *own_frame(const DtGoroutines *goroutines, guint64 id)
{
    DtGoStack stack = dt_go_stack(goroutines->trace, id);
    for (guint i = 0; i < stack.count; i++)
        if (!dt_goroutines_is_library(goroutines, &stack.frames[i]))
            return &stack.frames[i];
    return NULL;
}

static gboolean waits_for_a_test(const DtGoroutines *goroutines, const DtGoroutine *goroutine)
{
    const char *name = last_operation(goroutines, goroutine).name;
    return name && g_str_has_prefix(name, "testing.");
}

gboolean dt_go_is_leaked(const DtGoroutines *goroutines, const DtGoroutine *goroutine)
{
    if (goroutine->is_library || goroutine->last_type == DT_GO_WAITING || goroutine->last_type == DT_GO_BLOCK_GC ||
        (goroutine->state != DT_GO_IS_BLOCKED && goroutine->state != DT_GO_IS_STOPPED) ||
        dt_go_has_finished(goroutines, goroutine) || waits_for_a_test(goroutines, goroutine))
        return FALSE;
    const DtGoFrame *site = goroutine->site.function ? &goroutine->site : NULL;
    return own_frame(goroutines, goroutine->last_stack) || (site && !dt_goroutines_is_library(goroutines, site));
}

/* Of those the program, or its test, does not come to its end without. */
static gboolean is_first(const DtGoroutines *goroutines, const DtGoroutine *goroutine)
{
    const DtGoFrame *site = goroutine->site.function ? &goroutine->site : NULL;
    gboolean is_laid_around = site && strstr(site->file, "zz_difftrace");
    (void)goroutines;
    return goroutine->id == 1 || g_str_equal(goroutine->entry, "testing.tRunner") || is_laid_around;
}

static char *tell_leak(const DtGoroutines *goroutines, const DtGoroutine *goroutine, const char *prefix)
{
    const DtGoFrame *frame = own_frame(goroutines, goroutine->last_stack);
    g_autofree char *line = frame ? dt_go_frame_line(frame) : g_strdup("?");
    g_autofree char *entry = dt_text_spell(*goroutine->entry ? goroutine->entry : "(unknown)");
    g_autofree char *site = goroutine->site.function ? dt_go_frame_line(&goroutine->site) : NULL;
    return g_strdup_printf("%s: goroutine %s%u %s leaked in %s%s%s%s", line, prefix, goroutine->number, entry,
                           last_operation(goroutines, goroutine).name,
                           goroutine->state == DT_GO_IS_STOPPED ? ", which nothing can end" : "",
                           site ? ", started at " : "", site ? site : "");
}

/* Nobody of the program did anything in the last second, nor can by itself. */
static gboolean is_quiet(const DtGoroutines *goroutines)
{
    const gint64 second = 1000000000;
    const GArray *events = goroutines->trace->events;
    gint64 end = g_array_index(events, DtGoEvent, events->len - 1).time;
    for (guint i = 0; i < goroutines->numbered->len; i++) {
        const DtGoroutine *goroutine = g_ptr_array_index(goroutines->numbered, i);
        gboolean rests = goroutine->state == DT_GO_IS_BLOCKED || goroutine->state == DT_GO_IS_STOPPED ||
                         goroutine->state == DT_GO_HAS_ENDED || dt_go_has_finished(goroutines, goroutine);
        if (!rests || (goroutine->state != DT_GO_HAS_ENDED && dt_go_is_leaked(goroutines, goroutine) &&
                       end - goroutine->since < second))
            return FALSE;
    }
    return goroutines->trace->ticks_per_second > 0;
}

/* In what one that serves others waits for work. */
static gboolean is_idle(const DtGoroutines *goroutines, const DtGoroutine *goroutine)
{
    static const char *const names[] = {"chan receive", "chan select", "Cond.Wait", "WaitGroup.Wait", "block wait"};
    const char *name = last_operation(goroutines, goroutine).name;
    for (guint i = 0; i < G_N_ELEMENTS(names) && goroutine->state != DT_GO_IS_STOPPED; i++)
        if (g_str_equal(name, names[i]))
            return TRUE;
    return FALSE;
}

static gboolean is_at_end(const DtGoroutines *goroutines, const DtGoroutine *goroutine)
{
    return strstr(goroutine->entry, "difftraceRun.func") &&
           (goroutine->state == DT_GO_HAS_ENDED || dt_go_has_finished(goroutines, goroutine));
}

DtGoFindings *dt_go_findings_new(const DtGoroutines *goroutines, const char *prefix)
{
    DtGoFindings *findings = g_new0(DtGoFindings, 1);
    findings->leaks = g_ptr_array_new_with_free_func(g_free);
    findings->idle = g_ptr_array_new_with_free_func(g_free);
    findings->is_quiet = is_quiet(goroutines);
    for (guint i = 0; i < goroutines->numbered->len; i++) {
        const DtGoroutine *goroutine = g_ptr_array_index(goroutines->numbered, i);
        findings->has_ended |= is_at_end(goroutines, goroutine);
        if (!dt_go_is_leaked(goroutines, goroutine))
            continue;
        findings->is_global |= is_first(goroutines, goroutine);
        g_ptr_array_add(findings->leaks, tell_leak(goroutines, goroutine, prefix));
        if (is_idle(goroutines, goroutine))
            g_ptr_array_add(findings->idle, tell_leak(goroutines, goroutine, prefix));
    }
    return findings;
}

void dt_go_findings_free(DtGoFindings *findings)
{
    if (!findings)
        return;
    g_ptr_array_unref(findings->leaks);
    g_ptr_array_unref(findings->idle);
    g_free(findings);
}

char *dt_go_findings_summary(const DtGoFindings *findings)
{
    const guint count = findings->leaks->len;
    return g_strdup_printf("%s: %u goroutine%s of the program wait%s%s",
                           findings->is_global ? "global deadlock" : "leak", count, count == 1 ? "" : "s",
                           count == 1 ? "s" : "", findings->is_quiet ? "; all has been quiet for a second" : "");
}
