/**
 * Terminating functions: they come back whatever happens, so that their return need not be waited for. They are
 * recorded as called and returned by one look at their entry, and their return address stays the program's own.
 *
 * Some report something on their rare paths, by printf() for an assertion: until they call that they terminate, and
 * then their return is taken back (open_terminating.h).
 */
#ifndef DT_PLAN_TERMINATING_H
#define DT_PLAN_TERMINATING_H

#include <capstone/capstone.h>

#include "native/x86_64/counted_loop.h"

/** Most bytes that the code of one has. */
enum { DT_LARGEST_TERMINATING = DT_LARGEST_FLOW };

/** What finding them needs; too large for small stacks. */
struct dt_terminating_finder {
    csh capstone; /* with details */
    cs_insn *insn;
    /** Whether the direct call never comes back, as one of abort() does; NULL: they all may. */
    bool (*ends)(const void *context, const uint8_t *call);
    const void *ends_context;
    /** Whether the direct call reports something: dt_is_reporting_call(). */
    bool (*reports)(const void *context, const uint8_t *call);
    const void *reports_context;
    /* Of the search. */
    struct dt_control_flow flow;
    struct dt_loop loop;
    bool returns;                        /* an instruction that returns was come to, */
    bool has_reports;                    /* and a call that reports, */
    bool loops;                          /* and a loop */
    bool reporting[DT_LARGEST_FLOW + 1]; /* by instruction: such a call */
    bool looped[DT_LARGEST_FLOW];        /* by instruction: part of a loop */
    uint8_t colour[DT_LARGEST_FLOW + 1]; /* by instruction: not come to yet, on the path, done */
    uint16_t path[DT_LARGEST_FLOW + 1];
};

/** Values of dt_plan_function.terminating. */
enum dt_terminating_kind { DT_NOT_TERMINATING, DT_TERMINATING, DT_TERMINATING_REPORTING };

/**
 * A terminating function: the code calls nothing but what ends the process, leaves by returning otherwise, and goes
 * back in loops alone that count, none of them within another. A reporting one calls what reports, too, but in no loop.
 */
enum dt_terminating_kind dt_terminating_kind(struct dt_terminating_finder *finder, const uint8_t *code, size_t bytes);

/** True for a function of the C or mathematical library that calls nothing of the program's and waits for nothing. */
bool dt_is_terminating_import(const char *name);

/** True for the C library's output to a stream, which costs much more than a terminating function. */
bool dt_is_reporting_call(const char *name);

#endif
