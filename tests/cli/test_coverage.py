"""difftrace coverage on runs made by hand: the forms agree, and runs without any choice say so."""

from support import CommandTest, main


class CoverageTest(CommandTest):
    def test_nothing(self):
        self.make("normal")
        text = self.difftrace("coverage", "normal", warnings=True)
        document = self.json("coverage", "normal", warnings=True)
        self.assertEqual(document["required"], sum(len(row["outcomes"]) for row in document["rows"]))
        self.assertEqual([run["name"] for run in document["runs"]], ["normal"])
        self.assertTrue("exercised" in text or "could have gone another way" in text, text)

    def test_forms_agree(self):
        self.make("calls")
        document = self.json("coverage", "calls", "calls", warnings=True)
        lines = self.lines("coverage", "--tsv", "calls", "calls", warnings=True)
        self.assertEqual(len(lines) - 1, document["required"])
        self.assertEqual(sum(outcome["first_run"] is not None for row in document["rows"] for outcome in row["outcomes"]),
                         document["seen"])
        self.assertEqual(document["runs"][1]["new"], 0)
        never = self.json("coverage", "--never", "calls", "calls", warnings=True)
        self.assertEqual(sum(len(row["outcomes"]) for row in never["rows"]), document["required"] - document["seen"])
        self.difftrace("coverage", "--exit-code", "calls", status=int(document["seen"] < document["required"]), warnings=True)

    def test_errors(self):
        self.error("coverage", "nothing")


main()
