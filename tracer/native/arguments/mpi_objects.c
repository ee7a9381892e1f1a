/* Operations, windows and files: what is asked of MPI once per handle. */
#include "native/arguments/calls.h"
#include "record/signatures.h"
#include "record/spin_lock.h"
#include "system/reserved_memory.h"

static struct dt_handles operations, windows, files;
static uint32_t lock, own_operations, window_count, file_count;
/* By window number: the communicator's handle. */
enum { DT_MOST_WINDOWS = 4096 }; /* times dt_process.options.arguments_scale */
static uint64_t *window_communicators;

static bool get_number(const struct dt_handles *handles, uint64_t handle, uint64_t *value)
{
    if (!dt_spin_lock(&lock))
        return false;
    bool known = dt_handles_get(handles, handle, value);
    dt_spin_unlock(&lock);
    return known;
}

static void put_number(struct dt_handles *handles, uint64_t handle, uint64_t value)
{
    if (!dt_spin_lock(&lock))
        return;
    dt_handles_put(handles, handle, value);
    dt_spin_unlock(&lock);
}

static void forget(struct dt_handles *handles, uint64_t handle)
{
    if (!dt_spin_lock(&lock))
        return;
    dt_handles_remove(handles, handle);
    dt_spin_unlock(&lock);
    dt_signatures_changed();
}

int64_t dt_operation_number(uint64_t handle)
{
    uint64_t known;
    for (int i = DT_OPERATION_MAX; i <= DT_OPERATION_NO_OP; i++)
        if (handle && dt_mpi.operations[i] == handle)
            return i;
    if (get_number(&operations, handle, &known))
        return (int64_t)known;
    known = DT_OPERATION_OWN + __atomic_fetch_add(&own_operations, 1, __ATOMIC_RELAXED);
    put_number(&operations, handle, known);
    return (int64_t)known;
}

void dt_operation_freed(uint64_t handle)
{
    forget(&operations, handle);
}

bool dt_window_get(uint64_t handle, uint32_t *number, uint64_t *communicator)
{
    uint64_t known;
    if (!get_number(&windows, handle, &known) || known >= window_count)
        return false;
    *number = (uint32_t)known;
    *communicator = window_communicators[known];
    return true;
}

void dt_window_made(uint64_t handle, uint64_t communicator)
{
    uint32_t most = DT_MOST_WINDOWS * dt_process.options.arguments_scale;
    if (!dt_spin_lock(&lock))
        return;
    if (!window_communicators)
        window_communicators = dt_kept_allocate(most * sizeof *window_communicators);
    if (window_communicators && window_count < most && dt_handles_put(&windows, handle, window_count))
        window_communicators[window_count++] = communicator;
    else
        dt_lost(&dt_process.header->lost_communicators);
    dt_spin_unlock(&lock);
}

void dt_window_freed(uint64_t handle)
{
    forget(&windows, handle);
}

int64_t dt_file_argument(uint64_t handle)
{
    uint64_t number;
    return get_number(&files, handle, &number) ? dt_argument(DT_ARGUMENT_FILE, (int64_t)number)
                                               : dt_argument_special(DT_ARGUMENT_FILE, DT_SPECIAL_UNKNOWN);
}

void dt_file_opened(uint64_t handle)
{
    put_number(&files, handle, __atomic_fetch_add(&file_count, 1, __ATOMIC_RELAXED));
    dt_signatures_changed();
}

void dt_file_closed(uint64_t handle)
{
    forget(&files, handle);
}
