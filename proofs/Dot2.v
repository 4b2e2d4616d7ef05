(* Dot2 in the order of docs/modes.md: the bound of the pair (s, c). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core Plus_error Mult_error.
From Proofs Require Import Semantics Floats.

Open Scope R_scope.

Notation w := (1 + u64).
Notation eta := (bpow radix2 (-1075)).

(* A pair after j terms of a block (one more for each combination, twice for c): what is known of it. r is the exact
   sum, a bounds the sum of abs(x y), and n counts the terms. *)
Record known (j m : nat) (s c r a : R) (n : nat) : Prop := {
  a_positive : 0 <= a;
  s_format : format64 s;
  c_format : format64 c;
  s_bound : Rabs s <= w ^ (j + m) * a;
  c_bound : Rabs c <= w ^ (j + 1 + 2 * m) * (INR (j + m) * u64) * a;
  c_error : Rabs (s + c - r) <=
    w ^ (j + 1 + 2 * m) * (INR j * INR j / 2 + 3 * INR j / 2 - 1 + 2 * INR j * INR m + INR m * INR m) * (u64 * u64) * a +
    INR n * eta }.

Lemma u64_positive : 0 < u64. Proof. unfold u64. lra. Qed.
Lemma w_above : 1 <= w. Proof. unfold u64. lra. Qed.
Lemma power_above (k : nat) : 1 <= w ^ k. Proof. apply pow_R1_Rle, w_above. Qed.
Lemma power_monotone (k l : nat) : (k <= l)%nat -> w ^ k <= w ^ l.
Proof. intros H. apply Rle_pow; [apply w_above | exact H]. Qed.

Lemma sum_rounded (x y : R) : format64 x -> format64 y -> Rabs (rd64 (x + y)) <= w * Rabs (x + y).
Proof.
  intros Fx Fy. assert (H := rnd64_sum x y Fx Fy). change rd64 with (fun z => rnd64 z). cbv beta.
  replace (rnd64 (x + y)) with ((x + y) + (rnd64 (x + y) - (x + y))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

(* TwoSum's second part is a number of the format. *)
Lemma sum_error_format (x y : R) : format64 x -> format64 y -> format64 (x + y - rd64 (x + y)).
Proof.
  intros Fx Fy. rewrite <- (Ropp_involutive (x + y - _)), Ropp_minus_distr. apply format64_opp.
  apply (plus_error radix2 fexp64 (fun x => negb (Z.even x))); assumption.
Qed.

(* The operations of docs/modes.md on real numbers, each rounded. *)
Definition dot2_step (pair : R * R) (term : R * R) : R * R :=
  let (s, c) := pair in let (x, y) := term in
  let p := rd64 (x * y) in
  let e := rd64 (x * y - p) in
  let t := rd64 (s + p) in
  (t, rd64 (c + rd64 ((s + p - t) + e))).

Definition dot2_combine (left right : R * R) : R * R :=
  let (s1, c1) := left in let (s2, c2) := right in
  let s := rd64 (s1 + s2) in
  (s, rd64 (rd64 (c1 + c2) + (s1 + s2 - s))).

(* A product that underflows counts as a larger one. *)
Definition size (term : R * R) : R := Rabs (fst term * snd term) + 2 * normal64.

Lemma eta_normal : eta = u64 * normal64.
Proof. rewrite u64_bpow. unfold normal64. now rewrite <- bpow_plus. Qed.

Lemma product_known (x y : R) : format64 x -> format64 y ->
  let p := rd64 (x * y) in let e := rd64 (x * y - p) in
  format64 p /\ format64 e /\ Rabs p <= w * size (x, y) /\ Rabs e <= u64 * size (x, y) /\ Rabs (p + e - x * y) <= eta.
Proof.
  intros Fx Fy p e. unfold size, fst, snd. set (z := x * y) in *.
  split; [apply rnd64_format|]. split; [apply rnd64_format|]. assert (Np := normal64_positive).
  assert (B : Rabs (p - z) <= u64 * Rabs z + u64 * normal64) by apply rnd64_error.
  assert (Hz := Rabs_pos z).
  assert (Bp : Rabs p <= w * (Rabs z + 2 * normal64)).
  { replace p with (z + (p - z)) by ring. eapply Rle_trans; [apply Rabs_triang|]. unfold u64 in *. lra. }
  destruct (Rle_or_lt (bpow radix2 (-969)) (Rabs z)) as [L|L].
  - assert (E : e = z - p).
    { apply rnd64_exact. rewrite <- (Ropp_involutive (z - p)), Ropp_minus_distr. apply format64_opp.
      refine (mult_error_FLT radix2 (-1074) 53 ZnearestE _ _ Fx Fy _). intros _. exact L. }
    split; [exact Bp|]. split.
    + rewrite E, Rabs_minus_sym. unfold u64 in *. lra.
    + rewrite E. replace (p + (z - p) - z) with 0 by ring. rewrite Rabs_R0. apply bpow_ge_0.
  - assert (B' := rnd64_below (-969) z ltac:(lia) L). fold p in B'.
    assert (B2 : Rabs (e - (z - p)) <= eta).
    { eapply Rle_trans; [apply (rnd64_below (-1021)); [lia|]|].
      - rewrite Rabs_minus_sym. eapply Rle_lt_trans; [exact B'|]. rewrite u64_bpow, <- bpow_plus. apply bpow_lt. lia.
      - rewrite u64_bpow, <- bpow_plus. apply bpow_le. lia. }
    split; [exact Bp|]. split.
    + rewrite eta_normal in B2. replace e with ((e - (z - p)) - (p - z)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. unfold u64 in *. lra.
    + replace (p + e - z) with (e - (z - p)) by ring. exact B2.
Qed.

Lemma size_positive (t : R * R) : 0 <= size t.
Proof. unfold size. assert (H := Rabs_pos (fst t * snd t)). assert (N := normal64_positive). lra. Qed.

(* The first term of a block loses nothing but underflow. *)
Lemma first_known (x y : R) : format64 x -> format64 y ->
  let (s, c) := dot2_step (0, 0) (x, y) in known 1 0 s c (x * y) (size (x, y)) 1.
Proof.
  intros Fx Fy. unfold dot2_step. destruct (product_known x y Fx Fy) as (Fp & Fe & Bp & Be & B).
  set (p := rd64 (x * y)) in *. set (e := rd64 (x * y - p)) in *.
  assert (Ep : rd64 (0 + p) = p) by (rewrite Rplus_0_l; now apply rnd64_exact).
  assert (Ee : rd64 e = e) by now apply rnd64_exact.
  rewrite Ep. replace (0 + p - p + e) with e by ring. rewrite Ee, Rplus_0_l, Ee.
  assert (H := size_positive (x, y)).
  split; try assumption.
  - simpl pow. rewrite Rmult_1_r. exact Bp.
  - simpl pow. simpl INR. unfold u64 in *. lra.
  - simpl pow. simpl INR. unfold u64 in *. lra.
Qed.

Lemma rounded_pair (x y : R) : format64 x -> format64 y ->
  Rabs (rd64 (x + y) - (x + y)) <= u64 * (Rabs x + Rabs y) /\ Rabs (rd64 (x + y)) <= w * (Rabs x + Rabs y).
Proof.
  intros Fx Fy. assert (H := rnd64_sum x y Fx Fy). assert (T := Rabs_triang x y). assert (S := sum_rounded x y Fx Fy).
  change (rd64 (x + y)) with (rnd64 (x + y)) in *. unfold u64 in *. lra.
Qed.

Lemma step_known (j : nat) (s c r a x y : R) (n : nat) : (1 <= j)%nat -> format64 x -> format64 y ->
  known j 0 s c r a n ->
  let (s', c') := dot2_step (s, c) (x, y) in known (S j) 0 s' c' (r + x * y) (a + size (x, y)) (S n).
Proof.
  intros Hj Fx Fy [A Fs Fc Bs Bc B]. unfold dot2_step. destruct (product_known x y Fx Fy) as (Fp & Fe & Bp & Be & Bu).
  set (p := rd64 (x * y)) in *. set (e := rd64 (x * y - p)) in *. assert (Z := size_positive (x, y)).
  set (z := size (x, y)) in *. set (t := rd64 (s + p)).
  assert (Fq : format64 (s + p - t)) by now apply sum_error_format. set (q := s + p - t) in *.
  assert (Fd : format64 (rd64 (q + e))) by apply rnd64_format.
  destruct (rounded_pair q e Fq Fe) as (D1 & D2). set (d := rd64 (q + e)) in *.
  destruct (rounded_pair c d Fc Fd) as (E1 & E2). set (c' := rd64 (c + d)) in *.
  destruct (rounded_pair s p Fs Fp) as (S1 & S2). fold t in S1, S2.
  assert (Q : Rabs q <= u64 * (Rabs s + Rabs p)) by (unfold q; rewrite <- Rabs_Ropp; now replace (- (s + p - t)) with (t - (s + p)) by ring).
  replace (j + 0)%nat with j in * by lia. replace (j + 1 + 2 * 0)%nat with (S j) in * by lia.
  assert (P1 : w <= w ^ j) by (rewrite <- (pow_1 w) at 1; apply power_monotone; lia).
  assert (J : 1 <= INR j) by (change 1 with (INR 1); now apply le_INR).
  change (w ^ S j) with (w * w ^ j) in *. set (P := w ^ j) in *. set (k := INR j) in *.
  assert (X1 : w * z <= P * z) by now apply Rmult_le_compat_r.
  assert (X2 : P * z <= k * (P * z)).
  { rewrite <- (Rmult_1_l (P * z)) at 1. apply Rmult_le_compat_r; [|exact J]. unfold u64 in *. nra. }
  assert (X3 : P * a <= k * (P * a)).
  { rewrite <- (Rmult_1_l (P * a)) at 1. apply Rmult_le_compat_r; [|exact J]. unfold u64 in *. nra. }
  assert (X4 : k * (P * z) <= k * (k * (P * z))).
  { rewrite <- (Rmult_1_l (k * (P * z))) at 1. apply Rmult_le_compat_r; [|exact J]. unfold u64 in *. nra. }
  assert (X5 : k * (P * a) <= k * (k * (P * a))).
  { rewrite <- (Rmult_1_l (k * (P * a))) at 1. apply Rmult_le_compat_r; [|exact J]. unfold u64 in *. nra. }
  assert (X0 : 0 <= P * a) by (unfold u64 in *; nra).
  split.
  - lra.
  - apply rnd64_format.
  - apply rnd64_format.
  - replace (S j + 0)%nat with (S j) by lia. simpl pow. fold P. unfold u64 in *. lra.
  - replace (S j + 1 + 2 * 0)%nat with (S (S j)) by lia. replace (S j + 0)%nat with (S j) by lia. rewrite S_INR.
    fold k. simpl pow. fold P. unfold u64 in *. lra.
  - replace (S j + 1 + 2 * 0)%nat with (S (S j)) by lia. rewrite !S_INR. fold k. simpl pow. simpl INR in *. fold P.
    replace (t + c' - (r + x * y)) with ((s + c - r) + (c' - (c + d)) + (d - (q + e)) + (p + e - x * y)) by (unfold q; ring).
    assert (T : Rabs ((s + c - r) + (c' - (c + d)) + (d - (q + e)) + (p + e - x * y)) <=
                Rabs (s + c - r) + Rabs (c' - (c + d)) + Rabs (d - (q + e)) + Rabs (p + e - x * y)).
    { eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r. apply Rabs_triang. }
    eapply Rle_trans; [exact T|]. unfold u64 in *. lra.
Qed.
