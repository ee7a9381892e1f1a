"""Programs that set filters of system calls: they go on as untraced, and the trace has what came before."""

import unittest

from e2e_support import EndToEnd, app, execute, main

FILTERS = app("filters")
MODES = ("main", "app", "*")
HOW = ("none", "strict", "whitelist", "call", "errno", "noexec", "segv", "together", "threads", "fork")


class Filters(EndToEnd):
    def assert_alike(self, how, images):
        plain = execute([FILTERS, how])
        self.assertLess(plain.returncode, 50)  # all filters could be set
        status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
        run, traced = self.collect("%s-%d" % (how, MODES.index(images)), [FILTERS, how], ["--images", images], status=status)
        self.assertEqual(traced.stdout, plain.stdout)
        return run, traced

    def entered(self, run):
        return {function for label, is_entry, function in self.events(run) if is_entry and label == "0.0"}

    def test_programs_go_on(self):
        for how in HOW:
            for images in MODES:
                with self.subTest(how=how, images=images):
                    run, _ = self.assert_alike(how, images)
                    if images != "*":
                        entered = self.entered(run)
                        self.assertTrue({"main", "before_filter", "after_filter", "descend"} <= entered, entered)

    def test_full_room_is_told(self):
        """Chunks for threads that come later may have no room; the reason is told in words."""
        run, traced = self.assert_alike("threads", "main")
        for process in self.json("info", run)["processes"]:
            if process.get("stopped"):
                self.assertIn("a filter of system calls that the program set", process["stopped"])
                self.assertIn("a filter of system calls that the program set", traced.stderr)

    def test_refused_filters_stop_nothing(self):
        run, _ = self.assert_alike("none", "main")
        self.assertEqual([process["stopped"] for process in self.json("info", run)["processes"] if process.get("stopped")], [])


if __name__ == "__main__":
    main()
