/* Functions with arguments. One letter a parameter:
 *
 *   .  nothing            c  communicator         t  tag            r  root          o  operation
 *   n  count              d  datatype: gives the count before it and its size
 *   b  buffer that MPI_IN_PLACE may stand for: then the count and datatype behind it say nothing
 *   >  destination        <  source               @  target of one-sided communication
 *   k  colour             v  window               V  window made    X  window freed
 *   C  communicator made  P  one that is made by the time a request has completed
 *   F  communicator freed T  datatype freed       O  operation freed
 *   q  request made       Q  persistent request made
 *   w  request named      N  how many in the array that W is
 *   s  status             S  array of statuses
 *   i  index of the completed request             f  flag: completed
 *   m  how many have completed                    x  array of their indices
 *   l  lock               k  in calls of threads: condition variable    b  likewise: barrier
 *   L  lock made          K  condition variable made                    B  barrier made
 *   D  lock destroyed     E  condition variable destroyed               Y  barrier destroyed
 *   ?  the call may fail to lock: result of interest
 *   *  no parameter: the lock that the function itself stands for
 */

#include "native/arguments/call_reading.h"

static const struct dt_call mpi_calls[] = {
    {"Send", ".nd>tc", 0},
    {"Bsend", ".nd>tc", 0},
    {"Ssend", ".nd>tc", 0},
    {"Rsend", ".nd>tc", 0},
    {"Isend", ".nd>tcq", 0},
    {"Ibsend", ".nd>tcq", 0},
    {"Issend", ".nd>tcq", 0},
    {"Irsend", ".nd>tcq", 0},
    {"Send_init", ".nd>tcQ", 0},
    {"Bsend_init", ".nd>tcQ", 0},
    {"Ssend_init", ".nd>tcQ", 0},
    {"Rsend_init", ".nd>tcQ", 0},
    {"Recv", ".nd<tcs", 0},
    {"Irecv", ".nd<tcq", 0},
    {"Recv_init", ".nd<tcQ", 0},
    {"Sendrecv", ".nd>t.nd<tcs", 0},
    {"Sendrecv_replace", ".nd>t<tcs", 0},
    {"Isendrecv", ".nd>t.nd<tcq", 0},
    {"Isendrecv_replace", ".nd>t<tcq", 0},
    {"Probe", "<tcs", 0},
    {"Iprobe", "<tcfs", 0},
    {"Mprobe", "<tc.s", 0},
    {"Improbe", "<tcf.s", 0},
    {"Mrecv", ".nd.s", 0},
    {"Imrecv", ".nd.q", 0},
    {"Start", "w", DT_REQUESTS_STARTED},
    {"Startall", "NW", DT_REQUESTS_STARTED},
    {"Wait", "ws", DT_REQUESTS_AWAITED},
    {"Waitall", "NWS", DT_REQUESTS_AWAITED},
    {"Waitany", "NWis", DT_REQUESTS_AWAITED},
    {"Waitsome", "NWmxS", DT_REQUESTS_AWAITED},
    {"Test", "wfs", DT_REQUESTS_TESTED},
    {"Testall", "NWfS", DT_REQUESTS_TESTED},
    {"Testany", "NWifs", DT_REQUESTS_TESTED},
    {"Testsome", "NWmxS", DT_REQUESTS_TESTED},
    {"Cancel", "w", DT_REQUESTS_STARTED},
    {"Request_free", "w", DT_REQUESTS_FREED},

    {"Barrier", "c", 0},
    {"Bcast", ".ndrc", 0},
    {"Gather", "bnd...rc", 0},
    {"Gatherv", "bnd....rc", 0},
    {"Scatter", "...bndrc", 0},
    {"Scatterv", "....bndrc", 0},
    {"Allgather", "....ndc", 0},
    {"Allgatherv", "bnd....c", 0},
    {"Alltoall", "....ndc", 0},
    {"Alltoallv", "........c", 0},
    {"Alltoallw", "........c", 0},
    {"Reduce", "..ndorc", 0},
    {"Allreduce", "..ndoc", 0},
    {"Reduce_scatter", "....oc", 0},
    {"Reduce_scatter_block", "..ndoc", 0},
    {"Scan", "..ndoc", 0},
    {"Exscan", "..ndoc", 0},
    {"Ibarrier", "cq", 0},
    {"Ibcast", ".ndrcq", 0},
    {"Igather", "bnd...rcq", 0},
    {"Igatherv", "bnd....rcq", 0},
    {"Iscatter", "...bndrcq", 0},
    {"Iscatterv", "....bndrcq", 0},
    {"Iallgather", "....ndcq", 0},
    {"Iallgatherv", "bnd....cq", 0},
    {"Ialltoall", "....ndcq", 0},
    {"Ialltoallv", "........cq", 0},
    {"Ialltoallw", "........cq", 0},
    {"Ireduce", "..ndorcq", 0},
    {"Iallreduce", "..ndocq", 0},
    {"Ireduce_scatter", "....ocq", 0},
    {"Ireduce_scatter_block", "..ndocq", 0},
    {"Iscan", "..ndocq", 0},
    {"Iexscan", "..ndocq", 0},
    {"Barrier_init", "c.Q", 0},
    {"Bcast_init", ".ndrc.Q", 0},
    {"Reduce_init", "..ndorc.Q", 0},
    {"Allreduce_init", "..ndoc.Q", 0},
    {"Allgather_init", "....ndc.Q", 0},
    {"Alltoall_init", "....ndc.Q", 0},

    {"Comm_rank", "c", 0},
    {"Comm_size", "c", 0},
    {"Comm_remote_size", "c", 0},
    {"Comm_group", "c", 0},
    {"Comm_dup", "cC", 0},
    {"Comm_dup_with_info", "c.C", 0},
    {"Comm_idup", "cPq", 0},
    {"Comm_split", "ck.C", 0},
    {"Comm_split_type", "ck..C", 0},
    {"Comm_create", "c.C", 0},
    {"Comm_create_group", "c.tC", 0},
    {"Cart_create", "c....C", 0},
    {"Cart_sub", "c.C", 0},
    {"Cart_coords", "c", 0},
    {"Cart_rank", "c", 0},
    {"Cart_shift", "c", 0},
    {"Graph_create", "c....C", 0},
    {"Dist_graph_create", "c.......C", 0},
    {"Dist_graph_create_adjacent", "c........C", 0},
    {"Intercomm_create", "c....C", 0},
    {"Intercomm_merge", "c.C", 0},
    {"Comm_spawn", "....rcC", 0},
    {"Comm_accept", "..rcC", 0},
    {"Comm_connect", "..rcC", 0},
    {"Comm_free", "F", 0},
    {"Comm_disconnect", "F", 0},
    {"Abort", "c", 0},
    {"Type_free", "T", 0},
    {"Op_free", "O", 0},

    {"Win_create", "....cV", 0},
    {"Win_allocate", "...c.V", 0},
    {"Win_allocate_shared", "...c.V", 0},
    {"Win_create_dynamic", ".cV", 0},
    {"Win_free", "X", 0},
    {"Win_fence", ".v", 0},
    {"Win_start", "..v", 0},
    {"Win_complete", "v", 0},
    {"Win_post", "..v", 0},
    {"Win_wait", "v", 0},
    {"Win_test", "v", 0},
    {"Win_lock", ".@.v", 0},
    {"Win_unlock", "@v", 0},
    {"Win_lock_all", ".v", 0},
    {"Win_unlock_all", "v", 0},
    {"Win_flush", "@v", 0},
    {"Win_flush_local", "@v", 0},
    {"Win_flush_all", "v", 0},
    {"Win_flush_local_all", "v", 0},
    {"Win_sync", "v", 0},
    {"Put", ".nd@...v", 0},
    {"Get", ".nd@...v", 0},
    {"Accumulate", ".nd@...ov", 0},
    {"Get_accumulate", "......@...ov", 0},
    {"Fetch_and_op", "...@.ov", 0},
    {"Compare_and_swap", "....@.v", 0},
    {"Rput", ".nd@...vq", 0},
    {"Rget", ".nd@...vq", 0},
    {"Raccumulate", ".nd@...ovq", 0},
};

