"""Theorem 4: Ziv's test of vectors of results, lane by lane."""
from out_parameters import OutParameters, Rewritten

LANES = "lib/cpu/kernels/round.cpp"
MEMBERS = {"high": "V", "middle": "V", "low": "V", "lows": "V", "error": "V", "inexact": "V"}
SUM = [f"sum_its_{m}" for m in MEMBERS]

TEXT = """(** The operations of a lane; sum_error returns the error of a sum, which is a double. *)
Definition add_lanes (x y : R) : R := rd64 (x + y).
Definition sub_lanes (x y : R) : R := rd64 (x - y).
Definition mul_lanes (x y : R) : R := rd64 (x * y).
Definition fms_lanes (x y z : R) : R := rd64 (x * y - z).
Definition sum_error (x y s : R) : R := (x + y - s)%R.
Definition where_greater (x y a b : R) : R := if Rlt_bool y x then a else b.
"""
CALLS = {"add": ("add_lanes", "R64"), "sub": ("sub_lanes", "R64"), "mul": ("mul_lanes", "R64"), "fms": ("fms_lanes", "R64"), "sum_error": ("sum_error", "R64"),
         "magnitude": ("Rabs", "R64"), "splat": ("", "R64"), "zero": ("zero", "R64"), "where_greater": ("where_greater", "R64"),
         "equal": ("Req_bool", "bool"), "to_single": ("rd32", "R64")}
X = {"x.high": ("(fst (fst x))", "R64"), "x.low": ("(snd (fst x))", "R64"), "x.wide": ("(snd x)", "R64")}
INTERVAL = {"interval_of": (f"(fun _ => interval_of {' '.join(SUM)})", "any")}


def define(source):
    changes = {"add_exactly": ((0, 1), "R64"), **{name: ((0,), "R64") for name in ("add_to_low", "add_term", "add_three")}}
    rules = {name: OutParameters((), None, (), {"sum": MEMBERS}, joint="_its_", changes=changes, inlined=("add_to_middle",))
             for name in ("add_term", "interval_of", "add_to_low", "add_three", "add_part", "sum_of", "add_product")}
    source.headers[LANES] = Rewritten(source.header(LANES), rules)
    source.raw(TEXT)
    source.raw("Definition zero : R := 0%R.")
    lane = {n: "R64" for n in SUM + ["factor", "first", "rest", "second", "third", "a", "b", "x", "more"]}
    types = {"V": "R64"}
    head = f"({' '.join(SUM)} : R)"
    source.part(LANES, "add_term", "const V p = mul", 6, SUM, as_="add_term", parameters=f"{head} (factor first rest : R)", scope=lane, types=types, calls=CALLS)
    source.part(LANES, "interval_of", "const V inexact", 3, ["wide"], as_="interval_of", parameters=f"{head} (more : R)", scope=lane, types=types, calls=CALLS)
    own = {"add_exactly": ("add_exactly", "any"), **{name: (name, "any") for name in ("add_to_low", "add_term", "add_three")}}

    def part(name, first, count, result, parameters, as_=None, more=None, **options):
        kinds = rules[name].types if name in rules else {}
        kinds.update({**types, **(more or {})})
        source.part(LANES, name, first, count, result, as_=as_ or name, parameters=parameters, types=kinds, **{"scope": lane, "calls": {**CALLS, **own}, **options})

    part("add_exactly", "const V sum", 3, ["a", "b"], "(a b : R)")
    part("add_to_low", "sum.low = add", 2, SUM, f"{head} (x : R)")
    part("add_three", "V p = mul", 10, SUM, f"{head} (factor first second third : R)")
    members = {f"part.{m}": (f"part_{m}", k) for m, k in (("alpha", "R64"), ("beta", "R64"), ("a1", "Z"), ("a2", "Z"), ("a3", "Z"), ("error", "Z"), ("c", "Z"))}
    part("add_part", "const auto or_zero", 3, SUM, f"(careful : bool) (memory : Z -> R) {head} (part_alpha part_beta : R) (part_a1 part_a2 part_a3 part_error part_c i : Z)",
         scope={**{n: "R64" for n in SUM}, "i": "Z"}, paths={**members, "Careful": ("careful", "bool")}, more={"double": "Z"}, calls={**CALLS, **own, "load": ("memory", "R64")})
    part("sum_of", "add_exactly(sum.high", 2, SUM, head, as_="sum_end")
    members = {f"{n}.{m}": (f"{n}_{m}", "R64") for n, ms in (("factor", ("high", "low", "error")), ("y", ("high", "low", "wide"))) for m in ms}
    part("add_product", "add_term(sum", 6, SUM, f"{head} (factor_high factor_low factor_error y_high y_low y_wide : R)", paths=members,
         scope={**{n: "R64" for n in SUM}, "tail": "R64", "size": "R64", "error": "R64"}, calls={**CALLS, **own, "__builtin_fabs": ("Rabs", "R64")})
    part("dividend_of", "const Interval x", 3, [], head, paths={"sum": ("tt", "any"), **X}, calls={**CALLS, **INTERVAL})
    for name, size in (("64", "8"), ("32", "4")):
        source.part(LANES, "round_sum", "constexpr bool single", 4, ["low_end", "high_end"], as_=f"ends{name}", parameters=f"{head} (sum : R)", types={**types, "T": "R64"}, scope=lane,
                    paths={"sum.high": ("sum_its_high", "R64"), "sum": ("sum", "any"), "T": (size, "Z"), "float": ("4", "Z"), **X}, calls={**CALLS, "sizeof": ("", "Z"), **INTERVAL})


MUTATIONS = [
    ("sums_hold", LANES, "add_to_low(sum, mul(factor, third));", "add_to_low(sum, mul(factor, second));"),
    ("sums_hold", LANES, "add_to_middle(q);", "add_to_middle(p);"),
    ("sums_hold", LANES, "add(add(magnitude(second), magnitude(third)), underflow)", "add(magnitude(second), underflow)"),
    ("sums_hold", LANES, "sum.error = add(sum.error, mul(magnitude(factor), error));", "sum.error = add(sum.error, error);"),
    ("sums_hold", LANES, "sum.lows = add(sum.lows, magnitude(x));", "sum.lows = sum.lows;"),
    ("sums_hold", LANES, "add_to_low(sum, sum.middle);", "add_to_low(sum, sum.high);"),
    ("lanes64_correct", LANES, "mul(sum.lows, splat(0x1p-48))", "mul(sum.lows, splat(0x1p-49))"),
    ("lanes64_correct", LANES, "splat(1 + 0x1p-30))", "splat(1))"),
    ("lanes32_correct", LANES, "mul(magnitude(sum.high), splat(0x1p-51))", "mul(magnitude(sum.high), splat(0x1p-54))"),
    ("quotients_hold", LANES, "__builtin_fabs(factor.high) * 0x1p-104", "__builtin_fabs(factor.high) * 0x1p-108"),
    ("quotients_hold", LANES, "mul(size, y.wide));", "y.wide);"),
    ("quotients_hold", LANES, "sum.inexact = add(sum.inexact, add(error, y.wide));", "sum.inexact = add(sum.inexact, error);"),
    ("quotients_hold", LANES, "return {high, sum_error(x.high, x.low, high), x.wide};", "return {high, x.low, x.wide};"),
    ("add_term_adds", LANES, "add(magnitude(p_low), magnitude(tail))", "magnitude(p_low)"),
]
