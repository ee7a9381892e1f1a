"""difftrace times: of a run whose times are known (timed_run.h)."""

import csv
import io

from support import CommandTest, main

MS = 1_000_000
RANKS, STEPS = 4, 10
SPAN = (2 + 10 * STEPS + 1) * MS  # of each rank


class Times(CommandTest):
    def setUp(self):
        super().setUp()
        self.make("timed")

    def calls(self, *options):
        return {call["call"]: call for call in self.json("times", "timed", *options)["calls"]}

    def test_calls(self):
        document = self.json("times", "timed")
        self.assertEqual((document["span_ns"], document["callers_ns"]), (SPAN, RANKS * SPAN))
        rows = [(row["call"], row["calls"], row["timed"], row["ns"], row["median_ns"], row["longest_ns"]) for row in document["calls"]]
        self.assertEqual(rows, [
            ("MPI_Allreduce", 40, 40, (6 * 36 + 4 * 4) * MS, 6 * MS, 6 * MS), ("MPI_Sendrecv", 40, 40, 40 * MS, MS, MS),
            ("MPI_Init", 4, 4, 8 * MS, 2 * MS, 2 * MS), ("MPI_Finalize", 4, 4, 4 * MS, MS, MS)])
        self.assertAlmostEqual(document["calls"][1]["share"], 40 * MS / (RANKS * SPAN))

    def test_bytes(self):
        calls = self.calls("--args")
        exchange = calls["MPI_Sendrecv(100 x 8 B)"]
        self.assertEqual((exchange["bytes"], exchange["bytes_per_second"]), (40 * 800, 800_000))
        self.assertEqual(calls["MPI_Allreduce(2 x 8 B)"]["bytes"], 40 * 16)
        self.assertIsNone(calls["MPI_Init"]["bytes"])
        self.assertEqual(self.calls()["MPI_Sendrecv"]["bytes"], 40 * 800)

    def test_filter(self):
        force = self.calls("--filter", "11.cust:force")
        self.assertEqual(list(force), ["force"])
        self.assertEqual((force["force"]["ns"], force["force"]["longest_ns"], force["force"]["longest_on"]),
                         ((36 * 3 + 4 * 5) * MS, 5 * MS, "2.0"))
        helper = self.calls("--filter", "11.cust:helper")["helper"]
        self.assertEqual((helper["calls"], helper["timed"], helper["mean_ns"]), (160, 0, None))

    def test_ranks(self):
        traces = self.json("times", "timed", "--by", "rank")["traces"]
        self.assertEqual([(trace["trace"], trace["ns"], trace["elsewhere_ns"]) for trace in traces],
                         [("%d.0" % rank, SPAN, (30 if rank != 2 else 38) * MS) for rank in range(RANKS)])
        for trace in traces:
            self.assertEqual(trace["mpi_ns"] + trace["elsewhere_ns"], trace["ns"])
        one, = self.json("times", "timed", "--by", "rank", "-t", "2")["traces"]
        self.assertEqual((one["trace"], one["longest_call"], one["longest_ns"]), ("2.0", "MPI_Allreduce", 6 * MS))

    def test_tables(self):
        rows = list(csv.DictReader(io.StringIO(self.difftrace("times", "timed", "--tsv", "--top", "2")), delimiter="\t"))
        self.assertEqual([(row["call"], row["calls"], row["time"]) for row in rows],
                         [("MPI_Allreduce", "40", "0.232000000"), ("MPI_Sendrecv", "40", "0.040000000")])
        self.assertEqual(self.lines("times", "timed")[2].split(),
                         "MPI_Sendrecv 40 40.0 ms 9.7 % 1.00 ms 1.00 ms 1.00 ms 0.0 32.0 kB 800.0 kB/s".split())

    def test_without_times(self):
        self.make("normal")
        self.assertIn("normal: recorded without times; 'difftrace collect --times=api'", self.error("times", "normal"))
        self.assertIn("call or rank", self.error("times", "timed", "--by", "moon"))
        self.assertIn("--top", self.error("times", "timed", "--top", "-1"))


if __name__ == "__main__":
    main()
