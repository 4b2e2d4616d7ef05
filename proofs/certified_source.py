"""Definitions for Certified.v: the bounds of the certified solver."""

INVERSE = "lib/certified/inverse.cpp"
REFINE = "lib/certified/refine.cpp"
RESULTS = "lib/certified/results.hpp"
OPERATIONS = {name: (f"{name} bits_of number_of", "X64", ["X64", "X64"]) for name in ("add_up", "mul_up", "div_up")}
OPERATIONS.update({"below": ("below bits_of number_of", "X64", ["X64"]), "scale_up": ("scale_up bits_of number_of", "X64", ["X64", "Z"]),
                   "max": ("xmax", "X64", ["X64", "X64"]), "least_subnormal<double>": ("least_subnormal", "R64")})
PATHS = {"HUGE_VAL": ("None", "X64"), "s_.inexact": ("inexact", "bool"), "s.inexact": ("inexact", "bool"), "n_": ("n", "Z"), "parts_": ("parts", "Z"),
         "inverse.row_sums": ("row_sums", "X64"), "inverse_.row_sums": ("row_sums", "X64"), "inverse_.weights": ("weights", "X64"), "inverse_.product": ("product", "X64"),
         "inverse_.contraction": ("contraction", "X64")}
BITS = "(bits_of : R -> Z) (number_of : Z -> option R)"


def define(source):
    source.raw("From Proofs Require Import Extended OutwardSource.")

    def part(path, function, first, count, result, as_, parameters, scope, **options):
        source.part(path, function, first, count, result, as_=as_, parameters=f"{BITS} {parameters}", scope=scope,
                    **{"types": {"double": "X64"}, "calls": OPERATIONS, "paths": PATHS, **options})

    for path, as_ in ((INVERSE, "inverse_roundoff"), (REFINE, "judge_roundoff")):
        source.constant(path, "u", as_=as_)
    del source.constants["u"]
    inverse, judge = ({**PATHS, "u": (name, "R64")} for name in ("inverse_roundoff", "judge_roundoff"))
    vectors = {"v": "X64", "g": "X64", "y": "X64", "r": "X64", "z": "X64", "lost": "X64", "size": "X64", "all": "X64", "largest": "X64"}
    part(INVERSE, "bound_contraction", "double sum = 0", 3, ["g", "contraction"], "contraction_of", "(inexact : bool) (n : Z) (row_sums v g : Z -> option R)",
         {**vectors, "n": "Z"}, paths=inverse)
    part(INVERSE, "bound_contraction", "v[i] = std::max", 1, ["v"], "next_weight", "(v g : Z -> option R) (largest : option R) (i : Z)", {**vectors, "i": "Z"})
    part(REFINE, "judge", "double largest_r", 5, ["lost"], "judge_lost", "(inexact : bool) (n parts : Z) (y r : Z -> option R)", vectors, paths=judge)
    part(REFINE, "judge", "if (lost == 0) return 0.0", 2, [], "judge_rest", "(lost : option R) (z row_sums : Z -> option R) (i : Z)", {**vectors, "i": "Z"}, paths=judge)
    part(REFINE, "judge", "double size = 0", 3, ["size"], "judge_size", "(n : Z) (lost : option R) (z row_sums weights : Z -> option R)", vectors, paths=judge)
    part(REFINE, "judge", "const double all", 1, ["all"], "judge_all", "(lost size contraction : option R)", vectors, paths=judge)
    rest = ("judge_rest bits_of number_of lost z row_sums", "X64")
    part(REFINE, "judge", "double radius", 2, ["radius"], "judge_radius", "(n parts : Z) (lost all : option R) (y z row_sums product : Z -> option R) (i : Z)", {**vectors, "i": "Z"},
         paths=judge, calls={**OPERATIONS, "rest": rest})
    ball = {"best": "X64", "center": "X64", "radius": "X64", "i": "Z", "y": "X64"}
    part(REFINE, "judge", "if (radius < best)", 1, ["best", "center"], "judge_kept", "(radius best center : option R) (y : Z -> option R) (i : Z)", ball)
    definite = {"av": "X64", "rav": "X64", "sum": "X64", "n": "Z"}
    members = {**inverse, "inverse.weights": ("weights", "X64"), "inverse.product": ("product", "X64")}
    part(INVERSE, "is_definite", "double sum_v = 0", 3, ["av", "sum"], "definite_sums", "(inexact : bool) (n : Z) (weights av : Z -> option R)", definite, paths=members)
    part(INVERSE, "is_definite", "for (Index i = 0; i < n; ++i) { const double moved", 2, [], "definite_test", "(n : Z) (sum : option R) (rav product weights : Z -> option R)", definite, paths=members)
    for size, kind in (("64", "X64"), ("32", "X32")):
        bits = f"(bits_of{size} : R -> Z) (number_of{size} : Z -> option R) " if size == "32" else ""
        own = "32" if size == "32" else ""
        numbers = {"types": {"double": "X64", "T": kind}, "paths": PATHS}
        calls = {**OPERATIONS, "ldexp": ("xscale", "X64"), "is_finite": ("xfinite", "bool"), "numeric_limits<T>::infinity": ("None", kind),
                 "to_bits": (f"xbits bits_of{own}", f"u{size}"), "from_bits<T>": (f"number_of{own}", kind)}
        source.function(RESULTS, "rounded_up", as_=f"rounded_up{size}", parameters=f"{BITS} {bits}(x : option R)", scope={"x": "X64"}, calls=calls, **numbers)
        up = " ".join([f"rounded_up{size} bits_of number_of"] + [f"bits_of{own} number_of{own}"] * bool(own))
        source.function(RESULTS, "scaled", as_=f"scaled_ball{size}", parameters=f"{BITS} {bits}(center radius : option R) (e : Z)", scope={"center": "X64", "radius": "X64", "e": "Z"},
                        calls={**calls, "rounded_up<T>": (up, kind, ["X64"])}, **numbers)


