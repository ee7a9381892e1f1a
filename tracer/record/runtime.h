/**
 * The tracer's runtime, from the inside.
 *
 * Every hooked function starts with a jump to a stub of its own in an arena near its image (stubs.S). The stub calls
 * the arena's `entry`, which pushes a frame on the thread's shadow stack, records the function's id, drops the return
 * address and goes on; the stub then calls the moved prologue, so that the function returns to the stub's second half,
 * `exit`, which records the return and jumps to where the frame says.
 *
 * Files, in the order in which an event flows:
 *   stubs.S          the code of entry and exit, copied into every arena; api_stubs.S for calls of MPI and the like
 *   shadow_stack.c   what the fast path leaves over: first call of a thread, tail calls, stale frames, unwinding
 *   runtime_hooks.c  unwinders and the loader
 *   unwind_info.c    what unwinders are told of the stubs
 *   functions.c      hooked functions and their ids; stub_words.c these in the stubs' code
 *   switch.c         recording on and off, times
 *   signals.h        which thread a fatal signal hit: files named there
 *   api_rules.c      MPI, OpenMP, pthreads, process end: which calls they are
 *   api_calls.c      and what they mean to us
 *   calls.h          their arguments: files listed there
 *   threads.c        a thread's start and end; thread_state.c what is kept of it
 *   forks.c          children with a copy of the memory
 *   recorder.c       raw tails, batches, commit records; segments.c their code in the stream
 *   program_filters.c filters of system calls that the program sets; system_filter.c evaluates them
 *   notes.c          what is told beside the words
 *   trace_writer.c   the process file and its chunks
 *   unrecorded.h     processes that will leave none: files named there
 *   ring.c           chunks used again, when the file has reached the size asked for
 * and at start: runtime.c, process.c, options.c, image_list.c, image_registry.c, plan_cache.c or elf_image.c, decode.c,
 * instruction_length.c and plan_build.c, then hook_image.c, imports.c, arena.c, arena_memory.c, symbol_file.c.
 */
#ifndef DT_RECORD_RUNTIME_H
#define DT_RECORD_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/checks.h"
#include "format/tail.h"
#include "format/trace_file.h"
#include "native/x86_64/stub_layout.h"
#include "record/system.h"

/* ---- shadow stack ---------------------------------------------------------------------------- */

struct dt_frame {
    uint64_t return_address; /* 0: it is at its place; the function is hooked where it returns */
    uint64_t slot;           /* where on the stack the return address was */
    uint64_t index;          /* of the function */
};

/** What stubs.S touches, through %fs: offsets are known there. */
struct dt_hot {
    uint64_t top;           /* the frame to be pushed next; the one before it can always be read */
    uint64_t limit;         /* top at which the fast path ends; 0 = it is closed, always take the slow path */
    uint64_t next;          /* where the next word goes; from DT_TAIL_WORDS words of a tail on a batch is due */
    struct dt_calls *calls; /* the thread's, as far as there are quick ones among them: open_calls.h; or NULL */
    int guard;              /* nonzero while the runtime itself is at work */
};

_Static_assert(sizeof(struct dt_frame) == DT_FRAME_BYTES && offsetof(struct dt_frame, slot) == 8,
               "stubs.S counts on it");

/* Of these some lie below the lowest frame, all 0: who looks for a chain of tail calls need not ask where it ends. */
enum { DT_SHADOW_FRAMES = 1 << 20, DT_FRAMES_BELOW = DT_MOST_TAIL_CALLS };

/** Registers at a stub's entry, as stubs.S saves them. */
struct dt_entry_registers {
    uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
    uint64_t stub;
    uint64_t index;
    uint64_t return_address; /* its place is the slot */
};

struct dt_exit_registers {
    uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
    uint64_t index; /* its place is the slot; becomes the return address */
};

/* ---- threads --------------------------------------------------------------------------------- */

enum { DT_RING_NOTES = 8 };

/** Where a thread's next note goes. */
struct dt_note_place {
    uint64_t next, start, end;      /* addresses in the current chunk; 0: there is none yet */
    uint64_t position;              /* what the offsets of its notes are counted from */
    uint32_t sequence;              /* chunks begun */
    uint32_t depth;                 /* notes being written, by the thread and by signal handlers above it */
    uint64_t bytes;                 /* of all its chunks */
    uint64_t chunks[DT_RING_NOTES]; /* where the newest are in the file, by sequence */
};

