/** Runs that were predicted from those of other sizes. */
#ifndef DT_COMMANDS_SKELETONS_PREDICTED_RUN_H
#define DT_COMMANDS_SKELETONS_PREDICTED_RUN_H

#include "commands/skeletons/read_skeletons.h"
#include "extrapolate/extrapolate.h"

G_BEGIN_DECLS

/** Sizes that are read, and the formulas that they give. */
typedef struct {
    GPtrArray *skeletons; /* (element-type DtSkeleton) */
    GArray *sizes;        /* (element-type DtSize) */
    DtLaws *laws;
} DtCliLaws;
void dt_cli_laws_clear(DtCliLaws *laws);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtCliLaws, dt_cli_laws_clear)

/** Reads the runs or skeletons at `paths`, NULL terminated, which are borrowed. */
gboolean dt_cli_read_sizes(char **paths, const DtSkeletonOptions *how, DtCliTimes times, DtCliLaws *laws,
                           GError **error);
/** Finds the formulas for a mesh to come, as dt_laws_find(). */
gboolean dt_cli_find_laws(DtCliLaws *laws, const DtMesh *to, GError **error);

/** Writes the skeleton of that size as a run to `path`, which must be free, or an earlier output. */
gboolean dt_cli_write_predicted(const DtCliLaws *laws, const DtSkeleton *skeleton, const char *path, GError **error);

/** Two runs that can be compared: the one predicted, the other reduced to what that tells. */
typedef struct {
    char *normal, *faulty; /* paths */
    char *told;            /* of what the normal one was predicted, and what of it is proved: sentences */
    DtPrediction *details; /* the same as data */
} DtCliPredicted;
void dt_cli_predicted_clear(DtCliPredicted *predicted);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtCliPredicted, dt_cli_predicted_clear)

/** Of a normal run of that size, with nothing but the sizes that it comes from. O(sizes). */
DtPrediction *dt_cli_prediction(const DtCliLaws *laws, guint ranks);

/** Writes the runs `output`.normal, predicted from the runs `from`, and `output`.faulty, of the run `faulty`. */
gboolean dt_cli_predict(char **from, const char *faulty, const char *output, DtCliPredicted *predicted, GError **error);

G_END_DECLS

#endif
