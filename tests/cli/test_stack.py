"""difftrace stack: open calls at an event, at the end, and of all traces."""

from support import CommandTest, main


class Stack(CommandTest):
    def test_end(self):
        self.make("deadlock")
        self.assertEqual(self.difftrace("stack", "deadlock", "-t", "5"), "* main\n* oddEvenSort\n* MPI_Recv\n")
        self.assertEqual(self.json("stack", "deadlock", "-t", "5"),
                         {"version": 1, "trace": "5.0", "frames": ["main", "oddEvenSort", "MPI_Recv"], "open": True})

    def test_finished(self):
        self.make("oddeven4")
        self.assertEqual(self.difftrace("stack", "oddeven4", "-t", "0.0", "--quiet"), "")
        self.assertEqual(self.json("stack", "oddeven4", "-t", "0.0", "--quiet"),
                         {"version": 1, "trace": "0.0", "frames": [], "open": False})

    def test_every_event(self):
        """Against stacks that this test keeps itself, with what never returned told apart."""
        self.make("calls")
        events = [line.split("\t")[1:] for line in self.lines("dump", "calls", "--flat")]
        stack, depths, stacks = [], [0], [[]]
        for kind, name in events:
            stack = stack + [name] if kind == ">" else stack[:-1]
            stacks.append(stack)
            depths.append(len(stack))
        for at, expected in enumerate(stacks):
            never = min(depths[at:])
            lines = ["%s %s" % ("*" if i < never else " ", name) for i, name in enumerate(expected)]
            self.assertEqual(self.lines("stack", "calls", "-t", "0", "--quiet", "--at", str(at)), lines)

    def test_beyond_the_end(self):
        self.make("calls")
        self.assertIn("only 18 events", self.error("stack", "calls", "-t", "0", "--at", "19"))

    def test_all(self):
        self.make("workers-faulty", "deadlock", "crashed")
        self.assertEqual(self.difftrace("stack", "deadlock", "--all"),
                         "main  16:[0-15]\n  oddEvenSort  16:[0-15]\n    MPI_Recv  16:[0-15]\n")
        self.assertEqual(self.difftrace("stack", "crashed", "--all"),
                         "main  1:[4]\n  solve  1:[4]\n    signal 11 (Segmentation fault)  1:[4]\n(no open call)  4:[0-3]\n")
        self.assertEqual(self.difftrace("stack", "workers-faulty", "--all"),
                         "(no open call)  20:[0-3,0-3.1-4]\n")

    def test_all_is_the_default(self):
        self.make("deadlock")
        for more in ([], ["--json"], ["--tsv"], ["--at", "1"]):
            self.assertEqual(self.difftrace("stack", "deadlock", *more), self.difftrace("stack", "deadlock", "--all", *more))

    def test_before_the_start(self):
        self.make("deadlock")
        for at in ("-1", "-2"):
            for which in (["-t", "5"], []):
                self.assertIn("--at: not the number of an event", self.error("stack", "deadlock", "--at", at, *which))

    def test_all_at_any_event(self):
        self.make("deadlock", "crashed")
        self.assertEqual(self.difftrace("stack", "deadlock", "--all", "--at", "0"), "(no open call)  16:[0-15]\n")
        self.assertEqual(self.difftrace("stack", "deadlock", "--all", "--at", "1"), "main  16:[0-15]\n")
        self.assertEqual(self.difftrace("stack", "crashed", "--all", "--at", "1000000"),
                         self.difftrace("stack", "crashed", "--all"))

    def test_idle_threads_of_libraries_are_not_listed(self):
        self.make("library-threads")
        self.assertEqual(self.difftrace("stack", "library-threads", "--all"),
                         "pthread_cond_wait  4:[0-3.a]\n(no open call)  4:[0-3]\n")
        self.make("idle-library-threads")
        self.assertEqual(self.difftrace("stack", "idle-library-threads", "--all"), "(no open call)  4:[0-3]\n")

    def test_all_as_document_and_graph(self):
        self.make("crashed")
        document = self.json("stack", "crashed", "--all")
        self.assertEqual([(f.get("function"), f["depth"], f["parent"], f["traces"]) for f in document["frames"]],
                         [("main", 1, None, ["4.0"]), ("solve", 2, 0, ["4.0"]), (None, 3, 1, ["4.0"])])
        self.assertEqual(document["frames"][-1]["end"], "signal 11 (Segmentation fault)")
        self.assertEqual(document["ended"], ["0.0", "1.0", "2.0", "3.0"])
        self.assertIn("1:[4]", self.difftrace("stack", "crashed", "--all", "--format", "dot"))

    def test_runaway_recursion(self):
        self.make("deep")
        self.assertEqual(len(self.lines("stack", "deep", "-t", "0")), 100000)
        self.assertEqual(len(self.lines("stack", "deep", "--all")), 100000)
        self.assertEqual(len(self.json("stack", "deep", "--all")["frames"]), 100000)

    def test_tsv(self):
        """The same as the JSON documents say."""
        self.make("deadlock")
        header, *rows = [line.split("\t") for line in self.lines("stack", "deadlock", "-t", "5", "--tsv")]
        self.assertEqual(header, ["depth", "function", "returned"])
        frames = self.json("stack", "deadlock", "-t", "5")["frames"]
        self.assertEqual(rows, [[str(i + 1), name, "never"] for i, name in enumerate(frames)])
        header, *rows = [line.split("\t") for line in self.lines("stack", "deadlock", "--all", "--tsv")]
        self.assertEqual(header, ["depth", "function", "count", "traces"])
        frames = self.json("stack", "deadlock", "--all")["frames"]
        self.assertEqual(rows, [[str(each["depth"]), each["function"], str(len(each["traces"])), "; ".join(each["traces"])]
                                for each in frames])


if __name__ == "__main__":
    main()
