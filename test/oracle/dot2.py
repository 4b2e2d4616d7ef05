"""Dot2 in its tabled order: the pairs (s, c) of docs/modes.md by binary64 operations, one after the other."""

import numpy as np

from dyadic import BINARY64, add_dyadic, decompose, fma64, round_dyadic


def two_sum(a, b):
    """s = a + b and the exact a + b - s, a binary64 number whenever s is finite. The sequence of six operations can
    overflow where abs(b) is the largest finite number; there the error is formed exactly."""
    s = a + b
    t = s - a
    e = (a - (s - t)) + (b - t)
    wrong = np.isfinite(s) & ~np.isfinite(e)
    if np.any(wrong):
        s, e = np.array(s), np.array(e)
        a, b = np.broadcast_to(a, s.shape), np.broadcast_to(b, s.shape)
        for index in zip(*np.nonzero(wrong)):
            m, x = add_dyadic(add_dyadic(decompose(float(a[index])), decompose(float(b[index]))),
                              decompose(-float(s[index])))
            e[index] = round_dyadic(m, x, BINARY64)
    return s, e


def product_error(x, y, p):
    """fma(x, y, -p) for p = x y, elementwise: Dekker's product where it is exact, integers elsewhere."""
    ax, ay, ap = np.abs(x), np.abs(y), np.abs(p)
    safe = (ax < 2.0**970) & (ay < 2.0**970) & ((ap > 2.0**-960) | (ax == 0) | (ay == 0)) & (ap < 2.0**1000)
    xs = x * 134217729.0
    xh = xs - (xs - x)
    xl = x - xh
    ys = y * 134217729.0
    yh = ys - (ys - y)
    yl = y - yh
    e = xl * yl - (((p - xh * yh) - xl * yh) - xh * yl)
    if not np.all(safe):
        x, y, p = np.broadcast_arrays(x, y, p)
        e = np.array(e)
        for index in zip(*np.nonzero(~safe)):
            e[index] = fma64(float(x[index]), float(y[index]), -float(p[index]))
    return e


def dot2_step(pair, x, y, single):
    s, c = pair
    p = x * y
    if single:
        return s + p, c
    e = product_error(x, y, p)
    s, q = two_sum(s, p)
    return s, c + (q + e)


def dot2_combine(one, two, single):
    (s1, c1), (s2, c2) = one, two
    if single:
        return s1 + s2, c1
    s, q = two_sum(s1, s2)
    return s, (c1 + c2) + q


def dot2_gemm_pairs(a, b, single):
    """GEMM and GEMV: one chain per output in blocks of 128 along p, combined left to right."""
    shape = (a.shape[0], b.shape[1])
    k = a.shape[1]
    total = None
    for start in range(0, k, 128):
        block = np.zeros(shape), np.zeros(shape)
        for p in range(start, min(start + 128, k)):
            block = dot2_step(block, a[:, p : p + 1], b[p : p + 1, :], single)
        total = block if total is None else dot2_combine(total, block, single)
    return total


def dot2_dot_pair(x, y, single):
    """DOT: 32 lanes in blocks of 1024 elements, a binary tree over the blocks, then over the lanes."""
    n = x.size
    blocks = -(-n // 1024)
    s = np.zeros((blocks, 32))
    c = np.zeros((blocks, 32))
    # Lanes without an element are left alone, so the last block is done step by step on its own elements.
    for block in range(blocks):
        xb, yb = x[1024 * block : 1024 * (block + 1)], y[1024 * block : 1024 * (block + 1)]
        for t in range(0, xb.size, 32):
            xs, ys = xb[t : t + 32], yb[t : t + 32]
            lanes = slice(0, xs.size)
            s[block, lanes], c[block, lanes] = dot2_step((s[block, lanes], c[block, lanes]), xs, ys, single)

    def tree(first, count):
        if count == 1:
            return s[first], c[first]
        left = 1
        while 2 * left < count:
            left *= 2
        return dot2_combine(tree(first, left), tree(first + left, count - left), single)

    sums, errors = tree(0, blocks)
    width = 16
    while width:
        sums, errors = dot2_combine((sums[:width], errors[:width]), (sums[width : 2 * width], errors[width : 2 * width]),
                                    single)
        width //= 2
    return sums.reshape(1, 1), errors.reshape(1, 1)
