#include "skeleton/call_places.h"

#include <string.h>

#include "store/symbols/names.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

struct DtCallPlaces {
    const DtRun *run;
    GPtrArray *texts;
    GHashTable *numbers; /* text -> number */
    DtSourceLines *lines;
    const DtProcess *process; /* that was asked for last */
    GHashTable *of_ids;       /* of its ids: id -> number + 1 */
};

DtCallPlaces *dt_call_places_new(const DtRun *run, GPtrArray *texts)
{
    DtCallPlaces *places = g_new0(DtCallPlaces, 1);
    places->run = run;
    places->texts = texts;
    places->numbers = g_hash_table_new(g_str_hash, g_str_equal);
    places->lines = dt_source_lines_new();
    places->of_ids = g_hash_table_new(NULL, NULL);
    return places;
}

void dt_call_places_free(DtCallPlaces *places)
{
    if (!places)
        return;
    g_hash_table_unref(places->numbers);
    g_hash_table_unref(places->of_ids);
    dt_source_lines_free(places->lines);
    g_free(places);
}

/* Of the lines of a place the innermost in the file of the function that the code is of: what it has inlined from
 * headers says little. */
static const DtSourceFrame *own_frame(const GArray *frames)
{
    const DtSourceFrame *own = frames->len > 0 ? &g_array_index(frames, DtSourceFrame, frames->len - 1) : NULL;
    for (guint i = 0; own && i < frames->len; i++)
        if (g_str_equal(g_array_index(frames, DtSourceFrame, i).file, own->file))
            return &g_array_index(frames, DtSourceFrame, i);
    return NULL;
}

/* Without parameters. */
static char *function_name(const char *symbol)
{
    char *name = dt_canonical_name(symbol, 0);
    char *end = strrchr(name, ')');
    guint open = 0;
    for (char *at = end; at && at > name; at--) {
        open += *at == ')';
        if (*at == '(' && --open == 0) {
            *at = '\0';
            break;
        }
    }
    return name;
}

static char *frame_text(const DtSourceFrame *frame)
{
    const char *slash = strrchr(frame->file, '/');
    g_autofree char *file = dt_text_spell(slash ? slash + 1 : frame->file);
    g_autofree char *function = function_name(frame->function);
    return *function ? g_strdup_printf("%s:%u in %s", file, frame->line, function)
                     : g_strdup_printf("%s:%u", file, frame->line);
}

static guint32 number_of(DtCallPlaces *places, char *text)
{
    guint32 known = GPOINTER_TO_UINT(g_hash_table_lookup(places->numbers, text));
    if (known) {
        g_free(text);
        return known;
    }
    known = places->texts->len;
    g_ptr_array_add(places->texts, text);
    g_hash_table_insert(places->numbers, text, GUINT_TO_POINTER(known));
    return known;
}

guint32 dt_call_places_find(DtCallPlaces *places, const DtProcess *process, guint32 id)
{
    if (places->process != process)
        g_hash_table_remove_all(places->of_ids);
    places->process = process;
    guint32 known = GPOINTER_TO_UINT(g_hash_table_lookup(places->of_ids, GUINT_TO_POINTER(id)));
    if (known)
        return known - 1;
    const DtCallSite *site = dt_run_call_site(places->run, process, id);
    const GArray *frames = site ? dt_source_lines_at(places->lines, places->run, process, &site->place) : NULL;
    const DtSourceFrame *frame = frames ? own_frame(frames) : NULL;
    known = frame ? number_of(places, frame_text(frame)) : 0;
    g_hash_table_insert(places->of_ids, GUINT_TO_POINTER(id), GUINT_TO_POINTER(known + 1));
    return known;
}
