"""What `report` measures besides places, on results made up by hand; and that the rows of corpus.json are whole."""

import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import naming
from places import line_of

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SCOPES = {"one": "process", "several": ("processes", "threads"), "all": None}


def read_corpus():
    with open(os.path.join(HERE, "corpus.json")) as file:
        return json.load(file)


def row_of(ident):
    return next(row for row in read_corpus()["faults"] if row["id"] == ident)


def ablation():
    path = os.path.join(HERE, "ablation")
    loader = importlib.machinery.SourceFileLoader("ablation", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("ablation", loader))
    loader.exec_module(module)
    return module


def document(suspects=(), why="", **more):
    listed = [["%d.0" % process, process, score, "suspect", "finished"] for process, score in suspects]
    return {"suspects": listed, "why": [why] if why else [], "verdict": "", **more}


class Rows(unittest.TestCase):
    def test_every_tag_is_one_line_of_its_source(self):
        for row in read_corpus()["faults"]:
            if "line" in row:
                source = os.path.join(ROOT, row["source"])
                with self.subTest(row["id"]):
                    line = line_of(source, row["line"])
                    with open(source) as file:
                        lines = file.read().split("\n")
                    before = "\n".join(lines[:line])
                    self.assertRegex(before, r"\b%s\(" % row["function"], "its function begins before it")
                    self.assertRegex("\n".join(lines[max(0, line - 8):line + 1]), r"\bFAULT_%s\b" % row["fault"])

    def test_scopes_say_whom(self):
        for row in read_corpus()["faults"]:
            with self.subTest(row["id"]):
                scope = naming.scope_of(row)
                self.assertIn(scope, SCOPES)
                if scope == "one":
                    self.assertLess(row["process"], row["ranks"])
                    self.assertFalse({"processes", "threads"} & set(row))
                if scope == "several":
                    self.assertGreater(len(naming.culprits_of(row)), 1)
                    self.assertLess(max(row.get("processes", [0])), row["ranks"])
                if scope == "all":
                    self.assertEqual(naming.culprits_of(row), [])

    def test_ids_are_unique_and_inputs_are_there(self):
        corpus = read_corpus()
        rows = corpus["faults"]
        self.assertEqual(len({row["id"] for row in rows}), len(rows))
        words = [word for program in corpus["programs"].values() for word in program.get("options", "").split()]
        words += [word for row in rows for word in row.get("irrelevant", "").split()]
        for word in words:
            if word.startswith("{inputs}"):
                self.assertTrue(os.path.exists(word.replace("{inputs}", os.path.join(HERE, "inputs"))), word)

    def test_an_unknown_tag_and_one_of_two_lines(self):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write("/* FAULT(a) */\n/* FAULT(b) */\n/* FAULT(b) */\n")
            file.flush()
            self.assertEqual(line_of(file.name, "FAULT(a)"), 1)
            for tag in ("FAULT(b)", "FAULT(c)"):
                self.assertRaises(ValueError, line_of, file.name, tag)


