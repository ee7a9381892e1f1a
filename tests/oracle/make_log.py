#!/usr/bin/env python3
"""Writes a library that stands between a program and its MPI and writes down each call: make_log.py MPICC > log.c.

Made from mpi.h alone, by the types and names of parameters: it knows nothing of difftrace, nor of its table of calls. Each
process writes DIFFTRACE_ORACLE/RANK: a line a call, of the calls that no other call of MPI makes. What is behind `>` is how
it was when the call had returned."""

import re
import sys

from mpi_header import mpi_functions

NOT_CALLS = re.compile(r"_(c2f|f2c|f2f08|f082f|c2f08|f082c)$")
NUMBERS = {"int", "MPI_Aint", "MPI_Offset", "MPI_Count"}
NUMBERS_OUT = {"flag", "index", "indx", "outcount", "provided"}
CONSTRUCTORS = {name + large for large in ("", "_c") for name in (
    "Type_contiguous", "Type_vector", "Type_create_hvector", "Type_hvector", "Type_indexed", "Type_create_hindexed", "Type_hindexed",
    "Type_create_indexed_block", "Type_create_hindexed_block", "Type_create_struct", "Type_struct", "Type_create_subarray",
    "Type_create_darray", "Type_create_resized", "Type_dup")}
GONE = {"Comm_free", "Comm_disconnect", "Type_free", "Win_free", "File_close", "Op_free", "Group_free"}

HEAD = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int depth;
static FILE *file;
static char *text;
static size_t text_bytes;
static FILE *line;

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(line, format, arguments);
    va_end(arguments);
}

static int alive(void)
{
    int begun = 0, ended = 0;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&ended);
    return begun && !ended;
}

static void begin(const char *name)
{
    line = open_memstream(&text, &text_bytes);
    say("%s", name);
}

static void say_constants(void)
{
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    unsigned long long handles[2] = {0};
    memcpy(&handles[0], &world, sizeof world);
    memcpy(&handles[1], &self, sizeof self);
    fprintf(file, "constants world=%llx self=%llx any_source=%d any_tag=%d proc_null=%d root=%d undefined=%d", handles[0], handles[1],
            MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL, MPI_ROOT, MPI_UNDEFINED);
    fprintf(file, " nocheck=%d noprecede=%d noput=%d nostore=%d nosucceed=%d exclusive=%d shared=%d set=%d cur=%d end=%d", MPI_MODE_NOCHECK,
            MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED, MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED, MPI_SEEK_SET,
            MPI_SEEK_CUR, MPI_SEEK_END);
    fprintf(file, " fortran_order=%d", MPI_ORDER_FORTRAN);
    fprintf(file, " single=%d funneled=%d serialized=%d multiple=%d\n", MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
            MPI_THREAD_MULTIPLE);
}

static void end(int result)
{
    int class = result;
    if (result > 0 && result <= MPI_ERR_LASTCODE && alive())
        PMPI_Error_class(result, &class);
    say(" result=%d\n", class);
    fclose(line);
    if (!file && alive()) {
        char path[4096];
        int rank = 0;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(path, sizeof path, "%s/%d", getenv("DIFFTRACE_ORACLE") ? getenv("DIFFTRACE_ORACLE") : ".", rank);
        file = fopen(path, "w");
        if (file)
            say_constants();
    }
    if (file) {
        fwrite(text, 1, text_bytes, file);
        fflush(file);
        if (strncmp(text, "Finalize ", 9) == 0)
            fclose(file);
    }
    free(text);
}

static unsigned long long bits(const void *handle, size_t bytes)
{
    unsigned long long value = 0;
    memcpy(&value, handle, bytes);
    return value;
}
#define BITS(handle) bits(&(handle), sizeof(handle))

