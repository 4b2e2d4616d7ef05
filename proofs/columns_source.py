"""Definitions for Columns.v: upper bounds of Euclidean norms."""
from certified_source import BITS, OPERATIONS

COLUMNS = "lib/certified/columns.hpp"
NORM = "lib/numerics/column_sums.hpp"
CALLS = {**OPERATIONS, "above": ("above bits_of number_of", "X64", ["X64"]), "sum_up": ("sum_up bits_of number_of", "X64", ["X64", "Z"]), "ldexp": ("xscale", "X64", ["X64", "Z"])}


def define(source):
    source.raw("From Proofs Require Import Extended OutwardSource.")
    options = {"types": {"double": "X64"}, "paths": {"HUGE_VAL": ("None", "X64")}, "returned": "X64"}
    for name in ("sqrt_up", "sqrt_down"):
        source.function(NORM, name, parameters=f"{BITS} (x : option R)", scope={"x": "X64"}, calls=CALLS, **options)
    source.function(NORM, "norm_up", parameters=f"{BITS} (exponent_of : option R -> Z) (count : Z) (x : Z -> option R)", scope={"x": "X64", "count": "Z"},
                    calls={**CALLS, "exponent_of": ("exponent_of", "Z"), "sqrt_up": ("sqrt_up bits_of number_of", "X64", ["X64"])}, **options)


MUTATIONS = [
    ("norm_up_bounds", NORM, "sqrt_up(sum_up(sum, count))", "sqrt_up(sum)"),
    ("norm_up_bounds", NORM, "std::ldexp(1.0, -(e - e / 2))", "std::ldexp(1.0, -(e - e / 4))"),
    ("norm_up_bounds", NORM, "std::max(exponent_of(largest), -1000)", "std::max(exponent_of(largest), -1000) + 600"),
    ("norm_up_bounds", NORM, "return x == 0 ? 0 : above(std::sqrt(x));", "return x == 0 ? 0 : std::sqrt(x);"),
]
