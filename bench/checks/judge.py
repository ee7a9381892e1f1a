"""What findings of `difftrace check` are worth, given what a program's header says."""

import json
import os
import re

import corpus

WORTH = ("right", "elsewhere", "wrong", "missed")


def read_rules(path=os.path.join(corpus.HERE, "rules.json")):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["rules"]


def place_of(finding):
    """(name of the file, line), or None."""
    match = re.match(r"(.*):(\d+)(?::\d+)?$", finding.get("source") or "")
    return (os.path.basename(match.group(1)), int(match.group(2))) if match else None


def at_mark(program, finding):
    place = place_of(finding)
    return (place is not None and place[0] == os.path.basename(program.file)
            and any(first <= place[1] <= last for first, last in program.lines))


def of_kind(program, finding, rules):
    return not rules or program.kind in rules.get(finding.get("rule"), ())


def worth(program, findings, rules):
    """Of an erroneous program: right: a finding of its kind at a marked line; elsewhere: of its kind at another line, or, of another
    kind, at a marked line; wrong: other findings alone; missed: none."""
    if any(at_mark(program, finding) and of_kind(program, finding, rules) for finding in findings):
        return "right"
    if any(at_mark(program, finding) or (rules and of_kind(program, finding, rules)) for finding in findings):
        return "elsewhere"
    return "wrong" if findings else "missed"


def level_is_right(program, findings, rules):
    """Whether the best finding that counts as right has the header's level."""
    return any(finding.get("level") == program.level for finding in findings
               if at_mark(program, finding) and of_kind(program, finding, rules))


def strays(program, findings, rules):
    """Errors in an erroneous program that are neither of its kind nor at a marked line: consequences, or false."""
    return sum(finding.get("level") == "error" and not at_mark(program, finding)
               and not (rules and of_kind(program, finding, rules)) for finding in findings)


def judge(program, mpi, findings, rules):
    row = {"program": program.name, "mpi": mpi, "kind": program.kind, "set": program.set, "level": program.level,
           "record": program.record, "errors": sum(finding.get("level") == "error" for finding in findings),
           "warnings": sum(finding.get("level") == "warning" for finding in findings)}
    if program.level != "none":
        row.update(worth=worth(program, findings, rules), level_right=level_is_right(program, findings, rules),
                   strays=strays(program, findings, rules))
    return row


def summarize(rows):
    """Numbers of a group of rows: erroneous programs by worth, those that a record can show, and correct ones with findings."""
    erroneous = [row for row in rows if row["level"] != "none"]
    shown = [row for row in erroneous if row["record"] != "nothing"]
    correct = [row for row in rows if row["level"] == "none"]
    found = {name: sum(row["worth"] == name for row in erroneous) for name in WORTH}
    return dict(found, erroneous=len(erroneous), shown=len(shown), shown_right=sum(row["worth"] == "right" for row in shown),
                level_right=sum(row["level_right"] for row in erroneous), strays=sum(row["strays"] for row in erroneous),
                correct=len(correct), errors=sum(row["errors"] > 0 for row in correct),
                warnings=sum(row["warnings"] > 0 for row in correct))
