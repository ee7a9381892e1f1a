"""Whatever is wrong with the input: one clear line, status 2; what can be read is shown."""

import fcntl
import glob
import os
import random
import shutil
import stat

from support import CommandTest, main, read

SEED = 20210719


class BadArguments(CommandTest):
    def setUp(self):
        super().setUp()
        self.make("oddeven4")

    def test_usage(self):
        for arguments in (["info"], ["info", "a", "b"], ["dump"], ["compare"], ["compare", "a", "b", "c"], ["diffnlr"],
                          ["stack", "oddeven4", "--all", "-t", "0"], ["rank", "--top", "0"],
                          ["nlr", "oddeven4", "--no-such-option"], ["stats", "oddeven4", "--by", "moon"],
                          ["compare", "oddeven4", "--baseline", "oddeven4"], ["jsm", "--of", "moon"]):
            with self.subTest(arguments=arguments):
                self.error(*arguments)

    def test_selection(self):
        for option, value, word in (("--filter", "mpial", "mpiall"), ("--filter", "", "filter"), ("--attr", "sing.some", "sing.some"),
                                    ("--linkage", "strong", "ward"), ("-k", "0", "-k"), ("-k", "many", "many"),
                                    ("--min-repeat", "1", "--min-repeat"), ("-j", "-3", "--jobs"), ("--nlr", "blind", "--nlr")):
            with self.subTest(option=option, value=value):
                self.assertIn(word, self.error("nlr", "oddeven4", option, value))
                self.assertIn(word, self.error("compare", "oddeven4", "oddeven4", option, value))

    def test_bad_expression_has_a_caret(self):
        message = self.error("nlr", "oddeven4", "--filter", "cust:MPI_[", lines=3).splitlines()
        self.assertEqual(message[1][message[2].index("^") - 1], "[")

    def test_unknown_trace(self):
        for command in (["dump"], ["nlr"], ["stats"], ["stack"]):
            self.assertIn("its traces are 0-3", self.error(*command, "oddeven4", "-t", "9.7"))

    def test_formats(self):
        self.assertIn("pdf", self.error("lattice", "oddeven4", "--format", "pdf"))
        self.difftrace("compare", "oddeven4", "oddeven4")
        self.error("jsm", "--format", "dot")
        self.error("dendrogram", "--format", "cxt")
        self.error("diffnlr", "0", "--format", "csv")

    def test_more_than_one_configuration(self):
        self.assertIn("--filter", self.error("nlr", "oddeven4", "--filter", "mem", "--filter", "all"))


class BadRuns(CommandTest):
    def test_missing_and_empty(self):
        os.mkdir(self.path("empty"))
        with open(self.path("file"), "w") as stream:
            stream.write("no run\n")
        for run in ("missing", "empty", "file", "/etc"):
            for command in ("info", "dump", "stats", "nlr", "lattice", "compare"):
                with self.subTest(command=command, run=run):
                    self.assertIn(run, self.error(command, run))
            self.assertIn(run, self.error("stack", run, "--all"))

    def test_no_common_traces(self):
        self.make("oddeven4", "elsewhere")
        message = self.error("compare", "oddeven4", "elsewhere")
        self.assertIn("no common traces: 0-3 in one, 100-101 in the other", message)
        self.assertFalse(os.path.exists(self.path("difftrace.out")))

    def test_nothing_kept(self):
        self.make("elsewhere")
        result = self.execute("compare", "elsewhere", "elsewhere", "--filter", "mpiall")
        self.assertEqual(result.returncode, 2)
        self.assertIn("keeps", result.stderr)

    def traces(self, run):
        return sorted(glob.glob(self.path(run, "processes", "*.trace")))

    def test_truncated_process_file(self):
        """The other processes stay readable, the damaged one is told."""
        self.make("oddeven4")
        os.truncate(self.traces("oddeven4")[2], 100)
        result = self.execute("info", "oddeven4", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        info = self.parse(result.stdout)
        self.assertTrue(info["problems"])
        self.assertEqual(len(info["processes"]), 3)
        self.assertIn("warning: ", self.execute("nlr", "oddeven4").stderr)

    def warnings(self, *command):
        result = self.execute(*command)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [line.replace("difftrace: warning: ", "") for line in result.stderr.splitlines()]

    def test_damage_is_told_once(self):
        """Before the verdict, with what it means for that: a line for what several files lack, and one a damaged file."""
        self.make("oddeven4", "calls")
        symbols = sorted(os.listdir(self.path("oddeven4", "images")))
        shutil.copytree(self.path("oddeven4"), self.path("nameless"))
        shutil.rmtree(self.path("nameless", "images"))
        missing, listed, means = self.warnings("compare", "oddeven4", "nameless")
        self.assertRegex(missing, r"^nameless: images/\S+\.sym and %d more: missing: the functions of that image have no names$" %
                         (len(symbols) - 1))
        self.assertEqual(listed, 'nameless: "difftrace info" lists all %d problems' % len(symbols))
        self.assertEqual(means, "nameless is damaged: what differs may come from that, not from the fault")
        self.assertEqual(self.warnings("stats", "nameless"), [missing, listed])
        trace, = self.traces("calls")
        with open(trace, "r+b") as file:
            damaged = bytearray(file.read())
            damaged[8192::97] = bytes(255 - byte for byte in damaged[8192::97])
            file.seek(0)
            file.write(damaged)
        problems = self.json("info", "calls", warnings=True)["problems"]
        self.assertGreater(len(problems), 2)
        first, listed = self.warnings("stats", "calls", "--by", "process")[:2]
        self.assertEqual(first, "calls: %s; and %d more problems" % (problems[0], len(problems) - 1))
        self.assertEqual(listed, 'calls: "difftrace info" lists all %d problems' % len(problems))

    def test_all_truncated(self):
        self.make("oddeven4")
        for trace in self.traces("oddeven4"):
            os.truncate(trace, 10)
        result = self.execute("info", "oddeven4")
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.startswith("difftrace: "))

    def test_flipped_bytes_never_crash(self):
        """Any damage: a result, or an error of status 2; never a signal, never broken JSON."""
        dice = random.Random(SEED)
        self.make("oddeven4")
        for attempt in range(25):
            run = "damaged%d" % attempt
            shutil.copytree(self.path("oddeven4"), self.path(run))
            victims = [f for f in glob.glob(self.path(run, "**", "*"), recursive=True) if os.path.isfile(f)]
            victim = dice.choice(sorted(victims))
            with open(victim, "r+b") as stream:
                for _ in range(dice.choice((1, 8, 64))):
                    stream.seek(dice.randrange(min(4096, os.path.getsize(victim))))
                    stream.write(bytes([dice.randrange(256)]))
            for command in (["info", run, "--json"], ["dump", run, "--flat"], ["compare", "oddeven4", run, "--json"]):
                with self.subTest(seed=SEED, attempt=attempt, command=command[0], victim=os.path.relpath(victim, self.folder)):
                    result = self.execute(*command)
                    self.assertIn(result.returncode, (0, 2), result.stderr)
                    if result.returncode == 0 and "--json" in command:
                        self.parse(result.stdout)
                    if result.returncode == 2:
                        self.assertTrue(result.stderr.startswith("difftrace: "), result.stderr)


