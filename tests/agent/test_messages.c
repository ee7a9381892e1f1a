/* Messages become bytes and messages again; what is none is refused in one line. */
#include <string.h>

#include "agent/messages.h"
#include "support/assert_same.h"

static GArray *two_processes(void)
{
    GArray *processes = dt_node_processes_new();
    for (guint32 p = 0; p < 2; p++) {
        DtNodeProcess process = {100 + p, 1000000000000u + p, p == 1, g_array_new(FALSE, TRUE, sizeof(DtNodeThread))};
        for (guint32 t = 0; t < 3 * (1 - p); t++) {
            const DtNodeThread thread = {
                t, t == 2, 100 + t, 1ull << 40 | t, {t < 2, t == 0, "SR"[t % 2], 77 * t, 88 * t, 99 * t}};
            g_array_append_val(process.threads, thread);
        }
        g_array_append_val(processes, process);
    }
    return processes;
}

static void assert_same_threads(const GArray *one, const GArray *other)
{
    g_assert_cmpuint(one->len, ==, other->len);
    for (guint t = 0; t < one->len; t++) {
        const DtNodeThread *a = &g_array_index(one, DtNodeThread, t), *b = &g_array_index(other, DtNodeThread, t);
        g_assert_true(a->number == b->number && a->library == b->library && a->tid == b->tid && a->words == b->words);
        g_assert_true(a->kernel.is_known == b->kernel.is_known && a->kernel.microseconds == b->kernel.microseconds);
        g_assert_true(a->kernel.queued_us == b->kernel.queued_us && a->kernel.slices == b->kernel.slices);
        if (a->kernel.is_known)
            g_assert_true(a->kernel.state == b->kernel.state && a->kernel.sleeps == b->kernel.sleeps);
    }
}

static void test_report(void)
{
    g_auto(DtAgentMessage) report = {.kind = DT_MESSAGE_REPORT, .sequence = 1ull << 50, .processes = two_processes()};
    g_auto(DtAgentMessage) again = {0};
    memset(report.proof, 7, sizeof(report.proof));
    g_autoptr(GByteArray) bytes = dt_message_encode(&report);
    g_assert_true(dt_message_decode(bytes->data, bytes->len, &again, NULL));
    g_assert_cmpuint(again.sequence, ==, report.sequence);
    dt_assert_same(again.proof, DT_MAC_BYTES, report.proof, DT_MAC_BYTES);
    g_assert_cmpuint(again.processes->len, ==, 2);
    for (guint p = 0; p < 2; p++) {
        const DtNodeProcess *one = &g_array_index(report.processes, DtNodeProcess, p);
        const DtNodeProcess *other = &g_array_index(again.processes, DtNodeProcess, p);
        g_assert_true(one->pid == other->pid && one->start_ns == other->start_ns && one->is_gone == other->is_gone);
        assert_same_threads(one->threads, other->threads);
    }
}

/* The layout that docs/agents.md tells. */
static void test_layout(void)
{
    g_auto(DtAgentMessage) end = {.kind = DT_MESSAGE_END, .sequence = 0x0102, .grace_ms = 5000};
    g_autoptr(GByteArray) bytes = dt_message_encode(&end);
    const guint8 expected[] = {6, 2, 1, 0, 0, 0, 0, 0, 0, 0x88, 0x13, 0, 0};
    g_assert_cmpuint(bytes->len, ==, sizeof(expected) + DT_MAC_BYTES);
    dt_assert_same(bytes->data, sizeof(expected), expected, sizeof(expected));
    g_auto(DtAgentMessage) hello = {.kind = DT_MESSAGE_HELLO, .host = "n2"};
    g_autoptr(GByteArray) greeting = dt_message_encode(&hello);
    g_assert_cmpuint(greeting->len, ==, 9 + 4 + 2 + DT_NONCE_BYTES + 1 + 2);
    dt_assert_same(greeting->data + 9, 6, "DTAG\3\0", 6);
}

/* Every message cut short anywhere, or with a byte more. */
static void test_every_cut(void)
{
    for (guint kind = 1; kind < DT_MESSAGE_KINDS; kind++) {
        g_auto(DtAgentMessage) message = {.kind = (DtMessageKind)kind, .host = "n2"};
        message.processes = kind == DT_MESSAGE_REPORT ? two_processes() : NULL;
        g_autoptr(GByteArray) bytes = dt_message_encode(&message);
        for (guint cut = 0; cut <= bytes->len + 1; cut++) {
            g_auto(DtAgentMessage) read = {0};
            g_autoptr(GError) error = NULL;
            g_autofree guint8 *exact = g_malloc0(cut + 1);
            memcpy(exact, bytes->data, MIN(cut, bytes->len));
            const gboolean is_read = dt_message_decode(exact, cut, &read, &error);
            g_assert_true(is_read == (cut == bytes->len));
            if (!is_read) {
                g_assert_error(error, DT_AGENT_ERROR, DT_AGENT_ERROR_MESSAGE);
                g_assert_null(strchr(error->message, '\n'));
            }
        }
    }
}

