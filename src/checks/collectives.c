/*
 * Collective calls: the members of a communicator, window or file make the same ones in the same order, with the same
 * root and operation and with data that fit. The first member that is read is what the others are compared with, so
 * that memory is that of one member's calls.
 */
#include "checks/checking.h"
#include "checks/types.h"
#include "format/arguments.h"

#include <string.h>

enum { NO_ROOT = -1, UNKNOWN = -2 };

/* A call as its members have to agree on it, and where it is made. */
typedef struct {
    DtKeptCall call;
    const struct dt_call *row;
    gint64 root;                          /* in the communicator; NO_ROOT; UNKNOWN: or MPI_ROOT and its kin */
    gint64 operation;                     /* UNKNOWN: of the program, or none */
    DtCheckedData sent, expected;         /* what goes to each member, what comes from each; count -1: not compared */
    const DtNumbers *counts;              /* of a reduction with a count for each member; NULL */
    const DtNumbers *to_each, *from_each; /* counts for each member; NULL: the same for each, or not known */
    gint64 to_size, from_size;            /* of their elements, in bytes */
    guint64 agreed; /* hash of other arguments that all members give alike; 0: none, or not known */
    gint rank;      /* in the communicator; -1 */
} Form;

/* What a member did otherwise than the first that was read. */
typedef struct {
    guint64 position;
    guint form, expected; /* indices of forms */
    DtCheckRule rule;
    DtTypeMatch types;
    const DtProcess *process;
} Difference;

typedef struct {
    const DtProcess *process;
    const DtTrace *trace;
    guint64 calls;
    guint last;     /* form */
    gboolean off;   /* it is in another order: not compared any more */
    gboolean mixed; /* several threads make the calls */
} Member;

/* A communicator, or a window or file on one. */
typedef struct {
    guint64 key;
    char *name;
    gint size, remote_size;
    const gint *members; /* ranks in the world; borrowed from the run */
    GArray *first;       /* guint32: forms of the first member's calls */
    GArray *came;        /* Member */
    GArray *differences; /* Difference */
} Group;

typedef struct {
    DtChecking *checking;
    GArray *forms;
    GHashTable *form_index;
    GHashTable *groups;  /* key -> Group */
    GPtrArray *in_order; /* the same, borrowed */
    Group *last;
} Collectives;

/* ---- tables ---------------------------------------------------------------------------------- */

static guint hash_form(gconstpointer data)
{
    const Form *form = data;
    guint64 hash = (guint64)(gsize)form->call.site ^ (guint64)(gsize)form->call.form;
    hash = hash * 31 + form->call.function;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)form->root;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)form->sent.count;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)form->expected.count;
    return (guint)(hash >> 32);
}

static gboolean equal_data(const DtCheckedData *a, const DtCheckedData *b)
{
    return a->count == b->count && a->size == b->size && a->datatype == b->datatype && a->derived == b->derived;
}

static gboolean equal_forms(gconstpointer a, gconstpointer b)
{
    const Form *one = a, *other = b;
    return one->call.site == other->call.site && one->call.form == other->call.form &&
           one->call.function == other->call.function && one->call.trace->process == other->call.trace->process &&
           one->root == other->root && one->operation == other->operation && equal_data(&one->sent, &other->sent) &&
           equal_data(&one->expected, &other->expected) && one->counts == other->counts &&
           one->to_each == other->to_each && one->from_each == other->from_each && one->agreed == other->agreed;
}

static void free_group(gpointer data)
{
    Group *group = data;
    g_array_unref(group->first);
    g_array_unref(group->came);
    g_array_unref(group->differences);
    g_free(group->name);
    g_free(group);
}

static gpointer start(DtChecking *checking)
{
    Collectives *own = g_new0(Collectives, 1);
    own->checking = checking;
    own->forms = g_array_new(FALSE, FALSE, sizeof(Form));
    own->form_index = g_hash_table_new_full(hash_form, equal_forms, g_free, NULL);
    own->groups = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_group);
    own->in_order = g_ptr_array_new();
    return own;
}

static void stop(gpointer family)
{
    Collectives *own = family;
    g_array_unref(own->forms);
    g_hash_table_unref(own->form_index);
    g_ptr_array_unref(own->in_order);
    g_hash_table_unref(own->groups);
    g_free(own);
}

static const Form *form_at(const Collectives *own, guint form)
{
    return &g_array_index(own->forms, Form, form);
}

