/** The runs of the corpus: what their makers and their readers agree on. */
#ifndef DT_FUZZ_CORPUS_RUN_H
#define DT_FUZZ_CORPUS_RUN_H

/** Of each thread. The numbers of symbol files are those of images, in the order in which they are met here. */
#define CORPUS_EVENTS                                                                                                  \
    "main MPI_Init < solve step MPI_Send < MPI_Recv < < step MPI_Send < MPI_Recv < < step puts@plt < < step#2 < "      \
    "libx.so:step < < GOMP_parallel work < < MPI_Finalize < <"

/** Bit of the layouts whose first thread has dt_test_thread_calls() behind that. */
enum { CORPUS_CALLS = 64 };

#endif
