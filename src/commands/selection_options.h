/** The options of the selection, which most commands have. */
#ifndef DT_COMMANDS_SELECTION_OPTIONS_H
#define DT_COMMANDS_SELECTION_OPTIONS_H

#include "cli/cli.h"
#include "compare/selection.h"

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

/** The selection that the options ask for, checked. */
DtSelection *dt_selection_new(const DtSelectionOptions *options, GError **error);

/** FALSE and an error if more than one filter or attribute setting was given where one picture is asked for. */
gboolean dt_selection_check_single(const DtSelection *selection, GError **error);

G_END_DECLS

#endif
