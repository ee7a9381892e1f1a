/* Hooked functions and their ids in the process file: dense, in the order of first calls. */
#include "record/functions.h"

#include <errno.h>

#include "format/checks.h"
#include "record/loaded_images.h"
#include "record/spin_lock.h"
#include "record/stub_words.h"
#include "record/switch.h"
#include "record/timed_functions.h"
#include "record/trace_writer.h"
#include "system/file_memory.h"
#include "system/reserved_memory.h"

struct dt_hooked_function *dt_functions;
uint32_t dt_function_count;
uint32_t *dt_function_ids;
uint16_t *dt_function_words;

enum {
    DT_TABLE_CHUNK_BYTES = 32 << 10,
    DT_SMALL_CHUNK_BYTES = 4 << 10,
    DT_SITE_IMAGES = 1 << 10,
    DT_TABLES_PART = 32 /* of RLIMIT_AS that all tables together take at most: its 32nd */
};

/* A table in the file: chunks of records, the last one mapped. */
struct table {
    uint32_t type;
    size_t record_bytes, chunk_bytes;
    struct dt_chunk_header *chunk;
};

static struct table function_table = {DT_CHUNK_FUNCTIONS, sizeof(struct dt_function), DT_TABLE_CHUNK_BYTES, NULL};
static struct table image_table = {DT_CHUNK_IMAGES, sizeof(struct dt_image), DT_TABLE_CHUNK_BYTES, NULL};
static struct table site_table = {DT_CHUNK_SITES, sizeof(struct dt_call_site), DT_SMALL_CHUNK_BYTES, NULL};
static struct table site_image_table = {DT_CHUNK_SITE_IMAGES, sizeof(struct dt_image), DT_SMALL_CHUNK_BYTES, NULL};

static uint8_t site_images[DT_SITE_IMAGES / 8]; /* a bit each: it was asked for */

static uint32_t lock;

enum { DT_FUNCTION_BYTES = sizeof *dt_functions + sizeof *dt_function_ids + sizeof *dt_function_words };

/* How many functions there is capacity for. */
static uint32_t find_most(void)
{
    size_t each = DT_FUNCTION_BYTES + sizeof(struct dt_stub_word);
    return (uint32_t)(dt_reservation_bytes(DT_MOST_FUNCTIONS * each, DT_TABLES_PART) / each);
}

/* Tables never move: stubs and other threads hold pointers into them. */
bool dt_functions_reserve(uint32_t count)
{
    static uint32_t most;
    static size_t functions, ids, words; /* committed */
    if (!most)
        most = find_most();
    size_t needed = (size_t)dt_function_count + count;
    if (needed > most ||
        !dt_kept_commit((void **)&dt_functions, most * sizeof *dt_functions, &functions,
                        needed * sizeof *dt_functions) ||
        !dt_kept_commit((void **)&dt_function_ids, most * sizeof *dt_function_ids, &ids,
                        needed * sizeof *dt_function_ids) ||
        !dt_kept_commit((void **)&dt_function_words, most * sizeof *dt_function_words, &words,
                        needed * sizeof *dt_function_words) ||
        !dt_stub_words_reserve(most, (uint32_t)needed) || !dt_timed_functions_reserve(most, (uint32_t)needed)) {
        if (!dt_function_count)
            dt_writer_stop(ENOMEM);
        return false;
    }
    dt_sys_populate(dt_functions + dt_function_count, count * sizeof *dt_functions);
    return true;
}

/* A place for a record, or NULL; the caller fills it and then counts it with table_add(). */
static void *table_record(struct table *table)
{
    struct dt_chunk_header *chunk = table->chunk;
    size_t capacity = (table->chunk_bytes - sizeof *chunk) / table->record_bytes;
    if (!chunk || chunk->records == capacity) {
        uint64_t offset;
        if (chunk)
            dt_file_memory_unmap(chunk, table->chunk_bytes);
        table->chunk = chunk = dt_writer_chunk(table->type, UINT32_MAX, 0, table->chunk_bytes, &offset);
        if (!chunk)
            return NULL;
        dt_writer_publish(chunk);
    }
    return (uint8_t *)(chunk + 1) + chunk->records * table->record_bytes;
}

static void table_add(struct table *table)
{
    dt_compiler_barrier();
    table->chunk->records++;
}

/* The next id; under the lock. */
static uint32_t give_id(uint64_t index, const int64_t *arguments, uint32_t count)
{
    const struct dt_hooked_function *function = &dt_functions[index];
    struct dt_function *record = table_record(&function_table);
    uint32_t id = dt_process.header->functions + 1;
    if (record) {
        struct dt_function new = {.image = function->image, .symbol = function->symbol, .id = id, .arguments = count};
        for (uint32_t i = 0; i < count; i++)
            new.args[i] = arguments[i];
        new.flags = dt_function_flags(function->api_class, function->import);
        new.check = dt_function_check(&new);
        new.id = 0;
        *record = new;
        dt_compiler_barrier();
        record->id = id;
        table_add(&function_table);
    }
    dt_process.header->functions = id;
    return id;
}

