"""Every routine of the drop-in for cuBLAS, looked up by its name and called as cuBLAS's manual has it, in mode cr: against that manual's
definitions in Python integers, rounded once. usage: exact.py LIBCUBLAS host|device [rounds [part of a name ...]]; under LD_PRELOAD of the
drop-in. host: on the stub; device: on the real cuBLAS, with factors in both kinds of memory."""
import ctypes
import math
import os
import random
import re
import sys

import names
from exact_memory import DeviceMemory, HostMemory
from exact_calls import C, COMPUTE, LEFT, N, T, TYPE, UNIT, UPPER, Call, finish, get, matrix, solved, symmetric, total, triangle, vector
from exact_numbers import ZERO, Case, add, cadd, cmul, conj, exact, rounded, times

def gemm_like(case, form, by_types, typed):
    rng = case.rng
    transa, transb = rng.choice((N, T, C)), rng.choice((N, T, C))
    m, n, k = (rng.randint(1, 6) for _ in "mnk")
    rows_a, cols_a = (m, k) if transa == N else (k, m)
    rows_b, cols_b = (k, n) if transb == N else (n, k)
    lda, ldb, ldc = rows_a + rng.randrange(3), rows_b + rng.randrange(3), m + rng.randrange(3)
    count = rng.randint(1, 3) if form else 1
    size_a, size_b, size_c = lda * cols_a, ldb * cols_b, ldc * n
    step = lambda size: rng.choice((0, size, -size, size + 3)) if form else 0
    sa, sb, sc = step(size_a), step(size_b), rng.choice((size_c, -size_c, size_c + 2))
    alpha, beta = case.factor(), case.factor()
    room = lambda size: size + (count - 1) * (size + 3)
    a, b, c = case.array(room(size_a)), case.array(room(size_b)), case.array(room(size_c), case.added)
    if alpha == (0.0, 0.0):
        a, b = [case.nan()] * len(a), [case.nan()] * len(b)
    if beta == (0.0, 0.0):
        c = [case.nan()] * len(c)
    starts = lambda s: [(i if s >= 0 else i - count + 1) * s for i in range(count)]
    pa, pb, pc = starts(sa), starts(sb), starts(sc)
    call = Call(case).word(transa, transb).size(m, n, k).factor(alpha)
    for array, places, s, ld in ((a, pa, sa, lda), (b, pb, sb, ldb)):
        if form == "Batched":
            call.arguments.append(("arrays", (case.pack(array), places)))
        else:
            call.array(array, first=places[0])
        if by_types:
            call.word(TYPE[case.letter])
        call.size(ld)
        if form == "StridedBatched":
            call.arguments.append(("long", s))
    call.factor(beta)
    if form == "StridedBatched" and sc < 0:  # the first one lies last
        sc, pc = -sc, starts(-sc)
    call.result(c, batch=pc if form == "Batched" else None)
    if by_types:
        call.word(TYPE[case.letter])
    call.size(ldc)
    if form == "StridedBatched":
        call.arguments.append(("long", sc))
    if form:
        call.size(count)
    if typed:
        call.word(COMPUTE[case.letter], -1)
    ea, eb = exact(alpha), exact(beta)

    def value(q, i, j):
        out = ZERO
        if alpha != (0.0, 0.0):
            opa, opb = matrix(a[pa[q]:], lda, transa), matrix(b[pb[q]:], ldb, transb)
            out = cmul(ea, total((opa(i, l), opb(l, j)) for l in range(k)))
        return out if beta == (0.0, 0.0) else cadd(out, cmul(eb, exact(c[pc[q] + i + j * ldc])))

    return finish(case, call, [((q, i, j), pc[q] + i + j * ldc) for q in range(count) for j in range(n) for i in range(m)], value)


