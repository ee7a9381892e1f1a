"""difftrace jsm: the similarity matrices, by the definition."""

import re

from support import CommandTest, main, read

SELECTION = ("--filter", "mpiall", "--attr", "sing.noFreq")


class Jsm(CommandTest):
    def test_literature(self):
        """1 within a pair of ranks, 4/6 across."""
        self.make("oddeven4")
        self.difftrace("compare", "oddeven4", "oddeven4")
        for of in ("normal", "faulty"):
            document = self.json("jsm", "--of", of, *SELECTION)
            self.assertEqual(document["traces"], ["0.0", "1.0", "2.0", "3.0"])
            self.assertEqual(document["matrix"], [[1 if (i - j) % 2 == 0 else 4 / 6 for j in range(4)] for i in range(4)])
        self.assertEqual(self.json("jsm", *SELECTION)["matrix"], [[0] * 4] * 4)
        self.assertEqual(self.lines("jsm", "--of", "normal", *SELECTION)[2:4],
                         ["        0.0   1.0   2.0   3.0", "  0.0 1.000 0.667 1.000 0.667"])

    def attributes(self, run):
        """Names in each trace's NLR, loops without their counts."""
        return {t["trace"]: {e.split("^")[0] for e in t["elements"]}
                for t in self.json("nlr", run, "--filter", "mpiall")["traces"]}

    def test_difference(self):
        """Against Jaccard's definition on the NLRs of one run; loops have the same names in both here."""
        self.make("normal", "swapbug")
        self.difftrace("compare", "normal", "swapbug")
        matrices = {}
        for of, run in (("normal", "normal"), ("faulty", "swapbug")):
            sets = self.attributes(run)
            document = self.json("jsm", "--of", of, *SELECTION)
            expected = [[len(sets[a] & sets[b]) / len(sets[a] | sets[b]) for b in document["traces"]]
                        for a in document["traces"]]
            self.assertEqual(document["matrix"], expected)
            matrices[of] = expected
        difference = self.json("jsm", "--of", "diff", *SELECTION)["matrix"]
        for i, row in enumerate(difference):
            for j, value in enumerate(row):
                self.assertAlmostEqual(value, abs(matrices["faulty"][i][j] - matrices["normal"][i][j]))

    def test_best_row(self):
        self.make("normal", "swapbug")
        best = self.json("compare", "normal", "swapbug")["configurations"][0]
        shown = self.json("jsm")
        self.assertEqual((shown["filter"], shown["attributes"], shown["of"]),
                         (best["filter"], best["attributes"], "diff"))

    def cells(self, svg, n):
        """The colours of the map's cells, by place."""
        boxes = {}
        for path in re.findall(r"<path [^>]*>", svg):
            fill = re.search(r'fill(?:="|:)rgb\(([^)]*)\)', path)
            corner = re.search(r' d="M ([\d.]+) ([\d.]+) ', path)
            if fill and corner and len(boxes) < n * n:
                boxes[float(corner.group(2)), float(corner.group(1))] = fill.group(1)
        colours = [boxes[place] for place in sorted(boxes)]
        return [colours[i * n:(i + 1) * n] for i in range(n)]

    def test_picture(self):
        """The cells have the colours of the matrix, whose rows and columns are in the order of the clustering."""
        self.make("normal", "swapbug")
        self.difftrace("compare", "normal", "swapbug")
        for of in ("normal", "faulty", "diff"):
            self.difftrace("jsm", "--of", of, "--format", "svg", "-o", "m.svg")
            svg = read(self.path("m.svg"))
            self.svg_texts(svg)
            matrix = self.json("jsm", "--of", of)["matrix"]
            order = self.json("dendrogram", "--of", of)["order"]
            cells = self.cells(svg, len(matrix))
            self.assertEqual(cells, self.cells(read(self.path("difftrace.out", "jsm-%s.svg" % of)), len(matrix)))
            colours = {}
            for i, row in enumerate(cells):
                for j, colour in enumerate(row):
                    colours.setdefault(matrix[order[i]][order[j]], set()).add(colour)
            self.assertTrue(all(len(each) == 1 for each in colours.values()), (of, colours))
            self.assertEqual(len(set.union(*colours.values())), len(colours))
            self.assertNotEqual(order, sorted(order))

    def test_one_run(self):
        self.make("deadlock")
        self.difftrace("compare", "deadlock")
        self.assertEqual(self.json("jsm")["of"], "faulty")
        self.assertIn("no normal run", self.error("jsm", "--of", "diff"))


if __name__ == "__main__":
    main()
