/* Lines that tell what the tracer does. */
#include "record/debug.h"

#include <stdlib.h>

#include "record/unrecorded.h"
#include "system/system.h"

enum { LINE_BYTES = 1400 };

static const char *const topics[] = {DT_DEBUG_TRACER_TOPICS(DT_DEBUG_NAME) DT_DEBUG_ANALYSIS_TOPICS(DT_DEBUG_NAME)};
enum { TOPICS = sizeof topics / sizeof *topics };
uint32_t dt_debug_topics;

static void write_line(char *line, char *to)
{
    *to++ = '\n';
    dt_syscall(SYS_write, 2, (long)line, to - line, 0, 0, 0);
}

static void warn_of_topic(const char *name)
{
    char line[LINE_BYTES], *end = line + sizeof line - 1;
    char *to = dt_line_append(line, end, "difftrace: DIFFTRACE_DEBUG has no topic ");
    to = dt_line_append(to, end - 64, name);
    for (uint32_t i = 0; i < TOPICS; i++)
        to = dt_line_append(dt_line_append(to, end, i ? ", " : ": there are "), end, topics[i]);
    write_line(line, to);
}

static void ask_for_topic(const char *name)
{
    uint32_t topic = 0;
    while (topic < TOPICS && strcmp(topics[topic], name) != 0)
        topic++;
    if (topic < TOPICS)
        dt_debug_topics |= 1u << topic;
    else
        warn_of_topic(name);
}

void dt_debug_initialise(void)
{
    char name[LINE_BYTES / 2];
    const char *wanted = getenv("DIFFTRACE_DEBUG");
    while (wanted && *wanted) {
        size_t length = strcspn(wanted, ","), kept = length < sizeof name - 1 ? length : sizeof name - 1;
        memcpy(name, wanted, kept);
        name[kept] = 0;
        ask_for_topic(name);
        wanted += length + (wanted[length] == ',');
    }
}

void dt_debug_write(enum dt_debug_topic topic, const char *what, uint64_t number, const char *name)
{
    char line[LINE_BYTES], *end = line + sizeof line - 1;
    char *to = dt_line_append_number(dt_line_append(line, end, "difftrace["), end, dt_sys_pid());
    to = dt_line_append(dt_line_append(to, end, "] "), end, topics[topic]);
    to = dt_line_append(dt_line_append(dt_line_append(to, end, ": "), end, what), end, " ");
    to = dt_line_append_number(to, end, number);
    write_line(line, dt_line_append(dt_line_append(to, end, name ? " " : ""), end, name ? name : ""));
}
