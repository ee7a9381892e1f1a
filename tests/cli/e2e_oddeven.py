"""The literature's odd/even sort: tables of four ranks, swapBug and dlBug with sixteen."""

import json
import os
import re
import unittest

from e2e_support import EndToEnd, MPIS, example, main, time_limit

SELECTION = ("--filter", "mpiall", "-k", "10")
PROLOGUE = "MPI_Init MPI_Comm_rank MPI_Comm_size "
SEND_RECV, RECV_SEND = "[MPI_Send MPI_Recv]", "[MPI_Recv MPI_Send]"


def line_of(text):
    """The line of the example that starts with it, from 1."""
    source = os.path.join(os.path.dirname(__file__), "../../examples/oddeven/oddeven.c")
    with open(source) as file:
        return next(number for number, line in enumerate(file, 1) if line.startswith(text))


def receives_from(start):
    """The lines of the function that starts there at which it receives."""
    source = os.path.join(os.path.dirname(__file__), "../../examples/oddeven/oddeven.c")
    with open(source) as file:
        body = list(enumerate(file, 1))[start - 1:]
    end = next(number for number, line in body if line.startswith("}"))
    return [number for number, line in body if number < end and line.strip().startswith("MPI_Recv(")]


class OddEven(EndToEnd):
    mpi = None

    def sort(self, name, ranks, *arguments, options=(), status=0):
        return self.collect(name, self.mpi.run(ranks, example("oddeven"), *arguments), options=options, status=status)[0]

    def compare(self, normal, faulty):
        """The comparison's document and its directory."""
        out = self.path("out")
        return self.json("compare", normal, faulty, "-o", out), out

    def assert_first_suspect(self, document, out):
        self.assertEqual(document["suspects"][0]["trace"], "5.0", document["suspects"][:3])
        self.assertEqual(document["suspects"][0]["level"], "suspect")
        self.assertIn("5.0", document["verdict"])
        self.assertEqual(self.json("rank", out)["suspects"][0]["trace"], "5.0")
        scores = [row["bscore"] for row in document["configurations"] if row["bscore"] is not None]
        self.assertEqual(scores, sorted(scores))

    def test_four_ranks(self):
        run = self.sort("four", 4)
        traces, loops = self.nlr(run, *SELECTION)
        # MPI's own threads are there, but call nothing of MPI.
        self.assertEqual({label: text for label, text in traces.items() if text}, {"0.0": PROLOGUE + "L0^2 MPI_Finalize", "1.0": PROLOGUE + "L1^4 MPI_Finalize",
                                  "2.0": PROLOGUE + "L0^4 MPI_Finalize", "3.0": PROLOGUE + "L1^2 MPI_Finalize"})
        self.assertEqual(loops, {"L0": SEND_RECV, "L1": RECV_SEND})
        self.assert_lattice(run)
        self.assert_similarity(run)

    def assert_lattice(self, run):
        """The formal context, and the four concepts with reduced labels."""
        cxt = self.difftrace("lattice", run, "--filter", "mpiall", "--attr", "sing.noFreq", "-k", "10", "--format",
                             "cxt").stdout.split("\n")
        self.assertEqual(cxt[0], "B")
        objects, attributes = int(cxt[2]), int(cxt[3])
        self.assertEqual((objects, attributes), (4, 6))
        lines = [line for line in cxt[4:] if line]
        names, rows = lines[objects:objects + attributes], lines[objects + attributes:]
        context = {label: {name for name, mark in zip(names, row) if mark == "X"}
                   for label, row in zip(lines[:objects], rows)}
        common = {"MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize"}
        self.assertEqual(context, {"0.0": common | {"L0"}, "1.0": common | {"L1"}, "2.0": common | {"L0"},
                                   "3.0": common | {"L1"}})
        text = self.difftrace("lattice", run, "--filter", "mpiall", "--attr", "sing.noFreq", "-k", "10").stdout
        new = [(line.split(": ", 1)[1]) for line in text.splitlines() if line.startswith("  new ")]
        self.assertEqual(new, ["none", "MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize", "0.0, 2.0", "L0",
                               "1.0, 3.0", "L1", "none", "none"])

    def assert_similarity(self, run):
        """1 within a pair, 4/6 across."""
        result = self.path("same")
        self.difftrace("compare", run, run, "--filter", "mpiall", "--attr", "sing.noFreq", "-o", result)
        matrix = self.json("jsm", result, "--of", "normal")
        self.assertEqual(matrix["traces"], ["0.0", "1.0", "2.0", "3.0"])
        for i, row in enumerate(matrix["matrix"]):
            for j, value in enumerate(row):
                self.assertAlmostEqual(value, 1 if (i - j) % 2 == 0 else 4 / 6)

    def test_swap(self):
        normal, faulty = self.sort("normal", 16), self.sort("faulty", 16, "--bug", "swap")
        traces, _ = self.nlr(normal, *SELECTION)
        self.assertEqual(traces["5.0"], PROLOGUE + "L1^16 MPI_Finalize")
        traces, _ = self.nlr(faulty, *SELECTION)
        self.assertEqual(traces["5.0"], PROLOGUE + "L1^7 L0^9 MPI_Finalize")
        document, out = self.compare(normal, faulty)
        self.assert_first_suspect(document, out)
        self.assertEqual(document["suspects"][0]["status"], "finished")
        text = self.difftrace("diffnlr", "5", out, *SELECTION).stdout
        for word in ("L1^16", "L1^7", "L0^9", "MPI_Finalize"):
            self.assertIn(word, text)

    def test_deadlock(self):
        normal = self.sort("normal", 16)
        faulty = self.sort("faulty", 16, "--bug", "dl", options=time_limit(10), status=124)
        stack = self.json("stack", faulty, "-t", "5.0")
        self.assertTrue(stack["open"])
        self.assertEqual(stack["frames"], ["main", "oddEvenSort", "exchange", "MPI_Recv"])
        traces, _ = self.nlr(faulty, *SELECTION)
        self.assertEqual(traces["5.0"], PROLOGUE + "L1^7 L2^2" if "L2^2" in traces["5.0"]
                         else PROLOGUE + "L1^7 MPI_Recv MPI_Recv")
        *_, (_, last_is_entry, last) = self.events(faulty, "-t", "5.0")
        self.assertTrue(last_is_entry)
        self.assertEqual(last, "MPI_Recv")
        document, out = self.compare(normal, faulty)
        self.assert_first_suspect(document, out)
        self.assertEqual(document["suspects"][0]["status"], "stuck")
        self.assertIn("MPI_Recv", document["suspects"][0]["why"])
        start = line_of("static void exchange(")  # or that of its brace, as the compiler has it
        self.assertIn(document["suspects"][0]["source"], ["exchange (oddeven.c:%d)" % line for line in receives_from(start)])
        text = self.difftrace("diffnlr", "5", out, *SELECTION).stdout
        for word in ("L1^16", "L1^7", "never returned"):
            self.assertIn(word, text)
        self.check_lines(faulty, start)
        self.check_page(normal, faulty, start)

    def check_lines(self, faulty, start):
        """Where functions stand: of frames, and of calls."""
        places = ["oddeven.c:%d" % (start + i) for i in (0, 1)]
        stack = json.loads(self.difftrace("stack", faulty, "-t", "5", "--lines", "--json").stdout)
        lines = dict(zip(stack["frames"], stack["lines"]))
        self.assertIn(lines["exchange"], places)
        self.assertIsNone(lines["MPI_Recv"])
        with open(os.path.join(os.path.dirname(__file__), "../../examples/oddeven/oddeven.c")) as source:
            second_receive = source.read().split("BUG_DEADLOCK)\n")[0].count("\n") + 2
        told = self.difftrace("stack", faulty, "-t", "5", "--lines").stdout
        self.assertIn("* exchange (%s)" % lines["exchange"], told)
        self.assertIn("* MPI_Recv, called at oddeven.c:%d\n" % second_receive, told)
        self.check_tree(faulty, places)
        self.check_skipped(faulty)
        events = self.difftrace("dump", faulty, "-t", "5", "--lines", "--flat").stdout.splitlines()
        self.assertIn("5.0\t>\texchange\t" + lines["exchange"], events)
        self.assertIn("5.0\t<\texchange\t", events)
        self.assertIn("exchange (%s) {\n" % lines["exchange"],
                      self.difftrace("dump", faulty, "-t", "5", "--lines").stdout)

    def check_skipped(self, faulty):
        """The functions without a hook are named, as many as are counted, for the reasons that are counted."""
        images = json.loads(self.difftrace("info", faulty, "--skipped", "--json").stdout)["images"]
        for image in images:
            reasons = [function["reason"] for function in image["skipped_functions"]]
            self.assertEqual(len(reasons), image["skipped"])
            self.assertEqual({reason: reasons.count(reason) for reason in reasons}, image["reasons"])
        rows = [line.split("\t") for line in self.difftrace("info", faulty, "--skipped", "--tsv").stdout.splitlines()[1:]]
        self.assertEqual(rows, [[image["path"], each["function"], each["reason"]]
                                for image in images for each in image["skipped_functions"]])
        main, = [image for image in images if image["main"]]
        self.assertIn({"function": "_start", "reason": "startup"}, main["skipped_functions"])
        self.assertRegex(self.difftrace("info", faulty, "--skipped").stdout, r"oddeven\S* +_start +startup\n")
        self.assertNotIn("_start", self.difftrace("info", faulty).stdout)

    def check_tree(self, faulty, places):
        """Of all traces, with lines and with the arguments that dump shows."""
        frames = json.loads(self.difftrace("stack", faulty, "--lines", "--args", "--json").stdout)["frames"]
        lines = {frame["function"]: frame["line"] for frame in frames}
        self.assertIn(lines["exchange"], places)
        self.assertIn("exchange (%s)  " % lines["exchange"], self.difftrace("stack", faulty, "--lines").stdout)
        self.assertIn("\t%s\n" % lines["exchange"], self.difftrace("stack", faulty, "--lines", "--tsv").stdout)
        self.assertIn("exchange (%s)" % lines["exchange"], self.difftrace("stack", faulty, "--lines", "--format", "dot").stdout)
        calls = [line.split("\t")[2] for line in self.difftrace("dump", faulty, "-t", "5", "--args", "--flat").stdout.splitlines()]
        last = [call for call in calls if call.startswith("MPI_Recv(")][-1]
        self.assertIn("5.0", [trace for frame in frames if frame["function"] == last for trace in frame["traces"]])
        one = json.loads(self.difftrace("stack", faulty, "-t", "5", "--args", "--json").stdout)["frames"]
        self.assertEqual(one[-1], last)

    def check_page(self, normal, faulty, start):
        """Where functions stand, and the differences with the arguments of calls."""
        out = self.path("all.out")
        self.difftrace("compare", normal, faulty, "-o", out, "--filter", "all")
        with open(os.path.join(out, "report.html"), encoding="utf-8") as stream:
            data = json.loads(re.search('id="data">(.*?)</script>', stream.read(), re.DOTALL).group(1))
        sources = dict(zip(data["functions"], data["sources"]))
        self.assertIn(sources["exchange"], ["oddeven.c:%d" % (start + i) for i in (0, 1)])
        self.assertIsNone(sources["MPI_Send"])
        detailed, = [each for each in data["detailed"] if each["trace"] == "5.0"]
        names = {data["functions"][each[0]] for each in detailed["changes"]}
        self.assertTrue(any(re.match(r"MPI_Send\(world, to [+-]1, ", name) for name in names), names)


def make_case(mpi):
    case = type("OddEven_" + mpi.name, (OddEven,), {"mpi": mpi})
    return unittest.skipUnless(mpi.available(), "no " + mpi.name)(case)


OddEven_openmpi, OddEven_mpich = map(make_case, MPIS)
del OddEven  # not a test by itself

if __name__ == "__main__":
    main()
