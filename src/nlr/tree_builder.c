/* Building a call tree: the children of every call are folded when it returns. */
#include "nlr/call_tree.h"
#include "nlr/loop_table.h"
#include "nlr/sequence.h"

enum {
    MOST_BUFFERED = 4096, /* children of a call that are kept unfolded */
    MOST_REMEMBERED = 64, /* children of a call that is looked up before it is folded */
    MOST_MEMORIES = 1 << 18
};

/* An open call. */
typedef struct {
    guint32 function;
    GArray *children;    /* symbols that are not folded yet */
    DtNlrFolder *folder; /* NULL: all are in `children` */
    guint64 count;       /* of children, so far */
} Frame;

struct DtTreeBuilder {
    DtNlrFolder *folder;
    guint k, min_repeat;
    GPtrArray *frames; /* (element-type Frame) by depth; the first one is no call, its children are the roots */
    guint depth;
    guint64 latest; /* children that the last symbols gave the top frame */
    guint64 symbols;
    DtLoopTable *bodies;
    DtCallTree *nodes;
    GHashTable *memory; /* function and children (GBytes) -> symbol */
};

static Frame *frame_at(DtTreeBuilder *builder, guint depth)
{
    if (depth == builder->frames->len) {
        Frame *frame = g_new0(Frame, 1);
        frame->children = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_ptr_array_add(builder->frames, frame);
    }
    return builder->frames->pdata[depth];
}

static void free_frame(gpointer data)
{
    Frame *frame = data;
    g_array_unref(frame->children);
    dt_nlr_folder_free(frame->folder);
    g_free(frame);
}

static void start_trace(DtTreeBuilder *builder)
{
    builder->bodies = dt_loop_table_new();
    builder->nodes = dt_call_tree_new_local();
    builder->memory = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    builder->depth = 0;
    builder->symbols = 0;
    frame_at(builder, 0);
}

DtTreeBuilder *dt_tree_builder_new(DtNlrFolder *folder, guint k, guint min_repeat)
{
    DtTreeBuilder *builder = g_new0(DtTreeBuilder, 1);
    builder->folder = folder;
    builder->k = k;
    builder->min_repeat = min_repeat;
    builder->frames = g_ptr_array_new_with_free_func(free_frame);
    start_trace(builder);
    return builder;
}

void dt_tree_builder_free(DtTreeBuilder *builder)
{
    if (!builder)
        return;
    g_ptr_array_unref(builder->frames);
    dt_loop_table_free(builder->bodies);
    dt_call_tree_free(builder->nodes);
    g_hash_table_unref(builder->memory);
    g_free(builder);
}

/* ---- children ---------------------------------------------------------------------------- */

/* Gives what is buffered to a folder of the frame's own. */
static void start_folding(DtTreeBuilder *builder, Frame *frame)
{
    if (!frame->folder)
        frame->folder = dt_nlr_folder_new(builder->k, builder->min_repeat);
    dt_nlr_folder_push(frame->folder, (const guint32 *)(void *)frame->children->data, frame->children->len);
    g_array_set_size(frame->children, 0);
}

static void add_child(DtTreeBuilder *builder, Frame *frame, guint32 symbol)
{
    g_array_append_val(frame->children, symbol);
    frame->count++;
    if (frame->children->len == MOST_BUFFERED)
        start_folding(builder, frame);
}

/* The children folded; the frame has none then. */
static DtNlr *fold_children(DtTreeBuilder *builder, Frame *frame)
{
    DtNlrFolder *folder = frame->folder ? frame->folder : builder->folder;
    dt_nlr_folder_push(folder, (const guint32 *)(void *)frame->children->data, frame->children->len);
    DtNlr *nlr = dt_nlr_folder_finish(folder, builder->bodies);
    g_clear_pointer(&frame->folder, dt_nlr_folder_free);
    g_array_set_size(frame->children, 0);
    frame->count = 0;
    return nlr;
}

