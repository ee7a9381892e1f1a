#include "extrapolate/stage_words.h"

#include <string.h>

#include "format/arguments.h"
#include "skeleton/fields.h"

enum { MOST_CALLS = 1 << 22, NONE = -1 };

/* How the number of a stage is told by a peer: it differs in one bit; or messages go 2^i on, or back. */
typedef enum { BY_BIT, ON, BACK, WAYS } Way;

/* Calls of one function, communicator and line. */
typedef struct {
    gboolean cannot[WAYS];
    Way way;
    guint64 *stages; /* by size: bits of those seen */
    guint up, down;  /* how often the next call's stage is the next one, or the one before */
    gint direction;  /* 0: not known */
    guint joined;    /* another key of the same phase, or itself */
    char *communicator;
} Key;

/* From a call of a key to the next one, of another key. */
typedef struct {
    guint one, other; /* to the next stage of their direction; to any other one */
} Steps;

typedef struct {
    gint key; /* NONE: the call is of no stage */
    gint8 stage[WAYS];
    gboolean is_completion;
} Item;

typedef struct {
    const DtSizes *sizes;
    DtRecordedCalls *calls;
    const GPtrArray *sequences; /* DtCallSequence */
    GHashTable *numbers;        /* text -> number of key + 1 */
    GPtrArray *keys;            /* Key */
    GPtrArray *items;           /* GArray of Item, by sequence */
    GHashTable *tags;           /* text of a key with a tag -> guint64, bits of stages */
    gboolean are_tags_noted;
    GHashTable *steps; /* first key << 32 | second key -> Steps */
    gint *phase_of;    /* by key */
    DtStages *stages;
    gboolean by_line;          /* words have lines */
    GHashTable *words, *bouts; /* text -> number + 1 */
} Cutting;

static void free_key(gpointer data)
{
    Key *key = data;
    g_free(key->stages);
    g_free(key->communicator);
    g_free(key);
}

/* ---- items ----------------------------------------------------------------------------------- */

static gint8 logarithm(gint64 number)
{
    return number > 0 && (number & (number - 1)) == 0 ? (gint8)(g_bit_storage((gulong)number) - 1) : NONE;
}

static const char *communicator_of(const Cutting *cutting, const DtRecordedCall *call)
{
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == DT_ARGUMENT_COMMUNICATOR && dt_value_is_atom(call->fields[i].value))
            return dt_atoms_text(cutting->sizes->merged->atoms, call->fields[i].value);
    return NULL;
}

static gboolean is_completion(const DtRecordedCall *call)
{
    gboolean names_requests = FALSE;
    for (guint i = 0; i < call->count; i++) {
        const guint kind = call->fields[i].kind;
        if (dt_field_is_peer(kind) || kind == DT_ARGUMENT_COMMUNICATOR)
            return FALSE;
        names_requests |= kind == DT_ARGUMENT_LIVE || kind == DT_ARGUMENT_REQUESTS;
    }
    return names_requests;
}

/* The stages that the peers of a call tell, each way; all of them the same. FALSE: it has none that is a rank. */
static gboolean find_stages(const Cutting *cutting, const DtRecordedCall *call, guint place, const char *communicator,
                            gint8 *stages)
{
    const DtSpot spot = dt_sizes_spot(cutting->sizes, place, communicator);
    gboolean any = FALSE;
    for (guint i = 0; i < call->count; i++) {
        const guint kind = call->fields[i].kind;
        if (!dt_field_is_peer(kind))
            continue;
        const DtValue distance = dt_sizes_distance(cutting->sizes, place, communicator, call->fields[i].value);
        if (distance >= DT_PEER_NUMBERS)
            return FALSE;
        const gint64 sign = kind == DT_ARGUMENT_TO ? 1 : -1, ranks = spot.ranks,
                     peer = ((spot.rank + distance) % ranks + ranks) % ranks;
        const gint64 on = ((sign * distance) % ranks + ranks) % ranks;
        const gint8 own[WAYS] = {logarithm(spot.rank ^ peer), logarithm(on), logarithm((ranks - on) % ranks)};
        for (guint way = 0; way < WAYS; way++)
            stages[way] = !any || stages[way] == own[way] ? own[way] : NONE;
        any = TRUE;
    }
    return any;
}

