"""difftrace lattice: the odd/even sort's four concepts, in all forms."""

from support import CommandTest, main, read

COMMON = {"MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize"}
SELECTION = ("--filter", "mpiall", "--attr", "sing.noFreq")


class Lattice(CommandTest):
    def setUp(self):
        super().setUp()
        self.make("oddeven4")

    def test_concepts(self):
        concepts = self.json("lattice", "oddeven4", *SELECTION)["concepts"]
        self.assertEqual([(c["traces"], set(c["attributes"]), c["new_traces"], set(c["new_attributes"]))
                          for c in concepts],
                         [(["0.0", "1.0", "2.0", "3.0"], COMMON, [], COMMON),
                          (["0.0", "2.0"], COMMON | {"L0"}, ["0.0", "2.0"], {"L0"}),
                          (["1.0", "3.0"], COMMON | {"L1"}, ["1.0", "3.0"], {"L1"}),
                          ([], COMMON | {"L0", "L1"}, [], set())])
        self.assertEqual([c["below"] for c in concepts], [[1, 2], [3], [3], []])

    def test_text(self):
        text = self.difftrace("lattice", "oddeven4", *SELECTION)
        self.assertIn("run oddeven4, filter 11.mpiall.0K1000, attributes sing.noFreq: 4 traces, 6 attributes, 4 concepts",
                      text)
        self.assertIn("L0            x   .   x   .\n", text)

    def test_cxt(self):
        lines = self.lines("lattice", "oddeven4", *SELECTION, "--format", "cxt")
        self.assertEqual(lines[0], "B")
        self.assertEqual(lines[2:4], ["4", "6"])
        self.assertEqual(sorted(line.count("X") for line in lines[-4:]), [5, 5, 5, 5])

    def test_pictures(self):
        texts = self.svg_texts(self.difftrace("lattice", "oddeven4", *SELECTION, "--format", "svg"))
        # Reduced labels: each attribute and each trace once.
        for name in COMMON | {"L0", "L1"}:
            self.assertEqual(texts.count(name), 1, texts)
        self.assertIn("traces 0,2", texts)
        self.assertIn("traces 1,3", texts)
        self.difftrace("lattice", "oddeven4", *SELECTION, "--format", "dot", "-o", "l.dot")
        dot = read(self.path("l.dot"))
        self.assertTrue(dot.startswith("digraph"))
        self.assertEqual(dot.count("->"), 4)

    def test_library_threads_are_no_objects(self):
        self.make("library-threads")
        self.assertEqual(self.json("lattice", "library-threads", *SELECTION)["concepts"],
                         self.json("lattice", "oddeven4", *SELECTION)["concepts"])

    def test_defaults(self):
        self.assertIn("filter 11.all.0K1000, attributes sing.noFreq", self.lines("lattice", "oddeven4")[0])

    def test_tsv(self):
        """The same as the JSON document says."""
        self.make("normal")
        header, *rows = [line.split("\t") for line in self.lines("lattice", "normal", "--tsv")]
        self.assertEqual(header, ["concept", "traces", "attributes", "new traces", "new attributes", "below"])
        concepts = self.json("lattice", "normal")["concepts"]
        members = ("traces", "attributes", "new_traces", "new_attributes", "below")
        self.assertEqual([[cell.split("; ") if cell else [] for cell in row[1:]] for row in rows],
                         [[[str(name) for name in each[member]] for member in members] for each in concepts])


if __name__ == "__main__":
    main()
