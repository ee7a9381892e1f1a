/**
 * Hooked functions, by index, and their ids in the process file. The tables never move; functions are only ever added,
 * while hooks are being set.
 */
#ifndef DT_RECORD_FUNCTIONS_H
#define DT_RECORD_FUNCTIONS_H

#include <stdbool.h>

#include "calls/calls.h"
#include "format/trace_file.h"

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
        uint64_t terminating_address; /* of a terminating one: its own; of an import: the slot that says where it is */
    };
    uint32_t image, symbol;
    uint8_t api_class;  /* enum dt_call_class */
    uint8_t action;     /* enum dt_api_action */
    bool own_image : 1; /* of the program itself, not of a runtime library */
    bool import : 1;
    bool timed : 1;       /* times of its calls are noted */
    bool terminating : 1; /* recorded at its entry alone, see terminating.h */
    bool encloses : 1;    /* api_stubs.S: API calls right inside it are its own business, */
    bool both_ends : 1;   /* it is hooked where it returns, too: its return address stays; no exit address */
    bool enclosed : 1;    /* and this one is such a call: there is nothing in it that we have to know */
    bool reports : 1; /* an import that may open a terminating function again, see open_terminating.h: no stub has its
                         word */
    uint8_t switches : 6;       /* calls of it start or stop the recording */
    bool tells_failure : 1;     /* a result but 0 is an error of MPI */
    bool asks_at_return : 1;    /* its stub goes on to dt_api_exit() */
    uint16_t call;              /* its arguments: dt_call_get(); 0: none */
    uint16_t terminating_bytes; /* of its code */
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

/** Capacity for functions; only while hooks are being set. */
bool dt_functions_reserve(uint32_t count);
uint32_t dt_function_id(uint64_t index);
/** Its stub records calls by itself from now on, if it can; gives the id, 0 if it has none yet. */
uint32_t dt_function_give_word(uint64_t index);
/** Its stub asks C for every call. */
void dt_function_take_word(uint64_t index);
/** A further id of the function, for calls with these arguments that return to `site`; 0: from anywhere. */
uint32_t dt_function_new_id(uint64_t index, const int64_t *arguments, uint32_t count, uint64_t site);
/** Sees to it that the file has a record of an image that calls come from. Safe in signal handlers. */
void dt_function_site_image(uint32_t image);
/** Writes the image's record into the file. */
void dt_function_image_record(const struct dt_image *image);
/** In the child of a fork: nothing goes into its parent's tables. */
void dt_functions_leave(void);
/** All ids are unknown again: it has a file of its own. */
void dt_functions_reset(void);

#endif