class Names(unittest.TestCase):
    def test_first_name(self):
        names = {"relax_row", "iterate", "relax"}
        for sentence, first in (("finished; relax_row in iterate called 3 times", "relax_row"),
                                ("stuck in MPI_Recv(world/1) after relax_row", "MPI_Recv"),
                                ("called mpi_abort_ after iterate", "mpi_abort_"),
                                ("only 35 of 37 iterations of L3", None), ("relaxed; prerelax", None)):
            self.assertEqual(naming.first_name(sentence, names), first, sentence)

    def test_named_of_one(self):
        row = row_of("solver-wrong_tag-12-5-9")
        fault = naming.Fault(row, ROOT)
        line = line_of(os.path.join(ROOT, row["source"]), row["line"])
        for why, said in (("MPI_Sendrecv(tag 8) where tag 1 comes; in send_row (solver.c:%d)" % (line + 5), (True, True)),
                          ("send_row calls MPI_Sendrecv; (solver.c:%d)" % (line - 5), (True, True)),
                          ("MPI_Sendrecv; (solver.c:%d)" % (line + 6), (True, False)),
                          ("MPI_Sendrecv; (other.c:%d)" % line, (True, False)),
                          ("MPI_Sendrecv (solver.c:%d), then (solver.c:1)" % line, (True, False)),
                          ("MPI_Allreduce after MPI_Sendrecv (solver.c:%d)" % line, (False, True)),
                          ("finished", (False, False)), ("", (False, False))):
            self.assertEqual(fault.named(document(why=why)), said, why)

    def test_named_of_all(self):
        row = row_of("solver-extra_barrier-12-all-0")
        fault = naming.Fault(row, ROOT)
        line = line_of(os.path.join(ROOT, row["source"]), row["line"])
        common = {"function": "solve", "call": "MPI_Barrier", "source": "solver.c:%d" % line, "normal": 0, "faulty": 48}
        why = "MPI_Barrier in iterate (solver.c:%d)" % line
        self.assertEqual(fault.named(document(common=common)), (True, True))
        self.assertEqual(fault.named(document(common=dict(common, call="MPI_Wait"))), (False, True))
        self.assertEqual(fault.named(document(common=dict(common, source="solver.c:1"))), (True, False))
        self.assertEqual(fault.named(document(common=dict(common, source=None))), (True, False))
        self.assertEqual(fault.named(document(why=why)), (False, False), "a suspect does not tell of all")

    def test_named_of_several(self):
        row = row_of("solver-blocking-8-odd-0")
        fault = naming.Fault(row, ROOT)
        line = line_of(os.path.join(ROOT, row["source"]), row["line"])
        self.assertEqual(fault.named(document(why="MPI_Send in send_row (solver.c:%d)" % line)), (True, True))


