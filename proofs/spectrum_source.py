"""Definitions for Spectrum.v, Rayleigh.v and Angle.v: balls of eigenvalues, clusters, and angles of eigenvectors."""
from certified_source import BITS
from eigen_source import BOUNDS, CALLS, PAIRS

PLACE = "lib/certified/host_place.cpp"
SPECTRUM = "lib/certified/spectrum.cpp"
ANGLE = "lib/certified/spectrum_results.cpp"
VECTOR = "lib/certified/spectrum_results.hpp"
TEXT = """From Proofs Require Import Extended OutwardSource ColumnsSource EigenSource.
(** The smaller one of two numbers that are not NaN, where none is infinity. *)
Definition xmin (a b : option R) : option R := match a, b with Some x, Some y => Some (Rmin x y) | None, _ => b | _, None => a end.
Definition below_nothing : Z := 0.
Definition below_negatives : Z := 1.
Definition below_zero : Z := 2.
"""
OWN = {**CALLS, "min": ("xmin", "X64", ["X64", "X64"]), "above": ("above bits_of number_of", "X64", ["X64"]), "b.cluster.size": ("n", "any"),
       "offer": ("offered", "any", ["any", "any", "Z", "X64", "X64"]), "angle_up": ("angle_up bits_of number_of", "X64", ["X64"] * 3)}
MEMBERS = {**PAIRS, "s": ("tt", "any"), "proof": ("", "any"), "proof.pairs": ("", "any"), "proof.pairs.d": ("d_high", "X64"), "proof.pairs.d_low": ("d_low", "X64"), "proof.at_zero": ("at_zero", "bool"), "proof.below_first": ("below_first", "Z"),
           **{f"Below::{name}": (f"below_{name}", "Z") for name in ("nothing", "negatives", "zero")}, "s.outside": ("outside", "X64"), "s.radius": ("radii", "X64"),
           "s.center": ("centers", "X64"), **{f"b.{name}": (name, "X64") for name in ("residual", "residuals", "contraction", "corrections", "correction_errors")},
           **{f"{name}.{m}": (f"({f} {name})", "X64") for name in ("first", "second", "sum") for m, f in (("high", "fst"), ("low", "snd"))}}


def define(source):
    source.raw(TEXT)
    scope = {**{name: "X64" for name in ("w", "distance", "correction", "error", "size", "rest", "shift", "radius", "both", "between", "total", "lost", "moved", "sine", "least_norm", "outside", "contraction", "errors", "a", "rounding", "x", "sum")},
             **{name: "Z" for name in ("k", "j", "i", "n", "first", "end", "rows")}}
    source.constants["rounding_unit"] = ("rounding_unit", "R64")

    def part(path, function, first, count, result, as_, parameters, more=None, **options):
        source.part(path, function, first, count, result, as_=as_, parameters=f"{BITS} {parameters}", **{"scope": {**scope, **(more or {})}, "types": {"double": "X64"}, "calls": OWN, "paths": MEMBERS, **options})

    source.function(BOUNDS, "distance_down", parameters=f"{BITS} (d_high d_low : Z -> option R) (j k : Z)", scope={"j": "Z", "k": "Z", "pairs": "any"}, types={"double": "X64"}, calls=CALLS, paths=PAIRS, result="X64")
    numbers = "(d_high d_low : Z -> option R)"
    part(BOUNDS, "find_clusters", "const double both", 1, ["both"], "twice", "(residual : option R)")
    part(BOUNDS, "find_clusters", "const double between", 2, ["gap", "between"], "separation", f"{numbers} (both gap : option R) (k : Z)")
    part(SPECTRUM, "judge_pair", "double to_left", 7, ["distance", "apart"], "judge_distances", f"(n : Z) {numbers} (w : option R) (below_first : Z) (at_zero : bool) (radii centers : Z -> option R) (first end_ k : Z)")
    part(SPECTRUM, "judge_pair", "s.outside[k] =", 1, ["outside"], "judge_outside", "(residuals outside : Z -> option R) (apart : option R) (k : Z)", {"apart": "X64"})
    state = "(state : Type) (tt : state) (offered : state -> Z -> option R -> option R -> state)"
    part(SPECTRUM, "judge_pair", "offer(s, proof, k, 0, w)", 1, [], "judge_weyl", f"{state} (w : option R) (k : Z)")
    part(SPECTRUM, "judge_pair", "if (end > first", 6, [], "judge_temple", f"{state} (residuals corrections correction_errors : Z -> option R) (contraction distance : option R) (at_zero : bool) (first end_ k : Z)")
    part(SPECTRUM, "offer", "const DoublePair first", 5, ["radii", "centers"], "offer_ball", f"(tt : (Z -> option R) * (Z -> option R)) {numbers} (radii centers : Z -> option R) (k : Z) (shift radius : option R)",
         {"first": "any", "second": "any", "sum": "any"})
    part(SPECTRUM, "refine", "if (const double above_next", 1, ["radii", "centers"], "ascending_ball", "(radii centers : Z -> option R) (k : Z)")
    part(BOUNDS, "bound_corrections", "const double a = bounds_.contraction", 2, ["rest", "rounding"], "correction_scales", "(rows : Z) (contraction high_size : option R)")
    part(PLACE, "column_products", "double sum = 0", 2, ["sum"], "correction_sum", "(rows : Z) (x y : Z -> option R) (j : Z)", {"y": "X64"})
    part(BOUNDS, "bound_corrections", "double error = mul_up", 4, ["corrections", "correction_errors"], "correction_of", "(rows : Z) (a rest rounding sum : option R) (low_norms residuals errors corrections correction_errors : Z -> option R) (j : Z)")
    source.constant(ANGLE, "half_pi_up")
    source.function(ANGLE, "angle_up", parameters=f"{BITS} (outside contraction moved : option R)", scope=scope, types={"double": "X64"}, calls=OWN, paths=PAIRS, result="X64")
    part(VECTOR, "angle_of_rounded", "const double moved", 1, ["moved"], "moved_by_rounding", "(lost : option R)")
    part(VECTOR, "angle_of_rounded", "return angle_up(outside, contraction, moved)", 1, [], "angle_from", "(outside contraction moved : option R)")
    source.raw("""(** A vector of a single matrix: norms are Euclidean ones (scale.stretch is 1). *)
Definition angle_of (bits_of : R -> Z) (number_of : Z -> option R) (exponent_of : option R -> Z) (rows : Z) (lost : Z -> option R) (outside contraction : option R) : option R :=
  angle_from bits_of number_of outside contraction (moved_by_rounding bits_of number_of (norm_up bits_of number_of exponent_of rows lost)).
""")


