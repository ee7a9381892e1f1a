/**
 * DIFFTRACE_DEBUG=TOPIC[,TOPIC...]: lines on stderr that tell what the tracer does. Off, it costs the look at one word;
 * so it belongs on cold paths alone. A line is one system call, and may be written in signal handlers.
 */
#ifndef DT_RECORD_DEBUG_H
#define DT_RECORD_DEBUG_H

#include <stdint.h>

#include "format/debug_topics.h"

enum dt_debug_topic { DT_DEBUG_TRACER_TOPICS(DT_DEBUG_CONSTANT) DT_DEBUG_TOPICS };

/** A bit each; settled at start. */
extern uint32_t dt_debug_topics;
/** Reads the variable; a topic that neither the tracer nor the analysis has is told in one line. */
void dt_debug_initialise(void);
void dt_debug_write(enum dt_debug_topic topic, const char *what, uint64_t number, const char *name);

/** Tells `what`, then the number, then `name`, if the topic was asked for. */
static inline void dt_debug(enum dt_debug_topic topic, const char *what, uint64_t number, const char *name)
{
    if (__builtin_expect(dt_debug_topics >> topic & 1, 0))
        dt_debug_write(topic, what, number, name);
}

#endif
