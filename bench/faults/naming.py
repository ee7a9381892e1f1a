"""Does a verdict name what was changed: the call or function, and the line? And does it say how many ranks changed?

A row of corpus.json has for that `call`, `function`, `source` and `line` (a tag in the source), and `scope`: one (as
long as nothing is said), several or all. A verdict has a sentence per suspect (`why`) and may have `scope` (one,
several, all, none, unknown) and, of what is common to all ranks, `common`: function, call, source (FILE:LINE).
"""

import os
import re

from places import line_of

NEAR = 5  # lines from the injected one
ACCUSED = 0.5  # a score that accuses
PLACE = re.compile(r"([\w.+-]+\.[A-Za-z]\w*):(\d+)")
API_CALL = re.compile(r"\b(?:MPI|pthread|omp|GOMP|sem)_\w+", re.IGNORECASE)
CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "in", "of", "at", "call"}


def names_of(source):
    """What a sentence on a program may take for a name: whatever its source calls or defines."""
    with open(source) as file:
        return set(CALLED.findall(COMMENT.sub(" ", file.read()))) - KEYWORDS


def first_name(sentence, names):
    """The call or function that a sentence names first; None: it names none."""
    found = [re.search(r"\b%s\b" % re.escape(name), sentence) for name in names] + [API_CALL.search(sentence)]
    first = min((match for match in found if match), key=lambda match: (match.start(), -match.end()), default=None)
    return first and first.group()


def is_near(place, source, line):
    """Is FILE:LINE, a pair, within NEAR lines of a line of a source?"""
    return place[0] == os.path.basename(source) and abs(int(place[1]) - line) <= NEAR


def same_name(name, wanted):
    """Fortran's calls have an underscore at the end, and no case."""
    return name is not None and name.rstrip("_").lower() in {other.rstrip("_").lower() for other in wanted}


class Fault:
    """What a verdict should say about a row of corpus.json that has a `line`."""

    def __init__(self, row, root):
        source = os.path.join(root, row["source"])
        self.scope, self.source, self.line = scope_of(row), row["source"], line_of(source, row["line"])
        self.wanted = {row["call"], row["function"]}
        self.names = names_of(source) | self.wanted

    def named(self, document):
        """(call, line): is each the one named? What is common to all tells about a fault that more than one rank has,
        the sentence on the first suspect about others."""
        common = document.get("common")
        if self.scope != "one" and common:
            places = PLACE.findall(common.get("source") or "")
            call = any(same_name(common.get(key), self.wanted) for key in ("call", "function"))
        elif self.scope == "all":
            return False, False
        else:
            sentence = (document.get("why") or [""])[0]
            places, call = PLACE.findall(sentence), same_name(first_name(sentence, self.names), self.wanted)
        return call, len(set(places)) == 1 and is_near(places[0], self.source, self.line)


def scope_of(row):
    return row.get("scope", "one")


def said_scope(document):
    return document.get("scope") or "not said"


def accused(document, culprits):
    """Processes (or traces, if culprits are labels) other than the culprits that have a score which accuses."""
    by_label = any(isinstance(culprit, str) for culprit in culprits)
    units = {suspect[0] if by_label else suspect[1] for suspect in document["suspects"] if suspect[2] >= ACCUSED}
    return units - set(culprits)


def culprits_of(row):
    """The processes or labels of threads of a fault; none where all have it, as then nobody is to be accused alone."""
    if "threads" in row:
        return ["%d.%d" % (row["process"], thread) for thread in row["threads"]]
    if scope_of(row) == "one":
        return [row["process"]]
    return row.get("processes", [])


def name_summary(rows):
    """Of rows whose `named` is (call, line) or None, where corpus.json does not say what to name."""
    judged = [row["named"] for row in rows if row["named"] is not None]
    count = len(judged)
    share = {"call": sum(call for call, _ in judged), "line": sum(line for _, line in judged),
             "both": sum(call and line for call, line in judged)}
    return {"n": count, **{key: value / count if count else None for key, value in share.items()}}


def scope_summary(rows):
    """{expected scope: n, how often each scope was said, how many accuse an innocent}."""
    summary = {}
    for row in rows:
        part = summary.setdefault(row["scope"], {"n": 0, "said": {}, "innocent_accused": 0})
        part["n"] += 1
        part["said"][row["said"]] = part["said"].get(row["said"], 0) + 1
        part["innocent_accused"] += bool(row["innocents"])
    return summary


def irrelevant_summary(rows, normals):
    """How often an irrelevant difference changes the culprit's place, and the scope that is said."""
    pairs = [row["irrelevant"] for row in rows if row["irrelevant"]]
    placed = [pair for pair in pairs if pair["place"]]
    changed = [pair for pair in placed if (pair["place"].better, pair["place"].equal) !=
               (pair["before"].better, pair["before"].equal)]
    count = len(placed)
    return {"n": count, "place_changes": len(changed),
            "hit1_without": sum(pair["before"].hit(1) for pair in placed) / count if count else None,
            "hit1_with": sum(pair["place"].hit(1) for pair in placed) / count if count else None,
            "scopes": len(pairs), "scope_changes": sum(pair["said"] != pair["said_before"] for pair in pairs),
            "normal_runs": len(normals),
            "normal_runs_accused": sum(bool(accused(document, [])) for document in normals)}
