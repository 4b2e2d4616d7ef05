"""The pictures of accublas-compare's page: SVG text without colours of its own, so that the page's themes apply.

Every picture is named by its title and told in words by its description, and shapes, not colours alone, tell its series apart.
"""

import math
from html import escape

WIDTH = 380  # of every picture, in its own units: letters of 13 units are legible on a phone's 330 pixels
ROW = 26
MOST_BARS = 120
LONGEST = 16  # letters of a mode word; longer ones are cut
MARKS = {  # by class: a shape of about 10 units around a point
    "first": '<circle cx="{x:.1f}" cy="{y:.1f}" r="5"/>',
    "second": '<path d="M{x:.1f} {y:.1f}m0 -8l8 8l-8 8l-8 -8z"/>',
}


def picture(name, title, description, height, parts):
    return (f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-labelledby="{name}-title {name}-text">'
            f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-text">{escape(description)}</desc>'
            f'{"".join(parts)}</svg>')


def text(x, y, content, anchor="start", kind="label"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def power(x, y, exponent):
    """A power of ten below an axis; the usual figures where they are short."""
    if -2 <= exponent <= 3:
        return text(x, y, f"{10.0 ** exponent:g}", "middle", "tick")
    return (f'<text class="tick" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">10<tspan class="power" dy="-5">'
            f'{str(exponent).replace("-", "−")}</tspan></text>')


def tick_step(span, most):
    """The least of 1, 2, 5, 10, ... that divides a span into at most `most` parts."""
    return next(s * 10**p for p in range(9) for s in (1, 2, 5) if span <= most * s * 10**p)


class LogAxis:
    """A horizontal axis of decades from `left` to `right`, with a band at each end for what has no logarithm."""

    def __init__(self, values, left, right):
        finite = [math.log10(v) for v in values if 0 < v < math.inf] or [0.0]
        self.low, self.high = math.floor(min(finite) - 0.1), math.ceil(max(finite) + 0.1)
        band = 34
        self.bands = {v: (left, left + band) if v == 0 else (right - band, right) for v in (0.0, math.inf) if v in values}
        self.left = left + (band + 16 if 0.0 in self.bands else 8)
        self.right = right - (band + 16 if math.inf in self.bands else 12)

    def place(self, value):
        if value in self.bands:
            return sum(self.bands[value]) / 2
        return self.left + (math.log10(value) - self.low) / (self.high - self.low) * (self.right - self.left)

    def draw(self, top, bottom):
        parts = []
        for value, (start, end) in self.bands.items():
            parts.append(f'<rect class="band" x="{start}" y="{top}" width="{end - start}" height="{bottom - top}"/>')
            parts.append(text((start + end) / 2, bottom + 18, "∞" if value else "0", "middle", "tick"))
        step = tick_step(self.high - self.low, max(1, int((self.right - self.left) / 44)))
        for exponent in range(-(-self.low // step) * step, self.high + 1, step):
            x = self.place(10.0 ** exponent) if -300 < exponent < 300 else None
            if x is not None:
                parts += [line("grid", x, top, x, bottom), power(x, bottom + 18, exponent)]
        return parts


def dots(name, title, description, modes, series, unit):
    """A row a mode on one logarithmic axis. series: [(name, class of MARKS, a value or None for each mode)]."""
    shown = [m if len(m) <= LONGEST else m[: LONGEST - 1] + "…" for m in modes]
    left = 16 + 7.4 * max(map(len, shown))
    top, bottom = 34, 34 + ROW * len(modes)
    axis = LogAxis([v for _, _, values in series for v in values if v is not None], left, WIDTH - 4)
    parts, x = [], 60
    for label, kind, _ in series:
        parts += [f'<g class="{kind}">{MARKS[kind].format(x=x, y=14)}</g>', text(x + 12, 18.5, label)]
        x += 40 + 7.4 * len(label)
    parts += axis.draw(top, bottom)
    for i, mode in enumerate(shown):
        y = top + ROW * (i + 0.5)
        parts.append(text(left - 8, y + 4.5, mode, "end", "label mode"))
        places = [(axis.place(values[i]), kind) for _, kind, values in series if values[i] is not None]
        if places:
            parts.append(line("reach", min(places)[0], y, max(places)[0], y))
        parts += [f'<g class="{kind}">{MARKS[kind].format(x=x, y=y)}</g>' for x, kind in reversed(places)]
    parts.append(text((left + WIDTH) / 2, bottom + 40, unit, "middle"))
    return picture(name, title, description, bottom + 50, parts)


def group_size(count):
    """Consecutive lines that share a bar, of `count` lines."""
    return -(-count // MOST_BARS)


def groups(spans):
    """[(first line, number of lines, low, high)]: each group by the widest of its lines."""
    size = group_size(len(spans))
    result = []
    for start in range(0, len(spans), size):
        group = [s for s in spans[start : start + size] if s is not None]
        if group:
            result.append((start, min(size, len(spans) - start), *max(group, key=lambda s: s[1] - s[0])))
    return result


def spans(name, title, description, lines, unit):
    """A bar a line from its least to its largest exponent; None for a line without numbers."""
    left, right, top, bottom = 56, WIDTH - 10, 12, 192
    known = [s for s in lines if s is not None] or [(0, 0)]
    low, high = min(s[0] for s in known) - 1, max(s[1] for s in known) + 2
    place = lambda e: bottom - (e - low) / (high - low) * (bottom - top)
    parts = []
    step = tick_step(high - low, 6)
    for exponent in range(-(-low // step) * step, high + 1, step):
        y = place(exponent)
        parts += [line("grid", left, y, right, y), f'<text class="tick" x="{left - 8}" y="{y + 4.5:.1f}" text-anchor="end">2'
                  f'<tspan class="power" dy="-5">{str(exponent).replace("-", "−")}</tspan></text>']
    scale = (right - left) / len(lines)
    for start, count, least, most in groups(lines):
        wide = min(0.85 * scale * count, 24)
        x = left + (start + count / 2) * scale - wide / 2
        parts.append(f'<rect class="bar" x="{x:.2f}" y="{place(most + 1):.1f}" width="{wide:.2f}" '
                     f'height="{place(least) - place(most + 1):.1f}"/>')
    parts += [text(left, bottom + 18, "1", "middle", "tick"), text((left + right) / 2, bottom + 36, unit, "middle")]
    if len(lines) > 1:
        parts.append(text(right, bottom + 18, str(len(lines)), "end", "tick"))
    return picture(name, title, description, bottom + 46, parts)
