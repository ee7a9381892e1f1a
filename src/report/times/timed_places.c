#include "report/times/timed_places.h"

#include "report/common.h"
#include "store/symbols/source_lines.h"

struct DtTimedPlaces {
    const DtMessages *messages;
    DtSourceLines *lines;
    GHashTable *places; /* key -> Place */
};

typedef struct {
    DtTimedPlace place;
    char *line, *sentence;
} Place;

static void free_place(gpointer data)
{
    Place *place = data;
    g_free(place->line);
    g_free(place->sentence);
    g_free(place);
}

DtTimedPlaces *dt_timed_places_new(const DtMessages *messages)
{
    DtTimedPlaces *places = g_new0(DtTimedPlaces, 1);
    places->messages = messages;
    places->lines = dt_source_lines_new();
    places->places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_place);
    return places;
}

void dt_timed_places_free(DtTimedPlaces *places)
{
    if (!places)
        return;
    dt_source_lines_free(places->lines);
    g_hash_table_unref(places->places);
    g_free(places);
}

static Place *look_up(DtTimedPlaces *places, guint index)
{
    const DtTimedCall *call = dt_messages_call(places->messages, index);
    const DtRun *run = places->messages->run;
    const DtFunctions *functions = dt_run_functions(run);
    guint rank = dt_messages_rank(places->messages, index);
    Place *place = g_new0(Place, 1);
    if (call->site)
        place->line = dt_source_lines_text(
            places->lines, run, g_array_index(places->messages->ranks, DtTimedRank, rank).process, &call->site->place);
    place->place.name = dt_function_name(functions, call->function);
    place->place.caller = call->caller != 0 ? dt_function_shown(functions, call->caller) : NULL;
    place->place.line = place->line;
    place->sentence = g_strconcat(place->place.name, place->place.caller ? " in " : "",
                                  place->place.caller ? place->place.caller : "", place->line ? " (" : "",
                                  place->line ? place->line : "", place->line ? ")" : "", NULL);
    place->place.sentence = place->sentence;
    return place;
}

const DtTimedPlace *dt_timed_place(DtTimedPlaces *places, guint index)
{
    const DtTimedCall *call = dt_messages_call(places->messages, index);
    g_autofree char *key =
        g_strdup_printf("%u %u %s %" G_GINT64_MODIFIER "x", call->function, call->caller,
                        call->site ? call->site->place.key : "", call->site ? call->site->place.address : 0);
    Place *place = g_hash_table_lookup(places->places, key);
    if (!place) {
        place = look_up(places, index);
        g_hash_table_insert(places->places, g_steal_pointer(&key), place);
    }
    return &place->place;
}
