"""collect --engine pin: its errors, its command lines, and runs of static programs under a stand-in for Pin.

The stand-in (tests/pin/stepper.c) steps through the program and tells our engine what the Pin tool would; Pin itself is
not here. A second one only writes down how it was called.
"""

import os
import shutil
import stat
import sys
import tempfile
import unittest

STEPPER = os.environ["PIN_STEPPER"]
FOLDER = tempfile.mkdtemp(prefix="difftrace-pin-")
for installed in ("difftrace", "difftrace-analysis.so", "libdifftrace_runtime.so"):
    shutil.copy(os.path.join(os.path.dirname(os.environ["DIFFTRACE"]), installed), FOLDER)
os.environ["DIFFTRACE"] = os.path.join(FOLDER, "difftrace")

from e2e_support import MPIS, EndToEnd, app, environment, main  # noqa: E402

TOOL = os.path.join(FOLDER, "libdifftrace_pin.so")


def tearDownModule():
    shutil.rmtree(FOLDER, ignore_errors=True)


def write_program(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, stat.S_IRWXU)


class Kit(EndToEnd):
    """A folder that looks like a kit, and a tool beside difftrace."""

    def setUp(self):
        super().setUp()
        self.kit = self.path("kit")
        write_program(os.path.join(self.kit, "intel64/bin/pinbin"), "#!/bin/sh\nexit 1\n")
        with open(TOOL, "w"):
            pass
        self.with_kit = {"env": environment(PIN_ROOT=self.kit)}

    def use_stepper(self):
        shutil.copy(STEPPER, os.path.join(self.kit, "pin"))

    def use_recorder(self):
        """Writes its own arguments down, a line each, and runs the program untraced."""
        write_program(os.path.join(self.kit, "pin"), "#!/bin/sh\nprintf '%%s\\n' \"$@\" >> '%s'\n"
                      "echo \"preload=$LD_PRELOAD run=$DIFFTRACE_RUN\" >> '%s'\n"
                      "while [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n" % (self.path("calls"), self.path("environment")))

    def called_with(self):
        with open(self.path("calls")) as file:
            return file.read().splitlines()

    def wrapped(self, *command):
        return ["-follow_execv", "1", "-t", TOOL, "--", *command]

    def collect_pin(self, *command, status=0, options=(), **more):
        run = self.path("run")
        return run, self.difftrace("collect", "-o", run, "--engine", "pin", *options, "--", *command, status=status,
                                   **self.with_kit, **more)


class Missing(Kit):
    def refused(self, *words, root=None, path=None, command="true"):
        more = environment()
        more.pop("PIN_ROOT", None)
        if root is not None:
            more["PIN_ROOT"] = root
        if path is not None:
            more["PATH"] = path + ":" + more["PATH"]
        result = self.difftrace("collect", "-o", self.path("run"), "--engine", "pin", "--", command, status=None, env=more)
        self.assert_one_error(result, "--engine pin", "PIN_ROOT", *words)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertFalse(os.path.exists(self.path("run")))

    def test_no_kit(self):
        self.refused("PATH", path=None)
        self.refused(self.path("nowhere"), root=self.path("nowhere"))

    def test_incomplete_kit(self):
        self.use_recorder()
        os.remove(os.path.join(self.kit, "intel64/bin/pinbin"))
        self.refused("pinbin", root=self.kit)
        self.refused("pinbin", path=self.kit)

    def test_no_tool(self):
        self.use_recorder()
        os.remove(TOOL)
        self.refused("libdifftrace_pin.so", "cmake", root=self.kit)

    def test_native_engine_names_pin(self):
        result = self.difftrace("collect", "-o", self.path("run"), "--", app("static"), status=2)
        self.assertIn("--engine pin", result.stderr)


