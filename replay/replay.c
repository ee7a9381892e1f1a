/* Does again what the ranks of an MPI program did to communicate, from a text that tells it:
 *
 *     mpicc -O2 -o replay replay.c -lpthread
 *     mpirun -n P ./replay FILE [--wildcards] [--size N%] [--steps N] [--compute N%]
 *
 * The text is a skeleton of difftrace's ("difftrace skeleton 1"). Every rank reads it, keeps its own calls, and makes
 * them one after the other, with as much data as the program had; what is in the data means nothing. If the text has
 * times, it computes before each call for as long as the program did. Where a call never
 * returned when the program was recorded, it does not here either, or the replay says that it did.
 *
 * This file needs an MPI and the C library, nothing else, and has no variables outside of functions, so that simulators
 * may run many ranks in one process. What it asks for itself goes through PMPI_* and is in no trace.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file may come from a stranger: what it may claim is bounded. */
enum {
    MOST_RANKS = 1 << 22,
    MOST_DEPTH = 64,
    MOST_NODES = 1 << 20,
    MOST_VALUES = 1 << 22,
    MOST_ROWS = 12, /* within each other */
    MOST_FIELDS = 32,
    MOST_AXES = 4,
    MOST_LEVELS = 9, /* of a set of ranks */
    MOST_BYTES = 1 << 28,
    MOST_REQUESTS = 1 << 20,
    BSEND_BYTES = 1 << 26,
    CANNOT_START = 2, /* exit status */
    WENT_WRONG = 4
};

/* ---- what a file says ------------------------------------------------------------------------ */

typedef enum { NUMBER, BY_RANK, BY_BITS, BY_STEPS, LAST, WORD, LIST } Form;

/* A value of a field. `text` is within the file. */
typedef struct {
    Form form;
    int64_t number;
    const char *text;
    size_t length;
} Value;

typedef struct Row Row;
/* `count` values from `first` on, or that row so many times. */
typedef struct {
    Value first;
    int64_t step;
    uint64_t count;
    Row *inner;
} Part;

struct Row {
    uint64_t length; /* of all values */
    size_t parts;
    Part part[];
};

typedef struct {
    int depth;
    struct {
        const Row *row;
        size_t part;
        uint64_t done;
    } level[MOST_ROWS];
} Cursor;

typedef enum {
    NO_FIELD,
    COMM,
    OPERATION,
    COUNT,
    BYTES,
    OTHER_COUNT,
    OTHER_BYTES,
    TO,
    FROM,
    TAG,
    ROOT,
    COLOR,
    REQUESTS,
    WINDOW,
    AT,
    LIVE,
    COUNTS,
    ELEMENT,
    ELEMENTS,
    DIMENSIONS,
    PERIODS,
    KEPT,
    NEIGHBOURS,
    DEGREES,
    INDEX,
    EDGES,
    GROUP,
    RANKS,
    KEY,
    DISPLACEMENT,
    UNIT,
    SIZE,
    TYPE,
    ASSERTION,
    FILE_NUMBER,
    OFFSET,
    WHENCE,
    MODE,
    CODE,
    LEVEL,
    RANK,
    UNUSED, /* of calls that are not made again */
    GOT,
    GOT_TAG,
    COMPLETED,
    FAILED,
    NOT_MADE,
    PROVIDED,
    OPEN,
    TIMES
} Kind;

typedef struct {
    Kind kind;
    Row *row;       /* NULL: none for this rank */
    Cursor *cursor; /* NULL: one value for all visits */
} Field;

typedef struct Walker Walker;
typedef struct Call Call;
/* Makes the call; gives MPI's error code. */
typedef int (*Function)(Walker *walker, const Call *call);

typedef struct {
    const char *name;
    Function function;
} Known;

/* What passed between a call and the one before, of the own rank. */
typedef struct Time Time;
struct Time {
    int64_t after; /* place of the call before, less that of this one; AFTER_START */
    Field ns;
    Time *next;
};
#define AFTER_START INT64_MIN

typedef struct Node Node;
struct Node {
    const Known *known; /* NULL: not a call that is made again */
    const char *name;
    size_t name_length;
    unsigned line;
    bool is_loop;
    Node *child, *next;
    int fields;
    Field *field;
    int64_t place; /* among the calls of the thread's text */
    Time *times;
};

typedef struct Thread Thread;
struct Thread {
    int number;
    Node *first;
    Thread *next;
    Walker *walker;
    pthread_t handle;
};

/* A call at one visit. */
struct Call {
    const Node *node;
    Value value[MOST_FIELDS]; /* by field of the node */
};

/* ---- what a rank has ------------------------------------------------------------------------- */

typedef struct Comm Comm;
struct Comm {
    Comm *next;
    char *name;
    MPI_Comm handle;
    bool is_known; /* rank and sizes have been asked for */
    int rank, size;
    int peers; /* the size, or that of the other group */
    bool is_inter;
    int made; /* calls that made communicators of it */
    int files;
};

typedef struct {
    MPI_Win handle;
    Comm *comm;
    void *memory;
} Window;

typedef struct {
    MPI_File handle;
    Comm *comm;
    char *name;
} OpenFile;

/* A text that a communicator's line has: its name, and groups of ranks. */
typedef struct Members Members;
struct Members {
    Members *next;
    const char *name;
    size_t length;
    int count, *ranks; /* of the group that the own rank is in */
};

typedef struct {
    int64_t bytes;
    MPI_Datatype type;
} SizedType;

typedef struct {
    const char *name;
    size_t length;
    MPI_Op op;
} OwnOperation;

/* What all threads of a rank share. */
typedef struct {
    const char *path;
    char *text;
    int rank, ranks, axes, mesh[MOST_AXES];
    bool wildcards;
    int64_t percent, steps, compute;
    int level; /* of threads that is asked for; -1: by MPI_Init */
    Thread *threads;
    Members *members;
    Comm *comms, *world;
    SizedType *types;
    int type_count;
    OwnOperation *operations;
    int operation_count;
    Window *windows;
    int window_count;
    OpenFile *files;
    int file_count;
    char *folder; /* of the files; NULL: none yet */
    void *bsend;
    pthread_mutex_t lock;
    bool finalized;
} Replay;

/* A request stays where MPI wrote it: MPIs have one handle for many requests that are complete when they are made. */
typedef struct {
    MPI_Request *place;
    bool is_persistent, is_pinned, is_wild;
    const Comm *comm;
    void *arrays[6]; /* that MPI reads until it has completed; owned */
} Live;

typedef struct {
    char *memory;
    size_t bytes;
} Buffer;

struct Walker {
    Replay *replay;
    Thread *thread;
    Live *live; /* the oldest first */
    int live_count, live_room;
    MPI_Request *places;
    int next_place;
    bool has_wrapped;
    MPI_Request *scratch, *saved, *copies;
    MPI_Status *statuses;
    int *indices;
    int scratch_room;
    Buffer sent, received;
    int64_t last;
    bool has_last;
    MPI_Message *messages;
    int message_count;
    Call *call;    /* the latest */
    bool polled;   /* it asked for something */
    bool found;    /* and found it */
    bool asks;     /* as long as it takes */
    bool is_over;  /* the recording ended in a call that has returned */
    int64_t place; /* of the call before; -1: none */
    double since;  /* when that ended */
    double speed;  /* rounds a second of a loop that does nothing */
    uint64_t left_out;
    char left_out_names[256];
};

static void die(const Replay *replay, const Node *node, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "replay: rank %d: %s:%u: %s\n", replay->rank, replay->path, node ? node->line : 0, text);
    fflush(stderr);
    PMPI_Abort(MPI_COMM_WORLD, WENT_WRONG);
    exit(WENT_WRONG);
}

static void *get_memory(const Replay *replay, size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        die(replay, NULL, "there is no memory for %zu bytes", count * size);
    return memory;
}

/* ---- reading: numbers, sets, values ---------------------------------------------------------- */

typedef struct {
    const char *text, *line, *at;
    unsigned number;
    int rank; /* -1: the text is only checked */
    int ranks, axes, mesh[MOST_AXES];
    int level;
    bool has_init, has_times;
    int nodes, values;
    Part *parts; /* of rows that are being read */
    size_t part_count, part_room;
    struct {
        Node **end;
        bool is_own;
    } levels[MOST_DEPTH + 2];
    int depth;
    bool after_call; /* the line before is a call, or a time of it */
    Node *call;      /* that call, if it is the own rank's */
    int64_t calls;   /* read so far of the thread */
    Thread *threads, **last_thread;
    Members *members;
    const char *problem;
} Reader;

static bool fail(Reader *reader, const char *problem)
{
    if (!reader->problem)
        reader->problem = problem;
    return false;
}

