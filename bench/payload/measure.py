"""Faults of values only: which rank's data departed first, and how often that is said of normal runs.

    bench/payload/run --build build                # all programs: a minute a program; prints the table
    bench/payload/run --build build --only rod     # one of them; repeatable
    bench/payload/run --build build --normals 1    # with one normal run
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 4
FURTHER = 8  # normal runs that are compared as if they were faulty


def build(program, folder):
    compiler = shutil.which("mpicc.openmpi") or "mpicc"
    source = os.path.join(HERE, "programs", program + ".c")
    path = os.path.join(folder, program)
    subprocess.run([compiler, "-std=c17", "-D_GNU_SOURCE", "-g", "-O1", "-fno-inline", "-pthread", source, "-o", path,
                    "-lm"], check=True)
    return path


class Bench:
    def __init__(self, tools, folder):
        self.tool = os.path.join(tools, "difftrace")
        self.folder = folder
        self.environment = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1")
        if os.geteuid() == 0:
            self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def collect(self, name, path, fault="none", rank=0, step=0):
        run = os.path.join(self.folder, name)
        command = [self.tool, "collect", "--quiet", "--payload", "--timeout", "60", "-o", run, "--", "mpirun",
                   "--oversubscribe", "-n", str(RANKS), path, fault, str(rank), str(step)]
        subprocess.run(command, check=True, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return run

    def compare(self, normals, faulty):
        command = [self.tool, "compare", "--json", "-f", "mpi", "-a", "sing.actual", "-o", os.path.join(self.folder, "out")]
        for run in normals[1:]:
            command += ["-b", run]
        said = subprocess.run(command + [normals[0], faulty], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        return json.loads(said.stdout)


def judge(said, rank):
    """Whether the data name the rank, and alone; whether the first suspect is of it."""
    first = [item["trace"] for item in said["data"]["first"]]
    suspects = [item["trace"] for item in said["suspects"] if item["level"] == "suspect"]
    label = f"{rank}.0"
    return first == [label], label in first, bool(suspects) and suspects[0].split(".")[0] == str(rank)


def alarms(said):
    return bool(said["data"]["first"]) or any(item["level"] == "suspect" for item in said["suspects"])


def measure(bench, program, faults, normal_runs, rows):
    path = build(program, bench.folder)
    normals = [bench.collect(f"{program}.n{i}", path) for i in range(normal_runs)]
    false = 0
    for i in range(FURTHER):
        said = bench.compare(normals, bench.collect("further", path))
        false += alarms(said)
        if alarms(said):
            print(program, "ALARM", said["verdict"], file=sys.stderr)
    for fault in faults:
        run = bench.collect("faulty", path, fault["fault"], fault["rank"], fault["step"])
        said = bench.compare(normals, run)
        alone, among, suspect = judge(said, fault["rank"])
        told = said["data"]["first"][0]["text"] if said["data"]["first"] else "nothing"
        rows.append((program, fault["fault"], fault["kind"], fault["rank"], alone, among, suspect, told))
        print(f"{program:9} {fault['fault']:16} rank {fault['rank']}: "
              f"{'first' if alone else 'among the first' if among else 'MISSED'}, "
              f"{'suspect' if suspect else 'NO SUSPECT'}; {told}", file=sys.stderr)
    return false


def report(rows, false, compared, normals):
    print(f"| program | fault | kind | rank | named | first suspect | what is said |\n|---|---|---|---|---|---|---|")
    for program, fault, kind, rank, alone, among, suspect, told in rows:
        named = "alone" if alone else "among others" if among else "no"
        print(f"| {program} | {fault} | {kind} | {rank} | {named} | {'yes' if suspect else 'no'} | {told} |")
    alone, suspects = sum(row[4] for row in rows), sum(row[6] for row in rows)
    print(f"\n{len(rows)} faults with {normals} normal run{'' if normals == 1 else 's'}: {alone} "
          f"({100 * alone / len(rows):.0f} %) name the faulty rank, and no other, as the first whose data differ; of "
          f"{suspects} ({100 * suspects / len(rows):.0f} %) it is the first suspect. Normal against normal: {false} "
          f"alarms in {compared} comparisons.")


def main():
    parser = argparse.ArgumentParser(prog="run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", action="append")
    parser.add_argument("--normals", type=int, default=3)
    options = parser.parse_args()
    with open(os.path.join(HERE, "corpus.json"), encoding="utf-8") as file:
        corpus = json.load(file)
    programs = [name for name in dict.fromkeys(row["program"] for row in corpus)
                if not options.only or name in options.only]
    rows, false = [], 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, folder)
        for program in programs:
            false += measure(bench, program, [row for row in corpus if row["program"] == program], options.normals,
                             rows)
    report(rows, false, FURTHER * len(programs), options.normals)
    return 0 if rows else 2


if __name__ == "__main__":
    sys.exit(main())
