#include "verdict/differing_arguments.h"

#include <string.h>

#include "format/arguments.h"

/* The nth of that kind; NULL: there are not so many. */
static const DtArgument *nth_of_kind(const DtSignature *signature, guint kind, guint nth)
{
    for (guint i = 0; i < signature->argument_count; i++)
        if (signature->arguments[i].kind == kind && nth-- == 0)
            return &signature->arguments[i];
    return NULL;
}

static guint number_among_kind(const DtSignature *signature, guint index)
{
    guint nth = 0;
    for (guint i = 0; i < index; i++)
        nth += signature->arguments[i].kind == signature->arguments[index].kind;
    return nth;
}

/* "to rank 4 (+1)" of "to +1", if the communicator is the world; takes `text`. */
static char *make_absolute(char *text, const DtSignature *signature, const DtArgument *argument,
                           const DtProcess *process)
{
    gboolean relative = (argument->kind == DT_ARGUMENT_TO || argument->kind == DT_ARGUMENT_FROM) && strchr(text, ' ');
    if (!process || process->rank < 0 || !relative || argument->special != 0 ||
        g_strcmp0(signature->communicator, "world") != 0)
        return text;
    const char *offset = strrchr(text, ' ') + 1;
    gint64 size = MAX(1, process->world_size), rank = process->rank + g_ascii_strtoll(offset, NULL, 10);
    char *absolute = g_strdup_printf("%.*s rank %" G_GINT64_FORMAT " (%s)", (int)(offset - 1 - text), text,
                                     (rank % size + size) % size, offset);
    g_free(text);
    return absolute;
}

/* Which of the thread's requests that were not complete; 0 is the oldest. */
static char *live_text(const DtArgument *argument)
{
    if (argument->numbers)
        return g_strdup_printf("live requests %s", argument->numbers->text);
    if (argument->special == DT_SPECIAL_ALL)
        return g_strdup("all live requests");
    if (argument->special == DT_SPECIAL_NO_HANDLE)
        return g_strdup("no request");
    if (argument->special != DT_SPECIAL_NONE)
        return NULL;
    return g_strdup_printf("live request %" G_GINT64_FORMAT, argument->value);
}

static char *argument_text(const DtSignature *signature, const DtArgument *argument, const DtProcess *process)
{
    char *text = argument->kind == DT_ARGUMENT_LIVE ? live_text(argument) : NULL;
    return text ? text
                : make_absolute(dt_argument_text(argument, signature->communicator), signature, argument, process);
}

/* Data of the call's other side are recorded only where they differ from the one side's. */
static gboolean other_data(const DtSignature *signature, guint nth, DtArgument *argument)
{
    const DtArgument *other = nth_of_kind(signature, DT_ARGUMENT_OTHER_DATA, nth);
    const DtArgument *found = other ? other : nth_of_kind(signature, DT_ARGUMENT_DATA, nth);
    if (!found)
        return FALSE;
    *argument = *found;
    argument->kind = DT_ARGUMENT_OTHER_DATA;
    return TRUE;
}

/* The nth argument of a kind in words; NULL: there is none. */
static char *words_for(const DtSignature *signature, guint kind, guint nth, const DtProcess *process)
{
    DtArgument other;
    if (kind == DT_ARGUMENT_OTHER_DATA)
        return other_data(signature, nth, &other) ? argument_text(signature, &other, process) : NULL;
    const DtArgument *argument = nth_of_kind(signature, kind, nth);
    return argument ? argument_text(signature, argument, process) : NULL;
}

static void append_if_other(GString *text, const char *own, const char *others)
{
    if (own && g_strcmp0(own, others) != 0)
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", own);
}

/* Data of the other side that only `than` has differ from what is on both sides of `signature`. */
static void append_same_on_both_sides(GString *text, const DtSignature *signature, const DtSignature *than)
{
    g_autofree char *own = NULL;
    g_autofree char *others = NULL;
    if (nth_of_kind(signature, DT_ARGUMENT_OTHER_DATA, 0) || !nth_of_kind(than, DT_ARGUMENT_OTHER_DATA, 0))
        return;
    own = words_for(signature, DT_ARGUMENT_OTHER_DATA, 0, NULL);
    others = words_for(than, DT_ARGUMENT_OTHER_DATA, 0, NULL);
    append_if_other(text, own, others);
}

char *dt_differing_arguments(const DtSignature *signature, const DtSignature *than, const DtProcess *process)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < signature->argument_count; i++) {
        guint kind = signature->arguments[i].kind, nth = number_among_kind(signature, i);
        g_autofree char *own = words_for(signature, kind, nth, process);
        g_autofree char *others = words_for(than, kind, nth, process);
        append_if_other(text, own, others);
    }
    append_same_on_both_sides(text, signature, than);
    return g_string_free(text, FALSE);
}

/* Which counts are taken from the others: the second ones, or those of a call that gathers; -1: none. */
static gint index_of_taken(const DtFunctions *functions, const DtSignature *signature)
{
    const DtFunction *function = dt_functions_get(functions, signature->function);
    gint sent = function && strstr(function->name, "atherv") ? 1 : 0;
    for (guint i = 0; i < signature->argument_count; i++)
        if (signature->arguments[i].kind == DT_ARGUMENT_COUNTS && sent++ == 1)
            return (gint)i;
    return -1;
}

/* Arrays of one content are one (dt_functions_intern_numbers()). */
static gboolean same_argument(const DtArgument *a, const DtArgument *b)
{
    return a->kind == b->kind && a->special == b->special && a->value == b->value && a->size == b->size &&
           a->numbers == b->numbers;
}

gboolean dt_only_taken_differ(const DtFunctions *functions, const DtSignature *one, const DtSignature *other)
{
    gint taken = index_of_taken(functions, one);
    if (taken < 0 || one->argument_count != other->argument_count ||
        g_strcmp0(one->communicator, other->communicator) != 0)
        return FALSE;
    for (gint i = 0; i < (gint)one->argument_count; i++) {
        if (i != taken && !same_argument(&one->arguments[i], &other->arguments[i]))
            return FALSE;
    }
    return !same_argument(&one->arguments[taken], &other->arguments[taken]);
}

char *dt_varying_argument(const DtFunctions *functions)
{
    for (guint32 id = 1; id <= dt_functions_count(functions); id++) {
        const DtSignature *signature = dt_functions_get(functions, id)->signature;
        for (guint i = 0; signature && i < signature->argument_count; i++) {
            const DtArgument *argument = &signature->arguments[i];
            if (argument->special != DT_SPECIAL_VARIES)
                continue;
            g_autofree char *text = dt_argument_text(argument, signature->communicator);
            const char *behind = g_strrstr(text, " ");
            return g_strdup_printf("%.*s of %s", (int)(behind ? behind - text : (gssize)strlen(text)), text,
                                   dt_functions_get(functions, dt_functions_base(functions, id))->shown);
        }
    }
    return NULL;
}
