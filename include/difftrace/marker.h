/**
 * Markers in a difftrace recording.
 *
 *     #include <difftrace/marker.h>
 *     ...
 *     DIFFTRACE_MARK("solver starts");
 *
 * Does nothing, in some nanoseconds, when the program is not traced. Nothing has to be linked: the function is the
 * tracer's, found by the dynamic loader if the tracer is there. In a trace the first hundred bytes of the text appear
 * at their place, see "difftrace dump --clock".
 */
#ifndef DIFFTRACE_MARKER_H
#define DIFFTRACE_MARKER_H

#ifdef __cplusplus
extern "C" {
#endif

extern void difftrace_marker(const char *text) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#define DIFFTRACE_MARK(text)                                                                                           \
    do {                                                                                                               \
        if (difftrace_marker)                                                                                          \
            difftrace_marker(text);                                                                                    \
    } while (0)

#endif
