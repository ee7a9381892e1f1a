/* What goroutines do with channels and locks, by the names that an import gives it: no function is called so. */
#include "calls/rows.h"

/* clang-format off */
static const struct dt_call go_calls[] = {
    CALL("Cond.Broadcast", IS(), CONDITION),
    CALL("Cond.Signal", IS(), CONDITION),
    CALL("Cond.Wait", IS(BLOCKING, NONDETERMINISTIC), CONDITION),
    CALL("Mutex.Lock", IS(BLOCKING, ACQUIRING), LOCK),
    CALL("Mutex.Unlock", IS(RELEASING), LOCK),
    CALL("Once.Do", IS(BLOCKING)),
    CALL("RWMutex.Lock", IS(BLOCKING, ACQUIRING), LOCK),
    CALL("RWMutex.RLock", IS(BLOCKING, ACQUIRING), LOCK),
    CALL("RWMutex.RUnlock", IS(RELEASING), LOCK),
    CALL("RWMutex.Unlock", IS(RELEASING), LOCK),
    CALL("WaitGroup.Done", IS()),
    CALL("WaitGroup.Wait", IS(BLOCKING)),
    CALL("block wait", IS(BLOCKING)),
    CALL("chan close", IS()),
    CALL("chan receive", IS(BLOCKING)),
    CALL("chan select", IS(BLOCKING, NONDETERMINISTIC)),
    CALL("chan send", IS(BLOCKING)),
    CALL("lock wait", IS(BLOCKING)),
    CALL("network wait", IS(BLOCKING)),
    CALL("system call", IS()),
    CALL("testing.T.Parallel", IS(BLOCKING)),
    CALL("testing.T.Run", IS(BLOCKING, JOINING)),
    CALL("time.Sleep", IS(POLLING), TIMEOUT),
};
/* clang-format on */

struct dt_call_rows dt_go_calls(void)
{
    return ROWS(go_calls);
}
