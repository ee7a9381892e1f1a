/* quota BYTES PROGRAM ARGUMENTS...: no file grows beyond so many bytes: EDQUOT, as of a quota of the file system.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

int main(int argc, char **argv)
{
    unsigned bytes = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
    struct sock_filter code[] = {
        LOAD(nr),
        UNLESS(SYS_truncate, 1),
        LOAD(args[1]), /* the size */
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, bytes, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDQUOT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    /* Numbers of system calls are smaller than `bytes`: of other calls the comparison allows all. */
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    if (bytes < 4096 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("quota");
        return 77;
    }
    execvp(argv[2], argv + 2);
    return 127;
}
