/*
 * Programs that stand still for long and are not stuck, by name: mpi-alive KIND SECONDS, with three ranks. Without
 * arguments it lists the kinds. The other ranks wait for rank 0, which meanwhile
 *     computes     computes, without a call
 *     works        computes in many calls
 *     pokes        computes, and asks MPI now and then whether something has come
 *     sleeps       sleeps
 *     naps         sleeps again and again for a short time
 *     input        reads from a pipe that a child writes to at the end
 *     socket       accepts a connection that a child makes at the end
 *     signal       waits for a signal that a timer sends
 *     polls        asks for a message that rank 1 sends at the end, after it has slept
 *     polls-fast   the same without a pause
 *     deadline     asks for a message that never comes, until its time is over
 *     thread       joins a thread that sleeps
 *     condition    waits for a condition that a thread that computes will signal
 *     timed        waits for a condition that nobody signals, until its time is over
 *     lock         waits for a lock that a thread that computes holds
 *     file         waits for a lock on a file that a child holds
 *     child        waits for a child process
 *     team         computes in a region of OpenMP's threads, some of which are done
 *     worker       waits for answers to what a thread of rank 0 sends at the end
 *     fifo         opens a FIFO that a child opens at the end
 *     appears      looks again and again for a file that a child makes at the end
 *     system       waits for a command of the shell
 *     pipe         reads what a command of the shell prints at the end
 *     prints       writes into a pipe whose reader is slow
 *     stopped      is stopped, until a child continues it
 *     semaphore    waits for a semaphore that nobody posts, until its time is over
 *     timed-lock   waits for a lock that is never free, until its time is over
 *     poll         waits for input that never comes, until its time is over
 *     select       the same with select()
 *     sigwait      waits for a signal of a timer
 *     backoff      asks for a message that rank 1 sends at the end, and sleeps longer each time
 *     tries        asks for a message that never comes, some hundred times
 *     finalizes    computes before MPI_Finalize, where the others wait
 *     exits        sleeps after MPI_Finalize, when the others have ended
 * or is in MPI and has all that it needs, or gets it in the end:
 *     collective   all reduce with an operation of their own that takes long
 *     operation    the same, and rank 1 gives another operation
 *     dup          computes, while the others wait on a copy of the communicator
 *     split        computes, while rank 1 waits on a communicator of two, and rank 2 for rank 1
 *     persistent   computes, while the others wait for messages that persistent requests will send
 *     window       computes, while the others wait in a fence
 *     puts         computes, while rank 1 puts into its memory and waits until that is done
 *     master       asks rank 1 and rank 2 in turn; rank 1 computes, rank 2 waits for rank 0
 *     anybody      waits for the first of two messages; rank 1 computes, rank 2 waits for rank 0
 *     sendrecv     has sent to rank 1 and waits for rank 2, which computes; rank 1 waits for another message
 *     isend        the same with requests
 *     bcast        computes before a broadcast in which rank 1 waits; rank 2 waits for rank 1 first
 *     gather       is in a gather for which rank 1 comes late; rank 2 computes, and rank 1 waits for it
 *     probe        probes for a message that rank 1 sends at the end
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size, number;
static double seconds;
static volatile double result;
static volatile sig_atomic_t came;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double million_steps_take;

__attribute__((noinline)) static void steps(long count)
{
    double x = 1;
    for (long i = 0; i < count; i++)
        x = x * 0.999999 + 1;
    result = x;
}

/* So that computing asks for no time. */
static void calibrate(void)
{
    double begin = processor_seconds();
    steps(10000000);
    million_steps_take = (processor_seconds() - begin) / 10;
}

static long steps_in(double time)
{
    return (long)(1e6 * time / million_steps_take);
}

static void sleep_for(double time)
{
    struct timespec left = {(time_t)time, (long)(1e9 * (time - (double)(time_t)time))};
    while (nanosleep(&left, &left) != 0) {
    }
}

static void computes(void)
{
    steps(steps_in(seconds));
}

static void works(void)
{
    for (int i = 0; i < 1000; i++)
        steps(steps_in(seconds / 1000));
}

