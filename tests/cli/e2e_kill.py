"""SIGKILL at random moments: no recorded event is lost, whatever the moment.

The witness program counts its calls in memory of its own before and after each call. Every count of the trace must lie
between the two.
"""

import collections
import os
import random
import signal
import struct
import subprocess
import time
import unittest

from e2e_support import DIFFTRACE, EndToEnd, app, environment, main

ROUNDS = int(os.environ.get("DIFFTRACE_KILLS", "50"))
SEED = int(os.environ.get("DIFFTRACE_SEED", "20261"))
THREADS = FUNCTIONS = 4
NAMES = ("witness_leaf", "witness_deep", "witness_loop", "witness_branch")


class Witness:
    """The counters of tests/apps/witness.h."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.pid, _ = struct.unpack_from("<II", data)
        cells = struct.unpack_from("<%dQ" % (2 * THREADS * FUNCTIONS), data, 8)
        half = THREADS * FUNCTIONS
        self.started = [cells[t * FUNCTIONS:(t + 1) * FUNCTIONS] for t in range(THREADS)]
        self.finished = [cells[half + t * FUNCTIONS:half + (t + 1) * FUNCTIONS] for t in range(THREADS)]


class Kill(EndToEnd):
    def kill_once(self, number, codec, delay):
        file, run = self.path("witness-%d" % number), self.path("run-%d" % number)
        process = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--codec", codec, "--", app("witness"), file],
                                   env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(file) or os.path.getsize(file) < 8 or Witness(file).pid == 0:
            self.assertIsNone(process.poll(), "the witness did not start")
            time.sleep(0.001)
        time.sleep(delay)
        os.kill(Witness(file).pid, signal.SIGKILL)
        stderr = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(60), 128 + signal.SIGKILL, stderr)
        return run, Witness(file)

    def counts(self, run):
        """Entries and returns per thread and function."""
        entries, returns = collections.Counter(), collections.Counter()
        for label, entry, function in self.events(run):
            (entries if entry else returns)[label, function] += 1
        return entries, returns

    def check(self, run, witness):
        entries, returns = self.counts(run)
        for thread in range(THREADS):
            label = "0.%d" % thread
            for function, name in enumerate(NAMES):
                with self.subTest(thread=thread, function=name):
                    self.assertLessEqual(witness.finished[thread][function], returns[label, name])
                    self.assertLessEqual(returns[label, name], entries[label, name])
                    self.assertLessEqual(entries[label, name], witness.started[thread][function])
            behind = sum(witness.started[thread]) - sum(entries[label, name] for name in NAMES)
            self.assertIn(behind, (0, 1), "thread %d: calls that were made are not in the trace" % thread)

    def test_kills(self):
        print("seed %d, %d kills" % (SEED, ROUNDS), flush=True)
        moments, calls = random.Random(SEED), 0
        for number in range(ROUNDS):
            delay = moments.choice((0.0, 0.002, 0.01, 0.05, 0.2)) * moments.random()
            codec = moments.choice(("parlot", "parlot", "raw"))
            with self.subTest(round=number, codec=codec, delay=delay):
                run, witness = self.kill_once(number, codec, delay)
                self.check(run, witness)
                self.assertEqual(self.json("info", run)["processes"][0]["end"], "signal")
                calls += sum(map(sum, witness.started))
        self.assertGreater(calls, 1000 * ROUNDS, "the witness hardly ran")

    def test_kill_of_everything(self):
        """The collector dies too, as in a node's crash: the run stays readable."""
        file, run = self.path("witness"), self.path("run")
        process = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--", app("witness"), file], env=environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(file) or os.path.getsize(file) < 8 or Witness(file).pid == 0:
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        time.sleep(0.1)
        process.kill()
        pid = Witness(file).pid
        os.kill(pid, signal.SIGKILL)
        process.wait(60)
        while os.path.exists("/proc/%d" % pid) and self.state(pid) not in "ZX":
            time.sleep(0.001)
        self.check(run, Witness(file))
        self.assertIn(self.json("info", run)["processes"][0]["end"], ("killed", "running"))

    def state(self, pid):
        try:
            with open("/proc/%d/stat" % pid) as file:
                return file.read().rpartition(")")[2].split()[0]
        except OSError:
            return "X"


if __name__ == "__main__":
    main()
