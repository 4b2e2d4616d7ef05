(* The test of an interval of integers as the engines call it: round_within, lib/numerics/finish.hpp. *)
From Coq Require Import ZArith Reals Lra Lia Bool Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts RoundSource Rounding Floats IntervalSource Interval.

Open Scope R_scope.

Lemma sg_square (n : bool) : sg n * sg n = 1.
Proof. destruct n; simpl; lra. Qed.

Lemma sg_abs (n : bool) (x : R) : Rabs (sg n * x) = Rabs x.
Proof. rewrite Rabs_mult. replace (Rabs (sg n)) with 1 by (destruct n; simpl; [rewrite Rabs_left | rewrite Rabs_pos_eq]; lra). ring. Qed.

Lemma sg_differs (p q : bool) : sg (negb (Z.b2z p =? Z.b2z q)%Z) = sg p * sg q.
Proof. destruct p, q; simpl; lra. Qed.

Section Within.

Variable decode : R -> Z * Z * bool.
Hypothesis decode_value : forall x, format64 x ->
  (0 <= mantissa_of (decode x) < 2 ^ 53)%Z /\ x = sg (sign_of (decode x)) * (IZR (mantissa_of (decode x)) * pow (exponent_of (decode x))).

Lemma decode_positive (x : R) : format64 x -> 0 <= x -> x = IZR (mantissa_of (decode x)) * pow (exponent_of (decode x)).
Proof.
  intros F H. destruct (decode_value x F) as (B & E). set (m := mantissa_of (decode x)) in *. set (e := exponent_of (decode x)) in *.
  assert (P := bpow_gt_0 radix2 e). assert (M : 0 <= IZR m) by (apply IZR_le; lia). assert (Q : 0 <= IZR m * pow e) by (apply Rmult_le_pos; lra).
  destruct (sign_of (decode x)); simpl sg in E; lra.
Qed.

Lemma round_up_scaled_bound (x : R) (shift e : Z) : format64 x -> 0 <= x -> round_up_scaled decode x shift = (true, e) ->
  (0 <= e <= 2 ^ 120)%Z /\ x * pow shift <= IZR e.
Proof.
  intros F H. unfold round_up_scaled. change (wrap 128 0) with 0%Z. change (wrap 64 0) with 0%Z. change (wrap 128 1) with 1%Z.
  assert (V := decode_positive x F H). destruct (decode_value x F) as (B & _). set (m := mantissa_of (decode x)) in *. set (ex := exponent_of (decode x)) in *. cbv zeta.
  destruct (Z.eqb_spec m 0) as [Z|Z].
  - intros E. apply pair_equal_spec in E. destruct E as [_ <-]. split; [lia|]. rewrite V, Z. lra.
  - set (s := (ex + shift)%Z). assert (Vs : x * pow shift = IZR m * pow s) by (rewrite V, Rmult_assoc, <- bpow_plus; reflexivity). rewrite Vs. clear Vs V.
    assert (E120 : (2 ^ 120 = 2 ^ 53 * 2 ^ 67)%Z) by reflexivity.
    rewrite Z.gtb_ltb. destruct (Z.ltb_spec (120 - 53) s) as [L|L]; [intros E; apply pair_equal_spec in E; destruct E as [E _]; discriminate E|].
    intros E. apply pair_equal_spec in E. destruct E as [_ <-]. rewrite Z.geb_leb, Z.gtb_ltb.
    destruct (Z.leb_spec 0 s) as [S|S]; [|destruct (Z.ltb_spec (-64) s) as [T|T]].
    + rewrite Z.shiftl_mul_pow2 by lia. assert (P : (0 < 2 ^ s <= 2 ^ 67)%Z) by (split; [apply Z.pow_pos_nonneg | apply Z.pow_le_mono_r]; lia).
      assert (Q : (0 <= m * 2 ^ s <= 2 ^ 120)%Z) by nia. rewrite wrap_small by (split; [lia|]; apply Z.le_lt_trans with (2 ^ 120)%Z; [lia | reflexivity]).
      split; [exact Q|]. rewrite mult_IZR, pow_IZR by lia. lra.
    + rewrite Z.shiftr_div_pow2 by lia. destruct (div_real m (- s) ltac:(lia) ltac:(lia)) as (_ & D). rewrite Z.opp_involutive in D.
      assert (Q : (0 <= m / 2 ^ (- s) <= m)%Z).
      { split; [apply Z.div_pos; [lia | apply Z.pow_pos_nonneg; lia]|]. apply Z.div_le_upper_bound; [apply Z.pow_pos_nonneg; lia|].
        assert (0 < 2 ^ (- s))%Z by (apply Z.pow_pos_nonneg; lia). nia. }
      assert (Q53 : (2 ^ 53 + 1 <= 2 ^ 120)%Z) by (vm_compute; discriminate). assert (Q120 : (2 ^ 120 < 2 ^ 128)%Z) by reflexivity.
      rewrite wrap_small by lia. split; [lia|]. rewrite plus_IZR. lra.
    + rewrite wrap_small by (split; [lia | reflexivity]). split; [split; [lia | vm_compute; discriminate]|]. change (IZR (0 + 1)) with 1.
      apply Rle_trans with (pow 53 * pow (-64)).
      * apply Rmult_le_compat; [apply IZR_le; lia | apply bpow_ge_0 | rewrite <- (pow_IZR 53) by lia; apply IZR_le; lia | apply bpow_le; lia].
      * rewrite <- bpow_plus. change 1 with (pow 0). apply bpow_le. lia.
Qed.

