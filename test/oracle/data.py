"""Kinds of data: what the operands of a case are made of, each kind aimed at some difficulty."""

import numpy as np

import matrices
import residue_data
from values import (DTYPE, GREATEST, LEAST, PRECISION, few_bits, generator, mantissas, normal, pick, poison_nans, scale, signs,
                    spread, wild)

# --- Zeros in a matrix --------------------------------------------------------------------------------------------


def with_pattern(name, x, symmetric=False):
    """One matrix in three gets the zeros of a structured one: bands, blocks, an arrow, a triangle, a permutation, scattered
    entries. Zeros have either sign, some of what is left is subnormal. The case's own generator stays as it is."""
    rng = generator(name + ":pattern")
    if rng.randint(3) or 0 in x.shape:
        return x
    i, j = np.indices(x.shape)
    last = min(x.shape) - 1
    size, width = rng.randint(1, 7), rng.randint(0, 5)
    held = pick(rng, (
        abs(i - j) <= width, i // size == j // size, (i == j) | (i == last) | (j == last), (i == j) | (i == 0) | (j == 0), i <= j,
        i >= j, i == rng.permutation(max(x.shape))[j], rng.random_sample(x.shape) < 0.2, (i == j) | (abs(i - j) == size), i + j == last))
    if symmetric:
        held = held | held.T | (i == j)
    zeros = np.where(rng.randint(0, 2, size=x.shape), 0.0, -0.0).astype(x.real.dtype)
    x = np.array(x)
    x.real[~held] = zeros[~held]
    if np.iscomplexobj(x):
        x.imag[~held] = zeros[::-1, ::-1][~held]
    if not symmetric and rng.randint(3) == 0:
        tiny = rng.random_sample(x.shape) < 0.1
        x[tiny & held] = x.dtype.type(np.finfo(x.real.dtype).tiny / 8)
    return x


# --- op(A), m x k, and op(B), k x n, of one kind ------------------------------------------------------------------


def spread_by(phi):
    def make(rng, m, k, n, prefix):
        limited = min(phi, 6.0) if prefix == "s" else phi
        return spread(rng, (m, k), limited, prefix), spread(rng, (k, n), limited, prefix)

    return make


def positive(rng, m, k, n, prefix):
    return rng.random_sample((m, k)).astype(DTYPE[prefix]), rng.random_sample((k, n)).astype(DTYPE[prefix])


def widest(prefix):
    """Powers of two up to which rows, columns and terms are scaled."""
    return 300 if prefix == "d" else 30


