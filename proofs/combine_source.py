"""Definitions for Combine.v: the test of a component of a complex result on GPUs."""
from out_parameters import OutParameters, Rewritten

COMBINE = "cuda/exact/combine_parts.hpp"

TEXT = """From Proofs Require Import ZivSource.
(** fma rounded upwards. *)
Definition fma_up (a b c : R) : R := round radix2 (FLT_exp (-1074) 53) Zceil (a * b + c)%R.
"""


def define(source):
    source.raw(TEXT)
    state = ["head_", "tail_", "size_", "error_", "good_"]
    kinds = {**{n: "R64" for n in state[:4]}, "good_": "bool", "factor": "R64", "f": "R64", "p": "R64", "out": "any"}
    given = "(head_ tail_ size_ error_ : R) (good_ : bool)"
    calls = {"within": ("within", "bool", ["R64", "Z", "Z"]), "is_finite": ("finite", "bool"), "two_sum": ("two_sum_source", "any"), "__fma_ru": ("fma_up", "R64"),
             "round_between": ("round_between", "bool", ["R64", "R64", "R64", "Z", "any"]), "is_zero": ("is_zero", "bool")}
    paths = {**{f"x.{m}": (f"x_{m}", "R64") for m in ("head", "tail", "error")}, "s.high": ("(fst s)", "R64"), "s.low": ("(snd s)", "R64")}
    # A term that is skipped leaves the state as it was: `return;` gives tt.
    source.part(COMBINE, "add", "const double f = factor", 10, state, as_="combination_add", scope=kinds, paths=paths, calls=calls,
                parameters=f"(within : R -> Z -> Z -> bool) (finite : R -> bool) (tt : R * R * R * R * bool) {given} (factor x_head x_tail x_error : R)")
    source.part(COMBINE, "round", "const double bound", 1, ["bound"], as_="combination_bound", scope=kinds, parameters="(size_ error_ : R)")
    source.part(COMBINE, "round", "if (size_ == 0", 3, [], as_="combination_decides", scope=kinds, calls=calls,
                parameters=f"(round_between : R -> R -> R -> Z -> unit -> bool) (is_zero : unit -> bool) {given} (out : unit)")
    header = source.header(COMBINE)
    source.headers[COMBINE] = Rewritten(header, {"round": OutParameters(["out"])})
    source.part(COMBINE, "round", "*out = T(0)", 1, ["out"], as_="combination_zero", scope={**kinds, "out": "R64"}, calls={"T": ("IZR", "R64")}, parameters="(out : R)")


MUTATIONS = [
    ("combination_correct", COMBINE, "error_ = __fma_ru(fabs(f), x.error, error_);", "error_ = __fma_rn(fabs(f), x.error, error_);"),
    ("combination_correct", COMBINE, "(p == 0 && x.head == 0)", "p == 0"),
    ("combination_correct", COMBINE, "tail_ = __dadd_rn(tail_, __dadd_rn(s.low, low));", "tail_ = __dadd_rn(tail_, low);"),
    ("combination_correct", COMBINE, "__fma_rn(size_, 0x1p-98,", "__fma_rn(size_, 0x1p-106,"),
    ("combination_correct", COMBINE, "if (size_ == 0 && error_ == 0) return good_;", "if (size_ == 0) return good_;"),
]