(* S = +-(high 2^64 + low + rest) 2^shift, and a number within the error of S. *)
Variables (negative lost : bool) (high low shift exponent : Z) (rest near : R) (alpha error : R).
Let size := (IZR high * pow 64 + IZR low + rest) * pow shift.
Hypothesis high_range : (high = 0%Z /\ low = 0%Z /\ rest = 0) \/ (2 ^ 63 <= high < 2 ^ 64)%Z.
Hypothesis low_range : (0 <= low < 2 ^ 64)%Z.
Hypothesis rest_range : 0 <= rest < 1.
Hypothesis lost_rest : lost = true <-> 0 < rest.
Hypothesis alpha_format : format64 alpha.
Hypothesis error_format : format64 error.
Hypothesis near_within : Rabs (near - sg negative * size) <= error.

Lemma error_nonnegative : 0 <= error.
Proof. eapply Rle_trans; [apply Rabs_pos | exact near_within]. Qed.

Lemma near_size : Rabs (sg negative * near - size) <= error.
Proof. rewrite <- (sg_abs negative). replace (sg negative * (sg negative * near - size)) with (sg negative * sg negative * near - sg negative * size) by ring. now rewrite sg_square, Rmult_1_l. Qed.

(* alpha by its factor of 64 bits. *)
Lemma factor_of_value : exists err f fe pn, factor_of decode negative alpha error = (decode alpha, err, f, fe, pn) /\
  (f = 0%Z \/ (2 ^ 63 <= f < 2 ^ 64)%Z) /\ alpha = sg negative * sg pn * (IZR f * pow fe) /\ ((f = 0%Z /\ err = 0) \/ (f <> 0%Z /\ err = error)).
Proof.
  unfold factor_of. change (wrap 64 0) with 0%Z. cbv zeta. destruct (decode_value alpha alpha_format) as (B & E).
  set (m := mantissa_of (decode alpha)) in *. set (ex := exponent_of (decode alpha)) in *. do 4 eexists. split; [reflexivity|].
  rewrite sg_differs. replace (sg negative * (sg negative * sg (sign_of (decode alpha)))) with (sg negative * sg negative * sg (sign_of (decode alpha))) by ring.
  rewrite sg_square, Rmult_1_l. destruct (Z.eqb_spec m 0) as [Z|Z].
  - rewrite Z in *. change (wrap 64 (Z.shiftl 0 0)) with 0%Z. split; [now left|]. split; [rewrite E at 1; ring | left; auto].
  - assert (E53 : (2 ^ 53 < 2 ^ 64)%Z) by reflexivity. destruct (leading_zeros_value m ltac:(lia)) as (Z0 & Z1). rewrite Z.shiftl_mul_pow2 by lia.
    assert (H63 : (0 < 2 ^ 63)%Z) by reflexivity. rewrite wrap_small by lia. split; [right; exact Z1|]. split; [|right; split; [lia | reflexivity]].
    rewrite E at 1. f_equal. rewrite mult_IZR, pow_IZR by lia. unfold Z.sub. rewrite bpow_plus.
    replace (IZR m * pow (leading_zeros m) * (pow ex * pow (- leading_zeros m))) with (IZR m * pow ex * (pow (leading_zeros m) * pow (- leading_zeros m))) by ring.
    rewrite pow_inverse. ring.
Qed.

Section Product.

Variables (f fe : Z) (pn : bool) (err : R).
Hypothesis f_range : f = 0%Z \/ (2 ^ 63 <= f < 2 ^ 64)%Z.
Hypothesis f_alpha : alpha = sg negative * sg pn * (IZR f * pow fe).
Hypothesis err_error : (f = 0%Z /\ err = 0) \/ (f <> 0%Z /\ err = error).

Lemma product_sign : sg pn * (alpha * near * pow exponent) = IZR f * pow fe * (sg negative * near) * pow exponent.
Proof. rewrite f_alpha. replace (sg pn * (sg negative * sg pn * (IZR f * pow fe) * near * pow exponent)) with (sg pn * sg pn * (IZR f * pow fe * (sg negative * near) * pow exponent)) by ring. rewrite sg_square. ring. Qed.

Lemma product_of_value (general : Z -> Z -> Z -> bool -> Z -> Z -> Z -> bool -> bool * Z) (before out : Z) :
  product_of decode general high low shift lost err exponent f fe pn before = (true, out) ->
  exists xv xr xe, (0 <= xv < 2 ^ 128)%Z /\ (0 <= xr < 2 ^ 128)%Z /\
    Rabs (alpha * near * pow exponent - sg pn * (IZR xv * pow xe)) <= IZR xr * pow xe /\ general xv xr xe pn 0%Z 0%Z 0%Z false = (true, out).
