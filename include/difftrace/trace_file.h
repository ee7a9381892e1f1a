/**
 * On-disk structures of a difftrace trace file: what the tracer's runtime
 * writes and the store reads. docs/trace-format.md is the contract; this header
 * is its C form, shared by both sides so that they cannot drift.
 *
 * One file per process. All integers are little endian, all offsets are bytes
 * from the start of the file. The file is written through a shared mapping, so
 * that whatever a store instruction has written survives SIGKILL; every
 * structure below is therefore valid at every instruction of its writer.
 *
 *     +--------------------+ 0
 *     | dt_file_header     |
 *     +--------------------+ DT_CHUNK_ALIGN
 *     | chunk              |  each chunk: dt_chunk_header, then its payload;
 *     | chunk              |  the size of a chunk is a multiple of
 *     | ...                |  DT_CHUNK_ALIGN; any order, many owners
 *     +--------------------+ header.file_bytes
 *
 * No allocation, no GLib, no libc calls: usable from C17 and from C++.
 */
#ifndef DIFFTRACE_TRACE_FILE_H
#define DIFFTRACE_TRACE_FILE_H

#include <stdint.h>

#define DT_FILE_MAGIC   "DiffTrc\n" /* 8 bytes, no terminator in the file */
#define DT_FORMAT_MAJOR 1
#define DT_FORMAT_MINOR 11
#define DT_ENDIAN_MARK  0x01020304u
#define DT_CHUNK_ALIGN  4096u
#define DT_CHUNK_MAGIC  0x4b435444u /* "DTCK" */

/* ---- words ------------------------------------------------------------- */

/** A recorded event is one 16-bit word: a function id, or a return. */
#define DT_WORD_RETURN 0u
/** Largest function id that fits one word. */
#define DT_WORD_LAST_ID 65533u
/** Never an event: fills the raw tail where nothing was recorded yet. */
#define DT_WORD_UNWRITTEN 65534u
/** Followed by two words of 15 bits (low, high): a larger function id. */
#define DT_WORD_ESCAPE 65535u
/** In a raw tail, with an id up to DT_TAIL_LAST_ID: the function is entered and returns. Larger ids are escaped there.
 */
#define DT_TAIL_CHILDLESS 32768u
#define DT_TAIL_LAST_ID   16383u
/** In code of the codec raw: the next word is one as it is. */
#define DT_TAIL_LITERAL 65533u

/* ---- file header ------------------------------------------------------- */

enum dt_codec_id {
    /* 0 and 3 are taken: codecs that were dropped had them. */
    DT_CODEC_PARLOT = 1,
    DT_CODEC_TZ = 2,
    DT_CODEC_RAW = 4,
    DT_CODEC_LZR = 5
};

enum dt_process_end {
    DT_PROCESS_RUNNING = 0, /* the file does not say: still running, or killed */
    DT_PROCESS_EXITED = 1,  /* end_status = exit status */
    DT_PROCESS_SIGNAL = 2,  /* end_status = signal number, seen by the runtime */
    DT_PROCESS_EXEC = 3     /* replaced itself by another program */
};

enum dt_images_mode { DT_IMAGES_MAIN = 0, DT_IMAGES_APP = 1, DT_IMAGES_ALL = 2, DT_IMAGES_GLOB = 3 };

/** What becomes of new events when the file has reached max_bytes. */
enum dt_when_full {
    DT_FULL_STOP = 0,     /* recording stops, stop_errno is EFBIG */
    DT_FULL_KEEP_LAST = 1 /* they replace the oldest: see dt_thread.kept_stream */
};

enum dt_file_flags {
    DT_FILE_MPI_INITIALISED = 1u << 0, /* this process called MPI_Init[_thread] */
    DT_FILE_MPI_FINALIZED = 1u << 1,
    DT_FILE_STOPPED = 1u << 2, /* recording stopped early: see stop_errno */
    DT_FILE_FORKED = 1u << 3,  /* child of fork without exec */
    DT_FILE_PAYLOAD = 1u << 4  /* there may be notes of DT_NOTE_DATA */
};

