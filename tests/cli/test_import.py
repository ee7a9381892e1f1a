"""difftrace import: directories of the original ParLOT tools and of uftrace, and plain text."""

import os
import struct

from support import CommandTest, main

# Events and the trace file that the original tool writes of them: from the description of its format.
VECTORS = [
    ([], "00"),
    ([1], "040102"),
    ([1, 2, 0, 2, 0, 2, 0, 0], "140102510202010001"),
    ([1] + [2, 0] * 10 + [0], "1401025102020f0001"),
    ([1, 2, 3, 4], "54010203010401"),
    ([1, 2, 3, 4, 5], "5401020305040502"),
    ([1, 2, 0, 3, 300, 0, 0] * 3 + [0], "1401020d032c0105010d03"),
    ([65534, 0, 256, 0, 1, 0], "8cfeff01040103"),
    ([1] + [2, 3, 0, 0] * 1000 + [0], "540102035002030c990f03"),
    ([7, 0] * 40000, "440707ccffff7c3804"),
]


def compress(words):
    """ParLOT's two stages, from their description."""
    ring, last, position, hashed, coded = [0] * 65536, [0] * 4096, 0, 0, []

    def put(word):
        nonlocal position, hashed
        last[hashed] = position
        hashed = (hashed << 4 ^ word) & 0xfff
        ring[position] = word
        position = position + 1 & 0xffff

    at = 0
    while at < len(words):
        place = last[hashed]
        if all(ring[place - k & 0xffff] == ring[position - k & 0xffff] for k in (1, 2, 3)):
            count = 0
            while at < len(words) and count < 65535 and ring[place] == words[at]:
                put(words[at])
                at, place, count = at + 1, place + 1 & 0xffff, count + 1
            coded.append(count)
        if at < len(words):
            coded.append(words[at])
            put(words[at])
            at += 1
    out, group = bytearray(), []
    for start in range(0, len(coded), 4):
        group = coded[start:start + 4]
        data = struct.pack("<%dH" % len(group), *group)
        out.append(sum(1 << i for i, byte in enumerate(data) if byte))
        out += bytes(byte for byte in data if byte)
    out.append(len(group))
    return bytes(out)


# uftrace's data directory, from the description of its format.
ENTRY, EXIT, LOST, EVENT = range(4)
UFTRACE = {
    "info": b"Ftrace!\0" + struct.pack("<IHBBQQHHI", 4, 40, 1, 2, 0x63, 0, 1024, 0, 0) + b"exename:/bin/app\n",
    "task.txt": b'SESS timestamp=1.000000001 pid=70 sid=ab exename="/bin/app"\n'
                b"TASK timestamp=1.1 tid=70 pid=70\nTASK timestamp=1.2 tid=71 pid=70\n",
    "sid-ab.map": b"400000-405000 r-xp 00000000 00:00 0     /bin/app build-id:12\n"
                  b"7f0000000000-7f0000009000 r-xp 00000000 00:00 0     /lib/libb.so\n",
    "app.sym": b"# symbols: 5\n# path name: /bin/app\n0000000000001030 P puts\n0000000000001040 P MPI_Send\n"
               b"0000000000001050 ? __dynsym_end\n0000000000001100 T main\n0000000000001200 t _Z3fooi\n"
               b"0000000000001300 ? __func_end\n",
    "libb.so.sym": b"# path name: /lib/libb.so\n0000000000000100 T solve\n",
}
MAIN, FOO, PUTS, SEND, SOLVE = 0x401104, 0x401209, 0x401030, 0x401040, 0x7f0000000110


def record(time, kind, depth, address, data=b""):
    return struct.pack("<QQ", 2 * 10**9 + time, kind | bool(data) << 2 | 5 << 3 | depth << 6 | address << 16) + data


