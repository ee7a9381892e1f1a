/* Lines that tell what the analysis does. */
#include "base/debug.h"

static const char *const names[] = {DT_DEBUG_ANALYSIS_TOPICS(DT_DEBUG_NAME) DT_DEBUG_TRACER_TOPICS(DT_DEBUG_NAME) NULL};

/* Settled before there are threads. */
static guint32 wanted;
static DtDebugHook tell;

static void ask_for_topic(const char *name)
{
    guint topic = 0;
    while (names[topic] != NULL && !g_str_equal(names[topic], name))
        topic++;
    if (names[topic] != NULL) {
        wanted |= 1u << topic;
        return;
    }
    g_autofree char *all = g_strjoinv(", ", (char **)names);
    g_autofree char *line = g_strdup_printf("DIFFTRACE_DEBUG has no topic %s: there are %s", name, all);
    tell(line);
}

void dt_debug_start(DtDebugHook hook)
{
    const char *value = g_getenv("DIFFTRACE_DEBUG");
    tell = hook;
    g_auto(GStrv) asked = g_strsplit(value != NULL ? value : "", ",", -1);
    for (guint i = 0; asked[i] != NULL; i++) {
        if (asked[i][0] != '\0')
            ask_for_topic(asked[i]);
    }
}

void dt_debug(DtDebugTopic topic, const char *format, ...)
{
    if ((wanted >> topic & 1) == 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *line = g_strdup_printf("%s: %s", names[topic], text);
    tell(line);
}
