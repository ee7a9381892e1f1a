#!/usr/bin/env python3
"""Where a function calls another one, by the code of its image: as objdump sees it, with and without optimisation, through the procedure linkage table and without it; and nothing of damaged images."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PRINT = sys.argv.pop()
FUNCTIONS = 40
LIBRARY = ["puts", "strlen", "getenv", "abs", "rand"]
FLAGS = [["-O0"], ["-O2"], ["-O2", "-fno-plt"], ["-O1", "-fcf-protection=none"], ["-O2", "-fPIC", "-shared"]]


def program(seed):
    """C functions that call some of those behind them and some of the C library's, several times."""
    choose = random.Random(seed)
    lines = ["#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>", "volatile int sink;", "char text[9];"]
    kind = ["static " if i % 5 == 4 else "" for i in range(FUNCTIONS)]
    lines += ["%sint f%d(int);" % (kind[i], i) for i in range(FUNCTIONS)]
    for i in reversed(range(FUNCTIONS)):
        lines.append("%s__attribute__((noinline)) int f%d(int x) {" % (kind[i], i))
        for _ in range(choose.randint(1, 5)):
            own = [j for j in range(i + 1, FUNCTIONS)]
            if own and choose.random() < 0.6:
                lines.append("  if (x != %d) sink += f%d(x + %d);" % (choose.randint(0, 9), choose.choice(own), i))
            else:
                name = choose.choice(LIBRARY)
                argument = {"abs": "sink", "rand": ""}.get(name, "text")
                lines.append("  sink += %s%s(%s);" % ("!!" if name == "getenv" else "", name, argument))
        lines.append("  return sink; }")
    lines.append("int main(int c, char **v) { (void)v; return f0(c); }")
    return "\n".join(lines) + "\n"


def calls_by_objdump(image):
    """{(caller, callee): [return address]} of calls, and of jumps out of the caller."""
    found, caller = {}, None
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", image], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    relocations = subprocess.run(["readelf", "-rW", image], stdout=subprocess.PIPE, text=True, check=True).stdout
    slots = {int(match[1], 16): match[2] for match in re.finditer(
        r"^([0-9a-f]+) .*R_X86_64_(?:GLOB_DAT|JUMP_SLO)\S* +[0-9a-f]+ ([^@\s]+)", relocations, re.M)}
    lines = text.splitlines()
    addresses = [re.match(r"\s*([0-9a-f]+):", line) for line in lines]
    for number, line in enumerate(lines):
        head = re.match(r"[0-9a-f]+ <([^>]+)>:", line)
        if head:
            caller = head[1].split(".")[0]
        direct = re.search(r"\b(call|jmp)q? +[0-9a-f]+ <([^>+]+)>", line)
        through = re.search(r"\b(call|jmp)q? +\*.*# ([0-9a-f]+) <", line)
        callee = direct[2].split("@")[0] if direct else slots.get(int(through[2], 16)) if through else None
        if not callee or not caller or callee == caller or "@plt" in (caller or ""):
            continue
        following = next((match for match in addresses[number + 1:number + 3] if match), None)
        end = int(following[1], 16) if following else None
        found.setdefault((caller, callee), []).append(end)
    return found


class CallLines(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def build(self, compiler, flags, source, name):
        image = os.path.join(self.folder, "image")
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(source)
        subprocess.run([compiler, "-g", "-fno-inline", *(["-fno-ipa-icf"] if compiler == "gcc" else []), *flags, "-o", image, path], check=True,
                       stderr=subprocess.DEVNULL)
        return image

    def printed(self, image, caller, callee):
        result = subprocess.run([PRINT, image, caller, callee], stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertIn(result.returncode, (0, 1))
        return [int(line, 16) for line in result.stdout.split()]

    def compare(self, image):
        compared = 0
        for (caller, callee), expected in calls_by_objdump(image).items():
            if not re.fullmatch(r"f\d+|main", caller) or callee.startswith("_"):
                continue
            known = [end for end in expected if end is not None]
            own = self.printed(image, caller, callee)
            self.assertEqual(len(own), len(expected), (caller, callee))
            self.assertLessEqual(set(known) - set(own), set(), (caller, callee))
            compared += len(expected)
        return compared

    def test_c(self):
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                continue
            for number, flags in enumerate(FLAGS):
                with self.subTest(compiler=compiler, flags=flags):
                    image = self.build(compiler, flags, program(number), "program.c")
                    self.assertGreater(self.compare(image), FUNCTIONS)

    def test_damaged(self):
        image = self.build("gcc", ["-O1"], program(7), "program.c")
        with open(image, "rb") as file:
            good = file.read()
        choose = random.Random(1)
        for _ in range(60):
            bad = bytearray(good[:choose.randint(1, len(good))] if choose.random() < 0.5 else good)
            for _ in range(choose.randint(1, 40)):
                bad[choose.randrange(len(bad))] = choose.randrange(256)
            path = os.path.join(self.folder, "bad")
            with open(path, "wb") as file:
                file.write(bad)
            self.printed(path, "f0", "f1")

    def test_missing(self):
        self.assertEqual(self.printed(os.path.join(self.folder, "none"), "f0", "f1"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
