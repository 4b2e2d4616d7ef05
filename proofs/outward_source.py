"""Definitions for Outward.v: the operations that round outward."""

OUTWARD = "lib/numerics/outward.hpp"
BITS = {"is_finite": ("xfinite", "bool"), "to_bits": ("xbits bits_of", "u64"), "from_bits<double>": ("number_of", "X64")}


def define(source):
    source.raw("From Proofs Require Import Extended.\nDefinition least_subnormal : R := bpow radix2 (-1074).")
    source.raw("Section Outward.\nVariables (bits_of : R -> Z) (number_of : Z -> option R).")
    types = {"double": "X64"}
    source.function(OUTWARD, "above", calls=BITS, types=types, result="X64")
    source.function(OUTWARD, "below", calls=BITS, types=types, result="X64")
    for name in ("add_up", "mul_up", "div_up"):
        source.function(OUTWARD, name, types=types, result="X64")
    source.function(OUTWARD, "sum_up", types=types, result="X64", calls={"least_subnormal<double>": ("least_subnormal", "R64")})
    source.function(OUTWARD, "scale_up", types=types, result="X64", calls={"ldexp": ("xscale", "X64")})
    source.raw("End Outward.")


MUTATIONS = [
    ("outward_operations", OUTWARD, "from_bits<double>(to_bits(x) + 1)", "from_bits<double>(to_bits(x))"),
    ("outward_operations", OUTWARD, "inline double div_up(double a, double b) { return above(a / b); }", "inline double div_up(double a, double b) { return a / b; }"),
    ("sum_up_bounds", OUTWARD, "above(1 + count * 0x1p-52)", "above(1 + count * 0x1p-54)"),
    ("sum_up_bounds", OUTWARD, "mul_up(count, least_subnormal<double>())", "mul_up(0, least_subnormal<double>())"),
    ("scale_up_bounds", OUTWARD, "== x ? scaled : above(scaled)", "== x ? scaled : scaled"),
]
