/** Places in structures that stubs.S counts on, for the assembler; call_site_stubs.c checks them. */
#ifndef DT_X86_64_STUB_LAYOUT_H
#define DT_X86_64_STUB_LAYOUT_H

/* struct dt_calls */
#define DT_CALLS_DEPTH     0
#define DT_CALLS_SHOWN     8
#define DT_CALLS_OPEN_SLOT 136
#define DT_CALLS_OPEN_LAZY 144
/* Which of the calls shown to the stubs, by the site. */
#define DT_SHOWN_MASK 15

/* struct dt_cached_head, struct dt_cached_call */
#define DT_CACHED_SITE            0
#define DT_CACHED_FUNCTION        8
#define DT_CACHED_CALLER          12
#define DT_CACHED_EPOCH           16
#define DT_CACHED_ID              20
#define DT_CACHED_REQUESTS_EPOCH  24
#define DT_CACHED_NAMED_BYTES     28
#define DT_CACHED_FLAG            32
#define DT_CACHED_PARAMETER_COUNT 40
#define DT_CACHED_TESTS           44
#define DT_CACHED_UNTIMED         45
#define DT_CACHED_IS_TEST         46
#define DT_CACHED_PARAMETERS      48
#define DT_CACHED_NAMED           96
/* Of tests that find nothing each 64th has times. */
#define DT_UNTIMED_TESTS 63
/* struct dt_named_request */
#define DT_NAMED_BYTES 24

#endif
