/* Datatypes whose data are hashed. Those that are no plain row of bytes MPI packs for us: in a homogeneous job what it
 * packs is the bytes of the type map, one behind the other. */
#include "native/arguments/payload.h"
#include "record/spin_lock.h"
#include "system/reserved_memory.h"

enum {
    PACKED_AT_ONCE = 4096,
    MOST_PACKED = 1 << 26, /* of one element */
    MOST_TYPES = 1 << 14,
    DEEPEST = 8
};

/* MPI's functions, and the combiner of predefined types; that of duplicates and that of rows follow it. */
static struct {
    bool ready;
    int named;
    int (*extent)(uint64_t, int64_t *, int64_t *);
    int (*envelope)(uint64_t, int *, int *, int *, int *);
    int (*contents)(uint64_t, int, int, int, int *, int64_t *, uint64_t *);
    /* The same of types that were made with large counts, too; MPICH ends a program that asks for these by the other
     * two. NULL: the MPI has no such types. */
    int (*large_envelope)(uint64_t, int64_t *, int64_t *, int64_t *, int64_t *, int *);
    int (*large_contents)(uint64_t, int64_t, int64_t, int64_t, int64_t, int *, int64_t *, int64_t *, uint64_t *);
    int (*contiguous)(int, uint64_t, uint64_t *);
    int (*commit)(uint64_t *);
    int (*free)(uint64_t *);
    int (*pack)(uint64_t, int, uint64_t, void *, int, int *, uint64_t);
    int (*get_count)(uint64_t, uint64_t, int *);
} mpi;

static struct dt_handles types;
static struct dt_payload_type *pool;
static uint32_t lock, type_count;

void dt_payload_initialised(void *library)
{
    mpi.named = dt_mpi.handles_are_pointers ? 0 : 1;
    mpi.ready = dt_mpi_function(library, "PMPI_Type_get_extent", &mpi.extent) &&
                dt_mpi_function(library, "PMPI_Type_get_envelope", &mpi.envelope) &&
                dt_mpi_function(library, "PMPI_Type_get_contents", &mpi.contents) &&
                dt_mpi_function(library, "PMPI_Type_contiguous", &mpi.contiguous) &&
                dt_mpi_function(library, "PMPI_Type_commit", &mpi.commit) &&
                dt_mpi_function(library, "PMPI_Type_free", &mpi.free) &&
                dt_mpi_function(library, "PMPI_Pack", &mpi.pack) &&
                dt_mpi_function(library, "PMPI_Get_count", &mpi.get_count);
    if (!dt_mpi_function(library, "PMPI_Type_get_envelope_c", &mpi.large_envelope) ||
        !dt_mpi_function(library, "PMPI_Type_get_contents_c", &mpi.large_contents))
        mpi.large_envelope = NULL;
}

/* ---- what a type is -------------------------------------------------------------------------- */

/* Of what a type is made. */
struct parts {
    int64_t numbers, addresses, counts, types;
    int combiner;
};

static bool find_parts(uint64_t handle, struct parts *parts)
{
    int numbers = 0, addresses = 0, inner = 0;
    *parts = (struct parts){.combiner = -1};
    if (mpi.large_envelope)
        return mpi.large_envelope(handle, &parts->numbers, &parts->addresses, &parts->counts, &parts->types,
                                  &parts->combiner) == 0;
    if (mpi.envelope(handle, &numbers, &addresses, &inner, &parts->combiner) != 0)
        return false;
    parts->numbers = numbers;
    parts->addresses = addresses;
    parts->types = inner;
    return true;
}

/* TRUE as well if MPI does not tell. */
static bool is_named(uint64_t handle)
{
    struct parts parts;
    return !find_parts(handle, &parts) || parts.combiner == mpi.named;
}

/* The type that a duplicate or a row is made of; 0: it is neither. */
static uint64_t inner_of(uint64_t handle, const struct parts *parts)
{
    int numbers[1];
    int64_t addresses[1], counts[1];
    uint64_t inner = 0;
    bool duplicate = parts->combiner == mpi.named + 1, row = parts->combiner == mpi.named + 2;
    if ((!duplicate && !row) || parts->numbers > 1 || parts->addresses > 1 || parts->counts > 1 || parts->types != 1)
        return 0;
    int result = mpi.large_envelope
                     ? mpi.large_contents(handle, parts->numbers, parts->addresses, parts->counts, 1, numbers,
                                          addresses, counts, &inner)
                     : mpi.contents(handle, (int)parts->numbers, (int)parts->addresses, 1, numbers, addresses, &inner);
    return result == 0 ? dt_mpi_handle(inner) : 0;
}

/* A predefined type without holes, or a row of such: its bytes in memory are those of its map, in this order. */
static bool is_contiguous(uint64_t handle, int depth)
{
    struct parts parts;
    int64_t lower = 0, extent = 0;
    if (mpi.extent(handle, &lower, &extent) != 0 || lower != 0 || extent != dt_datatype_size(handle) ||
        !find_parts(handle, &parts))
        return false;
    if (parts.combiner == mpi.named)
        return true;
    uint64_t inner = depth < DEEPEST ? inner_of(handle, &parts) : 0;
    if (!inner)
        return false;
    bool plain = is_contiguous(inner, depth + 1);
    if (!is_named(inner)) {
        dt_datatype_freed(inner);
        mpi.free(&inner);
    }
    return plain;
}

