/**
 * The named categories: which function names each of them holds.
 */
#ifndef DT_FILTERS_CATEGORIES_H
#define DT_FILTERS_CATEGORIES_H

#include "filters/filters.h"

enum { DT_CATEGORY_NONE = -1 };

/** Index of a category by name or alias (`length` bytes), DT_CATEGORY_NONE if there is none; `cust` is none. */
int dt_category_find(const char *text, gsize length);
/** Canonical name of a category. */
const char *dt_category_name(int category);
/** The category or alias nearest to a mistyped word, NULL if nothing comes near. */
const char *dt_category_closest(const char *word);
/** `image` is the base name of the function's library, or NULL if it is not known. */
gboolean dt_category_matches(int category, const char *function, const char *image, guint flags);
/** `function` without the suffix "@plt" of imports; g_free(). */
char *dt_name_without_import(const char *function);
/** TRUE for the nameless entries of a procedure linkage table: ".plt", ".plt.got", ".plt.sec". */
gboolean dt_name_is_anonymous_plt(const char *function);

#endif
