/* Which functions terminate: by hand, and over all functions of libraries against what Capstone says of them. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <capstone/capstone.h>
#include <gelf.h>
#include <glib.h>

#include "native/plan/terminating.h"

/* ---- by hand ---------------------------------------------------------------------------------- */

static const struct {
    const char *what;
    enum dt_terminating_kind kind;
    guint8 bytes;
    guint8 code[24];
} examples[] = {
    {"ret", DT_TERMINATING, 1, {0xc3}},
    {"endbr64; xor; ret", DT_TERMINATING, 7, {0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0, 0xc3}},
    {"rep ret", DT_TERMINATING, 2, {0xf3, 0xc3}},
    {"branch ahead", DT_TERMINATING, 6, {0x74, 0x02, 0xff, 0xc0, 0x90, 0xc3}},
    {"branch ahead over four bytes of displacement", DT_TERMINATING, 9, {0x0f, 0x84, 0x02, 0, 0, 0, 0xff, 0xc0, 0xc3}},
    {"jump back to what was left out", DT_TERMINATING, 5, {0xeb, 0x01, 0xc3, 0xeb, 0xfd}},
    {"vector instruction with an operand at 0xc3",
     DT_TERMINATING,
     9,
     {0xc5, 0xf9, 0x54, 0x05, 0x48, 0xa4, 0x0e, 0x00, 0xc3}},
    {"rep stos", DT_TERMINATING, 4, {0xf3, 0x48, 0xab, 0xc3}},
    {"push, pop", DT_TERMINATING, 3, {0x55, 0x5d, 0xc3}},
    {"increment by ff /0", DT_TERMINATING, 3, {0xff, 0x07, 0xc3}},
    {"nothing", DT_NOT_TERMINATING, 0, {0}},
    {"falls out", DT_NOT_TERMINATING, 2, {0x31, 0xc0}},
    {"may fall out", DT_NOT_TERMINATING, 4, {0x74, 0x01, 0xc3, 0x90}},
    {"branch to itself", DT_NOT_TERMINATING, 3, {0x74, 0xfe, 0xc3}},
    {"branch out", DT_NOT_TERMINATING, 3, {0x74, 0x01, 0xc3}},
    {"branch into an instruction", DT_NOT_TERMINATING, 5, {0x74, 0x01, 0x31, 0xc0, 0xc3}},
    {"tail call", DT_NOT_TERMINATING, 5, {0xe9, 0, 1, 0, 0}},
    {"indirect tail call", DT_NOT_TERMINATING, 2, {0xff, 0xe0}},
    {"call", DT_NOT_TERMINATING, 6, {0xe8, 0, 0, 0, 0, 0xc3}},
    {"indirect call", DT_NOT_TERMINATING, 3, {0xff, 0xd0, 0xc3}},
    {"call of a table's", DT_NOT_TERMINATING, 4, {0x41, 0xff, 0x14, 0x24}},
    {"system call", DT_NOT_TERMINATING, 3, {0x0f, 0x05, 0xc3}},
    {"pause", DT_NOT_TERMINATING, 3, {0xf3, 0x90, 0xc3}},
    {"loop", DT_NOT_TERMINATING, 3, {0xe2, 0xfe, 0xc3}},
    {"undefined", DT_NOT_TERMINATING, 3, {0x0f, 0x0b, 0xc3}},
    {"breakpoint", DT_NOT_TERMINATING, 2, {0xcc, 0xc3}},
    {"transaction", DT_NOT_TERMINATING, 7, {0xc7, 0xf8, 0, 0, 0, 0, 0xc3}},
    {"cut off", DT_NOT_TERMINATING, 3, {0xc3, 0x0f, 0x1e}},
    {"a call that ends it", DT_TERMINATING, 8, {0x74, 0x05, 0xe8, 0xff, 0, 0, 0, 0xc3}},
    {"nothing but a call that ends it", DT_NOT_TERMINATING, 5, {0xe8, 0xff, 0, 0, 0}},
    {"a call that reports, and what is behind it",
     DT_TERMINATING_REPORTING,
     10,
     {0x74, 0x07, 0xe8, 0xfe, 0, 0, 0, 0xff, 0xc0, 0xc3}},
    {"nothing but a call that reports", DT_TERMINATING_REPORTING, 6, {0xe8, 0xfe, 0, 0, 0, 0xc3}},
    {"one that reports, one that does not", DT_NOT_TERMINATING, 11, {0xe8, 0xfe, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0xc3}},
    {"a report in a loop", DT_NOT_TERMINATING, 10, {0xe8, 0xfe, 0, 0, 0, 0xff, 0xc8, 0x75, 0xf7, 0xc3}},
    {"a report that is not come to", DT_TERMINATING, 6, {0xc3, 0xe8, 0xfe, 0, 0, 0}},
    {"dec eax; jne", DT_TERMINATING, 5, {0xff, 0xc8, 0x75, 0xfc, 0xc3}},
    {"dec al; jne", DT_NOT_TERMINATING, 5, {0xfe, 0xc8, 0x75, 0xfc, 0xc3}},
    {"add 1, rax; cmp rax, rcx; jne", DT_TERMINATING, 10, {0x48, 0x83, 0xc0, 1, 0x48, 0x39, 0xc1, 0x75, 0xf7, 0xc3}},
    {"the same, and movaps in between",
     DT_TERMINATING,
     13,
     {0x48, 0x83, 0xc0, 1, 0x48, 0x39, 0xc1, 0x0f, 0x28, 0xc8, 0x75, 0xf4, 0xc3}},
    {"add 0, rax; cmp rax, rcx; jne",
     DT_NOT_TERMINATING,
     10,
     {0x48, 0x83, 0xc0, 0, 0x48, 0x39, 0xc1, 0x75, 0xf7, 0xc3}},
    {"add rdx, rax; cmp rax, rcx; jne", DT_NOT_TERMINATING, 9, {0x48, 0x01, 0xd0, 0x48, 0x39, 0xc1, 0x75, 0xf8, 0xc3}},
    {"add 1, rax; cmp 100, rax; jl",
     DT_TERMINATING,
     11,
     {0x48, 0x83, 0xc0, 1, 0x48, 0x83, 0xf8, 100, 0x7c, 0xf6, 0xc3}},
    {"lea 8(rax), rax; cmp rax, rcx; jne",
     DT_TERMINATING,
     10,
     {0x48, 0x8d, 0x40, 8, 0x48, 0x39, 0xc1, 0x75, 0xf7, 0xc3}},
    {"mov rax, rdx; add 1, rax; cmp rdx, rcx; jne",
     DT_TERMINATING,
     13,
     {0x48, 0x89, 0xc2, 0x48, 0x83, 0xc0, 1, 0x48, 0x39, 0xd1, 0x75, 0xf4, 0xc3}},
    {"both sides of the comparison step",
     DT_NOT_TERMINATING,
     14,
     {0x48, 0x83, 0xc0, 1, 0x48, 0x83, 0xc1, 1, 0x48, 0x39, 0xc1, 0x75, 0xf3, 0xc3}},
    {"two steps",
     DT_NOT_TERMINATING,
     14,
     {0x48, 0x83, 0xc0, 1, 0x48, 0x83, 0xe8, 1, 0x48, 0x39, 0xc1, 0x75, 0xf3, 0xc3}},
    {"a step that turns may leave out",
     DT_NOT_TERMINATING,
     14,
     {0x85, 0xd2, 0x74, 0x04, 0x48, 0x83, 0xc0, 1, 0x48, 0x39, 0xc1, 0x75, 0xf3, 0xc3}},
    {"compared with memory", DT_NOT_TERMINATING, 10, {0x48, 0x83, 0xc0, 1, 0x48, 0x3b, 0x07, 0x75, 0xf7, 0xc3}},
    {"waits for memory", DT_NOT_TERMINATING, 7, {0x8b, 0x07, 0x85, 0xc0, 0x74, 0xfa, 0xc3}},
    {"reads to a zero", DT_NOT_TERMINATING, 9, {0x80, 0x3f, 0, 0x74, 0x04, 0xff, 0xc7, 0xeb, 0xf7}},
    {"reads to a zero or an end",
     DT_TERMINATING,
     14,
     {0x80, 0x3f, 0, 0x74, 0x08, 0x48, 0xff, 0xc7, 0x48, 0x39, 0xcf, 0x75, 0xf3, 0xc3}},
    {"one loop behind the other", DT_TERMINATING, 9, {0xff, 0xc8, 0x75, 0xfc, 0xff, 0xc9, 0x75, 0xfc, 0xc3}},
    {"one loop within the other", DT_NOT_TERMINATING, 9, {0xff, 0xc8, 0x75, 0xfc, 0xff, 0xc9, 0x75, 0xf8, 0xc3}},
    {"a loop with two entries", DT_NOT_TERMINATING, 9, {0x74, 0x02, 0x31, 0xd2, 0xff, 0xc8, 0x75, 0xfa, 0xc3}},
};

