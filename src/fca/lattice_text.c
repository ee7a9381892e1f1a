/* The lattice in words: one concept a paragraph. */
#include "fca/fca.h"

#include "text/text.h"

typedef const char *(*NameOf)(const DtContext *context, guint number);

static void append_names(GString *text, const char *title, const GArray *numbers, const DtContext *context, NameOf name)
{
    g_string_append_printf(text, "  %s:", title);
    for (guint i = 0; i < numbers->len; i++) {
        const char *whole = name(context, g_array_index(numbers, guint, i));
        g_autofree char *shown = dt_text_shortened(whole, DT_TEXT_NAME_SHOWN);
        g_string_append_printf(text, "%s %s", i > 0 ? "," : "", shown);
    }
    g_string_append(text, numbers->len > 0 ? "\n" : " none\n");
}

static void append_concept(GString *text, const DtLattice *lattice, const DtContext *context, guint concept_index)
{
    const GArray *extent = dt_lattice_extent(lattice, concept_index);
    const GArray *intent = dt_lattice_intent(lattice, concept_index);
    const GArray *children = dt_lattice_children(lattice, concept_index);
    g_autoptr(GArray) own_objects = dt_lattice_own_objects(lattice, concept_index);
    g_autoptr(GArray) own_attributes = dt_lattice_own_attributes(lattice, concept_index);

    g_string_append_printf(text, "concept %u: %u %s, %u %s\n", concept_index, extent->len,
                           extent->len == 1 ? "trace" : "traces", intent->len,
                           intent->len == 1 ? "attribute" : "attributes");
    append_names(text, "new traces", own_objects, context, dt_context_object_label);
    append_names(text, "new attributes", own_attributes, context, dt_context_attribute_name);
    append_names(text, "traces", extent, context, dt_context_object_label);
    append_names(text, "attributes", intent, context, dt_context_attribute_name);
    g_string_append(text, "  directly below:");
    for (guint i = 0; i < children->len; i++) {
        g_string_append_printf(text, " %u", g_array_index(children, guint, i));
    }
    g_string_append(text, children->len > 0 ? "\n" : " none\n");
}

char *dt_lattice_to_text(const DtLattice *lattice, const DtContext *context)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < dt_lattice_count(lattice); i++) {
        if (i > 0) {
            g_string_append_c(text, '\n');
        }
        append_concept(text, lattice, context, i);
    }
    return g_string_free(text, FALSE);
}
