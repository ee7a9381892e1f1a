"""The programs of the corpus: what their headers say, how they are built and started."""

import collections
import os
import re
import signal
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(HERE, "programs")
SETS = ("open", "held-out", "held-out-2")
LEVELS = ("none", "warning", "error")
ENDS = ("ends", "fails", "hangs", "crashes")
RECORDS = ("proves", "suggests", "nothing")
MPIS = ("openmpi", "mpich")
PLAIN = "plain"  # programs without MPI

VARIANT = re.compile(r"^(\d) (.*)$")
KEY = re.compile(r"^(kind|ranks|set|flags): (.*)$")
MARK = re.compile(r"(?:/\*|!) HERE\b([\d ]*)")

# One variant of one file. `ends` by MPI; `lines` are the marked statements, each as a range of lines.
Program = collections.namedtuple("Program", "name file group kind section set ranks flags variant level ends record text lines")


class Malformed(Exception):
    pass


def header_of(text, fortran):
    """The lines of the leading comment, those that were wrapped joined again."""
    if fortran:
        lines = [line[1:].strip() for line in re.match(r"(?:!.*\n)*", text).group(0).splitlines()]
    else:
        match = re.match(r"/\*(.*?)\*/", text, re.DOTALL)
        lines = [re.sub(r"^\s*\*? ?", "", line).strip() for line in match.group(1).splitlines()] if match else []
    joined = []
    for line in lines:
        if not joined or VARIANT.match(line) or KEY.match(line):
            joined.append(line)
        else:
            joined[-1] += " " + line
    return [line.strip() for line in joined if line.strip()]


def statement(lines, number):
    """First and last line of the statement that stands in this line; both count from 1."""
    code = [re.sub(r"/\*.*?\*/|//.*", "", line).strip() for line in lines]
    fortran = any(line.startswith("program ") for line in code[:60])
    first = last = number

    def ends(line):
        if fortran:
            return not re.search(r"&\s*(!.*)?$", line)
        return line == "" or line[-1] in ";{}" or line.startswith("#")
    while first > 1 and not ends(code[first - 2]):
        first -= 1
    while last < len(code) and not ends(code[last - 1]):
        last += 1
    return first, last


def marks_of(text):
    """{variant: [ranges of lines]}; the key None is for marks of all erroneous variants."""
    lines, found = text.splitlines(), collections.defaultdict(list)
    for number, line in enumerate(lines, 1):
        match = MARK.search(line)
        if match:
            for variant in [int(word) for word in match.group(1).split()] or [None]:
                found[variant].append(statement(lines, number))
    return found


def read_variant(match, fields, path):
    words, _, text = match.group(2).partition(": ")
    words = words.split()
    if len(words) != (3 if words[:1] == ["none"] else 4) or not text:
        raise Malformed("%s: variant %s wants LEVEL OPENMPI MPICH [RECORD]: TEXT" % (path, match.group(1)))
    level, openmpi, mpich = words[:3]
    level, _, own_kind = level.partition("/")
    record = words[3] if len(words) == 4 else "nothing"
    ends = {"openmpi": openmpi.split("|"), "mpich": mpich.split("|"), PLAIN: openmpi.split("|")}
    if level not in LEVELS or record not in RECORDS or any(end not in ENDS for names in ends.values() for end in names):
        raise Malformed("%s: variant %s has a word that no header may have" % (path, match.group(1)))
    return int(match.group(1)), level, own_kind, ends, record, text


