"""Signals that end programs: the run tells which thread they hit, and the program notices nothing."""

import os
import re
import shutil
import signal
import subprocess
import unittest

from e2e_support import DIFFTRACE, LIMIT, OPEN_MPI, EndToEnd, app, environment, execute, main, other_lines

FATAL = app("fatal")
MODES = ("main", "app", "*")


def without_addresses(lines):
    return [re.sub("0x[0-9a-f]+", "ADDRESS", line) for line in lines]


class Fatal(EndToEnd):
    def fatal(self, run):
        """{trace: what ended its process}."""
        return {trace["trace"]: trace["fatal"] for trace in self.json("info", run)["traces"] if trace["fatal"]}

    def assert_alike(self, images, *how):
        """Output and end as without the tracer; the run."""
        plain = execute([FATAL, *how])
        status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
        run, traced = self.collect("run", [FATAL, *how], ["--images", images], status=status)
        self.assertEqual(traced.stdout, plain.stdout)
        return run

    def test_programs_that_go_on(self):
        for how in ("query", "settings", "recover", "alternate", "children"):
            for images in MODES:
                with self.subTest(how=how, images=images):
                    self.assert_alike(images, how)

    def check_hit(self, number, trace, function, *how):
        for images in MODES:
            with self.subTest(how=how, images=images):
                fatal = self.fatal(self.assert_alike(images, *how))
                self.assertEqual(list(fatal), [trace])
                self.assertEqual(fatal[trace]["signal"], number)
                self.assertFalse(fatal[trace]["sent"])
                if images != "*":  # there it is a function of the C library
                    self.assertEqual(fatal[trace]["function"], function)
                    self.assertIn(function, self.open_calls(trace))

    def open_calls(self, trace):
        return self.json("stack", self.path("run"), "--quiet", "-t", trace)["frames"]

    def test_main_thread(self):
        for how, number, function in (("segv", signal.SIGSEGV, "die_segv"), ("copy", signal.SIGSEGV, "memcpy@plt"), ("bus", signal.SIGBUS, "die_bus"),
                                      ("fpe", signal.SIGFPE, "die_fpe"), ("abort", signal.SIGABRT, "abort"),
                                      ("raise", signal.SIGFPE, "raise"), ("overflow", signal.SIGSEGV, "overflow")):
            self.check_hit(number, "0.0", function, how)

    def test_one_thread_of_five(self):
        for how, number, function in (("segv", signal.SIGSEGV, "die_segv"), ("abort", signal.SIGABRT, "abort"),
                                      ("overflow", signal.SIGSEGV, "overflow")):
            self.check_hit(number, "0.2", function, "threads", how)

    def test_handler_that_is_called_once(self):
        for how, number, function in (("segv", signal.SIGSEGV, "die_segv"), ("fpe", signal.SIGFPE, "die_fpe"),
                                      ("abort", signal.SIGABRT, "abort")):
            self.check_hit(number, "0.2", function, "once", how)

    def test_handler_that_sends_it_again(self):
        for mode in ("again", "again-at-once"):
            for how, number, function in (("segv", signal.SIGSEGV, "die_segv"), ("fpe", signal.SIGFPE, "die_fpe"),
                                          ("raise", signal.SIGFPE, "raise"), ("abort", signal.SIGABRT, "abort")):
                self.check_hit(number, "0.0", function, mode, how)

    def test_where_it_was_hit_is_not_where_the_handler_ends_it(self):
        for mode in ("again", "again-at-once"):
            with self.subTest(mode=mode):
                run, _ = self.collect(mode, [FATAL, mode, "segv"], status=128 + signal.SIGSEGV)
                stack = self.json("stack", run, "--quiet", "-t", "0.0")
                self.assertEqual(stack["frames"][-1], "die_segv")
                self.assertRegex(stack["at"], r"^fatal\.c:\d+$")
                self.assertRegex(stack["address"], "^0x[0-9a-f]+40$")
                tree = self.json("stack", run, "--quiet")["frames"]
                self.assertEqual([frame.get("function") for frame in tree][-2:], ["die_segv", None])
                self.assertEqual(tree[-1]["end"], "signal 11 (Segmentation fault) at " + stack["at"])
                self.assertEqual(tree[-1]["traces"], ["0.0"])
                self.assertIn("raise", self.difftrace("dump", run).stdout)

    def test_own_alternate_stack(self):
        """Its handler has survived the overflow three times; the fourth is the end, seen by that handler's call only."""
        for images in MODES:
            with self.subTest(images=images):
                self.assertEqual(list(self.fatal(self.assert_alike(images, "survive"))), ["0.0"])

    def test_children(self):
        fatal = self.fatal(self.assert_alike("main", "children"))
        self.assertEqual([fatal["%d.0" % child]["signal"] for child in range(1, 10)],
                         [signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGFPE,
                          signal.SIGBUS, signal.SIGILL, signal.SIGSEGV])

    def test_sent_from_outside(self):
        run = self.path("run")
        with subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--", FATAL, "wait"], stdout=subprocess.PIPE, text=True,
                              env=environment(), stderr=subprocess.DEVNULL) as collector:
            self.assertEqual(collector.stdout.readline(), "ready\n")
            with open("/proc/%d/task/%d/children" % (collector.pid, collector.pid)) as children:
                os.kill(int(children.read().split()[0]), signal.SIGSEGV)
            self.assertEqual(collector.wait(LIMIT), 128 + signal.SIGSEGV)
        self.assertTrue(self.fatal(run)["0.0"]["sent"])

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_core(self):
        """The dump of a traced program shows the faulting instruction and the signal, not our handler."""
        # A stack may overflow where the hook saves registers, too: gdb has no name for that place.
        for how, place in (("segv", r"\bdie_segv \("), ("fpe", r"\bdie_fpe \("), ("overflow", r"(\boverflow|\?\?) \(")):
            with self.subTest(how=how):
                self.assert_core(how, place)

    def assert_core(self, how, place):
        with open("/proc/sys/kernel/core_pattern") as pattern:
            if pattern.read().strip() != "core":
                self.skipTest("cores go elsewhere")
        self.collect("run", ["sh", "-c", "cd %s && ulimit -c unlimited && exec %s %s" % (self.folder, FATAL, how)],
                     ["--only", "fatal"], status=None)
        name = next(name for name in os.listdir(self.folder) if name.startswith("core"))
        shown = execute(["gdb", "-q", "-batch", "-nx", "-ex", "bt 1", FATAL, os.path.join(self.folder, name)]).stdout
        os.remove(os.path.join(self.folder, name))
        self.assertRegex(shown, "Program terminated with signal SIG")
        self.assertRegex(shown, "#0 .*" + place)


