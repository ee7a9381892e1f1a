"""What lies in the place of a file that is read: pipes, devices, sockets, links, holes of a terabyte, very many files. Each
reading command answers, with an error of status 2 where nothing can be read; none waits, and none reads for ever."""

import glob
import os
import shutil
import socket
import subprocess

from support import CommandTest, main

HANG = 20  # seconds: not what it may take, but what tells a hang
TERABYTE = 1 << 40
MANY = 100_000 if os.environ.get("DIFFTRACE_LONG_TESTS") else 10_000
RUN_COMMANDS = (["info"], ["info", "--json"], ["dump"], ["stats"], ["nlr"], ["lattice"], ["stack", "--all"], ["lines"], ["waits"], ["check"],
                ["export", "--format", "csv"], ["times"], ["skeleton"])
RESULT_COMMANDS = (["rank"], ["diffnlr", "1"], ["jsm"], ["dendrogram"])


def make_socket(path):
    """Bound by a short name: those of sockets have at most 107 bytes."""
    holder = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(os.path.dirname(path))
    try:
        holder.bind(os.path.basename(path))
    finally:
        os.chdir(here)
        holder.close()


def make_hole(path, start=b""):
    with open(path, "wb") as stream:
        stream.write(start)
        stream.truncate(TERABYTE)


KINDS = {
    "pipe": os.mkfifo,
    "socket": make_socket,
    "directory": os.mkdir,
    "loop": lambda path: os.symlink(os.path.basename(path), path),
    "dangling": lambda path: os.symlink("nowhere", path),
    "zero": lambda path: os.symlink("/dev/zero", path),
    "terminal": lambda path: os.symlink("/dev/tty", path),
    "memory": lambda path: os.symlink("/proc/self/mem", path),
    "hole": make_hole,
    "empty": lambda path: open(path, "wb").close(),
}


