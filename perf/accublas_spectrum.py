"""The certified eigenvalues or singular values of a matrix, as accublas-compare --spectrum prints them."""

import math

import numpy as np

from accublas_calls import COL_MAJOR, UsageError, address, leading_dimension, size

VALUES, UPPER = 151, 121
SHOWN = 3  # of either end


def certified_values(library, a):
    """The kind of numbers, these in descending order, and the bounds of their errors. Eigenvalues if A is Hermitian."""
    a = np.asfortranarray(a)
    m, n = a.shape
    hermitian = m == n and bool((a == a.conj().T).all())
    values, radii = (np.zeros(min(m, n), dtype=np.finfo(a.dtype).dtype) for _ in range(2))
    if hermitian:
        library.call("heev_certified" if a.dtype.kind == "c" else "syev_certified", a.dtype, COL_MAJOR, VALUES, UPPER, size(n), address(a),
                     leading_dimension(a), address(values), address(radii), None, size(1), None, None, None)
        return "eigenvalues", values[::-1], radii[::-1]
    library.call("gesvd_certified", a.dtype, COL_MAJOR, VALUES, size(m), size(n), address(a), leading_dimension(a), address(values), address(radii),
                 None, size(1), None, size(1), None, None, None)
    return "singular values", values, radii


def spectrum_lines(kind, values, radii):
    """Returns lines of text with the largest and the smallest numbers and their bounds."""
    count = len(values)
    shown = range(count) if count <= 2 * SHOWN else [*range(SHOWN), *range(count - SHOWN, count)]
    lines = [f"certified {kind} of A:"]
    for at, i in enumerate(shown):
        if at and i > shown[at - 1] + 1:
            lines.append(f"  ... {i - shown[at - 1] - 1} more")
        lines.append(f"  {i + 1:>6}  {values[i]: .17e}  proved within {radii[i]:.1e}")
    low, high = condition_bounds(values, radii)
    if high is None:
        lines.append("  2-norm condition number: not bounded (A may be singular)")
    else:
        lines.append(f"  2-norm condition number: from {low:.6e} to {high:.6e}")
    return lines


def condition_bounds(values, radii):
    """Bounds of the largest magnitude over the least one; (None, None) if the least one may be 0."""
    sizes, radii = np.abs(values.astype(np.float64)), radii.astype(np.float64)
    with np.errstate(over="ignore"):
        least, most = (sizes - radii).min(), (sizes + radii).max()
        if not (least > 0 and most < math.inf):
            return None, None
        # A relative change of 2^-48 exceeds the roundings of these lines.
        low, high = (sizes - radii).max() / (sizes + radii).min(), most / least
        return low * (1 - 2.0**-48), high * (1 + 2.0**-48)


def text(library, a):
    """The lines, or why nothing is certified."""
    if 0 in a.shape:
        return ["the spectrum of an empty matrix is empty"]
    try:
        return spectrum_lines(*certified_values(library, a))
    except UsageError as error:
        return [f"spectrum: {error}"]
