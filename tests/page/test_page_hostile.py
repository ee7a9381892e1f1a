"""Names that may hold anything in a real browser: the page, pictures, a page of a job that runs. Nothing of them runs, and all
that is shown is text."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import selenium  # noqa: F401
except ImportError:
    print("Selenium for Python is missing")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import hostile  # noqa: E402
from browser import Browser  # noqa: E402

DIFFTRACE = os.environ["DIFFTRACE"]
MAKE_RUN = os.environ["MAKE_RUN"]
# First those of the ranks: of their hosts, programs, command lines and threads.
OF_RANKS = [b"h<script>hostileRan('script')<\xe2\x81\x84script>", b"\" onmouseover=hostileRan('quote') x=\"", b"rank\xe2\x80\xae\xe2\x80\xa8\x1b[31m'",
            b"<img src=x onerror=hostileRan('img')>", b"${hostileRan('template')}`"]
NAMES = [b"</script><img src=x onerror=hostileRan('end')>", b"first", *OF_RANKS, b"</script><script>hostileRan(1)</script>",
         b"<svg/onload=hostileRan('svg')>", b"]]><script xmlns='http://www.w3.org/1999/xhtml'>hostileRan('cdata')</script>",
         b"</title></style></textarea><iframe srcdoc='<script>parent.hostileRan(2)</script>'>", b"javascript:hostileRan('url')",
         b"\"],hostileRan('json'),[\"", b"\\u003cscript\\u003ehostileRan('escape')", b"&lt;script&gt;hostileRan('entity')&lt;/script&gt;",
         b"<a href=javascript:hostileRan('link')>x</a>", b"<!--<script>", *(name for name in hostile.NAMES if len(name) < 200)]
# What the page sees before anything of it runs.
TRAP = "window.hostileSaid = []; window.hostileRan = (what) => window.hostileSaid.push(what); window.alert = window.hostileRan;"
SHOWN = "return document.body ? document.body.innerText : document.documentElement.textContent"
# What names would have to make of the page to do harm; its own scripts and styles have no such attributes.
MADE = ("return [...document.querySelectorAll('img[src=x], iframe, [onerror], [onload], [onmouseover], [href^=\"javascript:\" i]')]"
        ".map((each) => each.outerHTML.slice(0, 200))")


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="difftrace-hostile-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        for scenario, run in (("hostile-normal", "n<img src=x onerror=hostileRan('run')>"), ("hostile-faulty", "f\"'\u2028\u202e")):
            subprocess.run([MAKE_RUN, scenario, run], input=b"".join(name + b"\0" for name in NAMES), check=True, cwd=cls.folder)
        cls.runs = sorted((name for name in os.listdir(cls.folder)), reverse=True)
        cls.difftrace("compare", *cls.runs, "-o", "out")
        cls.difftrace("watch", "--once", "--html", "live.html", cls.runs[1])
        cls.difftrace("stats", "--format", "text", cls.runs[0])
        cls.browser = Browser(os.environ["CHROMIUM"], os.environ["CHROMEDRIVER"])
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TRAP})

    @classmethod
    def difftrace(cls, *arguments):
        subprocess.run([DIFFTRACE, *arguments], check=True, cwd=cls.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def assert_harmless(self, path):
        """Of what is open now."""
        self.assertEqual(self.browser.run("return window.hostileSaid"), [], path)
        self.assertEqual(self.browser.run(MADE), [], path)
        text = self.browser.run(SHOWN)
        bad = {character for character in text if not hostile.shows(character) and character not in "\n\t\xa0\u202f"}
        self.assertEqual(bad, set(), [line for line in text.split("\n") if bad & set(line)][:3])
        return text

    def open(self, path):
        self.browser.open(path)
        self.assertEqual(self.browser.complaints(), [], path)
        self.assertEqual([url for url in self.browser.requests() if not url.startswith(("file://" + path, "data:"))], [])

    def test_page(self):
        path = os.path.join(self.folder, "out", "report.html")
        self.open(path)
        seen = self.assert_harmless(path)
        views = self.browser.run("return [...document.querySelectorAll('.page-nav a')].map((each) => each.getAttribute('href'))")
        self.assertGreater(len(views), 4)
        for view in views:
            self.browser.run("location.hash = arguments[0]", view)
            self.browser.frame()
            self.browser.run("document.querySelectorAll('summary, .diff .loop, #search').forEach((each) => { each.click(); "
                             "each.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})); })")
            self.browser.frame()
            seen += self.assert_harmless(view)
        self.browser.run("const input = document.getElementById('search'); input.focus(); input.value = '<'; "
                         "input.dispatchEvent(new Event('input', {bubbles: true}))")
        self.browser.frame()
        seen += self.assert_harmless("search")
        self.assertEqual(self.browser.complaints(), [])
        for name in (b"</script><img src=x onerror=hostileRan('end')>", OF_RANKS[2]):  # they are there, as text
            self.assertIn(hostile.spell(name)[:40], seen)

    def test_page_of_a_job(self):
        path = os.path.join(self.folder, "live.html")
        self.open(path)
        self.assert_harmless(path)

    def test_pictures(self):
        pictures = sorted(glob.glob(os.path.join(self.folder, "out", "*.svg")))
        self.assertGreater(len(pictures), 0)
        for path in pictures:
            with self.subTest(picture=os.path.basename(path)):
                self.open(path)
                self.assert_harmless(path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
