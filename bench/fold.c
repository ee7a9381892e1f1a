/*
 * What decoding, filtering and folding the traces of a run cost, in processor time, and what the plain
 * definition of folding costs on the beginning of each: fold RUN FILTER K PLAIN-SYMBOLS. Prints events, symbols,
 * elements, seconds of decoding, filtering and folding (each with what comes before it), symbols and seconds of the
 * plain definition, peak memory in kB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "nlr/nlr.h"

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the plain definition: all body lengths are tried after every symbol ----------------------- */

typedef struct {
    guint64 *stack; /* symbols, or 1 << 63 | body << 32 | count */
    gsize length, symbols, most;
    GPtrArray *bodies; /* (element-type GArray of guint64) */
    guint k;
} Plain;

static gboolean plain_extend(Plain *plain, gsize b)
{
    if (b + 1 > plain->length || !dt_element_is_loop(plain->stack[plain->length - 1 - b]))
        return FALSE;
    guint64 *loop = &plain->stack[plain->length - 1 - b];
    const GArray *body = plain->bodies->pdata[dt_element_body(*loop)];
    if (body->len != b || memcmp(body->data, loop + 1, b * sizeof *loop) != 0)
        return FALSE;
    ++*loop;
    plain->length -= b;
    return TRUE;
}

static guint plain_body(Plain *plain, const guint64 *elements, gsize b)
{
    for (guint i = 0; i < plain->bodies->len; i++) {
        const GArray *body = plain->bodies->pdata[i];
        if (body->len == b && memcmp(body->data, elements, b * sizeof *elements) == 0)
            return i;
    }
    GArray *body = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_array_append_vals(body, elements, (guint)b);
    g_ptr_array_add(plain->bodies, body);
    return plain->bodies->len - 1;
}

static gboolean plain_repeat(Plain *plain, gsize b)
{
    if (2 * b > plain->length)
        return FALSE;
    guint64 *first = plain->stack + plain->length - 2 * b;
    if (memcmp(first, first + b, b * sizeof *first) != 0)
        return FALSE;
    *first = dt_element_loop(plain_body(plain, first + b, b), 2);
    plain->length -= 2 * b - 1;
    return TRUE;
}

static gboolean plain_reduce(Plain *plain)
{
    for (gsize b = 1; b <= plain->k && b <= plain->length; b++) {
        if (plain_extend(plain, b) || plain_repeat(plain, b))
            return TRUE;
    }
    return FALSE;
}

static void plain_push(const guint32 *symbols, gsize count, gpointer data)
{
    Plain *plain = data;
    for (gsize i = 0; i < count && plain->symbols < plain->most; i++, plain->symbols++) {
        plain->stack[plain->length++] = symbols[i];
        while (plain_reduce(plain)) {
        }
    }
}

/* ---- measuring ----------------------------------------------------------------------------------- */

static void count_symbols(const guint32 *symbols, gsize count, gpointer data)
{
    (void)symbols;
    *(guint64 *)data += count;
}

static void count_repeated(gsize count, guint64 times, gpointer data)
{
    *(guint64 *)data += count * times;
}

static void fold_symbols(const guint32 *symbols, gsize count, gpointer folder)
{
    dt_nlr_folder_push(folder, symbols, count);
}

static void fold_repeated(gsize count, guint64 times, gpointer folder)
{
    dt_nlr_folder_repeat(folder, count, times);
}

typedef struct {
    guint64 events, symbols, elements, plain_symbols;
    double decode, filter, fold, plain; /* seconds; filter with decoding, fold with both */
} Costs;

static void measure_trace(const DtRun *run, const DtTrace *trace, const DtFilterSet *set, guint k, gsize most,
                          DtNlrFolder *folder, Costs *costs)
{
    DtEventBatch batch;
    double start = processor_seconds();
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, NULL);
    while (dt_reader_next_batch(reader, &batch))
        costs->events += batch.count * batch.times;
    double decoded = processor_seconds();
    const DtFilterTap counting = {set, count_symbols, &costs->symbols, NULL, count_repeated, FALSE, DT_NAMES_ALONE};
    dt_filter_run_taps(&counting, 1, run, trace, NULL, NULL);
    double filtered = processor_seconds();
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    const DtFilterTap folding = {set, fold_symbols, folder, NULL, fold_repeated, FALSE, DT_NAMES_ALONE};
    dt_filter_run_taps(&folding, 1, run, trace, NULL, NULL);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    double folded = processor_seconds();
    costs->elements += dt_nlr_elements(nlr).length;
    costs->decode += decoded - start;
    costs->filter += filtered - decoded;
    costs->fold += folded - filtered;
    if (most == 0)
        return;
    Plain plain = {.stack = g_new(guint64, most + 1), .most = most, .k = k};
    plain.bodies = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    start = processor_seconds();
    dt_filter_run(set, run, trace, plain_push, &plain, NULL, NULL, NULL);
    costs->plain += processor_seconds() - start - (filtered - decoded);
    costs->plain_symbols += plain.symbols;
    g_ptr_array_unref(plain.bodies);
    g_free(plain.stack);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: fold RUN FILTER K PLAIN-SYMBOLS\n");
        return 2;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(argv[1], functions, &error);
    g_autoptr(DtFilter) filter = !error ? dt_filter_parse(argv[2], &error) : NULL;
    g_autoptr(DtFilterSet) set = !error ? dt_filter_compile(filter, functions, &error) : NULL;
    if (error) {
        fprintf(stderr, "fold: %s\n", error->message);
        return 2;
    }
    Costs costs = {0};
    struct rusage usage;
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new((guint)atoi(argv[3]), 2);
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        measure_trace(run, dt_run_trace(run, i), set, (guint)atoi(argv[3]), (gsize)atoll(argv[4]), folder, &costs);
    getrusage(RUSAGE_SELF, &usage);
    printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %.6f %.6f %.6f %" G_GUINT64_FORMAT
           " %.6f %ld\n",
           costs.events, costs.symbols, costs.elements, costs.decode, costs.filter, costs.fold, costs.plain_symbols,
           costs.plain, usage.ru_maxrss);
    return 0;
}
