/* Signals of real time come in the order in which they were sent. One that is sent again (held_signals.c) comes behind
 * those of its number that were waiting for the thread already. So what the program is to be told of it is kept here,
 * and what is sent is a ticket: a signal that stands for the first one kept. When another one comes while one of its
 * number is kept, that one is handed out, and the other one is kept in its place; the ticket hands out what is left. As
 * many of a number are kept as there are tickets of it.
 *
 * A ticket can be lost: where the program ignores the signal, or takes it by sigwaitinfo() in a handler. It finds there
 * what it would without us, but for `si_errno`. */

#include "native/signals/signals.h"

enum {
    DT_TICKET = 0x64697466, /* `si_errno`, which nobody else sets */
    DT_MOST_KEPT = 16
};

/* Of a siginfo_t what the kernel keeps. */
struct kept {
    int number;
    uint8_t rest[44];
};

static __thread struct {
    uint32_t count;
    struct kept kept[DT_MOST_KEPT]; /* in their order */
} order __attribute__((tls_model("initial-exec")));

static void keep(const siginfo_t *info)
{
    memcpy(&order.kept[order.count++], info, sizeof *order.kept);
}

/* DT_MOST_KEPT: none. */
static uint32_t find_kept_signal(int number)
{
    uint32_t at = 0;
    while (at < order.count && order.kept[at].number != number)
        at++;
    return at < order.count ? at : DT_MOST_KEPT;
}

static void drop(uint32_t at)
{
    order.count--;
    for (; at < order.count; at++)
        order.kept[at] = order.kept[at + 1];
}

/* If no signal of that number waits, no ticket does. */
static void drop_lost(int number)
{
    uint64_t pending = 0;
    uint32_t at = find_kept_signal(number);
    if (at == DT_MOST_KEPT || dt_failed(dt_syscall(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0, 0, 0)) ||
        (pending >> (number - 1) & 1))
        return;
    for (; at != DT_MOST_KEPT; at = find_kept_signal(number))
        drop(at);
}

static bool is_ticket(int number, const siginfo_t *info)
{
    return info->si_errno == DT_TICKET && find_kept_signal(number) != DT_MOST_KEPT;
}

bool dt_signal_queue_again(int number, const siginfo_t *info)
{
    siginfo_t ticket = *info;
    bool is_new = !is_ticket(number, info);
    if (is_new) {
        drop_lost(number);
        if (order.count == DT_MOST_KEPT)
            return false;
        keep(info);
    }
    ticket.si_errno = DT_TICKET;
    if (!dt_failed(dt_syscall(SYS_rt_tgsigqueueinfo, dt_sys_pid(), dt_sys_tid(), number, (long)&ticket, 0, 0)))
        return true;
    if (is_new)
        order.count--;
    return false;
}

static void hand_out(int number, siginfo_t *info)
{
    bool ticket = is_ticket(number, info);
    if (!ticket)
        drop_lost(number);
    uint32_t at = find_kept_signal(number);
    if (at == DT_MOST_KEPT) {
        info->si_errno = info->si_errno == DT_TICKET ? 0 : info->si_errno;
        return;
    }
    struct kept first = order.kept[at];
    drop(at);
    if (!ticket)
        keep(info);
    memcpy(info, &first, sizeof first);
}

void dt_signal_put_in_order(int number, siginfo_t *info)
{
    if (number < __SIGRTMIN || (order.count == 0 && info->si_errno != DT_TICKET) || !dt_signals_are_own())
        return;
    uint64_t mask = dt_sys_block_signals();
    hand_out(number, info);
    dt_sys_restore_signals(mask);
}

void dt_signal_order_reset(void)
{
    order.count = 0;
}
