"""What the tests of the commands share: synthetic runs by name, running difftrace, checking its output."""

import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

DIFFTRACE = os.environ["DIFFTRACE"]
MAKE_RUN = os.environ["MAKE_RUN"]
LIMIT = 120  # seconds until a command counts as hung


class CommandTest(unittest.TestCase):
    """Each test has a folder of its own, in which difftrace runs."""

    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def make(self, *scenarios):
        for scenario in scenarios:
            subprocess.run([MAKE_RUN, scenario, self.path(scenario)], check=True, timeout=LIMIT)

    def execute(self, *arguments, text=True, **options):
        environment = dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm")
        return subprocess.run([DIFFTRACE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, cwd=self.folder, env=environment, text=text,
                              errors="replace" if text else None, timeout=LIMIT, **options)

    def difftrace(self, *arguments, status=0, warnings=False):
        """The standard output of a command that succeeds, without a word on stderr unless warnings are fine."""
        result = self.execute(*arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        if not warnings:
            self.assertEqual(result.stderr, "")
        return result.stdout

    def lines(self, *arguments, **options):
        return self.difftrace(*arguments, **options).splitlines()

    def json(self, *arguments, **options):
        document = self.parse(self.difftrace(*arguments, "--json", **options))
        self.assertEqual(document["version"], 1)
        return document

    def parse(self, text):
        def refuse(name):
            self.fail("not JSON: " + name)

        return json.loads(text, parse_constant=refuse)

    def error(self, *arguments, lines=2):
        """The message of a command that fails: status 2, nothing on stdout, one line or with advice two."""
        result = self.execute(*arguments)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("difftrace: "), result.stderr)
        self.assertIn(len(result.stderr.splitlines()), range(1, lines + 1), result.stderr)
        return result.stderr

    def svg_texts(self, text):
        """Parses an SVG document and gives the texts in it (Graphviz' pictures; cairo draws glyphs)."""
        root = xml.etree.ElementTree.fromstring(text)
        self.assertTrue(root.tag.endswith("svg"))
        return ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("}text")]


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def command_source(command):
    """Its file among the sources, which stands in a folder of its kind or above it; "" if there is none."""
    commands = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "commands")
    return next(iter(glob.glob(os.path.join(commands, "**", command + ".c"), recursive=True)), "")


def main():
    unittest.main(verbosity=2)
