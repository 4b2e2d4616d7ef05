"""Pictures of the laboratory: curves in panels, one legend beside them, and below them date, machine and command."""

import io
import math
import re
import textwrap
from dataclasses import dataclass, field

import accublas_plot
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

COLOURS = {
    "native": "black", "dp": "tab:cyan", "dp:repro": "tab:blue", "sp:repro": "tab:blue", "dot2": "tab:orange", "cr": "tab:green",
    "cuSOLVER": "tab:gray", "netlib": "tab:pink",
    "slices:1": "tab:pink", "slices:2": "tab:red", "slices:3": "tab:purple", "slices:4": "tab:brown", "slices:6": "tab:olive",
    "fp16x1": "tab:pink", "fp16x3": "tab:purple", "tf32x1": "tab:red", "tf32x3": "tab:blue", "tf32x4": "tab:green",
    "tf64x1": "tab:red", "tf64x3": "tab:blue", "tf64x4": "tab:green",
}  # fmt: skip
STYLES = {"measured": "-", "dotted": ":", "dash-dotted": "-.", "published": "--"}
MARKERS = "sDo^vpX"
LARGEST, SMALLEST = 9, 4  # markers, in points: hollow and ever smaller, so that curves which coincide are seen


@dataclass
class Curve:
    label: str
    x: list
    y: list
    colour: str = "tab:gray"
    style: str = "measured"  # of STYLES


@dataclass
class Panel:
    title: str
    xlabel: str
    ylabel: str
    curves: list
    errors: bool = False  # y by decades, with bands for zero and infinity
    x_scale: str = "log"
    y_scale: str = "log"
    x_ticks: list = field(default_factory=list)
    levels: list = field(default_factory=list)  # published levels: (label, y, colour, line style)
    span: tuple = ()  # published range: (label, low, high)
    within: list = field(default_factory=list)  # values that the y axis has, too


