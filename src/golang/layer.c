#include "golang/layer.h"

#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "golang/layer_texts.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_golang_error, dt_golang_error)

struct DtGoLayer {
    char *folder, *overlay;
    GHashTable *replaced; /* path -> path of what takes its place */
};

DtGoLayer *dt_go_layer_new(const char *folder)
{
    DtGoLayer *layer = g_new0(DtGoLayer, 1);
    layer->folder = g_strdup(folder);
    layer->overlay = g_build_filename(folder, "overlay.json", NULL);
    layer->replaced = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return layer;
}

void dt_go_layer_free(DtGoLayer *layer)
{
    if (!layer)
        return;
    g_hash_table_unref(layer->replaced);
    g_free(layer->overlay);
    g_free(layer->folder);
    g_free(layer);
}

/* ---- files -------------------------------------------------------------------------------------------------- */

static gboolean write_text(const char *path, const char *text, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (g_file_set_contents(path, text, -1, &problem))
        return TRUE;
    dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_IO, "%s", problem->message);
    return FALSE;
}

/* Go knows files by where they are, and by where links lead. */
gboolean dt_go_layer_put(DtGoLayer *layer, const char *path, const char *text, GError **error)
{
    g_autofree char *name = g_path_get_basename(path), *folder = g_path_get_dirname(path);
    g_autofree char *own_name = g_strdup_printf("%u-%s", g_hash_table_size(layer->replaced), name);
    g_autofree char *own = g_build_filename(layer->folder, own_name, NULL);
    char *real = realpath(folder, NULL);
    g_autofree char *real_path = g_build_filename(real ? real : folder, name, NULL);
    free(real);
    if (!write_text(own, text, error))
        return FALSE;
    g_hash_table_insert(layer->replaced, g_strdup(path), g_strdup(own));
    g_hash_table_insert(layer->replaced, g_strdup(real_path), g_strdup(own));
    return TRUE;
}

const char *dt_go_layer_end(DtGoLayer *layer, GError **error)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    GHashTableIter each;
    gpointer path, own;
    json_builder_begin_object(builder);
    json_builder_set_member_name(builder, "Replace");
    json_builder_begin_object(builder);
    g_hash_table_iter_init(&each, layer->replaced);
    while (g_hash_table_iter_next(&each, &path, &own)) {
        json_builder_set_member_name(builder, path);
        json_builder_add_string_value(builder, own);
    }
    json_builder_end_object(builder);
    json_builder_end_object(builder);
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    g_autofree char *text = json_to_string(root, FALSE);
    return write_text(layer->overlay, text, error) ? layer->overlay : NULL;
}

/* ---- changes ------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *file, *old, *new; /* `file` NULL: as the row before */
} Change;

#define TELLS(number, object) " difftrace(" number ", " object "); defer difftrace(0, nil)\n"

static const Change changes[] = {
    {"runtime/chan.go", "func chansend1(c *hchan, elem unsafe.Pointer) {\n",
     "func chansend1(c *hchan, elem unsafe.Pointer) {" TELLS("1", "unsafe.Pointer(c)")},
    {NULL, "func chanrecv1(c *hchan, elem unsafe.Pointer) {\n",
     "func chanrecv1(c *hchan, elem unsafe.Pointer) {" TELLS("2", "unsafe.Pointer(c)")},
    {NULL, "func chanrecv2(c *hchan, elem unsafe.Pointer) (received bool) {\n",
     "func chanrecv2(c *hchan, elem unsafe.Pointer) (received bool) {" TELLS("2", "unsafe.Pointer(c)")},
    {NULL, "func selectnbsend(c *hchan, elem unsafe.Pointer) (selected bool) {\n",
     "func selectnbsend(c *hchan, elem unsafe.Pointer) (selected bool) {" TELLS("18", "unsafe.Pointer(c)")},
    {NULL, "func selectnbrecv(elem unsafe.Pointer, c *hchan) (selected, received bool) {\n",
     "func selectnbrecv(elem unsafe.Pointer, c *hchan) (selected, received bool) {" TELLS("19", "unsafe.Pointer(c)")},
    {NULL, "func makechan(t *chantype, size int) *hchan {\n",
     "func difftraceMakechan(t *chantype, size int) *hchan {\n"},
    {NULL, "func closechan(c *hchan) {\n", "func closechan(c *hchan) {" TELLS("3", "unsafe.Pointer(c)")},
    {"runtime/select.go",
     "func selectgo(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int, bool) {\n",
     "func selectgo(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int, bool) {"
     " difftraceSelect(block); defer difftrace(0, nil)\n"},
    {"runtime/proc.go", "func newproc(fn *funcval) {\n", "func newproc(fn *funcval) { defer difftraceStarted(fn)\n"},
    {"sync/mutex.go", "func (m *Mutex) Lock() {", "func (m *Mutex) difftraceLock() {"},
    {NULL, "func (m *Mutex) Unlock() {", "func (m *Mutex) difftraceUnlock() {"},
    {"sync/rwmutex.go", "func (rw *RWMutex) Lock() {", "func (rw *RWMutex) difftraceLock() {"},
    {NULL, "func (rw *RWMutex) Unlock() {", "func (rw *RWMutex) difftraceUnlock() {"},
    {NULL, "func (rw *RWMutex) RLock() {", "func (rw *RWMutex) difftraceRLock() {"},
    {NULL, "func (rw *RWMutex) RUnlock() {", "func (rw *RWMutex) difftraceRUnlock() {"},
    {NULL, "\trw.w.Lock()", "\trw.w.difftraceLock()"},
    {NULL, "\trw.w.Unlock()", "\trw.w.difftraceUnlock()"},
    {"sync/waitgroup.go", "func (wg *WaitGroup) Add(", "func (wg *WaitGroup) difftraceAdd("},
    {NULL, "func (wg *WaitGroup) Wait(", "func (wg *WaitGroup) difftraceWait("},
    {"sync/cond.go", "func (c *Cond) Wait(", "func (c *Cond) difftraceWait("},
    {NULL, "func (c *Cond) Signal(", "func (c *Cond) difftraceSignal("},
    {NULL, "func (c *Cond) Broadcast(", "func (c *Cond) difftraceBroadcast("},
};

