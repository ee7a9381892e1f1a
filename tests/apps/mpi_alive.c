/*
 * Programs that stand still for long and are not stuck, by name: mpi-alive KIND SECONDS. All ranks but 0 wait for rank
 * 0, which meanwhile computes     computes, without a call works        computes in many calls pokes        computes,
 * and asks MPI now and then whether something has come sleeps       sleeps naps         sleeps again and again for a
 * short time input        reads from a pipe that a child writes to at the end socket       accepts a connection that a
 * child makes at the end signal       waits for a signal that a timer sends polls        asks for a message that rank 1
 * sends at the end, after it has slept polls-fast   the same without a pause deadline     asks for a message that never
 * comes, until its time is over thread       joins a thread that sleeps condition    waits for a condition that a
 * thread that computes will signal lock         waits for a lock that a thread that computes holds file         waits
 * for a lock on a file that a child holds child        waits for a child process team         computes in a region of
 * OpenMP's threads, some of which are done worker       a thread of rank 0 sends what the others wait for, while its
 * main thread waits for them
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
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
             {"lock", lock, nothing},
             {"file", file, nothing},
             {"child", child, nothing},
             {"team", team, nothing},
             {"worker", worker, answer}};

int main(int argc, char **argv)
{
    int level;
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
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "usage: mpi-alive KIND SECONDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
}
