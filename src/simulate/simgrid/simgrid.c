/*
 * A machine simulated by SimGrid. Activities are carried out by actors that are used again and again, on any host, as
 * many as have something under way at once; one more, the director, tells what is over, on a stack that is large enough
 * for it. A message goes to a mailbox of its host that has a receiver for ever, so that it is on its way at once and
 * needs no actor there. SimGrid keeps it until somebody gets it: carriers do, in the order in which messages began.
 */
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulate/simgrid/link.h"

enum { DIRECTORS_STACK = 1 << 20 };

typedef struct {
    gboolean is_transfer, over;
    guint from, to;
    gdouble amount; /* flops, bytes */
    gpointer activity;
} Job;

typedef struct Carrier Carrier;
struct Carrier {
    DtMachine *machine;
    sg_actor_t actor;
    Job *job;      /* NULL: it rests */
    guint host;    /* that it is on */
    Carrier *next; /* that rests, too */
};

typedef struct {
    sg_host_t host;
    sg_mailbox_t mailbox;
    GQueue arriving; /* Job, in the order in which they began */
} Place;

struct DtMachine {
    guint hosts;
    Place *places;
    sg_actor_t director;
    Carrier *resting;
    gboolean rests;  /* the director does */
    gboolean ends;   /* carriers have nothing to do any more */
    GQueue over;     /* Job */
    guint under_way; /* what the director has not been told of as over */
    gdouble begin;
    DtMachineStep step;
    gpointer data;
};

/* ---- carriers -------------------------------------------------------------------------------- */

/* What has arrived is no more. */
static void receive(Place *place)
{
    for (Job *first = g_queue_peek_head(&place->arriving); first && first->over;
         first = g_queue_peek_head(&place->arriving)) {
        g_queue_pop_head(&place->arriving);
        (void)sg_mailbox_get(place->mailbox);
        g_free(first);
    }
}

static void carry(DtMachine *machine, Job *job)
{
    Place *to = &machine->places[job->to];
    gpointer activity = job->activity;
    if (job->is_transfer) {
        g_queue_push_tail(&to->arriving, job);
        sg_mailbox_put(to->mailbox, job, (long)job->amount);
    } else {
        sg_actor_execute(job->amount);
    }
    g_queue_push_tail(&machine->over, activity);
    if (machine->rests) {
        machine->rests = FALSE;
        sg_actor_resume(machine->director);
    }
    job->over = TRUE;
    if (job->is_transfer)
        receive(to);
    else
        g_free(job);
}

static void run_carrier(int count, char **arguments)
{
    Carrier *own = sg_actor_self_get_data();
    (void)count, (void)arguments;
    while (own->job) {
        carry(own->machine, own->job);
        own->job = NULL;
        if (own->machine->ends)
            break;
        /* Nothing passes between the two, so that nobody who sees it rest resumes it too early. */
        own->next = own->machine->resting;
        own->machine->resting = own;
        sg_actor_suspend(own->actor);
    }
    g_free(own);
}

