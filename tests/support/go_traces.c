#include "support/go_traces.h"

#include <string.h>

/* Strings by id, the same in both. */
static const char *const strings[] = {NULL,
                                      "runtime.main",
                                      "/go/src/runtime/proc.go",
                                      "main.main",
                                      "/p/w.go",
                                      "runtime.chanrecv1",
                                      "/go/src/runtime/chan.go",
                                      "main.send",
                                      "runtime.chansend1",
                                      "runtime/trace.Stop",
                                      "/go/src/runtime/trace/trace.go",
                                      "chan receive",
                                      "chan send",
                                      "runtime.Gosched",
                                      "time.Sleep",
                                      "/go/src/runtime/time.go",
                                      "runtime.difftraceStay",
                                      "/go/src/runtime/zz_difftrace.go"};

/* Stacks by id: function, file, line of up to two frames, innermost first. */
static const guint stacks[][6] = {{0},
                                  {1, 2, 250},
                                  {3, 4, 3},
                                  {7, 4, 7},
                                  {5, 6, 440, 3, 4, 5},
                                  {8, 6, 144, 7, 4, 8},
                                  {9, 10, 180, 3, 4, 6},
                                  {14, 15, 195, 16, 17, 70},
                                  {14, 15, 195, 7, 4, 8}};
enum { MAIN_ENTRY = 1, GO_SITE, SEND_ENTRY, IN_RECEIVE, IN_SEND, IN_STOP, IN_STAY, IN_SLEEP };

static void put_number(GByteArray *out, guint64 number)
{
    do {
        guint8 byte = (number & 0x7f) | (number > 0x7f ? 0x80 : 0);
        g_byte_array_append(out, &byte, 1);
        number >>= 7;
    } while (number > 0);
}

static void put_byte(GByteArray *out, guint byte)
{
    guint8 value = (guint8)byte;
    g_byte_array_append(out, &value, 1);
}

static void put_text(GByteArray *out, const char *text)
{
    put_number(out, strlen(text));
    g_byte_array_append(out, (const guint8 *)text, (guint)strlen(text));
}

static guint frames_of(guint stack)
{
    return stacks[stack][3] ? 2 : 1;
}

/* Its id, the number of frames, and the frames. */
static void put_stack(GByteArray *out, guint stack)
{
    put_number(out, stack);
    put_number(out, frames_of(stack));
    for (guint i = 0; i < frames_of(stack); i++) {
        put_number(out, 0x400000 + stack * 16 + i);
        for (guint k = 0; k < 3; k++)
            put_number(out, stacks[stack][i * 3 + k]);
    }
}

static GByteArray *begin(const char *header)
{
    guint8 bytes[16] = {0};
    memcpy(bytes, header, strlen(header));
    GByteArray *out = g_byte_array_new();
    g_byte_array_append(out, bytes, sizeof(bytes));
    return out;
}

/* ---- the first format ------------------------------------------------------------------------------------- */

static void put_record(GByteArray *out, guint type, guint count, const guint64 *numbers)
{
    g_autoptr(GByteArray) body = g_byte_array_new();
    for (guint i = 0; i < count; i++)
        put_number(body, numbers[i]);
    put_byte(out, type | (count <= 3 ? count - 1 : 3) << 6);
    if (count > 3)
        put_number(out, body->len);
    g_byte_array_append(out, body->data, body->len);
}

#define RECORD(out, type, ...)                                                                                         \
    put_record(out, type, sizeof((const guint64[]){__VA_ARGS__}) / sizeof(guint64), (const guint64[]){__VA_ARGS__})

/* Strings, stacks and the frequency, which come last. */
static void put_tables(GByteArray *out)
{
    for (guint i = 1; i < G_N_ELEMENTS(strings); i++) {
        put_byte(out, 37);
        put_number(out, i);
        put_text(out, strings[i]);
    }
    for (guint i = 1; i < G_N_ELEMENTS(stacks); i++) {
        g_autoptr(GByteArray) body = g_byte_array_new();
        put_stack(body, i);
        put_byte(out, 3 | 3 << 6);
        put_number(out, body->len);
        g_byte_array_append(out, body->data, body->len);
    }
    RECORD(out, 2, 1000000000); /* Frequency */
}

/* The goroutine that sends sleeps before, with that stack; 0: it does not. */
static GByteArray *make_first(guint sleep)
{
    GByteArray *out = begin("go 1.19 trace");
    RECORD(out, 1, 0, 1000);                    /* Batch */
    RECORD(out, 5, 1, 7);                       /* ProcStart */
    RECORD(out, 13, 1, 1, MAIN_ENTRY, IN_STOP); /* GoCreate */
    RECORD(out, 14, 1, 1, 1);                   /* GoStart */
    RECORD(out, 13, 5, 5, SEND_ENTRY, GO_SITE); /* GoCreate */
    RECORD(out, 23, 5, IN_RECEIVE);             /* GoBlockRecv */
    RECORD(out, 38, 5, 5);                      /* GoStartLocal */
    if (sleep > 0) {
        RECORD(out, 19, 5, sleep); /* GoSleep */
        RECORD(out, 39, 5, 5, 0);  /* GoUnblockLocal */
        RECORD(out, 38, 5, 5);     /* GoStartLocal */
    }
    RECORD(out, 39, 5, 1, IN_SEND); /* GoUnblockLocal */
    RECORD(out, 22, 5, IN_SEND);    /* GoBlockSend */
    RECORD(out, 38, 5, 1);          /* GoStartLocal */
    RECORD(out, 17, 5, IN_STOP);    /* GoSched */
    put_tables(out);
    return out;
}

