"""The statements of a comparison about a pair of matrices, and the mode that it recommends for each purpose."""

from dataclasses import dataclass
from typing import Callable

import numpy as np

LOST = 2.0**10  # units of roundoff: an entry that far off has lost three digits to the sums
FEW = 1e-3  # where a few digits suffice
NOISE = 1.1  # ratio of times that count as equal


def line_spans(matrix):
    """For every row the exponents (least, largest) of its finite nonzero entries, None where it has none: 2^e <= abs(x)."""
    result = []
    for row in matrix:
        numbers = row[np.isfinite(row) & (row != 0)]
        exponents = np.frexp(numbers)[1] - 1
        result.append((int(exponents.min()), int(exponents.max())) if numbers.size else None)
    return result


def judged(value, scale):
    """Where an error says something: the exact result is a number and not zero by its terms. scale: abs(A) abs(B)."""
    return np.isfinite(value) & (scale > 0)


# The engines whose bounds hold only while nothing over- or underflows on the way, and how many bits below an entry their words reach.
CONDITIONAL = {"native": 0, "multiword": 24}


def out_of_range(a, b, scale, depth):
    """Which of ("overflow", "underflow") products, partial sums and words can meet on the way: a sum where abs(A) abs(B) comes
    within a factor of 2 of the largest number; a product of two numbers, exactly."""
    limits = np.finfo(a.dtype)
    finite = np.isfinite(a).all(axis=1)[:, None] & np.isfinite(b).all(axis=0)
    over = bool((scale[finite] > limits.max / 2).any())
    least = lambda x, axis: np.min(np.abs(x), axis=axis, where=np.isfinite(x) & (x != 0), initial=np.inf).astype(np.float64)
    rows, columns = least(a, 0), least(b, 1)
    with np.errstate(all="ignore"):
        under = (rows * columns * 2.0 ** (-2 * depth) < float(limits.tiny)).any()
        words = (np.append(rows, columns) * 2.0**-depth < float(limits.tiny)).any()
    return ("overflow",) * over + ("underflow",) * bool(under or (depth > 0 and words))


def promised_errors(report, value, scale):
    """The bound that a call reported, at its worst entry: relative to the exact result, underflow aside, and in units of
    u (abs(A) abs(B)). value: the exact result; scale: abs(A) abs(B). None where no entry is judged."""
    if np.isinf([report.bound_relative, report.bound_componentwise, report.bound_absolute]).any():
        return float("inf"), float("inf")
    u = np.finfo(value.dtype).eps / 2
    counted = judged(value, scale)
    if not counted.any():
        return None, None
    exact, magnitude = np.abs(value.astype(np.float64))[counted], scale.astype(np.float64)[counted]
    normal = float(np.finfo(value.dtype).tiny)
    with np.errstate(all="ignore"):
        other = report.bound_absolute + (report.bound_componentwise * magnitude if report.bound_componentwise else 0.0)
        relative = report.bound_relative + np.where((exact < normal) & (other < normal), 0.0, other / exact)
        scaled = report.bound_componentwise / u + (report.bound_relative * exact + report.bound_absolute) / (u * magnitude)
    return float(relative.max()), float(scaled.max())


def rounded_once(report, dtype):
    """Whether a call whose bits are defined reported that its result is the exact one, rounded."""
    return report.bound_componentwise == 0 and report.bound_relative <= np.finfo(dtype).eps / 2


def cancelling_share(value, scale):
    """The share of entries whose sums cancel by more than LOST: abs(A) abs(B) > LOST abs(A B)."""
    counted = judged(value, scale)
    cancelling = scale.astype(np.float64)[counted] / LOST > np.abs(value.astype(np.float64))[counted]
    return float(cancelling.mean()) if counted.any() else 0.0


@dataclass(frozen=True)
class Census:
    """Entries of the exact result: all, those judged(), NaNs, infinities."""

    entries: int
    judged: int
    nans: int
    infinities: int


def census(value, scale):
    return Census(value.size, int(judged(value, scale).sum()), int(np.isnan(value).sum()), int(np.isinf(value).sum()))


@dataclass(frozen=True)
class Facts:
    """u: unit roundoff; k: terms of a sum, of complex products four more for alpha and beta; cancelling: cancelling_share; special:
    whether A or B has an infinity or a NaN; out_of_range: that of plain products and sums; result: its census()."""

    u: float
    k: int
    cancelling: float
    special: bool
    out_of_range: tuple
    result: Census


@dataclass(frozen=True)
class Need:
    """Whom a recommendation is for: the fastest mode that meets it is theirs. A row is one mode's results: see compare()."""

    name: str
    who: str
    met: Callable  # of a row and the facts
    why: str


# The rules: who needs what. Bounds are those of the calls themselves, on these matrices.
NEEDS = (
    Need("few", "A few digits suffice: speed above all", lambda row, facts: row["scaled"] * facts.u <= FEW,
         "the fastest whose error here stayed below 0.001 |A||B|; measured, not promised"),
    Need("usual", "The accuracy of a usual BLAS", lambda row, facts: row["promised_scaled"] <= facts.k + 3.5,
         "the fastest within the usual bound, (k + 3) u |A||B|, of complex matrices (2 k + 7) u |A||B|"),
    Need("bits", "The same bits on every machine, in every run",
         lambda row, facts: row["bits_defined"] and row["promised_scaled"] <= facts.k + 3.5,
         "the fastest whose bits are defined and that promises the usual bound"),
    Need("digits", "Every digit of every entry", lambda row, facts: row["promised"] <= 2 * facts.u,
         "the fastest that promises each entry of this product within two units of roundoff"),
    Need("unique", "A reference: the exact result, rounded once", lambda row, facts: row["bits_defined"] and row["rounded_once"],
         "the fastest that promises correct rounding"),
)
UNPROMISED = "kept by any BLAS while no product or partial sum over- or underflows (none does here), and promised no further"


