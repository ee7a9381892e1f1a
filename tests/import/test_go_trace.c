/* Go's traces made by hand: what is read of them, and that no damage of them does harm. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/go/findings.h"
#include "import/go/wakers.h"
#include "support/go_traces.h"

static const char leak[] = "w.go:8: goroutine 0.1 main.send leaked in chan send, started at w.go:3";

static DtGoTrace *parse(const GByteArray *bytes)
{
    g_autoptr(GError) error = NULL;
    DtGoTrace *trace = dt_go_trace_parse(bytes->data, bytes->len, &error);
    g_assert_true((trace != NULL) == (!error));
    return trace;
}

static void check_leak(gconstpointer make)
{
    g_autoptr(GByteArray) bytes = ((GByteArray * (*)(void)) make)();
    g_autoptr(DtGoTrace) trace = parse(bytes);
    g_assert_nonnull(trace);
    g_assert_null(trace->damage);
    g_assert_false(trace->is_cut);
    g_assert_cmpuint(trace->forced, ==, 0);
    g_autoptr(DtGoroutines) goroutines = dt_goroutines_new(trace);
    g_assert_cmpuint(goroutines->numbered->len, ==, 2);
    g_autoptr(DtGoFindings) findings = dt_go_findings_new(goroutines, "0.");
    g_assert_cmpuint(findings->leaks->len, ==, 1);
    g_assert_cmpstr(g_ptr_array_index(findings->leaks, 0), ==, leak);
    g_assert_false(findings->is_global);
}

static guint count(const DtGoTrace *trace, guint type)
{
    guint found = 0;
    for (guint i = 0; i < trace->events->len; i++)
        found += g_array_index(trace->events, DtGoEvent, i).type == type ? 1 : 0;
    return found;
}

/* Go gives a goroutine that is started later a lower id if another processor has it in store. */
static void check_ids(void)
{
    static const guint64 by_number[] = {1, 9, 5, 3};
    g_autoptr(GByteArray) bytes = dt_test_go_trace_ids();
    g_autoptr(DtGoTrace) trace = parse(bytes);
    g_autoptr(DtGoroutines) goroutines = dt_goroutines_new(trace);
    g_assert_cmpuint(goroutines->numbered->len, ==, G_N_ELEMENTS(by_number));
    for (guint i = 0; i < G_N_ELEMENTS(by_number); i++) {
        const DtGoroutine *goroutine = g_ptr_array_index(goroutines->numbered, i);
        g_assert_cmpuint(goroutine->id, ==, by_number[i]);
    }
    const DtGoroutine *last = dt_goroutines_find(goroutines, 3);
    g_assert_nonnull(last->creator);
    g_assert_cmpuint(last->creator->number, ==, 1);
    g_assert_cmpuint(last->depth, ==, 2);
}

/* What makes a goroutine late is no event of the program; its own sleep is. */
static void check_stays(void)
{
    g_autoptr(GByteArray) plain = dt_test_go_trace_first(), late = dt_test_go_trace_asleep(TRUE),
                          asleep = dt_test_go_trace_asleep(FALSE);
    g_autoptr(DtGoTrace) of_plain = parse(plain), of_late = parse(late), of_asleep = parse(asleep);
    g_assert_cmpuint(of_late->events->len, ==, of_plain->events->len);
    for (guint i = 0; i < of_plain->events->len; i++)
        g_assert_cmpuint(g_array_index(of_late->events, DtGoEvent, i).type, ==,
                         g_array_index(of_plain->events, DtGoEvent, i).type);
    g_assert_cmpuint(of_asleep->events->len, ==, of_plain->events->len + 3);
    g_assert_cmpuint(count(of_late, DT_GO_SLEEP), ==, 0);
    g_assert_cmpuint(count(of_asleep, DT_GO_SLEEP), ==, 1);
    g_autoptr(DtGoroutines) goroutines = dt_goroutines_new(of_late);
    g_autoptr(DtGoFindings) findings = dt_go_findings_new(goroutines, "0.");
    g_assert_cmpuint(findings->leaks->len, ==, 1);
    g_assert_cmpstr(g_ptr_array_index(findings->leaks, 0), ==, leak);
}

/* Bytes that end where nothing can be read: who reads behind them, by one byte only, dies of it. */
typedef struct {
    guint8 *pages, *end;
    gsize bytes;
} Fenced;

