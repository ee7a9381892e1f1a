/* What a goroutine does, by the functions of Go's library that it is in. */
#include "import/go/goroutines.h"

typedef struct {
    const char *function, *name;
} Row;

static const Row rows[] = {
    {"runtime.chansend1", "chan send"},
    {"runtime.chansend", "chan send"},
    {"runtime.selectnbsend", "chan send"},
    {"reflect.Value.Send", "chan send"},
    {"runtime.chanrecv1", "chan receive"},
    {"runtime.chanrecv2", "chan receive"},
    {"runtime.chanrecv", "chan receive"},
    {"runtime.selectnbrecv", "chan receive"},
    {"reflect.Value.Recv", "chan receive"},
    {"runtime.selectgo", "chan select"},
    {"runtime.block", "chan select"},
    {"reflect.Select", "chan select"},
    {"runtime.closechan", "chan close"},
    {"sync.(*Mutex).Lock", "Mutex.Lock"},
    {"sync.(*Mutex).lockSlow", "Mutex.Lock"},
    {"sync.(*Mutex).Unlock", "Mutex.Unlock"},
    {"sync.(*Mutex).unlockSlow", "Mutex.Unlock"},
    {"sync.(*RWMutex).Lock", "RWMutex.Lock"},
    {"sync.(*RWMutex).Unlock", "RWMutex.Unlock"},
    {"sync.(*RWMutex).RLock", "RWMutex.RLock"},
    {"sync.(*RWMutex).RUnlock", "RWMutex.RUnlock"},
    {"sync.(*RWMutex).rUnlockSlow", "RWMutex.RUnlock"},
    {"sync.(*WaitGroup).Wait", "WaitGroup.Wait"},
    {"sync.(*WaitGroup).Add", "WaitGroup.Done"},
    {"sync.(*WaitGroup).Done", "WaitGroup.Done"},
    {"sync.(*Cond).Wait", "Cond.Wait"},
    {"sync.(*Cond).Signal", "Cond.Signal"},
    {"sync.(*Cond).Broadcast", "Cond.Broadcast"},
    {"sync.(*Once).Do", "Once.Do"},
    {"sync.(*Once).doSlow", "Once.Do"},
    {"time.Sleep", "time.Sleep"},
    {"testing.(*T).Run", "testing.T.Run"},
    {"testing.(*T).Parallel", "testing.T.Parallel"},
    {"testing.(*B).Run", "testing.T.Run"},
};

static const char *name_of_function(const char *function)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        if (g_str_equal(function, rows[i].function))
            return rows[i].name;
    return NULL;
}

static const char *name_of_type(guint type)
{
    switch (type) {
    case DT_GO_BLOCK_SEND:
        return "chan send";
    case DT_GO_BLOCK_RECEIVE:
        return "chan receive";
    case DT_GO_BLOCK_SELECT:
        return "chan select";
    case DT_GO_BLOCK_SYNC:
        return "lock wait";
    case DT_GO_BLOCK_COND:
        return "Cond.Wait";
    case DT_GO_BLOCK_NET:
        return "network wait";
    case DT_GO_SLEEP:
        return "time.Sleep";
    case DT_GO_SYSCALL:
    case DT_GO_IN_SYSCALL:
        return "system call";
    case DT_GO_BLOCK:
    case DT_GO_STOP:
    case DT_GO_WAITING:
        return "block wait";
    default:
        return NULL;
    }
}

/* Of the frames of the library on top, the outermost that is in the table: RWMutex.Lock locks a Mutex, too. */
DtGoOperation dt_go_operation(const DtGoroutines *goroutines, const DtGoEvent *event)
{
    DtGoStack stack = dt_go_stack(goroutines->trace, event->stack);
    DtGoOperation operation = {.name = name_of_type(event->type)};
    guint i = 0;
    for (; i < stack.count && dt_goroutines_is_library(goroutines, &stack.frames[i]); i++) {
        const char *name = name_of_function(stack.frames[i].function);
        if (name)
            operation = (DtGoOperation){name, i + 1, TRUE};
    }
    if (!operation.is_known)
        operation.first = i;
    return operation;
}
