"""difftrace compare: the whole pipeline."""

import os
import resource

from support import CommandTest, main, read

SWEEP = ["11.mpiall.0K1000", "11.mpisr.0K1000", "11.mem.0K1000", "11.all.0K1000"]
ATTRIBUTES = [unit + "." + frequency for unit in ("sing", "doub") for frequency in ("actual", "log10", "noFreq")]


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))


class Compare(CommandTest):
    def test_document(self):
        self.make("normal", "swapbug")
        document = self.json("compare", "normal/", "swapbug")
        self.assertEqual((document["normal"], document["faulty"], document["baselines"]), ("normal", "swapbug", []))
        self.assertEqual((document["only_in_normal"], document["only_in_faulty"]), ([], []))
        rows = document["configurations"]
        # Filters that keep nothing (no collective, no OpenMP here) are not in the table.
        self.assertEqual({(row["filter"], row["attributes"]) for row in rows},
                         {(f, a) for f in SWEEP for a in ATTRIBUTES})
        self.assertEqual({(row["linkage"], row["k"]) for row in rows}, {("ward", 1000)})
        scores = [row["bscore"] for row in rows]
        self.assertEqual(scores, sorted(scores))
        self.assertTrue(all(0 <= score <= 1 for score in scores))
        self.assertTrue(all(isinstance(p, int) for row in rows for p in row["processes"]))
        self.assertIn(5, rows[0]["processes"])
        first = document["suspects"][0]
        self.assertEqual((first["trace"], first["process"], first["thread"], first["level"], first["status"]),
                         ("5.0", 5, 0, "suspect", "finished"))
        self.assertIn("L0^9", first["first_difference"])
        self.assertEqual(sorted(first), ["first_difference", "group", "level", "process", "score", "source", "status", "thread", "trace", "why"])

    def test_deadlock(self):
        self.make("normal", "deadlock")
        document = self.json("compare", "normal", "deadlock", "-o", "out")
        self.assertEqual(document["suspects"][0]["trace"], "5.0")
        self.assertEqual(document["suspects"][0]["status"], "stuck")
        self.assertIn("5.0", document["verdict"])
        self.assertIn("MPI_Recv", document["suspects"][0]["why"])
        # Its picture shows how it ended, whatever filter has the best row.
        texts = self.svg_texts(read(self.path("out", "diffnlr-5.0.svg")))
        self.assertIn("never returned: the last MPI_Recv", texts)

    def test_thread(self):
        self.make("workers-normal", "workers-faulty")
        document = self.json("compare", "workers-normal", "workers-faulty")
        self.assertEqual(document["suspects"][0]["trace"], "2.3")
        self.assertEqual((document["suspects"][0]["process"], document["suspects"][0]["thread"]), (2, 3))
        self.assertTrue(any("2.3" in row["threads"] for row in document["configurations"]))

    def test_files(self):
        self.make("normal", "swapbug")
        text = self.difftrace("compare", "normal", "swapbug", "-o", "out")
        listed = {line.strip() for line in text.split("\nWritten:\n")[1].splitlines()}
        there = {os.path.join("out", name) for name in os.listdir(self.path("out")) if name != ".difftrace"}
        self.assertEqual(listed, there)
        for name in ["diffnlr-5.0.svg", "lattice-normal.svg", "lattice-faulty.svg"] + [
                kind + "-" + of + ".svg" for kind in ("jsm", "dendrogram") for of in ("normal", "faulty", "diff")]:
            self.svg_texts(read(self.path("out", name)))
        ranking = [line.split("\t") for line in read(self.path("out", "ranking.tsv")).splitlines()]
        self.assertEqual(ranking[0], ["filter", "attributes", "linkage", "B-score", "top processes", "top threads"])
        self.assertEqual(len(ranking), 1 + len(SWEEP) * len(ATTRIBUTES))
        self.assertIn("L1", " ".join(self.svg_texts(read(self.path("out", "diffnlr-5.0.svg")))))

    def test_result_document_is_the_printed_one_and_a_recipe(self):
        self.make("normal", "swapbug")
        printed = self.json("compare", "normal", "swapbug", "-o", "out", "-k", "10", "--linkage", "average")
        kept = self.parse(read(self.path("out", "result.json")))
        recipe = kept.pop("recipe")
        self.assertEqual(kept, printed)
        self.assertEqual((recipe["normal"], recipe["faulty"]),
                         (os.path.realpath(self.path("normal")), os.path.realpath(self.path("swapbug"))))
        self.assertEqual((recipe["k"], recipe["linkage"]), (10, "average"))

    def test_text(self):
        self.make("normal", "swapbug")
        text = self.difftrace("compare", "normal", "swapbug")
        self.assertTrue(text.startswith("Verdict: "))
        self.assertIn("\nRanking table (10 of 24; ", text)
        self.assertRegex(text, r"\n5\.0 +\d\.\d\d  suspect  finished  ")
        self.assertRegex(text, r"\nfilter +attributes +linkage +B-score +top processes +top threads\n")

    def test_selection(self):
        self.make("normal", "swapbug")
        rows = self.json("compare", "normal", "swapbug", "--filter", "mpiall", "--filter", "11.mpisr.0K5", "-k", "7",
                         "--attr", "sing.noFreq", "--linkage", "single")["configurations"]
        self.assertEqual(sorted((row["filter"], row["attributes"], row["linkage"], row["k"]) for row in rows),
                         [("11.mpiall.0K7", "sing.noFreq", "single", 7), ("11.mpisr.0K5", "sing.noFreq", "single", 5)])

    def test_exit_code(self):
        self.make("normal", "swapbug")
        self.difftrace("compare", "normal", "swapbug", "--exit-code", status=1)
        self.difftrace("compare", "normal", "normal", "--exit-code", status=0)
        self.difftrace("compare", "normal", "swapbug", status=0)

    def test_what_cannot_be_kept_is_told(self):
        """The verdict is, and why nothing was written; nothing is left of it, and an earlier result stays."""
        self.make("normal", "swapbug")
        whole = self.difftrace("compare", "normal", "swapbug")
        before = sorted(os.listdir(self.folder))
        limited = self.execute("compare", "normal", "swapbug", preexec_fn=limit_files)
        self.assertEqual(limited.returncode, 2)
        self.assertEqual(limited.stdout, whole[:whole.index("\nWritten:")])
        self.assertRegex(limited.stderr, "^difftrace: difftrace.out.partial/result.json: cannot be written: .*large")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertTrue(read(self.path("difftrace.out", "result.json")))

    def test_equal_runs(self):
        self.make("normal")
        document = self.json("compare", "normal", "normal")
        self.assertEqual(document["suspects"], [])
        self.assertEqual({row["bscore"] for row in document["configurations"]}, {1.0})

    def test_one_run_alone(self):
        self.make("deadlock")
        document = self.json("compare", "deadlock")
        self.assertIsNone(document["normal"])
        self.assertEqual(document["faulty"], "deadlock")
        self.assertEqual({row["bscore"] for row in document["configurations"]}, {None})
        self.assertFalse(os.path.exists(self.path("difftrace.out", "jsm-diff.svg")))
        self.assertTrue(os.path.exists(self.path("difftrace.out", "jsm-faulty.svg")))

    def test_page_without_arguments(self):
        """Who waits cannot be known without arguments; where all have ended nobody does."""
        self.make("crashed", "normal")
        self.difftrace("compare", "crashed", warnings=True)
        page = read(self.path("difftrace.out", "report.html"))
        self.assertIn("Not known: no arguments of calls were recorded.", page)
        self.assertNotIn("no call that waits is open", page)
        self.difftrace("compare", "normal", "-o", "ended", warnings=True)
        self.assertNotIn("Not known: no arguments", read(self.path("ended", "report.html")))

    def test_next_step_of_one_run(self):
        """Of a run with times, who waits for whom in it; of others not."""
        self.make("timed-normal", "normal")
        self.difftrace("compare", "timed-normal", warnings=True)
        self.assertIn("difftrace times timed-normal --by=balance</code>", read(self.path("difftrace.out", "report.html")))
        self.difftrace("compare", "normal", "-o", "untimed", warnings=True)
        self.assertNotIn("--by=balance", read(self.path("untimed", "report.html")))

    def test_baselines(self):
        self.make("normal", "swapbug")
        document = self.json("compare", "normal", "swapbug", "--baseline", "normal/", "--baseline", "normal")
        self.assertEqual(document["baselines"], ["normal", "normal"])
        self.assertEqual(document["suspects"][0]["trace"], "5.0")

    def test_traces_of_one_run_only(self):
        self.make("oddeven4", "shifted")
        document = self.json("compare", "oddeven4", "shifted", warnings=True)
        self.assertEqual((document["only_in_normal"], document["only_in_faulty"]), (["0.0"], ["4.0"]))
        self.assertEqual({s["trace"]: s["status"] for s in document["suspects"]}["0.0"], "missing")
        self.assertTrue(self.difftrace("compare", "oddeven4", "shifted", warnings=True).startswith(
            "Only in the normal run: 0\nOnly in the faulty run: 4\nVerdict: "))

    def test_too_few_traces_for_a_score(self):
        self.make("elsewhere")
        rows = self.json("compare", "elsewhere", "elsewhere")["configurations"]
        self.assertEqual({row["bscore"] for row in rows}, {None})
        self.assertRegex(self.difftrace("compare", "elsewhere", "elsewhere"), r"11\.all\.0K1000 .* ward +-  ")

    def test_earlier_result_is_kept(self):
        self.make("normal", "swapbug", "deadlock")
        self.difftrace("compare", "normal", "swapbug")
        self.difftrace("compare", "normal", "deadlock")
        self.assertEqual(self.json("rank", "difftrace.out.old")["faulty"], "swapbug")
        self.assertEqual(self.json("rank")["faulty"], "deadlock")

    def test_output_must_not_be_an_input(self):
        self.make("normal", "swapbug")
        os.rename(self.path("normal"), self.path("swapbug.old"))
        for out in ("swapbug", "swapbug/"):
            self.assertIn("choose another output", self.error("compare", "swapbug.old", "swapbug", "-o", out))
        self.make("normal")
        os.rename(self.path("swapbug"), self.path("x.old"))
        self.assertIn("choose another output", self.error("compare", "normal", "x.old", "-o", "x"))
        self.assertTrue(os.path.exists(self.path("x.old", "processes")))

    def test_library_threads_are_in_no_matrix(self):
        """What MPI's own threads do differs from run to run."""
        self.make("oddeven4", "library-threads")
        document = self.json("compare", "library-threads", "oddeven4")
        self.assertEqual(document["only_in_normal"], ["0.a", "1.a", "2.a", "3.a"])
        self.assertEqual(document["suspects"], [])
        self.assertEqual({row["bscore"] for row in document["configurations"]}, {1.0})
        self.assertEqual(self.json("jsm", "--of", "normal")["traces"], ["0.0", "1.0", "2.0", "3.0"])

    def test_odd_names(self):
        self.make("odd-names")
        self.difftrace("compare", "odd-names", "odd-names")

    def test_threads_do_not_change_the_result(self):
        self.make("normal", "deadlock")
        self.assertEqual(self.json("compare", "normal", "deadlock", "-j", "1"),
                         self.json("compare", "normal", "deadlock", "-j", "5"))


if __name__ == "__main__":
    main()
