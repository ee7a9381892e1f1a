#include "verdict/observed/request_places.h"

#include "format/arguments.h"

static const DtArgument *live_argument(const DtSignature *signature)
{
    for (guint i = 0; signature && i < signature->argument_count; i++) {
        if (signature->arguments[i].kind == DT_ARGUMENT_LIVE)
            return &signature->arguments[i];
    }
    return NULL;
}

static gboolean completes_by_luck(const char *name)
{
    static const char *const names[] = {"MPI_Waitany", "MPI_Waitsome", "MPI_Test",
                                        "MPI_Testany", "MPI_Testall",  "MPI_Testsome"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        if (g_str_equal(name, names[i]))
            return TRUE;
    }
    return FALSE;
}

DtRequestPlaces *dt_request_places(const DtFunctions *functions)
{
    guint32 count = dt_functions_count(functions);
    DtRequestPlaces *places = g_new0(DtRequestPlaces, (gsize)count + 1);
    for (guint32 id = 1; id <= count; id++) {
        const guint32 base = dt_functions_base(functions, id);
        const char *name = dt_functions_get(functions, base)->name;
        const DtArgument *live = live_argument(dt_functions_get(functions, id)->signature);
        const gboolean all = live && live->special == DT_SPECIAL_ALL;
        const gboolean none = live && live->special == DT_SPECIAL_NO_HANDLE;
        places[id].placeless = live && !all && !none ? base : id;
        if (completes_by_luck(name))
            places[id].after = DT_PLACES_ARE_LUCK;
        else if (all && g_str_equal(name, "MPI_Waitall"))
            places[id].after = DT_PLACES_ARE_NEW;
    }
    return places;
}
