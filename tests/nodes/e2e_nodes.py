"""Runs of several nodes: namespaces of this machine with TCP between them (nodes.py), three nodes with four ranks each."""

import json
import os
import shutil
import struct
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
# Ranks of Open MPI under srun hang in MPI_Init now and then, traced or not: in long tests, which repeat them.
SLURM = unittest.skipUnless("DIFFTRACE_LONG_TESTS" in os.environ and cluster.has_slurm() and OPEN_MPI.available(),
                            "only in long tests; or no Slurm, or no Open MPI")
needs_open_mpi = unittest.skipUnless(OPEN_MPI.available(), "no Open MPI")
needs_mpich = unittest.skipUnless(MPICH.available(), "no MPICH")
needs_sshfs = unittest.skipUnless(cluster.has_sshfs() and OPEN_MPI.available(), "no sshfs, socat or sftp-server, or no Open MPI")


def hang_seconds():
    """After which a program that hangs surely does, on a machine that has other work as well."""
    return int(max(8, min(40, 2 * os.getloadavg()[0])))


class OnNodes(EndToEnd):
    """One cluster for all; each test has a folder of its own, which all nodes share."""
    clock_step = 0

    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.mkdtemp(prefix="difftrace-nodes-")
        cls.addClassCleanup(shutil.rmtree, cls.base, ignore_errors=True)
        os.mkdir(os.path.join(cls.base, "cluster"))
        shared = [os.path.dirname(DIFFTRACE), APPS, EXAMPLES, cls.base, cluster.HERE]
        cls.cluster = cluster.Cluster(os.path.join(cls.base, "cluster"), shared, clock_step=cls.clock_step)
        cls.addClassCleanup(cls.cluster.stop)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix=self.id().rpartition(".")[2] + "-", dir=self.base)

    def on(self, host, script, status=0, limit=150):
        """A shell script on a node, in the test's folder, with difftrace in its PATH."""
        setting = "export PATH=%s:$PATH SLURM_CONF=%s/slurm.conf OMPI_MCA_mpi_yield_when_idle=1; cd %s; " % (
            os.path.dirname(DIFFTRACE), self.cluster.folder, self.folder)
        result = self.cluster.on(host, setting + script, limit)
        if status is not None:
            self.assertEqual(result.returncode, status, result.stdout[-3000:] + result.stderr[-3000:])
        return result

    def wait_until(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "this takes too long")
            time.sleep(0.1)

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
        """A run that ends well. Traced or not, MPICH over TCP now and then hangs in MPI_Finalize, and Open MPI under srun
        fails in MPI_Init, where its ranks make their shared memory: then once more."""
        for attempt in range(attempts):
            result = self.on("n1", "difftrace collect -o normal --timeout 60 -- %s %s --bug none >sorted" % (launch, program),
                             status=None)
            if result.returncode == 0:
                return result
        self.fail(result.stderr[-3000:])

    def faulty(self, launch, program, attempts=1):
        """A run that hangs."""
        for attempt in range(attempts):
            result = self.on("n1", "difftrace collect -o faulty --timeout %d -- %s %s --bug dl >hung" % (
                hang_seconds(), launch, program), status=None)
            if result.returncode == 124:
                return
        self.fail(result.stderr[-3000:])

    def assert_hosts(self, *runs):
        for run in runs:
            processes = self.json("info", self.path(run))["processes"]
            self.assertEqual([process["host"] for process in processes], HOSTS)
            self.assertEqual([process["process"] for process in processes], list(range(RANKS)))

    def assert_sealed(self, run):
        """All files, those of ranks killed on other nodes too, so that damage of their ends is seen."""
        folder = self.path(os.path.join(run, "processes"))
        self.assertEqual([name for name in os.listdir(folder) if seal_of(os.path.join(folder, name)) == 0], [])

    def assert_nothing_left(self, program):
        end = time.monotonic() + 3
        while self.cluster.running(program) and time.monotonic() < end:
            time.sleep(0.2)
        self.assertEqual(self.cluster.running(program), {})

    def assert_verdict(self, *arguments):
        verdict = self.difftrace("compare", self.path("normal"), self.path("faulty"), *arguments, cwd=self.folder).stdout
        self.assertIn(" 5.0 is the prime suspect: ", verdict.splitlines()[0])
        self.assertIn("stuck in MPI_Recv after 7 of 12 iterations", verdict.splitlines()[0])
        return verdict

    def check_launcher(self, launch, program, attempts=1):
        """A run that is right and one that hangs: every rank is there, on its host, and the culprit is found on n2."""
        self.normal(launch, program, attempts)
        self.faulty(launch, program, attempts)
        self.assert_hosts("normal", "faulty")
        self.assert_sealed("faulty")
        self.assertIn("5-6 wait for each other", self.difftrace("waits", self.path("faulty")).stdout)
        self.assert_verdict("--filter", "mpi")
        self.check_commands()
        self.assert_nothing_left("oddeven")

    def check_commands(self):
        """What other commands say of the run that hangs."""
        faulty, result = self.path("faulty"), self.path("difftrace.out")
        self.assertRegex(self.difftrace("stack", faulty).stdout, r"MPI_Recv")
        calls = {function["function"] for function in self.json("stats", faulty, "--by", "function")["functions"]}
        self.assertLessEqual({"MPI_Init", "MPI_Send", "MPI_Recv"}, calls)
        self.assertIn("5.0", self.difftrace("rank", result).stdout)
        self.assertIn("MPI_Recv", self.difftrace("diffnlr", "5", result, cwd=self.folder).stdout)
        self.difftrace("report", result, "-o", self.path("report.html"))
        with open(self.path("report.html")) as file:
            self.assertIn("MPI_Recv", file.read())


