"""Processes that leave no trace file: each is told, with its reason; the programs do what they do untraced."""

import os
import shutil
import struct
import subprocess
import sys
import unittest

from e2e_support import DIFFTRACE, MPIS, EndToEnd, app, example, execute, main, own_lines

SHELL = os.path.basename(os.path.realpath("/bin/sh"))
USER = 4242  # nobody has it
STARTS = app("starts")
STATIC = app("starts-static")
RUNTIME = os.path.join(os.path.dirname(DIFFTRACE), "libdifftrace_runtime.so")


def tiny_elf32(path):
    """A program of another architecture that this kernel may run: 32-bit x86, exit(3)."""
    code = bytes.fromhex("b801000000bb03000000cd80")
    base, start = 0x08048000, 52 + 32
    header = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, base + start, 52, 0, 0, 52, 32, 1,
                                                           0, 0, 0)
    segment = struct.pack("<IIIIIIII", 1, 0, base, base, start + len(code), start + len(code), 5, 0x1000)
    with open(path, "wb") as file:
        file.write(header + segment + code)
    os.chmod(path, 0o755)


def libraries_of(path):
    words = subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return [word for word in words if word.startswith("/")]


class Told(EndToEnd):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)  # other users come here

    def check(self, command, reasons, untraced=None, **options):
        """The command does what it does untraced; not recorded are processes of these reasons and executables."""
        expected = execute(untraced or command)
        run, result = self.collect("run", command, status=None, **options)
        self.assertEqual((result.returncode, sorted(result.stdout.splitlines())),
                         (expected.returncode, sorted(expected.stdout.splitlines())), result.stderr)
        self.check_told(run, result, reasons)
        return run, result

    def check_told(self, run, result, reasons):
        told = self.json("info", run)["unrecorded"]
        names = sorted((each["reason"], os.path.basename(each["executable"] or "?")) for each in told)
        self.assertEqual(names, sorted(reasons), result.stderr)
        self.assertEqual(len({each["pid"] for each in told}), len(told))
        lines = [line for line in own_lines(result.stderr) if "not recorded" in line]
        text = self.difftrace("info", run).stdout
        for reason in {reason for reason, _ in reasons}:
            count = sum(reason == each for each, _ in reasons)
            line = "%d %s not recorded: %s (" % (count, "process was" if count == 1 else "processes were", reason)
            self.assertTrue(any(line in each for each in lines), lines)
            self.assertIn("unrecorded " + line, text)
        if not reasons:
            self.assertEqual(lines, [])
        else:
            self.assertIn("not recorded", own_lines(result.stderr)[-1])


