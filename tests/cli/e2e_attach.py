"""Jobs of both MPIs that hang and were not recorded: their stacks, arguments, and who waits for whom."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

from e2e_support import MPIS, OPEN_MPI, EndToEnd, app, environment, example, main

RANKS = 16
# Exchanges between neighbours, some of which ask without waiting, over and over; what it counts is not on its stack.
HEALTHY = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, ranks, done;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *data = calloc(64, sizeof *data), mine = 1, all;
    for (long *round = calloc(1, sizeof *round);; ++*round) {
        MPI_Request requests[2];
        MPI_Irecv(data, 8, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(data + 16, 8, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
        for (done = 0; !done;)
            MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 50; i++) {
            if (rank < (rank ^ 1))
                MPI_Send(data + 32, 4, MPI_DOUBLE, rank ^ 1, 1, MPI_COMM_WORLD);
            MPI_Recv(data + 48, 4, MPI_DOUBLE, rank ^ 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank > (rank ^ 1))
                MPI_Send(data + 32, 4, MPI_DOUBLE, rank ^ 1, 1, MPI_COMM_WORLD);
        }
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}
"""
SLOW = 60  # seconds until a job hangs, on a machine that does other things as well


class Attach(EndToEnd):
    def start(self, command, **more):
        job = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment(**more),
                               start_new_session=True)

        def end():
            if job.poll() is not None:
                return
            job.send_signal(signal.SIGTERM)
            try:
                job.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                job.wait()
        self.addCleanup(end)
        job.end = end
        return job

    def look(self, command, job, good, *options):
        """The document, once it is as it should be: ranks come there one after the other."""
        document = None
        for _ in range(SLOW):
            time.sleep(1)
            result = self.difftrace(command, "--job", str(job.pid), "--json", *options, status=None)
            if result.returncode == 0:
                document = json.loads(result.stdout)
                if good(document):
                    return document
        self.fail("not after %d seconds: %s" % (SLOW, str(document)[:2000]))

    def oddeven(self, mpi):
        return self.start(mpi.run(RANKS, example("oddeven"), "--bug", "dl", "--rank", "5", "--after", "7"))

    @staticmethod
    def innermost(stack):
        return stack["frames"][-1] if stack["frames"] else {"function": None}

    def hangs(self, document):
        """Rank 5 and its neighbours receive, all who are left wait at the end."""
        names = [self.innermost(stack)["function"] for stack in document["stacks"]]
        return len(names) == RANKS and set(names) <= {"MPI_Recv", "MPI_Finalize"} and names[5] == names[6] == "MPI_Recv"

    def test_oddeven(self):
        for mpi in MPIS:
            if not mpi.available():
                continue
            with self.subTest(mpi=mpi.name):
                job = self.oddeven(mpi)
                document = self.look("stack", job, self.hangs)
                self.check_oddeven(document)
                tree = self.difftrace("stack", "--all", "--args", "--job", str(job.pid)).stdout.splitlines()
                self.assertEqual(tree[0], "main  16:[0-15]")
                self.assertTrue(any(re.match(r" +MPI_Recv\(world, from [+-]1, tag 0, 8 x 4 B\)  \d", line) for line in tree), tree)
                waits = self.json("waits", "--job", str(job.pid))
                self.assertIn(["5.0", "6.0"], waits["cycles"])
                self.assertEqual(waits["certainty"], "likely", waits["summary"])
                self.check_gdb(document)
                job.end()

    def check_oddeven(self, document):
        for stack in document["stacks"]:
            frames = [frame["function"] for frame in stack["frames"]]
            if frames[-1] == "MPI_Finalize":
                continue
            self.assertEqual(frames, ["main", "oddEvenSort", "exchange", "MPI_Recv"])
            told = {argument["name"]: argument["value"] for argument in stack["frames"][-1]["arguments"]}
            rank = int(stack["trace"].split(".")[0])
            self.assertIn(told.pop("source"), (rank - 1, rank + 1))
            self.assertEqual(told, {"count": 8, "datatype": "MPI_INT", "tag": 0, "communicator": "MPI_COMM_WORLD"})

    def check_gdb(self, document):
        """The program's own frames and lines: those of the ranks that differ and some others, or of all in a long test."""
        if not shutil.which("gdb"):
            return
        for stack in document["stacks"][::1 if "DIFFTRACE_LONG_TESTS" in os.environ else 5]:
            output = subprocess.run(["gdb", "-p", str(stack["pid"]), "-batch", "-nx", "-iex", "set debuginfod enabled off", "-ex", "bt"], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False, timeout=180).stdout
            theirs = re.findall(r"^#\d+ .*?(?: in )?(\w+) \(.*\) at \S*?(oddeven\.c:\d+)$", output, re.M)
            ours = [(frame["function"], frame["line"]) for frame in stack["frames"] if frame["line"]]
            self.assertEqual(ours, theirs[::-1], output)

    def test_one_never_comes_to_a_barrier(self):
        for mpi in MPIS:
            if not mpi.available() or not os.path.exists(app("mpi-deadlock" + mpi.suffix)):
                continue
            with self.subTest(mpi=mpi.name):
                job = self.start(mpi.run(6, app("mpi-deadlock"), "absent"))
                document = self.look("waits", job, lambda document: document["cycles"] == [["2.0", "3.0"]])
                worst = max(document["traces"], key=lambda trace: trace["blame"])
                self.assertEqual(worst["trace"], "2.0", document["summary"])
                self.assertIn("is not in MPI_Barrier", worst["reason"])

    def test_a_healthy_job(self):
        """Nobody is stuck, and of a part of it nothing else is said."""
        for mpi in MPIS:
            if not mpi.available() or not shutil.which("mpicc." + mpi.name):
                continue
            with self.subTest(mpi=mpi.name):
                source, program = self.path("healthy.c"), self.path("healthy-" + mpi.name)
                with open(source, "w", encoding="utf-8") as file:
                    file.write(HEALTHY)
                subprocess.run(["mpicc." + mpi.name, "-w", "-O2", "-o", program, source], check=True)
                job = self.start(mpi.of(4, program))
                document = self.look("waits", job, lambda document: document["ranks_seen"] == 4)
                for _ in range(3):
                    self.assertEqual((document["certainty"], document["cycles"]), ("none", []), document["summary"])
                    self.assertTrue(document["summary"].startswith("nobody is stuck"), document["summary"])
                    document = self.json("waits", "--job", str(job.pid))
                pids = [str(process["pid"]) for process in self.json("stack", "--job", str(job.pid))["processes"]]
                part = self.json("waits", "--pid", ",".join(pids[:2]))
                self.assertEqual((part["ranks"], part["ranks_seen"], part["cycles"]), (4, 2, []))
                job.end()

    def test_locks(self):
        job = self.start([app("lock-order")])
        document = self.look("waits", job, lambda document: bool(document["cycles"]))
        pid = str(job.pid)
        self.assertEqual(document["cycles"], [[pid + ".1", pid + ".2"]])
        traces = {trace["trace"]: trace for trace in document["traces"]}
        self.assertEqual(traces[pid + ".1"]["held_up_by"], [pid + ".2"])
        self.assertEqual((traces[pid + ".0"]["call"], traces[pid + ".0"]["for"]), ("pthread_join", "the end of %s.1" % pid))

    def test_a_job_that_is_recorded(self):
        """Unwinding goes astray in it; the run knows."""
        if not OPEN_MPI.available():
            self.skipTest("no Open MPI")
        from e2e_support import DIFFTRACE
        run = self.path("run")
        job = self.start([DIFFTRACE, "collect", "-o", run, "--timeout", "300", "--", *OPEN_MPI.run(4, example("oddeven"), "--bug", "dl", "--rank", "1",
                                                                                                       "--after", "2")])
        names = lambda document: [self.innermost(stack)["function"] for stack in document["stacks"]]  # noqa: E731
        document = self.look("stack", job, lambda document: names(document)[:3] == 3 * ["MPI_Recv"])
        self.assertEqual(os.path.realpath(document["processes"][0]["run"]), os.path.realpath(run))
        self.assertEqual([frame["function"] for frame in document["stacks"][1]["frames"]], ["main", "oddEvenSort", "exchange", "MPI_Recv"])
        self.assertIn(["0.0", "1.0"], self.json("waits", "--job", str(job.pid))["cycles"])
        job.end()
        for name in os.listdir(os.path.join(run, "processes")):
            if ".%d." % document["processes"][1]["pid"] in name:
                os.unlink(os.path.join(run, "processes", name))
        part = json.loads(self.difftrace("waits", run, "--json", status=None).stdout)
        self.assertEqual((part["ranks"], part["ranks_seen"], part["cycles"], part["certainty"]), (4, 3, [], "none"))


if __name__ == "__main__":
    main()
