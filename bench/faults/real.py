#!/usr/bin/env python3
"""Judges difftrace's verdicts on public MPI programs of real size, with faults put into their sources.

    bench/faults/real.py FOLDER [--difftrace FILE] [--only PROGRAM] [--fault NAME]
    bench/faults/real.py --table

real.json says which programs, of which revision, how they were built and run, and where each fault stands. FOLDER holds the
built programs and what they read; neither is part of difftrace. The environment variable DTFAULT=NAME:RANK (rank `all`: every
rank) chooses the fault of a run; without it the program is the original one.

For every program: six normal runs untraced and traced, one traced run for each fault, one more with irrelevant options for those
that have some. Faulty runs are compared with one and with three normal runs, the other three normal runs with three. Runs go to
FOLDER/runs, results to results/real.json; what is there already is not made again, `--again` makes it again.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

from naming import ACCUSED, NEAR, PLACE
from places import Place, best_scores, place_by_score

HERE = os.path.dirname(os.path.abspath(__file__))
NORMALS = 6
BASELINES = 3
SHOWN = 5  # suspects kept of a comparison
ENDS_ITSELF = 300  # seconds until a run without a fault is given up
API_CALL = re.compile(r"\bMPI_\w+")
PARAMETERS = re.compile(r"\(anonymous namespace\)::|\(.*|\[clone.*|@plt$")


class Tool:
    """The difftrace that is judged, and the folder of the programs."""

    def __init__(self, difftrace, folder, again):
        self.difftrace, self.folder, self.again = difftrace, folder, again

    def timed(self, command, environment=None):
        """(status, stdout, stderr, seconds, peak memory in MB) of a command in the folder."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})}
        start = time.monotonic()
        with open(os.path.join(self.folder, "stdout"), "w+") as out, open(os.path.join(self.folder, "stderr"), "w+") as err:
            process = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.monotonic() - start
            texts = [(file.seek(0), file.read())[1] for file in (out, err)]
        return process.returncode, texts[0], texts[1], round(seconds, 2), round(usage.ru_maxrss / 1024, 1)

    def untraced_and_traced(self, command):
        """Seconds of both, one after the other."""
        traced = [self.difftrace, "collect", "-o", "runs/timed", "--quiet", "--", *command]
        return self.timed(command)[3], self.timed(traced)[3]

    def collect(self, name, command, timeout, fault=None):
        """A run in FOLDER/runs/NAME, and what it cost."""
        run, record = os.path.join("runs", name), os.path.join(self.folder, "runs", name + ".json")
        if os.path.exists(record) and not self.again:
            with open(record) as file:
                return run, json.load(file)
        shutil.rmtree(os.path.join(self.folder, run), ignore_errors=True)
        os.makedirs(os.path.dirname(os.path.join(self.folder, run)), exist_ok=True)
        words = [self.difftrace, "collect", "-o", run, "--timeout", str(timeout), "--", *command]
        status, _, errors, seconds, _ = self.timed(words, {"DTFAULT": fault} if fault else None)
        info = json.loads(self.timed([self.difftrace, "info", run, "--json"])[1])
        made = {"status": status, "timed_out": info["timed_out"], "seconds": seconds,
                "events": sum(process["events"] for process in info["processes"]),
                "trace_bytes": sum(process["bytes"] + process["note_bytes"] for process in info["processes"]),
                "disk_bytes": disk_bytes(os.path.join(self.folder, run)), "told": told_by(errors)}
        with open(record, "w") as file:
            json.dump(made, file)
        return run, made

    def compare(self, normals, faulty):
        """The comparison's document, and what it cost."""
        words = [self.difftrace, "compare", normals[0], faulty, "-o", "runs/compared", "--json", "--quiet"]
        for baseline in normals[1:]:
            words += ["--baseline", baseline]
        status, output, errors, seconds, megabytes = self.timed(words)
        if status != 0:
            return None, {"error": errors.strip()}
        return json.loads(output), {"seconds": seconds, "megabytes": megabytes}

    def functions(self, *runs):
        """What a sentence on these runs may take for a name: their functions without parameters."""
        names = set()
        for run in runs:
            for line in self.timed([self.difftrace, "stats", run, "--tsv"])[1].splitlines()[1:]:
                names.add(short_name(line.split("\t")[1]))
        return {name for name in names if name == "main" or not name.islower() or "_" in name}


