"""Times in report.html, in a headless Chromium: runs whose times are known (make_timed_run.c)."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

try:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("Selenium for Python is missing")
    sys.exit(77)

import synthetic
from browser import Browser, problems_of

DIFFTRACE = os.environ["DIFFTRACE"]
MAKE_TIMED_RUN = os.environ["MAKE_TIMED_RUN"]
AXE = os.path.join(os.environ["AXE_FOLDER"], "node_modules", "axe-core", "axe.min.js")
RANKS = 16
MS = 1000000
OWN, CALLS, WAITING = (0xd5, 0xe8, 0xcf), (0x4c, 0x97, 0xd8), (0x8f, 0x1d, 0x14)


class Times(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="difftrace-page-times-")
        for kind in ("normal", "faulty"):
            subprocess.run([MAKE_TIMED_RUN, str(RANKS), kind, kind], check=True, cwd=cls.folder)
        subprocess.run([DIFFTRACE, "compare", "normal", "faulty"], check=True, cwd=cls.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.path = os.path.join(cls.folder, "difftrace.out", "report.html")
        with open(cls.path, encoding="utf-8") as stream:
            cls.text = stream.read()
        cls.times = synthetic.data_of(cls.text)["timelines"]
        cls.browser = Browser(os.environ["CHROMIUM"], os.environ["CHROMEDRIVER"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def setUp(self):
        self.browser.theme("light")
        self.open(self.path)

    def open(self, path):
        self.browser.open(path)
        for view in ("links", "profile", "timeline"):
            self.browser.run("location.hash = arguments[0]", "view=" + view)
            self.browser.frame()
        for _ in range(50):
            if self.browser.run("return document.querySelector('.timeline canvas')?.dataset.drawn !== undefined"):
                break
            self.browser.frame()

    def test_call_tree_by_time(self):
        """The time on top of each stack is what `export` says of both runs, in microseconds."""
        text = subprocess.run([DIFFTRACE, "export", "normal", "faulty", "--format", "difffolded-time"], check=True, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        stacks = {path: (int(normal), int(faulty)) for path, normal, faulty in (line.rsplit(" ", 2) for line in text.splitlines())}
        self.browser.run("location.hash = 'view=icicle'")
        self.browser.frame()
        self.browser.run("[...document.querySelectorAll('#icicle .tools button')].find((each) => each.textContent === 'Time').click()")
        shown = dict(self.browser.run(
            "const {normal, faulty} = callTree.of(null, 'time');"
            "return [...normal.keys()].map((frame) => [callTree.path(frame).map((at) => callTree.name(at)).join(';'), [normal[frame], faulty[frame]]])"))
        self.assertGreater(len(stacks), 1)
        self.assertLessEqual(set(stacks), set(shown))
        for path, times in shown.items():
            for ns, expected in zip(times, stacks.get(path, (0, 0))):
                self.assertAlmostEqual(ns / 1000, expected, delta=1, msg=path)
        self.assertRegex(self.find("#icicle").text, r" (ms|s) \| ")

    def find(self, selector):
        return self.browser.driver.find_element(By.CSS_SELECTOR, selector)

    def button(self, text):
        return next(each for each in self.browser.driver.find_elements(By.CSS_SELECTOR, ".timeline-tools button")
                    if each.text == text)

    def table(self, section):
        """Rows of its first table, as texts."""
        return self.browser.run("return [...document.querySelector(arguments[0]).querySelectorAll('tbody tr')].map((row) => "
                                "[...row.cells].map((cell) => cell.textContent))", section)

    def readout(self):
        return self.find(".timeline .readout").text

    def command(self, *arguments):
        return json.loads(subprocess.run([DIFFTRACE, "times", *arguments, "--json"], check=True, cwd=self.folder,
                                         stdout=subprocess.PIPE, text=True).stdout)

    # ---- what the page is told ---------------------------------------------------------

    def test_data_are_the_times_that_were_written(self):
        normal, faulty = self.times["runs"]
        self.assertEqual((self.times["aligned"], self.times["departing"]), ("departure", "2.0"))
        self.assertEqual([run["begin"] for run in (normal, faulty)], [-60 * MS] * 2)
        self.assertEqual(normal["waiting"], [0] * RANKS)
        self.assertEqual(faulty["waiting"], [0 if rank == 2 else 20 * MS for rank in range(RANKS)])
        for run in (normal, faulty):
            self.assertEqual([sum(each) for each in zip(run["in_calls"], run["waiting"])],
                             [61 * MS if run is faulty and rank == 2 else 81 * MS for rank in range(RANKS)])
            self.assertEqual(run["present"], [111 * MS] * RANKS)
            self.assertEqual(run["messages_of_all"], 10 * RANKS)

    # ---- the timeline ------------------------------------------------------------------

    def colour(self, run, row, moment):
        """Of the picture at a moment, in milliseconds, in the middle of a row."""
        return tuple(self.browser.run(
            "const canvas = document.querySelector('.timeline canvas'), ratio = devicePixelRatio, line = window.timeline;"
            "const x = line.x(arguments[2] * 1e6), y = line.tops[arguments[0]] + (arguments[1] + 0.25) * line.lineHeight;"
            "return [...canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data].slice(0, 3)",
            run, row, moment))

    def test_picture_has_what_each_rank_did(self):
        """The sixth step begins at 0: work, a send and a receive, the barrier until the third rank is there."""
        expected = {(0, 5): [(1.5, OWN), (4, CALLS), (6, CALLS), (9.5, CALLS)],
                    (1, 5): [(1.5, OWN), (4, CALLS), (6.5, WAITING), (9.5, CALLS)],
                    (1, 3): [(1.5, OWN), (5, WAITING), (7.5, CALLS), (8.5, WAITING), (9.5, CALLS)],
                    (1, 2): [(5, OWN), (8, CALLS), (9.5, CALLS)]}
        for (run, row), points in expected.items():
            for moment, colour in points:
                self.assertEqual(self.colour(run, row, moment), colour, (run, row, moment))

    def test_keys(self):
        canvas = self.find(".timeline canvas")
        self.assertIn("Row 2,", self.readout())  # the one that departs
        canvas.send_keys(Keys.HOME, Keys.ARROW_UP, Keys.ARROW_UP)
        self.assertIn("Row 0, from \u221260 ms to 51 ms", self.readout())
        self.assertIn("faulty run: own code 27 %, in calls 55 %, waiting 18 %", self.readout())
        canvas.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertIn("Row 2,", self.readout())
        self.assertIn("faulty run: own code 45 %, in calls 55 %, waiting 0 %", self.readout())
        canvas.send_keys("+")
        self.assertIn("from \u221232.3 ms to 23.3 ms", self.readout())
        canvas.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("from \u221218.4 ms to 37.1 ms", self.readout())
        canvas.send_keys(Keys.ARROW_LEFT, "-")
        self.assertIn("from \u221260 ms to 51 ms", self.readout())

    def test_mouse(self):
        canvas = self.find(".timeline canvas")
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
        line = self.browser.run("const {tops, lineHeight, gutter, across, height, width} = window.timeline;"
                                "return {tops, lineHeight, gutter, across, height, width}")
        at = (int(line["gutter"] + line["across"] / 2 - line["width"] / 2),
              int(line["tops"][1] + 3.5 * line["lineHeight"] - line["height"] / 2))
        ActionChains(self.browser.driver).move_to_element_with_offset(canvas, *at).click().perform()
        self.assertRegex(self.readout(), "^Row 3 at .*s, faulty run: own code 100 %")
        canvas.send_keys("+")
        before = self.browser.run("return window.timeline.view")
        ActionChains(self.browser.driver).click_and_hold().move_by_offset(-100, 0).release().perform()
        after = self.browser.run("return window.timeline.view")
        self.assertAlmostEqual((after[0] - before[0]) / (100 * (before[1] - before[0]) / line["across"]), 1, delta=0.05)

    def test_wheel_zooms_where_it_points(self):
        canvas = self.find(".timeline canvas")
        canvas.send_keys(Keys.HOME)
        wheel = ("const canvas = document.querySelector('.timeline canvas'), box = canvas.getBoundingClientRect();"
                 "canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -1, cancelable: true, clientX: box.left + "
                 "window.timeline.gutter})); return window.timeline.view")
        self.browser.run("document.activeElement.blur()")
        whole = self.browser.run(wheel)
        self.assertEqual(whole, [-60 * MS, 51 * MS])  # without the focus the wheel is the page's
        self.browser.run("document.querySelector('.timeline canvas').focus()")
        begin, end = self.browser.run(wheel)
        self.assertAlmostEqual(begin, -60 * MS, delta=1)
        self.assertAlmostEqual(end, -60 * MS + 0.8 * 111 * MS, delta=1)

    def test_classes_open(self):
        self.button("By class").click()
        canvas = self.find(".timeline canvas")
        self.assertIn("Row 2,", self.readout())
        canvas.send_keys(Keys.ARROW_DOWN)
        self.assertIn("15 threads 0\u20131, 3\u201315,", self.readout())
        canvas.send_keys(Keys.HOME)
        self.assertIn("faulty run: own code 27 %, in calls 55 %, waiting 18 %", self.readout())
        self.assertIn("nine of ten threads: normal 0 to 0 %, faulty 18 to 18 %", self.readout())
        canvas.send_keys(Keys.ENTER)
        self.assertIn("Row 0,", self.readout())
        canvas.send_keys(Keys.ESCAPE)
        self.assertEqual(self.browser.run("return window.timeline.lines.length"), 2)

    def test_table_has_the_numbers(self):
        self.find(".timeline canvas").send_keys(Keys.HOME)
        self.find(".timeline details summary").click()
        self.browser.frame()
        rows = {row[0]: row[1:] for row in self.table(".timeline details")}
        self.assertEqual(rows["0"], ["1", "27", "73", "0", "27", "55", "18"])
        self.assertEqual(rows["2"], ["1", "27", "73", "0", "45", "55", "0"])

    def test_share_of_mpi(self):
        self.button("Share of calls").click()
        everything, nothing = self.colour(1, 5, 6.5), self.colour(1, 5, 1.5)
        self.assertEqual([everything, nothing], [(0xfe, 0xe8, 0x38), (0x00, 0x22, 0x4e)])

    # ---- functions, links ----------------------------------------------------------------

    def test_profile(self):
        """What the command says of either run."""
        said = {run: {each["function"]: each for each in self.command(run, "--by=function")["functions"]}
                for run in ("normal", "faulty")}
        self.assertEqual({each["function"] for each in self.times["functions"]}, set(said["normal"]) | set(said["faulty"]))
        for each in self.times["functions"]:
            for run in ("normal", "faulty"):
                of = said[run].get(each["function"])
                if of is None:
                    self.assertIsNone(each[run])
                    continue
                self.assertEqual((each[run]["calls"], each[run]["ns"], each[run]["told"], each[run]["most_ns"]),
                                 (of["calls"], of["exclusive_ns"], of["told_ns"], of["most_ns"]))
        heading = next(each for each in self.browser.driver.find_elements(By.CSS_SELECTOR, "#profile thead button")
                       if each.text == "Difference")
        heading.send_keys(Keys.ENTER)
        first, second = self.table("#profile")[:2]
        self.assertEqual([first[0], first[3], first[7]], ["MPI_Recv", "+15 ms", "3.0 (25 ms)"])
        self.assertEqual([second[0], second[7].split()[0]], ["main", "2.0"])

    def test_links(self):
        wait = {run: self.command(run, "--matrix=wait")["rows"] for run in ("normal", "faulty")}
        for run, rows in wait.items():
            listed = self.times["links"][run]
            cells = {(listed[i], listed[i + 1]): listed[i + 4] for i in range(0, len(listed), 5)}
            for waiting, row in enumerate(rows):
                for late, ns in enumerate(row):
                    self.assertEqual(cells.get((waiting, late), 0), ns)
        self.browser.run("document.querySelector('#links').scrollIntoView()")
        for _ in range(20):
            if self.browser.run("return document.querySelector('#links canvas') !== null"):
                break
            self.browser.frame()
        canvas = self.find("#links canvas")
        canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.find("#links .readout").text, "rank 0 waited for rank 2: +20 ms")
        self.browser.run("const [what, of] = document.querySelectorAll('#links select');"
                         "const choose = (select, value) => { select.value = value; select.dispatchEvent(new Event('change')); };"
                         "choose(what, 'bytes'); choose(of, 'normal');")
        canvas.send_keys(Keys.ARROW_LEFT)
        self.assertEqual(self.find("#links .readout").text, "rank 0 to rank 1: 10.0 kB")

    # ---- size, accessibility -------------------------------------------------------------------

    def test_ten_thousand_ranks(self):
        path = os.path.join(self.folder, "large.html")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(synthetic.many_times(self.text, 10000))
        self.open(path)
        self.browser.run("window.before = performance.now()")
        drawn = []
        for act in ("ArrowDown", "Enter", "+", "ArrowLeft", "-", "Home", "ArrowDown", "Enter", "Escape", "Escape"):
            drawn.append(self.browser.driver.execute_async_script(
                "const [act, done] = arguments, canvas = document.querySelector('.timeline canvas'), start = performance.now();"
                "canvas.dispatchEvent(new KeyboardEvent('keydown', {key: act}));"
                "requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));", act))
            self.assertLessEqual(self.browser.run("return window.timeline.lines.length"), 64)
        print("10,000 ranks: %.1f MB, from a key to the picture %.0f ms (median), %.0f ms (longest)" %
              (os.path.getsize(path) / 1e6, statistics.median(drawn), max(drawn)), flush=True)
        self.assertLess(statistics.median(drawn), 500)
        self.assertEqual(self.browser.complaints(), [])

    def test_runs_without_times_have_no_timeline(self):
        data = synthetic.data_of(self.text)
        data["timelines"] = None
        path = os.path.join(self.folder, "without.html")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(synthetic.with_data(self.text, data))
        self.browser.open(path)
        self.assertEqual(self.browser.driver.find_elements(By.CSS_SELECTOR, "#timeline, #profile, #links"), [])
        self.assertEqual(self.browser.complaints(), [])

    def test_nothing_is_wider_than_the_window(self):
        for width in (1280, 390):
            self.browser.driver.set_window_size(width, 900)
            self.open(self.path)
            self.browser.run("document.querySelector('#links').scrollIntoView()")
            self.browser.frame()
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0, width)
        self.browser.driver.set_window_size(1280, 900)

    @unittest.skipUnless(os.path.exists(AXE), "axe-core is not installed")
    def test_no_serious_problem_of_accessibility(self):
        for theme in ("light", "dark"):
            self.browser.theme(theme)
            self.open(self.path)
            self.browser.run("document.querySelector('#links').scrollIntoView()")
            self.browser.frame()
            self.browser.run("document.querySelectorAll('#timeline summary, #links summary').forEach((each) => each.click())")
            self.assertEqual(problems_of(self.browser, AXE), [], theme)


if __name__ == "__main__":
    unittest.main(verbosity=2)
