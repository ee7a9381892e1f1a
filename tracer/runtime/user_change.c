/* Programs that become another user, such as setpriv and su: before they give up the right to it they make a folder in
 * the run where that user may write. The functions of the C library are replaced by ours, which call them. */
#include <errno.h>
#include <unistd.h>

#include "signals.h"
#include "unrecorded.h"

#define DT_EXPORTED __attribute__((visibility("default")))

static void prepare(uid_t user)
{
    static uid_t last; /* programs that change to and fro */
    if (user == (uid_t)-1 || user == 0 || user == last)
        return;
    last = user;
    dt_run_folder_prepare(user);
}

DT_EXPORTED int setuid(uid_t user)
{
    static int (*next)(uid_t);
    if (!next)
        *(void **)&next = dt_hidden_function("setuid");
    prepare(user);
    return next(user);
}

DT_EXPORTED int seteuid(uid_t user)
{
    static int (*next)(uid_t);
    if (!next)
        *(void **)&next = dt_hidden_function("seteuid");
    prepare(user);
    return next(user);
}

DT_EXPORTED int setreuid(uid_t real, uid_t effective)
{
    static int (*next)(uid_t, uid_t);
    if (!next)
        *(void **)&next = dt_hidden_function("setreuid");
    prepare(effective);
    return next(real, effective);
}

DT_EXPORTED int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    static int (*next)(uid_t, uid_t, uid_t);
    if (!next)
        *(void **)&next = dt_hidden_function("setresuid");
    prepare(effective);
    return next(real, effective, saved);
}
