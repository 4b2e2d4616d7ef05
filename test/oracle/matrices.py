"""The named matrices of perf/matrices, by arithmetic that gives the same numbers everywhere: kernels, decay, bands, blocks, patterns.

No libm function takes part: exp and powers are decimal numbers of 40 digits, rounded once.
"""

import decimal
from pathlib import Path

import numpy as np

from values import DTYPE, spread

DATA = Path(__file__).resolve().parents[2] / "data"
DECIMAL = decimal.Context(prec=40, Emin=-999999, Emax=999999)
# Each name of perf/matrices/matrices.cpp but those of phi, of ties, and of entries near the ends of the range, which data.py has.
NAMES = ["identity", "one-hot", "permutation", "diagonal", "banded:5", "banded:2", "poisson1d", "block-diagonal", "block-diagonal:7",
         "triangular", "poisson", "gauss:0.05", "gauss:0.02", "gauss:0.3", "exp:0.1", "exp:0.01", "decay:0.9", "decay:0.1", "vandermonde",
         "hilbert", "integers:8", "sparse:0.05", "pores_1.mtx", "west0479.mtx"]


def by_distance(i, j, value):
    """The matrix whose entry (i, j) is value(abs(i - j))."""
    distance = abs(i - j)
    return np.array([value(d) for d in range(int(distance.max(initial=0)) + 1)], dtype=np.float64)[distance]


def kernel(exponent):
    """exp(exponent(d)) for distances d from 0 to 1."""

    def make(i, j, parameter):
        last = max(*i.shape, 2) - 1
        return by_distance(i, j, lambda d: float(DECIMAL.exp(exponent(DECIMAL.divide(d, last), decimal.Decimal(parameter)))))

    return make


def decay(i, j, parameter):
    return by_distance(i, j, lambda d: float(DECIMAL.power(decimal.Decimal(float(parameter)), d)))


def vandermonde(i, j, _):
    rows, columns = i.shape
    nodes = [DECIMAL.divide(row + 1, rows) for row in range(rows)]
    return np.array([[float(DECIMAL.power(x, p)) for p in range(columns)] for x in nodes], dtype=np.float64).reshape(i.shape)


def poisson(i, j, _):
    width = int(np.ceil(np.sqrt(max(i.shape))))
    beside = (abs(i - j) == 1) & ((np.minimum(i, j) + 1) % max(width, 1) != 0)
    return np.where(i == j, 4.0, np.where(beside | (abs(i - j) == width), -1.0, 0.0))


def file_entries(name, i, j):
    """The entries of a shipped matrix, periodically."""
    with open(DATA / name) as file:
        symmetric = "symmetric" in file.readline()
        rows = [line.split() for line in file if not line.startswith("%")]
    whole = np.zeros((int(rows[0][0]), int(rows[0][1])))
    for row, column, value in rows[1:]:
        whole[int(row) - 1, int(column) - 1] = float(value)
        if symmetric:
            whole[int(column) - 1, int(row) - 1] = float(value)
    return whole[i % whole.shape[0], j % whole.shape[1]]


FIXED = {
    "identity": lambda i, j, _: i == j,
    "poisson1d": lambda i, j, _: np.where(i == j, 2.0, np.where(abs(i - j) == 1, -1.0, 0.0)),
    "poisson": poisson,
    "gauss": kernel(lambda d, w: DECIMAL.divide(-d * d, 2 * w * w)),
    "exp": kernel(lambda d, w: DECIMAL.divide(-d, w)),
    "decay": decay,
    "vandermonde": vandermonde,
    "hilbert": lambda i, j, _: 1 / (i + j + 1.0),
}


def held_blocks(i, j, parameter):
    if parameter:
        return i // int(parameter) == j // int(parameter)
    rows, columns = i.shape
    return i * 8 // max(rows, 1) == j * 8 // max(columns, 1)


# Where a random matrix is not zero.
PATTERNS = {
    "diagonal": lambda rng, i, j, _: i == j,
    "banded": lambda rng, i, j, w: (j - i >= -((int(w) - 1) // 2)) & (j - i <= int(w) // 2),
    "block-diagonal": lambda rng, i, j, b: held_blocks(i, j, b),
    "triangular": lambda rng, i, j, _: i >= j,
    "sparse": lambda rng, i, j, p: rng.random_sample(i.shape) < float(p),
}


def matrix(rng, name, rows, columns, prefix):
    """A real matrix of that name."""
    i, j = np.indices((rows, columns))
    word, _, parameter = name.partition(":")
    if word in FIXED:
        x = FIXED[word](i, j, parameter)
    elif word == "one-hot":
        x = j == rng.randint(max(columns, 1), size=rows)[:, None]
    elif word == "permutation":
        x = j == rng.permutation(max(rows, columns))[:rows, None]
    elif word == "integers":
        x = rng.randint(1 - (1 << int(parameter)), 1 << int(parameter), size=(rows, columns))
    elif word in PATTERNS:
        x = np.where(PATTERNS[word](rng, i, j, parameter), spread(rng, (rows, columns), 1.0, prefix), 0.0)
    else:
        x = file_entries(name, i, j)
    return np.asarray(x).astype(DTYPE[prefix])


def operands(rng, name, m, k, n, prefix):
    """A, m x k, and B, k x n."""
    a = matrix(rng, name, m, k, prefix)
    return a, np.ascontiguousarray(matrix(rng, name, n, k, prefix).T) if name == "triangular" else matrix(rng, name, k, n, prefix)
