/* Descriptors: their numbers, and that no file of the program's is touched but by itself. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "torture.h"

enum { FILE_BYTES = 4 << 20 };

static int own_file(const char *name, int bytes)
{
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    char data[4096];
    memset(data, 'D', sizeof data);
    for (int done = 0; done < bytes; done += (int)sizeof data)
        if (write(file, data, sizeof data) < 0)
            see("write", -1);
    return file;
}

/* Contents are compared by the runner, too. */
static void see_file(const char *name)
{
    struct stat now = {0};
    see("stat", stat(name, &now));
    see("bytes", now.st_size);
}

static void *toil_in_thread(void *unused)
{
    toil();
    return unused;
}

static void toil_in_threads(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, toil_in_thread, NULL) != 0)
            say("no thread\n");
    toil();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

/* ---- numbers of our own choice ----------------------------------------------------------------- */

static void dup2_to_700(void)
{
    int file = own_file("own", FILE_BYTES);
    see("dup2", dup2(file, 700));
    toil_in_threads();
    see_file("own");
}

static void dup2_to_all(void)
{
    int file = own_file("own", FILE_BYTES), missed = 0;
    for (int number = 3; number < 1024; number++)
        missed += dup2(file, number) != number;
    toil_in_threads();
    struct stat first, other;
    fstat(file, &first);
    for (int number = 3; number < 1024; number++)
        missed += fstat(number, &other) != 0 || other.st_ino != first.st_ino;
    see("missed", missed);
    see_file("own");
}

/* The end of the pipe at 700 must be the last one. */
static void end_of_pipe(void)
{
    int ends[2];
    char byte;
    see("pipe", pipe(ends));
    dup2(ends[1], 700);
    close(ends[1]);
    toil();
    close(700);
    see("end of file", read(ends[0], &byte, 1));
}

static void f_dupfd(void)
{
    for (int from = 0; from < 2000; from += 100)
        see("F_DUPFD", fcntl(0, F_DUPFD, from));
    toil();
    see("F_DUPFD_CLOEXEC", fcntl(0, F_DUPFD_CLOEXEC, 690));
    see("flags", fcntl(690, F_GETFD));
}

/* ---- all closed -------------------------------------------------------------------------------- */

static void open_many(void)
{
    int wrong = 0;
    for (int number = 3; number < 1100; number++)
        wrong += open("reused", O_RDWR | O_CREAT, 0600) != number;
    see("wrong numbers", wrong);
    if (write(3, "precious data\n", 14) < 0)
        see("write", -1);
    toil_in_threads();
    see_file("reused");
}

static void close_in_a_loop(void)
{
    for (int number = 3; number < 65536; number++)
        close(number);
    open_many();
}

static void close_by_range(void)
{
    see("close_range", close_range(3, ~0u, 0));
    open_many();
}

static void close_by_system_call(void)
{
    see("close_range", syscall(SYS_close_range, 3, ~0u, 0));
    open_many();
}

static void close_from(void)
{
    closefrom(3);
    open_many();
}

static void close_unshared(void)
{
    see("close_range", close_range(3, ~0u, CLOSE_RANGE_UNSHARE));
    open_many();
}

static void close_the_standard_ones(void)
{
    int kept = fcntl(1, F_DUPFD, 10);
    close(0), close(1), close(2);
    toil();
    int lowest[3];
    for (int i = 0; i < 3; i++)
        lowest[i] = open("/dev/null", O_RDWR);
    dup2(kept, 1);
    say("lowest: %d %d %d\n", lowest[0], lowest[1], lowest[2]);
}

/* ---- counted ----------------------------------------------------------------------------------- */

static int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void count_in_proc(void)
{
    see("before", open_descriptors());
    toil_in_threads();
    see("after", open_descriptors());
}

static void count_open(void)
{
    int open = 0;
    for (int number = 0; number < 20000; number++)
        open += fcntl(number, F_GETFD) >= 0;
    see("open", open);
}

static void count_by_poll(void)
{
    struct pollfd all[1024];
    for (int i = 0; i < 1024; i++)
        all[i] = (struct pollfd){.fd = i, .events = 0};
    toil();
    poll(all, 1024, 0);
    int open = 0;
    for (int i = 0; i < 1024; i++)
        open += !(all[i].revents & POLLNVAL);
    see("open", open);
}

static void count_after_exec(void)
{
    toil();
    become("count_in_proc");
}

static void count_in_child(void)
{
    toil();
    in_child("child", count_in_proc);
    in_child("child", count_open);
}

/* ---- lowest number ----------------------------------------------------------------------------- */

static volatile int over;

static void *assert_lowest(void *expected)
{
    long wrong = 0;
    while (!over) {
        int number = open("/dev/null", O_RDONLY);
        wrong += number != *(int *)expected;
        close(number);
    }
    return (void *)wrong;
}

static void lowest_in_a_thread(void)
{
    int lowest = dup(0);
    void *wrong;
    close(lowest);
    pthread_t thread;
    over = 0;
    pthread_create(&thread, NULL, assert_lowest, &lowest);
    toil_in_threads();
    toil_in_threads();
    over = 1;
    pthread_join(thread, &wrong);
    see("wrong numbers", (long)wrong);
}

