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
    DT_ARGUMENT_LIVE =
        15, /* which of the thread's live requests: a position, the oldest being 0, or an array of them */
    /* Data from the other side of the call: as DATA, and only where it differs from that. */
    DT_ARGUMENT_OTHER_DATA = 16,
    DT_ARGUMENT_COUNTS = 17,       /* array: one a member */
    DT_ARGUMENT_ELEMENT = 18,      /* size in bytes of the datatype that these are of */
    DT_ARGUMENT_ELEMENTS = 19,     /* array: one a member */
    DT_ARGUMENT_DIMENSIONS = 20,   /* array, as the next two */
    DT_ARGUMENT_PERIODS = 21,      /* 0 or 1 each */
    DT_ARGUMENT_KEPT = 22,         /* the same: dimensions that are kept */
    DT_ARGUMENT_NEIGHBOURS = 23,   /* array: less own rank, as TO */
    DT_ARGUMENT_DEGREES = 24,      /* array */
    DT_ARGUMENT_GRAPH_INDEX = 25,  /* array: ends of the nodes' neighbours in the next one */
    DT_ARGUMENT_GRAPH_EDGES = 26,  /* array of ranks */
    DT_ARGUMENT_GROUP = 27,        /* array: members' ranks in MPI_COMM_WORLD, -1: not in it */
    DT_ARGUMENT_RANKS = 28,        /* array: in a group */
    DT_ARGUMENT_KEY = 29,          /* less own rank */
    DT_ARGUMENT_DISPLACEMENT = 30, /* in the target's window, in its units */
    DT_ARGUMENT_UNIT = 31,         /* of displacements, in bytes */
    DT_ARGUMENT_SIZE = 32,         /* in bytes */
    DT_ARGUMENT_LOCK_TYPE = 33,    /* 1 exclusive, 2 shared */
    DT_ARGUMENT_ASSERTION = 34,    /* 1 no check, 2 no precede, 4 no put, 8 no store, 16 no succeed */
    DT_ARGUMENT_FILE = 35,         /* its number in the process, by opening */
    DT_ARGUMENT_OFFSET = 36,       /* in the file's units */
    DT_ARGUMENT_WHENCE = 37,       /* 0 from the start, 1 from where it is, 2 from the end */
    DT_ARGUMENT_ACCESS_MODE = 38,  /* 1 create, 2 read, 4 write, 8 both, 16 delete, 32 alone, 64 new, 128 append, ... */
    DT_ARGUMENT_CODE = 39,         /* error code */
    DT_ARGUMENT_THREAD_LEVEL = 40, /* that is required: 0 single, 1 funneled, 2 serialized, 3 multiple */
    DT_ARGUMENT_RANK = 41,         /* of a leader, or one that the call asks for */
    DT_ARGUMENT_NUMBER = 42,       /* one that has no other kind */
    DT_ARGUMENT_COORDINATES = 43,  /* array: in a mesh */
    DT_ARGUMENT_PARTITIONS = 44,   /* of partitioned communication: how many */
    DT_ARGUMENT_PARTITION = 45,    /* which */
    DT_ARGUMENT_PARTITION_LIST = 46, /* array: which */
    DT_ARGUMENT_RANGES = 47,         /* array: first, last and step of each range of ranks */
    DT_ARGUMENT_DATATYPE = 48,       /* a datatype: see datatypes.h */
    DT_ARGUMENT_TYPED_DATA = 49,     /* data of a predefined datatype: count + 2^32 * size + 2^40 * its number */
    DT_ARGUMENT_CHANNEL = 50,        /* of Go's, by its number in the process */
    DT_ARGUMENT_WAIT_GROUP = 51      /* the same */
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

/**
 * A value not below this is the array of the number that it is above it; 0: the kind has no arrays. Data are one if
 * they do not fit into a value: count and size, -1 where that is unknown.
 */
static inline int64_t dt_argument_first_array(enum dt_argument_kind kind)
{
    if (kind == DT_ARGUMENT_DATA || kind == DT_ARGUMENT_OTHER_DATA)
        return (int64_t)1 << 54;
    bool may_be = kind == DT_ARGUMENT_LIVE || kind == DT_ARGUMENT_COUNTS || kind == DT_ARGUMENT_ELEMENTS ||
                  (kind >= DT_ARGUMENT_DIMENSIONS && kind <= DT_ARGUMENT_RANKS) || kind == DT_ARGUMENT_COORDINATES ||
                  kind == DT_ARGUMENT_PARTITION_LIST || kind == DT_ARGUMENT_RANGES;
    return may_be ? (int64_t)1 << 48 : 0;
}

/** False: they are to be an array. */
static inline bool dt_argument_data_fits(int64_t count, int64_t size)
{
    return count >= 0 && count <= UINT32_MAX && size >= 0 && size < (1 << 22);
}

static inline int64_t dt_argument_data(enum dt_argument_kind kind, int64_t count, int64_t size)
{
    return dt_argument(kind, count | size << 32);
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
