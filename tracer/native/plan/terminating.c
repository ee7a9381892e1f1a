/* What comes back whatever happens: by its code, and by its name. */
#include "native/plan/terminating.h"

#include <string.h>

/* ---- by code --------------------------------------------------------------------------------- */

enum { NEW, OPEN, DONE };

/* False if the function may not terminate because this instruction can be come to. */
static bool may_be_in_terminating(struct dt_terminating_finder *finder, uint16_t number)
{
    if (number == finder->flow.count)
        return false;
    const struct dt_instruction *instruction = &finder->flow.list[number];
    finder->returns |= instruction->flow == DT_FLOW_RETURN;
    finder->has_reports |= finder->reporting[number];
    if (instruction->flow == DT_FLOW_CALL)
        return finder->ends && finder->ends(finder->ends_context, finder->flow.code + instruction->offset);
    return instruction->flow != DT_FLOW_LEAVES && instruction->flow != DT_FLOW_CALL_THROUGH;
}

/* The loop that goes back from `latch`: apart from all others, and counted. */
static bool may_loop(struct dt_terminating_finder *finder, uint16_t header, uint16_t latch)
{
    finder->loops = true;
    if (!dt_loop_find(&finder->loop, &finder->flow, header, latch))
        return false;
    for (uint16_t i = 0; i < finder->loop.count; i++) {
        if (finder->looped[finder->loop.body[i]] || finder->reporting[finder->loop.body[i]])
            return false;
        finder->looped[finder->loop.body[i]] = true;
    }
    return dt_loop_counts(&finder->loop, &finder->flow, finder->capstone, finder->insn);
}

/* Goes on from the instruction at the path's end, depth first. */
static bool step(struct dt_terminating_finder *finder, uint16_t *depth)
{
    uint16_t here = finder->path[*depth - 1], next[2];
    int count = dt_successors(&finder->flow, here, next);
    for (int i = 0; i < count; i++) {
        if (!may_be_in_terminating(finder, next[i]))
            return false;
        if (finder->colour[next[i]] == NEW) {
            finder->colour[next[i]] = OPEN;
            finder->path[(*depth)++] = next[i];
            return true;
        }
    }
    for (int i = 0; i < count; i++)
        if (finder->colour[next[i]] == OPEN && !may_loop(finder, next[i], here))
            return false;
    finder->colour[here] = DONE;
    --*depth;
    return true;
}

/* The flow goes on behind them. */
static void find_reports(struct dt_terminating_finder *finder)
{
    memset(finder->reporting, 0, finder->flow.count + 1u);
    for (uint16_t i = 0; finder->reports && i < finder->flow.count; i++) {
        struct dt_instruction *instruction = &finder->flow.list[i];
        finder->reporting[i] = instruction->flow == DT_FLOW_CALL &&
                               finder->reports(finder->reports_context, finder->flow.code + instruction->offset);
        if (finder->reporting[i])
            instruction->flow = DT_FLOW_ON;
    }
}

enum dt_terminating_kind dt_terminating_kind(struct dt_terminating_finder *finder, const uint8_t *code, size_t bytes)
{
    uint16_t depth = 1;
    if (bytes == 0 || !dt_control_flow_read(&finder->flow, code, bytes))
        return DT_NOT_TERMINATING;
    find_reports(finder);
    memset(finder->looped, 0, finder->flow.count * sizeof *finder->looped);
    memset(finder->colour, NEW, finder->flow.count + 1u);
    finder->returns = finder->has_reports = finder->loops = false;
    finder->path[0] = 0;
    finder->colour[0] = OPEN;
    for (bool terminates = may_be_in_terminating(finder, 0); depth > 0; terminates = step(finder, &depth))
        if (!terminates)
            return DT_NOT_TERMINATING;
    if (!finder->returns)
        return DT_NOT_TERMINATING;
    return finder->has_reports ? DT_TERMINATING_REPORTING : DT_TERMINATING;
}

/* ---- by name --------------------------------------------------------------------------------- */

/* Functions of double: with an f or l behind, those of float and long double. */
static const char *const mathematical[] = {
    "acos",   "acosh", "asin",      "asinh",     "atan",    "atan2",     "atanh", "cabs",  "carg",   "cbrt",  "ceil",
    "cexp",   "clog",  "copysign",  "cos",       "cosh",    "cpow",      "csqrt", "erf",   "erfc",   "exp",   "exp10",
    "exp2",   "expm1", "fabs",      "fdim",      "floor",   "fma",       "fmax",  "fmin",  "fmod",   "frexp", "hypot",
    "ilogb",  "ldexp", "lgamma",    "llrint",    "llround", "log",       "log10", "log1p", "log2",   "logb",  "lrint",
    "lround", "modf",  "nearbyint", "nextafter", "pow",     "remainder", "rint",  "round", "scalbn", "sin",   "sincos",
    "sinh",   "sqrt",  "tan",       "tanh",      "tgamma",  "trunc"};
static const char *const others[] = {"__ctype_b_loc",
                                     "__ctype_tolower_loc",
                                     "__ctype_toupper_loc",
                                     "__errno_location",
                                     "_gfortran_compare_string",
                                     "_gfortran_concat_string",
                                     "_gfortran_string_index",
                                     "_gfortran_string_len_trim",
                                     "abs",
                                     "bcmp",
                                     "bcopy",
                                     "bzero",
                                     "clock_gettime",
                                     "div",
                                     "drand48",
                                     "erand48",
                                     "ffs",
                                     "ffsl",
                                     "ffsll",
                                     "gettimeofday",
                                     "labs",
                                     "ldiv",
                                     "llabs",
                                     "lrand48",
                                     "memchr",
                                     "memcmp",
                                     "memcpy",
                                     "memmove",
                                     "mempcpy",
                                     "memrchr",
                                     "memset",
                                     "nrand48",
                                     "rand_r",
                                     "rawmemchr",
                                     "stpcpy",
                                     "stpncpy",
                                     "strcasecmp",
                                     "strcat",
                                     "strchr",
                                     "strchrnul",
                                     "strcmp",
                                     "strcpy",
                                     "strcspn",
                                     "strlen",
                                     "strncasecmp",
                                     "strncat",
                                     "strncmp",
                                     "strncpy",
                                     "strnlen",
                                     "strpbrk",
                                     "strrchr",
                                     "strspn",
                                     "strstr",
                                     "time",
                                     "tolower",
                                     "toupper"};

static bool has(const char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

bool dt_is_terminating_import(const char *name)
{
    static const size_t mathematical_count = sizeof mathematical / sizeof *mathematical;
    size_t length = strlen(name);
    return strncmp(name, "_gfortran_pow_", 14) == 0 || has(others, sizeof others / sizeof *others, name, length) ||
           has(mathematical, mathematical_count, name, length) ||
           (length > 1 && (name[length - 1] == 'f' || name[length - 1] == 'l') &&
            has(mathematical, mathematical_count, name, length - 1));
}

/* Compilers make fwrite(), fputs() and puts() of what is printed as it is. */
static const char *const reporting[] = {"__fprintf_chk", "__printf_chk", "fprintf", "fputs",
                                        "fwrite",        "perror",       "printf",  "puts"};

bool dt_is_reporting_call(const char *name)
{
    return has(reporting, sizeof reporting / sizeof *reporting, name, strlen(name));
}
