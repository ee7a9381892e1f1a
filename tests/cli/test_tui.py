"""difftrace tui on a terminal, with keys as a user presses them: a deadlock, a slow rank, runs alone, a crash, 1,000 ranks."""

import os
import shutil
import unittest

from support import DIFFTRACE, CommandTest, main
from terminal import REVERSE, Terminal

DOWN, RIGHT, LEFT, END, HOME, ESCAPE, ENTER = "\033OB", "\033OC", "\033OD", "\033OF", "\033OH", "\033", "\r"
COLOURS = range(30, 50)
SCREEN = os.path.join(os.path.dirname(DIFFTRACE), "difftrace-screen.so")


class Tui(CommandTest):
    def tui(self, *arguments, rows=24, columns=80, program=DIFFTRACE, **variables):
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        environment.update({"LC_ALL": "C.UTF-8", "TERM": "xterm", **variables})
        terminal = Terminal([program, "tui", *arguments], environment, rows, columns, self.folder)
        self.addCleanup(terminal.process.wait)
        self.addCleanup(terminal.process.kill)
        return terminal

    def leave(self, terminal, keys="Q"):
        terminal.press(keys)
        self.assertEqual(terminal.end(), 0)
        self.assertIn("\033[?1l\033>", terminal.written[-100:])  # the terminal is as it was

    def compared(self, normal, faulty, *options):
        self.make(normal, faulty)
        self.difftrace("compare", normal, faulty, *options, warnings=True)

    # ---- what it is for ---------------------------------------------------------------------------

    def test_deadlock(self):
        """Who, why, and what to type next on the first screen; deeper and back; the same words as the commands'."""
        self.compared("normal", "deadlock", "-f", "mpi")
        terminal = self.tui()
        text = terminal.expect("Verdict: 5.0 is the prime suspect: oddEvenSort calls MPI_Recv where MPI_Send", "> 5.0     0.99  suspect",
                               "after 7 of 16 iterations", "is in    MPI_Recv", "difftrace diffnlr 5.0 difftrace.out", "Enter deeper")
        self.assertIn(" ".join(self.lines("rank")[0].split()[:12]), " ".join(text.split()))
        terminal.press(ENTER)
        text = terminal.expect("- L1^16", "+ MPI_Recv never returned", "L1 = [MPI_Recv MPI_Send]", "Enter source")
        printed = self.lines("diffnlr", "5")
        self.assertEqual([line for line in text.splitlines() if line[:2] in ("= ", "- ")],
                         [line for line in printed if line[:2] in ("= ", "- ")])
        terminal.press(ENTER)
        terminal.expect("No line is known", "compile it with -g")
        terminal.press("q")
        terminal.expect("- L1^16")
        terminal.press("3")
        terminal.expect("* main", "* oddEvenSort", "* MPI_Recv", "this trace")
        terminal.press("v")
        terminal.expect("MPI_Recv  16:[0-15]", "all traces |")
        terminal.press("r")
        terminal.expect("normal run of", "(no open call)  16:[0-15]", without=["MPI_Recv"])
        terminal.press("1" + DOWN)
        terminal.expect("> 4.0", "---- trace 4.0")
        terminal.press(ESCAPE)
        self.assertEqual(terminal.end(), 0)

    def test_selection_is_kept(self):
        self.compared("normal", "deadlock", "-f", "mpi", "-f", "all")
        terminal = self.tui("difftrace.out")
        terminal.expect("> 5.0")
        terminal.press("jf2")
        text = terminal.expect("Trace 4.0, filter 11.", "| filter 11.")
        self.assertIn("Trace 4.0, filter %s:" % text.split("| filter ")[1].split()[0], text)
        terminal.press("t9" + ENTER)
        terminal.expect("Trace 9.0, filter 11.")
        terminal.press(">1")
        text = terminal.expect("> ", "| filter 11.", "---- trace ")
        self.assertNotIn("---- trace 9.0", text)
        self.leave(terminal)

    def test_search_and_help(self):
        self.compared("normal", "deadlock", "-f", "mpi")
        terminal = self.tui()
        terminal.press("?")
        text = terminal.expect("What is selected", "each by its key")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        terminal.press("q/11.0" + ENTER)
        terminal.expect("> 11.0", "---- trace 11.0")
        self.assertIn("11.0", terminal.screen.looking(43))  # found text is yellow
        terminal.press("/nothing of the kind" + ENTER)
        terminal.expect("'nothing of the kind' is not here", "> 11.0")
        terminal.press("1" + HOME + RIGHT)
        terminal.expect("> ", without=["trace  score"])
        terminal.press(LEFT)
        terminal.expect("trace  score")
        self.leave(terminal, "q")

    def test_slow_rank(self):
        """Enter leads to the times of a suspect for its times."""
        self.make("timed-normal", "timed-longer")
        for name in "second", "third":
            shutil.copytree(self.path("timed-normal"), self.path(name))
        self.difftrace("compare", "timed-normal", "timed-longer", "-b", "second", "-b", "third", warnings=True)
        terminal = self.tui()
        text = terminal.expect("Verdict", "Enter: the times", "difftrace times timed-longer --by function")
        self.assertIn("since iteration", " ".join(text.split()))
        terminal.press(ENTER)
        terminal.expect("by call", "MPI_", "time   share")
        terminal.press("vv")
        terminal.expect("by rank |", "in MPI")
        terminal.press("vvvv")
        terminal.expect("waits |", "Waited")
        terminal.press("Vr")
        terminal.expect("over time |", "share of MPI in tenths", "normal run of")
        self.leave(terminal)

    def test_run_alone(self):
        """Without a comparison: all traces, those to be blamed first."""
        self.make("timed", "deadlock")
        terminal = self.tui("deadlock")
        terminal.expect("1 Traces", "> 0.0", "---- trace 0.0", "Enter: the stack", "difftrace stack deadlock -t 0.0")
        terminal.press(DOWN + ENTER)
        terminal.expect("trace 1.0", "* MPI_Recv")
        terminal.press("2")
        terminal.expect("A difference needs two runs: difftrace compare")
        terminal.press("5")
        terminal.expect("recorded without times", "--times")
        terminal.press("7")
        terminal.expect("0 errors, 0 warnings")
        terminal.press("qr")
        terminal.expect("there is one run only")
        self.leave(terminal)
        terminal = self.tui("timed")
        terminal.press("5")
        terminal.expect("MPI_", "by call")
        self.leave(terminal)

    def test_crash(self):
        self.make("crashed")
        terminal = self.tui("crashed")
        terminal.expect("> 4.0", "crashed", "signal 11")
        terminal.press(ENTER)
        terminal.expect("* main", "* solve", "trace 4.0")
        self.leave(terminal)

    def test_a_thousand_ranks(self):
        self.compared("many-ranks-normal", "many-ranks-faulty", "-f", "mpi")
        terminal = self.tui()
        terminal.expect("Verdict: 516.0 is the prime suspect", "> 516.0", "517.0")
        terminal.press("v")
        terminal.expect("of 1000", "> 516.0")
        terminal.press(END)
        terminal.expect("> 999.0", "-1000 of 1000")
        terminal.press("t42" + ENTER)
        terminal.expect("trace 42.0", "> 42.0" if "> 42.0" in terminal.screen.text() else "42.0")
        terminal.press("3v")
        terminal.expect("MPI_Barrier  998:[0-515,518-999]", "MPI_Recv  2:[516-517]")
        self.leave(terminal)

    # ---- terminals ----------------------------------------------------------------------------------

    def test_sizes(self):
        self.compared("normal", "deadlock", "-f", "mpi")
        terminal = self.tui()
        terminal.expect("> 5.0")
        for rows, columns in ((50, 200), (10, 40), (5, 20), (3, 10), (2, 5), (1, 1), (24, 80)):
            terminal.resize(rows, columns)
            terminal.read(0.3)
            for view in "1234567?":
                terminal.press(view)
                terminal.read(0.05)
        terminal.press("1")
        text = terminal.expect("> 5.0", "Verdict", "Enter deeper")
        self.assertEqual(len(text.splitlines()), 24)
        terminal.resize(40, 150)
        terminal.expect("oddEvenSort calls MPI_Recv where MPI_Send comes normally; stuck in MPI_Recv", "differs  ends in")
        self.leave(terminal)

    def test_colours(self):
        self.compared("normal", "deadlock", "-f", "mpi")
        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "vt100"}, False)):
            with self.subTest(variables=variables):
                terminal = self.tui(**variables)
                terminal.expect("> 5.0")
                self.assertIn("> 5.0     0.99", terminal.screen.looking(REVERSE))
                terminal.press(ENTER)
                terminal.expect("- L1^16")
                looks = {look for row in terminal.screen.cells for _, look in row for look in look}
                self.assertEqual(any(look in COLOURS for look in looks), coloured)
                if coloured:
                    self.assertIn("- L1^16", terminal.screen.looking(34))
                    self.assertIn("+ L1^7", terminal.screen.looking(31))
                self.leave(terminal)

    def test_ascii(self):
        """Where the terminal has no UTF-8, nothing else is written to it."""
        self.compared("normal", "deadlock", "-f", "mpi")
        os.rename(self.path("difftrace.out"), self.path("résult"))
        for locale, title in (("C", "faulty run of r?sult"), ("C.UTF-8", "faulty run of résult")):
            terminal = self.tui("résult", LC_ALL=locale)
            terminal.expect("> 5.0", title)
            self.assertEqual(terminal.written.isascii(), locale == "C")
            self.leave(terminal)

    def test_without_a_screen(self):
        self.compared("normal", "deadlock", "-f", "mpi")
        self.assertIn("'difftrace rank'", self.error("tui", lines=1))
        for variables, word in (({"TERM": "dumb"}, "TERM is not dumb"), ({"TERM": "no-such-terminal"}, "TERM=no-such-terminal")):
            terminal = self.tui(columns=400, **variables)
            self.assertEqual(terminal.end(), 2)
            self.assertIn(word, terminal.written)
            self.assertIn("'difftrace rank'", terminal.written)
            self.assertEqual(len(terminal.written.strip().splitlines()), 1)
        os.mkdir(self.path("bin"))
        for name in ("difftrace", "difftrace-analysis.so"):
            shutil.copy(os.path.join(os.path.dirname(DIFFTRACE), name), self.path("bin"))
        terminal = self.tui(columns=400, program=self.path("bin", "difftrace"))
        self.assertEqual(terminal.end(), 2)
        self.assertIn("no difftrace-screen.so", terminal.written)

    def test_what_is_not_there(self):
        self.make("normal")
        for path, words in ((None, ["no result of a comparison"]), ("nowhere", ["no such directory"]), ("norma", ["did you mean"])):
            terminal = self.tui(*([path] if path else []), columns=400)
            self.assertEqual(terminal.end(), 2)
            self.assertTrue(all(word in terminal.written for word in words), terminal.written)
        self.compared("normal", "deadlock", "-f", "mpi")
        shutil.rmtree(self.path("deadlock"))
        terminal = self.tui()
        terminal.expect("Verdict: 5.0 is the prime suspect", "> 5.0")  # a result says this much without its runs
        terminal.press(ENTER)
        terminal.expect("the result needs the runs that it was made from")
        self.leave(terminal)


if __name__ == "__main__":
    if not os.path.exists(SCREEN):
        raise SystemExit(77)
    main()
