"""What DIFFTRACE_DEBUG=decode says: (name of the run, trace) -> the words of each time that it was decoded."""

import collections
import os
import re

MOST = 5
MOST_WITH_ARGUMENTS = 4  # who waits for whom is known then
LINE = re.compile(r"difftrace: decode: (.*): trace (\S+): (\d+) words")


def decoded(stderr):
    times = collections.defaultdict(list)
    for line in stderr.splitlines():
        found = LINE.fullmatch(line)
        if found:
            times[os.path.basename(found.group(1)), found.group(2)].append(int(found.group(3)))
    return times


def check_once(test, stderr, traces, most=MOST):
    """`traces`: (name of the run, trace) -> the lines of its dump. Each is decoded once for the comparison, or another one that
    has the same lines. What else reads whole traces of the faulty run: its checks, who waits (for a check, and for the page,
    if the verdict did not look at that), the page's skeletons, and the first screen for the one that it tells of; of others: checks and skeletons."""
    times = decoded(stderr)
    for trace, words in times.items():
        test.assertEqual(set(words), {len(traces[trace])}, trace)
        test.assertLessEqual(len(words), most, trace)
    once = sum(len(words) for words in times.values())
    test.assertLessEqual(once, 3 * len(traces))
    seen = {tuple(traces[trace]) for trace in times}
    for trace, lines in traces.items():
        test.assertIn(tuple(lines), seen, trace)


def traces_of(run, dumped):
    """Of the lines that "dump --flat" prints."""
    traces = {}
    for line in dumped:
        label, rest = line.split("\t", 1)
        traces.setdefault((os.path.basename(run), label), []).append(rest)
    return traces
