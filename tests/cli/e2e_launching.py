"""Collecting outside and inside a launcher: the ranks of a job are one run, whoever starts the collectors."""

import glob
import os
import signal
import subprocess
import time
import unittest

from e2e_support import DIFFTRACE, MPIS, EndToEnd, app, environment, example, execute, main

MANY = 64


def launch(mpi, *parts):
    """mpirun -n COUNT COMMAND : -n COUNT COMMAND..."""
    command = [mpi.launcher, *mpi.options]
    for number, (ranks, words) in enumerate(parts):
        command += [":"] if number else []
        command += ["-n", str(ranks), *words]
    return command


def available():
    return [mpi for mpi in MPIS if mpi.available()]


class Launching(EndToEnd):
    def collector(self, name, *command):
        return [DIFFTRACE, "collect", "-o", self.path(name), "--", *command]

    def wait_until_recorded(self, name):
        """Until the command of its collector has a file."""
        deadline = time.monotonic() + 30
        while not glob.glob(self.path(name + "/processes/*.trace")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def ranks(self, name):
        document = self.json("info", self.path(name))
        return document, sorted(process["rank"] for process in document["processes"])


    def test_inside_is_what_outside_is(self):
        for mpi in available():
            program = example("oddeven" + mpi.suffix)
            execute(self.collector("outside", *mpi.run(4, example("oddeven"))))
            result = execute(launch(mpi, (4, self.collector("inside", program))))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr.count(" processes 4,"), 1, result.stderr)
            document, ranks = self.ranks("inside")
            self.assertEqual(ranks, [0, 1, 2, 3])
            self.assertTrue(document["finished"])
            traces = [self.nlr(self.path(name), "--filter", "mpiall")[0] for name in ("outside", "inside")]
            self.assertEqual({label: traces[0][label] for label in ("0.0", "1.0", "2.0", "3.0")},
                             {label: traces[1][label] for label in ("0.0", "1.0", "2.0", "3.0")})
            self.assertEqual(document["problems"], [])

    def test_several_programs(self):
        for mpi in available():
            programs = [self.collector("mpmd", example("oddeven" + mpi.suffix)),
                        self.collector("mpmd", example("oddeven" + mpi.suffix), "--bug", "none")]
            result = execute(launch(mpi, (2, programs[0]), (2, programs[1])))
            self.assertEqual(result.returncode, 0, result.stderr)
            document, ranks = self.ranks("mpmd")
            self.assertEqual(ranks, [0, 1, 2, 3])
            by_rank = sorted(document["processes"], key=lambda each: each["rank"])
            self.assertEqual([process["arguments"].endswith("--bug none") for process in by_rank], [False, False, True, True])

    def test_many_at_once(self):
        # Hydra gives up where the first rank ends before its (empty) input has come.
        for mpi in available():
            result = execute(launch(mpi, (MANY, self.collector("many", "sleep", "1"))))
            self.assertEqual(result.returncode, 0, result.stderr)
            document, ranks = self.ranks("many")
            self.assertEqual(ranks, list(range(MANY)))
            self.assertTrue(document["finished"])
            self.assertEqual({process["status"] for process in document["processes"]}, {0})

    def test_a_second_job_has_a_run_of_its_own(self):
        for mpi in available():
            for _ in range(2):
                self.assertEqual(execute(launch(mpi, (2, self.collector("again", "true")))).returncode, 0)
            for name in ("again", "again.old"):
                self.assertEqual(self.ranks(name)[1], [0, 1])

    def test_a_rank_that_fails(self):
        for mpi in available():
            result = execute(launch(mpi, (1, self.collector("fails", "true")), (1, self.collector("fails", "sh", "-c", "exit 3"))))
            self.assertNotEqual(result.returncode, 0)
            document = self.json("info", self.path("fails"))
            self.assertIn(3, [process["status"] for process in document["processes"]])

    def test_ranks_of_slurm(self):
        """As srun starts them, one after the other in any order, some when others have ended."""
        steps = []
        for rank in (2, 0, 3, 1):
            variables = environment(SLURM_JOB_ID="71", SLURM_STEP_ID="0", SLURM_STEP_NUM_TASKS="4", SLURM_NTASKS="4", SLURM_PROCID=str(rank))
            steps.append(subprocess.Popen(self.collector("slurm", app("status"), "0"), env=variables, stdin=subprocess.DEVNULL,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            if rank == 0:
                for step in steps:
                    step.wait()
        self.assertEqual([step.wait() for step in steps], [0] * 4)
        document, ranks = self.ranks("slurm")
        self.assertEqual(ranks, [0, 1, 2, 3])
        self.assertTrue(document["finished"])

    def test_a_run_that_is_being_recorded_is_not_moved(self):
        with subprocess.Popen(self.collector("live", "sleep", "60"), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as other:
            try:
                self.wait_until_recorded("live")
                self.assert_one_error(execute(self.collector("live", app("status"), "0")), "still recording", "choose another name")
                self.assertFalse(os.path.exists(self.path("live.old")))
            finally:
                os.killpg(other.pid, signal.SIGKILL)
        self.assertEqual(execute(self.collector("live", app("status"), "0")).returncode, 0)
        self.assertTrue(os.path.exists(self.path("live.old")))

    def test_a_collector_that_is_killed(self):
        """The others complete the run, and say so."""
        ranks = [environment(SLURM_JOB_ID="72", SLURM_STEP_ID="0", SLURM_STEP_NUM_TASKS="2", SLURM_PROCID=str(rank)) for rank in range(2)]
        with subprocess.Popen(self.collector("killed", "sleep", "60"), env=ranks[0], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as first:
            self.wait_until_recorded("killed")
            os.killpg(first.pid, signal.SIGKILL)
        result = execute(self.collector("killed", app("status"), "0"), env=ranks[1])
        self.assertIn("1 of 2 collectors", result.stderr)
        self.assertEqual(self.ranks("killed")[1], [0, 1])

    def test_a_log_that_is_damaged_is_no_job(self):
        variables = environment(SLURM_JOB_ID="73", SLURM_STEP_ID="0", SLURM_STEP_NUM_TASKS="2", SLURM_PROCID="0")
        for text in ("[" * 100000, "{" * 100000, '{"job": 7, "rank": [], "what": null}\n', "\n\n\0\n", '{"processes": 3, "warnings": {}}\n'):
            with self.subTest(text=text[:40]):
                execute(self.collector("damaged", app("status"), "0"), env=variables)
                with open(os.path.join(self.path("damaged"), "collectors.jsonl"), "w", encoding="utf-8") as file:
                    file.write(text)
                result = execute(self.collector("damaged", app("status"), "0"), env=variables)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn("CRITICAL", result.stderr)
                self.assertEqual(self.ranks("damaged")[1], [0])


if __name__ == "__main__":
    main()
