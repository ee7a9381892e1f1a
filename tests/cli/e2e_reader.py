"""Runs read by tests/format/read_run.py, which was written from the documents alone: events, arguments of calls and what notes tell of them
are those of difftrace."""

import os
import re
import shutil
import sys

from e2e_support import DIFFTRACE, EndToEnd, MPIS, app, example, execute, main, time_limit

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "format"))
import read_calls

READER = os.path.join(HERE, "..", "format", "read_run.py")
SOURCE = os.path.join(HERE, "..", "..", "src", "codec")
CORPUS = os.environ["DIFFTRACE_CORPUS"]
SEAL = os.path.join(os.path.dirname(DIFFTRACE), "tests", "seal-run")
ORACLES = os.environ["DIFFTRACE_ORACLES"]
COMMANDS = (("info",), ("dump",), ("dump", "--flat"), ("waits",), ("stack",), ("stats",), ("nlr",), ("export", "--format", "csv"))


# What difftrace works out of requests: who made, named, completed and freed them.
OF_REQUESTS = re.compile(r"(persistent request|request|of requests|completed|freed)\b")


def without_requests(line):
    call, tab, told = line.partition("\t>\t")[2].partition("\t")
    kept = [part for part in told.split("; ") if part and not OF_REQUESTS.match(part)]
    return line if not tab else line[:-len(told) - 1] + ("\t" + "; ".join(kept) if kept else "")


