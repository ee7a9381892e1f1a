"""A traced program does what it does untraced: same output, same exit status, for every test program and every MPI."""

import unittest

from e2e_support import MPIS, EndToEnd, app, example, execute, main, other_lines

PROGRAMS = (["calls-o0"], ["calls-o2"], ["calls-nopie"], ["pointers"], ["pthreads"], ["longjmp"], ["signals"],
            ["signals", "crash"], ["forkexec"], ["exceptions"], ["status", "5"], ["status", "abort"],
            ["cancel"], ["storm"], ["storm-static-runtime"], ["storm-stripped"], ["plugins"],
            ["async-cancel"], ["jumps"], ["contexts"], ["fibers"], ["return-address"], ["return-address-o0"], ["processes"],
            ["conventions"], ["conventions-o0"], ["conventions-branch-protected"], ["conventions-lazy"],
            ["backtraces"], ["throws"], ["throws", "uncaught"], ["throws-o0"])
IMAGES = ("main", "app", "lib*", "all")
REPEATED = ("cancel", "async-cancel", "jumps", "backtraces", "storm", "storm-static-runtime", "storm-stripped", "fibers")  # for what comes with luck


class ResultsEqual(EndToEnd):
    def check(self, command, options=(), lines_in_order=True):
        order = list if lines_in_order else sorted
        untraced = execute(command)
        expected = untraced.returncode if untraced.returncode >= 0 else 128 - untraced.returncode
        _, traced = self.collect("run", command, options=options, status=expected)
        self.assertEqual(order(traced.stdout.splitlines()), order(untraced.stdout.splitlines()))
        return untraced, traced

    def test_programs(self):
        for images in IMAGES:
            for name, *arguments in PROGRAMS:
                for _ in range(3 if name in REPEATED else 1):
                    with self.subTest(program=name, arguments=arguments, images=images):
                        untraced, traced = self.check([app(name), *arguments], ["--images", images])
                        self.assertEqual(other_lines(traced.stderr), untraced.stderr.splitlines())

    def test_functions_of_an_opened_library_are_traced(self):
        run, _ = self.collect("plugins", [app("plugins")])
        calls = {function["function"]: function["calls"] for function in self.json("stats", run)["functions"]}
        # Opened three times: a constructor and a hundred steps each.
        self.assertEqual([calls.get(name) for name in ("plugin_step", "loaded")], [300, 3])

    def test_mpi_programs(self):
        for mpi in MPIS:
            if not mpi.available():
                continue
            for program in (example("oddeven"), app("mpi-absent"), app("fortran-use_mpi"), app("fortran-mpif")):
                with self.subTest(program=program, mpi=mpi.name):
                    self.check(mpi.run(4, program), lines_in_order=False)
            with self.subTest(program="ilcs-tsp", mpi=mpi.name):
                self.check(mpi.run(2, example("ilcs-tsp"), "--workers", "2"), lines_in_order=False)

    @unittest.skipUnless(any(mpi.available() for mpi in MPIS), "no MPI")
    def test_fortran_calls_have_canonical_names(self):
        for mpi in MPIS:
            if not mpi.available():
                continue
            with self.subTest(mpi=mpi.name):
                run, _ = self.collect("fortran-" + mpi.name, mpi.run(3, app("fortran-use_mpi")))
                traces, loops = self.nlr(run, "--filter", "mpiall", "-k", "10")
                self.assertEqual([traces[label] for label in ("0.0", "1.0", "2.0")],
                                 ["MPI_Init MPI_Comm_rank MPI_Comm_size L0^6 MPI_Reduce MPI_Finalize"] * 3)
                self.assertEqual(loops["L0"], "[MPI_Sendrecv]")


if __name__ == "__main__":
    main()