static DtValue tag_of(const DtRecordedCall *call)
{
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == DT_ARGUMENT_TAG)
            return call->fields[i].value;
    return 0;
}

static char *text_of(const DtRecordedCall *call, guint32 place, const char *communicator, gboolean with_tag)
{
    return with_tag ? g_strdup_printf("%u %u %s %" G_GINT64_FORMAT, call->function, place, communicator, tag_of(call))
                    : g_strdup_printf("%u %u %s", call->function, place, communicator);
}

/* Functions that send for all parts of a program have one line: tags tell the parts apart, unless they count stages. */
static gboolean has_own_tag(const Cutting *cutting, const DtRecordedCall *call, guint32 place, const char *communicator)
{
    g_autofree char *text = text_of(call, place, communicator, TRUE);
    const guint64 *stages = g_hash_table_lookup(cutting->tags, text);
    return stages && (*stages & (*stages - 1)) != 0;
}

static void note_tag(Cutting *cutting, const DtRecordedCall *call, guint32 place, const char *communicator,
                     const gint8 *stages)
{
    g_autofree char *text = text_of(call, place, communicator, TRUE);
    guint64 *known = g_hash_table_lookup(cutting->tags, text);
    if (!known)
        g_hash_table_insert(cutting->tags, g_steal_pointer(&text), known = g_new0(guint64, 1));
    const gint8 stage = stages[BY_BIT] != NONE ? stages[BY_BIT] : MAX(stages[ON], stages[BACK]);
    if (stage != NONE)
        *known |= (guint64)1 << stage;
}

static gint key_of(Cutting *cutting, const DtRecordedCall *call, guint32 place, const char *communicator)
{
    g_autofree char *text = text_of(call, place, communicator, has_own_tag(cutting, call, place, communicator));
    gint known = GPOINTER_TO_INT(g_hash_table_lookup(cutting->numbers, text));
    if (known)
        return known - 1;
    Key *key = g_new0(Key, 1);
    key->stages = g_new0(guint64, cutting->sizes->count);
    key->joined = cutting->keys->len;
    key->communicator = g_strdup(communicator);
    g_ptr_array_add(cutting->keys, key);
    g_hash_table_insert(cutting->numbers, g_steal_pointer(&text), GINT_TO_POINTER((gint)cutting->keys->len));
    return (gint)cutting->keys->len - 1;
}

static Item item_of(Cutting *cutting, const DtCallSequence *sequence, guint32 number, guint32 place)
{
    const DtRecordedCall *call = dt_recorded_call(cutting->calls, number);
    const char *communicator = communicator_of(cutting, call);
    Item item = {.key = NONE, .is_completion = is_completion(call)};
    memset(item.stage, NONE, sizeof item.stage);
    if (!communicator || dt_sizes_spot(cutting->sizes, sequence->rank, communicator).ranks < 2)
        return item;
    const gboolean has_peers = find_stages(cutting, call, sequence->rank, communicator, item.stage);
    if (cutting->are_tags_noted) {
        item.key = key_of(cutting, call, place, communicator);
    } else {
        note_tag(cutting, call, place, communicator, item.stage);
        return item;
    }
    Key *key = cutting->keys->pdata[item.key];
    for (guint way = 0; way < WAYS; way++)
        key->cannot[way] |= !has_peers || item.stage[way] == NONE;
    return item;
}

static GArray *items_of(Cutting *cutting, const DtCallSequence *sequence)
{
    GArray *items = g_array_sized_new(FALSE, FALSE, sizeof(Item), sequence->calls->len);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    for (guint i = 0; i < sequence->calls->len; i++) {
        const guint32 number = g_array_index(sequence->calls, guint32, i),
                      place = g_array_index(sequence->places, guint32, i);
        const gint64 pair = (gint64)number << 32 | place;
        Item *item = g_hash_table_lookup(known, &pair);
        if (!item) {
            const Item made = item_of(cutting, sequence, number, place);
            item = g_memdup2(&made, sizeof made);
            g_hash_table_insert(known, g_memdup2(&pair, sizeof pair), item);
        }
        g_array_append_vals(items, item, 1);
    }
    return items;
}

