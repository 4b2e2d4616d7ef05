(** The tables of moduli. *)
From Coq Require Import ZArith Lia List Bool.
From Proofs Require Import Semantics Facts ModuliSource.
Open Scope Z_scope.

Definition coprime_to_all (f : Z -> Z) (count : Z) : bool :=
  forallb (fun i => forallb (fun j => (i =? j) || (Z.gcd (f i) (f j) =? 1)) (below count)) (below count).

Theorem moduli_pairwise_coprime : forall i j, 0 <= i < max_moduli -> 0 <= j < max_moduli -> i <> j -> Z.gcd (moduli_list i) (moduli_list j) = 1.
Proof.
  intros i j ri rj differ.
  assert (all : coprime_to_all moduli_list max_moduli = true) by (vm_compute; reflexivity).
  unfold coprime_to_all in all.
  pose proof (below_all _ _ (below_all _ _ all i ri) j rj) as one. cbv beta in one. lia.
Qed.