def level3(case, routine):
    rng = case.rng
    uplo, side, op, unit = (rng.choice((0, 1)) for _ in range(4))
    m, n, k = (rng.randint(1, 6) for _ in "mnk")
    hermitian = routine.startswith("he")
    conjugate = C if hermitian else T
    if routine in ("symm", "hemm", "trmm", "trsm"):
        order = m if side == LEFT else n
        lda, ldb, ldc = order + rng.randrange(3), m + rng.randrange(3), m + rng.randrange(3)
        alpha, a, b = case.factor(kinds=("plain", "one")), case.array(lda * order), case.array(ldb * n)
        ea = exact(alpha)
        if routine.endswith("mm") and routine != "trmm":
            beta, c = case.factor(), case.array(ldc * n, case.added)
            if beta == (0.0, 0.0):
                c = [case.nan()] * len(c)
            at, eb = symmetric(a, lda, uplo, hermitian), exact(beta)
            call = Call(case).word(side, uplo).size(m, n).factor(alpha).array(a, lda).array(b, ldb).factor(beta).result(c, ldc)

            def value(i, j):
                terms = (((at(i, l), get(b, l + j * ldb)) if side == LEFT else (get(b, i + l * ldb), at(l, j))) for l in range(order))
                out = cmul(ea, total(terms))
                return out if beta == (0.0, 0.0) else cadd(out, cmul(eb, exact(c[i + j * ldc])))

            return finish(case, call, [((i, j), i + j * ldc) for j in range(n) for i in range(m)], value)
        op = rng.choice((N, T, C))
        if routine == "trsm":
            for i in range(order):
                a[i + i * lda] = case.number("plain")
        at, forward = triangle(a, lda, uplo, op, unit == UNIT)
        call = Call(case).word(side, uplo, op, unit).size(m, n).factor(alpha).array(a, lda)
        if routine == "trmm":
            c = case.array(ldc * n)
            call.array(b, ldb).result(c, ldc)
            return finish(case, call, [((i, j), i + j * ldc) for j in range(n) for i in range(m)], lambda i, j: cmul(ea, total(
                ((at(i, l), get(b, l + j * ldb)) if side == LEFT else (get(b, i + l * ldb), at(l, j))) for l in range(order))))
        call.result(b, ldb)
        call.expected = list(b)
        for q in range(n if side == LEFT else m):
            places = [i + q * ldb if side == LEFT else q + i * ldb for i in range(order)]
            mine = at if side == LEFT else lambda i, j: at(j, i)
            x = solved(case, mine, forward == (side == LEFT), order, ea, [exact(b[p]) for p in places])
            if x is None:
                return None
            for p, z in zip(places, x):
                call.expected[p] = z
        return call
    # one triangle of C
    op = rng.choice((N, C if hermitian else T))
    two = routine.endswith("2k")
    rows, cols = (n, k) if op == N else (k, n)
    lda, ldb, ldc = rows + rng.randrange(3), rows + rng.randrange(3), n + rng.randrange(3)
    real_alpha = hermitian and (not two or case.memory.on_device)
    alpha, beta = case.factor(real_alpha, ("plain", "one")), case.factor(hermitian, ("plain", "zero"))
    a, b, c = case.array(lda * cols), case.array(ldb * cols), case.array(ldc * n, case.added)
    if beta == (0.0, 0.0):
        c = [case.nan()] * len(c)
    call = Call(case).word(uplo, op).size(n, k).factor(alpha, hermitian and not two).array(a, lda)
    if two:
        call.array(b, ldb)
    call.factor(beta, hermitian).result(c, ldc)
    ea, eb = exact(alpha), exact(beta)
    opa, opb = matrix(a, lda, op), matrix(b, ldb, op)
    turn = conj if hermitian else (lambda x: x)

    def value(i, j):
        if two:
            out = cadd(cmul(ea, total((opa(i, l), turn(opb(j, l))) for l in range(k))),
                       cmul(turn(ea), total((opb(i, l), turn(opa(j, l))) for l in range(k))))
        else:
            out = cmul(ea, total((opa(i, l), turn(opa(j, l))) for l in range(k)))
        if beta != (0.0, 0.0):
            out = cadd(out, cmul(eb, exact(c[i + j * ldc])))
        return (out[0], (0, 0)) if hermitian and i == j else out

    places = [((i, j), i + j * ldc) for j in range(n) for i in range(n) if i == j or (i < j) == (uplo == UPPER)]
    return finish(case, call, places, value)


