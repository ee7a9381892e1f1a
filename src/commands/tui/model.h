/**
 * What difftrace tui shows and how keys change it, without a terminal: keys go in, and rows of text with their looks
 * come out. One selection (trace, filter, arguments, run) is kept while views change.
 */
#ifndef DT_COMMANDS_TUI_MODEL_H
#define DT_COMMANDS_TUI_MODEL_H

#include "commands/tui/page.h"

G_BEGIN_DECLS

/** In the order of their keys, 1 to 7, and ? */
typedef enum {
    DT_TUI_TRACES, /* suspects, or all traces */
    DT_TUI_DIFFERENCE,
    DT_TUI_STACKS,
    DT_TUI_WAITS,
    DT_TUI_TIMES,
    DT_TUI_SOURCE,
    DT_TUI_CHECKS,
    DT_TUI_HELP,
    DT_TUI_VIEWS
} DtTuiView;

/** What is looked at. */
typedef struct {
    DtTuiView view;
    char *trace;  /* label; NULL: there is none */
    guint filter; /* index into the subject's */
    gboolean with_arguments;
    gboolean of_normal;        /* the normal run, where a view is of one run */
    guint forms[DT_TUI_VIEWS]; /* which form of each view */
} DtTuiSelection;

/** What the model asks of what is looked at: a comparison, a run, or what a test makes up. */
typedef struct {
    gpointer data;
    const char *title;                      /* "difftrace.out" */
    const char *traces_title;               /* of the first view: "Suspects" */
    gboolean has_normal;                    /* there are two runs */
    const GPtrArray *filters;               /* (element-type utf8): names; the first is the default; at least one */
    const char *const *forms[DT_TUI_VIEWS]; /* names of the forms of each view, NULL terminated; NULL: it has one */
    /** Never NULL: what cannot be had is told on the page. */
    DtTuiPage *(*page)(gpointer data, const DtTuiSelection *selection, guint width);
    /** What stands below the rows of a list, the page, of the chosen one, at most so many lines; NULL: nothing. */
    DtTuiPage *(*detail)(gpointer data, const DtTuiSelection *selection, const DtTuiPage *page, guint row, guint width,
                         guint lines);
    /** Where Enter leads from the first view. */
    DtTuiView (*deeper)(gpointer data, const DtTuiSelection *selection);
    /** The label of a trace that was typed, "5" for "5.0"; NULL: there is none. g_free(). */
    char *(*find_trace)(gpointer data, const char *typed);
    /** Looks at what is shown as it is now. TRUE: it is another state of it, so all pages are to be read anew. *told is
     * what is to be said of it; g_free(). */
    gboolean (*reload)(gpointer data, char **told);
} DtTuiSource;

typedef struct DtTui DtTui;
/** `source` must outlive it. */
DtTui *dt_tui_new(const DtTuiSource *source);
void dt_tui_free(DtTui *tui);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTui, dt_tui_free)

/** The size of the terminal, at first and whenever it changes. Any number is fine. */
void dt_tui_resize(DtTui *tui, int rows, int columns);
/** A character or a DtKey. */
void dt_tui_press(DtTui *tui, int key);
/** TRUE if what is to be shown has to be read first, which may take long; until then a frame says so. */
gboolean dt_tui_has_to_read(const DtTui *tui);
/** Reads it. */
void dt_tui_read(DtTui *tui);
/** TRUE once the user has seen enough. */
gboolean dt_tui_is_left(const DtTui *tui);
/** Borrowed, as it is now. */
const DtTuiSelection *dt_tui_selection(const DtTui *tui);

/** A row of the screen: its parts, from the left. */
typedef struct {
    char *text;
    DtStyle style;
    guint column;
} DtTuiPart;
/** The rows of the screen, no more than it has and none wider: (element-type GPtrArray of DtTuiPart). */
GPtrArray *dt_tui_frame(DtTui *tui);

G_END_DECLS

#endif
