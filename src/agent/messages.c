/* Numbers are little-endian. A message is its kind, its sequence number, what the kind has, and its proof. */
#include "agent/messages.h"

#include <string.h>

#include "text/text.h"

G_DEFINE_QUARK(dt_agent_error, dt_agent_error)

static const guint8 MAGIC[4] = {'D', 'T', 'A', 'G'};
enum {
    PROCESS_BYTES = 4 + 8 + 1 + 4, /* without its threads */
    THREAD_BYTES = 4 + 1 + 4 + 8 + 1 + 8 + 8 + 8
};

void dt_message_clear(DtAgentMessage *message)
{
    g_clear_pointer(&message->processes, g_array_unref);
    g_clear_pointer(&message->piece, g_byte_array_unref);
}

static gboolean has_proof(DtMessageKind kind)
{
    return kind != DT_MESSAGE_HELLO;
}

/* ---- writing -------------------------------------------------------------------------------------- */

static void put_number(GByteArray *bytes, guint64 value, guint size)
{
    for (guint i = 0; i < size; i++) {
        const guint8 byte = (guint8)(value >> 8 * i);
        g_byte_array_append(bytes, &byte, 1);
    }
}

static void put_thread(GByteArray *bytes, const DtNodeThread *thread)
{
    put_number(bytes, thread->number, 4);
    put_number(bytes, thread->library ? 1 : 0, 1);
    put_number(bytes, thread->tid, 4);
    put_number(bytes, thread->words, 8);
    put_number(bytes, thread->kernel.is_known ? (guint8)thread->kernel.state : 0, 1);
    put_number(bytes, thread->kernel.microseconds, 8);
    put_number(bytes, thread->kernel.queued_us, 8);
    put_number(bytes, thread->kernel.slices, 8);
}

static void put_processes(GByteArray *bytes, const DtAgentMessage *message)
{
    put_number(bytes, message->is_partial ? 1 : 0, 1);
    put_number(bytes, message->processes->len, 4);
    for (guint p = 0; p < message->processes->len; p++) {
        const DtNodeProcess *process = &g_array_index(message->processes, DtNodeProcess, p);
        put_number(bytes, process->pid, 4);
        put_number(bytes, process->start_ns, 8);
        put_number(bytes, process->is_gone ? 1 : 0, 1);
        put_number(bytes, process->threads->len, 4);
        for (guint t = 0; t < process->threads->len; t++)
            put_thread(bytes, &g_array_index(process->threads, DtNodeThread, t));
    }
}

static void put_text(GByteArray *bytes, const char *text)
{
    put_number(bytes, strlen(text), 1);
    g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text));
}

static void put_piece(GByteArray *bytes, const DtAgentMessage *message)
{
    put_text(bytes, message->file);
    put_number(bytes, message->file_bytes, 8);
    put_number(bytes, message->offset, 8);
    put_number(bytes, message->piece ? message->piece->len : 0, 4);
    if (message->piece)
        g_byte_array_append(bytes, message->piece->data, message->piece->len);
}

GByteArray *dt_message_encode(const DtAgentMessage *message)
{
    GByteArray *bytes = g_byte_array_new();
    put_number(bytes, message->kind, 1);
    put_number(bytes, message->sequence, 8);
    switch (message->kind) {
    case DT_MESSAGE_HELLO:
        g_byte_array_append(bytes, MAGIC, sizeof(MAGIC));
        put_number(bytes, DT_AGENT_VERSION, 2);
        g_byte_array_append(bytes, message->nonce, DT_NONCE_BYTES);
        put_text(bytes, message->host);
        break;
    case DT_MESSAGE_CHALLENGE:
        g_byte_array_append(bytes, message->nonce, DT_NONCE_BYTES);
        break;
    case DT_MESSAGE_REPORT:
        put_processes(bytes, message);
        break;
    case DT_MESSAGE_END:
        put_number(bytes, message->grace_ms, 4);
        break;
    case DT_MESSAGE_ENDED:
        put_number(bytes, message->ended, 4);
        put_number(bytes, message->left, 4);
        break;
    case DT_MESSAGE_PIECE:
        put_piece(bytes, message);
        break;
    case DT_MESSAGE_SENT:
        put_number(bytes, message->has_more ? 1 : 0, 1);
        put_number(bytes, message->is_complete ? 1 : 0, 1);
        break;
    default:
        break;
    }
    if (has_proof(message->kind))
        g_byte_array_append(bytes, message->proof, DT_MAC_BYTES);
    return bytes;
}

