#include "times/call_series.h"

void dt_call_series_clear(DtCallSeries *series)
{
    g_clear_pointer(&series->blocks, g_array_unref);
    *series = (DtCallSeries){0};
}

static void join(DtSeriesBlock *block, const DtSeriesBlock *next)
{
    if (next->count == 0)
        return;
    if (block->count == 0) {
        *block = *next;
        return;
    }
    guint64 greater = MAX(block->smallest, next->smallest);
    guint64 of_block = block->count > 1 ? block->second : G_MAXUINT64;
    guint64 of_next = next->count > 1 ? next->second : G_MAXUINT64;
    block->second = MIN(greater, MIN(of_block, of_next));
    block->smallest = MIN(block->smallest, next->smallest);
    block->largest = MAX(block->largest, next->largest);
    block->count += next->count;
    block->sum += next->sum;
}

/* Two blocks each become one. */
static void halve(DtCallSeries *series)
{
    for (guint i = 0; i < series->blocks->len; i += 2) {
        DtSeriesBlock block = g_array_index(series->blocks, DtSeriesBlock, i);
        if (i + 1 < series->blocks->len)
            join(&block, &g_array_index(series->blocks, DtSeriesBlock, i + 1));
        g_array_index(series->blocks, DtSeriesBlock, i / 2) = block;
    }
    g_array_set_size(series->blocks, (series->blocks->len + 1) / 2);
    series->a_block *= 2;
}

void dt_call_series_add(DtCallSeries *series, guint64 begin_ns, guint64 ns)
{
    const DtSeriesBlock one = {begin_ns, 1, ns, ns, ns, ns};
    if (!series->blocks) {
        series->blocks = g_array_new(FALSE, FALSE, sizeof(DtSeriesBlock));
        series->a_block = 1;
    }
    if (series->count % series->a_block != 0) {
        join(&g_array_index(series->blocks, DtSeriesBlock, series->blocks->len - 1), &one);
        series->count++;
        return;
    }
    g_array_append_val(series->blocks, one);
    series->count++;
    if (series->blocks->len > DT_SERIES_BLOCKS)
        halve(series);
}

DtSeriesBlock dt_call_series_part(const DtCallSeries *series, guint first, guint count)
{
    DtSeriesBlock all = {0};
    for (guint i = 0; series->blocks && i < count && first + i < series->blocks->len; i++)
        join(&all, &g_array_index(series->blocks, DtSeriesBlock, first + i));
    return all;
}

guint64 dt_series_block_floor(const DtSeriesBlock *block)
{
    enum { ENOUGH = 6 };
    return block->count >= ENOUGH ? block->second : block->smallest;
}
