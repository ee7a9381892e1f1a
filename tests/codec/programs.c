#include "programs.h"

#include "codec/codec.h"

/* ---- events ------------------------------------------------------------------- */

typedef struct {
    GArray *words; /* guint16 */
    GRand *random;
} Program;

static void put(Program *program, guint16 word)
{
    g_array_append_val(program->words, word);
}

static void call(Program *program, guint32 id)
{
    if (id <= DT_WORD_LAST_ID) {
        put(program, (guint16)id);
    } else {
        put(program, DT_WORD_ESCAPE);
        put(program, id & 0x7fff);
        put(program, (guint16)(id >> 15));
    }
}

static void give_back(Program *program)
{
    put(program, DT_WORD_RETURN);
}

static void leaf(Program *program, guint32 id)
{
    call(program, id);
    give_back(program);
}

/* ---- programs ----------------------------------------------------------------- */

/* Loops in loops whose trip counts vary now and then. */
static void loops(Program *program)
{
    for (guint i = 0; i < 400; i++) {
        call(program, 2);
        for (guint j = 0; j < 20 + i % 3; j++) {
            call(program, 3);
            for (guint k = 0; k < 4 + (i + j) % 5; k++)
                leaf(program, 4 + k % 2);
            give_back(program);
        }
        if (g_rand_int_range(program->random, 0, 30) == 0)
            leaf(program, (guint32)g_rand_int_range(program->random, 6, 60));
        give_back(program);
    }
}

/* One sequence of 50 words, for ever: the match is trusted and stays so. */
static void periodic(Program *program)
{
    for (guint i = 0; i < 200000; i++)
        put(program, (guint16)(i % 50 * 37));
}

static void recurse(Program *program, guint depth)
{
    call(program, 1 + depth % 7);
    if (depth > 0)
        recurse(program, depth - 1);
    if (depth > 0 && g_rand_int_range(program->random, 0, 40) == 0)
        leaf(program, 9);
    give_back(program);
}

/* Far deeper than the frames that the model keeps. */
static void deep_recursion(Program *program)
{
    for (guint i = 0; i < 5; i++)
        recurse(program, 5000 + 17 * i);
}

static void tree(Program *program, guint depth)
{
    call(program, 1);
    for (guint i = 0; depth > 0 && i < 2; i++)
        if (g_rand_int_range(program->random, 0, 10) < 8)
            tree(program, depth - 1);
    leaf(program, 2 + (guint32)g_rand_int_range(program->random, 0, 2));
    give_back(program);
}

static void data_dependent(Program *program)
{
    for (guint i = 0; i < 60; i++)
        tree(program, 9);
}

/* Ids of one word and of three, some of whose payload looks like returns and escapes. */
static void escapes(Program *program)
{
    static const guint32 ids[] = {5, 65534, 65535, 65536, 98304, 131072, 1u << 29, (1u << 30) - 1, 65533, 70000};
    for (guint i = 0; i < 3000; i++) {
        call(program, ids[i % G_N_ELEMENTS(ids)]);
        leaf(program, ids[i * 7 % G_N_ELEMENTS(ids)]);
        if (g_rand_int_range(program->random, 0, 20) == 0)
            leaf(program, 65534 + (guint32)g_rand_int_range(program->random, 0, 5000));
        give_back(program);
    }
}

static void more_returns_than_calls(Program *program)
{
    for (guint i = 0; i < 6000; i++)
        if (g_rand_int_range(program->random, 0, 3) == 0)
            call(program, (guint32)g_rand_int_range(program->random, 1, 5));
        else
            give_back(program);
}

static void any_words(Program *program)
{
    for (guint i = 0; i < 20000; i++)
        put(program, (guint16)g_rand_int(program->random));
}

/* Escapes cut short by further escapes. */
static void only_escapes(Program *program)
{
    for (guint i = 0; i < 5000; i++)
        put(program, g_rand_int_range(program->random, 0, 9) ? DT_WORD_ESCAPE : 0);
}

