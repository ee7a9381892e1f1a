/* Communicators: numbered by first use, with a key that all members find out for themselves. */

#include "format/checks.h"
#include "native/arguments/calls.h"
#include "record/record_row.h"
#include "record/signatures.h"
#include "record/spin_lock.h"
#include "system/reserved_memory.h"

enum { DT_MOST_COMMUNICATORS = 4096 }; /* times dt_process.options.arguments_scale */
/* In the place of an index: it was freed, and MPI, asked about it, might end the process. */
static const uint64_t GONE = UINT32_MAX;

static struct dt_handles by_handle; /* -> index */
static struct dt_known_communicator *known;
static uint32_t known_count, lock;

static struct dt_record_row records;

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_record(const struct dt_known_communicator *of, const int *members, uint32_t count)
{
    size_t bytes = (sizeof(struct dt_communicator) + count * sizeof *members + 7) & ~(size_t)7;
    struct dt_communicator *record = dt_record_row_place(&records, DT_CHUNK_COMMUNICATORS, bytes);
    if (!record)
        return;
    memcpy(record + 1, members, count * sizeof *members);
    *record = (struct dt_communicator){
        .number = of->number,
        .parent = of->parent,
        .creation = of->creation,
        .key = of->key,
        .rank = of->rank,
        .size = of->size,
        .remote_size = of->remote_size,
    };
    record->bytes = (uint32_t)bytes;
    uint32_t check = dt_communicator_check(record);
    record->bytes = 0;
    record->check = check;
    dt_compiler_barrier();
    record->bytes = (uint32_t)bytes;
    dt_record_row_done(&records);
}

/* ---- members --------------------------------------------------------------------------------- */

/* Ranks in MPI_COMM_WORLD of the first `count` of a group; -1 where there is none. Frees the group. */
static bool translate(uint64_t group, int *world_ranks, int *ranks, int count)
{
    uint64_t world = 0;
    for (int i = 0; i < count; i++)
        ranks[i] = i;
    bool done = dt_mpi.comm_group(dt_mpi.world, &world) == 0 &&
                dt_mpi.group_translate_ranks(group, count, ranks, world, world_ranks) == 0;
    for (int i = 0; i < count; i++)
        world_ranks[i] = world_ranks[i] < 0 ? -1 : world_ranks[i];
    dt_mpi.group_free(&world);
    dt_mpi.group_free(&group);
    return done;
}

static uint64_t hash_members(const int *members, int count)
{
    /* Not a small number, which a rank would make 0. */
    uint64_t hash = mix(0x6a09e667f3bcc908u, (uint64_t)count);
    for (int i = 0; i < count; i++)
        hash = mix(hash, (uint64_t)(uint32_t)members[i]);
    return hash;
}

/* True if the process was started by MPI_Comm_spawn: then its world is not the only one, and looks like the other. */
static bool is_spawned(void)
{
    uint64_t parent = 0;
    return dt_mpi.comm_get_parent && dt_mpi.comm_get_parent(&parent) == 0 && dt_mpi_is_communicator(parent);
}

/* All members come to the same family. */
static uint64_t make_family(const struct dt_communicator_origin *origin, const struct dt_known_communicator *parent,
                            uint64_t members)
{
    enum dt_communicator_makers makers = dt_call_makers(origin->call);
    uint64_t parent_key = parent ? parent->key : 0;
    if (!members || makers == DT_MADE_BY_OTHERS || (makers != DT_MADE_BY_HALVES && !parent_key))
        return 0;
    /* The halves have different parents. */
    uint64_t from = makers == DT_MADE_BY_HALVES ? 0 : parent_key;
    return mix(mix(mix(makers + 1, from), members), (uint64_t)(uint32_t)origin->tag) | 1;
}

/* Communicators of one family are told apart by their order, which all members share; but if several threads of a
 * process make a bridge between the same two groups, nobody else knows which of them came first. */
static uint64_t make_key(const struct dt_known_communicator *of, bool by_one_thread)
{
    uint64_t same = 0;
    if (!of->family || dt_process.header->lost_communicators)
        return 0;
    for (uint32_t i = 0; i < known_count && &known[i] != of; i++)
        if (known[i].family == of->family) {
            same++;
            if (by_one_thread && known[i].maker != of->maker)
                return 0;
        }
    return mix(of->family, same) | 1;
}

