#include "attach/images.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/call_origin.h"
#include "store/symbols/names.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

struct DtImages {
    DtFunctions *functions;
    gboolean has_depths;
    GHashTable *files; /* device, inode, time and size -> DtAttachedImage */
    GStringChunk *texts;
};

/* ---- files ---------------------------------------------------------------------------------------- */

static void free_place(gpointer data)
{
    DtCodePlace *place = data;
    g_array_unref(place->frames);
    dt_call_origin_free(place->origin);
    g_free(place);
}

static void free_image(gpointer data)
{
    DtAttachedImage *image = data;
    g_hash_table_unref(image->places);
    dt_image_lines_free(image->lines);
    elf_end(image->elf);
    close(image->descriptor);
    g_free(image->name);
    g_free(image->file);
    g_free(image);
}

DtImages *dt_images_new(DtFunctions *functions, gboolean depths)
{
    DtImages *images = g_new0(DtImages, 1);
    elf_version(EV_CURRENT);
    images->functions = functions;
    images->has_depths = depths;
    images->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_image);
    images->texts = g_string_chunk_new(4096);
    return images;
}

void dt_images_free(DtImages *images)
{
    if (!images)
        return;
    g_hash_table_unref(images->files);
    g_string_chunk_free(images->texts);
    g_free(images);
}

DtFunctions *dt_images_functions(const DtImages *images)
{
    return images->functions;
}

/* ---- whose an image is ------------------------------------------------------------------------------ */

static gboolean begins_with_one_of(const char *text, const char *const *starts)
{
    for (guint i = 0; starts[i]; i++)
        if (g_str_has_prefix(text, starts[i]))
            return TRUE;
    return FALSE;
}

/* Of the system, or wherever it may be installed one that MPI, a compiler or the C library brings. */
static gboolean is_of_libraries(const char *path, const char *name)
{
    static const char *const folders[] = {"/lib/",   "/lib64/",     "/usr/lib/", "/usr/lib64/",
                                          "/lib32/", "/usr/lib32/", NULL};
    static const char *const names[] = {"libmpi",  "libpmpi",   "libopen-",     "libpmix",     "libprrte",  "mca_",
                                        "libmca_", "libompi",   "liboshmem",    "libucp",      "libucs",    "libuct",
                                        "libucm",  "libfabric", "libpsm",       "libhwloc",    "libevent",  "libgomp",
                                        "libomp",  "libiomp",   "libgfortran",  "libquadmath", "libstdc++", "libgcc_s",
                                        "libc.so", "libc-2",    "libm.so",      "libpthread",  "ld-linux",  "ld-2",
                                        "librt",   "libdl",     "libdifftrace", "[",           NULL};
    return begins_with_one_of(path, folders) || begins_with_one_of(name, names);
}

/* ---- opening ------------------------------------------------------------------------------------------ */

#define DELETED " (deleted)"

/* What a mapping of a process has as its file, though no path leads there any more; needs privileges. */
static char *mapped_file(pid_t pid, GElf_Addr start)
{
    g_autofree char *folder = g_strdup_printf("/proc/%d/map_files", (int)pid);
    g_autofree char *begin = g_strdup_printf("%" G_GINT64_MODIFIER "x-", (guint64)start);
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    for (const char *name; files && (name = g_dir_read_name(files));)
        if (g_str_has_prefix(name, begin))
            return g_build_filename(folder, name, NULL);
    return NULL;
}

