"""Definitions for Reconstruction.v, Crt.v and Mp.v: the Chinese remainder theorem and its quotient."""

MODULI = "lib/numerics/moduli.hpp"
PORTABLE = "lib/mp/kernels/mp_portable.cpp"
CRT = "lib/numerics/crt.hpp"

WIDE = {"wide_cast<L>": ("wide_cast crt_limbs L", "any"), "wide_mul": ("wide_mul L", "any"), "wide_add": ("wide_add L", "any"), "wide_sub": ("wide_sub L", "any"),
        "wide_negate_if": ("wide_negate_if L", "any")}


def define(source):
    source.raw("From Proofs Require Import ModuliSource.")
    source.constants["crt_limbs"] = ("crt_limbs", "Z")
    source.constant(CRT, "crt_margin", kind="R64")
    source.function(CRT, "crt_reconstruct", parameters="(L count : Z) (product : Z) (weight : Z -> Z) (fraction : Z -> R) (residues : Z -> Z) (stride : Z)",
                    paths={"table.count": ("count", "Z"), "table.weight": ("weight", "any"), "table.fraction": ("fraction", "R64"),
                           "table.product": ("product", "any"), "residues": ("residues", "Z"), "stride": ("stride", "Z")},
                    calls=WIDE, defaults={"y": ("0", "any")})
    limbs = {f"resolve_in<{n}>": (f"(fun _ : unit => {n})", "Z") for n in ("2", "3", "4", "crt_limbs")}
    source.function("lib/cpu/int8/int8_finish.cpp", "resolve", as_="limbs_used", parameters="(product : Z)",
                    paths={"crt_.product": ("product", "any"), "task": ("tt", "any")}, calls={**limbs, "wide_bit_length": ("wide_bit_length", "Z")})
    mp = {"c.count": ("count", "Z"), "c.residue": ("residue", "u32"), "c.residue_stride": ("stride", "Z"), "c.inverse": ("inverse", "any"), "c.moduli": ("moduli", "any"),
          "c.reciprocal": ("reciprocal", "R64"), "c.digit": ("digit", "u32"), "c.digit_stride": ("digit_stride", "Z")}
    arguments = "(mul : Z -> Z -> Z -> Z) (residue inverse moduli : Z -> Z) (reciprocal : Z -> R) (count stride e : Z)"
    source.part(PORTABLE, "crt_digits", "double quotient = 0;", 2, ["quotient"], "mp_fractions", arguments, paths=mp, scope={"e": "Z"}, calls={"rns_mul": ("mul", "u32")},
                drop=("c.digit",))
    source.part(PORTABLE, "crt_digits", "c.digit[c.count * c.digit_stride + e] =", 1, ["digit"], "mp_store", "(quotient : R) (digit : Z -> Z) (count digit_stride e : Z)",
                paths={**mp, "digit": ("digit", "u32")}, scope={"e": "Z", "quotient": "R64"})


MUTATIONS = [
    ("crt_width_suffices", "lib/cpu/int8/int8_finish.cpp", "if (bits < 191) return resolve_in<3>(task);", "if (bits < 193) return resolve_in<3>(task);"),
    ("crt_reconstruct_real", CRT, "crt_margin = 1 + 1.0 / 32", "crt_margin = 1 - 1.0 / 32"),
    ("crt_reconstruct_real", CRT, "quotient - 0.5 : quotient + 0.5", "quotient + 0.5 : quotient + 0.5"),
    ("crt_reconstruct_real", CRT, "quotient += r * table.fraction[l];", "quotient = r * table.fraction[l];"),
    ("crt_reconstruct_real", CRT, "double quotient = 0;", "float quotient = 0;"),
    ("mp_quotient", PORTABLE, "static_cast<std::uint32_t>(quotient + 0.5)", "static_cast<std::uint32_t>(quotient + 0.25)"),
    ("mp_quotient", PORTABLE, "quotient += digit * c.reciprocal[k];", "quotient = digit * c.reciprocal[k];"),
]
