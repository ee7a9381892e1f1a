/* Dynamic symbols of libraries that are loaded, of both kinds of hash table; dlsym() is the oracle. */
#include <dlfcn.h>
#include <glib.h>

#include "native/plan/dynamic_symbols.h"

static const char *const names[] = {"printf",
                                    "malloc",
                                    "qsort",
                                    "environ",
                                    "stdout",
                                    "pthread_create",
                                    "g_malloc",
                                    "g_hash_table_insert",
                                    "",
                                    "a",
                                    "zz_no_such_function",
                                    "printf_",
                                    "sysv_one",
                                    "sysv_two",
                                    "sysv_data",
                                    "sysv_hidden",
                                    "sysv_thre",
                                    "g_strdup"};

static void check_library(const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    struct link_map *map = NULL;
    g_assert_nonnull(library);
    g_assert_cmpint(dlinfo(library, RTLD_DI_LINKMAP, &map), ==, 0);
    const struct dt_dynamic_symbols symbols = dt_dynamic_symbols(map->l_ld);
    guint found = 0;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const struct dt_symbol_name name = dt_symbol_name(names[i]);
        void *address = dlsym(library, names[i]);
        Dl_info info;
        /* dlsym() looks into what the library needs, too. */
        bool own = address && dladdr(address, &info) && info.dli_fbase == (void *)map->l_addr;
        g_assert_cmpint(dt_image_defines(&symbols, &name), ==, own);
        found += own;
    }
    g_assert_cmpuint(found, >=, 3);
    dlclose(library);
}

static void test_gnu_table(void)
{
    check_library("libc.so.6");
    check_library("libglib-2.0.so.0");
}

static void test_sysv_table(void)
{
    g_autofree char *file = g_test_build_filename(G_TEST_BUILT, "libsysv-hash.so", NULL);
    check_library(file);
}

static void test_no_table(void)
{
    const Elf64_Dyn end = {.d_tag = DT_NULL};
    const struct dt_dynamic_symbols nothing = dt_dynamic_symbols(&end), neither = dt_dynamic_symbols(NULL);
    const struct dt_symbol_name name = dt_symbol_name("printf");
    g_assert_false(dt_image_defines(&nothing, &name));
    g_assert_false(dt_image_defines(&neither, &name));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dynamic-symbols/gnu", test_gnu_table);
    g_test_add_func("/dynamic-symbols/sysv", test_sysv_table);
    g_test_add_func("/dynamic-symbols/none", test_no_table);
    return g_test_run();
}