static bool take(Reader *reader, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(reader->at, text, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static bool expect(Reader *reader, const char *text, const char *problem)
{
    return take(reader, text) || fail(reader, problem);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '/' || c == '#' || c == '-';
}

static bool read_integer(Reader *reader, int64_t *value)
{
    char *end;
    if (!is_digit(reader->at[*reader->at == '+' || *reader->at == '-']))
        return fail(reader, "a number is missing here");
    errno = 0;
    *value = strtoll(reader->at, &end, 10);
    if (errno == ERANGE || *value >= (int64_t)1 << 60 || *value <= -((int64_t)1 << 60))
        return fail(reader, "this number is too large");
    reader->at = end;
    return true;
}

static bool read_between(Reader *reader, int64_t least, int64_t most, int64_t *value, const char *problem)
{
    const char *start = reader->at;
    if (!read_integer(reader, value))
        return false;
    if (*value >= least && *value <= most)
        return true;
    reader->at = start;
    return fail(reader, problem);
}

typedef struct {
    int levels;
    int64_t start, count[MOST_LEVELS], step[MOST_LEVELS];
} Block;

/* The last level is the outermost one. */
static bool has_rank(const Block *block, int level, int64_t rank)
{
    int64_t span = 0;
    if (level < 0)
        return rank == 0;
    for (int i = 0; i < level; i++)
        span += (block->count[i] - 1) * block->step[i];
    int64_t first = rank > span ? (rank - span + block->step[level] - 1) / block->step[level] : 0;
    for (int64_t i = first; i < block->count[level] && i * block->step[level] <= rank; i++)
        if (has_rank(block, level - 1, rank - i * block->step[level]))
            return true;
    return false;
}

static bool read_block(Reader *reader, Block *block)
{
    const char *problem = "this is no set of ranks", *none = "there are not so many ranks";
    int64_t last, ranks;
    memset(block, 0, sizeof *block);
    block->levels = 1;
    block->step[0] = 1;
    if (!is_digit(*reader->at))
        return fail(reader, problem);
    if (!read_between(reader, 0, reader->ranks - 1, &block->start, none))
        return false;
    last = block->start;
    if (take(reader, "-") && !read_between(reader, block->start, reader->ranks - 1, &last, none))
        return false;
    if (last > block->start && take(reader, "/") && !read_between(reader, 1, MOST_RANKS, &block->step[0], problem))
        return false;
    block->count[0] = (last - block->start) / block->step[0] + 1;
    ranks = block->count[0];
    for (last = block->start + (block->count[0] - 1) * block->step[0]; take(reader, "*"); block->levels++) {
        int64_t *count = &block->count[block->levels], *step = &block->step[block->levels];
        if (block->levels == MOST_LEVELS - 1 || !read_between(reader, 1, reader->ranks, count, none) ||
            !expect(reader, "/", problem) || !read_between(reader, 1, MOST_RANKS, step, problem))
            return fail(reader, problem);
        ranks *= *count;
        last += (*count - 1) * *step;
        if (ranks > reader->ranks || last >= reader->ranks)
            return fail(reader, none);
    }
    return true;
}

/* Whether the own rank is in it. */
static bool read_set(Reader *reader, bool *is_in)
{
    bool others = take(reader, "!"), found = false;
    do {
        Block block;
        if (!read_block(reader, &block))
            return false;
        found =
            found || (reader->rank >= block.start && has_rank(&block, block.levels - 1, reader->rank - block.start));
    } while (*reader->at == ',' && is_digit(reader->at[1]) && reader->at++);
    *is_in = reader->rank >= 0 && found != others;
    return true;
}

/* "x+1y-1": where it ends; NULL: it is none. */
static const char *end_of_steps(const char *at)
{
    static const char axes[] = "xyzt";
    const char *start = at, *next = axes, *axis;
    while (*at && (axis = strchr(next, *at)) && (at[1] == '+' || at[1] == '-') && is_digit(at[2])) {
        for (at += 2; is_digit(*at); at++)
            ;
        next = axis + 1;
    }
    return at == start ? NULL : at;
}

static bool read_text(Reader *reader, Value *value)
{
    const char *end = end_of_steps(reader->at);
    value->form = end ? BY_STEPS : WORD;
    if (!end && *reader->at == '<') {
        value->form = LIST;
        end = reader->at + strcspn(reader->at, ">\n");
        if (*end != '>')
            return fail(reader, "this row of numbers does not end");
        end++;
    }
    for (end = end ? end : reader->at; value->form == WORD && is_word(*end); end++)
        ;
    if (end == reader->at)
        return fail(reader, "a value is missing here");
    value->text = reader->at;
    value->length = (size_t)(end - reader->at);
    if (value->form == WORD && value->length == 4 && strncmp(value->text, "last", 4) == 0)
        value->form = LAST;
    reader->at = end;
    return true;
}

static bool read_value(Reader *reader, Value *value)
{
    *value = (Value){0};
    if (++reader->values > MOST_VALUES)
        return fail(reader, "there are too many values");
    if (take(reader, "="))
        value->form = BY_RANK;
    else if (*reader->at == '^' && is_digit(reader->at[1]) && reader->at++)
        value->form = BY_BITS;
    if (value->form != NUMBER || is_digit(reader->at[*reader->at == '+' || *reader->at == '-']))
        return read_integer(reader, &value->number);
    return read_text(reader, value);
}

/* ---- reading: rows and fields ---------------------------------------------------------------- */

static bool push_part(Reader *reader, Part part)
{
    if (reader->part_count == reader->part_room) {
        size_t room = 2 * reader->part_room + 64;
        Part *more = realloc(reader->parts, room * sizeof *more);
        if (!more)
            return fail(reader, "there is no memory for it");
        reader->parts = more;
        reader->part_room = room;
    }
    reader->parts[reader->part_count++] = part;
    return true;
}

/* The parts from `first` on as a row; *row is NULL if they are not kept. */
static bool make_row(Reader *reader, size_t first, bool keep, Row **row)
{
    size_t parts = reader->part_count - first;
    uint64_t length = 0;
    for (size_t i = first; i < reader->part_count; i++) {
        const Part *part = &reader->parts[i];
        uint64_t once = part->inner ? part->inner->length : 1;
        if (once > (uint64_t)INT64_MAX / part->count || once * part->count > (uint64_t)INT64_MAX - length)
            return fail(reader, "this row is too long");
        length += once * part->count;
    }
    *row = NULL;
    if (keep) {
        *row = malloc(sizeof **row + parts * sizeof(Part));
        if (!*row)
            return fail(reader, "there is no memory for it");
        (*row)->length = length;
        (*row)->parts = parts;
        memcpy((*row)->part, &reader->parts[first], parts * sizeof(Part));
    }
    reader->part_count = first;
    return true;
}

static bool read_parts(Reader *reader, const char *end, int depth, bool keep, Row **row);

static bool read_count(Reader *reader, uint64_t *count)
{
    int64_t value;
    if (!read_between(reader, 1, INT64_MAX, &value, "this count is less than 1"))
        return false;
    *count = (uint64_t)value;
    return true;
}

static bool read_progression(Reader *reader, Part *part)
{
    int64_t last, step = 1, span;
    if (part->first.form != NUMBER && part->first.form != BY_RANK && part->first.form != BY_BITS)
        return fail(reader, "only numbers go up in steps");
    if (!read_integer(reader, &last) || (take(reader, "/") && !read_integer(reader, &step)))
        return false;
    span = last - part->first.number;
    if (step == 0 || span % step != 0 || span / step < 1)
        return fail(reader, "these steps do not lead there");
    part->step = step;
    part->count = (uint64_t)(span / step) + 1;
    return true;
}

static bool read_part(Reader *reader, Part *part, int depth, bool keep)
{
    *part = (Part){.count = 1};
    if (take(reader, "(")) {
        return read_parts(reader, ")", depth + 1, keep, &part->inner) && expect(reader, "^", "'^' is missing here") &&
               read_count(reader, &part->count);
    }
    if (!read_value(reader, &part->first))
        return false;
    if (take(reader, ".."))
        return read_progression(reader, part);
    return !take(reader, "^") || read_count(reader, &part->count);
}

static bool read_parts(Reader *reader, const char *end, int depth, bool keep, Row **row)
{
    size_t first = reader->part_count;
    if (depth + 1 >= MOST_ROWS)
        return fail(reader, "there are too many rows within each other");
    do {
        Part part;
        if (!read_part(reader, &part, depth, keep) || !push_part(reader, part))
            return false;
    } while (take(reader, " "));
    return expect(reader, end, *end == ']' ? "']' is missing here" : "')' is missing here") &&
           make_row(reader, first, keep, row);
}

static bool read_row(Reader *reader, bool keep, Row **row)
{
    Part part = {.count = 1};
    size_t first = reader->part_count;
    if (take(reader, "["))
        return read_parts(reader, "]", 0, keep, row);
    return read_value(reader, &part.first) && push_part(reader, part) && make_row(reader, first, keep, row);
}

static bool read_pieces(Reader *reader, bool keep, Row **row)
{
    do {
        bool is_in;
        Row *piece;
        if (!read_set(reader, &is_in) || !expect(reader, ": ", "': ' is missing here") ||
            !read_row(reader, keep && is_in, &piece))
            return false;
        if (piece && *row)
            return fail(reader, "a rank has two values here");
        *row = piece ? piece : *row;
    } while (take(reader, "; "));
    return expect(reader, "}", "'}' is missing here");
}

static bool read_values(Reader *reader, bool keep, Row **row)
{
    *row = NULL;
    return take(reader, "{") ? read_pieces(reader, keep, row) : read_row(reader, keep, row);
}

static const Row *innermost(const Row *row)
{
    while (row->part[0].inner)
        row = row->part[0].inner;
    return row;
}

static const struct {
    const char *word;
    Kind kind;
} words[] = {{"to", TO},
             {"from", FROM},
             {"tag", TAG},
             {"root", ROOT},
             {"color", COLOR},
             {"requests", REQUESTS},
             {"window", WINDOW},
             {"at", AT},
             {"live", LIVE},
             {"counts", COUNTS},
             {"element", ELEMENT},
             {"elements", ELEMENTS},
             {"dimensions", DIMENSIONS},
             {"periods", PERIODS},
             {"kept", KEPT},
             {"neighbours", NEIGHBOURS},
             {"degrees", DEGREES},
             {"index", INDEX},
             {"edges", EDGES},
             {"group", GROUP},
             {"ranks", RANKS},
             {"key", KEY},
             {"displacement", DISPLACEMENT},
             {"unit", UNIT},
             {"size", SIZE},
             {"type", TYPE},
             {"assertion", ASSERTION},
             {"file", FILE_NUMBER},
             {"offset", OFFSET},
             {"whence", WHENCE},
             {"mode", MODE},
             {"code", CODE},
             {"level", LEVEL},
             {"rank", RANK},
             {"lock", UNUSED},
             {"condition", UNUSED},
             {"barrier", UNUSED},
             {"number", UNUSED},
             {"coordinates", UNUSED},
             {"partitions", UNUSED},
             {"partition", UNUSED},
             {"partition-list", UNUSED},
             {"ranges", UNUSED},
             {"other", OTHER_COUNT},
             {"got", GOT},
             {"got-tag", GOT_TAG},
             {"completed", COMPLETED},
             {"failed", FAILED},
             {"not-made", NOT_MADE},
             {"provided", PROVIDED},
             {"open", OPEN}};

static Kind read_word(Reader *reader)
{
    size_t length = 0;
    while (is_word(reader->at[length]))
        length++;
    for (size_t i = 0; reader->at[length] == ' ' && i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncmp(words[i].word, reader->at, length) == 0) {
            reader->at += length + 1;
            return words[i].kind;
        }
    return NO_FIELD;
}

static bool is_operation(const char *word, size_t length)
{
    static const char *const names[] = {"max", "min",  "sum",  "prod",   "land",   "band",    "lor",
                                        "bor", "lxor", "bxor", "minloc", "maxloc", "replace", "no_op"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
            return true;
    return strncmp(word, "own_operation", 13) == 0 || strncmp(word, "operation", 9) == 0;
}

static Cursor *cursor_of(const Row *row)
{
    Cursor *cursor = row && row->length > 1 ? calloc(1, sizeof *cursor) : NULL;
    if (cursor) {
        cursor->depth = 1;
        cursor->level[0].row = row;
    }
    return cursor;
}

/* Adds a field to the node, which is NULL if it is not the own rank's. */
static bool read_field(Reader *reader, Node *node, Kind kind, const Row **read)
{
    Row *row;
    if (!read_values(reader, node != NULL, &row))
        return false;
    if (read)
        *read = row;
    if (!node || !row)
        return true;
    if (node->fields == MOST_FIELDS)
        return fail(reader, "this call has too many arguments");
    node->field[node->fields++] = (Field){kind, row, cursor_of(row)};
    return true;
}

/* "world", "sum", "60 x 8 B". */
static bool read_bare_field(Reader *reader, Node *node)
{
    const char *start = reader->at;
    const Row *row = NULL;
    if (!read_field(reader, node, COUNT, &row))
        return false;
    if (take(reader, " x "))
        return read_field(reader, node, BYTES, NULL) && expect(reader, " B", "' B' is missing here");
    for (start += *start == '{'; *start && !is_letter(*start) && *start != '\n'; start++)
        ;
    if (row && innermost(row)->part[0].first.form != WORD)
        return fail(reader, "what this value is is not said");
    if (row)
        node->field[node->fields - 1].kind =
            is_operation(innermost(row)->part[0].first.text, innermost(row)->part[0].first.length) ? OPERATION : COMM;
    return true;
}

static bool read_argument(Reader *reader, Node *node)
{
    Kind kind = read_word(reader);
    if (kind == NO_FIELD)
        return read_bare_field(reader, node);
    if (kind >= GOT)
        return fail(reader, "this is no argument");
    if (!read_field(reader, node, kind, NULL))
        return false;
    return kind != OTHER_COUNT ||
           (expect(reader, " x ", "' x ' is missing here") && read_field(reader, node, OTHER_BYTES, NULL) &&
            expect(reader, " B", "' B' is missing here"));
}

/* ---- reading: calls -------------------------------------------------------------------------- */

static const Known *find_call(const char *name, size_t length);

static bool read_call(Reader *reader, Node *node)
{
    const char *name = reader->at;
    while (is_letter(*reader->at) || is_digit(*reader->at) || *reader->at == '_')
        reader->at++;
    size_t length = (size_t)(reader->at - name);
    if (length >= 8 && strncmp(name, "MPI_Init", 8) == 0 && (length == 8 || name[8] == '_'))
        reader->has_init = true;
    if (length == 15 && strncmp(name, "MPI_Init_thread", 15) == 0 && strncmp(reader->at, "(level ", 7) == 0)
        reader->level = is_digit(reader->at[7]) ? reader->at[7] - '0' : 0;
    if (node) {
        node->name = name;
        node->name_length = length;
        node->known = find_call(name, length);
    }
    if (take(reader, "(")) {
        do {
            if (!read_argument(reader, node))
                return false;
        } while (take(reader, ", "));
        if (!expect(reader, ")", "')' is missing here"))
            return false;
    }
    while (take(reader, "; ")) {
        Kind kind = read_word(reader);
        if (kind < GOT || kind > OPEN)
            return fail(reader, "here stands what a call found out");
        if (!read_field(reader, node, kind, NULL))
            return false;
    }
    return true;
}

static bool is_loop_here(const Reader *reader)
{
    return !is_letter(*reader->at);
}

static Node *new_node(Reader *reader, int depth)
{
    Node *node = calloc(1, sizeof *node);
    if (node)
        node->field = calloc(MOST_FIELDS, sizeof *node->field);
    if (!node || !node->field) {
        free(node);
        fail(reader, "there is no memory for it");
        return NULL;
    }
    node->line = reader->number;
    *reader->levels[depth].end = node;
    reader->levels[depth].end = &node->next;
    return node;
}

static bool shrink_fields(Node *node)
{
    Field *fields = node ? realloc(node->field, (size_t)(node->fields > 0 ? node->fields : 1) * sizeof *fields) : NULL;
    if (fields)
        node->field = fields;
    return true;
}

/* ---- reading: times -------------------------------------------------------------------------- */

/* "1.25ms", as nanoseconds. */
static bool read_time(Reader *reader, Value *value)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    double number = 0, place = 1;
    if (!is_digit(*reader->at))
        return fail(reader, "a time is missing here");
    while (is_digit(*reader->at))
        number = 10 * number + (*reader->at++ - '0');
    if (*reader->at == '.' && is_digit(reader->at[1]))
        for (reader->at++; is_digit(*reader->at); reader->at++)
            number += (*reader->at - '0') * (place /= 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!take(reader, units[i].name))
            continue;
        *value = (Value){.form = NUMBER, .number = (int64_t)(number * units[i].ns + 0.5)};
        return number * units[i].ns < 1e16 || fail(reader, "this time is too long");
    }
    return fail(reader, "a time is told in s, ms, us or ns");
}

/* "[1.1ms^50 1.4ms^50]", or that one time if there is no row. */
static bool read_times_by_visits(Reader *reader, Value mean, bool keep, Row **row)
{
    size_t first = reader->part_count;
    Part part = {.first = mean, .count = 1};
    if (!take(reader, " ["))
        return push_part(reader, part) && make_row(reader, first, keep, row);
    do {
        part = (Part){.count = 1};
        if (++reader->values > MOST_VALUES)
            return fail(reader, "there are too many values");
        if (!read_time(reader, &part.first) || (take(reader, "^") && !read_count(reader, &part.count)) ||
            !push_part(reader, part))
            return false;
    } while (take(reader, " "));
    return expect(reader, "]", "']' is missing here") && make_row(reader, first, keep, row);
}

static bool keep_time(Reader *reader, int64_t after, Row *row)
{
    Time *time = calloc(1, sizeof *time);
    if (!time)
        return fail(reader, "there is no memory for it");
    *time = (Time){.after = after, .ns = {NO_FIELD, row, cursor_of(row)}, .next = reader->call->times};
    reader->call->times = time;
    return true;
}

/* "after -1: 400 x 1.25ms (1.1ms to 2.3ms) [1.1ms^50 1.4ms^50]" */
static bool read_times(Reader *reader)
{
    bool is_in = true;
    int64_t after = AFTER_START;
    uint64_t count;
    Value mean, least, most;
    Row *row = NULL;
    if (take(reader, "on ") && (!read_set(reader, &is_in) || !expect(reader, ": ", "': ' is missing here")))
        return false;
    if (!expect(reader, "after ", "'after ' is missing here") ||
        (!take(reader, "start") &&
         !read_between(reader, -MOST_NODES, MOST_NODES, &after, "there are not so many calls")) ||
        !expect(reader, ": ", "': ' is missing here") || !read_count(reader, &count) ||
        !expect(reader, " x ", "' x ' is missing here") || !read_time(reader, &mean))
        return false;
    if (take(reader, " (") && (!read_time(reader, &least) || !expect(reader, " to ", "' to ' is missing here") ||
                               !read_time(reader, &most) || !expect(reader, ")", "')' is missing here")))
        return false;
    reader->has_times = true;
    is_in = is_in && reader->call;
    return read_times_by_visits(reader, mean, is_in, &row) && (!is_in || keep_time(reader, after, row));
}

/* ---- reading: lines -------------------------------------------------------------------------- */

static bool read_node(Reader *reader, int depth)
{
    bool is_own = reader->levels[depth].is_own;
    reader->after_call = false;
    if (++reader->nodes > MOST_NODES)
        return fail(reader, "there are too many lines");
    if (take(reader, "on ")) {
        bool is_in;
        if (!read_set(reader, &is_in) || !expect(reader, ": ", "': ' is missing here"))
            return false;
        is_own = is_own && is_in;
    }
    Node *node = is_own ? new_node(reader, depth) : NULL;
    reader->depth = depth;
    if (is_own && !node)
        return false;
    if (!is_loop_here(reader)) {
        reader->after_call = true;
        reader->call = node;
        if (node)
            node->place = reader->calls;
        reader->calls++;
        return read_call(reader, node) && shrink_fields(node);
    }
    if (!read_field(reader, node, TIMES, NULL) || !expect(reader, " times", "' times' is missing here"))
        return false;
    reader->depth = depth + 1;
    reader->levels[depth + 1].is_own = is_own;
    if (node) {
        node->is_loop = true;
        reader->levels[depth + 1].end = &node->child;
    }
    return shrink_fields(node);
}

static bool begin_thread(Reader *reader, int64_t number)
{
    Thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return fail(reader, "there is no memory for it");
    thread->number = (int)number;
    *reader->last_thread = thread;
    reader->last_thread = &thread->next;
    reader->depth = 0;
    reader->after_call = false;
    reader->calls = 0;
    reader->levels[0].end = &thread->first;
    reader->levels[0].is_own = reader->rank >= 0;
    return true;
}

/* A group, which is kept if the own rank is in it. */
static bool read_members(Reader *reader, Members *members)
{
    const char *start = reader->at;
    int64_t count = 0;
    bool is_in = false;
    for (int pass = 0; pass < 2; pass++) {
        reader->at = start;
        int k = 0;
        do {
            int64_t first, last;
            if (!read_between(reader, -1, reader->ranks - 1, &first, "there are not so many ranks"))
                return false;
            last = first;
            if (take(reader, "-") &&
                !read_between(reader, first, reader->ranks - 1, &last, "there are not so many ranks"))
                return false;
            count += pass == 0 ? last - first + 1 : 0;
            is_in = is_in || (reader->rank >= first && reader->rank <= last);
            for (int64_t rank = first; pass == 1 && rank <= last; rank++)
                members->ranks[k++] = (int)rank;
            if (count > reader->ranks)
                return fail(reader, "a group has each rank once");
        } while (take(reader, ","));
        if (!is_in || !members || members->ranks)
            return true;
        members->ranks = malloc((size_t)count * sizeof *members->ranks);
        if (!members->ranks)
            return fail(reader, "there is no memory for it");
        members->count = (int)count;
    }
    return true;
}

static bool read_communicator(Reader *reader)
{
    Members *members = calloc(1, sizeof *members);
    if (!members)
        return fail(reader, "there is no memory for it");
    members->name = reader->at;
    while (is_word(*reader->at))
        reader->at++;
    members->length = (size_t)(reader->at - members->name);
    members->next = reader->members;
    reader->members = members;
    while (*reader->at == ' ' && reader->at[1] != ' ' && reader->at[1] != '#' && reader->at++)
        if (!read_members(reader, members))
            return false;
    return true;
}

static bool read_mesh(Reader *reader)
{
    int64_t places = 1, size;
    do {
        if (reader->axes == MOST_AXES)
            return fail(reader, "a mesh has four axes at most");
        if (!read_between(reader, 1, MOST_RANKS, &size, "this is no size of a mesh"))
            return false;
        reader->mesh[reader->axes++] = (int)size;
        places *= size;
        if (places > MOST_RANKS)
            return fail(reader, "this mesh is too large");
    } while (take(reader, "x"));
    return true;
}

static bool read_body_line(Reader *reader)
{
    int blanks = 0;
    int64_t number;
    if (take(reader, "mesh "))
        return read_mesh(reader);
    if (take(reader, "comm "))
        return read_communicator(reader);
    if (take(reader, "thread "))
        return read_between(reader, 0, INT_MAX, &number, "there is no such thread") && begin_thread(reader, number);
    while (reader->at[blanks] == ' ')
        blanks++;
    reader->at += blanks;
    if (!reader->threads && !begin_thread(reader, 0))
        return false;
    if (reader->after_call && blanks == 2 * (reader->depth + 1))
        return read_times(reader);
    if (blanks % 2 != 0 || blanks / 2 > reader->depth)
        return fail(reader, "this line is too far to the right: two blanks for each loop that it is in");
    if (blanks / 2 >= MOST_DEPTH)
        return fail(reader, "there are too many loops within each other");
    return read_node(reader, blanks / 2);
}

static bool is_at_end(const char *at)
{
    while (*at == ' ')
        at++;
    return *at == '\n' || *at == '#' || *at == '\0' || (*at == '\r' && at[1] == '\n');
}

static bool read_ranks(Reader *reader)
{
    int64_t ranks;
    if (!expect(reader, "ranks ", "'ranks ' is missing here") ||
        !read_between(reader, 1, MOST_RANKS, &ranks, "there cannot be so many ranks"))
        return false;
    reader->ranks = (int)ranks;
    return true;
}

static bool read_line(Reader *reader, int *known)
{
    if (is_at_end(reader->at))
        return true;
    bool good = *known == 0   ? expect(reader, "difftrace skeleton 1",
                                       "this is no skeleton, which begins with 'difftrace skeleton 1'")
                : *known == 1 ? read_ranks(reader)
                              : read_body_line(reader);
    *known += *known < 3;
    return good && (is_at_end(reader->at) || fail(reader, "this is more than belongs here"));
}

/* FALSE: the problem stands at line `number`, column at - line + 1. */
static bool read_skeleton(Reader *reader, const char *text, int rank)
{
    int known = 0;
    *reader = (Reader){.text = text, .rank = rank, .level = -1};
    reader->last_thread = &reader->threads;
    for (reader->line = text; *reader->line && !reader->problem;) {
        reader->at = reader->line;
        reader->number++;
        if (!read_line(reader, &known))
            break;
        const char *end = strchr(reader->line, '\n');
        reader->line = end ? end + 1 : reader->line + strlen(reader->line);
    }
    if (!reader->problem && known < 3) {
        reader->at = reader->line;
        fail(reader, "the file ends before the first call");
    }
    free(reader->parts);
    reader->parts = NULL;
    return !reader->problem;
}

/* ---- values at a visit ----------------------------------------------------------------------- */

static Value value_of_part(const Part *part, uint64_t done)
{
    Value value = part->first;
    value.number += part->step * (int64_t)done;
    return value;
}

static Value last_value(const Row *row)
{
    const Part *part = &row->part[row->parts - 1];
    return part->inner ? last_value(part->inner) : value_of_part(part, part->count - 1);
}

/* Behind the last value that one again. */
static Value next_value(const Field *field)
{
    Cursor *cursor = field->cursor;
    while (cursor && cursor->depth > 0) {
        int top = cursor->depth - 1;
        const Row *row = cursor->level[top].row;
        if (cursor->level[top].part == row->parts) {
            cursor->depth--;
            continue;
        }
        const Part *part = &row->part[cursor->level[top].part];
        uint64_t done = cursor->level[top].done++;
        if (done == part->count) {
            cursor->level[top].part++;
            cursor->level[top].done = 0;
        } else if (part->inner) {
            cursor->level[cursor->depth].row = part->inner;
            cursor->level[cursor->depth].part = 0;
            cursor->level[cursor->depth].done = 0;
            cursor->depth++;
        } else {
            return value_of_part(part, done);
        }
    }
    return last_value(field->row);
}

/* The `which`th of a kind, from 0; NULL: there is none. */
static const Value *find(const Call *call, Kind kind, int which)
{
    for (int i = 0; i < call->node->fields; i++)
        if (call->node->field[i].kind == kind && which-- == 0)
            return &call->value[i];
    return NULL;
}

static bool says(const Value *value, const char *word)
{
    return value && value->form == WORD && strlen(word) == value->length &&
           strncmp(value->text, word, value->length) == 0;
}

static int64_t number_of(const Call *call, Kind kind, int which, int64_t otherwise)
{
    const Value *value = find(call, kind, which);
    return value && value->form == NUMBER ? value->number : otherwise;
}

static int int_of(const Replay *replay, const Call *call, int64_t number)
{
    if (number > INT_MAX || number < INT_MIN)
        die(replay, call->node, "%lld is too large for a count of this MPI's", (long long)number);
    return (int)number;
}

/* Goes through "<0 2-4 5^3>"; NULL behind the last one. */
static const char *next_numbers(const char *at, int64_t *first, int64_t *last, int64_t *times)
{
    char *end;
    while (*at == '<' || *at == ' ')
        at++;
    if (!is_digit(*at) && *at != '-' && *at != '+')
        return NULL;
    *first = *last = strtoll(at, &end, 10);
    *times = 1;
    if (end == at)
        return NULL;
    if (*end == '-' && is_digit(end[1]))
        *last = strtoll(end + 1, &end, 10);
    if (*end == '^')
        *times = strtoll(end + 1, &end, 10);
    return end;
}

/* The numbers of a list, or the one number that the value is; at most `most`. */
static int list_of(const Replay *replay, const Call *call, const Value *value, int **numbers)
{
    enum { MOST = 1 << 24 };
    int64_t first, last, times, count = 0;
    *numbers = NULL;
    if (!value || value->form == WORD)
        return 0;
    if (value->form == NUMBER) {
        *numbers = get_memory(replay, 1, sizeof **numbers);
        **numbers = int_of(replay, call, value->number);
        return 1;
    }
    for (int pass = 0; pass < 2; pass++) {
        int64_t k = 0;
        for (const char *at = value->text; (at = next_numbers(at, &first, &last, &times));) {
            if (last < first || times < 1 || last - first >= MOST || times > MOST)
                die(replay, call->node, "a row of numbers is wrong");
            k += pass == 0 ? (last - first + 1) * times : 0;
            if (k > MOST)
                die(replay, call->node, "a row of numbers is too long");
            for (int64_t time = 0; pass == 1 && time < times; time++)
                for (int64_t number = first; number <= last; number++)
                    (*numbers)[k++] = int_of(replay, call, number);
        }
        if (pass == 0) {
            count = k;
            *numbers = get_memory(replay, (size_t)count, sizeof **numbers);
        }
    }
    return (int)count;
}

/* ---- communicators, ranks, types, operations ------------------------------------------------- */

static Comm *add_comm(Replay *replay, const char *name)
{
    Comm *comm = get_memory(replay, 1, sizeof *comm);
    comm->name = strdup(name);
    comm->handle = MPI_COMM_NULL;
    comm->next = replay->comms;
    replay->comms = comm;
    return comm;
}

static void ask_comm(Comm *comm)
{
    int is_inter = 0;
    if (comm->is_known || comm->handle == MPI_COMM_NULL)
        return;
    PMPI_Comm_rank(comm->handle, &comm->rank);
    PMPI_Comm_size(comm->handle, &comm->size);
    PMPI_Comm_test_inter(comm->handle, &is_inter);
    comm->is_inter = is_inter;
    comm->peers = comm->size;
    if (is_inter)
        PMPI_Comm_remote_size(comm->handle, &comm->peers);
    comm->is_known = true;
}

static Comm *find_comm(Replay *replay, const char *name, size_t length)
{
    Comm *comm;
    pthread_mutex_lock(&replay->lock);
    for (comm = replay->comms; comm; comm = comm->next)
        if (strncmp(comm->name, name, length) == 0 && !comm->name[length])
            break;
    pthread_mutex_unlock(&replay->lock);
    return comm;
}

static Comm *comm_of(const Walker *walker, const Call *call)
{
    const Value *name = find(call, COMM, 0);
    Comm *comm = name && name->form == WORD ? find_comm(walker->replay, name->text, name->length) : NULL;
    if (!comm)
        die(walker->replay, call->node, "no call before this one made its communicator");
    ask_comm(comm);
    return comm;
}

static int wrap(int64_t rank, int64_t ranks)
{
    rank = ranks > 0 ? rank % ranks : 0;
    return (int)(rank < 0 ? rank + ranks : rank);
}

static int rank_by_steps(const Replay *replay, const Value *value, int own, int ranks)
{
    int64_t place[MOST_AXES], rest = own, rank = 0, places = 1;
    for (int i = 0; i < replay->axes; i++)
        places *= replay->mesh[i];
    if (replay->axes == 0 || own >= places)
        return own;
    for (int i = replay->axes; i-- > 0; rest /= replay->mesh[i])
        place[i] = rest % replay->mesh[i];
    for (const char *at = value->text; at < value->text + value->length;) {
        int axis = (int)(strchr("xyzt", *at) - "xyzt");
        char *end;
        int64_t steps = strtoll(at + 1, &end, 10);
        if (axis < replay->axes)
            place[axis] = wrap(place[axis] + steps % replay->mesh[axis], replay->mesh[axis]);
        at = end;
    }
    for (int i = 0; i < replay->axes; i++)
        rank = rank * replay->mesh[i] + place[i];
    return rank < ranks ? (int)rank : own;
}

/* The rank that a value tells, in a group of so many, from the own one. */
static int peer_of(const Walker *walker, const Value *value, int own, int ranks)
{
    int peer;
    switch (value ? value->form : WORD) {
    case NUMBER:
        return wrap(own + value->number % ranks, ranks);
    case BY_RANK:
        return wrap(value->number, ranks);
    case BY_BITS:
        peer = (int)(own ^ (value->number & (MOST_RANKS - 1)));
        return peer < ranks ? peer : own;
    case BY_STEPS:
        return rank_by_steps(walker->replay, value, own, ranks);
    case LAST:
        return walker->has_last ? wrap(own + walker->last, ranks) : MPI_PROC_NULL;
    default:
        break;
    }
    if (says(value, "any"))
        return MPI_ANY_SOURCE;
    return says(value, "null") || !value ? MPI_PROC_NULL : INT_MAX; /* one that there is not, as it was */
}

static int tag_of(const Walker *walker, const Call *call, int which)
{
    const Value *tag = find(call, TAG, which);
    return says(tag, "any") || !tag ? MPI_ANY_TAG : int_of(walker->replay, call, tag->number);
}

static int root_of(const Walker *walker, const Call *call)
{
    const Value *root = find(call, ROOT, 0);
    if (says(root, "MPI_ROOT"))
        return MPI_ROOT;
    return says(root, "null") || !root ? MPI_PROC_NULL : int_of(walker->replay, call, root->number);
}

static MPI_Datatype type_of_bytes(Replay *replay, const Node *node, int64_t bytes)
{
    MPI_Datatype type = MPI_BYTE;
    if (bytes == 1 || bytes == 4 || bytes == 8)
        return bytes == 1 ? MPI_BYTE : bytes == 4 ? MPI_INT : MPI_DOUBLE;
    if (bytes < 0 || bytes > INT_MAX)
        die(replay, node, "there is no datatype of %lld bytes", (long long)bytes);
    pthread_mutex_lock(&replay->lock);
    int at = 0;
    while (at < replay->type_count && replay->types[at].bytes != bytes)
        at++;
    if (at == replay->type_count) {
        SizedType *types = realloc(replay->types, (size_t)(at + 1) * sizeof *types);
        if (!types)
            die(replay, node, "there is no memory for a datatype");
        replay->types = types;
        PMPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
        PMPI_Type_commit(&type);
        replay->types[replay->type_count++] = (SizedType){bytes, type};
    }
    type = replay->types[at].type;
    pthread_mutex_unlock(&replay->lock);
    return type;
}

static void do_nothing(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)length;
    (void)type;
}

