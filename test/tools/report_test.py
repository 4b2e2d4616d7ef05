"""The page of accublas-compare: well-formed, of itself alone, readable in both themes, and its recommendations follow the rules.
usage: report_test.py PERF MODE_HPP, the folder of the modules and the library's table of modes"""

import math
import re
import sys
import tempfile
import unittest
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

MODE_HPP = sys.argv.pop(2)
sys.path.insert(0, sys.argv.pop(1))
import accublas_advice
import accublas_report
import accublas_svg
import mode_table

INF = math.inf
U = 2.0**-53
NUMBERS = accublas_advice.Census(entries=9, judged=9, nans=0, infinities=0)
FACTS = accublas_advice.Facts(u=U, k=100, cancelling=0.0, special=False, out_of_range=(), result=NUMBERS)
EMPTY = {"meta", "circle", "path", "line", "rect", "br"}


def row(mode, ms, largest, promised, scaled=1.0, promised_scaled=1.0, bits=True, **more):
    return {"mode": mode, "engine": "native" if mode == "native" else "sums", "times": {"CPU": ms}, "slowest": {"CPU": ms},
            "rounded_once": mode == "cr", "max": largest, "median": 0.0, "promised": promised,
            "scaled": scaled, "promised_scaled": promised_scaled, "bits_defined": bits, "checksum": "0123456789ab"} | more


def product(native_error=1e-8):
    return [row("native", 1.0, native_error, 1e-7, 2.0, 103.0, bits=False), row("dp:repro", 2.0, 1e-9, 1e-7, 1.0, 103.0),
            row("fixed:20", 0.5, 1e-5, INF, 1e5, INF), row("dot2", 6.0, U, 1.5 * U), row("cr", 7.0, U, U)]


