(* The test of a component of a complex result on GPUs (cuda/exact/combine_parts.hpp: LeadingCombination). Real numbers stand for doubles. *)
From Coq Require Import ZArith Reals Lra Lia Bool List.
From Flocq Require Import Core Mult_error Plus_error.
From Proofs Require Import Semantics Floats Eft ZivSource Sums LanesSource Lanes BetweenSource Between GeneralSource General CombineSource.

Open Scope R_scope.

(* Multiples of 2^-960, which roundings keep. *)
Definition on_grid (x : R) : Prop := exists n : Z, x = IZR n * bpow radix2 (-960).

Lemma multiple_on_grid (n e : Z) : (-960 <= e)%Z -> on_grid (IZR n * bpow radix2 e).
Proof.
  intros He. exists (n * 2 ^ (e + 960))%Z. rewrite mult_IZR, (IZR_Zpower radix2) by lia. rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia.
Qed.

Lemma sum_on_grid (x y : R) : on_grid x -> on_grid y -> on_grid (x + y).
Proof. intros (m & ->) (n & ->). exists (m + n)%Z. rewrite plus_IZR. ring. Qed.

Lemma rounded_on_grid (x : R) : on_grid x -> on_grid (rnd64 x).
Proof.
  intros (n & E). destruct (Z.le_gt_cases (-960) (cexp radix2 fexp64 x)) as [L|L].
  - unfold round, F2R. cbn [Fnum Fexp]. now apply multiple_on_grid.
  - rewrite rnd64_exact; [now exists n|]. rewrite E. apply generic_format_F2R. intros _. unfold F2R. cbn [Fnum Fexp]. rewrite <- E. lia.
Qed.

Lemma large_on_grid (x : R) : format64 x -> bpow radix2 (-900) <= Rabs x -> on_grid x.
Proof.
  intros F H. unfold generic_format in F. rewrite F. unfold F2R. cbn [Fnum Fexp]. apply multiple_on_grid. unfold cexp, FLT_exp.
  assert (M := mag_ge_bpow radix2 x (-899) H). lia.
Qed.

Lemma grid_size (x : R) : on_grid x -> x = 0 \/ bpow radix2 (-960) <= Rabs x.
Proof.
  intros (n & ->). assert (P := bpow_gt_0 radix2 (-960)). destruct (Z.eq_dec n 0) as [->|N]; [left; ring | right].
  rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _)) by lra. rewrite <- (Rmult_1_l (bpow radix2 (-960))) at 1. apply Rmult_le_compat_r; [lra|]. rewrite <- abs_IZR. apply IZR_le. lia.
Qed.

Section Combination.
Variable within : R -> Z -> Z -> bool.
Hypothesis within_right : forall x low high, within x low high = true -> bpow radix2 low <= Rabs x.
Variable finite : R -> bool.

Definition totals : Type := (R * R * R * R * bool)%type.

(* A term: its factor, head, tail and error, and the number x that they describe. *)
Record term : Type := { factor : R; term_head : R; term_tail : R; term_error : R; number : R }.
Definition term_known (t : term) : Prop := format64 (factor t) /\ format64 (term_head t) /\ 0 <= term_error t /\
  Rabs (term_tail t) <= bpow radix2 (-52) * Rabs (term_head t) /\ Rabs (number t - (term_head t + term_tail t)) <= term_error t.
Definition add (st : totals) (t : term) : totals :=
  let '(head, tail, size, error, good) := st in combination_add within finite st head tail size error good (factor t) (term_head t) (term_tail t) (term_error t).
Definition exact (ts : list term) : R := fold_right (fun t s => factor t * number t + s) 0 ts.

(* What holds after k terms with the exact sum x. *)
Definition combined (k x : R) (st : totals) : Prop := let '(h, t, s, e, g) := st in
  format64 h /\ format64 t /\ format64 s /\ format64 e /\ 0 <= s /\ 0 <= e /\
  (g = true -> on_grid h /\ (s = 0 \/ bpow radix2 (-900) <= s) /\ Rabs h <= s /\ Rabs t <= 6 * k * (u64 * s) /\ Rabs (x - (h + t)) <= e + 32 * k * (u64 * (u64 * s))).

