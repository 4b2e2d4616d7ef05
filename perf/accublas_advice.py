"""What a comparison says about a pair of matrices, and which mode it recommends to whom."""

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


def promised_errors(report, value, scale):
    """The bound that a call reported, at its worst entry: relative to the exact result, underflow aside, and in units of
    u (abs(A) abs(B)). value: the exact result; scale: abs(A) abs(B)."""
    if np.isinf([report.bound_relative, report.bound_componentwise, report.bound_absolute]).any():
        return float("inf"), float("inf")
    u = np.finfo(value.dtype).eps / 2
    exact, magnitude = np.abs(value.astype(np.float64)), scale.astype(np.float64)
    counted = np.isfinite(exact) & np.isfinite(magnitude) & (magnitude > 0)
    if not counted.any():
        return 0.0, 0.0
    exact, magnitude = exact[counted], magnitude[counted]
    normal = float(np.finfo(value.dtype).tiny)
    with np.errstate(all="ignore"):
        other = report.bound_componentwise * magnitude + report.bound_absolute
        relative = report.bound_relative + np.where((exact < normal) & (other < normal), 0.0, other / exact)
        scaled = (report.bound_relative * exact + other) / (u * magnitude)
    return float(relative.max()), float(scaled.max())


def cancelling_share(value, scale):
    """The share of entries whose sums cancel by more than LOST: abs(A) abs(B) > LOST abs(A B)."""
    exact, magnitude = np.abs(value.astype(np.float64)), scale.astype(np.float64)
    counted = np.isfinite(exact) & np.isfinite(magnitude) & (magnitude > 0)
    return float((magnitude > LOST * exact)[counted].mean()) if counted.any() else 0.0


@dataclass(frozen=True)
class Facts:
    """u: unit roundoff; k: terms of a sum; cancelling: cancelling_share; special: whether A or B has an infinity or a NaN."""

    u: float
    k: int
    cancelling: float
    special: bool


@dataclass(frozen=True)
class Need:
    """Whom a recommendation is for: the fastest mode that meets it is theirs. A row is one mode's results: see compare()."""

    name: str
    who: str
    met: Callable  # of a row and the facts
    why: str


# The rules: who needs what. Promises are those of the calls themselves, on these matrices.
NEEDS = (
    Need("few", "A few digits suffice: speed above all", lambda row, facts: row["scaled"] * facts.u <= FEW,
         "the fastest whose error here stayed below 0.001 |A||B|; measured, not promised"),
    Need("usual", "The accuracy of a usual BLAS", lambda row, facts: row["promised_scaled"] <= facts.k + 3.5,
         "the fastest that promises the usual bound, (k + 3) u |A||B|"),
    Need("bits", "The same bits on every machine, in every run",
         lambda row, facts: row["bits_defined"] and row["promised_scaled"] <= facts.k + 3.5,
         "the fastest whose bits are defined and that promises the usual bound"),
    Need("digits", "Every digit of every entry", lambda row, facts: row["promised"] <= 2 * facts.u,
         "the fastest that promises each entry of this product within two units of roundoff"),
    Need("unique", "A reference: the exact result, rounded once",
         lambda row, facts: row["bits_defined"] and row["promised"] <= facts.u,
         "the fastest that promises correct rounding"),
)


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
    Case(lambda native, facts: native["max"] <= LOST * facts.u, "usual",
         "The usual BLAS loses at most three digits here: its worst entry is off by {worst} of its value. Accuracy is no "
         "reason to leave it; if runs must agree bit for bit, see the table."),
    Case(lambda native, facts: facts.cancelling == 0, "digits",
         "No sum cancels by more than a factor of 1024, but rounding errors add up: the usual BLAS gets the worst entry wrong by "
         "{worst} of its value. If that is enough for you, stay with it."),
    Case(lambda native, facts: facts.cancelling <= 0.1, "digits",
         "A few sums cancel ({cancelling} of the entries by more than a factor of 1024), and the usual BLAS gets the worst of them "
         "wrong by {worst} of its value. If only entries that are large beside |A||B| matter to you, the usual accuracy is enough."),
    Case(lambda native, facts: True, "digits",
         "Many sums cancel ({cancelling} of the entries by more than a factor of 1024), and the usual BLAS gets the worst of them "
         "wrong by {worst} of its value."),
)


def fastest_time(row):
    return min(row["times"].values())


def best(need, rows, facts):
    """The fastest row that meets a need, or None; of those as fast but for NOISE the first, so that the yardstick stays."""
    fit = [row for row in rows if need.met(row, facts)]
    least = min(map(fastest_time, fit), default=0.0)
    return next((row for row in fit if fastest_time(row) <= NOISE * least), None)


def percent(share):
    if share == 0:
        return "none"
    return "less than 0.1 %" if share < 0.001 else f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def relative_error(error):
    return "more than the whole" if error > 1 else f"{error:.1e}"


def recommend(rows, facts):
    """(row or None, need, reason): the first case of CASES for the yardstick, which is the first row."""
    case = next(case for case in CASES if case.holds(rows[0], facts))
    need = next(need for need in NEEDS if need.name == case.need)
    reason = case.reason.format(worst=relative_error(rows[0]["max"]), cancelling=percent(facts.cancelling))
    return best(need, rows, facts), need, reason
