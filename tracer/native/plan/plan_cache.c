/* Plans in the user's cache directory: $XDG_CACHE_HOME/difftrace or ~/.cache/difftrace.
 *
 * A plan says how code is rewritten, so it is believed only if nobody else could have written it: directory and file
 * belong to the user and nobody else may write there; and only if it is whole and fits the image. Concurrent processes
 * each write a file of their own and rename it. Without a cache everything works, a little later. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/checks.h"
#include "native/plan/plan.h"
#include "record/debug.h"
#include "record/process.h"

#define PLAN_MAGIC "DiffPln\n"

/* Of the format and of the rules by which plans are made: whoever changes either counts this up. */
enum { PLAN_VERSION = 23 };

/* Of an image of some gigabytes. What is larger is no plan, and is not read to its end for a checksum. */
enum { MOST_PLAN_BYTES = 1 << 28 };

struct plan_header {
    char magic[8];
    uint32_t version;
    uint32_t function_bytes; /* sizeof(struct dt_plan_function) of the writer */
    uint32_t count, name_bytes;
    uint32_t crc32; /* of all that follows */
    uint32_t return_count;
};

/* ---- the file -------------------------------------------------------------------------------- */

/* A directory that only the user can write to; made if it is missing. */
static bool is_private_directory(const char *path)
{
    struct stat status;
    mkdir(path, 0700);
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 022) == 0;
}

static bool cache_file(char *path, size_t bytes, const char *key)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char directory[900];
    if (getuid() != geteuid() || getenv("DIFFTRACE_NO_CACHE"))
        return false;
    if (cache && *cache == '/') {
        snprintf(directory, sizeof directory, "%s", cache);
    } else if (home && *home == '/') {
        snprintf(directory, sizeof directory, "%s/.cache", home);
    } else {
        return false;
    }
    mkdir(directory, 0700);
    size_t length = strlen(directory);
    snprintf(directory + length, sizeof directory - length, "/difftrace");
    return is_private_directory(directory) && snprintf(path, bytes, "%s/%s.plan", directory, key) < (int)bytes;
}

/* They lie behind the function's start, in code. */
static bool has_sound_returns(const struct dt_plan *plan, const struct dt_plan_function *function, uint64_t high)
{
    if (function->first_return > plan->return_count ||
        function->return_count > plan->return_count - function->first_return)
        return false;
    for (uint32_t i = 0; i < function->return_count; i++) {
        const struct dt_plan_return *one = &plan->returns[function->first_return + i];
        if (one->offset < DT_JUMP_BYTES || one->offset + one->relocated >= function->size ||
            one->relocated >= DT_JUMP_BYTES * 3 || high - function->address < (uint64_t)one->offset + DT_JUMP_BYTES)
            return false;
    }
    return true;
}

/* Every function with steps for at least a jump, inside what the image has mapped; names end inside the names. */
static bool is_sound(const struct dt_plan *plan, const struct dt_loaded_image *loaded)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (int i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        low = segment->p_vaddr < low ? segment->p_vaddr : low;
        high = segment->p_vaddr + segment->p_memsz > high ? segment->p_vaddr + segment->p_memsz : high;
    }
    if (!plan->name_bytes || plan->names[plan->name_bytes - 1])
        return false;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct dt_plan_function *function = &plan->functions[i];
        uint32_t relocated = dt_plan_relocated_bytes(function->steps);
        uint32_t least = function->springboard ? DT_SHORT_JUMP_BYTES : DT_JUMP_BYTES;
        uint64_t jump = function->address +
                        (function->springboard ? DT_SHORT_JUMP_BYTES + (uint64_t)(int64_t)function->springboard : 0);
        if (function->name >= plan->name_bytes || function->reason >= DT_SKIP_REASONS)
            return false;
        if (function->reason == DT_HOOKED &&
            (relocated < least || function->address < low || function->address > high ||
             high - function->address < relocated || jump < low || jump > high || high - jump < DT_JUMP_BYTES))
            return false;
        if (function->return_count && !has_sound_returns(plan, function, high))
            return false;
    }
    return true;
}

