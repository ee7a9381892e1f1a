"""Times as they are recorded: `collect --times`. What they mean is for others to test."""

import collections
import os
import signal
import subprocess
import sys
import time

from e2e_support import DIFFTRACE, MPIS, EndToEnd, app, environment, example, execute, main, time_limit

HERE = os.path.dirname(os.path.abspath(__file__))
READER = os.path.join(HERE, "..", "format", "read_times.py")
SOURCE = os.path.join(HERE, "..", "..", "src", "codec")


class Times(EndToEnd):
    def flat(self, run):
        """(trace, seconds or None, > or <, function) of each event."""
        result, at = [], None
        for line in self.difftrace("dump", "--flat", "--clock", run).stdout.splitlines():
            trace, kind, what = line.split("\t")
            if kind == "#":
                if what.startswith("at "):
                    at = float(what.split()[1])
                continue
            result.append((trace, at, kind, what))
            at = None
        return result

    def check(self, run):
        """Times do not descend within a trace, and an independent reader finds the same."""
        latest = {}
        for trace, at, _, _ in self.flat(run):
            if at is not None:
                self.assertGreaterEqual(at, latest.get(trace, 0.0))
                latest[trace] = at
        ours = self.difftrace("dump", "--flat", "--clock", run)
        theirs = execute([sys.executable, "-B", READER, SOURCE, run])
        self.assertEqual(theirs.returncode, 0, theirs.stderr)
        self.assertTrue(ours.stdout == theirs.stdout, "%s: other times" % run)
        self.assertEqual(ours.stderr, "")
        return latest

    def stamped(self, run):
        """By function: entries, returns, and how many of each have a time."""
        counts = collections.defaultdict(lambda: [0, 0, 0, 0])
        for _, at, kind, name in self.flat(run):
            counts[name][kind == "<"] += 1
            counts[name][2 + (kind == "<")] += at is not None
        return counts

    def assert_stamped(self, counts, *names):
        for name in names:
            entries, returns, timed_entries, timed_returns = counts[name]
            self.assertGreater(entries, 0, name)
            self.assertEqual((timed_entries, timed_returns), (entries, returns), name)

    def mpi(self):
        for mpi in MPIS:
            if mpi.available():
                return mpi
        return self.skipTest("no MPI")

    def test_calls_of_mpi(self):
        """Each has its two times, and what asks nobody has none; sealed or not."""
        for options in ([], ["--no-seal"]):
            run, _ = self.collect("ranks" + str(len(options)), self.mpi().run(4, example("oddeven"), "--bug", "none"), ["--times=api", *options])
            counts = self.stamped(run)
            self.assert_stamped(counts, "MPI_Send", "MPI_Recv", "MPI_Init", "MPI_Finalize")
            self.assertEqual(counts["MPI_Comm_rank"][2:], [0, 0])
            self.check(run)

    def test_both_implementations(self):
        for number, mpi in enumerate(MPIS):
            if mpi.available():
                run, _ = self.collect("run%d" % number, mpi.run(2, app("mpi-requests"), os.path.dirname(self.path("log")), "random"), ["--times=api"])
                counts = self.stamped(run)
                self.assert_stamped(counts, *[name for name in counts if name.startswith(("MPI_Isend", "MPI_Irecv", "MPI_Wait"))])

    def test_hung(self):
        """Of calls that never returned the beginning has a time."""
        run, _ = self.collect("hung", self.mpi().run(8, example("oddeven"), "--bug", "dl"), ["--times=api", *time_limit(5)], status=124)
        entries, returns, timed_entries, timed_returns = self.stamped(run)["MPI_Recv"]
        self.assertGreater(entries, returns)
        self.assertEqual((timed_entries, timed_returns), (entries, returns))
        self.check(run)

    def test_threads(self):
        for times in "api", "functions":
            run, _ = self.collect(times, [app("threads"), "together", "3", "2000"], ["--times=" + times])
            counts = self.stamped(run)
            self.assert_stamped(counts, "pthread_barrier_wait", "pthread_join", "pthread_create")
            self.check(run)

    def test_functions(self):
        """Those that take long have times, and those that are short do not, but for the first calls; the counts stay right."""
        run, result = self.collect("run", [app("slowing")], ["--times=functions"])
        counts = self.stamped(run)
        for line in result.stdout.splitlines():
            name, calls = line.split()
            self.assertEqual(counts[name][:2], [int(calls)] * 2, name)
        self.assert_stamped(counts, "main", "lasting", "enclosing")
        self.assertLess(counts["brief"][2], 6000)
        self.assertLess(counts["counting"][2], 1900)
        # One that becomes slow is found out.
        slow = [at is not None for _, at, kind, name in self.flat(run) if name == "slowing" and kind == ">"][1000:]
        self.assertGreater(sum(slow), 500)  # how soon depends on who else computes
        self.check(run)

    def test_off(self):
        run, _ = self.collect("run", [app("slowing"), "100"])
        self.assertNotIn("#", self.difftrace("dump", "--flat", "--clock", run).stdout)

    def test_forks(self):
        run, _ = self.collect("run", [app("forkexec")], ["--times=functions"])
        latest = self.check(run)
        self.assertGreater(len(latest), 1)

    def test_packed(self):
        run, _ = self.collect("run", [app("slowing"), "300"], ["--times=functions"])
        clock = self.difftrace("dump", "--flat", "--clock", run).stdout
        self.difftrace("pack", "--quiet", run)
        self.assertTrue(self.difftrace("dump", "--flat", "--clock", run + ".dtz").stdout == clock, "packed: other times")
        self.difftrace("pack", "--quiet", "--anonymous", "-o", self.path("other.dtz"), run)
        times = [line for line in clock.splitlines() if "\t#\t" in line]
        anonymous = self.difftrace("dump", "--flat", "--clock", self.path("other.dtz")).stdout.splitlines()
        self.assertTrue(times == [line for line in anonymous if "\t#\t" in line], "anonymous: other times")

    def process_id(self, file):
        """That the witness has written into its file; 0: not yet."""
        if not os.path.exists(file):
            return 0
        with open(file, "rb") as opened:
            return int.from_bytes(opened.read(4), "little")

    def test_killed(self):
        """Whenever it is killed: what was recorded of calls that are timed has its time."""
        for delay in (0.0, 0.003, 0.02, 0.1, 0.3):
            run, file = self.path("killed-%s" % delay), self.path("witness-%s" % delay)
            process = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--times=functions", "--", app("witness"), file], env=environment(),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while (victim := self.process_id(file)) == 0:
                self.assertIsNone(process.poll(), "the witness did not start")
                time.sleep(0.001)
            time.sleep(delay)
            os.kill(victim, signal.SIGKILL)
            process.wait(60)
            self.assert_stamped(self.stamped(run), "pthread_create")
            self.check(run)

    def test_options(self):
        run, result = self.collect("run", [app("slowing"), "100"], ["--clock=MPI_Send"])
        self.assertIn("--times=api", result.stderr)
        self.difftrace("collect", "-o", self.path("plain"), "--clock", "sh", "-c", "exec " + app("slowing") + " 100")
        result = self.difftrace("collect", "-o", self.path("bad"), "--times=all", "--", "true", status=None)
        self.assert_one_error(result, "--times", "functions")
        result = self.difftrace("collect", "-o", self.path("bad"), "--times=api", "--engine=pin", "--", "true", status=None)
        self.assert_one_error(result, "--times", "pin")


if __name__ == "__main__":
    main()