struct dt_file_header {
    char magic[8];
    uint16_t major, minor;
    uint32_t endian;
    uint32_t header_bytes; /* sizeof(struct dt_file_header) of the writer */
    uint32_t flags;        /* enum dt_file_flags */
    uint64_t file_bytes;   /* end of the last chunk given out */
    uint32_t pid, ppid;
    int32_t rank;       /* from the launcher's environment or MPI; -1: none */
    int32_t world_size; /* -1: unknown */
    uint64_t start_realtime_ns;
    uint64_t start_monotonic_ns;
    uint64_t end_monotonic_ns; /* 0: not ended in a way we saw */
    uint32_t end_state;        /* enum dt_process_end */
    int32_t end_status;
    uint32_t images_mode; /* enum dt_images_mode */
    uint32_t codec;       /* enum dt_codec_id of new segments */
    uint32_t app_threads; /* thread numbers given to the application's threads */
    uint32_t library_threads;
    uint32_t functions;  /* ids given out; ids are 1..functions */
    uint32_t hooked;     /* functions patched */
    uint32_t skipped;    /* functions wanted but not patched (see images) */
    uint32_t stop_errno; /* why DT_FILE_STOPPED */
    uint64_t dropped_events;
    uint32_t check;     /* dt_file_header_check() */
    uint32_t seal;      /* dt_file_header_seal(), by the collector; 0: none */
    uint64_t max_bytes; /* the bound asked for; 0: none */
    uint32_t when_full; /* enum dt_when_full */
    uint32_t reserved0;
    uint32_t lost_communicators; /* how often one was met that there was no room for: see arguments_scale */
    uint32_t lost_signatures;    /* the same of call signatures, */
    uint32_t lost_sites;         /* of their call sites, */
    uint32_t lost_locks;
    uint32_t lost_arrays;
    uint32_t arguments_scale; /* room for all of these, in units of what there is by default; 0: 1 */
    uint64_t reserved;
    uint64_t unseen_handlers; /* of signals: began while the tracer was at work, which leaves calls alone meanwhile */
    char host[64];
    char executable[1024]; /* absolute path, NUL terminated, maybe truncated */
    char arguments[1024];  /* blank separated, NUL terminated, maybe truncated */
};

/* ---- chunks ------------------------------------------------------------ */

enum dt_chunk_type {
    DT_CHUNK_THREAD = 1,        /* payload: struct dt_thread; owner = thread index */
    DT_CHUNK_DATA = 2,          /* payload: part of the owner's byte stream */
    DT_CHUNK_FUNCTIONS = 3,     /* payload: struct dt_function[], ids in file order */
    DT_CHUNK_IMAGES = 4,        /* payload: struct dt_image[] */
    DT_CHUNK_NOTES = 5,         /* payload: struct dt_notes, then the owner's notes */
    DT_CHUNK_ENDED = 6,         /* payload: records of threads, struct dt_ended_thread */
    DT_CHUNK_FREE = 7,          /* was a thread's, and may be one again */
    DT_CHUNK_COMMUNICATORS = 8, /* payload: row of struct dt_communicator (arguments.h) */
    DT_CHUNK_SITES = 9,         /* payload: struct dt_call_site[] */
    DT_CHUNK_SITE_IMAGES = 10,  /* payload: struct dt_image[]: nothing is hooked there, but calls come from there */
    DT_CHUNK_ARRAYS = 11,       /* payload: row of struct dt_array (arguments.h) */
    DT_CHUNK_STAMPS = 12,       /* payload: struct dt_stamps; owner = thread index */
    DT_CHUNK_TIMES = 13         /* payload: struct dt_times, then the owner's times */
};

