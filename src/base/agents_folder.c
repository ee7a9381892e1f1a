#include "base/agents_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/text.h"

static const char FOLDER[] = "agents", KEY[] = "key", COLLECTORS[] = "collectors", OF_HOST[] = ".agent";
static const char LAST[] = ".gathers-last", LISTEN[] = "listen";
enum {
    OURS_ALONE = 0600,
    FOLDER_MODE = 0700,
    KEY_DIGITS = 2 * DT_AGENTS_KEY_BYTES,
    LIST_BLOCK = 4096,  /* bytes: reading begins at one, into memory that does */
    LIST_READ = 1 << 16 /* at a time; lines are shorter */
};

G_DEFINE_QUARK(dt_agents_error, dt_agents_error)

static char *path_of(const char *run, const char *name)
{
    return g_build_filename(run, FOLDER, name, NULL);
}

/* ---- the key ------------------------------------------------------------------------------------- */

static gboolean fill(guint8 *bytes, gsize count)
{
    gsize filled = 0;
    while (filled < count) {
        const gssize got = getrandom(bytes + filled, count - filled, 0);
        if (got < 0 && errno != EINTR)
            return FALSE;
        filled += (gsize)MAX(got, 0);
    }
    return TRUE;
}

static char *hex_of(const guint8 *bytes, gsize count)
{
    GString *text = g_string_new(NULL);
    for (gsize i = 0; i < count; i++)
        g_string_append_printf(text, "%02x", bytes[i]);
    return g_string_free(text, FALSE);
}

static gboolean write_file(const char *path, const char *text)
{
    const gint file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, OURS_ALONE);
    if (file < 0)
        return FALSE;
    const gsize bytes = strlen(text);
    gboolean written = fchmod(file, OURS_ALONE) == 0 && write(file, text, bytes) == (gssize)bytes;
    return close(file) == 0 && written;
}

static gboolean make_error(const char *folder, GError **error)
{
    dt_set_error(error, DT_AGENTS_ERROR, DT_AGENTS_ERROR_IO, "cannot make '%s': %s", folder, g_strerror(errno));
    return FALSE;
}

/* What is in the folder at first. */
static gboolean fill_folder(const char *folder)
{
    g_autofree char *key = g_build_filename(folder, KEY, NULL), *list = g_build_filename(folder, COLLECTORS, NULL);
    guint8 bytes[DT_AGENTS_KEY_BYTES];
    g_autofree char *digits = fill(bytes, sizeof(bytes)) ? hex_of(bytes, sizeof(bytes)) : NULL;
    g_autofree char *line = g_strconcat(digits ? digits : "", "\n", NULL);
    return digits && write_file(list, "") && write_file(key, line);
}

gboolean dt_agents_folder_make(const char *run, GError **error)
{
    g_autofree char *folder = path_of(run, NULL);
    return (mkdir(folder, FOLDER_MODE) == 0 && fill_folder(folder)) || make_error(folder, error);
}

char *dt_agents_folder_make_apart(const char *run, const char *within, GError **error)
{
    g_autofree char *absolute = g_canonicalize_filename(within, NULL), *way = path_of(run, NULL);
    char *folder = g_build_filename(absolute, "difftrace-agents-XXXXXX", NULL);
    if (g_mkdtemp_full(folder, FOLDER_MODE) && fill_folder(folder) && symlink(folder, way) == 0)
        return folder;
    make_error(folder, error);
    g_free(folder);
    return NULL;
}

