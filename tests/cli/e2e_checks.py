"""Errors in the use of MPI, made by small programs under both MPIs: each is told with its line, and right programs have none."""

import glob
import html
import json
import os
import re
import xml.etree.ElementTree

from e2e_support import MPIS, EndToEnd, app, main, time_limit

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apps", "mpi_checks.c")
RANKS = 3
# What is told of each kind; errors, "~": warnings.
FOUND = {
    "root": "collective-root", "order": "collective-order", "operation": "collective-operation", "bytes": "collective-size",
    "gather": "collective-size", "type": "message-type", "truncated": "message-truncated", "unreceived": "message-unreceived",
    "tag": "message-mismatch", "peer": "invalid-rank", "fatal": "invalid-count", "request": "request-open",
    "twice": "request-started-twice", "epoch": "rma-no-epoch", "unlock": "rma-not-started", "leak": "~leaked-communicator",
    "buffers": "~potential-deadlock", "deadlock": "deadlock", "late": "after-finalize", "early": "before-init",
    "unfinished": "no-finalize", "handle": "invalid-handle", "operands": "operation-type", "counts": "collective-size",
    "mode": "collective-argument", "split": "io-split", "overlap": "io-conflict", "reach": "rma-range", "touch": "rma-conflict",
    "handler": "~leaked-errhandler", "crash": "crash", "assertion": "abort",
}
HANGS = ("tag", "deadlock")


def line_of(kind):
    """Where the comment with the kind stands."""
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.search(r"/\*( \w+)* %s( \w+)* \*/" % kind, line):
                return "mpi_checks.c:%d" % number
    return None


def subset_problems(value, schema, path="$"):
    """What a document has against a small schema: required members, types, constants, elements of arrays."""
    types = {"object": dict, "array": list, "string": str, "integer": int}
    if "const" in schema and value != schema["const"]:
        return ["%s is %r" % (path, value)]
    if "type" in schema and not isinstance(value, types[schema["type"]]):
        return ["%s is no %s" % (path, schema["type"])]
    if "enum" in schema and value not in schema["enum"]:
        return ["%s is %r" % (path, value)]
    if "minimum" in schema and value < schema["minimum"]:
        return ["%s is %r" % (path, value)]
    problems = ["%s has no %s" % (path, name) for name in schema.get("required", ()) if name not in value]
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            problems += subset_problems(value[name], inner, "%s.%s" % (path, name))
    for index, element in enumerate(value if "items" in schema else ()):
        problems += subset_problems(element, schema["items"], "%s[%d]" % (path, index))
    return problems


MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
LEVEL = {"type": "string", "enum": ["none", "note", "warning", "error"]}
LOCATION = {"type": "object", "required": ["physicalLocation"], "properties": {"physicalLocation": {
    "type": "object", "required": ["artifactLocation", "region"], "properties": {
        "artifactLocation": {"type": "object", "required": ["uri"], "properties": {"uri": {"type": "string"}}},
        "region": {"type": "object", "required": ["startLine"],
                   "properties": {"startLine": {"type": "integer", "minimum": 1}}}}}}}
RULE = {"type": "object", "required": ["id"], "properties": {
    "id": {"type": "string"}, "shortDescription": MESSAGE, "help": MESSAGE,
    "defaultConfiguration": {"type": "object", "properties": {"level": LEVEL}}}}
# What the schema of SARIF 2.1.0 says of the members that are used here.
SARIF = {"type": "object", "required": ["version", "runs"], "properties": {
    "$schema": {"type": "string"}, "version": {"const": "2.1.0"},
    "runs": {"type": "array", "items": {"type": "object", "required": ["tool"], "properties": {
        "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
            "type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"}, "version": {"type": "string"},
                "rules": {"type": "array", "items": RULE}}}}},
        "results": {"type": "array", "items": {"type": "object", "required": ["message"], "properties": {
            "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": 0}, "level": LEVEL,
            "message": MESSAGE, "locations": {"type": "array", "items": LOCATION}}}}}}}}}