/**
 * Readers skip unknown types. A chunk whose magic is not there yet (its writer
 * died between reserving and filling it) is skipped DT_CHUNK_ALIGN bytes at a
 * time until the next magic.
 */
struct dt_chunk_header {
    uint32_t magic; /* written last */
    uint32_t type;
    uint32_t bytes;    /* whole chunk, header included */
    uint32_t owner;    /* of threads, data and notes: thread index in the file */
    uint32_t sequence; /* of data and notes: 0, 1, 2... along the owner's stream */
    uint32_t records;  /* table chunks: complete records in the payload */
    uint32_t check;    /* dt_chunk_check() */
    uint32_t seal;     /* dt_chunk_seal(), by the collector; 0: none; not of data chunks */
    uint64_t reserved[4];
};

/**
 * A thread's byte stream is the payloads of its DATA chunks in sequence order,
 * all of them full but the last. It is a row of segments; each starts the codec
 * anew, so that it decodes without what came before.
 */
/* With DT_FULL_KEEP_LAST all data chunks of a file are of one size, so that `sequence` tells a chunk's place in the
 * stream, and the oldest are used again for the newest. */
#define DT_SEGMENT_MAGIC 0x47455344u /* "DSEG" */

enum {
    /* Writers end a segment with the batch that brings it to so many words, or to so many bytes of code. */
    DT_SEGMENT_WORDS = 1 << 24,
    DT_SEGMENT_CODE_BYTES = 1 << 20,
    /* No segment holds more words: as a few bytes of code may stand for any number, this bounds a reader's time. */
    DT_SEGMENT_MOST_WORDS = 2 * DT_SEGMENT_WORDS
};

struct dt_segment_header {
    uint32_t magic;
    uint32_t codec; /* enum dt_codec_id */
    uint64_t first_event;
    /* The next three are 0 until the segment is complete. */
    uint64_t events; /* words coded, escapes counted as three */
    uint64_t bytes;  /* of code, after this header and the open frames */
    uint32_t crc32;  /* dt_segment_crc_begin(), open frames, code, dt_segment_crc_end() */
    uint32_t depth;  /* open frames at the start: depth * uint32_t ids follow */
};

/**
 * How far a thread's stream is good. Two of them, and a selector written last:
 * the selected one is always consistent. A record that is not selected and yet
 * whole and newer was finished just before its writer died: both tell the same.
 */
struct dt_commit {
    uint64_t words;         /* covered by the committed stream, all segments */
    uint64_t stream_bytes;  /* committed length of the byte stream */
    uint64_t segment_start; /* stream offset of the open segment's header */
    uint64_t segment_words; /* words of the open segment */
    uint32_t crc32;         /* of the open segment so far, its dt_segment_crc_end() left out */
    uint32_t active_tail;   /* 0 or 1: the raw tail that continues the stream */
    uint32_t tail_serial;   /* of that tail */
    uint32_t check;         /* dt_commit_check() */
    uint8_t pending[32];    /* codec state that is not in the stream yet */
};

enum dt_thread_end {
    DT_THREAD_RUNNING = 0, /* or ended with its process */
    DT_THREAD_RETURNED = 1
};

/** What became of a signal that ends a program unless the program does something about it. */
enum dt_signal_fate {
    DT_SIGNAL_FATAL = 0,  /* the default action: the process ended there and then */
    DT_SIGNAL_HANDLED = 1 /* the program's handler was called; whether it came back is not known */
};

/** SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT: the last that hit a thread. */
struct dt_last_signal {
    uint32_t number;       /* as in <signal.h>; 0: none */
    uint32_t fate;         /* enum dt_signal_fate */
    int32_t code;          /* the kernel's si_code: > 0 for what the thread did itself */
    uint32_t sender;       /* process that sent it, if code <= 0 */
    uint64_t monotonic_ns; /* when it came */
    uint64_t words;        /* that the thread had recorded then */
    uint32_t function;     /* id of the innermost open call; 0: none */
    uint32_t check;        /* dt_last_signal_check(); written last */
};

