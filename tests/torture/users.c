/* Users, capabilities, roots and namespaces. Without the privileges it takes, untraced runs say so, too. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torture.h"

enum { NOBODY = 65534 };

static void *toil_in_thread(void *unused)
{
    beats(100);
    toil();
    return unused;
}

/* 100 beats in a thread, 200 in a child. */
static void in_child_of_child(void)
{
    beats(200);
    toil();
}

static void do_everything(void)
{
    pthread_t thread;
    toil();
    see("pthread_create", pthread_create(&thread, NULL, toil_in_thread, NULL));
    pthread_join(thread, NULL);
    in_child("child", in_child_of_child);
    toil();
}

static void then_do_everything(void)
{
    do_everything();
}

/* ---- children that cannot be recorded --------------------------------------------------------- */

static void forked_again(void)
{
    toil();
    in_child("grandchild", toil);
}

static void of_other_root(void)
{
    mkdir("jail", 0700);
    see("chroot", chroot("jail"));
    in_child("child", forked_again);
}

static void of_moved_run(void)
{
    char command[4096];
    const char *run = getenv("DIFFTRACE_RUN");
    snprintf(command, sizeof command, "mv '%s' '%s.moved'", run ? run : "/", run ? run : "/");
    if (run && system(command) != 0)
        say("mv failed\n");
    in_child("child", forked_again);
    snprintf(command, sizeof command, "mv '%s.moved' '%s'", run ? run : "/", run ? run : "/");
    if (run && system(command) != 0)
        say("mv back failed\n");
}

static void under_limit(int resource, rlim_t most)
{
    struct rlimit limit = {most, most};
    see("setrlimit", setrlimit(resource, &limit));
    in_child("child", forked_again);
}

static void of_few_files(void)
{
    under_limit(RLIMIT_NOFILE, 3);
}

static void of_small_files(void)
{
    under_limit(RLIMIT_FSIZE, 100);
}

static void of_other_user(void)
{
    see("setuid", syscall(SYS_setuid, NOBODY));
    in_child("child", forked_again);
}

static void of_namespace(void)
{
    see("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS));
    see("mount", mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
    see("mount", mount("none", "/tmp", "tmpfs", MS_RDONLY, NULL));
    in_child("child", forked_again);
}

/* Nothing may be written from here on. */
static void of_landlock(void)
{
    struct {
        unsigned long handled;
    } rules = {0x1fff};
    int set = (int)syscall(444 /* landlock_create_ruleset */, &rules, sizeof rules, 0);
    see("no_new_privs", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    see("landlock", syscall(446 /* landlock_restrict_self */, set, 0));
    in_child("child", forked_again);
}

static void unrecorded_children(void)
{
    toil();
    in_child("other root", of_other_root);
    in_child("moved run", of_moved_run);
    in_child("few files", of_few_files);
    in_child("small files", of_small_files);
    in_child("other user", of_other_user);
    in_child("namespace", of_namespace);
    in_child("landlock", of_landlock);
}

/* ---- users ------------------------------------------------------------------------------------- */

static void set_user(void)
{
    see("setgroups", setgroups(0, NULL));
    see("setgid", setgid(NOBODY));
    see("setuid", setuid(NOBODY));
    do_everything();
}

static void set_user_and_exec(void)
{
    see("setresgid", setresgid(NOBODY, NOBODY, NOBODY));
    see("setresuid", setresuid(NOBODY, NOBODY, NOBODY));
    become("then_do_everything");
}

static void *other_user(void *unused)
{
    see("setresuid", syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY));
    beats(100);
    toil();
    return unused;
}

/* Of one thread alone, as file servers do. */
static void user_of_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other_user, NULL);
    toil();
    pthread_join(thread, NULL);
    see("geteuid", geteuid());
}

static void to_and_fro(void)
{
    for (int i = 0; i < 20; i++) {
        int failed = seteuid(NOBODY) + seteuid(0);
        beat();
        if (failed)
            see("seteuid", -1);
    }
    setfsuid(NOBODY);
    toil();
    setfsuid(0);
    do_everything();
}

static void no_capabilities(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    see("capset", syscall(SYS_capset, &header, none));
    do_everything();
}

