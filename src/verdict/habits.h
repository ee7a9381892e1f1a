/**
 * What functions do normally, and how likely luck is to show something new of them: as often as, normally, one saw what
 * was not seen again (Good 1953). Of two kinds: all calls that a function makes, and which call it makes after which.
 */
#ifndef DT_VERDICT_HABITS_H
#define DT_VERDICT_HABITS_H

#include "verdict/evidence.h"

G_BEGIN_DECLS

typedef enum {
    DT_HABIT_ACTS, /* of a function: all its calls, from its start to its return */
    DT_HABIT_STEPS /* of a function after a call: the next one */
} DtHabitKind;

typedef struct DtHabits DtHabits;

/** Of the normal runs. O(acts). */
DtHabits *dt_habits_new(const DtCorpus *corpus, DtHabitKind kind);
void dt_habits_free(DtHabits *habits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtHabits, dt_habits_free)

/** What of a trace of the faulty run habits of this kind are of. */
const DtGramMap *dt_habits_of_trace(const DtHabits *habits, guint trace);

/** 0: what is done there is known, or it may well be luck .. 1: it is none. */
double dt_habits_surprise(const DtHabits *habits, guint64 done);

/** The same in a trace: in a function that takes what comes first there only calls are new that it never makes. */
double dt_habits_surprise_in(const DtHabits *habits, guint64 done, guint trace);

/** What it is known by where it happens: of acts the function, of steps the function and the call before. */
guint64 dt_habits_place(const DtHabits *habits, guint64 done);

/** The step that is taken most often after a call of a function; FALSE: none is known. */
gboolean dt_habits_usual_step(const DtHabits *habits, guint64 place, guint32 *next);
/** Is a step known? */
gboolean dt_habits_knows_step(const DtHabits *habits, guint32 function, guint32 call, guint32 next);

G_END_DECLS

#endif
