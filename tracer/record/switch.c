/* Recording on and off while the program runs, by a signal and by functions; times.
 *
 * While it is off all entries take the slow path, which leaves the calls alone. A call that was recorded returns
 * through us whatever happens meanwhile, and its return is recorded: every recorded entry has its return, and calls
 * that began while recording was off have neither. Other threads notice within a batch. */
#include "record/switch.h"

#include <regex.h>
#include <signal.h>

#include "record/notes.h"

enum { DT_STARTS = 1, DT_STOPS = 2 };

struct expression {
    bool compiled, valid;
    regex_t regex;
};

/* A broken expression matches nothing; the collector has checked it. */
static bool matches(struct expression *expression, const char *pattern, const char *name)
{
    if (!expression->compiled)
        expression->valid = *pattern && regcomp(&expression->regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;
    expression->compiled = true;
    return expression->valid && regexec(&expression->regex, name, 0, NULL, 0) == 0;
}

/* Locks that are free take less time than a stamp, and so do calls of MPI that ask nobody else. */
static bool is_quick(const struct dt_call *call, unsigned api_class)
{
    static const uint32_t quick = DT_CALL_ACQUIRING | DT_CALL_RELEASING | DT_CALL_VALUE;
    static const uint32_t of_no_account = DT_CALL_QUIET | DT_CALL_WITH_ARGUMENTS | DT_CALL_LARGE_VARIANT;
    if (!call || call->properties & quick)
        return call;
    return api_class == DT_CALL_MPI && !(call->properties & ~of_no_account);
}

void dt_switch_classify(struct dt_hooked_function *function, const char *name)
{
    static struct expression start, stop;
    const struct dt_options *options = &dt_process.options;
    if (matches(&start, options->start_at, name))
        function->switches |= DT_STARTS;
    if (matches(&stop, options->stop_at, name))
        function->switches |= DT_STOPS;
    function->timed = options->times && function->api_class && !is_quick(dt_call_find(name), function->api_class);
}

static void set(struct dt_thread_state *thread, bool on, uint32_t cause)
{
    const int64_t values[] = {on, cause};
    dt_process.off = !on;
    if (!thread)
        return;
    dt_note(thread, DT_NOTE_RECORDING, values, 2);
    if (!on)
        dt_switch_close(thread);
    else if (!thread->unwinding)
        dt_hot.limit = thread->real_limit; /* the places passed over stay: a stub may be interrupted there */
}

bool dt_switch_lets_in(uint64_t index)
{
    return !dt_process.off || (dt_functions[index].switches & DT_STARTS);
}

void dt_switch_before_call(struct dt_thread_state *thread, uint64_t index)
{
    if (dt_process.off && (dt_functions[index].switches & DT_STARTS))
        set(thread, true, DT_RECORDING_FUNCTION);
    else if (dt_process.switched && !dt_process.off && !dt_hot.limit && !thread->unwinding)
        dt_switch_open(thread); /* another thread has switched it on */
}

void dt_switch_after_call(struct dt_thread_state *thread, uint64_t index)
{
    if (!dt_process.off && (dt_functions[index].switches & DT_STOPS))
        set(thread, false, DT_RECORDING_FUNCTION);
}

bool dt_switch_sees(uint64_t index)
{
    return (dt_functions[index].switches & DT_STOPS) != 0;
}

/* ---- the signal ------------------------------------------------------------------------------- */

static void toggle(int signal_number)
{
    (void)signal_number;
    dt_guard++;
    set(dt_self, dt_process.off, DT_RECORDING_SIGNAL);
    dt_guard--;
}

void dt_switch_initialise(void)
{
    const struct dt_options *options = &dt_process.options;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = toggle;
    action.sa_flags = SA_RESTART;
    dt_process.off = options->start_disabled;
    dt_process.switched = options->start_disabled || options->toggle_signal || *options->start_at || *options->stop_at;
    if (options->toggle_signal)
        sigaction(options->toggle_signal, &action, NULL);
}
