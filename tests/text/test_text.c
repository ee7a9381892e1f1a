/* Text made safe: examples, and what must hold of any bytes. */
#include <locale.h>
#include <string.h>

#include "text/text.h"

typedef char *(*Safe)(const char *text);

static void assert_safe(Safe safe, const char *text, const char *expected)
{
    g_autofree char *made = safe(text);
    g_assert_cmpstr(made, ==, expected);
}

/* ---- examples ------------------------------------------------------------------------- */

static void test_names(void)
{
    assert_safe(dt_text_spell, "MPI_Send", "MPI_Send");
    assert_safe(dt_text_spell, "std::vector<int, a b>::operator()(int&) const",
                "std::vector<int, a b>::operator()(int&) const");
    assert_safe(dt_text_spell, "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x99\x82", "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x99\x82");
    assert_safe(dt_text_spell, "\033[31mred\a\n\r\t\x7f", "\\x1b[31mred\\x07\\x0a\\x0d\\x09\\x7f");
    assert_safe(dt_text_spell, "\xff\xc0\x80\xed\xa0\x80z", "\\xff\\xc0\\x80\\xed\\xa0\\x80z");
    assert_safe(dt_text_spell,
                "\xc2\x9b"
                "31m",
                "\\u{9b}31m");
    assert_safe(dt_text_spell,
                "\xe2\x80\xae"
                "RTL\xe2\x81\xa9",
                "\\u{202e}RTL\\u{2069}");
    assert_safe(dt_text_spell,
                "a\xe2\x80\xa8"
                "b\xe2\x80\x8b"
                "c\xc2\xad"
                "d\xc2\xa0"
                "e\xef\xbb\xbf",
                "a\\u{2028}b\\u{200b}c\\u{ad}d\\u{a0}e\\u{feff}");
    assert_safe(dt_text_spell, "\xee\x80\x80\xf3\xa0\x80\xa1\xef\xb8\x8f\xe3\x85\xa4",
                "\\u{e000}\\u{e0021}\\u{fe0f}\\u{3164}");
    assert_safe(dt_text_spell, "a\\x1b\\", "a\\\\x1b\\\\");
    assert_safe(dt_text_spell, " a  b ", "\\x20a \\x20b\\x20");
    assert_safe(dt_text_spell, " ", "\\x20");
    assert_safe(dt_text_spell, "", "");
    g_autofree char *zeros = dt_text_spell_bytes("a\0b", 3);
    g_assert_cmpstr(zeros, ==, "a\\x00b");
}

static void test_unspelled(void)
{
    assert_safe(dt_text_unspell, "\\x1b[31m\\u{202e}\\\\\\x20", "\033[31m\xe2\x80\xae\\ ");
    assert_safe(dt_text_unspell, "\\d \\x1 \\u{} \\u{110000} \\u{12 \\", "\\d \\x1 \\u{} \\u{110000} \\u{12 \\");
}

static void assert_brief(const char *name, glong width, const char *expected)
{
    g_autofree char *made = dt_text_brief(name, width);
    g_assert_cmpstr(made, ==, expected);
}

/* The page's scripts make the same: tests/page/test_page.py. */
static void test_brief(void)
{
    assert_brief("MPI_Send(world, to +1)", 0, "MPI_Send(world, to +1)");
    assert_brief("std::vector<int, std::allocator<int> >::push_back(int const&)", 0,
                 "std::vector<\u2026>::push_back(\u2026)");
    assert_brief("solver::Grid<double>::apply(solver::Field<double>&)", 0, "solver::Grid<\u2026>::apply(\u2026)");
    assert_brief("operator<< <std::char_traits<char> >", 0, "operator<< <std::char_traits<\u2026> >");
    assert_brief("call<int (*)(A->b)>", 0, "call<\u2026>");
    assert_brief("a < b", 0, "a < b");
    assert_brief("f()", 0, "f()");
    assert_brief("open<brackets", 0, "open<brackets");
    assert_brief("abcdefghij", 5, "ab\u2026ij");
    assert_brief("abcde", 5, "abcde");
}

static void test_plain_text(void)
{
    assert_safe(dt_text_line, "  C:\\x\n\033", "  C:\\x\\x0a\\x1b");
    assert_safe(dt_text_lines, "a\nb\r\033\n", "a\nb\\x0d\\x1b\n");
}