static gboolean is_same_file(const char *one, const char *other)
{
    struct stat first, second;
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* By which name the file of a module can be opened: a process may see other files than we, and run what was deleted. */
static char *file_of(pid_t pid, const char *path, gboolean is_main, GElf_Addr start)
{
    g_autofree char *link = g_strdup_printf("/proc/%d/root", (int)pid), *root = g_file_read_link(link, NULL);
    g_autofree char *file = root && strcmp(root, "/") != 0 ? g_strconcat(link, path, NULL) : g_strdup(path);
    g_autofree char *program = g_strdup_printf("/proc/%d/exe", (int)pid);
    if (is_main)
        return is_same_file(file, program) ? g_steal_pointer(&file) : g_steal_pointer(&program);
    return g_str_has_suffix(path, DELETED) ? mapped_file(pid, start) : g_steal_pointer(&file);
}

/* One that names a process is gone when the process is. */
static char *lasting_name(const char *file, int descriptor)
{
    return g_str_has_prefix(file, "/proc/") ? g_strdup_printf("/proc/self/fd/%d", descriptor) : g_strdup(file);
}

static DtAttachedImage *image_new(const char *file, int descriptor, const char *path, gboolean is_main)
{
    Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    if (!elf || elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        return NULL;
    }
    DtAttachedImage *image = g_new0(DtAttachedImage, 1);
    g_autofree char *bare =
        g_str_has_suffix(path, DELETED) ? g_strndup(path, strlen(path) - strlen(DELETED)) : g_strdup(path);
    *image = (DtAttachedImage){.name = g_path_get_basename(bare),
                               .elf = elf,
                               .is_main = is_main,
                               .file = lasting_name(file, descriptor),
                               .descriptor = descriptor,
                               .places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_place)};
    image->is_library = !is_main && is_of_libraries(path, image->name);
    return image;
}

static DtAttachedImage *open_image(DtImages *images, const char *file, const char *path, gboolean is_main)
{
    struct stat status;
    int descriptor = file ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(descriptor);
        return NULL;
    }
    g_autofree char *key =
        g_strdup_printf("%ju:%ju:%ju:%jd.%09ld", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino,
                        (uintmax_t)status.st_size, (intmax_t)status.st_mtim.tv_sec, (long)status.st_mtim.tv_nsec);
    DtAttachedImage *image = g_hash_table_lookup(images->files, key);
    if (!image)
        image = image_new(file, descriptor, path, is_main);
    else
        close(descriptor);
    if (!image)
        close(descriptor);
    else if (!g_hash_table_contains(images->files, key))
        g_hash_table_insert(images->files, g_steal_pointer(&key), image);
    return image;
}

/* ---- modules of a process -------------------------------------------------------------------------------- */

typedef struct {
    DtImages *images;
    pid_t pid;
    char *program;
} Naming;

static int name_module(Dwfl_Module *module, void **image, const char *path, Dwarf_Addr start, void *data)
{
    const Naming *naming = data;
    gboolean is_main = naming->program && strcmp(path, naming->program) == 0;
    (void)module;
    if (path[0] != '/')
        return DWARF_CB_OK;
    g_autofree char *file = file_of(naming->pid, path, is_main, start);
    *image = open_image(naming->images, file, path, is_main);
    return DWARF_CB_OK;
}

void dt_images_name(DtImages *images, Dwfl *dwfl, pid_t pid, gboolean *changed)
{
    g_autofree char *link = g_strdup_printf("/proc/%d/exe", (int)pid);
    g_autofree char *program = g_file_read_link(link, NULL);
    Naming naming = {images, pid, program};
    *changed = program && g_str_has_suffix(program, DELETED);
    (void)dwfl_getmodules(dwfl, name_module, &naming, 0);
}

/* The same Elf for all processes: each reference is counted. What has no file (the vdso) is read from the process. */
static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
    const DtAttachedImage *image = *data;
    if (!image)
        return name[0] == '/' ? -1 : dwfl_linux_proc_find_elf(module, data, name, base, file, elf);
    *elf = elf_begin(-1, ELF_C_READ_MMAP, image->elf);
    *file = NULL;
    return -1;
}

/* Frames are found by .eh_frame, or .debug_frame of the file itself. */
static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                             const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

const Dwfl_Callbacks *dt_images_callbacks(void)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = find_elf, .find_debuginfo = find_no_debuginfo};
    return &callbacks;
}

/* ---- names and lines --------------------------------------------------------------------------------------- */

DtImageLines *dt_images_lines(DtAttachedImage *image)
{
    if (!image->lines && !image->has_no_lines) {
        image->lines = dt_image_lines_open_any(image->file);
        image->has_no_lines = !image->lines;
    }
    return image->lines;
}

const char *dt_images_symbol_at(DtAttachedImage *image, guint64 address)
{
    GElf_Sym symbol;
    DtImageLines *lines = dt_images_lines(image);
    const char *name = lines ? dt_image_lines_symbol(lines, address, &symbol) : NULL;
    return name && symbol.st_value == address ? name : NULL;
}

static gboolean is_call(const char *symbol)
{
    g_autofree char *name = dt_canonical_name(symbol, 0);
    return dt_call_class(name) != DT_CALL_UNKNOWN && dt_call_find(name);
}

