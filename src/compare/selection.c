/* What is selected. */
#include "compare/selection.h"

DtSelection *dt_selection_empty(void)
{
    DtSelection *selection = g_new0(DtSelection, 1);
    selection->filters = g_ptr_array_new_with_free_func((GDestroyNotify)dt_filter_unref);
    selection->attributes = g_array_new(FALSE, FALSE, sizeof(DtAttributeSetting));
    selection->linkage = DT_LINKAGE_WARD;
    return selection;
}

gboolean dt_selection_add_filter(DtSelection *selection, const char *notation, GError **error)
{
    DtFilter *filter = dt_filter_parse(notation, error);
    if (filter)
        g_ptr_array_add(selection->filters, filter);
    return filter != NULL;
}

gboolean dt_selection_add_attributes(DtSelection *selection, const char *name, GError **error)
{
    DtAttributeSetting setting;
    gboolean known = dt_attribute_setting_parse(name, &setting, error);
    if (known)
        g_array_append_val(selection->attributes, setting);
    return known;
}

DtSelection *dt_selection_of_options(const DtCompareOptions *options, GError **error)
{
    g_autoptr(DtSelection) selection = dt_selection_empty();
    for (guint i = 0; options->filters && options->filters[i]; i++)
        if (!dt_selection_add_filter(selection, options->filters[i], error))
            return NULL;
    for (guint i = 0; options->attributes && options->attributes[i]; i++)
        if (!dt_selection_add_attributes(selection, options->attributes[i], error))
            return NULL;
    selection->has_linkage = options->linkage != NULL;
    if (options->linkage && !dt_linkage_parse(options->linkage, &selection->linkage, error))
        return NULL;
    selection->k = options->k;
    selection->min_repeat = options->min_repeat;
    selection->form = options->form;
    selection->jobs = options->jobs;
    return g_steal_pointer(&selection);
}

void dt_selection_free(DtSelection *selection)
{
    if (!selection)
        return;
    g_ptr_array_unref(selection->filters);
    g_array_unref(selection->attributes);
    g_free(selection);
}

void dt_selection_default_filter(DtSelection *selection, const char *filter)
{
    if (selection->filters->len == 0)
        g_ptr_array_add(selection->filters, dt_filter_parse(filter, NULL));
}

void dt_selection_default_attributes(DtSelection *selection, const char *attributes)
{
    DtAttributeSetting setting;
    if (selection->attributes->len == 0 && dt_attribute_setting_parse(attributes, &setting, NULL))
        g_array_append_val(selection->attributes, setting);
}

void dt_selection_default_loops(DtSelection *selection, guint k, guint min_repeat)
{
    if (selection->k == 0)
        selection->k = k;
    if (selection->min_repeat == 0)
        selection->min_repeat = min_repeat;
}

DtFilter *dt_selection_filter(const DtSelection *selection, guint index)
{
    return selection->filters->pdata[index];
}

DtAttributeSetting dt_selection_attributes(const DtSelection *selection, guint index)
{
    return g_array_index(selection->attributes, DtAttributeSetting, index);
}
