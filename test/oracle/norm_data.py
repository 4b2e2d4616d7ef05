"""x of the norms: the operands of data.py, and vectors that aim at the root."""

import numpy as np

from data import operands
from values import DTYPE, LEAST, PRECISION, mantissas, pick, scale

NORM_KINDS = ["roots", "roots", "edges", "edges", "tiny", "phi0", "phi1", "phi2", "phi10", "positive", "scaled", "sparse", "powers",
              "near_powers", "integers", "largest", "ties", "halfway", "subnormal", "huge", "zeros", "special", "special", "wild"]


def norm_operand(rng, kind, n, prefix):
    """x of a norm; the kinds that are no kinds of `operands` aim at the root."""
    p = PRECISION[prefix]
    if kind == "roots":
        # Sums of squares that are squares or nearly so: with r = 2^p + 1, r^2 = (2^p)^2 + (2^j)^2 2^i + 1 lies at the square of
        # a number halfway between two of the type. asum has such halfway cases too.
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
    if kind == "order":
        # A sum, or a sum of squares, that lies above the middle of two numbers by tails that add up to more than each of them
        # is: what dot2 returns depends on its order. All in one lane, in lanes or in blocks of their own.
        head, tail = pick(rng, {"d": (([1.0, 2.0**-53], [2.0**-106] * 2), ([1.0, 2.0**-26, 2.0**-53], [2.0**-80] * 4)),
                                "s": (([1.0, 2.0**-24], [2.0**-53] * 2), ([1.0] + [2.0**-12] * 2 + [2.0**-24], [2.0**-27] * 4))}[prefix])
        parts = (head + tail)[:: pick(rng, (1, -1))]
        step = pick(rng, [s for s in (1, 32, 1024) if (len(parts) - 1) * s < n])
        x = np.zeros(n)
        x[rng.randint(n - (len(parts) - 1) * step) :: step][: len(parts)] = parts
        return x.astype(DTYPE[prefix])
    if kind == "beyond":  # a little more than the square of a middle: 64 bits of the root do not show it
        parts = {"d": [1.0, 2.0**-26, 2.0**-53, 2.0**-57], "s": [1.0] + [2.0**-12] * 2 + [2.0**-24, 2.0**-40]}[prefix]
        return np.array(parts + [0.0] * (n - len(parts)))[rng.permutation(n)].astype(DTYPE[prefix])
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
