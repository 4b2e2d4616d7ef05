"""Cases aimed at one kind of mistake each. They run in the oracle suite, and the mutants are tried on them."""

import cases
from lines import MOST_TERMS_AS_CR


def sharp_cases():
    """Yields (index, case); the list is fixed."""
    for index, row in enumerate(_table()):
        yield index, _make(index, *row)


def from_name(name):
    index = int(name.split(":")[2])
    return _make(index, *_table()[index])


def _make(index, routine, group, options):
    name = f"{routine}:{group}:{index}:sharp"
    return cases.MAKERS[routine[1:]](name, routine[0], group, **options)


def _table():
    rows = []

    def add(routines, group, **options):
        for routine in routines.split():
            rows.append((routine, group, options))

    both = "dgemm sgemm"
    everything = "dgemm sgemm dgemv sgemv ddot sdot"

    # The final rounding: ties, sticky bits, underflow, exact zeros, one rounding for alpha S + beta c.
    for kind in ("ties", "halfway", "cancel", "subnormal", "integers", "overflow", "zeros", "special"):
        for group in ("cr", "fixed", "dot2"):
            for _ in range(2):
                add(everything, group, kind=kind)
        add(both, "repro", kind=kind, shape=(9, 7, MOST_TERMS_AS_CR + 2))
        add(both, "slices", kind=kind)
    for kind in ("ties", "cancel", "subnormal", "special"):
        add("dgemv sgemv ddot sdot", "slices", kind=kind)

    # Scaling: E at powers of two, ties on the grid.
    for t in (2, 3, 5, 8):
        add(both, "fixed", kind="powers", shape=(9, 7, 11), mode=f"fixed:{t}")
        add("dgemv sgemv", "fixed", kind="powers", shape=(9, 11), mode=f"fixed:{t}")
        add("ddot sdot", "fixed", kind="powers", shape=37, mode=f"fixed:{t}")
        for _ in range(3):
            add(both, "fixed", kind="scale_ties", shape=(9, 7, 3), mode=f"fixed:{t}")
            add("dgemv sgemv", "fixed", kind="scale_ties", shape=(9, 3), mode=f"fixed:{t}")
            add("ddot sdot", "fixed", kind="scale_ties", shape=3, mode=f"fixed:{t}")
    add(both, "fixed", kind="near_powers", shape=(9, 7, 5), mode="fixed:4")

    # Bounds of the integer sums: all mantissas full, all signs equal.
    for t in (24, 50, 53, 54, 60, 76, 106, 150):
        add(both, "fixed", kind="largest", shape=(5, 4, 129), mode=f"fixed:{t}")
        add(both, "fixed", kind="ones", shape=(3, 4, 1024), mode=f"fixed:{t}")
    add(both, "cr", kind="largest", shape=(17, 9, 300))
    add(both, "repro", kind="largest", shape=(9, 5, 1300))

    # Long inner dimensions: chunks of INT8 and FP64 sums, the certificate's subsampling, rho of the whole k.
    for k in (66100, 131200):
        for kind in ("residues_signed", "residues_mixed", "residues_unsigned"):
            add("dgemm", "fixed", kind=kind, shape=(2, 1, k), mode="fixed:53", plain=True)
        add("sgemm", "fixed", kind="residues_signed", shape=(2, 1, k), mode="fixed:24", plain=True)
        for kind in ("small_residues", "small_residues_minus", "small_residues_low", "small_residues_row"):
            add("dgemm sgemm", "fixed", kind=kind, shape=(2, 1, k), mode="fixed:8", plain=True)
    add("dgemm", "slices", kind="phi1", shape=(2, 2, 9000), mode="slices:3", plain=True)
    add("dgemm", "slices", kind="phi1", shape=(2, 2, 33000), mode="slices:2:fast", plain=True)
    add("dgemm", "slices", kind="phi1", shape=(3, 2, 70000), mode="slices:2", plain=True)
    add("dgemm", "cr", kind="phi1", shape=(3, 2, 9000), plain=True)
    for k in (MOST_TERMS_AS_CR, MOST_TERMS_AS_CR + 1, 2500):
        for kind in ("phi1", "phi2", "mixed", "bands"):
            add(both, "repro", kind=kind, shape=(7, 5, k), plain=True)

    # The certificate: rejected elements, several rungs in one call, one T* for all blocks.
    for kind in ("sparse", "mixed", "phi4", "graded", "wild", "bands", "zeros"):
        for shape in ((33, 17, 33), (9, 8, 1200), (33, 5, 1030)):
            add(both, "repro", kind=kind, shape=shape, plain=True)
    for k in (1025, 1060, 1100):
        add(both, "repro", kind="bands", shape=(150, 9, k), plain=True)

    # The limits of dp:repro: sums of MOST_TERMS_AS_CR terms have cr's values, and so have all elements if one more is rejected.
    for kind in ("share", "over_share", "share_special", "over_share_special"):
        for more in (0, 1, 76):
            add(both, "repro", kind=kind, shape=(20, 17, MOST_TERMS_AS_CR + more), plain=True)
            add(both, "repro", kind=kind, shape=(20, 17, MOST_TERMS_AS_CR + more))
        add(both, "repro", kind=kind, shape=(70, 35, 1100), plain=True)

    # Slices: remainders, ties on the grid, pairs of :fast.
    for d in (1, 2, 3, 4):
        for fast in ("", ":fast"):
            for kind in ("phi0", "phi2", "near_powers", "scale_ties"):
                add(both, "slices", kind=kind, shape=(9, 7, 65), mode=f"slices:{d}{fast}")
            add("dgemv sgemv", "slices", kind="phi2", shape=(9, 65), mode=f"slices:{d}{fast}")
            add("ddot sdot", "slices", kind="phi2", shape=65, mode=f"slices:{d}{fast}")

    # cr: halfway within 2^-900 with every engine, more than one element in doubt.
    for k in (3, 7, 40, 130):
        for _ in range(2):
            add(both, "cr", kind="halfway", shape=(33, 17, k), plain=True)
        add("dgemv sgemv", "cr", kind="halfway", shape=(100, k))
        add("ddot sdot", "cr", kind="halfway", shape=k)
        add("ddot sdot", "cr", kind="cancel", shape=k)
    add("dgemm", "cr", kind="cancel", shape=(33, 17, 128), plain=True)

    # dot2: blocks, lanes and their orders; data where every order gives other bits.
    for kind in ("cancel", "phi2", "phi1", "graded"):
        for n in (33, 64, 1025, 3073, 4097, 5 * 1024, 7200, 9000):
            add("ddot sdot", "dot2", kind=kind, shape=n)
        for k in (64, 127, 129, 257, 300, 520):
            add(both, "dot2", kind=kind, shape=(7, 9, k), plain=True)
            add("dgemv sgemv", "dot2", kind=kind, shape=(9, k))
    for kind in ("subnormal", "huge", "overflow"):
        add("dgemm dgemv ddot", "dot2", kind=kind)
    for _ in range(4):
        add("dgemm", "dot2", kind="two_sum_edge", shape=(9, 4, 6), plain=True)
        add("dgemv", "dot2", kind="two_sum_edge", shape=(9, 4))
        add("ddot", "dot2", kind="two_sum_edge", shape=4)

    # Norms: roots and sums next to the middle of two numbers, the limits of the scaling, subnormal and overflowing results.
    norms = "dnrm2 snrm2 dasum sasum"
    for group in ("cr", "dot2"):
        for kind in ("roots", "edges"):
            for n in (2, 3, 4, 5, 6, 40, 3000):
                for _ in range(2):
                    add(norms, group, kind=kind, shape=n)
        for kind in ("tiny", "huge", "special", "wild", "ties", "halfway", "largest"):
            for n in (3, 33):
                add(norms, group, kind=kind, shape=n)
    for n in (33, 1025, 3073, 5 * 1024, 9000):
        add(norms, "dot2", kind="phi2", shape=n)
    for n in (8, 33, 300, 1025, 9000):
        for group in ("dot2", "dot2", "cr"):
            add(norms, group, kind="order", shape=n)
    for n in (5, 33):
        add("dnrm2 snrm2", "cr", kind="beyond", shape=n)
        add("dnrm2 snrm2", "dot2", kind="beyond", shape=n)

    # Words: halfway cases, entries far below their line's largest, lines scaled apart, specials.
    for prefix, words in (("s", ("tf32x1", "tf32x3", "tf32x4", "fp16x1", "fp16x3")), ("d", ("tf64x1", "tf64x3", "tf64x4"))):
        for mode in words:
            for kind in ("phi0", "phi4", "scaled", "scale_ties", "cancel", "subnormal", "special"):
                add(f"{prefix}gemm", "multiword", kind=kind, shape=(5, 4, 9), mode=mode)

    _add_complex(add)
    return rows


