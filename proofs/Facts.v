(** Lemmas that several proofs use: loops, wrap-around integers, errors of roundings. *)
From Coq Require Import ZArith Reals Lia Lra Bool List.
From Flocq Require Import Core.
From Proofs Require Import Semantics.
Open Scope Z_scope.

(** The list 0, ..., n - 1. *)
Definition below (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).

Lemma below_all : forall n (p : Z -> bool), forallb p (below n) = true -> forall i, 0 <= i < n -> p i = true.
Proof.
  intros n p all i range. rewrite forallb_forall in all. apply all. unfold below.
  replace i with (Z.of_nat (Z.to_nat i)) by lia. apply in_map, in_seq. lia.
Qed.

Lemma for_n_invariant : forall {A} (P : Z -> A -> Prop) (body : Z -> A -> A) n i s,
  P i s -> (forall j t, i <= j < i + Z.of_nat n -> P j t -> P (j + 1) (body j t)) -> P (i + Z.of_nat n) (for_n n i body s).
Proof.
  intros A P body n; induction n as [|n IH]; intros i s start step.
  - cbn. rewrite Z.add_0_r. exact start.
  - cbn [for_n]. replace (i + Z.of_nat (S n)) with (i + 1 + Z.of_nat n) by lia. apply IH.
    + apply step; [lia | exact start].
    + intros j t range. apply step. lia.
Qed.

(** A statement that holds before a loop and is kept by each turn holds after the loop. *)
Lemma for_up_invariant : forall {A} (P : Z -> A -> Prop) (body : Z -> A -> A) from to s,
  from <= to -> P from s -> (forall j t, from <= j < to -> P j t -> P (j + 1) (body j t)) -> P to (for_up from to body s).
Proof.
  intros A P body from to s order start step. unfold for_up.
  pose proof (for_n_invariant P body (Z.to_nat (to - from)) from s start) as done.
  replace (from + Z.of_nat (Z.to_nat (to - from))) with to in done by lia. apply done.
  intros j t range. apply step. lia.
Qed.

(** The sum f(0) + ... + f(n - 1). *)
Fixpoint zsum (n : nat) (f : Z -> Z) : Z := match n with O => 0 | S m => zsum m f + f (Z.of_nat m) end.
Definition sum_below (n : Z) (f : Z -> Z) : Z := zsum (Z.to_nat n) f.

Lemma sum_below_next : forall n f, 0 <= n -> sum_below (n + 1) f = sum_below n f + f n.
Proof.
  intros n f pos. unfold sum_below. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia.
  cbn [zsum]. rewrite Z2Nat.id by lia. reflexivity.
Qed.

Lemma sum_below_ext : forall n f g, (forall i, 0 <= i < n -> f i = g i) -> sum_below n f = sum_below n g.
Proof.
  intros n f g same. unfold sum_below.
  assert (forall m, (m <= Z.to_nat n)%nat -> zsum m f = zsum m g) as all.
  { induction m as [|m IH]; intros le; [reflexivity |]. cbn [zsum]. rewrite IH by lia. rewrite same by lia. reflexivity. }
  apply all. lia.
Qed.

(** Wrap-around integers. *)
Lemma wrap_range : forall b x, 0 <= b -> 0 <= wrap b x < 2 ^ b.
Proof. intros b x pos. unfold wrap. apply Z.mod_pos_bound. apply Z.pow_pos_nonneg; lia. Qed.

Lemma wrap_divides : forall b x, 0 <= b -> (2 ^ b | wrap b x - x).
Proof.
  intros b x pos. unfold wrap. exists (- (x / 2 ^ b)).
  pose proof (Z_div_mod_eq_full x (2 ^ b)). lia.
Qed.

Lemma wrap_small : forall b x, 0 <= x < 2 ^ b -> wrap b x = x.
Proof. intros b x range. unfold wrap. apply Z.mod_small. exact range. Qed.

Lemma wrap_unique : forall b x y, 0 <= b -> (2 ^ b | x - y) -> wrap b x = wrap b y.
Proof.
  intros b x y pos [k eq]. unfold wrap. replace x with (y + k * 2 ^ b) by lia.
  apply Z_mod_plus_full.
Qed.

