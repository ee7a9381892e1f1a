"""The Debian package: built, unpacked into an empty tree, and used from there: tool, manual and library.

With DIFFTRACE_CLEAN_SYSTEM=1 it is also installed by apt on a Debian that has nothing else, made for that by mmdebstrap.
"""

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
APPS = os.environ["DIFFTRACE_APPS"]
LIMIT = 300
LIMIT_OF_DOWNLOADS = 1500
MOST_PACKAGES = 67  # on a minimal system: difftrace, the 61 that it needs, and room for five more

# What somebody does there: install, trace a program of threads, install an MPI, find the deadlock of the demo, remove.
ON_A_CLEAN_SYSTEM = r"""
set -eu
cd /tmp/given
mkdir ../results
apt-get install -s --no-install-recommends ./difftrace.deb | grep -c '^Inst' >../results/packages.txt
apt-get install -y --no-install-recommends ./difftrace.deb
dpkg --verify difftrace
difftrace collect -o run -- ./threads together 2 100
difftrace info run --json >../results/info.json
apt-get install -y --no-install-recommends openmpi-bin
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
difftrace collect -o normal -- mpirun --oversubscribe -n 16 ./oddeven --bug none
difftrace collect -o faulty --timeout 15 -- mpirun --oversubscribe -n 16 ./oddeven --bug dl || [ $? = 124 ]
difftrace compare normal faulty --filter mpi
difftrace rank --json >../results/rank.json
difftrace waits faulty --json >../results/waits.json
cp -r difftrace.out ../results
apt-get purge -y difftrace
find / -xdev -name '*difftrace*' -not -path '/tmp/*' -not -path '/root/*' -not -path '/var/log/*' >../results/left.txt
"""

