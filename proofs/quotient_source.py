"""Theorem 2: the quotients in single precision of the kernels for AVX-512 and for GPUs."""

AVX512 = "lib/cpu/kernels/int8_windows.hpp"
VECTOR = "lib/cpu/kernels/int8_vector.hpp"
GPU = "cuda/int8/finish_leading.hpp"


def define(source):
    source.raw("Definition to_float (n : Z) : R := rd32 (IZR n).\nSection Quotients.\n(** The bits of a float. *)\nVariable bits_of : R -> Z.")
    source.part(VECTOR, "low_pairs", "return as_words", 1, [], as_="low_pairs", parameters="(v : Z)", scope={"v": "u32"},
                calls={"splat32": ("", "u32"), "as_words": ("", "Z")})
    source.part(AVX512, "minus_quotient", "Floats f", 4, [], as_="avx512_quotient_word", parameters="(quotient : Z -> R) (digit4 digit5 digit6 : Z)",
                scope={"digit4": "Z", "digit5": "Z", "digit6": "Z"}, paths={"crt.quotient": ("quotient", "R32")}, types={"Floats": "R32"},
                calls={"to_floats": ("to_float", "R32"), "splat": ("", "R32"), "as_bits": ("bits_of", "u32"), "low_pairs": ("low_pairs", "Z")})
    source.part(GPU, "leading_words", "const float leading", 2, ["minus_q"], as_="gpu_minus_quotient", parameters="(pair : Z -> Z) (minus_quotient : R)",
                paths={"pair": ("pair", "Z"), "w.minus_quotient": ("minus_quotient", "R32")}, calls={"__float_as_int": ("bits_of", "Z")})
    source.raw("End Quotients.")


MUTATIONS = [
    ("avx512_quotient", AVX512, "f = fma(to_floats(digit5), splat(crt.quotient[1]), f);", "f = fma(to_floats(digit5), splat(crt.quotient[2]), f);"),
    ("avx512_quotient", AVX512, "splat(0x1.8p23f) - f", "splat(0x1.8p22f) - f"),
    ("avx512_quotient", VECTOR, "as_words(v & splat32(0xFFFF))", "as_words(v & splat32(0x7FFF))"),
    ("gpu_quotient", GPU, "pair[6] + (pair[5] >> 16)", "pair[6] + (pair[5] >> 15)"),
    ("gpu_quotient", GPU, "w.minus_quotient, 0x1.8p23f)) - 0x4B400000", "w.minus_quotient, 0x1.8p23f)) - 0x4B400001"),
]
