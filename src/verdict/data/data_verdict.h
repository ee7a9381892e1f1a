/** The data of a comparison as they are told. */
#ifndef DT_VERDICT_DATA_DATA_VERDICT_H
#define DT_VERDICT_DATA_DATA_VERDICT_H

#include "payload/differing_data.h"
#include "verdict/verdict.h"

G_BEGIN_DECLS

/** NULL of NULL. */
DtDataVerdict *dt_data_verdict_new(const DtDifferingData *data);

G_END_DECLS

#endif
