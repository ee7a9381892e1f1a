"""Ranks that come late to known calls: what the program itself measured is what `times --waits` tells."""

import collections
import os

from e2e_support import EndToEnd, MPIS, app, main

RANKS = 4
TOLERANCE = 1e6  # nanoseconds
MESSAGES = {("0", "1"): 1, ("2", "3"): 3, ("0", "3"): 1, ("1", "3"): 1, ("1", "0"): 1}


class Late(EndToEnd):
    @staticmethod
    def told(text):
        """(function, waiter, late) -> nanoseconds, by the program."""
        lines = (line.split() for line in text.splitlines())
        return {(function, waiter, late): int(wait) for function, waiter, late, wait in lines}

    def test_waits(self):
        for mpi in MPIS:
            if mpi.available() and os.path.exists(app("mpi-late" + mpi.suffix)):
                with self.subTest(mpi=mpi.name):
                    self.check(mpi)

    def check(self, mpi):
        run, traced = self.collect(mpi.name, mpi.run(RANKS, app("mpi-late"), "10"), ["--times", "api"])
        told = self.told(traced.stdout)
        self.assertGreater(len(told), 12)
        self.check_waits(run, told)
        self.check_links(run)
        self.check_path(run, told)

    def check_waits(self, run, told):
        document = self.json("times", "--waits", run)
        found = collections.Counter()
        for wait in document["waits"]:
            key = wait["waiter"]["in"], wait["waiter"]["trace"].split(".")[0], wait["late"]["trace"].split(".")[0]
            self.assertEqual(wait["waiter"]["in"], wait["late"]["in"])
            found[key] += wait["ns"]
        functions = {function for function, _, _ in told}
        for key in set(told) | {key for key in found if key[0] in functions}:
            self.assertLess(abs(found[key] - told.get(key, 0)), TOLERANCE, (key, found[key], told.get(key)))
        self.assertEqual(set(document["unmatched"].values()), {0})
        self.assertEqual((document["messages"], document["left_out"]), (sum(MESSAGES.values()), 0))
        kinds = {kind["wait"]: kind["ns"] for kind in document["kinds"]}
        self.assertEqual(set(kinds), {"late sender", "late receiver", "wait at NxN", "wait at barrier", "late broadcast",
                                      "early reduce"})
        self.assertEqual(sum(kinds.values()), document["waited_ns"])
        self.assertEqual(sum(wait["ns"] for wait in document["waits"]), document["waited_ns"])
        self.assertEqual(sum(rank["ns"] for rank in document["by_rank"]), document["waited_ns"])
        self.assertIn("MPI_Recv in late_sender (mpi_late.c:", self.difftrace("times", "--waits", run).stdout)
        self.assertIn("digraph", self.difftrace("times", "--waits", "--format", "dot", run).stdout)

    def test_threads(self):
        run, traced = self.collect("threads", [app("late-threads")], ["--times", "api"])
        told, found = collections.Counter(), collections.Counter()
        for line in traced.stdout.splitlines():
            waiter, late, wait = map(int, line.split())
            told[waiter, late] += wait
        for wait in self.json("times", "--waits", run)["waits"]:
            self.assertEqual(wait["wait"], "wait at barrier of threads")
            found[wait["waiter"]["trace"], wait["late"]["trace"]] += wait["ns"]
        # Threads of a team have any numbers.
        self.assertEqual(len(found), len(told))
        for one, other in zip(sorted(found.values()), sorted(told.values())):
            self.assertLess(abs(one - other), TOLERANCE)

    def check_path(self, run, told):
        document = self.json("times", "--critical-path", run)
        self.assertEqual(document["length_ns"], document["span_ns"])
        self.assertEqual(sum(time["ns"] for time in document["times"]), document["span_ns"])
        parts = document["parts"]
        self.assertEqual([parts[0]["begin_ns"], parts[-1]["end_ns"]], [0, document["span_ns"]])
        for one, other in zip(parts, parts[1:]):
            self.assertEqual(one["end_ns"], other["begin_ns"])
        # Whoever comes last to what all wait for is on it.
        on_path = {(time["function"], str(time["rank"])) for time in document["times"]}
        last = {(function, late) for function, _, late in told if function in ("barrier", "allreduce")}
        self.assertEqual(len(last), 2)
        self.assertLessEqual(last, on_path)

    def check_links(self, run):
        document = self.json("times", "--by", "link", run)
        self.assertEqual({(str(link["from"]), str(link["to"])): link["messages"] for link in document["links"]}, MESSAGES)
        matrix = self.json("times", "--matrix", "messages", run)
        self.assertEqual(matrix["rows"], [[MESSAGES.get((str(i), str(j)), 0) for j in range(RANKS)] for i in range(RANKS)])
        rows = self.json("times", "--matrix", "bytes", run)["rows"]
        self.assertEqual((rows[0][1], rows[2][3]), (4, 4 * (1 << 20) + 8))


if __name__ == "__main__":
    main()
