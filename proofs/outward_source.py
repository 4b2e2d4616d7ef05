"""Definitions for Outward.v: the operations that round outward, and the radius of an unknown."""

OUTWARD = "lib/numerics/outward.hpp"
REFINE = "lib/certified/refine.cpp"


def define(source):
    bits = {"is_finite": ("finite_number", "bool"), "to_bits": ("bits_of", "u64"), "from_bits<double>": ("number_of", "R64")}
    source.raw("Section Outward.\nVariables (finite_number : R -> bool) (bits_of : R -> Z) (number_of : Z -> R).")
    source.function(OUTWARD, "above", calls=bits, result="R64")
    source.function(OUTWARD, "below", calls=bits, result="R64")
    for name in ("add_up", "mul_up", "div_up"):
        source.function(OUTWARD, name, result="R64")
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
]
