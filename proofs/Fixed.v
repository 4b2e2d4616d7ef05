(* The bound of fixed:T (docs/modes.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Floats.

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

(* The bound of fixed:T as docs/modes.md states it, and no error where no bit is dropped. *)
Lemma fixed_bound (T E F : Z) (terms : list (R * R)) :
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
