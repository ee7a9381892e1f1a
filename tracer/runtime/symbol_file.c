/* RUN/images/KEY.sym: an image's functions, written by the first process of the run that meets the image. */
#include "images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint8_t *build(const struct dt_elf_image *image, size_t *bytes)
{
    size_t text_bytes = 0;
    for (uint32_t i = 0; i < image->function_count; i++)
        text_bytes += strlen(image->functions[i].name) + 1;
    size_t table_bytes = image->function_count * sizeof(struct dt_symbol);
    *bytes = sizeof(struct dt_symbols_header) + table_bytes + text_bytes;
    uint8_t *content = calloc(1, *bytes);
    if (!content)
        return NULL;
    struct dt_symbols_header *header = (struct dt_symbols_header *)content;
    struct dt_symbol *symbols = (struct dt_symbol *)(header + 1);
    char *text = (char *)(symbols + image->function_count);
    uint32_t used = 0;
    for (uint32_t i = 0; i < image->function_count; i++) {
        const struct dt_elf_function *function = &image->functions[i];
        size_t length = strlen(function->name) + 1;
        memcpy(text + used, function->name, length);
        symbols[i] = (struct dt_symbol){.address = function->address,
                                        .size = function->size,
                                        .name = used,
                                        .flags = dt_function_flags(function->api_class, function->import != NULL),
                                        .reason = function->reason};
        used += (uint32_t)length;
    }
    memcpy(header->magic, DT_SYMBOLS_MAGIC, sizeof header->magic);
    header->major = DT_FORMAT_MAJOR;
    header->minor = DT_FORMAT_MINOR;
    header->endian = DT_ENDIAN_MARK;
    header->count = image->function_count;
    header->text_bytes = used;
    header->crc32 = dt_crc32(0, header + 1, *bytes - sizeof *header);
    return content;
}

/* Complete under another name first: readers and other writers never see half of it. */
void dt_symbol_file_write(const struct dt_elf_image *image)
{
    char path[1300], temporary[1400];
    snprintf(path, sizeof path, "%s/images/%s.sym", dt_process.options.run, image->key);
    snprintf(temporary, sizeof temporary, "%s.%s.%d", path, dt_process.header->host, (int)getpid());
    if (access(path, F_OK) == 0)
        return;
    size_t bytes;
    uint8_t *content = build(image, &bytes);
    FILE *file = content ? fopen(temporary, "wxe") : NULL;
    if (file) {
        bool written = fwrite(content, 1, bytes, file) == bytes;
        written &= fclose(file) == 0;
        if (!written || rename(temporary, path) != 0)
            unlink(temporary);
    }
    free(content);
}
