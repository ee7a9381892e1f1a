"""What jobs exercised of what they could have: a program that is made to go a certain way, and the table that follows by hand."""

import os
import re

from e2e_support import MPIS, EndToEnd, app, main

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apps", "mpi_choices.c")


def line_of(mark):
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.search(r"/\* %s \*/" % mark, line):
                return "mpi_choices.c:%d" % number
    return None


class Coverage(EndToEnd):
    def record(self, mpi, first, how):
        command = mpi.run(3, app("mpi-choices"), str(first), how)
        return self.collect("%s-%d-%s" % (mpi.name, first, how), command, options=["--timeout", "120"])[0]

    def table(self, *runs):
        """{(kind, place, operation, rank): {outcome: (times, number of the run that saw it first)}}."""
        document = self.json("coverage", *runs)
        self.assertEqual([run["name"] for run in document["runs"]], list(runs))
        return {(row["kind"], row["place"], row["operation"], row["by"].split(",")[0]):
                {outcome["name"]: (outcome["times"], outcome["first_run"]) for outcome in row["outcomes"]} for row in document["rows"]}

    def check(self, mpi):
        anybody = ("sender", line_of("anybody"), "MPI_Recv", "0")
        first = ("completion", line_of("first"), "MPI_Waitany", "0")
        worker = ("lock", line_of("worker"), "pthread_mutex_trylock", "0")
        one, other = self.record(mpi, 1, "held"), self.record(mpi, 2, "free")
        self.assertEqual(self.table(one), {
            anybody: {"from 1": (1, 1), "from 2": (0, None)},
            first: {"receive from 1": (1, 1), "receive from 2": (0, None)},
            worker: {"taken": (0, None), "not taken": (1, 1)}})
        self.assertEqual(self.table(one, other), {
            anybody: {"from 1": (1, 1), "from 2": (1, 2)},
            first: {"receive from 1": (1, 1), "receive from 2": (1, 2)},
            worker: {"taken": (1, 2), "not taken": (1, 1)}})
        never = self.json("coverage", "--never", one)["rows"]
        self.assertEqual({row["place"]: [outcome["name"] for outcome in row["outcomes"]] for row in never},
                         {anybody[1]: ["from 2"], first[1]: ["receive from 2"], worker[1]: ["taken"]})
        self.assertEqual(self.json("coverage", "--never", one, other)["rows"], [])
        self.assertIn("no times of locks", self.difftrace("coverage", one).stdout)

    def test_jobs(self):
        for mpi in MPIS:
            if os.path.exists(app("mpi-choices" + mpi.suffix)) and mpi.available():
                with self.subTest(mpi=mpi.name):
                    self.check(mpi)


if __name__ == "__main__":
    main()