/** A thread's private state; its shared part is in the file. */
struct dt_thread_state {
    struct dt_frame *frames;
    uint64_t real_limit; /* of what is committed of the shadow stack */
    size_t shadow_bytes, shadow_committed;
    uint64_t stack_low, stack_high; /* of the thread's own stack: it lies within */
    uint64_t unwind_sp;
    bool unwinding;   /* return addresses were put back for an unwinder */
    bool shadow_full; /* no more can be committed */
    bool in_batch;
    bool discarding; /* recording has stopped: words go to `scratch` */
    bool segment_open;

    uint32_t index; /* in the file */
    uint32_t kind;  /* enum dt_thread_kind */
    struct dt_thread *shared;
    uint64_t record; /* where `shared` is in the file */
    uint64_t packed; /* where its head went when the thread had ended; 0: it is still there */
    struct dt_thread_state *next_spare;
    struct dt_hot *hot;                /* of this thread, for others: moved_calls.c */
    struct dt_thread_state *next_live; /* the same */
    uint64_t discarded_words;
    uint16_t *scratch;         /* sized and aligned like a tail */
    uint64_t left_for_scratch; /* dt_hot.next before, where a tail had no room left during a batch */

    void *codec_state;
    uint8_t *staging;                                        /* coded bytes of one batch */
    uint16_t batch[2 * (DT_TAIL_WORDS + DT_TAIL_SLACK) + 1]; /* of a tail that had to be expanded: tail.h */
    uint64_t words;                                          /* committed */
    uint64_t passed_from;             /* dt_hot.next before it passed places over; 0: it has not */
    const struct dt_frame *open_leaf; /* of a leaf that was found to be going on, and whose return nobody tells */
    uint64_t open_leaf_index;         /* of the function: no other frame has it */
    uint64_t counted;                 /* of a tail: dt_record_position() */
    struct dt_segment_header segment; /* of the open one, with its figures so far */
    uint64_t segment_start;
    struct {
        uint64_t offset;
        size_t bytes;
    } segment_place[2]; /* where in the file its header lies */

    uint8_t *data; /* payload of the current DATA chunk */
    size_t data_chunk_bytes, data_used, data_capacity;
    uint64_t data_file_offset; /* of the payload */
    uint32_t data_sequence;
    uint64_t stream_bytes;
    struct dt_ring *ring; /* with DT_FULL_KEEP_LAST, from the first chunk on */

    struct dt_note_place notes;
    struct dt_calls *calls; /* that are looked at again when they return; calls.c */
    void *signal_stack;     /* DT_SIGNAL_STACK_BYTES; signals.h */
};
/* Room for the kernel's frame with all registers that processors have, and our handler; touched only if it is used. */
enum { DT_SIGNAL_STACK_BYTES = 64 << 10 };
/* Of the calling thread: `dt_hot`; `dt_self`, its state or NULL; `dt_guard`, nonzero while the runtime itself is at
 * work and nothing is recorded; `dt_thread_over`, its trace is closed and it only runs its last destructors. */
#define dt_guard (dt_hot.guard)
#ifndef DT_THREADS_BY_ENGINE
/** The shadow stack of threads that are not traced. */
extern struct dt_frame dt_no_frames[1];
extern __thread struct dt_hot dt_hot __attribute__((tls_model("initial-exec")));
extern __thread struct dt_thread_state *dt_self __attribute__((tls_model("initial-exec")));
extern __thread bool dt_thread_over __attribute__((tls_model("initial-exec")));
/** The program's signals, while its handlers have to wait (dt_signals_hold()). */
struct dt_held_signals {
    uint64_t stack; /* pointer of the outermost function that holds them; 0: none does */
    bool deferred;  /* one came: it has been sent again, and they are blocked */
    uint64_t mask;  /* before that */
};
extern __thread struct dt_held_signals dt_held_signals __attribute__((tls_model("initial-exec")));
/** Lets them in again. */
void dt_signals_deliver(void);
#else
/** A tool of Pin has no thread-local variables: Pin keeps one of these for each thread. */
struct dt_own {
    struct dt_hot fast;
    struct dt_thread_state *state;
    bool over;
};
/** Of the calling thread; every engine of this kind defines it. */
struct dt_own *dt_own(void);
#define dt_hot         (dt_own()->fast)
#define dt_self        (dt_own()->state)
#define dt_thread_over (dt_own()->over)
#endif