/* The C library and Open MPI's Fortran layer have names of their own for functions that programs call by others. */
static char *name_of_call(const char *symbol)
{
    if (is_call(symbol))
        return g_strdup(symbol);
    const char *bare = g_str_has_prefix(symbol, "__GI_") ? symbol + strlen("__GI_") : symbol;
    bare += strspn(bare, "_");
    if (bare != symbol && is_call(bare))
        return g_strdup(bare);
    if (!g_str_has_prefix(symbol, "ompi_") || !g_str_has_suffix(symbol, "_f"))
        return NULL;
    g_autofree char *of_mpi = g_strdup_printf("mpi_%.*s_", (int)strlen(symbol) - 7, symbol + 5);
    return is_call(of_mpi) ? g_steal_pointer(&of_mpi) : NULL;
}

/* What the compiler put elsewhere is still of the function, and so is one of its versions. */
static char *without_suffix(const char *symbol)
{
    const char *end = strstr(symbol, ".cold");
    end = end ? end : strchr(symbol, '@');
    return end && end > symbol ? g_strndup(symbol, (gsize)(end - symbol)) : g_strdup(symbol);
}

static guint32 intern(DtImages *images, const DtAttachedImage *image, const char *name, gboolean is_api)
{
    return dt_functions_intern(images->functions, image->name, image->is_main, name, 0, is_api ? DT_FUNCTION_API : 0);
}

/* "heat.c:120" */
static const char *place_text(DtImages *images, const DtSourceFrame *frame)
{
    g_autofree char *base = g_path_get_basename(frame->file), *spelled = dt_text_spell(base);
    g_autofree char *text = g_strdup_printf("%s:%u", spelled, frame->line);
    return frame->line > 0 ? g_string_chunk_insert_const(images->texts, text) : NULL;
}

/* Of the code itself, which is not inlined: as the linker calls it, so that it is the same function as in a run. */
static guint32 function_of_code(DtImages *images, DtAttachedImage *image, guint64 address, const DtSourceFrame *source,
                                gboolean *is_api)
{
    GElf_Sym symbol;
    DtImageLines *lines = dt_images_lines(image);
    const char *name = lines ? dt_image_lines_symbol(lines, address, &symbol) : NULL;
    if (!name)
        name = source && *source->function ? source->function : NULL;
    g_autofree char *bare = name ? without_suffix(name) : NULL;
    g_autofree char *of_call = bare ? name_of_call(bare) : NULL;
    g_autofree char *own = of_call ? g_steal_pointer(&of_call)
                           : name  ? g_steal_pointer(&bare)
                                   : g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", image->name, address);
    *is_api = name && is_call(own);
    return intern(images, image, own, *is_api);
}

static void add_frames(DtImages *images, DtAttachedImage *image, guint64 address, DtCodePlace *place)
{
    g_autoptr(GArray) source = g_array_new(FALSE, FALSE, sizeof(DtSourceFrame));
    if (dt_images_lines(image) && (images->has_depths || !image->is_library))
        dt_image_lines_at(image->lines, address, source);
    guint inlined = source->len > 0 ? source->len - 1 : 0;
    for (guint i = 0; i <= inlined; i++) {
        const DtSourceFrame *line = source->len > 0 ? &g_array_index(source, DtSourceFrame, i) : NULL;
        DtCodeFrame frame = {.place = line ? place_text(images, line) : NULL};
        frame.function = line && i < inlined ? intern(images, image, line->function, FALSE)
                                             : function_of_code(images, image, address, line, &place->is_api);
        g_array_append_val(place->frames, frame);
    }
}

DtCodePlace *dt_images_known_place(const DtAttachedImage *image, guint64 address)
{
    return g_hash_table_lookup(image->places, &address);
}

DtCodePlace *dt_images_place(DtImages *images, DtAttachedImage *image, guint64 address)
{
    DtCodePlace *place = dt_images_known_place(image, address);
    if (place)
        return place;
    place = g_new0(DtCodePlace, 1);
    place->frames = g_array_new(FALSE, FALSE, sizeof(DtCodeFrame));
    add_frames(images, image, address, place);
    g_hash_table_insert(image->places, g_memdup2(&address, sizeof(address)), place);
    return place;
}
