"""report.html in a headless Chromium."""

import collections
import json
import os
import re
import shutil
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
MAKE_RUN = os.environ["MAKE_RUN"]
AXE = os.path.join(os.environ["AXE_FOLDER"], "node_modules", "axe-core", "axe.min.js")


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="difftrace-page-")
        for scenario in ("normal", "deadlock"):
            subprocess.run([MAKE_RUN, scenario, scenario], check=True, cwd=cls.folder)
        subprocess.run([DIFFTRACE, "compare", "normal", "deadlock"], check=True, cwd=cls.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.path = os.path.join(cls.folder, "difftrace.out", "report.html")
        with open(cls.path, encoding="utf-8") as stream:
            cls.text = stream.read()
        cls.data = synthetic.data_of(cls.text)
        cls.browser = Browser(os.environ["CHROMIUM"], os.environ["CHROMEDRIVER"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def setUp(self):
        self.browser.theme("light")
        self.browser.open(self.path)

    def find(self, selector):
        return self.browser.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.browser.driver.find_elements(By.CSS_SELECTOR, selector)

    def type(self, *keys):
        self.browser.driver.switch_to.active_element.send_keys(*keys)

    def column(self, section, place):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((row) => "
                                "row.cells[arguments[1]].textContent)", "#%s .data-table tbody tr" % section, place)

    def heading(self):
        return self.find("#detail h3").text

    def shown_elements(self):
        return self.browser.run("return document.querySelectorAll('.diff .box').length")

    # ---- loading ---------------------------------------------------------------------

    def test_loads_alone_and_in_silence(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), ["file://" + self.path])
        self.assertIn("5.0", self.find("h1").text)
        for section in ("suspects", "stacks", "similarity", "ranking", "lattice", "runs"):
            self.assertTrue(self.find("#%s h2" % section).is_displayed())

    def test_shows_what_the_result_says(self):
        self.assertEqual(self.column("suspects", 0), [each["trace"] for each in self.data["suspects"][:10]])
        self.assertEqual(self.column("suspects", 4), [each["why"] for each in self.data["suspects"][:10]])
        self.assertEqual(self.column("ranking", 0), [row["filter"] for row in self.data["configurations"][:10]])

    def test_nothing_is_wider_than_the_window(self):
        for width in (1280, 390):
            self.browser.driver.set_window_size(width, 900)
            self.browser.open(self.path)
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0, width)
        self.browser.driver.set_window_size(1280, 900)

    def test_markup_in_names_is_text(self):
        data = synthetic.data_of(self.text)
        data["suspects"][0]["why"] = "<img src=x onerror=alert(1)></script><b>"
        self.browser.open(write(os.path.join(self.folder, "markup.html"), synthetic.with_data(self.text, data)))
        self.assertEqual(self.column("suspects", 4)[0], data["suspects"][0]["why"])
        self.assertEqual(self.browser.complaints(), [])

    # ---- suspects ---------------------------------------------------------------------

    def test_suspect_opens_by_mouse(self):
        second = self.data["suspects"][1]["trace"]
        self.find("#suspects tbody tr:nth-child(2) button").click()
        self.assertIn("How trace %s differs" % second, self.heading())

    def test_suspect_opens_by_keyboard(self):
        third = self.data["suspects"][2]["trace"]
        self.browser.run("document.querySelector('#suspects tbody tr:nth-child(2) button').focus()")
        self.type(Keys.TAB)
        self.type(Keys.ENTER)
        self.assertIn("How trace %s differs" % third, self.heading())
        self.assertIn(third, self.browser.driver.switch_to.active_element.text)

    def test_never_returned_call_is_marked(self):
        self.assertIn("MPI_Recv never returned", self.find(".box.faulty.end").text)

    # ---- tables ------------------------------------------------------------------------

    def check_sorting(self, press):
        press(self.find("#suspects thead th:first-child button"))
        shown = self.column("suspects", 0)
        traces = sorted((each["trace"] for each in self.data["suspects"]), key=float)
        self.assertEqual(shown, traces[:len(shown)])
        self.assertEqual(self.find("#suspects thead th:first-child").get_attribute("aria-sort"), "ascending")
        press(self.find("#suspects thead th:first-child button"))
        self.assertEqual(self.column("suspects", 0), traces[::-1][:len(shown)])

    def test_sorts_by_mouse(self):
        self.check_sorting(lambda heading: heading.click())

    def test_sorts_by_keyboard(self):
        self.check_sorting(lambda heading: heading.send_keys(Keys.SPACE))

    def test_filters(self):
        box = self.find("#ranking input")
        box.send_keys("mpisr doub")
        rows = self.column("ranking", 0)
        expected = [row["filter"] for row in self.data["configurations"]
                    if "mpisr" in row["filter"] and "doub" in row["attributes"]]
        self.assertEqual(rows, expected)
        self.assertGreater(len(rows), 0)
        box.send_keys(" nonesuch")
        self.assertEqual(self.column("ranking", 0), [])

    # ---- differences --------------------------------------------------------------------

    def check_unfolding(self, press):
        loop = self.find(".diff button.loop")
        self.assertEqual(self.find_all(".diff .loop-body li"), [])
        press(loop)
        self.assertEqual(loop.get_attribute("aria-expanded"), "true")
        names = [each.text for each in self.find_all(".diff .loop-body li")]
        self.assertIn("MPI_Recv", names)
        press(loop)
        self.assertFalse(self.find(".diff .loop-body").is_displayed())

    def test_loop_unfolds_by_mouse(self):
        self.check_unfolding(lambda loop: loop.click())

    def test_loop_unfolds_by_keyboard(self):
        self.check_unfolding(lambda loop: loop.send_keys(Keys.ENTER))

    def calls(self, run):
        lines = subprocess.run([DIFFTRACE, "dump", run, "--flat", "-t", "5.0"], check=True, cwd=self.folder,
                               stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return collections.Counter(line.split("\t")[2] for line in lines if line.split("\t")[1] == ">")

    def test_what_changed(self):
        """As many calls more or fewer as the traces themselves have."""
        rows = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")]
                for row in self.find_all(".changes tbody tr")]
        normal, faulty = self.calls("normal"), self.calls("deadlock")
        self.assertEqual({name: int(before) - int(after) for name, before, after in rows},
                         {name: normal[name] - faulty[name] for name in normal | faulty
                          if normal[name] != faulty[name] and name in self.data["functions"]})
        self.assertIn("MPI_Send", [row[0] for row in rows])

    def test_skeletons(self):
        """Each line that the data have, with its mark."""
        marks = {"same": " ", "first": "-", "second": "+", "changed": "~"}
        lines = self.data["skeletons"]
        self.assertGreater(len({line["of"] for line in lines}), 1)
        self.assertEqual(self.find("#skeletons .skeleton").get_attribute("textContent"),
                         "".join("%s %s\n" % (marks[line["of"]], line["text"]) for line in lines))

    def open_with_arguments(self):
        """These runs have none: so the first difference once more, in other words, and with places in the source."""
        data = synthetic.data_of(self.text)
        data["detailed"] = [dict(data["differences"][0], first_difference="other arguments",
                                 blocks=[{"common": [len(data["functions"])]}])]
        data["functions"].append("MPI_Send(world, to +1)")
        data["sources"] = ["solve.c:%d" % i for i in range(len(data["functions"]))]
        self.browser.open(write(os.path.join(self.folder, "detailed.html"), synthetic.with_data(self.text, data)))

    def check_arguments(self, press):
        self.open_with_arguments()
        toggle = self.find("#arguments")
        self.assertEqual(toggle.get_attribute("aria-pressed"), "false")
        press(toggle)
        self.assertEqual(toggle.get_attribute("aria-pressed"), "true")
        self.assertIn("MPI_Send(world, to +1)", self.find(".diff").text)
        self.assertIn("other arguments", self.find("#alignment").text)
        press(toggle)
        self.assertNotIn("MPI_Send(world, to +1)", self.find(".diff").text)
        self.assertEqual(self.browser.complaints(), [])

    def test_arguments_by_mouse(self):
        self.check_arguments(lambda toggle: toggle.click())

    def test_arguments_by_keyboard(self):
        self.check_arguments(lambda toggle: toggle.send_keys(Keys.SPACE))

    def test_source_lines(self):
        self.open_with_arguments()
        self.assertRegex(self.find(".diff .source").text, r"^solve\.c:\d+$")
        self.assertRegex(self.find(".changes .source").text, r"^solve\.c:\d+$")
        self.browser.open(self.path)
        self.assertEqual(self.find_all(".diff .source"), [])

    # ---- by keyboard alone -----------------------------------------------------------------

    def test_everything_that_can_be_pressed_is_reached_by_tab(self):
        self.browser.run("document.activeElement.blur(); scrollTo(0, 0)")
        wanted = self.browser.run(
            "return [...document.querySelectorAll('a[href], button:not([disabled]), input, summary, canvas[tabindex]')]"
            ".filter((each) => each.checkVisibility()).length")
        seen = set()
        for _ in range(wanted + 20):
            self.type(Keys.TAB)
            seen.add(self.browser.driver.switch_to.active_element.id)
        body = self.find("body").id
        self.assertGreaterEqual(len(seen - {body}), wanted)

    def test_steps_to_the_next_suspect_by_keyboard(self):
        second = self.data["suspects"][1]["trace"]
        self.find(".detail-steps button:nth-child(2)").send_keys(Keys.ENTER)
        self.assertIn("How trace %s differs" % second, self.heading())
        self.find(".detail-steps button:nth-child(1)").send_keys(Keys.ENTER)
        self.assertIn("How trace %s differs" % self.data["suspects"][0]["trace"], self.heading())

    # ---- heat maps ------------------------------------------------------------------------

    def test_heat_map_reads_by_keyboard(self):
        canvas = self.find(".heatmap canvas")
        canvas.send_keys(Keys.ARROW_RIGHT)
        canvas.send_keys(Keys.ARROW_RIGHT)
        view = self.data["views"][0]
        self.assertRegex(self.find(".readout").text,
                         "^trace %s, trace %s: " % (view["tiles"][0]["traces"], view["tiles"][1]["traces"]))

    def test_heat_map_reads_by_mouse(self):
        """The readout of the cell under the mouse is what its value in the table says."""
        canvas = self.find(".heatmap canvas")
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
        ActionChains(self.browser.driver).move_to_element_with_offset(canvas, canvas.size["width"] // 4,
                                                                      canvas.size["height"] // 8).perform()
        words = re.match(r"^trace (\S+), trace (\S+): ([0-9.]+)$", self.find(".readout").text)
        self.assertIsNotNone(words, self.find(".readout").text)
        self.find(".card details summary").click()
        self.browser.frame()
        values = self.browser.run("return [...document.querySelectorAll('.card .values')[0].querySelectorAll('tbody tr')]"
                                  ".map((row) => [...row.cells].map((cell) => cell.textContent))")
        columns = [row[0] for row in values]
        row, = [row for row in values if row[0] == words.group(1)]
        self.assertEqual(row[1 + columns.index(words.group(2))], words.group(3))

    def test_heat_map_shows_the_matrix(self):
        """The values as a table against the jsm command's."""
        listed = subprocess.run([DIFFTRACE, "jsm", "--of", "faulty", "--json"], check=True, cwd=self.folder,
                                stdout=subprocess.PIPE, text=True).stdout
        matrix = json.loads(listed)
        place = {label.split(".")[0]: i for i, label in enumerate(matrix["traces"])}
        for summary in self.find_all(".card details summary"):
            summary.click()
        self.browser.frame()
        values = self.browser.run(
            "return [...document.querySelectorAll('.card:nth-child(3) .values tbody tr')].map((row) => "
            "[...row.cells].map((cell) => cell.textContent))")
        self.assertEqual(len(values), len(place))
        columns = [row[0] for row in values]
        for row in values:
            for column, value in zip(columns, row[1:]):
                self.assertAlmostEqual(float(value), matrix["matrix"][place[row[0]]][place[column]], delta=0.0006)

    # ---- paper ---------------------------------------------------------------------------------

    def text_colour(self):
        """How bright text is, 0 to 255."""
        return int(self.browser.run("return getComputedStyle(document.body).color.match(/[0-9]+/)[0]"))

    def test_prints_dark_on_white(self):
        self.browser.theme("dark")
        self.browser.open(self.path)
        self.assertGreater(self.text_colour(), 128)
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertLess(self.text_colour(), 128)
        self.browser.run("dispatchEvent(new Event('afterprint'))")
        self.assertGreater(self.text_colour(), 128)

    # ---- size ---------------------------------------------------------------------------------

    def measure(self, name, text):
        seconds = self.browser.open(write(os.path.join(self.folder, name + ".html"), text))
        self.browser.run("document.querySelector('.sort').click()")
        sorting = self.browser.frame()
        self.browser.run("scrollTo(0, document.body.scrollHeight)")
        scrolling = self.browser.frame()
        print("%s: %.1f MB, open in %.2f s, sorted in %.2f s, scrolled in %.2f s" %
              (name, len(text) / 1e6, seconds, sorting, scrolling), flush=True)
        self.assertEqual(self.browser.complaints(), [])

    def test_ten_thousand_traces(self):
        self.measure("10,000 traces", synthetic.many_traces(self.text))
        self.assertEqual(len(self.column("suspects", 0)), 10)
        self.find("#suspects input").send_keys("9999.0")
        self.assertEqual(self.column("suspects", 0), ["9999.0"])
        self.find("#suspects tbody button").click()
        self.assertIn("9999.0", self.heading())

    def test_long_common_stretch_folds(self):
        self.measure("5,000 common elements", synthetic.long_difference(self.text, [{"common": [0, 1, 0, 0, 1] * 1000}]))
        before = self.shown_elements()
        self.assertLess(before, 50)
        fold = self.find(".diff .fold")
        self.assertIn("4,994 more", fold.text)
        fold.send_keys(Keys.ENTER)
        self.assertEqual(self.shown_elements(), before + 400)
        self.assertIn("4,594 more", self.find(".diff .fold").text)

    def test_many_changes_come_into_sight(self):
        blocks = [{"common": [0]}, {"normal": [1], "faulty": [0]}] * 1667
        self.measure("5,001 elements that alternate", synthetic.long_difference(self.text, blocks))
        before = self.shown_elements()
        self.browser.run("document.querySelector('.diff .fold')?.click()")
        self.assertGreater(self.shown_elements(), before)

    # ---- accessibility -------------------------------------------------------------------------

    @unittest.skipUnless(os.path.exists(AXE), "axe-core is not installed")
    def test_no_serious_problem_of_accessibility(self):
        for theme in ("light", "dark"):
            self.browser.theme(theme)
            self.browser.open(self.path)
            self.browser.run("document.querySelectorAll('.diff .loop, .card summary, #lattice summary').forEach("
                             "(each) => each.click())")
            self.assertEqual(problems_of(self.browser, AXE), [], theme)


if __name__ == "__main__":
    unittest.main(verbosity=2)
