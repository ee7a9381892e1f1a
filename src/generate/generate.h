/**
 * A skeleton as a program in C and MPI that communicates as the skeleton says: a benchmark that can be read, changed
 * and given away. Loops are loops, what ranks do that others do not stands in ifs, and what one function of the source
 * does is a function. docs/generated-benchmarks.md describes what comes out.
 */
#ifndef DT_GENERATE_GENERATE_H
#define DT_GENERATE_GENERATE_H

#include "skeleton/skeleton.h"

G_BEGIN_DECLS

#define DT_GENERATE_ERROR dt_generate_error_quark()
GQuark dt_generate_error_quark(void);
typedef enum {
    DT_GENERATE_ERROR_THREADS, /* threads but the first one communicate */
    DT_GENERATE_ERROR_START    /* MPI_Init stands in a loop, or not on all ranks */
} DtGenerateError;

typedef struct {
    gboolean anonymous;  /* no names and lines of the program's source */
    gboolean any_source; /* receive from anybody, as the program did, instead of from whom it got */
} DtGenerateOptions;

typedef struct {
    char *text;          /* of the C file */
    GPtrArray *left_out; /* names of functions whose calls are not made, each once */
} DtGenerated;

/** Between calls the program computes for as long as the skeleton's times say (skeleton/node_times.h), if it has any.
 * `name`: what the program is called in its first line; NULL: nothing. O(calls of all ranks) where communicators are
 * made, else O(values of the skeleton * ranks). */
DtGenerated *dt_generate(const DtSkeleton *skeleton, const char *name, const DtGenerateOptions *options,
                         GError **error);
void dt_generated_free(DtGenerated *generated);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGenerated, dt_generated_free)

G_END_DECLS

#endif