class Launchers(OnNodes):
    @needs_open_mpi
    def test_open_mpi(self):
        self.check_launcher(self.mpirun(), example("oddeven"))

    @needs_open_mpi
    def test_killed_on_another_node(self):
        """As the kernel does it without memory. Open MPI's daemons tell of their ranks: who was first is known."""
        launch = "%s %s kill 6" % (self.mpirun(), app("mpi-early-end"))
        self.on("n1", "difftrace collect -o kill --timeout 60 -- " + launch, status=137)
        info = self.difftrace("info", self.path("kill")).stdout
        self.assertRegex(info, r"first end  process 6: signal 9 \(Killed\); \d\.\d+ s before process \d+, by their hosts' clocks\n")

    @needs_open_mpi
    def test_disks_of_the_nodes(self):
        """Each node has a directory of its own under the run's path: what is not there is told, until it is gathered."""
        run = os.path.join(self.cluster.folder, "local", "made", "run")
        launch = "%s %s kill 6" % (self.mpirun(), app("mpi-early-end"))
        result = self.on("n1", "difftrace collect -o %s --timeout 60 -- %s; cp -r %s lonely" % (run, launch, run))
        self.assertIn("difftrace: warning: 4 of 12 ranks are recorded here (on n1)", result.stderr)
        self.assertIn("unrecorded 4 of 12 ranks are recorded here", self.difftrace("info", self.path("lonely")).stdout)
        self.assertEqual(self.json("info", self.path("lonely"))["missing_ranks"], 8)
        os.mkdir(self.path("whole"))
        for host in self.cluster.hosts:
            self.on(host, "cp -r %s whole/%s" % (run, host))
        self.assert_hosts("whole")
        info = self.difftrace("info", self.path("whole")).stdout
        self.assertIn("first end  process 6: signal 9 (Killed)", info)
        self.assertNotIn("unrecorded", info)
        warnings = self.difftrace("stack", self.path("lonely")).stderr
        self.assertIn("warning: %s: 4 of 12 ranks" % self.path("lonely"), warnings)

    @needs_mpich
    def test_killed_where_nobody_sees_it(self):
        """Hydra's proxies on other nodes tell nothing: that is said, and no other process is called the first."""
        launch = "%s %s kill 6" % (self.hydra(), app("mpi-early-end.mpich"))
        self.on("n1", "difftrace collect -o kill --timeout 60 -- " + launch, status=None)
        info = self.difftrace("info", self.path("kill")).stdout
        # Ranks on this host whose proxy ends before them are the collector's own children then: it sees how they end.
        self.assertRegex(info, r"\nfirst end  not known: (nobody saw when )?(12|11|10|9|8) processes (that )?were killed(\n| may have been first; of the others process )")

    @needs_mpich
    def test_mpich(self):
        self.check_launcher(self.hydra(), example("oddeven.mpich"), attempts=3)


