/* Names of C++: those of the C++ library as its own demangler gives them, and those that would never end. */
#define _GNU_SOURCE
#include "store/symbols/names.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "store/symbols/mangled_size.h"

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* ---- those that are as they always were ------------------------------------------------------ */

static void check_name(const char *symbol)
{
    char *plain = __cxa_demangle(symbol, NULL, NULL, NULL);
    g_autofree char *name = dt_canonical_name(symbol, 0);
    g_assert_cmpstr(name, ==, plain ? plain : symbol);
    if (plain)
        g_assert_cmpuint(strlen(plain), <=, dt_mangled_size(symbol));
    free(plain);
}

static guint check_symbols(const char *file, gsize bytes)
{
    const ElfW(Ehdr) *header = (const void *)file;
    guint names = 0;
    for (guint i = 0; i < header->e_shnum; i++) {
        const ElfW(Shdr) *section = (const void *)(file + header->e_shoff + i * (gsize)header->e_shentsize);
        if (section->sh_type != SHT_DYNSYM)
            continue;
        const ElfW(Shdr) *strings = (const void *)(file + header->e_shoff + section->sh_link * sizeof(*section));
        for (gsize at = 0; at + sizeof(ElfW(Sym)) <= section->sh_size; at += sizeof(ElfW(Sym))) {
            const ElfW(Sym) *symbol = (const void *)(file + section->sh_offset + at);
            const char *name = file + strings->sh_offset + symbol->st_name;
            g_assert_cmpuint((gsize)(name - file), <, bytes);
            if (!g_str_has_prefix(name, "_Z"))
                continue;
            check_name(name);
            names++;
        }
    }
    return names;
}

static void test_names_of_libraries(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libLLVM-14.so.1", "libicuuc.so.72", "libmpi_cxx.so.40"};
    guint names = 0;
    for (guint i = 0; i < G_N_ELEMENTS(libraries); i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY);
        struct link_map *map = NULL;
        g_autofree char *file = NULL;
        gsize bytes;
        if (library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 &&
            g_file_get_contents(map->l_name, &file, &bytes, NULL))
            names += check_symbols(file, bytes);
    }
    if (names == 0)
        g_test_skip("no C++ library here");
    g_test_message("%u names", names);
}

/* Of all kinds that libraries seldom export. */
static void test_names_of_all_kinds(void)
{
    static const char *const names[] = {
        "_Z1fSs",
        "_ZN1aC1ERKS_",
        "_ZNSsC1Ev",
        "_ZNK1a1fEv",
        "_ZNKR1a1fEv",
        "_ZN1acvT_IiEEv",
        "_ZNK3anycvT_I3fooEEv",
        "_ZN1acviEv",
        "_Z1fIJicEEvDpT_",
        "_Z1fIJEEvDpT_",
        "_Z1fIiEDTcl1gfp_EET_",
        "_Z1fIiEvRAszT__i",
        "_Z1fILi3EEvv",
        "_Z1fILDn0EEvv",
        "_Z1fIXadL_Z1gvEEEvv",
        "_Z1fIJLi1ELi2EEEDTfrplT_Ev",
        "_ZZ4mainENKUlvE_clEv",
        "_ZZ1fIiEvT_ENKUlS0_E_clES0_",
        "_ZZ4mainENKUlT_E_clIiEEDaS_",
        "_ZZ1fvE1x_0",
        "_ZZ1fvEs",
        "_ZZ1fivEd_1x",
        "_ZTV1a",
        "_ZTI1a",
        "_ZThn8_N1a1fEv",
        "_ZTv0_n24_N1a1fEv",
        "_ZTCN1aE0_1b",
        "_ZGVZ1fvE1x",
        "_ZGR1x0",
        "_ZN12_GLOBAL__N_11fEv",
        "_Z1fB3abcv",
        "_Z1fM1aFivE",
        "_Z1fPKDv4_f",
        "_Z1fPFvPFvvEE",
        "_Z1fU8__vectorf",
        "_ZDC1a1bE",
        "_Z1fDF16_DhDd",
        "_Z1fPDoFvvE",
        "_ZngRK1a",
        "_Zli2_xy",
        "_Z1fIiEvDTnw_T_pifp_EE",
        "_Z1fIiEN1aIXsr1bIT_E1cEE1dEv",
        "_Z1fIiEDTdtfp_1xET_",
        "_Z1fIJiEEvDTsZT_EDpT_",
        "_Z1f",
        "_Z",
        "_Z1",
        "_ZN",
        "_ZS_",
        "_Z1fS5_",
        "_Z99f",
    };
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        check_name(names[i]);
}

