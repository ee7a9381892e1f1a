"""What the tracer must not change, where comparing one program's output is not enough: packaged programs, debuggers,
processes that cannot be traced."""

import collections
import itertools
import os
import re
import shutil
import subprocess
import sys
import unittest

from e2e_support import DIFFTRACE, LIMIT, EndToEnd, app, environment, execute, main, own_lines

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# All of them with DIFFTRACE_PROGRAMS=all.
FEW_PROGRAMS = ("python3", "perl", "gcc", "bash", "tar", "sort", "coreutils")


class Programs(EndToEnd):
    def test_packaged_programs_behave_alike(self):
        everything = os.environ.get("DIFFTRACE_PROGRAMS") == "all"
        result = execute([sys.executable, "-B", os.path.join(SOURCE, "bench", "programs.py"), "--difftrace", DIFFTRACE,
                          "--verbose", *(() if everything else FEW_PROGRAMS)], timeout=20 * LIMIT)
        self.assertEqual(result.returncode, 0, result.stdout[-4000:] + result.stderr)
        self.assertRegex(result.stdout, r"\n[1-9]\d* programs, 0 behave differently")


class ReturnAddress(EndToEnd):
    def test_other_registers_are_no_stack_pointer(self):
        run, _ = self.collect("run", [app("return-address")])
        entered = [function for _, is_entry, function in self.events(run) if is_entry]
        self.assertEqual(entered.count("read_elsewhere"), 3)
        self.assertEqual(entered.count("read_late"), 0)


class ForbiddenCounter(EndToEnd):
    def test_times_are_asked_of_the_kernel(self):
        untraced = execute([app("no-counter")])
        self.assertIn("first: forbidden", untraced.stdout)
        for images in ("main", "all"):
            _, traced = self.collect("run-" + images, [app("no-counter")], ["--images", images], status=None)
            self.assertEqual((traced.returncode, traced.stdout), (untraced.returncode, untraced.stdout))


class EarlyFree(EndToEnd):
    def test_programs_that_are_left_out_free_nothing_of_ours(self):
        run = os.path.join(self.folder, "run")
        traced = execute([DIFFTRACE, "collect", "-o", run, "--only", "sh,dash", "--", "sh", "-c", app("early-free") + "; echo $?"])
        self.assertEqual(traced.stdout, "started\n3\n", traced.stderr)


class LateJumps(EndToEnd):
    def test_calls_made_after_a_library_that_jumps_was_loaded(self):
        untraced = execute([app("late-jumps")])
        self.assertEqual(untraced.stdout, "5\n60\n")
        for images in ("main", "all"):
            _, traced = self.collect("run-" + images, [app("late-jumps")], ["--images", images], status=None)
            self.assertEqual((traced.returncode, traced.stdout), (0, untraced.stdout))


class StackWalkers(EndToEnd):
    def test_engines_are_left_alone(self):
        for engine in ("caml_start_program", "caml_plugin_header", "mono_aot_file_info"):
            run, traced = self.collect("run-" + engine, [app("stack-walker-" + engine)])
            self.assertEqual(traced.stdout, "0 strange return addresses\n")
            self.assertRegex(self.difftrace("info", run).stdout, "stack walker")

    def test_other_programs_would_notice(self):
        _, traced = self.collect("run", [app("stack-walker-no_engine")], status=1)
        self.assertNotEqual(traced.stdout, "0 strange return addresses\n")


