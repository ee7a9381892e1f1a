"""Every JSON document against its schema in docs/schemas."""

import json
import os
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("jsonschema for Python is missing")
    sys.exit(77)

from support import DIFFTRACE, CommandTest, main, read
from test_extrapolate import chain

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "schemas")


def schema_of(name):
    return json.loads(read(os.path.join(SCHEMAS, name + ".schema.json")))


class Schemas(CommandTest):
    def validate(self, name, document):
        schema = schema_of(name)
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.Draft7Validator(schema).validate(document)
        self.validated.add(name)

    def check_runs(self, run, trace):
        self.validate("info", self.json("info", run, warnings=True))
        for what in ("function", "edge", "process", "thread"):
            self.validate("stats-" + what, self.json("stats", run, "--by", what))
        self.validate("stack", self.json("stack", run, "--quiet", "-t", trace))
        self.validate("stack", self.json("stack", run, "--quiet", "-t", trace, "--lines"))
        self.validate("stack-all", self.json("stack", run))
        self.validate("stack-all", self.json("stack", run, "--lines"))
        self.validate("lines", self.json("lines", run, "--quiet"))
        self.validate("nlr", self.json("nlr", run))
        self.validate("nlr", self.json("nlr", run, "--nlr", "count-blind"))
        self.validate("nlr", self.json("nlr", run, "--nlr", "call-tree"))
        self.validate("waits", self.json("waits", run, warnings=True))
        self.validate("check", self.json("check", run, warnings=True))
        self.validate("coverage", self.json("coverage", run, warnings=True))
        for line in self.difftrace("watch", "--once", "--json", run).splitlines():
            self.validate("watch", json.loads(line))
        self.validate("lattice", self.json("lattice", run))
        self.validate("chrome", json.loads(self.difftrace("export", run, "--format", "chrome", warnings=True)))

    def check_times(self):
        self.make("timed")
        for what in ("call", "rank", "function", "iteration", "link", "site"):
            self.validate("times-" + what, self.json("times", "timed", "--by", what))
        self.validate("times-function", self.json("times", "timed", "--by", "balance"))
        for options in (("--waits",), ("--critical-path",), ("--matrix", "bytes"), ("--matrix", "wait")):
            self.validate("times-" + options[0].strip("-"), self.json("times", "timed", *options))
        self.validate("times-over-time", self.json("times", "timed", "--over-time"))
        self.validate("times-timeline", self.json("times", "timed", "--timeline"))

    def check_live(self):
        """Of a process that lets anybody look at it, where the kernel asks."""
        code = "import ctypes, time; ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1)); print('', flush=True); time.sleep(600)"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            try:
                self.validate("stack-attached", self.json("stack", "--pid", str(process.pid), "--quiet", warnings=True))
                self.validate("waits", self.json("waits", "--pid", str(process.pid), warnings=True))
            finally:
                process.kill()

    def check_skeleton(self):
        """Of a file: recorded MPI calls need an MPI."""
        with open(self.path("skeleton"), "w", encoding="ascii") as file:
            file.write("difftrace skeleton 1\nranks 4\nmesh 2x2\ncomm world/1 0-1 2-3\nMPI_Init\n  after start: 4 x 1ms\n{0: 1; !0: [0..2]} times\n"
                       "  on 1-3: MPI_Send(world, to {1: x+1; 2-3: last}, tag 5, 6 x 8 B); open 1  # heat.c:60 in exchange\n")
        self.validate("skeleton", self.json("skeleton", "skeleton"))
        with open(self.path("hung"), "w", encoding="ascii") as file:
            file.write("difftrace skeleton 1\nranks 3\non !2: MPI_Send(world, to 2, tag 5, 6 x 8 B)\n"
                       "on 2: 3 times\n  MPI_Recv(world, from any, tag any, 6 x 8 B)\n".replace("to 2", "to =2"))
        self.validate("skeleton-difference", self.json("skeleton", "skeleton", "hung"))
        for options in ((), ("--wildcards", "any")):
            self.validate("simulate", self.json("simulate", "hung", *options, status=3))
        if os.path.exists(os.path.join(os.path.dirname(DIFFTRACE), "difftrace-simgrid.so")):
            self.validate("simulate", self.json("simulate", "hung", "--platform", "cluster:2", status=3))

    def check_manifests(self):
        """Of a run that was imported, and of one that was collected, where this build can."""
        self.make("normal")
        with open(self.path("normal.txt"), "w", encoding="utf-8") as file:
            file.write(self.difftrace("dump", "--flat", "normal"))
        self.execute("import", "normal.txt", "-o", "imported")
        self.validate("manifest", json.loads(read(self.path("imported", "manifest.json"))))
        if "collect" in self.difftrace("help"):
            self.execute("collect", "-o", "collected", "--timeout", "60", "--", sys.executable, "-c", "")
            self.validate("manifest", json.loads(read(self.path("collected", "manifest.json"))))

    def check_comparison(self, *runs, of=("normal", "faulty", "diff")):
        self.validate("comparison", self.json("compare", *runs, "-o", "out", warnings=True))
        self.validate("comparison", self.json("rank", "out"))
        self.validate("result", json.loads(read(self.path("out", "result.json"))))
        page = read(self.path("out", "report.html"))
        self.validate("page", json.loads(re.search('id="data">(.*?)</script>', page, re.DOTALL).group(1)))
        for each in of:
            self.validate("jsm", self.json("jsm", "out", "--of", each))
            self.validate("dendrogram", self.json("dendrogram", "out", "--of", each))

    def check_predicted(self):
        for ranks in (4, 6, 9):
            with open(self.path("of-%d" % ranks), "w", encoding="ascii") as file:
                file.write(chain(ranks))
        self.difftrace("extrapolate", "of-4", "of-6", "of-9", "--to", "12", "--run", "of-12", "-q")
        for sizes in ("of-4,of-6,of-9", "of-4,of-6"):
            document = self.json("compare", "--predict", sizes, "of-12", "-o", "predicted")
            self.assertTrue(document["prediction"]["whole"])
            self.validate("comparison", document)
            self.validate("comparison", self.json("rank", "predicted"))
            self.validate("result", json.loads(read(self.path("predicted", "result.json"))))

    def test_all(self):
        self.validated = set()
        self.make("normal", "deadlock", "workers-normal", "workers-faulty", "crashed", "library-threads", "deep", "arguments")
        for run in ("normal", "deadlock", "workers-faulty", "crashed", "library-threads"):
            self.check_runs(run, "1.0")
        self.validate("lines", self.json("lines", "arguments", "--quiet"))
        self.assertTrue(self.json("lines", "arguments", "--quiet")["datatypes"])
        self.check_times()
        self.check_live()
        self.check_skeleton()
        self.check_manifests()
        self.make("timed-normal", "timed-longer")
        self.check_comparison("timed-normal", "timed-longer")
        self.check_predicted()
        self.check_comparison("normal", "deadlock")
        self.validate("diffnlr", self.json("diffnlr", "5", "out", warnings=True))
        self.validate("diffnlr", self.json("diffnlr", "5", "out", "--filter", "mpiall"))
        self.validate("diffnlr", self.json("diffnlr", "5", "out", "--filter", "all", "--nlr", "call-tree"))
        self.check_comparison("workers-normal", "workers-faulty")
        self.check_comparison("deadlock", of=("faulty",))
        self.assertEqual(self.validated, {name.split(".")[0] for name in os.listdir(SCHEMAS)} - self.elsewhere)

    def test_the_page_repeats_the_comparison(self):
        """What the page and a result have of the comparison is described in each of the schemas: in the same words."""
        for name in ("page", "result"):
            schema = schema_of(name)
            for member, description in schema_of("comparison")["properties"].items():
                self.assertEqual(schema["properties"].get(member), description, (name, member))
            self.assertLessEqual(set(schema_of("comparison")["required"]), set(schema["required"]), name)

    elsewhere = set()  # schemas of documents that other tests validate

    def test_a_wrong_document_is_found(self):
        self.validated = set()
        self.make("normal")
        document = self.json("stack", "normal", "--quiet", "-t", "1.0")
        document["frames"] = "main"
        with self.assertRaises(jsonschema.ValidationError):
            self.validate("stack", document)


if __name__ == "__main__":
    main()