static guint intern_form(Collectives *own, const Form *form)
{
    gpointer known = g_hash_table_lookup(own->form_index, form);
    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    g_array_append_val(own->forms, *form);
    g_hash_table_insert(own->form_index, g_memdup2(form, sizeof *form), GUINT_TO_POINTER(own->forms->len));
    return own->forms->len - 1;
}

/* Of a communicator, or of a window or file on it. */
static Group *group_of(Collectives *own, guint64 key, const DtCommunicator *communicator, const DtCheckedObject *object)
{
    if (own->last && own->last->key == key)
        return own->last;
    Group *group = g_hash_table_lookup(own->groups, &key);
    if (!group) {
        group = g_new0(Group, 1);
        group->key = key;
        group->name = object ? dt_checked_object_text(object) : g_strdup(communicator->name);
        group->size = communicator->size;
        group->remote_size = communicator->remote_size;
        group->members = communicator->members;
        group->first = g_array_new(FALSE, FALSE, sizeof(guint32));
        group->came = g_array_new(FALSE, FALSE, sizeof(Member));
        group->differences = g_array_new(FALSE, FALSE, sizeof(Difference));
        g_hash_table_insert(own->groups, &group->key, group);
        g_ptr_array_add(own->in_order, group);
    }
    own->last = group;
    return group;
}

static Group *group_of_call(Collectives *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    if (dt_check_argument(call->signature, DT_ARGUMENT_WINDOW) ||
        dt_check_argument(call->signature, DT_ARGUMENT_FILE)) {
        const DtCheckedObject *object = dt_checked_objects_of(trace->objects, call->signature);
        return object && object->key ? group_of(own, object->key, object->communicator, object) : NULL;
    }
    return call->communicator && call->communicator->is_sure
               ? group_of(own, call->communicator->key, call->communicator, NULL)
               : NULL;
}

/* ---- what a call says ------------------------------------------------------------------------ */

static gint64 root_of(const DtSignature *signature)
{
    const DtArgument *root = dt_check_argument(signature, DT_ARGUMENT_ROOT);
    return !root ? NO_ROOT : root->special == DT_SPECIAL_NONE ? root->value : UNKNOWN;
}

/* The program's own operations are numbered by when a process used them first. */
static gint64 operation_of(const DtSignature *signature)
{
    const DtArgument *operation = dt_check_argument(signature, DT_ARGUMENT_OPERATION);
    if (!operation || operation->special != DT_SPECIAL_NONE)
        return UNKNOWN;
    return MIN(operation->value, DT_OPERATION_OWN);
}

static gboolean is_reduction(const struct dt_call *row)
{
    return dt_call_has(row, DT_PARAMETER_OPERATION);
}

/* What one member sends to each, or gets from each. Where only the root passes both sides, or they say the same, the
 * other one is left out: of the same size, but its datatype is not known. */
static void find_data(const DtCheckedCall *call, Form *form)
{
    const struct dt_call *row = call->row;
    const DtSignature *signature = call->signature;
    const DtArgument *main_data = dt_check_argument(signature, DT_ARGUMENT_DATA);
    const DtArgument *other = dt_check_argument(signature, DT_ARGUMENT_OTHER_DATA);
    DtCheckedData data = dt_checked_data(main_data);
    form->sent = form->expected = (DtCheckedData){.count = -1};
    if (row->properties & DT_CALL_NEIGHBOURHOOD || dt_call_has(row, DT_PARAMETER_COUNTS) ||
        dt_call_has(row, DT_PARAMETER_DATATYPES) || row->properties & DT_CALL_IO)
        return;
    if (is_reduction(row) || dt_call_has(row, DT_PARAMETER_BUFFER)) {
        form->sent = form->expected = data;
        return;
    }
    DtCheckedData other_data = other ? dt_checked_data(other) : data;
    if (!other)
        other_data = (DtCheckedData){.count = data.count, .size = data.size};
    const gboolean is_root = call->communicator && form->root == call->communicator->rank;
    if (!(row->properties & (DT_CALL_RECEIVED_FROM_EACH | DT_CALL_SENT_TO_EACH)))
        return;
    if (!dt_call_has(row, DT_PARAMETER_ROOT)) { /* MPI_Allgather, MPI_Alltoall: `data` is received */
        form->expected = data;
        form->sent = other_data;
    } else {
        form->sent = form->expected = is_root ? other_data : data;
    }
}

