"""Theorem 4: the test of intervals of integers."""
from out_parameters import OutParameters, Rewritten

FINISH = "lib/numerics/finish.hpp"
INTERVAL = {"value": "Uint128", "error": "Uint128", "exponent": "int", "negative": "bool"}
# The value of each function and of its out-parameters.
FUNCTIONS = {"round_up_scaled": ["bool", "u128"], "shift_down": ["u128", "bool"], "round_between<T>": ["bool", "Z"], "round_between": ["bool", "Z"], "round_sum": ["bool", "Z"]}
ROUND_TO = "(round_to : bool -> Z -> bool -> Z -> Z)"
DECODE = "(decode : R -> Z * Z * bool)"

TEXT = """(** The bits of a double: its mantissa, exponent and sign. *)
Definition mantissa_of (d : Z * Z * bool) : Z := fst (fst d).
Definition exponent_of (d : Z * Z * bool) : Z := snd (fst d).
Definition sign_of (d : Z * Z * bool) : bool := snd d.
Definition leading_zeros (x : Z) : Z := if x =? 0 then 64 else 63 - Z.log2 x.
"""


def define(source):
    records = {"x": INTERVAL, "y": INTERVAL}
    empty = {"Decoded": [("num", "0"), ("num", "0"), ("id", "false")]}
    rules = {"round_up_scaled": OutParameters(["out"]), "shift_down": OutParameters(["lost"]), "round_between": OutParameters(["out"]),
             "round_sum": OutParameters(["out"], FUNCTIONS, {"shift_down"}, records), "round_within": OutParameters(["out"], FUNCTIONS, {"round_sum"}, records, empty)}
    for rule in rules.values():
        rule.types.update(T="R64")
    source.headers[FINISH] = Rewritten(source.header(FINISH), rules)
    source.raw(TEXT)
    decoded = {f"{n}.{m}": (f"({f} {n})", k) for n in "abd" for m, f, k in
               (("mantissa", "mantissa_of", "u64"), ("exponent", "exponent_of", "Z"), ("negative", "sign_of", "bool"))}
    calls = {"decode": ("decode", "any"), "leading_zeros": ("leading_zeros", "Z"), "T": ("", "Z"), "to_bits": ("", "Z"), "exact_zero<T>": ("exact_zero", "Z"),
             "round_to<T>": ("round_to", "Z", ["bool", "u64", "bool", "Z"]), "round_integer<T>": ("round_integer round_to", "Z"), "shift_down": ("shift_down", "any"),
             "round_between<T>": ("round_between round_to", "any"), "round_between": ("round_between round_to", "any"), "round_up_scaled": ("round_up_scaled decode", "any"),
             "round_sum": ("round_sum round_to", "any"), "finish_full<T>": ("finish_full", "Z")}

    def function(name, parameters, scope):
        source.function(FINISH, name, parameters=parameters, scope=scope, paths=decoded, calls=calls, types=rules[name].types if name in rules else {"T": "R64"})

    source.function(FINISH, "has_addend", parameters="(beta : R)", scope={"beta": "R64"}, calls={"is_zero": ("Req_bool 0", "bool")})
    source.function(FINISH, "exact_zero", calls=calls)
    function("round_up_scaled", f"{DECODE} (x : R) (shift : Z)", {"x": "R64", "shift": "Z", "out": "u128"})
    function("shift_down", "(v shift : Z) (lost : bool)", {"v": "u128", "shift": "Z", "lost": "bool"})
    function("round_integer", f"{ROUND_TO} (negative : bool) (value exponent : Z)", {"negative": "bool", "value": "u128", "exponent": "Z"})
    function("round_between", f"{ROUND_TO} (negative : bool) (low high exponent : Z)", {"negative": "bool", "low": "u128", "high": "u128", "exponent": "Z", "out": "Z"})
    interval = {f"{r}_{m}": k for r in "xy" for m, k in (("value", "u128"), ("error", "u128"), ("exponent", "Z"), ("negative", "bool"))}
    x, y = (f"({r}_value {r}_error {r}_exponent : Z) ({r}_negative : bool)" for r in "xy")
    function("round_sum", f"{ROUND_TO} {x} {y} (out : Z)", {**interval, "out": "Z"})

    # round_within: what precedes the test of special values is the sum's contract (wide_top). Its whole text, and its steps.
    top = {"top.high": ("top_high", "u64"), "top.low": ("top_low", "u64"), "top.shift": ("top_shift", "Z"), "top.lost": ("top_lost", "bool")}
    own = {"addend": "bool", "negative": "bool", "alpha": "R64", "error": "R64", "exponent": "Z", "beta": "R64", "c": "R64", "out": "Z"}
    step = {"factor": "u64", "factor_exponent": "Z", "product_negative": "bool", "a": "any", "b": "any", "d": "any"}
    full = "(finish_full : Z * Z * bool -> Z -> bool -> Z -> Z * Z * bool -> Z * Z * bool -> Z) (magnitude : Z)"
    wide = "(top_high top_low top_shift : Z) (top_lost : bool)"

    def part(first, count, result, as_, parameters, scope):
        source.part(FINISH, "round_within", first, count, result, as_=as_, parameters=parameters, scope=scope, calls=calls, types=rules["round_within"].types,
                    paths={**decoded, **top, "magnitude": ("magnitude", "Z")})

    part("Decoded a = decode(alpha)", 16, [], "round_within_finite", f"{ROUND_TO} {DECODE} {full} (addend negative : bool) {wide} (alpha error : R) (exponent : Z) "
         "(beta c : R) (out : Z)", own)
    part("Decoded a = decode(alpha)", 6, ["a", "error", "factor", "factor_exponent", "product_negative"], "factor_of", f"{DECODE} (negative : bool) (alpha error : R)", own)
    part("if (!addend && error == 0 &&", 2, ["general"], "powers_of_two", f"{ROUND_TO} {DECODE} (general : bool * Z) (addend : bool) {wide} (error : R) (exponent factor "
         "factor_exponent : Z) (product_negative : bool) (out : Z)", {**own, **step})
    part("detail::Interval x{", 2, ["general x_value x_error x_exponent x_negative y_value y_error y_exponent y_negative"], "product_of",
         f"{DECODE} (general : Z -> Z -> Z -> bool -> Z -> Z -> Z -> bool -> bool * Z) {wide} (error : R) (exponent factor factor_exponent : Z) (product_negative : bool) (out : Z)",
         {**own, **step})
    part("Decoded b{}, d{};", 2, ["general b d y_value y_error y_exponent y_negative"], "addend_of",
         f"{DECODE} (general : Z * Z * bool -> Z * Z * bool -> Z -> Z -> Z -> bool -> bool * Z) (addend : bool) (beta c : R) {y}", {**own, **step, **interval})
    part("if (detail::round_sum(x, y, out))", 4, [], "rounded", f"{ROUND_TO} {full} (negative : bool) (exponent : Z) (error : R) (a b d : Z * Z * bool) {x} {y} (out : Z)",
         {**own, **step, **interval})


MUTATIONS = [
    ("round_within64_correct", FINISH, "(e > -64 ? d.mantissa >> -e : 0) + Uint128{1}", "(e > -64 ? d.mantissa >> -e : 0)"),
    ("round_within64_correct", FINISH, "*lost |= r << shift != v;", "*lost |= false;"),
    ("round_within64_correct", FINISH, "(low ^ high) >> (64 - z) == 0 &&", ""),
    ("round_within64_correct", FINISH, "error += 2 * lost;", "error += lost;"),
    ("round_within64_correct", FINISH, "if (value <= error) return false;", "if (value + 1 <= error) return false;"),
    ("round_within32_correct", FINISH, "|| ++bound >= value", "|| bound >= value"),
    ("round_within32_correct", FINISH, "x.error += 2 * (top.lost || static_cast<std::uint64_t>(low) != 0);", "x.error += top.lost || static_cast<std::uint64_t>(low) != 0;"),
    ("round_within32_correct", FINISH, "if (bound <= ~value)", "if (bound <= value)"),
    ("round_within32_correct", FINISH, "if (error > 0) return false;", "if (error > 1) return false;"),
]
