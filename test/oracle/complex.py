"""Complex types: each component of a complex inner product is a real one of twice the length (docs/modes.md).

    Re sum a b = sum ar br + ai (-bi)        Im sum a b = sum ar bi + ai br

So a row of A is the real row ar_0, ai_0, ar_1, ..., and a column of B two real columns, br_0, -bi_0, br_1, ... and
bi_0, br_0, bi_1, ... What modes.py says of real lines is said of these.
"""

import numpy as np

import modes


def interleaved(lines):
    """Rows of complex numbers as rows of twice as many real ones."""
    return np.stack([lines.real, lines.imag], axis=-1).reshape(lines.shape[0], 2 * lines.shape[1])


def real_columns(b):
    """The columns for the real parts, then those for the imaginary parts."""
    real = np.stack([b.real, -b.imag], axis=1)
    imaginary = np.stack([b.imag, b.real], axis=1)
    return np.concatenate([x.reshape(2 * b.shape[0], b.shape[1]) for x in (real, imaginary)], axis=1)


def expand(factor, value):
    """Returns the terms of the real part and of the imaginary part of factor times value."""
    re, im = float(factor.real), float(factor.imag)
    return [[(re, value[0]), (-im, value[1])], [(re, value[1]), (im, value[0])]]


FIELD = modes.Field(2, interleaved, real_columns, expand, lambda x: (float(x.real), float(x.imag)),
                    lambda parts: complex(*parts))


def gemm(mode, fmt, alpha, a, b, beta, c):
    """modes.gemm for arrays of complex128 and complex alpha, beta; conjugation has been applied with op()."""
    return modes.gemm(mode, fmt, alpha, a, b, beta, c, field=FIELD)


def gemv(mode, fmt, alpha, a, x, beta, y):
    return modes.gemv(mode, fmt, alpha, a, x, beta, y, field=FIELD)


def dotu(mode, fmt, x, y):
    return modes.dot(mode, fmt, x, y, field=FIELD)


def dotc(mode, fmt, x, y):
    return modes.dot(mode, fmt, np.conj(x), y, field=FIELD)


def norm(routine, mode, fmt, x):
    """nrm2 or asum: those of the real vector of twice the length."""
    return modes.norm(routine, mode, fmt, interleaved(x.reshape(1, -1))[0])