static int size_of(MPI_Comm comm)
{
    int inter = 0, size = 0;
    if (comm == MPI_COMM_NULL)
        return 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

static void say_comm(const char *name, MPI_Comm comm, int with_size)
{
    int rank = -1, inter = 0;
    if (comm == MPI_COMM_NULL) {
        say(" %s=null", name);
    } else if (!with_size) {
        say(" %s=%llx", name, BITS(comm));
    } else {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Comm_test_inter(comm, &inter);
        say(" %s=%llx:%d:%d:%d", name, BITS(comm), rank, size_of(comm), inter);
    }
}

static long long bytes_of(MPI_Datatype type)
{
    MPI_Count size = -1;
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_size_x(type, &size);
    return (long long)size;
}

static void say_basic(MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    if (type != MPI_DATATYPE_NULL && PMPI_Type_get_name(type, name, &length) == MPI_SUCCESS && strncmp(name, "MPI_", 4) == 0)
        say(":%s", name);
}

static void say_type(const char *name, MPI_Datatype type)
{
    say(" %s=%llx:%lld", name, BITS(type), bytes_of(type));
    say_basic(type);
}

static void say_types(const char *name, const MPI_Datatype *types, int count)
{
    say(" %s=[", name);
    for (int i = 0; types && i < count; i++)
        say("%s%lld", i ? "," : "", bytes_of(types[i]));
    say("]");
}

static void say_type_list(const char *name, const MPI_Datatype *types, long long count)
{
    say(" %s=[", name);
    for (long long i = 0; i < count; i++) {
        say("%s%llx", i ? "," : "", BITS(types[i]));
        say_basic(types[i]);
    }
    say("]");
}

static void say_op(const char *name, MPI_Op op)
{
    const struct {
        MPI_Op op;
        const char *name;
    } known[] = {{MPI_MAX, "max"}, {MPI_MIN, "min"}, {MPI_SUM, "sum"}, {MPI_PROD, "prod"}, {MPI_LAND, "land"}, {MPI_BAND, "band"},
                 {MPI_LOR, "lor"}, {MPI_BOR, "bor"}, {MPI_LXOR, "lxor"}, {MPI_BXOR, "bxor"}, {MPI_MINLOC, "minloc"},
                 {MPI_MAXLOC, "maxloc"}, {MPI_REPLACE, "replace"}, {MPI_NO_OP, "no_op"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].op == op) {
            say(" %s=%s", name, known[i].name);
            return;
        }
    say(" %s=%llx", name, BITS(op));
}

static void say_group(const char *name, MPI_Group group)
{
    int size = 0;
    MPI_Group world;
    if (group == MPI_GROUP_NULL) {
        say(" %s=null", name);
        return;
    }
    PMPI_Group_size(group, &size);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    say(" %s=[", name);
    for (int i = 0; i < size; i++) {
        int rank;
        PMPI_Group_translate_ranks(group, 1, &i, world, &rank);
        say("%s%d", i ? "," : "", rank == MPI_UNDEFINED ? -1 : rank);
    }
    say("]");
    PMPI_Group_free(&world);
}

static void say_buffer(const char *name, const void *buffer)
{
    if (buffer == MPI_IN_PLACE)
        say(" %s=in_place", name);
    else
        say(" %s=buffer", name);
}

static void say_ints(const char *name, const void *numbers, long long count, size_t bytes)
{
    say(" %s=[", name);
    for (long long i = 0; numbers && i < count; i++)
        say("%s%lld", i ? "," : "", bytes == 4 ? (long long)((const int32_t *)numbers)[i] : (long long)((const int64_t *)numbers)[i]);
    say("]");
}

static void say_requests(const char *name, MPI_Request *requests, long long count)
{
    say(" %s=[", name);
    for (long long i = 0; requests && i < count; i++) {
        say("%s%llx@%llx", i ? "," : "", requests[i] == MPI_REQUEST_NULL ? 0ull : BITS(requests[i]), (unsigned long long)(uintptr_t)&requests[i]);
    }
    say("]");
}

static void say_statuses(const char *name, const MPI_Status *statuses, long long count)
{
    if (statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE)
        return;
    say(" %s=[", name);
    for (long long i = 0; i < count; i++)
        say("%s%d:%d", i ? "," : "", statuses[i].MPI_SOURCE, statuses[i].MPI_TAG);
    say("]");
}

static int is_root(int root, MPI_Comm comm)
{
    int rank, inter;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_test_inter(comm, &inter);
    return root == MPI_ROOT || (!inter && root == rank);
}

static int neighbours(MPI_Comm comm, int out)
{
    int kind, rank, from = 0, to = 0, weighted;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &from);
        return 2 * from;
    }
    if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &from);
        return from;
    }
    PMPI_Dist_graph_neighbors_count(comm, &from, &to, &weighted);
    return out ? to : from;
}

