/*
 * The evidence behind the ranking, kind by kind, for bench/faults/ablation.
 *
 * With --kinds it prints a JSON document of all kinds: {kind: {"weights": [with normal runs, alone], "soft"}}. Else it
 * reads lines "NAME NORMAL... FAULTY" (a name, then runs) and prints a JSON document a line: {"name", "traces":
 * [{"trace", "present", "normals", "noisy", "finished", "names": {kind: value}, "arguments": {...}}]}.
 */
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "verdict/evidence.h"
#include "verdict/successors.h"

/* One way of looking at a case: names alone, or names with arguments. */
typedef struct {
    GPtrArray *normals;
    DtRun *faulty;
    DtCorpus *corpus;
    DtEvidence *evidence;
} View;

static void view_clear(View *view)
{
    g_clear_pointer(&view->corpus, dt_corpus_free);
    g_clear_pointer(&view->normals, g_ptr_array_unref);
    g_clear_pointer(&view->faulty, dt_run_free);
    g_free(view->evidence);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(View, view_clear)

typedef DtRun *(*Opener)(const char *path, DtFunctions *functions, GError **error);

static gboolean open_view(View *view, char **paths, DtFunctions *functions, Opener open, GError **error)
{
    view->normals = g_ptr_array_new_with_free_func((GDestroyNotify)dt_run_free);
    for (; *paths; ++paths) {
        DtRun *run = open(*paths, functions, error);
        if (!run)
            return FALSE;
        if (paths[1])
            g_ptr_array_add(view->normals, run);
        else
            view->faulty = run;
    }
    return TRUE;
}

static gboolean judge(View *view, const DtWaitFor *waits, GError **error)
{
    view->corpus = dt_corpus_new(view->normals, view->faulty, 1, error);
    if (view->corpus)
        view->evidence = dt_evidence_new(view->corpus, waits, 1);
    return view->corpus != NULL;
}

static void add_findings(JsonBuilder *builder, const char *member, const DtEvidence *evidence)
{
    json_builder_set_member_name(builder, member);
    json_builder_begin_object(builder);
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; ++kind) {
        if (evidence->findings[kind].value > 0) {
            json_builder_set_member_name(builder, dt_evidence_kinds[kind]->name);
            json_builder_add_double_value(builder, evidence->findings[kind].value);
        }
    }
    json_builder_end_object(builder);
}

static void add_boolean(JsonBuilder *builder, const char *member, gboolean value)
{
    json_builder_set_member_name(builder, member);
    json_builder_add_boolean_value(builder, value);
}

static void add_trace(JsonBuilder *builder, const View *names, const View *arguments, guint trace)
{
    const DtCorpus *corpus = names->corpus;
    const DtEvidence *evidence = &names->evidence[trace];
    json_builder_begin_object(builder);
    json_builder_set_member_name(builder, "trace");
    json_builder_add_string_value(builder, g_ptr_array_index(corpus->labels, trace));
    add_boolean(builder, "present", evidence->present);
    add_boolean(builder, "noisy", dt_corpus_is_noisy(corpus, trace));
    add_boolean(builder, "finished", evidence->ending.finished || !evidence->ending.open);
    json_builder_set_member_name(builder, "normals");
    json_builder_add_int_value(builder, evidence->normals_with);
    add_findings(builder, "names", evidence);
    add_findings(builder, "arguments", &arguments->evidence[trace]);
    json_builder_end_object(builder);
}

static void print_root(JsonBuilder *builder)
{
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    g_autofree char *text = json_to_string(root, FALSE);
    puts(text);
    fflush(stdout);
}

static void print_document(const char *name, const View *names, const View *arguments)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    json_builder_set_member_name(builder, "name");
    json_builder_add_string_value(builder, name);
    json_builder_set_member_name(builder, "traces");
    json_builder_begin_array(builder);
    for (guint trace = 0; trace < names->corpus->traces; ++trace)
        add_trace(builder, names, arguments, trace);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    print_root(builder);
}

static void print_kinds(void)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; ++kind) {
        json_builder_set_member_name(builder, dt_evidence_kinds[kind]->name);
        json_builder_begin_object(builder);
        json_builder_set_member_name(builder, "weights");
        json_builder_begin_array(builder);
        json_builder_add_double_value(builder, dt_evidence_kinds[kind]->weight);
        json_builder_add_double_value(builder, dt_evidence_kinds[kind]->weight_alone);
        json_builder_end_array(builder);
        add_boolean(builder, "soft", dt_evidence_kinds[kind]->is_soft);
        json_builder_end_object(builder);
    }
    json_builder_end_object(builder);
    print_root(builder);
}

static gboolean do_case(char **words, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_auto(View) names = {0}, arguments = {0};
    if (!open_view(&names, words + 1, functions, dt_run_open, error) ||
        !open_view(&arguments, words + 1, functions, dt_run_open_with_arguments, error))
        return FALSE;
    g_autoptr(DtWaitFor) waits = dt_wait_for_new(arguments.faulty, 1, error);
    if (!waits || !judge(&names, waits, error) || !judge(&arguments, waits, error))
        return FALSE;
    print_document(words[0], &names, &arguments);
    return TRUE;
}

int main(int argc, char **argv)
{
    char line[1 << 14];
    if (argc == 2 && g_str_equal(argv[1], "--kinds")) {
        print_kinds();
        return 0;
    }
    while (fgets(line, sizeof line, stdin)) {
        g_autoptr(GError) error = NULL;
        g_auto(GStrv) words = g_strsplit(g_strchomp(line), " ", -1);
        if (g_strv_length(words) < 2 || !do_case(words, &error)) {
            fprintf(stderr, "fault-features: %s: %s\n", words[0] ? words[0] : "", error ? error->message : "no run");
            return 1;
        }
    }
    return 0;
}
