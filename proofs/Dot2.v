(* Dot2 in the order of docs/modes.md: the bound of the pair (s, c). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core Plus_error Mult_error.
From Proofs Require Import Semantics Floats.

Open Scope R_scope.

Notation w := (1 + u64).
Notation eta := (bpow radix2 (-1075)).

(* The invariant of a pair (s, c) after at most j steps and m combinations in a row. r is the exact sum of its terms, a
   bounds the sum of abs(x y), and n counts the terms. *)
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