static bool ends(const void *context, const guint8 *call)
{
    (void)context;
    return call[1] == 0xff;
}

static bool reports(const void *context, const guint8 *call)
{
    (void)context;
    return call[1] == 0xfe;
}

typedef struct {
    csh capstone;
    cs_insn *insn;
    struct dt_terminating_finder *finder;
    gsize functions, terminating, looping, missed;
} Survey;

static void survey_begin(Survey *survey)
{
    *survey = (Survey){.finder = g_new0(struct dt_terminating_finder, 1)};
    g_assert_cmpint(cs_open(CS_ARCH_X86, CS_MODE_64, &survey->capstone), ==, CS_ERR_OK);
    cs_option(survey->capstone, CS_OPT_DETAIL, CS_OPT_ON);
    survey->insn = cs_malloc(survey->capstone);
    survey->finder->capstone = survey->capstone;
    survey->finder->insn = survey->insn;
}

static void survey_end(Survey *survey)
{
    cs_free(survey->insn, 1);
    cs_close(&survey->capstone);
    g_free(survey->finder);
}

static void test_by_hand(void)
{
    Survey survey;
    survey_begin(&survey);
    survey.finder->ends = ends;
    survey.finder->reports = reports;
    for (gsize i = 0; i < G_N_ELEMENTS(examples); i++) {
        g_test_message("%s", examples[i].what);
        g_assert_cmpint(dt_terminating_kind(survey.finder, examples[i].code, examples[i].bytes), ==, examples[i].kind);
    }
    survey_end(&survey);
}

