"""Runs of several nodes: namespaces of this machine with TCP between them (nodes.py), three nodes with four ranks each."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import cluster
from e2e_support import APPS, DIFFTRACE, EXAMPLES, MPICH, OPEN_MPI, EndToEnd, app, environment, example, main

LONG = bool(os.environ.get("DIFFTRACE_LONG_TESTS"))
RANKS = 12
HOSTS = ["n1"] * 4 + ["n2"] * 4 + ["n3"] * 4  # of the ranks
OPEN_MPI_OPTIONS = "--allow-run-as-root --mca mpi_yield_when_idle 1 --mca btl_tcp_if_include eth0 --mca btl ^openib"
SLURM = unittest.skipUnless(cluster.has_slurm() and OPEN_MPI.available(), "no Slurm, or no Open MPI")
needs_open_mpi = unittest.skipUnless(OPEN_MPI.available(), "no Open MPI")
needs_mpich = unittest.skipUnless(MPICH.available(), "no MPICH")
needs_sshfs = unittest.skipUnless(cluster.has_sshfs() and OPEN_MPI.available(), "no sshfs, socat or sftp-server, or no Open MPI")


class OnNodes(EndToEnd):
    """One cluster for all; each test has a folder of its own, which all nodes share."""

    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.mkdtemp(prefix="difftrace-nodes-")
        cls.addClassCleanup(shutil.rmtree, cls.base, ignore_errors=True)
        os.mkdir(os.path.join(cls.base, "cluster"))
        shared = [os.path.dirname(DIFFTRACE), APPS, EXAMPLES, cls.base, cluster.HERE]
        cls.cluster = cluster.Cluster(os.path.join(cls.base, "cluster"), shared)
        cls.addClassCleanup(cls.cluster.stop)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix=self.id().rpartition(".")[2] + "-", dir=self.base)

    def on(self, host, script, status=0, limit=90):
        """A shell script on a node, in the test's folder, with difftrace in its PATH."""
        setting = "export PATH=%s:$PATH SLURM_CONF=%s/slurm.conf; cd %s; " % (
            os.path.dirname(DIFFTRACE), self.cluster.folder, self.folder)
        result = self.cluster.on(host, setting + script, limit)
        if status is not None:
            self.assertEqual(result.returncode, status, result.stdout[-3000:] + result.stderr[-3000:])
        return result

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def mpirun(self, ranks=RANKS, more=""):
        hosts = self.write("hosts", "".join("%s slots=%d\n" % (host, cluster.CORES) for host in self.cluster.hosts))
        return "mpirun.openmpi %s --hostfile %s --mca plm_rsh_agent %s %s -n %d" % (
            OPEN_MPI_OPTIONS, hosts, self.cluster.rsh, more, ranks)

    def hydra(self):
        hosts = self.write("hosts", "".join("%s:%d\n" % (host, cluster.CORES) for host in self.cluster.hosts))
        return "mpiexec.hydra -f %s -launcher rsh -launcher-exec %s -n %d" % (hosts, self.cluster.rsh, RANKS)

    def srun(self, options=""):
        return "srun -N3 -n%d --mpi=pmix %s" % (RANKS, options)

    def normal(self, launch, program, attempts=1):
        """A run that ends well. MPICH over TCP now and then hangs in MPI_Finalize, traced or not: then once more."""
        for attempt in range(attempts):
            result = self.on("n1", "difftrace collect -o normal --timeout 30 -- %s %s --bug none >sorted" % (launch, program),
                             status=None)
            if result.returncode == 0:
                return result
        self.fail(result.stderr[-3000:])

    def assert_hosts(self, *runs):
        for run in runs:
            processes = self.json("info", self.path(run))["processes"]
            self.assertEqual([process["host"] for process in processes], HOSTS)
            self.assertEqual([process["process"] for process in processes], list(range(RANKS)))

    def assert_nothing_left(self, program):
        end = time.monotonic() + 3
        while self.cluster.running(program) and time.monotonic() < end:
            time.sleep(0.2)
        self.assertEqual(self.cluster.running(program), {})

    def assert_verdict(self, *arguments):
        verdict = self.difftrace("compare", self.path("normal"), self.path("faulty"), *arguments, cwd=self.folder).stdout
        self.assertTrue(verdict.startswith("Verdict: 5.0 is the prime suspect: stuck in MPI_Recv after 7 of 12"), verdict[:400])
        return verdict

    def check_launcher(self, launch, program, attempts=1):
        """A run that is right and one that hangs: every rank is there, on its host, and the culprit is found on n2."""
        self.normal(launch, program, attempts)
        self.on("n1", "difftrace collect -o faulty --timeout 8 -- %s %s --bug dl >hung" % (launch, program), status=124)
        self.assert_hosts("normal", "faulty")
        self.assertIn("5-6 wait for each other", self.difftrace("waits", self.path("faulty")).stdout)
        self.assert_verdict("--filter", "mpi")
        self.assert_nothing_left("oddeven")


class Launchers(OnNodes):
    @needs_open_mpi
    def test_open_mpi(self):
        self.check_launcher(self.mpirun(), example("oddeven"))

    @needs_mpich
    def test_mpich(self):
        self.check_launcher(self.hydra(), example("oddeven.mpich"), attempts=3)


@SLURM
class Slurm(OnNodes):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.start_slurm()

    def test_srun(self):
        self.check_launcher(self.srun(), example("oddeven"))


class Testbed(unittest.TestCase):
    def test_nothing_stays_after_a_kill(self):
        folder = tempfile.mkdtemp(prefix="difftrace-nodes-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        nodes = cluster.Cluster(folder, count=1)
        nodes.must("n1", "sleep 1000 </dev/null >/dev/null 2>&1 &")
        self.assertNotEqual(processes_with(folder), [])
        nodes.server.kill()
        nodes.stop()
        end = time.monotonic() + 5
        while processes_with(folder) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(processes_with(folder), [])
        with open("/proc/mounts") as file:
            self.assertNotIn(folder, file.read())


def processes_with(text):
    """The processes, other than this one, whose command line or mounts have the text."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid) as command, open("/proc/%s/mounts" % pid) as mounts:
                if int(pid) != os.getpid() and (text in command.read() or text in mounts.read()):
                    found.append(pid)
        except OSError:
            pass
    return found


if __name__ == "__main__":
    problem = cluster.missing()
    if problem:
        print("skipped: " + problem)
        sys.exit(77)
    main()
