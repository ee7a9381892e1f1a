/* Writes the fuzz targets' corpus: small, valid inputs of every kind. fuzz-corpus DIRECTORY */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "agent/messages.h"
#include "corpus_run.h"
#include "format/note.h"
#include "format/sealed.h"
#include "pack/pack.h"
#include "store/packed/dictionary.h"
#include "store/packed/packed_format.h"
#include "store/sealed/sealed_writer.h"
#include "support/go_traces.h"
#include "support/test_calls.h"

static char *make_directory(const char *base, const char *name)
{
    char *path = g_build_filename(base, name, NULL);
    if (g_mkdir_with_parents(path, 0777) != 0)
        g_error("%s: %s", path, g_strerror(errno));
    return path;
}

static void copy(const char *from, const char *directory, const char *name)
{
    g_autofree char *to = g_build_filename(directory, name, NULL);
    g_autofree char *text = NULL;
    gsize bytes;
    g_autoptr(GError) error = NULL;
    if (!g_file_get_contents(from, &text, &bytes, &error))
        g_error("%s", error->message);
    dt_write_bytes(to, text, bytes);
}

/* Bit by bit: codec, open segment, tails, short segments; with the fifth one LZR in the place of ParLOT's codec; of a
 * later version; with calls of MPI and all that is recorded of them, on the first thread. */
static void write_run(const char *path, guint layout)
{
    DtTestRun *writer = dt_test_run_new(path);
    writer->manifest_processes = "[{\"pid\":1000,\"host\":\"node1\",\"end\":\"signal\",\"status\":9}]";
    DtTestProcess *process = dt_test_run_process(writer, 0);
    guint32 small = layout & 16 ? DT_CODEC_LZR : DT_CODEC_PARLOT;
    process->codec = layout & 1 ? small : DT_CODEC_RAW;
    process->later = (layout & 32) != 0;
    for (guint32 i = 0; i < 2; i++) {
        DtTestThread *thread = dt_test_process_thread(process, i, 0);
        thread->finish = !(layout & 2);
        thread->tail_words = layout & 4 ? 12 : 0;
        thread->packed = (layout & 2) && i == 1;
        thread->two_tails = (layout & 4) && !thread->packed;
        thread->gaps = (layout & 4) != 0;
        thread->childless = (layout & 16) != 0;
        thread->segment_words = layout & 8 ? 7 : 0;
        dt_test_thread_events(thread, CORPUS_EVENTS);
        dt_test_thread_note(thread, DT_NOTE_WILDCARD, (const gint64[]){3, -1}, 2, "text");
        thread->timed = (layout & CORPUS_CALLS) != 0;
        if (layout & CORPUS_CALLS) {
            dt_test_thread_note(thread, i == 0 ? DT_NOTE_CLOCK : DT_NOTE_REQUEST, (const gint64[]){1, 5}, 2, NULL);
            if (i == 0)
                dt_test_thread_calls(thread);
        }
    }
    dt_test_run_finish(writer);
}

/* The file of a run as recorded, sealed, and sealed with a table that is not packed, which changes reach better. */
static void add_sealed(const char *corpus, const char *run, const char *file, const char *name)
{
    g_autofree char *folder = make_directory(corpus, "sealed"), *bytes = NULL;
    g_autofree char *sealed = g_strconcat(name, "-sealed", NULL), *open = g_build_filename(folder, name, NULL);
    gsize size;
    copy(file, folder, name);
    dt_run_shrink(run);
    copy(file, folder, sealed);
    if (!g_file_get_contents(file, &bytes, &size, NULL))
        g_error("%s: cannot be read", file);
    struct dt_sealed *head = (struct dt_sealed *)(void *)(bytes + DT_SEALED_OFFSET);
    gsize packed = head->table_bytes, table_at = DT_SEALED_OFFSET + sizeof(*head);
    gsize table_bytes = head->pieces * sizeof(struct dt_sealed_piece) + head->blocks * sizeof(struct dt_sealed_block);
    if (memcmp(head->magic, DT_SEALED_MAGIC, sizeof(head->magic)) != 0)
        return; /* of a later version */
    g_autofree guint8 *table = g_malloc(table_bytes);
    ZSTD_decompress(table, table_bytes, bytes + table_at, packed);
    head->table_bytes = (guint32)table_bytes;
    g_autoptr(GByteArray) whole = g_byte_array_new();
    g_byte_array_append(whole, (guint8 *)bytes, (guint)table_at);
    g_byte_array_append(whole, table, (guint)table_bytes);
    g_byte_array_append(whole, (guint8 *)bytes + table_at + packed, (guint)(size - table_at - packed));
    g_autofree char *path = g_strconcat(open, "-open", NULL);
    dt_write_bytes(path, whole->data, whole->len);
}

