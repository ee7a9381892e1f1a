/** How surely something new is no luck, after Good (1953): docs/algorithms/verdict.md, Surprise. */
#ifndef DT_VERDICT_SURPRISE_H
#define DT_VERDICT_SURPRISE_H

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

/** What the normal runs did at a place: how often, what of that was not seen again, and in how many ways. */
typedef struct {
    double done, unsteady, ways;
} DtSteadiness;

/** Of something that was not done there: 0, luck may well show it .. 1. Who goes many ways may well go one more. */
static inline double dt_surprise(const DtSteadiness *place)
{
    static const double usual_luck = 0.1, no_luck = 0.001;
    const double luck = (place->unsteady + place->ways * place->ways / 2) / (place->done + 1);
    return CLAMP(log(usual_luck / luck) / log(usual_luck / no_luck), 0, 1);
}

G_END_DECLS

#endif