Proof.
  unfold product_of. change (wrap 128 0) with 0%Z. change (wrap 64 0) with 0%Z. cbv zeta. intros H.
  assert (Sq : forall xv xr xe, Rabs (sg pn * (alpha * near * pow exponent) - IZR xv * pow xe) <= IZR xr * pow xe ->
               Rabs (alpha * near * pow exponent - sg pn * (IZR xv * pow xe)) <= IZR xr * pow xe).
  { intros xv xr xe Q. rewrite <- (sg_abs pn). replace (sg pn * (alpha * near * pow exponent - sg pn * (IZR xv * pow xe))) with (sg pn * (alpha * near * pow exponent) - sg pn * sg pn * (IZR xv * pow xe)) by ring.
    now rewrite sg_square, Rmult_1_l. }
  assert (He := error_nonnegative). assert (Hn := near_size).
  destruct (Z.eqb_spec high 0) as [Hz|Hz]; [|destruct (Z.eqb_spec f 0) as [Fz|Fz]]; simpl negb in H; simpl andb in H; cbv iota in H.
  2: { (* alpha = 0 *)
    destruct err_error as [(_ & Er)|(Q & _)]; [|lia]. rewrite Er, Rlt_bool_false in H by lra. exists 0%Z, 0%Z, 0%Z.
    repeat split; try lia; [|exact H]. apply Sq. rewrite product_sign, Fz, !Rmult_0_l, Rminus_0_r, Rabs_R0. lra. }
  - (* S = 0 *)
    destruct high_range as [(_ & Lz & Rz)|Q]; [|lia]. assert (S0 : size = 0) by (unfold size; rewrite Hz, Lz, Rz; ring). rewrite S0, Rminus_0_r in Hn.
    destruct (Rlt_bool_spec 0 err) as [Q|Q].
    + destruct err_error as [(_ & Er)|(Nf & Er)]; [lra|]. rewrite Er in *. destruct f_range as [Fr|Fr]; [lia|].
      assert (V := decode_positive error error_format He). destruct (decode_value error error_format) as (B & _).
      set (m := mantissa_of (decode error)) in *. set (de := exponent_of (decode error)) in *.
      assert (E53 : (2 ^ 53 < 2 ^ 128)%Z) by reflexivity.
      exists 0%Z, m, (exponent + de + fe + 64)%Z. repeat split; try lia; [|exact H]. apply Sq. rewrite product_sign, Rmult_0_l, Rminus_0_r.
      assert (P1 := bpow_gt_0 radix2 fe). assert (P2 := bpow_gt_0 radix2 exponent). assert (P3 := bpow_gt_0 radix2 de).
      assert (F0 : 0 <= IZR f <= pow 64) by (split; [apply IZR_le; lia | rewrite <- (pow_IZR 64) by lia; apply IZR_le; lia]).
      rewrite !Rabs_mult, (Rabs_pos_eq (IZR f)), (Rabs_pos_eq (pow fe)), (Rabs_pos_eq (pow exponent)) by lra. rewrite Rabs_mult in Hn.
      apply Rle_trans with (pow 64 * pow fe * (IZR m * pow de) * pow exponent).
      * apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat; [apply Rmult_le_pos; lra | apply Rmult_le_pos; apply Rabs_pos | apply Rmult_le_compat_r; lra | lra].
      * rewrite !bpow_plus. right. ring.
    + exists 0%Z, 0%Z, 0%Z. repeat split; try lia; [|exact H]. apply Sq. rewrite product_sign.
      assert (Z0 : IZR f * (sg negative * near) = 0).
      { destruct err_error as [(Fz & _)|(_ & Er)]; [rewrite Fz; ring|]. assert (E0 : error = 0) by lra. rewrite E0 in Hn.
        destruct (Req_dec (sg negative * near) 0) as [W|W]; [rewrite W; ring|]. apply Rabs_pos_lt in W. lra. }
      replace (IZR f * pow fe * (sg negative * near) * pow exponent) with (IZR f * (sg negative * near) * pow fe * pow exponent) by ring. rewrite Z0, !Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
  - (* both not zero *)
    destruct high_range as [Q|Hr]; [lia|]. destruct f_range as [Fr|Fr]; [lia|]. destruct err_error as [(Q & _)|(_ & Er)]; [lia|]. rewrite Er in *.
    destruct (round_up_scaled decode error (- shift)) as [[|] e] eqn:R; simpl negb in H; cbv iota in H; [|apply pair_equal_spec in H; destruct H as [H _]; discriminate H].
    destruct (round_up_scaled_bound _ _ _ error_format He R) as (Be & Ue).
    assert (E64 : (2 ^ 128 = 2 ^ 64 * 2 ^ 64)%Z) by reflexivity. assert (T64 : (0 < 2 ^ 64)%Z) by reflexivity. assert (E120 : (2 ^ 120 + 2 < 2 ^ 128)%Z) by reflexivity.
    assert (E63 : (0 < 2 ^ 63)%Z) by reflexivity.
    assert (B1 : (0 <= low * f < 2 ^ 128)%Z) by (rewrite E64; nia). assert (B2 : (0 <= high * f < 2 ^ 128)%Z) by (rewrite E64; nia).
    rewrite (wrap_small 128 (low * f)), (wrap_small 128 (high * f)) in H by assumption. rewrite Z.shiftr_div_pow2 in H by lia.
    assert (Bd : (0 <= low * f / 2 ^ 64 <= 2 ^ 64 - 2)%Z).
    { split; [apply Z.div_pos; lia|]. assert (low * f / 2 ^ 64 < 2 ^ 64 - 1)%Z by (apply Z.div_lt_upper_bound; [lia|]; nia). lia. }
    assert (Bh : (high * f <= (2 ^ 64 - 1) * (2 ^ 64 - 1))%Z) by (apply Z.mul_le_mono_nonneg; lia).
    assert (Bx : (0 <= high * f + low * f / 2 ^ 64 < 2 ^ 128)%Z) by lia.
    rewrite (wrap_small 64 (low * f / 2 ^ 64)) in H by lia. rewrite (wrap_small 128 (high * f + low * f / 2 ^ 64)) in H by exact Bx.
    change (wrap 64 (low * f)) with (low * f mod 2 ^ 64)%Z in H.
    set (x := (high * f + low * f / 2 ^ 64)%Z) in *. assert (Dm := Z.div_mod (low * f) (2 ^ 64) ltac:(lia)). assert (Mb := Z.mod_pos_bound (low * f) (2 ^ 64) T64).
    set (lm := (low * f mod 2 ^ 64)%Z) in *. set (more := (lost || negb (lm =? 0)%Z)%bool) in *.
    assert (Bm : (0 <= Z.b2z more <= 1)%Z) by (destruct more; simpl; lia).
    rewrite (wrap_small 128 (2 * Z.b2z more)), wrap_small in H by lia.
    exists x, (e + 2 * Z.b2z more)%Z, (exponent + shift + fe + 64)%Z. split; [exact Bx|]. split; [lia|]. split; [|exact H]. clear H. apply Sq. rewrite product_sign.
    set (xe := (exponent + shift + fe + 64)%Z). assert (P := bpow_gt_0 radix2 xe). assert (P64 := bpow_gt_0 radix2 (-64)).
    assert (Px : pow fe * pow exponent = pow (-64) * pow (- shift) * pow xe) by (rewrite <- !bpow_plus; f_equal; unfold xe; lia).
    assert (F0 : 0 <= IZR f < pow 64) by (split; [apply IZR_le; lia | rewrite <- (pow_IZR 64) by lia; apply IZR_lt; lia]).
    assert (One : pow 64 * pow (-64) = 1) by exact (pow_inverse 64).
    set (f1 := IZR f * pow (-64)). assert (F1 : 0 <= f1 < 1) by (unfold f1; rewrite <- One; split; [apply Rmult_le_pos; lra | apply Rmult_lt_compat_r; lra]).
    set (t := sg negative * near - size) in *.
    assert (Ex : IZR f * (IZR high * pow 64 + IZR low) = IZR x * pow 64 + IZR lm).
    { rewrite <- (pow_IZR 64), <- !mult_IZR, <- !plus_IZR, <- mult_IZR by lia. f_equal. unfold x. lia. }
    assert (Main : IZR f * pow fe * (sg negative * near) * pow exponent - IZR x * pow xe = ((IZR lm * pow (-64) + f1 * rest) + f1 * (t * pow (- shift))) * pow xe).
    { replace (IZR f * pow fe * (sg negative * near) * pow exponent) with (IZR f * (size + t) * (pow fe * pow exponent)) by (unfold t; ring). rewrite Px. unfold size, f1.
      replace (IZR f * ((IZR high * pow 64 + IZR low + rest) * pow shift + t) * (pow (-64) * pow (- shift) * pow xe))
        with (((IZR f * (IZR high * pow 64 + IZR low)) * (pow shift * pow (- shift)) + IZR f * rest * (pow shift * pow (- shift)) + IZR f * (t * pow (- shift))) * pow (-64) * pow xe) by ring.
      rewrite pow_inverse, Ex. replace (IZR x * pow xe) with (IZR x * (pow 64 * pow (-64)) * pow xe) by (rewrite One; ring). ring. }
    rewrite Main, Rabs_mult, (Rabs_pos_eq (pow xe)) by lra. apply Rmult_le_compat_r; [lra|].
    assert (L0 : 0 <= IZR lm * pow (-64) < 1).
    { rewrite <- One. split; [apply Rmult_le_pos; [apply IZR_le; lia | lra]|]. apply Rmult_lt_compat_r; [exact P64|]. rewrite <- (pow_IZR 64) by lia. apply IZR_lt. lia. }
    assert (L1 : 0 <= f1 * rest <= 1) by (split; [apply Rmult_le_pos; lra|]; nra).
    assert (M2 : IZR lm * pow (-64) + f1 * rest <= 2 * IZR (Z.b2z more)).
    { unfold more. destruct lost eqn:Lo; cbn [orb]; [cbn [Z.b2z]; lra|]. assert (R0 : rest = 0).
      { destruct (Rle_or_lt rest 0) as [W|W]; [lra|]. apply lost_rest in W. discriminate W. }
      rewrite R0, Rmult_0_r, Rplus_0_r. destruct (Z.eqb_spec lm 0) as [W|W]; cbn [negb Z.b2z]; [rewrite W; lra | lra]. }
    assert (M3 : Rabs (f1 * (t * pow (- shift))) <= IZR e).
    { rewrite !Rabs_mult, (Rabs_pos_eq f1), (Rabs_pos_eq (pow _)) by (try apply bpow_ge_0; lra).
      assert (Ps := bpow_gt_0 radix2 (- shift)). assert (W : Rabs t * pow (- shift) <= IZR e) by (eapply Rle_trans; [apply Rmult_le_compat_r; [lra | exact Hn] | exact Ue]).
      assert (W0 : 0 <= Rabs t * pow (- shift)) by (apply Rmult_le_pos; [apply Rabs_pos | lra]). nra. }
    eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_pos_eq (_ + _)) by lra. rewrite plus_IZR, mult_IZR. lra.
