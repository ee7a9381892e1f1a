/** A run from the inside, shared by the files of the store. */
#ifndef DT_STORE_RUN_PRIVATE_H
#define DT_STORE_RUN_PRIVATE_H

#include "store/manifest.h"
#include "store/process_file.h"
#include "store/store.h"
#include "store/symbols/places.h"
#include "store/symbols/symbols.h"

G_BEGIN_DECLS

struct DtRun {
    char *path;
    char *folder; /* where its files are: the path, or what a packed run was unpacked to */
    DtFunctions *functions;
    DtManifestFile *manifest;
    GPtrArray *parts;      /* char *: of a gathered run; NULL: the run is whole */
    GPtrArray *problems;   /* char * */
    GPtrArray *processes;  /* DtProcessEntry */
    GPtrArray *traces;     /* DtTraceEntry */
    GPtrArray *unrecorded; /* DtUnrecorded */
    guint unreadable;      /* trace files that cannot be read, which the problems tell */
    GHashTable *labels;    /* of traces -> DtTraceEntry */
    GHashTable *symbols;   /* part and image key -> DtSymbols */
};

/** An image of a process whose places are known. */
typedef struct {
    char *file, *key;
    gboolean own;             /* traced as a whole */
    gboolean api_only;        /* only its functions of MPI, OpenMP, pthreads and the end of the process are traced */
    const DtSymbols *symbols; /* borrowed from the run; NULL: nothing is hooked there */
} DtCodeImage;

/** Where a function of a process is: index field of its image and its symbol; image 0: not known. */
typedef struct {
    guint32 image, symbol;
} DtStart;

/** The public part first: a DtProcess of a run is one of these. */
typedef struct {
    DtProcess process;
    DtProcessFile *file;
    guint64 start_realtime_ns;
    gboolean forked;
    gint64 number;       /* P of the label */
    guint beside;        /* "+1", "+2"...; 0: the owner of P */
    guint32 *functions;  /* file id -> id in DtFunctions */
    guint32 *signatures; /* the same with arguments; the same table if none were recorded */
    GHashTable *exact;   /* file id -> DtSignature: where a datatype is not that of `signatures`; NULL: nowhere */
    guint32 *file_ids;   /* the same of each file id: itself */
    guint32 function_count;
    GPtrArray *images;        /* DtImage */
    GPtrArray *communicators; /* DtCommunicator, borrowed from the file */
    GPtrArray *arrays;        /* DtNumbers of the functions, by number; holes are NULL */
    GHashTable *code_images;  /* index field -> DtCodeImage */
    DtStart *starts;          /* by file id */
    GArray *sites;            /* DtCallSite, by id */
} DtProcessEntry;

/** The same for DtTrace. */
typedef struct {
    DtTrace trace;
    DtProcessEntry *process;
    const DtThreadRecord *record;
} DtTraceEntry;

/** Tells that so many words of the stream went through a codec (DIFFTRACE_DEBUG=decode): tests count them. */
void dt_stream_tell_decoded(const DtStream *stream, guint64 words, DtProjection projection);

/** A run without functions and with nothing read; dt_run_free(). */
DtRun *dt_run_new(const char *path);

/** Names of the trace files, those of all users, relative to the run, sorted; NULL: no such directory, see errno. */
GPtrArray *dt_list_process_files(const char *run);

/** All folders of the run, as far as its parts are known, relative to it: "" and users', or parts and theirs. */
GPtrArray *dt_run_folders(const DtRun *run);

/** The names of the run's trace files, and its parts if it is a gathered one; FALSE if it is no run. */
gboolean dt_run_find_processes(DtRun *run, GPtrArray **names, GError **error);
/** Reads the files of these names, as far as they can be read; FALSE if none can. What cannot is a problem. */
gboolean dt_run_read_processes(DtRun *run, const GPtrArray *names, GError **error);
/** Adds to the problems that recording stopped early, if it did. */
void dt_run_report_stopped(DtRun *run, const DtProcessEntry *entry);
/** How processes ended, by their files and by the manifest, whose `ends` are complete; and in which order. */
void dt_run_set_ends(DtRun *run);

/** How far traces had come when the collector looked, by the manifest. After they have labels. */
void dt_run_set_looks(DtRun *run);

/**
 * The directories in `path` that are runs, sorted: parts of one run, gathered from the disks of several nodes. NULL if
 * there are none.
 */
GPtrArray *dt_find_parts(const char *path);
/** The trace files of all parts, named PART/processes/... */
GPtrArray *dt_list_gathered_files(const char *path, const GPtrArray *parts);
/** The first part's manifest that there is, and how processes ended by all of them. */
DtManifestFile *dt_gathered_manifest(const char *path, const GPtrArray *parts, GPtrArray *problems);

/** Gives P to all processes, sorts them and labels them. */
void dt_label_processes(GPtrArray *processes);
/** Makes the traces of a process, labelled and sorted, and appends them. */
void dt_label_traces(DtProcessEntry *process, GPtrArray *traces, GPtrArray *problems);

/** Of processes that a signal ended: finds the thread it hit. After their functions are resolved. */
void dt_find_fatal_signals(DtRun *run);

/** Fills in what the process's ids and images mean; functions are interned. */
void dt_resolve_functions(DtRun *run, DtProcessEntry *process);
/** Decides which keys of communicators hold, by what all processes say (element-type DtProcessEntry). O(members). */
void dt_settle_communicators(GPtrArray *processes);
/** What is known of places in its images; before the records of its functions are dropped. */
void dt_resolve_places(DtProcessEntry *entry);
/** Where its calls come from, after their signatures. */
void dt_resolve_call_sites(DtProcessEntry *entry);
void dt_places_clear(DtProcessEntry *entry);
/** The same with arguments, after the functions of all processes: names have the ids that they would have alone. */
void dt_resolve_signatures(DtRun *run, DtProcessEntry *entry);

G_END_DECLS

#endif
