(* Dot2 in the order of docs/modes.md: the bound of the pair (s, c). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core Plus_error Mult_error Pff2Flocq.
From Proofs Require Import Semantics Floats Eft Dot2Source.

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

Lemma count_monotone (j k l m : nat) : (1 <= j <= k)%nat -> (l <= m)%nat ->
  0 <= INR j * INR j / 2 + 3 * INR j / 2 - 1 + 2 * INR j * INR l + INR l * INR l <=
  INR k * INR k / 2 + 3 * INR k / 2 - 1 + 2 * INR k * INR m + INR m * INR m.
Proof.
  intros [Hj Hk] Hm. apply le_INR in Hj, Hk, Hm. change (INR 1) with 1 in Hj. assert (0 <= INR l) by apply pos_INR. nra.
Qed.

Lemma weaker (j k l m : nat) (s c r a : R) (n : nat) : (1 <= j <= k)%nat -> (l <= m)%nat ->
  known j l s c r a n -> known k m s c r a n.
Proof.
  intros Hj Hm [A Fs Fc Bs Bc B]. split; auto.
  - eapply Rle_trans; [exact Bs|]. apply Rmult_le_compat_r; [exact A|]. apply power_monotone. lia.
  - eapply Rle_trans; [exact Bc|]. apply Rmult_le_compat_r; [exact A|].
    assert (U := u64_positive). apply Rmult_le_compat.
    + assert (H := power_above (j + 1 + 2 * l)). lra.
    + apply Rmult_le_pos; [apply pos_INR | lra].
    + apply power_monotone. lia.
    + apply Rmult_le_compat_r; [lra|]. apply le_INR. lia.
  - eapply Rle_trans; [exact B|]. apply Rplus_le_compat_r. apply Rmult_le_compat_r; [exact A|].
    assert (U := u64_positive). apply Rmult_le_compat_r; [nra|]. destruct (count_monotone j k l m Hj Hm) as (C0 & C1).
    apply Rmult_le_compat; auto.
    + assert (H := power_above (j + 1 + 2 * l)). lra.
    + apply power_monotone. lia.
Qed.

Lemma zero_known (j m : nat) : (1 <= j)%nat -> known j m 0 0 0 0 0.
Proof.
  intros Hj. split.
  - apply Rle_refl.
  - apply generic_format_0.
  - apply generic_format_0.
  - rewrite Rabs_R0. lra.
  - rewrite Rabs_R0. lra.
  - rewrite Rplus_0_l, Rminus_0_r, Rabs_R0. simpl INR. lra.
Qed.

Lemma combine_known (j m : nat) (s1 c1 r1 a1 s2 c2 r2 a2 : R) (n1 n2 : nat) : (1 <= j)%nat ->
  known j m s1 c1 r1 a1 n1 -> known j m s2 c2 r2 a2 n2 ->
  let (s, c) := dot2_combine (s1, c1) (s2, c2) in known j (S m) s c (r1 + r2) (a1 + a2) (n1 + n2).
Proof.
  intros Hj [A1 Fs1 Fc1 Bs1 Bc1 B1] [A2 Fs2 Fc2 Bs2 Bc2 B2]. unfold dot2_combine. set (t := rd64 (s1 + s2)).
  assert (Fq : format64 (s1 + s2 - t)) by now apply sum_error_format. set (q := s1 + s2 - t) in *.
  assert (Fd : format64 (rd64 (c1 + c2))) by apply rnd64_format.
  destruct (rounded_pair c1 c2 Fc1 Fc2) as (D1 & D2). set (d := rd64 (c1 + c2)) in *.
  destruct (rounded_pair d q Fd Fq) as (E1 & E2). set (c := rd64 (d + q)) in *.
  destruct (rounded_pair s1 s2 Fs1 Fs2) as (S1 & S2). fold t in S1, S2.
  assert (Q : Rabs q <= u64 * (Rabs s1 + Rabs s2))
    by (unfold q; rewrite <- Rabs_Ropp; now replace (- (s1 + s2 - t)) with (t - (s1 + s2)) by ring).
  assert (PQ : w ^ (j + m) <= w ^ (j + 1 + 2 * m)) by (apply power_monotone; lia).
  assert (P1 := power_above (j + m)).
  assert (J : 1 <= INR j) by (change 1 with (INR 1); now apply le_INR). assert (M := pos_INR m).
  rewrite plus_INR in *.
  assert (K : 0 <= INR j * INR j / 2 + 3 * INR j / 2 - 1 + 2 * INR j * INR m + INR m * INR m) by nra.
  set (P := w ^ (j + m)) in *. set (Y := w ^ (j + 1 + 2 * m)) in *. set (k := INR j) in *. set (l := INR m) in *.
  set (a := a1 + a2) in *. assert (A : 0 <= a) by (unfold a; lra).
  assert (X1 : P * a <= Y * a) by now apply Rmult_le_compat_r.
  assert (X0 : 0 <= P * a) by nra.
  assert (X3 : Y * a <= k * (Y * a)).
  { rewrite <- (Rmult_1_l (Y * a)) at 1. apply Rmult_le_compat_r; lra. }
  assert (X4 : 0 <= l * (Y * a)) by (apply Rmult_le_pos; lra).
  assert (X5 : 0 <= (k * k / 2 + 3 * k / 2 - 1 + 2 * k * l + l * l) * (Y * a)) by (apply Rmult_le_pos; lra).
  assert (Bs : Rabs s1 + Rabs s2 <= P * a) by (unfold a; lra).
  assert (Bc : Rabs c1 + Rabs c2 <= u64 * (k * (Y * a) + l * (Y * a))) by (unfold a; lra).
  split.
  - exact A.
  - apply rnd64_format.
  - apply rnd64_format.
  - replace (j + S m)%nat with (S (j + m)) by lia. rewrite <- !tech_pow_Rmult. fold P. unfold u64 in *. lra.
  - replace (j + 1 + 2 * S m)%nat with (S (S (j + 1 + 2 * m))) by lia. replace (j + S m)%nat with (S (j + m)) by lia.
    rewrite S_INR, plus_INR. fold k l. rewrite <- !tech_pow_Rmult. fold Y. unfold u64 in *. lra.
  - replace (j + 1 + 2 * S m)%nat with (S (S (j + 1 + 2 * m))) by lia. rewrite S_INR, plus_INR. fold k l.
    rewrite <- !tech_pow_Rmult. fold Y.
    replace (t + c - (r1 + r2)) with ((s1 + c1 - r1) + (s2 + c2 - r2) + (c - (d + q)) + (d - (c1 + c2))) by (unfold q; ring).
    assert (T : Rabs ((s1 + c1 - r1) + (s2 + c2 - r2) + (c - (d + q)) + (d - (c1 + c2))) <=
                Rabs (s1 + c1 - r1) + Rabs (s2 + c2 - r2) + Rabs (c - (d + q)) + Rabs (d - (c1 + c2))).
    { eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r. apply Rabs_triang. }
    assert (B : Rabs (s1 + c1 - r1) + Rabs (s2 + c2 - r2) <=
                (k * k / 2 + 3 * k / 2 - 1 + 2 * k * l + l * l) * (Y * a) * (u64 * u64) + (INR n1 + INR n2) * eta)
      by (unfold a; lra).
    eapply Rle_trans; [exact T|]. set (tt := (k * k / 2 + 3 * k / 2 - 1 + 2 * k * l + l * l) * (Y * a)) in *.
    replace (w * (w * Y) * (k * k / 2 + 3 * k / 2 - 1 + 2 * k * (l + 1) + (l + 1) * (l + 1)) * (u64 * u64) * a)
      with (w * w * (u64 * u64) * (tt + 2 * (k * (Y * a)) + 2 * (l * (Y * a)) + Y * a)) by (unfold tt; ring).
    unfold u64 in *. lra.
Qed.

(* The chain of an element of GEMV and GEMM: blocks of terms, each from (0, 0), are combined from left to right. *)
Definition dot2_block_pair (terms : list (R * R)) : R * R := fold_left dot2_step terms (0, 0).
Definition dot2_chain (blocks : list (list (R * R))) : R * R :=
  fold_left dot2_combine (map dot2_block_pair blocks) (0, 0).

Definition exact_sum (terms : list (R * R)) : R := fold_right (fun t r => r + fst t * snd t) 0 terms.
Definition sum_of_sizes (terms : list (R * R)) : R := fold_right (fun t r => r + size t) 0 terms.
Definition formats (terms : list (R * R)) : Prop := Forall (fun t => format64 (fst t) /\ format64 (snd t)) terms.

Lemma steps_known (terms : list (R * R)) : formats terms -> forall j s c r a n, (1 <= j)%nat -> known j 0 s c r a n ->
  let (s', c') := fold_left dot2_step terms (s, c) in
  known (j + length terms) 0 s' c' (r + exact_sum terms) (a + sum_of_sizes terms) (n + length terms).
Proof.
  induction terms as [|(x, y) terms IH]; intros F j s c r a n Hj K.
  - simpl. now rewrite !Nat.add_0_r, !Rplus_0_r.
  - inversion_clear F as [|? ? (Fx & Fy) F'].
    assert (H := step_known j s c r a x y n Hj Fx Fy K). cbn [fold_left].
    destruct (dot2_step (s, c) (x, y)) as (s', c'). specialize (IH F' (S j) s' c' _ _ _ ltac:(lia) H).
    destruct (fold_left dot2_step terms (s', c')) as (s'', c'').
    change (exact_sum ((x, y) :: terms)) with (exact_sum terms + x * y).
    change (sum_of_sizes ((x, y) :: terms)) with (sum_of_sizes terms + size (x, y)). cbn [length].
    replace (j + S (length terms))%nat with (S j + length terms)%nat by lia.
    replace (n + S (length terms))%nat with (S n + length terms)%nat by lia.
    replace (r + (exact_sum terms + x * y)) with (r + x * y + exact_sum terms) by ring.
    replace (a + (sum_of_sizes terms + size (x, y))) with (a + size (x, y) + sum_of_sizes terms) by ring. exact IH.
Qed.

Lemma block_known (terms : list (R * R)) (k : nat) : formats terms -> (1 <= length terms <= k)%nat ->
  let (s, c) := dot2_block_pair terms in known k 0 s c (exact_sum terms) (sum_of_sizes terms) (length terms).
Proof.
  destruct terms as [|(x, y) terms]; intros F L; [simpl in L; lia|]. inversion_clear F as [|? ? (Fx & Fy) F'].
  unfold dot2_block_pair. cbn [fold_left]. assert (H := first_known x y Fx Fy).
  destruct (dot2_step (0, 0) (x, y)) as (s, c).
  assert (G := steps_known terms F' 1 s c _ _ _ (le_n 1) H).
  destruct (fold_left dot2_step terms (s, c)) as (s', c').
  change (exact_sum ((x, y) :: terms)) with (exact_sum terms + x * y).
  change (sum_of_sizes ((x, y) :: terms)) with (sum_of_sizes terms + size (x, y)). cbn [length] in *.
  refine (weaker (1 + length terms) k 0 0 _ _ _ _ _ ltac:(lia) (le_n 0) _).
  rewrite (Rplus_comm (exact_sum terms)), (Rplus_comm (sum_of_sizes terms)). exact G.
Qed.

Definition exact_sums (blocks : list (list (R * R))) : R := fold_right (fun b r => r + exact_sum b) 0 blocks.
Definition sums_of_sizes (blocks : list (list (R * R))) : R := fold_right (fun b r => r + sum_of_sizes b) 0 blocks.

Lemma combines_known (blocks : list (list (R * R))) (k : nat) : Forall formats blocks ->
  Forall (fun b => (1 <= length b <= k)%nat) blocks -> (1 <= k)%nat -> forall m s c r a n, known k m s c r a n ->
  let (s', c') := fold_left dot2_combine (map dot2_block_pair blocks) (s, c) in
  known k (m + length blocks) s' c' (r + exact_sums blocks) (a + sums_of_sizes blocks) (n + length (concat blocks)).
Proof.
  intros F L Hk. induction blocks as [|b blocks IH]; intros m s c r a n K.
  - simpl. now rewrite !Nat.add_0_r, !Rplus_0_r.
  - inversion_clear F as [|? ? Fb F']. inversion_clear L as [|? ? Lb L']. specialize (IH F' L').
    assert (B := block_known b k Fb Lb). cbn [map fold_left]. destruct (dot2_block_pair b) as (s2, c2).
    apply (weaker k k 0 m) in B; [|lia|lia].
    assert (H := combine_known k m s c r a s2 c2 _ _ n _ Hk K B).
    destruct (dot2_combine (s, c) (s2, c2)) as (s', c'). specialize (IH (S m) s' c' _ _ _ H).
    destruct (fold_left dot2_combine (map dot2_block_pair blocks) (s', c')) as (s'', c'').
    change (exact_sums (b :: blocks)) with (exact_sums blocks + exact_sum b).
    change (sums_of_sizes (b :: blocks)) with (sums_of_sizes blocks + sum_of_sizes b).
    cbn [concat length]. rewrite app_length.
    replace (m + S (length blocks))%nat with (S m + length blocks)%nat by lia.
    replace (r + (exact_sums blocks + exact_sum b)) with (r + exact_sum b + exact_sums blocks) by ring.
    replace (a + (sums_of_sizes blocks + sum_of_sizes b)) with (a + sum_of_sizes b + sums_of_sizes blocks) by ring.
    now rewrite Nat.add_assoc.
Qed.

(* From the counts to gamma_h = h u / (1 - h u). *)
Definition gamma (h : nat) : R := INR h * u64 / (1 - INR h * u64).

Lemma power_gamma (h : nat) : INR h * u64 < 1 -> w ^ h * (1 - INR h * u64) <= 1.
Proof.
  assert (U := u64_positive). induction h as [|h IH]; intros H.
  - simpl. lra.
  - rewrite S_INR in *. rewrite <- tech_pow_Rmult. assert (N := pos_INR h).
    assert (H' : INR h * u64 < 1) by nra. specialize (IH H'). assert (P := power_above h).
    eapply Rle_trans; [|exact IH].
    replace (w * w ^ h * (1 - (INR h + 1) * u64)) with (w ^ h * (1 - INR h * u64 - (INR h + 1) * u64 * u64)) by ring.
    apply Rmult_le_compat_l; [lra|]. assert (0 <= (INR h + 1) * u64 * u64) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

Definition sum_of_magnitudes (terms : list (R * R)) : R := fold_right (fun t r => r + Rabs (fst t * snd t)) 0 terms.
Definition sums_of_magnitudes (blocks : list (list (R * R))) : R :=
  fold_right (fun b r => r + sum_of_magnitudes b) 0 blocks.

Lemma sum_of_sizes_value (terms : list (R * R)) :
  sum_of_sizes terms = sum_of_magnitudes terms + INR (length terms) * (2 * normal64).
Proof.
  induction terms as [|t terms IH]; [simpl; ring|].
  change (sum_of_sizes (t :: terms)) with (sum_of_sizes terms + size t). cbn [length]. rewrite S_INR, IH.
  change (sum_of_magnitudes (t :: terms)) with (sum_of_magnitudes terms + Rabs (fst t * snd t)). unfold size. ring.
Qed.

Lemma sums_of_sizes_value (blocks : list (list (R * R))) :
  sums_of_sizes blocks = sums_of_magnitudes blocks + INR (length (concat blocks)) * (2 * normal64).
Proof.
  induction blocks as [|b blocks IH]; [simpl; ring|].
  change (sums_of_sizes (b :: blocks)) with (sums_of_sizes blocks + sum_of_sizes b).
  change (sums_of_magnitudes (b :: blocks)) with (sums_of_magnitudes blocks + sum_of_magnitudes b).
  cbn [concat]. rewrite app_length, plus_INR, IH, sum_of_sizes_value. ring.
Qed.

(* The bound of a pair that passes at most k steps and m combinations, k + m = h <= 2^26. *)
Lemma known_bound (k m : nat) (s c r a : R) (n : nat) : (1 <= k)%nat -> INR (k + m) <= 67108864 ->
  known k m s c r (a + INR n * (2 * normal64)) n -> 0 <= a ->
  Rabs (s + c - r) <= gamma (k + m) * gamma (k + m) * a + 5 * INR n * bpow radix2 (-1074).
Proof.
  intros Hk Hh [A _ _ _ _ B] Ha. set (h := (k + m)%nat) in *. assert (U := u64_positive). assert (N := normal64_positive).
  assert (Hn := pos_INR n). assert (Hp := pos_INR h). assert (En := eta_normal).
  assert (E : bpow radix2 (-1074) = 2 * eta) by (change 2 with (bpow radix2 1); now rewrite <- bpow_plus).
  assert (Hu : INR h * u64 <= / 134217728) by (unfold u64 in *; lra).
  set (g := INR h * u64) in *. assert (Hg : 0 <= g) by (unfold g; nra).
  assert (K : 1 <= INR k) by (change 1 with (INR 1); now apply le_INR). assert (M := pos_INR m).
  assert (C0 : 0 <= INR k * INR k / 2 + 3 * INR k / 2 - 1 + 2 * INR k * INR m + INR m * INR m) by nra.
  assert (C1 : INR k * INR k / 2 + 3 * INR k / 2 - 1 + 2 * INR k * INR m + INR m * INR m <= INR h * INR h).
  { unfold h. rewrite plus_INR. assert (D : 0 <= (INR k - 1) * (INR k - 2)).
    { destruct k as [|[|k]]; [lia| simpl; lra |]. rewrite !S_INR. assert (Q := pos_INR k). nra. }
    nra. }
  set (t := INR k * INR k / 2 + 3 * INR k / 2 - 1 + 2 * INR k * INR m + INR m * INR m) in *.
  assert (P : w ^ (k + 1 + 2 * m) <= w ^ h * w ^ h).
  { rewrite <- pow_add. apply power_monotone. unfold h. lia. }
  assert (W0 := power_above h). assert (W1 := power_gamma h ltac:(fold g; lra)). fold g in W1.
  assert (G : w ^ h * g <= gamma h).
  { unfold gamma. fold g. apply Rmult_le_reg_r with (1 - g); [lra|].
    replace (g / (1 - g) * (1 - g)) with g by (field; lra). nra. }
  assert (G0 : 0 <= w ^ h * g) by nra.
  assert (GG : w ^ (k + 1 + 2 * m) * t * (u64 * u64) <= gamma h * gamma h).
  { apply Rle_trans with ((w ^ h * w ^ h) * (INR h * INR h) * (u64 * u64)).
    - apply Rmult_le_compat_r; [nra|]. apply Rmult_le_compat; auto. assert (Z := power_above (k + 1 + 2 * m)). lra.
    - replace ((w ^ h * w ^ h) * (INR h * INR h) * (u64 * u64)) with ((w ^ h * g) * (w ^ h * g)) by (unfold g; ring).
      apply Rmult_le_compat; auto. }
  assert (GN : gamma h * gamma h * (2 * normal64) <= 3 * eta).
  { assert (Q : gamma h <= g * (1 + / 1000)).
    { unfold gamma. fold g. apply Rmult_le_reg_r with (1 - g); [lra|].
      replace (g / (1 - g) * (1 - g)) with g by (field; lra). nra. }
    assert (Q0 : 0 <= gamma h) by lra.
    assert (Q1 : gamma h * gamma h <= (g * (1 + / 1000)) * (g * (1 + / 1000))) by (apply Rmult_le_compat; auto).
    assert (Q2 : g * g <= u64 / 2).
    { unfold g. replace (INR h * u64 * (INR h * u64)) with (INR h * INR h * u64 * u64) by ring.
      assert (INR h * INR h <= 67108864 * 67108864) by (apply Rmult_le_compat; lra). unfold u64 in *. nra. }
    rewrite En. apply Rle_trans with ((u64 / 2 * (1 + / 1000) * (1 + / 1000)) * (2 * normal64)).
    - apply Rmult_le_compat_r; lra.
    - unfold u64 in *. nra. }
  eapply Rle_trans; [exact B|]. rewrite E.
  apply Rle_trans with (gamma h * gamma h * (a + INR n * (2 * normal64)) + INR n * eta).
  - apply Rplus_le_compat_r. now apply Rmult_le_compat_r.
  - assert (X : INR n * (gamma h * gamma h * (2 * normal64)) <= INR n * (3 * eta)) by now apply Rmult_le_compat_l.
    assert (0 <= INR n * eta) by (apply Rmult_le_pos; [lra | apply bpow_ge_0]). lra.
Qed.

Lemma magnitudes_positive (blocks : list (list (R * R))) : 0 <= sums_of_magnitudes blocks.
Proof.
  induction blocks as [|b blocks IH]; [apply Rle_refl|].
  change (sums_of_magnitudes (b :: blocks)) with (sums_of_magnitudes blocks + sum_of_magnitudes b).
  assert (0 <= sum_of_magnitudes b); [|lra]. induction b as [|t b IHb]; [apply Rle_refl|].
  change (sum_of_magnitudes (t :: b)) with (sum_of_magnitudes b + Rabs (fst t * snd t)).
  assert (H := Rabs_pos (fst t * snd t)). lra.
Qed.

Lemma chain_bound (blocks : list (list (R * R))) (k : nat) : Forall formats blocks ->
  Forall (fun b => (1 <= length b <= k)%nat) blocks -> (1 <= k)%nat -> INR (k + length blocks) <= 67108864 ->
  let (s, c) := dot2_chain blocks in
  Rabs (s + c - exact_sums blocks) <=
  gamma (k + length blocks) * gamma (k + length blocks) * sums_of_magnitudes blocks +
  5 * INR (length (concat blocks)) * bpow radix2 (-1074).
Proof.
  intros F L Hk Hh. assert (H := combines_known blocks k F L Hk 0 0 0 0 0 0 (zero_known k 0 Hk)).
  unfold dot2_chain. destruct (fold_left dot2_combine (map dot2_block_pair blocks) (0, 0)) as (s, c).
  rewrite !Rplus_0_l, !Nat.add_0_l, sums_of_sizes_value in H.
  exact (known_bound _ _ _ _ _ _ _ Hk Hh H (magnitudes_positive blocks)).
Qed.

(* Dekker's sequence on operands that are ordered by magnitude, as lib/cpu/dot2/dot2.cpp: sum_error. *)
Definition ordered_error (a b s : R) : R := if Rlt_bool (Rabs a) (Rabs b) then dot2_sum_error b a s else dot2_sum_error a b s.

Lemma dekker_error (a b : R) : format64 a -> format64 b -> Rabs b <= Rabs a ->
  dot2_sum_error a b (rd64 (a + b)) = a + b - rd64 (a + b).
Proof.
  intros Fa Fb O. unfold dot2_sum_error.
  assert (H := Fast2Sum_correct (-1074) 53 (fun x => negb (Z.even x)) eq_refl ltac:(lia) even_symmetric a b Fa Fb O).
  change (rd64 (a + b) + rd64 (b + rd64 (a - rd64 (a + b))) = a + b) in H. set (s := rd64 (a + b)) in *.
  unfold Rminus at 1. replace (- rd64 (s - a)) with (rd64 (a - s)); [lra|].
  replace (a - s) with (- (s - a)) by ring. apply rnd64_opp.
Qed.

Lemma ordered_error_exact (a b : R) : format64 a -> format64 b -> ordered_error a b (rd64 (a + b)) = a + b - rd64 (a + b).
Proof.
  intros Fa Fb. unfold ordered_error. destruct (Rlt_bool_spec (Rabs a) (Rabs b)) as [L|L].
  - rewrite (Rplus_comm a b). apply dekker_error; auto. lra.
  - now apply dekker_error.
Qed.

(* Theorem: the shipped operations are those of the bound. *)
Theorem dot2_operations (s c x y s2 c2 : R) : format64 s -> format64 x -> format64 y -> format64 s2 ->
  dot2_step_source ordered_error s c x y = dot2_step (s, c) (x, y) /\
  dot2_combine_source ordered_error s c s2 c2 = dot2_combine (s, c) (s2, c2).
Proof.
  intros Fs Fx Fy Fs2. unfold dot2_step_source, dot2_combine_source, dot2_step, dot2_combine. split.
  - rewrite ordered_error_exact by (auto; apply rnd64_format). reflexivity.
  - rewrite ordered_error_exact by auto. reflexivity.
Qed.

(* An integer is a double if it is below 2^53, also times a power of two. *)
Lemma integer_format (n e : Z) : (Z.abs n < 9007199254740992)%Z -> (-1074 <= e)%Z -> format64 (IZR n * bpow radix2 e).
Proof. intros H He. apply generic_format_FLT. exists (Float radix2 n e); [reflexivity | exact H | exact He]. Qed.

Lemma integer_exact (n : Z) : (Z.abs n < 9007199254740992)%Z -> rd64 (IZR n) = IZR n.
Proof. intros H. apply rnd64_exact. rewrite <- (Rmult_1_r (IZR n)). apply (integer_format n 0 H). lia. Qed.

Lemma bound_slack_value : bound_slack = 1 + 1 / 281474976710656.
Proof.
  unfold bound_slack. apply rnd64_exact.
  replace (IZR 1 + IZR 1 / IZR 281474976710656) with (IZR 281474976710657 * bpow radix2 (-48)) by (simpl; lra).
  apply integer_format; lia.
Qed.

(* No rounding of the code's evaluation makes the bound smaller than the exact one. *)
Lemma gamma_bound_above (h : nat) : (1 <= h)%nat -> INR h <= 67108864 ->
  gamma h <= gamma_bound (INR h) unit_roundoff_double.
Proof.
  intros H1 Hh. unfold gamma_bound, gamma.
  assert (Eu : unit_roundoff_double = u64) by (unfold unit_roundoff_double, u64; lra). rewrite Eu.
  assert (I1 : 1 <= INR h) by (change 1 with (INR 1); now apply le_INR).
  rewrite INR_IZR_INZ in *. set (n := Z.of_nat h) in *.
  assert (N1 : (1 <= n)%Z) by (apply le_IZR; exact I1). assert (N2 : (n <= 67108864)%Z) by (apply le_IZR; exact Hh).
  assert (E1 : rd64 (IZR n * u64) = IZR n * u64).
  { apply rnd64_exact. rewrite u64_bpow. apply integer_format; lia. }
  rewrite !E1.
  assert (E2 : rd64 (IZR 1 - IZR n * u64) = 1 - IZR n * u64).
  { apply rnd64_exact. replace (1 - IZR n * u64) with (IZR (9007199254740992 - n) * bpow radix2 (-53)).
    - apply integer_format; lia.
    - rewrite minus_IZR, <- u64_bpow. unfold u64. lra. }
  rewrite E2. set (g := IZR n * u64) in *.
  assert (G : u64 <= g <= / 134217728) by (unfold g, u64 in *; lra).
  rewrite Rlt_bool_true by (unfold u64 in *; lra). rewrite bound_slack_value.
  set (q := g / (1 - g)). assert (Q : u64 <= q).
  { unfold q. apply Rmult_le_reg_r with (1 - g); [lra|]. replace (g / (1 - g) * (1 - g)) with g by (field; lra).
    assert (0 <= u64 * g) by (unfold u64 in *; nra). lra. }
  assert (Small : normal64 <= u64 / 2).
  { rewrite u64_bpow. change (/ 2) with (bpow radix2 (-1)). unfold Rdiv. change (/ 2) with (bpow radix2 (-1)).
    rewrite <- bpow_plus. apply bpow_le. lia. }
  assert (U := u64_positive).
  assert (B1 := rnd64_normal q). rewrite (Rabs_pos_eq q) in B1 by lra. specialize (B1 ltac:(lra)). split_abs B1.
  change (rnd64 q) with (rd64 q) in *.
  assert (P : u64 / 2 <= rd64 q) by (unfold u64 in *; lra).
  assert (B2 := rnd64_normal (rd64 q * (1 + 1 / 281474976710656))).
  rewrite (Rabs_pos_eq (rd64 q * _)) in B2 by lra. specialize (B2 ltac:(lra)). split_abs B2.
  change (rnd64 (rd64 q * (1 + 1 / 281474976710656))) with (rd64 (rd64 q * (1 + 1 / 281474976710656))) in *.
  unfold u64 in *. lra.
Qed.

Lemma componentwise_above (h : nat) : (1 <= h)%nat -> INR h <= 67108864 ->
  gamma h * gamma h <= rd64 (rd64 (gamma_bound (INR h) unit_roundoff_double * gamma_bound (INR h) unit_roundoff_double) * bound_slack).
Proof.
  intros H1 Hh. assert (G := gamma_bound_above h H1 Hh). set (b := gamma_bound (INR h) unit_roundoff_double) in *.
  assert (U := u64_positive). assert (I1 : 1 <= INR h) by (change 1 with (INR 1); now apply le_INR).
  assert (G0 : u64 <= gamma h).
  { unfold gamma. assert (INR h * u64 <= / 134217728) by (unfold u64 in *; lra).
    apply Rmult_le_reg_r with (1 - INR h * u64); [lra|].
    replace (INR h * u64 / (1 - INR h * u64) * (1 - INR h * u64)) with (INR h * u64) by (field; lra).
    assert (0 <= u64 * (INR h * u64)) by (repeat apply Rmult_le_pos; lra). nra. }
  assert (Q : gamma h * gamma h <= b * b) by (apply Rmult_le_compat; lra).
  assert (Q1 : u64 * u64 <= b * b) by (apply Rmult_le_compat; lra).
  assert (Small : normal64 <= u64 * u64 / 2).
  { rewrite u64_bpow. unfold Rdiv. change (/ 2) with (bpow radix2 (-1)). rewrite <- !bpow_plus. apply bpow_le. lia. }
  assert (Q2 : 0 < u64 * u64) by (unfold u64; lra).
  rewrite bound_slack_value. set (x := b * b) in *.
  assert (B1 := rnd64_normal x). rewrite (Rabs_pos_eq x) in B1 by lra. specialize (B1 ltac:(lra)). split_abs B1.
  change (rnd64 x) with (rd64 x) in *.
  assert (P : u64 * u64 / 2 <= rd64 x) by (unfold u64 in *; lra).
  assert (B2 := rnd64_normal (rd64 x * (1 + 1 / 281474976710656))).
  rewrite (Rabs_pos_eq (rd64 x * _)) in B2 by lra. specialize (B2 ltac:(lra)). split_abs B2.
  change (rnd64 (rd64 x * (1 + 1 / 281474976710656))) with (rd64 (rd64 x * (1 + 1 / 281474976710656))) in *.
  unfold u64 in *. lra.
Qed.

Lemma absolute_exact (n : Z) : (0 <= n <= 1099511627776)%Z ->
  rd64 (rd64 (IZR 5 * rd64 (IZR n)) * (IZR 1 * bpow radix2 (-1074))) = 5 * IZR n * bpow radix2 (-1074).
Proof.
  intros H. rewrite (integer_exact n) by lia. rewrite <- mult_IZR, (integer_exact (5 * n)) by lia. rewrite Rmult_1_l.
  apply rnd64_exact. apply integer_format; lia.
Qed.

(* What lib/numerics/bounds.hpp promises for a pair. *)
Definition within_bound (depth : R) (n : Z) (s c r magnitudes : R) : Prop :=
  let '(_, componentwise, absolute) := dot2_bound depth n unit_roundoff_double in
  Rabs (s + c - r) <= componentwise * magnitudes + absolute.

Lemma promised (h n : nat) (s c r a : R) : (1 <= h)%nat -> INR h <= 67108864 -> (Z.of_nat n <= 1099511627776)%Z -> 0 <= a ->
  Rabs (s + c - r) <= gamma h * gamma h * a + 5 * INR n * bpow radix2 (-1074) ->
  within_bound (INR h) (Z.of_nat n) s c r a.
Proof.
  intros H1 Hh Hn Ha B. unfold within_bound, dot2_bound. rewrite Req_bool_true by reflexivity.
  rewrite absolute_exact by lia. rewrite <- INR_IZR_INZ. eapply Rle_trans; [exact B|]. apply Rplus_le_compat_r.
  apply Rmult_le_compat_r; [exact Ha|]. now apply componentwise_above.
Qed.

(* Theorem: the bound of GEMV and GEMM for sums of up to 2^32 terms. The blocks hold k terms in all, each of them at
   most dot2_block. *)
Theorem dot2_gemm_bound (blocks : list (list (R * R))) : Forall formats blocks ->
  let k := Z.of_nat (length (concat blocks)) in
  (1 <= k <= 4294967296)%Z -> Z.of_nat (length blocks) = ceil_div k dot2_block ->
  Forall (fun b => (1 <= length b)%nat /\ (Z.of_nat (length b) <= dot2_block)%Z) blocks ->
  let (s, c) := dot2_chain blocks in
  within_bound (dot2_depth_gemm k) k s c (exact_sums blocks) (sums_of_magnitudes blocks).
Proof.
  intros F k Hk N L. set (m := Z.to_nat (if (k <? dot2_block)%Z then k else dot2_block)).
  assert (Hb : (1 <= dot2_block <= 1024)%Z) by (unfold dot2_block; lia).
  assert (Hm : (Z.of_nat m = if (k <? dot2_block)%Z then k else dot2_block)%Z).
  { unfold m. apply Z2Nat.id. destruct (k <? dot2_block)%Z; lia. }
  assert (Hl : forall b, In b blocks -> (length b <= length (concat blocks))%nat).
  { intros b Hi. clear -Hi. induction blocks as [|d blocks IH]; [contradiction|]. cbn [concat]. rewrite app_length.
    destruct Hi as [->|Hi]; [lia|]. specialize (IH Hi). lia. }
  assert (L' : Forall (fun b => (1 <= length b <= m)%nat) blocks).
  { rewrite Forall_forall in *. intros b Hi. destruct (L b Hi) as (L1 & L2). specialize (Hl b Hi). split; [exact L1|].
    apply Nat2Z.inj_le. rewrite Hm. unfold k in *. destruct (Z.ltb_spec (Z.of_nat (length (concat blocks))) dot2_block); lia. }
  assert (H1 : (1 <= m)%nat) by (apply Nat2Z.inj_le; rewrite Hm; destruct (Z.ltb_spec k dot2_block); lia).
  assert (Nk : (0 <= Z.of_nat (length blocks) <= 33554432)%Z).
  { split; [lia|]. rewrite N. unfold ceil_div. rewrite Z.quot_div_nonneg by lia.
    apply Z.le_trans with ((4294967296 + dot2_block - 1) / dot2_block)%Z; [apply Z.div_le_mono; lia|].
    vm_compute. discriminate. }
  assert (M2 : (Z.of_nat m <= 1024)%Z) by (rewrite Hm; destruct (Z.ltb_spec k dot2_block); lia).
  assert (D : dot2_depth_gemm k = INR (m + length blocks)).
  { unfold dot2_depth_gemm. rewrite <- Hm, <- N. rewrite (integer_exact (Z.of_nat m)), (integer_exact (Z.of_nat (length blocks))) by lia.
    rewrite <- plus_IZR, integer_exact by lia. now rewrite <- Nat2Z.inj_add, <- INR_IZR_INZ. }
  rewrite D. assert (Hh : INR (m + length blocks) <= 67108864).
  { rewrite INR_IZR_INZ. apply IZR_le. lia. }
  assert (B := chain_bound blocks m F L' H1 Hh). destruct (dot2_chain blocks) as (s, c).
  apply promised; auto; try lia. apply magnitudes_positive.
Qed.

(* DOT: lanes are combined by a tree. *)
Inductive lanes := Lane (terms : list (R * R)) | Combined (left right : lanes).
Fixpoint height (t : lanes) : nat := match t with Lane _ => 0 | Combined l r => S (Nat.max (height l) (height r)) end.
Fixpoint terms_of (t : lanes) : list (R * R) := match t with Lane l => l | Combined l r => terms_of r ++ terms_of l end.
Fixpoint pair_of (t : lanes) : R * R :=
  match t with Lane l => dot2_block_pair l | Combined l r => dot2_combine (pair_of l) (pair_of r) end.
Fixpoint lanes_hold (k : nat) (t : lanes) : Prop :=
  match t with Lane l => formats l /\ (length l <= k)%nat | Combined l r => lanes_hold k l /\ lanes_hold k r end.

Lemma exact_sum_app (l r : list (R * R)) : exact_sum (r ++ l) = exact_sum l + exact_sum r.
Proof. induction r as [|t r IH]; simpl; [unfold exact_sum; simpl; ring|]. unfold exact_sum in *. simpl. rewrite IH. ring. Qed.

Lemma sum_of_sizes_app (l r : list (R * R)) : sum_of_sizes (r ++ l) = sum_of_sizes l + sum_of_sizes r.
Proof. induction r as [|t r IH]; simpl; [unfold sum_of_sizes; simpl; ring|]. unfold sum_of_sizes in *. simpl. rewrite IH. ring. Qed.

Lemma lanes_known (t : lanes) (k : nat) : (1 <= k)%nat -> lanes_hold k t ->
  let (s, c) := pair_of t in
  known k (height t) s c (exact_sum (terms_of t)) (sum_of_sizes (terms_of t)) (length (terms_of t)).
Proof.
  intros Hk. induction t as [l|l IHl r IHr]; cbn [lanes_hold pair_of height terms_of].
  - intros (F & L). destruct l as [|t l].
    + unfold dot2_block_pair, exact_sum, sum_of_sizes. simpl. now apply zero_known.
    + apply block_known; [exact F|]. cbn [length] in *. lia.
  - intros (L & R). specialize (IHl L). specialize (IHr R).
    destruct (pair_of l) as (s1, c1), (pair_of r) as (s2, c2).
    apply (weaker k k (height l) (Nat.max (height l) (height r))) in IHl; [|lia|lia].
    apply (weaker k k (height r) (Nat.max (height l) (height r))) in IHr; [|lia|lia].
    assert (H := combine_known k _ _ _ _ _ _ _ _ _ _ _ Hk IHl IHr).
    destruct (dot2_combine (s1, c1) (s2, c2)) as (s, c).
    now rewrite exact_sum_app, sum_of_sizes_app, app_length, (Nat.add_comm (length (terms_of r))).
Qed.

(* Theorem: the bound of DOT for up to 2^40 elements: no lane of a block has more than dot2_dot_block / dot2_lanes terms,
   and the tree is as high as dot2_depth_dot counts. *)
Theorem dot2_dot_bound (t : lanes) : let n := Z.of_nat (length (terms_of t)) in
  (1 <= n <= 1099511627776)%Z -> lanes_hold (Z.to_nat (dot2_dot_block / dot2_lanes)) t ->
  (Z.of_nat (height t) <= ceil_log2 (ceil_div n dot2_dot_block) + ceil_log2 dot2_lanes)%Z ->
  (0 <= ceil_log2 (ceil_div n dot2_dot_block) <= 30)%Z ->
  let (s, c) := pair_of t in
  within_bound (IZR (dot2_depth_dot n)) n s c (exact_sum (terms_of t)) (sum_of_magnitudes (terms_of t)).
Proof.
  intros n Hn L Ht Hc. set (k := Z.to_nat (dot2_dot_block / dot2_lanes)) in *.
  assert (Ek : k = 32%nat) by reflexivity. assert (El : ceil_log2 dot2_lanes = 5%Z) by (vm_compute; reflexivity).
  set (m := Z.to_nat (ceil_log2 (ceil_div n dot2_dot_block) + 5)).
  assert (D : dot2_depth_dot n = Z.of_nat (k + m)).
  { unfold dot2_depth_dot. change (wraps 32 (Z.quot dot2_dot_block dot2_lanes)) with 32%Z. rewrite El.
    replace (n <=? 0)%Z with false by (symmetry; apply Z.leb_gt; lia).
    assert (P : (ceil_div n dot2_dot_block > 0)%Z).
    { unfold ceil_div, dot2_dot_block. rewrite Z.quot_div_nonneg by lia.
      assert (1 <= (n + 1024 - 1) / 1024)%Z; [|lia]. apply Z.div_le_lower_bound; lia. }
    cbv zeta. replace (ceil_div n dot2_dot_block >? 0)%Z with true by (symmetry; apply Z.gtb_lt; lia).
    unfold m. rewrite Nat2Z.inj_add, Z2Nat.id, Ek by lia. simpl (Z.of_nat 32). lia. }
  assert (H := lanes_known t k ltac:(lia) L). destruct (pair_of t) as (s, c).
  apply (weaker k k (height t) m) in H; [|lia|unfold m; rewrite El in Ht; lia].
  rewrite D, <- INR_IZR_INZ. rewrite sum_of_sizes_value in H.
  assert (Hh : INR (k + m) <= 67108864) by (rewrite INR_IZR_INZ; apply IZR_le; unfold m; lia).
  assert (Ha : 0 <= sum_of_magnitudes (terms_of t)).
  { assert (P := magnitudes_positive (terms_of t :: nil)). change (0 <= 0 + sum_of_magnitudes (terms_of t)) in P. lra. }
  assert (H1 : (1 <= k)%nat) by lia. apply promised; auto; try lia. exact (known_bound _ _ _ _ _ _ _ H1 Hh H Ha).
Qed.