static void pokes(void)
{
    int flag;
    for (int i = 0; i < 1000; i++) {
        steps(steps_in(seconds / 1000));
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

static void sleeps(void)
{
    sleep_for(seconds);
}

static void naps(void)
{
    for (int i = 0; i < 100; i++)
        usleep((useconds_t)(1e4 * seconds));
}

/* A child that does nothing of MPI; it ends with `act`. */
static pid_t child_after(void (*act)(int), int argument)
{
    pid_t child = fork();
    if (child == 0) {
        sleep_for(seconds);
        act(argument);
        _exit(0);
    }
    return child;
}

static void write_byte(int descriptor)
{
    if (write(descriptor, "x", 1) != 1)
        _exit(1);
}

static void input(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        abort();
    pid_t child = child_after(write_byte, ends[1]);
    if (read(ends[0], &byte, 1) != 1)
        abort();
    waitpid(child, NULL, 0);
}

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void connect_to(int unused)
{
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)unused;
    if (connect(client, (const struct sockaddr *)&address, sizeof address) != 0)
        _exit(1);
}

static void socket_of(void)
{
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "mpi-alive-%d", getpid());
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(server, (const struct sockaddr *)&address, sizeof address) != 0 || listen(server, 1) != 0)
        abort();
    pid_t child = child_after(connect_to, 0);
    if (accept(server, NULL, NULL) < 0)
        abort();
    waitpid(child, NULL, 0);
}

static void on_alarm(int number_of_signal)
{
    came = number_of_signal;
}

static void signal_of(void)
{
    struct itimerval timer = {{0, 0}, {(time_t)seconds, 0}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (!came)
        pause();
}

static void ask_for_message(int pause_us)
{
    MPI_Request request;
    int done = 0;
    MPI_Irecv(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (pause_us > 0)
            usleep((useconds_t)pause_us);
    }
}

static void polls(void)
{
    ask_for_message(1000);
}

static void polls_fast(void)
{
    ask_for_message(0);
}

static void deadline(void)
{
    int flag = 0;
    double end = MPI_Wtime() + seconds;
    while (!flag && MPI_Wtime() < end)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void *thread_that_sleeps(void *unused)
{
    sleep_for(seconds);
    return unused;
}

static void thread(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread_that_sleeps, NULL);
    pthread_join(other, NULL);
}

static void *thread_that_signals(void *unused)
{
    computes();
    pthread_mutex_lock(&mutex);
    came = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void condition_of(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread_that_signals, NULL);
    pthread_mutex_lock(&mutex);
    while (!came)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
}

static void timed(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)seconds;
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&condition, &mutex, &end) == 0) {
    }
    pthread_mutex_unlock(&mutex);
}

static void *thread_that_locks(void *unused)
{
    pthread_mutex_lock(&mutex);
    came = 1;
    computes();
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void lock(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread_that_locks, NULL);
    while (!came)
        usleep(1000);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
}

static void unlock_by_end(int unused)
{
    (void)unused;
}

static void file(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/mpi-alive-%d", getpid());
    int theirs = open(path, O_CREAT | O_RDWR, 0600);
    if (theirs < 0 || flock(theirs, LOCK_EX) != 0)
        abort();
    pid_t child = child_after(unlock_by_end, 0);
    close(theirs); /* the child has it still */
    int ours = open(path, O_RDWR);
    if (ours < 0 || flock(ours, LOCK_EX) != 0)
        abort();
    close(ours);
    unlink(path);
    waitpid(child, NULL, 0);
}

static void child(void)
{
    pid_t other = child_after(unlock_by_end, 0);
    waitpid(other, NULL, 0);
}

static void team(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp single nowait
        computes();
    }
}

static void *thread_that_sends(void *unused)
{
    int done = 1;
    sleep_for(seconds);
    for (int other = 1; other < size; other++)
        MPI_Send(&done, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
    return unused;
}

/* The others answer what the thread sends; the main thread waits for their answers. */
static void worker(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread_that_sends, NULL);
    for (int i = 1; i < size; i++)
        MPI_Recv(&number, 1, MPI_INT, i, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(other, NULL);
}

/* ---- waiting for what is outside of the job, or for a time --------------------------------------- */

static char path_of_file[64];

static const char *own_path(void)
{
    snprintf(path_of_file, sizeof path_of_file, "/tmp/mpi-alive-%d", getpid());
    return path_of_file;
}

static void open_for_writing(int unused)
{
    int end = open(path_of_file, O_WRONLY);
    (void)unused;
    write_byte(end);
}

static void fifo(void)
{
    char byte;
    if (mkfifo(own_path(), 0600) != 0)
        abort();
    pid_t child = child_after(open_for_writing, 0);
    int end = open(path_of_file, O_RDONLY);
    if (end < 0 || read(end, &byte, 1) != 1)
        abort();
    close(end);
    unlink(path_of_file);
    waitpid(child, NULL, 0);
}

static void make_file(int unused)
{
    (void)unused;
    close(open(path_of_file, O_CREAT | O_RDWR, 0600));
}

static void appears(void)
{
    struct stat status;
    own_path();
    pid_t child = child_after(make_file, 0);
    while (stat(path_of_file, &status) != 0)
        usleep(10000);
    unlink(path_of_file);
    waitpid(child, NULL, 0);
}

static void system_of(void)
{
    char command[64];
    snprintf(command, sizeof command, "sleep %g", seconds);
    if (system(command) != 0)
        abort();
}

static void pipe_of(void)
{
    char command[64], line[16];
    snprintf(command, sizeof command, "sleep %g; echo now", seconds);
    FILE *output = popen(command, "r");
    if (!output || !fgets(line, sizeof line, output))
        abort();
    pclose(output);
}

static void read_late(int end)
{
    char part[4096];
    while (read(end, part, sizeof part) > 0) {
    }
}

static void prints(void)
{
    enum { LINES = 20000 };
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        sleep_for(seconds);
        read_late(ends[0]);
        _exit(0);
    }
    close(ends[0]);
    for (int i = 0; i < LINES; i++)
        dprintf(ends[1], "step %d of %d: all is well\n", i, LINES);
    close(ends[1]);
    waitpid(child, NULL, 0);
}