static guint32 fold_call(DtTreeBuilder *builder, Frame *frame, gboolean open)
{
    if (frame->count == 0)
        return dt_call_tree_intern(builder->nodes, frame->function, open, (DtElements){NULL, 0});
    g_autoptr(DtNlr) nlr = fold_children(builder, frame);
    return dt_call_tree_intern(builder->nodes, frame->function, open, dt_nlr_elements(nlr));
}

/* The same call as before is the same node, without folding again. */
static guint32 end_call(DtTreeBuilder *builder, Frame *frame)
{
    if (frame->count == 0)
        return frame->function;
    if (frame->count > MOST_REMEMBERED || frame->folder)
        return fold_call(builder, frame, FALSE);
    g_array_append_val(frame->children, frame->function);
    g_autoptr(GBytes) key = g_bytes_new_static(frame->children->data, frame->children->len * sizeof(guint32));
    guint32 symbol = GPOINTER_TO_UINT(g_hash_table_lookup(builder->memory, key));
    if (symbol == 0) {
        g_autoptr(GBytes) kept = g_bytes_new(frame->children->data, frame->children->len * sizeof(guint32));
        g_array_set_size(frame->children, frame->children->len - 1);
        symbol = fold_call(builder, frame, FALSE);
        if (g_hash_table_size(builder->memory) < MOST_MEMORIES)
            g_hash_table_insert(builder->memory, g_steal_pointer(&kept), GUINT_TO_POINTER(symbol));
    }
    g_array_set_size(frame->children, 0);
    frame->count = 0;
    return symbol;
}

/* ---- entries and returns -------------------------------------------------------------------- */

static void leave_call(DtTreeBuilder *builder)
{
    if (builder->depth == 0)
        return;
    guint32 symbol = end_call(builder, frame_at(builder, builder->depth));
    builder->depth--;
    add_child(builder, frame_at(builder, builder->depth), symbol);
}

void dt_tree_builder_take(const guint32 *symbols, gsize count, gpointer data)
{
    DtTreeBuilder *builder = data;
    guint depth = builder->depth;
    guint64 before = frame_at(builder, depth)->count;
    for (gsize i = 0; i < count; i++) {
        if ((symbols[i] & DT_SYMBOL_RETURN) != 0)
            leave_call(builder);
        else
            frame_at(builder, ++builder->depth)->function = symbols[i];
    }
    builder->symbols += count;
    /* Of any use only if the symbols were whole calls. */
    builder->latest = builder->depth == depth ? frame_at(builder, depth)->count - before : 0;
}

static void repeat_buffered(GArray *children, guint latest, guint64 times)
{
    for (guint64 left = latest * times; left > 0; left--) {
        guint32 symbol = g_array_index(children, guint32, children->len - latest);
        g_array_append_val(children, symbol);
    }
}

void dt_tree_builder_repeat(gsize count, guint64 times, gpointer data)
{
    DtTreeBuilder *builder = data;
    Frame *frame = frame_at(builder, builder->depth);
    builder->symbols += count * times;
    if (builder->latest == 0 || times == 0)
        return;
    frame->count += builder->latest * times;
    if (!frame->folder && frame->count < MOST_BUFFERED) {
        repeat_buffered(frame->children, (guint)builder->latest, times);
        return;
    }
    start_folding(builder, frame);
    dt_nlr_folder_repeat(frame->folder, (gsize)builder->latest, times);
}

/* ---- the end ------------------------------------------------------------------------------------ */

DtLooseNlr *dt_tree_builder_finish(DtTreeBuilder *builder)
{
    for (; builder->depth > 0; builder->depth--)
        add_child(builder, frame_at(builder, builder->depth - 1),
                  fold_call(builder, frame_at(builder, builder->depth), TRUE));
    g_autoptr(DtNlr) roots = fold_children(builder, frame_at(builder, 0));
    DtLooseNlr *loose = dt_loose_nlr_new_tree(g_steal_pointer(&builder->bodies), dt_nlr_elements(roots),
                                              builder->symbols, g_steal_pointer(&builder->nodes));
    g_hash_table_unref(builder->memory);
    start_trace(builder);
    return loose;
}