static void test_large(void)
{
    g_autofree guint8 *code = g_malloc(DT_LARGEST_TERMINATING + 1);
    Survey survey;
    survey_begin(&survey);
    memset(code, 0x90, DT_LARGEST_TERMINATING + 1);
    code[DT_LARGEST_TERMINATING - 1] = code[DT_LARGEST_TERMINATING] = 0xc3;
    g_assert_cmpint(dt_terminating_kind(survey.finder, code, DT_LARGEST_TERMINATING), ==, DT_TERMINATING);
    g_assert_cmpint(dt_terminating_kind(survey.finder, code, DT_LARGEST_TERMINATING + 1), ==, DT_NOT_TERMINATING);
    survey_end(&survey);
}

static void test_by_name(void)
{
    for (const char *const *name =
             (const char *const[]){"memcpy", "strlen", "exp", "expf", "expl", "sincosf", "_gfortran_pow_r8_i8", NULL};
         *name; name++)
        g_assert_true(dt_is_terminating_import(*name));
    for (const char *const *name =
             (const char *const[]){"", "f", "l", "qsort", "malloc", "memcpyf", "expq", "exit", "read", "rand", "strtok",
                                   "__memcpy_chk", "pthread_self", NULL};
         *name; name++)
        g_assert_false(dt_is_terminating_import(*name));
}

/* ---- by Capstone ------------------------------------------------------------------------------ */

/* What one instruction may do next. */
typedef struct {
    guint64 next, target; /* 0: nowhere */
    gboolean leaves;
    gboolean compares; /* registers and constants alone, or counts one of them */
} Going;

static gboolean in_group(const cs_insn *insn, guint8 group)
{
    return memchr(insn->detail->groups, group, insn->detail->groups_count) != NULL;
}

static gboolean compares(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    for (int i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM && insn->id != X86_INS_LEA)
            return FALSE;
    return insn->id == X86_INS_CMP || insn->id == X86_INS_TEST || insn->id == X86_INS_ADD || insn->id == X86_INS_SUB ||
           insn->id == X86_INS_INC || insn->id == X86_INS_DEC;
}

static Going going_of(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    Going going = {.next = insn->address + insn->size, .compares = compares(insn)};
    if (in_group(insn, CS_GRP_CALL) || in_group(insn, CS_GRP_INT) || in_group(insn, CS_GRP_IRET) ||
        insn->id == X86_INS_SYSCALL || insn->id == X86_INS_SYSENTER || insn->id == X86_INS_PAUSE ||
        insn->id == X86_INS_HLT || insn->id == X86_INS_UD0 || insn->id == X86_INS_UD2 || insn->id == X86_INS_XBEGIN)
        going.leaves = TRUE;
    if (in_group(insn, CS_GRP_RET))
        going.next = 0;
    if (!in_group(insn, CS_GRP_JUMP))
        return going;
    if (x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM)
        going.target = (guint64)x86->operands[0].imm;
    else
        going.leaves = TRUE;
    if (insn->id == X86_INS_JMP)
        going.next = 0;
    return going;
}

