"""Definitions for General.v: the test of a leading part with any alpha and beta, on GPUs."""

LEADING = "cuda/int8/finish_leading.hpp"


def define(source):
    calls = {"power_of_two": ("bpow radix2", "R64"), "within": ("within", "bool", ["R64", "Z", "Z"]), "round_between": ("round_between", "bool", ["R64", "R64", "R64", "Z", "any"])}
    numbers = {n: "R64" for n in ("alpha", "beta", "bound", "c", "p", "q", "s", "low", "p_low", "q_low", "slack")}
    source.part(LEADING, "round_general", "const double scale", 8, ["s", "low", "p_low", "q_low", "slack", "good"], as_="general_terms",
                parameters="(within : R -> Z -> Z -> bool) (alpha beta sum_head sum_tail bound : R) (shift : Z) (c : R)", scope={**numbers, "shift": "Z"},
                paths={"sum.head": ("sum_head", "R64"), "sum.tail": ("sum_tail", "R64")}, calls=calls)
    source.part(LEADING, "round_general", "good = round_between", 1, ["good"], as_="general_decides",
                parameters="(round_between : R -> R -> R -> Z -> unit -> bool) (s low p_low q_low slack : R) (good : bool) (out : unit)", scope={**numbers, "good": "bool", "out": "any"}, calls=calls)


MUTATIONS = [
    ("round_general_correct", LEADING, "0x1p-100, __dmul_rn(fabs(a)", "0x1p-110, __dmul_rn(fabs(a)"),
    ("round_general_correct", LEADING, "__dmul_rn(fabs(a), __dmul_rn(bound, scale))", "__dmul_rn(bound, scale)"),
    ("round_general_correct", LEADING, "q_low = __fma_rn(b, addend, -q);", "q_low = __fma_rn(b, addend, q);"),
    ("round_general_correct", LEADING, "bool good = within(p, -900, 1000);", "bool good = true;"),
]
