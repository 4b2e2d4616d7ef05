"""Definitions for Wide.v: integers of 64-bit limbs."""

WIDE = "lib/numerics/wide.hpp"


def define(source):
    paths = {"a.limb": ("a", "u64"), "b.limb": ("b", "u64"), "r.limb": ("r", "u64"), "r": ("r", "any"), "L": ("L", "Z"), "a": ("a", "any"), "b": ("b", "any")}
    options = dict(paths=paths, defaults={"r": ("(fun _ => 0)", "any")})
    source.function(WIDE, "wide_add", as_="limbs_add", parameters="(L : Z) (a b : Z -> Z)", **options)
    source.function(WIDE, "wide_negate_if", as_="limbs_negate_if", parameters="(L : Z) (a : Z -> Z) (negate : bool)", scope={"negate": "bool"}, **options)
    source.function(WIDE, "wide_mul", as_="limbs_mul", parameters="(L : Z) (a : Z -> Z) (factor : Z)", scope={"factor": "u64"}, **options)
    source.function(WIDE, "wide_sub", as_="limbs_sub", parameters="(L : Z) (a b : Z -> Z)", calls={"wide_add": ("limbs_add L", "any"), "wide_negate_if": ("limbs_negate_if L", "any")}, **options)
    source.function(WIDE, "wide_negative", as_="limbs_negative", parameters="(L : Z) (a : Z -> Z)", **options)
    source.function(WIDE, "wide_bit_length", as_="limbs_bit_length", parameters="(leading_zeros : Z -> Z) (L : Z) (a : Z -> Z)", calls={"leading_zeros": ("leading_zeros", "Z")}, **options)
    source.function(WIDE, "wide_shift_left", as_="limbs_shift_left", parameters="(L : Z) (a : Z -> Z) (shift : Z)", scope={"shift": "Z"}, **options)


MUTATIONS = [
    ("limbs_are_integers", WIDE, "a.limb[i]) + b.limb[i] + carry;", "a.limb[i]) + b.limb[i];"),
    ("limbs_are_integers", WIDE, "(a.limb[i] ^ mask) + carry", "(a.limb[i] ^ mask)"),
    ("limbs_are_integers", WIDE, "static_cast<Uint128>(a.limb[i]) * factor + carry", "static_cast<Uint128>(a.limb[i]) * factor | carry"),
]
