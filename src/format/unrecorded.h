/**
 * Processes that left no trace file: who saw them begin says so, and why as far as it can be known.
 *
 * A process tells of the program that it executes, and of its children, in the first page of its own file, behind the
 * header: that page is mapped, so that this works after it has given up its privileges or changed its root. What finds
 * no room there, and what a process without a file tells of itself, is a line of RUN/unrecorded.log. All of it says
 * what was to be expected: a later file of the same process proves it wrong (docs/trace-format.md).
 */
#ifndef DT_FORMAT_UNRECORDED_H
#define DT_FORMAT_UNRECORDED_H

#include "trace_file.h"

/** Why a process was not recorded; the list is closed. Names: dt_unrecorded_reason_name(). */
enum dt_unrecorded_reason {
    DT_UNRECORDED_UNKNOWN = 0,  /* nothing spoke against it */
    DT_UNRECORDED_STATIC,       /* statically linked: no loader preloads anything */
    DT_UNRECORDED_ARCHITECTURE, /* not x86-64 */
    DT_UNRECORDED_PRIVILEGED,   /* setuid, setgid, file capabilities, or another effective user than the real one */
    DT_UNRECORDED_ENVIRONMENT,  /* started without the environment by which the tracer knows what to do */
    DT_UNRECORDED_PRELOAD,      /* started with an LD_PRELOAD that does not name the tracer */
    DT_UNRECORDED_NO_TRACER,    /* the tracer's library is not to be seen or read from there */
    DT_UNRECORDED_NO_RUN,       /* the run directory is not there under its path */
    DT_UNRECORDED_NOT_WRITABLE, /* by that user, or in a file system that is read only */
    DT_UNRECORDED_MEMORY,       /* a limit of memory is too small */
    DT_UNRECORDED_FILE_SIZE,    /* a limit of files' size is too small */
    DT_UNRECORDED_DESCRIPTORS,  /* no file could be opened: too many were open */
    DT_UNRECORDED_SPACE,        /* the disk is full */
    DT_UNRECORDED_START,        /* the tracer could not start, for another reason, or too late */
    DT_UNRECORDED_LIBRARY,      /* started by the loader of another C library than GNU's */
    DT_UNRECORDED_REASONS,
    DT_UNRECORDED_ON_PURPOSE = 0xffff /* by --only or for want of a rank: never told */
};

/** "static", "other architecture", ...; "unknown" for what is no reason. */
const char *dt_unrecorded_reason_name(uint32_t reason);

/** Such a process, or a program that takes this one's place. */
struct dt_unrecorded {
    uint32_t pid;          /* 0: nothing is told here */
    uint32_t reason;       /* enum dt_unrecorded_reason */
    uint64_t monotonic_ns; /* when it was told: what starts later proves it wrong */
    uint32_t check;        /* dt_unrecorded_check(), written last */
    char executable[108];  /* its path, NUL terminated; of one that is too long the end */
};

/** How many the first page has room for, and where. The first is what the process itself executed. */
enum { DT_UNRECORDED_RECORDS = 14 };
#define DT_UNRECORDED_OFFSET (DT_CHUNK_ALIGN - DT_UNRECORDED_RECORDS * sizeof(struct dt_unrecorded))

_Static_assert(sizeof(struct dt_unrecorded) == 128 && DT_UNRECORDED_OFFSET >= sizeof(struct dt_file_header),
               "docs/trace-format.md says where they are");

/** Of all but the check itself. */
uint32_t dt_unrecorded_check(const struct dt_unrecorded *record);

#endif
