/* Arguments that no call may have. Others show by the error class that MPI gives: life.c. */
#include "format/arguments.h"
#include "checks/checking.h"
#include "checks/types.h"

typedef struct {
    DtChecking *checking;
} Arguments;

static gpointer start(DtChecking *checking)
{
    Arguments *arguments = g_new0(Arguments, 1);
    arguments->checking = checking;
    return arguments;
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
    if (dt_check_has(call, DT_CALL_ONE_SIDED) && data.derived) /* which may be made of one that has it */
        return;
    if (operation->special != DT_SPECIAL_NONE || data.count <= 0 || dt_checked_may_combine(&data, operation->value))
        return;
    g_autofree char *text = dt_checked_data_text(&data);
    g_autofree char *evidence = g_strdup_printf("the operation is not defined for %s", text);
    tell(own, trace, call, DT_CHECK_OPERATION_TYPE, "an operation that the datatype has", evidence);
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    const Arguments *own = family;
    const DtArgument *peer = NULL;
    if (call->of != DT_CALL_MPI || !call->signature || !call->row)
        return;
    for (guint i = 0; i < call->signature->argument_count; i++) {
        const DtArgument *argument = &call->signature->arguments[i];
        switch (argument->kind) {
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

const DtCheckFamily dt_check_arguments = {.start = start, .enter = enter, .stop = g_free};
