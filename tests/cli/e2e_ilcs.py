"""The literature's ILCS-TSP, 8 processes x 4 workers: an omitted critical section, a wrong size, a wrong operator."""

import os
import shutil
import tempfile
import unittest

from e2e_support import EndToEnd, OPEN_MPI, example, main

PROCESSES, WORKERS = 8, 4
MAIN_TRACES = ["%d.0" % process for process in range(PROCESSES)]
TRACES = {"%d.%d" % (process, thread) for process in range(PROCESSES) for thread in range(WORKERS + 1)}


@unittest.skipUnless(OPEN_MPI.available(), "no Open MPI")
class Ilcs(EndToEnd):
    normal_run = None

    def normal(self):
        """The run without a fault, which all tests share."""
        if not Ilcs.normal_run:
            folder = tempfile.mkdtemp(prefix="difftrace-e2e-")
            self.addClassCleanup(shutil.rmtree, folder, True)
            Ilcs.normal_run = self.search(os.path.join(folder, "normal"))
        return Ilcs.normal_run

    def search(self, name, *arguments, options=(), status=0):
        command = OPEN_MPI.run(PROCESSES, example("ilcs-tsp"), *arguments)
        return self.collect(name, command, options=options, status=status)[0]

    def functions(self, run, label):
        return {entry["function"] for entry in self.json("stats", run, "-t", label, "--by", "function")["functions"]}

    def test_critical_section(self):
        normal, faulty = self.normal(), self.search("faulty", "--fault", "critical")
        for run in (normal, faulty):
            traces, _ = self.nlr(run, "--filter", "cust:^(CPU_Exec|run_master|run_worker)$")
            self.assertLessEqual(TRACES, set(traces))
            for label in TRACES:
                self.assertTrue(traces[label], "%s is empty" % label)
        for run, present in ((normal, True), (faulty, False)):
            self.assertEqual("GOMP_critical_start" in self.functions(run, "6.4"), present)
            self.assertIn("GOMP_critical_start", self.functions(run, "6.3"))
        out = self.path("out")
        document = self.json("compare", normal, faulty, "-o", out)
        named = {suspect["trace"] for suspect in document["suspects"]}
        for row in document["configurations"]:
            named.update(row["threads"])
        self.assertIn("6.4", named)
        text = self.difftrace("diffnlr", "6.4", out, "--filter", "ompcrit").stdout
        self.assertIn("GOMP_critical_start", text)

    def test_deadlock(self):
        faulty = self.search("faulty", "--fault", "size", options=["--timeout", "15"], status=124)
        for label in MAIN_TRACES:
            with self.subTest(trace=label):
                stack = self.json("stack", faulty, "-t", label)
                self.assertTrue(stack["open"])
                self.assertEqual(stack["frames"][-1], "MPI_Allreduce")
                *_, (_, last_is_entry, last) = self.events(faulty, "-t", label, "--filter", "01.mpiall")
                self.assertEqual((last_is_entry, last), (True, "MPI_Allreduce"))
        normal, out = self.normal(), self.path("out")
        document = self.json("compare", normal, faulty, "-o", out)
        self.assertTrue({suspect["status"] for suspect in document["suspects"]} >= {"stuck"})
        text = self.difftrace("diffnlr", "2", out, "--filter", "mpiall").stdout
        self.assertIn("MPI_Allreduce", text)
        self.assertIn("never returned", text)

    def test_wrong_operator(self):
        """A wrong result leaves little in a call trace: the comparison has to work, whatever it finds."""
        normal, faulty = self.normal(), self.search("faulty", "--fault", "operator")
        document = self.json("compare", normal, faulty, "-o", self.path("out"))
        self.assertTrue(document["configurations"])


if __name__ == "__main__":
    main()
