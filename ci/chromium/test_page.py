#!/usr/bin/env python3
"""The page of the reports in a real browser: it loads, sorts, filters, opens, is quick, and asks for nothing.

`ci/chromium/test.sh` sees to the browser and runs this; it needs build/attest.
"""

import contextlib
import json
import os
import pathlib
import random
import resource
import struct
import subprocess
import tempfile
import unittest

import browser
import journal

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ATTEST = os.environ.get("ATTEST", str(ROOT / "build/attest"))
READY = "document.documentElement?.dataset.ready !== undefined"
MANY = 20000
MOST_BYTES, MOST_SECONDS, MOST_MILLISECONDS = 8_000_000, 5, 100

held = contextlib.ExitStack()
page = None


def setUpModule():
    global page
    page = held.enter_context(browser.browser())
    page.size(1400, 900)


def tearDownModule():
    held.close()


def write_page(folder, records, beside=None, **header):
    """index.html of a journal."""
    folder.mkdir(parents=True)
    source = journal.write(folder / "journal.jsonl", records, **header)
    if beside:
        beside(folder)
    done = subprocess.run([ATTEST, "report", source, "--out", folder], capture_output=True, text=True)
    assert (folder / "index.html").exists(), done.stderr
    return folder / "index.html"


def call(function, *arguments):
    return page.run(f"{function}({', '.join(map(json.dumps, arguments))})")


def text(selector):
    return page.run(f"document.querySelector({json.dumps(selector)}).innerText")


def cells(column):
    """Of the attempts that are shown."""
    at = call("titles").index(column)
    return [row[at] for row in call("rows")]


def sort_by(column):
    """Clicks the heading; the order that it then says."""
    return page.run(f"(th => (th.firstChild.click(), th.getAttribute('aria-sort')))(heading({json.dumps(column)}))")


class OnePage(unittest.TestCase):
    """One page for all tests of a class, opened anew for each; none may complain, or ask for anything."""

    records, beside, header = [], None, {}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="attest-page-")
        cls.addClassCleanup(folder.cleanup)
        cls.path = write_page(pathlib.Path(folder.name) / "reports", cls.records(), cls.beside, **cls.header)

    def setUp(self):
        page.events.clear()
        self.open(self.path.as_uri())

    def open(self, address):
        page.open(address, READY)
        page.run((HERE / "page.js").read_text())

    def tearDown(self):
        self.assertEqual(page.complaints(), [])
        self.assertEqual(set(page.requests()) - {"about:blank"}, {self.path.as_uri()})

    def said(self):
        return text("#attempts .said")


