/* Which functions are leaves: by hand, and over all functions of libraries against what Capstone says of them. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <capstone/capstone.h>
#include <gelf.h>
#include <glib.h>

#include "leaf.h"

/* ---- by hand ---------------------------------------------------------------------------------- */

static const struct {
    const char *what;
    gboolean leaf;
    guint8 bytes;
    guint8 code[16];
} examples[] = {
    {"ret", TRUE, 1, {0xc3}},
    {"endbr64; xor; ret", TRUE, 7, {0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0, 0xc3}},
    {"rep ret", TRUE, 2, {0xf3, 0xc3}},
    {"branch ahead", TRUE, 6, {0x74, 0x02, 0xff, 0xc0, 0x90, 0xc3}},
    {"branch ahead over four bytes of displacement", TRUE, 9, {0x0f, 0x84, 0x02, 0, 0, 0, 0xff, 0xc0, 0xc3}},
    {"vector instruction with an operand at 0xc3", TRUE, 9, {0xc5, 0xf9, 0x54, 0x05, 0x48, 0xa4, 0x0e, 0x00, 0xc3}},
    {"rep stos", TRUE, 4, {0xf3, 0x48, 0xab, 0xc3}},
    {"push, pop", TRUE, 3, {0x55, 0x5d, 0xc3}},
    {"increment by ff /0", TRUE, 3, {0xff, 0x07, 0xc3}},
    {"nothing", FALSE, 0, {0}},
    {"falls out", FALSE, 2, {0x31, 0xc0}},
    {"branch back", FALSE, 5, {0xff, 0xc8, 0x75, 0xfc, 0xc3}},
    {"branch to itself", FALSE, 3, {0x74, 0xfe, 0xc3}},
    {"branch out", FALSE, 3, {0x74, 0x01, 0xc3}},
    {"tail call", FALSE, 5, {0xe9, 0, 1, 0, 0}},
    {"indirect tail call", FALSE, 2, {0xff, 0xe0}},
    {"call", FALSE, 6, {0xe8, 0, 0, 0, 0, 0xc3}},
    {"indirect call", FALSE, 3, {0xff, 0xd0, 0xc3}},
    {"call of a table's", FALSE, 4, {0x41, 0xff, 0x14, 0x24}},
    {"system call", FALSE, 3, {0x0f, 0x05, 0xc3}},
    {"pause", FALSE, 3, {0xf3, 0x90, 0xc3}},
    {"loop", FALSE, 3, {0xe2, 0xfe, 0xc3}},
    {"undefined", FALSE, 3, {0x0f, 0x0b, 0xc3}},
    {"breakpoint", FALSE, 2, {0xcc, 0xc3}},
    {"transaction", FALSE, 7, {0xc7, 0xf8, 0, 0, 0, 0, 0xc3}},
    {"cut off", FALSE, 3, {0xc3, 0x0f, 0x1e}},
};

static void test_by_hand(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(examples); i++) {
        g_test_message("%s", examples[i].what);
        g_assert_cmpint(dt_is_leaf(examples[i].code, examples[i].bytes), ==, examples[i].leaf);
    }
}

static void test_large(void)
{
    g_autofree guint8 *code = g_malloc(DT_LARGEST_LEAF + 1);
    memset(code, 0x90, DT_LARGEST_LEAF + 1);
    code[DT_LARGEST_LEAF - 1] = code[DT_LARGEST_LEAF] = 0xc3;
    g_assert_true(dt_is_leaf(code, DT_LARGEST_LEAF));
    g_assert_false(dt_is_leaf(code, DT_LARGEST_LEAF + 1));
}

static void test_by_name(void)
{
    for (const char *const *name =
             (const char *const[]){"memcpy", "strlen", "exp", "expf", "expl", "sincosf", "_gfortran_pow_r8_i8", NULL};
         *name; name++)
        g_assert_true(dt_is_leaf_import(*name));
    for (const char *const *name =
             (const char *const[]){"", "f", "l", "qsort", "malloc", "memcpyf", "expq", "exit", "read", "rand", "strtok",
                                   "__memcpy_chk", "pthread_self", NULL};
         *name; name++)
        g_assert_false(dt_is_leaf_import(*name));
}