def disk_bytes(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


def told_by(errors):
    """What collect itself said, without the totals that every run ends with."""
    lines = [line for line in errors.splitlines() if line.startswith("difftrace:")]
    return [line for line in lines if "functions hooked" not in line and "the command" not in line]


def short_name(function):
    return PARAMETERS.sub("", function).split(" ")[-1]


def first_name(sentence, names):
    found = [re.search(r"(?<![\w:])%s(?!\w)" % re.escape(name), sentence) for name in names if name in sentence]
    first = min((match for match in [*found, API_CALL.search(sentence)] if match),
                key=lambda match: (match.start(), -match.end()), default=None)
    return first and first.group()


def is_one_of(name, wanted):
    return name is not None and any(name == other or name.endswith("::" + other) for other in wanted)


def named(document, fault, names):
    """(call, line): does the verdict name the injected call or function first, and its only FILE:LINE? Words on somebody who
    does not have the fault do not count."""
    wanted, common = {*fault["calls"], fault["function"]}, document["common"]
    if fault["scope"] == "all":
        if not common:
            return False, False
        said = [short_name(common[key]) for key in ("call", "function") if common[key]]
        places, call = PLACE.findall(common["source"] or ""), any(is_one_of(name, wanted) for name in said)
    elif document["suspects"] and document["suspects"][0]["process"] == fault["rank"]:
        sentence = document["suspects"][0]["why"]
        places, call = PLACE.findall(sentence), is_one_of(first_name(sentence, names), wanted)
    else:
        return False, False
    near = len(set(places)) == 1 and places[0][0] == os.path.basename(fault["file"]) and \
        abs(int(places[0][1]) - fault["line"]) <= NEAR
    return call, near


def judged(document, cost, fault, names, ranks):
    """What is kept of a comparison; fault: None of two normal runs."""
    if document is None:
        return cost
    scores = best_scores(document["suspects"], "process")
    culprit = fault["rank"] if fault and fault["scope"] == "one" else None
    kept = {**cost, "verdict": document["verdict"], "scope": document["scope"], "common": document["common"],
            "suspects": [[s["trace"], s["process"], round(s["score"], 4), s["level"], s["status"], s["why"]]
                         for s in document["suspects"][:SHOWN]],
            "accused": sorted(str(process) for process, score in scores.items()
                              if score >= ACCUSED and process != culprit)}
    if culprit is not None:
        place = place_by_score(scores, culprit, ranks)
        kept.update(place=place.better + 1, tied=place.equal, score=round(scores.get(culprit, 0), 4))
    if fault:
        kept["named_call"], kept["named_line"] = named(document, fault, names)
    return kept


def judge_fault(tool, name, program, fault, normals, count, row):
    """Adds the comparisons with `count` normal runs to a row of the results."""
    row.update(name=fault["name"], rank=fault["rank"], scope=fault["scope"])
    for options in [[]] + ([fault["irrelevant"]] if "irrelevant" in fault else []):
        part, key = row.setdefault("irrelevant", {}) if options else row, "normal_%d" % count
        if key in part:
            continue
        label = "%s/%s%s" % (name, fault["name"], "+irrelevant" if options else "")
        command, chosen = program["command"] + options, "%s:%s" % (fault["name"], fault["rank"])
        run, part["run"] = tool.collect(label, command, program["timeout"], chosen)
        document, cost = tool.compare(normals[:count], run)
        part[key] = judged(document, cost, fault, tool.functions(normals[0], run), program["ranks"])
        print(label, key, json.dumps(part[key].get("verdict")), flush=True)


def judge_program(tool, name, program, faults, result, save):
    """Adds what `result`, the program's, does not have yet; save() keeps it."""
    if "seconds" not in result:
        result["seconds"] = [tool.untraced_and_traced(program["command"]) for _ in range(BASELINES)]
        save()
    made = [tool.collect("%s/normal%d" % (name, number), program["command"], ENDS_ITSELF) for number in range(NORMALS)]
    normals, result["normal"] = [run for run, _ in made], [run for _, run in made]
    others = list(normals[BASELINES:])
    if "irrelevant" in program:
        others.append(tool.collect(name + "/normal+irrelevant", program["command"] + program["irrelevant"], ENDS_ITSELF)[0])
    alarms, rows = result.setdefault("false_alarms", []), result.setdefault("faults", [])
    for other in others:
        if other not in [alarm["run"] for alarm in alarms]:
            document, cost = tool.compare(normals[:BASELINES], other)
            alarms.append({"run": other, **judged(document, cost, None, (), program["ranks"])})
            print(name, other, json.dumps(alarms[-1].get("verdict")), flush=True)
            save()
    for count in (BASELINES, 1):
        for fault in faults:
            row = next((row for row in rows if row["name"] == fault["name"]), None)
            if row is None:
                row = {}
                rows.append(row)
            judge_fault(tool, name, program, fault, normals, count, row)
            save()


def place_told(part):
    if part is None or "place" not in part:
        return "-"
    return "%d%s (%.2f)" % (part["place"], "=" if part["tied"] else "", part["score"])


def row_of(name, fault, part, irrelevant=False):
    one, three = part.get("normal_1"), part["normal_%d" % BASELINES]
    end = "timeout" if part["run"]["timed_out"] else part["run"]["status"]
    return "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |" % (
        name, fault["name"] + (", irrelevant option" if irrelevant else ""), fault["rank"], end, place_told(three),
        place_told(one), three["scope"], one["scope"] if one else "-", "yes" if three["named_call"] else "no",
        "yes" if three["named_line"] else "no", ", ".join(three["accused"]) or "-")


def print_sums(results):
    """Of the faults that one rank has, per program and over all; the chance of ties counts."""
    print("\n| program | faults of one rank | hit@1 / hit@3, 3 normal runs | 1 normal run | call or function | line | scope one "
          "| innocents accused, 3 | 1 |\n|" + "---|" * 9)
    rows = {name: [fault for fault in result["faults"] if fault["scope"] == "one"] for name, result in results.items()}
    rows["all"] = [fault for faults in rows.values() for fault in faults]
    for name, faults in rows.items():
        three, one = [[fault["normal_%d" % count] for fault in faults] for count in (BASELINES, 1)]
        hits = ["%.3f / %.3f" % tuple(sum(Place(part["place"] - 1, part["tied"]).hit(k) for part in parts) / len(parts)
                                      for k in (1, 3)) for parts in (three, one)]
        print("| %s | %d | %s | %s | %d | %d | %d | %d | %d |" % (
            name, len(faults), *hits, sum(part["named_call"] for part in three), sum(part["named_line"] for part in three),
            sum(part["scope"] == "one" for part in three), sum(bool(part["accused"]) for part in three),
            sum(bool(part["accused"]) for part in one)))


def print_tables(results):
    """What bench/results/real-programs.md shows."""
    print("| program | untraced, s | traced, s | events, million | on disk, kB | comparison, s | MB |\n|" + "---|" * 7)
    for name, result in results.items():
        normal = result["normal"]
        compared = [fault["normal_%d" % BASELINES] for fault in result["faults"]]
        print("| %s | %.2f | %.2f | %.1f | %.0f | %.1f to %.1f | %.0f to %.0f |" % (
            name, *(min(seconds) for seconds in zip(*result["seconds"])), normal[0]["events"] / 1e6,
            normal[0]["disk_bytes"] / 1e3, min(part["seconds"] for part in compared),
            max(part["seconds"] for part in compared), min(part["megabytes"] for part in compared),
            max(part["megabytes"] for part in compared)))
    print("\n| program | fault | rank | ends | place, 3 normal runs | 1 normal run | scope, 3 | scope, 1 | call or function "
          "| line | innocents accused |\n|" + "---|" * 11)
    for name, result in results.items():
        for fault in result["faults"]:
            print(row_of(name, fault, fault))
            if "irrelevant" in fault:
                print(row_of(name, fault, fault["irrelevant"], irrelevant=True))
    print_sums(results)
    for name, result in results.items():
        for alarm in result["false_alarms"]:
            print("%s: %s: %s, accused: %s" % (name, alarm["run"], alarm["scope"], ", ".join(alarm["accused"]) or "nobody"))


def read_results(path):
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def keep(path, name, result):
    """Puts the result of a program into the file of all, where another process may have put one meanwhile."""
    results = {**read_results(path), name: result}
    with open(path + ".partial", "w") as file:
        json.dump(results, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(path + ".partial", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="the built programs and their input")
    parser.add_argument("--difftrace", default=shutil.which("difftrace"), help="the program under test")
    parser.add_argument("--only", action="append", metavar="PROGRAM", help="this program (repeatable)")
    parser.add_argument("--fault", action="append", metavar="NAME", help="this fault (repeatable)")
    parser.add_argument("--table", action="store_true", help="print the tables of the results, run nothing")
    parser.add_argument("--again", action="store_true", help="make runs and results again")
    options = parser.parse_args()
    kept = os.path.join(HERE, "results", "real.json")
    if options.table:
        print_tables(read_results(kept))
        return
    if not options.folder:
        parser.error("say which folder holds the built programs")
    if not options.difftrace:
        sys.exit("real.py: no difftrace in PATH: say which with --difftrace FILE")
    with open(os.path.join(HERE, "real.json")) as file:
        description = json.load(file)
    tool = Tool(os.path.abspath(options.difftrace), os.path.abspath(options.folder), options.again)
    for name, program in description["programs"].items():
        if options.only and name not in options.only:
            continue
        faults = [fault for fault in description["faults"] if fault["program"] == name and
                  (not options.fault or fault["name"] in options.fault)]
        results = read_results(kept)
        result = results.setdefault(name, {})
        if options.again:
            result.clear()
        judge_program(tool, name, program, faults, result, lambda: keep(kept, name, result))


if __name__ == "__main__":
    main()