/** Why open calls were kept. */
enum dt_open_cause {
    DT_OPEN_SIGNAL = 1, /* a signal that ends programs hit the process */
    DT_OPEN_END = 2,    /* it called exit, abort or the like */
    DT_OPEN_FAULT = 3   /* as DT_OPEN_SIGNAL: it hit this thread, which accessed fault_address */
};

enum { DT_OPEN_FRAMES = 224, DT_OPEN_IMPORT = 1u << 31 };

/** An open call: where it returns to, and what was called. */
struct dt_open_frame {
    uint64_t address;         /* return address, load bias not added */
    uint16_t image;           /* of the caller: index field of struct dt_image; 0: the address is unknown */
    uint16_t function_image;  /* of what was called: index field */
    uint32_t function_symbol; /* its symbol there, with DT_OPEN_IMPORT */
};

/** The calls that a thread was in when its process was about to end. */
struct dt_open_frames {
    uint32_t depth;           /* open calls */
    uint32_t count;           /* of `frames`: the innermost */
    uint32_t cause;           /* enum dt_open_cause; 0: nothing was kept */
    uint32_t check;           /* dt_open_frames_check(); written last */
    uint64_t fault_address;   /* DT_OPEN_FAULT */
    struct dt_open_frame hit; /* where in the program it did: an instruction, or one of a call; image 0: unknown */
    struct dt_open_frame frames[DT_OPEN_FRAMES]; /* innermost first */
};

enum dt_thread_kind {
    DT_THREAD_APP = 0,    /* `number` is T of the label P.T */
    DT_THREAD_LIBRARY = 1 /* `number` is the letter: 0 = a, 1 = b, ... */
};

/** A batch is due when so many words are in a tail; the slack is for those that come before it is done. */
#define DT_TAIL_WORDS 1024u
#define DT_TAIL_SLACK 1024u
/** Words and slack together before format 1.5. */
#define DT_TAIL_CAPACITY_1_4 1024u

/**
 * A thread: identity, commit records and the raw tails.
 *
 * After the committed words come those of tail[active_tail]; then, if
 * tail_serial[the other] is the commit's tail_serial + 1, those of the other
 * tail (a batch was being compressed when the process died); otherwise the other
 * tail holds nothing new. A word DT_WORD_UNWRITTEN inside a tail is a place that
 * was reserved and never filled (the process died there), or the end: readers
 * skip it. DT_TAIL_CHILDLESS + w stands for w and a return: tail.h.
 *
 * The tails lie DT_CHUNK_ALIGN bytes after the start of the chunk, each aligned
 * to its own size: a writer knows from an address alone when a tail is full.
 */
struct dt_thread {
    uint32_t kind; /* enum dt_thread_kind */
    uint32_t number;
    uint32_t tid;       /* the kernel's */
    uint32_t creator;   /* thread index of the creator; UINT32_MAX: none known */
    uint32_t end_state; /* enum dt_thread_end */
    uint32_t selector;  /* commit[selector] is the good one */
    uint64_t start_monotonic_ns, end_monotonic_ns;
    uint64_t dropped_events;
    uint32_t segments; /* complete ones */
    uint32_t tail_serial[2];
    uint32_t check; /* dt_thread_check(); 0 while what it is of changes */
    uint64_t dropped_notes;
    uint64_t kept_stream;  /* stream offset of the first segment that was kept; those before it were dropped */
    uint64_t kept_words;   /* words before that segment */
    uint64_t last_seen_ns; /* monotonic, coarse: at its last commit or API call */
    char name[16];
    struct dt_commit commit[2];
    struct dt_last_signal last_signal;
    struct dt_open_frames open_frames;
    uint8_t padding[96];
    uint16_t tail[2][DT_TAIL_WORDS + DT_TAIL_SLACK];
};

/** What is kept of a struct dt_thread when the thread has ended: all before last_signal. */
#define DT_THREAD_HEAD_BYTES 272u

