"""difftrace extrapolate: skeletons of sizes that were never run, against those that the test writes itself."""

from support import CommandTest, main

HEAD = "difftrace skeleton 1\nranks %d\n"


def chain(ranks):
    """Neighbours in a row, as many rounds as ranks."""
    last = ranks - 1
    return (HEAD % ranks + "MPI_Init\n%d times\n  on !%d: MPI_Send(world, to +1, tag 0, 60 x 8 B)\n  on !0: MPI_Recv(world, from -1, tag 0, 60 x 8 B)\n"
            % (ranks, last) + "  MPI_Allreduce(world, sum, 1 x 8 B)\nMPI_Finalize\n")


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

    def test_errors(self):
        runs = [self.write(ranks) for ranks in (4, 6, 9)]
        self.assertIn("give --to, or --formulas", self.error("extrapolate", *runs))
        self.assertIn("not a size", self.error("extrapolate", *runs, "--to", "8x"))
        self.assertIn("not a size", self.error("extrapolate", *runs, "--to", "2000000"))
        self.assertIn("not RUN=XxY", self.error("extrapolate", *runs, "--to", "8", "--mesh", "4x4"))
        self.assertIn("none of the runs", self.error("extrapolate", *runs, "--to", "8", "--mesh", "other=2x2"))
        self.assertIn("say --mesh of all, or of none", self.error("extrapolate", *runs, "--to", "4x2", "--mesh", "of-4=2x2"))
        self.assertIn("a mesh of 3x2", self.error("extrapolate", *runs, "--to", "4x2", "--mesh", "of-4=3x2"))
        threads = self.write(16, HEAD % 16 + "MPI_Init\nthread 1\nMPI_Barrier(world)\n")
        self.assertIn("do not have the same threads", self.error("extrapolate", runs[0], threads, "--to", "32"))


if __name__ == "__main__":
    main()
