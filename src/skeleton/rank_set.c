#include "skeleton/rank_set.h"

#include <string.h>

enum { BITS = 64, MOST_LEVELS = 3, MOST_PARTS = 16 };

struct DtRankSet {
    const DtRankSets *sets;
    guint count;
    guint64 words[];
};

struct DtRankSets {
    guint ranks, words;
    GHashTable *known; /* DtRankSet as its own key */
    DtRankSet *scratch;
};

static guint hash_set(gconstpointer data)
{
    const DtRankSet *set = data;
    guint64 hash = set->count;
    for (guint i = 0; i < set->sets->words; i++)
        hash = (hash ^ set->words[i]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

static gboolean equal_sets(gconstpointer first, gconstpointer second)
{
    const DtRankSet *a = first, *b = second;
    return memcmp(a->words, b->words, a->sets->words * sizeof(guint64)) == 0;
}

DtRankSets *dt_rank_sets_new(guint ranks)
{
    DtRankSets *sets = g_new0(DtRankSets, 1);
    sets->ranks = ranks;
    sets->words = (ranks + BITS - 1) / BITS;
    sets->known = g_hash_table_new_full(hash_set, equal_sets, g_free, NULL);
    sets->scratch = g_malloc0(sizeof(DtRankSet) + sets->words * sizeof(guint64));
    sets->scratch->sets = sets;
    return sets;
}

void dt_rank_sets_free(DtRankSets *sets)
{
    if (!sets)
        return;
    g_hash_table_unref(sets->known);
    g_free(sets->scratch);
    g_free(sets);
}

guint dt_rank_sets_ranks(const DtRankSets *sets)
{
    return sets->ranks;
}

/* The set that the scratch holds, which is cleared. */
static const DtRankSet *intern_scratch(DtRankSets *sets)
{
    DtRankSet *scratch = sets->scratch;
    gsize bytes = sizeof(DtRankSet) + sets->words * sizeof(guint64);
    scratch->count = 0;
    for (guint i = 0; i < sets->words; i++)
        scratch->count += (guint)__builtin_popcountll(scratch->words[i]);
    DtRankSet *known = g_hash_table_lookup(sets->known, scratch);
    if (!known) {
        known = g_memdup2(scratch, bytes);
        g_hash_table_add(sets->known, known);
    }
    memset(scratch->words, 0, bytes - sizeof(DtRankSet));
    return known;
}

static void put(DtRankSets *sets, guint rank)
{
    sets->scratch->words[rank / BITS] |= (guint64)1 << rank % BITS;
}

const DtRankSet *dt_rank_set_of(DtRankSets *sets, const guint *ranks, guint count)
{
    for (guint i = 0; i < count; i++)
        put(sets, ranks[i]);
    return intern_scratch(sets);
}

/* All that are not in the scratch. */
static void complement(DtRankSets *sets)
{
    for (guint rank = 0; rank < sets->ranks; rank++)
        sets->scratch->words[rank / BITS] ^= (guint64)1 << rank % BITS;
}

const DtRankSet *dt_rank_set_all(DtRankSets *sets)
{
    complement(sets);
    return intern_scratch(sets);
}

const DtRankSet *dt_rank_set_union(DtRankSets *sets, const DtRankSet *a, const DtRankSet *b)
{
    for (guint i = 0; i < sets->words; i++)
        sets->scratch->words[i] = a->words[i] | b->words[i];
    return intern_scratch(sets);
}

gboolean dt_rank_set_has(const DtRankSet *set, guint rank)
{
    return rank < set->sets->ranks && set->words[rank / BITS] >> rank % BITS & 1;
}

guint dt_rank_set_count(const DtRankSet *set)
{
    return set->count;
}

guint dt_rank_set_next(const DtRankSet *set, guint from)
{
    for (guint word = from / BITS; word < set->sets->words; word++) {
        guint64 left = set->words[word];
        if (word == from / BITS)
            left &= ~(guint64)0 << from % BITS;
        if (left)
            return word * BITS + (guint)__builtin_ctzll(left);
    }
    return G_MAXUINT;
}

gboolean dt_rank_set_is_within(const DtRankSet *set, const DtRankSet *other)
{
    for (guint i = 0; i < set->sets->words; i++)
        if (set->words[i] & ~other->words[i])
            return FALSE;
    return TRUE;
}

gboolean dt_rank_sets_meet(const DtRankSet *a, const DtRankSet *b)
{
    for (guint i = 0; i < a->sets->words; i++)
        if (a->words[i] & b->words[i])
            return TRUE;
    return FALSE;
}

/* ---- as text --------------------------------------------------------------------------------- */

/* `count[0]` ranks from `start` on, `step[0]` apart, and all of that again and again. */
typedef struct {
    guint start, levels;
    guint count[1 + MOST_LEVELS], step[1 + MOST_LEVELS];
} Block;

/* Rows of ranks the same way apart: two neighbours, or three and more of any distance. */
static GArray *find_rows(const DtRankSet *set)
{
    GArray *blocks = g_array_new(FALSE, TRUE, sizeof(Block));
    for (guint rank = dt_rank_set_next(set, 0); rank != G_MAXUINT;) {
        Block block = {.start = rank, .levels = 1, .count = {1}, .step = {1}};
        guint last = rank, next = dt_rank_set_next(set, rank + 1);
        guint step = next == G_MAXUINT ? 0 : next - rank;
        for (; next != G_MAXUINT && next - last == step; next = dt_rank_set_next(set, last + 1)) {
            last = next;
            block.count[0]++;
            block.step[0] = step;
        }
        if (block.count[0] == 2 && step > 1) {
            block.count[0] = 1;
            block.step[0] = 1;
            last = rank;
        }
        g_array_append_val(blocks, block);
        rank = dt_rank_set_next(set, last + 1);
    }
    return blocks;
}

static gboolean same_shape(const Block *a, const Block *b)
{
    return a->levels == b->levels && memcmp(a->count, b->count, a->levels * sizeof(guint)) == 0 &&
           memcmp(a->step, b->step, a->levels * sizeof(guint)) == 0;
}

/* Blocks of one shape the same way apart become one. */
static GArray *fold_blocks(const GArray *blocks)
{
    GArray *folded = g_array_new(FALSE, TRUE, sizeof(Block));
    for (guint i = 0; i < blocks->len;) {
        Block block = g_array_index(blocks, Block, i);
        guint times = 1;
        guint step = 0;
        for (guint j = i + 1; j < blocks->len; j++, times++) {
            const Block *next = &g_array_index(blocks, Block, j), *last = &g_array_index(blocks, Block, j - 1);
            if (!same_shape(&block, next) || (times > 1 && next->start - last->start != step))
                break;
            step = next->start - last->start;
        }
        if (times > 1) {
            block.count[block.levels] = times;
            block.step[block.levels++] = step;
        }
        g_array_append_val(folded, block);
        i += times;
    }
    return folded;
}

static char *folded_text(const Block *block)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%u", block->start);
    if (block->count[0] > 1)
        g_string_append_printf(text, "-%u", block->start + (block->count[0] - 1) * block->step[0]);
    if (block->count[0] > 1 && block->step[0] > 1)
        g_string_append_printf(text, "/%u", block->step[0]);
    for (guint level = 1; level < block->levels; level++)
        g_string_append_printf(text, "*%u/%u", block->count[level], block->step[level]);
    return g_string_free(text, FALSE);
}

/* Few ranks are easier to read, and no longer, one by one: "0,4" instead of "0*2/4". */
static char *block_text(const Block *block)
{
    char *folded = folded_text(block);
    guint top = block->levels - 1;
    if (top == 0 || block->count[top] > MOST_PARTS)
        return folded;
    GString *parts = g_string_new(NULL);
    Block part = *block;
    part.levels = top;
    for (guint i = 0; i < block->count[top]; i++, part.start += block->step[top]) {
        g_autofree char *text = block_text(&part);
        g_string_append_printf(parts, "%s%s", i > 0 ? "," : "", text);
    }
    if (parts->len > strlen(folded)) {
        g_string_free(parts, TRUE);
        return folded;
    }
    g_free(folded);
    return g_string_free(parts, FALSE);
}

static char *blocks_text(const DtRankSet *set)
{
    GArray *blocks = find_rows(set);
    GString *text = g_string_new(NULL);
    for (guint level = 0; level < MOST_LEVELS; level++) {
        GArray *folded = fold_blocks(blocks);
        g_array_unref(blocks);
        blocks = folded;
    }
    for (guint i = 0; i < blocks->len; i++) {
        g_autofree char *block = block_text(&g_array_index(blocks, Block, i));
        g_string_append_printf(text, "%s%s", i > 0 ? "," : "", block);
    }
    g_array_unref(blocks);
    return g_string_free(text, FALSE);
}

char *dt_rank_set_text(DtRankSets *sets, const DtRankSet *set)
{
    for (guint i = 0; i < sets->words; i++)
        sets->scratch->words[i] = set->words[i];
    complement(sets);
    const DtRankSet *others = intern_scratch(sets);
    char *own = blocks_text(set);
    g_autofree char *rest = blocks_text(others);
    if (strlen(own) <= strlen(rest) + 1 || others->count == 0)
        return own;
    g_free(own);
    return g_strconcat("!", rest, NULL);
}

/* ---- from text ------------------------------------------------------------------------------- */

static gboolean read_number(const char **at, guint *number)
{
    if (!g_ascii_isdigit(**at))
        return FALSE;
    guint64 value = 0;
    for (; g_ascii_isdigit(**at) && value <= G_MAXUINT32; ++*at)
        value = value * 10 + (guint64)(**at - '0');
    *number = (guint)value;
    return value <= G_MAXUINT32;
}

static gboolean read_after(const char **at, char mark, guint *number)
{
    if (**at != mark)
        return TRUE;
    ++*at;
    return read_number(at, number);
}

static gboolean read_block(const char **at, Block *block)
{
    guint last;
    *block = (Block){.levels = 1, .count = {1}, .step = {1}};
    if (!read_number(at, &block->start))
        return FALSE;
    last = block->start;
    if (!read_after(at, '-', &last) || last < block->start || last == G_MAXUINT)
        return FALSE;
    if (last > block->start && (!read_after(at, '/', &block->step[0]) || block->step[0] == 0))
        return FALSE;
    block->count[0] = (last - block->start) / block->step[0] + 1;
    for (; **at == '*' && block->levels <= MOST_LEVELS; block->levels++) {
        guint *step = &block->step[block->levels];
        *step = 0;
        if (!read_after(at, '*', &block->count[block->levels]) || !read_after(at, '/', step) || *step == 0 ||
            block->count[block->levels] == 0)
            return FALSE;
    }
    return TRUE;
}

/* A set of ranks has each of them once. */
static gboolean has_too_many(const DtRankSets *sets, const Block *block)
{
    guint64 ranks = 1;
    for (guint level = 0; level < block->levels && ranks <= sets->ranks; level++)
        ranks *= block->count[level];
    return ranks > sets->ranks;
}

/* FALSE: it has ranks that there are not. */
static gboolean put_block(DtRankSets *sets, const Block *block, guint level, guint64 start)
{
    if (level == G_MAXUINT) {
        if (start >= sets->ranks)
            return FALSE;
        put(sets, (guint)start);
        return TRUE;
    }
    for (guint i = 0; i < block->count[level]; i++)
        if (!put_block(sets, block, level - 1, start + (guint64)i * block->step[level]))
            return FALSE;
    return TRUE;
}

const DtRankSet *dt_rank_set_parse(DtRankSets *sets, const char **at, const char **problem)
{
    gboolean others = **at == '!', good = TRUE, within = TRUE;
    *at += others;
    do {
        Block block;
        good = read_block(at, &block);
        within = good && !has_too_many(sets, &block) && put_block(sets, &block, block.levels - 1, block.start);
    } while (within && **at == ',' && g_ascii_isdigit((*at)[1]) && ++*at);
    if (others)
        complement(sets);
    const DtRankSet *set = intern_scratch(sets);
    *problem = !good ? "this is no set of ranks" : !within ? "there are not so many ranks" : NULL;
    return *problem ? NULL : set;
}
