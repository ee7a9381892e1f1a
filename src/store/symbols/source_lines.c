#include "store/symbols/source_lines.h"

#include <string.h>

#include "base/debug.h"
#include "base/rights.h"
#include "store/file.h"
#include "store/run_private.h"
#include "store/symbols/image_lines.h"
#include "store/symbols/stored_lines.h"
#include "text/text.h"

/* Of an image of a run. */
typedef struct {
    DtStoredLines *stored; /* NULL: there are none */
    gboolean opened;
    DtImageLines *image; /* NULL: it is not there, or another one by now */
    DtPlace place;       /* one of it, borrowed from the run */
    GHashTable *asked;   /* address -> GArray of DtSourceFrame */
    GHashTable *calls;   /* "caller callee", linker names -> GPtrArray of lines */
} Known;

struct DtSourceLines {
    GHashTable *known;  /* run, folder and key -> Known */
    GPtrArray *nothing; /* empty */
};

enum { MOST_LINE_BYTES = 1 << 30 };

static void free_known(gpointer data)
{
    Known *known = data;
    dt_stored_lines_free(known->stored);
    dt_image_lines_free(known->image);
    g_hash_table_unref(known->asked);
    g_hash_table_unref(known->calls);
    g_free(known);
}

DtSourceLines *dt_source_lines_new(void)
{
    DtSourceLines *lines = g_new0(DtSourceLines, 1);
    lines->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_known);
    lines->nothing = g_ptr_array_new();
    return lines;
}

void dt_source_lines_free(DtSourceLines *lines)
{
    if (!lines)
        return;
    g_hash_table_unref(lines->known);
    g_ptr_array_unref(lines->nothing);
    g_free(lines);
}

/* ---- images ------------------------------------------------------------------------------------ */

/* NULL: a key that no file is named after. What lies in the folder of another user may lead anywhere. */
static char *path_of_lines(const DtRun *run, const char *folder, const char *key)
{
    if (!dt_image_key_identifies(key) || g_str_has_prefix(folder, "users/") || strstr(folder, "/users/"))
        return NULL;
    g_autofree char *name = g_strconcat(key, ".lines", NULL);
    return g_build_filename(run->folder, folder, name, NULL);
}

static DtStoredLines *load_stored(const char *path)
{
    gsize bytes;
    g_autofree char *text = path ? dt_file_contents(path, MOST_LINE_BYTES, &bytes, NULL) : NULL;
    DtStoredLines *stored = text ? dt_stored_lines_parse(text, bytes) : NULL;
    if (text && !stored)
        dt_debug(DT_DEBUG_STORE, "%s: damaged: the lines are looked up again", path);
    return stored;
}

static DtImageLines *open_image(const DtPlace *place)
{
    return dt_image_key_identifies(place->key) ? dt_image_lines_open(place->file, place->key)
                                               : dt_image_lines_open_any(place->file);
}

static DtImageLines *image_of(Known *known)
{
    if (!known->opened)
        known->image = open_image(&known->place);
    known->opened = TRUE;
    return known->image;
}

static Known *find_known(DtSourceLines *lines, const DtRun *run, const char *folder, const DtPlace *place)
{
    g_autofree char *name = g_strjoin("\n", dt_run_path(run), folder, place->key, place->file, NULL);
    Known *known = g_hash_table_lookup(lines->known, name);
    if (known)
        return known;
    g_autofree char *path = path_of_lines(run, folder, place->key);
    known = g_new0(Known, 1);
    known->asked = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
    known->calls = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    known->stored = load_stored(path);
    known->place = *place;
    g_hash_table_insert(lines->known, g_steal_pointer(&name), known);
    return known;
}

/* A call is the instruction before its return address; of that one byte suffices. */
static guint64 address_of(const DtPlace *place)
{
    return place->is_call ? place->address - 1 : place->address;
}