/**
 * A thread that has ended: its record without the tails, and the words that were in them. Its own chunk goes to the
 * next thread, or is DT_CHUNK_FREE. If the writer died between the two, both records are there and say the same.
 */
struct dt_ended_thread {
    uint32_t bytes; /* of the record with its words, a multiple of 8; written last; 0: there is none from here on */
    uint32_t index; /* of the thread */
    uint32_t words; /* of 2 bytes, behind this structure: all that were in the tails */
    uint32_t check; /* dt_ended_thread_check() */
    uint8_t head[DT_THREAD_HEAD_BYTES]; /* the start of its struct dt_thread */
};

/**
 * What is told beside a thread's words, at positions among them. Behind this head the chunk is a row of notes: a byte
 * that tells the length of the body, and the body (note.h). The byte is 0 where no note was begun: readers go on to
 * the next byte; with DT_NOTE_UNFINISHED in it the body was begun but never finished: readers skip it.
 */
struct dt_notes {
    uint64_t position; /* what the notes' offsets are added to */
};

/**
 * Kinds of notes and their values. A note's position is the count of words that the thread had recorded (an escape
 * counted as three): a note about a call comes behind the call's word. Readers skip kinds that they do not know.
 */
enum dt_note_kind {
    DT_NOTE_CLOCK = 1,     /* nanoseconds since the process's start_monotonic_ns */
    DT_NOTE_MARKER = 2,    /* no values; text: set by the program */
    DT_NOTE_RECORDING = 3, /* 0: stops, 1: goes on; then enum dt_recording_cause */
    DT_NOTE_WILDCARD = 4,  /* source and tag that a receive from anybody got; of which request, if not the call's own */
    DT_NOTE_REQUEST = 5,   /* before format 1.8: enum dt_request_event, then numbers of requests in the process */
    DT_NOTE_LOCK = 6,      /* a lock that was not taken: its number, the error */
    DT_NOTE_PARAMETER = 7, /* pairs: which of the call's arguments varies, and its value without the kind */
    DT_NOTE_LIVE = 8,      /* enum dt_live_event, then what it says of the thread's live requests */
    DT_NOTE_FAILED = 9,    /* the call returned an error: its class */
    DT_NOTE_THREAD_LEVEL =
        10,              /* how threads may call MPI, where that is not what was required: DT_ARGUMENT_THREAD_LEVEL */
    DT_NOTE_DATA = 11,   /* enum dt_data_event, a hash of 32 bits; which request, as with wildcards */
    DT_NOTE_WOKEN = 12,  /* the wait in which the thread is, is over: number of the thread that ended it, -1: none */
    DT_NOTE_WOKE = 13,   /* the call ended the wait of another thread: its number, -1: not recorded */
    DT_NOTE_WAKERS = 14, /* the call never returned: numbers of threads that are likely to be able to end the wait */
    DT_NOTE_EXERCISED =
        15 /* what a thread did at a place: sets of enum dt_exercised that may be, and that were; times; text */
};

/** How an operation on a channel or a lock went: flags. Source: GOAT's requirements of coverage. */
enum dt_exercised {
    DT_EXERCISED_BLOCKED = 1, /* it waited */
    DT_EXERCISED_WOKE = 2,    /* it ended the wait of another thread */
    DT_EXERCISED_PASSED = 4,  /* neither */
    DT_EXERCISED_DONE = 8     /* whatever happened */
};

/** What is hashed of the data of calls: first value of DT_NOTE_DATA. */
enum dt_data_event {
    DT_DATA_SENT = 1,     /* what the call sends, or contributes; of a persistent request when it is started */
    DT_DATA_RECEIVED = 2, /* what it got; by a request: when that completed */
    DT_DATA_CHANGED = 3   /* what a request has sent, when it completed: not what it was when the call was made */
};

