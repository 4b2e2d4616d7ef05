(** The quotients of the Chinese remainder theorem in single precision. *)
From Coq Require Import ZArith Reals Lia Lra Bool.
From Flocq Require Import Core Relative.
From Proofs Require Import Semantics Facts QuotientSource.
Open Scope Z_scope.

(** The bits of the floats from 2^23 on, which are integers. *)
Definition bits_as_stored (bits_of : R -> Z) : Prop := forall n, 8388608 <= n < 16777216 -> bits_of (IZR n) = 1258291200 + (n - 8388608).

(** A rounding of an integer: relatively 2^-24. *)
Lemma to_float_error : forall n, (Rabs (to_float n - IZR n) <= Rabs (IZR n) * / 16777216)%R.
Proof.
  intros n. unfold to_float. destruct (Z.eq_dec n 0) as [zero | other].
  - subst n. rewrite rd32_integer by lia. rewrite Rminus_diag_eq by reflexivity. rewrite !Rabs_R0. lra.
  - assert (H : (Rabs (rd32 (IZR n) - IZR n) <= / 2 * bpow radix2 (-23) * Rabs (IZR n))%R).
    { apply (relative_error_N_FLT radix2 (-149) 24 eq_refl). apply Rle_trans with 1%R; [change 1%R with (bpow radix2 0); apply bpow_le; lia |].
      rewrite <- abs_IZR. apply IZR_le. lia. }
    change (bpow radix2 (-23)) with (/ 8388608)%R in H. pose proof (Rabs_pos (IZR n)). lra.
Qed.

(** Between 2^23 and 2^24 a rounding goes to the nearest integer. *)
Lemma rd32_nearest : forall x n, (8388608 <= x < 16777216)%R -> (Rabs (x - IZR n) < 1 / 2)%R -> rd32 x = IZR n.
Proof.
  intros x n range near. unfold rd32, round, F2R, scaled_mantissa. cbn [Fnum Fexp].
  assert (magnitude : cexp radix2 (FLT_exp (-149) 24) x = 0).
  { unfold cexp. rewrite (mag_unique radix2 x 24) by (simpl; rewrite Rabs_pos_eq by lra; lra). reflexivity. }
  rewrite magnitude. change (- 0) with 0. change (bpow radix2 0) with 1%R. rewrite !Rmult_1_r. f_equal. apply Znearest_imp. lra.
Qed.

(** A product of a rounded integer and a rounded factor. *)
Lemma product_near : forall n q exact bound, (Rabs (q - exact) <= Rabs exact * / 8388608)%R -> (Rabs (IZR n * exact) <= bound)%R ->
  (Rabs (to_float n * q - IZR n * exact) <= bound * / 4194304)%R.
Proof.
  intros n q exact bound near most. pose proof (to_float_error n) as first. set (x := IZR n) in *. set (y := to_float n) in *.
  replace (y * q - x * exact)%R with ((y - x) * exact + x * (q - exact) + (y - x) * (q - exact))%R by ring.
  rewrite Rabs_mult in most. pose proof (Rabs_pos x). pose proof (Rabs_pos exact).
  assert (0 <= Rabs x * Rabs exact)%R by (apply Rmult_le_pos; assumption).
  assert (one : (Rabs ((y - x) * exact) <= Rabs x * Rabs exact * / 16777216)%R) by (rewrite Rabs_mult; nra).
  assert (two : (Rabs (x * (q - exact)) <= Rabs x * Rabs exact * / 8388608)%R) by (rewrite Rabs_mult; nra).
  assert (three : (Rabs ((y - x) * (q - exact)) <= Rabs x * Rabs exact * / 100000000)%R).
  { rewrite Rabs_mult. pose proof (Rabs_pos (y - x)). pose proof (Rabs_pos (q - exact)).
    apply Rle_trans with (Rabs x * / 16777216 * (Rabs exact * / 8388608))%R; [apply Rmult_le_compat; assumption |]. lra. }
  pose proof (Rabs_triang ((y - x) * exact + x * (q - exact)) ((y - x) * (q - exact))). pose proof (Rabs_triang ((y - x) * exact) (x * (q - exact))). lra.
Qed.

Lemma fraction_size : forall P unit, (0 < P)%R -> (0 < unit)%R -> (0 < unit / P)%R.
Proof. intros P unit positive units. apply Rdiv_lt_0_compat; assumption. Qed.

