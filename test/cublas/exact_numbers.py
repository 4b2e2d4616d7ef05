"""Exact numbers in Python integers: (m, e) is m 2^e, a complex one is two of them; their one rounding; and the numbers of a call."""
import math
import struct

NAN = float("nan")


def dyadic(x):
    m, e = math.frexp(x)
    return int(m * 2**53), e - 53


def add(x, y):
    (m, e), (n, f) = x, y
    if m == 0 or n == 0:
        return y if m == 0 else x
    least = min(e, f)
    return (m << e - least) + (n << f - least), least


def times(x, y):
    return x[0] * y[0], x[1] + y[1]


def negative(x):
    return -x[0], x[1]


ZERO = ((0, 0), (0, 0))


def exact(z):
    return dyadic(z[0]), dyadic(z[1])


def cadd(x, y):
    return add(x[0], y[0]), add(x[1], y[1])


def cmul(x, y):
    return add(times(x[0], y[0]), negative(times(x[1], y[1]))), add(times(x[0], y[1]), times(x[1], y[0]))


def conj(x):
    return x[0], negative(x[1])


def rounded(m, e, single, sticky=False):
    """m 2^e, and a little more where sticky, to nearest."""
    if m == 0:
        return 0.0
    precision, least = (24, -149) if single else (53, -1074)
    sign, m = (-1 if m < 0 else 1), abs(m) << 66
    e -= 66
    m |= sticky
    ulp = max(e + m.bit_length() - precision, least)
    q, rest = divmod(m << max(0, e - ulp), 1 << max(0, ulp - e))
    half = 1 << max(0, ulp - e) >> 1
    q += half > 0 and (rest > half or (rest == half and q & 1))
    try:
        value = math.ldexp(q, ulp)
    except OverflowError:
        value = math.inf
    return sign * (math.inf if single and value >= 2.0**128 else value)


def quotient(y, d, single):
    (m, e), (n, f) = y, d
    sign = -1 if (m < 0) != (n < 0) else 1
    shift = max(0, 130 + abs(n).bit_length() - abs(m).bit_length())
    q, rest = divmod(abs(m) << shift, abs(n))
    return rounded(sign * q, e - f - shift, single, rest != 0)


class Case:
    """Operands of one call: numbers are (re, im), arrays lists of them; `c` is what the call overwrites."""

    def __init__(self, letter, kind, rng, memory):
        self.letter, self.kind, self.rng, self.memory = letter, kind, rng, memory
        self.single, self.complex = letter in "SC", letter in "CZ"

    def real(self, kind=None):
        rng, single = self.rng, self.single
        kind = kind or self.kind
        bits = 24 if single else 53
        unit = 2.0 ** (1 - bits)
        if kind == "cancel":
            x = rng.choice((1, -1)) * (1 + rng.randrange(4) * unit) * 2.0 ** rng.choice((-12, 0, 12))
        elif kind == "ties":
            x = rng.choice((0.0, 1.0, -1.0, 2.0**-20))
        else:
            span, middle = {"plain": (3, 0), "wide": (18, 0) if single else (150, 0), "tiny": (9, -70) if single else (30, -530),
                            "huge": (2, 62) if single else (3, 510)}[kind]
            x = rng.choice((1, -1)) * (rng.getrandbits(bits) | 1) * unit * 2.0 ** (middle + rng.randint(-span, span))
        return struct.unpack("f", struct.pack("f", x))[0] if single else x

    def nan(self):
        return NAN, NAN if self.complex else 0.0

    def number(self, kind=None):
        return self.real(kind), self.real(kind) if self.complex else 0.0

    def added(self):
        """Returns a number to which products are added."""
        if self.kind != "ties":
            return self.number()
        odd = lambda: float(2 * (2 * self.rng.getrandbits(22 if self.single else 51) + 1 + (1 << (23 if self.single else 52))))
        return odd(), odd() if self.complex else 0.0

    def factor(self, real=False, kinds=("plain", "one", "zero")):
        kind = "one" if self.kind == "ties" else self.rng.choice(kinds)
        if kind in ("one", "zero"):
            return (1.0 if kind == "one" else 0.0), 0.0
        z = self.number("plain")
        return (z[0], 0.0) if real else z

    def array(self, count, make=None):
        return [(make or self.number)() for _ in range(count)]

    def pack(self, numbers):
        flat = [part for z in numbers for part in (z if self.complex else z[:1])]
        return struct.pack(f"{len(flat)}{'f' if self.single else 'd'}", *flat)

    def unpack(self, data):
        flat = struct.unpack(f"{len(data) // (4 if self.single else 8)}{'f' if self.single else 'd'}", data)
        return list(zip(flat[::2], flat[1::2])) if self.complex else [(x, 0.0) for x in flat]

    def round(self, x):
        return rounded(*x[0], self.single), rounded(*x[1], self.single) if self.complex else 0.0