/** What happened to requests: first value of DT_NOTE_REQUEST; the rest are the requests' numbers. */
enum dt_request_event {
    DT_REQUEST_MADE = 1,
    DT_REQUEST_MADE_PERSISTENT = 2,
    DT_REQUEST_NAMED = 3,     /* started, waited for, or cancelled by the call */
    DT_REQUEST_COMPLETED = 4, /* where the call's return does not say it of all those named */
    DT_REQUEST_FREED = 5
};

/**
 * What happened to a thread's live requests: those that it has made and that have neither completed nor been freed, the
 * oldest first. A call that makes a request puts it at the end when it returns; a call that waits for requests removes
 * those that it names when it returns, but for persistent ones; all this needs no note. First value of DT_NOTE_LIVE.
 * Positions are those in the list as it is before the call changes it.
 */
enum dt_live_event {
    DT_LIVE_COMPLETED = 1,       /* of those that the call names only these have: their positions; none: all of them */
    DT_LIVE_NOT_MADE = 2,        /* the call made no request, though it returned */
    DT_LIVE_GONE = 3,            /* before the next call: other threads have completed or freed these positions */
    DT_LIVE_ARE = 4,             /* before the next call: the number given out last, then the list, by numbers from 1 */
    DT_LIVE_ARE_ALSO = 5,        /* more of it */
    DT_LIVE_OTHERS = 6,          /* the call names requests of other threads: pairs of thread index and number */
    DT_LIVE_OTHERS_COMPLETED = 7 /* and these of them have completed, or were freed */
};

/* ---- times ------------------------------------------------------------------------------------- */

/** A stamp: the processor's time stamp counter above the place of the word that it is of, from bit 1 of its address on;
 * the highest bit of it tells which of the two tails it is in. 0: there is none. */
#define DT_STAMP_PLACE_BITS 12u
#define DT_STAMP_PLACE      0xfffu

/** Clocks at one moment. */
struct dt_time_anchor {
    uint64_t counter;      /* time stamp counter */
    uint64_t monotonic_ns; /* as dt_file_header.start_monotonic_ns */
    uint64_t processor_ns; /* of the thread; 0: unknown */
};

/** Stamps of the words in a thread's raw tails, by tail, in the order in which they were made. */
struct dt_stamps {
    struct dt_time_anchor begin, end; /* when the thread's trace began, and when it was about to end; 0: not known */
    uint32_t place_of_first;          /* the highest bit of places in tail 0 */
    uint8_t padding[4096 - 64 - 52];
    uint64_t stamps[2][DT_TAIL_WORDS + DT_TAIL_SLACK];
};

/**
 * Times of the words that were committed. Behind this head the chunk is a row of items of which `used` bytes count: a
 * byte, enum dt_time_item, and what belongs to it.
 */
struct dt_times {
    uint64_t position; /* words that were recorded before the first item */
    uint64_t counter;  /* of the time before it */
    uint32_t used;     /* written last */
    uint32_t reserved;
};

enum dt_time_item {
    /* From here to below DT_TIME_LONG: a time, by what passed since the one before (stamp_code.h); a varint follows: so
     * many words were recorded between the two. At that time the next word was about to be recorded. */
    DT_TIME_NONE_PASSED = 1,
    DT_TIME_LONG = 250,   /* a time; the ticks that passed, 8 bytes; the varint */
    DT_TIME_ANCHOR = 251, /* struct dt_time_anchor follows */
    DT_TIME_LOST = 252,   /* stamps since the last time are missing */
    DT_TIME_BATCH = 253   /* the time that follows is of no word: a batch began or ended then */
};

enum dt_recording_cause { DT_RECORDING_START = 0, DT_RECORDING_SIGNAL = 1, DT_RECORDING_FUNCTION = 2 };

enum dt_function_flags {
    DT_FUNCTION_IMPORT = 1u << 0, /* recorded at a PLT or GOT entry */
    DT_FUNCTION_API = 1u << 1     /* MPI, OpenMP, pthreads, process end */
};

