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
/** The same with its arguments. */
guint32 dt_run_signature_of_id(const DtRun *run, const DtProcess *process, guint32 id);
/** Its arguments with its own predefined datatypes: DtFunctions has one signature for calls that differ in these alone.
 * NULL: not recorded. Lives as long as the run. O(1). */
const DtSignature *dt_run_exact_signature(const DtRun *run, const DtProcess *process, guint32 id);

/** A call that a thread was in when its process was about to end, as the tracer knew it. */
typedef struct {
    guint32 function; /* in DtFunctions; 0: unknown */
    gboolean known;   /* where it was called */
    DtPlace place;
} DtOpenFrame;

/** The innermost of them, innermost first; (element-type DtOpenFrame), the caller's. Empty if the process did not end
 * in a way that the tracer saw, or in earlier versions. */
GArray *dt_run_open_frames(const DtRun *run, const DtTrace *trace);

/** Of a signal that hit the thread. */
typedef struct {
    gboolean known;    /* where in the program */
    DtPlace place;     /* an instruction of the program, the innermost that was going on */
    gboolean is_fault; /* the thread tried to access what it may not: */
    guint64 fault_address;
} DtSignalHit;
/** FALSE: none is known. */
gboolean dt_run_signal_hit(const DtRun *run, const DtTrace *trace, DtSignalHit *hit);
/** TRUE if the place lies in an image that is traced as a whole: in the program, not in a library of the system. */
gboolean dt_run_place_is_own(const DtRun *run, const DtProcess *process, const DtPlace *place);

/** Where a function starts, or whose signature it is; FALSE: not known. O(functions of the process). */
gboolean dt_run_function_place(const DtRun *run, const DtProcess *process, guint32 function, DtPlace *place);
/** Those that are known of a process, of its functions and its calls, whose lines tell something of the program: none
 * in libraries of which only MPI, OpenMP and pthreads are traced, but where a signal struck; (element-type DtPlace),
 * the caller's. */
GArray *dt_run_places(const DtRun *run, const DtProcess *process);

/** The folder of the run's images that the process's are in, relative to the run: "images", "PART/images",
 * "users/UID/images"; g_free(). */
char *dt_run_image_folder(const DtRun *run, const DtProcess *process);

G_END_DECLS

#endif