static int dimensions(MPI_Comm comm)
{
    int count = 0;
    PMPI_Cartdim_get(comm, &count);
    return count;
}

static long long sum(const int *numbers, int count)
{
    long long all = 0;
    for (int i = 0; i < count; i++)
        all += numbers[i];
    return all;
}
"""


def length(name, parameter, names):
    """How many elements an array has, in C; None: it is not to be read."""
    neighbour = "neighbor" in name.lower()
    rooted = "root" in names
    if parameter in ("sendcounts", "sendtypes"):
        return "neighbours(comm, 1)" if neighbour else "(is_root(root, comm) ? size_of(comm) : 0)" if rooted else "size_of(comm)"
    if parameter in ("recvcounts", "recvtypes"):
        return "neighbours(comm, 0)" if neighbour else "(is_root(root, comm) ? size_of(comm) : 0)" if rooted else "size_of(comm)"
    constructors = {"array_of_blocklengths": "count", "array_of_block_lengths": "count", "array_of_displacements": "count", "array_of_types": "count"}
    constructors.update(dict.fromkeys(("array_of_sizes", "array_of_subsizes", "array_of_starts", "array_of_gsizes", "array_of_distribs",
                                       "array_of_dargs", "array_of_psizes", "gsize_array", "distrib_array", "darg_array", "psize_array",
                                       "size_array", "subsize_array", "start_array"), "ndims"))
    if parameter in constructors:
        return constructors[parameter] if constructors[parameter] in names else None
    simple = {"dims": "ndims", "periods": "ndims", "remain_dims": "dimensions(comm)", "ranks": "n",
              "degrees": "n", "nodes": "n", "targets": "sum(degrees, n)", "sources": "indegree" if "indegree" in names else "n",
              "destinations": "outdegree" if "outdegree" in names else "sum(degrees, n)",
              "index": "nnodes" if "nnodes" in names else None, "indx": "nnodes" if "nnodes" in names else None, "edges": "(nnodes > 0 ? {0}[nnodes - 1] : 0)".format("indx" if "indx" in names else "index"),
              "array_of_partitions": "length", "coords": "dimensions(comm)"}
    return simple.get(parameter)


def before(name, written, called, names):
    array = written.endswith("[]") or written in ("int*", "MPI_Count*", "MPI_Aint*")
    if called in ("maxdims", "errorcode") and name in ("Cart_get", "Error_class", "Error_string"):
        return ""
    if written in NUMBERS:
        return 'say(" %s=%%lld", (long long)%s);' % (called, called)
    if written == "MPI_Comm":
        return 'say_comm("%s", %s, %d);' % (called, called, called != "peer_comm")
    if written == "MPI_Datatype":
        return 'if (%s) say_type("%s", %s);' % ("is_root(root, comm)" if "root" in names and called in root_only(name) else "1", called, called)
    if called == "array_of_types" and name in CONSTRUCTORS:
        return 'say_type_list("%s", %s, %s);' % (called, called, length(name, called, names))
    if written == "MPI_Datatype*" and name == "Type_free":
        return 'say(" %s=%%llx", BITS(*%s));' % (called, called)
    if written == "MPI_Datatype[]" and length(name, called, names):
        other = {"sendtypes": "sendbuf"}.get(called)
        guard = "if (%s != MPI_IN_PLACE) " % other if other else ""
        return guard + 'say_types("%s", %s, %s);' % (called, called, length(name, called, names))
    if written == "MPI_Op":
        return 'say_op("%s", %s);' % (called, called)
    if written == "MPI_Group":
        return 'say_group("%s", %s);' % (called, called)
    if written in ("MPI_Win", "MPI_File"):
        return 'say(" %s=%%llx", BITS(%s));' % (called, called)
    if written in ("MPI_Win*", "MPI_File*", "MPI_Comm*") and name in GONE:
        return 'say(" %s=%%llx", BITS(*%s));' % (called, called)
    if written == "MPI_Request*" and name in ("Wait", "Test", "Start", "Cancel", "Request_free"):
        return 'say_requests("%s", %s, 1);' % (called, called)
    if written == "MPI_Request[]":
        return 'say_requests("%s", %s, %s);' % (called, called, names[0])
    if written == "void*" and "buf" in called or called in ("origin_addr", "result_addr"):
        return 'say_buffer("%s", %s);' % (called, called)
    if called == "ranges":
        return 'say_ints("%s", %s, 3 * (long long)n, 4);' % (called, called)
    if array and length(name, called, names) and not (called == "coords" and name not in ("Cart_rank",)) and name not in (
            "Cart_get", "Graph_get", "Dims_create", "Dist_graph_neighbors", "Graph_neighbors"):
        guard = "if (sendbuf != MPI_IN_PLACE) " if called == "sendcounts" and "sendbuf" in names and "root" not in names else ""
        return guard + 'say_ints("%s", %s, %s, sizeof *%s);' % (called, called, length(name, called, names), called)
    return ""


def root_only(name):
    return ("recvtype",) if "ather" in name else ("sendtype",) if "catter" in name and "educe" not in name else ()


def after(name, written, called, names):
    if written in ("MPI_Comm*",) and name not in GONE:
        return 'say_comm(">%s", *%s, %d);' % (called, called, "idup" not in name)
    if written == "MPI_Datatype*" and name in CONSTRUCTORS:
        return 'say(" >newtype=%%llx", BITS(*%s));' % called
    if written in ("MPI_Win*", "MPI_File*") and name not in GONE:
        return 'say(" >%s=%%llx", BITS(*%s));' % (called, called)
    if written == "MPI_Request*":
        return 'say_requests(">%s", %s, 1);' % (called, called)
    if written == "MPI_Request[]":
        return 'say_requests(">%s", %s, %s);' % (called, called, names[0])
    if written == "MPI_Status*":
        return 'say_statuses(">%s", %s, 1);' % (called, called)
    if written == "MPI_Status[]":
        return 'say_statuses(">%s", %s, %s);' % (called, called, "*outcount > 0 ? *outcount : 0" if "outcount" in names else names[0])
    if written == "int*" and called in NUMBERS_OUT and name[:2] != "T_" and name not in ("Graph_create", "Graph_map", "Graph_get"):
        return 'say(" >%s=%%d", *%s);' % (called, called)
    if called == "array_of_indices":
        return 'say_ints(">%s", %s, *outcount, 4);' % (called, called)
    return ""


def wrapper(name, parameters):
    names = [called for _, _, called in parameters]
    declared = ", ".join(text for text, _, _ in parameters) or "void"
    lines = ["int MPI_%s(%s)" % (name, declared), "{",
             "    if (depth++) {",
             "        int inner = PMPI_%s(%s);" % (name, ", ".join(names)), "        depth--;", "        return inner;", "    }",
             '    begin("%s");' % name]
    told = [before(name, written, called, names) for _, written, called in parameters]
    if name[:2] != "T_" and any(told):
        lines += ["    if (alive()) {"] + ["        " + line for line in told if line] + ["    }"]
    if name == "Init_thread":
        lines.append('    say(" required=%d", required);')
    lines += ["    int outcome_ = PMPI_%s(%s);" % (name, ", ".join(names))]
    told = [after(name, written, called, names) for _, written, called in parameters]
    if name[:2] != "T_" and any(told):
        lines += ["    if (outcome_ == MPI_SUCCESS && alive()) {"] + ["        " + line for line in told if line] + ["    }"]
    if name == "Finalize":
        lines[8:] = ['    end(0);', '    int outcome_ = PMPI_Finalize();', '    depth--;', '    return outcome_;', '}']
        return "\n".join(lines)
    return "\n".join(lines + ["    end(outcome_);", "    depth--;", "    return outcome_;", "}"])


def main():
    print(HEAD)
    for name, (result, parameters) in sorted(mpi_functions(sys.argv[1]).items()):
        if result == "int" and not NOT_CALLS.search(name) and all(called for _, _, called in parameters):
            print(wrapper(name, parameters))
            print()


main()
