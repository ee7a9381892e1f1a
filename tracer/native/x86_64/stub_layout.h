/** Places in structures that stubs.S counts on, for the assembler; quick_calls.c checks them. */
#ifndef DT_X86_64_STUB_LAYOUT_H
#define DT_X86_64_STUB_LAYOUT_H

/* struct dt_calls */
#define DT_CALLS_DEPTH     0
#define DT_CALLS_QUICK     8
#define DT_CALLS_OPEN_SLOT 136
#define DT_CALLS_OPEN_LAZY 144
/* Which of the quick calls, by the site. */
#define DT_QUICK_MASK 15

/* struct dt_quick_call, struct dt_known_call */
#define DT_KNOWN_SITE            0
#define DT_KNOWN_FUNCTION        8
#define DT_KNOWN_CALLER          12
#define DT_KNOWN_EPOCH           16
#define DT_KNOWN_ID              20
#define DT_KNOWN_REQUESTS_EPOCH  24
#define DT_KNOWN_NAMED_BYTES     28
#define DT_KNOWN_FLAG            32
#define DT_KNOWN_PARAMETER_COUNT 40
#define DT_KNOWN_PARAMETERS      48
#define DT_KNOWN_NAMED           96
/* struct dt_named_request */
#define DT_NAMED_BYTES 24

/* Tail calls one after the other leave a frame each at the same slot. Past so many the newest takes the place of the
 * one before it, so that mutual tail recursion does not fill the shadow stack. */
#define DT_MOST_TAIL_CALLS 16
/* struct dt_frame */
#define DT_FRAME_BYTES 24

#endif
