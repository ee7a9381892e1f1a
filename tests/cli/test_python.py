"""The Python package: its frames have the events that export tells, in Pipit's columns. Without pandas it is skipped."""

import csv
import json
import os
import sys
import unittest
import unittest.mock

from support import CommandTest, main

try:
    import pandas
except ImportError:
    print("no pandas here: apt-get install python3-pandas")
    sys.exit(77)

sys.path.insert(0, os.environ["DIFFTRACE_PYTHON"])
import difftrace  # noqa: E402


class PythonTest(CommandTest):
    def rows(self, run):
        with open(self.path("events.csv"), "w", encoding="utf-8") as file:
            file.write(self.difftrace("export", "--format", "csv", run, warnings=True))
        with open(self.path("events.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_frame(self):
        for name in ("timed", "normal"):
            self.make(name)
            rows, frame = self.rows(name), difftrace.read(self.path(name)).frame()
            self.assertTrue({"Timestamp (ns)", "Event Type", "Name", "Process", "Thread"} <= set(frame.columns))
            self.assertEqual(len(frame), len(rows))
            self.assertTrue(frame["Timestamp (ns)"].is_monotonic_increasing)
            self.assertEqual(frame.attrs["clock"], "ns" if name == "timed" else "events")
            for trace in {row["trace"] for row in rows}:
                own = frame[frame["Trace"] == trace]
                told = [row for row in rows if row["trace"] == trace]
                self.assertEqual(list(own["Name"]), [row["function"] for row in told])
                self.assertEqual(list(own["Event Type"]), [{"call": "Enter", "return": "Leave"}[row["kind"]] for row in told])
                self.assertEqual({"%s.%d" % (process, thread) for process, thread in zip(own["Process"], own["Thread"])}, {trace})
                if name == "timed":
                    self.assertEqual(list(own["Timestamp (ns)"]), [round(float(row["seconds"]) * 1e9) for row in told])

    def test_parts(self):
        self.make("normal")
        run = difftrace.read(self.path("normal"))
        first = run.frame(traces=["0.0"])
        self.assertEqual(set(first["Trace"]), {"0.0"})
        self.assertLess(len(run.frame(traces=["0.0"], filters=["mpi"])), len(first))
        self.assertIn("processes", run.info())
        self.assertEqual(run.skeleton(), self.difftrace("skeleton", "--quiet", "normal", warnings=True))

    def test_verdict(self):
        self.make("normal", "swapbug")
        comparison = difftrace.compare(self.path("normal"), self.path("swapbug"))
        document = self.json("compare", "--quiet", "-o", "out", "normal", "swapbug", warnings=True)
        self.assertEqual(comparison.verdict, document["verdict"])
        self.assertEqual(list(comparison.frame()["trace"]), [suspect["trace"] for suspect in document["suspects"]])
        self.assertEqual(difftrace.read(self.path("swapbug")).verdict(self.path("normal")), comparison.verdict)
        self.assertIsInstance(difftrace.coverage(self.path("normal")), pandas.DataFrame)

    def test_notebook(self):
        """The code of the example runs, cell after cell."""
        self.make("normal", "swapbug")
        os.rename(self.path("swapbug"), self.path("faulty"))
        source = os.path.join(os.environ["DIFFTRACE_PYTHON"], "..", "examples", "python", "suspects.ipynb")
        with open(source, encoding="utf-8") as file:
            cells = ["".join(cell["source"]) for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
        names, before = {}, os.getcwd()
        os.chdir(self.path())
        self.addCleanup(os.chdir, before)
        for cell in cells:
            exec(compile(cell, source, "exec"), names)  # pylint: disable=exec-used
        self.assertEqual(names["suspect"], names["comparison"].suspects[0]["trace"])

    def test_errors(self):
        with self.assertRaisesRegex(difftrace.DifftraceError, "nothing"):
            difftrace.read(self.path("nothing")).info()
        with unittest.mock.patch.dict(os.environ, DIFFTRACE="/nowhere/difftrace"):
            with self.assertRaisesRegex(difftrace.DifftraceError, "install difftrace"):
                difftrace.read("any").info()


main()
