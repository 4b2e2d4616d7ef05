(* The test of head + tail with a bound of its error on GPUs, cuda/exact/round_between.hpp, and the slack of its callers. Real numbers stand for doubles. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core.
From Proofs Require Import Semantics Floats BetweenSource.

Open Scope R_scope.

Lemma round_scaled_flx (x : R) (e : Z) : x <> 0 ->
  round radix2 (FLX_exp 53) ZnearestE (x * bpow radix2 e) = round radix2 (FLX_exp 53) ZnearestE x * bpow radix2 e.
Proof.
  intros N. unfold round, scaled_mantissa, cexp, FLX_exp, F2R. cbn [Fnum Fexp]. rewrite (mag_mult_bpow radix2 x e N).
  replace (x * bpow radix2 e * bpow radix2 (- (mag radix2 x + e - 53))) with (x * bpow radix2 (- (mag radix2 x - 53))).
  - rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia.
  - rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia.
Qed.

(* A rounded number above the least normal one may be scaled, if it stays there. *)
Lemma round_scaled (x : R) (e : Z) : normal64 < Rabs (rnd64 x) -> normal64 < Rabs (rnd64 x) * bpow radix2 e -> rnd64 (x * bpow radix2 e) = rnd64 x * bpow radix2 e.
Proof.
  intros H1 H2. assert (Small : forall b, format64 b -> Rabs x <= b -> Rabs (rnd64 x) <= b).
  { intros b Fb Hb. apply abs_round_le_generic; try typeclasses eauto; assumption. }
  assert (N1 : normal64 <= Rabs x).
  { destruct (Rle_or_lt normal64 (Rabs x)) as [Q|Q]; [exact Q|]. exfalso. apply (Rlt_not_le _ _ H1), Small; [apply format64_bpow; lia | lra]. }
  assert (P := bpow_gt_0 radix2 e). assert (N := normal64_positive).
  assert (Un : bpow radix2 (-1022 - e) * bpow radix2 e = normal64) by (rewrite <- bpow_plus; unfold normal64; f_equal; lia).
  assert (N2 : normal64 <= Rabs (x * bpow radix2 e)).
  { rewrite Rabs_mult, (Rabs_pos_eq (bpow radix2 e)) by lra. rewrite <- Un. apply Rmult_le_compat_r; [lra|].
    destruct (Rle_or_lt (bpow radix2 (-1022 - e)) (Rabs x)) as [Q|Q]; [exact Q|]. exfalso. destruct (Z.le_gt_cases (-1074) (-1022 - e)) as [L|L].
    - apply (Rlt_not_le _ _ H2). rewrite <- Un. apply Rmult_le_compat_r; [lra|]. apply Small; [now apply format64_bpow | lra].
    - apply (Rlt_not_le _ _ Q). apply Rle_trans with normal64; [|exact N1]. apply bpow_le. lia. }
  rewrite !(round_FLT_FLX radix2 (-1074) 53) by assumption. apply round_scaled_flx. intros Z. rewrite Z, Rabs_R0 in N1. lra.
Qed.

Lemma rnd64_scaled (x : R) (scale : bool * Z) : (snd scale = 0%Z \/ (normal64 < Rabs (rnd64 x) /\ normal64 < Rabs (rnd64 x) * bpow radix2 (snd scale))) ->
  rnd64 (scaled x scale) = scaled (rnd64 x) scale.
Proof.
  unfold scaled. destruct scale as [s e]. cbn [fst snd]. intros H.
  assert (Q : rnd64 (x * bpow radix2 e) = rnd64 x * bpow radix2 e).
  { destruct H as [->|(H1 & H2)]; [change (bpow radix2 0) with 1; now rewrite !Rmult_1_r | now apply round_scaled]. }
  destruct s; [|exact Q]. rewrite !Ropp_mult_distr_l_reverse, rnd64_opp, Q. ring.
Qed.

(* An end of the interval for doubles: the rounding of tail + bound takes a part of the bound. *)
Lemma upper_end64 (head tail bound x : R) : format64 tail -> format64 bound -> 0 <= bound ->
  x <= head + tail + (bound - (Rabs tail + bound) / 2 ^ 51) -> rnd64 x <= rnd64 (head + rnd64 (tail + bound)).
Proof.
  intros Ft Fb Hb Hx. apply rnd64_le. assert (B := rnd64_sum tail bound Ft Fb). assert (T := Rabs_triang tail bound).
  rewrite (Rabs_pos_eq bound) in T by lra. split_abs B. assert (P := Rabs_pos tail). unfold u64 in *. lra.
Qed.

(* Theorem: if the test of doubles decides, its result is RN(+-2^e x) for every x within bound - 2^-51 (abs(tail) + bound) of head + tail. *)
Theorem round_between64_correct (is_nan : R -> bool) (head tail bound x before out : R) (scale : bool * Z) :
  format64 tail -> format64 bound -> 0 <= bound -> Rabs (x - (head + tail)) <= bound - (Rabs tail + bound) / 2 ^ 51 ->
  (snd scale = 0%Z \/ (normal64 < Rabs out /\ normal64 < Rabs out * bpow radix2 (- snd scale))) ->
  round_between64 is_nan head tail bound scale before = (true, out) -> out = rnd64 (scaled x scale).
Proof.
  intros Ft Fb Hb Hx Hn H. unfold round_between64, rd64 in H. cbn [Z.eqb Pos.eqb] in H. cbv zeta in H. apply pair_equal_spec in H. destruct H as [D O].
  destruct (Req_bool_spec (rnd64 (head + rnd64 (tail - bound))) (rnd64 (head + rnd64 (tail + bound)))) as [E|E]; [clear D | discriminate D].
  apply Rabs_le_inv in Hx. assert (U := upper_end64 head tail bound x Ft Fb Hb ltac:(lra)).
  assert (L := upper_end64 (- head) (- tail) bound (- x) (format64_opp _ Ft) Fb Hb). rewrite Rabs_Ropp in L. specialize (L ltac:(lra)).
  replace (- tail + bound) with (- (tail - bound)) in L by ring. rewrite !rnd64_opp in L. replace (- head + - rnd64 (tail - bound)) with (- (head + rnd64 (tail - bound))) in L by ring.
  rewrite rnd64_opp in L. assert (V : rnd64 x = rnd64 (head + rnd64 (tail + bound))) by lra. rewrite <- V in O. rewrite <- O. symmetry. apply rnd64_scaled.
  rewrite <- O in Hn. destruct Hn as [Q|(H1 & H2)]; [now left | right].
  assert (P := bpow_gt_0 radix2 (snd scale)).
  assert (A : Rabs (scaled (rnd64 x) scale) = Rabs (rnd64 x) * bpow radix2 (snd scale)).
  { unfold scaled. rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _)) by lra. destruct (fst scale); [rewrite Rabs_Ropp|]; reflexivity. }
  rewrite A in H1, H2. split; [|exact H1]. rewrite Rmult_assoc, <- bpow_plus in H2. replace (snd scale + - snd scale)%Z with 0%Z in H2 by lia. change (bpow radix2 0) with 1 in H2. lra.
