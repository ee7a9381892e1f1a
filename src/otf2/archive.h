/**
 * OTF2's archives, read and written by a program of its own, difftrace-otf2, with OTF2's library in it: an archive that
 * brings the library down ends that program alone. docs/otf2.md
 */
#ifndef DT_OTF2_ARCHIVE_H
#define DT_OTF2_ARCHIVE_H

#include "otf2/records.h"

G_BEGIN_DECLS

#define DT_OTF2_ERROR_DOMAIN (dt_otf2_error_quark())
typedef enum { DT_OTF2_ERROR_MISSING, DT_OTF2_ERROR_ARCHIVE } DtOtf2Error;
GQuark dt_otf2_error_quark(void);

/** An archive that is being read or written. */
typedef struct {
    char *path;
    GPid pid;
    DtOtf2Stream *stream;
} DtOtf2Archive;
/** Reads the archive whose anchor is `path`: records come until DT_OTF2_DONE. NULL if the program is not there. */
DtOtf2Archive *dt_otf2_read(const char *path, GError **error);
/** Writes a new one, `path`/traces.otf2: takes records in any order, those of a location behind its DT_OTF2_LOCATION;
 * the numbers of strings are below 2^31. NULL if the program is not there. */
DtOtf2Archive *dt_otf2_write(const char *path, GError **error);
/** After all records were put: waits until the archive is whole. */
gboolean dt_otf2_finish(DtOtf2Archive *archive, GError **error);
/** The records came to an early end: why. */
void dt_otf2_fail(DtOtf2Archive *archive, GError **error);
void dt_otf2_archive_free(DtOtf2Archive *archive);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtOtf2Archive, dt_otf2_archive_free)

G_END_DECLS

#endif