static const DtArgument *nth_argument(const DtSignature *signature, guint kind, guint nth)
{
    for (guint i = 0; i < signature->argument_count; i++)
        if (signature->arguments[i].kind == kind && nth-- == 0)
            return &signature->arguments[i];
    return NULL;
}

static const DtNumbers *take_counts(const DtSignature *signature, guint nth, gint64 *size)
{
    const DtArgument *counts = nth_argument(signature, DT_ARGUMENT_COUNTS, nth);
    const DtArgument *element = nth_argument(signature, DT_ARGUMENT_ELEMENT, nth);
    *size = element && element->special == DT_SPECIAL_NONE ? element->value : -1;
    return counts && counts->special == DT_SPECIAL_NONE && *size >= 0 ? counts->numbers : NULL;
}

/* Calls with a count for each member. */
static void find_counts(const DtCheckedCall *call, Form *form)
{
    const struct dt_call *row = call->row;
    const DtCheckedData data = dt_checked_data(dt_check_argument(call->signature, DT_ARGUMENT_DATA));
    if (!dt_call_has(row, DT_PARAMETER_COUNTS) || is_reduction(row) || dt_call_has(row, DT_PARAMETER_DATATYPES) ||
        row->properties & (DT_CALL_NEIGHBOURHOOD | DT_CALL_IO) || !call->communicator)
        return;
    const gboolean is_root = form->root == call->communicator->rank;
    if (strstr(row->name, "lltoallv")) {
        form->to_each = take_counts(call->signature, 0, &form->to_size);
        form->from_each = take_counts(call->signature, 1, &form->from_size);
    } else if (strstr(row->name, "catterv")) {
        form->expected = data;
        form->to_each = is_root ? take_counts(call->signature, 0, &form->to_size) : NULL;
    } else if (strstr(row->name, "atherv")) {
        form->sent = data;
        if (is_root || !dt_call_has(row, DT_PARAMETER_ROOT))
            form->from_each = take_counts(call->signature, 0, &form->from_size);
    }
}

static gboolean is_agreed(const struct dt_call *row, guint kind)
{
    switch (kind) {
    case DT_ARGUMENT_ACCESS_MODE:
    case DT_ARGUMENT_DIMENSIONS:
    case DT_ARGUMENT_PERIODS:
    case DT_ARGUMENT_GRAPH_INDEX:
    case DT_ARGUMENT_GRAPH_EDGES:
        return TRUE;
    case DT_ARGUMENT_SIZE:
        return g_str_equal(row->name, "File_set_size") || g_str_equal(row->name, "File_preallocate");
    case DT_ARGUMENT_OFFSET:
    case DT_ARGUMENT_WHENCE:
        return g_str_equal(row->name, "File_seek_shared");
    default:
        return FALSE;
    }
}

/* Other arguments that are the same on all members. */
static guint64 agreed_of(const DtCheckedCall *call)
{
    guint64 hash = 0;
    for (guint i = 0; i < call->signature->argument_count; i++) {
        const DtArgument *argument = &call->signature->arguments[i];
        if (!is_agreed(call->row, argument->kind))
            continue;
        if (argument->special != DT_SPECIAL_NONE)
            return 0;
        hash = (hash + (guint64)argument->value + (guint64)(gsize)argument->numbers + argument->kind) *
               G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    }
    return hash;
}

static Form form_of(const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    Form form = {.call = dt_check_keep(trace, call),
                 .row = call->row,
                 .root = root_of(call->signature),
                 .operation = operation_of(call->signature)};
    const DtArgument *counts = dt_check_argument(call->signature, DT_ARGUMENT_COUNTS);
    if (counts && is_reduction(call->row))
        form.counts = counts->numbers;
    form.rank = call->communicator ? call->communicator->rank : -1;
    form.agreed = agreed_of(call);
    find_data(call, &form);
    find_counts(call, &form);
    return form;
}

/* ---- comparing with the first member --------------------------------------------------------- */

static void add_difference(Collectives *own, Group *group, const Member *member, guint form, guint expected,
                           DtCheckRule rule, DtTypeMatch types)
{
    enum { MOST = 4096 };
    (void)own;
    Difference difference = {member->calls, form, expected, rule, types, member->process};
    /* The same two calls again say nothing new, but for another member. */
    for (guint i = group->differences->len; i-- > 0 && i + 64 > group->differences->len;) {
        const Difference *before = &g_array_index(group->differences, Difference, i);
        if (before->form == form && before->expected == expected && before->rule == rule)
            return;
    }
    if (group->differences->len < MOST)
        g_array_append_val(group->differences, difference);
}