Qed.

(* For floats the bound is wider by 2^-51 abs(head), which the rounding to double may take. *)
Definition wider_bound (head bound : R) : R := rnd64 (Rabs head * (1 / 2251799813685248) + bound).

Lemma wider_end (head tail bound : R) : format64 tail -> 0 <= bound -> format64 head -> let wider := wider_bound head bound in let t := rnd64 (tail + wider) in
  0 <= wider /\ format64 t /\ Rabs (t - (tail + wider)) <= u64 * (Rabs tail + wider) /\ Rabs (rnd64 (head + t) - (head + t)) <= u64 * (Rabs head + Rabs tail + 1.01 * wider + u64 * Rabs tail) /\
  (bpow radix2 (-960) <= Rabs head -> Rabs (wider - (Rabs head * (1 / 2251799813685248) + bound)) <= u64 * (Rabs head * (1 / 2251799813685248) + bound)).
Proof.
  intros Ft Hb Fh wider t. assert (Ph := Rabs_pos head). assert (Pt := Rabs_pos tail). assert (Pw : 0 <= wider) by (apply rnd64_nonnegative; lra).
  assert (B1 := rnd64_sum tail wider Ft (rnd64_format _)). fold t in B1. assert (T1 := Rabs_triang tail wider). rewrite (Rabs_pos_eq wider) in T1 by exact Pw.
  assert (Ftt : format64 t) by apply rnd64_format. assert (B2 := rnd64_sum head t Fh Ftt). assert (T2 := Rabs_triang head t).
  assert (T3 : Rabs t <= Rabs tail + wider + u64 * (Rabs tail + wider)).
  { replace t with ((t - (tail + wider)) + (tail + wider)) by ring. eapply Rle_trans; [apply Rabs_triang|]. unfold u64 in *. lra. }
  split; [exact Pw|]. split; [exact Ftt|]. split; [unfold u64 in *; lra|]. split; [unfold u64 in *; lra|]. intros Hh.
  assert (Bw := rnd64_normal (Rabs head * (1 / 2251799813685248) + bound)). rewrite (Rabs_pos_eq (_ + bound)) in Bw by lra. apply Bw.
  apply Rle_trans with (bpow radix2 (-960) * bpow radix2 (-51)); [rewrite <- bpow_plus; apply bpow_le; lia|]. change (bpow radix2 (-51)) with (/ 2251799813685248). lra.
