/* What a process's event ids mean: its tables, the run's symbol files and the functions of the analysis. */
#include <string.h>

#include "store/arguments/datatypes.h"
#include "store/problems.h"
#include "store/run_private.h"
#include "store/symbols/names.h"
#include "text/text.h"

enum {
    /* Ids are dense, but for those given out when the process died. */
    MOST_MISSING_IDS = 4096,
    MOST_SYMBOL_BYTES = 1 << 30 /* millions of names of a kB */
};

/* Keys are file names: those that could lead elsewhere are not used. */
static gboolean key_is_plain(const char *key)
{
    return *key && *key != '.' && !strchr(key, '/');
}

static DtSymbols *load_symbols(DtRun *run, const char *name, const char *key)
{
    g_autofree char *path = g_build_filename(run->folder, name, NULL);
    g_autofree char *problem = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *bytes = NULL;
    gsize size = 0;
    if (key_is_plain(key))
        bytes = dt_file_contents(path, MOST_SYMBOL_BYTES, &size, &error);
    DtSymbols *symbols = dt_symbols_parse((const guint8 *)bytes, size, &problem);
    if (!key_is_plain(key))
        dt_problem(run->problems, "images", "an image has the impossible key \"%s\": its functions have no names", key);
    else if (error && g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        dt_problem(run->problems, name, "missing: the functions of that image have no names");
    else if (error || problem)
        dt_problem(run->problems, name, "%s: the functions of that image have no names",
                   error ? error->message : problem);
    return symbols;
}

/* The part of a gathered run that the process is of has its symbols, too, and a user's folder; but the child of a fork
 * that became another user has those of its parent. */
static char *find_symbol_file(const DtRun *run, const DtProcessEntry *entry, const char *key)
{
    const char *file = entry->file->name, *processes = g_strrstr(file, "processes/");
    g_autofree char *folder = g_strndup(file, processes ? (gsize)(processes - file) : 0);
    char *user = g_strrstr(folder, "users/"), *name = g_strdup_printf("%simages/%s.sym", folder, key);
    g_autofree char *path = g_build_filename(run->folder, name, NULL);
    if (!user || g_file_test(path, G_FILE_TEST_EXISTS))
        return name;
    *user = '\0';
    g_free(name);
    return g_strdup_printf("%simages/%s.sym", folder, key);
}

static DtSymbols *find_symbols(DtRun *run, const DtProcessEntry *entry, const char *key)
{
    g_autofree char *name = find_symbol_file(run, entry, key);
    DtSymbols *symbols = g_hash_table_lookup(run->symbols, name);
    if (!symbols) {
        symbols = load_symbols(run, name, key);
        g_hash_table_insert(run->symbols, g_steal_pointer(&name), symbols);
    }
    return symbols;
}

static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return dt_text_spell(slash ? slash + 1 : path);
}

static guint32 intern(DtRun *run, const DtProcessEntry *entry, const struct dt_image *image,
                      const struct dt_function *function, guint flags)
{
    DtSymbols *symbols = find_symbols(run, entry, image->key);
    g_autofree char *base = base_name(image->path);
    gboolean main_image = (image->flags & DT_IMAGE_MAIN) != 0;
    if (function->symbol >= symbols->count) {
        g_autofree char *name = g_strdup_printf("[%s#%u]", base, function->symbol);
        return dt_functions_intern(run->functions, base, main_image, name, 0, flags);
    }
    guint32 *known = &symbols->function_ids[flags & DT_FUNCTION_IMPORT ? 1 : 0][function->symbol];
    if (*known == 0)
        *known = dt_functions_intern(run->functions, base, main_image, symbols->names[function->symbol],
                                     symbols->ordinals[function->symbol], flags);
    return *known;
}

/* ---- call signatures --------------------------------------------------------- */

static const DtCommunicator *communicator_by_number(const DtProcessFile *file, gint64 number)
{
    return number >= 0 && number < file->communicators->len ? file->communicators->pdata[number] : NULL;
}

/* A parent has a smaller number than what was made from it, and its name by then. */
static char *name_communicator(const DtProcessFile *file, guint number)
{
    const DtOrigin *origin = &g_array_index(file->origins, DtOrigin, number);
    const DtCommunicator *parent = origin->parent < number ? communicator_by_number(file, origin->parent) : NULL;
    if (number == DT_COMMUNICATOR_WORLD)
        return g_strdup("world");
    if (number == DT_COMMUNICATOR_SELF)
        return g_strdup("self");
    if (!parent || origin->creation == 0)
        return g_strdup_printf("#%u", number);
    return g_strdup_printf("%s/%u", parent->name, origin->creation);
}

static void name_communicators(DtProcessFile *file)
{
    for (guint number = 0; number < file->communicators->len; number++) {
        DtCommunicator *communicator = file->communicators->pdata[number];
        if (communicator)
            communicator->name = name_communicator(file, number);
    }
}

