"""Definitions for Eft.v, Ziv.v and Triple.v: error-free transformations, and Ziv's test of pairs and triples."""

EFT = "lib/numerics/eft.hpp"
ZIV = "lib/numerics/ziv.hpp"
TRIPLE = "lib/numerics/triple_sum.hpp"


def of_pairs(*names):
    """The Coq terms for the members of variables of type DoublePair."""
    return {f"{n}.{m}": (f"({f} {n})", "R64") for n in names for m, f in (("high", "fst"), ("low", "snd"))}


def define(source):
    for name in ("add_rn", "mul_rn", "fma_rn"):
        source.function(EFT, name, as_=f"{name}_source", result="R64")
    for name in ("two_sum", "fast_two_sum", "two_product"):
        source.function(EFT, name, as_=f"{name}_source")
    for name, kind, size in (("64", "R64", "8"), ("32", "R32", "4")):
        size_of = {"T": (size, "Z"), "double": ("8", "Z")}
        of_type = {"paths": {**of_pairs("x", "y", "z", "w"), **size_of}, "calls": {"sizeof": ("", "Z")}, "types": {"T": kind}}
        source.part(ZIV, "ziv_test", "double wide", 3, ["low", "high"], as_=f"ziv_ends{name}", parameters="(x : R * R) (error : R)",
                    scope={"error": "R64"}, which=1, **of_type)
        parts = {f"s.{n}": (n, "R64") for n in ("a1", "a2", "a3", "error")}
        source.part(TRIPLE, "round_triple", "const DoublePair x", 5, ["a", "b"], as_=f"triple_ends{name}", parameters="(a1 a2 a3 error : R)",
                    **{**of_type, "paths": {**of_type["paths"], **parts}})
    # The comparisons of both ends, as reals; `finite` says whether they are finite.
    compared = {"to_bits": ("", "R64"), "is_finite": ("finite", "bool")}
    source.part(ZIV, "ziv_test", "const bool decided", 1, ["decided"], as_="ziv_decides", parameters="(finite : R -> bool) (low high : R)",
                scope={"low": "R64", "high": "R64"}, calls=compared, which=1)
    source.part(TRIPLE, "round_triple", "if (to_bits(a)", 1, ["true"], as_="triple_decides", parameters="(finite : R -> bool) (a b : R)",
                scope={"a": "R64", "b": "R64"}, calls=compared)
    members = {f"{o}.{n}": (f"{o}_{n}", "R64") for o in ("sum", "other") for n in ("a1", "a2", "a3", "error")}
    source.part(TRIPLE, "triple_add", "const DoublePair first", 4, ["sum"], as_="triple_add_source", scope={"sum": "any"},
                parameters="(sum_a1 sum_a2 sum_a3 sum_error other_a1 other_a2 other_a3 other_error : R)",
                paths={**members, **of_pairs("first", "second", "third", "rest", "tail", "a3")})


MUTATIONS = [
    ("two_sum_exact", EFT, "add_rn(b, -t))", "add_rn(a, -t))"),
    ("fast_two_sum_exact", EFT, "add_rn(b, -add_rn(s, -a))", "add_rn(a, -add_rn(s, -b))"),
    ("two_product_correct", EFT, "fma_rn(a, b, -p)", "add_rn(mul_rn(a, b), -p)"),
    ("ziv_pair64_correct", ZIV, "absolute(x.low) * 0x1p-52", "absolute(x.low) * 0x1p-55"),
    ("ziv_pair64_correct", ZIV, "(1 + 0x1p-50)", "1"),
    ("ziv_pair64_correct", ZIV, "!is_zero(low) && is_finite(low)", "is_finite(low)"),
    ("ziv_pair32_correct", ZIV, "absolute(x.high) * 0x1p-51", "absolute(x.high) * 0x1p-53"),
    ("round_triple64_correct", TRIPLE, "(s.error + absolute(z.low)) * (1 + 0x1p-50)", "(s.error + absolute(z.low))"),
    ("round_triple64_correct", TRIPLE, "is_zero(a) || !is_finite(a)", "!is_finite(a)"),
    ("round_triple32_correct", TRIPLE, "absolute(w.high) * 0x1p-51", "absolute(w.high) * 0x1p-54"),
    ("triple_add_correct", TRIPLE, "absolute(rest.low) + absolute(tail.low) + absolute(a3.low)", "absolute(tail.low) + absolute(a3.low)"),
]
