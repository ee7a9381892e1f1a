"""difftrace rank: a comparison shown again."""

from support import CommandTest, main


class Rank(CommandTest):
    def test_same_as_compare(self):
        self.make("normal", "deadlock")
        compared = self.json("compare", "normal", "deadlock")
        self.assertEqual(self.json("rank"), compared)
        text = self.difftrace("compare", "normal", "deadlock", "-o", "out")
        self.assertEqual(self.difftrace("rank", "out/"), text.split("\nWritten:\n")[0])

    def test_top(self):
        self.make("normal", "deadlock")
        compared = self.json("compare", "normal", "deadlock")
        top = self.json("rank", "--top", "3")
        self.assertEqual(top["configurations"], compared["configurations"][:3])
        self.assertEqual(top["suspects"], compared["suspects"][:3])
        self.assertIn("Ranking table (3 of 24; ", self.difftrace("rank", "difftrace.out", "--top", "3"))
        self.assertIn("Ranking table (24; ", self.difftrace("rank", "--top", "100"))


if __name__ == "__main__":
    main()
