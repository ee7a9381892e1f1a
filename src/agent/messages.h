/**
 * What agents and collectors say to each other, as bytes; docs/agents.md has them one by one. Nothing here knows of
 * keys or of a network: whatever bytes come, they become a message or one line that says why they are none.
 */
#ifndef DT_AGENT_MESSAGES_H
#define DT_AGENT_MESSAGES_H

#include "live/remote.h"

G_BEGIN_DECLS

#define DT_AGENT_ERROR (dt_agent_error_quark())
typedef enum {
    DT_AGENT_ERROR_MESSAGE, /* bytes that are no message, or come at the wrong time */
    DT_AGENT_ERROR_REFUSED, /* another key, or a message that was sent before */
    DT_AGENT_ERROR_NETWORK,
    DT_AGENT_ERROR_FILES /* what comes cannot be written */
} DtAgentError;
GQuark dt_agent_error_quark(void);

enum {
    DT_AGENT_VERSION = 3,
    DT_NONCE_BYTES = 32,
    DT_MAC_BYTES = 32,
    DT_MOST_HOST_BYTES = 64,
    DT_MOST_MESSAGE_BYTES = 1 << 20,
    DT_MOST_NODE_THREADS = 16384, /* that a report tells of */
    DT_MOST_FILE_NAME_BYTES = 255,
    DT_MOST_PIECE_BYTES = 1 << 16
};

typedef enum {
    DT_MESSAGE_HELLO = 1, /* agent: its host, a nonce */
    DT_MESSAGE_CHALLENGE, /* collector: a nonce, and that it knows the key */
    DT_MESSAGE_ANSWER,    /* agent: that it knows the key, too */
    DT_MESSAGE_REPORT,    /* agent: its processes and their threads */
    DT_MESSAGE_ALIVE,     /* collector: it is there */
    DT_MESSAGE_END,       /* collector: the processes are to be ended */
    DT_MESSAGE_ENDED,     /* agent: how that went */
    DT_MESSAGE_BYE,       /* either: this is the last message */
    DT_MESSAGE_WANT,      /* collector: the run's files there do not reach it; the next part of them is to be sent */
    DT_MESSAGE_PIECE,     /* agent: of a file */
    DT_MESSAGE_SENT,      /* agent: that was the part */
    DT_MESSAGE_KINDS
} DtMessageKind;

typedef struct {
    DtMessageKind kind;
    guint64 sequence;                  /* 0 of the first three kinds; then from 1 on, in each direction */
    char host[DT_MOST_HOST_BYTES + 1]; /* HELLO */
    guint8 nonce[DT_NONCE_BYTES];      /* HELLO, CHALLENGE */
    guint8 proof[DT_MAC_BYTES];        /* CHALLENGE, ANSWER: see session.h; later ones: of all bytes before it */
    GArray *processes;                 /* REPORT: (element-type DtNodeProcess) */
    gboolean is_partial;               /* REPORT: there are more threads than a report takes */
    guint32 grace_ms;                  /* END: between the two signals */
    guint32 ended, left;               /* ENDED: processes that got a signal and are gone, and that are still there */
    char file[DT_MOST_FILE_NAME_BYTES + 1]; /* PIECE: relative to the run: see dt_message_is_file_name() */
    guint64 file_bytes, offset;             /* PIECE: of the whole file; of the piece */
    GByteArray *piece;                      /* PIECE */
    gboolean has_more;                      /* SENT: what has changed is not all sent */
    gboolean is_complete;                   /* SENT: all is, and no process of the run is there that could change it */
} DtAgentMessage;

void dt_message_clear(DtAgentMessage *message);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtAgentMessage, dt_message_clear)

/** The message's bytes, with its proof. O(size). */
GByteArray *dt_message_encode(const DtAgentMessage *message);
/** FALSE with an error: they are no message. `message` is to be cleared if it is TRUE. O(size). */
gboolean dt_message_decode(const guint8 *bytes, gsize count, DtAgentMessage *message, GError **error);

/** TRUE for files of a run that the agent of that host may send: trace files that begin with the host's name, symbols
 * and lines of images, and the logs. */
gboolean dt_message_is_file_name(const char *name, const char *host);
/** TRUE for those that have a line for each process, of all hosts. */
gboolean dt_message_is_log(const char *name);

G_END_DECLS

#endif
