"""Plans that are kept in the user's cache: believed only if they are whole, fit the code, and nobody else can have written them."""

import os
import random
import shutil
import stat
import struct
import subprocess
import zlib

from e2e_support import DIFFTRACE, EndToEnd, app, contents, environment, execute, main

HEADER = struct.Struct("<8sIIIIII")  # tracer/native/plan/plan_cache.c
FUNCTION_BYTES = 40                  # tracer/native/plan/plan.h
PROGRAM = [app("calls-o2"), "10"]


class Plans(EndToEnd):
    def setUp(self):
        super().setUp()
        self.home = self.path("cache")
        self.cache = os.path.join(self.home, "difftrace")
        self.expected = execute(PROGRAM).stdout
        self.reference = self.record("reference", XDG_CACHE_HOME="", DIFFTRACE_NO_CACHE="1")

    def record(self, name, images="all", **variables):
        """Calls by function; the program has to behave as ever."""
        run, result = self.collect(name, PROGRAM, ["--images", images],
                                   env=environment(**{"XDG_CACHE_HOME": self.home, **variables}))
        self.assertEqual(result.stdout, self.expected)
        counts = {(function["image"], function["function"]): function["calls"] for function in self.json("stats", run)["functions"]}
        shutil.rmtree(run)
        # The C library's calls depend on the environment.
        return {key: calls for key, calls in counts.items() if key[0] == "calls-o2"}

    def record_like_reference(self, name, **variables):
        counts = self.record(name, **variables)
        self.assertGreater(sum(counts.values()), 100)
        self.assertEqual(counts, self.reference)

    def files(self):
        return sorted(os.path.join(self.cache, name) for name in os.listdir(self.cache))

    def contents(self):
        return {os.path.join(self.cache, name): content for name, content in contents(self.cache).items()}

    def test_warm_and_cold(self):
        self.record_like_reference("cold")
        plans = self.contents()
        self.assertGreaterEqual(len(plans), 3)
        for path in plans:
            self.assertTrue(path.endswith(".plan"), path)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.cache).st_mode), 0o700)
        written = {path: os.stat(path).st_mtime_ns for path in plans}
        self.record_like_reference("warm")
        self.assertEqual({path: os.stat(path).st_mtime_ns for path in self.files()}, written)

    def test_damaged_plans_are_made_anew(self):
        self.record_like_reference("first")
        good = self.contents()
        chance = random.Random(20263)
        for how in ("flip", "cut", "empty", "grow"):
            for path, content in good.items():
                damaged = bytearray(content)
                if how == "flip":
                    damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
                elif how == "grow":
                    damaged += b"\0"
                else:
                    del damaged[0 if how == "empty" else chance.randrange(len(damaged)):]
                with open(path, "wb") as file:
                    file.write(damaged)
            with self.subTest(how=how):
                self.record_like_reference(how)
                self.assertEqual(self.contents(), good)

    def forge(self, content, chance):
        """A plan whose checksum is right and whose functions are elsewhere, or whose code is another."""
        forged = bytearray(content)
        _, _, _, count, _, _, _ = HEADER.unpack_from(forged)
        for i in range(count):
            at = HEADER.size + FUNCTION_BYTES * i
            if chance.random() < 0.5:
                struct.pack_into("<I", forged, at + FUNCTION_BYTES - 4, chance.getrandbits(32))
            elif chance.random() < 0.1:
                struct.pack_into("<Q", forged, at, chance.choice((0, 1 << 40, (1 << 64) - 8)))
        struct.pack_into("<I", forged, 24, zlib.crc32(forged[HEADER.size:]))
        return forged

    def test_plans_that_do_not_fit_the_code(self):
        self.record_like_reference("first")
        good, chance = self.contents(), random.Random(20264)
        for number in range(3):
            for path, content in good.items():
                with open(path, "wb") as file:
                    file.write(self.forge(content, chance))
            self.record_like_reference("forged-%d" % number)

    def test_what_is_no_plan_file(self):
        """Pipes would wait for ever, holes be read for long; the plans are made anew in their place."""
        self.record_like_reference("first")
        good = self.contents()

        def make_hole(path):
            with open(path, "wb") as file:
                file.write(good[path])
                file.truncate(1 << 40)

        for kind, make in (("pipe", os.mkfifo), ("hole", make_hole), ("zero", lambda path: os.symlink("/dev/zero", path))):
            for path in good:
                os.remove(path)
                make(path)
            with self.subTest(kind=kind):
                self.record_like_reference(kind)
                self.assertEqual(self.contents(), good)

    def test_what_others_can_write_is_not_read(self):
        self.record_like_reference("first")
        good = self.contents()
        for path in good:
            os.chmod(path, 0o666)
        self.record_like_reference("files")
        self.assertEqual({stat.S_IMODE(os.stat(path).st_mode) for path in self.files()}, {0o600})
        for path in good:
            os.rename(path, path + ".elsewhere")
            os.symlink(path + ".elsewhere", path)
        self.record_like_reference("links")
        self.assertFalse(any(os.path.islink(path) for path in good))
        shutil.rmtree(self.cache)
        os.mkdir(self.cache)
        os.chmod(self.cache, 0o777)
        self.record_like_reference("folder")
        self.assertEqual(self.files(), [])

    def test_no_cache_to_be_had(self):
        with open(self.home, "w"):
            pass
        self.record_like_reference("file")
        os.remove(self.home)
        self.record_like_reference("nowhere", XDG_CACHE_HOME="/proc/none")

    def test_processes_that_start_at_once(self):
        runs = [self.path("run-%d" % i) for i in range(8)]
        processes = [subprocess.Popen([DIFFTRACE, "collect", "--images", "all", "-o", run, "--", *PROGRAM],
                                      env=environment(XDG_CACHE_HOME=self.home), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for run in runs]
        for process in processes:
            self.assertEqual(process.communicate()[0], self.expected)
            self.assertEqual(process.returncode, 0)
        counts = [sum(function["calls"] for function in self.json("stats", run)["functions"]
                      if function["image"] == "calls-o2") for run in runs]
        self.assertEqual(counts, [sum(self.reference.values())] * len(runs))
        self.assertTrue(all(path.endswith(".plan") for path in self.files()), self.files())


if __name__ == "__main__":
    main()
