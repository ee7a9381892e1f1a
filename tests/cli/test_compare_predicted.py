"""difftrace compare --predict: a normal run that nobody recorded, against runs that were written call by call."""

from support import CommandTest, main
from test_extrapolate import HEAD, chain


class Predicted(CommandTest):
    def setUp(self):
        super().setUp()
        for ranks in (4, 6, 9):
            self.write("of-%d" % ranks, chain(ranks))
        self.normal = ("--predict", "of-4,of-6,of-9")

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        return name

    def make_faulty(self, changed):
        """A run of 12 ranks whose text differs from the normal one's."""
        runs = [self.write("faulty-%d" % ranks, changed(ranks)) for ranks in (7, 11, 13)]
        self.difftrace("extrapolate", *runs, "--to", "12", "--run", "faulty", "-q")
        self.assertEqual(self.difftrace("skeleton", "faulty"), changed(12))

    def compare(self, *options, status=0):
        return self.json("compare", *self.normal, "faulty", *options, status=status)

    def test_another_count_on_one_rank(self):
        last = "on !%d: MPI_Send(world, to +1, tag 0, 60 x 8 B)"
        self.make_faulty(lambda ranks: chain(ranks).replace(last % (ranks - 1), last % (ranks - 1) + "\n  on 1: MPI_Send(world, to +1, tag 7, 61 x 8 B)"))
        found = self.compare("--exit-code", status=1)
        self.assertEqual(found["suspects"][0]["trace"], "1.0")
        self.assertEqual((found["normal"], found["faulty"]), ("difftrace.out.normal", "difftrace.out.faulty"))
        self.assertIn("predicted, from runs on 4, 6 and 9; only calls that communicate are compared. 6 of its 6 lines are proved.", found["verdict"])
        self.assertEqual(self.difftrace("skeleton", "difftrace.out.normal"), chain(12))
        prediction = found["prediction"]
        self.assertEqual((prediction["ranks"], prediction["from"], prediction["whole"], prediction["reason"]), (12, [4, 6, 9], True, None))
        self.assertEqual(prediction["lines"], {"proved": 6, "unproved": 0, "without": 0})
        self.assertIn("MPI_Send", prediction["proved"])
        self.assertEqual((prediction["unproved"], prediction["open"]), ([], []))

    def test_a_good_run(self):
        self.make_faulty(chain)
        self.assertEqual(self.compare("--exit-code")["suspects"], [])

    def test_values_without_a_formula_are_left_out(self):
        """The data decide the counts: neither side tells them, and what else differs is found."""
        counts = {4: "<3 1 4 1>", 6: "<5 9 2 6 5 3>", 9: "<5 8 9 7 9 3 2 3 8>"}
        call = "MPI_Alltoallv(world, counts %s, element 4)\nMPI_Finalize"
        for ranks, row in counts.items():
            self.write("of-%d" % ranks, chain(ranks).replace("MPI_Finalize", call % row))
        self.make_faulty(lambda ranks: chain(ranks).replace("MPI_Finalize", call % "<1^12>"))
        good = self.compare("--exit-code")
        self.assertEqual(good["suspects"], [])
        self.assertIn("Not compared, as there is no formula: counts of MPI_Alltoallv.", good["verdict"])
        self.assertEqual((good["prediction"]["open"], good["prediction"]["lines"]["without"]), (["counts of MPI_Alltoallv"], 1))
        self.make_faulty(lambda ranks: chain(ranks).replace("MPI_Finalize", "on 1: MPI_Barrier(world)\n" + call % "<1^12>"))
        self.assertEqual(self.compare("--exit-code", status=1)["suspects"][0]["trace"], "1.0")

    def test_what_is_unproved_is_named(self):
        self.normal = ("--predict", "of-4,of-6")
        self.make_faulty(chain)
        found = self.compare()
        self.assertIn("unproved: ", found["verdict"])
        self.assertEqual(len(found["prediction"]["unproved"]) > 0, found["prediction"]["lines"]["unproved"] > 0)
        self.assertIn("MPI_Send", found["prediction"]["unproved"])

    def make_irregular(self, changed=""):
        """As many rounds as chance has it, a broadcast in each of five others, and as many barriers as ranks; a run of 12 ranks with `changed`."""
        rounds = {4: (3, 9, 4, 7), 6: (8, 3, 5, 9, 2, 6), 9: (5, 8, 9, 7, 9, 3, 2, 3, 8)}
        text = (HEAD + "MPI_Init\n%s times\n  MPI_Send(world, to +1, tag 0, 1 x 8 B)\n  MPI_Recv(world, from -1, tag 0, 1 x 8 B)\n5 times\n"
                "  MPI_Bcast(world, root 0, 1 x 8 B)\n  MPI_Allreduce(world, sum, 1 x 8 B)\n%sMPI_Finalize\n")
        for ranks, row in rounds.items():
            pieces = "{%s}" % "; ".join("%d: %d" % pair for pair in enumerate(row))
            self.write("of-%d" % ranks, text % (ranks, pieces, ""))
        self.make_faulty(lambda ranks: text % (ranks, "6", changed))

    def test_laws_where_nothing_is_predicted(self):
        self.make_irregular("on 1: MPI_Bcast(world, root 0, 1 x 8 B)\n")
        found = self.compare("--exit-code", status=1)
        self.assertEqual([(row["trace"], row["level"]) for row in found["suspects"]], [("1.0", "suspect")])
        self.assertEqual(found["suspects"][0]["why"], "MPI_Bcast: 6 calls, by the law 5 (constant)")
        self.assertIsNone(found["normal"])
        self.assertIn("No normal run on 12 ranks could be predicted", found["verdict"])
        self.assertIn("the rounds of a loop", found["verdict"])
        self.assertIn("A run on a mesh of 6x3 (2 sizes along x so far) would decide more", found["prediction"]["reason"])
        self.assertEqual((found["prediction"]["whole"], found["prediction"]["from"]), (False, [4, 6, 9]))

    def test_a_good_run_keeps_to_the_laws(self):
        self.make_irregular()
        found = self.compare("--exit-code")
        self.assertEqual((found["suspects"], found["scope"]), ([], "none"))

    def test_errors(self):
        self.make_faulty(chain)
        self.assertIn("give the faulty one alone", self.error("compare", *self.normal, "faulty", "faulty"))
        self.assertIn("leave out --baseline", self.error("compare", *self.normal, "faulty", "-b", "faulty"))
        self.assertIn("one size tells no formula", self.error("compare", "--predict", "of-4", "faulty"))
        self.assertIn("of-5", self.error("compare", "--predict", "of-4,of-5", "faulty"))
        self.write("threads", HEAD % 16 + "MPI_Init\nthread 1\nMPI_Barrier(world)\n")
        self.assertIn("do not have the same threads", self.error("compare", "--predict", "of-4,threads", "faulty"))


if __name__ == "__main__":
    main()