static const GArray *look_up(Known *known, guint64 address)
{
    const GArray *found = known->stored ? dt_stored_lines_at(known->stored, address) : NULL;
    if (!found)
        found = g_hash_table_lookup(known->asked, &address);
    if (found)
        return found;
    GArray *frames = g_array_new(FALSE, FALSE, sizeof(DtSourceFrame));
    if (image_of(known))
        dt_image_lines_at(known->image, address, frames);
    g_hash_table_insert(known->asked, g_memdup2(&address, sizeof(address)), frames);
    return frames;
}

/* ---- questions --------------------------------------------------------------------------------- */

const GArray *dt_source_lines_at(DtSourceLines *lines, const DtRun *run, const DtProcess *process, const DtPlace *place)
{
    g_autofree char *folder = dt_run_image_folder(run, process);
    return look_up(find_known(lines, run, folder, place), address_of(place));
}

static char *frame_text(const DtSourceFrame *frame)
{
    const char *slash = strrchr(frame->file, '/');
    g_autofree char *name = dt_text_spell(slash ? slash + 1 : frame->file);
    return g_strdup_printf("%s:%u", name, frame->line);
}

char *dt_source_lines_text(DtSourceLines *lines, const DtRun *run, const DtProcess *process, const DtPlace *place)
{
    const GArray *frames = dt_source_lines_at(lines, run, process, place);
    return frames->len > 0 ? frame_text(&g_array_index(frames, DtSourceFrame, 0)) : NULL;
}

char *dt_source_lines_text_of_function(DtSourceLines *lines, const DtRun *run, const DtProcess *process,
                                       const DtPlace *place)
{
    const GArray *frames = dt_source_lines_at(lines, run, process, place);
    const DtSourceFrame *own = frames->len > 0 ? &g_array_index(frames, DtSourceFrame, frames->len - 1) : NULL;
    for (guint i = 0; own && i < frames->len; i++) {
        const DtSourceFrame *frame = &g_array_index(frames, DtSourceFrame, i);
        if (g_str_equal(frame->file, own->file))
            return frame_text(frame);
    }
    return NULL;
}

/* Of an image whose key says nothing the symbols' addresses may say nothing either. */
static gboolean place_by_name(DtSourceLines *lines, const DtRun *run, const DtProcess *process, guint32 function,
                              DtPlace *place)
{
    const DtFunctions *functions = dt_run_functions(run);
    const DtFunction *found = dt_functions_get(functions, dt_functions_base(functions, function));
    if (dt_image_key_identifies(place->key))
        return TRUE;
    g_autofree char *folder = dt_run_image_folder(run, process);
    Known *known = find_known(lines, run, folder, place);
    return image_of(known) && dt_image_lines_function(known->image, found->symbol, &place->address);
}

char *dt_source_lines_find(DtSourceLines *lines, const DtRun *run, const DtProcess *process, guint32 function)
{
    DtPlace place;
    if (!dt_run_function_place(run, process, function, &place) || !place_by_name(lines, run, process, function, &place))
        return NULL;
    return dt_source_lines_text(lines, run, process, &place);
}

/* The lines of some calls, each once. */
static GPtrArray *tell_calls(DtSourceLines *lines, const DtRun *run, const DtProcess *process, const DtPlace *caller,
                             const GArray *addresses)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < addresses->len; i++) {
        DtPlace place = {caller->file, caller->key, g_array_index(addresses, guint64, i), TRUE, FALSE};
        char *line = dt_source_lines_text_of_function(lines, run, process, &place);
        if (line && !g_ptr_array_find_with_equal_func(found, line, g_str_equal, NULL))
            g_ptr_array_add(found, line);
        else
            g_free(line);
    }
    return found;
}

