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

Definition update2 {A} (f : Z -> Z -> A) (i j : Z) (v : A) : Z -> Z -> A := fun k l => if (k =? i) && (l =? j) then v else f k l.

(** for (int i = from; i < to; ++i) *)
Fixpoint for_n {A} (n : nat) (i : Z) (body : Z -> A -> A) (s : A) : A :=
  match n with O => s | S m => for_n m (i + 1) body (body i s) end.
Definition for_up {A} (from to : Z) (body : Z -> A -> A) (s : A) : A := for_n (Z.to_nat (to - from)) from body s.

(** while (test), for at most `fuel` turns: a loop that takes more has a result that its theorem refutes. *)
Fixpoint loop {A} (fuel : nat) (test : A -> bool) (step : A -> A) (s : A) : A :=
  match fuel with O => s | S m => if test s then loop m test step (step s) else s end.

(** The members of the elements of an array of pairs, and of triples. *)
Definition fst_of {A B} (f : Z -> A * B) (i : Z) : A := fst (f i).
Definition snd_of {A B} (f : Z -> A * B) (i : Z) : B := snd (f i).

Definition fst3_of {A B C} (f : Z -> A * B * C) (i : Z) : A := fst (fst (f i)).
Definition thd3_of {A B C} (f : Z -> A * B * C) (i : Z) : C := snd (f i).
Definition fst3 {A B C} (t : A * B * C) : A := fst (fst t).

(** Integers of `L` limbs of 64 bits, by the number 0 <= x < 2^(64 L) that the limbs are (lib/numerics/wide.hpp). *)
Definition wide_cast (from to x : Z) : Z := wrap (64 * to) (wraps (64 * from) x).
Definition wide_add (L a b : Z) : Z := wrap (64 * L) (a + b).
Definition wide_mul (L a factor : Z) : Z := wrap (64 * L) (a * factor).
Definition wide_negate_if (L a : Z) (negate : bool) : Z := if negate then wrap (64 * L) (- a) else a.
Definition wide_sub (L a b : Z) : Z := wrap (64 * L) (a - b).
Definition wide_bit_length (a : Z) : Z := if a =? 0 then 0 else Z.log2 a + 1.
Definition limb (a i : Z) : Z := wrap 64 (Z.shiftr a (64 * i)).
Fixpoint wide_of_n (n : nat) (limbs : Z -> Z) : Z := match n with O => 0 | S m => wide_of_n m limbs + limbs (Z.of_nat m) * 2 ^ (64 * Z.of_nat m) end.
Definition wide_of (L : Z) (limbs : Z -> Z) : Z := wide_of_n (Z.to_nat L) limbs.
