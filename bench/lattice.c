/*
 * Processor time of the concepts of a random context, peak memory, and how many there are: lattice OBJECTS ATTRIBUTES
 * DENSITY own|closure. At most 63 attributes; `closure`: NextClosure (Ganter 1984), intents only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fca/fca.h"
#include "measure.h"

typedef struct {
    guint objects, attributes;
    guint64 *rows;
} Table;

static Table table_new(guint objects, guint attributes, double density)
{
    GRand *random = g_rand_new_with_seed(1);
    Table table = {objects, attributes, g_new0(guint64, objects)};
    for (guint i = 0; i < objects; i++) {
        for (guint j = 0; j < attributes; j++)
            table.rows[i] |= (guint64)(g_rand_double(random) < density) << j;
    }
    g_rand_free(random);
    return table;
}

static guint64 closure(const Table *table, guint64 set)
{
    guint64 closed = ((guint64)1 << table->attributes) - 1;
    for (guint i = 0; i < table->objects; i++)
        closed &= (table->rows[i] & set) == set ? table->rows[i] : ~(guint64)0;
    return closed;
}

static guint count_by_closure(const Table *table)
{
    const guint64 all = ((guint64)1 << table->attributes) - 1;
    guint64 set = closure(table, 0);
    guint count = 1;
    for (; set != all; count++) {
        for (guint attribute = table->attributes; attribute-- > 0;) {
            guint64 bit = (guint64)1 << attribute, smaller = bit - 1;
            guint64 next = (set & bit) == 0 ? closure(table, (set & smaller) | bit) : 0;
            if ((set & bit) == 0 && (next & smaller) == (set & smaller)) {
                set = next;
                break;
            }
        }
    }
    return count;
}

static DtContext *context_of(const Table *table)
{
    DtContext *context = dt_context_new();
    for (guint i = 0; i < table->objects; i++) {
        dt_context_add_object(context, "");
        for (guint j = 0; j < table->attributes; j++) {
            g_autofree char *name = g_strdup_printf("%u", j);
            if ((table->rows[i] >> j & 1) != 0)
                dt_context_add_attribute(context, i, name);
        }
    }
    return context;
}

int main(int argc, char **argv)
{
    if (argc != 5 || atoi(argv[2]) > 63) {
        fprintf(stderr, "usage: lattice OBJECTS ATTRIBUTES DENSITY own|closure\n");
        return 2;
    }
    Table table = table_new((guint)atoi(argv[1]), (guint)atoi(argv[2]), atof(argv[3]));
    guint count = 0;
    double start = dt_processor_seconds();
    if (strcmp(argv[4], "own") == 0) {
        g_autoptr(DtContext) context = context_of(&table);
        g_autoptr(GError) error = NULL;
        start = dt_processor_seconds();
        g_autoptr(DtLattice) lattice = dt_lattice_new(context, 10000000, &error);
        count = lattice ? dt_lattice_count(lattice) : 0;
    } else {
        count = count_by_closure(&table);
    }
    printf("%.6f %ld %u\n", dt_processor_seconds() - start, dt_peak_kilobytes(), count);
    g_free(table.rows);
    return 0;
}
