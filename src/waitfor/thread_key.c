#include "waitfor/thread_key.h"

#include <string.h>

#include "base/hash_index.h"

DtProcessKey dt_process_key_of(const DtProcess *process)
{
    return (DtProcessKey){process->host, process->start_ns, process->pid};
}

DtThreadKey dt_thread_key_of(const DtTrace *trace)
{
    return (DtThreadKey){dt_process_key_of(trace->process), trace->thread, trace->library};
}

guint dt_process_key_hash(gconstpointer data)
{
    const DtProcessKey *key = data;
    return (guint)dt_hash_integer(key->start_ns ^ (guint64)key->pid << 32);
}

gboolean dt_process_key_equal(gconstpointer one, gconstpointer other)
{
    const DtProcessKey *a = one, *b = other;
    return a->pid == b->pid && a->start_ns == b->start_ns && (a->host == b->host || strcmp(a->host, b->host) == 0);
}

guint dt_thread_key_hash(gconstpointer data)
{
    const DtThreadKey *key = data;
    return dt_process_key_hash(&key->process) * 31 + key->number * 2 + (key->library ? 1 : 0);
}

gboolean dt_thread_key_equal(gconstpointer one, gconstpointer other)
{
    const DtThreadKey *a = one, *b = other;
    return a->number == b->number && a->library == b->library && dt_process_key_equal(&a->process, &b->process);
}

/* Key and host are one piece of memory. */
static gpointer copy_with_host(gconstpointer key, gsize bytes, const char *host)
{
    const gsize host_bytes = strlen(host) + 1;
    guint8 *copy = g_malloc(bytes + host_bytes);
    memcpy(copy, key, bytes);
    memcpy(copy + bytes, host, host_bytes);
    return copy;
}

DtProcessKey *dt_process_key_copy(const DtProcessKey *key)
{
    DtProcessKey *copy = copy_with_host(key, sizeof(*key), key->host);
    copy->host = (const char *)(copy + 1);
    return copy;
}

DtThreadKey *dt_thread_key_copy(const DtThreadKey *key)
{
    DtThreadKey *copy = copy_with_host(key, sizeof(*key), key->process.host);
    copy->process.host = (const char *)(copy + 1);
    return copy;
}
