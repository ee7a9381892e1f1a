/* DIFFTRACE_DEBUG: which of the analysis' debug messages are written. */
#include <string.h>

#include "base/debug.h"
#include "cli/cli.h"

static const char *const names[] = {DT_DEBUG_ANALYSIS_TOPICS(DT_DEBUG_NAME) DT_DEBUG_TRACER_TOPICS(DT_DEBUG_NAME) NULL};

/* The topic's bit; 0 if there is none of that name. */
static guint topic_bit(const char *name)
{
    for (guint topic = 0; names[topic]; topic++) {
        if (g_str_equal(names[topic], name))
            return 1u << topic;
    }
    return 0;
}

static guint wanted_topics(void)
{
    const char *value = g_getenv("DIFFTRACE_DEBUG");
    g_auto(GStrv) asked = g_strsplit(value ? value : "", ",", -1);
    guint wanted = 0;
    for (guint i = 0; asked[i]; i++) {
        wanted |= topic_bit(asked[i]);
        if (asked[i][0] != '\0' && topic_bit(asked[i]) == 0) {
            g_autofree char *all = g_strjoinv(", ", (char **)names);
            dt_cli_warn("DIFFTRACE_DEBUG has no topic %s: there are %s", asked[i], all);
        }
    }
    return wanted;
}

static const char *field_value(const GLogField *fields, gsize count, const char *key)
{
    for (gsize i = 0; i < count; i++) {
        if (g_str_equal(fields[i].key, key))
            return fields[i].value;
    }
    return NULL;
}

/* `wanted` is the bits of the topics. Other libraries' messages, and GLib's own, go where they always do. */
static GLogWriterOutput write_message(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer wanted)
{
    const char *domain = field_value(fields, count, "GLIB_DOMAIN");
    if (!domain || !g_str_has_prefix(domain, DT_DEBUG_DOMAIN_PREFIX))
        return g_log_writer_default(level, fields, count, NULL);
    const char *topic = domain + strlen(DT_DEBUG_DOMAIN_PREFIX);
    if (GPOINTER_TO_UINT(wanted) & topic_bit(topic))
        dt_cli_warn("%s: %s", topic, field_value(fields, count, "MESSAGE"));
    return G_LOG_WRITER_HANDLED;
}

void dt_cli_write_debug_lines(void)
{
    g_log_set_writer_func(write_message, GUINT_TO_POINTER(wanted_topics()), NULL);
}
