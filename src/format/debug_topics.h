/**
 * The topics of DIFFTRACE_DEBUG=TOPIC[,TOPIC...]. Tracer and analysis share the variable: each knows the names of all,
 * and leaves to the other what is the other's. A topic is X(CONSTANT, NAME).
 */
#ifndef DT_FORMAT_DEBUG_TOPICS_H
#define DT_FORMAT_DEBUG_TOPICS_H

#define DT_DEBUG_TRACER_TOPICS(X)                                                                                      \
    X(START, "start")                                                                                                  \
    X(PLAN, "plan")                                                                                                    \
    X(PATCH, "patch")                                                                                                  \
    X(RECORD, "record")                                                                                                \
    X(SIGNALS, "signals")

#define DT_DEBUG_ANALYSIS_TOPICS(X)                                                                                    \
    X(STORE, "store")                                                                                                  \
    X(DECODE, "decode")                                                                                                \
    X(FOLD, "fold")                                                                                                    \
    X(VERDICT, "verdict")                                                                                              \
    X(COMPARE, "compare")                                                                                              \
    X(ATTACH, "attach")

/** One after the other. */
#define DT_DEBUG_CONSTANT(constant, name) DT_DEBUG_##constant,
#define DT_DEBUG_NAME(constant, name)     name,

#endif
