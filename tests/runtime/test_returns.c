/* Where functions return: by hand, and over all functions of libraries against what Capstone says of their code. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <capstone/capstone.h>
#include <gelf.h>
#include <glib.h>

#include "native/x86_64/control_flow.h"
#include "native/x86_64/decode.h"
#include "native/x86_64/relocation.h"
#include "native/x86_64/returns.h"

/* ---- what decode.c and plan_build.c have ------------------------------------------------------ */

bool dt_branch_targets_has(const struct dt_branch_targets *targets, uint64_t address)
{
    uint64_t bit = address - targets->low;
    return address >= targets->low && address < targets->high && (targets->bits[bit >> 3] >> (bit & 7) & 1);
}

void dt_branch_targets_mark(struct dt_branch_targets *targets, uint64_t address)
{
    if (address >= targets->low && address < targets->high)
        targets->bits[(address - targets->low) >> 3] |= (uint8_t)(1u << ((address - targets->low) & 7));
}

/* ---- by hand ---------------------------------------------------------------------------------- */

/* A function begins at 64. Its first five bytes are no-ops where nothing else is asked. */
static const struct {
    const char *what;
    guint8 bytes, padding;
    gint8 target; /* from the start; 0: none */
    guint8 code[20];
    guint count;
    struct dt_plan_return first, last;
} examples[] = {
    {"add, ret", 10, 0, 0, {0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xc4, 0x18, 0xc3}, 1, {5, 4, 0}, {5, 4, 0}},
    {"pops, ret", 10, 0, 0, {0x90, 0x90, 0x90, 0x90, 0x90, 0x5b, 0x5d, 0x41, 0x5c, 0xc3}, 1, {5, 4, 0}, {5, 4, 0}},
    {"no more than needed",
     12,
     0,
     0,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0x5b, 0x5b, 0x5b, 0x5d, 0x41, 0x5c, 0xc3},
     1,
     {7, 4, 0},
     {7, 4, 0}},
    {"a return and padding", 6, 4, 0, {0x90, 0x90, 0x90, 0x90, 0x90, 0xc3}, 1, {5, 0, 0}, {5, 0, 0}},
    {"too little padding", 6, 3, 0, {0x90, 0x90, 0x90, 0x90, 0x90, 0xc3}, 0, {0, 0, 0}, {0, 0, 0}},
    {"too near the start", 9, 0, 0, {0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xc4, 0x18, 0xc3}, 0, {0, 0, 0}, {0, 0, 0}},
    {"two, with no-ops between",
     16,
     0,
     11,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0x5b, 0xc3, 0x66, 0x90, 0x90, 0x90, 0x48, 0x83, 0xc4, 8, 0xc3},
     2,
     {6, 0, 0},
     {11, 4, 0}},
    {"two next to each other",
     15,
     0,
     10,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xc4, 8, 0xc3, 0x48, 0x83, 0xc4, 16, 0xc3},
     2,
     {5, 4, 0},
     {10, 4, 0}},
    {"a jump to the first of them", 10, 0, 5, {0xe9, 0, 0, 0, 0, 0x48, 0x83, 0xc4, 8, 0xc3}, 1, {5, 4, 0}, {5, 4, 0}},
    {"a jump to the return",
     10,
     0,
     9,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xc4, 8, 0xc3},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"a jump to the padding behind",
     8,
     4,
     7,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0x5b, 0xc3, 0x90},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"what depends on its place",
     13,
     0,
     0,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0x8b, 0x05, 1, 0, 0, 0, 0x5b, 0xc3},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"a branch before it", 9, 0, 0, {0x90, 0x90, 0x90, 0x90, 0x90, 0x74, 0xfd, 0x5b, 0xc3}, 0, {0, 0, 0}, {0, 0, 0}},
    {"a call before it",
     12,
     0,
     0,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0xe8, 0, 0, 0, 0, 0x5b, 0xc3},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"an indirect call earlier",
     14,
     0,
     0,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0, 0x90, 0x90, 0x48, 0x83, 0xc4, 8, 0xc3},
     1,
     {9, 4, 0},
     {9, 4, 0}},
    {"a return that takes more off the stack",
     12,
     0,
     0,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xc4, 8, 0xc2, 8, 0},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"a tail call",
     15,
     0,
     0,
     {0xe9, 0, 1, 0, 0, 0x48, 0x83, 0xc4, 8, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"an indirect jump",
     12,
     0,
     0,
     {0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0, 0x48, 0x83, 0xc4, 8, 0xc3},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"rep ret", 11, 0, 0, {0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xc4, 8, 0xf3, 0xc3}, 1, {5, 4, 0}, {5, 4, 0}},
    {"none", 8, 0, 0, {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xeb, 0xfe}, 0, {0, 0, 0}, {0, 0, 0}},
    {"nothing", 0, 0, 0, {0}, 0, {0, 0, 0}, {0, 0, 0}},
};

