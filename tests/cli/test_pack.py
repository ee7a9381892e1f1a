"""Runs in one file: they say what the run says, and what strangers put in does no harm."""

import hashlib
import os
import re
import shutil
import signal
import struct
import subprocess
import time

import packed
from support import DIFFTRACE, CommandTest, main

COMMANDS = (["info"], ["info", "--json"], ["dump"], ["dump", "--flat"], ["stats"], ["nlr"], ["lattice"], ["stack", "--all"], ["lines"], ["waits"],
            ["waits", "--json"], ["export", "--format", "csv"])
NAMES_OUTSIDE = ("../x", "/tmp/x", "processes/../../x.trace", "a/../../manifest.json", "processes//x.trace", "./manifest.json",
                 "processes/.trace", ".hidden/manifest.json", "manifest.json/", "", "x", "processes/x.trace/y", "processes/x\n.trace",
                 "a/b/c/d/e/f/manifest.json", "images/" + "x" * 300 + ".sym", "bin/x.trace", "images/x.trace", b"processes/x\0.trace")


class Packed(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        os.environ["TMPDIR"] = self.path("tmp")
        self.addCleanup(os.environ.pop, "TMPDIR")

    def pack(self, *runs, options=()):
        for run in runs:
            self.make(run)
            self.difftrace("pack", "--quiet", *options, run)

    def write(self, data, name="bad.dtz"):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def assert_left_nothing(self):
        """The process that removes what was unpacked does so when it sees the end of the other."""
        deadline = time.monotonic() + 20
        while os.listdir(self.path("tmp")) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_same_answers(self):
        self.pack("normal", "deadlock")
        for run in ("normal", "deadlock"):
            self.difftrace("unpack", run + ".dtz", "-o", run + "-again")
            for command in COMMANDS:
                with self.subTest(run=run, command=command):
                    of_run, of_file, again = (self.execute(*command, name) for name in (run, run + ".dtz", run + "-again"))
                    sizes = command[0] == "info"  # of event code, which is coded anew
                    self.assertEqual(self.without_sizes(of_run.stdout, sizes), self.without_sizes(of_file.stdout.replace(run + ".dtz", run), sizes))
                    self.assertEqual(self.without_sizes(of_run.stdout, sizes), self.without_sizes(again.stdout.replace(run + "-again", run), sizes))
                    self.assertEqual(of_run.stderr, of_file.stderr.replace(run + ".dtz", run))
        self.assert_left_nothing()

    def without_sizes(self, text, sizes):
        return [line for line in text.splitlines() if "bytes" not in line and "ratio" not in line and " node1 " not in line] if sizes else text

    def test_compare(self):
        self.pack("normal", "deadlock")
        verdict = self.json("compare", "normal", "deadlock", "-o", "out-1")["verdict"]
        self.assertEqual(self.json("compare", "normal.dtz", "deadlock.dtz", "-o", "out-2")["verdict"], verdict)
        for command in (["rank"], ["jsm"], ["dendrogram"]):
            self.assertEqual(self.difftrace(*command, "out-1"), self.difftrace(*command, "out-2"))
        self.assert_left_nothing()

    def test_files(self):
        """All but trace files come back as they were."""
        self.pack("normal")
        self.difftrace("unpack", "normal.dtz", "-o", "again")
        for folder, _, names in os.walk(self.path("normal")):
            for name in names:
                before = os.path.join(folder, name)
                after = before.replace(self.path("normal"), self.path("again"))
                with self.subTest(name=name), open(before, "rb") as one, open(after, "rb") as two:
                    if not name.endswith(".trace"):
                        self.assertEqual(one.read(), two.read())
        kinds = {kind for kind, *_ in packed.entries(open(self.path("normal.dtz"), "rb").read())}
        self.assertLessEqual({packed.FILE, packed.APART, packed.CODE, packed.SYMBOLS}, kinds)

    def test_users_and_parts(self):
        self.make("normal")
        os.makedirs(self.path("parts", "users", "77"))
        shutil.move(self.path("normal"), self.path("parts", "node0"))
        os.makedirs(self.path("parts", "node1"))
        shutil.copytree(self.path("parts", "node0", "images"), self.path("parts", "node1", "images"))
        os.mkdir(self.path("parts", "node1", "processes"))
        name = sorted(os.listdir(self.path("parts", "node0", "processes")))[0]
        shutil.move(self.path("parts", "node0", "processes", name), self.path("parts", "node1", "processes", name))
        os.rmdir(self.path("parts", "users", "77"))
        os.rmdir(self.path("parts", "users"))
        self.difftrace("pack", "-q", "parts")
        self.assertEqual(self.difftrace("dump", "parts"), self.difftrace("dump", "parts.dtz"))

    def test_what_exists(self):
        self.pack("normal")
        self.assertIn("exists already", self.error("pack", "normal"))
        self.assertIn("no empty directory", self.error("unpack", "normal.dtz", "-o", "normal"))
        self.assertIn("no empty directory", self.error("unpack", "normal.dtz", "-o", "normal.dtz"))
        os.symlink("tmp", self.path("link"))
        self.difftrace("unpack", "normal.dtz", "-o", "link")  # it leads to an empty directory
        self.assertIn("no such directory", self.error("pack", "nothing"))
        self.assertIn("not a packed run", self.error("unpack", "normal/manifest.json", "-o", "new"))
        self.assertFalse(os.path.exists(self.path("new")))

    def test_what_it_passes_on(self):
        self.make("normal")
        plain = self.difftrace_messages("pack", "normal")
        self.assertEqual(len([line for line in plain if "passes on command lines, paths" in line]), 1, plain)
        self.assertEqual(os.stat(self.path("normal.dtz")).st_mode & 0o777, 0o600)
        hidden = self.difftrace_messages("pack", "--anonymous", "normal", "-o", "hidden.dtz")
        self.assertEqual([line for line in hidden if "passes on" in line], [])
        self.assertTrue(any("the same --key" in line for line in hidden), hidden)

    def difftrace_messages(self, *arguments):
        result = self.execute(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr.splitlines()

    def test_names_cannot_be_tried(self):
        """A pseudonym is no checksum of its name: it takes the key, which is another one for each pack unless it is given."""
        self.make("normal")
        self.write(b"k" * 32, "key")
        self.write(b"l" * 32, "other")
        seen = {}
        for name, options in (("a", []), ("b", []), ("c", ["--key", "key"]), ("d", ["--key", "key"]), ("e", ["--key", "other"])):
            self.difftrace("pack", "-q", "--anonymous", *options, "normal", "-o", name + ".dtz")
            seen[name] = set(re.findall(r"\b[fhi][0-9a-f]{10}\b", self.difftrace("dump", "--flat", name + ".dtz") + self.difftrace("info", name + ".dtz")))
            self.assertGreater(len(seen[name]), 2)
        self.assertEqual(seen["c"], seen["d"])
        for one, other in (("a", "b"), ("a", "c"), ("c", "e")):
            self.assertEqual(seen[one] & seen[other], set())
        names = {re.sub(r"^.*[\t ]", "", line) for line in self.lines("dump", "--flat", "normal")} | {"node1", "app"}
        tried = {hashlib.sha256(name.encode()).hexdigest()[:10] for name in names}
        self.assertEqual({name[1:] for found in seen.values() for name in found} & tried, set())

    def test_keys(self):
        self.make("normal")
        self.write(b"short", "short")
        self.assertIn("could be guessed", self.error("pack", "--anonymous", "--key", "short", "normal"))
        self.assertIn("--anonymous", self.error("pack", "--key", "short", "normal"))
        self.assertIn("nothing", self.error("pack", "--anonymous", "--key", "nothing", "normal"))
        self.assertFalse(os.path.exists(self.path("normal.dtz")))

    def test_other_keys_are_told(self):
        """Names by different keys never meet: nobody is to take that for a fault of the program."""
        self.make("normal", "deadlock")
        for run in ("normal", "deadlock"):
            self.difftrace("pack", "-q", "--anonymous", run)
        self.assertIn("pseudonyms by different keys", self.json("compare", "normal.dtz", "deadlock.dtz", "-o", "out")["verdict"])
        self.assertIn("pseudonyms by different keys", self.json("compare", "normal", "deadlock.dtz", "-o", "out")["verdict"])

    def test_anonymous(self):
        """Neither names nor paths are left, and the same rank is the culprit in the same way."""
        self.make("normal", "deadlock")
        self.write(os.urandom(32), "key")
        for run in ("normal", "deadlock"):
            self.difftrace("pack", "-q", "--anonymous", "--key", "key", run, "-o", "%s-a.dtz" % run)
            self.difftrace("unpack", "%s-a.dtz" % run, "-o", "%s-a" % run)
            seen = self.difftrace("info", "%s-a" % run) + self.difftrace("dump", "%s-a" % run)
            for folder, _, names in os.walk(self.path("%s-a" % run)):
                for name in names:
                    if not name.endswith(".trace"):  # these are packed: what is in them was seen
                        with open(os.path.join(folder, name), "rb") as file:
                            seen += name + file.read().decode("latin-1")
            for word in ("oddEvenSort", "exchange", "node1", "/home", "app -n", "/usr"):
                self.assertNotIn(word, seen)
            self.assertIn("MPI_Recv", seen)
            self.assertIn("main", seen)
            shape = [line.split("\t")[:2] for line in self.lines("dump", "--flat", run)]
            self.assertEqual([line.split("\t")[:2] for line in self.lines("dump", "--flat", "%s-a.dtz" % run)], shape)
        plain = self.json("compare", "normal", "deadlock", "-o", "out-1")
        hidden = self.json("compare", "normal-a.dtz", "deadlock-a.dtz", "-o", "out-2")
        self.assertEqual(hidden["suspects"][0]["trace"], plain["suspects"][0]["trace"])
        self.assertEqual(hidden["suspects"][0]["score"], plain["suspects"][0]["score"])
        self.assertNotIn("oddEvenSort", hidden["verdict"])
        self.assertNotIn("different keys", hidden["verdict"])

    def refuse(self, data, word, lines=1):
        name = self.write(data)
        message = self.error("unpack", name, "-o", "new", lines=lines)
        self.assertIn(word, message)
        self.assertFalse(os.path.exists(self.path("new")))
        self.assertIn(word, self.error("info", name))
        self.assert_left_nothing()
        self.assertEqual(sorted(os.listdir(self.folder)), sorted({"tmp", name, *self.before}))

    def test_names(self):
        self.before = os.listdir(self.folder)
        for name in NAMES_OUTSIDE:
            for kind in (packed.FILE, packed.TRACE):
                with self.subTest(name=name, kind=kind):
                    body = struct.pack("<Q", 10) if kind == packed.TRACE else b"0123456789"
                    self.refuse(packed.archive(packed.entry(kind, name, body)), "name")
        good = packed.entry(packed.FILE, "manifest.json", b"{}")
        self.refuse(packed.archive(good, good), "File exists")
        self.refuse(packed.archive(packed.entry(packed.TRACE, "manifest.json", struct.pack("<Q", 10))), "a trace file is none")

    def test_claims(self):
        """Sizes that are not there, and sizes that would fill the disk."""
        self.before = os.listdir(self.folder)
        name = "processes/a.trace"
        for data, word in (
                (packed.header(1 << 40) + packed.compress(b"x" * 100), "more than any"),
                (packed.header(1 << 34) + packed.compress(b"x" * 100), "more than any"),
                (packed.header(1 << 20) + packed.compress(bytes(1 << 26)), "longer|wrong|kind|end is missing"),  # more than it says
                (packed.archive(packed.entry(packed.FILE, "manifest.json", b"[" * (1 << 20))), ""),  # nests without end
                (packed.archive(packed.entry(packed.FILE, "manifest.json", b'{"exit_status": 1e999999, "processes": [' + b"{}," * 9 +
                                b'{"pid": 99999999999999999999}]}')), ""),
                (packed.header(1 << 20) + packed.compress(b"x" * 100), "end is missing|unknown|checksum|longer|too long"),
                (packed.archive(packed.trace(name, 1 << 50)), "allowed"),
                (packed.archive(*[packed.trace("processes/%d.trace" % i, 1 << 35) for i in range(4)]), "allowed"),
                (packed.archive(packed.entry(packed.FILE, "ends.log", b"x", size=1 << 40)), "longer|allowed"),
                (packed.archive(packed.entry(packed.FILE, "ends.log", b"x", size=2**64 - 1)), "longer|allowed"),
                (packed.archive(packed.trace(name, 100, (50, b"x" * 51))), "outside"),
                (packed.archive(packed.trace(name, 100, (2**64 - 1, b"x" * 51))), "outside"),
                (packed.archive(packed.entry(packed.TRACE, name, struct.pack("<QQQ", 100, 0, 2**64 - 1), 1)), "outside"),
                (packed.archive(packed.entry(packed.TRACE, name, struct.pack("<Q", 100), 2**32 - 1)), "more pieces"),
                (packed.archive(packed.entry(packed.TRACE, name, struct.pack("<Q", 100), 1000)), "more pieces"),
                (packed.archive(packed.entry(packed.CODE, name, packed.pieces((0, b"x")), 1)), "no trace file"),
                (packed.archive(packed.trace(name, 9000), packed.entry(packed.NOTES, name, packed.pieces((0, b"x")), 1)), "notes are wrong|longer"),
                (packed.archive(packed.trace(name, 9000), packed.entry(packed.NOTES, name, struct.pack("<QQ", 0, 9000) + b"\x01", 1)), "wrong"),
                (packed.archive(packed.entry(7, name, b"")), "unknown kind"),
                (packed.archive(packed.entry(packed.SYMBOLS, "images/a.sym", b"")), "symbols are wrong"),
                (packed.archive(packed.entry(packed.SYMBOLS, "images/a.sym", b"\0\x05\0\0\0")), "symbols are wrong"),
                (packed.archive(packed.entry(packed.SYMBOLS, "images/a.sym", b"\0\x01" + b"\0" * 4 + b"a")), "symbols are wrong"),
                (packed.archive(packed.entry(packed.APART, name, struct.pack("<Q", 9000) + packed.pieces(
                    (4096, struct.pack("<III", 0x4b435444, 3, 1 << 20) + b"\x01" * 52)), 1)), "larger than their file"),
                (packed.archive(major=2), "newer"),
                (packed.archive(magic=b"DiffTrc\n"), "not a packed run|not a run"),
                (packed.archive()[:-3], "end is missing|wrong"),
                (packed.archive() + b"", "")):
            with self.subTest(word=word):
                if word == "":
                    self.difftrace("unpack", self.write(data), "-o", "good")
                    self.assertIn(self.execute("info", "good").returncode, (0, 2))
                    shutil.rmtree(self.path("good"))
                    continue
                result = self.execute("unpack", self.write(data), "-o", "new")
                self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1), result.stderr)
                self.assertRegex(result.stderr, word)
                self.assertFalse(os.path.exists(self.path("new")))

    def test_every_byte(self):
        """Whatever is changed, it is told, or nothing comes of it."""
        self.make("calls")
        self.difftrace("pack", "-q", "calls")
        with open(self.path("calls.dtz"), "rb") as file:
            good = file.read()
        expected = self.difftrace("dump", "--flat", "calls")
        for at in range(0, len(good), max(1, len(good) // 150)):
            result = self.execute("dump", "--flat", self.write(good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1:]))
            if result.returncode == 0:
                self.assertEqual((result.stdout, at in range(24, 32)), (expected, False), at)
            else:
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertLessEqual(len(result.stderr.splitlines()), 2)
            result = self.execute("dump", "--flat", self.write(good[:at]))
            self.assertEqual(result.returncode, 2, result.stderr)
        self.assert_left_nothing()

    def test_killed_reader(self):
        """Nothing stays among the temporary files, however the reader ends."""
        self.pack("normal")
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGPIPE):
            reader = subprocess.Popen([DIFFTRACE, "dump", "normal.dtz"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            reader.stdout.read(10)
            reader.send_signal(number)
            reader.stdout.close()
            reader.wait()
            self.assert_left_nothing()

    def test_who_reads_our_output_does_not_wait(self):
        self.pack("normal")
        result = subprocess.run("%s dump normal.dtz | head -1" % DIFFTRACE, shell=True, cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=20)
        self.assertEqual(len(result.stdout.splitlines()), 1)


if __name__ == "__main__":
    main()
