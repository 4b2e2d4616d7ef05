(** Doubles that may be infinite or NaN, none of which is a negative zero: the operations of kind X64 in coq_expressions.py. *)
From Coq Require Import ZArith Reals Bool.
From Flocq Require Import Core.
From Proofs Require Import Semantics.
Open Scope Z_scope.

(** None stands for infinities and NaN. An operation on None gives None, except for the quotient by None, which is 0 as that by an infinity. x < y is false if
    x is None, and true if y alone is: so a theorem has to show that a value on the right that may be None is no NaN. *)
Definition fits (x : R) : option R := if Rlt_bool (Rabs x) (bpow radix2 1024) then Some x else None.
Definition xtwo (f : R -> R -> R) (a b : option R) : option R := match a, b with Some x, Some y => fits (rd64 (f x y)) | _, _ => None end.
Definition xadd := xtwo Rplus.
Definition xsub := xtwo Rminus.
Definition xmul := xtwo Rmult.
Definition xdiv (a b : option R) : option R :=
  match a, b with Some x, Some y => if Req_bool y 0 then None else fits (rd64 (x / y)) | Some _, None => Some 0%R | None, _ => None end.
Definition xabs (a : option R) : option R := match a with Some x => Some (Rabs x) | None => None end.
Definition xneg (a : option R) : option R := match a with Some x => Some (- x)%R | None => None end.
Definition xsqrt (a : option R) : option R := match a with Some x => if Rlt_bool x 0 then None else fits (rd64 (sqrt x)) | None => None end.
Definition xmax (a b : option R) : option R := match a, b with Some x, Some y => Some (Rmax x y) | _, _ => None end.
Definition xlt (a b : option R) : bool := match a, b with Some x, Some y => Rlt_bool x y | Some _, None => true | None, _ => false end.
Definition xle (a b : option R) : bool := match a, b with Some x, Some y => Rle_bool x y | Some _, None => true | None, _ => false end.
Definition xeq (a b : option R) : bool := match a, b with Some x, Some y => Req_bool x y | _, _ => false end.
Definition xfinite (a : option R) : bool := match a with Some _ => true | None => false end.
Definition xscale (a : option R) (n : Z) : option R := match a with Some x => fits (rd64 (x * bpow radix2 n)) | None => None end.
(** The bits, by a function for finite numbers. *)
Definition xbits (bits_of : R -> Z) (a : option R) : Z := match a with Some x => bits_of x | None => 0 end.
(** The conversion to a float. *)
Definition xfloat (a : option R) : option R := match a with Some x => if Rlt_bool (Rabs (rd32 x)) (bpow radix2 128) then Some (rd32 x) else None | None => None end.
