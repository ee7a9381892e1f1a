/** The program that has OTF2's library in it: it reads or writes one archive, and exchanges records over its standard
 * input, a socket. */
#ifndef DT_OTF2_PROGRAM_H
#define DT_OTF2_PROGRAM_H

#include "otf2/records.h"

G_BEGIN_DECLS

/** Numbers of what our own archives have beside what OTF2 knows of calls. */
enum {
    DT_OTF2_ATTRIBUTE_ARGUMENTS,
    DT_OTF2_ATTRIBUTE_CALL,
    DT_OTF2_ATTRIBUTE_ESTIMATED,
    DT_OTF2_ATTRIBUTE_TEXT,
    DT_OTF2_ATTRIBUTE_VALUES /* from here on */
};
enum { DT_OTF2_PARAMETER_NOTE = 0 };
/** By its name an archive is known to have them. */
#define DT_OTF2_CREATOR_NAME "difftrace"

/** All of an archive; DT_OTF2_DONE at the end. FALSE: `problem` says why not, g_free(). */
gboolean dt_otf2_write_archive(const char *folder, DtOtf2Stream *stream, char **problem);
gboolean dt_otf2_read_archive(const char *anchor, DtOtf2Stream *stream, char **problem);

G_END_DECLS

#endif
