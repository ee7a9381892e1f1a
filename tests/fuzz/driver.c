/*
 * Runs a fuzz target without libFuzzer: on every file of a corpus, then on
 * mutations of them: bytes changed, pieces cut out, doubled and exchanged.
 *
 *     fuzz-TARGET CORPUS [ROUNDS [SEED]]
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "fuzz_target.h"

enum { DEFAULT_ROUNDS = 1000, DEFAULT_SEED = 1, LARGEST_INPUT = 1 << 20 };

/* An exact copy, so that AddressSanitizer sees every read beyond its end. */
static void run(const GByteArray *input)
{
    guint8 *copy = g_malloc(input->len ? input->len : 1);
    if (input->len > 0)
        memcpy(copy, input->data, input->len);
    LLVMFuzzerTestOneInput(copy, input->len);
    g_free(copy);
}

static gint compare_names(gconstpointer first, gconstpointer second)
{
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

static GPtrArray *read_corpus(const char *path)
{
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *inputs = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
    const char *name;
    while (directory && (name = g_dir_read_name(directory)))
        g_ptr_array_add(names, g_build_filename(path, name, NULL));
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        char *text;
        gsize bytes;
        if (g_file_get_contents(g_ptr_array_index(names, i), &text, &bytes, NULL))
            g_ptr_array_add(inputs, g_byte_array_new_take((guint8 *)text, bytes));
    }
    return inputs;
}

static guint any_place(GRand *random, const GByteArray *input)
{
    return input->len > 0 ? (guint)g_rand_int_range(random, 0, (gint32)input->len) : 0;
}

static void change_bytes(GRand *random, GByteArray *input)
{
    static const guint8 edges[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
    for (gint32 i = g_rand_int_range(random, 1, 9); i > 0 && input->len > 0; i--) {
        guint8 *byte = &input->data[any_place(random, input)];
        switch (g_rand_int_range(random, 0, 3)) {
        case 0:
            *byte = (guint8)g_rand_int(random);
            break;
        case 1:
            *byte = (guint8)(*byte ^ 1u << g_rand_int_range(random, 0, 8));
            break;
        default:
            *byte = edges[g_rand_int_range(random, 0, G_N_ELEMENTS(edges))];
        }
    }
}

/* A piece of another input, or of this one, put in or over. */
static void splice(GRand *random, GByteArray *input, const GByteArray *other)
{
    guint from = any_place(random, other), to = any_place(random, input);
    guint length = other->len > from ? (guint)g_rand_int_range(random, 0, (gint32)(other->len - from) + 1) : 0;
    g_autofree guint8 *piece = g_memdup2(other->data + from, length);
    if (g_rand_boolean(random) && length <= input->len - to) {
        if (length > 0)
            memcpy(input->data + to, piece, length);
    } else if (input->len + length <= LARGEST_INPUT) {
        g_autofree guint8 *rest = g_memdup2(input->data + to, input->len - to);
        guint rest_length = input->len - to;
        g_byte_array_set_size(input, to);
        g_byte_array_append(input, piece, length);
        g_byte_array_append(input, rest, rest_length);
    }
}

static void mutate(GRand *random, GByteArray *input, const GPtrArray *corpus)
{
    for (gint32 i = g_rand_int_range(random, 1, 4); i > 0; i--) {
        switch (g_rand_int_range(random, 0, 6)) {
        case 0:
            g_byte_array_set_size(input, any_place(random, input));
            break;
        case 1:
            splice(random, input, g_ptr_array_index(corpus, g_rand_int_range(random, 0, (gint32)corpus->len)));
            break;
        default:
            change_bytes(random, input);
        }
    }
}

int main(int argc, char **argv)
{
    guint64 rounds = argc > 2 ? g_ascii_strtoull(argv[2], NULL, 10) : DEFAULT_ROUNDS;
    guint32 seed = argc > 3 ? (guint32)g_ascii_strtoull(argv[3], NULL, 10) : DEFAULT_SEED;
    g_autoptr(GPtrArray) corpus = argc > 1 ? read_corpus(argv[1]) : NULL;
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    if (!corpus || corpus->len == 0) {
        fprintf(stderr, "usage: %s CORPUS [ROUNDS [SEED]]: a directory with files\n", argv[0]);
        return 2;
    }
    for (guint i = 0; i < corpus->len; i++)
        run(g_ptr_array_index(corpus, i));
    for (guint64 i = 0; i < rounds; i++) {
        const GByteArray *base = g_ptr_array_index(corpus, g_rand_int_range(random, 0, (gint32)corpus->len));
        g_autoptr(GByteArray) input = g_byte_array_new();
        g_byte_array_append(input, base->data, base->len);
        mutate(random, input, corpus);
        run(input);
    }
    printf("%u files, %" G_GUINT64_FORMAT " mutations, seed %u\n", corpus->len, rounds, seed);
    return 0;
}