class Leaps(EndToEnd):
    def test_handlers_that_never_come_back(self):
        """Three thousand times a handler leaves whatever it interrupted; afterwards the thread records as before."""
        for images, *arguments in *((images,) for images in MODES), ("app", "of real time"):
            with self.subTest(images=images, arguments=arguments):
                run, traced = self.collect("run", [app("leaps"), *arguments], ["--images", images])
                self.assertEqual(traced.stdout, "left 1 times\n")
                self.assertEqual(self.json("info", run)["dropped"], 0)
                calls = {one["function"]: one["calls"] for one in self.json("stats", run, "--by", "function")["functions"]}
                self.assertEqual([calls[name] for name in ("last", "last_leaf", "pthread_rwlock_rdlock", "pthread_rwlock_unlock")],
                                 [1, 20000, 200, 200])


class Resent(EndToEnd):
    def test_signals_that_have_to_wait(self):
        """Where a handler may leave by siglongjmp, signals that hit us come again later, as they were."""
        for images in MODES:
            with self.subTest(images=images):
                _, traced = self.collect("run", [app("resent")], ["--images", images])
                self.assertEqual(traced.stdout, "4000 and 4000 answered, 0 wrong, none blocked\n")

    def test_signals_of_real_time(self):
        """They keep their order, though others of their number were waiting when one was sent again."""
        for images in MODES:
            for how in ([], ["leave"]):
                with self.subTest(images=images, how=how):
                    _, traced = self.collect("run", [app("queued"), *how], ["--images", images])
                    self.assertEqual(traced.stdout, "20000, 20000 and 1000 answered, 0 wrong\n")