static void list_communicators(DtProcessEntry *entry)
{
    entry->communicators = g_ptr_array_new();
    for (guint i = 0; i < entry->file->communicators->len; i++)
        if (entry->file->communicators->pdata[i])
            g_ptr_array_add(entry->communicators, entry->file->communicators->pdata[i]);
}

static void list_arrays(DtRun *run, DtProcessEntry *entry)
{
    const GPtrArray *arrays = entry->file->arrays;
    entry->arrays = g_ptr_array_sized_new(arrays->len);
    for (guint i = 0; i < arrays->len; i++) {
        const DtArray *array = arrays->pdata[i];
        const DtNumbers *numbers = !array ? NULL
                                   : dt_array_is_datatype(array->values, array->count)
                                       ? dt_datatype_intern(run->functions, array->values, array->count, entry->arrays)
                                       : dt_functions_intern_numbers(run->functions, array->values, array->count);
        g_ptr_array_add(entry->arrays, (gpointer)numbers);
    }
    g_ptr_array_set_size(entry->file->arrays, 0);
}

/* Signatures that differ in their predefined datatypes alone are one to DtFunctions, which has those of the first. */
static void keep_exact(DtProcessEntry *entry, guint32 id, const DtSignature *read, const DtSignature *known)
{
    gboolean differs = FALSE;
    for (guint i = 0; i < read->argument_count; i++)
        differs |= read->arguments[i].datatype != known->arguments[i].datatype;
    if (!differs)
        return;
    if (!entry->exact)
        entry->exact = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    DtSignature *exact = g_memdup2(read, sizeof *read);
    exact->communicator = known->communicator;
    g_hash_table_replace(entry->exact, GUINT_TO_POINTER(id), exact);
}

static guint32 intern_signature(DtRun *run, DtProcessEntry *entry, const struct dt_function *function, guint32 base)
{
    DtSignature signature = {.function = base};
    g_autofree char *unknown = NULL;
    signature.argument_count = MIN(function->arguments, (guint32)DT_FUNCTION_ARGUMENTS);
    for (guint i = 0; i < signature.argument_count; i++) {
        DtArgument *argument = &signature.arguments[i];
        *argument = dt_argument_read(function->args[i], entry->arrays);
        if (argument->kind != DT_ARGUMENT_COMMUNICATOR || argument->special != DT_SPECIAL_NONE)
            continue;
        const DtCommunicator *communicator = communicator_by_number(entry->file, argument->value);
        unknown = communicator ? NULL : g_strdup_printf("#%" G_GINT64_FORMAT, argument->value);
        signature.communicator = communicator ? communicator->name : unknown;
        argument->value = 0;
    }
    guint32 interned = dt_functions_intern_signature(run->functions, &signature);
    keep_exact(entry, function->id, &signature, dt_functions_get(run->functions, interned)->signature);
    return interned;
}

/* ---- tables ------------------------------------------------------------------ */

static GHashTable *index_images(const DtProcessFile *file)
{
    GHashTable *images = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < file->images->len; i++) {
        struct dt_image *image = &g_array_index(file->images, struct dt_image, i);
        g_hash_table_insert(images, GUINT_TO_POINTER(image->index), image);
    }
    return images;
}

/* Ids are dense, so what the header counts and no record names was lost. */
static void make_function_table(DtProcessEntry *entry)
{
    const GArray *functions = entry->file->functions;
    guint64 limit = 2 * (guint64)functions->len + MOST_MISSING_IDS;
    guint32 largest = entry->file->header.functions <= limit ? entry->file->header.functions : 0;
    for (guint i = 0; i < functions->len; i++) {
        guint32 id = g_array_index(functions, struct dt_function, i).id;
        if (id <= limit)
            largest = MAX(largest, id);
    }
    entry->function_count = largest + 1;
    entry->functions = g_new0(guint32, entry->function_count);
}

/* Calls of functions whose record is lost are still calls. */
static void name_lost_functions(DtRun *run, DtProcessEntry *entry)
{
    g_autofree char *image = base_name(entry->file->header.executable);
    guint lost = 0;
    for (guint32 id = 1; id < entry->function_count; id++) {
        if (entry->functions[id] != 0)
            continue;
        g_autofree char *name = g_strdup_printf("function#%u", id);
        entry->functions[id] = dt_functions_intern(run->functions, image, TRUE, name, 0, 0);
        lost++;
    }
    guint64 hole = entry->file->first_hole;
    g_autofree char *where =
        hole ? g_strdup_printf(" (nothing is written at offset %" G_GUINT64_FORMAT ")", hole) : NULL;
    if (lost > 0)
        dt_problem(run->problems, entry->file->name,
                   "the names of %u functions are lost%s: they are shown as function#ID", lost, where ? where : "");
}

