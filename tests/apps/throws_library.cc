// Opened by throws.cc; linked with an unwinder of its own.
#include <stdexcept>

namespace
{
int cleanups;

struct Cleanup {
    ~Cleanup()
    {
        cleanups++;
    }
};

int fall(int depth)
{
    Cleanup cleanup;
    if (depth == 0)
        throw std::logic_error("inside");
    return fall(depth - 1) + 1;
}
} // namespace

extern "C" int call_guarded(void (*callback)())
{
    Cleanup cleanup;
    callback();
    return 1;
}

extern "C" int catch_inside(int depth)
{
    try {
        return fall(depth);
    } catch (const std::logic_error &) {
        return cleanups;
    }
}
