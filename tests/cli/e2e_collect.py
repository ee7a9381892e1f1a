"""difftrace collect: options, errors, exit statuses, streams, timeouts, signals."""

import ctypes
import errno
import json
import mmap
import os
import re
import signal
import stat
import struct
import subprocess
import time
import unittest

from e2e_support import DIFFTRACE, EndToEnd, app, environment, execute, main, other_lines

LOADER = "/lib64/ld-linux-x86-64.so.2"


def forbid_writable_code(most):
    """For the child of a fork: no more bytes than these become writable and executable at once."""
    load, equal, above, give = 0x20, 0x15, 0x25, 0x06  # of BPF: a word of the system call's data, comparisons, an answer
    mprotect, number, length, protection = 10, 0, 24, 32
    program = [(load, 0, 0, number), (equal, 0, 5, mprotect), (load, 0, 0, protection),
               (equal, 0, 3, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC), (load, 0, 0, length), (above, 0, 1, most),
               (give, 0, 0, 0x00050000 | errno.EACCES), (give, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in program))
    filtering = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, seccomp, by_filter = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(seccomp, by_filter, filtering, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")


class BadInput(EndToEnd):
    def refused(self, *arguments):
        run = self.path("run")
        result = self.difftrace("collect", "-o", run, *arguments, status=None)
        self.assertFalse(os.path.exists(run), "a run was made for a command that could not start")
        return result

    def test_no_such_command(self):
        self.assert_one_error(self.refused("--", "no-such-command-anywhere"), "no-such-command-anywhere", "PATH")
        self.assert_one_error(self.refused("--", self.path("missing")), "no such file")

    def test_not_a_program(self):
        self.assert_one_error(self.refused("--", self.folder), "directory")
        plain = self.path("plain")
        with open(plain, "w") as file:
            file.write("text\n")
        self.assert_one_error(self.refused("--", plain), "not executable")

    def test_static(self):
        self.assert_one_error(self.refused("--", app("static")), "static")
        self.assert_one_error(self.refused("--", app("static-pie")), "static")

    def test_static_behind_a_script(self):
        script = self.path("script")
        with open(script, "w") as file:
            file.write("#!%s\n" % app("static"))
        os.chmod(script, 0o755)
        self.assert_one_error(self.refused("--", script), "static")

    def test_missing_interpreter(self):
        script = self.path("script")
        with open(script, "w") as file:
            file.write("#!/no/such/interpreter -x\n")
        os.chmod(script, 0o755)
        self.assert_one_error(self.refused("--", script), script, "/no/such/interpreter", "not there")
        program = self.path("program")
        with open(app("status"), "rb") as original, open(program, "wb") as changed:
            changed.write(original.read().replace(b"/lib64/ld-linux-x86-64", b"/lib64/no-linux-x86-64", 1))
        os.chmod(program, 0o755)
        self.assert_one_error(self.refused("--", program), program, "/lib64/no-linux", "not there")

    def test_bad_program_file(self):
        broken = self.path("broken")
        with open(broken, "wb") as file:
            file.write(b"\x7fELF" + b"\xff" * 40)
        os.chmod(broken, 0o755)
        self.assert_one_error(self.refused("--", broken), "broken")

    def test_bad_options(self):
        for options in (["--no-such-option"], ["--codec", "zip"], ["--engine", "steam"], ["--timeout", "-1"],
                        ["--timeout", "0"], ["--timeout", "soon"], ["--timeout", "nan"], ["--include", "("],
                        ["--exclude", "a["], ["--images", ""], ["--images", "a,,b"], ["--mpi-args", "maybe"], ["--args-memory", "1M"], ["--args-memory", "much"],
                        ["--only", "x" * 2000]):
            with self.subTest(options=options):
                self.assert_one_error(self.refused(*options, "--", "true"))

    def test_no_command(self):
        self.assert_one_error(self.refused(), "COMMAND is missing")
        self.assert_one_error(self.refused("--"), "COMMAND is missing")

    def test_output_that_is_not_ours(self):
        other = self.path("other")
        os.mkdir(other)
        with open(os.path.join(other, "precious"), "w") as file:
            file.write("data")
        self.assert_one_error(self.difftrace("collect", "-o", other, "--", "true", status=None), "other")
        self.assertEqual(os.listdir(other), ["precious"])

    @unittest.skipIf(os.getuid() == 0, "root may write anywhere")
    def test_output_not_writable(self):
        os.chmod(self.folder, stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(os.chmod, self.folder, 0o700)
        self.assert_one_error(self.difftrace("collect", "-o", self.path("run"), "--", "true", status=None))


class Behaviour(EndToEnd):
    def manifest(self, run):
        with open(os.path.join(run, "manifest.json")) as file:
            return json.load(file)

    def test_statuses(self):
        for how, status in (("0", 0), ("3", 3), ("2", 2), ("255", 255), ("abort", 128 + 6), ("segv", 128 + 11)):
            with self.subTest(how=how):
                run, _ = self.collect("run", [app("status"), how], status=status)
                manifest = self.manifest(run)
                self.assertTrue(manifest["finished"])
                self.assertFalse(manifest["timed_out"])
                self.assertEqual(manifest["exit_status"], status)
                self.assertEqual(manifest["command"], [app("status"), how])
                end = manifest["processes"][0]
                self.assertEqual((end["end"], end["status"]),
                                 ("signal", status - 128) if how in ("abort", "segv") else ("exited", status))

    def test_arguments_in_the_manifest(self):
        arguments = ["a\"b\\c", "äß→\U0001f642", "\t\n\r\b\f\x7f", "", "{}[],:"]
        run, _ = self.collect("run", ["true", *arguments])
        self.assertEqual(self.manifest(run)["command"], ["true", *arguments])
        self.assertEqual(self.command_of(["true", "a b", "", "it's", "-x=1,2"]), "true 'a b' '' 'it'\\''s' -x=1,2")
        run, _ = self.collect("run", ["true", os.fsdecode(b"\xff\n"), "\x01\n"])
        self.assertEqual(self.manifest(run)["command"], ["true", "\\xff\n", "\x01\n"])

    def command_of(self, command):
        """As info shows it: as it would be typed."""
        run, _ = self.collect("typed", command)
        line, = [line for line in self.difftrace("info", run).stdout.splitlines() if line.startswith("command ")]
        return line.split(None, 1)[1]

    def test_loads_no_more_than_it_needs(self):
        """Neither at its start nor later: what draws pictures and reads documents is for the analysis."""
        loaded = self.path("loaded")
        with subprocess.Popen([DIFFTRACE, "collect", "-o", self.path("run"), "--", app("status"), "0"],
                              env=environment(LD_DEBUG="files", LD_DEBUG_OUTPUT=loaded), stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            self.assertIn(b"processes 1, threads 1", process.communicate(timeout=60)[1])
        with open("%s.%d" % (loaded, process.pid)) as file:
            names = set(re.findall(r"file=(lib[\w-]+)", file.read()))
        self.assertIn("libglib-2", names)
        self.assertEqual([name for name in names if re.match("lib(gvc|cgraph|cairo|pango|X11|dw)", name)], [])

    def test_streams(self):
        text = "first\nsecond\nlast without newline"
        _, result = self.collect("run", [app("status"), "0", "--", "-o", "x"], input=text, stdin=None)
        self.assertEqual(result.stdout, text)
        self.assertEqual(other_lines(result.stderr), ["0", "--", "-o", "x"])

    def test_separator_is_optional(self):
        result = self.difftrace("collect", "-o", self.path("run"), app("status"), "0", "-o", "elsewhere")
        self.assertEqual(other_lines(result.stderr), ["0", "-o", "elsewhere"])

    def test_default_run_and_old_one(self):
        self.difftrace("collect", "--", app("status"), "0", cwd=self.folder)
        self.difftrace("collect", "--", app("status"), "4", cwd=self.folder, status=4)
        self.assertEqual(self.manifest(self.path("difftrace.data"))["exit_status"], 4)
        self.assertEqual(self.manifest(self.path("difftrace.data.old"))["exit_status"], 0)

    def test_environment_of_the_command(self):
        """Only the documented variables differ, and an LD_PRELOAD that was there stays."""
        _, result = self.collect("run", ["env"], env=environment(LD_PRELOAD="libSegFault-none.so", MARK="1"))
        seen = dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
        self.assertEqual(seen["MARK"], "1")
        first, second = seen["LD_PRELOAD"].split(":")
        self.assertEqual(os.path.basename(first), "libdifftrace_runtime.so")
        self.assertEqual(second, "libSegFault-none.so")
        self.assertEqual(seen["DIFFTRACE_RUN"], os.path.realpath(self.path("run")))
        self.assertEqual((seen["DIFFTRACE_IMAGES"], seen["DIFFTRACE_CODEC"]), ("app", "lzr"))
        self.assertNotIn("DIFFTRACE_LAUNCHER", seen)

    def test_timeout(self):
        for how in ("hang", "stubborn"):
            with self.subTest(how=how):
                run, result = self.collect("run", [app("status"), how], options=["--timeout", "1"], status=124)
                manifest = self.manifest(run)
                self.assertTrue(manifest["timed_out"] and manifest["finished"])
                self.assertIn("--timeout", result.stderr)
                stack = self.json("stack", run, "-t", "0.0")
                self.assertTrue(stack["open"])
                self.assertEqual(stack["frames"][:2], ["main", "end_as"])

    def test_timeout_reaches_all_descendants(self):
        """Even those in a session of their own, whose parent is gone."""
        pid_file = self.path("pid")
        script = "setsid sh -c 'echo $$ > %s; trap \"\" TERM; while :; do sleep 0.1; done' & sleep 0.5" % pid_file
        self.collect("run", ["sh", "-c", script + "; sleep 100"], options=["--timeout", "2"], status=124)
        with open(pid_file) as file:
            pid = int(file.read())
        self.assertFalse(os.path.exists("/proc/%d" % pid), "a descendant survived the timeout")

    def test_no_timeout_needed(self):
        run, _ = self.collect("run", [app("status"), "0"], options=["--timeout", "100"])
        self.assertFalse(self.manifest(run)["timed_out"])

    def test_signals_are_passed_on(self):
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            with self.subTest(signal=number):
                run = self.path("run-%d" % number)
                process = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--", app("status"), "hang"],
                                           env=environment(), stderr=subprocess.PIPE, text=True)
                first = process.stderr.readline()
                self.assertEqual(first, "hang\n")
                process.send_signal(number)
                process.stderr.read()
                process.stderr.close()
                self.assertEqual(process.wait(60), 128 + number)
                self.assertEqual(self.manifest(run)["exit_status"], 128 + number)

    def test_a_signal_ends_all_as_the_timeout_does(self):
        """A shell that ignores it, and what it has started; who gets on is seen before."""
        run = self.path("run")
        script = "trap '' TERM; %s hang & while :; do sleep 0.1; done" % app("status")
        process = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--", "sh", "-c", script], env=environment(),
                                   stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stderr.readline(), "hang\n")
        time.sleep(1)  # until it hangs
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        told = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(60), 128 + signal.SIGKILL)
        self.assertGreater(time.monotonic() - begin, 5)
        self.assertIn("by signal 15 (Terminated) to difftrace", told)
        manifest = self.manifest(run)
        self.assertEqual(manifest["ending"]["signal"], 15)
        self.assertFalse(manifest["timed_out"])
        self.assertTrue(any(thread["first"] == thread["last"] > 0 for thread in manifest["ending"]["threads"]))
        self.assertIn("by a signal to the collector", self.difftrace("info", run).stdout)

    def test_options_by_the_environment(self):
        variables = environment(DIFFTRACE_OUTPUT="run", DIFFTRACE_CODEC="tz", DIFFTRACE_MAX_SIZE="64M", DIFFTRACE_TIMEOUT="2.5",
                                DIFFTRACE_ONLY="status", DIFFTRACE_QUIET="1", DIFFTRACE_INCLUDE="main")
        result = self.difftrace("collect", "--codec", "raw", "--", app("status"), "3", env=variables, cwd=self.folder, status=3)
        self.assertNotIn("processes 1", result.stderr)
        manifest = self.manifest(self.path("run"))
        self.assertEqual([manifest[name] for name in ("codec", "max_size", "only", "include")], ["raw", "64M", "status", "main"])
        self.difftrace("collect", "--", app("status"), "hang", env=variables, cwd=self.folder, status=124)
        for name, value, told in (("TIMEOUT", "soon", "give a number"), ("PERF_MAP", "yes", "give 1 or 0")):
            wrong = self.difftrace("collect", "--", "true", env=environment(**{"DIFFTRACE_" + name: value}), cwd=self.folder, status=2)
            self.assert_one_error(wrong, "the variable DIFFTRACE_%s is '%s': %s" % (name, value, told))

    def test_names_of_runs(self):
        variables = environment(SLURM_JOB_ID="71", SLURM_STEP_ID="0", SLURM_STEP_NUM_TASKS="1", SLURM_PROCID="0")
        self.difftrace("collect", "-o", "r%j.%r-%h%%", "--", app("status"), "0", env=variables, cwd=self.folder)
        host = os.uname().nodename.partition(".")[0]
        self.assertIn("r71.0-%s%%" % host, os.listdir(self.folder))
        for name, told in (("a%j", "no batch system has told"), ("a%r", "no launcher has told a rank"), ("a%", "write %% for a percent sign")):
            result = self.difftrace("collect", "-o", name, "--", "true", cwd=self.folder, status=2)
            self.assert_one_error(result, "-o '%s'" % name, told)

    def test_manifest_of_a_run_that_goes_on(self):
        run = self.path("run")
        process = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--", app("status"), "hang"], env=environment(),
                                   stderr=subprocess.PIPE, text=True)
        process.stderr.readline()
        self.assertFalse(self.manifest(run)["finished"])
        self.difftrace("info", run)
        process.kill()
        process.stderr.close()
        process.wait(60)
        for pid in self.pids_of(run):
            os.kill(pid, signal.SIGKILL)
        self.difftrace("info", run)

    def pids_of(self, run):
        return [process["pid"] for process in self.json("info", run)["processes"]]

    def test_images_and_functions(self):
        main_only, _ = self.collect("main", [app("calls-o0"), "10"], options=["--images", "main"])
        names = {f["function"] for f in self.json("stats", main_only, "--by", "function")["functions"]}
        self.assertTrue({"main", "fib", "note"} <= names, names)
        included, _ = self.collect("included", [app("calls-o0"), "10"],
                                   options=["--include", "^fib$", "--include", "^is_"])
        names = {f["function"] for f in self.json("stats", included, "--by", "function")["functions"]}
        self.assertTrue({"fib", "is_even", "is_odd"} <= names and not {"main", "note"} & names, names)
        excluded, _ = self.collect("excluded", [app("calls-o0"), "10"], options=["--exclude", "^fib$"])
        names = {f["function"] for f in self.json("stats", excluded, "--by", "function")["functions"]}
        self.assertTrue("main" in names and "fib" not in names, names)

    def test_no_image_matches(self):
        _, result = self.collect("none", [app("calls-o0"), "10"], options=["--images", "nolib*,other"])
        self.assertIn("warning: --images nolib*,other: matches no image", result.stderr)
        _, result = self.collect("one", [app("calls-o0"), "10"], options=["--images", "nolib*,calls*"])
        self.assertNotIn("matches no image", result.stderr)
        self.assertRegex(result.stderr, r"events \d+, \d[\d.]* (bytes|kB|MB) \(ratio")

    @unittest.skipUnless(os.path.exists(LOADER), "another loader")
    def test_started_by_naming_the_loader(self):
        for images in ("main", "all"):
            counts = []
            for name, command in (("plain", []), ("named", [LOADER])):
                run, _ = self.collect(name + images, command + [app("calls-o0"), "10"], options=["--images", images])
                counts.append({f["function"]: f["calls"] for f in self.json("stats", run)["functions"] if f["image"] == "calls-o0"})
            self.assertEqual(*counts)
            self.assertGreater(counts[0]["fib"], 10)

    def test_only(self):
        _, result = self.collect("run", ["sh", "-c", app("status") + " 0"], options=["--only", "stat*"])
        info = self.json("info", self.path("run"))
        self.assertEqual(len(info["processes"]), 1, result.stderr)
        _, result = self.collect("none", [app("status"), "0"], options=["--only", "other"])
        self.assertIn("no process was traced", result.stderr)
        self.assertIn("--only", result.stderr)

    def test_codecs_record_the_same(self):
        raw, _ = self.collect("raw", [app("calls-o2")], options=["--codec", "raw"])
        for codec in ("parlot", "tz", "lzr"):
            run, _ = self.collect(codec, [app("calls-o2")], options=["--codec", codec])
            self.assertEqual(list(self.events(raw)), list(self.events(run)))

    def collect_with_at_most(self, name, most):
        """With so many bytes at most of writable code at once."""
        run, traced = self.collect("run", [app(name)], ["--only", name], preexec_fn=lambda: forbid_writable_code(most))
        self.assertEqual(traced.stdout, execute([app(name)]).stdout)
        return run, traced.stderr

    def test_code_that_may_not_be_written(self):
        for name in ("calls-o2", "forkexec"):
            with self.subTest(program=name):
                run, told = self.collect_with_at_most(name, 0)
                why = "forbids memory that is writable and executable"
                self.assertIn(why, told)
                self.assertIn("its processes recorded nothing", told)
                self.assertIn(why, self.difftrace("info", run).stdout)

    def test_images_that_may_not_be_written(self):
        run, _ = self.collect("run", [app("calls-o2")], ["--images", "*"], preexec_fn=lambda: forbid_writable_code(4096))
        self.assertIn("write-protected", self.difftrace("info", run).stdout)

    def calls_of(self, run, image):
        return {function["function"]: function["calls"]
                for function in self.json("stats", run)["functions"] if function["image"] == image}

    def test_stubs_that_may_not_be_written(self):
        """The programs have one page of code, the stubs have more."""
        for name in ("calls-o2", "forkexec"):
            with self.subTest(program=name):
                expected = self.calls_of(self.collect_with_at_most(name, 0xffffffff)[0], name)
                self.assertGreater(len(expected), 3)
                self.assertEqual(self.calls_of(self.collect_with_at_most(name, 4096)[0], name), expected)

    def test_script(self):
        script = self.path("script")
        with open(script, "w") as file:
            file.write("#!/bin/sh\nexec %s 7\n" % app("status"))
        os.chmod(script, 0o755)
        self.collect("run", [script], status=7)

    def test_children_that_outlive_the_command(self):
        begin = time.monotonic()
        self.collect("run", ["sh", "-c", "sleep 30 >/dev/null 2>&1 & echo $! > %s" % self.path("pid")])
        with open(self.path("pid")) as file:
            os.kill(int(file.read()), signal.SIGKILL)
        self.assertLess(time.monotonic() - begin, 25, "collect waited for a background process")


