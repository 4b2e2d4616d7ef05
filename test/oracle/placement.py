"""Operands in poisoned memory: layouts, leading dimensions, increments and strides of every sign."""

import numpy as np

from values import COMPLEX, COMPONENT, DTYPE, POISON, pick, words

ROW, COL = 101, 102
NO, TRANS, CONJ = 111, 112, 113


def filled(size, prefix):
    buffer = np.empty(max(size, 1), DTYPE[prefix])
    words(buffer)[:] = POISON[prefix]
    return buffer


def conjugate(x, prefix):
    """The other sign of every imaginary part, of NaNs too."""
    x = np.array(x, order="C")
    if prefix in COMPLEX:
        words(x)[..., 1] ^= np.array(-0.0, DTYPE[COMPONENT[prefix]]).view(POISON[prefix].dtype)
    return x


def place(x, row_stride, col_stride, prefix):
    """A poisoned flat buffer with x(i, j) at offset + i row_stride + j col_stride: (buffer, offset, positions)."""
    m, n = x.shape
    positions = np.arange(m)[:, None] * row_stride + np.arange(n)[None, :] * col_stride
    offset = -min(positions.min(), 0) if x.size else 0
    positions = positions + offset
    buffer = filled(int(positions.max()) + 4 if x.size else 1, prefix)
    words(buffer)[positions] = words(x)  # as numbers signalling NaNs would become quiet
    return buffer, int(offset), positions


def place_standard(x, layout, trans, rng, prefix):
    """Stores op(A) for a given layout: (buffer, leading dimension, positions)."""
    stored = conjugate(x.T, prefix) if trans == CONJ else x.T if trans != NO else x
    rows, columns = stored.shape
    least = max(1, rows if layout == COL else columns)
    ld = least + (0 if rng.randint(2) else rng.randint(1, 5))
    strides = (1, ld) if layout == COL else (ld, 1)
    buffer, _, positions = place(stored, *strides, prefix)
    return buffer, ld, positions.T if trans != NO else positions


def vector_buffer(x, rng, prefix, output=False):
    """BLAS vector with an increment: (buffer, increment, positions of logical elements). BLAS's pointer is the buffer's start."""
    increment = int(pick(rng, (1, 1, 1, 2, 3, -1, -2, 5, -7)))
    n = x.size
    buffer = filled((n - 1) * abs(increment) + 3 if n else 1, prefix)
    positions = np.arange(n) * abs(increment)
    if increment < 0:
        positions = positions[::-1].copy()
    words(buffer)[positions] = words(x)
    return buffer, increment, positions


def duplicate_lines(x, rng):
    """For zero strides: all rows (or all columns) equal; returns the matrix and which stride becomes zero."""
    if rng.randint(2):
        return np.repeat(x[:1], x.shape[0], axis=0), "row"
    return np.repeat(x[:, :1], x.shape[1], axis=1), "col"


def general_strides(x, rng, prefix, output=False):
    """Arbitrary strides, negative included, zero for operands: (x, buffer, offset, strides, positions)."""
    m, n = x.shape
    zero = None
    if not output and x.size and rng.randint(6) == 0:
        x, zero = duplicate_lines(x, rng)
    if rng.randint(2):
        rs = rng.randint(1, 4)
        cs = rs * max(m, 1) + rng.randint(0, 3)
    else:
        cs = rng.randint(1, 4)
        rs = cs * max(n, 1) + rng.randint(0, 3)
    rs *= pick(rng, (1, 1, -1))
    cs *= pick(rng, (1, 1, -1))
    if zero == "row":
        rs = 0
    if zero == "col":
        cs = 0
    buffer, offset, positions = place(x, rs, cs, prefix)
    return x, buffer, offset, (int(rs), int(cs)), positions
