"""difftrace itself: commands, help, version, output that does not arrive."""

import os
import re
import shutil
import subprocess
import unittest

from support import DIFFTRACE, LIMIT, CommandTest, main

COMMANDS = ["collect", "import", "go", "info", "dump", "stats", "times", "stack", "lines", "waits", "check", "coverage", "watch", "agent", "compare", "rank", "report", "diffnlr", "tui",
            "skeleton", "simulate", "minimise", "extrapolate", "replay", "generate", "nlr", "lattice", "jsm", "dendrogram", "export", "pack", "unpack"]
MODULE = "difftrace-analysis.so"
ONLY_THE_ANALYSIS_NEEDS = re.compile(r"lib(gvc|cgraph|cairo|pango|X11|dw|elf|gomp|omp)\b")


class Main(CommandTest):
    def test_help(self):
        text = self.difftrace("help")
        self.assertEqual(self.difftrace("--help"), text)
        self.assertEqual(re.findall(r"^  ([a-z]+) ", text, re.M), COMMANDS)
        for command in COMMANDS:
            self.assertIn("\n  " + command + " ", text)
            self.assertTrue(self.difftrace(command, "--help").startswith("Usage: difftrace " + command))
            self.assertIn("\nSYNOPSIS\n    difftrace " + command, self.difftrace("help", command))
        self.assertIn("\nTRACES\n", self.difftrace("help", "difftrace"))
        self.assertEqual(self.difftrace("help", "help"), self.difftrace("help", "difftrace"))
        self.assertEqual(self.difftrace("help", "difftrace-rank"), self.difftrace("help", "rank"))

    def test_version(self):
        version, *parts = self.lines("--version")
        self.assertRegex(version, r"^difftrace \d+\.\d+\.\d+$")
        build = os.path.dirname(DIFFTRACE)
        for line, file in zip(parts, ("libdifftrace_runtime.so", None, MODULE, "difftrace-screen.so", "difftrace-mpi.so", "difftrace-mpi-mpich.so",
                                     "difftrace-simgrid.so"), strict=True):
            there = file is not None and os.path.exists(os.path.join(build, file))
            self.assertRegex(line, r": yes$" if there else r": (yes|no; .+)$" if file is None else r": no; .+ brings it$")

    def test_no_command(self):
        result = self.execute()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("\nRecord:\n", result.stderr)

    def test_slip_of_the_fingers(self):
        for slip, command in (("comprae", "compare"), ("stat", "stats"), ("difnlr", "diffnlr"), ("dend", "dendrogram"),
                              ("--verison", "--version")):
            self.assertIn("did you mean '%s'?" % command, self.error(slip))
        self.assertNotIn("did you mean", self.error("xyzzy"))
        self.error("help", "xyzzy")

    def test_slip_in_an_option(self):
        for command, slip, option in (("stats", "--tvs", "--tsv"), ("compare", "--fliter=mpi", "--filter"),
                                      ("diffnlr", "--linkge", "--linkage")):
            self.assertIn("Unknown option %s; did you mean '%s'?" % (slip, option), self.error(command, slip))
        self.assertNotIn("did you mean", self.error("stats", "--xyzzy"))

    def test_missing_arguments(self):
        for arguments, missing in ((["info"], "RUN"), (["diffnlr"], "P.T"), (["compare"], "FAULTY"), (["import"], "PATH...")):
            self.assertIn("%s: %s is missing" % (arguments[0], missing), self.error(*arguments))
        self.assertIn("'b' is one argument too many", self.error("rank", "a", "b"))

    def test_small_stack(self):
        """Commands have stacks of their own; what is recorded has the limit that it was given."""
        run = os.path.join(self.folder, "run")
        with_limit = ["prlimit", "--stack=%d:%d" % (64 << 10, 64 << 10), DIFFTRACE]
        for arguments in (["collect", "-o", run, "sh", "-c", "ulimit -s"], ["compare", "-o", run + ".out", run, run],
                          ["check", run], ["stats", run]):
            result = subprocess.run([*with_limit, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    timeout=LIMIT)
            with self.subTest(command=arguments[0]):
                self.assertEqual((result.returncode, result.stderr if result.returncode else ""), (0, ""))
            if arguments[0] == "collect":
                self.assertEqual(result.stdout, "64\n")

    def test_few_open_files(self):
        """What cannot be opened is not said to be missing."""
        run = os.path.join(self.folder, "run")
        self.difftrace("collect", "-q", "-o", run, "true")
        for soft, hard, arguments, message in (
                (4, 4, ["collect", "-o", run + "2", "true"], "only 4 files may be open at once, and 8 are needed: raise the limit (ulimit -n 8)"),
                (4, 4, ["pack", run], "only 4 files may be open at once, and 32 are needed: raise the limit (ulimit -n 32)"),
                (4, 1024, ["stats", run], None)):
            result = subprocess.run(["prlimit", "--nofile=%d:%d" % (soft, hard), DIFFTRACE, *arguments], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, timeout=LIMIT)
            with self.subTest(command=arguments[0]):
                self.assertEqual((result.returncode, result.stderr), (2, "difftrace: %s\n" % message) if message else (0, ""))

    def test_output_that_does_not_arrive(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([DIFFTRACE, "help"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("standard output", result.stderr)

    @unittest.skipIf(os.environ.get("DT_SANITIZE"), "sanitized programs load all libraries at their start")
    def test_light_start(self):
        """What records draws no pictures."""
        result = subprocess.run([DIFFTRACE], env=dict(os.environ, LD_TRACE_LOADED_OBJECTS="1"), stdout=subprocess.PIPE,
                                text=True, check=True, timeout=LIMIT)
        self.assertIn("libglib", result.stdout)
        self.assertEqual(ONLY_THE_ANALYSIS_NEEDS.findall(result.stdout), [])

    def test_missing_module(self):
        """Without the analysis the rest works; each thing that can be wrong with it is told."""
        alone = shutil.copy(DIFFTRACE, self.folder)

        def error(command):
            result = subprocess.run([alone, command, "run"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    timeout=LIMIT)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1))
            return result.stderr

        self.assertEqual(subprocess.run([alone, "help"], stdout=subprocess.PIPE, text=True, check=True,
                                        timeout=LIMIT).stdout, self.difftrace("help"))
        self.assertIn("no %s in %s or " % (MODULE, self.folder), error("info"))
        self.assertIn("; the package difftrace brings it\n", error("info"))
        with open(self.path(MODULE), "w", encoding="ascii") as file:
            file.write("not a library")
        self.assertIn("%s: cannot be loaded: " % self.path(MODULE), error("info"))
        self.assertIn("; it needs the packages libcairo2, ", error("info"))
        os.remove(self.path(MODULE))
        shutil.copy(os.path.join(os.path.dirname(DIFFTRACE), MODULE), self.folder)
        self.assertIn("run: no such directory", error("info"))

    def test_separator(self):
        self.make("calls")
        self.assertEqual(self.difftrace("dump", "--", "calls"), self.difftrace("dump", "calls"))


if __name__ == "__main__":
    main()
