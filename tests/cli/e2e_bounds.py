"""Bounded recordings and disks that are full: what is kept is exact, what is not is told, and the program never notices."""

import collections
import errno
import itertools
import os
import resource
import shutil
import subprocess
import unittest

from e2e_support import DIFFTRACE, EndToEnd, app, environment, execute, main

KIB, MIB = 1 << 10, 1 << 20
TAIL = 2 * 1024  # most words that a raw tail stands for
WORK = [app("threads"), "together", "3", "20000"]  # about 1.4 million events


class Bounded(EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.expected = execute(WORK)

    def record(self, name, *options, **more):
        run, result = self.collect(name, WORK, ["--no-seal", *options], **more)
        self.assertEqual(result.stdout, self.expected.stdout)
        return run

    def traces(self, run):
        """Events by trace, without the time-outs of a dump of everything at once."""
        return {label: [event[1:] for event in events]
                for label, events in itertools.groupby(self.events(run), key=lambda event: event[0])}

    def file_sizes(self, run):
        folder = os.path.join(run, "processes")
        return [os.stat(os.path.join(folder, name)).st_size for name in os.listdir(folder)]

    def trace_info(self, run):
        return {trace["trace"]: trace for trace in self.json("info", run)["traces"]}

    def depth_at_start(self, full, kept):
        """Calls that are open before the first kept event, outermost first."""
        stack = []
        for entry, function in full[:len(full) - kept]:
            stack.append(function) if entry else stack.pop()
        return stack

    def test_keep_last(self):
        full = self.traces(self.record("full"))
        for codec, size in (("lzr", 256 * KIB), ("tz", 256 * KIB), ("parlot", 512 * KIB), ("raw", MIB)):
            with self.subTest(codec=codec):
                run = self.record("last-" + codec, "--codec", codec, "--max-size", str(size), "--when-full", "keep-last")
                self.assertLessEqual(self.file_sizes(run)[0], size)
                info, traces = self.trace_info(run), self.traces(run)
                for label, events in traces.items():
                    replaced = info[label]["replaced"]
                    expected = full[label][replaced:]
                    open_calls = self.depth_at_start(full[label], len(expected)) if replaced else []
                    if len(events) == len(expected) < TAIL:  # a raw tail alone, which does not tell what is open at its start
                        self.assertEqual([event for event in events if event[0]], [event for event in expected if event[0]])
                    else:
                        self.assertEqual(events, [(True, function) for function in open_calls] + expected, label)
                self.assertEqual(traces.keys(), full.keys())
                if codec == "raw":
                    self.assertGreater(sum(trace["replaced"] for trace in info.values()), 10 ** 5)
                    self.assertIn("begin late", self.difftrace("stats", run).stderr)

    def test_stop(self):
        full = self.traces(self.record("full"))
        run = self.record("first", "--codec", "raw", "--max-size", "1M")
        self.assertLessEqual(self.file_sizes(run)[0], MIB)
        document, kept = self.json("info", run), 0
        for label, events in self.traces(run).items():
            self.assertEqual(events, full[label][:len(events)])
            kept += len(events)
        self.assertIn("--max-size", document["processes"][0]["stopped"])
        all_events = sum(map(len, full.values()))
        self.assertLessEqual(kept + document["dropped"], all_events)
        self.assertGreater(kept + document["dropped"], all_events - 4 * 1536)  # dropped ones are counted by the batch

    def test_quota(self):
        """Space is refused by EDQUOT, from the first chunk on and later: the recording ends, the program does not."""
        full = self.traces(self.record("full"))
        for bytes_left in (4096, 160 * KIB, 400 * KIB):
            with self.subTest(bytes=bytes_left):
                run, result = self.collect("run", [app("quota"), str(bytes_left), *WORK], ["--codec", "raw", "--only", "threads"])
                self.assertEqual(result.stdout, self.expected.stdout)
                document = self.json("info", run) if bytes_left > 4096 else None
                if document:
                    self.assertEqual(document["processes"][0]["stopped"], os.strerror(errno.EDQUOT))
                    self.assertGreater(document["dropped"], 0)
                    for label, events in self.traces(run).items():
                        self.assertEqual(events, full[label][:len(events)])

    def test_ended_threads_make_room(self):
        command = [app("threads"), "sequence", "200", "800"]
        run, _ = self.collect("run", command, ["--codec", "raw", "--max-size", "1M", "--when-full", "keep-last"])
        info = self.trace_info(run)
        replaced = [info["0.%d" % thread]["replaced"] for thread in range(1, 201)]
        self.assertGreater(replaced[0], 0, "the first thread's data should have gone first")
        self.assertEqual(replaced[-3:], [0, 0, 0])
        for line in self.difftrace("dump", run, "-t", "0.200", "--flat").stdout.splitlines()[:1]:
            self.assertIn("short_thread", line)

    def work_of(self, state, rounds):
        """Calls that the program's work() makes, counted by doing the same."""
        calls = collections.Counter({"work": 1, "step": rounds})
        for _ in range(rounds):
            leaves = (state >> 8 & 15) + 1 if state >> 30 == 0 else (state >> 12 & 3) + 1
            calls["leaf"] += leaves
            calls["deep"] += leaves if state >> 30 == 0 else 0
            for _ in range(leaves):
                state = (state * 1664525 + 1013904223) & 0xffffffff
        return calls

    def test_short_threads(self):
        """Their chunks go from one to the next; what they did stays."""
        threads, rounds = 500, 12
        run, _ = self.collect("run", [app("threads"), "sequence", str(threads), str(rounds)], ["--no-seal"])
        calls = collections.defaultdict(collections.Counter)
        for label, entry, function in self.events(run):
            calls[label][function] += entry
        self.assertEqual(len(calls), threads + 1)
        for thread in range(1, threads + 1):
            self.assertEqual(calls["0.%d" % thread],
                             self.work_of(thread, rounds) + collections.Counter(short_thread=1))
        self.assertLess(self.file_sizes(run)[0], threads * 1200 + 150 * KIB)

    def test_bad_options(self):
        for options, word in ((["--max-size", "much"], "not a size"), (["--max-size", "10"], "less than"),
                              (["--max-size", "1M", "--when-full", "never"], "keep-last"),
                              (["--when-full", "stop"], "--max-size")):
            result = self.difftrace("collect", "-o", self.path("run"), *options, "--", "true", status=None)
            self.assert_one_error(result, word)

    def test_file_size_limit(self):
        """RLIMIT_FSIZE: the kernel's signal for it must not reach the program."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, resource.RLIM_INFINITY))
        run = self.record("limited", "--codec", "raw", preexec_fn=limit)
        self.assertIn("too large", self.json("info", run)["processes"][0]["stopped"])

    def test_no_run_directory(self):
        """The runtime alone, told to write where it cannot: the program runs untraced."""
        runtime = os.path.join(os.path.dirname(DIFFTRACE), "libdifftrace_runtime.so")
        for run in ("/proc/self", "/nonexistent", "/dev/null"):
            result = execute(WORK, env=environment(LD_PRELOAD=runtime, DIFFTRACE_RUN=run))
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, self.expected.stdout, ""))


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "mounting a tmpfs needs root")
class FullDisk(Bounded):
    """The same with a disk of one or two megabytes."""

    def setUp(self):
        super().setUp()
        self.disk = self.path("disk")
        os.mkdir(self.disk)

    def mount(self, kibibytes):
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dk" % kibibytes, "none", self.disk],
                                 stderr=subprocess.PIPE, text=True)
        if mounted.returncode != 0:
            self.skipTest("no tmpfs may be mounted here: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False, stderr=subprocess.DEVNULL)

    def test_full_disk(self):
        for kibibytes in (256, 1024, 2048):
            with self.subTest(kibibytes=kibibytes):
                self.mount(kibibytes)
                result = self.difftrace("collect", "-o", os.path.join(self.disk, "run"), "--codec", "raw", "--", *WORK)
                self.assertEqual(result.stdout, self.expected.stdout)
                self.assertIn("No space left", result.stderr)
                info = self.json("info", os.path.join(self.disk, "run"))
                self.assertGreater(info["events"], 0)
                self.assertGreater(info["dropped"], 0)
                subprocess.run(["umount", "-l", self.disk], check=True)

    def test_full_disk_keeps_last(self):
        """The disk is smaller than the bound: the ring is then as large as the disk."""
        self.mount(1024)
        run = os.path.join(self.disk, "run")
        result = self.difftrace("collect", "-o", run, "--codec", "raw", "--max-size", "64M", "--when-full", "keep-last",
                                "--", *WORK)
        self.assertEqual(result.stdout, self.expected.stdout)
        self.assertGreater(self.json("info", run)["events"], 0)

    test_keep_last = test_stop = test_ended_threads_make_room = test_bad_options = test_file_size_limit = None
    test_no_run_directory = test_short_threads = None


if __name__ == "__main__":
    main()