static gint64 bytes_for(const DtNumbers *counts, gint64 size, const DtCheckedData *data, gint rank)
{
    if (!counts)
        return dt_checked_bytes(data);
    return rank >= 0 && (guint)rank < counts->count ? counts->values[rank] * size : -1;
}

/* What one member sends to the other is not what that one expects. */
static gboolean parts_differ(const Form *from, const Form *to)
{
    const gint64 sent = bytes_for(from->to_each, from->to_size, &from->sent, to->rank);
    const gint64 expected = bytes_for(to->from_each, to->from_size, &to->expected, from->rank);
    return sent >= 0 && expected >= 0 && sent != expected;
}

static void compare_data(Collectives *own, Group *group, const Member *member, guint index, guint expected)
{
    const Form *form = form_at(own, index), *first = form_at(own, expected);
    if (parts_differ(form, first) || parts_differ(first, form) ||
        (form->counts && first->counts && form->counts != first->counts)) {
        add_difference(own, group, member, index, expected, DT_CHECK_COLLECTIVE_SIZE, DT_TYPES_AGREE);
        return;
    }
    DtTypeMatch match = dt_checked_types_match(&form->sent, &first->expected);
    DtTypeMatch back = dt_checked_types_match(&first->sent, &form->expected);
    if (MAX(match, back) != DT_TYPES_AGREE)
        add_difference(own, group, member, index, expected, DT_CHECK_COLLECTIVE_TYPE, MAX(match, back));
}

static void compare(Collectives *own, Group *group, Member *member, guint index, guint expected)
{
    const Form *form = form_at(own, index), *first = form_at(own, expected);
    const gboolean between = group->remote_size >= 0;
    if (form->row != first->row) {
        member->off = TRUE;
        add_difference(own, group, member, index, expected, DT_CHECK_COLLECTIVE_ORDER, DT_TYPES_AGREE);
        return;
    }
    if (between)
        return;
    if (form->root != first->root && form->root != UNKNOWN && first->root != UNKNOWN) {
        add_difference(own, group, member, index, expected, DT_CHECK_COLLECTIVE_ROOT, DT_TYPES_AGREE);
        return;
    }
    if (form->operation != first->operation && form->operation != UNKNOWN && first->operation != UNKNOWN)
        add_difference(own, group, member, index, expected, DT_CHECK_COLLECTIVE_OPERATION, DT_TYPES_AGREE);
    if (form->agreed && first->agreed && form->agreed != first->agreed)
        add_difference(own, group, member, index, expected, DT_CHECK_COLLECTIVE_ARGUMENT, DT_TYPES_AGREE);
    compare_data(own, group, member, index, expected);
}

static Member *member_of(Group *group, const DtCheckedTrace *trace)
{
    Member *last = group->came->len > 0 ? &g_array_index(group->came, Member, group->came->len - 1) : NULL;
    if (last && last->process == trace->process) {
        last->mixed |= last->trace != trace->trace;
        return last;
    }
    Member member = {.process = trace->process, .trace = trace->trace};
    g_array_append_val(group->came, member);
    return &g_array_index(group->came, Member, group->came->len - 1);
}

static void attend(Collectives *own, Group *group, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    Member *member = member_of(group, trace);
    const gboolean is_first = group->came->len == 1;
    Form form = form_of(trace, call);
    guint index = intern_form(own, &form);
    if (is_first) {
        guint32 number = index;
        g_array_append_val(group->first, number);
    } else if (!member->off && !member->mixed && member->calls < group->first->len) {
        guint expected = g_array_index(group->first, guint32, member->calls);
        compare(own, group, member, index, expected);
    }
    member->last = index;
    member->calls++;
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Collectives *own = family;
    if (call->of != DT_CALL_MPI || !dt_check_has(call, DT_CALL_COLLECTIVE) || !call->signature ||
        dt_check_has(call, DT_CALL_OF_GROUP | DT_CALL_BETWEEN_GROUPS))
        return;
    Group *group = group_of_call(own, trace, call);
    if (group)
        attend(own, group, trace, call);
}

/* ---- what is told ---------------------------------------------------------------------------- */