static void no_new_privileges(void)
{
    see("no_new_privs", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    become("then_do_everything");
}

static void not_dumpable(void)
{
    see("dumpable", prctl(PR_SET_DUMPABLE, 0));
    do_everything();
    see("dumpable", prctl(PR_GET_DUMPABLE));
}

static void nobody_and_not_dumpable(void)
{
    see("setuid", setuid(NOBODY));
    see("dumpable", prctl(PR_GET_DUMPABLE));
    see("maps", open("/proc/self/maps", O_RDONLY) >= 0 ? 0 : -1);
    do_everything();
}

/* An executable that may not be read. */
static void unreadable(void)
{
    char command[4096];
    snprintf(command, sizeof command, "cp '%s' unreadable && chmod 111 unreadable", torture_self);
    see("cp", system(command));
    see("setuid", setuid(NOBODY));
    execl("./unreadable", "./unreadable", "then_do_everything", (char *)NULL);
    see("execl", -1);
}

static void masks(void)
{
    umask(0777);
    close(open("hidden", O_CREAT | O_WRONLY, 0666));
    do_everything();
    umask(0);
    close(open("open", O_CREAT | O_WRONLY, 0666));
    in_child("child", then_do_everything);
}

/* ---- roots ------------------------------------------------------------------------------------- */

static void other_root(void)
{
    see("mkdir", mkdir("root", 0755));
    see("chroot", chroot("root"));
    see("chdir", chdir("/"));
    do_everything();
    see("proc", access("/proc", F_OK));
}

static void other_root_and_user(void)
{
    see("chroot", chroot("."));
    see("chdir", chdir("/"));
    see("setuid", setuid(NOBODY));
    do_everything();
}

static void private_mounts(void)
{
    see("unshare", unshare(CLONE_NEWNS));
    see("private", mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
}

static void pivot(void)
{
    private_mounts();
    see("mkdir", mkdir("root", 0755));
    see("mount", mount("none", "root", "tmpfs", 0, NULL));
    see("chdir", chdir("root"));
    see("mkdir", mkdir("old", 0755));
    see("pivot_root", syscall(SYS_pivot_root, ".", "old"));
    see("chdir", chdir("/"));
    see("umount", umount2("/old", MNT_DETACH));
    do_everything();
}

static void no_proc(void)
{
    private_mounts();
    see("umount", umount2("/proc", MNT_DETACH));
    do_everything();
}

static void exec_without_proc(void)
{
    private_mounts();
    see("umount", umount2("/proc", MNT_DETACH));
    become("then_do_everything");
}

static void exec_of_a_script_without_proc(void)
{
    FILE *script = fopen("script", "w");
    if (!script || fprintf(script, "#!%s then_do_everything\n", torture_self) < 0 || fclose(script) != 0)
        see("script", -1);
    see("chmod", chmod("script", 0755));
    private_mounts();
    see("umount", umount2("/proc", MNT_DETACH));
    execl("./script", "./script", (char *)NULL);
    see("execl", -1);
}

static void no_temporary_files(void)
{
    private_mounts();
    see("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
    do_everything();
}

static void read_only_system(void)
{
    private_mounts();
    see("mount", mount("none", "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
    do_everything();
}

/* ---- namespaces -------------------------------------------------------------------------------- */

static void user_namespace(void)
{
    see("unshare", unshare(CLONE_NEWUSER));
    see("geteuid", geteuid());
    do_everything();
}

static void process_namespace(void)
{
    see("unshare", unshare(CLONE_NEWPID));
    int child = fork();
    if (child == 0) {
        see("getpid", getpid());
        beats(100);
        do_everything();
        _exit(5);
    }
    see_end("child", child);
}

static void exec_in_process_namespace(void)
{
    see("unshare", unshare(CLONE_NEWPID));
    int child = fork();
    if (child == 0)
        become("then_do_everything");
    see_end("child", child);
}

static void other_namespaces(void)
{
    see("unshare", unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP));
    see("sethostname", sethostname("elsewhere", 9));
    do_everything();
    in_child("child", then_do_everything);
}

static void child_in_namespaces(void)
{
    int child = (int)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        beats(100);
        toil();
        _exit(6);
    }
    see_end("child", child);
}

static void fixed_addresses(void)
{
    see("personality", personality(ADDR_NO_RANDOMIZE));
    become("then_do_everything");
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(then_do_everything),
                                              PROGRAM(unrecorded_children),
                                              PROGRAM(set_user),
                                              PROGRAM(set_user_and_exec),
                                              PROGRAM(user_of_a_thread),
                                              PROGRAM(to_and_fro),
                                              PROGRAM(no_capabilities),
                                              PROGRAM(no_new_privileges),
                                              PROGRAM(not_dumpable),
                                              PROGRAM(nobody_and_not_dumpable),
                                              PROGRAM(unreadable),
                                              PROGRAM(masks),
                                              PROGRAM(other_root),
                                              PROGRAM(other_root_and_user),
                                              PROGRAM(pivot),
                                              PROGRAM(no_proc),
                                              PROGRAM(exec_without_proc),
                                              PROGRAM(exec_of_a_script_without_proc),
                                              PROGRAM(no_temporary_files),
                                              PROGRAM(read_only_system),
                                              PROGRAM(user_namespace),
                                              PROGRAM(process_namespace),
                                              PROGRAM(exec_in_process_namespace),
                                              PROGRAM(other_namespaces),
                                              PROGRAM(child_in_namespaces),
                                              PROGRAM(fixed_addresses),
                                              {NULL, NULL}};
    return torture_main(argc, argv, programs);
}