/** Nothing of the thread is recorded between these two. */
static inline void dt_guard_raise(void)
{
    dt_guard++;
    dt_compiler_barrier();
}
static inline void dt_guard_lower(void)
{
    dt_compiler_barrier();
    dt_guard--;
}

/** Makes the state of the calling thread, whose own stack has these bounds; false: it is not traced. */
bool dt_thread_open(uint32_t kind, uint32_t number, uint32_t creator, uint64_t stack_low, uint64_t stack_high);
/** Goes on in a new file, which starts with the calls that are open (child of a fork). */
void dt_thread_continue(struct dt_thread_state *thread);
/** Who it is was not known when its trace began. */
void dt_thread_identify(struct dt_thread_state *thread, uint32_t kind, uint32_t number, uint32_t creator);
/** Says in the file that it has ended. */
void dt_thread_close(struct dt_thread_state *thread);
/** Frees the calling thread's state: nothing of it is recorded any more. */
void dt_thread_free(struct dt_thread_state *thread);
/** Numbers are given out in the order of creation, and back if no thread came to be. */
uint32_t dt_thread_next_number(uint32_t kind);
void dt_thread_give_back(uint32_t kind, uint32_t number);

/** The same with the stack that the runtime finds by itself. */
bool dt_thread_begin(uint32_t kind, uint32_t number, uint32_t creator);
/** The calling thread's state, made now if it had none; NULL: it is not traced. */
struct dt_thread_state *dt_this_thread(void);
/** Called at the entry of pthread_create: takes its arguments over so that the child starts with us. */
void dt_thread_created(struct dt_entry_registers *registers, bool by_library);
/** At its return: gives the number back if no thread came to be. */
void dt_thread_creation_done(int result);
void dt_threads_initialise(void);
/** forks.c */
void dt_forks_initialise(void);

/** Notes the name that the calling thread has now. */
void dt_thread_rename(struct dt_thread_state *thread);
/** Moves the record of a thread that has ended to where it takes less room; its chunk is free then. */
bool dt_thread_pack(struct dt_thread_state *thread);
/** Keeps a state with a free chunk for another thread; false: there are enough. */
bool dt_thread_spare(struct dt_thread_state *thread);
/** One that was kept, or NULL. */
struct dt_thread_state *dt_thread_spared(void);
/** In the child of a fork: all is forgotten. */
void dt_ended_reset(void);

/* ---- process --------------------------------------------------------------------------------- */

struct dt_options {
    char run[1024];
    uint32_t images; /* enum dt_images_mode */
    char image_globs[1024];
    uint32_t codec;
    bool launcher;
    char only[1024];
    char include[1024], exclude[1024];
    uint64_t max_bytes; /* 0: no bound */
    uint32_t when_full; /* enum dt_when_full */
    bool start_disabled;
    int toggle_signal;                  /* 0: none */
    char start_at[1024], stop_at[1024]; /* regexes of functions' names */
    char clock[1024];                   /* globs of API calls; "": no times */
    bool arguments;                     /* of MPI calls and locks */
};

struct dt_process {
    struct dt_options options;
    char *const *arguments; /* as main gets them, for where there is no /proc; NULL: unknown */
    const char *executed;   /* the program's path, as execve() or a script had it; the same */
    bool active;
    bool off;                      /* nothing is recorded at present */
    bool switched;                 /* that may change */
    bool can_jump, has_handlers;   /* the program calls siglongjmp or longjmp; it has set a handler of a signal */
    struct dt_file_header *header; /* mapped */
    uint32_t threads;              /* thread indices given out */
    uint32_t live_threads;
    volatile uint32_t *mark; /* not 0, but in a child with a copy of the memory that began unseen */
    uint64_t main_stack_high;
    uint64_t loader_low, loader_high;                    /* ld.so's code */
    int (*clock)(clockid_t clock, struct timespec *now); /* the kernel's, without a system call; NULL: unknown */
};
extern struct dt_process dt_process;