GByteArray *dt_test_go_trace_first(void)
{
    return make_first(0);
}

GByteArray *dt_test_go_trace_ids(void)
{
    GByteArray *out = begin("go 1.19 trace");
    RECORD(out, 1, 0, 1000);                    /* Batch */
    RECORD(out, 5, 1, 7);                       /* ProcStart */
    RECORD(out, 13, 1, 1, MAIN_ENTRY, IN_STOP); /* GoCreate */
    RECORD(out, 14, 1, 1, 1);                   /* GoStart */
    RECORD(out, 13, 5, 9, SEND_ENTRY, GO_SITE); /* GoCreate */
    RECORD(out, 13, 5, 5, SEND_ENTRY, GO_SITE); /* GoCreate */
    RECORD(out, 17, 5, IN_STOP);                /* GoSched */
    RECORD(out, 38, 5, 9);                      /* GoStartLocal */
    RECORD(out, 13, 5, 3, SEND_ENTRY, GO_SITE); /* GoCreate */
    put_tables(out);
    return out;
}

GByteArray *dt_test_go_trace_asleep(gboolean stays)
{
    return make_first(stays ? IN_STAY : IN_SLEEP);
}

/* ---- the second ------------------------------------------------------------------------------------------- */

static void put_batch(GByteArray *out, guint64 generation, guint64 thread, const GByteArray *data)
{
    put_byte(out, 1);
    put_number(out, generation);
    put_number(out, thread);
    put_number(out, 1000);
    put_number(out, data->len);
    g_byte_array_append(out, data->data, data->len);
}

static void put_event(GByteArray *out, guint type, guint count, const guint64 *numbers)
{
    put_byte(out, type);
    for (guint i = 0; i < count; i++)
        put_number(out, numbers[i]);
}

#define EVENT(out, type, ...)                                                                                          \
    put_event(out, type, sizeof((const guint64[]){__VA_ARGS__}) / sizeof(guint64), (const guint64[]){__VA_ARGS__})

/* Two generations: what is told again in the second is no news. `first_bytes` is where the second generation begins;
 * may be NULL. */
static GByteArray *make_second(guint *first_bytes)
{
    enum { RECEIVE_REASON = 11, SEND_REASON, SCHED_REASON };
    g_autoptr(GByteArray) events = g_byte_array_new(), later = g_byte_array_new(), tables = g_byte_array_new();
    g_autoptr(GByteArray) names = g_byte_array_new(), frequency = g_byte_array_new();
    EVENT(events, 25, 1, 1, 9, 2);                    /* GoStatus: running */
    EVENT(events, 14, 5, 5, SEND_ENTRY, GO_SITE);     /* GoCreate */
    EVENT(events, 20, 5, RECEIVE_REASON, IN_RECEIVE); /* GoBlock */
    EVENT(events, 16, 5, 5, 1);                       /* GoStart */
    EVENT(later, 25, 20, 1, G_MAXUINT64, 4);          /* GoStatus: waiting */
    EVENT(later, 25, 0, 5, 9, 2);                     /* GoStatus: running */
    EVENT(later, 21, 1, 1, 1, IN_SEND);               /* GoUnblock */
    EVENT(later, 20, 5, SEND_REASON, IN_SEND);        /* GoBlock */
    EVENT(later, 16, 5, 1, 2);                        /* GoStart */
    EVENT(later, 19, 5, SCHED_REASON, IN_STOP);       /* GoStop */
    put_byte(names, 4);
    for (guint i = 1; i < G_N_ELEMENTS(strings); i++) {
        put_byte(names, 5);
        put_number(names, i);
        put_text(names, strings[i]);
    }
    put_byte(tables, 2);
    for (guint i = 1; i < G_N_ELEMENTS(stacks); i++) {
        put_byte(tables, 3);
        put_stack(tables, i);
    }
    EVENT(frequency, 8, 1000000000);
    GByteArray *out = begin("go 1.22 trace");
    for (guint generation = 1; generation <= 2; generation++) {
        put_batch(out, generation, 9, generation == 1 ? events : later);
        put_batch(out, generation, G_MAXUINT64, tables);
        put_batch(out, generation, G_MAXUINT64, names);
        put_batch(out, generation, G_MAXUINT64, frequency);
        if (generation == 1 && first_bytes)
            *first_bytes = out->len;
    }
    return out;
}

GByteArray *dt_test_go_trace_second(void)
{
    return make_second(NULL);
}

guint dt_test_go_trace_generation(void)
{
    guint bytes;
    g_byte_array_unref(make_second(&bytes));
    return bytes;
}
