(* The test of a leading part with any alpha and beta on GPUs (cuda/int8/finish_leading.hpp: round_general). Real numbers stand for doubles. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core Mult_error Plus_error.
From Proofs Require Import Semantics Floats Eft LanesSource Lanes BetweenSource Between GeneralSource.

Open Scope R_scope.

(* TwoSum, as the code writes it. *)
Lemma two_sum_low (p q : R) : format64 p -> format64 q -> let s := rnd64 (p + q) in let z := rnd64 (s - p) in rnd64 (rnd64 (p - rnd64 (s - z)) + rnd64 (q - z)) = p + q - s.
Proof. intros Fp Fq. assert (H := two_sum_real p q Fp Fq). cbv zeta in *. lra. Qed.

(* What the pair and its slack are worth: the roundings are few, and all are below the slack. *)
Lemma general_slack (a head tail bound q q_low value x y : R) : format64 a -> format64 head -> format64 tail -> format64 bound -> 0 <= bound -> format64 q -> format64 q_low ->
  bpow radix2 (-900) <= Rabs (rnd64 (a * head)) -> y = q + q_low -> Rabs q_low <= 2 * (u64 * Rabs q) ->
  Rabs (x - (head + tail)) <= bound - (Rabs tail + bound) / 2 ^ 49 -> value = a * x + y ->
  let p := rnd64 (a * head) in let p_low := rnd64 (a * tail + rnd64 (a * head - p)) in let s := rnd64 (p + q) in let low := p + q - s in
  let t := rnd64 (low + rnd64 (p_low + q_low)) in let slack := rnd64 (rnd64 (Rabs p + Rabs q) * (bpow radix2 (-100)) + rnd64 (Rabs a * bound)) in
  0 <= slack /\ Rabs (value - (s + t)) <= slack - (Rabs t + slack) / 2 ^ 51.
Proof.
  intros Fa Fh Ft Fb Pb Fq Fql Hp Ey Hq Hx Ev p p_low s low t slack. assert (Nn := normal64_positive). assert (U : 0 < u64 * normal64) by (apply Rmult_lt_0_compat; [unfold u64; lra | exact Nn]).
  (* the tiny losses are below 2^-150 of p *)
  assert (Tiny : u64 * normal64 * bpow radix2 150 <= Rabs p).
  { eapply Rle_trans; [|exact Hp]. rewrite u64_bpow. unfold normal64. rewrite <- !bpow_plus. apply bpow_le. lia. }
  set (eta := u64 * normal64) in *. assert (B150 : 1000000000000000000000000000000000000000000 <= bpow radix2 150) by (change (bpow radix2 150) with (IZR (2 ^ 150)); apply IZR_le; vm_compute; discriminate).
  assert (Small : eta * 1000000000000000000000000000000000000000000 <= Rabs p) by (eapply Rle_trans; [apply Rmult_le_compat_l; [lra | exact B150] | exact Tiny]).
  destruct (product_error a head Fa Fh) as (_ & Ex). cbv zeta in Ex. fold p in Ex. set (e := rnd64 (a * head - p)) in *. specialize (Ex Hp). assert (Ee : a * head = p + e) by lra.
  assert (Bp := rnd64_error (a * head)). fold p eta in Bp. assert (Pp := Rabs_pos p). assert (He : Rabs e <= 1.001 * (u64 * Rabs p)).
  { replace e with (- (p - a * head)) by lra. rewrite Rabs_Ropp. assert (T : Rabs (a * head) <= Rabs p + Rabs (p - a * head)) by (replace (a * head) with (p + - (p - a * head)) at 1 by ring; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra). unfold u64 in *. lra. }
  set (w := a * tail) in *. assert (Pw := Rabs_pos w). assert (Pq := Rabs_pos q).
  assert (B1 := rnd64_error (w + e)). fold p_low eta in B1. assert (T1 := Rabs_triang w e).
  assert (H1 : Rabs p_low <= (1 + u64) * (Rabs w + Rabs e) + eta) by (replace p_low with ((w + e) + (p_low - (w + e))) by ring; eapply Rle_trans; [apply Rabs_triang|]; unfold u64 in *; lra).
  set (m := rnd64 (p_low + q_low)) in *. assert (B2 := rnd64_sum p_low q_low (rnd64_format _) Fql). fold m in B2. assert (T2 := Rabs_triang p_low q_low).
  assert (H2 : Rabs m <= (1 + u64) * (Rabs p_low + Rabs q_low)) by (replace m with ((p_low + q_low) + (m - (p_low + q_low))) by ring; eapply Rle_trans; [apply Rabs_triang|]; unfold u64 in *; lra).
  assert (Fp : format64 p) by apply rnd64_format. assert (B3 := rnd64_sum p q Fp Fq). fold s in B3. assert (T3 := Rabs_triang p q).
  assert (Hl : Rabs low <= u64 * (Rabs p + Rabs q)) by (unfold low; replace (p + q - s) with (- (s - (p + q))) by ring; rewrite Rabs_Ropp; unfold u64 in *; lra).
  assert (Fl : format64 low) by (apply format64_error; assumption). assert (B4 := rnd64_sum low m Fl (rnd64_format _)). fold t in B4. assert (T4 := Rabs_triang low m).
  assert (Ht : Rabs t <= (1 + u64) * (Rabs low + Rabs m)) by (replace t with ((low + m) + (t - (low + m))) by ring; eapply Rle_trans; [apply Rabs_triang|]; unfold u64 in *; lra).
  (* the value *)
  assert (Dv : Rabs (value - (s + t)) <= Rabs a * (bound - (Rabs tail + bound) / 2 ^ 49) + Rabs (p_low - (w + e)) + Rabs (m - (p_low + q_low)) + Rabs (t - (low + m))).
  { replace (value - (s + t)) with (a * (x - (head + tail)) + (- (p_low - (w + e)) + (- (m - (p_low + q_low)) + - (t - (low + m))))).
    - eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. assert (C : Rabs a * Rabs (x - (head + tail)) <= Rabs a * (bound - (Rabs tail + bound) / 2 ^ 49)) by (apply Rmult_le_compat_l; [apply Rabs_pos | exact Hx]).
      assert (X1 := Rabs_triang (- (p_low - (w + e))) (- (m - (p_low + q_low)) + - (t - (low + m)))). assert (X2 := Rabs_triang (- (m - (p_low + q_low))) (- (t - (low + m)))). rewrite !Rabs_Ropp in X1. rewrite !Rabs_Ropp in X2. lra.
    - rewrite Ev, Ey. unfold low, w. replace (a * x) with (a * (x - (head + tail)) + a * head + a * tail) by ring. rewrite Ee. ring. }
  replace (Rabs a * (bound - (Rabs tail + bound) / 2 ^ 49)) with (Rabs a * bound * (1 - / 2 ^ 49) - Rabs w / 2 ^ 49) in Dv by (unfold w; rewrite Rabs_mult; field).
  (* the slack *)
  set (ab := Rabs a * bound) in *. assert (Pab : 0 <= ab) by (apply Rmult_le_pos; [apply Rabs_pos | exact Pb]).
  assert (B5 := rnd64_error ab). fold eta in B5. rewrite (Rabs_pos_eq ab) in B5 by exact Pab. assert (Pr := rnd64_nonnegative ab Pab). set (rab := rnd64 ab) in *.
  assert (B6 := rnd64_sum (Rabs p) (Rabs q) (generic_format_abs _ _ _ Fp) (generic_format_abs _ _ _ Fq)). rewrite (Rabs_pos_eq (Rabs p + Rabs q)) in B6 by lra. set (pq := rnd64 (Rabs p + Rabs q)) in *.
  assert (P100 : bpow radix2 (-100) = / 1267650600228229401496703205376) by reflexivity.
  assert (Ppq : 0 <= pq) by (apply rnd64_nonnegative; lra). assert (B7 := rnd64_error (pq * bpow radix2 (-100) + rab)). change (rnd64 (pq * bpow radix2 (-100) + rab)) with slack in B7. fold eta in B7. rewrite P100 in B7. rewrite (Rabs_pos_eq (pq * _ + rab)) in B7 by lra.
  assert (Pz : 0 <= pq * bpow radix2 (-100)) by (apply Rmult_le_pos; [exact Ppq | apply bpow_ge_0]). split_abs B5. split_abs B6. split_abs B7. split; [apply rnd64_nonnegative; lra|]. unfold u64 in *. lra.
Qed.

Section General.
Variable within : R -> Z -> Z -> bool.
Hypothesis within_right : forall x low high, within x low high = true -> bpow radix2 low <= Rabs x.

(* Theorem: what round_general decides is RN of alpha 2^shift x + beta c for every x within bound - 2^-49 (abs(tail) + bound) of head + tail, for doubles and for floats. *)
Theorem round_general_correct (is_nan : R -> bool) (alpha beta head tail bound c x before out : R) (shift : Z) : format64 alpha -> format64 beta -> format64 c ->
  format64 (head * bpow radix2 shift) -> format64 (tail * bpow radix2 shift) -> format64 (bound * bpow radix2 shift) -> 0 <= bound ->
  Rabs (x - (head + tail)) <= bound - (Rabs tail + bound) / 2 ^ 49 ->
  let '(s, low, p_low, q_low, slack, good) := general_terms within alpha beta head tail bound shift c in let t := rnd64 (low + rnd64 (p_low + q_low)) in
  (general_decides (fun s t slack _ _ => fst (round_between64 is_nan s t slack (false, 0%Z) before)) s low p_low q_low slack good tt = true ->
    snd (round_between64 is_nan s t slack (false, 0%Z) before) = rnd64 (alpha * bpow radix2 shift * x + beta * c)) /\
  (s = 0 \/ bpow radix2 (-960) <= Rabs s ->
    general_decides (fun s t slack _ _ => fst (round_between32 is_nan s t slack (false, 0%Z) before)) s low p_low q_low slack good tt = true ->
    snd (round_between32 is_nan s t slack (false, 0%Z) before) = rnd32 (alpha * bpow radix2 shift * x + beta * c)).
Proof.
  intros Fa Fb Fc Fh Ft Fo Pb Hx. unfold general_terms. cbv zeta. rewrite (rnd64_exact _ Fh : rd64 (head * bpow radix2 shift) = _), (rnd64_exact _ Ft : rd64 (tail * bpow radix2 shift) = _), (rnd64_exact _ Fo : rd64 (bound * bpow radix2 shift) = _).
  replace (IZR 1 * bpow radix2 (-100)) with (bpow radix2 (-100)) by ring. set (H := head * bpow radix2 shift) in *. set (T := tail * bpow radix2 shift) in *. set (O := bound * bpow radix2 shift) in *. set (X := x * bpow radix2 shift).
  assert (P := bpow_gt_0 radix2 shift). assert (HX : Rabs (X - (H + T)) <= O - (Rabs T + O) / 2 ^ 49).
  { unfold X, H, T, O. replace (x * bpow radix2 shift - (head * bpow radix2 shift + tail * bpow radix2 shift)) with ((x - (head + tail)) * bpow radix2 shift) by ring. rewrite !Rabs_mult, (Rabs_pos_eq (bpow radix2 shift)) by lra.
    replace (bound * bpow radix2 shift - (Rabs tail * bpow radix2 shift + bound * bpow radix2 shift) / 2 ^ 49) with ((bound - (Rabs tail + bound) / 2 ^ 49) * bpow radix2 shift) by (field; lra). apply Rmult_le_compat_r; lra. }
  assert (PO : 0 <= O) by (apply Rmult_le_pos; lra). replace (alpha * bpow radix2 shift * x) with (alpha * X) by (unfold X; ring).
  (* the other term *)
  set (second := if negb (Req_bool beta 0) then _ else _). assert (Second : exists q q_low good, second = (q, q_low, good) /\ format64 q /\ format64 q_low /\
    (good = true -> bpow radix2 (-900) <= Rabs (rd64 (alpha * H)) /\ beta * c = q + q_low /\ Rabs q_low <= 2 * (u64 * Rabs q))).
  { unfold second. destruct (Req_bool_spec beta 0) as [Zb|Zb]; cbn [negb].
    - exists 0, 0, (within (rd64 (alpha * H)) (-900) 1000). split; [reflexivity|]. split; [apply generic_format_0|]. split; [apply generic_format_0|]. intros G. split; [now apply (within_right _ _ 1000)|]. rewrite Zb, !Rabs_R0. split; lra.
    - eexists; eexists; eexists. split; [reflexivity|]. split; [apply rnd64_format|]. split; [apply rnd64_format|]. intros G. apply andb_prop in G as (G1 & G2). split; [now apply (within_right _ _ 1000)|].
      destruct (product_error beta c Fb Fc) as (_ & Ex). cbv zeta in Ex. change (rd64 (beta * c)) with (rnd64 (beta * c)) in *. set (q := rnd64 (beta * c)) in *. change (rd64 (beta * c + - q)) with (rnd64 (beta * c - q)). set (ql := rnd64 (beta * c - q)) in *.
      apply orb_prop in G2 as [G2|G2].
      + specialize (Ex (within_right _ _ _ G2)). split; [lra|]. assert (B := rnd64_error (beta * c)). fold q in B. assert (W := within_right _ _ _ G2). assert (T1 : u64 * normal64 <= u64 * Rabs q * / 4).
        { assert (N4 : normal64 <= bpow radix2 (-900) * / 4) by (change (/ 4) with (bpow radix2 (-2)); rewrite <- bpow_plus; unfold normal64; apply bpow_le; lia). unfold u64. lra. }
        assert (Pq := Rabs_pos q). replace ql with (- (q - beta * c)) by lra. rewrite Rabs_Ropp.
        assert (T2 : Rabs (beta * c) <= Rabs q + Rabs (q - beta * c)) by (replace (beta * c) with (q + - (q - beta * c)) at 1 by ring; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra). unfold u64 in *. lra.
      + destruct (Req_bool_spec c 0) as [Zc|]; [|discriminate]. assert (Q0 : q = 0) by (unfold q; rewrite Zc, Rmult_0_r; apply rnd64_exact, generic_format_0).
        assert (Q1 : ql = 0) by (unfold ql; rewrite Q0, Zc, Rmult_0_r, Rminus_0_r; apply rnd64_exact, generic_format_0). rewrite Q1, Q0, Zc, Rabs_R0. split; lra. }
  destruct Second as (q & q_low & good & Es & Fq & Fql & Good). rewrite Es. clear second Es. cbv iota beta zeta. change (rd64 (alpha * H)) with (rnd64 (alpha * H)) in *.
  unfold rd64. change (rnd64 (alpha * T + rnd64 (alpha * H + - rnd64 (alpha * H)))) with (rnd64 (alpha * T + rnd64 (alpha * H - rnd64 (alpha * H)))).
  assert (Low := two_sum_low (rnd64 (alpha * H)) q (rnd64_format _) Fq). cbv zeta in Low. rewrite Low. clear Low.
  assert (S := general_slack alpha H T O q q_low (alpha * X + beta * c) X (beta * c) Fa Fh Ft Fo PO Fq Fql). cbv zeta in S.
  set (p_low := rnd64 (alpha * T + _)) in *. set (s := rnd64 (rnd64 (alpha * H) + q)) in *. set (low := rnd64 (alpha * H) + q - s) in *.
  match goal with |- context [general_decides _ s low p_low q_low ?sl good tt] => set (slack := sl) end.
  change (rnd64 (rnd64 (Rabs (rnd64 (alpha * H)) + Rabs q) * bpow radix2 (-100) + rnd64 (Rabs alpha * O))) with slack in S. set (t := rnd64 (low + rnd64 (p_low + q_low))) in *.
  assert (Ft' : format64 t) by apply rnd64_format. assert (Fsl : format64 slack) by apply rnd64_format. assert (Fs : format64 s) by apply rnd64_format.
  assert (One : scaled (alpha * X + beta * c) (false, 0%Z) = alpha * X + beta * c) by (unfold scaled; cbn [fst snd]; change (bpow radix2 0) with 1; ring).
  split.
  - unfold general_decides. cbv zeta. intros Dec. apply andb_prop in Dec as (Dec & G). destruct (Good G) as (G1 & G2 & G3). destruct (S G1 G2 G3 HX eq_refl) as (S0 & S1).
    change (rd64 (low + rd64 (p_low + q_low))) with t in Dec. destruct (round_between64 is_nan s t slack (false, 0%Z) before) as (dec, result) eqn:E. cbn [fst snd] in *. subst dec. rewrite <- One.
    apply (round_between64_correct is_nan s t slack _ before result (false, 0%Z)); auto.
  - intros Hs. unfold general_decides. cbv zeta. intros Dec. apply andb_prop in Dec as (Dec & G). destruct (Good G) as (G1 & G2 & G3). destruct (S G1 G2 G3 HX eq_refl) as (S0 & S1).
    change (rd64 (low + rd64 (p_low + q_low))) with t in Dec. destruct (round_between32 is_nan s t slack (false, 0%Z) before) as (dec, result) eqn:E. cbn [fst snd] in *. subst dec. rewrite <- One.
    apply (round_between32_correct is_nan s t slack _ before result (false, 0%Z)); auto.
Qed.
End General.
