#include "store/symbols/image_lines.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/file.h"
#include "store/symbols/image_calls.h"
#include "store/symbols/source_lines.h"

struct DtImageLines {
    Dwfl *dwfl;
    Dwfl_Module *module;
    GHashTable *addresses; /* of functions by name -> guint64, in g_new()ed memory; NULL: not read yet */
    GArray *units;         /* where the code of each unit is (element-type Range), by address; NULL: not read yet */
};

/* Code of a unit of the debug information, without what the module's addresses have more. */
typedef struct {
    Dwarf_Addr start, end;
    Dwarf_Off unit;
} Range;

/* ---- which file it is -------------------------------------------------------------------------- */

#define OF_A_FILE "file-"

/* What a key begins with that tells the file; behind it is for what the image was read. 0: it tells nothing. */
static gsize identity_bytes(const char *key)
{
    enum { LEAST_DIGITS = 16 };
    gsize before = g_str_has_prefix(key, OF_A_FILE) ? sizeof(OF_A_FILE) - 1 : 0;
    gsize digits = strspn(key + before, "0123456789abcdef");
    return digits >= LEAST_DIGITS && key[before + digits] == '-' ? before + digits : 0;
}

gboolean dt_image_key_identifies(const char *key)
{
    return identity_bytes(key) > 0;
}

static guint64 hash(guint64 start, const void *data, gsize bytes)
{
    for (gsize i = 0; i < bytes; i++)
        start = (start ^ ((const guint8 *)data)[i]) * 1099511628211u;
    return start;
}

static char *key_of_file(const char *path, int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return NULL;
    guint64 value = hash(14695981039346656037u, path, strlen(path));
    value = hash(value, &status.st_size, sizeof(status.st_size));
    value = hash(value, &status.st_mtime, sizeof(status.st_mtime));
    value = hash(value, &status.st_ino, sizeof(status.st_ino));
    return g_strdup_printf(OF_A_FILE "%016" G_GINT64_MODIFIER "x", value);
}

static char *key_of_build(Dwfl_Module *module)
{
    const unsigned char *id = NULL;
    GElf_Addr address;
    int bytes = dwfl_module_build_id(module, &id, &address);
    GString *text = g_string_new(NULL);
    for (int i = 0; i < bytes; i++)
        g_string_append_printf(text, "%02x", id[i]);
    return g_string_free(text, text->len == 0);
}

/* `of_file`: its path, size and time of change. */
static gboolean is_the_one(const DtImageLines *image, const char *of_file, const char *key)
{
    g_autofree char *of_build = g_str_has_prefix(key, OF_A_FILE) ? NULL : key_of_build(image->module);
    const char *there = of_build ? of_build : of_file;
    return there && strlen(there) == identity_bytes(key) && strncmp(there, key, strlen(there)) == 0;
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* Whether a file of that name could be opened without waiting, or is not there. */
static gboolean is_harmless(const char *folder, const char *below, const char *name)
{
    g_autofree char *path = g_build_filename(folder, below, name, NULL);
    return !g_file_test(path, G_FILE_TEST_EXISTS) || g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* Whether the file may lie beside the image, or at the same place or the end of it below the folder of such files. */
static gboolean may_be_found_by_name(const char *image, const char *link)
{
    g_autofree char *folder = g_path_get_dirname(image), *base = g_path_get_basename(image);
    g_autofree char *name = link ? g_strdup(link) : g_strconcat(base, ".debug", NULL);
    g_autofree char *beside = g_build_filename(folder, name, NULL);
    g_autofree char *below = g_build_filename(folder, ".debug", name, NULL);
    gboolean may = g_file_test(beside, G_FILE_TEST_EXISTS) || g_file_test(below, G_FILE_TEST_EXISTS);
    for (const char *end = folder; !may && end; end = strchr(end + 1, '/')) {
        g_autofree char *path = g_build_filename("/usr/lib/debug", end, name, NULL);
        may = g_file_test(path, G_FILE_TEST_EXISTS);
    }
    return may;
}

/* The image names the file with its debug information, which is looked for beside it, too. libdw asks a server after
 * that: where there is none, loading what would ask takes longer than all the rest. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                          const char *link, GElf_Word crc, char **found)
{
    g_autofree char *folder = file ? g_path_get_dirname(file) : NULL;
    if (link && folder && !(is_harmless(folder, "", link) && is_harmless(folder, ".debug", link)))
        return -1;
    int by_build = dwfl_build_id_find_debuginfo(module, data, name, base, file, link, crc, found);
    if (by_build >= 0 || (file && !g_getenv("DEBUGINFOD_URLS") && !may_be_found_by_name(file, link)))
        return by_build;
    return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

/* `key` NULL: whichever it is. */
static DtImageLines *open_image(const char *path, const char *key)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
    gint descriptor = dt_file_descriptor(path, O_RDONLY, NULL);
    if (descriptor < 0)
        return NULL;
    g_autofree char *of_file = key_of_file(path, descriptor);
    g_autoptr(DtImageLines) image = g_new0(DtImageLines, 1);
    image->dwfl = dwfl_begin(&callbacks);
    if (image->dwfl) {
        dwfl_report_begin(image->dwfl);
        image->module = dwfl_report_offline(image->dwfl, "", path, descriptor);
        dwfl_report_end(image->dwfl, NULL, NULL);
    }
    if (!image->module)
        close(descriptor); /* else it is the module's */
    gboolean good = image->module && (!key || is_the_one(image, of_file, key));
    return good ? g_steal_pointer(&image) : NULL;
}

DtImageLines *dt_image_lines_open(const char *path, const char *key)
{
    return open_image(path, key);
}

DtImageLines *dt_image_lines_open_any(const char *path)
{
    return open_image(path, NULL);
}

void dt_image_lines_free(DtImageLines *image)
{
    if (!image)
        return;
    g_clear_pointer(&image->addresses, g_hash_table_unref);
    g_clear_pointer(&image->units, g_array_unref);
    g_clear_pointer(&image->dwfl, dwfl_end);
    g_free(image);
}

/* ---- functions by name --------------------------------------------------------------------------- */

/* What the module's addresses have more than the file's. */
static GElf_Addr bias_of(const DtImageLines *image)
{
    GElf_Addr bias = 0;
    (void)dwfl_module_getelf(image->module, &bias);
    return bias;
}

static void read_symbols(DtImageLines *image)
{
    int count = dwfl_module_getsymtab(image->module);
    GElf_Addr bias = bias_of(image);
    image->addresses = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(image->module, i, &symbol, &address, NULL, NULL, NULL);
        if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || g_hash_table_contains(image->addresses, name))
            continue;
        guint64 in_file = address - bias;
        g_hash_table_insert(image->addresses, g_strdup(name), g_memdup2(&in_file, sizeof(in_file)));
    }
}