/* The run in one file, and what is in that file's frame. */
static void add_packed(const char *corpus, const char *run, const char *name)
{
    g_autofree char *folder = make_directory(corpus, "packed"), *content_name = g_strconcat(name, "-content", NULL);
    g_autofree char *file = g_build_filename(folder, name, NULL), *bytes = NULL;
    g_autofree char *content_path = g_build_filename(folder, content_name, NULL);
    g_autoptr(GError) error = NULL;
    DtPackResult result;
    gsize size;
    (void)g_unlink(file);
    if (!dt_pack(run, file, NULL, &result, &error) || !g_file_get_contents(file, &bytes, &size, &error))
        g_error("%s", error->message);
    const struct dt_packed_header *header = (const void *)bytes;
    g_autofree guint8 *content = g_malloc(header->content_bytes);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    gsize unpacked =
        ZSTD_decompress_usingDict(context, content, header->content_bytes, bytes + sizeof(*header),
                                  size - sizeof(*header), dt_packed_dictionary, dt_packed_dictionary_bytes);
    ZSTD_freeDCtx(context);
    dt_write_bytes(content_path, content, unpacked);
}

static void add_run(const char *corpus, guint layout)
{
    g_autofree char *run = dt_temporary_directory(), *name = g_strdup_printf("layout-%u", layout);
    g_autofree char *process_files = make_directory(corpus, "process-file");
    g_autofree char *manifests = make_directory(corpus, "manifest"), *symbols = make_directory(corpus, "symbols");
    write_run(run, layout);
    g_autofree char *file = g_build_filename(run, "processes", "node1.1000.trace", NULL);
    g_autofree char *manifest = g_build_filename(run, "manifest.json", NULL);
    g_autofree char *images = g_build_filename(run, "images", NULL);
    copy(file, process_files, name);
    copy(manifest, manifests, name);
    g_autoptr(GDir) directory = g_dir_open(images, 0, NULL);
    const char *image;
    while (directory && (image = g_dir_read_name(directory))) {
        g_autofree char *path = g_build_filename(images, image, NULL);
        copy(path, symbols, image);
    }
    if (layout % 5 == 3 || layout == CORPUS_CALLS)
        add_sealed(corpus, run, file, name);
    if (layout % 8 == 3 || layout == CORPUS_CALLS)
        add_packed(corpus, run, name);
    dt_remove_tree(run);
}

/* As fuzz_codec.c takes them. */
enum { FINISHED = 1, BOTH_WAYS = 2, LONG = 4 };

static void add_code_input(const char *path, guint8 mode, guint words, const guint8 *pending, const void *data,
                           gsize bytes)
{
    guint8 head[4] = {mode, words & 0xff, (guint8)(words >> 8)};
    g_autoptr(GByteArray) input = g_byte_array_new();
    g_byte_array_append(input, head, sizeof(head));
    g_byte_array_append(input, pending, DT_CODEC_PENDING_BYTES);
    g_byte_array_append(input, data, (guint)bytes);
    dt_write_bytes(path, input->data, input->len);
}