static const struct dt_call thread_calls[] = {
    {"pthread_mutex_lock", "l", 0},
    {"pthread_mutex_trylock", "l?", 0},
    {"pthread_mutex_timedlock", "l?", 0},
    {"pthread_mutex_clocklock", "l?", 0},
    {"pthread_mutex_unlock", "l", 0},
    {"pthread_mutex_init", "L", 0},
    {"pthread_mutex_destroy", "D", 0},
    {"pthread_rwlock_rdlock", "l", 0},
    {"pthread_rwlock_wrlock", "l", 0},
    {"pthread_rwlock_tryrdlock", "l?", 0},
    {"pthread_rwlock_trywrlock", "l?", 0},
    {"pthread_rwlock_timedrdlock", "l?", 0},
    {"pthread_rwlock_timedwrlock", "l?", 0},
    {"pthread_rwlock_unlock", "l", 0},
    {"pthread_rwlock_init", "L", 0},
    {"pthread_rwlock_destroy", "D", 0},
    {"pthread_spin_lock", "l", 0},
    {"pthread_spin_trylock", "l?", 0},
    {"pthread_spin_unlock", "l", 0},
    {"pthread_spin_init", "L", 0},
    {"pthread_spin_destroy", "D", 0},
    {"pthread_cond_wait", "kl", 0},
    {"pthread_cond_timedwait", "kl", 0},
    {"pthread_cond_clockwait", "kl", 0},
    {"pthread_cond_signal", "k", 0},
    {"pthread_cond_broadcast", "k", 0},
    {"pthread_cond_init", "K", 0},
    {"pthread_cond_destroy", "E", 0},
    {"pthread_barrier_wait", "b", 0},
    {"pthread_barrier_init", "B", 0},
    {"pthread_barrier_destroy", "Y", 0},
    {"GOMP_critical_start", "*", 0},
    {"GOMP_critical_end", "*", 0},
    {"GOMP_critical_name_start", "l", 0},
    {"GOMP_critical_name_end", "l", 0},
    {"__kmpc_critical", "..l", 0},
    {"__kmpc_critical_with_hint", "..l", 0},
    {"__kmpc_end_critical", "..l", 0},
    {"omp_set_lock", "l", 0},
    {"omp_unset_lock", "l", 0},
    {"omp_set_nest_lock", "l", 0},
    {"omp_unset_nest_lock", "l", 0},
    {"omp_init_lock", "L", 0},
    {"omp_destroy_lock", "D", 0},
    {"omp_init_nest_lock", "L", 0},
    {"omp_destroy_nest_lock", "D", 0},
};

