/* What ends the process, or puts another program in its place; of C++ also as it is shown. */
#include "calls/rows.h"

/* clang-format off */
static const struct dt_call ending_calls[] = {
    CALL("_Exit", IS(ENDING), EXIT_STATUS),
    CALL("_ZSt9terminatev", IS(ENDING, FAILING)),
    CALL("__assert", IS(ENDING, FAILING), TEXT, TEXT, NUMBER),
    CALL("__assert_fail", IS(ENDING, FAILING), TEXT, TEXT, NUMBER, TEXT),
    CALL("__assert_perror_fail", IS(ENDING, FAILING), ERROR_CODE, TEXT, NUMBER, TEXT),
    CALL("__chk_fail", IS(ENDING, FAILING)),
    CALL("__fortify_fail", IS(ENDING, FAILING), TEXT),
    CALL("__stack_chk_fail", IS(ENDING, FAILING)),
    CALL("_exit", IS(ENDING), EXIT_STATUS),
    CALL("_gfortran_error_stop_numeric", IS(ENDING, FAILING), NUMBER, TRUTH),
    CALL("_gfortran_error_stop_string", IS(ENDING, FAILING), TEXT, SIZE, TRUTH),
    CALL("_gfortran_os_error", IS(ENDING, FAILING), TEXT),
    CALL("_gfortran_os_error_at", IS(ENDING, FAILING), TEXT, TEXT, VARIADIC),
    CALL("_gfortran_runtime_error", IS(ENDING, FAILING), TEXT, VARIADIC),
    CALL("_gfortran_runtime_error_at", IS(ENDING, FAILING), TEXT, TEXT, VARIADIC),
    CALL("_gfortran_stop_numeric", IS(ENDING), NUMBER, TRUTH),
    CALL("_gfortran_stop_string", IS(ENDING), TEXT, SIZE, TRUTH),
    CALL("abort", IS(ENDING, FAILING)),
    CALL("execve", IS(), PATH, ARGUMENTS, ENVIRONMENT),
    CALL("execveat", IS(), DIRECTORY, PATH, ARGUMENTS, ENVIRONMENT, FLAGS),
    CALL("exit", IS(ENDING), EXIT_STATUS),
    CALL("fexecve", IS(), DESCRIPTOR, ARGUMENTS, ENVIRONMENT),
    CALL("quick_exit", IS(ENDING), EXIT_STATUS),
    CALL("raise", IS(ENDING), SIGNAL),
    CALL("std::terminate", IS(ENDING, FAILING)),
    CALL("std::terminate()", IS(ENDING, FAILING)),
};
/* clang-format on */

struct dt_call_rows dt_ending_calls(void)
{
    return ROWS(ending_calls);
}