/* Ranks in the world; -1 somewhere: a member is of another one. */
static bool ask_members(const struct dt_known_communicator *of, int *members, int *ranks)
{
    uint64_t group = 0;
    if (dt_mpi.comm_group(of->handle, &group) != 0 || !translate(group, members, ranks, of->size))
        return false;
    if (of->remote_size < 0)
        return true;
    group = 0;
    return dt_mpi.comm_remote_group(of->handle, &group) == 0 &&
           translate(group, members + of->size, ranks, of->remote_size);
}

/* The same seen from both sides; 0: not all members are in the world. */
static uint64_t hash_all(const struct dt_known_communicator *of, const int *members)
{
    int remote = of->remote_size < 0 ? 0 : of->remote_size;
    for (int i = 0; i < of->size + remote; i++)
        if (members[i] < 0)
            return 0;
    uint64_t own = hash_members(members, of->size), other = remote ? hash_members(members + of->size, remote) : 0;
    return (own < other ? mix(other, own) : mix(own, other)) | 1;
}

static struct dt_known_communicator *find_communicator(uint64_t handle)
{
    uint64_t index;
    return dt_handles_get(&by_handle, handle, &index) && index != GONE ? &known[index] : NULL;
}

static void give_key(struct dt_known_communicator *of, const struct dt_communicator_origin *origin)
{
    of->family = make_family(origin, find_communicator(origin->parent), of->members);
    of->maker = origin->thread;
    of->key = make_key(of, dt_call_makers(origin->call) == DT_MADE_BY_HALVES);
}

static bool ask_sizes(struct dt_known_communicator *of)
{
    int inter = 0;
    of->remote_size = -1;
    return dt_mpi.comm_rank(of->handle, &of->rank) == 0 && dt_mpi.comm_size(of->handle, &of->size) == 0 &&
           of->size > 0 && dt_mpi.comm_test_inter(of->handle, &inter) == 0 &&
           (!inter || dt_mpi.comm_remote_size(of->handle, &of->remote_size) == 0);
}

/* Asks MPI for all there is to know, makes the key unless it is there, and writes all down. */
static void ask(struct dt_known_communicator *of, const struct dt_communicator_origin *origin)
{
    of->asked = true;
    if (!ask_sizes(of)) {
        of->size = 0;
        return;
    }
    uint32_t count = (uint32_t)of->size + (of->remote_size > 0 ? (uint32_t)of->remote_size : 0);
    size_t bytes = 2 * (size_t)count * sizeof(int);
    int *members = dt_sys_allocate(bytes);
    if (!members)
        return;
    if (ask_members(of, members, members + count)) {
        of->members = hash_all(of, members);
        if (of->number <= DT_COMMUNICATOR_SELF)
            of->key = is_spawned() ? 0 : mix(of->number + 1, of->members) | 1;
        else if (origin)
            give_key(of, origin);
        write_record(of, members, count);
    }
    dt_sys_munmap(members, bytes);
}

/* ---- handles --------------------------------------------------------------------------------- */

static struct dt_known_communicator *add_communicator(uint64_t handle, uint32_t parent, uint32_t creation)
{
    if (known_count == DT_MOST_COMMUNICATORS * dt_process.options.arguments_scale ||
        !dt_handles_put(&by_handle, handle, known_count)) {
        dt_lost(&dt_process.header->lost_communicators);
        return NULL;
    }
    struct dt_known_communicator *new = &known[known_count];
    *new = (struct dt_known_communicator){.handle = handle, .number = known_count, .parent = parent};
    new->creation = creation;
    known_count++;
    return new;
}

static bool is_there(void)
{
    if (known)
        return true;
    known = dt_kept_allocate((size_t)DT_MOST_COMMUNICATORS * dt_process.options.arguments_scale * sizeof *known);
    return known && add_communicator(dt_mpi.world, DT_COMMUNICATOR_NONE, 0) &&
           add_communicator(dt_mpi.self, DT_COMMUNICATOR_NONE, 0);
}

