"""The products of level 3 beside GEMM (docs/modes.md): what is stored becomes the whole matrices that the definition
speaks of, and the elements of C that are wanted are GEMM's.

A case holds its operands as those whole matrices: `a` m x K and `b` K x n (K = 2k for SYR2K and HER2K), with zeros for
entries that are not terms.
"""

from dataclasses import dataclass

import numpy as np

import modes

REAL_ROUTINES = ("symm", "syrk", "syr2k", "trmm", "gemmt")
HERMITIAN_ROUTINES = ("hemm", "herk", "her2k")


@dataclass
class Description:
    """Properties of a case: which elements of C are wanted (m x n), which entries of a or b are terms (None: all), whether
    C is Hermitian, whether the second half of the terms has conj(alpha); for TRSM (solve.py) whether A's diagonal is 1."""

    wanted: np.ndarray
    a_terms: np.ndarray = None
    b_terms: np.ndarray = None
    hermitian: bool = False
    conjugate_half: bool = False
    unit: bool = False  # of TRSM: no pivots


def product(mode, fmt, alpha, a, b, beta, c, d, field, routine="gemm"):
    """(values of the wanted elements, row by row, or None where C is left alone; Facts). routine: whose grades they are."""
    m, k = a.shape
    n = b.shape[1]
    count = field.components
    if m == 0 or n == 0 or ((alpha == 0 or k == 0) and beta == 1):
        return None, modes.Facts()
    nothing = alpha == 0 or k == 0

    before = None if beta == 0 else c.tolist()
    # By component the terms of beta c: a factor and which component of c.
    of_c = modes.kept_terms(field.expand(beta, range(count)))
    facts = modes.Facts()
    if not nothing:
        # Each component's columns are counted element by element. A Hermitian diagonal has no imaginary part to
        # compute, but its real part needs that of the difference of the halves if alpha has one.
        real = d.hermitian and not (d.conjugate_half and alpha.imag != 0)
        counted = np.concatenate([d.wanted & ~np.logical_and(real and r == 1, np.eye(m, n, dtype=bool))
                                  for r in range(count)], axis=1)

        def terms(i, j):
            own = np.ones(k, bool)
            if d.a_terms is not None:
                own &= d.a_terms[i]
            if d.b_terms is not None:
                own &= d.b_terms[:, j % n]
            return np.repeat(own, count)

        computed = count * int(d.wanted.sum())
        sums, facts = modes.inner_products(mode, fmt, field.rows(a), field.columns(b), routine, counted, terms, computed)
        other = sums
        if d.conjugate_half:
            b = np.concatenate([b[: k // 2], -b[k // 2 :]])
            other, _ = modes.inner_products(mode, fmt, field.rows(a), field.columns(b), routine, counted, terms, computed)

        # By component the factors of the sums that it needs, where these stand beyond column j, and in which table: Re alpha
        # multiplies the whole sum, Im alpha the difference of the halves where one has conj(alpha).
        needed = [[(factor, n * part, which) for (factor, part), which in zip(terms, (sums, other)) if factor != 0]
                  for terms in field.expand(alpha, range(count))]

    def component(i, j, r, number):
        addend = [(factor, number[part]) for factor, part in of_c[r]]
        return modes.scaled(addend, fmt) if nothing else modes.finish(modes.terms_of(needed[r], i, j) + addend, fmt)

    values = []
    for i, j in np.argwhere(d.wanted).tolist():
        real = d.hermitian and i == j
        number = () if before is None else field.split(complex(before[i][j].real, 0.0) if real else before[i][j])
        values.append(field.join([0.0 if real and r == 1 else component(i, j, r, number) for r in range(count)]))
    return values, facts
