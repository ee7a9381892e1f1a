"""The Debian package: built, unpacked into an empty tree, and used from there."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["DIFFTRACE_BUILD"]
EXAMPLES = os.environ["DIFFTRACE_EXAMPLES"]
LIMIT = 300

if not all(map(shutil.which, ("cpack", "dpkg-deb", "dpkg-shlibdeps", "mpirun.openmpi"))):
    print("cpack, dpkg-dev or Open MPI is missing")
    sys.exit(77)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-package-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_in(self, *command, status=0):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DIFFTRACE")}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_mpi_yield_when_idle="1", XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
        result = subprocess.run(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout

    def test_demo_from_the_package(self):
        self.run_in("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-G", "DEB", "-B", self.folder)
        package, = glob.glob(os.path.join(self.folder, "*.deb"))
        depends = self.run_in("dpkg-deb", "-f", package, "Depends")
        self.assertIn("libglib2.0-0", depends)
        tree = os.path.join(self.folder, "tree")
        self.run_in("dpkg-deb", "-x", package, tree)
        shutil.rmtree(os.path.join(self.folder, "_CPack_Packages"))
        usr = os.path.join(tree, "usr")
        for name in ("share/man/man1/difftrace.1", "share/man/man1/difftrace-compare.1",
                     "share/bash-completion/completions/difftrace", "share/doc/difftrace/LICENSE"):
            self.assertTrue(os.path.exists(os.path.join(usr, name)), name)
        difftrace = os.path.join(usr, "bin", "difftrace")
        mpirun = ("mpirun.openmpi", "--oversubscribe", "-n", "8", os.path.join(EXAMPLES, "oddeven"), "--bug")
        self.run_in(difftrace, "collect", "-o", "normal", "--", *mpirun, "none")
        self.run_in(difftrace, "collect", "-o", "faulty", "--", *mpirun, "swap")
        text = self.run_in(difftrace, "compare", "normal", "faulty", "-f", "mpi")
        self.assertRegex(text, r"^Verdict: 5\.0 is")
        self.assertTrue(os.path.getsize(os.path.join(self.folder, "difftrace.out", "report.html")) > 50000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
