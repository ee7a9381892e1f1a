/**
 * Arguments of calls as they stand in dt_function.args: one integer each, in the order of the function's parameters,
 * but the communicator or window first, and data behind peer and tag. The topmost byte is the kind, the other 56 bits
 * the value, signed.
 */
#ifndef DIFFTRACE_ARGUMENTS_H
#define DIFFTRACE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum dt_argument_kind {
    DT_ARGUMENT_COMMUNICATOR = 1, /* its number in the process */
    DT_ARGUMENT_TO = 2,           /* destination's rank less own rank, modulo the communicator's size, centred on 0 */
    DT_ARGUMENT_FROM = 3,         /* the source's, likewise */
    DT_ARGUMENT_TAG = 4,
    DT_ARGUMENT_DATA = 5, /* count + 2^32 * size of the datatype in bytes */
    DT_ARGUMENT_ROOT = 6, /* rank in the communicator */
    DT_ARGUMENT_OPERATION = 7,
    DT_ARGUMENT_COLOR = 8,
    DT_ARGUMENT_REQUESTS = 9, /* how many */
    DT_ARGUMENT_WINDOW = 10,  /* its number in the process */
    DT_ARGUMENT_TARGET = 11,  /* rank in the window's communicator, as of TO */
    DT_ARGUMENT_LOCK = 12, /* mutex, rwlock, spinlock, OpenMP lock or critical section, by its number in the process */
    DT_ARGUMENT_CONDITION = 13,
    DT_ARGUMENT_BARRIER = 14,
    DT_ARGUMENT_LIVE = 15 /* which of the thread's live requests: a position, the oldest being 0, or a list of them */
};

/** Values that are no numbers. */
enum dt_argument_special {
    DT_SPECIAL_NONE = 0, /* a number */
    DT_SPECIAL_VARIES,   /* too many values: those of each call are in its note */
    DT_SPECIAL_UNKNOWN,  /* handles or ranks that are not valid, what could not be found out */
    DT_SPECIAL_ANY,      /* MPI_ANY_SOURCE, MPI_ANY_TAG */
    DT_SPECIAL_PROC_NULL,
    DT_SPECIAL_ROOT,      /* MPI_ROOT */
    DT_SPECIAL_UNDEFINED, /* MPI_UNDEFINED */
    DT_SPECIAL_IN_PLACE,  /* MPI_IN_PLACE: count and datatype say nothing */
    DT_SPECIAL_ALL,       /* all live requests */
    DT_SPECIAL_NO_HANDLE, /* a null handle, or nothing else: MPI_REQUEST_NULL */
    DT_SPECIALS
};

#define DT_ARGUMENT_LEAST (-((int64_t)1 << 55))

static inline int64_t dt_argument(enum dt_argument_kind kind, int64_t value)
{
    return (int64_t)((uint64_t)kind << 56 | ((uint64_t)value & (((uint64_t)1 << 56) - 1)));
}

static inline int64_t dt_argument_special(enum dt_argument_kind kind, enum dt_argument_special special)
{
    return dt_argument(kind, DT_ARGUMENT_LEAST + (int64_t)special);
}

static inline enum dt_argument_kind dt_argument_kind(int64_t argument)
{
    return (enum dt_argument_kind)((uint64_t)argument >> 56);
}

static inline int64_t dt_argument_value(int64_t argument)
{
    return (int64_t)((uint64_t)argument << 8) >> 8;
}

static inline enum dt_argument_special dt_argument_special_of(int64_t argument)
{
    int64_t above = dt_argument_value(argument) - DT_ARGUMENT_LEAST;
    return above < DT_SPECIALS ? (enum dt_argument_special)above : DT_SPECIAL_NONE;
}

/** Of DT_ARGUMENT_LIVE: a value not below this is a list, namely the array of the number that it is above it. */
#define DT_ARGUMENT_FIRST_LIST ((int64_t)1 << 48)

/** Count and size that fit; else DT_SPECIAL_UNKNOWN. */
static inline int64_t dt_argument_data(int64_t count, int64_t size)
{
    bool fits = count >= 0 && count <= UINT32_MAX && size >= 0 && size < (1 << 22);
    return fits ? dt_argument(DT_ARGUMENT_DATA, count | size << 32)
                : dt_argument_special(DT_ARGUMENT_DATA, DT_SPECIAL_UNKNOWN);
}

/** Predefined operations of MPI by their DT_ARGUMENT_OPERATION; those of the program follow in the order of first use.
 */
enum dt_operation {
    DT_OPERATION_MAX = 1,
    DT_OPERATION_MIN,
    DT_OPERATION_SUM,
    DT_OPERATION_PROD,
    DT_OPERATION_LAND,
    DT_OPERATION_BAND,
    DT_OPERATION_LOR,
    DT_OPERATION_BOR,
    DT_OPERATION_LXOR,
    DT_OPERATION_BXOR,
    DT_OPERATION_MINLOC,
    DT_OPERATION_MAXLOC,
    DT_OPERATION_REPLACE,
    DT_OPERATION_NO_OP,
    DT_OPERATION_OWN = 16 /* the program's first */
};

/* ---- communicators --------------------------------------------------------------------------- */

#define DT_COMMUNICATOR_WORLD 0u
#define DT_COMMUNICATOR_SELF  1u
#define DT_COMMUNICATOR_NONE  UINT32_MAX

/**
 * A communicator of a process; the records of a DT_CHUNK_COMMUNICATORS chunk follow each other, `bytes` apart. Behind
 * each the members' ranks in MPI_COMM_WORLD, by rank in the communicator, `size` of them, then those of the remote
 * group; -1 where a member is not in it.
 */
struct dt_communicator {
    uint32_t bytes;    /* of record and members, a multiple of 8; written last; 0 = no more records */
    uint32_t number;   /* in the process, from 0, by first use */
    uint32_t parent;   /* number of the one it was made from; DT_COMMUNICATOR_NONE: not known */
    uint32_t creation; /* the how manieth call that made one from that parent made it, from 1; 0: predefined */
    uint64_t key;      /* equal on all its members, and no other's but by accident */
    int32_t rank;      /* own */
    int32_t size;
    int32_t remote_size; /* -1: not an intercommunicator */
    uint32_t check;      /* dt_communicator_check() */
};

/* ---- arrays ---------------------------------------------------------------------------------- */

/**
 * An array that an argument is, once for all arguments with this content; the records of a DT_CHUNK_ARRAYS chunk follow
 * each other, `bytes` apart. Behind each its elements as zigzag varints (note.h), then zeros.
 */
struct dt_array {
    uint32_t bytes;  /* of record and elements, a multiple of 8; written last; 0 = no more records */
    uint32_t number; /* in the process, from 0 */
    uint32_t count;  /* of elements */
    uint32_t check;  /* dt_array_check() */
};

#endif
