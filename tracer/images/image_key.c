/* What an image is called in the plan cache and in a run's folder of symbols. The same for every engine. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "images/loaded_image.h"

enum { ID_BYTES = 80 };

/* What the first note of that kind holds; `name`: three letters at most. NULL: there is none. */
static const uint8_t *find_note(const Elf64_Phdr *segments, int count, uint64_t bias, const char *name, uint32_t type,
                                uint32_t *bytes)
{
    for (int i = 0; i < count; i++) {
        if (segments[i].p_type != PT_NOTE)
            continue;
        const uint8_t *note = (const uint8_t *)(segments[i].p_vaddr + bias);
        const uint8_t *end = note + segments[i].p_memsz;
        while ((size_t)(end - note) > sizeof(Elf64_Nhdr)) {
            const Elf64_Nhdr *header = (const Elf64_Nhdr *)note;
            const uint8_t *owner = note + sizeof *header;
            uint64_t padded = ((uint64_t)header->n_namesz + 3) & ~3ul, left = (uint64_t)(end - owner);
            if (padded > left || header->n_descsz > left - padded)
                break;
            if (header->n_type == type && header->n_namesz == 4 && strncmp((const char *)owner, name, 4) == 0) {
                *bytes = header->n_descsz;
                return owner + padded;
            }
            uint64_t next = padded + (((uint64_t)header->n_descsz + 3) & ~3ul);
            note = next < left ? owner + next : end;
        }
    }
    return NULL;
}

static bool build_id(char *to, const Elf64_Phdr *segments, int segment_count, uint64_t bias)
{
    uint32_t bytes;
    const uint8_t *id = find_note(segments, segment_count, bias, "GNU", NT_GNU_BUILD_ID, &bytes);
    if (!id || bytes < 8 || bytes > 32)
        return false;
    for (uint32_t i = 0; i < bytes; i++)
        snprintf(to + 2 * (size_t)i, 3, "%02x", id[i]);
    return true;
}

bool dt_image_is_go(const struct dt_loaded_image *loaded)
{
    enum { GO_BUILD_ID = 4 };
    uint32_t bytes;
    return find_note(loaded->segments, loaded->segment_count, loaded->bias, "Go", GO_BUILD_ID, &bytes) != NULL;
}

static uint64_t hash(uint64_t start, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        start = (start ^ ((const uint8_t *)data)[i]) * 1099511628211u;
    return start;
}

/* The build id, or for files without one a hash of path, size and time of change. */
void dt_image_key(char *key, size_t bytes, const struct dt_loaded_image *loaded, const char *kind)
{
    char id[ID_BYTES];
    if (!build_id(id, loaded->segments, loaded->segment_count, loaded->bias)) {
        struct stat status = {0};
        uint64_t value = hash(14695981039346656037u, loaded->path, strlen(loaded->path));
        stat(loaded->path, &status);
        value = hash(value, &status.st_size, sizeof status.st_size);
        value = hash(value, &status.st_mtime, sizeof status.st_mtime);
        value = hash(value, &status.st_ino, sizeof status.st_ino);
        snprintf(id, sizeof id, "file-%016lx", value);
    }
    snprintf(key, bytes, "%s-%s", id, kind);
}

bool dt_image_debug_file(char *path, size_t bytes, const Elf64_Phdr *segments, int segment_count, uint64_t bias)
{
    char id[ID_BYTES];
    if (!build_id(id, segments, segment_count, bias))
        return false;
    snprintf(path, bytes, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
    return access(path, R_OK) == 0;
}

void dt_image_set_path(struct dt_image *record, const char *path)
{
    size_t length = strlen(path), capacity = sizeof record->path - 1;
    if (length <= capacity)
        memcpy(record->path, path, length);
    else
        snprintf(record->path, sizeof record->path, "...%s", path + length - capacity + 3);
}
