"""Who waits for whom, in programs that hang in known ways. Rank 2 is always the culprit."""

import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from e2e_support import DIFFTRACE, EndToEnd, MPIS, OPEN_MPI, app, environment, main, time_limit

RANKS = 6
HANG = 4  # seconds: the programs hang at once, but ranks take a while to start


class Waits(EndToEnd):
    def hung(self, command, seconds=HANG):
        run, _ = self.collect("run", command, time_limit(seconds), status=124)
        return self.waits(run)

    def waits(self, run):
        document = self.json("waits", run)
        traces = {trace["trace"]: trace for trace in document["traces"]}
        self.assertAlmostEqual(sum(trace["blame"] for trace in traces.values()), 1, places=3)
        return run, document, traces

    def with_each(self, program, seconds, collect, idle=True):
        """Each MPI and its run. What hangs is mostly idle: the jobs of all MPIs hang at the same time."""
        mpis = [mpi for mpi in MPIS if os.path.exists(app(program + mpi.suffix)) and mpi.available()]
        limit = time_limit(seconds)
        with ThreadPoolExecutor(len(MPIS) if idle else 1) as threads:
            return list(zip(mpis, threads.map(lambda mpi: collect(mpi, limit)[0], mpis)))

    def deadlock(self, kind):
        for mpi, run in self.with_each("mpi-deadlock", HANG, lambda mpi, limit: self.collect(
                mpi.name, mpi.run(RANKS, app("mpi-deadlock"), kind), limit, status=124)):
            with self.subTest(mpi=mpi.name):
                yield self.waits(run)

    def assert_culprit(self, document, traces, label="2.0"):
        worst = max(traces.values(), key=lambda trace: trace["blame"])
        self.assertEqual(worst["trace"], label, document["summary"])
        self.assertIn(label, document["summary"])

    def test_everybody_receives_first(self):
        for _, document, traces in self.deadlock("cycle"):
            self.assertEqual(document["cycles"], [["%d.0" % rank for rank in range(RANKS)]])
            for rank in range(RANKS):
                trace = traces["%d.0" % rank]
                self.assertEqual((trace["call"], trace["held_up_by"]), ("MPI_Recv", ["%d.0" % ((rank - 1) % RANKS)]))

    def test_one_never_comes_to_a_barrier(self):
        for run, document, traces in self.deadlock("absent"):
            self.assert_culprit(document, traces)
            self.assertEqual((traces["2.0"]["call"], traces["2.0"]["held_up_by"]), ("MPI_Recv", ["3.0"]))
            for rank in (0, 1, 3, 4, 5):
                trace = traces["%d.0" % rank]
                self.assertEqual((trace["call"], trace["held_up_by"]), ("MPI_Barrier", ["2.0"]))
            self.check_formats(run, document)

    def check_formats(self, run, document):
        text = self.difftrace("waits", run).stdout
        self.assertIn(document["summary"][1:], text)
        self.assertIn("0-1,3-5", text)
        self.assertIn("digraph", self.difftrace("waits", run, "--format", "dot").stdout)
        self.assertIn("<svg", self.difftrace("waits", run, "--format", "svg").stdout)

    def test_wrong_tag(self):
        for _, document, traces in self.deadlock("tag"):
            self.assert_culprit(document, traces)
            self.assertEqual(document["cycles"], [["2.0", "3.0"]])

    def test_wrong_peer(self):
        for _, document, traces in self.deadlock("peer"):
            self.assert_culprit(document, traces)
            self.assertEqual((traces["3.0"]["call"], traces["3.0"]["held_up_by"]), ("MPI_Waitall", ["2.0"]))

    def test_another_collective_call(self):
        for _, document, traces in self.deadlock("other"):
            self.assert_culprit(document, traces)

    def test_waitany(self):
        for _, document, traces in self.deadlock("any"):
            self.assertEqual(traces["0.0"]["waits"], "any")
            self.assertEqual(traces["0.0"]["held_up_by"], ["%d.0" % rank for rank in range(1, RANKS)])
            self.assertEqual(document["cycles"], [["%d.0" % rank for rank in range(RANKS)]])

    def test_locks_in_another_order(self):
        run, document, traces = self.hung([app("lock-order")], 1)
        self.assertEqual(document["cycles"], [["0.1", "0.2"]])
        self.assertEqual(traces["0.1"]["held_up_by"], ["0.2"])
        self.assertEqual(traces["0.2"]["held_up_by"], ["0.1"])
        rows = [line.split("\t") for line in self.difftrace("waits", run, "--tsv").stdout.splitlines()]
        self.assertEqual(rows[0], ["trace", "waits", "call", "for", "held up by", "blame", "reason"])
        self.assertEqual([row[:5] for row in rows[1:]],
                         [[each["trace"], each["waits"], each["call"], each["for"] or "",
                           "; ".join(each["held_up_by"])] for each in document["traces"]])
        _, document, _ = self.hung([app("lock-order"), "spin"], 1)
        self.assertEqual(document["cycles"], [["0.1", "0.2"]])

    def pairs(self, kind, status=124, idle=True):
        """Two ranks of mpi-waits, with each MPI: the document and its traces."""
        for mpi, run in self.with_each("mpi-waits", HANG if status == 124 else 2 * HANG, lambda mpi, limit: self.collect(
                mpi.name + kind, mpi.run(2, app("mpi-waits"), kind), limit, status=status), idle):
            with self.subTest(mpi=mpi.name, kind=kind):
                document = self.json("waits", run)
                self.assertNotIn("-9223372036854775808", str(document))
                yield run, document, {trace["trace"]: trace for trace in document["traces"]}

    def test_finalize_and_windows(self):
        for kind, call in (("tags", "MPI_Finalize"), ("fence", "MPI_Win_fence"), ("window", "MPI_Win_create"), ("groups", "MPI_Barrier")):
            for _, document, traces in self.pairs(kind):
                self.assertEqual((traces["0.0"]["call"], traces["0.0"]["held_up_by"]), (call, ["1.0"]))
                self.assertEqual(document["cycles"], [["0.0", "1.0"]])
                self.assertNotRegex(traces["0.0"]["reason"] or "", "bytes|root")
                if kind == "tags":
                    self.assertEqual(traces["1.0"]["reason"], "waits for tag 2 where rank 0 sends tag 1")

    def test_the_dead(self):
        for _, document, traces in self.pairs("dead", None):
            self.assertEqual((traces["1.0"]["status"], traces["1.0"]["blame"]), ("killed", 1), document)
            self.assertEqual((document["cycles"], traces["0.0"]["held_up_by"]), ([], ["1.0"]))

    def test_two_that_are_dead_when_the_launcher_looks(self):
        """It gets them in any order, so nobody knows who died first."""
        for mpi in MPIS:
            if not mpi.available():
                continue
            with self.subTest(mpi=mpi.name):
                run = self.path(mpi.name)
                job = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--timeout", "20", "--", *mpi.run(2, app("mpi-waits"), "finalize")],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
                pids = self.ranks_of(run)
                launcher = int(self.state(pids[0])[1])
                self.signal(launcher, signal.SIGSTOP, "T")
                for pid in (pids[1], pids[0]):
                    self.signal(pid, signal.SIGKILL, "Z")
                os.kill(launcher, signal.SIGCONT)
                job.wait(60)
                self.assertIn("first end  not known", self.difftrace("info", run).stdout)
                self.assertNotIn("killed", self.json("waits", run)["summary"])

    def signal(self, pid, number, state):
        """Sends it, and waits until it has had its effect."""
        os.kill(pid, number)
        while self.state(pid)[0] != state:
            time.sleep(0.01)

    @staticmethod
    def state(pid):
        """Letter of the state, parent, and so on."""
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()

    def ranks_of(self, run):
        """The process ids of both ranks, once both wait in MPI."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.2)
            document = self.difftrace("info", run, "--json", status=None).stdout
            processes = json.loads(document)["processes"] if document else []
            pids = {process["rank"]: process["pid"] for process in processes if process["events"] > 5}
            if len(pids) == 2:
                return pids
        raise AssertionError("the ranks did not start")

    def test_an_error_that_ends_the_program(self):
        for run, document, traces in self.pairs("rank", 6):
            self.assertEqual((traces["1.0"]["status"], traces["1.0"]["end"]),
                             ("aborted", "aborted in MPI_Send with status 6 (MPI_ERR_RANK)"), document)
            self.assertEqual(traces["1.0"]["blame"], 1)
            verdict = self.difftrace("compare", run, "-o", run + ".out").stdout
            self.assertIn("aborted in MPI_Send with status 6 (MPI_ERR_RANK)", verdict)

    def test_a_tag_that_varies(self):
        for run, _, traces in self.pairs("varying"):
            self.assertEqual(traces["1.0"]["for"], "a message from rank 0 with tag 31007")
            self.assertIn("tag 31007, 1 x 4 B) never returned", self.difftrace("dump", run, "--args").stdout)

    def test_two_that_differ(self):
        for _, _, traces in self.pairs("collectives"):
            self.assertIn("is MPI_Barrier, that of rank 1 is MPI_Bcast", traces["0.0"]["reason"])
        for _, _, traces in self.pairs("roots"):
            self.assertIn("is MPI_Bcast with root 1, that of rank 1 is MPI_Bcast with root 0", traces["0.0"]["reason"])
        for _, _, traces in self.pairs("bytes", None):
            self.assertIn("is MPI_Bcast of 262144 bytes, that of rank 1 is MPI_Bcast of 64", traces["0.0"]["reason"])

    def test_a_send_that_is_asked_for(self):
        for _, document, traces in self.pairs("posted"):
            self.assertEqual((traces["0.0"]["waits"], traces["0.0"]["held_up_by"]), ("runs", []), document)

    def test_requests(self):
        for _, _, traces in self.pairs("wait"):
            self.assertEqual((traces["0.0"]["call"], traces["0.0"]["for"]),
                             ("MPI_Wait", "a message from rank 1 with tag 5"))

    def test_who_still_gets_on(self):
        """What is cut off while it exchanges messages is no deadlock; who asks for ever gets on no more."""
        for run, document, traces in self.pairs("busy", idle=False):
            self.assertEqual([trace["status"] for trace in traces.values()], ["running", "running"], document)
            self.assertEqual(document["cycles"], [])
            self.assertIn("still running", document["summary"])
            self.assertNotIn("stuck", self.difftrace("compare", run, "-o", run + ".out").stdout)
        for _, document, traces in self.pairs("poll", idle=False):
            self.assertEqual([trace["status"] for trace in traces.values()], ["stuck", "stuck"], document)
            self.assertEqual(document["cycles"], [["0.0", "1.0"]])

    def test_no_arguments_to_record(self):
        for run, document, traces in self.pairs("nothing"):
            self.assertTrue(document["summary"].startswith("1 waits, held up by 1.0"), document)
            self.assertNotIn("no arguments", self.difftrace("waits", run).stderr)

    def test_without_arguments(self):
        if not OPEN_MPI.available():
            self.skipTest("no Open MPI")
        run, _ = self.collect("run", OPEN_MPI.run(RANKS, app("mpi-deadlock"), "absent"),
                              [*time_limit(HANG), "--mpi-args", "off"], status=124)
        self.assertIn("no arguments", self.difftrace("waits", run).stderr)


if __name__ == "__main__":
    main()
