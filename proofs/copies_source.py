"""Definitions for Copies.v: the certificate's test as kernels compute it."""

CERTIFY = "lib/cpu/int8/int8_certify.cpp"
PORTABLE = "lib/cpu/int8/int8_portable.cpp"
AVX512 = "lib/cpu/kernels/int8_reconstruct.cpp"
ELEMENT = "cuda/int8/certify_element.hpp"

TEXT = """From Proofs Require Import CertificateSource.
(** The double of two words, of which the high one is that of 2^52. *)
Definition double_of_words (high low : Z) : R := if high =? 1127219200 then (IZR 4503599627370496 + IZR (wrap 32 low))%R else 0%R.
Definition add_lanes (x y : R) : R := rd64 (x + y).
Definition load_doubles (memory : Z -> Z) (address : Z) : R := rd64 (IZR (memory address)).
Definition load (memory : Z -> R) (address : Z) : R := memory address.
Definition at_least (x y : R) : bool := Rle_bool y x.
"""


def define(source):
    source.raw(TEXT)
    source.constant(CERTIFY, "most_terms_in_doubles", kind="Z")
    test = {"test.factor": ("(fst test)", "Z"), "test.least": ("(snd test)", "Z")}
    source.part(CERTIFY, "count_accepted", "t.factor =", 2, ["factor", "least"], as_="constants_of_kernel", parameters="(test : Z * Z)",
                paths={**test, "t.factor": ("factor", "R64"), "t.least": ("least", "R64")})
    kernel = {"t.factor": ("factor", "R64"), "t.lambda": ("lambda", "R64"), "t.least": ("least", "R64"), "t.sums": ("sums", "Z"), "t.mu": ("mu", "R64")}
    source.part(PORTABLE, "certify", "const bool good", 1, ["good"], as_="portable_accepts", parameters="(factor lambda least : R) (sums : Z -> Z) (mu : Z -> R) (c : Z)", scope={"c": "Z"}, paths=kernel)
    source.part(AVX512, "certify", "const Doubles factor", 1, ["factor", "lambda", "least"], as_="constants_of_lanes", parameters="(factor lambda least : R)", paths=kernel, calls={"splat": ("", "R64")})
    source.part(AVX512, "certify", "const Doubles excess", 2, ["mask"], as_="lane_accepts", parameters="(factor lambda least : R) (sums_memory : Z -> Z) (mu_memory : Z -> R) (sums_at mu_at c : Z)",
                scope={"c": "Z", "factor": "R64", "lambda": "R64", "least": "R64"}, types={"Doubles": "R64", "unsigned": "bool"},
                paths={"t.sums": ("sums_at", "Z"), "t.mu": ("mu_at", "Z")},
                calls={"load_doubles": ("load_doubles sums_memory", "R64"), "load": ("load mu_memory", "R64"), "at_least": ("at_least", "bool")})
    source.part(ELEMENT, "make_rungs", "const CertificateTest test", 2, ["r_rung"], as_="rung_of_test", parameters="(list_t : Z -> Z) (r_rung : Z -> R * R * Z * Z * Z) (list_digits k i : Z)",
                scope={"k": "Z", "i": "Z"}, paths={**test, "list.t": ("list_t", "Z"), "list.digits": ("list_digits", "Z"), "r.rung": ("r_rung", "any")},
                calls={"certificate_test": ("certificate_test", "any")})
    source.function(ELEMENT, "long_sums")
    for kind in ("true", "false"):
        source.part(ELEMENT, "suffices", "if constexpr (Long)", 1, [], as_=f"suffices_{'long' if kind == 'true' else 'short'}", parameters="(factor least : R) (integer_least shift : Z) (lambda mu : R) (sum terms : Z)",
                    scope={"lambda": "R64", "mu": "R64", "sum": "Z", "terms": "Z"},
                    paths={"Long": (kind, "bool"), "rung.factor": ("factor", "R64"), "rung.least": ("least", "R64"), "rung.integer_least": ("integer_least", "Z"), "rung.shift": ("shift", "Z")},
                    calls={"__hiloint2double": ("double_of_words", "R64")})


MUTATIONS = [
    ("certificate_copies_cpu", PORTABLE, "t.factor * t.sums[c] - (t.lambda + t.mu[c]) >= t.least", "t.factor * t.sums[c] - t.lambda + t.mu[c] >= t.least"),
    ("certificate_copies_cpu", AVX512, "at_least(excess, least)", "at_least(least, excess)"),
    ("certificate_copies_cpu", CERTIFY, "Index{1} << 18", "Index{1} << 28"),
    ("certificate_copies_gpu", ELEMENT, "list.t[i] + 11 - list.digits};", "list.t[i] + 12 - list.digits};"),
    ("certificate_copies_gpu", ELEMENT, "((std::int64_t{1} << rung.shift) - 1)) >> rung.shift", "0) >> rung.shift"),
    ("certificate_copies_gpu", ELEMENT, "sum) - 0x1p52", "sum) - 0x1p51"),
    ("certificate_copies_gpu", ELEMENT, "Index{1} << 28", "Index{1} << 29"),
]
