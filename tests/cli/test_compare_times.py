"""difftrace compare: runs that make the same calls and take longer; their times are known (timed_run.h)."""

import json
import os
import shutil
import struct

from support import CommandTest, main, read

STEPS, SLOW_FROM = 10, 7
TIMES, HEADER = 13, 64  # of chunks: include/difftrace/trace_file.h
SLOW_SECONDS = 4 * 0.002  # what rank 2 takes more in `force` and `helper`


class CompareTimes(CommandTest):
    def setUp(self):
        super().setUp()
        self.make("timed-normal", "timed-longer")
        for name in ("normal2", "normal3"):
            shutil.copytree(self.path("timed-normal"), self.path(name))

    def compare(self, faulty, *options, baselines=("normal2", "normal3"), **more):
        more_normals = [option for name in baselines for option in ("-b", name)]
        return self.json("compare", "timed-normal", faulty, *more_normals, *options, "-o", "out", **more)

    def check_slower(self, document):
        times = document["times"]
        self.assertEqual((times["answer"], times["null_seconds"], times["off_processor"]), ("slower", 0, 0))
        self.assertAlmostEqual(times["normal_seconds"], 0.1)
        self.assertAlmostEqual(times["longer_seconds"], SLOW_SECONDS)
        first, second = times["differences"]
        self.assertEqual({first["function"], second["function"]}, {"force", "helper"})
        self.assertEqual((first["trace"], first["traces"], first["scope"], first["kind"]), ("2.0", ["2.0"], "one", "since"))
        self.assertEqual(first["since"], {"iteration": SLOW_FROM, "of": STEPS})
        self.assertAlmostEqual(first["seconds"] + second["seconds"], SLOW_SECONDS, delta=0.05 * SLOW_SECONDS)
        self.assertAlmostEqual(first["share"] + second["share"], 1, delta=0.05)
        self.assertEqual(first["waiting"], {"call": "MPI_Allreduce", "traces": ["0.0", "1.0", "3.0"]})
        return first

    def test_slower(self):
        document = self.compare("timed-longer")
        first = self.check_slower(document)
        suspect, = document["suspects"]
        self.assertEqual((suspect["trace"], suspect["level"], suspect["status"], suspect["score"]), ("2.0", "suspect", "finished", 0.9))
        self.assertEqual((document["scope"], document["common"]), ("one", None))
        start = "2.0 spends %.1f ms more in %s, since iteration 7 of 10: " % (1e3 * first["seconds"], first["function"])
        self.assertTrue(document["verdict"].startswith(start), document["verdict"])
        for part in ("% of the 8.0 ms that the run is longer", "; others wait for it in MPI_Allreduce", "the runs are equal"):
            self.assertIn(part, document["verdict"])
        self.assertEqual(self.json("rank", "out"), document)
        self.assertIn('"since":{"iteration":7,"of":10}', read(self.path("out", "report.html")))

    def test_damaged_times(self):
        """A line tells of them, as what is left may tell of what is not so; not where times are not looked at."""
        folder = self.path("timed-longer", "processes")
        file = os.path.join(folder, sorted(os.listdir(folder))[1])
        with open(file, "rb") as stream:
            data = bytearray(stream.read())
        # The first chunk of times claims to be longer than it is.
        chunk = next(at for at in range(0, len(data) - HEADER, 8) if struct.unpack_from("<I", data, at + 4)[0] == TIMES and
                     HEADER < struct.unpack_from("<I", data, at + 8)[0] <= len(data) - at)
        struct.pack_into("<I", data, chunk + HEADER + 16, 0xffffffff)
        with open(file, "wb") as stream:
            stream.write(data)
        message = self.execute("compare", "timed-normal", "timed-longer", "-b", "normal2", "-o", "out").stderr
        self.assertEqual(message.count("times are damaged"), 1, message)
        self.assertNotIn("times are damaged", self.execute("compare", "timed-normal", "timed-longer", "--no-times", "-o", "other").stderr)

    def test_exit_code(self):
        self.difftrace("compare", "timed-normal", "timed-longer", "-b", "normal2", "--exit-code", "-o", "out", status=1)
        self.difftrace("compare", "timed-normal", "normal3", "-b", "normal2", "--exit-code", "-o", "out")

    def test_equal_runs(self):
        document = self.compare("normal3", baselines=("normal2",))
        self.assertEqual((document["suspects"], document["scope"]), ([], "none"))
        self.assertEqual((document["times"]["answer"], document["times"]["differences"]), ("alike", []))
        self.assertIn("; the runs' times differ by no more than the normal runs' own do", document["verdict"])

    def test_waiting_is_no_cause(self):
        """All wait longer, and nobody works longer."""
        self.make("timed-waiting")
        document = self.compare("timed-waiting")
        self.assertEqual((document["suspects"], document["times"]["differences"]), ([], []))
        self.assertEqual(document["times"]["answer"], "unexplained")
        self.assertIn("it took 8.0 ms longer than the 100 ms of the normal runs, which no function explains", document["verdict"])

    def test_the_run_is_not_longer(self):
        self.make("timed")
        document = self.compare("timed")
        self.assertEqual(document["times"]["differences"][0]["share"], None)
        self.assertIn(", though the run is not longer than the normal ones", document["verdict"])

    def test_a_normal_run_does_the_same(self):
        shutil.copytree(self.path("timed-longer"), self.path("slow2"))
        document = self.compare("timed-longer", baselines=("normal2", "slow2"))
        self.assertEqual(document["suspects"], [])
        self.assertGreater(document["times"]["null_seconds"], 0.4 * SLOW_SECONDS)

    def test_one_normal_run(self):
        document = self.compare("timed-longer", baselines=())
        self.assertEqual((document["times"]["answer"], document["times"]["null_seconds"]), ("slower", None))
        self.assertEqual(document["suspects"][0]["level"], "weak")
        self.assertIn("with 3 to 5 normal runs instead of 1, noise could be told from the fault", document["verdict"])

    def test_without_times(self):
        document = self.compare("timed-longer", "--no-times")
        self.assertNotIn("times", document)
        self.assertEqual(document["suspects"], [])

    def test_some_have_none(self):
        self.difftrace("import", "--from", "text", self.dumped("timed-normal"), "-o", "untimed", "--quiet")
        result = self.execute("compare", "untimed", "timed-longer", "-o", "out")
        self.assertIn("note: untimed: recorded without times: times are not compared\n", result.stderr)
        self.assertNotIn("times", json.loads(read(self.path("out", "result.json"))))
        self.assertNotIn("times are not", self.execute("compare", "untimed", "timed-longer", "-o", "out", "--no-times").stderr)

    def dumped(self, run):
        path = self.path(run + ".txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.difftrace("dump", "--flat", run))
        self.assertGreater(os.path.getsize(path), 0)
        return path


if __name__ == "__main__":
    main()