static bool read_header(const struct plan_header *header, size_t bytes)
{
    return bytes >= sizeof *header && memcmp(header->magic, PLAN_MAGIC, sizeof header->magic) == 0 &&
           header->version == PLAN_VERSION && header->function_bytes == sizeof(struct dt_plan_function) &&
           bytes == sizeof *header + (uint64_t)header->count * header->function_bytes + header->name_bytes +
                        header->return_count * (uint64_t)sizeof(struct dt_plan_return) &&
           header->crc32 == dt_crc32(0, header + 1, bytes - sizeof *header);
}

static bool load(struct dt_plan *plan)
{
    char path[1024];
    struct stat status;
    int fd = cache_file(path, sizeof path, plan->key) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (fd < 0)
        return false;
    plan->memory = NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        (status.st_mode & 022) == 0 && status.st_size > 0 && status.st_size <= MOST_PLAN_BYTES) {
        plan->memory_bytes = (size_t)status.st_size;
        plan->memory = dt_sys_mmap(plan->memory_bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    }
    close(fd);
    const struct plan_header *header = plan->memory;
    if (!header)
        return false;
    if (!read_header(header, plan->memory_bytes)) {
        dt_plan_release(plan);
        return false;
    }
    plan->functions = (const struct dt_plan_function *)(header + 1);
    plan->count = header->count;
    plan->names = (const char *)(plan->functions + plan->count);
    plan->name_bytes = header->name_bytes;
    plan->returns = (const struct dt_plan_return *)(plan->names + plan->name_bytes);
    plan->return_count = header->return_count;
    return true;
}

static void store(const struct dt_plan *plan)
{
    char path[1024], temporary[1100];
    if (!cache_file(path, sizeof path, plan->key))
        return;
    snprintf(temporary, sizeof temporary, "%s.%s.%d", path, dt_process.header->host, (int)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return;
    struct plan_header header = {.magic = PLAN_MAGIC,
                                 .version = PLAN_VERSION,
                                 .function_bytes = sizeof(struct dt_plan_function),
                                 .count = plan->count,
                                 .name_bytes = plan->name_bytes,
                                 .return_count = plan->return_count,
                                 .crc32 = dt_crc32(0, plan->memory, plan->memory_bytes)};
    bool written = fwrite(&header, sizeof header, 1, file) == 1 &&
                   fwrite(plan->memory, 1, plan->memory_bytes, file) == plan->memory_bytes;
    written &= fclose(file) == 0;
    if (!written || rename(temporary, path) != 0)
        unlink(temporary);
}

/* ---- both ways ------------------------------------------------------------------------------- */

/* With debug symbols functions have other names. */
static void name_kind(char *kind, size_t bytes, const struct dt_loaded_image *loaded)
{
    char debug_file[256];
    bool whole = loaded->role == DT_ROLE_WHOLE;
    bool named = whole && dt_image_debug_file(debug_file, sizeof debug_file, loaded->segments, loaded->segment_count,
                                              loaded->bias);
    snprintf(kind, bytes, "%s%s", !whole ? "api" : loaded->runtime_library ? "library" : "own", named ? "-debug" : "");
}

bool dt_plan_get(struct dt_plan *plan, const struct dt_loaded_image *loaded)
{
    memset(plan, 0, sizeof *plan);
    char kind[16];
    name_kind(kind, sizeof kind, loaded);
    dt_image_key(plan->key, sizeof plan->key, loaded, kind);
    if (load(plan)) {
        if (is_sound(plan, loaded)) {
            dt_debug(DT_DEBUG_PLAN, "from the cache, functions:", plan->count, loaded->path);
            return true;
        }
        dt_plan_release(plan);
    }
    if (!dt_plan_build(plan, loaded))
        return false;
    dt_debug(DT_DEBUG_PLAN, "made, functions:", plan->count, loaded->path);
    store(plan);
    return true;
}

void dt_plan_release(struct dt_plan *plan)
{
    if (plan->memory)
        dt_sys_munmap(plan->memory, plan->memory_bytes);
    plan->memory = NULL;
    plan->count = 0;
}
