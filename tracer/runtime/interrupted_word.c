/* A word that a signal's handler finds half recorded by a stub: stored, or not even that, and its place not yet taken.
 */
#include <ucontext.h>

#include "signals.h"
#include "unwind_info.h"

/* STORE_WORD of stubs.S */
enum { DT_LOAD_BYTES = 9, DT_ADD_BYTES = 10, DT_STORE_BEGINS = 3, DT_LONGEST_STORE = 5 };

static const struct {
    int word;     /* register, or -1: the last two bytes */
    size_t bytes; /* of the instruction, which begins with these */
    uint8_t code[DT_STORE_BEGINS];
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

/* Whether `at` is at the store, or at the addition behind it. */
static bool is_within(const uint8_t *at, int store, const uint8_t **end)
{
    size_t bytes = stores[store].bytes;
    for (size_t back = 0; back <= bytes; back += bytes) {
        const uint8_t *start = at - back;
        if (is_load(start - DT_LOAD_BYTES) && memcmp(start, stores[store].code, DT_STORE_BEGINS) == 0) {
            *end = start + bytes + DT_ADD_BYTES;
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
        memcpy(&word, end - DT_ADD_BYTES - sizeof word, sizeof word);
    else
        word = (uint16_t)registers[stores[store].word];
    registers[REG_RAX] = (greg_t)dt_place_word(word);
    registers[REG_RIP] = (greg_t)end;
}

void dt_interrupted_word_finish(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *at = (const uint8_t *)registers[REG_RIP], *start = dt_arena_start((uint64_t)at), *end;
    if (!start || at - start < DT_LOAD_BYTES + DT_LONGEST_STORE)
        return;
    for (int store = 0; store < STORES; store++)
        if (is_within(at, store, &end)) {
            finish(registers, store, end);
            return;
        }
}