static void read_items(Cutting *cutting)
{
    for (guint i = 0; i < cutting->sequences->len; i++)
        g_array_unref(items_of(cutting, cutting->sequences->pdata[i]));
    cutting->are_tags_noted = TRUE;
    for (guint i = 0; i < cutting->sequences->len; i++)
        g_ptr_array_add(cutting->items, items_of(cutting, cutting->sequences->pdata[i]));
    for (guint k = 0; k < cutting->keys->len; k++) {
        Key *key = cutting->keys->pdata[k];
        while (key->way < WAYS && key->cannot[key->way])
            key->way++;
    }
}

/* NULL: the call is of no stage. */
static Key *key_at(const Cutting *cutting, const GArray *items, guint at)
{
    const Item *item = &g_array_index(items, Item, at);
    Key *key = item->key == NONE ? NULL : cutting->keys->pdata[item->key];
    return key && key->way < WAYS ? key : NULL;
}

static gint stage_at(const Cutting *cutting, const GArray *items, guint at)
{
    return g_array_index(items, Item, at).stage[key_at(cutting, items, at)->way];
}

/* The next call of a stage, if nothing stands between but completions of requests; G_MAXUINT: there is none. */
static guint next_of(const Cutting *cutting, const GArray *items, guint at)
{
    for (at++; at < items->len; at++) {
        if (key_at(cutting, items, at))
            return at;
        if (!g_array_index(items, Item, at).is_completion)
            return G_MAXUINT;
    }
    return G_MAXUINT;
}

/* ---- phases ---------------------------------------------------------------------------------- */

typedef void (*Visitor)(Cutting *cutting, const GArray *items, guint size, guint at, guint next);

static void for_each_pair(Cutting *cutting, Visitor visit)
{
    for (guint i = 0; i < cutting->items->len; i++) {
        const GArray *items = cutting->items->pdata[i];
        const DtCallSequence *sequence = cutting->sequences->pdata[i];
        const guint size = g_array_index(cutting->sizes->size_of, guint, sequence->rank);
        for (guint at = 0; at < items->len; at++)
            if (key_at(cutting, items, at))
                visit(cutting, items, size, at, next_of(cutting, items, at));
    }
}

static void note_direction(Cutting *cutting, const GArray *items, guint size, guint at, guint next)
{
    Key *own = key_at(cutting, items, at);
    own->stages[size] |= (guint64)1 << stage_at(cutting, items, at);
    if (next == G_MAXUINT)
        return;
    Key *other = key_at(cutting, items, next);
    const gint steps = stage_at(cutting, items, next) - stage_at(cutting, items, at);
    own->up += steps == 1;
    own->down += steps == -1;
    other->up += steps == 1 && other != own;
    other->down += steps == -1 && other != own;
}

static guint root_of(const Cutting *cutting, guint key)
{
    while (((const Key *)cutting->keys->pdata[key])->joined != key)
        key = ((const Key *)cutting->keys->pdata[key])->joined;
    return key;
}

static void join(Cutting *cutting, gint a, gint b)
{
    const Key *one = cutting->keys->pdata[a];
    const guint root = root_of(cutting, (guint)a), other = root_of(cutting, (guint)b);
    if (g_str_equal(one->communicator, ((const Key *)cutting->keys->pdata[b])->communicator))
        ((Key *)cutting->keys->pdata[MAX(root, other)])->joined = MIN(root, other);
}

static Steps *steps_between(const Cutting *cutting, const GArray *items, guint at, guint next)
{
    const gint64 pair = (gint64)g_array_index(items, Item, at).key << 32 | g_array_index(items, Item, next).key;
    Steps *steps = g_hash_table_lookup(cutting->steps, &pair);
    if (!steps) {
        steps = g_new0(Steps, 1);
        g_hash_table_insert(cutting->steps, g_memdup2(&pair, sizeof pair), steps);
    }
    return steps;
}

static gboolean is_next_stage(const Cutting *cutting, const GArray *items, guint at, guint next)
{
    const gint steps = stage_at(cutting, items, next) - stage_at(cutting, items, at);
    return steps != 0 && key_at(cutting, items, at)->direction == steps &&
           key_at(cutting, items, next)->direction == steps;
}

static void count_steps(Cutting *cutting, const GArray *items, guint size, guint at, guint next)
{
    (void)size;
    if (next == G_MAXUINT || stage_at(cutting, items, next) == stage_at(cutting, items, at))
        return;
    Steps *steps = steps_between(cutting, items, at, next);
    if (is_next_stage(cutting, items, at, next))
        steps->one++;
    else
        steps->other++;
}

