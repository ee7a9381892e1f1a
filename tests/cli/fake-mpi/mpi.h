/* An MPI for one process that only writes its calls down, as difftrace skeleton --expand has them: no program of
 * test_generate.py calls more. Rank and size are in the environment. */
#include <stdio.h>
#include <stdlib.h>

typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request;
typedef struct {
    int MPI_SOURCE;
} MPI_Status;
enum {
    MPI_COMM_WORLD = 7,
    MPI_BYTE = 1,
    MPI_INT = 4,
    MPI_DOUBLE = 8,
    MPI_SUM = 1,
    MPI_PROC_NULL = -2,
    MPI_ANY_SOURCE = -1,
    MPI_ANY_TAG = -1
};
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

static inline int fake_rank(void)
{
    return atoi(getenv("FAKE_RANK"));
}

static inline int fake_size(void)
{
    return atoi(getenv("FAKE_SIZE"));
}

static inline int MPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

static inline int MPI_Finalize(void)
{
    return 0;
}

static inline int MPI_Abort(MPI_Comm comm, int code)
{
    exit(code + (int)comm);
}

static inline int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = fake_rank();
    return 0;
}

static inline int MPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = fake_size();
    return 0;
}

static inline int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *made)
{
    *made = count * old;
    return 0;
}

static inline int MPI_Type_commit(MPI_Datatype *type)
{
    (void)type;
    return 0;
}

static inline int write_message(const char *name, const char *word, int count, MPI_Datatype type, int peer, int tag)
{
    int size = fake_size(), way = ((peer - fake_rank()) % size + size) % size;
    printf("%s(world, %s ", name, word);
    if (peer == MPI_PROC_NULL)
        printf("null");
    else
        printf("%+d", 2 * way > size ? way - size : way);
    return printf(", tag %d, %d x %d B)\n", tag, count, type) < 0;
}

static inline int MPI_Send(const void *out, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    (void)out;
    (void)comm;
    return write_message("MPI_Send", "to", count, type, peer, tag);
}

static inline int MPI_Recv(void *in, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    (void)in;
    (void)comm;
    (void)status;
    return write_message("MPI_Recv", "from", count, type, peer, tag);
}

static inline int MPI_Bcast(void *out, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)out;
    (void)comm;
    return printf("MPI_Bcast(world, root %d, %d x %d B)\n", root, count, type) < 0;
}
