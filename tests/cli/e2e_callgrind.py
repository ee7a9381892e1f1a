"""Call counts against an independent witness: valgrind's callgrind counts every call of the same program.

Functions are compared by their address in the image, and those of one name together: both choose among aliases in their
own way, and versions of a function share a name.
"""

import collections
import glob
import os
import re
import shutil
import struct
import unittest

from e2e_support import EndToEnd, app, environment, execute, main

PROGRAMS = ("calls-o0", "calls-o2", "calls-nopie", "pointers", "counts-o0", "counts-o2", "counts-os", "calls-clang",
            "counts-fortran")
LIBRARIES = ("libc.so.6", "libm.so.6")
HOOKED, TOO_SHORT, STARTUP = 0, 3, 9
IMPORT = 1
# The processor that valgrind imitates lacks these: both shall choose the same variants of memcpy and the like.
SAME_PROCESSOR = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-RTM,-Prefer_No_VZEROUPPER"}

# Where the counts of a function that is hooked may differ, by callgrind's name for it, and why.
EXPLAINED = {
    # Resolvers of which only debug information tells what they are; they run when the image is relocated.
    r"__log1p": "resolver",
    # Before the tracer's constructor, or after the program's end.
    r"_init_first|check_stdfiles_vtables|__ctype_init|__libc_early_init|__init_misc|__pthread_tunables_init|"
    r"__lll_elision_init|__x86_cacheinfo|init_cacheinfo.*|_IO_init|__libc_init_secure|__init_cpu_features.*": "start-up",
    # ld.so reads the stack's limit and seeds itself; its calls are not the program's.
    r"getrlimit|sysconf|getpagesize|get_phys_pages|sysinfo|getrandom|getauxval|__getauxval2?": "the loader's calls",
    # The tracer has used the heap before the program does, so it is initialised and has blocks to give.
    r"alloc_perturb|ptmalloc_init.*|tcache_init.*|_int_malloc|_int_free.*|sysmalloc|systrim.*|malloc_consolidate|"
    r"unlink_chunk.*|__glibc_morecore|s?brk|__sbrk|malloc": "the heap's state",
    # Main returns into exit(), which is recorded when the program calls it.
    r"exit|_Exit|_exit|__run_exit_handlers|pthread_mutex_(un)?lock.*": "API calls inside libc",
    # One library more is there: the tracer's.
    r"__cxa_finalize|__unregister_atfork|_dl_.*": "one image more",
    # Called once by libc's own start.
    r"__strrchr_\w+": "start-up",
}


def callgrind_counts(text, image):
    """{address: calls} and {address: name} of the functions of `image`, from an uncompressed profile with instructions."""
    counts, names = collections.Counter(), {}
    current = called = name = None
    for line in text.splitlines():
        key, separator, value = line.partition("=")
        if not separator:
            continue
        if key == "ob":
            current = value
        elif key == "fn":
            called = None
        elif key == "cob":
            called = value
        elif key == "cfn":
            name = value
        elif key == "calls":
            if os.path.basename(called or current) == image:
                calls, address = value.split()[:2]
                counts[int(address, 16)] += int(calls)
                # 'f'2 is the second level of a recursion.
                names[int(address, 16)] = re.sub(r"(@.*)?('\d+)?$", "", name)
            called = None
    return counts, names


def symbol_tables(run):
    """Of every image of the run, [(address, name, is import, reason)] (include/difftrace/trace_file.h)."""
    for path in glob.glob(os.path.join(glob.escape(run), "images", "*.sym")):
        with open(path, "rb") as file:
            data = file.read()
        magic, _, _, _, count, _, _, _ = struct.unpack_from("<8sHHIIIII", data)
        assert magic == b"DiffSym\n"
        text = data[32 + 24 * count:]
        symbols = [struct.unpack_from("<QIIII", data, 32 + 24 * i) for i in range(count)]
        yield [(address, text[name:text.index(b"\0", name)].decode(), bool(flags & IMPORT), reason)
               for address, _, name, flags, reason in symbols]


def symbols_of(run, function):
    """The functions of the image that defines `function`, without its imports: {address: (name, reason)}."""
    for table in symbol_tables(run):
        if any(name == function and not imported for _, name, imported, _ in table):
            return {address: (name, reason) for address, name, imported, reason in table if not imported}
    raise AssertionError("no symbol file with " + function)