Qed.

Lemma upper_end32 (head tail bound x : R) : format64 tail -> 0 <= bound -> head = 0 \/ bpow radix2 (-960) <= Rabs head -> format64 bound -> format64 head ->
  x <= head + tail + (bound - (Rabs tail + bound) / 2 ^ 51) -> x <= rnd64 (head + rnd64 (tail + wider_bound head bound)).
Proof.
  intros Ft Hb Hh Fb Fh Hx. destruct (wider_end head tail bound Ft Hb Fh) as (Pw & Ftt & B1 & B2 & Bw). cbv zeta in *. set (wider := wider_bound head bound) in *. set (t := rnd64 (tail + wider)) in *.
  assert (Pt := Rabs_pos tail). assert (Ph := Rabs_pos head). destruct Hh as [Hz|Hh].
  - assert (Hw : wider = bound) by (unfold wider, wider_bound; rewrite Hz, Rabs_R0, Rmult_0_l, Rplus_0_l; now apply rnd64_exact).
    rewrite Hz, Rplus_0_l in *. rewrite (rnd64_exact t Ftt). split_abs B1. rewrite Hw in *. unfold u64 in *. lra.
  - specialize (Bw Hh). split_abs Bw. split_abs B1. split_abs B2. unfold u64 in *. lra.
Qed.

Lemma rnd32_scaled_le (x y : R) (scale : bool * Z) : x <= y ->
  if fst scale then rnd32 (scaled y scale) <= rnd32 (scaled x scale) else rnd32 (scaled x scale) <= rnd32 (scaled y scale).
Proof.
  intros H. assert (P := bpow_gt_0 radix2 (snd scale)). unfold scaled. destruct (fst scale); apply round_le; try typeclasses eauto; apply Rmult_le_compat_r; lra.
Qed.

(* Both ends of an interval that give one float. *)
Lemma floats_agree (head tail wider x out : R) (scale : bool * Z) : x <= rnd64 (head + rnd64 (tail + wider)) -> - x <= rnd64 (- head + rnd64 (- tail + wider)) ->
  rnd32 (scaled (rnd64 (head + rnd64 (tail - wider))) scale) = rnd32 (scaled (rnd64 (head + rnd64 (tail + wider))) scale) -> rnd32 (scaled (rnd64 (head + rnd64 (tail + wider))) scale) = out ->
  out = rnd32 (scaled x scale).
