/**
 * Places in the code of a process: where calls come from, where functions start. A place is told by image and address,
 * so that it can be looked up as long as the image is the one that ran (symbols/source_lines.h).
 */
#ifndef DT_STORE_SYMBOLS_PLACES_H
#define DT_STORE_SYMBOLS_PLACES_H

#include "store/store.h"

G_BEGIN_DECLS

/** Borrowed from the run. */
typedef struct {
    const char *file;   /* path of the image, as it is: any bytes */
    const char *key;    /* which image it was: docs/trace-format.md, section 9 */
    guint64 address;    /* in the image, load bias not added: of a call the return address */
    gboolean is_call;   /* the instruction before the address is meant */
    gboolean tail_call; /* no place of a call: where the function starts that ended with it */
} DtPlace;

/** Where the calls of a signature come from, in one process. */
typedef struct {
    guint32 id;        /* of these calls in the process's file */
    guint32 signature; /* what DtFunctions knows them as; those of several sites are the same there */
    DtPlace place;
} DtCallSite;

/** Those of a process, by id; (element-type DtCallSite), borrowed. Empty in runs of earlier versions, and of calls
 * whose arguments were not recorded. */
const GArray *dt_run_call_sites(const DtRun *run, const DtProcess *process);
/** That of an id of the process's file (DT_FILE_IDS); NULL: not known. O(log sites). */
const DtCallSite *dt_run_call_site(const DtRun *run, const DtProcess *process, guint32 id);
/** Those of a signature, or of all of a function; (element-type DtCallSite), by id; the array is the caller's.
 * O(sites).
 */
GPtrArray *dt_run_call_sites_of(const DtRun *run, const DtProcess *process, guint32 function);

/** What an id of the process's file is by name, in DtFunctions; 0: unknown. O(1). */
guint32 dt_run_function_of_id(const DtRun *run, const DtProcess *process, guint32 id);
/** Where a function starts, or whose signature it is; FALSE: not known. O(functions of the process). */
gboolean dt_run_function_place(const DtRun *run, const DtProcess *process, guint32 function, DtPlace *place);
/** All that are known of a process: of its functions and its calls; (element-type DtPlace), the caller's. */
GArray *dt_run_places(const DtRun *run, const DtProcess *process);

/** The folder of the run's images that the process's are in, relative to the run: "images", "PART/images",
 * "users/UID/images"; g_free(). */
char *dt_run_image_folder(const DtRun *run, const DtProcess *process);

G_END_DECLS

#endif
