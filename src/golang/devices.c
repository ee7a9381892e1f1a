#define _GNU_SOURCE

#include "golang/devices.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

static const char null_device[] = "/dev/null";

/* What is mounted can be neither unlinked nor renamed over in the namespace where it is. */
void dt_go_keep_devices(gpointer unused)
{
    (void)unused;
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
        return;
    (void)!mount(null_device, null_device, NULL, MS_BIND, NULL);
}
