/** RUN/manifest.json, written when the command starts and again when it has ended. */
#ifndef DT_COLLECT_MANIFEST_WRITER_H
#define DT_COLLECT_MANIFEST_WRITER_H

#include "collect/collect.h"
#include "collect/launch.h"

/** `launched` NULL: not ended yet. Replaces an earlier manifest atomically. */
gboolean dt_manifest_write(const char *run, const DtCollectOptions *options, const DtCollectResult *result,
                           const DtLaunched *launched, GError **error);

#endif