def level2(case, routine):
    rng = case.rng
    uplo, unit, op = rng.choice((0, 1)), rng.choice((0, 1)), rng.choice((N, T, C))
    m, n = rng.randint(1, 7), rng.randint(1, 7)
    incx, incy = (rng.choice((1, 2, -1, -3)) for _ in "xy")
    if routine not in ("gemv", "ger", "geru", "gerc"):
        m = n
    lda = m + rng.randrange(3)
    terms, outputs = (n, m) if op == N else (m, n)
    if routine != "gemv":
        terms, outputs = (m, n)
    space = lambda count, inc: (count - 1) * abs(inc) + 2
    x, a = case.array(space(terms, incx)), case.array(lda * n)
    hermitian = routine.startswith("he")
    px = vector(terms, incx)
    if routine in ("trmv", "trsv"):
        if routine == "trsv":
            for i in range(n):
                a[i + i * lda] = case.number("plain")
        at, forward = triangle(a, lda, uplo, op, unit == UNIT)
        call = Call(case).word(uplo, op, unit).size(n).array(a, lda).result(x, incx)
        if routine == "trmv":
            return finish(case, call, [((i,), px[i]) for i in range(n)], lambda i: total((at(i, l), get(x, px[l])) for l in range(n)))
        found = solved(case, at, forward, n, exact((1.0, 0.0)), [exact(x[p]) for p in px])
        if found is None:
            return None
        call.expected = list(x)
        for p, z in zip(px, found):
            call.expected[p] = z
        return call
    alpha = case.factor(routine == "her", ("plain", "one"))
    ea = exact(alpha)
    y, py = case.array(space(outputs, incy), case.added if routine in ("gemv", "symv", "hemv") else None), vector(outputs, incy)
    if routine in ("gemv", "symv", "hemv"):
        beta = case.factor()
        eb = exact(beta)
        if beta == (0.0, 0.0):
            y = [case.nan()] * len(y)
        at = matrix(a, lda, op) if routine == "gemv" else symmetric(a, lda, uplo, hermitian)
        call = Call(case).word(op if routine == "gemv" else uplo)
        call.size(m, n) if routine == "gemv" else call.size(n)
        call.factor(alpha).array(a, lda).array(x, incx).factor(beta).result(y, incy)

        def value(i):
            out = cmul(ea, total((at(i, l), get(x, px[l])) for l in range(terms)))
            return out if beta == (0.0, 0.0) else cadd(out, cmul(eb, exact(y[py[i]])))

        return finish(case, call, [((i,), py[i]) for i in range(outputs)], value)
    a = case.array(lda * n, case.added)
    general = routine.startswith("ger")
    call = Call(case)
    call.size(m, n) if general else call.word(uplo).size(n)
    call.factor(alpha, routine == "her").array(x, incx)
    if routine not in ("syr", "her"):
        call.array(y, incy)
    call.result(a, lda)
    turn = C if hermitian or routine == "gerc" else T

    def value(i, j):
        if routine in ("syr", "her"):
            out = cmul(ea, cmul(get(x, px[i]), get(x, px[j], turn)))
        else:
            out = cmul(ea, cmul(get(x, px[i]), get(y, py[j], turn)))
            if not general:
                out = cadd(out, cmul(conj(ea) if hermitian else ea, cmul(get(y, py[i]), get(x, px[j], turn))))
        out = cadd(out, exact(a[i + j * lda]))
        return (out[0], (0, 0)) if hermitian and i == j else out

    places = [((i, j), i + j * lda) for j in range(n) for i in range(m) if general or i == j or (i < j) == (uplo == UPPER)]
    return finish(case, call, places, value)


