"""How often a run's threads read their clocks, as its files tell: for bench/tracer."""
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(SOURCE / "tests" / "format"))

from read_times import TimedProcess, tz  # noqa: E402


def readings(run):
    """(threads with times, readings in their files). Each thread that lives makes some more that are overwritten."""
    tables, threads, count = tz.read_tables(SOURCE / "src" / "codec"), 0, 0
    for path in sorted((pathlib.Path(run) / "processes").glob("*.trace")):
        process = TimedProcess(pathlib.Path(run), path, tables)
        for owner in set(process.rows) | set(process.stamps):
            anchors = []
            for _ in process.row_times(owner, anchors):
                pass
            threads += 1
            count += len(anchors) + (2 if owner in process.stamps else 0)
    return threads, count