static void test_by_hand(void)
{
    g_autofree struct dt_control_flow *flow = g_new0(struct dt_control_flow, 1);
    for (gsize i = 0; i < G_N_ELEMENTS(examples); i++) {
        guint8 bits[32] = {0};
        struct dt_branch_targets targets = {0, 256, bits};
        struct dt_plan_return returns[DT_MOST_RETURNS];
        g_test_message("%s", examples[i].what);
        if (examples[i].target)
            dt_branch_targets_mark(&targets, 64u + (guint8)examples[i].target);
        guint count =
            dt_find_returns(flow, &targets, 64, examples[i].code, examples[i].bytes, examples[i].padding, 5, returns);
        g_assert_cmpuint(count, ==, examples[i].count);
        if (count == 0)
            continue;
        g_assert_cmpuint(returns[0].offset, ==, examples[i].first.offset);
        g_assert_cmpuint(returns[0].relocated, ==, examples[i].first.relocated);
        g_assert_cmpuint(returns[count - 1].offset, ==, examples[i].last.offset);
        g_assert_cmpuint(returns[count - 1].relocated, ==, examples[i].last.relocated);
        for (guint k = 0; k < DT_JUMP_BYTES; k++)
            g_assert_true(dt_branch_targets_has(&targets, 64u + returns[0].offset + k));
    }
}

/* ---- by Capstone ------------------------------------------------------------------------------ */

typedef struct {
    csh capstone;
    cs_insn *insn;
    struct dt_control_flow *flow;
    gsize functions, found, returns, not_found;
} Survey;

static gboolean in_group(const cs_insn *insn, guint8 group)
{
    return memchr(insn->detail->groups, group, insn->detail->groups_count) != NULL;
}

static gboolean depends_on_its_place(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    for (int i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].mem.base == X86_REG_RIP)
            return TRUE;
    return in_group(insn, CS_GRP_JUMP) || in_group(insn, CS_GRP_CALL);
}

/* What Capstone says of a function: where its jumps go, and its returns. */
typedef struct {
    gboolean whole, leaves;
    GHashTable *targets, *returns; /* sets of offsets */
} Reading;

static Reading read_function(Survey *survey, const guint8 *code, gsize bytes)
{
    Reading reading = {TRUE, FALSE, g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL)};
    const guint8 *at = code;
    gsize left = bytes;
    uint64_t address = 0;
    while (left > 0 && reading.whole) {
        reading.whole = cs_disasm_iter(survey->capstone, &at, &left, &address, survey->insn);
        if (!reading.whole)
            break;
        const cs_insn *insn = survey->insn;
        const cs_x86 *x86 = &insn->detail->x86;
        if (insn->id == X86_INS_RET)
            g_hash_table_add(reading.returns, GSIZE_TO_POINTER(insn->address));
        if (!in_group(insn, CS_GRP_JUMP))
            continue;
        gboolean direct = x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
        gint64 target = direct ? x86->operands[0].imm : -1;
        reading.leaves |= target < 0 || target >= (gint64)bytes;
        g_hash_table_add(reading.targets, GSIZE_TO_POINTER((gsize)target));
    }
    return reading;
}

