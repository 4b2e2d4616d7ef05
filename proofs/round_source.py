"""Definitions for Rounding.v: the rounding of integers."""

ROUNDING = "lib/numerics/rounding.hpp"


def define(source):
    for name, digits, least, most, bits in (("64", 53, -1074, 971, 64), ("32", 24, -149, 104, 32)):
        form = {"F::digits": (str(digits), "Z"), "F::min_exponent": (f"({least})", "Z"), "F::max_exponent": (str(most), "Z"),
                "F::infinity": ("infinity", "Z"), "F::sign": ("0", "Z"), "sign": ("sign", "Z")}
        source.part(ROUNDING, "round_to", "int drop", 8, [], as_=f"round_to{name}", parameters="(sign infinity : Z) (top : Z) (sticky : bool) (exponent : Z)",
                    scope={"top": "u64", "sticky": "bool", "exponent": "Z"}, types={"Bits": f"u{bits}"}, paths=form, calls={"from_bits<T>": ("", "Z")})


MUTATIONS = [
    ("round_to_correct", ROUNDING, "(rest == half && (sticky || (kept & 1) != 0))", "(rest == half && (kept & 1) != 0)"),
    ("round_to_correct", ROUNDING, "(rest == half && (sticky || (kept & 1) != 0))", "rest == half"),
    ("round_to_correct", ROUNDING, "drop = F::min_exponent - exponent;", "drop = F::min_exponent - exponent + 1;"),
    ("round_to_correct", ROUNDING, "if (last > F::max_exponent)", "if (last >= F::max_exponent)"),
]
