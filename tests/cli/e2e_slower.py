"""Which rank and function makes a recorded run slower: work that is put into tests/apps/mpi_slower.c, of two MPIs. How
well that goes on how busy a machine is measured in bench/times/differential; here faults are twice the function."""

import os
import unittest

from e2e_support import MPIS, EndToEnd, app, main

RANKS, STEPS, AT = 2, 40, 15
NORMALS = 3
NEAR = 4  # where a call before was disturbed, "since" may be told so much too early or late
BUSY = 0.1


def built(mpi):
    return mpi.available() and os.path.exists(app("mpi-slower" + mpi.suffix))


class Slower(EndToEnd):
    def record(self, mpi, name, *arguments):
        command = mpi.run(RANKS, app("mpi-slower"), str(STEPS), *(arguments or ("none",)))
        return self.collect(name + mpi.suffix, command, ["--times=functions"])[0]

    def compare(self, mpi, faulty):
        normals = [self.path("normal%d%s" % (i, mpi.suffix)) for i in range(NORMALS)]
        more = [option for normal in normals[1:] for option in ("-b", normal)]
        return self.json("compare", normals[0], faulty, *more, "-o", self.path("out"))

    def check(self, mpi, kind, function, rank, *more):
        """The first difference, if the machine lets any be told."""
        document = self.compare(mpi, self.record(mpi, kind, kind, "100" if kind != "once" else "4000", str(rank), *more))
        times = document["times"]
        if times["answer"] != "slower":
            self.assertGreater(times["off_processor"], BUSY, "%s on %s: %s" % (kind, mpi.name, document["verdict"]))
            return None
        first = times["differences"][0]
        self.assertEqual(first["function"], function, document["verdict"])
        self.assertRegex(first["source"], r"^mpi_slower\.c:\d+$")
        if kind != "all":
            self.assertEqual((document["suspects"][0]["trace"], first["traces"]), ("%d.0" % rank, ["%d.0" % rank]))
        return first

    def check_faults(self, mpi):
        one = self.check(mpi, "one", "force", 1)
        self.assertIn(one and one["kind"], (None, "always"))
        all_ranks = self.check(mpi, "all", "force", 0)
        self.assertIn(all_ranks and all_ranks["scope"], (None, "all"))
        for kind, function in (("since", "force"), ("loop", "solve")):
            since = self.check(mpi, kind, function, 1, str(AT))
            if since is not None:
                self.assertEqual((since["kind"], since["since"]["of"]), ("since", STEPS))
                self.assertLessEqual(abs(since["since"]["iteration"] - AT), NEAR)
        once = self.check(mpi, "once", "force", 0, str(AT))
        if once is not None:
            self.assertEqual((once["kind"], once["since"]["iteration"]), ("once", AT))

    def test_faults(self):
        for mpi in filter(built, MPIS):
            with self.subTest(mpi=mpi.name):
                for i in range(NORMALS):
                    self.record(mpi, "normal%d" % i)
                self.check_faults(mpi)
                equal = self.compare(mpi, self.record(mpi, "equal"))
                self.assertEqual((equal["suspects"], equal["times"]["differences"]), ([], []), equal["verdict"])


if __name__ == "__main__":
    if not any(map(built, MPIS)):
        raise SystemExit(unittest.SkipTest("no MPI"))
    main()