class Checks(EndToEnd):
    def run_of(self, mpi, kind):
        limit = time_limit(10) if kind in HANGS else ["--timeout", "120"]
        command = mpi.run(RANKS, app("mpi-checks"), kind)
        return self.collect("%s-%s" % (mpi.name, kind), command, options=limit, status=None)[0]

    def check_documents(self, run, findings):
        sarif, junit = self.path("run.sarif"), self.path("run.xml")
        self.difftrace("check", run, "--sarif", sarif, "--junit", junit)
        with open(sarif, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(subset_problems(document, SARIF), [])
        rules = document["runs"][0]["tool"]["driver"]["rules"]
        results = document["runs"][0]["results"]
        self.assertEqual([result["ruleId"] for result in results], [finding["rule"] for finding in findings])
        for result in results:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        failed = {case.get("name") for case in xml.etree.ElementTree.parse(junit).iter("testcase") if case.find("failure") is not None}
        self.assertEqual(failed, {finding["rule"] for finding in findings if finding["level"] == "error"})

    def check_kind(self, mpi, kind, rule):
        run = self.run_of(mpi, kind)
        findings = self.json("check", run)["findings"]
        level = "warning" if rule.startswith("~") else "error"
        told = [finding for finding in findings if finding["rule"] == rule.lstrip("~") and finding["level"] == level]
        self.assertEqual(len(told), 1, findings)
        self.assertEqual(told[0]["source"], line_of(kind))
        self.check_documents(run, findings)

    def test_each_is_told(self):
        for mpi in MPIS:
            if not os.path.exists(app("mpi-checks" + mpi.suffix)) or not mpi.available():
                continue
            for kind, rule in FOUND.items():
                with self.subTest(mpi=mpi.name, kind=kind):
                    self.check_kind(mpi, kind, rule)

    def first_mpi(self):
        for mpi in MPIS:
            if os.path.exists(app("mpi-checks" + mpi.suffix)) and mpi.available():
                return mpi
        self.skipTest("no MPI")
        return None

    def test_errors_are_told_when_the_job_has_ended(self):
        """By collect --check, which changes nothing else."""
        mpi = self.first_mpi()
        for kind, told in (("unreceived", True), ("right", False)):
            command = mpi.run(RANKS, app("mpi-checks"), kind)
            plain = self.collect("plain-" + kind, command, status=None)[1]
            checked = self.collect("checked-" + kind, command, options=["--check"], status=None)[1]
            self.assertEqual(plain.returncode, checked.returncode)
            self.assertNotIn("error: message-", plain.stderr)
            self.assertEqual("%s: error: message-unreceived" % line_of("unreceived") in checked.stderr, told, checked.stderr)
            self.assertIn("1 error, " if told else "0 errors, ", checked.stderr)

    def compared(self, name, *runs):
        """The result of a comparison, and what it printed."""
        output = self.path(name)
        text = self.difftrace("compare", *runs, "-o", output).stdout
        with open(os.path.join(output, "result.json"), encoding="utf-8") as file:
            return json.load(file), text

    def check_first_screen(self, name, finding):
        """Of a run alone: the headline of its page has what is proved, and the cards the call and what would be right."""
        with open(os.path.join(self.path(name), "report.html"), encoding="utf-8") as file:
            page = file.read()
        headline = html.unescape(re.search('<h1 id="verdict">(.*?)</h1>', page).group(1))
        self.assertTrue(headline.lower().endswith("%s, in %s, %s" % (finding["meaning"].rstrip(".").lower(), finding["call"].split("(")[0].lower(),
                                                                    finding["source"])), headline)
        what, where = (html.unescape(re.search('<article class="answer-card %s">(.*?)</article>' % card, page, re.DOTALL).group(1))
                       for card in ("what", "where"))
        for words in (finding["call"], finding["expected"], finding["meaning"].rstrip(".")):
            self.assertIn(words, what)
        self.assertIn(finding["source"], where)
        self.assertNotIn("told from noise", page.split("<script")[0])

    def test_errors_are_evidence(self):
        mpi = self.first_mpi()
        right, wrong, hung = (self.run_of(mpi, kind) for kind in ("right", "unreceived", "deadlock"))
        place = line_of("unreceived")
        alone, text = self.compared("alone", wrong)
        self.assertTrue(alone["verdict"].startswith("the run proves an error at %s: MPI_" % place), alone["verdict"])
        self.assertIn("Errors that the run proves by itself (1):\n%s: error: message-unreceived: MPI_" % place, text)
        findings = self.json("check", wrong)["findings"]
        self.assertEqual([dict(finding, in_normal=False) for finding in findings], alone["checks"])
        self.check_first_screen("alone", findings[0])
        normal, _ = self.compared("normal", right, wrong)
        self.assertEqual(normal["checks"], alone["checks"])
        self.assertTrue(normal["verdict"].startswith("the run proves an error at %s: MPI_" % place), normal["verdict"])
        both, text = self.compared("both", wrong, wrong)
        self.assertEqual([row["in_normal"] for row in both["checks"]], [True] * len(findings))
        self.assertIn("; the normal run has them, too:\n", text)
        stuck, text = self.compared("stuck", hung)
        self.assertNotIn("the run proves an error at", stuck["verdict"])
        self.assertIn("%s: error: deadlock: " % line_of("deadlock"), text)
        self.check_first_screen("stuck", stuck["checks"][0])

    def test_deaths_outside_of_mpi(self):
        """Of the one that died, and not of those that the launcher ended for that."""
        mpi = self.first_mpi()
        for kind, told in (("crash", [("crash", "error", [1])]), ("killed", [("killed", "warning", [1])])):
            findings = self.json("check", self.run_of(mpi, kind))["findings"]
            self.assertEqual([(row["rule"], row["level"], row["ranks"]) for row in findings], told)
        findings = self.json("check", self.collect("thrown", [app("open-calls"), "throw"], status=None)[0])["findings"]
        self.assertEqual([(row["rule"], row["call"]) for row in findings], [("uncaught-exception", "__cxa_throw")])
        self.assertRegex(findings[0]["source"], r"^open_calls\.cc:\d+$")

    def test_ranks_that_never_came(self):
        mpi = self.first_mpi()
        run = self.collect("whole", mpi.run(RANKS, app("mpi-checks"), "right"))[0]
        self.assertEqual(self.json("check", run)["findings"], [])
        pid = next(row["pid"] for row in self.json("info", run)["processes"] if row["rank"] == 2)
        os.remove(glob.glob(os.path.join(run, "processes", "*.%d.*" % pid))[0])
        findings = self.json("check", run)["findings"]
        self.assertEqual([(row["rule"], row["level"], row["ranks"]) for row in findings], [("rank-missing", "warning", [2])])

    def test_an_order_is_not_called_a_tag(self):
        mpi = self.first_mpi()
        run = self.collect("swapped", mpi.run(RANKS, app("mpi-checks"), "swapped"), options=time_limit(4), status=None)[0]
        findings = self.json("check", run)["findings"]
        self.assertEqual([finding["rule"] for finding in findings if finding["level"] == "error"], ["deadlock"], findings)
        self.assertEqual([finding["source"] for finding in findings if finding["rule"] == "deadlock"], [line_of("swapped")])

    def test_the_right_program_has_none(self):
        for mpi in MPIS:
            if os.path.exists(app("mpi-checks" + mpi.suffix)) and mpi.available():
                with self.subTest(mpi=mpi.name):
                    self.assertEqual(self.json("check", self.run_of(mpi, "right"))["findings"], [])


if __name__ == "__main__":
    main()