static void test_shortened(void)
{
    const struct {
        const char *text;
        glong width;
        const char *expected;
    } cases[] = {{"MPI_Send", 8, "MPI_Send"},
                 {"abcdefghijklmnopqrstuvwxyz", 12, "abcdef...xyz"},
                 {"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 6, "\xc3\xa4\xc3\xa4...\xc3\xa4"},
                 {"\n\n\n", 12, "\\x0a\\x0a\\x0a"},
                 {"abc", 1, "..."}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *made = dt_text_shortened(cases[i].text, cases[i].width);
        g_assert_cmpstr(made, ==, cases[i].expected);
    }
}

/* All that differ in one place look different. */
static void test_shortened_differ(void)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    char name[1000] = "";
    memset(name, 'x', sizeof name - 1);
    for (gsize at = 0; at + 1 < sizeof name; at++) {
        name[at] = 'y';
        char *made = dt_text_shortened(name, 40);
        g_assert_cmpint(g_utf8_strlen(made, -1), ==, 40);
        g_assert_true(g_hash_table_add(seen, made));
        name[at] = 'x';
    }
}

static void test_tables(void)
{
    assert_safe(dt_text_tsv, "a\tb\n", "a\\x09b\\x0a");
    assert_safe(dt_text_tsv, "=1+1", "'=1+1");
    assert_safe(dt_text_tsv, "@x", "'@x");
    assert_safe(dt_text_tsv, "-x", "'-x");
    assert_safe(dt_text_tsv, "+x", "'+x");
    assert_safe(dt_text_tsv, "'x", "''x");
    assert_safe(dt_text_tsv, "-1.5e3", "-1.5e3");
    assert_safe(dt_text_tsv, "-", "-");
    assert_safe(dt_text_tsv, "\t=x", "\\x09=x");
    assert_safe(dt_text_csv, "a,\"b\"", "\"a,\"\"b\"\"\"");
    assert_safe(dt_text_csv, "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
    assert_safe(dt_text_csv, "=a,b", "\"'=a,b\"");
}

static void test_markup(void)
{
    assert_safe(dt_text_markup, "<a b='c'>&\033", "&lt;a b=&apos;c&apos;&gt;&amp;\\x1b");
    assert_safe(dt_text_dot, "\\N&lt;\"{|}\nx", "\\\\N&amp;lt;\"{|}\\nx");
    assert_safe(dt_text_dot_markup, "<B>\\G", "&lt;B&gt;\\\\G");
}

static void test_json(void)
{
    assert_safe(dt_text_json_value, "\xff\n\\", "\\xff\n\\");
    assert_safe(dt_text_json, "{\n\"a\": \"\x01\x7f\xe2\x80\xa8\xf3\xa0\x80\x81\"}",
                "{\n\"a\": \"\\u0001\\u007f\\u2028\\udb40\\udc01\"}");
    assert_safe(dt_text_json_quoted, "a\"\\\n\xff", "\"a\\\"\\\\\\u000a\\\\xff\"");
    assert_safe(dt_text_json_in_script, "\"</script><!--\"", "\"\\u003c/script>\\u003c!--\"");
    assert_safe(dt_text_frame, "a;b\n", "a\\x3bb\\x0a");
}

/* ---- any bytes --------------------------------------------------------------------------- */

enum { ROUNDS = 20000, LONGEST = 24 };

/* Much of what matters: escapes' own characters, controls, pieces of UTF-8, invisible characters. */
static char *random_text(GRand *random)
{
    static const char *const pieces[] = {"\\",
                                         "\\x",
                                         "\\u{",
                                         "}",
                                         " ",
                                         "x1b",
                                         "\033",
                                         "\n",
                                         "\t",
                                         "\r",
                                         "\x7f",
                                         "\xc2",
                                         "\x9b",
                                         "\xe2\x80\xae",
                                         "\xe2\x80",
                                         "\xf3\xa0\x80\xa1",
                                         "\xc3\xa4",
                                         "<",
                                         ">",
                                         "&",
                                         "&lt;",
                                         "\"",
                                         "'",
                                         "=",
                                         "-",
                                         "@",
                                         "+",
                                         ",",
                                         ";",
                                         "|",
                                         "{",
                                         "%",
                                         "a",
                                         "1",
                                         "\xed\xa0\x80",
                                         "\xf4\x90\x80\x80"};
    GString *text = g_string_new(NULL);
    for (gint left = g_rand_int_range(random, 0, LONGEST); left > 0; left--) {
        if (g_rand_int_range(random, 0, 3) == 0)
            g_string_append_c(text, (char)g_rand_int_range(random, 1, 256));
        else
            g_string_append(text, pieces[g_rand_int_range(random, 0, G_N_ELEMENTS(pieces))]);
    }
    return g_string_free(text, FALSE);
}

/* Written without the functions that are tested. */
static void assert_harmless(const char *text, const char *allowed)
{
    g_assert_true(g_utf8_validate(text, -1, NULL));
    for (const char *at = text; *at != '\0'; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        if (character < 0x80 && strchr(allowed, (int)character))
            continue;
        g_assert_cmpuint(character, >=, 0x20);
        g_assert_false(character >= 0x7f && character <= 0x9f);
        g_assert_false(character >= 0x200b && character <= 0x200f);
        g_assert_false(character >= 0x2028 && character <= 0x202f);
        g_assert_false(character >= 0x2060 && character <= 0x206f);
        g_assert_cmpuint(character, !=, 0x61c);
        g_assert_cmpuint(character, !=, 0xfeff);
    }
}

static void test_always_harmless(void)
{
    const struct {
        Safe safe;
        const char *allowed;
        const char *forbidden;
        gboolean idempotent;
    } cases[] = {{dt_text_spell, "", "", FALSE},
                 {dt_text_line, "", "", TRUE},
                 {dt_text_lines, "\n", "", TRUE},
                 {dt_text_tsv, "", "\t", FALSE},
                 {dt_text_csv, "", "", FALSE},
                 {dt_text_markup, "", "<>\"'", FALSE},
                 {dt_text_dot, "", "", FALSE},
                 {dt_text_dot_markup, "", "<>\"'", FALSE},
                 {dt_text_json_quoted, "", "", FALSE},
                 {dt_text_json, "\n", "", TRUE},
                 {dt_text_json_in_script, "\n", "<", TRUE},
                 {dt_text_frame, "", ";", TRUE}};
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    for (guint round = 0; round < ROUNDS; round++) {
        g_autofree char *text = random_text(random);
        for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
            g_autofree char *made = cases[i].safe(text);
            assert_harmless(made, cases[i].allowed);
            g_assert_null(strpbrk(made, *cases[i].forbidden != '\0' ? cases[i].forbidden : "\033"));
            g_autofree char *again = cases[i].safe(made);
            if (cases[i].idempotent)
                g_assert_cmpstr(again, ==, made);
        }
    }
}

