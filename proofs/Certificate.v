(* The bound of fixed:T and the certificate of dp:repro and sp:repro (docs/modes.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Floats CertificateSource.

Open Scope R_scope.

Notation pow e := (bpow radix2 e).

(* Terms (a, b) of an inner product, E and F as in docs/modes.md. *)
Definition scaled (T E : Z) (a : R) : R := a * pow (T - E).
Definition nearest (T E : Z) (a : R) : Z := ZnearestE (scaled T E a).

Definition exact_sum (terms : list (R * R)) : R := fold_right (fun t r => r + fst t * snd t) 0 terms.
Definition magnitudes (terms : list (R * R)) : R := fold_right (fun t r => r + Rabs (fst t * snd t)) 0 terms.
Definition sum_a (terms : list (R * R)) : R := fold_right (fun t r => r + Rabs (fst t)) 0 terms.
Definition sum_b (terms : list (R * R)) : R := fold_right (fun t r => r + Rabs (snd t)) 0 terms.
Definition integer_sum (T E F : Z) (terms : list (R * R)) : Z :=
  fold_right (fun t r => (r + nearest T E (fst t) * nearest T F (snd t))%Z) 0%Z terms.
Definition fixed_sum (T E F : Z) (terms : list (R * R)) : R := IZR (integer_sum T E F terms) * pow (E + F - 2 * T).

Lemma nearest_error (T E : Z) (a : R) : Rabs (IZR (nearest T E a) - scaled T E a) <= / 2.
Proof. rewrite Rabs_minus_sym. apply Znearest_half. Qed.

Lemma scaled_product (T E F : Z) (a b : R) : scaled T E a * scaled T F b * pow (E + F - 2 * T) = a * b.
Proof.
  unfold scaled. replace (a * pow (T - E) * (b * pow (T - F)) * pow (E + F - 2 * T))
    with (a * b * (pow (T - E) * pow (T - F) * pow (E + F - 2 * T))) by ring.
  rewrite <- !bpow_plus. replace (T - E + (T - F) + (E + F - 2 * T))%Z with 0%Z by lia. simpl. ring.
Qed.

Lemma product_error (x y x' y' : R) : Rabs (x' - x) <= / 2 -> Rabs (y' - y) <= / 2 ->
  Rabs (x' * y' - x * y) <= / 2 * (Rabs x + Rabs y) + / 4.
Proof.
  intros Hx Hy. replace (x' * y' - x * y) with (x * (y' - y) + (x' - x) * y + (x' - x) * (y' - y)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. assert (A := Rabs_triang (x * (y' - y)) ((x' - x) * y)).
  rewrite !Rabs_mult in *. assert (Px := Rabs_pos x). assert (Py := Rabs_pos y).
  assert (P1 := Rabs_pos (x' - x)). assert (P2 := Rabs_pos (y' - y)).
  assert (M1 : Rabs x * Rabs (y' - y) <= Rabs x * / 2) by now apply Rmult_le_compat_l.
  assert (M2 : Rabs (x' - x) * Rabs y <= / 2 * Rabs y) by now apply Rmult_le_compat_r.
  assert (M3 : Rabs (x' - x) * Rabs (y' - y) <= / 2 * / 2) by now apply Rmult_le_compat.
  lra.
Qed.

(* Theorem: the bound of fixed:T, and no error where no bit is dropped. *)
Lemma scaled_error (T E F : Z) (terms : list (R * R)) :
  Rabs (fixed_sum T E F terms - exact_sum terms) <=
  (/ 2 * (pow (T - E) * sum_a terms + pow (T - F) * sum_b terms) + INR (length terms) / 4) * pow (E + F - 2 * T).
Proof.
  unfold fixed_sum. induction terms as [|(a, b) terms IH].
  - simpl (length _). simpl (INR 0). unfold exact_sum, sum_a, sum_b, integer_sum. cbn [fold_right].
    rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. right. field.
  - change (integer_sum T E F ((a, b) :: terms)) with (integer_sum T E F terms + nearest T E a * nearest T F b)%Z.
    change (exact_sum ((a, b) :: terms)) with (exact_sum terms + a * b).
    change (sum_a ((a, b) :: terms)) with (sum_a terms + Rabs a).
    change (sum_b ((a, b) :: terms)) with (sum_b terms + Rabs b). cbn [length]. rewrite S_INR, plus_IZR, mult_IZR.
    assert (P := product_error (scaled T E a) (scaled T F b) _ _ (nearest_error T E a) (nearest_error T F b)).
    assert (Q := bpow_gt_0 radix2 (E + F - 2 * T)).
    rewrite <- (scaled_product T E F a b).
    assert (Ea : Rabs (scaled T E a) = pow (T - E) * Rabs a).
    { unfold scaled. rewrite Rabs_mult, (Rabs_pos_eq (pow _)) by apply bpow_ge_0. ring. }
    assert (Eb : Rabs (scaled T F b) = pow (T - F) * Rabs b).
    { unfold scaled. rewrite Rabs_mult, (Rabs_pos_eq (pow _)) by apply bpow_ge_0. ring. }
    rewrite Ea, Eb in P. set (q := pow (E + F - 2 * T)) in *.
    set (x := scaled T E a) in *. set (y := scaled T F b) in *.
    set (x' := IZR (nearest T E a)) in *. set (y' := IZR (nearest T F b)) in *.
    replace ((IZR (integer_sum T E F terms) + x' * y') * q - (exact_sum terms + x * y * q))
      with ((IZR (integer_sum T E F terms) * q - exact_sum terms) + (x' * y' - x * y) * q) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_mult (x' * y' - x * y)), (Rabs_pos_eq q) by lra.
    assert (M : Rabs (x' * y' - x * y) * q <= (/ 2 * (pow (T - E) * Rabs a + pow (T - F) * Rabs b) + / 4) * q).
    { apply Rmult_le_compat_r; lra. }
    lra.
Qed.

Definition drops_nothing (T E : Z) (a : R) : Prop := exists n : Z, scaled T E a = IZR n.

Theorem fixed_bound (T E F : Z) (terms : list (R * R)) :
  Rabs (fixed_sum T E F terms - exact_sum terms) <=
    pow (- T - 1) * (pow F * sum_a terms + pow E * sum_b terms) + INR (length terms) * pow (E + F - 2 * T - 2) /\
  (Forall (fun t => drops_nothing T E (fst t) /\ drops_nothing T F (snd t)) terms ->
   fixed_sum T E F terms = exact_sum terms).
Proof.
  split.
  - eapply Rle_trans; [apply scaled_error|]. right.
    assert (E1 : pow (- T - 1) * pow F = / 2 * (pow (T - E) * pow (E + F - 2 * T))).
    { change (/ 2) with (pow (-1)). rewrite <- !bpow_plus. f_equal. lia. }
    assert (E2 : pow (- T - 1) * pow E = / 2 * (pow (T - F) * pow (E + F - 2 * T))).
    { change (/ 2) with (pow (-1)). rewrite <- !bpow_plus. f_equal. lia. }
    assert (E3 : pow (E + F - 2 * T - 2) = / 4 * pow (E + F - 2 * T)).
    { change (/ 4) with (pow (-2)). rewrite <- bpow_plus. f_equal. lia. }
    replace (pow (- T - 1) * (pow F * sum_a terms + pow E * sum_b terms))
      with (pow (- T - 1) * pow F * sum_a terms + pow (- T - 1) * pow E * sum_b terms) by ring.
    rewrite E1, E2, E3. field.
  - induction terms as [|(a, b) terms IH]; intros H.
    + unfold fixed_sum, integer_sum, exact_sum. cbn [fold_right]. ring.
    + inversion_clear H as [|? ? ((n & Hn) & (m & Hm)) H']. specialize (IH H'). unfold fst, snd in Hn, Hm.
      unfold fixed_sum in *.
      change (integer_sum T E F ((a, b) :: terms)) with (integer_sum T E F terms + nearest T E a * nearest T F b)%Z.
      change (exact_sum ((a, b) :: terms)) with (exact_sum terms + a * b).
      rewrite plus_IZR, mult_IZR, Rmult_plus_distr_r, IH, <- (scaled_product T E F a b). unfold nearest.
      rewrite Hn, Hm, !(Zrnd_IZR ZnearestE). reflexivity.
Qed.

(* A number as the code decodes it: abs(a) = mantissa 2^exponent. *)
Definition decoded (a : R) (d : Z * Z) : Prop := (0 <= fst d < 2 ^ 53)%Z /\ Rabs a = IZR (fst d) * pow (snd d).

Lemma wrap_small (bits x : Z) : (0 <= x < 2 ^ bits)%Z -> wrap bits x = x.
Proof. intros H. unfold wrap. now apply Z.mod_small. Qed.

Lemma wraps_small (bits x : Z) : (0 < bits)%Z -> (0 <= x < 2 ^ (bits - 1))%Z -> wraps bits x = x.
Proof.
  intros Hb H. unfold wraps. rewrite Z.mod_small; [lia|]. replace bits with (bits - 1 + 1)%Z at 3 by lia.
  rewrite Z.pow_add_r by lia. lia.
Qed.

Lemma pow_IZR (e : Z) : (0 <= e)%Z -> pow e = IZR (2 ^ e).
Proof. intros H. now rewrite <- (IZR_Zpower radix2) by exact H. Qed.

(* The scaled number is an integer after a shift to the left. *)
Lemma shifted_left (m e s limit : Z) : (0 <= s)%Z -> IZR m * pow s < pow limit -> (0 <= limit)%Z -> (0 <= m)%Z ->
  (0 <= Z.shiftl m s < 2 ^ limit)%Z /\ IZR (Z.shiftl m s) = IZR m * pow s.
Proof.
  intros Hs H Hl Hm. rewrite Z.shiftl_mul_pow2, mult_IZR, <- pow_IZR by exact Hs. split; [|reflexivity].
  split; [apply Z.mul_nonneg_nonneg; lia|]. apply lt_IZR. rewrite mult_IZR, <- !pow_IZR by assumption. exact H.
Qed.

Lemma ceiling_above (a : R) (m e E : Z) : decoded a (m, e) -> Rabs a < pow E ->
  Rabs a * pow (24 - E) <= IZR (certificate_ceiling m e E).
Proof.
  intros (Hm & Ha) H. unfold fst, snd in *. unfold certificate_ceiling.
  change (wrap 64 0) with 0%Z. destruct (Z.eqb_spec m 0) as [->|N]; [rewrite Ha; lra|].
  cbv zeta. set (s := (e + 24 - E)%Z).
  assert (V : Rabs a * pow (24 - E) = IZR m * pow s).
  { rewrite Ha, Rmult_assoc, <- bpow_plus. f_equal. f_equal. unfold s. lia. }
  assert (V' : IZR m * pow s < pow 24).
  { rewrite <- V. replace (pow 24) with (pow E * pow (24 - E)) by (rewrite <- bpow_plus; f_equal; lia).
    apply Rmult_lt_compat_r; [apply bpow_gt_0 | exact H]. }
  rewrite V. destruct (Z.geb_spec s 0) as [P|P].
  - destruct (shifted_left m e s 24 P V' ltac:(lia) ltac:(lia)) as (B & Q).
    rewrite wrap_small by (change (2 ^ 24)%Z with 16777216%Z in B; lia).
    rewrite wraps_small by (change (2 ^ 24)%Z with 16777216%Z in B; lia). rewrite Q. apply Rle_refl.
  - destruct (Z.leb_spec s (-64)) as [L|L].
    + apply Rle_trans with (pow 53 * pow (-64)).
      * apply Rmult_le_compat; [apply IZR_le; lia | apply bpow_ge_0 | | apply bpow_le; lia].
        rewrite pow_IZR by lia. apply IZR_le. lia.
      * rewrite <- bpow_plus. change 1 with (pow 0). apply bpow_le. lia.
    + assert (Hs : (1 <= - s <= 63)%Z) by lia.
      assert (B : (2 ^ 1 <= 2 ^ (- s) <= 2 ^ 63)%Z) by (split; apply Z.pow_le_mono_r; lia).
      change (2 ^ 1)%Z with 2%Z in B. change (2 ^ 63)%Z with 9223372036854775808%Z in B.
      change (wrap 64 1) with 1%Z. rewrite Z.shiftl_1_l, (wrap_small 64 (2 ^ (- s))) by lia.
      rewrite (wrap_small 64 (2 ^ (- s) - 1)) by lia.
      replace (2 ^ (- s) - 1)%Z with (Z.ones (- s)) by (rewrite Z.ones_equiv; lia).
      rewrite Z.land_ones, Z.shiftr_div_pow2 by lia. set (q := (m / 2 ^ (- s))%Z). set (r := (m mod 2 ^ (- s))%Z).
      assert (D : (m = 2 ^ (- s) * q + r)%Z) by (apply Z.div_mod; lia).
      assert (R0 : (0 <= r < 2 ^ (- s))%Z) by (apply Z.mod_pos_bound; lia).
      change (2 ^ 53)%Z with 9007199254740992%Z in Hm.
      assert (Q0 : (0 <= q < 9007199254740992)%Z).
      { split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; nia. }
      assert (C : (0 <= Z.b2z (negb (r =? 0)) <= 1)%Z) by (destruct (r =? 0)%Z; simpl; lia).
      rewrite (wrap_small 64 (Z.b2z _)) by lia. rewrite wrap_small by lia. rewrite wraps_small by lia.
      assert (PP : pow s * IZR (2 ^ (- s)) = 1).
      { rewrite <- pow_IZR, <- bpow_plus by lia. replace (s + - s)%Z with 0%Z by lia. reflexivity. }
      rewrite D at 1. rewrite plus_IZR, mult_IZR.
      replace ((IZR (2 ^ (- s)) * IZR q + IZR r) * pow s) with (IZR q + IZR r * pow s) 
        by (replace ((IZR (2 ^ (- s)) * IZR q + IZR r) * pow s) with (IZR q * (pow s * IZR (2 ^ (- s))) + IZR r * pow s) by ring;
            rewrite PP; ring).
      rewrite plus_IZR. apply Rplus_le_compat_l.
      destruct (Z.eqb_spec r 0) as [->|Nr]; simpl Z.b2z; [lra|].
      rewrite <- PP. rewrite (Rmult_comm (pow s)). apply Rmult_le_compat_r; [apply bpow_ge_0|]. apply IZR_le. lia.
Qed.

Lemma byte_below (a : R) (m e E : Z) : decoded a (m, e) -> Rabs a < pow E ->
  0 <= IZR (certificate_byte m e E) <= Rabs a * pow (7 - E).
Proof.
  intros (Hm & Ha) H. unfold fst, snd in *. unfold certificate_byte. cbv zeta. set (s := (e + 7 - E)%Z).
  assert (V : Rabs a * pow (7 - E) = IZR m * pow s).
  { rewrite Ha, Rmult_assoc, <- bpow_plus. f_equal. f_equal. unfold s. lia. }
  assert (V' : IZR m * pow s < pow 7).
  { rewrite <- V. replace (pow 7) with (pow E * pow (7 - E)) by (rewrite <- bpow_plus; f_equal; lia).
    apply Rmult_lt_compat_r; [apply bpow_gt_0 | exact H]. }
  rewrite V. destruct (Z.geb_spec s 0) as [P|P].
  - destruct (shifted_left m e s 7 P V' ltac:(lia) ltac:(lia)) as (B & Q). change (2 ^ 7)%Z with 128%Z in B.
    rewrite wrap_small by lia. rewrite wraps_small by lia. rewrite <- Q. split; [apply IZR_le; lia | apply Rle_refl].
  - destruct (Z.leb_spec s (-64)) as [L|L].
    + split; [apply Rle_refl|]. apply Rmult_le_pos; [apply IZR_le; lia | apply bpow_ge_0].
    + rewrite Z.shiftr_div_pow2 by lia.
      assert (B : (1 <= 2 ^ (- s))%Z) by (change 1%Z with (2 ^ 0)%Z; apply Z.pow_le_mono_r; lia).
      set (q := (m / 2 ^ (- s))%Z). assert (Q0 : (0 <= q)%Z) by (apply Z.div_pos; lia).
      assert (D : (2 ^ (- s) * q <= m)%Z) by (apply Z.mul_div_le; lia).
      assert (PP : pow s * IZR (2 ^ (- s)) = 1).
      { rewrite <- pow_IZR, <- bpow_plus by lia. replace (s + - s)%Z with 0%Z by lia. reflexivity. }
      assert (Q1 : IZR q <= IZR m * pow s).
      { apply IZR_le in D. rewrite mult_IZR in D. replace (IZR q) with (IZR (2 ^ (- s)) * IZR q * pow s) 
          by (replace (IZR (2 ^ (- s)) * IZR q * pow s) with (IZR q * (pow s * IZR (2 ^ (- s)))) by ring; rewrite PP; ring).
        apply Rmult_le_compat_r; [apply bpow_ge_0 | exact D]. }
      assert (Q2 : (q < 128)%Z).
      { apply lt_IZR. eapply Rle_lt_trans; [exact Q1|]. eapply Rlt_le_trans; [exact V'|]. right. reflexivity. }
      rewrite wraps_small by lia. split; [apply IZR_le; lia | exact Q1].
Qed.
