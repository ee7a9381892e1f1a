"""Arguments of MPI calls: what programs pass, by their own account, against what difftrace shows."""

import json
import os
import re

from decoded import MOST_WITH_ARGUMENTS, check_once, traces_of
from e2e_support import APPS, MPIS, DIFFTRACE, EndToEnd, app, environment, example, execute, main, time_limit

RANKS = 4
# Of 100000 calls with other tags each; the whole program makes far fewer others.
MOST_SIGNATURES = 400


class Arguments(EndToEnd):
    def calls(self, run, rank, *options):
        """Function with arguments, and what is noted, of every MPI call but those that make types, which have none."""
        lines = self.difftrace("dump", run, "-t", str(rank), "--flat", "--filter", "mpiall", *options).stdout.splitlines()
        return [line.split("\t", 2)[2] for line in lines if "\tMPI_Type_" not in line]

    def each_mpi(self, program):
        for mpi in MPIS:
            if os.path.exists(app(program + mpi.suffix)) and mpi.available():
                with self.subTest(mpi=mpi.name):
                    yield mpi

    def test_program_s_own_account(self):
        for mpi in self.each_mpi("mpi-arguments"):
            logs = self.path("logs-" + mpi.name)
            os.mkdir(logs)
            command = mpi.run(RANKS, app("mpi-arguments"), logs)
            plain = execute(command)
            self.assertEqual(plain.returncode, 0, plain.stderr)
            run, traced = self.collect(mpi.name, command)
            self.assertEqual(sorted(plain.stdout.split("\n")), sorted(traced.stdout.split("\n")))
            for rank in range(RANKS):
                expected = self.log(logs, rank)
                self.assertGreater(len(expected), 100000)
                self.compare(expected, self.calls(run, rank, "--args"))
            self.check_bounds(run)
            self.check_names_alone(run, logs, command)

    def test_calls_of_many_kinds(self):
        """Counts, topologies, windows, files, groups and failures, by the program's own account."""
        for mpi in self.each_mpi("mpi-zoo"):
            logs = self.path("logs-zoo-" + mpi.name)
            os.mkdir(logs)
            run, _ = self.collect("zoo-" + mpi.name, mpi.run(RANKS, app("mpi-zoo"), logs))
            for rank in range(RANKS):
                self.assertGreater(len(self.log(logs, rank)), 60)
                self.compare(self.log(logs, rank), self.calls(run, "%d.0" % rank, "--args"))

    def test_requests(self):
        """What calls name, told by places among the live requests, against the program's own list of them."""
        for mpi in self.each_mpi("mpi-requests"):
            for way, least in (("random", 7000), ("threads", 18)):
                with self.subTest(mpi=mpi.name, way=way):
                    logs = self.path("logs-%s-%s" % (mpi.name, way))
                    os.mkdir(logs)
                    run, _ = self.collect(mpi.name + way, mpi.run(2, app("mpi-requests"), logs, way))
                    for rank in range(2):
                        self.assertGreaterEqual(len(self.log(logs, rank)), least)
                        self.compare(self.log(logs, rank), self.calls(run, "%d.0" % rank, "--args"))
                    others = self.difftrace("dump", run, "--flat", "--args", "--filter", "mpiall").stdout.splitlines()
                    second = [line for line in others if line[:2] == "0." and line[:3] != "0.0"]
                    self.assertEqual([line.split("\t", 2)[2] for line in second], self.log(logs, "0.second"))

    def test_a_comparison_decodes_each_trace_once(self):
        """Names and arguments, waits and the page come from one reading, though arguments differ where names do not."""
        for mpi in self.each_mpi("mpi-arguments"):
            runs = {bug: self.collect(mpi.name + bug, mpi.run(RANKS, example("oddeven"), "--bug", bug, "--rank", "1", "--after", "2"))[0]
                    for bug in ("none", "swap")}
            traces = {}
            for run in runs.values():
                traces.update(traces_of(run, self.difftrace("dump", run, "--flat").stdout.splitlines()))
            result = execute([DIFFTRACE, "compare", *runs.values(), "-o", self.path("out")], env=environment(DIFFTRACE_DEBUG="decode"))
            self.assertEqual(result.returncode, 0, result.stderr)
            check_once(self, result.stderr, traces, MOST_WITH_ARGUMENTS)

    def test_of_a_deadlock_it_is_found_once_who_waits(self):
        for mpi in self.each_mpi("mpi-arguments"):
            traces = {}
            runs = [self.collect(mpi.name + bug, mpi.run(RANKS, example("oddeven"), "--bug", bug, "--rank", "1", "--after", "2"), options,
                                 status=None)[0] for bug, options in (("none", ()), ("dl", time_limit(4)))]
            for run in runs:
                traces.update(traces_of(run, self.difftrace("dump", run, "--flat").stdout.splitlines()))
            result = execute([DIFFTRACE, "compare", *runs, "-o", self.path("out")], env=environment(DIFFTRACE_DEBUG="decode"))
            self.assertIn("deadlock: ", result.stdout)
            check_once(self, result.stderr, traces, MOST_WITH_ARGUMENTS)

    @staticmethod
    def log(logs, rank):
        with open(os.path.join(logs, str(rank)), encoding="ascii") as file:
            return file.read().splitlines()

    def compare(self, expected, shown):
        for number, (one, other) in enumerate(zip(expected, shown)):
            self.assertEqual(one, other, "call %d" % number)
        self.assertEqual(len(expected), len(shown))

    def check_bounds(self, run):
        symbols = self.difftrace("nlr", run, "--args", "-t", "0", "--filter", "mpiall", "-k", "10").stdout
        signatures = set(re.findall(r"MPI_\w+\([^)]*\)", symbols))
        self.assertGreater(len(signatures), 30)
        self.assertLess(len(signatures), MOST_SIGNATURES)
        self.assertIn("tag varies", symbols)

    def check_names_alone(self, run, logs, command):
        """Without --args, and of a run without arguments, the same calls by name."""
        last = RANKS - 1
        self.compare(self.names(logs, last), self.calls(run, last))
        without, _ = self.collect(os.path.basename(run) + "-off", command, ["--mpi-args", "off"])
        self.compare(self.names(logs, last), self.calls(without, last))
        self.compare(self.names(logs, last), self.calls(without, last, "--args"))

    def names(self, logs, rank):
        return [re.split(r"[(\t]", line)[0] for line in self.log(logs, rank)]

    def test_fortran(self):
        ring = "MPI_Sendrecv(world, to +1, tag 0, 1 x 4 B, from -1, tag 0, 1 x 4 B)"
        for mpi in self.each_mpi("fortran-use_mpi"):
            run, _ = self.collect(mpi.name, mpi.run(RANKS, os.path.join(APPS, "fortran-use_mpi")))
            for rank in range(RANKS):
                self.assertEqual(self.calls(run, rank, "--args"),
                                 ["MPI_Init", "MPI_Comm_rank(world)", "MPI_Comm_size(world)"] + [ring] * 6 +
                                 ["MPI_Reduce(world, sum, root 0, 1 x 4 B)", "MPI_Finalize"])

    def test_fortran_calls_of_many_kinds(self):
        """The usual calls by mpif.h and both modules, by the program's own account; and that hashing data changes nothing of it."""
        for way in ("mpif", "mpi", "f08"):
            for mpi in self.each_mpi("fortran-zoo-" + way):
                with self.subTest(way=way):
                    logs, options = self.path("logs-%s-%s" % (way, mpi.name)), ["--payload"] if way == "f08" else []
                    os.mkdir(logs)
                    run, _ = self.collect("zoo-" + way + mpi.name, mpi.run(RANKS, app("fortran-zoo-" + way), logs), options)
                    for rank in range(RANKS):
                        expected = self.log(logs, rank)
                        self.assertGreater(len(expected), 100)
                        self.compare(expected, list(self.fortran_calls(run, rank)))
                    self.check_fortran_lines(run)

    def check_fortran_lines(self, run):
        """Calls come from the program's lines, not from the binding's code. Of a statement of several lines compilers name any, and of
        a call with temporary arguments sometimes that of the end of the subroutine."""
        with open(os.path.join(os.path.dirname(__file__), "..", "apps", "fortran_zoo.F90"), encoding="utf-8") as file:
            source = [line.lower() for line in file]
        found = re.findall(r"\b(MPI_\w+)\(.*# (\S+):(\d+)", self.difftrace("skeleton", run).stdout)
        self.assertEqual(set(file for _, file, _ in found), {"fortran_zoo.F90"})
        others = [(name, line) for name, _, line in found if name.lower() not in " ".join(source[int(line) - 2:int(line) + 1])]
        self.assertLess(4 * len(others), len(found), others)
        self.assertGreater(len(set(line for _, _, line in found)), 12)

    def fortran_calls(self, run, rank):
        """Entries, without what is told of data."""
        lines = self.difftrace("dump", run, "-t", str(rank), "--flat", "--args", "--filter", "mpiall").stdout.splitlines()
        for line in (line.split("\t>\t")[1] for line in lines if "\t>\t" in line):
            call, _, told = line.partition("\t")
            told = "; ".join(part for part in told.split("; ") if not re.match(r"(got )?data |data changed ", part))
            yield call + ("\t" + told if told else "")

    def test_locks(self):
        def taken(number):
            return [f"pthread_mutex_lock(lock {number})", f"pthread_mutex_unlock(lock {number})"] * 4

        run, _ = self.collect("locks", [app("locks")])
        lines = self.difftrace("dump", run, "-t", "0", "--flat", "--args", "--filter", "cust:^pthread_(mutex|rwlock|cond)").stdout
        self.assertEqual([line.split("\t", 2)[2] for line in lines.splitlines() if "\t>\t" in line],
                         ["pthread_mutex_lock(lock 1)", "pthread_mutex_lock(lock 2)", "pthread_mutex_unlock(lock 2)",
                          "pthread_mutex_trylock(lock 1)\tlock 1 not taken: error 16", "pthread_mutex_unlock(lock 1)",
                          "pthread_rwlock_rdlock(lock 3)", "pthread_rwlock_unlock(lock 3)",
                          "pthread_cond_signal(condition 4)", "pthread_mutex_destroy(lock 2)", "pthread_mutex_init(lock 5)",
                          "pthread_mutex_lock(lock 5)", "pthread_mutex_unlock(lock 5)",
                          *taken(1), *taken(5), *taken(1), "pthread_mutex_destroy(lock 5)", "pthread_mutex_init(lock 6)", *taken(6)])
        lines = self.difftrace("dump", run, "-t", "0", "--flat", "--args", "--filter", "cust:^pthread_spin").stdout
        # The C library has pthread_spin_init and pthread_spin_unlock at one address: both are recorded as the latter.
        self.assertEqual([line.split("\t", 2)[2] for line in lines.splitlines() if "\t>\t" in line],
                         ["pthread_spin_unlock(lock 7)", *["pthread_spin_lock(lock 7)", "pthread_spin_unlock(lock 7)"] * 2])
        self.assertEqual(self.json("check", run)["findings"], [])

    def without_room(self, name, command, *options):
        run, _ = self.collect(name, command, list(options))
        told = self.difftrace("info", run).stdout
        return json.loads(self.difftrace("info", run, "--json").stdout)["without_room"], told, run

    def test_no_room_for_locks_and_signatures(self):
        """More than there is room for is told, and how to get room; then nothing is lost, and each lock has its number."""
        command = [app("many-arguments"), str(60 * 1000)]
        lost, told, _ = self.without_room("few", command)
        self.assertGreater(lost["signatures"], 0)
        self.assertGreater(lost["locks"], 0)
        self.assertIn("no room    for more than 32768 signatures of calls", told)
        self.assertIn("no room    for more than 49152 locks", told)
        self.assertIn("collect --args-memory=32M has room for twice as many", told)
        lost, told, run = self.without_room("many", command, "--args-memory", "64M")
        self.assertEqual(set(lost.values()), {0})
        self.assertNotIn("no room", told)
        last = self.difftrace("dump", run, "-t", "0", "--flat", "--args", "--filter", "cust:^pthread_mutex_unlock").stdout.splitlines()
        shown = [line.split("\t", 2)[2] for line in last if "\t>\t" in line]
        self.assertEqual(shown, ["pthread_mutex_unlock(lock %d)" % number for number in range(1, 60001)])

    def test_no_room_for_communicators(self):
        for mpi in self.each_mpi("mpi-many-arguments"):
            command = mpi.run(1, app("mpi-many-arguments"), "0", "4200")
            lost, told, _ = self.without_room("few-" + mpi.name, command)
            self.assertGreater(lost["communicators"], 0)
            self.assertIn("no room    for more than 4096 communicators", told)
            lost, _, run = self.without_room("many-" + mpi.name, command, "--args-memory", "32M")
            self.assertEqual(set(lost.values()), {0})
            self.assertEqual([call for call in self.calls(run, 0, "--args") if "Barrier" in call],
                             ["MPI_Barrier(self/%d)" % number for number in range(1, 4201)])


if __name__ == "__main__":
    main()
