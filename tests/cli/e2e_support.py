"""What the end-to-end tests share: running difftrace, runs in a scratch folder, the MPIs that are there."""

import functools
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

DIFFTRACE = os.environ["DIFFTRACE"]
APPS = os.environ["DIFFTRACE_APPS"]
EXAMPLES = os.environ["DIFFTRACE_EXAMPLES"]
LIMIT = 180  # seconds until a single command counts as hung


class Mpi:
    def __init__(self, name, launcher, options, suffix):
        self.name, self.launcher, self.options, self.suffix = name, launcher, options, suffix

    def available(self):
        return shutil.which(self.launcher) is not None and os.path.exists(example("oddeven" + self.suffix))

    def run(self, ranks, program, *arguments):
        return self.of(ranks, program + self.suffix, *arguments)

    def of(self, ranks, program, *arguments):
        """The same of a program's own name."""
        return [self.launcher, *self.options, "-n", str(ranks), program, *arguments]


OPEN_MPI = Mpi("openmpi", "mpirun.openmpi", ["--oversubscribe", "--allow-run-as-root"], "")
MPICH = Mpi("mpich", "mpirun.mpich", [], ".mpich")
MPIS = [mpi for mpi in (OPEN_MPI, MPICH)]


def app(name):
    return os.path.join(APPS, name)


def example(name):
    return os.path.join(EXAMPLES, name)


STARTS = 1  # seconds that six ranks take from start to end on two cores without other work, at most


def time_limit(seconds):
    """--timeout for a job that needs less than so many seconds to come to where it hangs, on a machine without other work."""
    return ["--timeout", str(round(seconds * min(max(1, seconds_to_start(round(time.monotonic() / 20)) / STARTS), 4), 1))]


@functools.lru_cache(maxsize=1)
def seconds_to_start(_):
    """How long six ranks take at present; the argument says when."""
    mpis = [mpi for mpi in MPIS if mpi.available()]
    begin = time.monotonic()
    if mpis:
        execute(mpis[0].run(6, app("mpi-waits"), "none"))
    return time.monotonic() - begin


def environment(**more):
    result = dict(os.environ)
    # Root in a container, more ranks than cores: Open MPI has to be asked.
    result.update(OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_WAIT_POLICY="passive", LC_ALL="C.UTF-8")
    result.update(more)
    return result


def launcher_failed(stderr):
    """Hydra fails by itself now and then where ranks end while it still starts them or hands them its standard input."""
    return "[mpiexec@" in stderr and ("assert (!closed) failed" in stderr or "unable to write to downstream stdin" in stderr)


def execute(command, **options):
    """Runs the command; a plain launch that the launcher itself spoils is made again."""
    for _ in range(4):
        result = execute_once(command, **options)
        if command[0] == DIFFTRACE or not launcher_failed(result.stderr):
            break
    return result


def execute_once(command, **options):
    options.setdefault("env", environment())
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("timeout", LIMIT)
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", **options)


def own_lines(stderr):
    """What difftrace said, without what the command wrote there."""
    return [line for line in stderr.splitlines() if line.startswith("difftrace: ")]


def other_lines(stderr):
    return [line for line in stderr.splitlines() if not line.startswith("difftrace: ")]


def contents(folder):
    """All files of a folder, by name."""
    files = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    return files


class EndToEnd(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def difftrace(self, *arguments, status=0, **options):
        result = execute([DIFFTRACE, *arguments], **options)
        self.assert_status(result, status, arguments)
        return result

    def assert_status(self, result, status, arguments):
        if status is not None:
            self.assertEqual(result.returncode, status,
                             "difftrace %s\n%s%s" % (" ".join(arguments), result.stdout[-2000:], result.stderr[-2000:]))

    def collect(self, name, command, options=(), status=0, **more):
        """Collects into self.path(name) and returns (run, result)."""
        run = self.path(name)
        arguments = ["collect", "-o", run, *options, "--", *command]
        for attempt in range(4):
            result = self.difftrace(*arguments, status=None, **more)
            if attempt == 3 or not launcher_failed(result.stderr):
                break
            shutil.rmtree(run, ignore_errors=True)
        self.assert_status(result, status, arguments)
        return run, result

    def json(self, *arguments, **options):
        document = json.loads(self.difftrace(*arguments, "--json", **options).stdout)
        self.assertEqual(document["version"], 1)
        return document

    def nlr(self, run, *options):
        """{trace: NLR} and {loop: body}."""
        traces, loops = {}, {}
        for line in self.difftrace("nlr", run, *options).stdout.splitlines():
            if ": " in line or line.endswith(":"):
                label, _, text = line.partition(":")
                traces[label] = text.strip()
            elif " = [" in line:
                name, _, body = line.partition(" = ")
                loops[name.strip()] = body.strip()
        return traces, loops

    def events(self, run, *options):
        """(label, is_entry, function) of every event."""
        for line in self.difftrace("dump", run, "--flat", *options).stdout.splitlines():
            label, kind, function = line.split("\t")
            yield label, kind == ">", function

    def assert_one_error(self, result, *words):
        """One clear line (a second one may say what to do), status 2."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        lines = result.stderr.splitlines()
        self.assertLessEqual(len(lines), 2, result.stderr)
        self.assertTrue(lines and lines[0].startswith("difftrace: "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


class Timed(unittest.TextTestResult):
    """Also says how long each test took."""

    def startTest(self, test):
        self.started = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        self.stream.writeln("    %.1f s" % (time.monotonic() - self.started))
        super().stopTest(test)


def main():
    unittest.main(testRunner=unittest.TextTestRunner(verbosity=2, resultclass=Timed))