enum { DT_FUNCTION_ARGUMENTS = 8 };

/** One event id: a function, or one call signature of an MPI function. */
struct dt_function {
    uint32_t image;                      /* index into the image table */
    uint32_t symbol;                     /* index into that image's symbol file */
    uint32_t flags;                      /* enum dt_function_flags */
    uint32_t arguments;                  /* of args[], 0 = name alone */
    int64_t args[DT_FUNCTION_ARGUMENTS]; /* arguments.h */
    uint32_t id;                         /* written last; 0 = record not there yet */
    uint32_t check;                      /* dt_function_check() */
};

enum dt_site_flags {
    DT_SITE_TAIL_CALL = 1u << 0 /* no return address is that of the call: `address` is the caller's symbol */
};

/** Where the calls of a signature come from: the same function and arguments from another place are another id. */
struct dt_call_site {
    uint32_t id;      /* of the signature; written last; 0 = record not there yet */
    uint32_t image;   /* of the caller: index field of struct dt_image */
    uint64_t address; /* return address, load bias not added */
    uint32_t flags;   /* enum dt_site_flags */
    uint32_t check;   /* dt_call_site_check() */
};

enum dt_image_flags { DT_IMAGE_MAIN = 1u << 0, DT_IMAGE_API_ONLY = 1u << 1 };

/** One mapped image. */
struct dt_image {
    uint32_t index; /* + 1; written last; 0 = record not there yet */
    uint32_t flags; /* enum dt_image_flags */
    uint64_t load_bias;
    uint32_t hooked, skipped;
    uint32_t check; /* dt_image_check() */
    uint32_t reserved[3];
    char key[88];   /* RUN/images/KEY.sym, NUL terminated */
    char path[384]; /* NUL terminated, maybe truncated at the front ("...") */
};

/* ---- symbol files: RUN/images/<key>.sym, one per image of a run ---------- */

#define DT_SYMBOLS_MAGIC "DiffSym\n"

struct dt_symbols_header {
    char magic[8];
    uint16_t major, minor;
    uint32_t endian;
    uint32_t count;      /* struct dt_symbol[count] follow */
    uint32_t text_bytes; /* then the names, NUL terminated */
    uint32_t crc32;      /* IEEE, of everything after this header */
    uint32_t reserved;
};

/** Why a function has no hook; 0 = hooked. Names: dt_skip_reason_name(). */
enum dt_skip_reason {
    DT_HOOKED = 0,
    DT_SKIP_EXCLUDED, /* cannot be hooked by its nature (setjmp, vfork...) */
    DT_SKIP_UNWANTED, /* not of the images or filters asked for */
    DT_SKIP_TOO_SHORT,
    DT_SKIP_BRANCH_TARGET, /* code jumps into the bytes to be replaced */
    DT_SKIP_UNDECODABLE,
    DT_SKIP_UNMOVABLE,       /* an instruction that cannot be relocated */
    DT_SKIP_COLD_PART,       /* not a function: part of another one */
    DT_SKIP_RESOLVER,        /* ifunc resolver */
    DT_SKIP_STARTUP,         /* runs before or below us: _start, .init */
    DT_SKIP_RETURN_ADDRESS,  /* reads or moves its own return address */
    DT_SKIP_OUT_OF_REACH,    /* no memory within a jump's reach */
    DT_SKIP_STACK_WALKER,    /* of an engine that reads the return addresses of its own calls (Java, OCaml, ...) */
    DT_SKIP_WRITE_PROTECTED, /* the system does not let code be changed */
    DT_SKIP_REASONS
};

struct dt_symbol {
    uint64_t address; /* in the image, load bias not added */
    uint32_t size;
    uint32_t name;   /* offset into the names */
    uint32_t flags;  /* enum dt_function_flags */
    uint32_t reason; /* enum dt_skip_reason */
};

#endif
