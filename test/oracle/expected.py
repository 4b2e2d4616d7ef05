"""The contents that a case's C buffer must have after the call, by the oracle."""

import numpy as np

import complex as complex_types
import exceptions
import factorization_cases
import factorizations
import inverse_cases
import inverses
import level2_cases
import level3
import modes
import multiword
import orthogonal
import orthogonal_cases
import solve
from dyadic import BINARY32, BINARY64
from values import COMPLEX, COMPONENT, DTYPE, words

FORMATS = {"d": BINARY64, "s": BINARY32}


def batch_of(mode, fmt, case, a, b, c, field):
    """modes.gemm of every matrix; T* is the largest, where all have one: else cr's bits are reported too."""
    values, all_facts = zip(*(modes.gemm(mode, fmt, case.alpha, *one[:2], case.beta, one[2], field=field)
                              for one in zip(a, b, c)))
    call_bits = [f.call_bits for f in all_facts]
    facts = modes.Facts(max(call_bits) if all(call_bits) else 0, sum(f.rejected for f in all_facts),
                        all(f.all_accepted for f in all_facts))
    if all_facts[0].within:
        facts.within = [tuple(list(part) for part in zip(*one)) for one in zip(*(f.within for f in all_facts))]
    return None if values[0] is None else values, facts


def expected_bits(case):
    """(bit patterns of the whole buffer of C after the call, or multiword.Within; Facts)."""
    exceptions.raised.clear()
    bits, facts = defined(case)
    if not isinstance(bits, multiword.Within):
        facts.exceptions = frozenset(exceptions.raised)
    return bits, facts


def defined(case):
    """expected_bits without the exceptions, which the definitions raise."""
    fmt = FORMATS[COMPONENT[case.prefix]]
    field = complex_types.FIELD if case.prefix in COMPLEX else modes.REAL
    mode = modes.parse_mode(case.mode)
    with np.errstate(all="ignore"):  # signalling NaNs
        a, b, c = (x.astype(wide(case)) for x in (case.a, case.b, case.c))
    if case.routine in factorizations.ROUTINES:
        return factorization_cases.expected(case, fmt), modes.Facts()
    if case.routine in inverses.ROUTINES:
        return inverse_cases.expected(case, fmt), modes.Facts()
    if case.routine in orthogonal.ROUTINES:
        return orthogonal_cases.expected(case, fmt), modes.Facts()
    if case.routine == "gemm":
        values, facts = modes.gemm(mode, fmt, case.alpha, a, b, case.beta, c, field=field)
    elif case.routine in ("trsm", "trsv"):
        values, facts = solve.solve(mode, fmt, case, a, b, c, field), modes.Facts()
    elif case.routine in level2_cases.MIXED:
        values, facts = [mixed_dot(fmt, case.alpha, a, b)], modes.Facts()
    elif case.routine in level2_cases.ROUTINES:
        kept = modes.Mode("cr") if case.routine in level2_cases.UPDATES else mode
        values, facts = level3.product(kept, fmt, case.alpha, a, b, case.beta, c, case.description, field, "gemv")
    elif case.description is not None:
        values, facts = level3.product(mode, fmt, case.alpha, a, b, case.beta, c, case.description, field)
    elif case.routine == "gemm_batched":
        values, facts = batch_of(mode, fmt, case, a, b, c, field)
    elif case.routine == "gemv":
        values, facts = modes.gemv(mode, fmt, case.alpha, a, b[:, 0], case.beta, c[:, 0], field)
    elif case.routine in ("dot", "dotu", "dotc"):
        values, facts = modes.dot(mode, fmt, np.conj(a[0]) if case.routine == "dotc" else a[0], b[:, 0], field)
    else:
        norm = complex_types.norm if case.prefix in COMPLEX else modes.norm
        values, facts = norm(case.routine, mode, fmt, a[0]), modes.Facts()
    if mode.kind in multiword.WORDS:
        whole = [(values, [0] * case.where.size if values is not None else [])]  # without a product
        ranges = [(buffer_of(case, values, fmt), dict(zip(case.where.ravel().tolist(), flattened(tolerances))))
                  for values, tolerances in facts.within or whole]
        return multiword.Within(ranges, fmt), facts
    return buffer_of(case, values, fmt), facts


def mixed_dot(fmt, addend, x, y):
    """RN(addend + the exact sum of products)."""
    if x.size == 0:
        return float(addend)
    sums, _ = modes.inner_products(modes.Mode("cr"), fmt, x, y, "gemv")
    return modes.finish(modes.terms_of([(1.0, 0, sums)], 0, 0) + [(1.0, float(addend))], fmt)


def wide(case):
    """The type of the definitions' operands."""
    return np.result_type(DTYPE[case.prefix], np.float64)


def flattened(nested):
    return [x for part in nested for x in flattened(part)] if isinstance(nested, (list, tuple)) else [nested]


def buffer_of(case, values, fmt):
    """The bits of C's buffer with these values; None leaves C alone."""
    bits = words(case.buffers[2]).copy()
    if values is not None:
        norm = case.routine in ("nrm2", "asum")
        result = np.array(values, dtype=np.float64 if norm else wide(case)).reshape(case.where.shape)
        with np.errstate(all="ignore"):
            result = words(result.astype(DTYPE[COMPONENT[case.prefix] if norm else case.prefix]))
        result[np.isnan(result.view(fmt.dtype))] = fmt.nan_bits
        bits[case.where] = result
    return bits.reshape(-1)
