"""The Debian package: built, unpacked into an empty tree, and used from there: tool, manual and library."""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["DIFFTRACE_BUILD"]
EXAMPLES = os.environ["DIFFTRACE_EXAMPLES"]
LIBRARY_EXAMPLE = os.path.join(os.environ["DIFFTRACE_SOURCE"], "examples", "library", "compare_runs.c")
LIMIT = 300

if not all(map(shutil.which, ("cpack", "dpkg-deb", "dpkg-shlibdeps", "mpirun.openmpi"))):
    print("cpack, dpkg-dev or Open MPI is missing")
    sys.exit(77)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="difftrace-package-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.run_in("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-G", "DEB", "-B", cls.folder)
        cls.package, = glob.glob(os.path.join(cls.folder, "*.deb"))
        cls.run_in("dpkg-deb", "-x", cls.package, os.path.join(cls.folder, "tree"))
        shutil.rmtree(os.path.join(cls.folder, "_CPack_Packages"))
        cls.usr = os.path.join(cls.folder, "tree", "usr")
        cls.headers = os.path.join(cls.usr, "include", "difftrace")

    @classmethod
    def run_in(cls, *command, status=0, **more):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DIFFTRACE")}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_mpi_yield_when_idle="1", XDG_CACHE_HOME=os.path.join(cls.folder, "cache"), **more)
        result = subprocess.run(command, cwd=cls.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        if result.returncode != status:
            raise AssertionError("%s: status %d\n%s%s" % (command, result.returncode, result.stdout, result.stderr))
        return result.stdout

    def flags(self, which):
        return shlex.split(self.run_in("pkg-config", which, "difftrace",
                                       PKG_CONFIG_PATH=os.path.join(self.usr, "lib", "pkgconfig")))

    def test_what_is_in_it(self):
        depends = self.run_in("dpkg-deb", "-f", self.package, "Depends")
        self.assertIn("libglib2.0-0", depends)
        for name in ("share/man/man1/difftrace.1", "share/man/man1/difftrace-compare.1", "include/difftrace/marker.h",
                     "share/bash-completion/completions/difftrace", "share/zsh/vendor-completions/_difftrace",
                     "share/doc/difftrace/LICENSE", "share/doc/difftrace/examples/oddeven/oddeven.c"):
            self.assertTrue(os.path.exists(os.path.join(self.usr, name)), name)

    def test_library_exports_what_its_headers_declare(self):
        library, = glob.glob(os.path.join(self.usr, "lib", "libdifftrace.so.*.*"))
        lines = self.run_in("nm", "-D", "--defined-only", library).splitlines()
        exported = {line.split()[2].split("@")[0] for line in lines if line.split()[1] != "A"}
        program = os.path.join(self.folder, "all.c")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#include <difftrace/difftrace.h>\n")
        text = self.run_in("cc", "-E", "-P", *self.flags("--cflags"), program)
        declared = set(re.findall(r"\b(dt_\w+) *\([^;{]*\);", text))
        defined = set(re.findall(r"\bstatic inline [^;{]*?\b(dt_\w+) *\(", text))
        self.assertEqual(exported, declared - defined)

    def test_headers_stand_alone(self):
        for name in sorted(os.listdir(self.headers)):
            for compiler, suffix in (("cc", "c"), ("c++", "cc")):
                program = os.path.join(self.folder, "one." + suffix)
                with open(program, "w", encoding="utf-8") as file:
                    file.write("#include <difftrace/%s>\n" % name)
                self.run_in(compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *self.flags("--cflags"), program)

    def test_demo_from_the_package(self):
        difftrace = os.path.join(self.usr, "bin", "difftrace")
        mpirun = ("mpirun.openmpi", "--oversubscribe", "-n", "8", os.path.join(EXAMPLES, "oddeven"), "--bug")
        self.run_in(difftrace, "collect", "-o", "normal", "--", *mpirun, "none")
        self.run_in(difftrace, "collect", "-o", "faulty", "--", *mpirun, "swap")
        text = self.run_in(difftrace, "compare", "normal", "faulty", "-f", "mpi")
        self.assertRegex(text, r"^Verdict: 5\.0 is")
        self.assertTrue(os.path.getsize(os.path.join(self.folder, "difftrace.out", "report.html")) > 50000)
        self.check_library(difftrace)

    def test_help_from_the_package(self):
        """Manual pages format without a warning; completion finds the package's own commands."""
        pages = glob.glob(os.path.join(self.usr, "share", "man", "man1", "*.1"))
        commands = re.findall(r"^  ([a-z]+) ", self.run_in(os.path.join(self.usr, "bin", "difftrace"), "help"), re.M)
        self.assertEqual({os.path.basename(page) for page in pages},
                         {"difftrace.1"} | {"difftrace-%s.1" % command for command in commands})
        if shutil.which("mandoc"):
            self.run_in("mandoc", "-T", "lint", "-W", "warning", *pages)
        script = os.path.join(self.usr, "share", "bash-completion", "completions", "difftrace")
        shown = self.run_in("bash", "-c", '. "$0"; COMP_WORDS=(difftrace waits --t); COMP_CWORD=2; _difftrace; '
                            'echo "${COMPREPLY[@]}"', script,
                            PATH=os.path.join(self.usr, "bin") + ":" + os.environ["PATH"])
        self.assertEqual(shown.split(), ["--tsv"])

    def check_library(self, difftrace):
        """The example, built by pkg-config's word alone, says what the tool says."""
        program = os.path.join(self.folder, "compare_runs")
        self.run_in("cc", "-Wall", "-Wextra", "-Werror", "-o", program, LIBRARY_EXAMPLE,
                    *self.flags("--cflags"), *self.flags("--libs"))
        library = {"LD_LIBRARY_PATH": os.path.join(self.usr, "lib")}
        top = [line.split(None, 1) for line in self.run_in(program, "normal", **library).splitlines()]
        told = self.run_in(difftrace, "stats", "normal", "--by", "function", "--tsv").splitlines()[1:]
        self.assertEqual(len(top), min(10, len(told)))
        self.assertEqual([calls for calls, _ in top], [line.split("\t")[0] for line in told[:len(top)]])
        differences = dict(line.split(": ", 1) for line in
                           self.run_in(program, "normal", "faulty", **library).splitlines())
        told = json.loads(self.run_in(difftrace, "rank", "--json"))["suspects"]
        self.assertIn(("5.0", differences.get("5.0")), [(each["trace"], each["first_difference"]) for each in told])
        self.run_in(program, "nowhere", status=2, **library)


if __name__ == "__main__":
    unittest.main(verbosity=2)
