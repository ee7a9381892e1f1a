"""Runs of difftrace in Python: events as pandas' data frames, skeletons, verdicts.

Nothing here is compiled: what is asked for is asked of the program `difftrace`, which is looked for in $DIFFTRACE, then in PATH.

    import difftrace
    run = difftrace.read("run")
    frame = run.frame()                   # columns as Pipit's
    verdict = difftrace.compare("normal", "faulty").verdict
"""

from .program import DifftraceError
from .runs import Comparison, Run, compare, coverage, read

__all__ = ["Comparison", "DifftraceError", "Run", "compare", "coverage", "read"]