/* ---- by Capstone ------------------------------------------------------------------------------ */

typedef struct {
    csh capstone;
    cs_insn *insn;
    gsize functions, leaves, missed;
} Survey;

static gboolean in_group(const cs_insn *insn, guint8 group)
{
    return memchr(insn->detail->groups, group, insn->detail->groups_count) != NULL;
}

static gboolean may_stay_or_leave(const cs_insn *insn, guint64 end)
{
    const cs_x86 *x86 = &insn->detail->x86;
    if (in_group(insn, CS_GRP_CALL) || in_group(insn, CS_GRP_INT) || in_group(insn, CS_GRP_IRET) ||
        insn->id == X86_INS_SYSCALL || insn->id == X86_INS_SYSENTER || insn->id == X86_INS_PAUSE ||
        insn->id == X86_INS_HLT || insn->id == X86_INS_UD0 || insn->id == X86_INS_UD2 || insn->id == X86_INS_XBEGIN)
        return TRUE;
    if (!in_group(insn, CS_GRP_JUMP))
        return FALSE;
    guint64 target = x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM ? (guint64)x86->operands[0].imm : 0;
    return target < insn->address + insn->size || target >= end;
}

/* As leaf.h says it, by another decoder. */
static gboolean returns_at_once(Survey *survey, const guint8 *code, gsize bytes)
{
    uint64_t address = (guintptr)code, end = address + bytes;
    gboolean returns = FALSE;
    while (bytes > 0) {
        if (!cs_disasm_iter(survey->capstone, &code, &bytes, &address, survey->insn) ||
            may_stay_or_leave(survey->insn, end))
            return FALSE;
        returns = in_group(survey->insn, CS_GRP_RET);
    }
    return returns;
}

static void survey_function(Survey *survey, const guint8 *code, gsize bytes)
{
    gboolean leaf = dt_is_leaf(code, bytes);
    gboolean expected = bytes <= DT_LARGEST_LEAF && returns_at_once(survey, code, bytes);
    survey->functions++;
    survey->leaves += leaf ? 1 : 0;
    survey->missed += expected && !leaf;
    if (leaf)
        g_assert_true(expected);
}

static void survey_symbols(Survey *survey, Elf_Scn *section, const GElf_Shdr *header, guintptr bias)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 0; i < (int)(header->sh_size / header->sh_entsize) && gelf_getsym(data, i, &symbol); i++)
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0)
            survey_function(survey, (const guint8 *)(bias + symbol.st_value), symbol.st_size);
}

static int survey_image(struct dl_phdr_info *info, size_t size, void *survey)
{
    (void)size;
    int file = open(info->dlpi_name, O_RDONLY | O_CLOEXEC);
    Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            survey_symbols(survey, section, &header, info->dlpi_addr);
    elf_end(elf);
    if (file >= 0)
        close(file);
    return 0;
}

static void test_libraries(void)
{
    Survey survey = {0};
    elf_version(EV_CURRENT);
    g_assert_cmpint(cs_open(CS_ARCH_X86, CS_MODE_64, &survey.capstone), ==, CS_ERR_OK);
    cs_option(survey.capstone, CS_OPT_DETAIL, CS_OPT_ON);
    survey.insn = cs_malloc(survey.capstone);
    dlopen("libstdc++.so.6", RTLD_LAZY);
    dl_iterate_phdr(survey_image, &survey);
    g_test_message("%" G_GSIZE_FORMAT " functions, %" G_GSIZE_FORMAT " leaves, %" G_GSIZE_FORMAT " not seen to be",
                   survey.functions, survey.leaves, survey.missed);
    g_assert_cmpuint(survey.leaves, >, 500);
    g_assert_cmpuint(survey.missed, <, survey.leaves / 20);
    cs_free(survey.insn, 1);
    cs_close(&survey.capstone);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/runtime/leaf/by-hand", test_by_hand);
    g_test_add_func("/runtime/leaf/large", test_large);
    g_test_add_func("/runtime/leaf/by-name", test_by_name);
    g_test_add_func("/runtime/leaf/libraries", test_libraries);
    return g_test_run();
}
