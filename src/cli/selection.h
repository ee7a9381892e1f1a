/** The selection: which filters, attributes, loops and linkage a command looks at. */
#ifndef DT_CLI_SELECTION_H
#define DT_CLI_SELECTION_H

#include "cli/cli.h"

G_BEGIN_DECLS

/** As it stands on the command line; starts as DT_SELECTION_OPTIONS_INIT. */
typedef struct {
    char **filters, **attributes;
    gint k, min_repeat, jobs;
    char *linkage, *form;
    gboolean no_args;
} DtSelectionOptions;
#define DT_NOT_GIVEN G_MININT
#define DT_SELECTION_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        .k = DT_NOT_GIVEN, .min_repeat = DT_NOT_GIVEN                                                                  \
    }
void dt_selection_options_clear(DtSelectionOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtSelectionOptions, dt_selection_options_clear)

/** The option table that fills `options`; g_free(). */
DtOption *dt_selection_entries(DtSelectionOptions *options);

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
DtSelection *dt_selection_new(const DtSelectionOptions *options, GError **error);
void dt_selection_free(DtSelection *selection);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSelection, dt_selection_free)

/** Adds a filter, an attribute setting by name if none was given. The names must be right. */
void dt_selection_default_filter(DtSelection *selection, const char *filter);
void dt_selection_default_attributes(DtSelection *selection, const char *attributes);
void dt_selection_default_loops(DtSelection *selection, guint k, guint min_repeat);

/** FALSE and an error if more than one filter or attribute setting was given where one picture is asked for. */
gboolean dt_selection_check_single(const DtSelection *selection, GError **error);

DtFilter *dt_selection_filter(const DtSelection *selection, guint index); /* borrowed */
DtAttributeSetting dt_selection_attributes(const DtSelection *selection, guint index);

G_END_DECLS

#endif
