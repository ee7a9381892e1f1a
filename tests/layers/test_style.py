#!/usr/bin/env python3
"""What no formatter holds: names that mean one thing each, how test files are named, and how loops count."""

import collections

import os
import re
import shutil
import tempfile
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDERS = ("src", "include", "tracer", "tests", "bench", "examples")
# Programs are named as users would name theirs.
PROGRAMS = ("tests/apps", "tests/torture")
COUNTS_BEFORE = re.compile(r"^\s*for \([^{]*?;[^;{]*?;[^;{]*?\+\+[A-Za-z_][\w>.-]*\s*[,)]", re.MULTILINE)


def files_of(root):
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                yield os.path.relpath(os.path.join(path, name), root)


def dashed_test_files(root):
    return [name for name in files_of(root) if name.startswith("tests/") and not name.startswith(PROGRAMS)
            and re.search(r"/[^/]*-[^/]*\.(c|h|py)$", name)]


def loops_that_count_before(root):
    found = []
    for name in files_of(root):
        if name.endswith((".c", ".h", ".cc", ".cpp")):
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
                found += [(name, loop.strip()) for loop in COUNTS_BEFORE.findall(file.read())]
    return found


COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DEFINED_TYPE = re.compile(r"^\} (Dt\w+);|^typedef [^;\n]*\} (Dt\w+);|^typedef [^;{]*?\b(Dt\w+);|^typedef [^;{]*\(\*(Dt\w+)\)", re.MULTILINE)
ERROR_DOMAIN = re.compile(r"G_DEFINE_QUARK\(([^,]*),\s*(\w+)\)")


def sources_of(root, *folders):
    for name in files_of(root):
        if name.startswith(folders) and name.endswith((".c", ".h", ".cpp")):
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
                yield name, COMMENT.sub("", file.read())


def types_with_two_meanings(root):
    """A type is defined in one file."""
    files = collections.defaultdict(set)
    for name, text in sources_of(root, "src/", "include/", "tracer/"):
        for names in DEFINED_TYPE.findall(text):
            files["".join(names)].add(name)
    return {name: sorted(where) for name, where in files.items() if len(where) > 1}


def misnamed_error_domains(root):
    """clang-format puts blanks around the dashes of a name with dashes, and they come to be part of the domain."""
    return [(name, domain) for name, text in sources_of(root, "src/") for domain, function in ERROR_DOMAIN.findall(text)
            if domain != function]


SPELLED_NULL = re.compile(r"== NULL\b|(?:&&|\|\|) [\w>.-]+ != NULL\b|!= NULL (?:&&|\|\||\?)|\b(?:if|while) \([\w>.-]+ != NULL\)")


def spelled_nulls(root):
    """A pointer is a condition by itself: `!x`, not `x == NULL`; `x != NULL` is for values."""
    return [(name, match) for name, text in sources_of(root, "src/", "include/", "tracer/") for match in SPELLED_NULL.findall(text)]


class Style(unittest.TestCase):
    def test_pointers_as_conditions(self):
        self.assertEqual(spelled_nulls(SOURCE), [])

    def test_types(self):
        self.assertEqual(types_with_two_meanings(SOURCE), {})

    def test_error_domains(self):
        self.assertEqual(misnamed_error_domains(SOURCE), [])

    def test_files_of_tests(self):
        self.assertEqual(dashed_test_files(SOURCE), [])

    def test_loops(self):
        self.assertEqual(loops_that_count_before(SOURCE), [])


class TestOfTheTest(unittest.TestCase):
    def test_each(self):
        root = tempfile.mkdtemp(prefix="difftrace-style-")
        self.addCleanup(shutil.rmtree, root)
        for name, text in (("tests/a/test-b.c", ""), ("tests/apps/c-d.c", ""), ("tests/a/test_e.c", "for (int i = 0; i < 3; i++)\n"),
                           ("src/f.c", "    for (guint i = 0; i < n; ++i)\n    x = ++y;\n"),
                           ("src/g.h", "typedef struct {\n} DtOne;\ntypedef struct DtTwo DtTwo;\n"),
                           ("src/h.c", "struct DtTwo {\n};\nG_DEFINE_QUARK(dt - h - error, dt_h_error)\n"),
                           ("src/j.c", "if (a != NULL)\nreturn b == NULL; /* == NULL */\nreturn c != NULL;\n"),
                           ("include/i.h", "typedef enum { A } DtOne;\n/* typedef int DtTwo; */\n")):
            os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(dashed_test_files(root), ["tests/a/test-b.c"])
        self.assertEqual(loops_that_count_before(root), [("src/f.c", "for (guint i = 0; i < n; ++i)")])
        self.assertEqual(types_with_two_meanings(root), {"DtOne": ["include/i.h", "src/g.h"]})
        self.assertEqual(spelled_nulls(root), [("src/j.c", "if (a != NULL)"), ("src/j.c", "== NULL")])
        self.assertEqual(misnamed_error_domains(root), [("src/h.c", "dt - h - error")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
