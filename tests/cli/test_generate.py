"""difftrace generate: programs of random skeletons make each rank's calls, which an MPI that only writes them down shows."""
import os
import random
import re
import shutil
import subprocess
import unittest

from support import DIFFTRACE, CommandTest, main

COMPILER = shutil.which(os.environ.get("CC", "cc"))
FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake-mpi")
WARNINGS = ["-std=c11", "-O0", "-Wall", "-Wextra", "-Werror"]


class Skeletons:
    """Random ones."""

    def __init__(self, seed):
        self.random, self.lines = random.Random(seed), []
        self.ranks = self.random.choice((1, 2, 3, 4, 6, 8, 12, 16))
        self.mesh = {4: "2x2", 6: "2x3", 8: "2x2x2", 12: "3x4", 16: "4x4"}.get(self.ranks) if self.random.random() < 0.5 else None

    def subset(self, within):
        if self.random.random() < 0.5 or len(within) < 2:
            return within
        kinds = [lambda r: r % 2 == 0, lambda r: r % 3 != 1, lambda r: r > self.ranks // 3, lambda r: r not in (0, self.ranks - 1),
                 lambda r, bits=self.random.getrandbits(16): bits >> r & 1]
        kind = self.random.choice(kinds)
        return [rank for rank in within if kind(rank)] or within

    def row(self, value):
        """`value` draws one."""
        shape = self.random.randrange(6)
        if shape < 3:
            return str(value())
        if shape == 3:
            return "[%s]" % " ".join(str(value()) + self.random.choice(("", "^3")) for _ in range(self.random.randint(2, 5)))
        if shape == 4:
            return "[(%s %s^2)^3 %s]" % (value(), value(), value())
        return None

    def values(self, within, value, progression=True):
        """A row, one up from round to round, or one for each of some ranks."""
        if len(within) > 1 and self.random.random() < 0.3:
            cut = self.random.randrange(1, len(within))
            mixed = self.random.sample(within, len(within))
            return "{%s}" % "; ".join("%s: %s" % (",".join(map(str, sorted(part))), self.row(value) or value())
                                      for part in (mixed[:cut], mixed[cut:]))
        row = self.row(value)
        if row is None and progression:
            first, step = self.random.randrange(5), self.random.choice((1, 2))
            row = "[%d..%d%s]" % (first, first + step * self.random.randint(1, 4), "" if step == 1 else "/2")
        return row or str(value())

    def peer(self):
        forms = ["+1", "-1", "+2", "=%d" % self.random.randrange(self.ranks), "null"] + (["^1"] if self.ranks % 2 == 0 else [])
        return self.random.choice(forms + (["x+1", "y-1", "x+1y+1"] if self.mesh else []))

    def call(self, indent, within):
        on = self.subset(within)
        prefix = "" if on == within else "on %s: " % ",".join(map(str, on))
        count, size, tag = (self.values(on, draw) for draw in (lambda: self.random.randint(1, 20), lambda: self.random.choice((1, 4, 8, 12)),
                                                               lambda: self.random.randrange(9)))
        size = self.random.choice(("1", "4", "8", "12")) if self.random.random() < 0.7 else size
        kind = self.random.choice(("Send", "Recv", "Bcast"))
        if kind == "Bcast":
            text = "MPI_Bcast(world, root %d, %s x %s B)" % (self.random.randrange(self.ranks), count, size)
        else:
            text = "MPI_%s(world, %s %s, tag %s, %s x %s B)" % (kind, "to" if kind == "Send" else "from",
                                                                self.values(on, self.peer, False), tag, count, size)
        frame = self.random.choice(("", "  # a.c:%d in exchange" % self.random.randint(1, 9), "  # a.c:5 in step"))
        self.lines.append("  " * indent + prefix + text + frame)

    def block(self, indent, within):
        for _ in range(self.random.randint(1, 4)):
            if indent < 3 and self.random.random() < 0.35:
                on = self.subset(within)
                times = self.values(on, lambda: self.random.randint(0, 3), False)
                self.lines.append("  " * indent + ("" if on == within else "on %s: " % ",".join(map(str, on))) + times + " times")
                self.block(indent + 1, on)
            else:
                self.call(indent, within)

    def text(self):
        self.block(0, list(range(self.ranks)))
        head = "difftrace skeleton 1\nranks %d\n" % self.ranks + ("mesh %s\n" % self.mesh if self.mesh else "")
        return head + "\n".join(self.lines) + "\n"


def round_the_ring(calls, ranks):
    """Peers as the distance upwards: on 3 ranks +2 and -1 are one."""
    return re.sub(r"(to|from) ([+-]\d+)", lambda peer: "%s +%d" % (peer[1], int(peer[2]) % ranks), calls)