class Once(EndToEnd):
    """Handlers with SA_RESETHAND, of which the kernel does not know."""

    def test_as_without_us(self):
        for how in ("told", "children", "filtered", "race", "again"):
            plain = execute([app("once"), how])
            self.assertEqual(plain.returncode, 0)
            for images in MODES:
                with self.subTest(how=how, images=images):
                    _, traced = self.collect("run", [app("once"), how], ["--images", images])
                    self.assertEqual(traced.stdout, plain.stdout)

    def test_nothing_is_blocked_beforehand(self):
        """A hundred thousand locks take no more system calls than a hundred."""
        for images in MODES:
            with self.subTest(images=images):
                _, traced = self.collect("run", [app("once"), "locks"], ["--images", images])
                few, many = map(int, traced.stdout.split())
                if few < 0:
                    self.skipTest("no process may be looked at")
                self.assertLess(many - few, 1000)


class Interrupted(EndToEnd):
    """What a handler records costs no word of what it interrupted; app/interrupts.c counts its calls itself."""

    def assert_counted(self, how, *options):
        run, traced = self.collect("run", [app("interrupts"), how], options)
        made = {name: int(count) for name, count in (line.split() for line in traced.stdout.splitlines())}
        calls = {one["function"]: one["calls"] for one in self.json("stats", run, "--by", "function")["functions"]}
        self.assertEqual({name: calls.get(name, 0) for name in made}, made)
        self.assertEqual(self.json("info", run)["dropped"], 0)
        return run

    def assert_balanced(self, run):
        depth = 0
        for _, entry, _ in self.events(run):
            depth += 1 if entry else -1
            self.assertGreaterEqual(depth, 0)

    def test_at_every_instruction(self):
        for images in MODES:
            with self.subTest(images=images):
                self.assert_balanced(self.assert_counted("steps", "--images", images, "--exclude", "on_trap"))

    def test_storm(self):
        for images in MODES:
            with self.subTest(images=images):
                self.assert_counted("storm", "--images", images)

    def test_signals_that_are_there_again(self):
        """In a batch, too, what it interrupted goes on before the next one comes."""
        for images in MODES:
            with self.subTest(images=images):
                self.assert_counted("chains", "--images", images)

    def test_first_calls(self):
        """Signals wait while functions get their ids, and their handlers call others for the first time."""
        for images in MODES:
            with self.subTest(images=images):
                self.assert_counted("first", "--images", images)

    def test_signals_of_real_time(self):
        for how in ("queued", "first-queued"):
            for images in MODES:
                with self.subTest(how=how, images=images):
                    self.assert_counted(how, "--images", images)


class Python(EndToEnd):
    def test_faulthandler(self):
        """Its handler, on its own alternate stack, tells where Python was; then the default action."""
        script = "import faulthandler, ctypes; faulthandler.enable(); ctypes.string_at(0)"
        plain = execute(["/usr/bin/python3", "-c", script])
        for images in MODES:
            with self.subTest(images=images):
                run, traced = self.collect("run", ["/usr/bin/python3", "-c", script], ["--images", images],
                                           status=128 + signal.SIGSEGV)
                self.assertEqual(without_addresses(other_lines(traced.stderr)),
                                 without_addresses(plain.stderr.splitlines()))
                fatal = [trace["fatal"] for trace in self.json("info", run)["traces"] if trace["fatal"]]
                self.assertEqual([hit["signal"] for hit in fatal], [signal.SIGSEGV])


@unittest.skipUnless(OPEN_MPI.available(), "no Open MPI")
class OpenMPI(EndToEnd):
    def test_its_own_handler(self):
        """Open MPI handles the signal, once, to print a backtrace; the rank that it hit is told all the same."""
        run, result = self.collect("run", OPEN_MPI.run(3, app("mpi-early-end"), "init"), status=None)
        hit = [trace for trace in self.json("info", run)["traces"] if trace["fatal"]]
        self.assertEqual([trace["trace"] for trace in hit], ["1.0"])
        self.assertIn("Signal: ", result.stdout + result.stderr)


if __name__ == "__main__":
    main()
