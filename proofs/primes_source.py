"""Theorem 1: how the moduli of multiple-precision arrays are found, and how many a number of bits needs."""

HEADER = "lib/numerics/rns_moduli.hpp"
MODULI = "lib/numerics/rns_moduli.cpp"


def largest_primes(count, below):
    """The largest primes, by a sieve: what the theorem finds the code's list to be."""
    width = 1 << 14
    prime = bytearray([1]) * width  # of the numbers below - width, ...
    for d in range(2, int(below ** 0.5) + 1):
        prime[-(below - width) % d::d] = bytes(len(range(-(below - width) % d, width, d)))
    return [below - width + i for i in range(width - 1, -1, -1) if prime[i]][:count]


def define(source):
    modulus = {"modulus": ("m", "u32"), "modulus.m": ("m", "u32")}
    source.constant(HEADER, "max_moduli", as_="rns_max_moduli")
    source.raw("Definition trailing_zeros (x : Z) : Z := Z.log2 (Z.land x (- x)).\nSection Test.\n(** rns_mul *)\nVariable mul : Z -> Z -> Z -> Z.")
    source.function(MODULI, "rns_power", parameters="(base exponent m : Z)", paths=modulus, scope={"base": "u32", "exponent": "u64"}, calls={"rns_mul": ("mul", "u32")}, fuel=64)
    source.function(MODULI, "probable_prime", parameters="(m base : Z)", paths=modulus, scope={"base": "u32"},
                    calls={"rns_mul": ("mul", "u32"), "__builtin_ctz": ("trailing_zeros", "Z")})
    source.function(MODULI, "is_prime", parameters="(m : Z)", paths=modulus, calls={"gcd": ("Z.gcd", "u32")}, result="bool")
    source.function(MODULI, "prime_from", calls={"make_modulus": ("", "u32")})
    source.part(MODULI, "grow", "const RnsModulus next", 1, ["next"], as_="next_modulus", parameters="(modulus : Z -> Z) (count : Z)", scope={"count": "Z"},
                paths={"modulus": ("modulus", "u32"), "modulus[].m": ("modulus", "u32"), "next": ("next", "u32")}, calls={"make_modulus": ("", "u32")}, types={"RnsModulus": "u32"})
    source.raw("End Test.\nDefinition expected_moduli : list Z := (" + " :: ".join(map(str, largest_primes(544, 1 << 31))) + " :: nil)%list.")
    source.part(MODULI, "grow", "bits[count + 1] =", 1, ["bits"], as_="add_bits", parameters="(log2 : R -> R) (bits : Z -> R) (m count : Z)", scope={"count": "Z"},
                paths={"bits": ("bits", "R64"), "next.m": ("m", "u32")}, calls={"log2": ("log2", "R64")})
    source.part(MODULI, "moduli_for_bits", "int count = bits", 3, [], as_="moduli_for_bits", parameters="(bits_of : Z -> R) (bits : Z)", scope={"bits": "Z"},
                calls={"log2_of_product": ("bits_of", "R64")})


MUTATIONS = [
    ("rns_moduli_prime", MODULI, "candidate -= 2;", "candidate -= 1;"),
    ("rns_moduli_prime", MODULI, "probable_prime(modulus, 2) && probable_prime(modulus, 7)", "probable_prime(modulus, 1) && probable_prime(modulus, 1)"),
    ("rns_moduli_suffice", MODULI, "bits + 1 + 0x1p-15", "bits + 0x1p-15"),
    ("rns_moduli_suffice", MODULI, "bits + 1 + 0x1p-15", "bits + 1 + 0x1p-17"),
]