static void add_image(struct table *table, const struct dt_image *image)
{
    struct dt_image *record = table_record(table);
    if (!record)
        return;
    struct dt_image new = *image;
    new.check = dt_image_check(image);
    new.index = 0;
    *record = new;
    dt_compiler_barrier();
    record->index = image->index;
    table_add(table);
}

/* Under the lock. Images without a record have one before the first site that names them. */
static void know_site_image(uint32_t image)
{
    struct dt_image record;
    uint8_t bit = (uint8_t)(1u << image % 8);
    if (image >= DT_SITE_IMAGES || site_images[image / 8] & bit)
        return;
    site_images[image / 8] |= bit;
    if (dt_image_describe(image, &record))
        add_image(&site_image_table, &record);
}

/* A function that ends with the call has its own return address in its stub, which many may share: then the function is
 * the place. False: the caller is in no image. */
static bool find_site(struct dt_call_site *site, uint64_t return_address)
{
    uint32_t image = dt_image_at(return_address);
    if (image != UINT32_MAX) {
        site->image = image + 1;
        site->address = return_address - dt_image_bias(image);
        return true;
    }
    const struct dt_frame *frame = (const struct dt_frame *)dt_hot.top - 1;
    for (int i = 0; i <= DT_MOST_TAIL_CALLS && frame > dt_self->frames; i++, frame--) {
        const struct dt_hooked_function *function = &dt_functions[frame->index];
        if (function->exit_address != return_address || function->both_ends || function->import)
            continue;
        site->image = function->image + 1;
        site->address = function->symbol;
        site->flags = DT_SITE_TAIL_CALL;
        return true;
    }
    return false;
}

static void add_site(uint32_t id, uint64_t return_address)
{
    struct dt_call_site new = {.id = id};
    if (!find_site(&new, return_address))
        return;
    know_site_image(new.image - 1);
    struct dt_call_site *record = table_record(&site_table);
    if (!record)
        return;
    new.check = dt_call_site_check(&new);
    new.id = 0;
    *record = new;
    dt_compiler_barrier();
    record->id = id;
    table_add(&site_table);
}

uint32_t dt_function_new_id(uint64_t index, const int64_t *arguments, uint32_t count, uint64_t site)
{
    uint64_t mask = dt_lock_take(&lock);
    uint32_t id = give_id(index, arguments, count);
    if (site)
        add_site(id, site);
    dt_lock_drop(&lock, mask);
    return id;
}

void dt_function_site_image(uint32_t image)
{
    if (image >= DT_SITE_IMAGES || site_images[image / 8] & 1u << image % 8)
        return;
    uint64_t mask = dt_lock_take(&lock);
    know_site_image(image);
    dt_lock_drop(&lock, mask);
}

static uint16_t word_of(uint64_t index, uint32_t id)
{
    return (uint16_t)(dt_functions[index].terminating ? DT_TAIL_CHILDLESS | id : id);
}

static void set_word(uint64_t index, uint16_t word)
{
    __atomic_store_n(&dt_function_words[index], word, __ATOMIC_RELEASE);
    dt_stub_word_set(index, word);
}

/* Under the lock. */
static void give_word(uint64_t index, uint32_t id)
{
    if (id <= DT_TAIL_LAST_ID && !dt_switch_sees(index) && !dt_functions[index].reports)
        set_word(index, word_of(index, id));
}

uint32_t dt_function_id(uint64_t index)
{
    uint32_t id = __atomic_load_n(&dt_function_ids[index], __ATOMIC_ACQUIRE);
    if (id)
        return id;
    dt_process_look();
    uint64_t mask = dt_lock_take(&lock);
    id = dt_function_ids[index];
    if (!id) {
        id = give_id(index, NULL, 0);
        __atomic_store_n(&dt_function_ids[index], id, __ATOMIC_RELEASE);
        if (!dt_function_is_timed(index))
            give_word(index, id);
    }
    dt_lock_drop(&lock, mask);
    return id;
}

uint32_t dt_function_give_word(uint64_t index)
{
    uint64_t mask = dt_lock_take(&lock);
    uint32_t id = dt_function_ids[index];
    if (id && !dt_function_words[index])
        give_word(index, id);
    dt_lock_drop(&lock, mask);
    return id;
}

void dt_function_take_word(uint64_t index)
{
    uint64_t mask = dt_lock_take(&lock);
    __atomic_store_n(&dt_function_words[index], 0, __ATOMIC_RELEASE);
    dt_stub_word_clear(index);
    dt_lock_drop(&lock, mask);
}

void dt_function_image_record(const struct dt_image *image)
{
    uint64_t mask = dt_lock_take(&lock);
    add_image(&image_table, image);
    dt_lock_drop(&lock, mask);
}

void dt_functions_leave(void)
{
    lock = 0;
    function_table.chunk = image_table.chunk = site_table.chunk = site_image_table.chunk = NULL;
    memset(site_images, 0, sizeof site_images);
}

void dt_functions_reset(void)
{
    dt_process.header->functions = 0;
    for (uint32_t index = 0; index < dt_function_count; index++)
        if (dt_function_words[index])
            dt_stub_word_clear(index);
    dt_sys_clear(dt_function_ids, dt_function_count * sizeof *dt_function_ids);
    dt_sys_clear(dt_function_words, dt_function_count * sizeof *dt_function_words);
}
