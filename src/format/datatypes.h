/** Datatypes of MPI, as arrays (struct dt_array) have them: docs/trace-format.md. */
#ifndef DT_FORMAT_DATATYPES_H
#define DT_FORMAT_DATATYPES_H

#include <stdint.h>

/** Constructors: what a derived datatype was made by. The first element of its array is DT_DATATYPE_MARK - this. */
enum dt_constructor {
    DT_CONSTRUCTOR_CONTIGUOUS = 1, /* count, datatype */
    DT_CONSTRUCTOR_VECTOR,         /* count, block length, stride in elements, datatype */
    DT_CONSTRUCTOR_HVECTOR,        /* the same with the stride in bytes */
    DT_CONSTRUCTOR_INDEXED,        /* count, block lengths, displacements in elements, datatype */
    DT_CONSTRUCTOR_HINDEXED,       /* the same in bytes */
    DT_CONSTRUCTOR_INDEXED_BLOCK,  /* count, block length, displacements, datatype */
    DT_CONSTRUCTOR_HINDEXED_BLOCK,
    DT_CONSTRUCTOR_STRUCT,   /* count, block lengths, displacements, datatypes */
    DT_CONSTRUCTOR_SUBARRAY, /* dimensions, sizes, sizes of the part, starts, order (0 C, 1 Fortran), datatype */
    DT_CONSTRUCTOR_DARRAY,  /* size, rank, dimensions, sizes, distributions, their arguments, processes, order, datatype
                             */
    DT_CONSTRUCTOR_RESIZED, /* datatype, lower bound, extent */
    DT_CONSTRUCTORS
};

#define DT_DATATYPE_MARK (-((int64_t)1 << 40))

/** Elements before the parameters: constructor; hash and length of the type signature, 0 and 0 if not known. */
enum { DT_DATATYPE_HASH = 1, DT_DATATYPE_LENGTH = 2, DT_DATATYPE_PARAMETERS = 3 };

/** Numbers of datatypes: 0 unknown; below this one predefined; from here on the array of that number less this. */
enum { DT_FIRST_DERIVED = 256 };

/** Names without MPI_ of the predefined ones, by number; "" at 0. */
extern const char dt_datatype_names[][28];
extern const uint32_t dt_datatype_name_count;

/** The hash of a signature of one predefined datatype, of one behind another, and of `times` repetitions; `length`s
 * count predefined datatypes. Equal for equal rows of predefined datatypes, however they were constructed. */
uint64_t dt_datatype_hash(uint32_t number);
uint64_t dt_datatype_hash_join(uint64_t first, uint64_t second, uint64_t second_length);
uint64_t dt_datatype_hash_repeat(uint64_t hash, uint64_t length, uint64_t times);

#endif