Qed.

End Product.

Section Rounded.

Variables d least most infinity : Z.
Variable sign_bits : bool -> Z.
Variable round_to : bool -> Z -> bool -> Z -> Z.
Hypothesis infinity_positive : (0 <= infinity)%Z.
Hypothesis sign_apart : forall n i j, (0 <= i <= infinity)%Z -> (0 <= j <= infinity)%Z -> Z.lor (sign_bits n) i = Z.lor (sign_bits n) j -> i = j.
Hypothesis precision : (1 < d)%Z.
Hypothesis round_to_rounds : forall n top sticky e r, (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= r < 1 -> (sticky = true <-> 0 < r) ->
  exists i, round_to n top sticky e = Z.lor (sign_bits n) i /\ is_result d least most infinity ((IZR top + r) * pow e) i.

Notation rounds := (rounds d least most infinity sign_bits).
Notation rn := (rn d least most infinity sign_bits).

Lemma powers_of_two_rounds (f fe : Z) (pn : bool) (err : R) (addend : bool) (y : R) (general : bool * Z) (before out : Z) :
  (f = 0%Z \/ (2 ^ 63 <= f < 2 ^ 64)%Z) -> alpha = sg negative * sg pn * (IZR f * pow fe) -> ((f = 0%Z /\ err = 0) \/ (f <> 0%Z /\ err = error)) ->
  (addend = false -> y = 0) -> (general = (true, out) -> rounds (alpha * near * pow exponent + y) out) ->
  powers_of_two round_to decode general addend high low shift lost err exponent f fe pn before = (true, out) -> rounds (alpha * near * pow exponent + y) out.
Proof.
  intros Hf Ha Hr Hy Hg. unfold powers_of_two. change (wrap 64 0) with 0%Z. change (wrap 64 (Z.shiftl (wrap 64 1) 63)) with (2 ^ 63)%Z. change (wrap 128 1) with 1%Z. cbv zeta.
  destruct addend; cbn [negb andb]; [exact Hg|]. rewrite (Hy eq_refl), Rplus_0_r in *.
  assert (He := error_nonnegative). assert (Hn := near_size). assert (Sg := product_sign f fe pn Ha).
  destruct (Z.eqb_spec f (2 ^ 63)) as [Fp|Fp]; [|rewrite andb_false_r; exact Hg].
  assert (P63 : (0 < 2 ^ 63)%Z) by reflexivity. destruct Hr as [(Q & _)|(_ & Er)]; [lia|]. rewrite Er.
  rewrite Fp, pow_IZR in Sg by lia. rewrite andb_true_r.
  destruct (Req_bool_spec error 0) as [E0|E0].
  - rewrite E0 in Hn. assert (Nn : sg negative * near = size).
    { destruct (Req_dec (sg negative * near - size) 0) as [W|W]; [lra|]. apply Rabs_pos_lt in W. lra. }
    intros H. apply pair_equal_spec in H. destruct H as [_ <-]. rewrite Nn in Sg. unfold size in Sg. destruct (Z.eqb_spec high 0) as [Hz|Hz].
    + destruct high_range as [(_ & Lz & Rz)|Q]; [|lia]. rewrite Hz, Lz, Rz in Sg. left. split; [|reflexivity].
      assert (Z0 : sg pn * (alpha * near * pow exponent) = 0) by (rewrite Sg; ring). destruct pn; simpl sg in Z0; lra.
    + destruct high_range as [Q|Hh]; [lia|]. apply (rounds_signed _ _ _ _ _ pn). rewrite Sg.
      assert (P64 := bpow_gt_0 radix2 (-64)). assert (L0 : 0 <= IZR low) by (apply IZR_le; lia). assert (One : pow 64 * pow (-64) = 1) by exact (pow_inverse 64).
      assert (L1 : IZR low + 1 <= pow 64) by (rewrite <- (pow_IZR 64), <- plus_IZR by lia; apply IZR_le; lia).
      set (r := (IZR low + rest) * pow (-64)).
      assert (Er2 : pow 63 * pow fe * ((IZR high * pow 64 + IZR low + rest) * pow shift) * pow exponent = (IZR high + r) * pow (exponent + shift + 64 + fe + 63)).
      { unfold r. rewrite !bpow_plus. replace ((IZR high + (IZR low + rest) * pow (-64)) * (pow exponent * pow shift * pow 64 * pow fe * pow 63))
          with ((IZR high * pow 64 + (IZR low + rest) * (pow 64 * pow (-64))) * (pow exponent * pow shift * pow fe * pow 63)) by ring. rewrite One. ring. }
      rewrite Er2. assert (R0 : 0 <= r < 1) by (unfold r; rewrite <- One; split; [apply Rmult_le_pos; lra | apply Rmult_lt_compat_r; lra]).
      assert (H0 : 0 < IZR high) by (apply IZR_lt; lia). split; [apply Rmult_lt_0_compat; [lra | apply bpow_gt_0]|].
      apply round_to_rounds; [exact Hh | exact R0|]. assert (Rp : 0 < r <-> 0 < IZR low + rest).
      { unfold r. split; intros W; [apply Rmult_lt_reg_r with (pow (-64)); lra | apply Rmult_lt_0_compat; lra]. }
      rewrite Rp. destruct lost eqn:Lo.
      * assert (W : 0 < rest) by now apply lost_rest. destruct (Z.eqb_spec low 0); cbn; split; try reflexivity; intros _; lra.
      * assert (W : rest = 0) by (destruct (Rle_or_lt rest 0) as [W|W]; [lra | apply lost_rest in W; discriminate W]). rewrite W, Rplus_0_r.
        destruct (Z.eqb_spec low 0) as [Q|Q]; cbn [negb Z.b2z Z.lor Z.eqb]; split; try discriminate; try reflexivity; intros V; [rewrite Q in V; lra | apply IZR_lt; lia].
  - cbn [andb]. destruct (Z.eqb_spec high 0) as [Hz|Hz]; cbn [negb]; [exact Hg|].
    destruct high_range as [Q|Hh]; [lia|].
    destruct (round_up_scaled decode error (- shift)) as [[|] e] eqn:R; cbn [negb]; [|intros H; apply pair_equal_spec in H; destruct H as [H _]; discriminate H].
    destruct (round_up_scaled_bound _ _ _ error_format He R) as (Be & Ue).
    assert (E128 : (2 ^ 128 = 2 ^ 64 * 2 ^ 64)%Z) by reflexivity. assert (E120 : (2 ^ 120 + 2 < 2 ^ 127)%Z) by reflexivity. assert (E127 : (2 ^ 127 = 2 ^ 63 * 2 ^ 64)%Z) by reflexivity.
    rewrite Z.shiftl_mul_pow2 by lia. rewrite (wrap_small 128 (high * 2 ^ 64)) by lia. rewrite lor_add by lia. set (v := (high * 2 ^ 64 + low)%Z).
    assert (Bv : (2 ^ 127 <= v < 2 ^ 128)%Z) by (unfold v; lia).
    rewrite (wrap_small 128 (e + 1)) by lia. rewrite Z.geb_leb. destruct (Z.leb_spec v (e + 1)) as [L|L]; [intros H; apply pair_equal_spec in H; destruct H as [H _]; discriminate H|].
    assert (Ln : wrap 128 (Z.lnot v) = (2 ^ 128 - 1 - v)%Z).
    { unfold wrap, Z.lnot. rewrite <- (Z.mod_small (2 ^ 128 - 1 - v) (2 ^ 128)) by lia. replace (Z.pred (- v)) with (2 ^ 128 - 1 - v + (-1) * 2 ^ 128)%Z by lia. apply Z.mod_add. lia. }
    rewrite Ln. destruct (Z.leb_spec (e + 1) (2 ^ 128 - 1 - v)) as [M|M]; [|exact Hg].
    rewrite (wrap_small 128 (v - (e + 1))), (wrap_small 128 (v + (e + 1))) by lia. intros H. apply (rounds_signed _ _ _ _ _ pn).
    refine (round_between_rounds _ _ _ _ _ _ infinity_positive sign_apart precision round_to_rounds _ _ _ _ _ _ _ _ _ H); [lia | lia|]. rewrite Sg.
    set (xe := (exponent + shift + fe + 63)%Z). assert (P := bpow_gt_0 radix2 xe).
    set (t := sg negative * near - size) in *.
    assert (Main : pow 63 * pow fe * (sg negative * near) * pow exponent = (IZR v + rest + t * pow (- shift)) * pow xe).
    { assert (Px : pow 63 * pow fe * pow exponent = pow (- shift) * pow xe) by (rewrite <- !bpow_plus; f_equal; unfold xe; lia).
      replace (pow 63 * pow fe * (sg negative * near) * pow exponent) with ((size + t) * (pow 63 * pow fe * pow exponent)) by (unfold t; ring). rewrite Px. unfold size, v.
      rewrite plus_IZR, mult_IZR, (pow_IZR 64) by lia.
      replace (((IZR high * pow 64 + IZR low + rest) * pow shift + t) * (pow (- shift) * pow xe)) with (((IZR high * pow 64 + IZR low + rest) * (pow shift * pow (- shift)) + t * pow (- shift)) * pow xe) by ring.
      rewrite pow_inverse. ring. }
    assert (Tb : Rabs (t * pow (- shift)) <= IZR e).
    { rewrite Rabs_mult, (Rabs_pos_eq (pow _)) by apply bpow_ge_0. eapply Rle_trans; [apply Rmult_le_compat_r; [apply bpow_ge_0 | exact Hn] | exact Ue]. }
    apply Rabs_le_inv in Tb. rewrite Main. rewrite minus_IZR, !plus_IZR. split; apply Rmult_le_compat_r; lra.
Qed.

(* beta c as an integer of 128 bits. *)
Lemma addend_of_value (general : Z * Z * bool -> Z * Z * bool -> Z -> Z -> Z -> bool -> bool * Z) (addend : bool) (beta c : R) (out : Z) :
  format64 beta -> format64 c -> addend_of decode general addend beta c 0 0 0 false = (true, out) ->
  exists b c' yv ye yn, (0 <= yv < 2 ^ 128)%Z /\ sg yn * (IZR yv * pow ye) = (if addend then beta * c else 0) /\
    b = (if addend then decode beta else (0%Z, 0%Z, false)) /\ c' = (if addend then decode c else (0%Z, 0%Z, false)) /\ general b c' yv 0%Z ye yn = (true, out).
Proof.
  intros Fb Fc. unfold addend_of. change (wrap 128 0) with 0%Z. change (wrap 64 0) with 0%Z. cbv zeta. destruct addend; intros H.
  2: { exists (0%Z, 0%Z, false), (0%Z, 0%Z, false), 0%Z, 0%Z, false. repeat split; try lia; [simpl; ring | exact H]. }
  destruct (decode_value beta Fb) as (Bb & Eb). destruct (decode_value c Fc) as (Bc & Ec).
  set (mb := mantissa_of (decode beta)) in *. set (mc := mantissa_of (decode c)) in *. set (eb := exponent_of (decode beta)) in *. set (ec := exponent_of (decode c)) in *.
  set (nb := sign_of (decode beta)) in *. set (nc := sign_of (decode c)) in *.
  assert (E106 : (2 ^ 53 * 2 ^ 53 < 2 ^ 128)%Z) by reflexivity. assert (E128 : (2 ^ 128 = 2 ^ 64 * 2 ^ 64)%Z) by reflexivity.
  assert (B : (0 <= mb * mc < 2 ^ 128)%Z) by nia. rewrite (wrap_small 128 (mb * mc)) in H by exact B.
  assert (Prod : beta * c = sg nb * sg nc * (IZR (mb * mc) * pow (eb + ec))).
  { rewrite Eb at 1. rewrite Ec at 1. rewrite mult_IZR, bpow_plus. ring. }
  set (m := (mb * mc)%Z) in *. destruct (Z.eqb_spec m 0) as [Z|Z]; cbn [negb] in H; cbv iota in H.
  - exists (decode beta), (decode c), 0%Z, 0%Z, false. repeat split; try lia; [|exact H]. rewrite Prod, Z. ring.
  - rewrite Z.shiftr_div_pow2 in H by lia. assert (T64 : (0 < 2 ^ 64)%Z) by reflexivity.
    assert (Bh : (0 <= m / 2 ^ 64 < 2 ^ 64)%Z) by (split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]). rewrite (wrap_small 64 (m / 2 ^ 64)) in H by exact Bh.
    assert (Dm := Z.div_mod m (2 ^ 64) ltac:(lia)). assert (Mm := Z.mod_pos_bound m (2 ^ 64) T64).
    set (z := if negb (m / 2 ^ 64 =? 0)%Z then leading_zeros (m / 2 ^ 64) else (64 + leading_zeros (wrap 64 m))%Z) in *.
    assert (Hz : (0 <= z)%Z /\ (m * 2 ^ z < 2 ^ 128)%Z).
    { unfold z. destruct (Z.eqb_spec (m / 2 ^ 64) 0) as [Q|Q]; cbn [negb].
      - assert (W : wrap 64 m = m) by (apply wrap_small; lia). rewrite W. destruct (leading_zeros_value m ltac:(lia)) as (Z0 & Z1). split; [lia|].
        rewrite Z.pow_add_r by lia. rewrite E128. nia.
      - destruct (leading_zeros_value (m / 2 ^ 64) ltac:(lia)) as (Z0 & Z1). split; [lia|]. set (h := (m / 2 ^ 64)%Z) in *. set (k := leading_zeros h) in *.
        assert (Pk : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia). assert (E64 : (2 ^ 64 = 2 ^ (64 - k) * 2 ^ k)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
        assert (h <= 2 ^ (64 - k) - 1)%Z by nia. rewrite E128. nia. }
    destruct Hz as (Z0 & Z1). clearbody z. rewrite Z.shiftl_mul_pow2 in H by lia. assert (Pz : (0 < 2 ^ z)%Z) by (apply Z.pow_pos_nonneg; lia).
    rewrite wrap_small in H by nia. exists (decode beta), (decode c), (m * 2 ^ z)%Z, (eb + ec - z)%Z, (negb (Z.b2z nb =? Z.b2z nc)%Z).
    split; [nia|]. split; [|split; [reflexivity | split; [reflexivity | exact H]]]. rewrite sg_differs, Prod. f_equal. rewrite mult_IZR, pow_IZR by lia.
    unfold Z.sub. rewrite (bpow_plus radix2 (eb + ec)). replace (IZR m * pow z * (pow (eb + ec) * pow (- z))) with (IZR m * pow (eb + ec) * (pow z * pow (- z))) by ring. rewrite pow_inverse. ring.
Qed.

(* The whole text is that of its steps, one after the other. *)
Lemma steps_of_round_within (full : Z * Z * bool -> Z -> bool -> Z -> Z * Z * bool -> Z * Z * bool -> Z) (magnitude : Z) (addend : bool) (beta c : R) (before : Z) :
  round_within_finite round_to decode full magnitude addend negative high low shift lost alpha error exponent beta c before =
  let '(a, err, f, fe, pn) := factor_of decode negative alpha error in
  powers_of_two round_to decode
    (product_of decode (fun xv xr xe xn yv yr ye yn =>
       addend_of decode (fun b c' yv yr ye yn => rounded round_to full magnitude negative exponent err a b c' xv xr xe xn yv yr ye yn before) addend beta c yv yr ye yn)
     high low shift lost err exponent f fe pn before)
    addend high low shift lost err exponent f fe pn before.
Proof. reflexivity. Qed.

Lemma round_within_rounds (full : Z * Z * bool -> Z -> bool -> Z -> Z * Z * bool -> Z * Z * bool -> Z) (magnitude : Z) (beta c : R) (before out : Z) :
  let addend := has_addend beta in
  format64 beta -> format64 c ->
  (forall b c', b = (if addend then decode beta else (0%Z, 0%Z, false)) -> c' = (if addend then decode c else (0%Z, 0%Z, false)) ->
     rounds (alpha * (sg negative * size) * pow exponent + beta * c) (full (decode alpha) magnitude negative exponent b c')) ->
  round_within_finite round_to decode full magnitude addend negative high low shift lost alpha error exponent beta c before = (true, out) ->
  rounds (alpha * near * pow exponent + beta * c) out.
Proof.
  intros addend Fb Fc Full. rewrite steps_of_round_within. destruct factor_of_value as (err & f & fe & pn & -> & Hf & Ha & Hr).
  assert (Y : addend = false -> beta * c = 0).
  { unfold addend, has_addend. destruct (Req_bool_spec 0 beta) as [Q|Q]; [intros _; rewrite <- Q; ring | discriminate]. }
  apply powers_of_two_rounds; [exact Hf | exact Ha | exact Hr | exact Y |]. intros H.
  destruct (product_of_value f fe pn err Hf Ha Hr _ _ _ H) as (xv & xr & xe & Bx & Br & Near & G). clear H.
  destruct (addend_of_value _ _ _ _ _ Fb Fc G) as (b & c' & yv & ye & yn & By & Ey & Eb & Ec & H). clear G.
  assert (Ey' : sg yn * (IZR yv * pow ye) = beta * c) by (rewrite Ey; destruct addend; [reflexivity | symmetry; now apply Y]).
  unfold rounded in H. destruct (round_sum _ _ _ _ _ _ _ _ _ _) as [[|] o] eqn:S.
  - apply pair_equal_spec in H. destruct H as [_ <-]. rewrite <- Ey'.
    exact (round_sum_rounds _ _ _ _ _ _ infinity_positive sign_apart precision round_to_rounds _ _ _ _ _ _ _ _ _ _ Bx Br By Near S).
  - destruct (Rlt_bool_spec 0 err) as [Q|Q]; [apply pair_equal_spec in H; destruct H as [H _]; discriminate H|].
    apply pair_equal_spec in H. destruct H as [_ <-]. assert (Same : alpha * near = alpha * (sg negative * size)).
    { destruct Hr as [(Fz & _)|(_ & Er)]; [rewrite Ha, Fz; ring|]. assert (He := error_nonnegative). assert (E0 : error = 0) by lra.
      rewrite E0 in near_within. f_equal. destruct (Req_dec (near - sg negative * size) 0) as [W|W]; [lra|]. apply Rabs_pos_lt in W. lra. }
    rewrite Same. now apply Full.
Qed.

End Rounded.

End Within.

Lemma sign_is_apart (bits infinity : Z) (negative : bool) (i j : Z) : (0 <= bits)%Z -> (infinity < 2 ^ bits)%Z -> (0 <= i <= infinity)%Z -> (0 <= j <= infinity)%Z ->
  Z.lor (if negative then 2 ^ bits else 0) i = Z.lor (if negative then 2 ^ bits else 0) j -> i = j.
Proof.
  intros Hb Hi Bi Bj H. destruct negative; [|exact H]. rewrite <- (Z.mul_1_l (2 ^ bits)) in H. rewrite !lor_add in H by lia. lia.
Qed.

(* The bits of a double, and of a float, that round_to returns. *)
Definition sign64 (negative : bool) : Z := if negative then (2 ^ 63)%Z else 0%Z.
Definition sign32 (negative : bool) : Z := if negative then (2 ^ 31)%Z else 0%Z.
Definition bits64 (negative : bool) (top : Z) (sticky : bool) (exponent : Z) : Z := round_to64 (sign64 negative) 9218868437227405312 top sticky exponent.
Definition bits32 (negative : bool) (top : Z) (sticky : bool) (exponent : Z) : Z := round_to32 (sign32 negative) 2139095040 top sticky exponent.
Definition rounds64 : R -> Z -> Prop := rounds 53 (-1074) 971 9218868437227405312 sign64.
Definition rounds32 : R -> Z -> Prop := rounds 24 (-149) 104 2139095040 sign32.

(* What decode is to return for the doubles. *)
Definition decodes (decode : R -> Z * Z * bool) : Prop := forall x, format64 x ->
  (0 <= mantissa_of (decode x) < 2 ^ 53)%Z /\ x = sg (sign_of (decode x)) * (IZR (mantissa_of (decode x)) * pow (exponent_of (decode x))).

(* S = +-(high 2^64 + low + rest) 2^shift, as wide_top returns it. *)
Definition leading (negative lost : bool) (high low shift : Z) (rest s : R) : Prop :=
  ((high = 0%Z /\ low = 0%Z /\ rest = 0) \/ (2 ^ 63 <= high < 2 ^ 64)%Z) /\ (0 <= low < 2 ^ 64)%Z /\ 0 <= rest < 1 /\ (lost = true <-> 0 < rest) /\
  s = sg negative * ((IZR high * pow 64 + IZR low + rest) * pow shift).

(* What finish_full is to return: the exact result, for S itself. *)
Definition resolves (decode : R -> Z * Z * bool) (holds : R -> Z -> Prop) (full : Z * Z * bool -> Z -> bool -> Z -> Z * Z * bool -> Z * Z * bool -> Z)
  (magnitude : Z) (negative : bool) (alpha s : R) (exponent : Z) (beta c : R) : Prop := forall b d,
  b = (if has_addend beta then decode beta else (0%Z, 0%Z, false)) -> d = (if has_addend beta then decode c else (0%Z, 0%Z, false)) ->
  holds (alpha * s * pow exponent + beta * c) (full (decode alpha) magnitude negative exponent b d).

(* The theorems for both formats, of the bits and the width of the sign: `q` picks the format's part of round_to_correct. *)
Ltac decided_within bits sign width q :=
  let Hd := fresh in let H1 := fresh in let H2 := fresh in let H3 := fresh in let H4 := fresh in let Fa := fresh in let Fe := fresh in
  let Fb := fresh in let Fc := fresh in let Hn := fresh in let Full := fresh in let H := fresh in
  intros Hd (H1 & H2 & H3 & H4 & ->) Fa Fe Fb Fc Hn Full H;
  refine (round_within_rounds _ Hd _ _ _ _ _ _ _ _ _ _ H1 H2 H3 H4 Fa Fe Hn _ _ _ _ _ bits _ _ _ _ _ _ _ _ _ _ Fb Fc Full H);
  [ discriminate
  | intros n i j; apply (sign_is_apart width); [discriminate | reflexivity]
  | reflexivity
  | intros n top sticky e r Ht Hr Hs; apply (q _ _ (round_to_correct (sign n) top e r sticky Ht Hr Hs)); destruct n; split; (discriminate || reflexivity) ].

(* Theorem: if round_within decides a double, its bits are those of RN(alpha S' 2^exponent + beta c) for every S' within the error of S. *)
Theorem round_within64_correct decode full magnitude (negative lost : bool) (high low shift exponent : Z) (rest s near alpha error beta c : R) (before out : Z) :
  decodes decode -> leading negative lost high low shift rest s -> format64 alpha -> format64 error -> format64 beta -> format64 c ->
  Rabs (near - s) <= error -> resolves decode rounds64 full magnitude negative alpha s exponent beta c ->
  round_within_finite bits64 decode full magnitude (has_addend beta) negative high low shift lost alpha error exponent beta c before = (true, out) ->
  rounds64 (alpha * near * pow exponent + beta * c) out.
Proof. decided_within bits64 sign64 63%Z proj1. Qed.

(* Theorem: the same statement for floats. *)
Theorem round_within32_correct decode full magnitude (negative lost : bool) (high low shift exponent : Z) (rest s near alpha error beta c : R) (before out : Z) :
  decodes decode -> leading negative lost high low shift rest s -> format64 alpha -> format64 error -> format64 beta -> format64 c ->
  Rabs (near - s) <= error -> resolves decode rounds32 full magnitude negative alpha s exponent beta c ->
  round_within_finite bits32 decode full magnitude (has_addend beta) negative high low shift lost alpha error exponent beta c before = (true, out) ->
  rounds32 (alpha * near * pow exponent + beta * c) out.
Proof. decided_within bits32 sign32 31%Z proj2. Qed.