class Page(HTMLParser):
    """The tags of a page: errors where one is closed that is not open, texts by tag, attributes."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.errors, self.texts = [], [], [], {}
        self.feed(page)
        self.close()
        self.errors += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if len(dict(attributes)) != len(attributes):
            self.errors.append(f"<{tag}> has an attribute twice")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(f"</{tag}> closes another")

    def handle_data(self, data):
        for tag in self.open[-1:]:
            self.texts.setdefault(tag, []).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def page(rows=None, facts=FACTS, title="dgemm: a.mtx", spans=None, details=(), notes=()):
    return accublas_report.page(title, rows or product(), facts, spans or ([(0, 3), None, (-5, 7)], [(1, 1)] * 500), details, notes)


PAGES = {
    "usual": page(),
    "GPU": page([r | {"times": t, "slowest": t} for r in product()
                 for t in [{"CPU": 3.0, "GPU": 1.0} if r["mode"] != "dot2" else {"CPU": 1.0}]]),
    "no numbers": page([row("native", 1.0, 0.0, INF, 0.0, INF, False), row("cr", 2.0, 0.0, None, 0.0, None)],
                       replace(FACTS, out_of_range=("overflow",), result=accublas_advice.Census(9, 0, 0, 9)), notes=["A note."]),
    "extremes": page([row("native", 1e-5, INF, INF, INF, INF, False), row("cr", 1e5, 0.0, 0.0, 0.0, 0.0)], spans=([None], [None])),
    "one mode": page([row("native", 1.0, 0.0, 5e-324, 0.0, 1e300, False)], spans=([(-1074, 1023)], [(0, 0)] * 5000)),
}


class WellFormed(unittest.TestCase):
    def test_tags(self):
        for name, text in PAGES.items():
            with self.subTest(name):
                seen = Page(text)
                self.assertEqual(seen.errors, [])
                ids = [attributes["id"] for _, attributes in seen.tags if "id" in attributes]
                self.assertEqual(len(ids), len(set(ids)))
                self.assertEqual([a.get("lang") for a in seen.all("html")], ["en"])
                self.assertNotIn("nan", "".join(sum((t for tag, t in seen.texts.items() if tag in ("td", "desc")), [])))
                for _, attributes in seen.tags:
                    for value in attributes.values():
                        self.assertIsNone(re.search(r"\b(nan|inf)\b", value or ""), attributes)

    def test_nothing_from_outside(self):
        for text in PAGES.values():
            seen = Page(text)
            for tag, attributes in seen.tags:
                self.assertNotIn(tag, {"script", "link", "img", "iframe", "object", "embed", "base", "form", "use", "image"})
                self.assertFalse({"src", "href", "xlink:href", "srcset", "style"} & set(attributes), (tag, attributes))
                self.assertFalse([a for a in attributes if a.startswith("on")])
            self.assertIsNone(re.search(r"https?:|url\(|@import|//\w", text))
            self.assertIn("default-src 'none'", text)

    def test_values_are_escaped(self):
        evil = "<script>alert('x')</script>\"&amp;"
        text = page([r | {"mode": evil, "engine": evil, "checksum": evil} for r in product()], title=evil, details=[(evil, evil)])
        seen = Page(text)
        self.assertEqual((seen.errors, seen.all("script")), ([], []))
        self.assertEqual(seen.texts["h1"], [evil])
        self.assertIn(evil, seen.texts["code"])

    def test_accessible(self):
        for text in PAGES.values():
            seen = Page(text)
            ids = {attributes["id"] for _, attributes in seen.tags if "id" in attributes}
            pictures = seen.all("svg")
            self.assertEqual(len(pictures), 5)
            self.assertEqual(len(seen.texts["title"]), 1 + len(pictures))
            self.assertEqual(len(seen.texts["desc"]), len(pictures))
            for attributes in pictures:
                self.assertEqual(attributes["role"], "img")
                self.assertLessEqual(set(attributes["aria-labelledby"].split()), ids)
            self.assertEqual(len(seen.all("table")), len(seen.texts["caption"]))
            self.assertTrue(all(attributes.get("scope") in ("row", "col") for attributes in seen.all("th")))

    def test_both_themes(self):
        def luminance(colour):
            parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear))

        text = PAGES["usual"]
        dark = re.search(r"@media screen and \(prefers-color-scheme:dark\)\{:root\{(.*?)\}\}", text).group(1)
        light = re.search(r":root\{(.*?)\}", text).group(1)
        used = set(re.findall(r"var\(--(\w+)\)", text))
        for name, block in ("light", light), ("dark", dark):
            colours = dict(re.findall(r"--(\w+):(#[0-9a-f]{6});", block))
            self.assertEqual(set(colours), used)
            for front in ("ink", "quiet", "first", "second"):
                for back in ("ground", "plate"):
                    a, b = sorted((luminance(colours[front]), luminance(colours[back])))
                    self.assertGreater((b + 0.05) / (a + 0.05), 4.5, (name, front, back))
        self.assertEqual(re.findall(r"#[0-9a-f]{6}", text.replace(light, "").replace(dark, "")), [])

    def test_pictures_keep_within(self):
        for name, text in PAGES.items():
            for svg in re.findall(r"<svg.*?</svg>", text):
                height = float(re.search(r'viewBox="0 0 \d+ (\d+)"', svg).group(1))
                for key, limit in ("x", accublas_svg.WIDTH), ("y", height):
                    for value in re.findall(rf'\b(?:c?{key}[12]?)="(-?[\d.]+)"', svg):
                        self.assertTrue(0 <= float(value) <= limit, f"{name}: {key} = {value} of {limit}")
                for size in re.findall(r'(?:width|height)="(-?[\d.]+)"', svg):
                    self.assertGreater(float(size), 0, name)


class Rules(unittest.TestCase):
    def recommended(self, rows, **facts):
        found, need, reason = accublas_advice.recommend(rows, replace(FACTS, **facts))
        return found and found["mode"], need.name, reason

    def test_cases(self):
        self.assertEqual(self.recommended(product(1e-14))[:2], ("native", "usual"))
        self.assertEqual(self.recommended(product(1023 * U))[:2], ("native", "usual"))
        for share in (0.0, 1e-5, 0.05, 0.5):
            self.assertEqual(self.recommended(product(1025 * U), cancelling=share)[:2], ("dot2", "digits"))
        self.assertEqual(self.recommended(product(), special=True)[:2], ("dp:repro", "bits"))
        self.assertEqual(self.recommended(product()[:3])[:2], (None, "digits"))
        reasons = [self.recommended(product(), cancelling=share)[2] for share in (0.0, 0.05, 0.5)]
        self.assertEqual([r.split()[0] for r in reasons], ["No", "A", "Many"])
        self.assertIn("1.0e-08", reasons[0])
        self.assertIn("50 %", reasons[2])
        self.assertIn("more than the whole", self.recommended(product(INF), cancelling=1.0)[2])

    def test_needs(self):
        best = {need.name: accublas_advice.best(need, product(), FACTS)["mode"] for need in accublas_advice.NEEDS}
        self.assertEqual(best, {"few": "fixed:20", "usual": "native", "bits": "dp:repro", "digits": "dot2", "unique": "cr"})
        quick = [r | {"times": {"CPU": 9.0, "GPU": 0.1}, "slowest": {"CPU": 9.5, "GPU": 0.2}} if r["mode"] == "cr" else r
                 for r in product()]
        self.assertEqual({accublas_advice.best(need, quick, FACTS)["mode"] for need in accublas_advice.NEEDS}, {"cr"})
        self.assertIn("0.1 ms on the GPU, 0.1 times native", page(quick))
        close = [r | {"times": {"CPU": 0.95}} if r["mode"] == "cr" else r for r in product()]
        self.assertEqual(accublas_advice.best(accublas_advice.NEEDS[1], close, FACTS)["mode"], "native")  # equal but for noise
        self.assertEqual({case.need for case in accublas_advice.CASES} - {n.name for n in accublas_advice.NEEDS}, set())

    def test_the_yardstick_makes_room_beyond_noise_only(self):
        for slowest, mode in ((0.85, "cr"), (0.95, "native")):
            rows = [r | {"times": {"CPU": 0.5}, "slowest": {"CPU": slowest}} if r["mode"] == "cr" else r for r in product(1e-14)]
            self.assertEqual(accublas_advice.best(accublas_advice.NEEDS[1], rows, FACTS)["mode"], mode)
            found, _, reason = self.recommended(rows)
            self.assertEqual((found, accublas_advice.STAY in reason), (mode, mode == "native"))

    def test_out_of_range(self):
        void = [row("native", 1.0, INF, INF, INF, INF, bits=False), *product()[1:]]
        mode, need, reason = self.recommended(void, out_of_range=("overflow", "underflow"))
        self.assertEqual((mode, need), ("dot2", "digits"))
        self.assertIn("overflow and underflow", reason)
        self.assertNotIn("rounding errors add up", reason)
        mode, need, reason = self.recommended([row("native", 1.0, 0.0, INF, 0.0, INF, bits=False), *product()[1:]],
                                              out_of_range=("underflow",))
        self.assertEqual((mode, need), ("dp:repro", "usual"))
        self.assertIn("off by nothing)", reason)
        self.assertNotIn(accublas_advice.STAY, reason)
        some = accublas_advice.Census(entries=9, judged=4, nans=2, infinities=3)
        self.assertIn("Of the 9 entries of the exact result 2 are NaN and 3 are infinite", self.recommended(product(), special=True,
                                                                                                   result=some)[2])

    def test_what_may_leave_the_range(self):
        def stray(a, b, depth=0, kind=np.float64):
            a, b = np.array(a, dtype=kind), np.array(b, dtype=kind)
            with np.errstate(all="ignore"):
                return accublas_advice.out_of_range(a, b, np.abs(a) @ np.abs(b), depth)

        self.assertEqual(stray([[1e200, 0.0]], [[1e100], [1e300]]), ())  # the zero meets the large one
        self.assertEqual(stray([[1e200, 1.0]], [[1e108], [1.0]]), ("overflow",))
        self.assertEqual(stray([[2.0**511]], [[2.0**511]]), ())
        self.assertEqual(stray([[2.0**512]], [[2.0**511]]), ("overflow",))  # within a factor of 2
        self.assertEqual(stray([[2.0**-511]], [[2.0**-511]]), ())
        self.assertEqual(stray([[2.0**-511, 1.0]], [[2.0**-512], [1.0]]), ("underflow",))
        self.assertEqual(stray([[1e300], [1e-300]], [[1e300, 1e-300]]), ("overflow", "underflow"))
        self.assertEqual(stray([[np.inf, np.nan, 1.0]], [[1.0], [1.0], [1.0]]), ())
        self.assertEqual(stray([[2.0**-70]], [[1.0]], 24, np.float32), ())
        self.assertEqual(stray([[2.0**-70]], [[2.0**-9]], 24, np.float32), ("underflow",))  # of products of second words
        self.assertEqual(stray([[2.0**-103]], [[2.0**100]], 24, np.float32), ("underflow",))  # of a word

    def test_no_numbers(self):
        cases = [((9, 0, 0, 9), ("overflow",), False, "is beyond the largest number, whatever"), ((9, 0, 9, 0), (), True, "is NaN, whatever"),
                 ((9, 0, 0, 0), (), False, "is zero, whatever"), ((9, 0, 0, 0), ("underflow",), False, "so small that it rounds to zero"),
                 ((9, 0, 4, 5), (), True, "is NaN in 4 of 9 entries and is infinite in 5 of 9 entries")]
        for counts, stray, special, text in cases:
            facts = replace(FACTS, result=accublas_advice.Census(*counts), out_of_range=stray, special=special)
            self.assertIn(text, accublas_advice.no_numbers(facts))
            self.assertEqual("Scale the matrices" in accublas_advice.no_numbers(facts), bool(stray))
        self.assertIsNone(accublas_advice.no_numbers(FACTS))
        nothing = np.array([[0.0, np.inf, np.nan]])
        self.assertEqual(accublas_advice.census(nothing, np.array([[0.0, np.inf, np.nan]])), accublas_advice.Census(3, 0, 1, 1))
        self.assertNotIn("You need", PAGES["no numbers"])
        self.assertIn("<p>A note.</p>", PAGES["no numbers"])
        self.assertIn("These matrices recommend no mode", PAGES["no numbers"])

    def test_shown(self):
        seen = Page(page())
        self.assertIn("dot2", seen.texts["code"])
        self.assertIn("A holds no finite nonzero entry.", PAGES["extremes"])
        self.assertEqual(PAGES["usual"].count(accublas_advice.UNPROMISED), 1)  # native's, which promises nothing of its own
        self.assertIn("None of the modes tried is enough", Page(page(product()[:3])).texts["p"])

    def test_spans(self):
        a = np.array([[1.0, 3.5, 0.0], [0.0, 0.0, np.nan], [np.inf, 5e-324, -0.75]])
        self.assertEqual(accublas_advice.line_spans(a), [(0, 1), None, (-1074, -1)])
        self.assertEqual(accublas_svg.groups([(0, 1), None, (0, 9)]), [(0, 1, 0, 1), (2, 1, 0, 9)])
        many = accublas_svg.groups([(0, i % 7) for i in range(1000)])
        self.assertLessEqual(len(many), accublas_svg.MOST_BARS)
        self.assertEqual(sum(count for _, count, _, _ in many), 1000)
        self.assertEqual({most for _, _, _, most in many[:-1]}, {6})  # the widest of nine

    def test_promises(self):
        class Report:
            bound_relative, bound_componentwise, bound_absolute = U, 0.0, 5e-324

        value, scale = np.array([[1.0, 0.0, 4.0]]), np.array([[1.0, 8.0, 4.0]])
        self.assertEqual(accublas_advice.promised_errors(Report, value, scale), (U, 1.0))
        Report.bound_relative, Report.bound_componentwise = 0.0, 4 * U
        self.assertEqual(accublas_advice.promised_errors(Report, value, scale), (INF, 4.0))  # nothing is promised next to 0
        self.assertEqual(accublas_advice.promised_errors(Report, value[:, ::2], scale[:, ::2]), (4 * U, 4.0))
        largest = np.array([[1e308]])
        self.assertEqual(accublas_advice.promised_errors(Report, largest, np.array([[INF]])), (INF, 4.0))
        self.assertEqual(accublas_advice.promised_errors(Report, np.array([[0.0]]), np.array([[0.0]])), (None, None))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(accublas_advice.cancelling_share(largest, largest), 0.0)
        self.assertFalse(accublas_advice.rounded_once(Report, np.float64))
        Report.bound_relative, Report.bound_componentwise = U, 0.0
        self.assertTrue(accublas_advice.rounded_once(Report, np.float64))
        Report.bound_componentwise = INF
        self.assertEqual(accublas_advice.promised_errors(Report, value, scale), (INF, INF))
        self.assertEqual(accublas_advice.cancelling_share(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 2000.0, 1.0, 0.0])), 2 / 3)


class Modes(unittest.TestCase):
    def test_table(self):
        text = mode_table.module(MODE_HPP)
        found = {}
        exec(text, found)
        defined = found["bit_defined"]
        self.assertEqual([defined(m) for m in ("native", "dp", "sp", "dp:repro", "sp:repro", "fixed:60", "slices:4:fast", "dot2", "cr")],
                         [False] * 3 + [True] * 6)
        self.assertEqual([defined("best"), defined("best:repro")], [False, False])
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / "mode.hpp"
            other.write_text(Path(MODE_HPP).read_text().replace('"cr", 0, 0, ""', '"cr", least, 0, ""'))
            with self.assertRaises(ValueError):
                mode_table.module(other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
