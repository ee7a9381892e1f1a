/** RUN/manifest.json. */
#ifndef DT_STORE_MANIFEST_H
#define DT_STORE_MANIFEST_H

#include "store/store.h"

G_BEGIN_DECLS

/** How a process ended, as seen by one that waited for it. */
typedef struct {
    guint pid;
    char *host; /* NULL: not told */
    DtEnd end;  /* DT_END_EXITED or DT_END_SIGNAL */
    gint status;
    guint64 time_ns; /* monotonic; 0: not told */
    gboolean leaves; /* a launcher's daemon: children whose end it has not told end later; there is no `end` */
} DtSeenEnd;

/** How far a thread had come when the collector looked. */
typedef struct {
    guint pid;
    char *host;
    char *thread; /* T of the label P.T */
    guint64 first, last;
} DtSeenThread;

typedef struct {
    DtManifest manifest; /* strings owned here */
    char *pseudonyms;    /* of an anonymous pack: stands for the key of its names; else NULL */
    gboolean present;    /* FALSE: all of it is unknown */
    GArray *ends;        /* DtSeenEnd */
    GArray *threads;     /* DtSeenThread */
} DtManifestFile;

/** Empty. */
DtManifestFile *dt_manifest_file_new(void);
void dt_manifest_file_free(DtManifestFile *manifest);

/** From the file's text. Damage goes to `problems`; members that are missing stay zero. Never NULL. */
DtManifestFile *dt_manifest_parse(const char *text, gsize bytes, GPtrArray *problems);

/** From RUN/manifest.json; a missing file is a problem, too. */
DtManifestFile *dt_manifest_load(const char *run, GPtrArray *problems);

/** Stands for the key by which names of the run became pseudonyms; NULL: they are its own. Borrowed. */
const char *dt_run_pseudonyms(const DtRun *run);

/** The JSON parser recurses: a file of brackets only would exhaust the stack. TRUE: it nests deeper than any of ours.
 */
gboolean dt_json_nests_too_deeply(const char *text, gsize bytes);

G_END_DECLS

#endif