Lemma fma_up_above (a b c : R) : format64 (fma_up a b c) /\ a * b + c <= fma_up a b c.
Proof.
  unfold fma_up. split; [apply generic_format_round; typeclasses eauto|]. apply (round_UP_pt radix2 (FLT_exp (-1074) 53)).
Qed.

Lemma low_part (f h l p : R) : format64 f -> format64 h -> Rabs l <= bpow radix2 (-52) * Rabs h -> p = rnd64 (f * h) -> bpow radix2 (-900) <= Rabs p ->
  let low := rnd64 (f * l + rnd64 (f * h - p)) in Rabs low <= 3.1 * (u64 * Rabs p) /\ Rabs (f * h + f * l - (p + low)) <= 3.1 * (u64 * (u64 * Rabs p)).
Proof.
  intros Ff Fh Hl Ep Hp low. assert (N := normal64_positive). assert (Nn : 0 < u64 * normal64) by (apply Rmult_lt_0_compat; [unfold u64; lra | exact N]).
  assert (Tiny : u64 * normal64 * bpow radix2 150 <= Rabs p).
  { eapply Rle_trans; [|exact Hp]. rewrite u64_bpow. unfold normal64. rewrite <- !bpow_plus. apply bpow_le. lia. }
  assert (B150 : 1000000000000000000000000000000000000000000 <= bpow radix2 150) by (change (bpow radix2 150) with (IZR (2 ^ 150)); apply IZR_le; vm_compute; discriminate).
  set (eta := u64 * normal64) in *. assert (Small : eta * 1000000000000000000000000000000000000000000 <= Rabs p) by (eapply Rle_trans; [apply Rmult_le_compat_l; [lra | exact B150] | exact Tiny]).
  destruct (product_error f h Ff Fh) as (_ & Ex). cbv zeta in Ex. rewrite <- Ep in Ex. set (e := rnd64 (f * h - p)) in *. specialize (Ex Hp). assert (Ee : f * h = p + e) by lra.
  assert (Bp := rnd64_error (f * h)). rewrite <- Ep in Bp. fold eta in Bp. assert (Pp := Rabs_pos p).
  assert (A : Rabs (f * h) <= Rabs p + Rabs (p - f * h)) by (replace (f * h) with (p + - (p - f * h)) at 1 by ring; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra).
  assert (He : Rabs e <= 1.001 * (u64 * Rabs p)) by (replace e with (- (p - f * h)) by lra; rewrite Rabs_Ropp; unfold u64 in *; lra).
  assert (Hw : Rabs (f * l) <= 2.001 * (u64 * Rabs p)).
  { rewrite Rabs_mult. apply Rle_trans with (Rabs f * (bpow radix2 (-52) * Rabs h)); [apply Rmult_le_compat_l; [apply Rabs_pos | exact Hl]|].
    replace (Rabs f * (bpow radix2 (-52) * Rabs h)) with (bpow radix2 (-52) * Rabs (f * h)) by (rewrite Rabs_mult; ring). change (bpow radix2 (-52)) with (/ 4503599627370496). unfold u64 in *. lra. }
  assert (B := rnd64_error (f * l + e)). fold low eta in B. assert (T := Rabs_triang (f * l) e). split.
  - replace low with ((f * l + e) + (low - (f * l + e))) by ring. eapply Rle_trans; [apply Rabs_triang|]. unfold u64 in *. lra.
  - rewrite Ee. replace (p + e + f * l - (p + low)) with (- (low - (f * l + e))) by ring. rewrite Rabs_Ropp. unfold u64 in *. lra.
Qed.

