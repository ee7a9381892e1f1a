/** Messages over TCP: a collector that listens, agents that dial. By the module of the network, which is opened then.
 */
#ifndef DT_AGENT_TRANSPORT_H
#define DT_AGENT_TRANSPORT_H

#include "agent/network/link.h"

G_BEGIN_DECLS

typedef struct DtTransport DtTransport;

/** Listens on a free port of an address of this host. NULL with an error. */
DtTransport *dt_transport_listen(const char *address, guint16 *port, GError **error);
/** Listens on that port of another address as well. */
gboolean dt_transport_listen_too(DtTransport *transport, const char *address, guint16 port, GError **error);
/** Dials, again and again until it is freed. NULL with an error if the address is none. */
DtTransport *dt_transport_dial(const char *address, guint16 port, GError **error);
void dt_transport_free(DtTransport *transport);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTransport, dt_transport_free)

/** Becomes readable when something may be there for dt_transport_next(). */
gint dt_transport_descriptor(const DtTransport *transport);

void dt_transport_event_clear(DtTransportEvent *event);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtTransportEvent, dt_transport_event_clear)

/** FALSE: nothing more has come. A peer comes before it says anything, and says nothing after it has left. */
gboolean dt_transport_next(DtTransport *transport, DtTransportEvent *event);
/** Never waits. FALSE: it could not be sent; who dials has one peer, which need not be named. */
gboolean dt_transport_send(DtTransport *transport, guint32 peer, const GByteArray *message);
/** Cuts the connection off. */
void dt_transport_cut(DtTransport *transport, guint32 peer);
/** Of a peer that is there; g_free(). */
char *dt_transport_address(const DtTransport *transport, guint32 peer);

G_END_DECLS

#endif