/* What is next to where a codec may see something else in a word. */
static void boundaries(Program *program)
{
    static const guint16 words[] = {0, 1, 2, 16382, 16383, 16384, 16385, 32767, 32768, 49151, 49152, 65534, 65535};
    for (guint i = 0; i < 6000; i++)
        put(program, words[i % 40 < 30 ? i % 5 : (guint)g_rand_int_range(program->random, 0, G_N_ELEMENTS(words))]);
}

/* A hundred loops, then the same again: as far apart as the histories of codecs reach, and one word more. */
static void far_apart(Program *program)
{
    for (guint period = 65535; period <= 65536; period++)
        for (guint i = 0; i < 2 * period + 3000; i++) {
            guint at = i % period, loop = MIN(at / 655, 99), start = 655 * loop;
            put(program, (guint16)(1 + loop * 9 + (at - start) % (1 + loop * 5 % 8)));
        }
}

/* All ids in order, then again: new ids, full tables. */
static void all_ids(Program *program)
{
    for (guint i = 0; i < 2; i++)
        for (guint32 id = 1; id < 65536; id++)
            leaf(program, id);
}

static const struct {
    const char *name;
    void (*run)(Program *);
} programs[] = {{"loops", loops},
                {"periodic", periodic},
                {"deep-recursion", deep_recursion},
                {"data-dependent", data_dependent},
                {"escapes", escapes},
                {"more-returns", more_returns_than_calls},
                {"any-words", any_words},
                {"only-escapes", only_escapes},
                {"boundaries", boundaries},
                {"far-apart", far_apart},
                {"all-ids", all_ids}};

G_STATIC_ASSERT(G_N_ELEMENTS(programs) == DT_PROGRAMS);

const char *dt_program_name(gsize program)
{
    return programs[program].name;
}

static GArray *run_program(void (*run)(Program *), GRand *random)
{
    Program program = {g_array_new(FALSE, FALSE, sizeof(guint16)), random};
    run(&program);
    return program.words;
}

GArray *dt_program_words(gsize program, GRand *random)
{
    return run_program(programs[program].run, random);
}

/* ---- golden files --------------------------------------------------------------- */

static void golden_of_tz(Program *program)
{
    guint32 state = 1;
    for (guint i = 0; i < 6000; i++) {
        state = state * 1664525u + 1013904223u;
        guint32 draw = state >> 16;
        call(program, 1 + i / 1500);
        for (guint j = 0; j < 2 + i % 4; j++)
            leaf(program, 10 + j);
        if (draw % 11 == 0)
            leaf(program, 20 + draw % 50);
        if (draw % 97 == 0)
            leaf(program, 65534 + draw % 7 * 9000);
        if (draw % 211 == 0)
            call(program, 30);
        else
            give_back(program);
        if (draw % 301 == 0)
            give_back(program);
    }
}

/* Nests whose trip counts and branches vary, calls of many functions seldom; ids on both sides of the tokens' escapes.
 */
static void golden_of_lz(Program *program)
{
    guint32 state = 3;
    for (guint i = 0; i < 2400; i++) {
        call(program, 1 + i / 1000);
        for (guint j = 0; j < 3 + i % 5; j++) {
            state = state * 1664525u + 1013904223u;
            guint32 draw = state >> 16;
            call(program, 4 + j % 2);
            for (guint k = 0; k < 2 + (i + j) % 7; k++)
                leaf(program, 8 + k);
            if (draw % 13 == 0)
                leaf(program, 30 + draw % 4000);
            if (draw % 17 == 0)
                call(program, 40 + draw % 90);
            if (draw % 61 == 0)
                leaf(program, 16380 + draw % 8);
            if (draw % 149 == 0)
                leaf(program, 65530 + draw % 9 * 9000);
            give_back(program);
        }
        give_back(program);
    }
}

GArray *dt_golden_program(guint32 codec)
{
    return run_program(codec == DT_CODEC_TZ ? golden_of_tz : golden_of_lz, NULL);
}