class TerminatingFunctions(EndToEnd):
    """Functions that come back at once are recorded at their entry alone."""

    def events(self, run, trace):
        lines = self.difftrace("dump", run, "-t", trace, "--flat").stdout.splitlines()
        return [line.split("\t", 1)[1].replace("\t", " ") for line in lines]

    def test_every_way_to_call_them(self):
        leaf = ["> leaf", "< leaf"]
        choosing = ["> choosing_leaf", "< choosing_leaf"]
        expected = (["> main", *leaf, *leaf, "> to_tail", "> to_leaf", *choosing, "< to_leaf", "< to_tail", *choosing, *choosing,
                     "> loop", "< loop", "> counting_leaf", "< counting_leaf", "> checking_leaf", "< checking_leaf", "> away", *leaf, "> away", *leaf, "< away", "< away", *leaf,
                     "> raise", "> on_signal", *leaf, "< on_signal", "< raise", "> strlen@plt", "< strlen@plt", "< main"])
        run, traced = self.collect("run", [app("leaves")], ["--include", "leaf|loop|away|to_|on_signal|main|strlen", "--mpi-args", "off"])
        self.assertEqual(traced.stdout, execute([app("leaves")]).stdout)
        self.assertEqual([event for event in self.events(run, "0.0") if "pthread_" not in event], expected)
        self.assertEqual(self.events(run, "0.1"), ["> thread_leaf", "< thread_leaf"])

    def test_one_that_fails_is_open(self):
        for images in ("main", "all"):
            run, _ = self.collect("run-" + images, [app("leaves"), "too large"], ["--images", images, "--include", "_leaf$|^main$"], status=None)
            self.assertEqual(self.events(run, "0")[:4], ["> main", "> checking_leaf", "< checking_leaf", "> checking_leaf"])
            self.assertEqual(self.events(run, "0")[4:5], ["> __assert_fail"])

    def reporting(self, count, imports):
        """What tests/apps/reports.c does; the output functions' calls are recorded or not."""
        def called(name):
            return [f"> {name}@plt", f"< {name}@plt"] if imports else []

        yield "> main"
        for number in range(1, count + 1):
            yield from ["> caller", "> check_leaf", *(called("printf") if number % 50 == 0 else []), "< check_leaf", "> leaf", "< leaf",
                        "> twice_leaf", *(called("printf") + called("fprintf") if number % 100 == 0 else []), "< twice_leaf", "< caller"]
        check = ["> check_leaf", *called("printf"), "< check_leaf"]
        yield from [*check, "> reports_all", *called("puts"), *called("puts"), "< reports_all", *check, *called("printf"), "< main"]

    def test_those_that_report_call(self):
        count = 20_000
        for codec, options, imports in (("lzr", [], True), ("raw", [], True), ("lzr", ["--exclude", "printf|puts"], False),
                                        ("lzr", ["--exclude", "fprintf"], None), ("lzr", ["--images", "all", "--exclude", "@plt"], False)):
            with self.subTest(options=options, codec=codec):
                run, traced = self.collect("run", [app("reports"), str(count)], ["--codec", codec, "--exclude", "^atoi|^strto", *options])
                self.assertEqual(traced.stdout, execute([app("reports"), str(count)]).stdout)
                found = self.events(run, "0")
                if imports is None:
                    found = [event for event in found if "fprintf" not in event]
                    expected = [event for event in self.reporting(count, True) if "fprintf" not in event]
                else:
                    expected = list(self.reporting(count, imports))
                own = {event.split()[1] for event in expected}
                found = [event for event in found if event.split()[1] in own]
                different = next((i for i, pair in enumerate(itertools.zip_longest(found, expected)) if pair[0] != pair[1]), None)
                self.assertIsNone(different, different and (found[different - 5:different + 5], expected[different - 5:different + 5]))

    def test_calls_that_were_left_have_returned_before(self):
        """By exceptions, siglongjmp, swapcontext and setcontext; what terminating functions then call is not in the calls left."""
        leaf = ["> leaf", "< leaf"]
        cleanup = ["> Cleanup::~Cleanup()", *leaf, "< Cleanup::~Cleanup()"]
        expected = ["> main"]
        expected += 9 * ["> catching", *(3 * ["> descend", *leaf]), "< descend", *cleanup, "< descend", *cleanup, "< descend", *leaf, *leaf, "< catching",
                         "> jumping", "> interrupted", *leaf, "> handler", *leaf, "< handler", "< interrupted", *leaf, *leaf, "< jumping",
                         "> swapping", "> on_fiber", *leaf, "< on_fiber", *leaf, *leaf, *leaf, "< swapping"]
        include = "^(main|leaf|step|descend|catching|handler|interrupted|jumping|on_fiber|swapping|.*Cleanup.*)$"
        for images, codec in (("main", "lzr"), ("main", "raw"), ("all", "lzr")):
            with self.subTest(images=images, codec=codec):
                run, traced = self.collect("run", [app("left-leaves"), "9"], ["--images", images, "--codec", codec, "--include", include])
                self.assertEqual(traced.stdout, execute([app("left-leaves"), "9"]).stdout)
                found = [event for event in self.events(run, "0") if "raise" not in event]
                self.assertEqual(found, [*expected, "< main"])

    def test_a_name_of_the_c_library_is_not_enough(self):
        run, _ = self.collect("run", [app("leaves")], ["--images", "main", "--include", "cbrt|called_back"])
        self.assertEqual([event for event in self.events(run, "0.0") if "cbrt" in event or "called_back" in event],
                         ["> cbrt@plt", "> called_back", "< called_back", "< cbrt@plt"])

    def test_handler_is_called_in_the_terminating_function_that_was_hit(self):
        run, _ = self.collect("run", [app("fatal"), "recover"], ["--include", "^die_segv$|^repair$"])
        self.assertEqual(self.events(run, "0")[:200], ["> die_segv", "> repair", "< repair", "< die_segv"] * 50)