/**
 * No handler of the program runs between these two: its signals come a little later. What handlers call here could not
 * be recorded, or not all of it where the next signal is there before a handler returns; and one that leaves by
 * siglongjmp must not leave what is half done. Gives what dt_signals_let() takes: whether it was not held before.
 */
#ifndef DT_THREADS_BY_ENGINE
/** Whether a function that is still there holds them: one whose stack is gone has been left, by cancellation or with a
 * child of vfork that died in it. */
static inline bool dt_signals_are_held(uint64_t stack)
{
    return dt_held_signals.stack && stack <= dt_held_signals.stack;
}

static inline bool dt_signals_hold(void)
{
    uint64_t stack;
    if (!dt_process.has_handlers)
        return false;
    __asm__ volatile("mov %%rsp, %0" : "=r"(stack));
    if (dt_signals_are_held(stack))
        return false;
    dt_held_signals.stack = stack;
    dt_compiler_barrier();
    return true;
}

static inline void dt_signals_let(bool held)
{
    if (!held)
        return;
    dt_compiler_barrier();
    dt_held_signals.stack = 0;
    dt_compiler_barrier();
    if (dt_held_signals.deferred)
        dt_signals_deliver();
}
#else
static inline bool dt_signals_hold(void)
{
    return false;
}

static inline void dt_signals_let(bool held)
{
    (void)held;
}
#endif

