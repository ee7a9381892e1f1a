/* Functions under names that stand for others: the test writes names of its own over them in the executable. The
 * argument is the text of a marker. */
#include <difftrace/marker.h>
#include <unistd.h>

/* So long that most names fit. */
#define NAME(letters) "placeholder_" letters "_0123456789012345678901234567890123456789"
#define FUNCTION(letters)                                                                                              \
    int function_##letters(volatile int *count) __asm__(NAME(#letters));                                               \
    int function_##letters(volatile int *count)                                                                        \
    {                                                                                                                  \
        for (int i = 0; i < 3; i++)                                                                                    \
            *count += *count % 7 == 0 ? (int)getpid() : 1;                                                             \
        return *count;                                                                                                 \
    }
#define FUNCTIONS(letter)                                                                                              \
    FUNCTION(letter##a)                                                                                                \
    FUNCTION(letter##b)                                                                                                \
    FUNCTION(letter##c)                                                                                                \
    FUNCTION(letter##d) FUNCTION(letter##e) FUNCTION(letter##f) FUNCTION(letter##g) FUNCTION(letter##h)
#define CALLS(letter)                                                                                                  \
    function_##letter##a(&count), function_##letter##b(&count), function_##letter##c(&count),                          \
        function_##letter##d(&count), function_##letter##e(&count), function_##letter##f(&count),                      \
        function_##letter##g(&count), function_##letter##h(&count)

FUNCTIONS(a)
FUNCTIONS(b)
FUNCTIONS(c)
FUNCTIONS(d)
FUNCTIONS(e)
FUNCTIONS(f)
FUNCTIONS(g)
FUNCTIONS(h)

int main(int argc, char **argv)
{
    volatile int count = 0;
    if (argc > 1)
        DIFFTRACE_MARK(argv[1]);
    (void)CALLS(a);
    (void)CALLS(b);
    (void)CALLS(c);
    (void)CALLS(d);
    (void)CALLS(e);
    (void)CALLS(f);
    (void)CALLS(g);
    (void)CALLS(h);
    return 0;
}
