"""Definitions for Moduli.v, Division.v and Tables.v: the tables of moduli and of the Chinese remainder theorem."""

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
    source.function(COMPLEX, "complex_planes")
    source.function(COMPLEX, "root_of_minus_one")
    source.function(COMPLEX, "complex_moduli_list", paths={"list.of": ("list_of", "any"), "list": ("list_of", "any"), "list.of[].p": ("fst_of list_of", "Z")},
                    defaults={"list": ("(fun _ => (0, 0))", "any")})
    source.constant("lib/cpu/kernels/int8_kernels.hpp", "int8_k_step")
    source.constant("lib/cpu/kernels/int8_kernels.hpp", "int8_most_terms")
    source.constant("cuda/int8/blocking.hpp", "product_most_terms")
    lists = {"list": ("list_", "any"), "list.p": ("list_", "Z"), "list.of": ("list_", "any"), "list.of[].root": ("snd_of list_", "Z")}
    planes = {"planes": ("plane", "any"), "planes.plane": ("plane", "any"), "planes.count": ("count", "Z")}
    source.function(MODULI, "real_planes", paths={**lists, **planes, "planes.count": ("count", "Z")}, defaults={"planes": ("(fun _ => (0, 0, false))", "any")})
    source.function(COMPLEX, "complex_plane", paths=lists, returned=["Z", "Z", "Z"])
    source.function(COMPLEX, "component_planes", paths={**lists, **planes, "planes.count": ("(complex_planes count)", "Z")},
                    defaults={"planes": ("(fun _ => (0, 0, false))", "any")}, fields={"modulus": ("fst3", "Z")})
    wide = {"wide_from<crt_limbs>": ("wrap (64 * crt_limbs)", "any"), "wide_mul": ("wide_mul crt_limbs", "any"), "wide_negate_if": ("wide_negate_if crt_limbs", "any"),
            "wide_bit_length": ("wide_bit_length", "Z")}
    source.function(MODULI, "balanced_digits", parameters="(value below digits : Z)", paths={"value.limb": ("limb value", "u64"), "out.digit": ("digit", "Z"), "out": ("digit", "any"),
                    "below": ("below", "Z"), "digits": ("digits", "Z")}, defaults={"out": ("(fun _ => 0)", "any")})
    source.function(MODULI, "divide_exactly", paths={"a.limb": ("limb a", "u64"), "q.limb": ("q", "u64"), "q": ("(wide_of crt_limbs q)", "any")},
                    parameters="(a p : Z)", defaults={"q": ("(fun _ => 0)", "any")}, scope={"p": "Z"})
    source.function(MODULI, "residue_of", paths={"a.limb": ("limb a", "u64")}, parameters="(a p : Z)", scope={"p": "Z"})
    table = {"t.count": ("t_count", "Z"), "t.product": ("product", "any"), "t.weight": ("weight", "any"), "t.fraction": ("fraction", "R64"), "t.digits": ("t_digits", "Z"),
             "t.unit_exponent": ("unit_exponent", "Z"), "t.weight_digit": ("weight_digit", "Z"), "planes.count": ("count", "Z"), "planes.plane": ("plane", "any"),
             "planes.plane[].first": ("thd3_of plane", "bool"), "planes.plane[].p": ("fst3_of plane", "Z"), "digits.digit": ("digits", "Z")}
    of_planes = "(plane : Z -> Z * Z * bool)"
    source.raw("Definition no_digits (value below digits : Z) : Z -> Z := fun _ => 0.")
    source.part(MODULI, "make_crt_table", "t.count = planes.count;", 8, ["product", "weight", "fraction"], "crt_table",
                "(plane : Z -> Z * Z * bool) (count : Z) (weight : Z -> Z) (fraction : Z -> Z * Z)", paths={**table, "t.fraction": ("fraction", "Q")}, types={"double": "Q"},
                calls={**wide, "balanced_digits": ("no_digits", "any")}, drop=("t.weight_digit",))
    source.part(MODULI, "make_crt_table", "t.fraction[l] =", 1, ["fraction"], "crt_fraction", "(inverse p l : Z) (fraction : Z -> R)",
                scope={"inverse": "Z", "p": "Z", "l": "Z"}, paths=table)


KERNELS = "lib/cpu/kernels/int8_kernels.hpp"
BLOCKING = "cuda/int8/blocking.hpp"
MUTATIONS = [
    ("moduli_pairwise_coprime", MODULI, "coprime = a == 1;", "coprime = a <= 3;"),
    ("moduli_greedy", MODULI, "for (int p = 256; found < max_moduli; --p) {", "for (int p = 255; found < max_moduli; --p) {"),
    ("complex_moduli_pairwise_coprime", COMPLEX, "if (a != 1) return false;", "if (a > 3) return false;"),
    ("roots_of_minus_one", COMPLEX, "if ((j * j + 1) % p == 0) return j;", "if ((j * j + 2) % p == 0) return j;"),
    ("roots_of_minus_one", COMPLEX, "if (root_of_minus_one(p) != 0 && fits(p)) list.of[found++]", "if (fits(p)) list.of[found++]"),
    ("int32_sums_cpu", KERNELS, "int8_most_terms = 65792", "int8_most_terms = 65856"),
    ("int32_sums_gpu", BLOCKING, "product_most_terms = 65920", "product_most_terms = 66112"),
    ("table_capacities", MODULI, "max_moduli = 49", "max_moduli = 48"),
    ("crt_reconstruct_real", MODULI, "t.fraction[l] = static_cast<double>(inverse) / p;", "t.fraction[l] = static_cast<double>(inverse) / 256;"),
    ("crt_reconstruct_real", MODULI, "return 2 * r > p ? r - p : r;", "return 4 * r > p ? r - p : r;"),
    ("crt_reconstruct_complex", COMPLEX, "factor = !imaginary ? half : balanced_residue((first ? -root : root) * half, p);",
     "factor = !imaginary ? half : balanced_residue((first ? root : -root) * half, p);"),
    ("avx512_quotient_shipped", MODULI, "carry = v >= 0x8000;", "carry = v >= 0xC000;"),
]
