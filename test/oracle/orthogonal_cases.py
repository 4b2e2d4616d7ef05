"""Seeded cases of LAPACK's QR factorization, of what is made of its reflectors, and of GELS. The C buffer of a case holds A, tau, C
(or B) and info, one after the other."""

import numpy as np

import complex as complex_types
import modes
import orthogonal
from cases import Case, mode_word
from complex_data import operands
from data import KINDS, drawn_kind, with_pattern
from matrices import NAMES
from factorization_cases import Buffer, lu_operand
from placement import COL, CONJ, NO, ROW, TRANS, place_standard
from values import COMPLEX, COMPONENT, DTYPE, generator, pick, scale, words

ORDERS = (0, 1, 1, 2, 3, 4, 5, 6, 8, 9, 13, 34)
SIDES = (0, 1, 2, 3, 7)
LEFT, RIGHT = 141, 142
# Kinds of their own: columns that are zero below the diagonal, columns with norms that are subnormal or next to an overflow,
# columns with norms in the last binades (C and B have them, too).
OWN_KINDS = ["small", "top columns", "upper", "zeros apart", "brim", "subnormal columns", "top columns", "singular", "plain"]
PREFIXED = {"geqrf": "geqrf", "gels": "gels", "orgqr": "gqr", "ungqr": "gqr", "ormqr": "mqr", "unmqr": "mqr"}


def quiet(x, prefix):
    """Returns x with quiet NaNs: elements that a call leaves alone keep theirs, which the oracle does not follow."""
    x = np.ascontiguousarray(x.astype(DTYPE[prefix]))
    bits = words(x)
    kind = DTYPE[COMPONENT[prefix]]
    bits[np.isnan(bits.view(kind))] = np.array(np.nan, kind).view(bits.dtype)
    return x


def parts_scaled(x, exponents, prefix):
    if prefix not in COMPLEX:
        return scale(x, exponents, prefix)
    real = COMPONENT[prefix]
    return (scale(x.real, exponents, real) + 1j * scale(x.imag, exponents, real)).astype(DTYPE[prefix])


def operand(rng, kind, m, n, prefix):
    single = COMPONENT[prefix] == "s"
    if kind in ("small", "singular"):
        return quiet(lu_operand(rng, kind, m, n, prefix), prefix)
    if kind in KINDS + NAMES:
        return quiet(operands(rng, kind, m, n, 1, prefix)[0], prefix)
    a = operands(rng, "phi1", m, n, 1, prefix)[0]
    if kind == "upper":
        a = np.triu(a)
    if kind == "zeros apart":
        a[:, rng.random_sample(n) < 0.4] = pick(rng, (0.0, -0.0))
    if kind == "brim":
        a = parts_scaled(a, 123 if single else 1019, prefix)
    if kind == "top columns":
        a = top_columns(rng, a, prefix)
    if kind == "subnormal columns":
        a = parts_scaled(a, -rng.randint(120, 149, size=n) if single else -rng.randint(1015, 1074, size=n), prefix)
    return quiet(a, prefix)


def top_columns(rng, a, prefix):
    """Three of four columns get norms in the last four binades, the last above all, and a few of the least numbers."""
    most, least = (128, -149) if COMPONENT[prefix] == "s" else (1024, -1074)
    norms = np.linalg.norm(a.astype(np.result_type(a.dtype, np.float64)), axis=0)
    exponents = np.array([most - np.frexp(norm)[1] - pick(rng, (0, 0, 1, 2, 3)) if rng.randint(4) else 0 for norm in norms])
    a = parts_scaled(a, exponents.astype(int), prefix)
    tiny = rng.random_sample(a.shape) < 0.15
    a[tiny] = np.ldexp(rng.randint(-8, 9, size=tiny.sum()).astype(float), least)
    return a


def adjoint_of(prefix):
    return CONJ if prefix in COMPLEX else TRANS


def reflectors(rng, kind, m, k, prefix):
    """Returns operands as GEQRF leaves them: v's below the diagonal, and taus of no special norm; R's place is not read."""
    a = operand(rng, kind, m, k, prefix)
    tau = operands(rng, "phi0", k, 1, 1, prefix)[0][:, 0]
    with np.errstate(all="ignore"):
        for j in range(k):
            v = a[j + 1 :, j].astype(np.result_type(a.dtype, np.float64))
            if rng.randint(3) and np.isfinite(v).all():
                tau[j] = 2 / (1 + np.vdot(v, v).real)
            if rng.randint(8) == 0:
                tau[j] = 0
    return a, quiet(tau, prefix)


