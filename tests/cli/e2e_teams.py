"""An OpenMP program with another number of threads than normally: that alone is no fault, and a fault is still found."""

from e2e_support import EndToEnd, app, environment, main, time_limit


class Teams(EndToEnd):
    def run_team(self, name, threads, fault="none", thread=-1, **more):
        return self.collect(name, [app("team"), fault, str(thread)], env=environment(OMP_NUM_THREADS=str(threads)), **more)[0]

    def compare(self, threads, *fault, **more):
        normals = [self.run_team("normal%d" % number, 2) for number in range(3)]
        faulty = self.run_team("faulty", threads, *fault, **more)
        baselines = [word for run in normals[1:] for word in ("--baseline", run)]
        return self.json("compare", normals[0], faulty, *baselines, "-o", self.path("out"))

    def test_more_threads(self):
        document = self.compare(4)
        self.assertEqual(document["only_in_faulty"], ["0.2", "0.3"])
        self.assertIn("up to 4 threads in a process against 2 normally", document["verdict"])
        self.assertFalse([suspect for suspect in document["suspects"] if suspect["level"] == "suspect"], document)

    def assert_first(self, document, label):
        first = document["suspects"][0]
        self.assertEqual((first["trace"], first["level"]), (label, "suspect"), document["verdict"])
        others = [suspect["trace"] for suspect in document["suspects"][1:] if suspect["level"] == "suspect"]
        self.assertEqual(others, [], document["verdict"])

    def test_one_of_them_never_ends(self):
        self.assert_first(self.compare(4, "endless", 2, options=time_limit(2), status=124), "0.2")

    def test_one_of_them_leaves_out_a_call(self):
        self.assert_first(self.compare(4, "skip", 3), "0.3")


main()