static MPI_Op own_operation(Replay *replay, const Value *name)
{
    MPI_Op op;
    pthread_mutex_lock(&replay->lock);
    for (int i = 0; i < replay->operation_count; i++) {
        const OwnOperation *own = &replay->operations[i];
        if (own->length == name->length && strncmp(own->name, name->text, name->length) == 0) {
            pthread_mutex_unlock(&replay->lock);
            return own->op;
        }
    }
    OwnOperation *operations = realloc(replay->operations, (size_t)(replay->operation_count + 1) * sizeof *operations);
    if (!operations)
        die(replay, NULL, "there is no memory for an operation");
    PMPI_Op_create(do_nothing, 1, &op);
    replay->operations = operations;
    operations[replay->operation_count++] = (OwnOperation){name->text, name->length, op};
    pthread_mutex_unlock(&replay->lock);
    return op;
}

typedef enum { OF_ANY, OF_INTEGERS, OF_PAIRS } Operands;

/* A datatype of that size which the operation takes; MPI_DATATYPE_NULL: there is none. */
static MPI_Datatype operand(int64_t bytes, Operands operands)
{
    if (operands == OF_PAIRS)
        return bytes == 8    ? MPI_2INT
               : bytes == 12 ? MPI_DOUBLE_INT
               : bytes == 6  ? MPI_SHORT_INT
               : bytes == 20 ? MPI_LONG_DOUBLE_INT
                             : MPI_DATATYPE_NULL;
    if (bytes == 1 || bytes == 2)
        return bytes == 1 ? MPI_SIGNED_CHAR : MPI_SHORT;
    if (bytes == 4)
        return MPI_INT;
    if (bytes == 8)
        return operands == OF_INTEGERS ? MPI_LONG_LONG : MPI_DOUBLE;
    return bytes == 16 && operands == OF_ANY ? MPI_LONG_DOUBLE : MPI_DATATYPE_NULL;
}

