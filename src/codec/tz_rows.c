/* Repetitions in the codec TZ: whole iterations at once. */
#include "tz_rows.h"

#include "ring.h"
#include "tz_run.h"

/* ---- finding ------------------------------------------------------------------------ */

int tz_row_begins(const TzModel *model, uint32_t period)
{
    int32_t depth = 0, least = 0, most = 0;
    uint32_t least_at = 0;
    for (uint32_t i = 0; i < period; i++) {
        uint16_t word = tz_word_ago(model, period - i);
        if (word == DT_WORD_ESCAPE)
            return TZ_NOTHING;
        depth += word == DT_WORD_RETURN ? -1 : 1;
        if (depth < least) {
            least = depth;
            least_at = i + 1;
        }
        most = depth > most ? depth : most;
    }
    /* Frames of a row must not come round to the one that it is called from. */
    return depth != 0 || most - least >= TZ_FRAMES - 1 ? TZ_NOTHING : (int)least_at;
}

/* Knuth, Morris & Pratt (1977): lengths of the longest borders. */
uint32_t tz_find_period(const TzModel *model, uint32_t count, uint16_t *scratch)
{
    uint32_t border = 0;
    scratch[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint16_t word = tz_word_ago(model, i + 1);
        while (border > 0 && tz_word_ago(model, border + 1) != word)
            border = scratch[border - 1];
        border += tz_word_ago(model, border + 1) == word;
        scratch[i] = (uint16_t)border;
    }
    uint32_t period = count - border;
    return period <= count / 2 ? period : 0;
}

bool tz_has_period(const TzModel *model, uint32_t period)
{
    uint32_t back = 1;
    while (back <= period && tz_word_ago(model, back) == tz_word_ago(model, back + period))
        back++;
    return back > period;
}

/* ---- skipping ----------------------------------------------------------------------- */

static void repeat_in_ring(TzModel *model, const uint16_t *row, uint32_t words, uint64_t times)
{
    dt_ring_repeat(model->ring, model->position, row, words, times);
    model->position += words * times;
}

/* x to scale * x + shift */
typedef struct {
    uint32_t scale, shift;
} Map;

static Map after(Map first, Map second)
{
    return (Map){second.scale * first.scale, second.scale * first.shift + second.shift};
}

static Map power(Map map, uint64_t exponent)
{
    Map result = {1, 0};
    for (; exponent > 0; exponent >>= 1, map = after(map, map))
        if (exponent & 1)
            result = after(result, map);
    return result;
}

/* What a row's calls do to the hashes of the frame that they are children of. */
static Map map_of_row(const uint16_t *row, uint32_t words)
{
    Map map = {1, 0};
    int32_t depth = 0;
    for (uint32_t i = 0; i < words; i++) {
        if (row[i] == DT_WORD_RETURN)
            depth--;
        else if (depth++ == 0)
            map = after(map, (Map){TZ_MIX, row[i] * TZ_MIX});
    }
    return map;
}

void tz_skip_matched(TzModel *model, const uint16_t *row, uint32_t words, uint64_t times)
{
    uint64_t position = model->position;
    /* After two rounds all but the hashes of the top frame is as after any number. */
    tz_step_run(model, row, words);
    tz_step_run(model, row, words);
    Map rest = power(map_of_row(row, words), times - 2);
    TzFrame *top = tz_top(model);
    top->history = rest.scale * top->history + rest.shift;
    top->since_surprise = rest.scale * top->since_surprise + rest.shift;
    model->position = position;
    repeat_in_ring(model, row, words, times);
}

/* ---- slots ---------------------------------------------------------------------------- */

static uint32_t list_children(const uint16_t *row, uint32_t words, uint16_t *children)
{
    uint32_t count = 0;
    int32_t depth = 0;
    for (uint32_t i = 0; i < words; i++) {
        if (row[i] == DT_WORD_RETURN)
            depth--;
        else if (depth++ == 0)
            children[count++] = row[i];
    }
    return count;
}

/* One round as slots foretell it, with every look that they take. */
static bool foretells_round(TzModel *model, TzFrame *top, const uint16_t *children, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tz_predict_by_slots(model, top) != children[i])
            return false;
        tz_add_child(top, children[i], false);
    }
    return true;
}

/* Whether the slots that go by the last two children alone foretell the next round. */
static bool foretells_by_children(TzModel *model, TzFrame top, const uint16_t *children, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t check;
        const TzSlot *slot = tz_find_slot(model, TZ_CHILDREN, tz_hash_children(&top), &check);
        if (!tz_slot_holds(slot, check) || slot->confidence <= TZ_SURE || slot->first != children[i])
            return false;
        tz_add_child(&top, children[i], false);
    }
    return true;
}

/* Whether no slot that goes by more than that speaks up. */
TZ_INLINE bool stays_silent(TzModel *model, const TzFrame *top)
{
    uint32_t check, check_since;
    const TzSlot *slot = tz_find_slot(model, TZ_HISTORY, top->history, &check);
    const TzSlot *since = tz_find_slot(model, TZ_SURPRISE, top->since_surprise, &check_since);
    return !((int)tz_slot_holds(slot, check) | (int)tz_slot_holds(since, check_since));
}

static bool round_stays_silent(TzModel *model, TzFrame *top, const uint16_t *children, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!stays_silent(model, top))
            return false;
        top->history = (top->history + children[i]) * TZ_MIX;
        top->since_surprise = (top->since_surprise + children[i]) * TZ_MIX;
    }
    return true;
}

uint64_t tz_skip_foretold(TzModel *model, const uint16_t *row, uint32_t words, uint64_t most, uint16_t *scratch)
{
    uint32_t count = list_children(row, words, scratch);
    TzFrame top = *tz_top(model);
    bool by_children = foretells_by_children(model, top, scratch, count);
    uint64_t times = 0;
    while (times < most) {
        /* Inside the children all is as in the last round; children of a round are the same, so their hashes are. */
        TzFrame next = top;
        if (!by_children || !round_stays_silent(model, &next, scratch, count)) {
            next = top;
            if (!foretells_round(model, &next, scratch, count))
                break;
        }
        next.children = top.children;
        top = next;
        times++;
    }
    *tz_top(model) = top;
    repeat_in_ring(model, row, words, times);
    return times;
}
