"""Exports, read by the tools they are for or by their rules."""

import collections
import csv
import http.client
import io
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import unittest

from protobuf import PerfettoTrace
from support import DIFFTRACE, LIMIT, CommandTest, main, read

PAGE_PORT = 9001  # the only one that Perfetto's page may ask
RUNS = ("normal", "deadlock", "workers-faulty", "crashed", "odd-names", "deep")


# Names, numbers and types of the fields that are written, as protos/perfetto/trace/perfetto_trace.proto of Perfetto has them.
DEFINITION = """
syntax = "proto2";
message Trace { repeated TracePacket packet = 1; }
message TracePacket {
  optional uint64 timestamp = 8; optional uint32 trusted_packet_sequence_id = 10; optional TrackEvent track_event = 11;
  optional InternedData interned_data = 12; optional uint32 sequence_flags = 13; optional TrackDescriptor track_descriptor = 60;
  optional bool first_packet_on_sequence = 87;
}
message TrackDescriptor {
  optional uint64 uuid = 1; optional string name = 2; optional ProcessDescriptor process = 3; optional ThreadDescriptor thread = 4;
}
message ProcessDescriptor { optional int32 pid = 1; optional string process_name = 6; }
message ThreadDescriptor { optional int32 pid = 1; optional int32 tid = 2; optional string thread_name = 5; }
message TrackEvent {
  enum Type { TYPE_UNSPECIFIED = 0; TYPE_SLICE_BEGIN = 1; TYPE_SLICE_END = 2; }
  optional Type type = 9; optional uint64 name_iid = 10; optional uint64 track_uuid = 11;
  repeated fixed64 flow_ids = 47; repeated fixed64 terminating_flow_ids = 48;
}
message InternedData { repeated EventName event_names = 2; }
message EventName { optional uint64 iid = 1; optional string name = 2; }
"""


