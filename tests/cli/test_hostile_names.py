"""Names that may hold anything, through every command and every format."""

import csv
import json
import os
import re
import shutil
import subprocess
import unittest

import hostile
from support import DIFFTRACE, LIMIT, MAKE_RUN, CommandTest, main, read

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "schemas")
SPELLED = [hostile.spell(name) for name in hostile.NAMES]
SHOWN = 240  # characters of a name that people see
NORMAL, FAULTY = "run \x1b[31m\n<b>", "=run\\N\u202e\"&amp;"  # names of directories


class HostileNames(CommandTest):
    def setUp(self):
        super().setUp()
        self.make_hostile("hostile-normal", NORMAL, hostile.NAMES)
        self.make_hostile("hostile-faulty", FAULTY, hostile.NAMES)

    def make_hostile(self, scenario, run, names):
        subprocess.run([MAKE_RUN, scenario, self.path(run)], input=b"".join(name + b"\0" for name in names), check=True, timeout=LIMIT)

    def output(self, *arguments, structure="\n"):
        """Of a command that succeeds; neither there nor in its messages is anything but text."""
        result = self.execute(*arguments, text=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        hostile.check_harmless(self, result.stderr)
        return hostile.check_harmless(self, result.stdout, structure)

    def document(self, schema, *arguments):
        return self.validated(schema, self.output(*arguments))

    def validated(self, schema, text):
        document = self.parse(text)
        if jsonschema:
            jsonschema.validate(document, json.loads(read(os.path.join(SCHEMAS, schema + ".schema.json"))))
        return document

    def table(self, *arguments):
        return hostile.check_table(self, self.output(*arguments, structure="\n\t"), "\t", csv.QUOTE_NONE)

    def drawn(self, dot):
        """The texts of the picture that Graphviz makes of DOT."""
        svg = subprocess.run([os.environ["DOT_TO_SVG"]], input=dot.encode(), stdout=subprocess.PIPE, check=True, timeout=LIMIT).stdout
        return hostile.check_svg(self, hostile.check_harmless(self, svg, "\n\xa0"))

    # ---- names ----

    def test_all_names_are_there_and_differ(self):
        self.assertGreater(len(hostile.NAMES), 42)
        self.assertEqual(len(set(SPELLED)), len(hostile.NAMES))
        functions = self.document("stats-function", "stats", NORMAL, "--json")["functions"]
        calls = {one["function"]: one["calls"] for one in functions}
        for name in SPELLED[1:-1]:
            self.assertEqual(calls[name], 12, name[:80])
        rows = self.table("stats", NORMAL, "--tsv")
        cells = {re.sub("^'", "", row[1]) for row in rows}
        self.assertLessEqual(set(SPELLED[:-1]), cells)
        lines = self.output("stats", NORMAL).splitlines()
        self.assertEqual(len(lines), len(rows))
        self.assertEqual(len(set(lines)), len(lines))
        self.assertLess(max(map(len, lines)), 3 * SHOWN)

    def test_a_name_can_be_typed_back(self):
        for name in SPELLED[:-1]:
            if len(name) < 1000:
                kept = self.output("dump", NORMAL, "-t", "1", "--flat", "--filter", "cust:^" + re.escape(name) + "$", structure="\n\t")
                self.assertEqual({line.split("\t")[2] for line in kept.splitlines()}, {name})

    def test_flat_dump_is_imported_with_the_same_names(self):
        short = [name for name in hostile.NAMES if len(name) < 1000 and not name.startswith(b"_Z")]
        self.make_hostile("hostile-normal", "short", short)
        dump = self.output("dump", "short", "--flat", structure="\n\t")
        with open(self.path("dump.txt"), "w", encoding="utf-8", newline="") as file:
            file.write(dump)
        self.assertEqual(self.execute("import", "dump.txt", "-o", "imported").returncode, 0)
        self.assertEqual(self.output("dump", "imported", "--flat", structure="\n\t"), dump)

    # ---- commands ----

    def test_info(self):
        self.table("info", NORMAL, "--tsv")
        text = self.output("info", NORMAL)
        self.assertIn("run        run \\x1b[31m\\x0a<b>\n", text)
        document = self.document("info", "info", NORMAL, "--json")
        self.assertEqual([one["host"] for one in document["processes"]][1], SPELLED[3])
        self.assertEqual(document["run"], NORMAL)

    def test_dump(self):
        for options in ([], ["--args"], ["--lines"], ["--clock"]):
            self.output("dump", NORMAL, *options)
            self.output("dump", NORMAL, "--flat", *options, structure="\n\t")
        markers = re.findall(r"# marker: (.*)", self.output("dump", NORMAL, "-t", "0", "--clock"))
        self.assertEqual(markers, [hostile.spell(name if len(name) < 100 else b"") for name in hostile.NAMES[::9]])

    def test_statistics(self):
        for what in ("function", "edge", "process", "thread"):
            self.output("stats", NORMAL, "--by", what)
            self.table("stats", NORMAL, "--by", what, "--tsv")
            self.document("stats-" + what, "stats", NORMAL, "--by", what, "--json")

    def test_stacks(self):
        for options, schema in ((["-t", "2"], "stack"), (["-t", "2", "--lines"], "stack"), (["--all"], "stack-all")):
            self.output("stack", FAULTY, *options)
            self.table("stack", FAULTY, *options, "--tsv")
            self.document(schema, "stack", FAULTY, *options, "--json")

    def test_loops(self):
        for options in ([], ["--nlr", "call-tree"], ["--nlr", "count-blind"]):
            self.output("nlr", NORMAL, *options)
            self.table("nlr", NORMAL, *options, "--tsv")
            self.document("nlr", "nlr", NORMAL, *options, "--json")

    def test_waits(self):
        self.output("waits", FAULTY)
        self.table("waits", FAULTY, "--tsv")
        self.document("waits", "waits", FAULTY, "--json")
        self.drawn(self.output("waits", FAULTY, "--format", "dot", structure="\n\t"))

    def test_lattice(self):
        attributes = ["--attr", "sing.actual"]
        self.output("lattice", FAULTY, *attributes)
        self.table("lattice", FAULTY, *attributes, "--tsv")
        self.document("lattice", "lattice", FAULTY, *attributes, "--json")
        cxt = self.output("lattice", FAULTY, *attributes, "--format", "cxt").split("\n")
        self.assertEqual(len(cxt), 5 + 2 * int(cxt[2]) + int(cxt[3]) + 1)
        texts = self.drawn(self.output("lattice", FAULTY, *attributes, "--format", "dot", structure="\n\t"))
        self.assertEqual(texts, hostile.check_svg(self, self.output("lattice", FAULTY, *attributes, "--format", "svg", structure="\n\xa0")))
        self.assertTrue([text for text in texts if "\\N\\u{202e}\"&amp;" in text], texts[:3])

    def test_comparison(self):
        self.output("compare", NORMAL, FAULTY, "-o", "out\x1b")
        self.document("comparison", "rank", "out\x1b", "--json")
        self.output("rank", "out\x1b")
        self.document("diffnlr", "diffnlr", "2", "out\x1b", "--json")
        text = self.output("diffnlr", "2", "out\x1b", "--filter", "all")
        self.assertIn("normal: " + "run \\x1b[31m\\x0a<b>", text)
        self.table("diffnlr", "2", "out\x1b", "--filter", "all", "--tsv")
        self.drawn(self.output("diffnlr", "2", "out\x1b", "--filter", "all", "--format", "dot", structure="\n\t"))
        for command in ("jsm", "dendrogram"):
            self.output(command, "out\x1b")
            self.table(command, "out\x1b", "--tsv")
            self.document(command, command, "out\x1b", "--json")
        for name in os.listdir(self.path("out\x1b")):
            with open(self.path("out\x1b", name), "rb") as file:
                text = hostile.check_harmless(self, file.read(), "\n\t\xa0")
            if name.endswith(".svg"):
                hostile.check_svg(self, text)
            elif name.endswith(".json"):
                self.parse(text)

    def test_page(self):
        """No other elements and attributes than with harmless names, and the names are in the data."""
        self.output("compare", NORMAL, FAULTY, "-o", "out")
        page = read(self.path("out", "report.html"))
        self.make("normal", "deadlock")
        self.output("compare", "normal", "deadlock", "-o", "harmless")
        kinds = lambda text: {(tag, tuple(name for name, _ in attributes)) for tag, attributes in hostile.Tags(text).found}
        of_names = {("code", ("class", "title")), ("span", ("class",)),  # long ones, with the full one on demand
                    ("details", ()), ("ul", ())}  # what the run proves wrong
        self.assertEqual(kinds(page) - kinds(read(self.path("harmless", "report.html"))) - of_names, set())
        self.assertNotIn("<b>", page.split('id="data">')[0])
        data = self.validated("page", hostile.data_of(page))
        self.assertIn(SPELLED[0], [frame["function"] for frame in data["stacks"]["frames"]])
        for lattice in data["lattices"]:
            hostile.check_svg(self, lattice["svg"])

    def test_a_forged_result(self):
        self.output("compare", NORMAL, FAULTY, "-o", "out")
        document = json.loads(read(self.path("out", "result.json")))
        document["verdict"] = "all is well\x1b[31m\nSuspects (0)\u202e"
        for name in ("normal", "faulty"):
            document[name] = "\x1b]0;x\x07\n"
        with open(self.path("out", "result.json"), "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False)
        self.assertIn("all is well\\x1b[31m\\x0aSuspects (0)\\u{202e}\n", self.output("rank", "out"))
        self.output("diffnlr", "2", "out")

    # ---- exports ----

    def test_export_chrome(self):
        events = self.document("chrome", "export", NORMAL, "--format", "chrome")["traceEvents"]
        self.assertLessEqual(set(SPELLED[:-1]), {event["name"] for event in events})

    def test_export_csv(self):
        rows = hostile.check_table(self, self.output("export", NORMAL, "--format", "csv"), ",", csv.QUOTE_MINIMAL)
        self.assertLessEqual(set(SPELLED[:-1]), {re.sub("^'", "", row[4]) for row in rows})

    def test_export_folded(self):
        lines = self.output("export", NORMAL, "--format", "folded").splitlines()
        self.assertTrue(all(re.fullmatch(r"[^;]+(;[^;]+)? \d+", line) for line in lines))
        self.assertEqual(len({line.rpartition(" ")[0] for line in lines}), len(lines))

    def test_export_dot(self):
        texts = set(self.drawn(self.output("export", NORMAL, "--format", "dot", structure="\n\t")))
        self.assertEqual({name for name in SPELLED[:-1] if len(name) <= 60} - texts, set())

    def test_export_callgrind(self):
        profile = self.output("export", NORMAL, "--format", "callgrind")
        numbers = {}
        for kind, number, name in re.findall(r"^c?(fn|ob)=\((\d+)\) (.*)$", profile, re.MULTILINE):
            self.assertEqual(numbers.setdefault((kind, number), name), name)
        self.assertEqual(len(re.findall(r"^c?(?:fn|ob)=", profile, re.MULTILINE)),
                         len(re.findall(r"^c?(?:fn|ob)=\(\d+\) ", profile, re.MULTILINE)))
        self.assertLessEqual(set(SPELLED[:-1]), {name for (kind, _), name in numbers.items() if kind == "fn"})

    @unittest.skipUnless(shutil.which("callgrind_annotate"), "callgrind_annotate is not installed")
    def test_callgrind_annotate(self):
        """The names that it does not take apart itself: it ends a file's name at a colon, an image's in brackets."""
        self.output("export", NORMAL, "--format", "callgrind", "-o", "profile")
        result = subprocess.run(["callgrind_annotate", "--threshold=100", self.path("profile")], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=LIMIT)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        text = result.stdout.decode("utf-8")
        for name in SPELLED[:-1]:
            if len(name) < 200:
                self.assertIn("???:" + name + " [", text)

    # ---- messages ----

    def test_messages(self):
        """Each is one line, and a second one with advice."""
        for name in ["x\x1b[31m\ny\r\x9b\u202ez", "\udcff\udcfe\n", "=a\tb\n"]:
            self.make_hostile("hostile-normal", name + "run", [b"f", b"g", b"h", b"i", b"j", b"k"])
            for arguments in (
                    [name], ["help", name], ["info", name], ["info", name + "run", name], ["info", "--" + name, "x"],
                    ["info", "run", "--tsv=" + name], ["dump", name + "run", "-t", name], ["stats", name + "run", "--by", name],
                    ["dump", name + "run", "--filter", name], ["dump", name + "run", "--filter", "cust:(" + name],
                    ["dump", name + "run", "--filter", "cust:" + name + "("], ["nlr", name + "run", "--nlr", name],
                    ["lattice", name + "run", "--attr", name], ["lattice", name + "run", "--format", name], ["compare", name, name],
                    ["compare", name + "run", name + "run", "--linkage", name], ["rank", name], ["rank", name + "run"],
                    ["diffnlr", "5", name], ["report", name], ["export", name + "run", "--format", name],
                    ["export", name + "run", "--format", "csv", "-o", name + "/" + name], ["import", name, "-o", "x"],
                    ["import", name + "run", "-o", "x"], ["import", "--from", name, name, "-o", "x"],
                    ["collect", "-o", "x", "--", name], ["collect", "--codec", name, "--", "true"],
                    ["collect", "--engine", name, "--", "true"], ["collect", "--max-size", name, "--", "true"],
                    ["collect", "--start-at", name, "--toggle-signal", name, "--", "true"],
                    ["collect", "--include", "(" + name, "--", "true"]):
                with self.subTest(arguments=arguments):
                    result = self.execute(*arguments, text=False)
                    self.assertEqual(result.returncode, 2, result.stderr)
                    message = hostile.check_harmless(self, result.stderr)
                    self.assertTrue(message.startswith("difftrace: "), message)
                    self.assertLessEqual(len(message.splitlines()), 3, message)
                    hostile.check_harmless(self, result.stdout)

    def test_names_in_a_damaged_run(self):
        """Files of the run with such names, and a manifest that holds such strings."""
        processes = self.path(NORMAL, "processes")
        for number, name in enumerate(sorted(os.listdir(processes))):
            os.rename(os.path.join(processes, name), os.path.join(processes, "p%d\x1b[31m\n\u202e.trace" % number))
        broken = os.path.join(processes, "p0\x1b[31m\n\u202e.trace")
        with open(broken, "r+b") as file:
            file.truncate(os.path.getsize(broken) - 100)
        with open(self.path(NORMAL, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        manifest["command"] = ["a\x1b[31m\n", "\u202e"]
        manifest["warnings"] = ["w\x9b\n"]
        with open(self.path(NORMAL, "manifest.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file, ensure_ascii=False)
        text = self.output("info", NORMAL)
        self.assertIn("command    'a\\x1b[31m\\x0a' '\\u{202e}'\n", text)
        self.assertIn("warning: w\\u{9b}\\x0a\n", text)
        self.assertIn("p0\\x1b[31m\\x0a\\u{202e}.trace", text)
        self.assertEqual(self.document("info", "info", NORMAL, "--json")["command"], manifest["command"])
        self.output("dump", NORMAL)
        self.output("stats", NORMAL)


if __name__ == "__main__":
    main()