def read_file(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    fields, variants = {}, []
    for line in header_of(text, path.endswith(".f90")):
        match = KEY.match(line)
        if match:
            fields[match.group(1)] = match.group(2)
        elif VARIANT.match(line):
            variants.append(read_variant(VARIANT.match(line), fields, path))
        else:
            raise Malformed("%s: a line of the header is neither KEY: VALUE nor a variant: %s" % (path, line))
    for key in ("kind", "ranks"):
        if key not in fields:
            raise Malformed("%s: the header has no %s" % (path, key))
    kind, _, section = fields["kind"].partition(" ")
    group, marks = os.path.basename(os.path.dirname(path)), marks_of(text)
    base = group + "/" + os.path.splitext(os.path.basename(path))[0]
    return [Program("%s-%d" % (base, number), path, group, own_kind or kind, section, fields.get("set", ""), int(fields["ranks"]),
                    fields.get("flags", "").split(), number, level, ends, record, what,
                    [] if level == "none" else marks.get(number, []) + marks.get(None, []))
            for number, level, own_kind, ends, record, what in variants]


def files():
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(PROGRAMS) for name in names
                  if name.endswith((".c", ".f90")))


def read_corpus(which=None, only=None):
    """All programs; of one set (`open`, `held-out`), those whose name matches `only`, a regular expression."""
    programs = [program for path in files() for program in read_file(path)]
    return [program for program in programs
            if (which in (None, "all") or program.set == which) and (not only or re.search(only, program.name))]


def mpis_of(program, wanted=MPIS):
    return (PLAIN,) if program.ranks == 0 else tuple(wanted)


def binary_of(build, program, mpi, variety=""):
    return os.path.join(build, "bench", "checks", mpi + variety, program.name)


def environment():
    """That of all runs: as root, on a busy machine, without a core file's worth of patience."""
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader", OMPI_MCA_btl_base_warn_component_unused="0",
                OMP_WAIT_POLICY="passive", LC_ALL="C.UTF-8")


def launch(program, mpi, command):
    """The command line that runs `command` as the program's ranks."""
    if mpi == PLAIN:
        return command
    return ["mpirun.%s" % mpi, "-n", str(program.ranks)] + command


Outcome = collections.namedtuple("Outcome", "end status output")


def end_of(status, output, launched):
    """How a job ended that was not stopped by the limit of time. That a launcher dies of a signal itself, as that of Open MPI may when a
    rank aborts, is no crash of the program."""
    if status == 0:
        return "ends"
    if (status < 0 and not launched) or re.search(r"exited on signal (4|6|7|8|11)\b|EXIT CODE: (4|6|7|8|11|132|134|135|136|139)\b", output):
        return "crashes"
    return "fails"


STARVED = 2  # a process that wants to run and has had fewer seconds of the processor has not hung, but waits for its turn


def processor_time(pid):
    """(seconds of the processor that the job has had, whether one of its processes waits for its turn)."""
    total, waits = 0, False
    for process in [pid] + descendants(pid):
        try:
            with open("/proc/%d/stat" % process) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        total += seconds
        waits = waits or (fields[0] == "R" and seconds < STARVED)
    return total, waits


def wait_for(process, limit, patience):
    """The exit status; None if the job still runs after `limit` seconds, and up to `patience` times as many while it gets on: on a
    busy machine a job may take long without hanging."""
    before = 0
    for _ in range(patience):
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            total, waits = processor_time(process.pid)
            if not waits and (total == before or total > 4 * STARVED):
                break
            before = total
    return None


def run(command, limit, patience=1):
    """Runs a job in a scratch folder of its own, and ends all of it after `limit` seconds."""
    with tempfile.TemporaryDirectory(prefix="difftrace-checks-") as scratch:
        path = os.path.join(scratch, "output")
        with open(path, "wb") as output:
            process = subprocess.Popen(command, cwd=scratch, env=environment(), stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            status = wait_for(process, limit, patience)
            if status is None:
                end_job(process)
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(200000)
    return Outcome("hangs" if status is None else end_of(status, text, command[0].startswith("mpirun")), status, text)


def end_job(process):
    """TERM first, so that the launcher ends its ranks, which may be in sessions of their own."""
    for number, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 5)):
        ranks = descendants(process.pid)
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
        break
    for pid in ranks:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def descendants(pid):
    found = []
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task)) as file:
                for child in file.read().split():
                    found += [int(child)] + descendants(int(child))
    except OSError:
        pass
    return found