/** The monotonic clock, fine or to some milliseconds; without a system call if `clock` is known. */
static inline uint64_t dt_clock_read(clockid_t clock)
{
    struct timespec now;
    /* The kernel's function makes the system call where it cannot read the clock; the coarse one it always can. */
    if (!dt_may_call(SYS_clock_gettime, clock, 0))
        clock = CLOCK_MONOTONIC_COARSE;
    int (*read)(clockid_t, struct timespec *) = __atomic_load_n(&dt_process.clock, __ATOMIC_RELAXED);
    if (!read || read(clock, &now) != 0)
        return dt_sys_clock(clock);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t dt_clock_coarse(void)
{
    return dt_clock_read(CLOCK_MONOTONIC_COARSE);
}

static inline uint64_t dt_clock_fine(void)
{
    return dt_clock_read(CLOCK_MONOTONIC);
}

/** Reads the options and makes the file; false: this process is not to be traced. */
bool dt_process_open(void);
/** In the child of a fork: a file of its own. */
bool dt_process_reopen(void);
/** The same, but it leaves the file to its parent, says so there, and records nothing. */
void dt_process_give_up(void);
/** That, for a child that began unseen; every engine has its own ways to see them. */
void dt_process_began_unseen(struct dt_thread_state *thread);
/** Looks whether this process is such a child. */
static inline void dt_process_look(void)
{
    if (dt_process.active && __builtin_expect(!*dt_process.mark, 0))
        dt_process_began_unseen(dt_self);
}
static inline bool dt_process_is_recorded(void)
{
    dt_process_look();
    return dt_process.active;
}
/** Writes the image records into a new file; every engine has its own list of images. */
void dt_images_record_again(void);
/** Where the image was loaded from, or NULL. */
const char *dt_image_path(uint32_t image);
/** True if the processor's own shadow stack is on in this process: it cannot be traced. */
bool dt_has_hardware_shadow_stack(void);
/** False: the system forbids memory that is writable and executable at once, and code cannot be hooked. */
bool dt_memory_may_change_as_code(void);
/** True if the address is code of the image, by its index. */
bool dt_image_has(uint32_t image, uint64_t address);
/** The image that has the address; UINT32_MAX: none. */
uint32_t dt_image_at(uint64_t address);
/** The loader has mapped or unmapped images. */
void dt_images_changed(bool by_program);

/** Reads the environment; false: this process is not to be traced. */
bool dt_options_read(struct dt_options *options);
/** The launcher's rank of this process, or -1; *size the number of ranks or -1. */
int dt_launcher_rank(int *size);
/** The variables that tell it; NULL at the end. */
extern const char *const dt_launcher_rank_names[];
/** True if one of the globs, separated by commas, matches. */
bool dt_glob_list_has(const char *globs, const char *name);
/** True if --include and --exclude leave the function out. */
bool dt_is_filtered_out(const char *name);
/** Of the runtimes of AddressSanitizer and its kin, which read return addresses and stop threads, also when they are
 * linked in. */
bool dt_is_sanitizer_function(const char *name);
/** _start and the like: no function of the program. */
bool dt_is_startup_code(const char *name);

const char *dt_base_name(const char *path);
/** A library of the system, of compilers, of MPI or OpenMP, by its name. */
bool dt_is_runtime_library(const char *path);
bool dt_is_loader(const char *path);
/** The unwinder, and the libraries of sanitizers: never traced as a whole. */
bool dt_is_left_alone(const char *path);

/* ---- file ------------------------------------------------------------------------------------ */

bool dt_writer_create(void);
/** A new chunk, mapped, all zero but its header's sizes; NULL: recording stops. *offset: in the file. */
struct dt_chunk_header *dt_writer_chunk(uint32_t type, uint32_t owner, uint32_t sequence, size_t bytes,
                                        uint64_t *offset);
/** Room in the file, mapped. */
struct dt_room {
    uint64_t offset; /* in the file */
    void *memory;    /* NULL: it is not mapped yet */
};
/** The two halves of it: new room (false: there is none, `errno` in *error), and a chunk there. */
bool dt_writer_take(size_t bytes, struct dt_room *room, long *error);
struct dt_chunk_header *dt_writer_begin(uint32_t type, uint32_t owner, uint32_t sequence, size_t bytes,
                                        const struct dt_room *room);
/** Maps room that was given out before; false: there is no memory. */
bool dt_writer_find(uint64_t offset, size_t bytes, struct dt_room *room);
/** The program is about to change its root directory or its user, and the file's path may lead nowhere then: makes the
 * file larger by a hole. */
void dt_writer_size_ahead(void);
/** System calls may soon be forbidden: takes some MB of room that can be used without any. */
void dt_writer_take_ahead(void);
/** True if max_bytes leaves no room for so many more. */
bool dt_writer_is_full(size_t bytes);
/** Writes the magic: from now on readers see the chunk. */
void dt_writer_publish(struct dt_chunk_header *chunk);
void dt_writer_write_at(uint64_t offset, const void *data, size_t bytes);
/** Recording ends here for good; the program goes on. */
void dt_writer_stop(long error);

/* ---- the file as a ring -------------------------------------------------------------------- */

static inline bool dt_ring_is_used(void)
{
    return dt_process.options.max_bytes && dt_process.options.when_full == DT_FULL_KEEP_LAST;
}
/** Size of all chunks of data and of notes. */
size_t dt_ring_chunk_bytes(void);
/** Where the thread's next data chunk goes: a new place, or that of the oldest data. False: nowhere. */
bool dt_ring_next(struct dt_thread_state *thread, struct dt_room *room);
/** A segment of the thread starts at stream_bytes. */
void dt_ring_segment(struct dt_thread_state *thread);
/** The thread has ended: its data may be replaced, oldest threads first. `record`: of struct dt_thread, in the file. */
void dt_ring_end(struct dt_thread_state *thread, uint64_t record);
/** In the child of a fork: all is forgotten. */
void dt_ring_reset(struct dt_thread_state *thread);

/* ---- recording ------------------------------------------------------------------------------- */

void dt_recorder_begin(struct dt_thread_state *thread);
/** Compresses the full tail and commits; called when `next` has passed `last`. */
void dt_recorder_batch(void);
enum {
    DT_TAIL_CAPACITY = DT_TAIL_WORDS + DT_TAIL_SLACK,
    DT_TAIL_BYTES = 2 * DT_TAIL_CAPACITY /* also their alignment */
};
static inline bool dt_batch_is_due(void)
{
    return (dt_hot.next & (DT_TAIL_BYTES - 1)) >= 2 * DT_TAIL_WORDS;
}
/** Gives its place, which one instruction has taken: what a signal's handler records meanwhile comes behind it. */
static inline uint64_t dt_place_word(uint16_t word)
{
    uint64_t at = 2;
    uint64_t *next = &dt_hot.next;
    __asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(*next) : : "memory");
    *(uint16_t *)at = word;
    return at;
}
static inline void dt_record_word(uint16_t word)
{
    dt_place_word(word);
    if (dt_batch_is_due())
        dt_recorder_batch();
}
/** An id that does not fit into a word of a tail. */
void dt_record_large_id(uint32_t id);
static inline void dt_record_id(uint32_t id)
{
    if (id <= DT_TAIL_LAST_ID)
        dt_record_word((uint16_t)id);
    else
        dt_record_large_id(id);
}
void dt_record_call(uint64_t index);
/** Its call and its return. */
void dt_record_leaf(uint64_t index);
static inline void dt_record_return(void)
{
    dt_record_word(DT_WORD_RETURN);
}
/** More of the calling thread's shadow stack can be written; false: that is all there is. Safe in signal handlers. */
bool dt_shadow_grow(struct dt_thread_state *thread);
/** True if another frame can be pushed. */
static inline bool dt_shadow_has_room(struct dt_thread_state *thread)
{
    return dt_hot.top < thread->real_limit || dt_shadow_grow(thread);
}
/** Gives up the chunks that the thread writes to; what it can record with again stays. */
void dt_recorder_end(struct dt_thread_state *thread);
/** All of it. */
void dt_recorder_release(struct dt_thread_state *thread);
static inline bool dt_leaf_is_open(const struct dt_thread_state *thread)
{
    const struct dt_frame *leaf = thread->open_leaf;
    return leaf && (uint64_t)leaf < dt_hot.top && leaf->index == thread->open_leaf_index;
}
/** True if the stubs of leaves must not record by themselves. */
static inline bool dt_leaves_are_watched(const struct dt_thread_state *thread)
{
    return !dt_hot.limit || dt_leaf_is_open(thread);
}
/** They ask only whether a batch is due: moves dt_hot.next on to where one is, and the places between stay unwritten.
 * NULL: the thread is not traced, and has that from the start. */