static void continue_parent(int parent)
{
    kill(parent, SIGCONT);
}

static void stopped(void)
{
    pid_t child = child_after(continue_parent, getpid());
    raise(SIGSTOP);
    waitpid(child, NULL, 0);
}

static struct timespec time_is_over(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)seconds;
    return end;
}

static void semaphore(void)
{
    sem_t never;
    struct timespec end = time_is_over();
    sem_init(&never, 0, 0);
    while (sem_timedwait(&never, &end) != 0 && time(NULL) < end.tv_sec) {
    }
}

static void *thread_that_keeps(void *unused)
{
    pthread_mutex_lock(&mutex);
    came = 1;
    sleep_for(seconds + 1);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void timed_lock(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread_that_keeps, NULL);
    while (!came)
        usleep(1000);
    struct timespec end = time_is_over();
    if (pthread_mutex_timedlock(&mutex, &end) == 0)
        pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
}

static void poll_of(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    struct pollfd waited = {ends[0], POLLIN, 0};
    poll(&waited, 1, (int)(1000 * seconds));
}

static void select_of(void)
{
    struct timeval left = {(time_t)seconds, 0};
    select(0, NULL, NULL, NULL, &left);
}

static void sigwait_of(void)
{
    sigset_t alarms;
    int got;
    struct itimerval timer = {{0, 0}, {(time_t)seconds, 0}};
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    sigwait(&alarms, &got);
}

