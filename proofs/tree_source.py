"""Definitions for Tree.v: DOT's tree of partial sums."""
from out_parameters import OutParameters, Rewritten

DOT2 = "lib/cpu/dot2/dot2.cpp"
TEXT = """From Proofs Require Import Dot2Source.
Definition bit_floor (x : Z) : Z := if x =? 0 then 0 else 2 ^ Z.log2 x.
(** A term joins the pair of a lane, and two pairs are combined. *)
Section Tree.
Variables (step_term : R * R -> Z -> Z -> R * R) (dot2_combine : R * R -> R * R -> R * R) (sum n : Z)."""


def define(source):
    rule = OutParameters((), None, (), None, changes={"step_term": ((0,), "any")})
    source.headers[DOT2] = Rewritten(source.header(DOT2), {"tree": rule})
    source.raw(TEXT)
    for name in ("dot2_lanes", "dot2_dot_block"):
        source.constants[name] = (name, "Z")
    calls = {"tree": ("tree", "any"), "step_term": ("step_term", "any"), "dot2_combine<T>": ("dot2_combine", "any"), "bit_floor": ("bit_floor", "u64"), "min": ("Z.min", "Z"),
             "max<Index>": ("Z.max", "Z"), "ceil_div": ("ceil_div", "Z")}
    paths = {"lanes.lane": ("lanes", "any"), "right.lane": ("right_", "any"), "sum.n": ("n", "Z"), "sum": ("sum", "any")}
    rule.types.update(T="any")
    lanes = "(tree : Z -> Z -> Z -> Z -> R * R)"
    source.part(DOT2, "tree", "if (count == 1)", 6, [], as_="tree_body", parameters=f"{lanes} (lanes : Z -> R * R) (first count : Z)",
                scope={"lanes": "any", "first": "Z", "count": "Z"}, paths=paths, calls=calls, types=rule.types)
    source.part(DOT2, "dot2_tree", "Lanes lanes = tree", 3, [], as_="tree_end", parameters=lanes, paths=paths, calls=calls, types={"T": "any"})
    source.raw("End Tree.")
    # Floats: plain sums in doubles of exact products.
    pair = {f"{o}.{n}": (f"{o}_{n}", "R64") for o in ("pair", "left", "right") for n in ("s", "c")}
    pair["compensated"] = ("false", "bool")
    error = {"sum_error": ("(fun a b s : R => 0%R)", "R64")}
    source.part(DOT2, "step", "const double p", 3, ["pair_s", "pair_c"], as_="float_step_source", parameters="(pair_s pair_c x y : R)", scope={"x": "R32", "y": "R32"}, paths=pair, calls=error)
    source.part(DOT2, "dot2_combine", "const double s", 2, [], as_="float_combine_source", parameters="(left_s left_c right_s right_c : R)", paths=pair, calls=error)


MUTATIONS = [
    ("dot2_float_bounds", DOT2, "const double p = static_cast<double>(x) * static_cast<double>(y), s = pair.s + p;", "const double p = x * y, s = pair.s + p;"),
    ("dot2_float_bounds", DOT2, "const double s = left.s + right.s;", "const double s = left.s - right.s;"),
    ("dot2_tree_bound", DOT2, "bit_floor(static_cast<std::uint64_t>(count - 1))", "bit_floor(static_cast<std::uint64_t>(count))"),
    ("dot2_tree_bound", DOT2, "tree(sum, first + half, count - half)", "tree(sum, first, count - half)"),
    ("dot2_tree_bound", DOT2, "begin = first * dot2_dot_block", "begin = first * (dot2_dot_block - 1)"),
]
