/*
 * What the members of a parallel analysis tell the root after they have folded.
 *
 * Folded traces travel as GVariants: the distinct NLRs with bodies of their own, then what was made of each job.
 */
#include "nlr/call_tree.h"
#include "nlr/fold_job.h"
#include "nlr/loop_table.h"
#include "nlr/sequence.h"

/* ---- who does what ---------------------------------------------------------------------- */

guint *dt_fold_assign(const DtParallel *parallel, const DtFoldJob *jobs, const DtPass *pass)
{
    guint *member_of = g_new0(guint, (gsize)dt_pass_count(pass) + 1);
    g_autofree guint64 *words = g_new0(guint64, parallel->size);
    for (guint i = 0; i < dt_pass_count(pass); i++) {
        const DtDistinctTrace *distinct = dt_pass_longest(pass, i);
        if (!jobs[distinct->number].loose)
            continue;
        guint least = 0;
        for (guint member = 1; member < parallel->size; member++)
            least = words[member] < words[least] ? member : least;
        member_of[distinct->number] = least;
        words[least] += distinct->trace->words + 1; /* opening it takes time, too */
    }
    return member_of;
}

/* ---- results ------------------------------------------------------------------------------- */

/* An NLR: its bodies, in order, the nodes of its call tree, its symbols, and its elements. */
#define NODE_TYPE "(ubat)"
#define NLR_TYPE  "(aata" NODE_TYPE "tat)"
/* A job: its number, its problem, its failure, and by plan the number of its NLR and the calls left open. */
#define JOB_TYPE    "(umsm(sis)a(uau))"
#define RESULT_TYPE "(a" NLR_TYPE "a" JOB_TYPE ")"

/* A result while it is made: NLRs that are equal become one. */
typedef struct {
    GHashTable *numbers; /* of NLRs, by their variant, + 1 */
    GVariantBuilder nlrs, jobs;
} Result;

static guint variant_hash(gconstpointer variant)
{
    g_autoptr(GBytes) bytes = g_variant_get_data_as_bytes((GVariant *)variant);
    return g_bytes_hash(bytes);
}

static void result_init(Result *result)
{
    result->numbers = g_hash_table_new_full(variant_hash, g_variant_equal, (GDestroyNotify)g_variant_unref, NULL);
    g_variant_builder_init(&result->nlrs, G_VARIANT_TYPE("a" NLR_TYPE));
    g_variant_builder_init(&result->jobs, G_VARIANT_TYPE("a" JOB_TYPE));
}

static GBytes *result_finish(Result *result)
{
    g_autoptr(GVariant) variant = g_variant_ref_sink(g_variant_new(
        "(@a" NLR_TYPE "@a" JOB_TYPE ")", g_variant_builder_end(&result->nlrs), g_variant_builder_end(&result->jobs)));
    g_hash_table_unref(result->numbers);
    return g_variant_get_data_as_bytes(variant);
}

/* The number of an NLR in the result; sinks it. */
static guint number_of(Result *result, GVariant *nlr)
{
    g_variant_ref_sink(nlr);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(result->numbers, nlr));
    if (number == 0) {
        g_variant_builder_add_value(&result->nlrs, nlr);
        number = g_hash_table_size(result->numbers) + 1;
        g_hash_table_insert(result->numbers, g_variant_ref(nlr), GUINT_TO_POINTER(number));
    }
    g_variant_unref(nlr);
    return number - 1;
}

static GVariant *elements_variant(DtElements elements)
{
    return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT64, elements.elements, elements.length, sizeof(DtElement));
}

static GVariant *nodes_variant(const DtCallTree *nodes)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE("a" NODE_TYPE));
    for (guint i = 0; nodes && i < dt_call_tree_count(nodes); i++) {
        const DtCallNode *node = dt_call_tree_node(nodes, i);
        g_variant_builder_add(&builder, "(ub@at)", node->function, node->open, elements_variant(node->children));
    }
    return g_variant_builder_end(&builder);
}