static void add_code(const char *corpus, guint32 codec, gboolean finish)
{
    g_autofree char *codes = make_directory(corpus, dt_codec_name(codec));
    g_autofree char *path = g_build_filename(codes, finish ? "finished" : "open", NULL);
    guint16 words[300];
    guint8 pending[DT_CODEC_PENDING_BYTES], mode = finish ? FINISHED : 0;
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(codec));
    g_autofree guint8 *code = g_malloc(dt_codec_bound(codec, G_N_ELEMENTS(words)));
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        words[i] = (guint16)(i % 7 == 0 ? 0 : i % 50 == 1 ? 1000 * i : i % 7);
    dt_codec_encoder_init(codec, state);
    gsize bytes = dt_codec_encode(codec, state, words, G_N_ELEMENTS(words), code);
    dt_codec_suspend(codec, state, pending);
    if (finish)
        bytes += dt_codec_finish(codec, state, code + bytes);
    g_autofree char *long_path = g_strconcat(path, "-long", NULL), *both_ways = g_strconcat(path, "-words", NULL);
    add_code_input(path, mode, G_N_ELEMENTS(words), pending, code, bytes);
    add_code_input(long_path, mode | LONG, G_MAXUINT16, pending, code, bytes);
    add_code_input(both_ways, mode | BOTH_WAYS, 0, pending, words, sizeof(words));
}

/* Loops whose rounds are longer than a decoder looks, whose counts vary, and one that goes on as another began. */
static void add_programs(const char *corpus, guint32 codec)
{
    enum { BACK = DT_WORD_UNWRITTEN };
    static const guint16 programs[][72] = {
        {1, 7, 0, 8, 0, 9, 0, BACK, 6, 60000, 5, 0, BACK, 60008, 65535, BACK, 60008, 65535, BACK, 60008, 65535},
        {7,     0,     BACK,  2,     10000, 8,     0,     7,     0,     BACK,  2,     10600, 8,    0,
         7,     0,     BACK,  2,     11400, 8,     0,     7,     0,     BACK,  2,     12000, 8,    0,
         BACK,  44016, 65535, BACK,  44016, 65535, BACK,  44016, 65535, BACK,  44016, 65535, BACK, 44016,
         65535, BACK,  44016, 65535, BACK,  44016, 46790, 7,     0,     BACK,  2,     65535, BACK, 2,
         65535, BACK,  2,     65535, BACK,  2,     65535, BACK,  2,     65535, BACK,  2,     65535},
        {1, 2, 0, 3, 4, 0, 0, BACK, 6, 3000, BACK, 5, 3000, BACK, 2, 40000, 0, 0, 2, 0, BACK, 6, 50000},
    };
    static const guint8 pending[DT_CODEC_PENDING_BYTES];
    for (guint i = 0; i < G_N_ELEMENTS(programs); i++) {
        g_autofree char *path = g_strdup_printf("%s/%s/program-%u", corpus, dt_codec_name(codec), i);
        add_code_input(path, (i % 2 ? FINISHED : 0) | BOTH_WAYS | LONG, 0, pending, programs[i], sizeof(programs[i]));
    }
}

static void add_skeletons(const char *corpus)
{
    static const char *const texts[] = {
        "difftrace skeleton 1\nranks 16\ncomm world/1 0-7 8-15\nMPI_Init\n5 times\n  10 times\n"
        "    on 1-3*4/4: MPI_Irecv(world, from -1, tag 101, 60 x 8 B)\n    MPI_Waitall(live all)\n"
        "  MPI_Allreduce(world/1, sum, 1 x 8 B)\nMPI_Finalize\n",
        "difftrace skeleton 1\nranks 16\n{0,11-12: 6; 1-2*2/8: 5; !0-2,9-12: [4 (1 2)^2]} times\n"
        "  MPI_Send(world, to ^1, tag [0..6/2 5^3], {!3: 8; 3: 9} x 4 B)\n"
        "on !15: MPI_Recv(world, from any, tag any, 8 x 4 B); got =0; got-tag 7; open 1\nthread 2\n"
        "on 3: MPI_Alltoallv(world, counts <0-3 7^2>, element 4, counts in_place, element 4); completed <0 2>\n",
        "difftrace skeleton 1\nranks 8\nMPI_Init\n  after start: 8 x 1.25ms (900us to 2s)\n5 times\n  "
        "MPI_Barrier(world)\n"
        "    on 0: after -1: 1 x 12ns\n    on !0: after +0: 28 x 5ms (4ms to 6ms) [4ms^2 6ms^2]\n",
        "difftrace skeleton 1\nranks 12\nmesh 3x2x2\ncomm world/1 0-5 6-11\n13 times\n  [4^12 2] times\n"
        "    MPI_Isend(world, to x+1, tag 1, 6 x 8 B)  # heat.c:60 in exchange\n"
        "    MPI_Irecv(world, from {0-5: y-1z+1; 6-11: =0}, tag 1, 6 x 8 B)\n"
        "  [1^12 0] times\n    on 0: MPI_Recv(world/1, from any, tag 9); got [=1..3 ^1]\n"
        "    on 0: MPI_Send(world/1, to last, tag 9, 1 x 4 B)\n",
    };
    g_autofree char *folder = make_directory(corpus, "skeleton");
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *path = g_strdup_printf("%s/%u", folder, i);
        dt_write_bytes(path, texts[i], strlen(texts[i]));
    }
}

