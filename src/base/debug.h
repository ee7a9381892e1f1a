/**
 * DIFFTRACE_DEBUG=TOPIC[,TOPIC...]: lines that tell what the analysis does. Off, as it is until dt_debug_start(), it
 * costs a call; so it belongs where a run, a trace or a stage begins or ends, not where events go by.
 */
#ifndef DT_BASE_DEBUG_H
#define DT_BASE_DEBUG_H

#include <glib.h>

#include "format/debug_topics.h"

G_BEGIN_DECLS

typedef enum { DT_DEBUG_ANALYSIS_TOPICS(DT_DEBUG_CONSTANT) DT_DEBUG_TOPICS } DtDebugTopic;

/** Gets lines without their ends, from any thread. */
typedef void (*DtDebugHook)(const char *line);
/** Reads the variable; a topic that neither the analysis nor the tracer has is told in one line. */
void dt_debug_start(DtDebugHook hook);

/** Tells "TOPIC: TEXT" if the topic was asked for. */
void dt_debug(DtDebugTopic topic, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_END_DECLS

#endif
