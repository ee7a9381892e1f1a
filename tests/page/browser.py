"""A headless Chromium with a page from disk, and what it loaded and complained of."""

import json
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service


def problems_of(browser, axe):
    """Of accessibility, serious ones, of the page that is open; `axe` is axe-core's file."""
    with open(axe, encoding="utf-8") as stream:
        browser.run(stream.read())
    checked, found = browser.driver.execute_async_script(
        "const done = arguments[0]; axe.run(document).then((result) => done([result.passes.length, "
        "result.violations.map((each) => [each.impact, each.id, each.nodes.slice(0, 3).map((node) => node.html)])]));")
    assert checked > 20
    return [each for each in found if each[0] in ("serious", "critical")]


class Browser:
    def __init__(self, chromium, driver):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--window-size=1280,900", "--force-prefers-reduced-motion"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.driver.set_script_timeout(60)

    def quit(self):
        self.driver.quit()

    def open(self, path):
        """Seconds until the page has been loaded and drawn twice."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        before = time.monotonic()
        self.driver.get("file://" + path)
        self.frame()
        return time.monotonic() - before

    def frame(self):
        """Seconds until two frames have been drawn."""
        return self.driver.execute_async_script(
            "const done = arguments[0], start = performance.now();"
            "requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - start) / 1000)));")

    def thread_time(self):
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "ThreadTime")

    def cost(self, act):
        """Seconds of the processor that the page's thread uses for it until it is drawn: others' work does not count."""
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        before = self.thread_time()
        act()
        self.frame()
        after = self.thread_time()
        self.driver.execute_cdp_cmd("Performance.disable", {})
        return after - before

    def open_cost(self, path):
        """The same of opening a page, with what its thread did before, which is little: a page gets a process of its own."""
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        self.open(path)
        seconds = self.thread_time()
        self.driver.execute_cdp_cmd("Performance.disable", {})
        return seconds

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """What was asked for, of any scheme."""
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return urls

    def theme(self, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