void dt_recorder_pass_places(struct dt_thread_state *thread);
/** Back again, if nothing has been recorded since. */
void dt_recorder_come_back(struct dt_thread_state *thread);
/** Words that the thread has recorded so far: the position of what is noted now. Places that signal handlers
 * interrupted and have yet to be filled count. */
uint64_t dt_record_position(struct dt_thread_state *thread);

/* ---- notes ----------------------------------------------------------------------------------- */

/** Notes something about the calling thread, at its present position. Safe in signal handlers, needs no libc. False: it
 * did not fit, or the thread's notes have reached their bound; counted in the file. */
bool dt_note(struct dt_thread_state *thread, uint32_t kind, const int64_t *values, uint32_t count);
/** The same with a text, which is cut where a note ends. */
bool dt_note_text(struct dt_thread_state *thread, uint32_t kind, const int64_t *values, uint32_t count,
                  const char *text);
void dt_notes_release(struct dt_thread_state *thread);

struct dt_hooked_function;

/* ---- recording on and off, times ---------------------------------------------------------------- */

void dt_switch_initialise(void);
/** What the options say of a function of that name. */
void dt_switch_classify(struct dt_hooked_function *function, const char *name);
/** False: recording is off, and the function does not switch it on. */
bool dt_switch_lets_in(uint64_t index);
void dt_switch_before_call(struct dt_thread_state *thread, uint64_t index);
void dt_switch_after_call(struct dt_thread_state *thread, uint64_t index);
/** True if every call of the function has to be seen, not only those of the slow path. */
bool dt_switch_sees(uint64_t index);
/** From here on all that the thread calls takes the slow path. */
static inline void dt_switch_close(struct dt_thread_state *thread)
{
    dt_hot.limit = 0;
    dt_compiler_barrier();
    dt_recorder_pass_places(thread);
}
/** The fast path is open to the thread again, if recording is on. */
static inline void dt_switch_open(struct dt_thread_state *thread)
{
    if (dt_process.off) {
        dt_switch_close(thread);
        return;
    }
    dt_hot.limit = thread->real_limit;
    dt_compiler_barrier();
    if (!dt_leaves_are_watched(thread))
        dt_recorder_come_back(thread);
}
void dt_note_time(struct dt_thread_state *thread);

/* ---- functions ------------------------------------------------------------------------------- */

enum dt_api_class { DT_API_NONE, DT_API_MPI, DT_API_OPENMP, DT_API_PTHREAD, DT_API_END };
enum dt_api_action {
    DT_ACTION_NONE,
    DT_ACTION_MPI_INIT,
    DT_ACTION_MPI_FINALIZE,
    DT_ACTION_PTHREAD_CREATE,
    DT_ACTION_EXIT,
    DT_ACTION_EXEC,
    DT_ACTION_EXEC_AT,
    DT_ACTION_EXEC_FILE
};

