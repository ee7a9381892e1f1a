/** A process's event code in the archive's codec. */
#ifndef DT_PACK_RECODE_H
#define DT_PACK_RECODE_H

#include "store/run_private.h"

G_BEGIN_DECLS

/** A thread's stream in the other codec, and what its record is to say of it. */
typedef struct {
    guint32 owner;
    GByteArray *stream;
    guint64 commits_at; /* where in the trace file its two commit records are */
    struct dt_commit commit;
} DtRecoded;

/**
 * (element-type DtRecoded): the streams of the process's threads that are whole and become smaller;
 * g_ptr_array_unref(). `kept` is raised by the number of others that have code. What was encoded was decoded again and
 * compared.
 */
GPtrArray *dt_recode_process(const DtRun *run, const DtProcessEntry *process, guint *kept);

G_END_DECLS

#endif
