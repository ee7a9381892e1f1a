"""compare under an MPI launcher: what all ranks make together is what one process makes, byte by byte."""

import os
import re
import shutil
import subprocess
import unittest

from e2e_support import DIFFTRACE, MPICH, OPEN_MPI, EndToEnd, contents, environment, execute, main, own_lines

SYNTH = os.environ["DIFFTRACE_SYNTH"]
SHAPE = ("--ranks", "24", "--threads", "2", "--classes", "7", "--events", "3000")


class Ranks(EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.mpis = [mpi for mpi in (OPEN_MPI, MPICH) if shutil.which(mpi.launcher)]
        if not cls.mpis:
            raise unittest.SkipTest("no MPI")

    def setUp(self):
        super().setUp()
        for name, more in (("normal", ()), ("faulty", ("--noise", "0.05", "--fault", "5"))):
            subprocess.run([SYNTH, *SHAPE, *more, "-o", self.path(name)], check=True, timeout=60)

    def compare(self, *launcher, status=0, program=DIFFTRACE, arguments=("normal", "faulty")):
        result = execute([*launcher, program, "compare", *arguments], cwd=self.folder, env=environment(TMPDIR="/tmp"))
        if status is not None:
            self.assertEqual(result.returncode, status, result.stdout[-2000:] + result.stderr[-2000:])
        return result

    def ranks(self, mpi, count):
        return [mpi.launcher, *mpi.options, "-n", str(count)]

    def test_same_as_one_process(self):
        alone = self.compare()
        expected = contents(self.path("difftrace.out"))
        self.assertIn("5.0 is the prime suspect", alone.stdout)
        self.assertIn("report.html", expected)
        for mpi in self.mpis:
            for count in (1, 2, 4):
                with self.subTest(mpi=mpi.name, ranks=count):
                    shutil.rmtree(self.path("difftrace.out"))
                    together = self.compare(*self.ranks(mpi, count))
                    self.assertEqual(together.stdout, alone.stdout)
                    self.assertEqual(own_lines(together.stderr), own_lines(alone.stderr))
                    self.assertEqual(contents(self.path("difftrace.out")), expected)

    def test_other_forms(self):
        for form in ("count-blind", "call-tree"):
            arguments = ("normal", "faulty", "--nlr", form, "--filter", "all")
            self.compare(arguments=arguments)
            expected = contents(self.path("difftrace.out"))
            shutil.rmtree(self.path("difftrace.out"))
            for mpi in self.mpis:
                with self.subTest(mpi=mpi.name, form=form):
                    self.compare(*self.ranks(mpi, 2), arguments=arguments)
                    self.assertEqual(contents(self.path("difftrace.out")), expected)
                    shutil.rmtree(self.path("difftrace.out"))

    def test_one_line(self):
        """Errors of all ranks and of one alone, in one line, by rank 0; nothing is written."""
        bad = "if [ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 2 ]; then cd /; fi; exec \"$0\" \"$@\""
        unlike = "exec \"$0\" \"$@\" -o out.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
        for mpi in self.mpis:
            ranks = self.ranks(mpi, 4)
            for launcher, arguments, line in (
                    (ranks, ("nowhere", "faulty"), "difftrace: nowhere: no such directory"),
                    (ranks, ("normal", "faulty", "--filter", "nonsense"), "difftrace: filter 'nonsense'"),
                    ([*ranks, "sh", "-c", bad], ("normal", "faulty"),
                     "difftrace: normal: no such directory (on rank 2)"),
                    ([*ranks, "sh", "-c", unlike], ("normal", "faulty"),
                     "difftrace: the ranks were not all started with the same arguments")):
                with self.subTest(mpi=mpi.name, line=line):
                    result = self.compare(*launcher, status=None, arguments=arguments)
                    self.assertNotEqual(result.returncode, 0)
                    lines = own_lines(result.stderr)
                    self.assertEqual(len(lines), 1, result.stderr)
                    self.assertTrue(lines[0].startswith(line), lines[0])
                    self.assertEqual(sorted(os.listdir(self.folder)), ["faulty", "normal"])

    def test_status(self):
        """That of rank 0."""
        for mpi in self.mpis:
            self.compare(*self.ranks(mpi, 2), status=1, arguments=("normal", "faulty", "--exit-code"))

    def test_no_plugin(self):
        bare = self.path("bare")
        os.mkdir(bare)
        program = shutil.copy(DIFFTRACE, bare)
        shutil.copy(os.path.join(os.path.dirname(DIFFTRACE), "difftrace-analysis.so"), bare)
        for mpi in self.mpis:
            result = self.compare(*self.ranks(mpi, 2), status=None, program=program)
            self.assertNotEqual(result.returncode, 0)
            lines = own_lines(result.stderr)
            self.assertEqual(len(lines), 1, result.stderr)
            self.assertRegex(lines[0], r"but no difftrace-mpi(-mpich)?\.so in %s or .*; .* lib(openmpi|mpich)-dev is, brings it" %
                             re.escape(bare))


if __name__ == "__main__":
    main()
