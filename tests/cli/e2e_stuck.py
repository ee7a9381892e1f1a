"""Jobs that cannot go on are ended and named; jobs that take long are left alone."""

import concurrent.futures
import json
import os
import subprocess
import time

from e2e_support import DIFFTRACE, EndToEnd, MPIS, OPEN_MPI, app, environment, example, execute, main, own_lines, time_limit

PATIENCE = 1
ALIVE_SECONDS = "3"
# Who is told to be to blame when the job is ended, as when a time limit ends it.
DEADLOCKS = ["cycle", "absent", "tag", "peer", "other", "any"]


def of_this_commit(kinds, parts=3):
    """A third of them, another one with each commit; all for ./bootstrap test --long and where there is no history."""
    commits = execute(["git", "-C", os.path.dirname(os.path.abspath(__file__)), "rev-list", "--count", "HEAD"]).stdout.strip()
    return kinds if "DIFFTRACE_LONG_TESTS" in os.environ or not commits else kinds[int(commits) % parts::parts]


class Stuck(EndToEnd):
    def stuck(self, name, command, patience=PATIENCE, **more):
        run, result = self.collect(name, command, ["--until-stuck=%s" % patience], status=125, **more)
        return run, result, self.json("waits", run)

    def test_a_job_that_is_stuck_is_ended_and_named(self):
        for mpi in MPIS:
            if not mpi.available():
                continue
            with self.subTest(mpi=mpi.name):
                run, result, document = self.stuck("run", mpi.run(6, app("mpi-deadlock"), "absent"))
                with open(os.path.join(run, "manifest.json"), encoding="utf-8") as file:
                    sentence = json.load(file)["stuck"]
                self.assertTrue(sentence.startswith("stuck for "), sentence)
                self.assertIn("to blame is 2.0", sentence)
                self.assertIn("to blame is 2.0", document["summary"])
                self.assertTrue([line for line in own_lines(result.stderr) if sentence in line], result.stderr)
                self.assertIn(sentence, self.difftrace("info", run).stdout)
                information = self.json("info", run)
                self.assertEqual((information["stuck"], information["timed_out"]), (sentence, False))

    def test_the_same_is_told_as_at_a_time_limit(self):
        for kind in DEADLOCKS:
            command = OPEN_MPI.run(6, app("mpi-deadlock"), kind)
            with self.subTest(kind=kind), concurrent.futures.ThreadPoolExecutor() as pool:
                job = pool.submit(self.collect, "limited", command, time_limit(8), status=124)
                _, _, ended = self.stuck("stuck", command)
                limited, _ = job.result()
                document = self.json("waits", limited)
                self.assertEqual(ended["summary"], document["summary"])
                self.assertEqual(ended["cycles"], document["cycles"])

    def test_threads_that_wait_for_each_others_locks(self):
        run, _, document = self.stuck("run", [app("lock-order")])
        self.assertEqual(document["cycles"], [["0.1", "0.2"]], document["summary"])
        # Its own file has the signal only if a thread still came to write it.
        self.assertIn(self.json("info", run)["processes"][0]["end"], ("signal", "killed"))

    def test_who_asks_for_ever_is_stuck(self):
        for kind in ("poll", "wait", "tags", "finalize", "fence"):
            with self.subTest(kind=kind):
                self.stuck("run", OPEN_MPI.run(2, app("mpi-waits"), kind))

    def test_persistent_requests(self):
        """The same messages as those of MPI_Irecv would be; a third rank computes for ever, so that not all of the job waits."""
        _, _, document = self.stuck("run", OPEN_MPI.run(3, app("mpi-waits"), "persistent"))
        self.assertEqual(document["cycles"], [["0.0", "1.0"]], document["summary"])

    def test_what_goes_on_before_the_end_is_not_ended(self):
        """The command of --on-stuck ends the job by itself: the second look sees it, and the job was not stuck."""
        pid = self.path("pid")
        run, result = self.collect("run", ["sh", "-c", 'echo $$ > "$0"; exec "$1"', pid, app("lock-order")],
                                   ["--until-stuck=1", "--on-stuck", "kill -USR2 $(cat %s); sleep 0.2" % pid], status=140)
        self.assertIsNone(self.json("info", run)["stuck"], result.stderr)

    def test_a_launcher_that_ends_before_its_ranks(self):
        """`collect` returns when these are gone, too: nothing of the run is still running then."""
        launcher = self.path("mpirun")
        with open(launcher, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nOMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 sleep 2 &\nsleep 0.5\n")
        os.chmod(launcher, 0o755)
        begin = time.monotonic()
        run, _ = self.collect("run", [launcher, "-n", "1", "true"], status=0)
        self.assertGreaterEqual(time.monotonic() - begin, 2)
        ends = [process["end"] for process in self.json("info", run)["processes"] if process["process"] == 0]
        self.assertEqual(ends, ["exited"])

    def alive(self, kind, mpi):
        run = self.path("%s-%s" % (kind, mpi.name))
        result = execute([DIFFTRACE, "collect", "-o", run, "--until-stuck=%s" % PATIENCE, "--",
                          *mpi.run(3, app("mpi-alive"), kind, ALIVE_SECONDS)])
        return kind, mpi.name, result

    def test_jobs_that_take_long_are_left_alone(self):
        """Each stands still for several times the patience; several at a time, so that the machine is loaded."""
        kinds = of_this_commit(execute([app("mpi-alive")]).stdout.split())
        mpis = [mpi for mpi in MPIS if mpi.available()]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            runs = [pool.submit(self.alive, kind, mpis[number % len(mpis)]) for number, kind in enumerate(kinds)]
            for run in runs:
                kind, mpi, result = run.result()
                with self.subTest(kind=kind, mpi=mpi):
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                    self.assertIn("done", result.stdout)

    def test_a_command_runs_before(self):
        marks = self.path("marks")
        run, result = self.collect("run", [app("lock-order")], ["--until-stuck=1", "--on-stuck",
                                                               'basename "$DIFFTRACE_RUN" > %s; exit 3' % marks], status=125)
        with open(marks, encoding="utf-8") as file:
            self.assertEqual(file.read(), "run\n")
        self.assertTrue([line for line in own_lines(result.stderr) if "--on-stuck" in line and "status 3" in line], result.stderr)
        self.assertIn("--on-stuck", "".join(self.difftrace("info", run).stdout))

    def test_a_watcher_that_dies_costs_the_job_nothing(self):
        run = self.path("run")
        process = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--until-stuck", "--", "sh", "-c", "sleep 3; exit 7"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        children = ""
        while "watch" not in children:
            time.sleep(0.1)
            children = execute(["pgrep", "-P", str(process.pid), "-f", "watch --quiet --until-stuck"]).stdout and "watch"
        execute(["pkill", "-KILL", "-P", str(process.pid), "-f", "watch --quiet --until-stuck"])
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 7, told)
        self.assertIn("--until-stuck: what watched the job has failed", told)

    def test_any_run_can_be_watched(self):
        run = self.path("run")
        job = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--timeout", "60", "--", *OPEN_MPI.run(8, example("oddeven"), "--bug", "dl")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        self.addCleanup(job.wait)
        self.addCleanup(job.terminate)
        while not os.path.exists(os.path.join(run, "manifest.json")):
            time.sleep(0.05)
        watched = self.difftrace("watch", "--until-stuck=1", run, status=1)
        self.assertTrue(watched.stdout.startswith("stuck for "), watched.stdout)
        self.assertIn("Deadlock", watched.stdout)
        job.terminate()
        job.wait()
        self.difftrace("watch", run)

    def test_bad_options(self):
        for options, word in ((["--until-stuck=0"], "--until-stuck"), (["--until-stuck=x"], "--until-stuck"),
                              (["--on-stuck", "true"], "--until-stuck")):
            self.assert_one_error(self.difftrace("collect", "-o", self.path("run"), *options, "--", "true", status=2), word)
        self.assert_one_error(self.difftrace("collect", "--until-stuck", "10", "true", status=2), "'10'", "--until-stuck=10")
        self.assert_one_error(self.difftrace("watch", self.path("nowhere"), status=2), "nowhere", "no such directory")


if __name__ == "__main__":
    main()
