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

    def view(self, name):
        """Goes to a view by the address."""
        self.browser.run("location.hash = arguments[0]", "view=" + name)
        self.browser.frame()

    def click(self, element):
        """Where the navigation does not cover it."""
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def whole(self):
        """Unfolds all of the difference."""
        self.click(self.find("#whole > summary"))
        self.browser.frame()

    def all_suspects(self):
        for each in self.find_all("#suspects .rest"):
            if each.is_displayed():
                each.click()

    def address(self):
        return dict(part.split("=") for part in self.browser.run("return location.hash").lstrip("#").split("&") if part)

    def first_rows(self):
        """Suspects that are shown before all are asked for."""
        strong = [each for each in self.data["suspects"] if each["level"] == "suspect"]
        return strong or self.data["suspects"][:3]

    def shown_elements(self):
        return self.browser.run("return document.querySelectorAll('.diff .box').length")

    # ---- loading ---------------------------------------------------------------------

    def test_loads_alone_and_in_silence(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), ["file://" + self.path])
        self.assertIn("Rank 5", self.find("h1").text)
        for section in ("difference", "next", "suspects", "stacks", "method", "runs"):
            self.assertTrue(self.find("#%s h2" % section).is_displayed())
        self.view("similarity")
        for section in ("similarity", "ranking", "lattice"):
            self.assertTrue(self.find("#%s h3" % section).is_displayed())
        self.assertEqual(self.browser.complaints(), [])

    def test_shows_what_the_result_says(self):
        self.assertEqual(self.column("suspects", 0), [each["trace"] for each in self.first_rows()])
        self.all_suspects()
        self.assertEqual(self.column("suspects", 0), [each["trace"] for each in self.data["suspects"][:10]])
        self.assertEqual(self.column("suspects", 4), [each["why"] for each in self.data["suspects"][:10]])
        self.view("ranking")
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
        self.all_suspects()
        self.find("#suspects tbody tr:nth-child(2) button").click()
        self.assertIn("How trace %s differs" % second, self.heading())

    def test_suspect_opens_by_keyboard(self):
        third = self.data["suspects"][2]["trace"]
        self.all_suspects()
        self.browser.run("document.querySelector('#suspects tbody tr:nth-child(2) button').focus()")
        self.type(Keys.TAB)
        self.type(Keys.ENTER)
        self.assertIn("How trace %s differs" % third, self.heading())
        self.assertIn(third, self.browser.driver.switch_to.active_element.text)

    def test_never_returned_call_is_marked(self):
        self.assertIn("MPI_Recv never returned", self.find(".box.faulty.end").text)

    # ---- tables ------------------------------------------------------------------------

    def check_sorting(self, press):
        self.all_suspects()
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
        self.view("ranking")
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
        self.whole()
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
        self.whole()
        rows = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")]
                for row in self.find_all(".changes tbody tr")]
        normal, faulty = self.calls("normal"), self.calls("deadlock")
        self.assertEqual({name: int(before) - int(after) for name, before, after in rows},
                         {name: normal[name] - faulty[name] for name in normal | faulty
                          if normal[name] != faulty[name] and name in self.data["functions"]})
        self.assertIn("MPI_Send", [row[0] for row in rows])

    def test_skeletons(self):
        """Each line that the data have, with its mark."""
        self.view("skeletons")
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
        self.whole()

    def check_arguments(self, press):
        self.open_with_arguments()
        pressed = lambda: self.find("#arguments").get_attribute("aria-pressed")
        self.assertEqual((pressed(), self.address().get("args", "1")), ("true", "1"))
        self.assertIn("MPI_Send(world, to +1)", self.find("#whole .diff").text)
        self.assertIn("other arguments", self.find("#alignment").text)
        press(self.find("#arguments"))
        self.assertEqual((pressed(), self.address()["args"]), ("false", "0"))
        self.assertNotIn("MPI_Send(world, to +1)", self.find("#whole .diff").text)
        press(self.find("#arguments"))
        self.assertEqual((pressed(), self.address()["args"]), ("true", "1"))
        self.assertIn("MPI_Send(world, to +1)", self.find("#whole .diff").text)
        self.assertEqual(self.browser.complaints(), [])

    def test_arguments_by_mouse(self):
        self.check_arguments(self.click)

    def test_arguments_by_keyboard(self):
        self.check_arguments(lambda toggle: toggle.send_keys(Keys.SPACE))

    def test_source_lines(self):
        self.open_with_arguments()
        self.assertRegex(self.find(".diff .source").text, r"^solve\.c:\d+$")
        self.assertRegex(self.find(".changes .source").text, r"^solve\.c:\d+$")
        self.browser.open(self.path)
        self.whole()
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
        self.view("similarity")
        canvas = self.find(".heatmap canvas")
        canvas.send_keys(Keys.ARROW_RIGHT)
        canvas.send_keys(Keys.ARROW_RIGHT)
        view = self.data["views"][0]
        self.assertRegex(self.find(".readout").text,
                         "^trace %s, trace %s: " % (view["tiles"][0]["traces"], view["tiles"][1]["traces"]))

    def test_heat_map_reads_by_mouse(self):
        """The readout of the cell under the mouse is what its value in the table says."""
        self.view("similarity")
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
        self.view("similarity")
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

    # ---- the first screen ------------------------------------------------------------------

    def without_scripts(self):
        self.browser.open(write(os.path.join(self.folder, "static.html"), re.sub(r"<script>.*?</script>", "", self.text, flags=re.DOTALL)))

    def texts(self, selector):
        return [each.text for each in self.find_all(selector)]

    def test_answer_is_there_without_scripts(self):
        self.without_scripts()
        self.assertEqual(self.find("h1").text, "Rank 5 hangs in MPI_Recv")
        called, normally = self.texts("#answer .call dd")
        self.assertIn("MPI_Recv", called)
        self.assertIn("MPI_Send", normally)
        self.assertIn("MPI_Recv", self.texts("#answer .where .stack li")[0])
        self.assertIn("never returned", self.find("#difference .departure").text)
        self.assertIn("difftrace diffnlr 5.0", self.texts("#next .command"))
        self.assertEqual(self.texts("#suspects .data-table tbody th")[0], "5.0")

    def test_scripts_make_of_the_difference_what_was_there(self):
        live = self.find("#difference .departure").text
        self.without_scripts()
        self.assertEqual(self.find("#difference .departure").text, live)

    def test_first_screen_answers(self):
        """Who, what, where and the first difference need no scrolling."""
        self.browser.driver.set_window_size(1440, 1000)
        self.browser.open(self.path)
        for selector in ("h1", ".answer-card.what", ".answer-card.where", ".answer-card.waits", ".departure .box.faulty"):
            self.assertLess(self.browser.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom - innerHeight", selector), 0, selector)
        self.browser.driver.set_window_size(1280, 900)

    def test_calls_around_the_departure(self):
        """The last call that both make, and the first that they do not, by the traces themselves."""
        calls = {}
        for run in ("normal", "deadlock"):
            lines = subprocess.run([DIFFTRACE, "dump", run, "--flat", "-t", "5.0"], check=True, cwd=self.folder,
                                   stdout=subprocess.PIPE, text=True).stdout.splitlines()
            calls[run] = [line.split("\t")[2] for line in lines if line.split("\t")[1] == ">" and line.split("\t")[2] in self.data["functions"]]
        alike = next(i for i, pair in enumerate(zip(calls["normal"], calls["deadlock"])) if pair[0] != pair[1])
        difference, = [each for each in self.data["differences"] if each["trace"] == "5.0"]
        departure = difference["departure"]
        name = lambda index: self.data["functions"][index]
        self.assertEqual((departure["done"], departure["first"]), (alike, True))
        self.assertEqual([name(i) for i in departure["before"]], calls["normal"][alike - len(departure["before"]):alike])
        normal = departure["normal"]
        self.assertEqual([name(i) for i in normal["after"]], calls["normal"][alike:alike + len(normal["after"])])
        self.assertEqual(len(normal["after"]) + normal["left_out"] + len(normal["last"]), len(calls["normal"]) - alike)

    def test_rows_are_cards_on_a_narrow_screen(self):
        self.browser.driver.set_window_size(400, 900)
        self.browser.open(self.path)
        self.assertEqual(self.find("#suspects tbody tr").value_of_css_property("display"), "block")
        self.browser.driver.set_window_size(1280, 900)

    # ---- what is selected -------------------------------------------------------------------

    def test_address_selects(self):
        second = self.data["suspects"][1]["trace"]
        self.browser.open(self.path + "#trace=%s&view=similarity" % second)
        self.assertIn("How trace %s differs" % second, self.heading())
        self.assertTrue(self.find("#similarity").is_displayed())

    def test_selection_is_kept_from_view_to_view(self):
        second = self.data["suspects"][1]["trace"]
        self.all_suspects()
        self.find("#suspects tbody tr:nth-child(2) button").click()
        self.assertEqual((self.address()["trace"], self.address()["view"]), (second, "diff"))
        self.find("a[data-view=stacks]").click()
        self.browser.frame()
        self.assertEqual((self.address()["trace"], self.address()["view"]), (second, "stacks"))
        self.assertTrue(self.find("#stacks .frame.of-selected").is_displayed())
        self.browser.driver.back()
        self.browser.frame()
        self.assertEqual(self.address()["view"], "diff")

    def test_selected_trace_is_marked_in_all_pictures(self):
        self.view("similarity")
        self.view("stacks")
        for suspect in self.data["suspects"][:2]:
            self.browser.run("select({trace: arguments[0]})", suspect["trace"])
            self.browser.frame()
            label = suspect["trace"].replace(".0", "")
            self.assertEqual({each.get_attribute("data-selected").replace(".0", "") for each in self.find_all(".heatmap")}, {label})
            self.assertNotEqual(self.find(".branch.selected").get_attribute("d"), "M0 0")
            self.assertEqual(len(self.find_all("#lattice text.of-selected")), len(self.data["lattices"]))
            for frame in self.find_all("#stacks .frame"):
                has = self.browser.run("return listHas(arguments[0].traces, arguments[1])", frame, suspect["trace"])
                self.assertEqual("of-selected" in frame.get_attribute("class"), has)

    def test_lists_of_traces(self):
        for listed, trace, has in (("0-4,7", "3.0", True), ("0-4,7", "5.0", False), ("0-4,7", "7.0", True), ("6-7.1-3", "6.2", True),
                                   ("6-7.1-3", "6.4", False), ("6-7.1-3", "6.0", False), ("5+1", "5+1.0", True), ("5.a", "5.a", True), ("", "5.0", False)):
            self.assertEqual(self.browser.run("return listHas(arguments[0], arguments[1])", listed, trace), has, (listed, trace))

    def test_matrices_have_one_order(self):
        self.view("similarity")
        for summary in self.find_all(".card details summary"):
            summary.click()
        self.browser.frame()
        orders = self.browser.run("return [...document.querySelectorAll('.card .values')].map((table) => [...table.querySelectorAll('tbody th')].map((cell) => cell.textContent).join())")
        self.assertEqual(len(set(orders)), 1)

    def test_few_traces_are_a_sentence(self):
        data = synthetic.data_of(self.text)
        data["views"] = [dict(synthetic.view("diff", 4, 1)), dict(synthetic.view("normal", 4, 1))]
        self.browser.open(write(os.path.join(self.folder, "few.html"), synthetic.with_data(self.text, data)))
        self.view("similarity")
        self.assertEqual(self.find_all(".heatmap"), [])
        self.assertIn("Of 4 traces: most 0.", self.find("#similarity .card").text)

    # ---- keys, search ---------------------------------------------------------------------------

    def test_keys(self):
        first, second = [each["trace"] for each in self.data["suspects"][:2]]
        body = self.find("body")
        body.send_keys("n")
        self.assertEqual(self.address()["trace"], second)
        self.type("p")
        self.assertEqual(self.address()["trace"], first)
        self.type("w")
        self.assertTrue(self.find("#whole .diff").is_displayed())
        self.type("m")
        self.assertTrue(self.find("#ranking").is_displayed())
        self.type("?")
        self.assertTrue(self.find("#help").is_displayed())
        self.find("#help input").click()
        self.type(Keys.ESCAPE)
        self.assertFalse(self.find("#help").is_displayed())
        self.browser.run("document.activeElement.blur()")
        self.type("n")
        self.assertEqual(self.address()["trace"], first)

    def test_search_by_keyboard(self):
        self.find("body").send_keys("/")
        self.type(self.data["suspects"][1]["trace"])
        self.type(Keys.ENTER)
        self.assertIn("How trace %s differs" % self.data["suspects"][1]["trace"], self.heading())
        self.browser.run("document.activeElement.blur()")
        self.find("body").send_keys("/")
        self.type("mpi_finalize", Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ENTER)
        self.assertEqual(self.find(".found").text.split("(")[0], "MPI_Finalize")

    def test_search_by_mouse(self):
        self.find("#search").send_keys("main at the end")
        self.find("#results li").click()
        self.assertIn("main", self.find("#stacks .found").text)
        self.find("#search").send_keys(" nonesuch")
        self.assertEqual(self.find("#results").text, "Nothing is found.")

    # ---- names ------------------------------------------------------------------------------------

    def test_long_names(self):
        """The same as in tests/text/test_text.c."""
        for name, shown in (("MPI_Send(world, to +1)", "MPI_Send(world, to +1)"),
                            ("std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<\u2026>::push_back(\u2026)"),
                            ("solver::Grid<double>::apply(solver::Field<double>&)", "solver::Grid<\u2026>::apply(\u2026)"),
                            ("operator<< <std::char_traits<char> >", "operator<< <std::char_traits<\u2026> >"),
                            ("call<int (*)(A->b)>", "call<\u2026>"), ("a < b", "a < b"), ("f()", "f()"), ("open<brackets", "open<brackets")):
            self.assertEqual(self.browser.run("return brief(arguments[0])", name), shown)
        self.assertEqual(self.browser.run("return brief('abcdefghij', 5)"), "ab\u2026ij")
        data = synthetic.data_of(self.text)
        data["stacks"]["frames"][0]["function"] = "ns::run<a, b, c>(int, double)"
        self.browser.open(write(os.path.join(self.folder, "names.html"), synthetic.with_data(self.text, data)))
        self.view("stacks")
        name = self.find("#stacks .name")
        self.assertEqual((name.text, name.get_attribute("title")), ("ns::run<\u2026>(\u2026)", "ns::run<a, b, c>(int, double)"))
        self.find("#names").click()
        self.assertEqual(name.text, "ns::run<a, b, c>(int, double)")

    # ---- size ---------------------------------------------------------------------------------

    def test_page_of_many_functions_is_short(self):
        """Before anything is opened."""
        data = synthetic.data_of(self.text)
        data["stacks"]["frames"] = [{"function": "ns::Class%d<int>::method(int)" % i, "parent": i - 1 if i % 40 else -1, "count": 1, "traces": "0"} for i in range(2900)]
        data["skeletons"] = [{"of": "first", "text": "line %d" % i} for i in range(2000)]
        self.browser.driver.set_window_size(1440, 900)
        self.browser.open(write(os.path.join(self.folder, "functions.html"), synthetic.with_data(self.text, data)))
        self.assertLess(self.browser.run("return document.documentElement.scrollHeight"), 4000)
        self.browser.driver.set_window_size(1280, 900)

    def measure(self, name, text):
        """Prints what the page of that name takes of the processor; it is open then."""
        path = write(os.path.join(self.folder, name + ".html"), text)
        opening = self.browser.open_cost(path)
        sorting = self.browser.cost(lambda: self.browser.run("document.querySelector('.sort').click()"))
        scrolling = self.browser.cost(lambda: self.browser.run("scrollTo(0, document.body.scrollHeight)"))
        print("%s: %.1f MB, opens in %.2f s of the processor, sorts in %.3f s, scrolls in %.3f s" %
              (name, len(text) / 1e6, opening, sorting, scrolling), flush=True)
        self.assertEqual(self.browser.complaints(), [])

    def fastest(self, script, *arguments):
        """Milliseconds until the next picture, the least of some: the machine may have other work."""
        return min(self.browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1], start = performance.now(); (() => { %s })();"
            "requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));" % script, *arguments)
                   for _ in range(5))

    def test_ten_thousand_traces_answer(self):
        self.browser.open(write(os.path.join(self.folder, "many.html"), synthetic.many_traces(self.text)))
        took = {"select": self.fastest("select({trace: `${Math.floor(Math.random() * 9999)}.0`})"),
                "search": self.fastest("const input = document.getElementById('search'); input.value = String(Math.floor(Math.random() * 9999));"
                                       "input.dispatchEvent(new Event('input'))")}
        self.view("stacks")
        took["select with stacks"] = self.fastest("select({trace: `${Math.floor(Math.random() * 9999)}.0`})")
        print("10,000 traces answer in ms:", {name: round(ms) for name, ms in took.items()}, flush=True)
        self.assertLess(max(took.values()), 200)

    def test_ten_thousand_traces(self):
        self.measure("10,000 traces", synthetic.many_traces(self.text))
        self.assertEqual(len(self.column("suspects", 0)), 10)
        self.find("#suspects input").send_keys("9999.0")
        self.assertEqual(self.column("suspects", 0), ["9999.0"])
        self.find("#suspects tbody button").click()
        self.assertIn("9999.0", self.heading())

    def test_long_common_stretch_folds(self):
        self.measure("5,000 common elements", synthetic.long_difference(self.text, [{"common": [0, 1, 0, 0, 1] * 1000}]))
        self.whole()
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
        self.whole()
        before = self.shown_elements()
        self.browser.run("document.querySelector('#whole .diff .fold')?.click()")
        self.assertGreater(self.shown_elements(), before)

    def test_ten_thousand_traces_open(self):
        """By the processor's time: on a machine with other work the page waits for it."""
        path = write(os.path.join(self.folder, "open.html"), synthetic.many_traces(self.text))
        seconds, clock = [], []
        for _ in range(3):
            seconds.append(self.browser.open_cost(path))
            clock.append(self.browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd"))
        seconds = min(seconds)
        print("10,000 traces open in %.2f s of the processor, loaded after %.2f s by the clock" % (seconds, min(clock) / 1000), flush=True)
        self.assertLess(seconds, 2)

    # ---- the call tree ----------------------------------------------------------------------------

    def stacks_of_runs(self, *traces):
        """Path of functions -> calls in both runs, as `export` counts them."""
        options = [option for trace in traces for option in ("-t", trace)]
        text = subprocess.run([DIFFTRACE, "export", "normal", "deadlock", "--format", "difffolded", *options], check=True, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        rows = [line.rsplit(" ", 2) for line in text.splitlines()]
        return {path: (int(normal), int(faulty)) for path, normal, faulty in rows}

    def frames_drawn(self):
        """The same of the frames in the picture."""
        return dict(self.browser.run(
            "const tree = callTree, sums = tree.of(selection.alone ? selection.trace : null, 'calls');"
            "return [...document.querySelectorAll('#icicle [data-frame]')].map((each) => Number(each.dataset.frame)).map((frame) =>"
            "[tree.path(frame).map((at) => tree.name(at)).join(';'), [sums.normal[frame], sums.faulty[frame]]])"))

    def test_call_tree_has_all_calls(self):
        self.view("icicle")
        drawn = {path: tuple(counts) for path, counts in self.frames_drawn().items()}
        self.assertEqual(drawn, self.stacks_of_runs())
        self.assertGreater(len(drawn), 3)

    def test_call_tree_of_a_trace(self):
        self.browser.open(self.path + "#trace=5.0&view=icicle")
        self.click(self.find("#alone"))
        self.assertEqual((self.address()["alone"], self.address()["trace"]), ("1", "5.0"))
        drawn = {path: tuple(counts) for path, counts in self.frames_drawn().items()}
        self.assertEqual(drawn, self.stacks_of_runs("5.0"))

    def test_call_tree_without_a_suspect(self):
        """Of nobody alone there is nothing to show; of one without counts the page says so."""
        data = synthetic.data_of(self.text)
        data["calls"]["of"] = data["calls"]["of"][:1]
        path = write(os.path.join(self.folder, "counts.html"), synthetic.with_data(self.text, data))
        self.browser.open(path + "#view=icicle&alone=1")
        self.assertIn("not counted", self.find("#alone").text)
        self.assertEqual(self.find("#alone").get_attribute("aria-pressed"), "false")
        data["suspects"] = data["differences"] = data["detailed"] = []
        self.browser.open(write(path, synthetic.with_data(self.text, data)) + "#view=icicle")
        self.assertFalse(self.find("#alone").is_displayed())
        self.assertEqual(self.browser.complaints(), [])

    def test_call_tree_shows_what_vanished(self):
        """A frame that only the normal run has, and where the selected trace is; widths as the larger run has calls."""
        self.browser.open(self.path + "#trace=5.0&view=icicle&alone=1")
        stacks = self.stacks_of_runs("5.0")
        gone = {path for path, counts in stacks.items() if counts[1] == 0}
        self.assertTrue(gone)
        names = lambda selector: {self.browser.run("return callTree.path(Number(arguments[0].dataset.frame)).map((at) => callTree.name(at)).join(';')", each)
                                  for each in self.find_all(selector)}
        self.assertLessEqual(gone, names("#icicle .gone"))
        open_frames = names("#icicle .of-selected")
        self.assertEqual(max(open_frames, key=len).split(";")[-1], "MPI_Recv")
        width = lambda path: sum(max(counts) for each, counts in stacks.items() if (each + ";").startswith(path + ";"))
        drawn = {self.browser.run("return callTree.path(Number(arguments[0].dataset.frame)).map((at) => callTree.name(at)).join(';')", each):
                 float(each.find_element(By.TAG_NAME, "rect").get_attribute("width")) for each in self.find_all("#icicle [data-frame]")}
        whole = max(drawn.values())
        for path, shown in drawn.items():
            self.assertAlmostEqual(shown / whole, width(path) / width("main"), delta=0.01)

    def check_zoom(self, press, leave):
        self.view("icicle")
        before = len(self.find_all("#icicle [data-frame]"))
        press("oddEvenSort")
        frame = int(self.address()["frame"])
        self.assertEqual(self.browser.run("return callTree.name(arguments[0])", frame), "oddEvenSort")
        self.assertIn("oddEvenSort", self.find(".icicle-path").text)
        leave()
        self.assertNotIn("frame", self.address())
        self.assertEqual(len(self.find_all("#icicle [data-frame]")), before)

    def test_call_tree_by_mouse(self):
        def press(name):
            frame = self.browser.run("return [...document.querySelectorAll('#icicle [data-frame]')].find((each) => callTree.name(Number(each.dataset.frame)) === arguments[0])", name)
            ActionChains(self.browser.driver).move_to_element(frame.find_element(By.TAG_NAME, "rect")).click().perform()
        self.check_zoom(press, lambda: self.find("#icicle-all").click())

    def test_call_tree_by_keyboard(self):
        picture = lambda: self.find(".icicle")

        def press(name):
            for key in (Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.ARROW_LEFT):
                if name + ":" not in self.find("#icicle .readout").text:
                    picture().send_keys(key)
            self.assertIn(name + ":", self.find("#icicle .readout").text)
            picture().send_keys(Keys.ENTER)
        self.check_zoom(press, lambda: picture().send_keys(Keys.ESCAPE))

    def test_call_tree_as_a_table(self):
        self.view("icicle")
        self.click(self.find("#icicle details details summary"))
        self.browser.frame()
        rows = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")] for row in self.find_all("#icicle .data-table tbody tr")]
        expected = {path: counts for path, counts in self.stacks_of_runs().items() if counts[0] != counts[1]}
        number = lambda text: int(text.replace(",", ""))
        told = {(" \u203a ".join(path.split(";")[:-1]) or "\u2013", path.split(";")[-1]): counts for path, counts in expected.items()}
        self.assertEqual({(row[4], row[0]): (number(row[1]), number(row[2])) for row in rows}, told)

    # ---- nothing is cut, nothing overlaps -----------------------------------------------------------

    LAID_OUT = """
        const isClipped = (each) => each !== null && (getComputedStyle(each).clipPath !== 'none' || isClipped(each.parentElement));
        const shown = [...document.querySelectorAll('h1, h2, h3, p, li, dt, dd, td, th, figcaption, pre, summary, button, input, .badge')]
            .filter((each) => each.checkVisibility() && each.getClientRects().length > 0 && !each.closest('.skip, .page-nav, dialog, svg') && !isClipped(each));
        const name = (each) => each.tagName + '.' + each.className + ': ' + each.textContent.slice(0, 40);
        const found = [];
        for (const each of shown) {
            const style = getComputedStyle(each);
            if (each.scrollWidth > each.clientWidth + 1 && style.display !== 'inline' && style.textOverflow !== 'ellipsis' && style.overflowX !== 'visible' && style.overflowX !== 'auto')
                found.push('cut: ' + name(each));
            const box = each.getBoundingClientRect();
            if (box.right > innerWidth + 1 && !each.closest('.table-scroll, .stacks, .skeleton, .icicle-holder')) found.push('beyond the window: ' + name(each));
        }
        const leaves = shown.filter((each) => !shown.some((other) => other !== each && each.contains(other)));
        const boxes = leaves.map((each) => [each, each.getBoundingClientRect()]).sort((a, b) => a[1].top - b[1].top);
        boxes.forEach(([each, box], i) => {
            for (const [other, next] of boxes.slice(i + 1)) {
                if (next.top > box.bottom - 2) break;
                if (Math.min(box.right, next.right) - Math.max(box.left, next.left) > 2 && Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top) > 2)
                    found.push('overlap: ' + name(each) + ' and ' + name(other));
            }
        });
        return found;"""

    def test_nothing_is_cut_or_overlaps(self):
        for width in (1440, 400):
            self.browser.driver.set_window_size(width, 900)
            for theme, scripts in (("light", True), ("dark", True), ("light", False)):
                self.browser.theme(theme)
                if scripts:
                    self.browser.open(self.path + "#view=icicle")
                else:
                    self.without_scripts()
                self.assertEqual(self.browser.run(self.LAID_OUT), [], (width, theme, scripts))
        self.browser.driver.set_window_size(1280, 900)

    def test_nothing_is_cut_on_paper(self):
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            self.browser.driver.set_window_size(720, 900)
            self.browser.open(self.path)
            self.assertEqual(self.browser.run(self.LAID_OUT), [])
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            self.browser.driver.set_window_size(1280, 900)

    # ---- accessibility -------------------------------------------------------------------------

    @unittest.skipUnless(os.path.exists(AXE), "axe-core is not installed")
    def test_no_serious_problem_of_accessibility(self):
        for theme in ("light", "dark"):
            self.browser.theme(theme)
            self.browser.open(self.path)
            self.assertEqual(problems_of(self.browser, AXE), [], theme)
            for view in ("stacks", "icicle", "skeletons", "similarity", "runs"):
                self.view(view)
            self.whole()
            self.browser.run("document.querySelectorAll('.diff .loop, .card summary, #lattice summary').forEach("
                             "(each) => each.click())")
            self.browser.run("document.getElementById('search').focus()")
            self.type("MPI")
            self.assertEqual(problems_of(self.browser, AXE), [], theme)
            self.find("#keys").click()
            self.assertEqual(problems_of(self.browser, AXE), [], theme)


if __name__ == "__main__":
    unittest.main(verbosity=2)
