"""The picture of accublas-compare: no label lies on another, on a point or beyond the axes, and errors that a logarithmic axis
lacks have bands of their own."""

import itertools
import math
import random
import sys
import unittest

sys.path.insert(0, sys.argv[1])
import accublas_plot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.transforms import Bbox

INF = math.inf
MODES = ["native", "dp:repro", "fixed:60", "slices:4", "slices:4:fast", "dot2", "cr"]


def rows(times, errors, modes=MODES):
    return [{"mode": mode, "ms": ms, "max": error} for mode, ms, error in zip(modes, times, errors, strict=True)]


# Measured ones, and what is worse: everything in one place, errors of every size, many modes.
PICTURES = {
    "west0479": rows([41.6, 499.1, 212.1, 251.2, 183.8, 99.7, 67.2], [INF, 1.1e-16, 3.5e-12] + 4 * [1.1e-16]),
    "lund_a": rows([5.48, 61.5, 38.3, 18.0, 13.3, 1.73, 1.29], [7.4e-10, 1.1e-16, 4.6e-13] + 4 * [1.1e-16]),
    "pores_1": rows([0.037, 0.55, 0.75, 0.17, 0.23, 0.049, 0.046], [3.8e-16, 1.7e-16, 1.8e-13] + 4 * [1.03e-16]),
    "random": rows([0.90, 37.6, 67.9, 21.5, 20.5, 3.62, 2.62], [5.3e-12, 3.4e-14, 3.6e-10] + 4 * [1.1e-16]),
    "close": rows([1, 1.02, 1.04, 1.06, 1.08, 1.1, 1.12], 7 * [1.1e-16]),
    "one point": rows(7 * [3.0], 7 * [2e-16]),
    "all zero": rows(range(1, 8), 7 * [0.0]),
    "all infinite": rows(range(1, 8), 7 * [INF]),
    "zero to infinity": rows([1, 2, 3, 4, 5, 6, 7], [0.0, 5e-324, 1e-17, 1.0, 1e10, 1e300, INF]),
    "one mode": rows([2.5], [1e-16], ["cr"]),
    "many": rows([1.5 ** (i % 7) for i in range(40)], [10.0 ** -(i % 9 + 8) for i in range(40)], [f"fixed:{i}" for i in range(40)]),
}


def boxes(figure):
    """The boxes of names, of points, and of the axes, in pixels."""
    axes = figure.axes[0]
    figure.canvas.draw()
    renderer = FigureCanvasAgg(figure).get_renderer()
    names = {text: text.get_window_extent(renderer) for text in axes.texts if text.get_text()}
    points = [Bbox.from_bounds(*(axes.transData.transform(line.get_xydata()[0]) - 4), 8, 8) for line in axes.lines]
    return names, points, axes.get_window_extent(renderer)


class Picture(unittest.TestCase):
    def check(self, data):
        figure = accublas_plot.draw("title", data)
        names, points, frame = boxes(figure)
        self.assertEqual(sorted(text.get_text() for text in names), sorted(row["mode"] for row in data))
        for (one, a), (other, b) in itertools.combinations(names.items(), 2):
            self.assertFalse(a.overlaps(b), f"{one} lies on {other}")
        renderer = FigureCanvasAgg(figure).get_renderer()
        for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis):
            ticks = [label.get_window_extent(renderer) for label in axis.get_ticklabels()]
            shown = [box for box, place in zip(ticks, axis.get_majorticklocs())
                     if axis.get_view_interval()[0] <= place <= axis.get_view_interval()[1]]
            self.assertGreater(len(shown), 1)
            self.assertFalse(any(a.overlaps(b) for a, b in itertools.combinations(shown, 2)), "numbers of an axis overlap")
        for text, box in names.items():
            self.assertFalse(any(box.overlaps(point) for point in points), f"{text} lies on a point")
            self.assertTrue(frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1,
                            f"{text} leaves the axes")

    def test_labels_keep_apart(self):
        for name, data in PICTURES.items():
            with self.subTest(name):
                self.check(data)

    def test_random_points(self):
        source = random.Random(5)
        for case in range(10):
            with self.subTest(case):
                self.check(rows([10 ** source.uniform(0, 2) for _ in MODES],
                                [source.choice([0.0, INF, 1.1e-16, 10 ** source.uniform(-17, 5)]) for _ in MODES]))

    def test_bands(self):
        for name, data in PICTURES.items():
            axes = accublas_plot.draw("title", data).axes[0]
            heights = [line.get_ydata()[0] for line in axes.lines]
            ticks = {axes.yaxis.get_major_formatter()(y): y for y in axes.yaxis.get_majorticklocs()}
            finite = [row["max"] for row in data if 0 < row["max"] < INF]
            with self.subTest(name):
                for text, error in (("inf", INF), ("0", 0.0)):
                    drawn = {y for y, row in zip(heights, data) if row["max"] == error}
                    self.assertEqual(drawn, {ticks[text]} if text in ticks else set())
                    for y in drawn:  # apart from all that are finite
                        self.assertTrue(all(y > math.log10(f) if error else y < math.log10(f) for f in finite))
                for y, row in zip(heights, data):
                    if row["max"] in finite:
                        self.assertAlmostEqual(y, math.log10(row["max"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
