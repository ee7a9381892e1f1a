/*
 * Symbol files: lines "ADDRESS TYPE NAME" by ascending address, behind "# path name: PATH". Maps: those of
 * /proc/PID/maps, one line per image. Addresses of symbols count from the start of the image's line.
 */
#include <string.h>

#include "import/uftrace.h"
#include "store/file.h"

enum { MOST_TEXT_BYTES = 1 << 28 };

typedef struct {
    char *path;
    GArray *symbols; /* DtUftraceSymbol */
} Image;

struct DtUftraceImages {
    GHashTable *by_path, *by_name; /* -> Image; the latter by the symbol file's name without .sym */
    GStringChunk *names;
};

typedef struct {
    guint64 start, end;
    char *path;
    const Image *image; /* NULL: no symbols */
} Mapping;

struct DtUftraceSpace {
    GArray *mappings; /* Mapping, by address */
};

char *dt_uftrace_file_read(const char *path, gsize *bytes, GError **error)
{
    char *text = dt_file_contents(path, MOST_TEXT_BYTES, bytes, error);
    if (!text)
        g_prefix_error(error, "%s: ", path);
    return text;
}

/* ---- symbol files ------------------------------------------------------------------------ */

static void free_image(gpointer data)
{
    Image *image = data;
    g_array_unref(image->symbols);
    g_free(image->path);
    g_free(image);
}

/* Data has types of its own; a name "?" marks an end. */
static void add_symbol(DtUftraceImages *images, Image *image, const char *line)
{
    char *rest = NULL;
    DtUftraceSymbol symbol = {g_ascii_strtoull(line, &rest, 16), NULL};
    if (rest == line || *rest != ' ' || rest[1] == 0 || rest[2] != ' ')
        return;
    const char *name = rest + 3;
    if (strchr("TtWwiu", rest[1]) || (rest[1] == 'P' && dt_is_api_name(name))) {
        symbol.name = g_string_chunk_insert(images->names, name);
    } else if (rest[1] == 'P') {
        g_autofree char *import = g_strconcat(name, "@plt", NULL);
        symbol.name = g_string_chunk_insert(images->names, import);
    }
    g_array_append_val(image->symbols, symbol);
}

static gint compare_symbols(gconstpointer one, gconstpointer two)
{
    guint64 first = ((const DtUftraceSymbol *)one)->start, second = ((const DtUftraceSymbol *)two)->start;
    return (first > second) - (first < second);
}

static void read_symbols(DtUftraceImages *images, const char *folder, const char *file)
{
    static const char path_header[] = "# path name: ";
    g_autofree char *path = g_build_filename(folder, file, NULL), *text = dt_uftrace_file_read(path, NULL, NULL);
    if (!text)
        return;
    Image *image = g_new0(Image, 1);
    image->symbols = g_array_new(FALSE, FALSE, sizeof(DtUftraceSymbol));
    for (char *line = text, *next; line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        if (g_str_has_prefix(line, path_header) && !image->path)
            image->path = g_strdup(line + strlen(path_header));
        else if (*line != '#')
            add_symbol(images, image, line);
    }
    g_array_sort(image->symbols, compare_symbols);
    g_hash_table_insert(images->by_name, g_strndup(file, strlen(file) - strlen(".sym")), image);
    if (image->path)
        g_hash_table_insert(images->by_path, image->path, image);
}

DtUftraceImages *dt_uftrace_images_read(const char *folder)
{
    DtUftraceImages *images = g_new0(DtUftraceImages, 1);
    g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
    const char *file;
    images->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_image);
    images->by_path = g_hash_table_new(g_str_hash, g_str_equal);
    images->names = g_string_chunk_new(1 << 16);
    while (directory && (file = g_dir_read_name(directory)))
        if (g_str_has_suffix(file, ".sym"))
            read_symbols(images, folder, file);
    return images;
}

void dt_uftrace_images_free(DtUftraceImages *images)
{
    if (!images)
        return;
    g_hash_table_unref(images->by_path);
    g_hash_table_unref(images->by_name);
    g_string_chunk_free(images->names);
    g_free(images);
}

/* Older versions do not say whose symbols a file has, but by its name. */
static const Image *find_image(const DtUftraceImages *images, const char *path)
{
    const Image *image = g_hash_table_lookup(images->by_path, path);
    g_autofree char *name = g_path_get_basename(path);
    if (!image)
        image = g_hash_table_lookup(images->by_name, name);
    return image && (!image->path || g_str_equal(image->path, path)) ? image : NULL;
}

