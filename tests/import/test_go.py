"""Go programs: their traces as "go tool trace -d" reads them, and what difftrace go finds. Without Go they are skipped."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from protobuf import PerfettoTrace  # noqa: E402

DIFFTRACE, LIST = os.environ["DIFFTRACE"], os.environ["LIST_GO_EVENTS"]
PROGRAMS = os.environ["GO_PROGRAMS"]
# A compiler that makes its output anew, as careless ones do: where root runs it, /dev/null becomes a file.
CARELESS = """#!/bin/sh
for output; do
    [ "$before" = -o ] && [ "$output" = /dev/null ] && echo asked >> "$ASKED" && rm -f "$output"
    before=$output
done
exec gcc "$@"
"""
# Devices of our own, where harm can be done to them.
OWN_DEVICES = """mount --make-rprivate / && mount -t tmpfs none /dev && ln -s /proc/self/fd /dev/fd || exit 77
mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/zero c 1 5 && mknod -m 666 /dev/urandom c 1 9 || exit 77
"""
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
    @classmethod
    def setUpClass(cls):
        """All tests share one build cache: Go's own packages are compiled once."""
        cls.cache = os.environ.get("GOCACHE")
        if not cls.cache:
            cls.cache = tempfile.mkdtemp(prefix="difftrace-go-cache-")
            cls.addClassCleanup(shutil.rmtree, cls.cache, True)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-go-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.environment = dict(os.environ, GOFLAGS="-mod=mod", GOTOOLCHAIN="local", GOPROXY="off", CGO_ENABLED="0",
                                GOCACHE=self.cache)

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
        runs = [line.split("difftrace compare ")[1].split() for line in found.stderr.splitlines() if "compare" in line]
        if runs:
            compared = self.run_in("order", DIFFTRACE, "compare", "-o", self.path("compared"), *runs[0])
            self.assertEqual(compared.returncode, 0, compared.stderr)
            self.assertNotIn("command lines", compared.stdout)
            rows = [line for line in compared.stdout.splitlines() if re.match(r"0\.\d+ ", line)]
            # The test that waits for both comes after them, however far behind it is.
            self.assertEqual(["stuck in Mutex.Lock" in row for row in rows[:3]], [True, True, False], rows)

    def test_own_main(self):
        found = self.run_in("own", DIFFTRACE, "go", "-o", self.path("own"), "test", ".")
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("own_test.go:16: goroutine ", found.stdout)
        self.assertIn("leaked in chan receive", found.stdout)

    def test_command(self):
        for what in (".", "main.go"):
            idle = self.run_in("command", DIFFTRACE, "go", "-o", self.path("idle"), "--runs", "2", "run", what, "0")
            self.assertEqual((idle.returncode, idle.stdout), (0, ""), idle.stderr)
            self.assertEqual(idle.stderr.count("main.main.func1 leaked in chan receive"), 1)
        found = self.run_in("command", DIFFTRACE, "go", "-o", self.path("found"), "run", ".", "3", "more")
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("main.go:18: goroutine 0.3 main.main.func2 leaked in chan send", found.stdout)

    def test_yields(self):
        built = self.run_in("command", DIFFTRACE, "go", "-o", self.path("built"), "build", ".")
        self.assertEqual(built.returncode, 0, built.stderr)
        program = built.stderr.split(": run it")[0].split("difftrace: ")[1]
        counts = {}
        for most in (0, 2, 1000):
            trace = self.path("yields.%d" % most)
            run = subprocess.run([program, "5", "more", "turns"], capture_output=True, text=True, timeout=60,
                                 env=dict(self.environment, DIFFTRACE_GO_TRACE=trace, DIFFTRACE_GO_YIELD=str(most)))
            self.assertEqual((run.returncode, run.stdout), (5, "leaving with 5\n"), run.stderr)
            listed = subprocess.run([LIST, trace], capture_output=True, text=True, check=True).stdout
            # Goroutine 1 collects garbage before it judges, and gives way meanwhile.
            counts[most] = len(re.findall(r" GoSched \S+ g=(?!1 )", listed))
        self.assertLessEqual(counts[2], counts[0] + 60)  # the collector's workers give way a few times, too
        self.assertGreater(counts[1000], max(counts[0], counts[2]) + 60)

    def test_late(self):
        """A goroutine that comes too late is found, and how it was made late is no part of what it did."""
        found = self.run_in("late", DIFFTRACE, "go", "-o", self.path("late"), "--runs", "40", "--timeout", "3", "test", ".")
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("late_test.go:16: goroutine ", found.stdout)
        self.assertIn("leaked in Cond.Wait", found.stdout)
        run = re.search(r"difftrace waits (\S+)", found.stderr).group(1)
        calls = subprocess.run([DIFFTRACE, "dump", "--flat", run], check=True, capture_output=True, text=True).stdout
        self.assertEqual(calls.count(">\ttime.Sleep"), 1, calls)
        self.assertNotIn("difftraceStay", calls)

    def test_sound(self):
        found = self.run_in("sound", DIFFTRACE, "go", "-o", self.path("sound"), "--runs", "3", "test", ".")
        self.assertEqual((found.returncode, found.stdout), (0, ""), found.stderr)
        self.assertNotIn("left no trace", found.stderr)

    def test_no_run_ends(self):
        """It works for ever: nothing proves that it is stuck, and it has not passed."""
        found = self.run_in("endless", DIFFTRACE, "go", "-o", self.path("endless"), "--runs", "2", "--timeout", "1", "test", ".")
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertRegex(found.stdout, r"^\S+: did not end within 1 s in any of 2 runs \(not proved to be stuck\)\n$")

    def imported(self, program, name, *arguments):
        """The run that a program leaves which difftrace go built."""
        trace, run = self.path(name + ".trace"), self.path(name)
        subprocess.run([program, *arguments], check=True, timeout=60, cwd=self.folder,
                       env=dict(self.environment, DIFFTRACE_GO_TRACE=trace, DIFFTRACE_GO_YIELD="1000"))
        subprocess.run([DIFFTRACE, "import", "--from", "go-trace", trace, "-o", run], check=True, capture_output=True)
        return run

    def signatures(self, run, trace):
        """The operations of a goroutine on objects, each with the number of its object, in order."""
        words = subprocess.run(
            [DIFFTRACE, "nlr", "--args", "-t", trace, run], check=True, capture_output=True, text=True).stdout
        return re.findall(r"[\w.]+ ?\w*\((?:lock|channel|group) \d+\)", words)

    def test_names(self):
        """Objects are the same in every run, and no other ones because there is one more of them."""
        built = self.run_in("names", DIFFTRACE, "go", "-o", self.path("built"), "build", ".")
        self.assertEqual(built.returncode, 0, built.stderr)
        program = built.stderr.split(": run it")[0].split("difftrace: ")[1]
        one, other, more = self.imported(program, "one"), self.imported(program, "other"), self.imported(program, "more", "1")
        workers = ["0.%d" % i for i in range(2, 6)]
        for trace in workers:
            found = self.signatures(one, trace)
            self.assertGreater(len(found), 3)
            self.assertEqual(found, self.signatures(other, trace))
            self.assertEqual(found, self.signatures(more, trace))
        self.check_coverage(one)
        self.check_arrows(one)

    def check_arrows(self, run):
        """Perfetto's arrows lead from who sends or receives to who waited to receive or to send, and not back in time."""
        exported = subprocess.run([DIFFTRACE, "export", "--format", "perfetto", run], check=True, capture_output=True).stdout
        trace, begun, ended = PerfettoTrace(exported), {}, {}
        for events in trace.events.values():
            stack = []
            for time, kind, name, begins, ends in events:
                if kind == "B":
                    stack.append(name)
                function = stack[-1] if kind == "B" else stack.pop()
                begun.update({flow: (time, function) for flow in begins})
                ended.update({flow: (time, function) for flow in ends})
        self.assertEqual(set(begun), set(ended))
        told = subprocess.run([DIFFTRACE, "dump", "--flat", "--clock", run], check=True, capture_output=True, text=True).stdout
        self.assertLessEqual(len(begun), told.count("woken by thread"))
        self.assertGreater(len(begun), 5)
        for flow, (time, function) in begun.items():
            self.assertLessEqual(time, ended[flow][0])
            if function in ("chan send", "chan receive"):
                self.assertIn(ended[flow][1], ({"chan send": "chan receive", "chan receive": "chan send"}[function], "chan select"))

    def check_coverage(self, run):
        """A lock that nobody else takes is never waited for, nor is a channel with room."""
        answer = subprocess.run([DIFFTRACE, "coverage", "--json", run], check=True, capture_output=True, text=True).stdout
        seen = {}
        for row in json.loads(answer)["rows"]:
            for outcome in row["outcomes"]:
                key = (row["place"], row["operation"], outcome["name"])
                seen[key] = seen.get(key, 0) + outcome["times"]
        with open(os.path.join(PROGRAMS, "names", "main.go"), encoding="utf-8") as source:
            lines = source.read().splitlines()
        for line, operation in (("own.mutex.Lock()", "Mutex.Lock"), ("asked <- i", "chan send")):
            place = "main.go:%d" % ([text.strip() for text in lines].index(line) + 1)
            self.assertEqual((seen[place, operation, "neither"], seen[place, operation, "blocked"]), (4, 0), line)
        started = [number for number, text in enumerate(lines, 1) if text.strip().startswith("go func()")]
        self.assertEqual(seen["main.go:%d" % started[0], "go main.main.func1", "done"], 1)

    def test_kernels(self):
        """Of a bug and its fix the first suspect is the goroutine of the bug."""
        names = ["double-lock", "error-path", "send-under-lock", "upgrade"]
        bench = os.path.join(PROGRAMS, "..", "..", "..", "bench", "golang", "run")
        table = self.run_in(".", sys.executable, "-B", bench, "--difftrace", DIFFTRACE, "--tsv", *names)
        self.assertEqual(table.returncode, 0, table.stderr)
        rows = [line.split("\t") for line in table.stdout.splitlines()]
        hit = rows[0].index("hit")
        self.assertEqual([(row[0], row[hit]) for row in rows[1:]], [(name, "yes") for name in names] + [("of 4", "4")])

    def test_devices(self):
        """Go's questions to a C compiler do no harm to /dev/null, whatever the compiler does."""
        with open(self.path("careless"), "w") as compiler:
            compiler.write(CARELESS)
        os.chmod(self.path("careless"), 0o755)
        self.environment.update(CGO_ENABLED="1", CC=self.path("careless"), ASKED=self.path("asked"))
        script = OWN_DEVICES + '"$0" go -o "$1" build .; echo "status $?"; stat -c %F /dev/null'
        built = self.run_in("mixed", "unshare", "--mount", "sh", "-c", script, DIFFTRACE, self.path("mixed"))
        if built.returncode == 77 or "unshare" in built.stderr:
            self.skipTest("devices of one's own are not allowed here")
        self.assertTrue(os.path.exists(self.path("asked")), built.stdout + built.stderr)
        self.assertEqual(built.stdout, "status 0\ncharacter special file\n", built.stderr)
        self.assertTrue(os.path.isdir(self.path("mixed")))
        self.assertEqual(os.listdir(os.path.join(PROGRAMS, "mixed")), ["mixed.go"])

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