Proof.
  intros U L E O. replace (- tail + wider) with (- (tail - wider)) in L by ring. rewrite rnd64_opp in L. replace (- head + - rnd64 (tail - wider)) with (- (head + rnd64 (tail - wider))) in L by ring.
  rewrite rnd64_opp in L. assert (L' : rnd64 (head + rnd64 (tail - wider)) <= x) by lra.
  assert (A := rnd32_scaled_le _ _ scale U). assert (B := rnd32_scaled_le _ _ scale L'). rewrite <- O. destruct (fst scale); lra.
Qed.

(* Theorem: the same statement for floats, which two roundings make. *)
Theorem round_between32_correct (is_nan : R -> bool) (head tail bound x before out : R) (scale : bool * Z) :
  format64 head -> format64 tail -> format64 bound -> 0 <= bound -> head = 0 \/ bpow radix2 (-960) <= Rabs head ->
  Rabs (x - (head + tail)) <= bound - (Rabs tail + bound) / 2 ^ 51 ->
  round_between32 is_nan head tail bound scale before = (true, out) -> out = rnd32 (scaled x scale).
Proof.
  intros Fh Ft Fb Hb Hh Hx H. unfold round_between32, rd64, rd32 in H. cbn [Z.eqb Pos.eqb] in H. cbv zeta in H. apply pair_equal_spec in H. destruct H as [D O].
  apply andb_prop in D as [D _]. change (rnd64 (Rabs head * (1 / 2251799813685248) + bound)) with (wider_bound head bound) in *. set (wider := wider_bound head bound) in *.
  destruct (Req_bool_spec (rnd32 (scaled (rnd64 (head + rnd64 (tail - wider))) scale)) (rnd32 (scaled (rnd64 (head + rnd64 (tail + wider))) scale))) as [E|E]; [clear D | discriminate D].
  apply Rabs_le_inv in Hx. assert (U := upper_end32 head tail bound x Ft Hb Hh Fb Fh). fold wider in U. specialize (U ltac:(lra)).
  assert (L := upper_end32 (- head) (- tail) bound (- x) (format64_opp _ Ft) Hb). unfold wider_bound in L. rewrite !Rabs_Ropp in L. change (rnd64 (Rabs head * (1 / 2251799813685248) + bound)) with wider in L.
  specialize (L ltac:(destruct Hh; [left; lra | right; assumption]) Fb (format64_opp _ Fh) ltac:(lra)).
  exact (floats_agree head tail wider x out scale U L E O).
Qed.

(* What the slack of a leading part is for: `least` and 2^-50, with as much to spare. *)
Lemma slack_value (slack least : R) : (slack = leading_slack_false /\ least = / 2 ^ 40) \/ (slack = leading_slack_true /\ least = / 2 ^ 40 + 1.52 / 2 ^ 36) ->
  format64 slack /\ 0 < slack <= 1 /\ least + / 2 ^ 50 + / 2 ^ 41 <= slack.
Proof.
  unfold leading_slack_false, leading_slack_true. intros Hs. split; [|destruct Hs as [(-> & ->)|(-> & ->)]; lra].
  destruct Hs as [(-> & _)|(-> & _)]; [replace (IZR 1 / IZR 549755813888) with (bpow radix2 (-39)) by (simpl; lra) | replace (IZR 1 / IZR 34359738368) with (bpow radix2 (-35)) by (simpl; lra)]; apply format64_bpow; lia.
Qed.

(* Theorem: the slack in the bounds of leading parts covers the rest below tail and what the roundings of the test of doubles take,
   whatever the error, if the test decides. The rest is the bits below tail, 2^-50 of the digits beyond the table, and the lowest pair (Narrow). *)
Theorem slack_covers (is_nan : R -> bool) (head tail error rest before out : R) (scale : bool * Z) (slack least : R) :
  (slack = leading_slack_false /\ least = / 2 ^ 40) \/ (slack = leading_slack_true /\ least = / 2 ^ 40 + 1.52 / 2 ^ 36) ->
  format64 tail -> format64 error -> Rabs head <= 2 ^ 47 -> 0 <= tail <= 1 -> 0 <= error -> Rabs rest <= least + / 2 ^ 50 ->
  let bound := rnd64 (error + slack) in round_between64 is_nan head tail bound scale before = (true, out) ->
  error + Rabs rest <= bound - (Rabs tail + bound) / 2 ^ 51.
Proof.
  intros Hs Ft Fe Hh Ht He Hr bound H. destruct (slack_value slack least Hs) as (Fs & S0 & Sl).
  assert (Bb := rnd64_sum error slack Fe Fs). rewrite (Rabs_pos_eq (error + slack)) in Bb by lra. fold bound in Bb. split_abs Bb.
  assert (Fb : format64 bound) by apply rnd64_format. assert (Pb : 0 <= bound) by (apply rnd64_nonnegative; lra).
  unfold round_between64, rd64 in H. cbn [Z.eqb Pos.eqb] in H. cbv zeta in H. apply pair_equal_spec in H. destruct H as [D _].
  destruct (Req_bool_spec (rnd64 (head + rnd64 (tail - bound))) (rnd64 (head + rnd64 (tail + bound)))) as [E|E]; [clear D | discriminate D].
  assert (B1 := rnd64_sum tail bound Ft Fb). assert (B2 := rnd64_sum tail (- bound) Ft (format64_opp _ Fb)). change (tail + - bound) with (tail - bound) in B2.
  set (p := rnd64 (tail + bound)) in *. set (q := rnd64 (tail - bound)) in *.
  assert (A1 : Rabs (tail + bound) <= 1 + bound) by (apply Rabs_le; lra). assert (A2 : Rabs (tail - bound) <= 1 + bound) by (apply Rabs_le; lra).
  assert (N := normal64_positive). assert (Ns : normal64 <= 1) by (unfold normal64; change 1 with (bpow radix2 0); apply bpow_le; lia).
  assert (C1 := rnd64_error (head + p)). assert (C2 := rnd64_error (head + q)). apply Rabs_le_inv in Hh.
  assert (G : forall v w, Rabs (v - w) <= u64 * Rabs w -> Rabs w <= 1 + bound -> Rabs (head + v) <= 2 ^ 47 + 2 * (1 + bound)).
  { intros v w V W. assert (W' := W). split_abs W'. split_abs V. apply Rabs_le. unfold u64 in *. lra. }
  assert (G1 := G _ _ B1 A1). assert (G2 := G _ _ B2 A2). split_abs B1. split_abs B2. split_abs C1. split_abs C2.
  assert (Small : bound <= 1).
  { unfold u64 in *. lra. }
  rewrite (Rabs_pos_eq tail) by lra. unfold u64 in *. lra.
Qed.

(* Floats decide wider intervals. Where the bound is at most half of head, 2^-51 abs(head) covers all roundings, those of the bound included. *)
Lemma upper_end32_small (head tail bound x : R) : format64 tail -> 0 <= bound <= Rabs head / 2 -> Rabs tail <= Rabs head / 16 -> bpow radix2 (-960) <= Rabs head -> format64 head ->
  x <= head + tail + bound + bound * (1.01 * u64) -> x <= rnd64 (head + rnd64 (tail + wider_bound head bound)).
Proof.
  intros Ft Hb Hs Hh Fh Hx. destruct (wider_end head tail bound Ft (proj1 Hb) Fh) as (Pw & _ & B1 & B2 & Bw). cbv zeta in *. specialize (Bw Hh). assert (Pt := Rabs_pos tail).
  split_abs Bw. split_abs B1. split_abs B2. unfold u64 in *. lra.
Qed.

(* Theorem: a leading part that decides a float decides it for its whole error and the rest. *)
Theorem slack_covers_floats (is_nan : R -> bool) (head tail error rest x before out : R) (scale : bool * Z) (slack least : R) :
  (slack = leading_slack_false /\ least = / 2 ^ 40) \/ (slack = leading_slack_true /\ least = / 2 ^ 40 + 1.52 / 2 ^ 36) ->
  format64 head -> format64 tail -> format64 error -> 2 ^ 16 <= Rabs head -> 0 <= tail <= 1 -> 0 <= error -> Rabs rest <= least + / 2 ^ 50 ->
  let bound := rnd64 (error + slack) in bound <= Rabs head / 2 -> Rabs (x - (head + tail + rest)) <= error ->
  round_between32 is_nan head tail bound scale before = (true, out) -> out = rnd32 (scaled x scale).
Proof.
  intros Hs Fh Ft Fe Hh Ht He Hr bound Hb Hx H. destruct (slack_value slack least Hs) as (Fs & S0 & Sl).
  assert (Bb := rnd64_sum error slack Fe Fs). rewrite (Rabs_pos_eq (error + slack)) in Bb by lra. fold bound in Bb. split_abs Bb.
  assert (Fb : format64 bound) by apply rnd64_format. assert (Pb : 0 <= bound) by (apply rnd64_nonnegative; lra).
  assert (Cover : error + Rabs rest <= bound + bound * (1.01 * u64)) by (unfold u64 in *; lra).
  assert (Small : bpow radix2 (-960) <= Rabs head) by (apply Rle_trans with (bpow radix2 0); [apply bpow_le; lia | change (bpow radix2 0) with 1; lra]).
  assert (Ta : Rabs tail = tail) by (apply Rabs_pos_eq; lra). assert (Rr := Rabs_le_inv _ _ (Rle_refl (Rabs rest))). apply Rabs_le_inv in Hx.
  unfold round_between32, rd64, rd32 in H. cbn [Z.eqb Pos.eqb] in H. cbv zeta in H. apply pair_equal_spec in H. destruct H as [D O].
  apply andb_prop in D as [D _]. change (rnd64 (Rabs head * (1 / 2251799813685248) + bound)) with (wider_bound head bound) in *. set (wider := wider_bound head bound) in *.
  destruct (Req_bool_spec (rnd32 (scaled (rnd64 (head + rnd64 (tail - wider))) scale)) (rnd32 (scaled (rnd64 (head + rnd64 (tail + wider))) scale))) as [E|E]; [clear D | discriminate D].
  assert (U := upper_end32_small head tail bound x Ft ltac:(lra) ltac:(lra) Small Fh). fold wider in U. specialize (U ltac:(lra)).
  assert (L := upper_end32_small (- head) (- tail) bound (- x) (format64_opp _ Ft)). unfold wider_bound in L. rewrite !Rabs_Ropp in L. change (rnd64 (Rabs head * (1 / 2251799813685248) + bound)) with wider in L.
  specialize (L ltac:(lra) ltac:(lra) Small (format64_opp _ Fh) ltac:(lra)).
  exact (floats_agree head tail wider x out scale U L E O).
Qed.
