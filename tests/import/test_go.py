"""Go programs: their traces as "go tool trace -d" reads them, and what difftrace go finds. Without Go they are skipped."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

DIFFTRACE, LIST = os.environ["DIFFTRACE"], os.environ["LIST_GO_EVENTS"]
PROGRAMS = os.environ["GO_PROGRAMS"]
KEPT = ("g", "seq", "ts", "procs", "thread", "stack", "mem")


def keys(text):
    """Times, names, goroutines, offsets and arguments; events of one time in the order of the file."""
    events = []
    for line in text.splitlines():
        if " off=" in line:
            time, name, _, goroutine, offset, *rest = line.split()
            events.append((int(time), int(offset[4:]), name, goroutine, [a for a in rest if a.split("=")[0] in KEPT]))
    return sorted(events)


class GoTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-go-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.environment = dict(os.environ, GOFLAGS="-mod=mod", GOTOOLCHAIN="local", GOPROXY="off",
                                GOCACHE=os.environ.get("GOCACHE", os.path.join(self.folder, "cache")))

    def run_in(self, folder, *command):
        return subprocess.run(command, cwd=os.path.join(PROGRAMS, folder), env=self.environment, capture_output=True,
                              text=True, timeout=900)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def test_events(self):
        self.assertEqual(self.run_in(".", "go", "build", "-o", self.path("everything"), "everything.go").returncode, 0)
        for processors in ("1", "2", "4"):
            trace = self.path("trace." + processors)
            subprocess.run([self.path("everything"), trace], env=dict(self.environment, GOMAXPROCS=processors), check=True)
            go = subprocess.run(["go", "tool", "trace", "-d", trace], env=self.environment, capture_output=True, text=True)
            if "out of order" in go.stderr:
                continue
            ours = subprocess.run([LIST, trace], capture_output=True, text=True, check=True)
            self.assertEqual(ours.stderr, "")
            self.assertGreater(len(keys(go.stdout)), 100)
            self.assertEqual(keys(ours.stdout), keys(go.stdout))

    def test_found(self):
        found = self.run_in("leaks", DIFFTRACE, "go", "-o", self.path("leaks"), "test", ".")
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("leaks_test.go:13: goroutine ", found.stdout)
        self.assertIn("leaked in chan send", found.stdout)
        self.assertIn("leak: 1 goroutine of the program waits", found.stdout)

    def test_order(self):
        found = self.run_in("order", DIFFTRACE, "go", "-o", self.path("order"), "--runs", "40", "--timeout", "3", "test", ".")
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("leaked in Mutex.Lock", found.stdout)
        self.assertIn("global deadlock: 3 goroutines", found.stdout)
        self.assertIn("in Mutex.Lock it waits for", found.stdout)

    def test_sound(self):
        found = self.run_in("sound", DIFFTRACE, "go", "-o", self.path("sound"), "--runs", "3", "test", ".")
        self.assertEqual((found.returncode, found.stdout), (0, ""), found.stderr)

    def test_errors(self):
        for arguments, told in ((("frob",), "not one of"), (("test", "./nothing"), "go list"), (("run", "."), "main")):
            answer = self.run_in("sound", DIFFTRACE, "go", "-o", self.path("errors"), *arguments)
            self.assertEqual(answer.returncode, 2, answer.stderr)
            self.assertIn(told, answer.stderr)
        self.environment["PATH"] = "/nothing"
        answer = self.run_in("sound", DIFFTRACE, "go", "test", ".")
        self.assertEqual(answer.returncode, 2)
        self.assertIn("install Go", answer.stderr)


if __name__ == "__main__":
    if not shutil.which("go"):
        print("no Go here: apt-get install golang")
        sys.exit(77)
    unittest.main()
