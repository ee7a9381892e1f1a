#!/usr/bin/env python3
"""Records a program of MPI and compares what was recorded with what a library between program and MPI saw of its calls.

    oracle.py MPI RANKS PROGRAM [ARGUMENTS]        MPI: openmpi or mpich; DIFFTRACE: the program difftrace;
                                                   DIFFTRACE_ORACLES: the folder with log-MPI.so

Compared are the calls of each rank's first thread, in order, with all arguments."""

import os
import shutil
import subprocess
import sys
import tempfile

import compare

LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"], "mpich": ["mpirun.mpich"]}
LIMIT = 300  # seconds


def environment(**more):
    result = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1")
    result.update(more)
    return result


def check(mpi, ranks, command, folder, options=()):
    """(how many calls, of which functions, [difference])"""
    difftrace, run, logs = os.environ["DIFFTRACE"], os.path.join(folder, "run"), os.path.join(folder, "logs")
    for old in (run, logs):
        shutil.rmtree(old, ignore_errors=True)
    os.mkdir(logs)
    library = os.path.join(os.environ["DIFFTRACE_ORACLES"], "log-%s.so" % mpi)
    between = ["sh", "-c", 'LD_PRELOAD="$LD_PRELOAD $0" exec "$@"', library]
    result = subprocess.run([difftrace, "collect", "--images", "main", *options, "-o", run, "--", *LAUNCHERS[mpi], "-n", str(ranks),
                             *between, *command], env=environment(DIFFTRACE_ORACLE=logs), capture_output=True, text=True,
                            timeout=LIMIT)
    if result.returncode:
        return 0, set(), [result.stdout[-1000:] + result.stderr[-1000:]]
    calls, functions, differences = 0, set(), []
    for rank in sorted(os.listdir(logs), key=int):
        count, names, found = compare.compare_rank(difftrace, run, logs, rank)
        calls += count
        functions |= names
        differences += found
    return calls, functions, differences


def main():
    mpi, ranks, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory(prefix="difftrace-oracle-") as folder:
        calls, functions, differences = check(mpi, ranks, command, folder)
    print("\n".join(differences[:compare.SHOWN]))
    print("%d calls of %d functions, %d differences" % (calls, len(functions), len(differences)))
    sys.exit(bool(differences) or not calls)


if __name__ == "__main__":
    main()
