"""What a terminal gets: tables that fit, colours, the pager."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import unittest

from support import DIFFTRACE, LIMIT, CommandTest, main

ESCAPE = re.compile("\033\\[[0-9;]*m")


class Terminal(CommandTest):
    def setUp(self):
        super().setUp()
        self.make("normal", "deadlock")
        self.execute("compare", "normal", "deadlock", "-f", "mpi")

    def on_terminal(self, *arguments, statuses=(0,), columns=80, **variables):
        """What comes out on a terminal so wide."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {"PAGER": "cat", "TERM": "xterm", **os.environ, **variables}
        process = subprocess.Popen([DIFFTRACE, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                                   cwd=self.folder, env={**environment, **variables})
        os.close(theirs)
        out = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            out += part
        os.close(ours)
        self.assertIn(process.wait(LIMIT), statuses, out)
        return out.decode().replace("\r\n", "\n")

    def test_progress_on_terminals_only(self):
        """From a delay on; the line is gone before the result comes."""
        compare = ("compare", "normal", "deadlock", "-o", "again")
        shown = r"\r\033\[K[\w ]+(, \d+ s|\[[#.]{30}\] \d+ %)"
        out = self.on_terminal(*compare, DIFFTRACE_PROGRESS_DELAY="0")
        self.assertRegex(out, shown)
        self.assertIn("\r\033[KVerdict:", out)
        # A slow machine may take longer than the usual delay for a comparison, but not for a ranking.
        for arguments, variables in ((compare, {"DIFFTRACE_PROGRESS_DELAY": "3600"}), (("rank",), {}),
                                     (compare + ("--quiet",), {"DIFFTRACE_PROGRESS_DELAY": "0"}),
                                     (compare, {"DIFFTRACE_PROGRESS_DELAY": "0", "DIFFTRACE_QUIET": "1"})):
            self.assertNotRegex(self.on_terminal(*arguments, **variables), shown)
        os.environ["DIFFTRACE_PROGRESS_DELAY"] = "0"
        self.addCleanup(os.environ.pop, "DIFFTRACE_PROGRESS_DELAY")
        self.assertEqual(self.execute(*compare).stderr, "")

    def test_every_long_command_shows_progress(self):
        for command in (("info", "normal"), ("stats", "normal"), ("stack", "normal", "--all"), ("waits", "normal"),
                        ("nlr", "normal"), ("lattice", "normal"), ("report",), ("diffnlr", "5"), ("jsm",),
                        ("dendrogram",), ("export", "normal", "--format", "csv", "-o", "x")):
            with self.subTest(command=command):
                # What takes a millisecond may be over before anything is shown.
                self.assertTrue(any(re.search(r"\r\033\[K\w", self.on_terminal(*command, DIFFTRACE_PROGRESS_DELAY="0"))
                                    for _ in range(50)))

    def test_verdict_and_tables_fit_the_width(self):
        whole = self.difftrace("rank")
        self.assertGreater(max(map(len, whole.splitlines())), 100)
        for columns in (70, 100):
            text = self.on_terminal("rank", columns=columns, PAGER="cat")
            text = text[text.index("Verdict"):]
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
            # Nothing is lost, though a word may go on below.
            self.assertEqual(sorted("".join(text.split())), sorted("".join(whole.split())))

    def test_difference_fits_the_width(self):
        text = ESCAPE.sub("", self.on_terminal("diffnlr", "5", columns=60, PAGER="cat"))
        rows = [line for line in text.splitlines() if line[:2] in ("= ", "- ")]
        self.assertTrue(rows)
        self.assertLessEqual(max(map(len, rows)), 60)

    def test_colours_are_on_terminals_only(self):
        self.assertTrue(ESCAPE.search(self.on_terminal("diffnlr", "5", PAGER="cat")))
        self.assertFalse(ESCAPE.search(self.on_terminal("diffnlr", "5", PAGER="cat", NO_COLOR="1")))
        self.assertFalse(ESCAPE.search(self.on_terminal("diffnlr", "5", PAGER="cat", TERM="dumb")))
        self.assertFalse(ESCAPE.search(self.difftrace("diffnlr", "5")))

    def test_pager_gets_everything(self):
        mark = "sed s/^/PAGED:/"
        text = self.on_terminal("dump", "normal", "-t", "5", DIFFTRACE_PAGER=mark, PAGER="false")
        lines = self.lines("dump", "normal", "-t", "5")
        self.assertEqual(text.splitlines(), ["PAGED:" + line for line in lines])
        self.assertNotIn("PAGED", self.on_terminal("dump", "normal", "-t", "5", DIFFTRACE_PAGER="", PAGER=mark))
        self.assertTrue(ESCAPE.search(self.on_terminal("diffnlr", "5", PAGER="cat -")))

    def test_pager_that_stops_reading_stops_the_command(self):
        text = self.on_terminal("dump", "normal", DIFFTRACE_PAGER="head -n 1; true",
                                statuses=(0, -signal.SIGPIPE))  # as it is luck whether all was written before
        self.assertEqual(len(text.splitlines()), 1)

    def test_no_pager_without_a_terminal(self):
        os.environ["DIFFTRACE_PAGER"] = "sed s/^/PAGED:/"
        self.addCleanup(os.environ.pop, "DIFFTRACE_PAGER")
        self.assertNotIn("PAGED", self.difftrace("info", "normal"))


if __name__ == "__main__":
    main()
