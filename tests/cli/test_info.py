"""difftrace info: what a run holds."""

from support import CommandTest, main


class Info(CommandTest):
    def test_counts(self):
        self.make("oddeven4")
        info = self.json("info", "oddeven4")
        # A rank: main, Init, rank, size, sort, Finalize and three calls an exchange, each with its return.
        self.assertEqual([p["events"] for p in info["processes"]],
                         [2 * (6 + 3 * exchanges) for exchanges in (2, 4, 4, 2)])
        self.assertEqual(info["events"], sum(p["events"] for p in info["processes"]))
        self.assertEqual(info["bytes"], sum(p["bytes"] for p in info["processes"]))
        self.assertEqual([p["process"] for p in info["processes"]], [0, 1, 2, 3])
        self.assertEqual([p["threads"] for p in info["processes"]], [1, 1, 1, 1])
        self.assertAlmostEqual(info["ratio"], 2 * info["events"] / info["bytes"])
        self.assertEqual(info["problems"], [])

    def test_text_says_the_same(self):
        self.make("oddeven4")
        text = self.difftrace("info", "oddeven4/")
        self.assertIn("run        oddeven4\n", text)
        self.assertIn("processes  4\nthreads    4\nevents     120\n", text)

    def test_ends(self):
        self.make("crashed")
        processes = self.json("info", "crashed")["processes"]
        self.assertEqual([(p["end"], p["status"]) for p in processes], [("exited", 0)] * 4 + [("signal", 11)])
        self.assertRegex(self.difftrace("info", "crashed"), r"\n4 .*signal 11 \(Segmentation fault\)\n")

    def test_large_ids_are_one_event_each(self):
        self.make("many-functions")
        self.assertEqual(self.json("info", "many-functions")["events"], 2 * 65600)

    def test_threads(self):
        self.make("workers-normal")
        info = self.json("info", "workers-normal")
        self.assertEqual(info["threads"], 20)
        self.assertEqual([t["trace"] for t in info["traces"]], ["%d.%d" % (p, t) for p in range(4) for t in range(5)])

    def test_tsv(self):
        """The same as the JSON document says."""
        self.make("crashed")
        header, *rows = [line.split("\t") for line in self.lines("info", "crashed", "--tsv")]
        self.assertEqual(header, ["process", "pid", "host", "threads", "events", "bytes", "end"])
        processes = self.json("info", "crashed")["processes"]
        self.assertEqual([row[1:3] + [int(row[3]), int(row[4])] for row in rows],
                         [[str(each["pid"]), each["host"], each["threads"], each["events"]] for each in processes])


if __name__ == "__main__":
    main()