gboolean dt_image_lines_function(DtImageLines *image, const char *name, guint64 *address)
{
    if (!image->addresses)
        read_symbols(image);
    const guint64 *found = g_hash_table_lookup(image->addresses, name);
    *address = found ? *found : 0;
    return found != NULL;
}

const char *dt_image_lines_symbol(DtImageLines *image, guint64 address, GElf_Sym *symbol)
{
    GElf_Off offset = 0;
    GElf_Addr bias = bias_of(image);
    const char *name = dwfl_module_addrinfo(image->module, address + bias, &offset, symbol, NULL, NULL, NULL);
    symbol->st_value = address - offset;
    return name;
}

Dwfl_Module *dt_image_lines_module(const DtImageLines *image, guint64 *bias)
{
    *bias = bias_of(image);
    return image->module;
}

void dt_image_lines_calls(DtImageLines *image, const char *caller, const char *callee, GArray *addresses)
{
    dt_image_calls_find(image->module, caller, callee, addresses);
}

/* ---- lines --------------------------------------------------------------------------------------- */

static gboolean holds_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* The parts of the program that hold the address, outermost first: (element-type Dwarf_Die). */
static gboolean find_scopes(Dwarf_Die *parent, Dwarf_Addr address, GArray *scopes)
{
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return FALSE;
    do {
        gboolean inside = dwarf_haspc(&die, address) > 0;
        if (!inside && !holds_functions(dwarf_tag(&die)))
            continue;
        if (inside)
            g_array_append_val(scopes, die);
        if (find_scopes(&die, address, scopes) || inside)
            return TRUE;
    } while (dwarf_siblingof(&die, &die) == 0);
    return FALSE;
}

/* As the linker calls it, where the debug information says so. */
static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    if (!name && dwarf_attr_integrate(die, DW_AT_name, &attribute))
        name = dwarf_formstring(&attribute);
    return name ? name : "";
}