Lemma add_combined (k x : R) (st : totals) (t : term) : 0 <= k <= 3 -> term_known t -> combined k x st -> combined (k + 1) (x + factor t * number t) (add st t).
Proof.
  destruct st as ((((h, tl), s), e), g). destruct t as [f xh xt xe v]. unfold term_known. cbn [factor term_head term_tail term_error number]. intros Hk (Ff & Fh & Pe & Ht & Hx) C.
  assert (C' := C). destruct C as (F1 & F2 & F3 & F4 & P3 & P4 & Inv). unfold add, combination_add. cbv zeta. cbn [factor term_head term_tail term_error].
  assert (Us : 0 <= u64 * s) by (apply Rmult_le_pos; [unfold u64|]; lra). assert (Uus : 0 <= u64 * (u64 * s)) by (apply Rmult_le_pos; [unfold u64|]; lra).
  assert (Zero : forall y, Rabs y <= 0 -> y = 0) by (intros y Hy; destruct (Req_dec y 0) as [W|W]; [exact W | apply Rabs_pos_lt in W; lra]).
  assert (Skip : f * v = 0 -> combined (k + 1) (x + f * v) (h, tl, s, e, g)).
  { intros E. rewrite E, Rplus_0_r. do 6 (split; [assumption|]). intros G. destruct (Inv G) as (I1 & I2 & I3 & I4 & I5). do 3 (split; [assumption|]). split; lra. }
  destruct (Req_bool_spec f (IZR 0)) as [Zf|Nf]; cbn [orb]; [apply Skip; rewrite Zf; ring|].
  destruct (Req_bool_spec xh (IZR 0)) as [Zh|Nh]; cbn [andb].
  - (* no head: only an error *)
    assert (Tz : xt = 0) by (apply Zero; rewrite Zh, Rabs_R0, Rmult_0_r in Ht; exact Ht). rewrite Zh, Tz in *. rewrite !Rplus_0_r, Rminus_0_r in Hx.
    destruct (Req_bool xe (IZR 0) && finite f)%bool eqn:Sk; [apply Skip; apply andb_prop in Sk as (Sk & _); destruct (Req_bool_spec xe (IZR 0)) as [Ze|]; [|discriminate]; rewrite (Zero v) by lra; ring|].
    rewrite !Rmult_0_r. assert (R0 : rd64 0 = 0) by apply rnd64_exact, generic_format_0. rewrite R0, Ropp_0, Rplus_0_r, R0. rewrite Rplus_0_r, R0. unfold two_sum_source, add_rn_source. cbv zeta. cbn [fst snd].
    assert (Rh : rd64 (h + 0) = h) by (rewrite Rplus_0_r; now apply rnd64_exact). rewrite !Rh.
    replace (h + - h) with 0 by ring. rewrite !R0, Ropp_0, !Rplus_0_r. rewrite !(rnd64_exact h F1 : rd64 h = h). replace (h + - h) with 0 by ring. rewrite !R0, !Rplus_0_r, !R0, !Rplus_0_r, (rnd64_exact tl F2 : rd64 tl = tl), Rabs_R0, Rplus_0_r, (rnd64_exact s F3 : rd64 s = s).
    destruct (fma_up_above (Rabs f) xe e) as (Fu & Au). assert (Pf := Rabs_pos f). assert (Fv : Rabs (f * v) <= Rabs f * xe) by (rewrite Rabs_mult; apply Rmult_le_compat_l; assumption).
    assert (Q : 0 <= Rabs f * xe) by (apply Rmult_le_pos; assumption). unfold combined. do 4 (split; [assumption|]). split; [exact P3|]. split; [lra|].
    intros G. apply andb_prop in G as (G & _). destruct (Inv G) as (I1 & I2 & I3 & I4 & I5). do 3 (split; [assumption|]). split; [lra|].
    replace (x + f * v - (h + tl)) with ((x - (h + tl)) + f * v) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
  - unfold two_sum_source, add_rn_source. cbv zeta. cbn [fst snd]. set (p := rd64 (f * xh)) in *. assert (Fp : format64 p) by apply rnd64_format.
    assert (Low := two_sum_low h p F1 Fp). cbv zeta in Low. unfold Rminus in Low. change (rd64) with (fun z => rnd64 z) in *. cbv beta in *. rewrite Low. clear Low.
    fold p. set (low := rnd64 (f * xt + rnd64 (f * xh + - p))). set (h' := rnd64 (h + p)). set (s' := rnd64 (s + Rabs p)). set (sl := h + p + - h'). set (m := rnd64 (sl + low)). set (t' := rnd64 (tl + m)).
    destruct (fma_up_above (Rabs f) xe e) as (Fu & Au). assert (Pf := Rabs_pos f). assert (Pp := Rabs_pos p). assert (S1 : s <= s') by (apply below_sum; assumption).
    assert (S2 : Rabs p <= s') by (unfold s'; rewrite Rplus_comm; apply below_sum; [now apply generic_format_abs | exact P3]). assert (Q : 0 <= Rabs f * xe) by (apply Rmult_le_pos; assumption).
    unfold combined. do 3 (split; [apply rnd64_format|]). split; [exact Fu|]. split; [lra|]. split; [lra|]. intros G. apply andb_prop in G as (G & W). destruct (Inv G) as (I1 & I2 & I3 & I4 & I5).
    assert (Hp : bpow radix2 (-900) <= Rabs p). { apply orb_prop in W as [W|W]; [now apply (within_right _ _ 1000)|]. rewrite andb_false_r in W. discriminate. }
    destruct (low_part f xh xt p Ff Fh Ht eq_refl Hp) as (L1 & L2). cbv zeta in L1, L2. unfold Rminus in L1, L2. fold low in L1, L2.
    split; [apply rounded_on_grid, sum_on_grid; [exact I1 | now apply large_on_grid]|]. split; [right; lra|].
    split; [unfold h'; apply rnd64_abs_le; eapply Rle_trans; [apply Rabs_triang|]; lra|].
    assert (B1 := rnd64_sum h p F1 Fp). fold h' in B1. assert (T1 := Rabs_triang h p). assert (Hsl : Rabs sl <= 2 * (u64 * s')).
    { replace sl with (- (h' - (h + p))) by (unfold sl; ring). rewrite Rabs_Ropp. unfold u64 in *. lra. }
    assert (Fsl : format64 sl) by (unfold sl; apply format64_error; assumption). assert (B2 := rnd64_sum sl low Fsl (rnd64_format _)). fold m in B2. assert (T2 := Rabs_triang sl low).
    assert (Hm : Rabs m <= 5.2 * (u64 * s')) by (replace m with ((sl + low) + (m - (sl + low))) by ring; eapply Rle_trans; [apply Rabs_triang|]; unfold u64 in *; lra).
    assert (B3 := rnd64_sum tl m F2 (rnd64_format _)). fold t' in B3. assert (T3 := Rabs_triang tl m). assert (Us' : 0 <= u64 * s') by (apply Rmult_le_pos; [unfold u64|]; lra).
    assert (K1 : 6 * k * (u64 * s) <= 6 * k * (u64 * s')) by (apply Rmult_le_compat_l; [lra | unfold u64; lra]). assert (K2 : k * (u64 * s') <= 3 * (u64 * s')) by (apply Rmult_le_compat_r; lra). assert (K3 : 0 <= k * (u64 * s')) by (apply Rmult_le_pos; lra).
    split.
    + replace t' with ((tl + m) + (t' - (tl + m))) by ring. eapply Rle_trans; [apply Rabs_triang|]. unfold u64 in *. lra.
    + assert (E : x + f * v - (h' + t') = (x - (h + tl)) + (f * (v - (xh + xt)) + ((f * xh + f * xt - (p + low)) + (- (m - (sl + low)) + - (t' - (tl + m)))))) by (unfold sl; ring).
      assert (Fv : Rabs (f * (v - (xh + xt))) <= Rabs f * xe) by (rewrite Rabs_mult; apply Rmult_le_compat_l; assumption). unfold Rminus in Fv. rewrite E. unfold Rminus in *.
      eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l; apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l; apply Rabs_triang|].
      eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l, Rplus_le_compat_l; apply Rabs_triang|]. rewrite !Rabs_Ropp.
      assert (K4 : 32 * k * (u64 * (u64 * s)) <= 32 * k * (u64 * (u64 * s'))) by (apply Rmult_le_compat_l; [lra | unfold u64; lra]).
      assert (K5 : k * (u64 * (u64 * s')) <= 3 * (u64 * (u64 * s'))) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; [unfold u64|]; lra | lra]).
      assert (K6 : 0 <= k * (u64 * (u64 * s'))) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; [unfold u64|]; lra]).
      unfold u64 in *. lra.
Qed.

Lemma all_combined (ts : list term) : (length ts <= 4)%nat -> Forall term_known ts -> combined 4 (exact ts) (fold_left add ts (0, 0, 0, 0, true)).
Proof.
  intros Hn Hk. enough (Q : forall ts k x st, (k + INR (length ts) <= 4) -> 0 <= k -> Forall term_known ts -> combined k x st -> combined (k + INR (length ts)) (x + exact ts) (fold_left add ts st)).
  { specialize (Q ts (4 - INR (length ts)) 0 (0, 0, 0, 0, true)). replace (4 - INR (length ts) + INR (length ts)) with 4 in Q by ring. rewrite Rplus_0_l in Q. apply Q; auto; [lra | |].
    - apply le_INR in Hn. change (INR 4) with (1 + 1 + 1 + 1) in Hn. lra.
    - unfold combined. rewrite Rabs_R0. do 4 (split; [apply generic_format_0|]). do 2 (split; [lra|]). intros _. split; [exists 0%Z; ring|]. split; [now left|]. rewrite !Rmult_0_r, !Rplus_0_r, Rminus_0_r, Rabs_R0. repeat split; lra. }
  clear ts Hn Hk. induction ts as [|t ts IH]; intros k x st Hn Pk Hk C; [cbn; now rewrite !Rplus_0_r|]. cbn [fold_left length exact fold_right] in *. rewrite S_INR in *. assert (P := pos_INR (length ts)). inversion Hk as [|? ? H1 H2]. subst.
  replace (k + (INR (length ts) + 1)) with (k + 1 + INR (length ts)) by ring. fold (exact ts). replace (x + (factor t * number t + exact ts)) with (x + factor t * number t + exact ts) by ring.
  apply IH; [lra | lra | exact H2|]. apply add_combined; [lra | exact H1 | exact C].
Qed.

(* The bound that the test gets. *)
Lemma bound_right (x h t s e : R) : combined 4 x (h, t, s, e, true) -> let b := combination_bound s e in
  format64 b /\ e <= b /\ (s <> 0 -> Rabs (x - (h + t)) <= b - (Rabs t + b) / 2 ^ 51).
Proof.
  intros (F1 & F2 & F3 & F4 & P3 & P4 & Inv). destruct (Inv eq_refl) as (I1 & I2 & I3 & I4 & I5). unfold combination_bound. cbv zeta. rewrite Rmult_1_l.
  replace (IZR 1 / IZR 1099511627776) with (bpow radix2 (-40)) by (simpl; lra). rewrite one_and_power by lia. change (bpow radix2 (-40)) with (/ 1099511627776). change (bpow radix2 (-98)) with (/ 316912650057057350374175801344).
  set (r := rd64 (e * (1 + / 1099511627776))). set (b := rd64 (s * _ + r)). assert (R1 : e <= r) by (unfold r; rewrite <- (rnd64_exact e F4) at 1; apply rnd64_le; lra).
  assert (Fr : format64 r) by apply rnd64_format. split; [apply rnd64_format|]. split.
  - apply Rle_trans with r; [exact R1|]. unfold b. rewrite Rplus_comm. apply below_sum; [exact Fr | apply Rmult_le_pos; lra].
  - intros Ns. destruct I2 as [I2|I2]; [contradiction|]. assert (N := normal64_positive). assert (Nn : 0 < u64 * normal64) by (apply Rmult_lt_0_compat; [unfold u64; lra | exact N]).
    assert (Tiny : u64 * normal64 * bpow radix2 150 <= s).
    { eapply Rle_trans; [|exact I2]. rewrite u64_bpow. unfold normal64. rewrite <- !bpow_plus. apply bpow_le. lia. }
    assert (B150 : 1000000000000000000000000000000000000000000 <= bpow radix2 150) by (change (bpow radix2 150) with (IZR (2 ^ 150)); apply IZR_le; vm_compute; discriminate).
    set (eta := u64 * normal64) in *. assert (Small : eta * 1000000000000000000000000000000000000000000 <= s) by (eapply Rle_trans; [apply Rmult_le_compat_l; [lra | exact B150] | exact Tiny]).
    assert (B1 := rnd64_error (e * (1 + / 1099511627776))). change (rnd64 (e * (1 + / 1099511627776))) with r in B1. fold eta in B1. rewrite (Rabs_pos_eq (e * _)) in B1 by (apply Rmult_le_pos; lra).
    assert (B2 := rnd64_error (s * / 316912650057057350374175801344 + r)). change (rnd64 (s * / 316912650057057350374175801344 + r)) with b in B2. fold eta in B2. rewrite (Rabs_pos_eq (s * _ + r)) in B2 by lra.
    split_abs B1. split_abs B2. unfold u64 in *. lra.
Qed.

(* Theorem: if the test of up to four terms decides a component, it is RN of the exact sum, for doubles and for floats, and it is zero only if the exact sum is: so no sign of an underflow is lost. *)
Theorem combination_correct (is_nan : R -> bool) (before : R) (ts : list term) : (length ts <= 4)%nat -> Forall term_known ts ->
  let '(head, tail, size, error, good) := fold_left add ts (0, 0, 0, 0, true) in
  let bound := combination_bound size error in
  (let found := round_between64 is_nan head tail bound (false, 0%Z) (combination_zero before) in
    let result := if (Req_bool size 0 && Req_bool error 0)%bool then combination_zero before else snd found in
    combination_decides (fun h t b _ _ => fst (round_between64 is_nan h t b (false, 0%Z) (combination_zero before))) (fun _ => Req_bool (snd found) 0) head tail size error good tt = true ->
    result = rnd64 (exact ts) /\ (result = 0 -> exact ts = 0)) /\
  (let found := round_between32 is_nan head tail bound (false, 0%Z) (combination_zero before) in
    let result := if (Req_bool size 0 && Req_bool error 0)%bool then combination_zero before else snd found in
    combination_decides (fun h t b _ _ => fst (round_between32 is_nan h t b (false, 0%Z) (combination_zero before))) (fun _ => Req_bool (snd found) 0) head tail size error good tt = true ->
    result = rnd32 (exact ts) /\ (result = 0 -> exact ts = 0)).
Proof.
  intros Hn Hk. assert (C := all_combined ts Hn Hk). destruct (fold_left add ts _) as ((((h, t), s), e), g). cbv zeta. unfold combination_decides. fold (combination_bound s e).
  assert (One : scaled (exact ts) (false, 0%Z) = exact ts) by (unfold scaled; cbn [fst snd]; change (bpow radix2 0) with 1; ring).
  assert (Zero : forall y, Rabs y <= 0 -> y = 0) by (intros y Hy; destruct (Req_dec y 0) as [W|W]; [exact W | apply Rabs_pos_lt in W; lra]).
  change (IZR 0) with 0. destruct (Req_bool_spec s 0) as [Zs|Ns]; cbn [andb].
  - (* every number is zero *)
    assert (Small : g = true -> h = 0 /\ t = 0 /\ Rabs (exact ts) <= e).
    { intros ->. destruct C as (_ & _ & _ & _ & _ & _ & Inv). destruct (Inv eq_refl) as (_ & _ & I3 & I4 & I5). rewrite Zs, !Rmult_0_r in *. rewrite (Zero h I3), (Zero t I4) in *. rewrite !Rplus_0_r, Rminus_0_r in I5. auto. }
    destruct (Req_bool_spec e 0) as [Ze|Ne].
    + split; intros G; destruct (Small G) as (_ & _ & X); rewrite Ze in X; rewrite (Zero _ X); unfold combination_zero; (split; [symmetry; apply round_0; typeclasses eauto | reflexivity]).
    + split; intros D; apply andb_prop in D as (D & Nz); apply andb_prop in D as (G & D); destruct (Small G) as (-> & -> & _); subst g; exfalso.
      * destruct (bound_right _ _ _ _ _ C) as (Fb & Eb & _). unfold round_between64 in D, Nz. cbn [fst snd Z.eqb Pos.eqb] in D, Nz. cbv zeta in D, Nz. cbn [fst snd] in D, Nz. set (b := combination_bound s e) in *.
        change rd64 with (fun z => rnd64 z) in *. cbv beta in *. unfold Rminus in *. rewrite !Rplus_0_l, !rnd64_opp, !(rnd64_exact b Fb), ?rnd64_opp, ?(rnd64_exact b Fb) in *. destruct C as (_ & _ & _ & _ & _ & P4 & _).
        destruct (Req_bool_spec (- b) b) as [Q|Q]; [lra | discriminate].
      * destruct (bound_right _ _ _ _ _ C) as (Fb & Eb & _). unfold round_between32 in D, Nz. cbn [fst snd Z.eqb Pos.eqb] in D, Nz. cbv zeta in D, Nz. cbn [fst snd] in D, Nz. set (b := combination_bound s e) in *.
        change rd64 with (fun z => rnd64 z) in *. cbv beta in *. rewrite Rabs_R0, Rmult_0_l, Rplus_0_l in *. unfold Rminus in *. rewrite !Rplus_0_l, !rnd64_opp, !(rnd64_exact b Fb), ?rnd64_opp, ?(rnd64_exact b Fb) in *.
        unfold scaled in D, Nz. cbn [fst snd] in D, Nz. change (bpow radix2 0) with 1 in *. rewrite !Rmult_1_r in *. apply andb_prop in D as (D & _). unfold rd32 in D, Nz. rewrite round_NE_opp in D.
        destruct (Req_bool_spec (- rnd32 b) (rnd32 b)) as [Q|Q]; [|discriminate]. destruct (Req_bool_spec (rnd32 b) 0) as [W|W]; [discriminate | lra].
  - split; intros D; apply andb_prop in D as (D & Nz); apply andb_prop in D as (G & D); subst g; destruct (bound_right _ _ _ _ _ C) as (Fb & Eb & X); specialize (X Ns);
      destruct C as (F1 & F2 & F3 & F4 & P3 & P4 & Inv); destruct (Inv eq_refl) as (I1 & _).
    + destruct (round_between64 is_nan h t _ _ _) as (dec, out) eqn:E. cbn [fst snd] in *. subst dec.
      assert (R : out = rnd64 (scaled (exact ts) (false, 0%Z))) by (apply (round_between64_correct is_nan h t (combination_bound s e) _ (combination_zero before) out (false, 0%Z)); auto; lra). rewrite One in R.
      split; [exact R|]. intros Z. rewrite Z, Req_bool_true in Nz by reflexivity. discriminate.
    + destruct (round_between32 is_nan h t _ _ _) as (dec, out) eqn:E. cbn [fst snd] in *. subst dec.
      assert (R : out = rnd32 (scaled (exact ts) (false, 0%Z))) by (apply (round_between32_correct is_nan h t (combination_bound s e) _ (combination_zero before) out (false, 0%Z)); auto; [lra | now apply grid_size]). rewrite One in R.
      split; [exact R|]. intros Z. rewrite Z, Req_bool_true in Nz by reflexivity. discriminate.
Qed.
End Combination.
