"""Definitions for Rns.v: arithmetic modulo the primes of multiple-precision arrays."""

RNS = "lib/numerics/rns.hpp"


def define(source):
    modulus = {"modulus": ("tt", "any"), "modulus.m": ("m", "u32"), "modulus.r32": ("r32", "u32"), "modulus.r64": ("r64", "u32"), "modulus.barrett": ("barrett", "u64"),
               "factor.w": ("w", "u32"), "factor.quotient": ("quotient", "u32")}
    source.function(RNS, "mul_high")
    source.function(RNS, "rns_reduce", parameters="(v m barrett : Z)", paths=modulus, scope={"v": "u64"}, calls={"mul_high": ("mul_high", "u64", ["u64", "u64"])})
    source.raw("Definition reduce (m barrett v : Z) : Z := rns_reduce v m barrett.")
    three = {"c0": "u32", "c1": "u32", "c2": "u32"}
    source.function(RNS, "rns_reduce96", parameters="(c0 c1 c2 m r32 r64 barrett : Z)", paths=modulus, scope=three,
                    calls={"rns_reduce": ("reduce m barrett", "u32", ["u64"])})
    two = {"a": "u32", "b": "u32"}
    source.function(RNS, "rns_add", parameters="(a b m : Z)", paths=modulus, scope=two)
    source.function(RNS, "rns_negate", parameters="(a m : Z)", paths=modulus, scope=two)
    source.function(RNS, "rns_mul", parameters="(a b m barrett : Z)", paths=modulus, scope=two, calls={"rns_reduce": ("reduce m barrett", "u32", ["u64"])})
    source.function(RNS, "rns_mul", as_="rns_mul_factor", which=1, parameters="(a w quotient m : Z)", paths=modulus, scope=two)


MUTATIONS = [
    ("rns_reductions", RNS, "static_cast<std::uint64_t>(c2) * modulus.r64 + c0", "static_cast<std::uint64_t>(c2) * modulus.r32 + c0"),
    ("rns_reductions", RNS, "modulus.barrett) * modulus.m);\n  return r >= modulus.m ? r - modulus.m : r;", "modulus.barrett) * modulus.m);\n  return r > modulus.m ? r - modulus.m : r;"),
    ("rns_operations", RNS, "factor.quotient >> 32", "factor.quotient >> 31"),
    ("rns_operations", RNS, "return a == 0 ? 0 : modulus.m - a;", "return modulus.m - a;"),
]