def make(name, prefix, group, routine, work=14000):
    rng = generator(name)
    mode, layout, of_complex = mode_word(rng, group, prefix), pick(rng, (ROW, COL)), prefix in COMPLEX
    short = PREFIXED[routine]
    left, trans = rng.randint(2) == 0, pick(rng, (NO, adjoint_of(prefix)))
    while True:
        m, n, k, nrhs = (pick(rng, ORDERS) for _ in range(4))
        k, nrhs = min(k, m if short == "mqr" and left else n), min(nrhs, pick(rng, SIDES))
        if short == "gqr" and n > m:
            m, n = n, m
            k = min(k, n)
        least = min(m, n)
        cost = m * n * least + max(m, n) * least * nrhs if short in ("geqrf", "gels") else m * n * k
        if cost * (4 if of_complex else 1) <= 3 * work or max(m, n) <= 2:
            break
    # By turns: the seeds of neighbours are too near each other to leave it to chance.
    index = int(name.split(":")[2])
    kind = OWN_KINDS[index // 2 % len(OWN_KINDS)] if index % 2 and not name.endswith(":matrices") else drawn_kind(rng, name)
    top = kind == "top columns"
    tau, c = None, None
    with np.errstate(all="ignore"):
        if short in ("gqr", "mqr"):
            a, tau = reflectors(rng, "plain" if top or rng.randint(3) else kind, m if short == "gqr" or left else n, k, prefix)
            if short == "gqr":
                a = np.hstack([a, operand(rng, "plain", m, n - k, prefix)])
        else:
            drawn = operand(rng, "plain" if top and short == "gels" and rng.randint(2) else kind, m, n, prefix)
            a = with_pattern(name, drawn)
        if short == "mqr":
            c = operand(rng, "plain" if not top and rng.randint(3) else kind, m, n, prefix)
        if short == "gels":
            c = operand(rng, kind if top else "plain", max(m, n), nrhs, prefix)
    memory, starts = Buffer(prefix), {}
    buffer_a, lda, where_a = place_standard(a, layout, NO, rng, prefix)
    starts["A"] = memory.add(buffer_a)
    if short != "gels":
        # One more, so that a write behind the end shows.
        given = np.zeros(len(tau) if tau is not None else least, DTYPE[prefix]) if tau is None else tau
        buffer_tau, _, where_tau = place_standard(given.reshape(-1, 1), COL, NO, rng, prefix)
        starts["T"] = memory.add(buffer_tau)
    if c is not None:
        buffer_c, ldc, where_c = place_standard(c, layout, NO, rng, prefix)
        starts["X"] = memory.add(buffer_c)
    if short == "gels":
        starts["I"] = memory.add(memory.integers([-1]))
    case = Case(name, prefix, routine, routine, mode, kind, 1.0, 0.0, a, c if c is not None else a[:, :0], a)
    nothing = np.zeros(1, DTYPE[prefix])
    case.buffers = [nothing, nothing.copy(), memory.joined()]
    case.within, case.offsets, case.where = starts, [0, 0, 0], starts["A"] + where_a
    case.arguments = {"geqrf": lambda: [layout, m, n, "A", lda, "T"],
                      "gqr": lambda: [layout, m, n, k, "A", lda, "T"],
                      "mqr": lambda: [layout, LEFT if left else RIGHT, trans, m, n, k, "A", lda, "T", "X", ldc],
                      "gels": lambda: [layout, trans, m, n, nrhs, "A", lda, "X", ldc, "I"]}[short]()
    case.factored = dict(short=short, left=left, adjoint=trans != NO, tau=tau, c=c,
                         where_tau=starts["T"] + where_tau if short != "gels" else None,
                         where_c=starts["X"] + where_c if c is not None else None)
    return case


def expected(case, fmt):
    """The bits of the buffer after the call."""
    f, prefix = case.factored, case.prefix
    wide = np.result_type(DTYPE[prefix], np.float64)
    on = orthogonal.Arithmetic(fmt, complex_types.FIELD if prefix in COMPLEX else modes.REAL)
    bits = words(case.buffers[2]).copy()

    def write(where, values):
        with np.errstate(all="ignore"):
            numbers = words(np.array(values, wide).astype(DTYPE[prefix]).reshape(where.shape))
        numbers[np.isnan(numbers.view(fmt.dtype))] = fmt.nan_bits
        bits[where] = numbers

    with np.errstate(all="ignore"):
        a = case.a.astype(wide)
        tau = None if f["tau"] is None else list(f["tau"].astype(wide))
        c = None if f["c"] is None else f["c"].astype(wide)
        if f["short"] == "geqrf":
            new_a, taus = orthogonal.geqrf(on, a)
            write(case.where, new_a)
            write(f["where_tau"], np.array(taus, wide).reshape(-1, 1))
        elif f["short"] == "gqr":
            write(case.where, orthogonal.orgqr(on, a, tau))
        elif f["short"] == "mqr":
            write(f["where_c"], orthogonal.ormqr(on, f["left"], f["adjoint"], a, tau, c) if tau and c.size else c)
        else:
            new_a, new_c, info = orthogonal.gels(on, a, c, f["adjoint"])
            write(case.where, new_a)
            write(f["where_c"], new_c)
            raw = bits.reshape(-1).view(np.uint8)
            start = case.within["I"] * case.buffers[2].itemsize
            raw[start : start + 8] = np.array([info], np.int64).view(np.uint8)
    return bits.reshape(-1)