class Starts(Told):
    def test_every_way_of_starting(self):
        """What keeps the tracer out is seen whoever starts the program."""
        static = ("none", STATIC, "static")
        cleared, replaced = ("clear", STARTS, "environment cleared"), ("preload", STARTS, "preload replaced")
        for how, changes in (("exec", (static, cleared)), ("fork", (static, replaced)), ("vfork", (static, cleared)),
                             ("spawn", (cleared, replaced)), ("daemon", (static, cleared))):
            for change, program, reason in changes:
                with self.subTest(how=how, change=change):
                    self.check([STARTS, how, change, program], [(reason, os.path.basename(program))])
                    shutil.rmtree(self.path("run"))

    def test_system(self):
        self.check([STARTS, "system", "preload", STARTS], [("preload replaced", SHELL)])

    def test_recorded_after_all(self):
        """Nothing is told where nothing keeps the tracer out."""
        for how in ("exec", "fork", "vfork", "spawn", "system", "daemon", "nothing", "nothing-bare"):
            with self.subTest(how=how):
                self.check([STARTS, how, "none", STARTS], [])
                shutil.rmtree(self.path("run"))

    def test_child_that_began_unseen(self):
        run, _ = self.check([STARTS, "nothing-unseen", "none", STARTS], [("start failed", "starts")])
        self.assertEqual(len(self.json("info", run)["processes"]), 1)

    def test_env_i(self):
        self.check(["env", "-i", STARTS], [("environment cleared", "starts")])

    def test_other_architecture(self):
        program = self.path("tiny")
        tiny_elf32(program)
        try:
            self.assertEqual(subprocess.run([program]).returncode, 3)
            reasons = [("other architecture", "tiny")]
        except OSError:
            reasons = []  # this kernel does not run it, and nothing is told of what was never executed
        for how in ("fork", "vfork", "spawn"):
            self.check([STARTS, how, "none", program], reasons)
            shutil.rmtree(self.path("run"))

    def test_script_of_static_interpreter(self):
        script = self.path("script")
        with open(script, "w") as file:
            file.write("#!%s\n" % STATIC)
        os.chmod(script, 0o755)
        self.check([STARTS, "fork", "none", script], [("static", "script")])

    def test_no_room_for_a_file(self):
        for how in ("exec", "fork", "vfork"):
            with self.subTest(how=how):
                self.check([STARTS, how, "files:0", STARTS],
                           [("file size limit", "starts")])
                shutil.rmtree(self.path("run"))
        self.check([STARTS, "nothing", "files:0", STARTS], [("file size limit", "starts")])

    def test_little_memory(self):
        """It runs, and it is told that nothing was recorded."""
        run, result = self.collect("run", ["prlimit", "--as=25000000", STARTS], status=3)
        self.assertEqual(result.stdout, "it is user %d that says 7\n" % os.geteuid())
        self.assertRegex(result.stderr, "recording stopped early|not recorded: memory limit")

    def test_many(self):
        """More than the first page of a file has room for."""
        script = "for i in $(seq 40); do %s spawn none %s > /dev/null; done" % (STARTS, STATIC)
        self.check(["sh", "-c", script], [("static", "starts-static")] * 40)
        shutil.rmtree(self.path("run"))
        script = "import subprocess\nfor i in range(40): subprocess.run(['%s'], stdout=subprocess.DEVNULL)" % STATIC
        self.check([sys.executable, "-c", script], [("static", "starts-static")] * 40)

    def test_left_out_on_purpose(self):
        run, result = self.collect("run", ["sh", "-c", "%s; env -i %s; %s" % (STATIC, STATIC, STARTS)],
                                   options=["--only", "starts"], status=3)
        self.check_told(run, result, [])

    def test_timeout(self):
        """What hangs and was not recorded."""
        run, result = self.collect("run", ["sh", "-c", "env -i sh -c 'sleep 50; true' & %s; wait" % STARTS],
                                   options=["--timeout", "2"], status=124)
        told = self.json("info", run)["unrecorded"]
        self.assertEqual({each["reason"] for each in told}, {"environment cleared"})
        self.assertEqual({os.path.basename(each["executable"]) for each in told},
                         {"sleep", SHELL})

    def test_ordinary_programs(self):
        """Shells, pipes, make, children of Python, programs that are not there."""
        with open(self.path("Makefile"), "w") as file:
            file.write("all: a b\na b:\n\t@echo $@ | cat; true\n")
        python = ("import os, subprocess\n"
                  "try: subprocess.run(['no-such-program'])\nexcept FileNotFoundError: print('none')\n"
                  "subprocess.run(['true'])\nsubprocess.run('echo hello | cat', shell=True)\n"
                  "os.system('true')\nos.spawnlp(os.P_WAIT, 'true', 'true')\n"
                  "os.waitpid(os.posix_spawn('/bin/true', ['true'], os.environ), 0)\n"
                  "subprocess.run(['cat'], input=b'x', preexec_fn=os.setsid)\n")
        # What is killed just when it starts may leave no file: cat has to answer first.
        answers = "coproc cat; echo x >&${COPROC[1]}; read y <&${COPROC[0]}; kill %1"
        commands = [["sh", "-c", "echo a | sed s/a/b/ | sort; (sleep 0.1 &); no-such-program 2>&1; exit 5"],
                    ["bash", "-c", "x=$(echo 1); cat <(echo $x); " + answers + "; exec true"],
                    ["make", "-s", "-C", self.folder, "all"], [sys.executable, "-c", python]]
        for command in commands:
            with self.subTest(command=command[0]):
                self.check(command, [])
                shutil.rmtree(self.path("run"))


def is_open_to_all(path):
    """Whether other users can come to it."""
    while path != "/":
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & 0o001:
            return False
    return True