/* Calls that stand at a stage and at the next one are of one phase, if that is no chance: the end of a tree and the
 * start of the next one are next to each other on some ranks. */
static void join_steps(Cutting *cutting, const GArray *items, guint size, guint at, guint next)
{
    (void)size;
    if (next == G_MAXUINT)
        return;
    const Steps *steps = steps_between(cutting, items, at, next);
    if (is_next_stage(cutting, items, at, next) && steps->one > steps->other)
        join(cutting, g_array_index(items, Item, at).key, g_array_index(items, Item, next).key);
}

/* What stands at a stage between two calls of a phase is of it, too. */
static void join_between(Cutting *cutting, const GArray *items, guint size, guint at, guint next)
{
    enum { MOST_BETWEEN = 16 };
    (void)size;
    const gint own = g_array_index(items, Item, at).key, stage = stage_at(cutting, items, at);
    guint passed[MOST_BETWEEN], count = 0;
    for (; next != G_MAXUINT && count < MOST_BETWEEN; next = next_of(cutting, items, next)) {
        const gint other = g_array_index(items, Item, next).key;
        if (other == own || stage_at(cutting, items, next) != stage)
            return;
        for (guint i = 0; i < count; i++)
            if (g_array_index(items, Item, passed[i]).key == other)
                return;
        if (root_of(cutting, (guint)other) == root_of(cutting, (guint)own))
            for (guint i = 0; i < count; i++)
                join(cutting, own, g_array_index(items, Item, passed[i]).key);
        passed[count++] = next;
    }
}

/* Of all keys joined with it: which stages there are at a size. */
static guint64 stages_of(const Cutting *cutting, guint root, guint size)
{
    guint64 stages = 0;
    for (guint k = 0; k < cutting->keys->len; k++)
        if (root_of(cutting, k) == root)
            stages |= ((const Key *)cutting->keys->pdata[k])->stages[size];
    return stages;
}

/* All stages from one to another at each size, more at one than at another. */
static DtStagePhase *phase_of_root(const Cutting *cutting, guint root)
{
    guint least = G_MAXUINT, most = 0;
    const Key *key = cutting->keys->pdata[root];
    g_autofree guint *rounds = g_new0(guint, cutting->sizes->count);
    if (key->direction == 0 || key->way == WAYS)
        return NULL;
    for (guint size = 0; size < cutting->sizes->count; size++) {
        const guint64 stages = stages_of(cutting, root, size);
        const guint64 shifted = stages ? stages >> __builtin_ctzll(stages) : 0;
        if (stages == 0 || (shifted & (shifted + 1)) != 0)
            return NULL;
        rounds[size] = (guint)__builtin_popcountll(stages);
        least = MIN(least, rounds[size]);
        most = MAX(most, rounds[size]);
    }
    if (most == least)
        return NULL;
    DtStagePhase *phase = g_new0(DtStagePhase, 1);
    phase->communicator = g_strdup(key->communicator);
    phase->rounds = g_steal_pointer(&rounds);
    return phase;
}

static void find_phases(Cutting *cutting)
{
    enum { TIMES = 2 };
    for_each_pair(cutting, note_direction);
    for (guint k = 0; k < cutting->keys->len; k++) {
        Key *key = cutting->keys->pdata[k];
        key->direction = (key->up > key->down) - (key->up < key->down);
    }
    for_each_pair(cutting, count_steps);
    for_each_pair(cutting, join_steps);
    for (guint time = 0; time < TIMES; time++)
        for_each_pair(cutting, join_between);
    cutting->phase_of = g_new(gint, cutting->keys->len + 1);
    for (guint k = 0; k < cutting->keys->len; k++) {
        const guint root = root_of(cutting, k);
        cutting->phase_of[k] = root < k ? cutting->phase_of[root] : NONE;
        DtStagePhase *phase = root == k ? phase_of_root(cutting, k) : NULL;
        if (!phase)
            continue;
        cutting->phase_of[k] = (gint)cutting->stages->phases->len;
        g_ptr_array_add(cutting->stages->phases, phase);
    }
}

/* ---- bouts ----------------------------------------------------------------------------------- */

static void free_step(gpointer data)
{
    DtStageStep *step = data;
    g_array_unref(step->calls);
    g_free(step);
}

