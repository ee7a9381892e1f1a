/** Slips of the fingers: the name that was meant. */
#ifndef DT_BASE_NEAREST_H
#define DT_BASE_NEAREST_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * The nearest of `names` (NULL terminated) if it is near enough for a slip of the fingers, whatever the case, else
 * NULL: at most a third of the word's letters are to be changed, or two; or the word is the beginning
 * of the name, or the name that of the word. O(names x letters^2).
 */
const char *dt_nearest(const char *word, const char *const *names);

G_END_DECLS

#endif