class CommandLine(Kit):
    def setUp(self):
        super().setUp()
        self.use_recorder()

    def test_program(self):
        _, result = self.collect_pin("sh", "-c", "exit 7", status=7)
        self.assertEqual(self.called_with(), self.wrapped("sh", "-c", "exit 7"))
        with open(self.path("environment")) as file:
            self.assertEqual(file.read(), "preload= run=%s\n" % self.path("run"))
        self.assertIn("Pin", result.stderr)

    def test_scripts_by_their_interpreter(self):
        script = self.path("script")
        write_program(script, "#! /bin/sh -e\nexit $1\n")
        self.collect_pin(script, "3", status=3)
        self.assertEqual(self.called_with(), self.wrapped("/bin/sh", "-e", script, "3"))

    def test_kit_on_path(self):
        links = self.path("links")
        os.mkdir(links)
        os.symlink(os.path.join(self.kit, "pin"), os.path.join(links, "pin"))
        more = environment(PATH=links + ":" + os.environ["PATH"])
        more.pop("PIN_ROOT", None)
        self.difftrace("collect", "-o", self.path("run"), "--engine", "pin", "--", "true", env=more)
        self.assertEqual(self.called_with(), self.wrapped("true"))

    def launched(self, *arguments):
        """What a launcher gets to see."""
        launcher = self.path("bin/mpiexec.hydra")
        write_program(launcher, "#!/bin/sh\nprintf '%%s\\n' \"$@\" > '%s'\n" % self.path("launched"))
        self.collect_pin(launcher, *arguments)
        with open(self.path("launched")) as file:
            return file.read().splitlines()

    def test_launchers(self):
        pin = [os.path.join(self.kit, "pin"), *self.wrapped()]
        for before in ([], ["-n", "4"], ["--mca", "btl", "self", "-np", "4"], ["-env", "A", "yes", "-n", "2"],
                       ["--map-by", "env", "--oversubscribe"], ["--unknown", "4"], ["-n4", "--quiet"]):
            with self.subTest(before=before):
                self.assertEqual(self.launched(*before, "true", "-n", "sh"), [*before, *pin, "true", "-n", "sh"])

    def test_several_programs(self):
        pin = [os.path.join(self.kit, "pin"), *self.wrapped()]
        self.assertEqual(self.launched("-n", "1", "true", "x", ":", "-n", "2", "sh", "y"),
                         ["-n", "1", *pin, "true", "x", ":", "-n", "2", *pin, "sh", "y"])

    def test_launcher_without_program(self):
        launcher = self.path("bin/mpirun.mpich")
        write_program(launcher, "#!/bin/sh\n")
        _, result = self.collect_pin(launcher, "-configfile", "nothing", status=2)
        self.assert_one_error(result, "which argument", "pin")
        self.assertFalse(os.path.exists(self.path("run")))


class StaticPrograms(Kit):
    def setUp(self):
        super().setUp()
        self.use_stepper()

    def flat(self, run, label):
        """Entries and returns of what is not libc's."""
        return [("" if entry else "/") + function for _, entry, function in self.events(run, "-t", label)
                if not function.startswith("pthread_") and function not in ("raise", "exit", "_exit")]

    def test_longjmp_as_the_native_engine_sees_it(self):
        options = ["--images", "main", "--include", "^(main|dive|attempt|attempt_signal|on_signal)$"]
        run, result = self.collect_pin(app("static-longjmp"), options=options)
        self.assertEqual(result.stdout, "300 300\n")
        native, _ = self.collect("native", [app("longjmp")], options)
        traces = self.flat(run, "0.0")
        self.assertGreater(len(traces), 10000)
        self.assertEqual(traces, self.flat(native, "0.0"))

    def test_threads_and_signal_stacks(self):
        run, result = self.collect_pin(app("static-threads"), options=["--include", "^(main|run|work|handle|stumble|escape)$"])
        self.assertEqual(result.stdout, "done\n")
        work = ["work", "/work"]
        self.assertEqual(self.flat(run, "0.0"), ["main", "stumble", "handle", *work, "/handle", *work, "/stumble",
                                                 "escape", "handle", *work, "/handle", *work, "/escape", "/main"])
        self.assertEqual(self.flat(run, "0.1"), ["run", "work", "work", "/work", "/work", "/run"])
        self.assertEqual(self.flat(run, "0.2"), ["run", "work", "work", "work", "/work", "/work", "/work", "/run"])
        process, = self.json("info", run)["processes"]
        self.assertEqual((process["end"], process["status"]), ("exited", 0))

    def test_static_pie(self):
        run, result = self.collect_pin(app("static-pie"), "3", status=3, options=["--include", "^(main|end_as)$"])
        self.assertEqual(self.flat(run, "0.0"), ["main", "end_as"])
        self.assertIn("exit", [function for _, _, function in self.events(run)], "recorded whatever is included")
        self.assertEqual(self.json("info", run)["processes"][0]["status"], 3)

    def test_ranks(self):
        mpis = [mpi for mpi in MPIS if shutil.which(mpi.launcher)]
        for mpi in mpis:
            with self.subTest(mpi=mpi.name):
                run, _ = self.collect_pin(mpi.launcher, *mpi.options, "-n", "2", app("static"),
                                          options=["--include", "^(main|end_as)$"])
                for label in ("0.0", "1.0"):
                    self.assertEqual(self.flat(run, label), ["main", "end_as"])


if __name__ == "__main__":
    main()
