"""Dot2 in its tabled order: the pairs (s, c) of docs/modes.md by binary64 operations, one after the other."""

import numpy as np

from dyadic import BINARY64, add_dyadic, decompose, fma64, round_dyadic


def six_operations(a, b):
    """TwoSum: s = a + b and, where no operation overflows, the exact a + b - s."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_sum(a, b):
    """s = a + b and the exact a + b - s, a binary64 number whenever s is finite. The six operations can
    overflow where abs(b) is the largest finite number; there the error is formed exactly."""
    s, e = six_operations(a, b)
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
        finite = np.isfinite(p)  # otherwise IEEE's fma: of finite factors -p, of others NaN
        e = np.where(finite, e, np.where(np.isfinite(x) & np.isfinite(y), -p, np.nan))
        left = finite & ~safe
        x, y, p = (v[left].tolist() for v in np.broadcast_arrays(x, y, p))
        e[left] = [fma64(*factors, -product) for *factors, product in zip(x, y, p)]
    return e


def dot2_steps(pair, x, y, single):
    """The pair after a step for each entry along the first axis of x y."""
    products = x * y
    s, c = pair
    if single:
        for p in products:
            s = s + p
        return s, c
    errors = product_error(x, y, products)

    def steps(s, c, add):
        for p, e in zip(products, errors):
            s, q = add(s, p)
            c = c + (q + e)
        return s, c

    sums, rest = steps(s, c, six_operations)
    # An error that overflowed has left its c without a finite value: then all again, with two_sum's care.
    return steps(s, c, two_sum) if np.any(np.isfinite(sums) & ~np.isfinite(rest)) else (sums, rest)


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
        terms = slice(start, start + 128)
        block = dot2_steps((np.zeros(shape), np.zeros(shape)), a.T[terms, :, None], b[terms, None, :], single)
        total = block if total is None else dot2_combine(total, block, single)
    return total


def dot2_dot_pair(x, y, single):
    """DOT: 32 lanes in blocks of 1024 elements, a binary tree over the blocks, then over the lanes."""
    n = x.size
    blocks = -(-n // 1024)
    s = np.zeros((blocks, 32))
    c = np.zeros((blocks, 32))
    # Lanes without an element are left alone: whole blocks, the whole steps of the last one, and what is left.
    whole, steps = n // 1024, n // 32
    for block, count, start, end, lanes in ((0, whole, 0, 1024 * whole, 32), (whole, 1, 1024 * whole, 32 * steps, 32),
                                            (whole, 1, 32 * steps, n, n % 32)):
        if start < end:
            place = slice(block, block + count), slice(0, lanes)
            terms = [v[start:end].reshape(count, -1, lanes).swapaxes(0, 1) for v in (x, y)]
            s[place], c[place] = dot2_steps((s[place], c[place]), *terms, single)

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
