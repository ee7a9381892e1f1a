/* Processor time of the difference of two files of a number a line, peak memory, and edits: diff A B exact|bounded */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diffnlr/diffnlr.h"
#include "measure.h"

static GArray *read_numbers(const char *path)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
    FILE *file = fopen(path, "r");
    char line[32];
    while (file && fgets(line, sizeof line, file)) {
        guint64 number = strtoull(line, NULL, 10);
        g_array_append_val(numbers, number);
    }
    if (file)
        fclose(file);
    return numbers;
}

int main(int argc, char **argv)
{
    enum { LIMIT = 2048 }; /* as diffNLR has it */
    if (argc != 4) {
        fprintf(stderr, "usage: diff A B exact|bounded\n");
        return 2;
    }
    double start = dt_processor_seconds();
    g_autoptr(GArray) a = read_numbers(argv[1]), b = read_numbers(argv[2]);
    const guint64 *left = (const guint64 *)(const void *)a->data, *right = (const guint64 *)(const void *)b->data;
    gboolean minimal = TRUE;
    g_autoptr(GArray) runs = strcmp(argv[3], "exact") == 0
                                 ? dt_myers(left, a->len, right, b->len)
                                 : dt_myers_bounded(left, a->len, right, b->len, LIMIT, &minimal);
    printf("%.6f %ld %" G_GSIZE_FORMAT "\n", dt_processor_seconds() - start, dt_peak_kilobytes(),
           dt_edit_distance(runs));
    return 0;
}