def _add_complex(add):
    """Complex GEMM: each component's own terms, what they have in common, and limits that count real terms."""
    both = "zgemm cgemm"
    most = MOST_TERMS_AS_CR // 2  # entries of a row: two terms each

    # The final rounding of each component; alpha and beta of every form; Inf and NaN in one component.
    for kind in ("ties", "halfway", "cancel", "subnormal", "overflow", "zeros", "special"):
        for style in (" re", " im"):
            for group in ("cr", "fixed", "dot2"):
                add(both, group, kind=kind + style)
        add(both, "repro", kind=kind, shape=(9, 7, most + 1))
        add(both, "slices", kind=kind)
    for kind in ("integers real", "special parts", "special real", "zeros apart", "wild parts"):
        for _ in range(2):
            add(both, "cr", kind=kind, shape=(5, 4, 3))
            add(both, "repro", kind=kind, shape=(5, 4, most + 2))

    # One exponent for both components of a line.
    for t in (2, 3, 8):
        for kind in ("powers apart", "scale_ties apart", "scale_ties re", "near_powers real"):
            add(both, "fixed", kind=kind, shape=(9, 7, 5), mode=f"fixed:{t}")
    for d in (1, 2, 3):
        for fast in ("", ":fast"):
            for kind in ("phi0 apart", "phi2 re", "scale_ties parts"):
                add(both, "slices", kind=kind, shape=(9, 7, 65), mode=f"slices:{d}{fast}")
    add("zgemm", "slices", kind="phi1 re", shape=(2, 2, 9000), mode="slices:3", plain=True)

    # Bounds of the integer sums.
    for t in (24, 53, 76, 150):
        add(both, "fixed", kind="largest parts", shape=(5, 4, 129), mode=f"fixed:{t}")
        add(both, "fixed", kind="ones re", shape=(3, 4, 512), mode=f"fixed:{t}")
    for k in (33050, 66100, 131200):
        add("zgemm", "fixed", kind="residues_split pure", shape=(2, 1, k), mode="fixed:53", plain=True)
        add("zgemm", "fixed", kind="residues_signed re", shape=(2, 1, k), mode="fixed:53", plain=True)
        add(both, "fixed", kind="small_residues re", shape=(2, 1, k), mode="fixed:8", plain=True)

    # The certificate: terms that are sampled, components that one rung or none serves, several rungs in one call.
    for k in (most, most + 1, 576, 1250):
        for kind in ("phi1 re", "phi2 im", "mixed parts", "bands apart"):
            add(both, "repro", kind=kind, shape=(7, 5, k), plain=True)
    for kind in ("sparse", "mixed", "phi4", "graded", "bands"):
        for style in (" re", " im", " real"):
            add(both, "repro", kind=kind + style, shape=(17, 9, 40))
            add(both, "repro", kind=kind + style, shape=(9, 7, most + 16))
    for kind in ("complex_share", "over_complex_share"):
        for k in (most, most + 1, 600):
            for style in (" re", " im"):
                add(both, "repro", kind=kind + style, shape=(12, 11, k), plain=True)
                add(both, "repro", kind=kind + style, shape=(12, 11, k))

    # cr: halfway within 2^-900 with every engine, more than one element in doubt.
    for k in (2, 20, 65):
        for style in (" re", " im"):
            add(both, "cr", kind="halfway" + style, shape=(17, 9, k), plain=True)
            add(both, "cr", kind="cancel" + style, shape=(17, 9, k))

    # dot2: blocks of 128 real terms, data where every order gives other bits; sums next to an overflow in one component.
    for kind in ("cancel re", "cancel im", "phi2 parts", "graded parts"):
        for k in (32, 63, 64, 65, 130, 260):
            add(both, "dot2", kind=kind, shape=(7, 5, k), plain=True)
    for kind in ("two_sum_edge re", "two_sum_edge im", "huge re", "overflow parts"):
        add("zgemm", "dot2", kind=kind, shape=(9, 4, 6), plain=True)
        add("zgemm", "dot2", kind=kind, shape=(9, 4, 6))

    # A slice that is rounded up to 2^1024.
    for d in (1, 3, 6):
        for kind in ("brim parts", "brim apart", "brim pure"):
            for _ in range(2):
                add(both, "slices", kind=kind, shape=(3, 2, 4), mode=f"slices:{d}")

    _add_complex_vectors(add)