class Report(unittest.TestCase):
    """solver with 8 ranks: one and several and all of them changed."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-faults-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def report(self, faults, irrelevant=None, program="solver", options=()):
        with open(os.path.join(self.folder, program + ".json"), "w") as file:
            json.dump({"faults": faults, "normal": {}, "irrelevant": irrelevant or {}}, file)
        command = [sys.executable, "-B", os.path.join(HERE, "report"), "--results", self.folder, *options]
        subprocess.run(command, check=True, stdout=subprocess.PIPE)  # the table can be printed, too
        return json.loads(subprocess.run([*command, "--json"], check=True, stdout=subprocess.PIPE).stdout)["summary"]

    @staticmethod
    def result(judged, seen="finishes", **more):
        return {"seen": seen, "equal": False, "methods": {"baselines_3": judged},
                "units": {"processes": 8, "threads": 1}, **more}

    def test_scopes(self):
        scope = self.report({
            "solver-short_loop-8-all-0": self.result(document([(0, .4)], scope="all")),
            "solver-by_lines-8-all-0": self.result(document([(0, .5)], scope="one")),
            "solver-check_each-8-all-0": self.result(document([(0, .9)])),
            "solver-blocking-8-odd-0": self.result(document([(1, .9), (7, .9), (2, .6)], scope="several")),
            "solver-kill-8-2-13": self.result(document([(2, .9), (3, .4)], "aborts", scope="one")),
        })["scope"]
        self.assertEqual(scope["all"], {"n": 3, "said": {"all": 1, "one": 1, "not said": 1}, "innocent_accused": 2})
        self.assertEqual(scope["several"], {"n": 1, "said": {"several": 1}, "innocent_accused": 1})
        self.assertEqual(scope["one"], {"n": 1, "said": {"one": 1}, "innocent_accused": 0})

    def test_places_are_of_one_only(self):
        summary = self.report({
            "solver-short_loop-8-all-0": self.result(document([(0, .9)])),
            "solver-blocking-8-odd-0": self.result(document([(1, .9)])),
            "solver-kill-8-2-13": self.result(document([(3, .9), (2, .6)]), "aborts"),
        })
        self.assertEqual(summary["classes"]["baselines_3"], {"hit1": 0, "hit3": 1, "mrr": .5, "n": 1})

    def test_parts_are_apart(self):
        later = {"network-crash-8-3-15": self.result(document([(3, .9), (1, .2)]), "crashes"),
                 "network-abort-12-6-11": dict(self.result(document([(2, .9), (6, .2)]), "aborts"), equal=True)}
        self.report({"solver-kill-8-2-13": self.result(document([(3, .9), (2, .6)]), "aborts")})
        summary = self.report(later, program="network")
        self.assertEqual(summary["later"]["baselines_3"], {"hit1": .5, "hit3": 1, "mrr": .75, "n": 2})
        self.assertEqual(summary["later_without_equal"]["baselines_3"], {"hit1": 1, "hit3": 1, "mrr": 1, "n": 1})
        self.assertEqual(summary["classes"]["baselines_3"]["n"], 1)
        self.assertEqual(summary["all_programs"]["baselines_3"]["n"], 3)
        only = self.report(later, program="network", options=["--part", "later"])
        self.assertEqual(only["all_programs"]["baselines_3"]["n"], 2)
        self.assertEqual(only["classes"]["baselines_3"]["n"], 0)

    def test_named(self):
        tags = {name: line_of(os.path.join(HERE, "apps", "solver.c"), "FAULT(%s)" % name) for name in ("kill", "quiet")}
        named = self.report({
            "solver-kill-8-2-13": self.result(document([(2, 1)], "killed in relax_colour (solver.c:%d)" % tags["kill"])),
            "solver-quiet-8-0-20": self.result(document([(0, 1)], "log_residual called 22 times (solver.c:1)")),
            "solver-short_loop-8-all-0": self.result(document()),
            "solver-abort-8-6-10": self.result(document([(6, 1)], "exchange_rows (solver.c:1)")),
        })["named"]
        self.assertEqual(named, {"n": 4, "call": .5, "line": .25, "both": .25})

    def test_irrelevant(self):
        first, third = document([(3, .9), (1, .5)]), document([(3, .9), (1, .5), (2, .1)])
        effect = self.report({
            "solver-skip_exchange-8-3-7": self.result(first, irrelevant=document([(3, .8)])),
            "solver-kill-8-2-13": self.result(third, irrelevant=document([(2, .8)], scope="one")),
            "solver-short_loop-8-all-0": self.result(document(scope="all"), irrelevant=document(scope="all")),
            "solver-crash-12-7-8": self.result(document([(7, .9)])),
        }, {"8-1": document([(0, .5)]), "8-2": document([(0, .4)])})["irrelevant"]
        self.assertEqual(effect, {"n": 2, "place_changes": 1, "hit1_without": .5, "hit1_with": 1, "scopes": 3,
                                  "scope_changes": 1, "normal_runs": 2, "normal_runs_accused": 1})


class Ablation(unittest.TestCase):
    """Each kind of evidence is left out once."""

    def kinds(self):
        folder = os.path.join(ROOT, "src", "verdict", "kinds")
        texts = [open(os.path.join(folder, name), encoding="utf-8").read() for name in sorted(os.listdir(folder)) if name.endswith(".c")]
        return [name for text in texts for name in re.findall(r'\.name = "(.*?)"', text)]

    def test_every_kind_is_in_one_group(self):
        kinds = self.kinds()
        self.assertGreater(len(kinds), 10)
        groups = ablation().groups_of(kinds)
        self.assertEqual(sorted(kind for group in groups.values() for kind in group), sorted(kinds))

    def test_a_kind_without_a_group_is_one(self):
        groups = ablation().groups_of(self.kinds() + ["brand new"])
        self.assertEqual(groups["brand new"], {"brand new"})

    def test_a_group_of_what_is_no_kind(self):
        with self.assertRaises(SystemExit) as stopped:
            ablation().groups_of([kind for kind in self.kinds() if kind != "order"])
        self.assertIn("order", str(stopped.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)
