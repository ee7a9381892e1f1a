/* In what two calls differ, in words. */
#include "format/arguments.h"
#include "verdict/differing_arguments.h"

static DtSignature signature_of(guint count, const DtArgument *arguments)
{
    DtSignature signature = {.argument_count = count};
    for (guint i = 0; i < count; i++)
        signature.arguments[i] = arguments[i];
    return signature;
}

static void check(const DtSignature *own, const DtSignature *than, const DtProcess *process, const char *expected)
{
    g_autofree char *text = dt_differing_arguments(own, than, process);
    g_assert_cmpstr(text, ==, expected);
}

static void test_by_kind(void)
{
    /* One argument more must not make those behind it look different. */
    const DtArgument more[] = {{.kind = DT_ARGUMENT_DATA, .value = 2, .size = 4},
                               {.kind = DT_ARGUMENT_OTHER_DATA, .value = 3, .size = 4},
                               {.kind = DT_ARGUMENT_ROOT, .value = 3}};
    const DtArgument less[] = {{.kind = DT_ARGUMENT_DATA, .value = 2, .size = 4},
                               {.kind = DT_ARGUMENT_ROOT, .value = 3}};
    const DtSignature a = signature_of(3, more), b = signature_of(2, less);
    check(&a, &b, NULL, "other 3 x 4 B");
    check(&b, &a, NULL, "other 2 x 4 B");
    check(&a, &a, NULL, "");
}

static void test_several_of_a_kind(void)
{
    const DtArgument one[] = {{.kind = DT_ARGUMENT_TAG, .value = 1}, {.kind = DT_ARGUMENT_TAG, .value = 2}};
    const DtArgument two[] = {{.kind = DT_ARGUMENT_TAG, .value = 1}, {.kind = DT_ARGUMENT_TAG, .value = 7}};
    const DtSignature a = signature_of(2, one), b = signature_of(2, two);
    check(&a, &b, NULL, "tag 2");
    check(&b, &a, NULL, "tag 7");
}

static void test_live_requests(void)
{
    const DtArgument place = {.kind = DT_ARGUMENT_LIVE, .value = 1};
    const DtArgument all = {.kind = DT_ARGUMENT_LIVE, .special = DT_SPECIAL_ALL};
    const DtArgument none = {.kind = DT_ARGUMENT_LIVE, .special = DT_SPECIAL_NO_HANDLE};
    const DtSignature a = signature_of(1, &place), b = signature_of(1, &all), c = signature_of(1, &none);
    check(&a, &b, NULL, "live request 1");
    check(&b, &a, NULL, "all live requests");
    check(&c, &a, NULL, "no request");
}

static void test_ranks(void)
{
    const DtProcess process = {.rank = 3, .world_size = 4};
    const DtArgument near = {.kind = DT_ARGUMENT_TO, .value = 1}, far = {.kind = DT_ARGUMENT_TO, .value = 2};
    DtSignature a = signature_of(1, &near), b = signature_of(1, &far);
    check(&a, &b, &process, "to +1");
    a.communicator = b.communicator = "world";
    check(&a, &b, &process, "to rank 0 (+1)");
    check(&b, &a, NULL, "to +2");
}

static DtArgument counts_of(DtFunctions *functions, gint64 first, gint64 second)
{
    const gint64 values[] = {first, second};
    return (DtArgument){.kind = DT_ARGUMENT_COUNTS, .numbers = dt_functions_intern_numbers(functions, values, 2)};
}

static DtSignature exchange_of(DtFunctions *functions, const char *name, gint64 sent, gint64 taken)
{
    const DtArgument arguments[] = {counts_of(functions, sent, 2), counts_of(functions, taken, 2)};
    DtSignature signature = signature_of(2, arguments);
    signature.function = dt_functions_intern(functions, "libmpi.so", FALSE, name, 0, 0);
    return signature;
}

static void test_taken(void)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    const DtSignature usual = exchange_of(functions, "MPI_Alltoallv", 2, 2);
    const DtSignature took = exchange_of(functions, "MPI_Alltoallv", 2, 3);
    const DtSignature sent = exchange_of(functions, "MPI_Alltoallv", 3, 2);
    const DtSignature both = exchange_of(functions, "MPI_Alltoallv", 3, 3);
    g_assert_true(dt_only_taken_differ(functions, &took, &usual));
    g_assert_false(dt_only_taken_differ(functions, &sent, &usual));
    g_assert_false(dt_only_taken_differ(functions, &both, &usual));
    g_assert_false(dt_only_taken_differ(functions, &usual, &usual));
    DtSignature gathered = signature_of(1, (DtArgument[]){counts_of(functions, 2, 2)}), other = gathered;
    gathered.function = other.function = dt_functions_intern(functions, "libmpi.so", FALSE, "MPI_Gatherv", 0, 0);
    other.arguments[0] = counts_of(functions, 2, 4);
    g_assert_true(dt_only_taken_differ(functions, &gathered, &other));
    gathered.function = other.function = dt_functions_intern(functions, "libmpi.so", FALSE, "MPI_Scatterv", 0, 0);
    g_assert_false(dt_only_taken_differ(functions, &gathered, &other));
}

static void test_varying(void)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    const guint32 write = dt_functions_intern(functions, "libmpi.so", FALSE, "MPI_File_write_at", 0, 0);
    DtArgument offset = {.kind = DT_ARGUMENT_OFFSET, .value = 16};
    DtSignature signature = signature_of(1, &offset);
    signature.function = write;
    dt_functions_intern_signature(functions, &signature);
    g_assert_null(dt_varying_argument(functions));
    signature.arguments[0] = (DtArgument){.kind = DT_ARGUMENT_OFFSET, .special = DT_SPECIAL_VARIES};
    dt_functions_intern_signature(functions, &signature);
    g_autofree char *text = dt_varying_argument(functions);
    g_assert_cmpstr(text, ==, "offset of MPI_File_write_at");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/differing-arguments/by-kind", test_by_kind);
    g_test_add_func("/differing-arguments/several-of-a-kind", test_several_of_a_kind);
    g_test_add_func("/differing-arguments/live-requests", test_live_requests);
    g_test_add_func("/differing-arguments/ranks", test_ranks);
    g_test_add_func("/differing-arguments/taken", test_taken);
    g_test_add_func("/differing-arguments/varying", test_varying);
    return g_test_run();
}