static GHashTable *read_going(Survey *survey, const guint8 *code, gsize bytes)
{
    g_autoptr(GHashTable) all = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    uint64_t address = (guintptr)code;
    while (bytes > 0) {
        if (!cs_disasm_iter(survey->capstone, &code, &bytes, &address, survey->insn))
            return NULL;
        Going going = going_of(survey->insn);
        g_hash_table_insert(all, g_memdup2(&survey->insn->address, 8), g_memdup2(&going, sizeof going));
    }
    return g_steal_pointer(&all);
}

/* Instructions that can be come to, or NULL if one of them leaves the function. */
static GHashTable *reachable(GHashTable *all, guint64 entry)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GArray) left = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_array_append_val(left, entry);
    while (left->len > 0) {
        guint64 here = g_array_index(left, guint64, left->len - 1);
        g_array_set_size(left, left->len - 1);
        Going *going = g_hash_table_lookup(all, &here);
        if (!going || going->leaves)
            return NULL;
        if (!g_hash_table_insert(seen, g_memdup2(&here, 8), going))
            continue;
        if (going->next)
            g_array_append_val(left, going->next);
        if (going->target)
            g_array_append_val(left, going->target);
    }
    return g_steal_pointer(&seen);
}

static gboolean leads_nowhere(gpointer address, gpointer value, gpointer seen)
{
    const Going *going = value;
    (void)address;
    return !(going->next && g_hash_table_contains(seen, &going->next)) &&
           !(going->target && g_hash_table_contains(seen, &going->target));
}

static void is_comparison(gpointer address, gpointer value, gpointer found)
{
    (void)address;
    *(gboolean *)found |= ((const Going *)value)->compares;
}

enum { NOT_TERMINATING, LOOPING, TERMINATING };

/* As terminating.h says it, by another decoder and other algorithms: what can be come to, without end after end, is
 * what is in loops. Of these it is only asked whether they compare anything. */
static int judge(Survey *survey, const guint8 *code, gsize bytes)
{
    gboolean compared = FALSE;
    g_autoptr(GHashTable) all = read_going(survey, code, bytes);
    g_autoptr(GHashTable) seen = all ? reachable(all, (guintptr)code) : NULL;
    if (!seen)
        return NOT_TERMINATING;
    guint before = g_hash_table_size(seen);
    while (g_hash_table_foreach_remove(seen, leads_nowhere, seen) > 0)
        ;
    if (g_hash_table_size(seen) == 0)
        return TERMINATING;
    g_hash_table_foreach(seen, is_comparison, &compared);
    return compared && g_hash_table_size(seen) < before ? LOOPING : NOT_TERMINATING;
}

static void survey_function(Survey *survey, const guint8 *code, gsize bytes)
{
    gboolean terminates = dt_terminating_kind(survey->finder, code, bytes) == DT_TERMINATING;
    int expected = bytes <= DT_LARGEST_TERMINATING ? judge(survey, code, bytes) : NOT_TERMINATING;
    survey->functions++;
    survey->terminating += terminates ? 1 : 0;
    survey->looping += terminates && expected == LOOPING;
    survey->missed += expected == TERMINATING && !terminates;
    if (terminates)
        g_assert_cmpint(expected, !=, NOT_TERMINATING);
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
    Survey survey;
    elf_version(EV_CURRENT);
    survey_begin(&survey);
    dlopen("libstdc++.so.6", RTLD_LAZY);
    dl_iterate_phdr(survey_image, &survey);
    g_test_message("%" G_GSIZE_FORMAT " functions, %" G_GSIZE_FORMAT " terminating, %" G_GSIZE_FORMAT
                   " of them with loops, %" G_GSIZE_FORMAT " not seen to be",
                   survey.functions, survey.terminating, survey.looping, survey.missed);
    g_assert_cmpuint(survey.terminating, >, 500);
    g_assert_cmpuint(survey.looping, >, 10);
    g_assert_cmpuint(survey.missed, <, survey.terminating / 20);
    survey_end(&survey);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/runtime/terminating/by-hand", test_by_hand);
    g_test_add_func("/runtime/terminating/large", test_large);
    g_test_add_func("/runtime/terminating/by-name", test_by_name);
    g_test_add_func("/runtime/terminating/libraries", test_libraries);
    return g_test_run();
}
