"""Seeded cases: every one is determined by its name ("dgemm:cr:17"), on any platform.

Random numbers come from numpy's RandomState, whose stream is frozen; no libm function takes part, so that golden
checksums hold everywhere.
"""

import zlib
from dataclasses import dataclass, field

import numpy as np

ROW, COL = 101, 102
NO, TRANS, CONJ = 111, 112, 113
POISON = {"d": np.uint64(0xFFF4DEADBEEF0123), "s": np.uint32(0xFFA5CDEF)}  # signalling NaNs with a payload
DTYPE = {"d": np.float64, "s": np.float32}
BITS = {"d": np.uint64, "s": np.uint32}


@dataclass
class Case:
    """A call: logical operands for the oracle, buffers and arguments for the library."""

    name: str
    prefix: str  # d, s
    routine: str  # dot, gemv, gemm, gemm_batched, nrm2, asum
    function: str  # the C function, for instance gemm_strided
    mode: str
    kind: str
    alpha: float
    beta: float
    a: np.ndarray  # m x k, in the routine's type; of batches: matrices x m x k, and so on
    b: np.ndarray  # k x n (n = 1 for gemv, dot)
    c: np.ndarray  # m x n as before the call
    buffers: list = field(default_factory=list)  # A, B, C (flat; DOT: x, y, result; norms: x, nothing, result)
    offsets: list = field(default_factory=list)  # in elements: the pointer that is passed
    where: np.ndarray = None  # flat positions of C's elements in its buffer, m x n
    arguments: list = field(default_factory=list)  # "A", "B", "C" stand for the pointers
    null_operands: bool = False  # A and B are passed as NULL
    strides: list = None  # of batches, in elements: from one matrix to the next

    def describe(self):
        m, k = self.a.shape[-2:]
        return (f"{self.name} ({self.prefix}{self.function} {self.mode} m={m} n={self.b.shape[-1]} k={k} "
                f"data={self.kind} alpha={self.alpha!r} beta={self.beta!r} args={self.arguments})")


def generator(name):
    return np.random.RandomState(zlib.crc32(name.encode()))


def pick(rng, items):
    return items[rng.randint(len(items))]


# --- values ---------------------------------------------------------------------------------------------------------

PRECISION = {"d": 53, "s": 24}
LEAST = {"d": -1074, "s": -149}
GREATEST = {"d": 1023, "s": 127}


def scale(x, e, prefix):
    """x 2^e rounded to the type, by integer exponents (ldexp is exact but for the last rounding)."""
    with np.errstate(all="ignore"):
        return np.ldexp(x, np.asarray(e, dtype=np.int64).astype(np.int32)).astype(DTYPE[prefix])


def mantissas(rng, shape, prefix):
    """Full-width values in +-[1, 2)."""
    bits = PRECISION[prefix] - 1
    low = rng.randint(0, 1 << 26, size=shape).astype(np.float64) * 2.0**-26
    low = low + rng.randint(0, 1 << 26, size=shape) * 2.0**-52
    if bits < 52:
        low = np.floor(low * 2.0**bits) * 2.0**-bits
    return (1.0 + low) * np.where(rng.randint(0, 2, size=shape), 1.0, -1.0)


def normal(rng, shape):
    """About standard normal (twelve uniforms), by additions only."""
    total = np.full(shape, -6.0)
    for _ in range(12):
        total = total + rng.random_sample(shape)
    return total


def spread(rng, shape, phi, prefix):
    """Like (rand - 0.5) exp(phi randn), with the exponent rounded to an integer power of two."""
    return scale(rng.random_sample(shape) - 0.5, np.rint(phi * 1.4427 * normal(rng, shape)), prefix)


def wild(rng, shape, prefix):
    """Exponents over the whole range, subnormals included."""
    e = rng.randint(LEAST[prefix] - 1, GREATEST[prefix] + 1, size=shape)
    return scale(mantissas(rng, shape, prefix), e, prefix)


def few_bits(rng, shape, prefix):
    return scale(rng.randint(-3, 4, size=shape).astype(np.float64), rng.randint(0, 4, size=shape), prefix)


