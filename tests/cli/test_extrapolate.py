"""difftrace extrapolate: skeletons of sizes that were never run, against those that the test writes itself."""

from support import CommandTest, main

HEAD = "difftrace skeleton 1\nranks %d\n"


def chain(ranks):
    """Neighbours in a row, as many rounds as ranks."""
    last = ranks - 1
    return (HEAD % ranks + "MPI_Init\n%d times\n  on !%d: MPI_Send(world, to +1, tag 0, 60 x 8 B)\n  on !0: MPI_Recv(world, from -1, tag 0, 60 x 8 B)\n"
            % (ranks, last) + "  MPI_Allreduce(world, sum, 1 x 8 B)\nMPI_Finalize\n")


def milliseconds(value):
    return "%gus" % (1000 * value) if value < 1 else "%gms" % value


def timed(ranks, log):
    """Two calls in a loop, with times by laws."""
    return (HEAD % ranks + "MPI_Init\n10 times\n  MPI_Allreduce(world, sum, 1 x 8 B)\n    after -1: %d x 100us\n    after +1: %d x %s\n"
            "  MPI_Barrier(world)\n    after -1: %d x %s\nMPI_Finalize\n  after -1: %d x %s\n"
            % (ranks, 9 * ranks, milliseconds(32 / ranks + 1), 10 * ranks, milliseconds(2 * log + 1), ranks, milliseconds(0.5 * ranks + 2)))