MUTATIONS = [
    ("clusters_separate", BOUNDS, "mul_up(8 * rounding_unit, size)", "mul_up(2 * rounding_unit, size)"),
    ("clusters_separate", BOUNDS, "add_up(bounds.residual, bounds.residual)", "bounds.residual"),
    ("clusters_separate", BOUNDS, "below(distance_down(pairs, k - 1, k) - both)", "distance_down(pairs, k - 1, k) - both"),
    ("vector_outside", SPECTRUM, "below(distance_down(proof.pairs, k, end) - w)", "distance_down(proof.pairs, k, end)"),
    ("vector_outside", SPECTRUM, "div_up(b.residuals[k], apart)", "b.residuals[k] / apart"),
    ("vector_outside", SPECTRUM, "proof.below_first != Below::nothing && first == 0 && positive", "proof.below_first == Below::nothing && first == 0 && positive"),
    ("vector_outside", SPECTRUM, "below(proof.pairs.d[k] - std::fabs(proof.pairs.d_low[k]))", "below(proof.pairs.d[k])"),
    ("vector_outside", SPECTRUM, "proof.below_first == Below::negatives ? to_clusters : distance", "proof.below_first == Below::zero ? to_clusters : distance"),
    ("judge_keeps", SPECTRUM, "end > first + 1 ||", "end > first + 2 ||"),
    ("judge_keeps", SPECTRUM, "(first == 0 && proof.at_zero)", "(first == 1 && proof.at_zero)"),
    ("judge_keeps", SPECTRUM, "div_up(mul_up(size, size), rest)", "div_up(size, rest)"),
    ("judge_keeps", SPECTRUM, "below(distance - add_up(std::fabs(correction), error))", "below(distance - std::fabs(correction))"),
    ("judge_keeps", SPECTRUM, "div_up(b.residuals[k], sqrt_down(below(1 - b.contraction)))", "b.residuals[k]"),
    ("judge_keeps", SPECTRUM, "add_up(std::fabs(sum.low), std::fabs(second.low))", "std::fabs(sum.low)"),
    ("ascending_keeps", SPECTRUM, "add_up(s.radius[k], above(above_next))", "add_up(s.radius[k], above_next / 2)"),
    ("rayleigh_correction", BOUNDS, "mul_up(static_cast<double>(2 * rows_) * rounding_unit, bounds_.high_size)", "mul_up(rounding_unit, bounds_.high_size)"),
    ("rayleigh_correction", BOUNDS, "add_up(mul_up(add_up(1, a), errors[j]), mul_up(a, std::fabs(sum)))", "mul_up(add_up(1, a), errors[j])"),
    ("rayleigh_correction", BOUNDS, "div_up(add_up(error, underflow_of(1, rows_)), rest)", "div_up(error, rest)"),
    ("angle_bound", VECTOR, "1 + 0x1p-51", "1"),
    ("angle_bound", ANGLE, "below(sqrt_down(below(1 - contraction)) - moved)", "sqrt_down(below(1 - contraction))"),
    ("angle_bound", ANGLE, "add_up(outside, moved)", "outside"),
    ("angle_bound", ANGLE, "if (!(sine < 0.75))", "if (!(sine < 1.5))"),
]
