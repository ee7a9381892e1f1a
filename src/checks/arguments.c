/* Arguments that no call may have. Others show by the error class that MPI gives: life.c. */
#include "format/arguments.h"
#include "checks/checking.h"
#include "checks/types.h"

enum { MOST_DEAD = 256 };

/* A call with a handle that nothing has made, or that was freed. */
typedef struct {
    const char *what;
    DtKeptCall call;
} Dead;

typedef struct {
    DtChecking *checking;
    GArray *dead;        /* Dead, of the process */
    guint types_freed;   /* by the process */
    guint handles_freed; /* communicators, windows and files */
    gboolean is_unsure;  /* some datatypes may have been made elsewhere */
} Arguments;

static gpointer start(DtChecking *checking)
{
    Arguments *arguments = g_new0(Arguments, 1);
    arguments->checking = checking;
    arguments->dead = g_array_new(FALSE, FALSE, sizeof(Dead));
    return arguments;
}

static void stop(gpointer family)
{
    Arguments *arguments = family;
    g_array_unref(arguments->dead);
    g_free(arguments);
}

static void tell(const Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call, DtCheckRule rule,
                 const char *expected, const char *evidence)
{
    DtCheckFinding *finding;
    const DtCheckReport report = {rule, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (!dt_check_report(own->checking, &report, &finding))
        return;
    dt_check_expect(finding, "%s", expected);
    dt_check_add_evidence(finding, "%s", evidence);
}

static gint peers_of(const DtCommunicator *communicator)
{
    return communicator->remote_size >= 0 ? communicator->remote_size : communicator->size;
}

static void look_at_peer(const Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                         const DtArgument *argument)
{
    if (argument->special != DT_SPECIAL_UNKNOWN || !call->communicator)
        return;
    g_autofree char *expected =
        g_strdup_printf("a rank from 0 to %d, or MPI_PROC_NULL", peers_of(call->communicator) - 1);
    g_autofree char *evidence = g_strdup_printf("the %s is no rank of %s, which has %d",
                                                argument->kind == DT_ARGUMENT_TO ? "destination" : "source",
                                                call->communicator->name, peers_of(call->communicator));
    tell(own, trace, call, DT_CHECK_INVALID_RANK, expected, evidence);
}

static void look_at_root(const Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                         const DtArgument *argument)
{
    const DtCommunicator *communicator = call->communicator;
    if (!communicator || argument->special == DT_SPECIAL_VARIES || argument->special == DT_SPECIAL_UNKNOWN)
        return;
    const gboolean between = communicator->remote_size >= 0, is_rank = argument->special == DT_SPECIAL_NONE;
    if (is_rank ? argument->value >= 0 && argument->value < peers_of(communicator) : between)
        return;
    g_autofree char *expected = g_strdup_printf("a root from 0 to %d", peers_of(communicator) - 1);
    g_autofree char *evidence =
        g_strdup_printf("the root is no rank of %s, which has %d", communicator->name, peers_of(communicator));
    tell(own, trace, call, DT_CHECK_INVALID_ROOT, expected, evidence);
}

static void look_at_tag(const Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                        const DtArgument *argument, const DtArgument *peer)
{
    if (peer && peer->special == DT_SPECIAL_PROC_NULL)
        return;
    if (argument->special == DT_SPECIAL_ANY && peer && peer->kind == DT_ARGUMENT_TO)
        tell(own, trace, call, DT_CHECK_INVALID_TAG, "a tag of 0 or more: what is sent has a tag of its own",
             "the message is sent with the tag MPI_ANY_TAG, or -1");
    else if (argument->special == DT_SPECIAL_NONE && argument->value < 0)
        tell(own, trace, call, DT_CHECK_INVALID_TAG, "a tag from 0 to MPI_TAG_UB", "the tag is negative");
}

static gboolean has_negative(const DtArgument *argument)
{
    for (guint i = 0; argument->numbers && i < argument->numbers->count; i++)
        if (argument->numbers->values[i] < 0)
            return TRUE;
    return FALSE;
}

static void look_at_count(const Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                          const DtArgument *argument)
{
    const gboolean is_array = argument->kind == DT_ARGUMENT_COUNTS;
    if (argument->special != DT_SPECIAL_NONE || !(is_array ? has_negative(argument) : argument->value < 0))
        return;
    tell(own, trace, call, DT_CHECK_INVALID_COUNT, "a count of 0 or more", "the count is negative");
}

/* Of a reduction: the operation against what the datatype holds. */
static void look_at_operation(const Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                              const DtArgument *operation)
{
    const DtArgument *argument = dt_check_argument(call->signature, DT_ARGUMENT_DATA);
    const DtCheckedData data = dt_checked_data(argument);
    if (dt_check_has(call, DT_CALL_ONE_SIDED) && operation->special == DT_SPECIAL_NONE &&
        operation->value >= DT_OPERATION_OWN) {
        tell(own, trace, call, DT_CHECK_OPERATION_TYPE, "a predefined operation", "the operation is the program's own");
        return;
    }
    if (dt_check_has(call, DT_CALL_ONE_SIDED) && data.derived) /* which may be made of one that has it */
        return;
    if (operation->special != DT_SPECIAL_NONE || data.count <= 0 || dt_checked_may_combine(&data, operation->value))
        return;
    g_autofree char *text = dt_checked_data_text(&data);
    g_autofree char *evidence = g_strdup_printf("the operation is not defined for %s", text);
    tell(own, trace, call, DT_CHECK_OPERATION_TYPE, "an operation that the datatype has", evidence);
}

/* ---- handles that were freed ----------------------------------------------------------------- */

static void add_dead(Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call, const char *what)
{
    const Dead dead = {what, dt_check_keep(trace, call)};
    if (own->dead->len < MOST_DEAD)
        g_array_append_val(own->dead, dead);
}

/* Predefined datatypes and those that are alive are recorded with what they are. */
static void look_at_datatype(Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                             const DtArgument *argument)
{
    if (argument->special == DT_SPECIAL_NONE && !argument->datatype && !argument->numbers && argument->value > 0 &&
        argument->size > 0 && own->types_freed > 0)
        add_dead(own, trace, call, "datatype");
}

/* Those that are alive have a number. */
static void look_at_handle(Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                           const DtArgument *argument)
{
    if (argument->special == DT_SPECIAL_UNKNOWN && own->handles_freed > 0)
        add_dead(own, trace, call,
                 argument->kind == DT_ARGUMENT_COMMUNICATOR ? "communicator"
                 : argument->kind == DT_ARGUMENT_WINDOW     ? "window"
                                                            : "file");
}

static void follow_datatypes(Arguments *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    static const char *const others[] = {"Type_create_f90_integer", "Type_create_f90_real", "Type_create_f90_complex",
                                         "Type_get_contents",       "File_get_view",        "Type_match_size"};
    const DtArgument *made = dt_check_argument(call->signature, DT_ARGUMENT_DATATYPE);
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        own->is_unsure |= dt_check_is(call, others[i]);
    if (dt_call_has(call->row, DT_PARAMETER_DATATYPE_MADE))
        own->is_unsure |= !made || made->special != DT_SPECIAL_NONE || !made->numbers;
    own->types_freed += dt_call_has(call->row, DT_PARAMETER_DATATYPE_FREED) ? 1 : 0;
    own->handles_freed += dt_call_has(call->row, DT_PARAMETER_COMM_FREED) ||
                                  dt_call_has(call->row, DT_PARAMETER_WINDOW_FREED) ||
                                  dt_call_has(call->row, DT_PARAMETER_FILE_FREED)
                              ? 1
                              : 0;
    own->is_unsure |= !trace->is_complete;
}

static void end_process(gpointer family, const DtProcess *process, gboolean is_complete)
{
    Arguments *own = family;
    const DtWithoutRoom *lost = &process->without_room;
    const gboolean is_whole = is_complete && lost->communicators == 0 && lost->signatures == 0 && lost->arrays == 0;
    for (guint i = 0; i < own->dead->len && is_whole; i++) {
        const Dead *dead = &g_array_index(own->dead, Dead, i);
        DtCheckFinding *finding;
        if ((own->is_unsure && g_str_equal(dead->what, "datatype")) ||
            !dt_check_report_kept(own->checking, DT_CHECK_INVALID_HANDLE, DT_CHECK_WARNING, &dead->call, NULL,
                                  &finding))
            continue;
        dt_check_expect(finding, "a handle that was made and not freed yet; a copy of it does not live longer");
        dt_check_add_evidence(finding, "the %s is none that the process has, which freed some before", dead->what);
    }
    g_array_set_size(own->dead, 0);
    own->types_freed = own->handles_freed = 0;
    own->is_unsure = FALSE;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Arguments *own = family;
    const DtArgument *peer = NULL;
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    if (!(call->row->properties & (DT_CALL_POINT_TO_POINT | DT_CALL_EXCHANGE)))
        follow_datatypes(own, trace, call);
    if (!call->signature)
        return;
    for (guint i = 0; i < call->signature->argument_count; i++) {
        const DtArgument *argument = &call->signature->arguments[i];
        switch (argument->kind) {
        case DT_ARGUMENT_COMMUNICATOR:
        case DT_ARGUMENT_WINDOW:
        case DT_ARGUMENT_FILE:
            look_at_handle(own, trace, call, argument);
            break;
        case DT_ARGUMENT_TO:
        case DT_ARGUMENT_FROM:
            peer = argument;
            look_at_peer(own, trace, call, argument);
            break;
        case DT_ARGUMENT_TAG:
            look_at_tag(own, trace, call, argument, peer);
            break;
        case DT_ARGUMENT_ROOT:
            look_at_root(own, trace, call, argument);
            break;
        case DT_ARGUMENT_DATA:
            look_at_datatype(own, trace, call, argument);
            look_at_count(own, trace, call, argument);
            break;
        case DT_ARGUMENT_OTHER_DATA:
        case DT_ARGUMENT_COUNTS:
            look_at_count(own, trace, call, argument);
            break;
        case DT_ARGUMENT_OPERATION:
            look_at_operation(own, trace, call, argument);
            break;
        default:
            break;
        }
    }
}

const DtCheckFamily dt_check_arguments = {.start = start, .enter = enter, .end_process = end_process, .stop = stop};
