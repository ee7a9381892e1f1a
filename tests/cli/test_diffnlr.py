"""difftrace diffnlr: where a trace departs from its normal one."""

import os
import pty

from support import DIFFTRACE, CommandTest, main, read

SWAP = """Trace 5.0, filter 11.mpiall.0K1000: after 7 of 16 iterations of L1: L0^9 instead
= both runs   - normal run only   + faulty run only

  normal: normal              faulty: swapbug
= MPI_Init                  = MPI_Init
= MPI_Comm_rank             = MPI_Comm_rank
= MPI_Comm_size             = MPI_Comm_size
- L1^16                     + L1^7
                            + L0^9
= MPI_Finalize              = MPI_Finalize
= (end)                     = (end)

L0 = [MPI_Send MPI_Recv]
L1 = [MPI_Recv MPI_Send]
"""


class DiffNlr(CommandTest):
    def compare(self, faulty):
        self.make("normal", faulty)
        self.difftrace("compare", "normal", faulty)

    def test_swap(self):
        self.compare("swapbug")
        for label in ("5", "5.0"):
            self.assertEqual(self.difftrace("diffnlr", label, "--filter", "mpiall"), SWAP)

    def test_document(self):
        self.compare("swapbug")
        document = self.json("diffnlr", "5", "difftrace.out", "--filter", "mpiall")
        self.assertEqual(document["blocks"],
                         [{"kind": "common", "elements": ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size"]},
                          {"kind": "change", "normal": ["L1^16"], "faulty": ["L1^7", "L0^9"]},
                          {"kind": "common", "elements": ["MPI_Finalize"]}])
        self.assertEqual(document["bodies"], {"L0": ["MPI_Send", "MPI_Recv"], "L1": ["MPI_Recv", "MPI_Send"]})
        self.assertEqual((document["same"], document["distance"]), (False, 3))
        self.assertEqual((document["normal_open"], document["faulty_open"]), (None, None))

    def test_count_blind(self):
        for name, counts in (("fast", [3, 5, 2, 4]), ("slow", [3, 5, 7, 4])):
            with open(self.path(name + ".txt"), "w", encoding="utf-8") as file:
                for count in counts:
                    file.write("0.0 > step\n" + "0.0 > work\n0.0 <\n" * count + "0.0 <\n")
            self.difftrace("import", "--from", "text", name + ".txt", "-o", name, warnings=True)
        self.difftrace("compare", "fast", "slow", "--nlr", "count-blind", warnings=True)
        lines = self.lines("diffnlr", "0", "--filter", "all")
        self.assertEqual(lines[0], "Trace 0.0, filter 11.all.0K1000: L0 inside other loops: other counts")
        self.assertEqual(lines[-5:], ["L1 = [step L0^*]", "", "Counts kept aside", "- L0: 3 5 2 4", "+ L0: 3 5 7 4"])
        self.assertIn("+ L0^7", self.difftrace("diffnlr", "0", "--filter", "all", "--nlr", "plain"))

    def test_call_tree(self):
        for name, last in (("right", "send"), ("wrong", "receive")):
            with open(self.path(name + ".txt"), "w", encoding="utf-8") as file:
                file.write("0.0 > main\n")
                for partner in ("send", "send", last):
                    file.write("0.0 > step\n0.0 > exchange\n0.0 > " + partner + "\n" + "0.0 <\n" * 3)
                file.write("0.0 > finish\n0.0 <\n0.0 <\n")
            self.difftrace("import", "--from", "text", name + ".txt", "-o", name, warnings=True)
        self.difftrace("compare", "right", "wrong", warnings=True)
        lines = self.lines("diffnlr", "0", "--filter", "all", "--nlr", "call-tree")
        self.assertEqual(lines[0], "Trace 0.0, filter 11.all.0K1000: in main: after 2 of 3 iterations of L0: step{2} instead")
        document = self.json("diffnlr", "0", "--filter", "all", "--nlr", "call-tree")
        self.assertEqual(document["path"], ["main"])
        self.assertEqual(document["nodes"]["exchange{2}"], ["receive"])

    def test_deadlock(self):
        self.compare("deadlock")
        lines = self.lines("diffnlr", "5", "--filter", "mpiall")
        self.assertIn("- L1^16                     + L1^7", lines)
        self.assertIn("- (end)                     + MPI_Recv never returned", lines)
        self.assertEqual(self.json("diffnlr", "5", "--filter", "mpiall")["faulty_open"], "MPI_Recv")
        # Without a selection the filter is one that shows how the trace ended.
        self.assertIn("MPI_Recv never returned", self.difftrace("diffnlr", "5", warnings=True))

    def test_k_alone_replaces_that_of_the_row(self):
        self.compare("swapbug")
        self.assertIn(".0K3:", self.lines("diffnlr", "5", "-k", "3")[0])

    def test_no_difference(self):
        self.compare("swapbug")
        text = self.difftrace("diffnlr", "4", "--filter", "mpiall")
        self.assertIn("no difference", text.splitlines()[0])
        self.assertNotIn("\n+", text)
        self.assertTrue(self.json("diffnlr", "4", "--filter", "mpiall")["same"])

    def test_pictures(self):
        self.compare("deadlock")
        self.difftrace("diffnlr", "5", "--filter", "mpiall", "--format", "svg", "-o", "5.svg")
        texts = self.svg_texts(read(self.path("5.svg")))
        for words in ("both runs", "normal only", "faulty only", "L1 \u00d7 16", "L1 \u00d7 7",
                      "never returned: the last MPI_Recv"):
            self.assertIn(words, texts)
        dot = self.difftrace("diffnlr", "5", "--filter", "mpiall", "--format", "dot")
        self.assertTrue(dot.startswith("digraph"))

    def test_picture_of_very_different_traces_is_bounded(self):
        self.make("steps-normal", "steps-faulty")
        self.difftrace("compare", "steps-normal", "steps-faulty")
        dot = self.difftrace("diffnlr", "1", "--format", "dot")
        self.assertLessEqual(dot.count("[label"), 201)
        self.assertIn("more stretches are not drawn", dot)
        self.assertEqual(len(self.json("diffnlr", "1")["blocks"]), 900)

    def test_colours_on_a_terminal_only(self):
        self.compare("swapbug")
        self.assertNotIn("\033", self.difftrace("diffnlr", "5"))
        os.environ.pop("NO_COLOR", None)
        os.environ["TERM"] = "xterm"
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execv(DIFFTRACE, [DIFFTRACE, "diffnlr", "5", "--filter", "mpiall"])
        shown = b""
        try:
            while chunk := os.read(terminal, 4096):
                shown += chunk
        except OSError:  # the child is gone
            pass
        os.close(terminal)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertIn(b"\033[34m- L1^16\033[0m", shown)
        self.assertIn(b"\033[31m+ L0^9\033[0m", shown)

    def test_runs_by_other_names(self):
        """The names are those that were given to compare; the runs are found from anywhere."""
        self.compare("swapbug")
        os.mkdir(self.path("elsewhere"))
        result = self.execute("diffnlr", "5", self.path("difftrace.out"), "--filter", "mpiall")
        self.assertEqual(result.stdout, SWAP)


if __name__ == "__main__":
    main()