static GVariant *nlr_variant(const DtLooseNlr *loose)
{
    const DtLoopTable *bodies = dt_loose_nlr_bodies(loose);
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE("aat"));
    for (guint32 body = 0; body < dt_loop_table_count(bodies); body++)
        g_variant_builder_add_value(&builder, elements_variant(dt_loop_table_body(bodies, body)));
    return g_variant_new("(@aat@a" NODE_TYPE "t@at)", g_variant_builder_end(&builder),
                         nodes_variant(dt_loose_nlr_nodes(loose)), dt_loose_nlr_symbols(loose),
                         elements_variant(dt_loose_nlr_elements(loose)));
}

static GVariant *failure_variant(const GError *failure)
{
    return failure ? g_variant_new("(sis)", g_quark_to_string(failure->domain), failure->code, failure->message) : NULL;
}

static void add_job(Result *result, const DtFoldJob *job, guint number, guint plan_count)
{
    GVariantBuilder plans;
    g_variant_builder_init(&plans, G_VARIANT_TYPE("a(uau)"));
    for (guint p = 0; p < plan_count; p++)
        g_variant_builder_add(
            &plans, "(u@au)", number_of(result, nlr_variant(job->loose[p])),
            g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, job->open[p]->data, job->open[p]->len, sizeof(guint32)));
    g_variant_builder_add(&result->jobs, "(ums@m(sis)a(uau))", number, job->problem,
                          g_variant_new_maybe(G_VARIANT_TYPE("(sis)"), failure_variant(job->failure)), &plans);
}

/* ---- summing up ------------------------------------------------------------------------------ */

static GVariant *result_variant(GBytes *bytes)
{
    return g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(RESULT_TYPE), bytes, TRUE));
}

/* The same job, with NLRs numbered anew. */
static GVariant *renumber_job(GVariant *job, const guint *numbers)
{
    g_autoptr(GVariant) number = g_variant_get_child_value(job, 0), problem = g_variant_get_child_value(job, 1),
                        failure = g_variant_get_child_value(job, 2), plans = g_variant_get_child_value(job, 3);
    GVariantBuilder renumbered;
    g_variant_builder_init(&renumbered, G_VARIANT_TYPE("a(uau)"));
    for (gsize p = 0; p < g_variant_n_children(plans); p++) {
        guint32 nlr;
        g_autoptr(GVariant) open = NULL;
        g_variant_get_child(plans, p, "(u@au)", &nlr, &open);
        g_variant_builder_add(&renumbered, "(u@au)", numbers[nlr], open);
    }
    return g_variant_new("(@u@ms@m(sis)a(uau))", number, problem, failure, &renumbered);
}

static void add_result(Result *result, GBytes *bytes)
{
    g_autoptr(GVariant) added = result_variant(bytes);
    g_autoptr(GVariant) nlrs = g_variant_get_child_value(added, 0), jobs = g_variant_get_child_value(added, 1);
    gsize count = g_variant_n_children(nlrs);
    g_autofree guint *numbers = g_new(guint, count + 1);
    for (gsize i = 0; i < count; i++) {
        g_autoptr(GVariant) nlr = g_variant_get_child_value(nlrs, i);
        numbers[i] = number_of(result, nlr);
    }
    for (gsize i = 0; i < g_variant_n_children(jobs); i++) {
        g_autoptr(GVariant) job = g_variant_get_child_value(jobs, i);
        g_variant_builder_add_value(&result->jobs, renumber_job(job, numbers));
    }
}

static GBytes *combine_results(GBytes *lower, GBytes *higher)
{
    Result result;
    result_init(&result);
    add_result(&result, lower);
    add_result(&result, higher);
    return result_finish(&result);
}

/* ---- at the root --------------------------------------------------------------------------------- */

static DtElements variant_elements(GVariant *variant)
{
    DtElements elements;
    elements.elements = g_variant_get_fixed_array(variant, &elements.length, sizeof(DtElement));
    return elements;
}