class TailCalls(EndToEnd):
    """Each of a chain is open until the last one returns, but for those in the middle of one that is very long."""

    def chain(self, first):
        """What is recorded from linkFIRST on: a new call takes the place of the newest if 17 are open."""
        lines, opened = [], []
        for number in range(first, 21):
            if len(opened) == 17:
                lines.append("< " + opened.pop())
            opened.append("link%d" % number)
            lines.append("> " + opened[-1])
        return lines + ["> last", "< last"] + ["< " + name for name in reversed(opened)]

    def test_chains(self):
        expected = ["> main", *self.chain(4), *self.chain(19) * 1000, *self.chain(1)]
        for what in ("take", "drop"):
            call = "pthread_mutex_%slock" % ("un" if what == "drop" else "")
            expected += ["> ask_to_" + what, "> " + what, "> " + call, "< " + call, "< " + what, "< ask_to_" + what]
        expected += expected[-12:] * 99 + ["< main"]
        for options in ([], ["--mpi-args", "off"]):
            run, traced = self.collect("run", [app("tail-chains")], ["--exclude", "printf", *options])
            self.assertEqual(traced.stdout, execute([app("tail-chains")]).stdout)
            lines = self.difftrace("dump", run, "-t", "0", "--flat").stdout.splitlines()
            self.assertEqual([line.split("\t", 1)[1].replace("\t", " ") for line in lines], expected)


class VectorRegisters(EndToEnd):
    def test_stay_as_they_are(self):
        for codec in ("raw", "lzr"):
            with self.subTest(codec=codec):
                run, traced = self.collect("run", [app("vectors")], ["--codec", codec])
                self.assertEqual(traced.stdout, "changed 0 times\n")
                self.assertGreater(self.json("info", run)["events"], 6_000_000)


class Sanitizers(EndToEnd):
    """Programs built with them: they find what they find untraced, and nothing else."""

    BUGS = {"address": ("", "overflow", "leak"), "thread": ("", "race"), "undefined": ("", "shift")}

    def found(self, result):
        return result.returncode, result.stdout, re.findall(r"SUMMARY: \w+: [a-z-]*|runtime error: .*", result.stderr)

    def test_find_the_same(self):
        for sanitizer, bugs in self.BUGS.items():
            for build in ("", "-static", "-clang"):
                program = app("sanitized-%s%s" % (sanitizer, build))
                environ = environment(TSAN_OPTIONS="atexit_sleep_ms=0")
                # Not with every kernel's address space, nor without ptrace, do they run at all.
                runs = os.path.exists(program) and execute([program], env=environ).returncode == 7
                for bug in bugs if runs else ():
                    plain = self.found(execute([program, bug], env=environ))
                    self.assertEqual(bool(plain[2]), bool(bug))
                    for images in ("main", "app", "all"):
                        with self.subTest(program=program, bug=bug, images=images):
                            _, traced = self.collect("run", [program, bug], ["--images", images], status=plain[0],
                                                     env=environ)
                            self.assertEqual(self.found(traced), plain)