const GPtrArray *dt_source_lines_of_code(DtSourceLines *lines, const DtRun *run, const DtProcess *process,
                                         guint32 caller, guint32 callee)
{
    const DtFunctions *functions = dt_run_functions(run);
    const char *from = dt_functions_get(functions, dt_functions_base(functions, caller))->symbol;
    const char *to = dt_functions_get(functions, dt_functions_base(functions, callee))->symbol;
    DtPlace place;
    if (!dt_run_function_place(run, process, caller, &place))
        return lines->nothing;
    g_autofree char *folder = dt_run_image_folder(run, process);
    Known *known = find_known(lines, run, folder, &place);
    g_autofree char *name = g_strjoin(" ", from, to, NULL);
    GPtrArray *found = g_hash_table_lookup(known->calls, name);
    if (found)
        return found;
    g_autoptr(GArray) addresses = g_array_new(FALSE, FALSE, sizeof(guint64));
    if (image_of(known))
        dt_image_lines_calls(known->image, from, to, addresses);
    found = tell_calls(lines, run, process, &place, addresses);
    g_hash_table_insert(known->calls, g_steal_pointer(&name), found);
    return found;
}

/* ---- storing ----------------------------------------------------------------------------------- */

/* What is to be stored in one file. */
typedef struct {
    DtPlace image;
    char *folder;
    GHashTable *addresses; /* set of guint64 */
} Wanted;

static void free_wanted(gpointer data)
{
    Wanted *wanted = data;
    g_hash_table_unref(wanted->addresses);
    g_free(wanted->folder);
    g_free(wanted);
}

static void want(GHashTable *files, const DtRun *run, const char *folder, const DtPlace *place)
{
    g_autofree char *path = path_of_lines(run, folder, place->key);
    Wanted *wanted = path ? g_hash_table_lookup(files, path) : NULL;
    if (!path)
        return;
    if (!wanted) {
        wanted = g_new0(Wanted, 1);
        wanted->image = *place;
        wanted->folder = g_strdup(folder);
        wanted->addresses = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
        g_hash_table_insert(files, g_steal_pointer(&path), wanted);
    }
    guint64 address = address_of(place);
    g_hash_table_add(wanted->addresses, g_memdup2(&address, sizeof(address)));
}

static void want_all(GHashTable *files, const DtRun *run)
{
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        const DtProcess *process = dt_run_process(run, i);
        g_autofree char *folder = dt_run_image_folder(run, process);
        g_autoptr(GArray) places = dt_run_places(run, process);
        for (guint k = 0; k < places->len; k++)
            want(files, run, folder, &g_array_index(places, DtPlace, k));
    }
}

static gint compare_addresses(gconstpointer first, gconstpointer second)
{
    guint64 one = *(const guint64 *)first, two = *(const guint64 *)second;
    return (one > two) - (one < two);
}

/* FALSE: nothing is known of the image. */
static gboolean tell_lines(GString *text, const DtRun *run, const Wanted *wanted)
{
    g_autoptr(DtSourceLines) lines = dt_source_lines_new();
    Known *known = find_known(lines, run, wanted->folder, &wanted->image);
    g_autoptr(GList) addresses = g_list_sort(g_hash_table_get_keys(wanted->addresses), compare_addresses);
    gboolean some = FALSE;
    for (const GList *each = addresses; each; each = each->next) {
        guint64 address = *(const guint64 *)each->data;
        const GArray *frames = look_up(known, address);
        dt_stored_lines_add(text, address, frames);
        some = some || frames->len > 0;
    }
    return some;
}

gboolean dt_source_lines_store(const DtRun *run, GError **error)
{
    g_autoptr(GHashTable) files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_wanted);
    want_all(files, run);
    GHashTableIter each;
    gpointer path, wanted;
    gboolean good = TRUE;
    g_hash_table_iter_init(&each, files);
    while (good && g_hash_table_iter_next(&each, &path, &wanted)) {
        g_autoptr(GString) text = dt_stored_lines_begin();
        if (!tell_lines(text, run, wanted))
            continue;
        dt_stored_lines_end(text);
        good = g_file_set_contents_full(path, text->str, (gssize)text->len, G_FILE_SET_CONTENTS_NONE,
                                        (int)dt_mode_beside(path, 0644), error);
    }
    return good;
}
