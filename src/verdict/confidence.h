/** From the score S to how often such a suspect is the culprit: docs/method.md. */
#ifndef DT_VERDICT_CONFIDENCE_H
#define DT_VERDICT_CONFIDENCE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    double score;        /* S */
    double best;         /* the largest S of all traces */
    guint equal;         /* traces with this S */
    gboolean noisy;      /* the run ended, and the normal runs of its class do not agree with each other */
    gboolean ended_well; /* without normal runs: the run ended */
} DtStanding;

/** 0..1, ascending with S among the traces of one run. */
double dt_confidence(const DtStanding *standing);

G_END_DECLS

#endif
