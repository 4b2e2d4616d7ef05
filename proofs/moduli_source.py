"""Theorem 1: the tables of moduli."""

MODULI = "lib/numerics/moduli.hpp"
COMPLEX = "lib/numerics/complex_moduli.hpp"


def define(source):
    source.constant(MODULI, "max_moduli")
    source.constant(MODULI, "crt_limbs")
    source.constant(MODULI, "max_planes")
    source.constant(COMPLEX, "split_moduli")
    source.constant(COMPLEX, "complex_moduli")
    source.function(MODULI, "moduli_list", paths={"list.p": ("list_p", "Z"), "list": ("list_p", "any")}, defaults={"list": ("(fun _ => 0)", "any")})
    source.function(MODULI, "balanced_residue")
    source.function(MODULI, "power_of_two_residue")
    source.function(MODULI, "inverse_residue")
    source.constant("lib/numerics/crt.hpp", "crt_margin", kind="R64")
    source.function(COMPLEX, "complex_planes")
    source.function(COMPLEX, "root_of_minus_one")
    source.function(COMPLEX, "complex_moduli_list", paths={"list.of": ("list_of", "any"), "list": ("list_of", "any"), "list.of[].p": ("fst_of list_of", "Z")},
                    defaults={"list": ("(fun _ => (0, 0))", "any")})


FILES = ["Moduli"]
MUTATIONS = [
    ("moduli_pairwise_coprime", MODULI, "coprime = a == 1;", "coprime = a <= 3;"),
]
