#!/usr/bin/env python3
"""The table of calls against what it describes: both mpi.h, pthread.h, omp.h, and the symbols of the libraries."""

import os
import re
import shutil
import subprocess
import unittest

COMPILER = os.environ.get("CC", "cc")
# MPI 4 names them; neither MPI declares them yet.
IN_NO_HEADER = {"Session_c2f", "Session_f2c"}
# Of gcc's runtime for itself and its plug-ins, of LLVM for atomic operations on each type, and what is no function.
OTHER_SYMBOLS = re.compile(r"^GOMP_PLUGIN_|^GOMP_[0-9.]+$|^__kmpc_atomic_(?!start$|end$)|_mem_(alloc|space)$|^omp_null_allocator$")
# What a handle's type says about its parameter; behind the star: a pointer to it.
KINDS_OF_TYPES = {
    "MPI_Comm": {"COMM", "PEER_COMM"},
    "MPI_Comm*": {"COMM_MADE", "COMM_MADE_LATER", "COMM_FREED", "COMM_OUT"},
    "MPI_Datatype": {"DATATYPE", "OTHER_DATATYPE"},
    "MPI_Datatype*": {"DATATYPE_MADE", "DATATYPE_FREED", "DATATYPE_AT", "DATATYPE_OUT"},
    "MPI_Op": {"OPERATION"},
    "MPI_Op*": {"OPERATION_MADE", "OPERATION_FREED"},
    "MPI_Group": {"GROUP"},
    "MPI_Group*": {"GROUP_MADE", "GROUP_FREED"},
    "MPI_Request": {"REQUEST"},
    "MPI_Request*": {"REQUEST_AT", "REQUEST_FREED", "REQUEST_MADE", "PERSISTENT_REQUEST_MADE"},
    "MPI_Request[]": {"REQUESTS"},
    "MPI_Status*": {"STATUS", "STATUS_GIVEN"},
    "MPI_Status[]": {"STATUSES"},
    "MPI_Win": {"WINDOW"},
    "MPI_Win*": {"WINDOW_MADE", "WINDOW_FREED"},
    "MPI_File": {"FILE"},
    "MPI_File*": {"FILE_MADE", "FILE_FREED"},
    "MPI_Info": {"INFO"},
    "MPI_Info*": {"INFO_MADE", "INFO_FREED"},
    "MPI_Errhandler": {"ERRHANDLER"},
    "MPI_Errhandler*": {"ERRHANDLER_MADE", "ERRHANDLER_FREED"},
    "MPI_Message": {"MESSAGE"},
    "MPI_Message*": {"MESSAGE_MADE", "MESSAGE_AT"},
    "MPI_Session": {"SESSION"},
    "MPI_Session*": {"SESSION_MADE", "SESSION_FREED"},
    "MPI_Offset": {"OFFSET", "SIZE"},
    "MPI_Offset*": {"OFFSET_OUT", "SIZE_OUT"},
}
KINDS_OF_NAMES = {"dest": {"DESTINATION"}, "root": {"ROOT"}, "target_rank": {"TARGET"}, "tag": {"TAG", "LEADER_TAG"},
                  "sendtag": {"TAG"}, "recvtag": {"TAG"}, "errorcode": {"ERROR_CODE", "ERROR_CODE_OUT"},
                  "sendcounts": {"COUNTS"}, "recvcounts": {"COUNTS"}, "sdispls": {"DISPLACEMENTS"},
                  "rdispls": {"DISPLACEMENTS"}, "displs": {"DISPLACEMENTS"}}


def kind_names():
    with open(os.environ["DT_CALLS_H"], encoding="utf-8") as file:
        return re.findall(r"^    DT_PARAMETER_(\w+),?(?: |$)", file.read(), re.MULTILINE)


def properties():
    with open(os.environ["DT_CALLS_H"], encoding="utf-8") as file:
        return {name: 1 << int(bit) for name, bit in re.findall(r"DT_CALL_(\w+) = 1 << (\d+)", file.read())}


