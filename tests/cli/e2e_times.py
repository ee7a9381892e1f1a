"""What `times` tells of recorded programs, against what they measured of themselves (tests/apps/mpi_times.c)."""

import collections
import os
import unittest

from e2e_support import MPIS, EndToEnd, app, main

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apps", "mpi_times.c")
RANKS, STEPS = 2, 20
BYTES = {"MPI_Sendrecv": 800, "MPI_Allreduce": 8}
LONG = ("leaf", "ping", "pong", "late")  # 40 us to 8 ms a call
SMALL_NS = 2_000_000  # what the tracer and the program's own reading may add to the sum of a function
MEASURED = collections.namedtuple("Measured", "calls ns")


def built(mpi):
    return mpi.available() and os.path.exists(app("mpi-times" + mpi.suffix))


def measured(text):
    """{(rank, name): Measured}, {rank: [ns of each step]}"""
    functions, steps = {}, collections.defaultdict(list)
    for rank, what, *rest in (line.split() for line in text.splitlines() if line[:1].isdigit()):
        if what == "step":
            steps[int(rank)].append(int(rest[1]))
        else:
            functions[int(rank), rest[0]] = MEASURED(int(rest[1]), int(rest[2]))
    return functions, steps


class Times(EndToEnd):
    def record(self, mpi, times):
        run, result = self.collect("run-%s%s" % (times, mpi.suffix), mpi.run(RANKS, app("mpi-times"), str(STEPS)), ["--times=" + times])
        self.tracer_ns = sum(trace["tracer_ns"] for trace in self.json("times", run, "--by", "rank")["traces"])
        return (run, *measured(result.stdout))

    def assert_near(self, told, exact, share, name):
        """The program's own readings include what the tracer compressed meanwhile, where a full machine may have stopped it."""
        off = share * exact + SMALL_NS
        self.assertLessEqual(told, exact + off, "%s: %d ns, told %d" % (name, exact, told))
        self.assertGreaterEqual(told, exact - off - self.tracer_ns, "%s: %d ns, told %d" % (name, exact, told))

    def check_calls(self, run, functions):
        calls = {call["call"]: call for call in self.json("times", run)["calls"]}
        for name in ("MPI_Sendrecv", "MPI_Allreduce", "MPI_Barrier"):
            own = [functions[rank, name] for rank in range(RANKS)]
            self.assertEqual((calls[name]["calls"], calls[name]["timed"]), (sum(one.calls for one in own),) * 2)
            self.assert_near(calls[name]["ns"], sum(one.ns for one in own), 0.05, name)
        for name, size in BYTES.items():
            self.assertEqual(calls[name]["bytes"], size * STEPS * RANKS)

    def check_sums(self, run):
        document = self.json("times", run, "--by", "function")
        self.assertEqual(sum(one["exclusive_ns"] for one in document["functions"]) + document["outside_ns"] + document["tracer_ns"],
                         document["traces_ns"])
        return {one["function"]: one for one in document["functions"]}

    def check_functions(self, run, functions):
        told = self.check_sums(run)
        for name in LONG:
            self.assertGreaterEqual(told[name]["told_ns"], 0.9 * told[name]["exclusive_ns"])
            for trace in told[name]["traces"]:
                rank = int(trace["trace"].split(".")[0])
                self.assertEqual(trace["calls"], functions[rank, name].calls)
                self.assert_near(trace["exclusive_ns"], functions[rank, name].ns, 0.05, name)
        self.assertEqual(told["tiny"]["calls"], RANKS * functions[0, "tiny"].calls)

    def check_sites(self, run):
        """Where the source has them."""
        sites = {site["call"]: site for site in self.json("times", run, "--by", "site")["sites"]}
        with open(SOURCE, encoding="utf-8") as source:
            lines = {name: "mpi_times.c:%d" % number for number, line in enumerate(source, 1) for name in BYTES if name + "(" in line}
        for name, size in BYTES.items():
            self.assertEqual((sites[name]["source"], sites[name]["calls"]), (lines[name], STEPS * RANKS))
        self.assertEqual((sites["MPI_Sendrecv"]["messages"], sites["MPI_Sendrecv"]["bytes"]), (STEPS * RANKS, BYTES["MPI_Sendrecv"] * STEPS * RANKS))

    def check_iterations(self, run, steps, first, begin):
        """Passes begin at `begin`; behind it comes the work of the step `first`."""
        document = self.json("times", run, "--by", "iteration")
        self.assertEqual((document["passes"], document["traces_without"]), (STEPS, 0))
        self.assertTrue(document["body"].startswith(begin), document["body"])
        for trace in document["traces"]:
            own = steps[int(trace["trace"].split(".")[0])][first:]
            for number, (told, exact) in enumerate(zip(trace["passes"], own)):
                self.assert_near(told["work_ns"], exact, 0.05, "step %d of %s" % (number, trace["trace"]))

    def test_functions(self):
        for mpi in filter(built, MPIS):
            with self.subTest(mpi=mpi.name):
                run, functions, steps = self.record(mpi, "functions")
                self.assertEqual(len(steps[1]), STEPS)
                self.check_calls(run, functions)
                self.check_functions(run, functions)
                self.check_iterations(run, steps, 0, "step leaf pair")

    def test_calls_alone(self):
        for mpi in filter(built, MPIS):
            with self.subTest(mpi=mpi.name):
                run, functions, steps = self.record(mpi, "api")
                self.check_calls(run, functions)
                self.check_sums(run)
                self.check_sites(run)
                self.check_iterations(run, steps, 1, "MPI_Sendrecv MPI_Allreduce")

    # ---- between the calls of a skeleton --------------------------------------------------------

    def gaps(self, mpi):
        """{(rank, call): [ns by step]} as the program read them, and the run."""
        run, result = self.collect("gaps" + mpi.suffix, mpi.run(RANKS, app("mpi-gaps"), str(STEPS)), ["--times=api"])
        own = collections.defaultdict(list)
        for rank, call, _, ns in (line.split() for line in result.stdout.splitlines() if line[:1].isdigit()):
            own[int(rank), call].append(float(ns))
        self.tracer_ns = sum(trace["tracer_ns"] for trace in self.json("times", run, "--by", "rank")["traces"])
        return run, own

    def check_gaps(self, told, own):
        """`told`: the lines of one pair of calls; `own`: by rank. What was told is no less than what the program worked; how much more
        the machine decides, but not for the shortest of all."""
        self.assertEqual(sum(line["count"] for line in told), sum(map(len, own.values())))
        self.assertGreaterEqual(sum(line["count"] * line["mean_ns"] for line in told), 0.99 * sum(map(sum, own.values())) - self.tracer_ns)
        least, exact = min(line["min_ns"] for line in told), min(map(min, own.values()))
        self.assertGreaterEqual(least, 0.95 * exact)
        self.assertLessEqual(least, exact + 1_000_000)
        for line in told:
            self.assertLessEqual(line["min_ns"], line["mean_ns"])
            self.assertLessEqual(line["mean_ns"], line["max_ns"])

    def test_skeleton(self):
        for mpi in filter(built, MPIS):
            with self.subTest(mpi=mpi.name):
                run, own = self.gaps(mpi)
                nodes = self.json("skeleton", run, "--times")["threads"][0]["nodes"]
                loop = {node["call"]: node["before"] for part in nodes if "nodes" in part for node in part["nodes"]}
                reduce = [line for line in loop["MPI_Allreduce"] if line["after"] == 1]
                self.check_gaps(reduce, {rank: own[rank, "MPI_Allreduce"][1:] for rank in range(RANKS)})
                self.check_gaps(loop["MPI_Barrier"], {rank: own[rank, "MPI_Barrier"] for rank in range(RANKS)})
                self.assertTrue(all(line["after"] == -1 for line in loop["MPI_Barrier"]))
                slow = [line for line in reduce if line["on"] == "1"]
                self.assertEqual(len(slow), 1, reduce)
                self.assert_row(slow[0]["values"], own[1, "MPI_Allreduce"][1:])

    def assert_row(self, text, own):
        """By step, rank 1: three times as long in the second half."""
        values = []
        self.assertTrue(text.startswith("[") and text.endswith("]"), text)
        for part in text[1:-1].split(" "):
            time, _, count = part.partition("^")
            unit = time.lstrip("0123456789.")
            values += [float(time[:-len(unit)]) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]] * int(count or 1)
        self.assertEqual(len(values), len(own), text)
        half = STEPS // 2 - 1
        self.assertGreaterEqual(sum(values[half:]), 0.95 * sum(own[half:]) - self.tracer_ns)
        self.assertGreaterEqual(sum(values[:half]), 0.95 * sum(own[:half]) - self.tracer_ns)
        self.assertLessEqual(min(values[:half]), 3e6, text)

    def test_skeleton_without_times(self):
        run, _ = self.collect("run", MPIS[0].run(RANKS, app("mpi-gaps"), "2")) if built(MPIS[0]) else (None, None)
        if run is not None:
            self.assertIn("collect --times=api", self.difftrace("skeleton", run, "--times", status=2).stderr)

    def test_without_times(self):
        run, _ = self.collect("run", [app("pthreads")])
        result = self.difftrace("times", run, status=2)
        self.assertIn("collect --times=api", result.stderr)


if __name__ == "__main__":
    if not any(map(built, MPIS)):
        raise SystemExit(unittest.SkipTest("no MPI"))
    main()
