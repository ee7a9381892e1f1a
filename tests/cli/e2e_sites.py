"""Where calls come from: the sites of a program with more than a thousand of them, against binutils' addr2line and
objdump; that no analysis sees them; that lines stay when the program is built anew."""

import collections
import os
import re
import shutil
import unittest

from e2e_support import EndToEnd, environment, execute, main

FUNCTIONS, CALLS = 120, 10


def program():
    """A function is inlined into each of the others; each call stands in a line of its own."""
    lines = ["#include <pthread.h>", "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;", "static volatile int sum;",
             "static inline __attribute__((always_inline)) void inner(int by)", "{", "    pthread_mutex_lock(&lock);",
             "    sum += by;", "    pthread_mutex_unlock(&lock);", "    sum--;", "}",
             "static inline __attribute__((always_inline)) void outer(int by)", "{", "    sum++;", "    inner(by + 1);",
             "    sum++;", "}"]
    for function in range(FUNCTIONS):
        lines += ["static __attribute__((noinline)) void function%d(void)" % function, "{"]
        for call in range(CALLS // 2):
            lines += ["    pthread_mutex_lock(&lock);", "    sum += %d;" % call, "    pthread_mutex_unlock(&lock);"]
        lines += ["    outer(%d);" % function, "    sum++;", "}"]
    return "\n".join(lines + ["int main(void)", "{"] + ["    function%d();" % i for i in range(FUNCTIONS)] + ["    return 0;", "}", ""])


def addr2line(image, addresses):
    """For each address the frames, innermost first, as (function, file, line)."""
    frames = collections.defaultdict(list)
    done = execute(["addr2line", "-a", "-i", "-f", "-e", image, *["0x%x" % address for address in addresses]])
    current, lines = None, iter(done.stdout.splitlines())
    for line in lines:
        if line.startswith("0x"):
            current = int(line, 16)
            continue
        place = re.sub(r" \(discriminator \d+\)$", "", next(lines))
        file, _, number = place.rpartition(":")
        frames[current].append((line, os.path.realpath(file), int(number)))
    return frames


def returns_of_calls(image):
    """The addresses behind all call instructions."""
    done = execute(["objdump", "-d", "--no-show-raw-insn", image])
    code = re.findall(r"^ *([0-9a-f]+):\t(\S+)", done.stdout, re.M)
    return {int(after, 16) for (_, name), (after, _) in zip(code, code[1:]) if name == "call"}


@unittest.skipUnless(shutil.which("addr2line") and shutil.which("gcc"), "binutils or gcc are not there")
class Sites(EndToEnd):
    def build(self, text, name="program", options=()):
        source, image = self.path("program.c"), self.path(name)
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        done = execute(["gcc", "-g", "-O2", "-o", image, source, "-lpthread", *options])
        self.assertEqual(done.returncode, 0, done.stderr)
        return image

    def sites(self, run):
        return self.json("lines", run)["sites"]

    def frames(self, site):
        return [(frame["function"], os.path.realpath(frame["file"]), frame["line"]) for frame in site["frames"]]

    def check(self, image, sites):
        addresses = [int(site["address"], 16) for site in sites]
        expected = addr2line(image, [address - 1 for address in addresses])
        for site, address in zip(sites, addresses):
            self.assertEqual(site["image"], image)
            self.assertEqual(self.frames(site), expected[address - 1], site)

    def test_lines_are_those_of_addr2line(self):
        for options in ((), ("-no-pie", "-O1"), ("-gdwarf-4", "-O0")):
            image = self.build(program(), options=options)
            run, _ = self.collect("run", [image])
            sites = self.sites(run)
            self.assertGreaterEqual(len(sites), 1000)
            self.assertEqual(len({site["address"] for site in sites}), len(sites))
            self.assertLessEqual({int(site["address"], 16) for site in sites}, returns_of_calls(image))
            self.check(image, sites)
            if options != ("-gdwarf-4", "-O0"):
                self.assertIn(3, {len(site["frames"]) for site in sites}, "nothing is inlined")

    def test_lines_of_a_program_that_was_built_anew(self):
        image = self.build(program())
        run, _ = self.collect("run", [image])
        before = self.sites(run)
        self.build("\n\n\n" + program())
        self.assertEqual(self.sites(run), before)
        stored = [name for name in os.listdir(os.path.join(run, "images")) if name.endswith(".lines")]
        self.assertTrue(stored)
        for name in stored:
            os.unlink(os.path.join(run, "images", name))
        self.assertEqual({len(site["frames"]) for site in self.sites(run)}, {0})
        self.assertNotIn("program.c", self.difftrace("dump", "--lines", run).stdout)
        self.build(program())
        self.difftrace("lines", "--store", run)
        self.assertEqual(self.sites(run), before)

    def test_at_the_end_of_a_run_nothing_is_asked_of_the_system(self):
        """Debug information of the C library and what asks servers for others take longer than all the rest."""
        image = self.build("""#include <pthread.h>
            int main(void) { static pthread_mutex_t lock; return pthread_mutex_lock(&lock) + pthread_mutex_unlock(&lock); }""")
        run, _ = self.collect("run", [image])
        stored = [name for name in os.listdir(os.path.join(run, "images")) if name.endswith(".lines")]
        self.assertEqual([name.rsplit("-", 1)[1] for name in stored], ["own.lines"])
        self.assertEqual({os.path.basename(site["frames"][0]["file"]) for site in self.sites(run)}, {"program.c"})
        stripped = self.build("int main(void) { return 0; }", "stripped", ["-s"])
        run, _ = self.collect("stripped-run", [stripped])
        loaded = self.difftrace("lines", "--store", run, env=environment(LD_DEBUG="files")).stderr
        self.assertIn("libdw", loaded)
        self.assertNotIn("libdebuginfod", loaded)

    def test_without_a_build_id(self):
        image = self.build(program(), options=["-Wl,--build-id=none"])
        run, _ = self.collect("run", [image])
        before = self.sites(run)
        self.check(image, before)
        for name in os.listdir(os.path.join(run, "images")):
            if name.endswith(".lines"):
                os.unlink(os.path.join(run, "images", name))
        self.assertEqual(self.sites(run), before)
        os.utime(image, (1, 1))
        self.assertEqual({len(site["frames"]) for site in self.sites(run)}, {0})

    def test_damaged_lines_are_looked_up_again(self):
        image = self.build(program())
        run, _ = self.collect("run", [image])
        before = self.sites(run)
        for name in os.listdir(os.path.join(run, "images")):
            if name.endswith(".lines"):
                with open(os.path.join(run, "images", name), "r+b") as file:
                    file.seek(200)
                    file.write(b"!")
        self.assertEqual(self.sites(run), before)

    def test_no_analysis_sees_them(self):
        """One loop calls from two places in turn: it is a loop of one call."""
        image = self.build("""#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
""")
        run, _ = self.collect("run", [image])
        self.assertEqual(len(self.sites(run)), 4)
        for options in ((), ("--args",)):
            traces, loops = self.nlr(run, *options)
            self.assertEqual(traces["0.0"], "main L0^200")
            self.assertEqual(len(loops), 1)
        calls = {function for _, is_entry, function in self.events(run, "--args") if is_entry}
        self.assertEqual(calls, {"main", "pthread_mutex_lock(lock 1)", "pthread_mutex_unlock(lock 1)"})

    def test_tail_calls_are_told_by_the_function_that_makes_them(self):
        image = self.build("""#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) int ends_with_a_call(void)
{
    return pthread_mutex_lock(&lock);
}
int main(void)
{
    ends_with_a_call();
    pthread_mutex_unlock(&lock);
    return 0;
}
""")
        run, _ = self.collect("run", [image])
        of_call = {site["call"]: site for site in self.sites(run)}
        tail = of_call["pthread_mutex_lock(lock 1)"]
        self.assertTrue(tail["tail_call"])
        self.assertEqual([function for function, _, _ in self.frames(tail)], ["ends_with_a_call"])
        self.assertEqual(self.frames(tail), addr2line(image, [int(tail["address"], 16)])[int(tail["address"], 16)])
        self.assertFalse(of_call["pthread_mutex_unlock(lock 1)"]["tail_call"])


main()
