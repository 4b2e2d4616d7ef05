(* The divisions of lib/cpu/kernels/round.cpp: dividend_of and add_product, for a lane. Real numbers stand for doubles. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core Mult_error Plus_error.
From Proofs Require Import Semantics Floats Eft Sums LanesSource Lanes Careful.

Open Scope R_scope.

(* What is known of a dividend X by (high, low, wide), and of a reciprocal f by (high, low, error). *)
Definition dividend_known (x high low wide : R) : Prop := format64 high /\ format64 low /\ format64 wide /\ 0 <= wide /\ Rabs low <= 1.01 * (u64 * Rabs high) /\ Rabs (x - (high + low)) <= wide.
Definition factor_known (f high low error : R) : Prop := format64 high /\ format64 low /\ format64 error /\ (high = 0 \/ bpow radix2 (-900) <= Rabs high) /\ Rabs low <= 1.01 * (u64 * Rabs high) /\
  0 <= error /\ Rabs (f - (high + low)) <= error.
(* The product of both errors is below 2^-49 of what the code counts: so it is if one of them is below 2^-49 of its number. *)
Definition errors_small (high error yh yw : R) : Prop := error * yw <= (error * Rabs yh + Rabs high * yw) * / 2 ^ 49.

Lemma dividend_right (x high middle low lows error inexact : R) : format64 high -> format64 low -> format64 lows -> format64 error -> format64 inexact -> sum_holds x high low lows error inexact ->
  let '(yh, yl, yw) := dividend_of high middle low lows error inexact in dividend_known x yh yl yw.
Proof.
  intros Fh Fl Fs Fe Fi H. unfold dividend_of. cbv zeta. destruct (width_value x high middle low lows error inexact zero Fs Fi Fe (generic_format_0 _ _) (Rle_refl 0) H) as (E & Fw & W). rewrite E. cbn [fst snd].
  set (w := snd _) in *. clearbody w. unfold add_lanes, sum_error. change (rd64 (high + low)) with (rnd64 (high + low)). set (s := rnd64 (high + low)). assert (B := rnd64_sum high low Fh Fl). fold s in B.
  assert (T : Rabs (high + low) <= Rabs s + Rabs (s - (high + low))) by (replace (high + low) with (s + - (s - (high + low))) at 1 by ring; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra).
  assert (P := Rabs_pos s). assert (P2 := Rabs_pos (high + low)). split; [apply rnd64_format|]. split; [now apply error_format|]. split; [exact Fw|].
  assert (L : Rabs (high + low - s) <= 1.01 * (u64 * Rabs s)) by (replace (high + low - s) with (- (s - (high + low))) by ring; rewrite Rabs_Ropp; unfold u64 in *; lra).
  replace (x - (s + (high + low - s))) with (x - (high + low)) by ring. destruct W as [(-> & -> & _)|(W0 & W)]; [split; [lra|]; split; [exact L|]; rewrite (Rminus_diag_eq (high + low) (high + low)), Rabs_R0 by reflexivity; lra|].
  assert (Q1 := Rabs_pos low). assert (Q2 := Rabs_pos (x - (high + low))). destruct H as (Hl & _). assert (B0 := bpow_gt_0 radix2 (-1000)). unfold zero in W. split; [exact W0|]. split; [exact L|]. unfold u64 in *. lra.
Qed.

(* One product: seven roundings, and an error that grows by 2^-44 of itself. *)
Lemma product_step (n given K x h l ls er ix f fh fl fe v yh yl yw : R) : 0 <= n -> 0 <= K <= / 2 ^ 42 -> factor_known f fh fl fe -> dividend_known v yh yl yw -> errors_small fh fe yh yw -> good n given x (h, 0, l, ls, er, ix) -> given <= er * (1 + K) ->
  exists h' l' ls' er' ix', add_product h 0 l ls er ix fh fl fe yh yl yw = (h', 0, l', ls', er', ix') /\
    good (n + 7) (er' * (1 + (K + / 2 ^ 44))) (x + f * v) (h', 0, l', ls', er', ix').
