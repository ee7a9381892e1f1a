"""Runs that a time limit ended while they still got on are compared as far as both came, with recorded normal runs and with predicted ones."""

from e2e_support import MPIS, EndToEnd, app, environment, main, time_limit

RANKS, STRUCK, STATUS_OF_LIMIT = 5, "2.0", 124
SIZES = (3, 4, 6)


class CutOff(EndToEnd):
    def mpi(self):
        for mpi in MPIS:
            if mpi.available():
                return mpi
        return self.skipTest("no MPI")

    def whole(self, name, ranks=RANKS):
        return self.collect(name, self.mpi().run(ranks, app("mpi-gate"), "steps"))[0]

    def cut(self, name, **more):
        return self.collect(name, self.mpi().run(RANKS, app("mpi-gate"), "steps"), time_limit(2), status=STATUS_OF_LIMIT,
                            env=environment(GATE_PAUSE="60", **more))[0]

    def compared(self, what, *runs, status=0):
        with self.subTest(what):
            document = self.json("compare", *runs, "-o", self.path("out"), "--exit-code", "--filter", "all", "--attr", "sing.actual",
                                 status=status)
            suspects = [row["trace"] for row in document["suspects"] if row["level"] == "suspect"]
            self.assertEqual(suspects, [STRUCK] if status else [], document["verdict"])
            self.assertNotIn("whole program changed", document["verdict"])
            return document["verdict"]

    def assert_told(self, who, verdict):
        if verdict:
            self.assertTrue(verdict.startswith("a time limit ended " + who), verdict)

    def test_recorded_and_predicted(self):
        good, other = self.whole("good"), self.whole("other")
        cut, bad = self.cut("cut"), self.cut("bad", GATE_FAULT="extra")
        faulty = "the faulty run while it was still making progress: compared as far as both came, "
        self.assert_told(faulty, self.compared("the faulty run", good, cut))
        self.assert_told("1 of 1 normal runs", self.compared("the normal run", cut, good))
        self.assert_told(faulty, self.compared("a fault", good, bad, status=1))
        self.assert_told("1 of 3 normal runs", self.compared("a fault, of three", good, bad, "-b", other, "-b", cut, status=1))
        sizes = ",".join(self.whole("of-%d" % ranks, ranks) for ranks in SIZES)
        self.assert_told(faulty, self.compared("predicted", "--predict", sizes, cut))
        self.assert_told(faulty, self.compared("predicted, a fault", "--predict", sizes, bad, status=1))
        result = self.difftrace("extrapolate", *sizes.split(","), cut, "--to", "8", status=2)
        self.assertIn("a time limit ended this run while it was still making progress, so that it tells no formula", result.stderr)


if __name__ == "__main__":
    main()
