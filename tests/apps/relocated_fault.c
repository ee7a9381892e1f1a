/* A fault in an instruction that hooks move: the first of a function, or the last before its return. */
#include <stdio.h>
#include <string.h>

long faults_at_start(const long *place);
long faults_at_end(const long *place);

/* No room behind the return: the function hooked at its end has the load before it moved. */
__asm__(".text\n"
        ".globl faults_at_start, faults_at_end\n"
        ".type faults_at_start, @function\n"
        "faults_at_start:\n"
        "    .cfi_startproc\n"
        "    mov (%rdi), %rax\n"
        "    add 8(%rdi), %rax\n"
        "    sub $8, %rsp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    call goes_before\n"
        "    add $8, %rsp\n"
        "    .cfi_def_cfa_offset 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size faults_at_start, . - faults_at_start\n"
        ".type faults_at_end, @function\n"
        "faults_at_end:\n"
        "    .cfi_startproc\n"
        "    push %rbx\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbx, -16\n"
        "    mov %rdi, %rbx\n"
        "    call goes_before\n"
        "    mov 8(%rbx), %eax\n"
        "    pop %rbx\n"
        "    .cfi_def_cfa_offset 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size faults_at_end, . - faults_at_end\n"
        ".type behind, @function\n"
        "behind:\n"
        "    xor %eax, %eax\n"
        "    ret\n"
        ".size behind, . - behind\n");

static volatile long calls;

long goes_before(void)
{
    printf("called\n");
    return ++calls;
}

long reaches(const long *place, const char *where)
{
    long got = strcmp(where, "start") == 0 ? faults_at_start(place) : faults_at_end(place);
    calls++;
    return got;
}

int main(int argc, char **argv)
{
    const long numbers[2] = {1, 2};
    return argc < 2 || reaches(numbers, argv[1]) == 0 || reaches((const long *)16, argv[1]) == 0;
}
