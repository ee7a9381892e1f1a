"""Generated programs of real ones: every mpicc compiles them without a warning, and their traces have the skeletons of the programs.
With --long all with each MPI; else a part."""

import os
import shutil
import sys

from e2e_support import MPIS, EndToEnd, app, example, execute, main

LONG = "--long" in sys.argv
WARNINGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]

# Name, ranks, arguments.
PROGRAMS = [("oddeven", 8, ()), ("mpi-deadlock", 4, ("none",)), ("fortran-mpif", 4, ())] + [
    ("fault-" + name, 4, ("--steps", "4")) for name in ("stencil2d", "halo3d", "pipeline", "transpose", "fft", "cg", "samplesort", "particles")]


class Generated(EndToEnd):
    def available(self):
        return [mpi for mpi in MPIS if mpi.available() and shutil.which("mpicc." + mpi.name)]

    def skeleton(self, run):
        return self.difftrace("skeleton", run, "--communication-only", "--no-lines", "--no-times").stdout

    def compiled(self, mpi, run, name):
        source, program = self.path(name + ".c"), self.path(name)
        self.difftrace("generate", run, "-o", source)
        result = execute(["mpicc." + mpi.name, *WARNINGS, "-o", program, source])
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return program

    def test_fixed_point(self):
        mpis = self.available()
        for number, (name, ranks, arguments) in enumerate(PROGRAMS if LONG else PROGRAMS[:6]):
            for mpi in mpis if LONG else mpis[number % max(len(mpis), 1):][:1]:
                path = example(name) if name == "oddeven" else app(name)
                with self.subTest(program=name, mpi=mpi.name):
                    if not os.path.exists(path + mpi.suffix):
                        continue
                    run, _ = self.collect(mpi.name + name, mpi.run(ranks, path, *arguments))
                    program = self.compiled(mpi, run, "bench-%s-%s" % (mpi.name, name))
                    plain = mpi.run(ranks, "")[:-1] + [program]
                    again, _ = self.collect(mpi.name + name + ".again", plain)
                    self.assertEqual(self.skeleton(again), self.skeleton(run))

    def test_options(self):
        """Fewer rounds, less data."""
        for mpi in self.available()[:1]:
            run, _ = self.collect("run", mpi.run(4, app("fault-stencil2d"), "--steps", "4"))
            program = self.compiled(mpi, run, "bench")
            again, _ = self.collect("again", mpi.run(4, "")[:-1] + [program, "--steps", "2", "--size", "50"])
            before, after = self.skeleton(run), self.skeleton(again)
            self.assertIn("\n4 times\n", before)
            self.assertIn("\n2 times\n", after)
            self.assertNotEqual(after, before.replace("\n4 times\n", "\n2 times\n"))


if __name__ == "__main__":
    sys.argv = [each for each in sys.argv if each != "--long"]
    main()
