/* Nodes of call trees, hash-consed. */
#include "nlr/call_tree.h"

#include "nlr/loop_table.h"
#include "nlr/sequence.h"

struct DtCallTree {
    DtFunctions *functions; /* NULL: nodes of one trace */
    GPtrArray *nodes;       /* (element-type DtCallNode) */
    GHashTable *by_content; /* (element-type DtCallNode) */
    GHashTable *by_symbol;  /* symbol -> DtCallNode */
    GHashTable *variants;   /* name -> how many nodes have it */
};

static guint content_hash(gconstpointer data)
{
    const DtCallNode *node = data;
    guint64 hash = dt_sequence_hash(node->children.elements, node->children.length);
    return (guint)(dt_element_mix(hash ^ ((guint64)node->function << 1) ^ (node->open ? 1 : 0)) >> 32);
}

static gboolean content_equal(gconstpointer a, gconstpointer b)
{
    const DtCallNode *left = a, *right = b;
    return left->function == right->function && left->open == right->open &&
           left->children.length == right->children.length &&
           dt_elements_equal(left->children.elements, right->children.elements, left->children.length);
}

static void free_node(gpointer data)
{
    DtCallNode *node = data;
    g_free((DtElement *)node->children.elements);
    g_free(node);
}

DtCallTree *dt_call_tree_new_local(void)
{
    DtCallTree *tree = g_new0(DtCallTree, 1);
    tree->nodes = g_ptr_array_new_with_free_func(free_node);
    tree->by_content = g_hash_table_new(content_hash, content_equal);
    tree->by_symbol = g_hash_table_new(NULL, NULL);
    tree->variants = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return tree;
}

DtCallTree *dt_call_tree_new(DtFunctions *functions)
{
    DtCallTree *tree = dt_call_tree_new_local();
    tree->functions = dt_functions_ref(functions);
    return tree;
}

void dt_call_tree_free(DtCallTree *tree)
{
    if (!tree)
        return;
    g_hash_table_unref(tree->by_content);
    g_hash_table_unref(tree->by_symbol);
    g_hash_table_unref(tree->variants);
    g_ptr_array_unref(tree->nodes);
    if (tree->functions)
        dt_functions_unref(tree->functions);
    g_free(tree);
}

guint dt_call_tree_count(const DtCallTree *tree)
{
    return tree->nodes->len;
}

const DtCallNode *dt_call_tree_node(const DtCallTree *tree, guint index)
{
    return tree->nodes->pdata[index];
}

const DtCallNode *dt_call_tree_find(const DtCallTree *tree, guint32 symbol)
{
    return g_hash_table_lookup(tree->by_symbol, GUINT_TO_POINTER(symbol));
}

/* "solve{3}" for the third one of that name, "solve{3...}" if it never returned. */
static guint32 name_node(DtCallTree *tree, const DtCallNode *node)
{
    const char *name = dt_functions_get(tree->functions, node->function)->name;
    guint variant = GPOINTER_TO_UINT(g_hash_table_lookup(tree->variants, name)) + 1;
    g_hash_table_replace(tree->variants, g_strdup(name), GUINT_TO_POINTER(variant));
    g_autofree char *text = g_strdup_printf("%s{%u%s}", name, variant, node->open ? "..." : "");
    return dt_functions_intern(tree->functions, "call tree", FALSE, text, 0, 0);
}

guint32 dt_call_tree_intern(DtCallTree *tree, guint32 function, gboolean open, DtElements children)
{
    DtCallNode key = {0, function, open, children};
    if (!open && children.length == 0)
        return function;
    const DtCallNode *known = g_hash_table_lookup(tree->by_content, &key);
    if (known)
        return known->symbol;
    DtCallNode *node = g_memdup2(&key, sizeof key);
    node->children.elements = g_memdup2(children.elements, children.length * sizeof *children.elements);
    node->symbol = tree->functions ? name_node(tree, node) : DT_CALL_NODE | tree->nodes->len;
    g_ptr_array_add(tree->nodes, node);
    g_hash_table_add(tree->by_content, node);
    g_hash_table_insert(tree->by_symbol, GUINT_TO_POINTER(node->symbol), node);
    return node->symbol;
}

/* ---- expanding ------------------------------------------------------------------------ */

typedef struct {
    const DtCallTree *tree;
    const DtLoopTable *table;
    DtSymbolSink sink;
    gpointer user_data;
} Expansion;

static void give_symbol(const Expansion *expansion, guint32 symbol)
{
    expansion->sink(&symbol, 1, expansion->user_data);
}

/* As deep as the calls are, and log2 of the symbols for loops. */
static void expand_elements(const Expansion *expansion, DtElements elements)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (dt_element_is_loop(element)) {
            for (guint32 left = dt_element_count(element); left > 0; left--)
                expand_elements(expansion, dt_loop_table_body(expansion->table, dt_element_body(element)));
            continue;
        }
        const DtCallNode *node = dt_call_tree_find(expansion->tree, dt_element_symbol(element));
        guint32 function = node ? node->function : dt_element_symbol(element);
        give_symbol(expansion, function);
        if (node)
            expand_elements(expansion, node->children);
        if (!node || !node->open)
            give_symbol(expansion, function | DT_SYMBOL_RETURN);
    }
}

void dt_call_tree_expand(const DtCallTree *tree, const DtLoopTable *table, DtElements elements, DtSymbolSink sink,
                         gpointer user_data)
{
    const Expansion expansion = {tree, table, sink, user_data};
    expand_elements(&expansion, elements);
}
