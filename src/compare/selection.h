/** The selection: which filters, attributes, loops and linkage are looked at. */
#ifndef DT_COMPARE_SELECTION_H
#define DT_COMPARE_SELECTION_H

#include "compare/compare.h"

G_BEGIN_DECLS

/** The selection, checked. What was not given is empty, 0 or FALSE: each command has its own default. */
typedef struct {
    GPtrArray *filters;       /* (element-type DtFilter) */
    gboolean default_filters; /* they are those that a command takes by default */
    GArray *attributes;       /* (element-type DtAttributeSetting) */
    guint k, min_repeat, jobs;
    gboolean has_linkage, has_form;
    DtLinkage linkage;
    DtNlrForm form;
} DtSelection;
/** Nothing selected. */
DtSelection *dt_selection_empty(void);
/** Of a library user's options. */
DtSelection *dt_selection_of_options(const DtCompareOptions *options, GError **error);
void dt_selection_free(DtSelection *selection);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSelection, dt_selection_free)

/** Add one by its notation or name. */
gboolean dt_selection_add_filter(DtSelection *selection, const char *notation, GError **error);
gboolean dt_selection_add_attributes(DtSelection *selection, const char *name, GError **error);

/** Adds a filter, an attribute setting by name if none was given. The names must be right. */
void dt_selection_default_filter(DtSelection *selection, const char *filter);
void dt_selection_default_attributes(DtSelection *selection, const char *attributes);
void dt_selection_default_loops(DtSelection *selection, guint k, guint min_repeat);

DtFilter *dt_selection_filter(const DtSelection *selection, guint index); /* borrowed */
DtAttributeSetting dt_selection_attributes(const DtSelection *selection, guint index);

G_END_DECLS

#endif