static void fenced_clear(Fenced *fenced)
{
    munmap(fenced->pages, fenced->bytes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fenced, fenced_clear)

static Fenced fence(gsize most)
{
    const gsize page = (gsize)sysconf(_SC_PAGESIZE), room = (most + page - 1) / page * page;
    Fenced fenced = {.bytes = room + page};
    fenced.pages = mmap(NULL, fenced.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(fenced.pages != MAP_FAILED);
    fenced.end = fenced.pages + room;
    g_assert_cmpint(mprotect(fenced.end, page, PROT_NONE), ==, 0);
    return fenced;
}

/* TRUE: it is told that not all is there; otherwise it was read without a word. */
static gboolean use(const guint8 *data, gsize bytes)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtGoTrace) trace = dt_go_trace_parse(data, bytes, &error);
    g_assert_true((trace != NULL) == (!error));
    if (!trace)
        return TRUE;
    g_autoptr(DtGoroutines) goroutines = dt_goroutines_new(trace);
    g_autoptr(DtGoWakers) wakers = dt_go_wakers_new(goroutines);
    g_autoptr(DtGoFindings) findings = dt_go_findings_new(goroutines, "0.");
    g_assert_nonnull(wakers);
    g_assert_nonnull(findings);
    return trace->is_cut || trace->damage;
}

/* A trace of format 2 that ends with a generation lacks nothing that could be known. */
static gboolean ends_well(gconstpointer make, guint length)
{
    return make == (gconstpointer)dt_test_go_trace_second && length == dt_test_go_trace_generation();
}

static void check_truncations(gconstpointer make)
{
    g_autoptr(GByteArray) bytes = ((GByteArray * (*)(void)) make)();
    g_auto(Fenced) fenced = fence(bytes->len);
    for (guint length = 0; length < bytes->len; length++) {
        memcpy(fenced.end - length, bytes->data, length);
        if (!use(fenced.end - length, length) && !ends_well(make, length))
            g_error("cut after %u of %u bytes, and nobody says so", length, bytes->len);
    }
}

static void check_damages(gconstpointer make)
{
    const guint damages = 10000;
    g_autoptr(GByteArray) bytes = ((GByteArray * (*)(void)) make)();
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    g_auto(Fenced) fenced = fence(bytes->len);
    guint8 *copy = fenced.end - bytes->len;
    for (guint i = 0; i < damages; i++) {
        memcpy(copy, bytes->data, bytes->len);
        for (gint k = g_rand_int_range(random, 1, 4); k > 0; k--)
            copy[g_rand_int_range(random, 0, (gint)bytes->len)] = (guint8)g_rand_int_range(random, 0, 256);
        use(copy, bytes->len);
    }
}

/* Each byte once made as large as it can be, which of a length is more than there is. */
static void check_lengths(gconstpointer make)
{
    g_autoptr(GByteArray) bytes = ((GByteArray * (*)(void)) make)();
    g_auto(Fenced) fenced = fence(bytes->len);
    guint8 *copy = fenced.end - bytes->len;
    memcpy(copy, bytes->data, bytes->len);
    for (guint i = 0; i < bytes->len; i++) {
        static const guint8 large[] = {0x7f, 0xff};
        for (guint k = 0; k < G_N_ELEMENTS(large); k++) {
            copy[i] = large[k];
            use(copy, bytes->len);
        }
        copy[i] = bytes->data[i];
    }
}

static void check_others(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(dt_go_trace_parse((const guint8 *)"go 1.5 trace\0\0\0\0", 16, &error));
    g_assert_nonnull(strstr(error->message, "Go 1.5"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/go-trace/first", dt_test_go_trace_first, check_leak);
    g_test_add_data_func("/go-trace/second", dt_test_go_trace_second, check_leak);
    g_test_add_data_func("/go-trace/first/truncations", dt_test_go_trace_first, check_truncations);
    g_test_add_data_func("/go-trace/second/truncations", dt_test_go_trace_second, check_truncations);
    g_test_add_data_func("/go-trace/first/damages", dt_test_go_trace_first, check_damages);
    g_test_add_data_func("/go-trace/second/damages", dt_test_go_trace_second, check_damages);
    g_test_add_data_func("/go-trace/first/lengths", dt_test_go_trace_first, check_lengths);
    g_test_add_data_func("/go-trace/second/lengths", dt_test_go_trace_second, check_lengths);
    g_test_add_func("/go-trace/ids", check_ids);
    g_test_add_func("/go-trace/stays", check_stays);
    g_test_add_func("/go-trace/others", check_others);
    return g_test_run();
}
