#include "skip_reason.h"

static const char *const reason_names[DT_SKIP_REASONS] = {
    [DT_HOOKED] = "hooked",
    [DT_SKIP_EXCLUDED] = "excluded",
    [DT_SKIP_UNWANTED] = "unwanted",
    [DT_SKIP_TOO_SHORT] = "too short",
    [DT_SKIP_BRANCH_TARGET] = "branch target",
    [DT_SKIP_UNDECODABLE] = "undecodable",
    [DT_SKIP_UNMOVABLE] = "unmovable",
    [DT_SKIP_COLD_PART] = "cold part",
    [DT_SKIP_RESOLVER] = "resolver",
    [DT_SKIP_STARTUP] = "startup",
    [DT_SKIP_RETURN_ADDRESS] = "return address",
    [DT_SKIP_OUT_OF_REACH] = "out of reach",
    [DT_SKIP_STACK_WALKER] = "stack walker",
    [DT_SKIP_WRITE_PROTECTED] = "write-protected",
};

const char *dt_skip_reason_name(uint32_t reason)
{
    return reason < DT_SKIP_REASONS ? reason_names[reason] : "unknown";
}