def operands(rng, kind, m, k, n, prefix):
    """op(A), op(B) of the kind of data."""
    wide = 300 if prefix == "d" else 30
    a_shape, b_shape = (m, k), (k, n)
    dtype = DTYPE[prefix]
    if kind.startswith("phi"):
        phi = float(kind[3:])
        if prefix == "s":
            phi = min(phi, 6.0)
        return spread(rng, a_shape, phi, prefix), spread(rng, b_shape, phi, prefix)
    if kind == "positive":
        return rng.random_sample(a_shape).astype(dtype), rng.random_sample(b_shape).astype(dtype)
    if kind == "graded":
        d = rng.randint(-wide // 3, wide // 3, size=k)
        return (scale(spread(rng, a_shape, 0.5, "d"), d[None, :], prefix),
                scale(spread(rng, b_shape, 0.5, "d"), -d[:, None], prefix))
    if kind == "scaled":
        return (scale(spread(rng, a_shape, 1.0, "d"), rng.randint(-wide, wide, size=m)[:, None], prefix),
                scale(spread(rng, b_shape, 1.0, "d"), rng.randint(-wide, wide, size=n)[None, :], prefix))
    if kind == "mixed":  # some rows wide, some narrow: the certificate rejects some elements or needs other rungs
        a = scale(rng.random_sample(a_shape) - 0.5, np.rint(normal(rng, a_shape) * rng.randint(0, 12, size=m)[:, None]),
                  prefix)
        b = scale(rng.random_sample(b_shape) - 0.5, np.rint(normal(rng, b_shape) * rng.randint(0, 12, size=n)[None, :]),
                  prefix)
        return a, b
    if kind == "sparse":  # the largest entries of a row meet zeros of the column
        a, b = spread(rng, a_shape, 1.0, prefix), spread(rng, b_shape, 1.0, prefix)
        a[rng.random_sample(a_shape) < 0.8] = 0
        b[rng.random_sample(b_shape) < 0.8] = 0
        return a, b
    if kind == "powers":
        e = 12 if prefix == "d" else 6
        a = scale(np.where(rng.randint(0, 2, size=a_shape), 1.0, -1.0), rng.randint(-e, e, size=a_shape), prefix)
        b = scale(np.where(rng.randint(0, 2, size=b_shape), 1.0, -1.0), rng.randint(-e, e, size=b_shape), prefix)
        if rng.randint(2) and k:
            b = np.where(rng.random_sample(b_shape) < 0.5, spread(rng, b_shape, 1.0, prefix), b).astype(dtype)
        return a, b
    if kind == "near_powers":
        def near(shape):
            x = scale(np.ones(shape), rng.randint(-3, 4, size=shape), prefix)
            with np.errstate(all="ignore"):
                x = np.where(rng.randint(0, 2, size=shape), np.nextafter(x, dtype(np.inf)), np.nextafter(x, dtype(0)))
            return (x * np.where(rng.randint(0, 2, size=shape), 1, -1)).astype(dtype)
        return near(a_shape), near(b_shape)
    if kind == "integers":
        return (rng.randint(-9, 10, size=a_shape).astype(dtype), rng.randint(-9, 10, size=b_shape).astype(dtype))
    if kind == "ones":
        return np.ones(a_shape, dtype), np.ones(b_shape, dtype)
    if kind == "largest":  # all mantissa bits set: the extreme residues and sums
        x = np.nextafter(dtype(1), dtype(0))
        sign_a = np.where(rng.randint(0, 2, size=m), 1, -1)[:, None]
        return (np.full(a_shape, x) * sign_a).astype(dtype), np.full(b_shape, x, dtype)
    if kind == "scale_ties":  # entries halfway between two points of a grid of few bits
        e = rng.randint(0, 3, size=a_shape)
        t = rng.randint(2, 13)
        def halves(shape):
            x = (2 * rng.randint(0, 1 << t, size=shape) + 1).astype(np.float64)
            x.flat[:1] = 2.0**t + 1
            return x * np.where(rng.randint(0, 2, size=shape), 1.0, -1.0)
        return scale(halves(a_shape), -e, prefix), scale(halves(b_shape), 0, prefix)
    if kind == "ties":  # few-bit data whose sums fall halfway between two numbers of the type
        p = PRECISION[prefix]
        a, b = few_bits(rng, a_shape, prefix), few_bits(rng, b_shape, prefix)
        if k >= 2:
            a[:, 0] = scale(np.ones(m), p // 2 + 1, prefix)
            b[0, :] = scale(np.ones(n), p - p // 2 - 1 + rng.randint(0, 2), prefix)
        return a, b
    if kind == "halfway":
        return halfway(rng, m, k, n, prefix)
    if kind == "cancel":
        a, b = spread(rng, a_shape, 1.0, prefix), spread(rng, b_shape, 1.0, prefix)
        h = k // 2
        a[:, h : 2 * h] = -a[:, :h]
        b[h : 2 * h, :] = b[:h, :]
        if h and rng.randint(2):  # leave a small rest
            b[0] = np.nextafter(b[0], dtype(np.inf))
        if k % 2:
            a[:, -1] = scale(a[:, -1], -rng.randint(0, 2 * PRECISION[prefix]), prefix)
        order = rng.permutation(k)
        return a[:, order].copy(), b[order, :].copy()
    if kind == "subnormal":
        low = LEAST[prefix]
        if rng.randint(2):  # subnormal entries
            a = scale(spread(rng, a_shape, 2.0, "d"), low + 15, prefix)
            return a, scale(spread(rng, b_shape, 1.0, "d"), rng.randint(-20, 30), prefix)
        shift = rng.randint(-15, 40)
        a = scale(spread(rng, a_shape, 1.0, "d"), low // 2 + shift, prefix)
        return a, scale(spread(rng, b_shape, 1.0, "d"), low - low // 2, prefix)
    if kind == "overflow":
        top = GREATEST[prefix] + 1
        shift = pick(rng, (0, -1, -2, 3))
        return (scale(spread(rng, a_shape, 0.3, "d"), top // 2 + shift, prefix),
                scale(spread(rng, b_shape, 0.3, "d"), top - top // 2, prefix))
    if kind == "huge":  # products far above the range that cancel or not
        a = scale(mantissas(rng, a_shape, prefix), GREATEST[prefix], prefix)
        b = scale(mantissas(rng, b_shape, prefix), rng.randint(-3, GREATEST[prefix]), prefix)
        if k >= 2 and rng.randint(2):
            h = k // 2
            a[:, h : 2 * h] = -a[:, :h]
            b[h : 2 * h] = b[:h]
        return a, b
    if kind == "zeros":
        a, b = spread(rng, a_shape, 1.0, prefix), spread(rng, b_shape, 1.0, prefix)
        a[rng.random_sample(m) < 0.4] = 0.0
        b[:, rng.random_sample(n) < 0.4] = -0.0
        a[rng.random_sample(a_shape) < 0.2] = -0.0
        return a, b
    if kind == "special":
        a, b = spread(rng, a_shape, 1.0, prefix), spread(rng, b_shape, 1.0, prefix)
        a[rng.random_sample(m) < 0.2] = 0.0
        b[:, rng.random_sample(n) < 0.2] = 0.0
        for x in (a, b):
            count = max(1, int(0.03 * x.size)) if x.size else 0
            for _ in range(rng.randint(0, count + 2) if count else 0):
                x.flat[rng.randint(x.size)] = pick(rng, (np.inf, -np.inf, np.nan, np.inf, 0.0))
        return poison_nans(a, prefix), poison_nans(b, prefix)
    if kind == "wild":
        return wild(rng, a_shape, prefix), wild(rng, b_shape, prefix)
    if kind == "two_sum_edge":  # sums next to the largest finite number, where TwoSum's own operations overflow
        top = float(np.finfo(DTYPE[prefix]).max)
        unit = top - float(np.nextafter(dtype(top), dtype(0)))
        a = np.zeros(a_shape)
        for i in range(m):
            for p in range(0, k - 1, 2):
                sign = pick(rng, (1.0, -1.0))
                a[i, p] = -sign * unit * (2 * rng.randint(0, 4) + 1.5 - rng.randint(0, 2))
                a[i, p + 1] = sign * top
            a[i, 2:4] *= -1.0 if k >= 4 and a[i, 1] == a[i, 3] else 1.0
            a[i, 4:] *= 2.0**-40
        return a.astype(dtype), np.ones(b_shape, dtype)
    if kind.startswith("small_residues"):  # fixed:8: integers whose residues are extreme for few and large moduli
        left, right = {"small_residues": (127, 127), "small_residues_minus": (-1, 127), "small_residues_low": (-127, -127),
                       "small_residues_row": (127, -1)}[kind]
        a, b = np.full(a_shape, left / 256.0), np.full(b_shape, right / 256.0)
        a[:, :1] = b[:1, :] = 255 / 256.0
        return a.astype(dtype), b.astype(dtype)
    if kind == "residues_signed":  # integers next to p / 2 modulo many p at once: the extreme signed residues
        return extreme_residues(a_shape, prefix, lambda p: p // 2), extreme_residues(b_shape, prefix, lambda p: p // 2)
    if kind == "residues_mixed":
        return extreme_residues(a_shape, prefix, lambda p: p - 1), extreme_residues(b_shape, prefix, lambda p: p // 2)
    if kind == "residues_unsigned":
        return extreme_residues(a_shape, prefix, lambda p: p - 1), extreme_residues(b_shape, prefix, lambda p: p - 1)
    if kind == "bands":  # every row and column its own width of exponents: rungs of the certificate differ by row
        width = np.rint(np.linspace(0, 14 if prefix == "d" else 8, m) if m else np.zeros(0))
        a = scale(mantissas(rng, a_shape, prefix), np.rint(-rng.random_sample(a_shape) * width[:, None]), prefix)
        return a, scale(mantissas(rng, b_shape, prefix), np.zeros(b_shape), prefix)
    raise ValueError(kind)


def poison_nans(x, prefix):
    """Gives every NaN a sign and a payload."""
    x = np.ascontiguousarray(x)
    bits = x.view(BITS[prefix])
    bits[np.isnan(x)] = POISON[prefix]
    return x


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


def extreme_residues(shape, prefix, residue):
    """One full-width integer with the given residues modulo as many of the largest moduli as fit, everywhere."""
    value, modulus = 0, 1
    for p in (255, 253, 251, 247, 241, 239):
        if modulus * p >= 1 << (PRECISION[prefix] - 1):
            break
        while value % p != residue(p):
            value += modulus
        modulus *= p
    while value < 1 << (PRECISION[prefix] - 1):
        value += modulus
    assert value < 1 << PRECISION[prefix]
    return np.full(shape, float(value)).astype(DTYPE[prefix])


KINDS = ["phi0", "phi0.5", "phi1", "phi2", "phi4", "phi10", "positive", "graded", "scaled", "mixed", "mixed", "sparse",
         "powers", "near_powers", "integers", "largest", "scale_ties", "ties", "halfway", "halfway", "cancel", "cancel",
         "subnormal", "overflow", "huge", "zeros", "special", "special", "wild"]


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
        special = rng.random_sample((m, n)) < 0.15
        c[special] = np.array([np.inf, -np.inf, np.nan])[rng.randint(0, 3, size=(m, n))][special]
        return poison_nans(c, prefix)
    if kind in ("subnormal",):
        return scale(spread(rng, (m, n), 2.0, "d"), LEAST[prefix] + 12, prefix)
    if kind in ("overflow", "huge"):
        return scale(mantissas(rng, (m, n), prefix), GREATEST[prefix] - rng.randint(0, 3), prefix)
    if kind in ("integers", "ties", "scale_ties"):
        return few_bits(rng, (m, n), prefix)
    return spread(rng, (m, n), 1.0, prefix)


def mode_word(rng, group, prefix):
    if group == "fixed":
        if rng.randint(2):
            return f"fixed:{pick(rng, (2, 3, 23, 24, 25, 48, 53, 54, 60, 70, 76, 80, 106, 150))}"
        return f"fixed:{rng.randint(2, 151)}"
    if group == "slices":
        d = pick(rng, (1, 2, 3, 4, 5, 8, 13, 50))
        return f"slices:{d}" + pick(rng, ("", ":fast"))
    if group == "repro":
        return "dp:repro" if prefix == "d" else "sp:repro"
    return group


# --- placement in memory --------------------------------------------------------------------------------------------


def filled(size, prefix):
    return np.full(max(size, 1), POISON[prefix], BITS[prefix]).view(DTYPE[prefix])


def place(x, row_stride, col_stride, prefix):
    """A poisoned flat buffer with x(i, j) at offset + i row_stride + j col_stride: (buffer, offset, positions)."""
    m, n = x.shape
    positions = np.arange(m)[:, None] * row_stride + np.arange(n)[None, :] * col_stride
    offset = -min(positions.min(), 0) if x.size else 0
    positions = positions + offset
    buffer = filled(int(positions.max()) + 4 if x.size else 1, prefix)
    buffer[positions] = x
    # Assigning may have quieted signalling NaNs; put their bits back.
    buffer.view(BITS[prefix])[positions] = np.ascontiguousarray(x).view(BITS[prefix])
    return buffer, int(offset), positions


def place_standard(x, layout, trans, rng, prefix):
    """Stores op(A) for a given layout: (buffer, leading dimension, positions)."""
    stored = x.T if trans != NO else x
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
    buffer.view(BITS[prefix])[positions] = np.ascontiguousarray(x).view(BITS[prefix])
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


# --- cases ----------------------------------------------------------------------------------------------------------

SIZES = (0, 1, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33)
EDGE = (32, 33, 63, 64, 65, 127, 128, 129)
INNER = (0, 1, 2, 3, 7, 8, 33, 64, 65, 127, 128, 129, 200)
LONG = (1023, 1024, 1025, 1300, 2047, 2049, 3000)


def shape_gemm(rng, work):
    """m, n, k with m n k about at most `work`."""
    for _ in range(100):
        style = rng.randint(10)
        if style < 5:
            m, n, k = pick(rng, SIZES), pick(rng, SIZES), pick(rng, INNER)
        elif style < 7:
            m, n, k = pick(rng, EDGE), pick(rng, SIZES), pick(rng, INNER)
        elif style < 9:
            m, n, k = pick(rng, (1, 2, 3, 5, 8)), pick(rng, (1, 2, 3, 5)), pick(rng, LONG)
        else:
            m, n, k = pick(rng, SIZES), pick(rng, EDGE), pick(rng, INNER)
        if m * n * k <= work and m * k <= work and k * n <= work:
            return m, n, k
    return 3, 3, 3


def make_gemm(name, prefix, mode_group, shape=None, kind=None, mode=None, plain=False, work=60000):
    rng = generator(name)
    m, n, k = shape or shape_gemm(rng, work)
    kind = kind or pick(rng, KINDS)
    mode = mode or mode_word(rng, mode_group, prefix)
    a, b = operands(rng, kind, m, k, n, prefix)
    alpha, beta = (1.0, 0.0) if plain or rng.randint(3) == 0 else (scalar(rng, prefix), scalar(rng, prefix))
    c = c_values(rng, m, n, prefix, kind)
    case = Case(name, prefix, "gemm", "gemm", mode, kind, alpha, beta, a, b, c)
    unread = beta == 0
    if plain or rng.randint(4):
        layout = COL if plain else pick(rng, (ROW, COL))
        ta, tb = (NO, NO) if plain else (pick(rng, (NO, TRANS, CONJ)), pick(rng, (NO, TRANS, CONJ)))
        buffer_a, lda, _ = place_standard(a, layout, ta, rng, prefix)
        buffer_b, ldb, _ = place_standard(b, layout, tb, rng, prefix)
        buffer_c, ldc, case.where = place_standard(c, layout, NO, rng, prefix)
        case.offsets = [0, 0, 0]
        case.arguments = [layout, ta, tb, m, n, k, alpha, "A", lda, "B", ldb, beta, "C", ldc]
    else:
        case.function = "gemm_strided"
        case.a, buffer_a, offset_a, (rsa, csa), _ = general_strides(a, rng, prefix)
        case.b, buffer_b, offset_b, (rsb, csb), _ = general_strides(b, rng, prefix)
        _, buffer_c, offset_c, (rsc, csc), case.where = general_strides(c, rng, prefix, output=True)
        case.offsets = [offset_a, offset_b, offset_c]
        case.arguments = [m, n, k, alpha, "A", rsa, csa, "B", rsb, csb, beta, "C", rsc, csc]
    finish_case(case, rng, [buffer_a, buffer_b, buffer_c], unread)
    return case


def make_gemv(name, prefix, mode_group, shape=None, kind=None, mode=None, work=60000):
    rng = generator(name)
    if shape:
        m, k = shape
    else:
        sizes = SIZES + EDGE + LONG
        while True:
            m, k = pick(rng, sizes), pick(rng, sizes)
            if m * k <= work:
                break
    kind = kind or pick(rng, KINDS)
    mode = mode or mode_word(rng, mode_group, prefix)
    a, x = operands(rng, kind, m, k, 1, prefix)
    alpha, beta = scalar(rng, prefix), scalar(rng, prefix)
    y = c_values(rng, m, 1, prefix, kind)
    case = Case(name, prefix, "gemv", "gemv", mode, kind, alpha, beta, a, x, y)
    if rng.randint(4):
        layout, trans = pick(rng, (ROW, COL)), pick(rng, (NO, TRANS, CONJ))
        buffer_a, lda, _ = place_standard(a, layout, trans, rng, prefix)
        rows, columns = (k, m) if trans != NO else (m, k)
        head, offset_a, strides = [layout, trans, rows, columns], 0, [lda]
    else:
        case.function = "gemv_strided"
        case.a, buffer_a, offset_a, (rsa, csa), _ = general_strides(a, rng, prefix)
        head, strides = [m, k], [rsa, csa]
    buffer_x, incx, _ = vector_buffer(x[:, 0], rng, prefix)
    buffer_y, incy, positions = vector_buffer(y[:, 0], rng, prefix, output=True)
    case.where = positions.reshape(-1, 1)
    case.offsets = [offset_a, 0, 0]
    case.arguments = head + [alpha, "A"] + strides + ["B", incx, beta, "C", incy]
    finish_case(case, rng, [buffer_a, buffer_x, buffer_y], beta == 0)
    return case


def make_dot(name, prefix, mode_group, shape=None, kind=None, mode=None, work=30000):
    rng = generator(name)
    if shape is not None:
        n = shape
    else:
        n = pick(rng, (0, 1, 2, 7, 31, 32, 33, 127, 128, 129, 500, 1023, 1024, 1025, 1056, 2048, 2049, 3072, 3073, 4096,
                       5000, 5121, 7168, 7200, 10000, 20000))
        n = min(n, work)
    kind = kind or pick(rng, KINDS)
    mode = mode or mode_word(rng, mode_group, prefix)
    x, y = operands(rng, kind, 1, n, 1, prefix)
    case = Case(name, prefix, "dot", "dot", mode, kind, 1.0, 0.0, x, y, np.zeros((1, 1), DTYPE[prefix]))
    buffer_x, incx, _ = vector_buffer(x[0], rng, prefix)
    buffer_y, incy, _ = vector_buffer(y[:, 0], rng, prefix)
    case.where = np.zeros((1, 1), np.int64)
    case.offsets = [0, 0, 0]
    case.arguments = [n, "A", incx, "B", incy, "C"]
    finish_case(case, rng, [buffer_x, buffer_y, filled(1, prefix)], True)
    return case


NORM_KINDS = ["roots", "roots", "edges", "edges", "tiny", "phi0", "phi1", "phi2", "phi10", "positive", "scaled", "sparse", "powers",
              "near_powers", "integers", "largest", "ties", "halfway", "subnormal", "huge", "zeros", "special", "special", "wild"]


def norm_operand(rng, kind, n, prefix):
    """x of a norm; the kinds that are no kinds of `operands` aim at the root."""
    p = PRECISION[prefix]
    if kind == "roots":
        # Sums of squares that are squares or nearly so: with r = 2^p + 1, r^2 = (2^p)^2 + (2^j)^2 2^i + 1 lies at the square of
        # a number halfway between two of the type; asum's halfway cases likewise.
        x = np.zeros(n)
        choice = rng.randint(5)
        parts = [[3.0, 4.0], [2.0**p, 2.0 ** ((p + 1) // 2), 1.0] if p % 2 else [2.0**p] + [2.0 ** (p // 2)] * 2 + [1.0],
                 [2.0**p, 1.0], [1.0, 2.0**-p, -(2.0 ** -(p + 9))], [1.0, 2.0**-p]][choice]
        head = parts[:n]
        x[: len(head)] = head
        if rng.randint(2) and n > len(head):
            x[len(head)] = 2.0 ** -pick(rng, (20, 40, 60)) * pick(rng, (1.0, -1.0))
        x = x * 2.0 ** rng.randint(-30, 31)
        return x[rng.permutation(n)].astype(DTYPE[prefix])
    if kind == "edges":  # about the limits of dot2's scaling (FP64), of overflow and of the squares' range
        tops = (-401, -400, -399, 479, 480, 481, 1000, 1023, -537, -600, -1000) if prefix == "d" else (-140, -126, -70, 60, 120, 127)
        top = pick(rng, tops)
        e = top - (rng.randint(0, 3, size=n) if rng.randint(2) else rng.randint(0, 60, size=n))
        x = scale(mantissas(rng, n, prefix), e, prefix)
        if n and rng.randint(2):
            x[rng.randint(n)] = scale(np.ones(()), top, prefix)
        return x
    if kind == "tiny":  # results that are subnormal
        return (rng.randint(-3, 4, size=n) * 2.0 ** LEAST[prefix]).astype(DTYPE[prefix])
    return operands(rng, kind, 1, n, 1, prefix)[0][0]


def make_norm(routine):
    def make(name, prefix, mode_group, shape=None, kind=None, mode=None, work=30000):
        rng = generator(name)
        if shape is not None:
            n = shape
        else:
            n = min(pick(rng, (0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 129, 500, 1023, 1024, 1025, 2049, 3073, 5121, 7200, 20000)), work)
        kind = kind or pick(rng, NORM_KINDS)
        mode = mode or mode_word(rng, mode_group, prefix)
        x = norm_operand(rng, kind, n, prefix)
        dtype = DTYPE[prefix]
        case = Case(name, prefix, routine, routine, mode, kind, 1.0, 0.0, x.reshape(1, n), np.zeros((n, 1), dtype),
                    np.zeros((1, 1), dtype))
        buffer_x, incx, _ = vector_buffer(x, rng, prefix)
        case.where = np.zeros((1, 1), np.int64)
        case.offsets = [0, 0, 0]
        case.arguments = [n, "A", incx, "C"]
        finish_case(case, rng, [buffer_x, filled(1, prefix), filled(1, prefix)], True)
        return case

    return make


def finish_case(case, rng, buffers, c_unread):
    """Poisons what must not be read, and sometimes passes NULL for it."""
    case.buffers = buffers
    prefix = case.prefix
    if c_unread:
        buffers[2].view(BITS[prefix])[case.where] = POISON[prefix]
    m, k = case.a.shape
    if case.routine in ("gemm", "gemv") and (case.alpha == 0 or k == 0) and rng.randint(2):
        if rng.randint(2):
            case.null_operands = True
        else:
            for buffer in buffers[:2]:
                buffer.view(BITS[prefix])[:] = POISON[prefix]


MAKERS = {"gemm": make_gemm, "gemv": make_gemv, "dot": make_dot, "nrm2": make_norm("nrm2"), "asum": make_norm("asum")}


def from_name(name):
    """"dgemm:cr:17": the 17th random case of the group; anything after a fourth field is part of the seed only."""
    routine, group, _ = name.split(":")[:3]
    return MAKERS[routine[1:]](name, routine[0], group)
