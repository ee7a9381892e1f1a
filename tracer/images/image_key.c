/* What an image is called in the plan cache and in a run's folder of symbols. The same for every engine. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "images/loaded_image.h"

enum { ID_BYTES = 80 };

static bool build_id(char *to, const Elf64_Phdr *segments, int segment_count, uint64_t bias)
{
    for (int i = 0; i < segment_count; i++) {
        if (segments[i].p_type != PT_NOTE)
            continue;
        const uint8_t *note = (const uint8_t *)(segments[i].p_vaddr + bias);
        const uint8_t *end = note + segments[i].p_memsz;
        while (note + sizeof(Elf64_Nhdr) <= end) {
            const Elf64_Nhdr *header = (const Elf64_Nhdr *)note;
            const uint8_t *name = note + sizeof *header, *id = name + ((header->n_namesz + 3) & ~3u);
            if (header->n_descsz > 32 || id + header->n_descsz > end)
                break;
            if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
                for (uint32_t k = 0; k < header->n_descsz; k++)
                    snprintf(to + 2 * (size_t)k, 3, "%02x", id[k]);
                return header->n_descsz >= 8;
            }
            note = id + ((header->n_descsz + 3) & ~3u);
        }
    }
    return false;
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
