"""What a comparison says first: proof before what all ranks have in common, and nothing of what comes by luck."""

import signal

from e2e_support import MPIS, EndToEnd, app, environment, main, time_limit

RANKS, STRUCK = 4, "2.0"


class Gate(EndToEnd):
    def mpi(self):
        for mpi in MPIS:
            if mpi.available():
                return mpi
        return self.skipTest("no MPI")

    def job(self, name, kind, fault=None, options=(), status=0):
        more = {"GATE_FAULT": fault} if fault else {}
        return self.collect(name, self.mpi().run(RANKS, app("mpi-gate"), kind), options, status=status, env=environment(**more))[0]

    def compared(self, normals, faulty, status):
        """The comparison's document; --exit-code ends with the status."""
        return self.json("compare", normals[0], faulty, *["--baseline=" + run for run in normals[1:]], "-o", self.path("out"), "--exit-code",
                         status=status)

    def assert_first(self, document, level="suspect"):
        first = document["suspects"][0]
        self.assertEqual((first["trace"], first["level"]), (STRUCK, level), document["verdict"])

    def test_a_crash_leads(self):
        """Though all ranks read the fault's name, which no normal run does."""
        faulty = self.job("faulty", "ring", "crash", status=None)
        normals = [self.job("normal-%d" % i, "ring") for i in range(3)]
        for runs in (normals[:1], normals):
            with self.subTest(normals=len(runs)):
                document = self.compared(runs, faulty, 1)
                self.assert_first(document)
                self.assertIn("signal %d" % signal.SIGSEGV, document["suspects"][0]["why"] + document["verdict"])

    def test_luck_accuses_nobody(self):
        """Who gets which task differs from run to run."""
        runs = [self.job("run-%d" % i, "farm") for i in range(4)]
        for faulty in range(4):
            for normals in ([runs[(faulty + 1) % 4]], [run for i, run in enumerate(runs) if i != faulty]):
                with self.subTest(faulty=faulty, normals=len(normals)):
                    document = self.compared(normals, runs[faulty], 0)
                    self.assertEqual([row for row in document["suspects"] if row["level"] == "suspect"], [], document["verdict"])
                    self.assertNotIn("whole program changed", document["verdict"])

    def test_a_worker_that_does_not_answer(self):
        faulty = self.job("faulty", "farm", "silent", time_limit(4), status=124)
        normals = [self.job("normal-%d" % i, "farm") for i in range(3)]
        for runs in (normals[:1], normals):
            with self.subTest(normals=len(runs)):
                self.assert_first(self.compared(runs, faulty, 1))


if __name__ == "__main__":
    main()
