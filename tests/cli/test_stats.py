"""difftrace stats: call frequencies, counted a second time from the flat dump."""

import collections

from support import CommandTest, main


class Stats(CommandTest):
    def counted(self, run):
        """Calls per function and per caller-callee pair, by this test's own call stacks."""
        functions, edges, stacks = collections.Counter(), collections.Counter(), collections.defaultdict(list)
        for line in self.lines("dump", run, "--flat"):
            label, kind, name = line.split("\t")
            if kind == "<":
                stacks[label].pop()
                continue
            functions[name] += 1
            edges[stacks[label][-1] if stacks[label] else None, name] += 1
            stacks[label].append(name)
        return functions, edges

    def test_functions_and_edges(self):
        for run in ("oddeven4", "workers-normal", "deadlock"):
            with self.subTest(run=run):
                self.make(run)
                functions, edges = self.counted(run)
                rows = self.json("stats", run)["functions"]
                self.assertEqual({row["function"]: row["calls"] for row in rows}, functions)
                self.assertEqual([row["calls"] for row in rows], sorted(functions.values(), reverse=True))
                rows = self.json("stats", run, "--by", "edge")["edges"]
                self.assertEqual({(row["caller"], row["callee"]): row["calls"] for row in rows}, edges)

    def test_names(self):
        self.make("calls")
        rows = self.json("stats", "calls", "--by", "function")["functions"]
        by_name = collections.defaultdict(list)
        for row in rows:
            by_name[row["function"]].append(row)
        # MPI_Send and PMPI_Send are one function, the two static helpers are not.
        self.assertEqual([row["calls"] for row in by_name["MPI_Send"]], [2])
        self.assertEqual(by_name["MPI_Send"][0]["image"], "libmpi.so.40")
        self.assertEqual([row["calls"] for row in by_name["helper"]], [1, 1])
        self.assertEqual(by_name["fib"], [{"function": "fib", "symbol": "fib", "image": "app", "import": False, "calls": 3}])
        self.assertEqual([row["import"] for row in rows if row["symbol"].startswith("puts")], [True])

    def test_processes_and_threads(self):
        self.make("workers-faulty")
        threads = self.json("stats", "workers-faulty", "--by", "thread")["threads"]
        self.assertEqual([t["calls"] for t in threads if t["trace"] == "2.3"], [10])
        self.assertEqual([t["calls"] for t in threads if t["trace"] == "2.4"], [20])
        processes = self.json("stats", "workers-faulty", "--by", "process")["processes"]
        self.assertEqual([(p["process"], p["calls"]) for p in processes], [(0, 85), (1, 85), (2, 75), (3, 85)])
        self.assertEqual(sum(t["events"] for t in threads), sum(p["events"] for p in processes))

    def test_one_trace(self):
        self.make("oddeven4")
        rows = self.json("stats", "oddeven4", "-t", "1")["functions"]
        self.assertEqual({row["function"]: row["calls"] for row in rows}["MPI_Send"], 4)

    def test_text(self):
        self.make("calls")
        self.assertEqual(self.lines("stats", "calls")[:3],
                         ["calls  function     image", "    3  fib          app", "    2  MPI_Send     libmpi.so.40"])

    def test_call_graph(self):
        self.make("calls", "odd-names")
        graph = self.difftrace("stats", "calls", "--format", "dot")
        self.assertTrue(graph.startswith("digraph"))
        self.assertIn("label=fib", graph)
        self.assertTrue(self.difftrace("stats", "odd-names", "--format", "dot").startswith("digraph"))


if __name__ == "__main__":
    main()
