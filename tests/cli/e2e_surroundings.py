"""Programs that lose the way to their trace file: another user, another root directory, a run directory that moves."""

import os
import unittest

from e2e_support import EndToEnd, app, execute, main, own_lines

PROGRAM = app("surroundings")


@unittest.skipUnless(os.getuid() == 0, "only root may become somebody else")
class Rights(EndToEnd):
    def test_goes_on_recording(self):
        """What was prepared before the change lasts: every call is there, and no hole is left in the file."""
        for how in ("user", "root"):
            for images in ("main", "app", "*"):
                with self.subTest(how=how, images=images):
                    plain = execute([PROGRAM, how])
                    run, traced = self.collect("run", [PROGRAM, how], ["--images", images])
                    self.assertEqual(traced.stdout, plain.stdout)
                    calls = {one["function"]: one["calls"]
                             for one in self.json("stats", run, "--by", "function")["functions"]}
                    self.assertEqual(calls["count"], int(plain.stdout.split()[0]))
                    self.assertIsNone(self.json("info", run)["processes"][0]["stopped"])
                    for name in os.listdir(os.path.join(run, "processes")):
                        self.assertLess(os.path.getsize(os.path.join(run, "processes", name)), 64 << 20)


class Directory(EndToEnd):
    def collect_and_lose(self, *how):
        plain_folder = self.path("plain")
        os.mkdir(plain_folder)
        plain = execute([PROGRAM, how[0], plain_folder, *how[2:]])
        if len(how) > 2:
            os.rmdir(how[2])
        result = self.difftrace("collect", "-o", self.path("run"), "--", PROGRAM, *how, status=None)
        self.assertEqual(result.stdout, plain.stdout)
        return result

    def test_moved(self):
        """The run says why it ends, wherever it now is; and collect says that it is not where it was."""
        run, elsewhere = self.path("run"), self.path("elsewhere")
        result = self.collect_and_lose("moved", run, elsewhere)
        self.assertRegex("\n".join(own_lines(result.stderr)), "run.*was moved or deleted")
        self.assertNotIn("statically linked", result.stderr)
        info = self.json("info", elsewhere)
        self.assertIn("moved or deleted", info["processes"][0]["stopped"])

    def test_deleted(self):
        result = self.collect_and_lose("deleted", self.path("run"))
        self.assertRegex("\n".join(own_lines(result.stderr)), "run.*was moved or deleted")
        self.assertNotIn("statically linked", result.stderr)


if __name__ == "__main__":
    main()
