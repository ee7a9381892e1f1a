"""How the parts of bench/tracer run programs, untraced and traced, and print tables."""
import json
import os
import re
import resource
import shutil
import subprocess
import time


class Failed(Exception):
    """A command that did not do what it should."""


class Bench:
    """Where things are, and how programs are run."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.build, self.rounds = options.build.resolve(), options.rounds
        self.run_directory = work / "run"
        self.inputs, self.did = {}, None
        # One thread each, and those that have several all the same wait without spinning: that would be measured as work.
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"), OMPI_ALLOW_RUN_AS_ROOT="1", LC_ALL="C",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", PMIX_MCA_gds="hash",
                                OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMP_WAIT_POLICY="passive")

    def program(self, name):
        return str(self.build / "bench" / name)

    def run(self, command, environment=None):
        """Standard output, wall and processor seconds of a command and all that it starts."""
        self.clean()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        done = subprocess.run(command, cwd=self.work, env=environment or self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        wall = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: status {done.returncode}\n{done.stderr[-2000:]}")
        self.check_steady(command)
        return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def use(self, program, length):
        """What runs from now on are runs of this program of tracer_inputs, long or short."""
        self.inputs, self.did = program, None
        for name, text in program.get("files", {}).get(length, {}).items():
            (self.work / name).write_text(text)
        for command in program.pop("prepare", []):
            self.run(command)

    def clean(self):
        for pattern in self.inputs.get("clean", []):
            for left in self.work.glob(pattern):
                left.unlink()

    def check_steady(self, command):
        """Some programs do less if they are slow: that would be no comparison."""
        name, pattern = self.inputs.get("steady", (None, None))
        if not name or not (self.work / name).exists():
            return
        did = re.findall(pattern, (self.work / name).read_text())
        if self.did not in (None, did):
            raise Failed(f"{' '.join(command)}: it did something else than before\n{did}\n{self.did}")
        self.did = did

    def traced(self, command, images="main", codec="lzr", options=()):
        """The same under difftrace."""
        shutil.rmtree(self.run_directory, ignore_errors=True)
        return self.run([str(self.build / "difftrace"), "collect", "--images", "*" if images == "all" else images, "--codec", codec,
                         *options, "-o", str(self.run_directory), "--", *command])

    def info(self):
        """What the last traced run holds."""
        return json.loads(self.run([str(self.build / "difftrace"), "info", "--json", str(self.run_directory)])[0])


def say(text=""):
    print(text, flush=True)


def table(head, rows):
    say("| " + " | ".join(head) + " |")
    say("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        say("| " + " | ".join(row) + " |")
    say()
