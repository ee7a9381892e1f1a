"""difftrace dendrogram: the clusterings."""

from support import CommandTest, main

SELECTION = ("--filter", "mpiall", "--attr", "sing.noFreq")


class Dendrogram(CommandTest):
    def setUp(self):
        super().setUp()
        self.make("oddeven4")
        self.difftrace("compare", "oddeven4", "oddeven4")

    def test_two_pairs(self):
        """Distance 0 within a pair, 1/3 across: by hand for single linkage."""
        document = self.json("dendrogram", "--of", "normal", "--linkage", "single", *SELECTION)
        merges = document["merges"]
        self.assertEqual([{merge["a"], merge["b"]} for merge in merges], [{0, 2}, {1, 3}, {4, 5}])
        self.assertEqual([merge["size"] for merge in merges], [2, 2, 4])
        for merge, distance in zip(merges, (0, 0, 1 / 3)):
            self.assertAlmostEqual(merge["distance"], distance)
        self.assertEqual(sorted(document["order"]), [0, 1, 2, 3])
        self.assertEqual(document["linkage"], "single")

    def test_text(self):
        lines = self.lines("dendrogram", "--of", "normal", "--linkage", "single", *SELECTION)
        self.assertIn("linkage single", lines[0])
        self.assertEqual(sorted(line.strip() for line in lines[2:]),
                         sorted(["+ 0.3333 (4 traces)", "+ 0.0000 (2 traces)", "0.0", "2.0", "+ 0.0000 (2 traces)", "1.0", "3.0"]))

    def test_linkage_of_the_row(self):
        self.assertEqual(self.json("dendrogram")["linkage"], "ward")
        self.difftrace("compare", "oddeven4", "oddeven4", "--linkage", "complete")
        self.assertEqual(self.json("dendrogram")["linkage"], "complete")

    def test_picture(self):
        for of in ("normal", "faulty", "diff"):
            self.svg_texts(self.difftrace("dendrogram", "--of", of, "--format", "svg"))


if __name__ == "__main__":
    main()
