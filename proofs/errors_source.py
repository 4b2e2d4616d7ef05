"""Definitions for Errors.v: the errors that the engines of integer sums pass to Ziv's test."""

ESCALATION = "lib/numerics/escalation.hpp"
SCALING = "lib/numerics/scaling.hpp"
FINISH = "lib/cpu/int8/int8_finish.cpp"
PORTABLE = "lib/cpu/int8/int8_portable.cpp"
AVX512 = "lib/cpu/kernels/int8_reconstruct.cpp"
STATE = "cuda/int8/tile_state.hpp"

TEXT = """(** scalbn of a double, and a power of two. *)
Definition scale_double (x : R) (n : Z) : R := rd64 (x * bpow radix2 n).
Definition power_of_two (n : Z) : R := bpow radix2 n.
Definition load (memory : Z -> R) (address : Z) : R := memory address.
"""


def define(source):
    source.raw(TEXT)
    source.part(SCALING, "scale_entry", "const int shift", 6, [], as_="scale_entry", parameters="(mantissa d_exponent : Z) (negative : bool) (exponent t : Z)",
                scope={"exponent": "Z", "t": "Z"},
                paths={"d.mantissa": ("mantissa", "u64"), "d.exponent": ("d_exponent", "Z"), "d.negative": ("negative", "bool")})
    source.function(ESCALATION, "line_error", calls={"scalbn": ("scale_double", "R64")}, returned=["R64", "R64"])
    members = {f"{side}.{member}": (f"({f} {side})", "R64") for side in ("row", "col") for member, f in (("drop", "fst"), ("error", "snd"))}
    source.function(ESCALATION, "element_error", parameters="(row col : R * R)", paths=members, result="R64")

    # The places that pass the error on.
    lines = "(row_drop row_error col_drop col_error : Z -> R) (interval : bool)"
    scaling = {f"call_.{sides}.scaling.{member}": (f"{side}_{member}", "R64") for sides, side in (("rows", "row"), ("cols", "col")) for member in ("drop", "error")}
    source.part(FINISH, "resolve_in", "const double error", 1, ["error"], as_="error_of_element", parameters=f"{lines} (row col : Z)", scope={"row": "Z", "col": "Z"},
                paths={**scaling, "pass_.interval": ("interval", "bool")})
    tile = {f"t.{side}_{member}": (f"{side}_{member}", "R64") for side in ("row", "col") for member in ("drop", "error")}
    source.part(PORTABLE, "reconstruct_wide", "const double error", 1, ["error"], as_="error_of_tile", parameters=f"{lines} (r c : Z)", scope={"r": "Z", "c": "Z"},
                paths={**{k: v for k, v in tile.items() if k != "t.row_error"}, "t.row_error[]": ("row_error", "R64"), "t.row_error": ("interval", "bool")})
    source.part(PORTABLE, "reconstruct_wide", "const bool decided", 1, ["decided"], as_="tile_decides",
                parameters="(round_within : R -> Z -> R -> Z -> R -> R -> R -> bool) (finite : R -> bool) (row_exponent col_exponent : Z -> Z) (alpha : R) (s : Z) (error beta : R) (r c : Z) (to : R)",
                scope={"alpha": "any", "s": "any", "error": "R64", "beta": "any", "r": "Z", "c": "Z", "to": "any"},
                paths={"t.row_exponent": ("row_exponent", "Z"), "t.col_exponent": ("col_exponent", "Z")},
                calls={"round_within": ("round_within", "bool"), "is_finite": ("finite", "bool"), "read_addend": ("(fun _ c => c)", "any")})
    source.part(AVX512, "interval", "return fma", 1, [], as_="error_of_lane", parameters="(row_drop row_error memory : Z -> R) (col_drop col_error r at_ : Z)",
                scope={"r": "Z", "at": "Z"}, paths={"t.row_drop": ("row_drop", "R64"), "t.row_error": ("row_error", "R64"), "t.col_drop": ("col_drop", "Z"), "t.col_error": ("col_error", "Z")},
                calls={"splat": ("", "R64"), "load": ("load memory", "R64")})
    source.part(AVX512, "round_sum", "error = fma(error", 1, ["error"], as_="units_of_lane", parameters="(error per_unit unknown : R)",
                scope={"error": "R64", "unknown": "R64"}, paths={"unit.per_unit": ("per_unit", "R64")}, calls={"splat": ("", "R64")})
    source.part(STATE, "load_lines", "const double unit", 2, ["lines_row"], as_="row_of_tile",
                parameters="(lines_row : Z -> Z * Z * bool * R * R) (thread shift exponent : Z) (special normal : bool) (row_drop row_error : R)",
                scope={"thread": "Z", "shift": "Z", "exponent": "Z", "normal": "bool"},
                paths={"lines.row": ("lines_row", "any"), "row.special": ("special", "bool"), "row.error.error": ("row_error", "R64"), "row.error.drop": ("row_drop", "R64")},
                calls={"power_of_two": ("power_of_two", "R64")})
    source.function(STATE, "element_error", as_="error_on_gpu", parameters="(drop error : Z -> R) (row_drop row_error : R) (col : Z)", scope={"col": "Z"}, result="R64",
                    paths={"lines.drop": ("drop", "R64"), "lines.error": ("error", "R64"), "row.drop": ("row_drop", "R64"), "row.error": ("row_error", "R64")})


MUTATIONS = [
    ("scale_entry_nearest", SCALING, "rest > half || (rest == half && (q & 1) != 0)", "rest >= half"),
    ("scale_entry_nearest", SCALING, "shift < -54", "shift < -52"),
    ("element_error_covers", ESCALATION, "exponent + scale - 25", "exponent + scale - 26"),
    ("element_error_covers", ESCALATION, "static_cast<double>(k) / 4", "static_cast<double>(k) / 8"),
    ("element_error_covers", ESCALATION, "last_bit >= -scale", "last_bit >= -scale - 1"),
    ("element_error_covers", ESCALATION, "* (1 + 0x1p-50);", ";"),
    ("passed_errors_cover", FINISH, "call_.rows.scaling.error[row]},", "call_.rows.scaling.error[col]},"),
    ("passed_errors_cover", PORTABLE, "t.col_drop[c] * t.row_error[r]", "t.row_drop[r] * t.row_error[r]"),
    ("passed_errors_cover", PORTABLE, "error * (1 + 0x1p-50)", "error"),
    ("passed_errors_cover", AVX512, "load(t.col_drop + at) * splat(t.row_error[r])", "load(t.col_drop + at) * splat(t.row_drop[r])"),
    ("passed_errors_cover", STATE, "1 + 0x1p-40", "1"),
]
