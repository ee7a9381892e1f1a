"""SIGKILL at random moments: no recorded event is lost, whatever the moment.

The witness program counts its calls in memory of its own before and after each call. Every count of the trace must lie
between the two.
"""

import collections
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest

from e2e_support import DIFFTRACE, OPEN_MPI, EndToEnd, app, environment, main

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


class Program:
    """One of the programs, and which of its counters are of which traces."""

    def __init__(self, name, command, ranks=0):
        self.name, self.command, self.ranks = name, command, ranks

    def files(self, file):
        return ["%s.%d" % (file, rank) for rank in range(self.ranks)] or [file]

    def slot(self, label):
        """(file, thread among the counters) of a trace."""
        process, _, thread = label.partition(".")
        if self.ranks:
            return (int(process), 0) if thread == "0" else None
        if not thread.isdigit():
            return None
        return 0, min(int(thread), 1) if self.name == "churn" else int(thread)


PROGRAMS = [Program("single", [app("witness"), "FILE", "single"]), Program("threads", [app("witness"), "FILE"]),
            Program("churn", [app("witness"), "FILE", "churn"])]
if OPEN_MPI.available():
    PROGRAMS.append(Program("ranks", OPEN_MPI.run(3, app("witness-mpi"), "FILE"), ranks=3))


class Kill(EndToEnd):
    def start(self, program, name, options):
        """Returns when all counters are being counted: (process, run, files)."""
        file, run = self.path("witness-%s" % name), self.path("run-%s" % name)
        command = [file if word == "FILE" else word for word in program.command]
        process = subprocess.Popen([DIFFTRACE, "collect", "-o", run, *options, "--", *command], env=environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for path in program.files(file):
            while not os.path.exists(path) or os.path.getsize(path) < 8 or Witness(path).pid == 0:
                self.assertIsNone(process.poll(), "the witness did not start")
                time.sleep(0.001)
        return process, run, program.files(file)

    def counts(self, run):
        """How often each line "trace, > or <, function" stands in the dump."""
        return collections.Counter(self.difftrace("dump", run, "--flat").stdout.splitlines())

    def traced(self, program, run):
        """Entries and returns by (file, thread), as the witness counts them."""
        result = collections.defaultdict(lambda: ([0] * FUNCTIONS, [0] * FUNCTIONS))
        for line, count in self.counts(run).items():
            label, kind, function = line.split("\t")
            slot = program.slot(label)
            if slot is not None and function in NAMES:
                result[slot][kind == "<"][NAMES.index(function)] += count
        return result

    def check(self, program, run, witnesses):
        traced = self.traced(program, run)
        for file, witness in enumerate(witnesses):
            for thread in range(THREADS):
                entries, returns = traced[file, thread]
                started, finished = witness.started[thread], witness.finished[thread]
                with self.subTest(file=file, thread=thread):
                    for function in range(FUNCTIONS):
                        self.assertLessEqual(finished[function], returns[function])
                        self.assertLessEqual(returns[function], entries[function])
                        self.assertLessEqual(entries[function], started[function])
                    self.assertIn(sum(started) - sum(entries), (0, 1), "calls that were made are not in the trace")

    def kill_once(self, program, number, options, delay, victim):
        process, run, files = self.start(program, number, options)
        time.sleep(delay)
        os.kill(Witness(files[victim % len(files)]).pid, signal.SIGKILL)
        stderr = process.communicate(timeout=60)[1]
        if program.ranks:
            self.assertNotEqual(process.returncode, 0, stderr)
        else:
            self.assertEqual(process.returncode, 128 + signal.SIGKILL, stderr)
        return run, [Witness(file) for file in files]

    def check_end(self, run, victim):
        processes = self.json("info", run)["processes"]
        killed = [process for process in processes if process["end_order"] == 1][0]
        self.assertEqual((killed["process"], killed["end"], killed["status"]), (victim, "signal", signal.SIGKILL))

    def test_kills(self):
        print("seed %d, %d kills" % (SEED, ROUNDS), flush=True)
        moments, calls = random.Random(SEED), collections.Counter()
        for number in range(ROUNDS):
            program = PROGRAMS[number % len(PROGRAMS)]
            delay = moments.choice((0.0, 0.002, 0.01, 0.05, 0.2)) * moments.random()
            codec = moments.choice(("lzr", "lzr", "lzr", "tz", "parlot", "raw"))
            with self.subTest(round=number, program=program.name, codec=codec, delay=delay):
                victim = moments.randrange(3)
                options = ["--codec", codec, "--times", moments.choice(("off", "api", "functions"))]
                run, witnesses = self.kill_once(program, number, options, delay, victim)
                self.check(program, run, witnesses)
                self.check_end(run, victim if program.ranks else 0)
                calls[program.name] += sum(sum(map(sum, witness.started)) for witness in witnesses)
            shutil.rmtree(run, ignore_errors=True)
        print("calls before the kills: %s" % dict(calls), flush=True)
        self.assertGreater(sum(calls.values()), 100 * ROUNDS, "the programs hardly ran")

    def test_kill_while_replacing(self):
        """With keep-last, what is there and what was dropped before it are all that was recorded."""
        moments = random.Random(SEED)
        for number in range(max(ROUNDS // 10, 2)):
            options = ["--codec", "raw", "--max-size", "256k", "--when-full", "keep-last"]
            with self.subTest(round=number):
                run, (witness,) = self.kill_once(PROGRAMS[1], number, options, 0.1 + 0.3 * moments.random(), 0)
                info = {trace["trace"]: trace for trace in self.json("info", run)["traces"]}
                lines = self.counts(run)
                replaced = 0
                for thread in range(THREADS):
                    label = "0.%d" % thread
                    if label not in info:  # it had not begun
                        self.assertEqual(sum(witness.finished[thread]), 0)
                        continue
                    replaced += info[label]["replaced"]
                    kept = sum(count for line, count in lines.items() if line.startswith(label + "\t"))
                    all_words = info[label]["replaced"] + kept
                    # Open calls are told again where what was kept begins, and main, run and witness_some are not counted.
                    least = sum(witness.started[thread]) + sum(witness.finished[thread])
                    self.assertGreaterEqual(all_words, least)
                self.assertGreater(replaced, 0)

    def test_kill_of_everything(self):
        """The collector dies too, as in a node's crash: the run stays readable."""
        process, run, (file,) = self.start(PROGRAMS[1], "all", [])
        time.sleep(0.1)
        process.kill()
        pid = Witness(file).pid
        os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=60)
        while os.path.exists("/proc/%d" % pid) and self.state(pid) not in "ZX":
            time.sleep(0.001)
        self.check(PROGRAMS[1], run, [Witness(file)])
        self.assertIn(self.json("info", run)["processes"][0]["end"], ("killed", "running"))

    def state(self, pid):
        try:
            with open("/proc/%d/stat" % pid) as file:
                return file.read().rpartition(")")[2].split()[0]
        except OSError:
            return "X"


if __name__ == "__main__":
    main()