def draw_curves(axes, panel, labels):
    """`labels`: those of one legend, by which a curve gets its marker."""
    lists = [list(curve.y) for curve in panel.curves]
    if panel.errors:
        wanted = [v for values in lists for v in values] + list(panel.span[1:]) + panel.within
        heights = iter(accublas_plot.error_axis(axes, wanted))
        lists = [[next(heights) for _ in values] for values in lists]
        if panel.span:
            axes.axhspan(next(heights), next(heights), color="tab:red", alpha=0.12, label=panel.span[0], linewidth=0)
    else:
        axes.set_yscale(panel.y_scale)
        if panel.y_scale == "log":
            plain_decades(axes, [v for values in lists for v in values] + [level[1] for level in panel.levels])
    axes.set_xscale(panel.x_scale)
    step = (LARGEST - SMALLEST) / max(1, len(labels) - 1)
    for curve, heights in zip(panel.curves, lists):
        i = labels.index(curve.label)
        axes.plot(curve.x, heights, STYLES[curve.style], label=curve.label, color=curve.colour, linewidth=1.2,
                  marker=MARKERS[i % len(MARKERS)], markersize=LARGEST - i * step, markerfacecolor="none")
    for label, y, colour, line in panel.levels:
        axes.axhline(y, label=label, color=colour, linestyle=STYLES[line], linewidth=1)
    ticks = panel.x_ticks or sorted({x for curve in panel.curves for x in curve.x})
    axes.set_xticks(ticks, [tick_text(x) for x in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set(title=panel.title, xlabel=panel.xlabel, ylabel=panel.ylabel)
    axes.grid(True, which="major", alpha=0.3)


def tick_text(x):
    """Large powers of ten and two as powers, all else as it is."""
    for base, exponent in ((10, round(math.log10(x))), (2, round(math.log2(x)))):
        if x > 2**15 and x == base**exponent:
            return f"${base}^{{{exponent}}}$"
    return f"{x:g}"


def plain_decades(axes, values):
    """Ticks of a logarithmic y axis as plain numbers, also between decades where there are few of them."""
    few = max(values) < 100 * min(values)
    axes.set_ylim(min(values) / 1.6, max(values) * 1.6)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw_bars(axes, title, ylabel, bars, scale="linear", turned=False):
    """Stacked bars: bars = {name: {part: height}}; a part without a name has no place in the legend."""
    parts = list(dict.fromkeys(part for heights in bars.values() for part in heights))
    bottom = [0.0] * len(bars)
    for i, part in enumerate(parts):
        heights = [values.get(part, 0.0) for values in bars.values()]
        axes.bar(range(len(bars)), heights, 0.6, bottom, label=part or None, color=f"C{i % 10}")
        bottom = [low + height for low, height in zip(bottom, heights)]
    axes.set_yscale(scale)
    if scale == "log":
        plain_decades(axes, [height for height in bottom if height > 0])
    axes.set_xticks(range(len(bars)), list(bars), fontsize=8, rotation=90 if turned else 0)
    axes.set(title=title, ylabel=ylabel)
    axes.grid(True, axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def figure_of(title, caption, columns, painters, legend_width, panel_size, legends):
    """A figure whose axes the painters fill, row by row; one legend at the right of a row, or below every panel."""
    rows = -(-len(painters) // columns)
    width = columns * panel_size[0] + (legend_width * panel_size[0] if legends == "right" else 0)
    figure = Figure(figsize=(width, rows * panel_size[1] + 0.6), layout="constrained")
    if legends == "right":
        grid = figure.add_gridspec(rows, columns + 1, width_ratios=[1] * columns + [legend_width])
    else:
        grid = figure.add_gridspec(2, columns, height_ratios=[1, legend_width])
    axes = [figure.add_subplot(grid[i // columns, i % columns]) for i in range(len(painters))]
    for one, paint in zip(axes, painters):
        paint(one)
    if legends == "right":
        for row in range(rows):
            add_legend(figure.add_subplot(grid[row, columns]), axes[row * columns : (row + 1) * columns], "center left")
    else:
        for column in range(columns):
            add_legend(figure.add_subplot(grid[1, column]), axes[column : column + 1], "upper center")
    figure.suptitle(title, fontsize=11)
    figure.supxlabel("\n".join(textwrap.wrap(caption, int(width * 17))), x=0.01, ha="left", fontsize=7, color="0.3")
    return figure


def add_legend(axes, shown, place):
    """Every label once, in the empty axes beside what it explains."""
    handles = {}
    for one in shown:
        for handle, label in zip(*one.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    axes.axis("off")
    if handles:
        axes.legend(handles.values(), handles.keys(), loc=place, fontsize=8, frameon=False, borderaxespad=0)


def compact(svg):
    """Matplotlib's SVG without what no viewer needs: comments, names and levels of groups, more than two decimals, line breaks in paths."""
    svg = re.sub(r"\s*<!--.*?-->", "", svg, flags=re.S)
    svg = re.sub(r"(<g) id=\"[^\"]*\"", r"\1", svg)
    svg = re.sub(r" (?:d|x|y|transform|viewBox|points)=\"[^\"]*\"", short, svg)
    inner = re.compile(r"<g>\s*((?:(?!</?g\b).)*?)\s*</g>", re.S)
    while inner.search(svg):
        svg = inner.sub(r"\1", svg)
    return re.sub(r"\n\s+", "\n", svg)


def short(attribute):
    """One line, and two decimals a number."""
    line = " " + " ".join(attribute.group().split())
    return re.sub(r"-?\d+\.\d+", lambda number: f"{float(number.group()):.2f}".rstrip("0").rstrip("."), line)


def save(lab, name, figure):
    """An SVG file, whose words are text and not outlines of letters."""
    path = lab.out / f"{name}.svg"
    drawn = io.StringIO()
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans", "sans-serif"]}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    path.write_text(compact(drawn.getvalue()))
    if lab.png:
        figure.savefig(path.with_suffix(".png"), dpi=110)
    print(f"picture: {path}")


def curves_of(panel, labels=None):
    return lambda axes: draw_curves(axes, panel, labels or [curve.label for curve in panel.curves])


def bars_of(*arguments, **options):
    return lambda axes: draw_bars(axes, *arguments, **options)


def curves_picture(lab, name, title, caption, panels, columns, legend_width=0.62, panel_size=(3.4, 3.0)):
    painters = []
    for first in range(0, len(panels), columns):
        row = panels[first : first + columns]
        labels = list(dict.fromkeys(curve.label for panel in row for curve in panel.curves))
        painters += [curves_of(panel, labels) for panel in row]
    save(lab, name, figure_of(title, caption, columns, painters, legend_width, panel_size, "right"))


def mixed_picture(lab, name, title, caption, painters, legend_width=0.55, panel_size=(4.0, 5.2)):
    """Panels side by side, each with a legend below it."""
    save(lab, name, figure_of(title, caption, len(painters), painters, legend_width, panel_size, "below"))


def bars_picture(lab, name, title, caption, panels, legend_width=0.25, panel_size=(4.0, 4.0), turned=False):
    """panels: (title, ylabel, bars, scale)."""
    painters = [bars_of(one, label, bars, scale, turned) for one, label, bars, scale in panels]
    mixed_picture(lab, name, title, caption, painters, legend_width, panel_size)
