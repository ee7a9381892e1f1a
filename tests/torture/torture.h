/* What all programs of the torture list share. A file is a theme, `THEME PROGRAM` runs one of it. What a program sees
 * goes to its standard output, must be the same in every untraced run, and is compared with that of a traced one. */
#ifndef TORTURE_H
#define TORTURE_H

#include <stdbool.h>
#include <stddef.h>

struct program {
    const char *name;
    void (*run)(void);
};
#define PROGRAM(name)                                                                                                  \
    {                                                                                                                  \
#name, name                                                                                                    \
    }

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the list with {NULL, NULL}. A run makes 100 beats before the program and 100 after it, if it returns. */
int torture_main(int argc, char **argv, const struct program *programs);
/* The program's name as it was started, and its own path. */
extern const char *torture_self;

/* The calls that the trace must have. */
void beat(void);
void beats(int count);
/* Half a million calls without pattern: the trace grows by several chunks. */
void toil(void);

/* Prints at once, by one system call and without the heap. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "what: value", or the name of the error if the value is negative. */
void see(const char *what, long value);
/* Waits for a child and prints how it ended. */
void see_end(const char *what, int pid);
/* Runs `function` in a child and prints how that ended; 0 is its status if it returns. */
void in_child(const char *what, void (*function)(void));
/* Executes this theme's program of that name; prints if that fails. */
void become(const char *program);

#ifdef __cplusplus
}
#endif
#endif
