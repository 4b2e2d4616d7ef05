"""Definitions for Norms.v: the scale of NRM2's squares."""

NORMS = "lib/cpu/sums/norms.cpp"


def define(source):
    source.function(NORMS, "square_scale", result="Z")


MUTATIONS = [
    ("norm_bounds", NORMS, "if (largest < 0x1p-400) return -600;", "if (largest < 0x1p-490) return -600;"),
    ("norm_bounds", NORMS, "return largest < 0x1p+480 ? 0 : 600;", "return largest < 0x1p+520 ? 0 : 600;"),
]
