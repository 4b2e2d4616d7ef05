"""Theorem 1: the capacities of the moduli, as sums of rounded logarithms."""

CAPACITY = "lib/numerics/capacity.cpp"


def define(source):
    source.raw("From Proofs Require Import CrtSource.")
    paths = {"complex.log2": ("capacity", "R64"), "crt_margin": ("crt_margin", "R64")}
    log2 = {"log2": ("log2", "R64")}
    source.part(CAPACITY, "int8_capacities", "complex.log2[0] =", 1, ["capacity"], as_="first_capacity", parameters="(log2 : R -> R) (capacity : Z -> R)", paths=paths, calls=log2)
    source.part(CAPACITY, "int8_capacities", "return before +", 1, [], as_="next_capacity", parameters="(log2 : R -> R) (before : R) (p : Z)", scope={"before": "R64", "p": "Z"}, calls=log2)


MUTATIONS = [
    ("int8_capacities_right", CAPACITY, "-1 - std::log2(crt_margin) - 1e-9", "-1 - std::log2(crt_margin)"),
    ("int8_capacities_right", CAPACITY, "= -1 - std::log2(crt_margin)", "= -std::log2(crt_margin)"),
]
