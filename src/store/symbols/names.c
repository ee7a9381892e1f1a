/* Readable names of functions: MPI's spelling, C++ demangling. */
#include "store/symbols/names.h"

#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "format/trace_file.h"
#include "store/symbols/mangled_size.h"
#include "text/text.h"

enum {
    LONGEST_MANGLED = 4096,
    MOST_DEMANGLING = 1 << 22, /* some ms; of 200,000 names of C++ libraries one needs more than a tenth of it */
    LONGEST_DEMANGLED = 1 << 15,
    LONGEST_SHOWN = 1024, /* of what is not demangled */
    SHOWN_OF_LONGER = 960
};

/* From the C++ runtime library (cxxabi.h, which C cannot include). */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

static gboolean cut_suffix(char *text, const char *suffix)
{
    gsize length = strlen(text), suffix_length = strlen(suffix);
    if (length <= suffix_length || !g_str_has_suffix(text, suffix))
        return FALSE;
    text[length - suffix_length] = 0;
    return TRUE;
}

/* "comm_rank" or "COMM_RANK" -> "MPI_Comm_rank", as the standard spells it; NULL: MPI has no such function. */
static char *known_mpi(const char *rest)
{
    const struct dt_call *call = dt_call_find_mpi(rest);
    return call ? g_strconcat("MPI_", call->name, dt_call_is_large(call, rest) ? "_c" : NULL, NULL) : NULL;
}

/* "comm_rank" -> "MPI_Comm_rank": right for every function that Fortran can call. */
static char *spell_mpi(const char *rest)
{
    g_autofree char *lower = g_ascii_strdown(rest, -1);
    return g_strdup_printf("MPI_%c%s", g_ascii_toupper(lower[0]), lower + 1);
}

/* MPI_Send for MPI_Send, PMPI_Send, mpi_send_, MPI_SEND, mpi_send_f08_...; else NULL. */
static char *canonical_mpi(const char *symbol, guint flags)
{
    const char *start = symbol[0] == 'P' || symbol[0] == 'p' ? symbol + 1 : symbol;
    if (g_ascii_strncasecmp(start, "mpi_", 4) != 0 || !g_ascii_isalpha(start[4]))
        return NULL;
    g_autofree char *rest = g_strdup(start + 4);
    char *name = known_mpi(rest);
    if (!name) {
        while (cut_suffix(rest, "_")) {
        }
        if (!cut_suffix(rest, "_f08ts") && !cut_suffix(rest, "_f08"))
            cut_suffix(rest, "_f");
        name = known_mpi(rest);
    }
    if (name || !(flags & DT_FUNCTION_API))
        return name;
    gboolean from_c = g_str_has_prefix(start, "MPI_") && g_ascii_islower(start[5]);
    return from_c ? g_strdup(start) : spell_mpi(rest);
}

/* Whether the demangler, which nothing stops, would soon be done. */
static gboolean can_be_demangled(const char *mangled)
{
    return strlen(mangled) <= LONGEST_MANGLED && dt_mangled_size(mangled) <= MOST_DEMANGLING;
}

/* What follows the first dot (".part.0", "._omp_fn.1") was added by the compiler. */
static char *demangle(const char *symbol)
{
    const char *dot = strchr(symbol, '.');
    if (!g_str_has_prefix(symbol, "_Z") || (dot && strlen(dot) > LONGEST_SHOWN))
        return NULL;
    g_autofree char *mangled = dot ? g_strndup(symbol, (gsize)(dot - symbol)) : g_strdup(symbol);
    int status = 0;
    char *plain = can_be_demangled(mangled) ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;
    gboolean good = plain && status == 0 && strlen(plain) <= LONGEST_DEMANGLED;
    char *name = good ? g_strconcat(plain, dot, NULL) : NULL;
    free(plain);
    return name;
}

/* Names that differ stay different. */
static char *shorten(const char *symbol)
{
    if (strlen(symbol) <= LONGEST_SHOWN)
        return g_strdup(symbol);
    return g_strdup_printf("%.*s...#%08x", SHOWN_OF_LONGER, symbol, g_str_hash(symbol));
}

char *dt_canonical_name(const char *symbol, guint flags)
{
    g_autofree char *name = canonical_mpi(symbol, flags);
    if (!name)
        name = demangle(symbol);
    if (!name)
        name = shorten(symbol);
    g_autofree char *spelled = dt_text_spell(name);
    return g_strconcat(spelled, flags & DT_FUNCTION_IMPORT ? "@plt" : NULL, NULL);
}