(** AVX-512: P, S and the neglected rest in units of the window's lowest digit. The three leading digits of S + n P give -n modulo 2^16. *)
Theorem avx512_quotient : forall bits_of (quotient : Z -> R) digit4 digit5 digit6 n (P S rest : R), bits_as_stored bits_of -> (bpow radix2 95 <= P)%R ->
  (Rabs (quotient 0%Z - bpow radix2 96 / P) <= bpow radix2 96 / P * / 8388608)%R ->
  (Rabs (quotient 1%Z - bpow radix2 80 / P) <= bpow radix2 80 / P * / 8388608)%R ->
  (Rabs (quotient 2%Z - bpow radix2 64 / P) <= bpow radix2 64 / P * / 8388608)%R ->
  Z.abs digit4 < 2 ^ 28 -> Z.abs digit5 < 2 ^ 28 -> (Rabs (IZR digit6 * (bpow radix2 96 / P)) <= 16384)%R -> (Rabs rest <= bpow radix2 76)%R ->
  (IZR digit6 * bpow radix2 96 + IZR digit5 * bpow radix2 80 + IZR digit4 * bpow radix2 64 + rest = S + IZR n * P)%R -> (Rabs S <= P * (16 / 33))%R ->
  avx512_quotient_word bits_of quotient digit4 digit5 digit6 = (- n) mod 2 ^ 16.
Proof.
  intros bits_of quotient digit4 digit5 digit6 n P S rest stored least near0 near1 near2 small4 small5 small6 small_rest whole capacity.
  assert (P_positive : (0 < P)%R) by (pose proof (bpow_gt_0 radix2 95); lra).
  assert (ratio : forall e, (bpow radix2 e / P <= bpow radix2 (e - 95))%R).
  { intros e. apply Rmult_le_reg_r with P; [exact P_positive |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    replace e with ((e - 95) + 95) at 1 by lia. rewrite bpow_plus. apply Rmult_le_compat_l; [apply bpow_ge_0 | exact least]. }
  assert (fractions : (IZR digit6 * (bpow radix2 96 / P) + IZR digit5 * (bpow radix2 80 / P) + IZR digit4 * (bpow radix2 64 / P) + rest / P = S / P + IZR n)%R).
  { apply Rmult_eq_reg_r with P; [| lra]. unfold Rdiv. rewrite !Rmult_plus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r by lra. exact whole. }
  assert (S_small : (Rabs (S / P) <= 16 / 33)%R).
  { unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq P) by lra. apply Rmult_le_reg_r with P; [exact P_positive |]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (rest_small : (Rabs (rest / P) <= / 524288)%R).
  { unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq P) by lra. apply Rle_trans with (bpow radix2 76 / P)%R.
    - apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | exact small_rest].
    - apply Rle_trans with (1 := ratio 76). simpl. lra. }
  pose proof (ratio 80) as ratio1. pose proof (ratio 64) as ratio2. change (bpow radix2 (80 - 95)) with (/ 32768)%R in ratio1. change (bpow radix2 (64 - 95)) with (/ 2147483648)%R in ratio2.
  pose proof (fraction_size P (bpow radix2 96) P_positive (bpow_gt_0 radix2 96)) as positive0.
  pose proof (fraction_size P (bpow radix2 80) P_positive (bpow_gt_0 radix2 80)) as positive1.
  pose proof (fraction_size P (bpow radix2 64) P_positive (bpow_gt_0 radix2 64)) as positive2.
  set (q0 := (bpow radix2 96 / P)%R) in *. set (q1 := (bpow radix2 80 / P)%R) in *. set (q2 := (bpow radix2 64 / P)%R) in *.
  set (r := (rest / P)%R) in *. set (t := (S / P)%R) in *.
  assert (size1 : (Rabs (IZR digit5 * q1) <= 8192)%R).
  { rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq q1) by lra. apply IZR_lt in small5. change (IZR (2 ^ 28)) with 268435456%R in small5. pose proof (IZR_le 0 _ (Z.abs_nonneg digit5)). nra. }
  assert (size2 : (Rabs (IZR digit4 * q2) <= 1 / 8)%R).
  { rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq q2) by lra. apply IZR_lt in small4. change (IZR (2 ^ 28)) with 268435456%R in small4. pose proof (IZR_le 0 _ (Z.abs_nonneg digit4)). nra. }
  rewrite <- (Rabs_pos_eq q0) in near0 at 2 by lra. rewrite <- (Rabs_pos_eq q1) in near1 at 2 by lra. rewrite <- (Rabs_pos_eq q2) in near2 at 2 by lra.
  pose proof (product_near digit6 _ _ _ near0 small6) as product0. pose proof (product_near digit5 _ _ _ near1 size1) as product1. pose proof (product_near digit4 _ _ _ near2 size2) as product2.
  unfold avx512_quotient_word, low_pairs. cbv zeta.
  set (x0 := (to_float digit6 * quotient 0%Z)%R) in *. set (x1 := (to_float digit5 * quotient 1%Z)%R) in *. set (x2 := (to_float digit4 * quotient 2%Z)%R) in *.
  apply Rabs_le_inv in small6, size1, size2, product0, product1, product2, S_small, rest_small.
  assert (round0 : (Rabs (rd32 x0 - x0) <= / 1024)%R) by (apply (rd32_error x0 15); [lia |]; simpl; apply Rabs_lt; lra).
  apply Rabs_le_inv in round0.
  assert (round1 : (Rabs (rd32 (x1 + rd32 x0) - (x1 + rd32 x0)) <= / 1024)%R) by (apply (rd32_error _ 15); [lia |]; simpl; apply Rabs_lt; lra).
  apply Rabs_le_inv in round1.
  assert (round2 : (Rabs (rd32 (x2 + rd32 (x1 + rd32 x0)) - (x2 + rd32 (x1 + rd32 x0))) <= / 1024)%R) by (apply (rd32_error _ 15); [lia |]; simpl; apply Rabs_lt; lra).
  apply Rabs_le_inv in round2.
  set (f := rd32 (x2 + rd32 (x1 + rd32 x0))) in *.
  assert (f_near : (-1 / 2 < f - IZR n < 1 / 2)%R) by lra.
  assert (n_real : (-32768 < IZR n < 32768)%R) by lra.
  assert (n_range : -32768 < n < 32768) by (split; apply lt_IZR; lra).
  replace (IZR 12582912) with 12582912%R by reflexivity.
  rewrite (rd32_nearest (12582912 - f) (12582912 - n)) by (try rewrite minus_IZR; try apply Rabs_lt; lra).
  rewrite stored by lia. change 65535 with (Z.ones 16). rewrite Z.land_ones by lia.
  replace (1258291200 + (12582912 - n - 8388608)) with (- n + 19264 * 2 ^ 16) by lia. apply Z_mod_plus_full.