@unittest.skipUnless(os.geteuid() == 0 and is_open_to_all(RUNTIME), "needs root, and a build that others can read")
class Users(Told):

    def test_becomes_another_user(self):
        """A folder is made for that user, where the program's file and names are."""
        for command in (["setpriv", "--reuid=%d" % USER, "--clear-groups", STARTS],
                        [STARTS, "exec", "user:%d" % USER, STARTS], [STARTS, "spawn", "user:%d" % USER, STARTS],
                        [STARTS, "nothing", "user:%d" % USER, STARTS]):
            with self.subTest(command=command):
                run, result = self.check(command, [])
                folder = os.path.join(run, "users", str(USER))
                self.assertEqual(len(os.listdir(os.path.join(folder, "processes"))), 1)
                for path in (folder, os.path.join(folder, "processes"), os.path.join(folder, "images")):
                    status = os.lstat(path)
                    self.assertEqual((status.st_uid, status.st_mode & 0o777), (USER, 0o700))
                self.assertEqual(os.listdir(os.path.join(run, "users")), [str(USER)])
                for path in (run, os.path.join(run, "users")):  # open to pass through, not to be read
                    self.assertEqual(os.lstat(path).st_mode & 0o777, 0o711)
                self.assertEqual(os.lstat(os.path.join(run, "processes")).st_mode & 0o777, 0o700)
                self.assertTrue(any(function == "work" for _, _, function in self.events(run)))
                shutil.rmtree(run)

    def test_links_are_not_followed(self):
        """Whoever can write to a folder of the run finds that nothing is made or given away there."""
        target = self.path("precious")
        os.mkdir(target)
        script = 'ln -s %s "$DIFFTRACE_RUN/users"; exec setpriv --reuid=%d --clear-groups %s' % (target, USER, STARTS)
        run, result = self.collect("run", ["sh", "-c", script], status=3)
        self.assertEqual(os.listdir(target), [])
        self.assertEqual(os.stat(target).st_uid, 0)
        self.check_told(run, result, [("run directory not writable", "starts")])

    def test_user_who_cannot_write(self):
        for how in ("exec", "fork", "vfork", "nothing", "nothing-bare"):
            with self.subTest(how=how):
                self.check([STARTS, how, "raw-user:%d" % USER, STARTS],
                           [("run directory not writable", "starts")])
                shutil.rmtree(self.path("run"))

    def make_root(self, *more):
        root = self.path("root")
        for path in {STARTS, *libraries_of(STARTS), *more}:
            os.makedirs(root + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, root + path)
        return root

    def test_other_root(self):
        root = self.make_root()
        for how, reason in (("exec", "tracer not reachable"), ("vfork", "tracer not reachable"),
                            ("fork", "run directory not reachable")):  # already when it forks
            run, result = self.check([STARTS, how, "root:" + root, STARTS], [(reason, "starts")])
            shutil.rmtree(run)
        self.check(["chroot", root, STARTS], [("tracer not reachable", "starts")])

    def test_other_root_with_the_tracer(self):
        root = self.make_root(RUNTIME, *libraries_of(RUNTIME))
        self.check([STARTS, "fork", "root:" + root, STARTS], [("run directory not reachable", "starts")])

    def test_privileged(self):
        program = self.path("privileged")
        shutil.copy(STARTS, program)
        os.chown(program, USER, 0)
        os.chmod(program, 0o4755)
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("nosuid")
        run, result = self.check([STARTS, "fork", "none", program], [("privileged", "privileged")])
        shutil.rmtree(run)
        run, result = self.collect("run", [program], status=3)
        self.assertEqual(own_lines(result.stderr)[-1],
                         "difftrace: 1 process was not recorded: privileged (privileged)")


@unittest.skipUnless([mpi for mpi in MPIS if mpi.available()], "no MPI")
class Launchers(Told):
    def ranks(self, mpi, script):
        """Each rank runs the script and then an MPI program; the launcher's own processes are none of ours."""
        path = self.path("rank")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n%s\nexec %s --bug none\n" % (script, example("oddeven" + mpi.suffix)))
        os.chmod(path, 0o755)
        return [mpi.launcher, *mpi.options, "-n", "2", path]

    def test_ranks(self):
        script = "true | cat\n%s\nenv -i %s\nLD_PRELOAD= %s" % (STATIC, STARTS, STARTS)
        reasons = [("static", "starts-static"), ("environment cleared", "starts"), ("preload replaced", "starts")]
        for mpi in (mpi for mpi in MPIS if mpi.available()):
            with self.subTest(mpi=mpi.name):
                command = self.ranks(mpi, script)
                expected = execute(command)
                run, result = self.collect("run", command)
                self.assertEqual(sorted(result.stdout.splitlines()), sorted(expected.stdout.splitlines()))
                self.check_told(run, result, reasons * 2)
                shutil.rmtree(run)
                self.check(mpi.run(2, example("oddeven"), "--bug", "none"), [])
                shutil.rmtree(run)

    def test_ranks_that_cannot_be_recorded(self):
        """Their parent is the launcher's daemon, which is not traced."""
        for mpi in (mpi for mpi in MPIS if mpi.available()):
            with self.subTest(mpi=mpi.name):
                command = [mpi.launcher, *mpi.options, "-n", "2", STATIC]
                run, result = self.collect("run", command, status=None)
                # MPICH's launcher now and then loses what ranks print that fail at once, untraced too.
                self.assertLessEqual(set(result.stdout.splitlines()), {"it is user %d that says 7" % os.geteuid()})
                self.assertIn("2 processes were not recorded: static (starts-static)", own_lines(result.stderr)[-1])
                shutil.rmtree(run)


if __name__ == "__main__":
    main()