/* Small ones that do much: they are gone through again and again. */
static void add_simulated(const char *corpus)
{
    static const char *const texts[] = {
        "difftrace skeleton 1\nranks 4\ncomm world/1 0-1 2-3\n2 times\n  MPI_Irecv(world/1, from +1, tag 1, 1 x 4 B)\n"
        "  MPI_Send_init(world, to ^1, tag 1, 1 x 4 B)\n  MPI_Startall(live 1)\n  MPI_Waitany(live all); completed 0\n"
        "on !3: MPI_Allreduce(world/1, sum, 1 x 8 B)\non 3: MPI_Bcast(world/1, root 1, 1 x 8 B); open 1\n",
        "difftrace skeleton 1\nranks 3\non 0: 2 times\n  MPI_Recv(world, from any, tag any, 1 x 4 B); got [+1 -1]; "
        "got-tag 1\n"
        "  MPI_Send(world, to last, tag 2, 1 x 4 B)\non !0: MPI_Ssend(world, to =0, tag 1, 1 x 4 B)\n"
        "on !0: MPI_Probe(world, from any, tag 2)\non 1: MPI_Irecv(world, from any, tag 7, 1 x 4 B)\n"
        "on 1: MPI_Cancel(live 0)\non 1: MPI_Testall(live all)\nMPI_Win_create(world, size 8, unit "
        "8)\nMPI_Win_fence(window 0, assertion 0)\n",
    };
    g_autofree char *folder = make_directory(corpus, "simulate");
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *path = g_strdup_printf("%s/%u", folder, i);
        dt_write_bytes(path, texts[i], strlen(texts[i]));
    }
}

/* One of each kind. */
static void add_messages(const char *corpus)
{
    g_autofree char *messages = make_directory(corpus, "agent");
    for (guint kind = 1; kind < DT_MESSAGE_KINDS; kind++) {
        g_auto(DtAgentMessage)
            message = {.kind = (DtMessageKind)kind, .host = "node1", .processes = dt_node_processes_new()};
        for (guint32 p = 0; p < 2; p++) {
            DtNodeProcess process = {1000 + p, 1, p == 1, g_array_new(FALSE, TRUE, sizeof(DtNodeThread))};
            const DtNodeThread thread = {p, FALSE, 1000, 1 << 20, {TRUE, TRUE, 'S', 5, 0, 0}};
            g_array_append_val(process.threads, thread);
            g_array_append_val(message.processes, process);
        }
        g_autofree char *path = g_strdup_printf("%s/%u", messages, kind);
        g_autoptr(GByteArray) bytes = dt_message_encode(&message);
        dt_write_bytes(path, bytes->data, bytes->len);
    }
}

static void add_notes(const char *corpus)
{
    g_autofree char *notes = make_directory(corpus, "note");
    for (guint i = 0; i <= DT_NOTE_DATA; i++) {
        struct dt_note note = {.offset = 1000 * i,
                               .kind = i,
                               .count = i < 4 ? 6 * i : i,
                               .text = (const guint8 *)"text",
                               .text_bytes = MIN(i, 4)};
        guint8 body[DT_NOTE_BODY];
        g_autofree char *path = g_strdup_printf("%s/%u", notes, i);
        for (guint k = 0; k < note.count; k++)
            note.values[k] = i == DT_NOTE_DATA && k == 1 ? G_MAXUINT32 : (gint64)k * k * k - 100;
        dt_write_bytes(path, body, dt_note_encode(&note, body));
    }
}

