#!/usr/bin/env python3
"""A folder includes only folders that stand before it in the row, and only the command line prints."""

import os
import re
import shutil
import tempfile
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# docs/architecture.md has the same row as a table.
ROW = ["base", "text", "parallel", "format", "codec", "writer", "store", "decoder", "filters", "nlr", "fca", "cluster", "diffnlr",
       "waitfor", "verdict", "compare", "report", "result", "export", "import", "collect", "cli", "commands", "program"]
PRINTERS = ["cli", "commands", "program"]
OF_THE_TRACER = ["format", "codec"]
# What the collector needs of the store is what reads headers: whoever records does not wait for the analysis' libraries.
OF_THE_COLLECTOR = ["base", "text", "format", "codec", "writer", "store"]

INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z0-9_]+)/', re.MULTILINE)
PRINTING = re.compile(r"\b(g_print|g_printerr|printf|vprintf|fprintf|puts|putchar|fputs|stdout|stderr)\b(?!\))")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", re.DOTALL)


def files_of(folder):
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cpp", ".hpp")):
                yield os.path.join(path, name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def may_include(folder):
    if folder == "collect":
        return OF_THE_COLLECTOR
    return ROW[:ROW.index(folder)]


def wrong_includes(root):
    """(file, folder that it includes) against the direction."""
    found = []
    for folder in sorted(os.listdir(os.path.join(root, "src"))):
        if not os.path.isdir(os.path.join(root, "src", folder)):
            continue
        for path in files_of(os.path.join(root, "src", folder)):
            for included in INCLUDE.findall(read(path)):
                if included != folder and included not in may_include(folder):
                    found.append((os.path.relpath(path, root), included))
    for path in files_of(os.path.join(root, "tracer")):
        for included in INCLUDE.findall(read(path)):
            if included in ROW and included not in OF_THE_TRACER:
                found.append((os.path.relpath(path, root), included))
    return found


def printing_files(root):
    return [os.path.relpath(path, root) for folder in ROW if folder not in PRINTERS
            for path in files_of(os.path.join(root, "src", folder)) if PRINTING.search(COMMENT.sub("", read(path)))]


class Layers(unittest.TestCase):
    def test_every_folder_has_its_place(self):
        folders = [name for name in os.listdir(os.path.join(SOURCE, "src")) if os.path.isdir(os.path.join(SOURCE, "src", name))]
        self.assertEqual(sorted(folders), sorted(ROW))

    def test_includes_point_backwards(self):
        self.assertEqual(wrong_includes(SOURCE), [])

    def test_only_commands_print(self):
        self.assertEqual(printing_files(SOURCE), [])

    def test_the_document_has_the_row(self):
        table = re.findall(r"^\| `src/([a-z]+)/` \|", read(os.path.join(SOURCE, "docs", "architecture.md")), re.MULTILINE)
        self.assertEqual(sorted(table), sorted(ROW))


class TestOfTheTest(unittest.TestCase):
    """Turned round, an include is found."""

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="difftrace-layers-")
        for folder in ROW:
            os.makedirs(os.path.join(self.root, "src", folder))
        os.makedirs(os.path.join(self.root, "tracer", "runtime"))

    def tearDown(self):
        shutil.rmtree(self.root)

    def write(self, path, text):
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text)

    def test_includes(self):
        self.write("src/nlr/a.c", '#include "filters/filters.h"\n#include "nlr/nlr.h"\n#include <glib.h>\n')
        self.assertEqual(wrong_includes(self.root), [])
        self.write("src/filters/b.h", '  #  include "nlr/nlr.h"\n')
        self.write("src/collect/c.c", '#include "verdict/verdict.h"\n')
        self.write("tracer/runtime/d.c", '#include "store/store.h"\n#include "format/trace_file.h"\n')
        self.assertEqual(wrong_includes(self.root),
                         [("src/collect/c.c", "verdict"), ("src/filters/b.h", "nlr"), ("tracer/runtime/d.c", "store")])

    def test_printing(self):
        self.write("src/store/a.c", '/* stdout */ g_strdup_printf("printf"); x->puts(y);\n')
        self.write("src/cli/b.c", 'printf("x");\n')
        self.assertEqual(printing_files(self.root), ["src/store/a.c"])
        self.write("src/store/a.c", '/* stdout */ g_strdup_printf("printf");\n')
        self.assertEqual(printing_files(self.root), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
