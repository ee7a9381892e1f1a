/* More than a tracer has room for: many_arguments LOCKS COMMUNICATORS. Locks are locked at 60 places, so that each
 * place has few; communicators (built with -DWITH_MPI) are made and freed one after the other. */
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <pthread.h>
#include <stdlib.h>

enum { SITES = 60 };

static pthread_mutex_t *locks;

#define USE(from)                                                                                                      \
    for (size_t i = from; i < from + each; i++) {                                                                      \
        pthread_mutex_lock(&locks[i]);                                                                                 \
        pthread_mutex_unlock(&locks[i]);                                                                               \
    }
#define USE_5(from)                                                                                                    \
    USE((from)) USE(((from) + each)) USE(((from) + 2 * each)) USE(((from) + 3 * each)) USE(((from) + 4 * each))
#define USE_20(from) USE_5((from)) USE_5((from) + 5 * each) USE_5((from) + 10 * each) USE_5((from) + 15 * each)

static void use_locks(size_t count)
{
    size_t each = count / SITES;
    locks = calloc(count, sizeof *locks);
    if (!locks)
        return;
    USE_20(0 * each)
    USE_20(20 * each)
    USE_20(40 * each)
    free(locks);
}

int main(int argc, char **argv)
{
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    for (int i = 0; argc > 2 && i < atoi(argv[2]); i++) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
    MPI_Finalize();
#endif
    if (argc > 1)
        use_locks((size_t)atol(argv[1]));
    return 0;
}