enum { DT_MOST_FUNCTIONS = 1 << 22 };

/** A hooked function. Its index is what stubs push. */
struct dt_hooked_function {
    union {
        uint64_t exit_address;
        uint64_t leaf_address; /* of a leaf: its own; of an import: the slot that says where it is */
    };
    uint32_t image, symbol;
    uint8_t api_class;  /* enum dt_api_class */
    uint8_t action;     /* enum dt_api_action */
    bool own_image : 1; /* of the program itself, not of a runtime library */
    bool import : 1;
    bool timed : 1;          /* times of its calls are noted */
    bool leaf : 1;           /* recorded at its entry alone, see leaf.h */
    bool encloses : 1;       /* api_stubs.S: API calls right inside it are its own business, */
    bool both_ends : 1;      /* it is hooked where it returns, too: its return address stays; no exit address */
    bool enclosed : 1;       /* and this one is such a call: there is nothing in it that we have to know */
    bool reports : 1;        /* an import that may open a leaf again, see open_leaf.h: no stub has its word */
    uint8_t switches : 7;    /* calls of it start or stop the recording */
    bool asks_at_return : 1; /* its stub goes on to dt_api_exit() */
    uint16_t call;           /* its arguments: dt_call_get(); 0: none */
    uint16_t leaf_bytes;     /* of its code */
};
extern struct dt_hooked_function *dt_functions;
extern uint32_t dt_function_count;
/** Index -> id in the file, 0 = none yet. */
extern uint32_t *dt_function_ids;
/** Index -> the word that stubs record for a call (stub_words.h); 0 = it is for C: there is no id yet, it is larger
 * than a word, or every call has to be seen. */
extern uint16_t *dt_function_words;

static inline uint32_t dt_function_flags(unsigned api_class, bool import)
{
    return (api_class ? DT_FUNCTION_API : 0) | (import ? DT_FUNCTION_IMPORT : 0);
}

/** Room for functions; only while hooks are being set. */
bool dt_functions_reserve(uint32_t count);
uint32_t dt_function_id(uint64_t index);
/** A further id of the function, for calls with these arguments. */
uint32_t dt_function_new_id(uint64_t index, const int64_t *arguments, uint32_t count);
/** Writes the image's record into the file. */
void dt_function_image_record(const struct dt_image *image);
/** In the child of a fork: nothing goes into its parent's tables. */
void dt_functions_leave(void);
/** All ids are unknown again: it has a file of its own. */
void dt_functions_reset(void);

/* ---- API calls ------------------------------------------------------------------------------- */

/** Class and action by symbol name; DT_API_NONE if it is none of ours. */
enum dt_api_class dt_api_classify(const char *name, enum dt_api_action *action);
/** True for calls that end the process for an error and never come back. */
bool dt_api_fails(const char *name);
/** The function on top of the shadow stack, or NULL. */
const struct dt_hooked_function *dt_api_caller(const struct dt_thread_state *thread);
/** The call of ours that a library is working for, or NULL: the nearest below which only functions of libraries are. */
const struct dt_hooked_function *dt_api_enclosing_call(const struct dt_thread_state *thread);
/** A call that a library makes on its own account, `inside` another call of ours or from within its own code; or the
 * loader, which locks a mutex whenever it does anything. */
bool dt_api_is_inner(const struct dt_hooked_function *function, const struct dt_hooked_function *inside,
                     uint64_t return_address);
/** Threads of OpenMP are the application's; those made inside MPI calls, by threads of libraries, or before any traced
 * function runs are not. */
bool dt_api_thread_is_library(const struct dt_thread_state *thread, const struct dt_hooked_function *by,
                              const struct dt_hooked_function *inside);
/** From stubs.S: 0 = traced call, 1 = leave the call alone. */
int dt_api_entry(struct dt_entry_registers *registers);
/** Whether anything is to be done when calls of the function return, beside recording that, or that has to be done with
 * signals held; and that. */
bool dt_api_returns(const struct dt_hooked_function *function);
void dt_api_exit(struct dt_exit_registers *registers);

/* ---- slow paths, from stubs.S ---------------------------------------------------------------- */

