/* /tmp/perf-PID.map: names of stubs for perf, on request. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native/stack/unwind_info.h"

enum { DT_LONGEST_NAME = 512 };

/* Never through a link that somebody else has put there, nor into a pipe, which would wait for its reader. */
static FILE *open_map(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        status.st_nlink == 1)
        return fdopen(fd, "a");
    if (fd >= 0)
        close(fd);
    return NULL;
}

static const char *name_at(const struct dt_plan *plan, uint64_t address)
{
    uint32_t low = 0, high = plan->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (plan->functions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? plan->names + plan->functions[low - 1].name : "?";
}

/* A line each: bytes that are not ASCII's printable ones are escapes, and a backslash is doubled. */
static void write_name(FILE *map, const char *name)
{
    for (int i = 0; name[i] && i < DT_LONGEST_NAME; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (byte < ' ' || byte > '~')
            fprintf(map, "\\x%02x", byte);
        else
            fprintf(map, "%s%c", byte == '\\' ? "\\" : "", byte);
    }
    fputc('\n', map);
}

void dt_perf_map_add(const struct dt_arena *arena, const struct dt_plan *plan, uint64_t bias)
{
    const char *wanted = getenv("DIFFTRACE_PERF_MAP");
    FILE *map = wanted && *wanted == '1' ? open_map() : NULL;
    for (uint32_t i = 0; map && i < arena->place_count; i++) {
        const struct dt_stub_place *place = &arena->places[i];
        uint64_t start = (uint64_t)arena->start + place->stub;
        uint64_t end = i + 1 < arena->place_count ? (uint64_t)arena->start + place[1].stub : (uint64_t)arena->next;
        uint64_t function = (uint64_t)((int64_t)arena->start + place->function) - bias;
        fprintf(map, "%lx %lx %s of ", start, end - start, place->relocated ? "stub" : "return");
        write_name(map, place->function ? name_at(plan, function) : "an import");
    }
    if (map)
        fclose(map);
}
