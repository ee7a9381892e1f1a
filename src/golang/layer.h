/**
 * What is laid around a Go program to record it: files for `go build -overlay`, which the compiler takes instead of
 * those that are installed. Those of Go's library are made from the ones that are installed, by changes of single
 * lines; neither these nor the program's own files are changed.
 */
#ifndef DT_GOLANG_LAYER_H
#define DT_GOLANG_LAYER_H

#include <glib.h>

G_BEGIN_DECLS

#define DT_GOLANG_ERROR (dt_golang_error_quark())
typedef enum {
    DT_GOLANG_ERROR_TOOLCHAIN, /* no Go, or one that cannot be used */
    DT_GOLANG_ERROR_PROGRAM,   /* it cannot be built, or there is nothing to run */
    DT_GOLANG_ERROR_IO
} DtGolangError;
GQuark dt_golang_error_quark(void);

typedef struct DtGoLayer DtGoLayer;
/** Files go into `folder`, which must be there. */
DtGoLayer *dt_go_layer_new(const char *folder);
void dt_go_layer_free(DtGoLayer *layer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGoLayer, dt_go_layer_free)

/** The text takes the place of the file at `path`, which need not be there. */
gboolean dt_go_layer_put(DtGoLayer *layer, const char *path, const char *text, GError **error);

/** Go's library of the Go at `root`: its locks and channels tell what is done with them, and let others run before.
 * FALSE without an error: this Go's library is not as it should be for that, and stays as it is. */
gboolean dt_go_layer_library(DtGoLayer *layer, const char *root, GError **error);

/** So that os.Exit does not lose what was recorded. After dt_go_layer_library(); needed by what follows. */
gboolean dt_go_layer_exit(DtGoLayer *layer, const char *root, GError **error);

/** A test of the package in `folder`: `files` are those that may have a TestMain, NULL at the end. */
gboolean dt_go_layer_test(DtGoLayer *layer, const char *folder, const char *package, const char *const *files,
                          GError **error);
/** A command: `files` are those that may have its main. */
gboolean dt_go_layer_main(DtGoLayer *layer, const char *folder, const char *const *files, GError **error);

/** Writes what Go's -overlay reads; its path, borrowed. NULL with an error. */
const char *dt_go_layer_end(DtGoLayer *layer, GError **error);

G_END_DECLS

#endif
