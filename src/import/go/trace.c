#include "import/go/trace.h"

#include <string.h>

#include "import/import.h"
#include "text/text.h"

enum { OLDEST_MINOR = 7, FIRST_OF_SECOND = 22 };

#define KIND(name, oldest, stack, ...)                                                                                 \
    {                                                                                                                  \
        name, oldest, stack,                                                                                           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

const DtGoEventKind *dt_go_event_kind(guint type)
{
    static const DtGoEventKind kinds[DT_GO_EVENT_TYPES] = {
        [1] = KIND("Batch", 5, FALSE, "p", "ticks"),
        [2] = KIND("Frequency", 5, FALSE, "freq"),
        [3] = KIND("Stack", 5, FALSE, "id", "siz"),
        [4] = KIND("Gomaxprocs", 5, TRUE, "procs"),
        [5] = KIND("ProcStart", 5, FALSE, "thread"),
        [6] = KIND("ProcStop", 5, FALSE, NULL),
        [7] = KIND("GCStart", 5, TRUE, "seq"),
        [8] = KIND("GCDone", 5, FALSE, NULL),
        [9] = KIND("GCSTWStart", 5, FALSE, "kindid"),
        [10] = KIND("GCSTWDone", 5, FALSE, NULL),
        [11] = KIND("GCSweepStart", 5, TRUE, NULL),
        [12] = KIND("GCSweepDone", 5, FALSE, "swept", "reclaimed"),
        [13] = KIND("GoCreate", 5, TRUE, "g", "stack"),
        [14] = KIND("GoStart", 5, FALSE, "g", "seq"),
        [15] = KIND("GoEnd", 5, FALSE, NULL),
        [16] = KIND("GoStop", 5, TRUE, NULL),
        [17] = KIND("GoSched", 5, TRUE, NULL),
        [18] = KIND("GoPreempt", 5, TRUE, NULL),
        [19] = KIND("GoSleep", 5, TRUE, NULL),
        [20] = KIND("GoBlock", 5, TRUE, NULL),
        [21] = KIND("GoUnblock", 5, TRUE, "g", "seq"),
        [22] = KIND("GoBlockSend", 5, TRUE, NULL),
        [23] = KIND("GoBlockRecv", 5, TRUE, NULL),
        [24] = KIND("GoBlockSelect", 5, TRUE, NULL),
        [25] = KIND("GoBlockSync", 5, TRUE, NULL),
        [26] = KIND("GoBlockCond", 5, TRUE, NULL),
        [27] = KIND("GoBlockNet", 5, TRUE, NULL),
        [28] = KIND("GoSysCall", 5, TRUE, NULL),
        [29] = KIND("GoSysExit", 5, FALSE, "g", "seq", "ts"),
        [30] = KIND("GoSysBlock", 5, FALSE, NULL),
        [31] = KIND("GoWaiting", 5, FALSE, "g"),
        [32] = KIND("GoInSyscall", 5, FALSE, "g"),
        [33] = KIND("HeapAlloc", 5, FALSE, "mem"),
        [34] = KIND("HeapGoal", 5, FALSE, "mem"),
        [35] = KIND("TimerGoroutine", 5, FALSE, "g"),
        [36] = KIND("FutileWakeup", 5, FALSE, NULL),
        [37] = KIND("String", 7, FALSE, NULL),
        [38] = KIND("GoStartLocal", 7, FALSE, "g"),
        [39] = KIND("GoUnblockLocal", 7, TRUE, "g"),
        [40] = KIND("GoSysExitLocal", 7, FALSE, "g", "ts"),
        [41] = KIND("GoStartLabel", 8, FALSE, "g", "seq", "labelid"),
        [42] = KIND("GoBlockGC", 8, TRUE, NULL),
        [43] = KIND("GCMarkAssistStart", 9, TRUE, NULL),
        [44] = KIND("GCMarkAssistDone", 9, FALSE, NULL),
        [45] = KIND("UserTaskCreate", 11, TRUE, "taskid", "pid", "typeid"),
        [46] = KIND("UserTaskEnd", 11, TRUE, "taskid"),
        [47] = KIND("UserRegion", 11, TRUE, "taskid", "mode", "typeid"),
        [48] = KIND("UserLog", 11, TRUE, "id", "keyid"),
        [49] = KIND("CPUSample", 19, TRUE, "ts", "p", "g"),
    };
    return type < G_N_ELEMENTS(kinds) && kinds[type].name ? &kinds[type] : NULL;
}

/* ---- bytes --------------------------------------------------------------------------------------- */

gboolean dt_go_number(DtGoBytes *from, guint64 *number)
{
    enum { MOST_BYTES = 10 };
    *number = 0;
    for (guint i = 0; i < MOST_BYTES && from->at < from->bytes; i++) {
        guint8 byte = from->data[from->at++];
        if (i < MOST_BYTES - 1 || byte < 2)
            *number |= (guint64)(byte & 0x7f) << (7 * i);
        if (byte < 0x80)
            return TRUE;
    }
    return FALSE;
}

void dt_go_damaged(DtGoTrace *trace, gsize at, const char *what)
{
    if (!trace->damage)
        trace->damage = g_strdup_printf("%s at byte %" G_GSIZE_FORMAT, what, at);
}

/* "go 1.19 trace", with NULs behind it. */
gboolean dt_go_header(const guint8 *data, gsize bytes, guint *minor)
{
    static const char start[] = "go 1.", end[] = " trace";
    if (bytes < DT_GO_HEADER_BYTES || memcmp(data, start, sizeof(start) - 1) != 0)
        return FALSE;
    gsize at = sizeof(start) - 1;
    for (*minor = 0; at < 8 && g_ascii_isdigit(data[at]); at++)
        *minor = *minor * 10 + (data[at] - '0');
    gboolean is_one = at > sizeof(start) - 1 && memcmp(data + at, end, sizeof(end) - 1) == 0;
    for (at += sizeof(end) - 1; is_one && at < DT_GO_HEADER_BYTES; at++)
        is_one = data[at] == 0;
    return is_one;
}

/* ---- traces -------------------------------------------------------------------------------------- */

static void free_stack(gpointer data)
{
    DtGoStack *stack = data;
    g_free((gpointer)stack->frames);
    g_free(stack);
}

static DtGoTrace *trace_new(guint minor)
{
    DtGoTrace *trace = g_new0(DtGoTrace, 1);
    trace->minor = minor;
    trace->events = g_array_new(FALSE, FALSE, sizeof(DtGoEvent));
    trace->stacks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_stack);
    trace->strings = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    trace->timers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return trace;
}