def table():
    """{class: {name: (properties, [kind])}}"""
    kinds, rows = kind_names(), {}
    text = subprocess.run([os.environ["DT_DUMP_CALLS"]], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        of_class, name, bits, parameters = line.split("\t")
        rows.setdefault(of_class, {})[name] = (int(bits), [kinds[int(kind)] for kind in parameters.split()])
    return rows


def split(parameters):
    parts, depth, part = [], 0, ""
    for letter in parameters:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    parts += [part.strip()] if part.strip() else []
    return [] if parts == ["void"] else parts


def declarations(header, options=()):
    """The text of what a header declares; None: there is no such header."""
    run = subprocess.run([COMPILER, "-D_GNU_SOURCE", "-E", "-P", "-x", "c", *options, "-"], input=f"#include <{header}>\n",
                         capture_output=True, text=True)
    if run.returncode != 0:
        return None
    nested = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
    return re.sub(r"__attribute__\s*" + nested, "", run.stdout)


def prototypes(pattern, header, options=()):
    """{name: [parameter]} of what a header declares; None: there is no such header."""
    text = declarations(header, options)
    return text and {name: split(parameters) for name, parameters in
            re.findall(r"\b(" + pattern + r")\s*\(((?:[^();]|\([^()]*\))*)\)[^;{}]*;", text)}


def include_options(compiler):
    words = subprocess.run([compiler, "-show"], capture_output=True, text=True).stdout.split()
    return [word for word in words if word.startswith("-I")]


def mpi_results(compiler):
    """{name: type} of what MPI's functions return."""
    text = declarations("mpi.h", include_options(compiler))
    return {name[4:]: kind for kind, name in re.findall(r"\b(\w+)\s+(MPI_\w+)\s*\(", text)}


def mpi_prototypes(compiler):
    if not shutil.which(compiler):
        return None
    found = prototypes(r"MPI_\w+", "mpi.h", include_options(compiler))
    return found and {name[4:]: parameters for name, parameters in found.items()
                      if not name.endswith(("_fn", "_function")) and name != "MPI_Aint"}


def type_and_name(parameter):
    match = re.match(r"(.*?)(\w+)((?:\[\d*\])*)$", re.sub(r"\s+", " ", parameter))
    if not match:
        return "", ""
    kind, name, array = match.groups()
    kind = kind.replace("const ", "").replace(" ", "")
    if array or name.startswith("array_of_"):
        kind = kind.rstrip("*") + "[]"
    return kind, name


def exported(library):
    """Names that a library defines; None: it is not installed."""
    path = subprocess.run([COMPILER, "-print-file-name=" + library], capture_output=True, text=True).stdout.strip()
    if not os.path.isabs(path):
        return None
    lines = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True).stdout.splitlines()
    return {line.split()[2].split("@")[0] for line in lines if line.split()[1] in "TWi"}


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = table()
        cls.bits = properties()

    def row(self, name):
        """The row of an MPI function, also of its variant with large counts."""
        rows = self.rows["mpi"]
        if name in rows or not name.endswith("_c") or name[:-2] not in rows:
            return rows.get(name)
        return rows[name[:-2]] if rows[name[:-2]][0] & self.bits["LARGE_VARIANT"] else None

    def mpis(self):
        found = {compiler: mpi_prototypes(compiler) for compiler in ("mpicc.openmpi", "mpicc.mpich")}
        found = {compiler: declared for compiler, declared in found.items() if declared}
        if not found:
            self.skipTest("no mpi.h")
        for declared in found.values():
            self.assertGreater(len(declared), 380)
        return found

    def check_counts(self, declared, of_class):
        rows = self.rows[of_class]
        wrong = [(name, parameters, rows[name][1]) for name, parameters in declared.items()
                 if name in rows and len(parameters) != len(rows[name][1])]
        self.assertEqual(wrong, [])

    def test_mpi_functions_have_rows(self):
        for compiler, declared in self.mpis().items():
            self.assertEqual([name for name in declared if not self.row(name)], [], compiler)

    def test_mpi_rows_are_functions(self):
        found = self.mpis()
        if len(found) < 2:
            self.skipTest("not both mpi.h")
        known = set().union(*found.values())
        self.assertEqual({name for name in self.rows["mpi"] if name not in known}, IN_NO_HEADER)
        large = [name for name, (bits, _) in self.rows["mpi"].items() if bits & self.bits["LARGE_VARIANT"]]
        self.assertEqual([name for name in large if name + "_c" not in known], [])

    def test_mpi_results(self):
        for compiler in self.mpis():
            for name, kind in mpi_results(compiler).items():
                # Fortran's handles are ints, too.
                gives_value = kind != "int" or (name.endswith(("_c2f", "_f2c")) and not name.startswith("Status_"))
                if self.row(name):
                    self.assertEqual(gives_value, bool(self.row(name)[0] & self.bits["VALUE"]), (compiler, name, kind))

    def test_mpi_parameters(self):
        for declared in self.mpis().values():
            for name, parameters in declared.items():
                if not self.row(name):
                    continue
                kinds = self.row(name)[1]
                self.assertEqual(len(parameters), len(kinds), (name, parameters, kinds))
                for parameter, kind in zip(parameters, kinds):
                    written, called = type_and_name(parameter)
                    expected = KINDS_OF_TYPES.get(written) or KINDS_OF_NAMES.get(called)
                    # MPICH calls the source of MPI_Precv_init "dest".
                    if expected and not name.endswith(("_c2f", "_f2c")) and (name, called) != ("Precv_init", "dest"):
                        self.assertIn(kind, expected, (name, parameter))

    def test_pthreads(self):
        declared = prototypes(r"(?:pthread|sem)_\w+", "pthread.h", ["-include", "semaphore.h", "-include", "signal.h"])
        self.assertGreater(len(declared), 100)
        self.check_counts(declared, "pthread")
        self.check_counts(declared, "system")
        symbols = exported("libc.so.6")
        if not any(name.startswith("pthread_mutex_") for name in symbols or ()):
            self.skipTest("pthreads are not in libc")
        of_libc = {name for name in symbols if name.startswith("pthread_")}
        self.assertEqual(of_libc ^ set(self.rows["pthread"]), set())

    def test_openmp(self):
        declared = prototypes(r"omp_\w+", "omp.h", ["-fopenmp"])
        if declared:
            self.check_counts(declared, "openmp")
        symbols = {library: exported(library) for library in ("libgomp.so.1", "libomp.so.5")}
        names = {name for found in symbols.values() for name in found or ()
                 if re.match(r"GOMP_|omp_|__kmpc_", name) and not name.endswith("_") and not OTHER_SYMBOLS.search(name)}
        rows = self.rows["openmp"]
        self.assertEqual(sorted(names - set(rows)), [])
        for prefix, library in (("GOMP_", "libgomp.so.1"), ("__kmpc_", "libomp.so.5")):
            if symbols[library]:
                self.assertEqual([name for name in rows if name.startswith(prefix) and name not in symbols[library]], [])

    def test_ends(self):
        symbols = set().union(*(exported(library) or () for library in ("libc.so.6", "libgfortran.so.5", "libstdc++.so.6")))
        shown = {"std::terminate", "std::terminate()"}
        missing = {name for name in self.rows["end"] if name not in symbols} - shown
        self.assertEqual({name for name in missing if not name.startswith(("_gfortran_", "_Z"))}, set())
        if "_gfortran_stop_string" in symbols:
            self.assertEqual({name for name in missing if name.startswith("_gfortran_")}, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
