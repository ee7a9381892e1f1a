"""The manual pages: one for each command, with every option that its help has."""

import glob
import os
import re
import shutil
import subprocess
import unittest

from support import CommandTest, main, read

PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "man")


class Manual(CommandTest):
    def commands(self):
        return re.findall(r"^  (\w+) ", self.difftrace("help").split("Commands:")[1], re.MULTILINE)

    def test_every_command_and_option(self):
        commands = self.commands()
        self.assertIn("compare", commands)
        overview = read(os.path.join(PAGES, "difftrace.1"))
        for command in commands:
            page = read(os.path.join(PAGES, "difftrace-%s.1" % command)).replace("\\-", "-")
            self.assertIn("difftrace\\-" + command, overview)
            options = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", self.difftrace("help", command), re.MULTILINE))
            self.assertIn("--help", options)
            documented = set(re.findall(r"\\fB(--[\w-]+)\\fR", page))
            with self.subTest(command=command):
                self.assertEqual(options, documented)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_pages_are_clean(self):
        pages = sorted(glob.glob(os.path.join(PAGES, "*.1")))
        self.assertTrue(pages)
        result = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *pages], stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((result.stdout, result.returncode), ("", 0))


if __name__ == "__main__":
    main()
