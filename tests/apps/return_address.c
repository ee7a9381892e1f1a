/* Functions that read, move or replace their own return address, and one that only looks like it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

uint64_t pop_address(void);                        /* pops it and jumps there */
uint64_t skip_data(void);                          /* returns behind eight bytes that follow the call */
uint64_t read_late(int values);                    /* reads it in mid function */
uint64_t move_address(void);                       /* returns through a copy of it, further down */
uint64_t use_inline_data(void);                    /* calls skip_data with data behind the call */
uint64_t read_elsewhere(const uint64_t values[3]); /* as far above r12 as its return address above the stack pointer */
__asm__(".text\n"
        ".type pop_address, @function\n"
        "pop_address:\n"
        "    pop %rcx\n"
        "    mov %rcx, %rax\n"
        "    jmp *%rcx\n"
        ".size pop_address, . - pop_address\n"
        ".type skip_data, @function\n"
        "skip_data:\n"
        "    mov (%rsp), %rax\n"
        "    mov (%rax), %rax\n"
        "    addq $8, (%rsp)\n"
        "    ret\n"
        ".size skip_data, . - skip_data\n"
        ".type use_inline_data, @function\n"
        "use_inline_data:\n"
        "    sub $8, %rsp\n"
        "    call skip_data\n"
        "    .quad 123456789\n"
        "    add $8, %rsp\n"
        "    ret\n"
        ".size use_inline_data, . - use_inline_data\n"
        ".type move_address, @function\n"
        "move_address:\n"
        "    pushq (%rsp)\n"
        "    mov $77, %eax\n"
        "    ret $8\n"
        ".size move_address, . - move_address\n"
        ".type read_elsewhere, @function\n"
        "read_elsewhere:\n"
        "    push %r12\n"
        "    push %r13\n"
        "    mov %rdi, %r12\n"
        "    mov 16(%r12), %rax\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    ret\n"
        ".size read_elsewhere, . - read_elsewhere\n");

static const char *name_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) && info.dli_sname ? info.dli_sname : "?";
}

__attribute__((noinline)) void tell_caller(int value)
{
    printf("%d: called by %s\n", value, name_of(__builtin_return_address(0)));
}

__attribute__((noinline)) uint64_t read_late(int values)
{
    char buffer[256];
    int length = 0;
    for (int i = 0; i < values; i++)
        length += snprintf(buffer + length, sizeof buffer - (size_t)length, "%d ", i);
    printf("%s by %s\n", buffer, name_of(__builtin_return_address(0)));
    return (uint64_t)length;
}

void first_caller(void)
{
    tell_caller(1);
    read_late(5);
    puts("first");
}

void second_caller(void)
{
    tell_caller(2);
    read_late(3);
    puts("second");
}

int main(void)
{
    const uint64_t values[] = {11, 22, 33};
    for (int i = 0; i < 3; i++) {
        first_caller();
        second_caller();
        printf("%s\n", name_of((void *)pop_address()));
        printf("%lu\n", (unsigned long)use_inline_data());
        printf("%lu\n", (unsigned long)move_address());
        printf("%lu\n", (unsigned long)read_elsewhere(values));
    }
    return 0;
}