/* The operation, and the datatype if it is to be another one for it. */
static MPI_Op operation_of(Replay *replay, const Call *call, int64_t bytes, MPI_Datatype *type)
{
    const Value *name = find(call, OPERATION, 0);
    const struct {
        const char *name;
        MPI_Op op;
        Operands operands;
    } known[] = {{"max", MPI_MAX, OF_ANY},         {"min", MPI_MIN, OF_ANY},         {"sum", MPI_SUM, OF_ANY},
                 {"prod", MPI_PROD, OF_ANY},       {"land", MPI_LAND, OF_INTEGERS},  {"band", MPI_BAND, OF_INTEGERS},
                 {"lor", MPI_LOR, OF_INTEGERS},    {"bor", MPI_BOR, OF_INTEGERS},    {"lxor", MPI_LXOR, OF_INTEGERS},
                 {"bxor", MPI_BXOR, OF_INTEGERS},  {"minloc", MPI_MINLOC, OF_PAIRS}, {"maxloc", MPI_MAXLOC, OF_PAIRS},
                 {"replace", MPI_REPLACE, OF_ANY}, {"no_op", MPI_NO_OP, OF_ANY}};
    if (!name)
        return MPI_OP_NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (says(name, known[i].name)) {
            bool moves = known[i].op == MPI_REPLACE || known[i].op == MPI_NO_OP;
            MPI_Datatype taken = operand(bytes, known[i].operands);
            if (taken == MPI_DATATYPE_NULL && !moves)
                return own_operation(replay, name);
            if (taken != MPI_DATATYPE_NULL)
                *type = taken;
            return known[i].op;
        }
    return own_operation(replay, name);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Memory that stays where it is, as requests may still use it. */
static void *room(const Walker *walker, const Node *node, Buffer *buffer, int64_t count, int64_t bytes)
{
    const int64_t most = (int64_t)1 << 42;
    if (count <= 0 || bytes <= 0)
        count = bytes = 1;
    if (count > most / bytes)
        die(walker->replay, node, "%lld x %lld bytes are too many", (long long)count, (long long)bytes);
    size_t wanted = (size_t)(count * bytes);
    if (wanted > buffer->bytes) {
        size_t larger = wanted > 2 * buffer->bytes ? wanted : 2 * buffer->bytes;
        buffer->memory = calloc(larger, 1);
        if (!buffer->memory)
            die(walker->replay, node, "there is no memory for %zu bytes", larger);
        buffer->bytes = larger;
    }
    return buffer->memory;
}

static int64_t scale(const Replay *replay, int64_t count)
{
    if (count <= 0 || replay->percent == 100)
        return count;
    int64_t scaled = count > INT64_MAX / 100000 ? count : count * replay->percent / 100;
    return scaled > 0 ? scaled : 1;
}

/* Count and datatype of a call's data. */
typedef struct {
    bool is_there, is_in_place;
    int count;
    int64_t bytes; /* of the datatype */
    MPI_Datatype type;
} Data;

static Data data_of(Walker *walker, const Call *call, Kind kind, int which)
{
    const Value *count = find(call, kind, which), *bytes = find(call, kind + 1, which);
    Data data = {.type = MPI_BYTE};
    if (!count || !bytes)
        return data;
    data.is_there = true;
    data.is_in_place = says(count, "in_place");
    data.bytes = bytes->number;
    data.count = int_of(walker->replay, call, count->form == NUMBER ? scale(walker->replay, count->number) : 0);
    data.type = type_of_bytes(walker->replay, call->node, data.bytes);
    return data;
}

/* Counts of members, with places behind each other. */
typedef struct {
    bool is_in_place;
    int *count, *place;
    int64_t sum, bytes;
    MPI_Datatype type, *types;
} Counts;

static Counts counts_of(Walker *walker, const Call *call, int which, int members)
{
    const Value *value = find(call, COUNTS, which);
    Counts counts = {.is_in_place = says(value, "in_place"), .bytes = number_of(call, ELEMENT, which, 1)};
    int known = list_of(walker->replay, call, value, &counts.count);
    if (known < members) {
        int *more = get_memory(walker->replay, (size_t)members, sizeof *more);
        if (known > 0)
            memcpy(more, counts.count, (size_t)known * sizeof *more);
        free(counts.count);
        counts.count = more;
    }
    counts.place = get_memory(walker->replay, (size_t)members, sizeof *counts.place);
    for (int i = 0; i < members; i++) {
        counts.count[i] = (int)scale(walker->replay, counts.count[i]);
        counts.place[i] = int_of(walker->replay, call, counts.sum);
        counts.sum += counts.count[i] > 0 ? counts.count[i] : 0;
    }
    counts.type = type_of_bytes(walker->replay, call->node, counts.bytes);
    return counts;
}

/* Places in bytes, and a datatype for each member, as MPI_Alltoallw wants them. */
static void use_elements(Walker *walker, const Call *call, int which, Counts *counts, int members)
{
    int *elements, known = list_of(walker->replay, call, find(call, ELEMENTS, which), &elements);
    int64_t sum = 0;
    counts->types = get_memory(walker->replay, (size_t)members, sizeof *counts->types);
    for (int i = 0; i < members; i++) {
        int64_t bytes = i < known ? elements[i] : 1;
        counts->types[i] = type_of_bytes(walker->replay, call->node, bytes);
        counts->place[i] = int_of(walker->replay, call, sum);
        sum += bytes * (counts->count[i] > 0 ? counts->count[i] : 0);
    }
    counts->sum = sum;
    counts->bytes = 1;
    free(elements);
}

static void *sent(Walker *walker, const Call *call, int64_t count, int64_t bytes)
{
    return room(walker, call->node, &walker->sent, count, bytes);
}

static void *received(Walker *walker, const Call *call, int64_t count, int64_t bytes)
{
    return room(walker, call->node, &walker->received, count, bytes);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Where the next request will stand: behind all others, as far as that goes. */
static MPI_Request *next_place(Walker *walker, const Call *call)
{
    bool is_full = walker->next_place == MOST_REQUESTS;
    if (walker->live_count == 0 || is_full)
        walker->next_place = 0;
    walker->has_wrapped = walker->live_count > 0 && (walker->has_wrapped || is_full);
    MPI_Request *place = &walker->places[walker->next_place];
    for (int i = 0; walker->has_wrapped && i < walker->live_count; i++)
        if (walker->live[i].place == place)
            die(walker->replay, call->node, "there are too many requests");
    *place = MPI_REQUEST_NULL;
    return place;
}

static void reserve_scratch(Walker *walker, int count)
{
    if (count < walker->scratch_room)
        return;
    int more = 2 * count + 64;
    free(walker->scratch);
    free(walker->saved);
    free(walker->copies);
    free(walker->statuses);
    free(walker->indices);
    walker->scratch = get_memory(walker->replay, (size_t)more, sizeof *walker->scratch);
    walker->saved = get_memory(walker->replay, (size_t)more, sizeof *walker->saved);
    walker->copies = get_memory(walker->replay, (size_t)more, sizeof *walker->copies);
    walker->statuses = get_memory(walker->replay, (size_t)more, sizeof *walker->statuses);
    walker->indices = get_memory(walker->replay, (size_t)more, sizeof *walker->indices);
    walker->scratch_room = more;
}

/* The request that the call wrote to next_place() is the youngest of the live ones, unless the call failed. */
static int made(Walker *walker, const Call *call, const Comm *comm, bool is_persistent, int code)
{
    MPI_Request *place = &walker->places[walker->next_place];
    if (code != MPI_SUCCESS || find(call, FAILED, 0) || find(call, NOT_MADE, 0))
        return code;
    if (walker->live_count == walker->live_room) {
        int larger = 2 * walker->live_room + 64;
        Live *more = realloc(walker->live, (size_t)larger * sizeof *more);
        if (!more)
            die(walker->replay, call->node, "there is no memory for requests");
        walker->live = more;
        walker->live_room = larger;
    }
    Live *live = &walker->live[walker->live_count];
    *live = (Live){
        .place = place, .is_persistent = is_persistent, .comm = comm, .is_wild = says(find(call, FROM, 0), "any")};
    for (int i = 0; i < walker->live_count; i++)
        if (*walker->live[i].place == *place)
            walker->live[i].is_pinned = live->is_pinned = true;
    walker->live_count++;
    walker->next_place++;
    return code;
}

static int made_with(Walker *walker, const Call *call, const Comm *comm, bool is_persistent, int code, Counts *one,
                     Counts *other)
{
    int live = walker->live_count;
    made(walker, call, comm, is_persistent, code);
    if (walker->live_count > live) {
        void *arrays[6] = {one->count,
                           one->place,
                           one->types,
                           other ? other->count : NULL,
                           other ? other->place : NULL,
                           other ? other->types : NULL};
        memcpy(walker->live[live].arrays, arrays, sizeof arrays);
    }
    return code;
}

/* Positions among the live requests. */
static int positions_of(Walker *walker, const Call *call, const Value *value, int **positions)
{
    int count = walker->live_count, kept = 0;
    if (says(value, "all")) {
        *positions = get_memory(walker->replay, (size_t)count, sizeof **positions);
        for (int i = 0; i < count; i++)
            (*positions)[i] = i;
        return count;
    }
    count = list_of(walker->replay, call, value, positions);
    for (int i = 0; i < count; i++) /* not those of other threads */
        if ((*positions)[i] >= 0 && (*positions)[i] < walker->live_count)
            (*positions)[kept++] = (*positions)[i];
    return kept;
}

/* The requests that a call names, in an array for it. */
typedef struct {
    int count, *position; /* among the live ones */
    int *at;              /* of each, in the array */
    bool *is_done;        /* of each: the recording says that it completed */
    bool *came;           /* of each: it completed here */
    int *order;           /* those that are done, as they stood in the program's array */
    int done;
    int total; /* of the array */
    MPI_Request *array;
    bool is_in_places;
} Named;

static void name_requests(Walker *walker, const Call *call, int least, Named *named)
{
    const Value *completed = find(call, COMPLETED, 0);
    int *done, done_count = 0;
    *named = (Named){0};
    named->count = positions_of(walker, call, find(call, LIVE, 0), &named->position);
    named->at = get_memory(walker->replay, (size_t)named->count, sizeof *named->at);
    named->is_done = get_memory(walker->replay, (size_t)named->count, sizeof *named->is_done);
    named->came = get_memory(walker->replay, (size_t)named->count, sizeof *named->came);
    named->order = get_memory(walker->replay, (size_t)named->count, sizeof *named->order);
    if (says(completed, "all")) {
        for (int k = 0; k < named->count; k++) {
            named->is_done[k] = true;
            named->order[named->done++] = k;
        }
    } else if (completed) {
        done_count = positions_of(walker, call, completed, &done);
        for (int i = 0; i < done_count; i++)
            for (int k = 0; k < named->count; k++)
                if (named->position[k] == done[i] && !named->is_done[k]) {
                    named->is_done[k] = true;
                    named->order[named->done++] = k;
                }
        free(done);
    }
    int64_t total = number_of(call, REQUESTS, 0, named->count);
    if (total > MOST_REQUESTS / 2)
        die(walker->replay, call->node, "there cannot be so many requests");
    named->total = total > named->count ? (int)total : named->count;
    named->total = named->total > least ? named->total : least;
    reserve_scratch(walker, named->total);
}

static void forget_named(Named *named)
{
    free(named->position);
    free(named->at);
    free(named->is_done);
    free(named->came);
    free(named->order);
}

static Live *live_of(const Walker *walker, const Named *named, int k)
{
    return &walker->live[named->position[k]];
}

/* They stand behind each other in the order of their making, and `first` ones are first. */
static bool are_in_line(const Walker *walker, const Named *named, bool done_first)
{
    for (int k = 0; k < named->count; k++)
        if (live_of(walker, named, k)->place != live_of(walker, named, 0)->place + k ||
            (done_first && k < named->done && named->order[k] != k))
            return false;
    return named->count > 0;
}

/* Where the array begins so that requests which must stay are in it; -1: none must. */
static int find_window(const Walker *walker, Named *named, bool done_first)
{
    int first = -1, last = -1, before = 0;
    for (int k = 0; k < named->count; k++) {
        int place = (int)(live_of(walker, named, k)->place - walker->places);
        if (live_of(walker, named, k)->is_pinned) {
            first = first < 0 || place < first ? place : first;
            last = place > last ? place : last;
        } else if (done_first && named->is_done[k]) {
            before++;
        }
    }
    if (first < 0)
        return -1;
    first = first > before ? first - before : 0;
    if (last - first + 1 > named->total)
        named->total = last - first + 1;
    if (first + named->total > MOST_REQUESTS)
        return -1;
    return first;
}

static void put_at(const Walker *walker, Named *named, int k, int at)
{
    named->at[k] = at;
    named->array[at] = walker->copies[k];
    walker->indices[at] = 1;
}

/* To the next place in the array that is free. */
static void put_next(const Walker *walker, Named *named, int k, int *next)
{
    if (named->at[k] >= 0)
        return;
    while (walker->indices[*next])
        ++*next;
    put_at(walker, named, k, *next);
}

/* Makes the array: the requests where they are if they stand in line, else with those in their places that must stay
 * there. What stood there otherwise is put back by put_back(). */
static void line_up(Walker *walker, Named *named, bool done_first)
{
    int window, next = 0;
    bool in_line = are_in_line(walker, named, done_first);
    window =
        in_line ? (int)(live_of(walker, named, 0)->place - walker->places) : find_window(walker, named, done_first);
    reserve_scratch(walker, named->total);
    named->is_in_places = window >= 0 && window + named->total <= MOST_REQUESTS;
    named->array = named->is_in_places ? &walker->places[window] : walker->scratch;
    for (int k = 0; k < named->count; k++)
        walker->copies[k] = *live_of(walker, named, k)->place;
    for (int i = 0; i < named->total; i++) {
        walker->saved[i] = named->array[i];
        named->array[i] = MPI_REQUEST_NULL;
        walker->indices[i] = 0;
    }
    for (int k = 0; k < named->count; k++)
        named->at[k] = -1;
    for (int k = 0; named->is_in_places && k < named->count; k++)
        if (in_line || live_of(walker, named, k)->is_pinned)
            put_at(walker, named, k, (int)(live_of(walker, named, k)->place - named->array));
    for (int i = 0; done_first && i < named->done; i++)
        put_next(walker, named, named->order[i], &next);
    for (int k = 0; k < named->count; k++)
        put_next(walker, named, k, &next);
}

static void put_back(Walker *walker, const Named *named)
{
    for (int k = 0; k < named->count; k++)
        walker->copies[k] = named->array[named->at[k]];
    for (int i = 0; named->is_in_places && i < named->total; i++)
        named->array[i] = walker->saved[i];
    for (int k = 0; k < named->count; k++)
        *live_of(walker, named, k)->place = walker->copies[k];
}

/* Takes requests off the list; persistent ones only if they were freed. */
static void take_off(Walker *walker, const Named *named, bool all, bool freed)
{
    int kept = 0, k = 0;
    for (int i = 0; i < walker->live_count; i++) {
        while (k < named->count && named->position[k] < i)
            k++;
        bool is_named = k < named->count && named->position[k] == i && (all || named->is_done[k]);
        Live *live = &walker->live[i];
        if (is_named && (freed || !live->is_persistent)) {
            for (size_t a = 0; !freed && a < sizeof live->arrays / sizeof *live->arrays; a++)
                free(live->arrays[a]);
            continue;
        }
        walker->live[kept++] = *live;
    }
    walker->live_count = kept;
}

/* With wildcards kept, `last` is who it really was. */
static void note_source(Walker *walker, const Comm *comm, const MPI_Status *status)
{
    if (!walker->replay->wildcards || !comm || status->MPI_SOURCE < 0)
        return;
    walker->last = comm->is_inter ? status->MPI_SOURCE : status->MPI_SOURCE - comm->rank;
    walker->has_last = true;
}

/* What has completed, by places in the array; NULL: all. */
static void note_completed(Walker *walker, const Named *named, const int *indices, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < named->count; k++) {
            if (named->at[k] != (indices ? indices[i] : i))
                continue;
            named->came[k] = true;
            if (live_of(walker, named, k)->is_wild)
                note_source(walker, live_of(walker, named, k)->comm, &walker->statuses[i]);
        }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void rest(double since)
{
    const struct timespec millisecond = {0, 1000000};
    if (seconds() - since > 0.005)
        nanosleep(&millisecond, NULL);
    else
        sched_yield();
}

static bool is_complete(const Walker *walker, const Named *named, int k)
{
    int flag = 0;
    MPI_Status status;
    const Live *live = live_of(walker, named, k);
    return *live->place == MPI_REQUEST_NULL ||
           (PMPI_Request_get_status(*live->place, &flag, &status) == MPI_SUCCESS && flag);
}

/* Until those have completed that did when it was recorded, or it takes too long: FALSE. */
static bool await_recorded(const Walker *walker, const Named *named)
{
    const double patience = 3, start = seconds();
    for (int k = 0; k < named->count; k++)
        while (named->is_done[k] && !is_complete(walker, named, k)) {
            if (seconds() - start > patience)
                return false;
            rest(start);
        }
    return true;
}

/* Others have completed here: those of the recording are waited for. Their handles are left behind, as to free them
 * would be a call that the program did not make. */
static void complete_recorded(Walker *walker, const Named *named)
{
    MPI_Status status;
    for (int k = 0; k < named->count; k++) {
        Live *live = live_of(walker, named, k);
        double start = seconds();
        while (named->is_done[k] && !is_complete(walker, named, k))
            rest(start);
        if (named->is_done[k] && live->is_persistent && !named->came[k])
            PMPI_Wait(live->place, &status);
        else if (named->is_done[k] && !live->is_persistent)
            *live->place = MPI_REQUEST_NULL;
    }
}

static int call_wait(Walker *walker, const Call *call, bool all)
{
    Named named;
    name_requests(walker, call, all ? 0 : 1, &named);
    line_up(walker, &named, false);
    int code = all ? MPI_Waitall(named.total, named.array, walker->statuses) : MPI_Wait(named.array, walker->statuses);
    if (walker->replay->wildcards)
        note_completed(walker, &named, NULL, named.total);
    put_back(walker, &named);
    if (code == MPI_SUCCESS && !find(call, FAILED, 0))
        take_off(walker, &named, true, false);
    forget_named(&named);
    return code;
}

static int do_wait(Walker *walker, const Call *call)
{
    return call_wait(walker, call, false);
}

static int do_waitall(Walker *walker, const Call *call)
{
    return call_wait(walker, call, true);
}

typedef enum { WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME } Completion;

/* How many have completed; their places in the array are in walker->indices. */
static int complete(Walker *walker, Completion how, int total, MPI_Request *array, int *code)
{
    int count = 0, flag = 0, index = MPI_UNDEFINED;
    if (how == WAITANY)
        *code = MPI_Waitany(total, array, &index, walker->statuses);
    else if (how == WAITSOME)
        *code = MPI_Waitsome(total, array, &count, walker->indices, walker->statuses);
    else if (how == TEST)
        *code = MPI_Test(array, &flag, walker->statuses);
    else if (how == TESTALL)
        *code = MPI_Testall(total, array, &flag, walker->statuses);
    else if (how == TESTANY)
        *code = MPI_Testany(total, array, &index, &flag, walker->statuses);
    else
        *code = MPI_Testsome(total, array, &count, walker->indices, walker->statuses);
    if (how == TEST || how == TESTALL) {
        for (int i = 0; flag && i < (how == TEST ? 1 : total); i++)
            walker->indices[i] = i;
        return flag ? (how == TEST ? 1 : total) : 0;
    }
    if ((how == WAITANY || how == TESTANY) && index != MPI_UNDEFINED) {
        walker->indices[0] = index;
        return 1;
    }
    return count == MPI_UNDEFINED ? 0 : count;
}

/* A poll that found nothing. If it would find something here, it asks for nothing. */
static int poll_again(Walker *walker, Named *named, Completion how, bool asks)
{
    int code;
    bool would_find = named->count > 0 && how == TESTALL;
    for (int k = 0; !asks && k < named->count; k++) {
        bool is_done = is_complete(walker, named, k);
        would_find = how == TESTALL ? would_find && is_done : would_find || is_done;
    }
    if (!asks && would_find) {
        for (int i = 0; i < named->total; i++)
            walker->scratch[i] = MPI_REQUEST_NULL;
        complete(walker, how, named->total, walker->scratch, &code);
        walker->found = false;
        return code;
    }
    line_up(walker, named, false);
    walker->found = complete(walker, how, named->total, named->array, &code) > 0;
    put_back(walker, named);
    return code;
}

/* Calls that complete some of what they name: those of the recording. */
static int call_completion(Walker *walker, const Call *call, Completion how)
{
    Named named;
    int code, count;
    bool waits = how == WAITANY || how == WAITSOME;
    name_requests(walker, call, how == TEST ? 1 : 0, &named);
    if (named.done == 0 && (!waits || named.count == 0 || find(call, OPEN, 0))) {
        bool is_last = find(call, OPEN, 0) || walker->asks;
        code = waits ? (line_up(walker, &named, false), complete(walker, how, named.total, named.array, &code), code)
                     : poll_again(walker, &named, how, is_last);
        if (waits)
            put_back(walker, &named);
        forget_named(&named);
        return code;
    }
    bool are_there = await_recorded(walker, &named);
    do {
        line_up(walker, &named, how != TESTALL && how != TEST);
        count = complete(walker, how, named.total, named.array, &code);
        note_completed(walker, &named, walker->indices, count);
        put_back(walker, &named);
        are_there = are_there || waits || count > 0 || code != MPI_SUCCESS;
        if (!are_there)
            rest(0);
    } while (!are_there);
    walker->found = true;
    if (code == MPI_SUCCESS)
        complete_recorded(walker, &named);
    take_off(walker, &named, named.done == 0, false);
    forget_named(&named);
    return code;
}

static int do_waitany(Walker *walker, const Call *call)
{
    return call_completion(walker, call, WAITANY);
}

static int do_waitsome(Walker *walker, const Call *call)
{
    return call_completion(walker, call, WAITSOME);
}

static int do_test(Walker *walker, const Call *call)
{
    return call_completion(walker, call, TEST);
}

static int do_testall(Walker *walker, const Call *call)
{
    return call_completion(walker, call, TESTALL);
}

static int do_testany(Walker *walker, const Call *call)
{
    return call_completion(walker, call, TESTANY);
}

static int do_testsome(Walker *walker, const Call *call)
{
    return call_completion(walker, call, TESTSOME);
}

typedef enum { START, STARTALL, CANCEL, FREE } OfRequests;

static int call_requests(Walker *walker, const Call *call, OfRequests what)
{
    Named named;
    int code = MPI_SUCCESS;
    name_requests(walker, call, what == STARTALL ? 0 : 1, &named);
    line_up(walker, &named, false);
    if (what == STARTALL)
        code = MPI_Startall(named.total, named.array);
    else
        code = what == START    ? MPI_Start(named.array)
               : what == CANCEL ? MPI_Cancel(named.array)
                                : MPI_Request_free(named.array);
    put_back(walker, &named);
    if (what == FREE && code == MPI_SUCCESS)
        take_off(walker, &named, true, true);
    forget_named(&named);
    return code;
}

static int do_start(Walker *walker, const Call *call)
{
    return call_requests(walker, call, START);
}

static int do_startall(Walker *walker, const Call *call)
{
    return call_requests(walker, call, STARTALL);
}

static int do_cancel(Walker *walker, const Call *call)
{
    return call_requests(walker, call, CANCEL);
}

static int do_request_free(Walker *walker, const Call *call)
{
    return call_requests(walker, call, FREE);
}

/* ---- messages -------------------------------------------------------------------------------- */

typedef struct {
    void *memory;
    Data data;
    int peer, tag;
    Comm *comm;
} Message;

static Message send_of(Walker *walker, const Call *call)
{
    Message message = {
        .comm = comm_of(walker, call), .data = data_of(walker, call, COUNT, 0), .tag = tag_of(walker, call, 0)};
    message.memory = sent(walker, call, message.data.count, message.data.bytes);
    message.peer = peer_of(walker, find(call, TO, 0), message.comm->rank, message.comm->peers);
    return message;
}

/* Source and tag; those that it got, unless wildcards are kept. */
static void find_source(Walker *walker, const Call *call, const Comm *comm, int which, int *peer, int *tag)
{
    const Value *got = find(call, GOT, 0), *from = find(call, FROM, 0);
    *tag = tag_of(walker, call, which);
    *peer = peer_of(walker, from, comm->rank, comm->peers);
    if (!got || walker->replay->wildcards)
        return;
    *peer = comm->is_inter && got->form == NUMBER ? (int)got->number : peer_of(walker, got, comm->rank, comm->peers);
    *tag = (int)number_of(call, GOT_TAG, 0, *tag);
    walker->last = comm->is_inter ? *peer : *peer - comm->rank;
    walker->has_last = true;
}

static Message receive_of(Walker *walker, const Call *call, int which)
{
    Message message = {.comm = comm_of(walker, call), .data = data_of(walker, call, COUNT, which)};
    message.memory = received(walker, call, message.data.count, message.data.bytes);
    find_source(walker, call, message.comm, which, &message.peer, &message.tag);
    return message;
}

#define OF_MESSAGE(m) (m).memory, (m).data.count, (m).data.type, (m).peer, (m).tag, (m).comm->handle

#define SEND(NAME, MPI_NAME)                                                                                           \
    static int NAME(Walker *walker, const Call *call)                                                                  \
    {                                                                                                                  \
        Message m = send_of(walker, call);                                                                             \
        return MPI_NAME(OF_MESSAGE(m));                                                                                \
    }
#define SEND_WITH_REQUEST(NAME, MPI_NAME, PERSISTENT)                                                                  \
    static int NAME(Walker *walker, const Call *call)                                                                  \
    {                                                                                                                  \
        Message m = send_of(walker, call);                                                                             \
        return made(walker, call, m.comm, PERSISTENT, MPI_NAME(OF_MESSAGE(m), next_place(walker, call)));              \
    }

/* The program's own buffer is not known. */
static void attach_buffer(Walker *walker)
{
    Replay *replay = walker->replay;
    pthread_mutex_lock(&replay->lock);
    if (!replay->bsend) {
        replay->bsend = get_memory(replay, BSEND_BYTES, 1);
        PMPI_Buffer_attach(replay->bsend, BSEND_BYTES);
    }
    pthread_mutex_unlock(&replay->lock);
}

SEND(do_send, MPI_Send)
SEND(do_ssend, MPI_Ssend)
SEND(do_rsend, MPI_Rsend)
SEND(do_bsend_attached, MPI_Bsend)
SEND_WITH_REQUEST(do_isend, MPI_Isend, false)
SEND_WITH_REQUEST(do_issend, MPI_Issend, false)
SEND_WITH_REQUEST(do_irsend, MPI_Irsend, false)
SEND_WITH_REQUEST(do_ibsend_attached, MPI_Ibsend, false)
SEND_WITH_REQUEST(do_send_init, MPI_Send_init, true)
SEND_WITH_REQUEST(do_ssend_init, MPI_Ssend_init, true)
SEND_WITH_REQUEST(do_rsend_init, MPI_Rsend_init, true)
SEND_WITH_REQUEST(do_bsend_init_attached, MPI_Bsend_init, true)

static int do_bsend(Walker *walker, const Call *call)
{
    attach_buffer(walker);
    return do_bsend_attached(walker, call);
}

static int do_ibsend(Walker *walker, const Call *call)
{
    attach_buffer(walker);
    return do_ibsend_attached(walker, call);
}

static int do_bsend_init(Walker *walker, const Call *call)
{
    attach_buffer(walker);
    return do_bsend_init_attached(walker, call);
}

static int do_recv(Walker *walker, const Call *call)
{
    MPI_Status status = {0};
    Message m = receive_of(walker, call, 0);
    int code = MPI_Recv(OF_MESSAGE(m), &status);
    if (says(find(call, FROM, 0), "any"))
        note_source(walker, m.comm, &status);
    return code;
}

static int do_irecv(Walker *walker, const Call *call)
{
    Message m = receive_of(walker, call, 0);
    return made(walker, call, m.comm, false, MPI_Irecv(OF_MESSAGE(m), next_place(walker, call)));
}

static int do_recv_init(Walker *walker, const Call *call)
{
    Message m = receive_of(walker, call, 0);
    return made(walker, call, m.comm, true, MPI_Recv_init(OF_MESSAGE(m), next_place(walker, call)));
}

static int do_sendrecv(Walker *walker, const Call *call)
{
    MPI_Status status = {0};
    Message s = send_of(walker, call), r = receive_of(walker, call, 1);
    if (!r.data.is_there) { /* what it receives is as what it sends */
        r.data = s.data;
        r.memory = received(walker, call, r.data.count, r.data.bytes);
    }
    int code = MPI_Sendrecv(s.memory, s.data.count, s.data.type, s.peer, s.tag, r.memory, r.data.count, r.data.type,
                            r.peer, r.tag, s.comm->handle, &status);
    if (says(find(call, FROM, 0), "any"))
        note_source(walker, s.comm, &status);
    return code;
}

static int do_sendrecv_replace(Walker *walker, const Call *call)
{
    MPI_Status status = {0};
    Message s = send_of(walker, call);
    int peer, tag;
    find_source(walker, call, s.comm, 1, &peer, &tag);
    int code =
        MPI_Sendrecv_replace(s.memory, s.data.count, s.data.type, s.peer, s.tag, peer, tag, s.comm->handle, &status);
    if (says(find(call, FROM, 0), "any"))
        note_source(walker, s.comm, &status);
    return code;
}

/* What only looks may look for anybody, as it did. */
static int looked_for(const Call *call, int peer)
{
    return says(find(call, FROM, 0), "any") ? MPI_ANY_SOURCE : peer;
}

static int do_probe(Walker *walker, const Call *call)
{
    MPI_Status status = {0};
    Comm *comm = comm_of(walker, call);
    int peer, tag;
    find_source(walker, call, comm, 0, &peer, &tag);
    int code = MPI_Probe(looked_for(call, peer), tag_of(walker, call, 0), comm->handle, &status);
    note_source(walker, comm, &status);
    return code;
}

/* Until a message is there, if one was when it was recorded. */
static int do_iprobe(Walker *walker, const Call *call)
{
    MPI_Status status = {0};
    Comm *comm = comm_of(walker, call);
    int peer, tag, flag = 0, code;
    double start = seconds();
    find_source(walker, call, comm, 0, &peer, &tag);
    while ((code = MPI_Iprobe(looked_for(call, peer), tag_of(walker, call, 0), comm->handle, &flag, &status)) ==
               MPI_SUCCESS &&
           !flag && find(call, GOT, 0))
        rest(start);
    walker->found = flag;
    if (flag)
        note_source(walker, comm, &status);
    return code;
}

static void keep_message(Walker *walker, MPI_Message message)
{
    MPI_Message *more = realloc(walker->messages, (size_t)(walker->message_count + 1) * sizeof *more);
    if (!more)
        die(walker->replay, walker->call->node, "there is no memory for a message");
    walker->messages = more;
    more[walker->message_count++] = message;
}

static int do_mprobe(Walker *walker, const Call *call)
{
    MPI_Status status = {0};
    MPI_Message message;
    Comm *comm = comm_of(walker, call);
    int peer, tag;
    find_source(walker, call, comm, 0, &peer, &tag);
    int code = MPI_Mprobe(peer, tag, comm->handle, &message, &status);
    if (code == MPI_SUCCESS)
        keep_message(walker, message);
    note_source(walker, comm, &status);
    return code;
}

static int do_improbe(Walker *walker, const Call *call)
{
    MPI_Status status = {0};
    MPI_Message message;
    Comm *comm = comm_of(walker, call);
    int peer, tag, flag = 0, code;
    double start = seconds();
    find_source(walker, call, comm, 0, &peer, &tag);
    while ((code = MPI_Improbe(peer, tag, comm->handle, &flag, &message, &status)) == MPI_SUCCESS && !flag &&
           find(call, GOT, 0))
        rest(start);
    walker->found = flag;
    if (code == MPI_SUCCESS && flag)
        keep_message(walker, message);
    return code;
}

/* Messages are received in the order in which they were found. */
static MPI_Message take_message(Walker *walker, const Call *call)
{
    if (walker->message_count == 0)
        die(walker->replay, call->node, "no probe before this call has found a message");
    MPI_Message message = walker->messages[0];
    memmove(walker->messages, walker->messages + 1, (size_t)--walker->message_count * sizeof message);
    return message;
}

static int do_mrecv(Walker *walker, const Call *call)
{
    MPI_Status status;
    Data data = data_of(walker, call, COUNT, 0);
    MPI_Message message = take_message(walker, call);
    return MPI_Mrecv(received(walker, call, data.count, data.bytes), data.count, data.type, &message, &status);
}

static int do_imrecv(Walker *walker, const Call *call)
{
    Data data = data_of(walker, call, COUNT, 0);
    MPI_Message message = take_message(walker, call);
    void *memory = received(walker, call, data.count, data.bytes);
    return made(walker, call, NULL, false,
                MPI_Imrecv(memory, data.count, data.type, &message, next_place(walker, call)));
}

/* ---- collectives ----------------------------------------------------------------------------- */

/* What a collective call is made with. */
typedef struct {
    Comm *comm;
    MPI_Comm handle;
    int root, in, out; /* neighbours */
    Data data, other;  /* the own side's, and that of the other side */
    MPI_Op op;
    Counts one, two;
    void *from, *to;
} Collective;

static Collective collective_of(Walker *walker, const Call *call)
{
    Collective c = {.comm = comm_of(walker, call), .data = data_of(walker, call, COUNT, 0)};
    c.handle = c.comm->handle;
    c.other = data_of(walker, call, OTHER_COUNT, 0);
    c.root = root_of(walker, call);
    if (!c.other.is_there)
        c.other = c.data;
    c.op = operation_of(walker->replay, call, c.data.bytes, &c.data.type);
    int64_t members = c.comm->peers > c.comm->size ? c.comm->peers : c.comm->size;
    int64_t most = (int64_t)(c.data.count > 0 ? c.data.count : 0) * c.data.bytes;
    int64_t other = (int64_t)(c.other.count > 0 ? c.other.count : 0) * c.other.bytes;
    most = most > other ? most : other;
    c.from = sent(walker, call, members, most);
    c.to = received(walker, call, members, most);
    return c;
}

/* Of those whose data are not of all members. */
static Collective simple_collective_of(Walker *walker, const Call *call)
{
    Collective c = {.comm = comm_of(walker, call), .data = data_of(walker, call, COUNT, 0)};
    c.handle = c.comm->handle;
    c.root = root_of(walker, call);
    c.op = operation_of(walker->replay, call, c.data.bytes, &c.data.type);
    c.from = sent(walker, call, c.data.count, c.data.bytes);
    c.to = received(walker, call, c.data.count, c.data.bytes);
    return c;
}

/* Sent or received in place: MPI_IN_PLACE stands for that buffer. */
static void *or_in_place(const Data *data, void *memory)
{
    return data->is_in_place ? MPI_IN_PLACE : memory;
}

#define COLLECTIVE(NAME, MPI_NAME, OF, ...)                                                                            \
    static int do_##NAME(Walker *walker, const Call *call)                                                             \
    {                                                                                                                  \
        Collective c = OF(walker, call);                                                                               \
        return MPI_##MPI_NAME(__VA_ARGS__);                                                                            \
    }                                                                                                                  \
    static int do_i##NAME(Walker *walker, const Call *call)                                                            \
    {                                                                                                                  \
        Collective c = OF(walker, call);                                                                               \
        return made(walker, call, c.comm, false, MPI_I##NAME(__VA_ARGS__, next_place(walker, call)));                  \
    }

COLLECTIVE(barrier, Barrier, simple_collective_of, c.handle)
COLLECTIVE(bcast, Bcast, simple_collective_of, c.from, c.data.count, c.data.type, c.root, c.handle)
COLLECTIVE(reduce, Reduce, simple_collective_of, c.from, c.to, c.data.count, c.data.type, c.op, c.root, c.handle)
COLLECTIVE(allreduce, Allreduce, simple_collective_of, c.from, c.to, c.data.count, c.data.type, c.op, c.handle)
COLLECTIVE(scan, Scan, simple_collective_of, c.from, c.to, c.data.count, c.data.type, c.op, c.handle)
COLLECTIVE(exscan, Exscan, simple_collective_of, c.from, c.to, c.data.count, c.data.type, c.op, c.handle)
COLLECTIVE(reduce_scatter_block, Reduce_scatter_block, collective_of, c.from, c.to, c.data.count, c.data.type, c.op,
           c.handle)
COLLECTIVE(allgather, Allgather, collective_of, or_in_place(&c.other, c.from), c.other.count, c.other.type, c.to,
           c.data.count, c.data.type, c.handle)
COLLECTIVE(alltoall, Alltoall, collective_of, or_in_place(&c.other, c.from), c.other.count, c.other.type, c.to,
           c.data.count, c.data.type, c.handle)
COLLECTIVE(gather, Gather, collective_of, or_in_place(&c.data, c.from), c.data.count, c.data.type, c.to, c.other.count,
           c.other.type, c.root, c.handle)
COLLECTIVE(scatter, Scatter, collective_of, c.from, c.other.count, c.other.type, or_in_place(&c.data, c.to),
           c.data.count, c.data.type, c.root, c.handle)

static void free_counts(Counts *counts)
{
    free(counts->count);
    free(counts->place);
    free(counts->types);
}

/* How many parts this rank gets from neighbours, and how many it gives. */
static void ask_neighbours(Collective *c)
{
    int topology = MPI_UNDEFINED, weighted;
    PMPI_Topo_test(c->handle, &topology);
    if (topology == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(c->handle, &c->in, &c->out, &weighted);
    } else if (topology == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(c->handle, c->comm->rank, &c->in);
        c->out = c->in;
    } else if (topology == MPI_CART) {
        PMPI_Cartdim_get(c->handle, &c->in);
        c->out = c->in *= 2;
    }
}

/* With counts of each member; `to` members, and `from` ones behind a second row of counts. */
static Collective with_counts(Walker *walker, const Call *call, bool neighbours, bool two, bool elements)
{
    Collective c = {.comm = comm_of(walker, call), .data = data_of(walker, call, COUNT, 0)};
    c.handle = c.comm->handle;
    c.root = root_of(walker, call);
    c.in = c.out = c.comm->is_inter ? c.comm->peers : c.comm->size;
    if (neighbours)
        ask_neighbours(&c);
    c.one = counts_of(walker, call, 0, two ? c.out : c.in);
    if (two)
        c.two = counts_of(walker, call, 1, c.in);
    if (elements) {
        use_elements(walker, call, 0, &c.one, c.out);
        use_elements(walker, call, 1, &c.two, c.in);
    }
    c.op = operation_of(walker->replay, call, c.one.bytes, &c.one.type);
    int64_t most = c.one.sum * c.one.bytes, other = c.two.sum * c.two.bytes, own = c.data.count * c.data.bytes;
    most = most > other ? most : other;
    most = most > own ? most : own;
    c.from = sent(walker, call, most, 1);
    c.to = received(walker, call, most, 1);
    return c;
}

#define VECTOR(NAME, MPI_NAME, MPI_I_NAME, NEIGHBOURS, TWO, ELEMENTS, ...)                                             \
    static int do_##NAME(Walker *walker, const Call *call)                                                             \
    {                                                                                                                  \
        Collective c = with_counts(walker, call, NEIGHBOURS, TWO, ELEMENTS);                                           \
        int code = MPI_NAME(__VA_ARGS__);                                                                              \
        free_counts(&c.one);                                                                                           \
        free_counts(&c.two);                                                                                           \
        return code;                                                                                                   \
    }                                                                                                                  \
    static int do_i##NAME(Walker *walker, const Call *call)                                                            \
    {                                                                                                                  \
        Collective c = with_counts(walker, call, NEIGHBOURS, TWO, ELEMENTS);                                           \
        int code = MPI_I_NAME(__VA_ARGS__, next_place(walker, call));                                                  \
        return made_with(walker, call, c.comm, false, code, &c.one, &c.two);                                           \
    }

VECTOR(gatherv, MPI_Gatherv, MPI_Igatherv, false, false, false, or_in_place(&c.data, c.from), c.data.count, c.data.type,
       c.to, c.one.count, c.one.place, c.one.type, c.root, c.handle)
VECTOR(scatterv, MPI_Scatterv, MPI_Iscatterv, false, false, false, c.from, c.one.count, c.one.place, c.one.type,
       or_in_place(&c.data, c.to), c.data.count, c.data.type, c.root, c.handle)
VECTOR(allgatherv, MPI_Allgatherv, MPI_Iallgatherv, false, false, false, or_in_place(&c.data, c.from), c.data.count,
       c.data.type, c.to, c.one.count, c.one.place, c.one.type, c.handle)
VECTOR(alltoallv, MPI_Alltoallv, MPI_Ialltoallv, false, true, false, c.one.is_in_place ? MPI_IN_PLACE : c.from,
       c.one.count, c.one.place, c.one.type, c.to, c.two.count, c.two.place, c.two.type, c.handle)
VECTOR(alltoallw, MPI_Alltoallw, MPI_Ialltoallw, false, true, true, c.one.is_in_place ? MPI_IN_PLACE : c.from,
       c.one.count, c.one.place, c.one.types, c.to, c.two.count, c.two.place, c.two.types, c.handle)
VECTOR(reduce_scatter, MPI_Reduce_scatter, MPI_Ireduce_scatter, false, false, false, c.from, c.to, c.one.count,
       c.one.type, c.op, c.handle)
VECTOR(neighbor_allgatherv, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, true, false, false, c.from, c.data.count,
       c.data.type, c.to, c.one.count, c.one.place, c.one.type, c.handle)
VECTOR(neighbor_alltoallv, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, true, true, false, c.from, c.one.count,
       c.one.place, c.one.type, c.to, c.two.count, c.two.place, c.two.type, c.handle)

static Collective neighbour_collective_of(Walker *walker, const Call *call)
{
    Collective c = collective_of(walker, call);
    ask_neighbours(&c);
    int64_t parts = c.in > c.out ? c.in : c.out;
    int64_t most = c.data.count * c.data.bytes, other = c.other.count * c.other.bytes;
    most = most > other ? most : other;
    c.from = sent(walker, call, parts, most);
    c.to = received(walker, call, parts, most);
    return c;
}

COLLECTIVE(neighbor_allgather, Neighbor_allgather, neighbour_collective_of, c.from, c.other.count, c.other.type, c.to,
           c.data.count, c.data.type, c.handle)
COLLECTIVE(neighbor_alltoall, Neighbor_alltoall, neighbour_collective_of, c.from, c.other.count, c.other.type, c.to,
           c.data.count, c.data.type, c.handle)

/* Of MPI_Neighbor_alltoallw, which has places of another type. */
static MPI_Aint *large_places(Walker *walker, const Counts *counts, int members)
{
    MPI_Aint *places = get_memory(walker->replay, (size_t)members, sizeof *places);
    for (int i = 0; i < members; i++)
        places[i] = counts->place[i];
    return places;
}

static int do_neighbor_alltoallw(Walker *walker, const Call *call)
{
    Collective c = with_counts(walker, call, true, true, true);
    MPI_Aint *one = large_places(walker, &c.one, c.out), *two = large_places(walker, &c.two, c.in);
    int code =
        MPI_Neighbor_alltoallw(c.from, c.one.count, one, c.one.types, c.to, c.two.count, two, c.two.types, c.handle);
    free(one);
    free(two);
    free_counts(&c.one);
    free_counts(&c.two);
    return code;
}

/* ---- communicators --------------------------------------------------------------------------- */

/* The communicator that the call makes, before it is made. */
static Comm *child_of(Walker *walker, Comm *parent)
{
    char name[512];
    Replay *replay = walker->replay;
    pthread_mutex_lock(&replay->lock);
    snprintf(name, sizeof name, "%s/%d", parent->name, ++parent->made);
    Comm *child = add_comm(replay, name);
    pthread_mutex_unlock(&replay->lock);
    return child;
}

/* The recorded group of a communicator that has the own rank in it; NULL: none. */
static const Members *members_of(const Replay *replay, const char *name)
{
    for (const Members *members = replay->members; members; members = members->next)
        if (members->ranks && strlen(name) == members->length && strncmp(members->name, name, members->length) == 0)
            return members;
    return NULL;
}

static bool are_members(const Comm *comm, const Members *members)
{
    MPI_Group world, group;
    int *own, *ranks;
    bool same = comm->handle != MPI_COMM_NULL && comm->size == members->count;
    if (!same || comm->is_inter)
        return comm->is_inter;
    own = malloc((size_t)comm->size * sizeof *own);
    ranks = malloc((size_t)comm->size * sizeof *ranks);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(comm->handle, &group);
    for (int i = 0; own && ranks && i < comm->size; i++)
        own[i] = i;
    if (own && ranks)
        PMPI_Group_translate_ranks(group, comm->size, own, world, ranks);
    for (int i = 0; own && ranks && i < comm->size; i++)
        same = same && ranks[i] == members->ranks[i];
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    free(own);
    free(ranks);
    return same;
}

/* Says so if the call made another group than it did then: on other nodes, or with other ranks in the first place. */
static int check_members(Walker *walker, const Call *call, Comm *child, int code)
{
    if (code != MPI_SUCCESS)
        return code;
    ask_comm(child);
    const Members *members = members_of(walker->replay, child->name);
    if (members && child->handle != MPI_COMM_NULL && !are_members(child, members))
        die(walker->replay, call->node, "%.*s made another group of ranks than it did when it was recorded",
            (int)call->node->name_length, call->node->name);
    return code;
}

static MPI_Group group_of(Walker *walker, const Call *call)
{
    MPI_Group world, group = MPI_GROUP_EMPTY;
    int *ranks, count = list_of(walker->replay, call, find(call, GROUP, 0), &ranks);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    if (count > 0 && PMPI_Group_incl(world, count, ranks, &group) != MPI_SUCCESS)
        die(walker->replay, call->node, "this is no group of ranks");
    PMPI_Group_free(&world);
    free(ranks);
    return group;
}

static void free_group(MPI_Group group)
{
    if (group != MPI_GROUP_EMPTY && group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
}

static int do_comm_dup(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    return check_members(walker, call, child, MPI_Comm_dup(parent->handle, &child->handle));
}

static int do_comm_dup_with_info(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    return check_members(walker, call, child, MPI_Comm_dup_with_info(parent->handle, MPI_INFO_NULL, &child->handle));
}

static int do_comm_idup(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    return made(walker, call, parent, false, MPI_Comm_idup(parent->handle, &child->handle, next_place(walker, call)));
}

static int color_of(const Call *call)
{
    return says(find(call, COLOR, 0), "undefined") ? MPI_UNDEFINED : (int)number_of(call, COLOR, 0, 0);
}

/* It is recorded less the own rank. */
static int key_of(const Call *call, const Comm *comm)
{
    return (int)number_of(call, KEY, 0, 0) + comm->rank;
}

static int do_comm_split(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    return check_members(walker, call, child,
                         MPI_Comm_split(parent->handle, color_of(call), key_of(call, parent), &child->handle));
}

static int do_comm_split_type(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    return check_members(
        walker, call, child,
        MPI_Comm_split_type(parent->handle, color_of(call), key_of(call, parent), MPI_INFO_NULL, &child->handle));
}

static int do_comm_create(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    MPI_Group group = group_of(walker, call);
    int code = MPI_Comm_create(parent->handle, group, &child->handle);
    free_group(group);
    return check_members(walker, call, child, code);
}

static int do_comm_create_group(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    MPI_Group group = group_of(walker, call);
    int code = MPI_Comm_create_group(parent->handle, group, tag_of(walker, call, 0), &child->handle);
    free_group(group);
    return check_members(walker, call, child, code);
}

static int do_comm_free(Walker *walker, const Call *call)
{
    return MPI_Comm_free(&comm_of(walker, call)->handle);
}

static int do_comm_disconnect(Walker *walker, const Call *call)
{
    return MPI_Comm_disconnect(&comm_of(walker, call)->handle);
}

static int do_intercomm_create(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    return check_members(walker, call, child,
                         MPI_Intercomm_create(parent->handle, (int)number_of(call, RANK, 0, 0), MPI_COMM_WORLD,
                                              (int)number_of(call, RANK, 1, 0), tag_of(walker, call, 0),
                                              &child->handle));
}

/* Which group comes first is seen by the members. */
static int do_intercomm_merge(Walker *walker, const Call *call)
{
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    const Members *members = members_of(walker->replay, child->name);
    const Members *own = members_of(walker->replay, parent->name);
    int high = members && own && members->count > 0 && own->count > 0 && members->ranks[0] != own->ranks[0];
    return check_members(walker, call, child, MPI_Intercomm_merge(parent->handle, high, &child->handle));
}

static int do_cart_create(Walker *walker, const Call *call)
{
    int *sizes, *periods;
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    int axes = list_of(walker->replay, call, find(call, DIMENSIONS, 0), &sizes);
    int known = list_of(walker->replay, call, find(call, PERIODS, 0), &periods);
    if (known < axes)
        die(walker->replay, call->node, "it has fewer periods than dimensions");
    int code = MPI_Cart_create(parent->handle, axes, sizes, periods, 0, &child->handle);
    free(sizes);
    free(periods);
    return check_members(walker, call, child, code);
}

static int do_cart_sub(Walker *walker, const Call *call)
{
    int *kept, axes = 0;
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    int known = list_of(walker->replay, call, find(call, KEPT, 0), &kept);
    if (PMPI_Cartdim_get(parent->handle, &axes) != MPI_SUCCESS || known < axes)
        die(walker->replay, call->node, "it does not have the dimensions of its communicator");
    int code = MPI_Cart_sub(parent->handle, kept, &child->handle);
    free(kept);
    return check_members(walker, call, child, code);
}

static int do_graph_create(Walker *walker, const Call *call)
{
    int *index, *edges;
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    int nodes = list_of(walker->replay, call, find(call, INDEX, 0), &index);
    int count = list_of(walker->replay, call, find(call, EDGES, 0), &edges);
    if (nodes > 0 && count < index[nodes - 1])
        die(walker->replay, call->node, "it has fewer edges than its index says");
    int code = MPI_Graph_create(parent->handle, nodes, index, edges, 0, &child->handle);
    free(index);
    free(edges);
    return check_members(walker, call, child, code);
}

/* Ranks that are told less the own one. */
static int neighbours_of(Walker *walker, const Call *call, const Comm *comm, int which, int **ranks)
{
    int count = list_of(walker->replay, call, find(call, NEIGHBOURS, which), ranks);
    for (int i = 0; i < count; i++)
        (*ranks)[i] = wrap(comm->rank + (*ranks)[i], comm->size);
    if (!*ranks)
        *ranks = get_memory(walker->replay, 1, sizeof **ranks);
    return count;
}

static int do_dist_graph_create_adjacent(Walker *walker, const Call *call)
{
    int *from, *to, *volatile weights = MPI_UNWEIGHTED; /* not an array, as compilers of its prototype think */
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    int in = neighbours_of(walker, call, parent, 0, &from), out = neighbours_of(walker, call, parent, 1, &to);
    int code = MPI_Dist_graph_create_adjacent(parent->handle, in, from, weights, out, to, weights, MPI_INFO_NULL, 0,
                                              &child->handle);
    free(from);
    free(to);
    return check_members(walker, call, child, code);
}

static int do_dist_graph_create(Walker *walker, const Call *call)
{
    int *from, *to, *degrees, sum = 0, *volatile weights = MPI_UNWEIGHTED;
    Comm *parent = comm_of(walker, call), *child = child_of(walker, parent);
    int sources = neighbours_of(walker, call, parent, 0, &from);
    int edges = neighbours_of(walker, call, parent, 1, &to);
    int known = list_of(walker->replay, call, find(call, DEGREES, 0), &degrees);
    for (int i = 0; i < sources && i < known; i++)
        sum += degrees[i];
    if (known < sources || sum > edges)
        die(walker->replay, call->node, "it has fewer edges than its degrees say");
    int code =
        MPI_Dist_graph_create(parent->handle, sources, from, degrees, to, weights, MPI_INFO_NULL, 0, &child->handle);
    free(from);
    free(to);
    free(degrees);
    return check_members(walker, call, child, code);
}

/* ---- windows --------------------------------------------------------------------------------- */

static Window *new_window(Walker *walker, Comm *comm)
{
    Replay *replay = walker->replay;
    pthread_mutex_lock(&replay->lock);
    Window *more = realloc(replay->windows, (size_t)(replay->window_count + 1) * sizeof *more);
    if (!more)
        die(replay, walker->call->node, "there is no memory for a window");
    replay->windows = more;
    Window *window = &more[replay->window_count++];
    *window = (Window){.handle = MPI_WIN_NULL, .comm = comm};
    pthread_mutex_unlock(&replay->lock);
    return window;
}

static int window_made(Window *window, int code)
{
    if (code == MPI_SUCCESS)
        PMPI_Win_set_errhandler(window->handle, MPI_ERRORS_RETURN);
    return code;
}

static MPI_Aint window_bytes(const Walker *walker, const Call *call)
{
    int64_t bytes = number_of(call, SIZE, 0, 0), larger = walker->replay->percent > 100 ? walker->replay->percent : 100;
    if (bytes < 0 || bytes > (int64_t)1 << 42)
        die(walker->replay, call->node, "a window cannot have %lld bytes", (long long)bytes);
    return (MPI_Aint)(bytes * larger / 100);
}

static int do_win_create(Walker *walker, const Call *call)
{
    Comm *comm = comm_of(walker, call);
    MPI_Aint bytes = window_bytes(walker, call);
    Window *window = new_window(walker, comm);
    window->memory = get_memory(walker->replay, (size_t)bytes, 1);
    return window_made(window, MPI_Win_create(window->memory, bytes, (int)number_of(call, UNIT, 0, 1), MPI_INFO_NULL,
                                              comm->handle, &window->handle));
}

static int do_win_allocate(Walker *walker, const Call *call)
{
    void *memory;
    Comm *comm = comm_of(walker, call);
    Window *window = new_window(walker, comm);
    return window_made(window, MPI_Win_allocate(window_bytes(walker, call), (int)number_of(call, UNIT, 0, 1),
                                                MPI_INFO_NULL, comm->handle, &memory, &window->handle));
}

static int do_win_allocate_shared(Walker *walker, const Call *call)
{
    void *memory;
    Comm *comm = comm_of(walker, call);
    Window *window = new_window(walker, comm);
    return window_made(window, MPI_Win_allocate_shared(window_bytes(walker, call), (int)number_of(call, UNIT, 0, 1),
                                                       MPI_INFO_NULL, comm->handle, &memory, &window->handle));
}

static int do_win_create_dynamic(Walker *walker, const Call *call)
{
    Comm *comm = comm_of(walker, call);
    Window *window = new_window(walker, comm);
    return window_made(window, MPI_Win_create_dynamic(MPI_INFO_NULL, comm->handle, &window->handle));
}

static Window *window_of(Walker *walker, const Call *call)
{
    int64_t number = number_of(call, WINDOW, 0, -1);
    if (number < 0 || number >= walker->replay->window_count)
        die(walker->replay, call->node, "no call before this one made its window");
    return &walker->replay->windows[number];
}

static int do_win_free(Walker *walker, const Call *call)
{
    Window *window = window_of(walker, call);
    int code = MPI_Win_free(&window->handle);
    free(window->memory);
    window->memory = NULL;
    return code;
}

/* MPI's own numbers for the sum of 1 no check, 2 no precede, 4 no put, 8 no store, 16 no succeed. */
static int assertion_of(const Call *call)
{
    const int known[] = {MPI_MODE_NOCHECK, MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED};
    int64_t bits = number_of(call, ASSERTION, 0, 0);
    int assertion = 0;
    for (int i = 0; i < 5; i++)
        if (bits >> i & 1)
            assertion |= known[i];
    return assertion;
}

static int target_of(Walker *walker, const Call *call, const Window *window)
{
    return peer_of(walker, find(call, AT, 0), window->comm->rank, window->comm->size);
}

#define OF_WINDOW(NAME, ...)                                                                                           \
    {                                                                                                                  \
        Window *w = window_of(walker, call);                                                                           \
        return NAME(__VA_ARGS__);                                                                                      \
    }
static int do_win_fence(Walker *walker, const Call *call)
    OF_WINDOW(MPI_Win_fence, assertion_of(call), w->handle) static int do_win_lock_all(Walker *walker, const Call *call)
        OF_WINDOW(MPI_Win_lock_all, assertion_of(call), w->handle) static int do_win_unlock_all(Walker *walker,
                                                                                                const Call *call)
            OF_WINDOW(MPI_Win_unlock_all, w->handle) static int do_win_unlock(Walker *walker, const Call *call)
                OF_WINDOW(MPI_Win_unlock, target_of(walker, call, w),
                          w->handle) static int do_win_lock(Walker *walker, const Call *call)
                    OF_WINDOW(MPI_Win_lock, number_of(call, TYPE, 0, 1) == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED,
                              target_of(walker, call, w), assertion_of(call),
                              w->handle) static int do_win_flush(Walker *walker, const Call *call)
                        OF_WINDOW(MPI_Win_flush, target_of(walker, call, w),
                                  w->handle) static int do_win_flush_all(Walker *walker, const Call *call)
                            OF_WINDOW(MPI_Win_flush_all, w->handle) static int do_win_flush_local(Walker *walker,
                                                                                                  const Call *call)
                                OF_WINDOW(MPI_Win_flush_local, target_of(walker, call, w),
                                          w->handle) static int do_win_flush_local_all(Walker *walker, const Call *call)
                                    OF_WINDOW(MPI_Win_flush_local_all,
                                              w->handle) static int do_win_sync(Walker *walker, const Call *call)
                                        OF_WINDOW(MPI_Win_sync, w->handle) static int do_win_complete(Walker *walker,
                                                                                                      const Call *call)
                                            OF_WINDOW(MPI_Win_complete,
                                                      w->handle) static int do_win_wait(Walker *walker,
                                                                                        const Call *call)
                                                OF_WINDOW(MPI_Win_wait, w->handle)

                                                    static int do_win_test(Walker *walker, const Call *call)
{
    int flag = 0, code = MPI_Win_test(window_of(walker, call)->handle, &flag);
    walker->found = flag;
    return code;
}

static int do_win_post(Walker *walker, const Call *call)
{
    MPI_Group group = group_of(walker, call);
    int code = MPI_Win_post(group, assertion_of(call), window_of(walker, call)->handle);
    free_group(group);
    return code;
}

static int do_win_start(Walker *walker, const Call *call)
{
    MPI_Group group = group_of(walker, call);
    int code = MPI_Win_start(group, assertion_of(call), window_of(walker, call)->handle);
    free_group(group);
    return code;
}

/* Data that one side moves. */
typedef struct {
    Data data, other;
    void *from, *to;
    int target;
    MPI_Aint place;
    MPI_Op op;
    MPI_Win handle;
    Comm *comm;
} Access;

static Access access_of(Walker *walker, const Call *call)
{
    Window *window = window_of(walker, call);
    Access a = {.data = data_of(walker, call, COUNT, 0), .other = data_of(walker, call, OTHER_COUNT, 0)};
    if (!a.data.is_there)
        a.data = a.other;
    if (!a.other.is_there)
        a.other = a.data;
    a.from = sent(walker, call, a.data.count, a.data.bytes);
    a.to = received(walker, call, a.data.count, a.data.bytes);
    a.target = target_of(walker, call, window);
    a.place = (MPI_Aint)number_of(call, DISPLACEMENT, 0, 0);
    a.op = operation_of(walker->replay, call, a.data.bytes, &a.data.type);
    if (a.other.bytes == a.data.bytes)
        a.other.type = a.data.type;
    a.handle = window->handle;
    a.comm = window->comm;
    return a;
}

#define ACCESS(NAME, MPI_NAME, MPI_R_NAME, ...)                                                                        \
    static int do_##NAME(Walker *walker, const Call *call)                                                             \
    {                                                                                                                  \
        Access a = access_of(walker, call);                                                                            \
        return MPI_NAME(__VA_ARGS__);                                                                                  \
    }                                                                                                                  \
    static int do_r##NAME(Walker *walker, const Call *call)                                                            \
    {                                                                                                                  \
        Access a = access_of(walker, call);                                                                            \
        return made(walker, call, a.comm, false, MPI_R_NAME(__VA_ARGS__, next_place(walker, call)));                   \
    }
#define TO_TARGET a.target, a.place, a.other.count, a.other.type

ACCESS(put, MPI_Put, MPI_Rput, a.from, a.data.count, a.data.type, TO_TARGET, a.handle)
ACCESS(get, MPI_Get, MPI_Rget, a.to, a.data.count, a.data.type, TO_TARGET, a.handle)
ACCESS(accumulate, MPI_Accumulate, MPI_Raccumulate, a.from, a.data.count, a.data.type, TO_TARGET, a.op, a.handle)

/* Origin, result and target: three of `other`, or fewer where they are the same. */
static int call_get_accumulate(Walker *walker, const Call *call, MPI_Request *request)
{
    Access a = access_of(walker, call);
    Data result = data_of(walker, call, OTHER_COUNT, 1), target = data_of(walker, call, OTHER_COUNT, 2);
    Data origin = a.other;
    result = result.is_there ? result : origin;
    target = target.is_there ? target : result;
    operation_of(walker->replay, call, target.bytes, &target.type);
    origin.type = origin.bytes == target.bytes ? target.type : origin.type;
    result.type = result.bytes == target.bytes ? target.type : result.type;
    void *to = received(walker, call, result.count, result.bytes);
    if (request)
        return MPI_Rget_accumulate(a.from, origin.count, origin.type, to, result.count, result.type, a.target, a.place,
                                   target.count, target.type, a.op, a.handle, request);
    return MPI_Get_accumulate(a.from, origin.count, origin.type, to, result.count, result.type, a.target, a.place,
                              target.count, target.type, a.op, a.handle);
}

static int do_get_accumulate(Walker *walker, const Call *call)
{
    return call_get_accumulate(walker, call, NULL);
}

static int do_rget_accumulate(Walker *walker, const Call *call)
{
    Comm *comm = window_of(walker, call)->comm;
    return made(walker, call, comm, false, call_get_accumulate(walker, call, next_place(walker, call)));
}

/* Of one element, whose size is all that is known. */
static MPI_Datatype element_of(Walker *walker, const Call *call, MPI_Op *op)
{
    int64_t bytes = number_of(call, ELEMENT, 0, number_of(call, OTHER_BYTES, 0, number_of(call, BYTES, 0, 4)));
    MPI_Datatype type = bytes == 8 ? MPI_LONG_LONG : bytes == 2 ? MPI_SHORT : bytes == 1 ? MPI_SIGNED_CHAR : MPI_INT;
    *op = operation_of(walker->replay, call, bytes, &type);
    return type;
}

static int do_fetch_and_op(Walker *walker, const Call *call)
{
    MPI_Op op;
    Window *window = window_of(walker, call);
    MPI_Datatype type = element_of(walker, call, &op);
    return MPI_Fetch_and_op(sent(walker, call, 1, 16), received(walker, call, 1, 16), type,
                            target_of(walker, call, window), (MPI_Aint)number_of(call, DISPLACEMENT, 0, 0), op,
                            window->handle);
}

static int do_compare_and_swap(Walker *walker, const Call *call)
{
    MPI_Op op;
    Window *window = window_of(walker, call);
    MPI_Datatype type = element_of(walker, call, &op);
    char *from = sent(walker, call, 2, 16);
    return MPI_Compare_and_swap(from, from + 16, received(walker, call, 1, 16), type, target_of(walker, call, window),
                                (MPI_Aint)number_of(call, DISPLACEMENT, 0, 0), window->handle);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* What the job is called by whoever started it: a name that all ranks have, without a message. */
static const char *job_name(void)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "PMI_JOBID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return "";
}

/* A folder for the replay's own files: the program's are not touched. Ranks on one node have one parent. */
static void make_folder(Replay *replay)
{
    const char *base = getenv("TMPDIR"), *job = job_name();
    char name[PATH_MAX];
    unsigned long id = *job ? 5381 : (unsigned long)getppid();
    for (; *job; job++)
        id = id * 33 + (unsigned char)*job;
    snprintf(name, sizeof name, "%s/difftrace-replay-%lx", base ? base : "/tmp", id);
    mkdir(name, 0700);
    replay->folder = strdup(name);
}

/* Equal on all members of the communicator, and no other file's. */
static char *file_name(Walker *walker, Comm *comm)
{
    MPI_Group group, world;
    int zero = 0, first = 0;
    char *name = get_memory(walker->replay, PATH_MAX, 1), label[256];
    PMPI_Comm_group(comm->handle, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &zero, world, &first);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    snprintf(label, sizeof label, "%s", comm->name);
    for (char *at = label; *at; at++)
        *at = *at == '/' ? '.' : *at;
    snprintf(name, PATH_MAX, "%s/%s-%d-%d", walker->replay->folder, label, first, ++comm->files);
    return name;
}

static int access_mode_of(const Call *call)
{
    const int known[] = {MPI_MODE_CREATE,          MPI_MODE_RDONLY,      MPI_MODE_WRONLY, MPI_MODE_RDWR,
                         MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_UNIQUE_OPEN, MPI_MODE_EXCL,   0,
                         MPI_MODE_APPEND,          MPI_MODE_SEQUENTIAL};
    const int bits[] = {1, 2, 4, 8, 16, 32, 64, 0, 128, 256};
    int64_t recorded = number_of(call, MODE, 0, 8);
    int mode = 0;
    for (int i = 0; i < 10; i++)
        if (recorded & bits[i])
            mode |= known[i];
    return mode;
}

static int do_file_open(Walker *walker, const Call *call)
{
    Replay *replay = walker->replay;
    Comm *comm = comm_of(walker, call);
    int mode = access_mode_of(call);
    char *name = file_name(walker, comm);
    if (!(mode & MPI_MODE_EXCL)) {
        int made = open(name, O_CREAT | O_RDWR, 0600);
        if (made >= 0)
            close(made);
    }
    pthread_mutex_lock(&replay->lock);
    OpenFile *more = realloc(replay->files, (size_t)(replay->file_count + 1) * sizeof *more);
    if (!more)
        die(replay, call->node, "there is no memory for a file");
    replay->files = more;
    OpenFile *file = &more[replay->file_count++];
    *file = (OpenFile){.handle = MPI_FILE_NULL, .comm = comm, .name = name};
    pthread_mutex_unlock(&replay->lock);
    return MPI_File_open(comm->handle, name, mode, MPI_INFO_NULL, &file->handle);
}

static OpenFile *file_of(Walker *walker, const Call *call)
{
    int64_t number = number_of(call, FILE_NUMBER, 0, -1);
    if (number < 0 || number >= walker->replay->file_count)
        die(walker->replay, call->node, "no call before this one opened its file");
    return &walker->replay->files[number];
}

/* What a call on a file is made with. */
typedef struct {
    MPI_File handle;
    Comm *comm;
    Data data;
    void *from, *to;
    MPI_Offset place;
} Transfer;

static Transfer transfer_of(Walker *walker, const Call *call)
{
    OpenFile *file = file_of(walker, call);
    Transfer t = {.handle = file->handle, .comm = file->comm, .data = data_of(walker, call, COUNT, 0)};
    t.from = sent(walker, call, t.data.count, t.data.bytes);
    t.to = received(walker, call, t.data.count, t.data.bytes);
    t.place = (MPI_Offset)number_of(call, OFFSET, 0, number_of(call, SIZE, 0, 0));
    return t;
}

#define ON_FILE(NAME, MPI_NAME, ...)                                                                                   \
    static int do_file_##NAME(Walker *walker, const Call *call)                                                        \
    {                                                                                                                  \
        MPI_Status status;                                                                                             \
        Transfer t = transfer_of(walker, call);                                                                        \
        (void)status;                                                                                                  \
        return MPI_NAME(t.handle, __VA_ARGS__);                                                                        \
    }
#define ON_FILE_WITH_REQUEST(NAME, MPI_NAME, ...)                                                                      \
    static int do_file_##NAME(Walker *walker, const Call *call)                                                        \
    {                                                                                                                  \
        Transfer t = transfer_of(walker, call);                                                                        \
        return made(walker, call, t.comm, false, MPI_NAME(t.handle, __VA_ARGS__, next_place(walker, call)));           \
    }
#define READ  t.to, t.data.count, t.data.type
#define WRITE t.from, t.data.count, t.data.type

ON_FILE(read, MPI_File_read, READ, &status)
ON_FILE(read_all, MPI_File_read_all, READ, &status)
ON_FILE(read_at, MPI_File_read_at, t.place, READ, &status)
ON_FILE(read_at_all, MPI_File_read_at_all, t.place, READ, &status)
ON_FILE(read_shared, MPI_File_read_shared, READ, &status)
ON_FILE(read_ordered, MPI_File_read_ordered, READ, &status)
ON_FILE(read_all_begin, MPI_File_read_all_begin, READ)
ON_FILE(read_all_end, MPI_File_read_all_end, t.to, &status)
ON_FILE(read_at_all_begin, MPI_File_read_at_all_begin, t.place, READ)
ON_FILE(read_at_all_end, MPI_File_read_at_all_end, t.to, &status)
ON_FILE(read_ordered_begin, MPI_File_read_ordered_begin, READ)
ON_FILE(read_ordered_end, MPI_File_read_ordered_end, t.to, &status)
ON_FILE(write, MPI_File_write, WRITE, &status)
ON_FILE(write_all, MPI_File_write_all, WRITE, &status)
ON_FILE(write_at, MPI_File_write_at, t.place, WRITE, &status)
ON_FILE(write_at_all, MPI_File_write_at_all, t.place, WRITE, &status)
ON_FILE(write_shared, MPI_File_write_shared, WRITE, &status)
ON_FILE(write_ordered, MPI_File_write_ordered, WRITE, &status)
ON_FILE(write_all_begin, MPI_File_write_all_begin, WRITE)
ON_FILE(write_all_end, MPI_File_write_all_end, t.from, &status)
ON_FILE(write_at_all_begin, MPI_File_write_at_all_begin, t.place, WRITE)
ON_FILE(write_at_all_end, MPI_File_write_at_all_end, t.from, &status)
ON_FILE(write_ordered_begin, MPI_File_write_ordered_begin, WRITE)
ON_FILE(write_ordered_end, MPI_File_write_ordered_end, t.from, &status)
ON_FILE(preallocate, MPI_File_preallocate, t.place)
ON_FILE(set_size, MPI_File_set_size, t.place)
ON_FILE(set_atomicity, MPI_File_set_atomicity, 0)
ON_FILE(set_info, MPI_File_set_info, MPI_INFO_NULL)
ON_FILE_WITH_REQUEST(iread, MPI_File_iread, READ)
ON_FILE_WITH_REQUEST(iread_all, MPI_File_iread_all, READ)
ON_FILE_WITH_REQUEST(iread_at, MPI_File_iread_at, t.place, READ)
ON_FILE_WITH_REQUEST(iread_at_all, MPI_File_iread_at_all, t.place, READ)
ON_FILE_WITH_REQUEST(iread_shared, MPI_File_iread_shared, READ)
ON_FILE_WITH_REQUEST(iwrite, MPI_File_iwrite, WRITE)
ON_FILE_WITH_REQUEST(iwrite_all, MPI_File_iwrite_all, WRITE)
ON_FILE_WITH_REQUEST(iwrite_at, MPI_File_iwrite_at, t.place, WRITE)
ON_FILE_WITH_REQUEST(iwrite_at_all, MPI_File_iwrite_at_all, t.place, WRITE)
ON_FILE_WITH_REQUEST(iwrite_shared, MPI_File_iwrite_shared, WRITE)

static int whence_of(const Call *call)
{
    int64_t whence = number_of(call, WHENCE, 0, 0);
    return whence == 1 ? MPI_SEEK_CUR : whence == 2 ? MPI_SEEK_END : MPI_SEEK_SET;
}

ON_FILE(seek, MPI_File_seek, t.place, whence_of(call))
ON_FILE(seek_shared, MPI_File_seek_shared, t.place, whence_of(call))

static int do_file_sync(Walker *walker, const Call *call)
{
    return MPI_File_sync(file_of(walker, call)->handle);
}

static int do_file_close(Walker *walker, const Call *call)
{
    OpenFile *file = file_of(walker, call);
    int code = MPI_File_close(&file->handle);
    unlink(file->name);
    return code;
}

/* Bytes, whatever the program's types were. */
static int do_file_set_view(Walker *walker, const Call *call)
{
    return MPI_File_set_view(file_of(walker, call)->handle, (MPI_Offset)number_of(call, OFFSET, 0, 0), MPI_BYTE,
                             MPI_BYTE, "native", MPI_INFO_NULL);
}

/* ---- the start, the end, and calls that ask --------------------------------------------------- */

/* The ranks have started before they read what they are to do. */
static int do_init(Walker *walker, const Call *call)
{
    (void)walker;
    (void)call;
    return MPI_SUCCESS;
}

static void end_threads(Replay *replay);

static int do_finalize(Walker *walker, const Call *call)
{
    Replay *replay = walker->replay;
    (void)call;
    end_threads(replay);
    replay->finalized = true;
    int code = MPI_Finalize();
    if (replay->folder)
        rmdir(replay->folder);
    return code;
}

static int do_abort(Walker *walker, const Call *call)
{
    return MPI_Abort(comm_of(walker, call)->handle, (int)number_of(call, CODE, 0, 1));
}

static int do_comm_rank(Walker *walker, const Call *call)
{
    int rank;
    return MPI_Comm_rank(comm_of(walker, call)->handle, &rank);
}

static int do_comm_size(Walker *walker, const Call *call)
{
    int size;
    return MPI_Comm_size(comm_of(walker, call)->handle, &size);
}

static int do_wtime(Walker *walker, const Call *call)
{
    (void)walker;
    (void)call;
    MPI_Wtime();
    return MPI_SUCCESS;
}

static const Known known_calls[] = {
    {"Abort", do_abort},
    {"Accumulate", do_accumulate},
    {"Allgather", do_allgather},
    {"Allgatherv", do_allgatherv},
    {"Allreduce", do_allreduce},
    {"Alltoall", do_alltoall},
    {"Alltoallv", do_alltoallv},
    {"Alltoallw", do_alltoallw},
    {"Barrier", do_barrier},
    {"Bcast", do_bcast},
    {"Bsend", do_bsend},
    {"Bsend_init", do_bsend_init},
    {"Cancel", do_cancel},
    {"Cart_create", do_cart_create},
    {"Cart_sub", do_cart_sub},
    {"Comm_create", do_comm_create},
    {"Comm_create_group", do_comm_create_group},
    {"Comm_disconnect", do_comm_disconnect},
    {"Comm_dup", do_comm_dup},
    {"Comm_dup_with_info", do_comm_dup_with_info},
    {"Comm_free", do_comm_free},
    {"Comm_idup", do_comm_idup},
    {"Comm_rank", do_comm_rank},
    {"Comm_size", do_comm_size},
    {"Comm_split", do_comm_split},
    {"Comm_split_type", do_comm_split_type},
    {"Compare_and_swap", do_compare_and_swap},
    {"Dist_graph_create", do_dist_graph_create},
    {"Dist_graph_create_adjacent", do_dist_graph_create_adjacent},
    {"Exscan", do_exscan},
    {"Fetch_and_op", do_fetch_and_op},
    {"File_close", do_file_close},
    {"File_iread", do_file_iread},
    {"File_iread_all", do_file_iread_all},
    {"File_iread_at", do_file_iread_at},
    {"File_iread_at_all", do_file_iread_at_all},
    {"File_iread_shared", do_file_iread_shared},
    {"File_iwrite", do_file_iwrite},
    {"File_iwrite_all", do_file_iwrite_all},
    {"File_iwrite_at", do_file_iwrite_at},
    {"File_iwrite_at_all", do_file_iwrite_at_all},
    {"File_iwrite_shared", do_file_iwrite_shared},
    {"File_open", do_file_open},
    {"File_preallocate", do_file_preallocate},
    {"File_read", do_file_read},
    {"File_read_all", do_file_read_all},
    {"File_read_all_begin", do_file_read_all_begin},
    {"File_read_all_end", do_file_read_all_end},
    {"File_read_at", do_file_read_at},
    {"File_read_at_all", do_file_read_at_all},
    {"File_read_at_all_begin", do_file_read_at_all_begin},
    {"File_read_at_all_end", do_file_read_at_all_end},
    {"File_read_ordered", do_file_read_ordered},
    {"File_read_ordered_begin", do_file_read_ordered_begin},
    {"File_read_ordered_end", do_file_read_ordered_end},
    {"File_read_shared", do_file_read_shared},
    {"File_seek", do_file_seek},
    {"File_seek_shared", do_file_seek_shared},
    {"File_set_atomicity", do_file_set_atomicity},
    {"File_set_info", do_file_set_info},
    {"File_set_size", do_file_set_size},
    {"File_set_view", do_file_set_view},
    {"File_sync", do_file_sync},
    {"File_write", do_file_write},
    {"File_write_all", do_file_write_all},
    {"File_write_all_begin", do_file_write_all_begin},
    {"File_write_all_end", do_file_write_all_end},
    {"File_write_at", do_file_write_at},
    {"File_write_at_all", do_file_write_at_all},
    {"File_write_at_all_begin", do_file_write_at_all_begin},
    {"File_write_at_all_end", do_file_write_at_all_end},
    {"File_write_ordered", do_file_write_ordered},
    {"File_write_ordered_begin", do_file_write_ordered_begin},
    {"File_write_ordered_end", do_file_write_ordered_end},
    {"File_write_shared", do_file_write_shared},
    {"Finalize", do_finalize},
    {"Gather", do_gather},
    {"Gatherv", do_gatherv},
    {"Get", do_get},
    {"Get_accumulate", do_get_accumulate},
    {"Graph_create", do_graph_create},
    {"Iallgather", do_iallgather},
    {"Iallgatherv", do_iallgatherv},
    {"Iallreduce", do_iallreduce},
    {"Ialltoall", do_ialltoall},
    {"Ialltoallv", do_ialltoallv},
    {"Ialltoallw", do_ialltoallw},
    {"Ibarrier", do_ibarrier},
    {"Ibcast", do_ibcast},
    {"Ibsend", do_ibsend},
    {"Iexscan", do_iexscan},
    {"Igather", do_igather},
    {"Igatherv", do_igatherv},
    {"Improbe", do_improbe},
    {"Imrecv", do_imrecv},
    {"Ineighbor_allgather", do_ineighbor_allgather},
    {"Ineighbor_allgatherv", do_ineighbor_allgatherv},
    {"Ineighbor_alltoall", do_ineighbor_alltoall},
    {"Ineighbor_alltoallv", do_ineighbor_alltoallv},
    {"Init", do_init},
    {"Init_thread", do_init},
    {"Intercomm_create", do_intercomm_create},
    {"Intercomm_merge", do_intercomm_merge},
    {"Iprobe", do_iprobe},
    {"Irecv", do_irecv},
    {"Ireduce", do_ireduce},
    {"Ireduce_scatter", do_ireduce_scatter},
    {"Ireduce_scatter_block", do_ireduce_scatter_block},
    {"Irsend", do_irsend},
    {"Iscan", do_iscan},
    {"Iscatter", do_iscatter},
    {"Iscatterv", do_iscatterv},
    {"Isend", do_isend},
    {"Issend", do_issend},
    {"Mprobe", do_mprobe},
    {"Mrecv", do_mrecv},
    {"Neighbor_allgather", do_neighbor_allgather},
    {"Neighbor_allgatherv", do_neighbor_allgatherv},
    {"Neighbor_alltoall", do_neighbor_alltoall},
    {"Neighbor_alltoallv", do_neighbor_alltoallv},
    {"Neighbor_alltoallw", do_neighbor_alltoallw},
    {"Probe", do_probe},
    {"Put", do_put},
    {"Raccumulate", do_raccumulate},
    {"Recv", do_recv},
    {"Recv_init", do_recv_init},
    {"Reduce", do_reduce},
    {"Reduce_scatter", do_reduce_scatter},
    {"Reduce_scatter_block", do_reduce_scatter_block},
    {"Request_free", do_request_free},
    {"Rget", do_rget},
    {"Rget_accumulate", do_rget_accumulate},
    {"Rput", do_rput},
    {"Rsend", do_rsend},
    {"Rsend_init", do_rsend_init},
    {"Scan", do_scan},
    {"Scatter", do_scatter},
    {"Scatterv", do_scatterv},
    {"Send", do_send},
    {"Send_init", do_send_init},
    {"Sendrecv", do_sendrecv},
    {"Sendrecv_replace", do_sendrecv_replace},
    {"Ssend", do_ssend},
    {"Ssend_init", do_ssend_init},
    {"Start", do_start},
    {"Startall", do_startall},
    {"Test", do_test},
    {"Testall", do_testall},
    {"Testany", do_testany},
    {"Testsome", do_testsome},
    {"Wait", do_wait},
    {"Waitall", do_waitall},
    {"Waitany", do_waitany},
    {"Waitsome", do_waitsome},
    {"Win_allocate", do_win_allocate},
    {"Win_allocate_shared", do_win_allocate_shared},
    {"Win_complete", do_win_complete},
    {"Win_create", do_win_create},
    {"Win_create_dynamic", do_win_create_dynamic},
    {"Win_fence", do_win_fence},
    {"Win_flush", do_win_flush},
    {"Win_flush_all", do_win_flush_all},
    {"Win_flush_local", do_win_flush_local},
    {"Win_flush_local_all", do_win_flush_local_all},
    {"Win_free", do_win_free},
    {"Win_lock", do_win_lock},
    {"Win_lock_all", do_win_lock_all},
    {"Win_post", do_win_post},
    {"Win_start", do_win_start},
    {"Win_sync", do_win_sync},
    {"Win_test", do_win_test},
    {"Win_unlock", do_win_unlock},
    {"Win_unlock_all", do_win_unlock_all},
    {"Win_wait", do_win_wait},
    {"Wtime", do_wtime},
};

static const Known *find_call(const char *name, size_t length)
{
    if (length < 4 || strncmp(name, "MPI_", 4) != 0)
        return NULL;
    length -= 4;
    if (length > 2 && strncmp(name + 4 + length - 2, "_c", 2) == 0) /* with counts of 64 bits */
        length -= 2;
    for (size_t i = 0; i < sizeof known_calls / sizeof *known_calls; i++)
        if (strncmp(known_calls[i].name, name + 4, length) == 0 && !known_calls[i].name[length])
            return &known_calls[i];
    return NULL;
}

/* ---- walking --------------------------------------------------------------------------------- */

static bool asks_only(const Known *known)
{
    Function f = known->function;
    return f == do_test || f == do_testall || f == do_testany || f == do_testsome || f == do_iprobe ||
           f == do_improbe || f == do_win_test;
}

/* "replay: rank 5: the recording ended in MPI_Recv, which now returned" */
static void tell_end(const Walker *walker, const char *what)
{
    const Node *node = walker->call->node;
    fprintf(stderr, "replay: rank %d: the recording ended in %.*s, which now %s\n", walker->replay->rank,
            (int)node->name_length, node->name, what);
    fflush(stderr);
}

static void check(const Walker *walker, int code)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length;
    const Node *node = walker->call->node;
    if (code == MPI_SUCCESS || find(walker->call, FAILED, 0))
        return;
    if (find(walker->call, OPEN, 0)) {
        tell_end(walker, "fails");
        PMPI_Abort(MPI_COMM_WORLD, WENT_WRONG);
    }
    PMPI_Error_string(code, text, &length);
    die(walker->replay, node, "%.*s fails, as it did not when it was recorded: %s", (int)node->name_length, node->name,
        text);
}

/* An error that ended the program is to end it here, too. */
static void let_errors_end(const Walker *walker)
{
    const Value *name = find(walker->call, COMM, 0);
    Comm *comm = name && name->form == WORD ? find_comm(walker->replay, name->text, name->length) : NULL;
    if (comm && comm->handle != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(comm->handle, MPI_ERRORS_ARE_FATAL);
    if (walker->replay->world)
        PMPI_Comm_set_errhandler(walker->replay->world->handle, MPI_ERRORS_ARE_FATAL);
}

/* A rank that asked for ever when the recording ended. */
static void ask_on(Walker *walker)
{
    const struct timespec millisecond = {0, 1000000};
    walker->asks = true;
    while (!walker->found) {
        nanosleep(&millisecond, NULL);
        check(walker, walker->call->node->known->function(walker, walker->call));
    }
    tell_end(walker, "found something");
    walker->is_over = true;
}

static void leave_out(Walker *walker, const Node *node)
{
    char name[64];
    size_t used = strlen(walker->left_out_names);
    snprintf(name, sizeof name, "%s%.*s", used > 0 ? ", " : "", (int)(node->name_length < 40 ? node->name_length : 40),
             node->name);
    walker->left_out++;
    if (!strstr(walker->left_out_names, used > 0 ? name + 2 : name) &&
        used + strlen(name) < sizeof walker->left_out_names)
        strcat(walker->left_out_names, name);
}

/* The clock is asked a dozen times only, each time that half of what was left has passed: who traces the replay is to
 * see its calls, and not the clock's. */
static void work_until(Walker *walker, double until)
{
    for (double now = seconds(); now < until;) {
        const uint64_t rounds = (uint64_t)(0.5 * (until - now) * walker->speed) + 8;
        for (volatile uint64_t i = 0; i < rounds; i++)
            ;
        const double then = seconds();
        if (then > now + 1e-6) {
            const double speed = (double)rounds / (then - now);
            walker->speed = speed < 4 * walker->speed ? speed : 4 * walker->speed;
        }
        now = then;
    }
}

/* As long between the calls as the program took. */
static void compute(Walker *walker, const Node *node)
{
    const Time *time = node->times;
    while (time && time->after != (walker->place < 0 ? AFTER_START : walker->place - node->place))
        time = time->next;
    walker->place = node->place;
    if (!time)
        return;
    const Value ns = time->ns.cursor ? next_value(&time->ns) : time->ns.row->part[0].first;
    const double until = walker->since + 1e-11 * (double)walker->replay->compute * (double)ns.number;
    work_until(walker, until);
}

static void make_call(Walker *walker, const Node *node)
{
    Call *call = walker->call;
    call->node = node;
    for (int i = 0; i < node->fields; i++)
        call->value[i] =
            node->field[i].cursor ? next_value(&node->field[i]) : innermost(node->field[i].row)->part[0].first;
    bool is_open = find(call, OPEN, 0) != NULL;
    if (!node->known) {
        leave_out(walker, node);
        walker->is_over = is_open;
        return;
    }
    if (is_open)
        let_errors_end(walker);
    walker->polled = asks_only(node->known);
    walker->found = false;
    check(walker, node->known->function(walker, call));
    if (is_open && walker->polled && !walker->found)
        ask_on(walker);
    else if (is_open)
        tell_end(walker, "returned");
    walker->is_over = walker->is_over || is_open;
}

static void walk(Walker *walker, const Node *node, bool is_outermost)
{
    for (; node && !walker->is_over && !walker->replay->finalized; node = node->next) {
        if (!node->is_loop) {
            if (walker->replay->compute > 0)
                compute(walker, node);
            make_call(walker, node);
            if (walker->replay->compute > 0)
                walker->since = seconds();
            continue;
        }
        int64_t times = node->fields == 0       ? 0
                        : node->field[0].cursor ? next_value(&node->field[0]).number
                                                : innermost(node->field[0].row)->part[0].first.number;
        if (is_outermost && walker->replay->steps >= 0 && times > walker->replay->steps)
            times = walker->replay->steps;
        for (int64_t i = 0; node->child && i < times && !walker->is_over; i++)
            walk(walker, node->child, false);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

static Walker *new_walker(Replay *replay, Thread *thread)
{
    Walker *walker = get_memory(replay, 1, sizeof *walker);
    walker->replay = replay;
    walker->thread = thread;
    walker->place = -1;
    walker->since = seconds();
    walker->speed = 1e7;
    walker->call = get_memory(replay, 1, sizeof *walker->call);
    walker->places = get_memory(replay, MOST_REQUESTS + 1, sizeof *walker->places);
    reserve_scratch(walker, 8);
    return walker;
}

static void stay(void)
{
    for (;;)
        pause();
}

static void *run_thread(void *data)
{
    Walker *walker = data;
    walk(walker, walker->thread->first, true);
    if (walker->polled && !walker->found && !walker->is_over)
        ask_on(walker);
    return NULL;
}

/* Threads other than the first make their calls from the start on, as what came before them is not known. */
static void begin_threads(Replay *replay)
{
    for (Thread *thread = replay->threads; thread; thread = thread->next) {
        thread->walker = new_walker(replay, thread);
        if (thread != replay->threads && pthread_create(&thread->handle, NULL, run_thread, thread->walker) != 0)
            die(replay, NULL, "thread %d cannot be started", thread->number);
    }
}

static void end_threads(Replay *replay)
{
    for (Thread *thread = replay->threads ? replay->threads->next : NULL; thread; thread = thread->next)
        if (thread->walker) {
            pthread_join(thread->handle, NULL);
            thread->walker->thread = NULL;
        }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Before MPI_Init() only launchers know the rank. */
static bool is_first_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return strcmp(getenv(names[i]), "0") == 0;
    return true;
}

/* All ranks find the same, so one says it. */
static void refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (is_first_rank()) {
        fputs("replay: ", stderr);
        vfprintf(stderr, format, arguments);
        fputs("\n", stderr);
        fflush(stderr);
    }
    va_end(arguments);
    exit(CANNOT_START);
}

static char *read_text_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = 0, room_left = 1 << 16;
    char *text = malloc(room_left + 1);
    if (!file || !text)
        refuse("%s: %s", path, strerror(errno));
    for (;;) {
        bytes += fread(text + bytes, 1, room_left - bytes, file);
        if (bytes < room_left)
            break;
        if (bytes >= MOST_BYTES)
            refuse("%s: has more than %d bytes: this is no skeleton", path, MOST_BYTES);
        room_left *= 2;
        char *more = realloc(text, room_left + 1);
        if (!more)
            refuse("%s: there is no memory for it", path);
        text = more;
    }
    bool is_bad = ferror(file);
    fclose(file);
    text[bytes] = '\0';
    if (is_bad)
        refuse("%s: cannot be read", path);
    if (strlen(text) != bytes)
        refuse("%s: has bytes of 0: this is no text", path);
    return text;
}

static int64_t number_argument(const char *option, const char *text, bool percent, int64_t least)
{
    char *end = NULL;
    errno = 0;
    long long number = text ? strtoll(text, &end, 10) : 0;
    if (text && percent && *end == '%')
        end++;
    if (!text || end == text || *end || errno || number < least || (percent && number > 100000))
        refuse("%s %s: %s", option, text ? text : "",
               !percent     ? "a number is wanted"
               : least == 0 ? "0% to 100000% are possible"
                            : "1% to 100000% are possible");
    return number;
}

static void read_arguments(Replay *replay, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--wildcards") == 0)
            replay->wildcards = true;
        else if (strcmp(argv[i], "--size") == 0)
            replay->percent = number_argument("--size", argv[++i < argc ? i : argc], true, 1);
        else if (strcmp(argv[i], "--steps") == 0)
            replay->steps = number_argument("--steps", argv[++i < argc ? i : argc], false, 0);
        else if (strcmp(argv[i], "--compute") == 0)
            replay->compute = number_argument("--compute", argv[++i < argc ? i : argc], true, 0);
        else if (argv[i][0] == '-' || replay->path)
            refuse("%s: replay FILE [--wildcards] [--size N%%] [--steps N] [--compute N%%]", argv[i]);
        else
            replay->path = argv[i];
    }
    if (!replay->path)
        refuse("which FILE? replay FILE [--wildcards] [--size N%%] [--steps N] [--compute N%%]");
}

/* Whether any rank opens a file: all ranks are to agree on it. */
static bool opens_files(const char *text)
{
    return strstr(text, "MPI_File_open") != NULL;
}

static void take_over(Replay *replay, const Reader *reader)
{
    replay->ranks = reader->ranks;
    replay->axes = reader->axes;
    memcpy(replay->mesh, reader->mesh, sizeof replay->mesh);
    replay->threads = reader->threads;
    replay->members = reader->members;
    if (!reader->has_times)
        replay->compute = 0;
}

static void start_mpi(Replay *replay, Reader *reader, int *argc, char ***argv)
{
    int provided, ranks;
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    if (reader->level >= 0 && reader->level <= 3)
        MPI_Init_thread(argc, argv, levels[reader->level], &provided);
    else
        MPI_Init(argc, argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &replay->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != reader->ranks) {
        if (replay->rank == 0)
            fprintf(stderr, "replay: %s is of %d ranks, and %d were started\n", replay->path, reader->ranks, ranks);
        PMPI_Finalize();
        exit(CANNOT_START);
    }
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    replay->world = add_comm(replay, "world");
    replay->world->handle = MPI_COMM_WORLD;
    add_comm(replay, "self")->handle = MPI_COMM_SELF;
}

static void tell_left_out(const Walker *walker)
{
    if (walker->left_out > 0 && walker->replay->rank == 0)
        fprintf(stderr, "replay: rank 0: %llu calls are not made again: %s\n", (unsigned long long)walker->left_out,
                walker->left_out_names);
}

/* After the last call that was recorded: a rank that was in no call stays, as it did then. */
static void end(Replay *replay, Walker *walker)
{
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (!finalized && !walker->is_over && walker->polled && !walker->found)
        ask_on(walker);
    if (!finalized && !walker->is_over && replay->steps < 0) {
        fprintf(stderr, "replay: rank %d: the recording ended here, in no call of MPI: the rank stays\n", replay->rank);
        fflush(stderr);
        stay();
    }
    tell_left_out(walker);
    if (!finalized)
        PMPI_Finalize();
}

int main(int argc, char **argv)
{
    Replay *replay = calloc(1, sizeof *replay);
    Reader *reader = calloc(1, sizeof *reader);
    if (!replay || !reader)
        return CANNOT_START;
    *replay = (Replay){.rank = -1, .percent = 100, .steps = -1, .compute = 100};
    pthread_mutex_init(&replay->lock, NULL);
    read_arguments(replay, argc, argv);
    replay->text = read_text_file(replay->path);
    if (!read_skeleton(reader, replay->text, -1))
        refuse("%s:%u:%ld: %s", replay->path, reader->number > 0 ? reader->number : 1,
               (long)(reader->at ? reader->at - reader->line : 0) + 1, reader->problem);
    start_mpi(replay, reader, &argc, &argv);
    if (!read_skeleton(reader, replay->text, replay->rank))
        die(replay, NULL, "%s", reader->problem);
    take_over(replay, reader);
    free(reader);
    if (opens_files(replay->text))
        make_folder(replay);
    begin_threads(replay);
    if (!replay->threads)
        die(replay, NULL, "there is no call in it");
    Walker *walker = replay->threads->walker;
    walk(walker, replay->threads->first, true);
    end(replay, walker);
    return 0;
}
