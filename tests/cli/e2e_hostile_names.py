"""A program whose functions, file, arguments, thread, marker and run have names that may hold anything."""

import os
import re
import shutil
import subprocess

import hostile
from e2e_support import DIFFTRACE, LIMIT, EndToEnd, app, environment, main

PLACEHOLDER = rb"placeholder_[a-h][a-h]_0123456789012345678901234567890123456789(?=\0)"
PROGRAM = b"h<i>\x1b[31m\n\xff& \"x\""
ARGUMENT = b"\x1b]0;title\x07 \xff\n\xe2\x80\xae\\"
THREAD = PROGRAM[:15]  # the kernel calls it by its program


class HostileNames(EndToEnd):
    def make_program(self):
        """Its path and the names that its functions have now."""
        with open(app("hostile-names"), "rb") as file:
            image = file.read()
        length = len(re.search(PLACEHOLDER, image).group(0))
        names = [name for name in hostile.NAMES if len(name) <= length]
        places = sorted(set(re.findall(PLACEHOLDER, image)))
        names = names[:len(places)]
        self.assertGreater(len(names), 42)
        for place, name in zip(places, names):
            image = image.replace(b"\0" + place + b"\0", b"\0" + name + b"\0" * (length - len(name) + 1))
        program = os.path.join(os.fsencode(self.folder), PROGRAM)
        with open(program, "wb") as file:
            file.write(image)
        shutil.copymode(app("hostile-names"), program)
        return program, names

    def output(self, *arguments, structure="\n"):
        result = subprocess.run([DIFFTRACE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.folder, env=environment(), timeout=LIMIT)
        self.assertEqual(result.returncode, 0, result.stderr)
        return hostile.check_harmless(self, result.stdout, structure), hostile.check_harmless(self, result.stderr)

    def test_recorded(self):
        program, names = self.make_program()
        _, told = self.output("collect", "--perf-map", "-o", "run\x1b[31m\n", "--", program, ARGUMENT)
        self.assertEqual([line.partition(":")[0] for line in told.splitlines()], ["difftrace"] * 2)
        self.assertIn("difftrace: run\\x1b[31m\\x0a: processes 1, ", told)
        run = "run\x1b[31m\n"
        info = self.json("info", run, cwd=self.folder)
        process = info["processes"][0]
        self.assertTrue(process["executable"].endswith("/" + hostile.spell(PROGRAM)), process["executable"])
        self.assertIn(hostile.spell(THREAD), [trace["name"] for trace in info["traces"]])
        self.assertIn(hostile.spell(PROGRAM), self.output("info", run)[0])
        stats = self.json("stats", run, cwd=self.folder)["functions"]
        self.assertLessEqual({hostile.spell(name) for name in names}, {one["function"] for one in stats})
        dump, _ = self.output("dump", run, "--flat", "--clock", structure="\n\t")
        self.assertIn("\t#\tmarker: " + hostile.spell(ARGUMENT) + "\n", dump)
        for arguments in (["dump", run, "--lines"], ["stats", run], ["nlr", run], ["stack", run, "-t", "0"]):
            self.output(*arguments)
        self.check_perf_map(process["pid"], names)

    def check_perf_map(self, pid, names):
        """Start, size and name in each line."""
        path = "/tmp/perf-%d.map" % pid
        self.addCleanup(os.remove, path)
        with open(path, "rb") as file:
            text = hostile.check_harmless(self, file.read())
        lines = text.splitlines()
        self.assertEqual([line for line in lines if not re.fullmatch(r"[0-9a-f]+ [0-9a-f]+ (stub|return) of .+", line)], [])
        stubs = {line.partition(" of ")[2] for line in lines}
        for name in names:
            escaped = "".join("\\\\" if byte == 0x5c else chr(byte) if 0x20 <= byte < 0x7f else "\\x%02x" % byte for byte in name)
            self.assertIn(escaped, stubs)


if __name__ == "__main__":
    main()
