/** File systems of a network: what one host writes to a mapped file others see when it is sent, and not before. */
#ifndef DT_FORMAT_REMOTE_FILE_SYSTEMS_H
#define DT_FORMAT_REMOTE_FILE_SYSTEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** `type`: as statfs() tells it. */
static inline bool dt_is_remote_file_system(uint32_t type)
{
    static const uint32_t types[] = {
        0x6969,     /* NFS */
        0x65735546, /* FUSE: sshfs, glusterfs, ... */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB 2 */
        0x01021997, /* 9p */
        0x00c36400, /* Ceph */
        0x5346414f, /* AFS */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0xaad7aaea, /* PanFS */
        0x20030528, /* OrangeFS */
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (type == types[i])
            return true;
    return false;
}

#endif
