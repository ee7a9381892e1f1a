/**
 * What the reader of uftrace's data directories is made of: which function is at an address of a session (sid-*.map,
 * *.sym), and the records of a task (TID.dat).
 */
#ifndef DT_IMPORT_UFTRACE_H
#define DT_IMPORT_UFTRACE_H

#include "import/reader.h"

G_BEGIN_DECLS

/** A function of an image, or the entry of an import. */
typedef struct {
    guint64 start;    /* from the image's first address */
    const char *name; /* as a linker has it; an import's ends with "@plt", but for API functions; NULL: the end of the
                         one before */
} DtUftraceSymbol;

/** The symbol files of a directory, by path of the image that they are of. */
typedef struct DtUftraceImages DtUftraceImages;
DtUftraceImages *dt_uftrace_images_read(const char *folder);
void dt_uftrace_images_free(DtUftraceImages *images);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtUftraceImages, dt_uftrace_images_free)

/** All of a text file of the data; NULL with an error that names it. g_free(). */
char *dt_uftrace_file_read(const char *path, gsize *bytes, GError **error);

/** What is mapped where in a session. */
typedef struct DtUftraceSpace DtUftraceSpace;
/** Of sid-ID.map; NULL: it cannot be read. `images` must outlive it. */
DtUftraceSpace *dt_uftrace_space_read(const DtUftraceImages *images, const char *folder, const char *id,
                                      GError **error);
void dt_uftrace_space_free(DtUftraceSpace *space);
/** An image that was loaded later. */
void dt_uftrace_space_add(DtUftraceSpace *space, const DtUftraceImages *images, guint64 base, const char *path);

/** What is at an address. */
typedef struct {
    const char *image;             /* path; NULL: nothing is mapped there */
    guint64 offset;                /* in the image */
    const DtUftraceSymbol *symbol; /* NULL: without a name */
} DtUftracePlace;
/** `space` NULL: nothing is mapped. O(log symbols). */
DtUftracePlace dt_uftrace_space_find(const DtUftraceSpace *space, guint64 address);

/** A process as its records are read. */
typedef struct {
    DtProcessWriter *writer;
    GHashTable *by_symbol; /* DtUftraceSymbol -> id */
    GHashTable *by_name;   /* of functions without a symbol -> id */
    GArray *sessions;      /* (element-type DtUftraceSession) by time */
} DtUftraceProcess;

/** From when on a process ran which program. */
typedef struct {
    guint64 time; /* ns */
    const DtUftraceSpace *space;
} DtUftraceSession;

/** Reads the records of one task. What is damaged or was lost is told as warnings. */
void dt_uftrace_records_read(const char *path, DtUftraceProcess *process, DtThreadWriter *thread, DtRunWriter *run);

G_END_DECLS

#endif
