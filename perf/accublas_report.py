"""The page of accublas-compare --report: one HTML file about a user's own matrices that refers to nothing outside itself."""

from html import escape

import accublas_advice
import accublas_svg

# The colours of both themes; the rest of the style has none of its own.
THEMES = {
    "light": {"ground": "#ffffff", "plate": "#f3f5f8", "ink": "#1a1f26", "quiet": "#515b66", "rule": "#c9d0d8",
              "first": "#0b5cad", "second": "#a33c00"},
    "dark": {"ground": "#12161b", "plate": "#1c2229", "ink": "#e8ebee", "quiet": "#aab4be", "rule": "#3c4650",
             "first": "#6db5ff", "second": "#ffab5e"},
}
STYLE = """
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
p,figcaption,li{overflow-wrap:anywhere}
.quiet,figcaption,caption{color:var(--quiet);font-size:.9rem}
code{font-family:ui-monospace,monospace;font-size:.95em}
.advice{background:var(--plate);border-left:.3rem solid var(--first);padding:.75rem 1rem;margin:1rem 0}
.advice p{margin:.25rem 0}
.advice .word{font-size:1.35rem;font-weight:600}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:1rem}
figure{margin:0;min-width:0;max-width:29.5rem}
svg{display:block;width:100%;height:auto}
svg text{font:13px system-ui,sans-serif;fill:var(--ink)}
svg .tick{font-size:12px;fill:var(--quiet)}
svg .power{font-size:10px}
svg .grid{stroke:var(--rule);stroke-width:1}
svg .reach{stroke:var(--quiet);stroke-width:2}
svg .band{fill:var(--plate)}
svg .first,svg .bar{fill:var(--first)}
svg .second{fill:var(--ground);stroke:var(--second);stroke-width:2}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}
caption{text-align:left;padding-bottom:.3rem}
th,td{text-align:right;padding:.3rem .6rem;border-bottom:1px solid var(--rule);vertical-align:top}
th:first-child,.needs th,.needs td{text-align:left}
.numbers th,.numbers td{white-space:nowrap}
.numbers thead th{white-space:normal;vertical-align:bottom}
@media (max-width:36rem){.needs thead{display:none}.needs tr{display:block;border-bottom:1px solid var(--rule);padding:.4rem 0}
.needs th,.needs td{display:block;border:0;padding:.1rem 0;text-align:left}}
@media print{html{font-size:10pt}body{max-width:none;padding:0}.scroll{overflow:visible}.numbers{font-size:7.5pt}
.numbers th,.numbers td{padding:.15rem .25rem}figure,tr,table,.advice{break-inside:avoid}h2{break-after:avoid}
.figures{grid-template-columns:1fr 1fr;break-before:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""


def style():
    """Dark is for screens only: paper is white."""
    variables = {theme: "".join(f"--{name}:{value};" for name, value in colours.items()) for theme, colours in THEMES.items()}
    return (f":root{{color-scheme:light;{variables['light']}}}\n"
            f"@media screen and (prefers-color-scheme:dark){{:root{{color-scheme:dark;{variables['dark']}}}}}{STYLE}")


def number(value, form=".2e"):
    return "-" if value is None else "∞" if value == float("inf") else "0" if value == 0 else format(value, form)


def milliseconds(time):
    return "-" if time is None else f"{time:.0f}" if time >= 100 else f"{time:.3g}"


def mode_code(word):
    return f"<code>{escape(word)}</code>"


def advice(rows, facts, notes):
    """The recommendation, and below it the table of needs where the matrices have something to say on it."""
    table = ""
    if reason := accublas_advice.no_numbers(facts):
        word, why = "These matrices recommend no mode", "See the times, and choose by what the modes promise."
    else:
        row, need, reason = accublas_advice.recommend(rows, facts)
        table = needs_table(rows, facts)
        if row is None:
            word, why = "None of the modes tried is enough", f"None of the modes tried meets this need: {need.who.lower()}."
        else:
            word = f"Use {mode_code(row['mode'])}"
            why = f"It is {accublas_advice.reason_for(need, row)}: {time_text(row, rows[0])}."
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in (*notes, reason, why))
    return f'<div class="advice"><p class="word">{word}</p>{paragraphs}</div>{table}'


def time_text(row, yardstick):
    place, time = min(row["times"].items(), key=lambda item: item[1])
    ratio = time / accublas_advice.fastest_time(yardstick)
    times = "" if row is yardstick else f", {number(ratio, '.2g' if ratio < 100 else '.0f')} times {yardstick['mode']}'s time"
    return f"{milliseconds(time)} ms on the {place}{times}"


def needs_table(rows, facts):
    lines = []
    for need in accublas_advice.NEEDS:
        row = accublas_advice.best(need, rows, facts)
        mode = mode_code(row["mode"]) if row else "none of those tried"
        why = f"{accublas_advice.reason_for(need, row)}; {time_text(row, rows[0])}" if row else f"it would be {need.why}"
        lines.append(f'<tr><th scope="row">{escape(need.who)}</th><td>{mode}</td>'
                     f'<td>{escape(why)}</td></tr>')
    noise = f"{100 * (accublas_advice.NOISE - 1):.0f} %"
    return ('<table class="needs"><caption>The fastest of the modes tried that meets each need, on these matrices and this '
            f'machine; times within {noise} of each other count as equal</caption>'
            f'<thead><tr>{column_heads(["You need", "Mode", "Why"])}</tr></thead><tbody>{"".join(lines)}</tbody></table>')


def column_heads(names):
    return "".join(f'<th scope="col">{escape(name)}</th>' for name in names)


def numbers_table(rows, places):
    heads = ["Mode", "Engine", *[f"Time, {place} (ms)" for place in places], "Largest relative error", "Median relative error",
             "Error / u|A||B|, measured", "Error / u|A||B|, promised", "Same bits everywhere", "Checksum of the bits"]
    lines = []
    for row in rows:
        cells = [row["engine"], *[milliseconds(row["times"].get(place)) for place in places], number(row["max"]),
                 number(row["median"]), number(row["scaled"]), number(row["promised_scaled"]),
                 "yes" if row["bits_defined"] else "no", row["checksum"]]
        lines.append(f'<tr><th scope="row">{mode_code(row["mode"])}</th>{"".join(f"<td>{escape(c)}</td>" for c in cells)}</tr>')
    return ('<p class="quiet">A promise of ∞ is none. That of OpenBLAS and cuBLAS (engine native) and of the engine multiword holds only '
            'while nothing over- or underflows on the way: where something can, it is ∞ here. u is the unit roundoff, |A||B| the '
            'product of the magnitudes.</p>'
            '<div class="scroll" tabindex="0" role="region" aria-label="All numbers, a table that scrolls sideways">'
            '<table class="numbers"><caption>Errors, times and bits of each mode</caption>'
            f'<thead><tr>{column_heads(heads)}</tr></thead>'
            f'<tbody>{"".join(lines)}</tbody></table></div>')


def figure(svg, caption):
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def span_figure(name, matrix, lines, spans):
    """lines: "row" or "column"."""
    known = [high - low for low, high in filter(None, spans)]
    empty = len(spans) - len(known)
    caption = f"{matrix}: the entries of a {lines} span up to {max(known, default=0)} bits"
    caption += f", those of half the {lines}s at most {sorted(known)[(len(known) - 1) // 2]}." if len(known) > 1 else "."
    if not known:
        caption = f"{matrix} holds no finite nonzero entry."
    elif empty:
        caption += f" {empty} of {len(spans)} {lines}s hold no finite nonzero entry."
    bars = f"A bar reaches from a {lines}'s least to its largest exponent"
    group = accublas_svg.group_size(len(spans))
    if group > 1:
        bars += f"; each is the widest of {group} {lines}s"
    title = f"Exponents in the {lines}s of {matrix}"
    return figure(accublas_svg.spans(name, title, caption, spans, f"{lines} of {matrix}"), f"{caption} {bars}.")


def error_figure(name, title, rows, measured, promised, unit, caption):
    said = "; ".join(f"{r['mode']}: measured {number(r[measured])}, promised {number(r[promised])}" for r in rows)
    series = [("measured", "first", [r[measured] for r in rows]), ("promised at most", "second", [r[promised] for r in rows])]
    return figure(accublas_svg.dots(name, title, said, [r["mode"] for r in rows], series, unit), caption)


def time_figure(rows, places):
    times = lambda row: ", ".join(f"{milliseconds(row['times'].get(place))} ms on the {place}" for place in places)
    said = "; ".join(f"{row['mode']}: {times(row)}" for row in rows)
    series = [(place, kind, [r["times"].get(place) for r in rows]) for place, kind in zip(places, accublas_svg.MARKS)]
    caption = "The fastest of the timed runs of each mode."
    if len(places) > 1:
        caption += " Times on the GPU include the transfer of the matrices."
    return figure(accublas_svg.dots("time", "Time of each mode", said, [r["mode"] for r in rows], series, "time (ms)"), caption)


def page(title, rows, facts, spans, details, notes=()):
    """rows: the yardstick first, with the fields of compare(); spans: accublas_advice.line_spans of A's rows and B's columns;
    details: [(name, text)] of the run; notes: sentences about what was read."""
    places = list(dict.fromkeys(place for row in rows for place in row["times"]))
    figures = lambda *parts: f'<div class="figures">{"".join(parts)}</div>'
    facts_list = "".join(f"<li>{escape(name)}: {escape(value)}</li>" for name, value in details)
    cancelling = accublas_advice.percent(facts.cancelling)
    parts = [
        f"<h1>{escape(title)}</h1>",
        '<h2 id="advice">Recommendation</h2>', advice(rows, facts, notes),
        '<h2 id="errors">Errors, measured and promised</h2>',
        figures(
            error_figure("relative", "Largest relative error of each mode", rows, "max", "promised", "error / |exact entry|",
                         "At the worst entry, relative to its exact value. ∞: an entry that should be 0 and is not, or may not be; "
                         "or no promise."),
            error_figure("scaled", "Largest error of each mode over u|A||B|", rows, "scaled", "promised_scaled", "error / u|A||B|",
                         "At the worst entry, in units of roundoff of the sum's magnitudes: what a usual BLAS is good for. "
                         "∞ promised: nothing is.")),
        '<h2 id="times">Time</h2>', figures(time_figure(rows, places)),
        '<h2 id="matrices">The matrices</h2>',
        f'<p>Entries whose sums cancel by more than a factor of 1024: {escape(cancelling)}. Wide lines and cancelling sums are what '
        'costs the usual BLAS its digits, <code>fixed:T</code> its accuracy, and the others time.</p>',
        figures(span_figure("rows", "A", "row", spans[0]), span_figure("columns", "B", "column", spans[1])),
        '<h2 id="numbers">All numbers</h2>', numbers_table(rows, places),
        f'<h2 id="run">This run</h2><ul class="quiet">{facts_list}</ul>',
    ]
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            f"<title>{escape(title)}</title>\n<style>{style()}</style></head>\n<body><main>\n" + "\n".join(parts) +
            "\n</main></body></html>\n")