static const Change exit_change = {
    "os/proc.go", "func Exit(code int) {\n",
    "func Exit(code int) { if leave := DifftraceExit; leave != nil { DifftraceExit = nil; leave(code) }\n"};

/* The text with all of `old` replaced; NULL: there is none of it. */
static char *change(const char *text, const char *old, const char *new)
{
    if (!strstr(text, old))
        return NULL;
    g_auto(GStrv) parts = g_strsplit(text, old, -1);
    return g_strjoinv(new, parts);
}

/* FALSE without an error: the file is not as it should be. */
static gboolean change_file(DtGoLayer *layer, const char *root, const Change *rows, guint count, GError **error)
{
    g_autofree char *path = g_build_filename(root, "src", rows[0].file, NULL), *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return FALSE;
    for (guint i = 0; i < count; i++) {
        char *changed = change(text, rows[i].old, rows[i].new);
        if (!changed)
            return FALSE;
        g_free(text);
        text = changed;
    }
    return dt_go_layer_put(layer, path, text, error);
}

static gboolean put_source(DtGoLayer *layer, const char *root, const char *package, const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(root, "src", package, "zz_difftrace.go", NULL);
    return dt_go_layer_put(layer, path, text, error);
}

gboolean dt_go_layer_exit(DtGoLayer *layer, const char *root, GError **error)
{
    if (change_file(layer, root, &exit_change, 1, error))
        return put_source(layer, root, "os", dt_go_text_os, error);
    if (error && !*error)
        dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_TOOLCHAIN,
                     "%s: its os.Exit is not as that of Go 1.19: nothing can be laid around it", root);
    return FALSE;
}

gboolean dt_go_layer_library(DtGoLayer *layer, const char *root, GError **error)
{
    for (guint i = 0, end; i < G_N_ELEMENTS(changes); i = end) {
        for (end = i + 1; end < G_N_ELEMENTS(changes) && !changes[end].file; end++)
            ;
        if (!change_file(layer, root, &changes[i], end - i, error)) {
            g_hash_table_remove_all(layer->replaced);
            return FALSE;
        }
    }
    return put_source(layer, root, "runtime", dt_go_text_runtime, error) &&
           put_source(layer, root, "sync", dt_go_text_sync, error);
}

/* ---- the program ----------------------------------------------------------------------------------------------- */

/* Lays another name over a function of one of the files. FALSE: an error, or with *found FALSE none of them has it. */
static gboolean rename_function(DtGoLayer *layer, const char *folder, const char *const *files, const Change *what,
                                gboolean *found, GError **error)
{
    *found = FALSE;
    for (guint i = 0; files[i]; i++) {
        g_autofree char *path = g_build_filename(folder, files[i], NULL), *text = NULL;
        if (!g_file_get_contents(path, &text, NULL, NULL))
            continue;
        g_autofree char *line = g_strconcat("\n", text, NULL);
        g_autofree char *changed = change(line, what->old, what->new);
        if (!changed)
            continue;
        *found = TRUE;
        return dt_go_layer_put(layer, path, changed + 1, error);
    }
    return TRUE;
}

gboolean dt_go_layer_test(DtGoLayer *layer, const char *folder, const char *package, const char *const *files,
                          GError **error)
{
    static const Change own_main = {NULL, "\nfunc TestMain(", "\nfunc difftraceTestMain("};
    gboolean found;
    if (!rename_function(layer, folder, files, &own_main, &found, error))
        return FALSE;
    g_autofree char *of_package = change(dt_go_text_test, "PACKAGE", package);
    g_autofree char *head = change(of_package, "TESTS", found ? "difftraceTestMain(m); return 0" : "return m.Run()");
    g_autofree char *text = g_strconcat(head, dt_go_text_run, NULL);
    g_autofree char *path = g_build_filename(folder, "zz_difftrace_test.go", NULL);
    return dt_go_layer_put(layer, path, text, error);
}

gboolean dt_go_layer_main(DtGoLayer *layer, const char *folder, const char *const *files, GError **error)
{
    static const Change own_main = {NULL, "\nfunc main() {", "\nfunc difftraceMain() {"};
    gboolean found;
    if (!rename_function(layer, folder, files, &own_main, &found, error))
        return FALSE;
    if (!found) {
        dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_PROGRAM, "%s: no line \"func main() {\" in its files",
                     folder);
        return FALSE;
    }
    g_autofree char *text = g_strconcat(dt_go_text_main, dt_go_text_run, NULL);
    g_autofree char *path = g_build_filename(folder, "zz_difftrace.go", NULL);
    return dt_go_layer_put(layer, path, text, error);
}
