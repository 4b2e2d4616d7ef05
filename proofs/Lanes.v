(* Ziv's test of vectors, lib/cpu/kernels/round.cpp, for a lane. Real numbers stand for doubles. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core Mult_error Plus_error.
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

(* An operation's error by its result. *)
Lemma operation_error (y m : R) : Rabs (rnd64 y) <= m -> Rabs (y - rnd64 y) <= 1.0005 * (u64 * m) + 2 * (u64 * normal64).
Proof.
  intros H. assert (B := rnd64_error y). rewrite Rabs_minus_sym. assert (T : Rabs y <= Rabs (rnd64 y) + Rabs (rnd64 y - y)).
  { replace y with (rnd64 y - (rnd64 y - y)) at 1 by ring. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
  assert (P := Rabs_pos (rnd64 y)). assert (P4 := normal64_positive). unfold u64 in *. lra.
Qed.

Lemma rnd64_abs_le (x y : R) : Rabs x <= y -> Rabs (rnd64 x) <= rnd64 y.
Proof. intros H. rewrite <- (round_NE_abs radix2 fexp64). now apply rnd64_le. Qed.

(* The error of a product is a double, or underflows. *)
Lemma product_error (f a : R) : format64 f -> format64 a -> let p := rnd64 (f * a) in let low := rnd64 (f * a - p) in
  Rabs (f * a - p - low) <= u64 * normal64 /\ (bpow radix2 (-900) <= Rabs p -> f * a - p - low = 0).
Proof.
  intros Ff Fa p low. destruct (Rle_or_lt (bpow radix2 (-969)) (Rabs (f * a))) as [L|L].
  - assert (E : low = f * a - p).
    { apply rnd64_exact. replace (f * a - p) with (- (p - f * a)) by ring. apply format64_opp. apply mult_error_FLT; try typeclasses eauto; auto. }
    rewrite E. replace (f * a - p - (f * a - p)) with 0 by ring. rewrite Rabs_R0. split; [|reflexivity]. apply Rmult_le_pos; [unfold u64; lra | assert (N := normal64_positive); lra].
  - assert (B := rnd64_below (-969) (f * a) ltac:(lia) L). fold p in B. assert (C : Rabs (f * a - p) < bpow radix2 (-1021)).
    { rewrite Rabs_minus_sym. eapply Rle_lt_trans; [exact B|]. rewrite u64_bpow, <- bpow_plus. apply bpow_lt. lia. }
    assert (D := rnd64_below (-1021) (f * a - p) ltac:(lia) C). fold low in D. rewrite Rabs_minus_sym in D. split; [exact D|].
    intros H. exfalso. apply (Rlt_not_le _ _ (bpow_lt radix2 (-969) (-900) ltac:(lia))). eapply Rle_trans; [exact H|].
    apply abs_round_le_generic; try typeclasses eauto; [apply format64_bpow; lia | lra].
Qed.

(* What holds of a sum after n roundings of low parts; `given` bounds the errors of the parts. *)
Definition after (n given x high low lows inexact : R) : Prop :=
  Rabs low <= lows /\ 0 <= inexact /\ Rabs (x - (high + low)) <= given + n * (1.001 * (u64 * lows)) + n * (8 * (u64 * normal64)) /\ (inexact = 0 -> lows = 0 -> x = high + low).

(* Theorem: add_term adds factor (first + rest) with four roundings. *)
Theorem add_term_adds (n given x high middle low lows error inexact factor first rest : R) : 0 <= n ->
  format64 high -> format64 lows -> format64 inexact -> format64 factor -> format64 first -> format64 rest -> after n given x high low lows inexact ->
  exists high' low' lows' inexact', add_term high middle low lows error inexact factor first rest = (high', middle, low', lows', error, inexact') /\
    format64 high' /\ format64 low' /\ format64 lows' /\ format64 inexact' /\ (Rabs (rnd64 (factor * rest)) <= lows' /\ lows <= lows' /\ inexact <= inexact' /\ Rabs rest <= inexact') /\ after (n + 4) given (x + factor * (first + rest)) high' low' lows' inexact'.
Proof.
  intros Hn Fh Fl Fi Ff Fa Fr (Hl & Hi & Hx & Ex). unfold add_term, add_lanes, mul_lanes, fms_lanes, where_greater, sum_error, zero, rd64. cbv zeta. rewrite Rmult_1_l.
  destruct (product_error factor first Ff Fa) as (Pe & Px). cbv zeta in Pe, Px.
  set (p := rnd64 (factor * first)) in *. set (pl := rnd64 (factor * first - p)) in *. set (h := rnd64 (high + p)). set (sl := high + p - h). set (tail := rnd64 (factor * rest)).
  set (a := rnd64 (pl + tail)). set (b := rnd64 (sl + a)). set (low' := rnd64 (low + b)).
  set (ma := rnd64 (Rabs pl + Rabs tail)). set (mb := rnd64 (Rabs sl + ma)). set (lows' := rnd64 (lows + mb)).
  set (under := if Rlt_bool (Rabs p) (bpow radix2 (-900)) then Rabs first else 0). set (flag := rnd64 (Rabs rest + under)). set (inexact' := rnd64 (inexact + flag)).
  assert (P0 := Rabs_pos low). assert (P1 := Rabs_pos pl). assert (P2 := Rabs_pos tail). assert (P3 := Rabs_pos sl). assert (P4 := Rabs_pos rest).
  assert (Fabs : forall y, format64 y -> format64 (Rabs y)) by (intros; now apply generic_format_abs).
  assert (Ma : Rabs a <= ma) by (apply rnd64_abs_le, Rabs_triang).
  assert (Mb : Rabs b <= mb) by (apply rnd64_abs_le; eapply Rle_trans; [apply Rabs_triang|]; lra).
  assert (Ml : Rabs low' <= lows') by (apply rnd64_abs_le; eapply Rle_trans; [apply Rabs_triang|]; lra).
  assert (Q0 : 0 <= ma) by (apply rnd64_nonnegative; lra). assert (Q1 : 0 <= mb) by (apply rnd64_nonnegative; lra).
  assert (T1 : Rabs tail <= ma) by (unfold ma; rewrite Rplus_comm; apply below_sum; [apply Fabs, rnd64_format | lra]).
  assert (T2 : ma <= mb) by (unfold mb; rewrite Rplus_comm; apply below_sum; [apply rnd64_format | lra]).
  assert (T3 : mb <= lows') by (unfold lows'; rewrite Rplus_comm; apply below_sum; [apply rnd64_format | lra]).
  assert (T4 : lows <= lows') by (apply below_sum; [exact Fl | lra]).
  assert (U0 : 0 <= under) by (unfold under; destruct (Rlt_bool _ _); [apply Rabs_pos | lra]).
  assert (Fu : format64 under) by (unfold under; destruct (Rlt_bool _ _); [now apply Fabs | apply generic_format_0]).
  assert (G0 : 0 <= flag) by (apply rnd64_nonnegative; lra). assert (I0 : 0 <= inexact') by (apply rnd64_nonnegative; lra).
  assert (I1 : inexact <= inexact') by (apply below_sum; [exact Fi | lra]).
  assert (I2 : Rabs rest <= inexact').
  { apply Rle_trans with flag; [apply below_sum; [now apply Fabs | exact U0] | unfold inexact'; rewrite Rplus_comm; apply below_sum; [apply rnd64_format | exact Hi]]. }
  exists h, low', lows', inexact'. split; [reflexivity|]. do 4 (split; [apply rnd64_format|]). split; [fold tail; repeat split; lra|]. split; [exact Ml|]. split; [exact I0|].
  assert (Split : x + factor * (first + rest) - (h + low') = (x - (high + low)) + (factor * first - p - pl) + (factor * rest - tail) + (pl + tail - a) + (sl + a - b) + (low + b - low')) by (unfold sl; ring).
  split.
  - rewrite Split. assert (O1 := operation_error (factor * rest) lows' ltac:(fold tail; lra)). assert (O2 := operation_error (pl + tail) lows' ltac:(fold a; lra)).
    assert (O3 := operation_error (sl + a) lows' ltac:(fold b; lra)). assert (O4 := operation_error (low + b) lows' ltac:(fold low'; lra)).
    fold tail in O1. fold a in O2. fold b in O3. fold low' in O4.
    assert (Step : n * (1.001 * (u64 * lows)) <= n * (1.001 * (u64 * lows'))) by (apply Rmult_le_compat_l; [exact Hn | unfold u64; lra]).
    assert (N := normal64_positive). assert (Un : 0 < u64 * normal64) by (apply Rmult_lt_0_compat; [unfold u64; lra | exact N]).
    assert (Ul : 0 <= u64 * lows') by (apply Rmult_le_pos; [unfold u64 |]; lra).
    split_abs Hx. split_abs Pe. split_abs O1. split_abs O2. split_abs O3. split_abs O4. apply Rabs_le. split; lra.
  - intros Zi Zl. assert (Z1 : inexact <= inexact') by (apply below_sum; [exact Fi | lra]).
    assert (Z2 : flag <= inexact') by (unfold inexact'; rewrite Rplus_comm; apply below_sum; [apply rnd64_format | lra]).
    assert (Z3 : Rabs rest <= flag) by (apply below_sum; [now apply Fabs | lra]). assert (Z4 : under <= flag) by (unfold flag; rewrite Rplus_comm; apply below_sum; [exact Fu | lra]).
    assert (Zero : forall y, Rabs y <= 0 -> y = 0) by (intros y Hy; destruct (Req_dec y 0) as [W|W]; [exact W | apply Rabs_pos_lt in W; lra]).
    assert (R0 : rest = 0) by (apply Zero; lra).
    assert (S1 : Rabs sl <= mb).
    { unfold mb. apply below_sum; [|lra]. apply Fabs. unfold sl. replace (high + p - h) with (- (h - (high + p))) by ring. apply format64_opp. unfold h. apply plus_error; try typeclasses eauto; [exact Fh | apply rnd64_format]. }
    assert (S2 : Rabs pl <= ma) by (apply below_sum; [apply Fabs, rnd64_format | lra]).
    rewrite (Zero low') by lra. rewrite R0, !Rplus_0_r. rewrite (Ex ltac:(lra) ltac:(lra)). rewrite (Zero low) by lra.
    assert (Sz : sl = 0) by (apply Zero; lra). assert (Pz : pl = 0) by (apply Zero; lra).
    assert (Ep : factor * first = p).
    { unfold under in *. destruct (Rlt_bool_spec (Rabs p) (bpow radix2 (-900))) as [W|W].
      - assert (F0 : first = 0) by (apply Zero; lra). unfold p. rewrite F0, Rmult_0_r, (rnd64_exact 0) by apply generic_format_0. reflexivity.
      - specialize (Px W). lra. }
    rewrite Ep. unfold sl in Sz. lra.
Qed.

(* Up to seven terms of four roundings each are what the test of a lane needs. *)
Lemma after_holds (n given x high low lows error inexact : R) : 0 <= n <= 30 -> 0 <= error -> given <= error * (1 + / 2 ^ 40) ->
  after n given x high low lows inexact -> sum_holds x high low lows error inexact.
Proof.
  intros Hn He Hg (A & B & C & D). split; [exact A|]. split; [exact He|]. split; [exact B|]. split; [|exact D]. destruct small_powers as (P1 & P2 & P3 & P4).
  assert (Pl : 0 <= lows) by (assert (P := Rabs_pos low); lra). assert (Ul : 0 <= 1.001 * (u64 * lows)) by (assert (Q : 0 <= u64 * lows) by (apply Rmult_le_pos; [unfold u64; lra | exact Pl]); lra).
  assert (Un : 0 <= 8 * (u64 * normal64)) by (assert (Q : 0 <= u64 * normal64) by (apply Rmult_le_pos; [unfold u64; lra | lra]); lra).
  assert (S1 : n * (1.001 * (u64 * lows)) <= 30 * (1.001 * (u64 * lows))) by (apply Rmult_le_compat_r; lra).
  assert (S2 : n * (8 * (u64 * normal64)) <= 30 * (8 * (u64 * normal64))) by (apply Rmult_le_compat_r; lra). unfold u64 in *. lra.
Qed.
