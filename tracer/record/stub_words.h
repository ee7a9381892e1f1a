/** The words that stubs record, as part of their code: loading them from a table and looking whether they are there
 * cost a fifth of the instructions of a terminating function's stub.
 *
 * Until a function has a word its stub begins with a jump to what asks C. Then the word is written first, and the jump
 * is overwritten by what it stands in place of, two bytes at an even address: other threads run the one or the other,
 * as compilers at run time count on, too (HotSpot's NativeGeneralJump::replace_mt_safe). */
#ifndef DT_RECORD_STUB_WORDS_H
#define DT_RECORD_STUB_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct dt_stub_word {
    uint8_t *entry;
    int8_t end; /* of the word, from the entry */
    int8_t new; /* where calls go without a word, from the entry */
};

/** Capacity for the functions below `needed`; there will be `most` at most. False: there is none. */
bool dt_stub_words_reserve(uint32_t most, uint32_t needed);
/** The function, which has no word yet, has this stub; writes the jump. */
void dt_stub_word_expect(uint64_t index, const struct dt_stub_word *expected);
/** The function's stub has no place for a word. An index that was expected before may come again, if that stub came to
 * nothing. */
void dt_stub_word_forget(uint64_t index);
/** Nothing happens if the function has no such stub. */
void dt_stub_word_set(uint64_t index, uint16_t word);
/** There is no word any more, or the same one will come again: other threads may still record it for a while. */
void dt_stub_word_clear(uint64_t index);
/** Stubs cannot be written from now on. */
void dt_stub_words_stop(void);

#endif