class Summary(EndToEnd):
    def test_summary(self):
        _, result = self.collect("run", [app("pthreads")])
        summary = [line for line in result.stderr.splitlines() if "processes" in line]
        self.assertEqual(len(summary), 1, result.stderr)
        for word in ("processes 1", "threads 7", "events", "ratio", "hooked", "skipped"):
            self.assertIn(word, summary[0])


class Executed(EndToEnd):
    def end_state(self, run):
        """What the first process's own file says: docs/trace-format.md, section 2."""
        folder = os.path.join(run, "processes")
        name, = os.listdir(folder)
        with open(os.path.join(folder, name), "rb") as file:
            return struct.unpack_from("<I", file.read(76), 72)[0]

    def test_exec_is_told_by_the_process_itself(self):
        for how in ("execve", "execvp", "execveat", "fexecve"):
            for images in ("app", "*"):
                with self.subTest(how=how, images=images):
                    command = [app("execs"), how, "/bin/echo", "there"]
                    run, traced = self.collect("run", command, ["--only", "execs", "--images", images])
                    self.assertEqual(traced.stdout, execute(command).stdout)
                    self.assertEqual(self.end_state(run), 3)
                    self.assertTrue(self.json("info", run)["processes"][0]["executed"])

    def test_exec_that_fails(self):
        run, traced = self.collect("run", [app("execs"), "none"], status=3)
        self.assertEqual(traced.stdout, execute([app("execs"), "none"]).stdout)
        self.assertEqual(self.end_state(run), 1)


if __name__ == "__main__":
    main()