static void add_members(Collectives *own, DtCheckFinding *finding, const Group *group, guint64 position,
                        const Form *expected)
{
    guint many = 0;
    g_autoptr(GString) ranks = g_string_new(NULL);
    for (guint i = 0; i < group->came->len; i++) {
        const Member *member = &g_array_index(group->came, Member, i);
        gboolean differs = FALSE;
        for (guint k = 0; !differs && k < group->differences->len; k++) {
            const Difference *other = &g_array_index(group->differences, Difference, k);
            differs = other->process == member->process && other->position == position;
        }
        if (differs || member->calls <= position || member->off)
            continue;
        if (many++ < 8)
            g_string_append_printf(ranks, "%s%d", ranks->len > 0 ? ", " : "", member->process->rank);
    }
    g_autofree char *text = dt_kept_call_text(own->checking, &expected->call);
    dt_check_add_evidence(finding, "rank%s %s%s: %s", many == 1 ? "" : "s", ranks->str, many > 8 ? ", ..." : "", text);
}

/* All whose call is another one than the first member's. */
static void add_others(Collectives *own, DtCheckFinding *finding, const Group *group, const Difference *difference)
{
    guint many = 0;
    for (guint i = 0; i < group->differences->len && many < 8; i++) {
        const Difference *other = &g_array_index(group->differences, Difference, i);
        if (other->position != difference->position || other->rule != difference->rule)
            continue;
        g_autofree char *text = dt_kept_call_text(own->checking, &form_at(own, other->form)->call);
        dt_check_add_evidence(finding, "rank %d: %s", other->process->rank, text);
        many++;
    }
}

static const char *right_for(DtCheckRule rule)
{
    switch (rule) {
    case DT_CHECK_COLLECTIVE_ORDER:
        return "the same collective call on all members, in the same order";
    case DT_CHECK_COLLECTIVE_ROOT:
        return "the same root on all members";
    case DT_CHECK_COLLECTIVE_OPERATION:
        return "the same operation on all members";
    case DT_CHECK_COLLECTIVE_ARGUMENT:
        return "the same modes, dimensions and sizes on all members";
    case DT_CHECK_COLLECTIVE_SIZE:
        return "as much data sent as each receiver expects";
    default:
        return "the same datatypes on all members";
    }
}

/* `turned`: it is the first member's. */
static void tell_difference(Collectives *own, const Group *group, const Difference *difference, gboolean turned)
{
    const Form *form = form_at(own, difference->form), *expected = form_at(own, difference->expected);
    const gboolean is_sure = difference->rule != DT_CHECK_COLLECTIVE_TYPE || difference->types == DT_TYPES_CLASH;
    DtCheckFinding *finding;
    g_autofree char *variant = g_strdup_printf("%s %u", group->name, expected->call.function);
    if (dt_check_report_kept(own->checking, difference->rule, is_sure ? DT_CHECK_ERROR : DT_CHECK_WARNING, &form->call,
                             variant, &finding)) {
        g_autofree char *text = dt_kept_call_text(own->checking, &form->call);
        dt_check_expect(finding, "%s", right_for(difference->rule));
        dt_check_add_evidence(finding, "collective call %" G_GUINT64_FORMAT " on %s", difference->position + 1,
                              group->name);
        if (turned)
            add_others(own, finding, group, difference);
        else
            add_members(own, finding, group, difference->position, expected);
        dt_check_add_evidence(finding, "rank %d: %s", difference->process->rank, text);
    }
    if (finding)
        dt_check_add_rank(finding, expected->call.trace->process->rank);
}

/* The member has no other calls on the communicator, window or file behind it: it left out what the others do. */
static gboolean is_last_call(const Form *form)
{
    return dt_call_has(form->row, DT_PARAMETER_COMM_FREED) || dt_call_has(form->row, DT_PARAMETER_WINDOW_FREED) ||
           dt_call_has(form->row, DT_PARAMETER_FILE_FREED);
}

/* TRUE if it is a finding of the first member rather: it alone is different from all the others, or goes on with what
 * the other one has left out. */
static gboolean is_first_the_odd_one(const Collectives *own, const Group *group, const Difference *difference)
{
    const gboolean one_left_out = is_last_call(form_at(own, difference->form));
    const gboolean first_left_out = is_last_call(form_at(own, difference->expected));
    if (difference->rule == DT_CHECK_COLLECTIVE_ORDER && one_left_out != first_left_out)
        return one_left_out;
    guint others = 0;
    for (guint i = 0; i < group->differences->len; i++) {
        const Difference *other = &g_array_index(group->differences, Difference, i);
        others += other->position == difference->position && other->rule == difference->rule;
    }
    return others > 1 && others + 1 == group->came->len;
}

static gboolean is_mixed(const Group *group)
{
    for (guint i = 0; i < group->came->len; i++)
        if (g_array_index(group->came, Member, i).mixed)
            return TRUE;
    return FALSE;
}

