"""The operands of data.py for complex types too: real kinds as the components of complex matrices.

A kind may name a style after a space ("halfway im"); else it is drawn.
"""

import numpy as np

import data
from norm_data import norm_operand
from values import COMPLEX, COMPONENT, DTYPE, PRECISION, pick, scale, words

# re, im: the real operands of inner dimension 2k of which the kind speaks make that component of the product, term by term.
# parts: components of their own. apart: those, the imaginary one far below the other. real: a zero component in A, B or both.
# Named only: pure, no imaginary parts.
STYLES = ("re", "re", "im", "im", "parts", "apart", "real")


def joined(re, im, prefix):
    """Complex numbers with these components, bit by bit."""
    x = np.empty(re.shape, DTYPE[prefix])
    for component, part in enumerate((re, im)):
        words(x)[..., component] = words(part)[..., 0]
    return x


def zero_part(rng, x, prefix):
    """x with zeros, some of them negative, for its imaginary or its real parts."""
    zeros = np.where(rng.randint(0, 2, size=x.shape), 0.0, -0.0).astype(DTYPE[COMPONENT[prefix]])
    return joined(x.real, zeros, prefix) if rng.randint(4) else joined(zeros, x.imag, prefix)


def operands(rng, kind, m, k, n, prefix):
    if prefix not in COMPLEX:
        return data.operands(rng, kind, m, k, n, prefix)
    real = COMPONENT[prefix]
    kind, _, style = kind.partition(" ")
    style = style or pick(rng, STYLES)
    if style in ("re", "im"):
        a, b = data.operands(rng, kind, m, 2 * k, n, real)
        parts = (b[0::2], -b[1::2]) if style == "re" else (b[1::2], b[0::2])
        return joined(a[:, 0::2], a[:, 1::2], prefix), joined(*parts, prefix)
    (ar, br), (ai, bi) = (data.operands(rng, kind, m, k, n, real) for _ in range(2))
    if style == "apart":
        ai, bi = (scale(x, -rng.randint(0, 2 * PRECISION[real]), real) for x in (ai, bi))
    if style == "pure":
        ai, bi = np.zeros_like(ai), np.zeros_like(bi)
    a, b = joined(ar, ai, prefix), joined(br, bi, prefix)
    if style == "real":
        which = rng.randint(3)
        a = zero_part(rng, a, prefix) if which != 1 else a
        b = zero_part(rng, b, prefix) if which != 0 else b
    return a, b


def norm_of_numbers(rng, kind, n, prefix):
    """x of a norm."""
    if prefix not in COMPLEX:
        return norm_operand(rng, kind, n, prefix)
    entries = norm_operand(rng, kind, 2 * n, COMPONENT[prefix])
    return joined(entries[0::2], entries[1::2], prefix)


def scalar(rng, prefix):
    """alpha or beta."""
    if prefix not in COMPLEX:
        return data.scalar(rng, prefix)
    real = COMPONENT[prefix]
    one, two = data.scalar(rng, real), data.scalar(rng, real)
    zero = pick(rng, (0.0, -0.0))
    kind = rng.randint(8)
    if kind < 3:
        return complex(one, zero)
    if kind == 3:
        return complex(zero, one)
    return complex(one, two)


def c_values(rng, m, n, prefix, kind):
    if prefix not in COMPLEX:
        return data.c_values(rng, m, n, prefix, kind)
    real, kind = COMPONENT[prefix], kind.split(" ")[0]
    return joined(data.c_values(rng, m, n, real, kind), data.c_values(rng, m, n, real, kind), prefix)