class BadResults(CommandTest):
    def setUp(self):
        super().setUp()
        self.make("oddeven4")
        self.difftrace("compare", "oddeven4", "oddeven4")
        self.document = self.path("difftrace.out", "result.json")

    def commands(self):
        return (["diffnlr", "1"], ["jsm"], ["dendrogram"])

    def test_no_result(self):
        for command in (["rank", "nowhere"], ["diffnlr", "1", "nowhere"], ["jsm", "nowhere"], ["dendrogram", "nowhere"]):
            self.assertIn("no result of a comparison", self.error(*command))
        self.assertIn("a run, not the result of a comparison", self.error("rank", "oddeven4"))

    def test_one_taken_for_another(self):
        """Runs, results, files and arguments in each other's place: the message says what it is, and what to do."""
        with open(self.path("oddeven4", ".difftrace"), "w", encoding="ascii") as mark:
            mark.write("run\n")  # as collect does
        for command, message in ((["rank", "oddeven4"], "a run, not the result of a comparison"),
                                 (["diffnlr", "oddeven4", "oddeven4"], "a run, not the result of a comparison"),
                                 (["dump", "difftrace.out"], "not a run but the result of a comparison"),
                                 (["info", "difftrace.out/result.json"], "not a run but a file"),
                                 (["import", "oddeven4"], "a run already"),
                                 (["oddeven4"], "a run, not a command"),
                                 (["stats", "oddeven4", "1.0"], "a trace is given by -t"),
                                 (["info", "odeven4"], "no such directory; did you mean the run 'oddeven4'?"),
                                 (["compare", "oddeven4", self.path("oddeven5")],
                                  "did you mean the run '%s'?" % self.path("oddeven4"))):
            with self.subTest(command=command):
                self.assertIn(message, self.error(*command))
        self.assertNotIn("did you mean", self.error("info", "elsewhere"))

    def test_damaged_document(self):
        for text in ("", "{", "[]", "nonsense", "{}", '{"version": 1}', '{"version": 2}', '{"version": "1"}', '"x"'):
            with open(self.document, "w") as stream:
                stream.write(text)
            for command in (["rank"], *self.commands()):
                with self.subTest(text=text, command=command[0]):
                    self.assertIn("result.json", self.error(*command))

    def test_odd_document(self):
        """Members of unexpected kinds are as good as missing."""
        with open(self.document, "w") as stream:
            stream.write('{"version": 1, "faulty": "f", "configurations": [1, {"filter": 5}, null], "suspects": {"a": 1},'
                         ' "verdict": [], "recipe": {"faulty": null}}')
        self.difftrace("rank")
        for command in self.commands():
            self.error(*command)

    def test_runs_are_gone(self):
        shutil.rmtree(self.path("oddeven4"))
        self.difftrace("rank")
        for command in self.commands():
            self.assertIn("compare again", self.error(*command))

    def test_trace_of_neither_run(self):
        self.assertIn("its traces are 0-3", self.error("diffnlr", "7"))

    def test_one_run_has_no_difference(self):
        self.difftrace("compare", "oddeven4", "-o", "alone")
        self.assertIn("no normal run", self.error("diffnlr", "1", "alone"))

    def test_output_that_cannot_be_written(self):
        self.assertIn("cannot be written", self.error("jsm", "--format", "svg", "-o", "no/such/folder/x.svg"))
        os.mkdir(self.path("full"))
        with open(self.path("full", "precious"), "w") as stream:
            stream.write("mine")
        self.assertIn("full", self.error("compare", "oddeven4", "oddeven4", "-o", "full"))
        self.assertEqual(read(self.path("full", "precious")), "mine")

    def test_output_that_is_a_pipe(self):
        """What is no file is written to and never replaced: /dev/null would be gone for everybody."""
        os.mkfifo(self.path("pipe"))
        pipe = os.open(self.path("pipe"), os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, pipe)
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.difftrace("jsm", "--format", "svg", "-o", "pipe")
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        self.assertIn(b"</svg>", os.read(pipe, 1 << 20))
        self.assertIn("regular file", self.error("watch", "oddeven4", "--html", "pipe"))


if __name__ == "__main__":
    main()