class Failed(OnePage):
    """200 cases that pass eagerly and replayed, and 5 that fail."""

    @staticmethod
    def beside(folder):
        journal.mutants(folder / "mutants.json")
        journal.bench(folder / "bench.json")

    @staticmethod
    def records():
        return [journal.attempt(i) for i in range(400)] + [journal.failure(i) for i in range(5)]

    def test_the_verdict_stands_first_and_failures_before_what_passed(self):
        self.assertTrue(text("h1").startswith("FAILED"))
        self.assertLess(call("place", "h1")["top"], 60)
        self.assertIn("200 of 205 cases passed, 5 failed", text(".line"))
        self.assertEqual(cells("verdict")[:6], ["FAIL"] * 5 + ["PASS"])

    def test_headings_sort_both_ways(self):
        for column, key in (("ms", float), ("error / budget", float), ("dtype", str), ("suite", str)):
            ways = set()
            for _ in range(2):
                way = sort_by(column)
                shown = [key(value) for value in cells(column)]
                self.assertEqual(shown, sorted(shown, reverse=way == "descending"), f"{column} {way}")
                ways.add(way)
            self.assertEqual(ways, {"ascending", "descending"})

    def test_numbers_in_names_sort_as_numbers(self):
        call("seek", "rope case-1/ eager bfloat16 onnxruntime")
        sort_by("case")
        sizes = [int(name.split("local_window_size=")[1].split(",")[0]) for name in cells("case")]
        self.assertEqual(sizes, sorted(sizes))

    def test_each_facet_filters_and_facets_add_up(self):
        for facet, value, of in (("suite", "rope", 40), ("verdict", "FAIL", 5), ("mode", "replay", 200)):
            call("choose", facet, value)
            self.assertEqual(self.said(), f"{of} of 405 attempts")
            self.assertEqual(set(cells(facet)), {value})
            call("choose", facet, "")
        self.assertEqual(self.said(), "405 attempts")
        chosen = {"dtype": "bfloat16", "geometry": "tiny", "dialect": "onnxruntime", "suite": "rope"}
        for facet, value in chosen.items():
            call("choose", facet, value)
        for facet, value in chosen.items():
            self.assertEqual(set(cells(facet)), {value})
        page.run("document.querySelector('.filters button').click()")
        self.assertEqual(self.said(), "405 attempts")

    def test_words_are_sought_in_ids_and_findings(self):
        call("seek", "window/edge SLOT 33")
        self.assertEqual(self.said(), "5 of 405 attempts")
        call("seek", "nothing like this")
        self.assertEqual(self.said(), "0 of 405 attempts")

    def test_keys_alone_find_and_open_a_failure(self):
        here = "document.activeElement"
        page.press("/")
        for letter in "edge":
            page.press(letter)
        self.assertEqual((page.run(f"{here}.value"), self.said()), ("edge", "5 of 405 attempts"))
        for _ in range(60):
            page.press("Tab")
            if page.run(f"{here}.className") == "opener":
                break
        first = page.run(f"{here}.textContent")
        page.press("ArrowDown")
        self.assertNotEqual(page.run(f"{here}.textContent"), first)
        page.press("Home")
        self.assertEqual(page.run(f"{here}.textContent"), first)
        page.press("Enter")
        self.assertEqual(page.run(f"{here}.getAttribute('aria-expanded')"), "true")
        page.press("Enter")
        self.assertEqual(page.run("every('.detail').length"), 0)

    def test_an_open_attempt_says_what_is_wrong_and_how_to_have_it_again(self):
        page.run("document.querySelector('#attempts .opener').click()")
        detail, case = text("#attempts .detail"), "'window/edge/local_window_size=4'"
        for words in (
            "A window that is one key too wide",
            "element\ttoken\tsequence\tposition\tpage\tslot\thead\tchannel\twant\tgot\tallowed",
            "output\t3\t1\t17\t1\t33\t2\t5\t0.5 0x3800\t0.25 0x3400\t0.499755859 0x37ff to 0.500244141 0x3801",
            "and 11 more",
            f"build/attest repro {case} --mode eager --subject cpu --seed 1",
            f"build/attest show {case} --seed 1",
            "local_window_size\n4",
        ):
            self.assertIn(words, detail)
        self.assertNotIn("attest explain", detail, "it is explained here")

    def test_an_open_attempt_says_which_wrong_reading_explains_it(self):
        page.run("document.querySelector('#attempts .opener').click()")
        agrees = "agrees with window-wider: the window keeps one key more; or cache-ignored: keys of the call alone"
        self.assertIn(agrees, text("#attempts .detail"))
        self.assertIn(agrees, text("#faults"))
        call("seek", "window-wider")
        self.assertEqual(self.said(), "5 of 405 attempts")

    def test_an_open_attempt_has_its_case_in_full(self):
        page.run("document.querySelector('#attempts .opener').click()")
        detail = text("#attempts .detail")
        for words in (
            "scale\t0.0721687824",
            'kv_cache_layout\t"LATENT"',
            "local_window_size\t0",
            "query\tfloat16\t[6, 384]",
            "key_cache\tfloat16\t[7, 16, 1, 192]",
            "how many\tpast\tnew\n1\t17\t3\n",
            "stands in\ncases/geometry.yaml:10",
        ):
            self.assertIn(words, detail)

    def test_an_attempt_that_passed_has_its_case_in_full_too(self):
        call("choose", "verdict", "PASS")
        page.run("document.querySelector('#attempts .opener').click()")
        self.assertIn("scale\t0.0721687824", text("#attempts .detail"))

    def test_an_address_opens_its_attempt_and_an_opened_attempt_has_one(self):
        page.run("document.querySelector('#attempts .opener').click()")
        address = page.run("location.href")
        self.assertIn("#attempt=window%2Fedge", address)
        self.open(address)
        self.assertIn("local_window_size=4", text("tr:has(+ .detail)"))

    def test_a_fault_is_shown_once_and_leads_to_its_attempts(self):
        self.assertEqual(page.run("every('.faults > li').length"), 1)
        page.run("every('.faults .link').at(-1).click()")
        self.assertEqual(self.said(), "5 of 405 attempts")

    def test_the_plot_has_a_dot_that_opens_its_attempt(self):
        page.run("document.querySelector('.plot').scrollIntoView()")
        self.assertGreater(page.run("redPixels(document.querySelector('.plot canvas'))"), 20)
        self.assertIn("5 above 1", page.run("document.querySelector('.plot').getAttribute('aria-label')"))
        over = call("place", ".plot .u-over")
        row = over["top"] + over["height"] * 8.6 / 10.2  # window is the last suite but one
        for step in range(100):
            page.click(over["left"] + over["width"] * (1 - step / 200), row)
            if page.run("location.hash").startswith("#attempt="):
                break
        self.assertIn("window%2Fedge", page.run("location.hash"))

    def test_pairs_that_never_met_are_seen(self):
        page.run("document.querySelector('[aria-label=\"dialect and dtype: 4 of 6 pairs met\"]').click()")
        self.assertEqual(page.run("every('.values .never').length"), 2)
        self.assertIn("float32", text(".values"))

    def test_the_kill_matrix_stands_in_the_page(self):
        self.assertIn("killed 1 of 2", text("#mutants"))
        self.assertEqual(text("#mutants td.tall"), "", "the survivor comes first")
        page.run("every('#mutants .opener').at(-1).click()")
        self.assertIn("window/edge/local_window_size=4", text("#mutants .detail"))
        self.assertIn("explain says\nwindow-wider", text("#mutants .detail"))

    def test_a_survivor_says_why_it_is_not_killed(self):
        page.run("document.querySelector('#mutants .opener').click()")
        self.assertIn("not killed, since\nIt is no promise.", text("#mutants .detail"))

    def test_times_show_the_slowest_attempts_and_what_bench_measured(self):
        slowest = max(journal.attempt(i)["seconds"] for i in range(400))
        self.assertIn(f"\t{1e3 * slowest:.3g}\t", text("#times"))
        times = text("#times")
        self.assertIn("v1 1 on NVIDIA H200 (sm_90): median of 9 after 3 warm-ups", times)
        self.assertIn("window/edge/local_window_size=4\tPASS\t12.5\t12\t13.5\t2\t18,456\t1.48", times)
        self.assertIn("timing/not-here\tUNSUPPORTED\t–\t–\t–\t–\t–\t–", times)
        page.run("every('#times .grid .link').find(link => link.textContent.startsWith('window/edge')).click()")
        self.assertIn("local_window_size%3D4", page.run("location.hash"))

    def test_a_screen_reader_hears_names_of_all_controls(self):
        page.run("document.querySelector('#attempts .opener').click()")
        nodes = list(page.accessible())
        self.assertEqual(unnamed(nodes), [])
        headings = {name for role, name in nodes if role == "heading"}
        sections = {"Faults", "Attempts", "Error over budget", "Tolerance", "Coverage", "Kill matrix", "Times"}
        self.assertLessEqual(sections, headings)
        roles = {"columnheader", "rowheader", "status", "search", "navigation", "main"}
        self.assertLessEqual(roles, {role for role, _ in nodes})

    def test_what_scrolls_sideways_does_so_by_keys_too(self):
        page.run("document.querySelector('#attempts .opener').click()")
        self.assertGreater(page.run("every('.scroll').length"), 5)
        self.assertEqual(page.run("every('.scroll').filter(region => region.tabIndex !== 0).length"), 0)

    def test_text_stands_out_in_light_and_in_dark(self):
        grounds = set()
        for dark in (False, True):
            page.size(1400, 900, dark)
            grounds.add(tuple(call("colour", "--ground")))
            for ground in ("--ground", "--raised"):
                for name in ("--text", "--quiet", "--link", "--good", "--warn", "--bad", "--broken"):
                    shade = contrast(call("colour", name), call("colour", ground))
                    self.assertGreaterEqual(shade, 4.5, f"{name} on {ground}, dark: {dark}")
        page.size(1400, 900)
        self.assertEqual(len(grounds), 2)

    def test_nothing_is_cut_off_on_a_narrow_screen(self):
        page.size(420, 800)
        width = page.run("document.documentElement.scrollWidth")
        page.size(1400, 900)
        self.assertLessEqual(width, 420)


