/* Fuzzes what comes over the network: what is a message can be written again, and is the same then; a session takes
 * nothing that it should not. */
#include <string.h>

#include "agent/session.h"
#include "fuzz_target.h"

static void check_message(const uint8_t *data, size_t size)
{
    g_auto(DtAgentMessage) message = {0}, again = {0};
    if (!dt_message_decode(data, size, &message, NULL))
        return;
    g_autoptr(GByteArray) bytes = dt_message_encode(&message);
    if (!dt_message_decode(bytes->data, bytes->len, &again, NULL))
        g_error("a message that cannot be read again");
    g_autoptr(GByteArray) third = dt_message_encode(&again);
    if (bytes->len != size || third->len != bytes->len || memcmp(third->data, bytes->data, bytes->len) != 0)
        g_error("a message that changed when it was written again");
}

/* Whoever does not have the key never gets further than to the question. */
static void check_session(const uint8_t *data, size_t size)
{
    const guint8 key[DT_AGENTS_KEY_BYTES] = {1, 2, 3};
    for (guint is_agent = 0; is_agent < 2; is_agent++) {
        g_auto(DtAgentMessage) message = {0};
        g_autoptr(GByteArray) answer = NULL;
        g_autoptr(DtSession) session = dt_session_new(key, is_agent ? "n2" : NULL, NULL);
        for (guint i = 0; i < 2; i++) {
            g_clear_pointer(&answer, g_byte_array_unref);
            dt_session_take(session, data, size, &message, &answer, NULL);
        }
        if (dt_session_is_open(session))
            g_error("a session that opened without the key");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree guint8 *exact = g_memdup2(data, size);
    check_message(exact, size);
    check_session(exact, size);
    return 0;
}
