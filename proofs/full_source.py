"""Definitions for Full.v: the whole sum of two terms in a wide integer."""
from out_parameters import OutParameters, Rewritten

FINISH = "lib/numerics/finish.hpp"
TERM = {"value": "Wide", "exponent": "int", "top": "int", "negative": "bool"}
DECODED = {"mantissa": "uint64_t", "exponent": "int", "negative": "bool"}
ROUND_TO = "(round_to : bool -> Z -> bool -> Z -> Z)"

TEXT = """From Proofs Require Import IntervalSource.
(** More of lib/numerics/wide.hpp, for integers as in Semantics.v. *)
Definition wide_from (L value : Z) : Z := wrap (64 * L) value.
Definition wide_shift_left (L a shift : Z) : Z := wrap (64 * L) (Z.shiftl a shift).
Definition wide_negative (L a : Z) : bool := 2 ^ (64 * L - 1) <=? a.
(** The leading 64 bits, the next ones, the shift, and whether a bit below is set. *)
Definition wide_top (a : Z) : Z * Z * Z * bool :=
  if a =? 0 then (0, 0, 0, false) else let shift := Z.log2 a - 127 in (Z.shiftr a (shift + 64), wrap 64 (Z.shiftr a shift), shift, negb (a mod 2 ^ Z.max 0 shift =? 0)).
Definition top_high (t : Z * Z * Z * bool) : Z := fst (fst (fst t)).
Definition top_low (t : Z * Z * Z * bool) : Z := snd (fst (fst t)).
Definition top_shift (t : Z * Z * Z * bool) : Z := snd (fst t).
Definition top_lost (t : Z * Z * Z * bool) : bool := snd t.
"""