def debug_symbols(image):
    """(address, name) of functions by the image's detached debug symbols, without which valgrind does not run."""
    notes = execute(["readelf", "-n", image]).stdout
    build_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
    path = "/usr/lib/debug/.build-id/%s/%s.debug" % (build_id[:2], build_id[2:])
    lines = [line.split() for line in execute(["nm", path]).stdout.splitlines()]
    return [(int(line[0], 16), line[2].partition("@")[0]) for line in lines if len(line) == 3 and line[1] in "tTwWiu"]


def loaded_path(program, image):
    return re.search(r"%s => (\S+)" % re.escape(image), execute(["ldd", program]).stdout).group(1)


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Callgrind(EndToEnd):
    def profile(self, program):
        profile = self.path("callgrind.out")
        result = execute(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + profile, "--compress-strings=no",
                          "--compress-pos=no", "--dump-instr=yes", "--demangle=no", app(program)],
                         env=environment(**SAME_PROCESSOR))
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(profile) as file:
            return file.read()

    def recorded(self, run, image):
        counts = collections.Counter()
        for function in self.json("stats", run, "--by", "function")["functions"]:
            if function["image"] == image and not function["import"]:
                counts[function["symbol"]] += function["calls"]
        return counts

    def by_name(self, counts, symbols, reasons):
        """Counts by address of functions of these reasons, by the tracer's names."""
        result = collections.Counter()
        for address, calls in counts.items():
            name, reason = symbols.get(address, (None, None))
            if reason in reasons:
                result[name] += calls
        return result

    def test_main_image(self):
        checked = 0
        for program in PROGRAMS:
            if not os.path.exists(app(program)):
                continue
            expected, names = callgrind_counts(self.profile(program), program)
            for images in ("main", "app", "all"):
                with self.subTest(program=program, images=images):
                    run, _ = self.collect("run", [app(program)], options=["--images", images])
                    symbols = symbols_of(run, "main")
                    counts = self.recorded(run, program)
                    self.assertEqual(+counts, self.by_name(expected, symbols, {HOOKED}))
                    self.assertGreater(sum(counts.values()), 300)
                    # Not hooked: start-up and the program's PLT; with -Os, where nothing fills the gaps between
                    # functions, also those that are shorter than a jump.
                    allowed = {HOOKED, STARTUP} | ({TOO_SHORT} if program == "counts-os" else set())
                    missed = {names[address] for address in expected
                              if symbols.get(address, (None, STARTUP))[1] not in allowed}
                    self.assertLessEqual(len(missed), 1, missed)
            checked += 1
        self.assertGreaterEqual(checked, 7)

    def test_names_of_stripped_libraries(self):
        """Debug symbols name what the library itself does not, and nothing else."""
        run, _ = self.collect("run", [app("libraries")], options=["--images", "all"])
        for image, known in zip(LIBRARIES, ("qsort", "lgamma_r")):
            expected = collections.defaultdict(set)
            for address, name in debug_symbols(loaded_path(app("libraries"), image)):
                expected[address].add(name)
            symbols = symbols_of(run, known)
            self.assertGreater(len(symbols), 500)
            wrong = {(address, name) for address, (name, _) in symbols.items()
                     if (address in expected if name.startswith("function@") else name not in expected[address])}
            self.assertEqual(wrong, set())

    def difference_is_explained(self, symbol, addresses, names):
        return any(re.fullmatch(pattern, names.get(address, symbol)) for address in addresses for pattern in EXPLAINED)

    def test_libraries(self):
        profile = self.profile("libraries")
        run, _ = self.collect("run", [app("libraries")], options=["--images", "all"], env=environment(**SAME_PROCESSOR))
        for image, known in zip(LIBRARIES, ("qsort", "lgamma_r")):
            expected, names = callgrind_counts(profile, image)
            names = {**dict(debug_symbols(loaded_path(app("libraries"), image))), **names}
            symbols = symbols_of(run, known)
            counts = self.recorded(run, image)
            hooked = self.by_name(expected, symbols, {HOOKED})
            addresses = collections.defaultdict(list)
            for address, (name, _) in symbols.items():
                addresses[name].append(address)
            different = {(name, counts[name], hooked[name]) for name in set(counts) | set(hooked)
                         if counts[name] != hooked[name] and not self.difference_is_explained(name, addresses[name], names)}
            with self.subTest(image=image):
                self.assertEqual(different, set())
                equal = sum(calls for name, calls in hooked.items() if counts[name] == calls)
                self.assertGreater(equal, 0.9 * sum(hooked.values()))
                self.assertGreater(equal, 2000)


if __name__ == "__main__":
    main()