def reason_for(need, row):
    """Why a row meets a need."""
    return f"{need.why}, {UNPROMISED}" if row["engine"] in CONDITIONAL and need.name == "usual" else need.why


@dataclass(frozen=True)
class Case:
    """When a need comes first: of the yardstick's row and the facts. The reason may use worst and cancelling (recommend())."""

    holds: Callable
    need: str
    reason: str


# The recommendation at the top is of the first case that holds; the last one always does.
CASES = (
    Case(lambda native, facts: facts.special, "bits",
         "The matrices hold infinities or NaNs, which a usual BLAS treats as its loops happen to meet them; with defined bits they "
         "come out the same everywhere."),
    Case(lambda native, facts: facts.out_of_range and native["max"] <= LOST * facts.u, "usual",
         "Products or partial sums meet {range} here, where a usual BLAS keeps no bound. It came out right on these matrices (its "
         "worst entry is off by {worst}); on others of their kind it may not."),
    Case(lambda native, facts: facts.out_of_range, "digits",
         "Products or partial sums meet {range} here, where a usual BLAS keeps no bound: it gets the worst entry wrong by {worst}. "
         "Scale the matrices, or use a mode whose promise does not end there."),
    Case(lambda native, facts: native["max"] <= LOST * facts.u, "usual",
         "The usual BLAS loses at most three digits here: its worst entry is off by {worst}."),
    Case(lambda native, facts: facts.cancelling == 0, "digits",
         "No sum cancels by more than a factor of 1024, but rounding errors add up: the usual BLAS gets the worst entry wrong by "
         "{worst}. If that is enough for you, stay with it."),
    Case(lambda native, facts: facts.cancelling <= 0.1, "digits",
         "A few sums cancel ({cancelling} of the entries by more than a factor of 1024), and the usual BLAS gets the worst of them "
         "wrong by {worst}. If only entries that are large beside |A||B| matter to you, the usual accuracy is enough."),
    Case(lambda native, facts: True, "digits",
         "Many sums cancel ({cancelling} of the entries by more than a factor of 1024), and the usual BLAS gets the worst of them "
         "wrong by {worst}."),
)
STAY = "Accuracy is no reason to leave it; if runs must agree bit for bit, see the table."


def fastest_place(row):
    return min(row["times"], key=row["times"].get)


def fastest_time(row):
    return min(row["times"].values())


def best(need, rows, facts):
    """The fastest row that meets a need, or None; of those as fast but for NOISE the first. The yardstick, which is the first
    row, makes room only for one whose slowest timed run beat its fastest by more than NOISE."""
    fit = [row for row in rows if need.met(row, facts)]
    if fit and fit[0] is rows[0]:
        fit = [row for row in fit if row is rows[0] or NOISE * row["slowest"][fastest_place(row)] < fastest_time(rows[0])]
        fit = fit[1:] or fit
    least = min(map(fastest_time, fit), default=0.0)
    return next((row for row in fit if fastest_time(row) <= NOISE * least), None)


def percent(share):
    if share == 0:
        return "none"
    return "less than 0.1 %" if share < 0.001 else f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def relative_error(error):
    return "nothing" if error == 0 else f"{'more than the whole' if error > 1 else f'{error:.1e}'} of its value"


def no_numbers(facts):
    """Why these matrices cannot tell one mode from another: no entry of the result is judged(). None where one is."""
    result = facts.result
    if result.judged:
        return None
    zeros = result.entries - result.nans - result.infinities
    kinds = [(result.nans, "NaN"), (result.infinities, "infinite" if facts.special else "beyond the largest number"),
             (zeros, "zero, or so small that it rounds to zero" if "underflow" in facts.out_of_range else "zero")]
    what = [f"is {name}" if count == result.entries else f"is {name} in {count} of {result.entries} entries"
            for count, name in kinds if count]
    scaling = " Scale the matrices: no mode has numbers of that size." if facts.out_of_range and not facts.special else ""
    return f"The exact result {' and '.join(what)}, whatever the mode: errors say nothing here.{scaling}"


def not_judged(facts):
    """A sentence about the entries of the result that are no numbers; empty if there are none."""
    result = facts.result
    kinds = [(result.nans, "NaN"), (result.infinities, "infinite" if facts.special else "beyond the largest number")]
    what = " and ".join(f"{count} are {name}" for count, name in kinds if count)
    return f" Of the {result.entries} entries of the exact result {what}: what is said of accuracy is of the others." if what else ""


def recommend(rows, facts):
    """(row or None, need, reason): the first case of CASES for the yardstick, which is the first row. Some entry is judged()."""
    case = next(case for case in CASES if case.holds(rows[0], facts))
    need = next(need for need in NEEDS if need.name == case.need)
    row = best(need, rows, facts)
    reason = case.reason.format(worst=relative_error(rows[0]["max"]), cancelling=percent(facts.cancelling),
                                range=" and ".join(facts.out_of_range))
    return row, need, reason + (f" {STAY}" if row is rows[0] else "") + not_judged(facts)
