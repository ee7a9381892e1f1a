/*
 * Teams of OpenMP: all threads of one meet the same barriers and worksharing constructs. Threads that executed the body
 * of a parallel region equally often are taken for its teams; then the sums over all times are equal, too.
 */
#include "checks/checking.h"

#include <string.h>

typedef enum { BARRIER, WORKSHARING, KINDS } Kind;

/* What a thread did in a body. */
typedef struct {
    const DtTrace *trace;
    guint32 body;
    guint64 visits, calls[KINDS];
    DtKeptCall last[KINDS];
    gboolean is_open; /* it never came out of it */
} Part;

typedef struct {
    DtChecking *checking;
    const DtProcess *process;
    GArray *parts;      /* Part, of the process */
    guint first;        /* of the thread */
    gboolean is_unsure; /* cancellation, teams inside of teams */
} Teams;

static gpointer start(DtChecking *checking)
{
    Teams *own = g_new0(Teams, 1);
    own->checking = checking;
    own->parts = g_array_new(FALSE, FALSE, sizeof(Part));
    return own;
}

static void stop(gpointer family)
{
    Teams *own = family;
    g_array_unref(own->parts);
    g_free(own);
}

static Part *part_of(Teams *own, const DtCheckedTrace *trace, guint32 body)
{
    for (guint i = own->first; i < own->parts->len; i++)
        if (g_array_index(own->parts, Part, i).body == body)
            return &g_array_index(own->parts, Part, i);
    Part part = {.trace = trace->trace, .body = body};
    g_array_append_val(own->parts, part);
    return &g_array_index(own->parts, Part, own->parts->len - 1);
}

/* KINDS: neither. */
static Kind kind_of(const char *name)
{
    if (g_str_equal(name, "GOMP_barrier") || g_str_equal(name, "__kmpc_barrier"))
        return BARRIER;
    const gboolean starts = (g_str_has_prefix(name, "GOMP_loop_") || g_str_has_prefix(name, "GOMP_sections") ||
                             g_str_has_prefix(name, "GOMP_single")) &&
                            g_str_has_suffix(name, "_start");
    const gboolean inits = g_str_has_prefix(name, "__kmpc_for_static_init") ||
                           g_str_has_prefix(name, "__kmpc_dispatch_init") || g_str_equal(name, "__kmpc_single");
    return starts || inits ? WORKSHARING : KINDS;
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Teams *own = family;
    if (call->of != DT_CALL_OPENMP || !call->row || trace->body == 0)
        return;
    own->is_unsure |= strstr(call->row->name, "cancel") || dt_check_has(call, DT_CALL_JOINING);
    Kind kind = kind_of(call->row->name);
    if (kind == KINDS)
        return;
    Part *part = part_of(own, trace, trace->body);
    if (part->calls[kind]++ == 0 || part->last[kind].function != call->function)
        part->last[kind] = dt_check_keep(trace, call);
}

static void end(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open)
{
    Teams *own = family;
    GHashTableIter iter;
    gpointer key, value;
    (void)open;
    own->is_unsure |= !trace->is_complete;
    g_hash_table_iter_init(&iter, trace->bodies);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        Part *part = part_of(own, trace, GPOINTER_TO_UINT(key));
        part->visits = *(const guint64 *)value;
        part->is_open = trace->body == part->body;
    }
}

/* ---- the end of a process -------------------------------------------------------------------- */

static void tell(Teams *own, const Part *less, const Part *more, Kind kind)
{
    DtCheckFinding *finding;
    const DtCheckRule rule = kind == BARRIER ? DT_CHECK_OMP_BARRIER : DT_CHECK_OMP_WORKSHARING;
    if (!dt_check_report_kept(own->checking, rule, DT_CHECK_ERROR, &more->last[kind], NULL, &finding))
        return;
    dt_check_expect(finding, "a %s that all threads of the team meet", kind == BARRIER ? "barrier" : "construct");
    dt_check_add_evidence(finding,
                          "in %s thread %s met %" G_GUINT64_FORMAT ", thread %s met %" G_GUINT64_FORMAT
                          " and came to the end of the region",
                          dt_check_function_name(own->checking, more->body), more->trace->label, more->calls[kind],
                          less->trace->label, less->calls[kind]);
}

static gboolean is_one_team(const Teams *own, const Part *one)
{
    guint threads = 0;
    for (guint i = 0; i < own->parts->len; i++) {
        const Part *other = &g_array_index(own->parts, Part, i);
        if (other->body != one->body)
            continue;
        threads++;
        if (other->visits != one->visits)
            return FALSE;
    }
    return threads > 1;
}

static void look_at_body(Teams *own, const Part *first)
{
    for (guint kind = 0; kind < KINDS; kind++) {
        const Part *less = NULL, *more = NULL;
        for (guint i = 0; i < own->parts->len; i++) {
            const Part *part = &g_array_index(own->parts, Part, i);
            if (part->body != first->body)
                continue;
            if (!part->is_open && (!less || part->calls[kind] < less->calls[kind]))
                less = part;
            if (!more || part->calls[kind] > more->calls[kind])
                more = part;
        }
        if (less && more && less->calls[kind] < more->calls[kind])
            tell(own, less, more, (Kind)kind);
    }
}

static void end_process(Teams *own)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint i = 0; !own->is_unsure && i < own->parts->len; i++) {
        const Part *part = &g_array_index(own->parts, Part, i);
        if (g_hash_table_add(seen, GUINT_TO_POINTER(part->body)) && is_one_team(own, part))
            look_at_body(own, part);
    }
    g_array_set_size(own->parts, 0);
    own->is_unsure = FALSE;
}

static void begin(gpointer family, const DtCheckedTrace *trace)
{
    Teams *own = family;
    if (own->process != trace->process)
        end_process(own);
    own->process = trace->process;
    own->first = own->parts->len;
}

static void finish(gpointer family)
{
    end_process(family);
}

const DtCheckFamily dt_check_teams = {
    .start = start, .begin = begin, .enter = enter, .end = end, .finish = finish, .stop = stop};