class Agents(OnNodes):
    """What happens on other nodes is seen, and ended there; their clocks are an hour apart."""
    clock_step = 3600

    def collect(self, options, launch, program, status=None):
        return self.on("n1", "difftrace collect %s -o run --timeout 60 -- %s %s >out" % (options, launch, program), status)

    def check_deadlock(self, launch, program):
        """Ended because it is stuck, not by the time limit; no process of it is left, and it is known how each ended."""
        result = self.collect("--until-stuck=1", launch, program + " --bug dl", status=125)
        self.assert_nothing_left("oddeven")
        self.assertIn("by --until-stuck", result.stderr)
        self.assertIn("Deadlock: 5-6 wait for each other", result.stderr)
        self.assertNotIn("warning", result.stderr)
        self.assert_hosts("run")
        self.assertEqual({process["end"] for process in self.json("info", self.path("run"))["processes"]} - {"exited", "signal"}, set())
        self.wait_until(lambda: not self.cluster.running("difftrace"))
        self.assertEqual(sorted(os.listdir(self.path("run/agents"))), ["collectors", "key"])

    @needs_open_mpi
    def test_deadlock(self):
        self.check_deadlock(self.mpirun(), example("oddeven"))

    @needs_mpich
    def test_deadlock_mpich(self):
        self.check_deadlock(self.hydra(), example("oddeven.mpich"))

    def start_job(self, program, options="--agents", launch=None):
        """A job under collect, of which all ranks are there."""
        collector = self.cluster.start("n1", "cd %s; %s collect %s -o run -- %s %s >out 2>told" % (
            self.folder, DIFFTRACE, options, launch or self.mpirun(), program))
        self.addCleanup(collector.wait)
        self.addCleanup(self.cluster.on, "n1", "pkill -INT -x -f '%s collect.*'" % DIFFTRACE)
        folder = self.path("run/processes")
        self.wait_until(lambda: os.path.exists(folder) and len(os.listdir(folder)) == RANKS)
        return collector

    def watch(self, *options):
        return json.loads(self.on("n1", "difftrace watch --once --json %s run" % " ".join(options)).stdout)

    def kill_agent(self, host):
        self.wait_until(lambda: self.cluster.on(host, "pkill -KILL -x -f 'difftrace agent .*'").returncode == 0)

    def told(self):
        with open(self.path("told")) as file:
            return file.read()

    @needs_open_mpi
    def test_unseen_nodes(self):
        """An agent is killed, and another node's link is cut, in a job that is stuck: nobody is called stuck because of what is
        not seen (ranks 5 and 6 are on n2), nothing waits for these nodes, and what may be left there is told."""
        collector = self.start_job(example("oddeven") + " --bug dl", "--until-stuck=5 --timeout 14")
        self.addCleanup(self.cluster.on, "n3", "ip link set eth0 up; pkill -KILL oddeven; pkill -KILL orted")
        self.kill_agent("n2")
        self.cluster.must("n3", "ip link set eth0 down")
        begin = time.monotonic()
        self.assertEqual(collector.wait(), 124, self.told())
        self.assertLess(time.monotonic() - begin, 30)
        # On a busy machine an agent may be killed before it was heard.
        for host, why in (("n2", "(its agent is gone|no agent is heard)"), ("n3", "(its agent is silent|no agent is heard)")):
            self.assertRegex(self.told(), "warning: node %s: %s; what happens there is not seen\n" % (host, why))
            self.assertIn("warning: node %s: no agent answers; processes of the job may be left there\n" % host, self.told())
        self.assert_hosts("run")
        self.assertEqual(self.json("info", self.path("run"))["problems"], [])
        self.wait_until(lambda: set(self.cluster.running("oddeven")) <= {"n3"})

    def local_run(self, name):
        """A run's path, under which each node has a directory of its own."""
        return os.path.join(self.cluster.folder, "local", name, "run")

    @needs_open_mpi
    def test_deadlock_on_disks_of_the_nodes(self):
        """What agents send of their nodes' files makes the run whole while it goes on: a deadlock on n2 is seen. Files of an
        earlier run of that name, which nobody removes there, are not sent."""
        run = self.local_run("stuck")
        self.on("n1", "difftrace collect -o %s -- %s %s --bug none >out" % (run, self.mpirun(), example("oddeven")))
        time.sleep(2)  # more than agents allow for
        result = self.on("n1", "difftrace collect --until-stuck=1 --timeout 60 --agents-in=. -o %s -- %s %s --bug dl >out; s=$?; cp -r %s copy; exit $s" % (
            run, self.mpirun(), example("oddeven"), run), status=125)
        self.assertIn("by --until-stuck", result.stderr)
        self.assertIn("Deadlock: 5-6 wait for each other", result.stderr)
        self.assertNotIn("warning", result.stderr)
        self.assert_nothing_left("oddeven")
        self.assert_hosts("copy")
        self.assert_sealed("copy")
        info = self.json("info", self.path("copy"))
        self.assertEqual(info["problems"], [])
        self.assertEqual({process["end"] for process in info["processes"]} - {"exited", "signal"}, set())
        self.assertEqual([name for name in os.listdir(self.folder) if "agents" in name], [])
        self.wait_until(lambda: not self.cluster.running("difftrace"))

    @needs_open_mpi
    def test_disks_of_the_nodes(self):
        """Nobody listens until `watch` does; it shows all nodes. What is written later is there when the job has ended."""
        run = self.local_run("alive")
        collector = self.cluster.start("n1", "cd %s; %s collect --agents-in=. -o %s -- %s %s sleeps 8 >out 2>told; cp -r %s copy" % (
            self.folder, DIFFTRACE, run, self.mpirun(), app("mpi-alive"), run))
        self.addCleanup(collector.wait)
        watch = "difftrace watch --once --json %s" % run
        self.wait_until(lambda: self.on("n1", watch, status=None).returncode == 0)
        self.wait_until(lambda: json.loads(self.on("n1", watch).stdout)["ranks"] == RANKS)
        seen = json.loads(self.on("n1", watch).stdout)
        self.assertEqual((seen["hosts"], seen["unseen"], seen["state"]), (3, [], "running"))
        self.assertEqual(sum(part["kernel"]["not_seen"] for part in seen["classes"]), 0)
        self.assertEqual(collector.wait(), 0, self.told())
        self.assertEqual(self.told().count("warning"), 0, self.told())
        self.assert_hosts("copy")
        processes = self.json("info", self.path("copy"))["processes"]
        self.assertEqual({(process["end"], process["status"]) for process in processes}, {("exited", 0)})

    @needs_open_mpi
    def test_cut_links(self):
        """A node whose link is cut and mended is told and then seen again; the link is cut once more while that node's files are
        on its own disk: the collector ends in time, names the node, and what came before can be read."""
        run = self.local_run("cut")
        self.addCleanup(self.cluster.on, "n3", "ip link set eth0 up; pkill -KILL mpi-alive; pkill -KILL orted")
        collector = self.cluster.start("n1", "cd %s; %s collect --agents-in=. --timeout 24 -o %s -- %s %s sleeps 60 >out 2>told; cp -r %s copy" % (
            self.folder, DIFFTRACE, run, self.mpirun(), app("mpi-alive"), run))
        self.addCleanup(collector.wait)
        self.wait_until(lambda: self.on("n1", "test -d %s/processes" % run, status=None).returncode == 0)
        listening = self.watch_for("n1", "difftrace watch --json --period 0.5 %s" % run)
        self.wait_until(lambda: listening()["hosts"] == 3 and listening()["unseen"] == [])
        self.cluster.must("n3", "ip link set eth0 down")
        self.wait_until(lambda: [line for line in listening()["unseen"] if line.startswith("node n3: its agent is ")])
        self.cluster.must("n3", "ip link set eth0 up")
        self.wait_until(lambda: listening()["unseen"] == [])
        self.cluster.must("n3", "ip link set eth0 down")
        begin = time.monotonic()
        collector.wait()
        self.assertLess(time.monotonic() - begin, 45)
        self.assertIn("by --timeout", self.told())
        self.assertIn("warning: node n3: no agent answers; processes of the job may be left there\n", self.told())
        self.assert_hosts("copy")
        self.assertEqual(self.json("info", self.path("copy"))["problems"], [])

    def watch_for(self, host, command):
        """A function that gives the latest document of a watch that goes on."""
        watching = self.cluster.start(host, "cd %s; export PATH=%s:$PATH; exec %s >seen 2>complaints" % (
            self.folder, os.path.dirname(DIFFTRACE), command))
        self.addCleanup(watching.wait)
        self.addCleanup(self.cluster.on, host, "pkill -INT -x -f '%s'" % command)

        def latest():
            with open(self.path("seen")) as file:
                lines = [line for line in file.read().split("\n")[:-1] if line.startswith("{")]
            return json.loads(lines[-1]) if lines else {"hosts": 0, "unseen": None}

        self.wait_until(lambda: os.path.exists(self.path("seen")))
        return latest

    @needs_open_mpi
    def test_not_asked_for(self):
        """Then there are no agents, and nothing that they need."""
        self.on("n1", "difftrace collect -o run -- %s %s --bug none >out" % (self.mpirun(), example("oddeven")))
        self.assertFalse(os.path.exists(self.path("run/agents")))
        text = self.on("n1", "difftrace agent --end run", status=2).stderr
        self.assertEqual(text, "difftrace: run/agents/key: no such file: the run was not recorded for agents; give collect --agents\n")

    @needs_open_mpi
    def test_alive(self):
        """All ranks wait for one that sleeps, for longer than it takes to be called stuck: what `watch` shows of all nodes
        meanwhile. Then agents are killed, and the job does not notice."""
        collector = self.start_job(app("mpi-alive") + " sleeps 8", "--until-stuck=1")
        self.wait_until(lambda: self.watch()["ranks"] == RANKS)
        seen = self.watch()
        self.assertEqual((seen["hosts"], seen["unseen"], seen["state"]), (3, [], "running"))
        self.assertEqual(len([trace for part in seen["classes"] for trace in part["traces"] if trace.endswith(".0")]), RANKS)
        self.assertEqual(sum(part["kernel"]["not_seen"] for part in seen["classes"]), 0)
        self.assertGreaterEqual(sum(part["kernel"]["run"] + part["kernel"]["sleep"] for part in seen["classes"]), RANKS)
        for host in ("n2", "n3"):
            self.kill_agent(host)
        text = self.on("n1", "difftrace watch --once run").stdout
        self.assertIn("  kernel  ", text.splitlines()[1])
        self.assertIn("node n2: no agent is heard; what happens there is not seen\n", text)
        self.assertEqual(collector.wait(), 0, self.told())
        self.assertNotIn("stuck", self.told())
        processes = self.json("info", self.path("run"))["processes"]
        self.assertEqual({(process["end"], process["status"]) for process in processes}, {("exited", 0)})


