/**
 * A thread that is recorded: its shadow stack, its state, and what stubs touch of both.
 *
 * Every engine pushes a frame for each call that it records and pops it when the call returns, so that at any
 * instruction the frames below dt_hot.top are the calls that are open. A state is its thread's own: nobody else writes
 * to it while the thread runs. Whoever works for a thread raises dt_guard first, so that nothing of the tracer's own
 * work is recorded.
 */
#ifndef DT_RECORD_THREAD_H
#define DT_RECORD_THREAD_H

#include <stdbool.h>

#include "format/tail.h"
#include "format/trace_file.h"
#include "record/frame_layout.h"
#include "system/system.h"

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
    struct dt_calls *calls; /* the thread's, if some of them are shown to the stubs: open_calls.h; or NULL */
    int guard;              /* nonzero while the runtime itself is at work */
    uint64_t stamp;         /* where the next stamp goes; 0: there are none (times.h) */
};

_Static_assert(sizeof(struct dt_frame) == DT_FRAME_BYTES && offsetof(struct dt_frame, slot) == 8,
               "stubs.S counts on it");

/* Of these some lie below the lowest frame, all 0: who looks for a chain of tail calls need not ask where it ends. */
enum { DT_SHADOW_FRAMES = 1 << 20, DT_FRAMES_BELOW = DT_MOST_TAIL_CALLS };

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

/** A call of a function that is on trial: timed_functions.h. */
struct dt_open_trial {
    const struct dt_frame *frame;
    uint64_t ticks; /* when it began */
};
enum { DT_OPEN_TRIALS = 32 };

/** A thread's times. */
struct dt_thread_times {
    struct dt_stamps *stamps;   /* NULL: there are none */
    struct dt_note_place place; /* where the next item goes */
    uint64_t position, counter; /* of the last time, as readers know it */
    uint64_t anchor;            /* counter of the last anchor, */
    uint64_t looked;            /* and when the clocks were read that are in no row */
    uint64_t turned;            /* when the batch began that is made */
    bool lost;                  /* stamps of this batch */
    uint32_t open_trials;       /* the outermost first; of deeper calls nothing is known */
    struct dt_open_trial trials[DT_OPEN_TRIALS];
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
    bool kept_mapped; /* nobody can unmap the memory of either: another thread gets it later */
    bool in_batch;
    bool discarding; /* recording has stopped: words go to `scratch` */
    bool segment_open;

    uint32_t index; /* in the file */
    uint32_t kind;  /* enum dt_thread_kind */
    struct dt_thread *shared;
    uint64_t record; /* where `shared` is in the file */
    uint64_t packed; /* where its head went when the thread had ended; 0: it is still there */
    struct dt_thread_state *next_spare;
    struct dt_hot *hot;                /* of this thread, for others: migrated_calls.c */
    struct dt_thread_state *next_live; /* the same */
    uint64_t discarded_words;
    uint16_t *scratch;         /* sized and aligned like a tail */
    uint64_t left_for_scratch; /* dt_hot.next before, where a tail had no room left during a batch */

    void *codec_state;
    uint8_t *staging;                                        /* coded bytes of one batch */
    uint16_t batch[2 * (DT_TAIL_WORDS + DT_TAIL_SLACK) + 1]; /* of a tail that had to be expanded: tail.h */
    uint64_t words;                                          /* committed */
    uint64_t passed_from; /* dt_hot.next before it passed places over; 0: it has not */
    const struct dt_frame
        *open_terminating;           /* of a terminating function found to be going on, and whose return nobody tells */
    uint64_t open_terminating_index; /* of the function: no other frame has it */
    uint64_t counted;                /* of a tail: dt_record_position() */
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
    struct dt_thread_times times;
    struct dt_calls *calls; /* that are looked at again when they return; calls.c */
    void *signal_stack;     /* DT_SIGNAL_STACK_BYTES; signals.h */
    struct {
        uint64_t pc, sp, top, fault_address;
        bool is_fault;
        const void *context; /* of the kernel, on the stack of the handler */
    } signal_place;          /* that the last watched signal interrupted */
};
/* Capacity for the kernel's frame with all registers that processors have, and our handler; touched only if it is used.
 */
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

/** Notes the name that the calling thread has now. */
void dt_thread_rename(struct dt_thread_state *thread);

#endif
