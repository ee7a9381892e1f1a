"""Runs written by earlier versions, tests/data/runs/VERSION-NAME.tar.xz: each with what dump --flat printed of it then.

A run is added for each version of the format (docs/trace-format.md, section 12); none is ever changed. Those of a codec
that was dropped are refused.
"""

import os
import tarfile

from support import CommandTest, main, read

RUNS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "runs")


DROPPED = {"1.0-raw": "words", "1.1-raw": "words"}
READERS = [["info"], ["dump"], ["stats"], ["nlr"], ["stack", "--all"], ["lattice"], ["waits"], ["compare", "1.1-tz"],
           ["export", "--format", "chrome", "-o", "exported.json"]]


class Golden(CommandTest):
    def extract(self, name):
        with tarfile.open(os.path.join(RUNS, name + ".tar.xz")) as tar:
            tar.extractall(self.folder)

    def test_every_run(self):
        names = [archive[:-len(".tar.xz")] for archive in sorted(os.listdir(RUNS))]
        self.assertGreaterEqual(len(names), 6)
        for name in sorted(set(names) - set(DROPPED)):
            self.extract(name)
            with self.subTest(run=name):
                self.assertEqual(self.difftrace("dump", "--flat", name), read(self.path(name + ".txt")))
                self.assertEqual(self.json("info", name)["problems"], [])

    def test_dropped_codecs(self):
        self.extract("1.1-tz")
        for name, codec in DROPPED.items():
            self.extract(name)
            for reader in READERS:
                with self.subTest(run=name, reader=reader[0]):
                    message = self.error(*reader, name, lines=1)
                    self.assertIn("its codec %s was dropped: " % codec, message)
                    self.assertIn("revision c8704ea", message)


if __name__ == "__main__":
    main()
