"""Definitions for Fit.v: that sums fit, those of bytes in 32 bits and those of scaled entries in the moduli."""

ESCALATION = "lib/numerics/escalation.hpp"
SCALING = "lib/numerics/scaling.hpp"
INTEGERS = "lib/base/integers.hpp"
BLOCKING = "lib/cpu/int8/int8_blocking.cpp"
PLAN = "cuda/int8/int8_plan.cpp"

TEXT = """From Proofs Require Import ModuliSource.
Definition scale_double (x : R) (n : Z) : R := rd64 (x * bpow radix2 n).
(** The least integer e with abs(x) < 2^e. *)
Definition exponent_above (x : R) : Z := mag radix2 x.
Definition floor_double (x : R) : R := IZR (Zfloor x).
Definition chunk_of_block (m n chunk usual available : Z) : Z := chunk.
"""


def define(source):
    source.raw(TEXT)
    for name in ("ceil_div", "round_up"):
        source.function(INTEGERS, name, types={"A": "Z", "B": "Z"}, result="Z")
    terms = {f"cpu::{n}": (n, "Z") for n in ("int8_k_step", "int8_most_terms")}
    ends = {"min": ("Z.min", "Z"), "min<Index>": ("Z.min", "Z"), "max<Index>": ("Z.max", "Z")}
    for name in ("longest_chunk", "shorter_chunk"):
        source.function(BLOCKING, name, paths=terms, calls=ends, result="Z")
    source.part(PLAN, "choose_cut", "const Index step", 3, ["step_half_cut step half cut"], as_="chunk_of_cut", parameters="{A} (complex : bool) (step_half_cut : Z -> (Z -> Z -> Z) -> Z -> A) (m n k usual available : Z)",
                scope={n: "Z" for n in ("m", "n", "k", "usual", "available")}, types={"Cut": "Z"},
                paths={"residues": ("complex", "bool"), "ResidueKind::complex": ("true", "bool"), "product_most_terms": ("product_most_terms", "Z"), "tuning": ("tt", "any")},
                calls={**ends, "largest_block": ("(fun _ => chunk_of_block)", "Z")})

    source.raw("Section Exp2.\nVariable exp2 : R -> R.")
    source.function(ESCALATION, "capacity_of", calls={"floor": ("floor_double", "R64"), "exp2": ("exp2", "R64")}, returned=["Z", "R64"])
    source.raw("End Exp2.")
    source.constant(ESCALATION, "most_relative_norm", kind="R64")
    source.function(ESCALATION, "norm_exponent", calls={"exponent_above": ("exponent_above", "Z")}, result="Z")
    source.function(ESCALATION, "line_scale")
    source.part(ESCALATION, "split_bits", "const double moved", 4, ["row_bits", "col_bits", "product", "most"], as_="split_bits",
                parameters="(whole : Z) (part row_norm col_norm : R) (k row_bits col_bits : Z)",
                scope={"row_norm": "R64", "col_norm": "R64", "k": "Z", "row_bits": "Z", "col_bits": "Z"},
                paths={"capacity.whole": ("whole", "Z"), "capacity.part": ("part", "R64")}, calls={"scalbn": ("scale_double", "R64")})


MUTATIONS = [
    ("capacity_of_right", ESCALATION, "exp2(log2_capacity - whole) * (1 - 0x1p-40)", "exp2(log2_capacity - whole) * (1 - 0x1p-46)"),
    ("capacity_of_right", ESCALATION, "floor(log2_capacity)", "floor(log2_capacity + 1)"),
    ("int8_chunks_fit", BLOCKING, "std::min(round_up(k, cpu::int8_k_step), cpu::int8_most_terms)", "round_up(k, cpu::int8_k_step)"),
    ("int8_chunks_fit", BLOCKING, "chunk / 2 / cpu::int8_k_step", "chunk * 2 / cpu::int8_k_step"),
    ("int8_chunks_fit", PLAN, "product_most_terms / step * step), usual", "2 * product_most_terms / step * step), usual"),
    ("cr_sums_fit", ESCALATION, "0.5 * sqrt(static_cast<double>(k))", "0.25 * sqrt(static_cast<double>(k))"),
    ("cr_sums_fit", ESCALATION, "bits - (to_norm ? norm_exponent(norm) : 0) - exponent", "bits + 1 - (to_norm ? norm_exponent(norm) : 0) - exponent"),
    ("cr_sums_fit", ESCALATION, "1 / (1 + 0x1p-11)", "1 / (1 + 0x1p-9)"),
    ("cr_sums_fit", ESCALATION, "col_bits = sum - row_bits;", "col_bits = sum - row_bits + 1;"),
]
