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

Definition found_greedily (f : Z -> Z) (count from : Z) (serves : Z -> bool) : bool :=
  forallb (fun d => let q := from - d in negb (f (count - 1) <=? q) || negb (serves q) || existsb (fun i => (f i =? q) || ((q <? f i) && negb (Z.gcd q (f i) =? 1))) (below count))
    (below from).

(** Each number from 256 down to the last modulus is a modulus, or shares a divisor with a larger modulus. *)
Theorem moduli_greedy : moduli_list 0 = 256 /\ (forall q, moduli_list (max_moduli - 1) <= q <= 256 ->
  exists i, 0 <= i < max_moduli /\ (moduli_list i = q \/ (q < moduli_list i /\ Z.gcd q (moduli_list i) <> 1))).
Proof.
  split; [vm_compute; reflexivity |]. intros q range.
  assert (all : found_greedily moduli_list max_moduli 256 (fun _ => true) = true) by (vm_compute; reflexivity).
  assert (last : 1 <= moduli_list (max_moduli - 1)) by (vm_compute; discriminate).
  unfold found_greedily in all. pose proof (below_all _ _ all (256 - q) ltac:(lia)) as here. cbv beta zeta in here.
  replace (256 - (256 - q)) with q in here by lia. apply orb_prop in here. destruct here as [here | here].
  - apply orb_prop in here. destruct here as [here | here]; [lia | discriminate].
  - apply existsb_exists in here. destruct here as [i [inside good]]. unfold below in inside. apply in_map_iff in inside.
    destruct inside as [k [is_i kin]]. apply in_seq in kin. exists i. unfold max_moduli in *. split; [lia |].
    apply orb_prop in good. destruct good as [good | good]; [left; lia | right].
    apply andb_prop in good. destruct good as [larger shared]. apply negb_true_iff in shared. lia.
Qed.

Theorem complex_moduli_pairwise_coprime : forall i j, 0 <= i < complex_moduli -> 0 <= j < complex_moduli -> i <> j ->
  Z.gcd (fst (complex_moduli_list i)) (fst (complex_moduli_list j)) = 1.
Proof.
  intros i j ri rj differ.
  assert (all : coprime_to_all (fun l => fst (complex_moduli_list l)) complex_moduli = true) by (vm_compute; reflexivity).
  unfold coprime_to_all in all.
  pose proof (below_all _ _ (below_all _ _ all i ri) j rj) as one. cbv beta in one. lia.
Qed.

(** The first split_moduli have a root of -1 in the list, and no number is one modulo the others. *)
Theorem roots_of_minus_one : forall i, 0 <= i < complex_moduli -> let '(p, root) := complex_moduli_list i in
  if i <? split_moduli then 0 < root < p /\ (root * root + 1) mod p = 0 else root = 0 /\ forall j, 0 <= j < p -> (j * j + 1) mod p <> 0.
Proof.
  intros i range.
  assert (all : forallb (fun i => let '(p, root) := complex_moduli_list i in
    if i <? split_moduli then (0 <? root) && (root <? p) && ((root * root + 1) mod p =? 0)
    else (root =? 0) && forallb (fun j => negb ((j * j + 1) mod p =? 0)) (below p)) (below complex_moduli) = true) by (vm_compute; reflexivity).
  pose proof (below_all _ _ all i range) as here. cbv beta in here. destruct (complex_moduli_list i) as [p root].
  destruct (i <? split_moduli); apply andb_prop in here; destruct here as [first second].
  - lia.
  - split; [lia |]. intros j jrange. pose proof (below_all _ _ second j jrange) as one. cbv beta in one. apply negb_true_iff in one. lia.
Qed.

Lemma bounded_sum : forall n f low high, 0 <= n -> (forall l, 0 <= l < n -> low <= f l <= high) -> n * low <= sum_below n f <= n * high.
Proof.
  intros n f low high pos. rewrite <- (Z2Nat.id n pos). generalize (Z.to_nat n). clear n pos. intros n. induction n as [|n IH]; intros each.
  - unfold sum_below. cbn. lia.
  - replace (Z.of_nat (S n)) with (Z.of_nat n + 1) in * by lia. rewrite sum_below_next by lia.
    pose proof (IH ltac:(intros; apply each; lia)). pose proof (each (Z.of_nat n) ltac:(lia)). lia.
Qed.

(** On CPUs: unsigned times signed bytes. Every partial sum of a chunk is an INT32, and no larger multiple of the step would do. *)
Theorem int32_sums_cpu : (forall n u v, 0 <= n <= int8_most_terms -> (forall l, 0 <= l < n -> 0 <= u l <= 255 /\ - 128 <= v l <= 127) ->
  - 2 ^ 31 <= sum_below n (fun l => u l * v l) <= 2 ^ 31 - 1) /\
  int8_most_terms mod int8_k_step = 0 /\ 2 ^ 31 - 1 < 255 * 128 * (int8_most_terms + int8_k_step).
Proof.
  split; [| split; vm_compute; reflexivity]. intros n u v range each.
  pose proof (bounded_sum n (fun l => u l * v l) (255 * -128) (255 * 127) ltac:(lia)) as bound.
  unfold int8_most_terms in *. cbv beta in bound.
  assert (terms : forall l, 0 <= l < n -> 255 * -128 <= u l * v l <= 255 * 127) by (intros l lrange; pose proof (each l lrange); nia).
  specialize (bound terms). lia.
Qed.

(** On GPUs: unsigned bytes, whose sums are unsigned numbers of 32 bits. *)
Theorem int32_sums_gpu : forall n u v, 0 <= n <= product_most_terms -> (forall l, 0 <= l < n -> 0 <= u l <= 255 /\ 0 <= v l <= 255) ->
  0 <= sum_below n (fun l => u l * v l) < 2 ^ 32.
Proof.
  intros n u v range each.
  pose proof (bounded_sum n (fun l => u l * v l) 0 (255 * 255) ltac:(lia)) as bound.
  unfold product_most_terms in *. cbv beta in bound.
  assert (terms : forall l, 0 <= l < n -> 0 <= u l * v l <= 255 * 255) by (intros l lrange; pose proof (each l lrange); nia).
  specialize (bound terms). lia.
Qed.
