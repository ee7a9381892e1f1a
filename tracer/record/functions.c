/* Hooked functions and their ids in the process file: dense, in the order of first calls. */
#include "record/functions.h"

#include <errno.h>

#include "format/checks.h"
#include "record/reserved_memory.h"
#include "record/spin_lock.h"
#include "record/stub_words.h"
#include "record/switch.h"
#include "record/trace_writer.h"

struct dt_hooked_function *dt_functions;
uint32_t dt_function_count;
uint32_t *dt_function_ids;
uint16_t *dt_function_words;

enum {
    DT_TABLE_CHUNK_BYTES = 32 << 10,
    DT_TABLES_PART = 32 /* of RLIMIT_AS that all tables together take at most: its 32nd */
};

/* A table in the file: chunks of records, the last one mapped. */
struct table {
    uint32_t type;
    size_t record_bytes;
    struct dt_chunk_header *chunk;
};

static struct table function_table = {DT_CHUNK_FUNCTIONS, sizeof(struct dt_function), NULL};
static struct table image_table = {DT_CHUNK_IMAGES, sizeof(struct dt_image), NULL};

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
        !dt_reserved_commit((void **)&dt_functions, most * sizeof *dt_functions, &functions,
                            needed * sizeof *dt_functions) ||
        !dt_reserved_commit((void **)&dt_function_ids, most * sizeof *dt_function_ids, &ids,
                            needed * sizeof *dt_function_ids) ||
        !dt_reserved_commit((void **)&dt_function_words, most * sizeof *dt_function_words, &words,
                            needed * sizeof *dt_function_words) ||
        !dt_stub_words_reserve(most, (uint32_t)needed)) {
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
    size_t capacity = (DT_TABLE_CHUNK_BYTES - sizeof *chunk) / table->record_bytes;
    if (!chunk || chunk->records == capacity) {
        uint64_t offset;
        if (chunk)
            dt_sys_munmap(chunk, DT_TABLE_CHUNK_BYTES);
        table->chunk = chunk = dt_writer_chunk(table->type, UINT32_MAX, 0, DT_TABLE_CHUNK_BYTES, &offset);
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

uint32_t dt_function_new_id(uint64_t index, const int64_t *arguments, uint32_t count)
{
    uint64_t mask = dt_lock_take(&lock);
    uint32_t id = give_id(index, arguments, count);
    dt_lock_drop(&lock, mask);
    return id;
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
        if (id <= DT_TAIL_LAST_ID && !dt_switch_sees(index) && !dt_functions[index].reports)
            set_word(index, word_of(index, id));
    }
    dt_lock_drop(&lock, mask);
    return id;
}

void dt_function_image_record(const struct dt_image *image)
{
    uint64_t mask = dt_lock_take(&lock);
    struct dt_image *record = table_record(&image_table);
    if (record) {
        struct dt_image new = *image;
        new.check = dt_image_check(image);
        new.index = 0;
        *record = new;
        dt_compiler_barrier();
        record->index = image->index;
        table_add(&image_table);
    }
    dt_lock_drop(&lock, mask);
}

void dt_functions_leave(void)
{
    lock = 0;
    function_table.chunk = image_table.chunk = NULL;
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
