/** Folded sequences as text, in the oracle's notation. */
#ifndef TESTS_NLR_TEXT_H
#define TESTS_NLR_TEXT_H

#include "nlr/nlr.h"

/** Symbols as numbers, loops as "(BODY)^COUNT", all separated by blanks; g_free(). */
char *nlr_text(const DtNlr *nlr, const DtLoopTable *table);
/** The same of a row of elements, such as the body of a loop. */
void nlr_append_elements(GString *text, const DtLoopTable *table, DtElements elements);

#endif