@needs_sshfs
class NetworkFiles(OnNodes):
    """A folder that n1 has on its disk and that n2 and n3 reach by the network alone."""

    def mount(self, options=""):
        folder = self.path("net")
        os.mkdir(folder)
        self.cluster.mount_sshfs(folder, options)
        self.addCleanup(self.cluster.unmount, folder)
        return folder

    def test_others_are_seen_while_they_run(self):
        run = os.path.join(self.mount(), "run")
        collector = self.cluster.start("n1", "cd %s; %s collect -o %s --timeout %d -- %s %s --bug dl >hung" % (
            self.folder, DIFFTRACE, run, 2 * hang_seconds(), self.mpirun(), example("oddeven")))
        self.addCleanup(collector.wait)
        folder = os.path.join(run, "processes")
        self.wait_until(lambda: os.path.exists(folder) and len(os.listdir(folder)) == RANKS)
        time.sleep(1)  # much less than the kernel waits until it sends by itself
        during = self.json("info", run)
        self.assertEqual(during["problems"], [])
        self.assertEqual([process["host"] for process in during["processes"]], HOSTS)
        self.assertEqual({process["end"] for process in during["processes"]}, {"running"})
        self.wait_until(lambda: all(process["threads"] > 0 for process in self.json("info", run)["processes"]))
        self.assertEqual(collector.wait(), 124)
        after = self.json("info", run)
        self.assertEqual(after["problems"], [])
        self.assertTrue(all(process["events"] > 0 for process in after["processes"]))
        self.assertIn("5-6 wait for each other", self.difftrace("waits", run).stdout)

    @unittest.skipUnless(LONG, "only in long tests")
    def test_deadlock(self):
        """Agents send what the ranks that stand still have written."""
        run = os.path.join(self.mount(), "run")
        result = self.on("n1", "difftrace collect --until-stuck=1 --timeout 60 -o %s -- %s %s --bug dl >out" % (
            run, self.mpirun(), example("oddeven")), status=125)
        self.assertIn("Deadlock: 5-6 wait for each other", result.stderr)
        self.assert_nothing_left("oddeven")

    def waiting(self, host, run, ranks):
        """How many of the ranks are seen from a host to wait in a barrier."""
        result = self.on(host, "difftrace watch --once --json %s" % run, status=None)
        classes = json.loads(result.stdout)["classes"] if result.returncode == 0 else []
        return len({trace for part in classes if "MPI_Barrier" in part["calls"][:1] for trace in part["traces"]} & ranks)

    @unittest.skipUnless(LONG, "only in long tests")
    def test_who_stands_still_is_seen_soon(self):
        """The last words of ranks that wait, as soon as an agent has sent them. The kernel by itself takes half a minute."""
        run = os.path.join(self.mount(), "run")
        collector = self.cluster.start("n1", "cd %s; %s collect --agents -o %s -- %s %s sleeps 50 >out 2>told" % (
            self.folder, DIFFTRACE, run, self.mpirun(), app("mpi-alive")))
        self.addCleanup(collector.wait)
        self.addCleanup(self.cluster.on, "n1", "pkill -INT -x -f '%s collect.*'" % DIFFTRACE)
        folder = os.path.join(run, "processes")
        self.wait_until(lambda: os.path.exists(folder) and len(os.listdir(folder)) == RANKS)
        begin = time.monotonic()  # nobody may look on n2: who closes a file there sends what is in it
        elsewhere = {"%d.0" % rank for rank, host in enumerate(HOSTS) if host != "n1"}
        self.wait_until(lambda: self.waiting("n1", run, elsewhere) == len(elsewhere))
        self.assertLess(time.monotonic() - begin, 25)

    def test_no_shared_mappings(self):
        folder = self.mount(",direct_io")
        result = self.on("n2", "difftrace collect -o %s/run -- touch started" % folder, status=2)
        self.assertIn("its file system has no shared writable mappings", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertEqual(os.listdir(folder), [])
        self.assertFalse(os.path.exists(self.path("started")))


@SLURM
class Slurm(OnNodes):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.start_slurm()

    def test_srun(self):
        self.check_launcher(self.srun(), example("oddeven"), attempts=3)

    def batch(self, *lines):
        """The lines as a job of three nodes; its output."""
        script = self.write("job.sh", "#!/bin/sh\nPATH=%s:$PATH\n%s\n" % (os.path.dirname(DIFFTRACE), "\n".join(lines)))
        self.on("n1", "sbatch --wait -N3 -n%d -o job.out %s" % (RANKS, script), status=None)
        with open(self.path("job.out")) as file:
            return file.read()

    def test_stuck(self):
        """Agents are started by the step's tasks, as by those of other launchers."""
        result = self.on("n1", "difftrace collect --until-stuck=1 --timeout 60 -o run -- %s %s --bug dl >out" % (
            self.srun(), example("oddeven")), status=125)
        self.assertIn("Deadlock: 5-6 wait for each other", result.stderr)
        self.assert_nothing_left("oddeven")
        self.wait_until(lambda: not self.cluster.running("difftrace"))

    def test_batch(self):
        """A batch script has the variables of a rank, but srun and mpirun in it are none."""
        self.batch("difftrace collect -o srun -- srun --mpi=pmix %s --bug none" % example("oddeven"),
                   "difftrace collect -o mpirun -- mpirun.openmpi %s %s --bug none" % (OPEN_MPI_OPTIONS, example("oddeven")),
                   "difftrace collect -o script -- sh -c 'exit 3'")
        self.assert_hosts("srun", "mpirun")
        processes = self.json("info", self.path("script"))["processes"]
        self.assertEqual([(process["rank"], process["status"]) for process in processes], [(-1, 3)])

    def test_comparison_by_srun(self):
        """By all ranks if srun links them by MPI, and else not at all."""
        self.normal(self.srun(), example("oddeven"), attempts=3)
        self.faulty(self.srun(), example("oddeven"), attempts=3)
        self.on("n1", "difftrace compare normal faulty -o alone >alone.txt")
        self.on("n1", "srun -N3 -n6 --mpi=pmix difftrace compare normal faulty -o together >together.txt")
        self.assertEqual(result_in(self.path("together")), result_in(self.path("alone")))
        refused = self.on("n1", "srun -N3 -n3 --mpi=none difftrace compare normal faulty -o refused", status=2)
        told = [line for line in refused.stderr.splitlines() if line.startswith("difftrace:")]
        self.assertEqual(told, ["difftrace: srun started 3 processes without an MPI between them: give srun --mpi=pmix or --mpi=pmi2, "
                                "or start one process"])
        self.assertFalse(os.path.exists(self.path("refused")))

    def test_collectors_behind_srun(self):
        """Six collectors record in one run."""
        result = self.on("n1", "srun -N3 --ntasks-per-node=2 --mpi=pmix difftrace collect -o shared -- %s --bug none >sorted" % example("oddeven"))
        self.assertEqual(result.stderr.count("processes 6, threads"), 1, result.stderr)
        processes = self.json("info", self.path("shared"))["processes"]
        self.assertEqual([process["host"] for process in processes], ["n1", "n1", "n2", "n2", "n3", "n3"])
        self.assertEqual({process["end"] for process in processes}, {"exited"})
        self.on("n1", "srun -N3 -n3 difftrace collect -o 'own.%h.%r' -- true")
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if name.startswith("own.")), ["own.n1.0", "own.n2.1", "own.n3.2"])

    def test_end_of_a_job(self):
        """Slurm's --signal, before the time is over: the run is complete, and nobody is blamed for having been ended."""
        script = self.write("job.sh", "#!/bin/sh\nexport DIFFTRACE_OUTPUT=run.%%j-%%h DIFFTRACE_CODEC=tz\n"
                            "exec %s collect --codec lzr -- srun --mpi=pmix %s --bug dl\n" % (DIFFTRACE, example("oddeven")))
        job = self.on("n1", "sbatch --parsable -N3 -n%d -o job.out %s" % (RANKS, script)).stdout.strip()
        run = self.path("run.%s-n1" % job)
        folder = os.path.join(run, "processes")
        self.wait_until(lambda: os.path.exists(folder) and len(os.listdir(folder)) == RANKS)
        time.sleep(hang_seconds())
        self.on("n1", "scancel --batch --signal=TERM " + job)
        self.wait_until(lambda: not self.on("n1", "squeue -h -j %s" % job, status=None).stdout.strip())
        with open(self.path("job.out")) as file:
            self.assertIn("by signal 15 (Terminated) to difftrace", file.read())
        with open(os.path.join(run, "manifest.json")) as file:
            manifest = json.load(file)
        self.assertTrue(manifest["finished"])
        self.assertFalse(manifest["timed_out"])
        self.assertEqual(manifest["ending"]["signal"], 15)
        self.assertEqual(manifest["codec"], "lzr")
        self.assertIn("by a signal to the collector", self.difftrace("info", run).stdout)
        self.assertIn("5-6 wait for each other", self.difftrace("waits", run).stdout)
        self.assert_nothing_left("oddeven")

    def test_crash_of_a_rank(self):
        """Nobody sees how slurmd's children end but they themselves."""
        self.on("n1", "difftrace collect -o crash --timeout 60 -- %s %s init 6" % (self.srun(), app("mpi-early-end")), status=None)
        info = self.difftrace("info", self.path("crash")).stdout
        self.assertRegex(info, r"first end  process 6: signal 11 \(Segmentation fault\)")
        self.assertNotRegex(info, r"\d{6}\.\d+ s before")


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


def result_in(folder):
    """What the comparison found."""
    with open(os.path.join(folder, "result.json"), "rb") as file:
        return file.read()


def seal_of(path):
    """Of a process file's header; 0: it is not sealed."""
    with open(path, "rb") as file:
        return struct.unpack_from("<I", file.read(4096), 124)[0]


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
