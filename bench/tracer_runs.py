"""How the parts of bench/tracer run programs, untraced and traced, and print tables."""
import ctypes
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import threading
import time


SLICE_NS = 20_000_000
SYS_SCHED_SETATTR, SCHED_ATTR = 314, "=IIQiIQQQ"  # x86-64; struct sched_attr as Linux first had it: its size comes first


def share_processor(number):
    """This process and its children are run there alone, for a slice at a time. Short slices would leave caches cold: Linux 6.12
    and later grant long ones, by sched_setattr(); others do as they like."""
    os.sched_setaffinity(0, {number})
    attributes = struct.pack(SCHED_ATTR, struct.calcsize(SCHED_ATTR), os.SCHED_OTHER, 0, os.nice(0), 0, SLICE_NS, 0, 0)
    ctypes.CDLL(None).syscall(SYS_SCHED_SETATTR, 0, attributes, 0)


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

    def with_plans_of_other_build(self):
        """The environment with another cache: two builds may make other plans of the same image, and each throws away the other's."""
        return dict(self.environment, XDG_CACHE_HOME=str(self.work / "cache of the other build"))

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
        self.check_steady(" ".join(command), self.work)
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

    def check_steady(self, what, folder):
        """Some programs do less if they are slow: that would be no comparison."""
        name, pattern = self.inputs.get("steady", (None, None))
        if not name or not (folder / name).exists():
            return
        did = re.findall(pattern, (folder / name).read_text())
        if self.did not in (None, did):
            raise Failed(f"{what}: it did something else than before\n{did}\n{self.did}")
        self.did = did

    def under_difftrace(self, command, images="main", codec="lzr", options=(), output=None, build=None):
        """The command that records it."""
        return [str((build or self.build) / "difftrace"), "collect", "--images", "*" if images == "all" else images, "--codec", codec,
                *options, "-o", str(output or self.run_directory), "--", *command]

    def traced(self, command, images="main", codec="lzr", options=()):
        """The same under difftrace."""
        shutil.rmtree(self.run_directory, ignore_errors=True)
        return self.run(self.under_difftrace(command, images, codec, options))

    def info(self, run=None):
        """What a traced run holds; if none is named, the last one that was made in turn."""
        return json.loads(self.run([str(self.build / "difftrace"), "info", "--json", str(run or self.run_directory)])[0])

    def together(self, commands, processor, environments):
        """Runs all commands, {name: command}, at the same time on one processor, which takes them in turn every few
        milliseconds; some in an environment of their own. {name: (processor seconds, folder it ran in)}; one that failed raises Failed.
        """
        self.clean()
        done = {}
        threads = [threading.Thread(target=self.run_beside, args=(name, command, processor, environments.get(name, self.environment), done))
                   for name, command in commands.items()]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        for name, outcome in done.items():
            if isinstance(outcome, Failed):
                raise outcome
            self.check_steady(name, outcome[1])
        return done

    def run_beside(self, name, command, processor, environment, done):
        """Into done[name], as above, or what failed."""
        folder = self.folder_with_inputs(name)
        with open(folder / "stderr.txt", "w+") as errors:
            process = subprocess.Popen(command, cwd=folder, env=dict(environment, OMPI_MCA_hwloc_base_binding_policy="none"),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                       preexec_fn=lambda: share_processor(processor))
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            failed = Failed(f"{' '.join(command)}: status {process.returncode}\n{errors.read()[-2000:]}")
        done[name] = failed if process.returncode != 0 else (used.ru_utime + used.ru_stime, folder)

    def folder_with_inputs(self, name):
        """An empty one for what a run leaves behind, with links to all that programs read."""
        folder = self.work / "together" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in self.work.iterdir():
            if file.is_file():
                (folder / file.name).symlink_to(file)
        return folder


def say(text=""):
    print(text, flush=True)


def table(head, rows):
    say("| " + " | ".join(head) + " |")
    say("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        say("| " + " | ".join(row) + " |")
    say()
