"""Cases of batched GEMM ("dgemm_batched:cr:17"): matrices of one shape, each with data of its own and judged by itself."""

import numpy as np

from cases import Case, longer, mode_word
from complex_data import c_values, operands, scalar
from data import KINDS, drawn_kind
from placement import COL, CONJ, NO, ROW, TRANS, conjugate, filled
from values import COMPLEX, DTYPE, POISON, generator, pick, words

SIZES = (1, 1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 65, 128)


def shape_of(rng, work):
    """matrices, m, n, k with at most `work` terms in all."""
    for _ in range(100):
        count, m, n, k = pick(rng, (1, 2, 3, 5, 9)), pick(rng, SIZES), pick(rng, SIZES), pick(rng, SIZES + (0, 129, 300))
        if count * m * n * k <= work:
            return count, m, n, k
    return 3, 4, 4, 4


def lay_out(matrices, layout, trans, rng, prefix, output=False):
    """Matrices (all op(X)) in one poisoned buffer: (buffer, leading dimension, stride, offset of matrix 0, positions)."""
    count, rows, columns = matrices.shape
    stored_rows, stored_columns = (rows, columns) if trans == NO else (columns, rows)
    inner, outer = (stored_rows, stored_columns) if layout == COL else (stored_columns, stored_rows)
    ld = max(1, inner) + (0 if rng.randint(2) else rng.randint(1, 4))
    stride = ld * outer + (0 if rng.randint(2) else rng.randint(1, 6))
    if not output and rng.randint(8) == 0:
        stride = 0  # one matrix for all
        matrices[:] = matrices[:1]
    offset = 0
    if rng.randint(4) == 0:
        offset, stride = stride * (count - 1), -stride
    along = np.array([1, ld] if (layout == COL) == (trans == NO) else [ld, 1])
    positions = (offset + stride * np.arange(count)[:, None, None] + along[0] * np.arange(rows)[None, :, None]
                 + along[1] * np.arange(columns)[None, None, :])
    buffer = filled((int(positions.max()) if positions.size else 0) + 4, prefix)
    words(buffer)[positions] = words(conjugate(matrices, prefix) if trans == CONJ else matrices)
    return buffer, ld, stride, offset, positions


def make(name, prefix, mode_group, work=40000):
    rng = generator(name)
    count, m, n, k = shape_of(rng, work)
    m, n, k = longer(rng, mode_group, (m, n, k), prefix)
    mode = mode_word(rng, mode_group, prefix)
    alpha, beta = (1.0, 0.0) if rng.randint(3) == 0 else (scalar(rng, prefix), scalar(rng, prefix))
    limits = ["complex_share", "over_complex_share"] if prefix in COMPLEX else ["share", "over_share"]
    kinds = [drawn_kind(rng, name, KINDS + 4 * limits if mode_group == "repro" else KINDS) for _ in range(count)]
    a, b, c = (np.empty(shape, DTYPE[prefix]) for shape in ((count, m, k), (count, k, n), (count, m, n)))
    for i, kind in enumerate(kinds):
        one = (*operands(rng, kind, m, k, n, prefix), c_values(rng, m, n, prefix, kind))
        for to, x in zip((a, b, c), one):
            words(to)[i] = words(x)
    layout, ta, tb = pick(rng, (ROW, COL)), pick(rng, (NO, TRANS, CONJ)), pick(rng, (NO, TRANS, CONJ))
    buffer_a, lda, stride_a, offset_a, _ = lay_out(a, layout, ta, rng, prefix)
    buffer_b, ldb, stride_b, offset_b, _ = lay_out(b, layout, tb, rng, prefix)
    buffer_c, ldc, stride_c, offset_c, where = lay_out(c, layout, NO, rng, prefix, output=True)
    strided = bool(rng.randint(2))
    case = Case(name, prefix, "gemm_batched", "gemm_strided_batched" if strided else "gemm_batched", mode,
                "+".join(kinds), alpha, beta, a, b, c)
    case.buffers, case.offsets, case.where = [buffer_a, buffer_b, buffer_c], [offset_a, offset_b, offset_c], where
    case.strides = [stride_a, stride_b, stride_c]
    if strided:
        case.arguments = [layout, ta, tb, m, n, k, alpha, "A", lda, stride_a, "B", ldb, stride_b, beta, "C", ldc,
                          stride_c, count]
    else:
        case.arguments = [layout, ta, tb, m, n, k, alpha, "A", lda, "B", ldb, beta, "C", ldc, count]
    if beta == 0:
        words(buffer_c)[where] = POISON[prefix]
    return case


def from_name(name):
    routine, group, _ = name.split(":")[:3]
    return make(name, routine[0], group)