class Export(CommandTest):
    def setUp(self):
        super().setUp()
        self.make(*RUNS)

    def tool(self, *command):
        result = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                errors="replace", timeout=LIMIT)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def calls(self, run):
        """Calls by function, as stats counts them."""
        counted = collections.Counter()
        for each in self.json("stats", run)["functions"]:
            counted[each["function"]] += each["calls"]
        return counted

    def test_chrome(self):
        for run in RUNS:
            events = json.loads(self.difftrace("export", run, "--format", "chrome"))["traceEvents"]
            names = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
            stacks, last, counted = collections.defaultdict(list), {}, collections.Counter()
            for each in events:
                if each["ph"] == "M":
                    continue
                place = (each["pid"], each["tid"])
                self.assertGreater(each["ts"], last.get(place, -1))
                last[place] = each["ts"]
                if each["ph"] == "B":
                    stacks[place].append(each["name"])
                    counted[each["name"]] += 1
                else:
                    self.assertEqual(stacks[place].pop(), each["name"])
            self.assertEqual(counted, self.calls(run), run)
            for place, stack in stacks.items():
                final = self.json("stack", run, "-t", names[place], "--quiet")["frames"]
                self.assertEqual(stack, final)

    def test_folded(self):
        for run in RUNS:
            counted = collections.Counter()
            for line in self.lines("export", run, "--format", "folded"):
                stack, count = line.rsplit(" ", 1)
                counted[stack.split(";")[-1]] += int(count)
            calls = collections.Counter({name.replace(";", ":"): count for name, count in self.calls(run).items()})
            self.assertEqual(sum(counted.values()), sum(calls.values()), run)
            if "(deeper)" not in counted:
                self.assertEqual(counted, calls, run)
        self.assertIn("main;oddEvenSort;MPI_Send", self.difftrace("export", "normal", "-t", "5", "--format", "folded"))

    @unittest.skipUnless(shutil.which("callgrind_annotate"), "no callgrind_annotate")
    def test_callgrind(self):
        for run in RUNS:
            self.difftrace("export", run, "--format", "callgrind", "-o", "callgrind.out")
            own = self.tool("callgrind_annotate", "--threshold=100", "callgrind.out")
            totals = "{:,}".format(sum(self.calls(run).values()))
            self.assertRegex(own, r"(?m)^ *%s .*PROGRAM TOTALS$" % totals)
        self.difftrace("export", "normal", "--format", "callgrind", "-o", "callgrind.out")
        inclusive = self.tool("callgrind_annotate", "--inclusive=yes", "callgrind.out")
        self.assertRegex(inclusive, r"(?m)^ *%s .*:main" % "{:,}".format(sum(self.calls("normal").values())))

    @unittest.skipUnless(shutil.which("dot"), "no dot")
    def test_dot(self):
        for run in RUNS:
            self.difftrace("export", run, "--format", "dot", "-o", "graph.dot")
            self.assertIn("<svg", self.tool("dot", "-Tsvg", "graph.dot"))

    def test_csv(self):
        for run in RUNS:
            rows = list(csv.DictReader(io.StringIO(self.difftrace("export", run, "--format", "csv"))))
            flat = [line.split("\t") for line in self.lines("dump", run, "--flat")]
            self.assertEqual([[row["trace"], ">" if row["kind"] == "call" else "<", row["function"]] for row in rows], flat)

    def own_times(self, rows):
        """Nanoseconds by function in which it was the innermost open one, worked out from rows of csv."""
        own, stacks, latest = collections.Counter(), collections.defaultdict(list), {}
        for row in rows:
            now = round(float(row["seconds"]) * 1e9)
            stack = stacks[row["trace"]]
            if stack:
                own[stack[-1]] += now - latest[row["trace"]]
            latest[row["trace"]] = now
            if row["kind"] == "call":
                stack.append(row["function"])
            else:
                self.assertEqual(stack.pop(), row["function"])
        self.assertFalse(any(stacks.values()))
        return own

    def rows(self, *options):
        return list(csv.DictReader(io.StringIO(self.difftrace("export", "timed", "--format", "csv", *options))))

    def test_times(self):
        """All formats tell the same times."""
        self.make("timed")
        rows = self.rows()
        own = self.own_times(rows)
        self.assertGreater(sum(own.values()), 10**8)
        self.difftrace("export", "timed", "--format", "callgrind", "-o", "callgrind.out")
        profile = re.findall(r"(?m)^fn=\(\d+\) (.*)\n0 (\d+) (\d+)$", read(self.path("callgrind.out")))
        self.assertEqual({name: int(ns) for name, _, ns in profile if int(ns)}, {name: ns for name, ns in own.items() if ns})
        self.assertRegex(read(self.path("callgrind.out")), r"(?m)^totals: \d+ %d$" % sum(own.values()))
        folded = collections.Counter()
        for line in self.lines("export", "timed", "--format", "folded-time"):
            stack, microseconds = line.rsplit(" ", 1)
            folded[stack.split(";")[-1]] += int(microseconds)
        for name, ns in own.items():
            self.assertAlmostEqual(folded[name], ns / 1000, delta=2)
        events = [each for each in json.loads(self.difftrace("export", "timed", "--format", "chrome"))["traceEvents"] if each["ph"] != "M"]
        self.assertEqual([round(each["ts"] * 1000) for each in events], [round(float(row["seconds"]) * 1e9) for row in rows])

    def test_between_times(self):
        """What is open at the first begins there, and what is at the other returns."""
        self.make("timed")
        whole = self.rows()
        since, until = 0.02, 0.05
        rows = self.rows("--since", str(since), "--until", str(until))
        self.own_times(rows)
        times = [float(row["seconds"]) for row in rows]
        self.assertTrue(all(since <= time <= until for time in times))
        inside = [row for row in whole if since < float(row["seconds"]) < until]
        self.assertGreater(len(inside), 10)
        self.assertEqual([row for row in rows if since < float(row["seconds"]) < until], inside)
        self.assertEqual({row["function"] for row in self.rows("--filter", "mpicol")}, {row["function"] for row in whole} & {"MPI_Allreduce"})
        self.assertIn("--times", self.error("export", "normal", "--format", "csv", "--since", "1"))
        self.assertIn("--times", self.error("export", "normal", "--format", "folded-time"))

    def folded(self, *options):
        """Values by stack, of the last columns, as many as a line has."""
        values = {}
        for line in self.lines("export", *options):
            stack, *columns = re.fullmatch(r"(.*?)((?: \d+)+)", line).groups()
            values[stack] = [int(value) for value in columns[0].split()]
        return values

    def test_folded_of_two_runs(self):
        """Each column is what the run alone has; a stack that it does not have has a 0."""
        for first, second in (("normal", "deadlock"), ("normal", "normal"), ("workers-faulty", "normal")):
            both = self.folded(first, second, "--format", "difffolded")
            one, other = (self.folded(run, "--format", "folded") for run in (first, second))
            self.assertEqual(both, {stack: [one.get(stack, [0])[0], other.get(stack, [0])[0]] for stack in {**one, **other}})
        self.assertTrue(any(values[0] == 0 for values in both.values()))
        self.make("timed", "timed-normal")
        both = self.folded("timed", "timed-normal", "--format", "difffolded-time")
        one, other = (self.folded(run, "--format", "folded-time") for run in ("timed", "timed-normal"))
        self.assertEqual(both, {stack: [one.get(stack, [0])[0], other.get(stack, [0])[0]] for stack in {**one, **other}})

    def perfetto(self, *options):
        result = self.execute("export", *options, "--format", "perfetto", text=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return PerfettoTrace(result.stdout)

    def slices(self, trace):
        """Rows as those of csv: of each thread, by its label in order."""
        rows = []
        for track, (pid, _, label) in trace.threads.items():
            stack, last = [], -1
            self.assertIn(pid, trace.processes)
            for time, kind, name, _, _ in trace.events.get(track, []):
                self.assertGreaterEqual(time, last)
                last = time
                if kind == "B":
                    stack.append(name)
                rows.append((label, "call" if kind == "B" else "return", stack[-1] if kind == "B" else stack.pop(), time))
        return rows

    def test_perfetto(self):
        for run in RUNS:
            rows = csv.DictReader(io.StringIO(self.difftrace("export", run, "--format", "csv")))
            self.assertEqual(self.slices(self.perfetto(run)), [(row["trace"], row["kind"], row["function"], int(row["event"])) for row in rows])

    def test_perfetto_with_times(self):
        """Times as in csv; messages lead from the call that sent them to one that received them, in the order of each pair."""
        self.make("timed", "ring")
        for run in ("timed", "ring"):
            trace, rows = self.perfetto(run), list(csv.DictReader(io.StringIO(self.difftrace("export", run, "--format", "csv"))))
            self.assertEqual(self.slices(trace), [(row["trace"], row["kind"], row["function"], round(float(row["seconds"]) * 1e9)) for row in rows])
        self.check_ring(trace)

    def arrows(self, trace):
        """{flow: (track, time, function)} of where they begin and where they end."""
        begun, ended = {}, {}
        for track, events in trace.events.items():
            stack = []
            for time, kind, name, begins, ends in events:
                if kind == "B":
                    stack.append(name)
                function = stack[-1] if kind == "B" else stack.pop()
                for flows, told in (begins, begun), (ends, ended):
                    self.assertFalse(set(flows) & set(told))
                    told.update({flow: (track, time, function) for flow in flows})
        self.assertEqual(set(begun), set(ended))
        return begun, ended

    def check_ring(self, trace):
        begun, ended = self.arrows(trace)
        sent = collections.Counter(function for _, _, function in begun.values())
        received = collections.Counter(function for _, _, function in ended.values())
        self.assertEqual(sent, {"MPI_Isend": 40, "MPI_Send": 3})
        self.assertEqual(received, {"MPI_Waitall": 40, "MPI_Recv": 3})
        for flow, (track, time, function) in begun.items():
            rank, other = (int(trace.threads[each][2].split(".")[0]) for each in (track, ended[flow][0]))
            self.assertEqual(other, (rank + 1) % 4 if function == "MPI_Isend" else 0)
            self.assertLessEqual(time, ended[flow][1])

    def test_perfetto_in_the_order_of_messages(self):
        """Without times an event has the least number with which it is behind what it needs; found by asking over and over."""
        self.make("ring-untimed")
        trace = self.perfetto("ring-untimed")
        self.check_ring(trace)
        begun, ended = self.arrows(trace)
        least, needs = {}, {}
        for track, events in trace.events.items():
            for i, (_, _, _, begins, ends) in enumerate(events):
                needs[track, i] = [(track, i - 1)] if i > 0 else []
                needs[track, i] += [(begun[flow][0], [event[0] for event in trace.events[begun[flow][0]]].index(begun[flow][1])) for flow in ends]
                least[track, i] = 0
        changed = True
        while changed:
            before = dict(least)
            for event, needed in needs.items():
                least[event] = max([least[event]] + [least[each] + 1 for each in needed])
            changed = least != before
        for track, events in trace.events.items():
            self.assertEqual([event[0] for event in events], [least[track, i] for i in range(len(events))])
        self.assertGreater(max(event[0] for events in trace.events.values() for event in events), max(len(events) for events in trace.events.values()) - 1)

    def test_perfetto_of_two_runs(self):
        """Two groups of processes; where the first trace parts both are at the same time."""
        trace = self.perfetto("normal", "deadlock")
        groups = collections.Counter(name.split(": ")[0] for name in trace.processes.values())
        self.assertEqual(groups["normal"], groups["deadlock"])
        self.assertEqual(len(groups), 2)
        parted = []
        by_label = {}
        for track, (pid, _, label) in trace.threads.items():
            by_label[trace.processes[pid].split(": ")[0], label] = trace.events[track]
        for (run, label), events in by_label.items():
            other = by_label.get(("deadlock", label))
            if run != "normal" or not other:
                continue
            for i, event in enumerate(events):
                if i >= len(other) or event[1:3] != other[i][1:3]:
                    parted.append((event[0], other[i][0] if i < len(other) else other[-1][0] + 1))
                    break
        self.assertTrue(parted)
        first = min(parted)
        self.assertEqual(first[0], first[1])

    @unittest.skipUnless(shutil.which("protoc"), "no protoc")
    def test_perfetto_by_its_definition(self):
        """protoc knows each field that is there, and finds as many events."""
        with open(self.path("perfetto.proto"), "w", encoding="ascii") as file:
            file.write(DEFINITION)
        self.make("ring")
        for runs in (["ring"], ["normal", "deadlock"]):
            exported = self.execute("export", *runs, "--format", "perfetto", text=False).stdout
            decoded = subprocess.run(["protoc", "--decode=Trace", "perfetto.proto"], cwd=self.folder, input=exported, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, check=False, timeout=LIMIT)
            self.assertEqual((decoded.returncode, decoded.stderr), (0, b""))
            text = decoded.stdout.decode()
            self.assertEqual(re.findall(r"(?m)^ *\d+[:{ ].*", text), [])
            rows = sum(len(self.difftrace("export", run, "--format", "csv").splitlines()) - 1 for run in runs)
            self.assertEqual(len(re.findall(r"type: TYPE_SLICE_(?:BEGIN|END)\n", text)), rows)

    def ask(self, method, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", PAGE_PORT, timeout=LIMIT)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def test_open(self):
        """The page gets what would be in the file, once; other pages, other names and other hosts get nothing."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", PAGE_PORT))
            except OSError:
                self.skipTest("port %d is taken" % PAGE_PORT)
        os.rename(self.path("normal"), self.path("a run"))
        command = [DIFFTRACE, "export", "a run", "--format", "perfetto", "--open"]
        desktop = ("DISPLAY", "WAYLAND_DISPLAY")
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={name: value for name, value in os.environ.items() if name not in desktop}) as process:
            self.addCleanup(process.kill)
            self.assertEqual(process.stdout.readline(), "https://ui.perfetto.dev/#!/?url=http://127.0.0.1:%d/a%%20run.pftrace\n" % PAGE_PORT)
            self.assertEqual(self.ask("GET", "/")[0], 404)
            self.assertEqual(self.ask("GET", "/etc/passwd")[0], 404)
            self.assertEqual(self.ask("POST", "/a%20run.pftrace")[0], 404)
            self.assertEqual(self.ask("GET", "/a%20run.pftrace", Host="evil.example:%d" % PAGE_PORT)[0], 404)
            status, headers, _ = self.ask("OPTIONS", "/a%20run.pftrace")
            self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (204, "https://ui.perfetto.dev"))
            self.assertIn("port %d" % PAGE_PORT, self.error(*command[1:]))
            status, headers, body = self.ask("GET", "/a%20run.pftrace")
            self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (200, "https://ui.perfetto.dev"))
            self.assertEqual(body, self.execute("export", "a run", "--format", "perfetto", text=False).stdout)
            self.assertEqual(process.wait(LIMIT), 0, process.stderr.read())
            self.assertEqual(process.stdout.read(), "")
        self.assertIn("--open: of --format perfetto", self.error("export", "a run", "--format", "csv", "--open"))
        self.assertIn("--open: of --format perfetto", self.error("export", "a run", "--format", "dot", "--open"))

    def test_how_many_runs(self):
        self.assertIn("--format difffolded: of two runs", self.error("export", "normal", "--format", "difffolded"))
        for name in ("csv", "dot", "chrome"):
            self.assertIn("--format %s: of one run" % name, self.error("export", "normal", "deadlock", "--format", name))

    def test_what_cannot_be_written(self):
        """The reason is told, and no half of an export stays."""
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

        for name in ("chrome", "folded", "callgrind", "csv", "perfetto"):
            limited = self.execute("export", "deep", "--format", name, "-o", "x", preexec_fn=limit_files)
            self.assertEqual((limited.returncode, limited.stdout), (2, ""))
            self.assertRegex(limited.stderr, "^difftrace: x: cannot be written: .*large\n$")
            self.assertFalse(os.path.exists(self.path("x")))
        self.assertIn("/none/x: cannot be written: No such file", self.error("export", "normal", "--format", "csv", "-o", "/none/x"))
        self.assertIn("/dev/full: cannot be written: No space", self.error("export", "normal", "--format", "csv", "-o", "/dev/full"))
        self.assertTrue(os.path.exists("/dev/full"))

    def test_one_trace_to_a_file(self):
        self.difftrace("export", "normal", "--format", "csv", "-t", "3", "-o", "three.csv")
        self.assertEqual({line.split(",")[0] for line in read(self.path("three.csv")).splitlines()[1:]}, {"3.0"})

    def test_mistakes(self):
        self.assertIn("--format: missing", self.error("export", "normal"))
        self.assertIn("unknown", self.error("export", "normal", "--format", "xml"))
        self.assertIn("cannot be written", self.error("export", "normal", "--format", "csv", "-o", "no/where"))


if __name__ == "__main__":
    main()