static void *unshared(void *expected)
{
    see("unshare", unshare(CLONE_FILES));
    for (int number = 3; number < 1024; number++)
        close(number);
    (void)expected;
    int lowest = 3;
    return assert_lowest(&lowest);
}

/* A thread with a table of descriptors of its own. */
static void unshared_table(void)
{
    void *wrong;
    pthread_t thread;
    over = 0;
    pthread_create(&thread, NULL, unshared, NULL);
    toil_in_threads();
    over = 1;
    pthread_join(thread, &wrong);
    see("wrong numbers", (long)wrong);
    see("open", open_descriptors());
}

static void pass_over_socket(void)
{
    int pair[2], passed = own_file("passed", 4096);
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    char byte = 'x';
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control};
    see("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    control.align = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.align), &passed, sizeof passed);
    see("sendmsg", sendmsg(pair[0], &message, 0));
    toil();
    see("recvmsg", recvmsg(pair[1], &message, 0));
    memcpy(&passed, CMSG_DATA(&control.align), sizeof passed);
    see("number", passed);
    see_file("passed");
}

/* ---- limits ------------------------------------------------------------------------------------ */

static void with_limit(rlim_t limit)
{
    struct rlimit all;
    getrlimit(RLIMIT_NOFILE, &all);
    struct rlimit few = {limit, all.rlim_max};
    see("setrlimit", setrlimit(RLIMIT_NOFILE, &few));
    toil_in_threads();
    FILE *file = fopen("limited", "w");
    say("fopen: %s\n", file ? "works" : strerrorname_np(errno));
    setrlimit(RLIMIT_NOFILE, &all);
    if (file)
        fclose(file);
}

static void limit_of_4(void)
{
    with_limit(4);
}

static void limit_of_0(void)
{
    with_limit(0);
}

static void exec_with_limit_of_4(void)
{
    struct rlimit four = {4, 4};
    see("setrlimit", setrlimit(RLIMIT_NOFILE, &four));
    become("limit_of_4");
}

static void all_taken(void)
{
    struct rlimit few = {40, 40};
    setrlimit(RLIMIT_NOFILE, &few);
    int number, last = 0;
    while ((number = dup(0)) >= 0)
        last = number;
    see("last", last);
    toil_in_threads();
    see("dup", dup(0));
}

/* ---- uses -------------------------------------------------------------------------------------- */

static void select_at_the_end(void)
{
    int ends[2];
    struct timeval now = {0, 0};
    fd_set set;
    see("pipe", pipe(ends));
    see("dup2", dup2(ends[1], FD_SETSIZE - 1));
    FD_ZERO(&set);
    FD_SET(FD_SETSIZE - 1, &set);
    toil();
    see("select", select(FD_SETSIZE, NULL, &set, NULL, &now));
    see("set", FD_ISSET(FD_SETSIZE - 1, &set));
}

/* Closing any descriptor of a file drops a process's locks on it. */
static void record_locks(void)
{
    int file = own_file("locked", 4096);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    see("lock", fcntl(file, F_SETLK, &lock));
    toil();
    if (fork() == 0) {
        lock.l_type = F_WRLCK;
        see("lock of the child", fcntl(file, F_SETLK, &lock));
        _exit(0);
    }
    see_end("child", -1);
}

static void epoll_and_memory_files(void)
{
    int memory = memfd_create("torture", MFD_ALLOW_SEALING), epoll = epoll_create1(0), ends[2];
    see("pipe", pipe(ends));
    struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[0]};
    see("ftruncate", ftruncate(memory, 1 << 20));
    see("seals", fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
    see("epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event));
    toil();
    see("write", write(ends[1], "x", 1));
    see("epoll_wait", epoll_wait(epoll, &event, 1, 1000));
    see("numbers", memory * 10000 + epoll * 100 + event.data.fd);
}

static void folder_is_gone(void)
{
    see("mkdir", mkdir("gone", 0700));
    see("chdir", chdir("gone"));
    see("rmdir", rmdir("../gone"));
    toil_in_threads();
    char path[4096];
    see("getcwd", getcwd(path, sizeof path) ? 0 : -1);
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(dup2_to_700),
                                              PROGRAM(dup2_to_all),
                                              PROGRAM(end_of_pipe),
                                              PROGRAM(f_dupfd),
                                              PROGRAM(close_in_a_loop),
                                              PROGRAM(close_by_range),
                                              PROGRAM(close_from),
                                              PROGRAM(close_by_system_call),
                                              PROGRAM(close_unshared),
                                              PROGRAM(close_the_standard_ones),
                                              PROGRAM(count_in_proc),
                                              PROGRAM(count_open),
                                              PROGRAM(count_by_poll),
                                              PROGRAM(count_after_exec),
                                              PROGRAM(count_in_child),
                                              PROGRAM(lowest_in_a_thread),
                                              PROGRAM(unshared_table),
                                              PROGRAM(pass_over_socket),
                                              PROGRAM(limit_of_4),
                                              PROGRAM(limit_of_0),
                                              PROGRAM(all_taken),
                                              PROGRAM(exec_with_limit_of_4),
                                              PROGRAM(select_at_the_end),
                                              PROGRAM(record_locks),
                                              PROGRAM(folder_is_gone),
                                              PROGRAM(epoll_and_memory_files),
                                              {NULL, NULL}};
    return torture_main(argc, argv, programs);
}
