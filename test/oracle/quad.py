"""Products beyond double precision in Python's integers: docs/more-than-double.md as code.

A number is (m, e, s): m 2^e with an integer m, and the sign s of a zero; or INF, -INF or NAN. Formats: "b" binary64, "q" binary128, "w" a pair
of binary64 numbers, which stands for its exact sum.
"""

import struct
import sys
from math import isqrt

NAN, INF, MINUS_INF = "nan", "+inf", "-inf"
# digits, exponent of the last bit of subnormal numbers, exponent above all finite numbers, bytes
FORMATS = {"b": (53, -1074, 1024, 8), "q": (113, -16494, 16384, 16), "w": (53, -1074, 1024, 16)}
WIDTH = {"b": 52, "q": 112}


def finite(x):
    return not isinstance(x, str)


def number(m, e=0):
    return (m, e, m < 0)


ZERO, ONE = number(0), number(1)


def rounded(x, form, sticky=False):
    """RN of a finite number; `sticky` says that the magnitude is a little larger."""
    digits, least, above, _ = FORMATS[form]
    m, e, negative = x
    size = abs(m)
    if size == 0:
        return (0, 0, negative)
    last = max(e + size.bit_length() - digits, least)
    if last > e:
        kept, rest = size >> (last - e), size & ((1 << (last - e)) - 1)
        half = 1 << (last - e - 1)
        kept += rest > half or (rest == half and (sticky or kept & 1))
    else:
        kept = size << (e - last)
    if kept and last + kept.bit_length() > above:
        return MINUS_INF if m < 0 else INF
    return (-kept if m < 0 else kept, last, m < 0)


def add(x, y):
    e = min(x[1], y[1])
    return number((x[0] << (x[1] - e)) + (y[0] << (y[1] - e)), e)


# ---- Bytes ----


def to_bytes(x, form):
    """The bytes of a number that the format has (of a pair: of a tuple of two)."""
    if form == "w":
        return to_bytes(x[0], "b") + to_bytes(x[1], "b")
    digits, least, above, size = FORMATS[form]
    width, top = WIDTH[form], size * 8 - 1
    infinity = ((1 << (top - width)) - 1) << width
    if x == NAN:
        bits = infinity | 1 << (width - 1)
    elif x in (INF, MINUS_INF):
        bits = infinity | (x == MINUS_INF) << top
    else:
        m, e, negative = x
        m = abs(m)
        if m:
            shift = max(m.bit_length() + e - digits, least) - e
            assert shift <= 0 or m & ((1 << shift) - 1) == 0, "not a number of the format"
            m, e = (m >> shift if shift > 0 else m << -shift), e + shift
            m += (e - least) << width
        bits = m | negative << top
    return bits.to_bytes(size, sys.byteorder)


def from_bytes(raw, form):
    if form == "w":
        return (from_bytes(raw[:8], "b"), from_bytes(raw[8:], "b"))
    _, least, _, size = FORMATS[form]
    width, bits = WIDTH[form], int.from_bytes(raw, sys.byteorder)
    negative, bits = bits >> (size * 8 - 1) == 1, bits & ((1 << (size * 8 - 1)) - 1)
    field, fraction = bits >> width, bits & ((1 << width) - 1)
    if field == (1 << (size * 8 - 1 - width)) - 1:
        return NAN if fraction else MINUS_INF if negative else INF
    m = fraction | (field > 0) << width
    return (-m if negative else m, max(field - 1, 0) + least, negative)


def double(x):
    """A float as a number."""
    return from_bytes(struct.pack("=d", x), "b")


# ---- Extended reals ----


def multiply(x, y):
    if x == NAN or y == NAN:
        return NAN
    if finite(x) and finite(y):
        return (x[0] * y[0], x[1] + y[1], x[2] != y[2])
    if (finite(x) and x[0] == 0) or (finite(y) and y[0] == 0):
        return NAN
    negative = [x[2] if finite(x) else x == MINUS_INF, y[2] if finite(y) else y == MINUS_INF]
    return MINUS_INF if negative[0] != negative[1] else INF


