/**
 * Lines that tell what the analysis does, by topics: debug messages of GLib's. The command line writes those of
 * DIFFTRACE_DEBUG=TOPIC[,TOPIC...]; in other programs they are GLib's to write, G_MESSAGES_DEBUG=difftrace-TOPIC. A
 * line that nobody wants costs a microsecond; so it belongs where a run, a trace or a stage begins or ends, not where
 * events go by.
 */
#ifndef DT_BASE_DEBUG_H
#define DT_BASE_DEBUG_H

#include <glib.h>

#include "format/debug_topics.h"

G_BEGIN_DECLS

typedef enum { DT_DEBUG_ANALYSIS_TOPICS(DT_DEBUG_CONSTANT) DT_DEBUG_TOPICS } DtDebugTopic;

/** The topics' log domains begin with it: "difftrace-store". */
#define DT_DEBUG_DOMAIN_PREFIX          "difftrace-"
#define DT_DEBUG_DOMAIN(constant, name) DT_DEBUG_DOMAIN_PREFIX name,

/** A line without its end, from any thread. */
void dt_debug(DtDebugTopic topic, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_END_DECLS

#endif
