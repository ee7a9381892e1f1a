/*
 * Plays the actors round robin until nobody can go on.
 */
#include "simulator.h"

#include <signal.h>

#include "format/trace_file.h"

typedef struct {
    Simulator *simulator;
    guint actors;
    guint *messages;     /* [from * actors + to] sent, not received */
    gint *locks;         /* per mutex: its owner, -1: free */
    gint *ends, *status; /* per process: DtProcessEnd or -1 while it runs */
} Play;

enum { MUTEXES = 8 };

static void actor_free(gpointer data)
{
    Actor *actor = data;
    g_array_unref(actor->ops);
    g_free(actor);
}

Simulator *simulator_new(gboolean mpi)
{
    Simulator *simulator = g_new0(Simulator, 1);
    simulator->mpi = mpi;
    simulator->actors = g_ptr_array_new_with_free_func(actor_free);
    simulator->absent = g_hash_table_new(NULL, NULL);
    return simulator;
}

void simulator_free(Simulator *simulator)
{
    g_ptr_array_unref(simulator->actors);
    g_hash_table_unref(simulator->absent);
    g_free(simulator);
}

Actor *simulator_actor(Simulator *simulator, guint process, guint thread)
{
    Actor *actor = g_new0(Actor, 1);
    actor->process = process;
    actor->thread = thread;
    actor->ops = g_array_new(FALSE, FALSE, sizeof(Op));
    g_ptr_array_add(simulator->actors, actor);
    return actor;
}

void actor_do(Actor *actor, OpKind kind, const char *function, guint peer)
{
    Op op = {kind, function, peer};
    g_array_append_val(actor->ops, op);
    actor->gathers |= kind == OP_GATHER;
}

static Actor *actor_at(const Play *play, guint index)
{
    return g_ptr_array_index(play->simulator->actors, index);
}

static const Op *current(const Actor *actor)
{
    return actor->next < actor->ops->len ? &g_array_index(actor->ops, Op, actor->next) : NULL;
}

static void enter_once(Actor *actor, const Op *op)
{
    if (!actor->entered && op->function)
        dt_test_thread_call(actor->writer, op->function);
    actor->entered = TRUE;
}

static gboolean complete(Actor *actor)
{
    dt_test_thread_return(actor->writer);
    actor->entered = FALSE;
    actor->next++;
    return TRUE;
}

static gboolean try_send(Play *play, guint self, const Op *op)
{
    Actor *actor = actor_at(play, self);
    gboolean first = !actor->entered;
    enter_once(actor, op);
    guint *message = &play->messages[self * play->actors + op->peer];
    if (first)
        ++*message;
    if (play->simulator->rendezvous && *message > 0)
        return first;
    return complete(actor);
}

static gboolean try_receive(Play *play, guint self, const Op *op)
{
    Actor *actor = actor_at(play, self);
    gboolean first = !actor->entered;
    enter_once(actor, op);
    guint *message = &play->messages[op->peer * play->actors + self];
    if (*message == 0)
        return first;
    --*message;
    return complete(actor);
}

/* The others that take part must have entered as many as this one. */
static gboolean try_gather(Play *play, guint self, const Op *op)
{
    Actor *actor = actor_at(play, self);
    gboolean first = !actor->entered;
    if (first)
        actor->gathered++;
    enter_once(actor, op);
    for (guint i = 0; i < play->actors; i++) {
        if (actor_at(play, i)->gathers && actor_at(play, i)->gathered < actor->gathered)
            return first;
    }
    return complete(actor);
}

static gboolean try_lock(Play *play, guint self, const Op *op)
{
    Actor *actor = actor_at(play, self);
    gboolean first = !actor->entered;
    enter_once(actor, op);
    if (play->locks[op->peer] >= 0)
        return first;
    play->locks[op->peer] = (gint)self;
    return complete(actor);
}

static gboolean try_join(Play *play, guint self, const Op *op)
{
    Actor *actor = actor_at(play, self);
    gboolean first = !actor->entered;
    enter_once(actor, op);
    return current(actor_at(play, op->peer)) ? first : complete(actor);
}

static gboolean end_process(Play *play, Actor *actor, enum dt_process_end end, guint status)
{
    play->ends[actor->process] = (gint)end;
    play->status[actor->process] = (gint)status;
    for (guint i = 0; i < play->actors; i++)
        actor_at(play, i)->dead |= actor_at(play, i)->process == actor->process;
    return TRUE;
}

static gboolean do_at_once(Play *play, Actor *actor, const Op *op)
{
    if (op->kind != OP_LEAVE)
        dt_test_thread_call(actor->writer, op->function);
    if (op->kind != OP_ENTER)
        dt_test_thread_return(actor->writer);
    if (op->kind == OP_UNLOCK)
        play->locks[op->peer] = -1;
    actor->next++;
    return TRUE;
}

