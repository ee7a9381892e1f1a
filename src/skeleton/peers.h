/**
 * Peers: ranks of a call's communicator, told from the caller's own rank in it. As a number a peer is the distance that
 * was recorded, the shorter way round. Other ways to tell one hold for more ranks: "=5" is rank 5, "^1" the rank with
 * the lowest bit turned, "x+1y-1" steps in the mesh, "last" the source of the latest receive from anybody.
 */
#ifndef DT_SKELETON_PEERS_H
#define DT_SKELETON_PEERS_H

#include "skeleton/row.h"

G_BEGIN_DECLS

enum { DT_MESH_AXES = 4 };
/** Ranks as places: the last axis' neighbours are neighbouring ranks. */
typedef struct {
    guint axes; /* 0: there is none */
    guint size[DT_MESH_AXES];
} DtMesh;

/* What values stand for peers; below them distances. No three of them are the same way apart, so that a row of peers
 * never is a progression by chance. */
#define DT_PEER_RANK  ((DtValue)1 << 60)
#define DT_PEER_BITS  ((DtValue)5 << 59)
#define DT_PEER_STEPS DT_FIRST_NAME
#define DT_PEER_LAST  (DT_PEER_STEPS + ((DtValue)1 << 57))

/** Distances, and numbers behind "=" and "^", are below this. */
#define DT_PEER_NUMBERS ((gint64)1 << 32)

typedef enum { DT_BY_DISTANCE, DT_BY_RANK, DT_BY_BITS, DT_BY_STEPS, DT_PEER_FORMS } DtPeerForm;

/** Who asks: his place in the communicator, and the distance that `last` means. */
typedef struct {
    guint index, size;
    const DtMesh *mesh;
    DtValue last; /* an atom where nothing came from anybody yet */
} DtPeerView;

/** The value as a distance, as it would have been recorded; numbers and atoms stay. */
DtValue dt_peer_distance(DtValue value, const DtPeerView *view);
/** A distance in another form; FALSE: it has none that means the same. */
gboolean dt_peer_in_form(DtValue distance, DtPeerForm form, const DtPeerView *view, DtValue *value);

/** Appends a value that is no atom; `bare`: without "=" and "^" and sign, as the end of a progression has it. */
void dt_peer_append(GString *text, DtValue value, gboolean bare);
/** Reads "=5", "^1", "x+1", "last" from `*at` on and moves it. FALSE: nothing of that is there, or, with a problem
 * (static), something wrong. */
gboolean dt_peer_parse(const char **at, DtValue *value, const char **problem);

/** How many axes steps go along, up to the last one; of other values 0. */
guint dt_peer_axes(DtValue value);

/** "4x4"; places is how many there are, 0: no mesh. */
guint64 dt_mesh_places(const DtMesh *mesh);
char *dt_mesh_text(const DtMesh *mesh);
/** Reads "4x4" and moves `*at` behind it. FALSE: that is none. */
gboolean dt_mesh_parse(const char **at, DtMesh *mesh);

G_END_DECLS

#endif