/* It has no folders in it. */
void dt_agents_folder_remove_apart(const char *run, const char *folder)
{
    g_autofree char *way = path_of(run, NULL);
    g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
    const char *name;
    while (directory && (name = g_dir_read_name(directory))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    (void)unlink(way);
}

gboolean dt_agents_folder_is_apart(const char *run)
{
    g_autofree char *way = path_of(run, NULL);
    return g_file_test(way, G_FILE_TEST_IS_SYMLINK);
}

gboolean dt_agents_folder_is_there(const char *run)
{
    g_autofree char *key = path_of(run, KEY);
    return g_file_test(key, G_FILE_TEST_EXISTS);
}

static gboolean key_error(const char *path, const char *why, GError **error)
{
    dt_set_error(error, DT_AGENTS_ERROR, DT_AGENTS_ERROR_KEY, "%s: %s", path, why);
    return FALSE;
}

static gboolean parse_key(const char *digits, guint8 key[DT_AGENTS_KEY_BYTES])
{
    for (gsize i = 0; i < DT_AGENTS_KEY_BYTES; i++) {
        const gint high = g_ascii_xdigit_value(digits[2 * i]), low = g_ascii_xdigit_value(digits[2 * i + 1]);
        if (high < 0 || low < 0)
            return FALSE;
        key[i] = (guint8)(high * 16 + low);
    }
    return TRUE;
}

gboolean dt_agents_folder_key(const char *run, guint8 key[DT_AGENTS_KEY_BYTES], GError **error)
{
    g_autofree char *path = path_of(run, KEY);
    struct stat status;
    char digits[KEY_DIGITS];
    const gint file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0 && errno == ENOENT) {
        dt_set_error(error, DT_AGENTS_ERROR, DT_AGENTS_ERROR_NOT_THERE,
                     "%s: no such file: the run was not recorded for agents; give collect --agents", path);
        return FALSE;
    }
    if (file < 0)
        return key_error(path, g_strerror(errno), error);
    const gboolean is_read = fstat(file, &status) == 0 && read(file, digits, sizeof(digits)) == sizeof(digits);
    close(file);
    if (!is_read || !S_ISREG(status.st_mode) || !parse_key(digits, key))
        return key_error(path, "not a key", error);
    if (status.st_uid != geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return key_error(path, "others could read this key: it has to be ours, with mode 0600", error);
    return TRUE;
}

/* ---- where to listen ------------------------------------------------------------------------------ */

gboolean dt_agents_folder_set_listen(const char *run, const char *address, GError **error)
{
    g_autofree char *path = path_of(run, LISTEN);
    return write_file(path, address) || make_error(path, error);
}

char *dt_agents_folder_listen(const char *run)
{
    g_autofree char *path = path_of(run, LISTEN);
    char *address = NULL;
    (void)g_file_get_contents(path, &address, NULL, NULL);
    return address;
}

/* ---- agents -------------------------------------------------------------------------------------- */

GPtrArray *dt_agents_folder_hosts(const char *run)
{
    GPtrArray *hosts = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *folder = path_of(run, NULL);
    g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
    const char *name;
    while (directory && (name = g_dir_read_name(directory)))
        if (g_str_has_suffix(name, OF_HOST))
            g_ptr_array_add(hosts, g_strndup(name, strlen(name) - strlen(OF_HOST)));
    g_ptr_array_sort(hosts, (GCompareFunc)(void (*)(void))g_strcmp0);
    return hosts;
}

static char *path_of_host(const char *run)
{
    g_autofree char *name = g_strconcat(g_get_host_name(), OF_HOST, NULL);
    return path_of(run, name);
}

gint dt_agents_folder_enter(const char *run, GError **error)
{
    g_autofree char *path = path_of_host(run);
    const gint file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, OURS_ALONE);
    if (file < 0)
        dt_set_error(error, DT_AGENTS_ERROR, DT_AGENTS_ERROR_IO, "%s: %s", path, g_strerror(errno));
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return file; /* a file system without locks has as many agents as are started */
    close(file);
    dt_set_error(error, DT_AGENTS_ERROR, DT_AGENTS_ERROR_IO, "%s: this node has an agent already", path);
    return -1;
}

void dt_agents_folder_leave(const char *run, gint descriptor)
{
    g_autofree char *path = path_of_host(run);
    (void)unlink(path);
    close(descriptor);
}

/* ---- files that are gathered --------------------------------------------------------------------------- */

static char *path_of_gathered(const char *run, const char *host)
{
    g_autofree char *name = g_strdup_printf("%s.gathers.%s", g_get_host_name(), host);
    return path_of(run, name);
}

gint dt_agents_folder_gather(const char *run, const char *host, gboolean *takes_over)
{
    g_autofree char *path = path_of_gathered(run, host);
    struct stat status;
    const gint file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, OURS_ALONE);
    if (file < 0)
        return -1;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &status) == 0) {
        *takes_over = status.st_size > 0;
        return file;
    }
    close(file);
    return -1;
}

void dt_agents_folder_note_gathered(gint descriptor)
{
    (void)!pwrite(descriptor, "\n", 1, 0);
}

