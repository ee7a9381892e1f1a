/*
 * Calibration: logistic in S, by hand through the shares of culprits in the half of the fault corpus that the method
 * was made with.
 */
#include "verdict/confidence.h"

#include <math.h>

typedef struct {
    double even;  /* S at which one in two is the culprit */
    double width; /* of the rise around it */
} Rise;

static const Rise steady = {1.5, 0.35}, noisy = {3, 1};
/* Of those that are not first. */
static const double OTHERS = 0.1;
/* Traces of one run may well differ from each other. */
static const double MOST_ALONE = 0.45;
static const double MOST = 0.99;

double dt_confidence(const DtStanding *standing)
{
    const Rise *rise = standing->noisy ? &noisy : &steady;
    double share = 1 / (1 + exp((rise->even - standing->score) / rise->width));
    if (standing->ended_well)
        share *= MOST_ALONE;
    if (standing->score < standing->best)
        return OTHERS * share * standing->score / standing->best;
    return MIN(share, MOST) / MAX(1, standing->equal);
}
