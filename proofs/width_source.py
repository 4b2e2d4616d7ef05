"""Theorem 2: the other places that choose the number of limbs of a sum."""

PORTABLE = "lib/cpu/int8/int8_portable.cpp"
REAL = "cuda/int8/reconstruct.cu"
COMPLEX = "cuda/int8/reconstruct_complex.cu"


def define(source):
    source.raw("From Proofs Require Import ModuliSource.")
    source.constants["crt_limbs"] = ("crt_limbs", "Z")
    limbs = {f"reconstruct_wide<{n}>": (f"(fun _ _ : unit => {n})", "Z") for n in ("2", "3", "crt_limbs")}
    source.part(PORTABLE, "reconstruct", "const int bits", 2, [], as_="limbs_portable", parameters="(product : Z)",
                paths={"t.crt.product": ("product", "any"), "t": ("tt", "any"), "out": ("tt", "any")}, calls={**limbs, "wide_bit_length": ("wide_bit_length", "Z")})
    source.function(REAL, "limbs_of", as_="limbs_gpu_real")
    source.function(COMPLEX, "limbs_of", as_="limbs_gpu_complex")


MUTATIONS = [
    ("crt_widths_suffice", PORTABLE, "return bits < 127   ?", "return bits < 130   ?"),
    ("crt_widths_suffice", REAL, "moduli <= 16 ? 2", "moduli <= 17 ? 2"),
    ("crt_widths_suffice", COMPLEX, "moduli <= 26 ? 3", "moduli <= 27 ? 3"),
]