void dt_go_trace_free(DtGoTrace *trace)
{
    if (!trace)
        return;
    g_array_unref(trace->events);
    g_hash_table_unref(trace->stacks);
    g_hash_table_unref(trace->strings);
    g_hash_table_unref(trace->timers);
    g_free(trace->damage);
    g_free(trace);
}

DtGoStack dt_go_stack(const DtGoTrace *trace, guint64 id)
{
    const DtGoStack *stack = id ? g_hash_table_lookup(trace->stacks, &id) : NULL;
    return stack ? *stack : (DtGoStack){0};
}

DtGoTrace *dt_go_trace_parse(const guint8 *data, gsize bytes, GError **error)
{
    guint minor;
    DtGoBytes from = {data, bytes, DT_GO_HEADER_BYTES};
    if (!dt_go_header(data, bytes, &minor)) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT,
                     "no trace of Go's: it does not begin with \"go 1.N trace\"");
        return NULL;
    }
    if (minor < OLDEST_MINOR) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT,
                     "a trace of Go 1.%u: those of 1.%d and later can be read; record it with one of these", minor,
                     OLDEST_MINOR);
        return NULL;
    }
    g_autoptr(DtGoTrace) trace = trace_new(minor);
    if (minor >= FIRST_OF_SECOND) {
        dt_go_read_second(trace, &from);
    } else {
        g_autoptr(GHashTable) lanes = dt_go_read_first(trace, &from);
        dt_go_merge(trace, lanes);
        dt_go_make_times(trace);
    }
    dt_go_drop_futile(trace);
    dt_go_drop_stays(trace);
    if (trace->events->len == 0) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "no event in it%s%s", trace->damage ? ": " : "",
                     trace->damage ? trace->damage : "");
        return NULL;
    }
    return g_steal_pointer(&trace);
}

void dt_go_give_names_back(char *text)
{
    static const char *const given[][2] = {{".difftraceMain", ".main"}, {".difftraceTestMain", ".TestMain"}};
    for (guint i = 0; i < G_N_ELEMENTS(given); i++) {
        const gsize old = strlen(given[i][0]), own = strlen(given[i][1]);
        char *at = strstr(text, given[i][0]);
        if (!at || (at[old] != '\0' && at[old] != '.'))
            continue;
        memcpy(at, given[i][1], own);
        memmove(at + own, at + old, strlen(at + old) + 1);
    }
}
