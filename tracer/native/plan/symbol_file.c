/* RUN/images/KEY.sym: an image's functions, written by the first process of the run that meets the image. */
#include "native/plan/symbol_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/checks.h"
#include "record/functions.h"
#include "record/process.h"

static size_t add_name(char *names, uint32_t *used, const char *name)
{
    size_t at = *used, length = strlen(name) + 1;
    memcpy(names + at, name, length);
    *used += (uint32_t)length;
    return at;
}

static uint8_t *build(const struct dt_plan *plan, const uint8_t *reasons, const struct dt_imports *imports,
                      size_t *bytes)
{
    uint32_t count = plan->count + imports->count, used = plan->name_bytes;
    size_t name_bytes = plan->name_bytes;
    for (uint32_t i = 0; i < imports->count; i++)
        name_bytes += strlen(imports->list[i].name) + 1;
    uint8_t *content = calloc(1, sizeof(struct dt_symbols_header) + count * sizeof(struct dt_symbol) + name_bytes);
    if (!content)
        return NULL;
    struct dt_symbols_header *header = (struct dt_symbols_header *)content;
    struct dt_symbol *symbols = (struct dt_symbol *)(header + 1);
    char *names = (char *)(symbols + count);
    memcpy(names, plan->names, plan->name_bytes);
    for (uint32_t i = 0; i < plan->count; i++)
        symbols[i] = (struct dt_symbol){
            .address = plan->functions[i].address,
            .size = plan->functions[i].size,
            .name = plan->functions[i].name,
            .flags = dt_function_flags(plan->functions[i].api_class, false),
            .reason = reasons[i],
        };
    for (uint32_t i = 0; i < imports->count; i++)
        symbols[plan->count + i] = (struct dt_symbol){
            .address = imports->list[i].place,
            .name = (uint32_t)add_name(names, &used, imports->list[i].name),
            .flags = dt_function_flags(DT_CALL_UNKNOWN, true),
            .reason = reasons[plan->count + i],
        };
    memcpy(header->magic, DT_SYMBOLS_MAGIC, sizeof header->magic);
    header->major = DT_FORMAT_MAJOR;
    header->minor = DT_FORMAT_MINOR;
    header->endian = DT_ENDIAN_MARK;
    header->count = count;
    header->text_bytes = used;
    *bytes = sizeof *header + count * sizeof *symbols + used;
    header->crc32 = dt_crc32(0, header + 1, *bytes - sizeof *header);
    return content;
}

/* Complete under another name first: readers and other writers never see half of it. */
void dt_symbol_file_write(const struct dt_plan *plan, const uint8_t *reasons, const struct dt_imports *imports)
{
    char path[1300], temporary[1400];
    snprintf(path, sizeof path, "%s/images/%s.sym", dt_process.options.run, plan->key);
    snprintf(temporary, sizeof temporary, "%s.%s.%d", path, dt_process.header->host, (int)getpid());
    if (access(path, F_OK) == 0)
        return;
    size_t bytes;
    const mode_t mode = dt_process.options.shared ? 0666 : 0600;
    uint8_t *content = build(plan, reasons, imports, &bytes);
    int fd = content ? open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    if (file) {
        bool written = fwrite(content, 1, bytes, file) == bytes;
        written &= fclose(file) == 0;
        if (!written || rename(temporary, path) != 0)
            unlink(temporary);
    }
    free(content);
}
