#include "store/symbols/source_lines.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "store/file.h"

#include "text/text.h"

/* An image, its functions by their linker names. */
typedef struct {
    Dwfl *dwfl;
    Dwfl_Module *module;
    GHashTable *addresses; /* name -> GElf_Addr, in g_new()ed memory */
} Image;

struct DtSourceLines {
    GHashTable *images; /* path -> Image */
};

static void image_free(gpointer data)
{
    Image *image = data;
    g_hash_table_unref(image->addresses);
    g_clear_pointer(&image->dwfl, dwfl_end);
    g_free(image);
}

DtSourceLines *dt_source_lines_new(void)
{
    DtSourceLines *lines = g_new0(DtSourceLines, 1);
    lines->images = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, image_free);
    return lines;
}

void dt_source_lines_free(DtSourceLines *lines)
{
    if (!lines)
        return;
    g_hash_table_unref(lines->images);
    g_free(lines);
}

static void read_symbols(Image *image)
{
    int count = dwfl_module_getsymtab(image->module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(image->module, i, &symbol, &address, NULL, NULL, NULL);
        if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || g_hash_table_contains(image->addresses, name))
            continue;
        g_hash_table_insert(image->addresses, g_strdup(name), g_memdup2(&address, sizeof address));
    }
}

/* Whether a file of that name could be opened without waiting, or is not there. */
static gboolean is_harmless(const char *folder, const char *below, const char *name)
{
    g_autofree char *path = g_build_filename(folder, below, name, NULL);
    return !g_file_test(path, G_FILE_TEST_EXISTS) || g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* The image names the file with its debug information, which is looked for beside it, too. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                          const char *link, GElf_Word crc, char **found)
{
    g_autofree char *folder = file ? g_path_get_dirname(file) : NULL;
    if (link && folder && !(is_harmless(folder, "", link) && is_harmless(folder, ".debug", link)))
        return -1;
    return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

static Image *image_new(const char *path)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
    Image *image = g_new0(Image, 1);
    image->addresses = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    image->dwfl = dwfl_begin(&callbacks);
    if (!image->dwfl)
        return image;
    dwfl_report_begin(image->dwfl);
    gint descriptor = dt_file_descriptor(path, O_RDONLY, NULL);
    image->module = descriptor >= 0 ? dwfl_report_offline(image->dwfl, "", path, descriptor) : NULL;
    if (!image->module && descriptor >= 0)
        close(descriptor); /* else it is the module's */
    dwfl_report_end(image->dwfl, NULL, NULL);
    if (image->module)
        read_symbols(image);
    return image;
}

static const Image *find_image(DtSourceLines *lines, const char *path)
{
    Image *image = g_hash_table_lookup(lines->images, path);
    if (!image) {
        image = image_new(path);
        g_hash_table_insert(lines->images, g_strdup(path), image);
    }
    return image;
}

/* The main image goes by that name whatever its file is called. */
static const char *path_of(const DtRun *run, const DtProcess *process, const DtFunction *function)
{
    const GPtrArray *images = dt_run_images(run, process);
    const char *main_path = NULL;
    for (guint i = 0; i < images->len; i++) {
        const DtImage *image = g_ptr_array_index(images, i);
        const char *slash = strrchr(image->path, '/');
        if (strcmp(slash ? slash + 1 : image->path, function->image) == 0)
            return image->file;
        main_path = image->main_image ? image->file : main_path;
    }
    return main_path;
}

char *dt_source_lines_find(DtSourceLines *lines, const DtRun *run, const DtProcess *process, guint32 function)
{
    const DtFunctions *functions = dt_run_functions(run);
    const DtFunction *found = dt_functions_get(functions, dt_functions_base(functions, function));
    const char *path = path_of(run, process, found);
    const Image *image = path ? find_image(lines, path) : NULL;
    const GElf_Addr *address = image ? g_hash_table_lookup(image->addresses, found->symbol) : NULL;
    Dwfl_Line *line = address ? dwfl_module_getsrc(image->module, *address) : NULL;
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!file)
        return NULL;
    const char *slash = strrchr(file, '/');
    g_autofree char *name = dt_text_spell(slash ? slash + 1 : file);
    return g_strdup_printf("%s:%d", name, number);
}
