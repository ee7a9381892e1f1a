"""That the headers of the corpus are well-formed and hold as many programs as docs/checks-corpus.md promises; and what `judge` makes of
findings made up by hand."""

import collections
import os
import re
import unittest

import corpus
import judge

KINDS_WITH_ONE_FILE = ("argument-buffer", "argument-status")


class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = corpus.read_corpus()

    def test_counts(self):
        levels = collections.Counter("correct" if program.level == "none" else "erroneous" for program in self.programs)
        self.assertGreaterEqual(levels["erroneous"], 120)
        self.assertGreaterEqual(levels["correct"], 80)
        self.assertGreaterEqual(sum(program.file.endswith(".f90") for program in self.programs), 20)

    def test_the_page_has_the_numbers(self):
        with open(os.path.join(corpus.ROOT, "docs", "checks-corpus.md"), encoding="utf-8") as file:
            text = " ".join(file.read().split())
        erroneous = sum(program.level != "none" for program in self.programs)
        promise = "%d erroneous and %d correct programs" % (erroneous, len(self.programs) - erroneous)
        self.assertTrue(promise in text, "the page does not say: " + promise)

    def test_sets(self):
        files = {program.file: program for program in self.programs}
        kinds = collections.defaultdict(collections.Counter)
        for path, program in files.items():
            self.assertIn(program.set, corpus.SETS, path)
            self.assertEqual(os.path.relpath(path, corpus.PROGRAMS).split(os.sep)[0], program.set, path)
            kinds[program.kind][program.set] += 1
        for kind, sets in kinds.items():
            self.assertLessEqual(abs(sets["open"] - sets["held-out"]), 1, kind)
        self.assertLessEqual({kind for kind, sets in kinds.items() if sum(sets.values()) == 1}, set(KINDS_WITH_ONE_FILE))

    def test_erroneous_programs_have_marks(self):
        for program in self.programs:
            with self.subTest(program.name):
                self.assertEqual(program.level != "none", bool(program.lines))
                for first, last in program.lines:
                    self.assertLess(last - first, 4)

    def test_marks_are_of_variants_that_there_are(self):
        for path in corpus.files():
            variants = {program.variant: program for program in self.programs if program.file == path}
            with open(path, encoding="utf-8") as file:
                marks = corpus.marks_of(file.read())
            for variant in marks:
                self.assertTrue(variant is None or (variant in variants and variants[variant].level != "none"), "%s: %s" % (path, variant))

    def test_files_have_a_correct_variant_and_others(self):
        for path in corpus.files():
            levels = [program.level for program in self.programs if program.file == path]
            self.assertIn("none", levels, path)
            self.assertGreater(len(levels), levels.count("none"), path)
            self.assertEqual([program.variant for program in self.programs if program.file == path], list(range(len(levels))), path)

    def test_what_needs_no_mpi_includes_none(self):
        for path in corpus.files():
            with open(path, encoding="utf-8") as file:
                text = file.read()
            uses = re.search(r"#include <mpi.h>|use mpi", text) is not None
            self.assertEqual(uses, corpus.read_file(path)[0].ranks > 0, path)

    def test_correct_programs_end(self):
        for program in self.programs:
            if program.level == "none" and "MPI_Abort" not in program.text:
                self.assertEqual(set(map(tuple, program.ends.values())), {("ends",)}, program.name)

    def test_no_folder_is_large(self):
        for folder, _, names in os.walk(corpus.PROGRAMS):
            self.assertLessEqual(len(names), 45, folder)


class Marks(unittest.TestCase):
    def test_a_call_of_several_lines(self):
        text = "int main(void)\n{\n    MPI_Recv(a,\n             b, /* HERE 2 */\n             c);\n    return 0;\n}\n"
        self.assertEqual(corpus.marks_of(text), {2: [(3, 5)]})

    def test_a_mark_of_all_variants(self):
        self.assertEqual(corpus.marks_of("x = 1;\nf(); /* HERE */\n"), {None: [(2, 2)]})

    def test_a_header_without_a_kind(self):
        path = os.path.join(corpus.HERE, "test_corpus.py")
        with self.assertRaises((corpus.Malformed, AttributeError)):
            corpus.read_file(path)


def program(level="error", lines=((10, 12),), record="proves"):
    return corpus.Program("p2p/x-1", "programs/open/p2p/x.c", "p2p", "p2p-lost", "3.5", "open", 2, [], 1, level, {}, record, "", list(lines))


def finding(rule="lost", source="bench/checks/x.c:11", level="error"):
    return {"rule": rule, "source": source, "level": level, "ranks": [0], "call": "MPI_Send"}


RULES = {"lost": ["p2p-lost"], "leak": ["comm-leak"]}


class Worth(unittest.TestCase):
    def test_right(self):
        self.assertEqual(judge.worth(program(), [finding()], RULES), "right")
        self.assertEqual(judge.worth(program(), [finding("leak"), finding()], RULES), "right")

    def test_elsewhere(self):
        self.assertEqual(judge.worth(program(), [finding(source="x.c:20")], RULES), "elsewhere")
        self.assertEqual(judge.worth(program(), [finding("leak")], RULES), "elsewhere")
        self.assertEqual(judge.worth(program(), [finding(source="y.c:11")], RULES), "elsewhere")

    def test_wrong_and_missed(self):
        self.assertEqual(judge.worth(program(), [finding("leak", "x.c:30")], RULES), "wrong")
        self.assertEqual(judge.worth(program(), [], RULES), "missed")

    def test_a_finding_without_a_source(self):
        self.assertEqual(judge.worth(program(), [finding(source=None)], RULES), "elsewhere")

    def test_without_rules_lines_decide(self):
        self.assertEqual(judge.worth(program(), [finding("leak")], {}), "right")
        self.assertEqual(judge.worth(program(), [finding(source="x.c:30")], {}), "wrong")

    def test_summary(self):
        rows = [judge.judge(one, "mpich", findings, RULES) for one, findings in (
            (program(), [finding(), finding("leak", "x.c:40")]), (program(record="nothing"), []),
            (program(), [finding(level="warning")]), (program("none", ()), []), (program("none", ()), [finding()]))]
        total = judge.summarize(rows)
        self.assertEqual({key: total[key] for key in ("erroneous", "right", "missed", "shown", "shown_right", "level_right", "strays",
                                                      "correct", "errors", "warnings")},
                         {"erroneous": 3, "right": 2, "missed": 1, "shown": 2, "shown_right": 2, "level_right": 1, "strays": 1,
                          "correct": 2, "errors": 1, "warnings": 0})

    def test_the_rules_name_kinds(self):
        kinds = {one.kind for one in corpus.read_corpus()}
        for rule, names in judge.read_rules().items():
            self.assertLessEqual(set(names), kinds, rule)


if __name__ == "__main__":
    unittest.main(verbosity=2)