Qed.

(** GPUs: P >= 2^103, and S + n P is (pair 6 + pair 5 / 2^16 + rest) 2^96. *)
Theorem gpu_quotient : forall bits_of (pair : Z -> Z) minus_quotient n (P S rest : R), bits_as_stored bits_of -> (bpow radix2 103 <= P)%R ->
  (Rabs (- minus_quotient - bpow radix2 96 / P) <= bpow radix2 96 / P * / 8388608)%R -> (Rabs rest <= 1 / 8)%R ->
  ((IZR (pair 6%Z) + IZR (pair 5%Z) / 65536 + rest) * bpow radix2 96 = S + IZR n * P)%R -> Z.abs n <= 4096 -> (Rabs S <= P * (16 / 33))%R ->
  gpu_minus_quotient bits_of pair minus_quotient = - n.
Proof.
  intros bits_of pair minus_quotient n P S rest stored least near small_rest whole n_small capacity.
  assert (P_positive : (0 < P)%R) by (pose proof (bpow_gt_0 radix2 103); lra).
  assert (ratio : (0 < bpow radix2 96 / P <= / 128)%R).
  { split; [apply fraction_size; [exact P_positive | apply bpow_gt_0] |]. apply Rmult_le_reg_r with P; [exact P_positive |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. change 103 with (7 + 96) in least. rewrite bpow_plus in least. change (bpow radix2 7) with 128%R in least. lra. }
  assert (S_small : (Rabs (S / P) <= 16 / 33)%R).
  { unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq P) by lra. apply Rmult_le_reg_r with P; [exact P_positive |]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (fractions : ((IZR (pair 6%Z) + IZR (pair 5%Z) / 65536 + rest) * (bpow radix2 96 / P) = S / P + IZR n)%R).
  { generalize dependent (bpow radix2 96). intros unit _ whole _. apply Rmult_eq_reg_r with P; [| lra].
    replace ((IZR (pair 6%Z) + IZR (pair 5%Z) / 65536 + rest) * (unit / P) * P)%R with ((IZR (pair 6%Z) + IZR (pair 5%Z) / 65536 + rest) * unit)%R by (field; lra).
    rewrite whole. field. lra. }
  set (q := (bpow radix2 96 / P)%R) in *. set (t := (S / P)%R) in *.
  unfold gpu_minus_quotient. cbv zeta. set (x := pair 6 + Z.shiftr (pair 5) 16).
  assert (floor : (IZR x <= IZR (pair 6%Z) + IZR (pair 5%Z) / 65536 < IZR x + 1)%R).
  { unfold x. rewrite Z.shiftr_div_pow2 by lia. pose proof (Z_div_mod_eq_full (pair 5) (2 ^ 16)) as split_. pose proof (Z.mod_pos_bound (pair 5) (2 ^ 16) ltac:(lia)) as low.
    set (h := pair 5 / 2 ^ 16) in *. set (l := pair 5 mod 2 ^ 16) in *. rewrite split_. rewrite !plus_IZR, mult_IZR. change (IZR (2 ^ 16)) with 65536%R.
    assert (0 <= IZR l < 65536)%R by (split; [apply IZR_le | apply IZR_lt]; lia). lra. }
  assert (n_real : (-4096 <= IZR n <= 4096)%R) by (split; apply IZR_le; lia).
  apply Rabs_le_inv in small_rest, S_small.
  assert (x_near : (- (9 / 8) * / 128 <= IZR x * q - (t + IZR n) <= 9 / 8 * / 128)%R) by (rewrite <- fractions; split; nra).
  assert (x_size : (Rabs (IZR x * q) <= 4098)%R) by (apply Rabs_le; lra).
  rewrite <- (Rabs_pos_eq q) in near at 2 by lra.
  pose proof (product_near x _ _ _ near x_size) as product. apply Rabs_le_inv in product.
  change (rd32 (IZR x)) with (to_float x). set (y := to_float x) in *.
  replace (IZR 12582912) with 12582912%R by reflexivity.
  rewrite (rd32_nearest (y * minus_quotient + 12582912) (12582912 - n)) by (try rewrite minus_IZR; try apply Rabs_lt; lra).
  rewrite stored by lia. lia.
Qed.
