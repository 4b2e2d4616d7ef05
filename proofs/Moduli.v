(** The tables of moduli. *)
From Coq Require Import ZArith Lia List Bool.
From Proofs Require Import Semantics ModuliSource.
Open Scope Z_scope.

(** 0, ..., n - 1. *)
Definition below (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).

Lemma below_all : forall n (p : Z -> bool), forallb p (below n) = true -> forall i, 0 <= i < n -> p i = true.
Proof.
  intros n p all i range. rewrite forallb_forall in all. apply all. unfold below.
  replace i with (Z.of_nat (Z.to_nat i)) by lia. apply in_map, in_seq. lia.
Qed.

Definition coprime_to_all (f : Z -> Z) (count : Z) : bool :=
  forallb (fun i => forallb (fun j => (i =? j) || (Z.gcd (f i) (f j) =? 1)) (below count)) (below count).

Theorem moduli_pairwise_coprime : forall i j, 0 <= i < max_moduli -> 0 <= j < max_moduli -> i <> j -> Z.gcd (moduli_list i) (moduli_list j) = 1.
Proof.
  intros i j ri rj differ.
  assert (all : coprime_to_all moduli_list max_moduli = true) by (vm_compute; reflexivity).
  unfold coprime_to_all in all.
  pose proof (below_all _ _ (below_all _ _ all i ri) j rj) as one. cbv beta in one. lia.
Qed.