class OpenMP(EndToEnd):
    def test_runtimes(self):
        for name in ("openmp", "openmp-llvm"):
            if not os.path.exists(app(name)):
                continue
            for images in ("main", "app", "all"):
                with self.subTest(program=name, images=images):
                    _, traced = self.collect("run", [app(name)], ["--images", images])
                    self.assertEqual(traced.stdout, execute([app(name)]).stdout)


@unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
class Debugger(EndToEnd):
    SCRIPT = os.path.join(SOURCE, "tracer", "gdb", "difftrace-gdb.py")

    def backtrace(self, images, program, argument):
        """Lines of a backtrace where the program has raised SIGSEGV."""
        _, result = self.collect("run", ["gdb", "-q", "-batch", "-nx", "-ex", "source " + self.SCRIPT, "-ex", "run",
                                         "-ex", "bt", "--args", app(program), argument],
                                 ["--images", images, "--only", program])
        return [line for line in result.stdout.splitlines() if line.startswith("#")]

    def test_backtrace_in_traced_functions(self):
        for images in ("main", "all"):
            with self.subTest(images=images):
                lines = self.backtrace(images, "status", "segv")
                self.assertRegex(lines[-2], r" in end_as \(")
                self.assertRegex(lines[-1], r" in main \(")
                self.assertNotIn("??", "\n".join(lines))

    def test_fault_in_relocated_instructions(self):
        for images, where in itertools.product(("main", "all"), ("start", "end")):
            with self.subTest(images=images, where=where):
                lines = self.backtrace(images, "relocated-fault", where)
                self.assertEqual([re.search(r" in (\w+) \(", line)[1] for line in lines],
                                 ["faults_at_" + where, "reaches", "main"])


class Unwinding(EndToEnd):
    def test_backtrace_at_every_instruction(self):
        for functions in ("churn", "leaf", "lock", "pthread_.*", "churn|leaf", "churn|calls_.*", "churn|calls_.*|leaf",
                          "goes_between|too_short", "churn|too_short|leaf"):
            with self.subTest(functions=functions):
                self.check_steps(["--include", "^(%s)$" % functions])

    def test_backtrace_at_every_instruction_with_times(self):
        """The ways out of calls with times look at what is on the stack, where an unwinder may have been."""
        for times, functions in (("api", "lock|pthread_.*"), ("functions", "churn|calls_.*")):
            with self.subTest(times=times):
                self.check_steps(["--times=" + times, "--include", "^(%s)$" % functions])

    def check_steps(self, options):
        _, traced = self.collect("run", [app("backtraces"), "steps"], options)
        self.assertEqual(traced.stdout, "0 backtraces without main, many steps\n")


class Padding(EndToEnd):
    def test_function_with_room_for_two_bytes(self):
        """Code jumps to its fourth byte: the jump to its stub is in the padding behind another function."""
        run, _ = self.collect("run", [app("backtraces"), "steps"], ["--include", "^(goes_between|too_short|calls_at_once)$"])
        calls = {one["function"]: one["calls"] for one in self.json("stats", run, "--by", "function")["functions"]}
        self.assertEqual([calls[name] for name in ("goes_between", "too_short", "calls_at_once")], [17, 17, 17])


