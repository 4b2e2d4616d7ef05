"""Definitions for Powers.v: the quotients of the tables of the Chinese remainder theorem."""

MODULI = "lib/numerics/moduli.hpp"
TABLES = "cuda/int8/crt_tables.hpp"


def define(source):
    source.raw("From Proofs Require Import IntervalSource FullSource.")
    top = {"top.high": ("(top_high top)", "u64"), "top.shift": ("(top_shift top)", "Z")}
    source.function(MODULI, "power_over", parameters="(exponent a : Z)", scope={"exponent": "Z", "a": "any"}, types={"WideTop": "any"}, paths=top, calls={"wide_top": ("wide_top", "any")}, result="R64")
    power = {"power_over": ("power_over", "R64", ["Z", "any"])}
    table = {"t.digits": ("t_digits", "Z"), "t.unit_exponent": ("unit_exponent", "Z"), "t.product": ("product", "any"), "crt.product": ("product", "any"), "t.quotient": ("quotient", "R32"), "t.exponent": ("t_exponent", "Z")}
    source.part(MODULI, "make_crt_table", "t.quotient[i] =", 1, ["quotient"], as_="table_quotient", parameters="(t_digits unit_exponent product : Z) (quotient : Z -> R) (i : Z)", scope={"i": "Z"}, paths=table, calls=power)
    source.part(TABLES, "make_leading_bytes", "t.quotient =", 1, ["quotient"], as_="leading_quotient", parameters="(t_exponent product : Z)", paths=table, calls=power)


MUTATIONS = [
    ("power_over_near", MODULI, "exponent - top.shift - 64", "exponent - top.shift - 63"),
    ("power_over_near", MODULI, "for (; e < 0; ++e) r /= 2;", "for (; e < 0; ++e) r /= 4;"),
    ("power_over_near", MODULI, "double value = static_cast<double>(top.high)", "double value = static_cast<float>(top.high)"),
    ("power_over_near", MODULI, "power_over(16 * (t.digits - 1 - i) + t.unit_exponent, t.product)", "power_over(16 * (t.digits - i) + t.unit_exponent, t.product)"),
    ("power_over_near", TABLES, "power_over(96 + t.exponent, crt.product)", "power_over(95 + t.exponent, crt.product)"),
]
