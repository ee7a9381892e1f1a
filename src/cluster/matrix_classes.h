/** Matrices over classes, as the stage makes them. */
#ifndef DT_CLUSTER_MATRIX_CLASSES_H
#define DT_CLUSTER_MATRIX_CLASSES_H

#include "cluster/cluster.h"

/** Zeros; `of` is copied. Of as many classes as objects, object i is class i. */
DtMatrix *dt_matrix_new_classes(guint n, guint classes, const guint *of);

/** Zeros; large ones on huge pages where the system has them, as they are all touched. g_free(). */
double *dt_values_new(gsize count);

#endif
