/* A word that a signal's handler finds half recorded by a stub: stored, or not even that, and its place not yet taken.
 */
#include <ucontext.h>

#include "native/signals/signals.h"
#include "native/stack/unwind_info.h"
#include "record/recorder.h"

/* STORE_WORD and STORE_TERMINATING of stubs.S */
enum { LOAD_BYTES = 9, CAPACITY_BYTES = 5, TEST_BYTES = 3, ADD_BYTES = 10, STORE_BEGINS = 3, LONGEST_STORE = 5 };

static const struct {
    int word;     /* register, or -1: the last two bytes */
    size_t bytes; /* of the instruction, which begins with these */
    uint8_t code[STORE_BEGINS];
} stores[] = {
    {REG_RCX, 3, {0x66, 0x89, 0x08}},
    {REG_RDX, 3, {0x66, 0x89, 0x10}},
    {-1, 5, {0x66, 0xc7, 0x00}},
};
enum { STORES = sizeof stores / sizeof *stores };

/* mov dt_hot.next, %rax */
static bool is_load(const uint8_t *code)
{
    static const uint8_t load[] = {0x64, 0x48, 0x8b, 0x04, 0x25};
    uint64_t thread_pointer;
    __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
    int32_t offset = (int32_t)((int64_t)&dt_hot.next - (int64_t)thread_pointer);
    return memcmp(code, load, sizeof load) == 0 && memcmp(code + sizeof load, &offset, sizeof offset) == 0;
}

/* test $8, %ah; jnz */
static bool asks_for_capacity(const uint8_t *code)
{
    static const uint8_t test[] = {0xf6, 0xc4, 0x08, 0x75};
    return memcmp(code, test, sizeof test) == 0;
}

/* Whether it is at the store, or at the addition behind it. */
static bool is_stored(const uint8_t *at, int store, const uint8_t **end)
{
    size_t bytes = stores[store].bytes;
    for (size_t back = 0; back <= bytes; back += bytes) {
        const uint8_t *start = at - back,
                      *before = asks_for_capacity(start - CAPACITY_BYTES) ? start - CAPACITY_BYTES : start;
        if (is_load(before - LOAD_BYTES) && memcmp(start, stores[store].code, STORE_BEGINS) == 0) {
            *end = start + bytes + ADD_BYTES;
            return true;
        }
    }
    return false;
}

/* Whether it is between the load and the store, and there is room in the tail. */
static bool is_before_store(const uint8_t *at, int store, uint64_t next, const uint8_t **end)
{
    for (size_t done = 0; done <= TEST_BYTES; done += TEST_BYTES) {
        const uint8_t *test = at - done, *start = test + CAPACITY_BYTES;
        if (asks_for_capacity(test) && is_load(test - LOAD_BYTES) && next % DT_TAIL_BYTES < 2 * DT_TAIL_WORDS &&
            memcmp(start, stores[store].code, STORE_BEGINS) == 0) {
            *end = start + stores[store].bytes + ADD_BYTES;
            return true;
        }
    }
    return false;
}

/* A handler of another signal may have recorded in between: then the word comes after that. */
static void finish(greg_t *registers, int store, const uint8_t *end)
{
    uint16_t word;
    if (stores[store].word < 0)
        memcpy(&word, end - ADD_BYTES - sizeof word, sizeof word);
    else
        word = (uint16_t)registers[stores[store].word];
    registers[REG_RAX] = (greg_t)dt_place_word(word);
    registers[REG_RIP] = (greg_t)end;
}

void dt_interrupted_word_finish(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *at = (const uint8_t *)registers[REG_RIP], *start = dt_arena_start((uint64_t)at), *end;
    if (!start || at - start < LOAD_BYTES + CAPACITY_BYTES + LONGEST_STORE)
        return;
    for (int store = 0; store < STORES; store++)
        if (is_stored(at, store, &end) || is_before_store(at, store, (uint64_t)registers[REG_RAX], &end)) {
            finish(registers, store, end);
            return;
        }
}
