"""The script that compares two builds finds what differs, and only that. The builds are scripts that answer alike or not."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class CompareBuilds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="difftrace-equal-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def build(self, name, script):
        os.makedirs(os.path.join(self.folder, name))
        path = os.path.join(self.folder, name, "difftrace")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return os.path.join(self.folder, name)

    def compare(self, before, after):
        return subprocess.run([sys.executable, "-B", os.path.join(HERE, "compare-builds"), before, after, "--only", "info "],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)

    def test_equal(self):
        before, after = self.build("before", 'echo "$@"\n'), self.build("after", 'echo "$@"\n')
        done = self.compare(before, after)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(" 0 differ", done.stdout)

    def test_different(self):
        before = self.build("before", 'echo "$@"\n')
        for what in ('[ "$*" = "info locks --json" ] && echo other; echo "$@"\n', 'echo "$@"; [ "$*" = "info locks --json" ] && exit 3; exit 0\n'):
            after = self.build("after", what)
            done = self.compare(before, after)
            shutil.rmtree(after)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("== info locks --json\n", done.stdout)
            self.assertIn(" 1 differ,", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
