/* Executables: found on PATH, and classified by their ELF headers. */
#include "collect/executable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "collect/collect.h"
#include "store/file.h"
#include "text/text.h"

enum { MAX_INTERPRETERS = 4, MAX_PROGRAM_HEADERS = 512 };

static gboolean is_regular_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static gboolean is_runnable(const char *path)
{
    return is_regular_file(path) && access(path, X_OK) == 0;
}

static char *find_on_path(const char *command, gboolean *seen)
{
    const char *search = g_getenv("PATH");
    g_auto(GStrv) folders = g_strsplit(search ? search : "/bin:/usr/bin", ":", -1);
    for (guint i = 0; folders[i]; i++) {
        g_autofree char *path = g_build_filename(folders[i][0] != '\0' ? folders[i] : ".", command, NULL);
        if (is_runnable(path))
            return g_steal_pointer(&path);
        *seen = *seen || is_regular_file(path);
    }
    return NULL;
}

static gboolean is_number(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789.")] == '\0';
}

char *dt_executable_find(const char *command, GError **error)
{
    gboolean seen = FALSE;
    if (!strchr(command, '/')) {
        char *path = command[0] != '\0' ? find_on_path(command, &seen) : NULL;
        if (path)
            return path;
        const char *why = seen ? "found on PATH, but not executable"
                          : is_number(command)
                              ? "no such command on PATH; if it is an option's value, write --until-stuck=10"
                              : "no such command on PATH";
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_COMMAND, "cannot run '%s': %s", command, why);
        return NULL;
    }
    if (is_runnable(command))
        return g_strdup(command);
    const char *why = "no such file";
    if (g_file_test(command, G_FILE_TEST_IS_DIR))
        why = "is a directory";
    else if (g_file_test(command, G_FILE_TEST_EXISTS))
        why = is_regular_file(command) ? "not executable (chmod +x)" : "not a program";
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_COMMAND, "cannot run '%s': %s", command, why);
    return NULL;
}

static gboolean read_at(int fd, void *to, gsize bytes, guint64 offset)
{
    return pread(fd, to, bytes, (off_t)offset) == (gssize)bytes;
}

/* The dynamic loader run as a command has no interpreter but honours LD_PRELOAD; unlike a static-pie it has a soname.
 */
static gboolean has_soname(int fd, const Elf64_Phdr *dynamic)
{
    Elf64_Dyn entry;
    for (guint64 at = 0; at + sizeof entry <= dynamic->p_filesz; at += sizeof entry) {
        if (!read_at(fd, &entry, sizeof entry, dynamic->p_offset + at) || entry.d_tag == DT_NULL)
            return FALSE;
        if (entry.d_tag == DT_SONAME)
            return TRUE;
    }
    return FALSE;
}

static DtExecutableKind elf_kind(int fd)
{
    Elf64_Ehdr header;
    if (!read_at(fd, &header, sizeof header, 0) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != EM_X86_64)
        return DT_EXECUTABLE_FOREIGN;
    guint count = MIN(header.e_phnum, MAX_PROGRAM_HEADERS);
    for (guint i = 0; i < count; i++) {
        Elf64_Phdr segment;
        if (!read_at(fd, &segment, sizeof segment, header.e_phoff + (guint64)i * header.e_phentsize))
            return DT_EXECUTABLE_OTHER;
        if (segment.p_type == PT_INTERP || (segment.p_type == PT_DYNAMIC && has_soname(fd, &segment)))
            return DT_EXECUTABLE_DYNAMIC;
    }
    return DT_EXECUTABLE_STATIC;
}

/* What follows `#!`, without blanks around it, or NULL. */
static char *script_line(const char *start, gssize bytes)
{
    if (bytes < 3 || start[0] != '#' || start[1] != '!')
        return NULL;
    g_autofree char *line = g_strndup(start + 2, (gsize)bytes - 2);
    line[strcspn(line, "\n")] = '\0';
    return g_strdup(g_strstrip(line));
}

static char *script_interpreter(const char *start, gssize bytes)
{
    char *line = script_line(start, bytes);
    if (line)
        line[strcspn(line, " \t")] = '\0';
    return line;
}

/* The first bytes of the file; -1 if there are none to read. */
static gssize read_start(const char *path, char *start, gsize room)
{
    int fd = dt_file_descriptor(path, O_RDONLY, NULL);
    gssize bytes = fd >= 0 ? pread(fd, start, room, 0) : -1;
    if (fd >= 0)
        close(fd);
    return bytes;
}

char **dt_executable_interpreter(const char *path)
{
    char start[256];
    gssize bytes = read_start(path, start, sizeof start);
    if (bytes < SELFMAG || memcmp(start, ELFMAG, SELFMAG) == 0)
        return NULL;
    g_autofree char *line = script_line(start, bytes);
    if (!line || line[0] == '\0') {
        g_free(line);
        line = g_strdup("/bin/sh");
    }
    gsize name = strcspn(line, " \t");
    const char *argument = line + name + strspn(line + name, " \t");
    g_autofree char *interpreter = g_strndup(line, name);
    const char *const words[] = {interpreter, argument[0] != '\0' ? argument : NULL, NULL};
    return g_strdupv((char **)words);
}

DtExecutableKind dt_executable_kind(const char *path)
{
    g_autofree char *file = g_strdup(path);
    for (guint depth = 0; depth < MAX_INTERPRETERS; depth++) {
        int fd = dt_file_descriptor(file, O_RDONLY, NULL);
        if (fd < 0)
            return DT_EXECUTABLE_OTHER;
        char start[256];
        gssize bytes = pread(fd, start, sizeof start, 0);
        gboolean elf = bytes >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0;
        DtExecutableKind kind = elf ? elf_kind(fd) : DT_EXECUTABLE_OTHER;
        close(fd);
        char *interpreter = script_interpreter(start, bytes);
        if (!interpreter)
            return kind;
        g_free(file);
        file = interpreter;
    }
    return DT_EXECUTABLE_OTHER;
}

/* The loader that an ELF file names, or NULL. */
static char *elf_interpreter(const char *path)
{
    int fd = dt_file_descriptor(path, O_RDONLY, NULL);
    char name[PATH_MAX] = "";
    Elf64_Ehdr header;
    if (fd >= 0 && read_at(fd, &header, sizeof header, 0) && header.e_ident[EI_CLASS] == ELFCLASS64)
        for (guint i = 0; i < MIN(header.e_phnum, MAX_PROGRAM_HEADERS); i++) {
            Elf64_Phdr segment;
            if (!read_at(fd, &segment, sizeof segment, header.e_phoff + (guint64)i * header.e_phentsize))
                break;
            if (segment.p_type == PT_INTERP && segment.p_filesz < sizeof name)
                (void)read_at(fd, name, segment.p_filesz, segment.p_offset);
        }
    if (fd >= 0)
        close(fd);
    return name[0] != '\0' ? g_strdup(name) : NULL;
}

char *dt_executable_missing_interpreter(const char *path)
{
    g_autofree char *file = g_strdup(path);
    for (guint depth = 0; depth < MAX_INTERPRETERS; depth++) {
        g_auto(GStrv) script = dt_executable_interpreter(file);
        char *next = script ? g_strdup(script[0]) : elf_interpreter(file);
        if (!next)
            return NULL;
        if (!g_file_test(next, G_FILE_TEST_EXISTS))
            return next;
        g_free(file);
        file = next;
    }
    return NULL;
}

gboolean dt_executable_privileged(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return FALSE;
    if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid())
        return TRUE;
    if ((status.st_mode & S_ISGID) != 0 && status.st_gid != getgid())
        return TRUE;
    return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}
