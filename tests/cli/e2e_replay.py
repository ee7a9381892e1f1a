"""Replays of real programs: the trace of a replay has the skeleton of the program, what hung hangs in the same calls, and
damaged skeletons are told in a line. With --long all of it with each MPI, and damage by the hundred; else a part."""

import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from e2e_support import DIFFTRACE, MPIS, EndToEnd, app, environment, example, execute, main, time_limit

LONG = "--long" in sys.argv
SOURCE = os.environ["DIFFTRACE_SOURCE"]
AT_ONCE = 5  # hangs: they mostly wait

# Name, ranks, arguments.
PROGRAMS = [("oddeven", 8, ()), ("mpi-zoo", 4, ("{logs}",)), ("mpi-deadlock", 4, ("none",)), ("fortran-mpif", 4, ()),
            ("fortran-use_mpi", 4, ())] + [("fault-" + name, 4, ("--steps", "4")) for name in (
                "stencil2d", "halo3d", "pipeline", "transpose", "window", "fft", "cg", "samplesort", "particles")]

# What kind of hang, program, ranks, arguments.
HANGS = [("cycle of receives", "oddeven", 8, ("--bug", "dl")),
         ("cycle of receives", "mpi-deadlock", 4, ("cycle",)),
         ("missing member", "mpi-deadlock", 4, ("absent",)),
         ("missing member", "mpi-waits", 2, ("fence",)),
         ("missing member", "mpi-waits", 2, ("window",)),
         ("missing member", "mpi-deadlock", 4, ("other",)),
         ("lost message", "mpi-deadlock", 4, ("tag",)),
         ("lost message", "mpi-deadlock", 4, ("peer",)),
         ("lost message", "mpi-waits", 2, ("wait",)),
         ("lock", "mpi-waits", 2, ("lock",)),
         ("polling", "mpi-waits", 2, ("poll",)),
         ("polling", "mpi-waits", 2, ("test",)),
         ("one of many", "mpi-deadlock", 4, ("any",))]


def program_path(name):
    return example(name) if name == "oddeven" else app(name)


def start_line(mpi, ranks):
    return mpi.run(ranks, "")[:-1]


