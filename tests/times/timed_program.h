/** A program of one thread that is written as it would have been recorded, and what it did with its time. */
#ifndef DT_TESTS_TIMES_TIMED_PROGRAM_H
#define DT_TESTS_TIMES_TIMED_PROGRAM_H

#include "store/store.h"
#include "writer/writer.h"

G_BEGIN_DECLS

enum { DT_PROGRAM_FUNCTIONS = 8 };

/** What a function did, kept as the program runs. */
typedef struct {
    guint64 calls, exclusive, inclusive, mpi;
    guint open;
    guint64 since, mpi_since;
} DtTruth;

typedef struct {
    char *path;
    DtRunWriter *run;
    DtThreadWriter *thread;
    guint32 ids[DT_PROGRAM_FUNCTIONS];
    guint64 now, first, outside, mpi, mpi_since;
    guint mpi_open;
    GArray *open;            /* guint: functions */
    GArray *times, *stamped; /* guint64, gboolean: of each event */
    DtTruth truth[DT_PROGRAM_FUNCTIONS];
} DtTimedProgram;

/** Functions by number: 0 is main, 7 MPI_Barrier, the others are f1 to f6. */
DtTimedProgram *dt_timed_program_new(void);
void dt_timed_program_enter(DtTimedProgram *program, guint function, gboolean stamped);
void dt_timed_program_leave(DtTimedProgram *program, gboolean stamped);
/** That long nothing is called. */
void dt_timed_program_work(DtTimedProgram *program, guint64 ns);
/** Writes and opens it; calls that are open last until now. */
DtRun *dt_timed_program_end(DtTimedProgram *program, DtFunctions *functions);
/** Of a run of it. */
guint32 dt_timed_program_function(const DtFunctions *functions, guint function);
/** Removes the run, too. */
void dt_timed_program_free(DtTimedProgram *program);

G_END_DECLS

#endif
