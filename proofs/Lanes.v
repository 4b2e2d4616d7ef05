(* Ziv's test of vectors, lib/cpu/kernels/round.cpp, for a lane. Real numbers stand for doubles. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core Mult_error.
From Proofs Require Import Semantics Floats LanesSource.

Open Scope R_scope.

(* What is known of a sum X without a middle part: 30 operations on low parts are rounded, none with a larger result than lows. *)
Definition sum_holds (x high low lows error inexact : R) : Prop :=
  Rabs low <= lows /\ 0 <= error /\ 0 <= inexact /\
  Rabs (x - (high + low)) <= error * (1 + / 2 ^ 40) + 30 * (1.001 * u64 * lows) + bpow radix2 (-1010) /\
  (inexact = 0 -> lows = 0 -> x = high + low).

Lemma small_powers : 1024 * bpow radix2 (-1010) = bpow radix2 (-1000) /\ 0 < bpow radix2 (-1010) /\ 4096 * normal64 <= bpow radix2 (-1010) /\ 0 < normal64.
Proof.
  assert (N := normal64_positive). split; [|split; [apply bpow_gt_0|split; [|exact N]]].
  - change 1024 with (bpow radix2 10). rewrite <- bpow_plus. reflexivity.
  - change 4096 with (bpow radix2 12). unfold normal64. rewrite <- bpow_plus. apply bpow_le. lia.
Qed.

Lemma below_sum (x y : R) : format64 x -> 0 <= y -> x <= rnd64 (x + y).
Proof. intros Fx H. rewrite <- (rnd64_exact x Fx) at 1. apply rnd64_le. lra. Qed.

(* The width of the interval. *)
Lemma width_value (x high middle low lows error inexact more : R) : format64 lows -> format64 inexact -> format64 error -> format64 more -> 0 <= more ->
  sum_holds x high low lows error inexact ->
  let w := snd (interval_of high middle low lows error inexact more) in
  fst (interval_of high middle low lows error inexact more) = (high, low) /\ format64 w /\
  ((w = 0 /\ x = high + low /\ low = 0) \/
   (0 <= w /\ Rabs (x - (high + low)) + 1.9 * u64 * Rabs low + 0.9 * (u64 * lows) + 0.5 * bpow radix2 (-1000) + more * (1 - 12 * u64) <= w * (1 - 8 * u64))).
Proof.
  intros Fl Fi Fe Fm Hm (Hl & He & Hi & Hx & Ex). unfold interval_of, add_lanes, mul_lanes, where_greater, zero, rd64. cbv zeta. cbn [fst snd]. split; [reflexivity|].
  set (i := rnd64 (inexact + lows)). assert (Pl : 0 <= lows) by (assert (P := Rabs_pos low); lra).
  destruct (Rlt_bool_spec 0 i) as [Q|Q].
  2: { rewrite Rmult_0_r, (rnd64_exact 0) by apply generic_format_0. split; [apply generic_format_0|]. left. split; [reflexivity|].
       assert (I0 := below_sum inexact lows Fi Pl). assert (L0 := below_sum lows inexact Fl Hi). rewrite Rplus_comm in L0. fold i in I0, L0. assert (Lz : lows = 0) by lra. split; [apply Ex; lra|].
       rewrite Lz in Hl. destruct (Req_dec low 0) as [W|W]; [exact W|]. apply Rabs_pos_lt in W. lra. }
  split; [apply rnd64_format|]. right. rewrite (rnd64_exact (IZR 1 + IZR 1 / IZR 1073741824)).
  2: { replace (IZR 1 + IZR 1 / IZR 1073741824) with (F2R (Float radix2 1073741825 (-30))) by (unfold F2R; simpl; lra). apply generic_format_FLT. exists (Float radix2 1073741825 (-30)); [reflexivity | simpl; lia | simpl; lia]. }
  destruct small_powers as (P1 & P2 & P3 & P4). assert (Pw := Rabs_pos low).
  set (m1 := rnd64 (lows * (IZR 1 / IZR 281474976710656))). set (m2 := rnd64 (Rabs low * (IZR 1 / IZR 4503599627370496))).
  assert (N1 : 0 <= m1) by (apply rnd64_nonnegative; lra). assert (N2 : 0 <= m2) by (apply rnd64_nonnegative; lra).
  assert (B1 := rnd64_error (lows * (IZR 1 / IZR 281474976710656))). fold m1 in B1. rewrite (Rabs_pos_eq (lows * _)) in B1 by lra.
  assert (B2 := rnd64_error (Rabs low * (IZR 1 / IZR 4503599627370496))). fold m2 in B2. rewrite (Rabs_pos_eq (Rabs low * _)) in B2 by lra.
  assert (F1 : format64 m1) by apply rnd64_format. assert (F2 : format64 m2) by apply rnd64_format.
  assert (B3 := rnd64_sum m1 m2 F1 F2). rewrite (Rabs_pos_eq (m1 + m2)) in B3 by lra. set (m3 := rnd64 (m1 + m2)) in *. assert (N3 : 0 <= m3) by (apply rnd64_nonnegative; lra).
  assert (F3 : format64 m3) by apply rnd64_format.
  assert (B4 := rnd64_sum error m3 Fe F3). rewrite (Rabs_pos_eq (error + m3)) in B4 by lra. set (m4 := rnd64 (error + m3)) in *. assert (N4 : 0 <= m4) by (apply rnd64_nonnegative; lra).
  assert (B5 := rnd64_error (m4 * (IZR 1 + IZR 1 / IZR 1073741824))). rewrite (Rabs_pos_eq (m4 * _)) in B5 by lra. set (m5 := rnd64 (m4 * _)) in *. assert (N5 : 0 <= m5) by (apply rnd64_nonnegative; lra).
  assert (F5 : format64 m5) by apply rnd64_format.
  assert (F0 : format64 (IZR 1 * bpow radix2 (-1000))) by (rewrite Rmult_1_l; apply format64_bpow; lia).
  assert (B6 := rnd64_sum _ more F0 Fm). rewrite (Rabs_pos_eq (_ + more)) in B6 by lra. set (m6 := rnd64 (_ + more)) in *. assert (F6 : format64 m6) by apply rnd64_format.
  assert (N6 : 0 <= m6) by (apply rnd64_nonnegative; lra).
  assert (B7 := rnd64_sum m5 m6 F5 F6). rewrite (Rabs_pos_eq (m5 + m6)) in B7 by lra. set (w := rnd64 (m5 + m6)) in *.
  split_abs B1. split_abs B2. split_abs B3. split_abs B4. split_abs B5. split_abs B6. split_abs B7. split; [apply rnd64_nonnegative; lra|].
  assert (G3 : (31.999 * u64 * lows + 1.999 * u64 * Rabs low) - 3 * u64 * normal64 <= m3) by (unfold u64 in *; lra).
  assert (G5 : (error + (31.999 * u64 * lows + 1.999 * u64 * Rabs low)) * (1 + / 2 ^ 31) - 8 * u64 * normal64 <= m5) by (unfold u64 in *; lra).
  unfold u64 in *. lra.
Qed.

Lemma width_opposite (x high middle low lows error inexact more : R) :
  snd (interval_of (- high) middle (- low) lows error inexact more) = snd (interval_of high middle low lows error inexact more).
Proof. unfold interval_of. cbv zeta. cbn [snd]. now rewrite Rabs_Ropp. Qed.

Lemma sum_opposite (x high low lows error inexact : R) : sum_holds x high low lows error inexact -> sum_holds (- x) (- high) (- low) lows error inexact.
Proof.
  intros (A & B & C & D & E). unfold sum_holds. rewrite Rabs_Ropp. replace (- x - (- high + - low)) with (- (x - (high + low))) by ring. rewrite Rabs_Ropp.
  repeat split; auto. intros I L. rewrite (E I L). ring.
Qed.

Lemma upper_lane64 (x high middle low lows error inexact : R) : format64 low -> format64 lows -> format64 inexact -> format64 error ->
  sum_holds x high low lows error inexact -> let w := snd (interval_of high middle low lows error inexact zero) in rnd64 x <= rnd64 (high + rnd64 (low + w)).
Proof.
  intros Fl Fs Fi Fe H w. destruct (width_value x high middle low lows error inexact zero Fs Fi Fe (generic_format_0 _ _) (Rle_refl 0) H) as (_ & Fw & W). fold w in Fw, W.
  apply rnd64_le. destruct W as [(-> & -> & _)|(W0 & W)]; [rewrite Rplus_0_r, (rnd64_exact low Fl); lra|].
  assert (B := rnd64_sum low w Fl Fw). assert (T := Rabs_triang low w). rewrite (Rabs_pos_eq w) in T by exact W0. split_abs B.
  destruct small_powers as (P1 & P2 & P3 & P4). destruct H as (Hl & _). assert (Q := Rle_abs (x - (high + low))). assert (Pw := Rabs_pos low). unfold zero in W. unfold u64 in *. lra.
Qed.

(* Theorem: equal ends of doubles are RN of the sum. *)
Theorem lanes64_correct (x high middle low lows error inexact sum v : R) : format64 low -> format64 lows -> format64 inexact -> format64 error ->
  sum_holds x high low lows error inexact -> ends64 high middle low lows error inexact sum = (v, v) -> v = rnd64 x.
Proof.
  intros Fl Fs Fi Fe H E. assert (U := upper_lane64 x high middle low lows error inexact Fl Fs Fi Fe H).
  assert (L := upper_lane64 (- x) (- high) middle (- low) lows error inexact (format64_opp _ Fl) Fs Fi Fe (sum_opposite _ _ _ _ _ _ H)).
  cbv zeta in U, L. rewrite width_opposite in L by exact x. unfold ends64 in E. cbn [Z.eqb Pos.eqb] in E. cbv zeta in E. apply pair_equal_spec in E. destruct E as [E1 E2].
  set (i := interval_of high middle low lows error inexact zero) in *. assert (Fst : fst i = (high, low)) by reflexivity. rewrite Fst in E1, E2. cbn [fst snd] in E1, E2.
  unfold add_lanes, sub_lanes, rd64 in E1, E2. set (w := snd i) in *.
  replace (- low + w) with (- (low - w)) in L by ring. rewrite (rnd64_opp (low - w)) in L. replace (- high + - rnd64 (low - w)) with (- (high + rnd64 (low - w))) in L by ring.
  rewrite !rnd64_opp in L. lra.
Qed.

Lemma upper_lane32 (x high middle low lows error inexact : R) : format64 high -> format64 low -> format64 lows -> format64 inexact -> format64 error ->
  sum_holds x high low lows error inexact -> let w := snd (interval_of high middle low lows error inexact (rnd64 (Rabs high * (1 / 2251799813685248)))) in
  x <= rnd64 (high + rnd64 (low + w)).
Proof.
  intros Fh Fl Fs Fi Fe H w. set (more := rnd64 (Rabs high * (1 / 2251799813685248))) in *. assert (Ph := Rabs_pos high).
  assert (M0 : 0 <= more) by (apply rnd64_nonnegative; lra).
  destruct (width_value x high middle low lows error inexact more Fs Fi Fe (rnd64_format _) M0 H) as (_ & Fw & W). fold w in Fw, W.
  destruct W as [(-> & -> & Lz)|(W0 & W)]; [rewrite Lz, !Rplus_0_r, (rnd64_exact 0), Rplus_0_r, (rnd64_exact high Fh) by apply generic_format_0; lra|].
  assert (Bm := rnd64_error (Rabs high * (1 / 2251799813685248))). fold more in Bm. rewrite (Rabs_pos_eq (Rabs high * _)) in Bm by lra.
  assert (B := rnd64_sum low w Fl Fw). assert (T := Rabs_triang low w). rewrite (Rabs_pos_eq w) in T by exact W0. set (t := rnd64 (low + w)) in *.
  assert (Ft : format64 t) by apply rnd64_format. assert (B2 := rnd64_sum high t Fh Ft). assert (T2 := Rabs_triang high t).
  assert (T3 : Rabs t <= Rabs low + w + u64 * (Rabs low + w)).
  { replace t with ((t - (low + w)) + (low + w)) by ring. eapply Rle_trans; [apply Rabs_triang|]. unfold u64 in *. lra. }
  split_abs B. split_abs B2. split_abs Bm. destruct small_powers as (P1 & P2 & P3 & P4). destruct H as (Hl & _). assert (Q := Rle_abs (x - (high + low))).
  assert (Pw := Rabs_pos low). unfold u64 in *. lra.
Qed.

(* Theorem: equal ends of floats are RN of the sum. *)
Theorem lanes32_correct (x high middle low lows error inexact sum v : R) : format64 high -> format64 low -> format64 lows -> format64 inexact -> format64 error ->
  sum_holds x high low lows error inexact -> ends32 high middle low lows error inexact sum = (v, v) -> v = rnd32 x.
Proof.
  intros Fh Fl Fs Fi Fe H E. assert (U := upper_lane32 x high middle low lows error inexact Fh Fl Fs Fi Fe H).
  assert (L := upper_lane32 (- x) (- high) middle (- low) lows error inexact (format64_opp _ Fh) (format64_opp _ Fl) Fs Fi Fe (sum_opposite _ _ _ _ _ _ H)).
  cbv zeta in U, L. rewrite width_opposite in L by exact x. rewrite Rabs_Ropp in L. unfold ends32 in E. cbn [Z.eqb Pos.eqb] in E. cbv zeta in E.
  unfold mul_lanes at 1 2 3 4 in E. unfold rd64 at 1 2 3 4 in E.
  set (i := interval_of high middle low lows error inexact (rnd64 (Rabs high * (1 / 2251799813685248)))) in *. apply pair_equal_spec in E. destruct E as [E1 E2].
  assert (Fst : fst i = (high, low)) by reflexivity. rewrite Fst in E1, E2. cbn [fst snd] in E1, E2.
  unfold add_lanes, sub_lanes, rd64, rd32 in E1, E2. set (w := snd i) in *.
  replace (- low + w) with (- (low - w)) in L by ring. rewrite (rnd64_opp (low - w)) in L. replace (- high + - rnd64 (low - w)) with (- (high + rnd64 (low - w))) in L by ring.
  rewrite rnd64_opp in L. assert (L' : rnd64 (high + rnd64 (low - w)) <= x) by lra.
  assert (A : rnd32 x <= v) by (rewrite <- E2; apply round_le; [typeclasses eauto | typeclasses eauto | exact U]).
  assert (B : v <= rnd32 x) by (rewrite <- E1; apply round_le; [typeclasses eauto | typeclasses eauto | exact L']). lra.
Qed.