enum {
    DT_MPI_CALLS = sizeof mpi_calls / sizeof *mpi_calls,
    DT_THREAD_CALLS = sizeof thread_calls / sizeof *thread_calls
};

struct dt_call_shape dt_call_shapes[1 + DT_MPI_CALLS + DT_THREAD_CALLS];

static bool has_one_of(const char *parameters, const char *letters)
{
    for (; *parameters; parameters++)
        if (dt_letter_is_one_of(letters, *parameters))
            return true;
    return false;
}

static bool recurs(const struct dt_call *call)
{
    return !has_one_of(call->parameters, "CPVFTOX");
}

/* Letters of what a signature is made of. */
static const char identifying[] = "cvnbd><@trokN";

/* One whose parameters of interest are in registers: see api_stubs.S. */
static uint8_t find_quick_flags(const struct dt_call *call)
{
    enum { IN_REGISTERS = 6 };
    size_t count = strlen(call->parameters), last = count;
    bool asks = call->requests == DT_REQUESTS_NONE || call->requests == DT_REQUESTS_TESTED;
    while (last && !dt_letter_is_one_of(identifying, call->parameters[last - 1]))
        last--;
    return (uint8_t)((recurs(call) && last <= IN_REGISTERS ? DT_CALL_QUICK : 0) |
                     (recurs(call) && count <= IN_REGISTERS && asks && has_one_of(call->parameters, "f") ? DT_CALL_TESTS
                                                                                                         : 0));
}

