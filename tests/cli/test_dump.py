"""difftrace dump: the call traces."""

import subprocess

from support import DIFFTRACE, LIMIT, CommandTest, main

TREE = """0.0:
main {
  fib {
    fib;
    fib;
  } fib
  helper;
  helper;
  puts@plt;
  MPI_Send;
  MPI_Send;
  MPI_Barrier {
  * MPI_Barrier never returned
* main never returned
"""

FLAT = [("main", ">"), ("fib", ">"), ("fib", ">"), ("fib", "<"), ("fib", ">"), ("fib", "<"), ("fib", "<"),
        ("helper", ">"), ("helper", "<"), ("helper", ">"), ("helper", "<"), ("puts@plt", ">"), ("puts@plt", "<"),
        ("MPI_Send", ">"), ("MPI_Send", "<"), ("MPI_Send", ">"), ("MPI_Send", "<"), ("MPI_Barrier", ">")]


class Dump(CommandTest):
    def test_tree(self):
        self.make("calls")
        self.assertEqual(self.difftrace("dump", "calls"), TREE)

    def test_flat(self):
        self.make("calls")
        self.assertEqual(self.lines("dump", "calls", "--flat"),
                         ["0.0\t%s\t%s" % (kind, name) for name, kind in FLAT])

    def test_filter_drops_returns(self):
        self.make("calls")
        self.assertEqual(self.lines("dump", "calls", "--flat", "--filter", "mpiall"),
                         ["0.0\t>\tMPI_Send", "0.0\t>\tMPI_Send", "0.0\t>\tMPI_Barrier"])
        self.assertEqual(self.difftrace("dump", "calls", "--filter", "mpiall"),
                         "0.0:\nMPI_Send\nMPI_Send\nMPI_Barrier\n* MPI_Barrier never returned\n")

    def test_filter_keeps_returns(self):
        self.make("calls")
        self.assertEqual(self.lines("dump", "calls", "--flat", "--filter", "01.cust:^fib$"),
                         ["0.0\t%s\t%s" % (kind, name) for name, kind in FLAT if name == "fib"])
        self.assertEqual(self.difftrace("dump", "calls", "--filter", "01.cust:^fib$"),
                         "0.0:\nfib {\n  fib;\n  fib;\n} fib\n")

    def test_any_piece(self):
        """Of the events by number, from 1 on."""
        self.make("calls")
        flat = self.lines("dump", "calls", "--flat")
        for start in range(1, len(flat) + 2):
            self.assertEqual(self.lines("dump", "calls", "--flat", "--quiet", "--first", str(start)), flat[start - 1:])
        for start, count in (1, 0), (1, 5), (4, 3), (6, 12), (17, 100):
            self.assertEqual(self.lines("dump", "calls", "--flat", "--quiet", "--first", str(start), "--count", str(count)),
                             flat[start - 1:start - 1 + count])
        self.assertEqual(self.lines("dump", "calls", "--flat", "--filter", "01.cust:^fib$", "--first", "4"),
                         ["0.0\t%s\t%s" % (kind, name) for name, kind in FLAT[3:] if name == "fib"])

    def test_piece_of_the_tree(self):
        self.make("calls")
        tree = TREE.splitlines()
        self.assertEqual(self.lines("dump", "calls", "--first", "3"), tree[:1] + tree[3:])
        self.assertEqual(self.lines("dump", "calls", "--first", "8"), tree[:1] + tree[6:])
        self.assertEqual(self.lines("dump", "calls", "--first", "3", "--count", "5"), tree[:1] + tree[3:6])
        self.assertEqual(self.lines("dump", "calls", "--count", "2"), tree[:3])
        self.assertEqual(self.lines("dump", "calls", "--first", "100", warnings=True), tree[:1] + tree[-2:])

    def test_no_piece(self):
        self.make("calls")
        self.assertIn("--first", self.error("dump", "calls", "--first", "0"))
        self.assertIn("--count", self.error("dump", "calls", "--count", "-2"))

    def test_traces(self):
        self.make("workers-normal")
        labels = {line.split("\t")[0] for line in self.lines("dump", "workers-normal", "--flat")}
        self.assertEqual(len(labels), 20)
        chosen = [line.split("\t")[0] for line in self.lines("dump", "workers-normal", "--flat", "-t", "2.3", "-t", "1")]
        self.assertEqual(sorted(set(chosen)), ["1.0", "2.3"])
        self.assertIn("\n\n2.3:\n", self.difftrace("dump", "workers-normal", "-t", "1", "-t", "2.3"))

    def test_runaway_recursion_stays_printable(self):
        self.make("deep")
        text = self.difftrace("dump", "deep")
        self.assertEqual(len(text.splitlines()), 1 + 2 * 100000)
        self.assertLess(max(map(len, text.splitlines())), 200)

    def test_reader_that_stops(self):
        self.make("deep")
        command = subprocess.Popen([DIFFTRACE, "dump", "deep"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        command.stdout.readline()
        command.stdout.close()
        self.assertEqual(command.stderr.read(), b"")
        command.stderr.close()
        command.wait(LIMIT)

    def test_full_disk(self):
        self.make("deep")
        with open("/dev/full", "w") as full:
            result = subprocess.run([DIFFTRACE, "dump", "deep"], cwd=self.folder, stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual(result.returncode, 2)
        self.assertIn("difftrace: standard output: ", result.stderr)


if __name__ == "__main__":
    main()
