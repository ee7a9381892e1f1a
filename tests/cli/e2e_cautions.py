"""What makes a comparison worth less is said before the verdict, and weighs on its scores."""

import glob
import os

from e2e_support import EndToEnd, app, environment, main


class Cautions(EndToEnd):
    def run_team(self, name, fault="none", thread=-1, **more):
        return self.collect(name, [app("team"), fault, str(thread)], env=environment(OMP_NUM_THREADS="3"), **more)[0]

    def compare(self, normals, faulty, **more):
        baselines = [word for run in normals[1:] for word in ("--baseline", run)]
        return self.json("compare", normals[0], faulty, *baselines, "-o", self.path("out"), **more)

    def normals(self, count=3):
        return [self.run_team("normal%d" % number) for number in range(count)]

    def test_equal_runs(self):
        document = self.compare(self.normals(1), self.run_team("again"))
        self.assertTrue(document["verdict"].startswith("the runs are equal"), document["verdict"])
        self.assertEqual(document["suspects"], [])

    def test_command_lines(self):
        document = self.compare(self.normals(), self.run_team("faulty", "skip", 2))
        self.assertTrue(document["verdict"].startswith("other command lines (skip 2, normally none -1); 0.2 is"),
                        document["verdict"])
        self.assertLess(document["suspects"][0]["score"], 0.95)
        self.assertGreater(document["suspects"][0]["score"], 0.5)

    def test_programs(self):
        other = self.collect("other", [app("leaves")])[0]
        document = self.compare(self.normals(), other)
        self.assertIn("other programs (leaves, normally team)", document["verdict"])
        ranked = [suspect for suspect in document["suspects"] if suspect["status"] != "missing"]
        self.assertFalse([suspect for suspect in ranked if suspect["level"] == "suspect" and suspect["score"] < 1],
                         document["verdict"])

    def test_damage(self):
        normals, faulty = self.normals(), self.run_team("faulty", "skip", 2, options=["--no-seal"])
        self.assertNotIn("damaged", self.compare(normals, faulty)["verdict"])
        largest = max(glob.glob(os.path.join(faulty, "processes", "*")), key=os.path.getsize)
        with open(largest, "r+b") as stream:
            stream.truncate(os.path.getsize(largest) * 3 // 4)
        verdict = self.compare(normals, faulty)["verdict"]
        self.assertRegex(verdict, "^(files of the faulty run are damaged|[0-9]+ traces? of the faulty run (is|are) not whole); ")

    def test_normal_runs(self):
        """One run, and no clear suspect in it: more would help."""
        document = self.compare(self.normals(1), self.run_team("faulty", "skip", 2))
        first = document["suspects"][0]
        self.assertEqual("3 to 5" in document["verdict"], first["level"] != "suspect" or first["score"] < 0.9, document)


main()
