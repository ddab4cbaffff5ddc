# SPDX-License-Identifier: Zlib
"""The page of a load in Chromium: ./dev page runs this.

    page_test.py OVERTURE DEMO AXE STORE

makes pages with the command OVERTURE, of the sample game in the folder DEMO and of files with
hostile names, and uses them as a reader would. AXE is axe.min.js, which looks for what keeps some
readers out. STORE is the page of the assets of examples/12_levels.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

OVERTURE, DEMO, AXE, STORE = sys.argv[1:5] if len(sys.argv) > 4 else ("", "", "", "")
MOUNTS = ("base.zip", "dlc/rome", "mods/better_ai.zip", "mods/winter", "mods/high_detail.zip")
HOSTILE = (
    "<img src=x onerror=document.title='owned'>.txt",
    "</script><script>document.title='owned'</script>.txt",
    '"quoted" & \'both\'.txt',
    "line\nbreak.txt",
    "turned\u202egpj.txt",
    "עברית/عربى.txt",
    "naïve/日本語.txt",
)


def browser(scripts=True, phone=False):
    options = webdriver.ChromeOptions()
    for each in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--force-prefers-reduced-motion"):
        options.add_argument(each)
    options.add_argument("--window-size=" + ("420,900" if phone else "1280,1000"))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not scripts:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2}
        )
    # On a machine with much to do it may take longer to start than the driver waits.
    for attempt in range(3):
        try:
            return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        except WebDriverException:
            if attempt == 2:
                raise
    return None


def make_page(folder, *mounts, code=0, name="load.html"):
    page = pathlib.Path(folder, name)
    words = [OVERTURE, "load", "--quiet", "--threads", "2", "--html", page, *mounts]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == code, done
    return page


def barriers(driver, scheme):
    """What keeps some readers out, with light or dark colours."""
    driver.execute_script(pathlib.Path(AXE).read_text(encoding="utf-8"))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    found = driver.execute_async_script(
        "const done = arguments[0]; axe.run(document).then(r => done(r.violations.map("
        "v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' | '))))")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    return found


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = make_page(cls.folder.name, *(f"{DEMO}/{each}" for each in MOUNTS))
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.folder.cleanup()

    def setUp(self):
        self.driver.get(f"file://{self.page}")
        self.assertTrue(self.js("return document.documentElement.dataset.ready"))

    def tearDown(self):
        said = self.driver.get_log("browser")
        self.assertEqual([each["message"] for each in said], [])

    def js(self, text, *values):
        return self.driver.execute_script(text, *values)

    def by(self, name):
        return self.driver.find_element(By.ID, name)

    def view(self):
        return self.js("const t = overture.timeline; return [t.from, t.to]")

    def rows(self):
        return self.driver.find_elements(By.CSS_SELECTOR, "#files-table tbody tr")

    def choose(self, name, value):
        self.js("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
                "e.dispatchEvent(new Event('input', {bubbles: true}));"
                "e.dispatchEvent(new Event('change', {bubbles: true}));", name, value)

    def test_verdict_and_timeline_are_there(self):
        self.assertRegex(self.driver.find_element(By.TAG_NAME, "h1").text, r"^[0-9.]+ m?s, ")
        self.assertEqual(self.js("return overture.data.files.length"), 727)
        painted = self.js(
            "const c = document.getElementById('timeline');"
            "const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            "return new Set(new Uint32Array(p.buffer)).size")
        self.assertGreater(painted, 10, "colours on the canvas")

    def test_what_to_change_leads_to_where_it_is_seen(self):
        items = self.driver.find_elements(By.CSS_SELECTOR, ".changes li")
        self.assertTrue(1 <= len(items) <= 5)
        for each in items:
            self.assertRegex(each.text, r"^up to [0-9.]+ m?s\n")
        for link in self.driver.find_elements(By.CSS_SELECTOR, ".changes a")[:1]:
            link.click()
            self.assertEqual(len(self.rows()), 1)

    def test_images_have_their_size(self):
        self.by("search").send_keys("cliff.png")
        self.assertRegex(self.rows()[0].text, r"[0-9]+ x [0-9]+$")

    def test_every_thread_is_covered_by_what_it_did(self):
        """Its spans lie in the load, and those at the top do not overlap."""
        wrong = self.js(
            "let wrong = 0; for (const lane of overture.data.lanes) { const s = lane.spans;"
            "let end = 0; for (let i = 0; i < s.count; ++i) {"
            "if (s.depth[i] === 0) { if (s.begin[i] < end - 0.2) ++wrong; end = s.end[i]; }"
            "if (s.end[i] > overture.data.total_us + 1) ++wrong; } } return wrong")
        self.assertEqual(wrong, 0)

    def test_keys_and_buttons_zoom_and_move(self):
        whole = self.view()
        canvas = self.by("timeline")
        canvas.click()
        canvas.send_keys("+", "+")
        near = self.view()
        self.assertLess(near[1] - near[0], (whole[1] - whole[0]) / 2)
        canvas.send_keys(Keys.ARROW_RIGHT)
        self.assertGreater(self.view()[0], near[0])
        canvas.send_keys("-", Keys.HOME)
        self.assertEqual(self.view()[0], 0)
        canvas.send_keys("0")
        self.assertEqual(self.view(), whole)
        self.by("zoom-in").click()
        self.assertLess(self.view()[1] - self.view()[0], whole[1] - whole[0])
        self.by("zoom-all").click()
        self.assertEqual(self.view(), whole)

    def test_wheel_zooms_only_where_it_was_clicked(self):
        """Otherwise it would hold up the reader who scrolls past."""
        wheel = ("const c = document.getElementById('timeline');"
                 "c.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, cancelable: true}))")
        whole = self.view()
        self.js(wheel)
        self.assertEqual(self.view(), whole)
        self.by("timeline").send_keys("0")
        self.js(wheel)
        self.assertLess(self.view()[1] - self.view()[0], whole[1] - whole[0])

    def test_a_file_is_followed_through_its_stages(self):
        self.rows()[0].find_element(By.TAG_NAME, "button").click()
        panel = self.by("file")
        self.assertTrue(panel.is_displayed())
        self.assertIn("panorama/", panel.text)
        cells = panel.find_elements(By.CSS_SELECTOR, "tbody td:nth-child(3)")
        steps = [each.text for each in cells]
        for stage in ("resolve", "unpack", "decode"):
            self.assertIn(stage, steps)
        first, last = self.view()
        self.assertTrue(0 <= first < last)
        self.by("timeline").send_keys(Keys.ESCAPE)
        self.assertFalse(panel.is_displayed())

    def test_a_click_on_the_timeline_selects_its_file(self):
        x, y, file = self.js(
            "const t = overture.timeline, s = t.lanes[0].spans; let best = 0;"
            "for (let i = 0; i < s.count; ++i) if (s.file[i] >= 0 &&"
            " s.end[i] - s.begin[i] > s.end[best] - s.begin[best]) best = i;"
            "return [t.x((s.begin[best] + s.end[best]) / 2), 13, s.file[best]]")
        for kind in ("pointermove", "pointerdown", "pointerup"):
            self.js("const c = document.getElementById('timeline'), r = c.getBoundingClientRect();"
                    "c.setPointerCapture = () => {};"
                    "c.dispatchEvent(new PointerEvent(arguments[0], {pointerId: 1,"
                    "clientX: r.left + arguments[1], clientY: r.top + arguments[2]}))", kind, x, y)
        self.assertEqual(self.js("return overture.timeline.file"), file)
        self.assertTrue(self.by("file").is_displayed())
        self.assertIn("decode", self.by("tip").get_attribute("textContent"))

    def test_a_click_on_a_wait_shows_who_ended_it(self):
        """With little memory, so that there is something to wait for."""
        page = make_page(self.folder.name, "--budget", "8",
                         *(f"{DEMO}/{each}" for each in MOUNTS), name="waits.html")
        self.driver.get(f"file://{page}")
        wake = self.js("return overture.data.wakes.find(w => w.fromLane >= 0 && w.to > w.from)")
        self.assertIsNotNone(wake)
        said = self.js(
            "const t = overture.timeline, w = arguments[0], s = t.data.lanes[w.toLane].spans;"
            "let i = 0; for (let j = 0; j < s.count; ++j) if (t.data.names[s.name[j]].wait &&"
            " Math.abs(s.end[j] - w.to) < 0.2) i = j;"
            "t.pick({lane: w.toLane, begin: s.begin[i], end: s.end[i], isWait: true,"
            " name: t.data.names[s.name[i]].name});"
            "return t.wakeText()", wake)
        by = self.js("return overture.data.lanes[arguments[0].fromLane].name", wake)
        self.assertRegex(said, rf"waited [0-9.]+ .*; {by}.* ended the wait")
        whole = "return document.getElementById('timeline').toDataURL()"
        with_arrow = self.js(whole)
        self.js("overture.timeline.pick(null)")
        self.assertNotEqual(self.js(whole), with_arrow, "an arrow is drawn")

    def test_search_finds_files(self):
        self.by("search").send_keys("PANORAMA")
        self.assertEqual(len(self.rows()), 3)
        self.assertEqual(self.js("return overture.timeline.found.size"), 3)
        self.by("search").clear()
        self.by("search").send_keys("nothing like it")
        self.assertEqual(len(self.rows()), 0)

    def test_tables_sort(self):
        heads = self.driver.find_elements(By.CSS_SELECTOR, "#files-table th button")
        sizes = "return overture.data.files.map(f => f.bytes)"
        largest = max(self.js(sizes))
        heads[2].click()
        first = self.rows()[0].find_elements(By.TAG_NAME, "td")[0].text
        self.assertEqual(
            self.js("return overture.data.files.find(f => f.path === arguments[0]).bytes", first),
            largest)
        heads[2].click()
        self.assertNotEqual(self.rows()[0].find_elements(By.TAG_NAME, "td")[0].text, first)
        table = self.driver.find_element(By.XPATH, "//h2[text()='File types']/..//table")
        table.find_elements(By.CSS_SELECTOR, "th button")[1].click()
        counts = [int(each.get_attribute("data-value"))
                  for each in table.find_elements(By.CSS_SELECTOR, "tbody td:nth-child(2)")]
        self.assertEqual(counts, sorted(counts, reverse=True))

    def test_more_rows_on_demand(self):
        self.assertEqual(len(self.rows()), 50)
        self.by("files-more").click()
        self.assertEqual(len(self.rows()), 200)

    def test_sliders_estimate(self):
        seconds = "return document.getElementById('if-total').textContent"
        before = self.js(seconds)
        self.choose("if-decode", "8")
        self.assertIn("less", self.by("if-compared").text)
        self.by("if-reset").click()
        self.assertEqual(self.js(seconds), before)
        self.choose("if-left", "3")
        self.assertIn("less", self.by("if-compared").text)

    def test_the_map_goes_by_what_is_chosen(self):
        tiles = self.driver.find_elements(By.CSS_SELECTOR, "#treemap button")
        self.assertIn("textures/panorama", tiles[0].get_attribute("aria-label"))
        self.choose("map-by", "type")
        tiles = self.driver.find_elements(By.CSS_SELECTOR, "#treemap button")
        self.assertTrue(tiles[0].get_attribute("aria-label").startswith("png: "))
        tiles[0].click()
        self.assertIn("260", self.by("files-count").text)

    def test_no_barriers(self):
        for scheme in ("light", "dark"):
            self.rows()[0].find_element(By.TAG_NAME, "button").click()
            self.assertEqual(barriers(self.driver, scheme), [], scheme)

    def test_it_prints(self):
        printed = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
        self.assertGreater(len(printed["data"]), 20_000)


def make_pages_later(folder, *mounts, code=0):
    """The pages of a load that is over: of its trace, of its report, and of both."""
    trace, report = pathlib.Path(folder, "trace.json"), pathlib.Path(folder, "report.json")
    words = [OVERTURE, "load", "--threads", "2", "--json", "--trace", trace, *mounts]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == code, done
    report.write_text(done.stdout, encoding="utf-8")
    pages = {}
    for name, files in (("trace", [trace]), ("report", [report]), ("both", [trace, report])):
        pages[name] = pathlib.Path(folder, f"{name}.html")
        words = [OVERTURE, "report", *files, "-o", pages[name]]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done
    return pages


class OtherPagesTest(unittest.TestCase):
    def test_pages_of_a_load_that_is_over(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = make_pages_later(folder, *(f"{DEMO}/{each}" for each in MOUNTS))
            driver = browser()
            try:
                for name, page in pages.items():
                    driver.get(f"file://{page}")
                    self.assertTrue(driver.execute_script(
                        "return document.documentElement.dataset.ready"), name)
                    said = [each["message"] for each in driver.get_log("browser")]
                    self.assertEqual(said, [], name)
                    has_trace = name != "report"
                    self.assertEqual(driver.find_element(By.ID, "timeline").is_displayed(),
                                     has_trace, name)
                    self.assertEqual(
                        driver.execute_script("return overture.data.files.length"),
                        727 if has_trace else 0, name)
                    warned = [each.text for each in
                              driver.find_elements(By.CSS_SELECTOR, "header p.warn")
                              if not each.text.startswith("The machine was not quiet")]
                    self.assertEqual(len(warned), 0 if name == "both" else 1, (name, warned))
            finally:
                driver.quit()

    def test_the_page_of_a_store_follows_an_asset_through_its_waits(self):
        for phone in (False, True):
            driver = browser(phone=phone)
            try:
                driver.get(f"file://{STORE}")
                self.assertTrue(driver.execute_script(
                    "return document.documentElement.dataset.ready"))
                self.assertIn("of assets", driver.title)
                self.assertFalse(driver.find_element(By.ID, "what-if").is_displayed())
                self.assertLessEqual(driver.execute_script(
                    "return document.documentElement.scrollWidth - innerWidth"), 0)
                driver.find_element(By.ID, "search").send_keys("levels/1")
                rows = driver.find_elements(By.CSS_SELECTOR, "#files-table tbody tr")
                self.assertEqual(len(rows), 1)
                rows[0].find_element(By.TAG_NAME, "button").click()
                way = driver.find_element(By.ID, "file-way").text
                self.assertIn("waits for its file to be read", way)
                self.assertIn("waits for an asset that it needs, at last for gfx/", way)
                needs = driver.execute_script("return overture.timeline.needs")
                self.assertGreater(len(needs), 0)
                for need in needs:
                    self.assertLessEqual(need["from"]["end"], need["to"]["begin"] + 1)
                for scheme in ("light", "dark"):
                    self.assertEqual(barriers(driver, scheme), [], scheme)
                self.assertEqual([each["message"] for each in driver.get_log("browser")], [])
            finally:
                driver.quit()

    def test_of_a_watched_program_has_only_what_is_filled(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, "game/data", name)
                     for name in ("a/big", "a/more", "b/small", "top")]
            for size, path in zip((900_000, 1000, 40_000, 90_000), paths):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(b"x" * size)
            page = pathlib.Path(folder, "watch.html")
            subprocess.run([OVERTURE, "watch", "--html", page, "--", "cat", *paths],
                           stdout=subprocess.DEVNULL, check=True)
            driver = browser()
            try:
                driver.get(f"file://{page}")
                heads = driver.find_elements(By.CSS_SELECTOR, "#files-table th")
                self.assertEqual([each.text for each in heads if each.is_displayed()],
                                 ["file", "read", "total", "disk"])
                cells = driver.find_elements(By.CSS_SELECTOR, "#files-table tr:first-child td")
                self.assertEqual(len([each for each in cells if each.is_displayed()]), 4)
                by = driver.find_elements(By.CSS_SELECTOR, "#map-by option")
                self.assertEqual([each.text for each in by], ["folder", "type"])
                driver.execute_script(
                    "const e = document.getElementById('map-of'); e.value = 'bytes';"
                    "e.dispatchEvent(new Event('change'))")
                tiles = driver.find_elements(By.CSS_SELECTOR, "#treemap button")
                data = f"{folder}/game/data"
                self.assertEqual([each.get_attribute("aria-label").split(":")[0] for each in tiles],
                                 [f"{data}/a", data, f"{data}/b"])
                self.assertEqual(tiles[0].text, "data/a")
                for scheme in ("light", "dark"):
                    self.assertEqual(barriers(driver, scheme), [], scheme)
                self.assertEqual([each["message"] for each in driver.get_log("browser")], [])
            finally:
                driver.quit()

    def test_names_are_only_text(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in HOSTILE:
                path = pathlib.Path(folder, "game", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                # Slashes in the names are folders.
                path.write_text("x")
            page = make_page(folder, f"{folder}/game")
            driver = browser()
            try:
                driver.get(f"file://{page}")
                self.assertTrue(driver.execute_script(
                    "return document.documentElement.dataset.ready"))
                self.assertTrue(driver.title.startswith("Load of game"), driver.title)
                self.assertEqual(driver.find_elements(By.TAG_NAME, "img"), [])
                self.assertEqual([each["message"] for each in driver.get_log("browser")], [])
                text = driver.find_element(By.ID, "files-table").text
                for shown in ("<img src=x onerror", '"quoted" & \'both\'.txt', "日本語.txt"):
                    self.assertIn(shown, text)
                self.assertNotIn("\u202e", text)
            finally:
                driver.quit()

    def test_without_scripts_there_are_verdict_picture_and_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            page = make_page(folder, *(f"{DEMO}/{each}" for each in MOUNTS))
            driver = browser(scripts=False)
            try:
                driver.get(f"file://{page}")
                self.assertTrue(driver.find_element(By.TAG_NAME, "h1").is_displayed())
                self.assertTrue(driver.find_element(By.CSS_SELECTOR, ".still svg").is_displayed())
                self.assertFalse(driver.find_element(By.ID, "timeline").is_displayed())
                heads = [each.text for each in driver.find_elements(By.TAG_NAME, "h2")]
                for head in ("Timeline", "Critical path", "Slowest files", "File types", "Mounts"):
                    self.assertIn(head, heads)
            finally:
                driver.quit()

    def test_a_phone_has_no_sideways_scrolling(self):
        with tempfile.TemporaryDirectory() as folder:
            page = make_page(folder, *(f"{DEMO}/{each}" for each in MOUNTS))
            driver = browser(phone=True)
            try:
                driver.get(f"file://{page}")
                wide = driver.execute_script(
                    "return document.documentElement.scrollWidth - innerWidth")
                self.assertLessEqual(wide, 0)
            finally:
                driver.quit()

    def test_odd_loads(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "empty").mkdir()
            pathlib.Path(folder, "broken").mkdir()
            pathlib.Path(folder, "broken/a.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
            driver = browser()
            try:
                for mount, code in (("empty", 0), ("broken", 1)):
                    page = make_page(folder, f"{folder}/{mount}", code=code)
                    driver.get(f"file://{page}")
                    self.assertTrue(driver.execute_script(
                        "return document.documentElement.dataset.ready"), mount)
                    said = [each["message"] for each in driver.get_log("browser")]
                    self.assertEqual(said, [], mount)
                self.assertIn("a.png", driver.find_element(By.TAG_NAME, "details").text)
            finally:
                driver.quit()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
