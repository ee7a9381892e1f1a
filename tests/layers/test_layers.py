#!/usr/bin/env python3
"""A folder includes only folders that stand before it in the row, and only the command line prints."""

import os
import re
import shutil
import tempfile
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# docs/architecture.md has the same row as a table.
ROW = ["format", "text", "base", "parallel", "codec", "calls", "writer", "store", "attach", "decoder", "filters", "nlr", "fca", "cluster", "diffnlr",
       "skeleton", "extrapolate", "waitfor", "simulate", "replay", "generate", "payload", "times", "checks", "coverage", "live", "agent", "verdict", "compare", "report", "result", "otf2", "export", "import", "golang", "pack", "collect", "cli", "commands", "program"]
PRINTERS = ["cli", "commands", "program"]
OF_THE_TRACER = ["format", "codec", "calls"]
# docs/tracer.md tells what the rooms of the tracer hold; files of native/ itself put them together. Pin's engine knows
# nothing of native/ but what a plan says of functions.
ROOMS = ["system", "record", "images", "native/x86_64", "native/plan", "native/stack", "native/arguments", "native/patch",
         "native/signals", "native"]
OF_PIN = ["system", "record", "images", "native/plan"]
MOST_FILES = 45
# What the collector needs of the store is what reads headers: whoever records does not wait for the analysis' libraries.
OF_THE_COLLECTOR = ["base", "text", "format", "codec", "writer", "store"]

INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z0-9_]+)/', re.MULTILINE)
INCLUDED_ROOM = re.compile(r'^\s*#\s*include\s+"((?:system|record|images|native|pin)(?:/[a-z0-9_]+)*)/[a-z0-9_]+\.[hS]"', re.MULTILINE)
PRINTING = re.compile(r"\b(g_print|g_printerr|printf|vprintf|fprintf|puts|putchar|fputs|stdout|stderr)\b(?!\))")
PUBLIC = re.compile(r'^\s*#\s*include\s+"(?:difftrace/)?([a-z0-9_]+\.h)"', re.MULTILINE)
PUBLIC_FROM_OUTSIDE = re.compile(r'^\s*#\s*include\s+["<]difftrace/([a-z0-9_]+\.h)[">]', re.MULTILINE)
OF_NO_STAGE = ["difftrace.h", "marker.h"]
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", re.DOTALL)


def files_of(folder):
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cpp", ".hpp", ".S")):
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
                if included not in (folder, "difftrace") and included not in may_include(folder):
                    found.append((os.path.relpath(path, root), included))
    for path in files_of(os.path.join(root, "tracer")):
        for included in INCLUDE.findall(read(path)):
            if included in ROW and included not in OF_THE_TRACER:
                found.append((os.path.relpath(path, root), included))
    return found


def stages_of_public_headers(root):
    """The folder of src/ whose header of the same name is the public one."""
    return {os.path.basename(path): folder for folder in ROW for path in files_of(os.path.join(root, "src", folder))
            if os.path.basename(path) in PUBLIC_FROM_OUTSIDE.findall(read(path))}


def wrong_public_includes(root):
    """A public header is included by its stage's of the same name and no other file, and by public headers of later stages."""
    stages = stages_of_public_headers(root)
    found = [(os.path.relpath(path, root), name) for top in ("src", "tracer") for path in files_of(os.path.join(root, top))
             for name in PUBLIC_FROM_OUTSIDE.findall(read(path)) if name != os.path.basename(path)]
    for path in files_of(os.path.join(root, "include")):
        name = os.path.basename(path)
        if name in OF_NO_STAGE:
            continue
        if name not in stages:
            found.append((os.path.relpath(path, root), "no stage"))
            continue
        for included in PUBLIC.findall(read(path)):
            if stages.get(included) not in may_include(stages[name]) + [stages[name]]:
                found.append((os.path.relpath(path, root), included))
    return found


def wrong_rooms(root):
    """(file, room that it includes) against the direction."""
    found = []
    for path in files_of(os.path.join(root, "tracer")):
        room = os.path.relpath(os.path.dirname(path), os.path.join(root, "tracer"))
        allowed = OF_PIN if room == "pin" else ROOMS[:ROOMS.index(room)]
        for included in INCLUDED_ROOM.findall(read(path)):
            if included != room and included not in allowed:
                found.append((os.path.relpath(path, root), included))
    return found


def large_folders(root):
    return sorted(os.path.relpath(path, root) for top in ("src", "tracer") for path, _, names in os.walk(os.path.join(root, top))
                  if len(names) > MOST_FILES)


def printing_files(root):
    return [os.path.relpath(path, root) for folder in ROW if folder not in PRINTERS
            for path in files_of(os.path.join(root, "src", folder)) if PRINTING.search(COMMENT.sub("", read(path)))]


