(* The quotients 2^exponent / P of the tables of the Chinese remainder theorem (lib/numerics/moduli.hpp: power_over). *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core Relative.
From Proofs Require Import Semantics Floats Sums FullSource PowersSource.

Open Scope R_scope.

Notation pow e := (bpow radix2 e).

Lemma loop_stops {A} (fuel : nat) (test : A -> bool) (step : A -> A) (s : A) : test s = false -> loop fuel test step s = s.
Proof. intros H. destruct fuel; [reflexivity|]. cbn [loop]. now rewrite H. Qed.

Lemma doubled (fuel : nat) : forall (r : R) (e : Z), format64 r -> pow (-100) <= r <= 1 -> (0 <= e < Z.of_nat fuel)%Z -> (e <= 900)%Z ->
  loop fuel (fun '(r, e) => (e >? 0)%Z) (fun '(r, e) => (rd64 (r * IZR 2), (e - 1)%Z)) (r * pow 0, e) = (r * pow e, 0%Z).
Proof.
  intros r e Fr Hr He Hm. enough (G : forall fuel d e, (0 <= d)%Z -> (0 <= e < Z.of_nat fuel)%Z -> loop fuel (fun '(r, e) => (e >? 0)%Z) (fun '(r, e) => (rd64 (r * IZR 2), (e - 1)%Z)) (r * pow d, e) = (r * pow (d + e), 0%Z)) by (assert (X := G fuel 0%Z e ltac:(lia) He); now rewrite Z.add_0_l in X).
  clear fuel e He Hm. induction fuel as [|fuel IH]; intros d e Hd He; [lia|]. cbn [loop]. destruct (Z.gtb_spec e 0) as [L|L]; [|replace e with 0%Z by lia; now rewrite Z.add_0_r].
  assert (E : rd64 (r * pow d * IZR 2) = r * pow (d + 1)).
  { replace (r * pow d * IZR 2) with (r * pow (d + 1)) by (rewrite bpow_plus; change (pow 1) with 2; ring). apply rnd64_exact, format64_scaled; [exact Fr | right]. rewrite Rabs_pos_eq by (assert (P := bpow_gt_0 radix2 (-100)); lra).
    apply Rle_trans with (pow (-100) * pow (d + 1)); [rewrite <- bpow_plus; apply bpow_le; lia | apply Rmult_le_compat_r; [apply bpow_ge_0 | lra]]. }
  rewrite E, IH by lia. f_equal. f_equal. f_equal. lia.
Qed.

Lemma halved (fuel : nat) : forall (r : R) (e : Z), format64 r -> pow (-100) <= r <= 1 -> (-900 <= e <= 0)%Z -> (- e < Z.of_nat fuel)%Z ->
  loop fuel (fun '(r, e) => (e <? 0)%Z) (fun '(r, e) => (rd64 (r / IZR 2), (e + 1)%Z)) (r * pow 0, e) = (r * pow e, 0%Z).
Proof.
  intros r e Fr Hr He Hm. enough (G : forall fuel d e, (d <= 0)%Z -> (e <= 0)%Z -> (-900 <= d + e)%Z -> (- e < Z.of_nat fuel)%Z ->
    loop fuel (fun '(r, e) => (e <? 0)%Z) (fun '(r, e) => (rd64 (r / IZR 2), (e + 1)%Z)) (r * pow d, e) = (r * pow (d + e), 0%Z)) by (assert (X := G fuel 0%Z e ltac:(lia) ltac:(lia) ltac:(lia) Hm); now rewrite Z.add_0_l in X).
  clear fuel e He Hm. induction fuel as [|fuel IH]; intros d e Hd He Hs Hm; [lia|]. cbn [loop]. destruct (Z.ltb_spec e 0) as [L|L]; [|replace e with 0%Z by lia; now rewrite Z.add_0_r].
  assert (E : rd64 (r * pow d / IZR 2) = r * pow (d - 1)).
  { replace (r * pow d / IZR 2) with (r * pow (d - 1)) by (replace (d - 1)%Z with (d + (-1))%Z by ring; rewrite bpow_plus; change (pow (-1)) with (/ 2); field). apply rnd64_exact, format64_scaled; [exact Fr | right]. rewrite Rabs_pos_eq by (assert (P := bpow_gt_0 radix2 (-100)); lra).
    apply Rle_trans with (pow (-100) * pow (d - 1)); [rewrite <- bpow_plus; apply bpow_le; lia | apply Rmult_le_compat_r; [apply bpow_ge_0 | lra]]. }
  rewrite E, IH by lia. f_equal. f_equal. f_equal. lia.
Qed.

(* The double: 2^e / h for the leading 64 bits h of a, exactly scaled. *)
Lemma power_over_value (exponent a : Z) : (0 < a)%Z -> (-710 <= exponent - Z.log2 a <= 710)%Z ->
  Rabs (power_over exponent a - pow exponent / IZR a) <= pow exponent / IZR a * / 2 ^ 50 /\ 0 < power_over exponent a.
Proof.
  intros Ha He. set (shift := (Z.log2 a - 127)%Z).
  set (h := Z.shiftr a (shift + 64)). assert (Lg := Z.log2_spec a Ha). assert (L0 := Z.log2_nonneg a). set (s := (shift + 64)%Z) in *.
  (* h 2^s <= a < (h + 1) 2^s *)
  assert (H : (2 ^ 63 <= h < 2 ^ 64)%Z /\ IZR h * pow s <= IZR a < (IZR h + 1) * pow s).
  { unfold h. destruct (Z.le_gt_cases 0 s) as [Ls|Ls].
    - rewrite Z.shiftr_div_pow2 by exact Ls. assert (P : (0 < 2 ^ s)%Z) by (apply Z.pow_pos_nonneg; lia). assert (D := Z.div_mod a (2 ^ s) ltac:(lia)). assert (M := Z.mod_pos_bound a (2 ^ s) P).
      assert (E1 : (2 ^ Z.log2 a = 2 ^ 63 * 2 ^ s)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; unfold s, shift; lia). assert (E2 : (2 ^ Z.succ (Z.log2 a) = 2 ^ 64 * 2 ^ s)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; unfold s, shift; lia).
      rewrite E1, E2 in Lg. split; [split; [apply Z.div_le_lower_bound; lia | apply Z.div_lt_upper_bound; lia]|]. rewrite <- (IZR_Zpower radix2) by exact Ls. change (radix_val radix2) with 2%Z. rewrite <- plus_IZR, <- !mult_IZR. split; [apply IZR_le; nia | apply IZR_lt; nia].
    - rewrite Z.shiftr_mul_pow2 by lia. assert (E1 : (2 ^ 63 = 2 ^ Z.log2 a * 2 ^ (- s))%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; unfold s, shift; lia). assert (E2 : (2 ^ 64 = 2 ^ Z.succ (Z.log2 a) * 2 ^ (- s))%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; unfold s, shift; lia).
      assert (P : (0 < 2 ^ (- s))%Z) by (apply Z.pow_pos_nonneg; lia). split; [rewrite E1, E2; nia|]. rewrite mult_IZR, (IZR_Zpower radix2) by lia. assert (One : pow (- s) * pow s = 1) by (rewrite <- bpow_plus; now replace (- s + s)%Z with 0%Z by lia).
      rewrite Rmult_plus_distr_r, Rmult_assoc, One, Rmult_1_r, Rmult_1_l. assert (Q := bpow_gt_0 radix2 s). lra. }
  destruct H as (Hh & Al & Au). assert (H1 : IZR (2 ^ 63) <= IZR h) by (apply IZR_le; lia). assert (H2 : IZR h < IZR (2 ^ 64)) by (apply IZR_lt; lia). change (2 ^ 63)%Z with 9223372036854775808%Z in H1. change (2 ^ 64)%Z with 18446744073709551616%Z in H2.
  assert (Small : normal64 <= pow (-100)) by (unfold normal64; apply bpow_le; lia). assert (P100 := bpow_gt_0 radix2 (-100)). assert (P100u : pow (-100) <= / 1000000000000000000000000000000) by (change (pow (-100)) with (/ IZR (2 ^ 100)); apply Rinv_le_contravar; [lra | apply IZR_le; vm_compute; discriminate]).
  assert (B1 := rnd64_normal (IZR h)). rewrite Rabs_pos_eq in B1 by lra. specialize (B1 ltac:(lra)). change (rnd64 (IZR h)) with (rd64 (IZR h)) in B1. set (v := rd64 (IZR h)) in *. split_abs B1.
  assert (V : 0 < v) by (unfold u64 in *; lra). set (t := IZR 1 / v).
  assert (T : IZR h * t <= 1 + 2 * u64 /\ 1 - 2 * u64 <= IZR h * t).
  { unfold t. split; apply Rmult_le_reg_r with v; try exact V; replace (IZR h * (IZR 1 / v) * v) with (IZR h) by (field; lra); unfold u64 in *; nra. }
  assert (T0 : / 36893488147419103232 <= t <= / 4611686018427387904).
  { unfold t. split; apply Rmult_le_reg_r with v; try exact V; replace (IZR 1 / v * v) with 1 by (field; lra); unfold u64 in *; lra. }
  assert (B2 := rnd64_normal t). rewrite Rabs_pos_eq in B2 by lra. specialize (B2 ltac:(lra)). change (rnd64 t) with (rd64 t) in B2. set (r := rd64 t) in *. split_abs B2.
  assert (Fr : format64 r) by apply rnd64_format. assert (Hr : pow (-100) <= r <= 1) by (unfold u64 in *; lra). set (e := (exponent - shift - 64)%Z).
  assert (Re : (-900 <= e <= 900)%Z) by (unfold e, shift; lia).
  assert (Value : power_over exponent a = r * pow e).
  { unfold power_over, wide_top. destruct (Z.eqb_spec a 0) as [Q|_]; [lia|]. fold shift. unfold top_high, top_shift. cbn [fst snd]. fold s h v t r e. replace r with (r * pow 0) at 1 by (simpl; ring). destruct (Z.le_gt_cases 0 e) as [Le|Le].
    - rewrite (doubled 1000 r e Fr Hr) by lia. now rewrite loop_stops.
    - assert (Stay : loop 1000 (fun '(r, e) => (e >? 0)%Z) (fun '(r, e) => (rd64 (r * IZR 2), (e - 1)%Z)) (r * pow 0, e) = (r * pow 0, e)) by (apply loop_stops; destruct (Z.gtb_spec e 0); [lia | reflexivity]).
      rewrite Stay, (halved 1000 r e Fr Hr) by lia. reflexivity. }
  rewrite Value. clear Value.
  assert (Pe := bpow_gt_0 radix2 e). assert (Ps := bpow_gt_0 radix2 s). assert (Pa : 0 < IZR a) by (apply IZR_lt; exact Ha).
  assert (Q : pow exponent / IZR a = pow e * (pow s / IZR a)).
  { unfold Rdiv. rewrite <- Rmult_assoc, <- bpow_plus. f_equal. f_equal. unfold e, s. lia. }
  set (q := pow s / IZR a) in *. assert (Hq : 1 - / 9000000000000000000 <= IZR h * q <= 1).
  { unfold q. split; apply Rmult_le_reg_r with (IZR a); try exact Pa; replace (IZR h * (pow s / IZR a) * IZR a) with (IZR h * pow s) by (field; lra); nra. }
  assert (Near : Rabs (r - q) <= q * / 2 ^ 50).
  { apply Rmult_le_reg_l with (IZR h); [lra|]. rewrite <- (Rabs_pos_eq (IZR h)) at 1 by lra. rewrite <- Rabs_mult. replace (IZR h * (r - q)) with (IZR h * (r - t) + (IZR h * t - IZR h * q)) by ring.
    assert (D : Rabs (IZR h * (r - t)) <= u64 * (1 + 2 * u64)).
    { rewrite Rabs_mult, (Rabs_pos_eq (IZR h)) by lra. apply Rle_trans with (IZR h * (u64 * t)); [apply Rmult_le_compat_l; [lra | apply Rabs_le; lra] | unfold u64 in *; lra]. }
    apply Rabs_le_inv in D. apply Rabs_le. unfold u64 in *. lra. }
  rewrite Q. split; [|apply Rmult_lt_0_compat; lra]. replace (r * pow e - pow e * q) with (pow e * (r - q)) by ring. rewrite Rabs_mult, (Rabs_pos_eq (pow e)) by lra. rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
Qed.

Lemma float_near (r q : R) : pow (-120) <= q -> Rabs (r - q) <= q * / 2 ^ 50 -> Rabs (rd32 r - q) <= q * / 8388608.
Proof.
  intros Hq H. assert (P := bpow_gt_0 radix2 (-120)). split_abs H. assert (Hr : pow (-126) <= Rabs r).
  { rewrite Rabs_pos_eq by lra. apply Rle_trans with (/ 2 * pow (-120)); [change (/ 2) with (pow (-1)); rewrite <- bpow_plus; apply bpow_le; lia | lra]. }
  assert (B := relative_error_N_FLT radix2 (-149) 24 eq_refl (fun x => negb (Z.even x)) r Hr). change (round radix2 (FLT_exp (-149) 24) _ r) with (rd32 r) in B.
  replace (/ 2 * pow (- (24) + 1)) with (/ 16777216) in B by (simpl; lra). rewrite (Rabs_pos_eq r) in B by lra. split_abs B. apply Rabs_le. lra.
Qed.

(* Theorem: the quotients of the tables err by a relative 2^-23, as avx512_quotient and gpu_quotient assume, for products P of up to 2^352 whose quotients are no less than 2^-120. *)
Theorem power_over_near (P digits unit i exponent : Z) (quotient : Z -> R) : (0 < P < 2 ^ 352)%Z -> (-352 <= 16 * (digits - 1 - i) + unit <= 352)%Z -> (-352 <= 96 + exponent <= 352)%Z ->
  (pow (-120) <= pow (16 * (digits - 1 - i) + unit) / IZR P -> Rabs (table_quotient digits unit P quotient i i - pow (16 * (digits - 1 - i) + unit) / IZR P) <= pow (16 * (digits - 1 - i) + unit) / IZR P * / 8388608) /\
  (pow (-120) <= pow (96 + exponent) / IZR P -> Rabs (leading_quotient exponent P - pow (96 + exponent) / IZR P) <= pow (96 + exponent) / IZR P * / 8388608).
Proof.
  intros HP He Hx. assert (L := Z.log2_nonneg P). assert (L2 : (Z.log2 P < 352)%Z) by (apply Z.log2_lt_pow2; lia). split; intros Hq.
  - unfold table_quotient, update. cbv zeta. rewrite Z.eqb_refl. apply float_near; [exact Hq|]. apply power_over_value; lia.
  - unfold leading_quotient. cbv zeta. apply float_near; [exact Hq|]. apply power_over_value; lia.
Qed.
