#!/usr/bin/env python3
"""Compares a run, call by call and argument by argument, with what the library of make_log.py wrote down of it.

compare.py DIFFTRACE RUN LOGS [--table FILE]: of each rank the calls of its first thread. Prints the first differences of each
rank and how many calls were the same; fails if any differ. LOGS is the folder that DIFFTRACE_ORACLE named."""

import os
import re
import subprocess
import sys

import expected

SHOWN = 12
# What returns no error code is not written down.
NOT_ERRORS = re.compile(r"MPI_(Aint_|Wti)")


def recorded(difftrace, run, rank):
    """[(call with arguments, what is told beside it)] of calls of MPI."""
    text = subprocess.run([difftrace, "dump", run, "-t", "%s.0" % rank, "--flat", "--args", "--filter", "mpiall"],
                          capture_output=True, text=True, check=True).stdout
    calls = []
    for line in text.splitlines():
        words = line.split("\t")
        if words[1] == ">" and not NOT_ERRORS.match(words[2]):
            calls.append((words[2], words[3] if len(words) > 3 else ""))
    return calls


def noted(told):
    return "; ".join(told)


def compare_rank(difftrace, run, logs, rank):
    with open(os.path.join(logs, rank), encoding="ascii") as file:
        lines = file.read().splitlines()
    words = lines[0].split()[1:]
    constants = {key: value if key in ("world", "self") else int(value) for key, value in (word.split("=") for word in words)}
    follower = expected.Rank(constants)
    shown, differences, functions = recorded(difftrace, run, rank), [], set()
    for number, line in enumerate(lines[1:]):
        name, call = expected.read(line)
        functions.add(name)
        text, told = follower.expected(name, call)
        have = shown[number] if number < len(shown) else ("nothing", "")
        if have[0] != text or have[1].replace("; ", " ") != " ".join(told):
            differences.append("%s: call %d:\n  expected %s\t%s\n  recorded %s\t%s" % (rank, number, text, noted(told), *have))
            if have[0].split("(")[0] != text.split("(")[0]:
                differences.append("%s: the calls are others from here on" % rank)
                break
    if len(shown) != len(lines) - 1:
        differences.append("%s: %d calls were made, %d recorded" % (rank, len(lines) - 1, len(shown)))
    return len(lines) - 1, functions, differences


def main():
    difftrace, run, logs = sys.argv[1:4]
    calls, functions, wrong = 0, set(), 0
    for rank in sorted(os.listdir(logs), key=int):
        count, names, differences = compare_rank(difftrace, run, logs, rank)
        calls += count
        functions |= names
        wrong += len(differences)
        for difference in differences[:SHOWN]:
            print(difference)
    print("%d calls of %d functions, %d differences" % (calls, len(functions), wrong))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