class PerfMap(EndToEnd):
    def test_stubs_are_named_on_request(self):
        for wanted in (False, True):
            run, _ = self.collect("run", [app("calls-o0")], ["--perf-map"] if wanted else [])
            path = "/tmp/perf-%d.map" % self.json("info", run)["processes"][0]["pid"]
            self.assertEqual(os.path.exists(path), wanted)
            if wanted:
                self.addCleanup(os.remove, path)
                with open(path) as file:
                    stubs = re.findall(r"(?m)^([0-9a-f]+) [0-9a-f]+ stub of (.*)$", file.read())
                self.assertIn("main", [name for _, name in stubs])
                # Where processors with the erratum JCC keep their branches decoded: a stub of an API's function, a
                # terminating function's, a function's, and that of one hooked at both ends.
                self.assertEqual([], [name for start, name in stubs if int(start, 16) % 64 not in (0, 38, 53, 60)])


    def test_what_lies_in_its_place(self):
        """A pipe, which nobody reads, and a link to a file that is not ours: neither is waited for nor written to."""
        with open(self.path("precious"), "w") as file:
            file.write("mine")
        for make in ("mkfifo $map", "ln %s $map" % self.path("precious"), "ln -s %s $map" % self.path("precious"),
                     "ln -s /dev/zero $map"):
            script = "map=/tmp/perf-$$.map; rm -f $map; %s; exec %s" % (make, app("calls-o0"))
            with self.subTest(make=make):
                run, _ = self.collect("run", ["sh", "-c", script], ["--perf-map"], timeout=60)
                pids = {process["pid"] for process in self.json("info", run)["processes"]}
                for pid in pids:
                    if os.path.lexists("/tmp/perf-%d.map" % pid):
                        os.remove("/tmp/perf-%d.map" % pid)
                with open(self.path("precious")) as file:
                    self.assertEqual(file.read(), "mine")


def perf_works():
    perf = shutil.which("perf")
    return perf and subprocess.run([perf, "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "true"],
                                   capture_output=True).returncode == 0


@unittest.skipUnless(perf_works(), "perf is not installed, or not allowed")
class PerfStacks(EndToEnd):
    def commonest_stack(self, command):
        """Names by frame pointers, innermost first, as far as main's caller."""
        samples = self.path("samples")
        execute(["perf", "record", "-q", "-e", "cpu-clock", "-F", "500", "--call-graph", "fp", "-o", samples, "--", *command])
        script = execute(["perf", "script", "-i", samples, "--comm", "stacks", "-F", "ip,sym"]).stdout
        stacks = [tuple(line.split(None, 1)[1] for line in sample.splitlines() if len(line.split()) > 1)
                  for sample in script.split("\n\n")]
        return collections.Counter(stack for stack in stacks if "spin" in stack).most_common(1)[0][0]

    def test_stubs_stand_for_callers(self):
        self.assertEqual(self.commonest_stack([app("stacks")])[:4], ("spin", "middle", "outer", "main"))
        run = self.path("run")
        traced = self.commonest_stack([DIFFTRACE, "collect", "--images", "main", "--perf-map", "-o", run, "--", app("stacks")])
        self.addCleanup(os.remove, "/tmp/perf-%d.map" % self.json("info", run)["processes"][0]["pid"])
        # main is hooked where it returns, so that its return address stays.
        self.assertEqual(traced[:4], ("spin", "stub of spin", "stub of middle", "stub of outer"))
        self.assertNotIn("stub of main", traced)


class Refused(EndToEnd):
    def test_shadow_stacks(self):
        status = self.path("status")
        with open(status, "w") as file:
            file.write("Name:\tcalls\nx86_Thread_features:\tshstk \nx86_Thread_features_locked:\t\n")
        run, result = self.collect("run", [app("calls-o0")], env=environment(DIFFTRACE_STATUS=status))
        self.assertEqual(result.stdout, execute([app("calls-o0")]).stdout)
        self.assertTrue(any("shadow stacks (CET)" in line and "GLIBC_TUNABLES" in line
                            for line in own_lines(result.stderr)), result.stderr)

    def test_no_shadow_stacks(self):
        status = self.path("status")
        with open(status, "w") as file:
            file.write("Name:\tshstk\nx86_Thread_features:\t\n")
        run, _ = self.collect("run", [app("calls-o0")], env=environment(DIFFTRACE_STATUS=status))
        self.assertGreater(self.json("info", run)["events"], 100)


if __name__ == "__main__":
    main()