Proof.
  intros Hn HK (Ffh & Ffl & Ffe & Lf & Lfl & Lfe & Hf) (Fyh & Fyl & Fyw & Pw & Lyl & Hv) Sm G Hg. assert (G0 := G). destruct G0 as (F1 & _ & F3 & F4 & F5 & F6 & Pe & A). rewrite Rminus_0_r in A.
  destruct (add_term_adds n given x h 0 l ls er ix fh yh yl Hn F1 F4 F6 Ffh Fyh Fyl A) as (h1 & l1 & ls1 & ix1 & E & Fh1 & Fl1 & Fs1 & Fi1 & (T1 & T2 & T3 & T4) & A1).
  assert (Under : ix1 = rnd64 (ix + rnd64 (Rabs yl + (if Rlt_bool (Rabs (rnd64 (fh * yh))) (IZR 1 * bpow radix2 (-900)) then Rabs yh else zero)))) by (apply (f_equal snd) in E; exact (eq_sym E)).
  unfold add_product. rewrite E. cbv iota beta zeta. assert (G1 : good (n + 4) given (x + fh * (yh + yl)) (h1, 0, l1, ls1, er, ix1)) by (do 7 (split; [assumption || apply generic_format_0|]); now rewrite Rminus_0_r).
  unfold mul_lanes, add_lanes, rd64. set (tail := rnd64 (fl * yh)). destruct (low_added (n + 4) given _ h1 0 l1 ls1 er ix1 tail ltac:(lra) (rnd64_format _) G1) as (l2 & ls2 & E2 & G2 & S1 & S2).
  unfold add_to_low, add_lanes, rd64 in E2. cbv zeta in E2. injection E2 as El Es. rewrite El, Es. replace (IZR 1 * bpow radix2 (-104)) with (bpow radix2 (-104)) by ring.
  set (A0 := Rabs fh * Rabs yh). assert (Pf := Rabs_pos fh). assert (Py := Rabs_pos yh). assert (PA : 0 <= A0) by now apply Rmult_le_pos. assert (Un := tiny_positive).
  assert (R1 : rnd64 (Rabs fh * bpow radix2 (-104)) = Rabs fh * (4 * (u64 * u64))).
  { rewrite rnd64_exact.
    - f_equal. rewrite u64_bpow. change 4 with (bpow radix2 2). rewrite <- !bpow_plus. reflexivity.
    - apply format64_scaled; [now apply generic_format_abs|]. destruct Lf as [->|Lf]; [left; apply Rabs_R0 | right]. rewrite Rabs_Rabsolu. apply Rle_trans with (bpow radix2 (-900) * bpow radix2 (-104)); [rewrite <- bpow_plus; apply bpow_le; lia | apply Rmult_le_compat_r; [apply bpow_ge_0 | exact Lf]]. }
  assert (Fr : format64 (Rabs fh * (4 * (u64 * u64)))) by (rewrite <- R1; apply rnd64_format). rewrite R1. set (c := rnd64 (fe + Rabs fh * (4 * (u64 * u64)))). assert (Uu : 0 <= Rabs fh * (4 * (u64 * u64))) by (apply Rmult_le_pos; [exact Pf | unfold u64; lra]).
  assert (C : (1 - u64) * (fe + Rabs fh * (4 * (u64 * u64))) <= c) by (assert (B := rnd64_sum fe _ Ffe Fr); fold c in B; rewrite (Rabs_pos_eq (fe + _)) in B by lra; split_abs B; lra).
  assert (C0 : 0 <= c) by (apply rnd64_nonnegative; lra). assert (Cy : (1 - u64) * (fe * Rabs yh + 4 * (u64 * (u64 * A0))) <= Rabs yh * c).
  { replace ((1 - u64) * (fe * Rabs yh + 4 * (u64 * (u64 * A0)))) with (Rabs yh * ((1 - u64) * (fe + Rabs fh * (4 * (u64 * u64))))) by (unfold A0; ring). now apply Rmult_le_compat_l. }
  set (p1 := rnd64 (Rabs yh * c)). set (p2 := rnd64 (Rabs fh * yw)). set (e := rnd64 (p1 + p2)). assert (Yc : 0 <= Rabs yh * c) by now apply Rmult_le_pos. assert (Fw : 0 <= Rabs fh * yw) by now apply Rmult_le_pos.
  assert (B1 := rnd64_error (Rabs yh * c)). fold p1 in B1. rewrite (Rabs_pos_eq (Rabs yh * c)) in B1 by exact Yc. assert (B2 := rnd64_error (Rabs fh * yw)). fold p2 in B2. rewrite (Rabs_pos_eq (Rabs fh * yw)) in B2 by exact Fw.
  assert (P1 : 0 <= p1) by now apply rnd64_nonnegative. assert (P2 : 0 <= p2) by now apply rnd64_nonnegative. assert (B3 := rnd64_sum p1 p2 (rnd64_format _) (rnd64_format _)). fold e in B3. rewrite (Rabs_pos_eq (p1 + p2)) in B3 by lra. assert (E0 : 0 <= e) by (apply rnd64_nonnegative; lra).
  split_abs B1. split_abs B2. split_abs B3. set (fy := fe * Rabs yh) in *. assert (Pfy : 0 <= fy) by (apply Rmult_le_pos; lra). set (fw := Rabs fh * yw) in *. set (uuA := u64 * (u64 * A0)) in *. assert (PuuA : 0 <= uuA) by (apply Rmult_le_pos; [unfold u64; lra | apply Rmult_le_pos; [unfold u64|]; lra]).
  assert (Big : fy + 3.9 * uuA + fw <= e * (1 + / 2 ^ 48) + 3 * (u64 * normal64)) by (unfold u64 in *; lra).
  (* the part that the error stands for *)
  set (eps := v - (yh + yl)) in *. set (del := f - (fh + fl)) in *.
  assert (Part : Rabs (f * v - fh * (yh + yl) - fl * yh) <= fy * (1 + / 2 ^ 48) + 1.03 * uuA + fw * (1 + / 2 ^ 48)).
  { replace (f * v - fh * (yh + yl) - fl * yh) with (fl * yl + (del * (yh + yl) + (del * eps + (fh + fl) * eps))) by (unfold del, eps; ring).
    eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang|]. eapply Rle_trans; [do 2 apply Rplus_le_compat_l; apply Rabs_triang|]. rewrite !Rabs_mult.
    assert (Q1 : Rabs fl * Rabs yl <= 1.01 * (u64 * Rabs fh) * (1.01 * (u64 * Rabs yh))) by (apply Rmult_le_compat; auto; apply Rabs_pos). replace (1.01 * (u64 * Rabs fh) * (1.01 * (u64 * Rabs yh))) with (1.0201 * uuA) in Q1 by (unfold uuA, A0; lra).
    assert (Y2 : Rabs (yh + yl) <= Rabs yh * (1 + 1.01 * u64)) by (eapply Rle_trans; [apply Rabs_triang | lra]). assert (F2 : Rabs (fh + fl) <= Rabs fh * (1 + 1.01 * u64)) by (eapply Rle_trans; [apply Rabs_triang | lra]).
    assert (Q2 : Rabs del * Rabs (yh + yl) <= fe * (Rabs yh * (1 + 1.01 * u64))) by (apply Rmult_le_compat; auto; apply Rabs_pos). replace (fe * (Rabs yh * (1 + 1.01 * u64))) with (fy * (1 + 1.01 * u64)) in Q2 by (unfold fy; ring).
    assert (Q3 : Rabs del * Rabs eps <= fe * yw) by (apply Rmult_le_compat; auto; apply Rabs_pos). unfold errors_small in Sm. fold fy fw in Sm.
    assert (Q4 : Rabs (fh + fl) * Rabs eps <= Rabs fh * (1 + 1.01 * u64) * yw) by (apply Rmult_le_compat; auto; apply Rabs_pos). replace (Rabs fh * (1 + 1.01 * u64) * yw) with (fw * (1 + 1.01 * u64)) in Q4 by (unfold fw; ring).
    unfold u64 in *. lra. }
  assert (Op := operation_error (fl * yh) ls2 S2). fold tail in Op. set (er' := rnd64 (er + e)). assert (Ber := rnd64_sum er e F5 (rnd64_format _)). fold er' in Ber. rewrite (Rabs_pos_eq (er + e)) in Ber by lra. split_abs Ber.
  assert (Per : 0 <= er') by (apply rnd64_nonnegative; lra). set (ix' := rnd64 (ix1 + rnd64 (e + yw))). assert (Pi : 0 <= ix1) by (assert (Z := Rabs_pos yl); lra). assert (Pew : 0 <= rnd64 (e + yw)) by (apply rnd64_nonnegative; lra).
  exists h1, l2, ls2, er', ix'. split; [reflexivity|].
  assert (Sl : 0 <= u64 * ls2) by (apply Rmult_le_pos; [unfold u64; lra | assert (Z := Rabs_pos tail); lra]).
  refine (moved (n + 4 + 1) (n + 7) given _ _ _ h1 0 l2 ls2 er er' ix1 ix' G2 (rnd64_format _) Per (rnd64_format _) (below_sum ix1 _ Fi1 Pew) _ _ _); [lra| |].
  - replace (x + f * v - (x + fh * (yh + yl) + tail)) with ((f * v - fh * (yh + yl) - fl * yh) + (fl * yh - tail)) by ring.
    assert (T := Rabs_triang (f * v - fh * (yh + yl) - fl * yh) (fl * yh - tail)).
    assert (Q1 : fy * (1 + / 2 ^ 48) + 1.03 * uuA + fw * (1 + / 2 ^ 48) <= (fy + 3.9 * uuA + fw) * (1 + / 2 ^ 48)) by lra.
    assert (Q2 : (fy + 3.9 * uuA + fw) * (1 + / 2 ^ 48) <= (e * (1 + / 2 ^ 48) + 3 * (u64 * normal64)) * (1 + / 2 ^ 48)) by (apply Rmult_le_compat_r; [lra | exact Big]).
    assert (Q3 : er * (1 + K) + e * (1 + / 2 ^ 46) <= (er + e) * (1 + (K + / 2 ^ 46))) by (assert (0 <= er * / 2 ^ 46) by (apply Rmult_le_pos; lra); assert (0 <= e * K) by (apply Rmult_le_pos; lra); lra).
    assert (Q4 : (er + e) * (1 + (K + / 2 ^ 46)) <= er' * (1 + 2 * u64) * (1 + (K + / 2 ^ 46))) by (apply Rmult_le_compat_r; unfold u64 in *; lra).
    assert (Q5 : er' * ((1 + 2 * u64) * (1 + (K + / 2 ^ 46))) <= er' * (1 + (K + / 2 ^ 44))) by (apply Rmult_le_compat_l; [exact Per | unfold u64; lra]). lra.
  - intros Z1 Z2. assert (I1 : ix1 <= ix') by (apply below_sum; assumption). assert (I2 : rnd64 (e + yw) <= ix') by (unfold ix'; rewrite (Rplus_comm ix1); apply below_sum; [apply rnd64_format | exact Pi]).
    assert (I3 : e <= rnd64 (e + yw)) by (apply below_sum; [apply rnd64_format | exact Pw]). assert (I4 : yw <= rnd64 (e + yw)) by (rewrite Rplus_comm; apply below_sum; [exact Fyw | exact E0]). assert (I5 : p1 <= e) by (apply below_sum; [apply rnd64_format | exact P2]).
    assert (Yl : yl = 0) by (apply zero_of; lra). assert (Ev : v = yh + yl) by (assert (Z := zero_of eps ltac:(lra)); unfold eps in Z; lra).
    assert (Yh : yh = 0).
    { destruct (Rlt_bool_spec (Rabs (rnd64 (fh * yh))) (IZR 1 * bpow radix2 (-900))) as [W|W].
      - apply zero_of. assert (J0 : 0 <= ix) by (destruct A as (_ & Q & _); exact Q). assert (J1 : Rabs yh <= rnd64 (Rabs yl + Rabs yh)) by (rewrite Rplus_comm; apply below_sum; [now apply generic_format_abs | apply Rabs_pos]).
        assert (J2 : rnd64 (Rabs yl + Rabs yh) <= ix1) by (rewrite Under, (Rplus_comm ix); apply below_sum; [apply rnd64_format | exact J0]). lra.
      - exfalso. rewrite Rmult_1_l in W. assert (L : bpow radix2 (-901) <= A0).
        { destruct (Rle_or_lt (bpow radix2 (-901)) A0) as [Q|Q]; [exact Q|]. exfalso. apply (Rlt_not_le _ _ (bpow_lt radix2 (-901) (-900) ltac:(lia))). eapply Rle_trans; [exact W|].
          apply abs_round_le_generic; try typeclasses eauto; [apply format64_bpow; lia|]. rewrite Rabs_mult. fold A0. lra. }
        assert (Low : bpow radix2 (-1007) <= Rabs yh * c).
        { eapply Rle_trans; [|exact Cy]. assert (E7 : bpow radix2 (-1007) = u64 * (u64 * bpow radix2 (-901))) by (rewrite u64_bpow, <- !bpow_plus; reflexivity).
          assert (M : u64 * (u64 * bpow radix2 (-901)) <= uuA) by (unfold uuA; apply Rmult_le_compat_l; [unfold u64; lra | apply Rmult_le_compat_l; [unfold u64; lra | exact L]]). unfold u64 in *. lra. }
        assert (J := rnd64_at_least (-1007) _ ltac:(lia) Low). fold p1 in J. assert (Z := bpow_gt_0 radix2 (-1007)). lra. }
    unfold tail. rewrite Ev, Yl, Yh. rewrite !Rmult_0_r, Rplus_0_r, !Rmult_0_r, rnd64_exact by apply generic_format_0. ring.
Qed.

Lemma held (n K x h l ls er ix : R) : 0 <= n <= 30 -> 0 <= K <= / 2 ^ 40 -> good n (er * (1 + K)) x (h, 0, l, ls, er, ix) -> sum_holds x h l ls er ix /\ format64 h /\ format64 l /\ format64 ls /\ format64 er /\ format64 ix.
Proof.
  intros Hn HK (F1 & F2 & F3 & F4 & F5 & F6 & Pe & A). rewrite Rminus_0_r in A. split; [|tauto]. apply (after_holds n (er * (1 + K))); auto. apply Rmult_le_compat_l; [exact Pe | lra].
Qed.

(* Theorem: a quotient, and a component of a complex quotient, is what the test of a lane asks for: the sum of one or two products of a reciprocal and a dividend that its sum describes. *)
Theorem quotients_hold (x h m l ls er ix f fh fl fe : R) : format64 h -> format64 l -> format64 ls -> format64 er -> format64 ix -> sum_holds x h l ls er ix -> factor_known f fh fl fe ->
  let '(yh, yl, yw) := dividend_of h m l ls er ix in errors_small fh fe yh yw -> let '(qh, qm, ql, qs, qe, qi) := add_product zero zero zero zero zero zero fh fl fe yh yl yw in
  (sum_holds (f * x) qh ql qs qe qi /\ format64 qh /\ format64 ql /\ format64 qs /\ format64 qe /\ format64 qi) /\
  forall x' h' m' l' ls' er' ix' g gh gl ge, format64 h' -> format64 l' -> format64 ls' -> format64 er' -> format64 ix' -> sum_holds x' h' l' ls' er' ix' -> factor_known g gh gl ge ->
    let '(zh, zl, zw) := dividend_of h' m' l' ls' er' ix' in errors_small gh ge zh zw -> let '(qh, qm, ql, qs, qe, qi) := add_product qh qm ql qs qe qi gh gl ge zh zl zw in
    sum_holds (f * x + g * x') qh ql qs qe qi /\ format64 qh /\ format64 ql /\ format64 qs /\ format64 qe /\ format64 qi.
Proof.
  intros Fh Fl Fs Fe Fi H Hf. assert (Dy := dividend_right x h m l ls er ix Fh Fl Fs Fe Fi H). destruct (dividend_of h m l ls er ix) as ((yh, yl), yw). intros Sm.
  assert (F0 : format64 0) by apply generic_format_0. assert (G0 : good 0 0 0 (zero, 0, zero, zero, zero, zero)).
  { unfold zero. do 6 (split; [exact F0|]). split; [lra|]. unfold after. rewrite Rminus_0_r, Rabs_R0, Rplus_0_r, Rminus_0_r, Rabs_R0. repeat split; lra. }
  destruct (product_step 0 0 0 0 zero zero zero zero zero f fh fl fe x yh yl yw (Rle_refl 0) ltac:(lra) Hf Dy Sm G0 ltac:(unfold zero; lra)) as (qh & ql & qs & qe & qi & E & G). unfold zero in E |- *. rewrite E. clear E G0.
  rewrite !Rplus_0_l in G. split; [apply (held 7 (/ 2 ^ 44)); [lra | lra | exact G]|]. intros x' h' m' l' ls' er' ix' g gh gl ge Fh' Fl' Fs' Fe' Fi' H' Hg.
  assert (Dz := dividend_right x' h' m' l' ls' er' ix' Fh' Fl' Fs' Fe' Fi' H'). destruct (dividend_of h' m' l' ls' er' ix') as ((zh, zl), zw). intros Sm'.
  destruct (product_step 7 _ (/ 2 ^ 44) _ qh ql qs qe qi g gh gl ge x' zh zl zw ltac:(lra) ltac:(lra) Hg Dz Sm' G (Rle_refl _)) as (rh & rl & rs & re & ri & E & G'). rewrite E. apply (held (7 + 7) (/ 2 ^ 44 + / 2 ^ 44)); [lra | lra | exact G'].
Qed.
