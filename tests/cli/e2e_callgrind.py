"""Call counts against an independent witness: valgrind's callgrind counts every call of the same program."""

import collections
import glob
import os
import re
import shutil
import struct
import unittest

from e2e_support import EndToEnd, app, execute, main

PROGRAMS = ("calls-o0", "calls-o2", "calls-nopie", "pointers")
# The C runtime's own code in every executable, which the tracer leaves alone by design.
STARTUP = re.compile(r"^(_start|_init|_fini|_dl_relocate_static_pie|frame_dummy|(de)?register_tm_clones|"
                     r"__do_global_(dtors|ctors)_aux|__libc_csu_\w+|\(below main\)|0x[0-9a-f]+|\?\?\?)$")


def callgrind_counts(text, image):
    """Calls of each function of `image`, from an uncompressed callgrind profile."""
    counts = collections.Counter()
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
            if (called or current).endswith("/" + image):
                # 'f'2 is the second level of a recursion.
                counts[re.sub(r"'\d+$", "", name)] += int(value.split()[0])
            called = None
    return counts


def hooked_functions(run, image):
    """Names with skip reason 0 in the run's symbol file of the main image (src/format/trace_file.h)."""
    for path in glob.glob(os.path.join(glob.escape(run), "images", "*.sym")):
        with open(path, "rb") as file:
            data = file.read()
        magic, _, _, _, count, _, _, _ = struct.unpack_from("<8sHHIIIII", data)
        assert magic == b"DiffSym\n"
        symbols = [struct.unpack_from("<QIIII", data, 32 + 24 * i) for i in range(count)]
        text = data[32 + 24 * count:]
        reasons = {text[name:text.index(b"\0", name)].decode(): reason for _, _, name, _, reason in symbols}
        if "main" in reasons:
            return {name for name, reason in reasons.items() if reason == 0}
    raise AssertionError("no symbol file of " + image)


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Callgrind(EndToEnd):
    def counts_by_callgrind(self, program):
        profile = self.path("callgrind.out")
        result = execute(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + profile, "--compress-strings=no",
                          "--compress-pos=no", app(program)])
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(profile) as file:
            counts = callgrind_counts(file.read(), program)
        return {name: count for name, count in counts.items() if not STARTUP.match(name)}

    def counts_by_difftrace(self, program, images):
        run, _ = self.collect("run", [app(program)], options=["--images", images])
        functions = self.json("stats", run, "--by", "function")["functions"]
        counts = collections.Counter()
        for function in functions:
            if function["image"] == program and not function["import"]:
                counts[function["symbol"]] += function["calls"]
        return ({name: count for name, count in counts.items() if not STARTUP.match(name)},
                hooked_functions(run, program))

    def test_counts(self):
        for program in PROGRAMS:
            expected = self.counts_by_callgrind(program)
            self.assertGreater(sum(expected.values()), 1000)
            for images in ("main", "app"):
                with self.subTest(program=program, images=images):
                    counts, hooked = self.counts_by_difftrace(program, images)
                    self.assertEqual(counts, {name: count for name, count in expected.items() if name in hooked})
                    self.assertGreaterEqual(len(counts), len(expected) - 1, "hooked: %s" % sorted(hooked))


if __name__ == "__main__":
    main()
