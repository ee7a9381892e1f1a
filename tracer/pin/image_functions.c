/* The functions of an image: which are recorded, and where they are mapped. */

#include <stdlib.h>
#include <string.h>

#include "engine_image.h"
#include "images/elf_image.h"
#include "images/function_filter.h"
#include "images/loaded_image.h"
#include "native/plan/imports.h"
#include "native/plan/plan.h"
#include "native/plan/symbol_file.h"
#include "record/api_rules.h"
#include "record/functions.h"
#include "record/process.h"

static bool is_api_call(const char *name)
{
    return dt_call_recorded(name) != DT_CALL_UNKNOWN;
}

static bool is_static_program(const struct dt_loaded_image *loaded)
{
    bool has_loader = false;
    for (int i = 0; i < loaded->segment_count; i++)
        has_loader |= loaded->segments[i].p_type == PT_INTERP;
    return loaded->main_image && !has_loader;
}

/* In a static program the runtime libraries are part of it; else only MPI's calls may be defined by the program, which
 * may have an `omp_` of its own. */
static void classify(struct dt_plan_function *planned, const char *name, const struct dt_loaded_image *loaded)
{
    enum dt_call_class class = dt_call_recorded(name);
    if (!loaded->runtime_library && !is_static_program(loaded) && class != DT_CALL_MPI)
        class = DT_CALL_UNKNOWN;
    planned->api_class = (uint8_t) class;
    planned->action = class == DT_CALL_UNKNOWN ? DT_ACTION_NONE : (uint8_t)dt_api_action(name);
}

static enum dt_skip_reason find_reason(const struct dt_elf_image *image, const struct dt_elf_function *function,
                                       unsigned api_class)
{
    if (!dt_elf_in_text(image, function->address) || function->address == image->entry ||
        dt_is_startup_code(function->name))
        return DT_SKIP_STARTUP;
    if (function->type == STT_GNU_IFUNC)
        return DT_SKIP_RESOLVER;
    if (function->reason != DT_HOOKED || strstr(function->name, ".cold"))
        return DT_SKIP_COLD_PART;
    return api_class == DT_CALL_UNKNOWN && dt_is_filtered_out(function->name) ? DT_SKIP_UNWANTED : DT_HOOKED;
}

static bool allocate(struct dt_plan *plan, const struct dt_elf_image *image)
{
    size_t name_bytes = 0;
    for (uint32_t i = 0; i < image->function_count; i++)
        name_bytes += strlen(image->functions[i].name) + 1;
    size_t function_bytes = image->function_count * sizeof(struct dt_plan_function);
    plan->memory = calloc(1, function_bytes + name_bytes + 1);
    plan->functions = plan->memory;
    plan->names = (const char *)plan->memory + function_bytes;
    plan->count = image->function_count;
    return plan->memory != NULL;
}

static bool make_plan(struct dt_plan *plan, uint8_t **reasons, const struct dt_elf_image *image,
                      const struct dt_loaded_image *loaded)
{
    *reasons = calloc(1, image->function_count + 1);
    if (!allocate(plan, image) || !*reasons)
        return false;
    struct dt_plan_function *planned = plan->memory;
    char *names = (char *)plan->memory + image->function_count * sizeof *planned;
    for (uint32_t i = 0; i < image->function_count; i++, planned++) {
        const struct dt_elf_function *function = &image->functions[i];
        size_t bytes = strlen(function->name) + 1;
        memcpy(names + plan->name_bytes, function->name, bytes);
        planned->address = function->address;
        planned->size = function->size;
        planned->name = plan->name_bytes;
        plan->name_bytes += (uint32_t)bytes;
        classify(planned, function->name, loaded);
        (*reasons)[i] = (uint8_t)find_reason(image, function, planned->api_class);
    }
    return true;
}

static void register_functions(struct dt_engine_image *image, uint32_t number, const struct dt_plan *plan,
                               const uint8_t *reasons)
{
    struct dt_place *places = calloc(plan->count + 1, sizeof *places);
    if (!places || !dt_functions_reserve(plan->count))
        return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct dt_plan_function *planned = &plan->functions[i];
        if (reasons[i] != DT_HOOKED)
            continue;
        uint64_t low = planned->address + image->loaded.bias;
        places[count++] = (struct dt_place){low, low + planned->size, dt_function_count};
        dt_functions[dt_function_count++] = (struct dt_hooked_function){
            .image = number,
            .symbol = i,
            .api_class = planned->api_class,
            .action = planned->action,
            .own_image = image->loaded.role == DT_ROLE_WHOLE && !image->loaded.runtime_library,
        };
    }
    image->places = places;
    image->place_count = count;
}

static void describe(struct dt_image *record, const struct dt_engine_image *image, uint32_t number,
                     const struct dt_plan *plan, const uint8_t *reasons)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        record->hooked += reasons[i] == DT_HOOKED;
        record->skipped += reasons[i] != DT_HOOKED && reasons[i] != DT_SKIP_UNWANTED;
    }
    record->index = number + 1;
    record->flags =
        (image->loaded.main_image ? DT_IMAGE_MAIN : 0) | (image->loaded.role == DT_ROLE_WHOLE ? 0 : DT_IMAGE_API_ONLY);
    record->load_bias = image->loaded.bias;
    memcpy(record->key, plan->key, sizeof record->key);
    dt_image_set_path(record, image->loaded.path);
}

static void publish(struct dt_engine_image *image, uint32_t number, struct dt_plan *plan, const uint8_t *reasons,
                    struct dt_image *record)
{
    static const struct dt_imports no_imports;
    dt_image_key(plan->key, sizeof plan->key, &image->loaded, image->loaded.role == DT_ROLE_WHOLE ? "pin" : "pin-api");
    register_functions(image, number, plan, reasons);
    describe(record, image, number, plan, reasons);
    if (record->hooked + record->skipped == 0) {
        record->index = 0;
        return;
    }
    dt_symbol_file_write(plan, reasons, &no_imports);
    dt_function_image_record(record);
    dt_process.header->hooked += record->hooked;
    dt_process.header->skipped += record->skipped;
}

void dt_engine_image_read(struct dt_engine_image *image, uint32_t number, struct dt_image *record)
{
    struct dt_elf_image file;
    struct dt_plan plan = {.count = 0};
    uint8_t *reasons = NULL;
    const struct dt_loaded_image *loaded = &image->loaded;
    if (!dt_elf_open(&file, loaded->path, loaded->bias, loaded->segments, loaded->segment_count))
        return;
    image->low = file.low + loaded->bias;
    image->high = file.high + loaded->bias;
    bool whole = loaded->role == DT_ROLE_WHOLE;
    if (dt_elf_read_functions(&file, whole ? NULL : is_api_call) && make_plan(&plan, &reasons, &file, loaded))
        publish(image, number, &plan, reasons, record);
    free(plan.memory);
    free(reasons);
    dt_elf_close(&file);
}
