/* Lines that tell what the analysis does. */
#include "base/debug.h"

static const char *const domains[] = {DT_DEBUG_ANALYSIS_TOPICS(DT_DEBUG_DOMAIN)};

void dt_debug(DtDebugTopic topic, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_logv(domains[topic], G_LOG_LEVEL_DEBUG, format, arguments);
    va_end(arguments);
}
