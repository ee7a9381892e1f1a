#!/usr/bin/env python3
"""What no formatter holds: how test files are named, and how loops count."""

import os
import re
import shutil
import tempfile
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDERS = ("src", "tracer", "tests", "bench", "examples")
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


class Style(unittest.TestCase):
    def test_files_of_tests(self):
        self.assertEqual(dashed_test_files(SOURCE), [])

    def test_loops(self):
        self.assertEqual(loops_that_count_before(SOURCE), [])


class TestOfTheTest(unittest.TestCase):
    def test_both(self):
        root = tempfile.mkdtemp(prefix="difftrace-style-")
        self.addCleanup(shutil.rmtree, root)
        for name, text in (("tests/a/test-b.c", ""), ("tests/apps/c-d.c", ""), ("tests/a/test_e.c", "for (int i = 0; i < 3; i++)\n"),
                           ("src/f.c", "    for (guint i = 0; i < n; ++i)\n    x = ++y;\n")):
            os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(dashed_test_files(root), ["tests/a/test-b.c"])
        self.assertEqual(loops_that_count_before(root), [("src/f.c", "for (guint i = 0; i < n; ++i)")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