static void backoff(void)
{
    MPI_Request request;
    int done = 0;
    MPI_Irecv(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
    for (useconds_t pause = 1000; !done; pause = pause < 400000 ? 2 * pause : pause) {
        usleep(pause);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static void tries(void)
{
    int flag = 0;
    for (int i = 0; i < 500 && !flag; i++) {
        usleep((useconds_t)(2000 * seconds));
        MPI_Iprobe(1, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

static int finalizes_late;

static void finalizes(void)
{
    finalizes_late = 1;
}

static void exits(void)
{
    atexit(sleeps);
}

/* ---- in MPI ----------------------------------------------------------------------------------- */

static void add_slowly(void *in, void *in_out, int *length, MPI_Datatype *type)
{
    (void)type;
    computes();
    for (int i = 0; i < *length; i++)
        ((int *)in_out)[i] += ((int *)in)[i];
}

static void reduce(MPI_Op operation)
{
    int sum;
    MPI_Allreduce(&number, &sum, 1, MPI_INT, operation, MPI_COMM_WORLD);
}

static void collective(void)
{
    MPI_Op slow;
    MPI_Op_create(add_slowly, 1, &slow);
    reduce(slow);
    MPI_Op_free(&slow);
}

static void operation(void)
{
    if (rank == 1)
        reduce(MPI_MAX);
    else
        collective();
}

static void dup_of(void)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0)
        computes();
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
}

static void split(void)
{
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2, 0, &part);
    if (rank == 0)
        computes();
    MPI_Barrier(part);
    if (rank == 1)
        MPI_Send(&number, 1, MPI_INT, 2, 8, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Recv(&number, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&part);
}

/* A ring, twice; rank 0 starts late. */
static void persistent(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int got;
    MPI_Send_init(&number, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&got, 1, MPI_INT, (rank + size - 1) % size, 9, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        if (rank == 0 && i == 1)
            computes();
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void window_of(void)
{
    MPI_Win window;
    MPI_Win_create(&number, sizeof number, sizeof number, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        computes();
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void puts_of(void)
{
    MPI_Win window;
    int one = 1;
    MPI_Win_create(&number, sizeof number, sizeof number, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0)
        computes();
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
}

static void master(void)
{
    int flag = 0;
    for (int other = 1; !flag; other = 3 - other)
        MPI_Iprobe(other, 10, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 2, 11, MPI_COMM_WORLD);
}

static void anybody(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int got[2], which;
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i + 1, 10, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 2, 11, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, statuses);
}

/* Rank 1 computes before it sends; rank 2 is answered first. */
static void of_master(void)
{
    if (rank == 1)
        computes();
    else
        MPI_Recv(&number, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
}

static void of_polling_master(void)
{
    if (rank == 1) {
        for (int i = 0; i < 100; i++)
            steps(steps_in(seconds / 100));
        MPI_Send(&number, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&number, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void sendrecv(void)
{
    int got;
    MPI_Sendrecv(&number, 1, MPI_INT, 1, 12, &got, 1, MPI_INT, 2, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 1, 14, MPI_COMM_WORLD);
}

static void isend(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int got;
    MPI_Isend(&number, 1, MPI_INT, 1, 12, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got, 1, MPI_INT, 2, 13, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Send(&number, 1, MPI_INT, 1, 14, MPI_COMM_WORLD);
}

/* Rank 1 takes the later message first. */
static void of_sender(void)
{
    if (rank == 2) {
        computes();
        MPI_Send(&number, 1, MPI_INT, 0, 13, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv(&number, 1, MPI_INT, 0, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void bcast(void)
{
    if (rank == 0)
        computes();
    if (rank == 2)
        MPI_Recv(&number, 1, MPI_INT, 1, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(&number, 1, MPI_INT, 2, 15, MPI_COMM_WORLD);
}

static void gather(void)
{
    int all[8] = {0};
    if (rank == 2)
        computes();
    if (rank == 1)
        MPI_Recv(&number, 1, MPI_INT, 2, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&number, 1, MPI_INT, 1, 16, MPI_COMM_WORLD);
    MPI_Gather(&number, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void probe(void)
{
    MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void nothing(void)
{
}

static void send_late(void)
{
    if (rank == 1) {
        sleep_for(seconds);
        MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
}

static void answer(void)
{
    MPI_Recv(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*of_rank_0)(void);
    void (*of_others)(void);
} kinds[] = {{"computes", computes, nothing},
             {"works", works, nothing},
             {"pokes", pokes, nothing},
             {"sleeps", sleeps, nothing},
             {"naps", naps, nothing},
             {"input", input, nothing},
             {"socket", socket_of, nothing},
             {"signal", signal_of, nothing},
             {"polls", polls, send_late},
             {"polls-fast", polls_fast, send_late},
             {"deadline", deadline, nothing},
             {"thread", thread, nothing},
             {"condition", condition_of, nothing},
             {"timed", timed, nothing},
             {"lock", lock, nothing},
             {"file", file, nothing},
             {"child", child, nothing},
             {"team", team, nothing},
             {"worker", worker, answer},
             {"fifo", fifo, nothing},
             {"appears", appears, nothing},
             {"system", system_of, nothing},
             {"pipe", pipe_of, nothing},
             {"prints", prints, nothing},
             {"stopped", stopped, nothing},
             {"semaphore", semaphore, nothing},
             {"timed-lock", timed_lock, nothing},
             {"poll", poll_of, nothing},
             {"select", select_of, nothing},
             {"sigwait", sigwait_of, nothing},
             {"backoff", backoff, send_late},
             {"tries", tries, nothing},
             {"finalizes", finalizes, nothing},
             {"exits", exits, nothing},
             {"collective", collective, collective},
             {"operation", operation, operation},
             {"dup", dup_of, dup_of},
             {"split", split, split},
             {"persistent", persistent, persistent},
             {"window", window_of, window_of},
             {"puts", puts_of, puts_of},
             {"master", master, of_polling_master},
             {"anybody", anybody, of_master},
             {"sendrecv", sendrecv, of_sender},
             {"isend", isend, of_sender},
             {"bcast", bcast, bcast},
             {"gather", gather, gather},
             {"probe", probe, send_late}};

int main(int argc, char **argv)
{
    int level;
    for (size_t i = 0; argc == 1 && i < sizeof kinds / sizeof *kinds; i++)
        puts(kinds[i].name);
    if (argc == 1)
        return 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    seconds = argc > 2 ? atof(argv[2]) : 1;
    calibrate();
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, argv[1]) != 0)
            continue;
        MPI_Barrier(MPI_COMM_WORLD);
        (rank == 0 ? kinds[i].of_rank_0 : kinds[i].of_others)();
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            puts("done");
        if (finalizes_late)
            computes();
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "usage: mpi-alive KIND SECONDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
}
