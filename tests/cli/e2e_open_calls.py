"""Where the open calls of a program were made that ends: against gdb's backtraces of the same program, untraced."""

import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from e2e_support import EndToEnd, app, environment, execute, main, time_limit

SOURCE = "open_calls.cc"
HIT = {"store": signal.SIGSEGV, "library": signal.SIGSEGV, "leaf": signal.SIGSEGV, "raise": signal.SIGFPE,
       "abort": signal.SIGABRT, "assert": signal.SIGABRT, "throw": signal.SIGABRT}
PROGRAMS = ("open-calls", "open-calls-o0", "open-calls-o2")


def lines_of(backtrace):
    """The program's lines, outermost first."""
    frames = re.findall(r"^#\d+ .*?(?: at \S*?([^/\s]+):(\d+))?$", backtrace, re.M)
    return ["%s:%s" % frame for frame in reversed(frames) if frame[0] == SOURCE]


def gdb(*arguments):
    return execute(["gdb", "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", "set width 0", *arguments]).stdout


def gdb_at_end(program, way):
    stop = [] if way in HIT else ["-ex", "handle SIGTERM stop"] if way == "terminate" else ["-ex", "catch syscall exit_group"]
    return lines_of(gdb(*stop, "-ex", "run", "-ex", "bt", "--args", program, way))


def gdb_of_hung(program, way):
    """The lines of each thread, main thread first."""
    with subprocess.Popen([program, way], stdout=subprocess.PIPE, text=True, env=environment()) as process:
        try:
            process.stdout.readline()
            time.sleep(0.2)  # into the call that hangs
            text = gdb("-p", str(process.pid), "-ex", "thread apply all bt")
        finally:
            process.kill()
    threads = re.split(r"^Thread \d+ .*$", text, flags=re.M)[1:]
    return [lines_of(thread) for thread in reversed(threads)]


@unittest.skipUnless(shutil.which("gdb"), "gdb is not there")
class OpenCalls(EndToEnd):
    def check(self, run, trace, expected):
        stack = self.json("stack", run, "--quiet", "-t", trace)
        calls = [line for line in stack["calls"] if line]
        self.assertTrue(expected)
        self.assertEqual(stack["at"], expected[-1], stack)
        # Where the innermost open call is the program's own it is at a line that is no call's.
        self.assertIn(calls, (expected, expected[:-1]), stack)
        return stack

    def test_lines_are_those_of_gdb_when_it_ends(self):
        for name in PROGRAMS:
            for way in (*HIT, "exit", "terminate"):
                with self.subTest(program=name, way=way):
                    run, _ = self.collect("run", [app(name), way], status=None)
                    stack = self.check(run, "0.0", gdb_at_end(app(name), way))
                    self.assertEqual(stack.get("signal"), HIT.get(way))
                    if way in ("store", "library", "leaf"):
                        self.assertEqual(stack["address"], "0x0")

    def test_the_function_that_was_inlined_is_told(self):
        for name in PROGRAMS:
            with self.subTest(program=name):
                run, _ = self.collect("run", [app(name), "inlined"], status=128 + signal.SIGSEGV)
                stack = self.json("stack", run, "--quiet", "-t", "0.0")
                self.assertEqual(stack["inlined"], "scribble")
                self.assertNotIn("scribble", "".join(stack["frames"]))
                self.assertIn("at %s in scribble, inlined: signal 11" % stack["at"], self.difftrace("stack", run, "-t", "0").stdout)
                self.difftrace("collect", "-o", self.path("other"), "--", app(name), "store", status=None)
                self.assertNotIn("inlined", self.json("stack", self.path("other"), "-t", "0.0"))
                shutil.rmtree(self.path("run"))
                shutil.rmtree(self.path("other"))

    def test_lines_are_those_of_gdb_when_it_hangs(self):
        for name in PROGRAMS:
            for way in ("pause", "lock", "threads"):
                with self.subTest(program=name, way=way):
                    run, _ = self.collect("run", [app(name), way], time_limit(2), status=None)
                    for number, expected in enumerate(gdb_of_hung(app(name), way)):
                        self.check(run, "0.%d" % number, expected)

    def test_a_launcher_does_not_kill_its_ranks_before_they_have_kept_them(self):
        """As mpirun does: told to end, it kills what is left."""
        launcher = 'for i in 1 2 3 4; do "$0" endless 0 & ranks="$ranks $!"; done; trap "kill -KILL $ranks; exit 1" TERM; wait'
        run, _ = self.collect("run", ["sh", "-c", launcher, app("team")], status=124, options=time_limit(2),
                              env=environment(OMP_NUM_THREADS="1"))
        ends = [process for process in self.json("info", run)["processes"] if process["threads"] > 0]
        teams = [process for process in ends if process["end"] == "signal"]
        self.assertEqual([process["status"] for process in teams], 4 * [signal.SIGTERM], ends)

    def test_lines_stay_when_the_program_is_gone(self):
        program = self.path("program")
        shutil.copy2(app("open-calls"), program)
        run, _ = self.collect("run", [program, "abort"], status=None)
        before = self.json("stack", run, "--quiet", "-t", "0.0")
        os.unlink(program)
        self.assertEqual(self.json("stack", run, "--quiet", "-t", "0.0"), before)
        self.assertTrue(before["at"].startswith(SOURCE + ":"))


main()