static guint number_of(GHashTable *numbers, const char *text, GPtrArray *list, gpointer what)
{
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, text));
    if (known)
        return known - 1;
    g_ptr_array_add(list, what);
    g_hash_table_insert(numbers, g_strdup(text), GUINT_TO_POINTER(list->len));
    return list->len - 1;
}

/* Calls with the same fields, from the same lines if these are to be told apart. */
static void name_word(Cutting *cutting, DtStageStep *step)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < step->calls->len; i++) {
        const DtStageCall *own = &g_array_index(step->calls, DtStageCall, i);
        const DtRecordedCall *call = dt_recorded_call(cutting->calls, own->call);
        g_string_append_printf(text, "%u@%u", call->function, cutting->by_line ? own->place : 0);
        for (guint f = 0; f < call->count; f++)
            g_string_append_printf(text, ",%u", call->fields[f].kind);
        g_string_append_c(text, ';');
    }
    step->word = number_of(cutting->words, text->str, cutting->stages->words, step);
}

/* What a rank does from `from` on at the stages of a phase. */
typedef struct {
    guint from, end;
    GPtrArray *steps; /* DtStageStep */
} Bout;

/* The smallest stage is the first one where they go up, else the last one. */
static guint stage_number(const Cutting *cutting, const GArray *items, guint at, guint size)
{
    const guint key = (guint)g_array_index(items, Item, at).key, root = root_of(cutting, key);
    const DtStagePhase *phase = cutting->stages->phases->pdata[cutting->phase_of[key]];
    const guint first = (guint)__builtin_ctzll(stages_of(cutting, root, size)),
                stage = (guint)stage_at(cutting, items, at) - first;
    return ((const Key *)cutting->keys->pdata[root])->direction > 0 ? stage : phase->rounds[size] - 1 - stage;
}

static gint phase_at(const Cutting *cutting, const GArray *items, guint at)
{
    return key_at(cutting, items, at) ? cutting->phase_of[g_array_index(items, Item, at).key] : NONE;
}

static gboolean has_key(const GArray *items, guint from, guint end, gint key)
{
    for (guint at = from; at < end; at++)
        if (g_array_index(items, Item, at).key == key)
            return TRUE;
    return FALSE;
}

/* The calls from `from` on that are one bout of a phase: later stages, and no line twice at a stage. */
static Bout read_bout(Cutting *cutting, const DtCallSequence *sequence, const GArray *items, guint from)
{
    const guint size = g_array_index(cutting->sizes->size_of, guint, sequence->rank);
    const gint phase = phase_at(cutting, items, from);
    Bout bout = {from, from, g_ptr_array_new_with_free_func(free_step)};
    DtStageStep *step = NULL;
    for (guint at = from, start = from; at < items->len; at++) {
        const Item *item = &g_array_index(items, Item, at);
        const DtStageCall call = {g_array_index(sequence->calls, guint32, at),
                                  g_array_index(sequence->places, guint32, at)};
        if (!item->is_completion) {
            if (phase_at(cutting, items, at) != phase)
                break;
            const guint stage = stage_number(cutting, items, at, size);
            if (step && (stage < step->stage || (stage == step->stage && has_key(items, start, at, item->key))))
                break;
            if (!step || stage > step->stage) {
                step = g_new0(DtStageStep, 1);
                step->stage = stage;
                step->calls = g_array_new(FALSE, FALSE, sizeof(DtStageCall));
                g_ptr_array_add(bout.steps, step);
                start = at;
            }
        }
        if (!step) /* a completion is in the bout of what it completes */
            break;
        g_array_append_val(step->calls, call);
        bout.end = at + 1;
    }
    return bout;
}

static guint32 number_of_bout(Cutting *cutting, guint phase, GPtrArray *steps)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < steps->len; i++) {
        DtStageStep *step = steps->pdata[i];
        g_string_append_printf(text, "%u:", step->stage);
        for (guint k = 0; k < step->calls->len; k++) {
            const DtStageCall *call = &g_array_index(step->calls, DtStageCall, k);
            g_string_append_printf(text, "%u@%u,", call->call, call->place);
        }
    }
    const guint before = cutting->stages->bouts->len,
                number = number_of(cutting->bouts, text->str, cutting->stages->bouts, steps);
    if (number < before)
        g_ptr_array_unref(steps);
    else
        for (guint i = 0; i < steps->len; i++)
            name_word(cutting, steps->pdata[i]);
    DtRecordedCall call = {.function = cutting->stages->first_function + phase, .count = 1};
    call.fields[0] = (DtCallField){DT_FIELD_COUNT, number};
    return dt_recorded_calls_intern(cutting->calls, &call);
}