if not all(map(shutil.which, ("cpack", "dpkg-deb", "dpkg-shlibdeps", "mpirun.openmpi"))):
    print("cpack, dpkg-dev or Open MPI is missing")
    sys.exit(77)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="difftrace-package-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.run_in("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-G", "DEB", "-B", cls.folder)
        cls.package, = glob.glob(os.path.join(cls.folder, "difftrace_*.deb"))
        cls.run_in("dpkg-deb", "-x", cls.package, os.path.join(cls.folder, "tree"))
        shutil.rmtree(os.path.join(cls.folder, "_CPack_Packages"))
        cls.usr = os.path.join(cls.folder, "tree", "usr")
        cls.headers = os.path.join(cls.usr, "include", "difftrace")

    @classmethod
    def run_in(cls, *command, status=0, limit=LIMIT, **more):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DIFFTRACE")}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_mpi_yield_when_idle="1", XDG_CACHE_HOME=os.path.join(cls.folder, "cache"), **more)
        result = subprocess.run(command, cwd=cls.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=limit)
        if result.returncode != status:
            raise AssertionError("%s: status %d\n%s%s" % (command, result.returncode, result.stdout, result.stderr))
        return result.stdout

    def flags(self, which):
        return shlex.split(self.run_in("pkg-config", which, "difftrace",
                                       PKG_CONFIG_PATH=os.path.join(self.usr, "lib", "pkgconfig")))

    def test_what_is_in_it(self):
        depends = self.run_in("dpkg-deb", "-f", self.package, "Depends")
        self.assertIn("libglib2.0-0", depends)
        self.assertNotRegex(depends, "mpi|simgrid")
        for name in ("share/man/man1/difftrace.1", "share/man/man1/difftrace-compare.1", "include/difftrace/marker.h",
                     "share/bash-completion/completions/difftrace", "share/zsh/vendor-completions/_difftrace",
                     "lib/difftrace/replay.c", "share/doc/difftrace/copyright", "share/doc/difftrace/examples/oddeven/oddeven.c"):
            self.assertTrue(os.path.exists(os.path.join(self.usr, name)), name)

    def test_an_mpi_is_a_package_of_its_own(self):
        """Whoever does not compare with ranks needs none, and whoever does not simulate with times no SimGrid."""
        needs = {"difftrace-openmpi": "libopenmpi3", "difftrace-mpich": "libmpich12", "difftrace-simgrid": "libsimgrid3.32"}
        packages = [package for package in glob.glob(os.path.join(self.folder, "*.deb")) if package != self.package]
        built = [files for files in (("difftrace-mpi.so", "difftrace-replay"), ("difftrace-mpi-mpich.so", "difftrace-replay-mpich"),
                                    ("difftrace-simgrid.so",))
                 if os.path.exists(os.path.join(BUILD, files[0]))]
        self.assertEqual(len(packages), len(built))
        suggests = self.run_in("dpkg-deb", "-f", self.package, "Suggests")
        for package in packages:
            name = os.path.basename(package).split("_")[0]
            self.assertIn(name, suggests)
            self.assertIn(needs[name], self.run_in("dpkg-deb", "-f", package, "Depends"))
            files = [line.split()[-1] for line in self.run_in("dpkg-deb", "-c", package).splitlines() if line[0] == "-"]
            self.assertIn(tuple(sorted(os.path.basename(file) for file in files)), built)

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

    def test_nothing_may_be_freed(self):
        """As difftrace.h says of every function that ends in _free or _unref."""
        names = {name for header in glob.glob(os.path.join(self.headers, "*.h"))
                 for name in re.findall(r"^void (dt_\w+_(?:free|unref))\(", read(header), re.MULTILINE)}
        self.assertGreater(len(names), 20)
        program = os.path.join(self.folder, "free.c")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#include <difftrace/difftrace.h>\nint main(void)\n{\n%s}\n" %
                       "".join("    %s(NULL);\n" % name for name in sorted(names)))
        self.run_in("cc", "-o", "free", program, *self.flags("--cflags"), *self.flags("--libs"))
        self.run_in("./free", LD_LIBRARY_PATH=os.path.join(self.usr, "lib"))

    def test_headers_stand_alone(self):
        for name in sorted(os.listdir(self.headers)):
            for compiler, suffix in (("cc", "c"), ("c++", "cc")):
                program = os.path.join(self.folder, "one." + suffix)
                with open(program, "w", encoding="utf-8") as file:
                    file.write("#include <difftrace/%s>\n" % name)
                self.run_in(compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *self.flags("--cflags"), program)

    def test_python(self):
        """What is installed for Python asks the tool that is installed with it; without pandas too."""
        self.run_in(os.path.join(self.usr, "bin", "difftrace"), "collect", "-q", "-o", "of-python", "--", os.path.join(APPS, "threads"), "together", "2", "100")
        program = "import difftrace; run = difftrace.read('of-python'); print(len(run.info()['processes']), run.verdict()[:0])"
        told = self.run_in("python3", "-B", "-c", program, PYTHONPATH=os.path.join(self.usr, "lib", "python3", "dist-packages"),
                           PATH=os.path.join(self.usr, "bin") + ":" + os.environ["PATH"])
        self.assertEqual(told.split(), ["1"])

    def test_demo_from_the_package(self):
        difftrace = os.path.join(self.usr, "bin", "difftrace")
        mpirun = ("mpirun.openmpi", "--oversubscribe", "-n", "8", os.path.join(EXAMPLES, "oddeven"), "--bug")
        self.run_in(difftrace, "collect", "-o", "normal", "--", *mpirun, "none")
        self.run_in(difftrace, "collect", "-o", "faulty", "--", *mpirun, "swap")
        text = self.run_in(difftrace, "compare", "normal", "faulty", "-f", "mpi")
        self.assertRegex(text, r"^Verdict: (?:other command lines [^;]*; )?5\.0 is")
        self.assertTrue(os.path.getsize(os.path.join(self.folder, "difftrace.out", "report.html")) > 50000)
        self.check_library(difftrace)

    def test_help_from_the_package(self):
        """Every command is there; manual pages format without a warning; completion finds the package's own commands."""
        pages = glob.glob(os.path.join(self.usr, "share", "man", "man1", "*.1"))
        difftrace = os.path.join(self.usr, "bin", "difftrace")
        commands = re.findall(r"^  ([a-z]+) ", self.run_in(difftrace, "help"), re.M)
        for command in commands:
            self.assertTrue(self.run_in(difftrace, command, "--help").startswith("Usage: difftrace " + command))
        self.assertEqual({os.path.basename(page) for page in pages},
                         {"difftrace.1"} | {"difftrace-%s.1" % command for command in commands})
        if shutil.which("mandoc"):
            self.run_in("mandoc", "-T", "lint", "-W", "warning", *pages)
        script = os.path.join(self.usr, "share", "bash-completion", "completions", "difftrace")
        shown = self.run_in("bash", "-c", '. "$0"; COMP_WORDS=(difftrace waits --t); COMP_CWORD=2; _difftrace; '
                            'echo "${COMPREPLY[@]}"', script,
                            PATH=os.path.join(self.usr, "bin") + ":" + os.environ["PATH"])
        self.assertEqual(shown.split(), ["--tsv"])

    @unittest.skipUnless(os.environ.get("DIFFTRACE_CLEAN_SYSTEM") and shutil.which("mmdebstrap"), "not asked for")
    def test_installed_on_a_clean_system(self):
        given = os.path.join(self.folder, "given")
        os.mkdir(given)
        shutil.copy(self.package, os.path.join(given, "difftrace.deb"))
        for program in (os.path.join(EXAMPLES, "oddeven"), os.path.join(APPS, "threads")):
            shutil.copy(program, given)
        with open(os.path.join(given, "steps.sh"), "w", encoding="utf-8") as file:
            file.write(ON_A_CLEAN_SYSTEM)
        release = dict(line.split("=", 1) for line in read("/etc/os-release").splitlines() if "=" in line)
        hooks = ['echo "127.0.0.1 localhost $(hostname)" >"$1/etc/hosts"', "copy-in %s /tmp" % given,
                 'chroot "$1" sh /tmp/given/steps.sh', "copy-out /tmp/results %s" % self.folder]
        self.run_in("mmdebstrap", "--variant=minbase", *("--customize-hook=" + hook for hook in hooks),
                    release["VERSION_CODENAME"], "/dev/null", limit=LIMIT_OF_DOWNLOADS, TMPDIR="/tmp")
        results = os.path.join(self.folder, "results")
        self.assertEqual(read(os.path.join(results, "left.txt")), "")
        self.assertLessEqual(int(read(os.path.join(results, "packages.txt"))), MOST_PACKAGES)
        run = json.loads(read(os.path.join(results, "info.json")))
        self.assertEqual(len([trace for trace in run["traces"] if trace["events"] > 0]), 3)
        top = json.loads(read(os.path.join(results, "rank.json")))["suspects"][0]
        self.assertEqual((top["trace"], top["level"]), ("5.0", "suspect"))
        self.assertEqual(json.loads(read(os.path.join(results, "waits.json")))["cycles"], [["5.0", "6.0"]])
        for name in ("report.html", "diffnlr-5.0.svg", "jsm-diff.svg", "dendrogram-diff.svg", "lattice-faulty.svg"):
            self.assertGreater(os.path.getsize(os.path.join(results, "difftrace.out", name)), 3000, name)

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
        verdict, *suspects = self.run_in(program, "normal", "faulty", **library).splitlines()
        told = json.loads(self.run_in(difftrace, "rank", "--json"))
        self.assertEqual(verdict, told["verdict"])
        self.assertEqual([line.split("\t") for line in suspects],
                         [[each["trace"], each["level"], each["first_difference"] or ""] for each in told["suspects"][:10]])
        self.run_in(program, "nowhere", status=2, **library)


if __name__ == "__main__":
    unittest.main(verbosity=2)