/* ---- maps ---------------------------------------------------------------------------------- */

static void clear_mapping(gpointer data)
{
    g_free(((Mapping *)data)->path);
}

static gint compare_mappings(gconstpointer one, gconstpointer two)
{
    guint64 first = ((const Mapping *)one)->start, second = ((const Mapping *)two)->start;
    return (first > second) - (first < second);
}

/* START-END rwxp OFFSET DEVICE INODE PATH [build-id:ID]; the path may hold blanks. An image's first line counts. */
static void add_line(DtUftraceSpace *space, const DtUftraceImages *images, GRegex *pattern, const char *line)
{
    g_autoptr(GMatchInfo) match = NULL;
    if (!g_regex_match(pattern, line, 0, &match))
        return;
    g_autofree char *start = g_match_info_fetch(match, 1), *end = g_match_info_fetch(match, 2);
    Mapping mapping = {g_ascii_strtoull(start, NULL, 16), g_ascii_strtoull(end, NULL, 16), NULL, NULL};
    g_autofree char *path = g_match_info_fetch(match, 3);
    for (guint i = 0; i < space->mappings->len; i++) {
        Mapping *other = &g_array_index(space->mappings, Mapping, i);
        if (g_str_equal(other->path, path)) {
            other->end = MAX(other->end, mapping.end);
            return;
        }
    }
    mapping.image = find_image(images, path);
    mapping.path = g_steal_pointer(&path);
    g_array_append_val(space->mappings, mapping);
}

DtUftraceSpace *dt_uftrace_space_read(const DtUftraceImages *images, const char *folder, const char *id, GError **error)
{
    g_autofree char *file = g_strdup_printf("sid-%s.map", id), *path = g_build_filename(folder, file, NULL);
    g_autofree char *text = dt_uftrace_file_read(path, NULL, error);
    if (!text)
        return NULL;
    g_autoptr(GRegex) pattern = g_regex_new(
        "^([0-9a-f]{1,16})-([0-9a-f]{1,16}) \\S+ \\S+ \\S+ \\S+ +(/.*?)( build-id:\\S*)?$", G_REGEX_RAW, 0, NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    DtUftraceSpace *space = g_new0(DtUftraceSpace, 1);
    space->mappings = g_array_new(FALSE, FALSE, sizeof(Mapping));
    g_array_set_clear_func(space->mappings, clear_mapping);
    for (guint i = 0; lines[i]; i++)
        add_line(space, images, pattern, lines[i]);
    g_array_sort(space->mappings, compare_mappings);
    return space;
}

void dt_uftrace_space_free(DtUftraceSpace *space)
{
    if (!space)
        return;
    g_array_unref(space->mappings);
    g_free(space);
}

void dt_uftrace_space_add(DtUftraceSpace *space, const DtUftraceImages *images, guint64 base, const char *path)
{
    const Image *image = find_image(images, path);
    if (!image || image->symbols->len == 0)
        return;
    const DtUftraceSymbol *last = &g_array_index(image->symbols, DtUftraceSymbol, image->symbols->len - 1);
    Mapping mapping = {base, base + last->start + 1, g_strdup(path), image};
    g_array_append_val(space->mappings, mapping);
    g_array_sort(space->mappings, compare_mappings);
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* The last of `array`, by ascending numbers at the start of its elements, that is not above `value`; NULL: none. */
static gconstpointer last_not_above(const GArray *array, guint64 value)
{
    guint size = g_array_get_element_size((GArray *)array), low = 0, high = array->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (*(const guint64 *)(gconstpointer)(array->data + (gsize)middle * size) <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? array->data + (gsize)(low - 1) * size : NULL;
}

DtUftracePlace dt_uftrace_space_find(const DtUftraceSpace *space, guint64 address)
{
    DtUftracePlace place = {NULL, address, NULL};
    const Mapping *mapping = space ? last_not_above(space->mappings, address) : NULL;
    if (!mapping || address >= mapping->end)
        return place;
    place.image = mapping->path;
    place.offset = address - mapping->start;
    place.symbol = mapping->image ? last_not_above(mapping->image->symbols, place.offset) : NULL;
    if (place.symbol && !place.symbol->name)
        place.symbol = NULL;
    return place;
}
