/** What the subcommands share: options, errors, output. */
#ifndef DT_CLI_CLI_H
#define DT_CLI_CLI_H

#include <glib.h>

#include "report/report.h"

G_BEGIN_DECLS

/** Exit statuses other than 0, the same for all commands; difftrace(1) tells them. */
enum {
    DT_EXIT_FOUND = 1,       /* what --exit-code asks for, or `go`; no other command has it */
    DT_EXIT_ERROR = 2,       /* told in one line */
    DT_EXIT_TIMED_OUT = 124, /* a command of the user's was ended at its time limit, as timeout(1) does it */
    DT_EXIT_STUCK = 125      /* the same because it was stuck */
};

#define DT_CLI_ERROR (dt_cli_error_quark())
typedef enum { DT_CLI_ERROR_USAGE, DT_CLI_ERROR_OUTPUT } DtCliError;
GQuark dt_cli_error_quark(void);

/* ---- options ---------------------------------------------------------------- */

/** An option of a command; everything else about it is in the manual. */
typedef struct {
    const char *name; /* without dashes */
    GOptionArg type;
    gpointer value;
    const char *otherwise; /* what a string's value is if it is left out; NULL: it may not be */
} DtOption;
#define DT_OPTION(name, type, variable)                                                                                \
    {                                                                                                                  \
        name, G_OPTION_ARG_##type, variable, NULL                                                                      \
    }
#define DT_OPTIONS_END                                                                                                 \
    {                                                                                                                  \
        NULL, G_OPTION_ARG_NONE, NULL, NULL                                                                            \
    }

/**
 * Parses `options` and `more` (may be NULL; what `options` has wins) and returns the positional arguments, as many as
 * the command's synopsis in the manual has. NULL if there is nothing more to do: *status is 0 after --help,
 * DT_EXIT_ERROR after an error that has been told. All commands also have --quiet and --help, which are done here.
 */
GStrv dt_cli_parse(const char *command, const DtOption *options, const DtOption *more, int argc, char **argv,
                   int *status);

/** For how long a job has to be stuck if --until-stuck does not say. */
#define DT_PATIENCE_SECONDS "10"
/** The positive number of seconds in `text`, which `option` was given; 0 if it is NULL. FALSE after an error that has
 * been told. */
gboolean dt_cli_seconds(const char *option, const char *text, gdouble *seconds);

/** What a command does with its arguments, NULL terminated, and its options; FALSE with an error. */
typedef gboolean (*DtCommandBody)(char **arguments, gpointer options, GError **error);
/** Parses as dt_cli_parse() does, and runs the command; the exit status. Most commands are this. */
int dt_cli_run(const char *name, const DtOption *options, const DtOption *more, int argc, char **argv,
               DtCommandBody command, gpointer data);

/* ---- messages: stderr ----------------------------------------------------------- */

/** "difftrace: MESSAGE", with its string arguments on one line each (dt_text_printf()). */
void dt_cli_warn(const char *format, ...) G_GNUC_PRINTF(1, 2);
/** The same of what is good to know but changes no result: not with --quiet. */
void dt_cli_note(const char *format, ...) G_GNUC_PRINTF(1, 2);
/** Writes the analysis' debug messages (base/debug.h) of the topics of DIFFTRACE_DEBUG, to the end of the process; one
 * that neither the analysis nor the tracer has is told in one line. Once in a process. */
void dt_cli_write_debug_lines(void);
/** Tells the error if there is one, all lines of its message; the exit status. */
int dt_cli_status(const GError *error);

/** What --quiet does, for the rest of the process: no notes, no progress. */
void dt_cli_be_quiet(void);
gboolean dt_cli_is_quiet(void);
/** To the begin of a terminal's line, without what stands there: a progress may. */
#define DT_CLI_NEW_LINE "\r\033[K"

/* ---- output ----------------------------------------------------------------------- */

/** Writes to stdout. FALSE once nobody reads it any more; main() tells errors at the end. */
gboolean dt_cli_print(const char *text, gsize bytes);
/** There is something at `path` that is no regular file: a device, a pipe, a folder. */
gboolean dt_cli_is_special_file(const char *path);
/** Writes a report to `file`, or to stdout if it is NULL or "-". A regular file is replaced by a whole one; a device or
 * a pipe is written to. */
gboolean dt_cli_write(const char *text, const char *file, GError **error);
/** Width of the terminal that stdout is, or that the pager shows it on; 0 if it is none. */
guint dt_cli_width(void);
/** From here on stdout goes through the pager, if it is a terminal and the user wants one. */
void dt_cli_pager_start(void);
/** Waits until the user has read enough; after stdout was closed. */
void dt_cli_pager_wait(void);
/** DT_FORMAT_TERMINAL instead of text if stdout is a terminal that shows colours. */
DtReportFormat dt_cli_terminal_format(DtReportFormat format, const char *file);

G_END_DECLS

#endif
