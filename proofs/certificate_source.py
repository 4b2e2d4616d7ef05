"""Definitions for Certificate.v: the bound of fixed:T and the certificate's inequality."""

CERTIFICATE = "lib/numerics/certificate.hpp"
BOUNDS = "lib/numerics/bounds.hpp"


def define(source):
    source.part(CERTIFICATE, "certificate_ceiling", "if (d.mantissa == 0)", 6, [], as_="certificate_ceiling",
                parameters="(mantissa : Z) (d_exponent exponent : Z)",
                paths={"d.mantissa": ("mantissa", "u64"), "d.exponent": ("d_exponent", "Z"), "exponent": ("exponent", "Z")})
    source.part(CERTIFICATE, "certificate_byte", "const int shift", 3, [], as_="certificate_byte",
                parameters="(mantissa : Z) (d_exponent exponent : Z)",
                paths={"d.mantissa": ("mantissa", "u64"), "d.exponent": ("d_exponent", "Z"), "exponent": ("exponent", "Z")})
    source.function(CERTIFICATE, "certificate_test", types={"Int128": "Z"})
    source.part(CERTIFICATE, "certificate_suffices", "return test.factor", 1, [], as_="certificate_suffices", parameters="(factor least : Z) (lambda_mu x : Z)",
                scope={"lambda_mu": "Z", "x": "Z"}, paths={"test.factor": ("factor", "Z"), "test.least": ("least", "Z")})
    for kind, first in (("64", "return {6"), ("32", "return {5")):
        source.part(CERTIFICATE, "certificate_rungs", first, 1, [], as_=f"certificate_rungs{kind}", parameters="")
    source.constant(BOUNDS, "slack", kind="R64", as_="dp_slack")
    source.function(BOUNDS, "certificate_bound")
    source.function(BOUNDS, "dp_bound", paths={"slack": ("dp_slack", "R64")})


MUTATIONS = [
    ("certificate_accepts", CERTIFICATE, "(d.mantissa >> -shift) + ((d.mantissa & mask) != 0)", "(d.mantissa >> -shift)"),
    ("certificate_accepts", CERTIFICATE, "d.exponent + 7 - exponent", "d.exponent + 8 - exponent"),
    ("certificate_accepts", CERTIFICATE, "<< (t + 11 - digits)", "<< (t + 12 - digits)"),
    ("certificate_accepts", CERTIFICATE, "(k + (std::int64_t{1} << s) - 1) >> s", "k >> s"),
    ("repro_promise", BOUNDS, "return (static_cast<double>(k) + 3) * u * detail::slack;", "return (static_cast<double>(k) + 2) * u * detail::slack;"),
]