def level1(case, routine):
    rng = case.rng
    n = rng.randint(1, 40)
    norm = routine in ("nrm2", "asum")
    incx, incy = rng.choice((1, 2, 3) if norm else (1, 2, -1, -3)), rng.choice((1, 2, -1, -3))
    x, y = case.array((n - 1) * abs(incx) + 2), case.array((n - 1) * abs(incy) + 2)
    px, py = vector(n, incx), vector(n, incy)
    call = Call(case).size(n).array(x, incx)
    if not norm:
        call.array(y, incy)
        found = case.round(total((get(x, i, C if routine == "dotc" else T), get(y, j)) for i, j in zip(px, py)))
    else:
        value = (0, 0)
        for i in px:
            for part in exact(x[i]):
                value = add(value, times(part, part) if routine == "nrm2" else (abs(part[0]), part[1]))
        if routine == "nrm2":
            m, e = value
            m, e = (m << 160 + e % 2), e - 160 - e % 2
            root = math.isqrt(m)
            found = rounded(root, e // 2, case.single, root * root != m), 0.0
        else:
            found = rounded(*value, case.single), 0.0
    size = (4 if case.single else 8) * (2 if case.complex and not norm else 1)
    call.arguments.append(("number", bytes(size)))
    call.c, call.expected = [(0.0, 0.0)], [found]
    call.is_norm = norm
    return call


KINDS = ("plain", "wide", "cancel", "ties", "tiny", "huge")


def make(stem, letter, kind, rng, memory):
    """A call of a name without prefix and suffix; None where the definition leaves the range."""
    case = Case(letter, kind, rng, memory)
    if match := re.fullmatch(r"(G|[SDCZ]g)emm(?:3m)?(StridedBatched|Batched|)(Ex|)", stem):
        return gemm_like(case, match[2], bool(match[3]), match[1] == "G")
    routine = re.fullmatch(r"(?:Sc|Dz|[SDCZ])(.*)", stem)[1]
    if routine in ("dot", "dotu", "dotc", "nrm2", "asum"):
        return level1(case, routine)
    if routine in ("trsm", "trsv") and kind in ("ties", "tiny", "huge"):
        return None
    return (level3 if routine[-1] in "mk" else level2)(case, routine)


def same(x, y):
    return all(p == q or (p != p and q != q) for p, q in zip(x, y))


if __name__ == "__main__":
    cublas = ctypes.CDLL(sys.argv[1])
    memory = DeviceMemory() if sys.argv[2] == "device" else HostMemory()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 6 * int(os.environ.get("ACCUBLAS_TEST_SCALE", "1"))
    handle = ctypes.c_void_p(64)
    if memory.on_device:
        assert cublas.cublasCreate_v2(ctypes.byref(handle)) == 0
    rng = random.Random(18)
    checked, wrong = 0, {}
    for name in sorted(names.SERVED):
        if sys.argv[4:] and not any(part in name for part in sys.argv[4:]):
            continue
        stem = name.removeprefix("cublas").removesuffix("_64").removesuffix("_v2")
        letters = "SDCZ" if stem.startswith("Gemm") else {"Sc": "C", "Dz": "Z"}.get(stem[:2], stem[0])
        for letter in letters:
            for which in range(rounds):
                call = make(stem, letter, KINDS[which % len(KINDS)], rng, memory)
                if call is None:
                    continue
                if memory.on_device:
                    assert cublas.cublasSetPointerMode_v2(handle, int(call.factors_on_device)) == 0
                status, left = call.run(getattr(cublas, name), handle, ctypes.c_int64 if name.endswith("_64") else ctypes.c_int)
                if getattr(call, "is_norm", False):
                    call.case.complex = False
                found = call.case.unpack(left)
                checked += 1
                if status != 0 or not all(map(same, found, call.expected)):
                    bad = next((i for i, pair in enumerate(zip(found, call.expected)) if not same(*pair)), None)
                    wrong.setdefault(name, f"{letter} {call.case.kind}, status {status}, factors on device {call.factors_on_device}: element {bad}, "
                                     + (f"{found[bad]} for {call.expected[bad]}" if bad is not None else ""))
    for name, what in wrong.items():
        print(name + ":", what)
    print(f"{checked} calls of {len(names.SERVED)} names in {sys.argv[2]} memory: {len(wrong)} names wrong")
    sys.exit(1 if wrong or not checked else 0)
