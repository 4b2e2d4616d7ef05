"""Definitions for Dot2Bound.v: Dot2's pairs and their bound."""

BOUNDS = "lib/numerics/bounds.hpp"
BLOCK = "lib/numerics/dot2_block.hpp"
DOT2 = "lib/cpu/dot2/dot2.cpp"


def define(source):
    for name in ("dot2_block", "dot2_lanes", "dot2_dot_block"):
        source.constant(BLOCK, name)
    source.constant(BOUNDS, "unit_roundoff_double", kind="R64")
    source.constant(BOUNDS, "unit_roundoff_float", kind="R64")
    source.constant(BOUNDS, "slack", kind="R64", as_="bound_slack")
    source.function(BOUNDS, "gamma_bound", paths={"detail::slack": ("bound_slack", "R64"), "infinite_bound": ("0%R", "R64")})
    source.function(BOUNDS, "ceil_log2")
    source.function("lib/base/integers.hpp", "ceil_div", types={"T": "Z", "A": "Z", "B": "Z"})
    source.function(BOUNDS, "dot2_depth_gemm")
    source.function(BOUNDS, "dot2_depth_dot")
    source.function(BOUNDS, "dot2_bound", paths={"detail::slack": ("bound_slack", "R64")}, calls={"Dot2Bound": ("", "any")})
    pair = {f"{o}.{n}": (f"{o}_{n}", "R64") for o in ("pair", "left", "right") for n in ("s", "c")}
    source.part(DOT2, "sum_error", "return b", 1, [], as_="dot2_sum_error", parameters="(a b s : R)", scope={"a": "R64", "b": "R64", "s": "R64"})
    source.part(DOT2, "step", "const double p", 3, ["pair_s", "pair_c"], as_="dot2_step_source", parameters="(sum_error : R -> R -> R -> R) (pair_s pair_c x y : R)",
                scope={"x": "R64", "y": "R64"}, paths={**pair, "compensated": ("true", "bool")}, calls={"sum_error": ("sum_error", "R64")})
    source.part(DOT2, "dot2_combine", "const double s", 2, [], as_="dot2_combine_source",
                parameters="(sum_error : R -> R -> R -> R) (left_s left_c right_s right_c : R)",
                paths={**pair, "compensated": ("true", "bool")}, calls={"sum_error": ("sum_error", "R64")})


MUTATIONS = [
    ("dot2_operations", DOT2, "(left.c + right.c) + sum_error", "(left.c + right.c) - sum_error"),
    ("dot2_operations", DOT2, "const double e = std::fma(x, y, -p);", "const double e = x * y - p;"),
    ("dot2_gemm_bound", BOUNDS, "? Dot2Bound{u_result, g * g * detail::slack", "? Dot2Bound{u_result, g * g / 2 * detail::slack"),
    ("dot2_gemm_bound", BOUNDS, "return static_cast<double>(k < dot2_block ? k : dot2_block)", "return static_cast<double>(k < dot2_block ? k : 1)"),
    ("dot2_tree_bound", BLOCK, "dot2_dot_block = 1024", "dot2_dot_block = 4096"),
    ("dot2_tree_bound", BOUNDS, "+ ceil_log2(dot2_lanes);", "+ 2;"),
    ("dot2_float_bounds", BOUNDS, ": Dot2Bound{u_result, g, 0x1p-150};", ": Dot2Bound{u_result, g / 2, 0x1p-150};"),
]