static void begin_job(DtMachine *machine, const Job *job)
{
    Place *place = &machine->places[job->from];
    Carrier *carrier = machine->resting;
    machine->under_way++;
    if (carrier) {
        machine->resting = carrier->next;
        carrier->job = g_memdup2(job, sizeof *job);
        if (carrier->host != job->from)
            sg_actor_set_host(carrier->actor, place->host);
        carrier->host = job->from;
        sg_actor_resume(carrier->actor);
        return;
    }
    carrier = g_new0(Carrier, 1);
    carrier->machine = machine;
    carrier->host = job->from;
    carrier->job = g_memdup2(job, sizeof *job);
    carrier->actor = sg_actor_init("carrier", place->host);
    sg_actor_set_data(carrier->actor, carrier);
    sg_actor_start_(carrier->actor, run_carrier, 0, NULL);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Messages to its host are received by it as SimGrid sees it. It never gets one. */
static void run_receiver(int count, char **arguments)
{
    (void)count;
    sg_mailbox_set_receiver(arguments[1]); /* at once: others begin to send */
    sg_actor_daemonize(sg_actor_self());
    sg_actor_sleep_for(1e12);
}

static void end_carriers(DtMachine *machine)
{
    machine->ends = TRUE;
    for (Carrier *carrier = machine->resting, *next; carrier; carrier = next) {
        next = carrier->next;
        sg_actor_resume(carrier->actor);
    }
    machine->resting = NULL;
}

static void run_director(int count, char **arguments)
{
    DtMachine *machine = sg_actor_self_get_data();
    (void)count, (void)arguments;
    for (gboolean goes_on = TRUE; goes_on;) {
        machine->step(NULL, machine->data);
        goes_on = machine->under_way > 0;
        while (machine->under_way > 0) {
            machine->rests = g_queue_is_empty(&machine->over);
            if (machine->rests)
                sg_actor_suspend(machine->director);
            while (!g_queue_is_empty(&machine->over)) {
                machine->under_way--;
                machine->step(g_queue_pop_head(&machine->over), machine->data);
            }
        }
    }
    end_carriers(machine);
}

static void run(DtMachine *machine, DtMachineStep step, gpointer data)
{
    machine->step = step;
    machine->data = data;
    machine->begin = simgrid_get_clock();
    machine->ends = FALSE;
    for (guint i = 0; i < machine->hosts; i++) {
        g_queue_init(&machine->places[i].arriving);
        const char *arguments[] = {"receiver", sg_mailbox_get_name(machine->places[i].mailbox), NULL};
        sg_actor_create_("receiver", machine->places[i].host, run_receiver, 2, arguments);
    }
    machine->director = sg_actor_init("director", machine->places[0].host);
    sg_actor_set_stacksize(machine->director, DIRECTORS_STACK);
    sg_actor_set_data(machine->director, machine);
    sg_actor_start_(machine->director, run_director, 0, NULL);
    simgrid_run();
}

static void compute(DtMachine *machine, guint host, gint64 ns, gpointer activity)
{
    begin_job(machine, &(Job){.from = host, .to = host, .amount = (gdouble)ns, .activity = activity});
}

static void transfer(DtMachine *machine, guint from, guint to, gint64 bytes, gpointer activity)
{
    begin_job(machine,
              &(Job){.is_transfer = TRUE, .from = from, .to = to, .amount = (gdouble)bytes, .activity = activity});
}

static gint64 now(const DtMachine *machine)
{
    return (gint64)((simgrid_get_clock() - machine->begin) * 1e9 + 0.5);
}

/* ---- a machine ------------------------------------------------------------------------------- */

static void load_engine(const char *path)
{
    /* Bandwidth is shared, and times are latency + bytes / bandwidth: no factors that stand for a protocol. Stacks of
     * carriers are small, and without a page of guard each, of which the kernel allows 32,000. */
    static char *arguments[] = {(char *)"difftrace",
                                (char *)"--cfg=network/model:CM02",
                                (char *)"--cfg=network/crosstraffic:no",
                                (char *)"--cfg=network/TCP-gamma:0",
                                (char *)"--cfg=contexts/stack-size:16",
                                (char *)"--cfg=contexts/guard-size:0",
                                (char *)"--log=root.thresh:critical",
                                NULL};
    int count = G_N_ELEMENTS(arguments) - 1;
    simgrid_init(&count, arguments);
    simgrid_load_platform(path);
}

/* SimGrid ends the process that gives it a file that it does not like: another process tries first. */
static gboolean can_be_loaded(const char *path, char **why)
{
    char said[4096] = "";
    gsize length = 0;
    int ends[2];
    if (pipe(ends) != 0)
        return TRUE;
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        load_engine(path);
        _exit(sg_host_count() > 0 ? 0 : 1);
    }
    (void)close(ends[1]);
    for (gssize got; length < sizeof said - 1 && (got = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (gsize)got;
    (void)close(ends[0]);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return TRUE;
    said[length] = '\0';
    *why = said[0] ? g_strndup(said, strcspn(said, "\n")) : g_strdup("it describes no hosts");
    return FALSE;
}

static DtMachine *load(const char *path, char **why)
{
    if (!can_be_loaded(path, why))
        return NULL;
    load_engine(path);
    DtMachine *machine = g_new0(DtMachine, 1);
    sg_host_t *hosts = sg_host_list();
    machine->hosts = (guint)sg_host_count();
    machine->places = g_new0(Place, machine->hosts);
    for (guint i = 0; i < machine->hosts; i++) {
        machine->places[i].host = hosts[i];
        machine->places[i].mailbox = sg_mailbox_by_name(sg_host_get_name(hosts[i]));
    }
    free(hosts); /* the list, not the hosts */
    return machine;
}

static guint hosts(const DtMachine *machine)
{
    return machine->hosts;
}

static guint cores(const DtMachine *machine, guint host)
{
    return (guint)MAX(sg_host_core_count(machine->places[host].host), 1);
}

static void free_machine(DtMachine *machine)
{
    g_free(machine->places);
    g_free(machine);
}

__attribute__((visibility("default"))) const DtMachineFunctions *dt_machine_functions(void)
{
    static const DtMachineFunctions functions = {load, hosts, cores, run, compute, transfer, now, free_machine};
    return &functions;
}