/* ---- reading -------------------------------------------------------------------------------------- */

typedef struct {
    const guint8 *at, *end;
    gboolean is_short; /* something was asked for that is not there */
    gboolean is_wrong; /* a value that nobody writes */
} Cursor;

static gboolean take(Cursor *cursor, gpointer to, gsize count)
{
    if ((gsize)(cursor->end - cursor->at) < count) {
        cursor->is_short = TRUE;
        memset(to, 0, count);
        return FALSE;
    }
    memcpy(to, cursor->at, count);
    cursor->at += count;
    return TRUE;
}

static guint64 take_number(Cursor *cursor, guint size)
{
    guint8 bytes[8] = {0};
    guint64 value = 0;
    take(cursor, bytes, size);
    for (guint i = 0; i < size; i++)
        value |= (guint64)bytes[i] << 8 * i;
    return value;
}

static gboolean take_flag(Cursor *cursor)
{
    const guint64 flag = take_number(cursor, 1);
    cursor->is_wrong = cursor->is_wrong || flag > 1;
    return flag == 1;
}

static gboolean refuse(GError **error, const char *why)
{
    g_set_error(error, DT_AGENT_ERROR, DT_AGENT_ERROR_MESSAGE, "not a message: %s", why);
    return FALSE;
}

/* No more than there are bytes for. */
static gboolean take_count(Cursor *cursor, gsize bytes_each, guint32 *count)
{
    *count = (guint32)take_number(cursor, 4);
    if (!cursor->is_short && *count <= (gsize)(cursor->end - cursor->at) / bytes_each)
        return TRUE;
    cursor->is_short = TRUE;
    return FALSE;
}

static void take_thread(Cursor *cursor, DtNodeThread *thread)
{
    thread->number = (guint32)take_number(cursor, 4);
    thread->library = take_flag(cursor);
    thread->tid = (guint32)take_number(cursor, 4);
    thread->words = take_number(cursor, 8);
    const guint8 state = (guint8)take_number(cursor, 1);
    thread->kernel = (DtKernelThread){.is_known = state != 0, .sleeps = state == 'S', .state = (char)state};
    thread->kernel.microseconds = take_number(cursor, 8);
    thread->kernel.queued_us = take_number(cursor, 8);
    thread->kernel.slices = take_number(cursor, 8);
    cursor->is_wrong = cursor->is_wrong || (state != 0 && !g_ascii_isalpha(state));
}

static void take_process(Cursor *cursor, DtNodeProcess *process)
{
    guint32 threads = 0;
    process->pid = (guint32)take_number(cursor, 4);
    process->start_ns = take_number(cursor, 8);
    process->is_gone = take_flag(cursor);
    process->threads = g_array_new(FALSE, TRUE, sizeof(DtNodeThread));
    if (!take_count(cursor, THREAD_BYTES, &threads))
        return;
    g_array_set_size(process->threads, threads);
    for (guint t = 0; t < threads; t++)
        take_thread(cursor, &g_array_index(process->threads, DtNodeThread, t));
}

static void take_processes(Cursor *cursor, DtAgentMessage *message)
{
    guint32 count = 0;
    message->processes = dt_node_processes_new();
    message->is_partial = take_flag(cursor);
    if (!take_count(cursor, PROCESS_BYTES, &count))
        return;
    for (guint p = 0; p < count && !cursor->is_short; p++) {
        DtNodeProcess process = {0};
        take_process(cursor, &process);
        g_array_append_val(message->processes, process);
    }
}