static void test_counts_that_lie(void)
{
    g_auto(DtAgentMessage) report = {.kind = DT_MESSAGE_REPORT, .processes = two_processes()}, read = {0};
    g_autoptr(GByteArray) bytes = dt_message_encode(&report);
    memset(bytes->data + 10, 0xff, 4); /* processes */
    g_assert_false(dt_message_decode(bytes->data, bytes->len, &read, NULL));
    g_autoptr(GByteArray) threads = dt_message_encode(&report);
    memset(threads->data + 10 + 4 + 13, 0xff, 4);
    g_assert_false(dt_message_decode(threads->data, threads->len, &read, NULL));
}

static void assert_host_refused(const char *host)
{
    g_auto(DtAgentMessage) hello = {.kind = DT_MESSAGE_HELLO}, read = {0};
    g_strlcpy(hello.host, host, sizeof(hello.host));
    g_autoptr(GByteArray) bytes = dt_message_encode(&hello);
    g_assert_false(dt_message_decode(bytes->data, bytes->len, &read, NULL));
}

static void test_hosts(void)
{
    assert_host_refused("");
    assert_host_refused("a\nb");
    assert_host_refused("\033[31mred");
    assert_host_refused("../../etc");
    g_auto(DtAgentMessage) other = {.kind = DT_MESSAGE_HELLO, .host = "n2"}, read = {0};
    g_autoptr(GByteArray) bytes = dt_message_encode(&other);
    g_autoptr(GError) error = NULL;
    bytes->data[13] = 9;
    g_assert_false(dt_message_decode(bytes->data, bytes->len, &read, &error));
    g_assert_nonnull(strstr(error->message, "version 9"));
}

static void test_pieces(void)
{
    g_auto(DtAgentMessage)
        piece = {.kind = DT_MESSAGE_PIECE, .file = "processes/n2.7.1.trace", .file_bytes = 9000, .offset = 4096};
    g_auto(DtAgentMessage) again = {0}, beyond = {0};
    piece.piece = g_byte_array_append(g_byte_array_new(), (const guint8 *)"abc", 3);
    g_autoptr(GByteArray) bytes = dt_message_encode(&piece);
    g_assert_true(dt_message_decode(bytes->data, bytes->len, &again, NULL));
    g_assert_cmpstr(again.file, ==, piece.file);
    g_assert_true(again.file_bytes == 9000 && again.offset == 4096);
    dt_assert_same(again.piece->data, again.piece->len, "abc", 3);
    piece.offset = 8998; /* its end is behind the file's */
    g_autoptr(GByteArray) wrong = dt_message_encode(&piece);
    g_assert_false(dt_message_decode(wrong->data, wrong->len, &beyond, NULL));
}

static void test_file_names(void)
{
    static const char *const right[] = {"processes/n2.7.1.trace", "images/ab12.sym", "images/ab12.lines", "ends.log"};
    static const char *const wrong[] = {"",
                                        "manifest.json",
                                        "processes/n1.7.1.trace",
                                        "processes/n22.7.1.trace",
                                        "processes/n2.7.1.trace.new",
                                        "processes/n2./../x.trace",
                                        "processes/../n2.trace",
                                        "images/../../x.sym",
                                        "images/.sym",
                                        "/etc/passwd",
                                        "users/0/processes/n2.7.1.trace"};
    for (guint i = 0; i < G_N_ELEMENTS(right); i++)
        g_assert_true(dt_message_is_file_name(right[i], "n2"));
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_false(dt_message_is_file_name(wrong[i], "n2"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/messages/report", test_report);
    g_test_add_func("/agent/messages/layout", test_layout);
    g_test_add_func("/agent/messages/every-cut", test_every_cut);
    g_test_add_func("/agent/messages/counts-that-lie", test_counts_that_lie);
    g_test_add_func("/agent/messages/hosts", test_hosts);
    g_test_add_func("/agent/messages/pieces", test_pieces);
    g_test_add_func("/agent/messages/file-names", test_file_names);
    return g_test_run();
}
