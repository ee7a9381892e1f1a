/* The plain definition of folding: a stack of elements that are equal when their texts are. */
#include "oracle.h"

#include <string.h>

struct Oracle {
    GHashTable *texts; /* the one copy of every text, so that equal texts are equal pointers */
};

typedef struct {
    const char *text;
    guint repeated;    /* 0: a symbol */
    const char **body; /* texts of the elements of the body */
    guint length;
} Item;

Oracle *oracle_new(void)
{
    Oracle *oracle = g_new(Oracle, 1);
    oracle->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return oracle;
}

void oracle_free(Oracle *oracle)
{
    g_hash_table_unref(oracle->texts);
    g_free(oracle);
}

static const char *only_copy(Oracle *oracle, char *text)
{
    gpointer found = NULL;
    if (g_hash_table_lookup_extended(oracle->texts, text, &found, NULL)) {
        g_free(text);
        return found;
    }
    g_hash_table_add(oracle->texts, text);
    return text;
}

static const char *loop_text(Oracle *oracle, const char *const *body, guint length, guint repeated)
{
    GString *text = g_string_new("(");
    for (guint i = 0; i < length; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", body[i]);
    g_string_append_printf(text, ")^%u", repeated);
    return only_copy(oracle, g_string_free(text, FALSE));
}

static gboolean is_loop_over_top(const GArray *stack, guint b)
{
    if (b + 1 > stack->len)
        return FALSE;
    const Item *loop = &g_array_index(stack, Item, stack->len - 1 - b);
    if (loop->repeated == 0 || loop->length != b)
        return FALSE;
    for (guint i = 0; i < b; i++)
        if (g_array_index(stack, Item, stack->len - b + i).text != loop->body[i])
            return FALSE;
    return TRUE;
}

static gboolean is_repetition(const GArray *stack, guint b, guint min_repeat)
{
    if (b * min_repeat > stack->len)
        return FALSE;
    for (guint i = stack->len - b * (min_repeat - 1); i < stack->len; i++)
        if (g_array_index(stack, Item, i).text != g_array_index(stack, Item, i - b).text)
            return FALSE;
    return TRUE;
}

static void clear_item(gpointer item)
{
    g_free(((Item *)item)->body);
}

static void extend(Oracle *oracle, GArray *stack, guint b)
{
    g_array_set_size(stack, stack->len - b);
    Item *loop = &g_array_index(stack, Item, stack->len - 1);
    loop->repeated++;
    loop->text = loop_text(oracle, loop->body, loop->length, loop->repeated);
}

static void repeat(Oracle *oracle, GArray *stack, guint b, guint min_repeat)
{
    Item loop = {.repeated = min_repeat, .length = b, .body = g_new(const char *, b)};
    for (guint i = 0; i < b; i++)
        loop.body[i] = g_array_index(stack, Item, stack->len - b + i).text;
    loop.text = loop_text(oracle, loop.body, b, min_repeat);
    g_array_set_size(stack, stack->len - b * min_repeat);
    g_array_append_val(stack, loop);
}

/* Applies the first reduction by ascending body length; returns how many there were. */
static guint reduce(Oracle *oracle, GArray *stack, guint k, guint min_repeat)
{
    guint applicable = 0, extend_by = 0, repeat_by = 0;
    for (guint b = 1; b <= k && b <= stack->len; b++) {
        if (is_loop_over_top(stack, b)) {
            extend_by = applicable++ == 0 ? b : extend_by;
        }
        if (is_repetition(stack, b, min_repeat)) {
            repeat_by = applicable++ == 0 ? b : repeat_by;
        }
    }
    if (extend_by > 0)
        extend(oracle, stack, extend_by);
    else if (repeat_by > 0)
        repeat(oracle, stack, repeat_by, min_repeat);
    return applicable;
}

char *oracle_fold(Oracle *oracle, const guint32 *symbols, gsize count, guint k, guint min_repeat, guint *most)
{
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(Item));
    g_array_set_clear_func(stack, clear_item);
    *most = 0;
    for (gsize i = 0; i < count; i++) {
        Item item = {.text = only_copy(oracle, g_strdup_printf("%u", symbols[i]))};
        g_array_append_val(stack, item);
        guint applicable;
        while ((applicable = reduce(oracle, stack, k, min_repeat)) > 0)
            *most = MAX(*most, applicable);
    }
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < stack->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", g_array_index(stack, Item, i).text);
    return g_string_free(text, FALSE);
}
