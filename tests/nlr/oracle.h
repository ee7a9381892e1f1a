/**
 * The definition of the nested loop representation, done the slow and plain way:
 * after every push, all body lengths are tried by comparing. Shares nothing with
 * the implementation.
 */
#ifndef TESTS_NLR_ORACLE_H
#define TESTS_NLR_ORACLE_H

#include <glib.h>

typedef struct Oracle Oracle;
Oracle *oracle_new(void);
void oracle_free(Oracle *oracle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Oracle, oracle_free)

/**
 * The folded sequence as text: symbols as numbers, loops as "(BODY)^COUNT", all
 * separated by blanks; g_free(). `most` gets the largest number of reductions that
 * were applicable at the same time.
 */
char *oracle_fold(Oracle *oracle, const guint32 *symbols, gsize count, guint k, guint min_repeat, guint *most);

#endif
