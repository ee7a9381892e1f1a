/* General compressors, as command line tools, to compare codecs with. */
#ifndef DT_BENCH_CODEC_PEERS_H
#define DT_BENCH_CODEC_PEERS_H

#include <glib.h>

enum { PEERS = 4 };

typedef struct {
    gsize bytes;     /* 0: the tool is not there or failed */
    gdouble seconds; /* CPU time of the tool, its start included */
} PeerResult;

const char *peer_name(guint peer);

/** Compresses the file with a peer. */
PeerResult peer_compress(guint peer, const char *path);

#endif