MUTATIONS = [
    ("inverse_contracts", INVERSE, "g[i] = add_up(mul_up(g[i], 1 + 2 * u), lost);", "g[i] = add_up(g[i], lost);"),
    ("inverse_contracts", INVERSE, "mul_up(mul_up(least_subnormal<double>(), inverse.row_sums[i]), sum)", "mul_up(least_subnormal<double>(), inverse.row_sums[i])"),
    ("inverse_contracts", INVERSE, "const double ratio = div_up(g[i], v[i]);", "const double ratio = g[i] / v[i];"),
    ("inverse_contracts", INVERSE, "std::max(g[i] / largest, 0x1p-20)", "std::max(g[i] / largest, 0x1p-30)"),
    ("certified_radius", REFINE, "if (largest_r == 0 && sum_y == 0)", "if (largest_r == 0 && largest_y == 0)"),
    ("certified_radius", REFINE, "2 * least_subnormal<double>());\n    if", "0x1p-1075);\n    if"),
    ("certified_radius", REFINE, "mul_up(least_subnormal<double>(), sum_y)", "least_subnormal<double>()"),
    ("certified_radius", REFINE, "mul_up(std::fabs(z[i]), 1 + 2 * u)", "std::fabs(z[i])"),
    ("certified_radius", REFINE, "mul_up(inverse_.row_sums[i], lost)", "lost"),
    ("certified_radius", REFINE, "std::max(size, ratio) : HUGE_VAL;", "std::max(size, ratio) : size;"),
    ("certified_radius", REFINE, "div_up(size, below(1 - inverse_.contraction))", "div_up(size, 1 - inverse_.contraction)"),
    ("certified_radius", REFINE, "add_up(rest(i), mul_up(inverse_.product[i], all))", "rest(i)"),
    ("certified_radius", REFINE, "best = radius;", "best = radius / 2;"),
    ("definite_rows", INVERSE, "add_up(mul_up(u, rav[i]), mul_up(least_subnormal<double>(), sum))", "mul_up(u, rav[i])"),
    ("definite_rows", INVERSE, "if (s.inexact) av[j] = add_up(av[j], mul_up(least_subnormal<double>(), sum_v));", ""),
    ("scaled_ball_holds", RESULTS, "if (std::ldexp(moved, -e) != center)", "if (moved == 0)"),
    ("scaled_ball_holds", RESULTS, "std::fabs(moved - static_cast<double>(x)); rounded > 0", "std::fabs(moved - static_cast<double>(x)); rounded > 1"),
    ("scaled_ball_holds", RESULTS, "static_cast<double>(result) < x ?", "static_cast<double>(result) < x / 2 ?"),
]
