/** The shadow stack's frames as assemblers see them, too; thread.h has the structure. */
#ifndef DT_RECORD_FRAME_LAYOUT_H
#define DT_RECORD_FRAME_LAYOUT_H

/* Tail calls one after the other leave a frame each at the same slot. Past so many the newest takes the place of the
 * one before it, so that mutual tail recursion does not fill the shadow stack. */
#define DT_MOST_TAIL_CALLS 16
/* struct dt_frame */
#define DT_FRAME_BYTES 24

#endif
