/** A skeleton written out call by call, of which calls and ranks are left out, and which becomes a skeleton again. */
#ifndef DT_SIMULATE_WRITTEN_OUT_H
#define DT_SIMULATE_WRITTEN_OUT_H

#include "simulate/simulating.h"
#include "skeleton/recorded_calls.h"

G_BEGIN_DECLS

typedef struct {
    guint32 number;      /* of DtRecordedCalls */
    guint32 unit;        /* of calls that belong together */
    GArray *named;       /* guint32: calls of the rank that made the requests which it names; NULL: it names none */
    GArray *completed;   /* the same of those that completed; NULL: not told, or all */
    gboolean makes;      /* a request */
    const char *comment; /* of its line; borrowed, may be NULL */
} DtWrittenCall;

typedef struct {
    const DtSkeleton *skeleton;
    DtGroups *groups;
    DtRecordedCalls *calls;
    GArray **ranks;       /* DtWrittenCall */
    GArray **at;          /* by rank: where its how-manieth call stands (element-type guint32) */
    guint units;          /* 0 .. units - 1 */
    gboolean *is_message; /* by unit: of messages, none of whose calls may stay alone */
    guint64 total;        /* calls */
} DtWrittenOut;

/** Of questions that were asked in vain only the last one stays. `pairs` (element-type DtMetCalls): what belongs
 * together. Borrows the skeleton. NULL: more than DT_WRITTEN_MOST calls. */
#define DT_WRITTEN_MOST (1u << 22)
DtWrittenOut *dt_written_out_new(const DtSkeleton *skeleton, const GArray *pairs);
void dt_written_out_free(DtWrittenOut *written);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtWrittenOut, dt_written_out_free)
/** Number of the unit of a call, by its place among all that the rank makes. */
guint32 dt_written_unit(const DtWrittenOut *written, guint rank, guint64 call);
/** Without these units and ranks, which have other numbers then. Peers and roots that are gone take their calls with
 * them. `size` may be NULL. O(calls). */
DtSkeleton *dt_written_out_without(const DtWrittenOut *written, const gboolean *units, const gboolean *ranks,
                                   guint64 *calls);

G_END_DECLS

#endif