int dt_slow_entry(struct dt_entry_registers *registers);
void dt_slow_exit(struct dt_exit_registers *registers);
void dt_slow_leaf(struct dt_entry_registers *registers);
/** A batch is due before the leaf's word, or the fast path is closed. */
void dt_batched_leaf(struct dt_entry_registers *registers);
void dt_slow_return(struct dt_exit_registers *registers);
enum dt_runtime_hook {
    DT_HOOK_NONE,
    DT_HOOK_UNWIND,
    DT_HOOK_BACKTRACE,
    DT_HOOK_FIND_FDE,
    DT_HOOK_CATCH,
    DT_HOOK_JUMP,    /* longjmp(buffer, ...) */
    DT_HOOK_CONTEXT, /* setcontext(context) */
    DT_HOOK_SWAP,    /* swapcontext(own, context) */
    DT_HOOK_LOADER
};
/** `index` is the hook. Nonzero: rax is the function's answer, do not call it. */
int dt_runtime_hook(struct dt_entry_registers *registers);
/** Puts the program's return addresses back on the stack for an unwinder whose own one is at `sp`. */
void dt_shadow_put_back(struct dt_thread_state *thread, uint64_t sp);
/** The other way round, for the calls that are still there. */
void dt_shadow_divert(struct dt_thread_state *thread);
/** The same for the topmost call that is on its way out: its index is on the stack in place of the return address. */
void dt_shadow_put_back_leaving(void);
/** The same for the topmost call that has returned `at` its stub: its return address is nowhere on the stack. */
void dt_shadow_put_back_returned(uint64_t at);
/** At the thread's end: calls of fibers that other threads may go on with return without us. */
void dt_shadow_abandon(struct dt_thread_state *thread);
/** True if a hooked function below us will still return through its frame. */
bool dt_shadow_has_open_calls(const struct dt_thread_state *thread);
/** Pops what longjmp and the like left behind; `slot` is that of a call going on. */
void dt_shadow_pop_stale(struct dt_thread_state *thread, uint64_t slot, uint64_t return_address, bool entry);
/** Pops what an exception left behind, when the call whose return address is at `slot` shows that it is over; that may
 * be a tail call of the topmost one, where return addresses have been put back. */
void dt_shadow_pop_left(struct dt_thread_state *thread, const uint64_t *slot);
/** Pushes a frame for the function entered at `slot`; false: no room. */
bool dt_shadow_push(struct dt_thread_state *thread, uint64_t *slot, uint64_t index);

/** The push itself, where there is room. */
static inline void dt_shadow_push_frame(uint64_t slot, uint64_t return_address, uint64_t index)
{
    struct dt_frame *frame = (struct dt_frame *)dt_hot.top;
    const struct dt_frame filled = {return_address, slot, index};
    *frame = filled;
    dt_compiler_barrier();
    dt_hot.top += sizeof *frame;
    dt_compiler_barrier();
    *frame = filled; /* a signal handler may have used the place meanwhile */
}

/** The other way round for the topmost frame, whose call returns: to where the frame says. */
static inline void dt_shadow_pop_frame(const struct dt_frame *frame, struct dt_exit_registers *registers)
{
    /* At every instruction an unwinder finds it; a handler that comes before the frame is gone may divert it again. */
    uint64_t return_address = frame->return_address;
    registers->index = return_address;
    dt_compiler_barrier();
    dt_hot.top -= sizeof *frame;
    dt_compiler_barrier();
    registers->index = return_address;
}

/** moved_calls.c: threads whose calls may return on others, if their end will be seen: until then their thread-local
 * memory is there. */
void dt_moved_join(struct dt_thread_state *thread);
void dt_moved_leave(struct dt_thread_state *thread);
/** In the child of a fork. */
void dt_moved_reset(struct dt_thread_state *thread);
/** Around what is done to a frame on a stack that is not the thread's own. */
uint64_t dt_moved_lock(void);
void dt_moved_unlock(uint64_t mask);
/** Under the lock: the frame's call may be returning on another thread. */
void dt_moved_forget(const struct dt_frame *frame);
/** A call that was entered on another thread returns: where to? False: it is not known. */
bool dt_moved_take(uint64_t slot, uint64_t content, uint64_t *return_address);

/** The last resort when a return address is lost: says so on stderr and ends the process with SIGABRT. */
_Noreturn void dt_fatal(const char *message);

#endif