/* As fuzz_import.c takes them. */
static void add_imports(const char *corpus)
{
    static const char info[] = "+\n/bin/app\nmain\nsolve\n+\n/lib/libm.so\nputs@plt\n_Z3fooi\n";
    static const guint8 whole[] = {0x14, 1, 2, 1, 2, 0x51, 2, 2, 1, 0, 1}, words[] = {1, 0, 2, 0, 0, 0, 3, 0, 0};
    static const char text[] = "# a comment\n0.0 > main\n0.0\t>\tfoo(int, char*)\n1+2.3 > a@plt\n0.a > b\n0.0 <\n"
                               "0.0 < main\nnonsense\n";
    g_autofree char *parlot = make_directory(corpus, "import-parlot"), *texts = make_directory(corpus, "import-text");
    g_autofree char *text_path = g_build_filename(texts, "text", NULL);
    dt_write_bytes(text_path, text, strlen(text));
    for (guint i = 0; i < 3; i++) {
        guint8 head[2] = {sizeof(info) - 1, 0};
        g_autoptr(GByteArray) input = g_byte_array_new();
        g_autofree char *path = g_strdup_printf("%s/%u", parlot, i);
        g_byte_array_append(input, head, sizeof(head));
        g_byte_array_append(input, (const guint8 *)info, sizeof(info) - 1);
        g_byte_array_append(input, i == 2 ? words : whole, i == 2 ? sizeof(words) : sizeof(whole) - i * 2);
        dt_write_bytes(path, input->data, input->len);
    }
}

static void add_go_traces(const char *corpus)
{
    g_autofree char *folder = make_directory(corpus, "import-go-trace");
    g_autofree char *first_path = g_build_filename(folder, "first", NULL);
    g_autofree char *second_path = g_build_filename(folder, "second", NULL);
    g_autoptr(GByteArray) first = dt_test_go_trace_first(), second = dt_test_go_trace_second();
    dt_write_bytes(first_path, first->data, first->len);
    dt_write_bytes(second_path, second->data, second->len);
}

static void append_file(GByteArray *input, const void *data, gsize bytes, gboolean last)
{
    guint8 head[2] = {bytes & 0xff, (guint8)(bytes >> 8)};
    if (!last)
        g_byte_array_append(input, head, sizeof(head));
    g_byte_array_append(input, data, (guint)bytes);
}

/* A process with a fork of it, without and with data behind its records. */
static void add_uftrace(const char *corpus)
{
    static const char info[40] = "Ftrace!\0\4\0\0\0\50\0\1\2";
    static const char tasks[] = "SESS timestamp=1.5 pid=1 sid=1 exename=\"/bin/app\"\n"
                                "TASK timestamp=1.6 tid=1 pid=1\nFORK timestamp=1.7 pid=2 ppid=1\n"
                                "DLOP timestamp=1.8 tid=1 sid=1 base=7000 libname=\"/lib/b.so\"\n";
    static const char map[] = "1000-5000 r-xp 00000000 00:00 0   /bin/app build-id:12\n";
    static const char symbols[] =
        "# symbols: 3\n# path name: /bin/app\n0000000000000010 P puts\n"
        "0000000000000100 T main\n0000000000000200 t _Z3fooi\n0000000000000300 ? __func_end\n";
    static const guint calls[][3] = {{0, 0, 0x1104}, {0, 1, 0x1204}, {0, 2, 0x1010}, {1, 2, 0x1010}, {1, 1, 0x1204},
                                     {2, 0, 3},      {0, 1, 0x9999}, {3, 0, 1000},   {1, 0, 0x1104}};
    g_autofree char *folder = make_directory(corpus, "import-uftrace");
    for (guint i = 0; i < 3; i++) {
        g_autoptr(GByteArray) input = g_byte_array_new();
        g_autofree char *path = g_strdup_printf("%s/%u", folder, i);
        append_file(input, info, sizeof(info), FALSE);
        append_file(input, tasks, strlen(tasks), FALSE);
        append_file(input, map, strlen(map), FALSE);
        append_file(input, symbols, strlen(symbols), FALSE);
        for (guint k = 0; k < G_N_ELEMENTS(calls); k++) {
            guint64 more = i > 0 && k % 2, data = 7;
            guint64 record[2] = {2000000000 + k, calls[k][0] | more << 2 | 5 << 3 | (guint64)calls[k][1] << 6 |
                                                     (guint64)calls[k][2] << 16};
            append_file(input, record, sizeof(record), TRUE);
            if (more)
                append_file(input, &data, sizeof(data), TRUE);
        }
        dt_write_bytes(path, input->data, input->len - (i == 2 ? 11 : 0));
    }
}

