"""difftrace times: of a run whose times are known (timed_run.h)."""

import csv
import io
import os
import random

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

    def test_sites(self):
        """Whose sums are those by call."""
        document = self.json("times", "timed", "--by", "site")
        calls = self.calls()
        for name in calls:
            sites = [site for site in document["sites"] if site["call"] == name]
            for what in "calls", "timed", "ns":
                self.assertEqual(sum(site[what] for site in sites), calls[name][what])
            self.assertEqual(max(site["longest_ns"] for site in sites), calls[name]["longest_ns"])
            self.assertEqual(sum(sum(site["ns_of_ranks"]) for site in sites), calls[name]["ns"])
        reduce, = [site for site in document["sites"] if site["call"] == "MPI_Allreduce"]
        mean = sum(reduce["ns_of_ranks"]) / RANKS
        self.assertAlmostEqual(reduce["variation"], (sum((ns - mean) ** 2 for ns in reduce["ns_of_ranks"]) / RANKS) ** 0.5 / mean)
        self.assertAlmostEqual(reduce["share"], reduce["ns"] / (RANKS * SPAN))
        self.assertEqual(len(self.lines("times", "timed", "--by", "site", "--tsv")), 1 + len(document["sites"]))
        self.assertIn("messages are matched in the whole run", self.error("times", "timed", "--by", "site", "-t", "2"))

    def test_ranks(self):
        traces = self.json("times", "timed", "--by", "rank")["traces"]
        self.assertEqual([(trace["trace"], trace["ns"], trace["elsewhere_ns"]) for trace in traces],
                         [("%d.0" % rank, SPAN, (30 if rank != 2 else 38) * MS) for rank in range(RANKS)])
        for trace in traces:
            self.assertEqual(trace["mpi_ns"] + trace["elsewhere_ns"], trace["ns"])
        one, = self.json("times", "timed", "--by", "rank", "-t", "2")["traces"]
        self.assertEqual((one["trace"], one["longest_call"], one["longest_ns"]), ("2.0", "MPI_Allreduce", 6 * MS))

    def test_functions(self):
        document = self.json("times", "timed", "--by", "function")
        functions = {function["function"]: function for function in document["functions"]}
        self.assertEqual(document["traces_ns"], RANKS * SPAN)
        self.assertEqual(sum(function["exclusive_ns"] for function in functions.values()) + document["outside_ns"], RANKS * SPAN)
        self.assertEqual((functions["main"]["inclusive_ns"], functions["main"]["mpi_ns"]), (RANKS * SPAN, (8 + 40 + 232 + 4) * MS))
        self.assertEqual(functions["force"]["inclusive_ns"], (36 * 3 + 4 * 5) * MS)
        self.assertEqual(functions["force"]["exclusive_ns"] + functions["helper"]["exclusive_ns"], (36 * 3 + 4 * 5) * MS)
        self.assertEqual((functions["helper"]["calls"], functions["helper"]["told_ns"]), (160, 0))
        self.assertEqual((functions["MPI_Sendrecv"]["exclusive_ns"], functions["MPI_Sendrecv"]["told_ns"]), (40 * MS, 40 * MS))
        self.assertEqual((functions["force"]["most_on"], len(functions["force"]["traces"])), ("2.0", RANKS))
        only, = self.json("times", "timed", "--by", "function", "--filter", "11.cust:force")["functions"]
        self.assertEqual(only, functions["force"])

    def test_balance(self):
        first, second = self.json("times", "timed", "--by", "balance", "--top", "2")["functions"]
        self.assertEqual({first["function"], second["function"]}, {"force", "helper"})
        self.assertAlmostEqual(first["lost_ns"] + second["lost_ns"], (38 - (3 * 30 + 38) / RANKS) * MS, delta=2)

    def test_iterations(self):
        document = self.json("times", "timed", "--by", "iteration")
        self.assertEqual((document["passes"], document["traces_without"], document["body"]),
                         (STEPS, 0, "force L0^4 MPI_Sendrecv MPI_Allreduce"))
        for trace in document["traces"]:
            self.assertEqual([(one["begin_ns"], one["ns"]) for one in trace["passes"]], [(10 * i * MS, 10 * MS) for i in range(STEPS)])
            self.assertEqual([one["work_ns"] for one in trace["passes"]],
                             [(5 if trace["trace"] == "2.0" and i >= 6 else 3) * MS for i in range(STEPS)])
        self.assertEqual([(one["pass"], one["trace"], one["work_ns"]) for one in document["slow"]],
                         [(i, "2.0", 5 * MS) for i in (7, 8, 9, 10)])
        # A pass by calls of MPI alone begins with the first of them, and the last one has no work behind it.
        by_mpi = self.json("times", "timed", "--by", "iteration", "--filter", "mpi")
        self.assertEqual((by_mpi["passes"], [one["pass"] for one in by_mpi["slow"]]), (STEPS, [6, 7, 8, 9]))

    def test_over_time(self):
        document = self.json("times", "timed", "--over-time")
        self.assertEqual((document["columns"], document["span_ns"]), (480, SPAN))
        ranks = {trace["trace"]: trace["mpi_ns"] for trace in self.json("times", "timed", "--by", "rank")["traces"]}
        for trace in document["traces"]:
            self.assertAlmostEqual(sum(trace["in_mpi"]) * SPAN / 480, ranks[trace["trace"]], delta=SPAN / 1e6)
        self.assertEqual(document["traces"][0]["in_mpi"][0], 1)
        self.assertIn("svg", self.difftrace("times", "timed", "--over-time", "--format", "svg")[:200])
        self.assertEqual(self.lines("times", "timed", "--over-time")[1][:8], "0.0 #9..")
        self.assertIn("one at a time", self.error("times", "timed", "--over-time", "--by", "rank"))

    def test_timeline(self):
        """Calls and waits together are what --by=rank tells of MPI."""
        document = self.json("times", "timed", "--timeline")
        self.assertEqual((document["columns"], document["span_ns"]), (480, SPAN))
        ranks = {trace["trace"]: trace["mpi_ns"] for trace in self.json("times", "timed", "--by", "rank")["traces"]}
        self.assertEqual([trace["trace"] for trace in document["traces"]], list(ranks))
        for trace in document["traces"]:
            self.assertAlmostEqual(sum(trace["in_calls"] + trace["waiting"]) * SPAN / 480, ranks[trace["trace"]], delta=SPAN / 1e5)
        self.assertIn("svg", self.difftrace("times", "timed", "--timeline", "--format", "svg")[:200])
        self.assertEqual(self.lines("times", "timed", "--timeline")[1][:8], "0.0 ==..")
        rows = list(csv.DictReader(io.StringIO(self.difftrace("times", "timed", "--timeline", "--tsv", "--top", "1")), delimiter="\t"))
        self.assertEqual((len(rows), rows[0]["trace"], rows[0]["in calls"]), (480, "0.0", "1.000000"))

    def test_matrix_picture(self):
        for of in ("bytes", "messages", "wait"):
            picture = self.difftrace("times", "timed", "--matrix", of, "--format", "svg")
            self.assertIn("<svg", picture[:200])

    def test_tables(self):
        rows = list(csv.DictReader(io.StringIO(self.difftrace("times", "timed", "--tsv", "--top", "2")), delimiter="\t"))
        self.assertEqual([(row["call"], row["calls"], row["time"]) for row in rows],
                         [("MPI_Allreduce", "40", "0.232000000"), ("MPI_Sendrecv", "40", "0.040000000")])
        self.assertEqual(self.lines("times", "timed")[2].split(),
                         "MPI_Sendrecv 40 40.0 ms 9.7 % 1.00 ms 1.00 ms 1.00 ms 0.0 32.0 kB 800.0 kB/s".split())

    def test_any_number_of_threads(self):
        for view in (["--args"], ["--by", "function"], ["--by", "iteration"], ["--over-time"]):
            self.assertEqual(self.json("times", "timed", *view, "-j", "1"), self.json("times", "timed", *view, "-j", "4"))

    def test_damaged_times(self):
        """Whatever stands in a trace file: an answer, or an error in one line."""
        source = random.Random(4)
        folder = self.path("timed", "processes")
        for _ in range(8):
            file = os.path.join(folder, source.choice(sorted(os.listdir(folder))))
            with open(file, "rb") as stream:
                whole = stream.read()
            data = bytearray(whole)
            for _ in range(source.randint(1, 8)):
                data[source.randrange(len(data))] = source.randrange(256)
            with open(file, "wb") as stream:
                stream.write(data[:source.choice((len(data), source.randrange(1, len(data))))])
            for view in ("call", "function", "iteration"):
                self.assertIn(self.execute("times", "timed", "--by", view).returncode, (0, 2))
            with open(file, "wb") as stream:
                stream.write(whole)

    def test_without_times(self):
        self.make("normal")
        self.assertIn("normal: recorded without times; 'difftrace collect --times=api'", self.error("times", "normal"))
        self.assertIn("bytes, messages or wait", self.error("times", "timed", "--matrix", "moon"))
        for view in (("--waits",), ("--timeline",), ("--critical-path",), ("--matrix", "wait"), ("--by", "link")):
            self.assertIn("in the whole run", self.error("times", "timed", "--filter", "mpi", *view))
            self.assertIn("in the whole run", self.error("times", "timed", "-t", "0", *view))
        self.assertIn("call, function, rank, balance, iteration, link or site", self.error("times", "timed", "--by", "moon"))
        self.assertIn("--top", self.error("times", "timed", "--top", "-1"))


if __name__ == "__main__":
    main()
