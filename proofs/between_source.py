"""Theorem 4: the test of a sum of two doubles on GPUs."""
from out_parameters import OutParameters, Rewritten

BETWEEN = "cuda/exact/round_between.hpp"
LEADING = "cuda/int8/finish_leading.hpp"

TEXT = """(** A factor +-2^e: the sign and e. *)
Definition scaled (x : R) (scale : bool * Z) : R := ((if fst scale then - x else x) * bpow radix2 (snd scale))%R.
"""


def define(source):
    rule = OutParameters(["out"])
    source.headers[BETWEEN] = Rewritten(source.header(BETWEEN), {"round_between": rule})
    source.raw(TEXT)
    for name, kind, size in (("64", "R64", "8"), ("32", "R32", "4")):
        source.function(BETWEEN, "round_between", as_=f"round_between{name}", parameters="(is_nan : R -> bool) (head tail bound : R) (scale : bool * Z) (out : R)",
                        scope={"head": "R64", "tail": "R64", "bound": "R64", "scale": "any", "out": kind}, types={"T": kind}, paths={"T": (size, "Z")},
                        calls={"sizeof": ("", "Z"), "scaled": ("scaled", "R64"), "to_bits": ("", kind), "is_nan": ("is_nan", "bool")})
    for narrow in ("true", "false"):
        source.constant(LEADING, "leading_slack", "R64", as_=f"leading_slack_{narrow}", paths={"Narrow": (narrow, "bool")})


MUTATIONS = [
    ("round_between64_correct", BETWEEN, "__dadd_rn(head, __dadd_rn(tail, bound))", "__dadd_rn(__dadd_rn(head, tail), bound)"),
    ("round_between64_correct", BETWEEN, "return __dadd_rn(head, __dsub_rn(tail, bound)) == above;", "return __dadd_rn(head, tail) == above;"),
    ("round_between32_correct", BETWEEN, "0x1p-51, bound)", "0x1p-54, bound)"),
    ("slack_covers", LEADING, "0x1p-35 : 0x1p-39", "0x1p-35 : 0x1p-40"),
    ("slack_covers", LEADING, "0x1p-35 : 0x1p-39", "0x1p-36 : 0x1p-39"),
    ("slack_covers_floats", LEADING, "0x1p-35 : 0x1p-39", "0x1p-35 : 0x1p-41"),
]
