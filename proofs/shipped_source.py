"""Definitions for Shipped.v: the digits of the tables of the Chinese remainder theorem, and the window of AVX-512."""

MODULI = "lib/numerics/moduli.hpp"
AVX512 = "lib/cpu/kernels/int8_windows.hpp"


def define(source):
    source.raw("From Proofs Require Import ModuliSource.")
    source.constant(AVX512, "top_digits")
    table = {"t.product": ("product", "any"), "t.weight": ("weight", "any"), "t.digits": ("t_digits", "Z"), "t.unit_exponent": ("unit_exponent", "Z"),
             "t.weight_digit": ("weight_digit", "Z"), "digits.digit": ("digits", "Z"), "below": ("below", "Z")}
    source.part(MODULI, "make_crt_table", "const int needed", 4, ["t_digits", "below", "unit_exponent"], as_="shape_of_table", parameters="(product : Z)", paths=table,
                calls={"wide_bit_length": ("wide_bit_length", "Z")})
    source.part(MODULI, "make_crt_table", "const BalancedDigits digits", 2, ["weight_digit"], as_="digits_of_plane", parameters="(weight : Z -> Z) (weight_digit : Z -> Z -> Z) (t_digits below l : Z)",
                scope={"l": "Z"}, paths=table, calls={"balanced_digits": ("balanced_digits", "any")})


MUTATIONS = [
    ("avx512_quotient_shipped", AVX512, "constexpr int top_digits = 7;", "constexpr int top_digits = 6;"),
    ("avx512_quotient_shipped", MODULI, "wide_bit_length(t.product) / 16 + 1", "wide_bit_length(t.product) / 16 + 2"),
]
