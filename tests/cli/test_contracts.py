"""What holds for every command alike: a page, a place in the groups, completion, a schema, names of options, statuses."""

import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from support import DIFFTRACE, LIMIT, CommandTest, command_source, main, read

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGES = os.path.join(SOURCE, "docs", "man")
SCHEMAS = os.path.join(SOURCE, "docs", "schemas")
OPTION = re.compile(r"^  (?:(-\w), )?--([\w-]+)(\S*)", re.M)
# An option whose argument is another thing in another command: what is written, and in which forms.
# collect --times says which are recorded, skeleton --times that they are told; --only names what there is: functions or rules;
# --mesh of several runs says whose.
ARGUMENT_VARIES = {"output", "format", "by", "times", "only", "mesh"}


class Contracts(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        table = read(os.path.join(SOURCE, "src", "program", "main.c"))
        cls.groups = re.findall(r'\{"([^"]+)", "(\w+)", (?:NULL|dt_cmd_\w+), (?:TRUE|FALSE)\}', table)
        cls.commands = [command for _, command in cls.groups]

    def page(self, command):
        return read(os.path.join(PAGES, "difftrace-%s.md" % command))

    def options(self, command):
        """{name: (letter or "", argument)} as --help has them."""
        text = self.difftrace(command, "--help")
        return {name: (letter, argument) for letter, name, argument in OPTION.findall(text)}

    # ---- the table ------------------------------------------------------------------------

    def test_the_table_is_read(self):
        self.assertGreater(len(self.commands), 15)
        sources = os.path.join(SOURCE, "src", "commands")
        names = {os.path.basename(file)[:-2] for file in glob.glob(os.path.join(sources, "**", "*.c"), recursive=True)}
        self.assertEqual(set(self.commands), {name for name in names
                                              if command_source(name) and "dt_cmd_%s(" % name in read(command_source(name))})

    def listed(self, text, command):
        """(group, command) of a text with a heading before each group."""
        group, pairs = None, []
        for line in text.splitlines():
            heading, found = re.match(r"(\w[\w ]*):$", line), re.match(command, line)
            group = heading.group(1) if heading else group
            if found:
                pairs.append((group, found.group(1)))
        return pairs

    def test_groups(self):
        self.assertEqual(self.listed(self.difftrace("help"), r"  (\w+) "), self.groups)
        overview = read(os.path.join(PAGES, "difftrace.md")).split("## Commands")[1].split("\n## ")[0]
        self.assertEqual(self.listed(overview, r"difftrace-(\w+)\(1\)$"), self.groups)

    def test_completion(self):
        """Each shell's own pipeline over the help gives all commands."""
        for file, separator in (("difftrace.bash", ""), ("_difftrace", ":")):
            pipeline = re.search(r"difftrace help 2>/dev/null \| sed -n '[^']*'", read(os.path.join(SOURCE, "completions", file)))
            self.assertEqual([line.split(separator or None)[0] for line in self.shell(pipeline.group()).splitlines()],
                             self.commands)

    def shell(self, line, status=0):
        path = os.path.dirname(DIFFTRACE) + ":" + os.environ["PATH"]
        result = subprocess.run(["sh", "-c", line], cwd=self.folder, env=dict(os.environ, PATH=path), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=LIMIT)
        self.assertEqual(result.returncode, status, line + "\n" + result.stderr)
        return result.stdout

    # ---- options ---------------------------------------------------------------------------

    def test_an_option_has_one_name(self):
        """And a name one meaning: the same letter and the same kind of argument wherever it stands."""
        meaning, letters = {}, {}
        for command in self.commands:
            for name, (letter, argument) in self.options(command).items():
                argument = argument if not argument.startswith("[=") else ""  # it may be left out
                where = "%s --%s" % (command, name)
                if name not in ARGUMENT_VARIES:
                    self.assertEqual(meaning.setdefault(name, (letter, argument)), (letter, argument), where)
                if letter:
                    self.assertEqual(letters.setdefault(letter, name), name, where)

    def test_forms_of_reports(self):
        """--json and --tsv are short for --format; what can be chosen can be written to a file."""
        for command in self.commands:
            options = self.options(command)
            self.assertIn("quiet", options)
            forms = options.get("format", ("", "="))[1][1:].split("|")
            with self.subTest(command=command):
                self.assertEqual("json" in options, "json" in forms)
                self.assertEqual("tsv" in options, "tsv" in forms)
                self.assertFalse(set(options) & {"dot", "svg", "csv", "text"})
                self.assertTrue("format" not in options or "output" in options)

    def test_json_has_a_schema(self):
        """That each schema holds is test_schemas.py's matter."""
        titles = [json.loads(read(path))["title"] for path in glob.glob(os.path.join(SCHEMAS, "*.json"))]
        described = set(re.findall(r"difftrace (\w+)[^,:\n]*--json", "\n".join(titles)))
        self.assertEqual(described, {command for command in self.commands if "json" in self.options(command)})

    # ---- pages --------------------------------------------------------------------------------

    def examples(self, command):
        sections = dict(re.findall(r"^## (.*)\n\n((?:(?!^## ).*\n)*)", self.page(command), re.M))
        return re.findall(r"^    (.*)$", sections["Examples"], re.M)

    def test_pages_have_what_is_looked_for(self):
        for command in self.commands:
            with self.subTest(command=command):
                page = self.difftrace("help", command)
                for section in ("SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
                    self.assertIn("\n%s\n    " % section, page)
                self.assertTrue(any("difftrace %s " % command in line + " " for line in self.examples(command)))

    def test_examples_run(self):
        """On runs of these names; those that need an MPI, Go or another tool's traces are parsed, and so are those of tui, which
        needs a terminal and keys: test_tui.py presses them; of export --open, which waits for a browser: test_export.py is one;
        and, without SimGrid, those on a machine that it simulates."""
        needs = r"\b(mpirun|srun|traces|data|go|tui)\b|--open\b"
        if not os.path.exists(os.path.join(os.path.dirname(DIFFTRACE), "difftrace-simgrid.so")):
            needs += "|--platform"
        self.make("normal", "timed")
        for name in "faulty", "hung":
            self.make("deadlock")
            os.rename(self.path("deadlock"), self.path(name))
        for name, original in ("normal2", "normal"), ("normal3", "normal"), ("run", "normal"), ("running", "timed"):
            shutil.copytree(self.path(original), self.path(name))
        for name, ranks in (("run4", 4), ("run8", 8), ("run16", 16), ("a.skeleton", 4), ("b.skeleton", 8), ("c.skeleton", 16), ("program.skeleton", 4)):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("difftrace skeleton 1\nranks %d\non !0: MPI_Recv(world, from -1, tag 0, 1 x 4 B)\n"
                           "on !%d: MPI_Send(world, to +1, tag 0, 1 x 4 B)\n" % (ranks, ranks - 1))
        with open(self.path("hung.skeleton"), "w", encoding="ascii") as file:
            file.write("difftrace skeleton 1\nranks 3\nMPI_Send(world, to +1, tag 0, 1 x 4 B)\non !2: MPI_Recv(world, from =2, tag 1, 1 x 4 B)\n")
        self.shell("mkdir -m 700 run/agents; umask 077; printf '%064d' 7 >run/agents/key; >run/agents/collectors")
        self.difftrace("compare", "normal", "faulty", "-f", "mpi", warnings=True)
        ran = set()
        for command in self.commands:
            for line in self.examples(command):
                if "difftrace " not in line:
                    continue
                with self.subTest(line=line):
                    if re.search(needs, line):
                        line = re.sub(r"^(srun -n \d+ |go test .*; )?difftrace (\w+)", r"difftrace \2 --help", line)
                    else:
                        ran.add(command)
                    self.shell(line)
        self.assertEqual(ran, set(self.commands) - {"collect", "go", "tui"})

    # ---- what commands say ---------------------------------------------------------------------

    def test_statuses(self):
        self.make("normal", "deadlock")
        for command in self.commands:
            arguments = {"collect": ["--", "./nowhere"], "diffnlr": ["5", "nowhere"],
                         "export": ["nowhere", "--format", "csv"], "stack": ["nowhere", "--all"]}
            self.error(command, *arguments.get(command, ["nowhere"]))
            self.error(command, "--nothing-like-it")
        for faulty, option, status in (("normal", ["--exit-code"], 0), ("deadlock", ["--exit-code"], 1), ("deadlock", [], 0)):
            self.difftrace("compare", "normal", faulty, "-f", "mpi", *option, status=status, warnings=True)

    @unittest.skipIf(os.environ.get("DT_SANITIZE") not in (None, "", "OFF"), "the traced command would be sanitized, too")
    def test_statuses_of_collect(self):
        for status, options, command in ((7, [], ["sh", "-c", "exit 7"]), (124, ["--timeout", "0.2"], ["sleep", "60"]),
                                         (128 + 15, [], ["sh", "-c", "kill $$"])):
            self.difftrace("collect", *options, "--", *command, status=status, warnings=True)
        self.assertEqual(self.execute("collect", "--quiet", "--", "true").stderr, "")
        os.mkdir(self.path("full"))
        open(self.path("full", "file"), "w", encoding="ascii").close()
        self.error("collect", "-o", "full", "--", "true")

    def test_an_empty_answer_has_a_reason(self):
        """A note, which --quiet leaves out: on a run that recorded nothing, and where nothing is left of another."""
        self.make("normal", "silent", "deadlock")
        self.difftrace("compare", "normal", "normal", "-f", "mpi", "-o", "equal", warnings=True)
        silent = "silent: no call was recorded"
        for arguments, reason in (
                (["dump", "silent"], silent), (["stats", "silent"], silent), (["stats", "silent", "--by", "edge"], silent),
                (["stack", "silent", "--all"], silent), (["waits", "silent"], silent), (["nlr", "silent"], silent),
                (["lattice", "silent"], silent), (["export", "silent", "--format", "csv"], silent),
                (["dump", "normal", "-f", "net"], "filter net: keeps no call of normal"),
                (["nlr", "normal", "-f", "net"], "net.0K1000: keeps no call of normal"),
                (["lattice", "normal", "-f", "net"], "net.0K1000: keeps no call of normal"),
                (["dump", "normal", "--first", "100000"], "no trace shown has an event in that range"),
                (["stack", "normal", "-t", "5"], "no call is open at its end"),
                (["rank", "equal", "--tsv"], "no suspects: the runs are equal: no difference")):
            with self.subTest(arguments=arguments):
                self.assertIn(reason, self.execute(*arguments).stderr)
                self.assertNotIn("note", self.execute(*arguments, "--quiet").stderr)
        for command in ("jsm", "dendrogram"):
            self.assertIn("keeps no call", self.error(command, "equal", "-f", "net"))
        self.assertIn("keeps no call", self.error("compare", "normal", "deadlock", "-f", "net"))
        self.assertIn("recorded none", self.error("compare", "silent"))
        self.assertIn("keeps no call", self.error("diffnlr", "5", "equal", "-f", "net"))
        self.assertIn("no difference", self.difftrace("diffnlr", "5", "equal"))
        self.assertTrue(self.difftrace("waits", "normal").startswith("Nobody waits: every trace has ended"))
        self.assertIn("no arguments of calls were recorded", self.execute("nlr", "normal", "--args").stderr)
        self.assertTrue(self.difftrace("info", "silent"))

    def test_an_empty_run(self):
        """Without a trace: an error that says so, of every command that reads a run."""
        self.make("normal")
        shutil.rmtree(self.path("normal", "processes"))
        os.mkdir(self.path("normal", "processes"))
        for command in self.commands:
            if command != "agent" and re.search(r"\] RUN$", self.lines(command, "--help")[0]):  # it waits for traces
                options = {"export": ["--format", "csv"], "stack": ["--all"]}.get(command, [])
                self.assertIn("without a single trace", self.error(command, "normal", *options))


if __name__ == "__main__":
    main()
