"""Arguments that are wrong in one call of one rank, and in nothing else: the verdict names rank, call and argument."""

import os

from e2e_support import MPIS, EndToEnd, app, main

RANKS = 6
CULPRIT = "3.0"
SENTENCES = {
    "counts": ("MPI_Alltoallv", "with counts [2 1 2^4], normally counts [2^6]"),
    "shares": ("MPI_Alltoallv", "with counts [2 1^2 2^3], normally counts [2^6]"),
    "displacement": ("MPI_Put", "with displacement 5, normally displacement 3"),
    "request": ("MPI_Wait", "with live request 1, normally live request 0"),
    "offset": ("MPI_File_write_at", "with offset 736, normally offset 720"),
    "edge": ("MPI_Dist_graph_create_adjacent", "with neighbours [-1 2], normally neighbours [-1 1]"),
    "gathered": ("MPI_Gatherv", "with counts [1 3 1 2 1 2], normally counts [1 2 1 2 1 2]"),
    "taken": ("MPI_Gather", "with other 3 x 4 B, normally other 2 x 4 B"),
}


class WrongArguments(EndToEnd):
    def run_of(self, mpi, kind):
        name = "%s-%s" % (mpi.name, kind)
        return self.collect(name, mpi.run(RANKS, app("mpi-wrong-arguments"), kind, self.path("file")))[0]

    def check(self, normal, faulty, call, difference):
        suspects = self.json("compare", normal, faulty, "-o", faulty + ".out")["suspects"]
        accused = [suspect["trace"] for suspect in suspects if suspect["level"] == "suspect"]
        self.assertEqual(accused, [CULPRIT])  # not those who are told to take less
        self.assertIn(" calls %s (mpi_wrong_arguments.c:" % call, suspects[0]["why"])
        self.assertIn(difference, suspects[0]["why"])

    def test_each_is_named(self):
        for mpi in MPIS:
            if not os.path.exists(app("mpi-wrong-arguments" + mpi.suffix)) or not mpi.available():
                continue
            normal = self.run_of(mpi, "nothing")
            for kind, (call, difference) in SENTENCES.items():
                with self.subTest(mpi=mpi.name, kind=kind):
                    self.check(normal, self.run_of(mpi, kind), call, difference)


if __name__ == "__main__":
    main()
