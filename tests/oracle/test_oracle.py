#!/usr/bin/env python3
"""Every call that an mpi.h declares, and programs, against the library of make_log.py: test_oracle.py MPI COMPILER."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import make_zoo
import oracle

MPI, COMPILER = sys.argv[1:3]
SUFFIX = {"openmpi": "", "mpich": ".mpich"}[MPI]


def built(folder, name):
    return os.path.join(os.environ[folder], name)


@unittest.skipUnless(shutil.which(oracle.LAUNCHERS[MPI][0]), "no launcher")
class Oracle(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-oracle-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def check(self, ranks, command, least_calls):
        calls, functions, differences = oracle.check(MPI, ranks, command, self.folder)
        self.assertEqual(differences, [], "\n".join(differences[:5]))
        self.assertGreaterEqual(calls, least_calls)
        return functions

    def test_zoo(self):
        """The calls that the zoo does not make are named, with the reason; all others are compared."""
        program = built("DIFFTRACE_ORACLES", "zoo-" + MPI)
        functions = self.check(4, [program, os.path.join(self.folder, "file")], 2000)
        declared = make_zoo.calls_of(COMPILER)
        left_out = {name for name in declared if name.removesuffix("_c") in make_zoo.LEFT_OUT}
        values = {name for name in declared if name.startswith(("Aint_", "Wti"))}  # no error code: not written down
        self.assertEqual(declared - functions, left_out | values)

    def test_programs(self):
        for ranks, command, least in ((4, [built("DIFFTRACE_EXAMPLES", "oddeven" + SUFFIX)], 30),
                                      (3, [built("DIFFTRACE_EXAMPLES", "ilcs-tsp" + SUFFIX)], 20)):
            if os.path.exists(command[0]):
                with self.subTest(program=os.path.basename(command[0])):
                    self.check(ranks, command, least)

    def test_a_wrong_argument_is_found(self):
        """The comparison can fail: a log with another tag, and one with a call too few."""
        program = built("DIFFTRACE_EXAMPLES", "oddeven" + SUFFIX)
        if not os.path.exists(program):
            self.skipTest("no example")
        self.check(2, [program], 10)
        logs = os.path.join(self.folder, "logs")
        with open(os.path.join(logs, "0"), encoding="ascii") as file:
            lines = file.readlines()
        for changed in ([line.replace("tag=0", "tag=1") for line in lines], lines[:-2] + lines[-1:]):
            with open(os.path.join(logs, "0"), "w", encoding="ascii") as file:
                file.writelines(changed)
            found = oracle.compare.compare_rank(os.environ["DIFFTRACE"], os.path.join(self.folder, "run"), logs, "0")[2]
            self.assertNotEqual(found, [])


if __name__ == "__main__":
    subprocess.run([COMPILER, "-show"], stdout=subprocess.DEVNULL, check=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