class HostileFiles(CommandTest):
    def setUp(self):
        super().setUp()
        self.make("oddeven4")

    def answer(self, *arguments, statuses=(0, 2)):
        """A command that ends by itself, with words only where it fails."""
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        result = subprocess.run([os.environ["DIFFTRACE"], *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, cwd=self.folder, env=environment, timeout=HANG)
        message = result.stderr.decode(errors="replace")
        self.assertIn(result.returncode, statuses, message)
        if result.returncode == 2:
            self.assertTrue(message.startswith("difftrace: "), message)
            self.assertLessEqual(len(message.splitlines()), 2, message)
        return result.returncode, message

    def traces(self, run):
        return sorted(glob.glob(os.path.join(glob.escape(self.path(run)), "processes", "*.trace")))

    def copy(self, name):
        shutil.copytree(self.path("oddeven4"), self.path(name), symlinks=True)
        return name

    def replace(self, path, kind):
        if os.path.exists(path):
            os.remove(path)
        KINDS[kind](path)

    def test_no_trace_is_a_file(self):
        for kind in KINDS:
            run = self.copy("all-" + kind)
            for trace in self.traces(run):
                self.replace(trace, kind)
            for command in RUN_COMMANDS:
                with self.subTest(kind=kind, command=command):
                    self.assertEqual(len(self.answer(command[0], run, *command[1:], statuses=(2,))[1].splitlines()), 1)
            self.answer("compare", "oddeven4", run, statuses=(2,))
            self.answer("compare", run, "oddeven4", statuses=(2,))

    def test_one_trace_is_no_file(self):
        """The others are read, and one line tells of it."""
        for kind in KINDS:
            run = self.copy("one-" + kind)
            trace = self.traces(run)[1]
            self.replace(trace, kind)
            for command in RUN_COMMANDS[2:5]:
                with self.subTest(kind=kind, command=command):
                    message = self.answer(command[0], run, *command[1:], statuses=(0,))[1]
                    self.assertEqual(message.count(os.path.basename(trace)), 1, message)
                    self.assertEqual(len(message.splitlines()), 1, message)

    def test_other_files_of_a_run(self):
        """Manifest, ends, symbols, marker: what they say is not known."""
        for kind in KINDS:
            for name in ("manifest.json", "ends.log", ".difftrace", "images"):
                run = self.copy("%s-%s" % (name.strip("."), kind))
                victims = glob.glob(self.path(run, "images", "*")) if name == "images" else [self.path(run, name)]
                self.assertTrue(victims)
                for victim in victims:
                    self.replace(victim, kind)
                for command in (["info"], ["stats"]):
                    with self.subTest(kind=kind, name=name, command=command):
                        self.answer(command[0], run, *command[1:], statuses=(0,))

    def test_directories(self):
        for kind in KINDS:
            os.mkdir(self.path("processes-" + kind))
            KINDS[kind](self.path("processes-" + kind, "processes"))
            KINDS[kind](self.path("run-" + kind))
            for run in ("processes-" + kind, "run-" + kind):
                for command in RUN_COMMANDS[:3]:
                    with self.subTest(kind=kind, run=run, command=command):
                        self.answer(command[0], run, *command[1:], statuses=(2,))

    def test_hole_behind_what_is_there(self):
        """A good file that goes on with a terabyte of nothing; and one whose last chunk claims four gigabytes."""
        run = self.copy("grown")
        for trace in self.traces(run):
            os.truncate(trace, TERABYTE)
        for command in RUN_COMMANDS:
            self.answer(command[0], run, *command[1:], statuses=(2,))

    def test_results(self):
        self.difftrace("compare", "oddeven4", "oddeven4")
        for kind in KINDS:
            result = "result-" + kind
            shutil.copytree(self.path("difftrace.out"), self.path(result))
            self.replace(self.path(result, "result.json"), kind)
            for command in RESULT_COMMANDS:
                with self.subTest(kind=kind, command=command):
                    self.answer(*command, result, statuses=(2,))
            self.replace(self.path(result, ".difftrace"), kind)
            self.answer("rank", result, statuses=(2,))

    def test_deep_result(self):
        self.difftrace("compare", "oddeven4", "oddeven4")
        with open(self.path("difftrace.out", "result.json"), "w", encoding="ascii") as stream:
            stream.write("[" * 1_000_000)
        for command in RESULT_COMMANDS:
            self.answer(*command, statuses=(2,))

    def test_imports(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                KINDS[kind](self.path("text-" + kind))
                KINDS[kind](self.path("go-trace-" + kind))
                for parlot in ("Hdbg.17.node.1.info", "Hdbg.17.node.1.1"):
                    os.makedirs(self.path("parlot-" + kind), exist_ok=True)
                    KINDS[kind](self.path("parlot-" + kind, parlot))
                os.mkdir(self.path("uftrace-" + kind))
                for name in ("info", "task.txt", "sid-1.map", "app.sym", "1.dat"):
                    KINDS[kind](self.path("uftrace-" + kind, name))
                for tool in ("text", "parlot", "uftrace", "go-trace"):
                    self.answer("import", "%s-%s" % (tool, kind), "--from", tool, "-o", "imported-%s-%s" % (tool, kind))
                self.answer("import", "text-" + kind, "-o", "guessed-" + kind)

    def test_parts_of_an_import(self):
        """Data of uftrace that is good but for one file."""
        records = b"".join((2 * 10**9 + n).to_bytes(8, "little") + (kind | 5 << 3 | 0x1104 << 16).to_bytes(8, "little")
                           for n, kind in enumerate((0, 1)))
        good = {"info": b"Ftrace!\0\4\0\0\0\x28\0\1\2" + bytes(24),
                "task.txt": b'SESS timestamp=1.5 pid=1 sid=1 exename="/bin/app"\nTASK timestamp=1.6 tid=1 pid=1\n',
                "sid-1.map": b"1000-5000 r-xp 00000000 00:00 0   /bin/app\n",
                "app.sym": b"# symbols: 1\n# path name: /bin/app\n0000000000000100 T main\n", "1.dat": records}
        for kind in KINDS:
            for victim in (None, *good):
                folder = "data-%s-%s" % (kind, victim)
                os.mkdir(self.path(folder))
                for name, content in good.items():
                    with open(self.path(folder, name), "wb") as stream:
                        stream.write(content)
                if victim:
                    self.replace(self.path(folder, victim), kind)
                with self.subTest(kind=kind, victim=victim):
                    self.answer("import", folder, "--from", "uftrace", "-o", folder + ".run",
                                statuses=(0, 2) if victim else (0,))

    def test_very_many_files(self):
        """All that is no trace is told in a few lines, whatever their number is."""
        run = self.copy("many")
        for number in range(MANY):
            with open(self.path(run, "processes", "junk%d.trace" % number), "wb") as stream:
                stream.write(b"x")
        message = self.answer("stats", run, statuses=(0,))[1]
        self.assertLessEqual(len(message.splitlines()), 4, message[:2000])
        self.assertIn("%d more files cannot be read" % (MANY - 3), message)
        for trace in self.traces(run)[-4:]:
            self.assertNotIn("junk", os.path.basename(trace))
            os.remove(trace)
        self.assertEqual(len(self.answer("stats", run, statuses=(2,))[1].splitlines()), 1)

    def test_names(self):
        """Of files and directories, which are part of messages."""
        for name in ("a\nb", "a\x1b[31mb", "-o", "a b", "%s%n", "\udcff\udcfe", "..trace"):
            run = self.copy("named" + name)
            os.rename(self.traces(run)[0], self.path(run, "processes", name + ".trace"))
            os.mkfifo(self.path(run, "processes", name + "2.trace"))
            with self.subTest(name=name):
                for command in RUN_COMMANDS[:3]:
                    result = subprocess.run([os.environ["DIFFTRACE"], command[0], run, *command[1:]],
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
                                            timeout=HANG)
                    self.assertEqual(result.returncode, 0)

    def test_endless_symbol(self):
        """A name of some hundred bytes that stands for gigabytes, in a run's symbols."""
        with open(self.path("endless.txt"), "w", encoding="ascii") as stream:
            digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            bomb = "_Z1fSt4pairIiiE" + "".join("S_IS%s_S%s_E" % (digit, digit) for digit in digits[:34])
            stream.write("0.0 > %s\n0.0 < %s\n" % (bomb, bomb))
        self.answer("import", "endless.txt", "-o", "endless", statuses=(0,))
        for command in RUN_COMMANDS:  # it has neither times nor calls of MPI
            self.answer(command[0], "endless", *command[1:], statuses=(2,) if command[0] in ("times", "skeleton") else (0,))


if __name__ == "__main__":
    main()