static guint number_of(Dwarf_Die *die, unsigned attribute_name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (!dwarf_attr(die, attribute_name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
        return 0;
    return value <= G_MAXUINT ? (guint)value : 0;
}

/* Where the function was called that is inlined there. */
static DtSourceFrame call_of(Dwarf_Die *unit, Dwarf_Die *inlined)
{
    Dwarf_Files *files;
    size_t count;
    const char *file = NULL;
    if (dwarf_getsrcfiles(unit, &files, &count) == 0)
        file = dwarf_filesrc(files, number_of(inlined, DW_AT_call_file), NULL, NULL);
    return (DtSourceFrame){.function = "", .file = file ? file : "", .line = number_of(inlined, DW_AT_call_line)};
}

/* `frames` has the line already; the scopes say whose it is, and where that was called. */
static void add_inlined(Dwarf_Die *unit, GArray *scopes, GArray *frames)
{
    guint innermost = frames->len - 1;
    for (guint i = scopes->len; i-- > 0;) {
        Dwarf_Die *die = &g_array_index(scopes, Dwarf_Die, i);
        int tag = dwarf_tag(die);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram && tag != DW_TAG_entry_point)
            continue;
        g_array_index(frames, DtSourceFrame, innermost).function = name_of(die);
        if (tag != DW_TAG_inlined_subroutine)
            return;
        DtSourceFrame call = call_of(unit, die);
        if (*call.file == '\0')
            return;
        g_array_append_val(frames, call);
        innermost = frames->len - 1;
    }
}

/* ---- units and their lines ------------------------------------------------------------------------ */

static gint compare_ranges(gconstpointer a, gconstpointer b)
{
    const Range *first = a, *second = b;
    return first->start < second->start ? -1 : first->start > second->start;
}

static void add_ranges(GArray *ranges, Dwarf_Die *unit)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
        Range range = {start, end, dwarf_dieoffset(unit)};
        g_array_append_val(ranges, range);
    }
}

/* Where the code of units is, as these say: not all compilers write a table of it (.debug_aranges; clang does not). */
static GArray *read_units(Dwarf *information)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(Range));
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dwarf_nextcu(information, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(information, offset + header, &unit))
            add_ranges(ranges, &unit);
        offset = next;
    }
    g_array_sort(ranges, compare_ranges);
    return ranges;
}

static const Range *range_at(const GArray *ranges, Dwarf_Addr address)
{
    guint low = 0, high = ranges->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(ranges, Range, middle).start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const Range *range = low > 0 ? &g_array_index(ranges, Range, low - 1) : NULL;
    return range && address < range->end ? range : NULL;
}

Dwarf_Die *dt_image_lines_unit(DtImageLines *image, guint64 address, Dwarf_Die *room, guint64 *bias)
{
    Dwarf_Addr of_information = 0;
    GElf_Addr at = address + bias_of(image);
    Dwarf_Die *unit = dwfl_module_addrdie(image->module, at, &of_information);
    if (!unit) {
        Dwarf *information = dwfl_module_getdwarf(image->module, &of_information);
        if (information && !image->units)
            image->units = read_units(information);
        const Range *range = information ? range_at(image->units, at - of_information) : NULL;
        unit = range ? dwarf_offdie(information, range->unit, room) : NULL;
    }
    *bias = of_information - bias_of(image);
    return unit;
}

/* The row of the line table that holds an address. Of several for one address the one that begins a statement, as
 * debuggers do. */
static Dwarf_Line *line_at(Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Lines *lines;
    size_t count, low = 0;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return NULL;
    for (size_t high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        Dwarf_Addr of_row = 0;
        (void)dwarf_lineaddr(dwarf_onesrcline(lines, middle), &of_row);
        if (of_row <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool ends = false, begins = false;
    Dwarf_Line *found = low > 0 ? dwarf_onesrcline(lines, low - 1) : NULL;
    if (!found || dwarf_lineendsequence(found, &ends) != 0 || ends)
        return NULL;
    Dwarf_Addr of_found = 0, of_row = 0;
    (void)dwarf_lineaddr(found, &of_found);
    for (size_t i = low - 1; i + 1 > 0; i--) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i);
        int number = 0;
        if (dwarf_lineaddr(row, &of_row) != 0 || of_row != of_found || dwarf_lineno(row, &number) != 0 || number == 0)
            break;
        if (dwarf_linebeginstatement(row, &begins) == 0 && begins)
            return row;
    }
    return found;
}

void dt_image_lines_at(DtImageLines *image, guint64 address, GArray *frames)
{
    guint64 bias;
    Dwarf_Die room;
    int number = 0;
    Dwarf_Die *unit = dt_image_lines_unit(image, address, &room, &bias);
    Dwarf_Line *line = unit ? line_at(unit, address - bias) : NULL;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!file || *file == '\0')
        return;
    (void)dwarf_lineno(line, &number);
    DtSourceFrame first = {.function = "", .file = file, .line = number > 0 ? (guint)number : 0};
    g_array_append_val(frames, first);
    g_autoptr(GArray) scopes = g_array_new(FALSE, FALSE, sizeof(Dwarf_Die));
    if (find_scopes(unit, address - bias, scopes))
        add_inlined(unit, scopes, frames);
}
