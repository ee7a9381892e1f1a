"""Hostile programs: each behaves under the tracer as it does without, and what it called is in the trace.

The programs are the sources beside this file, one a theme; the tables say what is in their traces. Each is built by
gcc and, if it is there, by clang, and traced with the images of the application (what clang built: with the executable
alone) and with all; what gcc built, also with times of functions and payload, and by themes with all images and what
came last. With DIFFTRACE_LONG_TESTS each of it is tried with all."""

import os
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))

from e2e_support import DIFFTRACE, EndToEnd, environment, other_lines, own_lines  # noqa: E402
from programs import LIMITS, PENDING, THEMES  # noqa: E402

BUILT = os.environ["DIFFTRACE_TORTURE"]
COMPILERS = [compiler for compiler in ("gcc", "clang") if os.path.exists(os.path.join(BUILT, "descriptors-" + compiler))]
MODES = {"app": ["--images", "app"], "all": ["--images", "*"]}
KEEP_LAST = ["--max-size", "64M", "--when-full", "keep-last"]
# Programs of the first compiler are also recorded so.
ALL_AT_ONCE = {"times": ["--images", "*", "--times=functions", "--payload", *KEEP_LAST]}
TIMES = {"times": ["--times=functions", "--payload"]}
THEMES_WITH_ALL_AT_ONCE = ("signals", "stacks", "code", "memory")
LONG_MODES = {"main": ["--images", "main"], "times": ["--times=functions"], "all-times": ["--images", "*", "--times=functions"],
              "payload": ["--payload"], "keep-last": KEEP_LAST}
HUNG = 60  # seconds


def files_in(folder):
    """{path: (mode, contents)} of all that is below a folder."""
    files = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            contents = None
            if stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    contents = file.read()
            files[os.path.relpath(path, folder)] = (stat.S_IMODE(status.st_mode), contents)
    return files


class Seen:
    """What somebody sees of a run: output, end, files."""

    def __init__(self, folder, command):
        os.mkdir(folder)
        os.chmod(folder, 0o777)
        self.command = command
        try:
            result = subprocess.run(command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, timeout=HUNG,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            self.output, self.status, self.errors, self.own, self.files = "", "hung", [], [], {}
            return
        self.output = result.stdout
        self.status = result.returncode if result.returncode >= 0 else 128 - result.returncode
        self.errors, self.own = other_lines(result.stderr), own_lines(result.stderr)
        self.files = files_in(folder)

    def differences(self, plain):
        for what in ("status", "output", "errors"):
            mine, others = getattr(self, what), getattr(plain, what)
            if mine != others:
                yield "%s: untraced %r, traced %r" % (what, others, mine)
        for name in sorted(set(self.files) | set(plain.files)):
            mine, others = self.files.get(name), plain.files.get(name)
            if mine != others:
                yield "file %s: untraced %.200r, traced %.200r" % (name, others, mine)


def modes_of(theme, compiler):
    if os.environ.get("DIFFTRACE_LONG_TESTS"):
        return {**MODES, **LONG_MODES}
    if compiler != COMPILERS[0]:
        return {"main": ["--images", "main"], "all": MODES["all"]}
    if theme == "memory":  # docs/limits.md: the C library blocks all signals while it makes a thread
        return {**MODES, "times": ["--images", "main", *ALL_AT_ONCE["times"][2:]]}
    return {**MODES, **(ALL_AT_ONCE if theme in THEMES_WITH_ALL_AT_ONCE else TIMES)}


class Torture(EndToEnd):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)  # for those who change the user

    def lacks_memory(self, theme, mode, run):
        """Behind a filter that permits no more memory, times may find no room; then recording stops and says so."""
        return theme == "filters" and mode == "times" and "Cannot allocate memory" in self.difftrace("info", run).stdout

    def beats(self, run):
        functions = self.json("stats", run, "--by", "function")["functions"]
        return sum(one["calls"] for one in functions if one["function"] == "beat")

    def check(self, theme, name, expected):
        for compiler in COMPILERS:
            command = expected.command(os.path.join(BUILT, "%s-%s" % (theme, compiler)), name)
            plain = Seen(self.path("plain-" + compiler), command)
            self.assertNotEqual(plain.status, 97, "no such program")
            for mode, options in modes_of(theme, compiler).items():
                with self.subTest(compiler=compiler, mode=mode):
                    run = self.path("%s-%s.run" % (compiler, mode))
                    traced = Seen(run + ".files", [DIFFTRACE, "collect", "-o", run, *options, "--", *command])
                    differences = list(traced.differences(plain))
                    if differences:
                        self.fail("\n".join(["", *differences, *traced.own]))
                    if expected.reason:
                        self.assertIn(expected.reason, self.difftrace("info", run).stdout)
                    elif expected.least != 0 and not self.lacks_memory(theme, mode, run):
                        expected.check_beats(self, self.beats(run))


def test_of(theme, name, expected):
    def test(self):
        self.check(theme, name, expected)
    known = PENDING.get((theme, name)) or LIMITS.get((theme, name))
    test.__doc__ = "%s %s%s" % (theme, name, ": " + known if known else "")
    return unittest.expectedFailure(test) if known else test


for theme, programs in THEMES.items():
    tests = {"test_" + name: test_of(theme, name, expected) for name, expected in programs.items()}
    globals()[theme] = type(theme, (Torture,), tests)


class List(unittest.TestCase):
    def test_nothing_is_left_out(self):
        for theme, programs in THEMES.items():
            for compiler in COMPILERS:
                built = subprocess.run([os.path.join(BUILT, "%s-%s" % (theme, compiler))], stdout=subprocess.PIPE, text=True)
                own = {name for name, expected in programs.items()
                       if not expected.is_script() and not name.startswith("then_")}
                helpers = {name for name in built.stdout.split() if name.startswith("then_")}
                with self.subTest(theme=theme, compiler=compiler):
                    self.assertEqual(set(built.stdout.split()) - helpers, own)

    def test_what_is_expected_to_fail_is_there(self):
        for theme, name in [*PENDING, *LIMITS]:
            self.assertIn(name, THEMES[theme])


if __name__ == "__main__":
    unittest.main(verbosity=2)
