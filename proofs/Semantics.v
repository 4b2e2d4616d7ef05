(** The meaning of the operations in the translated headers. *)
From Coq Require Import ZArith Reals Bool.
From Flocq Require Import Core.
Open Scope Z_scope.

(** Round to nearest, ties to even, in binary64 and binary32 with subnormal numbers. There is no largest number: a theorem that needs that nothing overflows says so. *)
Definition rd64 : R -> R := round radix2 (FLT_exp (-1074) 53) ZnearestE.
Definition rd32 : R -> R := round radix2 (FLT_exp (-149) 24) ZnearestE.

(** The representative of x modulo 2^bits, unsigned and in two's complement. *)
Definition wrap (bits x : Z) : Z := x mod 2 ^ bits.
Definition wraps (bits x : Z) : Z := (x + 2 ^ (bits - 1)) mod 2 ^ bits - 2 ^ (bits - 1).

(** Arrays are functions of the index. *)
Definition update {A} (f : Z -> A) (i : Z) (v : A) : Z -> A := fun j => if j =? i then v else f j.

(** for (int i = from; i < to; ++i) *)
Fixpoint for_n {A} (n : nat) (i : Z) (body : Z -> A -> A) (s : A) : A :=
  match n with O => s | S m => for_n m (i + 1) body (body i s) end.
Definition for_up {A} (from to : Z) (body : Z -> A -> A) (s : A) : A := for_n (Z.to_nat (to - from)) from body s.

(** while (test), for at most `fuel` turns: a loop that takes more has a result that its theorem refutes. *)
Fixpoint loop {A} (fuel : nat) (test : A -> bool) (step : A -> A) (s : A) : A :=
  match fuel with O => s | S m => if test s then loop m test step (step s) else s end.

(** The members of the elements of an array of pairs. *)
Definition fst_of {A B} (f : Z -> A * B) (i : Z) : A := fst (f i).
Definition snd_of {A B} (f : Z -> A * B) (i : Z) : B := snd (f i).
