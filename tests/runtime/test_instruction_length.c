/* Lengths of instructions against Capstone, over all code of this process: libc, libm, GLib, OpenSSL's and GMP's
 * assembly where they are installed. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <capstone/capstone.h>
#include <glib.h>

#include "native/x86_64/instruction_length.h"
#include "support/random.h"

typedef struct {
    csh capstone;
    cs_insn *insn;
    gsize compared, left_to_capstone, only_here;
} Walk;

/* From instruction to instruction as Capstone sees them; where it sees none, a byte further. */
static void walk_code(Walk *walk, const guint8 *code, gsize bytes)
{
    while (bytes > 0) {
        unsigned length = dt_instruction_length(code, bytes);
        const guint8 *next = code;
        gsize left = bytes;
        uint64_t address = 0;
        if (!cs_disasm_iter(walk->capstone, &next, &left, &address, walk->insn)) {
            walk->only_here += length > 0;
            next = code + 1;
        } else if (length == 0) {
            walk->left_to_capstone++;
        } else {
            walk->compared++;
            if (length != walk->insn->size)
                g_error("%s %s: %u bytes instead of %u: %02x %02x %02x %02x %02x %02x", walk->insn->mnemonic,
                        walk->insn->op_str, length, walk->insn->size, code[0], code[1], code[2], code[3], code[4],
                        code[5]);
        }
        bytes -= (gsize)(next - code);
        code = next;
    }
}

static int walk_image(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
            walk_code(data, (const guint8 *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz);
    }
    return 0;
}

static void open_walk(Walk *walk)
{
    g_assert_cmpint(cs_open(CS_ARCH_X86, CS_MODE_64, &walk->capstone), ==, CS_ERR_OK);
    walk->insn = cs_malloc(walk->capstone);
}

static void close_walk(Walk *walk)
{
    cs_free(walk->insn, 1);
    cs_close(&walk->capstone);
}

static void test_installed_code(void)
{
    Walk walk = {0};
    open_walk(&walk);
    for (const char *const *name = (const char *const[]){"libcrypto.so.3", "libgmp.so.10", "libstdc++.so.6", NULL};
         *name; name++)
        dlopen(*name, RTLD_LAZY);
    dl_iterate_phdr(walk_image, &walk);
    g_test_message("%" G_GSIZE_FORMAT " compared, %" G_GSIZE_FORMAT " left to Capstone, %" G_GSIZE_FORMAT
                   " that it does not know",
                   walk.compared, walk.left_to_capstone, walk.only_here);
    g_assert_cmpuint(walk.compared, >, 500000);
    g_assert_cmpuint(walk.left_to_capstone, <, walk.compared / 500);
    close_walk(&walk);
}

/* Never more than there is. */
static void test_ends(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (int i = 0; i < 200000; i++) {
        guint8 code[16];
        for (gsize k = 0; k < sizeof(code); k++)
            code[k] = (guint8)g_rand_int(random);
        unsigned length = dt_instruction_length(code, sizeof(code));
        g_assert_cmpuint(length, <=, 15);
        for (gsize bytes = 0; bytes < sizeof(code); bytes++)
            g_assert_cmpuint(dt_instruction_length(code, bytes), ==, bytes < length ? 0 : length);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/runtime/instruction-length/installed-code", test_installed_code);
    g_test_add_func("/runtime/instruction-length/ends", test_ends);
    return g_test_run();
}
