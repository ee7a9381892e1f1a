/** What api_stubs.S calls: calls of MPI and the like at their entry and at their return. */
#ifndef DT_ARGUMENTS_API_CALLS_H
#define DT_ARGUMENTS_API_CALLS_H

#include "native/x86_64/registers.h"
#include "record/functions.h"

/** From stubs.S: 0 = traced call, 1 = leave the call alone. */
int dt_api_entry(struct dt_entry_registers *registers);
/** Whether anything is to be done when calls of the function return, beside recording that, or that has to be done with
 * signals held; and that. */
enum dt_api_return {
    DT_RETURN_PLAIN,
    DT_RETURN_FAILED, /* if they return anything but 0 */
    DT_RETURN_ASKS
};
enum dt_api_return dt_api_returns(const struct dt_hooked_function *function);
void dt_api_exit(struct dt_exit_registers *registers);

#endif