static DtCallTree *nodes_from_variant(GVariant *variant)
{
    DtCallTree *nodes = dt_call_tree_new_local();
    for (gsize i = 0; i < g_variant_n_children(variant); i++) {
        g_autoptr(GVariant) children = NULL;
        guint32 function;
        gboolean open;
        g_variant_get_child(variant, i, "(ub@at)", &function, &open, &children);
        dt_call_tree_intern(nodes, function, open, variant_elements(children));
    }
    return nodes;
}

static DtLooseNlr *nlr_from_variant(GVariant *variant)
{
    g_autoptr(GVariant) bodies = g_variant_get_child_value(variant, 0), nodes = g_variant_get_child_value(variant, 1),
                        elements = g_variant_get_child_value(variant, 3);
    guint64 symbols;
    g_variant_get_child(variant, 2, "t", &symbols);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    for (gsize i = 0; i < g_variant_n_children(bodies); i++) {
        g_autoptr(GVariant) body = g_variant_get_child_value(bodies, i);
        DtElements of_body = variant_elements(body);
        dt_loop_table_intern(table, of_body.elements, of_body.length,
                             dt_sequence_hash(of_body.elements, of_body.length));
    }
    if (g_variant_n_children(nodes) == 0)
        return dt_loose_nlr_new(table, variant_elements(elements));
    return dt_loose_nlr_new_tree(g_steal_pointer(&table), variant_elements(elements), symbols,
                                 nodes_from_variant(nodes));
}

static GArray *open_from_variant(GVariant *variant)
{
    gsize count;
    const guint32 *calls = g_variant_get_fixed_array(variant, &count, sizeof *calls);
    GArray *open = g_array_new(FALSE, FALSE, sizeof *calls);
    if (count > 0)
        g_array_append_vals(open, calls, (guint)count);
    return open;
}

static void take_job(DtFoldJob *job, GVariant *variant, GVariant *nlrs)
{
    g_autoptr(GVariant) failure = NULL, plans = NULL;
    guint32 number;
    g_variant_get(variant, "(ums@m(sis)@a(uau))", &number, &job->problem, &failure, &plans);
    g_autoptr(GVariant) known = g_variant_get_maybe(failure);
    if (known) {
        const char *domain, *message;
        gint32 code;
        g_variant_get(known, "(&si&s)", &domain, &code, &message);
        job->failure = g_error_new_literal(g_quark_from_string(domain), code, message);
    }
    for (gsize p = 0; p < g_variant_n_children(plans); p++) {
        guint32 nlr;
        g_autoptr(GVariant) open = NULL;
        g_variant_get_child(plans, p, "(u@au)", &nlr, &open);
        g_autoptr(GVariant) folded = g_variant_get_child_value(nlrs, nlr);
        job->loose[p] = nlr_from_variant(folded);
        job->open[p] = open_from_variant(open);
    }
}

void dt_fold_gather(const DtParallel *parallel, DtFoldJob *jobs, guint count, const guint *member_of, guint plan_count)
{
    Result own;
    result_init(&own);
    for (guint i = 0; i < count && parallel->rank > 0; i++) {
        if (jobs[i].loose && member_of[i] == parallel->rank)
            add_job(&own, &jobs[i], i, plan_count);
    }
    g_autoptr(GBytes) sum = dt_parallel_reduce(parallel, result_finish(&own), combine_results);
    if (!sum)
        return;
    g_autoptr(GVariant) all = result_variant(sum);
    g_autoptr(GVariant) nlrs = g_variant_get_child_value(all, 0), done = g_variant_get_child_value(all, 1);
    for (gsize i = 0; i < g_variant_n_children(done); i++) {
        guint32 number;
        g_autoptr(GVariant) job = g_variant_get_child_value(done, i);
        g_variant_get_child(job, 0, "u", &number);
        take_job(&jobs[number], job, nlrs);
    }
}