gboolean dt_agents_folder_is_gathered(const char *run, const char *host)
{
    g_autofree char *path = path_of_gathered(run, host);
    struct stat status;
    return stat(path, &status) == 0 && status.st_size > 0;
}

static char *path_of_last(const char *run)
{
    g_autofree char *name = g_strconcat(g_get_host_name(), LAST, NULL);
    return path_of(run, name);
}

void dt_agents_folder_ask_for_files(const char *run)
{
    g_autofree char *path = path_of_last(run);
    (void)write_file(path, "");
}

gboolean dt_agents_folder_files_are_asked_for(const char *run)
{
    g_autofree char *path = path_of_last(run);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* ---- collectors ------------------------------------------------------------------------------------ */

void dt_collector_place_free(DtCollectorPlace *place)
{
    if (!place)
        return;
    g_free(place->id);
    g_strfreev(place->addresses);
    g_free(place);
}

gboolean dt_agents_folder_announce(const char *run, const DtCollectorPlace *place, GError **error)
{
    g_autofree char *path = path_of(run, COLLECTORS), *addresses = g_strjoinv(" ", place->addresses);
    g_autofree char *line = g_strdup_printf("%s %u %s\n", place->id, place->port, addresses);
    const gint file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const gboolean is_written = file >= 0 && write(file, line, strlen(line)) == (gssize)strlen(line);
    const gint problem = errno;
    if (file >= 0)
        close(file);
    if (!is_written)
        dt_set_error(error, DT_AGENTS_ERROR, DT_AGENTS_ERROR_IO, "%s: cannot be written: %s", path,
                     g_strerror(problem));
    return is_written;
}

gboolean dt_is_address(const char *text)
{
    return text[0] && text[strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-")] == '\0';
}

DtCollectorPlace *dt_collector_place_parse(const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    guint64 port;
    if (g_strv_length(words) < 3 || !words[0][0] ||
        !g_ascii_string_to_unsigned(words[1], 10, 1, G_MAXUINT16, &port, NULL))
        return NULL;
    for (guint i = 2; words[i]; i++)
        if (!dt_is_address(words[i]))
            return NULL;
    DtCollectorPlace *place = g_new0(DtCollectorPlace, 1);
    place->id = g_strdup(words[0]);
    place->port = (guint16)port;
    place->addresses = g_strdupv(words + 2);
    return place;
}

/* Past the kernel's memory of the file, where there is such a way: what another host has added is to be seen at once.
 * Opened anew each time, which is when NFS asks its server. */
static gint open_list(const char *path)
{
    const gint flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const gint file = open(path, flags | O_DIRECT);
    return file >= 0 ? file : open(path, flags);
}

/* From a whole block on, as such reading has to. The bytes that there are; -1. */
static gssize read_list(const char *path, void *block, guint64 from)
{
    const gint file = open_list(path);
    const gssize got = file >= 0 ? pread(file, block, LIST_READ, (off_t)from) : -1;
    if (file >= 0)
        close(file);
    return got;
}

static void add_places(GPtrArray *places, const char *text, gsize bytes)
{
    g_autofree char *lines = g_strndup(text, bytes);
    g_auto(GStrv) each = g_strsplit(lines, "\n", -1);
    for (guint i = 0; each[i]; i++) {
        DtCollectorPlace *place = dt_collector_place_parse(each[i]);
        if (place)
            g_ptr_array_add(places, place);
    }
}

GPtrArray *dt_agents_folder_places(const char *run, guint64 *position)
{
    GPtrArray *places = g_ptr_array_new_with_free_func((GDestroyNotify)dt_collector_place_free);
    g_autofree char *path = path_of(run, COLLECTORS);
    const guint64 from = *position / LIST_BLOCK * LIST_BLOCK;
    const gsize known = (gsize)(*position - from);
    void *block = aligned_alloc(LIST_BLOCK, LIST_READ);
    const gssize got = block ? read_list(path, block, from) : -1;
    const char *text = block;
    /* A line without its end is being written. */
    const char *end = got > (gssize)known ? g_strrstr_len(text + known, got - (gssize)known, "\n") : NULL;
    if (end) {
        add_places(places, text + known, (gsize)(end - text) - known);
        *position = from + (guint64)(end - text) + 1;
    }
    free(block);
    return places;
}