static void cut_sequence(Cutting *cutting, DtCallSequence *sequence, const GArray *items)
{
    GArray *calls = g_array_new(FALSE, FALSE, sizeof(guint32)), *places = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint at = 0; at < items->len;) {
        const gint phase = phase_at(cutting, items, at);
        guint32 number = g_array_index(sequence->calls, guint32, at),
                place = g_array_index(sequence->places, guint32, at);
        if (phase == NONE) {
            at++;
        } else {
            Bout bout = read_bout(cutting, sequence, items, at);
            number = number_of_bout(cutting, (guint)phase, bout.steps);
            place = 0;
            at = bout.end;
        }
        g_array_append_val(calls, number);
        g_array_append_val(places, place);
    }
    g_array_unref(sequence->calls);
    g_array_unref(sequence->places);
    sequence->calls = calls;
    sequence->places = places;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void free_phase(gpointer data)
{
    DtStagePhase *phase = data;
    g_free(phase->communicator);
    g_free(phase->rounds);
    g_free(phase);
}

static void unref_pointers(gpointer array)
{
    g_ptr_array_unref(array);
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

static void free_loop(gpointer data)
{
    DtStageLoop *loop = data;
    g_array_unref(loop->seen);
    g_array_unref(loop->words);
    g_free(loop);
}

static DtStages *stages_new(const DtRecordedCalls *calls, const GPtrArray *functions)
{
    DtStages *stages = g_new0(DtStages, 1);
    stages->phases = g_ptr_array_new_with_free_func(free_phase);
    stages->words = g_ptr_array_new();
    stages->bouts = g_ptr_array_new_with_free_func(unref_pointers);
    stages->calls = g_ptr_array_ref(calls->calls);
    stages->places = g_ptr_array_ref(calls->places);
    stages->first_number = calls->calls->len;
    stages->first_function = functions->len;
    stages->loops = g_hash_table_new_full(NULL, NULL, NULL, free_loop);
    return stages;
}

void dt_stages_free(DtStages *stages)
{
    if (!stages)
        return;
    g_ptr_array_unref(stages->phases);
    g_ptr_array_unref(stages->words);
    g_ptr_array_unref(stages->bouts);
    g_ptr_array_unref(stages->calls);
    g_ptr_array_unref(stages->places);
    g_hash_table_unref(stages->loops);
    g_free(stages);
}

static gboolean are_too_many(const GPtrArray *sequences)
{
    guint64 count = 0;
    for (guint i = 0; i < sequences->len; i++)
        count += ((const DtCallSequence *)sequences->pdata[i])->calls->len;
    return count > MOST_CALLS;
}

DtStages *dt_stages_cut(const DtSizes *sizes, DtRecordedCalls *calls, const GPtrArray *sequences, gboolean by_line,
                        GPtrArray *functions)
{
    if (are_too_many(sequences))
        return NULL;
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                          words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                          bouts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                          steps = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
                          tags = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(free_key),
                         items = g_ptr_array_new_with_free_func(unref_array);
    DtStages *stages = stages_new(calls, functions);
    Cutting cutting = {.sizes = sizes,
                       .calls = calls,
                       .sequences = sequences,
                       .numbers = numbers,
                       .keys = keys,
                       .items = items,
                       .stages = stages,
                       .words = words,
                       .by_line = by_line,
                       .tags = tags,
                       .steps = steps,
                       .bouts = bouts};
    read_items(&cutting);
    find_phases(&cutting);
    for (guint i = 0; i < stages->phases->len; i++)
        g_ptr_array_add(functions, g_strdup_printf("stages %u", i));
    for (guint i = 0; stages->phases->len > 0 && i < sequences->len; i++)
        cut_sequence(&cutting, sequences->pdata[i], items->pdata[i]);
    g_free(cutting.phase_of);
    if (stages->phases->len > 0)
        return stages;
    dt_stages_free(stages);
    return NULL;
}
