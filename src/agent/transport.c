#include "agent/transport.h"

#include "base/modules.h"

struct DtTransport {
    const DtNetworkFunctions *functions;
    DtNetwork *network;
};

void dt_transport_event_clear(DtTransportEvent *event)
{
    g_clear_pointer(&event->said, g_byte_array_unref);
}

static const DtNetworkFunctions *load(GError **error)
{
    void *opened = dt_module_open(DT_MODULE_NETWORK, error);
    DtNetworkGet get = NULL;
    if (opened)
        *(gpointer *)&get = dt_module_function(DT_MODULE_NETWORK, opened, "dt_network_functions", error);
    return get ? get() : NULL;
}

static DtTransport *transport_new(const DtNetworkFunctions *functions, DtNetwork *network)
{
    if (!network)
        return NULL;
    DtTransport *transport = g_new0(DtTransport, 1);
    *transport = (DtTransport){functions, network};
    return transport;
}

DtTransport *dt_transport_listen(const char *address, guint16 *port, GError **error)
{
    const DtNetworkFunctions *functions = load(error);
    return functions ? transport_new(functions, functions->listen(address, port, error)) : NULL;
}

gboolean dt_transport_listen_too(DtTransport *transport, const char *address, guint16 port, GError **error)
{
    return transport->functions->listen_too(transport->network, address, port, error);
}

DtTransport *dt_transport_dial(const char *address, guint16 port, GError **error)
{
    const DtNetworkFunctions *functions = load(error);
    return functions ? transport_new(functions, functions->dial(address, port, error)) : NULL;
}

void dt_transport_free(DtTransport *transport)
{
    if (!transport)
        return;
    transport->functions->free(transport->network);
    g_free(transport);
}

gint dt_transport_descriptor(const DtTransport *transport)
{
    return transport->functions->descriptor(transport->network);
}

gboolean dt_transport_next(DtTransport *transport, DtTransportEvent *event)
{
    return transport->functions->next(transport->network, event);
}

gboolean dt_transport_send(DtTransport *transport, guint32 peer, const GByteArray *message)
{
    return transport->functions->send(transport->network, peer, message);
}

void dt_transport_cut(DtTransport *transport, guint32 peer)
{
    transport->functions->cut(transport->network, peer);
}

char *dt_transport_address(const DtTransport *transport, guint32 peer)
{
    return transport->functions->address(transport->network, peer);
}
