"""Archives of OTF2's: written and read again, read by OTF2's own tools, written by another writer, damaged."""

import collections
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

try:
    import otf2
    import otf2_archive
except ImportError:
    sys.exit(77)  # neither the library nor its Python bindings are here

from support import DIFFTRACE, LIMIT, CommandTest, main

RUNS = ("normal", "deadlock", "crashed", "workers-faulty", "library-threads", "odd-names", "arguments", "deep", "timed", "ring", "ring-hung")
TOLD = (["dump", "--flat"], ["dump", "--args"], ["stack", "--all"], ["waits"], ["times"], ["skeleton"], ["stats"])
# A count in a damaged anchor keeps the library itself busy for seconds, and for minutes if every call of free is watched.
DAMAGES = int(os.environ.get("DT_OTF2_DAMAGES", "24" if os.environ.get("DT_SANITIZE") else "150"))


class Otf2(CommandTest):
    def export(self, run, *options):
        self.difftrace("export", run, "--format", "otf2", "-o", run + "-otf2", *options)
        return os.path.join(run + "-otf2", "traces.otf2")

    def again(self, anchor, run):
        self.difftrace("import", "--from", "otf2", anchor, "-o", run, "--quiet", warnings=True)

    def told(self, command, run):
        """Of a run that is there under the same name each time."""
        os.rename(self.path(run), self.path("it"))
        result = self.execute(*command, "it")
        os.rename(self.path("it"), self.path(run))
        return result.returncode, result.stdout, result.stderr

    def test_round_trip(self):
        """What commands tell of a run they tell of what was made of its archive: events, arguments, times, ends."""
        self.make(*RUNS)
        for run in RUNS:
            self.again(self.export(run), "again")
            for command in TOLD:
                with self.subTest(run=run, command=command):
                    self.assertEqual(self.told(command, "again"), self.told(command, run))
            if run in ("timed", "ring"):
                self.assertEqual(self.difftrace("export", "again", "--format", "csv"), self.difftrace("export", run, "--format", "csv"))
            shutil.rmtree(self.path("again"))

    def test_comparison(self):
        """A run and what was made of its archive do not differ."""
        self.make("ring")
        self.again(self.export("ring"), "again")
        self.assertEqual(self.execute("compare", "ring", "again").returncode, 0)
        self.assertEqual(self.told(["skeleton"], "ring"), self.told(["skeleton"], "again"))

    def events(self, run):
        """(kind, what) of each event of each location, as OTF2's own bindings read them."""
        found = collections.defaultdict(list)
        with otf2.reader.open(self.path(run + "-otf2", "traces.otf2")) as archive:
            for location, event in archive.events:
                found[location.name].append(event)
            return found, archive.definitions.clock_properties.timer_resolution

    def test_what_others_read(self):
        """Calls, times and messages by the library's own bindings."""
        self.make("ring", "normal")
        for run, timed in (("ring", True), ("normal", False)):
            self.export(run)
            found, resolution = self.events(run)
            self.assertEqual(resolution, 10**9 if timed else 10**6)
            rows = [line.split("\t") for line in self.lines("dump", run, "--flat")]
            expected = collections.defaultdict(list)
            for label, kind, name in rows:
                expected[label].append((">" if kind == ">" else "<", name))
            for label, events in found.items():
                calls = [(">" if isinstance(event, otf2.events.Enter) else "<", event.region.name)
                         for event in events if isinstance(event, (otf2.events.Enter, otf2.events.Leave))]
                self.assertEqual(calls, expected[label])
                times = [event.time for event in events]
                self.assertEqual(times, sorted(times))
            self.assertEqual(set(found), set(expected))
        kinds = collections.Counter(type(event).__name__ for events in self.events("ring")[0].values() for event in events)
        self.assertEqual({name: kinds[name] for name in ("MpiIsend", "MpiIsendComplete", "MpiIrecvRequest", "MpiIrecv", "MpiSend", "MpiRecv")},
                         {"MpiIsend": 40, "MpiIsendComplete": 40, "MpiIrecvRequest": 40, "MpiIrecv": 40, "MpiSend": 3, "MpiRecv": 3})
        self.assertEqual((kinds["MpiCollectiveBegin"], kinds["MpiCollectiveEnd"]), (44, 44))

    def test_messages(self):
        """Who sends to whom, in which communicator, with which tag, how much; a receive from anybody has got what was noted."""
        self.make("ring")
        self.export("ring")
        found, _ = self.events("ring")
        for label, events in found.items():
            rank = int(label.split(".")[0])
            for event in events:
                if isinstance(event, (otf2.events.MpiIsend, otf2.events.MpiIrecv)):
                    peer = event.receiver if isinstance(event, otf2.events.MpiIsend) else event.sender
                    step = 1 if isinstance(event, otf2.events.MpiIsend) else -1
                    self.assertEqual((peer, event.msg_tag, event.msg_length, event.communicator.name), ((rank + step) % 4, 7, 800, "world"))
                elif isinstance(event, otf2.events.MpiSend):
                    self.assertEqual((event.receiver, event.msg_tag), (0, 9))
            received = [(event.sender, event.msg_tag) for event in events if isinstance(event, otf2.events.MpiRecv)]
            self.assertEqual(received, [(1, 9), (2, 9), (3, 9)] if rank == 0 else [])
            collective = [event for event in events if isinstance(event, otf2.events.MpiCollectiveEnd)]
            self.assertEqual([(event.communicator.name, event.root) for event in collective[1:]], [("world/1", 1)] * 10)

    @unittest.skipUnless(shutil.which("otf2-print"), "no otf2-print")
    def test_printed(self):
        """OTF2's own tool reads archives without a complaint."""
        self.make("ring", "library-threads")
        for run in ("ring", "library-threads"):
            for options in ([], ["-G"]):
                printed = subprocess.run(["otf2-print", *options, self.export(run) if not options else run + "-otf2/traces.otf2"], cwd=self.folder,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
                self.assertEqual((printed.returncode, printed.stderr), (0, ""))
                self.assertNotIn("INVALID", printed.stdout)

    def test_filter_and_trace(self):
        self.make("ring")
        self.export("ring", "--filter", "mpi", "-t", "1", "-t", "2")
        found, _ = self.events("ring")
        self.assertEqual(set(found), {"1.0", "2.0"})
        names = {event.region.name for events in found.values() for event in events if isinstance(event, otf2.events.Enter)}
        self.assertEqual({name[:4] for name in names}, {"MPI_"})

    def test_of_another_writer(self):
        """Calls get arguments as the tracer would have recorded them; requests are followed, messages matched."""
        otf2_archive.write(self.path("foreign"), ranks=3, steps=4)
        self.again("foreign/traces.otf2", "run")
        self.assertEqual(self.difftrace("skeleton", "run").splitlines()[2:], [
            "MPI_Init", "4 times", "  MPI_Irecv(world, from -1, tag 5, 800 x 1 B)", "  MPI_Isend(world, to +1, tag 5, 800 x 1 B)",
            "  MPI_Waitall(live all)", "  MPI_Allreduce(world, 16 x 1 B)", "  MPI_Bcast(world, 40 x 1 B, root 1)",
            "on 0: MPI_Send(world, to -1, tag 9, 24 x 1 B)", "on 2: MPI_Recv(world, from +1, tag 9, 24 x 1 B)", "MPI_Finalize"])
        self.assertIn("MPI_Waitall(2 requests, live all): of requests 7 8;", self.difftrace("dump", "--args", "run"))
        times = self.difftrace("times", "run")
        self.assertRegex(times, r"MPI_Bcast +12 +360 us")
        flows = self.execute("export", "run", "--format", "perfetto", text=False)
        self.assertEqual(flows.returncode, 0)
        otf2_archive.write(self.path("other"), ranks=3, steps=5)
        self.again("other/traces.otf2", "longer")
        self.assertEqual(self.execute("compare", "run", "longer").returncode, 0)

    def damaged(self, seed, folder, files):
        """Damages one of the files, and says how."""
        chance = random.Random(seed)
        name = chance.choice(files)
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            data = bytearray(file.read())
        if chance.random() < 0.4:
            data = data[:chance.randrange(len(data) + 1)]
        for _ in range(chance.randrange(0, 6) if data else 0):
            data[chance.randrange(len(data))] = chance.randrange(256)
        with open(path, "wb") as file:
            file.write(data)
        return "seed %d: %s" % (seed, name)

    def test_damage(self):
        """One line, or what could be read with warnings: never a crash, nothing of the library's own."""
        self.make("ring")
        self.export("ring")
        otf2_archive.write(self.path("foreign-otf2"), ranks=2, steps=3)
        for seed in range(DAMAGES):
            source = self.path(("ring", "foreign")[seed % 2] + "-otf2")
            folder = self.path("damaged")
            shutil.copytree(source, folder)
            files = sorted(os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names)
            with self.subTest(self.damaged(seed, folder, files)):
                result = self.execute("import", "--from", "otf2", "damaged/traces.otf2", "-o", "run", "--quiet")
                self.assertIn(result.returncode, (0, 2), result.stderr)
                self.assertNotIn("[OTF2]", result.stderr)
                for line in result.stderr.splitlines():
                    self.assertRegex(line, "^difftrace: (warning: )?[^ ]")
                if result.returncode == 2:
                    self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                    self.assertFalse(os.path.exists(self.path("run")))
                else:
                    self.assertIn(self.execute("dump", "--flat", "run").returncode, (0, 2))
            for path in (folder, self.path("run")):
                shutil.rmtree(path, ignore_errors=True)

    def test_mistakes(self):
        self.make("ring")
        self.assertIn("--output", self.error("export", "ring", "--format", "otf2"))
        os.mkdir(self.path("full"))
        with open(self.path("full", "file"), "w", encoding="ascii"):
            pass
        self.assertIn("full: is there already", self.error("export", "ring", "--format", "otf2", "-o", "full"))
        self.assertIn("of one run", self.error("export", "ring", "ring", "--format", "otf2", "-o", "x"))
        self.assertIn("all of its time", self.error("export", "ring", "--format", "otf2", "-o", "x", "--since", "0.1"))
        self.assertFalse(os.path.exists(self.path("x")))
        self.assertIn("cannot be written", self.error("export", "ring", "--format", "otf2", "-o", "full/file/below"))
        with open(self.path("none.otf2"), "w", encoding="ascii") as file:
            file.write("no archive\n")
        self.assertIn("none.otf2: not an archive of OTF2's", self.error("import", "--from", "otf2", "none.otf2", "-o", "y"))

    def test_without_the_library(self):
        """A build without it says what is missing."""
        self.make("ring")
        there = os.path.dirname(DIFFTRACE)
        os.mkdir(self.path("bin"))
        for name in os.listdir(there):
            if name == "difftrace" or re.fullmatch(r"difftrace-\w+\.so", name):
                shutil.copy(os.path.join(there, name), self.path("bin", name))
        result = subprocess.run([self.path("bin", "difftrace"), "export", "ring", "--format", "otf2", "-o", "x"], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^difftrace: no difftrace-otf2 in .*libopen-trace-format2-dev is\n$")


if __name__ == "__main__":
    main()
