/**
 * Rows of values: what a field of a call is from visit to visit, folded: progressions `0..59`, `8..0/-2`, equal values
 * `7168^25`, and repeats `(7448 7168)^3`, of each other (NLR of the progressions). A row of one value is that value at
 * every visit.
 */
#ifndef DT_SKELETON_ROW_H
#define DT_SKELETON_ROW_H

#include <glib.h>

G_BEGIN_DECLS

/** An integer, or an atom: a text that means something by itself ("any", "world/1", "<0 2-4>"), or below these what is
 * no number either (peers.h). */
typedef gint64 DtValue;
#define DT_FIRST_ATOM ((gint64)1 << 62)
#define DT_FIRST_NAME ((gint64)3 << 60)
static inline gboolean dt_value_is_atom(DtValue value)
{
    return value >= DT_FIRST_ATOM;
}

/** Texts, numbered. */
typedef struct DtAtoms DtAtoms;
DtAtoms *dt_atoms_new(void);
void dt_atoms_free(DtAtoms *atoms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtAtoms, dt_atoms_free)
/** The atom of a text, which is copied. O(length). */
DtValue dt_atoms_intern(DtAtoms *atoms, const char *text);
/** Borrowed. `value` is one of these atoms. */
const char *dt_atoms_text(const DtAtoms *atoms, DtValue value);

typedef struct DtRow DtRow;
/** `count` consecutive values from `first` on, or, if `inner` is there, that row so many times. */
typedef struct {
    DtValue first;
    gint64 step;
    guint64 count;
    DtRow *inner; /* owned by the row */
} DtRowPart;

struct DtRow {
    guint64 length; /* of all values; at least 1 */
    guint parts;
    DtRowPart part[];
};

/** Folds `count` values, at least one. O(count). */
DtRow *dt_row_fold(const DtValue *values, gsize count);
/** Takes over what `parts` (element-type DtRowPart) has. NULL: it would be longer than G_MAXINT64. */
DtRow *dt_row_of_parts(const GArray *parts);
DtRow *dt_row_copy(const DtRow *row);
void dt_row_free(DtRow *row);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRow, dt_row_free)
gboolean dt_row_equal(const DtRow *a, const DtRow *b);
guint dt_row_hash(const DtRow *row);
/** Parts of the row and of those within: what it takes to write it down. */
guint dt_row_size(const DtRow *row);

enum { DT_ROW_DEPTH = 12 }; /* of rows within rows */
/** Goes through a row, value by value. */
typedef struct {
    guint depth;
    struct {
        const DtRow *row;
        guint part;
        guint64 done; /* of that part's values, or of its times */
    } level[DT_ROW_DEPTH];
} DtRowCursor;
void dt_row_cursor_begin(DtRowCursor *cursor, const DtRow *row);
/** The value of the next visit: of a row of one value that, else the next one; of a row that is over the last one. */
DtValue dt_row_cursor_next(DtRowCursor *cursor);

G_END_DECLS

#endif
