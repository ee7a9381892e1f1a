"""Runs written by earlier versions, tests/data/runs/VERSION-NAME.tar.xz: each with what dump --flat printed of it then.

A run is added for each version of the format (docs/trace-format.md, section 12); none is ever changed.
"""

import os
import tarfile

from support import CommandTest, main, read

RUNS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "runs")


class Golden(CommandTest):
    def test_every_run(self):
        archives = sorted(os.listdir(RUNS))
        self.assertGreaterEqual(len(archives), 6)
        for archive in archives:
            name = archive[:-len(".tar.xz")]
            with tarfile.open(os.path.join(RUNS, archive)) as tar:
                tar.extractall(self.folder)
            with self.subTest(run=name):
                self.assertEqual(self.difftrace("dump", "--flat", name), read(self.path(name + ".txt")))
                self.assertEqual(self.json("info", name)["problems"], [])


if __name__ == "__main__":
    main()
