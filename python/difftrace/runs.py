"""Runs, and what comparisons of them say."""

import os
import tempfile

from .program import ask, ask_json

KINDS = {"call": "Enter", "return": "Leave"}
COLUMNS = ["Timestamp (ns)", "Event Type", "Name", "Process", "Thread", "Trace", "Depth"]


def _split(trace):
    """Process and thread of a label: 5.1 is thread 1 of rank 5; of the label 5+1.0 the process stays a text."""
    process, _, thread = trace.rpartition(".")
    return (int(process) if process.isdigit() else process), int(thread)


class Run:
    """A run directory, or a packed run. Nothing is read before it is asked for."""

    def __init__(self, run):
        self.path = os.fspath(run)

    def __repr__(self):
        return "difftrace.read(%r)" % self.path

    def info(self):
        """What `difftrace info --json` tells: processes, traces, how they ended."""
        return ask_json("info", self.path)

    def frame(self, traces=(), filters=()):
        """The events as a data frame, a row an event, in the order of times, and of each trace in its own.

        Columns are those of Pipit: Timestamp (ns), since the first trace began; Event Type: Enter or Leave; Name; Process: the rank, or
        a label where some process has none that is a number; Thread. Beside them Trace, the label, and Depth, from 1 on.
        Of runs without times the time stamp is the number of the event in its trace, and frame.attrs["clock"] is "events" instead of "ns".
        `traces` and `filters` are as of the options -t and -f of difftrace-export(1).
        """
        import pandas

        options = [word for trace in traces for word in ("-t", trace)] + [word for name in filters for word in ("-f", name)]
        with tempfile.TemporaryDirectory(prefix="difftrace-") as folder:
            table = os.path.join(folder, "events.csv")
            ask("export", "--format", "csv", "--quiet", "-o", table, *options, self.path)
            events = pandas.read_csv(table, dtype={"trace": "category", "kind": "category", "function": "category"},
                                     keep_default_na=False, na_values={"seconds": [""]})
        return _as_pipit(events)

    def skeleton(self, *options):
        """The MPI calls of all ranks as one structured text: difftrace-skeleton(1), whose options may be given."""
        return ask("skeleton", "--quiet", *options, self.path)

    def waits(self):
        """Who waits for whom at the end: difftrace-waits(1)."""
        return ask_json("waits", "--quiet", self.path)

    def stack(self):
        """The open calls of all traces at the end: difftrace-stack(1)."""
        return ask_json("stack", "--quiet", self.path)

    def check(self):
        """Errors in the use of MPI, OpenMP and locks that the run proves: difftrace-check(1)."""
        return ask_json("check", "--quiet", self.path)["findings"]

    def verdict(self, normal=None, baselines=()):
        """One sentence: which traces are to blame, judged by a normal run if there is one."""
        return compare(normal, self, baselines).verdict


def _as_pipit(events):
    import pandas

    labels = [_split(label) for label in events["trace"].cat.categories]
    processes = [process for process, _ in labels]
    if any(isinstance(process, str) for process in processes):
        processes = [str(process) for process in processes]
    codes = events["trace"].cat.codes
    timed = "seconds" in events and events["seconds"].notna().all()
    frame = pandas.DataFrame({
        "Timestamp (ns)": (events["seconds"] * 1e9).round().astype("int64") if timed else events["event"].astype("int64"),
        "Event Type": events["kind"].cat.rename_categories(lambda kind: KINDS.get(kind, "Instant")),
        "Name": events["function"],
        "Process": [processes[code] for code in codes],
        "Thread": [labels[code][1] for code in codes],
        "Trace": events["trace"],
        "Depth": events["depth"],
    }, columns=COLUMNS)
    frame = frame.sort_values("Timestamp (ns)", kind="stable", ignore_index=True)
    frame.attrs["clock"] = "ns" if timed else "events"
    return frame


class Comparison:
    """What `difftrace compare --json` says of two runs."""

    def __init__(self, document):
        self.document = document

    @property
    def verdict(self):
        return self.document["verdict"]

    @property
    def suspects(self):
        """The suspected traces, the first one first: dictionaries with trace, score, level, status, why, ..."""
        return self.document["suspects"]

    def frame(self):
        """The suspects as a data frame."""
        import pandas

        return pandas.DataFrame(self.suspects)


def read(run):
    """The run at a path."""
    return Run(run)


def compare(normal, faulty, baselines=(), output=None):
    """Compares a faulty run with a normal one (None: there is none). The page and the pictures go to `output`, or nowhere."""
    paths = [run.path if isinstance(run, Run) else os.fspath(run) for run in (normal, faulty) if run is not None]
    options = [word for run in baselines for word in ("-b", run.path if isinstance(run, Run) else os.fspath(run))]
    with tempfile.TemporaryDirectory(prefix="difftrace-") as folder:
        result = output if output is not None else os.path.join(folder, "result")
        return Comparison(ask_json("compare", "--quiet", "-o", result, *options, *paths))


def coverage(*runs):
    """What the runs exercised of what could have happened, as a data frame, an outcome a row: difftrace-coverage(1)."""
    import pandas

    document = ask_json("coverage", "--quiet", *[run.path if isinstance(run, Run) else run for run in runs])
    return pandas.DataFrame([{"kind": row["kind"], "place": row["place"], "operation": row["operation"], "by": row["by"],
                              "outcome": outcome["name"], "times": outcome["times"], "first run": outcome["first_run"]}
                             for row in document["rows"] for outcome in row["outcomes"]],
                            columns=["kind", "place", "operation", "by", "outcome", "times", "first run"])