static uint8_t find_flags(const struct dt_call *call)
{
    const char *parameters = call->parameters;
    return (uint8_t)((has_one_of(parameters, "CPqQVwW?") ? DT_CALL_LEAVES : 0) |
                     (has_one_of(parameters, "s") ? DT_CALL_STATUS : 0) |
                     (has_one_of(parameters, "FTOXDEY") ? DT_CALL_FREES : 0) |
                     (parameters[0] == 'l' && !parameters[1] ? DT_CALL_LOCKS : 0) |
                     (recurs(call) ? DT_CALL_RECURS : 0) | find_quick_flags(call));
}

/* What a parameter is to a call that is entered, and when it returns. */
static void add_parameter(struct dt_call_shape *shape, uint8_t number)
{
    char letter = shape->call->parameters[number];
    if (dt_letter_is_one_of(identifying, letter) ||
        (shape->call->requests == DT_REQUESTS_TESTED && dt_letter_is_one_of("wW", letter)))
        shape->identity[shape->identity_count++] = dt_parameter_place(number);
    if (dt_letter_is_one_of(identifying, letter))
        shape->quick_count = (uint8_t)(number + 1);
    if (dt_letter_is_one_of("CPVqQs", letter))
        shape->results |= (uint16_t)(1u << number);
    switch (letter) {
    case 's':
        shape->status = number;
        break;
    case 'S':
        shape->statuses = number;
        break;
    case 'f':
        shape->flag = number;
        break;
    case 'i':
        shape->one = number;
        break;
    case 'm':
        shape->some = number;
        break;
    case 'x':
        shape->indices = number;
        break;
    default:
        break;
    }
}

static struct dt_call_shape find_shape(const struct dt_call *call)
{
    struct dt_call_shape shape = {.call = call,
                                  .flags = find_flags(call),
                                  .count = (uint8_t)strlen(call->parameters),
                                  .status = DT_NO_PARAMETER,
                                  .statuses = DT_NO_PARAMETER,
                                  .flag = DT_NO_PARAMETER,
                                  .one = DT_NO_PARAMETER,
                                  .some = DT_NO_PARAMETER,
                                  .indices = DT_NO_PARAMETER};
    for (uint8_t i = 0; i < shape.count; i++)
        add_parameter(&shape, i);
    return shape;
}

static bool is_named(const struct dt_call *call, const char *name, size_t length)
{
    return strlen(call->name) == length && memcmp(call->name, name, length) == 0;
}

static uint16_t search(const struct dt_call *calls, uint16_t count, const char *name, size_t length)
{
    for (uint16_t i = 0; i < count; i++)
        if (calls[i].name[0] == name[0] && is_named(&calls[i], name, length)) {
            uint16_t number = (uint16_t)(1 + (calls == thread_calls ? i + DT_MPI_CALLS : i));
            if (!dt_call_shapes[number].call) /* else it may be in use */
                dt_call_shapes[number] = find_shape(&calls[i]);
            return number;
        }
    return 0;
}

uint16_t dt_call_find(const char *name, enum dt_api_class api_class)
{
    size_t length = strlen(name);
    if (api_class == DT_API_PTHREAD || api_class == DT_API_OPENMP)
        return search(thread_calls, DT_THREAD_CALLS, name, length);
    size_t prefix = name[0] == 'P' ? 5 : 4;
    if (api_class != DT_API_MPI || length <= prefix + 2)
        return 0;
    name += prefix;
    length -= prefix;
    bool large = name[length - 2] == '_' && name[length - 1] == 'c';
    uint16_t found = search(mpi_calls, DT_MPI_CALLS, name, length - (large ? 2 : 0));
    return found && large ? found | DT_CALL_LARGE : found;
}
