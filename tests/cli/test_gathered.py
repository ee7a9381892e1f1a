"""Runs recorded on the disks of several nodes, gathered in one directory."""

import os
import shutil

from support import CommandTest, main


class Gathered(CommandTest):
    def split(self, run, gathered, parts):
        """Every process file goes to a part; all parts have the symbols, the first has the manifest."""
        for number in range(parts):
            os.makedirs(self.path(gathered, "node%d" % number, "processes"))
            shutil.copytree(self.path(run, "images"), self.path(gathered, "node%d" % number, "images"))
        shutil.copy(self.path(run, "manifest.json"), self.path(gathered, "node0"))
        for number, name in enumerate(sorted(os.listdir(self.path(run, "processes")))):
            shutil.copy(self.path(run, "processes", name),
                        self.path(gathered, "node%d" % (number % parts), "processes", name))

    def test_same_as_whole(self):
        self.make("normal", "deadlock")
        for run in ("normal", "deadlock"):
            self.split(run, run + "-parts", 3)
            self.assertEqual(self.difftrace("dump", "--flat", run), self.difftrace("dump", "--flat", run + "-parts"))
            whole, parts = self.json("info", run), self.json("info", run + "-parts")
            self.assertEqual(parts.pop("run"), run + "-parts")
            self.assertEqual(whole.pop("run"), run)
            self.assertEqual(whole, parts)
        verdict = self.json("compare", "normal", "deadlock", "-o", "out-1")["verdict"]
        self.assertEqual(self.json("compare", "normal-parts", "deadlock-parts", "-o", "out-2")["verdict"], verdict)

    def test_missing_symbols_of_a_part(self):
        self.make("normal")
        self.split("normal", "parts", 2)
        shutil.rmtree(self.path("parts", "node1", "images"))
        result = self.execute("dump", "--flat", "parts")
        self.assertEqual(result.returncode, 0)
        self.assertIn("node1/images/", result.stderr)
        self.assertNotIn("node0/images/", result.stderr)


if __name__ == "__main__":
    main()
