#include "collect/looks.h"

#include <string.h>

#include "store/run_headers.h"

static DtLookedAt *find_thread(GArray *threads, guint pid, const char *thread)
{
    for (guint i = 0; i < threads->len; i++) {
        DtLookedAt *seen = &g_array_index(threads, DtLookedAt, i);
        if (seen->pid == pid && g_str_equal(seen->thread, thread))
            return seen;
    }
    return NULL;
}

/* Both looks see the threads in about the same order: the search goes on from where the one before ended. */
static DtLookedAt *get_thread(GArray *threads, guint *next, guint pid, const char *thread)
{
    if (*next < threads->len) {
        DtLookedAt *expected = &g_array_index(threads, DtLookedAt, *next);
        if (expected->pid == pid && g_str_equal(expected->thread, thread)) {
            ++*next;
            return expected;
        }
    }
    DtLookedAt *found = find_thread(threads, pid, thread);
    if (found) {
        *next = (guint)(found - &g_array_index(threads, DtLookedAt, 0)) + 1;
        return found;
    }
    DtLookedAt fresh = {.pid = pid};
    g_strlcpy(fresh.thread, thread, sizeof fresh.thread);
    g_array_append_val(threads, fresh);
    return &g_array_index(threads, DtLookedAt, threads->len - 1);
}

void dt_look(const char *run, GArray *threads, gboolean is_last)
{
    DtRun *headers = dt_run_open_headers(run, NULL);
    guint next = 0;
    for (guint t = 0; headers && t < dt_run_trace_count(headers); t++) {
        const DtTrace *trace = dt_run_trace(headers, t);
        const char *thread = strrchr(trace->label, '.');
        if (trace->library || trace->returned || !thread || strcmp(trace->process->host, g_get_host_name()) != 0)
            continue;
        DtLookedAt *seen = get_thread(threads, &next, trace->process->pid, thread + 1);
        *(is_last ? &seen->last : &seen->first) = trace->dropped_words + trace->words;
    }
    if (headers)
        dt_run_free(headers);
}

GArray *dt_ranks_of(const char *run)
{
    GArray *ranks = g_array_new(FALSE, FALSE, sizeof(pid_t));
    DtRun *headers = dt_run_open_headers(run, NULL);
    for (guint p = 0; headers && p < dt_run_process_count(headers); p++) {
        const DtProcess *process = dt_run_process(headers, p);
        const pid_t pid = (pid_t)process->pid;
        if (process->rank >= 0 && !strchr(process->label, '+') && strcmp(process->host, g_get_host_name()) == 0)
            g_array_append_val(ranks, pid);
    }
    if (headers)
        dt_run_free(headers);
    return ranks;
}
