"""difftrace tui on a real MPI job, by keys: from the verdict of a deadlock to its line, and a run that is still recorded."""

import os
import re
import signal
import subprocess
import sys
import time

from e2e_support import DIFFTRACE, OPEN_MPI, EndToEnd, environment, example, main, time_limit
from terminal import Terminal

RANKS = 8
LIMIT = 120  # seconds until something that is waited for is there
ENTER = "\r"
SCREEN = os.path.join(os.path.dirname(DIFFTRACE), "difftrace-screen.so")
ODDEVEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "oddeven", "oddeven.c")


def line_of(text):
    """The number of the line that has it."""
    with open(ODDEVEN, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


class Tui(EndToEnd):
    def tui(self, *arguments):
        terminal = Terminal([DIFFTRACE, "tui", *arguments], environment(TERM="xterm"), folder=self.folder)
        self.addCleanup(terminal.process.wait)
        self.addCleanup(terminal.process.kill)
        return terminal

    def leave(self, terminal):
        terminal.press("Q")
        self.assertEqual(terminal.end(), 0)

    def test_from_the_verdict_to_the_line(self):
        self.collect("normal", OPEN_MPI.run(RANKS, example("oddeven")))
        self.collect("faulty", OPEN_MPI.run(RANKS, example("oddeven"), "--bug", "dl"), time_limit(10), status=124)
        self.difftrace("compare", self.path("normal"), self.path("faulty"), "-o", self.path("out"))
        line = line_of("if (struck && options->bug == BUG_DEADLOCK)") + 1
        terminal = self.tui(self.path("out"))
        text = terminal.expect("> 5.0", "stuck", "is in    MPI_Recv(", "(oddeven.c:%d)" % line, "difftrace diffnlr 5.0")
        self.assertIn("5.0 is the prime suspect: exchange calls MPI_Recv", " ".join(text.split()))
        terminal.press("a" + ENTER)
        terminal.expect("Trace 5.0, filter", "+ MPI_Recv(world, from +1, tag 0")
        terminal.press(ENTER)
        terminal.expect("> oddeven.c:%d" % line, "departs from normal in exchange", "MPI_Recv(sorter->other")
        terminal.press("3v")
        terminal.expect("oddEvenSort", "exchange", "MPI_Recv")
        terminal.press("4")
        terminal.expect("Deadlock: 5-6 wait for each other", "a message from rank 6")
        terminal.press("7")
        terminal.expect("deadlock", "oddeven.c:%d" % line)
        self.leave(terminal)

    def test_a_run_that_grows(self):
        """R reads it again: more each time, and at last that it has ended."""
        run = self.path("run")
        job = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--timeout", "300", "--",
                                *OPEN_MPI.run(RANKS, example("oddeven"), "--bug", "dl")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(), start_new_session=True)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        self.once(lambda: os.path.exists(os.path.join(run, ".difftrace")))
        self.once(lambda: subprocess.run([DIFFTRACE, "info", "--quiet", run], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                         env=environment(), check=False).returncode == 0)
        terminal = self.tui(run)
        terminal.expect("1 Traces")

        def read_again():
            terminal.press("R")
            text = terminal.expect("read again: ")
            found = re.search(r"read again: (\d+) traces, (\d+) words( so far|; the run has ended)", text)
            self.assertIsNotNone(found, text)
            return int(found.group(1)), int(found.group(2)), found.group(3)
        self.once(lambda: read_again()[0] >= RANKS)
        terminal.press("t5" + ENTER)
        terminal.expect("---- trace 5.0")
        self.once(lambda: "is in    MPI_Recv" in (read_again() and terminal.screen.text()))
        state = read_again()
        self.assertEqual(state[2], " so far")
        self.assertIn("> 5.0", terminal.screen.text())  # what is selected stays
        os.killpg(job.pid, signal.SIGTERM)
        job.wait(LIMIT)
        self.once(lambda: read_again()[2] == "; the run has ended")
        self.leave(terminal)

    def once(self, condition):
        """Waits for it."""
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.3)
        raise AssertionError("not within %d s" % LIMIT)


if __name__ == "__main__":
    if not os.path.exists(SCREEN) or not OPEN_MPI.available():
        sys.exit(77)
    main()
