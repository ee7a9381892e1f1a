#!/usr/bin/env python3
"""Processes that run, of all kinds: their stacks are gdb's, and nothing that is done to see them stays behind."""

import ctypes
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DIFFTRACE = os.environ["DIFFTRACE"]
TORTURE = os.environ.get("DIFFTRACE_TORTURE", "")
sys.path.insert(0, os.path.join(HERE, os.pardir, "torture"))

from programs import THEMES  # noqa: E402

# That take a while and do not mind being stopped.
STOPPED = {"signals": ["storm", "crossfire", "nested", "timer_threads"], "stacks": ["deep", "large_frames", "threads_of_least_stack", "on_any_stack"],
           "code": ["in_threads", "nested_functions", "computed_jumps"], "processes": ["forked_beside_threads", "many"]}
GDB_FRAME = re.compile(r"^#(\d+)\s+(?:0x[0-9a-f]+ in )?(.+?) \((?:.*?)\)(?: at (\S+:\d+)| from (\S+))?(?: at (\S+:\d+))?$")
SOURCE = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long counter;
static __attribute__((noinline)) void inner(int depth) { if (depth > 0) inner(depth - 1); else for (;;) counter++; }
static __attribute__((noinline)) void outer(void) { inner(3); counter++; }
static void *sleeper(void *unused) { for (;;) pause(); return unused; }
int main(int argc, char **argv)
{
    pthread_t thread;
    const char *what = argc > 1 ? argv[1] : "spin";
    if (!strcmp(what, "zombie")) { if (fork() == 0) _exit(0); for (;;) pause(); }
    if (!strcmp(what, "vfork")) { if (vfork() == 0) { execlp("sleep", "sleep", "6", (char *)0); _exit(1); } for (;;) pause(); }
    if (!strcmp(what, "uninterruptible")) { if (vfork() == 0) { sleep(8); _exit(0); } for (;;) pause(); }
    if (!strcmp(what, "threads")) for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, sleeper, NULL);
    if (!strcmp(what, "leaderless")) { pthread_create(&thread, NULL, sleeper, NULL); pthread_exit(NULL); }
    if (!strcmp(what, "children")) for (int i = 0; i < 3; i++) if (fork() == 0) for (;;) pause();
    if (!strcmp(what, "sleep")) for (;;) pause();
    outer();
}
"""
CROSSWISE = """
#include <chrono>
#include <mutex>
#include <thread>
static std::mutex a, b;
static void take(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> one(first);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::lock_guard<std::mutex> other(second);
}
static void come_and_go()
{
    for (;;) {
        std::lock_guard<std::mutex> one(a);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}
int main(int argc, char **)
{
    if (argc > 1) {
        std::thread left(come_and_go), right(come_and_go);
        left.join();
    }
    std::thread left(take, std::ref(a), std::ref(b)), right(take, std::ref(b), std::ref(a));
    left.join();
    right.join();
}
"""


def state_of(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="difftrace-processes-")
        cls.program = os.path.join(cls.folder, "program")
        with open(cls.program + ".c", "w", encoding="utf-8") as file:
            file.write(SOURCE)
        subprocess.run(["gcc", "-g", "-O1", "-pthread", "-o", cls.program, cls.program + ".c"], check=True)
        cls.crosswise = os.path.join(cls.folder, "crosswise")
        with open(cls.crosswise + ".cc", "w", encoding="utf-8") as file:
            file.write(CROSSWISE)
        subprocess.run(["g++", "-g", "-O1", "-pthread", "-o", cls.crosswise, cls.crosswise + ".cc"], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def start(self, *command, seconds=0.5, **more):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   cwd=self.folder, **more)

        def end():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        self.addCleanup(end)
        time.sleep(seconds)
        return process

    def difftrace(self, *arguments, status=0, **more):
        result = subprocess.run([DIFFTRACE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, stdin=subprocess.DEVNULL,
                                check=False, **more)
        self.assertEqual(result.returncode, status, result.stderr[-1000:] + result.stdout[-1000:])
        return result

    def stacks(self, *arguments):
        return json.loads(self.difftrace("stack", "--json", *arguments).stdout)

    def names(self, stack):
        return [frame["function"] for frame in stack["frames"]]

    # ---- what is seen ------------------------------------------------------------------------

    def test_a_program(self):
        process = self.start(self.program)
        stacks = self.stacks("--pid", str(process.pid))["stacks"]
        self.assertEqual([self.names(stack) for stack in stacks], [["main", "outer"] + 4 * ["inner"]])
        self.assertEqual(stacks[0]["trace"], "%d.0" % process.pid)
        self.assertEqual(stacks[0]["frames"][0]["line"], "program.c:22")
        self.assertEqual(stacks[0]["frames"][2]["line"], "program.c:8")

    def test_threads_and_children(self):
        process = self.start(self.program, "threads")
        stacks = self.stacks("--pid", str(process.pid))["stacks"]
        self.assertEqual([stack["trace"] for stack in stacks], ["%d.%d" % (process.pid, i) for i in range(4)])
        self.assertEqual([self.names(stack) for stack in stacks[1:]], 3 * [["sleeper", "pause"]])
        job = self.start(self.program, "children")
        children = self.stacks("--job", str(job.pid))
        self.assertEqual([self.names(stack) for stack in children["stacks"]], 3 * [["main", "pause"]])
        self.assertNotIn(job.pid, [process["pid"] for process in children["processes"]])
        tree = self.difftrace("stack", "--all", "--job", str(job.pid)).stdout.splitlines()
        self.assertRegex(tree[0], r"^main  3:\[")

    def test_the_first_thread_has_ended(self):
        process = self.start(self.program, "leaderless")
        self.assertEqual([self.names(stack) for stack in self.stacks("--pid", str(process.pid))["stacks"]], [["sleeper", "pause"]])

    def test_ranks(self):
        """Of the launcher that tells them apart: the outer one's number is the same for all, and the inner launcher has it, too."""
        script = 'for r in 0 1 2; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=3 "$0" sleep & done; wait'
        job = self.start("bash", "-c", script, self.program, env=dict(os.environ, SLURM_PROCID="0"))
        document = self.stacks("--job", str(job.pid))
        self.assertEqual([(process["process"], process["rank"]) for process in document["processes"]], [("0", 0), ("1", 1), ("2", 2)])

    def test_the_program_is_deleted(self):
        copy = os.path.join(self.folder, "copy")
        shutil.copy(self.program, copy)
        process = self.start(copy)
        os.unlink(copy)
        result = self.difftrace("stack", "--pid", str(process.pid))
        self.assertIn("copy\n  main (program.c:22)\n  outer (program.c:9)\n  inner (program.c:8)\n", result.stdout)
        self.assertIn("replaced or deleted", result.stderr)

    def test_it_is_stopped_already(self):
        process = self.start(self.program)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        self.assertEqual(self.names(self.stacks("--pid", str(process.pid))["stacks"][0])[:2], ["main", "outer"])
        time.sleep(0.1)
        self.assertEqual(state_of(process.pid), "T")

    # ---- what cannot be seen -------------------------------------------------------------------

    def test_gone(self):
        process = self.start("true")
        process.wait()
        result = self.difftrace("stack", "--pid", str(process.pid), status=2)
        self.assertRegex(result.stderr, r"^difftrace: process \d+: there is none")
        alive = self.start(self.program, "sleep")
        result = self.difftrace("stack", "--pid", "%d,%d" % (alive.pid, process.pid))
        self.assertIn("process %d: it is gone" % process.pid, result.stderr)
        self.assertIn("main", result.stdout)

    def test_a_zombie(self):
        parent = self.start(self.program, "zombie")
        with open("/proc/%d/task/%d/children" % (parent.pid, parent.pid), encoding="utf-8") as file:
            child = file.read().split()[0]
        self.assertIn("a zombie", self.difftrace("stack", "--pid", child, status=2).stderr)

    def test_uninterruptible(self):
        process = self.start(self.program, "uninterruptible", seconds=1)
        start = time.monotonic()
        result = self.difftrace("stack", "--pid", str(process.pid))
        self.assertIn("uninterruptible sleep", result.stdout)
        self.assertLess(time.monotonic() - start, 10)

    @unittest.skipUnless(os.geteuid() == 0, "only root may become another user")
    def test_of_another_user(self):
        process = self.start(self.program, "sleep")
        result = self.difftrace("stack", "--pid", str(process.pid), status=2, user=65534, group=65534, extra_groups=[])
        self.assertRegex(result.stderr, r"^difftrace: process \d+: only root may look into it: run as root\n$")
        process = self.start("sleep", "60", user=65534, group=65534, extra_groups=[])
        result = self.difftrace("stack", "--pid", str(process.pid), status=2, user=65533, group=65533, extra_groups=[])
        self.assertRegex(result.stderr, r"^difftrace: process \d+: it is another user's: run as (nobody|its user) or as root\n$")

    def test_somebody_else_traces_it(self):
        process = self.start(self.program, "sleep")
        libc = ctypes.CDLL(None, use_errno=True)
        self.assertEqual(libc.ptrace(0x4206, process.pid, None, None), 0)  # PTRACE_SEIZE
        result = self.difftrace("stack", "--pid", str(process.pid), status=2)
        self.assertRegex(result.stderr, r"^difftrace: process \d+: process %d \(\S+\) is already at it" % os.getpid())

    def test_bad_options(self):
        for arguments in (["--pid", "x"], ["--pid", ""], ["--job", "0"], ["--job", "1", "--pid", "1"], ["--pid", "1", "run"], [],
                          ["--internals", "run"], ["--pid", "1", "--at", "3"]):
            with self.subTest(arguments=arguments):
                result = self.difftrace("stack", *arguments, status=2)
                self.assertRegex(result.stderr.splitlines()[0], "^difftrace: ")

    # ---- no verdict from a guess or a part ---------------------------------------------------------

    def waits(self, *arguments, status=0):
        return self.difftrace("waits", *arguments, status=status)

    def test_ranks_elsewhere(self):
        """The world's size is in the environment: what is here is a part, and proves nothing of the others."""
        script = 'for r in 0 1; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=6 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$0" sleep & done; wait'
        job = self.start("bash", "-c", script, self.program)
        document = json.loads(self.waits("--json", "--job", str(job.pid)).stdout)
        self.assertEqual((document["ranks"], document["ranks_seen"], document["cycles"]), (6, 2, []))
        self.assertTrue(document["summary"].startswith("of 6 ranks, 2 are seen: "), document["summary"])
        self.assertEqual([trace["waits"] for trace in document["traces"][2:]], 4 * ["unknown"])
        self.assertIn("of 6 ranks, 2 are seen here", self.difftrace("stack", "--job", str(job.pid)).stderr)
        self.assertEqual(self.stacks("--job", str(job.pid))["ranks_seen"], 2)

    def test_a_rank_that_somebody_else_traces_has_not_ended(self):
        script = 'for r in 0 1; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$0" sleep & done; wait'
        job = self.start("bash", "-c", script, self.program)
        traced = next(process["pid"] for process in self.stacks("--job", str(job.pid))["processes"] if process["rank"] == 1)
        self.assertEqual(ctypes.CDLL(None, use_errno=True).ptrace(0x4206, traced, None, None), 0)  # PTRACE_SEIZE
        document = json.loads(self.waits("--json", "--job", str(job.pid)).stdout)
        trace = next(trace for trace in document["traces"] if trace["trace"] == "1.0")
        self.assertEqual((trace["status"], trace["waits"], trace["blame"]), ("missing", "unknown", 0))
        self.assertIn("is already at it", trace["end"])

    def test_a_launcher_without_ranks_here(self):
        launcher = os.path.join(self.folder, "srun")
        shutil.copy(self.program, launcher)
        job = self.start(launcher, "sleep")
        self.assertIn("no rank of its job is below it", self.waits("--job", str(job.pid), status=2).stderr)

    def test_locks_taken_crosswise(self):
        """The thread that only joins is not to blame, though C++ hides pthread_join(); who sleeps for ever in a lock is stuck."""
        job = self.start(self.crosswise, seconds=1)
        document = json.loads(self.waits("--json", "--pid", str(job.pid)).stdout)
        self.assertEqual(document["cycles"], [["%d.1" % job.pid, "%d.2" % job.pid]])
        self.assertEqual([trace["blame"] for trace in document["traces"]], [0, 0.5, 0.5])
        self.assertEqual(document["traces"][0]["call"], "pthread_join")

    def test_locks_that_come_and_go(self):
        """Two threads that are in the same calls at nearly every look, and move."""
        job = self.start(self.crosswise, "moves", seconds=1)
        result = self.waits("--pid", str(job.pid))
        self.assertNotIn("Deadlock", result.stdout)

    def test_a_stopped_thread_is_not_stuck(self):
        job = self.start(self.crosswise, seconds=1)
        job.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        document = json.loads(self.waits("--json", "--pid", str(job.pid)).stdout)
        self.assertEqual((document["cycles"], document["certainty"]), ([], "none"))
        self.assertIn("is stopped by a signal", document["traces"][0]["end"])

    # ---- what stays behind -----------------------------------------------------------------------

    def test_nothing_stays_stopped_if_we_are_killed(self):
        """At any time: no signal was sent, and the kernel lets go what we held."""
        process = self.start(self.program, "threads")
        chance = random.Random(1)
        for _ in range(40):
            looker = subprocess.Popen([DIFFTRACE, "stack", "--pid", str(process.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.random() * 0.08)
            looker.kill()
            looker.wait()
        time.sleep(0.2)
        states = [state_of(int(task)) for task in os.listdir("/proc/%d/task" % process.pid)]
        self.assertFalse([state for state in states if state in "tT"], states)
        with open("/proc/%d/status" % process.pid, encoding="utf-8") as file:
            self.assertIn("TracerPid:\t0", file.read())

    # ---- gdb -------------------------------------------------------------------------------------------

    def gdb(self, pid):
        """{tid: [(function, file:line or None)]}, outermost first."""
        result = subprocess.run(["gdb", "-p", str(pid), "-batch", "-nx", "-iex", "set debuginfod enabled off", "-iex", "set width 0", "-ex",
                                 "set print frame-arguments none", "-ex", "set print entry-values no", "-ex", "thread apply all bt"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, timeout=300, check=False)
        stacks, tid = {}, None
        for line in result.stdout.splitlines():
            thread = re.match(r"Thread \d+ \((?:Thread 0x\w+ \(LWP (\d+)\)|process (\d+)|LWP (\d+))", line)
            if thread:
                tid = int(next(filter(None, thread.groups())))
                stacks[tid] = []
            frame = GDB_FRAME.match(line) if tid else None
            if frame:
                place = frame.group(3) or frame.group(5)
                stacks[tid].insert(0, (frame.group(2), os.path.basename(place) if place else None))
        return stacks

    def check_against_gdb(self, pid, where):
        """Own frames by name and line; those of libraries, which have several names, by how many there are."""
        document = self.stacks("--pid", str(pid), "--internals")
        others = self.gdb(pid)
        self.assertTrue(others, where)
        compared = 0
        for stack in document["stacks"]:
            theirs = others.get(stack["tid"])
            if theirs is None or stack["problem"] or not theirs:
                continue
            ours = [frame for frame in stack["frames"] if not (frame["library"] and not frame["line"] and frame["function"].startswith("0x"))]
            mine = [(frame["function"].split("(")[0], frame["line"]) for frame in ours if not frame["library"]]
            names = {name for name, _ in mine}
            of_gdb = [(name.split("(")[0].split("@")[0], place) for name, place in theirs]
            self.assertEqual([pair for pair in mine if pair[1]], [pair for pair in of_gdb if pair[0] in names and pair[1]], (where, stack, theirs))
            compared += 1
        return compared

    @unittest.skipUnless(shutil.which("gdb"), "no gdb")
    def test_equal_to_gdb(self):
        chance, compared = random.Random(2), 0
        for theme, names in STOPPED.items():
            for compiler in ("gcc", "clang"):
                program = os.path.join(TORTURE, "%s-%s" % (theme, compiler))
                for name in names if os.path.exists(program) else []:
                    self.assertIn(name, THEMES[theme])
                    process = self.start(program, name, seconds=0.02 + chance.random() * 0.2)
                    process.send_signal(signal.SIGSTOP)
                    time.sleep(0.1)
                    if process.poll() is None:
                        with self.subTest(program=program, name=name):
                            compared += self.check_against_gdb(process.pid, (program, name))
                    process.kill()
        print("stacks equal to gdb's: %d" % compared)
        for name in ("threads", "spin"):
            process = self.start(self.program, name)
            process.send_signal(signal.SIGSTOP)
            self.assertGreater(self.check_against_gdb(process.pid, name), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
