/** What the module of the network gives: transport.h tells what each function does. */
#ifndef DT_AGENT_NETWORK_LINK_H
#define DT_AGENT_NETWORK_LINK_H

#include <glib.h>

G_BEGIN_DECLS

/** A socket of nng's with its connections. */
typedef struct DtNetwork DtNetwork;

typedef enum { DT_PEER_CAME, DT_PEER_LEFT, DT_PEER_SAID } DtTransportWhat;
typedef struct {
    DtTransportWhat what;
    guint32 peer;     /* a connection; numbers are not used again soon */
    GByteArray *said; /* DT_PEER_SAID: a message; else NULL */
} DtTransportEvent;

typedef struct {
    DtNetwork *(*listen)(const char *address, guint16 *port, GError **error);
    gboolean (*listen_too)(DtNetwork *network, const char *address, guint16 port, GError **error);
    DtNetwork *(*dial)(const char *address, guint16 port, GError **error);
    void (*free)(DtNetwork *network);
    gint (*descriptor)(const DtNetwork *network);
    gboolean (*next)(DtNetwork *network, DtTransportEvent *event);
    gboolean (*send)(DtNetwork *network, guint32 peer, const GByteArray *message);
    void (*cut)(DtNetwork *network, guint32 peer);
    char *(*address)(const DtNetwork *network, guint32 peer);
} DtNetworkFunctions;

/** The module's own. */
const DtNetworkFunctions *dt_network_functions(void);
typedef const DtNetworkFunctions *(*DtNetworkGet)(void);

G_END_DECLS

#endif