class Extrapolate(CommandTest):
    def write(self, ranks, text=None):
        name = "of-%d" % ranks
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text or chain(ranks))
        return name

    def test_prediction(self):
        runs = [self.write(ranks) for ranks in (4, 6, 9)]
        for ranks in (12, 33):
            self.assertEqual(self.difftrace("extrapolate", *runs, "--to", str(ranks), "-q"), chain(ranks))
        self.difftrace("extrapolate", *runs, "--to", "12", "-o", "predicted")
        self.assertIn("all 12 ranks come to their ends", self.difftrace("simulate", "predicted", "--sends", "buffered"))

    def test_formulas(self):
        runs = [self.write(ranks) for ranks in (4, 6, 9)]
        text = self.difftrace("extrapolate", *runs, "--formulas")
        self.assertIn("0 unproved, 0 without a formula", text)
        self.assertIn("\nX times  [9]\n  on x<=X-2: MPI_Send(world, to x+1, tag 0, 60 x 8 B)  [8]\n", text)

    def test_a_run(self):
        """What is written as a run is read as what was predicted."""
        runs = [self.write(ranks) for ranks in (4, 6, 9)]
        self.difftrace("extrapolate", *runs, "--to", "12", "--run", "predicted")
        self.assertEqual(self.difftrace("skeleton", "predicted"), chain(12))
        self.assertIn("processes  12\n", self.difftrace("info", "predicted"))

    def test_a_run_has_all_that_a_call_says(self):
        text = HEAD + ("comm world/1 0-{last}\nMPI_Init_thread(level 3); provided 1\nMPI_Comm_dup(world)\n"
                       "MPI_Isend(world/1, to +1, tag 3, 2 x 4 B)\nMPI_Irecv(world/1, from -1, tag any, 2 x 4 B)\nMPI_Waitany(live all); completed 1\n"
                       "MPI_Wait(live 0)\non 0: MPI_Send(world, to +1, tag 5, unknown x 0 B)\n"
                       "on 1: MPI_Recv(world, from any, tag any, 4 x 8 B); got -1; got-tag 5\n"
                       "MPI_Alltoallv(world, counts <1^2 3-5>, element 4, other in_place x 0 B)\n"
                       "MPI_Allreduce(world/1, own_operation_1, 5000000000 x 8 B)\nMPI_Bcast(world, root 2, 1 x 5000000 B)\nMPI_Finalize\n")
        texts = {ranks: (text % ranks).replace("{last}", str(ranks - 1)) for ranks in (4, 6, 9, 12)}
        runs = [self.write(ranks, texts[ranks]) for ranks in (4, 6, 9)]
        self.assertEqual(self.difftrace("extrapolate", *runs, "--to", "12", "-q"), texts[12])
        self.difftrace("extrapolate", *runs, "--to", "12", "--run", "predicted", "-q")
        self.assertEqual(self.difftrace("skeleton", "predicted"), texts[12])

    def test_what_has_no_formula_is_left_open(self):
        counts = {4: "<3 1 4 1>", 6: "<5 9 2 6 5 3>", 9: "<5 8 9 7 9 3 2 3 8>"}
        texts = {ranks: chain(ranks).replace("MPI_Finalize", "MPI_Alltoallv(world, counts %s, element 4)\nMPI_Finalize" % row)
                 for ranks, row in counts.items()}
        runs = [self.write(ranks, text) for ranks, text in texts.items()]
        result = self.execute("extrapolate", *runs, "--to", "12")
        self.assertEqual(result.stdout, chain(12).replace("MPI_Finalize", "MPI_Alltoallv(world, counts unknown, element 4)\nMPI_Finalize"))
        self.assertIn("no formula for counts of MPI_Alltoallv: it is left open", result.stderr)

    def test_as_many_constants_as_sizes_are_no_law(self):
        """Any three numbers are a sum of three terms: 114688/X + 512*X - 14336."""
        def text(ranks, count):
            return chain(ranks).replace("MPI_Finalize", "MPI_Bcast(world, root 0, %s x 8 B)\nMPI_Finalize" % count)
        runs = [self.write(ranks, text(ranks, count)) for ranks, count in ((4, 16384), (8, 4096), (16, 1024))]
        result = self.execute("extrapolate", *runs, "--to", "32")
        self.assertIn("MPI_Bcast(world, root 0, unknown x 8 B)", result.stdout)
        self.assertIn("no formula for", result.stderr)
        self.assertEqual(self.execute("extrapolate", *runs, "--to", "32", "--exit-code").returncode, 1)
        runs = [self.write(ranks, text(ranks, 16384 // ranks)) for ranks in (4, 8, 16)]
        result = self.execute("extrapolate", *runs, "--to", "32", "--exit-code")
        self.assertIn("MPI_Bcast(world, root 0, 512 x 8 B)", result.stdout)
        self.assertEqual(result.returncode, 0)

    def test_two_sizes_prove_no_slope(self):
        """Of two numbers nothing but what one constant gives, and that is unproved; what both have is said of both."""
        def text(ranks):
            return (HEAD % ranks + "MPI_Init\nMPI_Comm_rank(world)\nMPI_Bcast(world, root 0, %d x 8 B)\nMPI_Bcast(world, root 0, %d x 4 B)\n"
                    "MPI_Wtime\nMPI_Finalize\n" % (3 * ranks + 7, 1024 * ranks))
        runs = [self.write(ranks, text(ranks)) for ranks in (4, 8)]
        result = self.execute("extrapolate", *runs, "--to", "16", "--exit-code")
        self.assertIn("MPI_Bcast(world, root 0, unknown x 8 B)", result.stdout)
        self.assertIn("no formula for", result.stderr)
        self.assertEqual(result.returncode, 1)
        formulas = self.difftrace("extrapolate", *runs, "--formulas")
        self.assertIn("1024*X x 4 B)  (unproved)", formulas)
        self.assertIn("MPI_Comm_rank(world)  [8]", formulas)
        self.assertIn("MPI_Wtime  [8]", formulas)

    def test_times(self):
        runs = [self.write(2 ** log, timed(2 ** log, log)) for log in (1, 2, 3)]
        result = self.execute("extrapolate", *runs, "--times", "--to", "16")
        self.assertEqual(result.stdout, timed(16, 4))
        self.assertIn("times of one size told by the others err by 0 % on average", result.stderr)
        self.assertEqual(self.difftrace("extrapolate", *runs, "--to", "16", "-q"), self.without_times(timed(16, 4)))
        laws = self.difftrace("extrapolate", *runs, "--times", "--formulas", "-q")
        for line in ("    after +1: 32ms/P+1ms (0 %)\n", "    after -1: 2ms*log2(P)+1ms (0 %)\n", "  after -1: 500us*P+2ms (0 %)\n", "    after -1: 100us (0 %)\n"):
            self.assertIn(line, laws)

    def test_times_are_taken_by_others(self):
        runs = [self.write(2 ** log, timed(2 ** log, log)) for log in (1, 2, 3)]
        self.difftrace("extrapolate", *runs, "--times", "--to", "16", "-q", "-o", "predicted")
        # Of the loop's first call (0.1 + 9 * 3) / 10 ms.
        program = self.difftrace("generate", "predicted")
        for line in ("compute(0.00271);", "compute(0.009);", "compute(0.01);"):
            self.assertIn(line, program)

    def test_times_follow_the_calls(self):
        """Ranks differ in what they do; all of them compute 3 ms before each call, at all sizes."""
        texts = {ranks: chain(ranks).replace("MPI_Finalize", "MPI_Barrier(world)\n  after -1: %d x 3ms\nMPI_Finalize" % ranks) for ranks in (4, 6, 9, 12)}
        runs = [self.write(ranks, texts[ranks]) for ranks in (4, 6, 9)]
        self.assertEqual(self.only_lines_of_barriers(self.difftrace("extrapolate", *runs, "--times", "--to", "12", "-q")), "MPI_Barrier(world)\n  after -1: 12 x 3ms\n")

    @staticmethod
    def without_times(text):
        return "".join(line for line in text.splitlines(True) if "after " not in line)

    @staticmethod
    def only_lines_of_barriers(text):
        return text[text.index("MPI_Barrier"):text.index("MPI_Finalize")]

    def test_errors_of_times(self):
        runs = [self.write(ranks) for ranks in (4, 6, 9)]
        self.assertIn("has no times", self.error("extrapolate", *runs, "--times", "--to", "12"))
        self.assertIn("a predicted run has no times", self.error("extrapolate", *runs, "--times", "--to", "12", "--run", "predicted"))
        self.assertIn("give --times, too", self.error("extrapolate", *runs, "--processor", "--to", "12"))

    def test_errors(self):
        runs = [self.write(ranks) for ranks in (4, 6, 9)]
        self.assertIn("give --to, or --formulas", self.error("extrapolate", *runs))
        self.assertIn("not a size", self.error("extrapolate", *runs, "--to", "8x"))
        self.assertIn("--run: give --to", self.error("extrapolate", *runs, "--formulas", "--run", "predicted"))
        self.assertIn("only one of them", self.error("extrapolate", *runs, "--formulas", "--to", "8", "--run", "predicted"))
        self.assertIn("not a size", self.error("extrapolate", *runs, "--to", "2000000"))
        self.assertIn("not RUN=XxY", self.error("extrapolate", *runs, "--to", "8", "--mesh", "4x4"))
        self.assertIn("none of the runs", self.error("extrapolate", *runs, "--to", "8", "--mesh", "other=2x2"))
        self.assertIn("say --mesh of all, or of none", self.error("extrapolate", *runs, "--to", "4x2", "--mesh", "of-4=2x2"))
        self.assertIn("a mesh of 3x2", self.error("extrapolate", *runs, "--to", "4x2", "--mesh", "of-4=3x2"))
        threads = self.write(16, HEAD % 16 + "MPI_Init\nthread 1\nMPI_Barrier(world)\n")
        self.assertIn("do not have the same threads", self.error("extrapolate", runs[0], threads, "--to", "32"))


if __name__ == "__main__":
    main()
