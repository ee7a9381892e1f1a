// Exceptions thrown, caught and rethrown in several threads, through destructors, while an interval timer's signals hit
// anywhere; then fork, tail calls and backtrace.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <stdexcept>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static thread_local int destroyed;
static volatile int work;

struct Guard {
    int weight;
    ~Guard()
    {
        destroyed += weight;
    }
};

static int fall(int depth)
{
    Guard guard{depth};
    if (depth == 0)
        throw std::runtime_error("bottom");
    return fall(depth - 1) + 1;
}

static int rethrow(int depth)
{
    try {
        return fall(depth);
    } catch (const std::exception &) {
        work = work + 1;
        throw;
    }
}

static int attempt(int depth)
{
    try {
        return rethrow(depth);
    } catch (const std::exception &) {
        return -depth;
    }
}

static int tail_odd(int count);

static int tail_even(int count)
{
    return count ? tail_odd(count - 1) : 42;
}

static int tail_odd(int count)
{
    return count ? tail_even(count - 1) : 43;
}

static void on_alarm(int)
{
    work = work + 1;
}

static void work_hard(int rounds, int *result)
{
    int sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += attempt(i % 15);
    *result = sum + destroyed;
}

int main()
{
    std::signal(SIGALRM, on_alarm);
    const itimerval interval = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &interval, nullptr);
    int results[4];
    std::vector<std::thread> threads;
    for (int &result : results)
        threads.emplace_back(work_hard, 1500, &result);
    for (std::thread &thread : threads)
        thread.join();
    for (int result : results)
        std::printf("%d\n", result);
    std::printf("%d %d\n", tail_even(1000), tail_odd(1000));
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        std::printf("child %d\n", attempt(3));
        std::fflush(stdout);
        _exit(5);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        continue;
    void *frames[50];
    std::printf("child ended with %d, %s\n", WEXITSTATUS(status), backtrace(frames, 50) > 1 ? "frames" : "no frames");
    return 0;
}