class Replays(EndToEnd):
    def available(self):
        return [mpi for mpi in MPIS if mpi.available() and shutil.which("mpicc." + mpi.name)]

    def skeleton(self, run, name):
        path = self.path(name)
        self.difftrace("skeleton", run, "--communication-only", "--no-lines", "-o", path)
        with open(path, encoding="ascii") as file:
            return path, file.read()

    def replay(self, name, mpi, ranks, skeleton, options=(), status=0):
        command = [DIFFTRACE, "replay", skeleton, "--", *start_line(mpi, ranks)]
        return self.collect(name, command, options, status=status)

    # ---- what is read ----------------------------------------------------------------------------

    def test_each_argument_is_read(self):
        """What `skeleton --check` accepts; also arguments of calls that are not made again."""
        path = self.path("skeleton")
        with open(path, "w", encoding="ascii") as file:
            file.write("difftrace skeleton 1\nranks 2\nMPI_Init\n"
                       "MPI_Psend_init(world, partitions 4, to +1, tag 31, 16 x 8 B)\nMPI_Precv_init(world, partitions 4, from +1, tag 31, 16 x 8 B)\n"
                       "MPI_Startall(live all)\n4 times\n  MPI_Pready(partition [0..3])\nMPI_Pready_list(partition-list <0 1>)\nMPI_Waitall(live all)\n"
                       "MPI_Cart_rank(world, coordinates <0 1>)\nMPI_Group_range_incl(group <0 1>, ranges <0 1 1>)\n"
                       "MPI_Unknown(lock 1, condition 2, barrier 3, number 4)\nMPI_Barrier(world)\nMPI_Finalize\n")
        self.difftrace("skeleton", "--check", path)
        for mpi in self.available():
            with self.subTest(mpi=mpi.name):
                result = execute([DIFFTRACE, "replay", path, "--", *start_line(mpi, 2)])
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(result.stderr, "calls are not made again: MPI_Psend_init, .*MPI_Unknown")

    # ---- what ends ------------------------------------------------------------------------------

    def test_fixed_point(self):
        logs = self.path("logs")
        os.mkdir(logs)
        mpis = self.available()
        for number, (name, ranks, arguments) in enumerate(PROGRAMS):
            for mpi in mpis if LONG else mpis[number % max(len(mpis), 1):][:1]:
                with self.subTest(program=name, mpi=mpi.name):
                    if not os.path.exists(program_path(name) + mpi.suffix):
                        continue
                    given = [each.format(logs=logs) for each in arguments]
                    label = mpi.name + name
                    run, _ = self.collect(label, mpi.run(ranks, program_path(name), *given))
                    path, text = self.skeleton(run, label + ".skeleton")
                    again, _ = self.replay(label + ".again", mpi, ranks, path)
                    self.assertEqual(self.skeleton(again, label + ".again.skeleton")[1], text)

    def test_ranks_alone_are_recorded(self):
        """As if the launcher had been given: no process of difftrace's, and the same labels."""
        for mpi in self.available():
            with self.subTest(mpi=mpi.name):
                run, _ = self.collect(mpi.name, mpi.run(4, app("mpi-deadlock"), "none"))
                path, _ = self.skeleton(run, mpi.name + ".skeleton")
                again, result = self.replay(mpi.name + ".again", mpi, 4, path)
                self.assertNotIn("warning", result.stderr)
                ranks = [sorted(each["rank"] for each in self.json("info", which)["processes"]) for which in (run, again)]
                self.assertEqual(ranks, [[0, 1, 2, 3], [0, 1, 2, 3]])
                self.assertEqual(self.json("info", again)["command"][0], mpi.launcher)

    def test_options(self):
        """Fewer rounds, less data; of a run as of a file."""
        for mpi in self.available()[:1]:
            run, _ = self.collect("run", mpi.run(4, app("fault-stencil2d"), "--steps", "4"))
            path, text = self.skeleton(run, "skeleton")
            self.assertIn("\n4 times\n", text)
            for name, given in (("file", path), ("run", run)):
                command = [DIFFTRACE, "replay", given, "--steps", "2", "--size", "50%", "--", *start_line(mpi, 4)]
                again, _ = self.collect(name + ".again", command)
                shorter = self.skeleton(again, name + ".again.skeleton")[1]
                self.assertIn("\n2 times\n", shorter)
                self.assertNotEqual(shorter, text.replace("\n4 times\n", "\n2 times\n"))
            self.assertEqual([name for name in os.listdir(self.folder) if "difftrace-replay" in name], [])

    def test_source(self):
        """What is mailed: it needs an MPI and a compiler, and nothing of difftrace's."""
        for mpi in self.available():
            with self.subTest(mpi=mpi.name):
                run, _ = self.collect(mpi.name, mpi.run(4, app("mpi-deadlock"), "none"))
                folder = self.path(mpi.name + ".source")
                self.difftrace("replay", run, "--source", folder)
                self.assertEqual(sorted(os.listdir(folder)), ["README", "program.skeleton", "replay.c"])
                with open(os.path.join(folder, "README"), encoding="ascii") as file:
                    readme = file.read()
                self.assertLessEqual(readme.count("\n"), 12)
                compiling, starting = [line.split() for line in readme.splitlines() if line.startswith("    mpi")]
                for line in (["mpicc." + mpi.name] + compiling[1:],
                             start_line(mpi, 4) + starting[starting.index("./replay"):]):
                    result = execute(line, cwd=folder, env=environment(PATH="/usr/bin:/bin"))
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertNotIn("warning", result.stderr)

    # ---- what hangs -----------------------------------------------------------------------------

    def waits(self, run):
        return self.difftrace("waits", run, "--tsv").stdout

    def hung(self, name, command, is_asking):
        """What waits says of a command that does not end; longer, if it had not come to stand still."""
        for seconds in (5, 12):
            run, result = self.collect("%s.%s" % (name, seconds), command, time_limit(seconds), status=124)
            told = self.waits(run)
            if "MPI_Init" not in told and ("\truns\t" not in told or is_asking):
                break
        return run, told, result.stderr

    def check_hang(self, number, mpi):
        _, program, ranks, arguments = HANGS[number]
        name, is_asking = "%s.%d" % (mpi.name, number), HANGS[number][0] == "polling"
        run, told, _ = self.hung(name, mpi.run(ranks, program_path(program), *arguments), is_asking)
        path, _ = self.skeleton(run, name + ".skeleton")
        for attempt in range(3): # where a rank that polls is when it is ended is luck
            command = [DIFFTRACE, "replay", path, "--", *start_line(mpi, ranks)]
            _, again, stderr = self.hung("%s.again.%d" % (name, attempt), command, is_asking)
            if again == told or not is_asking:
                break
        return told, again, stderr

    def test_hangs(self):
        mpis = self.available()
        chosen = [(number, mpi) for number in range(len(HANGS))
                  for mpi in (mpis if LONG else mpis[number % max(len(mpis), 1):][:1])]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(lambda one: self.check_hang(*one), chosen))
        for (number, mpi), (told, again, stderr) in zip(chosen, results):
            with self.subTest(kind=HANGS[number][0], program=HANGS[number][1:], mpi=mpi.name):
                self.assertGreater(told.count("\n"), 1)
                self.assertEqual(again, told)
                self.assertNotIn("now returned", stderr)

    def test_a_call_that_returns(self):
        """The recording says that a receive did not return; its message is there, though."""
        path = self.path("skeleton")
        with open(path, "w", encoding="ascii") as file:
            file.write("difftrace skeleton 1\nranks 2\nMPI_Init\non 0: MPI_Send(world, to +1, tag 3, 1 x 4 B)\n"
                       "on 0: MPI_Finalize\non 1: MPI_Recv(world, from -1, tag 3, 1 x 4 B); open 1\n")
        for mpi in self.available():
            result = self.difftrace("replay", path, "--", *start_line(mpi, 2))
            self.assertIn("replay: rank 1: the recording ended in MPI_Recv, which now returned\n", result.stderr)

    def test_last_and_wildcards(self):
        """A worker's answer goes to who asked last, whoever that is; grammar that runs of today do not have."""
        path = self.path("skeleton")
        with open(path, "w", encoding="ascii") as file:
            file.write("difftrace skeleton 1\nranks 4\nmesh 2x2\nMPI_Init  # where it starts\n"
                       "on 0: 3 times\n"
                       "  MPI_Recv(world, from any, tag 1, 1 x 4 B); got [+2 =1..3/2]; got-tag 1  # farm.c:7\n"
                       "  MPI_Send(world, to last, tag 2, 1 x 4 B)\n"
                       "on 1: MPI_Send(world, to =0, tag 1, 1 x 4 B)\n"
                       "on 2-3: MPI_Send(world, to {2: x+1; 3: ^3}, tag 1, 1 x 4 B)\n"
                       "on !0: MPI_Recv(world, from =0, tag 2, 1 x 4 B)\nMPI_Finalize\n")
        for mpi in self.available():
            for option in ([], ["--wildcards"]):
                replayer = os.path.join(os.path.dirname(DIFFTRACE), "difftrace-replay" + mpi.suffix.replace(".", "-"))
                result = execute([*start_line(mpi, 4), replayer, path, *option], timeout=60)
                self.assertEqual(result.returncode, 0, result.stderr)

    # ---- times ----------------------------------------------------------------------------------

    def test_times_between_calls(self):
        """A replay takes as long between its calls as the text says, by the clock, and as long as is asked for."""
        path = self.path("skeleton")
        with open(path, "w", encoding="ascii") as file:
            file.write("difftrace skeleton 1\nranks 2\nMPI_Init\n"
                       "10 times\n"
                       "  MPI_Barrier(world)\n"
                       "    on 0: after -1: 1 x 20ms\n"
                       "    on 1: after +0: 9 x 20ms (10ms to 30ms) [10ms^4 20ms 30ms^4]  # 180 ms\n"
                       "MPI_Finalize\n"
                       "  after -1: 2 x 100ms\n")
        spun = 0.020 + 0.180 + 0.100  # of rank 0 and then rank 1, which waits for each other in between
        for mpi in self.available()[:1]:
            took = {}
            for percent in (0, 100, 1000):
                command = [*start_line(mpi, 2), self.replayer(mpi), path, "--compute", "%d%%" % percent]
                begin = time.monotonic()
                result = execute(command, timeout=60)
                took[percent] = time.monotonic() - begin
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertGreaterEqual(took[100], spun, took)
            self.assertGreaterEqual(took[1000], 10 * spun, took)
            self.assertLess(took[0], 10 * spun, took)

    def test_times_of_a_run(self):
        """Without a word a replay has the times of its run; a text with them has the same calls."""
        for mpi in self.available()[:1]:
            ranks, steps = 2, 20
            run, _ = self.collect("timed", mpi.run(ranks, app("mpi-gaps"), str(steps)), ["--times=api"])
            self.difftrace("skeleton", run, "--communication-only", "--times", "-o", self.path("timed.skeleton"))
            without = self.difftrace("skeleton", self.path("timed.skeleton"), "--no-lines", "--no-times").stdout
            self.assertEqual(without, self.skeleton(run, "plain.skeleton")[1])
            again, _ = self.replay("again", mpi, ranks, run, ["--times=api"])
            spun = self.json("skeleton", again, "--times")["threads"][0]["nodes"]
            least = [min(part["min_ns"] for part in node["before"]) for loop in spun if "nodes" in loop for node in loop["nodes"]]
            self.assertEqual(len(least), 2, spun)
            for told, known in zip(least, (2e6, 0.5e6)):
                self.assertGreaterEqual(told, 0.95 * known)
            quick, _ = self.collect("quick", [DIFFTRACE, "replay", run, "--compute", "0%", "--", *start_line(mpi, ranks)], ["--times=api"])
            nodes = self.json("skeleton", quick, "--times")["threads"][0]["nodes"]
            self.assertLess(min(part["min_ns"] for loop in nodes if "nodes" in loop for node in loop["nodes"] for part in node["before"]),
                            0.4e6)
            texts = [self.skeleton(which, name)[1] for which, name in ((run, "first"), (again, "second"))]
            self.assertEqual(*texts)

    # ---- what is wrong --------------------------------------------------------------------------

    def test_errors(self):
        path = self.path("skeleton")
        with open(path, "w", encoding="ascii") as file:
            file.write("difftrace skeleton 1\nranks 4\nMPI_Init\nMPI_Finalize\n")
        for arguments, words in ((["--", "mpirun", "-n", "3"], ("of 4 ranks", "start 3", "-n 4")),
                                 (["--compute", "50%", "--", "mpirun", "-n", "4"], ("no times",)),
                                 (["--compute", "much", "--", "mpirun", "-n", "4"], ("--compute much", "0% to 100000%")),
                                 (["--size", "0%", "--", "mpirun"], ("--size 0%",)),
                                 (["--steps", "-1", "--", "mpirun"], ("--steps -1",)),
                                 (["--wildcards", "some", "--", "mpirun"], ("--wildcards some",)),
                                 ([], ("launcher is missing",)),
                                 (["--", "/nonexistent/mpirun", "-n", "4"], ("/nonexistent/mpirun",))):
            self.assert_one_error(execute([DIFFTRACE, "replay", path, *arguments]), *words)
        bare = self.path("bare")
        os.mkdir(bare)
        for mpi in self.available()[:1]: # a launcher of an MPI that we have no replayer of
            os.symlink("/bin/true", os.path.join(bare, "mpirun"))
            result = execute([DIFFTRACE, "replay", path, "--", os.path.join(bare, "mpirun"), "-n", "4"], env=environment(PATH=bare))
            self.assert_one_error(result, "no program that replays", "mpicc")

    def replayer(self, mpi):
        return os.path.join(os.path.dirname(DIFFTRACE), "difftrace-replay" + mpi.suffix.replace(".", "-"))

    def replayers(self):
        for mpi in self.available():
            yield mpi, self.replayer(mpi)

    def test_the_replayer_tells_what_is_wrong(self):
        """By itself, as whoever was mailed it uses it: one line of the first rank, with line and column, and no hang."""
        head = "difftrace skeleton 1\nranks 2\n"
        for mpi, replayer in self.replayers():
            for number, (text, words) in enumerate((
                    ("", ":1:1: the file ends before the first call"), ("hello\n", ":1:1: this is no skeleton"),
                    (head + "on 5: MPI_Init\n", ":3:4: there are not so many ranks"),
                    (head + "MPI_Init\n    MPI_Finalize\n", ":4:5: this line is too far to the right"),
                    (head + "MPI_Send(world, into +1)\n", ":3:17: "),
                    (head + "{0: 1; 0: 2} times\n  MPI_Init\n", ":3:13: a rank has two values here"))[:None if LONG else 4]):
                path = self.path("%s.%d" % (mpi.name, number))
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                result = execute([*start_line(mpi, 2), replayer, path], timeout=60)
                told = [line for line in result.stderr.splitlines() if line.startswith("replay: ")]
                self.assertNotEqual(result.returncode, 0)
                if text.startswith(head) and "two values" in words: # only rank 0 has it
                    continue
                self.assertEqual(len(told), 1, result.stderr)
                self.assertIn(words, told[0])
            path = self.path(mpi.name)
            with open(path, "w", encoding="ascii") as file:
                file.write(head + "MPI_Init\nMPI_Finalize\n")
            result = execute([*start_line(mpi, 3), replayer, path], timeout=60)
            self.assertIn("is of 2 ranks, and 3 were started", result.stderr)

    def test_damage(self):
        """Changed bytes: a clear error, or something that runs; never a crash. One rank, started without a launcher."""
        with open(os.path.join(SOURCE, "tests", "cli", "replay-damage.skeleton"), encoding="ascii") as file:
            text = file.read()
        chance = random.Random(11)
        for _, replayer in list(self.replayers())[:None if LONG else 1]:
            for number in range(300 if LONG else 25):
                damaged = bytearray(text, "ascii")
                for _ in range(chance.randint(1, 4)):
                    at = chance.randrange(len(damaged))
                    damaged[at:at + chance.randint(0, 2)] = chance.choice([b"", b"9", b"(", b"-", b"{", b"\n", b"^99999999", b" "])
                path = self.path("damaged")
                with open(path, "wb") as out:
                    out.write(damaged)
                try:
                    result = execute([replayer, path], timeout=4)
                except subprocess.TimeoutExpired: # a receive without a message is no error
                    continue
                self.assertNotIn(result.returncode, (-6, -7, -8, -11), bytes(damaged) + result.stderr.encode())


if __name__ == "__main__":
    sys.argv = [each for each in sys.argv if each != "--long"]
    main()
