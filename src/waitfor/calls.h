/** What a call means to those who wait: looked up once per function. */
#ifndef DT_WAITFOR_CALLS_H
#define DT_WAITFOR_CALLS_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
    DT_ROLE_NONE,
    DT_ROLE_MESSAGE,    /* sends or receives, as its arguments say, and waits until it is done */
    DT_ROLE_POSTED,     /* the same without waiting */
    DT_ROLE_PROBE,      /* waits for a message that another call receives */
    DT_ROLE_REQUESTS,   /* waits for all requests */
    DT_ROLE_ANY,        /* waits for one of its requests */
    DT_ROLE_COLLECTIVE, /* of all members of a communicator; waits or not */
    DT_ROLE_ACQUIRE,
    DT_ROLE_RELEASE,
    DT_ROLE_CONDITION, /* releases a lock, waits, acquires it again */
    DT_ROLE_TEST,      /* asks for requests without waiting */
    DT_ROLE_TEST_PROBE,
    DT_ROLE_OTHER_WAIT /* joins, barriers of threads, semaphores */
} DtRole;

DtRole dt_role_of(const char *function);

G_END_DECLS

#endif