class Layers(unittest.TestCase):
    def test_every_folder_has_its_place(self):
        folders = [name for name in os.listdir(os.path.join(SOURCE, "src")) if os.path.isdir(os.path.join(SOURCE, "src", name))]
        self.assertEqual(sorted(folders), sorted(ROW))

    def test_includes_point_backwards(self):
        self.assertEqual(wrong_includes(SOURCE), [])

    def test_public_headers(self):
        self.assertEqual(wrong_public_includes(SOURCE), [])

    def test_rooms_of_the_tracer(self):
        folders = [os.path.relpath(path, os.path.join(SOURCE, "tracer")) for path, _, names in os.walk(os.path.join(SOURCE, "tracer"))
                   if any(name.endswith((".c", ".S")) for name in names)]
        self.assertEqual(sorted(folders), sorted(ROOMS + ["pin"]))
        self.assertEqual(wrong_rooms(SOURCE), [])

    def test_no_folder_is_large(self):
        self.assertEqual(large_folders(SOURCE), [])

    def test_only_commands_print(self):
        self.assertEqual(printing_files(SOURCE), [])

    def test_the_document_has_the_row(self):
        table = re.findall(r"^\| `src/([a-z0-9]+)/` \|", read(os.path.join(SOURCE, "docs", "architecture.md")), re.MULTILINE)
        self.assertEqual(sorted(table), sorted(ROW))

    def test_the_document_has_the_kinds_of_evidence(self):
        verdict = os.path.join(SOURCE, "src", "verdict")
        kinds = re.findall(r"^    ROW\([A-Z_]+, ([a-z_]+)\)", read(os.path.join(verdict, "evidence.h")), re.MULTILINE)
        names = [re.search(r'\.name = "(.*?)"', read(os.path.join(verdict, "kinds", kind + ".c"))).group(1) for kind in kinds]
        document = read(os.path.join(SOURCE, "docs", "algorithms", "verdict.md"))
        table = document.split("| kind | weight | |\n|---|---|---|\n")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"^\| (.*?) \|", table, re.MULTILINE), names)


class TestOfTheTest(unittest.TestCase):
    """Turned round, an include is found."""

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="difftrace-layers-")
        for folder in ROW:
            os.makedirs(os.path.join(self.root, "src", folder))
        for room in ROOMS + ["pin"]:
            os.makedirs(os.path.join(self.root, "tracer", room), exist_ok=True)

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
        self.write("tracer/native/d.c", '#include "store/store.h"\n#include "format/trace_file.h"\n')
        self.assertEqual(wrong_includes(self.root),
                         [("src/collect/c.c", "verdict"), ("src/filters/b.h", "nlr"), ("tracer/native/d.c", "store")])

    def test_public(self):
        os.makedirs(os.path.join(self.root, "include", "difftrace"))
        for name in ("nlr", "store"):
            self.write("src/%s/%s.h" % (name, name), '#include "difftrace/%s.h"\n' % name)
        self.write("include/difftrace/nlr.h", '#include "store.h"\n#include <glib.h>\n')
        self.write("include/difftrace/store.h", "")
        self.write("include/difftrace/difftrace.h", '#include "nlr.h"\n')
        self.assertEqual(wrong_includes(self.root) + wrong_public_includes(self.root), [])
        self.write("include/difftrace/store.h", '#include "nlr.h"\n')
        self.write("include/difftrace/late.h", "")
        self.write("src/nlr/a.c", '#include "difftrace/store.h"\n')
        self.assertEqual(sorted(wrong_public_includes(self.root)),
                         [("include/difftrace/late.h", "no stage"), ("include/difftrace/store.h", "nlr.h"), ("src/nlr/a.c", "store.h")])

    def test_rooms(self):
        self.write("tracer/native/a.c", '#include "native/signals/signals.h"\n#include "record/thread.h"\n#include "b.h"\n')
        self.write("tracer/pin/a.c", '#include "native/plan/plan.h"\n#include "images/elf_image.h"\n')
        self.write("tracer/native/x86_64/a.S", '#include "native/x86_64/b.h"\n')
        self.assertEqual(wrong_rooms(self.root), [])
        self.write("tracer/record/b.h", '#include "native/plan/plan.h"\n')
        self.write("tracer/native/x86_64/b.S", '#include "native/stack/c.h"\n')
        self.write("tracer/native/plan/b.c", ' # include "native/bare_calls.h"\n')
        self.write("tracer/pin/b.c", '#include "native/patch/arena.h"\n')
        self.assertEqual(sorted(wrong_rooms(self.root)),
                         [("tracer/native/plan/b.c", "native"), ("tracer/native/x86_64/b.S", "native/stack"),
                          ("tracer/pin/b.c", "native/patch"), ("tracer/record/b.h", "native/plan")])

    def test_large(self):
        for i in range(MOST_FILES):
            self.write("tracer/native/patch/%d.h" % i, "")
        self.assertEqual(large_folders(self.root), [])
        self.write("tracer/native/patch/last.js", "")
        self.assertEqual(large_folders(self.root), ["tracer/native/patch"])

    def test_printing(self):
        self.write("src/store/a.c", '/* stdout */ g_strdup_printf("printf"); x->puts(y);\n')
        self.write("src/cli/b.c", 'printf("x");\n')
        self.assertEqual(printing_files(self.root), ["src/store/a.c"])
        self.write("src/store/a.c", '/* stdout */ g_strdup_printf("printf");\n')
        self.assertEqual(printing_files(self.root), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