class Reader(EndToEnd):
    def compare_calls(self, run):
        """The lines of calls, as they are the same."""
        ours = [without_requests(line) for line in self.difftrace("dump", "--flat", "--args", run).stdout.splitlines()]
        theirs = execute([sys.executable, "-B", READER, SOURCE, run, "--args"])
        self.assertEqual(theirs.returncode, 0, theirs.stderr)
        theirs = theirs.stdout.splitlines()
        self.assertEqual([pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:3], [], run)
        self.assertEqual(len(ours), len(theirs))
        return ours

    def check_datatypes(self, run):
        """Those of JSON are recorded anew, and read: texts are the same, and the hashes are those of what they are made of."""
        calls, document = read_calls.Calls(), self.json("lines", run)

        def number(datatype):
            return calls.predefined.index(datatype) if isinstance(datatype, str) else 256 + datatype

        for place, datatype in enumerate(document["datatypes"]):
            signature = [0, 0] if datatype["hash"] is None else [int(datatype["hash"], 16), datatype["length"]]
            values = [-2**40 - read_calls.CONSTRUCTORS.index(datatype["constructor"]), *signature]
            for name, value in datatype.items():
                if name == "of":
                    values += map(number, value)
                elif name not in ("text", "constructor", "hash", "length"):
                    values += value if isinstance(value, list) else [value]
            calls.arrays[place] = values
        texts = [datatype["text"] for datatype in document["datatypes"]]
        self.assertEqual([calls.datatype(256 + place).text for place in range(len(texts))], texts)
        for site in document["sites"]:
            for named in site["datatypes"]:
                if isinstance(named["datatype"], int):
                    self.assertIn(texts[named["datatype"]], site["call"])
        return {datatype["constructor"] for datatype in document["datatypes"]}

    def compare(self, run, least, calls=True):
        ours = self.difftrace("dump", "--flat", run)
        theirs = execute([sys.executable, "-B", READER, SOURCE, run])
        self.assertEqual(theirs.returncode, 0, theirs.stderr)
        self.assertGreaterEqual(len(ours.stdout.splitlines()), least)
        self.assertTrue(ours.stdout == theirs.stdout, "%s: other events" % run)
        self.assertEqual(ours.stderr, "")
        return self.compare_calls(run) if calls else []

    def mpi(self):
        for mpi in MPIS:
            if mpi.available():
                return mpi
        return self.skipTest("no MPI")

    def test_sixteen_ranks(self):
        run, _ = self.collect("ranks", self.mpi().run(16, example("oddeven"), "--bug", "none"))
        self.compare(run, 16 * 1000)

    def test_sealed(self):
        """What is sealed says what the same run says that is not."""
        normal, _ = self.collect("normal", self.mpi().run(4, example("oddeven"), "--bug", "none"), ["--no-seal"])
        hung, _ = self.collect("hung", self.mpi().run(8, example("oddeven"), "--bug", "dl"), ["--no-seal", *time_limit(5)], status=124)
        for run in normal, hung:
            texts = {}
            for name in os.listdir(os.path.join(run, "processes")):
                self.assertGreater(os.path.getsize(os.path.join(run, "processes", name)), 100000)
            for command in COMMANDS:
                texts[command] = self.difftrace(*command, run).stdout
            self.compare(run, 100)
            execute([SEAL, run])
            for name in os.listdir(os.path.join(run, "processes")):
                self.assertRegex(name, "[.]trace$")
                self.assertLess(os.path.getsize(os.path.join(run, "processes", name)), 8192)
            for command in COMMANDS:
                with self.subTest(run=run, command=command):
                    self.assertEqual(texts[command], self.difftrace(*command, run).stdout)
            self.compare(run, 100)
            self.difftrace("pack", "--quiet", run)
            self.compare(run + ".dtz", 100)
            self.assertEqual(self.difftrace("dump", run).stdout, self.difftrace("dump", run + ".dtz").stdout)

    def test_sealed_by_default(self):
        run, _ = self.collect("run", self.mpi().run(4, example("oddeven")))
        for name in os.listdir(os.path.join(run, "processes")):
            self.assertLess(os.path.getsize(os.path.join(run, "processes", name)), 8192)

    def test_codecs(self):
        for codec in ("raw", "parlot", "tz", "lzr"):
            with self.subTest(codec=codec):
                run, _ = self.collect(codec, self.mpi().run(3, example("oddeven")), ["--codec", codec])
                self.compare(run, 3 * 500)

    def test_hung(self):
        run, _ = self.collect("hung", self.mpi().run(8, example("oddeven"), "--bug", "dl"), time_limit(5), status=124)
        self.compare(run, 8 * 100)

    def test_threads_and_children(self):
        for program in ("pthreads", "forkexec"):
            run, _ = self.collect(program, [app(program)], status=None)
            with self.subTest(program=program):
                self.compare(run, 10)

    def test_calls(self):
        """Derived datatypes with their hashes, arrays, communicators and hashes of data, as both MPIs have them."""
        for mpi in MPIS:
            if not mpi.available():
                continue
            for program, least, arguments in ((app("mpi-payload" + mpi.suffix), 100, ()),
                                              (os.path.join(ORACLES, "zoo-" + mpi.name), 2000, (self.path("file-" + mpi.name),))):
                name = os.path.basename(program)
                with self.subTest(mpi=mpi.name, program=name):
                    run, _ = self.collect(name, mpi.of(4, program, *arguments), ["--payload"])
                    lines = "\n".join(self.compare(run, least))
                    self.assertIn("got data ", lines)
                    made = self.check_datatypes(run)
                    for constructor in read_calls.CONSTRUCTORS[1:] if name.startswith("zoo") else ():
                        self.assertIn(constructor + "(", lines)
                        self.assertIn(constructor, made)

    def test_every_layout(self):
        """Synthetic runs: every codec, short segments, open ones, tails with gaps; all that is recorded of calls."""
        layouts = sorted(os.listdir(os.path.join(CORPUS, "process-file")))
        self.assertGreater(len(layouts), 20)
        for layout in layouts:
            run = self.path(layout)
            os.makedirs(os.path.join(run, "processes"))
            shutil.copytree(os.path.join(CORPUS, "symbols"), os.path.join(run, "images"))
            shutil.copy(os.path.join(CORPUS, "manifest", layout), os.path.join(run, "manifest.json"))
            shutil.copy(os.path.join(CORPUS, "process-file", layout), os.path.join(run, "processes", "a.trace"))
            calls = int(layout.rpartition("-")[2]) >= 64  # make_corpus.c: CORPUS_CALLS
            with self.subTest(layout=layout):
                self.compare(run, 50, calls)
                self.difftrace("pack", "--quiet", run)
                self.compare(run + ".dtz", 50, calls)
                execute([SEAL, run])
                self.compare(run, 50, calls)


if __name__ == "__main__":
    main()
