// Exceptions that are hard on tracers: thrown in destructors while unwinding, rethrown by pointer in another thread,
// through a library with an unwinder of its own, inside coroutines, out of a handler of a synchronous signal.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <ucontext.h>

static int steps;

struct ThrowsInside {
    int depth;
    ~ThrowsInside()
    {
        try {
            if (depth > 0)
                throw std::runtime_error("inner");
        } catch (const std::exception &) {
            steps++;
        }
    }
};

static void unwind_through_throwers(int depth)
{
    ThrowsInside thrower{depth};
    if (depth == 0)
        throw std::string("outer");
    unwind_through_throwers(depth - 1);
    steps += 1000000;
}

static int catch_by_ellipsis(int depth)
{
    try {
        unwind_through_throwers(depth);
    } catch (...) {
        try {
            throw;
        } catch (const std::string &text) {
            return static_cast<int>(text.size()) + depth;
        }
    }
    return -1;
}

static std::exception_ptr fail_in_thread()
{
    std::exception_ptr failure;
    std::thread([&failure] {
        try {
            unwind_through_throwers(4);
        } catch (...) {
            failure = std::current_exception();
        }
    }).join();
    return failure;
}

static int rethrow_elsewhere()
{
    try {
        std::rethrow_exception(fail_in_thread());
    } catch (const std::string &text) {
        return static_cast<int>(text.size());
    }
}

static void on_fault(int)
{
    throw std::runtime_error("fault");
}

static int read_from(const volatile int *address)
{
    return *address + 1;
}

static int catch_fault()
{
    std::signal(SIGSEGV, on_fault);
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    try {
        return read_from(nullptr);
    } catch (const std::exception &failure) {
        sigprocmask(SIG_UNBLOCK, &faults, nullptr);
        return static_cast<int>(std::strlen(failure.what()));
    }
}

static ucontext_t caller_context, coroutine_context;
static int coroutine_sum;

static void coroutine()
{
    for (int i = 0; i < 20; i++) {
        coroutine_sum += catch_by_ellipsis(i % 6);
        try {
            swapcontext(&coroutine_context, &caller_context);
            unwind_through_throwers(2);
        } catch (const std::string &) {
            coroutine_sum++;
        }
    }
}

static int throw_in_coroutines()
{
    static char stack[256 << 10];
    coroutine_sum = 0;
    getcontext(&coroutine_context);
    coroutine_context.uc_stack.ss_sp = stack;
    coroutine_context.uc_stack.ss_size = sizeof stack;
    coroutine_context.uc_link = &caller_context;
    makecontext(&coroutine_context, coroutine, 0);
    for (int i = 0; i < 21; i++) {
        swapcontext(&caller_context, &coroutine_context);
        steps += catch_by_ellipsis(3);
    }
    return coroutine_sum;
}

static void call_back()
{
    throw std::out_of_range("through the library");
}

static int through_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        return -2;
    auto guarded = reinterpret_cast<int (*)(void (*)())>(dlsym(library, "call_guarded"));
    auto inside = reinterpret_cast<int (*)(int)>(dlsym(library, "catch_inside"));
    int caught = 0;
    for (int i = 0; i < 10; i++) {
        try {
            caught += guarded(call_back);
        } catch (const std::out_of_range &) {
            caught += 100;
        }
        caught += inside(i);
    }
    return caught;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 30; i++)
        std::printf("%d %d %d %d %d\n", catch_by_ellipsis(i % 8), rethrow_elsewhere(), catch_fault(),
                    throw_in_coroutines(), steps);
    std::printf("%d\n", through_library((std::string(argv[0]) + "-library.so").c_str()));
    std::fflush(stdout);
    if (argc > 1)
        throw std::runtime_error("nobody catches this");
    return 0;
}
