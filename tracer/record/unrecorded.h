/**
 * Processes that will leave no trace file (format/unrecorded.h): told by those that see them begin. Raw system calls
 * only; nothing is touched but the first page of this process's file, the run's logs, and the folders for other users.
 */
#ifndef DT_RECORD_UNRECORDED_H
#define DT_RECORD_UNRECORDED_H

#include <stdbool.h>
#include <stddef.h>

#include "format/trace_file.h"
#include "format/unrecorded.h"

/** A program that is about to be executed, as execveat() takes it. */
struct dt_exec_call {
    long directory;
    const char *path;
    long flags;
    char *const *environment;
};

enum { DT_EXEC_NAME_BYTES = 1024 };

/**
 * exec_target.c: why that program will not be recorded, DT_UNRECORDED_UNKNOWN if nothing speaks against it. `name`,
 * of DT_EXEC_NAME_BYTES bytes, gets its path, links resolved where that is possible.
 */
uint32_t dt_exec_foretell(const struct dt_exec_call *call, char *name);

/** A launcher's rank is in that environment. */
bool dt_exec_has_rank(char *const *environment);
/** launcher_execs.c: at the start; `wanted`: this process is recorded. */
void dt_launcher_execs_initialise(bool wanted);

/** unrecorded.c: this process executes `name`; DT_UNRECORDED_UNKNOWN too: maybe no file will come. */
void dt_unrecorded_executes(uint32_t reason, const char *name);
/** The execution failed. */
void dt_unrecorded_stays(void);
/** A child; told in the file of `teller`, which is mapped, or in the log. NULL: in the log, or nowhere. */
struct dt_unrecorded *dt_unrecorded_child(struct dt_file_header *teller, uint32_t pid, uint32_t reason,
                                          const char *name);
/** A process, told in the log alone. */
void dt_unrecorded_log(uint32_t pid, uint32_t reason, const char *name);
/** What was told of a child is not so. NULL: nothing is done. */
void dt_unrecorded_withdraw(struct dt_unrecorded *record);
/** This process, a child of the one whose file is `parent`, could not make a file of its own. */
void dt_unrecorded_forked(struct dt_file_header *parent);
/** This process could not make a file at its start. */
void dt_unrecorded_started(void);

/** run_folder.c: why this process, or what it executes, cannot write to the run's folder `run`; 0 if it can. */
uint32_t dt_run_folder_problem(const char *run);
/** Which limits of this process are too small to record; 0 if none is. */
uint32_t dt_run_limit_problem(void);
/** The run's folder for this process's user: `run` with "/users/UID" behind, if that is where it may write. */
void dt_run_folder_choose(char *run, size_t bytes);
/** Appends a line to a log of the run, "/ends.log", where the process's user may write. */
void dt_run_log(const char *log, const char *line, size_t bytes);
/** Makes the run's folder for a user whom this process is about to become: user_and_root.c. */
void dt_run_folder_prepare(uint32_t user);

/** Texts without libc: what of `text` has room, NUL terminated; the new end. */
char *dt_line_append(char *to, char *end, const char *text);
char *dt_line_append_number(char *to, char *end, uint64_t value);

#endif