static bool describe(struct dt_payload_type *type, uint64_t handle)
{
    int64_t lower;
    uint64_t copy = 0;
    *type = (struct dt_payload_type){.handle = handle, .size = dt_datatype_size(handle), .users = 1};
    if (type->size < 0 || mpi.extent(handle, &lower, &type->extent) != 0)
        return false;
    type->contiguous = is_contiguous(handle, 0);
    if (type->contiguous || is_named(handle))
        return true;
    /* The program may free its type while a receive is under way. */
    if (mpi.contiguous(1, handle, &copy) != 0)
        return false;
    type->own = mpi.commit(&copy) == 0;
    type->handle = dt_mpi_handle(copy);
    return type->own;
}

/* ---- the table ------------------------------------------------------------------------------- */

static struct dt_payload_type *find_known(uint64_t handle)
{
    uint64_t place = 0;
    if (!dt_spin_lock(&lock))
        return NULL;
    struct dt_payload_type *type = dt_handles_get(&types, handle, &place) ? (struct dt_payload_type *)place : NULL;
    if (type)
        type->users++;
    dt_spin_unlock(&lock);
    return type;
}

/* Under the lock; NULL: one too many. */
static struct dt_payload_type *take_unused(void)
{
    if (!pool)
        pool = dt_kept_allocate(MOST_TYPES * sizeof *pool);
    for (uint32_t i = 0; pool && i < type_count; i++)
        if (pool[i].users == 0)
            return &pool[i];
    return pool && type_count < MOST_TYPES ? &pool[type_count++] : NULL;
}

static struct dt_payload_type *keep(uint64_t handle, const struct dt_payload_type *described)
{
    if (!dt_spin_lock(&lock))
        return NULL;
    struct dt_payload_type *type = take_unused();
    if (type && dt_handles_put(&types, handle, (uint64_t)type)) {
        *type = *described;
        type->users = 2;
    } else {
        type = NULL;
    }
    dt_spin_unlock(&lock);
    return type;
}

struct dt_payload_type *dt_payload_type_use(uint64_t handle)
{
    struct dt_payload_type described;
    if (!mpi.ready || !dt_mpi_is_datatype(handle))
        return NULL;
    struct dt_payload_type *known = find_known(handle);
    return known ? known : describe(&described, handle) ? keep(handle, &described) : NULL;
}

void dt_payload_type_leave(struct dt_payload_type *type)
{
    uint64_t copy = 0;
    if (!type || !dt_spin_lock(&lock))
        return;
    if (--type->users == 0 && type->own)
        copy = type->handle;
    dt_spin_unlock(&lock);
    if (copy && dt_mpi.ready)
        mpi.free(&copy);
}

void dt_payload_type_freed(uint64_t handle)
{
    uint64_t place = 0;
    if (!dt_spin_lock(&lock))
        return;
    bool known = dt_handles_get(&types, handle, &place);
    dt_handles_remove(&types, handle);
    dt_spin_unlock(&lock);
    if (known)
        dt_payload_type_leave((struct dt_payload_type *)place);
}

/* ---- elements -------------------------------------------------------------------------------- */

static bool add_packed(struct dt_payload_hash *hash, uint64_t address, int64_t count,
                       const struct dt_payload_type *type)
{
    int64_t at_once = type->size < PACKED_AT_ONCE ? PACKED_AT_ONCE / type->size : 1;
    at_once = at_once < count ? at_once : count;
    size_t bytes = (size_t)(at_once * type->size);
    uint8_t few[PACKED_AT_ONCE];
    void *packed = bytes <= sizeof few ? few : type->size <= MOST_PACKED ? dt_sys_allocate(bytes) : NULL;
    bool done = packed != NULL;
    while (done && count > 0) {
        int64_t part = count < at_once ? count : at_once;
        int position = 0;
        done = mpi.pack(address, (int)part, type->handle, packed, (int)bytes, &position, dt_mpi.world) == 0 &&
               position == part * type->size;
        if (done)
            dt_payload_hash_add(hash, packed, (uint64_t)position);
        address += (uint64_t)(part * type->extent);
        count -= part;
    }
    if (packed && packed != few)
        dt_sys_munmap(packed, bytes);
    return done;
}

bool dt_payload_add(struct dt_payload_hash *hash, uint64_t address, int64_t count, const struct dt_payload_type *type)
{
    if (count <= 0 || type->size == 0)
        return count >= 0;
    if (!type->contiguous)
        return add_packed(hash, address, count, type);
    if (!address)
        return false;
    dt_payload_hash_add(hash, (const void *)address, (uint64_t)(count * type->size));
    return true;
}

int64_t dt_payload_received_count(uint64_t status, const struct dt_payload_type *type)
{
    int count = -1;
    if (status <= dt_mpi.ignored_status || mpi.get_count(status, type->handle, &count) != 0 || count < 0)
        return -1;
    return count;
}