/* What can be read back was not mixed up with anything else. */
static void test_spelling_reads_back(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(2);
    for (guint round = 0; round < ROUNDS; round++) {
        g_autofree char *text = random_text(random);
        g_autofree char *spelled = dt_text_spell(text), *back = dt_text_unspell(spelled);
        g_assert_cmpstr(back, ==, text);
    }
}

/* What is made of spelled names for a document is different for different names. */
static void test_documents_keep_names_apart(void)
{
    static const Safe documents[] = {dt_text_line, dt_text_tsv,        dt_text_csv,         dt_text_markup,
                                     dt_text_dot,  dt_text_dot_markup, dt_text_json_quoted, dt_text_frame};
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    for (gsize i = 0; i < G_N_ELEMENTS(documents); i++) {
        g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
        for (guint round = 0; round < ROUNDS; round++) {
            g_autofree char *text = random_text(random);
            g_autofree char *spelled = dt_text_spell(text);
            char *made = documents[i](spelled);
            const char *before = g_hash_table_lookup(names, made);
            if (before)
                g_assert_cmpstr(before, ==, text);
            g_hash_table_replace(names, made, g_steal_pointer(&text));
        }
    }
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/text/names", test_names);
    g_test_add_func("/text/unspelled", test_unspelled);
    g_test_add_func("/text/brief", test_brief);
    g_test_add_func("/text/plain", test_plain_text);
    g_test_add_func("/text/shortened", test_shortened);
    g_test_add_func("/text/shortened-differ", test_shortened_differ);
    g_test_add_func("/text/tables", test_tables);
    g_test_add_func("/text/markup", test_markup);
    g_test_add_func("/text/json", test_json);
    g_test_add_func("/text/always-harmless", test_always_harmless);
    g_test_add_func("/text/spelling-reads-back", test_spelling_reads_back);
    g_test_add_func("/text/documents-keep-names-apart", test_documents_keep_names_apart);
    return g_test_run();
}
