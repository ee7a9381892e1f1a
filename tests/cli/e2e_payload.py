"""What `collect --payload` notes is what programs have in their buffers, and `compare` names who departs first."""

import os
import re
import unittest

from e2e_support import MPIS, OPEN_MPI, EndToEnd, app, main

RANKS = 4
WORDS = {"data": "sent", "got data": "got", "data changed to": "changed"}
TOLD = re.compile(r"(?<![a-z] )(got data|data changed to|data) ([0-9a-f]{8})(?![0-9a-f])")


def built(mpi):
    return mpi.available() and os.path.exists(app("mpi-payload" + mpi.suffix))


class Payload(EndToEnd):
    def told(self, run, rank):
        text = self.difftrace("dump", "--args", run, "-t", "%d.0" % rank).stdout
        lines = [line.split("): ", 1)[1] for line in text.splitlines() if "MPI_" in line and "): " in line]
        return [(WORDS[word], sum_) for line in lines for word, sum_ in TOLD.findall(line)]

    def test_every_call_and_type(self):
        for mpi in filter(built, MPIS):
            with self.subTest(mpi=mpi.name):
                run, result = self.collect("run" + mpi.suffix, mpi.run(RANKS, app("mpi-payload")), ["--payload"])
                own = [line.split() for line in result.stdout.splitlines()]
                for rank in range(RANKS):
                    expected = [(what, sum_) for of, what, sum_ in own if of == str(rank)]
                    self.assertGreater(len(expected), 35)
                    self.assertEqual(self.told(run, rank), expected, "rank %d" % rank)

    def test_nothing_without_it(self):
        run, _ = self.collect("run", OPEN_MPI.run(RANKS, app("mpi-payload")))
        self.assertEqual(self.told(run, 0), [])

    @unittest.skipUnless(built(OPEN_MPI), "no Open MPI")
    def test_who_departs_first(self):
        def loop(name, fault):
            return self.collect(name, OPEN_MPI.run(RANKS, app("mpi-payload"), "loop", fault), ["--payload"])[0]

        normals = [loop("normal%d" % i, "0") for i in range(4)]
        faulty = loop("faulty", "1")
        more = ["-o", self.path("out"), "-f", "mpi", "-a", "sing.actual"]
        baselines = [word for run in normals[1:3] for word in ("-b", run)]
        said = self.json("compare", *more, *baselines, normals[0], faulty)
        first = said["data"]["first"]
        self.assertEqual([item["trace"] for item in first], ["2.0"], said["verdict"])
        # The fifth round sends it: the times are every other call.
        self.assertEqual((first[0]["call"], first[0]["event"], first[0]["nth"], first[0]["peer"]),
                         ("MPI_Sendrecv", "sent", 9, 3))
        self.assertEqual(said["suspects"][0]["trace"], "2.0", said["verdict"])
        self.assertIn("first of all ranks to differ", said["verdict"])
        self.assertIn("vary by themselves", said["data"]["caution"])
        self.assertGreater(said["data"]["varying"], 0)

        said = self.json("compare", *more, *baselines, normals[0], normals[3])
        self.assertEqual((said["data"]["first"], said["suspects"]), ([], []), said["verdict"])

        said = self.json("compare", *more, normals[0], faulty)
        self.assertIn("one normal run", said["verdict"])

    def test_arguments_are_needed(self):
        result = self.difftrace("collect", "--payload", "--mpi-args", "off", "-o", self.path("run"), "--", "true",
                                status=2)
        self.assert_one_error(result, "--payload")


if __name__ == "__main__":
    main()
