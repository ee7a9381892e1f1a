/*
 * Writes src/codec/tz_initial.c: what TZ's mixer and adaptive probabilities know before the first word. They are
 * trained on the beginnings of recorded streams, each stream going on from what the last one left, and averaged over
 * the streams of the last pass. The numbers are part of the format: the committed file counts, this program tells where
 * it comes from.
 *
 *     codec-train FILE.words... > src/codec/tz_initial.c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The state of the encoder is visible only there. */
#include "../src/codec/tz.c"

enum { WORDS = 100000, PASSES = 3, BATCH = 512 };

static double start_of(int which, int level)
{
    double sure = 1 / (1 + exp(-(level - 15.5) / 2.5));
    const double p[TZ_CASES] = {sure, (1 - sure) * 0.7 + 0.05, 0.6, (1 - sure) * 0.3 + 0.02, 0.35, 0.5};
    return fmin(fmax(p[which], 0.002), 0.998);
}

static void fill(uint16_t *values, size_t count, uint16_t value)
{
    for (size_t i = 0; i < count; i++)
        values[i] = value;
}

static void start(TzTrained *trained)
{
    uint16_t *adaptive = &trained->adaptive[0][0][0][0];
    int32_t *weight = &trained->weight[0][0][0][0];
    fill(trained->miss_flag, TZ_FLAG_HISTORIES, 2000);
    fill(trained->streak_length, TZ_STREAK_LENGTHS, 48000);
    fill(trained->streak_top, TZ_STREAK_LENGTHS, 32768);
    fill(&trained->recent[0][0], sizeof(trained->recent) / 2, 20000);
    fill(trained->is_new, 2, 60000);
    fill(trained->literal_length, TZ_LITERAL_LENGTHS, 32768);
    for (int i = 0; i < TZ_RANKS * TZ_INPUTS * TZ_CASES * TZ_LEVELS; i++)
        adaptive[i] = (uint16_t)(65535 * start_of(i / TZ_LEVELS % TZ_CASES, i % TZ_LEVELS));
    for (size_t i = 0; i < sizeof(trained->weight) / sizeof(int32_t); i++)
        weight[i] = i % (TZ_INPUTS + 1) < TZ_INPUTS ? 22938 : 0;
}

/* Encodes the beginning of a stream with what was learnt before, and learns from it. False if there is no stream. */
static bool train(const char *path, TzTrained *trained)
{
    static uint16_t words[WORDS];
    static Encoder encoder;
    FILE *file = fopen(path, "rb");
    uint8_t *out = malloc(tz_bound(BATCH));
    size_t count = file ? fread(words, 2, WORDS, file) : 0;
    if (file)
        fclose(file);
    tz_encoder_init(&encoder);
    encoder.model.trained = *trained;
    for (size_t done = 0; done < count && out; done += BATCH)
        tz_encode(&encoder, words + done, count - done < BATCH ? count - done : BATCH, out);
    *trained = encoder.model.trained;
    free(out);
    return count > 0;
}

static void print_values(const double *values, int count)
{
    printf("{");
    for (int i = 0; i < count; i++)
        printf(i ? ", %.0f" : "%.0f", values[i]);
    printf("}");
}

/* An array of `dimensions` dimensions; returns what is behind its values. */
static const double *print_array(const double *values, const int *sizes, int dimensions)
{
    if (dimensions == 1) {
        print_values(values, sizes[0]);
        return values + sizes[0];
    }
    printf("{");
    for (int i = 0; i < sizes[0]; i++) {
        if (i)
            printf(",\n");
        values = print_array(values, sizes + 1, dimensions - 1);
    }
    printf("}");
    return values;
}

enum { SHORTS = offsetof(TzTrained, weight) / 2, WEIGHTS = sizeof(((TzTrained *)0)->weight) / 4 };

static void print_result(const double *mean, int argc, char **argv)
{
    static const struct {
        const char *name;
        int sizes[4], dimensions;
    } fields[] = {
        {"miss_flag", {TZ_FLAG_HISTORIES}, 1},
        {"streak_length", {TZ_STREAK_LENGTHS}, 1},
        {"streak_top", {TZ_STREAK_LENGTHS}, 1},
        {"recent", {TZ_RANKS + 1, TZ_RECENT}, 2},
        {"is_new", {2}, 1},
        {"literal_length", {TZ_LITERAL_LENGTHS}, 1},
        {"adaptive", {TZ_RANKS, TZ_INPUTS, TZ_CASES, TZ_LEVELS}, 4},
        {"weight", {TZ_RANKS, TZ_MATCH_STATES, TZ_AGREEMENTS, TZ_INPUTS + 1}, 4},
    };
    printf("/* Made by bench/codec_train.c. Part of the format of TZ: a change of any number makes old traces "
           "unreadable.\n"
           "   Trained on streams of bench/codec-corpus.py:");
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];
        printf("%s%.*s", i % 10 == 1 ? "\n   " : " ", (int)strcspn(name, "."), name);
    }
    printf(". */\n#include \"tz_model.h\"\n\n/* clang-format off */\nconst TzTrained dt_tz_initial = {\n");
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        printf(".%s =\n", fields[i].name);
        mean = print_array(mean, fields[i].sizes, fields[i].dimensions);
        printf(",\n");
    }
    printf("};\n");
}

int main(int argc, char **argv)
{
    static TzTrained trained;
    static double mean[SHORTS + WEIGHTS];
    int streams = 0;
    start(&trained);
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 1; i < argc; i++) {
            if (!train(argv[i], &trained) || pass < PASSES - 1)
                continue;
            streams++;
            uint16_t shorts[SHORTS];
            memcpy(shorts, &trained, sizeof(shorts));
            for (int k = 0; k < SHORTS; k++)
                mean[k] += shorts[k];
            for (int k = 0; k < WEIGHTS; k++)
                mean[SHORTS + k] += (&trained.weight[0][0][0][0])[k];
        }
    if (streams == 0) {
        fputs("codec-train: no streams\n", stderr);
        return 2;
    }
    for (int k = 0; k < SHORTS + WEIGHTS; k++)
        mean[k] /= streams;
    print_result(mean, argc, argv);
    return 0;
}