class Import(CommandTest):
    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)

    def flat(self, run):
        return [line.split("\t") for line in self.lines("dump", "--flat", run, warnings=True)]

    def do_import(self, *arguments, warnings=False):
        result = self.execute("import", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual("warning" in result.stderr, warnings, result.stderr)
        return result.stderr

    def events(self, words):
        """As dump --flat shows them, of routines f1, f2, ..."""
        stack, lines = [], []
        for word in words:
            if word:
                stack.append("f%d" % word)
                lines.append(["0.0", ">", stack[-1]])
            else:
                lines.append(["0.0", "<"] + ([stack.pop()] if stack else []))
        return lines

    INFO = ("+\n/bin/app\n" + "".join("f%d\n" % i for i in range(1, 65535))).encode()

    def check_trace(self, number, data, words, warnings=False):
        folder, run = "in-%s" % number, "run-%s" % number
        self.write(folder + "/Hdbg.17.node.100.info", b"".join(self.INFO.splitlines(True)[:2 + max(words, default=0)]))
        self.write(folder + "/Hdbg.17.node.100.100", data)
        self.do_import("--from", "parlot", folder, "-o", run, warnings=warnings)
        found = [line if line[1] == ">" else line[:2] for line in self.flat(run)] if words else []
        self.assertEqual(found, [line if line[1] == ">" else line[:2] for line in self.events(words)])

    def test_vectors(self):
        for number, (words, code) in enumerate(VECTORS):
            with self.subTest(number=number):
                self.assertEqual(compress(words).hex(), code)
                self.check_trace(number, bytes.fromhex(code), words)

    def test_uncompressed(self):
        words = [1, 2, 0, 2, 3, 0, 0, 0]
        self.check_trace("words", struct.pack("<8H", *words) + b"\0", words)

    def test_empty_file(self):
        self.check_trace("empty", b"", [], warnings=True)

    def test_cut(self):
        """Every place to cut gives a prefix of the events, but for up to three returns that may be none."""
        words = [1] + [2, 3, 0, 300, 0, 0] * 20 + [4, 0, 5, 6, 0, 0, 0]
        code, complete = compress(words), 0
        for size in range(1, len(code)):
            folder, run = "cut-%d" % size, "cut-run-%d" % size
            self.write(folder + "/Hdbg.17.node.100.info", self.INFO[:20000])
            self.write(folder + "/Hdbg.17.node.100.100", code[:size])
            message = self.execute("import", folder, "-o", run).stderr
            complete += "warning" not in message
            result = self.execute("dump", "--flat", run)
            found = [line.split("\t")[1:3] for line in result.stdout.splitlines()]
            expected = [line[1:3] for line in self.events(words)]
            while found and found != expected[:len(found)] and found[-1][0] == "<":
                found.pop()
            self.assertEqual(found, expected[:len(found)])
        self.assertLess(complete, len(code) / 5)

    def test_names_are_lines(self):
        """Blanks, long names, an image that comes twice, a PLT entry, C++, threads by number."""
        long = "x" * 300
        names = ["main", "operator new(unsigned long)", long]
        info = "+\n/bin/my app\n%s\n+\n/lib/libm.so\nputs@plt\n+\n/bin/my app\n_Z3fooi\n" % "\n".join(names)
        self.write("d/Hdbg.17.node.7.info", info.encode())
        self.write("d/Hdbg.17.node.7.9", compress([1, 2, 3, 4, 0, 5]))
        self.write("d/Hdbg.17.node.7.10", compress([5, 0]))
        self.do_import("d", "-o", "run")
        self.assertEqual([line[2] for line in self.flat("run") if line[:2] == ["0.0", ">"]],
                         ["main", names[1], long, "puts@plt", "foo(int)"])
        self.assertEqual([line[2] for line in self.flat("run") if line[:2] == ["0.1", ">"]], ["foo(int)"])
        info = self.json("info", "run")
        self.assertEqual([process["host"] for process in info["processes"]], ["node"])

    def test_info_cut_short(self):
        """The names of a killed process's last routines were never written."""
        self.write("d/Hdbg.17.node.7.info", b"+\n/bin/app\nmain\n")
        self.write("d/Hdbg.17.node.7.7", compress([1, 2, 3, 0]))
        self.do_import("d", "-o", "run", warnings=True)
        self.assertEqual([line[2] for line in self.flat("run") if line[1] == ">"], ["main", "routine#2", "routine#3"])

    def test_text_both_ways(self):
        for scenario in ("normal", "workers-faulty"):
            self.make(scenario)
            text = self.difftrace("dump", "--flat", scenario)
            self.write(scenario + ".txt", text.encode())
            self.do_import(scenario + ".txt", "-o", scenario + "-again")
            self.assertEqual(self.difftrace("dump", "--flat", scenario + "-again"), text)

    def test_text_taking_turns(self):
        self.write("t.txt", b"# two ranks\n1.0 > main\n0.0 > main\n\n1.0 > a b(c)\n0.0 < main\n1.0 <\n1.a > helper\nnonsense\n")
        message = self.do_import("--from", "text", "t.txt", "-o", "run", warnings=True)
        self.assertIn("1 lines are no events, the first is line 9", message)
        self.assertEqual([line[:3] for line in self.flat("run")],
                         [["0.0", ">", "main"], ["0.0", "<", "main"], ["1.0", ">", "main"], ["1.0", ">", "a b(c)"],
                          ["1.0", "<", "a b(c)"], ["1.a", ">", "helper"]])

    def test_processes_beside_a_rank(self):
        lines = ["3+2.0 > second", "3+1.0 > MPI_Init", "3.0 > MPI_Init", "0.0 > main"]
        self.write("t.txt", "\n".join(lines).encode())
        self.do_import("t.txt", "-o", "run")
        self.assertEqual([" ".join(line) for line in self.flat("run")], [lines[3], lines[2], lines[1], lines[0]])

    def test_many_threads(self):
        """More traces at once than hold a codec's state."""
        lines = ["%d.%d > f%d" % (i % 50, i % 4, i % 7) for i in range(2000)]
        self.write("t.txt", "\n".join(lines).encode())
        self.do_import("t.txt", "-o", "run")
        found = {}
        for label, _, function in self.flat("run"):
            found.setdefault(label, []).append(function)
        expected = {}
        for line in lines:
            expected.setdefault(line.split()[0], []).append(line.split()[2])
        self.assertEqual(found, expected)

    def write_uftrace(self, folder, records, **others):
        files = dict(UFTRACE, **{"70.dat": b"".join(records)})
        files.update({name.replace("_", "."): data for name, data in others.items()})
        for name, data in files.items():
            if data is not None:
                self.write(os.path.join(folder, name), data)

    CALLS = [record(0, ENTRY, 0, MAIN), record(1, ENTRY, 1, FOO), record(2, ENTRY, 2, PUTS), record(3, EXIT, 2, PUTS),
             record(4, EXIT, 1, FOO), record(5, ENTRY, 1, SEND), record(6, EXIT, 1, SEND), record(7, ENTRY, 1, SOLVE),
             record(8, EXIT, 1, SOLVE), record(9, EXIT, 0, MAIN)]
    CALLED = ["> main", "> foo(int)", "> puts@plt", "< puts@plt", "< foo(int)", "> MPI_Send", "< MPI_Send", "> solve",
              "< solve", "< main"]

    def shown(self, run, trace="0.0"):
        return [" ".join(line[1:]) for line in self.flat(run) if line[0] == trace]

    def test_uftrace(self):
        self.write_uftrace("d", self.CALLS, **{"71.dat": record(3, ENTRY, 0, FOO) + record(4, EXIT, 0, FOO)})
        self.do_import("d", "-o", "run")
        self.assertEqual(self.shown("run"), self.CALLED)
        self.assertEqual(self.shown("run", "0.1"), ["> foo(int)", "< foo(int)"])

    def test_uftrace_calls_of_apis(self):
        """Through an offset table, a call of an API is that call, of whichever API."""
        symbols = b"# path name: /bin/app\n0000000000001030 P __kmpc_barrier\n0000000000001040 P GOMP_barrier\n" \
                  b"0000000000001050 P pthread_join\n0000000000001060 P exit\n0000000000001100 T main\n"
        records = [record(0, ENTRY, 0, MAIN)]
        for at in range(4):
            records += [record(2 * at + 1, ENTRY, 1, 0x401030 + 16 * at), record(2 * at + 2, EXIT, 1, 0x401030 + 16 * at)]
        self.write_uftrace("d", records, **{"app.sym": symbols})
        self.do_import("d", "-o", "run")
        entered = [line[2:] for line in self.shown("run") if line.startswith("> ")]
        self.assertEqual(entered, ["main", "__kmpc_barrier", "GOMP_barrier", "pthread_join", "exit@plt"])

    def test_uftrace_with_data(self):
        """Arguments and results stand between records; their bytes may look like a record's."""
        look_alike = record(0, ENTRY, 900, MAIN)
        calls = [record(0, ENTRY, 0, MAIN, b"\5\0hello\0"), record(1, ENTRY, 1, FOO, look_alike + bytes(24)),
                 record(1, EVENT, 0, 100001, bytes(8)), record(2, EXIT, 1, FOO, bytes(16)),
                 record(3, EXIT, 0, MAIN, b"\1" * 8)]
        self.write_uftrace("d", calls)
        self.do_import("d", "-o", "run")
        self.assertEqual(self.shown("run"), ["> main", "> foo(int)", "< foo(int)", "< main"])

    def test_uftrace_calls_left_without_a_record(self):
        """By an exception, by longjmp; and calls that were open when the recording began."""
        self.write_uftrace("d", [record(0, EXIT, 3, PUTS), record(1, ENTRY, 2, MAIN), record(2, ENTRY, 3, FOO),
                                 record(3, ENTRY, 4, PUTS), record(4, ENTRY, 3, SOLVE), record(5, EXIT, 2, MAIN)])
        self.do_import("d", "-o", "run")
        self.assertEqual(self.shown("run"), ["> main", "> foo(int)", "> puts@plt", "< puts@plt", "< foo(int)", "> solve",
                                             "< solve", "< main"])

    def test_uftrace_fork_and_exec(self):
        tasks = UFTRACE["task.txt"] + (b"FORK timestamp=2.000000003 pid=80 ppid=70\n"
                                       b'SESS timestamp=2.000000010 pid=80 sid=cd exename="/bin/new"\n')
        self.write_uftrace("d", self.CALLS, task_txt=tasks, **{
            "sid-cd.map": b"400000-405000 r-xp 00000000 00:00 0     /bin/new\n",
            "new.sym": b"0000000000001100 T other\n",
            "80.dat": record(5, ENTRY, 1, FOO) + record(11, ENTRY, 0, MAIN)})
        self.do_import("d", "-o", "run")
        self.assertEqual(self.shown("run", "1.0"), ["> foo(int)", "< foo(int)", "> other"])

    def test_uftrace_of_ranks(self):
        """A directory each, whose names end with the rank; one of them is no good."""
        for rank in (0, 2, 10):
            self.write_uftrace("all/rank.%d" % rank, self.CALLS[:rank])
        self.write_uftrace("all/rank.3", self.CALLS, task_txt=None)
        message = self.do_import("all", "-o", "run", warnings=True)
        self.assertRegex(message, r"rank\.3/task\.txt")
        self.assertEqual([len(self.shown("run", "%d.0" % rank)) for rank in (0, 2, 3, 10)], [0, 2, 0, 10])

    def test_uftrace_cut_anywhere(self):
        data = b"".join(self.CALLS)
        for size in range(0, len(data), 11):
            folder, run = "cut-%d" % size, "cut-run-%d" % size
            self.write_uftrace(folder, [data[:size]])
            message = self.do_import(folder, "-o", run, warnings=size % 16 != 0)
            self.assertEqual("no record at offset %d" % (size // 16 * 16) in message, size % 16 != 0)
            if size >= 16:
                self.assertEqual(self.shown(run), self.CALLED[:size // 16])

    def test_uftrace_damaged(self):
        for name, others, what in (
                ("names", {"app_sym": None}, r"calls of functions that no symbol file names"),
                ("map", {"sid-ab_map": None}, r"sid-ab\.map.*have no names"),
                ("lost", {"70_dat": self.CALLS[0] + record(1, LOST, 0, 17)}, "lost 17 records"),
                ("noise", {"70_dat": self.CALLS[0] + b"x" * 64}, "no record at offset 16"),
                ("other", {"99_dat": b""}, r"99\.dat: no task"),
                ("kernel", {"kernel-cpu0_dat": b""}, "kernel")):
            with self.subTest(name):
                self.write_uftrace(name, self.CALLS, **others)
                self.assertRegex(self.do_import(name, "-o", name + "-run", warnings=True), what)
                self.assertTrue(self.flat(name + "-run"))
        for name, others, what in (
                ("short", {"info": UFTRACE["info"][:39]}, "cut short"),
                ("version", {"info": b"Ftrace!\0\x09" + UFTRACE["info"][9:]}, "version 9"),
                ("endian", {"info": UFTRACE["info"][:14] + b"\2" + UFTRACE["info"][15:]}, "big-endian"),
                ("tasks", {"task_txt": None}, "task.txt"),
                ("none", {"70_dat": None}, "no trace there")):
            with self.subTest(name):
                self.write_uftrace(name, self.CALLS, **others)
                self.assertIn(what, self.error("import", "--from", "uftrace", name, "-o", name + "-run"))

    def test_bad_input(self):
        self.write("empty/x", b"")
        self.assertIn("no data of uftrace", self.error("import", "--from", "uftrace", "empty", "-o", "r0"))
        self.write("t.txt", b"hello\n")
        self.assertIn("--from", self.error("import", "empty"))
        self.assertIn("no files of ParLOT", self.error("import", "--from", "parlot", "empty", "-o", "r1"))
        self.assertIn("no line", self.error("import", "--from", "text", "t.txt", "-o", "r2"))
        self.assertFalse([run for run in ("r0", "r1", "r2") if os.path.exists(self.path(run))])
        known = self.error("import", "--from", "otf", "t.txt").splitlines()[0].partition("no such format: there are ")[2]
        self.assertIn("--from=%s\n" % known.replace(", ", "|"), self.difftrace("import", "--help"))
        self.assertIn("nowhere", self.error("import", "nowhere"))
        self.assertIn("not empty", self.error("import", "--from", "text", "t.txt", "-o", "empty"))


if __name__ == "__main__":
    main()