/* Without the "_Z" that each begins with; the last three grow with every pair. */
static void add_mangled(const char *corpus)
{
    static const char *const names[] = {
        "NSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE12emplace_backIJRKS5_EEERS5_DpOT_",
        "ZNK3foo3barIiEEvT_ENKUlS1_RKT0_E_clIdEEDaS1_S4_",
        "N1acvT_I1bIiEEEv",
        "1fIJicdEEDTplfp_spsr1aIT_E1bEPFvDpT_EDpRKT_",
        "1fILi3EXadL_Z1gvEEEvRAszT0__A3_iM1aKFivEDv4_fDTnw_T_ilE",
        "TCN1aE0_1b",
        "Tv0_n24_N1aIiE1fEvRKS0_",
        "Z1fIRiEvOT_E1xB1c_0",
        "1fSt4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_E",
        "1fIJEEvDpFvSt4pairIiiES0_IS1_S1_ES0_IS2_S2_ES0_IS3_S3_ES0_IS4_S4_ES0_IS5_S5_ES0_IS6_S6_ET_E",
        "ZN1acvT_IT_IT_IT_IT_IT_IiEEEEEEvEN1aIJT_T_EEvRT_S_OT0_",
    };
    g_autofree char *folder = make_directory(corpus, "mangled");
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf("%s/%u", folder, i);
        dt_write_bytes(path, names[i], strlen(names[i]));
    }
}

/* As fuzz_run_files.c takes them. */
static void add_run_files(const char *corpus)
{
    static const char names[] = "\x0d\xffline\nline\x1b[31m\x0c\x00-o evil\x0f\x03\xe2\x80\xaeRTL\x0b\x05%s%n..";
    g_autofree char *folder = make_directory(corpus, "run-files");
    g_autofree char *named = g_build_filename(folder, "names", NULL);
    dt_write_bytes(named, names, sizeof(names) - 1);
    for (guint8 place = 0; place < 7; place++) {
        guint8 changes[16];
        g_autofree char *path = g_strdup_printf("%s/%u", folder, place);
        for (guint8 i = 0; i < sizeof(changes); i++)
            changes[i] = i % 2 ? (guint8)(i / 2 + place) : place;
        dt_write_bytes(path, changes, sizeof(changes));
    }
}

static void add_unrecorded(const char *corpus)
{
    static const char *const logs[] = {
        "node1\t1000\tstatic\t123456789\t/usr/bin/busybox\n",
        "node1\t1000\tunknown\t1\t\nnode2\t7\trun directory not writable\t18446744073709551615\ta\tb\n",
        "node1\t1000\tno reason\t1\ta\nnode1\t0\tstatic\t1\ta\nnode1\t4\tstatic\t1\tunfinished"};
    g_autofree char *folder = make_directory(corpus, "unrecorded");
    for (guint i = 0; i < G_N_ELEMENTS(logs); i++) {
        g_autofree char *path = g_strdup_printf("%s/%u", folder, i);
        dt_write_bytes(path, logs[i], strlen(logs[i]));
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    for (guint layout = 0; layout <= 32; layout++)
        add_run(argv[1], layout);
    add_run(argv[1], 63);
    for (guint layout = CORPUS_CALLS; layout < 2 * CORPUS_CALLS; layout += 13)
        add_run(argv[1], layout);
    for (guint i = 0; i < DT_CODECS; i++) {
        add_code(argv[1], dt_codecs[i].id, TRUE);
        add_code(argv[1], dt_codecs[i].id, FALSE);
        add_programs(argv[1], dt_codecs[i].id);
    }
    add_skeletons(argv[1]);
    add_simulated(argv[1]);
    add_messages(argv[1]);
    add_notes(argv[1]);
    add_unrecorded(argv[1]);
    add_imports(argv[1]);
    add_go_traces(argv[1]);
    add_uftrace(argv[1]);
    add_mangled(argv[1]);
    add_run_files(argv[1]);
    return 0;
}
