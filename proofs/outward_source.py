"""Definitions for Outward.v: the operations that round outward, and the radius of an unknown."""

OUTWARD = "lib/numerics/outward.hpp"
REFINE = "lib/certified/refine.cpp"


def define(source):
    bits = {"is_finite": ("finite_number", "bool"), "to_bits": ("bits_of", "u64"), "from_bits<double>": ("number_of", "R64")}
    source.raw("Definition least_subnormal : R := bpow radix2 (-1074).\nDefinition scale_double (x : R) (n : Z) : R := rd64 (x * bpow radix2 n).")
    source.raw("Section Outward.\nVariables (finite_number : R -> bool) (bits_of : R -> Z) (number_of : Z -> R).")
    source.function(OUTWARD, "above", calls=bits, result="R64")
    source.function(OUTWARD, "below", calls=bits, result="R64")
    for name in ("add_up", "mul_up", "div_up"):
        source.function(OUTWARD, name, result="R64")
    source.function(OUTWARD, "sum_up", result="R64", calls={"least_subnormal<double>": ("least_subnormal", "R64")})
    source.function(OUTWARD, "scale_up", result="R64", calls={"ldexp": ("scale_double", "R64")})
    members = {"inverse_.contraction": ("contraction", "R64"), "inverse_.product": ("product", "R64")}
    source.part(REFINE, "judge", "const double all", 1, ["all"], as_="judge_all", parameters="(lost size contraction : R)",
                scope={"lost": "R64", "size": "R64"}, paths=members)
    source.part(REFINE, "judge", "double radius", 1, ["radius"], as_="judge_radius", parameters="(rest product : Z -> R) (lost all : R) (i : Z)",
                scope={"lost": "R64", "all": "R64", "i": "Z"}, paths=members,
                calls={"rest": ("rest", "R64")})
    source.raw("End Outward.")


MUTATIONS = [
    ("outward_operations", OUTWARD, "from_bits<double>(to_bits(x) + 1)", "from_bits<double>(to_bits(x))"),
    ("outward_operations", OUTWARD, "inline double div_up(double a, double b) { return above(a / b); }", "inline double div_up(double a, double b) { return a / b; }"),
    ("radius_holds", REFINE, "div_up(size, below(1 - inverse_.contraction))", "div_up(size, 1 - inverse_.contraction)"),
    ("radius_holds", REFINE, "add_up(rest(i), mul_up(inverse_.product[i], all))", "rest(i)"),
    ("sum_up_bounds", OUTWARD, "above(1 + count * 0x1p-52)", "above(1 + count * 0x1p-54)"),
    ("sum_up_bounds", OUTWARD, "mul_up(count, least_subnormal<double>())", "mul_up(0, least_subnormal<double>())"),
    ("scale_up_bounds", OUTWARD, "== x ? scaled : above(scaled)", "== x ? scaled : scaled"),
]
