/* Words of functions in the code of their stubs. */
#include <string.h>

#include "record/stub_words.h"
#include "system/reserved_memory.h"

/* How stubs begin, of which the jump takes two bytes: mov %rax, -24(%rsp). */
enum { DT_STUB_BEGINS = 0x8948, DT_SHORT_JUMP = 0xeb, DT_JUMP_TAKES = 2 };

/* Index -> where its word is; an entry of NULL: nowhere. Other threads do not read it without the functions' lock. */
static struct dt_stub_word *places;
static bool stopped;

static void write_head(const struct dt_stub_word *place, unsigned head)
{
    __atomic_store_n((uint16_t *)place->entry, (uint16_t)head, __ATOMIC_RELEASE);
}

static void write_jump(const struct dt_stub_word *place)
{
    write_head(place, DT_SHORT_JUMP | (unsigned)(uint8_t)(place->new - DT_JUMP_TAKES) << 8);
}

static bool has_stub(uint64_t index)
{
    return places && places[index].entry;
}

bool dt_stub_words_reserve(uint32_t most, uint32_t needed)
{
    static size_t committed;
    return dt_kept_commit((void **)&places, most * sizeof *places, &committed, needed * sizeof *places);
}

void dt_stub_word_expect(uint64_t index, const struct dt_stub_word *expected)
{
    places[index] = *expected;
    write_jump(expected);
}

void dt_stub_word_forget(uint64_t index)
{
    places[index].entry = NULL;
}

void dt_stub_word_set(uint64_t index, uint16_t word)
{
    if (stopped || !has_stub(index))
        return;
    const struct dt_stub_word *place = &places[index];
    memcpy(place->entry + place->end - sizeof word, &word, sizeof word);
    write_head(place, DT_STUB_BEGINS);
}

void dt_stub_word_clear(uint64_t index)
{
    if (has_stub(index) && *(const uint16_t *)places[index].entry == DT_STUB_BEGINS)
        write_jump(&places[index]);
}

void dt_stub_words_stop(void)
{
    stopped = true;
}
