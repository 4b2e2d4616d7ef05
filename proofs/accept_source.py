"""Definitions for Accept.v: the certificate of dp and sp on GPUs, whose rungs are numbers of moduli."""

CERTIFY = "cuda/int8/certify_moduli.hpp"
LADDER = "cuda/int8/certificate_ladder.hpp"

TEXT = """(** Operations that are rounded up and down; a float is rounded like a double, with fewer bits. *)
Definition up64 (x : R) : R := round radix2 (FLT_exp (-1074) 53) Zceil x.
Definition up32 (x : R) : R := round radix2 (FLT_exp (-149) 24) Zceil x.
Definition down32 (x : R) : R := round radix2 (FLT_exp (-149) 24) Zfloor x.
Definition multiply_up (a b : R) : R := up64 (a * b).
Definition fma_up (a b c : R) : R := up64 (a * b + c).
Definition float_multiply_up (a b : R) : R := up32 (a * b).
Definition float_fma_up (a b c : R) : R := up32 (a * b + c).
Definition float_down (n : Z) : R := down32 (IZR n).
(** The double whose high word is that of 2^52. *)
Definition of_words (high low : Z) : R := if high =? 1127219200 then IZR (4503599627370496 + wrap 32 low) else 0%R."""


def define(source):
    source.raw(TEXT)
    source.function(LADDER, "certificate_moduli_stride", result="Z")
    for size in ("64", "32"):
        source.function(CERTIFY, "certificate_moduli_slope", as_=f"slope{size}", result="R64", paths={"T": (size, "Z"), "double": ("64", "Z")}, calls={"sizeof": ("", "Z")})
    calls = {"power_of_two": ("bpow radix2", "R64"), "multiply_up": ("multiply_up", "R64"), "fma_up": ("fma_up", "R64"), "__hiloint2double": ("of_words", "R64"),
             "__double2float_ru": ("up32", "R32"), "__uint2float_rd": ("float_down", "R32"), "__fmaf_ru": ("float_fma_up", "R32"), "__fmul_ru": ("float_multiply_up", "R32")}
    units = {"row_unit": "R64", "col_unit": "R64", "both_unit": "R64"}
    source.part(CERTIFY, "take", "row_bits = bits_of_rows", 5, list(units), as_="units_of", parameters="(bits_of_rows bits_of_cols k : Z)",
                scope={**units, **{n: "Z" for n in ("row_bits", "col_bits", "bits_of_rows", "bits_of_cols", "k")}}, calls=calls)
    members = {**{f"rung.{n}": (n, "R64") for n in units}, **{f"{s}.{n}": (f"{s}_{n}", "R64") for s in ("row", "col") for n in ("lambda", "power")}, "rungs.inverse_slope": ("inverse_slope", "R64")}
    head = "(row_unit col_unit both_unit row_lambda row_power col_lambda col_power : R)"
    source.part(CERTIFY, "error_of", "const double own", 2, [], as_="error_of", parameters=head, paths=members, calls=calls)
    source.part(CERTIFY, "suffices", "return error_of", 1, [], as_="suffices", parameters="(error_of slope : R) (sum : Z)", scope={"slope": "R64", "sum": "u32", "rung": "any", "row": "any", "col": "any"},
                calls={**calls, "error_of": ("(fun _ _ _ : unit => error_of)", "R64")}, paths={n: ("tt", "any") for n in ("rung", "row", "col")})
    source.part(CERTIFY, "make_moduli_rungs", "const double slope", 1, ["slope"], as_="slope_of_rungs", parameters="(slope_of : Z -> R) (k : Z)", scope={"k": "Z"}, calls={"certificate_moduli_slope<T>": ("slope_of", "R64")})
    source.part(CERTIFY, "QuickRow", "const double error", 3, ["own", "cross"], as_="quick_row", parameters="(row_unit col_unit both_unit inverse_slope row_lambda row_power : R)",
                scope={"own": "R32", "cross": "R32"}, paths=members, calls=calls)
    source.part(CERTIFY, "pass", "return __uint2float_rd", 1, [], as_="quick_pass", parameters="(own cross mu power : R) (sum : Z)",
                scope={**{n: "R32" for n in ("own", "cross", "mu", "power")}, "sum": "u32"}, calls=calls)
    lines = {"rows.largest_lack": ("row_lack", "R64"), "cols.largest_lack": ("col_lack", "R64"), "rungs.slope": ("slope", "R64"), "even.most": ("even_most", "Z"), "even.least": ("even_least", "Z"),
             **{n: ("tt", "any") for n in ("tried", "row", "col")}}
    for size in ("64", "32"):
        source.part(CERTIFY, "make_line_rungs", "const double unit", 2, ["rungs"], as_=f"line_rungs{size}", parameters="(even_most even_least k : Z) (same_lines : bool)",
                    scope={"k": "Z", "same_lines": "bool"}, paths={**lines, "T": (size, "Z"), "double": ("64", "Z")}, calls={"sizeof": ("", "Z")})
    source.part(CERTIFY, "certify_lines", "const double common", 1, ["common"], as_="common_of", parameters="(row_lack col_lack : R)", paths=lines, calls={"value": ("", "R64")})
    source.part(CERTIFY, "certify_lines", "return error_of(tried, row, col)", 1, [], as_="lines_pass", parameters="(error_of slope common : R)", scope={"common": "R64"}, paths=lines,
                calls={**calls, "error_of": ("(fun _ _ _ : unit => error_of)", "R64")})


MUTATIONS = [
    ("moduli_accept", CERTIFY, "power_of_two(-23 - col_bits)", "power_of_two(-24 - col_bits)"),
    ("moduli_accept", CERTIFY, "static_cast<double>(k) * power_of_two(-row_bits - col_bits)", "static_cast<double>(k) * power_of_two(-row_bits - col_bits - 1)"),
    ("moduli_accept", CERTIFY, "return fma_up(col.power, own, multiply_up(col.lambda, row.power * rung.row_unit));", "return fma_up(col.power, own, multiply_up(col.lambda, rung.row_unit));"),
    ("moduli_accept", CERTIFY, "0x1p-65 : 0x1p-36", "0x1p-64 : 0x1p-36"),
    ("lines_accept", CERTIFY, "3 - value(rows.largest_lack) - value(cols.largest_lack)", "3.5 - value(rows.largest_lack) - value(cols.largest_lack)"),
    ("lines_accept", CERTIFY, "0x1p-51 : 0x1p-22", "0x1p-50 : 0x1p-22"),
    ("lines_accept", CERTIFY, "rungs.slope * common * (1 - 0x1p-40)", "rungs.slope * common * (1 + 0x1p-40)"),
    ("moduli_accept", CERTIFY, "__uint2float_rd(sum) >= __fmaf_ru(power, own, __fmul_ru(mu, cross))", "__uint2float_rd(sum) >= __fmaf_ru(power, own, __fmul_ru(power, cross))"),
]
