"""Limits of memory: the program gets what it gets untraced, and is recorded whole or with the reason not at all."""

import collections

from e2e_support import EndToEnd, app, execute, main

MIB = 1 << 20
LIMITS = {"address space": "--as", "data": "--data"}
DEPTHS = {"main": 100000, "thread": 4 * 20000, "threads": 4 * 100, "memory": 0}


def under(option, size, *what):
    return ["prlimit", "%s=%d" % (option, size), app("limits"), *what]


class Limits(EndToEnd):
    def record(self, name, command):
        untraced = execute(command)
        run, result = self.collect(name, command, status=None)
        self.assertEqual((result.returncode, result.stdout), (untraced.returncode, untraced.stdout), result.stderr)
        return run, result, untraced

    def descents(self, run):
        return collections.Counter(kind for _, kind, function in self.events(run) if function == "descend")

    def expect_recorded(self, name, command, *what):
        run, _, untraced = self.record(name, command)
        self.assertEqual(untraced.returncode, 0, untraced.stdout)
        calls = sum(DEPTHS[one] for one in what) + sum({"main": 1, "thread": 4, "threads": 4}.get(one, 0) for one in what)
        self.assertEqual(self.descents(run), {True: calls, False: calls})

    def test_program_has_its_memory(self):
        for limit, option in LIMITS.items():
            with self.subTest(limit=limit):
                what = ["memory", "threads"]
                self.expect_recorded(option, under(option, 100 * MIB, *what), *what)

    def test_deep_recursion(self):
        for option in ("--as", "--data"):
            with self.subTest(option=option):
                self.expect_recorded("deep" + option, under(option, 100 * MIB, "main", "thread"), "main", "thread")
        self.expect_recorded("deep", [app("limits"), "main", "thread"], "main", "thread")

    def test_too_little_is_told(self):
        for option in ("--as", "--data"):
            with self.subTest(option=option):
                run, result, _ = self.record("little" + option, under(option, 24 * MIB, "main"))
                self.assertIn("nothing was recorded: ", result.stderr)
                self.assertIn("RLIMIT_AS", result.stderr)


if __name__ == "__main__":
    main()
