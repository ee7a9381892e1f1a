/* Folded sequences in canonical form: the bodies that lasted, numbered post-order by first sight. */
#include "nlr/fold.h"
#include "nlr/loop_table.h"
#include "nlr/sequence.h"

struct DtLooseNlr {
    DtLoopTable *bodies;
    DtNlr *nlr;
};

#define UNNUMBERED G_MAXUINT32

/* Bodies of one table become bodies of another. */
typedef struct {
    const DtLoopTable *from;
    DtLoopTable *to;
    guint32 *numbers; /* by id in `from`: id in `to`, UNNUMBERED before first sight */
} Renumbering;

static guint32 renumber_body(Renumbering *renumbering, guint32 body);

static void renumber(Renumbering *renumbering, DtElements elements, DtElement *renumbered)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (dt_element_is_loop(element))
            element = dt_element_loop(renumber_body(renumbering, dt_element_body(element)), dt_element_count(element));
        renumbered[i] = element;
    }
}

/* Every loop repeats at least twice, so nesting is at most log2 of the symbols deep. */
static guint32 renumber_body(Renumbering *renumbering, guint32 body)
{
    if (renumbering->numbers[body] != UNNUMBERED)
        return renumbering->numbers[body];
    DtElements elements = dt_loop_table_body(renumbering->from, body);
    g_autofree DtElement *renumbered = g_new(DtElement, elements.length);
    renumber(renumbering, elements, renumbered);
    guint64 hash = dt_sequence_hash(renumbered, elements.length);
    guint32 number = dt_loop_table_intern(renumbering->to, renumbered, elements.length, hash);
    renumbering->numbers[body] = number;
    return number;
}

/* `elements` over `from`, rewritten to `renumbered` (the same length) over `to`. */
static void renumber_all(const DtLoopTable *from, DtLoopTable *to, DtElements elements, DtElement *renumbered)
{
    guint32 count = dt_loop_table_count(from);
    g_autofree guint32 *numbers = g_new(guint32, count);
    for (guint32 i = 0; i < count; i++)
        numbers[i] = UNNUMBERED;
    Renumbering renumbering = {from, to, numbers};
    renumber(&renumbering, elements, renumbered);
}

DtLooseNlr *dt_loose_nlr_new(const DtLoopTable *table, DtElements elements)
{
    DtNlr *nlr = g_new(DtNlr, 1);
    nlr->references = 1;
    nlr->elements = g_new(DtElement, elements.length);
    nlr->length = elements.length;
    nlr->symbols = dt_nlr_expanded_length(table, elements);
    DtLooseNlr *loose = g_new(DtLooseNlr, 1);
    loose->bodies = dt_loop_table_new();
    loose->nlr = nlr;
    renumber_all(table, loose->bodies, elements, nlr->elements);
    return loose;
}

void dt_loose_nlr_free(DtLooseNlr *loose)
{
    if (loose == NULL)
        return;
    dt_loop_table_free(loose->bodies);
    dt_nlr_free(loose->nlr);
    g_free(loose);
}

DtNlr *dt_loose_nlr_intern(DtLooseNlr *loose, DtLoopTable *table)
{
    DtNlr *nlr = g_steal_pointer(&loose->nlr);
    renumber_all(loose->bodies, table, dt_nlr_elements(nlr), nlr->elements);
    dt_loose_nlr_free(loose);
    return nlr;
}

DtNlr *dt_nlr_ref(DtNlr *nlr)
{
    nlr->references++;
    return nlr;
}

void dt_nlr_free(DtNlr *nlr)
{
    if (nlr == NULL || --nlr->references > 0)
        return;
    g_free(nlr->elements);
    g_free(nlr);
}

DtElements dt_nlr_elements(const DtNlr *nlr)
{
    return (DtElements){nlr->elements, nlr->length};
}

guint64 dt_nlr_symbols(const DtNlr *nlr)
{
    return nlr->symbols;
}