def total(terms):
    """The sum of terms in the extended reals; an exact zero is +0."""
    special = {x for x in terms if not finite(x)}
    if special:
        return special.pop() if len(special) == 1 else NAN
    if not terms:
        return ZERO
    e = min(x[1] for x in terms)
    return number(sum(x[0] << (x[1] - e) for x in terms), e)


def value(x, form):
    """The value of a number of a format: of a pair, that of its sum."""
    if form != "w":
        return x
    high, low = x
    if not finite(high) or not finite(low):
        return total([high, low])
    if low[0] == 0:
        return high
    return low if high[0] == 0 else total([high, low])


def result(x, form):
    """The result in the format, of an exact value."""
    if form != "w":
        return rounded(x, form) if finite(x) else x
    high = rounded(x, "b") if finite(x) else x
    if not finite(high):
        return (high, ZERO)
    rest = add(x, (-high[0], high[1], False))
    return (high, (0, 0, rest[2]) if rest[0] == 0 else rounded(rest, "b"))


def scaled(beta, c, form):
    """The IEEE product beta c; +0 if beta is 0."""
    if finite(beta) and beta[0] == 0:
        return result(ZERO, form)
    product = multiply(beta, c)
    if finite(product) and product[0] == 0:
        zero = (0, 0, product[2])
        return (zero, ZERO) if form == "w" else zero
    return result(product, form)


def element(alpha, row, column, beta, c, form):
    """alpha S + beta c, rounded once."""
    if not row or (finite(alpha) and alpha[0] == 0):
        return scaled(beta, c, form)
    s = total([multiply(x, y) for x, y in zip(row, column)])
    terms = [multiply(alpha, s)]
    if not (finite(beta) and beta[0] == 0):
        terms.append(multiply(beta, c))
    return result(total(terms), form)


def norm(x):
    """The Euclidean norm of binary128 numbers."""
    if NAN in x:
        return NAN
    if not all(map(finite, x)):
        return INF
    m, e, _ = total([multiply(v, v) for v in x])
    if m == 0:
        return ZERO
    # A root of more than 113 bits and the sign of the rest.
    shift = max(0, 260 - m.bit_length())
    shift += (e - shift) % 2
    root = isqrt(m << shift)
    exact = root * root == m << shift
    return rounded(number(2 * root + (not exact), (e - shift) // 2 - 1), "q")


def quotient(y, pivot):
    """RN(y / pivot) in binary128 by the rules of TRSM."""
    if y == NAN or pivot == NAN:
        return NAN
    if not finite(pivot):
        if not finite(y):
            return NAN
        negative = y[0] != 0 and (y[0] < 0) != (pivot == MINUS_INF)
        return (0, 0, negative)
    sign = lambda x: x[2] if finite(x) else x == MINUS_INF  # noqa: E731
    if not finite(y) or pivot[0] == 0:
        if finite(y) and y[0] == 0:
            return NAN
        return MINUS_INF if sign(y) != sign(pivot) else INF
    if y[0] == 0:
        return ZERO
    n, d = abs(y[0]), abs(pivot[0])
    shift = max(0, 130 + d.bit_length() - n.bit_length())
    q, rest = divmod(n << shift, d)
    q = 2 * q + (rest != 0)
    return rounded(number(-q if (y[0] < 0) != (pivot[0] < 0) else q, y[1] - pivot[1] - shift - 1), "q")


def solve(upper, unit, alpha, a, b):
    """The solutions X of A X = alpha B, both lists of rows."""
    m, x = len(a), [list(row) for row in b]
    if finite(alpha) and alpha[0] == 0:
        return [[ZERO] * len(row) for row in b]
    for j in range(len(b[0]) if b else 0):
        for i in reversed(range(m)) if upper else range(m):
            before = range(i + 1, m) if upper else range(i)
            y = total([multiply(alpha, b[i][j])] + [multiply(multiply(number(-1), a[i][p]), x[p][j]) for p in before])
            x[i][j] = quotient(y, ONE if unit else a[i][i])
    return x
