/* The nearest name. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST_WORD = 256 /* no slip is longer */, MOST_LETTERS_THAT_COUNT = 30 };

/* Levenshtein's distance, one row at a time. */
static guint edit_distance(const char *a, const char *b)
{
    gsize columns = strlen(b);
    g_autofree guint *row = g_new(guint, columns + 1);
    for (gsize j = 0; j <= columns; j++)
        row[j] = (guint)j;
    for (gsize i = 1; a[i - 1] != '\0'; i++) {
        guint diagonal = row[0];
        row[0] = (guint)i;
        for (gsize j = 1; j <= columns; j++) {
            guint above = row[j];
            guint replaced = diagonal + (g_ascii_tolower(a[i - 1]) != g_ascii_tolower(b[j - 1]));
            row[j] = MIN(replaced, MIN(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[columns];
}

static guint distance_of(const char *word, const char *name)
{
    if (g_ascii_strncasecmp(name, word, strlen(word)) == 0)
        return 1;
    if (g_ascii_strncasecmp(word, name, strlen(name)) == 0)
        return 2;
    return edit_distance(word, name);
}

const char *dt_nearest(const char *word, const char *const *names)
{
    const char *nearest = NULL;
    guint letters = (guint)MIN(strlen(word), MOST_LETTERS_THAT_COUNT);
    guint best = MAX(2, letters / 3) + 1;
    for (; *names && strlen(word) <= LONGEST_WORD; names++) {
        guint distance = distance_of(word, *names);
        if (distance < best) {
            best = distance;
            nearest = *names;
        }
    }
    return nearest;
}