class GenerateTest(CommandTest):
    def written(self, text, name="skeleton"):
        path = self.path(name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def program(self, skeleton, *options):
        source, program = self.path("bench.c"), self.path("bench")
        result = subprocess.run([DIFFTRACE, "generate", skeleton, "-o", source, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        result = subprocess.run([COMPILER, *WARNINGS, "-I", FAKE, "-o", program, source], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return program

    def calls(self, program, rank, ranks, *arguments):
        environment = dict(os.environ, FAKE_RANK=str(rank), FAKE_SIZE=str(ranks))
        return subprocess.run([program, *arguments], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout

    @unittest.skipUnless(COMPILER, "no compiler")
    def test_random_skeletons(self):
        """Each rank makes the calls that the skeleton has of it."""
        for seed in range(24):
            skeletons = Skeletons(seed)
            text = skeletons.text()
            with self.subTest(seed=seed):
                path = self.written(text)
                program = self.program(path)
                for rank in range(skeletons.ranks):
                    expected = subprocess.run([DIFFTRACE, "skeleton", path, "--expand", str(rank)], stdout=subprocess.PIPE, text=True, check=True).stdout
                    made = self.calls(program, rank, skeletons.ranks)
                    self.assertEqual(round_the_ring(made, skeletons.ranks), round_the_ring(expected, skeletons.ranks), text)

    @unittest.skipUnless(COMPILER, "no compiler")
    def test_its_options(self):
        path = self.written("difftrace skeleton 1\nranks 2\n5 times\n  MPI_Send(world, to +1, tag 3, 10 x 8 B)\n")
        program = self.program(path)
        line = "MPI_Send(world, to +1, tag 3, %d x 8 B)\n"
        for arguments, expected in (((), line % 10 * 5), (("--size", "250"), line % 25 * 5), (("--size", "1%", "--steps", "7"), line % 1 * 7)):
            self.assertEqual(self.calls(program, 0, 2, *arguments), expected)
        for arguments in (("--sise", "3"), ("--size",), ("--steps", "x")):
            environment = dict(os.environ, FAKE_RANK="0", FAKE_SIZE="2")
            result = subprocess.run([program, *arguments], env=environment, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
        environment = dict(os.environ, FAKE_RANK="0", FAKE_SIZE="3")
        result = subprocess.run([program], env=environment, stderr=subprocess.PIPE, text=True, check=False)
        self.assertIn("of 2 ranks, and 3 were started", result.stderr)

    @unittest.skipUnless(COMPILER, "no compiler")
    def test_processor_time(self):
        """0.3 s of it, though two of them share one processor."""
        path = self.written("difftrace skeleton 1\nranks 1\n30 times\n  MPI_Bcast(world, root 0, 2 x 4 B)\n    after start: 1 x 5ms\n    after +0: 29 x 5ms\n"
                            "MPI_Bcast(world, root 0, 1 x 4 B)\n  after -1: 1 x 150ms\n")
        program = self.program(path)

        def pair(*arguments):
            place = max(os.sched_getaffinity(0))
            environment = dict(os.environ, FAKE_RANK="0", FAKE_SIZE="1")
            both = [subprocess.Popen([program, *arguments], env=environment, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, {place}))
                    for _ in range(2)]
            used = []
            for process in both:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = status
                self.assertEqual(status, 0)
                used.append(usage.ru_utime + usage.ru_stime)
            return used

        start = max(pair("--compute", "0"))
        for seconds in pair():
            self.assertGreater(seconds, 0.29)
            self.assertLess(seconds, 0.35 + start)

    def test_what_is_left_out(self):
        path = self.written("difftrace skeleton 1\nranks 2\nMPI_Win_fence(window 0, assertion 0)\nMPI_Barrier(world)\n")
        result = subprocess.run([DIFFTRACE, "generate", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
        self.assertEqual(result.stderr, "difftrace: not generated: MPI_Win_fence\n")
        self.assertIn("/* MPI_Win_fence is not generated */", result.stdout)

    def test_anonymous(self):
        path = self.written("difftrace skeleton 1\nranks 2\nMPI_Barrier(world)  # hidden.c:3 in hidden\nMPI_Barrier(self)  # hidden.c:4 in hidden\n", "hidden")
        run = [DIFFTRACE, "generate", path]
        self.assertIn("do_hidden();", subprocess.run(run, stdout=subprocess.PIPE, text=True, check=True).stdout)
        self.assertNotIn("hidden", subprocess.run([*run, "--anonymous"], stdout=subprocess.PIPE, text=True, check=True).stdout)

    def test_errors(self):
        threads = self.written("difftrace skeleton 1\nranks 2\nMPI_Init\nthread 1\nMPI_Barrier(world)\n")
        for arguments, words in (([threads], "thread 1 communicates"), ([threads, "--wildcards", "some"], "--wildcards some"), (["/nonexistent"], "/nonexistent")):
            result = subprocess.run([DIFFTRACE, "generate", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
            self.assertIn(words, result.stderr)
            self.assertEqual(re.findall("int main", result.stdout), [])


if __name__ == "__main__":
    main()