def define(source):
    rule = OutParameters((), None, (), {n: TERM for n in "xyt"})
    pair = OutParameters((), None, (), {n: DECODED for n in ("ds", "dc")})
    source.headers[FINISH] = Rewritten(source.header(FINISH), {"finish_full": rule, "finish_pair": pair})
    source.raw(TEXT)
    source.part(FINISH, "finish_full", "constexpr int N", 1, ["N"], as_="full_limbs", parameters="(L : Z)", scope={"L": "Z"})
    decoded = {f"{n}.{m}": (f"{n}_{m}", k) for n in ("alpha", "beta", "c") for m, k in (("mantissa", "u64"), ("exponent", "Z"), ("negative", "bool"))}
    term = {f"{n}_{m}": k for n in "xy" for m, k in (("value", "Z"), ("exponent", "Z"), ("top", "Z"), ("negative", "bool"))}
    calls = {"wide_mul": ("wide_mul N", "Z"), "wide_add": ("wide_add N", "Z"), "wide_negate_if": ("wide_negate_if N", "Z"), "wide_bit_length": ("wide_bit_length", "Z"),
             "wide_from<N>": ("wide_from N", "Z"), "wide_shift_left": ("wide_shift_left N", "Z"), "wide_negative": ("wide_negative N", "bool"), "wide_top": ("wide_top", "any"),
             "round_to<T>": ("round_to", "Z", ["bool", "u64", "bool", "Z"]), "exact_zero<T>": ("exact_zero", "Z")}
    top = {f"top.{m}": (f"(top_{m} top)", k) for m, k in (("high", "u64"), ("low", "u64"), ("shift", "Z"), ("lost", "bool"))}

    def part(first, count, result, as_, parameters, scope, paths=()):
        source.part(FINISH, "finish_full", first, count, result, as_=as_, parameters=parameters, scope={**term, **scope}, calls=calls, types={"Wide<N>": "Z", "Wide < N >": "Z", "Wide": "Z"},
                    paths={**decoded, **top, **dict(paths)})

    part("x.value = wide_mul", 3, ["x_value", "x_exponent", "x_negative"], "full_product", "(N x_value exponent alpha_mantissa alpha_exponent : Z) (negative alpha_negative : bool)",
         {"exponent": "Z", "negative": "bool"})
    part("const Uint128 product", 3, ["y_limb"], "full_addend", "(y_limb : Z -> Z) (beta_mantissa c_mantissa : Z)", {}, {"y_value.limb": ("y_limb", "u64")})
    part("y.exponent = beta.exponent", 2, ["y_exponent", "y_negative"], "addend_scale", "(beta_exponent c_exponent : Z) (beta_negative c_negative : bool)", {})
    part("const int length_x", 4, ["x_value", "x_exponent", "x_top", "x_negative", "y_value", "y_exponent", "y_top", "y_negative"], "in_order",
         "(x_value x_exponent x_top y_value y_exponent y_top : Z) (x_negative y_negative : bool)", {})
    part("int base", 3, ["base", "y_value", "y_exponent", "any_y"], "common_base", "(N x_exponent x_top y_value y_exponent y_top : Z)", {})
    part("x.value = wide_shift_left", 2, ["x_value", "y_value"], "aligned", "(N x_value x_exponent y_value y_exponent base : Z) (any_y : bool)", {"base": "Z", "any_y": "bool"})
    part("Wide<N> sum", 6, [], "rounded_sum", f"{ROUND_TO} (N x_value y_value base : Z) (x_negative y_negative : bool)", {"base": "Z"})

    # The beginning of round_within, and the pair of dot2.
    source.part(FINISH, "round_within", "const bool negative", 3, ["negative", "magnitude", "top"], as_="sign_and_size", parameters="(N s : Z)", scope={"s": "Z"}, calls=calls, types={"Wide<L>": "Z", "Wide < L >": "Z"})
    finish = "(finish : Z -> R -> Z -> Z -> R -> R -> Z)"
    numbers = {"alpha": "any", "beta": "any", "y": "any"}
    pair_calls = {**calls, "finish": ("finish N", "Z"), "wide_from<L>": ("wide_from N", "Z")}
    source.part(FINISH, "finish_pair_wide", "const int exponent", 4, [], as_="finish_pair_wide",
                parameters=f"{finish} (N : Z) (alpha : R) (s_mantissa s_exponent : Z) (s_negative : bool) (c_mantissa c_exponent : Z) (c_negative : bool) (beta y : R)", scope=numbers, calls=pair_calls,
                paths={f"{n}.{m}": (f"{n}_{m}", k) for n in "sc" for m, k in (("mantissa", "u64"), ("exponent", "Z"), ("negative", "bool"))}, types={"Wide<L>": "Z", "Wide < L >": "Z"})
    source.part(FINISH, "finish_pair", "if (ds.mantissa == 0)", 6, [], as_="finish_pair",
                parameters=f"{finish} (alpha : R) (ds_mantissa ds_exponent : Z) (ds_negative : bool) (dc_mantissa dc_exponent : Z) (dc_negative : bool) (beta y : R)",
                scope={**numbers, **{f"{n}_{m}": k for n in ("ds", "dc") for m, k in (("mantissa", "u64"), ("exponent", "Z"), ("negative", "bool"))}},
                calls={f"finish_pair_wide<{n}>": (f"finish_pair_wide finish {n}", "Z") for n in (2, 3, 33)})


MUTATIONS = [
    ("finish_full_correct", FINISH, "constexpr int N = L + 3;", "constexpr int N = L + 2;"),
    ("finish_full_correct", FINISH, "x.exponent : x.top - 64) - 2;", "x.exponent : x.top - 64);"),
    ("finish_full_correct", FINISH, "x.exponent < x.top - 64 ? x.exponent : x.top - 64", "x.exponent"),
    ("finish_full_correct", FINISH, "any_y && y.top <= base", "any_y && y.top <= base + 1"),
    ("finish_full_correct", FINISH, "top.low != 0 || top.lost, base", "top.low != 0, base"),
    ("finish_full_correct", FINISH, "(length_y != 0 && y.top > x.top)", "(length_y != 0 && y.top > x.top + 1)"),
    ("exact_sums_decided", FINISH, "const Wide<L> magnitude = wide_negate_if(s, negative);", "const Wide<L> magnitude = wide_negate_if(s, !negative);"),
    ("finish_pair_correct", FINISH, "gap <= 73", "gap <= 75"),
    ("finish_pair_correct", FINISH, "gap <= 137", "gap <= 139"),
    ("finish_pair_correct", FINISH, "wide_negate_if(b, c.negative)", "wide_negate_if(b, s.negative)"),
    ("finish_pair_correct", FINISH, "s.exponent < c.exponent ? s.exponent : c.exponent", "s.exponent"),
]
