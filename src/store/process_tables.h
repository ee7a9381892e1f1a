/** The tables of a process file: functions, images, communicators. */
#ifndef DT_STORE_PROCESS_TABLES_H
#define DT_STORE_PROCESS_TABLES_H

#include "store/process_file.h"

G_BEGIN_DECLS

/** What is left to read of a chunk. */
typedef struct {
    const guint8 *data;
    gsize bytes;
    guint64 offset; /* in the file */
} DtPayload;

static inline DtPayload dt_payload_behind(DtPayload payload, gsize bytes)
{
    return (DtPayload){payload.data + bytes, payload.bytes - bytes, payload.offset + bytes};
}

/** Adds the records of a chunk of that type; chunks of other types mean nothing. */
void dt_read_table(DtProcessFile *file, guint32 type, DtPayload payload, GPtrArray *problems);

void dt_communicator_free(gpointer communicator);

/** Reports that a record is left out. */
void dt_report_record(const DtProcessFile *file, GPtrArray *problems, guint64 offset, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

G_END_DECLS

#endif
