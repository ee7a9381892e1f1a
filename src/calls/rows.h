/** How rows are written: CALL("Wait", IS(BLOCKING, WITH_ARGUMENTS), REQUEST_AT, STATUS). */
#ifndef DT_CALLS_ROWS_H
#define DT_CALLS_ROWS_H

#include "calls/calls.h"

/* clang-format off */
#define DT_FOURTEENTH(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, which, ...) which

#define DT_KINDS_0() 0
#define DT_KINDS_1(kind) DT_PARAMETER_##kind
#define DT_KINDS_2(kind, ...) DT_PARAMETER_##kind, DT_KINDS_1(__VA_ARGS__)
#define DT_KINDS_3(kind, ...) DT_PARAMETER_##kind, DT_KINDS_2(__VA_ARGS__)
#define DT_KINDS_4(kind, ...) DT_PARAMETER_##kind, DT_KINDS_3(__VA_ARGS__)
#define DT_KINDS_5(kind, ...) DT_PARAMETER_##kind, DT_KINDS_4(__VA_ARGS__)
#define DT_KINDS_6(kind, ...) DT_PARAMETER_##kind, DT_KINDS_5(__VA_ARGS__)
#define DT_KINDS_7(kind, ...) DT_PARAMETER_##kind, DT_KINDS_6(__VA_ARGS__)
#define DT_KINDS_8(kind, ...) DT_PARAMETER_##kind, DT_KINDS_7(__VA_ARGS__)
#define DT_KINDS_9(kind, ...) DT_PARAMETER_##kind, DT_KINDS_8(__VA_ARGS__)
#define DT_KINDS_10(kind, ...) DT_PARAMETER_##kind, DT_KINDS_9(__VA_ARGS__)
#define DT_KINDS_11(kind, ...) DT_PARAMETER_##kind, DT_KINDS_10(__VA_ARGS__)
#define DT_KINDS_12(kind, ...) DT_PARAMETER_##kind, DT_KINDS_11(__VA_ARGS__)
#define DT_KINDS_13(kind, ...) DT_PARAMETER_##kind, DT_KINDS_12(__VA_ARGS__)
#define DT_KINDS(...)                                                                                                  \
    DT_FOURTEENTH(_, ##__VA_ARGS__, DT_KINDS_13, DT_KINDS_12, DT_KINDS_11, DT_KINDS_10, DT_KINDS_9, DT_KINDS_8,        \
                  DT_KINDS_7, DT_KINDS_6, DT_KINDS_5, DT_KINDS_4, DT_KINDS_3, DT_KINDS_2, DT_KINDS_1, DT_KINDS_0)      \
    (__VA_ARGS__)

#define DT_IS_0() 0
#define DT_IS_1(property) DT_CALL_##property
#define DT_IS_2(property, ...) (DT_CALL_##property | DT_IS_1(__VA_ARGS__))
#define DT_IS_3(property, ...) (DT_CALL_##property | DT_IS_2(__VA_ARGS__))
#define DT_IS_4(property, ...) (DT_CALL_##property | DT_IS_3(__VA_ARGS__))
#define DT_IS_5(property, ...) (DT_CALL_##property | DT_IS_4(__VA_ARGS__))
#define DT_IS_6(property, ...) (DT_CALL_##property | DT_IS_5(__VA_ARGS__))
#define DT_IS_7(property, ...) (DT_CALL_##property | DT_IS_6(__VA_ARGS__))
#define DT_IS_8(property, ...) (DT_CALL_##property | DT_IS_7(__VA_ARGS__))
#define IS(...)                                                                                                        \
    DT_FOURTEENTH(_, ##__VA_ARGS__, too_many, too_many, too_many, too_many, too_many, DT_IS_8, DT_IS_7, DT_IS_6,      \
                  DT_IS_5, DT_IS_4, DT_IS_3, DT_IS_2, DT_IS_1, DT_IS_0)                                                \
    (__VA_ARGS__)

#define CALL(name, is, ...)                                                                                            \
    {                                                                                                                  \
        name, {DT_KINDS(__VA_ARGS__)}, is                                                                              \
    }

/* clang-format on */

/* Functions, and not objects with pointers: the tracer is loaded without relocating any of it. */
struct dt_call_rows dt_mpi_calls(void);
struct dt_call_rows dt_openmp_calls(void);
struct dt_call_rows dt_pthread_calls(void);
struct dt_call_rows dt_ending_calls(void);
struct dt_call_rows dt_system_calls(void);
struct dt_call_rows dt_go_calls(void);
#define ROWS(rows) ((struct dt_call_rows){rows, sizeof(rows) / sizeof *(rows)})

#endif