def unnamed(nodes):
    spoken = {"button", "link", "textbox", "searchbox", "combobox", "radio", "img", "image", "region", "table"}
    return [role for role, name in nodes if role in spoken and not name]


def contrast(a, b):
    """WCAG 2: (lighter + 0.05) / (darker + 0.05)."""

    def light(rgb):
        parts = [c / 255 for c in rgb[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class Validated(OnePage):
    @staticmethod
    def records():
        return [journal.attempt(i) for i in range(40)]

    def test_there_are_no_faults_and_no_kill_matrix(self):
        self.assertTrue(text("h1").startswith("VALIDATED"))
        self.assertIsNone(page.run("document.getElementById('faults')"))
        self.assertIn("No mutants.json", text("#mutants"))
        self.assertIn("No bench.json", text("#times"))


class Explained(OnePage):
    """Four failures: one of several readings, one of none, two of one alone."""

    @staticmethod
    def records():
        clear, none = ["page-tail: the last page is read to its end"], ["none of 38 known wrong readings"]
        found = "output: token 3 (past cumseq[B]), head 2, channel 5: want 0.5, got 0.25 (0x3400), allowed only 0.5"
        more = {"finding": [{"detector": "value", "text": found}]}
        said = [{}, {"explanation": none}, {"explanation": clear}, {"explanation": clear}]
        return [journal.failure(i) | more | said[i] for i in range(4)]

    def test_where_one_answer_passes_it_is_said_once(self):
        page.run("document.querySelector('#attempts .opener').click()")
        self.assertIn("0.25 0x3400\tonly 0.5 0x3800", text("#attempts .detail"))

    def test_the_head_of_the_faults_counts_what_one_reading_explains(self):
        self.assertEqual(text("#faults .explained"), "Explained by one reading alone: page-tail in 2 of 4")


class Empty(OnePage):
    header = {"complete": False, "planned": 7, "universe": []}

    @staticmethod
    def records():
        return []

    def test_a_run_without_attempts_has_a_page_too(self):
        self.assertIn("no end mark", text(".warning"))
        self.assertEqual(self.said(), "0 attempts")


class Older(OnePage):
    """A journal from before records said what explains a failure and what a case comes to."""

    @staticmethod
    def records():
        later = ("explanation", "place", "attributes", "shapes", "sequences")
        return [{k: v for k, v in journal.failure(i).items() if k not in later} for i in range(3)]

    def test_the_lines_that_would_tell_stand_in_their_place(self):
        page.run("document.querySelector('#attempts .opener').click()")
        detail = text("#attempts .detail")
        for command in ("explain", "show"):
            self.assertIn(f"build/attest {command} 'window/edge/local_window_size=", detail)
        self.assertNotIn("agrees with", detail)
        self.assertIsNone(page.run("document.querySelector('#faults .explained')"))
        self.assertNotIn("Attributes", detail)


class Hostile(OnePage):
    header = {
        **dict.fromkeys(("subject", "device", "filter"), journal.HOSTILE),
        "universe": [journal.HOSTILE, f"axis:{journal.HOSTILE}"],
    }

    @staticmethod
    def beside(folder):
        journal.mutants(folder / "mutants.json", case=journal.HOSTILE)
        journal.bench(folder / "bench.json", case=journal.HOSTILE)

    @staticmethod
    def records():
        return [journal.hostile(i) for i in range(3)] + [journal.failure(1)]

    def test_names_of_a_hostile_journal_are_text_and_nothing_else(self):
        page.run("every('.opener, .pairs button').forEach(button => button.click())")
        page.run("every('details').forEach(details => details.open = true)")
        self.assertGreater(text("body").count(journal.HOSTILE), 40)
        self.assertEqual(page.run("document.scripts.length"), 4)
        self.assertEqual([e for e in page.events if e.get("method") == "Page.javascriptDialogOpening"], [])
        self.assertIn(journal.HOSTILE, page.run("document.title"))


class Many(OnePage):
    @staticmethod
    def records():
        return [journal.attempt(i) for i in range(MANY - 10)] + [journal.failure(i) for i in range(10)]

    @classmethod
    def setUpClass(cls):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        super().setUpClass()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cls.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_the_page_is_small_and_soon_written(self):
        size = self.path.stat().st_size
        print(f"{MANY} attempts: {size / 1e6:.2f} MB, all reports in {self.seconds:.2f} s ... ", end="")
        self.assertLess(size, MOST_BYTES)
        self.assertLess(self.seconds, MOST_SECONDS)

    def test_filters_and_sorts_are_quick(self):
        acts = {
            "words": "seek(i % 2 ? 'rope replay' : 'window bfloat16')",
            "facets": "choose('suite', i % 2 ? 'rope' : 'window')",
            "sorts": "heading(i % 2 ? 'case' : 'ms').firstChild.click()",
        }
        measured = {}
        for what, act in acts.items():
            page.run("seek(''); choose('suite', '')")
            measured[what] = page.run(f"quickest(i => {act})")
            self.assertGreaterEqual(len(call("rows")), 100)
        print(", ".join(f"{what} {ms:.0f} ms" for what, ms in measured.items()), "... ", end="")
        for what, ms in measured.items():
            self.assertLess(ms, MOST_MILLISECONDS, what)

    def test_pages_turn(self):
        self.assertEqual(len(call("rows")), 100)
        page.run("inAttempts('.pager button').find(button => button.textContent === 'last').click()")
        self.assertIn("19,901 to 20,000", text("#attempts .pager"))


class Numbers(unittest.TestCase):
    """Formats of kernels and figures for people, from the source of the page."""

    @classmethod
    def setUpClass(cls):
        page.call("Page.navigate", url="about:blank")
        page.run((ROOT / "reports/page/number.js").read_text())

    def bits(self, values, dtype):
        return page.run(f"[{', '.join(map(repr, values))}].map(value => bitsOf(value, {json.dumps(dtype)}))")

    def test_bits_of_half_precision_are_those_of_ieee_754(self):
        draw = random.Random(1)
        values = [draw.choice((-1, 1)) * draw.random() * 2 ** draw.randrange(-28, 17) for _ in range(3000)]
        values = [v for v in values if abs(v) < 65520] + [0.0, -0.0, 65504.0, 2.0**-24, 2.0**-25, 3 * 2.0**-25, 0.1]
        due = [struct.unpack("<H", struct.pack("<e", v))[0] for v in values]
        self.assertEqual(self.bits(values, "float16"), [f"0x{word:04x}" for word in due])

    def test_bits_of_bfloat16_are_the_nearest_even_half_of_float32(self):
        draw = random.Random(2)
        values = [struct.unpack("<f", struct.pack("<I", draw.getrandbits(32)))[0] for _ in range(3000)]
        values = [v for v in values if abs(v) < 3e38]  # neither nan nor inf
        words = [struct.unpack("<I", struct.pack("<f", v))[0] for v in values]
        due = [(word + 0x7FFF + (word >> 16 & 1)) >> 16 for word in words]
        self.assertEqual(self.bits(values, "bfloat16"), [f"0x{word:04x}" for word in due])
        self.assertEqual(self.bits(values, "float32"), [f"0x{word:08x}" for word in words])

    def test_what_has_no_bits_says_so(self):
        self.assertEqual(page.run("[bitsOf(Infinity, 'float16'), bitsOf(-1e30, 'float16')]"), ["0x7c00", "0xfc00"])
        self.assertEqual(page.run("[bitsOf(NaN, 'float16'), bitsOf(1, 'int4')]"), [None, None])

    def test_figures_are_short_and_keep_their_sign(self):
        figures = {"0.000123456": "0.000123", "0": "0", "-0": "-0", "NaN": "nan", "-Infinity": "-inf", "null": "–",
                   "12345.6": "12300", "2.5e9": "2.5e9", "1e-7": "1e-7", "-0.00001234": "-1.23e-5"}
        for value, due in figures.items():
            self.assertEqual(page.run(f"figure({value})"), due)
        self.assertEqual(page.run("figure(-10922.6667, 9)"), "-10922.6667")


class TheCheckersThemselves(unittest.TestCase):
    """A page that misbehaves is caught by what the other tests rely on."""

    def see(self, body):
        with tempfile.NamedTemporaryFile("w", suffix=".html") as file:
            file.write(f"<!doctype html><html data-ready><body>{body}</body></html>")
            file.flush()
            page.events.clear()
            page.open(pathlib.Path(file.name).as_uri(), READY)
            return page.complaints(), page.requests(), list(page.accessible())

    def test_a_console_error_and_an_exception_are_seen(self):
        self.assertIn("oh", self.see("<script>console.error('oh')</script>")[0])
        complaints = self.see("<script>throw new Error('no')</script>")[0]
        self.assertTrue(any("Error: no" in said for said in complaints), complaints)

    def test_a_request_is_seen(self):
        self.assertIn("http://127.0.0.1:9/a.png", self.see("<img src='http://127.0.0.1:9/a.png'>")[1])

    def test_a_control_without_a_name_is_seen(self):
        self.assertEqual(unnamed(self.see("<button></button><a href='#'>a</a>")[2]), ["button"])

    def test_grey_on_grey_has_no_contrast(self):
        self.assertLess(contrast([150, 150, 150], [170, 170, 170]), 4.5)
        self.assertAlmostEqual(contrast([0, 0, 0], [255, 255, 255]), 21)


if __name__ == "__main__":
    unittest.main(verbosity=2)
