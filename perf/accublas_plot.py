"""The picture of accublas-compare: largest relative error against time, a labelled point a mode."""

import os

os.environ["MPLBACKEND"] = "Agg"  # whatever the user's own: nothing is shown on a screen

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

BAND = 0.12  # height of the bands for errors that are zero or infinite over that of the others
POINT = 8  # diameter, in points as are all lengths on paper


def draw(title, rows):
    """A figure of rows with "mode", "ms" and "max"; errors that are infinite or zero lie in bands of their own."""
    figure = Figure(figsize=(7, 4.5))
    axes = figure.subplots()
    time_axis(axes, [row["ms"] for row in rows])
    for row, y in zip(rows, error_axis(axes, [row["max"] for row in rows])):
        axes.plot(row["ms"], y, "o", markersize=POINT)
    axes.set_xlabel("time (ms)")
    axes.set_ylabel("largest relative error")
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.3)
    figure.tight_layout()
    place_labels(axes, [row["mode"] for row in rows])
    return figure


def time_axis(axes, times):
    """A logarithmic x axis with room for labels beside the outermost points; two ticks or more, whatever the times."""
    low, high = min(times), max(times)
    room = max(3.0, (high / low) ** 0.25)
    axes.set_xscale("log")
    axes.set_xlim(low / room, high * room)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 1e3 else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def error_axis(axes, errors):
    """Limits, bands and ticks of the y axis, which has the logarithms of errors (10^y may overflow at its ends); the
    heights at which the errors are drawn."""
    finite = np.log10([e for e in errors if 0 < e < np.inf] or [1e-16])
    margin = max(1.0, 0.1 * np.ptp(finite))
    low, high = finite.min() - margin, finite.max() + margin
    height = BAND * (high - low)
    bands = {value: (text, edge, edge + sign * height)
             for text, value, edge, sign in [("0", 0.0, low, -1), ("inf", np.inf, high, 1)] if value in errors}
    ends = [low, high] + [end for _, _, end in bands.values()]
    axes.set_ylim(min(ends), max(ends))
    for _, edge, end in bands.values():
        axes.axhspan(edge, end, color="0.9", zorder=0)
    middles = {value: (edge + end) / 2 for value, (_, edge, end) in bands.items()}
    names = {middles[value]: text for value, (text, _, _) in bands.items()}
    decades = [t for t in MaxNLocator(nbins=8, integer=True).tick_values(low, high) if low <= t <= high]
    axes.yaxis.set_major_locator(FixedLocator([*decades, *names]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: names.get(y) or f"$10^{{{round(y)}}}$"))
    return [middles[e] if e in middles else np.log10(e) for e in errors]


def place_labels(axes, names):
    """Writes a name beside every line of `axes`, each a point, in its colour: the nearest place on rings around the point
    where no name, no point and no edge is in the way; a thin line leads there where it is not next to the point."""
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    pixels = axes.figure.dpi / 72  # a point
    frame = axes.get_window_extent(renderer)
    centres = np.array([axes.transData.transform(line.get_xydata()[0]) for line in axes.lines])
    taken = [box(centres, (POINT + 4) * pixels)]
    for line, centre, name in zip(list(axes.lines), centres, names):
        home = line.get_xydata()[0]
        label = axes.annotate(name, home, (0, 0), textcoords="offset points", ha="center", va="center_baseline",
                              color=line.get_color(), fontsize=9, zorder=4,
                              bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.5})
        size = label.get_window_extent(renderer).size + 4
        gaps, offsets = places(size, POINT * pixels, frame.width)
        boxes = box(centre + offsets, size)
        inside = ((boxes[:, :2] >= frame.min) & (boxes[:, 2:] <= frame.max)).all(axis=1)
        best = np.argmax(inside & ~overlap(boxes, np.concatenate(taken)))  # the first; 0 where the picture is full
        label.set_position(offsets[best] / pixels)
        if gaps[best] > 1.5 * POINT * pixels:
            axes.annotate("", home, offsets[best] / pixels, textcoords="offset points",
                          zorder=1, arrowprops={"arrowstyle": "-", "lw": 0.6, "color": line.get_color(), "shrinkA": 0})
        taken.append(boxes[best : best + 1])


def places(size, step, farthest):
    """Gaps and offsets of a label's centre, on rings of growing gap between the point and the label's ellipse."""
    angles = np.radians([20, -20, 160, -160, 60, -60, 120, -120, 90, -90, 0, 180, 40, -40, 140, -140])
    gaps = np.repeat(np.arange(step, farthest, step / 2), len(angles))
    directions = np.tile(np.stack([np.cos(angles), np.sin(angles)], axis=1), (len(gaps) // len(angles), 1))
    return gaps, directions * (size / 2 + gaps[:, None])


def box(centres, size):
    """Rows x0, y0, x1, y1."""
    return np.concatenate([centres - np.array(size) / 2, centres + np.array(size) / 2], axis=1)


def overlap(boxes, others):
    """Which of `boxes` meet any of `others`."""
    a, b = boxes[:, None], others[None]
    return ((a[..., :2] < b[..., 2:]) & (b[..., :2] < a[..., 2:])).all(axis=-1).any(axis=1)
