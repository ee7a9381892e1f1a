"""What `difftrace skeleton --expand` should print of calls that make_log.py's library has written down: the calls of expected.py
in the words of skeletons, whatever `difftrace dump` says of them.

skeleton_calls.py DIFFTRACE SKELETON|RUN LOGS: of each rank and thread; fails if any differ."""

import os
import re
import subprocess
import sys

import expected

SHOWN = 12
# What returns no error code is not written down.
NOT_WRITTEN = re.compile(r"MPI_(Aint_|Wti)")
WORDS = {"from the start": "whence 0", "from here": "whence 1", "from the end": "whence 2", "type exclusive": "type 1",
         "type shared": "type 2", "data in place": "in_place x 0 B", "other data in place": "other in_place x 0 B"}
LEVELS = ["single", "funneled", "serialized", "multiple"]


def in_skeletons(text):
    """An argument in the words of skeletons."""
    text = re.sub(r" of \w+\(.*$", "", text) if " x " in text else text  # datatypes are sizes
    text = WORDS.get(text, text).replace("[", "<").replace("]", ">")
    text = re.sub(r"^counts in place$", "counts in_place", text)
    text = re.sub(r"^level (\w+)$", lambda match: "level %d" % LEVELS.index(match[1]), text)
    text = re.sub(r"^(size|unit) (-?\d+) B$", r"\1 \2", text)
    text = re.sub(r"^elements of (\d+) B$", r"element \1", text)
    text = re.sub(r"^elements of <", "elements <", text)
    text = re.sub(r"^(\d+) requests$", r"requests \1", text)
    return text.replace(" ", "_") if text.startswith("own operation") else text


class Rank(expected.Rank):
    """Follows one rank's calls, and gathers their lines: what a request got belongs to the call that made it, or, of a persistent
    one, to the call that completes it."""

    def __init__(self, constants):
        super().__init__(constants)
        self.lines, self.made = [], {}  # [name, [argument], [outcome]]; by request, its line, but of a persistent one, and communicator

    def named_requests(self, found):
        return [place for place in found if place is not None] if found is not None else []

    def add(self, name, call):
        found = self.named(call)
        before = [one["number"] for one in self.live]
        text, told = self.expected(name, call)
        arguments = self.in_words(name, text, found)
        comm = next((call[key] for key in ("comm", "comm_old", "old_comm", "local_comm", "intercomm") if key in call), None)
        self.lines.append(["MPI_" + name, arguments, []])
        for each in told:
            self.tell(each, comm, before)
        if call["result"] == "0" and self.makes_none(name, call, found):
            self.lines[-1][2].append("not-made 1")

    def in_words(self, name, text, found):
        if name.startswith("Type_"):
            return []
        shown = split_arguments(text)
        named = self.named_requests(found)
        words = [in_skeletons(each) for each in shown if each != "%d requests" % len(named)]
        return [word.replace("partitions ", "partition-list ") for word in words] if name == "Pready_list" else words

    def makes_none(self, name, call, found):
        return found is None and name != "Grequest_start" and call.get(">request", "[1@0]")[1:-1].split("@")[0] == "0"

    def tell(self, text, comm, before):
        """What is told beside a call, as outcomes of calls."""
        outcomes = self.lines[-1][2]
        if match := re.fullmatch(r"(persistent )?request (\d+)", text):
            self.made[int(match[2])] = (None if match[1] else self.lines[-1], comm)
        elif match := re.fullmatch(r"failed: error class (\d+)", text):
            outcomes.append("failed " + match[1])
        elif match := re.fullmatch(r"completed( .*)?", text):
            numbers = [int(word) for word in (match[1] or "").split()]
            places = [before.index(number) for number in numbers]
            outcomes.append("completed " + (in_skeletons(expected.row(places)) if len(places) > 1 else str(places[0]) if places else "all"))
        elif match := re.fullmatch(r"got source (-?\d+), tag (-?\d+)(?: by request (\d+))?", text):
            line, of = self.made[int(match[3])] if match[3] else (self.lines[-1], comm)
            if int(match[1]) >= 0:
                (line or self.lines[-1])[2].extend(["got %+d" % self.got(int(match[1]), of), "got-tag " + match[2]])
        elif not text.startswith(("of requests ", "freed ")):
            outcomes.append(text)

    def got(self, source, comm):
        """As a distance; between two groups the rank itself."""
        return source if self.comm(comm)[3] else self.distance(source, comm)


def split_arguments(text):
    """Arguments of a call: commas within brackets and parentheses separate none."""
    _, _, inner = text.partition("(")
    parts, depth, part = [], 0, ""
    for letter in inner[:-1]:
        depth += letter in "([<"
        depth -= letter in ")]>"
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [each.strip() for each in parts + [part] if each.strip()]


def read_line(line):
    """[name, [argument], [outcome]] of a line of --expand."""
    text, *outcomes = line.split("; ")
    return [text.partition("(")[0], split_arguments(text) if "(" in text else [], outcomes]


def sorted_outcomes(call):
    return [call[0], call[1], sorted(call[2])]


def written(path, begun):
    """[[name, [argument], [outcome]]] of a thread, which began before MPI or behind MPI_Init."""
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    words = lines[0].split()[1:]
    constants = {key: value if key in ("world", "self") else int(value) for key, value in (word.split("=") for word in words)}
    follower = Rank(constants)
    follower.begun = begun
    for line in lines[1:]:
        follower.add(*expected.read(line))
    return follower.lines


def expanded(difftrace, skeleton, trace):
    """The same of a skeleton. A call that never returned is there alone, and so is what returns no error code."""
    text = subprocess.run([difftrace, "skeleton", skeleton, "-q", "--expand", trace], capture_output=True, text=True, check=True).stdout
    return [read_line(line) for line in text.splitlines() if not NOT_WRITTEN.match(line) and not line.endswith("; open 1")]


def differences_of(trace, wanted, shown):
    differences = []
    for number, (one, have) in enumerate(zip(wanted, shown)):
        if sorted_outcomes(one) != sorted_outcomes(have):
            differences.append("%s: call %d:\n  expected %s\n  have     %s" % (trace, number, one, have))
            if one[0] != have[0]:
                differences.append("%s: the calls are others from here on" % trace)
                break
    if len(shown) != len(wanted):
        differences.append("%s: %d calls were made, the skeleton has %d" % (trace, len(wanted), len(shown)))
    return differences


def threads_of(text):
    """Numbers of threads in a skeleton."""
    return ["0"] + re.findall(r"(?m)^thread (\d+)$", text)


def compare(difftrace, skeleton, logs):
    """(calls, {function}, [difference]) of all ranks. Further threads are numbered otherwise: each is compared with that which is
    most like it."""
    calls, functions, differences = 0, set(), []
    text = subprocess.run([difftrace, "skeleton", skeleton, "-q"], capture_output=True, text=True, check=True).stdout
    for log in sorted(os.listdir(logs)):
        rank, _, further = log.partition(".")
        wanted = written(os.path.join(logs, log), further != "")
        traces = ["%s.%s" % (rank, thread) for thread in threads_of(text)] if further else [rank]
        found = [differences_of(trace, wanted, expanded(difftrace, skeleton, trace)) for trace in traces]
        calls += len(wanted)
        functions |= {each[0] for each in wanted}
        differences += min(found, key=len)
    return calls, functions, differences


def main():
    calls, functions, differences = compare(*sys.argv[1:4])
    print("\n".join(differences[:SHOWN]))
    print("%d calls of %d functions, %d differences" % (calls, len(functions), len(differences)))
    sys.exit(bool(differences) or not calls)


if __name__ == "__main__":
    main()
