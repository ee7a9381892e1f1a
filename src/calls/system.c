/* The C library's calls that wait, sleep, or ask for the time. */
#include "calls/rows.h"

/* clang-format off */
static const struct dt_call system_calls[] = {
    CALL("clock_gettime", IS(POLLING), CLOCK, POINTER),
    CALL("clock_nanosleep", IS(POLLING), CLOCK, FLAGS, TIMEOUT, POINTER),
    CALL("gettimeofday", IS(POLLING), POINTER, POINTER),
    CALL("nanosleep", IS(POLLING), TIMEOUT, POINTER),
    CALL("sched_yield", IS(POLLING)),
    CALL("sem_clockwait", IS(BLOCKING), SEMAPHORE, CLOCK, TIMEOUT),
    CALL("sem_destroy", IS(), SEMAPHORE_FREED),
    CALL("sem_init", IS(), SEMAPHORE_MADE, TRUTH, NUMBER),
    CALL("sem_post", IS(WAKING), SEMAPHORE),
    CALL("sem_timedwait", IS(BLOCKING), SEMAPHORE, TIMEOUT),
    CALL("sem_trywait", IS(POLLING), SEMAPHORE),
    CALL("sem_wait", IS(BLOCKING), SEMAPHORE),
    CALL("sleep", IS(POLLING), NUMBER),
    CALL("usleep", IS(POLLING), NUMBER),
};
/* clang-format on */

struct dt_call_rows dt_system_calls(void)
{
    return ROWS(system_calls);
}
