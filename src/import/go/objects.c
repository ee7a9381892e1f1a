#include "import/go/objects.h"

#include "format/arguments.h"

enum { MARK = 0xd1, MARK_SHIFT = 56, OPERATION_SHIFT = 48 };

static const struct {
    const char *name;
    guint argument;
} operations[] = {
    {"", 0}, /* over */
    {"chan send", DT_ARGUMENT_CHANNEL},
    {"chan receive", DT_ARGUMENT_CHANNEL},
    {"chan close", DT_ARGUMENT_CHANNEL},
    {"chan select", 0},
    {"Mutex.Lock", DT_ARGUMENT_LOCK},
    {"Mutex.Unlock", DT_ARGUMENT_LOCK},
    {"RWMutex.Lock", DT_ARGUMENT_LOCK},
    {"RWMutex.Unlock", DT_ARGUMENT_LOCK},
    {"RWMutex.RLock", DT_ARGUMENT_LOCK},
    {"RWMutex.RUnlock", DT_ARGUMENT_LOCK},
    {"WaitGroup.Wait", DT_ARGUMENT_WAIT_GROUP},
    {"WaitGroup.Done", DT_ARGUMENT_WAIT_GROUP},
    {"Cond.Wait", DT_ARGUMENT_CONDITION},
    {"Cond.Signal", DT_ARGUMENT_CONDITION},
    {"Cond.Broadcast", DT_ARGUMENT_CONDITION},
    {"chan make", DT_ARGUMENT_CHANNEL},
    {"chan select", 0},
    {"chan send", DT_ARGUMENT_CHANNEL},
    {"chan receive", DT_ARGUMENT_CHANNEL},
};
enum { MADE = 16 }; /* those behind it have a default, and never block */

gboolean dt_go_objects_told(const DtGoEvent *event, DtGoTold *told)
{
    guint64 task = event->arguments[0];
    guint operation = (guint)(task >> OPERATION_SHIFT) & 0xff;
    if (event->type != DT_GO_TASK_END || task >> MARK_SHIFT != MARK || operation >= G_N_ELEMENTS(operations))
        return FALSE;
    *told = (DtGoTold){.is_over = operation == 0,
                       .is_made = operation == MADE,
                       .never_blocks = operation > MADE,
                       .name = operations[operation].name,
                       .address = task & ((G_GUINT64_CONSTANT(1) << OPERATION_SHIFT) - 1)};
    return TRUE;
}

const char *dt_go_operation_name(guint number)
{
    return number < G_N_ELEMENTS(operations) ? operations[number].name : "";
}

guint dt_go_operation_argument(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(operations); i++)
        if (g_str_equal(operations[i].name, name))
            return operations[i].argument;
    return 0;
}
