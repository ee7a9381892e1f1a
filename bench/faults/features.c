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
#include "waitfor/facts.h"

typedef struct {
    GPtrArray *normals, *every; /* (element-type DtRun); every: the faulty one, too, borrowed */
    DtRun *faulty;
} Case;

static void case_clear(Case *all)
{
    g_clear_pointer(&all->every, g_ptr_array_unref);
    g_clear_pointer(&all->normals, g_ptr_array_unref);
    g_clear_pointer(&all->faulty, dt_run_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Case, case_clear)

/* One way of looking at a case: names alone, or names with arguments. */
typedef struct {
    DtCorpus *corpus;
    DtEvidence *evidence;
} View;

static void view_clear(View *view)
{
    g_clear_pointer(&view->corpus, dt_corpus_free);
    g_free(view->evidence);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(View, view_clear)

static gboolean open_runs(Case *all, char **paths, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    all->normals = g_ptr_array_new_with_free_func((GDestroyNotify)dt_run_free);
    all->every = g_ptr_array_new();
    for (; *paths; paths++) {
        DtRun *run = dt_run_open(*paths, functions, error);
        if (!run)
            return FALSE;
        if (paths[1])
            g_ptr_array_add(all->normals, run);
        else
            all->faulty = run;
        g_ptr_array_add(all->every, run);
    }
    return TRUE;
}

static gboolean judge(View *view, const Case *all, DtObserving *observing, const DtWaitFor *waits, GError **error)
{
    DtObservations *observations = dt_observing_take(observing, error);
    if (!observations)
        return FALSE;
    view->corpus = dt_corpus_new(all->normals, all->faulty, observations);
    view->evidence = dt_evidence_new(view->corpus, waits, 1);
    return TRUE;
}

static void add_findings(JsonBuilder *builder, const char *member, const DtEvidence *evidence)
{
    json_builder_set_member_name(builder, member);
    json_builder_begin_object(builder);
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++) {
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
    for (guint trace = 0; trace < names->corpus->traces; trace++)
        add_trace(builder, names, arguments, trace);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    print_root(builder);
}

static void print_kinds(void)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++) {
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
    g_auto(Case) all = {0};
    if (!open_runs(&all, words + 1, error))
        return FALSE;
    const guint runs = all.every->len;
    g_autofree guint16 *kinds = dt_call_kinds(dt_run_functions(all.faulty));
    g_autoptr(DtPass) pass = dt_pass_new(NULL, (const DtRun *const *)all.every->pdata, runs, 1);
    g_autoptr(DtObserving) by_names = dt_observing_new(pass, runs, DT_NAMES_ALONE, kinds);
    g_autoptr(DtObserving) by_arguments = dt_observing_new(pass, runs, DT_NAMES_WITH_ARGUMENTS, kinds);
    g_autoptr(DtFactsReading) facts = dt_facts_reading_new(pass, runs - 1);
    dt_pass_read(pass, NULL, NULL);
    g_auto(View) names = {0}, arguments = {0};
    g_autoptr(DtWaitFor) waits = dt_facts_reading_take(facts, error);
    if (!waits || !judge(&names, &all, by_names, waits, error) || !judge(&arguments, &all, by_arguments, waits, error))
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
