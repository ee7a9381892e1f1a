"""DIFFTRACE_DEBUG: what the analysis tells of itself, and by it, that a comparison decodes each trace once."""

import os
import unittest.mock

from decoded import check_once, decoded, traces_of
from support import CommandTest, main


class Debug(CommandTest):
    def told(self, topics, *arguments):
        with unittest.mock.patch.dict(os.environ, DIFFTRACE_DEBUG=topics):
            result = self.execute(*arguments)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return result.stderr

    def traces(self, *runs):
        traces = {}
        for run in runs:
            traces.update(traces_of(run, self.lines("dump", run, "--flat")))
        return traces

    def test_topics(self):
        self.make("normal", "swapbug")
        compare = ["compare", "normal", "swapbug", "-o", "out"]
        self.assertEqual(self.told("", *compare), "")
        self.assertEqual(self.told("store", "info", "normal"),
                         "difftrace: store: normal: opened: 16 processes, 16 traces; 9 functions and signatures are known\n")
        lines = self.told("fold,compare,verdict", *compare).splitlines()
        self.assertEqual({line.split()[1] for line in lines}, {"fold:", "compare:", "verdict:"})
        self.assertIn("difftrace: compare: 16 traces in both runs, 0 in one only", lines)

    def test_only_the_topics_asked_for(self):
        """Whatever GLib is told to write, results stay alone on stdout."""
        self.make("normal")
        plain = self.lines("info", "normal")
        with unittest.mock.patch.dict(os.environ, G_MESSAGES_DEBUG="all"):
            self.assertEqual(self.lines("info", "normal"), plain)
            self.assertEqual(self.told("decode", "info", "normal"), "")

    def test_no_topic(self):
        """It is told once; the tracer's topics are none of the analysis' business."""
        self.make("normal")
        self.assertEqual(self.told("plan,nothing,signals,", "info", "normal"),
                         "difftrace: DIFFTRACE_DEBUG has no topic nothing: there are store, decode, fold, verdict, compare, "
                         "attach, start, plan, patch, record, signals\n")

    def test_decodes_once(self):
        for normal, faulty in [("normal", "swapbug"), ("normal", "deadlock"), ("workers-normal", "workers-faulty"),
                               ("library-threads", "idle-library-threads"), ("steps-normal", "steps-faulty")]:
            self.make(*{normal, faulty} - set(os.listdir(self.folder)))
            traces = self.traces(normal, faulty)
            for options in [[], ["--no-args"], ["--filter", "all"], ["--nlr", "call-tree"], ["--min-repeat", "3", "-k", "9"]]:
                with self.subTest(normal=normal, options=options):
                    check_once(self, self.told("decode", "compare", normal, faulty, "-o", "out", *options), traces)
                    check_once(self, self.told("decode", "report", "out", "-o", "page.html"), traces)

    def test_baselines_and_alone(self):
        self.make("normal", "swapbug", "deadlock")
        check_once(self, self.told("decode", "compare", "normal", "deadlock", "--baseline", "swapbug", "-o", "out"),
                   self.traces("normal", "swapbug", "deadlock"))
        check_once(self, self.told("decode", "compare", "deadlock", "-o", "out"), self.traces("deadlock"))

    def test_decodes_nothing(self):
        """Nothing but the headers is read for what they tell."""
        self.make("normal")
        self.assertEqual(decoded(self.told("decode", "info", "normal")), {})


if __name__ == "__main__":
    main()