static void check_return(Survey *survey, const Reading *reading, const guint8 *code, gsize bytes,
                         const struct dt_plan_return *one)
{
    const guint8 *at = code + one->offset;
    gsize left = bytes - one->offset;
    uint64_t address = one->offset, ret = (uint64_t)one->offset + one->relocated;
    while (address < ret) {
        g_assert_true(cs_disasm_iter(survey->capstone, &at, &left, &address, survey->insn));
        g_assert_false(depends_on_its_place(survey->insn));
        g_assert_false(g_hash_table_contains(reading->targets, GSIZE_TO_POINTER(address)));
    }
    g_assert_cmpuint(address, ==, ret);
    g_assert_true(g_hash_table_remove(reading->returns, GSIZE_TO_POINTER(address)));
    g_assert_true(cs_disasm_iter(survey->capstone, &at, &left, &address, survey->insn));
    /* What the jump overwrites behind the return are no-ops. */
    while (address < (uint64_t)one->offset + DT_JUMP_BYTES) {
        g_assert_true(cs_disasm_iter(survey->capstone, &at, &left, &address, survey->insn));
        g_assert_true(survey->insn->id == X86_INS_NOP || survey->insn->id == X86_INS_XCHG);
        g_assert_false(g_hash_table_contains(reading->targets, GSIZE_TO_POINTER(survey->insn->address)));
    }
}

static void mark(gpointer offset, gpointer value, gpointer targets)
{
    (void)value;
    dt_branch_targets_mark(targets, GPOINTER_TO_SIZE(offset));
}

static void survey_function(Survey *survey, const guint8 *code, gsize bytes)
{
    enum { FIRST = 8 };
    struct dt_plan_return returns[DT_MOST_RETURNS];
    guint8 bits[DT_LARGEST_FLOW / 8] = {0};
    struct dt_branch_targets targets = {0, DT_LARGEST_FLOW, bits};
    Reading reading = read_function(survey, code, bytes);
    gsize expected = g_hash_table_size(reading.returns);
    g_hash_table_foreach(reading.targets, mark, &targets);
    guint count = dt_find_returns(survey->flow, &targets, 0, code, (guint32)bytes, 0, FIRST, returns);
    if (count > 0) {
        g_assert_true(reading.whole && !reading.leaves);
        g_assert_cmpuint(count, ==, expected);
        guint32 end = FIRST;
        for (guint i = 0; i < count; i++) {
            g_assert_cmpuint(returns[i].offset, >=, end);
            end = (guint32)returns[i].offset + DT_JUMP_BYTES;
            check_return(survey, &reading, code, bytes, &returns[i]);
        }
    }
    survey->functions++;
    survey->found += count > 0;
    survey->returns += count;
    survey->not_found += count == 0 && expected > 0 && reading.whole && !reading.leaves;
    g_hash_table_unref(reading.targets);
    g_hash_table_unref(reading.returns);
}

static void survey_symbols(Survey *survey, Elf_Scn *section, const GElf_Shdr *header, guintptr bias)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 0; i < (int)(header->sh_size / header->sh_entsize) && gelf_getsym(data, i, &symbol); i++)
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0 &&
            symbol.st_size <= DT_LARGEST_FLOW)
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
    Survey survey = {.flow = g_new0(struct dt_control_flow, 1)};
    elf_version(EV_CURRENT);
    g_assert_cmpint(cs_open(CS_ARCH_X86, CS_MODE_64, &survey.capstone), ==, CS_ERR_OK);
    cs_option(survey.capstone, CS_OPT_DETAIL, CS_OPT_ON);
    survey.insn = cs_malloc(survey.capstone);
    dlopen("libstdc++.so.6", RTLD_LAZY);
    dl_iterate_phdr(survey_image, &survey);
    g_test_message("%" G_GSIZE_FORMAT " functions, %" G_GSIZE_FORMAT " with %" G_GSIZE_FORMAT
                   " returns found, %" G_GSIZE_FORMAT " without room for all",
                   survey.functions, survey.found, survey.returns, survey.not_found);
    g_assert_cmpuint(survey.found, >, 500);
    g_assert_cmpuint(survey.returns, >, survey.found);
    cs_free(survey.insn, 1);
    cs_close(&survey.capstone);
    g_free(survey.flow);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/runtime/returns/by-hand", test_by_hand);
    g_test_add_func("/runtime/returns/libraries", test_libraries);
    return g_test_run();
}
