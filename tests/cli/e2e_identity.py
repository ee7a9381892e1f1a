"""Communicators and requests that are hard to tell apart, under both MPIs: right programs have no finding, wrong ones theirs."""

import os
import re

from e2e_support import MPIS, OPEN_MPI, EndToEnd, app, main, time_limit

APPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apps")
# By argument of the program: rules, and the kind at whose line each finds an error.
FOUND = {
    "bridge_tag": {("message-mismatch", "bridge_tag"), ("deadlock", "bridge_tag")},
    "bridge_deadlock": {("deadlock", "bridge_deadlock")},
    "wrong": {("message-unreceived", "bridge_unreceived"), ("collective-order", "merged_order"), ("request-open", "moved_open"),
              ("request-open", "thread_open")},
}


def line_of(source, kind):
    """Where the comment with the kind stands."""
    with open(os.path.join(APPS, source), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.search(r"(/\*|!) %s\b" % kind, line):
                return "%s:%d" % (source, number)
    return None


class Identity(EndToEnd):
    def checked(self, mpi, ranks, program, *arguments, limit=("--timeout", "120"), status=0):
        run, _ = self.collect("-".join((mpi.name, program, *arguments)), mpi.run(ranks, app(program), *arguments),
                              options=limit, status=status)
        return self.json("check", run)

    def each(self, program):
        """The MPIs that the program is built for."""
        there = [mpi for mpi in MPIS if os.path.exists(app(program + mpi.suffix)) and mpi.available()]
        if not there:
            self.skipTest("no MPI")
        return there

    def test_right_programs_have_no_finding(self):
        for mpi in self.each("mpi-identity"):
            with self.subTest(mpi=mpi.name):
                checked = self.checked(mpi, 4, "mpi-identity", "right")
                self.assertEqual((checked["findings"], checked["silent"], checked["unsure"]), ([], [], []))

    def test_wrong_ones_are_found(self):
        for mpi in self.each("mpi-identity"):
            for kind, rules in FOUND.items():
                with self.subTest(mpi=mpi.name, kind=kind):
                    limit = ("--timeout", "120") if kind == "wrong" else time_limit(3)
                    checked = self.checked(mpi, 4, "mpi-identity", kind, limit=limit, status=None)
                    errors = {(finding["rule"], finding["source"]) for finding in checked["findings"] if finding["level"] == "error"}
                    self.assertLessEqual({(rule, line_of("mpi_identity.c", at)) for rule, at in rules}, errors)
                    self.assertEqual({rule for rule, _ in errors}, {rule for rule, _ in rules})

    def test_fortran_keeps_requests_elsewhere(self):
        for mpi in self.each("fortran-identity"):
            with self.subTest(mpi=mpi.name):
                self.assertEqual(self.checked(mpi, 3, "fortran-identity")["findings"], [])
                told = self.checked(mpi, 3, "fortran-identity", "open")["findings"]
                self.assertEqual([(finding["rule"], finding["source"]) for finding in told],
                                 [("request-open", line_of("identity.f90", "open"))])

    def test_communicators_by_chance(self):
        """Programs by seeds: of two communicators taken for one, or one for two, messages or collective calls do not match."""
        seeds = range(100, 160) if os.environ.get("DIFFTRACE_LONG_TESTS") else (3, 7)
        for mpi in self.each("mpi-communicators"):
            for seed in seeds:
                with self.subTest(mpi=mpi.name, seed=seed):
                    checked = self.checked(mpi, 4, "mpi-communicators", str(seed), "200")
                    self.assertEqual((checked["findings"], checked["unsure"]), ([], []))

    def test_of_other_worlds_nothing_is_known(self):
        """Children have a world of the size of their parents'. MPICH starts none without a name server."""
        if not os.path.exists(app("mpi-identity")) or not OPEN_MPI.available():
            self.skipTest("no Open MPI")
        checked = self.checked(OPEN_MPI, 2, "mpi-identity", "spawned")
        self.assertEqual(checked["findings"], [])
        self.assertEqual(len(checked["unsure"]), 10, checked["unsure"])
        self.assertRegex(checked["silent"][0], "^10 communicators: ")


if __name__ == "__main__":
    main()
