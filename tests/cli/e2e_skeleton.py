"""Skeletons of real programs: nothing is lost, a text that is read again is the same, and who hung stands still."""

import json
import os
import re

from e2e_support import DIFFTRACE, EndToEnd, MPIS, app, example, execute, main, time_limit

RANKS = 4
NUMBERS = {"the start": "0", "here": "1", "the end": "2", "exclusive": "1", "shared": "2",
           "single": "0", "funneled": "1", "serialized": "2", "multiple": "3"}


def field(text):
    """An argument as dump has it, in the words of skeletons."""
    text = re.sub(r"\[([^]]*)\]", r"<\1>", text)
    if match := re.fullmatch(r"from (the start|here|the end)", text):
        return "whence " + NUMBERS[match[1]]
    if match := re.fullmatch(r"(type|level) (\w+)", text):
        return match[1] + " " + NUMBERS[match[2]]
    if match := re.fullmatch(r"(size|unit) (-?\d+) B", text):
        return match[1] + " " + match[2]
    if match := re.fullmatch(r"elements of (\d+) B", text):
        return "element " + match[1]
    text = re.sub(r"^elements of <", "elements <", text)
    text = re.sub(r"^(other )?data in place$", lambda match: (match[1] or "") + "in_place x 0 B", text)
    text = re.sub(r"in place$", "in_place", text)
    return text.replace(" ", "_") if text.startswith("own operation") else text


def from_dump(text):
    """Name and arguments; how many requests a call names is left out of skeletons where it says no more, and so are datatypes."""
    name, _, arguments = text.partition("\t")[0].partition("(")
    arguments = "" if name.startswith("MPI_Type_") else re.sub(r" B of \w+\([^()]*\)", " B", arguments)
    fields = [field(each) for each in re.split(r", (?![^[]*\])", arguments[:-1]) if each and not each.endswith(" requests")]
    return (name, fields)


def from_skeleton(text):
    name, _, arguments = text.partition("; ")[0].partition("(")
    return (name, [each for each in arguments[:-1].split(", ") if each and not each.startswith("requests ")])


class Skeletons(EndToEnd):
    def check_lossless(self, run, ranks):
        """The calls of each rank, against what dump says of them; and the text, read again."""
        text = self.difftrace("skeleton", run).stdout
        path = self.path("skeleton")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        self.assertEqual(self.difftrace("skeleton", path).stdout, text)
        for rank in range(ranks):
            shown = self.difftrace("dump", run, "-t", str(rank), "--flat", "--args", "--filter", "mpiall").stdout.splitlines()
            calls = [from_dump(line.split("\t", 2)[2]) for line in shown if "\t>\t" in line]
            expanded = [from_skeleton(line) for line in self.difftrace("skeleton", path, "--expand", str(rank)).stdout.splitlines()]
            self.assertGreater(len(calls), 0)
            self.assertEqual(calls, expanded)
        return text

    def test_nothing_is_lost(self):
        for mpi in MPIS:
            for name, ranks, arguments in (("mpi-zoo", RANKS, ()), ("mpi-requests", 2, ("random",))):
                with self.subTest(mpi=mpi.name, program=name):
                    if not mpi.available() or not os.path.exists(app(name + mpi.suffix)):
                        continue
                    logs = self.path("logs-%s-%s" % (mpi.name, name))
                    os.mkdir(logs)
                    run, _ = self.collect(mpi.name + name, mpi.run(ranks, app(name), logs, *arguments))
                    self.check_lossless(run, ranks)

    def test_sort(self):
        """The sort on 8 ranks fits on a page; hung, its ranks stand still in the calls that they hung in; with swapped
        calls it ends by luck."""
        equal = set()
        for mpi in MPIS:
            if not mpi.available():
                continue
            runs = {}
            for bug in ("none", "dl", "swap"):
                options, status = (time_limit(6), 124) if bug == "dl" else ([], 0)
                runs[bug], _ = self.collect(mpi.name + bug, mpi.run(8, example("oddeven"), "--bug", bug), options, status=status)
            with self.subTest(mpi=mpi.name):
                text = self.check_lossless(runs["none"], 8)
                self.assertLess(text.count("\n"), 20)
                self.assertRegex(text, r"(?m)MPI_Recv\(.*\)  # oddeven\.c:\d+ in exchange$")
                self.assertNotIn("oddeven", self.difftrace("skeleton", runs["none"], "--anonymous").stdout)
                self.assertIn("mesh 2x4\n", self.difftrace("skeleton", runs["none"], "--mesh", "2x4").stdout)
                equal.add(self.difftrace("skeleton", runs["none"], "--communication-only", "--no-lines", "--no-times").stdout)
                self.assertEqual(len(equal), 1)
                self.check_lossless(runs["dl"], 8)
                self.assertEqual(self.simulate(runs["none"]), ({}, {}))
                hung = {each["trace"].split(".")[0]: each["call"] for each in self.json("waits", runs["dl"])["traces"]}
                buffered, _ = self.simulate(runs["dl"])
                self.assertEqual({rank: call.split("(")[0].split(";")[0] for rank, call in buffered.items()},
                                 {rank: call.split("(")[0] for rank, call in hung.items() if call})
                small = self.difftrace("minimise", runs["dl"], "-q").stdout
                self.assertRegex(small, r"^difftrace skeleton 1\nranks 2\nMPI_Recv\(world, from [^,]+, tag 0, \d+ x 4 B\); open 1(  # oddeven.c:\d+ in exchange)?\n$")
                buffered, unbuffered = self.simulate(runs["swap"])
                self.assertEqual(buffered, {})
                self.assertTrue(unbuffered)

    def simulate(self, run):
        """Calls by rank of those that stand still, with buffered sends and without."""
        found = []
        for sends in ("buffered", "unbuffered"):
            result = execute([DIFFTRACE, "simulate", run, "--json", "--sends", sends])
            standing = {trace["trace"].split(".")[0]: trace["call"] for trace in json.loads(result.stdout)["simulations"][0]["traces"]
                        if trace["waits"] in ("all", "any")}
            self.assertEqual(result.returncode, 3 if standing else 0, result.stdout)
            found.append(standing)
        return tuple(found)


if __name__ == "__main__":
    main()