def graded(rng, m, k, n, prefix):
    d = rng.randint(-widest(prefix) // 3, widest(prefix) // 3, size=k)
    return (scale(spread(rng, (m, k), 0.5, "d"), d[None, :], prefix),
            scale(spread(rng, (k, n), 0.5, "d"), -d[:, None], prefix))


def scaled(rng, m, k, n, prefix):
    wide = widest(prefix)
    return (scale(spread(rng, (m, k), 1.0, "d"), rng.randint(-wide, wide, size=m)[:, None], prefix),
            scale(spread(rng, (k, n), 1.0, "d"), rng.randint(-wide, wide, size=n)[None, :], prefix))


def mixed(rng, m, k, n, prefix):
    """Some rows wide, some narrow: the certificate rejects some elements or needs other rungs."""
    a = scale(rng.random_sample((m, k)) - 0.5, np.rint(normal(rng, (m, k)) * rng.randint(0, 12, size=m)[:, None]), prefix)
    b = scale(rng.random_sample((k, n)) - 0.5, np.rint(normal(rng, (k, n)) * rng.randint(0, 12, size=n)[None, :]), prefix)
    return a, b


def sparse(rng, m, k, n, prefix):
    """The largest entries of a row meet zeros of the column."""
    a, b = spread(rng, (m, k), 1.0, prefix), spread(rng, (k, n), 1.0, prefix)
    a[rng.random_sample((m, k)) < 0.8] = 0
    b[rng.random_sample((k, n)) < 0.8] = 0
    return a, b


def powers(rng, m, k, n, prefix):
    e = 12 if prefix == "d" else 6
    a = scale(signs(rng, (m, k)), rng.randint(-e, e, size=(m, k)), prefix)
    b = scale(signs(rng, (k, n)), rng.randint(-e, e, size=(k, n)), prefix)
    if rng.randint(2) and k:
        b = np.where(rng.random_sample((k, n)) < 0.5, spread(rng, (k, n), 1.0, prefix), b).astype(DTYPE[prefix])
    return a, b


def near_powers(rng, m, k, n, prefix):
    dtype = DTYPE[prefix]

    def near(shape):
        x = scale(np.ones(shape), rng.randint(-3, 4, size=shape), prefix)
        with np.errstate(all="ignore"):
            x = np.where(rng.randint(0, 2, size=shape), np.nextafter(x, dtype(np.inf)), np.nextafter(x, dtype(0)))
        return (x * np.where(rng.randint(0, 2, size=shape), 1, -1)).astype(dtype)

    return near((m, k)), near((k, n))


def integers(rng, m, k, n, prefix):
    return rng.randint(-9, 10, size=(m, k)).astype(DTYPE[prefix]), rng.randint(-9, 10, size=(k, n)).astype(DTYPE[prefix])


def ones(rng, m, k, n, prefix):
    return np.ones((m, k), DTYPE[prefix]), np.ones((k, n), DTYPE[prefix])


def largest(rng, m, k, n, prefix):
    """All mantissa bits set: the extreme residues and sums."""
    dtype = DTYPE[prefix]
    x = np.nextafter(dtype(1), dtype(0))
    sign_a = np.where(rng.randint(0, 2, size=m), 1, -1)[:, None]
    return (np.full((m, k), x) * sign_a).astype(dtype), np.full((k, n), x, dtype)


def scale_ties(rng, m, k, n, prefix):
    """Entries halfway between two points of a grid of few bits."""
    e = rng.randint(0, 3, size=(m, k))
    t = rng.randint(2, 13)

    def halves(shape):
        x = (2 * rng.randint(0, 1 << t, size=shape) + 1).astype(np.float64)
        x.flat[:1] = 2.0**t + 1
        return x * signs(rng, shape)

    return scale(halves((m, k)), -e, prefix), scale(halves((k, n)), 0, prefix)


def ties(rng, m, k, n, prefix):
    """Few-bit data whose sums fall halfway between two numbers of the type."""
    p = PRECISION[prefix]
    a, b = few_bits(rng, (m, k), prefix), few_bits(rng, (k, n), prefix)
    if k >= 2:
        a[:, 0] = scale(np.ones(m), p // 2 + 1, prefix)
        b[0, :] = scale(np.ones(n), p - p // 2 - 1 + rng.randint(0, 2), prefix)
    return a, b


def halfway(rng, m, k, n, prefix):
    """Row times column is halfway between two numbers of the type plus a perturbation down to 2^-900 (or none)."""
    p = PRECISION[prefix]
    dtype = DTYPE[prefix]
    a = np.zeros((m, k), dtype)
    b = scale(np.ones((k, n)), rng.randint(-4, 5, size=n)[None, :], prefix)
    low = 900 if prefix == "d" else 120
    order = rng.permutation(k)
    for i in range(m):
        line = np.zeros(k, np.float64)
        if k >= 1:
            line[0] = float(mantissas(rng, (), prefix))
        if k >= 2:
            line[1] = np.ldexp(pick(rng, (1.0, -1.0)), -p)  # half an ulp
        if k >= 3 and rng.randint(4):
            e = pick(rng, (p + 1, p + 5, 60, 70, 72, 76, 80, 84, 90, 100, 106, 110, 128, 160, 300, 600, low))
            line[2] = np.ldexp(pick(rng, (1.0, -1.0)), -min(e, low))
        if k >= 5:  # and pairs that cancel, larger than the result
            pairs = (k - 3) // 2
            x = scale(mantissas(rng, pairs, prefix), rng.randint(-3, 8, size=pairs), prefix)
            line[3 : 3 + pairs] = x
            line[3 + pairs : 3 + 2 * pairs] = -x
        a[i, order] = line.astype(dtype)
    if k and rng.randint(2):  # columns that scale every p alike keep the ties
        d = rng.randint(-8, 9, size=k)
        a = scale(a.astype(np.float64), d[None, :], prefix)
        b = scale(b.astype(np.float64), -d[:, None], prefix)
    return a, b


def cancel(rng, m, k, n, prefix):
    a, b = spread(rng, (m, k), 1.0, prefix), spread(rng, (k, n), 1.0, prefix)
    h = k // 2
    a[:, h : 2 * h] = -a[:, :h]
    b[h : 2 * h, :] = b[:h, :]
    if h and rng.randint(2):  # leave a small rest
        b[0] = np.nextafter(b[0], DTYPE[prefix](np.inf))
    if k % 2:
        a[:, -1] = scale(a[:, -1], -rng.randint(0, 2 * PRECISION[prefix]), prefix)
    order = rng.permutation(k)
    return a[:, order].copy(), b[order, :].copy()


def subnormal(rng, m, k, n, prefix):
    low = LEAST[prefix]
    if rng.randint(2):  # subnormal entries
        a = scale(spread(rng, (m, k), 2.0, "d"), low + 15, prefix)
        return a, scale(spread(rng, (k, n), 1.0, "d"), rng.randint(-20, 30), prefix)
    shift = rng.randint(-15, 40)
    a = scale(spread(rng, (m, k), 1.0, "d"), low // 2 + shift, prefix)
    return a, scale(spread(rng, (k, n), 1.0, "d"), low - low // 2, prefix)


def overflow(rng, m, k, n, prefix):
    top = GREATEST[prefix] + 1
    shift = pick(rng, (0, -1, -2, 3))
    return (scale(spread(rng, (m, k), 0.3, "d"), top // 2 + shift, prefix),
            scale(spread(rng, (k, n), 0.3, "d"), top - top // 2, prefix))


def huge(rng, m, k, n, prefix):
    """Products far above the range that cancel or not."""
    a = scale(mantissas(rng, (m, k), prefix), GREATEST[prefix], prefix)
    b = scale(mantissas(rng, (k, n), prefix), rng.randint(-3, GREATEST[prefix]), prefix)
    if k >= 2 and rng.randint(2):
        h = k // 2
        a[:, h : 2 * h] = -a[:, :h]
        b[h : 2 * h] = b[:h]
    return a, b


def zeros(rng, m, k, n, prefix):
    a, b = spread(rng, (m, k), 1.0, prefix), spread(rng, (k, n), 1.0, prefix)
    a[rng.random_sample(m) < 0.4] = 0.0
    b[:, rng.random_sample(n) < 0.4] = -0.0
    a[rng.random_sample((m, k)) < 0.2] = -0.0
    return a, b


def special(rng, m, k, n, prefix):
    a, b = spread(rng, (m, k), 1.0, prefix), spread(rng, (k, n), 1.0, prefix)
    a[rng.random_sample(m) < 0.2] = 0.0
    b[:, rng.random_sample(n) < 0.2] = 0.0
    for x in (a, b):
        count = max(1, int(0.03 * x.size)) if x.size else 0
        for _ in range(rng.randint(0, count + 2) if count else 0):
            x.flat[rng.randint(x.size)] = pick(rng, (np.inf, -np.inf, np.nan, np.inf, 0.0))
    return poison_nans(a, prefix), poison_nans(b, prefix)


def wild_operands(rng, m, k, n, prefix):
    return wild(rng, (m, k), prefix), wild(rng, (k, n), prefix)


def two_sum_edge(rng, m, k, n, prefix):
    """Sums next to the largest finite number, where TwoSum's own operations overflow."""
    dtype = DTYPE[prefix]
    top = float(np.finfo(dtype).max)
    unit = top - float(np.nextafter(dtype(top), dtype(0)))
    a = np.zeros((m, k))
    for i in range(m):
        for p in range(0, k - 1, 2):
            sign = pick(rng, (1.0, -1.0))
            a[i, p] = -sign * unit * (2 * rng.randint(0, 4) + 1.5 - rng.randint(0, 2))
            a[i, p + 1] = sign * top
        a[i, 2:4] *= -1.0 if k >= 4 and a[i, 1] == a[i, 3] else 1.0
        a[i, 4:] *= 2.0**-40
    return a.astype(dtype), np.ones((k, n), dtype)


def brim(rng, m, k, n, prefix):
    """The largest finite numbers, which a slice rounds up beyond the range, among smaller ones; products are within it."""
    top = np.finfo(DTYPE[prefix]).max
    signs, down = np.where(rng.randint(0, 2, size=(m, k)), 1.0, -1.0), np.where(rng.randint(0, 2, size=(m, k)), 0, 3)
    return (np.ldexp(signs * top, -down)).astype(DTYPE[prefix]), scale(mantissas(rng, (k, n), prefix), -rng.randint(20, 60), prefix)


def bands(rng, m, k, n, prefix):
    """Every row its own width of exponents: rungs of the certificate differ by row."""
    width = np.rint(np.linspace(0, 14 if prefix == "d" else 8, m) if m else np.zeros(0))
    a = scale(mantissas(rng, (m, k), prefix), np.rint(-rng.random_sample((m, k)) * width[:, None]), prefix)
    return a, scale(mantissas(rng, (k, n), prefix), np.zeros((k, n)), prefix)


def rejected(parts, more, special=False):
    """Even data of which the certificate rejects a 64th of parts m n elements, rounded down, and so many more: each of some
    rows has one large entry, and that meets a zero in some columns. special: a row has an Inf or a NaN."""

    def make(rng, m, k, n, prefix):
        a, b = ((0.5 + 0.5 * rng.random_sample(shape)).astype(DTYPE[prefix]) for shape in ((m, k), (k, n)))
        rows = rng.permutation(m)
        left = min(parts * m * n // 64 + more, (m - special) * n)
        for i, row in enumerate(rows[: m - special] if k else ()):
            if left <= 0:
                break
            columns = rng.permutation(n)[:left]
            large = 2 * i % min(k, 128)
            a[row] = scale(a[row], -40, prefix)
            a[row, large] = 1
            b[large, columns] = 0
            left -= len(columns)
        if special and m and k:
            a[rows[-1], rng.randint(k)] = pick(rng, (np.inf, -np.inf, np.nan))
        return a, b

    return make


OPERANDS = {
    "positive": positive, "graded": graded, "scaled": scaled, "mixed": mixed, "sparse": sparse, "powers": powers,
    "near_powers": near_powers, "integers": integers, "ones": ones, "largest": largest, "scale_ties": scale_ties,
    "brim": brim, "ties": ties, "halfway": halfway, "cancel": cancel, "subnormal": subnormal, "overflow": overflow, "huge": huge,
    "zeros": zeros, "special": special, "wild": wild_operands, "two_sum_edge": two_sum_edge, "bands": bands,
    "share": rejected(1, 0), "over_share": rejected(1, 1), "share_special": rejected(1, 0, True),
    "over_share_special": rejected(1, 1, True),
    # Complex types have two components in each element.
    "complex_share": rejected(2, 0), "over_complex_share": rejected(2, 1),
    **residue_data.OPERANDS,
}

# Those that random cases draw from, the more often the more often they stand here.
KINDS = ["phi0", "phi0.5", "phi1", "phi2", "phi4", "phi10", "positive", "graded", "scaled", "mixed", "mixed", "sparse",
         "powers", "near_powers", "integers", "largest", "scale_ties", "ties", "halfway", "halfway", "cancel", "cancel",
         "subnormal", "overflow", "huge", "zeros", "special", "special", "wild"]


def drawn_kind(rng, name, kinds=KINDS):
    """One of these kinds, or of the named matrices if the case's name says so: "dgemm:cr:3:matrices"."""
    return pick(rng, matrices.NAMES if name.endswith(":matrices") else kinds)


def operands(rng, kind, m, k, n, prefix):
    """op(A), op(B) of the kind; phi with any number is a spread of exponents."""
    if kind in matrices.NAMES:
        return matrices.operands(rng, kind, m, k, n, prefix)
    make = spread_by(float(kind[3:])) if kind.startswith("phi") else OPERANDS[kind]
    return make(rng, m, k, n, prefix)


# --- the others ---------------------------------------------------------------------------------------------------


def scalar(rng, prefix):
    """alpha or beta."""
    top, low = GREATEST[prefix], LEAST[prefix]
    kind = rng.randint(16)
    if kind < 4:
        return 1.0
    if kind < 6:
        return -1.0
    if kind < 8:
        return 0.0
    if kind == 8:
        return pick(rng, (2.0, -0.5, 4.0, -0.0, 0.75, -3.0))
    if kind == 9:
        return float(scale(mantissas(rng, (), prefix), low + rng.randint(0, 30), prefix))
    if kind == 10:
        return float(scale(mantissas(rng, (), prefix), top - rng.randint(0, 30), prefix))
    if kind == 11:
        return float(pick(rng, (np.inf, -np.inf, np.nan)))
    return float(scale(mantissas(rng, (), prefix), rng.randint(-3, 4), prefix))


def c_values(rng, m, n, prefix, kind):
    """C before the call, of a magnitude that meets the product's."""
    choice = rng.randint(8)
    if choice == 0:
        return wild(rng, (m, n), prefix)
    if choice == 1:
        return (rng.randint(0, 2, size=(m, n)) * -0.0).astype(DTYPE[prefix])
    if choice == 2:
        c = spread(rng, (m, n), 1.0, prefix)
        chosen = rng.random_sample((m, n)) < 0.15
        c[chosen] = np.array([np.inf, -np.inf, np.nan])[rng.randint(0, 3, size=(m, n))][chosen]
        return poison_nans(c, prefix)
    if kind == "subnormal":
        return scale(spread(rng, (m, n), 2.0, "d"), LEAST[prefix] + 12, prefix)
    if kind in ("overflow", "huge"):
        return scale(mantissas(rng, (m, n), prefix), GREATEST[prefix] - rng.randint(0, 3), prefix)
    if kind in ("integers", "ties", "scale_ties"):
        return few_bits(rng, (m, n), prefix)
    return spread(rng, (m, n), 1.0, prefix)
