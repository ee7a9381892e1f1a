/* Words in the code of stubs: what is written, and what is left alone. */
#include <glib.h>
#include <string.h>

#include "record/stub_words.h"

enum { INDEX = 7, BEFORE = 16, WORD_ENDS = 12, WORD = 0x4321 };

typedef struct {
    _Alignas(8) guint8 code[64];
} Stub;

static void expect(Stub *stub)
{
    static const guint8 begins[] = {0x48, 0x89, 0x44, 0x24, 0xe8}; /* mov %rax, -24(%rsp) */
    memset(stub, 0x90, sizeof *stub);
    memcpy(stub->code + BEFORE, begins, sizeof begins);
    const struct dt_stub_word expected = {stub->code + BEFORE, WORD_ENDS, -BEFORE};
    g_assert_true(dt_stub_words_reserve(1 << 10, 1 << 10));
    dt_stub_word_expect(INDEX, &expected);
}

/* A short jump to the stub's start, and the rest of the instruction that is there later. */
static void assert_jumps(const Stub *stub)
{
    static const guint8 jump[] = {0xeb, (guint8)(-BEFORE - 2), 0x44, 0x24, 0xe8};
    g_assert_true(memcmp(stub->code + BEFORE, jump, sizeof jump) == 0);
}

static void test_word_comes_and_goes(void)
{
    Stub stub;
    expect(&stub);
    assert_jumps(&stub);
    dt_stub_word_set(INDEX, WORD);
    static const guint8 filled[] = {0x48, 0x89, 0x44, 0x24, 0xe8, 0x90, 0x90, 0x90, 0x90, 0x90, 0x21, 0x43, 0x90};
    g_assert_true(memcmp(stub.code + BEFORE, filled, sizeof filled) == 0);
    dt_stub_word_clear(INDEX);
    assert_jumps(&stub);
}

/* The stub came to nothing, and the function that got its index has one without a word. */
static void test_forgotten_stub_is_left_alone(void)
{
    Stub stub, before;
    expect(&stub);
    before = stub;
    dt_stub_word_forget(INDEX);
    dt_stub_word_set(INDEX, WORD);
    dt_stub_word_clear(INDEX);
    g_assert_true(memcmp(&stub, &before, sizeof stub) == 0);
}

static void test_stopped(void)
{
    Stub stub, before;
    expect(&stub);
    before = stub;
    dt_stub_words_stop();
    dt_stub_word_set(INDEX, WORD);
    g_assert_true(memcmp(&stub, &before, sizeof stub) == 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stub-words/comes-and-goes", test_word_comes_and_goes);
    g_test_add_func("/stub-words/forgotten", test_forgotten_stub_is_left_alone);
    g_test_add_func("/stub-words/stopped", test_stopped);
    return g_test_run();
}
