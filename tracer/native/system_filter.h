/**
 * Filters of system calls, as programs set them: the kernel's classic BPF over struct seccomp_data. Evaluated here
 * before a call of ours, so that none is made that would end the program.
 */
#ifndef DT_NATIVE_SYSTEM_FILTER_H
#define DT_NATIVE_SYSTEM_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>

/** What the filter of `length` instructions answers (SECCOMP_RET_... with its data). A program that the kernel would
 * not take answers SECCOMP_RET_KILL_PROCESS. */
uint32_t dt_system_filter_run(const struct sock_filter *code, uint32_t length, const struct seccomp_data *call);

/** Of two answers the one that the kernel would follow; of two with the same action the first. */
uint32_t dt_system_filter_stricter(uint32_t first, uint32_t second);

#endif
