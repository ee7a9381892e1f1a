#!/usr/bin/env python3
"""What documents name is there: relative links, their headings, and paths into docs/, bench/, src/, tests/ and their like."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

LINK = re.compile(r"\]\(([^)\s]+)\)")
# A path that a text or a comment names; results and documents are named from elsewhere, too.
IN_TEXT = re.compile(r"(?<![\w./-])((?:docs|bench|src|tests|tracer|examples)/[\w./-]*[\w/])")
IN_SOURCES = re.compile(r"(?<![\w./-])((?:docs|bench/results)/[\w./-]+\.(?:md|svg|in|json))")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def files_of(root):
    """All files that git knows, or all there are where there is no git."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:
        names = [os.path.relpath(os.path.join(path, name), root) for path, _, files in os.walk(root) for name in files]
    return sorted(name for name in names if name and os.path.isfile(os.path.join(root, name)))


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def anchors(text):
    """Of headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(root, name):
    text = FENCE.sub("", read(os.path.join(root, name)))
    for link in LINK.findall(text):
        if "://" in link or link.startswith("mailto:"):
            continue
        file, _, anchor = link.partition("#")
        path = os.path.join(root, os.path.dirname(name), file) if file else os.path.join(root, name)
        if not os.path.exists(path) or (anchor and anchor not in anchors(read(path))):
            yield link


def missing_paths(root, name):
    pattern = IN_TEXT if name.endswith(".md") else IN_SOURCES
    for path in pattern.findall(LINK.sub("", read(os.path.join(root, name)))):
        if "NAME" in path:  # stands for the reader's own
            continue
        if not os.path.exists(os.path.join(root, path.rstrip("."))):
            yield path


def dangling(root):
    """(file, what it names) where nothing of that name is."""
    names = [name for name in files_of(root) if os.path.basename(name) != os.path.basename(__file__)]
    return [(name, what) for name in names if name.endswith(".md") for what in broken_links(root, name)] + \
           [(name, what) for name in names for what in missing_paths(root, name)]


class Documents(unittest.TestCase):
    def test_what_they_name_is_there(self):
        self.assertEqual(dangling(SOURCE), [])

    def test_results_have_one_page_a_topic(self):
        pages = os.listdir(os.path.join(SOURCE, "bench", "results"))
        self.assertEqual([page for page in pages if re.search(r"\d+\.md$", page)], [])


class TestOfTheTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="difftrace-documents-")
        for name, text in (("docs/a.md", "# One: `two`\n"), ("bench/results/b.md", "text\n"), ("src/c.c", "")):
            self.write(name, text)

    def tearDown(self):
        shutil.rmtree(self.root)

    def write(self, name, text):
        os.makedirs(os.path.dirname(os.path.join(self.root, name)), exist_ok=True)
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_what_is_there(self):
        self.write("docs/d.md", "[a](a.md) [b](../bench/results/b.md) [one](a.md#one-two) [w](https://x.y/z) `src/c.c`, docs/a.md.\n"
                   "```\n[no](link.md)\n```\n")
        self.write("src/c.c", "/* bench/results/b.md */\n")
        self.assertEqual(dangling(self.root), [])

    def test_links(self):
        self.write("docs/d.md", "[a](b.md) [two](a.md#two) [c](#c)\n")
        self.assertEqual(dangling(self.root), [("docs/d.md", link) for link in ("b.md", "a.md#two", "#c")])

    def test_paths(self):
        self.write("docs/d.md", "See `src/d.c` and bench/results/c.md.\n")
        self.write("src/c.c", "/* docs/b.md */\n")
        self.assertEqual(dangling(self.root), [("docs/d.md", "src/d.c"), ("docs/d.md", "bench/results/c.md"), ("src/c.c", "docs/b.md")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