static void resolve_ids(DtRun *run, DtProcessEntry *entry)
{
    g_autoptr(GHashTable) images = index_images(entry->file);
    guint impossible = 0, symbolless = 0;
    make_function_table(entry);
    for (guint i = 0; i < entry->file->functions->len; i++) {
        struct dt_function *function = &g_array_index(entry->file->functions, struct dt_function, i);
        const struct dt_image *image = g_hash_table_lookup(images, GUINT_TO_POINTER(function->image + 1));
        gboolean possible = function->id < entry->function_count && entry->functions[function->id] == 0;
        impossible += possible ? 0 : 1;
        if (!possible || !image) {
            function->arguments = 0;
            continue;
        }
        const DtSymbols *symbols = find_symbols(run, entry, image->key);
        symbolless += symbols->count > 0 && function->symbol >= symbols->count ? 1 : 0;
        entry->functions[function->id] =
            intern(run, entry, image, function, function->flags & (DT_FUNCTION_IMPORT | DT_FUNCTION_API));
    }
    name_lost_functions(run, entry);
    if (impossible > 0)
        dt_problem(run->problems, entry->file->name, "%u functions have impossible ids and are left out", impossible);
    if (symbolless > 0)
        dt_problem(run->problems, entry->file->name, "%u functions are not in their image's symbol file", symbolless);
}

typedef struct {
    DtImage image;
    const DtSymbols *symbols; /* of the run */
} ImageEntry;

static void free_image(gpointer data)
{
    DtImage *image = data;
    g_free((char *)image->path);
    g_free((char *)image->file);
    g_free(image);
}

static void list_images(DtRun *run, DtProcessEntry *entry)
{
    entry->images = g_ptr_array_new_with_free_func(free_image);
    for (guint i = 0; i < entry->file->images->len; i++) {
        const struct dt_image *record = &g_array_index(entry->file->images, struct dt_image, i);
        const DtSymbols *symbols = find_symbols(run, entry, record->key);
        ImageEntry *listed = g_new0(ImageEntry, 1);
        DtImage *image = &listed->image;
        listed->symbols = symbols;
        image->path = dt_text_spell(record->path);
        image->file = g_strdup(record->path);
        image->main_image = (record->flags & DT_IMAGE_MAIN) != 0;
        image->api_only = (record->flags & DT_IMAGE_API_ONLY) != 0;
        image->hooked = record->hooked;
        image->skipped = record->skipped;
        memcpy(image->reasons, symbols->reasons, sizeof(image->reasons));
        g_ptr_array_add(entry->images, image);
    }
}

static void free_skipped(gpointer data)
{
    g_free(((DtSkippedFunction *)data)->name);
    g_free(data);
}

GPtrArray *dt_run_skipped_functions(const DtRun *run, const DtImage *image)
{
    (void)run;
    const DtSymbols *symbols = ((const ImageEntry *)image)->symbols;
    GPtrArray *functions = g_ptr_array_new_with_free_func(free_skipped);
    for (guint i = 0; i < symbols->skipped->len; i++) {
        const DtSkippedSymbol *skipped = &g_array_index(symbols->skipped, DtSkippedSymbol, i);
        DtSkippedFunction function = {dt_canonical_name(symbols->names[skipped->symbol], 0), skipped->reason};
        g_ptr_array_add(functions, g_memdup2(&function, sizeof function));
    }
    return functions;
}

static void know_symbols(DtRun *run, DtProcessEntry *entry)
{
    for (guint i = 0; i < entry->file->images->len; i++) {
        const struct dt_image *record = &g_array_index(entry->file->images, struct dt_image, i);
        DtCodeImage *image = g_hash_table_lookup(entry->code_images, GUINT_TO_POINTER(record->index));
        image->symbols = find_symbols(run, entry, record->key);
    }
}

void dt_resolve_functions(DtRun *run, DtProcessEntry *entry)
{
    list_images(run, entry);
    name_communicators(entry->file);
    list_communicators(entry);
    list_arrays(run, entry);
    resolve_ids(run, entry);
    dt_resolve_places(entry);
    know_symbols(run, entry);
    g_array_set_size(entry->file->images, 0); /* what they say is known now */
    g_array_set_size(entry->file->site_images, 0);
}

void dt_resolve_signatures(DtRun *run, DtProcessEntry *entry)
{
    GArray *records = entry->file->functions;
    entry->signatures = entry->functions;
    for (guint i = 0; i < records->len; i++) {
        const struct dt_function *function = &g_array_index(records, struct dt_function, i);
        if (function->arguments == 0)
            continue;
        if (entry->signatures == entry->functions)
            entry->signatures = g_memdup2(entry->functions, entry->function_count * sizeof(guint32));
        entry->signatures[function->id] = intern_signature(run, entry, function, entry->functions[function->id]);
    }
    g_array_set_size(records, 0);
    dt_resolve_call_sites(entry);
}