static void tell_differences(Collectives *own, const Group *group)
{
    guint64 last_told = G_MAXUINT64;
    for (guint i = 0; i < group->differences->len; i++) {
        Difference difference = g_array_index(group->differences, Difference, i);
        const gboolean turned = is_first_the_odd_one(own, group, &difference);
        if (turned) {
            if (last_told == difference.position)
                continue;
            last_told = difference.position;
            guint form = difference.form;
            difference.process = form_at(own, difference.expected)->call.trace->process;
            difference.form = difference.expected;
            difference.expected = form;
        }
        tell_difference(own, group, &difference, turned);
    }
}

/* ---- calls that members did not make --------------------------------------------------------- */

static const DtCheckedProcess *process_of(const Collectives *own, gint rank)
{
    const DtProcess *process = g_hash_table_lookup(own->checking->by_rank, GINT_TO_POINTER(rank));
    return process ? &own->checking->processes[process->index] : NULL;
}

static gboolean is_told_whole(const Collectives *own, const Group *group)
{
    for (gint i = 0; i < group->size + MAX(group->remote_size, 0); i++) {
        const DtCheckedProcess *process = process_of(own, group->members[i]);
        if (!process || !process->is_read || !process->is_complete || process->lacks_arguments)
            return FALSE;
    }
    for (guint i = 0; i < group->came->len; i++) {
        const Member *member = &g_array_index(group->came, Member, i);
        if (member->mixed || member->off)
            return FALSE;
    }
    return TRUE;
}

static const Member *member_with_most(const Group *group)
{
    const Member *most = NULL;
    for (guint i = 0; i < group->came->len; i++) {
        const Member *member = &g_array_index(group->came, Member, i);
        most = !most || member->calls > most->calls ? member : most;
    }
    return most;
}

static guint64 calls_of(const Group *group, gint rank)
{
    for (guint i = 0; i < group->came->len; i++)
        if (g_array_index(group->came, Member, i).process->rank == rank)
            return g_array_index(group->came, Member, i).calls;
    return 0;
}

/* Ending an object that others do not end is no deadlock. */
static gboolean ends_object(const struct dt_call *row)
{
    return dt_call_has(row, DT_PARAMETER_COMM_FREED);
}

static void tell_missing(Collectives *own, const Group *group, const Member *most, gint rank, guint64 calls)
{
    const Form *form = form_at(own, most->last);
    DtCheckFinding *finding;
    if (ends_object(form->row) && calls + 1 == most->calls)
        return;
    if (dt_check_report_kept(own->checking, DT_CHECK_COLLECTIVE_MISSING, DT_CHECK_ERROR, &form->call, group->name,
                             &finding)) {
        dt_check_expect(finding, "this call on all members of %s", group->name);
        dt_check_add_evidence(finding,
                              "rank %d made %" G_GUINT64_FORMAT " collective calls on %s, this the last of them",
                              most->process->rank, most->calls, group->name);
        dt_check_add_evidence(finding, "rank %d made %" G_GUINT64_FORMAT " and came to MPI_Finalize", rank, calls);
    }
    if (finding)
        dt_check_add_rank(finding, rank);
}

static gboolean is_met_by_all(const Group *group, const Member *most)
{
    gboolean met = (gint)group->came->len == group->size + MAX(group->remote_size, 0);
    for (guint i = 0; met && i < group->came->len; i++)
        met = g_array_index(group->came, Member, i).calls == most->calls;
    return met;
}

static void look_at_missing(Collectives *own, const Group *group)
{
    const Member *most = member_with_most(group);
    if (!most || is_met_by_all(group, most) || !is_told_whole(own, group))
        return;
    for (gint i = 0; i < group->size + MAX(group->remote_size, 0); i++) {
        const gint rank = group->members[i];
        const guint64 calls = calls_of(group, rank);
        if (calls < most->calls && process_of(own, rank)->finalized)
            tell_missing(own, group, most, rank, calls);
    }
}

static void finish(gpointer family)
{
    Collectives *own = family;
    for (guint i = 0; i < own->in_order->len; i++) {
        const Group *group = own->in_order->pdata[i];
        if (!is_mixed(group)) /* else their order is not known */
            tell_differences(own, group);
        look_at_missing(own, group);
    }
}

const DtCheckFamily dt_check_collectives = {.start = start, .enter = enter, .finish = finish, .stop = stop};