/* TRUE if anything happened. */
static gboolean step(Play *play, guint self)
{
    Actor *actor = actor_at(play, self);
    const Op *op = current(actor);
    if (!op || actor->dead)
        return FALSE;
    switch (op->kind) {
    case OP_SEND:
        return try_send(play, self, op);
    case OP_RECEIVE:
        return try_receive(play, self, op);
    case OP_GATHER:
        return try_gather(play, self, op);
    case OP_LOCK:
        return try_lock(play, self, op);
    case OP_JOIN:
        return try_join(play, self, op);
    case OP_CRASH:
        if (play->simulator->tells_dead)
            actor->writer->fatal_signal = op->peer;
        return end_process(play, actor, DT_PROCESS_SIGNAL, op->peer);
    case OP_ABORT:
        enter_once(actor, op);
        return end_process(play, actor, DT_PROCESS_EXITED, op->peer);
    case OP_SPIN:
        return FALSE;
    case OP_ENTER:
    case OP_LEAVE:
    case OP_CALL:
    case OP_UNLOCK:
        break;
    }
    return do_at_once(play, actor, op);
}

static gboolean somebody_died(const Play *play, guint processes)
{
    for (guint p = 0; p < processes; p++) {
        if (play->ends[p] >= 0)
            return TRUE;
    }
    return FALSE;
}

static void end_processes(Play *play, GPtrArray *processes)
{
    for (guint p = 0; p < processes->len; p++) {
        gboolean done = TRUE;
        for (guint i = 0; i < play->actors; i++)
            done &= actor_at(play, i)->process != p || !current(actor_at(play, i));
        DtTestProcess *process = g_ptr_array_index(processes, p);
        if (!process)
            continue;
        process->end_state = done ? DT_PROCESS_EXITED : DT_PROCESS_SIGNAL;
        process->end_status = done ? 0 : SIGTERM;
        if (play->ends[p] >= 0) {
            process->end_state = (guint32)play->ends[p];
            process->end_status = play->status[p];
        }
    }
}

/* What the collector saw: who had recorded something between its looks. */
static char *tell_looks(const Play *play, GPtrArray *processes)
{
    g_autoptr(GString) threads = g_string_new(NULL);
    for (guint i = 0; i < play->actors; i++) {
        const Actor *actor = actor_at(play, i);
        const Op *op = current(actor);
        const DtTestProcess *process = g_ptr_array_index(processes, actor->process);
        if (process && op && (play->simulator->cut_off || op->kind == OP_SPIN))
            g_string_append_printf(threads, "%s{\"pid\":%u,\"thread\":\"%u\",\"first\":0,\"last\":%u}",
                                   threads->len > 0 ? "," : "", process->pid, actor->thread, G_MAXINT32);
    }
    const DtTestProcess *first = g_ptr_array_index(processes, 0);
    return g_strdup_printf("{\"host\":\"%s\",\"threads\":[%s]}", first->host, threads->str);
}

void simulator_cut(Simulator *simulator, guint first, guint apart)
{
    simulator->cut_off = TRUE;
    for (guint i = 0; i < simulator->actors->len; i++) {
        Actor *actor = g_ptr_array_index(simulator->actors, i);
        if (actor->ops->len <= first + i * apart)
            continue;
        g_array_set_size(actor->ops, first + i * apart);
        actor_do(actor, OP_SPIN, NULL, 0);
    }
}

static GPtrArray *make_writers(Simulator *simulator, DtTestRun *writer)
{
    GPtrArray *processes = g_ptr_array_new();
    for (guint i = 0; i < simulator->actors->len; i++) {
        Actor *actor = g_ptr_array_index(simulator->actors, i);
        while (processes->len <= actor->process) {
            gboolean absent = g_hash_table_contains(simulator->absent, GUINT_TO_POINTER(processes->len));
            g_ptr_array_add(processes,
                            absent ? NULL : dt_test_run_process(writer, simulator->mpi ? (gint)processes->len : -1));
        }
        DtTestProcess *process = g_ptr_array_index(processes, actor->process);
        actor->dead = !process;
        if (process)
            actor->writer = dt_test_process_thread(process, DT_THREAD_APP, actor->thread);
    }
    return processes;
}

gboolean simulator_play(Simulator *simulator, const char *path)
{
    DtTestRun *writer = dt_test_run_new(path);
    g_autoptr(GPtrArray) processes = make_writers(simulator, writer);
    writer->world_size = (gint)processes->len;
    guint actors = simulator->actors->len;
    g_autofree guint *messages = g_new0(guint, (gsize)actors * actors);
    g_autofree gint *ends = g_new(gint, processes->len), *status = g_new0(gint, processes->len);
    gint locks[MUTEXES];
    Play play = {simulator, actors, messages, locks, ends, status};
    for (guint m = 0; m < MUTEXES; m++)
        locks[m] = -1;
    for (guint p = 0; p < processes->len; p++)
        ends[p] = -1;
    for (gboolean going = TRUE; going;) {
        going = FALSE;
        for (guint i = 0; i < actors; i++)
            going |= step(&play, i);
    }
    gboolean finished = TRUE;
    for (guint i = 0; i < actors; i++)
        finished &= !current(actor_at(&play, i));
    end_processes(&play, processes);
    for (guint i = 0; i < actors; i++) {
        Actor *actor = actor_at(&play, i);
        if (actor->writer && actor->thread > 0 && !current(actor))
            actor->writer->end_state = DT_THREAD_RETURNED;
    }
    writer->timed_out = !finished && !somebody_died(&play, processes->len);
    g_autofree char *looks = simulator->moves || simulator->cut_off ? tell_looks(&play, processes) : NULL;
    writer->ending = looks;
    dt_test_run_finish(writer);
    return finished;
}