static struct dt_known_communicator *get_or_add(uint64_t handle)
{
    struct dt_known_communicator *found = find_communicator(handle);
    uint64_t index;
    if (!found && dt_handles_get(&by_handle, handle, &index))
        return NULL;
    return found ? found : add_communicator(handle, DT_COMMUNICATOR_NONE, 0);
}

struct dt_known_communicator *dt_communicator_get(uint64_t handle)
{
    if (!dt_mpi_is_communicator(handle) || !dt_spin_lock(&lock))
        return NULL;
    struct dt_known_communicator *found = is_there() ? get_or_add(handle) : NULL;
    if (found && !found->asked)
        ask(found, NULL);
    dt_spin_unlock(&lock);
    return found && found->size > 0 ? found : NULL;
}

uint32_t dt_communicator_creation(uint64_t parent)
{
    struct dt_known_communicator *of = dt_communicator_get(parent);
    return of ? __atomic_add_fetch(&of->children, 1, __ATOMIC_RELAXED) : 0;
}

void dt_communicator_made(uint64_t handle, const struct dt_communicator_origin *origin, bool pending)
{
    if (!dt_mpi_is_communicator(handle) || !dt_spin_lock(&lock))
        return;
    struct dt_known_communicator *from = is_there() ? find_communicator(origin->parent) : NULL;
    struct dt_known_communicator *new =
        known ? add_communicator(handle, from ? from->number : DT_COMMUNICATOR_NONE, origin->creation) : NULL;
    if (new &&pending && from) {
        new->members = from->members;
        give_key(new, origin);
    } else if (new && !pending) {
        ask(new, origin);
    }
    dt_spin_unlock(&lock);
    dt_signatures_changed();
}

void dt_communicator_freed(uint64_t handle)
{
    if (!dt_spin_lock(&lock))
        return;
    dt_handles_remove(&by_handle, handle);
    dt_handles_put(&by_handle, handle, GONE);
    dt_spin_unlock(&lock);
    dt_signatures_changed();
}

/* ---- groups and topologies ------------------------------------------------------------------- */

int64_t dt_group_members(uint64_t handle, int *ranks, uint32_t most)
{
    int size = -1;
    uint64_t world = 0;
    if (!dt_mpi_is_group(handle) || dt_mpi.group_size(handle, &size) != 0 || size < 0)
        return -1;
    if (size == 0 || (uint32_t)size > most)
        return size;
    size_t bytes = (size_t)size * sizeof(int);
    int *own = dt_sys_allocate(bytes);
    if (!own)
        return -1;
    for (int i = 0; i < size; i++)
        own[i] = i;
    bool done = dt_mpi.comm_group(dt_mpi.world, &world) == 0 &&
                dt_mpi.group_translate_ranks(handle, size, own, world, ranks) == 0;
    for (int i = 0; done && i < size; i++)
        ranks[i] = ranks[i] < 0 ? -1 : ranks[i];
    dt_mpi.group_free(&world);
    dt_sys_munmap(own, bytes);
    return done ? size : -1;
}

static int topology(uint64_t handle)
{
    int kind = -1;
    return dt_mpi_is_communicator(handle) && dt_mpi.topo_test(handle, &kind) == 0 ? kind : -1;
}

int64_t dt_communicator_dimensions(uint64_t handle)
{
    int dimensions = -1;
    return topology(handle) == dt_mpi.cartesian && dt_mpi.cartdim_get(handle, &dimensions) == 0 ? dimensions : -1;
}

bool dt_communicator_degrees(uint64_t handle, int *in, int *out)
{
    int kind = topology(handle), weighted, rank = 0;
    if (kind == dt_mpi.distributed_graph)
        return dt_mpi.dist_graph_neighbors_count(handle, in, out, &weighted) == 0;
    if (kind == dt_mpi.graph) {
        bool told = dt_mpi.comm_rank(handle, &rank) == 0 && dt_mpi.graph_neighbors_count(handle, rank, in) == 0;
        *out = *in;
        return told;
    }
    *in = *out = (int)(2 * dt_communicator_dimensions(handle));
    return *in >= 0;
}