/* ---- those that would never end ---------------------------------------------------------------- */

static char *base_36(guint number)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return number < 36 ? g_strdup_printf("%c", digits[number])
                       : g_strdup_printf("%c%c", digits[number / 36], digits[number % 36]);
}

/* Pairs of pairs of pairs: each twice as large as the one before. */
static char *nest_pairs(const char *start, guint depth, const char *end)
{
    g_autoptr(GString) name = g_string_new(start);
    g_string_append(name, "St4pairIiiE");
    for (guint i = 0; i < depth; i++) {
        g_autofree char *number = base_36(i);
        g_string_append_printf(name, "S_IS%s_S%s_E", number, number);
    }
    g_string_append(name, end);
    return g_string_free(g_steal_pointer(&name), FALSE);
}

static char *repeat(const char *start, const char *middle, guint count, const char *end)
{
    g_autoptr(GString) name = g_string_new(start);
    for (guint i = 0; i < count; i++)
        g_string_append(name, middle);
    g_string_append(name, end);
    return g_string_free(g_steal_pointer(&name), FALSE);
}

static void assert_stays(char *symbol)
{
    g_autofree char *name = dt_canonical_name(symbol, 0);
    if (strlen(symbol) <= 1024)
        g_assert_cmpstr(name, ==, symbol);
    else
        g_assert_cmpuint(strlen(name), <=, 1024);
    g_free(symbol);
}

static void test_endless_names(void)
{
    assert_stays(nest_pairs("_Z1f", 34, ""));
    assert_stays(nest_pairs("_Z1fIJEEv", 34, "DpT_"));
    assert_stays(nest_pairs("_Z1fI", 34, "EvT_"));
    assert_stays(nest_pairs("_ZN1a1bI", 34, "EcviEv"));
    assert_stays(nest_pairs("_ZZ1f", 34, "E1x"));
    /* A conversion's type is tried in two ways, and in each of them the next one. */
    g_autofree char *types = repeat("_ZN1acv", "T_I", 150, "i"), *ends = repeat("", "E", 150, "Ev");
    assert_stays(g_strconcat(types, ends, NULL));
    assert_stays(repeat("_Z1f", "P", 1 << 20, "i"));
    assert_stays(repeat("_ZN", "1a", 1 << 19, "Ev"));
    assert_stays(repeat("_Z1fv", ".a", 1 << 19, ""));
    assert_stays(repeat("", "M", 1 << 20, ""));
}

/* A pattern is searched for a pack, which comes last and is empty: nothing of it is printed. */
static void test_endless_search(void)
{
    g_autoptr(GString) name = g_string_new("_Z1fIJEEvDpFvSt4pairIiiE");
    for (guint i = 1; i < 35; i++) {
        g_autofree char *number = base_36(i);
        g_string_append_printf(name, "S0_IS%s_S%s_E", number, number);
    }
    g_string_append(name, "T_E");
    assert_stays(g_string_free(g_steal_pointer(&name), FALSE));
}

/* What is cut differs where the names do. */
static void test_long_names_differ(void)
{
    g_autofree char *one = repeat("", "M", 5000, "1"), *two = repeat("", "M", 5000, "2");
    g_autofree char *first = dt_canonical_name(one, 0), *second = dt_canonical_name(two, 0);
    g_assert_cmpstr(first, !=, second);
    g_assert_true(g_str_has_prefix(first, "MMMM"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/names/libraries", test_names_of_libraries);
    g_test_add_func("/names/kinds", test_names_of_all_kinds);
    g_test_add_func("/names/endless", test_endless_names);
    g_test_add_func("/names/endless-search", test_endless_search);
    g_test_add_func("/names/long", test_long_names_differ);
    return g_test_run();
}
