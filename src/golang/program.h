/** Go programs built with what is laid around them, and run. */
#ifndef DT_GOLANG_PROGRAM_H
#define DT_GOLANG_PROGRAM_H

#include "golang/layer.h"

G_BEGIN_DECLS

/** The Go that is installed. */
typedef struct {
    char *program; /* path of `go` */
    char *root;    /* its library is below ROOT/src */
    char *version; /* "go1.19.8" */
    guint minor;   /* 19 */
} DtGoToolchain;
/** That of PATH; NULL with an error that says what is missing. */
DtGoToolchain *dt_go_toolchain_find(GError **error);
void dt_go_toolchain_free(DtGoToolchain *toolchain);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGoToolchain, dt_go_toolchain_free)

typedef struct {
    char *folder, *path, *name;
    GStrv files, tests, outer_tests; /* the last of the package NAME_test */
} DtGoPackage;
/** What `go list` says of patterns; (element-type DtGoPackage). NULL with an error. */
GPtrArray *dt_go_packages(const DtGoToolchain *toolchain, const char *const *patterns, GError **error);

/** What is built. */
typedef struct {
    const DtGoPackage *package;
    gboolean is_test;
    gboolean plain;            /* without changes to Go's library */
    const char *const *flags;  /* of `go build`, NULL at the end */
    const char *const *inputs; /* what `go build` is given: the package, or files */
    const char *folder;        /* for what is laid around it; made if it is not there */
    const char *output;        /* the program */
} DtGoBuild;
/** FALSE with an error that has the compiler's first lines. *has_library: the library tells of objects, and yields. */
gboolean dt_go_build(const DtGoToolchain *toolchain, const DtGoBuild *build, gboolean *has_library, GError **error);

/** One run of a program. */
typedef struct {
    const char *program;
    const char *const *arguments; /* NULL at the end */
    const char *folder;           /* where it runs; NULL: here */
    const char *trace, *log;      /* files that it leaves: its trace, and all that it writes */
    guint limit;                  /* ms, then the trace is ended */
    guint yields;                 /* so often it lets others run, at most */
    guint late;                   /* which of its goroutines are late, another choice by each number; 0: none */
} DtGoRun;
/** Its exit status, 128 + a signal that killed it; -1 with an error: it could not be started. */
gint dt_go_run(const DtGoRun *run, GError **error);

G_END_DECLS

#endif
