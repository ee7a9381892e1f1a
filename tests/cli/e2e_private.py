"""Runs, packs and results are their owner's alone, whatever the umask; what a command line says can be left out."""

import os
import shutil
import stat
import unittest

from e2e_support import MPIS, EndToEnd, app, example, main

PROGRAM = app("starts")
SECRET = "s3cret-word"


def modes(folder):
    """{path below the folder: its rights}; the folder itself is "."."""
    found = {}
    for where, folders, files in os.walk(folder):
        for name in [".", *files]:
            path = os.path.normpath(os.path.join(where, name))
            found[os.path.relpath(path, folder)] = stat.S_IMODE(os.lstat(path).st_mode)
    return found


class Rights(EndToEnd):
    def setUp(self):
        super().setUp()
        before = os.umask(0)  # the most open one
        self.addCleanup(os.umask, before)

    def assert_private(self, folder):
        for path, mode in modes(folder).items():
            self.assertEqual(mode & 0o077, 0, (folder, path, oct(mode)))

    def test_all_that_is_written(self):
        for number in (1, 2):
            run, _ = self.collect("run%d" % number, [PROGRAM, "fork", "none", PROGRAM])
            self.assert_private(run)
        run, other = self.path("run1"), self.path("run2")
        self.difftrace("lines", "--store", run)
        self.assert_private(run)
        self.difftrace("pack", run)
        self.assertEqual(modes(self.folder)["run1.dtz"], 0o600)
        self.difftrace("unpack", run + ".dtz", "-o", self.path("new/er/"))
        self.assert_private(self.path("new/er"))
        self.assertEqual(modes(self.folder)["new"], 0o777, "what is above a run follows the umask")
        self.difftrace("compare", run, other, "-o", self.path("result"))
        self.assert_private(self.path("result"))
        with open(self.path("calls.txt"), "w") as file:
            file.write("0.0\t>\tmain\n0.0\t<\tmain\n")
        self.difftrace("import", "--from", "text", self.path("calls.txt"), "-o", self.path("imported"))
        self.assert_private(self.path("imported"))
        self.difftrace("stats", run, "-o", self.path("stats.txt"))
        self.assertEqual(modes(self.folder)["stats.txt"], 0o666, "what the user names follows the umask")

    def test_a_folder_that_is_there(self):
        os.mkdir(self.path("run"), 0o777)
        run, _ = self.collect("run", [PROGRAM, "nothing", "none", PROGRAM])
        self.assert_private(run)

    def test_shared(self):
        """The umask decides, of all that comes later as well."""
        for mask in (0, 0o027):
            os.umask(mask)
            run, _ = self.collect("run%o" % mask, [PROGRAM, "fork", "none", PROGRAM], options=["--shared"])
            self.difftrace("lines", "--store", run)
            found = modes(run)
            for path, mode in found.items():
                name = os.path.basename(path)
                if os.path.isdir(os.path.join(run, path)):
                    self.assertEqual(mode, 0o777 & ~mask, path)
                else:
                    self.assertIn(mode, (0o666 & ~mask, 0o644 & ~mask), (name, oct(mode)))

    @unittest.skipUnless([mpi for mpi in MPIS if mpi.available()], "no MPI")
    def test_ranks(self):
        mpi = next(mpi for mpi in MPIS if mpi.available())
        command = mpi.run(2, example("oddeven"), "--bug", "none")
        self.assert_private(self.collect("run", command, options=["--agents"])[0])
        run, _ = self.collect("open", command, options=["--shared"])
        self.assertTrue(all(mode & 0o044 == 0o044 for path, mode in modes(run).items()), modes(run))


class CommandLines(EndToEnd):
    ARGUMENTS = ["nothing", "none", PROGRAM, "--password=" + SECRET, "-p", SECRET, "plain"]

    def stored(self, run):
        """All bytes of the run, as they lie there and as the commands show them."""
        found = b""
        for folder, _, names in os.walk(run):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found += file.read()
        self.difftrace("unpack", self.packed(run), "-o", self.path("again"))
        shown = self.difftrace("info", run).stdout + self.difftrace("info", run, "--json").stdout
        with open(self.path("again/manifest.json"), "rb") as file:
            return found + file.read() + shown.encode()

    def packed(self, run):
        self.difftrace("pack", run, "-o", run + ".dtz")
        return run + ".dtz"

    def check(self, options, command=None, status=0):
        run, _ = self.collect("run", command or [PROGRAM, *self.ARGUMENTS], options=["--no-seal", *options], status=status)
        return run, self.stored(run)

    def test_stored_unless_asked(self):
        self.assertIn(SECRET.encode(), self.check([])[1])

    def test_no_argv(self):
        run, stored = self.check(["--no-argv"])
        self.assertNotIn(SECRET.encode(), stored)
        for process in self.json("info", run)["processes"]:
            self.assertEqual((process["arguments"], os.path.basename(process["executable"])), ("", "starts"))

    def test_mask(self):
        run, stored = self.check(["--mask=-p [^ ]*", "--mask=(pass)?word=[^ ]*"])
        self.assertNotIn(SECRET.encode(), stored)
        info = self.json("info", run)
        self.assertEqual(info["processes"][0]["arguments"].split()[-4:], [PROGRAM, "--*", "*", "plain"])
        self.assertEqual(info["command"][-4:], ["--*", "*", "*", "plain"])

    def test_children_and_scripts(self):
        command = ["sh", "-c", "%s fork none %s %s; true" % (PROGRAM, PROGRAM, SECRET)]
        self.assertNotIn(SECRET.encode(), self.check(["--no-argv"], command, 0)[1])
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)
        self.assertNotIn(SECRET.encode(), self.check(["--mask", SECRET], command, 0)[1])

    def test_wrong_mask(self):
        result = self.difftrace("collect", "-o", self.path("run"), "--mask", "(", "--", PROGRAM, status=2)
        self.assert_one_error(result, "--mask")
        self.assertFalse(os.path.exists(self.path("run")))

    @unittest.skipUnless([mpi for mpi in MPIS if mpi.available()], "no MPI")
    def test_ranks(self):
        mpi = next(mpi for mpi in MPIS if mpi.available())
        command = mpi.run(2, example("oddeven"), "--bug", "none", "--values", "8")
        for options in (["--no-argv"], ["--mask", "--bug [a-z]*"]):
            run, _ = self.collect("run", command, options=options, status=None)
            with open(os.path.join(run, "manifest.json")) as file:
                self.assertNotIn("--bug", file.read())
            for process in self.json("info", run)["processes"]:
                self.assertNotIn("--bug", process["arguments"])


if __name__ == "__main__":
    main()
