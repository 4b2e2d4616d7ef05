"""Numbers of FP64 and FP32 as seeded test data.

Random numbers come from numpy's RandomState, whose stream is frozen; no libm function takes part, so that golden
checksums hold everywhere.
"""

import zlib

import numpy as np

COMPONENT = {"d": "d", "s": "s", "z": "d", "c": "s"}  # the type of a number's components
COMPLEX = "zc"
DTYPE = {"d": np.float64, "s": np.float32, "z": np.complex128, "c": np.complex64}
BITS = {"d": np.uint64, "s": np.uint32}
POISON = {"d": np.uint64(0xFFF4DEADBEEF0123), "s": np.uint32(0xFFA5CDEF)}  # signalling NaNs with a payload
POISON |= {prefix: POISON[COMPONENT[prefix]] for prefix in COMPLEX}
PRECISION = {"d": 53, "s": 24}
LEAST = {"d": -1074, "s": -149}
GREATEST = {"d": 1023, "s": 127}


def generator(name):
    return np.random.RandomState(zlib.crc32(name.encode()))


def words(x):
    """The bits of the components of x's numbers along a last axis; a view where x is contiguous."""
    x = np.ascontiguousarray(x)
    bits = BITS["d" if x.real.itemsize == 8 else "s"]
    return x.view(bits).reshape(*x.shape, x.itemsize // np.dtype(bits).itemsize)


def pick(rng, items):
    return items[rng.randint(len(items))]


def scale(x, e, prefix):
    """x 2^e rounded to the type, by integer exponents (ldexp is exact but for the last rounding)."""
    with np.errstate(all="ignore"):
        return np.ldexp(x, np.asarray(e, dtype=np.int64).astype(np.int32)).astype(DTYPE[prefix])


def signs(rng, shape):
    return np.where(rng.randint(0, 2, size=shape), 1.0, -1.0)


def mantissas(rng, shape, prefix):
    """Full-width values in +-[1, 2)."""
    bits = PRECISION[prefix] - 1
    low = rng.randint(0, 1 << 26, size=shape).astype(np.float64) * 2.0**-26
    low = low + rng.randint(0, 1 << 26, size=shape) * 2.0**-52
    if bits < 52:
        low = np.floor(low * 2.0**bits) * 2.0**-bits
    return (1.0 + low) * signs(rng, shape)


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


def poison_nans(x, prefix):
    """Gives every NaN a sign and a payload."""
    x = np.ascontiguousarray(x)
    bits = x.view(BITS[prefix])
    bits[np.isnan(x)] = POISON[prefix]
    return x
