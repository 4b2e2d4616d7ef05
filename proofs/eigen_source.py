"""Definitions for Eigen.v: the bounds of approximate eigenpairs."""
from certified_source import BITS, OPERATIONS
from columns_source import COLUMNS

BOUNDS = "lib/certified/eigen_bounds.cpp"
STEPS = "lib/call/spectrum_steps.hpp"
TEXT = """From Proofs Require Import Extended ZivSource OutwardSource ColumnsSource.
(** The low part of a product of two numbers, the sum of two numbers with its error, and an array of one number. *)
Definition xproduct_low (a b : option R) : option R := match a, b with Some x, Some y => fits (snd (two_product_source x y)) | _, _ => None end.
Definition xtwo_sum (a b : option R) : option R * option R :=
  match xadd a b, a, b with Some s, Some x, Some y => (Some s, fits (snd (two_sum_source x y))) | _, _, _ => (None, None) end.
Definition filled (a : Z -> option R) (count : Z) (x : option R) : option R := x.
"""
CALLS = {**OPERATIONS, **{name: (f"{name} bits_of number_of", "X64", ["X64"]) for name in ("sqrt_up", "sqrt_down")}, "norm_up": ("norm_up bits_of number_of exponent_of", "X64", ["Z", "any"]),
         "two_sum": ("xtwo_sum", "any", ["X64", "X64"]), "two_product": ("xproduct_low", "any", ["X64", "X64"]), "two_parts": ("two_parts", "bool"),
         "fill_n": ("filled", "X64", ["any", "Z", "X64"]), "underflow_of": ("underflow_of bits_of number_of", "X64", ["X64", "Z"]), "gram_norm": ("gram_norm", "X64"),
         "distance_down": ("distance_down bits_of number_of d_high d_low", "X64", ["any", "Z", "Z"]), ".data": ("", "any")}
PAIRS = {"pairs_.d": ("d_high", "X64"), "pairs_.d_low": ("d_low", "X64"), "pairs.d": ("d_high", "X64"), "pairs.d_low": ("d_low", "X64"), "n_": ("n", "Z"), "rows_": ("rows", "Z"), "gram_rows_": ("gram_rows", "Z"), "largest_": ("largest", "Z"), "a.n": ("n", "Z"), "HUGE_VAL": ("None", "X64"),
         "a_.inexact": ("inexact", "bool"), "two_parts": ("two_parts", "bool"), "pairs_": ("", "any"), "pairs": ("", "any"), "pairs_.x": ("x", "X64"), **{f"difference.{m}": (f"({f} difference)", "X64") for m, f in (("high", "fst"), ("low", "snd"))},
         **{f"{bounds}.{name}": (name, "X64") for bounds in ("bounds", "bounds_") for name in ("high_size", "contraction", "low_norms", "residuals", "residual", "gap", "f", "corrections", "correction_errors")}}


def define(source):
    source.raw(TEXT)
    source.constant(BOUNDS, "rounding_unit")
    vectors = {name: "X64" for name in ("x", "x_low", "f", "d", "d_low", "e", "errors", "norms", "low", "high", "rest", "error", "sum", "a", "rounding", "both", "between")}

    def part(function, first, count, result, as_, parameters, path=BOUNDS, **options):
        source.part(path, function, first, count, result, as_=as_, parameters=f"{BITS} {parameters}",
                    **{"scope": {**vectors, "j": "Z", "i": "Z", "k": "Z"}, "types": {"double": "X64"}, "calls": CALLS, "paths": PAIRS, "fields": {"low": ("", "X64")}, **options})

    source.function(COLUMNS, "underflow_of", parameters=f"{BITS} (times : option R) (rows : Z)", scope={"times": "X64", "rows": "Z"}, types={"double": "X64"}, calls=CALLS, result="X64")
    part("gram_norm", "return norm_up", 1, [], "gram_norm_up", "(exponent_of : option R -> Z) (n : Z) (norms : Z -> option R)")
    part("bound_orthogonality", "const double high = add_up", 1, ["high"], "bound_of_e", "(gram_norm : (Z -> option R) -> option R) (gram_rows : Z) (e : Z -> option R)")
    part("bound_orthogonality", "double low = 0", 1, ["low"], "low_at_first", "")
    part("bound_orthogonality", "low = norm_up", 1, ["low"], "low_size", "(exponent_of : option R -> Z) (n : Z) (low_norms : Z -> option R)")
    part("bound_orthogonality", "bounds_.high_size = add_up", 2, ["high_size", "contraction"], "contraction_of_x", "(high low : option R)")
    part("first_product", "f = x * d", 1, ["f"], "first_product", "(x d : option R)", path=STEPS)
    part("bound_residuals", "std::fill_n(errors", 1, [], "first_errors", "(inexact : bool) (n largest : Z) (errors : Z -> option R)")
    part("bound_residuals", "errors[j] = add_up(errors[j], mul_up(rounding_unit", 1, ["errors"], "add_rounding", "(errors norms : Z -> option R) (j : Z)")
    part("subtract_rest", "double rest = two_product", 3, ["f"], "subtract_rest", "(two_parts : bool) (f x x_low d d_low : option R)", path=STEPS)
    part("bound_residuals", "const double d = std::fabs", 4, ["errors", "residuals"], "bound_column", "(high_size : option R) (low_norms errors norms residuals d_high d_low : Z -> option R) (j : Z)")
    part("bound_eigenpairs", "bounds.residual =", 1, ["residual"], "residual_of", "(exponent_of : option R -> Z) (n : Z) (contraction : option R) (residuals : Z -> option R)")


MUTATIONS = [
    ("orthogonality_bounds", BOUNDS, "mul_up(gram_norm(e), 1 + 2 * rounding_unit)", "gram_norm(e)"),
    ("orthogonality_bounds", BOUNDS, "underflow_of(1, gram_rows_)", "underflow_of(0, gram_rows_)"),
    ("orthogonality_bounds", BOUNDS, "mul_up(low, add_up(mul_up(2, bounds_.high_size), low))", "mul_up(low, add_up(bounds_.high_size, low))"),
    ("residual_bounds", BOUNDS, "a_.inexact ? 16 : 8, largest_", "a_.inexact ? 2 : 2, largest_"),
    ("residual_bounds", BOUNDS, "a_.inexact ? 16 : 8, largest_", "a_.inexact ? 16 : 8, n_"),
    ("residual_bounds", BOUNDS, "mul_up(6 * rounding_unit, terms)", "mul_up(2 * rounding_unit, terms)"),
    ("residual_bounds", BOUNDS, "mul_up(add_up(d, d_low), bounds_.low_norms[j])", "mul_up(d, bounds_.low_norms[j])"),
    ("residual_bounds", BOUNDS, "errors[j] = add_up(errors[j], mul_up(rounding_unit, norms[j]));", "errors[j] = add_up(errors[j], mul_up(rounding_unit / 2, norms[j]));"),
    ("residual_bounds", STEPS, "rest += x_low * d + x_low * d_low;", "rest += x_low * d;"),
    ("weyl_radius", BOUNDS, "div_up(norm_up(a.n, bounds.residuals.data()), sqrt_down(below(1 - bounds.contraction)))", "norm_up(a.n, bounds.residuals.data())"),
]