def _add_complex_vectors(add):
    """Complex GEMV, DOT and norms: what those of real ones aim at, in each component."""
    dots, gemvs = "zdotu zdotc cdotu cdotc", "zgemv cgemv"
    for kind in ("ties", "halfway", "cancel", "subnormal", "overflow", "zeros", "special"):
        for style in (" re", " im"):
            for group in ("cr", "fixed", "dot2"):
                add(dots, group, kind=kind + style)
                add(gemvs, group, kind=kind + style)
        add(f"{dots} {gemvs}", "repro", kind=kind)
        add(f"{dots} {gemvs}", "slices", kind=kind)
    for kind in ("integers real", "special parts", "special real", "zeros apart", "wild parts"):
        for group in ("cr", "fixed", "slices", "dot2"):
            add(dots, group, kind=kind, shape=3)
            add(gemvs, group, kind=kind, shape=(5, 3))

    # Halfway within 2^-900.
    for k in (2, 20, 65):
        for style in (" re", " im"):
            add(gemvs, "cr", kind="halfway" + style, shape=(50, k))
            add(dots, "cr", kind="halfway" + style, shape=k)
            add(dots, "cr", kind="cancel" + style, shape=k)

    # One exponent for both components; rho of 2k terms.
    for t in (2, 3, 8):
        for kind in ("powers apart", "scale_ties apart", "scale_ties re", "near_powers real"):
            add(gemvs, "fixed", kind=kind, shape=(9, 5), mode=f"fixed:{t}")
            add(dots, "fixed", kind=kind, shape=5, mode=f"fixed:{t}")
    for fast in ("", ":fast"):
        for kind in ("phi0 apart", "phi2 re", "scale_ties parts"):
            add(gemvs, "slices", kind=kind, shape=(9, 65), mode=f"slices:2{fast}")
            add(dots, "slices", kind=kind, shape=65, mode=f"slices:2{fast}")
    add("zdotu zdotc", "slices", kind="phi1 re", shape=9000, mode="slices:3")

    # dot2: DOT's lanes and blocks, GEMV's blocks, all of real terms.
    for kind in ("cancel re", "cancel im", "phi2 parts", "graded parts"):
        for n in (16, 17, 511, 512, 513, 1537, 2048, 3600):
            add(dots, "dot2", kind=kind, shape=n)
        for k in (63, 64, 65, 130, 260):
            add(gemvs, "dot2", kind=kind, shape=(7, k))
    for kind in ("two_sum_edge re", "two_sum_edge im", "huge re", "overflow parts"):
        add("zdotu zdotc", "dot2", kind=kind, shape=4)
        add("zgemv", "dot2", kind=kind, shape=(9, 4))

    # Norms: the order of components, and what real norms aim at.
    norms = "znrm2 cnrm2 zasum casum"
    for group in ("cr", "dot2"):
        for kind in ("roots", "edges", "tiny", "huge", "special", "wild", "ties", "halfway", "largest"):
            for n in (1, 2, 3, 20, 1500):
                add(norms, group, kind=kind, shape=n)
    for n in (4, 16, 150, 512, 513, 4500):
        for group in ("dot2", "dot2", "cr"):
            add(norms, group, kind="order", shape=n)
    add("znrm2 cnrm2", "cr", kind="beyond", shape=5)
    add("znrm2 cnrm2", "dot2", kind="beyond", shape=5)
