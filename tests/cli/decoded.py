"""What DIFFTRACE_DEBUG=decode says: (name of the run, trace) -> the words of each time that it was decoded."""

import collections
import os
import re

LINE = re.compile(r"difftrace: decode: (.*): trace (\S+): (\d+) words")


def decoded(stderr):
    times = collections.defaultdict(list)
    for line in stderr.splitlines():
        found = LINE.fullmatch(line)
        if found:
            times[os.path.basename(found.group(1)), found.group(2)].append(int(found.group(3)))
    return times


def check_once(test, stderr, traces):
    """`traces`: (name of the run, trace) -> the lines of its dump. Each is decoded once, or another one that has the same lines;
    those of ranks once more, for the page's skeletons, or all of the rank's run."""
    times = decoded(stderr)
    for trace, words in times.items():
        test.assertIn(words, ([len(traces[trace])], [len(traces[trace])] * 2), trace)
    once = sum(len(words) for words in times.values())
    test.assertLessEqual(once, 2 * len(traces))
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
