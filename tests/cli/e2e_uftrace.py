"""A program recorded by uftrace and by difftrace: what is imported of the one folds to the same as the other."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

DIFFTRACE = os.environ["DIFFTRACE"]
SOURCE = os.environ["DIFFTRACE_SOURCE"]
LIMIT = 120
RANKS = 4
THREADED = r"""
#include <pthread.h>
#include <stdexcept>
static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void fail(int n) { if (n == 0) throw std::runtime_error("deep"); fail(n - 1); }
static int survive(int n) { try { fail(n); } catch (const std::exception &) { return 1; } return 0; }
static void *work(void *rounds) { long sum = 0; for (long i = 0; i < (long)rounds; i++) sum += survive(i); return (void *)sum; }
int main()
{
    for (long i = 1; i <= 3; i++) {
        pthread_t thread;
        pthread_create(&thread, nullptr, work, (void *)(20 * i));
        pthread_join(thread, nullptr);
        fib(10);
    }
}
"""

if not all(map(shutil.which, ("uftrace", "mpicc.openmpi", "mpirun.openmpi"))):
    print("uftrace or Open MPI is missing")
    sys.exit(77)


class Uftrace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-uftrace-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_in(self, *command):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_mpi_yield_when_idle="1", XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
        result = subprocess.run(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def folded(self, run, symbols):
        """NLRs of the application's threads; of the program's own functions and of MPI's."""
        text = self.run_in(DIFFTRACE, "nlr", run, "-f", "11.mpiall.cust:^(%s)$" % "|".join(symbols))
        return [line for line in text.splitlines() if not re.match(r"\d+\.[a-z]+:", line)]

    def check(self, ours, theirs, program):
        lines = [line.split(None, 2) for line in self.run_in("nm", "-C", program).splitlines()]
        symbols = [re.escape(line[2]) for line in lines if line[1] in "Tt" and not re.match(r"_|.*[._]|at_?exit", line[2])]
        self.assertGreater(len(symbols), 3)
        expected = self.folded(ours, symbols)
        self.assertTrue(all(re.search(name, "\n".join(expected)) for name in ("main", r"L\d+\^")))
        self.assertEqual(self.folded(theirs, symbols), expected)

    def test_threads(self):
        program = os.path.join(self.folder, "program")
        with open(program + ".cc", "w", encoding="ascii") as file:
            file.write(THREADED)
        self.run_in("c++", "-pg", "-g", "-O0", "-o", program, program + ".cc", "-lpthread")
        self.run_in("uftrace", "record", "--no-event", "-d", "data", program)
        self.run_in(DIFFTRACE, "import", "data", "-o", "theirs")
        self.run_in(DIFFTRACE, "collect", "-o", "ours", "--", program)
        self.check("ours", "theirs", program)

    def test_ranks(self):
        program = os.path.join(self.folder, "oddeven")
        source = os.path.join(SOURCE, "examples", "oddeven", "oddeven.c")
        self.run_in("mpicc.openmpi", "-std=gnu17", "-pg", "-g", "-O1", "-fno-inline", "-o", program, source, "-lm")
        mpirun = ("mpirun.openmpi", "--oversubscribe", "-n", str(RANKS))
        os.mkdir(os.path.join(self.folder, "data"))
        self.run_in(*mpirun, "sh", "-c", "exec uftrace record --no-event -d data/rank.$OMPI_COMM_WORLD_RANK " + program)
        self.run_in(DIFFTRACE, "import", "--from", "uftrace", "data", "-o", "theirs")
        self.run_in(DIFFTRACE, "collect", "-o", "ours", "--", *mpirun, program)
        self.check("ours", "theirs", program)


if __name__ == "__main__":
    unittest.main(verbosity=2)
