/* What a prediction leaves open, and what of it nothing proves. */
#include "extrapolate/laws.h"
#include "format/arguments.h"
#include "skeleton/fields.h"

/* Takes the text over; each stands once. */
static void add_text(GPtrArray *texts, char *text)
{
    if (g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL))
        g_free(text);
    else
        g_ptr_array_add(texts, text);
}

static gboolean has_none(const DtFieldLaw *law)
{
    return !law->on || law->pieces->len == 0;
}

static gboolean lacks_source(const GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtNodeLaw *law = nodes->pdata[i];
        for (guint f = 0; f < law->fields->len; f++) {
            const DtFieldLaw *field = law->fields->pdata[f];
            if (field->kind == DT_FIELD_SOURCE && has_none(field))
                return TRUE;
        }
        if (law->children && lacks_source(law->children))
            return TRUE;
    }
    return FALSE;
}

void dt_laws_note_sources(DtLaws *laws)
{
    for (guint t = 0; t < laws->threads->len; t++)
        laws->lacks_sources = laws->lacks_sources || lacks_source(laws->threads->pdata[t]);
}

static gboolean is_last(const DtFieldLaw *law)
{
    for (guint i = 0; i < law->pieces->len; i++) {
        const DtSeries *series = ((const DtPieceLaw *)law->pieces->pdata[i])->series;
        for (guint k = 0; k < series->values->len; k++) {
            const DtValueLaw *value = &g_array_index(series->values, DtValueLaw, k);
            if (value->kind == DT_VALUE_FIXED && value->fixed >= DT_PEER_LAST && !dt_value_is_atom(value->fixed))
                return TRUE;
        }
    }
    return FALSE;
}

gboolean dt_laws_tell(const DtLaws *laws, const DtFieldLaw *law)
{
    return !has_none(law) && !(laws->lacks_sources && dt_field_is_peer(law->kind) && is_last(law));
}

gboolean dt_field_may_be_untold(const DtFieldLaw *law)
{
    return dt_field_is_outcome(law->kind) ||
           (law->on && law->kind != DT_FIELD_TIMES && law->kind != DT_ARGUMENT_COMMUNICATOR);
}

static void add_nodes(const DtLaws *laws, const GPtrArray *nodes, DtUntoldFields *untold, GPtrArray *parts)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtNodeLaw *law = nodes->pdata[i];
        if (law->children)
            add_nodes(laws, law->children, untold, parts);
        for (guint f = 0; !law->children && f < law->fields->len; f++) {
            const DtFieldLaw *field = law->fields->pdata[f];
            const char *function = laws->sizes->merged->functions->pdata[law->node->function];
            if (dt_laws_tell(laws, field))
                continue;
            dt_untold_fields_add(untold, function, field->kind);
            add_text(parts,
                     g_strdup_printf("%s of %s%s%s", dt_field_name(field->kind), function,
                                     law->node->comment ? " at " : "", law->node->comment ? law->node->comment : ""));
        }
    }
}

GPtrArray *dt_laws_untold(const DtLaws *laws, DtUntoldFields *untold)
{
    GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
    for (guint t = 0; t < laws->threads->len; t++)
        add_nodes(laws, laws->threads->pdata[t], untold, parts);
    return parts;
}

/* ---- what is proved, and what is not --------------------------------------------------------- */

/* FALSE: some part of the line has no formula. */
static gboolean find_spare(const DtNodeLaw *law, guint *spare)
{
    gboolean is_whole = law->on && (law->at || !law->is_word);
    *spare = law->on ? dt_condition_spare(law->on) : 0;
    *spare = law->at ? MIN(*spare, dt_condition_spare(law->at)) : *spare;
    for (guint f = 0; f < law->fields->len; f++) {
        const DtFieldLaw *field = law->fields->pdata[f];
        is_whole = is_whole && !has_none(field);
        *spare = MIN(*spare, field->spare);
    }
    return is_whole;
}

static void add_lines(const DtLaws *laws, const GPtrArray *nodes, gboolean proved, GPtrArray *lines)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtNodeLaw *law = nodes->pdata[i];
        const char *name = law->children ? "a loop" : laws->sizes->merged->functions->pdata[law->node->function];
        guint spare;
        if (find_spare(law, &spare) && (spare > 0) == proved)
            add_text(lines, g_strdup_printf("%s%s%s", name, law->node->comment ? " at " : "",
                                            law->node->comment ? law->node->comment : ""));
        if (law->children)
            add_lines(laws, law->children, proved, lines);
    }
}

static GPtrArray *lines_of(const DtLaws *laws, gboolean proved)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < laws->groups->len; i++) {
        const DtGroupsLaw *law = laws->groups->pdata[i];
        if (law->is_known && (law->spare > 0) == proved)
            add_text(lines, g_strdup_printf("the members of %s", law->name));
    }
    for (guint t = 0; t < laws->threads->len; t++)
        add_lines(laws, laws->threads->pdata[t], proved, lines);
    return lines;
}

GPtrArray *dt_laws_proved(const DtLaws *laws)
{
    return lines_of(laws, TRUE);
}

GPtrArray *dt_laws_unproved(const DtLaws *laws)
{
    return lines_of(laws, FALSE);
}
