"""Theorem 2: the quotient of the Chinese remainder theorem."""

MODULI = "lib/numerics/moduli.hpp"
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


FILES = ["Crt"]
MUTATIONS = []