Lemma wraps_small : forall b x, 0 < b -> - 2 ^ (b - 1) <= x < 2 ^ (b - 1) -> wraps b x = x.
Proof.
  intros b x pos range. unfold wraps.
  assert (2 ^ b = 2 * 2 ^ (b - 1)) as twice by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  rewrite Z.mod_small by lia. lia.
Qed.

(** A number in two's complement is read back. *)
Lemma wraps_wrap : forall b x, 0 < b -> - 2 ^ (b - 1) <= x < 2 ^ (b - 1) -> wraps b (wrap b x) = x.
Proof.
  intros b x pos range. unfold wraps, wrap.
  assert (2 ^ b = 2 * 2 ^ (b - 1)) as twice by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  rewrite Zplus_mod_idemp_l. rewrite Z.mod_small by lia. lia.
Qed.

Lemma wraps_divides : forall b x, 0 < b -> (2 ^ b | wraps b x - x).
Proof.
  intros b x pos. unfold wraps. exists (- ((x + 2 ^ (b - 1)) / 2 ^ b)).
  pose proof (Z_div_mod_eq_full (x + 2 ^ (b - 1)) (2 ^ b)). lia.
Qed.

(** Roundings. *)
#[global] Instance precision_double : Prec_gt_0 53 := eq_refl.
#[global] Instance precision_float : Prec_gt_0 24 := eq_refl.

Lemma rd64_error : forall x e, -1020 <= e -> (Rabs x < bpow radix2 e)%R -> (Rabs (rd64 x - x) <= bpow radix2 (e - 54))%R.
Proof.
  intros x e large small. unfold rd64.
  destruct (Req_dec x 0) as [zero | nonzero].
  - rewrite zero, round_0 by auto with typeclass_instances. rewrite Rminus_0_r, Rabs_R0. apply bpow_ge_0.
  - apply Rle_trans with (1 := error_le_half_ulp radix2 (FLT_exp (-1074) 53) _ x).
    rewrite ulp_neq_0 by exact nonzero. unfold cexp, FLT_exp.
    assert (mag radix2 x <= e) as order by (apply mag_le_bpow; assumption).
    apply Rle_trans with (/ 2 * bpow radix2 (e - 53))%R.
    + apply Rmult_le_compat_l; [lra |]. apply bpow_le. lia.
    + replace (e - 53) with (e - 54 + 1) by lia. rewrite bpow_plus. simpl (bpow radix2 1). lra.
Qed.

Lemma rd32_error : forall x e, -120 <= e -> (Rabs x < bpow radix2 e)%R -> (Rabs (rd32 x - x) <= bpow radix2 (e - 25))%R.
Proof.
  intros x e large small. unfold rd32.
  destruct (Req_dec x 0) as [zero | nonzero].
  - rewrite zero, round_0 by auto with typeclass_instances. rewrite Rminus_0_r, Rabs_R0. apply bpow_ge_0.
  - apply Rle_trans with (1 := error_le_half_ulp radix2 (FLT_exp (-149) 24) _ x).
    rewrite ulp_neq_0 by exact nonzero. unfold cexp, FLT_exp.
    assert (mag radix2 x <= e) as order by (apply mag_le_bpow; assumption).
    apply Rle_trans with (/ 2 * bpow radix2 (e - 24))%R.
    + apply Rmult_le_compat_l; [lra |]. apply bpow_le. lia.
    + replace (e - 24) with (e - 25 + 1) by lia. rewrite bpow_plus. simpl (bpow radix2 1). lra.
Qed.

(** Integers below 2^53 are doubles, below 2^24 floats. *)
Lemma rd64_integer : forall n, Z.abs n < 2 ^ 53 -> rd64 (IZR n) = IZR n.
Proof.
  intros n small. unfold rd64. apply round_generic; [auto with typeclass_instances |].
  apply generic_format_FLT. exists (Float radix2 n 0); simpl.
  - unfold F2R; simpl. ring.
  - change (Z.pow_pos 2 53) with (2 ^ 53). lia.
  - lia.
Qed.

Lemma rd32_integer : forall n, Z.abs n < 2 ^ 24 -> rd32 (IZR n) = IZR n.
Proof.
  intros n small. unfold rd32. apply round_generic; [auto with typeclass_instances |].
  apply generic_format_FLT. exists (Float radix2 n 0); simpl.
  - unfold F2R; simpl. ring.
  - change (Z.pow_pos 2 24) with (2 ^ 24). lia.
  - lia.
Qed.
