/** A run with times that are known: four ranks, ten steps of 10 ms. */
#ifndef DT_TESTS_TIMED_RUN_H
#define DT_TESTS_TIMED_RUN_H

/** What is otherwise than normally. */
typedef struct {
    int slow;   /* `force` takes 5 ms on rank 2 from the seventh step on */
    int longer; /* steps take 12 ms from there on, which the others spend in MPI_Allreduce */
} DtTimedFault;

/**
 * Each step: `force` with 4 calls of `helper` (3 ms), MPI_Sendrecv of 100 x 8 B (1 ms), MPI_Allreduce of 2 x 8 B until
 * the step's end. Before them MPI_Init (2 ms), behind them MPI_Finalize (1 ms). All calls but those of `helper` have
 * times. Failures end the program.
 */
void dt_write_timed_run(const char *path, const DtTimedFault *fault);

#endif
