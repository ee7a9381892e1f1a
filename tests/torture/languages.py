"""Programs of other languages, runtimes and C libraries: each prints and ends traced as it does untraced.

Their sources are in languages/. What takes a compiler or a tool that is not there is skipped."""

import os
import shutil
import stat
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, os.pardir, "cli"))

from e2e_support import DIFFTRACE, EndToEnd, app, environment, execute  # noqa: E402

ALL_AT_ONCE = ["--images=*", "--times=functions", "--payload", "--max-size=1M", "--when-full=keep-last"]
MODES = ([], ["--images=main", "--times=functions", "--payload"], ALL_AT_ONCE)
LONG_MODES = (["--images=*"], ["--images=*", "--times=functions"], ["--max-size=1M", "--when-full=keep-last"])
MODES += LONG_MODES if os.environ.get("DIFFTRACE_LONG_TESTS") else ()


def source(name):
    return os.path.join(FOLDER, "languages", name)


def needs(*tools):
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return unittest.skipIf(missing, "no " + ", ".join(missing))


class Languages(EndToEnd):
    def build(self, *command, **more):
        result = execute(list(command), cwd=self.folder, env=environment(**more))
        self.assertEqual(result.returncode, 0, result.stderr)

    def compile(self, name, *options, compiler="gcc"):
        program = self.path(name)
        self.build(compiler, "-O1", "-g", "-pthread", "-o", program, source(name + ".c"), *options)
        return program

    def assert_same(self, command, status, says=None, modes=MODES):
        """`says`: a regular expression for what `info` prints."""
        plain = execute(command)
        self.assertEqual(plain.returncode, status, plain.stderr)
        for number, options in enumerate(modes):
            with self.subTest(command=command, options=options):
                run = self.path("run-%d" % number)
                shutil.rmtree(run, ignore_errors=True)
                traced = execute([DIFFTRACE, "collect", "-o", run, *options, "--", *command])
                # A signal that ended the command is an exit status here.
                expected = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
                self.assertEqual((traced.stdout, traced.returncode), (plain.stdout, expected), traced.stderr)
                if says:
                    self.assertRegex(self.difftrace("info", run).stdout, says)


class Go(Languages):
    def setUp(self):
        super().setUp()
        self.go = dict(CGO_ENABLED="1", GOTOOLCHAIN="local", GOPROXY="off", GOFLAGS="-mod=mod",
                       GOCACHE=os.environ.get("GOCACHE", os.path.join(self.folder, "cache")))

    def link(self, name, program, *options):
        self.build("go", "build", *options, "-o", program, source(name), **self.go)
        return self.path(program)

    @needs("go", "gcc")
    def test_programs(self):
        self.assert_same([self.link("cgo.go", "plain")], 6, "stack walker")
        self.assert_same([self.link("cgo.go", "bare", "-buildmode=pie", "-ldflags=-s -w")], 6, "stack walker")

    @needs("go", "gcc")
    def test_libraries(self):
        """Whoever loads Go code gets its handlers of faults with it."""
        library = self.link("library.go", "library.so", "-buildmode=c-shared")
        host = self.compile("go_host", "-ldl")
        self.assert_same([host, library], 4)
        self.assert_same([host, library, "crash"], -6 if not os.environ.get("GOTRACEBACK") else 2)

    @needs("go", "gcc")
    def test_archive(self):
        archive = self.link("library.go", "library.a", "-buildmode=c-archive")
        self.assert_same([self.compile("go_host", "-DLINKED", archive)], 4)


