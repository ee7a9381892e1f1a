/* Words for the reasons why a process was not recorded, and the check of the record that tells it. */
#include "unrecorded.h"

#include <stddef.h>

#include "crc32.h"

static const char *const reason_names[DT_UNRECORDED_REASONS] = {
    [DT_UNRECORDED_UNKNOWN] = "unknown",
    [DT_UNRECORDED_STATIC] = "static",
    [DT_UNRECORDED_ARCHITECTURE] = "other architecture",
    [DT_UNRECORDED_PRIVILEGED] = "privileged",
    [DT_UNRECORDED_ENVIRONMENT] = "environment cleared",
    [DT_UNRECORDED_PRELOAD] = "preload replaced",
    [DT_UNRECORDED_NO_TRACER] = "tracer not reachable",
    [DT_UNRECORDED_NO_RUN] = "run directory not reachable",
    [DT_UNRECORDED_NOT_WRITABLE] = "run directory not writable",
    [DT_UNRECORDED_MEMORY] = "memory limit",
    [DT_UNRECORDED_FILE_SIZE] = "file size limit",
    [DT_UNRECORDED_DESCRIPTORS] = "no free descriptor",
    [DT_UNRECORDED_SPACE] = "disk full",
    [DT_UNRECORDED_START] = "start failed",
    [DT_UNRECORDED_LIBRARY] = "other C library",
};

const char *dt_unrecorded_reason_name(uint32_t reason)
{
    return reason_names[reason < DT_UNRECORDED_REASONS ? reason : DT_UNRECORDED_UNKNOWN];
}

uint32_t dt_unrecorded_check(const struct dt_unrecorded *record)
{
    uint32_t crc = dt_crc32(0, record, offsetof(struct dt_unrecorded, check));
    return dt_crc32(crc, record->executable, sizeof record->executable);
}
