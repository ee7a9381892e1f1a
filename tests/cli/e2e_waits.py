"""Who waits for whom, in programs that hang in known ways. Rank 2 is always the culprit."""

import os

from e2e_support import MPIS, OPEN_MPI, EndToEnd, app, main

RANKS = 6
HANG = "4"  # seconds: the programs hang at once, but ranks take a while to start


class Waits(EndToEnd):
    def hung(self, command, seconds=HANG):
        run, _ = self.collect("run", command, ["--timeout", seconds], status=124)
        document = self.json("waits", run)
        traces = {trace["trace"]: trace for trace in document["traces"]}
        self.assertAlmostEqual(sum(trace["blame"] for trace in traces.values()), 1, places=3)
        return run, document, traces

    def deadlock(self, kind):
        for mpi in MPIS:
            if os.path.exists(app("mpi-deadlock" + mpi.suffix)) and mpi.available():
                with self.subTest(mpi=mpi.name):
                    yield self.hung(mpi.run(RANKS, app("mpi-deadlock"), kind))

    def assert_culprit(self, document, traces, label="2.0"):
        worst = max(traces.values(), key=lambda trace: trace["blame"])
        self.assertEqual(worst["trace"], label, document["summary"])
        self.assertIn(label, document["summary"])

    def test_everybody_receives_first(self):
        for _, document, traces in self.deadlock("cycle"):
            self.assertEqual(document["cycles"], [["%d.0" % rank for rank in range(RANKS)]])
            for rank in range(RANKS):
                trace = traces["%d.0" % rank]
                self.assertEqual((trace["call"], trace["held_up_by"]), ("MPI_Recv", ["%d.0" % ((rank - 1) % RANKS)]))

    def test_one_never_comes_to_a_barrier(self):
        for run, document, traces in self.deadlock("absent"):
            self.assert_culprit(document, traces)
            self.assertEqual((traces["2.0"]["call"], traces["2.0"]["held_up_by"]), ("MPI_Recv", ["3.0"]))
            for rank in (0, 1, 3, 4, 5):
                trace = traces["%d.0" % rank]
                self.assertEqual((trace["call"], trace["held_up_by"]), ("MPI_Barrier", ["2.0"]))
            self.check_formats(run, document)

    def check_formats(self, run, document):
        text = self.difftrace("waits", run).stdout
        self.assertIn(document["summary"][1:], text)
        self.assertIn("0-1,3-5", text)
        self.assertIn("digraph", self.difftrace("waits", run, "--format", "dot").stdout)
        self.assertIn("<svg", self.difftrace("waits", run, "--format", "svg").stdout)

    def test_wrong_tag(self):
        for _, document, traces in self.deadlock("tag"):
            self.assert_culprit(document, traces)
            self.assertEqual(document["cycles"], [["2.0", "3.0"]])

    def test_wrong_peer(self):
        for _, document, traces in self.deadlock("peer"):
            self.assert_culprit(document, traces)
            self.assertEqual((traces["3.0"]["call"], traces["3.0"]["held_up_by"]), ("MPI_Waitall", ["2.0"]))

    def test_another_collective_call(self):
        for _, document, traces in self.deadlock("other"):
            self.assert_culprit(document, traces)

    def test_waitany(self):
        for _, document, traces in self.deadlock("any"):
            self.assertEqual(traces["0.0"]["waits"], "any")
            self.assertEqual(traces["0.0"]["held_up_by"], ["%d.0" % rank for rank in range(1, RANKS)])
            self.assertEqual(document["cycles"], [["%d.0" % rank for rank in range(RANKS)]])

    def test_locks_in_another_order(self):
        run, document, traces = self.hung([app("lock-order")], "1")
        self.assertEqual(document["cycles"], [["0.1", "0.2"]])
        self.assertEqual(traces["0.1"]["held_up_by"], ["0.2"])
        self.assertEqual(traces["0.2"]["held_up_by"], ["0.1"])
        rows = [line.split("\t") for line in self.difftrace("waits", run, "--tsv").stdout.splitlines()]
        self.assertEqual(rows[0], ["trace", "waits", "call", "for", "held up by", "blame", "reason"])
        self.assertEqual([row[:5] for row in rows[1:]],
                         [[each["trace"], each["waits"], each["call"], each["for"] or "",
                           "; ".join(each["held_up_by"])] for each in document["traces"]])

    def test_without_arguments(self):
        if not OPEN_MPI.available():
            self.skipTest("no Open MPI")
        run, _ = self.collect("run", OPEN_MPI.run(RANKS, app("mpi-deadlock"), "absent"),
                              ["--timeout", HANG, "--mpi-args", "off"], status=124)
        self.assertIn("no arguments", self.difftrace("waits", run).stderr)


if __name__ == "__main__":
    main()
