/** Lines of one image, from its debug information, read by elfutils. */
#ifndef DT_STORE_SYMBOLS_IMAGE_LINES_H
#define DT_STORE_SYMBOLS_IMAGE_LINES_H

#include <elfutils/libdwfl.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct DtImageLines DtImageLines;
/** NULL: it is not there, or its key is another one. */
DtImageLines *dt_image_lines_open(const char *path, const char *key);
/** The same of an image whose key tells nothing of its file, as importers write them. */
DtImageLines *dt_image_lines_open_any(const char *path);
void dt_image_lines_free(DtImageLines *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtImageLines, dt_image_lines_free)

/** FALSE: its key tells nothing of the file. */
gboolean dt_image_key_identifies(const char *key);

/** Adds the frames of the instruction at an address, innermost first, to (element-type DtSourceFrame). Their strings
 * are borrowed from the image. */
void dt_image_lines_at(DtImageLines *image, guint64 address, GArray *frames);
/** Address of the function of that linker name; FALSE: there is none. */
gboolean dt_image_lines_function(DtImageLines *image, const char *name, guint64 *address);

/** The unit of the debug information that has the code at an address, or NULL; `room` may hold it. Its addresses are
 * the file's less *bias. */
Dwarf_Die *dt_image_lines_unit(DtImageLines *image, guint64 address, Dwarf_Die *room, guint64 *bias);
/** What covers an address, as its linker name, or NULL; `symbol` has its start and its size. Borrowed. */
const char *dt_image_lines_symbol(DtImageLines *image, guint64 address, GElf_Sym *symbol);
/** To ask elfutils of it; *bias is what the module's addresses have more than the file's. Borrowed. */
Dwfl_Module *dt_image_lines_module(const DtImageLines *image, guint64 *bias);
/** Appends the return addresses (guint64) of the direct calls of one function by another one: image_calls.h. */
void dt_image_lines_calls(DtImageLines *image, const char *caller, const char *callee, GArray *addresses);

G_END_DECLS

#endif
