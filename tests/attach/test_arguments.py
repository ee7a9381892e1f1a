#!/usr/bin/env python3
"""Arguments of calls in processes that run: each that is told is the one that was passed.

The callee says what it was given (mpi_that_tells.c): that is the oracle. Shapes are written by hand (shapes.c) and
made at random here; both compilers, optimised or not, with debug information or without, position independent or not.
"""

import collections
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DIFFTRACE = os.environ["DIFFTRACE"]
COMPILERS = [compiler for compiler in ("gcc", "clang") if shutil.which(compiler)]
WRAPPERS = {"openmpi": "mpicc.openmpi", "mpich": "mpicc.mpich"}
POINTERS = {"communicator", "datatype", "operation"}
SEED = int(os.environ.get("DT_SEED", "1"))
RANDOM_SHAPES = int(os.environ.get("DT_SHAPES", "24"))


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True, timeout=120, **more)


class Maker:
    """Functions that compute what they pass in ways that nobody thought of."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, depth=0):
        pick = self.random.randrange
        names = ["a", "b", "c", "d", "seed", "global_peer", "shared_tag", "world.rank", "world.near.peers[%d]" % pick(4), "local[%d]" % pick(4),
                 "made[0]", "*p"]
        if depth > 2 or pick(3) == 0:
            return self.random.choice(names + [str(pick(100))])
        one, two = self.value(depth + 1), self.value(depth + 1)
        return self.random.choice(["(%s + %s)", "(%s - %s)", "(%s ^ %s)", "(%s & 63) * (%s & 7)", "(%s > %s ? a : b)",
                                   "changed(%s) + %s", "((%s) << 2) + %s", "(short)(%s) + %s"]) % (one, two)

    def statement(self):
        pick = self.random.randrange
        kind = pick(8)
        if kind == 0:
            return "if (%s > %s) { %s }" % (self.value(1), self.value(1), self.statement())
        if kind == 1:
            return "for (int i = 0; i < (a & 7); i++) { local[i & 3] += %s; }" % self.value(1)
        if kind == 2:
            return "p = &local[%d];" % pick(4)
        if kind == 3:
            return "numbers[%s & 63] = changed(%s);" % (self.value(1), self.value(1))
        if kind == 4:
            return "if (%s & 1) goto there;" % self.value(1)
        return "%s = %s;" % (self.random.choice(["a", "b", "c", "d", "local[%d]" % pick(4), "made[%d]" % pick(2)]), self.value())

    def call(self):
        v = ["(%s)" % self.value() for _ in range(6)]
        receive = self.random.choice(["numbers", "local", "&b", "p", "made"])
        return self.random.choice([
            "MPI_Recv(%s, %s, MPI_INT, %s, %s, MPI_COMM_WORLD, &status)" % (receive, *v[:3]),
            "MPI_Send(%s, %s, MPI_DOUBLE, %s, %s, MPI_COMM_WORLD)" % (receive, *v[:3]),
            "MPI_Bcast(%s, %s, MPI_INT, %s, MPI_COMM_WORLD)" % (receive, *v[:2]),
            "MPI_Probe(%s, %s, MPI_COMM_SELF, &status)" % tuple(v[:2]),
            "MPI_Reduce(numbers, %s, %s, MPI_INT, MPI_SUM, %s, MPI_COMM_WORLD)" % (receive, *v[:2]),
            "MPI_Sendrecv(numbers, %s, MPI_INT, %s, %s, %s, %s, MPI_INT, %s, %s, MPI_COMM_WORLD, MPI_STATUS_IGNORE)"
            % (*v[:3], receive, *v[3:6])])

    def function(self, number):
        before = "\n    ".join(self.statement() for _ in range(self.random.randrange(5)))
        after = "\n    ".join(self.statement() for _ in range(self.random.randrange(2)))
        end = self.random.choice(["", "    numbers[5] = a + b + c + local[2];\n", "    changed(local[0] + *p);\n"])
        return ("APART static void made_%d(int a, int b, int c, int d)\n{\n    int local[4] = {a, b, c, seed}, *p = &local[1];\n"
                "    static int made[2] = {3, 4};\n    %s\nthere:\n    if (seed) { %s }\n    %s;\n%s}\n"
                % (number, before, after, self.call(), end))

    def shapes(self, count):
        functions = "".join(self.function(i) for i in range(count))
        calls = " ".join("SHAPE(made_%d(rank + %d, rank * %d, %d, -rank))" % (i, self.random.randrange(9), self.random.randrange(5),
                                                                         self.random.randrange(90)) for i in range(count))
        return functions + "#define MORE " + calls + "\n"


class Arguments(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-arguments-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def build(self, mpi, compiler, flags):
        """The program, with its own libmpi beside it."""
        environment = dict(os.environ, OMPI_CC=compiler, MPICH_CC=compiler)
        with open(self.path("more.h"), "w", encoding="utf-8") as file:
            file.write(Maker(SEED).shapes(RANDOM_SHAPES))
        show = "--showme:compile" if mpi == "openmpi" else "-show"
        include = run([WRAPPERS[mpi], show], env=environment).stdout.split()
        include = [word for word in include if word.startswith("-I")]
        library, program = self.path("libmpi.so"), self.path("shapes")
        run(["gcc", "-std=gnu17", "-O1", "-fno-omit-frame-pointer", "-fPIC", "-shared", *include, "-o", library,
             os.path.join(HERE, "mpi_that_tells.c")])
        run([compiler, "-std=gnu17", "-w", *include, *flags, '-DMORE_SHAPES="%s"' % self.path("more.h"), "-o", program,
             os.path.join(HERE, "shapes.c"), library, "-Wl,-rpath," + self.folder, "-pthread"])
        return program

    def start(self, program):
        """(process, {pid: [(value, name)]}, {pid: call}): all shapes wait."""
        output = open(self.path("told"), "w+", encoding="utf-8")
        self.addCleanup(output.close)
        process = subprocess.Popen([program], stdout=output, stdin=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(process.wait)
        self.addCleanup(process.send_signal, signal.SIGKILL)
        told, before = {}, -1
        for _ in range(200):
            time.sleep(0.05)
            output.seek(0)
            lines = [line.split() for line in output.read().splitlines() if line != "ready"]
            told = {int(line[0]): (line[1], [tuple(word.split("/")) for word in line[2:]]) for line in lines}
            if len(told) == before and before > 20:
                return process, told
            before = len(told)
        self.fail("the shapes did not start")

    def check(self, mpi, compiler, flags, counts):
        process, told = self.start(self.build(mpi, compiler, flags))
        document = json.loads(run([DIFFTRACE, "stack", "--job", str(process.pid), "--json"]).stdout)
        seen = {}
        for stack in document["stacks"]:
            frame = stack["frames"][-1] if stack["frames"] else None
            if frame and stack["pid"] in told and stack["trace"].endswith(".0"):
                seen[stack["pid"]] = frame
        self.assertEqual(set(told) - set(seen), set())
        for pid, (call, given) in told.items():
            self.assertEqual(seen[pid]["function"], call, (mpi, compiler, flags))
            counts["all"] += sum(1 for _ in given)
            for argument in seen[pid].get("arguments", []):
                self.compare(argument, given[argument["parameter"] - 1], (mpi, compiler, flags, call, given, document and
                                                                            [s for s in document["stacks"] if s["pid"] == pid]))
                counts[argument["name"]] += 1
            counts["calls"] += 1
        process.send_signal(signal.SIGKILL)
        process.wait()

    def compare(self, argument, given, where):
        value, name = given
        if argument["name"] in POINTERS:
            if argument["value"].startswith("0x"):
                mask = 0xffffffff if where[0] == "mpich" else 0xffffffffffffffff
                self.assertEqual(int(argument["value"], 16) & mask, int(value) & mask, where)
            else:
                self.assertEqual(argument["value"], name, where)
        else:
            self.assertEqual(argument["value"] & 0xffffffff, int(value) & 0xffffffff, (argument, where))

    def test_what_is_told_is_right(self):
        wrappers = [mpi for mpi, wrapper in WRAPPERS.items() if shutil.which(wrapper)]
        if not wrappers or not COMPILERS:
            self.skipTest("no MPI's mpi.h")
        rows = {}
        for mpi, compiler, level, debug in itertools.product(wrappers, COMPILERS, ("-O0", "-O2", "-O3"), ("-g", "-g0")):
            pie = ["-fno-pie", "-no-pie"] if level == "-O2" and debug == "-g0" else ["-fPIE", "-pie"]
            counts = collections.Counter()
            with self.subTest(mpi=mpi, compiler=compiler, level=level, debug=debug):
                self.check(mpi, compiler, [level, debug, *pie], counts)
            rows[mpi, compiler, level, debug] = counts
        for row, counts in rows.items():
            print(*row, *("%s %d" % pair for pair in sorted(counts.items())))
            # That nothing is told would be right as well, and worth nothing.
            self.assertGreater(counts["source"] + counts["destination"], counts["calls"] / 8, row)
            self.assertGreater(counts["communicator"], counts["calls"] / 3, row)


if __name__ == "__main__":
    unittest.main(verbosity=2)
