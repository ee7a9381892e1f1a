"""Recording that is switched while the program runs; markers; times; names; programs that execute others."""

import re

from e2e_support import EndToEnd, app, environment, execute, main

DURING = [">during", ">leaf", "<leaf", "#marker: halfway", ">leaf", "<leaf", "<during"]


class Switch(EndToEnd):
    def lines(self, run, *options):
        """Events and notes of the main thread, without the names of calls that are of no interest here."""
        result = []
        for line in self.difftrace("dump", run, "-t", "0.0", "--flat", "--clock", *options).stdout.splitlines():
            _, kind, what = line.split("\t")
            if "difftrace_marker" not in what and "raise" not in what and not what.startswith("puts"):
                result.append(kind + what)
        return result

    def record(self, *options, arguments=()):
        run, result = self.collect("run", [app("switching"), *arguments], options)
        self.assertEqual(result.stdout, "done\n")
        return run

    def test_untraced(self):
        self.assertEqual(execute([app("switching")]).stdout, "done\n")

    def test_functions(self):
        lines = self.lines(self.record("--start-disabled", "--start-at", "^first$", "--stop-at", "^last$"))
        once = ["#recording on", ">first", ">leaf", "<leaf", "<first", *DURING, ">last", "#recording off", "<last"]
        self.assertEqual(lines, once + once)

    def debug(self, topics):
        """What the tracer says of itself, without process ids."""
        run, result = self.collect("run", [app("switching")], env=environment(DIFFTRACE_DEBUG=topics))
        self.assertEqual(result.stdout, "done\n")
        lines = [line for line in result.stderr.splitlines() if "difftrace[" in line or "DIFFTRACE_DEBUG" in line]
        return [re.sub(r"\[\d+\]", "", line) for line in lines]

    def test_debug(self):
        """A topic gives its lines and no others, no topic and no variable give none, and what is no topic is told once."""
        self.assertEqual(self.debug(""), [])
        _, result = self.collect("quiet", [app("switching")])
        self.assertNotIn("difftrace[", result.stderr)
        self.assertEqual(self.debug("record"), ["difftrace record: thread opened, its trace: 0"])
        lines = self.debug("plan,start,patch")
        self.assertEqual({line.split()[1] for line in lines}, {"plan:", "start:", "patch:"})
        self.assertTrue(any(re.fullmatch("difftrace patch: functions hooked: [1-9][0-9]* " + app("switching"), line) for line in lines), lines)
        self.assertEqual(self.debug("nothing,"), ["difftrace: DIFFTRACE_DEBUG has no topic nothing: there are start, plan, patch, record, signals, "
                                                 "store, decode, fold, verdict, compare, attach"])

    def test_stop_alone(self):
        """main and inside were recorded, so they return in the trace, too."""
        lines = self.lines(self.record("--stop-at", "^last$"))
        self.assertEqual(lines, [">main", ">inside", ">before", ">leaf", "<leaf", "<before", ">first", ">leaf", "<leaf",
                                 "<first", *DURING, ">last", "#recording off", "<last", "<inside", "<main"])

    def test_signal(self):
        lines = self.lines(self.record("--start-disabled", "--toggle-signal", "USR2", arguments=["signals"]))
        self.assertEqual([line for line in lines if not line.startswith("#recording")], DURING + DURING)
        self.assertEqual([line for line in lines if line.startswith("#recording")],
                         ["#recording on", "#recording off"] * 2)

    def test_exec(self):
        run, result = self.collect("run", ["sh", "-c", "exec " + app("switching")])
        self.assertEqual(result.stdout, "done\n")
        ends = [(process["executed"], process["end"], process["end_order"]) for process in self.json("info", run)["processes"]]
        self.assertEqual(ends, [(True, "exited", 1), (False, "exited", 2)])

    def test_name_of_a_killed_thread(self):
        program = ("import ctypes, os, signal\n"
                   "ctypes.CDLL(None).prctl(15, b'renamed', 0, 0, 0)\n"
                   "os.environ.update((str(i), str(i)) for i in range(20000))\n"
                   "os.kill(os.getpid(), signal.SIGKILL)")
        run, _ = self.collect("run", ["/usr/bin/python3", "-S", "-c", program], ["--codec", "raw"], status=137)
        self.assertEqual(self.json("info", run)["traces"][0]["name"], "renamed")

    def test_bad_options(self):
        for options, word in ((["--start-disabled"], "--toggle-signal"), (["--toggle-signal", "NONE"], "no such signal"),
                              (["--start-at", "("], "--start-at"), (["--stop-at", "["], "--stop-at")):
            result = self.difftrace("collect", "-o", self.path("run"), *options, "--", "true", status=None)
            self.assert_one_error(result, word)


if __name__ == "__main__":
    main()
