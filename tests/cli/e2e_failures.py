"""MPI programs that fail: the launcher, a rank at start, a rank later, a program that never calls MPI_Init."""

import functools
import os
import signal
import unittest

from e2e_support import MPIS, OPEN_MPI, EndToEnd, app, execute, main, own_lines

AVAILABLE = [mpi for mpi in MPIS if mpi.available()]


def on_every_mpi(test):
    @functools.wraps(test)
    def run(self):
        for mpi in AVAILABLE:
            with self.subTest(mpi=mpi.name):
                test(self, mpi)

    return run


@unittest.skipUnless(os.path.exists(app("stops")), "no Fortran compiler")
class FortranStops(EndToEnd):
    def test_stop_ends_the_process(self):
        """The call of Fortran's own library is what is recorded; the exit() in it is its business."""
        for how, function, status in (("stop-text", "_gfortran_stop_string", 0), ("stop-number", "_gfortran_stop_numeric", 3),
                                      ("error-text", "_gfortran_error_stop_string", 1),
                                      ("error-number", "_gfortran_error_stop_numeric", 4)):
            with self.subTest(how=how):
                self.difftrace("collect", "-o", self.path(how), "--", app("stops"), how, status=status)
                calls = [call for _, entry, call in self.events(self.path(how)) if entry]
                self.assertEqual(calls[-1], function)
                self.assertNotIn("exit", calls)


@unittest.skipUnless(AVAILABLE, "no MPI")
class Failures(EndToEnd):
    def read_nothing(self, run):
        """A run without a trace: one clear line, whatever reads it."""
        for command in ("info", "dump", "nlr"):
            result = self.difftrace(command, run, status=None)
            self.assertIn(result.returncode, (0, 2), result.stderr)
            self.assertLessEqual(len(own_lines(result.stderr)), 2)

    @on_every_mpi
    def test_missing_program(self, mpi):
        command = mpi.run(2, "./no-such-program")
        run, result = self.collect(mpi.name, command, status=None)
        # MPICH's launcher now and then dies of the pipe to its proxy that gave up.
        self.assertIn(result.returncode, (self.untraced_status(command), 128 + signal.SIGPIPE))
        self.assertIn("no process was traced", result.stderr)
        self.read_nothing(run)

    def untraced_status(self, command):
        return execute(command).returncode

    @on_every_mpi
    def test_bad_launcher_option(self, mpi):
        command = [mpi.launcher, "--no-such-option-at-all", app("mpi-absent")]
        run, result = self.collect(mpi.name, command, status=self.untraced_status(command))
        self.assertIn("no process was traced", result.stderr)
        self.read_nothing(run)

    @on_every_mpi
    def test_no_mpi_init(self, mpi):
        run, result = self.collect(mpi.name, mpi.run(3, app("mpi-absent")))
        self.assertEqual(result.stdout.splitlines(), ["12 steps"] * 3)
        info = self.json("info", run)
        self.assertEqual(sorted(str(process["process"]) for process in info["processes"]), ["0", "1", "2"])
        traces, loops = self.nlr(run, "--filter", "cust:^steps$")
        self.assertEqual(loops["L0"], "[steps]")
        for rank in range(3):
            self.assertEqual(traces["%d.0" % rank], "L0^13")

    def early_end(self, mpi, how, name):
        command = mpi.run(3, app("mpi-early-end"), how)
        run, result = self.collect(name, command, options=["--timeout", "60"], status=None)
        self.assertNotIn(result.returncode, (0, 124), result.stderr)
        info = self.json("info", run)
        return run, {str(process["process"]): process for process in info["processes"]}

    @on_every_mpi
    def test_crash_at_start(self, mpi):
        run, processes = self.early_end(mpi, "start", mpi.name + "-start")
        self.assertIn("1", processes)
        stack = self.json("stack", run, "-t", "1.0")
        self.assertEqual(stack["frames"][:2], ["main", "end_early"])
        self.assertNotIn("MPI_Init", [function for _, entry, function in self.events(run, "-t", "1.0") if entry])

    @on_every_mpi
    def test_crash_after_init(self, mpi):
        for how in ("init", "kill", "abort", "exit"):
            with self.subTest(how=how):
                run, processes = self.early_end(mpi, how, mpi.name + "-" + how)
                self.assertEqual(sorted(processes), ["0", "1", "2"])
                calls = [function for _, entry, function in self.events(run, "-t", "1.0") if entry]
                for function in ("main", "MPI_Init", "MPI_Comm_rank", "MPI_Barrier", "end_early"):
                    self.assertIn(function, calls)
                self.assertNotIn("MPI_Finalize", calls)
                if how in ("abort", "exit"):
                    self.assertEqual(calls[-1] if how == "abort" else "exit",
                                     {"abort": "MPI_Abort", "exit": "exit"}[how])

    @on_every_mpi
    def test_a_crash_is_told_where_it_was(self, mpi):
        """And not where the handler of MPI sends the signal again."""
        run, _ = self.early_end(mpi, "init", mpi.name)
        self.assertEqual(self.json("stack", run, "-t", "1.0")["frames"], ["main", "end_early"])
        ends = [frame for frame in self.json("stack", run)["frames"] if frame["traces"] == ["1.0"] and "end" in frame]
        self.assertRegex(ends[0]["end"], r"^signal 11 \(Segmentation fault\) at \S+:\d+$")
        verdict = self.difftrace("compare", run, "-o", self.path("result-" + mpi.name)).stdout.splitlines()[0]
        self.assertIn("1.0", verdict)
        self.assertIn("in end_early", verdict)
        self.assertNotIn("raise", verdict)

    @on_every_mpi
    def test_static_program(self, mpi):
        # Hydra now and then fails, or never ends, where ranks do not call MPI and end at once: that is its own business.
        result = self.difftrace("collect", "-o", self.path("run"), "--timeout", "20", "--", mpi.launcher, *mpi.options, "-n", "2",
                                app("static"), status=None)
        self.assertIn("warning", result.stderr)
        self.assertIn("statically linked", result.stderr)
        with open(os.path.join(self.path("run"), "manifest.json")) as file:
            self.assertIn("statically linked", file.read())

    @unittest.skipUnless(OPEN_MPI.available(), "no Open MPI")
    def test_open_mpi_exports(self):
        """-x and mca_base_env_list exclude each other; an LD_PRELOAD for the ranks must not displace the tracer."""
        program = ["-n", "2", app("mpi-absent")]
        for name, options in (("x", ["-x", "HOME"]), ("list", ["--mca", "mca_base_env_list", "HOME"]),
                              ("preload", ["-x", "LD_PRELOAD=libno-such.so"])):
            with self.subTest(options=options):
                run, _ = self.collect(name, [OPEN_MPI.launcher, *OPEN_MPI.options, *options, *program])
                self.assertEqual(len(self.json("info", run)["processes"]), 2)


if __name__ == "__main__":
    main()