@needs("musl-gcc")
class OtherLibrary(Languages):
    REASON = "other C library"

    def setUp(self):
        super().setUp()
        self.program = self.path("other_library")
        self.build("musl-gcc", "-O1", "-o", self.program, source("other_library.c"))

    def test_whoever_starts_it(self):
        self.assert_same([self.program], 3, self.REASON)
        self.assert_same(["sh", "-c", "'%s'; exit $?" % self.program], 3, self.REASON, modes=[[]])
        self.assert_same(["env", "A=1", self.program], 3, self.REASON, modes=[[]])
        for how in ("exec", "vfork", "spawn", "system"):
            command = [app("starts"), how, "none", self.program]
            self.assert_same(command, execute(command).returncode, self.REASON, modes=[[]])

    def test_script(self):
        script = self.path("script")
        with open(script, "w") as file:
            file.write("#!%s\n" % self.program)
        os.chmod(script, stat.S_IRWXU)
        self.assert_same([script], 3, self.REASON, modes=[[]])

    def test_programs_that_it_starts_are_recorded(self):
        run, _ = self.collect("run", [self.program], status=3)
        self.assertEqual([os.path.basename(each["executable"]) for each in self.json("info", run)["processes"]],
                         [os.path.basename(os.path.realpath(shutil.which("sh")))])

    def test_reason_is_told_once(self):
        run, _ = self.collect("run", [self.program], status=3)
        with open(os.path.join(run, "unrecorded.log")) as log:
            self.assertEqual([line.split("\t")[2] for line in log], [self.REASON])

    def test_left_out(self):
        run, traced = self.collect("run", ["sh", "-c", self.program + "; exit $?"], ["--only", "sh,dash,bash"], status=3)
        self.assertNotIn("not recorded", traced.stderr)


class Others(Languages):
    @needs("ocamlopt")
    def test_ocaml(self):
        shutil.copy(source("collected.ml"), self.path("collected.ml"))
        self.build("ocamlopt", "-g", "-o", self.path("collected"), self.path("collected.ml"))
        self.assert_same([self.path("collected")], 5, "stack walker")

    @needs("gcc")
    def test_generated_code(self):
        self.assert_same([self.compile("generated")], 8)

    @needs("luajit")
    def test_compiled_while_it_runs(self):
        self.assert_same(["luajit", source("compiled.lua")], 6)

    @needs("gcc")
    def test_profiler(self):
        program = self.compile("profiled", "-D_GNU_SOURCE")
        self.assert_same([program], 9)
        library = "-l:libprofiler.so.0"
        if execute(["gcc", "-shared", "-o", os.devnull, library]).returncode != 0:
            self.skipTest("no " + library)
        program = self.compile("profiled", "-D_GNU_SOURCE", "-Wl,--no-as-needed", library)
        profile = self.path("profile")
        command = ["env", "CPUPROFILE=" + profile, "CPUPROFILE_FREQUENCY=4000", program, "library"]
        self.assert_same(command, 9, modes=MODES[2:])
        self.assertGreater(os.path.getsize(profile), 1000)

    @needs("rustc")
    def test_rust(self):
        self.build("rustc", "-g", "-o", self.path("panics"), source("panics.rs"))
        self.assert_same([self.path("panics")], 7)

    @needs("node")
    def test_node(self):
        text = ("function f(n) { if (n === 0) throw new Error('x'); return 1 + f(n - 1); } let s = 0;"
                "for (let i = 0; i < 20000; i++) { try { f(i % 30); } catch (e) { s += e.stack.length; } }"
                "console.log(s > 0, require('child_process').execSync('echo hi').toString()); process.exit(5);")
        self.assert_same(["node", "-e", text], 5, modes=MODES[2:])


class Instrumented(Languages):
    @needs("gcc")
    def test_address_sanitizer(self):
        program = self.compile("threads", "-fsanitize=address")
        self.assert_same([program], 4)
        self.assert_same([program, "wrong"], 1, modes=[[]])

    @needs("gcc")
    def test_thread_sanitizer(self):
        self.assert_same([self.compile("threads", "-fsanitize=thread")], 4)

    @needs("gcc", "valgrind")
    def test_valgrind(self):
        self.assert_same(["valgrind", "-q", self.compile("threads")], 4, modes=[[]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