/* A name of a host, as it may be shown. */
static gboolean is_host(const char *host)
{
    return host[0] && host[strspn(host, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-")] == '\0';
}

/* Names of ours: nothing that could lead elsewhere. */
static gboolean is_plain(const char *name)
{
    return name[0] != '.' && name[0] && name[strspn(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-+")] == '\0';
}

gboolean dt_message_is_log(const char *name)
{
    return g_str_equal(name, "ends.log") || g_str_equal(name, "unrecorded.log");
}

gboolean dt_message_is_file_name(const char *name, const char *host)
{
    static const char processes[] = "processes/", images[] = "images/";
    const char *own = name + strlen(processes);
    if (g_str_has_prefix(name, processes))
        return is_plain(own) && g_str_has_suffix(own, ".trace") && g_str_has_prefix(own, host) &&
               own[strlen(host)] == '.';
    if (g_str_has_prefix(name, images))
        return is_plain(name + strlen(images)) && (g_str_has_suffix(name, ".sym") || g_str_has_suffix(name, ".lines"));
    return dt_message_is_log(name);
}

static gboolean take_piece(Cursor *cursor, DtAgentMessage *message)
{
    const gsize name_bytes = (gsize)take_number(cursor, 1);
    guint32 bytes = 0;
    take(cursor, message->file, name_bytes);
    cursor->is_wrong = cursor->is_wrong || strlen(message->file) != name_bytes;
    message->file_bytes = take_number(cursor, 8);
    message->offset = take_number(cursor, 8);
    message->piece = g_byte_array_new();
    if (!take_count(cursor, 1, &bytes))
        return FALSE;
    g_byte_array_set_size(message->piece, bytes);
    cursor->is_wrong = cursor->is_wrong || bytes > DT_MOST_PIECE_BYTES || message->file_bytes > G_MAXINT64 ||
                       message->offset > message->file_bytes || bytes > message->file_bytes - message->offset;
    return bytes == 0 || take(cursor, message->piece->data, bytes);
}

static gboolean take_hello(Cursor *cursor, DtAgentMessage *message, GError **error)
{
    guint8 magic[sizeof(MAGIC)];
    take(cursor, magic, sizeof(magic));
    if (cursor->is_short || memcmp(magic, MAGIC, sizeof(MAGIC)) != 0)
        return refuse(error, "it greets otherwise than an agent");
    const guint version = (guint)take_number(cursor, 2);
    if (version != DT_AGENT_VERSION) {
        g_set_error(error, DT_AGENT_ERROR, DT_AGENT_ERROR_MESSAGE,
                    "the agent speaks version %u, this is version %d: install the same difftrace on all nodes", version,
                    DT_AGENT_VERSION);
        return FALSE;
    }
    take(cursor, message->nonce, DT_NONCE_BYTES);
    const gsize bytes = (gsize)take_number(cursor, 1);
    if (bytes > DT_MOST_HOST_BYTES)
        return refuse(error, "its host's name is too long");
    take(cursor, message->host, bytes);
    cursor->is_wrong = cursor->is_wrong || strlen(message->host) != bytes;
    return is_host(message->host) || cursor->is_short || refuse(error, "its host's name is none");
}

static gboolean take_body(Cursor *cursor, DtAgentMessage *message, GError **error)
{
    switch (message->kind) {
    case DT_MESSAGE_HELLO:
        return take_hello(cursor, message, error);
    case DT_MESSAGE_CHALLENGE:
        return take(cursor, message->nonce, DT_NONCE_BYTES);
    case DT_MESSAGE_REPORT:
        take_processes(cursor, message);
        return TRUE;
    case DT_MESSAGE_END:
        message->grace_ms = (guint32)take_number(cursor, 4);
        return TRUE;
    case DT_MESSAGE_ENDED:
        message->ended = (guint32)take_number(cursor, 4);
        message->left = (guint32)take_number(cursor, 4);
        return TRUE;
    case DT_MESSAGE_PIECE:
        return take_piece(cursor, message);
    case DT_MESSAGE_SENT:
        message->has_more = take_flag(cursor);
        message->is_complete = take_flag(cursor);
        return TRUE;
    default:
        return TRUE;
    }
}

static gboolean decode(Cursor *cursor, DtAgentMessage *message, GError **error)
{
    const guint kind = (guint)take_number(cursor, 1);
    if (kind == 0 || kind >= DT_MESSAGE_KINDS)
        return refuse(error, "no such kind");
    message->kind = (DtMessageKind)kind;
    message->sequence = take_number(cursor, 8);
    g_autoptr(GError) problem = NULL;
    if (!take_body(cursor, message, &problem) && problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    if (has_proof(message->kind))
        take(cursor, message->proof, DT_MAC_BYTES);
    if (cursor->is_short)
        return refuse(error, "it is too short");
    if (cursor->is_wrong)
        return refuse(error, "it has a value that there is not");
    return cursor->at == cursor->end || refuse(error, "something stands behind it");
}

gboolean dt_message_decode(const guint8 *bytes, gsize count, DtAgentMessage *message, GError **error)
{
    *message = (DtAgentMessage){0};
    if (count == 0)
        return refuse(error, "it is empty");
    Cursor cursor = {.at = bytes, .end = bytes + count};
    if (count > DT_MOST_MESSAGE_BYTES)
        return refuse(error, "it is too long");
    if (decode(&cursor, message, error))
        return TRUE;
    dt_message_clear(message);
    return FALSE;
}
