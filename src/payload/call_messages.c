#include "payload/call_messages.h"

#include "format/arguments.h"

gint dt_world_rank(const DtCommunicator *communicator, gint64 rank)
{
    gint size = communicator ? communicator->size : 0, offset = 0;
    if (communicator && communicator->remote_size >= 0) {
        offset = size;
        size = communicator->remote_size;
    }
    return rank >= 0 && rank < size ? communicator->members[offset + rank] : DT_NO_RANK;
}

static gint peer_at(const DtCommunicator *communicator, const DtArgument *argument)
{
    if (argument->special == DT_SPECIAL_ANY)
        return DT_ANY_RANK;
    if (!communicator || argument->special != DT_SPECIAL_NONE)
        return DT_NO_RANK;
    gint size = communicator->remote_size >= 0 ? communicator->remote_size : communicator->size;
    return size <= 0 ? DT_NO_RANK
                     : dt_world_rank(communicator, ((communicator->rank + argument->value) % size + size) % size);
}

void dt_call_messages(const struct dt_call *call, const DtSignature *signature, const DtCommunicator *communicator,
                      DtCallMessage *sent, DtCallMessage *received)
{
    DtCallMessage *message = NULL;
    *sent = *received = (DtCallMessage){.peer = DT_NO_RANK, .tag = DT_NO_TAG};
    for (guint i = 0; i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        gboolean to = argument->kind == DT_ARGUMENT_TO;
        if (to || argument->kind == DT_ARGUMENT_FROM) {
            message = to ? sent : received;
            message->peer = peer_at(communicator, argument);
            message->there = argument->special != DT_SPECIAL_PROC_NULL;
        } else if (message && argument->kind == DT_ARGUMENT_TAG && argument->special == DT_SPECIAL_NONE) {
            message->tag = argument->value;
        }
    }
    if (!sent->there && !received->there && !dt_call_has(call, DT_PARAMETER_SOURCE) &&
        !dt_call_has(call, DT_PARAMETER_DESTINATION))
        received->there = TRUE;
}

gint dt_call_root(const DtSignature *signature, const DtCommunicator *communicator)
{
    gint root = DT_NO_RANK;
    for (guint i = 0; i < signature->argument_count; i++)
        if (signature->arguments[i].kind == DT_ARGUMENT_ROOT && signature->arguments[i].special == DT_SPECIAL_NONE)
            root = dt_world_rank(communicator, signature->arguments[i].value);
    return root;
}
